//! How to explore, and up to which bounds.

use aback_logic::Rule;
use aback_symbolic::Budget;

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

/// Which symbolic heap the states have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HeapKind {
    /// The one that combines known identities, arrays for the input and guarded references ([`aback_heap::Combined`]).
    #[default]
    Combined,
}

/// Whether states that meet become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Merging {
    /// No: each path is followed by itself.
    #[default]
    Never,
    /// Where control joins, states wait until no other state can go on; those that are at one place then become one. That is no policy for
    /// users, because it costs more than it saves: it is there to show that states can be joined.
    Always,
}

/// How the exploration goes about it, and when it gives up.
#[derive(Clone, Debug)]
pub struct Config {
    /// Which state is continued next.
    pub search: Search,
    /// When branches are checked for feasibility.
    pub pruning: Pruning,
    /// Whether operations on concrete values are done in one go, not step by step: faster, and the same.
    pub fast_path: bool,
    /// Which symbolic heap the states have.
    pub heap: HeapKind,
    /// Whether states that meet become one.
    pub merging: Merging,
    /// Most operations on one path; `None`: no bound.
    pub depth: Option<u64>,
    /// How many counterexamples to look for, each on a path of its own.
    pub counterexamples: usize,
    /// Rules of simplification that are switched off.
    pub disabled_rules: Vec<Rule>,
    /// When to stop.
    pub budget: Budget,
}

/// Breadth first, constant pruning, no bounds.
impl Default for Config {
    fn default() -> Self {
        Config {
            search: Search::default(),
            pruning: Pruning::default(),
            fast_path: true,
            heap: HeapKind::default(),
            merging: Merging::default(),
            depth: None,
            counterexamples: 1,
            disabled_rules: Vec::new(),
            budget: Budget::default(),
        }
    }
}
