//! States that meet at one place become one.

use crate::engine::Engine;
use crate::state::{Frame, State};
use aback_heap::{Heap, Value};
use aback_ir::{BlockId, Body, MethodId};
use aback_logic::{Pool, Term};
use aback_symbolic::inputs::Nondet;
use std::rc::Rc;

/// States that were stopped where others may come along, and the blocks at which that is the case.
pub(crate) struct Joins<H> {
    waiting: Vec<State<H>>,
    /// Of each method whether several edges lead to a block; by block.
    blocks: Vec<Option<Rc<[bool]>>>,
}

impl<H> Default for Joins<H> {
    fn default() -> Self {
        Joins { waiting: Vec::new(), blocks: Vec::new() }
    }
}

impl<H> Joins<H> {
    /// Whether several edges lead to a block.
    pub(crate) fn is_join(&mut self, method: MethodId, body: &Body, block: BlockId) -> bool {
        if self.blocks.len() <= method.index() {
            self.blocks.resize(method.index() + 1, None);
        }
        self.blocks[method.index()].get_or_insert_with(|| joins(body))[block.0 as usize]
    }

    /// Stops a state until no other can go on.
    pub(crate) fn stop(&mut self, state: State<H>) {
        self.waiting.push(state);
    }
}

fn joins(body: &Body) -> Rc<[bool]> {
    let mut edges = vec![0u32; body.blocks.len()];
    for block in &body.blocks {
        let handlers = block.handlers.iter().map(|handler| handler.target);
        for target in block.terminator.kind.successors().into_iter().chain(handlers) {
            edges[target.0 as usize] += 1;
        }
    }
    edges.into_iter().map(|count| count > 1).collect()
}

impl<H: Heap> Engine<'_, H> {
    /// Lets the stopped states go on, those that are at one place as one, as far as they can be joined; whether there are any.
    pub(crate) fn release(&mut self) -> bool {
        let mut groups: Vec<State<H>> = Vec::new();
        for state in std::mem::take(&mut self.joins.waiting) {
            let joined = groups.iter().enumerate().find_map(|(place, other)| Some((place, self.join(other, &state)?)));
            match joined {
                Some((place, joined)) => {
                    self.result.work.joins += 1;
                    groups[place] = joined;
                }
                None => groups.push(state),
            }
        }
        let any = !groups.is_empty();
        for state in groups {
            self.enqueue(state);
        }
        any
    }

    /// The state that stands for two which are at the same place; `None` if they are not, or if one of their parts cannot be joined.
    fn join(&mut self, one: &State<H>, other: &State<H>) -> Option<State<H>> {
        if !one.is_at_place_of(other) || one.observer.is_some() || other.observer.is_some() {
            return None;
        }
        let thrown = one.thrown.join(&other.thrown)?;
        let (path, choice) = one.path.join(&other.path, &mut self.pool, self.chain.path()).ok()?;
        let mut met = crate::engine::Met::default();
        let mut scope = self.scope(path.domain(), &mut met);
        let heap = one.heap.join(&other.heap, &mut scope, choice)?;
        let nondet = self.join_given(choice, &one.nondet, &other.nondet);
        let mut joined = one.clone();
        (joined.heap, joined.path, joined.nondet, joined.thrown) = (heap, path, nondet, thrown);
        joined.depth = one.depth.max(other.depth);
        let program = self.program;
        joined.join_frames(other, |frame, other| {
            let body = program.body(frame.method);
            let locals = frame.locals.iter().zip(&other.locals).enumerate().map(|(local, (&one, &other))| {
                let ty = body.map(|body| body.locals[local].ty);
                ty.map_or(one, |ty| Value::ite(&mut self.pool, choice, one, other, ty))
            });
            Frame { locals: locals.collect(), ..frame.clone() }
        });
        Some(joined)
    }

    /// What was given on either path: first what was given on both, then the rest of each, under its condition.
    fn join_given(
        &mut self,
        choice: Term,
        one: &Rc<Vec<(Term, Nondet)>>,
        other: &Rc<Vec<(Term, Nondet)>>,
    ) -> Rc<Vec<(Term, Nondet)>> {
        let shared = one.iter().zip(other.iter()).take_while(|(one, other)| one == other).count();
        if shared == one.len() && shared == other.len() {
            return Rc::clone(one);
        }
        let negated = self.pool.not(choice);
        let under = |pool: &mut Pool, choice: Term, rest: &[(Term, Nondet)]| -> Vec<(Term, Nondet)> {
            rest.iter().map(|(condition, given)| (pool.and(choice, *condition), given.clone())).collect()
        };
        let mut joined = one[..shared].to_vec();
        joined.extend(under(&mut self.pool, choice, &one[shared..]));
        joined.extend(under(&mut self.pool, negated, &other[shared..]));
        Rc::new(joined)
    }
}
