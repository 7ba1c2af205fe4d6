//! What symbolic execution needs in either direction, so that no engine knows the other.
//!
//! An engine is asked a [`Query`] and keeps to a [`Budget`]; it claims an [`Exploration`]: a [`Candidate`] for a violation,
//! which counts once a concrete run has confirmed it ([`Replay`]), and [`Gap`]s, the reasons why not all executions are
//! covered. [`expr`] gives the values of a program's pure expressions: concrete where they can be, terms otherwise; [`pure`] those of
//! what the lowered form computes.
//! [`inputs`] reads the inputs of a program off a solver's model.

mod budget;
mod claim;
pub mod expr;
pub mod inputs;
pub mod number;
pub mod pure;
mod query;

pub use budget::{Budget, Clock, Progress};
pub use claim::{Candidate, Exploration, Fault, Gap, Replay, Work};
pub use query::{Focus, Query, Uncaught};
