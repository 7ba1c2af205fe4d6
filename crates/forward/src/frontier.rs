//! Stores the states that wait for execution.

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
    /// In any order.
    Random(Vec<State<H>>, fastrand::Rng),
    /// Least rank first; among equals, first in, first out.
    Ranked {
        /// Ranks with keys of `states`.
        queue: BinaryHeap<Reverse<(u64, u64)>>,
        /// The states, numbered by arrival.
        states: rustc_hash::FxHashMap<u64, State<H>>,
        /// The number of the next state.
        arrivals: u64,
    },
}

impl<H> Frontier<H> {
    /// An empty frontier.
    pub fn new(search: Search) -> Self {
        Self::seeded(search, 0)
    }

    /// An empty frontier. `seed` is where pseudorandom numbers start.
    pub fn seeded(search: Search, seed: u64) -> Self {
        match search {
            Search::Breadth => Frontier::Breadth(VecDeque::new()),
            Search::Depth => Frontier::Depth(Vec::new()),
            Search::Random => Frontier::Random(Vec::new(), fastrand::Rng::with_seed(seed)),
            Search::Directed | Search::Coverage => {
                Frontier::Ranked { queue: BinaryHeap::new(), states: Default::default(), arrivals: 0 }
            }
        }
    }

    /// Adds a state. `rank` computes the state's rank; it is called only if that matters.
    pub fn push(&mut self, state: State<H>, rank: impl FnOnce(&State<H>) -> u64) {
        match self {
            Frontier::Breadth(states) => states.push_back(state),
            Frontier::Depth(states) | Frontier::Random(states, _) => states.push(state),
            Frontier::Ranked { queue, states, arrivals } => {
                queue.push(Reverse((rank(&state), *arrivals)));
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
            Frontier::Random(states, random) => {
                (!states.is_empty()).then(|| states.swap_remove(random.usize(..states.len())))
            }
            Frontier::Ranked { queue, states, .. } => {
                let Reverse((_, number)) = queue.pop()?;
                states.remove(&number)
            }
        }
    }

    /// Removes every second state, in the order of the search, and returns the removed ones.
    pub fn split(&mut self) -> Frontier<H> {
        match self {
            Frontier::Breadth(states) => {
                let (kept, removed) = halves(std::mem::take(states));
                *states = kept;
                Frontier::Breadth(removed)
            }
            Frontier::Depth(states) => {
                let (kept, removed) = halves(std::mem::take(states));
                *states = kept;
                Frontier::Depth(removed)
            }
            Frontier::Random(states, random) => {
                let (kept, removed) = halves(std::mem::take(states));
                *states = kept;
                Frontier::Random(removed, random.clone())
            }
            Frontier::Ranked { queue, states, arrivals } => {
                let order = std::mem::take(queue).into_sorted_vec();
                let (kept, removed): (Vec<_>, Vec<_>) = halves(order.into_iter().rev());
                let removed_states = removed.iter().filter_map(|Reverse((_, number))| states.remove_entry(number));
                let removed_states = removed_states.collect();
                *queue = kept.into();
                Frontier::Ranked { queue: removed.into(), states: removed_states, arrivals: *arrivals }
            }
        }
    }

    /// Adds the states of another frontier of the same search behind its own. States with ranks keep them.
    pub fn append(&mut self, other: Frontier<H>) {
        match other {
            Frontier::Breadth(others) => others.into_iter().for_each(|state| self.push(state, |_| 0)),
            Frontier::Depth(others) | Frontier::Random(others, _) => {
                others.into_iter().for_each(|state| self.push(state, |_| 0));
            }
            Frontier::Ranked { queue, states: mut others, .. } => {
                for Reverse((rank, number)) in queue.into_sorted_vec().into_iter().rev() {
                    if let Some(state) = others.remove(&number) {
                        self.push(state, |_| rank);
                    }
                }
            }
        }
    }

    /// The waiting states. The order is the same for frontiers that have got the same states in the same order.
    pub fn states(&self) -> Vec<&State<H>> {
        match self {
            Frontier::Breadth(states) => states.iter().collect(),
            Frontier::Depth(states) | Frontier::Random(states, _) => states.iter().collect(),
            Frontier::Ranked { states, .. } => {
                let mut numbered: Vec<_> = states.iter().collect();
                numbered.sort_unstable_by_key(|&(number, _)| number);
                numbered.into_iter().map(|(_, state)| state).collect()
            }
        }
    }

    /// All waiting states, in the order of the search.
    pub fn into_states(mut self) -> impl Iterator<Item = State<H>> {
        std::iter::from_fn(move || self.pop())
    }

    /// Number of waiting states.
    pub fn len(&self) -> usize {
        match self {
            Frontier::Breadth(states) => states.len(),
            Frontier::Depth(states) | Frontier::Random(states, _) => states.len(),
            Frontier::Ranked { states, .. } => states.len(),
        }
    }
}

/// Every second element, beginning with the first one, and the others.
fn halves<T, C: FromIterator<T>>(elements: impl IntoIterator<Item = T>) -> (C, C) {
    let (first, second): (Vec<_>, Vec<_>) = elements.into_iter().enumerate().partition(|(index, _)| index % 2 == 0);
    let plain = |numbered: Vec<(usize, T)>| numbered.into_iter().map(|(_, element)| element).collect();
    (plain(first), plain(second))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Frame;
    use aback_heap::Combined;
    use aback_ir::MethodId;
    use aback_smt::PathCondition;

    /// Adds states with these ranks and returns their indices in the order in which they are taken out.
    fn order(search: Search, distances: &[u64]) -> Vec<u64> {
        let mut frontier: Frontier<Combined> = Frontier::seeded(search, 7);
        for (place, &distance) in (0u64..).zip(distances) {
            let mut state = State::new(Frame::new(MethodId(0), Vec::new(), None), PathCondition::new(), None);
            state.depth = place;
            frontier.push(state, |_| distance);
        }
        assert_eq!(frontier.len(), distances.len());
        let order = std::iter::from_fn(|| frontier.pop().map(|state| state.depth)).collect();
        assert_eq!(frontier.len(), 0);
        order
    }

    #[test]
    fn orders_of_search() {
        let distances = [5, 1, 3, 1];
        assert_eq!(order(Search::Breadth, &distances), [0, 1, 2, 3]);
        assert_eq!(order(Search::Depth, &distances), [3, 2, 1, 0]);
        assert_eq!(order(Search::Directed, &distances), [1, 3, 2, 0]);
        assert_eq!(order(Search::Coverage, &distances), [1, 3, 2, 0]);
        let mut random = order(Search::Random, &[0; 50]);
        assert_eq!(random, order(Search::Random, &[0; 50]));
        assert!(!random.is_sorted());
        random.sort_unstable();
        assert!(random.into_iter().eq(0..50));
    }
}
