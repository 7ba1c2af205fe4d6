//! Asks a question about a line, while the server goes on.

use crate::program::{Ready, Unanswered};
use aback_scan::{Asks, LineQuestion, Question, Reply};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Time that a worker gets beyond the limit of a question before it is ended.
const PATIENCE: Duration = Duration::from_secs(5);

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

/// A question that a thread waits for.
pub(crate) struct Running {
    /// The program in question.
    pub(crate) program: PathBuf,
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
}

/// A path to the line.
#[derive(Clone, Serialize, Debug)]
pub(crate) struct FoundPath {
    /// The counterexample.
    pub(crate) violation: aback_report::ViolationDocument,
    /// The file with its execution, which `aback.replay` and `aback dap` take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) witness: Option<PathBuf>,
}

/// What a question needs.
pub(crate) struct Asked {
    pub(crate) asks: Asks,
    pub(crate) file: PathBuf,
    pub(crate) line: u32,
    pub(crate) limit: Duration,
    /// Most paths to look for.
    pub(crate) paths: usize,
}

/// Starts a thread that asks, and tells the answer. Witnesses are written to a new folder in `folder`.
pub(crate) fn start(
    asked: Asked,
    program: PathBuf,
    command: impl Fn() -> Result<Command, String> + Send + 'static,
    ready: Ready,
    folder: &Path,
    tell: impl FnOnce(Result<Answer, Unanswered>) + Send + 'static,
) -> Running {
    let interrupt = Arc::new(AtomicBool::new(false));
    let running = Running {
        program,
        started: Instant::now(),
        limit: asked.limit,
        interrupt: Arc::clone(&interrupt),
        stopped: None,
    };
    let folder = folder.to_path_buf();
    std::thread::spawn(move || tell(ask(&asked, &command, &ready, &folder, &interrupt)));
    running
}

fn ask(
    asked: &Asked,
    command: &dyn Fn() -> Result<Command, String>,
    ready: &Ready,
    folder: &Path,
    interrupt: &AtomicBool,
) -> Result<Answer, Unanswered> {
    let start = Instant::now();
    let (mut worker, version) = ready.take(command, interrupt)?;
    // The folder stays as long as the server, so that the witnesses can be replayed.
    let witnesses = TempDir::new_in(folder)?.keep();
    let question = Question {
        entry: String::new(),
        at: Some(LineQuestion { file: asked.file.display().to_string(), line: asked.line }),
        seconds: asked.limit.as_secs_f64(),
        violations: asked.paths,
        asks: asked.asks,
        witnesses: Some(witnesses),
    };
    let reply = worker.ask(&question, PATIENCE, interrupt)?;
    ready.give_back(worker, version);
    let Reply { violations, rest, reason, bounds, assumptions, witnesses, .. } = reply;
    let mut witnesses = witnesses.into_iter();
    let paths = violations.into_iter().map(|violation| FoundPath { violation, witness: witnesses.next() });
    Ok(Answer {
        said: rest,
        reason,
        bounds,
        assumptions,
        seconds: start.elapsed().as_secs_f64(),
        paths: paths.collect(),
    })
}
