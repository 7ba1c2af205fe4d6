//! How the backward engine goes about it, and when it gives up.

use aback_logic::Rule;
use aback_symbolic::Budget;

/// How conditions are carried from the target to the entry point (paper 1, section 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Variant {
    /// Disjunct propagation, a set of terms for each node (paper 1: `Disj_Set`).
    DisjSet,
    /// Disjunct propagation, one term for each node (paper 1: `Disj_Z3`).
    DisjTerm,
    /// Disjunct propagation, a set of terms which is one term where ways come together (paper 1: `Disj_Comb`).
    DisjCombined,
    /// Conjunct combination, with a solver asked at the entry point only.
    #[default]
    ConjNever,
    /// Conjunct combination, with a solver asked at every node.
    ConjAlways,
    /// Conjunct combination, with a solver asked where iterations of loops start.
    ConjLoops,
    /// Path by path, depth first (paper 2).
    Paths,
}

/// How the heap is put into formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// Each read by a value of its own, related to the writes that it may meet by equalities of references.
    #[default]
    Reads,
    /// Fields as arrays with versions (paper 1, figures 4 and 5).
    Arrays,
}

/// How the engine goes about it, and when it gives up.
#[derive(Clone, Debug)]
pub struct Config {
    /// How conditions are carried.
    pub variant: Variant,
    /// How the heap is put into formulas.
    pub encoding: Encoding,
    /// Whether what is known forward (constants, objects that references point to) makes the program smaller.
    pub facts: bool,
    /// Whether what does not matter to the query is left out ([`Query::focus`](aback_symbolic::Query::focus)). It takes
    /// facts: without them, the graph is that of the whole program.
    pub slice: bool,
    /// Whether what comes with the language and is needed more than once is made at the start. It takes facts.
    pub hoisting: bool,
    /// Most iterations of a loop, and most activations of a recursive method, whose number is not known; `None`: as many as
    /// it takes.
    pub unwind: Option<u32>,
    /// Most nodes of the unwound program.
    pub nodes: usize,
    /// How many counterexamples to look for, each on a path of its own. Whatever the variant, those after the first are looked for
    /// path by path.
    pub counterexamples: usize,
    /// Whether the conditions at the nodes are kept for people ([`crate::Findings::conditions`]).
    pub show_conditions: bool,
    /// Rules of simplification that are switched off.
    pub disabled_rules: Vec<Rule>,
    /// When to stop.
    pub budget: Budget,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            variant: Variant::default(),
            encoding: Encoding::default(),
            facts: true,
            slice: true,
            hoisting: true,
            unwind: None,
            nodes: 4_000_000,
            counterexamples: 1,
            show_conditions: false,
            disabled_rules: Vec::new(),
            budget: Budget::default(),
        }
    }
}
