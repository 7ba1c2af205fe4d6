//! Counterexamples of Java programs as small Java programs that fail as predicted, and what a JVM makes of them.
//!
//! [`predict`] runs a counterexample concretely and says what a JVM will show: which exception, and at which line of the user's
//! own code. [`write`] makes a [`Reproducer`] of it: a program that builds the input heap, by constructors and fields where sources can
//! name them and else by reflection, gives the nondeterministic values in their order, and calls the entry point. [`confirm`] compiles
//! and runs it, and compares.

mod build;
mod confirm;
mod constructor;
mod literals;
mod prediction;
mod source;
mod types;

pub use confirm::{Confirmation, Limits, confirm};
pub use prediction::{Prediction, predict};
pub use source::{Reproducer, write};

use aback_ir::{MethodId, Program};
use aback_lang_java::JavaLoader;
use aback_witness::Inputs;

/// A counterexample of a Java program.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The program.
    pub program: &'a Program,
    /// What loads it.
    pub java: &'a JavaLoader,
    /// The method that the user asks about.
    pub entry: MethodId,
    /// Its inputs, as [`aback_witness::run`] takes them for [`Program::start`] of the entry point.
    pub inputs: &'a Inputs,
}

/// Why there is no reproducer for a counterexample.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unreproducible {
    /// The concrete run does not violate anything.
    #[error("{0}")]
    NoViolation(String),
    /// No Java program can call the entry point.
    #[error("{0}")]
    Entry(String),
    /// No Java program can make an object of the input.
    #[error("{0}")]
    Object(String),
}
