//! Executes the ways from a branch to where they meet again, and joins the states that get there
//! ([`crate::Merging::Regions`]).
//!
//! The ways are followed depth first before anything else is, so that no state waits for others. A region that turns out
//! to be large is given up: its states go on like any others.

use crate::config::{Loops, Merging, Search};
use crate::engine::{Engine, Flow};
use crate::frontier::Frontier;

use crate::state::State;
use aback_heap::Heap;
use aback_ir::analysis::{Cfg, PostDominators};
use aback_ir::{BlockId, MethodId, Type};
use std::rc::Rc;

/// Most operations of a region.
const MOST_OPERATIONS: u64 = 20_000;
/// Most regions within each other.
const MOST_NESTED: usize = 12;
/// Most states that arrive where a region ends.
const MOST_ARRIVED: usize = 64;

/// Where the ways of a region meet: at a block of the activation that branched, or behind it.
pub(crate) struct Meeting<H> {
    frames: usize,
    block: Option<BlockId>,
    arrived: Vec<State<H>>,
}

impl<H: Heap> Engine<'_, H> {
    /// Whether a state has arrived where the ways of the innermost region meet.
    #[inline]
    pub(crate) fn is_at_meeting(&self, state: &State<H>) -> bool {
        self.meetings.last().is_some_and(|meeting| {
            state.frames < meeting.frames
                || state.frames == meeting.frames
                    && state.frame.at.op == 0
                    && meeting.block == Some(state.frame.at.block)
        })
    }

    /// Stops a state that has arrived where the ways of the innermost region meet.
    pub(crate) fn meet(&mut self, state: State<H>) {
        if let Some(meeting) = self.meetings.last_mut() {
            meeting.arrived.push(state);
        }
    }

    /// Whether the ways behind a branch of a state may be joined.
    pub(crate) fn opens_region(&self, state: &State<H>) -> bool {
        self.config.merging == Merging::Regions
            && self.meetings.len() < MOST_NESTED
            && self.config.loops == Loops::Unwound
            && state.observer.is_none()
            && state.suspended.is_none()
    }

    /// Follows states that were forked at the end of a block until they meet, and continues what they become there.
    /// The first state is given its place in `state` if it is the only one.
    pub(crate) fn follow(&mut self, from: BlockId, states: Vec<State<H>>, state: &mut State<H>) -> Flow {
        let (method, frames) = (state.frame.method, state.frames);
        let Some(block) = self.meeting_block(method, from) else {
            states.into_iter().for_each(|state| self.enqueue(state));
            return Flow::Moved;
        };
        let frontier = std::mem::replace(&mut self.frontier, Frontier::new(Search::Depth));
        self.meetings.push(Meeting { frames, block, arrived: Vec::new() });
        states.into_iter().rev().for_each(|state| self.enqueue(state));
        let end = self.result.work.operations + MOST_OPERATIONS;
        while let Some(state) = self.frontier.pop() {
            let arrived = self.meetings.last().map_or(0, |meeting| meeting.arrived.len());
            if self.is_done() || arrived > MOST_ARRIVED || self.result.work.operations >= end || self.is_out_of_time() {
                self.enqueue(state);
                break;
            }
            self.execute(state);
        }
        let left = std::mem::replace(&mut self.frontier, frontier);
        let Some(Meeting { arrived, .. }) = self.meetings.pop() else { return Flow::End };
        let mut joined = self.join_all(arrived, Self::join_pays);
        let is_only = left.len() == 0 && joined.len() == 1;
        if let Some(only) = joined.pop_if(|_| is_only) {
            *state = only;
            return Flow::Jumped;
        }
        joined.into_iter().for_each(|state| self.enqueue(state));
        left.into_states().for_each(|state| self.enqueue(state));
        Flow::Moved
    }

    /// Whether it pays to join two states that have arrived at one place: they differ in numbers and truth values, and in locals that
    /// refer to objects of nothing else, such as boxed numbers. A choice between other objects makes a choice of each access to them.
    fn join_pays(&mut self, one: &State<H>, other: &State<H>) -> bool {
        let program = self.program;
        one.is_at_place_of(other)
            && one.heap.has_same_references(&other.heap, program, &self.layout)
            && one.frames_besides(other).all(|(one, other)| {
                let Some(body) = program.body(one.method) else { return false };
                let is_live = self.live_locals(one);
                let mut locals = one.locals.iter().zip(&other.locals).zip(&body.locals).enumerate();
                locals.all(|(local, ((one, other), declared))| {
                    one == other || !is_live(local) || !declared.ty.is_reference() || self.has_numbers_only(declared.ty)
                })
            })
    }

    /// Whether a class has no subclasses, and its objects contain numbers and truth values only.
    fn has_numbers_only(&self, ty: Type) -> bool {
        let Type::Class(class) = ty else { return false };
        let shape = self.layout.shape(self.program, class);
        !shape.fields.is_empty()
            && shape.fields.iter().all(|&field| !self.program.field(field).ty.is_reference())
            && self.program.subclasses(class).len() == 1
    }

    /// Where the ways from the end of a block meet: at another block, or, as `Some(None)`, behind the activation.
    fn meeting_block(&mut self, method: MethodId, from: BlockId) -> Option<Option<BlockId>> {
        let body = self.program.body(method)?;
        let known = self.meeting_blocks.entry(method).or_insert_with(|| {
            let dominators = PostDominators::new(&Cfg::of_returns(body));
            let block = |block| dominators.reaches_exit(block).then(|| dominators.immediate(block));
            body.block_ids().map(block).collect::<Rc<[_]>>()
        });
        known.get(from.index()).copied().flatten()
    }
}
