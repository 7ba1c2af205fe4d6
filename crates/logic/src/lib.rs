//! Builds, simplifies and evaluates terms of many-sorted first-order logic.
//!
//! A [`Pool`] owns hash-consed [`Term`]s. Its constructors simplify terms as they are built, by named rules
//! ([`Rule`]), and bring them into normal forms ([`Node`]): integer comparisons are linear combinations compared with
//! zero, so that `a < b` and `a + 1 <= b` are one term. A [`Domain`] decides formulas by intervals. An [`Evaluator`]
//! computes values under a [`Model`]. This crate knows neither solvers nor programs.
//!
//! Every traversal of a term keeps its own stack, because terms may be a million levels deep.
//!
//! ```
//! use aback_logic::{Domain, Pool, Sort};
//!
//! let mut pool = Pool::new();
//! let n = pool.fresh_var("n", Sort::Int);
//! let (zero, five) = (pool.int(0), pool.int(5));
//! let positive = pool.lt(zero, n);
//! let not_negative = pool.le(zero, n);
//! assert_eq!(pool.show(positive), "1 <= n");
//!
//! let mut domain = Domain::new();
//! domain.assume(&mut pool, positive).unwrap();
//! assert_eq!(domain.decide(&pool, not_negative), Some(true));
//! let large = pool.lt(five, n);
//! assert_eq!(domain.decide(&pool, large), None);
//! ```

mod boxes;
mod build;
mod domain;
mod eval;
mod float_range;
mod integer;
mod interval;
mod lanes;
mod normal;
mod pool;
mod print;
mod rules;
mod semantics;
mod simplifier;
mod term;
mod traverse;

pub use boxes::Boxes;
pub use build::int::Linear;
pub use domain::{Contradiction, Domain};
pub use eval::{ArrayValue, Evaluator, Model, Value};
pub use integer::Integer;
pub use interval::Interval;
pub use lanes::{Grid, Search, Values, word};
pub use normal::NormalForm;
pub use pool::{Pool, Variable};
pub use rules::Rule;
pub use semantics::mask;
pub use simplifier::Simplifier;
pub use term::{
    ArraySort, BvOp, BvOrder, Conversion, FloatFormat, FloatFunction, FloatOp, FloatOrder, Node, Sort, Term, VarId,
};
