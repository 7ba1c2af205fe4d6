//! Computes the operators on constant bit-vectors and floats, for simplification and evaluation.

use crate::integer::Integer;
use crate::term::{BvOp, BvOrder, Conversion, FloatFormat, FloatFunction, FloatOp, FloatOrder};
use num_traits::ToPrimitive;

/// A mask of the lowest `width` bits.
pub fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The two's complement value of a bit pattern.
pub(crate) fn signed(bits: u128, width: u32) -> i128 {
    let shift = 128 - width.clamp(1, 128);
    ((bits << shift) as i128) >> shift
}

/// The result of a bit-vector operator, as SMT-LIB defines it.
pub(crate) fn bv_binary(op: BvOp, width: u32, a: u128, b: u128) -> u128 {
    let (sa, sb) = (signed(a, width), signed(b, width));
    let distance = u32::try_from(b).ok().filter(|&distance| distance < width);
    let result = match op {
        BvOp::Add => a.wrapping_add(b),
        BvOp::Mul => a.wrapping_mul(b),
        BvOp::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        BvOp::URem => a.checked_rem(b).unwrap_or(a),
        BvOp::SDiv if b == 0 => {
            if sa < 0 {
                1
            } else {
                u128::MAX
            }
        }
        BvOp::SDiv => sa.wrapping_div(sb) as u128,
        BvOp::SRem if b == 0 => a,
        BvOp::SRem => sa.wrapping_rem(sb) as u128,
        BvOp::And => a & b,
        BvOp::Or => a | b,
        BvOp::Xor => a ^ b,
        BvOp::Shl => distance.map_or(0, |d| a << d),
        BvOp::LShr => distance.map_or(0, |d| a >> d),
        BvOp::AShr => (sa >> distance.unwrap_or(127)) as u128,
    };
    result & mask(width)
}

/// The result of a bit-vector comparison, as SMT-LIB defines it.
pub(crate) fn bv_compare(order: BvOrder, width: u32, a: u128, b: u128) -> bool {
    match order {
        BvOrder::ULt => a < b,
        BvOrder::ULe => a <= b,
        BvOrder::SLt => signed(a, width) < signed(b, width),
        BvOrder::SLe => signed(a, width) <= signed(b, width),
    }
}

/// The bits of a float, with every NaN replaced by the canonical NaN.
pub(crate) fn canonical(format: FloatFormat, bits: u64) -> u64 {
    match format {
        FloatFormat::F32 if f32::from_bits(bits as u32).is_nan() => 0x7fc0_0000,
        FloatFormat::F64 if f64::from_bits(bits).is_nan() => 0x7ff8_0000_0000_0000,
        _ => bits,
    }
}

/// The result of IEEE arithmetic, rounded to nearest, ties to even.
pub(crate) fn float_binary(op: FloatOp, format: FloatFormat, a: u64, b: u64) -> u64 {
    macro_rules! apply {
        ($a:expr, $b:expr) => {
            match op {
                FloatOp::Add => $a + $b,
                FloatOp::Sub => $a - $b,
                FloatOp::Mul => $a * $b,
                FloatOp::Div => $a / $b,
                FloatOp::Rem => $a % $b,
            }
        };
    }
    let bits = match format {
        FloatFormat::F32 => apply!(f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits().into(),
        FloatFormat::F64 => apply!(f64::from_bits(a), f64::from_bits(b)).to_bits(),
    };
    canonical(format, bits)
}

/// The float with the opposite sign.
pub(crate) fn float_neg(format: FloatFormat, bits: u64) -> u64 {
    canonical(format, bits ^ (1 << (format.width() - 1)))
}

/// The result of a function of one float.
pub(crate) fn float_unary(function: FloatFunction, format: FloatFormat, bits: u64) -> u64 {
    macro_rules! apply {
        ($a:expr) => {
            match function {
                FloatFunction::Abs => $a.abs(),
                FloatFunction::Sqrt => $a.sqrt(),
                FloatFunction::Floor => $a.floor(),
                FloatFunction::Ceil => $a.ceil(),
                FloatFunction::Rint => $a.round_ties_even(),
            }
        };
    }
    let result = match format {
        FloatFormat::F32 => apply!(f32::from_bits(bits as u32)).to_bits().into(),
        FloatFormat::F64 => apply!(f64::from_bits(bits)).to_bits(),
    };
    canonical(format, result)
}

/// The result of an IEEE comparison.
pub(crate) fn float_compare(order: FloatOrder, format: FloatFormat, a: u64, b: u64) -> bool {
    let (a, b) = (to_f64(format, a), to_f64(format, b));
    match order {
        FloatOrder::Eq => a == b,
        FloatOrder::Lt => a < b,
        FloatOrder::Le => a <= b,
    }
}

/// Whether the bits are a NaN.
pub(crate) fn float_is_nan(format: FloatFormat, bits: u64) -> bool {
    to_f64(format, bits).is_nan()
}

/// The value as a binary64, which is exact.
pub(crate) fn to_f64(format: FloatFormat, bits: u64) -> f64 {
    match format {
        FloatFormat::F32 => f32::from_bits(bits as u32).into(),
        FloatFormat::F64 => f64::from_bits(bits),
    }
}

/// A constant number of any sort, as the operand or result of a conversion.
pub(crate) enum Number {
    /// An unbounded integer.
    Int(Integer),
    /// A bit-vector of a width.
    Bv(u32, u128),
    /// A float.
    Float(FloatFormat, u64),
}

/// The result of a conversion, or `None` if the operand is not of the conversion's sort.
pub(crate) fn convert(conversion: Conversion, value: &Number) -> Option<Number> {
    Some(match (conversion, value) {
        (Conversion::IntToBv(width), Number::Int(value)) => Number::Bv(width, value.to_bits(width)),
        (Conversion::BvToInt { signed: true }, Number::Bv(width, bits)) => {
            Number::Int(Integer::from_signed_bits(*bits, *width))
        }
        (Conversion::BvToInt { signed: false }, Number::Bv(_, bits)) => Number::Int(Integer::from_unsigned_bits(*bits)),
        (Conversion::BvToFloat { signed: is_signed, format }, Number::Bv(width, bits)) => {
            let bits = match (format, is_signed) {
                (FloatFormat::F32, true) => (signed(*bits, *width) as f32).to_bits().into(),
                (FloatFormat::F32, false) => (*bits as f32).to_bits().into(),
                (FloatFormat::F64, true) => (signed(*bits, *width) as f64).to_bits(),
                (FloatFormat::F64, false) => (*bits as f64).to_bits(),
            };
            Number::Float(format, bits)
        }
        (Conversion::FloatToFloat(to), Number::Float(from, bits)) => {
            let value = to_f64(*from, *bits);
            let bits = match to {
                FloatFormat::F32 => (value as f32).to_bits().into(),
                FloatFormat::F64 => value.to_bits(),
            };
            Number::Float(to, canonical(to, bits))
        }
        (Conversion::FloatToBv(width), Number::Float(format, bits)) => {
            let value = to_f64(*format, *bits);
            let limit = i128::MAX >> (128 - width.clamp(1, 128));
            let whole = value.to_i128().unwrap_or(if value.is_nan() {
                0
            } else if value < 0.0 {
                i128::MIN
            } else {
                i128::MAX
            });
            Number::Bv(width, whole.clamp(-limit - 1, limit) as u128 & mask(width))
        }
        (Conversion::FloatToBits(_), Number::Float(format, bits)) => {
            Number::Bv(format.width(), canonical(*format, *bits).into())
        }
        (Conversion::BitsToFloat(format), Number::Bv(_, bits)) => {
            Number::Float(format, canonical(format, *bits as u64))
        }
        _ => return None,
    })
}
