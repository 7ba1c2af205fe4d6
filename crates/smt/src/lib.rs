//! Satisfiability of terms: can a path go on?
//!
//! An engine keeps a [`PathCondition`] for each path and asks a [`Chain`] whether the path and one more formula have a
//! common model. Most questions are answered without a solver, in this order:
//!
//! 1. *constants*: the formula is `true` or `false` as it was built;
//! 2. *intervals*: what the path says of integers and machine integers decides it ([`aback_logic::Domain`]);
//! 3. *models*: the path's witness, or the model of a recent answer, makes it true;
//! 4. *slicing*: only the conjuncts connected with it by common variables are asked about from here on;
//! 5. *cache*: the same formulas, the same up to the names of variables, or fewer of them were asked about before;
//! 6. *integers*: a question about machine integers that can be asked about integers exactly is asked so;
//! 7. a [`Solver`]: Z3 in this process ([`Z3Solver`]) or an SMT-LIB process ([`ProcessSolver`]).
//!
//! [`Config`] switches stages off, [`Statistics`] counts what each one answered. An answer comes with a model that was
//! tested by evaluation, or it is [`Feasibility::Infeasible`], or [`Feasibility::Unknown`] with the [`Reason`]: unknown is
//! never read as one of the others.
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
//! path.set_witness(model);
//!
//! // ... then x is not 2.
//! let two = pool.int(2);
//! let is_two = pool.eq(x, two);
//! assert!(matches!(chain.check(&mut pool, &path, is_two), Feasibility::Infeasible));
//! # Ok::<(), aback_smt::SmtError>(())
//! ```
//!
//! All calls to one chain or solver must pass the same pool.

mod chain;
mod config;
mod integers;
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
pub use z3::{Z3Options, Z3Solver, exit, z3_version};
