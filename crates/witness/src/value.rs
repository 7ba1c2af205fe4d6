//! Defines the values of locals, fields and elements at run time.

use crate::int::Int;
use aback_ir::{Const, Type};

/// The address of an object of a [`Heap`](crate::Heap). Input object `i` has address `i`; objects that the run
/// allocates follow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Address(pub(crate) u32);

impl Address {
    /// Its index in the order of allocation, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A value at run time. Equality is identity: floats are compared by their bits (so a NaN equals itself), references by
/// address. The program's own `==` differs, see [`aback_ir::BinaryOp::Eq`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer, unbounded or machine.
    Int(Int),
    /// A binary32, by its bits.
    F32(u32),
    /// A binary64, by its bits.
    F64(u64),
    /// The null reference.
    Null,
    /// A reference to an object.
    Ref(Address),
}

impl Value {
    /// The value of a local, field or element of type `ty` before it is written: zero, false or null.
    pub fn default_of(ty: Type) -> Value {
        match ty {
            Type::Bool => Value::Bool(false),
            Type::Int | Type::Machine { .. } => Value::Int(Int::ZERO),
            Type::F32 => Value::F32(0),
            Type::F64 => Value::F64(0),
            Type::Class(_) | Type::Array(_) | Type::Null => Value::Null,
        }
    }
}

impl From<&Const> for Value {
    fn from(constant: &Const) -> Self {
        match constant {
            Const::Bool(value) => Value::Bool(*value),
            Const::Int(value, _) => Value::Int(value.into()),
            Const::F32(bits) => Value::F32(*bits),
            Const::F64(bits) => Value::F64(*bits),
            Const::Null => Value::Null,
        }
    }
}
