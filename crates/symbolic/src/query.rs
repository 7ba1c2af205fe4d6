//! What an engine is asked.

use aback_ir::{ClassId, MethodId, Point};
use rustc_hash::FxHashSet;

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
