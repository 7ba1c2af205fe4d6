//! Finds values in inputs that do not have the type that the sources give, where the program model has no type
//! arguments: a list of strings among the inputs has no numbers in it.

use crate::plain_objects::plain_object;
use aback_ir::{FieldId, MethodId, Program, SourceType, Type};
use aback_witness::{InputObject, InputValue, Inputs};
use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether the arguments of an entry point lead to a value of another type than the sources say. Callers need unchecked
/// conversions for that. `start` is the method whose arguments the inputs are, with the names of those of `entry`.
pub(crate) fn breaks_type_arguments(program: &Program, entry: MethodId, start: MethodId, inputs: &Inputs) -> bool {
    !walk(program, entry, start, inputs).misfits.is_empty()
}

/// Most attempts to give all values the right types.
const ATTEMPTS: usize = 8;

/// The inputs with values of the types that the sources say. An object that is there as one of several types has a copy for
/// each of them. A new object with default values in its fields takes the place of an object of another type. `None` if this is
/// not possible. Only a run tells whether it matters.
pub(crate) fn fitted(program: &Program, entry: MethodId, start: MethodId, inputs: &Inputs) -> Option<Inputs> {
    let mut fitted = inputs.clone();
    for _ in 0..ATTEMPTS {
        let Walk { misfits, shared } = walk(program, entry, start, &fitted);
        if misfits.is_empty() {
            return Some(fitted);
        }
        for (place, object) in &shared {
            let copy = copy(program, fitted.heap.get(*object)?)?;
            fitted.heap.push(copy);
            *place.of(&mut fitted)? = InputValue::Ref(fitted.heap.len() - 1);
        }
        // The copies change what fits.
        for (place, ty) in misfits.into_iter().filter(|_| shared.is_empty()) {
            let value = plain_object(program, &mut fitted.heap, ty.ty)?;
            *place.of(&mut fitted)? = value;
        }
    }
    None
}

/// What a walk through inputs along the types of the sources has met.
#[derive(Default)]
struct Walk {
    /// The places with values of other types than the sources say, with the types that they say.
    misfits: Vec<(Place, SourceType)>,
    /// The places from which an object is reached as one of another type than before, with the object.
    shared: Vec<(Place, usize)>,
}

/// A place in inputs with a reference.
#[derive(Clone)]
enum Place {
    Argument(usize),
    Field(usize, FieldId),
    Element(usize, BigInt),
    /// All elements of an array that are not listed.
    Rest(usize),
}

impl Place {
    fn of<'a>(&self, inputs: &'a mut Inputs) -> Option<&'a mut InputValue> {
        let (number, place) = match self {
            Place::Argument(index) => return inputs.args.get_mut(*index),
            Place::Field(number, _) | Place::Element(number, _) | Place::Rest(number) => (*number, self),
        };
        match (inputs.heap.get_mut(number)?, place) {
            (InputObject::Object { fields, .. }, Place::Field(_, field)) => fields.get_mut(field),
            (InputObject::Array { elements, .. }, Place::Element(_, index)) => elements.get_mut(index),
            (InputObject::Array { rest, .. }, Place::Rest(_)) => rest.as_mut(),
            _ => None,
        }
    }
}

fn walk(program: &Program, entry: MethodId, start: MethodId, inputs: &Inputs) -> Walk {
    let runtime = &program.profile().runtime;
    let types = program.source_types_of(entry, start);
    let arguments = inputs.args.iter().zip(types).enumerate();
    let mut pending: Vec<(Place, &InputValue, SourceType)> =
        arguments.map(|(index, (value, ty))| (Place::Argument(index), value, ty)).collect();
    let mut seen: FxHashMap<usize, FxHashSet<SourceType>> = FxHashMap::default();
    let mut walk = Walk::default();
    while let Some((place, value, ty)) = pending.pop() {
        let InputValue::Ref(number) = *value else { continue };
        let Some(object) = inputs.heap.get(number) else { continue };
        let exact = match object {
            InputObject::Object { class, .. } => Type::Class(*class),
            InputObject::Array { element, .. } => program.array_of(*element),
        };
        if !program.is_assignable(exact, ty.ty) {
            walk.misfits.push((place, ty));
            continue;
        }
        let known = seen.entry(number).or_default();
        let is_shared = !known.is_empty();
        if !known.insert(ty.clone()) {
            continue;
        }
        if is_shared {
            walk.shared.push((place, number));
        }
        match object {
            InputObject::Object { class, fields } => {
                let exact = runtime.exact_source_type(program, *class, &ty);
                pending.extend(fields.iter().map(|(&field, value)| {
                    let mut ty = runtime.field_source_type(program, field, &exact);
                    // The array of a list has elements of the list's type argument.
                    if program.is_owned_array(field)
                        && let [element] = &exact.arguments[..]
                    {
                        ty.arguments = vec![element.clone()];
                    }
                    (Place::Field(number, field), value, ty)
                }));
            }
            InputObject::Array { element, elements, rest, .. } => {
                let ty = ty.arguments.first().cloned().unwrap_or_else(|| (*element).into());
                let listed = elements.iter().map(|(index, value)| (Place::Element(number, index.clone()), value));
                let parts = listed.chain(rest.iter().map(|value| (Place::Rest(number), value)));
                pending.extend(parts.map(|(place, value)| (place, value, ty.clone())));
            }
        }
    }
    walk
}

/// A copy of an object. Objects of libraries may own others that no copy may share.
fn copy(program: &Program, object: &InputObject) -> Option<InputObject> {
    match object {
        InputObject::Object { class, .. } if program.class(*class).is_library => None,
        object => Some(object.clone()),
    }
}
