//! Checking: can something be violated?

use crate::answer::{Answer, Verdict, Violation};
use crate::question::{Line, QuestionError, entry_point, points_at};
use crate::referee::Referee;
use crate::watched::watched;
use aback_forward::{Candidate, Exploration, Gap, Progress, Pruning, Query, Search, Uncaught, explore};
use aback_ir::{MethodId, Program};
use aback_smt::{Chain, SmtError};
use aback_witness::PathRecorder;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a request to stop is looked for while a solver runs.
const INTERRUPT_POLL: Duration = Duration::from_millis(20);

/// What to check, how, and up to which bounds.
#[derive(Clone, Debug, Default)]
pub struct CheckConfig {
    /// The entry point as `Class.method`; `Main.main` if it is not given.
    pub entry: Option<String>,
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
    /// The stages of the solver.
    pub solver: aback_smt::Config,
    /// Stops the work when set.
    pub interrupt: Arc<AtomicBool>,
    /// Is told how far the work has come.
    pub progress: Arc<Progress>,
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
    let query = Query { entry, assertions: true, uncaught: Uncaught::Any, at };
    let search = aback_forward::Config {
        search: config.search,
        pruning: config.pruning,
        intervals: config.solver.intervals,
        depth: config.depth,
        deadline,
        memory: config.memory,
        interrupt: Arc::clone(&config.interrupt),
        progress: Arc::clone(&config.progress),
    };
    let interrupter = chain.interrupter();
    let mut referee = Referee::new(program, entry, &config.interrupt);
    let mut confirm = |candidate: &Candidate| referee.judge(candidate);
    // A running solver does not look at the flag; another thread does.
    let pass_on_interrupt = |done: &AtomicBool| {
        while !done.load(Ordering::Acquire) {
            if config.interrupt.load(Ordering::Relaxed) {
                interrupter.interrupt();
            }
            std::thread::park_timeout(INTERRUPT_POLL);
        }
    };
    let mut exploration = watched(pass_on_interrupt, || explore(program, &query, &search, &mut chain, &mut confirm));
    let violation = exploration.violation.take().zip(referee.into_path());
    let violation = violation.map(|(candidate, path)| violated(program, entry, candidate, &path));
    let verdict = verdict(&exploration, violation.is_some());
    Ok(Answer {
        verdict,
        violation,
        gaps: exploration.gaps,
        work: exploration.work,
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

/// A confirmed candidate with its path.
fn violated(program: &Program, entry: MethodId, candidate: Candidate, path: &PathRecorder) -> Violation {
    Violation {
        fault: candidate.fault,
        place: candidate.place,
        entry,
        shown_inputs: candidate.inputs.describe(program, entry).unwrap_or_default(),
        inputs: candidate.inputs,
        omitted: (path.omitted(), path.first().len()),
        path: path.entries().cloned().collect(),
    }
}
