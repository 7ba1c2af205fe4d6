//! Runs all tasks and stores the results.

use crate::answer::{self, Answer, Evidence};
use crate::compare::Baseline;
use crate::journal::{self, Earlier, Entry, Journal};
use crate::logs::{Logs, Run, beginning};
use crate::plot::Plot;
use crate::process::{self, Finished, Limits, Supervisor};
use crate::settings;
use crate::tasks::{self, Job, Task};
use crate::{
    BenchError, Comparison, Config, Failure, Measurement, Published, Results, Status, Summary, TaskRecord, table,
};
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Runs all tasks. Prints the [`Summary`], and what else the configuration requests, on standard output.
///
/// Ctrl-C (SIGINT, and also SIGTERM) kills the running tasks, and the summary covers the finished ones. A second
/// Ctrl-C ends the whole program. The handlers are installed until `run` returns. Afterwards these signals are
/// ignored, so callers should be about to exit.
///
/// # Errors
///
/// A task path, the baseline, the program or a limit is invalid; then nothing is run. Or the results cannot be
/// written. Mistakes in a single task or a single line of a set are reported in the summary instead.
pub fn run(config: &Config) -> Result<Summary, BenchError> {
    run_to(config, &mut io::stdout())
}

/// Like [`run`], but prints to `out`.
///
/// # Errors
///
/// Like [`run`].
pub fn run_to(config: &Config, out: &mut dyn Write) -> Result<Summary, BenchError> {
    check(config)?;
    let program = program(config)?;
    let baselines = Baseline::read_all(&config.baselines)?;
    let published: Vec<Published> =
        config.published.iter().map(|path| Published::read(path)).collect::<Result<_, _>>()?;
    let plan = tasks::collect(&config.tasks)?;
    let plots = Plot::all(&config.plots)?;
    let logs = Logs::new(config.out.as_deref())?;
    let begin = |folder| Journal::begin(folder, settings::of(config, &program), config.resume);
    let (mut journal, earlier) = config.out.as_deref().map(begin).transpose()?.unzip();
    let earlier = earlier.unwrap_or_default();

    let session = Session { config, program, logs, earlier, supervisor: Supervisor::default() };
    let mut taken_over = 0;
    let mut tasks = Vec::new();
    let mut failures = Vec::new();
    for outcome in session.run_all(&plan.tasks, journal.as_mut(), out)? {
        if outcome.record.status.is_wrong() || outcome.record.status == Status::Error {
            failures.push(Failure {
                record: outcome.record.clone(),
                stdout: beginning(&outcome.stdout),
                stderr: outcome.stderr,
            });
        }
        taken_over += usize::from(outcome.is_taken_over);
        tasks.push(outcome.record);
    }
    let results = Results {
        version: Results::VERSION,
        tool: config.tool.as_ref().map(|tool| tool.name().to_owned()),
        timeout_seconds: config.timeout.as_secs_f64(),
        memory_limit_bytes: config.memory_limit,
        jobs: config.jobs,
        repeat: config.repeat,
        planned: plan.tasks.len(),
        tasks,
    };
    let comparisons =
        baselines.iter().map(|baseline| Comparison::new(&baseline.name, &baseline.results, &results)).collect();
    let summary = Summary { results, failures, taken_over, problems: plan.problems, comparisons, published };
    let text = summary.to_string();
    if let Some(folder) = &config.out {
        store(folder, &summary.results, &text)?;
    }
    write!(out, "{text}").and_then(|()| out.flush()).map_err(BenchError::Print)?;
    plots.iter().try_for_each(|plot| plot.write(&summary, config.out.as_deref(), &baselines))?;
    Ok(summary)
}

/// Checks what can be checked before any file is read.
fn check(config: &Config) -> Result<(), BenchError> {
    if config.jobs == 0 {
        return Err(BenchError::BadLimit("the number of jobs must be at least 1"));
    }
    if config.timeout.is_zero() {
        return Err(BenchError::BadLimit("the time limit must be more than 0 seconds"));
    }
    if config.memory_limit == Some(0) {
        return Err(BenchError::BadLimit("the memory limit must be more than 0 bytes"));
    }
    if config.resume && config.out.is_none() {
        return Err(BenchError::NoFolder);
    }
    Ok(())
}

/// The program that runs for each task.
fn program(config: &Config) -> Result<PathBuf, BenchError> {
    let program = match (&config.tool, &config.program) {
        (Some(tool), _) => tool.program().to_owned(),
        (None, Some(program)) => program.clone(),
        (None, None) => std::env::current_exe().map_err(BenchError::System)?,
    };
    // A bare name is looked up on PATH when it is started.
    if program.components().count() > 1 && !program.is_file() {
        return Err(BenchError::NoProgram(program));
    }
    Ok(program)
}

/// Writes the files of [`Config::out`] except the logs.
fn store(folder: &Path, results: &Results, text: &str) -> Result<(), BenchError> {
    let json = serde_json::to_string_pretty(results).map_err(BenchError::Store)?;
    let mut quantiles = String::from("score,seconds\n");
    for (score, seconds) in results.quantiles() {
        let _ = writeln!(quantiles, "{score},{seconds:.3}");
    }
    for (name, contents) in [("results.json", json + "\n"), ("table.txt", text.to_owned()), ("quantile.csv", quantiles)]
    {
        let path = folder.join(name);
        fs::write(&path, contents).map_err(|source| BenchError::Write { path, source })?;
    }
    Ok(())
}

/// A finished run of a task.
struct Finish {
    answer: Answer,
    resources: Finished,
    stdout: Vec<u8>,
    /// The end of the output, if it is long.
    stderr: String,
}

/// A finished task.
struct Outcome {
    record: TaskRecord,
    /// See [`journal::fingerprint`].
    fingerprint: Option<String>,
    /// Whether the task had finished before the run was resumed.
    is_taken_over: bool,
    stdout: Vec<u8>,
    /// The end of the output, if it is long.
    stderr: String,
}

impl Outcome {
    /// A task that has no output.
    fn of(record: TaskRecord) -> Outcome {
        Outcome { record, fingerprint: None, is_taken_over: false, stdout: Vec::new(), stderr: String::new() }
    }

    /// Adds the task to the journal, unless it is there already.
    fn write(&self, journal: &mut Journal) -> Result<(), BenchError> {
        if self.is_taken_over {
            return Ok(());
        }
        journal.add(&Entry { fingerprint: self.fingerprint.clone(), record: self.record.clone() })
    }
}

impl Finish {
    fn measurement(&self) -> Measurement {
        Measurement {
            verdict: self.answer.verdict,
            status: self.answer.status,
            reason: self.answer.reason.clone(),
            wall_seconds: self.resources.wall.as_secs_f64(),
            cpu_seconds: self.resources.cpu.as_secs_f64(),
            memory_bytes: self.resources.memory,
        }
    }
}

/// The state that all workers share.
struct Session<'a> {
    config: &'a Config,
    program: PathBuf,
    logs: Logs,
    /// The finished tasks of the run that is resumed.
    earlier: Earlier,
    supervisor: Supervisor,
}

/// Ends the threads that wait for deadlines and signals, however the work ends.
struct Closing<'a>(&'a Supervisor, Handle);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
        self.1.close();
    }
}

impl Session<'_> {
    /// Runs all tasks with one worker for each job, and writes each to the journal when it has finished. The outcomes
    /// are in the order of the tasks; interrupted tasks are left out.
    fn run_all(
        &self,
        tasks: &[Task],
        mut journal: Option<&mut Journal>,
        out: &mut dyn Write,
    ) -> Result<Vec<Outcome>, BenchError> {
        let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(BenchError::System)?;
        let cores = process::cores(self.config.jobs);
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::channel();
        let mut outcomes: Vec<Option<Outcome>> = tasks.iter().map(|_| None).collect();
        let mut progress = Progress::new(self.config, tasks.len(), out);
        let mut written = Ok(());
        thread::scope(|scope| {
            let _closing = Closing(&self.supervisor, signals.handle());
            scope.spawn(|| self.supervisor.watch());
            scope.spawn(move || {
                for signal in signals.forever() {
                    if self.supervisor.interrupted() {
                        signal_hook::low_level::exit(128 + signal);
                    }
                    self.supervisor.interrupt();
                }
            });
            for worker in 0..self.config.jobs.min(tasks.len()) {
                let (sender, next, core) = (sender.clone(), &next, cores.get(worker).copied());
                scope.spawn(move || {
                    while !self.supervisor.interrupted() {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(task) = tasks.get(index) else { break };
                        let Some(outcome) = self.run_task(task, core) else { break };
                        if sender.send((index, outcome)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            for (index, outcome) in receiver {
                progress.finished(&outcome.record);
                if let Some(journal) = &mut journal
                    && let Err(error) = outcome.write(journal)
                {
                    // Without room for results, it makes no sense to go on.
                    written = Err(error);
                    self.supervisor.interrupt();
                }
                outcomes[index] = Some(outcome);
            }
            progress.end();
        });
        written.map(|()| outcomes.into_iter().flatten().collect())
    }

    /// Runs one task, or takes it over from the run that is resumed. Returns `None` if it was interrupted.
    fn run_task(&self, task: &Task, core: Option<usize>) -> Option<Outcome> {
        let mut record = TaskRecord {
            name: task.name.clone(),
            category: task.category.clone(),
            property: task.property.clone(),
            expected: task.expected,
            verdict: None,
            status: Status::Error,
            score: 0,
            wall_seconds: 0.0,
            cpu_seconds: 0.0,
            memory_bytes: 0,
            reason: String::new(),
            not_replayed: false,
            refuted_proof: false,
            command: Vec::new(),
            runs: Vec::new(),
        };
        let failed = |mut record: TaskRecord, reason: String| {
            record.reason = reason;
            Some(Outcome::of(record))
        };
        let (job, expected) = match (&task.job, task.expected) {
            (Ok(job), Some(expected)) => (job, expected),
            (Err(problem), _) => return failed(record, problem.to_string()),
            (Ok(_), None) => return failed(record, "no expected verdict".to_owned()),
        };
        let command = self.command(job);
        record.command = std::iter::once(command.get_program())
            .chain(command.get_args())
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let fingerprint = self.config.out.as_ref().and_then(|_| journal::fingerprint(task, job).ok());
        if let Some(record) = self.earlier.find(&record, fingerprint.as_deref()) {
            return Some(self.take_over(record.clone(), Run { task, job, number: None, core }));
        }
        let mut finishes = Vec::new();
        for number in 1..=self.config.repeat.get() {
            let number = Some(number).filter(|_| self.config.repeat.get() > 1);
            match self.run_once(Run { task, job, number, core }, expected) {
                Ok(finish) => finishes.push(finish?),
                Err(error) => return failed(record, format!("cannot run the verifier: {error}")),
            }
        }
        Some(Outcome { fingerprint, ..summarise(record, finishes) })
    }

    /// The outcome of a task that had finished before the run was resumed, with the output of its worst run.
    fn take_over(&self, record: TaskRecord, run: Run<'_>) -> Outcome {
        let number = Status::worst(record.runs.iter().map(|run| run.status)).map(|worst| worst + 1);
        // Somebody may have removed the output. The results do not need it.
        let (stdout, stderr) = self.logs.read(Run { number, ..run }).unwrap_or_default();
        Outcome { is_taken_over: true, stdout, stderr, ..Outcome::of(record) }
    }

    /// Runs a task once. Returns `None` if it was interrupted.
    fn run_once(&self, run: Run<'_>, expected: bool) -> io::Result<Option<Finish>> {
        let (resources, stdout, stderr) = self.execute(run)?;
        let evidence = Evidence {
            end: resources.end,
            stdout: &stdout,
            stderr: &stderr,
            timeout: self.config.timeout,
            memory_limit: self.config.memory_limit,
            tool: self.config.tool.as_ref(),
        };
        Ok(answer::judge(expected, &evidence).map(|answer| Finish { answer, resources, stdout, stderr }))
    }

    fn command(&self, job: &Job) -> Command {
        let mut command = Command::new(&self.program);
        match &self.config.tool {
            Some(tool) => command.args(tool.arguments(job, self.config.timeout)),
            None => command
                .arg("check")
                .args(&job.inputs)
                .arg("--property")
                .arg(&job.property_file)
                .arg("--timeout")
                .arg(self.config.timeout.as_secs_f64().to_string())
                .arg("--json"),
        };
        command.args(&self.config.check_options);
        command
    }

    /// Runs the command of a task. Its output goes to the logs, and from there to the caller.
    fn execute(&self, run: Run<'_>) -> io::Result<(Finished, Vec<u8>, String)> {
        let (stdout, stderr) = (self.logs.create(run, "stdout")?, self.logs.create(run, "stderr")?);
        let mut command = self.command(run.job);
        command.stdin(Stdio::null()).stdout(stdout).stderr(stderr);
        let wall = self.config.timeout.saturating_add(self.config.grace);
        let limits = Limits { wall, memory: self.config.memory_limit, core: run.core };
        let finished = self.supervisor.run(command, &limits)?;
        let (stdout, stderr) = self.logs.read(run)?;
        Ok((finished, stdout, stderr))
    }
}

/// The outcome of a task after its runs: the worst answer with its output, the medians of the times, and the greatest
/// memory.
fn summarise(mut record: TaskRecord, mut finishes: Vec<Finish>) -> Outcome {
    let runs: Vec<Measurement> = finishes.iter().map(Finish::measurement).collect();
    // Whole nanoseconds, as single times are: reading a file rounds numbers with more digits.
    let median = |value: fn(&Measurement) -> f64| {
        (table::median(&runs.iter().map(value).collect::<Vec<_>>()) * 1e9).round() / 1e9
    };
    record.wall_seconds = median(|run| run.wall_seconds);
    record.cpu_seconds = median(|run| run.cpu_seconds);
    record.memory_bytes = runs.iter().map(|run| run.memory_bytes).max().unwrap_or(0);
    record.not_replayed = finishes.iter().any(|finish| finish.answer.not_replayed);
    record.refuted_proof = finishes.iter().any(|finish| finish.answer.refuted_proof);
    let (mut stdout, mut stderr) = (Vec::new(), String::new());
    if let Some(worst) = Status::worst(runs.iter().map(|run| run.status)) {
        let finish = finishes.swap_remove(worst);
        record.verdict = finish.answer.verdict;
        record.status = finish.answer.status;
        record.score = finish.answer.status.score();
        record.reason = finish.answer.reason;
        (stdout, stderr) = (finish.stdout, finish.stderr);
    }
    if runs.len() > 1 {
        record.runs = runs;
    }
    Outcome { stdout, stderr, ..Outcome::of(record) }
}

/// Shows progress while tasks run: lines if they are requested, and a bar below them on a terminal.
struct Progress<'a> {
    out: &'a mut dyn Write,
    bar: ProgressBar,
    verbose: bool,
    done: usize,
    planned: usize,
    wrong: usize,
}

impl<'a> Progress<'a> {
    fn new(config: &Config, planned: usize, out: &'a mut dyn Write) -> Self {
        let bar = if config.progress { ProgressBar::new(planned as u64) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} tasks, {elapsed}, about {eta} left{msg}")
        {
            bar.set_style(style);
        }
        if config.progress {
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        Progress { out, bar, verbose: config.verbose, done: 0, planned, wrong: 0 }
    }

    fn finished(&mut self, record: &TaskRecord) {
        self.done += 1;
        if self.verbose {
            let status = record.status.to_string();
            let reason = record.reason.lines().next().unwrap_or("");
            let line = format!(
                "{:>4}/{}  {status:<13}  {:>9}  {:>6} MB  {}  {reason}",
                self.done,
                self.planned,
                table::seconds(record.cpu_seconds),
                record.memory_bytes / 1_000_000,
                record.label(),
            );
            // If nobody reads the lines, the results are still stored.
            self.bar.suspend(|| {
                let _ = writeln!(self.out, "{}", line.trim_end()).and_then(|()| self.out.flush());
            });
        }
        if record.status.is_wrong() {
            self.wrong += 1;
            self.bar.set_message(format!(", {} WRONG", self.wrong));
        }
        self.bar.inc(1);
    }

    fn end(&mut self) {
        self.bar.finish_and_clear();
        if self.verbose && self.done > 0 {
            let _ = writeln!(self.out);
        }
    }
}
