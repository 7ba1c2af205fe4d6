//! Forward symbolic execution.
//!
//! [`explore`] starts at an entry point with any input and follows all paths until a violation is confirmed, all paths
//! are covered, or a bound is hit. A [`State`] is frames, heap and path condition, cheap to fork. A value is concrete or a
//! term; operations on concrete values build no terms and ask no solver, so that a program with few symbolic inputs runs
//! near an interpreter's speed. Paths fork at branches and at traps, and only where both ways are possible.
//!
//! What an operation means is told by its lowered form ([`aback_lower`]), whose steps this crate executes; operations on concrete values
//! are done in one go.
//!
//! What an exploration does not cover is in [`aback_symbolic::Exploration::gaps`]: with none, the absence of a violation is a proof.

mod arrays;
mod calls;
mod concrete;
mod config;
mod directed;
mod engine;
mod frontier;
mod join;
mod state;
mod step;
mod terminators;
mod traps;

pub use config::{Config, HeapKind, Merging, Pruning, Search};
pub use engine::{explore, explore_with};
pub use state::{Frame, State};
