//! Lists the behaviours of an entry point: the ends of its paths, each with inputs that a concrete run has confirmed.

use crate::answer::reason;
use crate::before::{Before, bound};
use crate::check::{CheckConfig, CheckError, Loops, shown_inputs, trusted_models};
use crate::engines::{forward_search, with_chain};
use crate::invariants::Restriction;
use crate::made::inputs_bound;
use crate::question::entry_point;
use crate::referee::{Doubts, describe, max_steps};
use crate::time_limit::TimeLimit;
use crate::uncovered::reach_uncovered;
use crate::valid::{Checked, Validity, changed_by_preconditions, preconditions};
use aback_attack::shrink;
use aback_forward::{Listeners, explore_and_tell};
use aback_ir::{Body, FieldId, MethodId, Point, Program, Span, Type};
use aback_symbolic::{Candidate, Gap, Query, Replay, Trace, Uncaught, Work};
use aback_witness::{
    EndRecorder, Ends, Execution, InputError, InputObject, InputValue, Inputs, Limits, Observer, Outcome, Place,
    Recorder, State, run, show_typed,
};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::time::{Duration, Instant};

/// Most runs that make the inputs of a behaviour smaller.
const ATTEMPTS: usize = 100;

/// The end of a path of an entry point.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// Inputs that lead to it, by name.
    pub inputs: Vec<(String, String)>,
    /// The same inputs.
    pub values: Inputs,
    /// The calls that make the inputs, if callers can make them so.
    pub made_by: Vec<String>,
    /// The methods of libraries on the path that have models of the user, for users.
    pub models: Vec<String>,
    /// What must hold of the inputs on the path, as the solver sees it.
    pub condition: Vec<String>,
    /// How the run with these inputs ends.
    pub end: End,
    /// The arguments with references as the run leaves them, by name, if they differ from `inputs`.
    pub after: Vec<(String, String)>,
    /// Number of operations on the path.
    pub depth: u64,
    /// Number of paths with this end, these lines of the program, and inputs of this shape: they differ within
    /// libraries.
    pub paths: u64,
}

/// How a run ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The entry point returns, with this result if it has one.
    Returned(Option<String>),
    /// A condition that the program asserts is false.
    AssertionFailed(Place),
    /// An exception of this class leaves the entry point, with this message, from this place.
    Uncaught {
        /// The class.
        class: String,
        /// The message, if there is one.
        message: Option<String>,
        /// Where it is thrown.
        origin: Place,
    },
}

/// Paths of an entry point by the validity of their inputs (paper 3, section 4.3). An input of a path is one that the program's
/// own methods accept ([`crate::ValidInputs`]), if the search for such an input finds one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// The paths that have come to their end.
    pub traces: u64,
    /// Those whose input is not valid.
    pub invalid: u64,
    /// Those on which an assertion is false, or which an exception leaves.
    pub alarms: u64,
    /// Those of the alarms whose input is not valid.
    pub false_alarms: u64,
}

impl Counts {
    fn add(&mut self, is_valid: bool, end: &End) {
        let is_alarm = !matches!(end, End::Returned(_));
        self.traces += 1;
        self.invalid += u64::from(!is_valid);
        self.alarms += u64::from(is_alarm);
        self.false_alarms += u64::from(is_alarm && !is_valid);
    }
}

/// The behaviours of an entry point.
#[derive(Clone, Debug)]
pub struct Explored {
    /// The program with what was loaded.
    pub program: Program,
    /// The entry point.
    pub entry: MethodId,
    /// The behaviours, in the order in which they were found.
    pub behaviours: Vec<Behaviour>,
    /// How many of the paths start with valid inputs; `None` if nothing says which inputs are valid.
    pub counts: Option<Counts>,
    /// Number of paths for which no input was found that satisfies the invariants.
    pub without_inputs: u64,
    /// The reasons why there may be others, each once.
    pub gaps: Vec<Gap>,
    /// What all inputs satisfy.
    pub assumptions: Vec<String>,
    /// The amount of work.
    pub work: Work,
    /// The time.
    pub time: Duration,
}

impl Explored {
    /// Why there may be other behaviours, in one line; empty if these are all.
    pub fn reason(&self) -> String {
        reason(&self.program, &self.gaps)
    }

    /// A behaviour as an execution of two steps: the heap as the entry point gets it, and as the run leaves it.
    pub fn record(&self, behaviour: &Behaviour) -> Execution {
        let mut recorder = EndRecorder::new(&self.program, self.entry, behaviour.values.heap.len());
        let limits = Limits { max_steps: max_steps(behaviour.depth), ..Limits::default() };
        // These inputs have been run before.
        let _ = run(&self.program, self.program.start(self.entry), &behaviour.values, limits, &mut recorder);
        recorder.finish()
    }
}

/// Follows all paths of an entry point to their ends, at most `most` of them, and then looks for executions that reach
/// lines which these do not ([`CheckConfig::loops`]). The question, the line and the engine in `config` do not matter.
///
/// # Errors
/// The entry point does not exist, the invariants do not fit, or the solver cannot be used.
pub fn explore(program: &Program, config: &CheckConfig, most: usize) -> Result<Explored, CheckError> {
    let started = Instant::now();
    let program = &config.valid.applied_to(program).with_input_limits(config.input_limits);
    let made = config.constructible.then(|| program.with_made_inputs(config.making));
    let program = made.as_ref().unwrap_or(program);
    program.profile().runtime.make_representatives(program);
    let entry = entry_point(program, config.entry.as_deref())?;
    let validity = Validity::new(program, entry, &config.valid.method);
    if config.valid.is_on() && !validity.is_known() {
        return Err(CheckError::NoValidity { method: config.valid.method.clone() });
    }
    let start = match config.valid.checked {
        Checked::Before => program.start(entry),
        _ if config.constructible => program.start(entry),
        Checked::Never | Checked::Along => validity.start(),
    };
    let limit = TimeLimit::new(config, started);
    let starts = || Ok(vec![start]);
    let before = Before::new(program, config.world, &starts, &limit);
    let query = Query { entry: start, assertions: true, uncaught: Uncaught::Any, at: None };
    let restriction = Restriction::of(program, start, config)?;
    let program = restriction.as_ref().map_or(program, Restriction::program);
    let mut explored = Explored {
        program: program.clone(),
        entry,
        behaviours: Vec::new(),
        counts: validity.is_known().then(Counts::default),
        without_inputs: 0,
        gaps: before.vacuous(entry).into_iter().collect(),
        assumptions: before
            .assumptions()
            .into_iter()
            .chain(preconditions(program, entry))
            .chain(validity.assumption().filter(|_| config.valid.checked == Checked::Before))
            .chain(restriction.as_ref().and_then(Restriction::assumption))
            .collect(),
        work: Work::default(),
        time: Duration::ZERO,
    };
    if !explored.gaps.is_empty() {
        return Ok(explored);
    }
    let deadline = config.timeout.and_then(|timeout| started.checked_add(timeout));
    // What is left of the time is for lines that no behaviour reaches.
    let is_completed = config.loops != Loops::Off && restriction.is_none() && config.valid.checked == Checked::Never;
    let end = match config.timeout.filter(|_| is_completed) {
        Some(timeout) => started.checked_add(timeout * 3 / 4),
        None => deadline,
    };
    let mut found = Found {
        program,
        methods: (start, entry),
        config,
        validity: &validity,
        restriction: restriction.as_ref(),
        explored: &mut explored,
        gaps: Vec::new(),
        known: FxHashMap::default(),
    };
    let mut ended = |trace: Trace| {
        found.add(trace);
        found.explored.behaviours.len() < most
    };
    // What is violated is told like any other end.
    let mut confirm = |_: &Candidate| Replay::Again;
    let (exploration, _) = with_chain(config, end, |chain, budget| {
        let search = forward_search(config, budget);
        let observer = restriction.as_ref().map(|restriction| restriction.observer(config.heap, deadline));
        let valid = match config.valid.checked {
            // The inputs of all paths are valid.
            Checked::Before => Default::default(),
            checked => validity.for_engine(checked == Checked::Along, false),
        };
        let listeners = Listeners { observer, ended: Some(&mut ended), valid, ..Listeners::default() };
        explore_and_tell(program, &query, &search, chain, &mut confirm, listeners)
    })?;
    let is_full = found.explored.behaviours.len() >= most;
    if is_completed && (is_full || !exploration.gaps.is_empty()) {
        let covered = found.explored.behaviours.iter().map(|behaviour| (behaviour.values.clone(), behaviour.depth));
        let covered: Vec<(Inputs, u64)> = covered.collect();
        reach_uncovered(program, (start, entry), &covered, config, deadline, |trace| found.add(trace))?;
    }
    let mut gaps = found.gaps;
    if is_full {
        gaps.push(bound(format!("more than {most} behaviours"), start));
    }
    gaps.extend(exploration.gaps);
    if start != program.unchecked_start(entry) && config.constructible {
        gaps.push(bound(inputs_bound(config.making), start));
    }
    gaps.extend(before.gaps(entry, &query, false));
    gaps.extend(restriction.as_ref().and_then(Restriction::bound));
    gaps.extend(changed_by_preconditions(program, entry));
    for gap in gaps {
        if !explored.gaps.contains(&gap) {
            explored.gaps.push(gap);
        }
    }
    // A method without any end is hardly one that was explored.
    if explored.behaviours.is_empty() && explored.gaps.is_empty() {
        explored.gaps.push(Gap::Incomplete(start_of(start)));
    }
    explored.assumptions.extend(trusted_models(program));
    explored.work = exploration.work;
    explored.time = started.elapsed();
    Ok(explored)
}

/// Collects the behaviours of an entry point.
struct Found<'a> {
    program: &'a Program,
    /// The first method, and the entry point, which it is or calls.
    methods: (MethodId, MethodId),
    config: &'a CheckConfig,
    validity: &'a Validity,
    restriction: Option<&'a Restriction>,
    explored: &'a mut Explored,
    gaps: Vec<Gap>,
    /// The behaviours of each kind.
    known: FxHashMap<Kind, usize>,
}

impl Found<'_> {
    /// Adds what happens on a path.
    fn add(&mut self, trace: Trace) {
        let inputs = match self.restriction {
            Some(restriction) => restriction.completed(&trace.inputs),
            None => Some(trace.inputs.clone()),
        };
        let Some(inputs) = inputs else {
            // There may be inputs.
            let place = trace.violated.map_or_else(|| start_of(self.methods.0), |(_, place)| place);
            self.gaps.push(Gap::Incomplete(place));
            self.explored.without_inputs += 1;
            return;
        };
        let explored = &mut *self.explored;
        match behaviour(self.program, self.methods, Trace { inputs, ..trace }, self.config, self.validity) {
            Ok((kind, behaviour)) => {
                if let Some(counts) = &mut explored.counts {
                    counts.add(self.validity.accepts(&behaviour.values), &behaviour.end);
                }
                match self.known.entry(kind) {
                    Entry::Occupied(number) => explored.behaviours[*number.get()].paths += 1,
                    Entry::Vacant(place) => {
                        place.insert(explored.behaviours.len());
                        explored.behaviours.push(behaviour);
                    }
                }
            }
            Err(gap) => self.gaps.push(gap),
        }
    }
}

/// What a concrete run does on the path of a trace of an entry point, which the first method is or calls.
///
/// # Errors
/// The run does something else, or whether it can happen is not known.
fn behaviour(
    program: &Program,
    (start, entry): (MethodId, MethodId),
    trace: Trace,
    config: &CheckConfig,
    validity: &Validity,
) -> Result<(Kind, Behaviour), Gap> {
    let place = trace.violated.map_or_else(|| start_of(start), |(_, place)| place);
    let limits =
        || Limits { max_steps: max_steps(trace.depth), interrupt: Some(&config.interrupt), ..Limits::default() };
    let run_with = |inputs: &Inputs| {
        let mut recorder = Recorder::new(entry, (place.method, place.point), inputs.heap.len()).lines_only();
        let (mut doubts, mut results) = (Doubts::new(program), Results::new(program, start, entry));
        let mut observers = (&mut recorder, (&mut doubts, &mut results));
        let outcome = run(program, start, inputs, limits(), &mut observers);
        (outcome, recorder.finish(), results, doubts.first)
    };
    let (outcome, mut recording, mut results, doubt) = run_with(&trace.inputs);
    if let Some(what) = doubt {
        return Err(Gap::Bound { what, place });
    }
    let instead = match &outcome {
        Err(error) => Some(error.to_string()),
        Ok(outcome) => match trace.violated {
            None if matches!(outcome, Outcome::Returned(_)) => None,
            Some((fault, place)) => {
                let claimed =
                    Candidate { fault, place, inputs: Inputs::default(), depth: trace.depth, is_sliced: false };
                (!claimed.is_shown_by(outcome)).then(|| describe(outcome, program))
            }
            None => Some(describe(outcome, program)),
        },
    };
    if let Some(outcome) = instead {
        return Err(Gap::NotReplayed { outcome, place });
    }
    let mut values = trace.inputs.clone();
    let mut outcome = outcome;
    let is_valid = validity.accepts(&values);
    if config.invariants.is_none() {
        // Smaller numbers could contradict companion methods.
        shrink(program, start, trace.inputs.clone(), ATTEMPTS, |smaller| {
            let (ended, found, seen, doubt) = run_with(smaller);
            let is_kept = found.way == recording.way && doubt.is_none() && is_alike(&ended, &outcome);
            let is_kept = is_kept && (!is_valid || validity.accepts(smaller));
            if is_kept {
                (values, outcome, recording, results) = (smaller.clone(), ended, found, seen);
            }
            is_kept
        });
    }
    let end = match outcome {
        Ok(Outcome::Uncaught { class, message, origin, .. }) => {
            // For an exception of a library, the line that called it.
            let origin = Place { span: recording.place.unwrap_or(origin.span), ..origin };
            End::Uncaught { class: program.class_name(class).to_string(), message, origin }
        }
        Ok(Outcome::AssertionFailed { place, .. }) => End::AssertionFailed(place),
        _ => End::Returned(results.result),
    };
    let inputs = shown_inputs(program, entry, &values, &recording);
    let after = results.after.into_iter().filter(|after| !inputs.contains(after)).collect();
    let at = match &end {
        End::Returned(_) => None,
        End::AssertionFailed(place) => Some((place.method, place.point, String::new())),
        End::Uncaught { class, origin, .. } => Some((origin.method, origin.point, class.clone())),
    };
    let calls = recording.made_by.iter().map(|call| Part::Call(without_values(call)));
    let kind = (recording.way, at, shape(program, &values).into_iter().chain(calls).collect());
    let condition = trace.condition;
    Ok((
        kind,
        Behaviour {
            inputs,
            values,
            made_by: recording.made_by,
            models: recording.models,
            condition,
            end,
            after,
            depth: trace.depth,
            paths: 1,
        },
    ))
}

/// What behaviours have in common that users cannot tell apart: the operations of their own code, what ends it, and the
/// shape of the inputs.
type Kind = (u64, Option<(MethodId, Point, String)>, Vec<Part>);

/// A reference of the inputs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Part {
    Null,
    /// The first reference to an object. Those of its own references follow.
    New(Type),
    /// A further reference to the object with this number.
    Alias(usize),
    /// A call that makes an object or changes one, without numbers and strings.
    Call(String),
}

/// A call without the numbers and the strings in it.
fn without_values(call: &str) -> String {
    let mut is_quoted = false;
    let kept = call.chars().filter(|&char| {
        is_quoted ^= char == '"';
        !is_quoted && !char.is_ascii_digit() && char != '-'
    });
    kept.collect()
}

/// The references of inputs, as far as they lead over objects of the program and arrays.
fn shape(program: &Program, inputs: &Inputs) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
    let is_reference = |value: &&InputValue| matches!(value, InputValue::Ref(_) | InputValue::Null);
    let mut pending: Vec<&InputValue> = inputs.args.iter().filter(is_reference).rev().collect();
    while let Some(value) = pending.pop() {
        let InputValue::Ref(position) = *value else {
            parts.push(Part::Null);
            continue;
        };
        if let Some(&number) = numbers.get(&position) {
            parts.push(Part::Alias(number));
            continue;
        }
        numbers.insert(position, numbers.len());
        match inputs.heap.get(position) {
            Some(InputObject::Object { class, fields }) => {
                parts.push(Part::New(Type::Class(*class)));
                if !program.class(*class).is_library {
                    pending.extend(fields.values().filter(is_reference).rev());
                }
            }
            Some(InputObject::Array { element, elements, rest, .. }) => {
                parts.push(Part::New(program.array_of(*element)));
                pending.extend(elements.values().chain(rest).filter(is_reference).rev());
            }
            None => {}
        }
    }
    parts
}

/// Whether two runs on the same path end in the same way.
fn is_alike(one: &Result<Outcome, InputError>, other: &Result<Outcome, InputError>) -> bool {
    match (one, other) {
        (Ok(Outcome::Returned(_)), Ok(Outcome::Returned(_))) => true,
        (Ok(Outcome::AssertionFailed { place, .. }), Ok(Outcome::AssertionFailed { place: at, .. })) => place == at,
        (Ok(Outcome::Uncaught { class, origin, .. }), Ok(Outcome::Uncaught { class: as_well, origin: at, .. })) => {
            class == as_well && origin == at
        }
        _ => false,
    }
}

/// The place where a method starts.
fn start_of(method: MethodId) -> Place {
    Place { method, point: Point { block: Body::ENTRY, op: 0 }, span: Span::NONE }
}

/// Observes what an entry point returns, and how it leaves its arguments, in words.
struct Results<'p> {
    program: &'p Program,
    entry: MethodId,
    ends: Ends,
    result: Option<String>,
    /// The arguments with references, by name.
    after: Vec<(String, String)>,
}

impl<'p> Results<'p> {
    fn new(program: &'p Program, start: MethodId, entry: MethodId) -> Self {
        Results { program, entry, ends: Ends::new(program, start, entry), result: None, after: Vec::new() }
    }
}

impl Observer for Results<'_> {
    fn step(&mut self, state: &State<'_>, place: Place) {
        self.ends.step(state, place);
    }

    fn end(&mut self, state: &State<'_>, outcome: &Outcome) {
        self.ends.end(state, outcome);
        let method = self.program.method(self.entry);
        self.result = self.ends.result.as_ref().zip(method.result).map(|(value, ty)| {
            let parts = self.program.profile().runtime.result_parts(self.program, self.entry);
            let part = |(name, register): &(String, Option<FieldId>)| {
                let shown = match *register {
                    Some(field) => show_typed(state, &state.static_field(field), self.program.field(field).ty),
                    None => show_typed(state, value, ty),
                };
                format!("{name} = {shown}")
            };
            match parts[..] {
                [] => show_typed(state, value, ty),
                _ => format!("{{ {} }}", parts.iter().map(part).collect::<Vec<_>>().join(", ")),
            }
        });
        let names = self.program.body(self.entry).into_iter().flat_map(|body| &body.locals);
        let arguments = self.ends.arguments.iter().flatten().zip(&method.params).zip(names);
        self.after = arguments
            .filter(|((_, ty), _)| ty.is_reference())
            .map(|((value, &ty), local)| (local.name.clone(), show_typed(state, value, ty)))
            .collect();
    }
}
