//! Answers questions about a program from its language's [`Profile`] and [`Runtime`](crate::Runtime).

use super::{Access, ClassId, FieldId, MethodId, Program, Type};
use crate::body::{Body, OpKind};
use crate::profile::{InputStrings, Profile, StringLayout};
use crate::runtime::{FieldUse, FixedChoice, LibraryState, MadeFor, OwnedArrays, Passing};
use std::collections::BTreeSet;

impl Program {
    /// The promises of the program's language.
    pub fn profile(&self) -> &Profile {
        &self.tables.profile
    }

    /// The promises of the program's language, for changes.
    pub fn profile_mut(&mut self) -> &mut Profile {
        &mut self.tables_mut().profile
    }

    /// Whether every other class, and every array, derives from this class.
    pub fn is_root(&self, class: ClassId) -> bool {
        self.tables.profile.root == Some(class)
    }

    /// The class that every other class, and every array, derives from, if there is one.
    pub fn root(&self) -> Option<ClassId> {
        self.tables.profile.root
    }

    /// The class that arrays are direct instances of, if there is one.
    pub fn array_superclass(&self) -> Option<ClassId> {
        self.tables.profile.array_superclass
    }

    /// Type of array lengths and indices.
    pub fn index_type(&self) -> Type {
        self.tables.profile.index_type
    }

    /// The most elements that an array can have; `None` means that only the type of lengths limits it. An allocation
    /// of a longer array traps ([`Trap::ArrayTooLong`](crate::Trap::ArrayTooLong)), and no input is longer.
    pub fn max_array_length(&self) -> Option<i64> {
        self.tables.profile.max_array_length
    }

    /// Properties of input strings, if strings are more than ordinary objects.
    pub fn input_strings(&self) -> Option<&InputStrings> {
        match &self.long_strings {
            Some(strings) => Some(strings),
            None => self.tables.profile.inputs.strings.as_ref(),
        }
    }

    /// Whether only the program creates objects of a class, so that no input has this class.
    pub fn is_made_only(&self, class: ClassId) -> bool {
        if self.described.contains(&class) {
            return false;
        }
        self.tables.profile.inputs.made_only.iter().any(|&made_only| self.is_subclass(class, made_only))
            || self.tables.profile.runtime.is_made_only(self, class)
    }

    /// A choice of the platform of which only one possibility is explored, if there is a way to explore all of them.
    pub fn fixed_choice(&self) -> Option<FixedChoice> {
        self.tables.profile.runtime.fixed_choice(self)
    }

    /// Whether no input is an object of a class: only the program makes its objects, or they are left out because some may be
    /// impossible ([`Program::without_impossible_inputs`]).
    pub fn is_no_input(&self, class: ClassId) -> bool {
        self.is_made_only(class) || self.leaves_out_impossible && self.may_be_impossible(class)
    }

    /// Whether methods of the library keep a rule about the fields of its objects, so that an object with any other fields
    /// is impossible: collections.
    pub fn may_be_impossible(&self, class: ClassId) -> bool {
        self.tables.profile.runtime.may_be_impossible(self, class)
    }

    /// Whether there are arrays with elements of this type, or with such arrays as elements.
    pub fn is_element_type(&self, ty: Type) -> bool {
        match ty {
            Type::Class(class) => self.tables.profile.runtime.is_element_type(self, class),
            Type::Array(array) => self.is_element_type(self.element_type(array)),
            _ => true,
        }
    }

    /// What a class of the program stands for, if the compiler made it. Only the compiler's code makes its objects.
    pub fn made_for(&self, class: ClassId) -> Option<MadeFor> {
        self.tables.profile.runtime.made_for(self, class)
    }

    /// Whether a method is the iterator or async method for whose code the compiler made a class.
    pub fn starts(&self, method: MethodId, class: ClassId) -> bool {
        self.tables.profile.runtime.starts(self, method, class)
    }

    /// Whether the code of a method may be from other files than the one with its declaration.
    pub fn has_other_files(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.has_other_files(self, method)
    }

    /// Whether a method is one of several instances of a generic method, or of a method of a generic class.
    pub fn is_instance_of_generic(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_instance_of_generic(self, method)
    }

    /// The fields with the same declaration as a field, in other instances of its generic class.
    pub fn other_instances(&self, field: FieldId) -> Vec<FieldId> {
        self.tables.profile.runtime.other_instances(self, field)
    }

    /// The class with this simple name that is nested in a generic class, with the type arguments of the instance `outer`.
    pub fn nested_instance(&self, outer: ClassId, name: &str) -> Option<ClassId> {
        self.tables.profile.runtime.nested_instance(self, outer, name)
    }

    /// The methods that run before any other method of the program does.
    pub fn first_methods(&self) -> Vec<MethodId> {
        self.tables.profile.runtime.first_methods(self)
    }

    /// Whether a library method may give something for which async code has to wait.
    pub fn may_be_incomplete(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.may_be_incomplete(self, method)
    }

    /// A method as its source names it, where its own name is one that the compiler made.
    pub fn source_name(&self, method: MethodId) -> String {
        self.tables.profile.runtime.source_name(self, method)
    }

    /// Whether a class has no objects at all, so that references to it are null.
    pub fn is_uninhabited(&self, class: ClassId) -> bool {
        self.tables.profile.inputs.uninhabited.contains(&class)
    }

    /// Whether objects of a class are managed pointers, which no input is or holds.
    pub fn is_pointer(&self, class: ClassId) -> bool {
        self.tables.profile.runtime.is_pointer(self, class)
    }

    /// Whether only the code of the program makes objects of a class, and only parameters and variables hold them.
    pub fn is_own_pointer(&self, class: ClassId) -> bool {
        self.tables.profile.runtime.is_own_pointer(self, class)
    }

    /// Whether an instance field has the default value of its type in every object that exists when the program
    /// starts.
    pub fn is_unset(&self, field: FieldId) -> bool {
        let profile = &self.tables.profile;
        profile.inputs.unset.contains(&field) || profile.runtime.is_unset(self, field)
    }

    /// Whether the first argument of a constructor, after the new object, is the object that encloses the new one. It is
    /// never null.
    pub fn takes_enclosing_object(&self, constructor: MethodId) -> bool {
        self.tables.profile.runtime.takes_enclosing_object(self, constructor)
    }

    /// Whether an instance field is non-null in every object that exists when the program starts.
    pub fn is_never_null(&self, field: FieldId) -> bool {
        self.established.contains(&field) || self.tables.profile.runtime.is_never_null(self, field)
    }

    /// Whether callers outside of the program pass no null for a parameter, because its declaration says so and is trusted.
    pub fn takes_no_null(&self, method: MethodId, parameter: usize) -> bool {
        self.tables.profile.runtime.takes_no_null(self, method, parameter)
    }

    /// The arrays that belong to each object of a class, if there are any.
    pub fn owned_arrays(&self, class: ClassId) -> Option<OwnedArrays> {
        self.tables.profile.runtime.owned_arrays(self, class)
    }

    /// Whether a field holds an array that belongs to its object.
    pub fn is_owned_array(&self, field: FieldId) -> bool {
        self.tables.profile.runtime.is_owned_array(self, field)
            || self.tables.profile.strings.is_some_and(|layout| layout.value == field)
    }

    /// Whether an array or object of exactly this type may belong to an object ([`Program::owned_arrays`]).
    pub fn may_be_part(&self, ty: Type) -> bool {
        self.tables.profile.runtime.may_be_part(self, ty)
    }

    /// Whether no library has subclasses of a class that it declares ([`crate::Runtime::has_own_subclasses_only`]).
    pub fn has_own_subclasses_only(&self, class: ClassId) -> bool {
        self.tables.profile.runtime.has_own_subclasses_only(self, class)
    }

    /// Classes whose arrays represent the arrays of the subtypes that a library may have.
    pub fn array_elements(&self) -> &[ClassId] {
        &self.tables.profile.inputs.elements
    }

    /// The representation of strings, if strings are more than ordinary objects.
    pub fn string_layout(&self) -> Option<StringLayout> {
        self.tables.profile.strings
    }

    /// The field of exceptions that contains their message, if there is one.
    pub fn message_field(&self) -> Option<FieldId> {
        self.tables.profile.message_field
    }

    /// The method with which execution starts for any input of `entry`: a synthetic method that creates special
    /// inputs, makes others ([`Program::with_made_inputs`]), checks them ([`Program::with_valid_inputs`]) and then calls
    /// `entry`, or `entry` itself.
    pub fn start(&self, entry: MethodId) -> MethodId {
        self.made_start(entry, self.checked_start(entry, self.unchecked_start(entry)))
    }

    /// Like [`Program::start`], but inputs are not made, and need not be valid. They satisfy the preconditions
    /// ([`Program::with_preconditions`]). The parameters are the same as without making.
    pub fn unchecked_start(&self, entry: MethodId) -> MethodId {
        let start = self.tables.profile.runtime.entry(self, entry).unwrap_or(entry);
        self.start_with_preconditions(entry, start)
    }

    /// The static fields of the program proper that the synthetic start of an entry point sets to inputs; none if the
    /// entry point is its own start.
    pub fn given_statics(&self, start: MethodId) -> BTreeSet<FieldId> {
        let body = self.body(start).filter(|_| self.is_library_method(start));
        let ops = body.into_iter().flat_map(Body::ops);
        let set = ops.filter_map(|(_, op)| match op.kind {
            OpKind::PutStatic { field, .. } => Some(field),
            _ => None,
        });
        set.filter(|&field| !self.class(self.field(field).class).is_library).collect()
    }

    /// Whether code outside of the program can call a method. By default, it can call all methods.
    pub fn is_public(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_public(self, method)
    }

    /// Whether a library method may call methods that its arguments name.
    pub fn is_reflective(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_reflective(self, method)
    }

    /// Whether a class belongs to the platform, so that its initializer does not depend on what a program did before.
    pub fn is_platform(&self, class: ClassId) -> bool {
        self.tables.profile.runtime.is_platform(self, class)
    }

    /// Whether a method belongs to a library or is synthetic.
    pub fn is_library_method(&self, method: MethodId) -> bool {
        self.class(self.method(method).class).is_library
    }

    /// Whether only its own class, and classes nested in it or around it, or only synthetic code can refer to a method.
    pub fn is_private(&self, method: MethodId) -> bool {
        self.method(method).access == Access::Private || self.is_synthetic(method)
    }

    /// Whether the front end added a method to a class, so that only synthetic code names it.
    pub fn is_synthetic(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_synthetic(self, method)
    }

    /// Whether a method is code of the front end, which no source and no compiler has.
    pub fn is_added(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_added(self, method)
    }

    /// Whether the language adds a method to a class, so that nobody has written it.
    pub fn is_implicit(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_implicit(self, method)
    }

    /// Whether only its own class, and classes nested in it or around it, can refer to a field.
    pub fn is_private_field(&self, field: FieldId) -> bool {
        self.tables.profile.runtime.is_private_field(self, field)
    }

    /// Whether code that gets a function object can get what this field of it holds.
    pub fn is_open_target(&self, field: FieldId) -> bool {
        self.tables.profile.runtime.is_open_target(self, field)
    }

    /// Whether a method does nothing but initialize its class.
    pub fn is_initializer(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_initializer(self, method)
    }

    /// Whether callers cannot choose all values of the program that are no objects.
    pub fn restricts_values(&self) -> bool {
        self.tables.profile.runtime.restricts_values(self)
    }

    /// Whether objects of a platform class never change.
    pub fn is_immutable(&self, class: ClassId) -> bool {
        self.tables.profile.runtime.is_immutable(self, class)
    }

    /// Methods with the code of models that the user has written in place of methods of libraries.
    pub fn models(&self) -> Vec<MethodId> {
        self.tables.profile.runtime.models(self)
    }

    /// A method of a library for users, if its code is that of a model of the user.
    pub fn modelled(&self, method: MethodId) -> Option<String> {
        self.tables.profile.runtime.modelled(self, method)
    }

    /// The methods of libraries with a model of the user whose code has been asked for, sorted.
    pub fn models_used(&self) -> Vec<String> {
        self.tables.profile.runtime.models_used(self)
    }

    /// Whether a platform method may call methods of its arguments.
    pub fn may_call_back(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.may_call_back(self, method)
    }

    /// Whether a platform method may change the object that is its argument with this index, from 0.
    pub fn may_change(&self, method: MethodId, argument: usize) -> bool {
        self.tables.profile.runtime.may_change(self, method, argument)
    }

    /// How a platform method passes its arguments on, besides changing them.
    pub fn passing(&self, method: MethodId) -> Passing {
        self.tables.profile.runtime.passing(self, method)
    }

    /// The states of platform code that an operation reads.
    pub fn states_read(&self, op: &OpKind) -> Vec<LibraryState> {
        self.tables.profile.runtime.states_read(self, op)
    }

    /// What a class of the program declares that the program model lacks.
    pub(crate) fn declarations(&self, class: ClassId) -> String {
        self.tables.profile.runtime.declarations(self, class)
    }

    /// What code outside of the program can do with a field.
    pub fn use_outside(&self, field: FieldId) -> FieldUse {
        self.tables.profile.runtime.use_outside(self, field)
    }

    /// The state of platform code that an operation changes.
    pub fn state_changed(&self, op: &OpKind) -> Option<LibraryState> {
        self.tables.profile.runtime.state_changed(self, op)
    }

    /// Whether a method does not occur in the sources and only calls a method that does.
    pub fn is_bridge(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_bridge(self, method)
    }

    /// Whether classes outside of the program could extend or implement a class.
    pub fn is_extendable(&self, class: ClassId) -> bool {
        self.tables.profile.runtime.is_extendable(self, class)
    }

    /// Whether classes outside of the program could override a method.
    pub fn is_overridable(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_overridable(self, method)
    }

    /// Whether a class has been initialized if one of its objects exists.
    pub fn is_initialized_by_objects(&self, class: ClassId) -> bool {
        self.tables.profile.runtime.is_initialized_by_objects(self, class)
    }

    /// The class-initialization guard and the initializer of a class ([`OpKind::Ensure`](crate::OpKind::Ensure)), if
    /// the class needs initialization.
    pub fn initialization(&self, class: ClassId) -> Option<(FieldId, MethodId)> {
        self.tables.profile.runtime.initialization(self, class)
    }

    /// Whether a program starts with this method, so that nothing has run before it.
    pub fn is_start(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_start(self, method)
    }

    /// Whether a method is a property: a test with parameters, which a framework calls with many arguments.
    pub fn is_property(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_property(self, method)
    }

    /// The simple names of the annotations or attributes that a method and its class have in the sources, as far as the compiler keeps them.
    pub fn annotations(&self, method: MethodId) -> BTreeSet<String> {
        self.tables.profile.runtime.annotations(self, method)
    }

    /// Whether no input reference of an entry point is null, including references in input objects.
    pub fn has_no_null_inputs(&self, entry: MethodId) -> bool {
        self.tables.profile.runtime.has_no_nulls(self, entry)
    }
}
