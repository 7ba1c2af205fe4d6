//! Makes plain objects that take the place of other values in inputs.

use aback_ir::{ClassId, MethodId, Program, Type};
use aback_witness::{InputObject, InputValue, Inputs};
use num_bigint::BigInt;
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
