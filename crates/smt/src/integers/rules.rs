//! Translates each operation to integers. Each rule states why it is exact: `e` is the image of a term `t` of `n`
//! bits, so `e ≡ t (mod 2^n)`.

use super::{Image, Integers, integer_sort, multiples};
use aback_logic::{BvOp, BvOrder, Conversion, Integer, Interval, Node, Pool, Sort, Term, VarId};

/// Greatest number of alternatives that a case distinction enumerates; beyond it, `mod` is used.
const CASES: i64 = 3;
/// Number of bits by which an image may exceed its range before it is reduced.
const SLACK: u32 = 40;
/// Greatest number of runs of ones in a mask that is split into runs.
const RUNS: usize = 2;

impl Integers {
    /// The image of a term whose subterms have images.
    pub(super) fn level(&mut self, pool: &mut Pool, term: Term) -> Option<Image> {
        let width = pool.width(term);
        let image = match *pool.node(term) {
            Node::Bv { width, bits } => {
                let value = Integer::from_signed_bits(bits, width);
                Image { term: pool.integer(value.clone()), interval: Interval::point(value) }
            }
            Node::Var(variable) => {
                let sort = pool.variable(variable).sort;
                if integer_sort(pool, sort) == sort {
                    plain(term)
                } else {
                    let image = self.variable(pool, variable);
                    self.cell(pool, term, image)
                }
            }
            Node::BvBinary(op, a, b) => {
                let (a, b) = (self.known_image(pool, a)?, self.known_image(pool, b)?);
                let image = self.binary(pool, op, width, &a, &b)?;
                // Earlier formulas may bound a sum, and not its parts.
                let known = self.known.interval(pool, image.term);
                Image { term: image.term, interval: image.interval.meet(&known).unwrap_or(image.interval) }
            }
            // −1 − e, because the complement of all bits is −t − 1.
            Node::BvNot(a) => {
                let negated = scale(pool, &Integer::MINUS_ONE, &self.known_image(pool, a)?);
                offset(pool, &negated, &Integer::MINUS_ONE)
            }
            Node::BvNeg(a) => scale(pool, &Integer::MINUS_ONE, &self.known_image(pool, a)?),
            Node::BvCompare(order, a, b) => {
                let operands = pool.width(a);
                let (a, b) = (self.known_image(pool, a)?, self.known_image(pool, b)?);
                plain(compare(pool, order, operands, &a, &b))
            }
            // floor((t + k·2^n) / 2^low) = floor(t / 2^low) + k·2^(n-low), and the result has at most n − low bits.
            Node::Extract { low, value, .. } => {
                let value = self.known_image(pool, value)?;
                divide(pool, &value, &Integer::power_of_two(low))
            }
            // Multiples of 2^n in the upper part become multiples of 2^(n + lower width).
            Node::Concat(upper, lower) => {
                let border = pool.width(lower);
                let (upper, lower) = (self.known_image(pool, upper)?, self.known_image(pool, lower)?);
                let upper = scale(pool, &Integer::power_of_two(border), &upper);
                let lower = unsigned(pool, &lower, border);
                add(pool, &upper, &lower)
            }
            Node::Extend { signed: is_signed, value, .. } => {
                let narrow = pool.width(value);
                let value = self.known_image(pool, value)?;
                if is_signed { signed(pool, &value, narrow) } else { unsigned(pool, &value, narrow) }
            }
            Node::Convert(conversion, value) => match conversion {
                Conversion::BvToInt { signed: is_signed } => {
                    let narrow = pool.width(value);
                    let value = self.known_image(pool, value)?;
                    if is_signed { signed(pool, &value, narrow) } else { unsigned(pool, &value, narrow) }
                }
                Conversion::IntToBv(_) => {
                    let value = self.known_image(pool, value)?;
                    let interval = self.known.interval(pool, value.term);
                    let interval = value.interval.meet(&interval).unwrap_or(value.interval);
                    Image { term: value.term, interval }
                }
                Conversion::FloatToFloat(_) => self.rebuilt(pool, term)?,
                Conversion::BvToFloat { .. }
                | Conversion::FloatToBv(_)
                | Conversion::FloatToBits(_)
                | Conversion::BitsToFloat(_) => return None,
            },
            Node::Eq(a, b) => match pool.sort(a) {
                Sort::BitVec(width) => {
                    let (a, b) = (self.known_image(pool, a)?, self.known_image(pool, b)?);
                    plain(equal(pool, width, &a, &b))
                }
                // Arrays that are equal within the range may differ outside it.
                sort @ Sort::Array(_) if integer_sort(pool, sort) != sort => return None,
                _ => self.rebuilt(pool, term)?,
            },
            Node::Ite(condition, a, b) if matches!(pool.sort(term), Sort::BitVec(_)) => {
                let condition = self.known_image(pool, condition)?.term;
                let (a, b) = (self.known_image(pool, a)?, self.known_image(pool, b)?);
                choice(pool, condition, a, b)
            }
            Node::Select(array, index) => {
                let array = self.known_image(pool, array)?.term;
                let index = self.value(pool, index)?;
                let element = pool.select(array, index);
                if matches!(pool.node(element), Node::Select(..)) {
                    self.cell(pool, term, element)
                } else {
                    // The element is a written value, which is in the range already.
                    self.bounded(pool, term, element)
                }
            }
            Node::Store(array, index, value) => {
                let array = self.known_image(pool, array)?.term;
                let (index, value) = (self.value(pool, index)?, self.value(pool, value)?);
                plain(pool.store(array, index, value))
            }
            Node::ConstArray(_, value) => {
                let sort = pool.sort(term);
                let (sort, value) = (integer_sort(pool, sort), self.value(pool, value)?);
                plain(pool.const_array(sort, value))
            }
            Node::Quantified { variable, low, high, .. } => {
                let (low, high) = (self.known_image(pool, low)?.term, self.known_image(pool, high)?.term);
                self.quantify_facts(pool, variable, low, high);
                self.rebuilt(pool, term)?
            }
            _ => self.rebuilt(pool, term)?,
        };
        let Sort::BitVec(width) = pool.sort(term) else {
            return Some(image);
        };
        // Any representative is correct, but large numbers are slow.
        let limit = Interval::machine((width + SLACK).min(128), true);
        Some(if limit.includes(&image.interval) { image } else { signed(pool, &image, width) })
    }

    /// A term without bit-vectors of its own, rebuilt from the images of its subterms.
    fn rebuilt(&mut self, pool: &mut Pool, term: Term) -> Option<Image> {
        let images = &self.images;
        let image = |part: Term| images.get(&part).and_then(Option::as_ref).map_or(part, |image| image.term);
        Some(plain(pool.rebuild(term, image)))
    }

    /// The image of a variable or a read, which is in the range of its sort.
    fn cell(&mut self, pool: &mut Pool, term: Term, image: Term) -> Image {
        if let Sort::BitVec(width) = pool.sort(term)
            && !self.ranged.contains(&image)
        {
            let range = Interval::machine(width, true);
            if let (Some(low), Some(high)) = (range.low, range.high) {
                let (low, high) = (pool.integer(low), pool.integer(high));
                let facts = [pool.le(low, image), pool.le(image, high)];
                self.facts.extend(facts);
                self.ranged.insert(image);
                self.trail.push(image);
            }
        }
        self.bounded(pool, term, image)
    }

    /// Range facts about terms under a quantifier hold for each value of its variable.
    fn quantify_facts(&mut self, pool: &mut Pool, variable: VarId, low: Term, high: Term) {
        let bound = pool.variable_term(variable);
        for fact in std::mem::take(&mut self.facts) {
            let is_about = pool.free_variables(&[fact]).contains(&variable);
            self.facts.push(if is_about { pool.quantified(true, bound, low, high, fact) } else { fact });
        }
    }

    /// The image of a term, given an integer that is in the range of the term's sort.
    fn bounded(&self, pool: &Pool, term: Term, image: Term) -> Image {
        let Sort::BitVec(width) = pool.sort(term) else {
            return plain(image);
        };
        let range = Interval::machine(width, true);
        let interval = self.known.interval(pool, image).meet(&range).unwrap_or(range);
        Image { term: image, interval }
    }

    /// The unique integer representative of a term: the signed value of a bit-vector.
    fn value(&mut self, pool: &mut Pool, term: Term) -> Option<Term> {
        let image = self.known_image(pool, term)?;
        Some(match pool.sort(term) {
            Sort::BitVec(width) => signed(pool, &image, width).term,
            _ => image.term,
        })
    }

    /// A shift by a distance that is one of these.
    fn shifted(
        &mut self,
        pool: &mut Pool,
        op: BvOp,
        width: u32,
        a: &Image,
        distance: &Image,
        distances: &[Integer],
    ) -> Option<Image> {
        let mut result: Option<Image> = None;
        for known in distances {
            let known = number(pool, known.clone());
            let by_known = self.binary(pool, op, width, a, &known)?;
            result = Some(match result {
                None => by_known,
                Some(others) => {
                    let is_known = pool.eq(distance.term, known.term);
                    choice(pool, is_known, by_known, others)
                }
            });
        }
        result
    }

    /// A quotient or a remainder by a divisor that is no constant: what the absolute values give, with the sign that it has for
    /// constants, and for a zero divisor what SMT-LIB defines.
    fn divided(&mut self, pool: &mut Pool, op: BvOp, width: u32, a: &Image, b: &Image) -> Image {
        let read = if matches!(op, BvOp::SDiv | BvOp::SRem) { signed } else { unsigned };
        if !self.divisors.contains(&b.term) {
            self.divisors.push(b.term);
        }
        let (a, b) = (read(pool, a, width), read(pool, b, width));
        let zero = number(pool, Integer::ZERO);
        let is_quotient = matches!(op, BvOp::SDiv | BvOp::UDiv);
        let by = absolute(pool, &b);
        let part = toward_zero(pool, &a, |pool, a| match is_quotient {
            true => {
                let least = by.interval.low.clone().unwrap_or(Integer::ZERO).max(Integer::ONE);
                let high = a.interval.high.as_ref().and_then(|high| high.div_floor(&least));
                Image { term: pool.int_div(a.term, by.term), interval: Interval { low: Some(Integer::ZERO), high } }
            }
            false => {
                let below = by.interval.high.as_ref().map(|high| high - &Integer::ONE);
                let high = a.interval.high.iter().cloned().chain(below).min();
                Image { term: pool.int_mod(a.term, by.term), interval: Interval { low: Some(Integer::ZERO), high } }
            }
        });
        let is_negative = less(pool, true, &b, &zero);
        let part = if is_quotient {
            let negated = scale(pool, &Integer::MINUS_ONE, &part);
            choice(pool, is_negative, negated, part)
        } else {
            part
        };
        if !b.interval.contains(&Integer::ZERO) {
            return part;
        }
        let by_zero = match op {
            BvOp::SDiv => {
                let below = less(pool, true, &a, &zero);
                let (one, minus_one) = (number(pool, Integer::ONE), number(pool, Integer::MINUS_ONE));
                choice(pool, below, one, minus_one)
            }
            BvOp::UDiv => number(pool, Integer::MINUS_ONE),
            _ => a,
        };
        let is_zero = pool.eq(b.term, Pool::ZERO);
        choice(pool, is_zero, by_zero, part)
    }

    fn binary(&mut self, pool: &mut Pool, op: BvOp, width: u32, a: &Image, b: &Image) -> Option<Image> {
        if op == BvOp::Add {
            return Some(add(pool, a, b));
        }
        // A quotient times its divisor is a product that solvers know something about.
        let is_product = self.products || [a, b].iter().any(|factor| self.divisors.contains(&factor.term));
        if op == BvOp::Mul && is_product {
            return Some(Image { term: pool.mul(a.term, b.term), interval: a.interval.mul(&b.interval) });
        }
        // No bit is one in both, so that nothing is carried: a | b = a ^ b = a + b.
        if matches!(op, BvOp::Or | BvOp::Xor) && (is_below(pool, a, b) || is_below(pool, b, a)) {
            return Some(add(pool, a, b));
        }
        // A shift by one of few distances is the one or the other.
        if matches!(op, BvOp::Shl | BvOp::LShr | BvOp::AShr)
            && let Some(distances) = few(&b.interval)
        {
            return self.shifted(pool, op, width, a, b, &distances);
        }
        if matches!(op, BvOp::SDiv | BvOp::SRem | BvOp::UDiv | BvOp::URem) && b.interval.as_point().is_none() {
            return Some(self.divided(pool, op, width, a, b));
        }
        // All other operators need a constant, on the right unless the operator is commutative.
        let commutes = matches!(op, BvOp::Mul | BvOp::And | BvOp::Or | BvOp::Xor);
        let (a, constant) = match (b.interval.as_point(), a.interval.as_point()) {
            (Some(constant), _) => (a, constant),
            (None, Some(constant)) if commutes => (b, constant),
            _ => return None,
        };
        let bits = constant.to_bits(width);
        let value = Integer::from_signed_bits(bits, width);
        let distance = u32::try_from(bits).unwrap_or(u32::MAX);
        Some(match op {
            BvOp::Add => return None,
            BvOp::Mul => scale(pool, &value, a),
            BvOp::Shl if distance >= width => number(pool, Integer::ZERO),
            BvOp::Shl => scale(pool, &Integer::power_of_two(distance), a),
            BvOp::LShr if distance >= width => number(pool, Integer::ZERO),
            BvOp::LShr => {
                let a = unsigned(pool, a, width);
                divide(pool, &a, &Integer::power_of_two(distance))
            }
            // A shift rounds down, like the quotient. Shifting by the width or more leaves only the sign.
            BvOp::AShr => {
                let a = signed(pool, a, width);
                divide(pool, &a, &Integer::power_of_two(distance.min(width - 1)))
            }
            // Division by zero as SMT-LIB defines it.
            BvOp::UDiv if bits == 0 => number(pool, Integer::MINUS_ONE),
            BvOp::URem | BvOp::SRem if bits == 0 => a.clone(),
            BvOp::SDiv if bits == 0 => {
                let a = signed(pool, a, width);
                let negative = pool.lt(a.term, Pool::ZERO);
                let (one, minus_one) = (pool.int(1), pool.int(-1));
                let interval = Interval { low: Some(Integer::MINUS_ONE), high: Some(Integer::ONE) };
                Image { term: pool.ite(negative, one, minus_one), interval }
            }
            BvOp::UDiv => {
                let a = unsigned(pool, a, width);
                divide(pool, &a, &Integer::from_unsigned_bits(bits))
            }
            BvOp::URem => {
                let a = unsigned(pool, a, width);
                remainder(pool, &a, &Integer::from_unsigned_bits(bits))
            }
            // Rounded toward zero: divide the absolute values, then apply the sign. MIN / −1 is 2^(n-1), which is
            // congruent to MIN.
            BvOp::SDiv => {
                let a = signed(pool, a, width);
                let divisor = value.abs();
                let quotient = toward_zero(pool, &a, |pool, a| divide(pool, a, &divisor));
                if value.signum() < 0 { scale(pool, &Integer::MINUS_ONE, &quotient) } else { quotient }
            }
            // The result has the sign of the dividend; the sign of the divisor does not matter.
            BvOp::SRem => {
                let a = signed(pool, a, width);
                let divisor = value.abs();
                toward_zero(pool, &a, |pool, a| remainder(pool, a, &divisor))
            }
            BvOp::And => masked(pool, a, bits)?,
            // a | c = a + c − (a & c), and a ^ c = a + c − 2·(a & c).
            BvOp::Or | BvOp::Xor => {
                let factor = if op == BvOp::Or { -1 } else { -2 };
                let common = masked(pool, a, bits)?;
                let common = scale(pool, &Integer::from(factor), &common);
                let sum = offset(pool, a, &value);
                add(pool, &sum, &common)
            }
        })
    }
}

/// The image of a term that is not a bit-vector.
fn plain(term: Term) -> Image {
    Image { term, interval: Interval::ALL }
}

fn number(pool: &mut Pool, value: Integer) -> Image {
    Image { term: pool.integer(value.clone()), interval: Interval::point(value) }
}

fn add(pool: &mut Pool, a: &Image, b: &Image) -> Image {
    Image { term: pool.add(a.term, b.term), interval: a.interval.add(&b.interval) }
}

fn scale(pool: &mut Pool, factor: &Integer, a: &Image) -> Image {
    Image { term: pool.scale(factor, a.term), interval: a.interval.scale(factor) }
}

fn offset(pool: &mut Pool, a: &Image, by: &Integer) -> Image {
    let by = number(pool, by.clone());
    add(pool, a, &by)
}

/// The quotient by a positive constant, rounded down.
fn divide(pool: &mut Pool, a: &Image, divisor: &Integer) -> Image {
    let interval = a.interval.div_by(divisor);
    // The quotient is the same for the whole interval.
    if let Some(point) = interval.as_point() {
        return number(pool, point.clone());
    }
    let divisor = pool.integer(divisor.clone());
    Image { term: pool.int_div(a.term, divisor), interval }
}

/// The remainder of the division by a positive constant whose quotient is rounded down.
fn remainder(pool: &mut Pool, a: &Image, divisor: &Integer) -> Image {
    let below = Interval { low: Some(Integer::ZERO), high: Some(divisor - &Integer::ONE) };
    // The quotient is the same for the whole interval.
    if let Some(quotient) = a.interval.div_by(divisor).as_point() {
        return offset(pool, a, &-&(quotient * divisor));
    }
    let divisor = pool.integer(divisor.clone());
    Image { term: pool.int_mod(a.term, divisor), interval: below }
}

/// One of two images of one term.
fn choice(pool: &mut Pool, condition: Term, then: Image, otherwise: Image) -> Image {
    match pool.as_bool(condition) {
        Some(true) => then,
        Some(false) => otherwise,
        None => {
            let interval = then.interval.join(&otherwise.interval);
            Image { term: pool.ite(condition, then.term, otherwise.term), interval }
        }
    }
}

/// The absolute value.
fn absolute(pool: &mut Pool, a: &Image) -> Image {
    let negated = scale(pool, &Integer::MINUS_ONE, a);
    let sides = [a, &negated].map(|side| {
        let interval = side.interval.meet(&Interval::at_least(Integer::ZERO))?;
        Some(Image { term: side.term, interval })
    });
    match sides {
        [Some(above), Some(below)] => {
            let positive = pool.le(Pool::ZERO, a.term);
            choice(pool, positive, above, below)
        }
        [Some(only), None] | [None, Some(only)] => only,
        [None, None] => number(pool, Integer::ZERO),
    }
}

/// `part` of the absolute value, with the sign of `a`.
fn toward_zero(pool: &mut Pool, a: &Image, part: impl Fn(&mut Pool, &Image) -> Image) -> Image {
    let half = |pool: &mut Pool, a: &Image, side: Interval| {
        let interval = a.interval.meet(&side)?;
        Some(part(pool, &Image { term: a.term, interval }))
    };
    let above = half(pool, a, Interval::at_least(Integer::ZERO));
    let negated = scale(pool, &Integer::MINUS_ONE, a);
    let below = half(pool, &negated, Interval::at_least(Integer::ONE));
    let below = below.map(|below| scale(pool, &Integer::MINUS_ONE, &below));
    match (above, below) {
        (Some(above), Some(below)) => {
            let positive = pool.le(Pool::ZERO, a.term);
            choice(pool, positive, above, below)
        }
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => number(pool, Integer::ZERO),
    }
}

/// The bits of a constant mask. A run of ones from `low` to below `high` selects `t mod 2^high − t mod 2^low`, and
/// all representatives have the same remainders.
fn masked(pool: &mut Pool, a: &Image, mask: u128) -> Option<Image> {
    let mut runs = Vec::new();
    let mut low = 0;
    while low < 128 && mask >> low != 0 {
        low += (mask >> low).trailing_zeros();
        let high = low + (mask >> low).trailing_ones();
        runs.push((low, high));
        low = high;
    }
    if runs.len() > RUNS {
        return None;
    }
    let mut total = number(pool, Integer::ZERO);
    for (low, high) in runs {
        let upper = remainder(pool, a, &Integer::power_of_two(high));
        let lower = remainder(pool, a, &Integer::power_of_two(low));
        let lower = scale(pool, &Integer::MINUS_ONE, &lower);
        let run = add(pool, &upper, &lower);
        total = add(pool, &total, &run);
    }
    let all = Interval { low: Some(Integer::ZERO), high: Some(Integer::from_unsigned_bits(mask)) };
    let interval = total.interval.meet(&all).unwrap_or(all);
    Some(Image { interval, ..total })
}

/// The values of an interval of few that are not negative; `None` for a single one.
fn few(interval: &Interval) -> Option<Vec<Integer>> {
    let (low, high) = (interval.low.as_ref()?.as_i64()?, interval.high.as_ref()?.as_i64()?);
    (0 <= low && low < high && high - low < CASES).then(|| (low..=high).map(Integer::from).collect())
}

/// Whether one value is less than a power of two by which another is divisible.
fn is_below(pool: &Pool, small: &Image, multiple: &Image) -> bool {
    let Interval { low: Some(low), high: Some(high) } = &small.interval else { return false };
    let Some(power) = (0..128).map(Integer::power_of_two).find(|power| high < power) else { return false };
    let (constant, monomials) = pool.linear(multiple.term);
    let factors = monomials.iter().map(|(factor, _)| factor);
    let is_divisible = |factor: &Integer| factor.rem_trunc(&power).is_some_and(|rest| rest.is_zero());
    low.signum() >= 0 && factors.chain([&constant]).all(is_divisible)
}

/// The signed value of `width` bits.
fn signed(pool: &mut Pool, image: &Image, width: u32) -> Image {
    read(pool, image, width, &-&Integer::power_of_two(width - 1))
}

/// The unsigned value of `width` bits.
fn unsigned(pool: &mut Pool, image: &Image, width: u32) -> Image {
    read(pool, image, width, &Integer::ZERO)
}

/// The representative of `image` among the 2^width integers from `low` on.
fn read(pool: &mut Pool, image: &Image, width: u32, low: &Integer) -> Image {
    let modulus = Integer::power_of_two(width);
    let range = Interval { low: Some(low.clone()), high: Some(&(low + &modulus) - &Integer::ONE) };
    let lifted = offset(pool, image, &-low);
    // How often the modulus is subtracted, at least and at most.
    let times = lifted.interval.div_by(&modulus);
    let cases = times.low.as_ref().zip(times.high.as_ref()).and_then(|(least, most)| (most - least).as_i64());
    match (times.low, cases) {
        (Some(least), Some(cases)) if cases < CASES => {
            let without = |pool: &mut Pool, times: &Integer| offset(pool, image, &-&(times * &modulus));
            let mut result = without(pool, &(&least + &Integer::from(cases)));
            for case in (0..cases).rev() {
                let times = &least + &Integer::from(case);
                let end = pool.integer(&(&times + &Integer::ONE) * &modulus);
                let before = pool.lt(lifted.term, end);
                let value = without(pool, &times);
                result = Image { term: pool.ite(before, value.term, result.term), interval: range.clone() };
            }
            result
        }
        _ => {
            let modulus = pool.integer(modulus);
            let rest = pool.int_mod(lifted.term, modulus);
            let low = pool.integer(low.clone());
            Image { term: pool.add(rest, low), interval: range }
        }
    }
}

/// `a = b` modulo 2^width: the difference is one of the multiples of 2^width in its interval.
fn equal(pool: &mut Pool, width: u32, a: &Image, b: &Image) -> Term {
    let modulus = Integer::power_of_two(width);
    let difference = a.interval.add(&b.interval.neg());
    if let Some((first, last)) = multiples(&difference, &modulus)
        && let Some(cases) = (&last - &first).as_i64()
        && cases < CASES
    {
        let mut any = Vec::new();
        for case in 0..=cases {
            let shifted = offset(pool, b, &(&(&first + &Integer::from(case)) * &modulus));
            any.push(pool.eq(a.term, shifted.term));
        }
        return pool.or_all(&any);
    }
    let difference = pool.sub(a.term, b.term);
    let modulus = pool.integer(modulus);
    let rest = pool.int_mod(difference, modulus);
    pool.eq(rest, Pool::ZERO)
}

fn compare(pool: &mut Pool, order: BvOrder, width: u32, a: &Image, b: &Image) -> Term {
    let strict = matches!(order, BvOrder::ULt | BvOrder::SLt);
    let (a, b) = match order {
        BvOrder::SLt | BvOrder::SLe => (signed(pool, a, width), signed(pool, b, width)),
        BvOrder::ULt | BvOrder::ULe => {
            let (left, right) = (signed(pool, a, width), signed(pool, b, width));
            let not_negative = |image: &Image| image.interval.low.as_ref().is_some_and(|low| low.signum() >= 0);
            if !not_negative(&left) && not_negative(&right) {
                // A bounds check: `a` is below a value that is not negative.
                let above = pool.le(Pool::ZERO, left.term);
                let below = less(pool, strict, &left, &right);
                return pool.and(above, below);
            }
            (unsigned(pool, a, width), unsigned(pool, b, width))
        }
    };
    less(pool, strict, &a, &b)
}

fn less(pool: &mut Pool, strict: bool, a: &Image, b: &Image) -> Term {
    let difference = a.interval.add(&b.interval.neg());
    let limit = if strict { Integer::MINUS_ONE } else { Integer::ZERO };
    if difference.high.as_ref().is_some_and(|high| *high <= limit) {
        Pool::TRUE
    } else if difference.low.as_ref().is_some_and(|low| *low > limit) {
        Pool::FALSE
    } else if strict {
        pool.lt(a.term, b.term)
    } else {
        pool.le(a.term, b.term)
    }
}
