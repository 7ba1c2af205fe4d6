//! Finds the cells in which two heaps of one path differ, and reads and writes them as terms.

use crate::cells::Cells;
use crate::combined::Combined;
use crate::heap::Scope;
use crate::layout::Group;
use crate::objects::Object;
use crate::value::{ObjectId, Value, sort_of};
use aback_ir::{FieldId, Type};
use aback_logic::{Sort, Term};

/// Arrays with at least so many elements are long.
const LONG: usize = 12;
/// If more elements of an array differ, it differs as a whole.
pub(crate) const FEW: usize = 8;

/// A cell, or all elements of an array, that is in a heap and in all heaps that follow it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// A static field, by slot.
    Static(usize),
    /// A field of an allocated object, by slot.
    Field(ObjectId, usize),
    /// An element of an allocated array, by its index.
    Element(ObjectId, usize),
    /// The elements of an allocated array.
    Elements(ObjectId),
    /// A field of one object of the input heap.
    InputField(FieldId, Term),
    /// A field of all objects of the input heap.
    InputFields(FieldId),
    /// An element of one array of the input heap, by its index.
    InputElement(Group, Sort, Term, i64),
    /// The elements of one array of the input heap.
    InputArray(Group, Sort, Term),
    /// The elements of all arrays of the input heap of a group that have elements of a sort.
    InputArrays(Group, Sort),
}

impl Place {
    /// The smallest place that contains this one and another. `None` if these have nothing in common. Objects of the input heap
    /// may be aliases.
    pub fn joined(self, other: Place) -> Option<Place> {
        use Place::*;
        match (self, other) {
            _ if self == other => Some(self),
            (Element(one, _), Elements(of)) | (Elements(of), Element(one, _)) => (one == of).then_some(Elements(of)),
            (InputField(one, _) | InputFields(one), InputField(other, _) | InputFields(other)) => {
                (one == other).then_some(InputFields(one))
            }
            (InputElement(_, _, one, _), InputElement(_, _, other, _)) if one == other => None,
            _ => {
                let ((group, sort, one), (other_group, other_sort, other)) =
                    (self.input_array()?, other.input_array()?);
                let array = one.filter(|_| one == other);
                (group == other_group && sort == other_sort).then_some(match array {
                    Some(array) => InputArray(group, sort, array),
                    None => InputArrays(group, sort),
                })
            }
        }
    }

    /// The array of the input heap of which this is a part, or `None` for all of them.
    fn input_array(self) -> Option<(Group, Sort, Option<Term>)> {
        match self {
            Place::InputElement(group, sort, array, _) | Place::InputArray(group, sort, array) => {
                Some((group, sort, Some(array)))
            }
            Place::InputArrays(group, sort) => Some((group, sort, None)),
            _ => None,
        }
    }
}

/// What a place contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// A value of a type.
    Value(Value, Type),
    /// The elements of an array, as a term of an array sort, and their type.
    Elements(Term, Type),
}

impl Combined {
    /// The places of an earlier heap of the path that have other contents now. `None` if some of the differences are in no
    /// such place. The iterations of a loop have the first
    /// `floor` variables in common.
    pub(crate) fn changed_places(&self, scope: &Scope, earlier: &Combined, floor: usize) -> Option<Vec<Place>> {
        let mut places = self.changed_inputs(scope, earlier, floor)?;
        for slot in 0..scope.layout.statics().len() {
            let types = scope.layout.statics();
            let ty = *types.get(slot)?;
            if self.statics.at(slot, ty) != earlier.statics.at(slot, ty) {
                places.push(Place::Static(slot));
            }
        }
        for (id, before) in earlier.objects.iter() {
            match (&**before, self.objects.get(id)?) {
                (Object::Instance { fields, .. }, Object::Instance { fields: now, .. }) => {
                    let slots = fields.iter().zip(now).enumerate().filter(|(_, (before, now))| before != now);
                    places.extend(slots.map(|(slot, _)| Place::Field(id, slot)));
                }
                (Object::Array { cells, .. }, Object::Array { cells: now, .. }) => {
                    places.extend(changed_elements(id, cells, now));
                }
                _ => return None,
            }
        }
        Some(places)
    }

    /// What a place contains; `None` if this heap has no such place.
    pub(crate) fn content_at(&self, scope: &mut Scope, place: Place) -> Option<Content> {
        match place {
            Place::Static(slot) => {
                let ty = *scope.layout.statics().get(slot)?;
                Some(Content::Value(self.statics.at(slot, ty), ty))
            }
            Place::Field(id, slot) => match self.objects.get(id)? {
                Object::Instance { class, fields } => {
                    let field = *scope.layout.shape(scope.program, *class).fields.get(slot)?;
                    Some(Content::Value(*fields.get(slot)?, scope.program.field(field).ty))
                }
                Object::Array { .. } => None,
            },
            Place::Element(id, at) => match self.objects.get(id)? {
                Object::Array { element, cells: Cells::Dense(cells), .. } => {
                    Some(Content::Value(*cells.get(at)?, *element))
                }
                _ => None,
            },
            Place::Elements(id) => match self.objects.get(id)? {
                Object::Array { element, cells, .. } => {
                    let term = elements(scope, cells, *element);
                    Some(Content::Elements(term, *element))
                }
                Object::Instance { .. } => None,
            },
            _ => self.input_content(scope, place),
        }
    }

    /// Sets what a place contains.
    pub(crate) fn set_content_at(&mut self, scope: &mut Scope, place: Place, content: Content) {
        match (place, content) {
            (Place::Static(slot), Content::Value(value, _)) => self.statics.set(scope.layout, slot, value),
            (Place::Field(id, slot), Content::Value(value, _)) => {
                if let Some(Object::Instance { fields, .. }) = self.objects.get_mut(id)
                    && let Some(field) = fields.get_mut(slot)
                {
                    *field = value;
                }
            }
            (Place::Element(id, at), Content::Value(value, _)) => {
                if let Some(Object::Array { cells: Cells::Dense(cells), .. }) = self.objects.get_mut(id)
                    && let Some(cell) = cells.get_mut(at)
                {
                    *cell = value;
                }
            }
            (Place::Elements(id), Content::Elements(term, _)) => {
                if let Some(Object::Array { cells, .. }) = self.objects.get_mut(id) {
                    *cells = Cells::of(term);
                }
            }
            _ => self.set_input_content(scope, place, content),
        }
    }

    /// Replaces the elements of long arrays by those of a variable, if some are not constants, and returns what holds of it.
    pub(crate) fn name_long_arrays(&mut self, scope: &mut Scope) -> Vec<Term> {
        let is_long = |object: &Object| match object {
            Object::Array { element, cells: Cells::Dense(cells), .. } => {
                !element.is_reference()
                    && cells.len() >= LONG
                    && cells.iter().any(|cell| matches!(cell, Value::Term(_)))
            }
            _ => false,
        };
        let long: Vec<ObjectId> = self.objects.iter().filter(|(_, object)| is_long(object)).map(|(id, _)| id).collect();
        let index = scope.program.index_type();
        let mut facts = Vec::new();
        for id in long {
            let Some(Object::Array { element, cells, .. }) = self.objects.get_mut(id) else { continue };
            let Cells::Dense(known) = &*cells else { continue };
            let pool = &mut *scope.pool;
            let sort = pool.array_sort(sort_of(index), sort_of(*element));
            let named = pool.fresh_var("elements", sort);
            for (at, cell) in known.iter().enumerate() {
                let at = Value::Int(at as i64).to_term(pool, index);
                let (read, cell) = (pool.select(named, at), cell.to_term(pool, *element));
                facts.push(pool.eq(read, cell));
            }
            *cells = Cells::of(named);
        }
        facts
    }
}

/// The places of an allocated array in which its elements differ.
fn changed_elements(array: ObjectId, before: &Cells, now: &Cells) -> Vec<Place> {
    if before == now {
        return Vec::new();
    }
    let (Cells::Dense(before), Cells::Dense(now)) = (before, now) else { return vec![Place::Elements(array)] };
    let changed = before.iter().zip(now).enumerate().filter(|(_, (before, now))| before != now);
    let changed: Vec<Place> = changed.map(|(at, _)| Place::Element(array, at)).collect();
    if changed.len() > FEW { vec![Place::Elements(array)] } else { changed }
}

/// The elements of an array as a term.
fn elements(scope: &mut Scope, cells: &Cells, element: Type) -> Term {
    let index = scope.program.index_type();
    let (writes, base) = cells.writes(element);
    let pool = &mut *scope.pool;
    let mut term = base.unwrap_or_else(|| {
        let sort = pool.array_sort(sort_of(index), sort_of(element));
        let default = Value::default_of(element).to_term(pool, element);
        pool.const_array(sort, default)
    });
    for (at, value) in writes {
        let (at, value) = (at.to_term(pool, index), value.to_term(pool, element));
        term = pool.store(term, at, value);
    }
    term
}
