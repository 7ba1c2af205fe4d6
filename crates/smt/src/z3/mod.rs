//! Z3 in this process.

mod api;
mod model;
mod translate;

use crate::solver::{Check, Interrupter, Reason, Solver};
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
}

/// Z3, linked into this process. It has a context of its own, so several can live side by side.
///
/// Starting one takes some milliseconds. Everything it is told stays translated until it is dropped. Z3 looks at the time,
/// and at interruptions, between its steps only: on hard formulas it may answer a good while after its time limit. After an
/// interruption it starts anew, and is told everything again, when it is next asked.
pub struct Z3Solver {
    session: Session,
    translator: Translator,
    interrupter: Interrupter,
    limit: Option<Duration>,
    options: Z3Options,
    levels: Vec<Level>,
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
        let mut solver = Z3Solver {
            session,
            translator,
            interrupter,
            limit: None,
            options,
            levels: vec![Level::default()],
            is_spent: false,
            literals: Vec::new(),
            outcome: Outcome::None,
        };
        solver.configure()?;
        Ok(solver)
    }

    fn configure(&mut self) -> Result<(), Reason> {
        self.session.configure(&self.parameters())
    }

    fn parameters(&self) -> Vec<(&'static str, u32)> {
        let timeout = self.limit.map_or(u32::MAX, |limit| u32::try_from(limit.as_millis()).unwrap_or(u32::MAX).max(1));
        let mut values = vec![("timeout", timeout), ("random_seed", self.options.seed)];
        values.extend(self.options.memory.map(|megabytes| ("max_memory", megabytes)));
        values
    }

    fn refuse(&mut self, reason: Reason) {
        if let Some(level) = self.levels.last_mut() {
            level.refusal.get_or_insert(reason);
        }
    }

    fn refusal(&self) -> Option<&Reason> {
        self.levels.iter().find_map(|level| level.refusal.as_ref())
    }

    /// Tells a formula to the session.
    fn tell(&mut self, pool: &Pool, formula: Term) {
        let asserted = self.translator.translate(&self.session, pool, formula).and_then(|ast| {
            let depth = self.allowed_depth(formula)?;
            self.translator.note_asserted(formula);
            with_stack(depth, || self.session.assert(ast))
        });
        if let Err(reason) = asserted {
            self.refuse(reason);
        }
    }

    /// Replaces an interrupted session.
    fn renew(&mut self, pool: &Pool) -> Result<(), Reason> {
        self.session = Session::new()?;
        self.translator = Translator::new();
        self.literals.clear();
        self.configure()?;
        self.is_spent = false;
        for (number, Level { formulas, .. }) in std::mem::take(&mut self.levels).into_iter().enumerate() {
            if number > 0 {
                self.session.push();
                self.translator.push();
            }
            self.levels.push(Level::default());
            for &formula in &formulas {
                self.tell(pool, formula);
            }
            if let Some(level) = self.levels.last_mut() {
                level.formulas = formulas;
            }
        }
        Ok(())
    }

    /// The check proper, inside of a level of its own if there are assumptions.
    fn run(&mut self, pool: &Pool, assumptions: &[Term]) -> Result<Check, Reason> {
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
        let is_stopped = Arc::new(AtomicBool::new(false));
        let stop = {
            let (is_stopped, stop) = (is_stopped.clone(), self.session.stopper());
            move || {
                is_stopped.store(true, Ordering::SeqCst);
                stop();
            }
        };
        let answer = self.interrupter.guard(stop, || with_stack(depth, || self.session.check(&literals)));
        self.is_spent = is_stopped.load(Ordering::SeqCst);
        let answer = answer.filter(|_| !self.is_spent).ok_or(Reason::Interrupted)?;
        Ok(match answer {
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

    /// The check of a solver without levels: Z3 has other procedures for that, which see the whole question at once.
    fn run_afresh(&mut self, pool: &Pool, formulas: &[Term]) -> Result<Check, Reason> {
        let mut depth = 0;
        let mut asts = Vec::with_capacity(formulas.len());
        for &formula in formulas {
            asts.push(self.translator.translate(&self.session, pool, formula)?);
            depth = depth.max(self.allowed_depth(formula)?);
        }
        let parameters = self.parameters();
        let interrupter = &self.interrupter;
        let (answer, model, words) = self.session.afresh(|session| {
            session.configure(&parameters)?;
            asts.into_iter().try_for_each(|ast| with_stack(depth, || session.assert(ast)))?;
            let check = || with_stack(depth, || session.check(&[]));
            let answer = interrupter.guard(session.stopper(), check).ok_or(Reason::Interrupted)?;
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
        if !self.is_spent {
            self.session.push();
            self.translator.push();
        }
    }

    fn pop(&mut self, levels: usize) {
        self.forget();
        let levels = levels.min(self.levels.len() - 1);
        self.levels.truncate(self.levels.len() - levels);
        if !self.is_spent {
            self.session.pop(levels);
            self.translator.pop(levels);
        }
    }

    fn assert(&mut self, pool: &Pool, formula: Term) {
        self.forget();
        if let Some(level) = self.levels.last_mut() {
            level.formulas.push(formula);
        }
        if !self.is_spent {
            self.tell(pool, formula);
        }
    }

    fn check(&mut self, pool: &Pool, assumptions: &[Term]) -> Check {
        self.forget();
        if self.interrupter.is_interrupted() {
            return Check::Unknown(Reason::Interrupted);
        }
        if self.is_spent
            && let Err(reason) = self.renew(pool)
        {
            return Check::Unknown(reason);
        }
        if let Some(reason) = self.refusal() {
            return Check::Unknown(reason.clone());
        }
        let scoped = !assumptions.is_empty();
        if scoped {
            self.session.push();
        }
        let answer = self.run(pool, assumptions).unwrap_or_else(Check::Unknown);
        if scoped && !self.is_spent {
            self.session.pop(1);
        }
        answer
    }

    fn check_afresh(&mut self, pool: &Pool, formulas: &[Term]) -> Check {
        self.forget();
        if self.interrupter.is_interrupted() {
            return Check::Unknown(Reason::Interrupted);
        }
        self.run_afresh(pool, formulas).unwrap_or_else(Check::Unknown)
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
            if self.is_spent {
                return;
            }
            if let Err(reason) = self.configure() {
                self.refuse(reason);
            }
        }
    }

    fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }
}
