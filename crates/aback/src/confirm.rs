//! Implements `aback confirm`, which runs the counterexample of a file on the runtime of its language.

use crate::args::ConfirmArgs;
use crate::commands::{Messages, compile_cache, interrupt_flag, opened, platform_of, print, use_color};
use crate::evidence::{CONFIRM_MEMORY, CONFIRM_TIME};
use aback_core::{ConfirmConfig, Confirmation, LoadConfig, Session};
use aback_report::{ConfirmationDocument, Detail, describe_confirmation};
use aback_witness::Witness;
use anyhow::{Context, anyhow};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Reads the witness and its program, runs the program, and prints the result. Returns 0 if the run confirms the
/// witness, 1 if it ends differently, and 3 if it was not possible.
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
    let config = LoadConfig {
        platform: platform_of(&witness.program.language, &args.java_home, &args.dotnet_root),
        deadline: start.checked_add(time),
        interrupt: Arc::clone(&interrupt),
        compiled: compile_cache(),
        ..LoadConfig::default()
    };
    let messages = if args.json { Messages::None } else { Messages::Text { color: args.color, all: false } };
    let confirmation = match opened(Session::reopen(&witness, &config), messages) {
        Ok(session) => {
            let config = ConfirmConfig {
                time: time.saturating_sub(start.elapsed()),
                memory: args.memory.unwrap_or(CONFIRM_MEMORY),
                sandbox: args.sandbox.into(),
                interrupt: &interrupt,
            };
            session.confirm_witness(&witness, &config).with_context(unfit)?
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
        let detail = Detail { color, ..Detail::PLAIN };
        print(&format!(
            "{}, line {}: {}",
            witness.violation.place.file, witness.violation.place.line, witness.violation.description
        ))?;
        print(&describe_confirmation(&ConfirmationDocument::from(&confirmation), detail))?;
    }
    Ok(status)
}
