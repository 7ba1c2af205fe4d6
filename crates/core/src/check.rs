//! Checking: can something be violated?

use crate::answer::{Answer, Rejected, Verdict, Violation};
use crate::question::{Line, QuestionError, class_named, entry_point, is_main, points_at};
use crate::referee::Referee;
use crate::violations::{Exceptions, Violations};
use crate::watched::watched;
use aback_backward::Findings;
use aback_forward::{Pruning, Search};
use aback_ir::{LocalId, MethodId, Program};
use aback_smt::{Chain, SmtError};
use aback_symbolic::{Budget, Candidate, Exploration, Gap, Progress, Query, Uncaught};
use aback_witness::{Inputs, Outcome, PathEntry, Recording};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a request to stop is looked for while a solver runs.
const INTERRUPT_POLL: Duration = Duration::from_millis(20);
/// A solver that has not stopped by itself so long after the deadline is stopped.
const GRACE: Duration = Duration::from_millis(200);

/// What to check, how, and up to which bounds.
#[derive(Clone, Debug, Default)]
pub struct CheckConfig {
    /// The entry point as `Class.method`; the program's main method if it is not given, see [`entry_point`].
    pub entry: Option<String>,
    /// What counts as a violation.
    pub violations: Violations,
    /// Only violations at this line count.
    pub at: Option<Line>,
    /// Most time for the answer.
    pub timeout: Option<Duration>,
    /// Most memory of the process in bytes.
    pub memory: Option<u64>,
    /// Most operations on a path.
    pub depth: Option<u64>,
    /// Order of the search.
    pub search: Search,
    /// When branches are checked for feasibility.
    pub pruning: Pruning,
    /// Which engine looks for the answer.
    pub engine: Engine,
    /// How the backward engine goes about it; the bounds of the whole count for it, too.
    pub backward: aback_backward::Config,
    /// The stages of the solver.
    pub solver: aback_smt::Config,
    /// Stops the work when set.
    pub interrupt: Arc<AtomicBool>,
    /// Is told how far the work has come.
    pub progress: Arc<Progress>,
}

/// Which engine looks for the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// From the entry point on.
    #[default]
    Forward,
    /// From what is asked about, back.
    Backward,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The question has no meaning in the program.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// The solver cannot be used.
    #[error(transparent)]
    Solver(#[from] SmtError),
}

/// Whether an assertion, a contract or an uncaught exception of a program can be violated, for any input of its entry
/// point. A violation is confirmed by a concrete run before it is reported.
///
/// # Errors
/// The entry point or the line does not exist, or the solver cannot be used.
pub fn check(program: &Program, config: &CheckConfig) -> Result<Answer, CheckError> {
    let start = Instant::now();
    let entry = entry_point(program, config.entry.as_deref())?;
    let at = config.at.as_ref().map(|line| points_at(program, line)).transpose()?;
    let mut chain = Chain::new(&config.solver)?;
    let deadline = config.timeout.and_then(|timeout| start.checked_add(timeout));
    chain.set_deadline(deadline);
    let uncaught = match &config.violations.exceptions {
        Exceptions::None => Uncaught::Never,
        Exceptions::All => Uncaught::Any,
        Exceptions::InstancesOf(class) => Uncaught::InstancesOf(class_named(program, class)?),
    };
    let first = program.start(entry);
    let query = Query { entry: first, assertions: config.violations.assertions, uncaught, at };
    let budget = Budget {
        deadline,
        memory: config.memory,
        interrupt: Arc::clone(&config.interrupt),
        progress: Arc::clone(&config.progress),
    };
    let interrupter = chain.interrupter();
    let mut referee = Referee::new(program, first, entry, &config.interrupt);
    let mut confirm = |candidate: &Candidate| referee.judge(candidate);
    // A running solver does not look at the flag, nor always at the clock; another thread does.
    let is_over = || {
        config.interrupt.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| Instant::now() > deadline + GRACE)
    };
    let pass_on_interrupt = |done: &AtomicBool| {
        while !done.load(Ordering::Acquire) {
            if is_over() {
                interrupter.interrupt();
            }
            std::thread::park_timeout(INTERRUPT_POLL);
        }
    };
    let Findings { mut exploration, conditions, .. } = watched(pass_on_interrupt, || match config.engine {
        Engine::Forward => {
            let search = aback_forward::Config {
                search: config.search,
                pruning: config.pruning,
                intervals: config.solver.intervals,
                depth: config.depth,
                budget,
            };
            let exploration = aback_forward::explore(program, &query, &search, &mut chain, &mut confirm);
            Findings { exploration, ..Findings::default() }
        }
        Engine::Backward => {
            let config = aback_backward::Config { budget, ..config.backward.clone() };
            aback_backward::explore(program, &query, &config, &mut chain, &mut confirm)
        }
    });
    let (recording, rejected) = referee.into_recordings();
    let violation = exploration.violation.take().zip(recording);
    let violation = violation.map(|(candidate, recording)| violated(program, entry, candidate, recording));
    let rejected = rejected.map(|(candidate, recording, instead)| {
        Box::new(Rejected { violation: violated(program, entry, candidate, recording), instead })
    });
    let verdict = verdict(&exploration, violation.is_some());
    Ok(Answer {
        verdict,
        violation,
        rejected,
        gaps: exploration.gaps,
        work: exploration.work,
        conditions,
        solving: chain.statistics(),
        time: start.elapsed(),
    })
}

fn verdict(exploration: &Exploration, violated: bool) -> Verdict {
    if violated {
        Verdict::Violated
    } else if exploration.gaps.is_empty() {
        Verdict::Holds
    } else if exploration.gaps.iter().all(Gap::is_bound) {
        Verdict::HoldsWithinBounds
    } else {
        Verdict::Unknown
    }
}

/// Source lines of a path that are kept from its start and from its end.
const PATH_ENDS: (usize, usize) = (200, 800);

/// A candidate with what its run was seen to do.
fn violated(program: &Program, entry: MethodId, candidate: Candidate, recording: Recording) -> Violation {
    let (class, message) = match &recording.outcome {
        Some(Outcome::Uncaught { class, message, .. }) => (Some(*class), message.clone()),
        _ => (None, None),
    };
    let blamed = recording.step.and_then(|step| recording.lines.get(step as usize));
    let (path, omitted) = ends(&recording.lines, recording.execution.omitted);
    Violation {
        fault: candidate.fault,
        span: blamed.map_or(candidate.place.span, |line| line.span),
        place: candidate.place,
        class,
        message,
        entry,
        shown_inputs: shown_inputs(program, entry, &candidate.inputs, &recording),
        given: recording.given,
        output: recording.output,
        inputs: candidate.inputs,
        path,
        omitted,
        confirmation: None,
        arguments: recording.arguments,
        execution: recording.execution,
        step: recording.step,
    }
}

/// The beginning and the end of a path of which so many lines have already been left out at its beginning; and how many
/// are left out, and where.
fn ends(lines: &[PathEntry], before: u64) -> (Vec<PathEntry>, (u64, usize)) {
    let (first, last) = PATH_ENDS;
    let more = lines.len().saturating_sub(first + last);
    match (before, more) {
        (0, 0) => (lines.to_vec(), (0, lines.len().min(first))),
        (0, more) => ([&lines[..first], &lines[first + more..]].concat(), (more as u64, first)),
        (before, more) => (lines[more..].to_vec(), (before + more as u64, 0)),
    }
}

/// The inputs by name, but for what tells nothing or is told with its place.
fn shown_inputs(program: &Program, entry: MethodId, inputs: &Inputs, run: &Recording) -> Vec<(String, String)> {
    let mut inputs = inputs.clone();
    let first = program.start(entry);
    if !run.given.is_empty() || first != entry {
        inputs.nondet.clear();
    }
    let mut shown = inputs.describe(program, first).unwrap_or_default();
    if first != entry {
        let is_given = |name: &String| shown.iter().any(|(given, _)| given == name);
        let made: Vec<_> = run.shown_arguments.iter().filter(|(name, _)| !is_given(name)).cloned().collect();
        shown.extend(made);
    }
    let has_unused_arguments =
        is_main(program, entry) && program.body(entry).is_some_and(|body| !body.reads(LocalId(0)));
    if has_unused_arguments && !shown.is_empty() {
        shown.remove(0);
    }
    shown
}
