//! Represents JVM locals by typed locals.

use super::{Result, Translator, malformed};
use crate::types::{BYTE, INT, OBJECT, SHORT, field_type, stack_type};
use aback_ir::{BinaryOp, BlockId, Const, Expr, ExprId, LocalId, OpKind, Type};
use cafebabe::attributes::LocalVariableEntry;

impl<'a> Translator<'a> {
    /// The source variable that a JVM local represents at an offset, if known.
    pub(super) fn variable_at(&self, slot: u16, pc: usize) -> Option<&'a LocalVariableEntry<'a>> {
        self.variables.get(&slot)?.iter().copied().find(|variable| {
            let start = usize::from(variable.start_pc);
            start <= pc && pc < start + usize::from(variable.length)
        })
    }

    /// The declared type of a source variable.
    pub(super) fn declared(&self, variable: &LocalVariableEntry<'a>) -> Option<Type> {
        field_type(self.java.program, &variable.descriptor.to_string())
    }

    /// The local that represents a JVM local with a value of stack type `ty` at an offset.
    pub(super) fn variable(&mut self, slot: u16, pc: usize, ty: Type) -> LocalId {
        let source = self.variable_at(slot, pc).and_then(|variable| Some((variable, self.declared(variable)?)));
        let fits = |declared: Type| stack_type(declared) == ty || (declared.is_reference() && ty.is_reference());
        let (ty, name): (Type, &'a str) = match source {
            Some((variable, declared)) if fits(declared) => (declared, &variable.name),
            _ => (ty, ""),
        };
        if let Some(&known) = self.locals.get(&(slot, ty, name)) {
            return known;
        }
        let object = self.java.class_type(OBJECT);
        let local = match name {
            "" => self.body.add_temp(if ty == Type::Null { object } else { ty }),
            _ => self.body.add_local(name, ty),
        };
        if ty == Type::Null {
            self.nulls.insert(local);
        }
        self.note_place(local);
        self.is_place[local.index()] = false;
        self.locals.insert((slot, ty, name), local);
        local
    }

    pub(super) fn load(&mut self, slot: u16) -> Result<()> {
        match self.frame.locals.get(usize::from(slot)).copied().flatten() {
            Some(local) => {
                self.push_local(local);
                Ok(())
            }
            None => malformed("a local without a value is read"),
        }
    }

    /// Stores the top of the stack into a JVM local.
    pub(super) fn store(&mut self, slot: u16, next_pc: usize) -> Result<()> {
        let entry = self.pop()?;
        let ty = if self.is_null(&entry) { Type::Null } else { entry.ty };
        let local = self.variable(slot, next_pc, ty);
        self.save_readers(local);
        if !self.retarget(entry.expr, local) {
            let ty = self.body.local(local).ty;
            let value = self.narrow(entry.expr, ty);
            self.emit(OpKind::Assign { dst: local, value });
        }
        let Some(place) = self.frame.locals.get_mut(usize::from(slot)) else {
            return malformed("a local beyond the frame");
        };
        *place = Some(local);
        self.sync_handlers(slot);
        Ok(())
    }

    /// Makes the operation that has just computed `value` write to `local` directly, if this is equivalent.
    fn retarget(&mut self, value: ExprId, local: LocalId) -> bool {
        let target = self.body.local(local).ty;
        let Expr::Local(place) = *self.body.expr(value) else { return false };
        let is_free = self.is_place[place.index()] && self.body.local(place).ty == target;
        if !is_free || self.frame.stack.iter().any(|entry| self.mentions(entry.expr, place)) {
            return false;
        }
        match self.body.block_mut(self.block).ops.last_mut() {
            Some(op) if op.kind.dst() == Some(place) => {
                op.kind.set_dst(local);
                true
            }
            _ => false,
        }
    }

    /// Adds a constant to a JVM local.
    pub(super) fn increment(&mut self, slot: u16, by: i16, next_pc: usize) -> Result<()> {
        self.load(slot)?;
        let value = self.pop_expr()?;
        let by = self.int(i32::from(by));
        self.exclude_overflow(BinaryOp::Add, INT, value, by);
        let sum = self.binary_expr(BinaryOp::Add, INT, value, by);
        self.push(sum, INT);
        self.store(slot, next_pc)
    }

    // ---- small integers -------------------------------------------------------------------------------------

    /// The stack representation of a value of any type.
    pub(super) fn widen(&mut self, value: ExprId, ty: Type) -> (ExprId, Type) {
        match ty {
            Type::Bool => {
                if let Expr::Const(Const::Bool(value)) = *self.body.expr(value) {
                    return (self.int(i32::from(value)), INT);
                }
                let (one, zero) = (self.int(1), self.int(0));
                (self.expr(Expr::Select(value, one, zero)), INT)
            }
            Type::Machine { width: 8 | 16, .. } => (self.expr(Expr::Convert { from: ty, to: INT, value }), INT),
            _ => (value, ty),
        }
    }

    /// Converts a value from the stack to a type.
    pub(super) fn narrow(&mut self, value: ExprId, ty: Type) -> ExprId {
        match ty {
            Type::Bool => self.truth(value),
            Type::Machine { width: 8 | 16, .. } => match *self.body.expr(value) {
                // The value was widened from exactly this type.
                Expr::Convert { from, value, .. } if from == ty => value,
                Expr::Const(Const::Int(ref number, INT)) => {
                    let bits = number.iter_u64_digits().next().unwrap_or(0) as i64;
                    let bits = if number.sign() == num_bigint::Sign::Minus { bits.wrapping_neg() } else { bits };
                    let small = match ty {
                        BYTE => i64::from(bits as i8),
                        SHORT => i64::from(bits as i16),
                        _ => i64::from(bits as u16),
                    };
                    self.constant(small, ty)
                }
                _ => self.expr(Expr::Convert { from: INT, to: ty, value }),
            },
            _ => value,
        }
    }

    /// Whether an `int` that represents a truth value is 1.
    pub(super) fn truth(&mut self, value: ExprId) -> ExprId {
        let (one, zero) = (self.int(1), self.int(0));
        match *self.body.expr(value) {
            Expr::Select(condition, then, other) if then == one && other == zero => condition,
            Expr::Const(Const::Int(ref number, _)) => {
                let truth = number.bit(0);
                self.expr(Expr::Const(Const::Bool(truth)))
            }
            _ => {
                let bit = self.binary_expr(BinaryOp::And, INT, value, one);
                self.binary_expr(BinaryOp::Ne, INT, bit, zero)
            }
        }
    }

    // ---- handlers -------------------------------------------------------------------------------------------

    /// Updates the locals that handlers of the current block read, after a JVM local was assigned.
    fn sync_handlers(&mut self, slot: u16) {
        self.spend(self.blocks[self.current].handlers.len());
        for handler in self.blocks[self.current].handlers.clone() {
            let wanted =
                handler.frame(&self.blocks).and_then(|frame| frame.locals.get(usize::from(slot)).copied().flatten());
            self.sync(slot, wanted);
        }
    }

    /// Updates these locals for all JVM locals, at the start of a block.
    pub(super) fn sync_all(&mut self) -> Result<()> {
        for slot in 0..self.frame.locals.len() {
            self.afford()?;
            self.sync_handlers(slot as u16);
        }
        Ok(())
    }

    fn sync(&mut self, slot: u16, wanted: Option<LocalId>) {
        let current = self.frame.locals.get(usize::from(slot)).copied().flatten();
        if let (Some(wanted), Some(current)) = (wanted, current)
            && wanted != current
            && let Some(value) = self.converted(current, wanted)
        {
            self.emit(OpKind::Assign { dst: wanted, value });
        }
    }

    /// The value of a local, converted to the type of another local. `None` if their kinds differ.
    pub(super) fn converted(&mut self, from: LocalId, to: LocalId) -> Option<ExprId> {
        let (have, want) = (self.body.local(from).ty, self.body.local(to).ty);
        let value = self.read(from);
        if have == want {
            return Some(value);
        }
        if have.is_reference() && want.is_reference() {
            return Some(self.retyped(value, have, want));
        }
        let (value, stack) = self.widen(value, have);
        (stack == stack_type(want)).then(|| self.narrow(value, want))
    }

    /// A reference with another static type, which the verifier has proved.
    pub(super) fn retyped(&mut self, value: ExprId, from: Type, to: Type) -> ExprId {
        if from == to || from == Type::Null || to == self.java.class_type(OBJECT) {
            return value;
        }
        self.expr(Expr::Convert { from, to, value })
    }

    /// A new block with the handlers of the current one.
    pub(super) fn new_block(&mut self) -> BlockId {
        let handlers = self.body.block(self.block).handlers.clone();
        self.body.add_block(handlers)
    }
}
