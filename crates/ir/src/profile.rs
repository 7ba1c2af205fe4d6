//! What a language and its runtime promise about programs and about the world around them.

use crate::program::{ClassId, FieldId, Type, TypeWords};
use crate::runtime::{NoRuntime, Runtime};
use std::sync::Arc;

/// The promises of a language: data that its front end hands over with a program, so that no other code asks which language it is.
///
/// The default is the profile of the program model itself: unbounded integers, no root class, no library, and every execution starts
/// afresh at its entry point.
#[derive(Clone)]
pub struct Profile {
    /// The method that a program starts with.
    pub main: MainMethod,
    /// Type of array lengths and indices.
    pub index_type: Type,
    /// The most elements that an array can have; without it, as many as the type of lengths has numbers. An operation that makes a
    /// longer one traps ([`Trap::ArrayTooLong`](crate::Trap::ArrayTooLong)), and no input is longer.
    pub max_array_length: Option<i64>,
    /// What the language calls types that are neither classes nor arrays; see [`Program::show_type`](crate::Program::show_type).
    pub type_words: Option<TypeWords>,
    /// The package that sources need not name, with its last dot (`java.lang.`); empty if there is none.
    pub implied_package: &'static str,
    /// The class that every other class and every array derives from, if there is one.
    pub root: Option<ClassId>,
    /// The class that arrays are direct instances of, if there is one.
    pub array_superclass: Option<ClassId>,
    /// Interfaces that arrays implement.
    pub array_interfaces: Vec<ClassId>,
    /// Whether a method overrides one whose result is of a wider type. Languages whose compilers add a method with the very same result
    /// that calls the other one do not have this.
    pub has_covariant_results: bool,
    /// How the objects of the class of strings look, if strings are more than objects.
    pub strings: Option<StringLayout>,
    /// What objects exist when an entry point is called.
    pub inputs: InputRules,
    /// Classes whose objects a person takes for the value of their only field, as those of `java.lang.Integer`.
    pub boxes: Vec<ClassId>,
    /// The class of enum constants, and its field with their name.
    pub constant_name: Option<(ClassId, &'static str)>,
    /// The field of exceptions that holds their message.
    pub message_field: Option<FieldId>,
    /// What is assumed of executions, beside what is assumed in every language; for a person.
    pub assumptions: &'static [&'static str],
    /// What the code assumes of executions where it leaves others out: a bound, for a person.
    pub bound: Option<&'static str>,
    /// Whether other methods may have run before an entry point is called, so that static fields need not hold what initialization gives them.
    pub has_past: bool,
    /// Whether an exception that leaves an entry point is an error by itself. In other languages it is an ordinary way to end.
    pub uncaught_is_error: bool,
    /// Whether conditions cannot read elements, so that programs read an element first and test the index afterwards (paper 4, table 2.3).
    pub reads_before_tests: bool,
    /// Answers what depends on single declarations.
    pub runtime: Arc<dyn Runtime>,
}

/// How a user names the method that a program starts with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MainMethod {
    /// Its name in messages.
    pub shown: &'static str,
    /// Its name without class.
    pub name: &'static str,
    /// What to say where all methods of that name are of forms that are not supported; without it, that there is none.
    pub others: Option<&'static str>,
    /// Whether its parameters are the arguments of a command line, which a person need not see where the program does not read them.
    pub takes_arguments: bool,
}

impl Profile {
    /// Makes a class the one that every other class derives from, and arrays directly.
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
            assumptions: &[],
            bound: None,
            has_past: false,
            uncaught_is_error: true,
            reads_before_tests: false,
            runtime: Arc::new(NoRuntime),
        }
    }
}

/// How the objects of the class of strings hold their characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StringLayout {
    /// The class.
    pub class: ClassId,
    /// Its field with an array of UTF-16 code units (`u16`), or of bytes (`i8`) that the coder says how to read.
    pub value: FieldId,
    /// Its field (`i8`) that says what the bytes are: 0 for Latin-1, one byte for each character; 1 for UTF-16 in little
    /// endian, two bytes for each code unit. Without it, bytes are Latin-1.
    pub coder: Option<FieldId>,
}

/// What objects exist when an entry point is called.
#[derive(Clone, Default, Debug)]
pub struct InputRules {
    /// What holds of strings, if they are more than objects.
    pub strings: Option<InputStrings>,
    /// Classes whose objects, and those of their subclasses, only the program makes: none is an object of the input heap.
    pub made_only: Vec<ClassId>,
    /// Classes that have no objects at all.
    pub uninhabited: Vec<ClassId>,
    /// Instance fields that hold the default of their type in every object.
    pub unset: Vec<FieldId>,
    /// Classes whose arrays stand for those of all subtypes that a library may have: what is stored into an array of a library
    /// type fits into an array of some of its subtypes and not into one of others.
    pub elements: Vec<ClassId>,
}

/// What holds of the strings that exist when an entry point is called, beside what [`StringLayout`] says: their coder is 0, or 1 where
/// a character needs it, and their array belongs to strings alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputStrings {
    /// Most characters that are considered.
    pub most: u32,
    /// Fields of strings that hold defaults.
    pub unset: Vec<FieldId>,
}

impl InputStrings {
    /// The bound in words.
    pub fn bound(&self) -> String {
        format!("strings from inputs have at most {} characters", self.most)
    }
}
