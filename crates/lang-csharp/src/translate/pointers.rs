//! Translates arithmetic on pointers, and comparisons of them.
//!
//! A pointer (`int*`) is the same as a managed pointer. CIL adds numbers of bytes to pointers; here, pointers move by
//! elements.

use super::stack::Entry;
use super::{Translated, Translator, malformed};
use crate::layout::{INT, LONG};
use crate::synthetic::references;
use crate::translate::places::Place;
use crate::types::{Ty, TyId};
use aback_ir::{BinaryOp, Const, Dispatch, DivideOp, Expr, ExprId, OpKind, TerminatorKind, Type};

impl<'a> Translator<'a> {
    /// What a pointer on the stack points to.
    pub(super) fn target(&self, entry: &Entry) -> Option<TyId> {
        match entry {
            Entry::Pointer(_, target) => Some(*target),
            Entry::Value(ty, _) => match *self.cs.ty(*ty) {
                Ty::Ref(target) | Ty::Pointer(target) => Some(target),
                _ => None,
            },
            _ => None,
        }
    }

    /// Pops two operands of an addition or subtraction, of which one is a pointer, and pushes the result.
    pub(super) fn pointer_arithmetic(&mut self, op: BinaryOp) -> Translated<()> {
        let right = self.pop()?;
        let left = self.pop()?;
        let (pointer, target, number) = match (op, self.target(&left), self.target(&right)) {
            (BinaryOp::Sub, Some(target), Some(_)) => return self.distance(left, right, target),
            (BinaryOp::Add | BinaryOp::Sub, Some(target), None) => (left, target, right),
            (BinaryOp::Add, None, Some(target)) => (right, target, left),
            _ => return Err("arithmetic on pointers".into()),
        };
        self.push(number);
        let (bytes, ty) = self.pop_number()?;
        let bytes = if ty == LONG { bytes } else { self.convert(bytes, LONG) };
        let size = self.size_of(target)?;
        let distance = self.elements(bytes, size)?;
        let zero = self.constant(0, LONG);
        let distance = match op {
            BinaryOp::Add => distance,
            _ => self.expr(Expr::Binary(BinaryOp::Sub, LONG, zero, distance)),
        };
        self.move_pointer(pointer, distance)
    }

    /// A number of bytes as one of elements.
    pub(super) fn elements(&mut self, bytes: ExprId, size: i64) -> Translated<ExprId> {
        if size == 1 {
            return Ok(bytes);
        }
        if let Some(known) = self.known_int(bytes)
            && known % size == 0
        {
            return Ok(self.constant(known / size, LONG));
        }
        if let Expr::Binary(BinaryOp::Mul, _, left, right) = *self.body.expr(bytes) {
            for (factor, rest) in [(left, right), (right, left)] {
                if self.known_int(factor) == Some(size) && self.is_small(rest) {
                    return Ok(self.convert(rest, LONG));
                }
            }
        }
        let (bytes, divisor) = (self.stable(bytes), self.constant(size, LONG));
        let divide = |op| move |dst| OpKind::Divide { dst, op, dividend: bytes, divisor };
        let rest = self.result(LONG, divide(DivideOp::Rem));
        let zero = self.constant(0, LONG);
        let is_whole = self.expr(Expr::Binary(BinaryOp::Eq, LONG, rest, zero));
        self.unless_refused(is_whole, "a pointer into the middle of an element");
        Ok(self.result(LONG, divide(DivideOp::Div)))
    }

    /// Whether a number of 64 bits comes from one of at most 32, so that it can be multiplied by the size of a number.
    pub(super) fn is_small(&self, value: ExprId) -> bool {
        match *self.body.expr(value) {
            Expr::Convert { from: Type::Machine { width, .. }, .. } => width <= 32,
            Expr::Const(Const::Int(..)) => self.known_int(value).is_some_and(|known| i32::try_from(known).is_ok()),
            _ => false,
        }
    }

    /// Ends executions in which a condition is false as unsupported.
    pub(super) fn unless_refused(&mut self, condition: ExprId, what: &str) {
        let (then_block, else_block) = (self.new_block(), self.new_block());
        self.end(TerminatorKind::Branch { condition, then_block, else_block });
        self.block = else_block;
        self.end(TerminatorKind::unsupported(what));
        self.block = then_block;
    }

    /// Pushes the number of bytes from one pointer to another.
    fn distance(&mut self, to: Entry, from: Entry, target: TyId) -> Translated<()> {
        let size = self.size_of(target)?;
        let elements = self.related(references::DISTANCE, to, from, target, LONG)?;
        let size = self.constant(size, LONG);
        let bytes = self.expr(Expr::Binary(BinaryOp::Mul, LONG, elements, size));
        let native = self.cs.simple(Ty::Native { signed: true });
        self.push_value(native, bytes);
        Ok(())
    }

    /// The result of a method of a pointer for another one; null has no such methods.
    fn related(&mut self, name: &str, left: Entry, right: Entry, target: TyId, result: Type) -> Translated<ExprId> {
        let shape = self.cs.shape(target)?;
        let class = self.cs.reference_class(&shape);
        let method = self.cs.made_method(class, name)?;
        let mut args = Vec::new();
        for entry in [left, right] {
            let (_, leaves) = self.value(entry)?;
            let [pointer] = leaves[..] else { return malformed("a struct instead of a pointer") };
            let pointer = self.stable(pointer);
            let is_there = self.is_there(pointer)?;
            self.unless_refused(is_there, "a comparison of a null pointer with another pointer");
            args.push(self.coerce_leaf(pointer, Type::Class(class))?);
        }
        Ok(self.result(result, |dst| OpKind::Call { dst: Some(dst), dispatch: Dispatch::Virtual, method, args }))
    }

    pub(super) fn compare_pointers(&mut self, op: BinaryOp, left: Entry, right: Entry) -> Translated<ExprId> {
        let nulls = [&left, &right].map(|entry| match entry {
            Entry::Null => true,
            Entry::Value(_, leaves) => leaves.first().is_some_and(|&leaf| self.known_int(leaf) == Some(0)),
            _ => false,
        });
        match nulls {
            [false, false] => self.compare_places(op, left, right),
            [true, _] => self.compare_to_null(op, right),
            [_, true] => self.compare_to_null(op, left),
        }
    }

    fn compare_to_null(&mut self, op: BinaryOp, pointer: Entry) -> Translated<ExprId> {
        let op = match op {
            BinaryOp::Eq => BinaryOp::Eq,
            BinaryOp::Ne | BinaryOp::Gt => BinaryOp::Ne,
            _ => return Err("the order of a pointer and null".into()),
        };
        let (_, pointer) = self.value(pointer)?;
        let ty = Type::Class(self.cs.object_class());
        let pointer = self.coerce_leaf(pointer[0], ty)?;
        let null = self.expr(Expr::Const(Const::Null));
        Ok(self.expr(Expr::Binary(op, ty, pointer, null)))
    }

    fn compare_places(&mut self, op: BinaryOp, left: Entry, right: Entry) -> Translated<ExprId> {
        let Some(target) = self.target(&left).or_else(|| self.target(&right)) else {
            return Err("a comparison of pointers".into());
        };
        let (name, is_swapped, is_negated) = match op {
            BinaryOp::Eq => (references::SAME, false, false),
            BinaryOp::Ne => (references::SAME, false, true),
            BinaryOp::Lt => (references::BEFORE, false, false),
            BinaryOp::Gt => (references::BEFORE, true, false),
            BinaryOp::Ge => (references::BEFORE, false, true),
            BinaryOp::Le => (references::BEFORE, true, true),
            _ => return Err("a comparison of pointers".into()),
        };
        let (left, right) = if is_swapped { (right, left) } else { (left, right) };
        let holds = self.related(name, left, right, target, Type::Bool)?;
        Ok(if is_negated { self.not(holds) } else { holds })
    }

    /// Pushes a pointer, moved by a number of elements.
    pub(super) fn move_pointer(&mut self, entry: Entry, distance: ExprId) -> Translated<()> {
        if let Entry::Pointer(Place::Element { array, index, ty, element, first, count }, of) = &entry {
            let distance = self.convert(distance, INT);
            let index = match self.known_int(*index) {
                Some(0) => distance,
                _ => self.expr(Expr::Binary(BinaryOp::Add, INT, *index, distance)),
            };
            let index = self.stable(index);
            let place =
                Place::Element { array: *array, index, ty: *ty, element: *element, first: *first, count: *count };
            self.push(Entry::Pointer(place, *of));
            return Ok(());
        }
        let (ty, leaves) = self.value(entry)?;
        let (&Ty::Ref(target) | &Ty::Pointer(target)) = self.cs.ty(ty) else {
            return malformed("a pointer that is none");
        };
        let shape = self.cs.shape(target)?;
        let class = self.cs.reference_class(&shape);
        let method = self.cs.made_method(class, references::ADD)?;
        let pointer = self.coerce_leaf(leaves[0], Type::Class(class))?;
        let (pointer, distance) = (self.stable(pointer), self.stable(distance));
        // An empty span may have a null pointer, which is moved by nothing.
        let moved = self.variable_local(None, Type::Class(class));
        let (null, zero) = (self.expr(Expr::Const(Const::Null)), self.constant(0, LONG));
        let is_null = self.expr(Expr::Binary(BinaryOp::Eq, Type::Class(class), pointer, null));
        let (then_block, else_block, join) = (self.new_block(), self.new_block(), self.new_block());
        self.end(TerminatorKind::Branch { condition: is_null, then_block, else_block });
        self.block = then_block;
        let stays = self.expr(Expr::Binary(BinaryOp::Eq, LONG, distance, zero));
        self.unless_refused(stays, "a null pointer that is moved");
        self.op(OpKind::Assign { dst: moved, value: null });
        self.end(TerminatorKind::Goto(join));
        self.block = else_block;
        let args = vec![pointer, distance];
        self.op(OpKind::Call { dst: Some(moved), dispatch: Dispatch::Virtual, method, args });
        self.end(TerminatorKind::Goto(join));
        self.block = join;
        let moved = self.expr(Expr::Local(moved));
        let moved = self.stable(moved);
        self.push_value(ty, moved);
        Ok(())
    }

    /// A pointer to new memory on the stack, which has room for values of a type.
    pub(super) fn memory(&mut self, bytes: ExprId, of: TyId) -> Translated<ExprId> {
        let size = self.size_of(of)?;
        let length = self.elements(bytes, size)?;
        let length = self.convert(length, INT);
        let ty = self.cs.intern(Ty::Array(of))?;
        let array = self.allocate_array(ty, of, length)?;
        let (index, count) = (self.int(0), self.cs.leaves(of)?.len());
        self.materialize(&Place::Element { array, index, ty, element: of, first: 0, count }, of)
    }

    /// Pops a pointer and pushes the value there, which may be made of several bytes, the lowest first.
    pub(super) fn read_bytes(&mut self, ty: TyId) -> Translated<()> {
        let pointer = self.pop()?;
        let Some(bytes) = self.bytes(&pointer, ty)? else {
            self.push(pointer);
            return self.load_indirect(Some(ty));
        };
        let unsigned = Type::Machine { width: 8 * bytes.len() as u8, signed: false };
        let mut whole = self.constant(0, unsigned);
        for (index, (place, _)) in bytes.iter().enumerate() {
            let byte = self.read_leaves(place)?[0];
            let byte = self.convert(byte, Type::Machine { width: 8, signed: false });
            let byte = self.convert(byte, unsigned);
            let shift = self.constant(8 * index as i64, unsigned);
            let byte = self.expr(Expr::Binary(BinaryOp::Shl, unsigned, byte, shift));
            whole = self.expr(Expr::Binary(BinaryOp::Or, unsigned, whole, byte));
        }
        let to = self.cs.ir_type(ty)?;
        let whole = self.convert(whole, to);
        self.push_value(ty, whole);
        Ok(())
    }

    /// Pops a value and a pointer, and writes the value there, as several bytes if the pointer is to bytes.
    pub(super) fn write_bytes(&mut self, ty: TyId) -> Translated<()> {
        let value = self.pop()?;
        let pointer = self.pop()?;
        let Some(bytes) = self.bytes(&pointer, ty)? else {
            self.push(pointer);
            self.push(value);
            return self.store_indirect(Some(ty));
        };
        let unsigned = Type::Machine { width: 8 * bytes.len() as u8, signed: false };
        let leaves = self.coerce(value, ty)?;
        let whole = self.convert(leaves[0], unsigned);
        let whole = self.stable(whole);
        for (index, (place, of)) in bytes.iter().enumerate() {
            let shift = self.constant(8 * index as i64, unsigned);
            let byte = self.expr(Expr::Binary(BinaryOp::ShrUnsigned, unsigned, whole, shift));
            let byte = self.convert(byte, self.cs.ir_type(*of)?);
            self.write(place, &[byte])?;
        }
        Ok(())
    }

    /// The places of the bytes of an integer at a pointer to bytes; `None` if the pointer is to values of the type itself.
    fn bytes(&mut self, pointer: &Entry, ty: TyId) -> Translated<Option<Vec<(Place, TyId)>>> {
        let target = self.target(pointer).ok_or("a pointer that is none")?;
        let is_byte = matches!(self.cs.ir_type(target), Ok(Type::Machine { width: 8, .. }));
        let size = self.size_of(ty)?;
        if !is_byte || size == 1 {
            return Ok(None);
        }
        if !matches!(self.cs.ir_type(ty)?, Type::Machine { .. }) {
            return Err(format!("bytes that are used as a {}", self.ty_name(ty)));
        }
        let (of, leaves) = self.value(pointer.clone())?;
        let start = self.stable(leaves[0]);
        let mut places = Vec::new();
        for index in 0..size {
            let distance = self.constant(index, LONG);
            self.move_pointer(Entry::Value(of, smallvec::smallvec![start]), distance)?;
            let moved = self.pop()?;
            places.push(self.pointed(moved)?);
        }
        Ok(Some(places))
    }
}
