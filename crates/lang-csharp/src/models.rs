//! Replaces methods of the class library by models: C# code that does the same without raw memory.
//!
//! The models are compiled into an assembly (`models/build.sh`). The model of a method of the class `System.A` is a
//! static method of the class `Models.System.A` with the same name and parameters; the receiver, if there is one, is
//! the first parameter. The model of a constructor of a struct is named `Ctor`. A method of `Models.Library.System.A`
//! stands for the private one of the library with the same name, which models call.

use crate::assemblies::{AssemblyId, TypeDefId};
use crate::front_end::CsOrigin;
use crate::loader::Cs;
use crate::members::MethodKey;
use crate::types::{Ty, TyId};
use aback_cil::{Assembly, Table, Token};
use aback_ir::{MethodId, Program};
use std::path::Path;
use std::sync::Arc;

const ASSEMBLY: &[u8] = include_bytes!("../models/models.dll");
/// The namespace of the models.
pub(crate) const PREFIX: &str = "Models.";
/// The name of their assembly.
pub(crate) const NAME: &str = "models";

/// Adds the assembly with the models.
pub(crate) fn add(assemblies: &crate::assemblies::Assemblies) {
    if let Ok(assembly) = Assembly::parse(ASSEMBLY.to_vec()) {
        assemblies.add(Path::new("models.dll"), assembly, false);
    }
}

/// The model of a method, if there is one.
pub(crate) fn of(cs: Cs, key: &MethodKey) -> Option<MethodKey> {
    in_assembly(cs, key, cs.loader.assemblies.named(NAME)?)
}

/// The model of a method in an assembly, if there is one.
pub(crate) fn in_assembly(cs: Cs, key: &MethodKey, models: AssemblyId) -> Option<MethodKey> {
    let declared = cs.declaration_of(key).ok()?;
    if cs.loader.assemblies.module(declared.assembly).is_own {
        return None;
    }
    let read = cs.assembly(declared.assembly);
    let ty = read.type_def(declared.row).ok()?;
    if declared.assembly == models {
        return None;
    }
    let row = cs.assembly(models).find_type(&namespace_of_models(ty.namespace), ty.name)?;
    // No method of C# has the name of a constructor.
    let name = match read.method_name(key.row).ok()? {
        ".ctor" => "Ctor",
        // That of a model initializes what only the model has.
        ".cctor" => return None,
        name => name,
    };
    // In the model of a generic class, the class has the same type parameters.
    let parameters = read.generic_params(Token::new(Table::TypeDef, declared.row)).len();
    let open = cs.loader.open_generics.of_type.get(..parameters)?.into();
    let wanted = open_types(cs, declared, key.row, Some(cs.named(declared, open)))?;
    let mut candidates = cs.assembly(models).type_def(row).ok()?.methods;
    let found = candidates.find(|&candidate| {
        cs.assembly(models).method_name(candidate) == Ok(name)
            && open_types(cs, TypeDefId { assembly: models, row }, candidate, None).as_ref() == Some(&wanted)
    })?;
    let (_, arguments) = cs.declared(key.owner)?;
    let owner = cs.named(TypeDefId { assembly: models, row }, arguments);
    Some(MethodKey { owner, row: found, arguments: key.arguments.clone() })
}

/// The namespace of the models of classes in a namespace.
fn namespace_of_models(namespace: &str) -> String {
    if namespace.is_empty() { PREFIX.trim_end_matches('.').to_owned() } else { format!("{PREFIX}{namespace}") }
}

/// The namespace of the classes that those in a namespace model; `None` if these are no models.
pub(crate) fn modelled_namespace(of_models: &str) -> Option<&str> {
    if of_models == PREFIX.trim_end_matches('.') { Some("") } else { of_models.strip_prefix(PREFIX) }
}

/// The private method of the library that a method of the models stands for.
pub(crate) fn of_library(cs: Cs, key: &MethodKey) -> Option<MethodKey> {
    let (declared, _) = cs.declared(key.owner)?;
    if cs.loader.assemblies.named(NAME) != Some(declared.assembly) {
        return None;
    }
    let read = cs.assembly(declared.assembly);
    let ty = read.type_def(declared.row).ok()?;
    let namespace = ty.namespace.strip_prefix(PREFIX)?.strip_prefix("Library.")?;
    let method = read.method(key.row).ok()?;
    cs.method_named(cs.library(namespace, ty.name).ok()?, method.name, method.signature.params.len())
}

/// A static method of a generic class of models.
pub(crate) fn helper(cs: Cs, namespace: &str, class: &str, arguments: Arc<[TyId]>, name: &str) -> Option<MethodKey> {
    let models = cs.loader.assemblies.named(NAME)?;
    let row = cs.assembly(models).find_type(&format!("{PREFIX}{namespace}"), class)?;
    let mut methods = cs.assembly(models).type_def(row).ok()?.methods;
    let found = methods.find(|&method| cs.assembly(models).method_name(method) == Ok(name))?;
    let owner = cs.named(TypeDefId { assembly: models, row }, arguments);
    Some(MethodKey { owner, row: found, arguments: Arc::new([]) })
}

/// The types of the parameters of a method, with its receiver, in which type parameters stand for themselves.
pub(crate) fn open_types(cs: Cs, declared: TypeDefId, row: u32, owner: Option<TyId>) -> Option<Vec<TyId>> {
    let method = cs.assembly(declared.assembly).method(row).ok()?;
    let mut types = Vec::new();
    if let Some(owner) = owner.filter(|_| method.signature.has_this) {
        types.push(match cs.is_value(owner) {
            true => cs.intern(Ty::Ref(owner)).ok()?,
            false => owner,
        });
    }
    let generics = &cs.loader.open_generics;
    for param in &method.signature.params {
        types.push(cs.resolve(declared.assembly, param, generics).ok()?);
    }
    types.push(cs.simple(Ty::MethodParam(method.signature.generic_arity)));
    Some(types)
}

impl CsOrigin {
    /// The methods of all models by number: the class, the name and the number of parameters, `System.Math.Pow(2)`.
    pub fn models(&self) -> Vec<(u32, String)> {
        let assemblies = &self.loader.assemblies;
        let Some(read) = assemblies.named(NAME).map(|id| assemblies.assembly(id)) else { return Vec::new() };
        let named = (1..=read.rows(Table::MethodDef)).filter_map(|row| {
            let class = read.full_name(Token::new(Table::TypeDef, read.method_owner(row)?))?;
            let method = read.method(row).ok()?;
            let count = method.signature.params.len();
            Some((row, format!("{}.{}({count})", class.strip_prefix(PREFIX)?, method.name)))
        });
        named.collect()
    }

    /// The number of the model whose code a method of the program has.
    pub fn model_of(&self, program: &Program, method: MethodId) -> Option<u32> {
        let cs = Cs { program, loader: &self.loader };
        let key = self.loader.key_of(method)?;
        let declared = cs.declaration_of(&key).ok()?;
        match cs.loader.assemblies.named(NAME) == Some(declared.assembly) {
            true => Some(key.row),
            false => of(cs, &key).map(|model| model.row),
        }
    }
}
