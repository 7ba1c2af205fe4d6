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

use crate::config::Search;
use crate::engine::{Engine, PathModel};
use crate::frontier::Frontier;
use crate::state::State;
use aback_heap as heap;
use aback_heap::{Content, Heap, Scope, Value, sort_of};
use aback_ir::analysis::{Cfg, Liveness, Nesting};
use aback_ir::{BlockId, LocalId, MethodId, Type};
use aback_logic::{BvOrder, Conversion, Integer, Node, Pool, Sort, Term};
use aback_loops::{Backbone, Changed, Looping, iterate};
use aback_smt::Feasibility;
use aback_symbolic::{Candidate, Fault, Gap, Replay};
use aback_witness::Place;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Most backbones of a loop.
const MOST_BACKBONES: usize = 24;
/// Most states of one round of backbones.
const MOST_STATES: usize = 400;
/// Most operations of one round of backbones.
const MOST_OPERATIONS: u64 = 100_000;
/// Most rounds until a loop changes no more.
const MOST_ROUNDS: usize = 8;
/// Most objects to which an unknown reference may refer, besides those of the input.
const MOST_OBJECTS: usize = 8;
/// Iterations that are executed one by one while there is only one way on.
const MOST_SINGLE: u32 = 4_000;
/// Deepest call of a summarised path.
const MOST_FRAMES: usize = 400;
/// The bounds of path counters that are looked for.
const LIMITS: [u32; 3] = [4, 12, 48];

/// The loops of a method.
pub(crate) struct Structure {
    nesting: Nesting,
    liveness: Liveness,
}

impl Structure {
    fn is_head(&self, block: BlockId) -> bool {
        self.nesting.loops(block).contains(&block)
    }
}

/// A loop that a state is in, and how it is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    frames: usize,
    head: BlockId,
    way: Way,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// One iteration, which ends at the head.
    Iterating,
    /// What follows the last iteration: it never comes back to the head.
    Leaving,
}

/// What a state carries about summarised loops.
#[derive(Clone, Default)]
pub struct Summarised {
    /// The loops that the state is in, innermost last.
    regions: Vec<Region>,
    /// The conditions of the loops that it has passed.
    passed: Rc<Vec<Looping>>,
    /// Whether the state begins at the head of a loop, and has not arrived there.
    begins: bool,
    /// Iterations that were executed one by one.
    single: u32,
}

impl Summarised {
    /// Whether the state is part of an iteration, and no execution from the entry point.
    fn is_iteration(&self) -> bool {
        self.regions.iter().any(|region| region.way == Way::Iterating)
    }
}

/// The iterations that have ended.
pub(crate) struct Collected<H> {
    ends: Vec<State<H>>,
    exits: usize,
}

/// A variable of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Variable {
    Local(LocalId),
    Heap(heap::Place),
}

/// The references that a variable can be: constants, and `None` for any of the input heap.
type Targets = FxHashMap<Variable, Vec<Option<Term>>>;

/// An unknown value of a variable.
struct Unknown {
    variable: Variable,
    content: Content,
}

impl<H: Heap> Engine<'_, H> {
    /// Whether what happens on a path counts: it starts at the entry point.
    pub(crate) fn counts(&self, state: &State<H>) -> bool {
        !state.summarised.is_iteration()
    }

    fn structure(&mut self, method: MethodId) -> Option<Rc<Structure>> {
        if let Some(known) = self.structures.get(&method) {
            return Some(Rc::clone(known));
        }
        let body = self.program.body(method)?;
        let cfg = Cfg::new(body);
        let structure = Rc::new(Structure { nesting: Nesting::new(&cfg), liveness: Liveness::new(body, &cfg) });
        self.structures.insert(method, Rc::clone(&structure));
        Some(structure)
    }

    /// Follows a state that has arrived somewhere. `None` if its path ends here or goes on in other states.
    pub(crate) fn pass(&mut self, mut state: State<H>) -> Option<State<H>> {
        if state.frames > MOST_FRAMES {
            return self.leave_open(&state);
        }
        let structure = self.structure(state.frame.method)?;
        let block = state.frame.at.block;
        // Leaves loops.
        while let Some(&region) = state.summarised.regions.last() {
            let is_inside = state.frames > region.frames
                || state.frames == region.frames && structure.nesting.loops(block).contains(&region.head);
            if is_inside {
                break;
            }
            if region.way == Way::Iterating {
                self.leave_iteration();
                return None;
            }
            state.summarised.regions.pop();
        }
        if std::mem::take(&mut state.summarised.begins) || state.frame.at.op != 0 || !structure.is_head(block) {
            return Some(state);
        }
        match state.summarised.regions.last() {
            Some(region) if region.frames == state.frames && region.head == block => {
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

    /// Summarises the loop at whose head a state has arrived.
    fn arrive_at_loop(&mut self, mut state: State<H>, structure: &Structure) -> Option<State<H>> {
        let body = self.program.body(state.frame.method)?;
        let head = state.frame.at.block;
        for (local, declared) in body.locals.iter().enumerate() {
            if !structure.liveness.is_live(head, LocalId(local as u32)) {
                state.frame.locals[local] = Value::default_of(declared.ty);
            }
        }
        // While there is only one way on and nothing has to be known for that, iterations are executed one by one.
        let Some(tried) = self.quietly(|engine| engine.iterations(&state)) else {
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
        self.summarise(&state, tried.ends).or_else(|| self.leave_open(&state))
    }

    /// Ends a path about which summaries say nothing.
    fn leave_open(&mut self, state: &State<H>) -> Option<State<H>> {
        let place = self.place(state);
        self.gap(Gap::Loops(place));
        None
    }

    /// Does something without noting gaps.
    fn quietly<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let gaps = self.result.gaps.clone();
        let result = f(self);
        self.result.gaps = gaps;
        result
    }

    /// The ends of one iteration from the head of a loop. `None` if there are too many.
    fn iterations(&mut self, state: &State<H>) -> Option<Collected<H>> {
        let mut start = state.clone();
        let region = Region { frames: start.frames, head: start.frame.at.block, way: Way::Iterating };
        start.summarised.regions.push(region);
        start.summarised.begins = true;
        start.summarised.passed = Rc::default();
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

    /// The state behind any number of iterations of the loop at whose head a state is. `ends` are those of one iteration.
    fn summarise(&mut self, state: &State<H>, ends: Vec<State<H>>) -> Option<State<H>> {
        let mut variables: Vec<Variable> = Vec::new();
        let mut targets: Targets = FxHashMap::default();
        self.note_changes(state, state, &ends, &mut variables, &mut targets)?;
        for _ in 0..MOST_ROUNDS {
            let floor = self.pool.variables().count();
            let mut start = state.clone();
            let unknown = self.forget(&mut start, &variables, &targets)?;
            let gaps = self.result.gaps.clone();
            let collected = self.iterations(&start)?;
            if self.note_changes(state, &start, &collected.ends, &mut variables, &mut targets)? {
                self.result.gaps = gaps;
                continue;
            }
            return self.behind(state, (&start, &unknown), collected.ends, &targets, floor);
        }
        None
    }

    /// Notes the variables that differ between the start and the ends of iterations, and the objects to which references
    /// among them refer. Returns whether there are more than before. `None` if there are differences of another kind.
    fn note_changes(
        &mut self,
        state: &State<H>,
        start: &State<H>,
        ends: &[State<H>],
        variables: &mut Vec<Variable>,
        targets: &mut Targets,
    ) -> Option<bool> {
        let body = self.program.body(state.frame.method)?;
        let structure = self.structure(state.frame.method)?;
        let head = state.frame.at.block;
        let mut is_more = false;
        for end in ends {
            let mut changed: Vec<Variable> = Vec::new();
            let locals = start.frame.locals.iter().zip(&end.frame.locals).enumerate();
            for (local, _) in locals.filter(|(_, (before, after))| before != after) {
                let local = LocalId(local as u32);
                if structure.liveness.is_live(head, local) {
                    changed.push(Variable::Local(local));
                }
            }
            let places = self.in_scope(end, |heap, scope| heap.differences(scope, &start.heap))?;
            changed.extend(places.into_iter().map(Variable::Heap));
            for variable in changed {
                if !variables.contains(&variable) {
                    variables.push(variable);
                    is_more = true;
                }
                let (before, after) = (self.content(state, body, variable)?, self.content(end, body, variable)?);
                for content in [before, after] {
                    match content {
                        Content::Value(value, ty) if ty.is_reference() => {
                            let known = targets.entry(variable).or_default();
                            let mut found = Vec::new();
                            leaves(&mut self.pool, value, &mut found)?;
                            for leaf in found {
                                // Objects that the iteration has made are not in the heap at its start.
                                if let Value::Object(id) = Value::from_term(&self.pool, leaf, ty)
                                    && state.heap.object(id).is_none()
                                {
                                    return None;
                                }
                                let target = matches!(self.pool.node(leaf), Node::Int(_)).then_some(leaf);
                                if !known.contains(&target) {
                                    known.push(target);
                                    is_more = true;
                                }
                            }
                            if known.len() > MOST_OBJECTS {
                                return None;
                            }
                        }
                        // An unknown element may be an object that is allocated.
                        Content::Elements(_, ty) if ty.is_reference() => return None,
                        _ => {}
                    }
                }
            }
        }
        Some(is_more)
    }

    fn in_scope<R>(&mut self, state: &State<H>, f: impl FnOnce(&H, &mut Scope) -> R) -> R {
        let mut met = crate::access::Met::default();
        self.on_heap(&state.path, false, &mut met, |scope| f(&state.heap, scope))
    }

    fn content(&mut self, state: &State<H>, body: &aback_ir::Body, variable: Variable) -> Option<Content> {
        match variable {
            Variable::Local(local) => {
                Some(Content::Value(*state.frame.locals.get(local.index())?, body.local(local).ty))
            }
            Variable::Heap(place) => self.in_scope(state, |heap, scope| heap.content(scope, place)),
        }
    }

    fn set_content(&mut self, state: &mut State<H>, variable: Variable, content: Content) {
        match (variable, content) {
            (Variable::Local(local), Content::Value(value, _)) => state.frame.locals[local.index()] = value,
            (Variable::Heap(place), content) => {
                let mut met = crate::access::Met::default();
                let State { heap, path, .. } = state;
                self.on_heap(path, false, &mut met, |scope| heap.set_content(scope, place, content));
            }
            _ => {}
        }
    }

    /// Replaces the values of variables with unknown ones. `None` if the path becomes infeasible.
    fn forget(&mut self, state: &mut State<H>, variables: &[Variable], targets: &Targets) -> Option<Vec<Unknown>> {
        let mut unknown = Vec::new();
        for &variable in variables {
            let content = self.unknown(state, variable, targets)?;
            self.set_content(state, variable, content);
            unknown.push(Unknown { variable, content });
        }
        Some(unknown)
    }

    /// An unknown value of a variable.
    fn unknown(&mut self, state: &mut State<H>, variable: Variable, targets: &Targets) -> Option<Content> {
        let body = self.program.body(state.frame.method)?;
        match self.content(state, body, variable)? {
            Content::Value(_, ty) if ty.is_reference() => {
                let mut value: Option<Term> = None;
                for &target in targets.get(&variable)? {
                    let target = match target {
                        Some(constant) => constant,
                        None => self.input_value(state, "any", ty)?.to_term(&mut self.pool, ty),
                    };
                    value = Some(match value {
                        Some(other) => {
                            let choice = self.pool.fresh_var("choice", Sort::Bool);
                            self.pool.ite(choice, target, other)
                        }
                        None => target,
                    });
                }
                Some(Content::Value(Value::from_term(&self.pool, value?, ty), ty))
            }
            Content::Value(_, ty) => Some(Content::Value(Value::Term(self.pool.fresh_var("any", sort_of(ty))), ty)),
            Content::Elements(term, ty) => {
                let sort = self.pool.sort(term);
                Some(Content::Elements(self.pool.fresh_var("any", sort), ty))
            }
        }
    }

    /// The state behind the iterations.
    fn behind(
        &mut self,
        state: &State<H>,
        (start, unknown): (&State<H>, &[Unknown]),
        ends: Vec<State<H>>,
        targets: &Targets,
        floor: usize,
    ) -> Option<State<H>> {
        let body = self.program.body(state.frame.method)?;
        let mut changed = Vec::new();
        for Unknown { variable, content } in unknown {
            let entry = self.content(state, body, *variable)?;
            let [start, entry] = [*content, entry].map(|content| self.term(content));
            changed.push(Changed { start, entry });
        }
        let known: FxHashSet<Term> = start.path.conjuncts().collect();
        let mut backbones = Vec::new();
        for end in &ends {
            let condition: Vec<Term> = end.path.conjuncts().filter(|part| !known.contains(part)).collect();
            let mut values = Vec::new();
            for Unknown { variable, .. } in unknown {
                let content = self.content(end, body, *variable)?;
                values.push(self.term(content));
            }
            backbones.push(Backbone { condition, values, inner: end.summarised.passed.to_vec() });
        }
        // Facts about the start of an iteration.
        let before: FxHashSet<Term> = state.path.conjuncts().collect();
        let about_start: Vec<Term> = start.path.conjuncts().filter(|part| !before.contains(part)).collect();
        for backbone in &mut backbones {
            backbone.condition.extend(&about_start);
        }
        let starts: Vec<Term> = changed.iter().map(|variable| variable.start).collect();
        let starts: FxHashSet<_> = self.pool.free_variables(&starts).into_iter().collect();
        let own: Vec<Term> = self
            .pool
            .variables()
            .skip(floor)
            .map(|(id, _)| id)
            .filter(|id| !starts.contains(id))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|id| self.pool.variable_term(id))
            .filter(|&variable| !self.input.describes(variable))
            .collect();
        let mut iterated = iterate(&mut self.pool, &changed, backbones, &own);
        let mut behind = state.clone();
        for (at, Unknown { variable, content }) in unknown.iter().enumerate() {
            let value = match (iterated.is_known[at], *content) {
                (true, content) => self.like(content, iterated.values[at]),
                (false, _) => self.unknown(&mut behind, *variable, targets)?,
            };
            self.set_content(&mut behind, *variable, value);
        }
        for at in 0..unknown.len() {
            if let Some(fact) = self.never_wraps(&changed, &iterated, (&ends, unknown), at) {
                iterated.looping.add_invariant(&mut self.pool, fact);
            }
        }
        let bounds = iterated.looping.bounds(&mut self.pool);
        if !self.assume_each(&mut behind, &bounds) {
            return None;
        }
        let facts = iterated.looping.ends(&mut self.pool, 1);
        if !self.assume_each(&mut behind, &facts) {
            return None;
        }
        self.find_limits(&mut behind, &mut iterated.looping);
        Rc::make_mut(&mut behind.summarised.passed).push(iterated.looping);
        let region = Region { frames: behind.frames, head: behind.frame.at.block, way: Way::Leaving };
        behind.summarised.regions.push(region);
        Some(behind)
    }

    fn assume_each(&mut self, state: &mut State<H>, facts: &[Term]) -> bool {
        facts.iter().all(|&fact| self.assume(state, fact))
    }

    fn term(&mut self, content: Content) -> Term {
        match content {
            Content::Value(value, ty) => value.to_term(&mut self.pool, ty),
            Content::Elements(term, _) => term,
        }
    }

    fn like(&self, content: Content, term: Term) -> Content {
        match content {
            Content::Value(_, ty) => Content::Value(Value::from_term(&self.pool, term, ty), ty),
            Content::Elements(_, ty) => Content::Elements(term, ty),
        }
    }

    /// Finds small bounds of path counters.
    fn find_limits(&mut self, state: &mut State<H>, looping: &mut Looping) {
        for (at, counter) in looping.counters().to_vec().into_iter().enumerate() {
            let mut most = None;
            for limit in LIMITS {
                let bound = self.pool.int(i64::from(limit));
                let beyond = self.pool.lt(bound, counter);
                if matches!(self.chain.check(&mut self.pool, &state.path, beyond), Feasibility::Infeasible) {
                    most = Some((limit, beyond));
                    break;
                }
            }
            if let Some((limit, beyond)) = most {
                looping.set_limit(at, limit);
                let within = self.pool.not(beyond);
                self.assume(state, within);
            }
        }
    }

    /// That a machine integer to which all iterations add constants never leaves its range: no single addition does, at
    /// any value at the start of an iteration. By induction, the sum is the value itself.
    fn never_wraps(
        &mut self,
        changed: &[Changed],
        iterated: &aback_loops::Iterated,
        (ends, unknown): (&[State<H>], &[Unknown]),
        at: usize,
    ) -> Option<Term> {
        let Content::Value(_, Type::Machine { width, signed: true }) = unknown[at].content else { return None };
        let width = u32::from(width);
        let steps = iterated.steps[at].clone()?;
        let mut sum = self.pool.convert(Conversion::BvToInt { signed: true }, changed[at].entry);
        for ((step, end), &counter) in steps.into_iter().zip(ends).zip(iterated.looping.counters()) {
            let Some(step) = step else { continue };
            let bits = self.pool.as_bits(step)?;
            let step = Integer::from_signed_bits(bits, width).as_i64()?;
            // The value at the start from which the step leads out of the range.
            let greatest = (1i128 << (width - 1)) - 1;
            let beyond = if step > 0 {
                let last = self.pool.bv(width, (greatest - i128::from(step)) as u128);
                self.pool.bv_compare(BvOrder::SLt, last, changed[at].start)
            } else {
                let last = self.pool.bv(width, (-greatest - 1 - i128::from(step)) as u128);
                self.pool.bv_compare(BvOrder::SLt, changed[at].start, last)
            };
            if !matches!(self.chain.check(&mut self.pool, &end.path, beyond), Feasibility::Infeasible) {
                return None;
            }
            let step = self.pool.int(step);
            let product = self.pool.mul(step, counter);
            sum = self.pool.add(sum, product);
        }
        let half = self.pool.integer(Integer::power_of_two(width - 1));
        let lowest = self.pool.neg(half);
        let (low, high) = (self.pool.le(lowest, sum), self.pool.lt(sum, half));
        Some(self.pool.and(low, high))
    }

    /// Notes that an iteration leaves its loop.
    pub(crate) fn leave_iteration(&mut self) {
        if let Some(collected) = self.collected.last_mut() {
            collected.exits += 1;
        }
    }

    /// Reports a violation that occurs where `violating` holds, unless the conditions of the loops on the way exclude it. It
    /// counts if a concrete run shows it. Otherwise, nothing is known: these conditions are necessary, not sufficient.
    pub(crate) fn violation_behind_loops(&mut self, state: &State<H>, violating: Term, fault: Fault, place: Place) {
        let mut path = state.path.clone();
        let model = match self.chain.check(&mut self.pool, &path, violating) {
            Feasibility::Infeasible => return,
            Feasibility::Feasible(model) => Some(model),
            Feasibility::Unknown(_) => None,
        };
        if state.summarised.passed.is_empty()
            && let Some(model) = model
        {
            return self.try_inputs(state, model, fault, place);
        }
        for most in UNFOLDED {
            if self.is_out_of_time() || self.is_done() {
                return;
            }
            let (mut facts, mut few) = (Vec::new(), Vec::new());
            let bound = self.pool.int(i64::from(most));
            for looping in state.summarised.passed.iter() {
                facts.extend(looping.unfolded(&mut self.pool, most));
                few.extend(looping.counters().iter().map(|&counter| self.pool.le(counter, bound)));
            }
            if facts.iter().any(|&fact| path.assume(&mut self.pool, fact).is_err()) {
                return;
            }
            // With few iterations, all of their conditions are unfolded.
            let few = self.pool.and_all(&few);
            let violating_soon = self.pool.and(few, violating);
            if let Feasibility::Feasible(model) = self.chain.check(&mut self.pool, &path, violating_soon) {
                self.try_inputs(state, model, fault, place);
                continue;
            }
            if matches!(self.chain.check(&mut self.pool, &path, violating), Feasibility::Infeasible) {
                return;
            }
        }
        self.gap(Gap::Loops(place));
    }

    /// Runs the inputs that a model describes.
    fn try_inputs(&mut self, state: &State<H>, model: PathModel, fault: Fault, place: Place) {
        let (inputs, _) = self.inputs_of(state, &model);
        if self.pool.is_stopped() {
            return;
        }
        let candidate = Candidate { fault, place, inputs, depth: state.depth };
        match (self.confirm)(&candidate) {
            Replay::Confirmed => _ = self.result.add(candidate, self.config.counterexamples),
            Replay::Again => {}
            Replay::Doubtful(gap) => self.gap(gap),
            Replay::Rejected(_) => self.gap(Gap::Loops(place)),
            Replay::Stopped => self.gap(Gap::Time),
        }
    }
}

/// Numbers of iterations up to which loops are unfolded, one after the other, while a violation seems possible.
const UNFOLDED: [u32; 3] = [3, 12, 30];

/// The references that a value can be. `None` if they cannot be told apart.
fn leaves(pool: &mut Pool, value: Value, found: &mut Vec<Term>) -> Option<()> {
    let mut pending = vec![value.to_term(pool, Type::Null)];
    let mut seen = FxHashSet::default();
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        match *pool.node(term) {
            Node::Ite(_, then, otherwise) => pending.extend([then, otherwise]),
            Node::Int(_) | Node::Var(_) | Node::Select(..) => found.push(term),
            _ => return None,
        }
    }
    Some(())
}
