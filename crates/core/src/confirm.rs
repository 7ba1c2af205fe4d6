//! Does a counterexample happen outside of aback, too? For Java a JVM says; for other languages there is none to ask.

use crate::answer::{Answer, Violation};
use crate::load::Loaded;
use crate::witness::{kind, place};
use aback_ir::{Body, MethodId, OpKind, Program, Span};
use aback_reproducer::{Confirmation, Prediction, Reproducer, Subject, Unreproducible, predict};
use aback_symbolic::Fault;
use aback_witness::{InputObject, Inputs, Limits, Outcome, ViolationKind, ViolationRecord, run};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a confirmation may use.
#[derive(Clone, Copy, Debug)]
pub struct ConfirmConfig<'a> {
    /// Time for the compiler and the JVM together.
    pub time: Duration,
    /// Memory for the heap of the JVM, in megabytes.
    pub memory: u64,
    /// Stops it when set.
    pub interrupt: &'a AtomicBool,
}

/// What confirms counterexamples of languages without a runtime.
const INTERPRETER: &str = "aback's concrete interpreter";

/// A small program that shows a counterexample of a Java program, and what it will be seen to do.
///
/// # Errors
/// The program is not Java, or no Java program can make the inputs.
pub fn reproduce(
    loaded: &Loaded,
    entry: MethodId,
    inputs: &Inputs,
    interrupt: &AtomicBool,
) -> Result<(Reproducer, Prediction), Unreproducible> {
    let Some(java) = &loaded.java else {
        return Err(Unreproducible::Entry(format!("{} has no reproducers: they are Java programs", loaded.language)));
    };
    let start = loaded.program.start(entry);
    let mut ops = loaded.program.body(start).filter(|_| start != entry).into_iter().flat_map(Body::ops);
    if ops.any(|(_, op)| matches!(op.kind, OpKind::PutStatic { .. })) {
        let reason =
            "reproducers do not set the static fields that hold other values than those of their initialization";
        return Err(Unreproducible::Entry(reason.into()));
    }
    let reduced = without_model_fields(loaded, entry, inputs, interrupt);
    let inputs = reduced.as_ref().unwrap_or(inputs);
    let subject = Subject { program: &loaded.program, java, entry, inputs };
    let prediction = predict(&loaded.program, entry, inputs, limits(interrupt))?;
    Ok((aback_reproducer::write(&subject, &prediction)?, prediction))
}

/// The inputs without fields that only the program model of Java has, identity hash codes say, if there are such and the run ends in the
/// same without them: a reproducer cannot set them.
fn without_model_fields(loaded: &Loaded, entry: MethodId, inputs: &Inputs, interrupt: &AtomicBool) -> Option<Inputs> {
    let (program, java) = (&loaded.program, loaded.java.as_ref()?);
    let mut reduced = inputs.clone();
    for object in &mut reduced.heap {
        if let InputObject::Object { fields, .. } = object {
            fields.retain(|&field, _| java.field_declaration(program, field).is_some());
        }
    }
    let ends = |inputs: &Inputs| run(program, program.start(entry), inputs, limits(interrupt), &mut ()).ok();
    (reduced != *inputs && ends(&reduced)? == ends(inputs)?).then_some(reduced)
}

/// What is violated, and where, as a witness tells it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    kind: ViolationKind,
    /// File and line.
    place: (String, u32),
}

impl Claim {
    /// What an answer claims.
    pub fn of(program: &Program, violation: &Violation) -> Self {
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

/// Runs a counterexample of `entry` on the JVM, if the program is Java, else once more in the concrete interpreter.
pub fn confirm(
    loaded: &Loaded,
    entry: MethodId,
    inputs: &Inputs,
    claim: &Claim,
    config: &ConfirmConfig,
) -> Confirmation {
    let program = &loaded.program;
    let Some(java) = &loaded.java else {
        let runtime = INTERPRETER.to_string();
        let found = match run(program, program.start(entry), inputs, limits(config.interrupt), &mut ()) {
            Ok(Outcome::AssertionFailed { kind, place }) => Claim::at(program, Fault::Assertion(kind), place.span),
            Ok(Outcome::Uncaught { class, origin, .. }) => Claim::at(program, Fault::Thrown(class), origin.span),
            Ok(Outcome::Interrupted) => return Confirmation::NotRun { reason: "interrupted".into() },
            Ok(_) => return Confirmation::Differs { runtime, found: "the program ends without a violation".into() },
            Err(error) => return Confirmation::NotRun { reason: error.to_string() },
        };
        return match found == *claim {
            true => Confirmation::Confirmed { runtime },
            false => Confirmation::Differs { runtime, found: found.describe() },
        };
    };
    match reproduce(loaded, entry, inputs, config.interrupt) {
        Ok((reproducer, prediction)) => {
            let subject = Subject { program, java, entry, inputs };
            let limits =
                aback_reproducer::Limits { time: config.time, memory: config.memory, interrupt: config.interrupt };
            aback_reproducer::confirm(&subject, &reproducer, &prediction, &limits)
        }
        Err(reason) => Confirmation::NotRun { reason: reason.to_string() },
    }
}

/// What of the inputs of an answer's violations no constructor is known to make is noted with them. Nothing is known of languages
/// other than Java, and of inputs for which there is no reproducer.
pub fn note_unmade(loaded: &Loaded, answer: &mut Answer, interrupt: &AtomicBool) {
    for violation in answer.violation.iter_mut().chain(&mut answer.more) {
        // Without objects of classes there is nothing to make.
        if !violation.inputs.heap.iter().any(|object| matches!(object, InputObject::Object { .. })) {
            continue;
        }
        let Ok((reproducer, _)) = reproduce(loaded, violation.entry, &violation.inputs, interrupt) else { continue };
        if !reproducer.unmade.is_empty() {
            let classes = reproducer.unmade.join(", ");
            violation.unmade =
                Some(format!("no constructor is known to make this input, with its objects of {classes}"));
        }
    }
}

fn limits(interrupt: &AtomicBool) -> Limits<'_> {
    Limits { interrupt: Some(interrupt), ..Limits::default() }
}
