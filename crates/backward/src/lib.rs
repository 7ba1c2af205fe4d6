//! Backward symbolic execution: from what is asked back to the entry point.
//!
//! [`explore`] unwinds the part of a program that a query is about into an acyclic [`Graph`] and carries the condition under
//! which the query's target is reached from there to the entry point (paper 1, figures 1 to 5), in one of several ways
//! ([`Variant`]). The condition at the entry point is about inputs: a model of it is a counterexample. Loops and recursions
//! are unwound to a bound that grows until it is not reached any more: then the absence of a model is a proof.

mod conditions;
mod config;
mod explore;
mod graph;
mod paths;
mod points;
mod solve;
mod unwind;
mod walk;

pub use conditions::Condition;
pub use config::{Config, Encoding, Variant};
pub use explore::{Findings, explore};
pub use graph::{Cell, Given, Graph, Leaf, Node, NodeId, Object, Step};
pub use points::{PointSet, Points};
