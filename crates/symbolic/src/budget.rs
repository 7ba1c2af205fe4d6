//! When an engine gives up, and how far it has come.

use crate::claim::Gap;
use aback_logic::Pool;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Tells the time.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Instant + Send + Sync>);

impl Clock {
    /// A clock of one's own: tests of limits depend on no other.
    pub fn new(now: impl Fn() -> Instant + Send + Sync + 'static) -> Self {
        Clock(Arc::new(now))
    }
}

impl Default for Clock {
    fn default() -> Self {
        Clock::new(Instant::now)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// Bounds of an engine's work as a whole. The default has none.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// What tells the time.
    pub clock: Clock,
    /// Most operations of an engine; `None`: no bound. What is left undone then does not depend on how fast the machine is.
    pub operations: Option<u64>,
    /// Operations done so far.
    pub done: Arc<AtomicU64>,
    /// Most memory of the process in bytes; `None`: no bound.
    pub memory: Option<u64>,
    /// Stops the work when set.
    pub interrupt: Arc<AtomicBool>,
    /// Is told how far the work has come.
    pub progress: Arc<Progress>,
}

impl Budget {
    /// Whether the time is up, the work was interrupted, or enough was done: why to stop.
    pub fn out_of_time(&self) -> Option<Gap> {
        let is_enough = |most: &u64| self.done.load(Ordering::Relaxed) >= *most;
        if self.interrupt.load(Ordering::Relaxed) {
            Some(Gap::Interrupted)
        } else if let Some(most) = self.operations.filter(is_enough) {
            Some(Gap::Operations(most))
        } else {
            self.deadline.is_some_and(|deadline| (self.clock.0)() >= deadline).then_some(Gap::Time)
        }
    }

    /// Has work on terms look at the time, too ([`Pool::watch`]).
    pub fn watch(&self, pool: &mut Pool) {
        let budget = self.clone();
        pool.watch(move || budget.out_of_time().is_some());
    }

    /// Why work on terms was stopped, if it was: what an engine made of them since does not count, and the reason is among
    /// its gaps.
    pub fn stopped(&self, pool: &Pool) -> Option<Gap> {
        pool.is_stopped().then(|| self.out_of_time().unwrap_or(Gap::Interrupted))
    }

    /// Whether the process takes more memory than it may: why to stop. Takes some microseconds.
    pub fn out_of_memory(&self) -> Option<Gap> {
        let used = self.memory.and_then(|limit| Some((limit, resident_memory()?)));
        used.is_some_and(|(limit, used)| used > limit).then_some(Gap::Memory)
    }
}

/// How far an exploration has come, for another thread to look at. The counters are those of [`crate::Work`].
#[derive(Debug, Default)]
pub struct Progress {
    /// Operations executed, on all paths.
    pub operations: AtomicU64,
    /// Paths that came to an end.
    pub paths: AtomicU64,
    /// States that wait now.
    pub waiting: AtomicU64,
    /// Operations on the longest path.
    pub depth: AtomicU64,
}

/// Memory of this process in bytes, where the system tells.
fn resident_memory() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
