//! Evaluates pure expressions, to concrete values if the operands are concrete, otherwise to terms.

use crate::number;
use aback_heap::{Value, sort_of};
use aback_ir::{
    BinaryOp, Block, BlockId, Body, Const, DivideOp, Expr, ExprId, LocalId, Point, Program, TerminatorKind, Type,
    UnaryOp,
};
use aback_logic::{
    BvOp, BvOrder, Conversion, FloatFormat, FloatFunction, FloatOp, FloatOrder, Integer, Pool, Sort, Term,
};
use aback_lower::Step;
use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};
use rustc_hash::FxHashSet;
use std::cell::OnceCell;

/// A body with data that is computed once.
pub struct PreparedBody {
    /// The values of constant expressions, by expression.
    constants: Vec<Value>,
    /// The types of all expressions.
    types: Vec<Type>,
    /// The values of all locals at entry. Those of the parameters are not used.
    pub defaults: Vec<Value>,
    /// By block: the cases of its switch that fit into 64 bits, in order.
    switches: Vec<Box<[(i64, BlockId)]>>,
    /// The lowered form of the body, computed on the first call of [`PreparedBody::steps`].
    lowered: OnceCell<aback_lower::LoweredBody>,
    /// By block and operation: the locals with references that must be known, computed on the first call of
    /// [`PreparedBody::examined`].
    examined: OnceCell<Vec<Vec<Box<[LocalId]>>>>,
}

impl PreparedBody {
    /// Prepares a body.
    pub fn new(pool: &mut Pool, body: &Body) -> Self {
        let constants = body.exprs.iter().map(|expr| match expr {
            Expr::Const(constant) => constant_value(pool, constant),
            _ => Value::Null,
        });
        let constants = constants.collect();
        let defaults = body.locals.iter().map(|local| Value::default_of(local.ty)).collect();
        let types = body.expr_types();
        let switches = body.blocks.iter().map(|block| match &block.terminator.kind {
            TerminatorKind::Switch { value, cases, .. } => {
                let unsigned = matches!(types[value.index()], Type::Machine { signed: false, .. });
                let small = |case: &BigInt| match unsigned {
                    true => case.to_u64().map(|case| case as i64),
                    false => case.to_i64(),
                };
                let mut cases: Vec<(i64, BlockId)> =
                    cases.iter().filter_map(|(case, block)| Some((small(case)?, *block))).collect();
                // Of equal cases the first one counts.
                cases.sort_by_key(|&(case, _)| case);
                cases.dedup_by_key(|&mut (case, _)| case);
                cases.into()
            }
            _ => Box::default(),
        });
        let switches = switches.collect();
        PreparedBody { constants, types, defaults, switches, lowered: OnceCell::new(), examined: OnceCell::new() }
    }

    /// The steps of the operation at a point. `body` is the body that was prepared.
    pub fn steps(&self, program: &Program, body: &Body, point: Point) -> &[Step] {
        self.lowered.get_or_init(|| aback_lower::LoweredBody::new(program, body)).steps(point)
    }

    /// The locals with references that the operation or terminator at a point compares with others or with null, or through
    /// which it reads, writes or calls.
    #[inline]
    pub fn examined(&self, body: &Body, point: Point) -> &[LocalId] {
        let examined = self.examined.get_or_init(|| examined(body));
        let locals = examined.get(point.block.index()).and_then(|block| block.get(point.op as usize));
        locals.map(|locals| &locals[..]).unwrap_or_default()
    }

    /// Type of an expression.
    #[inline]
    pub fn type_of(&self, expr: ExprId) -> Type {
        self.types[expr.index()]
    }

    /// The target of the switch at the end of a block for a concrete value; `None` for its default.
    pub fn case(&self, block: BlockId, value: i64) -> Option<BlockId> {
        let cases = &self.switches[block.index()];
        // Cases are mostly consecutive.
        let (first, _) = *cases.first()?;
        let guess = usize::try_from(value.wrapping_sub(first)).ok().and_then(|place| cases.get(place));
        match guess {
            Some(&(case, block)) if case == value => Some(block),
            _ => cases.binary_search_by_key(&value, |&(case, _)| case).ok().map(|place| cases[place].1),
        }
    }
}

/// By block and operation, the terminator last: the locals with references that the code compares, or through which it reads, writes or
/// calls.
fn examined(body: &Body) -> Vec<Vec<Box<[LocalId]>>> {
    let of_block = |block: &Block| {
        let last = match block.terminator.kind {
            TerminatorKind::Branch { condition, .. } => vec![condition],
            TerminatorKind::Switch { value, .. } | TerminatorKind::Return(Some(value)) => vec![value],
            _ => vec![],
        };
        let roots = block.ops.iter().map(|op| (op.kind.operands(), op.kind.dereferenced())).chain([(last, None)]);
        let locals = roots.map(|(roots, dereferenced)| {
            let mut locals: Vec<LocalId> =
                dereferenced.and_then(|object| plain_local(body, object)).into_iter().collect();
            for &root in &roots {
                each_part(body, root, |part| {
                    let &Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, ty, a, b) = part else { return };
                    if ty.is_reference() {
                        locals.extend([a, b].into_iter().filter_map(|operand| plain_local(body, operand)));
                    }
                });
            }
            locals.into()
        });
        locals.collect()
    };
    body.blocks.iter().map(of_block).collect()
}

/// The local whose value an expression is, perhaps as a value of another reference type.
fn plain_local(body: &Body, mut expr: ExprId) -> Option<LocalId> {
    loop {
        match *body.expr(expr) {
            Expr::Local(local) => return Some(local),
            Expr::Convert { value, .. } => expr = value,
            _ => return None,
        }
    }
}

fn constant_value(pool: &mut Pool, constant: &Const) -> Value {
    match constant {
        Const::Bool(value) => Value::Bool(*value),
        Const::Int(value, ty) => {
            let value = Integer::from(value);
            match (ty, value.as_i64()) {
                (_, Some(small)) => Value::Int(small),
                (Type::Machine { width, .. }, None) => Value::Int(value.to_bits(u32::from(*width)) as i64),
                (_, None) => Value::Term(pool.integer(value)),
            }
        }
        Const::F32(bits) => Value::F32(*bits),
        Const::F64(bits) => Value::F64(*bits),
        Const::Null => Value::Null,
    }
}

/// Whether an expression contains a local.
pub fn mentions(body: &Body, expr: ExprId, local: LocalId) -> bool {
    has_part(body, expr, |part| *part == Expr::Local(local))
}

/// Whether an expression contains a part that no term expresses, so that it is evaluated to any value.
pub fn is_vague(body: &Body, expr: ExprId) -> bool {
    has_part(
        body,
        expr,
        |part| matches!(part, Expr::Convert { from, to, .. } if (*from == Type::Int && to.is_float()) || (from.is_float() && *to == Type::Int)),
    )
}

fn has_part(body: &Body, expr: ExprId, is_wanted: impl Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    each_part(body, expr, |part| found |= is_wanted(part));
    found
}

/// Calls `with` for an expression and each of its parts, once.
fn each_part(body: &Body, expr: ExprId, mut with: impl FnMut(&Expr)) {
    let mut seen = FxHashSet::default();
    let mut pending = vec![expr];
    while let Some(part) = pending.pop() {
        if seen.insert(part) {
            with(body.expr(part));
            pending.extend(body.expr(part).operands());
        }
    }
}

/// Evaluates an expression over the values of locals. Recursion is safe, because front ends bound the depth of
/// expressions.
#[inline(always)]
pub fn eval(pool: &mut Pool, body: &Body, code: &PreparedBody, locals: &[Value], id: ExprId) -> Value {
    // Most operands are leaves, which need no call.
    match body.expr(id) {
        Expr::Local(local) => locals[local.index()],
        Expr::Const(_) => code.constants[id.index()],
        _ => compound(pool, body, code, locals, id),
    }
}

fn compound(pool: &mut Pool, body: &Body, code: &PreparedBody, locals: &[Value], id: ExprId) -> Value {
    match body.expr(id) {
        Expr::Local(local) => locals[local.index()],
        Expr::Const(_) => code.constants[id.index()],
        Expr::Binary(op, ty, a, b) => {
            let a = eval(pool, body, code, locals, *a);
            let b = eval(pool, body, code, locals, *b);
            match number::binary(*op, *ty, a, b) {
                Some(value) => value,
                None => binary_term(pool, *op, *ty, a, b),
            }
        }
        Expr::Unary(op, ty, a) => {
            let a = eval(pool, body, code, locals, *a);
            unary(pool, *op, *ty, a)
        }
        Expr::Select(condition, then, otherwise) => match eval(pool, body, code, locals, *condition) {
            Value::Bool(true) => eval(pool, body, code, locals, *then),
            Value::Bool(false) => eval(pool, body, code, locals, *otherwise),
            condition => {
                let condition = condition.to_term(pool, Type::Bool);
                let then = eval(pool, body, code, locals, *then);
                let otherwise = eval(pool, body, code, locals, *otherwise);
                Value::ite(pool, condition, then, otherwise, code.type_of(id))
            }
        },
        Expr::Convert { from, to, value } => {
            let value = eval(pool, body, code, locals, *value);
            convert(pool, *from, *to, value)
        }
        Expr::Bits { from, to, value } => match (eval(pool, body, code, locals, *value), to) {
            (Value::F32(bits), _) => {
                Value::Int(i64::from(if f32::from_bits(bits).is_nan() { 0x7fc0_0000 } else { bits as i32 }))
            }
            (Value::F64(bits), _) => {
                Value::Int(if f64::from_bits(bits).is_nan() { 0x7ff8_0000_0000_0000 } else { bits as i64 })
            }
            (Value::Int(bits), Type::F32) => Value::F32(bits as u32),
            (Value::Int(bits), _) => Value::F64(bits as u64),
            (value, _) => {
                let term = value.to_term(pool, *from);
                let bits = match (sort_of(*from), sort_of(*to)) {
                    (Sort::Float(format), _) => pool.convert(Conversion::FloatToBits(format), term),
                    (_, Sort::Float(format)) => pool.convert(Conversion::BitsToFloat(format), term),
                    _ => term,
                };
                Value::from_term(pool, bits, *to)
            }
        },
    }
}

/// Applies an operator to a float of either format.
macro_rules! float_unary {
    ($op:expr, $x:expr) => {
        match $op {
            UnaryOp::Neg => -$x,
            UnaryOp::Sqrt => $x.sqrt(),
            UnaryOp::Floor => $x.floor(),
            UnaryOp::Ceil => $x.ceil(),
            UnaryOp::Rint => $x.round_ties_even(),
            _ => $x.abs(),
        }
    };
}

fn unary(pool: &mut Pool, op: UnaryOp, ty: Type, a: Value) -> Value {
    match (op, a) {
        (UnaryOp::Not, Value::Bool(a)) => return Value::Bool(!a),
        (UnaryOp::Neg, Value::Int(a)) => match ty {
            Type::Machine { .. } => return Value::Int(number::wrap(a.wrapping_neg(), ty)),
            _ => {
                if let Some(negated) = a.checked_neg() {
                    return Value::Int(negated);
                }
            }
        },
        (UnaryOp::BitNot, Value::Int(a)) => return Value::Int(number::wrap(!a, ty)),
        (op, Value::F32(bits)) => return Value::F32(float_unary!(op, f32::from_bits(bits)).to_bits()),
        (op, Value::F64(bits)) => return Value::F64(float_unary!(op, f64::from_bits(bits)).to_bits()),
        _ => {}
    }
    let term = a.to_term(pool, ty);
    let result = match (op, sort_of(ty)) {
        (UnaryOp::Not, _) => pool.not(term),
        (UnaryOp::Neg, Sort::BitVec(_)) => pool.bv_neg(term),
        (UnaryOp::Neg, Sort::Float(_)) => pool.float_neg(term),
        (UnaryOp::Neg, _) => pool.neg(term),
        (UnaryOp::BitNot, _) => pool.bv_not(term),
        (UnaryOp::Abs, _) => pool.float_unary(FloatFunction::Abs, term),
        (UnaryOp::Sqrt, _) => pool.float_unary(FloatFunction::Sqrt, term),
        (UnaryOp::Floor, _) => pool.float_unary(FloatFunction::Floor, term),
        (UnaryOp::Ceil, _) => pool.float_unary(FloatFunction::Ceil, term),
        (UnaryOp::Rint, _) => pool.float_unary(FloatFunction::Rint, term),
    };
    Value::from_term(pool, result, ty)
}

/// Applies an operator to two values of one type that are not both concrete, or whose result does not fit into 64 bits.
fn binary_term(pool: &mut Pool, op: BinaryOp, ty: Type, a: Value, b: Value) -> Value {
    let (x, y) = (a.to_term(pool, ty), b.to_term(pool, ty));
    let result = match sort_of(ty) {
        Sort::Bool => match op {
            BinaryOp::And => pool.and(x, y),
            BinaryOp::Or => pool.or(x, y),
            BinaryOp::Eq => pool.eq(x, y),
            _ => pool.xor(x, y),
        },
        Sort::Int => match op {
            BinaryOp::Add => pool.add(x, y),
            BinaryOp::Sub => pool.sub(x, y),
            BinaryOp::Mul => pool.mul(x, y),
            BinaryOp::Eq => pool.eq(x, y),
            BinaryOp::Ne => pool.ne(x, y),
            BinaryOp::Lt => pool.lt(x, y),
            BinaryOp::Le => pool.le(x, y),
            BinaryOp::Gt => pool.lt(y, x),
            _ => pool.le(y, x),
        },
        Sort::BitVec(width) => bit_vector(pool, op, ty, width, x, y),
        Sort::Float(_) => float(pool, op, x, y),
        Sort::Array(_) => pool.eq(x, y),
    };
    let result_type = if op.is_comparison() { Type::Bool } else { ty };
    Value::from_term(pool, result, result_type)
}

fn bit_vector(pool: &mut Pool, op: BinaryOp, ty: Type, width: u32, x: Term, y: Term) -> Term {
    let signed = matches!(ty, Type::Machine { signed: true, .. });
    let (less, less_equal) = if signed { (BvOrder::SLt, BvOrder::SLe) } else { (BvOrder::ULt, BvOrder::ULe) };
    let shift = |pool: &mut Pool, op: BvOp| {
        // The distance counts modulo the width, and may have another width.
        let distance = pool.resize(width, false, y);
        let mask = pool.bv(width, u128::from(width) - 1);
        let distance = pool.bv_binary(BvOp::And, distance, mask);
        pool.bv_binary(op, x, distance)
    };
    match op {
        BinaryOp::Add => pool.bv_binary(BvOp::Add, x, y),
        BinaryOp::Sub => pool.bv_sub(x, y),
        BinaryOp::Mul => pool.bv_binary(BvOp::Mul, x, y),
        BinaryOp::And => pool.bv_binary(BvOp::And, x, y),
        BinaryOp::Or => pool.bv_binary(BvOp::Or, x, y),
        BinaryOp::Xor => pool.bv_binary(BvOp::Xor, x, y),
        BinaryOp::Shl => shift(pool, BvOp::Shl),
        BinaryOp::ShrSigned => shift(pool, BvOp::AShr),
        BinaryOp::ShrUnsigned => shift(pool, BvOp::LShr),
        BinaryOp::Eq => pool.eq(x, y),
        BinaryOp::Ne => pool.ne(x, y),
        BinaryOp::Lt => pool.bv_compare(less, x, y),
        BinaryOp::Le => pool.bv_compare(less_equal, x, y),
        BinaryOp::Gt => pool.bv_compare(less, y, x),
        BinaryOp::Ge | BinaryOp::FloatDiv | BinaryOp::FloatRem => pool.bv_compare(less_equal, y, x),
    }
}

fn float(pool: &mut Pool, op: BinaryOp, x: Term, y: Term) -> Term {
    match op {
        BinaryOp::Add => pool.float_binary(FloatOp::Add, x, y),
        BinaryOp::Sub => pool.float_binary(FloatOp::Sub, x, y),
        BinaryOp::Mul => pool.float_binary(FloatOp::Mul, x, y),
        BinaryOp::FloatDiv => pool.float_binary(FloatOp::Div, x, y),
        BinaryOp::FloatRem => pool.float_binary(FloatOp::Rem, x, y),
        BinaryOp::Eq => pool.float_compare(FloatOrder::Eq, x, y),
        BinaryOp::Ne => {
            let equal = pool.float_compare(FloatOrder::Eq, x, y);
            pool.not(equal)
        }
        BinaryOp::Lt => pool.float_compare(FloatOrder::Lt, x, y),
        BinaryOp::Le => pool.float_compare(FloatOrder::Le, x, y),
        BinaryOp::Gt => pool.float_compare(FloatOrder::Lt, y, x),
        _ => pool.float_compare(FloatOrder::Le, y, x),
    }
}

/// Converts a number; see [`Expr::Convert`].
pub fn convert(pool: &mut Pool, from: Type, to: Type, value: Value) -> Value {
    if from == to || from.is_reference() {
        return value;
    }
    let from_signed = matches!(from, Type::Machine { signed: true, .. });
    if let Some(value) = number::convert(from, to, value) {
        return value;
    }
    if let (Value::Int(value), Type::Machine { .. }, Type::Machine { .. } | Type::Int) = (value, from, to) {
        // `Value::Int` represents every integer by itself, except unsigned 64-bit integers above the signed range.
        if !(value < 0 && !from_signed && to == Type::Int) {
            return Value::Int(number::wrap(value, to));
        }
    }
    let term = value.to_term(pool, from);
    let format = |ty: Type| if ty == Type::F32 { FloatFormat::F32 } else { FloatFormat::F64 };
    let result = match (from, to) {
        (Type::Machine { .. }, Type::Machine { width, .. }) => pool.resize(width.into(), from_signed, term),
        (Type::Machine { .. }, Type::Int) => pool.convert(Conversion::BvToInt { signed: from_signed }, term),
        (Type::Int, Type::Machine { width, .. }) => pool.convert(Conversion::IntToBv(width.into()), term),
        (Type::Machine { .. }, Type::F32 | Type::F64) => {
            pool.convert(Conversion::BvToFloat { signed: from_signed, format: format(to) }, term)
        }
        (Type::F32 | Type::F64, Type::F32 | Type::F64) => pool.convert(Conversion::FloatToFloat(format(to)), term),
        (Type::F32 | Type::F64, Type::Machine { width: 32, signed: false }) => float_to_u32(pool, term),
        (Type::F32 | Type::F64, Type::Machine { width: 64, signed: false }) => float_to_u64(pool, format(from), term),
        (Type::F32 | Type::F64, Type::Machine { width, .. }) => {
            // Conversions to narrow types go through 32 bits, as in Java.
            let through = if width > 32 { 64 } else { 32 };
            let whole = pool.convert(Conversion::FloatToBv(through), term);
            pool.resize(width.into(), true, whole)
        }
        // No term converts between unbounded integers and floats: if the value is not concrete, any result is possible.
        _ => match unbounded_and_float(pool, to, value) {
            Some(converted) => return converted,
            None => pool.fresh_var("conversion", sort_of(to)),
        },
    };
    Value::from_term(pool, result, to)
}

/// The unsupported construct if [`recast`] returns `None`.
pub const NARROW: &str = "an array index or a length that its type may be too narrow for";

/// The same number as a value of another integer type; `None` if that type may be too narrow.
pub fn recast(pool: &mut Pool, value: Value, from: Type, to: Type) -> Option<Value> {
    if from == to {
        return Some(value);
    }
    let converted = convert(pool, from, to, value);
    let is_signed = |ty: Type| !matches!(ty, Type::Machine { signed: false, .. });
    let is_exact = match (from, to, value, converted) {
        (_, Type::Int, ..) => true,
        (Type::Machine { width: a, .. }, Type::Machine { width: b, .. }, ..) if a < b => {
            is_signed(to) || !is_signed(from)
        }
        (.., Value::Int(a), Value::Int(b)) => a == b && (a >= 0 || is_signed(from) && is_signed(to)),
        _ => false,
    };
    is_exact.then_some(converted)
}

/// `a < b` for two signed integers of one type.
pub fn less(pool: &mut Pool, a: Value, b: Value, ty: Type) -> Value {
    if let (Value::Int(a), Value::Int(b)) = (a, b) {
        return Value::Bool(a < b);
    }
    let (a, b) = (a.to_term(pool, ty), b.to_term(pool, ty));
    let less = match sort_of(ty) {
        Sort::BitVec(_) => pool.bv_compare(BvOrder::SLt, a, b),
        _ => pool.lt(a, b),
    };
    Value::from_term(pool, less, Type::Bool)
}

/// Whether an integer of type `ty` equals a case of a switch.
pub fn is_case(pool: &mut Pool, value: Value, ty: Type, case: &BigInt) -> Term {
    let case = Integer::from(case);
    let case = match sort_of(ty) {
        Sort::BitVec(width) => pool.bv(width, case.to_bits(width)),
        _ => pool.integer(case),
    };
    let value = value.to_term(pool, ty);
    pool.eq(value, case)
}

/// The quotient or remainder of two integers of one type. The divisor is not zero.
pub fn divide(pool: &mut Pool, op: DivideOp, ty: Type, a: Value, b: Value) -> Value {
    if let (Value::Int(a), Value::Int(b)) = (a, b)
        && let Some(value) = number::divide(op, ty, a, b)
    {
        return value;
    }
    let (a, b) = (a.to_term(pool, ty), b.to_term(pool, ty));
    let term = match (ty, op) {
        (Type::Machine { signed: true, .. }, DivideOp::Div) => pool.bv_binary(BvOp::SDiv, a, b),
        (Type::Machine { signed: true, .. }, DivideOp::Rem) => pool.bv_binary(BvOp::SRem, a, b),
        (Type::Machine { .. }, DivideOp::Div) => pool.bv_binary(BvOp::UDiv, a, b),
        (Type::Machine { .. }, DivideOp::Rem) => pool.bv_binary(BvOp::URem, a, b),
        (_, DivideOp::Div) => pool.div_trunc(a, b),
        (_, DivideOp::Rem) => pool.rem_trunc(a, b),
    };
    Value::from_term(pool, term, ty)
}

/// Converts a float to an unsigned 32-bit integer: negative numbers and NaN become 0, large numbers the greatest value.
fn float_to_u32(pool: &mut Pool, float: Term) -> Term {
    let whole = pool.convert(Conversion::FloatToBv(64), float);
    let (zero, greatest) = (pool.bv(64, 0), pool.bv(64, u32::MAX.into()));
    let negative = pool.bv_compare(BvOrder::SLt, whole, zero);
    let large = pool.bv_compare(BvOrder::SLt, greatest, whole);
    let capped = pool.ite(large, greatest, whole);
    let capped = pool.ite(negative, zero, capped);
    pool.resize(32, false, capped)
}

/// Converts a float to an unsigned 64-bit integer in the same way. From 2^63 on, it converts the difference to 2^63,
/// which is exact there.
fn float_to_u64(pool: &mut Pool, format: FloatFormat, float: Term) -> Term {
    const HALF: f64 = (1u64 << 63) as f64;
    let half = match format {
        FloatFormat::F32 => pool.float(format, (HALF as f32).to_bits().into()),
        FloatFormat::F64 => pool.float(format, HALF.to_bits()),
    };
    let zero = pool.bv(64, 0);
    let below = pool.convert(Conversion::FloatToBv(64), float);
    let negative = pool.bv_compare(BvOrder::SLt, below, zero);
    let below = pool.ite(negative, zero, below);
    let rest = pool.float_binary(FloatOp::Sub, float, half);
    let rest = pool.convert(Conversion::FloatToBv(64), rest);
    let top = pool.bv(64, 1 << 63);
    let above = pool.bv_binary(BvOp::Add, rest, top);
    let is_above = pool.float_compare(FloatOrder::Le, half, float);
    pool.ite(is_above, above, below)
}

/// Converts a value between unbounded integers and floats, if the value is concrete and finite or NaN.
fn unbounded_and_float(pool: &mut Pool, to: Type, value: Value) -> Option<Value> {
    let integer = match value {
        Value::Int(value) => Some(BigInt::from(value)),
        Value::Term(term) => pool.as_int(term).map(Integer::to_big),
        _ => None,
    };
    match to {
        Type::F32 => Some(Value::F32(integer?.to_f32()?.to_bits())),
        Type::F64 => Some(Value::F64(integer?.to_f64()?.to_bits())),
        _ => {
            let float = match value {
                Value::F32(bits) => f64::from(f32::from_bits(bits)),
                Value::F64(bits) => f64::from_bits(bits),
                _ => return None,
            };
            let whole = if float.is_nan() { 0.into() } else { BigInt::from_f64(float)? };
            let term = pool.integer(Integer::from(&whole));
            Some(Value::from_term(pool, term, Type::Int))
        }
    }
}
