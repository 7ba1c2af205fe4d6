//! What is known of the values of variables and of allocated objects where control is, whatever the path to there.
//!
//! Facts make the unwound program smaller: branches on constants have one way, calls on known objects one target. They are
//! never needed: without a fact, a value is the variable that holds it.

use crate::graph::Cell;
use crate::points::{PointSet, Points};
use aback_heap::Value;
use aback_ir::{FieldId, Trap};
use aback_logic::Term;
use aback_witness::Place;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Objects in a chunk of a [`Store`].
const CHUNK: usize = 32;

/// What is known of a value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Known {
    /// It is this, which is concrete.
    Value(Value),
    /// It points there, if it is a reference.
    Points(Points),
}

impl Known {
    /// Nothing.
    pub const NOTHING: Known = Known::Points(None);

    /// What a value of an expression tells.
    pub fn of(value: Value, points: Points) -> Known {
        if matches!(value, Value::Term(_)) { Known::Points(points) } else { Known::Value(value) }
    }

    pub fn points(&self) -> Points {
        match self {
            Known::Value(value) => PointSet::of(*value),
            Known::Points(points) => points.clone(),
        }
    }

    /// What is known of a value that is one of two.
    pub fn join(&self, other: &Known) -> Known {
        if self == other { self.clone() } else { Known::Points(PointSet::union(&self.points(), &other.points())) }
    }
}

/// What is known of the cells of one object, by slot or index.
type Cells = Rc<Vec<Known>>;

/// What is known of the cells of allocated objects. Cloning takes constant time.
#[derive(Clone, Default, Debug)]
pub(super) struct Store {
    chunks: Rc<Vec<Rc<Vec<Option<Cells>>>>>,
}

impl Store {
    /// What is known of a cell; `None` of an object that was not allocated on the way here.
    pub fn get(&self, object: u32, cell: usize) -> Option<&Known> {
        let chunk = self.chunks.get(object as usize / CHUNK)?;
        chunk.get(object as usize % CHUNK)?.as_ref()?.get(cell)
    }

    /// Sets what is known of a cell.
    pub fn set(&mut self, object: u32, cell: usize, known: Known) {
        if self.get(object, cell).is_none_or(|old| *old == known) {
            return;
        }
        if let Some(cells) = self.cells(object) {
            Rc::make_mut(cells)[cell] = known;
        }
    }

    /// Enters a new object.
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

    /// Number of cells that are known of an object.
    pub fn len_of(&self, object: u32) -> usize {
        let chunk = self.chunks.get(object as usize / CHUNK);
        chunk.and_then(|chunk| chunk.get(object as usize % CHUNK)?.as_ref()).map_or(0, |cells| cells.len())
    }

    /// The numbers of all objects that are known.
    pub fn objects(&self) -> impl Iterator<Item = u32> + '_ {
        self.chunks.iter().enumerate().flat_map(|(chunk, objects)| {
            let known = objects.iter().enumerate().filter(|(_, cells)| cells.is_some());
            known.map(move |(place, _)| (chunk * CHUNK + place) as u32)
        })
    }

    /// What is known where two ways come together. An object that only one of them allocated is as that one left it.
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

/// What made an exception, if it was a trap, and where it was thrown first: a handler that throws it on is not its origin.
pub(super) type Origin = (Option<Trap>, Place);

/// Where exceptions may have been thrown first on the ways here. More places than that may be named, but none is missing.
#[derive(Clone, Default, Debug)]
pub(super) struct Origins {
    /// Those of allocated objects, by object, where facts say that it can be the one that is thrown.
    objects: BTreeMap<u32, Vec<Origin>>,
    /// Those of exceptions of which nothing says which object they are.
    others: Vec<Origin>,
}

impl Origins {
    /// Notes that the object of a reference with these points is thrown.
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

    /// Notes that the exception of a trap was made, where its making has thrown it before.
    pub fn set(&mut self, object: u32, origin: Origin) {
        self.objects.insert(object, vec![origin]);
    }

    /// Where an object may have been thrown first that is an allocated one only if `may_be` says so.
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

/// What is known of everything but local variables.
#[derive(Clone, Default, Debug)]
pub(super) struct Facts {
    /// Cells of allocated objects.
    pub store: Store,
    /// Static fields, where they do not hold what they hold at first.
    pub statics: Rc<FxHashMap<FieldId, Known>>,
    /// Variables that are not null.
    pub not_null: Rc<FxHashSet<Term>>,
    /// Cells in which an object of the input heap may hold an allocated one.
    pub mixed: Rc<FxHashSet<Cell>>,
    /// Cells in which an allocated object may hold one of the input heap.
    pub given: Rc<FxHashSet<Cell>>,
    /// Where exceptions were thrown first. Unlike the rest, it is needed.
    pub thrown: Rc<Origins>,
}

impl Facts {
    /// What is known where two ways come together. Static fields are the caller's to join.
    pub fn join(&mut self, other: &Facts) {
        self.store.join(&other.store);
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
