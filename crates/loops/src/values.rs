//! Finds the values of variables after any number of iterations (paper 5, section 3.1).

use crate::successors::{Successor, Successors};
use crate::{Backbone, Changed};
use aback_logic::{BvOp, Conversion, Node, Pool, Sort, Term};
use rustc_hash::FxHashSet;

/// What is found about the changed variables, in their order.
pub(crate) struct Found {
    /// The iterated values, over the path counters; `None` where the rules find none.
    pub(crate) values: Vec<Option<Term>>,
    /// The steps, where they are the same in all iterations.
    pub(crate) steps: Vec<Option<Steps>>,
    /// The sequences that variables follow.
    pub(crate) followed: Vec<Option<Successor>>,
}

/// What the rules find about the changed variables.
pub(crate) fn infer(
    pool: &mut Pool,
    changed: &[Changed],
    backbones: &[Backbone],
    counters: &[Term],
    own: &[Term],
    successors: &mut Successors,
) -> Found {
    let starts: Vec<Term> = changed.iter().map(|variable| variable.start).collect();
    let variables: FxHashSet<_> = pool.free_variables(&[&starts[..], own].concat()).into_iter().collect();
    let is_constant =
        |pool: &Pool, term: Term| pool.free_variables(&[term]).iter().all(|variable| !variables.contains(variable));
    let mut found: Vec<Option<Term>> = vec![None; changed.len()];
    let mut all_steps = vec![None; changed.len()];
    let mut followed = vec![None; changed.len()];
    for (at, variable) in changed.iter().enumerate() {
        let ends: Vec<Term> = backbones.iter().map(|backbone| backbone.values[at]).collect();
        all_steps[at] = steps(pool, variable, &ends, is_constant);
        found[at] = match &all_steps[at] {
            Some(steps) => Some(stepped(pool, variable, steps, counters)),
            None => set_once(pool, variable, &ends, counters, is_constant),
        };
        if found[at].is_none()
            && let Some(successor) = successors.follow(pool, variable, &ends, counters, is_constant)
        {
            found[at] = Some(pool.select(successor.sequence, successor.count));
            followed[at] = Some(successor);
        }
    }
    // What the fourth rule finds can be what it needs for another variable.
    loop {
        let before = found.clone();
        for (at, variable) in changed.iter().enumerate().filter(|(at, _)| before[*at].is_none()) {
            let ends: Vec<Term> = backbones.iter().map(|backbone| backbone.values[at]).collect();
            let known: Vec<(Term, Term)> =
                starts.iter().zip(&before).filter_map(|(&start, value)| Some((start, (*value)?))).collect();
            found[at] = set_along_one(pool, variable, &ends, (counters, &known), is_constant);
        }
        if found == before {
            return Found { values: found, steps: all_steps, followed };
        }
    }
}

/// What each backbone adds to a variable; `None` if it does not change it.
pub(crate) type Steps = Vec<Option<Term>>;

/// The steps of a variable, if they are the same in all iterations (rules 1 and 2).
fn steps(
    pool: &mut Pool,
    variable: &Changed,
    ends: &[Term],
    is_constant: impl Fn(&Pool, Term) -> bool,
) -> Option<Steps> {
    ends.iter()
        .map(|&end| match end == variable.start {
            true => Some(None),
            false => difference(pool, end, variable.start).filter(|&step| is_constant(pool, step)).map(Some),
        })
        .collect()
}

/// Rules 1 and 2: the value after steps. Of machine integers, this is exact, because sums and products modulo 2^n are.
fn stepped(pool: &mut Pool, variable: &Changed, steps: &Steps, counters: &[Term]) -> Term {
    let mut value = variable.entry;
    for (step, &counter) in steps.iter().zip(counters) {
        let Some(step) = *step else { continue };
        value = match pool.sort(step) {
            Sort::BitVec(width) => {
                // A negative step is the negation of a product, so that no factor is near 2^n.
                let count = pool.convert(Conversion::IntToBv(width), counter);
                match pool.as_bits(step) {
                    Some(bits) if bits >> (width - 1) & 1 == 1 => {
                        let opposite = pool.bv_neg(step);
                        let product = pool.bv_binary(BvOp::Mul, count, opposite);
                        pool.bv_sub(value, product)
                    }
                    _ => {
                        let product = pool.bv_binary(BvOp::Mul, count, step);
                        pool.bv_binary(BvOp::Add, value, product)
                    }
                }
            }
            _ => {
                let product = pool.mul(step, counter);
                pool.add(value, product)
            }
        };
    }
    value
}

/// `end - start` as a term in which `start` does not occur as an addend. `None` if it has no such form.
pub(crate) fn difference(pool: &mut Pool, end: Term, start: Term) -> Option<Term> {
    match pool.sort(end) {
        Sort::Int => {
            let difference = pool.sub(end, start);
            let (_, monomials) = pool.linear(end);
            monomials.iter().any(|(factor, part)| *part == start && factor.is_one()).then_some(difference)
        }
        Sort::BitVec(width) => {
            let mut addends = Vec::new();
            let mut pending = vec![end];
            while let Some(term) = pending.pop() {
                match *pool.node(term) {
                    Node::BvBinary(BvOp::Add, a, b) => pending.extend([a, b]),
                    _ => addends.push(term),
                }
            }
            let at = addends.iter().position(|&addend| addend == start)?;
            addends.swap_remove(at);
            let zero = pool.bv(width, 0);
            Some(addends.into_iter().fold(zero, |sum, addend| pool.bv_binary(BvOp::Add, sum, addend)))
        }
        _ => None,
    }
}

/// Rule 3: some backbones set it to the same value, which is the same in all iterations.
fn set_once(
    pool: &mut Pool,
    variable: &Changed,
    ends: &[Term],
    counters: &[Term],
    is_constant: impl Fn(&Pool, Term) -> bool,
) -> Option<Term> {
    let mut changes = ends.iter().zip(counters).filter(|(end, _)| **end != variable.start);
    let value = *ends.iter().find(|end| **end != variable.start)?;
    if !is_constant(pool, value) || changes.clone().any(|(&end, _)| end != value) {
        return None;
    }
    let sum = changes.try_fold(pool.int(0), |sum, (_, &counter)| Some(pool.add(sum, counter)))?;
    Some(after_some(pool, sum, value, variable.entry))
}

/// Rule 4: one backbone sets it to a value that depends only on the number of iterations along this backbone.
fn set_along_one(
    pool: &mut Pool,
    variable: &Changed,
    ends: &[Term],
    (counters, known): (&[Term], &[(Term, Term)]),
    is_constant: impl Fn(&Pool, Term) -> bool,
) -> Option<Term> {
    let mut setting = ends.iter().zip(counters).filter(|(end, _)| **end != variable.start);
    let (&value, &counter) = setting.next()?;
    if setting.next().is_some() {
        return None;
    }
    let value = pool.substitute(value, known);
    let others = counters.iter().filter(|&&other| other != counter);
    let others: FxHashSet<_> = pool.free_variables(&others.copied().collect::<Vec<_>>()).into_iter().collect();
    if !is_constant(pool, value) || pool.free_variables(&[value]).iter().any(|variable| others.contains(variable)) {
        return None;
    }
    // The last iteration along the backbone is preceded by one less.
    let one = pool.int(1);
    let before = pool.sub(counter, one);
    let value = pool.substitute(value, &[(counter, before)]);
    Some(after_some(pool, counter, value, variable.entry))
}

/// A value after at least one iteration, another before.
fn after_some(pool: &mut Pool, count: Term, value: Term, before: Term) -> Term {
    let zero = pool.int(0);
    let some = pool.lt(zero, count);
    pool.ite(some, value, before)
}
