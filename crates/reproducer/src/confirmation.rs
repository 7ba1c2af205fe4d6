//! Defines the result of running a counterexample, and the resources of the run.

use crate::sandbox::{Isolation, Sandboxing};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The resources of a confirmation.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Time for the compiler and the runtime together.
    pub time: Duration,
    /// Memory for the heap of the runtime, in megabytes.
    pub memory: u64,
    /// When it runs in a sandbox.
    pub sandbox: Sandboxing,
    /// Stops the run when set.
    pub interrupt: &'a AtomicBool,
}

impl Limits<'_> {
    /// Why a run was stopped.
    pub(crate) fn stopped(&self) -> &'static str {
        match self.interrupt.load(Ordering::Relaxed) {
            true => "interrupted",
            false => "time limit",
        }
    }
}

/// Where a counterexample has run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Runtime {
    /// The name and version of the runtime: `openjdk 17.0.15`.
    pub name: String,
    /// What kept the program from doing harm.
    pub isolation: Isolation,
}

/// The result of running a counterexample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Confirmation {
    /// The run ended as predicted.
    Confirmed {
        /// The runtime.
        runtime: Runtime,
    },
    /// The run ended differently.
    Differs {
        /// The runtime.
        runtime: Runtime,
        /// How the run ended.
        found: String,
    },
    /// The counterexample could not be run.
    NotRun {
        /// The reason.
        reason: String,
    },
}
