//! Questions about a program that its language answers: those of its [`Profile`] and of its [`Runtime`](crate::Runtime).

use super::{Access, ClassId, FieldId, MethodId, Program, Type};
use crate::body::OpKind;
use crate::profile::{InputStrings, Profile, StringLayout};
use crate::runtime::{LibraryState, Passing};

impl Program {
    /// What the program's language promises.
    pub fn profile(&self) -> &Profile {
        &self.tables.profile
    }

    /// The same, to change it.
    pub fn profile_mut(&mut self) -> &mut Profile {
        &mut self.tables_mut().profile
    }

    /// Whether every other class, and every array, derives from a class.
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

    /// The most elements that an array can have; without it, as many as the type of lengths has numbers. An operation that makes
    /// a longer one traps ([`Trap::ArrayTooLong`](crate::Trap::ArrayTooLong)), and no input is longer.
    pub fn max_array_length(&self) -> Option<i64> {
        self.tables.profile.max_array_length
    }

    /// What holds of strings that are inputs, if they are more than objects.
    pub fn input_strings(&self) -> Option<&InputStrings> {
        self.tables.profile.inputs.strings.as_ref()
    }

    /// Whether only the program makes objects of a class: none is an input.
    pub fn is_made_only(&self, class: ClassId) -> bool {
        self.tables.profile.inputs.made_only.iter().any(|&made_only| self.is_subclass(class, made_only))
    }

    /// Whether a class has no objects at all, so that references to it are null.
    pub fn is_uninhabited(&self, class: ClassId) -> bool {
        self.tables.profile.inputs.uninhabited.contains(&class)
    }

    /// Whether an instance field holds the default of its type in every object that exists when the program starts.
    pub fn is_unset(&self, field: FieldId) -> bool {
        self.tables.profile.inputs.unset.contains(&field)
    }

    /// Whether an instance field is not null in any object that exists when the program starts.
    pub fn is_never_null(&self, field: FieldId) -> bool {
        self.tables.profile.runtime.is_never_null(self, field)
    }

    /// Classes whose arrays stand for those of the subtypes that a library may have.
    pub fn array_elements(&self) -> &[ClassId] {
        &self.tables.profile.inputs.elements
    }

    /// How strings look, if they are more than objects.
    pub fn string_layout(&self) -> Option<StringLayout> {
        self.tables.profile.strings
    }

    /// The field of exceptions that holds their message, if there is one.
    pub fn message_field(&self) -> Option<FieldId> {
        self.tables.profile.message_field
    }

    /// The method that execution starts with where any input of `entry` is wanted: one that makes what is more than any
    /// object and then calls `entry`, or `entry` itself.
    pub fn start(&self, entry: MethodId) -> MethodId {
        self.tables.profile.runtime.entry(self, entry).unwrap_or(entry)
    }

    /// Whether code outside of the program can call a method. Languages that do not say let it call all.
    pub fn is_public(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_public(self, method)
    }

    /// Whether a method of a library may call methods that it is told by name.
    pub fn is_reflective(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_reflective(self, method)
    }

    /// Whether a class comes with the language, so that its initializer does not depend on what a program did before.
    pub fn is_platform(&self, class: ClassId) -> bool {
        self.tables.profile.runtime.is_platform(self, class)
    }

    /// Whether a method is of a library, or made up by the front end.
    pub fn is_library_method(&self, method: MethodId) -> bool {
        self.class(self.method(method).class).is_library
    }

    /// Whether only the code of its own class, and of classes inside or around it, can name a method.
    pub fn is_private(&self, method: MethodId) -> bool {
        self.method(method).access == Access::Private
    }

    /// The same of a field.
    pub fn is_private_field(&self, field: FieldId) -> bool {
        self.tables.profile.runtime.is_private_field(self, field)
    }

    /// Whether a method does nothing but initialize its class.
    pub fn is_initializer(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_initializer(self, method)
    }

    /// Whether objects of a class, which comes with the language, never change.
    pub fn is_immutable(&self, class: ClassId) -> bool {
        self.tables.profile.runtime.is_immutable(self, class)
    }

    /// Whether a method that comes with the language may call methods of the objects that it is given.
    pub fn may_call_back(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.may_call_back(self, method)
    }

    /// Whether a method that comes with the language may change the object that is its argument of this number, from 0.
    pub fn may_change(&self, method: MethodId, argument: usize) -> bool {
        self.tables.profile.runtime.may_change(self, method, argument)
    }

    /// What a method that comes with the language does with the objects that it is given, beside changing them.
    pub fn passing(&self, method: MethodId) -> Passing {
        self.tables.profile.runtime.passing(self, method)
    }

    /// The state of code that comes with the language that an operation reads.
    pub fn state_read(&self, op: &OpKind) -> Option<LibraryState> {
        self.tables.profile.runtime.state_read(self, op)
    }

    /// The same of state that an operation changes.
    pub fn state_changed(&self, op: &OpKind) -> Option<LibraryState> {
        self.tables.profile.runtime.state_changed(self, op)
    }

    /// Whether sources have no word of a method, which does nothing but call one that they have.
    pub fn is_bridge(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_bridge(self, method)
    }

    /// Whether classes that are not there could extend or implement a class.
    pub fn is_extendable(&self, class: ClassId) -> bool {
        self.tables.profile.runtime.is_extendable(self, class)
    }

    /// Whether classes that are not there could override a method.
    pub fn is_overridable(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_overridable(self, method)
    }

    /// What initializes a class ([`OpKind::Ensure`](crate::OpKind::Ensure)), if there is anything to do.
    pub fn initialization(&self, class: ClassId) -> Option<(FieldId, MethodId)> {
        self.tables.profile.runtime.initialization(self, class)
    }

    /// Whether a program starts with this method: nothing has run before it.
    pub fn is_start(&self, method: MethodId) -> bool {
        self.tables.profile.runtime.is_start(self, method)
    }

    /// Whether no reference is null among the inputs of an entry point, nor in the objects that they refer to.
    pub fn has_no_null_inputs(&self, entry: MethodId) -> bool {
        self.tables.profile.runtime.has_no_nulls(self, entry)
    }
}
