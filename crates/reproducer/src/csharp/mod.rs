//! Reproducers of C# programs, and the .NET whose class library was read.
//!
//! [`plan`] reads from the inputs which objects there must be. [`source`] writes them as C#, and [`description`] as
//! instructions for a driver that makes them by reflection, where there is no compiler.

mod build;
mod call;
mod checks;
mod confirm;
mod construct;
mod description;
mod dotnet;
mod expressions;
mod literals;
mod plan;
mod prediction;
mod project;
mod source;
mod unit_tests;
pub(crate) mod xunit;

use crate::{
    Confirmation, Limits, Platform, Prediction, Reproducer, Suite, TestPlatform, Trial, UnitTest, Unreproducible,
};
use aback_ir::{FieldId, MethodId, Program};
use aback_lang_csharp::CsOrigin;
use aback_witness::Inputs;
use std::path::Path;

/// C#, with the .NET whose class library was read.
pub struct CsPlatform<'a> {
    origin: &'a CsOrigin,
    /// Whether counterexamples are compiled where there is a compiler.
    compiles: bool,
}

impl<'a> CsPlatform<'a> {
    /// The platform of a program.
    pub fn new(origin: &'a CsOrigin) -> Self {
        CsPlatform { origin, compiles: origin.has_compiler() }
    }

    /// The platform without its compiler. Counterexamples run by reflection.
    pub fn without_compiler(self) -> Self {
        CsPlatform { compiles: false, ..self }
    }
}

/// Whether a method is a conversion that its name and the types of its parameters do not tell from another one.
fn differs_in_result_only(program: &Program, entry: MethodId) -> bool {
    let method = program.method(entry);
    let is_same = |other: MethodId| other != entry && program.method(other).params == method.params;
    let is_conversion = ["op_Implicit", "op_Explicit"].contains(&method.name.as_str());
    is_conversion && program.methods_named(method.class, &method.name).iter().any(|&other| is_same(other))
}

impl Platform for CsPlatform<'_> {
    fn predict(
        &self,
        program: &Program,
        entry: MethodId,
        inputs: &Inputs,
        limits: aback_witness::Limits<'_>,
    ) -> Result<Prediction, Unreproducible> {
        prediction::predict(self.origin.declarations(program), entry, inputs, limits)
    }

    fn write(
        &self,
        (program, entry): (&Program, MethodId),
        prediction: &Prediction,
        test: &str,
    ) -> Result<Reproducer, Unreproducible> {
        if differs_in_result_only(program, entry) {
            let reason = "another conversion differs in the type of its result only";
            return Err(Unreproducible::Entry(reason.into()));
        }
        let declarations = self.origin.declarations(program);
        let plan = plan::plan(declarations, entry, &prediction.received)?;
        source::write(&plan, prediction, test)
    }

    fn confirm(
        &self,
        (program, entry): (&Program, MethodId),
        reproducer: &Reproducer,
        prediction: &Prediction,
        limits: &Limits,
    ) -> Confirmation {
        let run = confirm::Run { origin: self.origin, program, prediction, limits };
        let outcome = match self.compiles {
            true => run.compiled(reproducer),
            // Without a compiler, objects are made by reflection.
            false => {
                match plan::plan(self.origin.declarations(program), entry, &prediction.received.without_making()) {
                    Ok(plan) => run.described(&plan),
                    Err(reason) => Err(reason.to_string()),
                }
            }
        };
        outcome.unwrap_or_else(|reason| Confirmation::NotRun { reason })
    }

    fn has_field(&self, program: &Program, field: FieldId) -> bool {
        self.origin.declarations(program).has_field(field)
    }

    fn tests(&self) -> Option<&dyn TestPlatform> {
        Some(self)
    }
}

impl TestPlatform for CsPlatform<'_> {
    fn test(
        &self,
        (program, entry): (&Program, MethodId),
        prediction: Prediction,
        number: usize,
    ) -> Result<UnitTest, Unreproducible> {
        unit_tests::test(self.origin.declarations(program), entry, prediction, number)
    }

    fn suite(&self, of: (&Program, MethodId), tests: &[UnitTest], folder: &Path) -> Suite {
        unit_tests::suite(self, of, tests, folder)
    }

    fn try_tests(&self, of: (&Program, MethodId), tests: &[UnitTest], limits: &Limits) -> Result<Trial, String> {
        unit_tests::try_tests(self, of, tests, limits)
    }
}
