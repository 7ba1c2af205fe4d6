//! Finds out how users know the arguments of an entry point: as variables, places, constants and objects of static fields.

use crate::heap::HeapObject;
use crate::show::show_value;
use crate::state::State;
use crate::value::{Address, Value};
use aback_ir::{ClassId, Contents, FieldId, Type};

/// Whether an object is a variable to which a parameter refers.
pub(super) fn is_variable(state: &State<'_>, address: Address) -> bool {
    let program = state.program();
    let class = state.heap().get(address).and_then(HeapObject::class);
    let look = class.and_then(|class| program.profile().runtime.look(program, class));
    look.is_some_and(|look| matches!(look.contents, Contents::Variable))
}

/// The name of the place to which a reference points that an object is. `arguments` are known objects, by name.
pub(super) fn place_of(state: &State<'_>, address: Address, arguments: &[(&str, &Value)]) -> Option<String> {
    let program = state.program();
    let HeapObject::Object(reference) = state.heap().get(address)? else { return None };
    let Contents::Place { object, index, name, .. } =
        program.profile().runtime.look(program, reference.class())?.contents
    else {
        return None;
    };
    let Some(object) = object else { return Some(name) };
    let object = reference.get(object)?;
    let known = arguments.iter().find(|(_, argument)| *argument == object).map(|(name, _)| name.to_string());
    let holder = known.unwrap_or_else(|| show_value(state, object));
    let index = index.and_then(|index| reference.get(index)).map(|index| format!("[{}]", show_value(state, index)));
    Some(format!("{holder}{}{name}", index.unwrap_or_default()))
}

/// The name of an enum constant, as the constant itself stores it.
pub(super) fn name_of_constant(state: &State<'_>, class: ClassId, value: &Value) -> Option<String> {
    let Value::Ref(constant) = value else { return None };
    let HeapObject::Object(object) = state.heap().get(*constant)? else { return None };
    let Value::Ref(name) = object.get(state.program().find_field(class, "name")?)? else { return None };
    state.heap().string(*name)
}

/// The static field that holds an object, if there is one in a class from the sources or a library. A string comes with its
/// text.
pub(super) fn holder(state: &State<'_>, object: &Value) -> Option<String> {
    let program = state.program();
    let is_named = |field: FieldId| program.class(program.field(field).class).span != aback_ir::Span::NONE;
    let held = state.statics().filter(|&(field, value)| value == object && is_named(field));
    let field = program.field(held.map(|(field, _)| field).min()?);
    let name = format!("{}.{}", program.show_type(Type::Class(field.class)), field.name);
    Some(match object {
        Value::Ref(address) if state.heap().is_string(*address) => format!("{} ({name})", show_value(state, object)),
        _ => name,
    })
}
