//! Configures the stages and the solver of a chain.

use std::path::PathBuf;
use std::time::Duration;

/// Settings of a [`crate::Chain`].
#[derive(Clone, Debug)]
pub struct Config {
    /// The solver that answers what no other stage answers.
    pub solver: SolverKind,
    /// Let intervals decide formulas.
    pub intervals: bool,
    /// How often intervals are narrowed by all conditions of a path when one is added; at least 1, which is the new one alone.
    pub interval_iterations: u32,
    /// Ask only about the conjuncts that are connected with the formula.
    pub slicing: bool,
    /// Try the models of earlier answers.
    pub models: bool,
    /// Cache the solver's answers.
    pub cache: CacheMode,
    /// Which cached answers are also answers about other sets of formulas.
    pub sets: SetMode,
    /// Folder in which the solver's answers are kept for later runs.
    pub cache_dir: Option<PathBuf>,
    /// Most bytes in this folder.
    pub cache_size: u64,
    /// Ask about integers instead of machine integers if the translation is exact. Solvers without integers are not
    /// asked so.
    pub integers: bool,
    /// Translate products of variables, too. Some are easier for integers, and some for machine integers.
    pub products: bool,
    /// Look for contradictions in the order of values.
    pub orders: bool,
    /// Look for values of floats, a box of them at a time.
    pub boxes: bool,
    /// Try all values of a question's variables if they are few, and otherwise some values.
    pub enumeration: bool,
    /// Ask hard questions again, of a solver that keeps nothing for the next question. Only Z3 in this process can do
    /// this.
    pub afresh: bool,
    /// Time limit of one check of the solver.
    pub check_timeout: Duration,
    /// Memory limit of one check of the solver in megabytes, if the solver supports a limit.
    pub memory: Option<u32>,
    /// Folder for the queries that reach the solver, with one `.smt2` file for each query.
    pub log: Option<PathBuf>,
    /// Seed of the solver's random choices.
    pub seed: u32,
}

impl Default for Config {
    /// Z3 in this process, with all stages enabled and a time limit of ten seconds for each check.
    fn default() -> Self {
        Config {
            solver: SolverKind::Z3,
            intervals: true,
            interval_iterations: 1,
            slicing: true,
            models: true,
            cache: CacheMode::Normalised,
            sets: SetMode::Unsatisfiable,
            cache_dir: None,
            cache_size: 256 << 20,
            integers: true,
            orders: true,
            boxes: true,
            products: false,
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
    /// The solver alone: every question reaches the solver with the whole path condition.
    pub fn plain() -> Self {
        Config {
            intervals: false,
            slicing: false,
            models: false,
            cache: CacheMode::Off,
            sets: SetMode::Off,
            integers: false,
            orders: false,
            boxes: false,
            enumeration: false,
            afresh: false,
            ..Config::default()
        }
    }
}

/// A kind of solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverKind {
    /// Z3 in this process.
    Z3,
    /// SMT-LIB processes, by names that [`crate::available_solvers`] returns, or paths of programs with such names. Several get the same questions, and the first definite
    /// answer counts.
    Processes(Vec<String>),
}

/// Which answers are cached (paper 4, section 3.4.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheMode {
    /// No answers.
    Off,
    /// Answers for the same formulas.
    Plain,
    /// Also answers for formulas that differ only in the names of variables.
    Normalised,
    /// And if formulas have no common model, some of them are left out that are not needed for it. What is left answers more questions:
    /// all that contain it.
    Cores,
}

/// Which cached answers are also answers about smaller or larger sets of formulas (paper 4, section 2.2). Without a cache, none are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetMode {
    /// None.
    Off,
    /// Formulas without a common model have none together with others.
    Unsatisfiable,
    /// And a model of formulas is one of fewer of them.
    All,
}
