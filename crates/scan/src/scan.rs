//! Asks the questions of a scan: the easy ones first, then those that need more time, by several workers.

use crate::protocol::{Asks, EntryPoint, Opening, Question};
use crate::store::{Answered, Store, Stored};
use crate::worker::{GRACE, Lost, Worker};
use std::collections::VecDeque;
use std::io;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Most seconds of the first tries of a question. What these leave open gets the whole time limit.
const FIRST_TRIES: [f64; 2] = [1.0, 10.0];

/// How the questions are asked.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Time limit for a question.
    pub timeout: Duration,
    /// Time limit for the scan.
    pub budget: Option<Duration>,
    /// Most violations of an entry point.
    pub violations: usize,
    /// Most time for a run of each violation on the runtime of its language, if there are any.
    pub confirmation: Option<Duration>,
    /// Number of workers.
    pub jobs: usize,
}

impl Effort {
    /// The time limits of the tries of a question, in seconds, the shortest first.
    fn tries(&self) -> Vec<f64> {
        let last = self.timeout.as_secs_f64();
        FIRST_TRIES.into_iter().filter(|&seconds| seconds < last).chain([last]).collect()
    }
}

/// What happens during a scan.
#[derive(Debug)]
pub enum Event<'a> {
    /// The questions of a try begin: their number, and their time limit in seconds.
    Try {
        /// The number of questions.
        questions: usize,
        /// The time limit of each.
        seconds: f64,
    },
    /// A question was answered.
    Answer(&'a Stored),
}

/// How a scan ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// All questions were asked.
    Complete,
    /// The budget was used up.
    OutOfBudget,
    /// It was interrupted.
    Interrupted,
}

/// The reason why a scan cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The program cannot be loaded.
    #[error("{0}")]
    Program(String),
    /// No worker can be started.
    #[error("no process can look for answers: {0}")]
    Worker(#[from] Lost),
    /// An answer cannot be stored.
    #[error("cannot write the answers: {0}")]
    Store(#[from] io::Error),
}

/// Starts a worker and returns the entry points of the program.
///
/// # Errors
/// The program cannot be loaded.
pub fn open(command: Command, interrupt: &AtomicBool) -> Result<(Worker, Vec<EntryPoint>), ScanError> {
    match Worker::start(command, interrupt)? {
        (worker, Opening::Loaded(entries)) => Ok((worker, entries)),
        (_, Opening::Failed(reason)) => Err(ScanError::Program(reason)),
    }
}

/// Asks about these entry points, as far as the store does not have final answers. `first` is a worker that is ready, and `command`
/// makes the command that starts another.
///
/// # Errors
/// The answers cannot be stored.
pub fn scan(
    entries: &[EntryPoint],
    first: Worker,
    command: &(dyn Fn() -> Command + Sync),
    effort: &Effort,
    store: &mut Store,
    interrupt: &AtomicBool,
    mut tell: impl FnMut(Event),
) -> Result<End, ScanError> {
    let end = effort.budget.and_then(|budget| Instant::now().checked_add(budget));
    let idle = Mutex::new(vec![first]);
    for seconds in effort.tries() {
        let open: VecDeque<&EntryPoint> = entries.iter().filter(|entry| is_open(store, entry, seconds)).collect();
        if open.is_empty() {
            continue;
        }
        tell(Event::Try { questions: open.len(), seconds });
        let violations = effort.violations;
        let confirmation = effort.confirmation.unwrap_or_default();
        let patience = GRACE + confirmation.saturating_mul(u32::try_from(violations).unwrap_or(u32::MAX));
        let open = Mutex::new(open);
        let round = Round { open, idle: &idle, command, seconds, violations, patience, end, interrupt };
        let mut failure = None;
        std::thread::scope(|scope| {
            let (sender, answers) = channel();
            for _ in 0..effort.jobs.max(1) {
                let (sender, round) = (sender.clone(), &round);
                scope.spawn(move || round.work(&sender));
            }
            drop(sender);
            for stored in answers {
                tell(Event::Answer(&stored));
                if let Err(error) = store.add(stored) {
                    failure.get_or_insert(error);
                    locked(&round.open).clear();
                }
            }
        });
        match failure {
            Some(error) => return Err(error.into()),
            None if interrupt.load(Ordering::Relaxed) => return Ok(End::Interrupted),
            None if !locked(&round.open).is_empty() => return Ok(End::OutOfBudget),
            None => {}
        }
    }
    Ok(End::Complete)
}

/// Whether so many seconds may give a better answer than the store has.
fn is_open(store: &Store, entry: &EntryPoint, seconds: f64) -> bool {
    let Some(known) = store.answer(entry) else { return true };
    let is_undecided = match &known.answer {
        Answered::Reply(reply) => reply.is_out_of_time,
        Answered::Lost(_) => false,
    };
    is_undecided && known.seconds < seconds
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // What the locks protect is consistent after every single statement.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The questions of a try.
struct Round<'a> {
    open: Mutex<VecDeque<&'a EntryPoint>>,
    /// Workers that have loaded the program and wait for a question.
    idle: &'a Mutex<Vec<Worker>>,
    command: &'a (dyn Fn() -> Command + Sync),
    seconds: f64,
    violations: usize,
    /// Time that a worker gets beyond the limit of a question before it is ended.
    patience: Duration,
    end: Option<Instant>,
    interrupt: &'a AtomicBool,
}

impl Round<'_> {
    /// Asks one question after the other until none is left.
    fn work(&self, answers: &Sender<Stored>) {
        while !self.is_over() {
            let Some(entry) = locked(&self.open).pop_front() else { return };
            let start = Instant::now();
            let answer = match self.ask(entry) {
                Ok(reply) => reply,
                // Nothing is known about the question.
                Err(Lost::Interrupted) => return,
                Err(lost) => Answered::Lost(lost.to_string()),
            };
            let took = start.elapsed().as_secs_f64();
            let (code, places) = (entry.code.clone(), entry.places.clone());
            let stored = Stored { entry: entry.name.clone(), seconds: self.seconds, took, answer, code, places };
            if answers.send(stored).is_err() {
                return;
            }
        }
    }

    fn is_over(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.end.is_some_and(|end| end <= Instant::now())
    }

    fn ask(&self, entry: &EntryPoint) -> Result<Answered, Lost> {
        let known = locked(self.idle).pop();
        let mut worker = match known {
            Some(worker) => worker,
            None => Worker::start((self.command)(), self.interrupt)?.0,
        };
        let (seconds, violations) = (self.seconds, self.violations);
        let question = Question {
            entry: entry.name.clone(),
            at: entry.at.clone(),
            seconds,
            violations,
            asks: Asks::Violation,
            witnesses: None,
            trail: None,
        };
        let reply = worker.ask(&question, self.patience, self.interrupt, |_| {})?;
        locked(self.idle).push(worker);
        Ok(Answered::Reply(reply))
    }
}
