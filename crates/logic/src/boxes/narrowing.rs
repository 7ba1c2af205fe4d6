//! Makes ranges of variables smaller by what must be true.

use super::Boxes;
use super::range::Range;
use super::step::Step;
use crate::float_range::FloatRange;
use crate::term::{BvOrder, FloatOrder};

/// Makes ranges of variables smaller by what must be true.
pub(super) struct Narrowing<'a> {
    pub(super) boxes: &'a Boxes,
    pub(super) ranges: &'a [Range],
    pub(super) values: &'a mut [Range],
    pub(super) has_changed: bool,
}

impl Narrowing<'_> {
    /// Minds that a term is true, or false. `None` if no values are left.
    pub(super) fn assume(&mut self, at: usize, truth: bool) -> Option<()> {
        match (&self.boxes.steps[at], truth) {
            (Step::Variable(variable), _) => self.narrow(*variable, Range::decided(truth)),
            (Step::Not(a), _) => self.assume(*a, !truth),
            (Step::All(parts), true) | (Step::Any(parts), false) => {
                parts.iter().try_for_each(|&part| self.assume(part, truth))
            }
            (Step::IsNan(a), _) => {
                let Range::Float(range) = self.ranges[*a] else { return Some(()) };
                self.be(*a, Range::Float(if truth { range.only_nan()? } else { range.without_nan()? }))
            }
            (&Step::FloatOrder(order, a, b), _) => {
                let (Range::Float(x), Range::Float(y)) = (self.ranges[a], self.ranges[b]) else { return Some(()) };
                match (order, truth) {
                    (FloatOrder::Lt, true) => self.be_in_order([a, b], [x, y], true),
                    (FloatOrder::Le, true) => self.be_in_order([a, b], [x, y], false),
                    (FloatOrder::Eq, true) => {
                        self.be_in_order([a, b], [x, y], false)?;
                        self.be_in_order([b, a], [y, x], false)
                    }
                    // Of what is not less, nothing follows if it may be NaN.
                    (_, false) if x.may_be_nan() || y.may_be_nan() => Some(()),
                    (FloatOrder::Lt, false) => self.be_in_order([b, a], [y, x], false),
                    (FloatOrder::Le, false) => self.be_in_order([b, a], [y, x], true),
                    (FloatOrder::Eq, false) => Some(()),
                }
            }
            (&Step::MachineOrder(order, a, b), _) => {
                let (Range::Whole(a_low, a_high), Range::Whole(b_low, b_high)) = (self.ranges[a], self.ranges[b])
                else {
                    return Some(());
                };
                let is_signed = matches!(order, BvOrder::SLt | BvOrder::SLe);
                if !is_signed && (a_low < 0 || b_low < 0) {
                    return Some(());
                }
                let is_strict = matches!(order, BvOrder::SLt | BvOrder::ULt) == truth;
                let gap = i128::from(is_strict);
                if truth {
                    self.be(a, Range::Whole(i128::MIN, b_high - gap))?;
                    self.be(b, Range::Whole(a_low + gap, i128::MAX))
                } else {
                    self.be(b, Range::Whole(i128::MIN, a_high - gap))?;
                    self.be(a, Range::Whole(b_low + gap, i128::MAX))
                }
            }
            (&Step::Equal(a, b), true) => {
                self.be(a, self.ranges[b])?;
                self.be(b, self.ranges[a])
            }
            _ => Some(()),
        }
    }

    /// Minds that one float is not above another one, or below it.
    fn be_in_order(&mut self, [a, b]: [usize; 2], [x, y]: [FloatRange; 2], is_strict: bool) -> Option<()> {
        self.be(a, Range::Float(x.below(&y, is_strict)?))?;
        self.be(b, Range::Float(y.above(&x, is_strict)?))
    }

    /// Minds that a term has one of these values.
    fn be(&mut self, at: usize, range: Range) -> Option<()> {
        match (&self.boxes.steps[at], range) {
            (Step::Variable(variable), _) => self.narrow(*variable, range),
            (Step::FloatNeg(a), Range::Float(range)) => self.be(*a, Range::Float(range.neg())),
            _ => Some(()),
        }
    }

    fn narrow(&mut self, variable: usize, range: Range) -> Option<()> {
        let before = self.values[variable];
        let after = before.meet(&range)?;
        self.has_changed |= after.size() < before.size();
        self.values[variable] = after;
        Some(())
    }
}
