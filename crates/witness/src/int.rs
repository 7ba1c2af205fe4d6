//! Represents integers at run time as mathematical numbers, whatever the width of their type.

use aback_ir::Type;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// An integer of any size. A number that fits into an `i64` needs no allocation.
///
/// A machine integer is represented by the number that it denotes: the `u8` with all bits set is 255, the `i8` is -1.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Repr);

// Canonical form: `Big` never holds a number that fits `Small`, so that the derived equality is numeric equality.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    Big(Arc<BigInt>),
}

impl Int {
    /// Zero.
    pub const ZERO: Int = Int(Repr::Small(0));

    /// The number, if it fits into an `i64`.
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Small(small) => Some(*small),
            Repr::Big(_) => None,
        }
    }

    /// The number, if it fits into an `i128`. Every machine integer does.
    pub fn to_i128(&self) -> Option<i128> {
        match &self.0 {
            Repr::Small(small) => Some(i128::from(*small)),
            Repr::Big(big) => big.to_i128(),
        }
    }

    /// The number, if it fits into a `usize`.
    pub fn to_usize(&self) -> Option<usize> {
        self.to_i64().and_then(|small| usize::try_from(small).ok())
    }

    /// The number.
    pub fn to_big(&self) -> BigInt {
        match &self.0 {
            Repr::Small(small) => BigInt::from(*small),
            Repr::Big(big) => BigInt::clone(big),
        }
    }

    /// Whether the number is below zero.
    pub fn is_negative(&self) -> bool {
        *self < Int::ZERO
    }

    /// Whether `ty` is an integer type whose range contains this number.
    pub fn fits(&self, ty: Type) -> bool {
        match (ty, self.to_i128()) {
            (Type::Int, _) => true,
            (Type::Machine { width, signed: true }, Some(number)) if (1..=64).contains(&width) => {
                let bound = 1i128 << (width - 1);
                (-bound..bound).contains(&number)
            }
            (Type::Machine { width, signed: false }, Some(number)) if (1..=64).contains(&width) => {
                (0..1i128 << width).contains(&number)
            }
            _ => false,
        }
    }

    /// Number of bits of the magnitude beyond 64; zero for all machine integers.
    pub(crate) fn bits_beyond_word(&self) -> u64 {
        match &self.0 {
            Repr::Small(_) => 0,
            Repr::Big(big) => big.bits().saturating_sub(64),
        }
    }
}

impl From<i64> for Int {
    #[inline]
    fn from(value: i64) -> Self {
        Int(Repr::Small(value))
    }
}

impl From<i128> for Int {
    fn from(value: i128) -> Self {
        match i64::try_from(value) {
            Ok(small) => Int(Repr::Small(small)),
            Err(_) => Int(Repr::Big(Arc::new(BigInt::from(value)))),
        }
    }
}

impl From<BigInt> for Int {
    fn from(value: BigInt) -> Self {
        match value.to_i64() {
            Some(small) => Int(Repr::Small(small)),
            None => Int(Repr::Big(Arc::new(value))),
        }
    }
}

impl From<&BigInt> for Int {
    fn from(value: &BigInt) -> Self {
        match value.to_i64() {
            Some(small) => Int(Repr::Small(small)),
            None => Int(Repr::Big(Arc::new(value.clone()))),
        }
    }
}

impl Ord for Int {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            (Repr::Big(a), Repr::Big(b)) => a.cmp(b),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(small) => fmt::Display::fmt(small, f),
            Repr::Big(big) => fmt::Display::fmt(big, f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
