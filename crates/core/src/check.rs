//! Checks whether an execution can violate something.

use crate::answer::{Answer, DoubleCheck, Rejected, SecondSaid, Verdict, Violation, reason};
use crate::asked::{self, asks_nothing};
use crate::attacked::{Effort, attacked, contradicts};
use crate::before::{Before, bound};
use crate::by_entry::ByEntry;
use crate::choice::look_with_any_choice;
use crate::engines::{Engine, Look, Restricted, Task, look_with};
use crate::entries::Entries;
use crate::invariants::{InvariantFile, Restriction, message};
use crate::made::{Made, leaves_out_made, look_for_made, restrict};
use crate::passed::{Asked, for_question};
use crate::question::{Line, QuestionError, class_named, entry_point, points_at, without_types};
use crate::reach::{marked, marked_references};
use crate::referee::{CONSTRUCTIBLE, Referee, Unmade, max_steps};
use crate::time_limit::TimeLimit;
use crate::valid::{ValidInputs, Validity, changed_by_preconditions, preconditions};
use crate::violations::{Exceptions, Violations};
use crate::world::World;
use aback_backward::Findings;
use aback_forward::{Choices, HeapKind, LoopConditions, Pruning, Search, Subsumption};
use aback_ir::analysis::Stopped;
use aback_ir::{
    Body, ClassId, Diagnostic, InputLimits, Intrinsic, LocalId, MakingLimits, MethodId, MethodKind, OpKind, Point,
    Program, Span,
};
use aback_logic::Rule;
use aback_smt::{SmtError, Statistics};
use aback_symbolic::{Candidate, Exploration, Gap, Progress, Query, Replay, Uncaught};
use aback_witness::{Inputs, Outcome, PathEntry, Recording, ValueDocument};
use rustc_hash::FxHashSet;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};
use std::time::{Duration, Instant};

/// A program with markers at the places in question, and these places.
type Prepared = (Program, Option<FxHashSet<(MethodId, Point)>>);

/// What an answer about a trail assumes.
const TRAIL: &str = "executions go along the chosen lines";

/// The question, the engine, and the bounds.
#[derive(Clone, Debug, Default)]
pub struct CheckConfig {
    /// The kind of question.
    pub question: Question,
    /// The entry point as `Class.method`. The default is the main method, or all methods that lead to the line.
    pub entry: Option<String>,
    /// What counts as a violation.
    pub violations: Violations,
    /// Whether classes outside of the program may exist.
    pub world: World,
    /// Only violations at this line count.
    pub at: Option<Line>,
    /// Violations that do not count, because they are known.
    pub known: Arc<Vec<KnownViolation>>,
    /// Time limit for the answer.
    pub timeout: Option<Duration>,
    /// Limit for the memory of the process, in bytes.
    pub memory: Option<u64>,
    /// Most operations of each engine for each entry point. If set, it also makes the effort of attacks on proofs a
    /// number of operations.
    pub operations: Option<u64>,
    /// Most operations on a path.
    pub depth: Option<u64>,
    /// Most nested calls, that of the entry point included.
    pub call_depth: Option<usize>,
    /// Order in which the forward engine explores paths.
    pub search: Search,
    /// When branches are checked for feasibility.
    pub pruning: Pruning,
    /// Where the pseudorandom numbers of the forward engine start.
    pub seed: u64,
    /// The symbolic heap of the forward engine.
    pub heap: HeapKind,
    /// What becomes of references that may be one of several objects in the forward engine.
    pub choices: Choices,
    /// Whether the forward engine joins states that meet.
    pub merging: Merge,
    /// Whether the forward engine follows paths also where control flow and constants show that no violation is ahead.
    pub no_ahead: bool,
    /// Whether the forward engine drops states that are instances of others.
    pub subsumption: Subsumption,
    /// Whether, and when, loops are looked at in all numbers of iterations at once.
    pub loops: Loops,
    /// In which form the conditions of all iterations of loops are asked about.
    pub loop_conditions: LoopConditions,
    /// Whether the answer has the ways to the places in question through loops, if loops are looked at first.
    pub ways: bool,
    /// Invariants that the input heap satisfies. What has no answer without them is left to the forward engine, with lazy or
    /// symbolic initialization.
    pub invariants: Option<Arc<InvariantFile>>,
    /// If set, invariants are decided by bounded model finding, with at most so many objects.
    pub scope: Option<usize>,
    /// Which inputs are valid, and whether only these are considered.
    pub valid: ValidInputs,
    /// Whether only counterexamples count whose objects a known constructor makes. Only [`crate::Session::check`] knows
    /// the constructors.
    pub constructible: bool,
    /// How far inputs are made as callers make them.
    pub making: MakingLimits,
    /// How large inputs are.
    pub input_limits: InputLimits,
    /// The engine that looks for the answer.
    pub engine: Engine,
    /// Number of counterexamples to look for, each on a path of its own; 0 means 1.
    pub counterexamples: usize,
    /// How much work concrete runs do before a proof is reported, and before [`Engine::Auto`] starts the engines.
    pub attack: Effort,
    /// Whether the other engine checks a proof, within the time limit.
    pub double_check: bool,
    /// Settings of the backward engine. The bounds above apply to it, too. Whether a slice is used (`slice`) goes for both engines.
    pub backward: aback_backward::Config,
    /// The stages of the solver.
    pub solver: aback_smt::Config,
    /// Simplification rules that are switched off.
    pub disabled_rules: Vec<Rule>,
    /// Most threads that search at the same time; 0 means one for each core. With one, everything is done in turns, and the same
    /// question has the same counterexample each time.
    pub jobs: usize,
    /// Stops the work when set.
    pub interrupt: Arc<AtomicBool>,
    /// Receives the progress of the work.
    pub progress: Arc<Progress>,
    /// What a look at loops proposes to the engines that unwind them ([`Budget::iterations`](aback_symbolic::Budget::iterations)).
    pub iterations: Arc<AtomicU32>,
    /// Number of searches that go on beside the one with this configuration.
    pub beside: Arc<AtomicUsize>,
}

impl CheckConfig {
    /// Most threads that search at the same time.
    pub(crate) fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        if self.jobs == 0 { cores() } else { self.jobs }
    }

    /// Whether searches run side by side. What a limit of operations leaves open must not depend on which of them ends first.
    pub(crate) fn is_parallel(&self) -> bool {
        self.operations.is_none() && self.jobs() > 1
    }
}

/// A violation that an earlier answer has shown. Others at the same line with the same exception count as the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownViolation {
    /// The file as the program names it.
    pub file: String,
    /// The line in the user's own code, from 1.
    pub line: u32,
    /// The full name of the class of the exception that leaves the entry point, if there is one.
    pub exception: Option<String>,
    /// If this is not empty: only those are the same in which one of these parameters of the entry point, by index, is null.
    pub nulls: Vec<usize>,
    /// Whether only those are the same which null in an array of the inputs shows.
    pub null_elements: bool,
}

impl KnownViolation {
    /// Whether a violation is this one. `nulls` are the parameters that are null.
    pub(crate) fn is(&self, program: &Program, span: Span, exception: Option<ClassId>, nulls: &[usize]) -> bool {
        if !self.nulls.is_empty() && !self.nulls.iter().any(|index| nulls.contains(index)) {
            return false;
        }
        let is_file = program.file(span.file).is_some_and(|file| file.path.display().to_string() == self.file);
        is_file
            && span.line == self.line
            && exception.map(|class| program.class_name(class)) == self.exception.as_deref()
    }
}

/// Whether states that meet become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Merge {
    /// Each path is followed by itself.
    #[default]
    Never,
    /// In a second search beside the first one, as soon as many paths wait there.
    Auto,
    /// Where the ways behind a branch meet.
    Regions,
    /// Wherever states can meet.
    Always,
}

/// How loops are looked at beside unwinding them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Loops {
    /// Not at all.
    #[default]
    Off,
    /// By what all iterations imply (paper 5, section 3.1), while the engines run.
    Light,
    /// In the same way, and the values behind a loop may depend on how often the loops within it run (section 3.3).
    Heavy,
    /// Like [`Loops::Light`], if the engines do not answer soon.
    Later,
}

/// The kind of question.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Question {
    /// Can something be violated?
    #[default]
    Violation,
    /// Can execution reach the line [`CheckConfig::at`]?
    Reach,
    /// Can a reference be null whose object an operation at the line [`CheckConfig::at`] uses?
    Null {
        /// The column of the operation, from 1. Without it, the question is about all operations at the line.
        column: Option<u32>,
    },
}

/// The reason why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The question does not fit the program.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// The solver cannot be used.
    #[error(transparent)]
    Solver(#[from] SmtError),
    /// The invariants do not fit the program.
    #[error("{}", message(diagnostics))]
    Invariants {
        /// The program, with the file of the invariants.
        program: Program,
        /// The errors.
        diagnostics: Vec<Diagnostic>,
    },
    /// Preconditions are stated, and the question chooses the entry points.
    #[error(
        "--assume states what holds of the inputs of one method: name it with --entry, because --at alone may start at several"
    )]
    PreconditionOfSeveral,
    /// Nothing checks the inputs.
    #[error(
        "no argument of the entry point has a method `boolean {method}()`, so that nothing says which inputs are valid"
    )]
    NoValidity {
        /// The name of the method.
        method: String,
    },
}

/// Checks whether an assertion, a contract or an uncaught exception of a program can be violated, for any input of
/// its entry point. A concrete run confirms each violation before it is reported.
///
/// # Errors
/// The entry point or the line does not exist, or the solver cannot be used.
pub fn check(program: &Program, config: &CheckConfig) -> Result<Answer, CheckError> {
    check_with(program, config, None)
}

/// The same. `unmade` tells which objects no constructor makes.
pub(crate) fn check_with(
    program: &Program,
    config: &CheckConfig,
    unmade: Option<&Unmade>,
) -> Result<Answer, CheckError> {
    let start = Instant::now();
    let program = &config.valid.applied_to(program).with_input_limits(config.input_limits);
    if program.has_preconditions() && config.entry.is_none() && config.at.is_some() {
        return Err(CheckError::PreconditionOfSeveral);
    }
    program.profile().runtime.make_representatives(program);
    // A name may make an instance of a generic method, whose code has places to ask about.
    if let Some(name) = &config.entry {
        entry_point(program, Some(name))?;
    }
    let (program, at) = prepared(program, config)?;
    let nothing = asks_nothing(&program, at.as_ref(), config);
    if let (Some(gap), Some(_)) = (&nothing, &at) {
        let entries =
            Entries::new(&program, config.entry.as_deref(), at.as_ref(), &TimeLimit::new(config, start))?.methods;
        let answer = Answer::without_work(gap.clone(), config, start.elapsed());
        return Ok(Answer { program, entries, ..answer });
    }
    let known = program.own_methods().count();
    let mut answer = check_program(&program, at.clone(), config, unmade, start)?;
    if answer.violation.is_none() {
        // Libraries may have assertions.
        answer.gaps.extend(nothing);
        let start = answer.entries.first().copied();
        answer.gaps.extend(start.and_then(|start| asked::made_later(&program, known, at.as_ref(), start)));
        answer.verdict = verdict(&answer.gaps, false);
    }
    // The inputs of a counterexample may be those of a program that makes them.
    let program = if answer.program.making_limits().is_some() { answer.program.clone() } else { program };
    Ok(Answer { program, ..answer })
}

/// The program with markers at the places in question, and these places if the question is about a line.
fn prepared(program: &Program, config: &CheckConfig) -> Result<Prepared, CheckError> {
    let asked = |assertions| if config.violations.assertions { assertions } else { Asked::None };
    Ok(match (&config.at, config.question) {
        (None, _) => (for_question(program, asked(Asked::All)), None),
        (Some(line), Question::Violation) => {
            let points = points_at(program, line)?;
            let program = for_question(program, asked(Asked::At(&points)));
            let places = asked::places(&program, points, config);
            (program, Some(places))
        }
        (Some(line), Question::Reach) => {
            let (program, places) = marked(program, line, config.entry.is_none())?;
            (for_question(&program, Asked::At(&places)), Some(places))
        }
        (Some(line), Question::Null { column }) => {
            let (program, places) = marked_references(program, line, column)?;
            (for_question(&program, Asked::At(&places)), Some(places))
        }
    })
}

/// The entry points from which an execution can come to what a question is about, the nearest first, as `--entry` takes them.
pub(crate) fn starts(program: &Program, config: &CheckConfig) -> Result<Vec<String>, CheckError> {
    program.profile().runtime.make_representatives(program);
    let (program, at) = prepared(program, config)?;
    let limit = TimeLimit::new(config, Instant::now());
    let entries = Entries::new(&program, config.entry.as_deref(), at.as_ref(), &limit)?.methods;
    Ok(entries.into_iter().map(|entry| program.signature(entry)).collect())
}

/// Answers a question about a program that already has markers at the places in question. `start` is the time of the question.
fn check_program(
    program: &Program,
    at: Option<FxHashSet<(MethodId, Point)>>,
    config: &CheckConfig,
    unmade: Option<&Unmade>,
    start: Instant,
) -> Result<Answer, CheckError> {
    let (assertions, exceptions) = match config.question {
        Question::Violation => (config.violations.assertions, &config.violations.exceptions),
        Question::Reach | Question::Null { .. } => (true, &Exceptions::None),
    };
    let uncaught = match exceptions {
        Exceptions::None => Uncaught::Never,
        Exceptions::All => Uncaught::Any,
        Exceptions::InstancesOf(class) => Uncaught::InstancesOf(class_named(program, class)?),
    };
    let limit = TimeLimit::new(config, start);
    let starts = Entries::new(program, config.entry.as_deref(), at.as_ref(), &limit)?;
    let entries = starts.methods.clone();
    let is_checked = |&entry: &MethodId| Validity::new(program, entry, &config.valid.method).is_known();
    if config.valid.is_on() && !entries.iter().any(is_checked) {
        return Err(CheckError::NoValidity { method: config.valid.method.clone() });
    }
    let start_of = |&entry: &MethodId| if limit.is_over() { Err(Stopped) } else { Ok(program.start(entry)) };
    let all_starts = || entries.iter().map(start_of).collect();
    let established = config.constructible.then(|| program.with_established_inputs());
    let program = established.as_ref().unwrap_or(program);
    let by_entry = ByEntry {
        entries: &entries,
        config,
        deadline: config.timeout.and_then(|timeout| start.checked_add(timeout)),
        before: || Before::new(program, config.world, &all_starts, &limit),
        check: |before: &Before, entry, config: &CheckConfig, deadline| {
            let query = Query { entry: program.start(entry), assertions, uncaught, at: at.clone() };
            check_with_initializers(before, entry, &query, config, unmade, deadline)
        },
    };
    let whole = by_entry.answer()?;
    let nothing = Answer::stopped(config, start.elapsed());
    let mut answer = whole.unwrap_or(nothing);
    if answer.violation.is_none() {
        answer.gaps.extend(starts.outside());
        answer.verdict = verdict(&answer.gaps, false);
    }
    Ok(Answer { entries, question: config.question, time: start.elapsed(), ..answer })
}

/// Answers the question for one entry point. An exception that leaves the initialization of a class is another one where the class is used first, and counts
/// there. It counts at its own line, too: where nothing else fails at the lines in question, the uses of such classes are looked at.
fn check_with_initializers(
    before: &Before,
    entry: MethodId,
    query: &Query,
    config: &CheckConfig,
    unmade: Option<&Unmade>,
    deadline: Option<Instant>,
) -> Result<Answer, CheckError> {
    let mut answer = check_entry(before, entry, query, config, unmade, deadline)?;
    let Some(at) = query.at.as_ref().filter(|_| query.uncaught != Uncaught::Never) else { return Ok(answer) };
    if !matches!(answer.verdict, Verdict::Holds | Verdict::HoldsWithinBounds) {
        return Ok(answer);
    }
    let program = before.program;
    let failing = before.failing_classes(entry, &at.iter().map(|&(method, _)| method).collect());
    if failing.is_empty() {
        return Ok(answer);
    }
    let ops = |method: MethodId| {
        let ops = program.body(method).into_iter().flat_map(Body::ops);
        ops.map(move |(point, op)| (method, point, op))
    };
    let initializers: FxHashSet<MethodId> =
        failing.iter().filter_map(|&class| Some(program.initialization(class)?.1)).collect();
    let is_use = |op: &OpKind| match *op {
        OpKind::Ensure { method, .. } => initializers.contains(&method),
        OpKind::Call { method, .. } => failing.contains(&program.method(method).class),
        OpKind::GetStatic { field, .. } | OpKind::PutStatic { field, .. } => {
            failing.contains(&program.field(field).class)
        }
        _ => false,
    };
    let uses = program.own_methods().flat_map(ops).filter(|(.., op)| is_use(&op.kind));
    let uses = Query { at: Some(uses.map(|(method, point, _)| (method, point)).collect()), ..query.clone() };
    let mut at_uses = check_entry(before, entry, &uses, config, unmade, deadline)?;
    let line = |span: Span| (span.file, span.line);
    let lines: FxHashSet<_> = at.iter().map(|&(method, point)| line(program.span_at(method, point))).collect();
    if let Some(violation) = &mut at_uses.violation
        && let Some(last) = violation.path.last().map(|last| last.span).filter(|&last| lines.contains(&line(last)))
    {
        violation.span = last;
        return Ok(at_uses);
    }
    if at_uses.verdict != Verdict::Holds {
        let what = "exceptions that leave the initialization of a class count at the line that uses it first";
        answer.gaps.push(bound(what.into(), query.entry));
        answer.verdict = verdict(&answer.gaps, false);
    }
    Ok(answer)
}

/// Answers the question for one entry point.
fn check_entry(
    before: &Before,
    entry: MethodId,
    query: &Query,
    config: &CheckConfig,
    unmade: Option<&Unmade>,
    deadline: Option<Instant>,
) -> Result<Answer, CheckError> {
    let start = Instant::now();
    // An object under construction is not made yet.
    let is_built = before.program.method(entry).kind == MethodKind::Constructor;
    let unestablished = is_built.then(|| before.program.without_established_inputs());
    let program = unestablished.as_ref().unwrap_or(before.program);
    let restriction = Restriction::of(program, query.entry, config)?;
    let program = restriction.as_ref().map_or(program, Restriction::program);
    let mut referee = Referee::new(program, query.entry, entry, &config.interrupt).knowing(&config.known);
    if let Some(unmade) = unmade.filter(|_| config.constructible) {
        referee.leave_out(unmade);
    }
    if restriction.is_some() || config.backward.trail.is_some() {
        // Smaller numbers could contradict companion methods, or lead another way.
        referee.keep_inputs();
    }
    let validity = config.valid.is_on().then(|| Validity::new(program, entry, &config.valid.method));
    let validity = validity.filter(Validity::is_known);
    // Inputs that callers can make come before others. Invariants say what other inputs are.
    let unmade = unmade.filter(|_| restriction.is_none() && validity.is_none());
    let has_collections = unmade.is_some() && program.takes_collections(entry);
    let inputs = Restricted {
        invariants: restriction.as_ref(),
        validity: validity.as_ref(),
        possible: has_collections,
        ..Restricted::default()
    };
    // Most questions never need the code that makes inputs.
    let look_for_made = |is_strict: bool, time| match unmade {
        Some(unmade) => look_for_made(program, entry, query, config, (unmade, is_strict), time),
        None => Ok(Made::Unknown { is_time: false }),
    };
    if unmade.is_some() {
        referee.doubt_collections();
    }
    let mut from_made = Made::Unknown { is_time: false };
    if has_collections {
        let third = deadline.map(|deadline| deadline - deadline.saturating_duration_since(start) * 2 / 3);
        from_made = look_for_made(config.constructible, (Duration::ZERO, third))?;
    }
    let is_found = from_made.is_found();
    let mut is_searching = false;
    let task = Task { program, query, config, deadline };
    let known: FxHashSet<ClassId> = program.classes().map(|(class, _)| class).collect();
    let Look { findings, engine, solving } = match before.vacuous(entry) {
        _ if is_found => {
            Look { findings: Findings::default(), engine: Engine::Forward, solving: Statistics::default() }
        }
        Some(gap) => {
            let exploration = Exploration { gaps: vec![gap], ..Exploration::default() };
            let findings = Findings { exploration, ..Findings::default() };
            Look { findings, engine: Engine::Forward, solving: Statistics::default() }
        }
        None => {
            let (look, is_time) = look_with_any_choice(task, inputs, &mut referee)?;
            is_searching = is_time;
            look
        }
    };
    let Findings { mut exploration, conditions, stops, is_hoisted, .. } = findings;
    let mut refuted_proof = false;
    let all_gaps = |exploration: &Exploration| -> Vec<Gap> {
        [exploration.gaps.clone(), before.gaps(entry, query, exploration.is_sliced)].concat()
    };
    // Attacks and the other engine know nothing of invariants.
    let is_attackable = |exploration: &Exploration| !is_found && restriction.is_none() && exploration.is_proof();
    if is_attackable(&exploration)
        && let Some(found) = attacked(program, query, config, start.elapsed(), deadline, &exploration.samples)
    {
        match referee.judge(&found) {
            Replay::Confirmed => {
                refuted_proof = contradicts(program, &all_gaps(&exploration), &found, &known);
                exploration.violation = Some(found);
            }
            Replay::Doubtful(gap) => exploration.gaps.push(gap),
            Replay::Stopped => exploration.gaps.push(Gap::Time),
            Replay::Rejected { outcome, .. } => exploration.gaps.push(Gap::NotReplayed { outcome, place: found.place }),
            Replay::Again | Replay::Known => {}
        }
    }
    let mut double_check = None;
    if config.double_check && is_attackable(&exploration) {
        let other = engine.other();
        let second = look_with(other, task, Restricted::default(), &mut referee)?.findings.exploration;
        let said = match &second.violation {
            Some(found) => {
                refuted_proof = contradicts(program, &all_gaps(&exploration), found, &known);
                SecondSaid::Disagrees
            }
            None if second.is_proof() => SecondSaid::Agrees,
            None if second.gaps.iter().any(|gap| matches!(gap, Gap::NotReplayed { .. })) => SecondSaid::Disagrees,
            None => SecondSaid::Undecided(reason(program, &second.gaps)),
        };
        if matches!(said, SecondSaid::Disagrees) {
            exploration.violation = second.violation;
            exploration.gaps.extend(second.gaps);
        }
        double_check = Some(DoubleCheck { engine: other, said });
    }
    let (mut found, rejected) = referee.into_recordings();
    let is_wanted = match found.first() {
        // There may be a counterexample with inputs that callers can make.
        Some((odd, _)) => {
            let is_odd =
                |unmade: &Unmade| unmade(before.program, entry, &odd.inputs).is_none_or(|classes| !classes.is_empty());
            config.counterexamples <= 1 && unmade.is_some_and(is_odd)
        }
        None => !exploration.gaps.is_empty(),
    };
    if !has_collections && is_wanted {
        from_made = look_for_made(config.constructible || !found.is_empty(), (start.elapsed(), deadline))?;
    }
    let mut program = program.clone();
    match from_made {
        Made::Found(making, violation) => (program, found) = (making, vec![*violation]),
        Made::None(bounds) if found.is_empty() => restrict(&mut exploration.gaps, bounds, &program),
        Made::Unknown { is_time } if found.is_empty() => {
            is_searching |= is_time && leaves_out_made(&exploration.gaps, &program);
        }
        _ => {}
    }
    let program = &program;
    let mut found = found.into_iter().map(|(candidate, recording)| violated(program, entry, candidate, recording));
    let (violation, more) = (found.next(), found.collect());
    // A later attempt of the engine may have removed the doubt.
    let is_doubtful = exploration.gaps.iter().any(|gap| matches!(gap, Gap::NotReplayed { .. }));
    let rejected = rejected.filter(|_| is_doubtful).map(|(candidate, recording, instead)| {
        Box::new(Rejected { violation: violated(program, entry, candidate, recording), instead })
    });
    // Where the time is up, there is none left to find out what else is not covered.
    let is_stopped = exploration.gaps.iter().any(|gap| matches!(gap, Gap::Time | Gap::Interrupted | Gap::Memory));
    if violation.is_none() && !is_stopped {
        exploration.gaps.extend(before.gaps(entry, query, exploration.is_sliced));
        exploration.gaps.extend(restriction.as_ref().and_then(Restriction::bound));
        exploration.gaps.extend(validity.as_ref().and_then(Validity::gap));
        exploration.gaps.extend(changed_by_preconditions(program, entry));
        let name = config.entry.as_deref().map(without_types);
        let of_instance = program.profile().runtime.instance_bound(program, entry, name);
        exploration.gaps.extend(of_instance.map(|what| bound(what, query.entry)));
    }
    let verdict = verdict(&exploration.gaps, violation.is_some());
    Ok(Answer {
        program: program.clone(),
        question: config.question,
        verdict,
        violation,
        rejected,
        refuted_proof,
        double_check,
        gaps: exploration.gaps,
        assumptions: before
            .assumptions()
            .into_iter()
            .chain(is_hoisted.then(|| HOISTED.into()))
            .chain(config.invariants.as_ref().map(|file| format!("the input heap satisfies {}", file.path.display())))
            .chain(preconditions(program, entry))
            .chain(validity.as_ref().and_then(Validity::assumption))
            .chain(restriction.as_ref().and_then(Restriction::assumption))
            .chain(config.constructible.then(|| CONSTRUCTIBLE.into()))
            .chain(config.backward.trail.is_some().then(|| TRAIL.into()))
            .chain(trusted_models(program))
            .collect(),
        entries: vec![entry],
        work: exploration.work,
        more,
        conditions,
        stops,
        ways: exploration.ways,
        is_searching,
        solving,
        time: start.elapsed(),
    })
}

/// The models of library methods that executions may run, in readable form.
pub(crate) fn trusted_models(program: &Program) -> impl Iterator<Item = String> + use<> {
    program.models_used().into_iter().map(|method| format!("the model of {method} describes it"))
}

/// An assumption of proofs that move initializers to the start.
const HOISTED: &str =
    "classes of the language's own library are initialized in the same way whatever the program did before";

/// The verdict that results from these gaps.
pub(crate) fn verdict(gaps: &[Gap], violated: bool) -> Verdict {
    if violated {
        Verdict::Violated
    } else if gaps.is_empty() {
        Verdict::Holds
    } else if gaps.iter().all(Gap::is_bound) {
        Verdict::HoldsWithinBounds
    } else {
        Verdict::Unknown
    }
}

/// Source lines of a path that are kept from its start and from its end.
const PATH_ENDS: (usize, usize) = (200, 800);

/// The violation of a candidate, with the recording of its concrete run.
fn violated(program: &Program, entry: MethodId, candidate: Candidate, recording: Recording) -> Violation {
    // A question about a line blames the program's own code for what libraries throw.
    let (class, message, place) = match &recording.outcome {
        Some(Outcome::Uncaught { class, message, origin, .. }) => (Some(*class), message.clone(), *origin),
        _ => (None, None, candidate.place),
    };
    let (path, omitted) = ends(&recording.lines, recording.execution.omitted);
    Violation {
        fault: candidate.fault,
        max_steps: max_steps(candidate.depth),
        span: recording.place.unwrap_or(candidate.place.span),
        place,
        class,
        message,
        entry,
        shown_inputs: shown_inputs(program, entry, &candidate.inputs, &recording),
        null_arguments: null_arguments(&recording),
        constants: recording.constants,
        made_by: recording.made_by,
        models: recording.models,
        given: recording.given,
        output: recording.output,
        inputs: candidate.inputs,
        path,
        omitted,
        unmade: None,
        confirmation: None,
    }
}

pub(crate) fn null_arguments(recording: &Recording) -> Vec<usize> {
    let arguments = recording.arguments.iter().enumerate();
    arguments.filter(|(_, argument)| matches!(argument.value, ValueDocument::Null)).map(|(index, _)| index).collect()
}

/// The beginning and the end of a path from whose beginning `before` lines have already been removed. Also returns
/// the number of removed lines and the index of the gap.
fn ends(lines: &[PathEntry], before: u64) -> (Vec<PathEntry>, (u64, usize)) {
    let (first, last) = PATH_ENDS;
    let more = lines.len().saturating_sub(first + last);
    match (before, more) {
        (0, 0) => (lines.to_vec(), (0, lines.len().min(first))),
        (0, more) => ([&lines[..first], &lines[first + more..]].concat(), (more as u64, first)),
        (before, more) => (lines[more..].to_vec(), (before + more as u64, 0)),
    }
}

/// The inputs by name, except those without information and those that are shown with their place.
pub(crate) fn shown_inputs(
    program: &Program,
    entry: MethodId,
    inputs: &Inputs,
    run: &Recording,
) -> Vec<(String, String)> {
    if program.making_limits().is_some() {
        return run.shown_arguments.clone();
    }
    let mut inputs = inputs.clone();
    let first = program.start(entry);
    // What libraries choose is no input that users know.
    let asks = |&method: &MethodId| {
        let ops = program.body(method).into_iter().flat_map(Body::ops);
        let is_choice = |kind: &OpKind| {
            matches!(kind, OpKind::Intrinsic { intrinsic: Intrinsic::Nondet(_) | Intrinsic::NondetArray(_), .. })
        };
        ops.into_iter().any(|(_, op)| is_choice(&op.kind))
    };
    let own: FxHashSet<MethodId> = run.lines.iter().map(|line| line.method).chain([entry]).collect();
    if !run.given.is_empty() || first != entry || !own.iter().any(asks) {
        inputs.nondet.clear();
    }
    let own: Vec<_> = run.held.iter().filter(|(_, address, _)| address.index() >= inputs.heap.len()).collect();
    // Parts of arguments, too, may be objects of the program's own.
    let names = program.body(first).into_iter().flat_map(|body| &body.locals).take(program.method(first).params.len());
    let others = names.enumerate().filter(|_| first != entry).filter_map(|(index, local)| {
        let (.., holder) = own.iter().find(|(name, ..)| *name == local.name)?;
        Some((index, holder.clone()?))
    });
    let others: Vec<(usize, String)> = others.collect();
    let mut shown = inputs.describe_with(program, first, &others).unwrap_or_default();
    if first != entry {
        // A parameter of the sources may be several ones of the program model.
        let is_of = |given: &str, name: &str| {
            let given = given.strip_prefix("ref ").unwrap_or(given);
            name.strip_prefix(given).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let is_given = |name: &String| shown.iter().any(|(given, _)| is_of(given, name));
        let made: Vec<_> = run.shown_arguments.iter().filter(|(name, _)| !is_given(name)).cloned().collect();
        shown.extend(made);
        // Where the program uses an object of its own, show this object and not the input value.
        for (name, _, holder) in own {
            let seen = run.shown_arguments.iter().find(|(argument, _)| argument == name).map(|(_, text)| text.clone());
            let text = holder.clone().or(seen);
            let is_it = |given: &str| given.strip_prefix("ref ").unwrap_or(given) == name;
            if let (Some(text), Some((_, old))) = (text, shown.iter_mut().find(|(given, _)| is_it(given))) {
                *old = text;
            }
        }
    }
    let main = program.profile().main;
    let has_unused_arguments = main.takes_arguments
        && program.is_start(entry)
        && program.body(entry).is_some_and(|body| !body.reads(LocalId(0)));
    if has_unused_arguments && !shown.is_empty() {
        shown.remove(0);
    }
    shown
}
