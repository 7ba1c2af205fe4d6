//! Checks the types of expressions.

use super::body::{BodyChecker, fits};
use super::{Place, ProblemKind};
use crate::body::*;
use crate::program::Type;

impl BodyChecker<'_, '_> {
    pub(super) fn expr(&mut self, index: usize, place: &Place) {
        match self.body.exprs[index] {
            Expr::Const(Const::Int(ref value, ty)) if !fits(value, ty) => {
                let problem = ProblemKind::ConstantRange { value: value.clone(), ty: self.name(ty) };
                self.report(place, problem);
            }
            Expr::Local(_) | Expr::Const(_) => {}
            Expr::Unary(op, ty, operand) => {
                let suits = match op {
                    UnaryOp::Not => ty == Type::Bool,
                    UnaryOp::Neg => ty.is_integer() || ty.is_float(),
                    UnaryOp::BitNot => matches!(ty, Type::Machine { .. }),
                    UnaryOp::Abs | UnaryOp::Sqrt | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Rint => ty.is_float(),
                };
                self.operator(suits, op.symbol(), ty, place);
                self.exactly(self.ty(operand), ty, "an operand", place);
            }
            Expr::Binary(op, ty, left, right) => self.binary(op, ty, self.ty(left), self.ty(right), place),
            Expr::Select(condition, then, other) => {
                self.condition(condition, place);
                let (then, other) = (self.ty(then), self.ty(other));
                if !(then.is_reference() && other.is_reference()) {
                    self.exactly(other, then, "the second alternative", place);
                }
            }
            Expr::Convert { from, to, value } => {
                if from.is_reference() && to.is_reference() {
                    return self.reference(value, "an operand", place);
                }
                self.exactly(self.ty(value), from, "an operand", place);
                for ty in [from, to] {
                    self.demand(ty.is_integer() || ty.is_float(), ty, "a number type", "a conversion", place);
                }
            }
            Expr::Bits { from, to, value } => {
                self.exactly(self.ty(value), from, "an operand", place);
                let counterpart = |ty: Type| match ty {
                    Type::F32 => Some(Type::Machine { width: 32, signed: true }),
                    Type::F64 => Some(Type::Machine { width: 64, signed: true }),
                    _ => None,
                };
                let suits = counterpart(from) == Some(to) || counterpart(to) == Some(from);
                self.demand(suits, to, "the integer or float of the same width", "a change of type", place);
            }
        }
    }

    fn operator(&mut self, suits: bool, operator: &'static str, ty: Type, place: &Place) {
        if !suits {
            let problem = ProblemKind::NoSuchOperator { operator, ty: self.name(ty) };
            self.report(place, problem);
        }
    }

    fn binary(&mut self, op: BinaryOp, ty: Type, left: Type, right: Type, place: &Place) {
        use BinaryOp::*;
        let number = ty.is_integer() || ty.is_float();
        let machine = matches!(ty, Type::Machine { .. });
        let suits = match op {
            Add | Sub | Mul | Lt | Le | Gt | Ge => number,
            FloatDiv | FloatRem => ty.is_float(),
            And | Or | Xor => machine || ty == Type::Bool,
            Shl | ShrSigned | ShrUnsigned => machine,
            Eq | Ne => true,
        };
        self.operator(suits, op.symbol(), ty, place);
        match op {
            Eq | Ne if ty.is_reference() => {
                for operand in [left, right] {
                    self.demand(operand.is_reference(), operand, "a reference", "an operand", place);
                }
            }
            Shl | ShrSigned | ShrUnsigned => {
                self.exactly(left, ty, "an operand", place);
                self.demand(right.is_integer(), right, "an integer", "the distance of a shift", place);
            }
            _ => {
                self.exactly(left, ty, "an operand", place);
                self.exactly(right, ty, "an operand", place);
            }
        }
    }
}
