//! Answers a question by a chain of stages, with a solver as the last one.

mod cache;
mod disk;
mod enumeration;
mod incremental;
mod log;
mod orders;
mod repair;

use crate::aside::Aside;
use crate::config::{CacheMode, Config, SolverKind};
use crate::integers::{Integers, Question, Translation};
use crate::path::{PathCondition, holds};
use crate::smtlib::{Portfolio, ProcessSolver, knows_integers, program};
use crate::solver::{Approach, Check, Interrupter, Reason, Solver, verified};
use crate::statistics::{Statistics, Stopwatch};
use crate::z3::{Z3Options, Z3Solver, z3_version};
use aback_logic::{Boxes, Evaluator, Grid, Model, Pool, Search, Term};
use cache::{Key, Known, Normalised, Plain, Sets};
use disk::Disk;
use enumeration::Random;
use incremental::Incremental;
use log::Log;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant, UNIX_EPOCH};

/// Number of models of earlier answers that are tried.
const RECENT: usize = 8;

/// Number of formulas asserted in a solver after which the next check starts a new one; solvers release little
/// memory.
const RESTART: u64 = 200_000;

/// Divisor of a check's time limit for the integer form of a question, so that a question that is easy for
/// bit-vectors does not wait for one that is hard for integers.
const INTEGER_SHARE: u32 = 4;

/// Most time for leaving out formulas of a set without a common model.
const CORE_TIME: Duration = Duration::from_millis(10);

/// Least time that an answer has taken if it is kept for later runs.
const WORTH_KEEPING: Duration = Duration::from_millis(2);

/// Number of questions after which samples have shown how often they answer one.
const SAMPLES_TRIED: u64 = 64;
/// Samples that answer fewer than one question in so many are rare, and only one question in so many gets some then.
const SAMPLES_SHARE: u64 = 16;

/// Greatest number of points of a grid that is searched.
const POINTS: u64 = 1 << 33;
/// Greatest work of a grid that is searched before the solver is asked, in units of [`aback_logic::Grid::cost`]: a few
/// milliseconds, no longer than a solver needs for easy questions.
const SMALL_GRID: u64 = 4_000_000;
/// Greatest work of a grid that is searched at all: some seconds. It only pays off if the solver has not answered at
/// once.
const LARGE_GRID: u64 = 8_000_000_000;
/// Number of terms, in all boxes together, that a search for values of floats looks at before the solver is asked, which takes
/// milliseconds for the easiest questions about floats.
const FEW_BOXES: u64 = 100_000;
/// The same if the solver has not answered at once.
const MANY_BOXES: u64 = 5_000_000;
/// Time limit of the incremental solver before a fresh solver is asked.
const AT_ONCE: Duration = Duration::from_millis(150);
/// What is added to it for each formula.
const AT_ONCE_EACH: Duration = Duration::from_millis(2);
/// Divisor of a check's time limit for the first solver, if the question shares little with others.
const ALONE_SHARE: u32 = 4;
/// Divisor of a check's time limit for the fresh solver.
const AFRESH_SHARE: u32 = 2;
/// Divisor of the remaining time that yields the time limit of one question, which is at least [`LEAST_LIMIT`].
const DEADLINE_SHARE: u32 = 3;
const LEAST_LIMIT: Duration = Duration::from_secs(1);

/// Whether a path is feasible under a formula.
#[derive(Clone, Debug)]
pub enum Feasibility {
    /// It is: a model of the whole path condition and the formula.
    Feasible(Rc<RefCell<Evaluator>>),
    /// No model exists.
    Infeasible,
    /// No stage found an answer.
    Unknown(Reason),
}

/// The reason why a [`Chain`] cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum SmtError {
    /// The solver is not installed.
    #[error("the solver `{0}` is not installed")]
    NoSolver(String),
    /// There is none of the solver programs.
    #[error("none of the solvers {} is on PATH; `make solvers` fetches three of them", crate::smtlib::names())]
    NoSolvers,
    /// The folder for answers cannot be created.
    #[error("cannot keep answers in {path}: {source}", path = path.display())]
    Cache {
        /// The folder.
        path: std::path::PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The folder for queries cannot be created.
    #[error("cannot write queries to {path}: {source}", path = path.display())]
    Log {
        /// The folder.
        path: std::path::PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

/// Answers satisfiability questions about paths over one pool, by the cheapest stage that can: constants, intervals,
/// models of earlier answers, slicing, the order of values, a cache, enumeration of few values, and finally a solver, which is asked about
/// integers if possible. The solver starts when it is first needed.
///
/// Slicing asks only about the conjuncts that are connected with the formula by common variables. This is sound
/// because the other conjuncts are known to be satisfiable by themselves: the path has a current model. If it has
/// none, all conjuncts are asked about.
pub struct Chain {
    config: Config,
    interrupter: Interrupter,
    deadline: Option<Instant>,
    most: Duration,
    statistics: Statistics,
    watch: Stopwatch,
    recent: VecDeque<Rc<RefCell<Evaluator>>>,
    cache: Plain,
    sets: Sets,
    normalised: Normalised,
    integers: Integers,
    /// The solver that is asked about integers instead of bit-vectors. Its assertions share nothing with those of the
    /// other solver.
    integer_solver: Option<Incremental>,
    solver: Option<Incremental>,
    random: Random,
    log: Option<Log>,
    disk: Option<Disk>,
    expects_references: bool,
    /// Whether the question shares little with others.
    is_alone: bool,
    /// Number of questions since the last one that got samples.
    unsampled: u64,
}

impl Chain {
    /// A chain with these settings.
    ///
    /// # Errors
    ///
    /// The solver is not installed, or the folder for queries cannot be created.
    pub fn new(config: &Config) -> Result<Chain, SmtError> {
        let interrupter = Interrupter::new();
        if let SolverKind::Processes(names) = &config.solver {
            // The solvers are looked up now, so that a wrong name is reported at once. They start when they are needed.
            if names.is_empty() {
                return Err(SmtError::NoSolvers);
            }
            for name in names {
                ProcessSolver::find(name, interrupter.clone()).ok_or_else(|| SmtError::NoSolver(name.clone()))?;
            }
        }
        let log = match &config.log {
            Some(path) => Some(Log::new(path).map_err(|source| SmtError::Log { path: path.clone(), source })?),
            None => None,
        };
        let disk = match &config.cache_dir {
            Some(path) => {
                let disk = Disk::new(path, config.cache_size, versions(&config.solver));
                Some(disk.map_err(|source| SmtError::Cache { path: path.clone(), source })?)
            }
            None => None,
        };
        Ok(Chain {
            config: config.clone(),
            interrupter,
            deadline: None,
            most: Duration::MAX,
            statistics: Statistics::default(),
            watch: Stopwatch::start(),
            recent: VecDeque::new(),
            cache: Plain::default(),
            sets: Sets::new(config.sets),
            normalised: Normalised::default(),
            integers: Integers::new(config.products),
            integer_solver: None,
            solver: None,
            random: Random::new(config.seed.into()),
            log,
            disk,
            expects_references: false,
            is_alone: false,
            unsampled: 0,
        })
    }

    /// Checks whether the path condition and the formula have a common model.
    pub fn check(&mut self, pool: &mut Pool, path: &PathCondition, formula: Term) -> Feasibility {
        self.statistics.queries += 1;
        // Terms that were built after a stop may be incomplete, so that the question may not be the intended one.
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

    /// Like [`Self::check`], for a path whose conjuncts rarely occur in other questions: solvers keep none of them.
    pub fn check_alone(&mut self, pool: &mut Pool, path: &PathCondition, formula: Term) -> Feasibility {
        self.is_alone = true;
        let answer = self.check(pool, path, formula);
        self.is_alone = false;
        answer
    }

    /// Asks whether formulas have a common model, while the caller goes on. `None` if this chain does not use Z3 in this
    /// process, or if the question cannot be asked.
    pub fn ask_aside(&self, pool: &mut Pool, formulas: &[Term]) -> Option<Aside> {
        let is_possible = self.config.solver == SolverKind::Z3;
        is_possible.then(|| Aside::ask(pool, formulas, &self.config).ok()).flatten()
    }

    /// The counts since the creation of the chain.
    pub fn statistics(&self) -> Statistics {
        self.statistics.clone()
    }

    /// A handle that stops checks from another thread.
    pub fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    /// Sets the time after which no slow stage begins. Fast stages still answer after it.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// The condition `true` of a new path, with or without intervals as configured.
    pub fn path(&self) -> PathCondition {
        match self.config.intervals {
            true => PathCondition::new().with_iterations(self.config.interval_iterations),
            false => PathCondition::without_intervals(),
        }
    }

    /// Limits the time of each later question, in addition to the configured limit.
    pub fn limit_to(&mut self, most: Duration) {
        self.most = most;
    }

    /// Prepares for questions that are mostly about equality of references. Running solvers are not affected.
    pub fn expect_references(&mut self) {
        self.expects_references = true;
    }

    fn answer(&mut self, pool: &mut Pool, path: &PathCondition, formula: Term) -> Feasibility {
        self.watch = Stopwatch::start();
        if let Some(answer) = self.statistics.constants.ask(&mut self.watch, by_constant(path, formula)) {
            return answer;
        }
        if self.config.intervals
            && let Some(answer) = self.statistics.intervals.ask(&mut self.watch, by_intervals(pool, path, formula))
        {
            return answer;
        }
        let current = path.current_model();
        if self.config.models
            && let Some(current) = current
            && holds(current, pool, formula)
        {
            self.statistics.models.ask(&mut self.watch, Some(()));
            return Feasibility::Feasible(current.clone());
        }
        self.statistics.models.spend(&mut self.watch);
        let slice: Vec<Term> = match current {
            Some(_) if self.config.slicing => path.slice(pool, formula),
            _ => path.conjuncts().collect(),
        };
        self.statistics.slicing_time += self.watch.lap();
        self.statistics.conjuncts += path.len() as u64;
        self.statistics.sliced += slice.len() as u64;
        let query = Query { path, slice, formula };
        if self.config.orders {
            let answer = orders::contradicts(pool, &query.slice, formula).then_some(Feasibility::Infeasible);
            if let Some(answer) = self.statistics.orders.ask(&mut self.watch, answer) {
                return answer;
            }
        }
        if self.config.models {
            let answer = self.by_recent_models(pool, &query);
            if let Some(answer) = self.statistics.models.ask(&mut self.watch, answer) {
                return answer;
            }
            let answer = by_repair(pool, &query);
            if let Some(answer) = self.statistics.repair.ask(&mut self.watch, answer) {
                return answer;
            }
        }
        if self.config.cache == CacheMode::Off {
            return self.by_search(pool, &query).1;
        }
        let formulas: Vec<Term> = query.formulas().collect();
        let set = cache::set(&formulas);
        let known = set.as_ref().and_then(|set| self.cache.get(set));
        if let Some(answer) =
            self.statistics.cache.ask(&mut self.watch, known.and_then(|known| query.recall(pool, known)))
        {
            return answer;
        }
        if let Some(set) = set.as_ref().filter(|_| self.sets.is_on()) {
            let answer = self.sets.get(set).and_then(|known| query.recall(pool, known));
            if let Some(answer) = self.statistics.sets.ask(&mut self.watch, answer) {
                return answer;
            }
        }
        let key = match self.config.cache {
            CacheMode::Normalised | CacheMode::Cores => Key::of(pool, &formulas),
            CacheMode::Off | CacheMode::Plain => None,
        };
        if let Some(key) = &key {
            let known = self.normalised.get(key);
            if let Some(answer) =
                self.statistics.normalised.ask(&mut self.watch, known.and_then(|known| query.recall(pool, known)))
            {
                return answer;
            }
        }
        let (known, answer) = self.by_search(pool, &query);
        if let Some(known) = known {
            if let Some(key) = key {
                self.normalised.insert(key, &known);
            }
            if let (CacheMode::Cores, Known::Unsat) = (self.config.cache, &known)
                && let Some(core) = self.core(pool, &formulas)
            {
                self.statistics.shrunk += 1;
                self.learn(cache::set(&core), Known::Unsat);
            }
            self.learn(set, known);
        }
        answer
    }

    /// Keeps an answer about formulas.
    fn learn(&mut self, set: Option<cache::Set>, known: Known) {
        if let Some(set) = set {
            self.sets.insert(&set, &known);
            self.cache.insert(set, known);
        }
    }

    /// Some of `formulas` that have no common model with `given`, if the solver soon finds that all of them have none.
    pub fn core_of(&mut self, pool: &Pool, given: &[Term], formulas: &[Term]) -> Option<Vec<Term>> {
        if pool.is_stopped() || self.out_of_time().is_some() {
            return None;
        }
        let start = Instant::now();
        let mut solver = match self.solver.take() {
            Some(solver) => solver,
            None => self.start(Form::AsIs).ok()?,
        };
        solver.set_time_limit(CORE_TIME);
        self.statistics.asserted += solver.align(pool, given);
        let core = solver.core(pool, formulas);
        self.statistics.solver_time += start.elapsed();
        // As in `ask_solver`.
        if !matches!(core, Err(Check::Unknown(Reason::Failed(_)))) && solver.told() < RESTART {
            self.solver = Some(solver);
        }
        core.ok()
    }

    /// Formulas of these that have no common model either. `None` if none can be left out, or if that takes too long.
    fn core(&mut self, pool: &Pool, formulas: &[Term]) -> Option<Vec<Term>> {
        let end = Instant::now() + CORE_TIME;
        let mut core = formulas.to_vec();
        let mut part = core.len() / 2;
        while part > 0 {
            let mut at = 0;
            while at < core.len() && core.len() > part {
                if Instant::now() >= end || self.out_of_time().is_some() {
                    return (core.len() < formulas.len()).then_some(core);
                }
                let mut fewer = core.clone();
                fewer.drain(at..(at + part).min(core.len()));
                let (last, rest) = fewer.split_last()?;
                match self.ask_solver(pool, Form::AsIs, rest, *last, CORE_TIME) {
                    (Check::Unsat, _) => core = fewer,
                    _ => at += part,
                }
            }
            part /= 2;
        }
        (core.len() < formulas.len()).then_some(core)
    }

    fn by_recent_models(&mut self, pool: &Pool, query: &Query) -> Option<Feasibility> {
        let fits = |model: &Rc<RefCell<Evaluator>>| {
            // The formula is new, so most models fail on it.
            holds(model, pool, query.formula) && query.slice.iter().all(|&conjunct| holds(model, pool, conjunct))
        };
        let model = self.recent.iter().find(|model| fits(model))?.clone();
        if query.is_whole() {
            return Some(Feasibility::Feasible(model));
        }
        let completed = query.complete(pool, &mut model.borrow_mut());
        completed.ok().map(Feasibility::Feasible)
    }

    /// The answer of enumeration or the solver, and the same answer in the form in which it is cached.
    fn by_search(&mut self, pool: &mut Pool, query: &Query) -> (Option<Known>, Feasibility) {
        if let Some(reason) = self.out_of_time() {
            return (None, Feasibility::Unknown(reason));
        }
        let formulas: Vec<Term> = query.formulas().collect();
        let limit = self.limit();
        let boxes = self.config.boxes.then(|| Boxes::new(pool, query.path.domain(), &formulas)).flatten();
        if let Some(boxes) = &boxes {
            let search = boxes.search(FEW_BOXES, &|| false);
            if let Some(answer) = self.statistics.boxes.ask(&mut self.watch, searched(pool, query, search)) {
                return answer;
            }
        }
        let mut grid = None;
        if self.config.enumeration {
            let mut domain = query.path.domain().clone();
            // The interval stage has normally decided such questions.
            if domain.assume(pool, query.formula).is_err() {
                return (Some(Known::Unsat), Feasibility::Infeasible);
            }
            grid = enumeration::grid(pool, &domain, &formulas, POINTS).filter(|grid| grid.cost() <= LARGE_GRID);
            if let Some(grid) = grid.as_mut().filter(|grid| grid.cost() <= SMALL_GRID) {
                let search = grid.search(SMALL_GRID, &|| false);
                if let Some(answer) = self.statistics.enumeration.ask(&mut self.watch, searched(pool, query, search)) {
                    return answer;
                }
            } else if !self.is_alone && self.samples_pay() {
                let current = query.path.current_model().and_then(|current| current.try_borrow().ok());
                let current = current.as_ref().map(|current| current.model());
                let guess = enumeration::sample(pool, &domain, &formulas, current, &mut self.random);
                let guess = guess.and_then(|model| searched(pool, query, Search::Found(model)));
                if let Some(answer) = self.statistics.samples.ask(&mut self.watch, guess) {
                    return answer;
                }
            }
        }
        let question = self.disk.as_ref().and_then(|disk| disk.question(pool, &formulas));
        if let (Some(disk), Some(question)) = (&self.disk, &question) {
            let known = disk.get(pool, question);
            let answer = known.and_then(|known| Some((Some(known.clone()), query.recall(pool, known)?)));
            if let Some(answer) = self.statistics.kept.ask(&mut self.watch, answer) {
                return answer;
            }
        }
        let begin = Instant::now();
        let answer = self.by_solver(pool, query, (grid, boxes), limit);
        if let (Some(disk), Some(question), Some(known)) = (&self.disk, &question, &answer.0)
            && begin.elapsed() >= WORTH_KEEPING
        {
            disk.insert(pool, question, known);
        }
        answer
    }

    /// Whether samples are worth their time: where they answer few questions, only one question in [`SAMPLES_SHARE`] gets some.
    fn samples_pay(&mut self) -> bool {
        let samples = &self.statistics.samples;
        let is_rare = samples.asked >= SAMPLES_TRIED && samples.answered.saturating_mul(SAMPLES_SHARE) < samples.asked;
        self.unsampled = if is_rare && self.unsampled < SAMPLES_SHARE { self.unsampled + 1 } else { 0 };
        self.unsampled == 0
    }

    /// The answer of the solver, or of a long search for values.
    fn by_solver(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        (grid, boxes): (Option<Grid>, Option<Boxes>),
        limit: Duration,
    ) -> (Option<Known>, Feasibility) {
        let end = Instant::now() + limit;
        let interrupter = self.interrupter.clone();
        let is_over = || interrupter.is_interrupted() || Instant::now() >= end;
        if self.config.afresh && self.config.solver == SolverKind::Z3 {
            // The incremental solver answers quickly or not at all.
            let at_once = match self.is_alone {
                true => limit / ALONE_SHARE,
                false => (AT_ONCE + AT_ONCE_EACH * query.formulas().count() as u32).min(limit),
            };
            if let Some(answer) = self.by_integers(pool, query, at_once) {
                return answer;
            }
            let answer = self.by_terms(pool, query, Form::AsIs, at_once);
            if answer.0.is_some() {
                self.statistics.solver.ask(&mut self.watch, answer.0.as_ref());
                return answer;
            }
            self.statistics.solver.spend(&mut self.watch);
            if let Some(boxes) = &boxes {
                let search = boxes.search(MANY_BOXES, &is_over);
                if let Some(answer) = self.statistics.boxes.ask(&mut self.watch, searched(pool, query, search)) {
                    return answer;
                }
            }
            let answer = self.by_terms(pool, query, Form::Afresh, limit / AFRESH_SHARE);
            let answered = answer.0.is_some().then_some(answer);
            if let Some(answer) = self.statistics.afresh.ask(&mut self.watch, answered) {
                return answer;
            }
        }
        if let Some(mut grid) = grid {
            let search = grid.search(LARGE_GRID, &is_over);
            if let Some(answer) = self.statistics.enumeration.ask(&mut self.watch, searched(pool, query, search)) {
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
        self.statistics.solver.ask(&mut self.watch, answer.0.as_ref());
        answer
    }

    /// The reason not to ask anything more, if there is one. A caller that watches the deadline interrupts checks
    /// that exceed it.
    fn out_of_time(&self) -> Option<Reason> {
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        match is_late {
            true => Some(Reason::Timeout),
            false => self.interrupter.is_interrupted().then_some(Reason::Interrupted),
        }
    }

    /// The time limit of one question. It leaves time for later questions.
    fn limit(&self) -> Duration {
        let left = self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()));
        self.config.check_timeout.min(self.most).min((left / DEADLINE_SHARE).max(LEAST_LIMIT))
    }

    /// The solver's answer to the original question.
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
                    // A quantifier may be over too long a range in it. The model of the whole path is another one.
                    Err(_) if !query.is_whole() => {
                        let slice = query.path.conjuncts().collect();
                        let whole = Query { path: query.path, slice, formula: query.formula };
                        (None, self.by_terms(pool, &whole, form, limit).1)
                    }
                    Err(reason) => (None, Feasibility::Unknown(reason)),
                }
            }
            (Check::Sat, None) => {
                let reason = Reason::Incomplete("its model has values that aback cannot represent".into());
                (None, Feasibility::Unknown(reason))
            }
        }
    }

    /// The solver's answer to the question's integer form. If this is unknown, the bit-vectors may still decide the
    /// question.
    fn by_integers(&mut self, pool: &mut Pool, query: &Query, limit: Duration) -> Option<(Option<Known>, Feasibility)> {
        let knows_integers = match &self.config.solver {
            SolverKind::Z3 => true,
            SolverKind::Processes(names) => names.iter().any(|name| knows_integers(name)),
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
        self.statistics.integers.ask(&mut self.watch, answer)
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
            // A full disk must not change the answers.
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
        let mut solver = match self.solver(form).take().map_or_else(|| self.start(form), Ok) {
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
        self.statistics.add_members(solver.counts());
        let check = match check {
            Check::Unknown(Reason::Interrupted) => Check::Unknown(self.out_of_time().unwrap_or(Reason::Interrupted)),
            other => other,
        };
        let model = (check == Check::Sat).then(|| solver.model(pool)).flatten();
        self.statistics.solver_time += start.elapsed();
        // A solver that failed is replaced before the next check, and so is one that has accumulated many formulas.
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

    fn start(&self, form: Form) -> Result<Incremental, Reason> {
        let solver: Box<dyn Solver> = match &self.config.solver {
            SolverKind::Z3 => {
                let options = Z3Options {
                    memory: self.config.memory,
                    seed: self.config.seed,
                    expects_references: self.expects_references,
                };
                Box::new(Z3Solver::new(options, self.interrupter.clone())?)
            }
            SolverKind::Processes(names) => {
                let mut solvers = Vec::new();
                for name in names.iter().filter(|name| form != Form::Integers || knows_integers(name)) {
                    let solver = ProcessSolver::find(name, self.interrupter.clone());
                    solvers.push(solver.ok_or_else(|| Reason::Failed(format!("{name} is not installed any more")))?);
                }
                match solvers.len() {
                    1 => Box::new(solvers.remove(0)),
                    _ => Box::new(Portfolio::new(solvers, self.interrupter.clone())),
                }
            }
        };
        Ok(Incremental::new(solver))
    }

    /// Adds a model to the recent ones, the latest first.
    fn remember(&mut self, model: &Rc<RefCell<Evaluator>>) {
        if !self.config.models {
            return;
        }
        self.recent.retain(|known| !Rc::ptr_eq(known, model));
        self.recent.push_front(model.clone());
        self.recent.truncate(RECENT);
    }
}

/// What answers that are kept depend on: this version, and the solvers with their versions, or with the sizes and ages of their programs.
fn versions(solver: &SolverKind) -> String {
    let solver = match solver {
        SolverKind::Z3 => format!("z3 {}", z3_version()),
        SolverKind::Processes(names) => {
            let program = |name: &String| {
                let data = self::program(name).and_then(|path| path.metadata().ok());
                let modified = data.as_ref().and_then(|data| data.modified().ok()?.duration_since(UNIX_EPOCH).ok());
                let [size, age] = [data.map(|data| data.len()), modified.map(|time| time.as_secs())];
                format!("{name} {} {}", size.unwrap_or(0), age.unwrap_or(0))
            };
            names.iter().map(program).collect::<Vec<String>>().join(", ")
        }
    };
    format!("aback {}, {solver}", env!("CARGO_PKG_VERSION"))
}

fn by_constant(path: &PathCondition, formula: Term) -> Option<Feasibility> {
    match (formula, path.current_model()) {
        (Pool::FALSE, _) => Some(Feasibility::Infeasible),
        (Pool::TRUE, Some(current)) => Some(Feasibility::Feasible(current.clone())),
        _ => None,
    }
}

fn by_intervals(pool: &mut Pool, path: &PathCondition, formula: Term) -> Option<Feasibility> {
    match path.domain().decide(pool, formula) {
        Some(false) => Some(Feasibility::Infeasible),
        Some(true) => {
            // The formula follows from the path condition, so any model of the path will do.
            let current = path.current_model().filter(|current| holds(current, pool, formula))?;
            Some(Feasibility::Feasible(current.clone()))
        }
        None => path.domain().clone().assume(pool, formula).is_err().then_some(Feasibility::Infeasible),
    }
}

/// The answer by the path's current model with a few values changed.
fn by_repair(pool: &mut Pool, query: &Query) -> Option<Feasibility> {
    let current = query.path.current_model()?.try_borrow().ok()?.model().clone();
    let mut domain = query.path.domain().clone();
    domain.assume(pool, query.formula).ok()?;
    let mut model = repair::repaired(pool, &domain, &current, query.formula, &query.slice)?;
    // An index may belong to conditions outside of the slice.
    if !query.is_whole() && !query.path.keeps_indices(pool, &mut model) {
        return None;
    }
    Some(Feasibility::Feasible(Rc::new(RefCell::new(model))))
}

/// The answer to a question by the result of a grid search.
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

/// The form in which a question is put to the solver.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    AsIs,
    /// The original formulas, for a solver that first simplifies the whole question.
    Afresh,
    /// Integers instead of bit-vectors.
    Integers,
}

/// A question after slicing.
struct Query<'a> {
    path: &'a PathCondition,
    /// The relevant conjuncts, oldest first; all of them if the path has no current model.
    slice: Vec<Term>,
    formula: Term,
}

impl Query<'_> {
    fn formulas(&self) -> impl Iterator<Item = Term> {
        self.slice.iter().copied().chain([self.formula])
    }

    /// Whether slicing kept all conjuncts.
    fn is_whole(&self) -> bool {
        self.slice.len() == self.path.len()
    }

    /// A cached answer as an answer to this query. `None` if its model fails the test.
    fn recall(&self, pool: &Pool, known: Known) -> Option<Feasibility> {
        match known {
            Known::Unsat => Some(Feasibility::Infeasible),
            Known::Sat(model) => self.accept(pool, &model).ok().map(Feasibility::Feasible),
        }
    }

    /// Extends a model of the slice and the formula to a model of the whole path condition and the formula, tested by
    /// evaluation.
    fn accept(&self, pool: &Pool, model: &Model) -> Result<Rc<RefCell<Evaluator>>, Reason> {
        if self.is_whole() {
            verified(pool, model.clone(), self.formulas()).map(|model| Rc::new(RefCell::new(model)))
        } else {
            self.complete(pool, &mut Evaluator::new(model.clone()))
        }
    }

    /// Assigns the values of the path's current model to all other variables. The conjuncts outside the slice have no
    /// variables in common with it, so that they stay true.
    fn complete(&self, pool: &Pool, model: &mut Evaluator) -> Result<Rc<RefCell<Evaluator>>, Reason> {
        let formulas: Vec<Term> = self.formulas().collect();
        let whole = self.path.complete(pool, &formulas, model);
        let whole = whole.ok_or_else(|| Reason::Failed("the path's current model is in use".into()))?;
        verified(pool, whole, formulas).map(|model| Rc::new(RefCell::new(model)))
    }
}
