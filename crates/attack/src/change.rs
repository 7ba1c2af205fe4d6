//! Makes variants of known inputs.

use crate::climb::Change;
use crate::objects::Maker;
use crate::parts::{Slot, hidden, scalar_slots, slots};
use crate::values::range;
use aback_ir::Type;
use aback_witness::{InputObject, InputValue, Inputs};
use num_bigint::BigInt;
use rustc_hash::FxHashSet;

/// Most changes of one input.
const CHANGES: usize = 3;
/// Every second change of a nondeterministic value is one of the first ones, on which the number of others often depends.
const FIRST: usize = 6;
/// Greatest length of an array that is made longer.
const LONGEST: i64 = 1024;
/// Most elements of an array that are all looked at.
const LOOKED: usize = 64;
/// Numbers change by powers of two below this one.
const POWERS: usize = 14;
/// What a part of an input may be multiplied with.
const FACTORS: [i64; 10] = [1, 1, 1, 1, 2, 3, 4, 5, 7, 10];

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

    /// A copy of inputs in which mostly a single part has changed a bit, or in which a change is made again. `missing` is how far
    /// they are from what is looked for. Returns what has changed, if it can be made again.
    pub(crate) fn nudged(
        &mut self,
        (near, missing): (&Inputs, f64),
        momentum: Option<&Change>,
    ) -> (Inputs, Option<Change>) {
        let mut inputs = near.clone();
        let mut made = None;
        let hidden = hidden(self.program, self.entry, &inputs);
        if let Some(change) = momentum.filter(|_| self.chance.is(50))
            && self.repeat(change, &mut inputs, &hidden)
        {
            return (inputs, Some(change.clone()));
        }
        let slots = scalar_slots(self.program, self.entry, &inputs);
        // Further elements of arrays of references would be null, which they cannot be in some inputs.
        let is_array = |object: &InputObject| match object {
            InputObject::Array { element, .. } => !element.is_reference(),
            InputObject::Object { .. } => false,
        };
        let arrays: Vec<usize> =
            (0..inputs.heap.len()).filter(|at| !hidden.contains(at) && is_array(&inputs.heap[*at])).collect();
        let changes = if self.chance.is(80) { 1 } else { 1 + self.chance.below(CHANGES) };
        for _ in 0..changes {
            let kinds = [inputs.nondet.len().min(FIRST), slots.len().min(FIRST), arrays.len()];
            let mut kind = self.chance.below(kinds.iter().sum());
            if kind < kinds[0] {
                let most = if self.chance.is(50) { FIRST } else { usize::MAX };
                let at = self.chance.below(inputs.nondet.len().min(most));
                made = self.nudge(&mut inputs.nondet[at], None, missing);
                continue;
            }
            kind -= kinds[0];
            if kind < kinds[1] {
                let Some((slot, ty)) = self.chance.pick(&slots).cloned() else { continue };
                if let Some(value) = slot.of(&mut inputs).filter(|_| !ty.is_reference()) {
                    made = self.nudge(value, Some(ty), missing);
                }
                continue;
            }
            let Some(&at) = self.chance.pick(&arrays) else { continue };
            let InputObject::Array { element, length, elements, rest } = &mut inputs.heap[at] else { continue };
            if self.chance.is(50) {
                *length = (&*length + self.step(missing)).clamp(BigInt::ZERO, LONGEST.into());
                elements.retain(|at, _| at < length);
            } else if *length > BigInt::ZERO {
                let most = usize::try_from(&*length).unwrap_or(LONGEST as usize);
                let to = self.values.value(self.chance, *element);
                let from = elements.insert(self.chance.below(most).into(), to.clone());
                let from = from.or(rest.clone()).unwrap_or_else(|| InputValue::default_of(*element));
                made = Some(Change { from, to, times: 1 });
            }
        }
        (inputs, made.filter(|_| changes == 1))
    }

    /// Makes a change again, in other nondeterministic values and elements. Returns whether there are any.
    fn repeat(&mut self, change: &Change, inputs: &mut Inputs, hidden: &FxHashSet<usize>) -> bool {
        let Inputs { nondet, heap, .. } = inputs;
        // Values of the list, and elements of arrays.
        let listed = nondet.iter().enumerate().filter(|(_, value)| **value == change.from).map(|(at, _)| (None, at));
        let mut places: Vec<(Option<usize>, usize)> = listed.collect();
        for (array, object) in heap.iter().enumerate().filter(|(array, _)| !hidden.contains(array)) {
            if let InputObject::Array { element, length, elements, rest } = object
                && !element.is_reference()
            {
                let default = rest.clone().unwrap_or_else(|| InputValue::default_of(*element));
                let most = usize::try_from(length).unwrap_or(usize::MAX).min(LONGEST as usize);
                let has = |at: &usize| *elements.get(&BigInt::from(*at)).unwrap_or(&default) == change.from;
                // Of long arrays, a few elements are enough.
                let picked: Vec<usize> = match most <= LOOKED {
                    true => (0..most).collect(),
                    false => (0..LOOKED + 2 * change.times).map(|_| self.chance.below(most)).collect(),
                };
                places.extend(picked.into_iter().filter(has).map(|at| (Some(array), at)));
            }
        }
        if places.is_empty() {
            return false;
        }
        for _ in 0..change.times.min(places.len()) {
            match places.swap_remove(self.chance.below(places.len())) {
                (None, at) => nondet[at] = change.to.clone(),
                (Some(array), at) => {
                    if let InputObject::Array { elements, .. } = &mut heap[array] {
                        elements.insert(at.into(), change.to.clone());
                    }
                }
            }
        }
        true
    }

    /// Changes a value that is no reference a bit.
    fn nudge(&mut self, value: &mut InputValue, ty: Option<Type>, missing: f64) -> Option<Change> {
        let from = value.clone();
        match value {
            InputValue::Bool(value) => *value = !*value,
            InputValue::Int(number) => {
                let changed = &*number + self.step(missing);
                if ty.is_none_or(|ty| range(ty).0 <= changed && changed <= range(ty).1) {
                    *number = changed;
                }
            }
            InputValue::F32(_) => *value = self.values.value(self.chance, Type::F32),
            InputValue::F64(_) => *value = self.values.value(self.chance, Type::F64),
            _ => return None,
        }
        Some(Change { from, to: value.clone(), times: 1 })
    }

    /// A small number, a larger one, or what is missing, divided by a small factor that it may be multiplied with.
    fn step(&mut self, missing: f64) -> BigInt {
        let is_exact = (1.0..1e18).contains(&missing);
        let step = match self.chance.pick(&FACTORS).filter(|_| is_exact && self.chance.is(40)) {
            Some(&factor) => BigInt::from(missing as i64 / factor),
            None => BigInt::from(1) << self.chance.below(POWERS),
        };
        if self.chance.is(50) { step } else { -step }
    }
}
