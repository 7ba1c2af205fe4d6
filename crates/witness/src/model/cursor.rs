//! Moves through an execution in both directions and keeps the state at the current step.

use super::execution::{Change, Execution, Step};
use super::snapshot::{Snapshot, Undo};

/// A position in an [`Execution`]: a step, with variables and heap as they are when the run reaches it.
///
/// The cost of a movement is proportional to the changes on the way. A movement beyond the last step stops there.
#[derive(Debug)]
pub struct Cursor<'a> {
    execution: &'a Execution,
    position: usize,
    state: Snapshot,
    /// For each step up to the position: how to undo its changes, in the order in which they were made.
    undo: Vec<Vec<Undo>>,
    /// Number of calls around each call.
    depths: Vec<u32>,
    /// For each call, the caller's step at which it was called, if that step is kept.
    called_at: Vec<Option<usize>>,
}

/// An open call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenCall {
    /// The call.
    pub call: u32,
    /// The latest step of the call: the current step for the innermost call, else the step that made the next
    /// inner call. `None` if that step is not kept.
    pub step: Option<usize>,
}

impl<'a> Cursor<'a> {
    /// A cursor at the first step of an execution; `None` if the execution has no steps.
    pub fn new(execution: &'a Execution) -> Option<Self> {
        if execution.steps.is_empty() {
            return None;
        }
        let mut depths: Vec<u32> = Vec::with_capacity(execution.calls.len());
        for call in &execution.calls {
            let parent = call.parent.and_then(|parent| depths.get(parent as usize));
            depths.push(parent.map_or(0, |depth| depth + 1));
        }
        let mut called_at = vec![None; depths.len()];
        let mut latest = vec![None; depths.len()];
        for (position, step) in execution.steps.iter().enumerate() {
            let Some(last) = latest.get_mut(step.call as usize) else { continue };
            let is_first = last.replace(position).is_none();
            let parent = execution.calls.get(step.call as usize).and_then(|call| call.parent);
            if let (true, Some(parent)) = (is_first, parent) {
                called_at[step.call as usize] = latest.get(parent as usize).copied().flatten();
            }
        }
        let (state, undo) = Default::default();
        let mut cursor = Cursor { execution, position: 0, state, undo, depths, called_at };
        cursor.enter(0);
        Some(cursor)
    }

    /// The execution.
    pub fn execution(&self) -> &'a Execution {
        self.execution
    }

    /// The number of the current step, from 0.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The current step.
    pub fn step(&self) -> &'a Step {
        &self.execution.steps[self.position]
    }

    /// Variables and heap at the current step.
    pub fn state(&self) -> &Snapshot {
        &self.state
    }

    /// What has changed since the previous step.
    pub fn changes(&self) -> &'a [Change] {
        &self.step().changes
    }

    /// The open calls, the innermost first.
    pub fn stack(&self) -> Vec<OpenCall> {
        let innermost = OpenCall { call: self.step().call, step: Some(self.position) };
        let around = |open: &OpenCall| {
            let call = self.execution.calls.get(open.call as usize)?.parent?;
            Some(OpenCall { call, step: self.called_at.get(open.call as usize).copied().flatten() })
        };
        std::iter::successors(Some(innermost), around).collect()
    }

    /// Number of calls around the step at `position`; 0 if there is no such step.
    pub fn depth_at(&self, position: usize) -> u32 {
        let call = self.execution.steps.get(position).map(|step| step.call as usize);
        call.and_then(|call| self.depths.get(call)).copied().unwrap_or(0)
    }

    /// Number of the last step.
    pub fn last(&self) -> usize {
        self.execution.steps.len() - 1
    }

    /// Moves to the step at `position`, or to the last step if `position` is beyond it.
    pub fn go_to(&mut self, position: usize) {
        let target = position.min(self.last());
        while self.position < target {
            self.enter(self.position + 1);
        }
        while self.position > target {
            for undo in self.undo.pop().into_iter().flat_map(|undo| undo.into_iter().rev()) {
                self.state.undo(undo);
            }
            self.position -= 1;
        }
    }

    /// Moves to the next step, which may be inside a call.
    pub fn step_into(&mut self) {
        self.go_to(self.position + 1);
    }

    /// Moves to the next step that is not inside a call that this line makes, or to the last step if there is none.
    pub fn step_over(&mut self) {
        self.go_to(self.forward(self.depth_at(self.position)));
    }

    /// Moves to the next step of the caller, or to the last step if the run does not return there.
    pub fn step_out(&mut self) {
        self.go_to(self.depth_at(self.position).checked_sub(1).map_or(self.last(), |depth| self.forward(depth)));
    }

    /// Moves to the previous step, which may be inside a call.
    pub fn back_into(&mut self) {
        self.go_to(self.position.saturating_sub(1));
    }

    /// Moves to the previous step that is not inside a call that the current activation made, or to the first step if
    /// there is none.
    pub fn back_over(&mut self) {
        self.go_to(self.backward(self.depth_at(self.position)));
    }

    /// Moves back to the line that made the current call.
    pub fn back_out(&mut self) {
        self.go_to(self.depth_at(self.position).checked_sub(1).map_or(0, |depth| self.backward(depth)));
    }

    fn forward(&self, depth: u32) -> usize {
        let mut next = self.position + 1..self.execution.steps.len();
        next.find(|&position| self.depth_at(position) <= depth).unwrap_or(self.last())
    }

    fn backward(&self, depth: u32) -> usize {
        (0..self.position).rev().find(|&position| self.depth_at(position) <= depth).unwrap_or(0)
    }

    fn enter(&mut self, position: usize) {
        let changes = self.execution.steps.get(position).map_or(&[][..], |step| &step.changes);
        self.undo.push(changes.iter().filter_map(|change| self.state.apply(change)).collect());
        self.position = position;
    }
}
