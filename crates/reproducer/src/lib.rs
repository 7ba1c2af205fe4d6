//! Writes counterexamples as small programs of their language that fail as predicted, and runs them on its runtime.
//!
//! [`platform`] finds the [`Platform`] of a program's language. [`Platform::predict`] runs a counterexample concretely and
//! predicts what the runtime will show: which exception or failed assertion, and at which line of the user's own code.
//! [`Platform::write`] makes a [`Reproducer`] from it: a program that builds the input heap and calls the entry point. It
//! uses constructors and fields if sources can name them, and reflection otherwise. [`Platform::confirm`] runs the
//! counterexample, and compares the outcome. [`Platform::tests`] writes runs that end in any way as unit tests.

mod confirmation;
mod constructor;
mod csharp;
mod java;
mod order;
mod prediction;
mod received;
mod run;
mod sandbox;
mod source;
mod unit_tests;

pub use confirmation::{Confirmation, Limits, Runtime};
pub use csharp::CsPlatform;
pub use java::JavaPlatform;
pub use prediction::{Prediction, Requested};
pub use sandbox::{Isolation, Sandboxing};
pub use source::Reproducer;
pub use unit_tests::{Suite, TestPlatform, Trial, UnitTest};

use aback_frontend::{Origin, Tool};
use aback_ir::{FieldId, MethodId, Program};
use aback_lang_csharp::CsOrigin;
use aback_lang_java::JavaLoader;
use aback_witness::Inputs;
use std::any::Any;

/// A language in which counterexamples can be written as programs, and the runtime for these programs.
pub trait Platform {
    /// Predicts the outcome of a run of `entry` by a concrete run.
    ///
    /// # Errors
    /// The run ends in a way that no program of the language shows; where there are no unit tests, also without a
    /// violation.
    fn predict(
        &self,
        program: &Program,
        entry: MethodId,
        inputs: &Inputs,
        limits: aback_witness::Limits<'_>,
    ) -> Result<Prediction, Unreproducible>;

    /// Writes a program that shows a counterexample of an entry point as predicted. The class of its unit test has the name `test` if
    /// no class of the program has it.
    ///
    /// # Errors
    /// No program can make the inputs, or the prediction is not a violation.
    fn write(
        &self,
        of: (&Program, MethodId),
        prediction: &Prediction,
        test: &str,
    ) -> Result<Reproducer, Unreproducible>;

    /// Runs a counterexample on the runtime, and compares the outcome with the prediction.
    fn confirm(
        &self,
        of: (&Program, MethodId),
        reproducer: &Reproducer,
        prediction: &Prediction,
        limits: &Limits,
    ) -> Confirmation;

    /// Whether a field belongs to the language. Other fields exist only in the program model.
    fn has_field(&self, program: &Program, field: FieldId) -> bool;

    /// The unit tests of the language, if aback writes them.
    fn tests(&self) -> Option<&dyn TestPlatform> {
        None
    }
}

/// The platform of a program's language, if aback writes reproducers for it. To add a language, add a line here.
pub fn platform(origin: &dyn Origin) -> Option<Box<dyn Platform + '_>> {
    let origin: &dyn Any = origin;
    let java = || origin.downcast_ref::<JavaLoader>().map(|java| Box::new(JavaPlatform { java }) as Box<dyn Platform>);
    let csharp =
        || origin.downcast_ref::<CsOrigin>().map(|csharp| Box::new(CsPlatform::new(csharp)) as Box<dyn Platform>);
    java().or_else(csharp)
}

/// The tools for programs and unit tests besides those of the front ends.
pub fn tools() -> Vec<Tool> {
    vec![java::junit::tool(), csharp::xunit::tool(), sandbox::tool()]
}

/// The reason why a counterexample has no reproducer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unreproducible {
    /// The concrete run does not violate anything.
    #[error("{0}")]
    NoViolation(String),
    /// No program can call the entry point.
    #[error("{0}")]
    Entry(String),
    /// No program can make an object of the input.
    #[error("{0}")]
    Object(String),
}
