//! Unbounded integers that are cheap while they are small.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{Signed, ToPrimitive};
use std::cmp::Ordering;
use std::fmt;

/// An integer of any size. Values that fit into 64 bits are always held inline, so that equal integers have equal
/// representations.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Integer {
    /// A value that fits into 64 bits.
    Small(i64),
    /// A value that does not fit into 64 bits.
    Big(Box<BigInt>),
}

use Integer::{Big, Small};

impl Integer {
    /// 0.
    pub const ZERO: Integer = Small(0);
    /// 1.
    pub const ONE: Integer = Small(1);
    /// −1.
    pub const MINUS_ONE: Integer = Small(-1);

    /// 2 to the power of `exponent`.
    pub fn power_of_two(exponent: u32) -> Integer {
        (BigInt::from(1) << exponent).into()
    }

    /// The value as a big integer.
    pub fn to_big(&self) -> BigInt {
        match self {
            Small(small) => BigInt::from(*small),
            Big(big) => (**big).clone(),
        }
    }

    /// The value if it fits into 64 bits.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Small(small) => Some(*small),
            Big(_) => None,
        }
    }

    /// Whether the value is 0.
    pub fn is_zero(&self) -> bool {
        matches!(self, Small(0))
    }

    /// Whether the value is 1.
    pub fn is_one(&self) -> bool {
        matches!(self, Small(1))
    }

    /// −1, 0 or 1.
    pub fn signum(&self) -> i32 {
        match self {
            Small(small) => small.signum() as i32,
            Big(big) => {
                if big.is_negative() {
                    -1
                } else {
                    1
                }
            }
        }
    }

    /// The absolute value.
    pub fn abs(&self) -> Integer {
        if self.signum() < 0 { -self } else { self.clone() }
    }

    /// The non-negative greatest common divisor; `gcd(0, x)` is `|x|`.
    pub fn gcd(&self, other: &Integer) -> Integer {
        match (self, other) {
            (Small(a), Small(b)) if *a != i64::MIN && *b != i64::MIN => Small(a.gcd(b)),
            _ => self.to_big().gcd(&other.to_big()).into(),
        }
    }

    /// Quotient rounded toward minus infinity, or `None` for a zero divisor.
    pub fn div_floor(&self, divisor: &Integer) -> Option<Integer> {
        match (self, divisor) {
            (_, Small(0)) => None,
            (Small(a), Small(b)) if *b != -1 => Some(Small(a.div_floor(b))),
            _ => Some(self.to_big().div_floor(&divisor.to_big()).into()),
        }
    }

    /// Quotient rounded toward plus infinity, or `None` for a zero divisor.
    pub fn div_ceil(&self, divisor: &Integer) -> Option<Integer> {
        Some(-&(-self).div_floor(divisor)?)
    }

    /// SMT-LIB's `div` and `mod`, whose remainder is never negative, or `None` for a zero divisor.
    pub fn div_mod_euclid(&self, divisor: &Integer) -> Option<(Integer, Integer)> {
        if divisor.is_zero() {
            return None;
        }
        let quotient = if divisor.signum() > 0 { self.div_floor(divisor)? } else { self.div_ceil(divisor)? };
        let remainder = self - &(&quotient * divisor);
        Some((quotient, remainder))
    }

    /// Java's and C#'s `/`, which rounds toward zero, or `None` for a zero divisor.
    pub fn div_trunc(&self, divisor: &Integer) -> Option<Integer> {
        match (self, divisor) {
            (_, Small(0)) => None,
            (Small(a), Small(b)) if *b != -1 => Some(Small(a / b)),
            _ => Some((self.to_big() / divisor.to_big()).into()),
        }
    }

    /// Java's and C#'s `%`, whose result has the sign of the dividend, or `None` for a zero divisor.
    pub fn rem_trunc(&self, divisor: &Integer) -> Option<Integer> {
        Some(self - &(&self.div_trunc(divisor)? * divisor))
    }

    /// The value modulo 2^`width` as an unsigned bit pattern; `width` is at most 128.
    pub fn to_bits(&self, width: u32) -> u128 {
        let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        match self {
            Small(small) => *small as i128 as u128 & mask,
            Big(big) => {
                let modulus = BigInt::from(1) << width;
                big.mod_floor(&modulus).to_u128().unwrap_or(0)
            }
        }
    }

    /// The value of an unsigned bit pattern.
    pub fn from_unsigned_bits(bits: u128) -> Integer {
        BigInt::from(bits).into()
    }

    /// The value of a two's complement bit pattern of `width` bits; `width` is at most 128.
    pub fn from_signed_bits(bits: u128, width: u32) -> Integer {
        let shift = 128 - width.clamp(1, 128);
        BigInt::from(((bits << shift) as i128) >> shift).into()
    }
}

impl From<i64> for Integer {
    fn from(value: i64) -> Self {
        Small(value)
    }
}

impl From<BigInt> for Integer {
    fn from(value: BigInt) -> Self {
        match value.to_i64() {
            Some(small) => Small(small),
            None => Big(Box::new(value)),
        }
    }
}

impl From<&BigInt> for Integer {
    fn from(value: &BigInt) -> Self {
        match value.to_i64() {
            Some(small) => Small(small),
            None => Big(Box::new(value.clone())),
        }
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $checked:ident, $op:tt) => {
        impl std::ops::$trait for &Integer {
            type Output = Integer;
            fn $method(self, other: &Integer) -> Integer {
                if let (Small(a), Small(b)) = (self, other) {
                    if let Some(small) = a.$checked(*b) {
                        return Small(small);
                    }
                }
                (self.to_big() $op other.to_big()).into()
            }
        }
    };
}
operator!(Add, add, checked_add, +);
operator!(Sub, sub, checked_sub, -);
operator!(Mul, mul, checked_mul, *);

impl std::ops::Neg for &Integer {
    type Output = Integer;
    fn neg(self) -> Integer {
        &Integer::ZERO - self
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Small(a), Small(b)) => a.cmp(b),
            (Small(_), Big(b)) => {
                if b.is_negative() {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
            (Big(_), Small(_)) => other.cmp(self).reverse(),
            (Big(a), Big(b)) => a.cmp(b),
        }
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Small(small) => small.fmt(f),
            Big(big) => big.fmt(f),
        }
    }
}

impl Default for Integer {
    fn default() -> Self {
        Integer::ZERO
    }
}

const _: () = assert!(std::mem::size_of::<Integer>() == 16);

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::Zero;
    use proptest::prelude::*;

    /// Small integers, huge ones, and ones near the limits of 64 bits.
    fn any_big() -> impl Strategy<Value = BigInt> {
        (any::<i64>(), -3i64..4, -9i64..9).prop_map(|(a, b, c)| match c {
            0..=4 => BigInt::from(c + b),
            5 | 6 => BigInt::from(i64::MAX) + b,
            -9..=-6 => BigInt::from(i64::MIN) + b,
            7 => BigInt::from(a) * b * a,
            _ => BigInt::from(a),
        })
    }

    proptest! {
        #[test]
        fn agrees_with_big_integers(a in any_big(), b in any_big()) {
            let (x, y) = (Integer::from(&a), Integer::from(&b));
            prop_assert_eq!((&x + &y).to_big(), &a + &b);
            prop_assert_eq!((&x - &y).to_big(), &a - &b);
            prop_assert_eq!((&x * &y).to_big(), &a * &b);
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(x.gcd(&y).to_big(), a.gcd(&b));
            prop_assert_eq!(x.to_bits(64), a.mod_floor(&(BigInt::from(1) << 64)).to_u128().unwrap());
            prop_assert_eq!(Integer::from_signed_bits(x.to_bits(64), 64).to_bits(64), x.to_bits(64));
            if !b.is_zero() {
                prop_assert_eq!(x.div_floor(&y).unwrap().to_big(), a.div_floor(&b));
                prop_assert_eq!(x.div_trunc(&y).unwrap().to_big(), &a / &b);
                prop_assert_eq!(x.rem_trunc(&y).unwrap().to_big(), &a % &b);
                let (q, r) = x.div_mod_euclid(&y).unwrap();
                prop_assert!(r.signum() >= 0 && r < y.abs());
                prop_assert_eq!(&(&q * &y) + &r, x);
            }
        }
    }
}
