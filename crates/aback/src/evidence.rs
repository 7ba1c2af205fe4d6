//! Writes the files that the user asked for beside the answer, and runs counterexamples on the runtime of their
//! language.

use crate::args::{EvidenceArgs, SandboxArg};
use aback_core::{Answer, ConfirmConfig, Property, Session, Verdict, Violation};
use aback_ir::{Diagnostic, MethodId, Program, Span};
use aback_report::{Returned, SvFormat, SvWitness, Violated, sarif_of};
use aback_symbolic::Fault;
use anyhow::Context;
use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

/// Most time for the compiler and the runtime together.
pub const CONFIRM_TIME: Duration = Duration::from_secs(60);
/// Most memory for the heap of the runtime, in megabytes.
pub const CONFIRM_MEMORY: u64 = 1024;

/// The property file of a question.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The property in the file.
    pub property: Property,
    /// Whether the question is whether the program has the property, without conditions and restrictions.
    pub is_whole: bool,
}

/// Produces the evidence that `args` asks for. `asked` is the property file of the question, if it has one. Returns
/// warnings about evidence that could not be produced.
///
/// # Errors
/// A file cannot be written.
pub fn gather(
    args: &EvidenceArgs,
    session: &Session,
    asked: Option<&Asked>,
    answer: &mut Answer,
    interrupt: &AtomicBool,
) -> anyhow::Result<Vec<Diagnostic>> {
    let mut left_out = Vec::new();
    let mut leave_out = |what: &str, reason: String| {
        left_out.push(Diagnostic::warning(Span::NONE, format!("no {what} is written: {reason}")));
    };
    if let (Some(violation), Some(folder)) = (&answer.violation, &args.reproducer) {
        match session.reproduce(&answer.program, violation.entry, &violation.inputs, interrupt) {
            Ok((reproducer, _)) => reproducer.write_to(folder).with_context(|| cannot_write(folder))?,
            Err(reason) => leave_out("reproducer", reason.to_string()),
        }
    }
    if let Some(path) = &args.sv_witness {
        // Remove the witness of an earlier answer, so that nobody takes it for one of this answer.
        if path.exists() {
            std::fs::remove_file(path).with_context(|| format!("cannot remove the old {}", path.display()))?;
        }
        match sv_witness(session, answer, asked, SvFormat::of_file(path), interrupt) {
            Ok(Some(text)) => write(path, &text)?,
            Ok(None) => {}
            Err(reason) => leave_out("SV-COMP witness", reason),
        }
    }
    if args.confirm {
        session.confirm(answer, &confirm_config(args.sandbox, interrupt));
    }
    if let Some(path) = &args.sarif {
        write(path, &sarif_of(&answer.program, answer))?;
    }
    Ok(left_out)
}

/// How counterexamples and unit tests run on the runtime of their language.
pub fn confirm_config(sandbox: SandboxArg, interrupt: &AtomicBool) -> ConfirmConfig<'_> {
    ConfirmConfig { time: CONFIRM_TIME, memory: CONFIRM_MEMORY, sandbox: sandbox.into(), interrupt }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// Writes a file that the user asked for.
///
/// # Errors
/// It cannot be written.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| cannot_write(path))
}

/// Checks before long work that a file can be written at its end. What is in it now stays.
///
/// # Errors
/// It cannot be written.
pub fn expect_writable(path: &Path) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let checked = match std::fs::metadata(path) {
        Ok(file) if file.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(file) if file.is_file() => OpenOptions::new().append(true).open(path).map(drop),
        // Opening a pipe and closing it again would tell its reader that this was all.
        Ok(_) => Ok(()),
        // Nobody sees this file, and it leaves nothing behind.
        Err(_) => tempfile::tempfile_in(folder).map(drop),
    };
    checked.with_context(|| cannot_write(path))
}

/// The SV-COMP witness of a violation, or of a proof that the program has the property of the question; `None` for other
/// answers. The error is the reason why the format does not cover the answer.
fn sv_witness(
    session: &Session,
    answer: &Answer,
    asked: Option<&Asked>,
    format: SvFormat,
    interrupt: &AtomicBool,
) -> Result<Option<String>, String> {
    let program = &answer.program;
    let (entry, specification) = match (&answer.violation, asked, &answer.entries[..]) {
        (Some(violation), Some(asked), _) => (violation.entry, asked.property.text.clone()),
        (Some(violation), None, _) => (violation.entry, specification(program, violation)),
        (None, Some(Asked { property, is_whole: true }), &[entry]) if answer.verdict == Verdict::Holds => {
            (entry, property.text.clone())
        }
        _ => return Ok(None),
    };
    let Some(language) = session.origin().competition_language() else {
        return Err("the format is for Java programs here".into());
    };
    if program.method(entry).name != "main" {
        let entry = program.method_name(entry);
        return Err(format!("the format covers executions of main methods, not of {entry}"));
    }
    let violated = |violation| violated(session, program, violation, interrupt);
    let witness = SvWitness {
        language,
        sources: session.origin().sources(),
        specification: &specification,
        entry,
        violation: answer.violation.as_ref().map(violated).transpose()?,
        time: SystemTime::now(),
    };
    Ok(Some(witness.to_text(program, format)))
}

/// The execution of a violation for a witness, or the reason why a witness cannot describe it.
fn violated(
    session: &Session,
    program: &Program,
    violation: &Violation,
    interrupt: &AtomicBool,
) -> Result<Violated, String> {
    let (_, prediction) = session
        .reproduce(program, violation.entry, &violation.inputs, interrupt)
        .map_err(|reason| reason.to_string())?;
    let returned = prediction.returned().map(|requested| Returned {
        place: requested.place,
        function: requested.caller,
        method: requested.method,
        constraint: requested.constraint,
        assumption: requested.assumption,
    });
    let function: MethodId = violation.path.last().map_or(violation.entry, |entry| entry.method);
    Ok(Violated { returned: returned.collect(), target: violation.span, function })
}

/// A property of SV-COMP that a violation contradicts. For exceptions that are not of the class of SV-COMP's property,
/// it is about all of them.
fn specification(program: &Program, violation: &Violation) -> String {
    let runtime = program.class_named("java.lang.RuntimeException");
    let formula = match (violation.fault, violation.class.zip(runtime)) {
        (Fault::Assertion(_), _) => "G assert",
        (_, Some((class, runtime))) if program.is_subclass(class, runtime) => {
            "G ! uncaught(java.lang.RuntimeException)"
        }
        _ => "G ! uncaught(java.lang.Throwable)",
    };
    format!("CHECK( init({}()), LTL({formula}) )", program.method_name(violation.entry))
}
