//! Walks along lists: the value after some iterations is a successor of the first one.

use crate::Changed;
use aback_logic::{Node, Pool, Sort, Term};
use rustc_hash::FxHashMap;

/// The sequences that were followed, by what leads from one member to the next, and by the first one. Two walks from the same
/// start along the same links go through the same sequence.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    known: FxHashMap<(Term, Term), Term>,
}

/// A variable that is the member of a sequence whose number is the number of some iterations: `n` in `n = n.next`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successor {
    /// The sequence, as an array over integers. What it contains at negative numbers means nothing.
    pub(crate) sequence: Term,
    /// What leads from one member to the next, as an array over the members.
    pub(crate) links: Term,
    /// The first member.
    pub(crate) first: Term,
    /// The number of iterations that go on to the next one, over the path counters.
    pub(crate) count: Term,
}

impl Successors {
    /// The sequence that a variable follows: along each backbone, it goes on to the next member by links that no iteration
    /// changes, or stays where it is.
    pub(crate) fn follow(
        &mut self,
        pool: &mut Pool,
        variable: &Changed,
        ends: &[Term],
        counters: &[Term],
        is_constant: impl Fn(&Pool, Term) -> bool,
    ) -> Option<Successor> {
        let mut links = None;
        let mut count = Pool::ZERO;
        for (&end, &counter) in ends.iter().zip(counters) {
            if end == variable.start {
                continue;
            }
            match *pool.node(end) {
                Node::Select(array, from) if from == variable.start && links.is_none_or(|links| links == array) => {
                    links = Some(array);
                    count = pool.add(count, counter);
                }
                _ => return None,
            }
        }
        let links = links.filter(|&links| is_constant(pool, links))?;
        let first = variable.entry;
        let sequence = *self.known.entry((links, first)).or_insert_with(|| {
            let sort = pool.sort(first);
            let sort = pool.array_sort(Sort::Int, sort);
            pool.fresh_var("successor", sort)
        });
        Some(Successor { sequence, links, first, count })
    }
}

impl Successor {
    /// What holds of the first member, and of the one with this number and the next one.
    pub(crate) fn facts(&self, pool: &mut Pool, number: Term) -> [Term; 2] {
        let one = pool.int(1);
        let next = pool.add(number, one);
        let [first, here, next] = [Pool::ZERO, number, next].map(|number| pool.select(self.sequence, number));
        let linked = pool.select(self.links, here);
        let is_next = pool.eq(next, linked);
        let is_before = pool.lt(number, Pool::ZERO);
        [pool.eq(first, self.first), pool.or(is_before, is_next)]
    }

    /// The same with terms replaced.
    pub(crate) fn substituted(&self, pool: &mut Pool, pairs: &[(Term, Term)]) -> Successor {
        let mut one = |term| pool.substitute(term, pairs);
        Successor {
            sequence: one(self.sequence),
            links: one(self.links),
            first: one(self.first),
            count: one(self.count),
        }
    }
}
