//! Decides partial heaps by bounded model finding instead of incrementally: asks the solver whether a heap with few objects completes
//! them (the technique "Alloy" of paper 3, section 5). It is slower, and recognizes conflicts between sentences that no reference
//! violates. A heap that needs more objects is left out, which is a bound.

use super::propositions::Propositions;
use aback_hex::bounded::completion;
use aback_hex::{Invariants, Partial};
use aback_ir::Program;
use aback_logic::Pool;
use aback_smt::{Chain, Config, Feasibility};
use std::cell::Cell;
use std::time::Instant;

/// Looks for heaps that complete partial ones.
pub(super) struct ModelFinder {
    scope: usize,
    solver: Config,
    deadline: Cell<Option<Instant>>,
    has_excluded: Cell<bool>,
}

impl ModelFinder {
    /// Looks for heaps with at most `scope` objects.
    pub(super) fn new(scope: usize, solver: &Config) -> ModelFinder {
        ModelFinder { scope, solver: solver.clone(), deadline: Cell::default(), has_excluded: Cell::default() }
    }

    pub(super) fn set_deadline(&self, deadline: Option<Instant>) {
        self.deadline.set(deadline);
    }

    /// Whether a heap with few objects may complete the partial heap: it does, or that is unknown.
    pub(super) fn may_complete(&self, invariants: &Invariants, program: &Program, partial: &Partial) -> bool {
        // The error was reported when the engine made its own chain.
        let Ok(mut chain) = Chain::new(&self.solver) else { return true };
        chain.set_deadline(self.deadline.get());
        let mut pool = Pool::new();
        let Some(formula) = completion(&mut Propositions(&mut pool), invariants, program, partial, self.scope) else {
            return true;
        };
        let path = chain.path();
        let may_complete = !matches!(chain.check_alone(&mut pool, &path, formula), Feasibility::Infeasible);
        self.has_excluded.set(self.has_excluded.get() || !may_complete);
        may_complete
    }

    /// The bound that a proof has.
    pub(super) fn bound(&self) -> Option<String> {
        let scope = self.scope;
        self.has_excluded.get().then(|| format!("inputs that satisfy the invariants have at most {scope} objects"))
    }
}
