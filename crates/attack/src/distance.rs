//! Measures how far a condition is from the other truth value.

use aback_ir::{BinaryOp, Body, Const, Expr, ExprId, Type, UnaryOp};
use aback_witness::Value;

/// Deepest expression that is measured.
const DEEPEST: u32 = 32;

/// A value of an expression.
#[derive(Clone, Copy, PartialEq)]
enum Number {
    Bool(bool),
    Int(i128),
    Float(f64),
}

/// How much is missing until a condition has a truth value: 0 if it has it, and more for values that differ more. `None` for
/// conditions that are not measured. It only steers the choice of inputs, so that a large number may be rounded.
pub(crate) fn distance(body: &Body, condition: ExprId, wanted: bool, locals: &[Value]) -> Option<f64> {
    Measure { body, locals }.distance(condition, wanted, DEEPEST)
}

struct Measure<'a> {
    body: &'a Body,
    locals: &'a [Value],
}

impl Measure<'_> {
    fn distance(&self, condition: ExprId, wanted: bool, depth: u32) -> Option<f64> {
        let depth = depth.checked_sub(1)?;
        let of = |part, wanted| self.distance(part, wanted, depth);
        match self.body.exprs.get(condition.index())? {
            Expr::Unary(UnaryOp::Not, _, part) => of(*part, !wanted),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), Type::Bool, one, other) => {
                let (one, other) = (of(*one, wanted)?, of(*other, wanted)?);
                Some(if (*op == BinaryOp::And) == wanted { one + other } else { one.min(other) })
            }
            Expr::Binary(op, ty, one, other) if !ty.is_reference() => {
                let (one, other) = (self.value(*one, depth)?, self.value(*other, depth)?);
                missing(*op, one, other, wanted)
            }
            Expr::Select(chosen, then, otherwise) => match self.value(*chosen, depth)? {
                Number::Bool(true) => of(*then, wanted),
                Number::Bool(false) => of(*otherwise, wanted),
                _ => None,
            },
            _ => match self.value(condition, depth)? {
                Number::Bool(value) => Some(if value == wanted { 0.0 } else { 1.0 }),
                _ => None,
            },
        }
    }

    fn value(&self, expr: ExprId, depth: u32) -> Option<Number> {
        let depth = depth.checked_sub(1)?;
        match self.body.exprs.get(expr.index())? {
            Expr::Local(local) => match self.locals.get(local.index())? {
                Value::Bool(value) => Some(Number::Bool(*value)),
                Value::Int(value) => value.to_i128().map(Number::Int),
                Value::F32(bits) => Some(Number::Float(f32::from_bits(*bits).into())),
                Value::F64(bits) => Some(Number::Float(f64::from_bits(*bits))),
                Value::Null | Value::Ref(_) => None,
            },
            Expr::Const(constant) => match constant {
                Const::Bool(value) => Some(Number::Bool(*value)),
                Const::Int(value, _) => i128::try_from(value).ok().map(Number::Int),
                Const::F32(bits) => Some(Number::Float(f32::from_bits(*bits).into())),
                Const::F64(bits) => Some(Number::Float(f64::from_bits(*bits))),
                Const::Null => None,
            },
            Expr::Unary(op, ty, part) => match (op, self.value(*part, depth)?) {
                (UnaryOp::Not, Number::Bool(value)) => Some(Number::Bool(!value)),
                (UnaryOp::Neg, Number::Int(value)) => Some(wrapped(value.checked_neg()?, *ty)),
                (UnaryOp::Neg, Number::Float(value)) => Some(Number::Float(-value)),
                _ => None,
            },
            Expr::Binary(op, ty, one, other) => {
                let (one, other) = (self.value(*one, depth)?, self.value(*other, depth)?);
                match (op, one, other) {
                    (BinaryOp::Add, Number::Int(a), Number::Int(b)) => Some(wrapped(a.checked_add(b)?, *ty)),
                    (BinaryOp::Sub, Number::Int(a), Number::Int(b)) => Some(wrapped(a.checked_sub(b)?, *ty)),
                    (BinaryOp::Mul, Number::Int(a), Number::Int(b)) => Some(wrapped(a.checked_mul(b)?, *ty)),
                    (BinaryOp::And, Number::Int(a), Number::Int(b)) => Some(Number::Int(a & b)),
                    (BinaryOp::Or, Number::Int(a), Number::Int(b)) => Some(Number::Int(a | b)),
                    (BinaryOp::And, Number::Bool(a), Number::Bool(b)) => Some(Number::Bool(a && b)),
                    (BinaryOp::Or, Number::Bool(a), Number::Bool(b)) => Some(Number::Bool(a || b)),
                    _ => missing(*op, one, other, true).map(|missing| Number::Bool(missing == 0.0)),
                }
            }
            Expr::Select(chosen, then, otherwise) => match self.value(*chosen, depth)? {
                Number::Bool(true) => self.value(*then, depth),
                Number::Bool(false) => self.value(*otherwise, depth),
                _ => None,
            },
            Expr::Convert { to, value, .. } => match self.value(*value, depth)? {
                Number::Int(value) if matches!(to, Type::Int | Type::Machine { .. }) => Some(wrapped(value, *to)),
                Number::Int(value) => Some(Number::Float(value as f64)),
                Number::Float(value) if matches!(to, Type::F32 | Type::F64) => Some(Number::Float(value)),
                Number::Float(value) => Some(wrapped(value as i128, *to)),
                Number::Bool(_) => None,
            },
            Expr::Bits { .. } => None,
        }
    }
}

/// What is missing until two numbers compare as wanted.
fn missing(op: BinaryOp, one: Number, other: Number, wanted: bool) -> Option<f64> {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let op = match (op, wanted) {
        (op, true) => op,
        (Eq, false) => Ne,
        (Ne, false) => Eq,
        (Lt, false) => Ge,
        (Ge, false) => Lt,
        (Le, false) => Gt,
        (Gt, false) => Le,
        _ => return None,
    };
    // How much the first one is greater, and the least difference.
    let (greater, unit) = match (one, other) {
        (Number::Int(a), Number::Int(b)) => (a.checked_sub(b)? as f64, 1.0),
        (Number::Float(a), Number::Float(b)) if !(a - b).is_nan() => (a - b, f64::MIN_POSITIVE),
        (Number::Bool(a), Number::Bool(b)) => (f64::from(u8::from(a != b)), 1.0),
        _ => return None,
    };
    Some(match op {
        Eq => greater.abs(),
        Ne => {
            if greater == 0.0 {
                unit
            } else {
                0.0
            }
        }
        Lt => {
            if greater < 0.0 {
                0.0
            } else {
                greater + unit
            }
        }
        Le => greater.max(0.0),
        Gt => {
            if greater > 0.0 {
                0.0
            } else {
                unit - greater
            }
        }
        Ge => (-greater).max(0.0),
        _ => return None,
    })
}

/// An integer as one of a type.
fn wrapped(value: i128, ty: Type) -> Number {
    Number::Int(match ty {
        Type::Machine { width, signed } if width < 128 => {
            let rest = value & ((1i128 << width) - 1);
            if signed && rest >> (width - 1) & 1 == 1 { rest - (1i128 << width) } else { rest }
        }
        _ => value,
    })
}
