//! Treats integers as unbounded: executions in which the user's own code overflows an integer are excluded.

use super::Translator;
use crate::types::{INT, LONG};
use aback_ir::{BinaryOp, DivideOp, Expr, ExprId, OpKind, Type, UnaryOp};

/// The least and the greatest value.
fn range(ty: Type) -> Option<(i64, i64)> {
    match ty {
        INT => Some((i32::MIN.into(), i32::MAX.into())),
        LONG => Some((i64::MIN, i64::MAX)),
        _ => None,
    }
}

impl Translator<'_> {
    fn takes_as_unbounded(&self) -> bool {
        self.java.loader.has_unbounded_integers() && !self.class.is_library
    }

    fn relate(&mut self, op: BinaryOp, ty: Type, left: ExprId, right: ExprId) -> ExprId {
        self.expr(Expr::Binary(op, ty, left, right))
    }

    /// Continues only if a sum, a difference or a product does not overflow.
    pub(super) fn exclude_overflow(&mut self, op: BinaryOp, ty: Type, left: ExprId, right: ExprId) {
        let Some((least, greatest)) = range(ty).filter(|_| self.takes_as_unbounded()) else { return };
        let (low, high) = (self.constant(least, ty), self.constant(greatest, ty));
        let condition = match op {
            BinaryOp::Add | BinaryOp::Sub => {
                let zero = self.constant(0, ty);
                let not_negative = self.relate(BinaryOp::Le, ty, zero, right);
                // The bound of the comparison does not overflow in the case in which it is used.
                let (up, down) = match op {
                    BinaryOp::Add => (high, low),
                    _ => (low, high),
                };
                let inverse = if op == BinaryOp::Add { BinaryOp::Sub } else { BinaryOp::Add };
                let end = self.expr(Expr::Binary(inverse, ty, up, right));
                let other_end = self.expr(Expr::Binary(inverse, ty, down, right));
                let (is_below, is_above) = match op {
                    BinaryOp::Add => {
                        (self.relate(BinaryOp::Le, ty, left, end), self.relate(BinaryOp::Le, ty, other_end, left))
                    }
                    _ => (self.relate(BinaryOp::Le, ty, end, left), self.relate(BinaryOp::Le, ty, left, other_end)),
                };
                self.expr(Expr::Select(not_negative, is_below, is_above))
            }
            BinaryOp::Mul if ty == INT => {
                let [left, right] = [left, right].map(|value| self.expr(Expr::Convert { from: INT, to: LONG, value }));
                let product = self.expr(Expr::Binary(BinaryOp::Mul, LONG, left, right));
                let (low, high) = (self.constant(least, LONG), self.constant(greatest, LONG));
                let above = self.relate(BinaryOp::Le, LONG, low, product);
                let below = self.relate(BinaryOp::Le, LONG, product, high);
                self.relate(BinaryOp::And, Type::Bool, above, below)
            }
            BinaryOp::Mul => {
                // The product divided by one factor is the other factor, except that -1 times the least value
                // overflows.
                let (zero, one, minus_one) = (self.constant(0, ty), self.constant(1, ty), self.constant(-1, ty));
                let product = self.expr(Expr::Binary(BinaryOp::Mul, ty, left, right));
                let is_zero = self.relate(BinaryOp::Eq, ty, left, zero);
                let divisor = self.expr(Expr::Select(is_zero, one, left));
                let dst = self.body.add_temp(ty);
                self.note_place(dst);
                self.is_place[dst.index()] = false;
                self.emit(OpKind::Divide { dst, op: DivideOp::Div, dividend: product, divisor });
                let quotient = self.expr(Expr::Local(dst));
                let same = self.relate(BinaryOp::Eq, ty, quotient, right);
                let fits = self.relate(BinaryOp::Or, Type::Bool, is_zero, same);
                let is_sign = self.relate(BinaryOp::Eq, ty, left, minus_one);
                let not_least = self.relate(BinaryOp::Ne, ty, right, low);
                let no_sign = self.expr(Expr::Unary(UnaryOp::Not, Type::Bool, is_sign));
                let other = self.relate(BinaryOp::Or, Type::Bool, no_sign, not_least);
                self.relate(BinaryOp::And, Type::Bool, fits, other)
            }
            _ => return,
        };
        self.emit(OpKind::Assume { condition });
    }

    /// Continues only if a negation does not overflow.
    pub(super) fn exclude_overflow_of_negation(&mut self, ty: Type, value: ExprId) {
        let Some((least, _)) = range(ty).filter(|_| self.takes_as_unbounded()) else { return };
        let low = self.constant(least, ty);
        let condition = self.relate(BinaryOp::Ne, ty, value, low);
        self.emit(OpKind::Assume { condition });
    }
    /// Continues only if a quotient does not overflow. Only the least value divided by -1 overflows.
    pub(super) fn exclude_overflow_of_quotient(&mut self, ty: Type, dividend: ExprId, divisor: ExprId) {
        let Some((least, _)) = range(ty).filter(|_| self.takes_as_unbounded()) else { return };
        let (low, minus_one) = (self.constant(least, ty), self.constant(-1, ty));
        let other = self.relate(BinaryOp::Ne, ty, dividend, low);
        let no_sign = self.relate(BinaryOp::Ne, ty, divisor, minus_one);
        let condition = self.relate(BinaryOp::Or, Type::Bool, other, no_sign);
        self.emit(OpKind::Assume { condition });
    }
}
