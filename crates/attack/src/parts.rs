//! Finds the parts of inputs that may have other values.

use aback_ir::{FieldId, MethodId, MethodKind, Program, Type};
use aback_witness::{InputObject, InputValue, Inputs};
use num_bigint::BigInt;
use rustc_hash::FxHashSet;

/// A part of an input that may get another value.
#[derive(Clone)]
pub(crate) enum Slot {
    Argument(usize),
    Field(usize, FieldId),
    Element(usize, BigInt),
}

impl Slot {
    /// The value of the part, unless it is the default.
    pub(crate) fn get<'a>(&self, inputs: &'a Inputs) -> Option<&'a InputValue> {
        match self {
            Slot::Argument(index) => inputs.args.get(*index),
            Slot::Field(object, field) => match inputs.heap.get(*object)? {
                InputObject::Object { fields, .. } => fields.get(field),
                InputObject::Array { .. } => None,
            },
            Slot::Element(array, index) => match inputs.heap.get(*array)? {
                InputObject::Array { elements, .. } => elements.get(index),
                InputObject::Object { .. } => None,
            },
        }
    }

    /// The same, to be changed.
    pub(crate) fn of<'a>(&self, inputs: &'a mut Inputs) -> Option<&'a mut InputValue> {
        match self {
            Slot::Argument(index) => inputs.args.get_mut(*index),
            Slot::Field(object, field) => match inputs.heap.get_mut(*object)? {
                InputObject::Object { fields, .. } => fields.get_mut(field),
                InputObject::Array { .. } => None,
            },
            Slot::Element(array, index) => match inputs.heap.get_mut(*array)? {
                InputObject::Array { elements, .. } => elements.get_mut(index),
                InputObject::Object { .. } => None,
            },
        }
    }
}

/// The objects that nothing else may refer to and that stay as they are.
pub(crate) fn hidden(program: &Program, entry: MethodId, inputs: &Inputs) -> FxHashSet<usize> {
    let mut hidden = FxHashSet::default();
    for object in &inputs.heap {
        let InputObject::Object { fields, .. } = object else { continue };
        for (&field, value) in fields {
            if let InputValue::Ref(array) = value
                && program.is_owned_array(field)
            {
                hidden.insert(*array);
            }
        }
    }
    if program.method(entry).kind == MethodKind::Constructor
        && let Some(InputValue::Ref(receiver)) = inputs.args.first()
    {
        hidden.insert(*receiver);
    }
    hidden
}

/// The parts that may be changed, with their types. Fields that a library class declares stay as they are.
pub(crate) fn slots(program: &Program, entry: MethodId, inputs: &Inputs) -> Vec<(Slot, Type)> {
    let mut slots = scalar_slots(program, entry, inputs);
    let hidden = hidden(program, entry, inputs);
    for (number, object) in inputs.heap.iter().enumerate().filter(|(number, _)| !hidden.contains(number)) {
        if let InputObject::Array { element, elements, .. } = object {
            slots.extend(elements.keys().map(|at| (Slot::Element(number, at.clone()), *element)));
        }
    }
    slots
}

/// The same without the elements of arrays, which may be many.
pub(crate) fn scalar_slots(program: &Program, entry: MethodId, inputs: &Inputs) -> Vec<(Slot, Type)> {
    let method = program.method(entry);
    let hidden = hidden(program, entry, inputs);
    let receiver = usize::from(method.kind != MethodKind::Static);
    let arguments = method.params.iter().enumerate().skip(receiver);
    let mut slots: Vec<(Slot, Type)> = arguments.map(|(index, &ty)| (Slot::Argument(index), ty)).collect();
    for (number, object) in inputs.heap.iter().enumerate().filter(|(number, _)| !hidden.contains(number)) {
        match object {
            InputObject::Array { .. } => {}
            InputObject::Object { fields, .. } => {
                let own = fields.keys().copied().filter(|&id| {
                    let field = program.field(id);
                    !program.is_unset(id) && !field.name.contains('$') && !program.class(field.class).is_library
                });
                slots.extend(own.map(|field| (Slot::Field(number, field), program.field(field).ty)));
            }
        }
    }
    slots
}
