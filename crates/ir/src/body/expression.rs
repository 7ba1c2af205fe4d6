//! Pure expressions: constants, locals, and operators on them.

use super::{ExprId, LocalId};
use crate::program::Type;
use num_bigint::BigInt;

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Const {
    /// A truth value.
    Bool(bool),
    /// An integer of an integer type, in the type's range.
    Int(BigInt, Type),
    /// A binary32, given by its bits.
    F32(u32),
    /// A binary64, given by its bits.
    F64(u64),
    /// The null reference.
    Null,
}

impl Const {
    /// The default of a type: 0, false or null.
    pub fn default_of(ty: Type) -> Self {
        match ty {
            Type::Bool => Const::Bool(false),
            Type::Int | Type::Machine { .. } => Const::Int(BigInt::ZERO, ty),
            Type::F32 => Const::F32(0),
            Type::F64 => Const::F64(0),
            Type::Class(_) | Type::Array(_) | Type::Null => Const::Null,
        }
    }

    /// Its type.
    pub fn ty(&self) -> Type {
        match self {
            Const::Bool(_) => Type::Bool,
            Const::Int(_, ty) => *ty,
            Const::F32(_) => Type::F32,
            Const::F64(_) => Type::F64,
            Const::Null => Type::Null,
        }
    }
}

/// A pure expression: it reads locals and constants, and cannot trap. Integer division can, so that it is an
/// operation ([`OpKind::Divide`](super::OpKind::Divide)).
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// The value of a local.
    Local(LocalId),
    /// A constant.
    Const(Const),
    /// A unary operator; the type is that of the operand.
    Unary(UnaryOp, Type, ExprId),
    /// A binary operator; the type is that of both operands (for shifts: of the left one).
    Binary(BinaryOp, Type, ExprId, ExprId),
    /// `condition ? then : else`.
    Select(ExprId, ExprId, ExprId),
    /// Conversion between number types: integers wrap, extend or (from floats) saturate as in Java; integers to
    /// floats and floats to floats round to nearest, ties to even. Between reference types: the same reference. The
    /// front end guarantees that it has the other type (like a bytecode verifier); nothing is checked.
    Convert {
        /// Type of the operand.
        from: Type,
        /// Type of the result.
        to: Type,
        /// The operand.
        value: ExprId,
    },
    /// The same bits read as a value of another type: between `f32` and `i32`, or `f64` and `i64`. All NaNs become
    /// the canonical NaN of Java's `floatToIntBits` and `doubleToLongBits`.
    Bits {
        /// Type of the operand.
        from: Type,
        /// Type of the result.
        to: Type,
        /// The operand.
        value: ExprId,
    },
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// Logical negation.
    Not,
    /// Arithmetic negation; wraps on machine integers.
    Neg,
    /// Bitwise complement of a machine integer.
    BitNot,
    /// Absolute value of a float: the sign bit cleared.
    Abs,
    /// Square root of a float, rounded to nearest.
    Sqrt,
    /// The greatest integral float that is not greater than the operand.
    Floor,
    /// The least integral float that is not less than the operand.
    Ceil,
    /// The nearest integral float, ties to even.
    Rint,
}

impl UnaryOp {
    /// The operator in IR text.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Not => "!",
            UnaryOp::Neg => "-",
            UnaryOp::BitNot => "~",
            UnaryOp::Abs => "abs",
            UnaryOp::Sqrt => "sqrt",
            UnaryOp::Floor => "floor",
            UnaryOp::Ceil => "ceil",
            UnaryOp::Rint => "rint",
        }
    }
}

/// Binary operators on operands of one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// Sum; wraps on machine integers.
    Add,
    /// Difference; wraps on machine integers.
    Sub,
    /// Product; wraps on machine integers.
    Mul,
    /// Quotient of floats.
    FloatDiv,
    /// Remainder of floats, with the sign of the dividend (Java's and C#'s `%`, C's `fmod`).
    FloatRem,
    /// Conjunction of truth values (both sides are evaluated: expressions are pure); bitwise on machine integers.
    And,
    /// Disjunction; bitwise on machine integers.
    Or,
    /// Exclusive or; bitwise on machine integers.
    Xor,
    /// Shift to the left; the distance is taken modulo the width.
    Shl,
    /// Arithmetic shift to the right.
    ShrSigned,
    /// Logical shift to the right.
    ShrUnsigned,
    /// Equality of values of any type: identity of references; IEEE equality of floats (`NaN != NaN`, `0.0 == -0.0`).
    Eq,
    /// Negation of `Eq`.
    Ne,
    /// Less than; false if an operand is NaN.
    Lt,
    /// Less than or equal; false if an operand is NaN.
    Le,
    /// Greater than; false if an operand is NaN.
    Gt,
    /// Greater than or equal; false if an operand is NaN.
    Ge,
}

impl BinaryOp {
    /// The operator in IR text.
    pub fn symbol(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Add => "+",
            Sub => "-",
            Mul => "*",
            FloatDiv => "/",
            FloatRem => "%",
            And => "&",
            Or => "|",
            Xor => "^",
            Shl => "<<",
            ShrSigned => ">>",
            ShrUnsigned => ">>>",
            Eq => "==",
            Ne => "!=",
            Lt => "<",
            Le => "<=",
            Gt => ">",
            Ge => ">=",
        }
    }

    /// Whether the result is a truth value for operands of any type.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}

impl Expr {
    /// The expressions that this one uses directly, in order.
    pub fn operands(&self) -> impl Iterator<Item = ExprId> + use<> {
        let uses = match *self {
            Expr::Local(_) | Expr::Const(_) => [None; 3],
            Expr::Unary(_, _, a) | Expr::Convert { value: a, .. } | Expr::Bits { value: a, .. } => {
                [Some(a), None, None]
            }
            Expr::Binary(_, _, a, b) => [Some(a), Some(b), None],
            Expr::Select(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        uses.into_iter().flatten()
    }
}
