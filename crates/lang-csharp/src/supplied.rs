//! Finds the models that users supply: static methods of classes `Models.X` that stand for methods of the class `X` of a
//! library.
//!
//! The names and the parameters are those of the models that aback has itself ([`models`]), and these come first. The
//! library's method keeps its identity; its code calls the model. The assemblies of models are libraries, with the difference
//! that no input is an object of one of their classes. They do not refer to the program's own assemblies, so that what
//! libraries can do to the program covers what they do.

use crate::assemblies::{AssemblyId, TypeDefId};
use crate::loader::{ClassKind, Cs, CsLoader};
use crate::members::MethodKey;
use crate::models;
use aback_cil::{Assembly, MethodDef, Table, Token, TypeDef};
use aback_frontend::{LoadError, has_extension};
use aback_ir::builder::Builder;
use aback_ir::{Body, ClassId, Diagnostic, Dispatch, MethodId, Span};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the assembly that is compiled from sources.
pub(crate) const NAME: &str = "aback.models";

/// Adds the assemblies with models to those of a program.
///
/// # Errors
/// A file is no assembly, has a name that another assembly has, or refers to an assembly of the program.
pub(crate) fn add(loader: &CsLoader, paths: &[PathBuf]) -> Result<(), LoadError> {
    let assemblies = &loader.assemblies;
    let own: Vec<&str> = assemblies.own().into_iter().map(|id| assemblies.assembly(id).name()).collect();
    let mut read = Vec::new();
    for path in paths {
        let bytes = std::fs::read(path).map_err(|source| LoadError::Unreadable { path: path.clone(), source })?;
        let malformed = |message: String| LoadError::Malformed { path: path.clone(), message: format!(" {message}") };
        let assembly = Assembly::parse(bytes).map_err(|error| malformed(error.to_string()))?;
        let mut references = (1..=assembly.rows(Table::AssemblyRef)).filter_map(|row| assembly.assembly_ref(row).ok());
        if let Some(of_program) = references.find(|reference| own.contains(&reference.name)) {
            let name = of_program.name;
            return Err(malformed(format!(
                "it refers to {name}, an assembly of the program, and models know only libraries"
            )));
        }
        if assemblies.named(assembly.name()).is_some() {
            return Err(malformed(format!("another assembly has its name, {}", assembly.name())));
        }
        read.push(assemblies.add(path, assembly, false));
    }
    loader.set_supplied(read);
    Ok(())
}

/// The model of a method that the user supplies, if there is one.
pub(crate) fn of(cs: Cs, key: &MethodKey) -> Option<MethodKey> {
    cs.loader.supplied().iter().find_map(|&models| {
        let model = models::in_assembly(cs, key, models)?;
        cs.assembly(models).method(model.row).is_ok_and(|def| is_written(&def)).then_some(model)
    })
}

/// Whether a class belongs to models.
pub(crate) fn is_class_of_models(cs: Cs, class: ClassId) -> bool {
    if cs.loader.supplied().is_empty() {
        return false;
    }
    let Some(ClassKind::Type(ty)) = cs.loader.kind_of(class) else { return false };
    cs.declared(ty).is_some_and(|(declared, _)| cs.loader.supplied().contains(&declared.assembly))
}

/// A method for users, with the types of its parameters.
pub(crate) fn shown(cs: Cs, method: MethodId, key: &MethodKey) -> String {
    let name = cs.program.method_name(method).replace(".<init>", "..ctor");
    let params = cs.signature(key).map(|signature| signature.params).unwrap_or_default();
    let params: Vec<String> = params.into_iter().map(|ty| cs.name(ty)).collect();
    format!("{name}({})", params.join(", "))
}

/// The code of a method that has a model: a call of the model.
pub(crate) fn body(cs: Cs, method: MethodId, model: &MethodKey) -> Body {
    cs.loader.note_used_model(method);
    let (declared, model) = (cs.program.method(method), cs.method(model));
    let mut code = Builder::new(&declared.params);
    if cs.program.method(model).params != declared.params || cs.program.method(model).result != declared.result {
        code.unsupported(format!("the model of {}, whose types are others", cs.program.method_name(method)));
        return code.finish();
    }
    let args = (0..declared.params.len()).map(|index| code.param(index)).collect();
    // Further leaves of the result are where the caller expects them.
    let result = code.call(Dispatch::Static, model, args, declared.result);
    code.ret(result);
    code.finish()
}

/// Checks that each model stands for a method of a library.
///
/// # Errors
/// One does not, which the errors say with its place.
pub(crate) fn check(cs: Cs, folder: &Path) -> Result<(), LoadError> {
    let supplied = cs.loader.supplied();
    let mut diagnostics = Vec::new();
    let mut is_any = supplied.is_empty();
    for &assembly in supplied {
        let read = cs.assembly(assembly);
        for row in 1..=read.rows(Table::TypeDef) {
            let Ok(def) = read.type_def(row) else { continue };
            let Some(namespace) = models::modelled_namespace(def.namespace) else { continue };
            is_any = true;
            check_class(cs, TypeDefId { assembly, row }, (namespace, &def), folder, &mut diagnostics);
        }
    }
    if !is_any {
        return Err(LoadError::Models(
            "--models: there are no classes in the namespace `Models` or in those that begin with `Models.`: models of methods of System.Random are static \
             methods of the class Models.System.Random"
                .into(),
        ));
    }
    if diagnostics.is_empty() {
        return Ok(());
    }
    Err(LoadError::at_places(cs.program, diagnostics))
}

/// Whether a method may be a model: it is no constructor, the compiler did not make it, and it is not private.
fn is_written(def: &MethodDef) -> bool {
    !def.name.contains('<') && !def.name.starts_with('.') && def.access() != aback_cil::Access::Private
}

fn check_class(
    cs: Cs,
    class: TypeDefId,
    (namespace, def): (&str, &TypeDef),
    folder: &Path,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let read = cs.assembly(class.assembly);
    let written: Vec<(u32, MethodDef)> = def
        .methods
        .clone()
        .filter_map(|row| Some((row, read.method(row).ok()?)))
        .filter(|(_, def)| is_written(def))
        .collect();
    let place = |row: u32| cs.method_span(class.assembly, row);
    let of_class = written.first().map_or(Span::NONE, |&(row, _)| place(row));
    let library = match modelled_class(cs, class.assembly, namespace, def.name, folder) {
        Ok(library) => library,
        Err(message) => return diagnostics.push(Diagnostic::error(of_class, message)),
    };
    for (row, def) in written {
        if let Err(message) = check_method(cs, class, (row, &def), library) {
            diagnostics.push(Diagnostic::error(place(row), message));
        }
    }
}

/// Classes whose methods mean something to all programs.
const OF_THE_RUNTIME: [&str; 11] = [
    "System.Object",
    "System.ValueType",
    "System.Enum",
    "System.Array",
    "System.Delegate",
    "System.MulticastDelegate",
    "System.Type",
    "System.Diagnostics.Debug",
    "System.Diagnostics.Trace",
    "System.Diagnostics.Contracts.Contract",
    "System.Threading.Monitor",
];
/// The beginnings of the names of such classes.
const FOR_THE_RUNTIME: [&str; 3] =
    ["System.Runtime.CompilerServices.", "System.Runtime.InteropServices.", "System.Reflection."];

/// The class of a library with this name.
fn modelled_class(cs: Cs, models: AssemblyId, namespace: &str, name: &str, folder: &Path) -> Result<TypeDefId, String> {
    let full = if namespace.is_empty() { name.to_owned() } else { format!("{namespace}.{name}") };
    let assemblies = &cs.loader.assemblies;
    let read = cs.assembly(models);
    let referred = (1..=read.rows(Table::AssemblyRef)).filter_map(|row| read.assembly_ref(row).ok());
    let referred = referred.filter_map(|reference| assemblies.named(reference.name));
    let core = assemblies.named("System.Runtime");
    let known = core.into_iter().chain(referred).chain(assemblies.own());
    let found = known.filter_map(|assembly| assemblies.find(assembly, namespace, name)).next();
    let found = found.or_else(|| {
        // Of libraries that are not the runtime's: code refers to those of the runtime through others.
        let is_other = |folder: &&PathBuf| !folder.join("System.Private.CoreLib.dll").is_file();
        let folders = assemblies.folders().iter().filter(is_other).map(PathBuf::as_path).chain([folder]);
        let files = folders.flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten());
        let files = files.filter_map(|entry| Some(entry.ok()?.path()));
        let mut libraries: Vec<PathBuf> = files.filter(|file| has_extension(file, &["dll"])).collect();
        libraries.sort();
        let names = libraries.iter().filter_map(|file| file.file_stem()?.to_str());
        names.filter_map(|name| assemblies.named(name)).find_map(|one| assemblies.find(one, namespace, name))
    });
    let Some(found) = found else {
        return Err(format!(
            "there is no class {full} to be modelled: classes that help models are nested in others, or in other namespaces"
        ));
    };
    if assemblies.module(found.assembly).is_own {
        return Err(format!("{full} is a class of the program, and models are for libraries"));
    }
    if OF_THE_RUNTIME.contains(&&*full) || FOR_THE_RUNTIME.iter().any(|start| full.starts_with(start)) {
        return Err(format!("{full} cannot be modelled, because the meaning of programs depends on it"));
    }
    Ok(found)
}

/// Methods of strings that code reads without a call.
const OF_STRINGS: [&str; 3] = ["get_Length", "get_Chars", "Ctor"];

fn check_method(cs: Cs, class: TypeDefId, (row, def): (u32, &MethodDef), library: TypeDefId) -> Result<(), String> {
    let read = cs.assembly(library.assembly);
    let of_library = read.type_def(library.row).map_err(|error| error.to_string())?;
    let full = crate::types::declared_name(&cs.loader.assemblies, library);
    let generics = read.generic_params(Token::new(Table::TypeDef, library.row)).len();
    let open: Arc<[_]> = cs.loader.open_generics.of_type.get(..generics).unwrap_or_default().into();
    let owner = cs.named(library, open);
    let types_of = |in_class: TypeDefId, row: u32, receiver| models::open_types(cs, in_class, row, receiver);
    let names = |types: &[crate::types::TyId]| types.iter().map(|&ty| cs.name(ty)).collect::<Vec<_>>().join(", ");
    // The last one is no type, but the number of type parameters.
    let params = |types: Vec<crate::types::TyId>| names(&types[..types.len().saturating_sub(1)]);
    let own = types_of(class, row, None).ok_or("its types cannot be read")?;
    let written = format!("{}({})", def.name, params(own.clone()));
    if !def.is_static() {
        return Err(format!(
            "{written} is not static: a model is a static method, which gets the object first, and other methods are private"
        ));
    }
    let name_of_model = |name: &str| if name == ".ctor" { "Ctor".to_string() } else { name.to_string() };
    let candidates = of_library.methods.clone().filter_map(|row| Some((row, read.method(row).ok()?)));
    let namesakes: Vec<(u32, MethodDef)> =
        candidates.filter(|(_, method)| method.name != ".cctor" && name_of_model(method.name) == def.name).collect();
    let fitting = namesakes.iter().find(|&&(row, _)| types_of(library, row, Some(owner)).as_ref() == Some(&own));
    let result = |assembly, signature: &aback_cil::MethodSig| {
        cs.resolve(assembly, &signature.result, &cs.loader.open_generics).map_err(|error| error.to_string())
    };
    let Some((_, method)) = fitting else {
        if namesakes.is_empty() {
            return Err(format!("{full} has no method {}", def.name));
        }
        let wanted = namesakes.iter().filter_map(|(row, method)| {
            let result = cs.name(result(library.assembly, &method.signature).ok()?);
            Some(format!("{result} {}({})", def.name, params(types_of(library, *row, Some(owner))?)))
        });
        let wanted: Vec<String> = wanted.collect();
        let them = if wanted.len() == 1 { "the model of its method is" } else { "the models of its methods are" };
        return Err(format!("{full} has no method that {written} is a model of: {them} {}", wanted.join(", ")));
    };
    let (of_model, wanted) = (result(class.assembly, &def.signature)?, result(library.assembly, &method.signature)?);
    if of_model != wanted {
        return Err(format!("{written} returns {}, and the method of {full} {}", cs.name(of_model), cs.name(wanted)));
    }
    if method.is_abstract() {
        return Err(format!("{full}.{} is abstract and has no code: model the methods that implement it", method.name));
    }
    // Analyses look at all models, whether or not code calls them.
    let is_generic = !cs.assembly(class.assembly).generic_params(Token::new(Table::TypeDef, class.row)).is_empty()
        || def.signature.generic_arity > 0;
    if !is_generic {
        let owner = cs.named(class, Arc::new([]));
        cs.method(&MethodKey { owner, row, arguments: Arc::new([]) });
    }
    if full == "System.String" && OF_STRINGS.contains(&def.name) {
        return Err(format!(
            "{full}.{} cannot be modelled, because the meaning of programs depends on it",
            method.name
        ));
    }
    Ok(())
}
