//! Decides the satisfiability of path conditions.
//!
//! An engine keeps a [`PathCondition`] for each path and asks a [`Chain`] whether the path condition and one more
//! formula have a common model. Stages answer most questions without a solver, in this order:
//!
//! 1. *constants*: the formula simplified to `true` or `false` when it was built;
//! 2. *intervals*: the intervals of integers and machine integers on the path decide the formula
//!    ([`aback_logic::Domain`]);
//! 3. *models*: the path's current model, or the model of a recent answer, makes the formula true;
//! 4. *slicing*: later stages consider only the conjuncts that are connected with the formula by common variables;
//! 5. *repair*: the path's current model, with a few values changed, makes the formula true;
//! 6. *cache*: the same formulas, the same up to the names of variables, some of them without a common model, or more of
//!    them with one were asked about before;
//! 7. *enumeration*: all values of the variables are tried if they are few, and otherwise some;
//! 8. *integers*: a question about machine integers is asked about integers if the translation is exact;
//! 9. a [`Solver`]: Z3 in this process ([`Z3Solver`]) or an SMT-LIB process ([`ProcessSolver`]).
//!
//! [`Config`] disables stages, and [`Statistics`] counts what each stage answered. An answer is
//! [`Feasibility::Feasible`] with a model that was tested by evaluation, [`Feasibility::Infeasible`], or
//! [`Feasibility::Unknown`] with the [`Reason`]. An unknown answer is never treated as one of the others.
//!
//! ```
//! use aback_logic::{Pool, Sort};
//! use aback_smt::{Chain, Config, Feasibility, PathCondition};
//!
//! let mut pool = Pool::new();
//! let (x, y) = (pool.fresh_var("x", Sort::Int), pool.fresh_var("y", Sort::Int));
//! let mut chain = Chain::new(&Config::default())?;
//! let mut path = PathCondition::new();
//!
//! // if (x * y == 35) ...
//! let product = pool.mul(x, y);
//! let thirty_five = pool.int(35);
//! let condition = pool.eq(product, thirty_five);
//! let Feasibility::Feasible(model) = chain.check(&mut pool, &path, condition) else { panic!("feasible") };
//! assert_eq!(model.borrow_mut().holds(&pool, condition), Some(true));
//! path.assume(&mut pool, condition).unwrap();
//! path.set_current_model(model);
//!
//! // ... then x is not 2.
//! let two = pool.int(2);
//! let is_two = pool.eq(x, two);
//! assert!(matches!(chain.check(&mut pool, &path, is_two), Feasibility::Infeasible));
//! # Ok::<(), aback_smt::SmtError>(())
//! ```
//!
//! All calls to one chain or solver must pass the same pool.

mod aside;
mod chain;
mod config;
mod integers;
mod path;
mod smtlib;
mod solver;
mod statistics;
mod z3;

pub use aside::Aside;
pub use chain::{Chain, Feasibility, SmtError};
pub use config::{CacheMode, Config, SetMode, SolverKind};
pub use path::PathCondition;
pub use smtlib::{Portfolio, ProcessSolver, SolverProgram, available_solvers, script, solver_programs};
pub use solver::{Check, Interrupter, Reason, Solver, verified};
pub use statistics::{Stage, Statistics};
pub use z3::{Z3Options, Z3Solver, exit, z3_library, z3_version};
