//! What several calls need whose meaning the translator knows.

use super::{Assertion, full_name};
use crate::members::MethodRef;
use crate::synthetic::{self};
use crate::translate::places::Place;
use crate::translate::stack::Entry;
use crate::translate::{Translated, Translator, malformed};
use crate::types::{Ty, TyId};
use aback_cil::Operand;
use aback_ir::{AssertKind, BinaryOp, Const, Expr, ExprId, OpKind, TerminatorKind, Type};

impl Translator<'_> {
    pub(super) fn push_bool(&mut self, value: ExprId) {
        let bool = self.cs.simple(Ty::Bool);
        self.push_value(bool, value);
    }

    pub(super) fn push_known(&mut self, value: bool) {
        let value = self.expr(Expr::Const(Const::Bool(value)));
        self.push_bool(value);
    }

    /// Pops an object that may not be null.
    pub(super) fn require_object(&mut self) -> Translated<()> {
        let (_, object) = self.pop_reference()?;
        let is_there = self.is_there(object)?;
        self.require(is_there, "ArgumentNullException");
        Ok(())
    }

    /// Whether `Monitor.Exit` in this method gives back a lock that the method has taken: the compiler makes one call of
    /// `Enter` with two arguments, and one of `Exit`, for each `lock` statement. It moves that of an iterator into a
    /// method of the iterator's class. Locks are not counted, so that other code may not see that it has none.
    pub(super) fn is_in_lock_statement(&self) -> bool {
        let class = full_name(self.cs, self.key).map(|(class, _)| class).unwrap_or_default();
        if !self.is_own_code() || class.rsplit('.').next().is_some_and(|name| name.starts_with('<')) {
            return true;
        }
        let called = self.code.instructions.iter().filter_map(|instruction| {
            let Operand::Token(token) = instruction.operand else { return None };
            let Ok(MethodRef::Declared(key)) = self.cs.method_token(self.assembly, token, &self.generics) else {
                return None;
            };
            let (class, name) = full_name(self.cs, &key)?;
            let count = self.cs.signature(&key).ok()?.params.len();
            (class == "System.Threading.Monitor").then_some((name, count))
        });
        let called: Vec<(String, usize)> = called.collect();
        let count = |name: &str, params: usize| called.iter().filter(|one| **one == (name.into(), params)).count();
        count("Enter", 2) == count("Exit", 1)
    }

    /// An assertion, which execution passes even if it is false.
    pub(super) fn assertion(&mut self, kind: Assertion, count: usize) -> Translated<()> {
        let has_condition = matches!(kind, Assertion::Assert | Assertion::Assume);
        for _ in usize::from(has_condition)..count {
            self.pop()?;
        }
        match kind {
            Assertion::Assert => {
                let condition = self.truth()?;
                self.op(OpKind::Assert { condition, kind: AssertKind::Check });
            }
            Assertion::Assume => {
                let condition = self.truth()?;
                self.op(OpKind::Assume { condition });
            }
            Assertion::Fail => {
                let condition = self.expr(Expr::Const(Const::Bool(false)));
                self.op(OpKind::Assert { condition, kind: AssertKind::Check });
            }
            // So that the line has code.
            Assertion::Write => {
                let condition = self.expr(Expr::Const(Const::Bool(true)));
                self.op(OpKind::Assume { condition });
            }
        }
        Ok(())
    }

    pub(super) fn bits(&mut self, from: Type, to: Type) -> Translated<()> {
        let (value, own) = self.pop_number()?;
        if own != from {
            return malformed("bits of another type");
        }
        let value = self.as_bits(value, from, to);
        self.push_number(value);
        Ok(())
    }

    /// Pops a pointer and pushes it as one to values of another type with the same parts.
    pub(super) fn reinterpret(&mut self, from: TyId, to: TyId) -> Translated<()> {
        let entry = self.pop()?;
        if let Some((element, length)) = self.inline_array(from).filter(|&(element, _)| element == to) {
            let (place, _) = self.pointed(entry)?;
            let first = self.inline_element(&place, element, length)?;
            self.push(Entry::Pointer(first, element));
            return Ok(());
        }
        if self.cs.shape(from)? != self.cs.shape(to)? {
            return Err(format!("a {} that is used as a {}", self.ty_name(from), self.ty_name(to)));
        }
        let entry = match entry {
            Entry::Pointer(place, _) => Entry::Pointer(place, to),
            entry => {
                let (_, leaves) = self.value(entry)?;
                Entry::Value(self.cs.intern(Ty::Ref(to))?, leaves)
            }
        };
        self.push(entry);
        Ok(())
    }

    /// The bits of a value as a value of another type. Floats have one NaN only, so that its bits are not known.
    pub(super) fn as_bits(&mut self, value: ExprId, from: Type, to: Type) -> ExprId {
        let value = self.stable(value);
        if from.is_float() && to.is_integer() {
            let is_number = self.expr(Expr::Binary(BinaryOp::Eq, from, value, value));
            self.unless_refused(is_number, "the bits of a NaN");
        }
        self.expr(Expr::Bits { from, to, value })
    }

    /// Adds a number to the one in a place, and pushes the new or the old one.
    pub(super) fn add_to_place(&mut self, entry: Entry, amount: ExprId, is_new: bool) -> Translated<()> {
        let (place, ty) = self.pointed(entry)?;
        let old = self.read(&place, ty)?;
        let [old] = old[..] else { return malformed("a sum of structs") };
        let old = self.stable(old);
        let of = self.body.expr_type(old);
        let amount = self.convert(amount, of);
        let sum = self.expr(Expr::Binary(BinaryOp::Add, of, old, amount));
        let sum = self.stable(sum);
        self.write(&place, &[sum])?;
        self.push_value(ty, if is_new { sum } else { old });
        Ok(())
    }

    pub(super) fn compare_exchange(&mut self, params: &[TyId]) -> Translated<()> {
        let comparand = self.pop()?;
        let value = self.pop()?;
        let entry = self.pop()?;
        let (place, _) = self.pointed(entry)?;
        let ty = params[1];
        let old = self.read(&place, ty)?;
        let [old] = old[..] else { return Err("an exchange of a struct".into()) };
        let old = self.stable(old);
        let comparand = self.coerce(comparand, ty)?[0];
        let value = self.coerce(value, ty)?[0];
        let of = self.body.expr_type(old);
        let same = self.expr(Expr::Binary(BinaryOp::Eq, of, old, comparand));
        let (then_block, join) = (self.new_block(), self.new_block());
        self.end(TerminatorKind::Branch { condition: same, then_block, else_block: join });
        self.block = then_block;
        self.write(&place, &[value])?;
        self.end(TerminatorKind::Goto(join));
        self.block = join;
        self.push_value(ty, old);
        Ok(())
    }

    /// A pointer to constant data in an assembly: the first element of an array that is made once.
    pub(super) fn data(&mut self, field: aback_cil::Token, element: TyId) -> Translated<ExprId> {
        let size = self.size_of(element)?.max(1) as usize;
        let bytes = self.initial_size(field)?.ok_or("an initial value of unknown size")?;
        let data = self.cs.assembly(self.assembly).field_data(field.row()).ok_or("a field without an initial value")?;
        let of = self.cs.element_type(element)?;
        let values = data.chunks_exact(size).take(bytes / size);
        let values = values.map(|bytes| bytes.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte)));
        let made = synthetic::literals::data(self.cs, self.assembly, field, of, values.collect());
        let ty = self.cs.intern(Ty::Array(element))?;
        let array = self.load_made(made);
        let index = self.int(0);
        self.materialize(&Place::Element { array, index, ty, element, first: 0, count: 1 }, element)
    }

    /// Pushes the comparer that the library uses for values of a type.
    pub(super) fn default_comparer(&mut self, ty: TyId, is_order: bool) -> Translated<()> {
        let comparer = crate::collections::default_comparer(self.cs, ty, is_order)?;
        self.create_instance(Some(comparer))
    }

    /// Pushes a new object, made by the constructor without parameters.
    pub(super) fn create_instance(&mut self, ty: Option<TyId>) -> Translated<()> {
        let ty = ty.ok_or("a missing type argument")?;
        let Some(key) = self.cs.method_named(ty, ".ctor", 0) else {
            if self.cs.is_value(ty) {
                let leaves = self.default_leaves(ty)?;
                self.push_leaves(ty, leaves);
                return Ok(());
            }
            return Err(format!("a new {}, which has no constructor without parameters", self.ty_name(ty)));
        };
        self.construct(&key)
    }
}
