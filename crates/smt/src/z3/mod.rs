//! Runs Z3 in this process.

mod api;
mod model;
mod translate;
mod worker;

pub use api::{exit, version as z3_version};

use crate::solver::{Approach, Check, Interrupter, Reason, Solver};
use aback_logic::{Model, Pool, Term};
use api::Session;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use translate::Translator;

/// Stack for each level of the deepest term, in bytes. Some parts of Z3 are recursive; this is a few times the measured use.
const STACK_FOR_LEVEL: usize = 2 * 1024;
/// Stack in addition to that of the levels, in bytes.
const STACK: usize = 256 * 1024;
/// Greatest depth of terms that Z3 receives. Deeper terms are refused, so that the stack does not overflow.
const DEEPEST: u32 = 200_000;

/// Runs a call into Z3 on a stack that is large enough for terms of this depth.
fn with_stack<R>(depth: u32, call: impl FnOnce() -> R) -> R {
    let needed = STACK + STACK_FOR_LEVEL * depth.min(DEEPEST) as usize;
    stacker::maybe_grow(needed, needed, call)
}

/// The file of the Z3 library in this process, if the system tells it.
pub fn z3_library() -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    // The path is the last of six columns, and begins with the first slash.
    let mut paths = maps.lines().filter_map(|line| Some(Path::new(&line[line.find('/')?..])));
    let is_z3 = |path: &&Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libz3."));
    paths.find(is_z3).map(PathBuf::from)
}

/// Checks the formulas of an SMT-LIB script within a time limit, and a memory limit in megabytes.
pub(crate) fn check_script(script: &str, interrupter: &Interrupter, (time, memory): (Duration, Option<u32>)) -> Check {
    let check = || {
        let session = Session::new()?;
        let mut parameters = vec![("timeout", u32::try_from(time.as_millis()).unwrap_or(u32::MAX).max(1))];
        parameters.extend(memory.map(|megabytes| ("max_memory", megabytes)));
        session.configure(&parameters)?;
        let check = || {
            session.assert_script(script)?;
            session.check(&[], DEEPEST, || interrupter.is_interrupted())
        };
        let answer = interrupter.guard(session.stopper(), check).unwrap_or(Err(Reason::Interrupted))?;
        Ok(match answer {
            Some(true) => Check::Sat,
            Some(false) => Check::Unsat,
            None => Check::Unknown(Reason::Incomplete(session.reason_unknown())),
        })
    };
    check().unwrap_or_else(Check::Unknown)
}

/// Settings of a [`Z3Solver`].
#[derive(Clone, Debug, Default)]
pub struct Z3Options {
    /// Memory limit in megabytes. Z3 counts the memory of all its instances in this process.
    pub memory: Option<u32>,
    /// Seed of the solver's random choices.
    pub seed: u32,
    /// Whether questions are mostly about equality of references. This does not affect prepared checks.
    pub expects_references: bool,
}

/// Parameters that are faster if most of the arithmetic is equalities: Z3's older arithmetic procedure, and trying
/// `false` first for undecided literals, which makes references different.
const REFERENCES: [(&str, u32); 2] = [("arith.solver", 2), ("phase_selection", 0)];

/// Z3, linked into this process. Each solver has its own context, so several solvers can coexist.
///
/// Starting a solver takes some milliseconds. Translated formulas are kept until the solver is dropped. Z3 simplifies
/// formulas when they are asserted, which can take longer than the check. Therefore formulas are asserted only when a
/// check needs them, so that an interruption ends this as well; the time limit does not. Z3 tests the time limit and
/// interruptions only between its steps: on hard formulas it may answer long after its time limit. A check that
/// ignores an interruption is abandoned together with its thread. After an interruption, the next check starts Z3
/// anew and asserts everything again.
pub struct Z3Solver {
    session: Session,
    translator: Translator,
    interrupter: Interrupter,
    limit: Option<Duration>,
    options: Z3Options,
    levels: Vec<Level>,
    /// Number of levels that are open in the session, in addition to the lowest one.
    open: usize,
    /// Whether the session was interrupted, so that it must be replaced.
    is_spent: bool,
    /// Constants that represent assumptions.
    literals: Vec<api::Ast>,
    outcome: Outcome,
}

/// An open level.
#[derive(Default)]
struct Level {
    formulas: Vec<Term>,
    /// The number of these formulas that the session has received.
    told: usize,
    /// The reason why one of the formulas was refused.
    refusal: Option<Reason>,
}

enum Outcome {
    None,
    Sat(Option<api::Model>),
    Unsat(Vec<Term>),
}

impl Z3Solver {
    /// Starts Z3.
    ///
    /// # Errors
    ///
    /// Z3 cannot allocate a context.
    pub fn new(options: Z3Options, interrupter: Interrupter) -> Result<Self, Reason> {
        let session = Session::new()?;
        let translator = Translator::new();
        let solver = Z3Solver {
            session,
            translator,
            interrupter,
            limit: None,
            options,
            levels: vec![Level::default()],
            open: 0,
            is_spent: false,
            literals: Vec::new(),
            outcome: Outcome::None,
        };
        solver.configure()?;
        Ok(solver)
    }

    fn configure(&self) -> Result<(), Reason> {
        self.session.configure(&self.parameters(Approach::Direct))
    }

    fn parameters(&self, approach: Approach) -> Vec<(&'static str, u32)> {
        let timeout = self.limit.map_or(u32::MAX, |limit| u32::try_from(limit.as_millis()).unwrap_or(u32::MAX).max(1));
        let mut values = vec![("timeout", timeout), ("random_seed", self.options.seed)];
        values.extend(self.options.memory.map(|megabytes| ("max_memory", megabytes)));
        if self.options.expects_references && approach == Approach::Direct {
            values.extend(REFERENCES);
        }
        values
    }

    /// Runs work that an interruption ends early. The session is spent after an interruption.
    fn stoppable<R>(&mut self, work: impl FnOnce(&mut Self) -> Result<R, Reason>) -> Result<R, Reason> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let stop = {
            let (is_stopped, stop) = (is_stopped.clone(), self.session.stopper());
            move || {
                is_stopped.store(true, Ordering::SeqCst);
                stop();
            }
        };
        let interrupter = self.interrupter.clone();
        let result = interrupter.guard(stop, || work(self));
        self.is_spent = is_stopped.load(Ordering::SeqCst) || self.session.is_lost();
        result.filter(|_| !self.is_spent).unwrap_or(Err(Reason::Interrupted))
    }

    fn refusal(&self) -> Option<&Reason> {
        self.levels.iter().find_map(|level| level.refusal.as_ref())
    }

    /// Asserts the pending formulas in the session.
    fn catch_up(&mut self, pool: &Pool) {
        for number in 0..self.levels.len() {
            if number > self.open {
                self.session.push();
                self.translator.push();
                self.open = number;
            }
            while let Some(&formula) = self.levels[number].formulas.get(self.levels[number].told) {
                self.levels[number].told += 1;
                if let Err(reason) = self.tell(pool, formula) {
                    self.levels[number].refusal.get_or_insert(reason);
                }
            }
        }
    }

    fn tell(&mut self, pool: &Pool, formula: Term) -> Result<(), Reason> {
        let ast = self.translator.translate(&self.session, pool, formula)?;
        let depth = self.allowed_depth(formula)?;
        self.translator.note_asserted(formula);
        with_stack(depth, || self.session.assert(ast))
    }

    /// Replaces an interrupted session by an empty one.
    fn renew(&mut self) -> Result<(), Reason> {
        self.session = Session::new()?;
        self.translator = Translator::new();
        self.literals.clear();
        self.configure()?;
        self.open = 0;
        for level in &mut self.levels {
            (level.told, level.refusal) = (0, None);
        }
        self.is_spent = false;
        Ok(())
    }

    /// Runs the check, in its own level if there are assumptions.
    fn run(&mut self, pool: &Pool, assumptions: &[Term]) -> Result<Check, Reason> {
        self.catch_up(pool);
        if let Some(reason) = self.refusal() {
            return Err(reason.clone());
        }
        if assumptions.is_empty() {
            return self.run_under(pool, assumptions);
        }
        self.session.push();
        let answer = self.run_under(pool, assumptions);
        self.session.pop(1);
        answer
    }

    fn run_under(&mut self, pool: &Pool, assumptions: &[Term]) -> Result<Check, Reason> {
        let mut literals = Vec::with_capacity(assumptions.len());
        let mut depth = self.translator.depth();
        for (number, &assumption) in assumptions.iter().enumerate() {
            let formula = self.translator.translate(&self.session, pool, assumption)?;
            depth = depth.max(self.allowed_depth(assumption)?);
            let literal = self.literal(number)?;
            let implied = self.session.implies(literal, formula)?;
            with_stack(depth, || self.session.assert(implied))?;
            literals.push(literal);
        }
        Ok(match self.session.check(&literals, depth, || self.interrupter.is_interrupted())? {
            Some(true) => {
                self.outcome = Outcome::Sat(with_stack(depth, || self.session.model()));
                Check::Sat
            }
            Some(false) => {
                let core = self.session.unsat_core()?;
                let used = |literal: &api::Ast| core.contains(literal);
                let core = assumptions.iter().zip(&literals).filter(|(_, literal)| used(literal)).map(|(&t, _)| t);
                self.outcome = Outcome::Unsat(core.collect());
                Check::Unsat
            }
            None => Check::Unknown(self.why(self.session.reason_unknown())),
        })
    }

    /// Runs the check with a fresh solver that receives only these formulas.
    fn run_afresh(&mut self, pool: &Pool, formulas: &[Term], approach: Approach) -> Result<Check, Reason> {
        let mut depth = 0;
        let mut asts = Vec::with_capacity(formulas.len());
        for &formula in formulas {
            asts.push(self.translator.translate(&self.session, pool, formula)?);
            depth = depth.max(self.allowed_depth(formula)?);
        }
        let parameters = self.parameters(approach);
        let interrupter = self.interrupter.clone();
        let (answer, model, words) = self.session.afresh(approach, |session| {
            session.configure(&parameters)?;
            asts.into_iter().try_for_each(|ast| with_stack(depth, || session.assert(ast)))?;
            let answer = session.check(&[], depth, || interrupter.is_interrupted())?;
            let model = (answer == Some(true)).then(|| with_stack(depth, || session.model())).flatten();
            Ok((answer, model, session.reason_unknown()))
        })??;
        Ok(match answer {
            Some(true) => {
                self.outcome = Outcome::Sat(model);
                Check::Sat
            }
            Some(false) => Check::Unsat,
            None => Check::Unknown(self.why(words)),
        })
    }

    /// Runs a check in a session that is not spent.
    fn answer(&mut self, check: impl FnOnce(&mut Self) -> Result<Check, Reason>) -> Check {
        self.forget();
        if self.interrupter.is_interrupted() {
            return Check::Unknown(Reason::Interrupted);
        }
        let renewed = if self.is_spent { self.renew() } else { Ok(()) };
        renewed.and_then(|()| self.stoppable(check)).unwrap_or_else(Check::Unknown)
    }

    /// Drops the outcome of the last check.
    fn forget(&mut self) {
        if let Outcome::Sat(Some(model)) = std::mem::replace(&mut self.outcome, Outcome::None) {
            self.session.release(model);
        }
    }

    /// A Boolean constant that represents an assumption.
    fn literal(&mut self, number: usize) -> Result<api::Ast, Reason> {
        if let Some(&literal) = self.literals.get(number) {
            return Ok(literal);
        }
        let literal = self.session.constant(&format!("assumption{number}"), self.session.bool_sort()?)?;
        self.literals.push(literal);
        Ok(literal)
    }

    /// The depth of a translated term, or an error if the term is too deep for Z3.
    fn allowed_depth(&self, term: Term) -> Result<u32, Reason> {
        let depth = self.translator.depth_of(term);
        match depth > DEEPEST {
            true => Err(Reason::Unsupported(format!("terms that are more than {DEEPEST} levels deep"))),
            false => Ok(depth),
        }
    }

    /// Translates Z3's reason for an unknown answer.
    fn why(&self, words: String) -> Reason {
        if self.interrupter.is_interrupted() {
            Reason::Interrupted
        } else if words.contains("timeout") || words.contains("cancel") {
            Reason::Timeout
        } else if words.contains("memory") {
            Reason::Failed(words)
        } else {
            Reason::Incomplete(words)
        }
    }
}

impl Solver for Z3Solver {
    fn name(&self) -> &str {
        "z3"
    }

    fn push(&mut self) {
        self.forget();
        self.levels.push(Level::default());
    }

    fn pop(&mut self, levels: usize) {
        self.forget();
        let left = self.levels.len() - 1 - levels.min(self.levels.len() - 1);
        self.levels.truncate(left + 1);
        if !self.is_spent && self.open > left {
            self.session.pop(self.open - left);
            self.translator.pop(self.open - left);
            self.open = left;
        }
    }

    fn assert(&mut self, _pool: &Pool, formula: Term) {
        self.forget();
        if let Some(level) = self.levels.last_mut() {
            level.formulas.push(formula);
        }
    }

    fn check(&mut self, pool: &Pool, assumptions: &[Term]) -> Check {
        self.answer(|solver| solver.run(pool, assumptions))
    }

    fn check_afresh(&mut self, pool: &Pool, formulas: &[Term], approach: Approach) -> Check {
        self.answer(|solver| solver.run_afresh(pool, formulas, approach))
    }

    fn model(&mut self, pool: &Pool) -> Option<Model> {
        let Outcome::Sat(model) = &self.outcome else {
            return None;
        };
        self.translator.read_model(&self.session, pool, model.as_ref()?)
    }

    fn unsat_core(&mut self) -> Vec<Term> {
        match &self.outcome {
            Outcome::Unsat(core) => core.clone(),
            _ => Vec::new(),
        }
    }

    fn set_time_limit(&mut self, limit: Option<Duration>) {
        if self.limit != limit {
            self.limit = limit;
            if !self.is_spent
                && let Err(reason) = self.configure()
                && let Some(level) = self.levels.last_mut()
            {
                level.refusal.get_or_insert(reason);
            }
        }
    }

    fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }
}
