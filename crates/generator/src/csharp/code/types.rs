//! The types of expressions.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prim {
    Bool,
    SByte,
    Byte,
    Short,
    UShort,
    Char,
    Int,
    UInt,
    Long,
    ULong,
    Float,
    Double,
    Decimal,
}

use Prim::*;

impl Prim {
    pub const ALL: [Prim; 13] =
        [Bool, SByte, Byte, Short, UShort, Char, Int, UInt, Long, ULong, Float, Double, Decimal];

    pub fn name(self) -> &'static str {
        match self {
            Bool => "bool",
            SByte => "sbyte",
            Byte => "byte",
            Short => "short",
            UShort => "ushort",
            Char => "char",
            Int => "int",
            UInt => "uint",
            Long => "long",
            ULong => "ulong",
            Float => "float",
            Double => "double",
            Decimal => "decimal",
        }
    }

    pub fn is_floating(self) -> bool {
        matches!(self, Float | Double)
    }

    pub fn is_integral(self) -> bool {
        !matches!(self, Bool | Float | Double | Decimal)
    }

    pub fn is_numeric(self) -> bool {
        self != Bool
    }

    /// Whether there are arithmetic operators whose result has the type.
    pub fn has_operators(self) -> bool {
        matches!(self, Int | UInt | Long | ULong | Float | Double | Decimal)
    }

    /// Whether a value of the type can be an operand of the operators of `to`, which has operators.
    pub fn widens_to(self, to: Prim) -> bool {
        self == to
            || match to {
                Int => matches!(self, SByte | Byte | Short | UShort | Char),
                UInt => matches!(self, Byte | UShort | Char),
                Long => self.widens_to(Int) || matches!(self, Int | UInt),
                ULong => self.widens_to(UInt) || self == UInt,
                Float => self.is_integral(),
                Double => self.is_integral() || self == Float,
                Decimal => self.is_integral(),
                _ => false,
            }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Prim(Prim),
    Nullable(Prim),
    /// A string that is not null.
    Text,
    /// A box of a primitive value, a string, or null.
    Object,
    /// An array of at least four elements.
    Array(Prim),
}

impl Ty {
    pub fn name(self) -> String {
        match self {
            Ty::Prim(prim) => prim.name().into(),
            Ty::Nullable(prim) => format!("{}?", prim.name()),
            Ty::Text => "string".into(),
            Ty::Object => "object".into(),
            Ty::Array(prim) => format!("{}[]", prim.name()),
        }
    }
}
