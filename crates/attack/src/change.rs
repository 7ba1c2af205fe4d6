//! Makes variants of known inputs.

use crate::objects::Maker;
use aback_ir::{MethodKind, Type};
use aback_witness::{InputObject, InputValue, Inputs};
use num_bigint::BigInt;

/// Most changes of one input.
const CHANGES: usize = 3;

/// A part of an input that may get another value.
#[derive(Clone)]
enum Slot {
    Argument(usize),
    Field(usize, aback_ir::FieldId),
    Element(usize, BigInt),
}

impl Maker<'_> {
    /// A copy of one of the known inputs with a few parts changed. The list of nondeterministic values is cut at a
    /// random length; the values after it are drawn anew.
    pub(crate) fn changed(&mut self, known: &[Inputs]) -> Option<Inputs> {
        let mut inputs = self.chance.pick(known)?.clone();
        let given = inputs.nondet.len();
        inputs.nondet.truncate(self.chance.below(given + 1));
        self.hide(&inputs);
        let slots = self.slots(&inputs);
        self.heap = inputs.heap;
        for _ in 0..=self.chance.below(CHANGES) {
            let Some((slot, ty)) = self.chance.pick(&slots).cloned() else { break };
            let value = match ty.is_reference() {
                true => self.alias(ty),
                false => Some(self.values.value(self.chance, ty)),
            };
            // A reference becomes a reference to another object of the input, never null: other inputs try null.
            let Some(value) = value else { continue };
            match slot {
                Slot::Argument(index) => inputs.args[index] = value,
                Slot::Field(object, field) => {
                    if let InputObject::Object { fields, .. } = &mut self.heap[object] {
                        fields.insert(field, value);
                    }
                }
                Slot::Element(object, position) => {
                    if let InputObject::Array { elements, .. } = &mut self.heap[object] {
                        elements.insert(position, value);
                    }
                }
            }
        }
        inputs.heap = std::mem::take(&mut self.heap);
        Some(inputs)
    }

    /// Hides the objects that nothing else may refer to and that stay as they are.
    fn hide(&mut self, inputs: &Inputs) {
        for object in &inputs.heap {
            let InputObject::Object { fields, .. } = object else { continue };
            for (&field, value) in fields {
                if let InputValue::Ref(array) = value
                    && self.program.is_owned_array(field)
                {
                    self.hidden.insert(*array);
                }
            }
        }
        if self.program.method(self.entry).kind == MethodKind::Constructor
            && let Some(InputValue::Ref(receiver)) = inputs.args.first()
        {
            self.hidden.insert(*receiver);
        }
    }

    /// The parts that may be changed, with their types. Fields that a library class declares stay as they are.
    fn slots(&self, inputs: &Inputs) -> Vec<(Slot, Type)> {
        let method = self.program.method(self.entry);
        let receiver = usize::from(method.kind != MethodKind::Static);
        let arguments = method.params.iter().enumerate().skip(receiver);
        let mut slots: Vec<(Slot, Type)> = arguments.map(|(index, &ty)| (Slot::Argument(index), ty)).collect();
        for (number, object) in inputs.heap.iter().enumerate().filter(|(number, _)| !self.hidden.contains(number)) {
            match object {
                InputObject::Object { fields, .. } => {
                    let own = fields.keys().copied().filter(|&field| {
                        let field = self.program.field(field);
                        !field.name.contains('$') && !self.program.class(field.class).is_library
                    });
                    slots.extend(own.map(|field| (Slot::Field(number, field), self.program.field(field).ty)));
                }
                InputObject::Array { element, elements, .. } => {
                    slots.extend(elements.keys().map(|at| (Slot::Element(number, at.clone()), *element)));
                }
            }
        }
        slots
    }
}
