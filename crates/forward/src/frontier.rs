//! States that wait for their turn.

use crate::config::Search;
use crate::state::State;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The waiting states, in the order of a [`Search`].
pub enum Frontier<H> {
    /// First in, first out.
    Breadth(VecDeque<State<H>>),
    /// Last in, first out.
    Depth(Vec<State<H>>),
    /// Least distance first; among equals, first in, first out.
    Directed {
        /// Distances with positions in `states`.
        queue: BinaryHeap<Reverse<(u64, u64)>>,
        /// The states by their number of arrival.
        states: rustc_hash::FxHashMap<u64, State<H>>,
        /// Number of the next arrival.
        arrivals: u64,
    },
}

impl<H> Frontier<H> {
    /// No states.
    pub fn new(search: Search) -> Self {
        match search {
            Search::Breadth => Frontier::Breadth(VecDeque::new()),
            Search::Depth => Frontier::Depth(Vec::new()),
            Search::Directed => {
                Frontier::Directed { queue: BinaryHeap::new(), states: Default::default(), arrivals: 0 }
            }
        }
    }

    /// Adds a state; `distance` is asked for where it matters: how far the state is from what is looked for.
    pub fn push(&mut self, state: State<H>, distance: impl FnOnce(&State<H>) -> u64) {
        match self {
            Frontier::Breadth(states) => states.push_back(state),
            Frontier::Depth(states) => states.push(state),
            Frontier::Directed { queue, states, arrivals } => {
                queue.push(Reverse((distance(&state), *arrivals)));
                states.insert(*arrivals, state);
                *arrivals += 1;
            }
        }
    }

    /// Takes the next state.
    pub fn pop(&mut self) -> Option<State<H>> {
        match self {
            Frontier::Breadth(states) => states.pop_front(),
            Frontier::Depth(states) => states.pop(),
            Frontier::Directed { queue, states, .. } => {
                let Reverse((_, number)) = queue.pop()?;
                states.remove(&number)
            }
        }
    }

    /// Number of waiting states.
    pub fn len(&self) -> usize {
        match self {
            Frontier::Breadth(states) => states.len(),
            Frontier::Depth(states) => states.len(),
            Frontier::Directed { states, .. } => states.len(),
        }
    }
}
