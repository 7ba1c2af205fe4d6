//! Finds how often the loops on a backbone run, from the values at its start (paper 5, section 3.3).
//!
//! The paper asks a solver for the factors of a linear term. Here, the exit condition of the inner loop gives it: after all
//! iterations together, a linear condition says that their number is at least some term, and mostly it is not greater.
//! Whoever asks has to prove that.

use crate::Backbone;
use crate::looping::{Iterated, Looping, signed};
use aback_logic::{BvOp, BvOrder, Conversion, Integer, Node, Pool, Sort, Term};

impl Backbone {
    /// The number of all iterations of a loop on the way.
    pub fn iterations(&self, pool: &mut Pool, inner: usize) -> Term {
        let zero = pool.int(0);
        self.inner[inner].counters().iter().fold(zero, |sum, &counter| pool.add(sum, counter))
    }

    /// Terms to which the number of all iterations of a loop on the way may be equal in all executions along this backbone, if
    /// these are not negative, and 0 otherwise.
    pub fn possible_iterations(&self, pool: &mut Pool, inner: usize) -> Vec<Term> {
        let inner = &self.inner[inner];
        let own = pool.free_variables(inner.counters());
        let mut found = Vec::new();
        for &condition in &self.condition {
            for term in not_positive(pool, condition) {
                let known = inner.exact_values(pool);
                let term = pool.substitute(term, &known);
                let Some(least) = least_sum(pool, term, inner.counters()) else { continue };
                let is_free = pool.free_variables(&[least]).iter().all(|variable| !own.contains(variable));
                if is_free && !found.contains(&least) {
                    found.push(least);
                }
            }
        }
        found
    }

    /// States that the number of all iterations of a loop on the way is `least`, or 0 if this is negative. Where the values
    /// depend on this number only, they become terms without the path counters of that loop.
    pub fn set_iterations(&mut self, pool: &mut Pool, inner: usize, least: Term) {
        let some = self.values_after(pool, inner, least);
        let none = self.values_after(pool, inner, Pool::ZERO);
        let is_some = pool.lt(Pool::ZERO, least);
        self.values = some.into_iter().zip(none).map(|(some, none)| pool.ite(is_some, some, none)).collect();
    }

    /// The values if a loop on the way has so many iterations.
    fn values_after(&self, pool: &mut Pool, inner: usize, count: Term) -> Vec<Term> {
        let inner = &self.inner[inner];
        let Some((&first, others)) = inner.counters().split_first() else { return self.values.clone() };
        let rest = others.iter().fold(count, |rest, &other| pool.sub(rest, other));
        let mut pairs = vec![(first, rest)];
        for ((variable, value), &behind) in inner.changed().iter().zip(inner.values()).zip(inner.behind()) {
            if let (Iterated::Exact(sum), Sort::BitVec(width)) = (value, pool.sort(behind)) {
                let entry = signed(pool, variable.entry);
                let step = pool.sub(*sum, entry);
                let step = pool.substitute(step, &[(first, rest)]);
                let step = pool.convert(Conversion::IntToBv(width), step);
                pairs.push((behind, pool.bv_binary(BvOp::Add, variable.entry, step)));
            }
        }
        self.values.iter().map(|&value| pool.substitute(value, &pairs)).collect()
    }
}

impl Looping {
    /// The signed values of machine integers behind the loop, as sums over the path counters.
    fn exact_values(&self, pool: &mut Pool) -> Vec<(Term, Term)> {
        let values = self.values().iter().zip(self.behind());
        let exact = values.filter_map(|(value, &behind)| match *value {
            Iterated::Exact(sum) => Some((signed(pool, behind), sum)),
            _ => None,
        });
        exact.collect()
    }
}

/// Integers that are not positive where a condition holds.
fn not_positive(pool: &mut Pool, condition: Term) -> Vec<Term> {
    let difference = |pool: &mut Pool, low: Term, high: Term, strict: bool| {
        let (low, high) = (signed(pool, low), signed(pool, high));
        let difference = pool.sub(low, high);
        let least = pool.int(i64::from(strict));
        pool.add(difference, least)
    };
    let both = |pool: &mut Pool, term: Term| vec![term, pool.neg(term)];
    match *pool.node(condition) {
        Node::LeZero(term) => vec![term],
        Node::EqZero(term) => both(pool, term),
        Node::BvCompare(BvOrder::SLe, a, b) => vec![difference(pool, a, b, false)],
        Node::BvCompare(BvOrder::SLt, a, b) => vec![difference(pool, a, b, true)],
        Node::Eq(a, b) if matches!(pool.sort(a), Sort::BitVec(_)) => {
            let term = difference(pool, a, b, false);
            both(pool, term)
        }
        Node::Not(inner) => match *pool.node(inner) {
            Node::BvCompare(BvOrder::SLe, a, b) => vec![difference(pool, b, a, true)],
            Node::BvCompare(BvOrder::SLt, a, b) => vec![difference(pool, b, a, false)],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// What the sum of some variables is at least where a term is not positive, if the term is a sum of others, less a multiple of
/// that sum.
fn least_sum(pool: &mut Pool, term: Term, variables: &[Term]) -> Option<Term> {
    let (_, monomials) = pool.linear(term);
    let factor =
        |variable: &Term| monomials.iter().find(|(_, part)| part == variable).map(|(factor, _)| factor.clone());
    let factors: Option<Vec<Integer>> = variables.iter().map(factor).collect();
    let factors = factors?;
    let first = factors.first().filter(|first| first.signum() < 0)?;
    if factors.iter().any(|factor| factor != first) {
        return None;
    }
    // others - times * sum <= 0, so that the sum is at least others / times, rounded up.
    let times = -first;
    let sum = variables.iter().fold(Pool::ZERO, |sum, &variable| pool.add(sum, variable));
    let product = pool.scale(&times, sum);
    let others = pool.add(term, product);
    if times.is_one() {
        return Some(others);
    }
    let rounding = pool.integer(&times - &Integer::ONE);
    let others = pool.add(others, rounding);
    let times = pool.integer(times);
    Some(pool.int_div(others, times))
}
