//! Defines what a language and its runtime promise about programs and about the world around them.

use crate::program::{ClassId, FieldId, MethodId, Type, TypeWords};
use crate::runtime::{NoRuntime, Runtime};
use std::sync::Arc;

/// The promises of a language: data that its front end supplies with the program, so that no other code depends on
/// the language.
///
/// The default is the profile of the program model itself: unbounded integers, no root class, no library, and every
/// execution begins at its entry point with nothing before it.
#[derive(Clone)]
pub struct Profile {
    /// The method that a program starts with.
    pub main: MainMethod,
    /// Type of array lengths and indices.
    pub index_type: Type,
    /// The most elements that an array can have; `None` means that only the type of lengths limits it. An allocation
    /// of a longer array traps ([`Trap::ArrayTooLong`](crate::Trap::ArrayTooLong)), and no input is longer.
    pub max_array_length: Option<i64>,
    /// The language's names for types that are neither classes nor arrays; see
    /// [`Program::show_type`](crate::Program::show_type).
    pub type_words: Option<TypeWords>,
    /// The package that sources need not name, with its last dot (`java.lang.`); empty if there is none.
    pub implied_package: &'static str,
    /// The class that every other class and every array derives from, if there is one.
    pub root: Option<ClassId>,
    /// The class that arrays are direct instances of, if there is one.
    pub array_superclass: Option<ClassId>,
    /// Interfaces that arrays implement.
    pub array_interfaces: Vec<ClassId>,
    /// Whether a method overrides one whose result type is wider. Languages whose compilers generate bridge methods
    /// with exactly the same result type do not set this.
    pub has_covariant_results: bool,
    /// The representation of strings, if strings are more than ordinary objects.
    pub strings: Option<StringLayout>,
    /// The objects that exist when an entry point is called.
    pub inputs: InputRules,
    /// Classes whose objects are shown to users as the value of their only field, for example `java.lang.Integer`.
    pub boxes: Vec<ClassId>,
    /// The class of enum constants, and its field with their name.
    pub constant_name: Option<(ClassId, &'static str)>,
    /// The field of exceptions that contains their message.
    pub message_field: Option<FieldId>,
    /// Assumptions about executions that this language adds to the general ones, in readable form.
    pub assumptions: Vec<&'static str>,
    /// The executions that the code assumes, if it leaves others out: a bound, in readable form.
    pub bound: Option<&'static str>,
    /// Whether other methods may have run before an entry point is called, so that static fields need not have their
    /// initial values.
    pub has_past: bool,
    /// Whether the initialization of a class includes that of its superclasses.
    pub initializes_superclasses: bool,
    /// Whether each use of a class whose initialization failed ends like the first one, so that it makes no difference
    /// whether there was an earlier one.
    pub repeats_failures: bool,
    /// Whether a call initializes the class of its callee before the callee begins, so that an exception of the initialization is the caller's.
    pub callers_initialize: bool,
    /// Whether an exception that leaves an entry point is an error in itself. In other languages it is an ordinary
    /// end.
    pub uncaught_is_error: bool,
    /// The reason, in readable form, why a program can have lost its assertions before it was read. A question about
    /// all assertions of a program without any then has no answer. `None`: a program without assertions has none.
    pub lost_assertions: Option<&'static str>,
    /// Whether conditions cannot read elements, so that programs read an element before they test its index (paper 4,
    /// table 2.3).
    pub reads_before_tests: bool,
    /// Answers questions about single declarations.
    pub runtime: Arc<dyn Runtime>,
}

/// The assumption that no input is null where the code declares that none is.
pub const TRUSTED_NULLNESS: &str = "no input is null where its declaration excludes it";

/// How users refer to the main method, with which a program starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MainMethod {
    /// Its name in messages.
    pub shown: &'static str,
    /// Its name without the class.
    pub name: &'static str,
    /// The message if all methods of this name have unsupported forms; `None` for the message that there is no such
    /// method.
    pub others: Option<&'static str>,
    /// Whether its parameters are the arguments of a command line, which need not be shown if the program does not
    /// read them.
    pub takes_arguments: bool,
}

impl Profile {
    /// Sets the class from which every other class and, directly, arrays derive.
    pub fn set_root(&mut self, class: ClassId) {
        self.root = Some(class);
        self.array_superclass = Some(class);
    }
}

impl Default for Profile {
    fn default() -> Self {
        Profile {
            main: MainMethod { shown: "Main.main", name: "main", others: None, takes_arguments: false },
            index_type: Type::Int,
            max_array_length: None,
            type_words: None,
            implied_package: "",
            root: None,
            array_superclass: None,
            array_interfaces: Vec::new(),
            has_covariant_results: true,
            strings: None,
            inputs: InputRules::default(),
            boxes: Vec::new(),
            constant_name: None,
            message_field: None,
            assumptions: Vec::new(),
            bound: None,
            has_past: false,
            initializes_superclasses: false,
            repeats_failures: false,
            callers_initialize: false,
            uncaught_is_error: true,
            lost_assertions: None,
            reads_before_tests: false,
            runtime: Arc::new(NoRuntime),
        }
    }
}

/// How objects of the string class hold their characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StringLayout {
    /// The class.
    pub class: ClassId,
    /// Its field with an array of UTF-16 code units (`u16`), or of bytes (`i8`) in the encoding that `coder` gives.
    pub value: FieldId,
    /// Its field (`i8`) with the encoding of the bytes: 0 for Latin-1, one byte for each character; 1 for UTF-16 in
    /// little endian, two bytes for each code unit. `None`: bytes are Latin-1.
    pub coder: Option<FieldId>,
    /// The most characters of a string, if there can be fewer than elements of an array. Inputs keep to it.
    pub most: Option<u32>,
}

/// The objects that exist when an entry point is called.
#[derive(Clone, Default, Debug)]
pub struct InputRules {
    /// Properties of strings, if they are more than ordinary objects.
    pub strings: Option<InputStrings>,
    /// Classes whose instances only the program creates. No such object is in the input heap.
    pub made_only: Vec<ClassId>,
    /// Classes that have no objects at all.
    pub uninhabited: Vec<ClassId>,
    /// Instance fields that have the default value of their type in every object.
    pub unset: Vec<FieldId>,
    /// Classes whose arrays represent the arrays of all subtypes that a library may have: a value that fits into an
    /// array of a library type fits into arrays of some of its subtypes and not into arrays of others.
    pub elements: Vec<ClassId>,
}

/// Properties of strings that exist when an entry point is called, besides [`StringLayout`]: their coder is 0, or 1
/// if a character requires it, and their array belongs to strings only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputStrings {
    /// Bound of the number of characters; `None` for strings of any length ([`crate::Program::with_long_strings`]).
    pub most: Option<u32>,
    /// Fields of strings that have default values.
    pub unset: Vec<FieldId>,
    /// The method that code calls when it creates a string of any length: it ends executions with a longer one than the
    /// bound.
    pub keep_within_bound: Option<MethodId>,
}

impl InputStrings {
    /// The bound in readable form, if there is one.
    pub fn bound(&self) -> Option<String> {
        self.most.map(|most| format!("strings from inputs have at most {most} characters"))
    }
}
