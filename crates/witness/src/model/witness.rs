//! What a file holds: the question, the inputs, the violation, and the run that shows it.

use super::execution::Execution;
use crate::document::{InputsDocument, ValueDocument};
use serde::{Deserialize, Serialize};

/// Version of the format of [`Witness`]. It grows with every change of the format.
pub const WITNESS_VERSION: u32 = 2;

/// A counterexample, complete: what it is about, the inputs that lead to it, and what happens on the way.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// [`WITNESS_VERSION`].
    pub version: u32,
    /// Which aback wrote it.
    pub producer: String,
    /// SHA-256, in hexadecimal digits, of the document without this field and without white space between its parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    /// The program and how it was read.
    pub program: ProgramDocument,
    /// The method that the execution starts with, as `--entry` takes it.
    pub entry: String,
    /// Whether a concrete run showed the violation.
    pub confirmed: bool,
    /// What the concrete run did instead, if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// What is violated.
    pub violation: ViolationRecord,
    /// What the concrete interpreter starts from.
    pub inputs: InputsDocument,
    /// The arguments of the entry point, the receiver first, as it gets them. References are to objects of the first
    /// step.
    pub arguments: Vec<ArgumentDocument>,
    /// What methods that ask the environment returned, in order. References are to objects of the execution.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<GivenRecord>,
    /// What the program prints on the way; halves of surrogate pairs that stand alone are replaced.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The run.
    pub execution: Execution,
}

/// A program and how it was read.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramDocument {
    /// `java`, `oox` or `ir`.
    pub language: String,
    /// The paths that were given.
    pub paths: Vec<String>,
    /// `--classpath`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classpath: Vec<String>,
    /// `--java-home`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub java_home: Option<String>,
    /// `--string-length`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub string_length: Option<u32>,
    /// Whether executions in which integers overflow were left out: `--ints unbounded`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unbounded_integers: bool,
    /// Whether static fields hold anything at the entry point: `--statics any`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_statics: bool,
}

/// What is violated.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViolationRecord {
    /// What kind of thing it is.
    pub kind: ViolationKind,
    /// What happens, for a person.
    pub description: String,
    /// Where, in the user's own code.
    pub place: PlaceRecord,
    /// The exception that leaves the entry point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<ExceptionRecord>,
    /// The step of the execution at which it happens; none if the run did not get there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
}

/// What can be violated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ViolationKind {
    /// An assert statement.
    Assert,
    /// A precondition.
    Requires,
    /// A postcondition.
    Ensures,
    /// A postcondition for exceptions.
    Exceptional,
    /// Control gets to the line that was asked about.
    Reached,
    /// No uncaught exception: one leaves the entry point.
    Exception,
}

/// An exception that nothing catches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExceptionRecord {
    /// Full name of its class; for what an operation of a program model does by itself, a description of it.
    pub class: String,
    /// Its message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The method of a library that threw it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thrown_in: Option<String>,
}

/// A place in a source file. Lines and columns count from 1, columns in characters; 0 is unknown.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceRecord {
    /// Path as it was given.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
    /// The line's text, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// An argument.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentDocument {
    /// The parameter's name.
    pub name: String,
    /// Its type in the words of the language.
    #[serde(rename = "type")]
    pub ty: String,
    /// The value.
    pub value: ValueDocument,
}

/// A value that the environment gave.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenRecord {
    /// The method that returned it: `Class.method`.
    pub method: String,
    /// Its type in the words of the language.
    #[serde(rename = "type")]
    pub ty: String,
    /// The value.
    pub value: ValueDocument,
    /// Where the method was called.
    pub place: PlaceRecord,
}
