//! Makes plain objects that take the place of other values in inputs.

use aback_ir::{ClassId, MethodId, Program, Type};
use aback_witness::{InputObject, InputValue, Inputs};
use num_bigint::BigInt;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

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
