//! Counts the questions and answers of the stages of a [`crate::Chain`].

use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

/// Counts of one stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Stage {
    /// Questions that reached the stage.
    pub asked: u64,
    /// Questions that the stage answered.
    pub answered: u64,
    /// Time that the stage took, in seconds in JSON.
    #[serde(rename = "seconds", serialize_with = "seconds")]
    pub time: Duration,
}

impl Stage {
    /// Counts a question with its answer, and the time since the last call.
    pub(crate) fn ask<T>(&mut self, watch: &mut Stopwatch, answer: Option<T>) -> Option<T> {
        self.asked += 1;
        self.answered += u64::from(answer.is_some());
        self.spend(watch);
        answer
    }

    /// Counts the time since the last call.
    pub(crate) fn spend(&mut self, watch: &mut Stopwatch) {
        self.time += watch.lap();
    }
}

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

/// Divides time among stages, which follow each other.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Stopwatch(Instant::now())
    }

    /// The time since the start or the last lap.
    pub(crate) fn lap(&mut self) -> Duration {
        let now = Instant::now();
        now - std::mem::replace(&mut self.0, now)
    }
}

impl AddAssign for Stage {
    fn add_assign(&mut self, other: Stage) {
        self.asked += other.asked;
        self.answered += other.answered;
        self.time += other.time;
    }
}

/// Counts of a [`crate::Chain`] since its creation.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Statistics {
    /// All questions.
    pub queries: u64,
    /// Questions answered "feasible".
    pub feasible: u64,
    /// Questions answered "infeasible".
    pub infeasible: u64,
    /// Questions answered "unknown".
    pub unknown: u64,
    /// Constant formulas.
    pub constants: Stage,
    /// Intervals.
    pub intervals: Stage,
    /// The path's current model and recent models.
    pub models: Stage,
    /// Contradictions in the order of values.
    pub orders: Stage,
    /// The path's current model with a few values changed.
    pub repair: Stage,
    /// The cache of sets of formulas.
    pub cache: Stage,
    /// Cached sets of formulas that contain those of the question, or that these contain.
    pub sets: Stage,
    /// Sets of formulas without a common model from which some were left out.
    pub shrunk: u64,
    /// The cache of formulas up to renaming of variables.
    pub normalised: Stage,
    /// Values of floats, a box of them at a time.
    pub boxes: Stage,
    /// All values that intervals allow, if they are few.
    pub enumeration: Stage,
    /// Some values, if there are too many to try all.
    pub samples: Stage,
    /// Answers that earlier runs kept in a folder.
    pub kept: Stage,
    /// The solver, asked about integers instead of bit-vectors. Only questions with bit-vectors reach this stage.
    pub integers: Stage,
    /// Questions of the previous stage that have an integer form.
    pub translated: u64,
    /// A solver without other assertions, asked about the original formulas.
    pub afresh: Stage,
    /// The solver, asked about the original formulas. Questions that it does not answer remain unknown.
    pub solver: Stage,
    /// Conjuncts of the paths to which slicing was applied.
    pub conjuncts: u64,
    /// Conjuncts of these paths that slicing kept.
    pub sliced: u64,
    /// Time that slicing took, in seconds in JSON.
    #[serde(rename = "slicing_seconds", serialize_with = "seconds")]
    pub slicing_time: Duration,
    /// Formulas asserted in the solver, counted each time they were asserted.
    pub asserted: u64,
    /// Time spent in the solver, by all stages.
    pub solver_time: Duration,
    /// The solvers of a portfolio by name: the questions that each of them got, those that it was the first to answer, and the time
    /// until its answers or until it was stopped.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub portfolio: BTreeMap<String, Stage>,
}

impl Statistics {
    /// The stages in order, with their names.
    pub fn stages(&self) -> [(&'static str, Stage); 15] {
        [
            ("constants", self.constants),
            ("intervals", self.intervals),
            ("models", self.models),
            ("orders", self.orders),
            ("repair", self.repair),
            ("cache", self.cache),
            ("sets", self.sets),
            ("normalised cache", self.normalised),
            ("boxes", self.boxes),
            ("enumeration", self.enumeration),
            ("samples", self.samples),
            ("kept answers", self.kept),
            ("integers", self.integers),
            ("afresh", self.afresh),
            ("solver", self.solver),
        ]
    }

    /// Adds counts of solvers of a portfolio.
    pub(crate) fn add_members(&mut self, members: impl IntoIterator<Item = (String, Stage)>) {
        for (name, stage) in members {
            *self.portfolio.entry(name).or_default() += stage;
        }
    }
}

impl AddAssign<&Statistics> for Statistics {
    fn add_assign(&mut self, other: &Statistics) {
        let Statistics {
            queries,
            feasible,
            infeasible,
            unknown,
            constants,
            intervals,
            models,
            orders,
            repair,
            cache,
            sets,
            shrunk,
            normalised,
            boxes,
            enumeration,
            samples,
            kept,
            integers,
            translated,
            afresh,
            solver,
            conjuncts,
            sliced,
            slicing_time,
            asserted,
            solver_time,
            ref portfolio,
        } = *other;
        self.queries += queries;
        self.feasible += feasible;
        self.infeasible += infeasible;
        self.unknown += unknown;
        self.constants += constants;
        self.intervals += intervals;
        self.models += models;
        self.orders += orders;
        self.repair += repair;
        self.cache += cache;
        self.sets += sets;
        self.shrunk += shrunk;
        self.normalised += normalised;
        self.boxes += boxes;
        self.enumeration += enumeration;
        self.samples += samples;
        self.kept += kept;
        self.integers += integers;
        self.translated += translated;
        self.afresh += afresh;
        self.solver += solver;
        self.conjuncts += conjuncts;
        self.sliced += sliced;
        self.slicing_time += slicing_time;
        self.asserted += asserted;
        self.solver_time += solver_time;
        self.add_members(portfolio.iter().map(|(name, stage)| (name.clone(), *stage)));
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Statistics { queries, feasible, infeasible, unknown, .. } = self;
        writeln!(f, "{queries} queries: {feasible} feasible, {infeasible} infeasible, {unknown} unknown")?;
        writeln!(f, "{:<18}{:>10}{:>10}{:>12}", "stage", "asked", "answered", "time")?;
        let row = |f: &mut fmt::Formatter<'_>, name: &str, stage: Stage| {
            writeln!(f, "{name:<18}{:>10}{:>10}{:>10.3} s", stage.asked, stage.answered, stage.time.as_secs_f64())
        };
        for (name, stage) in self.stages() {
            row(f, name, stage)?;
        }
        if !self.portfolio.is_empty() {
            writeln!(f, "{:<18}{:>10}{:>10}{:>12}", "in the portfolio", "asked", "first", "time")?;
            for (name, &stage) in &self.portfolio {
                row(f, name, stage)?;
            }
        }
        let Statistics { conjuncts, sliced, asserted, translated, shrunk, .. } = self;
        writeln!(
            f,
            "slicing kept {sliced} of {conjuncts} conjuncts; {asserted} formulas asserted; {translated} questions as integers"
        )?;
        writeln!(f, "slicing time {:.3} s; {shrunk} contradictions made smaller", self.slicing_time.as_secs_f64())?;
        write!(f, "solver time {:.3} s", self.solver_time.as_secs_f64())
    }
}
