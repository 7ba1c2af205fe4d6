//! Defines the options and the bounds of an exploration.

use aback_logic::Rule;
use aback_symbolic::Budget;

/// The order in which states are continued.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Search {
    /// Breadth first: the state that has waited longest (paper 4, algorithm 5). Finds short counterexamples first.
    #[default]
    Breadth,
    /// Depth first: the newest state. Needs the least memory, but may stay in a loop.
    Depth,
    /// The state that is nearest to a target of the query, by distance in the inter-procedural control-flow graph.
    Directed,
    /// Any state, each with the same probability.
    Random,
    /// The state at the place that the fewest states have been taken from.
    Coverage,
}

/// When a branch that intervals do not decide is checked for feasibility (paper 4, section 3.4.1). Where one side is a trap or a violation,
/// it always is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pruning {
    /// At no other branch.
    Never,
    /// At each branch: the paper's pair (p, a) = (1, 0).
    #[default]
    Constant,
    /// With a probability that rises with each check that excludes a side, and falls with each other one. All are in thousandths.
    Varying {
        /// The probability at the start: p.
        start: u32,
        /// How much it rises: a.
        rise: u32,
        /// How much it falls, down to 50: a.
        fall: u32,
    },
}

impl Pruning {
    /// The paper's pair (0.25, 0).
    pub const PROBABILISTIC: Pruning = Pruning::Varying { start: 250, rise: 0, fall: 0 };
    /// The paper's pair (0.5, 0.05).
    pub const ADAPTIVE: Pruning = Pruning::Varying { start: 500, rise: 50, fall: 50 };
    /// What the paper recommends instead (chapter 6): it starts high, rises fast and falls slowly.
    pub const EAGER: Pruning = Pruning::Varying { start: 1000, rise: 250, fall: 10 };
}

/// The kind of symbolic heap that the states have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HeapKind {
    /// The heap that combines known identities, arrays for the input and guarded value sets ([`aback_heap::Combined`]).
    #[default]
    Combined,
    /// Lazy initialization ([`aback_heap::Lazy`]).
    Lazy,
    /// Symbolic initialization ([`aback_heap::Symbolic`]).
    Symbolic,
    /// The theory of arrays ([`aback_heap::Arrays`]).
    Arrays,
}

/// What becomes of a reference that may be one of several allocated objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Choices {
    /// It stays a choice: each access reads or writes all of the objects under conditions.
    #[default]
    Keep,
    /// If there are few, the path forks before the reference is compared or dereferenced. Only [`HeapKind::Combined`] does so.
    Split,
}

/// Whether states at the same place are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Merging {
    /// Never: each path is followed separately.
    #[default]
    Never,
    /// The ways from a branch to where they meet again are executed before anything else is, and the states that get
    /// there are joined where they have the same references.
    Regions,
    /// At control-flow joins, states wait until no other state can continue; those at the same place are then joined.
    Always,
}

/// Whether states are dropped that are instances of states that were at the same place before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Subsumption {
    /// No.
    #[default]
    Never,
    /// Yes, some time after forks, and while many states wait. Only [`HeapKind::Combined`] can compare states.
    Auto,
    /// Yes, wherever states can be compared.
    Always,
}

/// The options and the bounds of an exploration.
#[derive(Clone, Debug)]
pub struct Config {
    /// The order in which states are continued.
    pub search: Search,
    /// When branches are checked for feasibility.
    pub pruning: Pruning,
    /// Where the pseudorandom numbers of the search and of pruning start.
    pub seed: u64,
    /// Whether operations on concrete values are executed directly and not step by step. The result is the same, only
    /// faster.
    pub fast_path: bool,
    /// The kind of symbolic heap that the states have.
    pub heap: HeapKind,
    /// What becomes of a reference that may be one of several allocated objects.
    pub choices: Choices,
    /// Whether operations and branches that do not matter for the query are left out ([`aback_symbolic::Slice`]), unless each path is
    /// wanted.
    pub slice: bool,
    /// Whether states at the same place are joined, unless loops are executed in all numbers of iterations at once.
    pub merging: Merging,
    /// Whether states are dropped that are instances of earlier ones.
    pub subsumption: Subsumption,
    /// Whether loops are executed in all numbers of iterations at once, as far as that is possible. Only
    /// [`HeapKind::Combined`] can do so.
    pub loops: Loops,
    /// In which form the conditions of all iterations are asked about.
    pub loop_conditions: LoopConditions,
    /// Whether the ways to the places in question through summarised loops are shown.
    pub ways: bool,
    /// Greatest number of operations on one path; `None` for no bound.
    pub depth: Option<u64>,
    /// Most iterations of a loop in which an input decides something; `None` for no bound.
    pub unwind: Option<u32>,
    /// Whether states are dropped if control flow and constants show that no violation is ahead of them.
    pub ahead: bool,
    /// Most nested calls, that of the entry point included; `None` means no limit but that of the engine.
    pub call_depth: Option<usize>,
    /// Number of counterexamples to look for, each on its own path.
    pub counterexamples: usize,
    /// The simplification rules that are switched off.
    pub disabled_rules: Vec<Rule>,
    /// The limits of time, memory and work.
    pub budget: Budget,
}

/// The form of the conditions that all iterations of loops satisfy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LoopConditions {
    /// Both, side by side: the first one that excludes what is asked about counts.
    #[default]
    Both,
    /// What they say about more and more iterations (paper 5, section 6).
    Unfolded,
    /// With quantifiers.
    Quantified,
}

/// How loops are executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Loops {
    /// One iteration after the other.
    #[default]
    Unwound,
    /// In all numbers of iterations at once (paper 5, section 3.1).
    Light,
    /// In the same way, and the values behind a loop may depend on how often the loops within it run (section 3.3).
    Heavy,
}

/// Breadth first, constant pruning, no bounds.
impl Default for Config {
    fn default() -> Self {
        Config {
            search: Search::default(),
            pruning: Pruning::default(),
            seed: 0,
            fast_path: true,
            heap: HeapKind::default(),
            choices: Choices::default(),
            slice: true,
            merging: Merging::default(),
            subsumption: Subsumption::default(),
            loops: Loops::Unwound,
            loop_conditions: LoopConditions::default(),
            ways: false,
            depth: None,
            unwind: None,
            ahead: true,
            call_depth: None,
            counterexamples: 1,
            disabled_rules: Vec::new(),
            budget: Budget::default(),
        }
    }
}
