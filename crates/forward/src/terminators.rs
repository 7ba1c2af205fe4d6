//! Executes the terminators of blocks.

use crate::engine::{Engine, Flow};
use crate::feasibility::Side;
use crate::state::State;
use aback_heap::{Heap, Value};
use aback_ir::{BlockId, Body, Terminator, TerminatorKind, Type};
use aback_logic::Term;
use aback_symbolic::Gap;
use aback_symbolic::expr::{self, PreparedBody};
use num_bigint::BigInt;

impl<H: Heap> Engine<'_, H> {
    /// Executes a terminator. Never returns [`Flow::Next`].
    pub(crate) fn terminator(
        &mut self,
        state: &mut State<H>,
        body: &Body,
        code: &PreparedBody,
        terminator: &Terminator,
    ) -> Flow {
        match &terminator.kind {
            TerminatorKind::Goto(target) => {
                state.jump(*target);
                Flow::Jumped
            }
            TerminatorKind::Branch { condition, then_block, else_block } => {
                match self.eval(state, body, code, *condition) {
                    Value::Bool(true) => state.jump(*then_block),
                    Value::Bool(false) => state.jump(*else_block),
                    condition => {
                        let condition = condition.to_term(&mut self.pool, Type::Bool);
                        return self.choose(state, condition, *then_block, *else_block);
                    }
                }
                Flow::Jumped
            }
            TerminatorKind::Switch { value, cases, default } => {
                let ty = code.type_of(*value);
                let value = self.eval(state, body, code, *value);
                if let Value::Int(value) = value {
                    state.jump(code.case(state.frame.at.block, value).unwrap_or(*default));
                    return Flow::Jumped;
                }
                self.switch(state, value, ty, cases, *default)
            }
            TerminatorKind::Return(value) => {
                let value = value.map(|value| self.eval(state, body, code, value));
                self.return_from(state, value)
            }
            TerminatorKind::Throw(exception) => {
                let flow = self.steps(state, body, code);
                if !matches!(flow, Flow::Next) {
                    return flow;
                }
                let ty = code.type_of(*exception);
                let exception = self.eval(state, body, code, *exception);
                self.throw(state, exception, ty)
            }
            TerminatorKind::Unsupported { construct: what, .. } => self.unsupported(state, what),
            TerminatorKind::Bound(what) => {
                let place = self.place(state);
                self.gap(Gap::Bound { what: what.clone(), place });
                Flow::End
            }
            TerminatorKind::Unreachable => self.unsupported(state, "a place that no execution should reach"),
        }
    }

    /// Jumps to one block or the other, or forks to both.
    fn choose(&mut self, state: &mut State<H>, condition: Term, then_block: BlockId, else_block: BlockId) -> Flow {
        let negated = self.pool.not(condition);
        let sides = self.branch(state, condition);
        match (&sides.yes, &sides.no) {
            (Side::Infeasible, Side::Infeasible) => return Flow::End,
            (Side::Infeasible, _) => {
                let possible = self.take(state, negated, sides.no);
                state.jump(else_block);
                return if possible { Flow::Jumped } else { Flow::End };
            }
            (_, Side::Infeasible) => {
                let possible = self.take(state, condition, sides.yes);
                state.jump(then_block);
                return if possible { Flow::Jumped } else { Flow::End };
            }
            _ => {}
        }
        let from = state.frame.at.block;
        let mut other = state.clone();
        other.jump(else_block);
        let other_possible = self.take(&mut other, negated, sides.no);
        state.jump(then_block);
        if !self.take(state, condition, sides.yes) {
            if other_possible {
                *state = other;
                return Flow::Jumped;
            }
            return Flow::End;
        }
        if !other_possible {
            return Flow::Jumped;
        }
        if self.opens_region(state) {
            self.result.work.forks += 1;
            return self.follow(from, vec![state.clone(), other], state);
        }
        // Both states go through the frontier, so that breadth-first search is fair.
        self.forked(state.clone());
        self.arrive(other);
        Flow::Moved
    }

    fn switch(
        &mut self,
        state: &mut State<H>,
        value: Value,
        ty: Type,
        cases: &[(BigInt, BlockId)],
        default: BlockId,
    ) -> Flow {
        let mut rest = state.clone();
        for (case, block) in cases {
            let equal = expr::is_case(&mut self.pool, value, ty, case);
            let different = self.pool.not(equal);
            let sides = self.branch(&rest, equal);
            if !matches!(sides.yes, Side::Infeasible) {
                let mut hit = rest.clone();
                hit.jump(*block);
                if self.take(&mut hit, equal, sides.yes) {
                    self.forked(hit);
                }
            }
            if !self.take(&mut rest, different, sides.no) {
                return Flow::Moved;
            }
        }
        rest.jump(default);
        *state = rest;
        Flow::Jumped
    }
}
