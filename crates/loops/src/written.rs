//! What is known of the elements of arrays that iterations write.

use crate::looping::{Iterated, Looping, Position, signed};
use crate::{Backbone, is_number, known_start};
use aback_logic::{BvOp, Integer, Node, Pool, Sort, Term};

/// Most operations of an index.
const MOST_OPERATIONS: usize = 32;

/// The place in an array between the elements that have their last values and those that have their first ones, before
/// an iteration.
#[derive(Clone, Debug)]
pub(crate) struct Border {
    /// An index, as an integer over the path counters.
    pub(crate) index: Term,
    /// Whether the elements below the index have their last values, and the others their first ones. Otherwise, those
    /// above it have.
    pub(crate) is_upward: bool,
    /// Whether each iteration writes at most the element at the index, and moves the index by one.
    is_dense: bool,
    /// Whether iterations write all elements that they pass by: each one as many as it moves the index.
    is_complete: bool,
}

/// A write to an array.
struct Write {
    backbone: usize,
    /// The index, as an integer over the path counters.
    index: Term,
}

impl Looping {
    /// The indices of the elements that iterations write, each with the backbone.
    pub fn written_indices(&self, pool: &Pool) -> Vec<(usize, Term)> {
        let arrays = 0..self.changed.len();
        let indices = arrays.flat_map(|array| {
            (0..self.backbones.len()).filter_map(move |backbone| Some((backbone, self.writes(pool, array, backbone)?)))
        });
        indices.flat_map(|(backbone, indices)| indices.into_iter().map(move |index| (backbone, index))).collect()
    }

    /// States that the signed value of the index of an element that is written is a sum, without wrap-around.
    pub fn set_sum(&mut self, index: Term, sum: Term) {
        self.sums.push((index, sum));
    }

    /// The indices of the elements that a backbone writes, the last one first. `None` if it does something else with the array.
    pub(crate) fn writes(&self, pool: &Pool, array: usize, backbone: usize) -> Option<Vec<Term>> {
        let start = self.changed[array].start;
        let mut indices = Vec::new();
        let mut value = self.backbones[backbone].values[array];
        while value != start {
            let Node::Store(inner, index, _) = *pool.node(value) else { return None };
            indices.push(index);
            value = inner;
        }
        Some(indices)
    }

    /// The border of an array before an iteration, if all iterations write elements further up than all earlier ones, or
    /// further down. No iteration but the one that writes an element changes it, so that an element that has been passed by
    /// has its last value, and any other its first one.
    ///
    /// The indices are sums over values of which formulas over the counters are known, and each iteration changes them by
    /// constants. So they go up if no backbone takes anything from them, and each that writes adds more than the distance
    /// of the elements that it writes from the lowest one that any would write in its place.
    pub(crate) fn border(&self, pool: &mut Pool, array: usize) -> Option<Border> {
        if !matches!(pool.sort(self.changed[array].start), Sort::Array(_)) {
            return None;
        }
        let writes = self.integer_writes(pool, array)?;
        let first = writes.first()?.index;
        let steps: Option<Vec<Integer>> = (0..self.counters.len()).map(|at| self.index_step(pool, first, at)).collect();
        let steps = steps?;
        let mut offsets = Vec::new();
        for write in &writes {
            offsets.push((write.backbone, constant(pool, write.index, first)?));
        }
        for is_upward in [true, false] {
            // Down is up with all signs changed.
            let turned = |number: &Integer| if is_upward { number.clone() } else { -number };
            let lowest = offsets.iter().map(|(_, offset)| turned(offset)).min()?;
            let distance = |offset: &Integer| &turned(offset) - &lowest;
            let is_behind = |(backbone, offset): &(usize, Integer)| turned(&steps[*backbone]) > distance(offset);
            if steps.iter().all(|step| turned(step).signum() >= 0) && offsets.iter().all(is_behind) {
                let is_dense = steps.iter().all(|step| turned(step).is_one())
                    && offsets.iter().all(|(_, offset)| *offset == offsets[0].1);
                let is_complete = steps.iter().enumerate().all(|(at, step)| {
                    let written = offsets.iter().filter(|(backbone, _)| *backbone == at);
                    let mut places: Vec<Integer> = written.map(|(_, offset)| distance(offset)).collect();
                    places.sort();
                    places.dedup();
                    // All of them are less than the step.
                    turned(step) == Integer::from(places.len() as i64)
                });
                let lowest = pool.integer(turned(&lowest));
                return Some(Border { index: pool.add(first, lowest), is_upward, is_dense, is_complete });
            }
        }
        None
    }

    /// Whether the iteration at a position, and no other, may write the element in question.
    pub(crate) fn writes_once(&self, pool: &mut Pool, border: &Border, position: &Position) -> bool {
        if !border.is_dense {
            return false;
        }
        // One counter stands for all.
        let mut here = vec![(self.counters[0], position.before)];
        here.extend(self.counters[1..].iter().map(|&other| (other, Pool::ZERO)));
        let index = pool.substitute(border.index, &here);
        index == signed(pool, position.index)
    }

    /// That iterations have passed by an element, and have written it because they write all that they pass by. `None` if they
    /// do not.
    pub(crate) fn is_written(&self, pool: &mut Pool, border: &Border, index: Term) -> Option<Term> {
        if !border.is_complete {
            return None;
        }
        let none: Vec<(Term, Term)> = self.counters.iter().map(|&counter| (counter, Pool::ZERO)).collect();
        let (first, last) = (pool.substitute(border.index, &none), border.index);
        let index = signed(pool, index);
        let parts = match border.is_upward {
            true => [pool.le(first, index), pool.lt(index, last)],
            false => [pool.le(index, first), pool.lt(last, index)],
        };
        Some(pool.and_all(&parts))
    }

    /// What is known of the elements of an array that occur in terms of an iteration before which the border is at `border`.
    /// `start` is the array at its start.
    pub(crate) fn elements(
        &self,
        pool: &mut Pool,
        (array, start): (usize, Term),
        (border, is_upward): (Term, bool),
        terms: &[Term],
    ) -> Vec<Term> {
        let mut facts = Vec::new();
        for part in pool.subterms(terms) {
            let Node::Select(read, index) = *pool.node(part) else { continue };
            if read != start {
                continue;
            }
            let place = signed(pool, index);
            let is_passed = if is_upward { pool.lt(place, border) } else { pool.lt(border, place) };
            let [first, last] = [self.changed[array].entry, self.behind[array]].map(|array| pool.select(array, index));
            let value = pool.ite(is_passed, last, first);
            facts.push(pool.eq(part, value));
        }
        facts
    }

    /// All writes to an array. `None` if the index of one has no formula.
    fn integer_writes(&self, pool: &mut Pool, array: usize) -> Option<Vec<Write>> {
        let mut all = Vec::new();
        for backbone in 0..self.backbones.len() {
            all.extend(self.writes(pool, array, backbone)?.into_iter().map(|index| (backbone, index)));
        }
        let sums: Option<Vec<Term>> = all.iter().map(|&(_, index)| self.index_sum(pool, index)).collect();
        let sums = sums?;
        let moving: Vec<Term> = sums.iter().copied().filter(|&sum| !is_number(pool, sum)).collect();
        let mut writes = Vec::new();
        for ((backbone, _), sum) in all.into_iter().zip(sums) {
            // Where the start of a variable is a known constant, the index is one, too. The sums are compared, because indices
            // may be the same after a sum has wrapped around.
            let known = self.known_starts(pool, &self.backbones[backbone]);
            let same = moving.iter().copied().find(|&other| pool.substitute(other, &known) == sum);
            let index = self.over_counters(pool, same.unwrap_or(sum))?;
            writes.push(Write { backbone, index });
        }
        Some(writes)
    }

    /// The variables whose values at the start of an iteration along a backbone are known constants.
    fn known_starts(&self, pool: &mut Pool, backbone: &Backbone) -> Vec<(Term, Term)> {
        let known = self.changed.iter().filter_map(|variable| {
            let value = known_start(pool, &backbone.condition, variable.start)?;
            Some((variable.start, value))
        });
        known.collect()
    }

    /// The index of an element that an iteration writes, as an integer over the values at its start.
    fn index_sum(&self, pool: &Pool, index: Term) -> Option<Term> {
        match pool.sort(index) {
            Sort::Int => Some(index),
            _ => self.sums.iter().find(|(known, _)| *known == index).map(|(_, sum)| *sum),
        }
    }

    /// An integer over the values at the start of an iteration, as one over the path counters.
    fn over_counters(&self, pool: &mut Pool, sum: Term) -> Option<Term> {
        let mut values = Vec::new();
        for (variable, value) in self.changed.iter().zip(&self.values) {
            match *value {
                Iterated::Term(value) if pool.sort(variable.start) == Sort::Int => values.push((variable.start, value)),
                Iterated::Exact(sum) => values.push((signed(pool, variable.start), sum)),
                _ => {}
            }
        }
        let index = pool.substitute(sum, &values);
        let bound: Vec<Term> =
            self.changed.iter().map(|variable| variable.start).chain(self.own.iter().copied()).collect();
        let bound = pool.free_variables(&bound);
        pool.free_variables(&[index]).iter().all(|variable| !bound.contains(variable)).then_some(index)
    }

    /// What an iteration along a backbone adds to an index.
    fn index_step(&self, pool: &mut Pool, index: Term, backbone: usize) -> Option<Integer> {
        let one = pool.int(1);
        let next = pool.add(self.counters[backbone], one);
        let next = pool.substitute(index, &[(self.counters[backbone], next)]);
        constant(pool, next, index)
    }
}

/// The difference of two integers, if it is a constant.
fn constant(pool: &mut Pool, one: Term, other: Term) -> Option<Integer> {
    let difference = pool.sub(one, other);
    pool.as_int(difference).cloned()
}

/// The signed value of a machine integer as a sum of signed values, if none of its operations wraps around. `None` for
/// other terms, and those with too many operations.
pub fn unbounded(pool: &mut Pool, term: Term) -> Option<Term> {
    let Sort::BitVec(width) = pool.sort(term) else { return None };
    let mut sum = pool.int(0);
    let mut pending = vec![(Integer::ONE, term)];
    for _ in 0..MOST_OPERATIONS {
        let Some((factor, part)) = pending.pop() else { return Some(sum) };
        let by_constant = |pool: &Pool, constant: Term| {
            let bits = pool.as_bits(constant)?;
            Some(&factor * &Integer::from_signed_bits(bits, width))
        };
        match *pool.node(part) {
            Node::BvBinary(BvOp::Add, a, b) => pending.extend([(factor.clone(), a), (factor, b)]),
            Node::BvNeg(a) => pending.push((-&factor, a)),
            Node::BvBinary(BvOp::Mul, a, b) if is_number(pool, a) => pending.push((by_constant(pool, a)?, b)),
            Node::BvBinary(BvOp::Mul, a, b) if is_number(pool, b) => pending.push((by_constant(pool, b)?, a)),
            _ => {
                let value = signed(pool, part);
                let product = pool.scale(&factor, value);
                sum = pool.add(sum, product);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Changed, Successors, iterate};

    /// The border of an array that a loop over `i` and `j`, which start at 0, writes: `backbones` gives how each one changes
    /// these, and the indices of what it writes.
    fn border(backbones: impl Fn(&mut Pool, [Term; 2]) -> Vec<([i64; 2], Vec<Term>)>) -> String {
        let mut pool = Pool::new();
        let [i, j] = ["i", "j"].map(|name| pool.fresh_var(name, Sort::Int));
        let sort = pool.array_sort(Sort::Int, Sort::Int);
        let [a, entry] = ["a", "a0"].map(|name| pool.fresh_var(name, sort));
        let made = backbones(&mut pool, [i, j]);
        let made = made.into_iter().map(|(steps, indices)| {
            let steps = steps.map(|step| pool.int(step));
            let written = indices.into_iter().fold(a, |array, index| pool.store(array, index, i));
            let values = vec![pool.add(i, steps[0]), pool.add(j, steps[1]), written];
            Backbone { condition: Vec::new(), values, inner: Vec::new() }
        });
        let backbones = made.collect();
        let changed = [(i, Pool::ZERO), (j, Pool::ZERO), (a, entry)].map(|(start, entry)| Changed { start, entry });
        let looping = iterate(&mut pool, &changed, backbones, &[], &mut Successors::default());
        match looping.border(&mut pool, 2) {
            Some(Border { index, is_upward, is_dense, is_complete }) => {
                let mut shown = format!("{} {}", if is_upward { "up" } else { "down" }, pool.show(index));
                shown += if is_dense { " dense" } else { "" };
                shown + if is_complete { " complete" } else { "" }
            }
            None => "none".into(),
        }
    }

    #[test]
    fn elements_that_are_written_in_order() {
        let plus = |pool: &mut Pool, term: Term, constant: i64| {
            let constant = pool.int(constant);
            pool.add(term, constant)
        };
        assert_eq!(border(|_, [i, _]| vec![([1, 0], vec![i])]), "up κ1 dense complete");
        assert_eq!(border(|_, [i, _]| vec![([-1, 0], vec![i])]), "down -κ1 dense complete");
        // The elements for which a condition holds, one behind the other.
        assert_eq!(border(|_, [_, j]| vec![([1, 1], vec![j]), ([1, 0], vec![])]), "up κ1 complete");
        // Two elements in each iteration, apart or one on the other.
        assert_eq!(border(|pool, [i, _]| vec![([2, 0], vec![i, plus(pool, i, 1)])]), "up 2*κ1 complete");
        assert_eq!(border(|pool, [i, _]| vec![([1, 0], vec![i, plus(pool, i, 1)])]), "none");
        assert_eq!(border(|pool, [i, _]| vec![([-2, 0], vec![i, plus(pool, i, 1)])]), "down -2*κ1 + 1 complete");
        assert_eq!(border(|_, [i, _]| vec![([2, 0], vec![i])]), "up 2*κ1");
        assert_eq!(border(|_, [i, _]| vec![([1, 0], vec![i]), ([1, 0], vec![])]), "up κ1 + κ2 dense");
        // The other backbone writes further behind than the step of the first.
        assert_eq!(border(|pool, [i, _]| vec![([1, 0], vec![i]), ([1, 0], vec![plus(pool, i, 1)])]), "none");
        // One element, again and again, in both directions, and at an index without a formula.
        assert_eq!(border(|_, _| vec![([1, 0], vec![Pool::ZERO])]), "none");
        assert_eq!(border(|_, [i, _]| vec![([1, 0], vec![i]), ([-1, 0], vec![])]), "none");
        assert_eq!(border(|pool, [i, j]| vec![([1, 0], vec![pool.mul(i, j)])]), "none");
    }

    /// Where the start of a variable is known, the index of an element is a constant. It is the one of another backbone only if
    /// the sum there does not wrap around.
    #[test]
    fn indices_that_are_constants() {
        let has_border = |known: i8| {
            let mut pool = Pool::new();
            let sort = Sort::BitVec(8);
            let [v, entry] = ["v", "v0"].map(|name| pool.fresh_var(name, sort));
            let array = pool.array_sort(sort, sort);
            let [a, first] = ["a", "a0"].map(|name| pool.fresh_var(name, array));
            let (one, two) = (pool.bv(8, 1), pool.bv(8, 2));
            let next = pool.bv_binary(BvOp::Add, v, one);
            let start = pool.bv(8, known as u8 as u128);
            let twice = |pool: &mut Pool, term: Term| pool.bv_binary(BvOp::Mul, term, two);
            let indices = [twice(&mut pool, v), twice(&mut pool, start)];
            let conditions = [Vec::new(), vec![pool.eq(v, start)]];
            let backbones = indices.into_iter().zip(conditions).map(|(index, condition)| {
                let values = vec![next, pool.store(a, index, one)];
                Backbone { condition, values, inner: Vec::new() }
            });
            let backbones = backbones.collect();
            let changed = [Changed { start: v, entry }, Changed { start: a, entry: first }];
            let mut looping = iterate(&mut pool, &changed, backbones, &[], &mut Successors::default());
            let sum = looping
                .counters()
                .to_vec()
                .into_iter()
                .fold(signed(&mut pool, entry), |sum, counter| pool.add(sum, counter));
            looping.set_exact(&mut pool, 0, sum);
            for index in indices {
                let sum = unbounded(&mut pool, index).unwrap();
                looping.set_sum(index, sum);
            }
            looping.border(&mut pool, 1).is_some()
        };
        assert!(has_border(5));
        // Twice this is 10, after it has wrapped around.
        assert!(!has_border(-123));
    }

    #[test]
    fn sums_of_signed_values() {
        let mut pool = Pool::new();
        let [x, y] = ["x", "y"].map(|name| pool.fresh_var(name, Sort::BitVec(8)));
        let (three, minus_two) = (pool.bv(8, 3), pool.bv(8, 254));
        let product = pool.bv_binary(BvOp::Mul, x, three);
        let difference = pool.bv_sub(product, y);
        let sum = pool.bv_binary(BvOp::Add, difference, minus_two);
        let sum = unbounded(&mut pool, sum).unwrap();
        let [x, y] = [x, y].map(|term| signed(&mut pool, term));
        let three = pool.int(3);
        let product = pool.mul(x, three);
        let expected = pool.sub(product, y);
        let two = pool.int(2);
        assert_eq!(sum, pool.sub(expected, two));
    }
}
