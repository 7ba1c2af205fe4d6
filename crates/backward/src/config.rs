//! Configures the backward engine.

use crate::trail::Trail;
use aback_logic::Rule;
use aback_symbolic::Budget;

/// How conditions are carried from the target to the entry point (paper 1, section 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Variant {
    /// Disjunct propagation, a set of terms for each node (paper 1: `Disj_Set`).
    DisjSet,
    /// Disjunct propagation, one term for each node (paper 1: `Disj_Z3`).
    DisjTerm,
    /// Disjunct propagation, a set of terms that becomes one term where paths join (paper 1: `Disj_Comb`).
    DisjCombined,
    /// Conjunct combination; a solver is asked at the entry point only.
    #[default]
    ConjNever,
    /// Conjunct combination; a solver is asked at every node.
    ConjAlways,
    /// Conjunct combination; a solver is asked where iterations of loops start.
    ConjLoops,
    /// Disjunct propagation while conditions are small, and conjunct combination where they grow (paper 1, sections 3.2
    /// and 7: the combination that it suggests). A solver is asked at the entry point only.
    Mixed,
    /// Conjunct combination first, and `Mixed` on the same graph if the solver does not soon know the answer.
    Both,
    /// Path by path, depth first (paper 2).
    Paths,
}

/// How formulas encode the heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// Each read has a value of its own. Equalities of references relate it to the writes that it may read from.
    #[default]
    Reads,
    /// Fields are arrays with versions (paper 1, figures 4 and 5).
    Arrays,
}

/// Settings of the backward engine.
#[derive(Clone, Debug)]
pub struct Config {
    /// How conditions are carried.
    pub variant: Variant,
    /// How formulas encode the heap.
    pub encoding: Encoding,
    /// Whether facts from the forward unwinding (constants, points-to sets) make the graph smaller.
    pub facts: bool,
    /// Whether facts from branches (intervals, conditions that are known, lengths and types that were read) make the graph
    /// smaller, too. This requires `facts`.
    pub branch_facts: bool,
    /// Whether code that is irrelevant to the query is left out ([`Query::focus`](aback_symbolic::Query::focus)).
    /// This requires `facts`; without them, the graph is that of the whole program.
    pub slice: bool,
    /// Whether platform classes and constants that are needed more than once are initialized at the start. This
    /// requires `facts`.
    pub hoisting: bool,
    /// Whether the search path by path learns from contradictory paths.
    pub learns: bool,
    /// Most iterations of a loop, and most activations of a recursive method, if their number is not known; `None`
    /// means no limit.
    pub unwind: Option<u32>,
    /// Most nested calls, that of the entry point included; `None` means no limit but that of the engine.
    pub call_depth: Option<usize>,
    /// Most nodes of the unwound program.
    pub nodes: usize,
    /// Number of counterexamples to look for, each on a path of its own. Those after the first are searched path by
    /// path, whatever the variant.
    pub counterexamples: usize,
    /// Whether the conditions at the nodes are kept for display ([`crate::Findings::conditions`]).
    pub show_conditions: bool,
    /// If set, only executions along this trail count, and loops are unwound to the bound `unwind` at once.
    pub trail: Option<Trail>,
    /// Simplification rules that are switched off.
    pub disabled_rules: Vec<Rule>,
    /// Limits of time, memory and operations, and the interrupt.
    pub budget: Budget,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            variant: Variant::default(),
            encoding: Encoding::default(),
            facts: true,
            branch_facts: true,
            slice: true,
            hoisting: true,
            learns: true,
            unwind: None,
            call_depth: None,
            nodes: 4_000_000,
            counterexamples: 1,
            show_conditions: false,
            trail: None,
            disabled_rules: Vec::new(),
            budget: Budget::default(),
        }
    }
}
