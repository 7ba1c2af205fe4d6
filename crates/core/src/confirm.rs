//! Confirms counterexamples outside of the engines: on the runtime of their language, or by another concrete run.

use crate::answer::Violation;
use crate::question::QuestionError;
use crate::witness::{kind, place};
use aback_frontend::{FrontEnd, Origin};
use aback_ir::{MethodId, Program, Span};
use aback_reproducer::{
    Confirmation, Isolation, Platform, Prediction, Reproducer, Runtime, Sandboxing, Unreproducible, platform,
};
use aback_symbolic::Fault;
use aback_witness::{
    DocumentError, InputError, InputObject, Inputs, Limits, ModelCalls, Outcome, ViolationKind, ViolationRecord, run,
};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The resources of a confirmation.
#[derive(Clone, Copy, Debug)]
pub struct ConfirmConfig<'a> {
    /// Time limit for the compiler and the run together.
    pub time: Duration,
    /// Memory limit of the run, in megabytes.
    pub memory: u64,
    /// When the run is in a sandbox.
    pub sandbox: Sandboxing,
    /// Stops the confirmation when set.
    pub interrupt: &'a AtomicBool,
}

impl ConfirmConfig<'_> {
    /// The same for the run alone.
    pub(crate) fn limits(&self) -> aback_reproducer::Limits<'_> {
        let ConfirmConfig { time, memory, sandbox, interrupt } = *self;
        aback_reproducer::Limits { time, memory, sandbox, interrupt }
    }
}

/// Name of the fallback for languages without a runtime.
const INTERPRETER: &str = "aback's concrete interpreter";

/// A counterexample with its program.
pub(crate) struct Subject<'a> {
    pub(crate) program: &'a Program,
    pub(crate) language: &'static dyn FrontEnd,
    pub(crate) origin: &'a dyn Origin,
    pub(crate) entry: MethodId,
    pub(crate) inputs: &'a Inputs,
}

/// The name of the class of a unit test, where nothing else is said.
pub(crate) const TEST: &str = "ReproducerTest";

impl Subject<'_> {
    /// A small program that shows the counterexample, and the predicted behaviour of that program. Its unit test has this name.
    pub(crate) fn reproduce(
        &self,
        test: &str,
        interrupt: &AtomicBool,
    ) -> Result<(Reproducer, Prediction), Unreproducible> {
        let platform = self.platform()?;
        let prediction = self.predict(interrupt)?;
        Ok((platform.write((self.program, self.entry), &prediction, test)?, prediction))
    }

    fn platform(&self) -> Result<Box<dyn Platform + '_>, Unreproducible> {
        platform(self.origin).ok_or_else(|| {
            let reason = format!("{} has no reproducers: they are Java and C# programs", self.language.name());
            Unreproducible::Entry(reason)
        })
    }

    /// What a program with these inputs does.
    ///
    /// # Errors
    /// The language has no runtime, or a program cannot give the entry point these inputs.
    pub(crate) fn predict(&self, interrupt: &AtomicBool) -> Result<Prediction, Unreproducible> {
        let platform = self.platform()?;
        let program = self.program;
        let start = program.start(self.entry);
        if start != self.entry && !program.given_statics(start).is_empty() {
            let reason =
                "reproducers do not set the static fields that hold other values than those of their initialization";
            return Err(Unreproducible::Entry(reason.into()));
        }
        let reduced = self.without_model_fields(&*platform, interrupt);
        let inputs = reduced.as_ref().unwrap_or(self.inputs);
        platform.predict(program, self.entry, inputs, limits(interrupt))
    }

    /// The inputs without fields that only the program model has, for example identity hash codes. `None` if there
    /// are no such fields, or if the run ends differently without them. A reproducer cannot set these fields.
    fn without_model_fields(&self, platform: &dyn Platform, interrupt: &AtomicBool) -> Option<Inputs> {
        let program = self.program;
        let mut reduced = self.inputs.clone();
        for object in &mut reduced.heap {
            if let InputObject::Object { fields, .. } = object {
                fields.retain(|&field, _| platform.has_field(program, field));
            }
        }
        let ends = |inputs: &Inputs| run(program, program.start(self.entry), inputs, limits(interrupt), &mut ()).ok();
        (reduced != *self.inputs && ends(&reduced)? == ends(self.inputs)?).then_some(reduced)
    }

    /// Runs the counterexample on the runtime of its language, or else again in the concrete interpreter.
    pub(crate) fn confirm(&self, claim: &Claim, config: &ConfirmConfig) -> Confirmation {
        let Some(platform) = platform(self.origin) else { return self.run_again(claim, config) };
        match self.reproduce(TEST, config.interrupt) {
            Ok((reproducer, prediction)) => {
                let of = (self.program, self.entry);
                let confirmation = platform.confirm(of, &reproducer, &prediction, &config.limits());
                self.with_models(confirmation, config.interrupt)
            }
            Err(reason) => Confirmation::NotRun { reason: reason.to_string() },
        }
    }

    /// Says which models the counterexample depends on, if the runtime, which has the real methods, does something else.
    fn with_models(&self, confirmation: Confirmation, interrupt: &AtomicBool) -> Confirmation {
        let Confirmation::Differs { runtime, found } = confirmation else { return confirmation };
        let mut calls = ModelCalls::default();
        // These inputs have been run before.
        let _ = run(self.program, self.program.start(self.entry), self.inputs, limits(interrupt), &mut calls);
        let found = match &calls.names()[..] {
            [] => found,
            models => format!("{found}; the path depends on models, which may be wrong: {}", models.join(", ")),
        };
        Confirmation::Differs { runtime, found }
    }

    fn run_again(&self, claim: &Claim, config: &ConfirmConfig) -> Confirmation {
        let runtime = Runtime { name: INTERPRETER.into(), isolation: Isolation::Interpreter };
        let program = self.program;
        let found = match run(program, program.start(self.entry), self.inputs, limits(config.interrupt), &mut ()) {
            Ok(Outcome::AssertionFailed { kind, place }) => Claim::at(program, Fault::Assertion(kind), place.span),
            Ok(Outcome::Uncaught { class, origin, .. }) => Claim::at(program, Fault::Thrown(class), origin.span),
            Ok(Outcome::Interrupted) => return Confirmation::NotRun { reason: "interrupted".into() },
            Ok(_) => return Confirmation::Differs { runtime, found: "the program ends without a violation".into() },
            Err(error) => return Confirmation::NotRun { reason: error.to_string() },
        };
        match found == *claim {
            true => Confirmation::Confirmed { runtime },
            false => Confirmation::Differs { runtime, found: found.describe() },
        }
    }
}

/// Whether the inputs contain objects that constructors make.
pub(crate) fn has_objects(inputs: &Inputs) -> bool {
    inputs.heap.iter().any(|object| matches!(object, InputObject::Object { .. }))
}

/// The reason why the counterexample of a file does not fit the program.
#[derive(Debug, thiserror::Error)]
pub enum UnfitWitness {
    /// The entry point or the line does not exist.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// The inputs refer to declarations that the program does not have.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The inputs do not fit the entry point.
    #[error(transparent)]
    Inputs(#[from] InputError),
}

/// What is violated, and where, according to a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Claim {
    kind: ViolationKind,
    /// File name and line.
    place: (String, u32),
}

impl Claim {
    /// The claim of an answer.
    pub(crate) fn of(program: &Program, violation: &Violation) -> Self {
        Claim::at(program, violation.fault, violation.span)
    }

    fn at(program: &Program, fault: Fault, span: Span) -> Self {
        let place = place(program, span);
        Claim { kind: kind(fault), place: (place.file, place.line) }
    }

    fn describe(&self) -> String {
        let (file, line) = &self.place;
        let what = match self.kind {
            ViolationKind::Assert => "an assertion is false",
            ViolationKind::Requires => "a precondition is false",
            ViolationKind::Ensures => "a postcondition is false",
            ViolationKind::Exceptional => "a postcondition for exceptions is false",
            ViolationKind::Reached => "control gets there",
            ViolationKind::Null => "a reference is null",
            ViolationKind::Exception => "an exception is thrown and not caught",
        };
        format!("{what} at {file}:{line}")
    }
}

impl From<&ViolationRecord> for Claim {
    fn from(record: &ViolationRecord) -> Self {
        Claim { kind: record.kind, place: (record.place.file.clone(), record.place.line) }
    }
}

fn limits(interrupt: &AtomicBool) -> Limits<'_> {
    Limits { interrupt: Some(interrupt), ..Limits::default() }
}
