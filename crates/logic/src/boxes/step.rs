//! Computes ranges of terms from those of variables.

use super::Boxes;
use super::range::{Range, compare, machine, within};
use crate::float_range::FloatRange;
use crate::term::{BvOp, BvOrder, FloatFunction, FloatOp, FloatOrder, Sort};

/// A term, with the numbers of the steps for its operands.
pub(super) enum Step {
    Known(Range),
    Variable(usize),
    Not(usize),
    All(Box<[usize]>),
    Any(Box<[usize]>),
    Choice(usize, usize, usize),
    Equal(usize, usize),
    /// A number and a sum of integers with factors.
    Sum(i128, Box<[(i128, usize)]>),
    IsZero(usize),
    AtMostZero(usize),
    Machine(BvOp, u32, usize, usize),
    MachineNeg(u32, usize),
    MachineOrder(BvOrder, usize, usize),
    /// A machine integer that keeps its value if it is in this range. Otherwise, it has any value of its type.
    Kept {
        value: usize,
        least: i128,
        all: Range,
    },
    Float(FloatOp, usize, usize),
    FloatNeg(usize),
    FloatUnary(FloatFunction, usize),
    FloatOrder(FloatOrder, usize, usize),
    IsNan(usize),
    ToFloat(Sort, usize),
    ToMachine(u32, usize),
}

/// What is known of each step in a box.
#[derive(Default)]
pub(super) struct Evaluation {
    pub(super) ranges: Vec<Range>,
    pub(super) scaled: Vec<Scaled>,
    /// Whether it is about single values.
    pub(super) is_point: bool,
}

/// A term as another one, times a power of two: this product is its exact value.
#[derive(Clone, Copy)]
pub(super) struct Scaled {
    pub(super) base: usize,
    pub(super) exponent: i32,
}

impl Boxes {
    /// Computes the ranges of all terms. `is_point` says that the box has one value for each variable that matters, so that conditions
    /// are not true because of each other.
    pub(super) fn evaluate(&self, values: &[Range], now: &mut Evaluation, is_point: bool) {
        now.is_point = is_point;
        now.ranges.clear();
        now.scaled.clear();
        for at in 0..self.steps.len() {
            let range = self.range(at, values, now);
            let scaled = self.scaled(at, &range, now).unwrap_or(Scaled { base: at, exponent: 0 });
            now.ranges.push(range);
            now.scaled.push(scaled);
        }
    }

    fn range(&self, at: usize, values: &[Range], now: &Evaluation) -> Range {
        let of = |at: &usize| now.ranges[*at];
        match &self.steps[at] {
            Step::Known(range) => *range,
            Step::Variable(at) => values[*at],
            Step::Not(a) => match of(a) {
                Range::Truth(no, yes) => Range::Truth(yes, no),
                _ => Range::Truth(true, true),
            },
            Step::All(parts) => {
                let truths = parts.iter().map(|part| of(part).truth());
                let (no, yes) =
                    truths.fold((false, true), |(no, yes), (part_no, part_yes)| (no || part_no, yes && part_yes));
                Range::Truth(no, yes)
            }
            Step::Any(parts) => {
                let truths = parts.iter().map(|part| of(part).truth());
                let (no, yes) =
                    truths.fold((true, false), |(no, yes), (part_no, part_yes)| (no && part_no, yes || part_yes));
                Range::Truth(no, yes)
            }
            Step::Choice(condition, a, b) => match of(condition).truth() {
                (false, _) => of(a),
                (_, false) => of(b),
                _ => of(a).join(&of(b)),
            },
            Step::Equal(a, b) => of(a).equal(&of(b)),
            Step::Sum(constant, parts) => {
                let sum = parts.iter().try_fold((*constant, *constant), |(low, high), (factor, part)| {
                    let Range::Whole(least, most) = of(part) else { return None };
                    let (one, other) = (factor.checked_mul(least)?, factor.checked_mul(most)?);
                    Some((low.checked_add(one.min(other))?, high.checked_add(one.max(other))?))
                });
                sum.map_or(Range::Unknown, |(low, high)| Range::Whole(low, high))
            }
            Step::IsZero(a) => match of(a) {
                Range::Whole(low, high) => Range::Truth((low, high) != (0, 0), low <= 0 && 0 <= high),
                _ => Range::Truth(true, true),
            },
            Step::AtMostZero(a) => match of(a) {
                Range::Whole(low, high) => Range::Truth(high > 0, low <= 0),
                _ => Range::Truth(true, true),
            },
            Step::Machine(op, width, a, b) => machine(*op, *width, of(a), of(b)),
            Step::MachineNeg(width, a) => match of(a) {
                Range::Whole(low, high) => within(*width, Some((-high, -low))),
                _ => within(*width, None),
            },
            &Step::MachineOrder(order, a, b) => {
                let compared = compare(order, of(&a), of(&b));
                match (compared, order) {
                    (Range::Truth(true, true), BvOrder::SLe) if self.is_ordered(now, [a, b], at) => {
                        Range::decided(true)
                    }
                    (Range::Truth(true, true), BvOrder::SLt) if self.is_ordered(now, [b, a], at) => {
                        Range::decided(false)
                    }
                    (compared, _) => compared,
                }
            }
            Step::Kept { value, least, all } => match of(value) {
                Range::Whole(low, high) if low >= *least => match all {
                    Range::Whole(_, most) if high > *most => *all,
                    _ => Range::Whole(low, high),
                },
                _ => *all,
            },
            Step::Float(op, a, b) => match (of(a), of(b)) {
                (Range::Float(x), Range::Float(y)) => {
                    let (one, other) = (now.scaled[*a], now.scaled[*b]);
                    let is_same = a == b || is_same(one, other) && !x.may_be_nan() && !y.may_be_nan();
                    Range::Float(FloatRange::binary(*op, &x, &y, is_same))
                }
                _ => Range::Unknown,
            },
            Step::FloatNeg(a) => of(a).map_float(|range| range.neg()),
            Step::FloatUnary(function, a) => of(a).map_float(|range| range.unary(*function)),
            &Step::FloatOrder(order, a, b) => match (of(&a), of(&b)) {
                (Range::Float(x), Range::Float(y)) => {
                    let compared = FloatRange::compare(order, &x, &y);
                    let compared = compared.or_else(|| self.compare_otherwise(now, order, [a, b], at));
                    compared.map_or(Range::Truth(true, true), Range::decided)
                }
                _ => Range::Truth(true, true),
            },
            Step::IsNan(a) => match of(a) {
                Range::Float(range) => Range::Truth(range.bounds().is_some(), range.may_be_nan()),
                _ => Range::Truth(true, true),
            },
            Step::ToFloat(sort, a) => match (sort, of(a)) {
                (Sort::Float(format), Range::Float(range)) => Range::Float(range.rounded_to(*format)),
                (Sort::Float(format), Range::Whole(low, high)) => {
                    Range::Float(FloatRange::of_integers(*format, low, high))
                }
                (sort, _) => Range::all(*sort),
            },
            Step::ToMachine(width, a) => match of(a) {
                Range::Float(range) => {
                    let (low, high) = range.to_machine(*width);
                    Range::Whole(low, high)
                }
                _ => within(*width, None),
            },
        }
    }

    /// The term as another one times a power of two.
    fn scaled(&self, at: usize, range: &Range, now: &Evaluation) -> Option<Scaled> {
        let Evaluation { ranges, scaled, .. } = now;
        let Range::Float(result) = range else { return None };
        let power = |at: usize| match &ranges[at] {
            Range::Float(range) => power_of_two(range),
            _ => None,
        };
        let times = |at: usize, exponent: i32| {
            let Scaled { base, exponent: before } = scaled[at];
            Some(Scaled { base, exponent: before.checked_add(exponent)? })
        };
        match self.steps[at] {
            // A product with a power of two is exact if it is normal.
            Step::Float(FloatOp::Mul, a, b) if result.is_normal() => match (power(a), power(b)) {
                (_, Some(exponent)) => times(a, exponent),
                (Some(exponent), None) => times(b, exponent),
                (None, None) => None,
            },
            Step::Float(FloatOp::Div, a, b) if result.is_normal() => times(a, -power(b)?),
            // Twice a finite number is exact if it is finite, and so is a number without its half.
            Step::Float(FloatOp::Add, a, b) if result.is_finite() && is_same(scaled[a], scaled[b]) => times(a, 1),
            Step::Float(FloatOp::Sub, a, b)
                if result.is_normal()
                    && scaled[a].base == scaled[b].base
                    && scaled[a].exponent == scaled[b].exponent.checked_add(1)? =>
            {
                Some(scaled[b])
            }
            Step::ToFloat(Sort::Float(format), a) => match &ranges[a] {
                Range::Float(range) if range.format().width() <= format.width() => Some(scaled[a]),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Whether two terms have the same value, or both are NaN.
pub(super) fn is_same(one: Scaled, other: Scaled) -> bool {
    (one.base, one.exponent) == (other.base, other.exponent)
}

/// The exponent, if the only value is a power of two.
fn power_of_two(range: &FloatRange) -> Option<i32> {
    let [low, high] = range.bounds().filter(|_| range.is_normal())?;
    let bits = low.to_bits();
    let is_power = low == high && low > 0.0 && bits.trailing_zeros() >= f64::MANTISSA_DIGITS - 1;
    // All normal numbers of both formats are normal as 64 bits.
    is_power.then_some((bits >> (f64::MANTISSA_DIGITS - 1)) as i32 - (f64::MAX_EXP - 1))
}
