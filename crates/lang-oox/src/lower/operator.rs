//! Lowers arithmetic and comparisons.

use super::{Lowerer, Value};
use crate::ast::{ChainOp, Expr};
use crate::builtins::CHAR;
use crate::lexer::Loc;
use crate::report::Outcome;
use aback_ir::*;

impl<'a> Lowerer<'_, 'a> {
    /// `first op operand op operand …`, all of one precedence, without `&&` and `||`.
    pub(super) fn chain(&mut self, first: &Expr<'a>, rest: &[(ChainOp, Expr<'a>)]) -> Outcome<Value> {
        let mut left = self.value(first);
        let mut loc = first.loc;
        for (op, operand) in rest {
            let right = self.value(operand);
            let whole = loc.to(operand.loc);
            left = match (left, right) {
                (Ok(left), Ok(right)) => self.binary(*op, (left, loc), (right, operand.loc), whole),
                (Err(reported), _) | (_, Err(reported)) => Err(reported),
            };
            loc = whole;
        }
        left
    }

    fn binary(&mut self, op: ChainOp, a: (Value, Loc), b: (Value, Loc), loc: Loc) -> Outcome<Value> {
        let ir_op = match op {
            ChainOp::Eq | ChainOp::Ne => return self.equality(op == ChainOp::Eq, a, b, loc),
            ChainOp::Div => return self.division(DivideOp::Div, a, b, loc),
            ChainOp::Rem => return self.division(DivideOp::Rem, a, b, loc),
            ChainOp::Add => BinaryOp::Add,
            ChainOp::Sub => BinaryOp::Sub,
            ChainOp::Mul => BinaryOp::Mul,
            ChainOp::Lt => BinaryOp::Lt,
            ChainOp::Le => BinaryOp::Le,
            ChainOp::Gt => BinaryOp::Gt,
            ChainOp::Ge => BinaryOp::Ge,
            // `connective` lowers these operators, so that they do not occur here.
            ChainOp::And => BinaryOp::And,
            ChainOp::Or => BinaryOp::Or,
        };
        let span = self.span(loc);
        if ir_op.is_comparison() && a.0.ty == CHAR && b.0.ty == CHAR {
            return Ok(Value { expr: self.code.binary(ir_op, CHAR, a.0.expr, b.0.expr, span), ty: Type::Bool });
        }
        let (a, b) = self.integers(op, a, b)?;
        let ty = if ir_op.is_comparison() { Type::Bool } else { self.env.int };
        Ok(Value { expr: self.code.binary(ir_op, self.env.int, a, b, span), ty })
    }

    /// Both operands as integers.
    fn integers(&mut self, op: ChainOp, a: (Value, Loc), b: (Value, Loc)) -> Outcome<(ExprId, ExprId)> {
        for (value, loc) in [a, b] {
            if !self.env.fits(value.ty, self.env.int) {
                let found = self.type_name(value.ty);
                let message = format!("`{}` takes integers, but this is {found}", op.symbol());
                return Err(self.error(loc, message));
            }
        }
        let (a, b) = (self.coerce(a.0, self.env.int, self.span(a.1)), self.coerce(b.0, self.env.int, self.span(b.1)));
        Ok((a.expr, b.expr))
    }

    fn division(&mut self, op: DivideOp, a: (Value, Loc), b: (Value, Loc), loc: Loc) -> Outcome<Value> {
        let symbol = if op == DivideOp::Div { ChainOp::Div } else { ChainOp::Rem };
        let (dividend, divisor) = self.integers(symbol, a, b)?;
        let divide = |dst| OpKind::Divide { dst, op, dividend, divisor };
        Ok(Value { expr: self.code.result(self.env.int, self.span(loc), divide), ty: self.env.int })
    }

    fn equality(&mut self, is_eq: bool, a: (Value, Loc), b: (Value, Loc), loc: Loc) -> Outcome<Value> {
        let span = self.span(loc);
        let ((mut left, loc_a), (mut right, loc_b)) = (a, b);
        let common = if self.env.fits(left.ty, right.ty) {
            Some(right.ty)
        } else if self.env.fits(right.ty, left.ty) || (left.ty.is_reference() && right.ty.is_reference()) {
            Some(left.ty)
        } else {
            None
        };
        let names = (self.type_name(left.ty), self.type_name(right.ty));
        let Some(ty) = common else {
            let message = format!("{} and {} are never equal", names.0, names.1);
            let help = format!("this comparison is always {}", !is_eq);
            self.warning(loc, message, Some(help));
            return Ok(Value { expr: self.code.bool(!is_eq), ty: Type::Bool });
        };
        let op = if is_eq { BinaryOp::Eq } else { BinaryOp::Ne };
        if ty.is_reference() && !self.may_be(left.ty, right.ty) {
            self.warning(loc, format!("{} and {} are equal only if both are null", names.0, names.1), None);
            // Engines only compare references whose types have objects in common.
            let null = self.code.constant(Const::Null);
            let [left, right] = [left, right].map(|side| self.code.binary(op, side.ty, side.expr, null, span));
            let both = if is_eq { BinaryOp::And } else { BinaryOp::Or };
            return Ok(Value { expr: self.code.binary(both, Type::Bool, left, right, span), ty: Type::Bool });
        }
        left = self.coerce(left, ty, self.span(loc_a));
        right = self.coerce(right, ty, self.span(loc_b));
        Ok(Value { expr: self.code.binary(op, ty, left.expr, right.expr, span), ty: Type::Bool })
    }
}
