//! Runs solvers as SMT-LIB 2 processes, and writes queries as SMT-LIB text.

mod normal;
mod portfolio;
mod print;
mod process;
mod sexp;
mod values;

use crate::solver::{Check, Interrupter, Reason, Solver};
use aback_logic::{Model, Pool, Term};
pub(crate) use normal::NormalScript;
pub use portfolio::Portfolio;
use print::Printer;
pub(crate) use print::value_text;
use process::Process;
use sexp::Sexps;
use std::env;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
pub(crate) use values::read_value;

/// A solver whose programs aback can run.
struct Known {
    name: &'static str,
    /// The arguments that make it read SMT-LIB from its input.
    arguments: &'static [&'static str],
    /// Whether it supports integers together with bit-vectors.
    integers: bool,
    /// Whether it answers "unknown" to SIGINT and goes on.
    gives_up: bool,
}

const KNOWN: [Known; 4] = [
    Known { name: "z3", arguments: &["-in", "-smt2"], integers: true, gives_up: true },
    Known {
        name: "cvc5",
        arguments: &["--incremental", "--lang=smt2", "--dag-thresh=0", "--arrays-exp", "--fp-exp"],
        integers: true,
        gives_up: false,
    },
    Known {
        name: "yices-smt2",
        arguments: &["--incremental", "--smt2-model-format"],
        integers: false,
        gives_up: false,
    },
    // Its Python package is run by a script of ours that gives up.
    Known { name: "bitwuzla", arguments: &[], integers: false, gives_up: true },
];

/// The names of the known solvers on PATH, which [`ProcessSolver`] can run.
pub fn available_solvers() -> Vec<&'static str> {
    KNOWN.iter().map(|known| known.name).filter(|name| program_on_path(name).is_some()).collect()
}

/// A known solver, as a program on this machine.
#[derive(Clone, Debug)]
pub struct SolverProgram {
    /// The name of the solver.
    pub name: &'static str,
    /// The first program with this name on PATH.
    pub path: Option<PathBuf>,
    /// The version that the program gives, if it gives one within some seconds.
    pub version: Option<String>,
}

/// The known solvers, whether they are on PATH or not.
pub fn solver_programs() -> Vec<SolverProgram> {
    let found = |known: &Known| {
        let path = program_on_path(known.name);
        let version = path.as_ref().and_then(|path| version(path, known.arguments));
        SolverProgram { name: known.name, path, version }
    };
    KNOWN.iter().map(found).collect()
}

/// The version of a program, by the command of SMT-LIB for it.
fn version(program: &Path, arguments: &[&str]) -> Option<String> {
    let arguments: Vec<String> = arguments.iter().map(|argument| argument.to_string()).collect();
    let process = Process::start(program.to_str()?, &arguments).ok()?;
    process.send("(get-info :version)\n".into());
    // As in `(:version "5.4.0")`; some add what they were built from.
    let answer = process.receive(Some(Instant::now() + Duration::from_secs(5))).ok()?;
    let text = answer.strip_prefix("(:version")?.split('"').nth(1)?;
    text.split_whitespace().next().map(String::from)
}

/// The names of the known solvers.
pub(crate) fn names() -> String {
    KNOWN.map(|known| known.name).join(", ")
}

/// The solver with this name, or of a program at this path.
fn known(name: &str) -> Option<&'static Known> {
    let name = Path::new(name).file_name()?;
    KNOWN.iter().find(|known| known.name == name)
}

/// Whether the solver with this name or path supports integers together with bit-vectors.
pub(crate) fn knows_integers(name: &str) -> bool {
    known(name).is_some_and(|known| known.integers)
}

/// The program of a solver: the first one with this name on PATH, or the one at this path.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    match name.contains('/') {
        true => Some(PathBuf::from(name)).filter(|path| is_program(path)),
        false => program_on_path(name),
    }
}

/// The program with this name on PATH.
fn program_on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        path.with_extension("exe").is_file()
    }
}

/// A query as a self-contained SMT-LIB script: the conjunction of the formulas, and the answer, if known, as the
/// expected status.
///
/// # Errors
///
/// A formula has no SMT-LIB form.
pub fn script(pool: &Pool, formulas: &[Term], answer: Option<&Check>) -> Result<String, Reason> {
    let mut text = String::from("(set-info :smt-lib-version 2.6)\n");
    let status = match answer {
        Some(Check::Sat) => "sat",
        Some(Check::Unsat) => "unsat",
        _ => "unknown",
    };
    if let Some(Check::Unknown(reason)) = answer {
        let reason: String = reason.to_string().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        text.push_str(&format!("; {reason}\n"));
    }
    text.push_str(&format!("(set-info :status {status})\n(set-logic ALL)\n"));
    let mut printer = Printer::default();
    for &formula in formulas {
        let formula = printer.print(pool, formula, &mut text)?;
        text.push_str(&format!("(assert {formula})\n"));
    }
    text.push_str("(check-sat)\n");
    Ok(text)
}

/// A solver process that uses SMT-LIB 2. If it reaches its time limit, is interrupted, crashes or gives an
/// unintelligible answer, the process is ended. The next check starts a new process and asserts everything again.
pub struct ProcessSolver {
    name: String,
    program: String,
    arguments: Vec<String>,
    interrupter: Interrupter,
    limit: Option<Duration>,
    /// The formulas asserted on each open level.
    levels: Vec<Vec<Term>>,
    session: Option<Session>,
    /// A process that has no question yet, and takes over when the one at work is ended.
    spare: Option<Session>,
    gives_up: bool,
    outcome: Outcome,
    /// The number of levels of the last question that are still there. Those that were removed while the process was busy are removed
    /// there later.
    kept: usize,
}

/// A process and the assertions that it has received.
struct Session {
    process: Process,
    printer: Printer,
    /// The number of formulas on each level that the process has received.
    told: Vec<usize>,
    /// Text to send before the next question.
    text: String,
}

enum Outcome {
    None,
    /// The process has a question with these assumptions, and has not answered.
    Asked(Vec<Term>),
    /// Satisfiable. The process still has the assumptions, so that it can be asked for the model.
    Sat,
    Unsat(Vec<Term>),
}

impl ProcessSolver {
    /// The known solver with this name, if it is on PATH, or of the program at this path.
    pub fn find(name: &str, interrupter: Interrupter) -> Option<ProcessSolver> {
        let known = known(name)?;
        let program = program(name)?;
        let arguments = known.arguments.iter().map(|argument| argument.to_string()).collect();
        let solver = Self::command(known.name, program.to_str()?, arguments, interrupter);
        Some(if known.gives_up { solver.that_gives_up() } else { solver })
    }

    /// A solver that runs any program that reads SMT-LIB from its input and answers on its output. The program starts
    /// with the first check.
    pub fn command(name: &str, program: &str, arguments: Vec<String>, interrupter: Interrupter) -> ProcessSolver {
        ProcessSolver {
            name: name.into(),
            program: program.into(),
            arguments,
            interrupter,
            limit: None,
            levels: vec![Vec::new()],
            session: None,
            spare: None,
            gives_up: false,
            outcome: Outcome::None,
            kept: 0,
        }
    }

    /// The same solver, whose program answers "unknown" to SIGINT and goes on.
    pub fn that_gives_up(self) -> ProcessSolver {
        ProcessSolver { gives_up: true, ..self }
    }

    /// Removes the assumptions of the last check, unless the process still has to answer it.
    fn forget(&mut self) {
        match (&self.outcome, &mut self.session) {
            (Outcome::Asked(_), _) => return,
            (Outcome::Sat, Some(session)) => session.pop_to(self.kept),
            _ => {}
        }
        self.outcome = Outcome::None;
    }

    /// Ends the process. The spare one takes over, if there is one.
    fn stop(&mut self) {
        self.session = self.spare.take();
        self.outcome = Outcome::None;
    }

    /// Starts a spare process, unless there is one.
    fn prepare(&mut self) {
        if self.spare.is_none() {
            // Without one, a question waits for a start.
            self.spare = Session::start(&self.program, &self.arguments).ok();
        }
    }

    /// Asks the process to give up its question. Returns whether it will answer soon.
    fn interrupt(&mut self) -> bool {
        let session = self.session.as_ref().filter(|_| self.gives_up);
        session.is_some_and(|session| session.process.interrupt())
    }

    /// Sends a question.
    fn send(&mut self, pool: &Pool, assumptions: &[Term]) -> Result<(), Reason> {
        let mut session = match self.session.take() {
            Some(session) => session,
            None => Session::start(&self.program, &self.arguments)?,
        };
        session.catch_up(pool, &self.levels)?;
        session.push();
        let mut literals = String::new();
        for (number, &assumption) in assumptions.iter().enumerate() {
            let formula = session.printer.print(pool, assumption, &mut session.text)?;
            let literal = format!("assumption!{number}");
            session.tell(&format!("(declare-fun {literal} () Bool)\n(assert (=> {literal} {formula}))"));
            literals.push_str(&literal);
            literals.push(' ');
        }
        if assumptions.is_empty() {
            session.tell("(check-sat)");
        } else {
            session.tell(&format!("(check-sat-assuming ({literals}))"));
        }
        session.flush();
        self.session = Some(session);
        self.outcome = Outcome::Asked(assumptions.to_vec());
        self.kept = self.levels.len();
        Ok(())
    }

    /// The answer to the question that was sent, if it comes before a time. After an error other than [`Reason::Timeout`], the process
    /// must be ended.
    fn receive(&mut self, until: Option<Instant>) -> Result<Check, Reason> {
        let (Outcome::Asked(assumptions), Some(session)) = (&self.outcome, &mut self.session) else {
            return Err(Reason::Failed("it was not asked".into()));
        };
        let (outcome, answer) = match session.receive(until)?.as_str() {
            "sat" => (Outcome::Sat, Check::Sat),
            "unsat" => {
                let until = self.limit.map(|limit| Instant::now() + limit);
                let core = if assumptions.is_empty() { Vec::new() } else { session.core(assumptions, until)? };
                (Outcome::Unsat(core), Check::Unsat)
            }
            "unknown" => (Outcome::None, Check::Unknown(Reason::Incomplete("it answered unknown".into()))),
            other => return Err(Reason::Failed(format!("it answered {}", shorten(other)))),
        };
        if answer != Check::Sat {
            session.pop_to(self.kept);
        }
        self.outcome = outcome;
        Ok(answer)
    }

    /// Asks, and waits for the answer until the time limit or an interruption.
    fn run(&mut self, pool: &Pool, assumptions: &[Term]) -> Result<Check, Reason> {
        self.send(pool, assumptions)?;
        let stop = self.session.as_ref().map(|session| session.process.stopper());
        let until = self.limit.map(|limit| Instant::now() + limit);
        let interrupter = self.interrupter.clone();
        let stop = move || stop.iter().for_each(|stop| stop());
        let answered = interrupter.guard(stop, || self.receive(until));
        match answered {
            Some(Ok(answer)) => Ok(answer),
            _ if interrupter.is_interrupted() => Err(Reason::Interrupted),
            Some(Err(reason)) => Err(reason),
            None => Err(Reason::Interrupted),
        }
    }

    fn read_model(&mut self, pool: &Pool) -> Option<Model> {
        let session = self.session.as_mut()?;
        session.tell("(get-model)");
        let until = self.limit.map(|limit| Instant::now() + limit);
        let answer = session.ask(until).ok()?;
        values::read_model(pool, &Sexps::parse(&answer)?, &session.printer.variables)
    }
}

impl Session {
    fn start(program: &str, arguments: &[String]) -> Result<Session, Reason> {
        let process = Process::start(program, arguments)?;
        let mut session = Session { process, printer: Printer::default(), told: vec![0], text: String::new() };
        session.tell("(set-option :print-success false)");
        session.tell("(set-option :produce-models true)");
        session.tell("(set-option :produce-unsat-assumptions true)");
        session.tell("(set-logic ALL)");
        session.flush();
        Ok(session)
    }

    fn tell(&mut self, command: &str) {
        self.text.push_str(command);
        self.text.push('\n');
    }

    fn push(&mut self) {
        self.tell("(push 1)");
        self.printer.push();
        self.told.push(0);
    }

    fn pop(&mut self, levels: usize) {
        if levels > 0 {
            self.tell(&format!("(pop {levels})"));
            self.printer.pop(levels);
            self.told.truncate(self.told.len() - levels);
        }
    }

    /// Pops all levels but the first ones.
    fn pop_to(&mut self, left: usize) {
        self.pop(self.told.len().saturating_sub(left));
    }

    /// Sends the formulas that were asserted since the last time.
    fn catch_up(&mut self, pool: &Pool, levels: &[Vec<Term>]) -> Result<(), Reason> {
        for (level, formulas) in levels.iter().enumerate() {
            if level == self.told.len() {
                self.push();
            }
            // Only the last level that the process knows can have grown.
            let known = self.told[level];
            for &formula in &formulas[known..] {
                let formula = self.printer.print(pool, formula, &mut self.text)?;
                self.tell(&format!("(assert {formula})"));
            }
            self.told[level] = formulas.len();
        }
        Ok(())
    }

    /// Sends the pending text.
    fn flush(&mut self) {
        self.process.send(std::mem::take(&mut self.text));
    }

    /// Sends the pending text and waits for an answer.
    fn ask(&mut self, until: Option<Instant>) -> Result<String, Reason> {
        self.flush();
        self.receive(until)
    }

    /// Waits for an answer.
    fn receive(&mut self, until: Option<Instant>) -> Result<String, Reason> {
        loop {
            let answer = self.process.receive(until)?;
            match answer.as_str() {
                // Some solvers answer this to unsupported options, or to every command.
                "unsupported" | "success" => {}
                _ if answer.starts_with("(error") => return Err(Reason::Failed(shorten(&answer))),
                _ => return Ok(answer),
            }
        }
    }

    fn core(&mut self, assumptions: &[Term], until: Option<Instant>) -> Result<Vec<Term>, Reason> {
        self.tell("(get-unsat-assumptions)");
        let answer = self.ask(until)?;
        let parsed = Sexps::parse(&answer).ok_or_else(|| Reason::Failed("its output makes no sense".into()))?;
        let names = parsed.iter().flat_map(|list| list.members()).filter_map(|name| name.atom());
        let numbers = names.filter_map(|name| name.strip_prefix("assumption!")?.parse::<usize>().ok());
        Ok(numbers.filter_map(|number| assumptions.get(number)).copied().collect())
    }
}

/// A message that fits on one line.
fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if short.len() < text.len() {
        let _ = write!(short, " …");
    }
    short
}

impl Solver for ProcessSolver {
    fn name(&self) -> &str {
        &self.name
    }

    fn push(&mut self) {
        self.forget();
        // The process receives the level with the next question.
        self.levels.push(Vec::new());
    }

    fn pop(&mut self, levels: usize) {
        self.forget();
        let left = self.levels.len().saturating_sub(levels).max(1);
        self.levels.truncate(left);
        self.kept = self.kept.min(left);
        if let (false, Some(session)) = (matches!(self.outcome, Outcome::Asked(_)), &mut self.session) {
            session.pop_to(left);
        }
    }

    fn assert(&mut self, _: &Pool, formula: Term) {
        self.forget();
        if let Some(level) = self.levels.last_mut() {
            level.push(formula);
        }
    }

    fn check(&mut self, pool: &Pool, assumptions: &[Term]) -> Check {
        self.forget();
        if self.interrupter.is_interrupted() {
            return Check::Unknown(Reason::Interrupted);
        }
        self.run(pool, assumptions).unwrap_or_else(|reason| {
            self.stop();
            Check::Unknown(reason)
        })
    }

    fn model(&mut self, pool: &Pool) -> Option<Model> {
        if !matches!(self.outcome, Outcome::Sat) {
            return None;
        }
        let model = self.read_model(pool);
        if model.is_none() {
            self.stop();
        }
        model
    }

    fn unsat_core(&mut self) -> Vec<Term> {
        match &self.outcome {
            Outcome::Unsat(core) => core.clone(),
            _ => Vec::new(),
        }
    }

    fn set_time_limit(&mut self, limit: Option<Duration>) {
        self.limit = limit;
    }

    fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }
}
