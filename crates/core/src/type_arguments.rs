//! Finds elements of collections that do not have the type that the sources give, where the program model has no type
//! arguments: a list of strings among the inputs has no numbers in it.

use aback_ir::{MethodId, Program, SourceType, Type};
use aback_witness::{InputObject, InputValue, Inputs};
use rustc_hash::FxHashSet;

/// Whether a list that the arguments of an entry point lead to has an element of another type than the sources say.
/// Callers need unchecked conversions for that. `start` is the method whose arguments the inputs are, with the names of
/// those of `entry`.
pub(crate) fn breaks_type_arguments(program: &Program, entry: MethodId, start: MethodId, inputs: &Inputs) -> bool {
    let runtime = &program.profile().runtime;
    let types = program.source_types_of(entry, start);
    let mut pending: Vec<(&InputValue, SourceType)> = inputs.args.iter().zip(types).collect();
    let mut seen: FxHashSet<(usize, SourceType)> = FxHashSet::default();
    while let Some((value, ty)) = pending.pop() {
        let InputValue::Ref(object) = value else { continue };
        if !seen.insert((*object, ty.clone())) {
            continue;
        }
        let Some(object) = inputs.heap.get(*object) else { continue };
        let exact = match object {
            InputObject::Object { class, .. } => Type::Class(*class),
            InputObject::Array { element, .. } => program.array_of(*element),
        };
        if !program.is_assignable(exact, ty.ty) {
            return true;
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
                    (value, ty)
                }));
            }
            InputObject::Array { element, elements, rest, .. } => {
                let element = ty.arguments.first().cloned().unwrap_or_else(|| (*element).into());
                pending.extend(elements.values().chain(rest).map(|value| (value, element.clone())));
            }
        }
    }
    false
}
