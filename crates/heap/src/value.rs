//! Represents the values of locals, fields and elements: concrete if possible, otherwise terms.

use aback_ir::Type;
use aback_logic::{FloatFormat, Integer, Node, Pool, Sort, Term};

/// The identity of an object that was allocated during the execution, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ObjectId(pub u32);

/// A value of an IR type. Values are concrete if possible: a [`Value::Term`] is never a constant, except for unbounded
/// integers that do not fit into 64 bits. Hence equal concrete values are equal data, and a program without symbolic
/// inputs builds no terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer: an unbounded one that fits into 64 bits, or a machine integer, sign- or zero-extended to 64 bits by
    /// its type.
    Int(i64),
    /// The bits of a binary32 number.
    F32(u32),
    /// The bits of a binary64 number.
    F64(u64),
    /// The null reference.
    Null,
    /// A reference to an allocated object.
    Object(ObjectId),
    /// A term of the type's sort ([`sort_of`]). Reference terms are integers: 0 is null, `n + 1` is the allocated
    /// object `n`, and negative numbers are objects of the input heap (paper 1, section 4.2).
    Term(Term),
}

const _: () = assert!(std::mem::size_of::<Value>() == 16);

/// The sort of the terms that represent values of a type.
pub fn sort_of(ty: Type) -> Sort {
    match ty {
        Type::Bool => Sort::Bool,
        Type::Int | Type::Class(_) | Type::Array(_) | Type::Null => Sort::Int,
        Type::Machine { width, .. } => Sort::BitVec(width.into()),
        Type::F32 => Sort::Float(FloatFormat::F32),
        Type::F64 => Sort::Float(FloatFormat::F64),
    }
}

impl Value {
    /// The initial value of fields, elements and locals of a type.
    pub fn default_of(ty: Type) -> Value {
        match ty {
            Type::Bool => Value::Bool(false),
            Type::Int | Type::Machine { .. } => Value::Int(0),
            Type::F32 => Value::F32(0),
            Type::F64 => Value::F64(0),
            Type::Class(_) | Type::Array(_) | Type::Null => Value::Null,
        }
    }

    /// The value as a term of the type's sort.
    pub fn to_term(self, pool: &mut Pool, ty: Type) -> Term {
        match self {
            Value::Bool(value) => pool.bool(value),
            Value::Int(value) => match ty {
                Type::Machine { width, .. } => pool.bv(width.into(), value as i128 as u128),
                _ => pool.int(value),
            },
            Value::F32(bits) => pool.float(FloatFormat::F32, bits.into()),
            Value::F64(bits) => pool.float(FloatFormat::F64, bits),
            Value::Null => Pool::ZERO,
            Value::Object(id) => pool.int(i64::from(id.0) + 1),
            Value::Term(term) => term,
        }
    }

    /// The value that a term of the type's sort represents, concrete if the term is a constant.
    pub fn from_term(pool: &Pool, term: Term, ty: Type) -> Value {
        match (pool.node(term), ty) {
            (Node::Bool(value), _) => Value::Bool(*value),
            (Node::Bv { bits, width }, Type::Machine { signed: true, .. }) => {
                Value::Int(Integer::from_signed_bits(*bits, *width).as_i64().unwrap_or_default())
            }
            (Node::Bv { bits, .. }, _) => Value::Int(*bits as i64),
            (Node::Float(FloatFormat::F32, bits), _) => Value::F32(*bits as u32),
            (Node::Float(FloatFormat::F64, bits), _) => Value::F64(*bits),
            (Node::Int(value), _) => match value.as_i64() {
                Some(0) if ty.is_reference() => Value::Null,
                Some(id) if ty.is_reference() => match u32::try_from(id - 1) {
                    Ok(id) => Value::Object(ObjectId(id)),
                    Err(_) => Value::Term(term),
                },
                Some(value) => Value::Int(value),
                None => Value::Term(term),
            },
            _ => Value::Term(term),
        }
    }

    /// `condition ? then : otherwise` on values of one type.
    pub fn ite(pool: &mut Pool, condition: Term, then: Value, otherwise: Value, ty: Type) -> Value {
        if then == otherwise {
            return then;
        }
        match pool.as_bool(condition) {
            Some(true) => then,
            Some(false) => otherwise,
            None => {
                let (then, otherwise) = (then.to_term(pool, ty), otherwise.to_term(pool, ty));
                let term = pool.ite(condition, then, otherwise);
                Value::from_term(pool, term, ty)
            }
        }
    }

    /// Equality of two values of one type as a formula. For floats this is identity, not the `==` of IEEE 754.
    pub fn equals(pool: &mut Pool, a: Value, b: Value, ty: Type) -> Term {
        if a == b {
            return Pool::TRUE;
        }
        if !matches!(a, Value::Term(_)) && !matches!(b, Value::Term(_)) {
            return Pool::FALSE;
        }
        let (a, b) = (a.to_term(pool, ty), b.to_term(pool, ty));
        pool.eq(a, b)
    }
}
