//! Provides what both engines of symbolic execution need, so that neither depends on the other.
//!
//! An engine answers a [`Query`] within a [`Budget`]. Its answer is an [`Exploration`]: a [`Candidate`] for a
//! violation, which counts once a concrete run has confirmed it ([`Replay`]), and [`Gap`]s, the reasons why not all
//! executions are covered. [`expr`] evaluates a program's pure expressions, to concrete values if possible, otherwise
//! to terms; [`pure`] evaluates the pure computations of the lowered form. [`inputs`] extracts the inputs of a program
//! from a solver's model.

mod budget;
mod claim;
pub mod expr;
pub mod inputs;
pub mod number;
pub mod pure;
mod query;
mod slice;
mod way;

pub use budget::{Budget, Clock, Progress};
pub use claim::{BackwardWork, Candidate, Exploration, Fault, Gap, Replay, Trace, Work};
pub use query::{Focus, Query, Uncaught};
pub use slice::Slice;
pub use way::{Along, Iterations, Way};
