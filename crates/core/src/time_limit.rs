//! Tells analyses of the whole program when they have to give up.

use crate::check::CheckConfig;
use aback_symbolic::Gap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time after the deadline that the analyses may take, so that answers tell their bounds although the time is up.
const GRACE: Duration = Duration::from_secs(1);

/// The time limit and the interrupt of a question.
pub(crate) struct TimeLimit {
    deadline: Option<Instant>,
    interrupt: Arc<AtomicBool>,
}

impl TimeLimit {
    /// The limit of a question that was asked at `start`.
    pub(crate) fn new(config: &CheckConfig, start: Instant) -> Self {
        let end = config.timeout.and_then(|timeout| timeout.checked_add(GRACE));
        TimeLimit { deadline: end.and_then(|end| start.checked_add(end)), interrupt: Arc::clone(&config.interrupt) }
    }

    /// Whether analyses have to give up.
    pub(crate) fn is_over(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }

    /// The reason why something was given up.
    pub(crate) fn gap(&self) -> Gap {
        gap(&self.interrupt)
    }
}

/// The reason why something was given up: the interrupt, or else the time limit.
pub(crate) fn gap(interrupt: &AtomicBool) -> Gap {
    if interrupt.load(Ordering::Relaxed) { Gap::Interrupted } else { Gap::Time }
}
