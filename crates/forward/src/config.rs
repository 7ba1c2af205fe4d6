//! What to explore, how, and up to which bounds.

use aback_ir::{ClassId, MethodId, Point};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Instant;

/// The question.
#[derive(Clone, Debug)]
pub struct Query {
    /// Where execution starts, with any input.
    pub entry: MethodId,
    /// Whether a false assertion, or a false contract, is a violation. If not, it just ends its execution.
    pub assertions: bool,
    /// Which exceptions that leave the entry point are violations.
    pub uncaught: Uncaught,
    /// Only violations at these points count; `None`: all do. An execution ends at any violation.
    pub at: Option<FxHashSet<(MethodId, Point)>>,
}

/// Which exceptions that leave the entry point are violations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uncaught {
    /// None.
    Never,
    /// All.
    Any,
    /// Instances of this class.
    InstancesOf(ClassId),
}

/// Which state is continued next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Search {
    /// The one that waits longest (paper 4, algorithm 5): finds short counterexamples first.
    #[default]
    Breadth,
    /// The newest: needs least memory, dives into loops.
    Depth,
    /// The one nearest to what is asked, by distance in the inter-procedural control-flow graph.
    Directed,
}

/// When a branch is checked for feasibility by more than intervals (paper 4, section 3.4.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pruning {
    /// Only where a violation is at stake.
    Never,
    /// At each branch.
    #[default]
    Constant,
}

/// How the exploration goes about it, and when it gives up.
#[derive(Clone, Debug)]
pub struct Config {
    /// Which state is continued next.
    pub search: Search,
    /// When branches are checked for feasibility.
    pub pruning: Pruning,
    /// Whether branches and values are decided by intervals (paper 4, sections 3.4.2 and 3.4.3). Without, only constants
    /// decide; the heap compares references and indices by what is known all the same.
    pub intervals: bool,
    /// Most operations on one path; `None`: no bound.
    pub depth: Option<u64>,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Most memory of the process in bytes; `None`: no bound.
    pub memory: Option<u64>,
    /// Stops the exploration when set.
    pub interrupt: Arc<AtomicBool>,
    /// Is told how far the exploration has come.
    pub progress: Arc<Progress>,
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

/// Breadth first, constant pruning, intervals, no bounds.
impl Default for Config {
    fn default() -> Self {
        Config {
            search: Search::default(),
            pruning: Pruning::default(),
            intervals: true,
            depth: None,
            deadline: None,
            memory: None,
            interrupt: Arc::default(),
            progress: Arc::default(),
        }
    }
}
