//! Reads and writes places, and makes managed pointers to them.

use super::stack::{Entry, Leaves};
use super::variables::Storage;
use super::{Translated, Translator, malformed};
use crate::layout::Shape;
use crate::loader::ClassKind;
use crate::synthetic::{arrays, references};
use crate::types::{Ty, TyId};
use aback_ir::{BinaryOp, ClassId, Const, Dispatch, Expr, ExprId, FieldId, OpKind, TerminatorKind, Type};

/// Where a value is stored.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// Some leaves of an argument or a local variable, which is not an object.
    Variable { is_local: bool, index: u16, first: usize, count: usize },
    /// Some leaves of a variable that is an object.
    Cell { object: ExprId, class: ClassId, shape: Shape, first: usize, count: usize },
    /// Fields of an object that is not null.
    Field { object: ExprId, ids: Vec<FieldId> },
    /// Static fields.
    Static { ids: Vec<FieldId> },
    /// Some leaves of an element of an array, at an index within its bounds.
    Element { array: ExprId, index: ExprId, ty: TyId, element: TyId, first: usize, count: usize },
    /// Some leaves of the place behind a managed pointer.
    Indirect { pointer: ExprId, shape: Shape, first: usize, count: usize },
}

impl Place {
    /// The part of a place with these leaves.
    pub(super) fn part(&self, at: usize, leaves: usize) -> Place {
        let mut place = self.clone();
        match &mut place {
            Place::Variable { first, count, .. }
            | Place::Cell { first, count, .. }
            | Place::Element { first, count, .. }
            | Place::Indirect { first, count, .. } => {
                *first += at;
                *count = leaves;
            }
            Place::Field { ids, .. } | Place::Static { ids } => {
                *ids = ids.iter().copied().skip(at).take(leaves).collect()
            }
        }
        place
    }
}

impl<'a> Translator<'a> {
    /// The place of an argument or a local variable.
    pub(super) fn variable_place(&mut self, is_local: bool, index: u16) -> Translated<(Place, TyId)> {
        let variable = self.variable(is_local, index)?;
        let place = match variable.storage {
            Storage::Locals(locals) => Place::Variable { is_local, index, first: 0, count: locals.len() },
            Storage::Cell(local, class, shape) => {
                let object = self.local(local);
                let count = shape.len();
                Place::Cell { object, class, shape, first: 0, count }
            }
        };
        Ok((place, variable.ty))
    }

    /// The place to which an entry of the stack points.
    pub(super) fn pointed(&mut self, entry: Entry) -> Translated<(Place, TyId)> {
        match entry {
            Entry::Pointer(place, ty) => Ok((place, ty)),
            entry => {
                let (ty, leaves) = self.value(entry)?;
                let [pointer] = leaves[..] else { return malformed("a struct instead of a pointer") };
                match *self.cs.ty(ty) {
                    Ty::Ref(target) | Ty::Pointer(target) => {
                        let shape = self.cs.shape(target)?;
                        let pointer = self.stable(pointer);
                        let count = shape.len();
                        Ok((Place::Indirect { pointer, shape, first: 0, count }, target))
                    }
                    _ => Err(format!("a {} that is used as a pointer", self.ty_name(ty))),
                }
            }
        }
    }

    /// A copy of the array of an inline array, which has elements of its own.
    fn copied_array(&mut self, array: ExprId, ty: Type) -> Translated<ExprId> {
        let array = self.stable(array);
        let copy = self.variable_local(None, ty);
        let null = self.expr(Expr::Const(Const::Null));
        self.op(OpKind::Assign { dst: copy, value: null });
        let is_null = self.expr(Expr::Binary(BinaryOp::Eq, ty, array, null));
        let (join, else_block) = (self.new_block(), self.new_block());
        self.end(TerminatorKind::Branch { condition: is_null, then_block: join, else_block });
        self.block = else_block;
        let class = self.cs.library_class("System", "Array")?;
        let method = self.cs.made_method(class, crate::synthetic::operations::CLONE)?;
        let own = self.coerce_leaf(array, Type::Class(class))?;
        let root = Type::Class(self.cs.object_class());
        let dispatch = Dispatch::Virtual;
        let made = self.result(root, |dst| OpKind::Call { dst: Some(dst), dispatch, method, args: vec![own] });
        let value = self.coerce_leaf(made, ty)?;
        self.op(OpKind::Assign { dst: copy, value });
        self.end(TerminatorKind::Goto(join));
        self.block = join;
        let copy = self.expr(Expr::Local(copy));
        Ok(self.stable(copy))
    }

    /// The first element of the inline array in a place, whose elements exist from now on.
    pub(super) fn inline_element(&mut self, place: &Place, element: TyId, length: u32) -> Translated<Place> {
        let ty = self.cs.intern(Ty::Array(element))?;
        let leaves = self.read_leaves(place)?;
        let [array] = leaves[..] else { return malformed("an inline array of no elements") };
        let of = self.cs.ir_type(ty)?;
        let array = self.coerce_leaf(array, of)?;
        let array = self.stable(array);
        let known = self.variable_local(None, of);
        self.op(OpKind::Assign { dst: known, value: array });
        let null = self.expr(Expr::Const(Const::Null));
        let is_null = self.expr(Expr::Binary(BinaryOp::Eq, of, array, null));
        let (then_block, join) = (self.new_block(), self.new_block());
        self.end(TerminatorKind::Branch { condition: is_null, then_block, else_block: join });
        self.block = then_block;
        let length = self.int(length.into());
        let made = self.allocate_array(ty, element, length)?;
        self.write(place, &[made])?;
        self.op(OpKind::Assign { dst: known, value: made });
        self.end(TerminatorKind::Goto(join));
        self.block = join;
        let array = self.expr(Expr::Local(known));
        let array = self.stable(array);
        let count = self.cs.leaves(element)?.len();
        Ok(Place::Element { array, index: self.int(0), ty, element, first: 0, count })
    }

    /// The leaves of the value in a place, as those of a type.
    pub(super) fn read(&mut self, place: &Place, ty: TyId) -> Translated<Leaves> {
        let wanted = self.cs.leaves(ty)?;
        let values = self.read_leaves(place)?;
        if values.len() != wanted.len() {
            return malformed("a place of another type");
        }
        let mut leaves = Leaves::new();
        for (value, leaf) in values.into_iter().zip(wanted.iter()) {
            leaves.push(self.coerce_leaf(value, leaf.ty)?);
        }
        for index in self.cs.inline_leaves(ty)? {
            leaves[index] = self.copied_array(leaves[index], wanted[index].ty)?;
        }
        if !matches!(place, Place::Variable { .. }) {
            self.keep_invariants(ty, &mut leaves)?;
        }
        Ok(leaves)
    }

    pub(super) fn read_leaves(&mut self, place: &Place) -> Translated<Leaves> {
        match place {
            &Place::Variable { is_local, index, first, count } => {
                let Storage::Locals(locals) = self.variable(is_local, index)?.storage else {
                    return malformed("a variable that is an object");
                };
                Ok(locals.iter().skip(first).take(count).map(|&local| self.local(local)).collect())
            }
            Place::Cell { object, class, first, count, .. } => {
                let fields = self.cs.program.class(*class).fields.clone();
                Ok(fields.iter().skip(*first).take(*count).map(|&field| self.get_field(*object, field)).collect())
            }
            Place::Field { object, ids } => Ok(ids.iter().map(|&field| self.get_field(*object, field)).collect()),
            Place::Static { ids } => Ok(ids
                .iter()
                .map(|&field| {
                    let ty = self.cs.program.field(field).ty;
                    self.result(ty, |dst| OpKind::GetStatic { dst, field })
                })
                .collect()),
            &Place::Element { array, index, ty, element, first, count } => (first..first + count)
                .map(|leaf| {
                    let (array, ty) = self.plane(ty, element, array, leaf)?;
                    let value = self.result(ty, |dst| OpKind::ArrayGet { dst, array, index });
                    let own = self.cs.leaves(element)?.get(leaf).map_or(ty, |leaf| leaf.ty);
                    self.coerce_leaf(value, own)
                })
                .collect(),
            Place::Indirect { pointer, shape, first, count } => (*first..*first + *count)
                .map(|leaf| {
                    let method = references::getter(self.cs, shape, leaf)?;
                    let args = vec![*pointer];
                    Ok(self.result(shape[leaf], |dst| OpKind::Call {
                        dst: Some(dst),
                        dispatch: Dispatch::Virtual,
                        method,
                        args,
                    }))
                })
                .collect(),
        }
    }

    pub(super) fn get_field(&mut self, object: ExprId, field: FieldId) -> ExprId {
        let ty = self.cs.program.field(field).ty;
        self.result(ty, |dst| OpKind::GetField { dst, object, field })
    }

    /// Writes the leaves of a value into a place.
    pub(super) fn write(&mut self, place: &Place, values: &[ExprId]) -> Translated<()> {
        match place {
            &Place::Variable { is_local, index, first, count } => {
                let Storage::Locals(locals) = self.variable(is_local, index)?.storage else {
                    return malformed("a variable that is an object");
                };
                let locals: Vec<_> = locals.into_iter().skip(first).take(count).collect();
                if locals.len() != values.len() {
                    return malformed("a value of another type");
                }
                self.stabilize_stack();
                // A struct may be assigned from parts of itself.
                let mut stable = Vec::new();
                for (&value, &dst) in values.iter().zip(&locals) {
                    let value = self.coerce_leaf(value, self.body.local(dst).ty)?;
                    stable.push(if locals.len() > 1 { self.stable(value) } else { value });
                }
                for (dst, value) in locals.into_iter().zip(stable) {
                    self.op(OpKind::Assign { dst, value });
                }
            }
            Place::Cell { object, class, first, count, .. } => {
                let fields = self.cs.program.class(*class).fields.clone();
                let fields: Vec<_> = fields.into_iter().skip(*first).take(*count).collect();
                self.put_fields(*object, &fields, values)?;
            }
            Place::Field { object, ids } => self.put_fields(*object, ids, values)?,
            Place::Static { ids } => {
                for (&field, &value) in ids.iter().zip(values) {
                    let value = self.coerce_leaf(value, self.cs.program.field(field).ty)?;
                    self.op(OpKind::PutStatic { field, value });
                }
            }
            &Place::Element { array, index, ty, element, first, .. } => {
                for (leaf, &value) in values.iter().enumerate() {
                    let (array, ty) = self.plane(ty, element, array, first + leaf)?;
                    let value = self.coerce_leaf(value, ty)?;
                    self.op(OpKind::ArrayPut { array, index, value });
                }
            }
            Place::Indirect { pointer, shape, first, .. } => {
                for (leaf, &value) in values.iter().enumerate() {
                    let leaf = first + leaf;
                    let method = references::setter(self.cs, shape, leaf)?;
                    let value = self.coerce_leaf(value, shape[leaf])?;
                    let args = vec![*pointer, value];
                    self.op(OpKind::Call { dst: None, dispatch: Dispatch::Virtual, method, args });
                }
            }
        }
        Ok(())
    }

    fn put_fields(&mut self, object: ExprId, fields: &[FieldId], values: &[ExprId]) -> Translated<()> {
        if fields.len() != values.len() {
            return malformed("a value of another type");
        }
        for (&field, &value) in fields.iter().zip(values) {
            let value = self.coerce_leaf(value, self.cs.program.field(field).ty)?;
            self.op(OpKind::PutField { object, field, value });
        }
        Ok(())
    }

    /// The array of the program model with a leaf of the elements of an array, and the type of its elements.
    pub(super) fn plane(
        &mut self,
        array_ty: TyId,
        element: TyId,
        array: ExprId,
        leaf: usize,
    ) -> Translated<(ExprId, Type)> {
        let planes = arrays::planes(self.cs, element)?;
        let Some((_, ty)) = planes.get(leaf) else { return malformed("an element of another type") };
        if !arrays::is_object(self.cs, array_ty) {
            return Ok((array, *ty));
        }
        let (fields, _) = arrays::fields(self.cs, array_ty, element)?;
        Ok((self.get_field(array, fields[leaf]), *ty))
    }

    /// A managed pointer to a place for values of a type, as an object.
    pub(super) fn materialize(&mut self, place: &Place, ty: TyId) -> Translated<ExprId> {
        let shape = self.cs.shape(ty)?;
        let reference = Type::Class(self.cs.reference_class(&shape));
        let (object, class) = match place {
            &Place::Variable { is_local, index, .. } => {
                if self.is_receiver_by_value(is_local, index) {
                    return Err("a pointer to a struct that is passed by value".into());
                }
                self.escaping.insert((is_local, index));
                self.is_incomplete = true;
                return Ok(self.default_leaf(reference));
            }
            Place::Cell { object, class, shape: whole, first, count } => {
                let whole_ref = self.expr(Expr::Convert {
                    from: Type::Class(*class),
                    to: Type::Class(self.cs.reference_class(whole)),
                    value: *object,
                });
                match *count == whole.len() {
                    true => (whole_ref, self.cs.reference_class(whole)),
                    false => self.part_pointer(whole_ref, whole, *first, *count),
                }
            }
            Place::Indirect { pointer, shape: whole, first, count } => match *count == whole.len() {
                true => (*pointer, self.cs.reference_class(whole)),
                false => self.part_pointer(*pointer, whole, *first, *count),
            },
            Place::Field { object, ids } => {
                let class = self.cs.class_for(ClassKind::FieldRef(ids.clone()));
                let object = *object;
                (self.new_pointer(class, &[object])?, class)
            }
            Place::Static { ids } => {
                let class = self.cs.class_for(ClassKind::StaticRef(ids.clone()));
                (self.new_pointer(class, &[])?, class)
            }
            &Place::Element { array, index, ty: array_ty, element, first, count } => {
                let class = self.cs.class_for(ClassKind::ElementRef(array_ty));
                let whole = self.cs.shape(element)?;
                let pointer = self.new_pointer(class, &[array, index])?;
                match count == whole.len() {
                    true => (pointer, class),
                    false => {
                        let to = Type::Class(self.cs.reference_class(&whole));
                        let pointer = self.expr(Expr::Convert { from: Type::Class(class), to, value: pointer });
                        self.part_pointer(pointer, &whole, first, count)
                    }
                }
            }
        };
        let from = Type::Class(class);
        Ok(if from == reference { object } else { self.expr(Expr::Convert { from, to: reference, value: object }) })
    }

    fn part_pointer(&mut self, whole: ExprId, shape: &Shape, first: usize, count: usize) -> (ExprId, ClassId) {
        let class = self.cs.class_for(ClassKind::Part(shape.clone(), first as u32, count as u32));
        // The class has one field.
        let pointer = self.new_pointer(class, &[whole]).unwrap_or(whole);
        (pointer, class)
    }

    /// A new object of a class of pointers, with values for its fields.
    fn new_pointer(&mut self, class: ClassId, values: &[ExprId]) -> Translated<ExprId> {
        let fields = self.cs.program.class(class).fields.clone();
        let object = self.result(Type::Class(class), |dst| OpKind::New { dst, class });
        self.put_fields(object, &fields, values)?;
        Ok(object)
    }
}
