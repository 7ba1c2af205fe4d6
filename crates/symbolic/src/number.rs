//! Implements the arithmetic of the IR on concrete numbers.

use aback_heap::Value;
use aback_ir::{BinaryOp, DivideOp, Type};

/// Truncates an integer to the width of a type and sign- or zero-extends the result. Unbounded integers do not change.
pub fn wrap(value: i64, ty: Type) -> i64 {
    match ty {
        Type::Machine { width, signed } => {
            let shift = 64 - u32::from(width.clamp(1, 64));
            if signed { (value << shift) >> shift } else { ((value as u64) << shift >> shift) as i64 }
        }
        _ => value,
    }
}

/// Applies an operator to two floats of one format.
macro_rules! float {
    ($op:expr, $value:path, $x:expr, $y:expr) => {{
        let (x, y) = ($x, $y);
        let result = match $op {
            BinaryOp::Add => x + y,
            BinaryOp::Sub => x - y,
            BinaryOp::Mul => x * y,
            BinaryOp::FloatDiv => x / y,
            BinaryOp::FloatRem => x % y,
            order => return float_order(order, x.partial_cmp(&y)).map(Value::Bool),
        };
        Some($value(result.to_bits()))
    }};
}

/// Applies an operator to two concrete values of one type. `None` if the result is an unbounded integer that does not
/// fit into 64 bits, or if the operator is not defined for the values.
#[inline]
pub fn binary(op: BinaryOp, ty: Type, a: Value, b: Value) -> Option<Value> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => integer(op, ty, a, b),
        (Value::Bool(a), Value::Bool(b)) => Some(Value::Bool(match op {
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor | BinaryOp::Ne => a != b,
            BinaryOp::Eq => a == b,
            _ => return None,
        })),
        (Value::F32(a), Value::F32(b)) => float!(op, Value::F32, f32::from_bits(a), f32::from_bits(b)),
        (Value::F64(a), Value::F64(b)) => float!(op, Value::F64, f64::from_bits(a), f64::from_bits(b)),
        (Value::Null | Value::Object(_), Value::Null | Value::Object(_)) => match op {
            BinaryOp::Eq => Some(Value::Bool(a == b)),
            BinaryOp::Ne => Some(Value::Bool(a != b)),
            _ => None,
        },
        _ => None,
    }
}

fn float_order(op: BinaryOp, order: Option<std::cmp::Ordering>) -> Option<bool> {
    Some(match op {
        BinaryOp::Eq => order.is_some_and(|order| order.is_eq()),
        BinaryOp::Ne => order.is_none_or(|order| order.is_ne()),
        BinaryOp::Lt => order.is_some_and(|order| order.is_lt()),
        BinaryOp::Le => order.is_some_and(|order| order.is_le()),
        BinaryOp::Gt => order.is_some_and(|order| order.is_gt()),
        BinaryOp::Ge => order.is_some_and(|order| order.is_ge()),
        _ => return None,
    })
}

#[inline]
fn integer(op: BinaryOp, ty: Type, a: i64, b: i64) -> Option<Value> {
    let ordered = |signed: bool, unsigned: bool| match ty {
        Type::Machine { signed: false, .. } => unsigned,
        _ => signed,
    };
    let (ua, ub) = (a as u64, b as u64);
    Some(Value::Bool(match op {
        BinaryOp::Eq => a == b,
        BinaryOp::Ne => a != b,
        BinaryOp::Lt => ordered(a < b, ua < ub),
        BinaryOp::Le => ordered(a <= b, ua <= ub),
        BinaryOp::Gt => ordered(a > b, ua > ub),
        BinaryOp::Ge => ordered(a >= b, ua >= ub),
        _ => {
            let Type::Machine { width, .. } = ty else {
                return Some(Value::Int(match op {
                    BinaryOp::Add => a.checked_add(b)?,
                    BinaryOp::Sub => a.checked_sub(b)?,
                    BinaryOp::Mul => a.checked_mul(b)?,
                    _ => return None,
                }));
            };
            let distance = (b as u32) & (u32::from(width) - 1);
            let unsigned = if width == 64 { ua } else { ua & ((1 << width) - 1) };
            return Some(Value::Int(wrap(
                match op {
                    BinaryOp::Add => a.wrapping_add(b),
                    BinaryOp::Sub => a.wrapping_sub(b),
                    BinaryOp::Mul => a.wrapping_mul(b),
                    BinaryOp::And => a & b,
                    BinaryOp::Or => a | b,
                    BinaryOp::Xor => a ^ b,
                    BinaryOp::Shl => a.wrapping_shl(distance),
                    BinaryOp::ShrSigned => wrap(a, Type::Machine { width, signed: true }).wrapping_shr(distance),
                    BinaryOp::ShrUnsigned => unsigned.wrapping_shr(distance) as i64,
                    _ => return None,
                },
                ty,
            )));
        }
    }))
}

/// The quotient or remainder of two concrete integers. `None` if the result does not fit into 64 bits or the divisor is
/// zero.
pub fn divide(op: DivideOp, ty: Type, a: i64, b: i64) -> Option<Value> {
    let unsigned = matches!(ty, Type::Machine { signed: false, .. });
    let result = match (op, unsigned) {
        (DivideOp::Div, true) => (a as u64).checked_div(b as u64)? as i64,
        (DivideOp::Rem, true) => (a as u64).checked_rem(b as u64)? as i64,
        (DivideOp::Div, false) if ty == Type::Int => a.checked_div(b)?,
        (DivideOp::Div, false) if b != 0 => a.wrapping_div(b),
        (DivideOp::Rem, false) if b != 0 => a.wrapping_rem(b),
        _ => return None,
    };
    Some(Value::Int(wrap(result, ty)))
}

/// Converts a concrete value between machine integers and floats, or between float formats; see
/// [`aback_ir::Expr::Convert`]. `None` for other conversions.
pub fn convert(from: Type, to: Type, value: Value) -> Option<Value> {
    Some(match (value, from, to) {
        (Value::Int(value), Type::Machine { signed: true, .. }, Type::F32) => Value::F32((value as f32).to_bits()),
        (Value::Int(value), Type::Machine { signed: true, .. }, Type::F64) => Value::F64((value as f64).to_bits()),
        (Value::Int(value), Type::Machine { .. }, Type::F32) => Value::F32((value as u64 as f32).to_bits()),
        (Value::Int(value), Type::Machine { .. }, Type::F64) => Value::F64((value as u64 as f64).to_bits()),
        (Value::F32(bits), _, Type::F64) => Value::F64(f64::from(f32::from_bits(bits)).to_bits()),
        (Value::F64(bits), _, Type::F32) => Value::F32((f64::from_bits(bits) as f32).to_bits()),
        (Value::F32(bits), _, Type::Machine { .. }) => float_to_machine(f32::from_bits(bits).into(), to),
        (Value::F64(bits), _, Type::Machine { .. }) => float_to_machine(f64::from_bits(bits), to),
        _ => return None,
    })
}

fn float_to_machine(float: f64, to: Type) -> Value {
    Value::Int(match to {
        Type::Machine { width: 64, signed: true } => float as i64,
        Type::Machine { width: 64, signed: false } => float as u64 as i64,
        Type::Machine { width: 32, signed: false } => (float as u32).into(),
        // Conversions to narrow types go through 32 bits, as in Java.
        _ => wrap((float as i32).into(), to),
    })
}
