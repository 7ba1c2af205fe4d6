//! Reproducers of Java programs, and the JVM of the JDK whose classes were read.

mod build;
mod checks;
mod confirm;
pub(crate) mod junit;
mod literals;
mod prediction;
mod source;
mod types;
mod unit_tests;

use crate::{
    Confirmation, Limits, Platform, Prediction, Reproducer, Suite, TestPlatform, Trial, UnitTest, Unreproducible,
};
use aback_ir::{FieldId, MethodId, Program};
use aback_lang_java::JavaLoader;
use aback_witness::Inputs;
use std::path::Path;

/// Java, with the JVM of the JDK whose classes were read.
pub struct JavaPlatform<'a> {
    /// The loader of the program.
    pub java: &'a JavaLoader,
}

impl Platform for JavaPlatform<'_> {
    fn predict(
        &self,
        program: &Program,
        entry: MethodId,
        inputs: &Inputs,
        limits: aback_witness::Limits<'_>,
    ) -> Result<Prediction, Unreproducible> {
        prediction::predict(program, entry, inputs, limits)
    }

    fn write(
        &self,
        (program, entry): (&Program, MethodId),
        prediction: &Prediction,
        test: &str,
    ) -> Result<Reproducer, Unreproducible> {
        source::write(&Subject { program, java: self.java, entry }, prediction, test)
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

    fn tests(&self) -> Option<&dyn TestPlatform> {
        Some(self)
    }
}

impl TestPlatform for JavaPlatform<'_> {
    fn test(
        &self,
        (program, entry): (&Program, MethodId),
        prediction: Prediction,
        number: usize,
    ) -> Result<UnitTest, Unreproducible> {
        unit_tests::test(&Subject { program, java: self.java, entry }, prediction, number)
    }

    fn suite(&self, (program, entry): (&Program, MethodId), tests: &[UnitTest], _: &Path) -> Suite {
        unit_tests::suite(&Subject { program, java: self.java, entry }, tests)
    }

    fn try_tests(
        &self,
        (program, entry): (&Program, MethodId),
        tests: &[UnitTest],
        limits: &Limits,
    ) -> Result<Trial, String> {
        unit_tests::try_tests(&Subject { program, java: self.java, entry }, tests, limits)
    }
}

/// An entry point of a Java program with a counterexample.
#[derive(Clone, Copy)]
struct Subject<'a> {
    program: &'a Program,
    java: &'a JavaLoader,
    entry: MethodId,
}
