//! The types of expressions.

use crate::java::topics::Topics;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prim {
    Boolean,
    Byte,
    Short,
    Char,
    Int,
    Long,
    Float,
    Double,
}

use Prim::*;

impl Prim {
    pub const ALL: [Prim; 8] = [Boolean, Byte, Short, Char, Int, Long, Float, Double];

    pub fn name(self) -> &'static str {
        match self {
            Boolean => "boolean",
            Byte => "byte",
            Short => "short",
            Char => "char",
            Int => "int",
            Long => "long",
            Float => "float",
            Double => "double",
        }
    }

    pub fn wrapper(self) -> &'static str {
        match self {
            Boolean => "Boolean",
            Byte => "Byte",
            Short => "Short",
            Char => "Character",
            Int => "Integer",
            Long => "Long",
            Float => "Float",
            Double => "Double",
        }
    }

    pub fn is_floating(self) -> bool {
        matches!(self, Float | Double)
    }

    pub fn is_integral(self) -> bool {
        self != Boolean && !self.is_floating()
    }

    /// Whether binary numeric promotion converts the type to `int` (JLS 5.6).
    pub fn promotes_to_int(self) -> bool {
        matches!(self, Byte | Short | Char | Int)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Prim(Prim),
    Boxed(Prim),
    Text,
    /// An array of at least four elements.
    Array(Prim),
}

impl Ty {
    pub fn name(self) -> String {
        match self {
            Ty::Prim(prim) => prim.name().into(),
            Ty::Boxed(prim) => prim.wrapper().into(),
            Ty::Text => "String".into(),
            Ty::Array(prim) => format!("{}[]", prim.name()),
        }
    }

    pub fn allowed_by(self, topics: Topics) -> bool {
        match self {
            Ty::Prim(prim) => topics.floats || !prim.is_floating(),
            Ty::Boxed(prim) => topics.boxing && (topics.floats || !prim.is_floating()),
            Ty::Text => topics.strings,
            Ty::Array(prim) => topics.arrays && (topics.floats || !prim.is_floating()),
        }
    }
}
