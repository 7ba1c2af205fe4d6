//! Translates comparisons and branches.

use super::{Entry, Result, Translator};
use crate::types::{INT, LONG};
use aback_ir::{BinaryOp, Const, Expr, ExprId, TerminatorKind, Type, UnaryOp};

/// The operands of `lcmp`, `fcmpl`, `fcmpg`, `dcmpl` or `dcmpg`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison {
    left: ExprId,
    right: ExprId,
    ty: Type,
    /// Whether the result for NaN is 1; otherwise it is -1.
    nan_is_greater: bool,
}

impl Translator<'_> {
    /// Compares the two values on top of the stack: -1, 0 or 1.
    pub(super) fn compare(&mut self, ty: Type, nan_is_greater: bool) -> Result<()> {
        let (right, left) = (self.pop_expr()?, self.pop_expr()?);
        let (minus_one, zero, one) = (self.int(-1), self.int(0), self.int(1));
        // The last case includes NaN.
        let (first, on_first, on_nan) = match nan_is_greater {
            true => (BinaryOp::Lt, minus_one, one),
            false => (BinaryOp::Gt, one, minus_one),
        };
        let is_first = self.binary_expr(first, ty, left, right);
        let is_equal = self.binary_expr(BinaryOp::Eq, ty, left, right);
        let other = self.expr(Expr::Select(is_equal, zero, on_nan));
        let expr = self.expr(Expr::Select(is_first, on_first, other));
        self.push(expr, INT);
        if let Some(top) = self.frame.stack.last_mut()
            && top.expr == expr
        {
            top.comparison = Some(Comparison { left, right, ty, nan_is_greater });
        }
        Ok(())
    }

    /// Branches on the order of the top of the stack and zero.
    pub(super) fn branch_on_zero(&mut self, op: BinaryOp, target: usize, next: usize) -> Result<()> {
        let entry = self.pop()?;
        let condition = self.against_zero(op, entry);
        self.branch(condition, target, next)
    }

    pub(super) fn against_zero(&mut self, op: BinaryOp, entry: Entry) -> ExprId {
        use BinaryOp::*;
        if let Some(Comparison { left, right, ty, nan_is_greater }) = entry.comparison {
            // If an operand is NaN, all orders are false.
            let opposite = match (op, nan_is_greater) {
                (Gt, true) if ty != LONG => Some(Le),
                (Ge, true) if ty != LONG => Some(Lt),
                (Lt, false) if ty != LONG => Some(Ge),
                (Le, false) if ty != LONG => Some(Gt),
                _ => None,
            };
            return match opposite {
                Some(opposite) => {
                    let order = self.binary_expr(opposite, ty, left, right);
                    self.negated(order)
                }
                None => self.binary_expr(op, ty, left, right),
            };
        }
        let (zero, one) = (self.int(0), self.int(1));
        if let Expr::Select(condition, then, other) = *self.body.expr(entry.expr)
            && (then, other) == (one, zero)
        {
            match op {
                Ne => return condition,
                Eq => return self.negated(condition),
                _ => {}
            }
        }
        self.binary_expr(op, INT, entry.expr, zero)
    }

    /// Branches on the order of the two values on top of the stack.
    pub(super) fn branch_on_order(&mut self, op: BinaryOp, target: usize, next: usize) -> Result<()> {
        let (right, left) = (self.pop()?, self.pop()?);
        let ty = if left.ty == Type::Null { right.ty } else { left.ty };
        let condition = self.binary_expr(op, ty, left.expr, right.expr);
        self.branch(condition, target, next)
    }

    /// Branches on whether the reference on top of the stack is null.
    pub(super) fn branch_on_null(&mut self, op: BinaryOp, target: usize, next: usize) -> Result<()> {
        let value = self.pop()?;
        let null = self.expr(Expr::Const(Const::Null));
        let condition = self.binary_expr(op, value.ty, value.expr, null);
        self.branch(condition, target, next)
    }

    pub(super) fn branch(&mut self, condition: ExprId, target: usize, next: usize) -> Result<()> {
        let then_block = self.edge(target)?;
        let else_block = self.edge(next)?;
        self.end(TerminatorKind::Branch { condition, then_block, else_block });
        Ok(())
    }

    pub(super) fn negated(&mut self, condition: ExprId) -> ExprId {
        self.expr(Expr::Unary(UnaryOp::Not, Type::Bool, condition))
    }
}
