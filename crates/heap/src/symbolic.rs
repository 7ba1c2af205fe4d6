//! Implements symbolic initialization (paper 2, section 3.2): one heap for all shapes of the input, in which each
//! reference has a guarded value set.

use crate::cells::{Cells, suits};
use crate::combined::Map;
use crate::heap::{Access, Blocked, Heap, Meaning, Scope};
use crate::layout::Layout;
use crate::objects::{Object, Objects};
use crate::statics::Statics;
use crate::targets::{Choices, Target, Targets};
use crate::value::{ObjectId, Value, sort_of};
use aback_ir::{ClassId, FieldId, Program, Type};
use aback_logic::{Pool, Sort, Term};
use rustc_hash::FxBuildHasher;
use std::rc::Rc;

/// A heap in which each reference to the input heap has a guarded value set: the locations to which it can lead, each
/// with its condition.
///
/// A location is an object of the input heap, named by the reference that led to it first. A later reference is null,
/// equal to the reference of an earlier location, or leads to a location of its own. References of the program are terms: an
/// input reference, or a choice between others, whose set is the union of their sets under the conditions of the
/// choice. The solver is asked which members of a set are possible.
#[derive(Clone)]
pub struct Symbolic {
    objects: Objects,
    statics: Statics,
    /// The location map for input references (L in paper 2): the locations and their conditions, without null.
    sets: Map<Term, Rc<Targets>>,
    /// The locations of the input heap in the order in which they were found, with the types of the references.
    locations: Rc<Vec<(Term, Type)>>,
    /// The reference map for locations (R in paper 2): the current values of the fields that were initialized.
    fields: Map<(Term, FieldId), Value>,
    /// The current elements of the arrays that were initialized.
    cells: Map<(Term, Sort), Rc<Cells>>,
}

impl std::fmt::Debug for Symbolic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Symbolic({:?}, {:?})", self.objects, self.locations)
    }
}

impl Symbolic {
    /// The locations of a reference that is not null, each with its condition. Those that the path excludes are left out.
    fn set(&mut self, scope: &mut Scope, reference: Value, ty: Type) -> Targets {
        let chosen = match reference {
            Value::Object(id) => return Targets::from_iter([(Pool::TRUE, Target::Allocated(id))]),
            Value::Term(term) => Choices::of(scope, &self.objects, term).targets(scope.pool, &self.objects),
            _ => return Targets::new(),
        };
        let mut set = Targets::new();
        for (guard, target) in chosen {
            match target {
                Target::Allocated(_) => set.push((guard, target)),
                Target::Input(input) => {
                    for &(condition, location) in self.initialized(scope, input, ty).iter() {
                        let condition = scope.pool.and(guard, condition);
                        if scope.is_possible(condition) {
                            set.push((condition, location));
                        }
                    }
                }
            }
        }
        set
    }

    /// The guarded value set of an input reference (`init` in paper 2, section 3.2), without null.
    fn initialized(&mut self, scope: &mut Scope, reference: Term, ty: Type) -> Rc<Targets> {
        if let Some(set) = self.sets.get(&reference) {
            return Rc::clone(set);
        }
        let ty = scope.input.type_of(scope.program, reference, ty);
        let mut set = Targets::new();
        // A part of an object is a location to which no other reference leads.
        if scope.input.is_part(scope.program, scope.pool, reference) {
            set.push((Pool::TRUE, Target::Input(reference)));
        } else {
            let mut differs = vec![scope.pool.ne(reference, Pool::ZERO)];
            for &(location, other) in self.locations.iter() {
                if !may_meet(scope, ty, other) {
                    continue;
                }
                let is_alias = scope.pool.eq(reference, location);
                let mut condition = differs.clone();
                condition.push(is_alias);
                let condition = scope.pool.and_all(&condition);
                if scope.is_possible(condition) {
                    set.push((condition, Target::Input(location)));
                }
                differs.push(scope.pool.not(is_alias));
            }
            let is_new = scope.pool.and_all(&differs);
            let is_location = scope.is_possible(is_new);
            if is_location {
                set.push((is_new, Target::Input(reference)));
                Rc::make_mut(&mut self.locations).push((reference, ty));
            }
            if scope.is_observed {
                let types = if is_location { scope.input_types(reference, ty, None, is_new) } else { Vec::new() };
                scope.decide(reference, ty, Meaning::Guarded(types.into()));
            }
        }
        let set = Rc::new(set);
        self.sets.insert_mut(reference, Rc::clone(&set));
        set
    }

    /// The current value of a field of a location, which is initialized when it is first read.
    fn field(&mut self, scope: &mut Scope, location: Term, field: FieldId, ty: Type) -> Value {
        if let Some(&value) = self.fields.get(&(location, field)) {
            return value;
        }
        let value = scope.field_at_entry(location, field);
        if let (true, Value::Term(reference)) = (ty.is_reference(), value) {
            self.initialized(scope, reference, ty);
        }
        self.fields.insert_mut((location, field), value);
        value
    }

    /// The current elements of a location.
    fn cells(&mut self, scope: &mut Scope, location: Term, array_type: Type, element: Type) -> Option<Rc<Cells>> {
        if let Some(cells) = self.cells.get(&(location, sort_of(element))) {
            return Some(Rc::clone(cells));
        }
        let group = scope.layout.group(array_type)?;
        let elements = scope.input.elements(scope.pool, scope.program, group, element);
        let row = scope.pool.select(elements, location);
        Some(Rc::new(Cells::of(row)))
    }

    /// The value that `read` gives for the location of a reference.
    fn read_each(
        &mut self,
        scope: &mut Scope,
        (reference, of): (Value, Type),
        ty: Type,
        mut read: impl FnMut(&mut Self, &mut Scope, Target) -> Value,
    ) -> Value {
        let mut result = None;
        for (guard, target) in self.set(scope, reference, of) {
            let value = read(self, scope, target);
            // The conditions of a set exclude each other, and the reference is not null: the first one may be the rest.
            result = Some(match result {
                None => value,
                Some(rest) => Value::ite(scope.pool, guard, value, rest, ty),
            });
        }
        result.unwrap_or(Value::default_of(ty))
    }

    fn element(
        &mut self,
        scope: &mut Scope,
        target: Target,
        (array_type, element): (Type, Type),
        index: Value,
    ) -> Value {
        let index_type = scope.program.index_type();
        match target {
            Target::Allocated(id) => match self.objects.get(id) {
                Some(Object::Array { element: own, cells, .. }) if suits(*own, element) => {
                    cells.read(scope.pool, scope.domain, index, index_type, element)
                }
                _ => Value::default_of(element),
            },
            Target::Input(location) => {
                let Some(cells) = self.cells(scope, location, array_type, element) else {
                    return Value::default_of(element);
                };
                if let (true, Value::Term(base)) =
                    (element.is_reference(), scope.element_at_entry(location, array_type, element, index))
                {
                    self.initialized(scope, base, element);
                }
                cells.read(scope.pool, scope.domain, index, index_type, element)
            }
        }
    }
}

/// Whether references of two types can lead to the same object.
fn may_meet(scope: &Scope, one: Type, other: Type) -> bool {
    let types = |ty| scope.layout.exact_types(scope.program, ty);
    one == other || types(one).iter().any(|exact| types(other).contains(exact))
}

impl Heap for Symbolic {
    fn at_entry() -> Self {
        Symbolic {
            objects: Objects::new(),
            statics: Statics::default(),
            sets: Map::new_with_hasher_and_ptr_kind(FxBuildHasher),
            locations: Rc::default(),
            fields: Map::new_with_hasher_and_ptr_kind(FxBuildHasher),
            cells: Map::new_with_hasher_and_ptr_kind(FxBuildHasher),
        }
    }

    fn input(&mut self, scope: &mut Scope, name: &str, ty: Type) -> Value {
        let value = scope.any_reference(name, ty);
        // An observer hears of a reference that is only compared with null, too.
        if let (true, Value::Term(reference)) = (scope.is_observed, value) {
            self.initialized(scope, reference, ty);
        }
        value
    }

    fn allocate(&mut self, scope: &mut Scope, class: ClassId) -> Access<Self, Value> {
        let fields = scope.layout.shape(scope.program, class).defaults.clone();
        let object = Object::Instance { class, fields };
        self.objects.add(scope.identities, object).map(Value::Object).ok_or(Blocked::Exhausted)
    }

    fn allocate_array(&mut self, scope: &mut Scope, element: Type, length: Value, cells: Cells) -> Access<Self, Value> {
        let object = Object::Array { element, length, cells };
        self.objects.add(scope.identities, object).map(Value::Object).ok_or(Blocked::Exhausted)
    }

    #[inline]
    fn object(&self, id: ObjectId) -> Option<&Object> {
        self.objects.get(id)
    }

    #[inline]
    fn object_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        self.objects.get_mut(id)
    }

    fn read_field(&mut self, scope: &mut Scope, object: Value, field: FieldId) -> Access<Self, Value> {
        let (program, layout) = (scope.program, scope.layout);
        let declared = program.field(field);
        if let Value::Object(id) = object {
            let value = self.objects.get(id).and_then(|object| object.field(program, layout, field));
            return value.ok_or(Blocked::NoSuchCell);
        }
        let (ty, of) = (declared.ty, Type::Class(declared.class));
        Ok(self.read_each(scope, (object, of), ty, |heap, scope, target| match target {
            Target::Allocated(id) => {
                let value = heap.objects.get(id).and_then(|object| object.field(program, layout, field));
                value.unwrap_or(Value::default_of(ty))
            }
            Target::Input(location) => heap.field(scope, location, field, ty),
        }))
    }

    fn write_field(&mut self, scope: &mut Scope, object: Value, field: FieldId, value: Value) -> Access<Self, ()> {
        let (program, layout) = (scope.program, scope.layout);
        let declared = program.field(field);
        let (ty, of) = (declared.ty, Type::Class(declared.class));
        let is_object = matches!(object, Value::Object(_));
        let set = self.set(scope, object, of);
        let is_certain = set.len() == 1;
        for (guard, target) in set {
            match target {
                Target::Allocated(id) => {
                    let cell = self.objects.get_mut(id).and_then(|object| object.field_mut(program, layout, field));
                    match cell {
                        Some(cell) if is_certain => *cell = value,
                        Some(cell) => *cell = Value::ite(scope.pool, guard, value, *cell, ty),
                        None if is_object => return Err(Blocked::NoSuchCell),
                        // Where the object has no such field, its guard cannot hold.
                        None => {}
                    }
                }
                Target::Input(location) => {
                    let written = match is_certain {
                        true => value,
                        false => {
                            let old = self.field(scope, location, field, ty);
                            Value::ite(scope.pool, guard, value, old, ty)
                        }
                    };
                    self.fields.insert_mut((location, field), written);
                }
            }
        }
        Ok(())
    }

    fn read_static(&self, program: &Program, layout: &Layout, field: FieldId) -> Value {
        self.statics.read(program, layout, field)
    }

    fn write_static(&mut self, program: &Program, layout: &Layout, field: FieldId, value: Value) {
        self.statics.write(program, layout, field, value);
    }

    fn array_length(&mut self, scope: &mut Scope, array: Value, array_type: Type) -> Access<Self, Value> {
        let ty = scope.program.index_type();
        let length = |heap: &Self, id| match heap.objects.get(id) {
            Some(&Object::Array { length, .. }) => Some(length),
            _ => None,
        };
        if let Value::Object(id) = array {
            return length(self, id).ok_or(Blocked::NoSuchCell);
        }
        Ok(self.read_each(scope, (array, array_type), ty, |heap, scope, target| match target {
            Target::Allocated(id) => length(heap, id).unwrap_or(Value::default_of(ty)),
            Target::Input(location) => scope.length_at_entry(location, array_type),
        }))
    }

    fn read_element(
        &mut self,
        scope: &mut Scope,
        (array, array_type): (Value, Type),
        element: Type,
        index: Value,
    ) -> Access<Self, Value> {
        if let Value::Object(id) = array
            && !matches!(self.objects.get(id), Some(Object::Array { element: own, .. }) if suits(*own, element))
        {
            return Err(Blocked::NoSuchCell);
        }
        Ok(self.read_each(scope, (array, array_type), element, |heap, scope, target| {
            heap.element(scope, target, (array_type, element), index)
        }))
    }

    fn write_element(
        &mut self,
        scope: &mut Scope,
        (array, array_type): (Value, Type),
        element: Type,
        index: Value,
        value: Value,
    ) -> Access<Self, ()> {
        let index_type = scope.program.index_type();
        let set = self.set(scope, array, array_type);
        let is_certain = set.len() == 1;
        for (guard, target) in set {
            let written = match is_certain {
                true => value,
                false => {
                    let old = self.element(scope, target, (array_type, element), index);
                    Value::ite(scope.pool, guard, value, old, element)
                }
            };
            match target {
                Target::Allocated(id) => {
                    if let Some(Object::Array { element: own, cells, .. }) = self.objects.get_mut(id)
                        && suits(*own, element)
                    {
                        cells.write(scope.pool, scope.domain, (index, index_type), (written, element));
                    } else if is_certain {
                        return Err(Blocked::NoSuchCell);
                    }
                }
                Target::Input(location) => {
                    let Some(mut cells) = self.cells(scope, location, array_type, element) else { continue };
                    let own = Rc::make_mut(&mut cells);
                    own.write(scope.pool, scope.domain, (index, index_type), (written, element));
                    self.cells.insert_mut((location, sort_of(element)), cells);
                }
            }
        }
        Ok(())
    }

    fn exact_types(
        &mut self,
        scope: &mut Scope,
        reference: Value,
        ty: Type,
        tested: Option<Type>,
    ) -> Access<Self, Vec<(Term, Type)>> {
        let mut found: Vec<(Term, Type)> = Vec::new();
        for (guard, target) in self.set(scope, reference, ty) {
            let types: Vec<(Term, Type)> = match target {
                Target::Allocated(id) => {
                    let exact = self.objects.get(id).and_then(|object| object.exact_type(scope.program));
                    exact.map(|exact| (guard, exact)).into_iter().collect()
                }
                Target::Input(location) => scope.input_types(location, ty, tested, guard),
            };
            scope.add_types(&mut found, types);
        }
        Ok(found)
    }

    fn join(&self, _: &Self, _: &mut Scope, _: Term) -> Option<Self> {
        None
    }
}
