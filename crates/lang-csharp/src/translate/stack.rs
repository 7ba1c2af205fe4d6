//! Tracks the values on the operand stack.

use super::places::Place;
use super::{Translated, Translator, malformed};
use crate::layout::{INT, LONG};
use crate::members::MethodKey;
use crate::types::{Ty, TyId};
use aback_ir::{Const, Expr, ExprId, LocalId, OpKind, Type};
use smallvec::{SmallVec, smallvec};

/// The leaves of a value.
pub(super) type Leaves = SmallVec<[ExprId; 1]>;

/// An entry of the operand stack.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    /// A value of a type, by its leaves.
    Value(TyId, Leaves),
    /// The null reference.
    Null,
    /// The string of a literal, by its code units. It is made where it is used.
    Literal(Vec<u16>),
    /// A managed pointer to a place for values of a type.
    Pointer(Place, TyId),
    /// A pointer to a method, and whether the class of an object has the last word on which method it is.
    Function(MethodKey, bool),
    /// A call that makes an object, with the receiver and the arguments. It is made where the object is used.
    Deferred(MethodKey, Vec<Entry>),
    /// A type, as a handle or as an object.
    Type(TyId),
    /// New memory on the stack, by its number of bytes, until its use tells what it is for.
    Memory(ExprId),
    /// The handle of a field, by the bytes of its initial value.
    FieldData(aback_cil::Token),
}

impl<'a> Translator<'a> {
    pub(super) fn push(&mut self, entry: Entry) {
        self.stack.push(entry);
    }

    pub(super) fn push_value(&mut self, ty: TyId, value: ExprId) {
        self.stack.push(Entry::Value(ty, smallvec![value]));
    }

    pub(super) fn pop(&mut self) -> Translated<Entry> {
        self.stack.pop().map_or_else(|| malformed("an empty stack"), Ok)
    }

    /// Adds an expression.
    pub(super) fn expr(&mut self, expr: Expr) -> ExprId {
        let stable = match &expr {
            Expr::Local(local) => self.is_temporary.get(local.index()).copied().unwrap_or(false),
            expr => expr.operands().all(|operand| self.is_stable[operand.index()]),
        };
        self.is_stable.push(stable);
        self.body.add_expr(expr)
    }

    pub(super) fn local(&mut self, local: LocalId) -> ExprId {
        self.expr(Expr::Local(local))
    }

    pub(super) fn int(&mut self, value: i64) -> ExprId {
        self.constant(value, INT)
    }

    pub(super) fn constant(&mut self, value: i64, ty: Type) -> ExprId {
        self.expr(Expr::Const(Const::Int(value.into(), ty)))
    }

    /// A new local that is assigned once.
    pub(super) fn temporary(&mut self, ty: Type) -> LocalId {
        let local = self.body.add_temp(ty);
        self.is_temporary.resize(local.index() + 1, false);
        self.is_temporary[local.index()] = true;
        local
    }

    /// A new local that may be assigned several times.
    pub(super) fn variable_local(&mut self, name: Option<String>, ty: Type) -> LocalId {
        let local = match name {
            Some(name) => self.body.add_local(name, ty),
            None => self.body.add_temp(ty),
        };
        self.is_temporary.resize(local.index() + 1, false);
        local
    }

    /// The same value, in an expression that no later assignment changes.
    pub(super) fn stable(&mut self, value: ExprId) -> ExprId {
        if self.is_stable[value.index()] {
            return value;
        }
        let ty = self.body.expr_type(value);
        self.result(ty, |dst| OpKind::Assign { dst, value })
    }

    /// Stores the values on the stack that an assignment of a variable could change.
    pub(super) fn stabilize_stack(&mut self) {
        for index in 0..self.stack.len() {
            let mut entry = self.stack[index].clone();
            match &mut entry {
                Entry::Value(_, leaves) => {
                    for leaf in leaves.iter_mut() {
                        *leaf = self.stable(*leaf);
                    }
                }
                _ => continue,
            }
            self.stack[index] = entry;
        }
    }

    /// The type and the leaves of an entry.
    pub(super) fn value(&mut self, entry: Entry) -> Translated<(TyId, Leaves)> {
        match entry {
            Entry::Value(ty, leaves) => Ok((ty, leaves)),
            Entry::Null => {
                let object = self.cs.library("System", "Object")?;
                let null = self.expr(Expr::Const(Const::Null));
                Ok((object, smallvec![null]))
            }
            Entry::Literal(units) => {
                let string = self.string_literal(units);
                Ok((self.cs.library("System", "String")?, smallvec![string]))
            }
            Entry::Pointer(place, ty) => {
                let pointer = self.materialize(&place, ty)?;
                let of = self.cs.intern(Ty::Ref(ty))?;
                Ok((of, smallvec![pointer]))
            }
            Entry::Deferred(key, given) => self.undefer(&key, given),
            Entry::Function(..) => Err("a pointer to a method that is more than the method of a delegate".into()),
            Entry::Type(ty) => {
                let object = self.type_object(ty)?;
                let class = self.cs.library("System", "Type")?;
                Ok((class, smallvec![object]))
            }
            Entry::FieldData(_) => Err("the handle of a field".into()),
            Entry::Memory(_) => Err("memory on the stack whose use is not known".into()),
        }
    }

    /// Pops a value.
    pub(super) fn pop_value(&mut self) -> Translated<(TyId, Leaves)> {
        let entry = self.pop()?;
        self.value(entry)
    }

    /// Pops a value with one leaf.
    pub(super) fn pop_scalar(&mut self) -> Translated<(TyId, ExprId)> {
        let (ty, leaves) = self.pop_value()?;
        match leaves[..] {
            [leaf] => Ok((ty, leaf)),
            _ => malformed("a struct instead of a number or a reference"),
        }
    }

    /// Pops a reference.
    pub(super) fn pop_reference(&mut self) -> Translated<(TyId, ExprId)> {
        let (ty, value) = self.pop_scalar()?;
        match self.body.expr_type(value).is_reference() {
            true => Ok((ty, value)),
            false => malformed("a number instead of a reference"),
        }
    }

    /// Pops a number, as an integer of 32 bits if it has at most as many.
    pub(super) fn pop_number(&mut self) -> Translated<(ExprId, Type)> {
        let (_, value) = self.pop_scalar()?;
        if self.body.expr_type(value).is_reference() {
            return malformed("a reference instead of a number");
        }
        Ok(self.as_number(value))
    }

    /// A number on the stack: smaller integers have 32 bits.
    pub(super) fn as_number(&mut self, value: ExprId) -> (ExprId, Type) {
        match self.body.expr_type(value) {
            Type::Bool => {
                let (one, zero) = (self.int(1), self.int(0));
                (self.expr(Expr::Select(value, one, zero)), INT)
            }
            from @ Type::Machine { width, .. }
                if width < 32 || from == (Type::Machine { width: 32, signed: false }) =>
            {
                (self.expr(Expr::Convert { from, to: INT, value }), INT)
            }
            from @ Type::Machine { width: 64, signed: false } => {
                (self.expr(Expr::Convert { from, to: LONG, value }), LONG)
            }
            ty => (value, ty),
        }
    }

    /// The leaves of an entry as those of a value of a type, where the stack has its own types for both.
    pub(super) fn coerce(&mut self, entry: Entry, to: TyId) -> Translated<Leaves> {
        if let (Entry::Pointer(place, of), Ty::Ref(target) | Ty::Pointer(target)) = (&entry, self.cs.ty(to)) {
            let pointer = self.materialize(place, *of)?;
            self.refuse_other_target(pointer, *of, *target)?;
            return Ok(smallvec![pointer]);
        }
        if let (Entry::Memory(bytes), &Ty::Pointer(of)) = (&entry, self.cs.ty(to)) {
            return Ok(smallvec![self.memory(*bytes, of)?]);
        }
        let (from, leaves) = self.value(entry)?;
        let wanted = self.cs.leaves(to)?;
        if leaves.len() != wanted.len() {
            return malformed("a value of another type");
        }
        if let (&(Ty::Ref(of) | Ty::Pointer(of)), &(Ty::Ref(target) | Ty::Pointer(target))) =
            (self.cs.ty(from), self.cs.ty(to))
        {
            self.refuse_other_target(leaves[0], of, target)?;
        }
        leaves.into_iter().zip(wanted.iter()).map(|(leaf, wanted)| self.coerce_leaf(leaf, wanted.ty)).collect()
    }

    /// Ends the executions in which a pointer that is not null is used as one to values with other parts.
    fn refuse_other_target(&mut self, pointer: ExprId, of: TyId, target: TyId) -> Translated<()> {
        let is_known = |ty: TyId| *self.cs.ty(ty) != Ty::Void;
        if !is_known(of) || !is_known(target) || self.cs.shape(of)? == self.cs.shape(target)? {
            return Ok(());
        }
        let null = self.expr(Expr::Const(Const::Null));
        let is_null = self.expr(Expr::Binary(aback_ir::BinaryOp::Eq, self.body.expr_type(pointer), pointer, null));
        let what = format!("a {} that is used as a {}", self.ty_name(of), self.ty_name(target));
        self.unless_refused(is_null, &what);
        Ok(())
    }

    /// A leaf as one of another type of the same kind.
    pub(super) fn coerce_leaf(&mut self, value: ExprId, to: Type) -> Translated<ExprId> {
        let from = self.body.expr_type(value);
        if from == to {
            return Ok(value);
        }
        Ok(match (from, to) {
            (Type::Bool, _) if to.is_integer() => {
                let (value, from) = self.as_number(value);
                if from == to { value } else { self.expr(Expr::Convert { from, to, value }) }
            }
            (Type::Machine { .. }, Type::Bool) => {
                if let Some(known @ (0 | 1)) = self.known_int(value) {
                    return Ok(self.expr(Expr::Const(Const::Bool(known == 1))));
                }
                let is_truth = self.is_truth(value, 0);
                let value = if is_truth { value } else { self.stable(value) };
                let zero = self.constant(0, from);
                let is_true = self.expr(Expr::Binary(aback_ir::BinaryOp::Ne, from, value, zero));
                if !is_truth {
                    // Truth values of the program model do not keep the number.
                    let one = self.constant(1, from);
                    let is_one = self.expr(Expr::Binary(aback_ir::BinaryOp::Eq, from, value, one));
                    let is_false = self.not(is_true);
                    let is_known = self.expr(Expr::Binary(aback_ir::BinaryOp::Or, Type::Bool, is_one, is_false));
                    let what = self.located("a truth value that is neither 0 nor 1".into());
                    self.unless_refused(is_known, &what);
                }
                is_true
            }
            _ if from.is_integer() && to.is_integer() || from.is_float() && to.is_float() => {
                self.expr(Expr::Convert { from, to, value })
            }
            (Type::Null, _) if to.is_reference() => value,
            // A null pointer.
            _ if to.is_reference() && self.known_int(value) == Some(0) => self.default_leaf(to),
            _ if from.is_reference() && to.is_reference() => self.expr(Expr::Convert { from, to, value }),
            _ => return malformed("a value of another type"),
        })
    }

    /// Whether a number is 0 or 1 because it comes from truth values, as far as a few operators tell.
    fn is_truth(&mut self, value: ExprId, depth: u32) -> bool {
        use aback_ir::BinaryOp::{And, Or, Xor};
        match *self.body.expr(value) {
            Expr::Const(_) => matches!(self.known_int(value), Some(0 | 1)),
            Expr::Local(local) if self.truth_slots.contains_key(&local) => {
                self.trusted.insert(local);
                true
            }
            Expr::Select(_, a, b) | Expr::Binary(And | Or | Xor, _, a, b) if depth < 5 => {
                self.is_truth(a, depth + 1) && self.is_truth(b, depth + 1)
            }
            Expr::Convert { value, .. } if depth < 5 => self.is_truth(value, depth + 1),
            _ => self.body.expr_type(value) == Type::Bool,
        }
    }

    /// The value of an integer constant.
    pub(super) fn known_int(&self, value: ExprId) -> Option<i64> {
        match self.body.expr(value) {
            Expr::Const(Const::Int(value, _)) => i64::try_from(value).ok(),
            Expr::Const(Const::Bool(value)) => Some(i64::from(*value)),
            _ => None,
        }
    }

    /// The block at an instruction, for a jump with the values that are on the stack now.
    pub(super) fn jump(&mut self, index: usize) -> Translated<aback_ir::BlockId> {
        let block = self.block_at(index)?;
        if self.stack.is_empty() {
            self.enter(index, Vec::new())?;
            return Ok(block);
        }
        let known = self.blocks.get(&index).and_then(|target| target.stack.clone());
        let stack = std::mem::take(&mut self.stack);
        let target = match known {
            Some(target) => target,
            None => {
                let mut places = stack.iter().map(|entry| self.slot_for(entry)).collect::<Translated<Vec<Entry>>>()?;
                for (depth, slot) in places.iter_mut().enumerate() {
                    if let Some(&pointer) = self.pointer_slots.get(&(index, depth)) {
                        let local = self.variable_local(None, self.cs.ir_type(pointer)?);
                        *slot = Entry::Value(pointer, smallvec![self.local(local)]);
                    }
                }
                for (depth, slot) in places.iter().enumerate() {
                    if let Entry::Value(_, slots) = slot
                        && let [slot] = slots[..]
                        && let Expr::Local(local) = *self.body.expr(slot)
                        && !self.number_slots.contains(&(index, depth))
                    {
                        self.truth_slots.insert(local, (index, depth));
                    }
                }
                self.enter(index, places.clone())?;
                places
            }
        };
        if target.len() != stack.len() {
            return malformed("stacks of different heights");
        }
        // All values are computed before a slot changes, because they may use the old contents of slots.
        let mut moves = Vec::new();
        for (depth, (entry, slot)) in stack.iter().zip(&target).enumerate() {
            let Entry::Value(_, slots) = slot else { continue };
            let (of, leaves) = self.value(entry.clone())?;
            if let ([leaf], [slot]) = (&leaves[..], &slots[..])
                && self.body.expr_type(*leaf).is_reference()
                && self.body.expr_type(*slot) == LONG
                && matches!(self.cs.ty(of), Ty::Ref(_) | Ty::Pointer(_))
            {
                self.is_incomplete |= self.pointer_slots.insert((index, depth), of).is_none();
                continue;
            }
            if leaves.len() != slots.len() {
                return malformed("values of different types on the stack");
            }
            for (leaf, &slot) in leaves.into_iter().zip(slots) {
                let Expr::Local(dst) = *self.body.expr(slot) else { continue };
                if !self.is_truth(leaf, 0)
                    && let Some(place) = self.truth_slots.remove(&dst)
                {
                    self.number_slots.insert(place);
                    self.is_incomplete |= self.trusted.contains(&dst);
                }
                let value = self.coerce_leaf(leaf, self.body.local(dst).ty)?;
                let value = if stack.len() > 1 { self.stable(value) } else { value };
                moves.push((dst, value));
            }
        }
        for (dst, value) in moves {
            self.op(OpKind::Assign { dst, value });
        }
        self.stack = stack;
        Ok(block)
    }

    /// Locals for an entry where several jumps meet. What one jump knows of it does not hold for the others.
    fn slot_for(&mut self, entry: &Entry) -> Translated<Entry> {
        let (ty, leaves) = self.value(entry.clone())?;
        let object = self.cs.object_class();
        let is_struct = leaves.len() != 1;
        let slots = leaves
            .iter()
            .map(|&leaf| {
                let ty = match self.body.expr_type(leaf) {
                    ty if is_struct => ty,
                    ty if ty.is_reference() => Type::Class(object),
                    Type::Bool => INT,
                    Type::Machine { width, .. } if width <= 32 => INT,
                    Type::Machine { .. } => LONG,
                    ty => ty,
                };
                let local = self.variable_local(None, ty);
                self.local(local)
            })
            .collect();
        Ok(Entry::Value(ty, slots))
    }
}
