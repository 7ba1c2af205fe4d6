//! What is known of the values of terms.

use crate::eval::Value;
use crate::float_range::{FloatRange, Which};
use crate::integer::Integer;
use crate::interval::Interval;
use crate::semantics::mask;
use crate::term::{BvOp, BvOrder, Sort};

/// What is known of the values of a term.
#[derive(Clone, Copy, Debug)]
pub(super) enum Range {
    Float(FloatRange),
    /// Signed values of a machine integer, or of an integer between bounds.
    Whole(i128, i128),
    /// Whether it may be false, and whether it may be true.
    Truth(bool, bool),
    Unknown,
}
impl Range {
    /// What is known of a term of a sort if nothing is known.
    pub(super) fn all(sort: Sort) -> Range {
        match sort {
            Sort::Bool => Range::Truth(true, true),
            Sort::Float(format) => Range::Float(FloatRange::all(format)),
            Sort::BitVec(width @ 1..=64) => within(width, None),
            _ => Range::Unknown,
        }
    }

    pub(super) fn decided(truth: bool) -> Range {
        Range::Truth(!truth, truth)
    }

    pub(super) fn truth(&self) -> (bool, bool) {
        match *self {
            Range::Truth(no, yes) => (no, yes),
            _ => (true, true),
        }
    }

    pub(super) fn map_float(&self, f: impl Fn(&FloatRange) -> FloatRange) -> Range {
        match self {
            Range::Float(range) => Range::Float(f(range)),
            _ => Range::Unknown,
        }
    }

    pub(super) fn join(&self, other: &Range) -> Range {
        match (*self, *other) {
            (Range::Float(a), Range::Float(b)) => Range::Float(a.join(&b)),
            (Range::Whole(a_low, a_high), Range::Whole(b_low, b_high)) => {
                Range::Whole(a_low.min(b_low), a_high.max(b_high))
            }
            (Range::Truth(a_no, a_yes), Range::Truth(b_no, b_yes)) => Range::Truth(a_no || b_no, a_yes || b_yes),
            _ => Range::Unknown,
        }
    }

    /// Whether two terms are equal.
    pub(super) fn equal(&self, other: &Range) -> Range {
        match (*self, *other) {
            (Range::Float(a), Range::Float(b)) => {
                FloatRange::equal(&a, &b).map_or(Range::Truth(true, true), Range::decided)
            }
            (Range::Whole(a_low, a_high), Range::Whole(b_low, b_high)) => {
                let is_point = a_low == a_high && b_low == b_high && a_low == b_low;
                Range::Truth(!is_point, a_low <= b_high && b_low <= a_high)
            }
            (Range::Truth(a_no, a_yes), Range::Truth(b_no, b_yes)) => {
                Range::Truth(a_no && b_yes || a_yes && b_no, a_no && b_no || a_yes && b_yes)
            }
            _ => Range::Truth(true, true),
        }
    }

    pub(super) fn meet(&self, other: &Range) -> Option<Range> {
        match (*self, *other) {
            (Range::Float(a), Range::Float(b)) => a.meet(&b).map(Range::Float),
            (Range::Whole(a_low, a_high), Range::Whole(b_low, b_high)) => {
                let (low, high) = (a_low.max(b_low), a_high.min(b_high));
                (low <= high).then_some(Range::Whole(low, high))
            }
            (Range::Truth(a_no, a_yes), Range::Truth(b_no, b_yes)) => {
                let (no, yes) = (a_no && b_no, a_yes && b_yes);
                (no || yes).then_some(Range::Truth(no, yes))
            }
            _ => Some(*self),
        }
    }

    /// How many times it can be split, about.
    pub(super) fn size(&self) -> u32 {
        match self {
            Range::Float(range) => range.size(),
            Range::Whole(low, high) => 128 - high.abs_diff(*low).leading_zeros(),
            Range::Truth(no, yes) => u32::from(*no && *yes),
            Range::Unknown => 0,
        }
    }

    pub(super) fn split(&self) -> Option<[Range; 2]> {
        match *self {
            Range::Float(range) => range.split().map(|parts| parts.map(Range::Float)),
            Range::Whole(low, high) if low < high => {
                let middle = low + (high - low) / 2;
                Some([Range::Whole(low, middle), Range::Whole(middle + 1, high)])
            }
            Range::Truth(true, true) => Some([Range::Truth(true, false), Range::Truth(false, true)]),
            _ => None,
        }
    }

    /// One of its values alone.
    pub(super) fn one(&self, which: Which) -> Range {
        match (*self, which) {
            (Range::Float(range), _) => Range::Float(range.one(which)),
            (Range::Whole(low, high), Which::Plain) => {
                let nearest_to_zero = 0.clamp(low, high);
                Range::Whole(nearest_to_zero, nearest_to_zero)
            }
            (Range::Whole(low, _), Which::Least) => Range::Whole(low, low),
            (Range::Whole(_, high), Which::Greatest) => Range::Whole(high, high),
            (Range::Truth(true, true), _) => Range::decided(matches!(which, Which::Greatest)),
            (other, _) => other,
        }
    }

    /// The only value.
    pub(super) fn value(&self, sort: Sort) -> Option<Value> {
        Some(match (*self, sort) {
            (Range::Float(range), Sort::Float(format)) => Value::Float(format, range.as_point()?),
            (Range::Whole(value, _), Sort::BitVec(width)) => Value::Bv(width, value as u128 & mask(width)),
            (Range::Whole(value, _), Sort::Int) => Value::Int(i64::try_from(value).ok()?.into()),
            (Range::Truth(_, yes), Sort::Bool) => Value::Bool(yes),
            _ => return None,
        })
    }
}
/// The values between the bounds of an interval, if it has both.
pub(super) fn whole(interval: &Interval) -> Range {
    match (interval.low.as_ref().and_then(number), interval.high.as_ref().and_then(number)) {
        (Some(low), Some(high)) => Range::Whole(low, high),
        _ => Range::Unknown,
    }
}

pub(super) fn number(value: &Integer) -> Option<i128> {
    value.as_i64().map(i128::from)
}

/// The values of a machine integer of this width, of which these are all if they fit.
pub(super) fn within(width: u32, values: Option<(i128, i128)>) -> Range {
    let limit = i128::MAX >> (128 - width.clamp(1, 128));
    match values {
        Some((low, high)) if low >= -limit - 1 && high <= limit => Range::Whole(low, high),
        _ => Range::Whole(-limit - 1, limit),
    }
}

pub(super) fn machine(op: BvOp, width: u32, a: Range, b: Range) -> Range {
    let (Range::Whole(a_low, a_high), Range::Whole(b_low, b_high)) = (a, b) else { return within(width, None) };
    let least_and_greatest = |results: [Option<i128>; 4]| {
        let results: Option<Vec<i128>> = results.into_iter().collect();
        results.and_then(|results| Some((*results.iter().min()?, *results.iter().max()?)))
    };
    let corners = |f: fn(i128, i128) -> Option<i128>| {
        least_and_greatest([f(a_low, b_low), f(a_low, b_high), f(a_high, b_low), f(a_high, b_high)])
    };
    let values = match op {
        BvOp::Add => a_low.checked_add(b_low).zip(a_high.checked_add(b_high)),
        BvOp::Mul => corners(i128::checked_mul),
        BvOp::SDiv if b_low > 0 || b_high < 0 => corners(i128::checked_div),
        BvOp::SRem if b_low > 0 => {
            let most = (b_high - 1).min(a_high.max(0).max(-a_low.min(0)));
            Some((if a_low < 0 { -most } else { 0 }, if a_high > 0 { most } else { 0 }))
        }
        _ => None,
    };
    within(width, values)
}

pub(super) fn compare(order: BvOrder, a: Range, b: Range) -> Range {
    let (Range::Whole(a_low, a_high), Range::Whole(b_low, b_high)) = (a, b) else { return Range::Truth(true, true) };
    let is_signed = matches!(order, BvOrder::SLt | BvOrder::SLe);
    if !is_signed && (a_low < 0 || b_low < 0) {
        return Range::Truth(true, true);
    }
    match order {
        BvOrder::SLt | BvOrder::ULt => Range::Truth(a_high >= b_low, a_low < b_high),
        BvOrder::SLe | BvOrder::ULe => Range::Truth(a_high > b_low, a_low <= b_high),
    }
}
