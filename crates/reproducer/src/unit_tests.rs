//! Defines unit tests of behaviours, and what trying them shows.

use crate::{Limits, Prediction, Unreproducible};
use aback_ir::{MethodId, Program};

/// A unit test of one behaviour of an entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnitTest {
    /// The name of its method.
    pub name: String,
    /// Whether it shows a false assertion, so that it fails until the defect is fixed. Other tests pass.
    pub shows_violation: bool,
    /// The method.
    pub(crate) text: String,
    /// The methods that it calls.
    pub(crate) helpers: Vec<&'static str>,
    pub(crate) prediction: Prediction,
}

/// The sources of tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suite {
    /// The files, with their paths in a folder of tests.
    pub files: Vec<(String, String)>,
    /// The framework that they are for: `JUnit 5`.
    pub framework: String,
}

/// What a run of tests shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trial {
    /// For each test, the way in which it behaves otherwise than predicted, if it does.
    pub differences: Vec<Option<String>>,
    /// The runtime: `openjdk 17.0.15`.
    pub runtime: String,
    /// What users should know about the run.
    pub notes: Vec<String>,
}

/// A language in which behaviours can be written as unit tests.
pub trait TestPlatform {
    /// Writes a test of a behaviour. `number` is that of the behaviour, from 1.
    ///
    /// # Errors
    /// No test can show the behaviour.
    fn test(&self, of: (&Program, MethodId), prediction: Prediction, number: usize)
    -> Result<UnitTest, Unreproducible>;

    /// Writes the sources of tests. Those that show violations are in a file of their own.
    fn suite(&self, of: (&Program, MethodId), tests: &[UnitTest]) -> Suite;

    /// Compiles tests and runs each twice, in this order and in the opposite order.
    ///
    /// # Errors
    /// The reason why they cannot be compiled or run.
    fn try_tests(&self, of: (&Program, MethodId), tests: &[UnitTest], limits: &Limits) -> Result<Trial, String>;
}
