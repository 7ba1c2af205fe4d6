//! Backward symbolic execution from a target to the entry point.
//!
//! [`explore`] unwinds the part of a program that is relevant to a query into an acyclic [`Graph`]. It then carries
//! the condition under which the query's target is reached back to the entry point (paper 1, figures 1 to 5), with
//! one of several strategies ([`Variant`]). The condition at the entry point is over the inputs: its models are
//! counterexamples. Loops and recursions are unwound to a bound that grows until no execution reaches it. Then the
//! absence of a model is a proof.

mod conditions;
mod config;
mod explore;
mod graph;
mod learned;
mod paths;
mod points;
mod readable;
mod solve;
mod trail;
mod unwind;
mod walk;

pub use conditions::Condition;
pub use config::{Config, Encoding, Variant};
pub use explore::{Findings, explore};
pub use graph::{Cell, Given, Graph, Leaf, Node, NodeId, Object, Step};
pub use points::{PointSet, Points};
pub use trail::{Stop, Trail};
