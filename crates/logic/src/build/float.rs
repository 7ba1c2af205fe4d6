//! Builds IEEE 754 floats.

use crate::pool::Pool;
use crate::rules::Rule;
use crate::semantics;
use crate::term::{Conversion, FloatFormat, FloatFunction, FloatOp, FloatOrder, Node, Term};

impl Pool {
    /// A float constant by its bits; every NaN becomes the canonical one.
    pub fn float(&mut self, format: FloatFormat, bits: u64) -> Term {
        self.intern(Node::Float(format, semantics::canonical(format, bits)))
    }

    /// The bits of a constant float.
    pub fn as_float(&self, term: Term) -> Option<u64> {
        match self.node(term) {
            Node::Float(_, bits) => Some(*bits),
            _ => None,
        }
    }

    /// Arithmetic on two floats of one format.
    pub fn float_binary(&mut self, op: FloatOp, a: Term, b: Term) -> Term {
        if let (Some(x), Some(y)) = (self.as_float(a), self.as_float(b)) {
            let format = self.float_format(a);
            if self.fires(Rule::FloatConst, true) {
                return self.float(format, semantics::float_binary(op, format, x, y));
            }
        }
        self.intern(Node::FloatBinary(op, a, b))
    }

    /// The float with the opposite sign.
    pub fn float_neg(&mut self, a: Term) -> Term {
        match *self.node(a) {
            Node::Float(format, bits) if self.fires(Rule::FloatConst, true) => {
                self.float(format, semantics::float_neg(format, bits))
            }
            Node::FloatNeg(inner) if self.fires(Rule::FloatNegNeg, true) => inner,
            _ => self.intern(Node::FloatNeg(a)),
        }
    }

    /// A function of one float.
    pub fn float_unary(&mut self, function: FloatFunction, a: Term) -> Term {
        match *self.node(a) {
            Node::Float(format, bits) if self.fires(Rule::FloatConst, true) => {
                self.float(format, semantics::float_unary(function, format, bits))
            }
            // These functions are idempotent: an integral or non-negative float stays unchanged.
            Node::FloatUnary(inner, _)
                if self.fires(Rule::FloatUnaryTwice, inner == function && function != FloatFunction::Sqrt) =>
            {
                a
            }
            _ if self.fires(Rule::FloatIntegral, function.is_rounding() && self.is_integral(a)) => a,
            Node::FloatNeg(inner) if self.fires(Rule::FloatAbsNeg, function == FloatFunction::Abs) => {
                self.float_unary(function, inner)
            }
            _ => self.intern(Node::FloatUnary(function, a)),
        }
    }

    /// Whether a float is an integer, infinite or NaN by the way in which it is made. What stands for integers with more digits
    /// than the format has is an integer, too.
    fn is_integral(&self, mut float: Term) -> bool {
        loop {
            float = match *self.node(float) {
                Node::Convert(Conversion::BvToFloat { .. }, _) => return true,
                Node::FloatUnary(function, _) if function.is_rounding() => return true,
                Node::FloatUnary(FloatFunction::Abs, inner) | Node::FloatNeg(inner) => inner,
                _ => return false,
            };
        }
    }

    /// IEEE comparison of two floats of one format.
    pub fn float_compare(&mut self, order: FloatOrder, a: Term, b: Term) -> Term {
        if let (Some(x), Some(y)) = (self.as_float(a), self.as_float(b)) {
            let format = self.float_format(a);
            if self.fires(Rule::FloatConst, true) {
                return self.bool(semantics::float_compare(order, format, x, y));
            }
        }
        if self.fires(Rule::FloatSame, a == b) {
            return match order {
                FloatOrder::Lt => Pool::FALSE,
                FloatOrder::Eq | FloatOrder::Le => {
                    let is_nan = self.float_is_nan(a);
                    self.not(is_nan)
                }
            };
        }
        let is_absolute = |pool: &Pool, term| matches!(pool.node(term), Node::FloatUnary(FloatFunction::Abs, _));
        let is_zero = |pool: &Pool, term| {
            let sign = 1 << (pool.width(term) - 1);
            pool.as_float(term).is_some_and(|bits| bits & !sign == 0)
        };
        if order == FloatOrder::Lt && is_absolute(self, a) && is_zero(self, b) && self.fires(Rule::FloatAbsSign, true) {
            return Pool::FALSE;
        }
        if order == FloatOrder::Le && is_zero(self, a) && is_absolute(self, b) && self.fires(Rule::FloatAbsSign, true) {
            let is_nan = self.float_is_nan(b);
            return self.not(is_nan);
        }
        self.intern(Node::FloatCompare(order, a, b))
    }

    /// Whether a float is NaN.
    pub fn float_is_nan(&mut self, a: Term) -> Term {
        match *self.node(a) {
            Node::Float(format, bits) if self.fires(Rule::FloatConst, true) => {
                self.bool(semantics::float_is_nan(format, bits))
            }
            Node::Convert(Conversion::BvToFloat { .. }, _) if self.fires(Rule::FloatNan, true) => Pool::FALSE,
            Node::FloatNeg(inner) | Node::Convert(Conversion::FloatToFloat(_), inner)
                if self.fires(Rule::FloatNan, true) =>
            {
                self.float_is_nan(inner)
            }
            Node::FloatUnary(function, inner)
                if self.fires(Rule::FloatNan, function == FloatFunction::Abs || function.is_rounding()) =>
            {
                self.float_is_nan(inner)
            }
            _ => self.intern(Node::FloatIsNan(a)),
        }
    }
}
