//! Builds bit-vectors and conversions between numbers.

use crate::pool::Pool;
use crate::rules::Rule;
use crate::semantics::{self, Number};
use crate::term::{BvOp, BvOrder, Conversion, FloatFormat, Node, Sort, Term};
use smallvec::SmallVec;

/// Most nested bitwise operators of whose operands the signs are looked at: overflow checks have two.
const SIGNS: usize = 3;

/// Most nested choices of constants into which an operator is moved.
const CHOICES: usize = 8;

impl Pool {
    /// A bit-vector constant of 1 to 128 bits; higher bits are dropped.
    pub fn bv(&mut self, width: u32, bits: u128) -> Term {
        self.intern(Node::Bv { width, bits: bits & semantics::mask(width) })
    }

    /// An operator on two bit-vectors of one width.
    pub fn bv_binary(&mut self, op: BvOp, a: Term, b: Term) -> Term {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b), "operands of one width");
        if let (Some(x), Some(y)) = (self.as_bits(a), self.as_bits(b))
            && self.fires(Rule::BvConst, true)
        {
            return self.bv(width, semantics::bv_binary(op, width, x, y));
        }
        let commutative = matches!(op, BvOp::Add | BvOp::Mul | BvOp::And | BvOp::Or | BvOp::Xor);
        // Constants go to the right; other operands are ordered by id.
        let swap = commutative && (self.as_bits(a).is_some() || (self.as_bits(b).is_none() && b < a));
        let (a, b) = if swap { (b, a) } else { (a, b) };
        let ones = semantics::mask(width);
        if let Some(bits) = self.as_bits(b) {
            let neutral = match op {
                BvOp::Add | BvOp::Or | BvOp::Xor | BvOp::Shl | BvOp::LShr | BvOp::AShr => bits == 0,
                BvOp::Mul | BvOp::UDiv | BvOp::SDiv => bits == 1,
                BvOp::And => bits == ones,
                BvOp::URem | BvOp::SRem => false,
            };
            if self.fires(Rule::BvUnit, neutral) {
                return a;
            }
            let absorbing = match op {
                BvOp::Mul | BvOp::And => bits == 0,
                BvOp::Or => bits == ones,
                _ => false,
            };
            if self.fires(Rule::BvUnit, absorbing) {
                return b;
            }
            if self.fires(Rule::BvUnit, matches!(op, BvOp::URem | BvOp::SRem) && bits == 1) {
                return self.bv(width, 0);
            }
            if op == BvOp::Add
                && let Node::BvBinary(BvOp::Add, inner, offset) = *self.node(a)
                && let Some(offset) = self.as_bits(offset)
                && self.fires(Rule::BvAddConst, true)
            {
                let offset = self.bv(width, offset.wrapping_add(bits));
                return self.bv_binary(BvOp::Add, inner, offset);
            }
        }
        if self.as_bits(b).is_some()
            && let Some(chosen) = self.for_each_constant(a, |pool, a| pool.bv_binary(op, a, b))
        {
            return chosen;
        }
        if !commutative
            && self.as_bits(a).is_some()
            && let Some(chosen) = self.for_each_constant(b, |pool, b| pool.bv_binary(op, a, b))
        {
            return chosen;
        }
        if a == b {
            if self.fires(Rule::BvSame, matches!(op, BvOp::And | BvOp::Or)) {
                return a;
            }
            if self.fires(Rule::BvSame, op == BvOp::Xor) {
                return self.bv(width, 0);
            }
        }
        if op == BvOp::Add {
            let opposite = *self.node(a) == Node::BvNeg(b) || *self.node(b) == Node::BvNeg(a);
            if self.fires(Rule::BvSame, opposite) {
                return self.bv(width, 0);
            }
            if let Some(sum) = self.sum_with_quotient(a, b).or_else(|| self.sum_with_quotient(b, a)) {
                return sum;
            }
        }
        if self.shifts_all_out(op, a, b) {
            return self.bv(width, 0);
        }
        if let Some(whole) = self.joined(op, a, b).or_else(|| self.joined(op, b, a)) {
            return whole;
        }
        self.intern(Node::BvBinary(op, a, b))
    }

    /// Difference modulo 2^n.
    pub fn bv_sub(&mut self, a: Term, b: Term) -> Term {
        let negated = self.bv_neg(b);
        self.bv_binary(BvOp::Add, a, negated)
    }

    /// Two bit-vectors that are equal if and only if `a` and `b` are, without a term that both sums have, or an odd factor of
    /// both products: odd numbers have an inverse modulo 2^n.
    pub(super) fn without_common(&mut self, a: Term, b: Term) -> Option<(Term, Term)> {
        let rest = match (self.node(a), self.node(b)) {
            (&Node::BvBinary(BvOp::Add, x, y), &Node::BvBinary(BvOp::Add, u, v)) => {
                let ways = [(x, y, u, v), (x, y, v, u), (y, x, u, v), (y, x, v, u)];
                ways.into_iter().find(|&(one, _, other, _)| one == other).map(|(_, y, _, v)| (y, Some(v)))
            }
            (&Node::BvBinary(BvOp::Mul, x, factor), &Node::BvBinary(BvOp::Mul, y, other)) => {
                let is_odd = factor == other && self.as_bits(factor).is_some_and(|bits| bits & 1 == 1);
                is_odd.then_some((x, Some(y)))
            }
            _ => None,
        };
        let whole = |pool: &Pool, sum: Term, whole: Term| match *pool.node(sum) {
            Node::BvBinary(BvOp::Add, x, y) if x == whole => Some((y, None)),
            Node::BvBinary(BvOp::Add, x, y) if y == whole => Some((x, None)),
            _ => None,
        };
        let (one, other) = rest.or_else(|| whole(self, a, b)).or_else(|| whole(self, b, a))?;
        if !self.fires(Rule::EqCommon, true) {
            return None;
        }
        let zero = self.bv(self.width(one), 0);
        Some((one, other.unwrap_or(zero)))
    }

    /// The sum of `product` and `other` if they are the two parts of a division. What SMT-LIB defines for a zero divisor, and
    /// for the least number divided by -1, fits: the remainder by zero is the dividend.
    fn sum_with_quotient(&mut self, product: Term, other: Term) -> Option<Term> {
        let (product, is_negated) = match *self.node(product) {
            Node::BvNeg(product) => (product, true),
            _ => (product, false),
        };
        let Node::BvBinary(BvOp::Mul, x, y) = *self.node(product) else { return None };
        [(x, y), (y, x)].into_iter().find_map(|(quotient, divisor)| {
            let Node::BvBinary(div @ (BvOp::SDiv | BvOp::UDiv), dividend, by) = *self.node(quotient) else {
                return None;
            };
            let rem = if div == BvOp::SDiv { BvOp::SRem } else { BvOp::URem };
            let is_rest = || *self.node(other) == Node::BvBinary(rem, dividend, divisor);
            let fits = by == divisor && if is_negated { other == dividend } else { is_rest() };
            if !self.fires(Rule::BvDivRem, fits) {
                return None;
            }
            Some(if is_negated { self.bv_binary(rem, dividend, divisor) } else { dividend })
        })
    }

    /// What `f` makes of each of the constants between which a term chooses. `None` if it is no choice between a few constants.
    fn for_each_constant(&mut self, choice: Term, mut f: impl FnMut(&mut Pool, Term) -> Term) -> Option<Term> {
        // A list of choices, innermost last, each of which is between a constant and the next one.
        let mut outer: SmallVec<[(Term, bool, Term); 8]> = SmallVec::new();
        let mut rest = choice;
        while let Node::Ite(condition, then, otherwise) = *self.node(rest) {
            if outer.len() >= CHOICES {
                return None;
            }
            let is_first = self.as_bits(then).is_some();
            let (constant, next) = if is_first { (then, otherwise) } else { (otherwise, then) };
            self.as_bits(constant)?;
            outer.push((condition, is_first, constant));
            rest = next;
        }
        self.as_bits(rest)?;
        if outer.is_empty() || !self.fires(Rule::BvIte, true) {
            return None;
        }
        let mut chosen = f(self, rest);
        for (condition, is_first, constant) in outer.into_iter().rev() {
            let constant = f(self, constant);
            let (then, otherwise) = if is_first { (constant, chosen) } else { (chosen, constant) };
            chosen = self.ite(condition, then, otherwise);
        }
        Some(chosen)
    }

    /// A comparison of a choice with a constant, as a choice of truth values: `decide` compares the constants, and `relate` gives
    /// the node for everything else. `None` if it is no choice, or if neither of the branches is a constant.
    pub(super) fn compare_choice(
        &mut self,
        choice: Term,
        decide: impl Fn(u128) -> bool,
        relate: impl Fn(Term) -> Node,
    ) -> Option<Term> {
        let mut outer: SmallVec<[(Term, bool, bool); 8]> = SmallVec::new();
        let mut rest = choice;
        while outer.len() < CHOICES
            && let Node::Ite(condition, then, otherwise) = *self.node(rest)
            && let (is_first, constant) = (self.as_bits(then).is_some(), self.as_bits(then).or(self.as_bits(otherwise)))
            && let Some(constant) = constant
        {
            outer.push((condition, is_first, decide(constant)));
            rest = if is_first { otherwise } else { then };
        }
        if outer.is_empty() || !self.fires(Rule::BvIte, true) {
            return None;
        }
        let mut compared = match self.as_bits(rest) {
            Some(constant) => self.bool(decide(constant)),
            None => self.intern(relate(rest)),
        };
        for (condition, is_first, constant) in outer.into_iter().rev() {
            let constant = self.bool(constant);
            let (then, otherwise) = if is_first { (constant, compared) } else { (compared, constant) };
            compared = self.ite(condition, then, otherwise);
        }
        Some(compared)
    }

    /// Two's complement.
    pub fn bv_neg(&mut self, a: Term) -> Term {
        let width = self.width(a);
        match *self.node(a) {
            Node::Bv { bits, .. } if self.fires(Rule::BvConst, true) => self.bv(width, bits.wrapping_neg()),
            Node::BvNeg(inner) if self.fires(Rule::BvNegNeg, true) => inner,
            _ => match self.for_each_constant(a, Pool::bv_neg) {
                Some(chosen) => chosen,
                None => self.intern(Node::BvNeg(a)),
            },
        }
    }

    /// Bitwise complement.
    pub fn bv_not(&mut self, a: Term) -> Term {
        let width = self.width(a);
        match *self.node(a) {
            Node::Bv { bits, .. } if self.fires(Rule::BvConst, true) => self.bv(width, !bits),
            Node::BvNot(inner) if self.fires(Rule::BvNegNeg, true) => inner,
            _ => match self.for_each_constant(a, Pool::bv_not) {
                Some(chosen) => chosen,
                None => self.intern(Node::BvNot(a)),
            },
        }
    }

    /// A comparison of two bit-vectors of one width.
    pub fn bv_compare(&mut self, order: BvOrder, a: Term, b: Term) -> Term {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b), "operands of one width");
        if let (Some(x), Some(y)) = (self.as_bits(a), self.as_bits(b))
            && self.fires(Rule::BvConst, true)
        {
            return self.bool(semantics::bv_compare(order, width, x, y));
        }
        if self.fires(Rule::BvSame, a == b) {
            return self.bool(matches!(order, BvOrder::ULe | BvOrder::SLe));
        }
        let decide = |x, y| semantics::bv_compare(order, width, x, y);
        let compared = match (self.as_bits(a), self.as_bits(b)) {
            (_, Some(y)) => self.compare_choice(a, |x| decide(x, y), |a| Node::BvCompare(order, a, b)),
            (Some(x), _) => self.compare_choice(b, |y| decide(x, y), |b| Node::BvCompare(order, a, b)),
            _ => None,
        };
        if let Some(compared) = compared.or_else(|| self.compared_whole(order, a, b)) {
            return compared;
        }
        if let Some(sign) = self.compared_sign(order, a, b) {
            return sign;
        }
        self.intern(Node::BvCompare(order, a, b))
    }

    /// A comparison with zero of what bitwise operators give, by the signs of their operands.
    fn compared_sign(&mut self, order: BvOrder, a: Term, b: Term) -> Option<Term> {
        let (value, is_negative) = match order {
            BvOrder::SLt if self.as_bits(b) == Some(0) => (a, true),
            BvOrder::SLe if self.as_bits(a) == Some(0) => (b, false),
            _ => return None,
        };
        let is_one = bitwise(self.node(value)).is_some();
        if !is_one || !self.has_few_signs(value, SIGNS) || !self.fires(Rule::BvSign, true) {
            return None;
        }
        let sign = self.sign(value);
        Some(if is_negative { sign } else { self.not(sign) })
    }

    /// Whether at most `levels` bitwise operators are nested.
    fn has_few_signs(&self, value: Term, levels: usize) -> bool {
        let Some((_, x, y)) = bitwise(self.node(value)) else { return true };
        levels > 0 && [x, y].into_iter().all(|operand| self.has_few_signs(operand, levels - 1))
    }

    /// Whether a bit-vector is negative, by the signs of the operands of bitwise operators.
    fn sign(&mut self, value: Term) -> Term {
        let Some((op, x, y)) = bitwise(self.node(value)) else {
            let zero = self.bv(self.width(value), 0);
            return self.bv_compare(BvOrder::SLt, value, zero);
        };
        let (x, y) = (self.sign(x), self.sign(y));
        match op {
            BvOp::And => self.and(x, y),
            BvOp::Or => self.or(x, y),
            _ => self.xor(x, y),
        }
    }

    /// The bits `low..=high` of a bit-vector.
    pub fn extract(&mut self, high: u32, low: u32, value: Term) -> Term {
        let width = self.width(value);
        debug_assert!(low <= high && high < width, "bits within the vector");
        if self.fires(Rule::BvExtract, low == 0 && high + 1 == width) {
            return value;
        }
        match *self.node(value) {
            Node::Bv { bits, .. } if self.fires(Rule::BvConst, true) => return self.bv(high - low + 1, bits >> low),
            Node::Extract { low: offset, value: inner, .. } if self.fires(Rule::BvExtract, true) => {
                return self.extract(high + offset, low + offset, inner);
            }
            Node::Extend { value: inner, .. } => {
                let inside = high < self.width(inner);
                if self.fires(Rule::BvExtract, inside) {
                    return self.extract(high, low, inner);
                }
            }
            Node::BvBinary(BvOp::Add, a, offset) if low == 0 => {
                // Carries only go upward.
                if let Some(bits) = self.as_bits(offset)
                    && self.fires(Rule::BvExtract, true)
                {
                    let (a, offset) = (self.extract(high, 0, a), self.bv(high + 1, bits));
                    return self.bv_binary(BvOp::Add, a, offset);
                }
            }
            Node::Concat(upper, lower) => {
                let border = self.width(lower);
                if self.fires(Rule::BvExtract, high < border) {
                    return self.extract(high, low, lower);
                }
                if self.fires(Rule::BvExtract, low >= border) {
                    return self.extract(high - border, low - border, upper);
                }
            }
            _ => {}
        }
        match self.for_each_constant(value, |pool, value| pool.extract(high, low, value)) {
            Some(chosen) => chosen,
            None => self.intern(Node::Extract { high, low, value }),
        }
    }

    /// The bits of `upper` above those of `lower`, at most 128 in total.
    pub fn concat(&mut self, upper: Term, lower: Term) -> Term {
        let width = self.width(lower);
        if let (Some(x), Some(y)) = (self.as_bits(upper), self.as_bits(lower))
            && self.fires(Rule::BvConst, true)
        {
            let total = self.width(upper) + width;
            return self.bv(total, x.checked_shl(width).unwrap_or(0) | y);
        }
        self.intern(Node::Concat(upper, lower))
    }

    /// A bit-vector of `width` bits with the same value, read as signed or unsigned. If `width` is smaller than the
    /// operand's width, the lowest bits.
    pub fn resize(&mut self, width: u32, signed: bool, value: Term) -> Term {
        let from = self.width(value);
        if width < from {
            return self.extract(width - 1, 0, value);
        }
        if self.fires(Rule::BvExtend, width == from) {
            return value;
        }
        match *self.node(value) {
            Node::Bv { bits, .. } if self.fires(Rule::BvConst, true) => {
                let bits = if signed { semantics::signed(bits, from) as u128 } else { bits };
                return self.bv(width, bits);
            }
            Node::Extend { signed: inner_signed, value: inner, by } => {
                // A zero-extended value is not negative, so a sign extension of it adds zeros too.
                let same = inner_signed == signed || (!inner_signed && by > 0);
                if self.fires(Rule::BvExtend, same) {
                    return self.resize(width, inner_signed, inner);
                }
            }
            _ => {}
        }
        match self.for_each_constant(value, |pool, value| pool.resize(width, signed, value)) {
            Some(chosen) => chosen,
            None => self.intern(Node::Extend { signed, by: width - from, value }),
        }
    }

    /// A number conversion; the operand must be of the conversion's sort.
    pub fn convert(&mut self, conversion: Conversion, value: Term) -> Term {
        let number = match self.node(value) {
            Node::Int(value) => Some(Number::Int(value.clone())),
            Node::Bv { width, bits } => Some(Number::Bv(*width, *bits)),
            Node::Float(format, bits) => Some(Number::Float(*format, *bits)),
            _ => None,
        };
        if let Some(result) = number.and_then(|number| semantics::convert(conversion, &number))
            && self.fires(Rule::ConvertConst, true)
        {
            return match result {
                Number::Int(value) => self.integer(value),
                Number::Bv(width, bits) => self.bv(width, bits),
                Number::Float(format, bits) => self.float(format, bits),
            };
        }
        let inner = match *self.node(value) {
            Node::Convert(first, inner) => Some((first, inner)),
            _ => None,
        };
        match (conversion, inner) {
            (Conversion::IntToBv(width), Some((Conversion::BvToInt { signed }, inner)))
                if self.fires(Rule::ConvertBack, true) =>
            {
                self.resize(width, signed, inner)
            }
            (Conversion::IntToBv(width), None) => match self.sum_of_vectors(width, value) {
                Some(sum) => sum,
                None => self.intern(Node::Convert(conversion, value)),
            },
            (Conversion::FloatToFloat(format), _)
                if self.fires(Rule::ConvertBack, self.sort(value) == Sort::Float(format)) =>
            {
                value
            }
            // What was widened is not rounded.
            (Conversion::FloatToFloat(format), Some((Conversion::FloatToFloat(_), inner)))
                if self.fires(
                    Rule::ConvertBack,
                    self.sort(inner) == Sort::Float(format) && format == FloatFormat::F32,
                ) =>
            {
                inner
            }
            (Conversion::FloatToBv(width), Some((Conversion::BvToFloat { signed: true, format }, inner)))
                if self.fires(Rule::ConvertBack, self.is_exact_in(format, inner, width)) =>
            {
                self.resize(width, true, inner)
            }
            (Conversion::BitsToFloat(_), Some((Conversion::FloatToBits(_), inner)))
                if self.fires(Rule::ConvertBack, true) =>
            {
                inner
            }
            _ => self.intern(Node::Convert(conversion, value)),
        }
    }

    /// Whether a format has all values of a vector, which is not wider than `width`.
    fn is_exact_in(&self, format: FloatFormat, vector: Term, width: u32) -> bool {
        let digits = match format {
            FloatFormat::F32 => f32::MANTISSA_DIGITS,
            FloatFormat::F64 => f64::MANTISSA_DIGITS,
        };
        matches!(self.sort(vector), Sort::BitVec(own) if own <= digits && own <= width)
    }

    /// Converts an integer sum of bit-vector values, modulo 2^width, to a bit-vector sum.
    fn sum_of_vectors(&mut self, width: u32, sum: Term) -> Option<Term> {
        let Node::Sum(..) = self.node(sum) else { return None };
        let (constant, parts) = self.linear(sum);
        let is_vector =
            |(_, part): &(_, Term)| matches!(self.node(*part), Node::Convert(Conversion::BvToInt { .. }, _));
        let fires = parts.iter().all(is_vector);
        if !self.fires(Rule::ConvertBack, fires) {
            return None;
        }
        let mut total = self.bv(width, constant.to_bits(width));
        for (factor, part) in parts {
            if let Node::Convert(Conversion::BvToInt { signed }, vector) = *self.node(part) {
                let (vector, factor) = (self.resize(width, signed, vector), self.bv(width, factor.to_bits(width)));
                let product = self.bv_binary(BvOp::Mul, vector, factor);
                total = self.bv_binary(BvOp::Add, product, total);
            }
        }
        Some(total)
    }
}

/// The operator and the operands of a bitwise operation.
fn bitwise(node: &Node) -> Option<(BvOp, Term, Term)> {
    match *node {
        Node::BvBinary(op @ (BvOp::And | BvOp::Or | BvOp::Xor), x, y) => Some((op, x, y)),
        _ => None,
    }
}
