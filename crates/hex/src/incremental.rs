//! Decides invariants while a heap is discovered, one reference at a time (paper 3, section 3.3).

use crate::automaton::{Automaton, START, States};
use crate::invariants::Compiled;
use crate::{AtomId, Heap, Invariants, ObjectNumber, Place, Reference, Requirement, Truth};
use aback_ir::{MethodId, Program, Type};
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

/// A companion method that has to run because of the last reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Triggered {
    /// The atom.
    pub atom: AtomId,
    /// The method.
    pub method: MethodId,
    /// The first argument for paths from any object: the object where the path starts.
    pub origin: Option<ObjectNumber>,
    /// The last argument: the object that the reference leads to, or null.
    pub reached: Option<ObjectNumber>,
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

/// A reference names an object that was not discovered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownObject(pub ObjectNumber);

impl std::fmt::Display for UnknownObject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "object {} was not discovered", self.0.0)
    }
}

impl std::error::Error for UnknownObject {}

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

/// Checks of the last reference (definition 3.5). A violation is final: it depends only on the reference, on the
/// backbone paths to its ends and on whether it belongs to the backbone, and none of these change when the heap is
/// refined. For `aliases max` it also depends on longer backbone paths, which are never removed: what is not maximal
/// never becomes maximal. But what is maximal may become not maximal, so that new objects are compared with the aliases
/// that were found before.
impl Partial {
    fn violate(&mut self, atom: AtomId) {
        if let Some(word) = self.violated.get_mut(atom.index() / 64) {
            *word |= 1 << (atom.index() % 64);
        }
    }

    fn check_null(&mut self, invariants: &Invariants, reached: &[States]) {
        for (id, atom, compiled) in invariants.compiled() {
            if atom.requirement == Requirement::NotNull && accepts(invariants, compiled.path, reached) {
                self.violate(id);
            }
        }
    }

    fn check_new(&mut self, invariants: &Invariants, program: &Program, number: ObjectNumber) {
        let Some(object) = self.object(number).cloned() else { return };
        for (id, atom, compiled) in invariants.compiled() {
            let is_violated = match atom.requirement {
                Requirement::ExpandsToNothing => true,
                Requirement::ExpandsTo(ty) => !program.is_assignable(object.exact, ty),
                _ => false,
            };
            if is_violated && accepts(invariants, compiled.path, &object.states) {
                self.violate(id);
            }
        }
        let extended: SmallVec<[AtomId; 4]> = self
            .maximal
            .iter()
            .filter(|maximal| self.extends(invariants, program, maximal, number))
            .map(|maximal| maximal.atom)
            .collect();
        extended.into_iter().for_each(|atom| self.violate(atom));
    }

    fn check_alias(
        &mut self,
        invariants: &Invariants,
        program: &Program,
        reached: &[States],
        place: Place,
        target: ObjectNumber,
    ) {
        let Some(object) = self.object(target).cloned() else { return };
        for (id, atom, compiled) in invariants.compiled() {
            if !accepts(invariants, compiled.path, reached) {
                continue;
            }
            let is_violated = match &atom.requirement {
                Requirement::NotNull | Requirement::ExpandsToNothing | Requirement::ExpandsTo(_) => false,
                Requirement::AliasesNothing => true,
                Requirement::AliasesSome(ty) => !program.is_assignable(object.exact, *ty),
                Requirement::Aliases(_) | Requirement::AliasesMax(_) => {
                    let Some(path) = compiled.target else { continue };
                    let Some(automaton) = invariants.automata().get(path) else { continue };
                    let is_max = matches!(atom.requirement, Requirement::AliasesMax(_));
                    if automaton.root().is_some() {
                        let new = Maximal { atom: id, path, origin: None, target };
                        !accepts(invariants, path, &object.states)
                            || is_max && !self.keep_maximal(invariants, program, new)
                    } else {
                        let origins = self.origins(invariants, program, compiled.path, place, None);
                        let possible = self.starts(automaton, program, automaton.accepting(), target);
                        !origins.into_iter().all(|origin| {
                            let new = Maximal { atom: id, path, origin: Some(origin), target };
                            possible.contains(&origin) && (!is_max || self.keep_maximal(invariants, program, new))
                        })
                    }
                }
            };
            if is_violated {
                self.violate(id);
            }
        }
    }

    /// Records that a target has to stay maximal. `false` if it is not maximal already.
    fn keep_maximal(&mut self, invariants: &Invariants, program: &Program, new: Maximal) -> bool {
        self.maximal.push_back_mut(new);
        let mut objects = (0..self.objects.len()).map(|number| ObjectNumber(number as u32));
        !objects.any(|object| self.extends(invariants, program, &new, object))
    }

    /// Whether the backbone path to `object` leads on from the target of an alias, and is a path of the same
    /// expression.
    fn extends(&self, invariants: &Invariants, program: &Program, maximal: &Maximal, object: ObjectNumber) -> bool {
        let is_beyond = self.ancestors(object).skip(1).any(|ancestor| ancestor == maximal.target);
        is_beyond
            && match (maximal.origin, invariants.automata().get(maximal.path)) {
                (Some(origin), Some(automaton)) => {
                    self.starts(automaton, program, automaton.accepting(), object).contains(&origin)
                }
                _ => self.object(object).is_some_and(|object| accepts(invariants, maximal.path, &object.states)),
            }
    }

    /// An object and those on its backbone path, the nearest first.
    fn ancestors(&self, object: ObjectNumber) -> impl Iterator<Item = ObjectNumber> + '_ {
        std::iter::successors(Some(object), |&object| self.object(object).and_then(|object| object.discovered.source()))
    }

    /// The objects on the backbone path to `from` at which a word can start that leads to one of `states` at `from`.
    /// Ends when no word can be longer.
    fn starts(
        &self,
        automaton: &Automaton,
        program: &Program,
        mut states: States,
        from: ObjectNumber,
    ) -> SmallVec<[ObjectNumber; 2]> {
        let mut found = SmallVec::new();
        for number in self.ancestors(from) {
            let Some(object) = self.object(number) else { break };
            if states & automaton.at_object(program, object.exact) & START != 0 {
                found.push(number);
            }
            states = automaton.retreat(program, states, object.discovered);
            if states == 0 {
                break;
            }
        }
        found
    }

    /// The objects at which a word starts that ends with the reference at `place`. `new` is the object that it
    /// discovered: it may be such an object itself.
    fn origins(
        &self,
        invariants: &Invariants,
        program: &Program,
        path: usize,
        place: Place,
        new: Option<ObjectNumber>,
    ) -> SmallVec<[ObjectNumber; 2]> {
        let Some(automaton) = invariants.automata().get(path) else { return SmallVec::new() };
        match (new, place.source()) {
            (Some(new), _) => self.starts(automaton, program, automaton.accepting(), new),
            (None, Some(source)) => {
                let before = automaton.retreat(program, automaton.accepting(), place);
                self.starts(automaton, program, before, source)
            }
            (None, None) => SmallVec::new(),
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

    /// What is known about the invariants: false if no refinement of this heap and backbone satisfies them.
    pub fn verdict(&self, invariants: &Invariants) -> Truth {
        invariants.evaluate(&|atom| self.atom(invariants, atom))
    }

    /// Whether the invariants hold on this backbone if nothing else is discovered. Other orders of discovery are not
    /// considered: see [`holds_for_every_order`](crate::holds_for_every_order).
    pub fn finished(&self, invariants: &Invariants) -> bool {
        invariants.evaluate(&|atom| Truth::from(!self.violates(atom))) == Truth::True
    }

    /// The companion methods that the last reference triggers: those of all atoms whose first path ends with it,
    /// whatever the reference turned out to be. A method is not called for objects that its last parameter cannot
    /// hold.
    pub fn triggered(&self, invariants: &Invariants, program: &Program) -> Vec<Triggered> {
        let mut found = Vec::new();
        let Some(last) = self.references.last() else { return found };
        let Reference { place, target } = last.reference;
        let new = target.filter(|_| last.is_new);
        let reached = match new.and_then(|new| self.object(new)) {
            Some(object) => object.states.clone(),
            None => self.after(invariants, program, place),
        };
        for (id, atom, compiled) in invariants.compiled() {
            let Some(method) = atom.companion else { continue };
            if !accepts(invariants, compiled.path, &reached) {
                continue;
            }
            let exact = target.and_then(|target| self.object(target)).map(|object| object.exact);
            let holds = |param: &Type| exact.is_none_or(|exact| program.is_assignable(exact, *param));
            if !program.method(method).params.last().is_some_and(holds) {
                continue;
            }
            let called = |origin| Triggered { atom: id, method, origin, reached: target };
            match invariants.automata().get(compiled.path).and_then(Automaton::root) {
                Some(_) => found.push(called(None)),
                None => {
                    let origins = self.origins(invariants, program, compiled.path, place, new);
                    found.extend(origins.into_iter().map(|origin| called(Some(origin))));
                }
            }
        }
        found
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

    /// The heap that was discovered, with the same numbers of objects.
    pub fn heap(&self) -> Heap {
        let mut heap = Heap::default();
        for object in self.objects.iter() {
            heap.add_object(object.exact);
        }
        for Recorded { reference, .. } in self.references.iter() {
            heap.add_reference(reference.place, reference.target);
        }
        heap
    }
}
