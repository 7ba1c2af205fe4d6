//! Runs sets of verification tasks and scores the verdicts: what is behind `aback bench`.
//!
//! A task is a program, a property and the verdict that is known to be right, as SV-COMP writes them down (`.yml`
//! definitions, `.set` files that list them). [`run`] starts a verifier on each in a process of its own, under limits of
//! time, memory and processor cores, compares its verdict with the known one, and tells everything in a [`Summary`]: points by
//! the schema of SV-COMP ([`Status::score`]), every wrong verdict in full, and what the unknown ones were unknown for.
//! [`Results`] is the file that a run leaves behind; a later run can be compared with it ([`Comparison`]).
//!
//! The verifier is any program that understands
//! `check INPUT… --property FILE --timeout SECONDS --json`, prints one JSON object with at least `verdict` (see
//! [`Verdict`]) and, where there is something to say, `reason`, and exits with [`Verdict::exit_status`]. An answer that
//! disagrees with its exit status, or none, is an error of the verifier and never a verdict.
//!
//! Unix only. This crate knows nothing of programs and engines; it sees processes.
//!
//! ```
//! use aback_bench::{Config, Status, run_to};
//! use std::{fs, time::Duration};
//!
//! let folder = tempfile::tempdir()?;
//! fs::write(folder.path().join("T.oox"), "class T {}")?;
//! fs::write(folder.path().join("assert.prp"), "")?;
//! let definition = "
//! format_version: '2.0'
//! input_files: T.oox
//! properties:
//!   - property_file: assert.prp
//!     expected_verdict: true
//! ";
//! fs::write(folder.path().join("T.yml"), definition)?;
//!
//! // `echo` is no verifier: it prints no verdict.
//! let tasks = vec![folder.path().to_owned()];
//! let config = Config { program: Some("/bin/echo".into()), ..Config::new(tasks, Duration::from_secs(60)) };
//! let mut text = Vec::new();
//! let summary = run_to(&config, &mut text)?;
//! assert_eq!(summary.results.tasks[0].status, Status::Error);
//! assert_eq!(summary.exit_status(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod compare;
mod process;
mod results;
mod run;
mod table;
mod tasks;
mod yaml;

pub use compare::{Change, Comparison};
pub use results::{Results, Status, TaskRecord, Verdict};
pub use run::{run, run_to};
pub use tasks::Problem;

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// What to run and how.
#[derive(Clone, Debug)]
pub struct Config {
    /// `.set` files, `.yml` task definitions, and folders, which stand for all `.yml` below. Each definition is run once,
    /// however often it is named.
    pub tasks: Vec<PathBuf>,
    /// The verifier; the running program itself if `None`.
    pub program: Option<PathBuf>,
    /// Further options for the verifier, put at the end of its command line.
    pub check_options: Vec<String>,
    /// Time on the clock that the verifier is told it has for each property.
    pub timeout: Duration,
    /// Time that it gets beyond `timeout` to end by itself, before it is killed with all that it started. An answer
    /// given within it still counts.
    pub grace: Duration,
    /// Tasks that run at the same time, at least 1. If there are several, and as many processor cores, each has a core
    /// for itself; a single one may use all cores.
    pub jobs: usize,
    /// Limit of the address space of each process in bytes, as `ulimit -v` sets it. Programs that reserve much more than they
    /// use, such as a JVM, need a generous one.
    pub memory_limit: Option<u64>,
    /// Folder for `results.json` ([`Results`]), `table.txt` (the printed summary), `quantile.csv`
    /// ([`Results::quantiles`]) and `logs/` (the output of each task). Files of an earlier run are overwritten.
    pub out: Option<PathBuf>,
    /// The `results.json` of an earlier run to compare with.
    pub baseline: Option<PathBuf>,
    /// Whether to print a line for each task as it finishes.
    pub verbose: bool,
    /// Whether to show a progress bar on standard error. It shows on a terminal only.
    pub progress: bool,
}

impl Config {
    /// One task at a time, no memory limit, a grace of 2 seconds, the verifier being the running program; prints the
    /// summary only.
    pub fn new(tasks: Vec<PathBuf>, timeout: Duration) -> Config {
        Config {
            tasks,
            program: None,
            check_options: Vec::new(),
            timeout,
            grace: Duration::from_secs(2),
            jobs: 1,
            memory_limit: None,
            out: None,
            baseline: None,
            verbose: false,
            progress: false,
        }
    }
}

/// Why nothing could be run, or the results not be stored.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A limit makes no sense.
    #[error("{0}")]
    BadLimit(&'static str),
    /// A path that was named cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A path that was named is something else.
    #[error("{} is neither a task set (`.set`) nor a task definition (`.yml`) nor a folder", .0.display())]
    NotATask(PathBuf),
    /// There is nothing to run, for these reasons.
    #[error("no task found{}", .0.iter().map(|problem| format!("\n  {problem}")).collect::<String>())]
    NoTasks(Vec<Problem>),
    /// The verifier is not a file.
    #[error("there is no program {}", .0.display())]
    NoProgram(PathBuf),
    /// The baseline is not a `results.json`.
    #[error("{} is not the `results.json` of a run: {source}", path.display())]
    Results {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// The baseline was written by another version of this program.
    #[error("{} has version {version} of the format; this program reads version {}", path.display(), Results::VERSION)]
    ResultsVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// A file of the results cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The results cannot be put into JSON.
    #[error("cannot store the results: {0}")]
    Store(serde_json::Error),
    /// The summary cannot be printed.
    #[error("cannot print the summary: {0}")]
    Print(io::Error),
    /// The operating system refuses what running tasks needs.
    #[error("cannot run tasks: {0}")]
    System(io::Error),
}

impl BenchError {
    /// The exit status of the command: 2 if the user can put it right by naming other paths or limits, else 3.
    pub fn exit_status(&self) -> i32 {
        match self {
            BenchError::Write { .. } | BenchError::Store(_) | BenchError::Print(_) | BenchError::System(_) => 3,
            _ => 2,
        }
    }
}

/// A task with a wrong verdict or an error, with what the verifier said.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    /// The task.
    pub record: TaskRecord,
    /// What the verifier printed on standard output, the beginning if it is long.
    pub stdout: String,
    /// What it printed on standard error, the end if it is long.
    pub stderr: String,
}

/// How a whole run went. Its `Display` is what is printed at the end.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// All tasks that came to an end.
    pub results: Results,
    /// Those with a wrong verdict or an error, in the same order.
    pub failures: Vec<Failure>,
    /// What is wrong with the task sets; what is wrong with a task is told by its record.
    pub problems: Vec<Problem>,
    /// Against the baseline, if one was given.
    pub comparison: Option<Comparison>,
}

impl Summary {
    /// Whether the run was stopped before all tasks came to an end.
    pub fn is_interrupted(&self) -> bool {
        self.results.tasks.len() < self.results.planned
    }

    /// The exit status of the command: 1 if there is a wrong verdict, or a proof that the verifier itself refuted; else 3 if something went wrong otherwise (an
    /// error of a task, a problem with a set, an interruption); else 0.
    pub fn exit_status(&self) -> i32 {
        let is_refuted = self.results.tasks.iter().any(|record| record.refuted_proof);
        if is_refuted || self.failures.iter().any(|failure| failure.record.status.is_wrong()) {
            1
        } else if !self.failures.is_empty() || !self.problems.is_empty() || self.is_interrupted() {
            3
        } else {
            0
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let records: Vec<&TaskRecord> = self.results.tasks.iter().collect();
        write!(f, "{}", table::totals(&records))?;
        let reasons = table::reasons(&records);
        if !reasons.is_empty() {
            write!(f, "\nUnknown, by reason:\n{reasons}")?;
        }
        let not_replayed = records.iter().filter(|record| record.not_replayed).count();
        if not_replayed > 0 {
            let tasks = if not_replayed == 1 { "task has" } else { "tasks have" };
            writeln!(
                f,
                "\n{not_replayed} {tasks} a counterexample that did not replay, which is a defect of the verifier"
            )?;
        }
        let refuted = records.iter().filter(|record| record.refuted_proof).map(|record| record.name.as_str());
        for task in refuted {
            writeln!(f, "\nREFUTED PROOF {task}: a concrete run violates what the verifier had proved")?;
        }
        let (wrong, errors): (Vec<&Failure>, Vec<_>) =
            self.failures.iter().partition(|failure| failure.record.status.is_wrong());
        for failure in &errors {
            writeln!(f)?;
            table::error(f, failure)?;
        }
        for failure in &wrong {
            writeln!(f)?;
            table::wrong(f, failure)?;
        }
        if !self.problems.is_empty() {
            writeln!(f)?;
        }
        for problem in &self.problems {
            writeln!(f, "PROBLEM {problem}")?;
        }
        if let Some(comparison) = &self.comparison {
            write!(f, "\n{comparison}")?;
        }
        let count = |holds: fn(Status) -> bool| records.iter().filter(|record| holds(record.status)).count();
        writeln!(
            f,
            "\nScore {}: {} tasks, {} correct, {} wrong, {} unknown, {} errors",
            self.results.score(),
            records.len(),
            count(Status::is_correct),
            wrong.len(),
            count(Status::is_unknown),
            errors.len(),
        )?;
        if self.is_interrupted() {
            writeln!(
                f,
                "Interrupted: {} of {} tasks are missing",
                self.results.planned - records.len(),
                self.results.planned
            )?;
        }
        Ok(())
    }
}
