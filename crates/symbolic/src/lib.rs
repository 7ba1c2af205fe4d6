//! What symbolic execution needs in either direction, so that no engine knows the other.
//!
//! An engine is asked a [`Query`] and keeps to [`Limits`]; it claims an [`Exploration`]: a [`Candidate`] for a violation,
//! which counts once a concrete run has confirmed it ([`Replay`]), and [`Gap`]s, the reasons why not all executions are
//! covered. [`expr`] gives the values of a program's pure expressions: concrete where they can be, terms otherwise.
//! [`inputs`] reads the inputs of a program off a solver's model.

mod claim;
pub mod expr;
pub mod inputs;
mod limits;
pub mod number;
mod query;

pub use claim::{Candidate, Exploration, Fault, Gap, Replay, Work};
pub use limits::{Limits, Progress};
pub use query::{Query, Uncaught};
