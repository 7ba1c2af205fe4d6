//! Random expressions with their own semantics, as an oracle for terms.
//!
//! An [`Expr`] is built through a pool ([`Expr::build`]) and interpreted directly ([`Expr::interpret`]) with big
//! integers, machine integers and Rust's floats, without any code of the crate under test.

#![allow(dead_code)]

pub mod small;

use aback_logic::{
    ArrayValue, BvOp, BvOrder, Conversion, FloatFormat, FloatFunction, FloatOp, FloatOrder, Integer, Model, Node, Pool,
    Sort, Term, Value,
};
use num_bigint::BigInt;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Sorts of expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Bool,
    Int,
    /// Bit-vectors of 8, 32 or 64 bits.
    Bv(u32),
    Float(FloatFormat),
    /// Arrays from integers to integers.
    IntArray,
    /// Arrays from bytes to words.
    BvArray,
    /// Arrays from integers to arrays of integers.
    Nested,
}

pub const KINDS: [Kind; 10] = [
    Kind::Bool,
    Kind::Int,
    Kind::Bv(8),
    Kind::Bv(32),
    Kind::Bv(64),
    Kind::Float(FloatFormat::F32),
    Kind::Float(FloatFormat::F64),
    Kind::IntArray,
    Kind::BvArray,
    Kind::Nested,
];

/// Number of variables of each kind.
pub const VARIABLES: usize = 3;

impl Kind {
    pub fn sort(self, pool: &mut Pool) -> Sort {
        match self {
            Kind::Bool => Sort::Bool,
            Kind::Int => Sort::Int,
            Kind::Bv(width) => Sort::BitVec(width),
            Kind::Float(format) => Sort::Float(format),
            Kind::IntArray => pool.array_sort(Sort::Int, Sort::Int),
            Kind::BvArray => pool.array_sort(Sort::BitVec(8), Sort::BitVec(32)),
            Kind::Nested => {
                let inner = pool.array_sort(Sort::Int, Sort::Int);
                pool.array_sort(Sort::Int, inner)
            }
        }
    }

    fn index(self) -> Kind {
        if self == Kind::BvArray { Kind::Bv(8) } else { Kind::Int }
    }

    fn element(self) -> Kind {
        match self {
            Kind::BvArray => Kind::Bv(32),
            Kind::Nested => Kind::IntArray,
            _ => Kind::Int,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Op {
    Bool(bool),
    Int(i64),
    Bv(u64),
    Float(u64),
    Var(usize),
    /// The variable of the innermost quantifier.
    Bound,
    Not,
    And,
    Or,
    Implies,
    Xor,
    Ite,
    Eq,
    Ne,
    Add,
    Sub,
    Mul,
    Neg,
    IntDiv,
    IntMod,
    DivTrunc,
    RemTrunc,
    Lt,
    Le,
    BvBinary(BvOp),
    BvSub,
    BvNot,
    BvNeg,
    BvCompare(BvOrder),
    Extract(u32),
    Concat,
    Resize(bool),
    FloatBinary(FloatOp),
    FloatNeg,
    FloatUnary(FloatFunction),
    FloatCompare(FloatOrder),
    IsNan,
    Convert(Conversion),
    Select,
    Store,
    Everywhere,
    Quantified(bool),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub op: Op,
    pub kind: Kind,
    pub parts: Vec<Expr>,
}

/// Decisions taken from a list of numbers, or zeros once the list is used up. Shrinking the list shrinks the
/// expressions built from it.
pub struct Choices<'a> {
    data: &'a [u16],
    at: usize,
    /// Which operators may be generated: solvers have no remainder of floats, and quantifiers are slow.
    pub float_remainder: bool,
    pub quantifiers: bool,
    pub division: bool,
}

impl<'a> Choices<'a> {
    pub fn new(data: &'a [u16]) -> Self {
        Choices { data, at: 0, float_remainder: true, quantifiers: true, division: true }
    }

    pub fn next(&mut self, below: usize) -> usize {
        let choice = self.data.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        choice as usize % below
    }

    fn used_up(&self) -> bool {
        self.at >= self.data.len()
    }

    fn wide(&mut self) -> u64 {
        (0..4).fold(0, |bits, _| bits << 16 | self.next(1 << 16) as u64)
    }

    pub fn int(&mut self) -> i64 {
        match self.next(8) {
            0..=4 => self.next(13) as i64 - 6,
            5 => self.next(1 << 12) as i64 - (1 << 11),
            6 => i64::MAX - self.next(3) as i64,
            _ => i64::MIN + self.next(3) as i64,
        }
    }

    pub fn bits(&mut self, width: u32) -> u64 {
        let mask = u64::MAX >> (64 - width);
        mask & match self.next(6) {
            0..=2 => self.next(8) as u64,
            3 => u64::MAX - self.next(4) as u64,
            4 => (1 << (width - 1)) - 2 + self.next(4) as u64,
            _ => self.wide(),
        }
    }

    pub fn float(&mut self, format: FloatFormat) -> u64 {
        const SPECIAL: [f64; 14] = [
            0.0,
            1.0,
            -0.0,
            -1.5,
            0.1,
            3.0,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            2147483648.0,
            -2147483649.0,
            9223372036854775808.0,
            1e-310,
            1e300,
        ];
        let value = match self.next(4) {
            3 => f64::from_bits(self.wide()),
            2 => self.next(2000) as f64 / 8.0 - 125.0,
            _ => SPECIAL[self.next(SPECIAL.len())],
        };
        match format {
            FloatFormat::F32 => u64::from((value as f32).to_bits()),
            FloatFormat::F64 => value.to_bits(),
        }
    }
}

const BV_OPS: [BvOp; 12] = [
    BvOp::Add,
    BvOp::Mul,
    BvOp::UDiv,
    BvOp::URem,
    BvOp::SDiv,
    BvOp::SRem,
    BvOp::And,
    BvOp::Or,
    BvOp::Xor,
    BvOp::Shl,
    BvOp::LShr,
    BvOp::AShr,
];
const BV_ORDERS: [BvOrder; 4] = [BvOrder::ULt, BvOrder::ULe, BvOrder::SLt, BvOrder::SLe];
const FLOAT_FUNCTIONS: [FloatFunction; 5] =
    [FloatFunction::Abs, FloatFunction::Sqrt, FloatFunction::Floor, FloatFunction::Ceil, FloatFunction::Rint];
const FLOAT_OPS: [FloatOp; 5] = [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div, FloatOp::Rem];
const FLOAT_ORDERS: [FloatOrder; 3] = [FloatOrder::Eq, FloatOrder::Lt, FloatOrder::Le];
const FORMATS: [FloatFormat; 2] = [FloatFormat::F32, FloatFormat::F64];
const WIDTHS: [u32; 3] = [8, 32, 64];

impl Expr {
    fn leaf(choices: &mut Choices, kind: Kind, bound: bool) -> Expr {
        let op = match (choices.next(3), kind) {
            (0, Kind::Int) if bound => Op::Bound,
            (0 | 1, _) => Op::Var(choices.next(VARIABLES)),
            (_, Kind::Bool) => Op::Bool(choices.next(2) == 1),
            (_, Kind::Int) => Op::Int(choices.int()),
            (_, Kind::Bv(width)) => Op::Bv(choices.bits(width)),
            (_, Kind::Float(format)) => Op::Float(choices.float(format)),
            _ => Op::Var(choices.next(VARIABLES)),
        };
        Expr { op, kind, parts: Vec::new() }
    }

    /// An expression of a kind.
    pub fn random(choices: &mut Choices, kind: Kind) -> Expr {
        Self::generate(choices, kind, 6, false)
    }

    fn generate(choices: &mut Choices, kind: Kind, depth: u32, bound: bool) -> Expr {
        if depth == 0 || choices.used_up() {
            return Self::leaf(choices, kind, bound);
        }
        let any = |choices: &mut Choices| KINDS[choices.next(KINDS.len())];
        let width = |choices: &mut Choices| WIDTHS[choices.next(3)];
        let format = |choices: &mut Choices| FORMATS[choices.next(2)];
        let (op, kinds): (Op, Vec<Kind>) = match (kind, choices.next(16)) {
            (_, 0) => return Self::leaf(choices, kind, bound),
            (_, 1) => (Op::Ite, vec![Kind::Bool, kind, kind]),
            (Kind::Bool, 2) => (Op::Not, vec![kind]),
            (Kind::Bool, 3) => (Op::And, vec![kind, kind]),
            (Kind::Bool, 4) => (Op::Or, vec![kind, kind]),
            (Kind::Bool, 5) => (Op::Implies, vec![kind, kind]),
            (Kind::Bool, 6) => (Op::Xor, vec![kind, kind]),
            (Kind::Bool, 7 | 8) => {
                let of = any(choices);
                (if choices.next(2) == 0 { Op::Eq } else { Op::Ne }, vec![of, of])
            }
            (Kind::Bool, 9) => (Op::Lt, vec![Kind::Int; 2]),
            (Kind::Bool, 10 | 11) => (Op::Le, vec![Kind::Int; 2]),
            (Kind::Bool, 12 | 13) => {
                let of = Kind::Bv(width(choices));
                (Op::BvCompare(BV_ORDERS[choices.next(4)]), vec![of, of])
            }
            (Kind::Bool, 14) => {
                let of = Kind::Float(format(choices));
                match choices.next(4) {
                    3 => (Op::IsNan, vec![of]),
                    order => (Op::FloatCompare(FLOAT_ORDERS[order]), vec![of, of]),
                }
            }
            (Kind::Bool, _) if choices.quantifiers => {
                let low = Self::generate(choices, Kind::Int, 1, false);
                let high = Self::generate(choices, Kind::Int, 1, false);
                let body = Self::generate(choices, Kind::Bool, depth.min(3) - 1, true);
                let forall = choices.next(2) == 0;
                return Expr { op: Op::Quantified(forall), kind, parts: vec![low, high, body] };
            }
            (Kind::Bool, _) => (Op::Not, vec![kind]),
            (Kind::Int, 2 | 3) => (Op::Add, vec![kind, kind]),
            (Kind::Int, 4) => (Op::Sub, vec![kind, kind]),
            (Kind::Int, 5 | 6) => (Op::Mul, vec![kind, kind]),
            (Kind::Int, 7) => (Op::Neg, vec![kind]),
            (Kind::Int, op @ 8..=11) if choices.division => {
                ([Op::IntDiv, Op::IntMod, Op::DivTrunc, Op::RemTrunc][op - 8], vec![kind, kind])
            }
            (Kind::Int, 12 | 13) => (Op::Select, vec![Kind::IntArray, kind]),
            (Kind::Int, _) => {
                let signed = choices.next(2) == 0;
                (Op::Convert(Conversion::BvToInt { signed }), vec![Kind::Bv(width(choices))])
            }
            (Kind::Bv(_), 2..=6) => (Op::BvBinary(BV_OPS[choices.next(12)]), vec![kind, kind]),
            (Kind::Bv(_), 7) => (Op::BvSub, vec![kind, kind]),
            (Kind::Bv(_), 8) => (if choices.next(2) == 0 { Op::BvNot } else { Op::BvNeg }, vec![kind]),
            (Kind::Bv(64), 9) => (Op::Concat, vec![Kind::Bv(32), Kind::Bv(32)]),
            (Kind::Bv(8), 9) => (Op::Extract(choices.next(25) as u32), vec![Kind::Bv(32)]),
            (Kind::Bv(32), 9) => (Op::Extract(choices.next(33) as u32), vec![Kind::Bv(64)]),
            (Kind::Bv(_), 10 | 11) => (Op::Resize(choices.next(2) == 0), vec![Kind::Bv(width(choices))]),
            (Kind::Bv(width), 12) => (Op::Convert(Conversion::IntToBv(width)), vec![Kind::Int]),
            (Kind::Bv(width), 13) => (Op::Convert(Conversion::FloatToBv(width)), vec![Kind::Float(format(choices))]),
            (Kind::Bv(32), 14) => {
                (Op::Convert(Conversion::FloatToBits(FloatFormat::F32)), vec![Kind::Float(FloatFormat::F32)])
            }
            (Kind::Bv(64), 14) => {
                (Op::Convert(Conversion::FloatToBits(FloatFormat::F64)), vec![Kind::Float(FloatFormat::F64)])
            }
            (Kind::Bv(32), _) => (Op::Select, vec![Kind::BvArray, Kind::Bv(8)]),
            (Kind::Bv(_), _) => (Op::BvNeg, vec![kind]),
            (Kind::Float(_), 2..=8) => {
                let ops = if choices.float_remainder { 5 } else { 4 };
                (Op::FloatBinary(FLOAT_OPS[choices.next(ops)]), vec![kind, kind])
            }
            (Kind::Float(_), 9) => (Op::FloatNeg, vec![kind]),
            (Kind::Float(_), 10) => (Op::FloatUnary(FLOAT_FUNCTIONS[choices.next(5)]), vec![kind]),
            (Kind::Float(to), 11 | 12) => {
                (Op::Convert(Conversion::FloatToFloat(to)), vec![Kind::Float(format(choices))])
            }
            (Kind::Float(to), 13) => (Op::Convert(Conversion::BitsToFloat(to)), vec![Kind::Bv(to.width())]),
            (Kind::Float(to), _) => {
                let signed = choices.next(2) == 0;
                (Op::Convert(Conversion::BvToFloat { signed, format: to }), vec![Kind::Bv(width(choices))])
            }
            (Kind::IntArray, 2..=4) => (Op::Select, vec![Kind::Nested, Kind::Int]),
            (Kind::IntArray | Kind::BvArray | Kind::Nested, 5) => (Op::Everywhere, vec![kind.element()]),
            (Kind::IntArray | Kind::BvArray | Kind::Nested, _) => (Op::Store, vec![kind, kind.index(), kind.element()]),
        };
        let parts = kinds.into_iter().map(|kind| Self::generate(choices, kind, depth - 1, bound)).collect();
        Expr { op, kind, parts }
    }

    /// Builds the term with the pool's constructors.
    pub fn build(&self, pool: &mut Pool, variables: &Variables) -> Term {
        self.build_in(pool, variables, None)
    }

    fn build_in(&self, pool: &mut Pool, variables: &Variables, bound: Option<Term>) -> Term {
        if let Op::Quantified(forall) = self.op {
            let [low, high, body] = &self.parts[..] else { panic!("a quantifier has three parts") };
            let (low, high) = (low.build_in(pool, variables, None), high.build_in(pool, variables, None));
            let variable = pool.fresh_var("i", Sort::Int);
            let body = body.build_in(pool, variables, Some(variable));
            return pool.quantified(forall, variable, low, high, body);
        }
        let parts: Vec<Term> = self.parts.iter().map(|part| part.build_in(pool, variables, bound)).collect();
        let width = |kind: Kind| match kind {
            Kind::Bv(width) => width,
            _ => panic!("a bit-vector"),
        };
        match (self.op, &parts[..]) {
            (Op::Bool(value), _) => pool.bool(value),
            (Op::Int(value), _) => pool.int(value),
            (Op::Bv(bits), _) => pool.bv(width(self.kind), bits.into()),
            (Op::Float(bits), _) => match self.kind {
                Kind::Float(format) => pool.float(format, bits),
                _ => panic!("a float"),
            },
            (Op::Var(number), _) => variables.get(self.kind, number),
            (Op::Bound, _) => bound.expect("within a quantifier"),
            (Op::Not, &[a]) => pool.not(a),
            (Op::And, &[a, b]) => pool.and(a, b),
            (Op::Or, &[a, b]) => pool.or(a, b),
            (Op::Implies, &[a, b]) => pool.implies(a, b),
            (Op::Xor, &[a, b]) => pool.xor(a, b),
            (Op::Ite, &[c, a, b]) => pool.ite(c, a, b),
            (Op::Eq, &[a, b]) => pool.eq(a, b),
            (Op::Ne, &[a, b]) => pool.ne(a, b),
            (Op::Add, &[a, b]) => pool.add(a, b),
            (Op::Sub, &[a, b]) => pool.sub(a, b),
            (Op::Mul, &[a, b]) => pool.mul(a, b),
            (Op::Neg, &[a]) => pool.neg(a),
            (Op::IntDiv, &[a, b]) => pool.int_div(a, b),
            (Op::IntMod, &[a, b]) => pool.int_mod(a, b),
            (Op::DivTrunc, &[a, b]) => pool.div_trunc(a, b),
            (Op::RemTrunc, &[a, b]) => pool.rem_trunc(a, b),
            (Op::Lt, &[a, b]) => pool.lt(a, b),
            (Op::Le, &[a, b]) => pool.le(a, b),
            (Op::BvBinary(op), &[a, b]) => pool.bv_binary(op, a, b),
            (Op::BvSub, &[a, b]) => pool.bv_sub(a, b),
            (Op::BvNot, &[a]) => pool.bv_not(a),
            (Op::BvNeg, &[a]) => pool.bv_neg(a),
            (Op::BvCompare(order), &[a, b]) => pool.bv_compare(order, a, b),
            (Op::Extract(low), &[a]) => pool.extract(low + width(self.kind) - 1, low, a),
            (Op::Concat, &[a, b]) => pool.concat(a, b),
            (Op::Resize(signed), &[a]) => pool.resize(width(self.kind), signed, a),
            (Op::FloatBinary(op), &[a, b]) => pool.float_binary(op, a, b),
            (Op::FloatNeg, &[a]) => pool.float_neg(a),
            (Op::FloatUnary(function), &[a]) => pool.float_unary(function, a),
            (Op::FloatCompare(order), &[a, b]) => pool.float_compare(order, a, b),
            (Op::IsNan, &[a]) => pool.float_is_nan(a),
            (Op::Convert(conversion), &[a]) => pool.convert(conversion, a),
            (Op::Select, &[a, i]) => pool.select(a, i),
            (Op::Store, &[a, i, v]) => pool.store(a, i, v),
            (Op::Everywhere, &[v]) => {
                let sort = self.kind.sort(pool);
                pool.const_array(sort, v)
            }
            (op, parts) => panic!("{op:?} of {} parts", parts.len()),
        }
    }

    /// The value, or `None` if the expression divides an integer by zero.
    pub fn interpret(&self, values: &Values) -> Option<Direct> {
        self.interpret_in(values, None)
    }

    fn interpret_in(&self, values: &Values, bound: Option<i64>) -> Option<Direct> {
        let part = |i: usize| self.parts[i].interpret_in(values, bound);
        let truth = |i: usize| part(i).map(|value| value.bool());
        let int = |i: usize| part(i).map(|value| value.int());
        let bits = |i: usize| part(i).map(|value| value.bits());
        let part_width = |i: usize| match self.parts[i].kind {
            Kind::Bv(width) => width,
            _ => panic!("a bit-vector"),
        };
        let width = match self.kind {
            Kind::Bv(width) => width,
            _ => 0,
        };
        let of_float = |value: Direct| value.float();
        Some(match self.op {
            Op::Bool(value) => Direct::Bool(value),
            Op::Int(value) => Direct::Int(value.into()),
            Op::Bv(bits) => Direct::Bv(width, bits),
            Op::Float(bits) => match self.kind {
                Kind::Float(FloatFormat::F32) => Direct::F32(f32::from_bits(bits as u32)),
                _ => Direct::F64(f64::from_bits(bits)),
            },
            Op::Var(number) => values.get(self.kind, number),
            Op::Bound => Direct::Int(bound?.into()),
            Op::Not => Direct::Bool(!truth(0)?),
            Op::And => Direct::Bool(match (truth(0), truth(1)) {
                (Some(false), _) | (_, Some(false)) => false,
                (a, b) => a? && b?,
            }),
            Op::Or => Direct::Bool(match (truth(0), truth(1)) {
                (Some(true), _) | (_, Some(true)) => true,
                (a, b) => a? || b?,
            }),
            Op::Implies => Direct::Bool(match (truth(0), truth(1)) {
                (Some(false), _) | (_, Some(true)) => true,
                (a, b) => !a? || b?,
            }),
            Op::Xor => Direct::Bool(truth(0)? != truth(1)?),
            Op::Ite => return if truth(0)? { part(1) } else { part(2) },
            Op::Eq => Direct::Bool(part(0)?.same(&part(1)?)),
            Op::Ne => Direct::Bool(!part(0)?.same(&part(1)?)),
            Op::Add => Direct::Int(int(0)? + int(1)?),
            Op::Sub => Direct::Int(int(0)? - int(1)?),
            Op::Mul => Direct::Int(int(0)? * int(1)?),
            Op::Neg => Direct::Int(-int(0)?),
            Op::IntDiv | Op::IntMod | Op::DivTrunc | Op::RemTrunc => {
                let (a, b, zero) = (int(0)?, int(1)?, BigInt::ZERO);
                if b == zero {
                    return None;
                }
                let (quotient, remainder) = (&a / &b, &a % &b);
                // The remainder of SMT-LIB is never negative, whereas `/` rounds toward zero.
                let step = BigInt::from(if b > zero { 1 } else { -1 });
                let adjust = remainder < zero;
                Direct::Int(match self.op {
                    Op::DivTrunc => quotient,
                    Op::RemTrunc => remainder,
                    Op::IntDiv if adjust => quotient - step,
                    Op::IntDiv => quotient,
                    _ if adjust => remainder + step * b,
                    _ => remainder,
                })
            }
            Op::Lt => Direct::Bool(int(0)? < int(1)?),
            Op::Le => Direct::Bool(int(0)? <= int(1)?),
            Op::BvBinary(op) => Direct::Bv(width, machine(op, width, bits(0)?, bits(1)?)),
            Op::BvSub => Direct::Bv(width, bits(0)?.wrapping_sub(bits(1)?)).masked(),
            Op::BvNot => Direct::Bv(width, !bits(0)?).masked(),
            Op::BvNeg => Direct::Bv(width, bits(0)?.wrapping_neg()).masked(),
            Op::BvCompare(order) => {
                let (a, b) = (bits(0)?, bits(1)?);
                let (x, y) = (signed(part_width(0), a), signed(part_width(0), b));
                Direct::Bool(match order {
                    BvOrder::ULt => a < b,
                    BvOrder::ULe => a <= b,
                    BvOrder::SLt => x < y,
                    BvOrder::SLe => x <= y,
                })
            }
            Op::Extract(low) => Direct::Bv(width, bits(0)? >> low).masked(),
            Op::Concat => Direct::Bv(width, bits(0)? << 32 | bits(1)?),
            Op::Resize(is_signed) => {
                let value = bits(0)?;
                let wide = if is_signed { signed(part_width(0), value) as u64 } else { value };
                Direct::Bv(width, wide).masked()
            }
            Op::FloatBinary(op) => match (part(0)?, part(1)?) {
                (Direct::F32(a), Direct::F32(b)) => Direct::F32(match op {
                    FloatOp::Add => a + b,
                    FloatOp::Sub => a - b,
                    FloatOp::Mul => a * b,
                    FloatOp::Div => a / b,
                    FloatOp::Rem => a % b,
                }),
                (a, b) => {
                    let (a, b) = (a.float(), b.float());
                    Direct::F64(match op {
                        FloatOp::Add => a + b,
                        FloatOp::Sub => a - b,
                        FloatOp::Mul => a * b,
                        FloatOp::Div => a / b,
                        FloatOp::Rem => a % b,
                    })
                }
            },
            Op::FloatNeg => match part(0)? {
                Direct::F32(value) => Direct::F32(-value),
                value => Direct::F64(-value.float()),
            },
            Op::FloatUnary(function) => match part(0)? {
                Direct::F32(value) => Direct::F32(match function {
                    FloatFunction::Abs => value.abs(),
                    FloatFunction::Sqrt => value.sqrt(),
                    FloatFunction::Floor => value.floor(),
                    FloatFunction::Ceil => value.ceil(),
                    FloatFunction::Rint => value.round_ties_even(),
                }),
                value => Direct::F64(match (function, value.float()) {
                    (FloatFunction::Abs, value) => value.abs(),
                    (FloatFunction::Sqrt, value) => value.sqrt(),
                    (FloatFunction::Floor, value) => value.floor(),
                    (FloatFunction::Ceil, value) => value.ceil(),
                    (FloatFunction::Rint, value) => value.round_ties_even(),
                }),
            },
            Op::FloatCompare(order) => {
                let (a, b) = (of_float(part(0)?), of_float(part(1)?));
                Direct::Bool(match order {
                    FloatOrder::Eq => a == b,
                    FloatOrder::Lt => a < b,
                    FloatOrder::Le => a <= b,
                })
            }
            Op::IsNan => Direct::Bool(of_float(part(0)?).is_nan()),
            Op::Convert(conversion) => self.convert(conversion, part(0)?),
            Op::Select => match part(0)? {
                Direct::Array(array) => array.get(part(1)?),
                other => panic!("{other:?} is no array"),
            },
            Op::Store => match part(0)? {
                Direct::Array(mut array) => {
                    array.entries.insert(part(1)?.key(), part(2)?);
                    Direct::Array(array)
                }
                other => panic!("{other:?} is no array"),
            },
            Op::Everywhere => {
                let default = Box::new(part(0)?);
                Direct::Array(DirectArray { default, entries: BTreeMap::new() })
            }
            Op::Quantified(forall) => {
                let (low, high) = (i64::try_from(int(0)?).ok()?, i64::try_from(int(1)?).ok()?);
                if high.checked_sub(low)? > 4000 {
                    return None;
                }
                for value in low..high {
                    if self.parts[2].interpret_in(values, Some(value))?.bool() != forall {
                        return Some(Direct::Bool(!forall));
                    }
                }
                Direct::Bool(forall)
            }
        })
    }

    fn convert(&self, conversion: Conversion, value: Direct) -> Direct {
        let from = match self.parts[0].kind {
            Kind::Bv(width) => width,
            _ => 0,
        };
        match conversion {
            Conversion::IntToBv(width) => {
                let modulus = BigInt::from(1) << width;
                let value = ((value.int() % &modulus) + &modulus) % &modulus;
                Direct::Bv(width, u64::try_from(value).unwrap())
            }
            Conversion::BvToInt { signed: true } => Direct::Int(signed(from, value.bits()).into()),
            Conversion::BvToInt { signed: false } => Direct::Int(value.bits().into()),
            Conversion::BvToFloat { signed: is_signed, format } => match (format, is_signed) {
                (FloatFormat::F32, true) => Direct::F32(signed(from, value.bits()) as f32),
                (FloatFormat::F32, false) => Direct::F32(value.bits() as f32),
                (FloatFormat::F64, true) => Direct::F64(signed(from, value.bits()) as f64),
                (FloatFormat::F64, false) => Direct::F64(value.bits() as f64),
            },
            Conversion::FloatToFloat(FloatFormat::F64) => Direct::F64(value.float()),
            Conversion::FloatToFloat(FloatFormat::F32) => Direct::F32(match value {
                Direct::F32(value) => value,
                other => other.float() as f32,
            }),
            Conversion::FloatToBits(_) => match value {
                Direct::F32(value) if value.is_nan() => Direct::Bv(32, 0x7fc0_0000),
                Direct::F32(value) => Direct::Bv(32, value.to_bits().into()),
                value if value.float().is_nan() => Direct::Bv(64, 0x7ff8_0000_0000_0000),
                value => Direct::Bv(64, value.float().to_bits()),
            },
            Conversion::BitsToFloat(FloatFormat::F32) => Direct::F32(f32::from_bits(value.bits() as u32)),
            Conversion::BitsToFloat(FloatFormat::F64) => Direct::F64(f64::from_bits(value.bits())),
            // Rust's `as` is Java's conversion.
            Conversion::FloatToBv(width) => {
                let value = value.float();
                let bits = match width {
                    8 => value as i8 as u64,
                    32 => value as i32 as u64,
                    _ => value as i64 as u64,
                };
                Direct::Bv(width, bits).masked()
            }
        }
    }
}

fn signed(width: u32, bits: u64) -> i64 {
    match width {
        8 => i64::from(bits as i8),
        32 => i64::from(bits as i32),
        _ => bits as i64,
    }
}

/// Computes bit-vector operators with machine integers; division by zero follows SMT-LIB.
fn machine(op: BvOp, width: u32, a: u64, b: u64) -> u64 {
    macro_rules! by {
        ($unsigned:ty, $signed:ty) => {{
            let (a, b) = (a as $unsigned, b as $unsigned);
            let (x, y) = (a as $signed, b as $signed);
            let far = b >= width as $unsigned;
            (match op {
                BvOp::Add => a.wrapping_add(b),
                BvOp::Mul => a.wrapping_mul(b),
                BvOp::UDiv => {
                    if b == 0 {
                        <$unsigned>::MAX
                    } else {
                        a / b
                    }
                }
                BvOp::URem => {
                    if b == 0 {
                        a
                    } else {
                        a % b
                    }
                }
                BvOp::SDiv if b == 0 => {
                    if x < 0 {
                        1
                    } else {
                        <$unsigned>::MAX
                    }
                }
                BvOp::SDiv => x.wrapping_div(y) as $unsigned,
                BvOp::SRem => {
                    if b == 0 {
                        a
                    } else {
                        x.wrapping_rem(y) as $unsigned
                    }
                }
                BvOp::And => a & b,
                BvOp::Or => a | b,
                BvOp::Xor => a ^ b,
                BvOp::Shl => {
                    if far {
                        0
                    } else {
                        a << b
                    }
                }
                BvOp::LShr => {
                    if far {
                        0
                    } else {
                        a >> b
                    }
                }
                BvOp::AShr if far => {
                    if x < 0 {
                        <$unsigned>::MAX
                    } else {
                        0
                    }
                }
                BvOp::AShr => (x >> b) as $unsigned,
            }) as u64
        }};
    }
    match width {
        8 => by!(u8, i8),
        32 => by!(u32, i32),
        _ => by!(u64, i64),
    }
}

/// A value computed directly.
#[derive(Clone, Debug)]
pub enum Direct {
    Bool(bool),
    Int(BigInt),
    Bv(u32, u64),
    F32(f32),
    F64(f64),
    Array(DirectArray),
}

#[derive(Clone, Debug)]
pub struct DirectArray {
    default: Box<Direct>,
    entries: BTreeMap<BigInt, Direct>,
}

impl DirectArray {
    fn get(&self, index: Direct) -> Direct {
        self.entries.get(&index.key()).unwrap_or(&self.default).clone()
    }
}

impl Direct {
    fn bool(&self) -> bool {
        matches!(self, Direct::Bool(true))
    }

    fn int(&self) -> BigInt {
        match self {
            Direct::Int(value) => value.clone(),
            other => panic!("{other:?} is no integer"),
        }
    }

    fn bits(&self) -> u64 {
        match self {
            Direct::Bv(_, bits) => *bits,
            other => panic!("{other:?} is no bit-vector"),
        }
    }

    fn float(&self) -> f64 {
        match self {
            Direct::F32(value) => f64::from(*value),
            Direct::F64(value) => *value,
            other => panic!("{other:?} is no float"),
        }
    }

    fn key(&self) -> BigInt {
        match self {
            Direct::Bv(_, bits) => BigInt::from(*bits),
            other => other.int(),
        }
    }

    fn masked(self) -> Direct {
        match self {
            Direct::Bv(width, bits) => Direct::Bv(width, bits & (u64::MAX >> (64 - width))),
            other => other,
        }
    }

    /// Equality as by SMT-LIB's `=`.
    pub fn same(&self, other: &Direct) -> bool {
        match (self, other) {
            (Direct::F32(a), Direct::F32(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            (Direct::F64(a), Direct::F64(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            (Direct::Array(a), Direct::Array(b)) => {
                let keys = a.entries.keys().chain(b.entries.keys()).cloned().map(Direct::Int);
                // No test has as many entries as a byte has values, so the defaults matter.
                a.default.same(&b.default) && keys.into_iter().all(|key| a.get(key.clone()).same(&b.get(key)))
            }
            (Direct::Bool(a), Direct::Bool(b)) => a == b,
            (Direct::Int(a), Direct::Int(b)) => a == b,
            (Direct::Bv(_, a), Direct::Bv(_, b)) => a == b,
            _ => false,
        }
    }

    /// The same value as a value of the crate. The kind determines the sort of an array.
    pub fn value(&self, kind: Kind) -> Value {
        match self {
            Direct::Bool(value) => Value::Bool(*value),
            Direct::Int(value) => Value::Int(Integer::from(value)),
            Direct::Bv(width, bits) => Value::Bv(*width, (*bits).into()),
            Direct::F32(value) if value.is_nan() => Value::Float(FloatFormat::F32, u64::from(f32::NAN.to_bits())),
            Direct::F32(value) => Value::Float(FloatFormat::F32, u64::from(value.to_bits())),
            Direct::F64(value) if value.is_nan() => Value::Float(FloatFormat::F64, f64::NAN.to_bits()),
            Direct::F64(value) => Value::Float(FloatFormat::F64, value.to_bits()),
            Direct::Array(array) => {
                let mut value = ArrayValue::new(array.default.value(kind.element()));
                for (index, element) in &array.entries {
                    let index = match kind {
                        Kind::BvArray => Value::Bv(8, u128::try_from(index.clone()).unwrap()),
                        _ => Value::Int(Integer::from(index)),
                    };
                    value.set(index, element.value(kind.element()));
                }
                Value::Array(Rc::new(value))
            }
        }
    }
}

/// The variables of a pool by kind.
pub struct Variables {
    terms: Vec<[Term; VARIABLES]>,
}

impl Variables {
    pub fn new(pool: &mut Pool) -> Self {
        let terms = KINDS.map(|kind| {
            let sort = kind.sort(pool);
            [0; VARIABLES].map(|_| pool.fresh_var("v", sort))
        });
        Variables { terms: terms.to_vec() }
    }

    pub fn get(&self, kind: Kind, number: usize) -> Term {
        self.terms[place(kind)][number]
    }
}

fn place(kind: Kind) -> usize {
    KINDS.iter().position(|&known| known == kind).expect("one of the kinds")
}

/// Values of the variables.
#[derive(Debug)]
pub struct Values {
    values: Vec<[Direct; VARIABLES]>,
}

impl Values {
    pub fn random(choices: &mut Choices) -> Self {
        Values { values: KINDS.iter().map(|&kind| [0; VARIABLES].map(|_| Self::value(choices, kind))).collect() }
    }

    fn value(choices: &mut Choices, kind: Kind) -> Direct {
        match kind {
            Kind::Bool => Direct::Bool(choices.next(2) == 1),
            Kind::Int => Direct::Int(choices.int().into()),
            Kind::Bv(width) => Direct::Bv(width, choices.bits(width)),
            Kind::Float(FloatFormat::F32) => Direct::F32(f32::from_bits(choices.float(FloatFormat::F32) as u32)),
            Kind::Float(FloatFormat::F64) => Direct::F64(f64::from_bits(choices.float(FloatFormat::F64))),
            Kind::IntArray | Kind::BvArray | Kind::Nested => {
                let default = Box::new(Self::value(choices, kind.element()));
                let entries = (0..choices.next(3))
                    .map(|_| (Self::value(choices, kind.index()).key(), Self::value(choices, kind.element())))
                    .collect();
                Direct::Array(DirectArray { default, entries })
            }
        }
    }

    pub fn get(&self, kind: Kind, number: usize) -> Direct {
        self.values[place(kind)][number].clone()
    }

    /// The values as a model of the variables.
    pub fn model(&self, pool: &Pool, variables: &Variables) -> Model {
        let mut model = Model::new();
        for kind in KINDS {
            for number in 0..VARIABLES {
                if let Node::Var(id) = *pool.node(variables.get(kind, number)) {
                    model.set(id, self.get(kind, number).value(kind));
                }
            }
        }
        model
    }
}
