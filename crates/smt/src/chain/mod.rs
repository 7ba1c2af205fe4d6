//! The stages that a question passes before a solver is asked.

mod cache;
mod enumeration;
mod incremental;
mod log;
mod repair;

use crate::config::{CacheMode, Config, SolverKind};
use crate::integers::{Integers, Question, Translation};
use crate::path::{PathCondition, holds};
use crate::smtlib::ProcessSolver;
use crate::solver::{Approach, Check, Interrupter, Reason, Solver, verified};
use crate::statistics::Statistics;
use crate::z3::{Z3Options, Z3Solver};
use aback_logic::{Evaluator, Model, Pool, Search, Term};
use cache::{Key, Known, Normalised, Plain};
use enumeration::Random;
use incremental::Incremental;
use log::Log;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How many models of earlier answers are tried.
const RECENT: usize = 8;

/// When a solver has been told so many formulas, another one is started: solvers forget little.
const RESTART: u64 = 200_000;

/// The integer form of a question gets one of so many parts of the time for a check, lest a question that is easy in bits
/// wait for one that is hard in numbers.
const INTEGER_SHARE: u32 = 4;

/// Grids with so many points are searched, or else are too large.
const POINTS: u64 = 1 << 33;
/// So much work for a grid takes a few milliseconds, not longer than a solver needs for what is easy.
const SMALL_GRID: u64 = 4_000_000;
/// So much takes some seconds. It is worth that only where a solver has not found an answer at once.
const LARGE_GRID: u64 = 8_000_000_000;
/// How long a solver that keeps what questions have in common may take before one is asked that does not.
const AT_ONCE: Duration = Duration::from_millis(150);
/// One that is asked about a question that has little in common with others may take one of so many parts of the time.
const ALONE_SHARE: u32 = 4;
/// The one asked afterwards gets one of so many parts of the time for a check.
const AFRESH_SHARE: u32 = 2;
/// A check gets one of so many parts of the time that is left, but this at least.
const DEADLINE_SHARE: u32 = 3;
const LEAST_LIMIT: Duration = Duration::from_secs(1);

/// SMT-LIB solvers that know integers.
const KNOW_INTEGERS: [&str; 2] = ["z3", "cvc5"];

/// Whether a path can go on under a formula.
#[derive(Clone, Debug)]
pub enum Feasibility {
    /// It can: a model of the whole path and the formula.
    Feasible(Rc<RefCell<Evaluator>>),
    /// No model exists.
    Infeasible,
    /// It could not be found out.
    Unknown(Reason),
}

/// Why a [`Chain`] cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SmtError {
    /// There is no such solver here.
    #[error("the solver `{0}` is not installed")]
    NoSolver(String),
    /// The folder for queries cannot be made.
    #[error("cannot write queries to {path}: {source}", path = path.display())]
    Log {
        /// The folder.
        path: std::path::PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

/// Answers questions of satisfiability about paths over one pool, by the cheapest stage that can: constants, intervals,
/// models of earlier answers, slicing, a cache, all values if they are few, and only then a solver, about integers if
/// possible. The solver starts when it is first needed.
///
/// Slicing asks only about the conjuncts connected with the formula by common variables. That is sound because the others
/// are known to be satisfiable by themselves: the path has a witness. For a path without a witness, all conjuncts are
/// asked about.
pub struct Chain {
    config: Config,
    interrupter: Interrupter,
    deadline: Option<Instant>,
    most: Duration,
    statistics: Statistics,
    recent: VecDeque<Rc<RefCell<Evaluator>>>,
    cache: Plain,
    normalised: Normalised,
    integers: Integers,
    /// The solver that is asked about integers in place of bit-vectors: what it is told has nothing in common with what the
    /// other one is told.
    integer_solver: Option<Incremental>,
    solver: Option<Incremental>,
    random: Random,
    log: Option<Log>,
    expects_references: bool,
    /// Whether the question has little in common with others.
    is_alone: bool,
}

impl Chain {
    /// A chain with these settings. Fails if the solver is not installed or the folder for queries cannot be made.
    pub fn new(config: &Config) -> Result<Chain, SmtError> {
        let interrupter = Interrupter::new();
        if let SolverKind::Process(name) = &config.solver {
            // Looked for now, so that a wrong name is told at once; started when it is needed.
            ProcessSolver::find(name, interrupter.clone()).ok_or_else(|| SmtError::NoSolver(name.clone()))?;
        }
        let log = match &config.log {
            Some(path) => Some(Log::new(path).map_err(|source| SmtError::Log { path: path.clone(), source })?),
            None => None,
        };
        Ok(Chain {
            config: config.clone(),
            interrupter,
            deadline: None,
            most: Duration::MAX,
            statistics: Statistics::default(),
            recent: VecDeque::new(),
            cache: Plain::default(),
            normalised: Normalised::default(),
            integers: Integers::default(),
            integer_solver: None,
            solver: None,
            random: Random::new(config.seed.into()),
            log,
            expects_references: false,
            is_alone: false,
        })
    }

    /// Whether the path's condition and the formula have a common model.
    pub fn check(&mut self, pool: &mut Pool, path: &PathCondition, formula: Term) -> Feasibility {
        self.statistics.queries += 1;
        // What was built since then need not mean what was asked.
        let answer = match pool.is_stopped() {
            true => Feasibility::Unknown(Reason::Timeout),
            false => self.answer(pool, path, formula),
        };
        match &answer {
            Feasibility::Feasible(model) => {
                self.statistics.feasible += 1;
                self.remember(model);
            }
            Feasibility::Infeasible => self.statistics.infeasible += 1,
            Feasibility::Unknown(_) => self.statistics.unknown += 1,
        }
        answer
    }

    /// The same where few of the path's conjuncts occur in other questions: solvers keep nothing of it.
    pub fn check_alone(&mut self, pool: &mut Pool, path: &PathCondition, formula: Term) -> Feasibility {
        self.is_alone = true;
        let answer = self.check(pool, path, formula);
        self.is_alone = false;
        answer
    }

    /// Counts since the chain was made.
    pub fn statistics(&self) -> Statistics {
        self.statistics.clone()
    }

    /// A handle that stops checks from another thread.
    pub fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    /// The time after which no stage begins that takes time; the small ones before them still answer.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// The condition `true` for a new path, with intervals or without as the configuration says.
    pub fn path(&self) -> PathCondition {
        if self.config.intervals { PathCondition::new() } else { PathCondition::without_intervals() }
    }

    /// Has questions take at most so long from now on, where the configuration allows more.
    pub fn limit_to(&mut self, most: Duration) {
        self.most = most;
    }

    /// Prepares for questions that are mostly about which references are equal. Solvers that run already stay as they are.
    pub fn expect_references(&mut self) {
        self.expects_references = true;
    }

    fn answer(&mut self, pool: &mut Pool, path: &PathCondition, formula: Term) -> Feasibility {
        if let Some(answer) = self.statistics.constants.ask(by_constant(path, formula)) {
            return answer;
        }
        if self.config.intervals
            && let Some(answer) = self.statistics.intervals.ask(by_intervals(pool, path, formula))
        {
            return answer;
        }
        let witness = path.witness();
        if self.config.models
            && let Some(witness) = witness
            && holds(witness, pool, formula)
        {
            self.statistics.models.ask(Some(()));
            return Feasibility::Feasible(witness.clone());
        }
        let slice: Vec<Term> = match witness {
            Some(_) if self.config.slicing => path.slice(pool, formula),
            _ => path.conjuncts().collect(),
        };
        self.statistics.conjuncts += path.len() as u64;
        self.statistics.sliced += slice.len() as u64;
        let query = Query { path, slice, formula };
        if self.config.models {
            let answer = self.by_recent_models(pool, &query);
            if let Some(answer) = self.statistics.models.ask(answer) {
                return answer;
            }
            let answer = by_repair(pool, &query);
            if let Some(answer) = self.statistics.repair.ask(answer) {
                return answer;
            }
        }
        if self.config.cache == CacheMode::Off {
            return self.by_search(pool, &query).1;
        }
        let formulas: Vec<Term> = query.formulas().collect();
        let known = self.cache.get(&formulas);
        if let Some(answer) = self.statistics.cache.ask(known.and_then(|known| query.recall(pool, known))) {
            return answer;
        }
        let key = match self.config.cache {
            CacheMode::Normalised => Key::of(pool, &formulas),
            _ => None,
        };
        if let Some(key) = &key {
            let known = self.normalised.get(key);
            if let Some(answer) = self.statistics.normalised.ask(known.and_then(|known| query.recall(pool, known))) {
                return answer;
            }
        }
        let (known, answer) = self.by_search(pool, &query);
        if let Some(known) = known {
            if let Some(key) = key {
                self.normalised.insert(key, &known);
            }
            self.cache.insert(&formulas, known);
        }
        answer
    }

    fn by_recent_models(&mut self, pool: &Pool, query: &Query) -> Option<Feasibility> {
        let fits = |model: &Rc<RefCell<Evaluator>>| {
            // The formula is what is new, so most models fail there.
            holds(model, pool, query.formula) && query.slice.iter().all(|&conjunct| holds(model, pool, conjunct))
        };
        let model = self.recent.iter().find(|model| fits(model))?.clone();
        if query.is_whole() {
            return Some(Feasibility::Feasible(model));
        }
        let completed = query.complete(pool, &mut model.borrow_mut());
        completed.ok().map(Feasibility::Feasible)
    }

    /// What trying values or the solver answers, also in the form in which it is remembered.
    fn by_search(&mut self, pool: &mut Pool, query: &Query) -> (Option<Known>, Feasibility) {
        if let Some(reason) = self.out_of_time() {
            return (None, Feasibility::Unknown(reason));
        }
        let formulas: Vec<Term> = query.formulas().collect();
        let limit = self.limit();
        let mut grid = None;
        if self.config.enumeration {
            let mut domain = query.path.domain().clone();
            // Intervals have decided questions with a contradiction.
            if domain.assume(pool, query.formula).is_err() {
                return (Some(Known::Unsat), Feasibility::Infeasible);
            }
            grid = enumeration::grid(pool, &domain, &formulas, POINTS).filter(|grid| grid.cost() <= LARGE_GRID);
            if let Some(grid) = grid.as_mut().filter(|grid| grid.cost() <= SMALL_GRID) {
                let search = grid.search(SMALL_GRID, &|| false);
                if let Some(answer) = self.statistics.enumeration.ask(searched(pool, query, search)) {
                    return answer;
                }
            } else if !self.is_alone {
                let witness = query.path.witness().and_then(|witness| witness.try_borrow().ok());
                let witness = witness.as_ref().map(|witness| witness.model());
                let guess = enumeration::sample(pool, &domain, &formulas, witness, &mut self.random);
                let guess = guess.and_then(|model| searched(pool, query, Search::Found(model)));
                if let Some(answer) = self.statistics.samples.ask(guess) {
                    return answer;
                }
            }
        }
        if self.config.afresh && self.config.solver == SolverKind::Z3 {
            // What keeps much in common with earlier questions is fast or hopeless.
            let at_once = if self.is_alone { limit / ALONE_SHARE } else { AT_ONCE.min(limit) };
            if let Some(answer) = self.by_integers(pool, query, at_once) {
                return answer;
            }
            let answer = self.by_terms(pool, query, Form::AsIs, at_once);
            if answer.0.is_some() {
                self.statistics.solver.ask(answer.0.as_ref());
                return answer;
            }
            let answer = self.by_terms(pool, query, Form::Afresh, limit / AFRESH_SHARE);
            let answered = answer.0.is_some().then_some(answer);
            if let Some(answer) = self.statistics.afresh.ask(answered) {
                return answer;
            }
        }
        if let Some(mut grid) = grid {
            let interrupter = self.interrupter.clone();
            let end = Instant::now() + limit;
            let search = grid.search(LARGE_GRID, &|| interrupter.is_interrupted() || Instant::now() >= end);
            if let Some(answer) = self.statistics.enumeration.ask(searched(pool, query, search)) {
                return answer;
            }
        }
        if let Some(reason) = self.out_of_time() {
            return (None, Feasibility::Unknown(reason));
        }
        if let Some(answer) = self.by_integers(pool, query, limit / INTEGER_SHARE) {
            return answer;
        }
        let answer = self.by_terms(pool, query, Form::AsIs, limit);
        self.statistics.solver.ask(answer.0.as_ref());
        answer
    }

    /// Why nothing more must be asked, if so. Who looks at the deadline from outside interrupts what overruns it.
    fn out_of_time(&self) -> Option<Reason> {
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        match is_late {
            true => Some(Reason::Timeout),
            false => self.interrupter.is_interrupted().then_some(Reason::Interrupted),
        }
    }

    /// The time for one question: it must not leave nothing for those that come after it.
    fn limit(&self) -> Duration {
        let left = self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()));
        self.config.check_timeout.min(self.most).min((left / DEADLINE_SHARE).max(LEAST_LIMIT))
    }

    /// The solver's answer about the terms as they are.
    fn by_terms(&mut self, pool: &Pool, query: &Query, form: Form, limit: Duration) -> (Option<Known>, Feasibility) {
        let (check, model) = self.ask_solver(pool, form, &query.slice, query.formula, limit);
        self.log(pool, query, &check);
        match (check, model) {
            (Check::Unsat, _) => (Some(Known::Unsat), Feasibility::Infeasible),
            (Check::Unknown(reason), _) => (None, Feasibility::Unknown(reason)),
            (Check::Sat, Some(model)) => {
                let model = Rc::new(model);
                match query.accept(pool, &model) {
                    Ok(whole) => (Some(Known::Sat(model)), Feasibility::Feasible(whole)),
                    Err(reason) => (None, Feasibility::Unknown(reason)),
                }
            }
            (Check::Sat, None) => {
                let reason = Reason::Incomplete("its model cannot be expressed in our values".into());
                (None, Feasibility::Unknown(reason))
            }
        }
    }

    /// The same by the question's integer form. What that leaves unknown, the bit-vectors may tell.
    fn by_integers(&mut self, pool: &mut Pool, query: &Query, limit: Duration) -> Option<(Option<Known>, Feasibility)> {
        let knows_integers = match &self.config.solver {
            SolverKind::Z3 => true,
            SolverKind::Process(name) => KNOW_INTEGERS.contains(&name.as_str()),
        };
        if !self.config.integers || !knows_integers {
            return None;
        }
        let formulas: Vec<Term> = query.formulas().collect();
        let answer = match self.integers.translate(pool, &formulas) {
            Translation::Unchanged => return None,
            Translation::Refused => None,
            Translation::Integers(question) => self.ask_integers(pool, query, &question, limit),
        };
        self.statistics.integers.ask(answer)
    }

    fn ask_integers(
        &mut self,
        pool: &Pool,
        query: &Query,
        question: &Question,
        limit: Duration,
    ) -> Option<(Option<Known>, Feasibility)> {
        self.statistics.translated += 1;
        let (check, model) = self.ask_solver(pool, Form::Integers, &question.asserted, question.formula, limit);
        let answer = match (&check, model) {
            (Check::Unsat, _) => (Known::Unsat, Feasibility::Infeasible),
            (Check::Sat, Some(model)) => {
                let model = Rc::new(self.integers.model(pool, &model));
                let whole = query.accept(pool, &model).ok()?;
                (Known::Sat(model), Feasibility::Feasible(whole))
            }
            _ => return None,
        };
        self.log(pool, query, &check);
        Some((Some(answer.0), answer.1))
    }

    fn log(&mut self, pool: &Pool, query: &Query, check: &Check) {
        if let Some(log) = &mut self.log {
            let formulas: Vec<Term> = query.formulas().collect();
            // A full disk must not change what is answered.
            let _ = log.write(pool, &formulas, check);
        }
    }

    fn ask_solver(
        &mut self,
        pool: &Pool,
        form: Form,
        asserted: &[Term],
        formula: Term,
        limit: Duration,
    ) -> (Check, Option<Model>) {
        if let Some(reason) = self.out_of_time() {
            return (Check::Unknown(reason), None);
        }
        let left = self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()));
        let limit = left.min(limit);
        let start = Instant::now();
        let mut solver = match self.solver(form).take().map_or_else(|| self.start(), Ok) {
            Ok(solver) => solver,
            Err(reason) => return (Check::Unknown(reason), None),
        };
        solver.set_time_limit(limit);
        let approach = match form {
            Form::Afresh => Some(Approach::Prepared),
            _ if self.is_alone && self.config.solver == SolverKind::Z3 => Some(Approach::Direct),
            _ => None,
        };
        let check = if let Some(approach) = approach {
            let formulas: Vec<Term> = asserted.iter().copied().chain([formula]).collect();
            solver.check_afresh(pool, &formulas, approach)
        } else {
            self.statistics.asserted += solver.align(pool, asserted);
            solver.check(pool, formula)
        };
        let check = match check {
            Check::Unknown(Reason::Interrupted) => Check::Unknown(self.out_of_time().unwrap_or(Reason::Interrupted)),
            other => other,
        };
        let model = (check == Check::Sat).then(|| solver.model(pool)).flatten();
        self.statistics.solver_time += start.elapsed();
        // A solver that broke starts afresh next time, and so does one that has gathered much that is of no use any more.
        if !matches!(check, Check::Unknown(Reason::Failed(_))) && solver.told() < RESTART {
            *self.solver(form) = Some(solver);
        }
        (check, model)
    }

    fn solver(&mut self, form: Form) -> &mut Option<Incremental> {
        match form {
            Form::AsIs | Form::Afresh => &mut self.solver,
            Form::Integers => &mut self.integer_solver,
        }
    }

    fn start(&self) -> Result<Incremental, Reason> {
        let solver: Box<dyn Solver> = match &self.config.solver {
            SolverKind::Z3 => {
                let options = Z3Options {
                    memory: self.config.memory,
                    seed: self.config.seed,
                    expects_references: self.expects_references,
                };
                Box::new(Z3Solver::new(options, self.interrupter.clone())?)
            }
            SolverKind::Process(name) => {
                let solver = ProcessSolver::find(name, self.interrupter.clone());
                Box::new(solver.ok_or_else(|| Reason::Failed(format!("{name} is not installed any more")))?)
            }
        };
        Ok(Incremental::new(solver))
    }

    /// Keeps a model among the recent ones, the latest first.
    fn remember(&mut self, model: &Rc<RefCell<Evaluator>>) {
        if !self.config.models {
            return;
        }
        self.recent.retain(|known| !Rc::ptr_eq(known, model));
        self.recent.push_front(model.clone());
        self.recent.truncate(RECENT);
    }
}

fn by_constant(path: &PathCondition, formula: Term) -> Option<Feasibility> {
    match (formula, path.witness()) {
        (Pool::FALSE, _) => Some(Feasibility::Infeasible),
        (Pool::TRUE, Some(witness)) => Some(Feasibility::Feasible(witness.clone())),
        _ => None,
    }
}

fn by_intervals(pool: &mut Pool, path: &PathCondition, formula: Term) -> Option<Feasibility> {
    match path.domain().decide(pool, formula) {
        Some(false) => Some(Feasibility::Infeasible),
        Some(true) => {
            // It follows from the path, so any witness of that will do.
            let witness = path.witness().filter(|witness| holds(witness, pool, formula))?;
            Some(Feasibility::Feasible(witness.clone()))
        }
        None => path.domain().clone().assume(pool, formula).is_err().then_some(Feasibility::Infeasible),
    }
}

/// The path's witness with a few values changed.
fn by_repair(pool: &mut Pool, query: &Query) -> Option<Feasibility> {
    let witness = query.path.witness()?.try_borrow().ok()?.model().clone();
    let mut domain = query.path.domain().clone();
    domain.assume(pool, query.formula).ok()?;
    let model = repair::repaired(pool, &domain, &witness, query.formula)?;
    let model = verified(pool, model, query.formulas()).ok()?;
    Some(Feasibility::Feasible(Rc::new(RefCell::new(model))))
}

/// What the search of a grid says about a question.
fn searched(pool: &Pool, query: &Query, search: Search) -> Option<(Option<Known>, Feasibility)> {
    match search {
        Search::Exhausted => Some((Some(Known::Unsat), Feasibility::Infeasible)),
        Search::Found(model) => {
            let model = Rc::new(model);
            let whole = query.accept(pool, &model).ok()?;
            Some((Some(Known::Sat(model)), Feasibility::Feasible(whole)))
        }
        Search::Stopped => None,
    }
}

/// How a question is put to the solver.
#[derive(Clone, Copy)]
enum Form {
    AsIs,
    /// As it is, to a solver that simplifies the whole question first.
    Afresh,
    /// With integers in place of bit-vectors.
    Integers,
}

/// A question after slicing.
struct Query<'a> {
    path: &'a PathCondition,
    /// The conjuncts that matter, oldest first; all of them if the path has no witness.
    slice: Vec<Term>,
    formula: Term,
}

impl Query<'_> {
    fn formulas(&self) -> impl Iterator<Item = Term> {
        self.slice.iter().copied().chain([self.formula])
    }

    /// Whether nothing of the path was left out.
    fn is_whole(&self) -> bool {
        self.slice.len() == self.path.len()
    }

    /// A remembered answer as one to this query; `None` if its model does not stand the test.
    fn recall(&self, pool: &Pool, known: Known) -> Option<Feasibility> {
        match known {
            Known::Unsat => Some(Feasibility::Infeasible),
            Known::Sat(model) => self.accept(pool, &model).ok().map(Feasibility::Feasible),
        }
    }

    /// A model of the slice and the formula as a model of the whole path and the formula, tested by evaluation.
    fn accept(&self, pool: &Pool, model: &Model) -> Result<Rc<RefCell<Evaluator>>, Reason> {
        if self.is_whole() {
            verified(pool, model.clone(), self.formulas()).map(|model| Rc::new(RefCell::new(model)))
        } else {
            self.complete(pool, &mut Evaluator::new(model.clone()))
        }
    }

    /// The same: the other variables get the witness' values. Slices have no variables in common, so that the conjuncts
    /// outside stay true.
    fn complete(&self, pool: &Pool, model: &mut Evaluator) -> Result<Rc<RefCell<Evaluator>>, Reason> {
        let witness = self.path.witness().and_then(|witness| witness.try_borrow().ok());
        let unusable = || Reason::Failed("the path's witness is in use".into());
        let mut whole = witness.ok_or_else(unusable)?.model().clone();
        let formulas: Vec<Term> = self.formulas().collect();
        for variable in pool.free_variables(&formulas) {
            if let Some(value) = model.value(pool, pool.variable_term(variable)) {
                whole.set(variable, value);
            }
        }
        verified(pool, whole, formulas).map(|model| Rc::new(RefCell::new(model)))
    }
}
