//! Reads what is behind a local that refers to a variable, a field or an element: see [`aback_ir::View`].

use crate::arithmetic::convert;
use crate::heap::HeapObject;
use crate::state::State;
use crate::value::{Address, Value};
use aback_ir::{Body, Contents, FieldId, Local, LocalId, MadeFor, Type};
use rustc_hash::FxHashMap;

/// Deepest nesting of references to parts.
const MOST_DEPTH: usize = 16;

/// A variable that users see: a local, or a part of what a local refers to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub(super) local: LocalId,
    /// The number of the part in the view.
    pub(super) part: Option<usize>,
    /// The number in the table of the method.
    pub(super) row: u32,
    /// Whether other variables of the method have the same name, in other scopes.
    pub(super) has_namesakes: bool,
}

/// The variables of a body that users see, in the order of its locals. A variable to which there are references replaces
/// the parameter with its first value.
pub(super) fn variables(body: &Body, params: usize) -> Vec<(Variable, &Local)> {
    let replaces = |at: usize| at >= params;
    let mut shown: Vec<(LocalId, Option<usize>, &Local)> = Vec::new();
    for (at, local) in body.locals.iter().enumerate() {
        let id = LocalId(at as u32);
        let view = body.views.iter().find(|view| view.local == id);
        if let Some(view) = view {
            let is_parameter = |name: &str| body.locals[..params].iter().any(|parameter| parameter.name == name);
            let parts = view.parts.iter().enumerate();
            let parts = parts.filter(|(_, part)| !(part.name.is_empty() || replaces(at) && is_parameter(&part.name)));
            shown.extend(parts.map(|(number, part)| (id, Some(number), part)));
            continue;
        }
        let replacement =
            body.views.iter().filter(|view| at < params && replaces(view.local.index())).find_map(|view| {
                let number = view.parts.iter().position(|part| part.name == local.name)?;
                Some((view.local, Some(number), &view.parts[number]))
            });
        match replacement {
            Some(replacement) => shown.push(replacement),
            None if !local.name.starts_with('%') => shown.push((id, None, local)),
            None => {}
        }
    }
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    shown.iter().for_each(|(_, _, shape)| *counts.entry(&shape.name).or_default() += 1);
    let rows = shown.iter().enumerate();
    rows.map(|(row, &(local, part, shape))| {
        let has_namesakes = counts[&*shape.name] > 1;
        (Variable { local, part, row: row as u32, has_namesakes }, shape)
    })
    .collect()
}

/// The values to which a reference refers.
pub(super) struct Target {
    pub(super) values: Vec<Value>,
    /// The objects that hold them; none if they are static fields.
    pub(super) holders: Vec<Address>,
}

impl Target {
    /// What an object that is a reference refers to; `None` if the object is something else.
    pub(super) fn of(state: &State<'_>, reference: Address) -> Option<Target> {
        Target::nested(state, reference, MOST_DEPTH)
    }

    fn nested(state: &State<'_>, reference: Address, depth: usize) -> Option<Target> {
        let heap = state.heap();
        let HeapObject::Object(pointer) = heap.get(reference)? else { return None };
        if state.program().made_for(pointer.class()).is_some() {
            let mut target = Target { values: Vec::new(), holders: Vec::new() };
            target.capture(state, reference, depth)?;
            return Some(target);
        }
        let look = state.program().profile().runtime.look(state.program(), pointer.class())?;
        let of_object = |address: Address, fields: &[FieldId]| {
            let HeapObject::Object(object) = heap.get(address)? else { return None };
            let values = fields.iter().map(|&field| object.get(field).cloned()).collect::<Option<_>>()?;
            Some(Target { values, holders: vec![address] })
        };
        let object_in = |field: FieldId| match pointer.get(field)? {
            Value::Ref(address) => Some(*address),
            _ => None,
        };
        match look.contents {
            Contents::Variable => {
                let values = pointer.fields().map(|(_, value)| value.clone()).collect();
                Some(Target { values, holders: vec![reference] })
            }
            Contents::Value(_, fields) => of_object(reference, &fields),
            Contents::Place { object: None, values, .. } => {
                let values = values.iter().map(|&field| state.static_field(field)).collect();
                Some(Target { values, holders: Vec::new() })
            }
            Contents::Place { object: Some(object), index: None, values, .. } => of_object(object_in(object)?, &values),
            Contents::Place { object: Some(object), index: Some(index), values, .. } => {
                let Value::Int(index) = pointer.get(index)? else { return None };
                let array = object_in(object)?;
                let arrays = match &values[..] {
                    [] => vec![array],
                    planes => of_object(array, planes)?.values.iter().map(address).collect::<Option<_>>()?,
                };
                let element = |&array: &Address| match heap.get(array)? {
                    HeapObject::Array(array) => array.get(index).cloned(),
                    HeapObject::Object(_) => None,
                };
                Some(Target { values: arrays.iter().map(element).collect::<Option<_>>()?, holders: arrays })
            }
            Contents::Part(whole, part) if depth > 0 => {
                let whole = Target::nested(state, object_in(whole)?, depth - 1)?;
                Some(Target { values: whole.values.get(part)?.to_vec(), ..whole })
            }
            _ => None,
        }
    }

    /// Adds the variables in an object that a compiler made for them, and those in the objects of outer scopes that it refers to.
    fn capture(&mut self, state: &State<'_>, object: Address, depth: usize) -> Option<()> {
        let HeapObject::Object(captured) = state.heap().get(object)? else { return None };
        let program = state.program();
        self.holders.push(object);
        for (field, value) in captured.fields() {
            let is_scope = matches!(program.field(field).ty, Type::Class(class) if program.made_for(class) == Some(MadeFor::Functions));
            match (is_scope, value) {
                (true, Value::Ref(outer)) if depth > 0 => self.capture(state, *outer, depth - 1)?,
                (true, _) => return None,
                (false, value) => self.values.push(value.clone()),
            }
        }
        Some(())
    }

    /// A value, as one of the type that the source has. References have types without a sign.
    pub(super) fn part(&self, number: usize, ty: Type) -> Option<Value> {
        let value = self.values.get(number)?;
        match ty {
            Type::Machine { .. } => convert(ty, ty, value).ok(),
            _ => Some(value.clone()),
        }
    }
}

fn address(value: &Value) -> Option<Address> {
    match value {
        Value::Ref(address) => Some(*address),
        _ => None,
    }
}
