//! Defines the witness file: the question, the inputs, the violation, and the run that shows it.

use super::execution::Execution;
use crate::document::{InputsDocument, ValueDocument};
use aback_ir::MakingLimits;
use serde::{Deserialize, Serialize};

/// Version of the format of [`Witness`]. Each change of the format increases it.
pub const WITNESS_VERSION: u32 = 5;
/// The versions that this crate reads. Version 4 has no [`Change::Gone`](super::Change::Gone). Version 3 has no [`BlockShape`](super::BlockShape)s, and version 2
/// no [`CollectionShape`](super::CollectionShape)s either.
pub(crate) const READ_VERSIONS: std::ops::RangeInclusive<u32> = 2..=WITNESS_VERSION;

/// A complete counterexample: the question, the inputs that lead to the violation, and the run on them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// [`WITNESS_VERSION`], or an earlier one.
    pub version: u32,
    /// The version of aback that wrote it.
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
    /// What the concrete run did instead, if it did not show the violation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// What is violated.
    pub violation: ViolationRecord,
    /// What the concrete interpreter starts from.
    pub inputs: InputsDocument,
    /// The arguments that the entry point receives, the receiver first. References are to objects of the first step.
    pub arguments: Vec<ArgumentDocument>,
    /// The values that methods got from the environment, in order. References are to objects of the execution.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<GivenRecord>,
    /// How the arguments are made before the entry point is called, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<MakingRecord>,
    /// The program's output; unpaired surrogates are replaced.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The run.
    pub execution: Execution,
}

/// How arguments are made: by constructors and other calls that callers of the entry point can make.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MakingRecord {
    /// Most objects that are made for each other.
    pub depth: usize,
    /// Most elements that are added to a collection: `--collection-size`.
    pub elements: u32,
    /// Most calls that change another object.
    pub calls: u32,
    /// The calls, for users.
    pub by: Vec<String>,
}

impl MakingRecord {
    /// The limits.
    pub fn limits(&self) -> MakingLimits {
        MakingLimits { depth: self.depth, elements: self.elements, calls: self.calls }
    }
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
    /// The folder of the platform: `--java-home`, or `--dotnet-root` for C#.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub java_home: Option<String>,
    /// `--string-length`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub string_length: Option<u32>,
    /// Whether executions in which integers overflow were left out: `--ints unbounded`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unbounded_integers: bool,
    /// Whether integers that have no bounds otherwise were machine integers: `--ints machine`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub machine_integers: bool,
    /// Whether static fields hold arbitrary values at the entry point: `--statics any`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_statics: bool,
    /// Whether no input is null where the code declares that none is: `--trust`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trusted_nullness: bool,
    /// `--assert-method`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assert_methods: Vec<String>,
    /// The conditions that the inputs satisfy: `--assume`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// The files and folders with models of methods of libraries: `--models`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
}

/// What is violated.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViolationRecord {
    /// The kind of violation.
    pub kind: ViolationKind,
    /// What happens, in words for users.
    pub description: String,
    /// Where, in the user's own code.
    pub place: PlaceRecord,
    /// The exception that leaves the entry point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<ExceptionRecord>,
    /// The step of the execution at which it happens; `None` if the run did not get there.
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
    /// Control reaches the line of the question.
    Reached,
    /// A reference is null whose object is used at the line of the question.
    Null,
    /// The absence of uncaught exceptions; an exception leaves the entry point.
    Exception,
}

/// An exception that nothing catches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExceptionRecord {
    /// Full name of its class; for a trap of a program model without such a class, a description.
    pub class: String,
    /// Its message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The library method that threw it, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thrown_in: Option<String>,
}

/// A place in a source file. Lines and columns count from 1, columns in characters; 0 means unknown.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceRecord {
    /// Path as it was given.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
    /// The line's text, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// An argument.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentDocument {
    /// The parameter's name.
    pub name: String,
    /// Its type, as the language writes it.
    #[serde(rename = "type")]
    pub ty: String,
    /// The value.
    pub value: ValueDocument,
}

/// A value that the environment provided.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenRecord {
    /// The method that returned it: `Class.method`.
    pub method: String,
    /// Its type, as the language writes it.
    #[serde(rename = "type")]
    pub ty: String,
    /// The value.
    pub value: ValueDocument,
    /// Where the method was called.
    pub place: PlaceRecord,
}
