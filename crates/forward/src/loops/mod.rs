//! Executes loops in all numbers of iterations at once (paper 5).
//!
//! When a state arrives at the head of a loop, the ways from the head back to the head are executed once, on a start of
//! which nothing is known about what the loop changes: the backbones. From these, [`aback_loops::iterate`] computes the
//! values after any numbers of iterations and the condition of all iterations. The state goes on from the head with these
//! values, and never comes back: that is its last, partial iteration. So paths are acyclic. An execution is covered by the
//! path that leaves its loops where it leaves them for the last time.
//!
//! What a loop changes is found by executing its backbones: what they change is unknown in the next round, until they
//! change no more. That is an over-approximation of all iterations by induction: the first one starts with values that an
//! unknown value covers, and each one changes only what is unknown.

mod contract;
mod initialization;
mod pruned;
mod recursion;
mod relations;
mod samples;
mod states;
mod summary;
mod unrolling;
mod violations;
mod ways;

use crate::config::Search;
use crate::engine::Engine;
use crate::feasibility::Sides;
use crate::frontier::Frontier;
use crate::state::State;
use aback_heap::{Heap, Value};
use aback_ir::analysis::{Cfg, Liveness, Nesting};
use aback_ir::{BlockId, Body, LocalId, MethodId, Point};
use aback_logic::Pool;
use aback_symbolic::Gap;
use contract::Contract;
pub(crate) use recursion::Descents;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use summary::Summary;
use unrolling::Passed;

pub(crate) use initialization::Initializers;
pub(crate) use pruned::Open;
pub(crate) use samples::Samples;
pub(crate) use states::StateSearch;

/// Most backbones of a loop.
const MOST_BACKBONES: usize = 24;
/// Most states of one round of backbones.
const MOST_STATES: usize = 400;
/// Most operations of one round of backbones.
const MOST_OPERATIONS: u64 = 100_000;
/// Iterations that are executed one by one while there is only one way on.
const MOST_SINGLE: u32 = 1_000;
/// Deepest call of a summarised path.
const MOST_FRAMES: usize = 400;
/// Most loops and calls within each other that are executed at once: each of them is a search of its own within that for the one around it.
const MOST_NESTED: usize = 30;

/// The loops of a method.
pub(crate) struct Structure {
    cfg: Cfg,
    nesting: Nesting,
    liveness: Liveness,
}

impl Structure {
    /// The heads of the loops that contain a block, the outermost first.
    pub(crate) fn loops(&self, block: BlockId) -> &[BlockId] {
        self.nesting.loops(block)
    }

    /// Whether something may read a local behind the start of a block.
    pub(crate) fn is_live(&self, block: BlockId, local: LocalId) -> bool {
        self.liveness.is_live(block, local)
    }

    /// By local, whether something may read it behind a point.
    pub(crate) fn live_at(&self, body: &Body, point: Point) -> Vec<bool> {
        self.liveness.at(body, &self.cfg, point)
    }

    /// Whether a block is the head of a loop.
    pub(crate) fn is_head(&self, block: BlockId) -> bool {
        self.nesting.loops(block).contains(&block)
    }

    /// How control gets from a block of a loop to its head, if no target is on the way.
    fn return_to(&self, head: BlockId, block: BlockId, has_goal: impl Fn(BlockId) -> bool) -> Return {
        let (mut found, mut pending) = (FxHashSet::from_iter([block]), vec![block]);
        let mut leaves = false;
        while let Some(block) = pending.pop() {
            if has_goal(block) {
                return Return::Perhaps;
            }
            leaves |= self.cfg.leaves(block);
            for next in self.cfg.successors(block).chain(self.cfg.exceptional_successors(block)) {
                if !self.nesting.loops(next).contains(&head) {
                    return Return::Perhaps;
                }
                if next != head && found.insert(next) {
                    pending.push(next);
                }
            }
        }
        if leaves { Return::WithinActivation } else { Return::Always }
    }
}

/// How control gets from a block of a loop to its head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Return {
    /// It gets nowhere else.
    Always,
    /// It gets nowhere else, unless it leaves the activation.
    WithinActivation,
    /// It may leave the loop, or get to a target before.
    Perhaps,
}

/// A loop or a recursive call that a state is in, and how it is executed.
#[derive(Clone)]
pub struct Region {
    frames: usize,
    part: Part,
    way: Way,
}

#[derive(Clone)]
enum Part {
    /// The loop with this head.
    Loop(BlockId),
    /// An activation of which only a contract is known, and the place behind its call.
    Call { contract: Rc<Contract>, back: Point },
}

impl Region {
    /// Whether it is the loop with a head in an activation.
    fn is_loop(&self, frames: usize, head: BlockId) -> bool {
        self.frames == frames && matches!(self.part, Part::Loop(of) if of == head)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// One iteration, which ends at the head, or one activation, which returns.
    Iterating,
    /// What follows the last iteration: it never comes back to the head. Or an activation that never returns.
    Leaving,
}

/// What a state carries about summarised loops.
#[derive(Clone, Default)]
pub struct Summarised {
    /// The loops that the state is in, innermost last.
    regions: Vec<Region>,
    /// The loops that it has passed.
    passed: Rc<Vec<Passed>>,
    /// Whether the state begins at the head of a loop, and has not arrived there.
    begins: bool,
    /// Iterations that were executed one by one.
    single: u32,
    /// Cases that were distinguished because iterations differ in them.
    cases: u32,
}

impl Summarised {
    /// Whether the state is part of an iteration, and no execution from the entry point.
    fn is_iteration(&self) -> bool {
        self.regions.iter().any(|region| region.way == Way::Iterating)
    }

    /// Whether the state is part of an activation of which only a contract is known, and that returns: what is behind it does not matter.
    pub(crate) fn is_in_call(&self) -> bool {
        self.regions.iter().any(|region| region.way == Way::Iterating && matches!(region.part, Part::Call { .. }))
    }
}

/// The iterations that have ended.
pub(crate) struct Collected<H> {
    ends: Vec<State<H>>,
    exits: usize,
}

impl<H: Heap> Engine<'_, H> {
    /// Whether what happens on a path counts: it starts at the entry point.
    pub(crate) fn counts(&self, state: &State<H>) -> bool {
        !state.summarised.is_iteration()
    }

    /// The loops and the live locals of a method.
    pub(crate) fn structure(&mut self, method: MethodId) -> Option<Rc<Structure>> {
        if let Some(known) = self.structures.get(&method) {
            return Some(Rc::clone(known));
        }
        let body = self.program.body(method)?;
        let cfg = Cfg::new(body);
        let structure = Rc::new(Structure { nesting: Nesting::new(&cfg), liveness: Liveness::new(body, &cfg), cfg });
        self.structures.insert(method, Rc::clone(&structure));
        Some(structure)
    }

    /// Follows a state that has arrived somewhere. `None` if its path ends here or goes on in other states.
    pub(crate) fn pass(&mut self, mut state: State<H>) -> Option<State<H>> {
        if state.frames > MOST_FRAMES || state.summarised.regions.len() > MOST_NESTED {
            return self.leave_open(&state);
        }
        let structure = self.structure(state.frame.method)?;
        let block = state.frame.at.block;
        // Leaves loops.
        while let Some(region) = state.summarised.regions.last() {
            let is_inside = match &region.part {
                Part::Loop(head) => {
                    state.frames > region.frames
                        || state.frames == region.frames && structure.nesting.loops(block).contains(head)
                }
                Part::Call { .. } => state.frames >= region.frames,
            };
            if is_inside {
                break;
            }
            // An exception leaves an activation in another way.
            let returns = match &region.part {
                Part::Loop(_) => false,
                Part::Call { back, .. } => state.frames + 1 == region.frames && state.frame.at == *back,
            };
            match region.way {
                Way::Iterating if returns => {
                    if let Some(collected) = self.collected.last_mut() {
                        collected.ends.push(state);
                    }
                    return None;
                }
                Way::Iterating => {
                    self.leave_iteration();
                    return None;
                }
                Way::Leaving if returns => return None,
                Way::Leaving => _ = state.summarised.regions.pop(),
            }
        }
        if std::mem::take(&mut state.summarised.begins) || state.frame.at.op != 0 || !structure.is_head(block) {
            return Some(state);
        }
        match state.summarised.regions.last() {
            Some(region) if region.is_loop(state.frames, block) => {
                if region.way == Way::Iterating
                    && let Some(collected) = self.collected.last_mut()
                {
                    collected.ends.push(state);
                }
                None
            }
            _ => self.arrive_at_loop(state, &structure),
        }
    }

    /// Whether a state is in the last iteration of a loop, which ends at the head, and control gets to no target but over the
    /// head. Executions that go on there are covered by the path that leaves the loop later.
    pub(crate) fn only_comes_back(&mut self, state: &State<H>) -> bool {
        let Some(&Region { frames, part: Part::Loop(head), way: Way::Leaving }) = state.summarised.regions.last()
        else {
            return false;
        };
        let (method, at) = (state.frame.method, state.frame.at);
        if frames != state.frames || at.block == head || at.op != 0 {
            return false;
        }
        let (Some(body), Some(structure)) = (self.program.body(method), self.structure(method)) else { return false };
        let Some(focus) = &self.focus else { return false };
        let way = *self.returns.entry((method, head, at.block)).or_insert_with(|| {
            structure.return_to(head, at.block, |block| {
                let points = 0..=body.block(block).ops.len() as u32;
                points.into_iter().any(|op| focus.distance.is_goal(method, Point { block, op }))
            })
        });
        way == Return::Always || way == Return::WithinActivation && self.is_nothing_behind(state)
    }

    /// Summarises the loop at whose head a state has arrived.
    fn arrive_at_loop(&mut self, mut state: State<H>, structure: &Structure) -> Option<State<H>> {
        let body = self.program.body(state.frame.method)?;
        let head = state.frame.at.block;
        for (local, declared) in body.locals.iter().enumerate() {
            if !structure.liveness.is_live(head, LocalId(local as u32)) {
                state.frame.locals[local] = Value::default_of(declared.ty);
            }
        }
        self.run_for_samples(&state);
        let floor = self.pool.variables().count();
        // While there is only one way on and nothing has to be known for that, iterations are executed one by one.
        let Some(mut tried) = self.quietly(|engine| engine.iterations(&state)) else {
            return self.leave_open(&state);
        };
        match &tried.ends[..] {
            [] => return Some(state),
            [end]
                if tried.exits == 0
                    && state.summarised.single < MOST_SINGLE
                    && end.path.conjuncts().eq(state.path.conjuncts()) =>
            {
                state.summarised.single += 1;
                return Some(state);
            }
            _ => {}
        }
        let named = self.change_heap(&mut state, |heap, scope| heap.name_elements(scope));
        if !self.assume_all(&mut state, &named) {
            return None;
        }
        let mut classes = self.initialized_by(&state, &tried.ends);
        let mut is_changed = !named.is_empty();
        loop {
            is_changed |= self.initialize_ahead(&mut state, &classes);
            if std::mem::take(&mut is_changed) {
                tried = match self.quietly(|engine| engine.iterations(&state)) {
                    Some(again) => again,
                    None => return self.leave_open(&state),
                };
            }
            match self.summarise(&state, &tried.ends, floor) {
                Some(Summary::Behind(behind)) => return Some(*behind),
                Some(Summary::Cases(condition)) => {
                    state.summarised.cases += 1;
                    let Sides { yes, no } = self.branch(&state, condition);
                    let otherwise = self.pool.not(condition);
                    for (case, side) in [(condition, yes), (otherwise, no)] {
                        let mut state = state.clone();
                        if self.take(&mut state, case, side) {
                            self.enqueue(state);
                        }
                    }
                    return None;
                }
                // What the first iteration does not initialize, another one may.
                Some(Summary::Initializes(more)) => classes = more,
                None => return self.leave_open(&state),
            }
        }
    }

    /// Ends a path about which summaries say nothing.
    fn leave_open(&mut self, state: &State<H>) -> Option<State<H>> {
        let place = self.place(state);
        self.gap(Gap::Loops(place));
        self.note_open(state, Pool::TRUE, None);
        None
    }

    /// Does something without noting what it leaves open.
    fn quietly<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let noted = self.noted();
        let result = f(self);
        self.forget_since(noted);
        result
    }

    /// The ends of one iteration from the head of a loop. `None` if there are too many.
    fn iterations(&mut self, state: &State<H>) -> Option<Collected<H>> {
        let mut start = state.clone();
        let part = Part::Loop(start.frame.at.block);
        start.summarised.regions.push(Region { frames: start.frames, part, way: Way::Iterating });
        start.summarised.begins = true;
        self.collect(start)
    }

    /// The ends of an iteration or of a call. `None` if there are too many.
    fn collect(&mut self, mut start: State<H>) -> Option<Collected<H>> {
        (start.summarised.passed, start.nondet) = (Rc::default(), Rc::default());
        let frontier = std::mem::replace(&mut self.frontier, Frontier::new(Search::Breadth));
        self.collected.push(Collected { ends: Vec::new(), exits: 0 });
        self.enqueue(start);
        let (mut turns, end) = (0, self.result.work.operations + MOST_OPERATIONS);
        let mut is_complete = true;
        while let Some(state) = self.frontier.pop() {
            turns += 1;
            let ends = self.collected.last().map_or(0, |collected| collected.ends.len());
            is_complete = turns <= MOST_STATES
                && ends <= MOST_BACKBONES
                && self.result.work.operations < end
                && !self.is_out_of_time()
                && !self.pool.is_stopped();
            if !is_complete {
                break;
            }
            self.execute(state);
        }
        self.frontier = frontier;
        let collected = self.collected.pop();
        collected.filter(|collected| is_complete && collected.ends.len() <= MOST_BACKBONES)
    }

    /// Notes that an iteration leaves its loop.
    pub(crate) fn leave_iteration(&mut self) {
        if let Some(collected) = self.collected.last_mut() {
            collected.exits += 1;
        }
    }
}
