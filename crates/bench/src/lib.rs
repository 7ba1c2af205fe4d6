//! Runs sets of verification tasks and scores the verdicts, for `aback bench`.
//!
//! A task is a program, a property and the expected verdict, in the format of SV-COMP (`.yml` definitions, and `.set`
//! files that list them). [`run`] starts a verifier for each task in a separate process, with limits on time, memory
//! and processor cores, and compares its verdict with the expected one. The [`Summary`] contains the points of
//! SV-COMP's scoring scheme ([`Status::score`]), every wrong verdict in full, and the reasons of the unknown
//! verdicts. A run writes its [`Results`] to a file, and a later run can be compared with them ([`Comparison`]).
//!
//! The verifier is any program that accepts `check INPUT… --property FILE --timeout SECONDS --json`, prints one JSON
//! object with at least `verdict` (see [`Verdict`]) and, if there is one, a `reason`, and exits with
//! [`Verdict::exit_status`]. A missing answer, or one that disagrees with the exit status, is an error of the
//! verifier and never a verdict. An external verifier can have any command line and any output ([`Tool`]).
//!
//! Unix only. This crate does not know programs or engines, only processes.
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
//! // `echo` is not a verifier: it prints no verdict.
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
mod journal;
mod logs;
mod plot;
mod process;
mod published;
mod results;
mod run;
mod settings;
mod table;
mod tasks;
mod tool;
mod yaml;

pub use compare::{Change, Comparison};
pub use published::{Figures, Published};
pub use results::{Measurement, Results, Status, TaskRecord, Verdict};
pub use run::{run, run_to};
pub use tasks::Problem;
pub use tool::Tool;

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// The configuration of a run.
#[derive(Clone, Debug)]
pub struct Config {
    /// `.set` files, `.yml` task definitions, and folders, which stand for all `.yml` files below. Each definition is
    /// run once, however often it is named.
    pub tasks: Vec<PathBuf>,
    /// The verifier. `None` means the running program itself.
    pub program: Option<PathBuf>,
    /// The external verifier that runs instead of `program`.
    pub tool: Option<Tool>,
    /// Additional options for the verifier, appended to its command line.
    pub check_options: Vec<String>,
    /// Wall time for each property, as passed to the verifier.
    pub timeout: Duration,
    /// Time beyond `timeout` in which the verifier may end by itself, before it is killed with all processes that it
    /// started. An answer within this time still counts.
    pub grace: Duration,
    /// Number of tasks that run at the same time, at least 1. If there are several, and enough processor cores, each
    /// has its own core; a single task may use all cores.
    pub jobs: usize,
    /// Number of runs of each task, one after the other. The times of the task are medians, its memory is the greatest,
    /// and its answer is the worst.
    pub repeat: NonZeroUsize,
    /// Limit of the address space of each process in bytes, as set by `ulimit -v`. Programs that reserve much more
    /// than they use, such as a JVM, need a generous limit.
    pub memory_limit: Option<u64>,
    /// Folder for `results.json` ([`Results`]), `table.txt` (the printed summary), `quantile.csv`
    /// ([`Results::quantiles`]), `logs/` (the output of each task) and `journal.jsonl` (each task as it finishes, for
    /// [`Config::resume`]). Files of an earlier run are overwritten.
    pub out: Option<PathBuf>,
    /// Whether to go on with the run in the folder `out`, if there is one: tasks that finished and have not changed
    /// since are taken over. Their definitions, their files and the other settings must be the same.
    pub resume: bool,
    /// The earlier runs to compare with: their `results.json`, or the folders that contain it.
    pub baselines: Vec<PathBuf>,
    /// Files with figures of publications about other verifiers ([`Published`]), to be shown beside the run.
    pub published: Vec<PathBuf>,
    /// Files for the quantile plot of this run and of the baselines: pictures (`.svg`), or pages with a picture and a
    /// table (`.html`).
    pub plots: Vec<PathBuf>,
    /// Whether to print a line for each task as it finishes.
    pub verbose: bool,
    /// Whether to show a progress bar on standard error. The bar only appears on a terminal.
    pub progress: bool,
}

impl Config {
    /// One task at a time, no memory limit, 2 seconds of grace, and the running program as the verifier; prints only
    /// the summary.
    pub fn new(tasks: Vec<PathBuf>, timeout: Duration) -> Config {
        Config {
            tasks,
            program: None,
            tool: None,
            check_options: Vec::new(),
            timeout,
            grace: Duration::from_secs(2),
            jobs: 1,
            repeat: NonZeroUsize::MIN,
            memory_limit: None,
            out: None,
            resume: false,
            baselines: Vec::new(),
            published: Vec::new(),
            plots: Vec::new(),
            verbose: false,
            progress: false,
        }
    }
}

/// The reason why nothing could be run or the results could not be stored.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A limit is invalid.
    #[error("{0}")]
    BadLimit(&'static str),
    /// A given path cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A given path is neither a task set, a definition nor a folder.
    #[error("{} is neither a task set (`.set`) nor a task definition (`.yml`) nor a folder", .0.display())]
    NotATask(PathBuf),
    /// There is no task to run, for these reasons.
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
        /// The cause.
        source: serde_json::Error,
    },
    /// The baseline was written by an incompatible version of this program.
    #[error("{} has version {version} of the format; this program reads version {}", path.display(), Results::VERSION)]
    ResultsVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// A file does not have published figures.
    #[error("{} has no published figures: {message}", path.display())]
    Published {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// The definition of a tool is invalid.
    #[error("`{definition}` is no tool: {message}")]
    BadTool {
        /// The definition.
        definition: String,
        /// What is wrong with it.
        message: String,
    },
    /// A run is to be resumed, but its folder is not given.
    #[error("give the folder of the run to resume, with `--out`")]
    NoFolder,
    /// The journal of the run to resume is not one.
    #[error("{} is not the journal of a run: {source}; run again without `--resume`", path.display())]
    Journal {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: serde_json::Error,
    },
    /// The run to resume has other settings.
    #[error(
        "the run of {} had other settings; repeat them, or run again without `--resume`{}",
        path.display(),
        differences.iter().map(|difference| format!("\n  {difference}")).collect::<String>()
    )]
    OtherSettings {
        /// The journal.
        path: PathBuf,
        /// The settings that differ, with their values before and now.
        differences: Vec<String>,
    },
    /// A file for the plot is of no known kind.
    #[error("cannot plot to {}: the name of the file must end in `.svg` or `.html`", .0.display())]
    NotAPlot(PathBuf),
    /// A file of the results cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The results cannot be converted to JSON.
    #[error("cannot store the results: {0}")]
    Store(serde_json::Error),
    /// The summary cannot be printed.
    #[error("cannot print the summary: {0}")]
    Print(io::Error),
    /// The operating system refuses a service that running tasks needs.
    #[error("cannot run tasks: {0}")]
    System(io::Error),
}

impl BenchError {
    /// The exit status of the command: 2 if the user can correct the error by other paths or limits, else 3.
    pub fn exit_status(&self) -> i32 {
        match self {
            BenchError::Write { .. } | BenchError::Store(_) | BenchError::Print(_) | BenchError::System(_) => 3,
            _ => 2,
        }
    }
}

/// A task with a wrong verdict or an error, and the output of the verifier.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    /// The task.
    pub record: TaskRecord,
    /// The standard output, or its beginning if it is long.
    pub stdout: String,
    /// The standard error, or its end if it is long.
    pub stderr: String,
}

/// The outcome of a whole run. Its `Display` is the text that is printed at the end.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// The results of all finished tasks.
    pub results: Results,
    /// The tasks with a wrong verdict or an error, in the same order.
    pub failures: Vec<Failure>,
    /// The number of tasks that were taken over from an interrupted run.
    pub taken_over: usize,
    /// Mistakes in the task sets. Mistakes in a task definition are in the records of its tasks.
    pub problems: Vec<Problem>,
    /// The comparison with each baseline.
    pub comparisons: Vec<Comparison>,
    /// Figures of publications.
    pub published: Vec<Published>,
}

impl Summary {
    /// Whether the run was stopped before all tasks were finished.
    pub fn is_interrupted(&self) -> bool {
        self.results.tasks.len() < self.results.planned
    }

    /// The exit status of the command: 1 if there is a wrong verdict or a proof that the verifier itself refuted;
    /// else 3 if something else went wrong (an error of a task, a mistake in a set, an interruption); else 0.
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
        let unstable = table::unstable(&records);
        if !unstable.is_empty() {
            write!(f, "\n{unstable}")?;
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
        for comparison in &self.comparisons {
            write!(f, "\n{comparison}")?;
        }
        for published in &self.published {
            write!(f, "\n{}", published.table(&self.results))?;
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
        if self.taken_over > 0 {
            writeln!(f, "Resumed: {} of these tasks had finished before", self.taken_over)?;
        }
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
