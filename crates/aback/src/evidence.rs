//! What a violation is shown by beside the answer: a run on the JVM, and files.

use crate::args::EvidenceArgs;
use aback_core::{Answer, ConfirmConfig, Loaded, confirm, reproduce};
use anyhow::Context;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time for the compiler and the JVM together.
pub const CONFIRM_TIME: Duration = Duration::from_secs(60);
/// Megabytes for the heap of the JVM.
pub const CONFIRM_MEMORY: u64 = 1024;

/// Does what was asked for with the violation of an answer, if there is one.
pub fn gather(args: &EvidenceArgs, loaded: &Loaded, answer: &mut Answer, interrupt: &AtomicBool) -> anyhow::Result<()> {
    let Some(violation) = &mut answer.violation else { return Ok(()) };
    if let Some(folder) = &args.reproducer {
        let (reproducer, _) = reproduce(loaded, violation.entry, &violation.inputs, interrupt)
            .map_err(|reason| anyhow::anyhow!("there is no reproducer: {reason}"))?;
        reproducer.write_to(folder).with_context(|| format!("cannot write {}", folder.display()))?;
    }
    if args.confirm {
        let config = ConfirmConfig { time: CONFIRM_TIME, memory: CONFIRM_MEMORY, interrupt };
        violation.confirmation = Some(confirm(loaded, violation.entry, &violation.inputs, &config));
    }
    Ok(())
}
