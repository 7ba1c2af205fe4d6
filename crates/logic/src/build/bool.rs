//! Builds truth values, if-then-else, equalities and quantifiers.

use crate::pool::Pool;
use crate::rules::Rule;
use crate::term::{BvOp, Node, Sort, Term};
use smallvec::SmallVec;

/// Greatest number of operands of a conjunction or disjunction that is flattened. Longer ones are nested, so that a
/// chain of operators takes linear space.
const FLATTEN_LIMIT: usize = 16;
/// Longest range of a quantifier that is unfolded, in values.
const UNFOLD_LIMIT: i64 = 64;

impl Pool {
    /// A truth value.
    pub fn bool(&self, value: bool) -> Term {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// Negation.
    pub fn not(&mut self, a: Term) -> Term {
        match *self.node(a) {
            Node::Bool(value) if self.fires(Rule::NotConst, true) => self.bool(!value),
            Node::Not(inner) if self.fires(Rule::NotNot, true) => inner,
            Node::LeZero(sum) if self.fires(Rule::NotLe, true) => {
                let one = self.int(1);
                let negated = self.sub(one, sum);
                self.le_zero(negated)
            }
            _ => self.intern(Node::Not(a)),
        }
    }

    /// Conjunction.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.and_all(&[a, b])
    }

    /// Disjunction.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.or_all(&[a, b])
    }

    /// Implication.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// Conjunction of any number of terms.
    pub fn and_all(&mut self, terms: &[Term]) -> Term {
        self.junction(terms, true)
    }

    /// Disjunction of any number of terms.
    pub fn or_all(&mut self, terms: &[Term]) -> Term {
        self.junction(terms, false)
    }

    /// Conjunction or, dually, disjunction.
    fn junction(&mut self, terms: &[Term], and: bool) -> Term {
        let (flatten, unit, clash) = if and {
            (Rule::AndFlatten, Rule::AndUnit, Rule::AndContradiction)
        } else {
            (Rule::OrFlatten, Rule::OrUnit, Rule::OrTautology)
        };
        let (neutral, absorbing) = (self.bool(and), self.bool(!and));
        let mut parts: SmallVec<[Term; 8]> = SmallVec::new();
        for &term in terms {
            let nested: Option<&[Term]> = match self.node(term) {
                Node::And(inner) if and && inner.len() <= FLATTEN_LIMIT => Some(inner),
                Node::Or(inner) if !and && inner.len() <= FLATTEN_LIMIT => Some(inner),
                _ => None,
            };
            match nested {
                Some(inner) => {
                    let inner: SmallVec<[Term; 8]> = inner.into();
                    if self.fires(flatten, true) {
                        parts.extend(inner);
                    } else {
                        parts.push(term);
                    }
                }
                None => parts.push(term),
            }
        }
        if parts.contains(&absorbing) && self.fires(unit, true) {
            return absorbing;
        }
        if parts.contains(&neutral) && self.fires(unit, true) {
            parts.retain(|&mut part| part != neutral);
        }
        parts.sort_unstable();
        parts.dedup();
        for i in 0..parts.len() {
            let opposite = match *self.node(parts[i]) {
                Node::Not(inner) => Some(inner),
                Node::LeZero(_) => Some(self.not(parts[i])),
                _ => None,
            };
            if opposite.is_some_and(|term| parts.binary_search(&term).is_ok()) && self.fires(clash, true) {
                return absorbing;
            }
        }
        match parts[..] {
            [] => neutral,
            [only] => only,
            _ if and => self.intern(Node::And(parts.into_boxed_slice())),
            _ => self.intern(Node::Or(parts.into_boxed_slice())),
        }
    }

    /// `condition ? then : otherwise`. Both branches have the same sort.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        debug_assert_eq!(self.sort(then), self.sort(otherwise), "branches of one sort");
        if let Some(value) = self.as_bool(condition)
            && self.fires(Rule::IteConst, true)
        {
            return if value { then } else { otherwise };
        }
        if self.fires(Rule::IteSame, then == otherwise) {
            return then;
        }
        if let Node::Not(inner) = *self.node(condition)
            && self.fires(Rule::IteNot, true)
        {
            return self.ite(inner, otherwise, then);
        }
        let (mut then, mut otherwise) = (then, otherwise);
        if let Node::Ite(inner, a, _) = *self.node(then)
            && self.fires(Rule::IteNested, inner == condition)
        {
            then = a;
        }
        if let Node::Ite(inner, _, b) = *self.node(otherwise)
            && self.fires(Rule::IteNested, inner == condition)
        {
            otherwise = b;
        }
        if self.sort(then) == Sort::Bool
            && (self.as_bool(then).or(self.as_bool(otherwise))).is_some()
            && self.fires(Rule::IteBool, true)
        {
            return match (self.as_bool(then), self.as_bool(otherwise)) {
                (Some(true), _) => self.or(condition, otherwise),
                (Some(false), _) => {
                    let not = self.not(condition);
                    self.and(not, otherwise)
                }
                (None, Some(true)) => self.implies(condition, then),
                (None, _) => self.and(condition, then),
            };
        }
        if self.fires(Rule::IteSame, then == otherwise) {
            return then;
        }
        self.intern(Node::Ite(condition, then, otherwise))
    }

    /// Equality of two terms of one sort; SMT-LIB's `=`. For IEEE equality of floats see [`Pool::float_compare`].
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b), "operands of one sort");
        if self.fires(Rule::EqSame, a == b) {
            return Self::TRUE;
        }
        if self.sort(a) == Sort::Int {
            let difference = self.sub(a, b);
            return self.eq_zero(difference);
        }
        let (mut a, mut b) = (a, b);
        while let Some(rest) = self.without_common(a, b) {
            (a, b) = rest;
        }
        if self.fires(Rule::EqSame, a == b) {
            return Self::TRUE;
        }
        let both_constant = self.is_const(a) && self.is_const(b) && a != b;
        if self.fires(Rule::EqConst, both_constant) {
            return Self::FALSE;
        }
        for (a, b) in [(a, b), (b, a)] {
            if let Node::BvBinary(BvOp::Add, one, other) = *self.node(a)
                && self.as_bits(b).is_some()
                && let Some((rest, constant)) =
                    [(one, other), (other, one)].into_iter().find(|&(_, term)| self.is_const(term))
                && self.fires(Rule::EqBv, true)
            {
                let difference = self.bv_sub(b, constant);
                return self.eq(rest, difference);
            }
            if let Some(y) = self.as_bits(b)
                && let Some(compared) = self.compare_choice(a, |x| x == y, |a| Node::Eq(a.min(b), a.max(b)))
            {
                return compared;
            }
        }
        if self.sort(a) == Sort::Bool {
            for (a, b) in [(a, b), (b, a)] {
                if self.fires(Rule::EqBool, a == Self::TRUE) {
                    return b;
                }
                if self.fires(Rule::EqBool, a == Self::FALSE) {
                    return self.not(b);
                }
                if self.fires(Rule::EqBool, *self.node(a) == Node::Not(b)) {
                    return Self::FALSE;
                }
            }
        }
        self.intern(Node::Eq(a.min(b), a.max(b)))
    }

    /// Inequality of two terms of one sort.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// `body` for all integers (or for some integer) from `low` to below `high`. The variable must not occur
    /// elsewhere.
    pub fn quantified(&mut self, forall: bool, variable: Term, low: Term, high: Term, body: Term) -> Term {
        let Node::Var(id) = *self.node(variable) else {
            return body;
        };
        let vacuous = self.bool(forall);
        let empty = self.le(high, low);
        if self.fires(Rule::QuantifiedConst, body == vacuous || empty == Self::TRUE) {
            return vacuous;
        }
        if let (Some(from), Some(to)) =
            (self.as_int(low).and_then(|i| i.as_i64()), self.as_int(high).and_then(|i| i.as_i64()))
            && to.checked_sub(from).is_some_and(|length| length <= UNFOLD_LIMIT)
            && self.fires(Rule::QuantifiedUnfold, true)
        {
            let instances: Vec<Term> = (from..to)
                .map(|index| {
                    let index = self.int(index);
                    self.substitute(body, &[(variable, index)])
                })
                .collect();
            return self.junction(&instances, forall);
        }
        self.intern(Node::Quantified { forall, variable: id, low, high, body })
    }
}
