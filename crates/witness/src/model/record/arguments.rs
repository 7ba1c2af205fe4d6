//! Records the arguments of the entry point, and how users know them: as variables, places, constants and objects of static fields.

use super::objects::Holder;
use super::{ArgumentDocument, Constant, Recorder};
use crate::heap::HeapObject;
use crate::show::{show_arguments, show_typed, show_value};
use crate::state::State;
use crate::value::{Address, Value};
use aback_ir::{ClassId, Contents, FieldId, LocalId, MethodKind, Type};

impl Recorder {
    /// Records the arguments of the entry point.
    pub(super) fn starts(&mut self, state: &State<'_>) {
        let (Some(frame), program) = (state.top(), state.program()) else { return };
        let Some(body) = program.body(self.entry) else { return };
        let params = &program.method(self.entry).params;
        let mut arguments = Vec::new();
        let mut variables: Vec<(String, Address)> = Vec::new();
        let values = params.iter().zip(&body.locals).enumerate();
        let names: Vec<(&str, &Value)> =
            values.filter_map(|(at, (_, local))| Some((&*local.name, frame.local(LocalId(at as u32))?))).collect();
        for (index, (&ty, local)) in params.iter().zip(&body.locals).enumerate() {
            let Some(value) = frame.local(LocalId(index as u32)) else { continue };
            match value {
                Value::Ref(address) if let Some(place) = place_of(state, *address, &names) => {
                    self.held.push((local.name.clone(), *address, Some(format!("ref {place}"))));
                }
                Value::Ref(address) if is_variable(state, *address) => {
                    // Users see which parameters are the same variable.
                    match variables.iter().find(|(_, known)| known == address) {
                        Some((known, _)) => {
                            self.held.push((local.name.clone(), *address, Some(format!("ref {known}"))));
                        }
                        None => variables.push((local.name.clone(), *address)),
                    }
                }
                // Nothing is known about an object before its constructor runs.
                Value::Ref(_) if index == 0 && program.method(self.entry).kind == MethodKind::Constructor => {}
                _ => {
                    self.shown_arguments.push((local.name.clone(), show_typed(state, value, ty)));
                    if let Value::Ref(address) = value {
                        self.held.push((local.name.clone(), *address, holder(state, value)));
                    }
                }
            }
            if let Type::Class(class) = ty
                && program.is_made_only(class)
            {
                let constant = name_of_constant(state, class, value);
                self.constants.push(Constant { parameter: index, name: local.name.clone(), constant });
            }
            let value = self.value(state, value, Holder::Variable);
            arguments.push(ArgumentDocument { name: local.name.clone(), ty: program.show_type(ty), value });
        }
        self.arguments = Some(arguments);
        if program.making_limits().is_some() {
            let values: Vec<&Value> = names.iter().map(|(_, value)| *value).collect();
            if let Some(mut shown) = show_arguments(state, self.entry, &values) {
                for (name, _, holder) in &self.held {
                    let is_it = |given: &str| given.strip_prefix("ref ").unwrap_or(given) == name;
                    if let (Some(holder), Some((_, text))) = (holder, shown.iter_mut().find(|(given, _)| is_it(given)))
                    {
                        *text = holder.clone();
                    }
                }
                self.shown_arguments = shown;
            }
        }
        self.notes_statics(state);
    }

    /// Adds the static fields that the start method has set to the shown arguments, and to the state at the first step.
    fn notes_statics(&mut self, state: &State<'_>) {
        let program = state.program();
        let start = program.start(self.entry);
        if start == self.entry {
            return;
        }
        for field in program.given_statics(start) {
            let declared = program.field(field);
            let name = format!("{}.{}", program.class_name(declared.class), declared.name);
            self.shown_arguments.push((name, show_typed(state, &state.static_field(field), declared.ty)));
            if self.with_state {
                self.written_statics.insert(field);
            }
        }
    }
}

/// Whether an object is a variable to which a parameter refers.
fn is_variable(state: &State<'_>, address: Address) -> bool {
    let program = state.program();
    let class = state.heap().get(address).and_then(HeapObject::class);
    let look = class.and_then(|class| program.profile().runtime.look(program, class));
    look.is_some_and(|look| matches!(look.contents, Contents::Variable))
}

/// The name of the place to which a reference points that an object is. `arguments` are known objects, by name.
fn place_of(state: &State<'_>, address: Address, arguments: &[(&str, &Value)]) -> Option<String> {
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
fn name_of_constant(state: &State<'_>, class: ClassId, value: &Value) -> Option<String> {
    let Value::Ref(constant) = value else { return None };
    let HeapObject::Object(object) = state.heap().get(*constant)? else { return None };
    let Value::Ref(name) = object.get(state.program().find_field(class, "name")?)? else { return None };
    state.heap().string(*name)
}

/// The static field that holds an object, if there is one in a class from the sources or a library. A string comes with its
/// text.
fn holder(state: &State<'_>, object: &Value) -> Option<String> {
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
