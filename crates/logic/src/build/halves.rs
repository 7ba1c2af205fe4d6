//! Puts parts of bit-vectors together again. Programs take the halves of a number apart and join them, for instance those of a hash or of a
//! decimal, and everything that is not linear in the whole number is hard for solvers.

use crate::pool::Pool;
use crate::rules::Rule;
use crate::semantics::{mask, signed};
use crate::term::{BvOp, BvOrder, Node, Term};

impl Pool {
    /// The vector of which a sum, or another combination of bits that are not in both, has the upper bits in `upper` and the rest in `lower`.
    pub(super) fn joined(&mut self, op: BvOp, upper: Term, lower: Term) -> Option<Term> {
        let Node::BvBinary(BvOp::Shl, part, distance) = *self.node(upper) else { return None };
        if !matches!(op, BvOp::Or | BvOp::Add | BvOp::Xor) {
            return None;
        }
        let width = self.width(upper);
        let distance = u32::try_from(self.as_bits(distance)?).ok().filter(|&bits| 0 < bits && bits < width)?;
        let whole = self.shifted(part, distance, width)?;
        let rest = self.extract(distance - 1, 0, whole);
        let rest = self.resize(width, false, rest);
        self.fires(Rule::BvHalves, rest == lower).then_some(whole)
    }

    /// The vector of this width whose bits from `distance` on are the lowest bits of a part.
    fn shifted(&self, part: Term, distance: u32, width: u32) -> Option<Term> {
        let needed = width - distance;
        let mut part = part;
        loop {
            part = match *self.node(part) {
                Node::BvBinary(BvOp::LShr | BvOp::AShr, whole, by) => {
                    let fits = self.width(whole) == width && self.as_bits(by) == Some(distance.into());
                    return fits.then_some(whole);
                }
                Node::Extract { low, value, high } if low == distance && self.width(value) == width => {
                    return (high + 1 == width).then_some(value);
                }
                Node::Extract { low: 0, high, value } if high + 1 >= needed => value,
                Node::Extend { value, .. } if self.width(value) >= needed => value,
                _ => return None,
            };
        }
    }

    /// A comparison of the upper bits of a vector with a constant, as signed numbers, as one of the vector.
    pub(super) fn compared_whole(&mut self, order: BvOrder, a: Term, b: Term) -> Option<Term> {
        if !matches!(order, BvOrder::SLt | BvOrder::SLe) {
            return None;
        }
        let (part, bound, is_left) = match (self.as_bits(a), self.as_bits(b)) {
            (None, Some(bound)) => (a, bound, true),
            (Some(bound), None) => (b, bound, false),
            _ => return None,
        };
        let bits = self.width(part);
        let Node::Extract { low: 0, value, .. } = *self.node(part) else { return None };
        let Node::BvBinary(BvOp::LShr | BvOp::AShr, whole, distance) = *self.node(value) else { return None };
        let (width, distance) = (self.width(whole), self.as_bits(distance)?);
        if !self.fires(Rule::BvHalves, u128::from(width - bits) == distance) {
            return None;
        }
        // `part <= c` is `part < c + 1`, and `c < part` is `c + 1 <= part`.
        let is_next = (order == BvOrder::SLe) == is_left;
        if is_next && signed(bound, bits) == signed(mask(bits) >> 1, bits) {
            return Some(self.bool(is_left));
        }
        let bound = self.bv(width, (bound + u128::from(is_next)) << distance);
        Some(match is_left {
            true => self.bv_compare(BvOrder::SLt, whole, bound),
            false => self.bv_compare(BvOrder::SLe, bound, whole),
        })
    }

    /// Whether a shift leaves nothing but zeros by which a vector was extended.
    pub(super) fn shifts_all_out(&mut self, op: BvOp, a: Term, distance: Term) -> bool {
        let Node::Extend { signed: false, value, .. } = *self.node(a) else { return false };
        let is_out = |bits: u128| bits >= self.width(value).into();
        let shifts = matches!(op, BvOp::LShr | BvOp::AShr) && self.as_bits(distance).is_some_and(is_out);
        self.fires(Rule::BvHalves, shifts)
    }
}
