//! Finds the places to which a managed pointer that an entry point gets may point, other than variables that nothing
//! else names.
//!
//! A caller may pass a reference to a field of an object, to a static field or to an element of an array. If the
//! execution has no other way to the place, the place is like a variable. So only places count to which the reached
//! code has another way, and to which callers can refer: fields that they can name, and elements of arrays.

use super::callers::CallersOf;
use crate::inputs;
use crate::loader::{ClassKind, Cs};
use crate::synthetic::arrays;
use crate::types::{Ty, TyId};
use aback_ir::analysis::{are_related, reached, runs_platform_code, types_behind};
use aback_ir::{ClassId, FieldId, MethodId, OpKind, Type};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Greatest number of places that are offered for an argument.
const MOST_TARGETS: usize = 4;

/// A place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// A field of an input object, by its leaves.
    Field(Vec<FieldId>),
    /// A static field, by its leaves.
    Static(Vec<FieldId>),
    /// An element of an input array of this type.
    Element(TyId),
}

/// The places to which one argument may point.
#[derive(Clone, Default, Debug)]
pub(super) struct Targets {
    pub(super) offered: Vec<Target>,
    /// Whether there are others.
    pub(super) is_lacking: bool,
}

/// What a pointer argument is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pointer {
    /// The struct on which a method is called.
    Receiver,
    /// A reference through which the method only reads: `in`.
    ReadOnly,
    /// Another reference.
    Reference,
    /// A span. It may be one over a single place, but that is rare, so that no such place is offered.
    Span,
}

/// A field, or a field of a struct in it, that has the wanted type.
struct Place {
    ids: Vec<FieldId>,
    /// Whether callers cannot name it.
    is_hidden: bool,
    is_init_only: bool,
}

/// The ways in which the code that an entry point reaches gets to places, other than the pointers that it gets.
pub(super) struct Ways<'a> {
    cs: Cs<'a>,
    callers: &'a CallersOf<'a>,
    /// Pointer arguments by the types to which they point.
    pointers: Vec<(Pointer, TyId)>,
    /// Fields that the code reads or writes.
    fields: BTreeSet<FieldId>,
    /// Fields that it writes.
    written: FxHashSet<FieldId>,
    /// Types of the elements of arrays that it reads or writes.
    elements: FxHashSet<Type>,
    /// Types of references that it passes to libraries.
    passed: FxHashSet<Type>,
    /// Types of the references through which it can get to objects of its caller.
    behind: FxHashSet<Type>,
}

impl<'a> Ways<'a> {
    /// The ways of an entry point that gets these pointers, and other values with these leaves.
    pub(super) fn new(
        cs: Cs<'a>,
        entry: MethodId,
        callers: &'a CallersOf<'a>,
        pointers: Vec<(Pointer, TyId)>,
        others: &[TyId],
    ) -> Self {
        let program = cs.program;
        let (mut fields, mut written) = (BTreeSet::new(), FxHashSet::default());
        let (mut elements, mut passed) = (FxHashSet::default(), FxHashSet::default());
        let leaves = |&ty: &TyId| cs.leaves(ty).map_or_else(|_| Vec::new(), |leaves| leaves.to_vec());
        let given = pointers.iter().map(|(_, target)| target).chain(others);
        let mut roots: Vec<Type> = given.flat_map(leaves).map(|leaf| leaf.ty).collect();
        for (pointer, target) in &pointers {
            if *pointer == Pointer::Span {
                elements.extend(leaves(target).into_iter().map(|leaf| leaf.ty));
                roots.extend(cs.intern(Ty::Array(*target)).and_then(|array| cs.ir_type(array)));
            }
        }
        for body in reached(program, entry).into_iter().filter_map(|method| program.body(method)) {
            for (_, op) in body.ops() {
                match op.kind {
                    OpKind::GetField { field, .. } => _ = fields.insert(field),
                    OpKind::GetStatic { field, .. } => {
                        fields.insert(field);
                        roots.push(program.field(field).ty);
                    }
                    OpKind::PutField { field, .. } | OpKind::PutStatic { field, .. } => {
                        fields.insert(field);
                        written.insert(field);
                    }
                    OpKind::ArrayGet { array, .. } | OpKind::ArrayPut { array, .. } => {
                        if let Type::Array(array) = body.expr_type(array) {
                            elements.insert(program.element_type(array));
                        }
                    }
                    OpKind::Call { dispatch, method, ref args, .. }
                        if runs_platform_code(program, dispatch, method) =>
                    {
                        passed.extend(args.iter().map(|&arg| body.expr_type(arg)).filter(|ty| ty.is_reference()));
                    }
                    _ => {}
                }
            }
        }
        let behind = types_behind(program, roots);
        Ways { cs, callers, pointers, fields, written, elements, passed, behind }
    }

    /// The places to which the pointer argument with this number may point.
    pub(super) fn targets(&self, number: usize) -> Targets {
        let (pointer, wanted) = self.pointers[number];
        let mut found = Targets::default();
        if inputs::is_like_reference(self.cs, wanted) {
            return found;
        }
        for place in self.fields_of_type(wanted) {
            let is_noticed = match pointer {
                Pointer::ReadOnly => place.ids.iter().any(|id| self.written.contains(id)),
                _ => place.ids.iter().any(|id| self.fields.contains(id)),
            };
            let is_static = place.ids.iter().any(|&id| self.cs.program.field(id).is_static);
            let is_closed = place.is_init_only && pointer != Pointer::ReadOnly;
            if !is_noticed || is_closed || !is_static && !self.is_behind(&place.ids) {
                continue;
            }
            if place.is_hidden {
                found.is_lacking |= self.is_passed_on(&place.ids);
            } else {
                found.offered.push(if is_static { Target::Static(place.ids) } else { Target::Field(place.ids) });
            }
        }
        self.add_elements(&mut found, pointer, wanted);
        found.is_lacking |= self.is_part_of_other(number) || pointer == Pointer::Receiver && self.is_box(wanted);
        if pointer == Pointer::Span {
            found.is_lacking |= !found.offered.is_empty();
            found.offered.clear();
        }
        found.is_lacking |= found.offered.len() > MOST_TARGETS;
        found.offered.truncate(MOST_TARGETS);
        found
    }

    // ---- fields ---------------------------------------------------------------------------------------------------

    /// The fields of the program's own classes to which the code has a way, and fields of structs in them, that have a
    /// type.
    fn fields_of_type(&self, wanted: TyId) -> Vec<Place> {
        let mut owners: Vec<TyId> = Vec::new();
        for &field in &self.fields {
            let class = self.cs.program.field(field).class;
            if let Some(ClassKind::Type(owner)) = self.cs.loader.kind_of(class)
                && !self.cs.program.class(class).is_library
                && !owners.contains(&owner)
            {
                owners.push(owner);
            }
        }
        let mut found = Vec::new();
        for owner in owners {
            let Some((declared, _)) = self.cs.declared(owner) else { continue };
            let Ok(def) = self.cs.assembly(declared.assembly).type_def(declared.row) else { continue };
            for row in def.fields {
                // The instance fields of a struct are those of its box, to which no source refers.
                if let Ok(slot) = self.cs.field(owner, row)
                    && (slot.is_static || !self.cs.is_value(owner))
                {
                    self.collect((owner, row, slot.ty), &slot.ids, wanted, (false, false), &mut found);
                }
            }
        }
        found
    }

    /// Adds a field with these leaves if it has the wanted type, or those of its struct's fields that have.
    fn collect(
        &self,
        (owner, row, ty): (TyId, u32, TyId),
        ids: &[FieldId],
        wanted: TyId,
        (is_hidden, is_init_only): (bool, bool),
        found: &mut Vec<Place>,
    ) {
        let Some((declared, _)) = self.cs.declared(owner) else { return };
        let Ok(field) = self.cs.assembly(declared.assembly).field(row) else { return };
        let is_hidden = is_hidden || !self.callers.can_use(owner, field.access());
        let is_init_only = is_init_only || field.is_init_only();
        if ty == wanted {
            found.push(Place { ids: ids.to_vec(), is_hidden, is_init_only });
            return;
        }
        if !self.cs.is_struct(ty) {
            return;
        }
        let mut first = 0;
        for inner in self.cs.instance_fields(ty).iter().flat_map(|fields| fields.iter()) {
            let count = self.cs.leaves(inner.ty).map_or(0, |leaves| leaves.len());
            if let Some(ids) = ids.get(first..first + count) {
                self.collect((ty, inner.row, inner.ty), ids, wanted, (is_hidden, is_init_only), found);
            }
            first += count;
        }
    }

    /// Whether the caller may have objects with these fields to which the code has a way.
    fn is_behind(&self, ids: &[FieldId]) -> bool {
        ids.first().is_some_and(|&id| {
            let class = Type::Class(self.cs.program.field(id).class);
            self.behind.iter().any(|&ty| are_related(self.cs.program, ty, class))
        })
    }

    /// Whether methods of the program may give a reference to a field to methods that others call, or to their callers.
    fn is_passed_on(&self, ids: &[FieldId]) -> bool {
        let program = self.cs.program;
        let is_pointer = |&ty: &Type| super::is_pointer(self.cs, ty);
        program.own_methods().filter_map(|method| Some((method, program.body(method)?))).any(|(method, body)| {
            let points = body.ops().any(|(_, op)| match op.kind {
                OpKind::New { class, .. } => match self.cs.loader.kind_of(class) {
                    Some(ClassKind::FieldRef(own) | ClassKind::StaticRef(own)) => own.iter().any(|id| ids.contains(id)),
                    _ => false,
                },
                _ => false,
            });
            let passes = || {
                body.ops().any(|(_, op)| match op.kind {
                    OpKind::Call { method, .. } => {
                        !program.is_library_method(method) && program.method(method).params.iter().any(is_pointer)
                    }
                    _ => false,
                })
            };
            points && (program.method(method).result.as_ref().is_some_and(is_pointer) || passes())
        })
    }

    // ---- elements, boxes and other variables ----------------------------------------------------------------------

    /// Adds the elements of arrays.
    fn add_elements(&self, found: &mut Targets, pointer: Pointer, wanted: TyId) {
        let program = self.cs.program;
        let Ok(array) = self.cs.intern(Ty::Array(wanted)) else { return };
        let (Ok(ty), Ok(leaves)) = (self.cs.ir_type(array), self.cs.leaves(wanted)) else { return };
        let is_behind = |ty: Type| self.behind.iter().any(|&behind| are_related(program, behind, ty));
        let is_passed = |ty: Type| self.passed.iter().any(|&passed| program.is_assignable(ty, passed));
        let is_accessed = match arrays::is_object(self.cs, array) {
            true => arrays::fields(self.cs, array, wanted)
                .is_ok_and(|(planes, _)| planes.iter().any(|plane| self.fields.contains(plane))),
            // The code may have an array of references as one of another type.
            false => self
                .cs
                .element_type(wanted)
                .is_ok_and(|ty| self.elements.iter().any(|&other| are_related(program, ty, other))),
        };
        // A span is over the elements of an array anyway.
        if pointer != Pointer::Span && is_behind(ty) && (is_accessed || is_passed(ty)) {
            // Only arrays of exactly this type let callers refer to their elements.
            match leaves.iter().all(|leaf| self.is_exact(leaf.ty)) || self.cs.is_value(wanted) {
                true => found.offered.push(Target::Element(array)),
                false => found.is_lacking = true,
            }
        }
        let plain = |element: TyId| self.cs.intern(Ty::Array(element)).and_then(|array| self.cs.plain_array(array));
        let is_wanted = |inner: TyId| inner == wanted || plain(inner).is_ok_and(|inner| plain(wanted) == Ok(inner));
        found.is_lacking |= program.classes().any(|(class, _)| match self.cs.loader.kind_of(class) {
            Some(ClassKind::Type(other)) => {
                let inner = match *self.cs.ty(other) {
                    Ty::Array(inner) => inner != wanted && self.has_part(inner, wanted, pointer),
                    Ty::Grid(inner, _) => is_wanted(inner) || self.has_part(inner, wanted, pointer),
                    _ => false,
                };
                inner && self.is_used(class) && is_behind(Type::Class(class))
            }
            _ => false,
        });
    }

    /// Whether the code accesses the arrays of a class, or passes them on.
    fn is_used(&self, class: ClassId) -> bool {
        let program = self.cs.program;
        program.class(class).fields.iter().any(|field| self.fields.contains(field))
            || self.passed.iter().any(|&passed| program.is_assignable(Type::Class(class), passed))
    }

    /// Whether all objects that a type contains have exactly this type.
    fn is_exact(&self, ty: Type) -> bool {
        match ty {
            Type::Class(class) => self.cs.program.class(class).is_final,
            ty => !ty.is_reference(),
        }
    }

    /// Whether a struct has a field with a type to which callers can refer.
    fn has_part(&self, whole: TyId, wanted: TyId, pointer: Pointer) -> bool {
        if !self.cs.is_struct(whole) {
            return false;
        }
        let (Some((declared, _)), Ok(fields)) = (self.cs.declared(whole), self.cs.instance_fields(whole)) else {
            return false;
        };
        fields.iter().any(|inner| {
            let field = self.cs.assembly(declared.assembly).field(inner.row);
            let is_open = field.is_ok_and(|field| {
                self.callers.can_use(whole, field.access()) && (pointer == Pointer::ReadOnly || !field.is_init_only())
            });
            is_open && (inner.ty == wanted || self.has_part(inner.ty, wanted, pointer))
        })
    }

    /// Whether a pointer argument may point to a part of what another one points to.
    fn is_part_of_other(&self, number: usize) -> bool {
        let (pointer, wanted) = self.pointers[number];
        self.pointers.iter().enumerate().any(|(index, &(other, whole))| {
            let is_written = pointer != Pointer::ReadOnly || other != Pointer::ReadOnly;
            index != number && is_written && self.has_part(whole, wanted, pointer)
        })
    }

    /// Whether the receiver may be in a box to which the code has another way.
    fn is_box(&self, receiver: TyId) -> bool {
        let class = self.cs.class_of(receiver);
        let is_accessed =
            || self.cs.boxed_fields(receiver).is_ok_and(|ids| ids.iter().any(|id| self.fields.contains(id)));
        self.behind.iter().any(|&ty| are_related(self.cs.program, ty, Type::Class(class))) && is_accessed()
    }
}
