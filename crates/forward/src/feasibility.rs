//! Conditions that are added to a path, and the question whether they are possible.

use crate::engine::{Engine, PathModel};
use crate::state::State;
use aback_heap::Heap;
use aback_logic::Term;
use aback_smt::Feasibility;
use std::rc::Rc;
use std::time::Instant;

/// The possible values of a condition on a path.
pub(crate) struct Sides {
    pub(crate) yes: Side,
    pub(crate) no: Side,
}

impl Sides {
    /// Whether one value is impossible.
    fn exclude_one(&self) -> bool {
        matches!(self.yes, Side::Infeasible) || matches!(self.no, Side::Infeasible)
    }
}

/// Whether one of the two values is possible.
pub(crate) enum Side {
    /// It is impossible.
    Infeasible,
    /// It is possible, as this model shows.
    Feasible(PathModel),
    /// It was not checked (`None`), or the solver could not decide it, with its reason.
    Unknown(Option<String>),
    /// It is the only possible value.
    Certain,
}

impl<H: Heap> Engine<'_, H> {
    /// Adds conditions to a path. Returns whether intervals still allow it.
    pub(crate) fn assume_all(&mut self, state: &mut State<H>, conditions: &[Term]) -> bool {
        conditions.iter().all(|&condition| self.assume(state, condition))
    }

    /// Adds a condition to a path. Returns whether intervals still allow it.
    pub(crate) fn assume(&mut self, state: &mut State<H>, condition: Term) -> bool {
        state.path.assume(&mut self.pool, condition).is_ok()
    }

    /// Adds a condition whose feasibility `side` gives. Returns whether the path continues.
    pub(crate) fn take(&mut self, state: &mut State<H>, condition: Term, side: Side) -> bool {
        match side {
            Side::Infeasible => false,
            Side::Certain => self.assume(state, condition),
            Side::Unknown(_) => self.assume(state, condition),
            Side::Feasible(model) => {
                let is_current = |current: &PathModel| Rc::ptr_eq(current, &model);
                state.deviations += u32::from(!state.path.current_model().is_some_and(is_current));
                let possible = self.assume(state, condition);
                state.path.set_current_model(model);
                possible
            }
        }
    }

    /// The possible values of a condition on a path, checked according to the pruning policy.
    pub(crate) fn branch(&mut self, state: &State<H>, condition: Term) -> Sides {
        if let Some(sides) = self.decided(state, condition) {
            return sides;
        }
        if !self.prunes() {
            return Sides { yes: Side::Unknown(None), no: Side::Unknown(None) };
        }
        self.pruning(|engine| engine.both(state, condition), Sides::exclude_one)
    }

    /// Whether a condition is possible on a path, checked according to the pruning policy.
    pub(crate) fn possible(&mut self, state: &State<H>, condition: Term) -> Side {
        if let Some(sides) = self.decided(state, condition) {
            return sides.yes;
        }
        if !self.prunes() {
            return Side::Unknown(None);
        }
        self.pruning(|engine| engine.side(state, condition), |side| matches!(side, Side::Infeasible))
    }

    /// Checks a branch, and learns whether that has excluded a side.
    fn pruning<T>(&mut self, check: impl FnOnce(&mut Self) -> T, excludes: impl FnOnce(&T) -> bool) -> T {
        let begin = Instant::now();
        let answer = check(self);
        self.pruner.learn(excludes(&answer));
        self.result.work.pruning += begin.elapsed();
        answer
    }

    /// The possible values of a condition on a path, if one of them is a violation or an exception.
    pub(crate) fn trap_sides(&mut self, state: &State<H>, condition: Term) -> Sides {
        match self.decided(state, condition) {
            Some(sides) => sides,
            None => self.both(state, condition),
        }
    }

    /// Whether a branch is checked that intervals do not decide.
    fn prunes(&mut self) -> bool {
        self.result.work.undecided += 1;
        self.result.work.chances += u64::from(self.pruner.probability());
        self.pruner.is_due()
    }

    fn decided(&self, state: &State<H>, condition: Term) -> Option<Sides> {
        Some(match state.path.domain().decide(&self.pool, condition)? {
            true => Sides { yes: Side::Certain, no: Side::Infeasible },
            false => Sides { yes: Side::Infeasible, no: Side::Certain },
        })
    }

    fn both(&mut self, state: &State<H>, condition: Term) -> Sides {
        let negated = self.pool.not(condition);
        let yes = self.side(state, condition);
        let feasible = state.path.current_model().is_some();
        // A feasible path has at least one feasible side.
        let no = if feasible && matches!(yes, Side::Infeasible) { Side::Certain } else { self.side(state, negated) };
        let yes = if feasible && matches!(no, Side::Infeasible) { Side::Certain } else { yes };
        let sides = Sides { yes, no };
        self.result.work.pruned += u64::from(sides.exclude_one());
        sides
    }

    fn side(&mut self, state: &State<H>, condition: Term) -> Side {
        match self.chain.check(&mut self.pool, &state.path, condition) {
            Feasibility::Feasible(model) => Side::Feasible(model),
            Feasibility::Infeasible => Side::Infeasible,
            Feasibility::Unknown(reason) => Side::Unknown(Some(reason.to_string())),
        }
    }
}
