//! Stores allocated objects by their identities.

use crate::cells::Cells;
use crate::layout::Layout;
use crate::value::{ObjectId, Value};
use aback_ir::{ClassId, FieldId, Program, Type};
use rpds::Vector;
use smallvec::SmallVec;
use std::cell::Cell;
use std::rc::Rc;

/// Number of identities that a heap takes at a time, so that objects that it allocates in sequence have consecutive
/// identities even if other heaps allocate in between.
const SHARE: u32 = 256;

/// The identities that the heaps of one exploration have not taken yet. All heaps of the exploration share them, so
/// that an identity denotes the same object in all of them.
#[derive(Debug, Default)]
pub struct Identities {
    next: Cell<u32>,
}

impl Identities {
    /// Takes [`SHARE`] consecutive identities and returns the first; `None` if there are no more.
    fn take(&self) -> Option<u32> {
        let first = self.next.get();
        self.next.set(first.checked_add(SHARE)?);
        Some(first)
    }
}

/// An allocated object.
#[derive(Clone, PartialEq, Debug)]
pub enum Object {
    /// An instance of a class.
    Instance {
        /// Its exact class.
        class: ClassId,
        /// The values of its instance fields by slot.
        fields: Vec<Value>,
    },
    /// An array.
    Array {
        /// Type of its elements.
        element: Type,
        /// Its length.
        length: Value,
        /// Its elements.
        cells: Cells,
    },
}

impl Object {
    /// The exact type; `None` if the program does not name the type of the array.
    pub(crate) fn exact_type(&self, program: &Program) -> Option<Type> {
        match self {
            Object::Instance { class, .. } => Some(Type::Class(*class)),
            Object::Array { element, .. } if program.grows() => Some(program.array_of(*element)),
            Object::Array { element, .. } => program.array_type(*element).map(Type::Array),
        }
    }

    /// The value of a field; `None` if the object has no such field.
    #[inline]
    pub fn field(&self, program: &Program, layout: &Layout, field: FieldId) -> Option<Value> {
        let Object::Instance { class, fields } = self else { return None };
        fields.get(layout.slot_in(program, *class, field)?).copied()
    }

    /// Mutable access to a field; `None` if the object has no such field.
    #[inline]
    pub fn field_mut(&mut self, program: &Program, layout: &Layout, field: FieldId) -> Option<&mut Value> {
        let Object::Instance { class, fields } = self else { return None };
        fields.get_mut(layout.slot_in(program, *class, field)?)
    }

    /// The element of an array at an index; `None` unless the index is concrete and the elements are stored one by one.
    #[inline]
    pub fn element(&self, index: Value) -> Option<Value> {
        let Object::Array { cells, .. } = self else { return None };
        cells.at(index)
    }

    /// The values of the fields or elements that are stored one by one.
    pub(crate) fn values(&self) -> impl Iterator<Item = Value> {
        let (dense, writes): (&[Value], &[(Value, Value)]) = match self {
            Object::Instance { fields, .. } => (fields, &[]),
            Object::Array { cells: Cells::Dense(cells), .. } => (cells, &[]),
            Object::Array { cells: Cells::Writes(writes, _), .. } => (&[], writes),
        };
        dense.iter().copied().chain(writes.iter().map(|&(_, value)| value))
    }

    /// Whether a field, an element or the length is a term.
    pub(crate) fn has_terms(&self) -> bool {
        let is_term = |value: &Value| matches!(value, Value::Term(_));
        let of_array = match self {
            Object::Instance { .. } => false,
            Object::Array { length, cells, .. } => is_term(length) || matches!(cells, Cells::Writes(..)),
        };
        of_array || self.values().any(|value| is_term(&value))
    }

    /// Mutable access to the element of an array at an index; `None` in the same cases.
    #[inline]
    pub fn element_mut(&mut self, index: Value) -> Option<&mut Value> {
        let Object::Array { cells, .. } = self else { return None };
        cells.at_mut(index)
    }
}

/// Objects with consecutive identities: `first` is the identity of the first, `start` its position in the store.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Segment {
    first: u32,
    start: u32,
}

/// The objects of a heap in the order of their identities. Cloning takes constant time.
#[derive(Debug)]
pub(crate) struct Objects {
    store: Vector<Rc<Object>>,
    /// The segments before the last one.
    earlier: Rc<Vec<Segment>>,
    last: Segment,
    /// Number of identities after the last object that this heap has taken and not used.
    free: u32,
}

/// The clone starts without unused identities.
impl Clone for Objects {
    fn clone(&self) -> Self {
        Objects { store: self.store.clone(), earlier: Rc::clone(&self.earlier), last: self.last, free: 0 }
    }
}

impl Objects {
    pub(crate) fn new() -> Self {
        Objects { store: Vector::new(), earlier: Rc::default(), last: Segment { first: 0, start: 0 }, free: 0 }
    }

    /// The position of an object in the store. It may lie beyond the end if this heap has no such object.
    #[inline]
    fn place(&self, id: ObjectId) -> Option<usize> {
        let place = match id.0.checked_sub(self.last.first) {
            Some(offset) => self.last.start as usize + offset as usize,
            None => self.earlier_place(id)?,
        };
        Some(place)
    }

    #[cold]
    fn earlier_place(&self, id: ObjectId) -> Option<usize> {
        let after = self.earlier.partition_point(|segment| segment.first <= id.0);
        let segment = self.earlier[after.checked_sub(1)?];
        let end = self.earlier.get(after).unwrap_or(&self.last).start;
        let place = segment.start + (id.0 - segment.first);
        (place < end).then_some(place as usize)
    }

    #[inline]
    pub(crate) fn get(&self, id: ObjectId) -> Option<&Object> {
        self.store.get(self.place(id)?).map(Rc::as_ref)
    }

    /// An object as heaps share it.
    pub(crate) fn shared(&self, id: ObjectId) -> Option<&Rc<Object>> {
        self.store.get(self.place(id)?)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        let place = self.place(id)?;
        self.store.get_mut(place).map(Rc::make_mut)
    }

    /// The identity of the last object.
    pub(crate) fn youngest(&self) -> Option<ObjectId> {
        let len = u32::try_from(self.store.len()).ok()?;
        Some(ObjectId(self.last.first + len.checked_sub(self.last.start)?.checked_sub(1)?))
    }

    /// Adds an object; `None` if there are no more identities.
    pub(crate) fn add(&mut self, identities: &Identities, object: Object) -> Option<ObjectId> {
        let len = u32::try_from(self.store.len()).ok()?;
        let mut id = self.last.first + (len - self.last.start);
        if self.free == 0 {
            let first = identities.take()?;
            if first != id || self.store.is_empty() {
                self.end_segment();
                self.last = Segment { first, start: len };
                id = first;
            }
            self.free = SHARE;
        }
        self.free -= 1;
        self.store.push_back_mut(Rc::new(object));
        Some(ObjectId(id))
    }

    /// Appends the last segment to the earlier ones, unless it is empty.
    fn end_segment(&mut self) {
        if self.store.len() > self.last.start as usize {
            Rc::make_mut(&mut self.earlier).push(self.last);
        }
    }

    /// The identities of objects from `first` to `last`, as runs without gaps. Each run is given by its first identity
    /// and the number after its last one.
    pub(crate) fn runs(&self, first: ObjectId, last: ObjectId) -> SmallVec<[(u32, u32); 1]> {
        let mut runs = SmallVec::new();
        let segments = self.earlier.iter().chain(std::iter::once(&self.last));
        let starts = self.earlier.iter().skip(1).chain(std::iter::once(&self.last)).map(|segment| segment.start);
        let ends = starts.chain(std::iter::once(self.store.len() as u32));
        // Without earlier segments, `starts` begins with the start of the last segment, which ends no segment.
        let ends = ends.skip(usize::from(self.earlier.is_empty()));
        for (segment, end) in segments.zip(ends) {
            let behind = segment.first + (end - segment.start);
            let (from, to) = (segment.first.max(first.0), behind.min(last.0.saturating_add(1)));
            if from < to {
                runs.push((from, to));
            }
        }
        runs
    }

    /// The objects with their identities, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ObjectId, &Rc<Object>)> {
        let runs = self.runs(ObjectId(0), ObjectId(u32::MAX));
        runs.into_iter().flat_map(|(from, to)| from..to).map(ObjectId).zip(self.store.iter())
    }

    /// The versions of the objects that are in both stores and were changed in one of them.
    pub(crate) fn pairs<'a>(&'a self, other: &'a Objects) -> impl Iterator<Item = (&'a Object, &'a Object)> {
        let mut theirs = other.iter().peekable();
        self.iter().filter_map(move |(id, object)| {
            while theirs.next_if(|&(other, _)| other < id).is_some() {}
            let (_, other) = theirs.next_if(|&(other, _)| other == id)?;
            (!Rc::ptr_eq(object, other)).then_some((&**object, &**other))
        })
    }

    /// Joins two stores. If an object is in both and differs, `both` joins its two versions. `None` if `both` returns
    /// `None`.
    pub(crate) fn join(
        &self,
        other: &Objects,
        mut both: impl FnMut(&Object, &Object) -> Option<Object>,
    ) -> Option<Objects> {
        let mut joined = Objects::new();
        let mut ours = self.iter().peekable();
        let mut theirs = other.iter().peekable();
        loop {
            let ((id, object), is_in_both) = match (ours.peek(), theirs.peek()) {
                (Some(&(id, object)), Some(&(other_id, other))) if id == other_id => {
                    let merged =
                        if Rc::ptr_eq(object, other) { Rc::clone(object) } else { Rc::new(both(object, other)?) };
                    ((id, merged), true)
                }
                (Some(&(id, _)), Some(&(other_id, other))) if other_id < id => ((other_id, Rc::clone(other)), false),
                (Some(&(id, object)), _) => ((id, Rc::clone(object)), false),
                (None, Some(&(id, other))) => ((id, Rc::clone(other)), false),
                (None, None) => return Some(joined),
            };
            if is_in_both || ours.peek().is_some_and(|&(our, _)| our == id) {
                ours.next();
            }
            if is_in_both || theirs.peek().is_some_and(|&(their, _)| their == id) {
                theirs.next();
            }
            joined.push(id, object);
        }
    }

    /// Adds an object with a greater identity than all others.
    fn push(&mut self, ObjectId(id): ObjectId, object: Rc<Object>) {
        let len = self.store.len() as u32;
        if self.store.is_empty() || id != self.last.first + (len - self.last.start) {
            self.end_segment();
            self.last = Segment { first: id, start: len };
        }
        self.store.push_back_mut(object);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(class: u32) -> Object {
        Object::Instance { class: ClassId(class), fields: Vec::new() }
    }

    fn all(objects: &Objects) -> Vec<(u32, u32)> {
        let class = |object: &Object| match object {
            Object::Instance { class, .. } => class.0,
            Object::Array { .. } => u32::MAX,
        };
        for (id, stored) in objects.iter() {
            assert_eq!(objects.get(id), Some(&**stored), "{id:?}");
        }
        objects.iter().map(|(id, object)| (id.0, class(object))).collect()
    }

    #[test]
    fn identities_of_clones_differ() {
        let identities = Identities::default();
        let mut one = Objects::new();
        one.add(&identities, object(0)).unwrap();
        let mut two = one.clone();
        assert_eq!(one.add(&identities, object(1)), Some(ObjectId(1)));
        assert_eq!(two.add(&identities, object(2)), Some(ObjectId(SHARE)));
        assert_eq!(one.add(&identities, object(3)), Some(ObjectId(2)));
        assert_eq!(two.add(&identities, object(4)), Some(ObjectId(SHARE + 1)));
        assert_eq!(all(&one), [(0, 0), (1, 1), (2, 3)]);
        assert_eq!(all(&two), [(0, 0), (SHARE, 2), (SHARE + 1, 4)]);
        assert_eq!(two.get(ObjectId(1)), None);
        assert_eq!(one.get(ObjectId(SHARE)), None);
        assert_eq!((one.youngest(), two.youngest()), (Some(ObjectId(2)), Some(ObjectId(SHARE + 1))));
        assert_eq!(two.runs(ObjectId(0), ObjectId(u32::MAX))[..], [(0, 1), (SHARE, SHARE + 2)]);
        assert_eq!(two.runs(ObjectId(1), ObjectId(SHARE))[..], [(SHARE, SHARE + 1)]);
    }

    #[test]
    fn one_heap_alone_has_all_identities() {
        let (identities, mut objects) = (Identities::default(), Objects::new());
        assert_eq!(objects.youngest(), None);
        assert!(objects.runs(ObjectId(0), ObjectId(u32::MAX)).is_empty());
        for number in 0..3 * SHARE {
            assert_eq!(objects.add(&identities, object(number)), Some(ObjectId(number)));
        }
        assert_eq!(objects.runs(ObjectId(0), ObjectId(u32::MAX))[..], [(0, 3 * SHARE)]);
    }

    #[test]
    fn joined_stores_have_the_objects_of_both() {
        let identities = Identities::default();
        let mut one = Objects::new();
        for number in 0..3 {
            one.add(&identities, object(number));
        }
        let mut two = one.clone();
        two.add(&identities, object(10));
        one.add(&identities, object(20));
        *two.get_mut(ObjectId(1)).unwrap() = object(11);
        let joined =
            one.join(&two, |one, two| Some(if *one == object(1) { two.clone() } else { one.clone() })).unwrap();
        assert_eq!(all(&joined), [(0, 0), (1, 11), (2, 2), (3, 20), (SHARE, 10)]);
        assert!(one.join(&two, |_, _| None).is_none());
        let empty = Objects::new();
        assert_eq!(all(&empty.join(&two, |_, _| None).unwrap()), all(&two));
    }

    #[test]
    fn there_is_an_end_of_identities() {
        let identities = Identities { next: Cell::new(u32::MAX - SHARE) };
        let mut objects = Objects::new();
        for _ in 0..SHARE {
            assert!(objects.add(&identities, object(0)).is_some());
        }
        assert_eq!(objects.add(&identities, object(0)), None);
    }
}
