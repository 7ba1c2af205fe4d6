//! Accesses to the heap: their effects on the path, and forks where the heap splits.

use crate::engine::{Engine, Flow, TAKEN_FOR_ANOTHER};
use crate::feasibility::Side;
use crate::state::State;
use aback_heap::{Access, Blocked, Decision, Heap, Outcome, Scope};
use aback_ir::Body;
use aback_logic::{Pool, Term};
use aback_smt::{Feasibility, PathCondition};
use aback_symbolic::expr::PreparedBody;

/// The axioms and decisions of a heap operation about the input heap.
#[derive(Default)]
pub(crate) struct Met {
    axioms: Vec<Term>,
    decisions: Vec<Decision>,
}

impl Met {
    /// The axioms.
    pub(crate) fn axioms(&self) -> &[Term] {
        &self.axioms
    }
}

/// Why a heap operation had no result.
pub(crate) enum Stop<H> {
    /// The path continues otherwise or ends.
    Flow(Flow),
    /// The heap must be split first.
    Split(Vec<Outcome<H>>),
}

impl<H: Heap> Engine<'_, H> {
    /// The result of a heap operation on a path. Its axioms and decisions are added to `met`.
    pub(crate) fn on_heap<R>(
        &mut self,
        path: &PathCondition,
        is_observed: bool,
        met: &mut Met,
        operation: impl FnOnce(&mut Scope) -> R,
    ) -> R {
        let chain = &mut *self.chain;
        let mut satisfiable =
            |pool: &mut Pool, condition: Term| !matches!(chain.check(pool, path, condition), Feasibility::Infeasible);
        operation(&mut Scope {
            pool: &mut self.pool,
            program: self.program,
            layout: &self.layout,
            input: &mut self.input,
            identities: &self.identities,
            domain: path.domain(),
            satisfiable: &mut satisfiable,
            axioms: &mut met.axioms,
            decisions: &mut met.decisions,
            is_observed,
        })
    }

    /// Executes a heap operation and adds its axioms to the path. If the heap splits, the state is forked, and each
    /// fork repeats its whole operation: no part of the operation has had an effect yet.
    pub(crate) fn access<R>(
        &mut self,
        state: &mut State<H>,
        operation: impl FnOnce(&mut H, &mut Scope) -> Access<H, R>,
    ) -> Result<R, Flow> {
        self.try_access(state, operation).map_err(|stop| match stop {
            Stop::Flow(flow) => flow,
            Stop::Split(outcomes) => {
                for fork in self.split(state, outcomes) {
                    self.forked(fork);
                }
                Flow::Moved
            }
        })
    }

    pub(crate) fn try_access<R>(
        &mut self,
        state: &mut State<H>,
        operation: impl FnOnce(&mut H, &mut Scope) -> Access<H, R>,
    ) -> Result<R, Stop<H>> {
        let mut met = Met::default();
        let heap = &mut state.heap;
        let result = self.on_heap(&state.path, state.observer.is_some(), &mut met, |scope| operation(heap, scope));
        let possible = self.assume_all(state, &met.axioms) && self.hear(state, &met.decisions);
        // If term construction was stopped, the result is incomplete and the path ends.
        if !possible || self.pool.is_stopped() {
            return Err(Stop::Flow(Flow::End));
        }
        result.map_err(|blocked| match blocked {
            Blocked::NoSuchCell => Stop::Flow(self.unsupported(state, TAKEN_FOR_ANOTHER)),
            Blocked::Exhausted => Stop::Flow(self.unsupported(state, "more than 4,000,000,000 objects")),
            Blocked::Split(outcomes) => Stop::Split(outcomes),
        })
    }

    /// Decides what references mean that the operation at the state's place compares or dereferences, as the operations
    /// of paper 2 do.
    pub(crate) fn decide_examined(
        &mut self,
        state: &mut State<H>,
        body: &Body,
        code: &PreparedBody,
    ) -> Result<(), Flow> {
        for &local in code.examined(body, state.frame.at) {
            let (value, ty) = (state.frame.locals[local.index()], body.local(local).ty);
            state.frame.locals[local.index()] = self.access(state, |heap, scope| heap.decide(scope, value, ty))?;
        }
        Ok(())
    }

    /// The states with the heaps of the outcomes, without those that are infeasible.
    pub(crate) fn split(&mut self, state: &State<H>, outcomes: Vec<Outcome<H>>) -> Vec<State<H>> {
        let mut forks = Vec::new();
        for Outcome { condition, heap, decision } in outcomes {
            let side = self.possible(state, condition);
            if matches!(side, Side::Infeasible) {
                continue;
            }
            let mut fork = state.clone();
            fork.heap = heap;
            if self.take(&mut fork, condition, side)
                && self.hear(&mut fork, decision.as_slice())
                && self.call_conditions(&mut fork)
            {
                forks.push(fork);
            }
        }
        forks
    }

    /// Calls the methods that must return `true` for the path to continue. They see the heap at entry, because the program may
    /// have changed its objects. Afterwards, the state repeats its operation.
    fn call_conditions(&mut self, state: &mut State<H>) -> bool {
        let Some(observer) = &mut state.observer else { return true };
        let conditions = observer.conditions();
        if !conditions.is_empty() && state.suspended.is_none() {
            let at_entry = state.heap.before();
            state.suspended = Some(std::mem::replace(&mut state.heap, at_entry));
        }
        for (method, args) in conditions {
            if !matches!(self.enter(state, method, &args, None), Flow::Jumped) {
                return false;
            }
            state.frame.must_hold = true;
        }
        true
    }

    /// Passes decisions to the path's observer. Returns whether the path continues.
    fn hear(&mut self, state: &mut State<H>, decisions: &[Decision]) -> bool {
        match &mut state.observer {
            Some(observer) => decisions.iter().all(|decision| observer.hear(&mut self.pool, decision)),
            None => true,
        }
    }
}
