//! `aback confirm`: does the counterexample of a file happen on the JVM?

use crate::args::ConfirmArgs;
use crate::commands::{Messages, interrupt_flag, load_program, print, use_color};
use crate::evidence::{CONFIRM_MEMORY, CONFIRM_TIME};
use aback_core::{Claim, ConfirmConfig, Confirmation, Line, LoadConfig, confirm, entry_point, mark_line};
use aback_report::{ConfirmationDocument, describe_confirmation};
use aback_witness::{ViolationKind, Witness};
use anyhow::{Context, anyhow};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Reads the witness and its program, runs it, and says what came of it: 0 if it is confirmed, 1 if it ends otherwise, 3 if it could not
/// be run.
///
/// # Errors
/// The witness cannot be read, or does not fit its program.
pub fn run_confirm(args: &ConfirmArgs) -> anyhow::Result<u8> {
    let start = Instant::now();
    let interrupt = interrupt_flag()?;
    let unfit = || args.witness.display().to_string();
    let witness = Witness::read(&args.witness).with_context(unfit)?;
    witness.check_sources().with_context(unfit)?;
    let time = args.timeout.unwrap_or(CONFIRM_TIME);
    let read = &witness.program;
    let config = LoadConfig {
        class_path: read.classpath.iter().map(PathBuf::from).collect(),
        java_home: args.java_home.clone().or_else(|| read.java_home.as_ref().map(PathBuf::from)),
        string_length: read.string_length,
        unbounded_integers: read.unbounded_integers,
        any_statics: read.any_statics,
        deadline: start.checked_add(time),
        interrupt: Arc::clone(&interrupt),
    };
    let paths: Vec<PathBuf> = read.paths.iter().map(PathBuf::from).collect();
    let messages = if args.json { Messages::None } else { Messages::Text { color: args.color, all: false } };
    let confirmation = match load_program(&paths, &config, messages) {
        Ok(mut loaded) => {
            let violation = &witness.violation;
            if violation.kind == ViolationKind::Reached {
                let line = Line { file: violation.place.file.clone(), line: violation.place.line };
                mark_line(&mut loaded.program, &line).with_context(unfit)?;
            }
            let entry = entry_point(&loaded.program, Some(&witness.entry)).with_context(unfit)?;
            // What makes the inputs comes first: it makes the classes of lambda expressions, which inputs may be of.
            let first = loaded.program.start(entry);
            let inputs = witness.inputs.resolve(&loaded.program).with_context(unfit)?;
            inputs.check(&loaded.program, first).with_context(unfit)?;
            let config = ConfirmConfig {
                time: time.saturating_sub(start.elapsed()),
                memory: args.memory.unwrap_or(CONFIRM_MEMORY),
                interrupt: &interrupt,
            };
            confirm(&loaded, entry, &inputs, &Claim::from(violation), &config)
        }
        Err(bad) if bad.stopped => {
            let reason = if interrupt.load(Ordering::Relaxed) { "interrupted" } else { "time limit" };
            Confirmation::NotRun { reason: reason.into() }
        }
        Err(bad) => return Err(anyhow!(bad.error).context(unfit())),
    };
    let status = match confirmation {
        Confirmation::Confirmed { .. } => 0,
        Confirmation::Differs { .. } => 1,
        Confirmation::NotRun { .. } => 3,
    };
    if args.json {
        print(&ConfirmationDocument::from(&confirmation).to_text())?;
    } else {
        let color = use_color(args.color, std::io::stdout().is_terminal());
        print(&format!(
            "{}, line {}: {}",
            witness.violation.place.file, witness.violation.place.line, witness.violation.description
        ))?;
        print(&describe_confirmation(&confirmation, color))?;
    }
    Ok(status)
}
