//! Z3 in this process.

mod api;
mod model;
mod translate;
mod worker;

pub use api::{exit, version as z3_version};

use crate::solver::{Approach, Check, Interrupter, Reason, Solver};
use aback_logic::{Model, Pool, Term};
use api::Session;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use translate::Translator;

/// Z3 is recursive here and there. It gets so much stack for each level of the deepest term, a few times of what was
/// measured, and some more.
const STACK_FOR_LEVEL: usize = 2 * 1024;
const STACK: usize = 256 * 1024;
/// Deeper terms are refused, lest the stack run out.
const DEEPEST: u32 = 200_000;

/// Runs a call into Z3 about terms of a depth on a stack that is large enough.
fn with_stack<R>(depth: u32, call: impl FnOnce() -> R) -> R {
    let needed = STACK + STACK_FOR_LEVEL * depth.min(DEEPEST) as usize;
    stacker::maybe_grow(needed, needed, call)
}

/// Settings of a [`Z3Solver`].
#[derive(Clone, Debug, Default)]
pub struct Z3Options {
    /// Memory limit in megabytes. Z3 counts what all its instances in this process use.
    pub memory: Option<u32>,
    /// Seed of the solver's random choices.
    pub seed: u32,
    /// Whether questions are mostly about which references are equal. Those that are prepared are not answered differently.
    pub expects_references: bool,
}

/// What is faster where most of arithmetic is equalities: Z3's older procedure for it, and taking for false first what is not
/// known, which makes references different.
const REFERENCES: [(&str, u32); 2] = [("arith.solver", 2), ("phase_selection", 0)];

/// Z3, linked into this process. It has a context of its own, so several can live side by side.
///
/// Starting one takes some milliseconds. Everything it is told stays translated until it is dropped. Z3 simplifies formulas as
/// it is told them, which can take longer than the check: they are told when a check needs them, so that an interruption
/// ends that, too; the time limit does not. Z3 looks at the time, and at interruptions, between its steps only: on hard
/// formulas it may answer a good while after its time limit. A check that ignores an interruption is left alone with its
/// thread. After an interruption Z3 starts anew, and is told everything again, when it is next asked.
pub struct Z3Solver {
    session: Session,
    translator: Translator,
    interrupter: Interrupter,
    limit: Option<Duration>,
    options: Z3Options,
    levels: Vec<Level>,
    /// How many of the levels are open in the session, beside the lowest one.
    open: usize,
    /// Whether the session was interrupted, so that it has to be replaced.
    is_spent: bool,
    /// Constants for assumptions.
    literals: Vec<api::Ast>,
    outcome: Outcome,
}

/// An open level.
#[derive(Default)]
struct Level {
    formulas: Vec<Term>,
    /// How many of them the session has been told.
    told: usize,
    /// Why one of them was refused.
    refusal: Option<Reason>,
}

enum Outcome {
    None,
    Sat(Option<api::Model>),
    Unsat(Vec<Term>),
}

impl Z3Solver {
    /// Starts Z3. Fails if Z3 cannot allocate a context.
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

    /// Runs what an interruption ends early; the session is spent then.
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

    /// Tells the session what it has not been told yet.
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

    /// Replaces an interrupted session by one that has been told nothing.
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

    /// The check proper, inside of a level of its own if there are assumptions.
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

    /// The check of a solver that is told these formulas only.
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

    /// Drops the last check's outcome.
    fn forget(&mut self) {
        if let Outcome::Sat(Some(model)) = std::mem::replace(&mut self.outcome, Outcome::None) {
            self.session.release(model);
        }
    }

    /// A truth value that stands for the formula of an assumption.
    fn literal(&mut self, number: usize) -> Result<api::Ast, Reason> {
        if let Some(&literal) = self.literals.get(number) {
            return Ok(literal);
        }
        let literal = self.session.constant(&format!("assumption{number}"), self.session.bool_sort()?)?;
        self.literals.push(literal);
        Ok(literal)
    }

    /// The depth of a translated term, if Z3 can be given it.
    fn allowed_depth(&self, term: Term) -> Result<u32, Reason> {
        let depth = self.translator.depth_of(term);
        match depth > DEEPEST {
            true => Err(Reason::Unsupported(format!("terms that are more than {DEEPEST} levels deep"))),
            false => Ok(depth),
        }
    }

    /// Why Z3 does not know, from its own words.
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
