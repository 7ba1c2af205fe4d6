//! The ways to a place through loops that run any number of times (paper 5's abstract path conditions), for users.

use aback_witness::Place;

/// A way to a place in question, on which each loop runs any number of times.
#[derive(Clone, Debug)]
pub struct Way {
    /// The loops on the way.
    pub loops: Vec<Iterations>,
    /// What holds behind them, for users. What is only about types and aliases is left out.
    pub conditions: Vec<String>,
    /// Whether these conditions contradict each other, so that no execution goes this way.
    pub is_excluded: bool,
    /// What was found out about the way, in SMT-LIB: all instances of the conditions that were looked at.
    pub script: String,
}

/// The iterations of a loop on a way.
#[derive(Clone, Debug)]
pub struct Iterations {
    /// The head of the loop.
    pub place: Place,
    /// Those of each way through the loop.
    pub backbones: Vec<Along>,
}

/// The iterations along one way through a loop.
#[derive(Clone, Debug)]
pub struct Along {
    /// The name of their number.
    pub counter: String,
    /// The name of the number of those that come before one of them.
    pub before: String,
    /// What holds in each of them.
    pub conditions: Vec<String>,
    /// The loops in it.
    pub loops: Vec<Iterations>,
}
