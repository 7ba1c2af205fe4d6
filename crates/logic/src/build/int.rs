//! Builds unbounded integers: sums as linear combinations, products, divisions and comparisons with zero.

use crate::integer::Integer;
use crate::interval::Interval;
use crate::pool::Pool;
use crate::rules::Rule;
use crate::term::{BvOrder, Conversion, Node, Term};
use smallvec::SmallVec;

/// Greatest number of monomials of a sum, or of factors of a product, that is merged into another one. Longer ones
/// are nested, so that a chain of additions takes linear space.
const SUM_LIMIT: usize = 64;
/// Greatest number of monomials of the sums whose products are multiplied out.
const DISTRIBUTE_LIMIT: usize = 16;
/// Number of nested `ite`s into which a comparison is pushed.
const ITE_FUEL: u32 = 64;

type Monomials = SmallVec<[(Integer, Term); 4]>;
/// `constant + Σ factor·term`.
pub type Linear = (Integer, Monomials);

impl Pool {
    /// A small integer.
    pub fn int(&mut self, value: i64) -> Term {
        self.integer(Integer::from(value))
    }

    /// An integer.
    pub fn integer(&mut self, value: Integer) -> Term {
        self.intern(Node::Int(value))
    }

    /// The term as `constant + Σ factor·term`.
    pub fn linear(&self, term: Term) -> Linear {
        match self.node(term) {
            Node::Int(value) => (value.clone(), Monomials::new()),
            Node::Sum(constant, monomials) => (constant.clone(), monomials.iter().cloned().collect()),
            _ => (Integer::ZERO, Monomials::from_iter([(Integer::ONE, term)])),
        }
    }

    /// The two sums that a comparison of `sum` with 0 compares. Each has no negative part.
    pub fn sides(&self, sum: Term) -> [Linear; 2] {
        let (constant, monomials) = self.linear(sum);
        let (right, left): (Monomials, Monomials) = monomials.into_iter().partition(|(factor, _)| factor.signum() < 0);
        let right = right.into_iter().map(|(factor, term)| (-&factor, term)).collect();
        match constant.signum() < 0 {
            true => [(Integer::ZERO, left), (-&constant, right)],
            false => [(constant, left), (Integer::ZERO, right)],
        }
    }

    /// Calls `f` with each operand of a term. The operands of a comparison with 0 are the terms of its
    /// [`sides`](Self::sides).
    pub fn for_each_operand(&self, term: Term, mut f: impl FnMut(Term)) {
        match *self.node(term) {
            Node::LeZero(sum) | Node::EqZero(sum) => self.linear(sum).1.iter().for_each(|&(_, term)| f(term)),
            ref node => node.for_each_child(f),
        }
    }

    /// The term `constant + Σ monomials`. The monomials must be in order and have no zero factors.
    pub(crate) fn linear_term(&mut self, constant: Integer, monomials: &[(Integer, Term)]) -> Term {
        match monomials {
            [] => self.integer(constant),
            [(factor, term)] if factor.is_one() && constant.is_zero() => *term,
            _ => self.intern(Node::Sum(constant, monomials.into())),
        }
    }

    /// `a + factor·b`.
    fn add_scaled(&mut self, a: Term, b: Term, factor: &Integer) -> Term {
        if factor.is_zero() {
            return a;
        }
        let (mut constant, left) = self.linear(a);
        let (other, right) = self.linear(b);
        constant = &constant + &(&other * factor);
        let mut sum = Monomials::with_capacity(left.len() + right.len());
        let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
        loop {
            match (left.peek(), right.peek()) {
                (Some((_, x)), Some((_, y))) if x == y => {
                    if let (Some((f, x)), Some((g, _))) = (left.next(), right.next()) {
                        let total = &f + &(&g * factor);
                        if !total.is_zero() {
                            sum.push((total, x));
                        }
                    }
                }
                (Some((_, x)), Some((_, y))) if x > y => sum.extend(right.next().map(|(g, y)| (&g * factor, y))),
                (None, Some(_)) => sum.extend(right.next().map(|(g, y)| (&g * factor, y))),
                (Some(_), _) => sum.extend(left.next()),
                (None, None) => break,
            }
        }
        if sum.len() > SUM_LIMIT {
            let mut parts = [(Integer::ONE, self.opaque_sum(a)), (factor.clone(), self.opaque_sum(b))];
            if parts[0].1 > parts[1].1 {
                parts.swap(0, 1);
            }
            return self.linear_term(Integer::ZERO, &parts);
        }
        self.linear_term(constant, &sum)
    }

    /// Wraps a long sum into a product of one factor, so that other sums treat it as one term.
    fn opaque_sum(&mut self, term: Term) -> Term {
        match self.node(term) {
            Node::Sum(..) => self.intern(Node::Product([term].into())),
            _ => term,
        }
    }

    /// Sum.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.add_scaled(a, b, &Integer::ONE)
    }

    /// Difference.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        self.add_scaled(a, b, &Integer::MINUS_ONE)
    }

    /// Negation.
    pub fn neg(&mut self, a: Term) -> Term {
        self.add_scaled(Self::ZERO, a, &Integer::MINUS_ONE)
    }

    /// Product with a constant.
    pub fn scale(&mut self, factor: &Integer, a: Term) -> Term {
        self.add_scaled(Self::ZERO, a, factor)
    }

    /// Product.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        for (a, b) in [(a, b), (b, a)] {
            if let Some(factor) = self.as_int(a).cloned() {
                return self.scale(&factor, b);
            }
        }
        let ((c, left), (d, right)) = (self.linear(a), self.linear(b));
        let size = (left.len() + !c.is_zero() as usize) * (right.len() + !d.is_zero() as usize);
        let trivial = left.len() == 1 && right.len() == 1 && c.is_zero() && d.is_zero();
        if trivial || (size <= DISTRIBUTE_LIMIT && self.fires(Rule::MulDistribute, true)) {
            let mut total = self.integer(&c * &d);
            for (f, x) in &left {
                total = self.add_scaled(total, *x, &(f * &d));
                for (g, y) in &right {
                    let product = self.product_of(*x, *y);
                    total = self.add_scaled(total, product, &(f * g));
                }
            }
            for (g, y) in &right {
                total = self.add_scaled(total, *y, &(g * &c));
            }
            return total;
        }
        self.product_of(a, b)
    }

    /// The product of two terms as one monomial.
    fn product_of(&mut self, a: Term, b: Term) -> Term {
        let mut factors: SmallVec<[Term; 4]> = SmallVec::new();
        for term in [a, b] {
            match self.node(term) {
                Node::Product(inner) if inner.len() <= SUM_LIMIT => factors.extend_from_slice(inner),
                _ => factors.push(term),
            }
        }
        factors.sort_unstable();
        self.intern(Node::Product(factors.into_boxed_slice()))
    }

    /// SMT-LIB's `div`, which rounds down for a positive divisor. The result is undefined for a zero divisor, and 0
    /// for the constant divisor 0.
    pub fn int_div(&mut self, a: Term, b: Term) -> Term {
        if let Some(divisor) = self.as_int(b).cloned() {
            if divisor.is_zero() {
                return Self::ZERO;
            }
            if let Some(value) = self.as_int(a).and_then(|a| a.div_mod_euclid(&divisor))
                && self.fires(Rule::DivConst, true)
            {
                return self.integer(value.0);
            }
            if self.fires(Rule::DivConst, divisor.abs().is_one()) {
                return self.scale(&divisor, a);
            }
        }
        self.intern(Node::IntDiv(a, b))
    }

    /// SMT-LIB's `mod`, which is never negative. The result is undefined for a zero divisor, and 0 for the constant
    /// divisor 0.
    pub fn int_mod(&mut self, a: Term, b: Term) -> Term {
        if let Some(divisor) = self.as_int(b).cloned() {
            if divisor.is_zero() {
                return Self::ZERO;
            }
            if let Some(value) = self.as_int(a).and_then(|a| a.div_mod_euclid(&divisor))
                && self.fires(Rule::ModConst, true)
            {
                return self.integer(value.1);
            }
            if self.fires(Rule::ModConst, divisor.abs().is_one()) {
                return Self::ZERO;
            }
        }
        self.intern(Node::IntMod(a, b))
    }

    /// Java's and C#'s `/`, which rounds toward zero. The divisor must not be zero.
    pub fn div_trunc(&mut self, a: Term, b: Term) -> Term {
        let upward = self.int_div(a, b);
        let negated = self.neg(a);
        let downward = self.int_div(negated, b);
        let downward = self.neg(downward);
        let positive = self.le(Self::ZERO, a);
        self.ite(positive, upward, downward)
    }

    /// Java's and C#'s `%`, whose result has the sign of the dividend. The divisor must not be zero.
    pub fn rem_trunc(&mut self, a: Term, b: Term) -> Term {
        let upward = self.int_mod(a, b);
        let negated = self.neg(a);
        let downward = self.int_mod(negated, b);
        let downward = self.neg(downward);
        let positive = self.le(Self::ZERO, a);
        self.ite(positive, upward, downward)
    }

    /// `a <= b` on integers.
    pub fn le(&mut self, a: Term, b: Term) -> Term {
        let difference = self.sub(a, b);
        self.le_zero(difference)
    }

    /// `a < b` on integers.
    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        let one = self.int(1);
        let next = self.add(a, one);
        self.le(next, b)
    }

    /// `a <= 0`.
    pub(crate) fn le_zero(&mut self, a: Term) -> Term {
        self.compare_zero(a, false, ITE_FUEL)
    }

    /// `a = 0`.
    pub(crate) fn eq_zero(&mut self, a: Term) -> Term {
        self.compare_zero(a, true, ITE_FUEL)
    }

    fn compare_zero(&mut self, a: Term, equality: bool, fuel: u32) -> Term {
        let (mut constant, mut monomials) = self.linear(a);
        let Some((first, _)) = monomials.first() else {
            let holds = if equality { constant.is_zero() } else { constant.signum() <= 0 };
            if self.fires(Rule::CompareConst, true) {
                return self.bool(holds);
            }
            return self.intern(if equality { Node::EqZero(a) } else { Node::LeZero(a) });
        };
        let mut divisor = monomials.iter().fold(Integer::ZERO, |gcd, (factor, _)| gcd.gcd(factor));
        if equality && first.signum() < 0 {
            divisor = -&divisor;
        }
        if !divisor.is_one() {
            let exact = constant.div_mod_euclid(&divisor).is_some_and(|(_, remainder)| remainder.is_zero());
            if equality && !exact {
                if self.fires(Rule::CompareGcd, true) {
                    return Self::FALSE;
                }
            } else if (exact && divisor == Integer::MINUS_ONE) || self.fires(Rule::CompareGcd, true) {
                // Σ f·t <= -c holds iff Σ (f/d)·t <= floor(-c/d).
                constant = constant.div_ceil(&divisor).unwrap_or(constant);
                for (factor, _) in &mut monomials {
                    if let Some(reduced) = factor.div_floor(&divisor) {
                        *factor = reduced;
                    }
                }
            }
        }
        if let ([(factor, term)], true) = (&monomials[..], fuel > 0)
            && let Node::Ite(condition, then, otherwise) = *self.node(*term)
        {
            let factor = factor.clone();
            let constant_branch = self.as_int(then).is_some() || self.as_int(otherwise).is_some();
            if self.fires(Rule::CompareIte, constant_branch) {
                let offset = self.integer(constant);
                let [then, otherwise] = [then, otherwise].map(|branch| {
                    let branch = self.add_scaled(offset, branch, &factor);
                    self.compare_zero(branch, equality, fuel - 1)
                });
                return self.ite(condition, then, otherwise);
            }
        }
        if let Some(compared) = self.compare_vectors(&constant, &monomials, equality) {
            return compared;
        }
        if equality && let Some(compared) = self.equal_choices(&constant, &monomials) {
            return compared;
        }
        let sum = self.linear_term(constant, &monomials);
        self.intern(if equality { Node::EqZero(sum) } else { Node::LeZero(sum) })
    }

    /// Simplifies `constant + monomials = 0` (or `<= 0`) if it compares the value of a bit-vector with a constant or
    /// with the value of another bit-vector.
    fn compare_vectors(&mut self, constant: &Integer, monomials: &[(Integer, Term)], equality: bool) -> Option<Term> {
        let vector = |(factor, part): &(Integer, Term)| match *self.node(*part) {
            Node::Convert(Conversion::BvToInt { signed }, vector) if factor.abs().is_one() => {
                Some((factor.signum() < 0, signed, vector))
            }
            _ => None,
        };
        let order = |signed: bool, strict: bool| match (signed, strict) {
            (true, true) => BvOrder::SLt,
            (true, false) => BvOrder::SLe,
            (false, true) => BvOrder::ULt,
            (false, false) => BvOrder::ULe,
        };
        match *monomials {
            [ref only] => {
                let (negative, signed, vector) = vector(only)?;
                if !self.fires(Rule::CompareBv, true) {
                    return None;
                }
                let width = self.width(vector);
                let bound = if negative { constant.clone() } else { -constant };
                let range = Interval::machine(width, signed);
                let below = range.low.as_ref().is_some_and(|low| bound < *low);
                if !range.contains(&bound) {
                    // The vector cannot equal the bound; whether it is below is the same for all values of the
                    // vector.
                    return Some(self.bool(!equality && below == negative));
                }
                let bound = self.bv(width, bound.to_bits(width));
                Some(match (equality, negative) {
                    (true, _) => self.eq(vector, bound),
                    (false, false) => self.bv_compare(order(signed, false), vector, bound),
                    (false, true) => self.bv_compare(order(signed, false), bound, vector),
                })
            }
            [ref a, ref b] => {
                let ((negative, signed, a), (other_negative, other_signed, b)) = (vector(a)?, vector(b)?);
                let alike = signed == other_signed && self.width(a) == self.width(b) && negative != other_negative;
                let (low, high) = if negative { (b, a) } else { (a, b) };
                let offset = if equality { constant.is_zero() } else { constant.is_zero() || constant.is_one() };
                self.fires(Rule::CompareBv, alike && offset).then(|| match equality {
                    true => self.eq(a, b),
                    false => self.bv_compare(order(signed, constant.is_one()), low, high),
                })
            }
            _ => None,
        }
    }

    /// Simplifies `constant + a - b = 0` if `a` and `b` are both an `ite` with a constant branch, such as references
    /// that may be new objects. The result has at most four equalities, three of them with constants.
    fn equal_choices(&mut self, constant: &Integer, monomials: &[(Integer, Term)]) -> Option<Term> {
        let [(one, a), (other, b)] = monomials else { return None };
        if !one.is_one() || *other != Integer::MINUS_ONE {
            return None;
        }
        let choice = |term: Term| match *self.node(term) {
            Node::Ite(condition, then, otherwise) => {
                let is_constant = [then, otherwise].map(|branch| self.as_int(branch).is_some());
                let is_flat = [then, otherwise].iter().all(|&branch| !matches!(self.node(branch), Node::Ite(..)));
                (is_flat && is_constant.contains(&true)).then_some((condition, [then, otherwise]))
            }
            _ => None,
        };
        let ((first, left), (second, right)) = (choice(*a)?, choice(*b)?);
        if !self.fires(Rule::CompareIte, true) {
            return None;
        }
        let offset = self.integer(constant.clone());
        let [then, otherwise] = left.map(|left| {
            let left = self.add(offset, left);
            let [then, otherwise] = right.map(|right| self.eq(left, right));
            self.ite(second, then, otherwise)
        });
        Some(self.ite(first, then, otherwise))
    }

    /// The term of a constant-free linear combination, negated if needed to make its first factor positive, and
    /// whether it was negated.
    pub(crate) fn combination_term(&mut self, parts: &[(Integer, Term)]) -> (Term, bool) {
        let flipped = parts.first().is_some_and(|(factor, _)| factor.signum() < 0);
        let parts = signed_parts(parts, flipped);
        (self.linear_term(Integer::ZERO, &parts), flipped)
    }

    /// Like [`Self::combination_term`], but returns `None` if the term was never built: then nothing can be known
    /// about it.
    pub(crate) fn find_combination(&self, parts: &[(Integer, Term)], flipped: bool) -> Option<Term> {
        match parts {
            [(factor, term)] if factor.abs().is_one() => Some(*term),
            _ => self.find(&Node::Sum(Integer::ZERO, signed_parts(parts, flipped).into_boxed_slice())),
        }
    }
}

fn signed_parts(parts: &[(Integer, Term)], flipped: bool) -> Monomials {
    parts.iter().map(|(factor, term)| (if flipped { -factor } else { factor.clone() }, *term)).collect()
}
