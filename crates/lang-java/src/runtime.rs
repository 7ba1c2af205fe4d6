//! Answers what the analyses ask about Java and its library.

use crate::annotations;
use crate::collections;
use crate::conditions;
use crate::generics;
use crate::loader::{Java, JavaLoader};
use crate::makers;
use crate::nullness;
use crate::sharing;
use crate::state;
use crate::supplied;
use crate::synthetic::{self, RUNTIME};
use crate::types::{CHAR, STRING};
use aback_ir::{
    Access, ClassId, FieldId, FieldUse, FixedChoice, Form, LibraryState, Look, Maker, MethodId, MethodKind, NullCheck,
    OpKind, OwnedArrays, Passing, Program, Runtime, SourceType, Type, Unselected,
};
use cafebabe::FieldAccessFlags;
use std::collections::BTreeSet;

/// Packages and classes whose methods may call, or initialize, what their arguments name.
const REFLECTIVE: [&str; 4] = ["java.lang.Class", "java.lang.invoke.", "java.lang.reflect.", "java.util.ServiceLoader"];
/// Methods of `java.lang.Class` that do not do so.
const HARMLESS: [&str; 5] = ["getName", "getSimpleName", "hashCode", "equals", "desiredAssertionStatus"];

impl Runtime for JavaLoader {
    fn entry(&self, program: &Program, entry: MethodId) -> Option<MethodId> {
        self.starts.of(entry, || synthetic::entry::with_inputs(Java { program, loader: self }, entry))
    }

    /// Compilers call it for `s::length` and `outer.new Inner()`.
    fn null_check(&self, program: &Program, method: MethodId) -> Option<NullCheck> {
        let declared = program.method(method);
        let is_check = declared.name == "requireNonNull" && program.class_name(declared.class) == "java.util.Objects";
        is_check.then_some(NullCheck::Argument(0))
    }

    fn makers(&self, program: &Program, ty: &SourceType) -> Vec<Maker> {
        makers::makers(Java { program, loader: self }, ty)
    }

    fn source_types(&self, program: &Program, method: MethodId) -> Vec<SourceType> {
        makers::source_types(Java { program, loader: self }, method)
    }

    fn field_source_type(&self, program: &Program, field: FieldId, object: &SourceType) -> SourceType {
        generics::field(Java { program, loader: self }, field, object)
    }

    fn exact_source_type(&self, program: &Program, class: ClassId, of: &SourceType) -> SourceType {
        generics::subtype(Java { program, loader: self }, class, of)
    }

    fn unselected(&self, program: &Program, class: ClassId, method: MethodId, reason: Unselected) -> Option<MethodId> {
        Some(synthetic::linkage::unselected(Java { program, loader: self }, class, method, reason))
    }

    fn has_no_nulls(&self, program: &Program, entry: MethodId) -> bool {
        synthetic::entry::is_main(Java { program, loader: self }, entry)
    }

    fn takes_enclosing_object(&self, program: &Program, constructor: MethodId) -> bool {
        let declared = program.method(constructor);
        declared.kind == MethodKind::Constructor
            && declared.params.get(1).is_some_and(|ty| ty.is_reference())
            && self.class_declaration(program, declared.class).is_some_and(|class| class.is_inner)
    }

    /// The references that an inner class keeps to the enclosing object, and what declarations say.
    fn is_never_null(&self, program: &Program, field: FieldId) -> bool {
        if nullness::has_field(Java { program, loader: self }, field) {
            return true;
        }
        let declared = program.field(field);
        if !declared.name.starts_with("this$") {
            return false;
        }
        let class = Java { program, loader: self }.class(declared.class);
        let is_made = FieldAccessFlags::FINAL | FieldAccessFlags::SYNTHETIC;
        class.as_ref().and_then(|class| class.file.as_ref()).is_some_and(|file| {
            file.with(|tree| {
                tree.fields.iter().any(|field| field.name == declared.name && field.access_flags.contains(is_made))
            })
        })
    }

    fn is_property(&self, program: &Program, method: MethodId) -> bool {
        let declared = program.method(method);
        !declared.params.is_empty() && self.properties(Java { program, loader: self }, declared.class).contains(&method)
    }

    fn annotations(&self, program: &Program, method: MethodId) -> BTreeSet<String> {
        annotations::annotations_of(Java { program, loader: self }, method)
    }

    fn takes_no_null(&self, program: &Program, method: MethodId, parameter: usize) -> bool {
        let is_reference = program.method(method).params.get(parameter).is_some_and(|ty| ty.is_reference());
        is_reference && nullness::has_parameter(Java { program, loader: self }, method, parameter)
    }

    fn is_platform(&self, program: &Program, class: ClassId) -> bool {
        Java { program, loader: self }.class(class).is_some_and(|class| class.is_trusted)
    }

    fn has_other_origins(&self, program: &Program, class: ClassId) -> bool {
        let is_serializable =
            |&class: &ClassId| matches!(program.class_name(class), "java.io.Serializable" | "java.io.Externalizable");
        let related = || program.superclass_chain(class).chain(program.subclasses(class));
        let is_own = |class: &ClassId| !program.class(*class).is_library;
        related().filter(is_own).any(|class| {
            !program.methods_named(class, "finalize").is_empty()
                || program.supertypes(class).iter().any(is_serializable)
        })
    }

    fn may_be_impossible(&self, program: &Program, class: ClassId) -> bool {
        collections::may_be_impossible(program, class)
    }

    fn is_reflective(&self, program: &Program, method: MethodId) -> bool {
        let declared = program.method(method);
        let class = program.class_name(declared.class);
        let is_one = REFLECTIVE.iter().any(|name| class.starts_with(name));
        is_one && !HARMLESS.contains(&declared.name.as_str())
    }

    fn is_public(&self, program: &Program, method: MethodId) -> bool {
        let (java, declared) = (Java { program, loader: self }, program.method(method));
        if declared.access != Access::Public {
            return false;
        }
        let is_public = |class: ClassId| java.class(class).is_some_and(|class| class.is_public());
        // Public classes inherit methods of others.
        let inherits = |class: ClassId| match declared.kind {
            MethodKind::Constructor => false,
            MethodKind::Static => !program.class(declared.class).is_interface,
            MethodKind::Instance => program.dispatch(class, method) == method,
        };
        let heirs = || program.subclasses(declared.class).into_iter();
        is_public(declared.class) || heirs().any(|heir| is_public(heir) && inherits(heir))
    }

    /// That of identity hash codes.
    fn fixed_choice(&self, program: &Program) -> Option<FixedChoice> {
        let root = program.root()?;
        let named = |name| program.methods_named(root, name).first().copied();
        Some(FixedChoice { fixed: named("$identity")?, any: named("$anyIdentity")? })
    }

    fn is_synthetic(&self, program: &Program, method: MethodId) -> bool {
        let class = Java { program, loader: self }.class(program.method(method).class);
        class.is_some_and(|class| !class.methods.values().any(|&declared| declared == method))
    }

    fn is_added(&self, program: &Program, method: MethodId) -> bool {
        self.is_synthetic(program, method) || self.is_built(method)
    }

    /// `values` and `valueOf` of an enum, and what compilers write for the first one.
    fn is_implicit(&self, program: &Program, method: MethodId) -> bool {
        let (java, declared) = (Java { program, loader: self }, program.method(method));
        let has_name = match declared.params[..] {
            [] => matches!(&*declared.name, "values" | "$values"),
            [name] => declared.name == "valueOf" && name == java.class_type(STRING),
            _ => false,
        };
        has_name && declared.kind == MethodKind::Static && synthetic::entry::constants(java, declared.class).is_some()
    }

    /// Lambda expressions in conditions are no code of the program, and classes of models do not exist when it runs.
    fn is_made_only(&self, program: &Program, class: ClassId) -> bool {
        let name = program.class_name(class);
        conditions::is_class_of_conditions(name) || supplied::is_class_of_models(self.classpath(), name)
    }

    fn models(&self, _: &Program) -> Vec<MethodId> {
        self.supplied().models()
    }

    fn modelled(&self, program: &Program, method: MethodId) -> Option<String> {
        self.supplied().has_model(method).then(|| supplied::shown(program, method))
    }

    fn models_used(&self, program: &Program) -> Vec<String> {
        let mut used: Vec<String> =
            self.supplied().used().into_iter().map(|method| supplied::shown(program, method)).collect();
        used.sort_unstable();
        used
    }

    fn is_private_field(&self, program: &Program, field: FieldId) -> bool {
        let declaring = program.field(field).class;
        let class = Java { program, loader: self }.class(declaring);
        // The synthetic class keeps objects that the program makes once.
        class.is_some_and(|class| class.is_private(field)) || program.class_name(declaring) == RUNTIME
    }

    fn declarations(&self, program: &Program, class: ClassId) -> String {
        self.declarations_of(program, class).unwrap_or_default()
    }

    fn use_outside(&self, program: &Program, field: FieldId) -> FieldUse {
        let class = Java { program, loader: self }.class(program.field(field).class);
        class.map_or(FieldUse::None, |class| class.use_outside(field))
    }

    fn owned_arrays(&self, program: &Program, class: ClassId) -> Option<OwnedArrays> {
        collections::parts(program, class)
    }

    fn is_owned_array(&self, program: &Program, field: FieldId) -> bool {
        collections::is_array(program, field)
    }

    /// The arrays of lists are arrays of `Object`.
    fn may_be_part(&self, program: &Program, ty: Type) -> bool {
        match (ty, program.root()) {
            (Type::Array(array), Some(root)) => program.element_type(array) == Type::Class(root),
            _ => false,
        }
    }

    fn look(&self, program: &Program, class: ClassId) -> Option<Look> {
        collections::look(program, class)
    }

    fn is_internal(&self, program: &Program, field: FieldId) -> bool {
        let field = program.field(field);
        program.class_name(field.class) == "java.lang.Throwable" && !matches!(&*field.name, "detailMessage" | "cause")
    }

    fn value_form(&self, _: &Program, ty: Type) -> Form {
        if ty == CHAR { Form::Character } else { Form::Plain }
    }

    fn is_initializer(&self, program: &Program, method: MethodId) -> bool {
        matches!(program.method(method).name.as_str(), "<clinit>" | "$initialize")
    }

    fn is_immutable(&self, program: &Program, class: ClassId) -> bool {
        sharing::is_immutable(program.class_name(class))
    }

    fn may_change(&self, program: &Program, method: MethodId, argument: usize) -> bool {
        let names_linked_maps = || self.names_linked_maps();
        sharing::may_change(program, method, argument, names_linked_maps)
    }

    fn states_read(&self, program: &Program, op: &OpKind) -> Vec<LibraryState> {
        state::read(program, op).into_iter().collect()
    }

    fn state_changed(&self, program: &Program, op: &OpKind) -> Option<LibraryState> {
        state::changed(program, op)
    }

    fn passing(&self, program: &Program, method: MethodId) -> Passing {
        sharing::passing(program, method)
    }

    fn may_call_back(&self, program: &Program, method: MethodId) -> bool {
        sharing::may_call_back(program, method)
    }

    /// The compiler calls the code of a lambda expression `lambda$NAME$NUMBER`.
    fn source_name(&self, program: &Program, method: MethodId) -> String {
        let declared = program.method(method);
        let class = program.class_name(declared.class);
        let within = declared.name.strip_prefix("lambda$").and_then(|rest| rest.rsplit_once('$'));
        match within {
            Some((name, _)) => format!("a lambda expression in {class}.{name}"),
            None => program.method_name(method),
        }
    }

    fn is_bridge(&self, program: &Program, method: MethodId) -> bool {
        self.method_declaration(program, method).is_some_and(|declared| declared.is_bridge)
    }

    fn is_extendable(&self, program: &Program, class: ClassId) -> bool {
        (Java { program, loader: self })
            .class(class)
            .is_some_and(|class| class.is_public() && !class.is_final() && !class.is_trusted)
    }

    fn is_overridable(&self, program: &Program, method: MethodId) -> bool {
        let class = program.method(method).class;
        let is_fixed = (Java { program, loader: self }).class(class).is_some_and(|class| class.is_fixed(method));
        self.is_extendable(program, class) && !is_fixed
    }

    fn initialization(&self, program: &Program, class: ClassId) -> Option<(FieldId, MethodId)> {
        Java { program, loader: self }.initialization(class)
    }

    fn is_start(&self, program: &Program, method: MethodId) -> bool {
        synthetic::entry::is_main(Java { program, loader: self }, method)
    }
}
