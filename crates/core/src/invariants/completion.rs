//! Completes inputs so that they satisfy invariants: gives values to the references that a path never reads.

use super::is_named;
use aback_hex::{Heap, Invariants, Meaning, ObjectNumber, Partial, Place, RootId, Triggered, Truth};
use aback_hex::{holds_for_every_order, triggered_in_some_order};
use aback_ir::{ClassId, FieldId, MethodId, Program, Type};
use aback_witness::{InputObject, InputValue, Inputs, Limits, Outcome, Value, run};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Most objects that are added, and most references to which values are given.
const MOST_NEW: usize = 6;
const MOST_STEPS: usize = 20_000;
/// Most elements of an array to which values are given. Those of longer arrays are null.
const MOST_ELEMENTS: usize = 8;
/// Most classes of which a new object is tried.
const MOST_CLASSES: usize = 4;
/// Most operations of a companion method.
const MOST_OPERATIONS: u64 = 100_000;
/// Most orders of discovery that are examined.
const MOST_ORDERS: usize = 20_000;

/// A reference without a value: its place, its type.
#[derive(Clone, Copy)]
struct Open {
    place: Place,
    ty: Type,
}

/// A search for values of the references that are open.
#[derive(Clone)]
struct Attempt {
    heap: Partial,
    inputs: Inputs,
    /// The position in the inputs of each object of the heap.
    positions: Vec<usize>,
    open: Vec<Open>,
}

struct Search<'a> {
    program: &'a Program,
    entry: MethodId,
    invariants: &'a Invariants,
    steps: usize,
}

/// Inputs that equal `inputs` in what the path has read, and satisfy the invariants. The path has discovered a heap, whose objects
/// have these positions in the inputs.
pub(super) fn complete(
    program: &Program,
    entry: MethodId,
    invariants: &Invariants,
    (heap, positions): (Partial, Vec<usize>),
    inputs: &Inputs,
) -> Option<Inputs> {
    let start = known_part(program, entry, invariants, (heap, &positions), inputs)?;
    let mut search = Search { program, entry, invariants, steps: 0 };
    (0..=MOST_NEW).find_map(|new| search.attempt(start.clone(), new))
}

/// Whether the inputs satisfy the invariants, in whatever order they are discovered.
pub(super) fn satisfies(program: &Program, entry: MethodId, invariants: &Invariants, inputs: &Inputs) -> bool {
    Search { program, entry, invariants, steps: 0 }.satisfies(inputs)
}

/// The parameters with references: the n-th reference root is the parameter with the n-th position here.
pub(super) fn reference_parameters(program: &Program, entry: MethodId) -> Vec<(usize, Type)> {
    let params = program.method(entry).params.iter().copied().enumerate();
    params.filter(|(_, ty)| ty.is_reference()).collect()
}

/// What the path has read, and the references that are open.
fn known_part(
    program: &Program,
    entry: MethodId,
    invariants: &Invariants,
    (found, old): (Partial, &[usize]),
    inputs: &Inputs,
) -> Option<Attempt> {
    let types = found.heap();
    let count = old.len();
    // Objects of the heap come first, in their order; parts of library objects that the path never reads follow.
    let mut copy = Copy { inputs, positions: FxHashMap::default(), heap: vec![None; count] };
    copy.positions.extend(old.iter().enumerate().map(|(number, &position)| (position, number)));
    let mut open = Vec::new();
    let decided: FxHashMap<Place, Option<ObjectNumber>> =
        types.references().iter().map(|reference| (reference.place, reference.target)).collect();
    for (number, &position) in old.iter().enumerate() {
        let object = ObjectNumber(number as u32);
        let made = match &inputs.heap[position] {
            InputObject::Object { class, fields } => {
                let mut kept = BTreeMap::new();
                for field in program.instance_fields(*class) {
                    let declared = program.field(field);
                    let value = fields.get(&field);
                    if !declared.ty.is_reference() {
                        kept.extend(value.map(|value| (field, value.clone())));
                        continue;
                    }
                    let place = Place::Field(object, field);
                    match decided.get(&place) {
                        Some(target) => _ = kept.insert(field, reference(target.map(|target| target.0 as usize))),
                        // The model respects the library's own invariants.
                        None if is_left_to_library(program, invariants, place) => {
                            kept.extend(value.map(|value| (field, copy.value(value))));
                        }
                        None => open.push(Open { place, ty: declared.ty }),
                    }
                }
                InputObject::Object { class: *class, fields: kept }
            }
            InputObject::Array { element, length, elements, rest } => {
                let known = |value: &InputValue| match value {
                    InputValue::Ref(target) => {
                        let known = copy.positions.get(target).filter(|&&target| target < count);
                        known.map(|&target| InputValue::Ref(target))
                    }
                    other => Some(other.clone()),
                };
                let elements: BTreeMap<_, _> = elements
                    .range(..length)
                    .filter_map(|(index, value)| Some((index.clone(), known(value)?)))
                    .collect();
                let rest = rest.as_ref().map(|rest| known(rest).unwrap_or(InputValue::Null));
                if element.is_reference() && rest.is_none() {
                    let unread = length.to_usize().unwrap_or(usize::MAX).saturating_sub(elements.len());
                    let place = Open { place: Place::Element(object), ty: *element };
                    open.extend(std::iter::repeat_n(place, if unread <= MOST_ELEMENTS { unread } else { 0 }));
                }
                InputObject::Array { element: *element, length: length.clone(), elements, rest }
            }
        };
        copy.heap[number] = Some(made);
    }
    let mut args = inputs.args.clone();
    for (root, (index, ty)) in reference_parameters(program, entry).into_iter().enumerate() {
        let place = Place::Root(RootId(root as u32));
        match decided.get(&place) {
            Some(target) => args[index] = reference(target.map(|target| target.0 as usize)),
            None => open.push(Open { place, ty }),
        }
    }
    let nondet = inputs.nondet.iter().map(|value| copy.value(value)).collect();
    let heap = copy.heap.into_iter().collect::<Option<Vec<_>>>()?;
    let inputs = Inputs { args, heap, nondet, statics: inputs.statics.clone() };
    Some(Attempt { heap: found, inputs, positions: (0..count).collect(), open })
}

/// Whether a reference is in an object of a library, and the sentences do not name it.
fn is_left_to_library(program: &Program, invariants: &Invariants, place: Place) -> bool {
    matches!(place, Place::Field(_, field) if program.class(program.field(field).class).is_library
        && (program.is_owned_array(field) || !invariants.name(program, place)))
}

/// Copies objects of inputs.
struct Copy<'a> {
    inputs: &'a Inputs,
    positions: FxHashMap<usize, usize>,
    heap: Vec<Option<InputObject>>,
}

impl Copy<'_> {
    fn value(&mut self, value: &InputValue) -> InputValue {
        match value {
            InputValue::Ref(target) => InputValue::Ref(self.object(*target)),
            InputValue::Elements(all) => InputValue::Elements(all.iter().map(|value| self.value(value)).collect()),
            other => other.clone(),
        }
    }

    fn object(&mut self, old: usize) -> usize {
        if let Some(&known) = self.positions.get(&old) {
            return known;
        }
        let new = self.heap.len();
        self.positions.insert(old, new);
        self.heap.push(None);
        let made = match self.inputs.heap[old].clone() {
            InputObject::Object { class, fields } => {
                let fields = fields.iter().map(|(&field, value)| (field, self.value(value))).collect();
                InputObject::Object { class, fields }
            }
            InputObject::Array { element, length, elements, rest } => {
                let elements = elements.iter().map(|(index, value)| (index.clone(), self.value(value))).collect();
                let rest = rest.map(|rest| self.value(&rest));
                InputObject::Array { element, length, elements, rest }
            }
        };
        self.heap[new] = Some(made);
        new
    }
}

fn reference(position: Option<usize>) -> InputValue {
    position.map_or(InputValue::Null, InputValue::Ref)
}

impl Search<'_> {
    /// Gives values to the open references, with at most `new` new objects.
    fn attempt(&mut self, mut attempt: Attempt, new: usize) -> Option<Inputs> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return None;
        }
        let Some(open) = attempt.open.pop() else {
            return self.satisfies(&attempt.inputs).then_some(attempt.inputs);
        };
        let is_receiver = matches!(open.place, Place::Root(RootId(0)))
            && self.program.method(self.entry).kind != aback_ir::MethodKind::Static;
        let may_be_null =
            !is_receiver && !matches!(open.place, Place::Field(_, field) if self.program.is_never_null(field));
        let null = may_be_null.then_some(Meaning::Null);
        let types = attempt.heap.heap();
        let fits = |&(_, &exact): &(usize, &Type)| self.program.is_assignable(exact, open.ty);
        let aliases = types.types().iter().enumerate().filter(fits);
        let aliases: Vec<Meaning> = aliases.map(|(number, _)| Meaning::Alias(ObjectNumber(number as u32))).collect();
        let made = match open.ty {
            Type::Class(class) if new > 0 => self.classes(class),
            _ => Vec::new(),
        };
        let made = made.into_iter().map(|class| Meaning::New(Type::Class(class)));
        null.into_iter().chain(aliases).chain(made).find_map(|meaning| {
            let next = self.with(&attempt, open, meaning)?;
            self.attempt(next, new - usize::from(matches!(meaning, Meaning::New(_))))
        })
    }

    /// The classes of which an object that a reference can lead to is made: those of the program, and those of libraries that
    /// sentences name or that have no fields.
    fn classes(&self, class: ClassId) -> Vec<ClassId> {
        let program = self.program;
        let is_possible = |&class: &ClassId| {
            let declared = program.class(class);
            let may_be_made = || {
                is_named(program, self.invariants, class)
                    || program.instance_fields(class).is_empty() && !program.is_no_input(class)
            };
            !declared.is_abstract && !declared.is_interface && (!declared.is_library || may_be_made())
        };
        let mut possible: Vec<ClassId> = program.subclasses(class).into_iter().filter(is_possible).collect();
        possible.sort_by_key(|&class| program.class(class).is_library);
        possible.truncate(MOST_CLASSES);
        possible
    }

    /// The attempt after a reference got a value; `None` if no heap with it satisfies the invariants.
    fn with(&self, attempt: &Attempt, open: Open, meaning: Meaning) -> Option<Attempt> {
        let mut next = attempt.clone();
        let made = next.heap.refer(self.invariants, self.program, open.place, meaning).ok()?;
        if next.heap.verdict(self.invariants) == Truth::False {
            return None;
        }
        let position = match meaning {
            Meaning::Null => None,
            Meaning::Alias(object) => Some(next.positions[object.0 as usize]),
            Meaning::New(_) => {
                next.positions.push(next.inputs.heap.len());
                Some(next.inputs.heap.len())
            }
        };
        let value = reference(position);
        match open.place {
            Place::Root(RootId(root)) => {
                let (index, _) = reference_parameters(self.program, self.entry)[root as usize];
                next.inputs.args[index] = value;
            }
            Place::Field(object, field) => {
                let position = next.positions[object.0 as usize];
                if let InputObject::Object { fields, .. } = &mut next.inputs.heap[position] {
                    fields.insert(field, value);
                }
            }
            Place::Element(array) => {
                let position = next.positions[array.0 as usize];
                let InputObject::Array { elements, .. } = &mut next.inputs.heap[position] else { return None };
                let is_free = |index: &BigInt| !elements.contains_key(index);
                let index = (0..).map(BigInt::from).find(is_free)?;
                elements.insert(index, value);
            }
        }
        if let (Some(object), Meaning::New(Type::Class(class))) = (made, meaning) {
            next.inputs.heap.push(InputObject::Object { class, fields: BTreeMap::new() });
            let fields: Vec<FieldId> = self.program.instance_fields(class);
            let references = fields.into_iter().filter(|&field| self.program.field(field).ty.is_reference());
            let places =
                references.map(|field| Open { place: Place::Field(object, field), ty: self.program.field(field).ty });
            let is_left = |open: &Open| is_left_to_library(self.program, self.invariants, open.place);
            let places = places.filter(|open| !is_left(open));
            // First what is near: references of new objects come last.
            next.open.splice(0..0, places);
        }
        Some(next)
    }

    /// Whether the whole heap satisfies the invariants, in whatever order it is discovered, and the companion methods
    /// that some order triggers agree.
    fn satisfies(&self, inputs: &Inputs) -> bool {
        let Some(heap) = heap_of(self.program, self.entry, inputs) else { return false };
        let agree = |calls: FxHashSet<Triggered>| calls.iter().all(|triggered| self.agrees(inputs, triggered));
        holds_for_every_order(self.invariants, self.program, &heap, MOST_ORDERS) == Ok(true)
            && triggered_in_some_order(self.invariants, self.program, &heap, MOST_ORDERS).is_ok_and(agree)
    }

    fn agrees(&self, inputs: &Inputs, triggered: &Triggered) -> bool {
        let value = |object: ObjectNumber| InputValue::Ref(object.0 as usize);
        let origin = triggered.origin.map(value);
        let reached = triggered.reached.map_or(InputValue::Null, value);
        let args = origin.into_iter().chain([reached]).collect();
        let inputs = Inputs { args, nondet: Vec::new(), ..inputs.clone() };
        let limits = Limits { max_steps: MOST_OPERATIONS, ..Limits::default() };
        let outcome = run(self.program, triggered.method, &inputs, limits, &mut ());
        matches!(outcome, Ok(Outcome::Returned(Some(Value::Bool(true)))))
    }
}

/// All objects and references of inputs. `None` if an array is too long to be listed, or if the environment gives objects
/// in other ways than by parameters, which no sentence can name.
fn heap_of(program: &Program, entry: MethodId, inputs: &Inputs) -> Option<Heap> {
    let is_own = |value: &InputValue| match value {
        InputValue::Ref(target) => !matches!(inputs.heap.get(*target),
            Some(InputObject::Object { class, .. }) if program.class(*class).is_library),
        _ => false,
    };
    if inputs.nondet.iter().chain(inputs.statics.values()).any(is_own) {
        return None;
    }
    let mut heap = Heap::default();
    for object in &inputs.heap {
        heap.add_object(match object {
            InputObject::Object { class, .. } => Type::Class(*class),
            InputObject::Array { element, .. } => program.array_of(*element),
        });
    }
    let target = |value: Option<&InputValue>| match value {
        Some(InputValue::Ref(target)) => Some(ObjectNumber(*target as u32)),
        _ => None,
    };
    for (root, (index, _)) in reference_parameters(program, entry).into_iter().enumerate() {
        heap.add_reference(Place::Root(RootId(root as u32)), target(inputs.args.get(index))).ok()?;
    }
    for (number, object) in inputs.heap.iter().enumerate() {
        let number = ObjectNumber(number as u32);
        match object {
            InputObject::Object { class, fields } => {
                for field in program.instance_fields(*class) {
                    if program.field(field).ty.is_reference() {
                        heap.add_reference(Place::Field(number, field), target(fields.get(&field))).ok()?;
                    }
                }
            }
            InputObject::Array { element, length, elements, rest } if element.is_reference() => {
                if rest.is_some() {
                    return None;
                }
                // All elements that are not listed are null.
                let listed: Vec<&InputValue> = elements.range(..length).map(|(_, value)| value).collect();
                let has_others = *length > BigInt::from(listed.len());
                for value in listed.into_iter().map(Some).chain(has_others.then_some(None)) {
                    heap.add_reference(Place::Element(number), target(value)).ok()?;
                }
            }
            InputObject::Array { .. } => {}
        }
    }
    Some(heap)
}
