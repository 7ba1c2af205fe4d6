//! Answers what engines ask about C# and its runtime.

use crate::collections;
use crate::compiler_made;
use crate::conditions;
use crate::dispatch;
use crate::forms;
use crate::generics;
use crate::inputs;
use crate::layout::CHAR;
use crate::loader::{ClassKind, Cs, CsLoader};
use crate::makers;
use crate::nullness;
use crate::sharing;
use crate::state;
use crate::supplied;
use crate::synthetic::{self, arrays};
use crate::types::{Kind, Ty, TyId};
use aback_cil::{Table, Token};
use aback_ir::{
    Access, ClassId, DeclaredTypes, Extent, FieldId, FieldUse, Form, LibraryState, Look, MadeFor, Maker, MethodId,
    NullCheck, OpKind, OwnedArrays, Passing, Program, Runtime, SourceType, Type, Unselected,
};
use std::collections::BTreeSet;

impl Runtime for CsLoader {
    fn entry(&self, program: &Program, entry: MethodId) -> Option<MethodId> {
        self.starts.of(entry, || synthetic::entry::with_inputs(Cs { program, loader: self }, entry))
    }

    fn makers(&self, program: &Program, ty: &SourceType) -> Vec<Maker> {
        let Type::Class(class) = ty.ty else { return Vec::new() };
        makers::makers(Cs { program, loader: self }, class)
    }

    fn restricts_values(&self, program: &Program) -> bool {
        makers::restricts_values(Cs { program, loader: self })
    }

    fn nested_instance(&self, program: &Program, outer: ClassId, name: &str) -> Option<ClassId> {
        let cs = Cs { program, loader: self };
        let ClassKind::Type(ty) = self.kind_of(outer)? else { return None };
        let (declared, arguments) = cs.declared(ty)?;
        let class = cs.class_of(cs.named(self.assemblies.nested(declared, name)?, arguments));
        program.class(class);
        Some(class)
    }

    fn select(&self, program: &Program, class: ClassId, method: MethodId) -> Option<Result<MethodId, Unselected>> {
        dispatch::select(Cs { program, loader: self }, class, method)
    }

    fn is_instance(&self, program: &Program, of: Type, class: ClassId) -> bool {
        dispatch::is_instance(Cs { program, loader: self }, of, class)
    }

    fn is_variant(&self, program: &Program, class: ClassId) -> bool {
        dispatch::is_variant_class(Cs { program, loader: self }, class)
    }

    fn variants(&self, program: &Program, class: ClassId) -> Vec<ClassId> {
        dispatch::variants(Cs { program, loader: self }, class)
    }

    /// Objects of library classes are what their constructors and methods can make, which is not known. Delegates and
    /// managed pointers are made by the program.
    fn is_made_only(&self, program: &Program, class: ClassId) -> bool {
        let cs = Cs { program, loader: self };
        match self.kind_of(class) {
            Some(ClassKind::Type(ty)) => inputs::is_made_only(cs, ty) || supplied::is_class_of_models(cs, class),
            Some(_) => true,
            None => false,
        }
    }

    fn can_be_described(&self, program: &Program, class: ClassId) -> bool {
        let cs = Cs { program, loader: self };
        matches!(self.kind_of(class), Some(ClassKind::Type(ty)) if inputs::can_be_described(cs, ty))
    }

    fn has_other_origins(&self, program: &Program, class: ClassId) -> bool {
        let related = program.superclass_chain(class).chain(program.subclasses(class));
        let mut own = related.filter(|&class| !program.class(class).is_library);
        own.any(|class| !program.methods_named(class, "Finalize").is_empty())
    }

    fn is_element_type(&self, program: &Program, class: ClassId) -> bool {
        let cs = Cs { program, loader: self };
        matches!(self.kind_of(class), Some(ClassKind::Type(ty)) if inputs::is_element_type(cs, ty))
    }

    fn made_for(&self, program: &Program, class: ClassId) -> Option<MadeFor> {
        let ClassKind::Type(ty) = self.kind_of(class)? else { return None };
        compiler_made::made_for(Cs { program, loader: self }, ty)
    }

    fn starts(&self, program: &Program, method: MethodId, class: ClassId) -> bool {
        let (Some(key), Some(ClassKind::Type(ty))) = (self.key_of(method), self.kind_of(class)) else { return false };
        compiler_made::starts(Cs { program, loader: self }, &key, ty)
    }

    fn may_be_incomplete(&self, program: &Program, method: MethodId) -> bool {
        let cs = Cs { program, loader: self };
        self.key_of(method).is_some_and(|key| compiler_made::may_be_incomplete(cs, &key))
    }

    fn source_name(&self, program: &Program, method: MethodId) -> String {
        let declared = program.method(method);
        compiler_made::source_name(program.class_name(declared.class), &declared.name)
    }

    fn is_pointer(&self, _: &Program, class: ClassId) -> bool {
        matches!(
            self.kind_of(class),
            Some(
                ClassKind::Reference(_)
                    | ClassKind::Cell(_)
                    | ClassKind::Part(..)
                    | ClassKind::FieldRef(_)
                    | ClassKind::StaticRef(_)
                    | ClassKind::ElementRef(_)
            )
        )
    }

    /// Libraries make pointers to variables of their own and to elements of any array, but not to fields of the program.
    fn is_own_pointer(&self, program: &Program, class: ClassId) -> bool {
        let is_own =
            |ids: &[FieldId]| ids.first().is_some_and(|&id| !program.class(program.field(id).class).is_library);
        match self.kind_of(class) {
            Some(ClassKind::FieldRef(ids) | ClassKind::StaticRef(ids)) => is_own(&ids),
            _ => false,
        }
    }

    fn owned_arrays(&self, program: &Program, class: ClassId) -> Option<OwnedArrays> {
        let ClassKind::Type(ty) = self.kind_of(class)? else { return None };
        let cs = Cs { program, loader: self };
        let (Ty::Array(element) | Ty::Grid(element, _)) = *cs.ty(ty) else { return collections::parts(cs, ty) };
        if !arrays::is_object(cs, ty) {
            return None;
        }
        let (arrays, dimensions) = arrays::fields(cs, ty, element).ok()?;
        let extent = if dimensions.is_empty() { Extent::Any } else { Extent::Product(dimensions) };
        Some(OwnedArrays { arrays, extent })
    }

    fn is_unset(&self, program: &Program, field: FieldId) -> bool {
        let declared = program.field(field);
        let cs = Cs { program, loader: self };
        let Some(ClassKind::Type(ty)) = self.kind_of(declared.class) else { return false };
        collections::is_unset(cs, ty, &declared.name) || inputs::is_part_of_restricted(cs, ty, field)
    }

    fn is_owned_array(&self, program: &Program, field: FieldId) -> bool {
        let declared = program.field(field);
        let Some(ClassKind::Type(ty)) = self.kind_of(declared.class) else { return false };
        match self.types.get(ty) {
            Ty::Array(_) | Ty::Grid(..) => matches!(declared.ty, Type::Array(_)),
            _ => {
                let parts = || collections::parts(Cs { program, loader: self }, ty);
                declared.ty.is_reference() && parts().is_some_and(|parts| parts.arrays.contains(&field))
            }
        }
    }

    fn has_own_subclasses_only(&self, program: &Program, class: ClassId) -> bool {
        let cs = Cs { program, loader: self };
        matches!(self.kind_of(class), Some(ClassKind::Type(ty)) if collections::is_collection(cs, ty))
    }

    fn may_be_part(&self, program: &Program, ty: Type) -> bool {
        match ty {
            Type::Class(class) => self.owned_arrays(program, class).is_some(),
            _ => true,
        }
    }

    fn is_platform(&self, program: &Program, class: ClassId) -> bool {
        let cs = Cs { program, loader: self };
        let is_written = || conditions::is_class_of_conditions(cs, class) || supplied::is_class_of_models(cs, class);
        program.class(class).is_library && !is_written()
    }

    fn models(&self, _: &Program) -> Vec<MethodId> {
        self.methods_of_models()
    }

    fn modelled(&self, program: &Program, method: MethodId) -> Option<String> {
        let (cs, key) = (Cs { program, loader: self }, self.key_of(method)?);
        supplied::of(cs, &key).map(|_| supplied::shown(cs, method, &key))
    }

    fn models_used(&self, program: &Program) -> Vec<String> {
        let mut used: Vec<String> =
            self.used_models().into_iter().filter_map(|method| self.modelled(program, method)).collect();
        used.sort_unstable();
        used
    }

    fn result_parts(&self, program: &Program, method: MethodId) -> Vec<(String, Option<FieldId>)> {
        Cs { program, loader: self }.result_parts(method)
    }

    fn is_synthetic(&self, _: &Program, method: MethodId) -> bool {
        self.key_of(method).is_none()
    }

    /// `Delegate.Target`.
    fn is_open_target(&self, program: &Program, field: FieldId) -> bool {
        matches!(self.kind_of(program.field(field).class), Some(ClassKind::Delegate(..)))
    }

    fn is_private_field(&self, _: &Program, field: FieldId) -> bool {
        self.is_private_field(field)
    }

    fn use_outside(&self, _: &Program, field: FieldId) -> FieldUse {
        self.use_outside(field)
    }

    fn is_immutable(&self, program: &Program, class: ClassId) -> bool {
        sharing::is_immutable(program, class)
    }

    fn may_change(&self, program: &Program, method: MethodId, argument: usize) -> bool {
        sharing::may_change(program, method, argument)
    }

    fn passing(&self, program: &Program, method: MethodId) -> Passing {
        sharing::passing(program, method)
    }

    fn states_read(&self, program: &Program, op: &OpKind) -> Vec<LibraryState> {
        state::read(Cs { program, loader: self }, op)
    }

    fn state_changed(&self, program: &Program, op: &OpKind) -> Option<LibraryState> {
        state::changed(Cs { program, loader: self }, op)
    }

    fn has_open_libraries(&self) -> bool {
        true
    }

    fn callbacks(&self, program: &Program) -> Option<Vec<MethodId>> {
        Some(self.called_by_libraries(program))
    }

    fn selected_by_libraries(&self, program: &Program) -> Vec<MethodId> {
        self.named_like_libraries(program)
    }

    fn parameter_forms(&self, program: &Program, method: MethodId) -> Option<Vec<(String, Form)>> {
        forms::parameters(Cs { program, loader: self }, method)
    }

    fn declared_types(&self, program: &Program, method: MethodId) -> Option<DeclaredTypes> {
        let cs = Cs { program, loader: self };
        let signature = cs.signature(&self.key_of(method)?).ok()?;
        let name = |ty: TyId| match (cs.nullable(ty), cs.name(ty)) {
            (Some(value), _) => format!("{}?", cs.name(value)),
            (None, name) if name == "System.Object" => "object".into(),
            (None, name) if name == "System.Decimal" => "decimal".into(),
            (None, name) => name,
        };
        let converts = matches!(&*program.method(method).name, "op_Implicit" | "op_Explicit");
        let result = converts.then(|| name(signature.result));
        Some(DeclaredTypes { parameters: signature.params.iter().map(|&ty| name(ty)).collect(), result })
    }

    fn look(&self, program: &Program, class: ClassId) -> Option<Look> {
        forms::look(Cs { program, loader: self }, class)
    }

    fn is_internal(&self, program: &Program, field: FieldId) -> bool {
        let field = program.field(field);
        match program.class_name(field.class) {
            "System.Exception" => !matches!(&*field.name, "_message" | "_innerException" | "_data"),
            // A delegate has its target in a field that is added to it.
            "System.Delegate" | "System.MulticastDelegate" => true,
            _ => false,
        }
    }

    fn value_form(&self, _: &Program, ty: Type) -> Form {
        match ty {
            CHAR => Form::Character,
            Type::F32 => Form::Float("float", "f"),
            Type::F64 => Form::Float("double", ""),
            _ => Form::Plain,
        }
    }

    fn instances(&self, program: &Program, name: &str) -> Vec<MethodId> {
        generics::instances(Cs { program, loader: self }, name)
    }

    fn make_representatives(&self, program: &Program) {
        generics::make_representatives(Cs { program, loader: self });
    }

    fn has_other_files(&self, program: &Program, method: MethodId) -> bool {
        let cs = Cs { program, loader: self };
        self.key_of(method).is_some_and(|key| cs.has_other_files(&key))
    }

    fn is_instance_of_generic(&self, program: &Program, method: MethodId) -> bool {
        self.key_of(method).is_some_and(|key| generics::is_instance(Cs { program, loader: self }, &key))
    }

    fn other_instances(&self, program: &Program, field: FieldId) -> Vec<FieldId> {
        generics::other_instances(Cs { program, loader: self }, field)
    }

    fn instance_bound(&self, program: &Program, entry: MethodId, name: Option<&str>) -> Option<String> {
        generics::bound(Cs { program, loader: self }, &self.key_of(entry)?, name)
    }

    fn is_reflective(&self, program: &Program, method: MethodId) -> bool {
        let declared = program.method(method);
        state::is_reflective(program.class_name(declared.class), &declared.name)
    }

    fn is_public(&self, program: &Program, method: MethodId) -> bool {
        let (cs, declared) = (Cs { program, loader: self }, program.method(method));
        // Synthetic methods of a class are called by synthetic code only.
        let (Some(key), Some(ClassKind::Type(ty))) = (self.key_of(method), self.kind_of(declared.class)) else {
            return false;
        };
        let is_open = declared.access == Access::Public || dispatch::implements_openly(cs, &key);
        is_open && dispatch::is_public(cs, ty)
    }

    /// Parameters of struct types are several parameters of the program model.
    fn condition(&self, program: &Program, method: MethodId) -> Option<usize> {
        let cs = Cs { program, loader: self };
        let signature = cs.signature(&self.key_of(method)?).ok()?;
        let at = signature.params.iter().position(|&param| *cs.ty(param) == Ty::Bool)?;
        let after = signature.params[at..].iter().map(|&param| cs.leaves(param).map(|leaves| leaves.len()));
        let after: usize = after.sum::<Result<_, _>>().ok()?;
        program.method(method).params.len().checked_sub(after)
    }

    /// Unboxing calls it.
    fn null_check(&self, program: &Program, method: MethodId) -> Option<NullCheck> {
        let is_thrower =
            program.is_synthetic(method) && program.method(method).name == "throw System.NullReferenceException";
        is_thrower.then_some(NullCheck::Failed)
    }

    fn is_initializer(&self, program: &Program, method: MethodId) -> bool {
        program.method(method).name == "<clinit>"
    }

    fn initialization(&self, program: &Program, class: ClassId) -> Option<(FieldId, MethodId)> {
        match self.kind_of(class)? {
            ClassKind::Type(ty) => Cs { program, loader: self }.initialization(ty),
            _ => None,
        }
    }

    fn is_initialized_by_objects(&self, program: &Program, class: ClassId) -> bool {
        let cs = Cs { program, loader: self };
        matches!(self.kind_of(class), Some(ClassKind::Type(ty)) if cs.kind(ty) == Kind::Class && cs.is_initialized_precisely(ty))
    }

    fn is_property(&self, program: &Program, method: MethodId) -> bool {
        let cs = Cs { program, loader: self };
        let Some(key) = self.key_of(method) else { return false };
        let Ok(declared) = cs.declaration_of(&key) else { return false };
        // Of xUnit and FsCheck.
        let marks = ["Xunit.TheoryAttribute", "FsCheck.Xunit.PropertyAttribute"];
        let token = Token::new(Table::MethodDef, key.row);
        marks.iter().any(|mark| cs.assembly(declared.assembly).custom_attribute(token, mark).is_some())
    }

    /// Names of attributes have no `Attribute` at the end, as where they are used.
    fn annotations(&self, program: &Program, method: MethodId) -> BTreeSet<String> {
        let cs = Cs { program, loader: self };
        let Some(key) = self.key_of(method) else { return BTreeSet::new() };
        let of_method = cs.declaration_of(&key).ok().map(|declared| (declared.assembly, Table::MethodDef, key.row));
        let of_class = cs.declared(key.owner).map(|(declared, _)| (declared.assembly, Table::TypeDef, declared.row));
        let names = [of_method, of_class].into_iter().flatten().flat_map(|(assembly, table, row)| {
            let read = cs.assembly(assembly);
            let attributes = read.custom_attributes(Token::new(table, row));
            let classes = attributes.iter().filter_map(|attribute| read.full_name(read.attribute_class(attribute)?));
            classes.collect::<Vec<_>>()
        });
        let simple = |full: String| {
            let name = full.rsplit('.').next().unwrap_or(&full);
            name.strip_suffix("Attribute").unwrap_or(name).to_owned()
        };
        names.map(simple).collect()
    }

    fn takes_no_null(&self, program: &Program, method: MethodId, parameter: usize) -> bool {
        let cs = Cs { program, loader: self };
        self.key_of(method).is_some_and(|key| nullness::has_leaf(cs, &key, parameter))
    }

    fn is_never_null(&self, program: &Program, field: FieldId) -> bool {
        let Some(ClassKind::Type(owner)) =
            self.trusts_nullness().then(|| self.kind_of(program.field(field).class)).flatten()
        else {
            return false;
        };
        self.nullness(field, || nullness::has_field(Cs { program, loader: self }, owner, field))
    }

    fn first_methods(&self, program: &Program) -> Vec<MethodId> {
        let cs = Cs { program, loader: self };
        self.assemblies.own().into_iter().filter_map(|id| Some(cs.initialization(cs.module_type(id))?.1)).collect()
    }

    fn is_start(&self, program: &Program, method: MethodId) -> bool {
        let Some(key) = self.key_of(method) else { return false };
        let cs = Cs { program, loader: self };
        let Some((declared, _)) = cs.declared(key.owner) else { return false };
        let entry = cs.assembly(declared.assembly).entry_point();
        entry == Some(Token::new(Table::MethodDef, key.row))
    }
}
