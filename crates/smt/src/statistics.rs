//! Counts the questions and answers of the stages of a [`crate::Chain`].

use serde::{Serialize, Serializer};
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
    fn lap(&mut self) -> Duration {
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
    /// The path's current model with a few values changed.
    pub repair: Stage,
    /// The cache of sets of formulas, and their subsets known to be unsatisfiable.
    pub cache: Stage,
    /// Sets of formulas without a common model from which some were left out.
    pub shrunk: u64,
    /// The cache of formulas up to renaming of variables.
    pub normalised: Stage,
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
    /// Formulas asserted in the solver, counted each time they were asserted.
    pub asserted: u64,
    /// Time spent in the solver, by all stages.
    pub solver_time: Duration,
}

impl Statistics {
    /// The stages in order, with their names.
    pub fn stages(&self) -> [(&'static str, Stage); 12] {
        [
            ("constants", self.constants),
            ("intervals", self.intervals),
            ("models", self.models),
            ("repair", self.repair),
            ("cache", self.cache),
            ("normalised cache", self.normalised),
            ("enumeration", self.enumeration),
            ("samples", self.samples),
            ("kept answers", self.kept),
            ("integers", self.integers),
            ("afresh", self.afresh),
            ("solver", self.solver),
        ]
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
            repair,
            cache,
            shrunk,
            normalised,
            enumeration,
            samples,
            kept,
            integers,
            translated,
            afresh,
            solver,
            conjuncts,
            sliced,
            asserted,
            solver_time,
        } = *other;
        self.queries += queries;
        self.feasible += feasible;
        self.infeasible += infeasible;
        self.unknown += unknown;
        self.constants += constants;
        self.intervals += intervals;
        self.models += models;
        self.repair += repair;
        self.cache += cache;
        self.shrunk += shrunk;
        self.normalised += normalised;
        self.enumeration += enumeration;
        self.samples += samples;
        self.kept += kept;
        self.integers += integers;
        self.translated += translated;
        self.afresh += afresh;
        self.solver += solver;
        self.conjuncts += conjuncts;
        self.sliced += sliced;
        self.asserted += asserted;
        self.solver_time += solver_time;
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Statistics { queries, feasible, infeasible, unknown, .. } = self;
        writeln!(f, "{queries} queries: {feasible} feasible, {infeasible} infeasible, {unknown} unknown")?;
        writeln!(f, "{:<18}{:>10}{:>10}{:>12}", "stage", "asked", "answered", "time")?;
        for (name, stage) in self.stages() {
            writeln!(f, "{name:<18}{:>10}{:>10}{:>10.3} s", stage.asked, stage.answered, stage.time.as_secs_f64())?;
        }
        let Statistics { conjuncts, sliced, asserted, translated, .. } = self;
        writeln!(
            f,
            "slicing kept {sliced} of {conjuncts} conjuncts; {asserted} formulas asserted; {translated} questions as integers"
        )?;
        write!(f, "solver time {:.3} s", self.solver_time.as_secs_f64())
    }
}
