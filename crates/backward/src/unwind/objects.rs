//! Unwinds operations on objects: allocation, cells and types.

use super::Unwinder;
use super::facts::Known;
use super::run::Run;
use super::way::{Valued, Way};
use crate::graph::{Cell, Graph, Object, Step};
use crate::points::PointSet;
use aback_heap::{InputHeap, ObjectId, Value, progression, sort_of};
use aback_ir::{FieldId, LocalId, Type};
use aback_logic::Term;
use aback_symbolic::pure;
use aback_witness::Place;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Longest array whose elements have facts of their own.
const KNOWN_LENGTH: i64 = 1 << 14;
/// Longest array for which a read at an unknown index uses the facts of all elements.
const MOST_ELEMENTS: usize = 64;

/// A cell of an object.
#[derive(Clone, Debug)]
pub(super) struct At<'v> {
    pub cell: Cell,
    pub object: &'v Valued,
    /// The object's static type.
    pub of: Type,
    pub index: Option<Value>,
}

impl<'a> Unwinder<'a> {
    /// Allocates an object, or an array of a given length whose elements are number `input` of the inputs, or default
    /// values. Returns the value of a local that refers to it.
    pub(super) fn allocate(
        &mut self,
        way: &mut Way,
        target: Option<Term>,
        ty: Type,
        length: Option<Value>,
        input: Option<u32>,
        place: Place,
    ) -> Value {
        let number = self.graph.objects.len() as u32;
        let index_type = self.program.index_type();
        let length_term = length.map(|length| length.to_term(&mut self.pool, index_type));
        self.graph.objects.push(Object { ty, length: length_term, input });
        let target = target.unwrap_or_else(|| self.new_variable("new", ty));
        self.emit(way, Step::New { target, object: number }, place);
        if !self.config.facts {
            return Value::Term(target);
        }
        let cells: Vec<Known> = match (ty, length) {
            (Type::Class(class), _) => {
                let shape = self.layout.shape(self.program, class);
                shape.defaults.iter().map(|&value| Known::Value(value)).collect()
            }
            (Type::Array(array), Some(length)) => {
                let element = self.program.element_type(array);
                let known = match input {
                    None => Known::Value(Value::default_of(element)),
                    Some(_) => Known::Points(PointSet::inputs(element)),
                };
                if input.is_some()
                    && let Some(group) = self.layout.group(ty)
                {
                    Rc::make_mut(&mut way.facts.given).insert(Cell::Elements(group, sort_of(element)));
                }
                match length {
                    Value::Int(length) if (0..=KNOWN_LENGTH).contains(&length) => vec![known; length as usize],
                    _ => vec![known],
                }
            }
            _ => Vec::new(),
        };
        way.facts.store.insert(number, cells);
        Value::Object(ObjectId(number))
    }

    /// The slot of a field among the cells of its object.
    fn slot(&self, field: FieldId) -> usize {
        self.layout.slot(self.program, field)
    }

    /// The index of a cell among the known cells of its object; `None` if it is not known which cell it is.
    fn place_of(&self, at: &At) -> Option<usize> {
        match (at.cell, at.index) {
            (Cell::Field(field), _) => Some(self.slot(field)),
            (_, Some(Value::Int(index))) => usize::try_from(index).ok(),
            _ => None,
        }
    }

    /// What is known about a cell, from the facts about the object.
    fn known_at(&self, way: &Way, at: &At) -> Known {
        let Some(points) = at.object.points() else { return Known::NOTHING };
        let mut known: Option<Known> = None;
        let mut meet = |other: Known| {
            known = Some(match known.take() {
                None => other,
                Some(known) => known.join(&other),
            });
        };
        let place = self.place_of(at);
        if points.any {
            // Examining all objects for each read would take too long.
            let input = way.facts.given.contains(&at.cell);
            meet(Known::Points(Some(Rc::new(PointSet { null: true, any: true, input, ..PointSet::default() }))));
        }
        for object in points.members() {
            let place = if self.is_summarized(object) { Some(0) } else { place };
            match place {
                Some(place) => meet(way.facts.store.get(object, place).cloned().unwrap_or(Known::NOTHING)),
                None => {
                    let count = way.facts.store.len_of(object);
                    if count == 0 || count > MOST_ELEMENTS {
                        return Known::NOTHING;
                    }
                    for place in 0..count {
                        meet(way.facts.store.get(object, place).cloned().unwrap_or(Known::NOTHING));
                    }
                }
            }
        }
        if points.input {
            let held = match (at.cell, at.of) {
                (Cell::Field(field), _) => self.program.field(field).ty,
                (_, Type::Array(array)) => self.program.element_type(array),
                _ => Type::Int,
            };
            // A number that is written into an input object makes the cell mixed.
            let is_unset = matches!(at.cell, Cell::Field(field) if self.program.is_unset(field));
            meet(match (way.facts.mixed.contains(&at.cell), held.is_reference()) {
                (false, true) => Known::Points(PointSet::inputs(held)),
                (false, false) if is_unset => Known::Value(Value::default_of(held)),
                _ => Known::NOTHING,
            });
        }
        known.unwrap_or(Known::NOTHING)
    }

    /// Reads a cell of type `ty` of a non-null object into a local.
    pub(super) fn read(&mut self, run: &Run, way: &mut Way, dst: LocalId, at: At, ty: Type) {
        let known = if self.config.facts { self.known_at(way, &at) } else { Known::NOTHING };
        if let Known::Value(value) = known {
            return self.set(way, run.activation, dst, value.into(), run.place);
        }
        if self.config.facts && self.read_progression(run, way, dst, &at, ty) {
            return;
        }
        let target = self.variable(run.activation, dst);
        self.emit_read(way, target, &at, run.place);
        let points = if ty.is_reference() { known.points() } else { None };
        self.mark_not_null(way, target, points.as_ref().is_some_and(|points| !points.null));
        way.locals.values[dst.index()] = Value::Term(target);
        way.locals.points[dst.index()] = points;
    }

    /// Reads an element at an unknown index, or a field of one of many objects, if the known contents of these cells
    /// are an arithmetic progression, or objects that were allocated one after the other. Then the value is a linear
    /// term, and no writes have to be considered. Returns whether this is the case.
    fn read_progression(&mut self, run: &Run, way: &mut Way, dst: LocalId, at: &At, ty: Type) -> bool {
        let Some(points) = at.object.points().filter(|points| !points.any) else { return false };
        let value_of = |known: Option<&Known>| match known {
            Some(Known::Value(value)) => Some(*value),
            _ => None,
        };
        let store = &way.facts.store;
        let (from, values, place, place_type): (usize, Option<Vec<Value>>, Value, Type) = match (at.cell, at.index) {
            (Cell::Elements(..), Some(index)) if points.is_one() && !self.is_summarized(points.objects[0]) => {
                let array = points.objects[0];
                let values = (0..store.len_of(array)).map(|place| value_of(store.get(array, place))).collect();
                (0, values, index, self.program.index_type())
            }
            (Cell::Field(field), _) => {
                let Some((first, last)) = points.run else { return false };
                let slot = self.slot(field);
                let values = (first..=last).map(|object| value_of(store.get(object, slot))).collect();
                let object = at.object.value.to_term(&mut self.pool, at.of);
                let offset = self.pool.int(-1);
                (first as usize, values, Value::Term(self.pool.add(object, offset)), Type::Int)
            }
            _ => return false,
        };
        let Some(values) = values else { return false };
        let Some(value) = progression(&mut self.pool, (from, &values), place, place_type, ty) else { return false };
        let objects = match (values.first(), values.last()) {
            (Some(Value::Object(first)), Some(Value::Object(last))) => PointSet::run(first.0, last.0),
            _ => None,
        };
        let is_other = matches!(at.cell, Cell::Field(_)) && (points.input || !points.objects.is_empty());
        let (value, objects) = match points.run.filter(|_| is_other) {
            None => (value, objects),
            Some((first, last)) => {
                // The other possible objects are read as usual.
                let rest = Some(Rc::new(PointSet { run: None, ..(*points).clone() }));
                let rest = Valued { value: at.object.value, points: rest };
                let rest = At { object: &rest, ..at.clone() };
                let known = self.known_at(way, &rest);
                let other = match known {
                    Known::Value(value) => value,
                    Known::Points(_) => {
                        let target = self.new_variable("other", ty);
                        self.emit_read(way, target, &rest, run.place);
                        Value::Term(target)
                    }
                };
                let object = at.object.value.to_term(&mut self.pool, at.of);
                let (low, high) = (Graph::object_term(&mut self.pool, first), Graph::object_term(&mut self.pool, last));
                let within = [self.pool.le(low, object), self.pool.le(object, high)];
                let within = self.pool.and_all(&within);
                (Value::ite(&mut self.pool, within, value, other, ty), PointSet::union(&objects, &known.points()))
            }
        };
        let is_object = ty.is_reference() && objects.as_ref().is_some_and(|objects| !objects.null);
        self.set(way, run.activation, dst, Valued { value, points: objects }, run.place);
        if let Value::Term(_) = way.locals.values[dst.index()] {
            let variable = self.variable(run.activation, dst);
            self.mark_not_null(way, variable, is_object);
        }
        true
    }

    pub(super) fn emit_read(&mut self, way: &mut Way, target: Term, at: &At, place: Place) {
        let index_type = self.program.index_type();
        let object = at.object.value.to_term(&mut self.pool, at.of);
        let index = at.index.map(|index| index.to_term(&mut self.pool, index_type));
        self.emit(
            way,
            Step::Read { target, cell: at.cell, object, of: at.of, index, points: at.object.points() },
            place,
        );
    }

    /// Writes a cell of a non-null object.
    pub(super) fn write(&mut self, run: &Run, way: &mut Way, at: At, value: Valued, ty: Type) {
        let index_type = self.program.index_type();
        let object = at.object.value.to_term(&mut self.pool, at.of);
        let index = at.index.map(|index| index.to_term(&mut self.pool, index_type));
        let term = value.value.to_term(&mut self.pool, ty);
        self.emit(
            way,
            Step::Write { cell: at.cell, object, index, value: term, old: None, points: at.object.points() },
            run.place,
        );
        if self.config.facts {
            self.note_write(way, &at, &value, ty);
        }
    }

    fn note_write(&self, way: &mut Way, at: &At, value: &Valued, ty: Type) {
        let known = value.known();
        let place = self.place_of(at);
        let points = at.object.points();
        let objects: Vec<u32> = match &points {
            Some(points) if !points.any => points.members().collect(),
            _ => way.facts.store.objects().filter(|&object| self.has_cell(object, at.cell)).collect(),
        };
        let is_one = points.as_ref().is_some_and(|points| points.is_one());
        for object in objects {
            let is_summarized = self.is_summarized(object);
            let places = match place {
                Some(place) if !is_summarized => place..place + 1,
                _ => 0..way.facts.store.len_of(object),
            };
            let is_it = is_one && place.is_some() && !is_summarized;
            for place in places {
                let Some(old) = way.facts.store.get(object, place) else { continue };
                let new = if is_it { known.clone() } else { old.join(&known) };
                way.facts.store.set(object, place, new);
            }
        }
        let written = value.points();
        let may_be_input = points.as_ref().is_none_or(|points| points.input);
        let is_allocated = written.as_ref().is_none_or(|written| written.has_allocated());
        if may_be_input && (!ty.is_reference() || is_allocated) {
            Rc::make_mut(&mut way.facts.mixed).insert(at.cell);
        }
        if ty.is_reference() && written.is_none_or(|written| written.input) && !way.facts.given.contains(&at.cell) {
            Rc::make_mut(&mut way.facts.given).insert(at.cell);
        }
    }

    /// Whether one fact describes all elements of an allocated array.
    fn is_summarized(&self, object: u32) -> bool {
        let allocated = &self.graph.objects[object as usize];
        let length = allocated.length.map(|length| Value::from_term(&self.pool, length, self.program.index_type()));
        length.is_some_and(|length| !matches!(length, Value::Int(length) if (0..=KNOWN_LENGTH).contains(&length)))
    }

    /// Whether an allocated object has a cell of this family.
    fn has_cell(&self, object: u32, cell: Cell) -> bool {
        match (self.graph.objects[object as usize].ty, cell) {
            (Type::Class(class), Cell::Field(field)) => {
                self.program.is_subclass(class, self.program.field(field).class)
            }
            (Type::Array(array), Cell::Elements(_, sort)) => sort_of(self.program.element_type(array)) == sort,
            _ => false,
        }
    }

    /// The length of a non-null array.
    pub(super) fn length(&mut self, way: &mut Way, array: &Valued, ty: Type, place: Place) -> Value {
        let index_type = self.program.index_type();
        if let Value::Object(ObjectId(object)) = array.value
            && let Some(length) = self.graph.objects[object as usize].length
        {
            let length = Value::from_term(&self.pool, length, index_type);
            if !matches!(length, Value::Term(_)) {
                return length;
            }
        }
        let Some(group) = self.layout.group(ty) else { return Value::default_of(index_type) };
        let term = array.value.to_term(&mut self.pool, ty);
        if let Some(length) = way.facts.branches.read(Cell::Length(group), term) {
            return Value::Term(length);
        }
        let target = self.new_variable("length", index_type);
        self.emit_read(way, target, &At { cell: Cell::Length(group), object: array, of: ty, index: None }, place);
        Value::Term(target)
    }

    // ---- types ------------------------------------------------------------------------------------------------

    /// The exact types that a non-null object of static type `ty` may have, each with its condition. If `tested` is a
    /// type, all that matters is which of them can be assigned to it.
    pub(super) fn exact_types(
        &mut self,
        way: &mut Way,
        reference: &Valued,
        (ty, tested): (Type, Option<Type>),
        place: Place,
    ) -> Vec<(Value, Type)> {
        if let Value::Object(ObjectId(object)) = reference.value {
            return vec![(Value::Bool(true), self.graph.objects[object as usize].ty)];
        }
        let term = reference.value.to_term(&mut self.pool, ty);
        let points = reference.points();
        if let Some(points) = points.as_ref().filter(|points| !points.input && !points.any) {
            let mut found: Vec<(Term, Type)> = Vec::new();
            for object in points.members() {
                let exact = self.graph.objects[object as usize].ty;
                // A run may include other objects in between, to which the reference cannot point.
                if points.run.is_some() && !self.program.is_assignable(exact, ty) {
                    continue;
                }
                let id = Graph::object_term(&mut self.pool, object);
                let is_it = self.pool.eq(term, id);
                match found.iter_mut().find(|(_, other)| *other == exact) {
                    Some((condition, _)) => *condition = self.pool.or(*condition, is_it),
                    None => found.push((is_it, exact)),
                }
            }
            let only = found.len() == 1;
            let value = |term| if only { Value::Bool(true) } else { Value::from_term(&self.pool, term, Type::Bool) };
            return found.into_iter().map(|(condition, exact)| (value(condition), exact)).collect();
        }
        let mut possible: Vec<Type> = Vec::new();
        if points.as_ref().is_none_or(|points| points.input) {
            let of = points.as_ref().and_then(|points| points.of);
            let ty = of.filter(|&of| self.program.is_assignable(of, ty)).unwrap_or(ty);
            self.layout.note_use(self.program, ty, tested);
            possible.extend_from_slice(&self.layout.exact_types(self.program, ty));
        }
        let mut seen: FxHashSet<Type> = possible.iter().copied().collect();
        let allocated: Vec<Type> = match points.as_ref().filter(|points| !points.any) {
            Some(points) => points.members().map(|object| self.graph.objects[object as usize].ty).collect(),
            None => self.graph.objects.iter().map(|object| object.ty).collect(),
        };
        let allocated = allocated.into_iter().filter(|&exact| self.program.is_assignable(exact, ty));
        possible.extend(allocated.filter(|&exact| seen.insert(exact)));
        let Some(group) = self.layout.group(ty).filter(|_| possible.len() > 1) else {
            return possible.into_iter().map(|exact| (Value::Bool(true), exact)).collect();
        };
        let term = reference.value.to_term(&mut self.pool, ty);
        let target = match way.facts.branches.read(Cell::Tag(group), term) {
            Some(known) => known,
            None => {
                let target = self.new_variable("type", Type::Int);
                let at = At { cell: Cell::Tag(group), object: reference, of: ty, index: None };
                self.emit_read(way, target, &at, place);
                target
            }
        };
        let mut typed = |exact: Type| {
            let tag = self.pool.int(InputHeap::tag(exact));
            let is_it = self.pool.eq(target, tag);
            (Value::from_term(&self.pool, is_it, Type::Bool), exact)
        };
        possible.into_iter().map(&mut typed).collect()
    }

    /// Whether a non-null object is an instance of a type.
    pub(super) fn instance_of(
        &mut self,
        way: &mut Way,
        (object, static_type): (&Valued, Type),
        ty: Type,
        place: Place,
    ) -> Value {
        if self.program.is_assignable(static_type, ty) {
            return Value::Bool(true);
        }
        let types = self.exact_types(way, object, (static_type, Some(ty)), place);
        let (fitting, others): (Vec<_>, Vec<_>) =
            types.into_iter().partition(|&(_, exact)| self.program.is_assignable(exact, ty));
        pure::is_one_of(&mut self.pool, &fitting, others.is_empty())
    }
}
