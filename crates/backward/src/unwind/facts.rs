//! Facts: what is known about the values of variables and of allocated objects at a point, on any path to this point.
//!
//! Facts make the unwound program smaller: a branch on a constant has one successor, and a call on a known object one
//! target. They are never needed: without a fact, a value is the variable that holds it.

use super::branches::Branches;
use crate::graph::Cell;
use crate::points::{PointSet, Points};
use aback_heap::Value;
use aback_ir::{FieldId, Trap};
use aback_logic::Term;
use aback_witness::Place;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Number of objects in a chunk of a [`Store`].
const CHUNK: usize = 32;

/// What is known about a value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Known {
    /// It is this concrete value.
    Value(Value),
    /// The points-to set, if it is a reference.
    Points(Points),
}

impl Known {
    /// Nothing is known.
    pub const NOTHING: Known = Known::Points(None);

    /// What is known about the value of an expression.
    pub fn of(value: Value, points: Points) -> Known {
        if matches!(value, Value::Term(_)) { Known::Points(points) } else { Known::Value(value) }
    }

    pub fn points(&self) -> Points {
        match self {
            Known::Value(value) => PointSet::of(*value),
            Known::Points(points) => points.clone(),
        }
    }

    /// What is known about a value that is one of two values.
    pub fn join(&self, other: &Known) -> Known {
        if self == other { self.clone() } else { Known::Points(PointSet::union(&self.points(), &other.points())) }
    }
}

/// What is known about the cells of one object, by slot or index.
type Cells = Rc<Vec<Known>>;

/// What is known about the cells of allocated objects. Cloning takes constant time.
#[derive(Clone, Default, Debug)]
pub(super) struct Store {
    chunks: Rc<Vec<Rc<Vec<Option<Cells>>>>>,
}

impl Store {
    /// What is known about a cell; `None` if the object was not allocated on any path to this point.
    pub fn get(&self, object: u32, cell: usize) -> Option<&Known> {
        let chunk = self.chunks.get(object as usize / CHUNK)?;
        chunk.get(object as usize % CHUNK)?.as_ref()?.get(cell)
    }

    /// Sets what is known about a cell.
    pub fn set(&mut self, object: u32, cell: usize, known: Known) {
        if self.get(object, cell).is_none_or(|old| *old == known) {
            return;
        }
        if let Some(cells) = self.cells(object) {
            Rc::make_mut(cells)[cell] = known;
        }
    }

    /// Adds a new object.
    pub fn insert(&mut self, object: u32, cells: Vec<Known>) {
        let chunks = Rc::make_mut(&mut self.chunks);
        let (chunk, place) = (object as usize / CHUNK, object as usize % CHUNK);
        if chunks.len() <= chunk {
            chunks.resize_with(chunk + 1, Rc::default);
        }
        let chunk = Rc::make_mut(&mut chunks[chunk]);
        if chunk.len() <= place {
            chunk.resize(place + 1, None);
        }
        chunk[place] = Some(Rc::new(cells));
    }

    fn cells(&mut self, object: u32) -> Option<&mut Cells> {
        let chunk = Rc::make_mut(&mut self.chunks).get_mut(object as usize / CHUNK)?;
        Rc::make_mut(chunk).get_mut(object as usize % CHUNK)?.as_mut()
    }

    /// Number of known cells of an object.
    pub fn len_of(&self, object: u32) -> usize {
        let chunk = self.chunks.get(object as usize / CHUNK);
        chunk.and_then(|chunk| chunk.get(object as usize % CHUNK)?.as_ref()).map_or(0, |cells| cells.len())
    }

    /// The numbers of all known objects.
    pub fn objects(&self) -> impl Iterator<Item = u32> + '_ {
        self.chunks.iter().enumerate().flat_map(|(chunk, objects)| {
            let known = objects.iter().enumerate().filter(|(_, cells)| cells.is_some());
            known.map(move |(place, _)| (chunk * CHUNK + place) as u32)
        })
    }

    /// Joins the facts of two ways. The cells of an object that only one of them allocated stay as they are.
    fn join(&mut self, other: &Store) {
        if Rc::ptr_eq(&self.chunks, &other.chunks) {
            return;
        }
        let chunks = Rc::make_mut(&mut self.chunks);
        if chunks.len() < other.chunks.len() {
            chunks.resize_with(other.chunks.len(), Rc::default);
        }
        for (mine, others) in chunks.iter_mut().zip(other.chunks.iter()) {
            if Rc::ptr_eq(mine, others) {
                continue;
            }
            let mine = Rc::make_mut(mine);
            if mine.len() < others.len() {
                mine.resize(others.len(), None);
            }
            for (mine, other) in mine.iter_mut().zip(others.iter()) {
                match (mine.as_mut(), other) {
                    (None, _) => mine.clone_from(other),
                    (Some(_), None) => {}
                    (Some(mine), Some(other)) if Rc::ptr_eq(mine, other) => {}
                    (Some(mine), Some(other)) => {
                        let joined = mine.iter().zip(other.iter()).map(|(a, b)| a.join(b)).collect();
                        *mine = Rc::new(joined);
                    }
                }
            }
        }
    }
}

/// The trap that made an exception, if any, and the place where the exception was thrown first. A handler that throws
/// it again is not its origin.
pub(super) type Origin = (Option<Trap>, Place);

/// An overapproximation of the places where exceptions were thrown first.
#[derive(Clone, Default, Debug)]
pub(super) struct Origins {
    /// Origins of allocated objects, by object, if the points-to set of the thrown reference is known.
    objects: BTreeMap<u32, Vec<Origin>>,
    /// Origins of exceptions whose objects are not known.
    others: Vec<Origin>,
}

impl Origins {
    /// Notes that a reference with this points-to set is thrown.
    pub fn note(&mut self, points: &Points, origin: Origin) {
        match points.as_ref().filter(|points| !points.input && !points.any) {
            Some(points) => {
                for &object in &points.objects {
                    insert(self.objects.entry(object).or_default(), origin);
                }
            }
            None => insert(&mut self.others, origin),
        }
    }

    /// Notes the trap of an exception that was thrown before, while it was made.
    pub fn set(&mut self, object: u32, origin: Origin) {
        self.objects.insert(object, vec![origin]);
    }

    /// The places where an object may have been thrown first. The object is one of the allocated objects for which
    /// `may_be` is true, or any other object.
    pub fn of(&self, may_be: impl Fn(u32) -> bool) -> Vec<Origin> {
        let mut places = self.others.clone();
        for (_, origins) in self.objects.iter().filter(|&(&object, _)| may_be(object)) {
            origins.iter().for_each(|&origin| insert(&mut places, origin));
        }
        places
    }

    fn join(&mut self, other: &Origins) {
        for (&object, origins) in &other.objects {
            let known = self.objects.entry(object).or_default();
            origins.iter().for_each(|&origin| insert(known, origin));
        }
        other.others.iter().for_each(|&origin| insert(&mut self.others, origin));
    }
}

fn insert(origins: &mut Vec<Origin>, origin: Origin) {
    if !origins.contains(&origin) {
        origins.push(origin);
    }
}

/// What is known apart from local variables.
#[derive(Clone, Default, Debug)]
pub(super) struct Facts {
    /// Cells of allocated objects.
    pub store: Store,
    /// Static fields that may differ from their initial values.
    pub statics: Rc<FxHashMap<FieldId, Known>>,
    /// Variables that are not null.
    pub not_null: Rc<FxHashSet<Term>>,
    /// What branches say.
    pub branches: Branches,
    /// Cells of input objects that may refer to allocated objects, or into which numbers were written.
    pub mixed: Rc<FxHashSet<Cell>>,
    /// Cells of allocated objects that may refer to input objects.
    pub given: Rc<FxHashSet<Cell>>,
    /// Where exceptions were thrown first. Unlike the other facts, it is needed.
    pub thrown: Rc<Origins>,
}

impl Facts {
    /// Joins the facts of two ways, except those about static fields, which the caller joins.
    pub fn join(&mut self, other: &Facts) {
        self.store.join(&other.store);
        self.branches.join(&other.branches);
        if !Rc::ptr_eq(&self.not_null, &other.not_null) {
            Rc::make_mut(&mut self.not_null).retain(|term| other.not_null.contains(term));
        }
        if !Rc::ptr_eq(&self.thrown, &other.thrown) {
            Rc::make_mut(&mut self.thrown).join(&other.thrown);
        }
        for (mine, others) in [(&mut self.mixed, &other.mixed), (&mut self.given, &other.given)] {
            if !Rc::ptr_eq(mine, others) && !others.is_subset(mine) {
                Rc::make_mut(mine).extend(others.iter().copied());
            }
        }
    }
}
