//! Computes the operators of expressions, as `crates/ir/src/body/expression.rs` documents them.
//!
//! Machine integers are computed in 128 bits and wrapped once at the end. This is exact: operands have at most 64 bits,
//! so an intermediate result is exact or reduced modulo 2^128, which agrees with every smaller power of two.

use crate::int::Int;
use crate::value::Value;
use aback_ir::{BinaryOp, DivideOp, Type, UnaryOp};
use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};

/// Largest integer, in bits. A larger one ends the run with [`Outcome::MemoryLimit`](crate::Outcome::MemoryLimit),
/// because squaring forty times would fill any memory.
pub const MAX_INT_BITS: u64 = 1 << 16;

/// Why an operator has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error("malformed code: an operand does not have the type of its operation")]
    IllTyped,
    #[error("malformed code: an expression, local or block that does not exist")]
    Malformed,
    #[error("an infinite float has no counterpart among unbounded integers")]
    InfiniteToInt,
    #[error("an integer outgrows the memory limit")]
    TooManyBits,
}

type Result<T> = std::result::Result<T, Problem>;

/// An operator on a float of either width.
macro_rules! float_unary {
    ($op:expr, $x:expr) => {
        match $op {
            UnaryOp::Neg => -$x,
            UnaryOp::Abs => $x.abs(),
            UnaryOp::Sqrt => $x.sqrt(),
            UnaryOp::Floor => $x.floor(),
            UnaryOp::Ceil => $x.ceil(),
            UnaryOp::Rint => $x.round_ties_even(),
            UnaryOp::Not | UnaryOp::BitNot => return Err(Problem::IllTyped),
        }
    };
}

/// `op x` at type `ty`.
pub(crate) fn unary(op: UnaryOp, ty: Type, x: &Value) -> Result<Value> {
    match (op, ty, x) {
        (UnaryOp::Not, Type::Bool, Value::Bool(x)) => Ok(Value::Bool(!x)),
        (UnaryOp::Neg, Type::Int, Value::Int(x)) => Ok(match x.to_i64().and_then(i64::checked_neg) {
            Some(small) => Value::Int(small.into()),
            None => Value::Int((-x.to_big()).into()),
        }),
        (UnaryOp::Neg, Type::Machine { width, signed }, Value::Int(x)) => wrap(-machine(x)?, width, signed),
        (UnaryOp::BitNot, Type::Machine { width, signed }, Value::Int(x)) => wrap(!machine(x)?, width, signed),
        (op, Type::F32, Value::F32(x)) => Ok(Value::F32(float_unary!(op, f32::from_bits(*x)).to_bits())),
        (op, Type::F64, Value::F64(x)) => Ok(Value::F64(float_unary!(op, f64::from_bits(*x)).to_bits())),
        _ => Err(Problem::IllTyped),
    }
}

/// `x op y` at type `ty`.
pub(crate) fn binary(op: BinaryOp, ty: Type, x: &Value, y: &Value) -> Result<Value> {
    match (ty, x, y) {
        (Type::Machine { width, signed }, Value::Int(x), Value::Int(y)) => machine_binary(op, width, signed, x, y),
        (Type::Int, Value::Int(x), Value::Int(y)) => unbounded_binary(op, x, y),
        (Type::Bool, Value::Bool(x), Value::Bool(y)) => bool_binary(op, *x, *y),
        (Type::F32, Value::F32(x), Value::F32(y)) => f32_binary(op, f32::from_bits(*x), f32::from_bits(*y)),
        (Type::F64, Value::F64(x), Value::F64(y)) => f64_binary(op, f64::from_bits(*x), f64::from_bits(*y)),
        (Type::Class(_) | Type::Array(_) | Type::Null, Value::Null | Value::Ref(_), Value::Null | Value::Ref(_)) => {
            match op {
                BinaryOp::Eq => Ok(Value::Bool(x == y)),
                BinaryOp::Ne => Ok(Value::Bool(x != y)),
                _ => Err(Problem::IllTyped),
            }
        }
        _ => Err(Problem::IllTyped),
    }
}

/// The quotient or remainder of integers of type `ty`; `None` if the divisor is zero.
pub(crate) fn divide(op: DivideOp, ty: Type, x: &Value, y: &Value) -> Result<Option<Value>> {
    let (Value::Int(x), Value::Int(y)) = (x, y) else { return Err(Problem::IllTyped) };
    if *y == Int::ZERO {
        return Ok(None);
    }
    match ty {
        Type::Machine { width, signed } => {
            let (x, y) = (machine(x)?, machine(y)?);
            let result = match op {
                DivideOp::Div => x / y,
                DivideOp::Rem => x % y,
            };
            wrap(result, width, signed).map(Some)
        }
        Type::Int => {
            // Like `i128` division, `BigInt` division truncates, and its remainder has the sign of the dividend.
            let result = match (x.to_i64(), y.to_i64()) {
                (Some(x), Some(y)) => Int::from(match op {
                    DivideOp::Div => i128::from(x) / i128::from(y),
                    DivideOp::Rem => i128::from(x) % i128::from(y),
                }),
                _ => Int::from(match op {
                    DivideOp::Div => x.to_big() / y.to_big(),
                    DivideOp::Rem => x.to_big() % y.to_big(),
                }),
            };
            Ok(Some(Value::Int(result)))
        }
        _ => Err(Problem::IllTyped),
    }
}

/// Converts between number types. From floats to integers, NaN becomes 0 and other values saturate. The conversion to 8
/// and 16 bits goes through 32 signed bits, as in Java (`(byte) 300.0 == 44`).
pub(crate) fn convert(from: Type, to: Type, x: &Value) -> Result<Value> {
    match (from, x, to) {
        (Type::Int | Type::Machine { .. }, Value::Int(x), _) => match to {
            Type::Int => Ok(Value::Int(x.clone())),
            Type::Machine { width, signed } => match x.to_i128() {
                Some(x) => wrap(x, width, signed),
                None => wrap(low_bits(&x.to_big()), width, signed),
            },
            Type::F32 => match x.to_i128() {
                Some(x) => Ok(Value::F32((x as f32).to_bits())),
                None => x.to_big().to_f32().map(|f| Value::F32(f.to_bits())).ok_or(Problem::IllTyped),
            },
            Type::F64 => match x.to_i128() {
                Some(x) => Ok(Value::F64((x as f64).to_bits())),
                None => x.to_big().to_f64().map(|f| Value::F64(f.to_bits())).ok_or(Problem::IllTyped),
            },
            _ => Err(Problem::IllTyped),
        },
        (Type::Class(_) | Type::Array(_) | Type::Null, Value::Null | Value::Ref(_), _) if to.is_reference() => {
            Ok(x.clone())
        }
        (Type::F32, Value::F32(x), Type::F32) => Ok(Value::F32(*x)),
        (Type::F64, Value::F64(x), Type::F64) => Ok(Value::F64(*x)),
        (Type::F64, Value::F64(x), Type::F32) => Ok(Value::F32((f64::from_bits(*x) as f32).to_bits())),
        (Type::F32, Value::F32(x), Type::F64) => Ok(Value::F64(f64::from(f32::from_bits(*x)).to_bits())),
        // Widening to binary64 is exact, so both float types convert to integers alike.
        (Type::F32, Value::F32(x), _) => float_to_int(f64::from(f32::from_bits(*x)), to),
        (Type::F64, Value::F64(x), _) => float_to_int(f64::from_bits(*x), to),
        _ => Err(Problem::IllTyped),
    }
}

/// The same bits as a value of another type; all NaNs become the canonical one.
pub(crate) fn bits(from: Type, to: Type, x: &Value) -> Result<Value> {
    match (from, x, to) {
        (Type::F32, Value::F32(x), Type::Machine { width: 32, signed: true }) => {
            let bits = if f32::from_bits(*x).is_nan() { 0x7fc0_0000 } else { *x };
            Ok(Value::Int(i64::from(bits as i32).into()))
        }
        (Type::F64, Value::F64(x), Type::Machine { width: 64, signed: true }) => {
            let bits = if f64::from_bits(*x).is_nan() { 0x7ff8_0000_0000_0000 } else { *x };
            Ok(Value::Int((bits as i64).into()))
        }
        (Type::Machine { width: 32, .. }, Value::Int(x), Type::F32) => Ok(Value::F32(machine(x)? as u32)),
        (Type::Machine { width: 64, .. }, Value::Int(x), Type::F64) => Ok(Value::F64(machine(x)? as u64)),
        _ => Err(Problem::IllTyped),
    }
}

fn float_to_int(x: f64, to: Type) -> Result<Value> {
    // Rust's `as` saturates and takes NaN to 0.
    match to {
        Type::Machine { width: width @ (8 | 16), signed } => wrap(i128::from(x as i32), width, signed),
        Type::Machine { width: 32, signed: true } => Ok(Value::Int(i64::from(x as i32).into())),
        Type::Machine { width: 32, signed: false } => Ok(Value::Int(i64::from(x as u32).into())),
        Type::Machine { width: 64, signed: true } => Ok(Value::Int((x as i64).into())),
        Type::Machine { width: 64, signed: false } => Ok(Value::Int(i128::from(x as u64).into())),
        Type::Int if x.is_nan() => Ok(Value::Int(Int::ZERO)),
        Type::Int => BigInt::from_f64(x).map(|big| Value::Int(big.into())).ok_or(Problem::InfiniteToInt),
        _ => Err(Problem::IllTyped),
    }
}

fn machine_binary(op: BinaryOp, width: u8, signed: bool, x: &Int, y: &Int) -> Result<Value> {
    if op.is_comparison() {
        return Ok(Value::Bool(compare(op, x, y)));
    }
    if let (Some(x), Some(y)) = (x.to_i64(), y.to_i64())
        && let Some(result) = small_binary(op, width, signed, x, y)
    {
        return Ok(Value::Int(result.into()));
    }
    let (x, y) = (machine(x)?, machine(y)?);
    let result = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl | BinaryOp::ShrSigned | BinaryOp::ShrUnsigned => {
            if width == 0 {
                return Err(Problem::IllTyped);
            }
            let distance = y.rem_euclid(i128::from(width)) as u32;
            match op {
                BinaryOp::Shl => x << distance,
                BinaryOp::ShrSigned => wrapped(x, width, true)? >> distance,
                _ => wrapped(x, width, false)? >> distance,
            }
        }
        BinaryOp::FloatDiv
        | BinaryOp::FloatRem
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => return Err(Problem::IllTyped),
    };
    wrap(result, width, signed)
}

/// Computes [`machine_binary`] in 64 bits, for operators that are exact modulo 2^64 and types whose numbers all fit
/// into `i64`.
fn small_binary(op: BinaryOp, width: u8, signed: bool, x: i64, y: i64) -> Option<i64> {
    let result = match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        _ => return None,
    };
    match (width, signed) {
        (1..=64, true) => Some((result << (64 - width)) >> (64 - width)),
        (1..=63, false) => Some(result & !(-1 << width)),
        _ => None,
    }
}

fn unbounded_binary(op: BinaryOp, x: &Int, y: &Int) -> Result<Value> {
    if op.is_comparison() {
        return Ok(Value::Bool(compare(op, x, y)));
    }
    if let (Some(x), Some(y)) = (x.to_i64(), y.to_i64()) {
        let (x, y) = (i128::from(x), i128::from(y));
        return Ok(Value::Int(Int::from(match op {
            BinaryOp::Add => x + y,
            BinaryOp::Sub => x - y,
            BinaryOp::Mul => x * y,
            _ => return Err(Problem::IllTyped),
        })));
    }
    let (x, y) = (x.to_big(), y.to_big());
    let result = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        _ => return Err(Problem::IllTyped),
    };
    if result.bits() > MAX_INT_BITS { Err(Problem::TooManyBits) } else { Ok(Value::Int(result.into())) }
}

fn bool_binary(op: BinaryOp, x: bool, y: bool) -> Result<Value> {
    Ok(Value::Bool(match op {
        BinaryOp::And => x && y,
        BinaryOp::Or => x || y,
        BinaryOp::Xor | BinaryOp::Ne => x != y,
        BinaryOp::Eq => x == y,
        _ => return Err(Problem::IllTyped),
    }))
}

fn f32_binary(op: BinaryOp, x: f32, y: f32) -> Result<Value> {
    let result = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::FloatDiv => x / y,
        BinaryOp::FloatRem => x % y,
        _ if op.is_comparison() => return Ok(Value::Bool(compare(op, &x, &y))),
        _ => return Err(Problem::IllTyped),
    };
    Ok(Value::F32(result.to_bits()))
}

fn f64_binary(op: BinaryOp, x: f64, y: f64) -> Result<Value> {
    let result = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::FloatDiv => x / y,
        BinaryOp::FloatRem => x % y,
        _ if op.is_comparison() => return Ok(Value::Bool(compare(op, &x, &y))),
        _ => return Err(Problem::IllTyped),
    };
    Ok(Value::F64(result.to_bits()))
}

/// A comparison; `op` must satisfy [`BinaryOp::is_comparison`].
fn compare<T: PartialOrd>(op: BinaryOp, x: &T, y: &T) -> bool {
    match op {
        BinaryOp::Eq => x == y,
        BinaryOp::Lt => x < y,
        BinaryOp::Le => x <= y,
        BinaryOp::Gt => x > y,
        BinaryOp::Ge => x >= y,
        _ => x != y,
    }
}

/// The number if it is in the range of a machine type. Then no sum or negation of two such numbers overflows 128 bits.
fn machine(x: &Int) -> Result<i128> {
    match x.to_i64() {
        Some(small) => Ok(i128::from(small)),
        None => x.to_i128().filter(|big| (0..=i128::from(u64::MAX)).contains(big)).ok_or(Problem::IllTyped),
    }
}

fn wrap(x: i128, width: u8, signed: bool) -> Result<Value> {
    Ok(Value::Int(wrapped(x, width, signed)?.into()))
}

/// The number of `width` bits, signed or unsigned, that equals `x` modulo 2^`width`.
fn wrapped(x: i128, width: u8, signed: bool) -> Result<i128> {
    if !(1..=64).contains(&width) {
        return Err(Problem::IllTyped);
    }
    let unused = 128 - u32::from(width);
    Ok(if signed { (x << unused) >> unused } else { (((x as u128) << unused) >> unused) as i128 })
}

/// A number that equals `x` modulo 2^64.
fn low_bits(x: &BigInt) -> i128 {
    let magnitude = i128::from(x.iter_u64_digits().next().unwrap_or(0));
    if x.sign() == num_bigint::Sign::Minus { -magnitude } else { magnitude }
}
