//! A solver that keeps the common prefix of consecutive questions asserted.

use crate::solver::{Approach, Check, Solver};
use crate::statistics::Stage;
use aback_logic::{Model, Pool, Term};
use std::time::Duration;

/// Number of the last formulas that get a level each, so that backtracking a few steps removes only those formulas.
const FINE: usize = 32;

/// A solver with formulas asserted in order. Each question is aligned with the previous one: their common prefix
/// stays asserted.
pub(super) struct Incremental {
    solver: Box<dyn Solver>,
    asserted: Vec<Term>,
    /// The index in `asserted` at which each level begins.
    levels: Vec<usize>,
    told: u64,
}

impl Incremental {
    pub(super) fn new(solver: Box<dyn Solver>) -> Self {
        Incremental { solver, asserted: Vec::new(), levels: Vec::new(), told: 0 }
    }

    pub(super) fn set_time_limit(&mut self, limit: Duration) {
        self.solver.set_time_limit(Some(limit));
    }

    /// Makes `formulas` the asserted formulas. Returns how many had to be asserted.
    pub(super) fn align(&mut self, pool: &Pool, formulas: &[Term]) -> u64 {
        let common = self.asserted.iter().zip(formulas).take_while(|(a, b)| a == b).count();
        // Levels are popped as a whole: pop those that end after the first difference.
        let end = |level: usize| self.levels.get(level + 1).copied().unwrap_or(self.asserted.len());
        let kept = (0..self.levels.len()).take_while(|&level| end(level) <= common).count();
        self.solver.pop(self.levels.len() - kept);
        self.asserted.truncate(self.levels.get(kept).copied().unwrap_or(common));
        self.levels.truncate(kept);
        let from = self.asserted.len();
        let new = &formulas[from..];
        let (coarse, fine) = new.split_at(new.len().saturating_sub(FINE));
        for group in [coarse].into_iter().chain(fine.chunks(1)).filter(|group| !group.is_empty()) {
            self.solver.push();
            self.levels.push(self.asserted.len());
            for &formula in group {
                self.solver.assert(pool, formula);
                self.asserted.push(formula);
            }
        }
        let number = new.len() as u64;
        self.told += number;
        number
    }

    /// The number of formulas that the solver has received since it started.
    pub(super) fn told(&self) -> u64 {
        self.told
    }

    pub(super) fn check(&mut self, pool: &Pool, formula: Term) -> Check {
        self.told += 1;
        self.solver.check(pool, &[formula])
    }

    /// Some of `formulas` that have no common model with what is asserted.
    ///
    /// # Errors
    ///
    /// The solver does not find that all of them have none.
    pub(super) fn core(&mut self, pool: &Pool, formulas: &[Term]) -> Result<Vec<Term>, Check> {
        self.told += formulas.len() as u64;
        match self.solver.check(pool, formulas) {
            Check::Unsat => Ok(self.solver.unsat_core()),
            other => Err(other),
        }
    }

    /// The answer to a question that shares nothing with other questions.
    pub(super) fn check_afresh(&mut self, pool: &Pool, formulas: &[Term], approach: Approach) -> Check {
        self.solver.check_afresh(pool, formulas, approach)
    }

    /// See [`Solver::counts`].
    pub(super) fn counts(&mut self) -> Vec<(String, Stage)> {
        self.solver.counts()
    }

    pub(super) fn model(&mut self, pool: &Pool) -> Option<Model> {
        self.solver.model(pool)
    }
}
