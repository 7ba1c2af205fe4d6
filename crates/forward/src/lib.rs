//! Executes programs symbolically, forward from an entry point.
//!
//! [`explore`] starts at an entry point with any input and follows all paths until a violation is confirmed, all paths
//! are covered, or a bound is reached. A [`State`] consists of frames, a heap and a path condition, and is cheap to
//! fork. A value is concrete or a term. Operations on concrete values build no terms and make no solver queries, so
//! that a program with few symbolic inputs runs almost as fast as in an interpreter. Paths fork at branches and at
//! traps, and only where both sides are possible.
//!
//! The lowered form of an operation ([`aback_lower`]) defines its meaning. This crate executes the steps of the lowered
//! form, and operations on concrete values directly.
//!
//! [`aback_symbolic::Exploration::gaps`] lists what an exploration does not cover. Without gaps, the absence of a
//! violation is a proof.

mod access;
mod ahead;
mod arrays;
mod calls;
mod concrete;
mod config;
mod directed;
mod engine;
mod feasibility;
mod frontier;
mod iterations;
mod join;
mod loops;
mod pruning;
mod regions;
mod sharing;
mod start;
mod state;
mod step;
mod subsumption;
mod terminators;
mod traps;

pub use config::{Choices, Config, HeapKind, LoopConditions, Loops, Merging, Pruning, Search, Subsumption};
pub use engine::{Listeners, ValidInputs, explore, explore_and_tell, explore_with};
pub use iterations::Iterations;
pub use sharing::{Share, Sharing};
pub use state::{Frame, State};
