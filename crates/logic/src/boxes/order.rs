//! Compares floats for other reasons than their ranges: what conditions say, functions that are monotone, operators whose results are not
//! above or below an operand, and exact multiples.
//!
//! Rounding is monotone, and leaves floats as they are. So what is true of exact results and an operand is true of rounded ones.

use super::Boxes;
use super::range::Range;
use super::step::{Evaluation, Scaled, Step};
use crate::float_range::FloatRange;
use crate::pool::Pool;
use crate::term::{FloatFunction, FloatOp, FloatOrder, Node, Term};
use rustc_hash::FxHashMap;

/// Most operators between two terms that are compared and what is known of their operands.
const DEPTH: u32 = 5;

/// What conditions say about floats.
#[derive(Default)]
pub(super) struct Known {
    comparisons: FxHashMap<(FloatOrder, usize, usize), bool>,
    /// Floats that are not NaN, each with the comparisons that say so.
    numbers: FxHashMap<usize, Vec<usize>>,
}

impl Known {
    /// What formulas say whose terms have these steps.
    pub(super) fn of(pool: &Pool, formulas: &[Term], steps: &FxHashMap<Term, usize>) -> Known {
        let mut known = Known::default();
        let mut open: Vec<(Term, bool)> = formulas.iter().map(|&formula| (formula, true)).collect();
        while let Some((formula, truth)) = open.pop() {
            match pool.node(formula) {
                Node::Not(inner) => open.push((*inner, !truth)),
                Node::And(parts) if truth => open.extend(parts.iter().map(|&part| (part, true))),
                Node::Or(parts) if !truth => open.extend(parts.iter().map(|&part| (part, false))),
                Node::FloatIsNan(a) if !truth => {
                    known.numbers.entry(steps[a]).or_default().push(steps[&formula]);
                }
                Node::FloatCompare(order, a, b) => {
                    let (a, b) = (steps[a], steps[b]);
                    known.comparisons.insert((*order, a, b), truth);
                    for operand in [a, b].into_iter().filter(|_| truth) {
                        known.numbers.entry(operand).or_default().push(steps[&formula]);
                    }
                }
                _ => {}
            }
        }
        known
    }
}

/// A question about two terms, which what is asked about does not answer itself.
#[derive(Clone, Copy)]
struct Question<'a> {
    now: &'a Evaluation,
    /// The step of the comparison.
    asked: usize,
}

impl Boxes {
    /// A comparison that ranges do not decide.
    pub(super) fn compare_otherwise(
        &self,
        now: &Evaluation,
        order: FloatOrder,
        [a, b]: [usize; 2],
        asked: usize,
    ) -> Option<bool> {
        let question = Question { now, asked };
        let (below, above) =
            (|| self.is_not_above(question, [a, b], DEPTH), || self.is_not_above(question, [b, a], DEPTH));
        match order {
            FloatOrder::Lt if above() => return Some(false),
            FloatOrder::Le if below() => return Some(true),
            FloatOrder::Eq if below() && above() => return Some(true),
            _ => {}
        }
        if !self.is_number(question, a) || !self.is_number(question, b) {
            return None;
        }
        if let Some(decided) = by_factor(order, now.scaled[a], now.scaled[b], &now.ranges) {
            return Some(decided);
        }
        // A difference of finite numbers is zero only if they are equal, and otherwise has the sign that it should have.
        match (&self.steps[a], &self.steps[b]) {
            (&Step::Float(FloatOp::Sub, x, y), _) if is_zero(now, b) => self.compare_finite(question, order, [x, y]),
            (_, &Step::Float(FloatOp::Sub, x, y)) if is_zero(now, a) => self.compare_finite(question, order, [y, x]),
            _ => None,
        }
    }

    fn compare_finite(&self, question: Question, order: FloatOrder, [a, b]: [usize; 2]) -> Option<bool> {
        let is_finite = |at: usize| matches!(&question.now.ranges[at], Range::Float(range) if range.is_finite());
        if !is_finite(a) || !is_finite(b) {
            return None;
        }
        let now = question.now;
        self.says(now, order, a, b).or_else(|| self.says(now, order, b, a).filter(|_| order == FloatOrder::Eq))
    }

    /// Whether machine integers are in order because the floats are from which they come.
    pub(super) fn is_ordered(&self, now: &Evaluation, [a, b]: [usize; 2], asked: usize) -> bool {
        match (&self.steps[a], &self.steps[b]) {
            (&Step::ToMachine(one, a), &Step::ToMachine(other, b)) if one == other => {
                self.is_not_above(Question { now, asked }, [a, b], DEPTH)
            }
            _ => false,
        }
    }

    /// What a condition says. About single values, nobody says anything: then conditions are what is asked about.
    fn says(&self, now: &Evaluation, order: FloatOrder, a: usize, b: usize) -> Option<bool> {
        self.known.comparisons.get(&(order, a, b)).copied().filter(|_| !now.is_point)
    }

    fn is_number(&self, question: Question, at: usize) -> bool {
        let by = |said: &Vec<usize>| said.iter().any(|&comparison| comparison != question.asked);
        !question.now.is_point && self.known.numbers.get(&at).is_some_and(by)
            || matches!(&question.now.ranges[at], Range::Float(range) if !range.may_be_nan())
    }

    /// Whether two floats are numbers of which the first one is not above the second one, as far as this is seen.
    fn is_not_above(&self, question: Question, [a, b]: [usize; 2], depth: u32) -> bool {
        let now = question.now;
        let Some(depth) = depth.checked_sub(1) else { return false };
        if !self.is_number(question, a) || !self.is_number(question, b) {
            return false;
        }
        let (Range::Float(x), Range::Float(y)) = (&now.ranges[a], &now.ranges[b]) else { return false };
        let (Some([_, x_high]), Some([y_low, _])) = (x.bounds(), y.bounds()) else { return false };
        a == b
            || x_high <= y_low
            || by_factor(FloatOrder::Le, now.scaled[a], now.scaled[b], &now.ranges) == Some(true)
            || self.is_said(question, [a, b])
            || self.is_monotone(question, [a, b], depth)
            || self.is_below_operand(question, [a, b], depth)
            || self.is_above_operand(question, [a, b], depth)
            || self.is_mean_in_order(question, [a, b], depth)
    }

    /// Whether a condition, other than the one that is asked about, says that a number is not above another one.
    fn is_said(&self, question: Question, [a, b]: [usize; 2]) -> bool {
        let says = |order: FloatOrder, a: usize, b: usize, truth: bool| {
            let is_asked =
                matches!(&self.steps[question.asked], &Step::FloatOrder(own, c, d) if (own, c, d) == (order, a, b));
            !is_asked && self.says(question.now, order, a, b) == Some(truth)
        };
        says(FloatOrder::Le, a, b, true)
            || says(FloatOrder::Lt, a, b, true)
            || says(FloatOrder::Eq, a, b, true)
            || says(FloatOrder::Eq, b, a, true)
            || says(FloatOrder::Lt, b, a, false)
            || says(FloatOrder::Le, b, a, false)
    }

    /// Whether both are results of one monotone function, with operands in order.
    fn is_monotone(&self, question: Question, [a, b]: [usize; 2], depth: u32) -> bool {
        let below = |a: usize, b: usize| self.is_not_above(question, [a, b], depth);
        let is_positive = |at: usize| self.lies(question, at, 0.0, f64::INFINITY);
        match (&self.steps[a], &self.steps[b]) {
            (&Step::FloatNeg(x), &Step::FloatNeg(y)) => below(y, x),
            (&Step::FloatUnary(one, x), &Step::FloatUnary(other, y)) => {
                one == other && one != FloatFunction::Abs && below(x, y)
            }
            (&Step::ToFloat(one, x), &Step::ToFloat(other, y)) => {
                one == other && self.same_sort(question, [x, y]) && below(x, y)
            }
            (&Step::Float(FloatOp::Add, x, y), &Step::Float(FloatOp::Add, c, d)) => {
                below(x, c) && below(y, d) || below(x, d) && below(y, c)
            }
            (&Step::Float(FloatOp::Sub, x, y), &Step::Float(FloatOp::Sub, c, d)) => below(x, c) && below(d, y),
            (&Step::Float(FloatOp::Mul, x, y), &Step::Float(FloatOp::Mul, c, d)) => {
                (y == d && is_positive(y) && below(x, c)) || (x == c && is_positive(x) && below(y, d))
            }
            (&Step::Float(FloatOp::Div, x, y), &Step::Float(FloatOp::Div, c, d)) => {
                y == d && self.lies(question, y, f64::MIN_POSITIVE, f64::INFINITY) && below(x, c)
            }
            _ => false,
        }
    }

    /// Whether the first one is the result of an operator that is not above what is not above the second one.
    fn is_below_operand(&self, question: Question, [a, b]: [usize; 2], depth: u32) -> bool {
        let below = |operand: usize| self.is_not_above(question, [operand, b], depth);
        let lies = |at: usize, low: f64, high: f64| self.lies(question, at, low, high);
        match self.steps[a] {
            Step::Float(FloatOp::Add, x, y) => {
                lies(y, f64::NEG_INFINITY, 0.0) && below(x) || lies(x, f64::NEG_INFINITY, 0.0) && below(y)
            }
            Step::Float(FloatOp::Sub, x, y) => {
                lies(y, 0.0, f64::INFINITY) && below(x)
                    || lies(b, 0.0, f64::INFINITY) && self.is_not_above(question, [x, y], depth)
            }
            Step::Float(FloatOp::Mul, x, y) => {
                let shrinks = |x: usize, y: usize| lies(y, 0.0, 1.0) && lies(x, 0.0, f64::INFINITY) && below(x);
                shrinks(x, y) || shrinks(y, x)
            }
            Step::Float(FloatOp::Div, x, y) => lies(y, 1.0, f64::INFINITY) && lies(x, 0.0, f64::INFINITY) && below(x),
            _ => false,
        }
    }

    /// Whether the second one is the result of an operator that is not below what the first one is not above.
    fn is_above_operand(&self, question: Question, [a, b]: [usize; 2], depth: u32) -> bool {
        let above = |operand: usize| self.is_not_above(question, [a, operand], depth);
        let lies = |at: usize, low: f64, high: f64| self.lies(question, at, low, high);
        match self.steps[b] {
            Step::Float(FloatOp::Add, x, y) => {
                lies(y, 0.0, f64::INFINITY) && above(x) || lies(x, 0.0, f64::INFINITY) && above(y)
            }
            Step::Float(FloatOp::Sub, x, y) => {
                lies(y, f64::NEG_INFINITY, 0.0) && above(x)
                    || lies(a, f64::NEG_INFINITY, 0.0) && self.is_not_above(question, [y, x], depth)
            }
            Step::Float(FloatOp::Mul, x, y) => {
                let grows = |x: usize, y: usize| lies(y, 1.0, f64::INFINITY) && lies(x, 0.0, f64::INFINITY) && above(x);
                grows(x, y) || grows(y, x)
            }
            Step::Float(FloatOp::Div, x, y) => {
                lies(y, f64::MIN_POSITIVE, 1.0) && lies(x, 0.0, f64::INFINITY) && above(x)
            }
            _ => false,
        }
    }

    /// Whether one of both is the mean of two numbers that are in order with the other one.
    fn is_mean_in_order(&self, question: Question, [a, b]: [usize; 2], depth: u32) -> bool {
        let are_in_order = |x: usize, y: usize| self.is_not_above(question, [x, y], depth);
        let of_a = self.halved(question, a).filter(|_| self.doubles(question, b));
        let of_b = self.halved(question, b).filter(|_| self.doubles(question, a));
        of_a.is_some_and(|operands| operands.into_iter().all(|operand| are_in_order(operand, b)))
            || of_b.is_some_and(|operands| operands.into_iter().all(|operand| are_in_order(a, operand)))
    }

    /// The operands of a sum of which a term is the half.
    fn halved(&self, question: Question, at: usize) -> Option<[usize; 2]> {
        let is = |at: usize, value: f64| self.lies(question, at, value, value);
        let sum = match self.steps[at] {
            Step::Float(FloatOp::Div, sum, two) if is(two, 2.0) => sum,
            Step::Float(FloatOp::Mul, sum, half) if is(half, 0.5) => sum,
            Step::Float(FloatOp::Mul, half, sum) if is(half, 0.5) => sum,
            _ => return None,
        };
        match self.steps[sum] {
            Step::Float(FloatOp::Add, x, y) => Some([x, y]),
            _ => None,
        }
    }

    /// Whether twice a number is finite, so that half of that is the number.
    fn doubles(&self, question: Question, at: usize) -> bool {
        let Range::Float(range) = &question.now.ranges[at] else { return false };
        FloatRange::binary(FloatOp::Add, range, range, true).is_finite()
    }

    /// Whether a number lies between bounds.
    fn lies(&self, question: Question, at: usize, low: f64, high: f64) -> bool {
        self.is_number(question, at)
            && matches!(&question.now.ranges[at], Range::Float(range) if range.bounds().is_some_and(|[least, most]| low <= least && most <= high))
    }

    fn same_sort(&self, question: Question, pair: [usize; 2]) -> bool {
        let format = |at: usize| match &question.now.ranges[at] {
            Range::Float(range) => Some(range.format()),
            _ => None,
        };
        format(pair[0]).is_some() && format(pair[0]) == format(pair[1])
    }
}

fn is_zero(now: &Evaluation, at: usize) -> bool {
    matches!(&now.ranges[at], Range::Float(range) if range.bounds() == Some([0.0, 0.0]) && !range.may_be_nan())
}

/// A comparison of numbers that differ by a power of two.
fn by_factor(order: FloatOrder, a: Scaled, b: Scaled, ranges: &[Range]) -> Option<bool> {
    if a.base != b.base {
        return None;
    }
    let Range::Float(base) = &ranges[a.base] else { return None };
    let [low, high] = base.bounds()?;
    let sign = match a.exponent.cmp(&b.exponent) {
        std::cmp::Ordering::Equal => std::cmp::Ordering::Equal,
        order if low > 0.0 => order,
        order if high < 0.0 => order.reverse(),
        _ => return None,
    };
    Some(match order {
        FloatOrder::Eq => sign.is_eq(),
        FloatOrder::Lt => sign.is_lt(),
        FloatOrder::Le => sign.is_le(),
    })
}
