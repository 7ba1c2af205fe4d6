//! Finds contradictions in the order of values: `a < b`, `b <= c` and `c <= a` cannot hold together.
//!
//! Integers, machine integers as signed numbers, and floats that are not NaN are in a total order, so that this is true whatever the terms
//! are. A float is not NaN if a comparison with it is true. Terms are looked at as a whole: nothing is known about `a + 1` if conditions are
//! about `a`. Programs that sort or search compare the same few terms again and again, and half of the branches behind follow from earlier
//! ones.

use aback_logic::{BvOrder, FloatFormat, FloatOrder, Integer, Node, Pool, Sort, Term};
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
    let mut order = Order::default();
    order.add_numbers(pool, formula, true, DEPTH);
    let has_new_numbers = !order.not_nan.is_empty();
    conditions.iter().for_each(|&condition| order.add_numbers(pool, condition, true, DEPTH));
    order.add(pool, formula, true, DEPTH);
    if order.edges.is_empty() && order.different.is_empty() && !has_new_numbers {
        return false;
    }
    let asked = (order.edges.len(), order.different.len());
    conditions.iter().for_each(|&condition| order.add(pool, condition, true, DEPTH));
    // The conditions alone contradict nothing, so that what the formula says takes part in each contradiction. If it says that a float is a
    // number, other conditions say more.
    let (edges, different) = if has_new_numbers { (order.edges.len(), order.different.len()) } else { asked };
    order.order_numbers();
    order.look_at_neighbours();
    let mut edges = order.edges.iter().take(edges);
    let mut different = order.different.iter().take(different);
    edges.any(|edge| order.has_contradiction_with(edge.low, edge.high))
        || different.any(|&[one, other]| order.are_equal(one, other))
}

/// What has a place in the order.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Place {
    Number(Integer),
    /// The bits of a number, as 64 bits.
    Float(u64),
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
    /// Floats that are numbers.
    not_nan: FxHashSet<Term>,
    /// By place, the places that edges say are not below it, and not above it.
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
}

impl Order {
    fn place(&mut self, place: Place) -> usize {
        let next = self.places.len();
        *self.numbers.entry(place).or_insert_with_key(|place| {
            self.places.push(place.clone());
            next
        })
    }

    fn add_edge(&mut self, low: Place, high: Place, is_strict: bool) {
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

    /// Adds which floats a condition says are numbers, if it is true, or false.
    fn add_numbers(&mut self, pool: &Pool, condition: Term, truth: bool, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match pool.node(condition) {
            Node::Not(inner) => self.add_numbers(pool, *inner, !truth, depth),
            Node::And(parts) if truth => parts.iter().for_each(|&part| self.add_numbers(pool, part, true, depth)),
            Node::Or(parts) if !truth => parts.iter().for_each(|&part| self.add_numbers(pool, part, false, depth)),
            Node::FloatCompare(_, a, b) if truth => self.not_nan.extend([*a, *b]),
            Node::FloatIsNan(a) if !truth => self.not_nan.extend([*a]),
            _ => {}
        }
    }

    /// The place of a float that is a number.
    fn float(&self, pool: &Pool, term: Term) -> Option<Place> {
        match *pool.node(term) {
            Node::Float(format, bits) => {
                let value = match format {
                    FloatFormat::F32 => f32::from_bits(bits as u32).into(),
                    FloatFormat::F64 => f64::from_bits(bits),
                };
                // Both zeros have one place.
                (!value.is_nan()).then(|| Place::Float((value + 0.0).to_bits()))
            }
            _ => self.not_nan.contains(&term).then_some(Place::Term(term)),
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
                self.add_edge(signed(pool, low), signed(pool, high), (order == BvOrder::SLt) == truth);
            }
            // Then it is not equal to itself.
            &Node::FloatIsNan(a) if truth => {
                if let Some(place) = self.float(pool, a) {
                    self.equal(place.clone(), place, false);
                }
            }
            &Node::FloatCompare(order, a, b) => {
                let (Some(a), Some(b)) = (self.float(pool, a), self.float(pool, b)) else { return };
                match (order, truth) {
                    (FloatOrder::Eq, _) => self.equal(a, b, truth),
                    (order, true) => self.add_edge(a, b, order == FloatOrder::Lt),
                    (order, false) => self.add_edge(b, a, order == FloatOrder::Le),
                }
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
                    self.add_edge(low, high, gap.signum() > 0);
                }
            }
            &Node::EqZero(sum) => {
                let (constant, monomials) = pool.linear(sum);
                let Some((low, high, gap)) = difference(&constant, &monomials, 1) else { return };
                match gap.signum() {
                    0 => self.equal(low, high, truth),
                    1 if truth => self.add_edge(low, high, true),
                    -1 if truth => self.add_edge(high, low, true),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Adds that numbers are in their order.
    fn order_numbers(&mut self) {
        let (mut integers, mut floats) = (Vec::new(), Vec::new());
        for (index, place) in self.places.iter().enumerate() {
            match place {
                Place::Number(value) => integers.push((value.clone(), index)),
                Place::Float(bits) => floats.push((f64::from_bits(*bits), index)),
                Place::Term(_) => {}
            }
        }
        integers.sort();
        floats.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let in_order = [
            integers.into_iter().map(|(_, index)| index).collect(),
            floats.into_iter().map(|(_, index)| index).collect(),
        ];
        for sorted in in_order {
            let sorted: Vec<usize> = sorted;
            self.edges.extend(sorted.windows(2).map(|pair| Edge { low: pair[0], high: pair[1], is_strict: true }));
        }
    }

    fn look_at_neighbours(&mut self) {
        (self.above, self.below) = (vec![Vec::new(); self.places.len()], vec![Vec::new(); self.places.len()]);
        for edge in &self.edges {
            self.above[edge.low].push(edge.high);
            self.below[edge.high].push(edge.low);
        }
    }

    /// The places that are not below a place, or not above it.
    fn reached(&self, from: usize, upward: bool) -> FxHashSet<usize> {
        let mut reached = FxHashSet::from_iter([from]);
        let next = if upward { &self.above } else { &self.below };
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

    /// Conditions over three numbers as triples: the kind of a comparison, and its operands. What is found has no values among -1 to 6 and
    /// NaN, which are enough for three numbers below, above and around 2. What has none is found.
    fn check(sort: Sort) {
        let mut pool = Pool::new();
        let variables = ["x", "y", "z"].map(|name| pool.fresh_var(name, sort));
        let two = match sort {
            Sort::BitVec(width) => pool.bv(width, 2),
            Sort::Float(format) => pool.float(format, 2f64.to_bits()),
            _ => pool.int(2),
        };
        let operands = [variables[0], variables[1], variables[2], two];
        let comparison = |pool: &mut Pool, kind: usize, a: Term, b: Term| match (kind, sort) {
            (kind, Sort::Float(_)) => pool.float_compare([FloatOrder::Lt, FloatOrder::Le, FloatOrder::Eq][kind], a, b),
            (0, Sort::BitVec(_)) => pool.bv_compare(BvOrder::SLt, a, b),
            (1, Sort::BitVec(_)) => pool.bv_compare(BvOrder::SLe, a, b),
            (0, _) => pool.lt(a, b),
            (1, _) => pool.le(a, b),
            _ => pool.eq(a, b),
        };
        let condition = |pool: &mut Pool, kind: usize, a: Term, b: Term| {
            let comparison = comparison(pool, kind / 2, a, b);
            if kind.is_multiple_of(2) { comparison } else { pool.not(comparison) }
        };
        let holds = |kind: usize, a: f64, b: f64| [a < b, a <= b, a == b][kind / 2] == kind.is_multiple_of(2);
        let mut random = 1u64;
        let mut next = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % below
        };
        let values: Vec<f64> =
            (-1..7).map(f64::from).chain(matches!(sort, Sort::Float(_)).then_some(f64::NAN)).collect();
        let all = values.len();
        let (mut found, mut missed) = (0, 0);
        for _ in 0..6_000 {
            let chosen: Vec<(usize, usize, usize)> = (0..4).map(|_| (next(6), next(4), next(4))).collect();
            let terms: Vec<Term> =
                chosen.iter().map(|&(kind, a, b)| condition(&mut pool, kind, operands[a], operands[b])).collect();
            let has_values = |chosen: &[(usize, usize, usize)]| {
                (0..all * all * all).any(|at| {
                    let values = [values[at % all], values[at / all % all], values[at / all / all], 2.0];
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
        check(Sort::Float(FloatFormat::F64));
    }
}
