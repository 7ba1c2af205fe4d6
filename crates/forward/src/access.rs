//! Accesses to the heap: their effects on the path, and forks where the heap splits.

use crate::config::Choices;
use crate::engine::{Engine, Flow, TAKEN_FOR_ANOTHER};
use crate::feasibility::Side;
use crate::state::{Holding, State};
use aback_heap::{Access, Blocked, Decision, Heap, Meaning, Outcome, Scope, Value};
use aback_ir::{Body, MethodId};
use aback_logic::{Pool, Term};
use aback_smt::{Feasibility, PathCondition};
use aback_symbolic::expr::PreparedBody;

/// Most operations of a method that is executed as far as the input heap is known.
const MOST_KNOWN: u64 = 2_000;

/// Whether a reference of the input heap gets a meaning by a decision. The other decisions are about types.
fn gives_meaning(decision: &Decision) -> bool {
    matches!(decision.meaning, Meaning::Null | Meaning::AliasOf(_) | Meaning::New(..))
}

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
            splits_choices: self.config.choices == Choices::Split,
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
            Stop::Split(outcomes) if self.is_beyond_the_known(state, &outcomes) => self.presume(state),
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
            // A heap leaves other references as they are.
            if !matches!(value, Value::Term(_)) {
                continue;
            }
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
                && self.call_conditions(&mut fork, decision.as_ref().is_some_and(gives_meaning))
            {
                forks.push(fork);
            }
        }
        forks
    }

    /// Calls the methods that must return `true` for the path to continue. Afterwards, the state repeats its operation.
    /// `is_decided`: a reference of the input heap has got a meaning.
    fn call_conditions(&mut self, state: &mut State<H>, is_decided: bool) -> bool {
        // Methods behind the end of the path check all anyway.
        if is_decided && self.valid.along && state.holding() != Some(Holding::AtEnd) {
            let until = state.depth + MOST_KNOWN;
            if !self.call_guards(state, Holding::Known(until)) {
                return false;
            }
        }
        let conditions = state.observer.as_mut().map(|observer| observer.conditions()).unwrap_or_default();
        conditions.into_iter().all(|(method, args)| self.call_condition(state, method, &args, Holding::Fully))
    }

    /// Calls the methods that say whether the arguments of the entry point are valid.
    pub(crate) fn call_guards(&mut self, state: &mut State<H>, holding: Holding) -> bool {
        let guards = self.valid.guards.iter();
        let calls: Vec<_> = guards.filter_map(|&(index, guard)| Some((guard, self.arguments.get(index)?.0))).collect();
        calls.into_iter().all(|(guard, argument)| self.call_condition(state, guard, &[argument], holding))
    }

    /// Calls a method that must return `true` for the path to continue. It sees the heap at entry, because the program may
    /// have changed its objects.
    fn call_condition(&mut self, state: &mut State<H>, method: MethodId, args: &[Value], holding: Holding) -> bool {
        if state.suspended.is_none() {
            let at_entry = state.heap.before();
            state.suspended = Some(std::mem::replace(&mut state.heap, at_entry));
        }
        let is_entered = matches!(self.enter(state, method, args, None), Flow::Jumped);
        state.frame.must_hold = Some(holding);
        is_entered
    }

    /// Whether a method that is executed as far as the input heap is known examines a reference without a meaning.
    fn is_beyond_the_known(&self, state: &State<H>, outcomes: &[Outcome<H>]) -> bool {
        matches!(state.holding(), Some(Holding::Known(_)))
            && outcomes.iter().any(|outcome| outcome.decision.as_ref().is_some_and(gives_meaning))
    }

    /// Takes the result of the innermost method that decides whether the path continues for `true`.
    pub(crate) fn presume(&mut self, state: &mut State<H>) -> Flow {
        while let Some(left) = state.leave() {
            if left.must_hold.is_some() {
                self.resume(state);
                return Flow::Jumped;
            }
        }
        Flow::End
    }

    /// Goes back to the heap of the program if no method runs any more that decides whether the path continues. What these
    /// have decided about references is kept.
    pub(crate) fn resume(&mut self, state: &mut State<H>) {
        if !state.frames().any(|frame| frame.must_hold.is_some())
            && let Some(mut heap) = state.suspended.take()
        {
            heap.learn(&state.heap);
            state.heap = heap;
        }
    }

    /// Passes decisions to the path's observer, and assumes what it says. Returns whether the path continues.
    fn hear(&mut self, state: &mut State<H>, decisions: &[Decision]) -> bool {
        let Some(observer) = &mut state.observer else { return true };
        if !decisions.iter().all(|decision| observer.hear(&mut self.pool, decision)) {
            return false;
        }
        let constraint = observer.constraint(&mut self.pool);
        constraint.is_none_or(|constraint| self.assume(state, constraint))
    }
}
