//! Drives an exploration: takes states from the frontier, executes them, and enforces the bounds.

use crate::config::{Choices, Config, HeapKind, Loops, Merging, Search};
use crate::feasibility::Side;
use crate::frontier::Frontier;
use crate::join::Joins;
use crate::loops::{Collected, Descents, Initializers, Open, Return, Samples, StateSearch, Structure};
use crate::pruning::Pruner;
use crate::regions::Meeting;
use crate::sharing::{Share, Turns};
use crate::state::{Holding, State};
use crate::subsumption::{self, Visited};
use aback_heap::{Arrays, Combined, Heap, Identities, InputHeap, Layout, Lazy, ObjectId, Observer, Symbolic, Value};
use aback_ir::analysis::{Distance, Required, Returning};
use aback_ir::{BlockId, Body, ExprId, MethodId, Op, OpKind, Program, Terminator, TerminatorKind, Type};
use aback_logic::{Evaluator, Integer, Pool, Rule, Term};
use aback_loops::Successors;
use aback_smt::{Chain, Feasibility};
use aback_symbolic::expr::{self, PreparedBody};
use aback_symbolic::inputs::{self, ModelInputs};
use aback_symbolic::pure::Dispatched;
use aback_symbolic::{Candidate, Exploration, Fault, Focus, Gap, Query, Replay, Slice, Trace, Work, number};
use aback_witness::{InputObject, InputValue, Inputs, Place};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// Greatest number of operations that a state executes before other states get their turn.
const QUANTUM: u64 = 20_000;
/// Number of operations after which the time is checked. With large terms, an operation can take milliseconds.
const SLICE: u64 = 500;
/// Greatest number of frames. Paths that exceed it are given up.
const MAX_FRAMES: usize = 1_000_000;
/// Most operations of the search for a valid input of a path that has come to its end.
const MOST_COMPLETING: u64 = 10_000;
/// Greatest number of paths without a violation whose inputs are kept.
const SAMPLES: usize = 8;
/// The unsupported construct if unverified code uses an object as one of another type.
pub(crate) const TAKEN_FOR_ANOTHER: &str = "an object that is used as an instance of another type";

/// A model that shows that a path is feasible. The states that it satisfies share it.
pub(crate) type PathModel = Rc<RefCell<Evaluator>>;

/// How the execution of a path continues after an operation.
pub(crate) enum Flow {
    /// It continues with the next operation.
    Next,
    /// It continues at the state's place, which the operation has set.
    Jumped,
    /// The path ends.
    End,
    /// It continues in states in the frontier, which were forked off this one.
    Moved,
}

/// The engine of one exploration.
pub(crate) struct Engine<'a, H> {
    pub(crate) program: &'a Program,
    pub(crate) layout: Layout,
    pub(crate) query: &'a Query,
    pub(crate) config: &'a Config,
    pub(crate) pool: Pool,
    pub(crate) chain: &'a mut Chain,
    pub(crate) input: InputHeap,
    pub(crate) identities: Identities,
    pub(crate) arguments: Vec<(Value, Type)>,
    pub(crate) result: Exploration,
    pub(crate) dispatched: Dispatched,
    /// Cache of whether a type can be assigned to another.
    pub(crate) fits: FxHashMap<(Type, Type), bool>,
    /// Cleared vectors of locals, for reuse.
    pub(crate) spare: Vec<Vec<Value>>,
    /// The prepared bodies by method.
    code: Vec<Option<Rc<PreparedBody>>>,
    pub(crate) frontier: Frontier<H>,
    pub(crate) joins: Joins<H>,
    /// Where the ways of the regions meet that are being executed, the innermost region last.
    pub(crate) meetings: Vec<Meeting<H>>,
    /// Where the ways from the ends of blocks meet, by method and block.
    pub(crate) meeting_blocks: FxHashMap<MethodId, Rc<[Option<Option<BlockId>>]>>,
    /// How loops are executed now.
    pub(crate) loops: Loops,
    /// The executions that the conditions of loops leave open.
    pub(crate) open: Vec<Open<H>>,
    /// How often no contract of a recursive method was found.
    pub(crate) contract_failures: FxHashMap<MethodId, u32>,
    /// The contracts that are being looked for, innermost last.
    pub(crate) descents: Vec<Descents<H>>,
    /// The loops of methods.
    pub(crate) structures: FxHashMap<MethodId, Rc<Structure>>,
    /// What is known of the initializers of the platform's classes.
    pub(crate) initializers: Initializers,
    /// How control gets from blocks in loops, given by method and head, to the heads.
    pub(crate) returns: FxHashMap<(MethodId, BlockId, BlockId), Return>,
    /// From where methods outside of the focus can return.
    pub(crate) returning: FxHashMap<MethodId, Rc<Returning>>,
    /// What has to hold at the blocks of methods in the focus if control gets from there to a target.
    pub(crate) required: FxHashMap<MethodId, Rc<Required>>,
    /// The numbers at heads of loops in concrete runs.
    pub(crate) samples: Samples,
    /// How the states of loops are looked for.
    pub(crate) states: StateSearch,
    /// The lists along which loops go.
    pub(crate) successors: Successors,
    /// The ends of the iterations that are being executed, those of the innermost loop last.
    pub(crate) collected: Vec<Collected<H>>,
    pub(crate) pruner: Pruner,
    pub(crate) visited: Visited<H>,
    /// Where the exploration is, if threads share it.
    pub(crate) turns: Option<Turns<'a, H>>,
    distance: Option<Distance>,
    /// How many states have been taken from places, if the search goes where there were few.
    visits: FxHashMap<(MethodId, BlockId), u64>,
    /// Where violations can be ahead, if that is known.
    pub(crate) focus: Option<Focus>,
    pub(crate) confirm: &'a mut dyn FnMut(&Candidate) -> Replay,
    ended: Option<&'a mut dyn FnMut(Trace) -> bool>,
    /// Whether no more ends of paths are wanted.
    has_enough: bool,
    beside: Option<&'a mut dyn FnMut(usize) -> bool>,
    /// Whether the program is a slice, so that a violation in it may be none of the program.
    is_slice: bool,
    /// Where the whole program has thrown an exception that ended the run of such a violation.
    thrown: Option<Place>,
    /// How the validity of inputs matters.
    pub(crate) valid: ValidInputs,
    /// While a valid input is looked for: the first state in which all is checked, if there is one already.
    completing: Option<Option<Box<State<H>>>>,
}

/// How the validity of the arguments of an entry point matters
/// ([`Program::validity_guards`]) if the entry point itself does not check it.
#[derive(Clone, Debug, Default)]
pub struct ValidInputs {
    /// The methods that say whether an argument is valid, each with the index of the argument. If there are any, the inputs
    /// of an end of a path are valid ones where the path has such.
    pub guards: Vec<(usize, MethodId)>,
    /// Whether a path ends as soon as its part of the input heap is not valid, whatever the rest is: the methods run when a
    /// reference gets its meaning, as far as the heap is known then (paper 3, section 4.1, "ConsP").
    pub along: bool,
    /// Whether ends without valid inputs do not count.
    pub required: bool,
}

/// What is known about valid inputs of a path.
enum Completed<H> {
    /// The state after the checks of some, and a model of it.
    Valid(Box<State<H>>, PathModel),
    /// There are none.
    Invalid,
    /// None were found, or nothing says which are valid.
    Unknown,
}

/// Who hears what happens on the paths of an exploration.
#[derive(Default)]
pub struct Listeners<'l> {
    /// Receives the decisions about the input heap.
    pub observer: Option<Box<dyn Observer>>,
    /// Receives the ends of paths, and says whether more are wanted.
    pub ended: Option<&'l mut dyn FnMut(Trace) -> bool>,
    /// How the validity of inputs matters.
    pub valid: ValidInputs,
    /// What this thread does if several share the exploration. There may be no other listeners then.
    pub share: Option<&'l Share>,
    /// Is told again and again how many states wait, and says whether the exploration is not needed any more. Until it returns, the
    /// exploration waits.
    pub beside: Option<&'l mut dyn FnMut(usize) -> bool>,
}

impl Listeners<'_> {
    /// The heap that tells them what references of the input mean: only lazy initialization gives each one meaning.
    fn heap(&self, configured: HeapKind) -> HeapKind {
        let is_guarded = configured == HeapKind::Symbolic;
        let needs_one = self.observer.as_ref().is_some_and(|observer| !(is_guarded && observer.takes_guards()));
        if self.valid.along || needs_one { HeapKind::Lazy } else { configured }
    }
}

/// Explores the executions of `query.entry` until `confirm` has confirmed as many violations as `config` asks for, all
/// executions are covered, or a bound is reached.
pub fn explore(
    program: &Program,
    query: &Query,
    config: &Config,
    chain: &mut Chain,
    confirm: &mut dyn FnMut(&Candidate) -> Replay,
) -> Exploration {
    explore_and_tell(program, query, config, chain, confirm, Listeners::default())
}

/// Explores like [`explore`], and tells what happens on the paths. The heap is the configured one, or that of lazy
/// initialization if the listeners need it.
pub fn explore_and_tell<'a>(
    program: &'a Program,
    query: &'a Query,
    config: &'a Config,
    chain: &'a mut Chain,
    confirm: &'a mut dyn FnMut(&Candidate) -> Replay,
    listeners: Listeners<'a>,
) -> Exploration {
    match listeners.heap(config.heap) {
        HeapKind::Combined => explore_with::<Combined>(program, query, config, chain, confirm, listeners),
        HeapKind::Lazy => explore_with::<Lazy>(program, query, config, chain, confirm, listeners),
        HeapKind::Symbolic => explore_with::<Symbolic>(program, query, config, chain, confirm, listeners),
        HeapKind::Arrays => explore_with::<Arrays>(program, query, config, chain, confirm, listeners),
    }
}

/// Explores like [`explore_and_tell`], but with the heap `H` in place of the configured one.
pub fn explore_with<'a, H: Heap>(
    program: &'a Program,
    query: &'a Query,
    config: &'a Config,
    chain: &'a mut Chain,
    confirm: &'a mut dyn FnMut(&Candidate) -> Replay,
    mut listeners: Listeners<'a>,
) -> Exploration {
    let mut focus = match takes_slice(config, &listeners) {
        true => query.focus(program),
        false => query.control_focus(program),
    };
    let relevance = focus.as_mut().and_then(|focus| focus.relevance.take());
    let mut slice = relevance.and_then(|relevance| Slice::new(program, &relevance));
    if slice.is_some() {
        // What a thread finds in a part of a slice does not count if another one shows that the slice leaves out too much.
        listeners.share = None;
    }
    let mut before = Before { pool: Pool::without(&config.disabled_rules), work: Work::default(), is_slice: true };
    while let Some(sliced) = slice.take() {
        let beside = listeners.beside.as_mut().map(|beside| &mut **beside as &mut dyn FnMut(usize) -> bool);
        let (listeners, focus) = (Listeners { beside, ..Listeners::default() }, query.control_focus(&sliced.program));
        let explored = explore_one::<H>((&sliced.program, focus), query, config, chain, confirm, listeners, before);
        let Explored { mut exploration, pool, thrown } = explored;
        if !exploration.gaps.iter().any(|gap| matches!(gap, Gap::NotReplayed { .. })) {
            exploration.work.left_out = sliced.left_out;
            exploration.is_sliced = !sliced.is_refined();
            return exploration;
        }
        // What the slice leaves out ends the execution. If an exception does so, it matters from now on, and otherwise everything does.
        slice = thrown.and_then(|place| sliced.refined(program, query, (place.method, place.point)));
        before = Before { pool, work: exploration.work, is_slice: true };
    }
    before.is_slice = false;
    explore_one::<H>((program, focus), query, config, chain, confirm, listeners, before).exploration
}

/// What an exploration continues.
struct Before {
    /// All explorations with a chain share a pool, because the chain stores terms.
    pool: Pool,
    /// The work before, which counts for the limits, too.
    work: Work,
    /// Whether the program is a slice: the exploration ends with the first violation that is none of the whole program.
    is_slice: bool,
}

/// What an exploration leaves.
struct Explored {
    exploration: Exploration,
    pool: Pool,
    /// Where the whole program throws an exception that ends the run of a violation in a slice.
    thrown: Option<Place>,
}

/// Whether a slice serves as well as the program: nobody wants to know each path, or what is decided on it, and nothing is
/// said about the number of its operations.
fn takes_slice(config: &Config, listeners: &Listeners) -> bool {
    config.slice
        && config.counterexamples <= 1
        && config.depth.is_none()
        && !config.ways
        && listeners.observer.is_none()
        && listeners.ended.is_none()
        && listeners.valid.guards.is_empty()
}

/// Explores a program, of which nothing but the focus can lead to a target.
fn explore_one<'a, H: Heap>(
    (program, focus): (&'a Program, Option<Focus>),
    query: &'a Query,
    config: &'a Config,
    chain: &'a mut Chain,
    confirm: &'a mut dyn FnMut(&Candidate) -> Replay,
    Listeners { observer, ended, valid, share, beside }: Listeners<'a>,
    Before { pool, work, is_slice }: Before,
) -> Explored {
    let mut engine: Engine<H> = Engine {
        program,
        layout: Layout::new(program),
        query,
        config,
        pool,
        chain,
        input: InputHeap::of(program, query.entry),
        identities: Identities::default(),
        arguments: Vec::new(),
        result: Exploration { work, ..Exploration::default() },
        dispatched: Dispatched::default(),
        fits: FxHashMap::default(),
        spare: Vec::new(),
        code: Vec::new(),
        frontier: Frontier::seeded(config.search, config.seed),
        joins: Joins::default(),
        meetings: Vec::new(),
        meeting_blocks: FxHashMap::default(),
        loops: config.loops,
        open: Vec::new(),
        contract_failures: FxHashMap::default(),
        descents: Vec::new(),
        structures: FxHashMap::default(),
        initializers: Initializers::default(),
        returns: FxHashMap::default(),
        returning: FxHashMap::default(),
        required: FxHashMap::default(),
        samples: Samples::default(),
        states: StateSearch::default(),
        successors: Successors::default(),
        collected: Vec::new(),
        pruner: Pruner::new(config.pruning, config.seed),
        visited: Visited::default(),
        turns: share.map(Turns::new),
        distance: None,
        visits: FxHashMap::default(),
        focus,
        confirm,
        ended,
        has_enough: false,
        beside,
        is_slice,
        thrown: None,
        valid,
        completing: None,
    };
    if config.loops != Loops::Unwound {
        // Summaries recognize the sums of a loop in its conditions.
        engine.pool.set_rule(Rule::EqBv, false);
    }
    if config.search == Search::Directed {
        engine.distance = Some(query.distance(program));
    }
    config.budget.watch(&mut engine.pool);
    engine.run(observer);
    // Paths that ended after the budget was used up are not covered.
    if let Some(gap) = config.budget.stopped(&engine.pool) {
        engine.gap(gap);
    }
    let start = engine.place_of(query.entry, aback_ir::Point { block: Body::ENTRY, op: 0 });
    for gap in inputs::bounds(program, &engine.layout, &engine.input, start) {
        engine.gap(gap);
    }
    Explored { exploration: engine.result, pool: engine.pool, thrown: engine.thrown }
}

impl<'a, H: Heap> Engine<'a, H> {
    fn run(&mut self, observer: Option<Box<dyn Observer>>) {
        self.start(observer);
        if self.loops == Loops::Unwound {
            return self.execute_all(|| false);
        }
        let initial: Vec<State<H>> = std::iter::from_fn(|| self.frontier.pop()).collect();
        let spent = self.execute_summarised(&initial);
        self.look_at_open(initial, spent);
    }

    /// Executes the waiting states until there is nothing left to do or something is over.
    pub(crate) fn execute_all(&mut self, is_over: impl Fn() -> bool) {
        let mut turns = 0u64;
        while !self.is_done() && !self.begins_again() && !is_over() && self.begin_turn() {
            self.result.work.waiting = self.result.work.waiting.max(self.frontier.len());
            let Some(state) = self.frontier.pop() else {
                match self.release() {
                    true => continue,
                    false => return,
                }
            };
            turns += 1;
            self.tell_progress();
            if self.is_out_of_resources(turns) {
                return;
            }
            let waiting = self.frontier.len();
            if self.beside.as_mut().is_some_and(|is_over| is_over(waiting)) {
                return self.gap(Gap::Interrupted);
            }
            if self.config.search == Search::Coverage {
                *self.visits.entry(state.place()).or_default() += 1;
            }
            self.execute(state);
        }
    }

    /// Whether each path is wanted, and not only the violations on any of them.
    pub(crate) fn wants_each_path(&self) -> bool {
        self.config.counterexamples > 1 || self.ended.is_some() || !self.valid.guards.is_empty()
    }

    /// Whether the wanted number of violations, or of ends of paths, was found.
    pub(crate) fn is_done(&self) -> bool {
        self.result.has(self.config.counterexamples) || self.has_enough
    }

    fn tell_progress(&self) {
        let (work, progress) = (&self.result.work, &self.config.budget.progress);
        progress.operations.store(work.operations, Ordering::Relaxed);
        progress.paths.store(work.paths, Ordering::Relaxed);
        progress.waiting.store(self.frontier.len() as u64, Ordering::Relaxed);
        progress.depth.store(work.depth, Ordering::Relaxed);
    }

    /// Whether the time is up or the exploration was interrupted.
    pub(crate) fn is_out_of_time(&mut self) -> bool {
        self.config.budget.done.store(self.result.work.operations, Ordering::Relaxed);
        let gap = self.config.budget.out_of_time();
        gap.map(|gap| self.gap(gap)).is_some()
    }

    fn is_out_of_resources(&mut self, turns: u64) -> bool {
        if self.is_out_of_time() {
            return true;
        }
        let gap = turns.is_multiple_of(256).then(|| self.config.budget.out_of_memory()).flatten();
        gap.map(|gap| self.gap(gap)).is_some()
    }

    pub(crate) fn enqueue(&mut self, state: State<H>) {
        let (distance, visits, is_pruned) = (&self.distance, &self.visits, self.loops != self.config.loops);
        self.frontier.push(state, |state| match self.config.search {
            _ if is_pruned => state.deviations.into(),
            Search::Coverage => visits.get(&state.place()).copied().unwrap_or(0),
            _ => crate::directed::rank(distance.as_ref(), state),
        });
    }

    /// Executes a state until its path ends, it forks, or its turn is over.
    pub(crate) fn execute(&mut self, mut state: State<H>) {
        let program: &'a Program = self.program;
        let mut budget = QUANTUM;
        let mut slice = SLICE;
        loop {
            if self.is_at_meeting(&state) {
                return self.meet(state);
            }
            if self.is_compared(&state) && self.is_subsumed(&mut state) {
                return self.finish();
            }
            if let Some(depth) = self.config.depth
                && state.depth >= depth
            {
                self.gap(Gap::Depth(depth));
                return self.finish();
            }
            if self.loops != Loops::Unwound {
                match self.pass(state) {
                    Some(passed) => state = passed,
                    None => return self.finish(),
                }
            }
            if self.config.ahead && self.completing.is_none() && self.leads_nowhere(&state) {
                return self.finish();
            }
            if let Some(Holding::Known(until)) = state.holding()
                && state.depth >= until
                && matches!(self.presume(&mut state), Flow::End)
            {
                return self.finish();
            }
            let method = state.frame.method;
            let Some(body) = program.body(method) else {
                return self.finish();
            };
            let Some(code) = self.code_of(method) else {
                return self.finish();
            };
            // Executes operations of one frame until control leaves it or the path ends.
            let granted = budget.min(slice);
            let frames = state.frames;
            let mut left = granted;
            let flow = self.run_frame(&mut state, body, &code, &mut left);
            budget -= granted - left;
            slice -= granted - left;
            self.result.work.depth = self.result.work.depth.max(state.depth);
            match flow {
                Flow::End => return self.finish(),
                Flow::Moved => return,
                Flow::Jumped if self.is_join(&state, frames) => return self.joins.stop(state),
                Flow::Next | Flow::Jumped => {}
            }
            if self.is_done() {
                return;
            }
            if budget == 0 {
                return self.enqueue(state);
            }
            if slice == 0 {
                slice = SLICE;
                if self.is_out_of_time() {
                    return;
                }
            }
        }
    }

    /// Whether a state that has just jumped must wait for others: at a block with several incoming edges, or after a
    /// call.
    fn is_join(&mut self, state: &State<H>, frames: usize) -> bool {
        // Where loops are executed in all numbers of iterations at once, the states of one loop must not wait for those of another.
        if self.config.merging != Merging::Always || self.config.loops != Loops::Unwound {
            return false;
        }
        let (method, at) = (state.frame.method, state.frame.at);
        state.frames < frames || at.op == 0 && self.joins.is_join(self.program, method, at.block)
    }

    fn finish(&mut self) {
        self.result.work.paths += 1;
    }

    pub(crate) fn run_frame(
        &mut self,
        state: &mut State<H>,
        body: &'a Body,
        code: &PreparedBody,
        budget: &mut u64,
    ) -> Flow {
        let (method, frames) = (state.frame.method, state.frames);
        let stop = self.config.depth.map_or(u64::MAX, |depth| depth.saturating_sub(state.depth));
        let stop = match state.holding() {
            Some(Holding::Known(until)) => stop.min(until.saturating_sub(state.depth)),
            _ => stop,
        };
        let start = state.depth;
        let end = start.saturating_add((*budget).min(stop));
        let flow = loop {
            let at = state.frame.at;
            if at.op == 0 && self.config.unwind.is_some() && self.exceeds_unwinding(state) {
                break Flow::End;
            }
            let block = body.block(at.block);
            // The operation counts before it is executed, because states that it forks off have executed it, too.
            state.depth += 1;
            let flow = match (block.ops.get(at.op as usize), &block.terminator) {
                _ if (H::DECIDES || self.config.choices == Choices::Split)
                    && let Err(flow) = self.decide_examined(state, body, code) =>
                {
                    flow
                }
                // The most frequent operations are executed here, without a call.
                (Some(Op { kind: OpKind::Assign { dst, value }, .. }), _) => {
                    self.assign(state, body, code, *dst, *value)
                }
                (Some(op), _) => self.operation(state, body, code, op),
                (None, Terminator { kind: TerminatorKind::Goto(target), .. }) => {
                    state.jump(*target);
                    Flow::Jumped
                }
                (None, terminator) => self.terminator(state, body, code, terminator),
            };
            match flow {
                Flow::Next => state.frame.at.op += 1,
                Flow::End | Flow::Moved => break flow,
                // A call or a return changes the frame.
                Flow::Jumped if state.frames != frames || state.frame.method != method => break flow,
                Flow::Jumped
                    if self.config.merging == Merging::Always
                        || self.loops != Loops::Unwound
                        || self.is_at_meeting(state)
                        || self.is_compared(state) =>
                {
                    break flow;
                }
                Flow::Jumped => {}
            }
            if state.depth >= end {
                break flow;
            }
        };
        let done = state.depth - start;
        self.result.work.operations += done;
        *budget = budget.saturating_sub(done);
        flow
    }

    /// The prepared body of a method; `None` if it has no code.
    pub(crate) fn code_of(&mut self, method: MethodId) -> Option<Rc<PreparedBody>> {
        match self.code.get(method.index()) {
            Some(Some(code)) => Some(Rc::clone(code)),
            _ => self.new_code(method),
        }
    }

    #[cold]
    fn new_code(&mut self, method: MethodId) -> Option<Rc<PreparedBody>> {
        let code = Rc::new(PreparedBody::new(&mut self.pool, self.program.body(method)?));
        if self.code.len() <= method.index() {
            self.code.resize(self.program.method_count().max(method.index() + 1), None);
        }
        self.code[method.index()] = Some(Rc::clone(&code));
        Some(code)
    }

    /// Whether a value of type `from` can be assigned to a variable of type `to` without a cast.
    pub(crate) fn is_assignable(&mut self, from: Type, to: Type) -> bool {
        let program = self.program;
        from == to || *self.fits.entry((from, to)).or_insert_with(|| program.is_assignable(from, to))
    }

    // ---- shared by all operations -----------------------------------------------------------------------------

    #[inline]
    pub(crate) fn eval(&mut self, state: &State<H>, body: &Body, code: &PreparedBody, id: ExprId) -> Value {
        expr::eval(&mut self.pool, body, code, &state.frame.locals, id)
    }

    /// The value, concrete if its interval on the path is a single point (paper 4's interval points).
    pub(crate) fn settle(&self, state: &State<H>, value: Value, ty: Type) -> Value {
        match value {
            Value::Term(term) => self.settle_term(state, term, ty),
            concrete => concrete,
        }
    }

    fn settle_term(&self, state: &State<H>, term: Term, ty: Type) -> Value {
        if !ty.is_integer() && !ty.is_reference() {
            return Value::Term(term);
        }
        match state.path.domain().interval(&self.pool, term).as_point().and_then(Integer::as_i64) {
            Some(0) if ty.is_reference() => Value::Null,
            Some(identity) if ty.is_reference() => {
                let allocated = u32::try_from(identity - 1).ok().map(|id| Value::Object(ObjectId(id)));
                allocated.unwrap_or(Value::Term(term))
            }
            Some(value) => Value::Int(number::wrap(value, ty)),
            None => Value::Term(term),
        }
    }

    /// Adds a reason why not all executions are covered.
    pub(crate) fn gap(&mut self, gap: Gap) {
        self.result.note_gap(gap);
    }

    /// Ends a path at an unsupported construct.
    pub(crate) fn unsupported(&mut self, state: &State<H>, construct: impl Into<String>) -> Flow {
        let place = self.place(state);
        self.gap(Gap::Unsupported { construct: construct.into(), place });
        Flow::End
    }

    /// Whether calls are nested too deeply.
    pub(crate) fn too_deep(&mut self, state: &State<H>) -> bool {
        let most = self.config.call_depth.map_or(MAX_FRAMES, |most| most.min(MAX_FRAMES));
        let deep = state.frames >= most;
        if deep {
            self.gap(Gap::Recursion(most));
        }
        deep
    }

    /// The place of a state's next operation.
    pub(crate) fn place(&self, state: &State<H>) -> Place {
        self.place_of(state.frame.method, state.frame.at)
    }

    pub(crate) fn place_of(&self, method: MethodId, point: aback_ir::Point) -> Place {
        Place { method, point, span: self.program.span_at(method, point) }
    }

    /// Reports a violation that occurs where `violating` holds. `side` gives the feasibility of the condition on the
    /// path.
    pub(crate) fn violation(&mut self, state: &State<H>, violating: Term, side: &Side, fault: Fault, place: Place) {
        // An operation can report several violations.
        let is_over = self.is_done() || self.pool.is_stopped();
        // Methods that check invariants are not in question.
        if is_over || state.is_condition() || !self.query.is_asked(place) {
            return;
        }
        if !self.counts(state) {
            return self.leave_iteration();
        }
        if self.loops != Loops::Unwound {
            return self.violation_behind_loops(state, violating, fault, place);
        }
        let model = match side {
            Side::Infeasible => return,
            Side::Feasible(model) => model.clone(),
            Side::Unknown(Some(reason)) => return self.gap(Gap::Solver { reason: reason.clone(), place }),
            Side::Certain | Side::Unknown(None) => match self.chain.check(&mut self.pool, &state.path, violating) {
                Feasibility::Feasible(model) => model,
                Feasibility::Infeasible => return,
                Feasibility::Unknown(reason) => {
                    return self.gap(Gap::Solver { reason: reason.to_string(), place });
                }
            },
        };
        let completed = self.completed(state, violating, &model);
        match &completed {
            Completed::Invalid if self.valid.required => return,
            Completed::Unknown if self.valid.required => return self.gap(Gap::Incomplete(place)),
            _ => {}
        }
        let (inputs, objects) = self.told_inputs(state, model, &completed);
        if self.pool.is_stopped() {
            return;
        }
        let candidate = Candidate { fault, place, inputs, depth: state.depth, is_sliced: self.is_slice };
        let replay = (self.confirm)(&candidate);
        if matches!(replay, Replay::Confirmed | Replay::Again) && self.ended.is_some() {
            let conjuncts = state.path.conjuncts().chain([violating]).collect();
            let condition = self.readable(conjuncts, &candidate.inputs, &objects);
            self.tell_end(state, candidate.inputs.clone(), condition, Some((fault, place)));
        }
        match replay {
            Replay::Confirmed => _ = self.result.add(candidate, self.config.counterexamples),
            Replay::Again | Replay::Known => {}
            Replay::Doubtful(gap) => self.gap(gap),
            Replay::Rejected { outcome, thrown } => {
                self.has_enough |= self.is_slice;
                self.thrown = thrown;
                self.gap(Gap::NotReplayed { outcome, place });
            }
            Replay::Stopped => {
                let gap = self.config.budget.out_of_time();
                self.gap(gap.unwrap_or(Gap::Time));
            }
        }
    }

    /// The inputs that a path has if its model is the given one, or valid ones if there are any, and the numbers of their
    /// objects in the model. The observer of the path is told.
    fn told_inputs(&self, state: &State<H>, model: PathModel, completed: &Completed<H>) -> (Inputs, Vec<Option<i64>>) {
        let (state, model) = match completed {
            Completed::Valid(state, model) => (&**state, model),
            _ => (state, &model),
        };
        let (inputs, objects) = self.inputs_of(state, model);
        if let Some(observer) = &state.observer {
            observer.found(&objects);
        }
        (inputs, objects)
    }

    /// Looks for valid inputs of a path that ends where a condition holds: the checks run behind the end of the path, in the
    /// heap at entry, until they all return `true` on one continuation.
    fn completed(&mut self, state: &State<H>, condition: Term, model: &PathModel) -> Completed<H> {
        if self.valid.guards.is_empty() {
            return Completed::Unknown;
        }
        let mut first = state.clone();
        // The path is over: nothing catches what the checks throw.
        let frontier = std::mem::replace(&mut self.frontier, Frontier::new(Search::Breadth));
        let (gaps, paths) = (std::mem::take(&mut self.result.gaps), self.result.work.paths);
        self.completing = Some(None);
        if self.take(&mut first, condition, Side::Feasible(model.clone()))
            && self.call_guards(&mut first, Holding::AtEnd)
        {
            self.enqueue(first);
        }
        let end = self.result.work.operations + MOST_COMPLETING;
        while matches!(self.completing, Some(None))
            && self.result.work.operations < end
            && !self.is_out_of_time()
            && let Some(state) = self.frontier.pop()
        {
            self.execute(state);
        }
        let is_complete = self.frontier.len() == 0;
        self.frontier = frontier;
        self.result.work.paths = paths;
        let gaps = std::mem::replace(&mut self.result.gaps, gaps);
        let found = self.completing.take().flatten();
        let always = self.pool.bool(true);
        match found {
            Some(found) => match self.chain.check(&mut self.pool, &found.path, always) {
                Feasibility::Feasible(model) => Completed::Valid(found, model),
                _ => Completed::Unknown,
            },
            None if is_complete && gaps.is_empty() && !self.pool.is_stopped() => Completed::Invalid,
            None => Completed::Unknown,
        }
    }

    /// Ends the search for valid inputs with those of a state in which all checks have returned `true`.
    pub(crate) fn complete(&mut self, state: &State<H>) -> Flow {
        self.completing = Some(Some(Box::new(state.clone())));
        Flow::End
    }

    /// The inputs that a model describes, and the numbers of their objects in it.
    pub(crate) fn inputs_of(&self, state: &State<H>, model: &PathModel) -> (Inputs, Vec<Option<i64>>) {
        let mut evaluator = model.borrow_mut();
        let model = ModelInputs {
            program: self.program,
            layout: &self.layout,
            input: &self.input,
            pool: &self.pool,
            evaluator: &mut evaluator,
        };
        model.read(&self.arguments, &state.nondet)
    }

    /// The conditions about values, in readable form. `objects` are the numbers of the objects of the inputs.
    fn readable(&mut self, conditions: Vec<Term>, inputs: &Inputs, objects: &[Option<i64>]) -> Vec<String> {
        let program = self.program;
        // Users do not see parts of objects of libraries.
        let parts: FxHashSet<usize> = inputs.heap.iter().flat_map(|object| parts_of_library(program, object)).collect();
        let object = |number: i64| {
            let position = objects.iter().position(|&known| known == Some(number))?;
            let ty = match inputs.heap.get(position)? {
                InputObject::Object { class, .. } => Type::Class(*class),
                InputObject::Array { element, .. } => program.array_of(*element),
            };
            (!parts.contains(&position)).then(|| format!("{}#{}", program.show_type(ty), position + 1))
        };
        let show = |condition| self.input.show_values(&mut self.pool, program, condition, &object);
        conditions.into_iter().filter_map(show).collect()
    }

    fn tell_end(&mut self, state: &State<H>, inputs: Inputs, condition: Vec<String>, violated: Option<(Fault, Place)>) {
        if let Some(ended) = &mut self.ended {
            self.has_enough |= !ended(Trace { inputs, condition, depth: state.depth, violated });
        }
    }

    /// Tells that a path has returned from the entry point.
    pub(crate) fn returned(&mut self, state: &State<H>) {
        if !self.counts(state) {
            return self.leave_iteration();
        }
        if self.ended.is_some() && !self.pool.is_stopped() {
            let always = self.pool.bool(true);
            let place = self.place_of(self.query.entry, aback_ir::Point { block: Body::ENTRY, op: 0 });
            match self.chain.check(&mut self.pool, &state.path, always) {
                Feasibility::Feasible(model) => {
                    let completed = self.completed(state, always, &model);
                    let (inputs, objects) = self.told_inputs(state, model, &completed);
                    if self.pool.is_stopped() {
                        return;
                    }
                    let condition = self.readable(state.path.conjuncts().collect(), &inputs, &objects);
                    self.tell_end(state, inputs, condition, None);
                }
                Feasibility::Infeasible => {}
                Feasibility::Unknown(reason) => self.gap(Gap::Solver { reason: reason.to_string(), place }),
            }
        }
        self.sample(state);
    }

    /// Keeps the inputs of a path that has returned from the entry point, if the path has a current model and few are
    /// kept so far.
    fn sample(&mut self, state: &State<H>) {
        // A path with summarised loops need not be one of an execution.
        if self.result.samples.len() < SAMPLES
            && self.loops == Loops::Unwound
            && let Some(model) = state.path.current_model().cloned()
        {
            let (inputs, _) = self.inputs_of(state, &model);
            self.result.samples.push(inputs);
        }
    }

    /// Counts a fork and continues with the forked state.
    pub(crate) fn forked(&mut self, state: State<H>) {
        self.result.work.forks += 1;
        self.arrive(state);
    }

    /// Stops a state that has moved to another place if it must wait for others, and puts it into the frontier
    /// otherwise.
    pub(crate) fn arrive(&mut self, mut state: State<H>) {
        state.comparisons = subsumption::PLACES;
        match self.is_join(&state, state.frames) {
            true => self.joins.stop(state),
            false => self.enqueue(state),
        }
    }
}

/// The positions of the objects to which the fields of an object of a library refer.
fn parts_of_library(program: &Program, object: &InputObject) -> Vec<usize> {
    match object {
        InputObject::Object { class, fields } if program.class(*class).is_library => {
            let targets = fields.values().filter_map(|value| match value {
                InputValue::Ref(target) => Some(*target),
                _ => None,
            });
            targets.collect()
        }
        _ => Vec::new(),
    }
}
