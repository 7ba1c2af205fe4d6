//! Limits the work of an engine and reports its progress.

use crate::claim::Gap;
use aback_logic::Pool;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// A source of the current time.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Instant + Send + Sync>);

impl Clock {
    /// A clock that calls `now`, so that tests of limits do not depend on the system's clock.
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

/// The bounds of an engine's work as a whole. The default has none.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// The time at which to stop.
    pub deadline: Option<Instant>,
    /// The clock to which the deadline refers.
    pub clock: Clock,
    /// Greatest number of operations of an engine; `None` for no bound. Unlike the deadline, this bound does not depend
    /// on the speed of the machine.
    pub operations: Option<u64>,
    /// Number of operations done so far.
    pub done: Arc<AtomicU64>,
    /// Greatest memory use of the process in bytes; `None` for no bound.
    pub memory: Option<u64>,
    /// Stops the work when set.
    pub interrupt: Arc<AtomicBool>,
    /// The progress that the engine reports.
    pub progress: Arc<Progress>,
    /// A number of iterations of a loop with which the conditions of all iterations are satisfiable, for engines that unwind
    /// loops; 0 if none is known. It is a guess.
    pub iterations: Arc<AtomicU32>,
}

impl Budget {
    /// The reason to stop if the time is up, the work was interrupted, or the bound of operations was reached.
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

    /// Makes operations on terms check this budget, too ([`Pool::watch`]).
    pub fn watch(&self, pool: &mut Pool) {
        let budget = self.clone();
        pool.watch(move || budget.out_of_time().is_some());
    }

    /// Why operations on terms were stopped, if they were. The engine must discard later results and add the reason to
    /// its gaps.
    pub fn stopped(&self, pool: &Pool) -> Option<Gap> {
        pool.is_stopped().then(|| self.out_of_time().unwrap_or(Gap::Interrupted))
    }

    /// The reason to stop if the process uses more memory than allowed. Takes some microseconds.
    pub fn out_of_memory(&self) -> Option<Gap> {
        let used = self.memory.and_then(|limit| Some((limit, resident_memory()?)));
        used.is_some_and(|(limit, used)| used > limit).then_some(Gap::Memory)
    }
}

/// The progress of an exploration, for other threads to read. The counters are those of [`crate::Work`].
#[derive(Debug, Default)]
pub struct Progress {
    /// Number of operations executed on all paths.
    pub operations: AtomicU64,
    /// Number of paths that ended.
    pub paths: AtomicU64,
    /// Number of states that wait now.
    pub waiting: AtomicU64,
    /// Number of operations on the longest path.
    pub depth: AtomicU64,
}

/// The memory use of this process in bytes, if the system reports it.
fn resident_memory() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
