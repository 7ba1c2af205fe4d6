//! Drops states from which no target can be reached.

use crate::engine::Engine;
use crate::state::State;
use aback_heap::{Heap, Value};
use aback_ir::Body;
use aback_ir::analysis::{Cfg, Required, Returning};
use std::rc::Rc;

/// Number of frames below which each state is examined.
const FEW_FRAMES: usize = 32;

impl<H: Heap> Engine<'_, H> {
    /// Whether control flow, and the constants of the running activation, show that the query has no violation ahead of a
    /// state. Code outside of the focus, which leads to no target itself, is examined once: when code in the focus calls it.
    pub(crate) fn leads_nowhere(&mut self, state: &State<H>) -> bool {
        if state.summarised.is_in_call() {
            return false;
        }
        // Each look may go through all frames. It may be left out, and below many frames it is, mostly.
        let is_due =
            state.frames < FEW_FRAMES || state.depth.is_multiple_of(state.frames as u64 / (FEW_FRAMES as u64 / 2));
        let Some(focus) = self.focus.as_ref().filter(|_| is_due) else { return false };
        let knows = |method| focus.distance.knows(method);
        let is_known = knows(state.frame.method);
        let first = state.stack().nth(usize::from(!is_known));
        let is_ahead =
            first.is_none_or(|(method, point)| !knows(method) || focus.distance.can_reach_target(method, point));
        if is_known && is_ahead {
            return self.only_comes_back(state) || self.is_excluded_by_constants(state);
        }
        let mut frames: Vec<_> = state.stack().collect();
        frames.reverse();
        let returning = |method, body: &Body| {
            Rc::clone(self.returning.entry(method).or_insert_with(|| Returning::new(body, &Cfg::new(body)).into()))
        };
        if focus.throws_nowhere(self.program, &frames, returning) {
            return true;
        }
        frames.truncate(frames.len() - usize::from(!is_known));
        !is_ahead && focus.leads_nowhere(self.program, &frames)
    }

    /// Whether the running activation gets to no target because of the constants that its locals have, and no target is
    /// ahead of its end.
    fn is_excluded_by_constants(&mut self, state: &State<H>) -> bool {
        let Some(focus) = &self.focus else { return false };
        let (program, method, at) = (self.program, state.frame.method, state.frame.at);
        let Some(body) = program.body(method).filter(|_| at.op == 0) else { return false };
        let required = self.required.entry(method).or_insert_with(|| {
            Required::new(body, &Cfg::new(body), |point| focus.distance.is_goal(method, point)).into()
        });
        if required.at_start(at.block).is_empty() {
            return false;
        }
        let required = Rc::clone(required);
        let Some(code) = self.code_of(method) else { return false };
        let is_excluded = required.at_start(at.block).iter().any(|&(condition, outcome)| {
            matches!(self.eval(state, body, &code, condition), Value::Bool(value) if value != outcome)
        });
        is_excluded && self.is_nothing_behind(state)
    }

    /// Whether no target is ahead of the end of the running activation.
    pub(crate) fn is_nothing_behind(&self, state: &State<H>) -> bool {
        let Some(focus) = &self.focus else { return false };
        let mut frames: Vec<_> = state.stack().collect();
        frames.reverse();
        focus.leads_nowhere_behind(self.program, &frames)
    }
}
