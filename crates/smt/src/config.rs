//! Which stages a question passes, and which solver is asked in the end.

use std::path::PathBuf;
use std::time::Duration;

/// Settings of a [`crate::Chain`].
#[derive(Clone, Debug)]
pub struct Config {
    /// Which solver is asked.
    pub solver: SolverKind,
    /// Decide by intervals what they decide.
    pub intervals: bool,
    /// Ask only about the conjuncts that are connected with the formula.
    pub slicing: bool,
    /// Try the models of earlier answers.
    pub models: bool,
    /// Remember the solver's answers.
    pub cache: CacheMode,
    /// Ask about machine integers as integers where that is exact. Solvers that know no integers are not asked so.
    pub integers: bool,
    /// Try values where a question's variables have few, and some where they have many.
    pub enumeration: bool,
    /// Ask hard questions again, of a solver that need not keep anything for the next question, where the solver can.
    pub afresh: bool,
    /// Time limit of one check of the solver.
    pub check_timeout: Duration,
    /// Memory limit of one check of the solver in megabytes, where the solver has one.
    pub memory: Option<u32>,
    /// Folder for the queries that reach the solver, one `.smt2` file each.
    pub log: Option<PathBuf>,
    /// Seed of the solver's random choices.
    pub seed: u32,
}

impl Default for Config {
    /// Z3 in this process, all stages on, ten seconds for each check.
    fn default() -> Self {
        Config {
            solver: SolverKind::Z3,
            intervals: true,
            slicing: true,
            models: true,
            cache: CacheMode::Normalised,
            integers: true,
            enumeration: true,
            afresh: true,
            check_timeout: Duration::from_secs(10),
            memory: None,
            log: None,
            seed: 0,
        }
    }
}

impl Config {
    /// The solver alone: every question reaches it with the whole path.
    pub fn plain() -> Self {
        Config {
            intervals: false,
            slicing: false,
            models: false,
            cache: CacheMode::Off,
            integers: false,
            enumeration: false,
            afresh: false,
            ..Config::default()
        }
    }
}

/// A solver to ask.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverKind {
    /// Z3 in this process.
    Z3,
    /// An SMT-LIB process: one of the names that [`crate::available_solvers`] knows.
    Process(String),
}

/// How answers are remembered (paper 4, section 3.4.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheMode {
    /// Not at all.
    Off,
    /// For the same formulas.
    Plain,
    /// Also for formulas that differ in the names of variables only.
    Normalised,
}
