//! Terms as data: sorts, nodes and operators.

use crate::integer::Integer;

/// A term of a [`crate::Pool`]: equal terms of one pool have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(pub(crate) u32);

impl Term {
    /// The index of the term in its pool. A term comes after its subterms.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A free variable of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VarId(pub(crate) u32);

impl VarId {
    /// The index of the variable in its pool, in order of creation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An interned array sort of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ArraySort(pub(crate) u32);

/// The sort of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Unbounded integers.
    Int,
    /// Bit-vectors of 1 to 128 bits.
    BitVec(u32),
    /// IEEE 754 floating-point numbers.
    Float(FloatFormat),
    /// Total functions from one sort to another; see [`crate::Pool::array_sort`].
    Array(ArraySort),
}

/// The floating-point formats of Java and C#.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FloatFormat {
    /// binary32
    F32,
    /// binary64
    F64,
}

impl FloatFormat {
    /// Width in bits.
    pub fn width(self) -> u32 {
        match self {
            FloatFormat::F32 => 32,
            FloatFormat::F64 => 64,
        }
    }
}

/// Operators on two bit-vectors of one width, with SMT-LIB's meaning (division by zero included).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BvOp {
    /// Sum modulo 2^n.
    Add,
    /// Product modulo 2^n.
    Mul,
    /// Unsigned quotient.
    UDiv,
    /// Unsigned remainder.
    URem,
    /// Signed quotient, rounded toward zero.
    SDiv,
    /// Signed remainder with the sign of the dividend.
    SRem,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift left; zero when the distance is not below the width.
    Shl,
    /// Logical shift right.
    LShr,
    /// Arithmetic shift right.
    AShr,
}

/// Orders on two bit-vectors of one width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BvOrder {
    /// Unsigned less.
    ULt,
    /// Unsigned less or equal.
    ULe,
    /// Signed less.
    SLt,
    /// Signed less or equal.
    SLe,
}

/// Operators on two floats. Results are rounded to nearest, ties to even.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// Remainder with the sign of the dividend (C's `fmod`; not SMT-LIB's `fp.rem`).
    Rem,
}

/// IEEE comparisons of two floats. All are false if an operand is NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatOrder {
    /// IEEE equality: `0.0 == -0.0`.
    Eq,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
}

/// A number conversion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Conversion {
    /// An unbounded integer modulo 2^n.
    IntToBv(u32),
    /// The value of a bit-vector, read as signed or unsigned.
    BvToInt {
        /// Whether the bits are read as two's complement.
        signed: bool,
    },
    /// A bit-vector, read as signed or unsigned, to the nearest float.
    BvToFloat {
        /// Whether the bits are read as two's complement.
        signed: bool,
        /// The result's format.
        format: FloatFormat,
    },
    /// A float to the nearest float of another format.
    FloatToFloat(FloatFormat),
    /// A float to a signed bit-vector as in Java: rounded toward zero, saturating, NaN to 0.
    FloatToBv(u32),
    /// The bits of a float of this format. Every NaN has the bits of the canonical NaN.
    FloatToBits(FloatFormat),
    /// The float of this format with these bits.
    BitsToFloat(FloatFormat),
}

/// Functions of one float whose result is a float of the same format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FloatFunction {
    /// Absolute value.
    Abs,
    /// Square root, rounded to nearest.
    Sqrt,
    /// The greatest integral float that is not greater than the operand.
    Floor,
    /// The least integral float that is not less than the operand.
    Ceil,
    /// The nearest integral float, ties to even.
    Rint,
}

impl FloatFunction {
    /// Whether the results are integers, infinite, or NaN.
    pub fn is_rounding(self) -> bool {
        matches!(self, FloatFunction::Floor | FloatFunction::Ceil | FloatFunction::Rint)
    }
}

/// The outermost level of a term. The constructors of [`crate::Pool`] are the only way to build terms, and they
/// guarantee the shapes described here: comparisons of integers are with zero, sums are linear combinations in order
/// of their terms, and so on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Integer),
    /// A bit-vector; the bits above the width are zero.
    Bv {
        /// Number of bits.
        width: u32,
        /// The bits.
        bits: u128,
    },
    /// A float by its bits; every NaN is the canonical one.
    Float(FloatFormat, u64),
    /// A free variable.
    Var(VarId),

    /// Negation. The operand is never an integer comparison `<=`, whose negation is another comparison.
    Not(Term),
    /// Conjunction of at least two different terms, in order.
    And(Box<[Term]>),
    /// Disjunction of at least two different terms, in order.
    Or(Box<[Term]>),
    /// If-then-else of any sort.
    Ite(Term, Term, Term),
    /// Equality of two terms of one sort other than Int, in order. Floats are compared as values, as by SMT-LIB's
    /// `=`: NaN = NaN and 0.0 != -0.0.
    Eq(Term, Term),

    /// `constant + Σ factor·term`. No factor is zero, the terms are in order, and none of them is a sum or a
    /// constant. A sum is never a single term.
    Sum(Integer, Box<[(Integer, Term)]>),
    /// Product of terms in order, none of them a constant. A product of one term is a sum that is too long to be
    /// merged into other sums.
    Product(Box<[Term]>),
    /// SMT-LIB's `div` by a term that is not the constant 0. The result is undefined for a zero divisor.
    IntDiv(Term, Term),
    /// SMT-LIB's `mod` by a term that is not the constant 0. The result is undefined for a zero divisor.
    IntMod(Term, Term),
    /// `term <= 0` for an integer term whose factors have no common divisor.
    LeZero(Term),
    /// `term = 0` for an integer term whose factors have no common divisor and whose first factor is positive.
    EqZero(Term),

    /// A bit-vector operator.
    BvBinary(BvOp, Term, Term),
    /// Bitwise complement.
    BvNot(Term),
    /// Two's complement negation.
    BvNeg(Term),
    /// A bit-vector comparison.
    BvCompare(BvOrder, Term, Term),
    /// The bits `low..=high`.
    Extract {
        /// Highest bit.
        high: u32,
        /// Lowest bit.
        low: u32,
        /// The vector from which the bits are taken.
        value: Term,
    },
    /// The first operand's bits above the second's.
    Concat(Term, Term),
    /// Extension by sign or zero bits.
    Extend {
        /// Whether copies of the sign bit are added, and not zeros.
        signed: bool,
        /// The number of added bits.
        by: u32,
        /// The extended value.
        value: Term,
    },

    /// A float operator.
    FloatBinary(FloatOp, Term, Term),
    /// The float with the opposite sign.
    FloatNeg(Term),
    /// A function of one float.
    FloatUnary(FloatFunction, Term),
    /// A float comparison.
    FloatCompare(FloatOrder, Term, Term),
    /// Whether a float is NaN.
    FloatIsNan(Term),
    /// A number conversion.
    Convert(Conversion, Term),

    /// An array's value at an index.
    Select(Term, Term),
    /// An array that differs from another one at one index.
    Store(Term, Term, Term),
    /// An array that has one value everywhere.
    ConstArray(ArraySort, Term),

    /// `for all (or for some) variable with low <= variable < high: body`. The variable is an integer.
    Quantified {
        /// Whether the quantifier is universal; otherwise it is existential.
        forall: bool,
        /// The bound variable, which does not occur elsewhere.
        variable: VarId,
        /// Lower bound of the range, inclusive.
        low: Term,
        /// Upper bound of the range, exclusive.
        high: Term,
        /// The quantified formula.
        body: Term,
    },
}

impl Node {
    /// Calls `f` on each direct subterm, in order.
    pub fn for_each_child(&self, mut f: impl FnMut(Term)) {
        use Node::*;
        match self {
            Bool(_) | Int(_) | Bv { .. } | Float(..) | Var(_) => {}
            Not(a)
            | LeZero(a)
            | EqZero(a)
            | BvNot(a)
            | BvNeg(a)
            | FloatNeg(a)
            | FloatUnary(_, a)
            | FloatIsNan(a)
            | Convert(_, a)
            | ConstArray(_, a)
            | Extract { value: a, .. }
            | Extend { value: a, .. } => f(*a),
            Eq(a, b)
            | IntDiv(a, b)
            | IntMod(a, b)
            | BvBinary(_, a, b)
            | BvCompare(_, a, b)
            | Concat(a, b)
            | FloatBinary(_, a, b)
            | FloatCompare(_, a, b)
            | Select(a, b) => {
                f(*a);
                f(*b);
            }
            Ite(a, b, c) | Store(a, b, c) => {
                f(*a);
                f(*b);
                f(*c);
            }
            And(all) | Or(all) | Product(all) => all.iter().copied().for_each(f),
            Sum(_, all) => all.iter().for_each(|(_, term)| f(*term)),
            Quantified { low, high, body, .. } => {
                f(*low);
                f(*high);
                f(*body);
            }
        }
    }

    /// The node with each direct subterm replaced by `f` of it and each variable by `g` of it. The result need not be
    /// in normal form.
    pub(crate) fn map(&self, mut f: impl FnMut(Term) -> Term, mut g: impl FnMut(VarId) -> VarId) -> Node {
        use Node::*;
        match self {
            Bool(_) | Int(_) | Bv { .. } | Float(..) => self.clone(),
            Var(id) => Var(g(*id)),
            Not(a) => Not(f(*a)),
            And(parts) => And(parts.iter().map(|&part| f(part)).collect()),
            Or(parts) => Or(parts.iter().map(|&part| f(part)).collect()),
            Ite(c, a, b) => Ite(f(*c), f(*a), f(*b)),
            Eq(a, b) => Eq(f(*a), f(*b)),
            Sum(constant, parts) => {
                Sum(constant.clone(), parts.iter().map(|(factor, part)| (factor.clone(), f(*part))).collect())
            }
            Product(parts) => Product(parts.iter().map(|&part| f(part)).collect()),
            IntDiv(a, b) => IntDiv(f(*a), f(*b)),
            IntMod(a, b) => IntMod(f(*a), f(*b)),
            LeZero(a) => LeZero(f(*a)),
            EqZero(a) => EqZero(f(*a)),
            BvBinary(op, a, b) => BvBinary(*op, f(*a), f(*b)),
            BvNot(a) => BvNot(f(*a)),
            BvNeg(a) => BvNeg(f(*a)),
            BvCompare(order, a, b) => BvCompare(*order, f(*a), f(*b)),
            Extract { high, low, value } => Extract { high: *high, low: *low, value: f(*value) },
            Concat(a, b) => Concat(f(*a), f(*b)),
            Extend { signed, by, value } => Extend { signed: *signed, by: *by, value: f(*value) },
            FloatBinary(op, a, b) => FloatBinary(*op, f(*a), f(*b)),
            FloatNeg(a) => FloatNeg(f(*a)),
            FloatUnary(function, a) => FloatUnary(*function, f(*a)),
            FloatCompare(order, a, b) => FloatCompare(*order, f(*a), f(*b)),
            FloatIsNan(a) => FloatIsNan(f(*a)),
            Convert(conversion, a) => Convert(*conversion, f(*a)),
            Select(a, i) => Select(f(*a), f(*i)),
            Store(a, i, v) => Store(f(*a), f(*i), f(*v)),
            ConstArray(sort, value) => ConstArray(*sort, f(*value)),
            Quantified { forall, variable, low, high, body } => {
                Quantified { forall: *forall, variable: g(*variable), low: f(*low), high: f(*high), body: f(*body) }
            }
        }
    }
}
