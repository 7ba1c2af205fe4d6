//! Writes the files that the user asked for beside the answer, and runs counterexamples on the runtime of their
//! language.

use crate::args::EvidenceArgs;
use aback_core::{Answer, ConfirmConfig, Exceptions, Session, Violation, Violations};
use aback_ir::{Diagnostic, Span};
use aback_report::{Returned, SvWitness, sarif};
use anyhow::Context;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

/// Most time for the compiler and the runtime together.
pub const CONFIRM_TIME: Duration = Duration::from_secs(60);
/// Most memory for the heap of the runtime, in megabytes.
pub const CONFIRM_MEMORY: u64 = 1024;

/// Produces the evidence that `args` asks for. `asked` is what counted as a violation. Returns warnings about
/// evidence that could not be produced.
///
/// # Errors
/// A file cannot be written.
pub fn gather(
    args: &EvidenceArgs,
    session: &Session,
    asked: &Violations,
    answer: &mut Answer,
    interrupt: &AtomicBool,
) -> anyhow::Result<Vec<Diagnostic>> {
    let mut left_out = Vec::new();
    let mut leave_out = |what: &str, reason: String| {
        left_out.push(Diagnostic::warning(Span::NONE, format!("no {what} is written: {reason}")));
    };
    if let Some(violation) = &answer.violation {
        if let Some(folder) = &args.reproducer {
            match session.reproduce(&answer.program, violation.entry, &violation.inputs, interrupt) {
                Ok((reproducer, _)) => reproducer.write_to(folder).with_context(|| cannot_write(folder))?,
                Err(reason) => leave_out("reproducer", reason.to_string()),
            }
        }
        if let Some(path) = &args.sv_witness {
            match sv_witness(session, answer, violation, asked, interrupt) {
                Ok(text) => write(path, &text)?,
                Err(reason) => leave_out("SV-COMP witness", reason),
            }
        }
    }
    if args.confirm {
        let config = ConfirmConfig { time: CONFIRM_TIME, memory: CONFIRM_MEMORY, interrupt };
        session.confirm(answer, &config);
    }
    // Without a violation, remove the old witness, so that nobody takes it for a new one.
    if let (None, Some(path)) = (&answer.violation, &args.sv_witness)
        && path.exists()
    {
        std::fs::remove_file(path).with_context(|| format!("cannot remove the old {}", path.display()))?;
    }
    if let Some(path) = &args.sarif {
        write(path, &sarif(&answer.program, answer))?;
    }
    Ok(left_out)
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

/// The SV-COMP witness, or the reason why the format does not cover the violation.
fn sv_witness(
    session: &Session,
    answer: &Answer,
    violation: &Violation,
    asked: &Violations,
    interrupt: &AtomicBool,
) -> Result<String, String> {
    let program = &answer.program;
    let Some(language) = session.origin().competition_language() else {
        return Err("the format is for Java programs here".into());
    };
    let (_, prediction) = session
        .reproduce(program, violation.entry, &violation.inputs, interrupt)
        .map_err(|reason| reason.to_string())?;
    if program.method(violation.entry).name != "main" {
        let entry = program.method_name(violation.entry);
        return Err(format!("the format covers executions of main methods, not of {entry}"));
    }
    let returned = prediction.returned().map(|(place, caller, constraint)| Returned {
        place,
        function: program.method_name(caller),
        constraint,
    });
    let formula = match (asked.assertions, &asked.exceptions) {
        (true, _) => "G assert".to_string(),
        (false, Exceptions::InstancesOf(class)) => format!("G ! uncaught({class})"),
        (false, Exceptions::All | Exceptions::None) => "G ! uncaught(java.lang.Throwable)".into(),
    };
    let entry = program.method_name(violation.entry);
    let function = violation.path.last().map_or(violation.entry, |entry| entry.method);
    let witness = SvWitness {
        language,
        sources: session.origin().sources(),
        specification: &format!("CHECK( init({entry}()), LTL({formula}) )"),
        returned: returned.collect(),
        target: violation.span,
        function: program.method_name(function),
        time: SystemTime::now(),
    };
    Ok(witness.to_yaml(program))
}
