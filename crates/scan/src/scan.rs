//! Asks the questions of a scan: the easy ones first, then those that need more time, by several workers.

use crate::finding::identity;
use crate::protocol::{EntryPoint, Opening, Question};
use crate::store::{Answered, Store, Stored};
use crate::worker::{GRACE, Lost, Worker};
use aback_report::ViolationDocument;
use std::collections::{BTreeSet, VecDeque};
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
    /// Most violations of an entry point, of those that [count](Asking::counts).
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
    /// The scan was interrupted while the program was loaded.
    #[error("interrupted")]
    Interrupted,
    /// No worker can be started.
    #[error("no process can look for answers: {0}")]
    Worker(Lost),
    /// An answer cannot be stored.
    #[error("cannot write the answers: {0}")]
    Store(#[from] io::Error),
}

/// Starts a worker and returns the entry points of the program.
///
/// # Errors
/// The program cannot be loaded, or the interrupt came first.
pub fn open(command: Command, interrupt: &AtomicBool) -> Result<(Worker, Vec<EntryPoint>), ScanError> {
    match Worker::start(command, interrupt) {
        Ok((worker, Opening::Loaded(entries))) => Ok((worker, entries)),
        Ok((_, Opening::Failed(reason))) => Err(ScanError::Program(reason)),
        Err(Lost::Interrupted) => Err(ScanError::Interrupted),
        Err(lost) => Err(ScanError::Worker(lost)),
    }
}

/// How questions are asked, and of whom.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// Makes the command that starts a worker.
    pub command: &'a (dyn Fn() -> Command + Sync),
    /// How long, and by how many workers.
    pub effort: &'a Effort,
    /// Whether a violation counts for the number of violations of an entry point. Those that are not shown should not: otherwise they take
    /// the place of others.
    pub counts: &'a dyn Fn(&ViolationDocument) -> bool,
    /// Stops the scan.
    pub interrupt: &'a AtomicBool,
}

/// Asks about these entry points, as far as the store does not have final answers. `first` is a worker that is ready.
///
/// # Errors
/// The answers cannot be stored.
pub fn scan(
    entries: &[EntryPoint],
    first: Worker,
    asking: Asking,
    store: &mut Store,
    mut tell: impl FnMut(Event),
) -> Result<End, ScanError> {
    let Asking { command, effort, interrupt, .. } = asking;
    let end = effort.budget.and_then(|budget| Instant::now().checked_add(budget));
    let confirmation = effort.confirmation.unwrap_or_default();
    let idle = Mutex::new(vec![first]);
    let mut tries = effort.tries().into_iter().peekable();
    let mut is_again = false;
    while let Some(&seconds) = tries.peek() {
        let wanted = |entry| match store.answer(entry) {
            Some(known) => Some((entry, asking.wanted(known, seconds)?)),
            None => (!is_again).then_some((entry, effort.violations)),
        };
        let open: VecDeque<(&EntryPoint, usize)> = entries.iter().filter_map(wanted).collect();
        if open.is_empty() {
            tries.next();
            is_again = false;
            continue;
        }
        // Then the same time limit comes again: the new answers may have so many violations that do not count that others are looked for.
        // This ends, because an entry point is asked for more violations each time, and has finitely many.
        is_again = true;
        tell(Event::Try { questions: open.len(), seconds });
        let open = Mutex::new(open);
        let round = Round { open, idle: &idle, command, seconds, confirmation, end, interrupt };
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

impl Asking<'_> {
    /// The number of violations to look for, if that or so many seconds may give a better answer than the known one.
    fn wanted(&self, known: &Stored, seconds: f64) -> Option<usize> {
        let Answered::Reply(reply) = &known.answer else { return None };
        let is_undecided = reply.is_out_of_time && known.seconds < seconds;
        // An answer in less time could have fewer violations.
        let may_be_cut = reply.is_cut && known.seconds <= seconds;
        if !is_undecided && !may_be_cut {
            return None;
        }
        // The same violation again is no reason to look for more.
        let uncounted: BTreeSet<_> =
            reply.violations.iter().filter(|violation| !(self.counts)(violation)).map(identity).collect();
        let wanted = self.effort.violations.saturating_add(uncounted.len());
        (is_undecided || known.violations < wanted).then_some(wanted)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // What the locks protect is consistent after every single statement.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The questions of a try.
struct Round<'a> {
    /// The entry points, each with the number of violations to look for.
    open: Mutex<VecDeque<(&'a EntryPoint, usize)>>,
    /// Workers that have loaded the program and wait for a question.
    idle: &'a Mutex<Vec<Worker>>,
    command: &'a (dyn Fn() -> Command + Sync),
    seconds: f64,
    /// Most time for a run of a violation on the runtime of its language.
    confirmation: Duration,
    end: Option<Instant>,
    interrupt: &'a AtomicBool,
}

impl Round<'_> {
    /// Asks one question after the other until none is left.
    fn work(&self, answers: &Sender<Stored>) {
        while !self.is_over() {
            let Some((entry, violations)) = locked(&self.open).pop_front() else { return };
            let start = Instant::now();
            let answer = match self.ask(entry, violations) {
                Ok(reply) => reply,
                // Nothing is known about the question.
                Err(Lost::Interrupted) => return,
                Err(lost) => Answered::Lost(lost.to_string()),
            };
            let took = start.elapsed().as_secs_f64();
            let (code, places) = (entry.code.clone(), entry.places.clone());
            let (entry, seconds) = (entry.name.clone(), self.seconds);
            let stored = Stored { entry, seconds, violations, took, answer, code, places };
            if answers.send(stored).is_err() {
                return;
            }
        }
    }

    fn is_over(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.end.is_some_and(|end| end <= Instant::now())
    }

    fn ask(&self, entry: &EntryPoint, violations: usize) -> Result<Answered, Lost> {
        let known = locked(self.idle).pop();
        let mut worker = match known {
            Some(worker) => worker,
            None => Worker::start((self.command)(), self.interrupt)?.0,
        };
        let question = Question {
            entry: entry.name.clone(),
            at: entry.at.clone(),
            seconds: self.seconds,
            violations,
            asks: entry.asks,
            witnesses: None,
            trail: None,
        };
        // Time that the worker gets beyond its limit before it is ended.
        let patience = GRACE + self.confirmation.saturating_mul(u32::try_from(violations).unwrap_or(u32::MAX));
        let reply = worker.ask(&question, patience, self.interrupt, |_| {})?;
        locked(self.idle).push(worker);
        Ok(Answered::Reply(reply))
    }
}
