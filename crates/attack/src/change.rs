//! Makes variants of known inputs.

use crate::objects::Maker;
use crate::parts::{Slot, hidden, slots};
use aback_witness::{InputObject, Inputs};

/// Most changes of one input.
const CHANGES: usize = 3;

impl Maker<'_> {
    /// A copy of one of the known inputs with a few parts changed. The list of nondeterministic values is cut at a
    /// random length; the values after it are drawn anew.
    pub(crate) fn changed(&mut self, known: &[Inputs]) -> Option<Inputs> {
        let mut inputs = self.chance.pick(known)?.clone();
        let given = inputs.nondet.len();
        inputs.nondet.truncate(self.chance.below(given + 1));
        self.hidden.extend(hidden(self.program, self.entry, &inputs));
        let slots = slots(self.program, self.entry, &inputs);
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
}
