//! Translates accesses to fields and elements.

use super::places::Place;
use super::stack::{Entry, Leaves};
use super::{Translated, Translator, malformed};
use crate::layout::{CHAR, INT, LONG};
use crate::loader::FieldSlot;
use crate::synthetic::{self, arrays};
use crate::types::{Ty, TyId};
use aback_cil::Token;
use aback_ir::{BinaryOp, Expr, ExprId, FieldId, MethodId, OpKind, TerminatorKind, Type};
use smallvec::smallvec;
use std::sync::Arc;

impl<'a> Translator<'a> {
    pub(super) fn field_token(&mut self, token: Token) -> Translated<(TyId, u32)> {
        self.cs.field_token(self.assembly, token, &self.generics)
    }

    fn field_name(&self, owner: TyId, row: u32) -> &'a str {
        let declared = self.cs.declared(owner);
        declared.and_then(|(declared, _)| self.cs.assembly(declared.assembly).field_name(row).ok()).unwrap_or("")
    }

    /// Runs the static constructor of a type if that has not happened.
    pub(super) fn initialize(&mut self, ty: TyId) {
        if let Some((field, method)) = self.cs.initialization(ty) {
            self.op(OpKind::Ensure { field, method });
        }
    }

    /// The field of a struct: where its leaves are among those of the struct.
    fn part_of(&mut self, owner: TyId, row: u32) -> Translated<(usize, TyId)> {
        let mut first = 0;
        for field in self.cs.instance_fields(owner)?.iter() {
            if field.row == row {
                return Ok((first, field.ty));
            }
            first += self.cs.leaves(field.ty)?.len();
        }
        malformed("a field of another struct")
    }

    /// The instance field of an entry of the stack, as a place.
    fn instance_place(&mut self, token: Token) -> Translated<(Place, TyId)> {
        let (owner, row) = self.field_token(token)?;
        let entry = self.pop()?;
        if self.cs.is_value(owner) {
            let (place, of) = self.pointed(entry)?;
            if !matches!(self.cs.ty(owner), Ty::Named(..)) || matches!(self.cs.kind(owner), crate::types::Kind::Enum(_))
            {
                return Ok((place, of));
            }
            if let Some((element, length)) = self.inline_array(owner) {
                return Ok((self.inline_element(&place, element, length)?, element));
            }
            let (first, ty) = self.part_of(owner, row)?;
            let count = self.cs.leaves(ty)?.len();
            return Ok((place.part(first, count), ty));
        }
        let (_, leaves) = self.value(entry)?;
        let [object] = leaves[..] else { return malformed("a field of a struct instead of an object") };
        let object = self.stable(object);
        if self.cs.class_of(owner) == self.cs.string_class() {
            return self.string_place(object, owner, row);
        }
        let object = self.coerce_leaf(object, Type::Class(self.cs.class_of(owner)))?;
        let slot = self.cs.field(owner, row)?;
        Ok((Place::Field { object, ids: slot.ids.clone() }, slot.ty))
    }

    /// The first character of a string, as a place. What follows it is reached by moving a pointer.
    fn string_place(&mut self, string: ExprId, owner: TyId, row: u32) -> Translated<(Place, TyId)> {
        match self.field_name(owner, row) {
            "_firstChar" => {
                let characters = self.characters(string)?;
                let char = self.cs.simple(Ty::Char);
                let ty = self.cs.intern(Ty::Array(char))?;
                let index = self.int(0);
                Ok((Place::Element { array: characters, index, ty, element: char, first: 0, count: 1 }, char))
            }
            other => Err(format!("the field {other} of a string")),
        }
    }

    /// Pops a string and pushes its first character, or the zero behind an empty string.
    fn first_character(&mut self) -> Translated<()> {
        let (_, string) = self.pop_reference()?;
        let array = self.characters(string)?;
        let array = self.stable(array);
        let length = self.result(INT, |dst| OpKind::ArrayLength { dst, array });
        let (index, zero) = (self.int(0), self.constant(0, CHAR));
        let first = self.variable_local(None, CHAR);
        self.op(OpKind::Assign { dst: first, value: zero });
        let is_empty = self.expr(Expr::Binary(BinaryOp::Eq, INT, length, index));
        let (then_block, else_block) = (self.new_block(), self.new_block());
        self.end(TerminatorKind::Branch { condition: is_empty, then_block, else_block });
        self.block = else_block;
        self.op(OpKind::ArrayGet { dst: first, array, index });
        self.end(TerminatorKind::Goto(then_block));
        self.block = then_block;
        let first = self.expr(Expr::Local(first));
        let first = self.stable(first);
        self.push_value(self.cs.simple(Ty::Char), first);
        Ok(())
    }

    /// The array with the characters of a string.
    pub(super) fn characters(&mut self, string: ExprId) -> Translated<ExprId> {
        let class = self.cs.string_class();
        let field = self.cs.program.find_field(class, synthetic::CHARACTERS);
        let field = field.ok_or("strings, which the class library does not have")?;
        let string = self.coerce_leaf(string, Type::Class(class))?;
        Ok(self.get_field(string, field))
    }

    pub(super) fn load_field(&mut self, token: Token) -> Translated<()> {
        let (owner, row) = self.field_token(token)?;
        if self.cs.class_of(owner) == self.cs.string_class() && self.field_name(owner, row) == "_firstChar" {
            return self.first_character();
        }
        if self.cs.class_of(owner) == self.cs.string_class() && self.field_name(owner, row) == "_stringLength" {
            let (_, string) = self.pop_reference()?;
            let characters = self.characters(string)?;
            let length = self.result(INT, |dst| OpKind::ArrayLength { dst, array: characters });
            self.push_number(length);
            return Ok(());
        }
        if let Some(Entry::Value(ty, leaves)) = self.stack.last()
            && self.cs.is_value(*ty)
            && !matches!(self.cs.ty(*ty), Ty::Ref(_) | Ty::Pointer(_))
        {
            // The field of a struct on the stack.
            let leaves: Leaves = leaves.clone();
            self.pop()?;
            if !matches!(self.cs.ty(owner), Ty::Named(..)) {
                self.push_leaves(owner, leaves);
                return Ok(());
            }
            let (first, ty) = self.part_of(owner, row)?;
            let count = self.cs.leaves(ty)?.len();
            self.push_leaves(ty, leaves.into_iter().skip(first).take(count).collect());
            return Ok(());
        }
        if self.is_static_of_class(owner, row)? {
            self.pop()?;
            return self.load_static(token);
        }
        let (place, ty) = self.instance_place(token)?;
        let leaves = self.read(&place, ty)?;
        self.push_leaves(ty, leaves);
        Ok(())
    }

    /// Whether a field is a static one of a class. CIL allows access to it through an object.
    fn is_static_of_class(&self, owner: TyId, row: u32) -> Translated<bool> {
        if self.cs.is_value(owner) || self.cs.class_of(owner) == self.cs.string_class() {
            return Ok(false);
        }
        Ok(self.cs.field(owner, row)?.is_static)
    }

    fn push_static(&mut self, owner: TyId, slot: &Arc<FieldSlot>) -> Translated<()> {
        self.initialize(owner);
        let leaves = self.read(&Place::Static { ids: slot.ids.clone() }, slot.ty)?;
        self.push_leaves(slot.ty, leaves);
        Ok(())
    }

    pub(super) fn load_field_address(&mut self, token: Token) -> Translated<()> {
        let (owner, row) = self.field_token(token)?;
        if self.is_static_of_class(owner, row)? {
            self.pop()?;
            return self.load_static_address(token);
        }
        let (place, ty) = self.instance_place(token)?;
        // The object may not be null.
        if let Place::Field { object, ids } = &place
            && let Some(&field) = ids.first()
            && !self.is_receiver(*object)
        {
            self.get_field(*object, field);
        }
        self.push(Entry::Pointer(place, ty));
        Ok(())
    }

    /// Whether an expression is the receiver of the method, which is not null.
    pub(super) fn is_receiver(&self, value: ExprId) -> bool {
        let inner = match *self.body.expr(value) {
            Expr::Convert { value, .. } => value,
            _ => value,
        };
        self.signature.has_this && *self.body.expr(inner) == Expr::Local(aback_ir::LocalId(0))
    }

    pub(super) fn store_field(&mut self, token: Token) -> Translated<()> {
        let value = self.pop()?;
        let (owner, row) = self.field_token(token)?;
        if self.is_static_of_class(owner, row)? {
            self.pop()?;
            self.push(value);
            return self.store_static(token);
        }
        let (place, ty) = self.instance_place(token)?;
        let leaves = self.coerce(value, ty)?;
        self.write(&place, &leaves)
    }

    pub(super) fn load_static(&mut self, token: Token) -> Translated<()> {
        let (owner, row) = self.field_token(token)?;
        if let Some(value) = self.known_static(owner, row)? {
            self.push(value);
            return Ok(());
        }
        let slot = self.cs.field(owner, row)?;
        self.push_static(owner, &slot)
    }

    /// Static fields that the runtime sets.
    fn known_static(&mut self, owner: TyId, row: u32) -> Translated<Option<Entry>> {
        if !matches!(self.cs.ty(owner), Ty::Native { .. })
            && !self.cs.is_library_type(owner, "System", "String")
            && !self.cs.is_library_type(owner, "System", "BitConverter")
        {
            return Ok(None);
        }
        Ok(match self.field_name(owner, row) {
            "Empty" => {
                let empty = self.string_literal(Vec::new());
                let ty = self.cs.library("System", "String")?;
                Some(Entry::Value(ty, smallvec![empty]))
            }
            "IsLittleEndian" => {
                let yes = self.expr(Expr::Const(aback_ir::Const::Bool(true)));
                Some(Entry::Value(self.cs.simple(Ty::Bool), smallvec![yes]))
            }
            "Zero" => {
                let zero = self.constant(0, LONG);
                Some(Entry::Value(owner, smallvec![zero]))
            }
            _ => None,
        })
    }

    pub(super) fn load_static_address(&mut self, token: Token) -> Translated<()> {
        if token.table() == Some(aback_cil::Table::Field)
            && self.cs.assembly(self.assembly).field_data(token.row()).is_some()
        {
            self.push(Entry::FieldData(token));
            return Ok(());
        }
        let (owner, row) = self.field_token(token)?;
        let slot = self.cs.field(owner, row)?;
        self.initialize(owner);
        self.push(Entry::Pointer(Place::Static { ids: slot.ids.clone() }, slot.ty));
        Ok(())
    }

    pub(super) fn store_static(&mut self, token: Token) -> Translated<()> {
        let (owner, row) = self.field_token(token)?;
        let slot = self.cs.field(owner, row)?;
        let value = self.pop()?;
        let leaves = self.coerce(value, slot.ty)?;
        self.initialize(owner);
        self.write(&Place::Static { ids: slot.ids.clone() }, &leaves)
    }

    /// The string of a literal.
    pub(super) fn string_literal(&mut self, units: Vec<u16>) -> ExprId {
        self.load_made(synthetic::literals::string(self.cs, units))
    }

    /// Loads what a synthetic static field holds. Its method fills the field before it is read for the first time.
    pub(super) fn load_made(&mut self, (field, method): (FieldId, MethodId)) -> ExprId {
        self.op(OpKind::Ensure { field, method });
        self.result(self.cs.program.field(field).ty, |dst| OpKind::GetStatic { dst, field })
    }

    /// Pops an index, as one of 32 bits: one that does not fit is out of bounds.
    fn pop_index(&mut self) -> Translated<ExprId> {
        let (index, ty) = self.pop_number()?;
        let index = self.stable(index);
        if ty == INT {
            return Ok(index);
        }
        let narrow = self.convert(index, INT);
        let back = self.convert_always(narrow, INT, LONG);
        let fits = self.expr(Expr::Binary(BinaryOp::Eq, LONG, index, back));
        if self.body.expr_type(narrow) == INT && matches!(self.body.expr(index), Expr::Convert { from: INT, .. }) {
            return Ok(narrow);
        }
        self.require(fits, "IndexOutOfRangeException");
        Ok(narrow)
    }

    fn convert_always(&mut self, value: ExprId, from: Type, to: Type) -> ExprId {
        self.expr(Expr::Convert { from, to, value })
    }

    /// Pops an array, and gives its type: the static one, or one for elements of a type.
    fn pop_array(&mut self, element: Option<TyId>) -> Translated<(ExprId, TyId, TyId)> {
        let (ty, array) = self.pop_reference()?;
        let array = self.stable(array);
        let found = match (self.cs.ty(ty), element) {
            (&Ty::Array(own), None) => (ty, own),
            (&Ty::Array(own), Some(wanted)) if self.cs.has_planes(own) || !self.cs.is_struct(wanted) => (ty, own),
            (_, Some(element)) => (self.cs.intern(Ty::Array(element))?, element),
            (_, None) => {
                // Null, or an object that library code knows to be an array.
                let element = self.cs.library("System", "Object")?;
                (self.cs.intern(Ty::Array(element))?, element)
            }
        };
        let array = self.coerce_leaf(array, self.cs.ir_type(found.0)?)?;
        Ok((array, found.0, found.1))
    }

    fn pop_element(&mut self, element: Option<TyId>) -> Translated<(Place, TyId)> {
        let index = self.pop_index()?;
        let (array, ty, element) = self.pop_array(element)?;
        let count = self.cs.leaves(element)?.len();
        Ok((Place::Element { array, index, ty, element, first: 0, count }, element))
    }

    /// Pushes an element, as a value of a type.
    pub(super) fn load_element(&mut self, element: Option<TyId>) -> Translated<()> {
        let (place, own) = self.pop_element(element)?;
        let shown = element.unwrap_or(own);
        let shown = if self.cs.leaves(shown)?.len() == self.cs.leaves(own)?.len() { shown } else { own };
        self.check_empty(&place)?;
        let leaves = self.read(&place, shown)?;
        self.push_leaves(shown, leaves);
        Ok(())
    }

    /// Checks the index of an element without leaves.
    fn check_empty(&mut self, place: &Place) -> Translated<()> {
        if let &Place::Element { array, index, ty, element, count: 0, .. } = place {
            let (array, ty) = self.plane(ty, element, array, 0)?;
            self.result(ty, |dst| OpKind::ArrayGet { dst, array, index });
        }
        Ok(())
    }

    /// Pushes a pointer to an element. One through which references can be stored needs an array of exactly their type.
    pub(super) fn load_element_address(&mut self, element: TyId, is_readonly: bool) -> Translated<()> {
        let (place, own) = self.pop_element(Some(element))?;
        if let &Place::Element { array, index, ty, element: of, .. } = &place {
            let (plane, plane_ty) = self.plane(ty, of, array, 0)?;
            self.result(plane_ty, |dst| OpKind::ArrayGet { dst, array: plane, index });
            if !is_readonly && self.cs.has_subtypes(element) {
                self.require_exact_type(array, ty)?;
            }
        }
        self.push(Entry::Pointer(place, own));
        Ok(())
    }

    fn require_exact_type(&mut self, array: ExprId, ty: TyId) -> Translated<()> {
        let object = self.cs.object_class();
        let root = Type::Class(object);
        let array = self.coerce_leaf(array, root)?;
        let method = self.cs.made_method(object, synthetic::operations::TYPE)?;
        let args = vec![array];
        let dispatch = aback_ir::Dispatch::Virtual;
        let own = self.result(root, |dst| OpKind::Call { dst: Some(dst), dispatch, method, args });
        let wanted = self.type_object(ty)?;
        let wanted = self.coerce_leaf(wanted, root)?;
        let same = self.expr(Expr::Binary(BinaryOp::Eq, root, own, wanted));
        self.require(same, "ArrayTypeMismatchException");
        Ok(())
    }

    pub(super) fn store_element(&mut self, element: Option<TyId>) -> Translated<()> {
        let value = self.pop()?;
        let (place, own) = self.pop_element(element)?;
        self.check_empty(&place)?;
        let leaves = self.coerce(value, own)?;
        let leaves: Leaves = leaves.into_iter().map(|leaf| self.stable(leaf)).collect();
        self.write(&place, &leaves)
    }

    /// Pushes the length of an array.
    pub(super) fn load_length(&mut self) -> Translated<()> {
        let (array, ty, element) = self.pop_array(None)?;
        let (array, _) = self.plane(ty, element, array, 0)?;
        let length = self.result(INT, |dst| OpKind::ArrayLength { dst, array });
        let length = self.expr(Expr::Convert { from: INT, to: LONG, value: length });
        let native = self.cs.simple(Ty::Native { signed: true });
        self.push_value(native, length);
        Ok(())
    }

    /// Pushes a new array with elements of a type.
    pub(super) fn new_array(&mut self, element: TyId) -> Translated<()> {
        let (length, ty) = self.pop_number()?;
        let length = self.stable(length);
        let length = match ty {
            INT => length,
            _ => {
                let narrow = self.convert(length, INT);
                let back = self.convert_always(narrow, INT, LONG);
                let fits = self.expr(Expr::Binary(BinaryOp::Eq, LONG, length, back));
                self.require(fits, "OverflowException");
                narrow
            }
        };
        let array = self.cs.intern(Ty::Array(element))?;
        let value = self.allocate_array(array, element, length)?;
        self.push_value(array, value);
        Ok(())
    }

    /// A new array, with a length of 32 bits.
    pub(super) fn allocate_array(&mut self, array: TyId, element: TyId, length: ExprId) -> Translated<ExprId> {
        let planes = arrays::planes(self.cs, element)?;
        if !arrays::is_object(self.cs, array) {
            let element = planes[0].1;
            let ty = self.cs.program.array_of(element);
            return Ok(self.result(ty, |dst| OpKind::NewArray { dst, element, length }));
        }
        let (fields, _) = arrays::fields(self.cs, array, element)?;
        let class = self.cs.class_of(array);
        let mut made = Vec::new();
        for (_, element) in planes {
            let ty = self.cs.program.array_of(element);
            made.push(self.result(ty, |dst| OpKind::NewArray { dst, element, length }));
        }
        let object = self.result(Type::Class(class), |dst| OpKind::New { dst, class });
        for (field, value) in fields.into_iter().zip(made) {
            self.op(OpKind::PutField { object, field, value });
        }
        Ok(object)
    }

    /// Fills an array with the bytes of a field, little endian.
    pub(super) fn fill_array(&mut self, array_ty: TyId, array: ExprId, field: Token) -> Translated<()> {
        let (Ty::Array(element) | Ty::Grid(element, _)) = *self.cs.ty(array_ty) else {
            return malformed("an initial value for what is no array");
        };
        let (array, ty) = self.plane(array_ty, element, array, 0)?;
        let array = self.stable(array);
        let data = self.cs.assembly(self.assembly).field_data(field.row()).ok_or("a field without an initial value")?;
        let size = match ty {
            Type::Bool => 1,
            Type::Machine { width, .. } => usize::from(width / 8),
            Type::F32 => 4,
            Type::F64 => 8,
            _ => return Err("an initial value for an array of references".into()),
        };
        let count = self.initial_size(field)?.map_or(0, |bytes| bytes / size);
        for (at, bytes) in data.chunks_exact(size).take(count).enumerate() {
            if bytes.iter().all(|&byte| byte == 0) {
                continue;
            }
            let bits = bytes.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
            let value = self.number(bits, ty);
            let index = self.int(at as i64);
            self.op(OpKind::ArrayPut { array, index, value });
        }
        Ok(())
    }

    /// A number by its bits.
    pub(super) fn number(&mut self, bits: u64, ty: Type) -> ExprId {
        self.expr(Expr::Const(synthetic::literals::from_bits(bits, ty)))
    }

    /// The number of bytes of the initial value of a field, by its type.
    pub(super) fn initial_size(&mut self, field: Token) -> Translated<Option<usize>> {
        let (cs, assembly) = (self.cs, self.assembly);
        let read = cs.assembly(assembly);
        let sig = read.field(field.row()).map_err(|error| error.to_string())?.signature;
        let ty = cs.resolve(assembly, &sig, &self.generics)?;
        if let Some((declared, _)) = cs.declared(ty)
            && let Some((_, size)) = cs.assembly(declared.assembly).class_layout(declared.row)
        {
            return Ok(Some(size as usize));
        }
        Ok(match cs.ty(ty) {
            Ty::Int { width, .. } => Some(usize::from(width / 8)),
            Ty::Bool => Some(1),
            Ty::Char => Some(2),
            _ => None,
        })
    }
}
