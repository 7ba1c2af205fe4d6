//! A position in an execution, with the state there, that moves in both directions.

use super::execution::{Change, Execution, Step};
use super::snapshot::{Snapshot, Undo};

/// A position in an [`Execution`]: a step, with variables and heap as they are when it is reached.
///
/// A movement costs what has changed on the way. Steps forward that cannot be made stay where they are.
#[derive(Debug)]
pub struct Cursor<'a> {
    execution: &'a Execution,
    position: usize,
    state: Snapshot,
    /// For each step up to the position: how to take its changes back, in the order in which they were made.
    undo: Vec<Vec<Undo>>,
    /// Number of calls around each call.
    depths: Vec<u32>,
}

impl<'a> Cursor<'a> {
    /// The first step of an execution; `None` if it has no steps.
    pub fn new(execution: &'a Execution) -> Option<Self> {
        if execution.steps.is_empty() {
            return None;
        }
        let mut depths: Vec<u32> = Vec::with_capacity(execution.calls.len());
        for call in &execution.calls {
            let parent = call.parent.and_then(|parent| depths.get(parent as usize));
            depths.push(parent.map_or(0, |depth| depth + 1));
        }
        let mut cursor = Cursor { execution, position: 0, state: Snapshot::default(), undo: Vec::new(), depths };
        cursor.enter(0);
        Some(cursor)
    }

    /// The execution.
    pub fn execution(&self) -> &'a Execution {
        self.execution
    }

    /// The number of the step, from 0.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The step.
    pub fn step(&self) -> &'a Step {
        &self.execution.steps[self.position]
    }

    /// Variables and heap.
    pub fn state(&self) -> &Snapshot {
        &self.state
    }

    /// What has changed since the step before.
    pub fn changes(&self) -> &'a [Change] {
        &self.step().changes
    }

    /// The open calls, the innermost first.
    pub fn stack(&self) -> Vec<u32> {
        let parent = |call: &u32| self.execution.calls.get(*call as usize)?.parent;
        std::iter::successors(Some(self.step().call), parent).collect()
    }

    /// The step at which a call that is open now was left for the one inside of it; the current step for the innermost.
    /// The first kept step of a call stands for one that is not kept.
    pub fn step_of(&self, call: u32) -> Option<&'a Step> {
        self.execution.steps[..=self.position].iter().rev().find(|step| step.call == call)
    }

    /// Number of calls around a step.
    pub fn depth_at(&self, position: usize) -> u32 {
        let call = self.execution.steps.get(position).map(|step| step.call as usize);
        call.and_then(|call| self.depths.get(call)).copied().unwrap_or(0)
    }

    /// Number of the last step.
    pub fn last(&self) -> usize {
        self.execution.steps.len() - 1
    }

    /// Moves to a step, or to the last one if there are not so many.
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

    /// On to the next step, into calls.
    pub fn into(&mut self) {
        self.go_to(self.position + 1);
    }

    /// On to the next step that is not inside of a call that this line makes; to the last one if there is none.
    pub fn over(&mut self) {
        self.go_to(self.forward(self.depth_at(self.position)));
    }

    /// On to the caller; to the last step if it does not get there.
    pub fn out(&mut self) {
        self.go_to(self.depth_at(self.position).checked_sub(1).map_or(self.last(), |depth| self.forward(depth)));
    }

    /// Back to the step before, into calls.
    pub fn back_into(&mut self) {
        self.go_to(self.position.saturating_sub(1));
    }

    /// Back to the last step before that is not inside of a call; to the first one if there is none.
    pub fn back_over(&mut self) {
        self.go_to(self.backward(self.depth_at(self.position)));
    }

    /// Back to the line that called.
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
