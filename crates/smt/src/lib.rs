//! Satisfiability of terms.

mod chain;
mod config;
mod path;
mod smtlib;
mod solver;
mod statistics;
mod z3;

pub use chain::{Chain, Feasibility, SmtError};
pub use config::{CacheMode, Config, SolverKind};
pub use path::PathCondition;
pub use smtlib::{ProcessSolver, available_solvers, script};
pub use solver::{Check, Interrupter, Reason, Solver, verified};
pub use statistics::{Stage, Statistics};
pub use z3::{Z3Options, Z3Solver};
