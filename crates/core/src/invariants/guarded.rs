//! Restricts paths of symbolic initialization: one path has many shapes of the input heap, so that the sentences become a condition
//! of the path.

use super::completion::reference_parameters;
use super::propositions::Propositions;
use super::{Found, place};
use aback_heap::{Decision, Meaning, Observer, Source};
use aback_hex::conditional::{Conditional, Formulas, Object, Reference, may_hold};
use aback_hex::{Invariants, ObjectNumber, Partial, Place};
use aback_ir::{MethodId, Program, Type};
use aback_logic::{Pool, Term};
use aback_witness::{InputObject, InputValue, Inputs};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// The references of the input heap that a path has read, with their guards.
#[derive(Clone)]
pub(super) struct Guarded {
    program: Program,
    invariants: Arc<Invariants>,
    heap: Rc<Conditional<Term>>,
    /// The references by which the objects of the heap are named.
    names: Rc<Vec<Term>>,
    /// The references in the order in which they were read.
    read: Rc<Vec<Read>>,
    has_changed: bool,
    found: Rc<RefCell<Option<Found>>>,
}

/// A reference that was read.
#[derive(Clone, Copy)]
struct Read {
    place: Place,
    /// Its index in an array.
    index: Option<Term>,
    /// The object that it names.
    own: Option<ObjectNumber>,
}

impl Guarded {
    /// An observer for the first path. It tells of a violation's inputs through `found`.
    pub(super) fn new(program: &Program, invariants: &Arc<Invariants>, found: &Rc<RefCell<Option<Found>>>) -> Guarded {
        Guarded {
            program: program.clone(),
            invariants: Arc::clone(invariants),
            heap: Rc::default(),
            names: Rc::default(),
            read: Rc::default(),
            has_changed: false,
            found: Rc::clone(found),
        }
    }

    fn object(&self, name: Term) -> Option<ObjectNumber> {
        self.names.iter().position(|&known| known == name).map(|number| ObjectNumber(number as u32))
    }

    fn exists(&self, pool: &mut Pool, object: ObjectNumber) -> Term {
        let types = self.heap.objects[object.index()].types.iter().map(|(_, condition)| *condition);
        Propositions(pool).any(types)
    }

    /// Whether there is a reference at a place of its own: its object exists, and no element that was read before is the same.
    fn is_own(&self, pool: &mut Pool, place: Place, index: Option<Term>) -> Term {
        let mut exists = match place.source() {
            Some(source) => self.exists(pool, source),
            None => Pool::TRUE,
        };
        for other in self.read.iter().filter(|other| other.place == place) {
            let is_same = match (index, other.index) {
                (Some(index), Some(other)) => pool.eq(index, other),
                _ => Pool::TRUE,
            };
            exists = Propositions(pool).but_not(exists, is_same);
        }
        exists
    }

    /// The heap that an input discovers in the order of the path, and the positions of its objects among the inputs.
    pub(super) fn discovered_in(&self, entry: MethodId, inputs: &Inputs) -> Option<(Partial, Vec<usize>)> {
        let mut discovery = Discovery {
            guarded: self,
            parameters: reference_parameters(&self.program, entry),
            inputs,
            heap: Partial::new(&self.invariants),
            positions: Vec::new(),
            known: FxHashSet::default(),
        };
        // Which objects of the path are which on this input. Some exist only on others.
        let mut existing: FxHashMap<ObjectNumber, ObjectNumber> = FxHashMap::default();
        for &Read { place: read, index, own } in self.read.iter() {
            let place = match read.source() {
                Some(source) => existing.get(&source).map(|&source| read.in_object(source)),
                None => Some(read),
            };
            let Some(place) = place else { continue };
            let new = discovery.refer(place)?;
            if let (Some(own), None, Some(new)) = (own, index, new) {
                existing.insert(own, new);
            }
        }
        // It is not known which elements the indices are: what can be found through arrays counts as read.
        if self.read.iter().any(|read| read.index.is_some()) {
            discovery.refer_to_all()?;
        }
        Some((discovery.heap, discovery.positions))
    }
}

/// The discovery of a heap that is known as a whole.
struct Discovery<'a> {
    guarded: &'a Guarded,
    parameters: Vec<(usize, Type)>,
    inputs: &'a Inputs,
    heap: Partial,
    /// The position among the inputs of each object.
    positions: Vec<usize>,
    known: FxHashSet<Place>,
}

impl Discovery<'_> {
    /// Discovers the references at a place, if they are not known. Gives the last object that was new.
    fn refer(&mut self, place: Place) -> Option<Option<ObjectNumber>> {
        if !self.known.insert(place) {
            return Some(None);
        }
        let object = place.source().map(|source| &self.inputs.heap[self.positions[source.index()]]);
        let targets: Vec<Option<&InputValue>> = match (place, object) {
            (Place::Root(root), _) => {
                let parameter = self.parameters.get(root.index());
                parameter.map(|&(index, _)| self.inputs.args.get(index)).into_iter().collect()
            }
            (Place::Field(_, field), Some(InputObject::Object { fields, .. })) => vec![fields.get(&field)],
            (Place::Element(_), Some(InputObject::Array { elements, length, .. })) => {
                elements.range(..length).map(|(_, value)| Some(value)).collect()
            }
            _ => return None,
        };
        let mut last = None;
        for target in targets {
            let Guarded { program, invariants, .. } = self.guarded;
            let Some(&InputValue::Ref(position)) = target else {
                self.heap.refer(invariants, program, place, aback_hex::Meaning::Null).ok()?;
                continue;
            };
            let known = self.positions.iter().position(|&known| known == position);
            let meaning = match known {
                Some(number) => aback_hex::Meaning::Alias(ObjectNumber(number as u32)),
                None => aback_hex::Meaning::New(match self.inputs.heap.get(position)? {
                    InputObject::Object { class, .. } => Type::Class(*class),
                    InputObject::Array { element, .. } => program.array_of(*element),
                }),
            };
            if let Some(new) = self.heap.refer(invariants, program, place, meaning).ok()? {
                self.positions.push(position);
                last = Some(new);
            }
        }
        Some(last)
    }

    /// Discovers everything that the known objects lead to.
    fn refer_to_all(&mut self) -> Option<()> {
        let mut next = 0;
        while let Some(&position) = self.positions.get(next) {
            let number = ObjectNumber(next as u32);
            let program = &self.guarded.program;
            match &self.inputs.heap[position] {
                InputObject::Object { class, .. } => {
                    let fields = program.instance_fields(*class).into_iter();
                    for field in fields.filter(|&field| program.field(field).ty.is_reference()) {
                        self.refer(Place::Field(number, field))?;
                    }
                }
                InputObject::Array { element, .. } if element.is_reference() => {
                    _ = self.refer(Place::Element(number))?
                }
                InputObject::Array { .. } => {}
            }
            next += 1;
        }
        Some(())
    }
}

impl Observer for Guarded {
    fn hear(&mut self, pool: &mut Pool, decision: &Decision) -> bool {
        let Meaning::Guarded(types) = &decision.meaning else { return true };
        let Some(place) = place(&self.invariants, decision.source, |object| self.object(object)) else { return true };
        let index = match decision.source {
            Source::Element(_, index) => Some(index),
            Source::Root(_) | Source::Field(..) => None,
        };
        let exists = self.is_own(pool, place, index);
        let mut leads_to = Vec::new();
        for (number, &name) in (0..).map(ObjectNumber).zip(self.names.iter()) {
            let is_it = pool.eq(decision.reference, name);
            let target = self.exists(pool, number);
            let leads = Propositions(pool).all([exists, is_it, target]);
            leads_to.push((number, leads));
        }
        let heap = Rc::make_mut(&mut self.heap);
        let mut own = None;
        let mut discovers = Vec::new();
        if !types.is_empty() {
            let number = ObjectNumber(heap.objects.len() as u32);
            let types: Vec<_> = types.iter().map(|&(condition, ty)| (ty, pool.and(exists, condition))).collect();
            let is_new = Propositions(pool).any(types.iter().map(|(_, condition)| *condition));
            heap.objects.push(Object { types });
            Rc::make_mut(&mut self.names).push(decision.reference);
            leads_to.push((number, is_new));
            discovers.push((number, is_new));
            own = Some(number);
        }
        heap.references.push(Reference { place, exists, leads_to, discovers });
        Rc::make_mut(&mut self.read).push(Read { place, index, own });
        self.has_changed = true;
        true
    }

    fn constraint(&mut self, pool: &mut Pool) -> Option<Term> {
        let has_changed = std::mem::take(&mut self.has_changed);
        has_changed.then(|| may_hold(&mut Propositions(pool), &self.invariants, &self.program, &self.heap, false))
    }

    fn takes_guards(&self) -> bool {
        true
    }

    fn found(&self, _: &[Option<i64>]) {
        *self.found.borrow_mut() = Some(Found::Guarded(self.clone()));
    }

    fn boxed_clone(&self) -> Box<dyn Observer> {
        Box::new(self.clone())
    }
}
