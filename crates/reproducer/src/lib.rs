//! Writes Java counterexamples as small Java programs that fail as predicted, and runs them on a JVM.
//!
//! [`predict`] runs a counterexample concretely and predicts what a JVM will show: which exception, and at which line
//! of the user's own code. [`Platform::write`] makes a [`Reproducer`] from it: a program that builds the input heap,
//! returns the nondeterministic values in order, and calls the entry point. It uses constructors and fields if
//! sources can name them, and reflection otherwise. [`Platform::confirm`] compiles and runs the reproducer, and
//! compares the outcome.

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

/// A language in which counterexamples can be written as programs, and the runtime for these programs.
pub trait Platform {
    /// Writes a program that shows a counterexample of an entry point as predicted.
    ///
    /// # Errors
    /// No program can make the inputs.
    fn write(&self, program: &Program, entry: MethodId, prediction: &Prediction) -> Result<Reproducer, Unreproducible>;

    /// Compiles and runs a reproducer, and compares the outcome with the prediction.
    fn confirm(
        &self,
        of: (&Program, MethodId),
        reproducer: &Reproducer,
        prediction: &Prediction,
        limits: &Limits,
    ) -> Confirmation;

    /// Whether a field belongs to the language. Other fields exist only in the program model.
    fn has_field(&self, program: &Program, field: FieldId) -> bool;
}

/// The platform of a program's language, if aback writes reproducers for it. To add a language, add a line here.
pub fn platform(origin: &dyn Origin) -> Option<Box<dyn Platform + '_>> {
    let origin: &dyn Any = origin;
    origin.downcast_ref::<JavaLoader>().map(|java| Box::new(JavaPlatform { java }) as Box<dyn Platform>)
}

/// Java, with the JVM of the JDK whose classes were read.
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

/// An entry point of a Java program with a counterexample.
#[derive(Clone, Copy)]
struct Subject<'a> {
    program: &'a Program,
    java: &'a JavaLoader,
    entry: MethodId,
}

/// The reason why a counterexample has no reproducer.
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
