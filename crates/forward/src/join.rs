//! Joins states that are at the same place.

use crate::engine::Engine;
use crate::iterations::Iterations;
use crate::state::{Frame, State};
use aback_heap::{Heap, Value};
use aback_ir::analysis::{Cfg, Nesting};
use aback_ir::{BlockId, Body, LocalId, MethodId, Program};
use aback_logic::{Pool, Term};
use aback_symbolic::inputs::Nondet;
use std::rc::Rc;

/// The states that wait at joins for others.
pub(crate) struct Joins<H> {
    waiting: Vec<State<H>>,
    /// By method, then by block.
    blocks: Vec<Option<Rc<[Block]>>>,
}

/// The properties of a block that joins depend on.
#[derive(Clone, Copy)]
struct Block {
    /// Whether control may arrive on several paths.
    is_join: bool,
    /// Its rank in the weak topological order of its body.
    rank: u32,
}

impl<H> Default for Joins<H> {
    fn default() -> Self {
        Joins { waiting: Vec::new(), blocks: Vec::new() }
    }
}

impl<H: Heap> Joins<H> {
    /// Whether control may arrive at a block on several paths.
    pub(crate) fn is_join(&mut self, program: &Program, method: MethodId, block: BlockId) -> bool {
        self.block(program, method, block).is_join
    }

    fn block(&mut self, program: &Program, method: MethodId, block: BlockId) -> Block {
        if self.blocks.len() <= method.index() {
            self.blocks.resize(method.index() + 1, None);
        }
        let known = self.blocks[method.index()].get_or_insert_with(|| blocks(program.body(method)));
        known.get(block.index()).copied().unwrap_or(Block { is_join: false, rank: u32::MAX })
    }

    /// Stops a state until no other state can continue.
    pub(crate) fn stop(&mut self, state: State<H>) {
        self.waiting.push(state);
    }

    /// Takes the stopped states at the earliest place in control-flow order. Other states can still arrive at the later
    /// places.
    fn earliest(&mut self, program: &Program) -> Vec<State<H>> {
        let waiting = std::mem::take(&mut self.waiting);
        let places: Vec<Vec<(u32, u32)>> = waiting.iter().map(|state| self.place(program, state)).collect();
        let first = places.iter().min_by(|one, other| {
            let common = one.iter().zip(other.iter()).find(|(one, other)| one != other);
            // If one state is in a callee of the other state's place, the callee comes first.
            common.map_or_else(|| other.len().cmp(&one.len()), |(one, other)| one.cmp(other))
        });
        let Some(first) = first.cloned() else { return Vec::new() };
        let (mut earliest, mut others) = (Vec::new(), Vec::new());
        for (state, place) in waiting.into_iter().zip(places) {
            if place == first { earliest.push(state) } else { others.push(state) }
        }
        self.waiting = others;
        earliest
    }

    /// The place of a state: for each frame, outermost first, the rank of the block and the index of the operation.
    fn place(&mut self, program: &Program, state: &State<H>) -> Vec<(u32, u32)> {
        let stack = state.stack().map(|(method, at)| (self.block(program, method, at.block).rank, at.op));
        let mut place: Vec<(u32, u32)> = stack.collect();
        place.reverse();
        place
    }
}

fn blocks(body: Option<&Body>) -> Rc<[Block]> {
    let Some(body) = body else { return Rc::new([]) };
    let cfg = Cfg::new(body);
    let nesting = Nesting::new(&cfg);
    let mut ways = vec![0u32; body.blocks.len()];
    for block in body.block_ids() {
        for next in cfg.successors(block).chain(cfg.exceptional_successors(block)) {
            // An edge that leaves a loop counts twice: paths with different numbers of iterations take it.
            let leaves_loop = nesting.loops(block).len() > nesting.loops(next).len();
            ways[next.index()] += if leaves_loop { 2 } else { 1 };
        }
    }
    ways.into_iter().zip(nesting.ranks()).map(|(ways, rank)| Block { is_join: ways > 1, rank }).collect()
}

impl<H: Heap> Engine<'_, H> {
    /// Joins the stopped states at the earliest place as far as possible and continues them. Returns whether there were
    /// any.
    pub(crate) fn release(&mut self) -> bool {
        let earliest = self.joins.earliest(self.program);
        let any = !earliest.is_empty();
        for state in self.join_all(earliest, |_, _, _| true) {
            self.enqueue(state);
        }
        any
    }

    /// Joins states as far as possible.
    pub(crate) fn join_all(
        &mut self,
        states: Vec<State<H>>,
        mut pays: impl FnMut(&mut Self, &State<H>, &State<H>) -> bool,
    ) -> Vec<State<H>> {
        let mut groups: Vec<State<H>> = Vec::new();
        for state in states {
            let joined = groups.iter().enumerate().find_map(|(place, other)| {
                let joined = if pays(self, other, &state) { self.join(other, &state) } else { None };
                Some((place, joined?))
            });
            match joined {
                Some((place, joined)) => {
                    self.result.work.joins += 1;
                    groups[place] = joined;
                }
                None => groups.push(state),
            }
        }
        groups
    }

    /// Joins two states. `None` if they are at different places, or if one of their parts cannot be joined.
    fn join(&mut self, one: &State<H>, other: &State<H>) -> Option<State<H>> {
        if !one.is_at_place_of(other) || one.observer.is_some() || other.observer.is_some() {
            return None;
        }
        // Large states take long to join, and there may be many.
        if self.config.budget.out_of_time().is_some() {
            return None;
        }
        let thrown = one.thrown.join(&other.thrown)?;
        let (path, choice) = one.path.join(&other.path, &mut self.pool, self.chain.path()).ok()?;
        let mut met = crate::access::Met::default();
        let heap = self.on_heap(&path, false, &mut met, |scope| one.heap.join(&other.heap, scope, choice))?;
        let nondet = self.join_given(choice, &one.nondet, &other.nondet);
        let mut joined = one.clone();
        (joined.heap, joined.path, joined.nondet, joined.thrown) = (heap, path, nondet, thrown);
        joined.depth = one.depth.max(other.depth);
        let program = self.program;
        joined.join_frames(other, |frame, other| {
            let body = program.body(frame.method);
            let is_live = self.live_locals(frame);
            let locals = frame.locals.iter().zip(&other.locals).enumerate().map(|(local, (&one, &other))| {
                let ty = body.filter(|_| is_live(local)).map(|body| body.locals[local].ty);
                ty.map_or(one, |ty| Value::ite(&mut self.pool, choice, one, other, ty))
            });
            let iterations = Iterations::joined(&frame.iterations, &other.iterations);
            Frame { locals: locals.collect(), iterations, ..frame.clone() }
        });
        Some(joined)
    }

    /// Which locals of a frame are read later, as far as that is known: at the starts of blocks.
    pub(crate) fn live_locals(&mut self, frame: &Frame) -> impl Fn(usize) -> bool + use<H> {
        let structure = (frame.at.op == 0).then(|| self.structure(frame.method)).flatten();
        let block = frame.at.block;
        move |local| structure.as_ref().is_none_or(|known| known.is_live(block, LocalId(local as u32)))
    }

    /// The nondeterministic values of two paths: first those of both, then the rest of each under its condition.
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
