//! Asks a question about a line, while the server goes on.

use crate::program::{Program, Ready, TICK, Unanswered};
use aback_scan::{Asks, Before, Explored, GRACE, LineQuestion, Lost, Question, Reply, Said, TrailQuestion};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The line that a question is about, as clients give it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(crate) struct Spot {
    /// The URI of the document.
    pub(crate) uri: lsp_types::Uri,
    /// The line, from 1.
    pub(crate) line: u32,
    /// The column, from 1, for questions about null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<u32>,
}

/// A place on the way back from a line, as clients give it.
#[derive(Clone, Deserialize, Debug)]
pub(crate) struct TrailSpot {
    /// Whether the way goes back from what fails at the line, not from its beginning.
    #[serde(default)]
    pub(crate) fails: bool,
    /// The entry point; empty if none is chosen yet.
    #[serde(default)]
    pub(crate) entry: String,
    /// The chosen lines, and whether an execution is looked for that goes along them.
    #[serde(flatten)]
    pub(crate) trail: TrailQuestion,
}

/// A question that a thread waits for.
pub(crate) struct Running {
    /// The program in question.
    pub(crate) program: Program,
    pub(crate) started: Instant,
    pub(crate) limit: Duration,
    interrupt: Arc<AtomicBool>,
    /// Why it was stopped, if it was.
    pub(crate) stopped: Option<Stopped>,
}

/// Why a question was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stopped {
    /// The user wants no answer any more.
    Cancelled,
    /// The answer would not be about what the document says now.
    OutOfDate,
}

impl Running {
    pub(crate) fn stop(&mut self, why: Stopped) {
        self.stopped.get_or_insert(why);
        self.interrupt.store(true, Ordering::Relaxed);
    }
}

/// What the thread of a question tells.
pub(crate) enum Told {
    /// How far it has come.
    Explored(Explored),
    /// What has been found, while other paths are looked for.
    Found(Answer),
    /// The answer.
    Answer(Result<Answer, Unanswered>),
}

/// The answer to a question about a line, for clients.
#[derive(Clone, Serialize, Debug)]
pub(crate) struct Answer {
    /// The verdict: `violated`, `unreachable`, `unknown`, …
    pub(crate) said: String,
    /// Why it is neither a proof nor a counterexample.
    pub(crate) reason: String,
    /// The bounds of a proof.
    pub(crate) bounds: Vec<String>,
    /// The assumptions.
    pub(crate) assumptions: Vec<String>,
    /// The time that the answer took, in seconds.
    pub(crate) seconds: f64,
    /// The paths that were found.
    pub(crate) paths: Vec<FoundPath>,
    /// Where control comes from, on the way back from a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<Before>,
}

/// A path to the line.
#[derive(Clone, Serialize, Debug)]
pub(crate) struct FoundPath {
    /// The counterexample.
    pub(crate) violation: aback_report::ViolationDocument,
    /// The file with its execution, which `aback.replay` and `aback dap` take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) witness: Option<PathBuf>,
    /// The file with a unit test, which `aback.test` takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) test: Option<PathBuf>,
}

/// What a question needs.
pub(crate) struct Asked {
    pub(crate) asks: Asks,
    pub(crate) file: PathBuf,
    pub(crate) line: u32,
    pub(crate) limit: Duration,
    /// Most paths to look for.
    pub(crate) paths: usize,
    /// The entry point, and the lines that were chosen on the way back from the line.
    pub(crate) trail: Option<(String, TrailQuestion)>,
}

/// Lets only so many questions be asked at the same time, each of which may have a process of its own.
#[derive(Clone)]
pub(crate) struct Turns(Arc<(Mutex<usize>, Condvar)>);

impl Turns {
    pub(crate) fn new(at_once: usize) -> Self {
        Turns(Arc::new((Mutex::new(at_once), Condvar::new())))
    }

    /// Waits for a turn, which ends when the result is dropped; `None` if the question is stopped before.
    pub(crate) fn wait(&self, interrupt: &AtomicBool) -> Option<Turn<'_>> {
        let (left, changed) = &*self.0;
        let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if interrupt.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(fewer) = left.checked_sub(1) {
                *left = fewer;
                return Some(Turn(self));
            }
            left = changed.wait_timeout(left, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

pub(crate) struct Turn<'t>(&'t Turns);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let (left, changed) = &*self.0.0;
        *left.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        changed.notify_one();
    }
}

/// Starts a thread that waits for its turn, asks, and tells what it knows so far, and the answer at last. Witnesses are written to a new folder in `folder`.
pub(crate) fn start(
    asked: Asked,
    program: Program,
    turns: Turns,
    command: impl Fn() -> Result<Command, String> + Send + 'static,
    ready: Ready,
    folder: &Path,
    tell: impl Fn(Told) + Send + 'static,
) -> Running {
    let interrupt = Arc::new(AtomicBool::new(false));
    let running = Running {
        program: program.clone(),
        started: Instant::now(),
        limit: asked.limit,
        interrupt: Arc::clone(&interrupt),
        stopped: None,
    };
    let folder = folder.to_path_buf();
    std::thread::spawn(move || {
        let answer = match turns.wait(&interrupt) {
            Some(_turn) => ask(&asked, &program, &command, &ready, &folder, &interrupt, &tell),
            None => Err(Unanswered::Lost(Lost::Interrupted)),
        };
        tell(Told::Answer(answer));
    });
    running
}

fn ask(
    asked: &Asked,
    program: &Program,
    command: &dyn Fn() -> Result<Command, String>,
    ready: &Ready,
    folder: &Path,
    interrupt: &AtomicBool,
    tell: &dyn Fn(Told),
) -> Result<Answer, Unanswered> {
    let start = Instant::now();
    let mut taken = ready.take(program, command, interrupt)?;
    // The folder stays as long as the server, so that the witnesses can be replayed.
    let witnesses = TempDir::new_in(folder)?.keep();
    let (entry, trail) = asked.trail.clone().unzip();
    let question = Question {
        entry: entry.unwrap_or_default(),
        at: Some(LineQuestion { file: asked.file.display().to_string(), line: asked.line }),
        seconds: asked.limit.as_secs_f64(),
        violations: asked.paths,
        asks: asked.asks,
        witnesses: Some(witnesses),
        trail,
    };
    let reply = taken.worker.ask(&question, GRACE, interrupt, |said| match said {
        Said::Explored(explored) => tell(Told::Explored(explored)),
        Said::Found(reply) | Said::Answer(reply) => tell(Told::Found(answer_of(*reply, start))),
    })?;
    ready.give_back(program, taken)?;
    Ok(answer_of(reply, start))
}

/// What a worker has replied to a question that was asked then, for clients.
fn answer_of(reply: Reply, start: Instant) -> Answer {
    let Reply { violations, rest, reason, bounds, assumptions, witnesses, tests, before, .. } = reply;
    let (mut witnesses, mut tests) = (witnesses.into_iter(), tests.into_iter());
    let paths = violations.into_iter().map(|violation| FoundPath {
        violation,
        witness: witnesses.next(),
        test: tests.next().flatten(),
    });
    Answer {
        said: rest,
        reason,
        bounds,
        assumptions,
        seconds: start.elapsed().as_secs_f64(),
        paths: paths.collect(),
        before,
    }
}
