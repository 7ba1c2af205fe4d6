//! Looks for everything that can fail in a program, in the background, and again whenever it is saved.

use crate::program::{Program, Unanswered};
use aback_report::ViolationDocument;
use aback_scan::{
    Answered, Asking, Effort, EntryPoint, Event, Finding, ScanError, Settings, Store, Stored, callers_fault, findings,
    open, scan,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Least time between two reports of how far a survey is.
const TICK: Duration = Duration::from_millis(200);

/// Makes the command of a worker for the program.
type OwnCommand = dyn Fn() -> Result<Command, String> + Send;

/// A scan in the background. Dropping it ends the scan, with its processes.
pub(crate) struct Survey {
    interrupt: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What a survey tells.
pub(crate) enum Told {
    /// What has been found up to now, in this program; the end comes with `is_complete`.
    Found { program: Program, violations: Vec<Finding>, is_complete: bool },
    /// How many entry points of those that are asked about now have an answer.
    Asked { program: Program, asked: usize, all: usize },
    /// The program cannot be looked at.
    Failed { program: Program, reason: String },
    /// The survey is over, for whatever reason.
    Ended { program: Program },
}

/// What a survey needs.
pub(crate) struct Plan {
    pub(crate) program: Program,
    /// The folder for the answers.
    pub(crate) folder: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) effort: Effort,
    /// Makes the command of a worker.
    pub(crate) command: Box<OwnCommand>,
    /// The files that the user works on, whose entry points are asked about first.
    pub(crate) first: Vec<PathBuf>,
    /// Whether exceptions by which entry points refuse their arguments are left out.
    pub(crate) trusts: bool,
}

impl Survey {
    /// Starts a survey. It waits for the earlier one to end, so that both do not write the same answers.
    pub(crate) fn start(plan: Plan, earlier: Option<Survey>, tell: impl Fn(Told) + Send + 'static) -> Survey {
        let interrupt = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupt);
        if let Some(earlier) = &earlier {
            earlier.stop();
        }
        let thread = std::thread::spawn(move || {
            drop(earlier);
            let program = plan.program.clone();
            if let Err(error) = look(&plan, &flag, &tell)
                && !flag.load(Ordering::Relaxed)
            {
                tell(Told::Failed { program: program.clone(), reason: error.to_string() });
            }
            tell(Told::Ended { program });
        });
        Survey { interrupt, thread: Some(thread) }
    }

    /// Ends the survey soon. What it has found stays.
    pub(crate) fn stop(&self) {
        self.interrupt.store(true, Ordering::Relaxed);
    }
}

impl Drop for Survey {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn look(plan: &Plan, interrupt: &AtomicBool, tell: &impl Fn(Told)) -> Result<(), Unanswered> {
    let failed = |error: ScanError| Unanswered::Program(error.to_string());
    // The project is looked for once.
    let worker = (plan.command)().map_err(Unanswered::Program)?;
    let command = || {
        let mut command = Command::new(worker.get_program());
        command.args(worker.get_args());
        command
    };
    let mut listing = command();
    listing.args(["--list", "public"]);
    let (first, mut entries) = open(listing, interrupt).map_err(failed)?;
    // Class files name their sources without the folders above the packages.
    let is_open = |entry: &EntryPoint| plan.first.iter().any(|file| file.ends_with(&entry.place.file));
    entries.sort_by_key(|entry| !is_open(entry));
    let mut store = Store::open(&plan.folder, &plan.settings)?;
    let counts = |violation: &ViolationDocument| {
        violation.unmade.is_none() && (!plan.trusts || callers_fault(violation).is_none())
    };
    let found = |answers: &[&Stored], is_complete: bool| {
        let text = |file: &str| std::fs::read_to_string(Path::new(file)).ok().map(Rc::from);
        let mut violations = findings(answers.iter().copied(), counts, text);
        violations.retain(|finding| finding.suppressed.is_none());
        tell(Told::Found { program: plan.program.clone(), violations, is_complete });
    };
    // What an earlier survey has found and the edit cannot have changed.
    let mut known: Vec<Stored> = entries.iter().filter_map(|entry| store.answer(entry)).cloned().collect();
    found(&known.iter().collect::<Vec<_>>(), false);
    let (mut asked, mut all, mut told) = (0, 0, Instant::now());
    let asking = Asking { command: &command, effort: &plan.effort, counts: &counts, interrupt };
    scan(&entries, first, asking, &mut store, |event| {
        match event {
            Event::Try { questions, .. } => (asked, all) = (0, questions),
            Event::Answer(_) => asked += 1,
        }
        if asked == 0 || told.elapsed() > TICK {
            told = Instant::now();
            tell(Told::Asked { program: plan.program.clone(), asked, all });
        }
        if let Event::Answer(stored) = event {
            // Most answers change nothing about what is shown.
            let mut matters = has_violations(stored);
            known.retain(|other| {
                let is_kept = other.entry != stored.entry;
                matters |= !is_kept && has_violations(other);
                is_kept
            });
            known.push(stored.clone());
            if matters {
                found(&known.iter().collect::<Vec<_>>(), false);
            }
        }
    })
    .map_err(failed)?;
    if !interrupt.load(Ordering::Relaxed) {
        let answers: Vec<&Stored> = entries.iter().filter_map(|entry| store.answer(entry)).collect();
        found(&answers, true);
    }
    Ok(())
}

fn has_violations(stored: &Stored) -> bool {
    matches!(&stored.answer, Answered::Reply(reply) if !reply.violations.is_empty())
}
