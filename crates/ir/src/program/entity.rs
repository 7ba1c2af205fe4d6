//! Defines the ids of the parts of a program, and types.

macro_rules! entity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// The index of the entity in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(crate) use entity;

entity!(
    /// A class or interface of a [`Program`](super::Program).
    ClassId
);
entity!(
    /// A field, instance or static, of a [`Program`](super::Program).
    FieldId
);
entity!(
    /// A method, constructor or initializer of a [`Program`](super::Program).
    MethodId
);
entity!(
    /// An interned array type of a [`Program`](super::Program).
    ArrayTypeId
);

/// A type of the program model. Small and copyable; array types are interned in the [`Program`](super::Program).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Type {
    /// Truth values.
    Bool,
    /// Unbounded integers (OOX; `--ints unbounded`).
    Int,
    /// Machine integers of 8, 16, 32 or 64 bits, two's complement.
    Machine {
        /// Width in bits.
        width: u8,
        /// Whether values are read as signed (`int`) or unsigned (`char`).
        signed: bool,
    },
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// A reference to an object of the class or of a subclass, or null.
    Class(ClassId),
    /// A reference to an array, or null.
    Array(ArrayTypeId),
    /// The type of `null` alone; it is assignable to every reference type.
    Null,
}

impl Type {
    /// Whether values of this type are references.
    pub fn is_reference(self) -> bool {
        matches!(self, Type::Class(_) | Type::Array(_) | Type::Null)
    }

    /// Whether values of this type are integers, unbounded or machine.
    pub fn is_integer(self) -> bool {
        matches!(self, Type::Int | Type::Machine { .. })
    }

    /// Whether values of this type are floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F32 | Type::F64)
    }
}
