//! Computes what any number of iterations of a loop have in common (paper 5).
//!
//! An engine executes the *backbones* of a loop once: the acyclic ways through its body, from its head back to its head,
//! on a start of which nothing is known about the variables that the loop changes. From these, [`iterate`] computes the
//! *iterated values*: the values after κ₁ iterations along the first backbone, κ₂ along the second, and so on, in any
//! order. The *path counters* κ are variables. The [`Looping`] condition is what each single iteration requires, so that
//! all executions of the loop satisfy it. A value that the rules do not find is a new variable, and is any value
//! (the paper's ★). No predicate has to become true because of it: each execution satisfies the condition with the
//! value that the variable has in it, under a negation, too (the paper, section 2.2, is right for literals only).
//!
//! Everything here implies nothing but what holds in all executions. The conditions are necessary, not sufficient.
//!
//! ```
//! use aback_logic::{Pool, Sort};
//! use aback_loops::{Backbone, Changed, Successors, iterate};
//!
//! // while (i < n) i = i + 4;
//! let mut pool = Pool::new();
//! let [n, i] = ["n", "i"].map(|name| pool.fresh_var(name, Sort::Int));
//! let (four, zero) = (pool.int(4), pool.int(0));
//! let below = pool.lt(i, n);
//! let next = pool.add(i, four);
//! let changed = [Changed { start: i, entry: zero }];
//! let backbone = Backbone { condition: vec![below], values: vec![next], inner: vec![] };
//! let looping = iterate(&mut pool, &changed, vec![backbone], &[], &mut Successors::default());
//! assert_eq!(pool.show(looping.behind()[0]), "4*κ1");
//! ```

mod dependencies;
mod instances;
mod last_written;
mod looping;
mod quantified;
mod relations;
mod successors;
mod values;
mod written;

pub use instances::{LastIterations, Unfolded, Unfolding, renew};
pub use last_written::Looked;
pub use looping::{Direction, Iterated, Looping, Position, at_most, signed};
pub use relations::{Linear, Relation, common_multiples, directions, limits, nearest_to_zero, relations};
pub use successors::Successors;
pub use written::unbounded;

use aback_logic::{BvOp, Node, Pool, Sort, Term};

/// A variable that iterations change.
#[derive(Clone, Copy, Debug)]
pub struct Changed {
    /// Its value at the start of an iteration: a variable, or a term over variables that occur nowhere else.
    pub start: Term,
    /// Its value when control reaches the loop.
    pub entry: Term,
}

/// An acyclic way through the body of a loop, from its head to its head.
#[derive(Clone, Debug)]
pub struct Backbone {
    /// The conditions under which an iteration goes this way.
    pub condition: Vec<Term>,
    /// The values of the changed variables after the iteration, in their order.
    pub values: Vec<Term>,
    /// The conditions of the loops on the way.
    pub inner: Vec<Looping>,
}

impl Backbone {
    /// Where the start of a variable is known to be a constant, writes a constant at the end as the start and a difference, as
    /// on other backbones.
    fn count_from_start(&mut self, pool: &mut Pool, changed: &[Changed]) {
        for (variable, end) in changed.iter().zip(&mut self.values) {
            let Some(start) = known_start(pool, &self.condition, variable.start) else { continue };
            *end = match pool.sort(*end) {
                Sort::Int if pool.as_int(*end).is_some() => {
                    let difference = pool.sub(*end, start);
                    pool.add(variable.start, difference)
                }
                Sort::BitVec(_) if pool.as_bits(*end).is_some() => {
                    let difference = pool.bv_sub(*end, start);
                    pool.bv_binary(BvOp::Add, variable.start, difference)
                }
                _ => continue,
            };
        }
    }
}

/// The constant that a condition says a variable is. A choice between references is no variable, so that no reference becomes a
/// sum, which no heap would take for the object it is.
fn known_start(pool: &mut Pool, condition: &[Term], start: Term) -> Option<Term> {
    if !matches!(pool.node(start), Node::Var(_)) {
        return None;
    }
    condition.iter().find_map(|&part| match *pool.node(part) {
        Node::Eq(one, other) if one == start && is_number(pool, other) => Some(other),
        Node::Eq(one, other) if other == start && is_number(pool, one) => Some(one),
        Node::EqZero(sum) => {
            let (constant, monomials) = pool.linear(sum);
            let is_start = matches!(&monomials[..], [(factor, part)] if factor.is_one() && *part == start);
            is_start.then(|| pool.integer(-&constant))
        }
        _ => None,
    })
}

fn is_number(pool: &Pool, term: Term) -> bool {
    pool.as_int(term).is_some() || pool.as_bits(term).is_some()
}

/// What iterations along these backbones have in common. `own` are the variables of an iteration besides the starts of
/// the changed variables: they have other values in each iteration. `successors` are those of all loops.
pub fn iterate(
    pool: &mut Pool,
    changed: &[Changed],
    mut backbones: Vec<Backbone>,
    own: &[Term],
    successors: &mut Successors,
) -> Looping {
    backbones.iter_mut().for_each(|backbone| backbone.count_from_start(pool, changed));
    let counters: Vec<Term> =
        (1..=backbones.len()).map(|number| pool.fresh_var(&format!("κ{number}"), Sort::Int)).collect();
    let found = values::infer(pool, changed, &backbones, &counters, own, successors);
    Looping::new(pool, changed, backbones, counters, found, own)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The iterated values of variables `a`, `b`, … that start with their own names, in order; `★` for those that no rule finds.
    /// `next` gives the values behind the backbones, from those at the start of an iteration and from `x`, which no
    /// iteration changes.
    fn iterated(count: usize, next: impl Fn(&mut Pool, &[Term], Term) -> Vec<Vec<Term>>) -> Vec<String> {
        let mut pool = Pool::new();
        let x = pool.fresh_var("x", Sort::Int);
        let named = |pool: &mut Pool, at: usize| pool.fresh_var(["a", "b", "c"][at], Sort::Int);
        let entries: Vec<Term> = (0..count).map(|at| named(&mut pool, at)).collect();
        let starts: Vec<Term> = (0..count).map(|at| named(&mut pool, at)).collect();
        let backbones = next(&mut pool, &starts, x);
        let backbones =
            backbones.into_iter().map(|values| Backbone { condition: Vec::new(), values, inner: Vec::new() }).collect();
        let changed: Vec<Changed> =
            starts.iter().zip(&entries).map(|(&start, &entry)| Changed { start, entry }).collect();
        let looping = iterate(&mut pool, &changed, backbones, &[], &mut Successors::default());
        let show = |value: &Iterated| match value {
            Iterated::Term(value) => pool.show(*value),
            _ => "★".into(),
        };
        looping.values().iter().map(show).collect()
    }

    /// Paper 5, section 1: `i` grows on both backbones, `k` on one.
    #[test]
    fn the_running_example() {
        let found = iterated(2, |pool, starts, _| {
            let one = pool.int(1);
            let [i, k] = [0, 1].map(|at| pool.add(starts[at], one));
            vec![vec![i, k], vec![i, starts[1]]]
        });
        assert_eq!(found, ["a + κ1 + κ2", "b + κ1"]);
    }

    /// Paper 5, section 3.2: `for (i = 0; i < m; ++i) { j = i; while (j < n) ++j; }`, where `j` is `max(n, i)` behind each
    /// iteration.
    #[test]
    fn nested_loops_with_max() {
        let mut pool = Pool::new();
        let [m, n, i, j, here, zero] = ["m", "n", "i", "j", "j'", "j0"].map(|name| pool.fresh_var(name, Sort::Int));
        let one = pool.int(1);
        let condition = vec![pool.lt(here, n)];
        let next = Backbone { condition, values: vec![pool.add(here, one)], inner: vec![] };
        let inner =
            iterate(&mut pool, &[Changed { start: here, entry: i }], vec![next], &[], &mut Successors::default());
        let behind = inner.behind()[0];
        let condition = vec![pool.lt(i, m), pool.le(n, behind)];
        let mut outer = Backbone { condition, values: vec![pool.add(i, one), behind], inner: vec![inner] };
        let changed = [Changed { start: i, entry: Pool::ZERO }, Changed { start: j, entry: zero }];
        let own = [outer.iterations(&mut pool, 0)];
        let values = |pool: &mut Pool, backbone: &Backbone| {
            let looping = iterate(pool, &changed, vec![backbone.clone()], &own, &mut Successors::default());
            let counter = pool.show(looping.counters()[0]);
            looping
                .values()
                .iter()
                .map(|value| match value {
                    Iterated::Term(value) => pool.show(*value).replace(&counter, "κ"),
                    _ => "★".into(),
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(values(&mut pool, &outer), ["κ", "★"]);
        let possible = outer.possible_iterations(&mut pool, 0);
        let shown: Vec<String> = possible.iter().map(|&count| pool.show(count)).collect();
        assert_eq!(shown, ["n - i"]);
        outer.set_iterations(&mut pool, 0, possible[0]);
        assert_eq!(values(&mut pool, &outer), ["κ", "(1 <= κ) ? ((κ <= n) ? n : (κ - 1)) : j0"]);
    }

    #[test]
    fn values_that_are_set() {
        // Rule 3: the same value on some backbones.
        let found = iterated(1, |_, starts, x| vec![vec![x], vec![x], vec![starts[0]]]);
        assert_eq!(found, ["(1 <= κ1 + κ2) ? x : a"]);
        // Rule 4: a value that depends on the number of iterations along the only backbone that sets it.
        let found = iterated(2, |pool, starts, _| {
            let one = pool.int(1);
            vec![vec![pool.add(starts[0], one), starts[0]]]
        });
        assert_eq!(found, ["a + κ1", "(1 <= κ1) ? (a + κ1 - 1) : b"]);
        // The order of two backbones is not known.
        let found = iterated(2, |pool, starts, _| {
            let one = pool.int(1);
            let next = pool.add(starts[0], one);
            vec![vec![next, starts[0]], vec![next, starts[1]]]
        });
        assert_eq!(found, ["a + κ1 + κ2", "★"]);
        // Two values, and a step that changes.
        assert_eq!(iterated(1, |pool, _, x| vec![vec![x], vec![pool.int(0)]]), ["★"]);
        assert_eq!(iterated(2, |pool, starts, _| vec![vec![starts[0], pool.add(starts[0], starts[1])]])[1], "★");
    }
}
