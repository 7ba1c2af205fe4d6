//! Decides invariants while a heap is discovered, one reference at a time (paper 3, section 3.3).

mod backbone;
mod checks;
mod companions;

pub use companions::Triggered;

use crate::automaton::States;
use crate::invariants::Compiled;
use crate::{AtomId, Heap, Invariants, ObjectNumber, Place, Reference, Requirement, Sentence, Truth, UnknownObject};
use aback_ir::{Program, Type};
use rpds::VectorSync;
use smallvec::SmallVec;

/// What a reference turned out to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Null.
    Null,
    /// A reference to an object that was discovered before.
    Alias(ObjectNumber),
    /// A reference to an object that was not discovered before, with its exact type. The reference belongs to the
    /// backbone.
    New(Type),
}

/// A partial heap with the backbone by which it was discovered, and what is known about the invariants on it.
///
/// Each object carries, for each path expression, the states of its automaton after the object's backbone path, so
/// that a reference is decided without a look at the other objects. Two kinds of atoms cost more: if the second path
/// of an `aliases` starts at any object, the backbone paths of both ends are walked back as long as they can be part of
/// a word; and `aliases max` visits all objects, because paths of the same expression may lead on.
///
/// A clone shares the objects.
#[derive(Clone, Debug)]
pub struct Partial {
    objects: VectorSync<Object>,
    references: VectorSync<Recorded>,
    /// The atoms that a reference violates.
    violated: SmallVec<[u64; 1]>,
    /// For each automaton, the number of places that are known, have no reference yet, and may lead to the end of a
    /// word: no more references will match if it is 0. [`UNBOUNDED`] if the places are not known.
    open: SmallVec<[u32; 4]>,
    /// The targets that have to stay the ends of maximal paths.
    maximal: VectorSync<Maximal>,
}

const UNBOUNDED: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Object {
    exact: Type,
    /// The place of the reference by which the object was discovered.
    discovered: Place,
    /// For each automaton, the states after the backbone path. Words may start at any object on the path: these are
    /// the states of all starts together.
    states: SmallVec<[States; 4]>,
}

#[derive(Clone, Copy, Debug)]
struct Recorded {
    reference: Reference,
    /// Whether the reference led to a new object.
    is_new: bool,
}

#[derive(Clone, Copy, Debug)]
struct Maximal {
    atom: AtomId,
    /// The automaton of the second path.
    path: usize,
    /// The object where the path starts; `None` for paths from a root.
    origin: Option<ObjectNumber>,
    target: ObjectNumber,
}

/// Discovery.
impl Partial {
    /// The heap of which nothing is known.
    pub fn new(invariants: &Invariants) -> Partial {
        let open = invariants.automata().iter().map(|automaton| match automaton.root() {
            Some(_) => 1,
            None => UNBOUNDED,
        });
        Partial {
            objects: VectorSync::new_sync(),
            references: VectorSync::new_sync(),
            violated: SmallVec::from_elem(0, invariants.atoms().len().div_ceil(64)),
            open: open.collect(),
            maximal: VectorSync::new_sync(),
        }
    }

    /// Records the reference at `place`. Each reference is recorded once, after its object. Gives the number of the
    /// new object for [`Meaning::New`].
    ///
    /// # Errors
    /// If the place or the meaning names an object that was not discovered; the heap is then unchanged.
    pub fn refer(
        &mut self,
        invariants: &Invariants,
        program: &Program,
        place: Place,
        meaning: Meaning,
    ) -> Result<Option<ObjectNumber>, UnknownObject> {
        let known = |object| self.object(object).map(|_| ()).ok_or(UnknownObject(object));
        place.source().map_or(Ok(()), known)?;
        let reached = self.after(invariants, program, place);
        match meaning {
            Meaning::Null => {
                self.close(invariants, &reached, place);
                self.record(place, None, false);
                self.check_null(invariants, &reached);
                Ok(None)
            }
            Meaning::Alias(target) => {
                known(target)?;
                self.close(invariants, &reached, place);
                self.record(place, Some(target), false);
                self.check_alias(invariants, program, &reached, place, target);
                Ok(None)
            }
            Meaning::New(exact) => {
                self.close(invariants, &reached, place);
                let automata = invariants.automata().iter().zip(reached);
                let states = automata.map(|(automaton, states)| states | automaton.at_object(program, exact)).collect();
                let number = ObjectNumber(self.objects.len() as u32);
                self.objects.push_back_mut(Object { exact, discovered: place, states });
                self.record(place, Some(number), true);
                self.open_places(invariants, program, number);
                self.check_new(invariants, program, number);
                Ok(Some(number))
            }
        }
    }

    fn record(&mut self, place: Place, target: Option<ObjectNumber>, is_new: bool) {
        self.references.push_back_mut(Recorded { reference: Reference { place, target }, is_new });
    }

    fn object(&self, number: ObjectNumber) -> Option<&Object> {
        self.objects.get(number.index())
    }

    /// For each automaton, the states after the reference at `place`.
    fn after(&self, invariants: &Invariants, program: &Program, place: Place) -> SmallVec<[States; 4]> {
        let automata = invariants.automata().iter();
        match (place, place.source().and_then(|source| self.object(source))) {
            (Place::Root(root), _) => automata.map(|automaton| automaton.at_root(root)).collect(),
            (_, Some(source)) => automata
                .zip(&source.states)
                .map(|(automaton, &states)| automaton.advance(program, states, place))
                .collect(),
            (_, None) => automata.map(|_| 0).collect(),
        }
    }

    /// Notes that the reference at `place` is known.
    fn close(&mut self, invariants: &Invariants, reached: &[States], place: Place) {
        for ((open, automaton), &states) in self.open.iter_mut().zip(invariants.automata()).zip(reached) {
            let is_start = match place {
                Place::Root(root) => automaton.root() == Some(root),
                Place::Field(..) | Place::Element(_) => states != 0,
            };
            if is_start && *open != UNBOUNDED {
                *open = open.saturating_sub(1);
            }
        }
    }

    /// Counts the places in a new object.
    fn open_places(&mut self, invariants: &Invariants, program: &Program, number: ObjectNumber) {
        let Some(object) = self.objects.get(number.index()) else { return };
        let mut automata = self.open.iter_mut().zip(invariants.automata()).zip(&object.states);
        if automata.all(|((open, _), &states)| *open == UNBOUNDED || states == 0) {
            return;
        }
        let fields = match object.exact {
            Type::Class(class) => program.instance_fields(class),
            _ => Vec::new(),
        };
        for ((open, automaton), &states) in self.open.iter_mut().zip(invariants.automata()).zip(&object.states) {
            let leads_on = |place| automaton.advance(program, states, place) != 0;
            let references = fields.iter().filter(|&&field| program.field(field).ty.is_reference());
            let count = references.filter(|&&field| leads_on(Place::Field(number, field))).count() as u32;
            let is_array = matches!(object.exact, Type::Array(_));
            *open = match is_array && leads_on(Place::Element(number)) {
                // The length of the array is not known here.
                true => UNBOUNDED,
                false => open.saturating_add(count),
            };
        }
    }
}

fn accepts(invariants: &Invariants, path: usize, states: &[States]) -> bool {
    match (invariants.automata().get(path), states.get(path)) {
        (Some(automaton), Some(&states)) => automaton.accepts(states),
        _ => false,
    }
}

/// Answers.
impl Partial {
    /// Whether some recorded reference violates an atom.
    pub fn violates(&self, atom: AtomId) -> bool {
        self.violated.get(atom.index() / 64).is_some_and(|word| word >> (atom.index() % 64) & 1 == 1)
    }

    /// What is known about an atom, whatever is discovered later.
    pub fn atom(&self, invariants: &Invariants, atom: AtomId) -> Truth {
        if self.violates(atom) {
            return Truth::False;
        }
        let declared = invariants.atoms().get(atom.index()).map(|atom| &atom.requirement);
        let is_max = matches!(declared, Some(Requirement::AliasesMax(_)));
        match invariants.compiled_atom(atom).and_then(|compiled| self.open.get(compiled.path)) {
            Some(0) if !is_max => Truth::True,
            _ => Truth::Unknown,
        }
    }

    /// What is known about a sentence, whatever is discovered later.
    pub fn sentence(&self, invariants: &Invariants, sentence: &Sentence) -> Truth {
        sentence.evaluate(&|atom| self.atom(invariants, atom))
    }

    /// What is known about the invariants: false if no refinement of this heap and backbone satisfies them.
    pub fn verdict(&self, invariants: &Invariants) -> Truth {
        invariants.evaluate(&|atom| self.atom(invariants, atom))
    }

    /// Whether the invariants hold on this backbone if nothing else is discovered. Other orders of discovery are not
    /// considered: see [`holds_for_every_order`](crate::holds_for_every_order).
    pub fn finished(&self, invariants: &Invariants) -> bool {
        invariants.evaluate(&|atom| Truth::from(!self.violates(atom))) == Truth::True
    }

    /// Whether the first path of an atom may lead on from an object.
    pub(crate) fn may_go_on(&self, invariants: &Invariants, atom: AtomId, object: ObjectNumber) -> bool {
        let Some(Compiled { path, .. }) = invariants.compiled_atom(atom) else { return false };
        let is_any = invariants.automata().get(path).is_some_and(|automaton| automaton.root().is_none());
        is_any || self.object(object).and_then(|object| object.states.get(path)).is_some_and(|&states| states != 0)
    }

    /// Whether the first path of an atom leads to the reference at `place`, if that is not new.
    pub(crate) fn is_path_to(&self, invariants: &Invariants, program: &Program, atom: AtomId, place: Place) -> bool {
        let reached = self.after(invariants, program, place);
        invariants.compiled_atom(atom).is_some_and(|compiled| accepts(invariants, compiled.path, &reached))
    }

    /// The exact type of an object.
    pub fn exact_type(&self, object: ObjectNumber) -> Option<Type> {
        self.object(object).map(|object| object.exact)
    }

    /// The references in the order of their discovery: where they are, what they lead to, and whether they have discovered it.
    pub(crate) fn references(&self) -> impl Iterator<Item = (Place, Option<ObjectNumber>, bool)> + '_ {
        self.references.iter().map(|recorded| (recorded.reference.place, recorded.reference.target, recorded.is_new))
    }

    /// The heap that was discovered, with the same numbers of objects.
    pub fn heap(&self) -> Heap {
        let mut heap = Heap::default();
        for object in self.objects.iter() {
            heap.add_object(object.exact);
        }
        for Recorded { reference, .. } in self.references.iter() {
            // All objects were added, so that this is no error.
            let _ = heap.add_reference(reference.place, reference.target);
        }
        heap
    }
}
