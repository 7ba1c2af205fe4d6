//! The driver: takes states from the frontier, runs them, keeps to the bounds.

use crate::config::{Config, Pruning, Search};
use crate::frontier::Frontier;
use crate::state::{Frame, State};
use aback_heap::{Heap, InputHeap, Layout, ObjectId, Scope, Value, sort_of};
use aback_ir::analysis::Distance;
use aback_ir::{Body, ExprId, MethodId, MethodKind, Op, OpKind, Program, Terminator, TerminatorKind, Type};
use aback_logic::{Domain, Evaluator, Integer, Pool, Term};
use aback_smt::{Chain, Feasibility};
use aback_symbolic::expr::{self, Code};
use aback_symbolic::inputs::{self, ModelInputs};
use aback_symbolic::pure::Dispatched;
use aback_symbolic::{Candidate, Exploration, Fault, Gap, Query, Replay, number};
use aback_witness::{Inputs, Place};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// A state runs for so many operations before others get their turn.
const QUANTUM: u64 = 20_000;
/// After so many it looks at the time: where values are large terms, an operation can take milliseconds.
const SLICE: u64 = 500;
/// Frames beyond this number are given up.
const MAX_FRAMES: usize = 1_000_000;
/// Inputs of paths without a violation are kept of so many.
const SAMPLES: usize = 8;
/// What code does that has not passed a verifier.
pub(crate) const TAKEN_FOR_ANOTHER: &str = "an object that is taken for one of another type";

/// A model that shows that a path is feasible, shared by the states that it fits.
pub(crate) type Witness = Rc<RefCell<Evaluator>>;

/// How the execution of a path goes on after an operation.
pub(crate) enum Flow {
    /// With the next operation.
    Next,
    /// At the state's place, which has been set.
    Jumped,
    /// Not at all: the path ends.
    End,
    /// In the frontier: the state was forked into others.
    Moved,
}

/// The values of a truth value that a path allows.
pub(crate) struct Sides {
    pub(crate) yes: Side,
    pub(crate) no: Side,
}

/// Whether one of the values is possible.
pub(crate) enum Side {
    /// It is not.
    Infeasible,
    /// It is, as this model shows.
    Feasible(Witness),
    /// It was not asked for, or could not be decided.
    Unknown(Option<String>),
    /// It is the only one.
    Certain,
}

/// The engine of one exploration.
pub(crate) struct Engine<'a> {
    pub(crate) program: &'a Program,
    pub(crate) layout: Layout,
    pub(crate) query: &'a Query,
    pub(crate) config: &'a Config,
    pub(crate) pool: Pool,
    pub(crate) chain: &'a mut Chain,
    pub(crate) input: InputHeap,
    pub(crate) arguments: Vec<(Value, Type)>,
    pub(crate) result: Exploration,
    pub(crate) dispatched: Dispatched,
    /// Whether a type can be assigned to another, as far as it was asked.
    pub(crate) fits: FxHashMap<(Type, Type), bool>,
    /// Locals of frames that were left, empty.
    pub(crate) spare: Vec<Vec<Value>>,
    /// By method.
    code: Vec<Option<Rc<Code>>>,
    frontier: Frontier,
    distance: Option<Distance>,
    confirm: &'a mut dyn FnMut(&Candidate) -> Replay,
}

/// Explores the executions of `query.entry` until a violation is confirmed by `confirm`, all are covered, or a bound is hit.
pub fn explore(
    program: &Program,
    query: &Query,
    config: &Config,
    chain: &mut Chain,
    confirm: &mut dyn FnMut(&Candidate) -> Replay,
) -> Exploration {
    let mut engine = Engine {
        program,
        layout: Layout::new(program),
        query,
        config,
        pool: Pool::without(&config.disabled_rules),
        chain,
        input: InputHeap::of(program, query.entry),
        arguments: Vec::new(),
        result: Exploration::default(),
        dispatched: Dispatched::default(),
        fits: FxHashMap::default(),
        spare: Vec::new(),
        code: Vec::new(),
        frontier: Frontier::new(config.search),
        distance: None,
        confirm,
    };
    if config.search == Search::Directed {
        engine.distance = Some(query.distance(program));
    }
    config.budget.watch(&mut engine.pool);
    engine.run();
    // Whatever became of paths since then: they are not covered.
    if let Some(gap) = config.budget.stopped(&engine.pool) {
        engine.gap(gap);
    }
    let start = engine.place_of(query.entry, aback_ir::Point { block: Body::ENTRY, op: 0 });
    for gap in inputs::bounds(program, &engine.layout, &engine.input, start) {
        engine.gap(gap);
    }
    engine.result
}

impl<'a> Engine<'a> {
    fn run(&mut self) {
        let Some(state) = self.initial_state() else {
            return;
        };
        self.enqueue(state);
        let mut turns = 0u64;
        while !self.is_done() {
            self.result.work.waiting = self.result.work.waiting.max(self.frontier.len());
            let Some(state) = self.frontier.pop() else {
                return;
            };
            turns += 1;
            self.tell_progress();
            if self.is_out_of_resources(turns) {
                return;
            }
            self.execute(state);
        }
    }

    /// Whether as many violations were found as are wanted.
    fn is_done(&self) -> bool {
        self.result.has(self.config.counterexamples)
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

    /// The state at the entry point, with an input of any value for each parameter.
    fn initial_state(&mut self) -> Option<State> {
        let program = self.program;
        let method = program.method(self.query.entry);
        let Some(body) = program.body(self.query.entry) else {
            let construct = format!("{} has no code", program.method_name(self.query.entry));
            let point = aback_ir::Point { block: Body::ENTRY, op: 0 };
            let place = Place { method: self.query.entry, point, span: method.span };
            self.gap(Gap::Unsupported { construct, place });
            return None;
        };
        let mut axioms = Vec::new();
        for (i, &ty) in method.params.iter().enumerate() {
            let name = body.locals.get(i).map_or("input", |local| local.name.as_str());
            let value = self.input_value(name, ty, &mut axioms);
            if i == 0 && method.kind != MethodKind::Static {
                let receiver = value.to_term(&mut self.pool, ty);
                axioms.push(self.pool.ne(receiver, Pool::ZERO));
                if let (MethodKind::Constructor, Type::Class(class)) = (method.kind, ty) {
                    let new = self.input.construct(&mut self.pool, program, &self.layout, receiver, class);
                    axioms.push(new);
                }
            }
            self.arguments.push((value, ty));
        }
        let arguments: Vec<Value> = self.arguments.iter().map(|(value, _)| *value).collect();
        let receiver = arguments.first().copied().filter(|_| method.kind == MethodKind::Instance);
        let mut locals = arguments;
        locals.extend(body.locals.iter().skip(locals.len()).map(|local| Value::default_of(local.ty)));
        let mut state = State::new(Frame::new(self.query.entry, locals, None), self.chain.path());
        let possible = self.assume_all(&mut state, &axioms)
            && receiver.is_none_or(|receiver| self.assume_runs_entry(&mut state, receiver, method.params[0]));
        possible.then_some(state)
    }

    /// Assumes that a call on the receiver runs the entry point: its class does not override it.
    fn assume_runs_entry(&mut self, state: &mut State, receiver: Value, ty: Type) -> bool {
        let entry = self.query.entry;
        let Some(types) = self.heap(state, |heap, scope| heap.exact_types(scope, receiver, ty)) else {
            return false;
        };
        let runs = types.into_iter().filter_map(|(condition, exact)| match exact {
            Type::Class(class) => (self.program.dispatch(class, entry) == entry).then_some(condition),
            _ => Some(condition),
        });
        let runs: Vec<Term> = runs.collect();
        let runs = self.pool.or_all(&runs);
        self.assume(state, runs)
    }

    /// Any value of a type, as an input; what holds of it is added to `axioms`.
    pub(crate) fn input_value(&mut self, name: &str, ty: Type, axioms: &mut Vec<Term>) -> Value {
        if ty.is_reference() {
            let (value, axiom) = self.input.input_reference(&mut self.pool, self.program, &self.layout, name, ty);
            axioms.push(axiom);
            value
        } else {
            Value::Term(self.pool.fresh_var(name, sort_of(ty)))
        }
    }

    pub(crate) fn enqueue(&mut self, state: State) {
        let distance = &self.distance;
        self.frontier.push(state, |state| crate::directed::rank(distance.as_ref(), state));
    }

    /// Runs a state until it ends, forks, or has had its turn.
    fn execute(&mut self, mut state: State) {
        let program: &'a Program = self.program;
        let mut budget = QUANTUM;
        let mut slice = SLICE;
        loop {
            if let Some(depth) = self.config.depth
                && state.depth >= depth
            {
                self.gap(Gap::Depth(depth));
                return self.finish();
            }
            let method = state.frame.method;
            let Some(body) = program.body(method) else {
                return self.finish();
            };
            let Some(code) = self.code_of(method) else {
                return self.finish();
            };
            // Operations of one frame, until control leaves it or the path ends.
            let granted = budget.min(slice);
            let mut left = granted;
            let flow = self.run_frame(&mut state, body, &code, &mut left);
            budget -= granted - left;
            slice -= granted - left;
            self.result.work.depth = self.result.work.depth.max(state.depth);
            match flow {
                Flow::End => return self.finish(),
                Flow::Moved => return,
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

    fn finish(&mut self) {
        self.result.work.paths += 1;
    }

    fn run_frame(&mut self, state: &mut State, body: &'a Body, code: &Code, budget: &mut u64) -> Flow {
        let (method, frames) = (state.frame.method, state.frames);
        let stop = self.config.depth.map_or(u64::MAX, |depth| depth.saturating_sub(state.depth));
        let start = state.depth;
        let end = start.saturating_add((*budget).min(stop));
        let flow = loop {
            let at = state.frame.at;
            let block = body.block(at.block);
            // Counted first: what the operation forks off has executed it, too.
            state.depth += 1;
            let flow = match (block.ops.get(at.op as usize), &block.terminator) {
                // The most frequent ones are done here, without a call.
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

    /// What is prepared of a method's code; `None`: it has none.
    pub(crate) fn code_of(&mut self, method: MethodId) -> Option<Rc<Code>> {
        match self.code.get(method.index()) {
            Some(Some(code)) => Some(Rc::clone(code)),
            _ => self.new_code(method),
        }
    }

    #[cold]
    fn new_code(&mut self, method: MethodId) -> Option<Rc<Code>> {
        let code = Rc::new(Code::new(&mut self.pool, self.program.body(method)?));
        if self.code.len() <= method.index() {
            self.code.resize(self.program.method_count().max(method.index() + 1), None);
        }
        self.code[method.index()] = Some(Rc::clone(&code));
        Some(code)
    }

    /// Whether a value of a type may be assigned to a place of another without a cast.
    pub(crate) fn is_assignable(&mut self, from: Type, to: Type) -> bool {
        let program = self.program;
        from == to || *self.fits.entry((from, to)).or_insert_with(|| program.is_assignable(from, to))
    }

    // ---- shared by all operations -----------------------------------------------------------------------------

    #[inline]
    pub(crate) fn eval(&mut self, state: &State, body: &Body, code: &Code, id: ExprId) -> Value {
        expr::eval(&mut self.pool, body, code, &state.frame.locals, id)
    }

    /// The value, concrete where what is known on the path leaves one possibility only (paper 4's interval points).
    pub(crate) fn settle(&self, state: &State, value: Value, ty: Type) -> Value {
        match value {
            Value::Term(term) => self.settle_term(state, term, ty),
            concrete => concrete,
        }
    }

    fn settle_term(&self, state: &State, term: Term, ty: Type) -> Value {
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

    /// What heap operations work with on a path of which this is known; what they meet of the input heap is added to the axioms.
    pub(crate) fn scope<'s>(&'s mut self, domain: &'s Domain, axioms: &'s mut Vec<Term>) -> Scope<'s> {
        Scope {
            pool: &mut self.pool,
            program: self.program,
            layout: &self.layout,
            input: &mut self.input,
            domain,
            axioms,
        }
    }

    /// Runs a heap operation and adds to the path what it met of the input heap. `None`: the path is infeasible, or the time
    /// was up meanwhile.
    pub(crate) fn heap<R>(
        &mut self,
        state: &mut State,
        operation: impl FnOnce(&mut Heap, &mut Scope) -> R,
    ) -> Option<R> {
        let mut axioms = Vec::new();
        let mut scope = self.scope(state.path.domain(), &mut axioms);
        let result = operation(&mut state.heap, &mut scope);
        let possible = self.assume_all(state, &axioms);
        // A path of which too little was looked at ends.
        (possible && !self.pool.is_stopped()).then_some(result)
    }

    /// The same for an operation that gives nothing where the object is not what its code takes it for. Such code has not
    /// passed a verifier, and its paths end there.
    pub(crate) fn access<R>(
        &mut self,
        state: &mut State,
        operation: impl FnOnce(&mut Heap, &mut Scope) -> Option<R>,
    ) -> Result<R, Flow> {
        match self.heap(state, operation) {
            Some(Some(found)) => Ok(found),
            Some(None) => Err(self.unsupported(state, TAKEN_FOR_ANOTHER)),
            None => Err(Flow::End),
        }
    }

    /// Adds conditions to a path; whether it is still possible as far as intervals tell.
    pub(crate) fn assume_all(&mut self, state: &mut State, conditions: &[Term]) -> bool {
        conditions.iter().all(|&condition| self.assume(state, condition))
    }

    /// Adds a condition to a path; whether it is still possible as far as intervals tell.
    pub(crate) fn assume(&mut self, state: &mut State, condition: Term) -> bool {
        state.path.assume(&mut self.pool, condition).is_ok()
    }

    /// Adds a condition that is possible as `side` says.
    pub(crate) fn take(&mut self, state: &mut State, condition: Term, side: Side) -> bool {
        match side {
            Side::Infeasible => false,
            Side::Certain => self.assume(state, condition),
            Side::Unknown(_) => self.assume(state, condition),
            Side::Feasible(witness) => {
                let possible = self.assume(state, condition);
                state.path.set_witness(witness);
                possible
            }
        }
    }

    /// Which values a condition can have on a path, as far as the pruning policy asks.
    pub(crate) fn branch(&mut self, state: &State, condition: Term) -> Sides {
        if let Some(sides) = self.decided(state, condition) {
            return sides;
        }
        match self.config.pruning {
            Pruning::Never => Sides { yes: Side::Unknown(None), no: Side::Unknown(None) },
            Pruning::Constant => self.both(state, condition),
        }
    }

    /// Which values a condition can have on a path, where one of them is a violation or an exception.
    pub(crate) fn trap_sides(&mut self, state: &State, condition: Term) -> Sides {
        match self.decided(state, condition) {
            Some(sides) => sides,
            None => self.both(state, condition),
        }
    }

    fn decided(&self, state: &State, condition: Term) -> Option<Sides> {
        Some(match state.path.domain().decide(&self.pool, condition)? {
            true => Sides { yes: Side::Certain, no: Side::Infeasible },
            false => Sides { yes: Side::Infeasible, no: Side::Certain },
        })
    }

    fn both(&mut self, state: &State, condition: Term) -> Sides {
        let negated = self.pool.not(condition);
        let yes = self.side(state, condition);
        let feasible = state.path.witness().is_some();
        // Of a feasible path, one side is feasible.
        let no = if feasible && matches!(yes, Side::Infeasible) { Side::Certain } else { self.side(state, negated) };
        let yes = if feasible && matches!(no, Side::Infeasible) { Side::Certain } else { yes };
        self.result.work.pruned += matches!((&yes, &no), (Side::Infeasible, _) | (_, Side::Infeasible)) as u64;
        Sides { yes, no }
    }

    fn side(&mut self, state: &State, condition: Term) -> Side {
        match self.chain.check(&mut self.pool, &state.path, condition) {
            Feasibility::Feasible(witness) => Side::Feasible(witness),
            Feasibility::Infeasible => Side::Infeasible,
            Feasibility::Unknown(reason) => Side::Unknown(Some(reason.to_string())),
        }
    }

    /// Notes why not all executions are covered.
    pub(crate) fn gap(&mut self, gap: Gap) {
        if !self.result.gaps.contains(&gap) {
            self.result.gaps.push(gap);
        }
    }

    /// Ends a path at something that is not supported.
    pub(crate) fn unsupported(&mut self, state: &State, construct: impl Into<String>) -> Flow {
        let place = self.place(state);
        self.gap(Gap::Unsupported { construct: construct.into(), place });
        Flow::End
    }

    /// Whether calls are nested too deeply.
    pub(crate) fn too_deep(&mut self, state: &State) -> bool {
        let deep = state.frames >= MAX_FRAMES;
        if deep {
            self.gap(Gap::Recursion(MAX_FRAMES));
        }
        deep
    }

    /// The operation at which a state is.
    pub(crate) fn place(&self, state: &State) -> Place {
        self.place_of(state.frame.method, state.frame.at)
    }

    pub(crate) fn place_of(&self, method: MethodId, point: aback_ir::Point) -> Place {
        let span = self.program.body(method).map_or(aback_ir::Span::NONE, |body| {
            let block = body.block(point.block);
            block.ops.get(point.op as usize).map_or(block.terminator.span, |op| op.span)
        });
        Place { method, point, span }
    }

    /// Reports a violation that `side` says is possible under the path's conditions.
    pub(crate) fn violation(&mut self, state: &State, condition: Term, side: &Side, fault: Fault, place: Place) {
        // An operation can violate in several ways, of which each is told here.
        let is_over = self.is_done() || self.pool.is_stopped();
        if is_over || self.query.at.as_ref().is_some_and(|at| !at.contains(&(place.method, place.point))) {
            return;
        }
        let witness = match side {
            Side::Infeasible => return,
            Side::Feasible(witness) => witness.clone(),
            Side::Unknown(Some(reason)) => return self.gap(Gap::Solver { reason: reason.clone(), place }),
            Side::Certain | Side::Unknown(None) => match self.chain.check(&mut self.pool, &state.path, condition) {
                Feasibility::Feasible(witness) => witness,
                Feasibility::Infeasible => return,
                Feasibility::Unknown(reason) => {
                    return self.gap(Gap::Solver { reason: reason.to_string(), place });
                }
            },
        };
        let inputs = self.inputs_of(state, &witness);
        if self.pool.is_stopped() {
            return;
        }
        let candidate = Candidate { fault, place, inputs, depth: state.depth };
        match (self.confirm)(&candidate) {
            Replay::Confirmed => _ = self.result.add(candidate, self.config.counterexamples),
            Replay::Again => {}
            Replay::Doubtful => self.gap(Gap::UnusedRead(place)),
            Replay::Rejected(outcome) => self.gap(Gap::NotReplayed { outcome, place }),
            Replay::Stopped => {
                let gap = self.config.budget.out_of_time();
                self.gap(gap.unwrap_or(Gap::Time));
            }
        }
    }

    /// The inputs that a model of a path describes.
    fn inputs_of(&self, state: &State, witness: &Witness) -> Inputs {
        let mut evaluator = witness.borrow_mut();
        let model = ModelInputs {
            program: self.program,
            layout: &self.layout,
            input: &self.input,
            pool: &self.pool,
            evaluator: &mut evaluator,
        };
        model.read(&self.arguments, &state.nondet)
    }

    /// Keeps the inputs of a path that has returned from the entry point, if a model of it is at hand and there are few yet.
    pub(crate) fn sample(&mut self, state: &State) {
        if self.result.samples.len() < SAMPLES
            && let Some(witness) = state.path.witness().cloned()
        {
            let inputs = self.inputs_of(state, &witness);
            self.result.samples.push(inputs);
        }
    }

    /// Counts a branch where both sides are followed.
    pub(crate) fn forked(&mut self, state: State) {
        self.result.work.forks += 1;
        self.enqueue(state);
    }
}
