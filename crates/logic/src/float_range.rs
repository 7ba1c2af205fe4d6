//! Ranges of floats: what can be said of the result of an operator if its operands lie between bounds.
//!
//! Floats are in the order of IEEE 754's `totalOrder`, in which -0 is below 0, so that a range knows signs of zeros. In this order, rounding
//! is monotone, and so is each operator in each of its operands as long as the signs of the others stay the same. Therefore, bounds of
//! results are results at bounds, computed in the same format.

use crate::semantics;
use crate::term::{FloatFormat, FloatFunction, FloatOp, FloatOrder};
use std::cmp::Ordering;

/// Which value of a range.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which {
    Plain,
    Least,
    Greatest,
}

/// Some values of a float: those between two bounds, if there are any, and perhaps NaN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FloatRange {
    format: FloatFormat,
    bounds: Option<[f64; 2]>,
    nan: bool,
}

impl FloatRange {
    pub(crate) fn all(format: FloatFormat) -> FloatRange {
        FloatRange { format, bounds: Some([f64::NEG_INFINITY, f64::INFINITY]), nan: true }
    }

    pub(crate) fn point(format: FloatFormat, bits: u64) -> FloatRange {
        let value = semantics::to_f64(format, bits);
        let bounds = (!value.is_nan()).then_some([value; 2]);
        FloatRange { format, bounds, nan: bounds.is_none() }
    }

    pub(crate) fn between(format: FloatFormat, low: f64, high: f64) -> FloatRange {
        FloatRange { format, bounds: Some([low, high]), nan: false }
    }

    pub(crate) fn bounds(&self) -> Option<[f64; 2]> {
        self.bounds
    }

    pub(crate) fn may_be_nan(&self) -> bool {
        self.nan
    }

    pub(crate) fn format(&self) -> FloatFormat {
        self.format
    }

    /// One of its values: that which is easiest to read, the least, or the greatest. For infinite bounds, it is a small number if there is one.
    pub(crate) fn one(&self, which: Which) -> FloatRange {
        let chosen = self.bounds.map(|[low, high]| match which {
            Which::Plain if self.contains(0.0) && !high.is_sign_negative() => 0.0,
            Which::Plain if self.contains(1.0) => 1.0,
            Which::Plain if self.contains(-1.0) => -1.0,
            Which::Plain if high.is_sign_negative() => -self.shortest(self.next(-high, -1), -low),
            Which::Plain => self.shortest(self.next(low, -1), high),
            Which::Least if low.is_infinite() && self.contains(-1.0) => -1.0,
            Which::Least => low,
            Which::Greatest if high.is_infinite() && self.contains(1.0) => 1.0,
            Which::Greatest => high,
        });
        FloatRange { bounds: chosen.map(|value| [value; 2]), nan: chosen.is_none(), ..*self }
    }

    fn with_nan(self, nan: bool) -> FloatRange {
        FloatRange { nan: self.nan || nan, ..self }
    }

    /// The bits of the only value.
    pub(crate) fn as_point(&self) -> Option<u64> {
        match self.bounds {
            None => Some(bits(self.format, f64::NAN)),
            Some([low, high]) if low.to_bits() == high.to_bits() && !self.nan => Some(bits(self.format, low)),
            Some(_) => None,
        }
    }

    fn contains(&self, value: f64) -> bool {
        self.bounds.is_some_and(|[low, high]| low <= value && value <= high)
    }

    fn may_be_infinite(&self) -> bool {
        self.contains(f64::INFINITY) || self.contains(f64::NEG_INFINITY)
    }

    /// Whether all values are finite, and so large that no smaller number was rounded to one of them that has less precision.
    pub(crate) fn is_normal(&self) -> bool {
        let least = match self.format {
            FloatFormat::F32 => f32::MIN_POSITIVE.into(),
            FloatFormat::F64 => f64::MIN_POSITIVE,
        };
        self.is_finite() && self.bounds.is_some_and(|[low, high]| low > least || high < -least)
    }

    pub(crate) fn is_finite(&self) -> bool {
        !self.nan && !self.may_be_infinite()
    }

    /// The values that are in both ranges; `None` if there is none.
    pub(crate) fn meet(&self, other: &FloatRange) -> Option<FloatRange> {
        let bounds = self.bounds.zip(other.bounds).and_then(|([low, high], [other_low, other_high])| {
            let (low, high) = (greater(low, other_low), less(high, other_high));
            (low.total_cmp(&high) != Ordering::Greater).then_some([low, high])
        });
        let nan = self.nan && other.nan;
        (bounds.is_some() || nan).then_some(FloatRange { format: self.format, bounds, nan })
    }

    /// All values of both ranges, and those between them.
    pub(crate) fn join(&self, other: &FloatRange) -> FloatRange {
        let bounds = match (self.bounds, other.bounds) {
            (Some([low, high]), Some([other_low, other_high])) => {
                Some([less(low, other_low), greater(high, other_high)])
            }
            (one, other) => one.or(other),
        };
        FloatRange { format: self.format, bounds, nan: self.nan || other.nan }
    }

    /// The numbers of the range.
    pub(crate) fn without_nan(&self) -> Option<FloatRange> {
        self.bounds.map(|_| FloatRange { nan: false, ..*self })
    }

    /// NaN, if it is in the range.
    pub(crate) fn only_nan(&self) -> Option<FloatRange> {
        self.nan.then_some(FloatRange { bounds: None, ..*self })
    }

    /// The numbers that are at most the greatest of another range, or less.
    pub(crate) fn below(&self, other: &FloatRange, is_strict: bool) -> Option<FloatRange> {
        let ([low, high], [_, limit]) = (self.bounds?, other.bounds?);
        // Both zeros are equal.
        let limit = match (is_strict, limit == 0.0) {
            (false, true) => 0.0,
            (false, false) => limit,
            (true, true) => self.next(-0.0, -1),
            (true, false) if limit == f64::NEG_INFINITY => return None,
            (true, false) => self.next(limit, -1),
        };
        let high = less(high, limit);
        (low.total_cmp(&high) != Ordering::Greater).then(|| FloatRange::between(self.format, low, high))
    }

    /// The numbers that are at least the least of another range, or greater.
    pub(crate) fn above(&self, other: &FloatRange, is_strict: bool) -> Option<FloatRange> {
        self.neg().below(&other.neg(), is_strict).map(|range| range.neg())
    }

    /// The float with the fewest bits that is above one and not above another, both without a sign.
    fn shortest(&self, low: f64, high: f64) -> f64 {
        let [low, high] = [low, high].map(|value| place(self.format, value));
        let top = 63 - (low ^ high).leading_zeros().min(63);
        from_place(self.format, high >> top << top)
    }

    /// The float so many places further in the order.
    fn next(&self, value: f64, places: i64) -> f64 {
        from_place(self.format, place(self.format, value) + places)
    }

    pub(crate) fn neg(&self) -> FloatRange {
        FloatRange { bounds: self.bounds.map(|[low, high]| [-high, -low]), ..*self }
    }

    /// The results of an operator. `is_same` says that both operands are one term.
    pub(crate) fn binary(op: FloatOp, a: &FloatRange, b: &FloatRange, is_same: bool) -> FloatRange {
        let nothing = FloatRange { bounds: None, nan: true, ..*a };
        let (Some(x), Some(y)) = (a.bounds, b.bounds) else { return nothing };
        if let (Some(one), Some(other)) = (a.as_point(), b.as_point()) {
            return FloatRange::point(a.format, semantics::float_binary(op, a.format, one, other));
        }
        let nan = a.nan || b.nan;
        match op {
            FloatOp::Add if is_same => a.ends(op, [(x[0], x[0]), (x[1], x[1])], nan),
            FloatOp::Add => {
                let may_be_opposite = |one: &FloatRange, other: &FloatRange| {
                    one.contains(f64::INFINITY) && other.contains(f64::NEG_INFINITY)
                };
                let nan = nan || may_be_opposite(a, b) || may_be_opposite(b, a);
                a.ends(op, [(x[0], y[0]), (x[1], y[1])], nan)
            }
            FloatOp::Sub if is_same => FloatRange::between(a.format, 0.0, 0.0).with_nan(nan || a.may_be_infinite()),
            FloatOp::Sub => FloatRange::binary(FloatOp::Add, a, &b.neg(), false),
            FloatOp::Mul if is_same => {
                let [low, high] = a.magnitudes(x);
                a.ends(op, [(low, low), (high, high)], nan)
            }
            FloatOp::Mul => {
                let may_be_undefined =
                    |one: &FloatRange, other: &FloatRange| one.contains(0.0) && other.may_be_infinite();
                a.corners(op, x, y, nan || may_be_undefined(a, b) || may_be_undefined(b, a))
            }
            FloatOp::Div if is_same => {
                FloatRange::between(a.format, 1.0, 1.0).with_nan(nan || a.contains(0.0) || a.may_be_infinite())
            }
            FloatOp::Div => {
                let nan = nan || a.contains(0.0) && b.contains(0.0) || a.may_be_infinite() && b.may_be_infinite();
                // Quotients jump where the sign of the divisor changes.
                let [negative, positive] = [(y[0], less(y[1], -0.0)), (greater(y[0], 0.0), y[1])];
                let parts = [negative, positive].into_iter().filter(|(low, high)| low.total_cmp(high).is_le());
                let results = parts.map(|(low, high)| a.corners(op, x, [low, high], nan));
                results.reduce(|one, other| one.join(&other)).unwrap_or(nothing)
            }
            FloatOp::Rem => {
                let nan = nan || a.may_be_infinite() || b.contains(0.0);
                // A remainder has the sign of the dividend, and its magnitude is at most that of each operand.
                let most = less(a.magnitudes(x)[1], b.magnitudes(y)[1]);
                let low = if x[0].is_sign_negative() { -most } else { 0.0 };
                let high = if x[1].is_sign_negative() { -0.0 } else { most };
                FloatRange::between(a.format, low, high).with_nan(nan)
            }
        }
    }

    /// The least and the greatest magnitude.
    fn magnitudes(&self, [low, high]: [f64; 2]) -> [f64; 2] {
        let least = match (low.is_sign_negative(), high.is_sign_negative()) {
            (true, false) => 0.0,
            _ => less(low.abs(), high.abs()),
        };
        [least, greater(low.abs(), high.abs())]
    }

    /// The results between those for two pairs of operands.
    fn ends(&self, op: FloatOp, pairs: [(f64, f64); 2], nan: bool) -> FloatRange {
        let [low, high] = pairs.map(|(x, y)| compute(self.format, op, x, y));
        if low.is_nan() || high.is_nan() {
            return FloatRange::all(self.format);
        }
        FloatRange::between(self.format, low, high).with_nan(nan)
    }

    /// The results of a product, or of a quotient whose divisors have one sign, between those at bounds.
    fn corners(&self, op: FloatOp, x: [f64; 2], y: [f64; 2], nan: bool) -> FloatRange {
        let results = [(x[0], y[0]), (x[0], y[1]), (x[1], y[0]), (x[1], y[1])].map(|(x, y)| {
            let result = compute(self.format, op, x, y);
            // `0 * inf`, `0 / 0` and `inf / inf`: beside them, there are zeros and infinities of this sign.
            match (result.is_nan(), x.is_sign_negative() == y.is_sign_negative()) {
                (false, _) => [result; 2],
                (true, true) => [0.0, f64::INFINITY],
                (true, false) => [f64::NEG_INFINITY, -0.0],
            }
        });
        let [low, high] =
            results.into_iter().fold(results[0], |[low, high], [least, most]| [less(low, least), greater(high, most)]);
        FloatRange::between(self.format, low, high).with_nan(nan)
    }

    /// The results of a function.
    pub(crate) fn unary(&self, function: FloatFunction) -> FloatRange {
        let Some([low, high]) = self.bounds else { return *self };
        let apply = |value: f64| {
            let result = semantics::float_unary(function, self.format, bits(self.format, value));
            semantics::to_f64(self.format, result)
        };
        match function {
            FloatFunction::Abs => {
                let [low, high] = self.magnitudes([low, high]);
                FloatRange { bounds: Some([low, high]), ..*self }
            }
            FloatFunction::Sqrt if high < 0.0 => FloatRange { bounds: None, nan: true, ..*self },
            FloatFunction::Sqrt => {
                let bounds = Some([apply(greater(low, -0.0)), apply(high)]);
                FloatRange { bounds, ..*self }.with_nan(low < 0.0)
            }
            FloatFunction::Floor | FloatFunction::Ceil | FloatFunction::Rint => {
                FloatRange { bounds: Some([apply(low), apply(high)]), ..*self }
            }
        }
    }

    /// The nearest floats of another format.
    pub(crate) fn rounded_to(&self, format: FloatFormat) -> FloatRange {
        let round = |value: f64| semantics::to_f64(format, bits(format, value));
        FloatRange { format, bounds: self.bounds.map(|bounds| bounds.map(round)), nan: self.nan }
    }

    /// The machine integers, rounded toward zero, with the nearest one for those that are too large, and 0 for NaN.
    pub(crate) fn to_machine(self, width: u32) -> (i128, i128) {
        let limit = i128::MAX >> (128 - width.clamp(1, 128));
        // Casts to `i128` round in the same way.
        let whole = |value: f64| (value as i128).clamp(-limit - 1, limit);
        match self.bounds {
            None => (0, 0),
            Some([low, high]) if self.nan => (whole(low).min(0), whole(high).max(0)),
            Some([low, high]) => (whole(low), whole(high)),
        }
    }

    /// The floats that are nearest to integers.
    pub(crate) fn of_integers(format: FloatFormat, low: i128, high: i128) -> FloatRange {
        let nearest = |value: i128| match format {
            FloatFormat::F32 => f64::from(value as f32),
            FloatFormat::F64 => value as f64,
        };
        FloatRange::between(format, nearest(low), nearest(high))
    }

    /// Whether an IEEE comparison holds, if that is the same for all values.
    pub(crate) fn compare(order: FloatOrder, a: &FloatRange, b: &FloatRange) -> Option<bool> {
        let (Some([a_low, a_high]), Some([b_low, b_high])) = (a.bounds, b.bounds) else { return Some(false) };
        let (always, never) = match order {
            FloatOrder::Lt => (a_high < b_low, a_low >= b_high),
            FloatOrder::Le => (a_high <= b_low, a_low > b_high),
            FloatOrder::Eq => (a_high <= b_low && b_high <= a_low, a_high < b_low || b_high < a_low),
        };
        if never {
            return Some(false);
        }
        (always && !a.nan && !b.nan).then_some(true)
    }

    /// Whether values are the same, if that is the same for all of them.
    pub(crate) fn equal(a: &FloatRange, b: &FloatRange) -> Option<bool> {
        if a.meet(b).is_none() {
            return Some(false);
        }
        (a.as_point()? == b.as_point()?).then_some(true)
    }

    /// How many times it can be split, about.
    pub(crate) fn size(&self) -> u32 {
        let Some([low, high]) = self.bounds else { return 0 };
        let steps = place(self.format, high).abs_diff(place(self.format, low));
        64 - steps.leading_zeros() + u32::from(self.nan)
    }

    /// Two parts of it, if it has more than one value. Numbers between the parts are as short as possible in binary.
    pub(crate) fn split(&self) -> Option<[FloatRange; 2]> {
        let [low, high] = self.bounds?;
        if let Some(nan) = self.only_nan() {
            return Some([self.without_nan()?, nan]);
        }
        if low.to_bits() == high.to_bits() {
            return None;
        }
        if high.is_sign_negative() {
            return self.neg().split().map(|[one, other]| [other.neg(), one.neg()]);
        }
        let middle = if low.is_sign_negative() { 0.0 } else { self.shortest(low, high) };
        let before = self.next(middle, -1);
        Some([(low, before), (middle, high)].map(|(low, high)| FloatRange::between(self.format, low, high)))
    }
}

fn less(a: f64, b: f64) -> f64 {
    if a.total_cmp(&b).is_le() { a } else { b }
}

fn greater(a: f64, b: f64) -> f64 {
    if a.total_cmp(&b).is_ge() { a } else { b }
}

/// The bits of a value in a format, rounded if it has to be.
fn bits(format: FloatFormat, value: f64) -> u64 {
    let bits = match format {
        FloatFormat::F32 => (value as f32).to_bits().into(),
        FloatFormat::F64 => value.to_bits(),
    };
    semantics::canonical(format, bits)
}

fn compute(format: FloatFormat, op: FloatOp, x: f64, y: f64) -> f64 {
    semantics::to_f64(format, semantics::float_binary(op, format, bits(format, x), bits(format, y)))
}

/// The place of a number in the order of its format. That of 0 is 0, and that of -0 is -1.
fn place(format: FloatFormat, value: f64) -> i64 {
    match format {
        FloatFormat::F32 => {
            let bits = (value as f32).to_bits() as i32;
            (bits ^ ((bits >> 31) as u32 >> 1) as i32).into()
        }
        FloatFormat::F64 => {
            let bits = value.to_bits() as i64;
            bits ^ ((bits >> 63) as u64 >> 1) as i64
        }
    }
}

fn from_place(format: FloatFormat, place: i64) -> f64 {
    match format {
        FloatFormat::F32 => {
            let place = place as i32;
            f32::from_bits((place ^ ((place >> 31) as u32 >> 1) as i32) as u32).into()
        }
        FloatFormat::F64 => f64::from_bits((place ^ ((place >> 63) as u64 >> 1) as i64) as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: [FloatFormat; 2] = [FloatFormat::F32, FloatFormat::F64];
    const OPS: [FloatOp; 5] = [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div, FloatOp::Rem];
    const FUNCTIONS: [FloatFunction; 5] =
        [FloatFunction::Abs, FloatFunction::Sqrt, FloatFunction::Floor, FloatFunction::Ceil, FloatFunction::Rint];
    const ORDERS: [FloatOrder; 3] = [FloatOrder::Eq, FloatOrder::Lt, FloatOrder::Le];

    /// Values at which operators change how they behave, and others.
    fn values(format: FloatFormat) -> Vec<f64> {
        let (least, tiny, most) = match format {
            FloatFormat::F32 => (f32::MIN_POSITIVE.into(), f32::from_bits(1).into(), f32::MAX.into()),
            FloatFormat::F64 => (f64::MIN_POSITIVE, f64::from_bits(1), f64::MAX),
        };
        let above = [0.0, tiny, least, 0.25, 0.5, 1.0, 1.25, 2.5, 3.0, 7.75, 1e9, most, f64::INFINITY];
        let mut all: Vec<f64> = above.iter().rev().map(|value| -value).chain(above).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    /// All ranges between some values, with NaN and without.
    fn ranges(format: FloatFormat) -> Vec<FloatRange> {
        let values = values(format);
        let mut all = vec![FloatRange { format, bounds: None, nan: true }];
        for (at, &low) in values.iter().enumerate() {
            for &high in values[at..].iter().step_by(3) {
                all.extend([false, true].map(|nan| FloatRange::between(format, low, high).with_nan(nan)));
            }
        }
        all
    }

    fn members(range: &FloatRange) -> Vec<f64> {
        let mut all: Vec<f64> = values(range.format).into_iter().filter(|value| range.has(*value)).collect();
        all.extend(range.nan.then_some(f64::NAN));
        all
    }

    impl FloatRange {
        fn has(&self, value: f64) -> bool {
            match self.bounds {
                _ if value.is_nan() => self.nan,
                None => false,
                Some([low, high]) => low.total_cmp(&value).is_le() && value.total_cmp(&high).is_le(),
            }
        }
    }

    #[test]
    fn results_are_in_their_ranges() {
        for format in FORMATS {
            for a in ranges(format) {
                for function in FUNCTIONS {
                    let found = a.unary(function);
                    for value in members(&a) {
                        let result = semantics::float_unary(function, format, bits(format, value));
                        assert!(found.has(semantics::to_f64(format, result)), "{function:?} {value} {a:?}: {found:?}");
                    }
                }
                for op in OPS {
                    let found = FloatRange::binary(op, &a, &a, true);
                    for value in members(&a) {
                        assert!(found.has(compute(format, op, value, value)), "{op:?} {value} {a:?}: {found:?}");
                    }
                }
                for value in members(&a) {
                    let (low, high) = a.to_machine(32);
                    let whole = i128::from(value as i32);
                    assert!(low <= whole && whole <= high, "{value} {a:?}");
                    let rounded = a.rounded_to(FloatFormat::F32);
                    assert!(rounded.has(f64::from(value as f32)), "{value} {a:?}");
                }
            }
        }
    }

    #[test]
    fn results_of_two_operands_are_in_their_ranges() {
        for format in FORMATS {
            let ranges = ranges(format);
            for (a, b) in ranges.iter().step_by(5).flat_map(|a| ranges.iter().step_by(7).map(move |b| (a, b))) {
                let (of_a, of_b) = (members(a), members(b));
                let pairs = || of_a.iter().flat_map(|&x| of_b.iter().map(move |&y| (x, y)));
                for op in OPS {
                    let found = FloatRange::binary(op, a, b, false);
                    for (x, y) in pairs() {
                        let result = compute(format, op, x, y);
                        assert!(found.has(result), "{op:?} {x} {y}: {result} is not in {found:?}");
                    }
                }
                for order in ORDERS {
                    let found = FloatRange::compare(order, a, b);
                    let holds =
                        |x: f64, y: f64| semantics::float_compare(order, format, bits(format, x), bits(format, y));
                    assert!(
                        pairs().all(|(x, y)| found.is_none_or(|found| found == holds(x, y))),
                        "{order:?} {a:?} {b:?}"
                    );
                }
                let found = FloatRange::equal(a, b);
                let same = |x: f64, y: f64| bits(format, x) == bits(format, y);
                assert!(pairs().all(|(x, y)| found.is_none_or(|found| found == same(x, y))), "{a:?} {b:?}");
                for is_strict in [false, true] {
                    let holds = |x: f64, y: f64| if is_strict { x < y } else { x <= y };
                    let (below, above) = (a.below(b, is_strict), b.above(a, is_strict));
                    for (x, y) in pairs().filter(|&(x, y)| holds(x, y)) {
                        assert!(below.is_some_and(|range| range.has(x)), "{x} {y} {a:?} {b:?}");
                        assert!(above.is_some_and(|range| range.has(y)), "{x} {y} {a:?} {b:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn one_value_is_in_the_range() {
        for format in FORMATS {
            for range in ranges(format) {
                for which in [Which::Plain, Which::Least, Which::Greatest] {
                    let one = range.one(which);
                    let value = semantics::to_f64(format, one.as_point().expect("one value"));
                    assert!(range.has(value), "{value} of {range:?}");
                }
            }
        }
        let plain = |low: f64, high: f64| FloatRange::between(FloatFormat::F64, low, high).one(Which::Plain).bounds();
        assert_eq!(plain(-3.0, f64::INFINITY), Some([0.0; 2]));
        assert_eq!(plain(1.0, f64::INFINITY), Some([1.0; 2]));
        assert_eq!(plain(-0.3, -0.1), Some([-0.125; 2]));
    }

    #[test]
    fn parts_have_all_values() {
        for format in FORMATS {
            for range in ranges(format) {
                match range.split() {
                    None => assert!(range.as_point().is_some(), "{range:?}"),
                    Some(parts) => {
                        for value in members(&range) {
                            let number = parts.iter().filter(|part| part.has(value)).count();
                            assert_eq!(number, 1, "{value} of {range:?} in {parts:?}");
                        }
                    }
                }
            }
        }
    }
}
