//! Makes plain objects that take the place of other values in inputs.

use aback_ir::{ClassId, MethodId, MethodKind, Program, Type};
use aback_witness::{InputObject, InputValue, Inputs};
use num_bigint::BigInt;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Most objects and arrays of an input that are tried with another class.
const MOST_CLASSES: usize = 16;

/// The inputs with plain objects in place of null for these arguments of `start`. `None` if there is none that this would change.
pub(crate) fn without_nulls(program: &Program, start: MethodId, inputs: &Inputs, nulls: &[usize]) -> Option<Inputs> {
    let mut without = inputs.clone();
    let mut is_changed = false;
    for &index in nulls {
        let (Some(InputValue::Null), Some(&ty)) = (without.args.get(index), program.method(start).params.get(index))
        else {
            continue;
        };
        without.args[index] = plain_object(program, &mut without.heap, ty)?;
        is_changed = true;
    }
    is_changed.then_some(without)
}

/// The inputs with plain objects in place of null in arrays. Arrays in objects of libraries stay as they are: they may consist of less than
/// their length. `None` if this would change nothing.
pub(crate) fn without_null_elements(program: &Program, inputs: &Inputs) -> Option<Inputs> {
    let mut without = inputs.clone();
    let mut is_changed = false;
    let own_fields = inputs.heap.iter().flat_map(|object| match object {
        InputObject::Object { class, fields } if !program.class(*class).is_library => fields.values().collect(),
        _ => Vec::new(),
    });
    let mut pending: Vec<&InputValue> = inputs.args.iter().chain(own_fields).collect();
    let mut seen = FxHashSet::default();
    while let Some(value) = pending.pop() {
        let InputValue::Ref(number) = *value else { continue };
        let Some(InputObject::Array { element, length, elements, rest }) = inputs.heap.get(number) else { continue };
        if !element.is_reference() || !seen.insert(number) {
            continue;
        }
        pending.extend(elements.values().chain(rest));
        let is_null = |value: &InputValue| matches!(value, InputValue::Null);
        let are_all_listed = BigInt::from(elements.len()) >= *length;
        if !elements.values().any(is_null) && (are_all_listed || rest.as_ref().is_some_and(|rest| !is_null(rest))) {
            continue;
        }
        let Some(plain) = plain_object(program, &mut without.heap, *element) else { continue };
        if let Some(InputObject::Array { elements, rest, .. }) = without.heap.get_mut(number) {
            elements.values_mut().filter(|value| is_null(value)).for_each(|value| *value = plain.clone());
            if rest.as_ref().is_none_or(is_null) {
                *rest = Some(plain);
            }
            is_changed = true;
        }
    }
    is_changed.then_some(without)
}

/// Gives what arguments refer to ordinary classes, step by step: the root of the hierarchy, and arrays of what the program declares. At last, plain
/// objects take the place of null in arrays. Each step is a change that `is_kept` accepts, and the inputs that it accepts last are the
/// result.
///
/// Only objects that every caller can make come in: of other classes it is not known which states are possible, and of enumerations
/// there are no other objects than theirs.
pub(crate) fn plainer(
    program: &Program,
    start: MethodId,
    inputs: &Inputs,
    mut is_kept: impl FnMut(&Inputs) -> bool,
) -> Inputs {
    let mut best = inputs.clone();
    let method = program.method(start);
    // Which method a call runs depends on the receiver.
    let receiver = usize::from(method.kind != MethodKind::Static);
    let declared = inputs.args.iter().cloned().zip(method.params.iter().copied());
    let mut pending: Vec<(InputValue, Type)> = declared.skip(receiver).collect();
    let mut seen = FxHashSet::default();
    let mut attempts = 0;
    while let Some((value, declared)) = pending.pop() {
        let InputValue::Ref(number) = value else { continue };
        // An array can be an argument of type `Object` as well.
        if attempts == MOST_CLASSES || !seen.insert((number, declared)) {
            continue;
        }
        if let Some(plainer) = of_declared_class(program, &best, number, declared) {
            attempts += 1;
            if is_kept(&plainer) {
                best = plainer;
            }
        }
        // Fields can be of types that only the sources know: an `Object` of the program may be a `T` there. Elements of arrays have the
        // type that callers see.
        if let Some(InputObject::Array { element, elements, rest, .. }) = best.heap.get(number) {
            pending.extend(elements.values().chain(rest).map(|value| (value.clone(), *element)));
        }
    }
    let has_null = |object: &InputObject| match object {
        InputObject::Array { elements, .. } => elements.values().any(|value| matches!(value, InputValue::Null)),
        InputObject::Object { .. } => false,
    };
    let strings = program.string_layout().map(|strings| strings.class);
    let is_plain = |object: &InputObject| match object {
        InputObject::Array { .. } => true,
        InputObject::Object { class, .. } => program.is_root(*class) || strings == Some(*class),
    };
    if best.heap.iter().any(has_null)
        && let Some(without) = without_null_elements(program, &best)
        && without.heap[best.heap.len()..].iter().all(is_plain)
        && is_kept(&without)
    {
        best = without;
    }
    best
}

/// The inputs with a plain object in place of another one, or with an array of the type that its place declares. `None` if it is plain
/// already, if the program declares more than the root of the hierarchy, or if something would be left over to which no part refers any more.
fn of_declared_class(program: &Program, inputs: &Inputs, number: usize, declared: Type) -> Option<Inputs> {
    let plainer = match (inputs.heap.get(number)?, declared) {
        (InputObject::Array { element, length, elements, rest }, Type::Array(array)) => {
            let of = program.element_type(array);
            let (length, elements, rest) = (length.clone(), elements.clone(), rest.clone());
            (of != *element).then_some(InputObject::Array { element: of, length, elements, rest })?
        }
        (InputObject::Object { class, fields }, Type::Class(declared)) => {
            let is_reference = |value: &InputValue| matches!(value, InputValue::Ref(_));
            // A text is as plain, and says more.
            let is_text = program.string_layout().is_some_and(|strings| strings.class == *class);
            if *class == declared || is_text || !program.is_root(declared) || fields.values().any(is_reference) {
                return None;
            }
            InputObject::Object { class: declared, fields: BTreeMap::new() }
        }
        _ => return None,
    };
    let mut changed = inputs.clone();
    changed.heap[number] = plainer;
    Some(changed)
}

/// A new object of a type with default values.
pub(crate) fn plain_object(program: &Program, heap: &mut Vec<InputObject>, ty: Type) -> Option<InputValue> {
    let empty =
        |element: Type| InputObject::Array { element, length: BigInt::ZERO, elements: BTreeMap::new(), rest: None };
    let object = match ty {
        Type::Array(array) => empty(program.element_type(array)),
        Type::Class(class) => {
            let is_concrete = |class: ClassId| !program.class(class).is_abstract && !program.class(class).is_interface;
            let below = || program.subclasses(class).into_iter().filter(|&class| !program.class(class).is_library);
            let class = Some(class)
                .filter(|&class| is_concrete(class))
                .or_else(|| below().find(|&class| is_concrete(class)))?;
            let mut fields = BTreeMap::new();
            if let Some(strings) = program.string_layout().filter(|strings| strings.class == class) {
                let Type::Array(array) = program.field(strings.value).ty else { return None };
                heap.push(empty(program.element_type(array)));
                fields.insert(strings.value, InputValue::Ref(heap.len() - 1));
            }
            InputObject::Object { class, fields }
        }
        _ => return None,
    };
    heap.push(object);
    Some(InputValue::Ref(heap.len() - 1))
}
