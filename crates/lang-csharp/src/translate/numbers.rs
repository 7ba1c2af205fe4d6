//! Translates arithmetic, comparisons and conversions of numbers (ECMA-335, III.1.5 f.).

use super::{Translated, Translator, malformed};
use crate::layout::{INT, LONG};
use crate::types::{Ty, TyId};
use aback_ir::{BinaryOp, Const, Dispatch, DivideOp, Expr, ExprId, OpKind, Type, UnaryOp};
use num_bigint::BigInt;
use std::sync::Arc;

/// A comparison of two numbers: its operator, and whether it is unsigned, or true for numbers that are not ordered.
#[derive(Clone, Copy)]
pub(super) struct Comparison {
    pub(super) op: BinaryOp,
    pub(super) is_un: bool,
}

/// Which overflow an operation traps on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Overflow {
    Wraps,
    Signed,
    Unsigned,
}

pub(super) fn unsigned(ty: Type) -> Type {
    match ty {
        Type::Machine { width, .. } => Type::Machine { width, signed: false },
        ty => ty,
    }
}

impl<'a> Translator<'a> {
    /// The type that the stack has for numbers of a type of the program model.
    pub(super) fn number_type(&self, ty: Type) -> TyId {
        self.cs.simple(match ty {
            Type::F32 => Ty::F32,
            Type::F64 => Ty::F64,
            Type::Bool => Ty::Bool,
            Type::Machine { width, signed } => Ty::Int { width, signed },
            _ => Ty::Int { width: 32, signed: true },
        })
    }

    pub(super) fn push_number(&mut self, value: ExprId) {
        let ty = self.number_type(self.body.expr_type(value));
        self.push_value(ty, value);
    }

    /// A number of one type as one of another, by the rules of `conv`.
    pub(super) fn convert(&mut self, value: ExprId, to: Type) -> ExprId {
        let from = self.body.expr_type(value);
        if from == to {
            return value;
        }
        // Widening and narrowing again gives the number itself.
        if let Expr::Convert { from: inner, to: middle, value: original } = *self.body.expr(value)
            && let (Type::Machine { width: a, .. }, Type::Machine { width: b, .. }, Type::Machine { width: c, .. }) =
                (inner, middle, to)
            && b >= a
            && c <= a
        {
            return self.convert(original, to);
        }
        if let (Expr::Const(Const::Int(known, _)), Type::Machine { width, signed }) = (self.body.expr(value), to) {
            let wrapped = wrap(known, width, signed);
            return self.expr(Expr::Const(Const::Int(wrapped, to)));
        }
        self.expr(Expr::Convert { from, to, value })
    }

    /// Pops two numbers and makes them of one type. An `int32` beside a native integer is extended by its sign, or by
    /// zeros if unsigned overflow counts.
    fn operands(&mut self, overflow: Overflow) -> Translated<(ExprId, ExprId, Type)> {
        let (right, right_ty) = self.pop_number()?;
        let (left, left_ty) = self.pop_number()?;
        Ok(match (left_ty, right_ty) {
            (a, b) if a == b => (left, right, a),
            (Type::F32, Type::F64) => (self.convert(left, Type::F64), right, Type::F64),
            (Type::F64, Type::F32) => (left, self.convert(right, Type::F64), Type::F64),
            (INT, LONG) => (self.extended(left, overflow), right, LONG),
            (LONG, INT) => (left, self.extended(right, overflow), LONG),
            _ => return malformed("an operation on values of different types"),
        })
    }

    /// An `int32` as an `int64`.
    fn extended(&mut self, value: ExprId, overflow: Overflow) -> ExprId {
        let value = if overflow == Overflow::Unsigned { self.convert(value, unsigned(INT)) } else { value };
        self.convert(value, LONG)
    }

    fn is_pointer(&self, entry: &super::Entry) -> bool {
        match entry {
            super::Entry::Pointer(..) | super::Entry::Null | super::Entry::Type(..) | super::Entry::Literal(_) => true,
            super::Entry::Value(_, leaves) => {
                leaves.first().is_some_and(|&leaf| self.body.expr_type(leaf).is_reference())
            }
            _ => false,
        }
    }

    /// Pops two values and compares them.
    pub(super) fn compare(&mut self, comparison: Comparison) -> Translated<ExprId> {
        let Comparison { op, is_un } = comparison;
        let count = self.stack.len();
        let references = self.stack.iter().skip(count.saturating_sub(2)).any(|entry| self.is_pointer(entry));
        if references {
            let right = self.pop()?;
            let left = self.pop()?;
            let pointers = [&left, &right].iter().any(|entry| match entry {
                super::Entry::Pointer(..) => true,
                super::Entry::Value(ty, _) => matches!(self.cs.ty(*ty), Ty::Ref(_) | Ty::Pointer(_)),
                _ => false,
            });
            if pointers {
                return self.compare_pointers(op, left, right);
            }
            let (right_ty, right) = self.value(right)?;
            let (left_ty, left) = self.value(left)?;
            let ty = Type::Class(self.cs.object_class());
            let (Some(&left), Some(&right)) = (left.first(), right.first()) else {
                return malformed("a comparison of nothing");
            };
            let may_be_strings =
                self.is_own_code() && [(left_ty, left), (right_ty, right)].iter().all(|&one| self.may_be_string(one));
            // The comparison of a reference with null for "greater" asks whether it is not null.
            let op = match op {
                BinaryOp::Eq => BinaryOp::Eq,
                BinaryOp::Ne | BinaryOp::Gt => BinaryOp::Ne,
                _ => return malformed("an order of references"),
            };
            let left = self.coerce_leaf(left, ty)?;
            let right = self.coerce_leaf(right, ty)?;
            if may_be_strings {
                let are_one = self.are_one(left, right)?;
                return Ok(if op == BinaryOp::Eq { are_one } else { self.not(are_one) });
            }
            return Ok(self.expr(Expr::Binary(op, ty, left, right)));
        }
        if let Some(known) = self.compare_bools(op)? {
            return Ok(known);
        }
        let (left, right, ty) = self.operands(Overflow::Wraps)?;
        if ty.is_float() && is_un && op != BinaryOp::Ne {
            // Unordered numbers fulfil it: it is the negation of the opposite.
            let opposite = match op {
                BinaryOp::Lt => BinaryOp::Ge,
                BinaryOp::Le => BinaryOp::Gt,
                BinaryOp::Gt => BinaryOp::Le,
                _ => BinaryOp::Lt,
            };
            let opposite = self.expr(Expr::Binary(opposite, ty, left, right));
            return Ok(self.not(opposite));
        }
        if is_un && ty.is_integer() && !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            let ty = unsigned(ty);
            let (left, right) = (self.convert(left, ty), self.convert(right, ty));
            return Ok(self.expr(Expr::Binary(op, ty, left, right)));
        }
        Ok(self.expr(Expr::Binary(op, ty, left, right)))
    }

    /// Whether two references that may be ones to strings refer to one object.
    pub(super) fn are_one(&mut self, left: ExprId, right: ExprId) -> Translated<ExprId> {
        self.cs.loader.note_identities();
        let (left, right) = (self.stable(left), self.stable(right));
        let model = crate::models::helper(self.cs, "System", "Identity", Arc::new([]), "AreOne");
        let method = self.cs.method(&model.ok_or("a comparison of strings by their identities")?);
        let args = vec![left, right];
        Ok(self.result(Type::Bool, |dst| OpKind::Call { dst: Some(dst), dispatch: Dispatch::Static, method, args }))
    }

    /// Whether a reference of a type may be one to a string.
    pub(super) fn may_be_string(&self, (ty, value): (TyId, ExprId)) -> bool {
        let string = Type::Class(self.cs.string_class());
        *self.body.expr(value) != Expr::Const(Const::Null)
            && self.cs.ir_type(ty).is_ok_and(|ty| self.cs.program.is_assignable(string, ty))
    }

    /// A comparison of truth values, if the two values on top of the stack are.
    fn compare_bools(&mut self, op: BinaryOp) -> Translated<Option<ExprId>> {
        if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            return Ok(None);
        }
        let [.., left, right] = &self.stack[..] else { return Ok(None) };
        let leaf = |entry: &super::Entry| match entry {
            super::Entry::Value(_, leaves) if leaves.len() == 1 => Some(leaves[0]),
            _ => None,
        };
        let (Some(left), Some(right)) = (leaf(left), leaf(right)) else { return Ok(None) };
        let is_bool = |value: ExprId| self.body.expr_type(value) == Type::Bool;
        if !is_bool(left) {
            return Ok(None);
        }
        if is_bool(right) {
            self.stack.truncate(self.stack.len() - 2);
            return Ok(Some(self.expr(Expr::Binary(op, Type::Bool, left, right))));
        }
        let Some(known @ (0 | 1)) = self.known_int(right) else { return Ok(None) };
        self.stack.truncate(self.stack.len() - 2);
        Ok(Some(match (op == BinaryOp::Eq) == (known == 1) {
            true => left,
            false => self.not(left),
        }))
    }

    pub(super) fn not(&mut self, value: ExprId) -> ExprId {
        match *self.body.expr(value) {
            Expr::Unary(UnaryOp::Not, _, inner) => inner,
            Expr::Const(Const::Bool(known)) => self.expr(Expr::Const(Const::Bool(!known))),
            _ => self.expr(Expr::Unary(UnaryOp::Not, Type::Bool, value)),
        }
    }

    /// Pops a value and tells whether it is not zero, false or null.
    pub(super) fn truth(&mut self) -> Translated<ExprId> {
        let entry = self.pop()?;
        if matches!(entry, super::Entry::Type(..) | super::Entry::Pointer(..)) {
            return Ok(self.expr(Expr::Const(Const::Bool(true))));
        }
        let (_, leaves) = self.value(entry)?;
        let [value] = leaves[..] else { return malformed("a struct as a condition") };
        Ok(match self.body.expr_type(value) {
            Type::Bool => value,
            ty if ty.is_reference() => {
                let object = Type::Class(self.cs.object_class());
                let value = self.coerce_leaf(value, object)?;
                let null = self.expr(Expr::Const(Const::Null));
                self.expr(Expr::Binary(BinaryOp::Ne, object, value, null))
            }
            _ => {
                let (value, ty) = self.as_number(value);
                if let Expr::Select(condition, then, other) = *self.body.expr(value)
                    && self.known_int(then) == Some(1)
                    && self.known_int(other) == Some(0)
                {
                    return Ok(condition);
                }
                let zero = self.default_leaf(ty);
                self.expr(Expr::Binary(BinaryOp::Ne, ty, value, zero))
            }
        })
    }

    /// Pops two numbers and pushes the result of an operator.
    pub(super) fn binary(&mut self, op: BinaryOp, overflow: Overflow) -> Translated<()> {
        if matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
            && let Some(value) = self.logical(op)
        {
            self.push_number(value);
            return Ok(());
        }
        let count = self.stack.len();
        if self.stack.iter().skip(count.saturating_sub(2)).any(|entry| self.is_pointer(entry)) {
            return self.pointer_arithmetic(op);
        }
        let (left, right, ty) = self.operands(overflow)?;
        if overflow != Overflow::Wraps {
            let value = self.checked(op, left, right, ty, overflow)?;
            self.push_number(value);
            return Ok(());
        }
        let value = self.expr(Expr::Binary(op, ty, left, right));
        self.push_number(value);
        Ok(())
    }

    /// An operator on two truth values.
    fn logical(&mut self, op: BinaryOp) -> Option<ExprId> {
        let [.., super::Entry::Value(_, left), super::Entry::Value(_, right)] = &self.stack[..] else { return None };
        let ([left], [right]) = (&left[..], &right[..]) else { return None };
        let (left, right) = (*left, *right);
        if self.body.expr_type(left) != Type::Bool || self.body.expr_type(right) != Type::Bool {
            return None;
        }
        self.stack.truncate(self.stack.len() - 2);
        Some(self.expr(Expr::Binary(op, Type::Bool, left, right)))
    }

    /// An operator that throws an exception if its exact result does not fit: it is computed with more bits.
    fn checked(
        &mut self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        ty: Type,
        overflow: Overflow,
    ) -> Translated<ExprId> {
        let Type::Machine { width, .. } = ty else { return malformed("overflow of a float") };
        let signed = overflow == Overflow::Signed;
        let own = Type::Machine { width, signed };
        let (left, right) = (self.convert(left, own), self.convert(right, own));
        let (left, right) = (self.stable(left), self.stable(right));
        let result = self.expr(Expr::Binary(op, own, left, right));
        let result = self.stable(result);
        let zero = self.constant(0, own);
        let fits = match (op, signed) {
            (BinaryOp::Add, false) => self.expr(Expr::Binary(BinaryOp::Ge, own, result, left)),
            (BinaryOp::Sub, false) => self.expr(Expr::Binary(BinaryOp::Ge, own, left, right)),
            (BinaryOp::Add | BinaryOp::Sub, true) => {
                // The result is less than the left operand exactly if the right one, or its negation, is negative.
                let less = self.expr(Expr::Binary(BinaryOp::Lt, own, result, left));
                let order = if op == BinaryOp::Add { BinaryOp::Lt } else { BinaryOp::Gt };
                let down = self.expr(Expr::Binary(order, own, right, zero));
                self.expr(Expr::Binary(BinaryOp::Eq, Type::Bool, less, down))
            }
            (_, _) if width <= 32 => {
                let wide = Type::Machine { width: 64, signed };
                let (a, b) = (self.convert(left, wide), self.convert(right, wide));
                let exact = self.expr(Expr::Binary(op, wide, a, b));
                let back = self.expr(Expr::Convert { from: own, to: wide, value: result });
                self.expr(Expr::Binary(BinaryOp::Eq, wide, exact, back))
            }
            (_, _) => return self.checked_long_product(left, right, own, signed),
        };
        self.require(fits, "OverflowException");
        Ok(self.back_to_stack(result))
    }

    /// A product of 64 bits that throws an exception if it does not fit: dividing it gives the operand back.
    fn checked_long_product(&mut self, left: ExprId, right: ExprId, ty: Type, signed: bool) -> Translated<ExprId> {
        let result = self.expr(Expr::Binary(BinaryOp::Mul, ty, left, right));
        let result = self.stable(result);
        let zero = self.constant(0, ty);
        let is_zero = self.expr(Expr::Binary(BinaryOp::Eq, ty, left, zero));
        let (trivial, test, join) = (self.new_block(), self.new_block(), self.new_block());
        self.end(aback_ir::TerminatorKind::Branch { condition: is_zero, then_block: trivial, else_block: test });
        self.block = trivial;
        self.end(aback_ir::TerminatorKind::Goto(join));
        self.block = test;
        if signed {
            // The least number divided by -1 wraps.
            let minus_one = self.constant(-1, ty);
            let least = self.constant(i64::MIN, ty);
            let negated = self.expr(Expr::Binary(BinaryOp::Eq, ty, left, minus_one));
            let is_least = self.expr(Expr::Binary(BinaryOp::Eq, ty, right, least));
            let both = self.expr(Expr::Binary(BinaryOp::And, Type::Bool, negated, is_least));
            let fits = self.not(both);
            self.require(fits, "OverflowException");
        }
        let quotient =
            self.result(ty, |dst| OpKind::Divide { dst, op: DivideOp::Div, dividend: result, divisor: left });
        let fits = self.expr(Expr::Binary(BinaryOp::Eq, ty, quotient, right));
        self.require(fits, "OverflowException");
        self.end(aback_ir::TerminatorKind::Goto(join));
        self.block = join;
        Ok(self.back_to_stack(result))
    }

    /// A number with the type that the stack has for it.
    fn back_to_stack(&mut self, value: ExprId) -> ExprId {
        self.as_number(value).0
    }

    /// Pops two numbers and pushes their quotient or remainder.
    pub(super) fn divide(&mut self, op: DivideOp, is_un: bool) -> Translated<()> {
        let (left, right, ty) = self.operands(Overflow::Wraps)?;
        // The distance of two pointers, as a number of elements.
        if let (DivideOp::Div, LONG, Some(size @ 1..)) = (op, ty, self.known_int(right))
            && let Expr::Binary(BinaryOp::Mul, _, count, factor) = *self.body.expr(left)
            && self.known_int(factor) == Some(size)
            && self.is_small(count)
        {
            self.push_number(count);
            return Ok(());
        }
        if ty.is_float() {
            let op = if op == DivideOp::Div { BinaryOp::FloatDiv } else { BinaryOp::FloatRem };
            let value = self.expr(Expr::Binary(op, ty, left, right));
            self.push_number(value);
            return Ok(());
        }
        let own = if is_un { unsigned(ty) } else { ty };
        let (left, right) = (self.convert(left, own), self.convert(right, own));
        let (left, right) = (self.stable(left), self.stable(right));
        let right = if op == DivideOp::Rem { self.merge_buckets(right, own) } else { right };
        let value = self.result(own, |dst| OpKind::Divide { dst, op, dividend: left, divisor: right });
        if !is_un && !matches!(self.known_int(right), Some(known) if known != -1) {
            let minus_one = self.constant(-1, own);
            let Type::Machine { width, .. } = own else { return malformed("a quotient of no numbers") };
            let least = self.constant(i64::MIN >> (64 - u32::from(width)), own);
            let negated = self.expr(Expr::Binary(BinaryOp::Eq, own, right, minus_one));
            let is_least = self.expr(Expr::Binary(BinaryOp::Eq, own, left, least));
            let both = self.expr(Expr::Binary(BinaryOp::And, Type::Bool, negated, is_least));
            let fits = self.not(both);
            self.require(fits, "OverflowException");
        }
        let value = self.back_to_stack(value);
        self.push_number(value);
        Ok(())
    }

    /// Pops a distance and a number and pushes the number, shifted.
    pub(super) fn shift(&mut self, op: BinaryOp) -> Translated<()> {
        let (distance, _) = self.pop_number()?;
        let (value, ty) = self.pop_number()?;
        let distance = self.convert(distance, ty);
        let value = self.expr(Expr::Binary(op, ty, value, distance));
        self.push_number(value);
        Ok(())
    }

    pub(super) fn unary(&mut self, op: UnaryOp) -> Translated<()> {
        let (value, ty) = self.pop_number()?;
        let value = self.expr(Expr::Unary(op, ty, value));
        self.push_number(value);
        Ok(())
    }

    /// Pops a number and pushes it as one of another type; `is_un` reads it as unsigned.
    pub(super) fn conversion(&mut self, to: Type, is_un: bool) -> Translated<()> {
        if let Some(super::Entry::Pointer(..) | super::Entry::Memory(_)) = self.stack.last() {
            return Ok(());
        }
        if let Some(super::Entry::Value(ty, _)) = self.stack.last()
            && matches!(self.cs.ty(*ty), Ty::Ref(_) | Ty::Pointer(_))
        {
            return Ok(());
        }
        let (value, from) = self.pop_number()?;
        let value = self.converted(value, from, to, is_un);
        self.push_number(value);
        Ok(())
    }

    fn converted(&mut self, value: ExprId, from: Type, to: Type, is_un: bool) -> ExprId {
        let value = if is_un { self.convert(value, unsigned(from)) } else { value };
        let Type::Machine { width, signed } = to else { return self.convert(value, to) };
        if from.is_float() && width < 32 {
            // Floats become integers of 32 bits, whose lower bits count.
            let middle = self.convert(value, INT);
            return self.convert(middle, to);
        }
        match self.body.expr_type(value) {
            // An integer that gets wider on the way to an unsigned type was unsigned.
            Type::Machine { width: own, .. } if !signed && width > own => {
                let value = self.convert(value, Type::Machine { width: own, signed: false });
                self.convert(value, to)
            }
            _ => self.convert(value, to),
        }
    }

    /// Pops a number and pushes it as an integer of another type; throws an exception if it does not fit.
    pub(super) fn checked_conversion(&mut self, to: Type, is_un: bool) -> Translated<()> {
        let (value, from) = self.pop_number()?;
        let Type::Machine { width, signed } = to else { return malformed("a conversion to no integer") };
        let bounds = range(width, signed);
        let value = if is_un { self.convert(value, unsigned(from)) } else { value };
        let value = self.stable(value);
        let own = self.body.expr_type(value);
        match own {
            Type::F32 | Type::F64 => {
                let wide = self.convert(value, Type::F64);
                // Towards zero: everything strictly between the bounds extended by one fits.
                let low = self.float(low_float(width, signed));
                let high = self.float(2f64.powi(i32::from(width) - i32::from(signed)));
                let low_op = if signed && width == 64 { BinaryOp::Ge } else { BinaryOp::Gt };
                let above = self.expr(Expr::Binary(low_op, Type::F64, wide, low));
                let below = self.expr(Expr::Binary(BinaryOp::Lt, Type::F64, wide, high));
                let fits = self.expr(Expr::Binary(BinaryOp::And, Type::Bool, above, below));
                self.require(fits, "OverflowException");
            }
            Type::Machine { width: own_width, signed: own_signed } => {
                let own_bounds = range(own_width, own_signed);
                if bounds.0 > own_bounds.0 {
                    let low = self.expr(Expr::Const(Const::Int(bounds.0.clone(), own)));
                    let fits = self.expr(Expr::Binary(BinaryOp::Ge, own, value, low));
                    self.require(fits, "OverflowException");
                }
                if bounds.1 < own_bounds.1 {
                    let high = self.expr(Expr::Const(Const::Int(bounds.1.clone(), own)));
                    let fits = self.expr(Expr::Binary(BinaryOp::Le, own, value, high));
                    self.require(fits, "OverflowException");
                }
            }
            _ => return malformed("a conversion of no number"),
        }
        let value = self.convert(value, to);
        self.push_number(value);
        Ok(())
    }

    /// Throws an exception unless the number on top of the stack is finite.
    pub(super) fn check_finite(&mut self) -> Translated<()> {
        let (value, ty) = self.pop_number()?;
        if !ty.is_float() {
            return malformed("a test of an integer for infinity");
        }
        let value = self.stable(value);
        // The difference is NaN for infinities, too.
        let difference = self.expr(Expr::Binary(BinaryOp::Sub, ty, value, value));
        let zero = self.default_leaf(ty);
        let is_finite = self.expr(Expr::Binary(BinaryOp::Eq, ty, difference, zero));
        self.require(is_finite, "OverflowException");
        self.push_number(value);
        Ok(())
    }

    pub(super) fn float(&mut self, value: f64) -> ExprId {
        self.expr(Expr::Const(Const::F64(value.to_bits())))
    }
}

/// The greatest float below all numbers that fit: the least number minus one where floats have it.
fn low_float(width: u8, signed: bool) -> f64 {
    match (signed, width) {
        (false, _) => -1.0,
        (true, 64) => -(2f64.powi(63)),
        (true, width) => -(2f64.powi(i32::from(width) - 1)) - 1.0,
    }
}

fn range(width: u8, signed: bool) -> (BigInt, BigInt) {
    let one = BigInt::from(1);
    match signed {
        true => (-(one.clone() << (width - 1)), (one.clone() << (width - 1)) - one),
        false => (BigInt::from(0), (one.clone() << width) - one),
    }
}

/// An integer modulo a power of two.
fn wrap(value: &BigInt, width: u8, signed: bool) -> BigInt {
    let modulus = BigInt::from(1) << width;
    let rest = ((value % &modulus) + &modulus) % &modulus;
    match signed && rest >= BigInt::from(1) << (width - 1) {
        true => rest - modulus,
        false => rest,
    }
}
