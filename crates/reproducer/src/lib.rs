//! Counterexamples of Java programs as small Java programs that fail as predicted, and what a JVM makes of them.
//!
//! [`predict`] runs a counterexample concretely and says what a JVM will show: which exception, and at which line of the user's
//! own code. [`Platform::write`] makes a [`Reproducer`] of it: a program that builds the input heap, by constructors and fields where sources can
//! name them and else by reflection, gives the nondeterministic values in their order, and calls the entry point. [`Platform::confirm`] compiles
//! and runs it, and compares.

mod build;
mod confirm;
mod constructor;
mod literals;
mod prediction;
mod source;
mod types;

pub use confirm::{Confirmation, Limits};
pub use prediction::{Prediction, predict};
pub use source::Reproducer;

use aback_frontend::Origin;
use aback_ir::{FieldId, MethodId, Program};
use aback_lang_java::JavaLoader;
use std::any::Any;

/// A language in which counterexamples can be written as programs, and whatever runs these.
pub trait Platform {
    /// A program that shows a counterexample of an entry point as predicted.
    ///
    /// # Errors
    /// No program can make the inputs.
    fn write(&self, program: &Program, entry: MethodId, prediction: &Prediction) -> Result<Reproducer, Unreproducible>;

    /// Compiles and runs a reproducer, and compares what happens with the prediction.
    fn confirm(
        &self,
        of: (&Program, MethodId),
        reproducer: &Reproducer,
        prediction: &Prediction,
        limits: &Limits,
    ) -> Confirmation;

    /// Whether a field is one of the language. Others are of the program model alone.
    fn has_field(&self, program: &Program, field: FieldId) -> bool;
}

/// The platform of a program's language, if aback writes reproducers for it. Adding a language takes a line here.
pub fn platform(origin: &dyn Origin) -> Option<Box<dyn Platform + '_>> {
    let origin: &dyn Any = origin;
    origin.downcast_ref::<JavaLoader>().map(|java| Box::new(JavaPlatform { java }) as Box<dyn Platform>)
}

/// Java, and the JVM of the JDK whose classes were read.
struct JavaPlatform<'a> {
    java: &'a JavaLoader,
}

impl Platform for JavaPlatform<'_> {
    fn write(&self, program: &Program, entry: MethodId, prediction: &Prediction) -> Result<Reproducer, Unreproducible> {
        source::write(&Subject { program, java: self.java, entry }, prediction)
    }

    fn confirm(
        &self,
        (program, entry): (&Program, MethodId),
        reproducer: &Reproducer,
        prediction: &Prediction,
        limits: &Limits,
    ) -> Confirmation {
        confirm::confirm(&Subject { program, java: self.java, entry }, reproducer, prediction, limits)
    }

    fn has_field(&self, program: &Program, field: FieldId) -> bool {
        self.java.field_declaration(program, field).is_some()
    }
}

/// An entry point of a Java program that has a counterexample.
#[derive(Clone, Copy)]
struct Subject<'a> {
    program: &'a Program,
    java: &'a JavaLoader,
    entry: MethodId,
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
