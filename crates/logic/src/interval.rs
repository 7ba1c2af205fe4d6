//! Intervals of integers, which may be unbounded.

use crate::integer::Integer;
use std::fmt;

/// All integers from `low` to `high`. A bound that is `None` is infinite. An interval is never empty: an operation
/// whose result may be empty returns an `Option`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interval {
    /// Least element.
    pub low: Option<Integer>,
    /// Greatest element.
    pub high: Option<Integer>,
}

impl Interval {
    /// All integers.
    pub const ALL: Interval = Interval { low: None, high: None };

    /// One integer.
    pub fn point(value: Integer) -> Self {
        Interval { low: Some(value.clone()), high: Some(value) }
    }

    /// `low..=high`, or `None` if that is empty.
    pub fn new(low: Option<Integer>, high: Option<Integer>) -> Option<Self> {
        match (&low, &high) {
            (Some(l), Some(h)) if l > h => None,
            _ => Some(Interval { low, high }),
        }
    }

    /// All integers up to `high`.
    pub fn at_most(high: Integer) -> Self {
        Interval { low: None, high: Some(high) }
    }

    /// All integers from `low`.
    pub fn at_least(low: Integer) -> Self {
        Interval { low: Some(low), high: None }
    }

    /// The values of a machine integer of `width` bits.
    pub fn machine(width: u32, signed: bool) -> Self {
        let bits = crate::semantics::mask(width);
        if signed {
            let low = Integer::from_signed_bits(1 << (width.clamp(1, 128) - 1), width);
            Interval { high: Some(Integer::from_signed_bits(bits >> 1, 128)), low: Some(low) }
        } else {
            Interval { low: Some(Integer::ZERO), high: Some(Integer::from_unsigned_bits(bits)) }
        }
    }

    /// The only element, if there is only one.
    pub fn as_point(&self) -> Option<&Integer> {
        match (&self.low, &self.high) {
            (Some(low), Some(high)) if low == high => Some(low),
            _ => None,
        }
    }

    /// Whether the interval contains `value`.
    pub fn contains(&self, value: &Integer) -> bool {
        self.low.as_ref().is_none_or(|low| low <= value) && self.high.as_ref().is_none_or(|high| value <= high)
    }

    /// Whether the interval contains all of `other`.
    pub fn includes(&self, other: &Interval) -> bool {
        let low = match (&self.low, &other.low) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => a <= b,
        };
        let high = match (&self.high, &other.high) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => a >= b,
        };
        low && high
    }

    /// The intersection (paper 4's `narrow`, corrected by erratum 1), or `None` if it is empty.
    pub fn meet(&self, other: &Interval) -> Option<Interval> {
        let low = match (&self.low, &other.low) {
            (Some(a), Some(b)) => Some(a.max(b).clone()),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        let high = match (&self.high, &other.high) {
            (Some(a), Some(b)) => Some(a.min(b).clone()),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        Interval::new(low, high)
    }

    /// The least interval that includes both (paper 4's `broaden`).
    pub fn join(&self, other: &Interval) -> Interval {
        let low = self.low.as_ref().zip(other.low.as_ref()).map(|(a, b)| a.min(b).clone());
        let high = self.high.as_ref().zip(other.high.as_ref()).map(|(a, b)| a.max(b).clone());
        Interval { low, high }
    }

    /// The sums of an element of each interval.
    pub fn add(&self, other: &Interval) -> Interval {
        Interval {
            low: self.low.as_ref().zip(other.low.as_ref()).map(|(a, b)| a + b),
            high: self.high.as_ref().zip(other.high.as_ref()).map(|(a, b)| a + b),
        }
    }

    /// The negations of the elements.
    pub fn neg(&self) -> Interval {
        Interval { low: self.high.as_ref().map(|h| -h), high: self.low.as_ref().map(|l| -l) }
    }

    /// The products of the elements and a constant.
    pub fn scale(&self, factor: &Integer) -> Interval {
        match factor.signum() {
            0 => Interval::point(Integer::ZERO),
            1 => Interval { low: self.low.as_ref().map(|l| l * factor), high: self.high.as_ref().map(|h| h * factor) },
            _ => self.neg().scale(&-factor),
        }
    }

    /// The smallest interval that contains all products of an element of each interval.
    pub fn mul(&self, other: &Interval) -> Interval {
        // A bound times an infinite bound is infinite, with the sign of the bound, or zero if the bound is zero.
        #[derive(PartialEq, Eq, PartialOrd, Ord, Clone)]
        enum Extended {
            MinusInfinity,
            Finite(Integer),
            PlusInfinity,
        }
        use Extended::*;
        let sign = |x: &Extended| match x {
            MinusInfinity => -1,
            Finite(value) => value.signum(),
            PlusInfinity => 1,
        };
        let product = |a: &Extended, b: &Extended| match (a, b) {
            (Finite(a), Finite(b)) => Finite(a * b),
            _ => match sign(a) * sign(b) {
                0 => Finite(Integer::ZERO),
                1 => PlusInfinity,
                _ => MinusInfinity,
            },
        };
        let ends =
            |i: &Interval| [i.low.clone().map_or(MinusInfinity, Finite), i.high.clone().map_or(PlusInfinity, Finite)];
        let (a, b) = (ends(self), ends(other));
        let mut corners = [product(&a[0], &b[0]), product(&a[0], &b[1]), product(&a[1], &b[0]), product(&a[1], &b[1])];
        corners.sort();
        let finite = |x: &Extended| match x {
            Finite(value) => Some(value.clone()),
            _ => None,
        };
        Interval { low: finite(&corners[0]), high: finite(&corners[3]) }
    }

    /// The results of SMT-LIB's `div` of the elements by a positive constant.
    pub fn div_by(&self, divisor: &Integer) -> Interval {
        Interval {
            low: self.low.as_ref().and_then(|l| l.div_floor(divisor)),
            high: self.high.as_ref().and_then(|h| h.div_floor(divisor)),
        }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.low {
            Some(low) => write!(f, "[{low}, ")?,
            None => write!(f, "(-inf, ")?,
        }
        match &self.high {
            Some(high) => write!(f, "{high}]"),
            None => write!(f, "+inf)"),
        }
    }
}
