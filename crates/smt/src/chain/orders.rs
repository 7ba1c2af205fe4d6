//! Finds contradictions in the order of values: `a < b`, `b <= c` and `c <= a` cannot hold together.
//!
//! Integers, and machine integers as signed numbers, are in a total order, so that this is true whatever the terms are. Terms are looked at
//! as a whole: nothing is known about `a + 1` if conditions are about `a`. Programs that sort or search compare the same few terms again
//! and again, and half of the branches behind follow from earlier ones.

use aback_logic::{BvOrder, Integer, Node, Pool, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most conditions that are looked at.
const CONDITIONS: usize = 2_000;
/// Most connectives within each other.
const DEPTH: u32 = 64;

/// Whether a formula contradicts conditions because of the order of values. False means nothing.
pub(super) fn contradicts(pool: &Pool, conditions: &[Term], formula: Term) -> bool {
    if conditions.len() > CONDITIONS {
        return false;
    }
    let mut asked = Order::default();
    asked.add(pool, formula, true, DEPTH);
    if asked.edges.is_empty() && asked.different.is_empty() {
        return false;
    }
    let mut whole = Order::default();
    conditions.iter().for_each(|&condition| whole.add(pool, condition, true, DEPTH));
    // The conditions alone contradict nothing, so that what the formula says takes part in each contradiction.
    let edges: Vec<[usize; 2]> = asked.edges.iter().map(|edge| whole.edge(&asked, edge)).collect();
    for pair in &asked.different {
        let pair = pair.map(|place| whole.place(asked.places[place].clone()));
        whole.different.push(pair);
    }
    whole.order_numbers();
    edges.iter().any(|&[low, high]| whole.has_contradiction_with(low, high))
        || asked.edges.is_empty() && whole.different.iter().any(|&[one, other]| whole.are_equal(one, other))
}

/// What has a place in the order.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Place {
    Number(Integer),
    Term(Term),
}

/// That one place is not above another one.
#[derive(Clone, Copy)]
struct Edge {
    low: usize,
    high: usize,
    is_strict: bool,
}

/// What conditions say about the order of places.
#[derive(Default)]
struct Order {
    places: Vec<Place>,
    numbers: FxHashMap<Place, usize>,
    edges: Vec<Edge>,
    /// Places with different values.
    different: Vec<[usize; 2]>,
}

impl Order {
    fn place(&mut self, place: Place) -> usize {
        let next = self.places.len();
        *self.numbers.entry(place).or_insert_with_key(|place| {
            self.places.push(place.clone());
            next
        })
    }

    /// Adds an edge of another order. Returns its places here.
    fn edge(&mut self, other: &Order, edge: &Edge) -> [usize; 2] {
        let [low, high] = [edge.low, edge.high].map(|place| self.place(other.places[place].clone()));
        self.edges.push(Edge { low, high, is_strict: edge.is_strict });
        [low, high]
    }

    fn below(&mut self, low: Place, high: Place, is_strict: bool) {
        let [low, high] = [low, high].map(|place| self.place(place));
        self.edges.push(Edge { low, high, is_strict });
    }

    fn equal(&mut self, one: Place, other: Place, truth: bool) {
        let [one, other] = [one, other].map(|place| self.place(place));
        match truth {
            true => {
                self.edges.extend([(one, other), (other, one)].map(|(low, high)| Edge { low, high, is_strict: false }))
            }
            false => self.different.push([one, other]),
        }
    }

    /// Adds what a condition says if it is true, or false.
    fn add(&mut self, pool: &Pool, condition: Term, truth: bool, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match pool.node(condition) {
            Node::Not(inner) => self.add(pool, *inner, !truth, depth),
            Node::And(parts) if truth => parts.iter().for_each(|&part| self.add(pool, part, true, depth)),
            Node::Or(parts) if !truth => parts.iter().for_each(|&part| self.add(pool, part, false, depth)),
            &Node::BvCompare(order @ (BvOrder::SLt | BvOrder::SLe), a, b) => {
                let (low, high) = if truth { (a, b) } else { (b, a) };
                // What is not less is greater or equal.
                self.below(signed(pool, low), signed(pool, high), (order == BvOrder::SLt) == truth);
            }
            &Node::Eq(a, b) if matches!(pool.sort(a), Sort::BitVec(_) | Sort::Int) => {
                self.equal(signed(pool, a), signed(pool, b), truth);
            }
            &Node::LeZero(sum) => {
                let (constant, monomials) = pool.linear(sum);
                // `sum > 0` is `1 - sum <= 0`.
                let (constant, sign) = if truth { (constant, 1) } else { (&Integer::ONE - &constant, -1) };
                if let Some((low, high, gap)) = difference(&constant, &monomials, sign)
                    && gap.signum() >= 0
                {
                    self.below(low, high, gap.signum() > 0);
                }
            }
            &Node::EqZero(sum) => {
                let (constant, monomials) = pool.linear(sum);
                let Some((low, high, gap)) = difference(&constant, &monomials, 1) else { return };
                match gap.signum() {
                    0 => self.equal(low, high, truth),
                    1 if truth => self.below(low, high, true),
                    -1 if truth => self.below(high, low, true),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Adds that numbers are in their order.
    fn order_numbers(&mut self) {
        let number = |(index, place): (usize, &Place)| match place {
            Place::Number(value) => Some((value.clone(), index)),
            Place::Term(_) => None,
        };
        let mut numbers: Vec<(Integer, usize)> = self.places.iter().enumerate().filter_map(number).collect();
        numbers.sort();
        let next = numbers.windows(2).map(|pair| Edge { low: pair[0].1, high: pair[1].1, is_strict: true });
        self.edges.extend(next);
    }

    /// The places that are not below a place, or not above it.
    fn reached(&self, from: usize, upward: bool) -> FxHashSet<usize> {
        let mut reached = FxHashSet::from_iter([from]);
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); self.places.len()];
        for edge in &self.edges {
            let (from, to) = if upward { (edge.low, edge.high) } else { (edge.high, edge.low) };
            next[from].push(to);
        }
        let mut open = vec![from];
        while let Some(place) = open.pop() {
            open.extend(next[place].iter().filter(|&&to| reached.insert(to)));
        }
        reached
    }

    /// The places whose values are the same as that of a place that is not above another one, if these two are equal.
    fn equal_to(&self, low: usize, high: usize) -> Option<FxHashSet<usize>> {
        let above = self.reached(high, true);
        above.contains(&low).then(|| self.reached(low, false).intersection(&above).copied().collect())
    }

    /// Whether values that an edge makes equal are not.
    fn has_contradiction_with(&self, low: usize, high: usize) -> bool {
        self.equal_to(low, high).is_some_and(|equal| {
            let are_equal = |one: usize, other: usize| equal.contains(&one) && equal.contains(&other);
            self.edges.iter().any(|edge| edge.is_strict && are_equal(edge.low, edge.high))
                || self.different.iter().any(|&[one, other]| are_equal(one, other))
        })
    }

    fn are_equal(&self, one: usize, other: usize) -> bool {
        self.reached(one, true).contains(&other) && self.reached(other, true).contains(&one)
    }
}

/// The place of an integer, or of a machine integer as a signed number.
fn signed(pool: &Pool, term: Term) -> Place {
    match *pool.node(term) {
        Node::Bv { width, bits } => Place::Number(Integer::from_signed_bits(bits, width)),
        Node::Int(ref value) => Place::Number(value.clone()),
        _ => Place::Term(term),
    }
}

/// A sum as `low - high + gap`, if it has this form, where one of the two may be a number. `sign` is the factor of its monomials.
fn difference(constant: &Integer, monomials: &[(Integer, Term)], sign: i64) -> Option<(Place, Place, Integer)> {
    let sign = Integer::from(sign);
    let factor = |at: usize| monomials.get(at).map(|(factor, term)| (factor * &sign, *term));
    let is_low = |factor: &Integer| factor.is_one();
    let is_high = |factor: &Integer| (-factor).is_one();
    match (factor(0), factor(1), monomials.len()) {
        (Some((one, a)), Some((other, b)), 2) if is_low(&one) && is_high(&other) => {
            Some((Place::Term(a), Place::Term(b), constant.clone()))
        }
        (Some((one, a)), Some((other, b)), 2) if is_high(&one) && is_low(&other) => {
            Some((Place::Term(b), Place::Term(a), constant.clone()))
        }
        (Some((one, a)), _, 1) if is_low(&one) => Some((Place::Term(a), Place::Number(-constant), Integer::ZERO)),
        (Some((one, a)), _, 1) if is_high(&one) => {
            Some((Place::Number(constant.clone()), Place::Term(a), Integer::ZERO))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Conditions over three numbers as triples: the kind of a comparison, and its operands. What is found has no values between -1
    /// and 6, which are enough for three numbers below, above and around 2, and what has none is found.
    fn check(sort: Sort) {
        let mut pool = Pool::new();
        let variables = ["x", "y", "z"].map(|name| pool.fresh_var(name, sort));
        let number = |pool: &mut Pool, value: i64| match sort {
            Sort::BitVec(width) => pool.bv(width, Integer::from(value).to_bits(width)),
            _ => pool.int(value),
        };
        let two = number(&mut pool, 2);
        let operands = [variables[0], variables[1], variables[2], two];
        let condition = |pool: &mut Pool, kind: i64, a: Term, b: Term| match (kind, sort) {
            (0, Sort::BitVec(_)) => pool.bv_compare(BvOrder::SLt, a, b),
            (1, Sort::BitVec(_)) => pool.bv_compare(BvOrder::SLe, a, b),
            (0, _) => pool.lt(a, b),
            (1, _) => pool.le(a, b),
            (2, _) => pool.eq(a, b),
            _ => {
                let equal = pool.eq(a, b);
                pool.not(equal)
            }
        };
        let holds = |kind: i64, a: i64, b: i64| [a < b, a <= b, a == b, a != b][kind as usize];
        let mut random = 1u64;
        let mut next = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % below
        };
        let (mut found, mut missed) = (0, 0);
        for _ in 0..4_000 {
            let chosen: Vec<(i64, usize, usize)> = (0..4).map(|_| (next(4) as i64, next(4), next(4))).collect();
            let terms: Vec<Term> =
                chosen.iter().map(|&(kind, a, b)| condition(&mut pool, kind, operands[a], operands[b])).collect();
            let has_values = |chosen: &[(i64, usize, usize)]| {
                (0..512i64).any(|all| {
                    let values = [all % 8 - 1, all / 8 % 8 - 1, all / 64 - 1, 2];
                    chosen.iter().all(|&(kind, a, b)| holds(kind, values[a], values[b]))
                })
            };
            if !has_values(&chosen[..3]) {
                continue;
            }
            let is_contradiction = contradicts(&pool, &terms[..3], terms[3]);
            let has_values = has_values(&chosen);
            assert!(!(is_contradiction && has_values), "{chosen:?}");
            found += u32::from(is_contradiction);
            // Constant formulas are decided before.
            missed += u32::from(!is_contradiction && !has_values && !pool.is_const(terms[3]));
        }
        assert!(found > 300 && missed == 0, "{found} found, {missed} missed");
    }

    #[test]
    fn contradictions_are_found_and_no_others() {
        check(Sort::BitVec(32));
        check(Sort::Int);
    }
}
