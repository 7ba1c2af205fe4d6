//! Reads what is behind a local that refers to a variable, a field or an element: see [`aback_ir::View`].

use crate::arithmetic::convert;
use crate::heap::HeapObject;
use crate::state::State;
use crate::value::{Address, Value};
use aback_ir::{Body, ClassId, Contents, FieldId, Local, LocalId, MadeFor, Type};
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
    /// Whether it has a value from the start: parameters do, and what functions have captured.
    pub(super) is_given: bool,
}

/// The variables of a body that users see, in the order of its locals. A variable to which there are references replaces
/// the parameter with its first value.
pub(super) fn variables(body: &Body, params: usize) -> Vec<(Variable, &Local)> {
    let replaces = |at: usize| at >= params;
    let mut shown: Vec<(LocalId, Option<usize>, &Local)> = Vec::new();
    let mut replacing: Vec<usize> = Vec::new();
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
            Some(replacement) => {
                replacing.push(shown.len());
                shown.push(replacement);
            }
            None if !local.name.starts_with('%') => shown.push((id, None, local)),
            None => {}
        }
    }
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    shown.iter().for_each(|(_, _, shape)| *counts.entry(&shape.name).or_default() += 1);
    let rows = shown.iter().enumerate();
    rows.map(|(row, &(local, part, shape))| {
        let has_namesakes = counts[&*shape.name] > 1;
        let is_given = local.index() < params || replacing.contains(&row);
        (Variable { local, part, row: row as u32, has_namesakes, is_given }, shape)
    })
    .collect()
}

/// The values to which a reference refers.
pub(super) struct Target {
    /// `None` stands for what is not there yet.
    values: Vec<Option<Value>>,
    /// The objects that hold them; none if they are static fields.
    pub(super) holders: Vec<Address>,
    /// The places of the values, where they are fields of objects.
    pub(super) places: Vec<Option<(Address, FieldId)>>,
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
            let mut target = Target { values: Vec::new(), holders: Vec::new(), places: Vec::new() };
            target.capture(state, pointer.class(), Some(reference), depth)?;
            return Some(target);
        }
        let look = state.program().profile().runtime.look(state.program(), pointer.class())?;
        let of_object = |address: Address, fields: &[FieldId]| {
            let HeapObject::Object(object) = heap.get(address)? else { return None };
            let values = fields.iter().map(|&field| object.get(field).cloned().map(Some)).collect::<Option<_>>()?;
            let places = fields.iter().map(|&field| Some((address, field))).collect();
            Some(Target { values, holders: vec![address], places })
        };
        let object_in = |field: FieldId| match pointer.get(field)? {
            Value::Ref(address) => Some(*address),
            _ => None,
        };
        match look.contents {
            Contents::Variable => {
                let (values, places) =
                    pointer.fields().map(|(field, value)| (Some(value.clone()), Some((reference, field)))).unzip();
                Some(Target { values, holders: vec![reference], places })
            }
            Contents::Value(_, fields) => of_object(reference, &fields),
            Contents::Place { object: None, values, .. } => {
                let values = values.iter().map(|&field| Some(state.static_field(field))).collect();
                Some(Target { values, holders: Vec::new(), places: Vec::new() })
            }
            Contents::Place { object: Some(object), index: None, values, .. } => of_object(object_in(object)?, &values),
            Contents::Place { object: Some(object), index: Some(index), values, .. } => {
                let Value::Int(index) = pointer.get(index)? else { return None };
                let array = object_in(object)?;
                let arrays = match &values[..] {
                    [] => vec![array],
                    planes => {
                        let objects = of_object(array, planes)?.values;
                        objects.iter().map(|value| value.as_ref().and_then(address)).collect::<Option<_>>()?
                    }
                };
                let element = |&array: &Address| match heap.get(array)? {
                    HeapObject::Array(array) => array.get(index).cloned(),
                    HeapObject::Object(_) => None,
                };
                let values = arrays.iter().map(|array| element(array).map(Some)).collect::<Option<_>>()?;
                Some(Target { values, holders: arrays, places: Vec::new() })
            }
            Contents::Part(whole, part) if depth > 0 => {
                let whole = Target::nested(state, object_in(whole)?, depth - 1)?;
                let places = whole.places.get(part.clone()).map_or_else(Vec::new, <[_]>::to_vec);
                Some(Target { values: whole.values.get(part)?.to_vec(), places, ..whole })
            }
            _ => None,
        }
    }

    /// Adds the variables in an object that a compiler made for them, and those in the objects of other scopes that it refers to. `None` stands
    /// for an object of the class that is not there yet.
    fn capture(&mut self, state: &State<'_>, class: ClassId, object: Option<Address>, depth: usize) -> Option<()> {
        let program = state.program();
        let found = match object.map(|object| state.heap().get(object)) {
            Some(Some(HeapObject::Object(found))) => Some(found),
            Some(_) => return None,
            None => None,
        };
        self.holders.extend(object);
        for field in program.instance_fields(class) {
            let value = found.and_then(|found| found.get(field));
            match program.field(field).ty {
                Type::Class(scope) if program.made_for(scope) == Some(MadeFor::Functions) => {
                    let other = match value {
                        Some(Value::Ref(other)) => Some(*other),
                        _ => None,
                    };
                    self.capture(state, scope, other, depth.checked_sub(1)?)?;
                }
                _ => {
                    self.values.push(value.cloned());
                    self.places.push(object.map(|object| (object, field)));
                }
            }
        }
        Some(())
    }

    /// A value, as one of the type that the source has. References have types without a sign.
    pub(super) fn part(&self, number: usize, ty: Type) -> Option<Value> {
        let value = self.values.get(number)?.as_ref()?;
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
