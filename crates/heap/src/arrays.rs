//! Implements the mapping of heaps to the theory of arrays (paper 2, section 3.3).

use crate::cells::Cells;
use crate::combined::Map;
use crate::heap::{Access, Blocked, Heap, Scope};
use crate::input::InputHeap;
use crate::layout::{Group, Layout};
use crate::objects::Object;
use crate::statics::Statics;
use crate::value::{ObjectId, Value, sort_of};
use aback_ir::{ClassId, FieldId, Program, Type};
use aback_logic::{Pool, Sort, Term};
use rustc_hash::FxBuildHasher;
use std::rc::Rc;

/// A heap of array terms: one for each field, from objects to values. A write is a new version of the array, and a read
/// is an element of the current version, so that the solver decides which objects are the same.
///
/// Null is 0, objects of the input heap are negative, and the n-th allocated object is n. The contents of the input heap are
/// the first versions of the arrays.
#[derive(Clone)]
pub struct Arrays {
    /// The current versions, for what the path has written.
    fields: Map<FieldId, Term>,
    /// From arrays to their elements, which are arrays by index.
    elements: Map<(Group, Sort), Term>,
    lengths: Map<Group, Term>,
    /// From objects to the numbers of their exact types ([`InputHeap::tag`]).
    tags: Map<Group, Term>,
    /// The exact types of allocated objects, by identity.
    allocated: Rc<Vec<Type>>,
    statics: Statics,
}

impl std::fmt::Debug for Arrays {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Arrays({:?})", self.allocated)
    }
}

impl Arrays {
    fn field(&self, scope: &mut Scope, field: FieldId) -> Term {
        self.fields.get(&field).copied().unwrap_or_else(|| scope.input.field(scope.pool, scope.program, field))
    }

    fn elements(&self, scope: &mut Scope, group: Group, element: Type) -> Term {
        let known = self.elements.get(&(group, sort_of(element))).copied();
        known.unwrap_or_else(|| scope.input.elements(scope.pool, scope.program, group, element))
    }

    fn lengths(&self, scope: &mut Scope, group: Group) -> Term {
        self.lengths.get(&group).copied().unwrap_or_else(|| scope.input.lengths(scope.pool, scope.program, group))
    }

    /// A new object with an exact type.
    fn add(&mut self, scope: &mut Scope, exact: Type) -> Access<Self, (ObjectId, Term)> {
        let id = u32::try_from(self.allocated.len()).ok().filter(|&id| id < u32::MAX).ok_or(Blocked::Exhausted)?;
        Rc::make_mut(&mut self.allocated).push(exact);
        let object = Value::Object(ObjectId(id)).to_term(scope.pool, exact);
        if let Some(group) = scope.layout.group(exact)
            && !scope.layout.is_uniform(group)
        {
            let tags = self.tags.get(&group).copied().unwrap_or_else(|| scope.input.tags(scope.pool, group));
            let tag = scope.pool.int(InputHeap::tag(exact));
            let tags = scope.pool.store(tags, object, tag);
            self.tags.insert_mut(group, tags);
        }
        Ok((ObjectId(id), object))
    }

    fn exact_type(&self, ObjectId(id): ObjectId) -> Option<Type> {
        self.allocated.get(id as usize).copied()
    }

    /// Adds what holds for the value of a field of the input heap: paper 2 leaves it out, so that a reference read from
    /// the input could be an allocated object.
    fn meet_field(scope: &mut Scope, object: Term, field: FieldId, ty: Type) {
        let value = scope.field_at_entry(object, field).to_term(scope.pool, ty);
        let first = scope.input.field(scope.pool, scope.program, field);
        let base = scope.pool.select(first, object);
        let is_value = scope.pool.eq(base, value);
        scope.meet(is_value);
    }
}

impl Heap for Arrays {
    fn at_entry() -> Self {
        Arrays {
            fields: Map::new_with_hasher_and_ptr_kind(FxBuildHasher),
            elements: Map::new_with_hasher_and_ptr_kind(FxBuildHasher),
            lengths: Map::new_with_hasher_and_ptr_kind(FxBuildHasher),
            tags: Map::new_with_hasher_and_ptr_kind(FxBuildHasher),
            allocated: Rc::default(),
            statics: Statics::default(),
        }
    }

    fn input(&mut self, scope: &mut Scope, name: &str, ty: Type) -> Value {
        scope.any_reference(name, ty)
    }

    fn allocate(&mut self, scope: &mut Scope, class: ClassId) -> Access<Self, Value> {
        let (id, object) = self.add(scope, Type::Class(class))?;
        let shape = scope.layout.shape(scope.program, class);
        for (&field, &default) in shape.fields.iter().zip(&shape.defaults) {
            let values = self.field(scope, field);
            let default = default.to_term(scope.pool, scope.program.field(field).ty);
            let values = scope.pool.store(values, object, default);
            self.fields.insert_mut(field, values);
        }
        Ok(Value::Object(id))
    }

    fn allocate_array(&mut self, scope: &mut Scope, element: Type, length: Value, cells: Cells) -> Access<Self, Value> {
        let program = scope.program;
        let exact = match program.grows() {
            true => program.array_of(element),
            false => program.array_type(element).map(Type::Array).ok_or(Blocked::NoSuchCell)?,
        };
        let group = scope.layout.group(exact).ok_or(Blocked::NoSuchCell)?;
        let (id, object) = self.add(scope, exact)?;
        let index_type = program.index_type();
        let (lengths, length) = (self.lengths(scope, group), length.to_term(scope.pool, index_type));
        let lengths = scope.pool.store(lengths, object, length);
        self.lengths.insert_mut(group, lengths);
        let (writes, base) = cells.writes(element);
        let mut row = base.unwrap_or_else(|| {
            let sort = scope.pool.array_sort(sort_of(index_type), sort_of(element));
            let default = Value::default_of(element).to_term(scope.pool, element);
            scope.pool.const_array(sort, default)
        });
        for (index, value) in writes {
            let (index, value) = (index.to_term(scope.pool, index_type), value.to_term(scope.pool, element));
            row = scope.pool.store(row, index, value);
        }
        let elements = self.elements(scope, group, element);
        let elements = scope.pool.store(elements, object, row);
        self.elements.insert_mut((group, sort_of(element)), elements);
        Ok(Value::Object(id))
    }

    fn object(&self, _: ObjectId) -> Option<&Object> {
        None
    }

    fn object_mut(&mut self, _: ObjectId) -> Option<&mut Object> {
        None
    }

    fn read_field(&mut self, scope: &mut Scope, object: Value, field: FieldId) -> Access<Self, Value> {
        let declared = scope.program.field(field);
        if let Value::Object(id) = object
            && !matches!(self.exact_type(id), Some(Type::Class(class)) if scope.program.is_subclass(class, declared.class))
        {
            return Err(Blocked::NoSuchCell);
        }
        let values = self.field(scope, field);
        let reference = object.to_term(scope.pool, Type::Class(declared.class));
        if let Value::Term(_) = object {
            Self::meet_field(scope, reference, field, declared.ty);
        }
        let value = scope.pool.select(values, reference);
        Ok(Value::from_term(scope.pool, value, declared.ty))
    }

    fn write_field(&mut self, scope: &mut Scope, object: Value, field: FieldId, value: Value) -> Access<Self, ()> {
        let declared = scope.program.field(field);
        let values = self.field(scope, field);
        let object = object.to_term(scope.pool, Type::Class(declared.class));
        let value = value.to_term(scope.pool, declared.ty);
        let values = scope.pool.store(values, object, value);
        self.fields.insert_mut(field, values);
        Ok(())
    }

    fn read_static(&self, program: &Program, layout: &Layout, field: FieldId) -> Value {
        self.statics.read(program, layout, field)
    }

    fn write_static(&mut self, program: &Program, layout: &Layout, field: FieldId, value: Value) {
        self.statics.write(program, layout, field, value);
    }

    fn array_length(&mut self, scope: &mut Scope, array: Value, array_type: Type) -> Access<Self, Value> {
        let group = scope.layout.group(array_type).ok_or(Blocked::NoSuchCell)?;
        let lengths = self.lengths(scope, group);
        let array = array.to_term(scope.pool, array_type);
        let length = scope.pool.select(lengths, array);
        // Allocated arrays have possible lengths, too.
        let axiom = InputHeap::length_axiom(scope.pool, scope.program, length);
        scope.meet(axiom);
        let limit = scope.input.length_limit(scope.pool, scope.program, scope.layout, (array, array_type), length);
        scope.meet(limit);
        Ok(Value::from_term(scope.pool, length, scope.program.index_type()))
    }

    fn read_element(
        &mut self,
        scope: &mut Scope,
        (array, array_type): (Value, Type),
        element: Type,
        index: Value,
    ) -> Access<Self, Value> {
        let group = scope.layout.group(array_type).ok_or(Blocked::NoSuchCell)?;
        let elements = self.elements(scope, group, element);
        let reference = array.to_term(scope.pool, array_type);
        if let (Value::Term(_), true) = (array, element.is_reference()) {
            scope.element_at_entry(reference, array_type, element, index);
        }
        let row = scope.pool.select(elements, reference);
        let index = index.to_term(scope.pool, scope.program.index_type());
        let value = scope.pool.select(row, index);
        Ok(Value::from_term(scope.pool, value, element))
    }

    fn write_element(
        &mut self,
        scope: &mut Scope,
        (array, array_type): (Value, Type),
        element: Type,
        index: Value,
        value: Value,
    ) -> Access<Self, ()> {
        let group = scope.layout.group(array_type).ok_or(Blocked::NoSuchCell)?;
        let elements = self.elements(scope, group, element);
        let index = index.to_term(scope.pool, scope.program.index_type());
        let (array, value) = (array.to_term(scope.pool, array_type), value.to_term(scope.pool, element));
        let row = scope.pool.select(elements, array);
        let row = scope.pool.store(row, index, value);
        let elements = scope.pool.store(elements, array, row);
        self.elements.insert_mut((group, sort_of(element)), elements);
        Ok(())
    }

    fn exact_types(
        &mut self,
        scope: &mut Scope,
        reference: Value,
        ty: Type,
        tested: Option<Type>,
    ) -> Access<Self, Vec<(Term, Type)>> {
        if let Value::Object(id) = reference {
            return Ok(self.exact_type(id).map(|exact| (Pool::TRUE, exact)).into_iter().collect());
        }
        let reference = reference.to_term(scope.pool, ty);
        let ty = scope.input.type_of(scope.program, reference, ty);
        scope.layout.note_use(scope.program, ty, tested);
        let mut possible: Vec<Type> = scope.layout.exact_types(scope.program, ty).to_vec();
        for &exact in self.allocated.iter() {
            if !possible.contains(&exact) && scope.program.is_assignable(exact, ty) {
                possible.push(exact);
            }
        }
        let mut found = Vec::new();
        for exact in possible {
            let tags = scope.layout.group(exact).filter(|&group| !scope.layout.is_uniform(group));
            let condition = match tags {
                Some(group) => {
                    let tags = self.tags.get(&group).copied().unwrap_or_else(|| scope.input.tags(scope.pool, group));
                    let actual = scope.pool.select(tags, reference);
                    let tag = scope.pool.int(InputHeap::tag(exact));
                    scope.pool.eq(actual, tag)
                }
                None => Pool::TRUE,
            };
            if scope.domain.decide(scope.pool, condition) != Some(false) {
                found.push((condition, exact));
            }
        }
        Ok(found)
    }

    fn join(&self, _: &Self, _: &mut Scope, _: Term) -> Option<Self> {
        None
    }
}
