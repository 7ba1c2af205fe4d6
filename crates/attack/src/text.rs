//! Writes and reads the characters of strings in inputs, and makes characters printable.

use crate::parts::{Slot, slots};
use aback_ir::{FieldId, MethodId, Program, StringLayout, Type};
use aback_witness::{InputObject, InputValue, Inputs};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

/// The type of code units of UTF-16.
const UNIT: Type = Type::Machine { width: 16, signed: false };
/// Most code units of a string that is read.
const MOST: usize = 100_000;
/// Most code units of inputs in which others take the place of some.
const MOST_REPLACED: usize = 10_000;
/// Most characters that are replaced one after the other.
const MOST_ALONE: usize = 20;

/// The characters of a string as an input holds them.
pub(crate) struct Encoded {
    /// The elements of its array.
    pub(crate) elements: BTreeMap<BigInt, InputValue>,
    /// The field of the coder, if it has another value than the default.
    pub(crate) coder: Option<(FieldId, InputValue)>,
}

/// A string with these code units: one byte for each character if that suffices. `None` if the strings of the program cannot
/// hold them.
pub(crate) fn encode(program: &Program, layout: &StringLayout, units: &[u16]) -> Option<Encoded> {
    let Type::Array(array) = program.field(layout.value).ty else { return None };
    let is_narrow = units.iter().all(|&unit| unit < 0x100);
    // Without a coder, bytes are Latin-1, and other elements are code units.
    let is_bytes = matches!(program.element_type(array), Type::Machine { width: 8, .. });
    let elements: Vec<i64> = match (is_bytes, is_narrow) {
        (false, _) => units.iter().map(|&unit| i64::from(unit)).collect(),
        (true, true) => units.iter().map(|&unit| i64::from(unit as i8)).collect(),
        (true, false) if layout.coder.is_some() => {
            units.iter().flat_map(|unit| unit.to_le_bytes()).map(|byte| i64::from(byte as i8)).collect()
        }
        (true, false) => return None,
    };
    let elements = elements.into_iter().enumerate();
    let elements = elements.map(|(position, value)| (position.into(), InputValue::Int(value.into()))).collect();
    let coder = layout.coder.filter(|_| is_bytes && !is_narrow).map(|coder| (coder, InputValue::Int(1.into())));
    Some(Encoded { elements, coder })
}

/// Characters that take the place of others: code may ask what kind of character there is.
const ALPHABETS: [&str; 3] = ["abcdefghijklmnopqrstuvwxyz", "0123456789", ".,;:!?+-*/=_#%&@ "];

/// The inputs with other characters in place of those that cannot be printed, or are not ASCII: of all such characters at once, or
/// else of one after the other. Different ones have different characters in their place. `is_kept` tells whether a change is possible.
pub(crate) fn printable(
    program: &Program,
    entry: MethodId,
    inputs: Inputs,
    mut is_kept: impl FnMut(&Inputs) -> bool,
) -> Inputs {
    let mut texts: Vec<(Text, Vec<u16>)> = Vec::new();
    let mut total = 0;
    for text in texts_of(program, entry, &inputs) {
        let Some(units) = text.units(program, &inputs) else { continue };
        total += units.len();
        if total > MOST_REPLACED {
            return inputs;
        }
        texts.push((text, units));
    }
    let mut known: BTreeSet<u16> = texts.iter().flat_map(|(_, units)| units.iter().copied()).collect();
    let odd: Vec<u16> = known.iter().copied().filter(|&unit| !is_printable(unit)).collect();
    let free = |known: &BTreeSet<u16>, alphabet: &str| -> Vec<u16> {
        alphabet.bytes().map(u16::from).filter(|unit| !known.contains(unit)).collect()
    };
    if odd.is_empty() {
        return inputs;
    }
    for alphabet in ALPHABETS {
        let new: BTreeMap<u16, u16> = odd.iter().copied().zip(free(&known, alphabet)).collect();
        let changed = replaced(program, &inputs, &texts, &new).filter(|_| new.len() == odd.len());
        if let Some(changed) = changed.filter(|changed| is_kept(changed)) {
            return changed;
        }
    }
    let mut best = inputs;
    for unit in odd.into_iter().take(MOST_ALONE) {
        for alphabet in ALPHABETS {
            let Some(&other) = free(&known, alphabet).first() else { continue };
            let new = BTreeMap::from([(unit, other)]);
            if let Some(changed) = replaced(program, &best, &texts, &new).filter(|changed| is_kept(changed)) {
                for (_, units) in &mut texts {
                    *units = with(units, &new);
                }
                known.insert(other);
                best = changed;
                break;
            }
        }
    }
    best
}

/// The inputs with new characters in these texts.
fn replaced(
    program: &Program,
    inputs: &Inputs,
    texts: &[(Text, Vec<u16>)],
    new: &BTreeMap<u16, u16>,
) -> Option<Inputs> {
    let mut changed = inputs.clone();
    for (text, units) in texts.iter().filter(|(_, units)| units.iter().any(|unit| new.contains_key(unit))) {
        text.set(program, &mut changed, &with(units, new))?;
    }
    Some(changed)
}

fn with(units: &[u16], new: &BTreeMap<u16, u16>) -> Vec<u16> {
    units.iter().map(|unit| new.get(unit).copied().unwrap_or(*unit)).collect()
}

fn is_printable(unit: u16) -> bool {
    (0x20..0x7f).contains(&unit)
}

/// A part of inputs with characters.
enum Text {
    /// The string object with this number.
    String(usize),
    /// A value of the type of characters.
    Character(Slot),
    /// A value that the run asks for, or the elements of an array that it makes.
    Given(usize),
}

fn texts_of(program: &Program, entry: MethodId, inputs: &Inputs) -> Vec<Text> {
    let class = program.string_layout().map(|layout| layout.class);
    let is_string =
        |object: &InputObject| matches!(object, InputObject::Object { class: own, .. } if Some(*own) == class);
    let strings = inputs.heap.iter().enumerate().filter(|(_, object)| is_string(object));
    let characters = slots(program, entry, inputs).into_iter().filter(|(_, ty)| *ty == UNIT);
    let mut texts: Vec<Text> = strings.map(|(number, _)| Text::String(number)).collect();
    texts.extend(characters.map(|(slot, _)| Text::Character(slot)));
    texts.extend((0..inputs.nondet.len()).map(Text::Given));
    texts
}

impl Text {
    fn units(&self, program: &Program, inputs: &Inputs) -> Option<Vec<u16>> {
        match self {
            Text::String(object) => decode(program, inputs, *object),
            Text::Character(slot) => Some(vec![unit(slot.get(inputs)?)?]),
            // Other numbers are not known to be none, and small ones are rather numbers than control characters.
            Text::Given(index) => match inputs.nondet.get(*index)? {
                InputValue::Elements(elements) => elements.iter().map(unit).collect(),
                value => unit(value).filter(|&unit| unit >= 0x80).map(|unit| vec![unit]),
            },
        }
    }

    fn set(&self, program: &Program, inputs: &mut Inputs, units: &[u16]) -> Option<()> {
        let value = |unit: &u16| InputValue::Int((*unit).into());
        match self {
            Text::String(object) => write(program, inputs, *object, units)?,
            Text::Character(slot) => *slot.of(inputs)? = value(units.first()?),
            Text::Given(index) => {
                let given = inputs.nondet.get_mut(*index)?;
                *given = match given {
                    InputValue::Elements(_) => InputValue::Elements(units.iter().map(value).collect()),
                    _ => value(units.first()?),
                };
            }
        }
        Some(())
    }
}

/// A character, or a byte of Latin-1.
fn unit(value: &InputValue) -> Option<u16> {
    let InputValue::Int(number) = value else { return None };
    let number = i32::try_from(number).ok()?;
    if (-0x80..0).contains(&number) { Some(number as u8 as u16) } else { u16::try_from(number).ok() }
}

/// The code units of the string object with this number, if they are not too many.
pub(crate) fn decode(program: &Program, inputs: &Inputs, object: usize) -> Option<Vec<u16>> {
    let layout = program.string_layout()?;
    let InputObject::Object { fields, .. } = inputs.heap.get(object)? else { return None };
    let Some(InputValue::Ref(array)) = fields.get(&layout.value) else { return None };
    let InputObject::Array { element, length, elements, rest } = inputs.heap.get(*array)? else { return None };
    let length = usize::try_from(length).ok().filter(|length| *length <= MOST)?;
    let other = rest.clone().unwrap_or(InputValue::Int(BigInt::ZERO));
    let numbers = (0..length).map(|index| elements.get(&BigInt::from(index)).unwrap_or(&other));
    let coder = layout.coder.and_then(|coder| fields.get(&coder));
    let is_wide = matches!(element, Type::Machine { width: 8, .. })
        && matches!(coder, Some(InputValue::Int(coder)) if *coder == 1.into());
    let units: Vec<u16> = numbers.map(unit).collect::<Option<_>>()?;
    Some(if is_wide { units.chunks(2).map(|pair| pair[0] | pair.get(1).unwrap_or(&0) << 8).collect() } else { units })
}

/// Gives the string object with this number other code units.
pub(crate) fn write(program: &Program, inputs: &mut Inputs, object: usize, units: &[u16]) -> Option<()> {
    let layout = program.string_layout()?;
    let encoded = encode(program, &layout, units)?;
    let InputObject::Object { fields, .. } = inputs.heap.get_mut(object)? else { return None };
    let Some(&InputValue::Ref(array)) = fields.get(&layout.value) else { return None };
    if let Some(coder) = layout.coder {
        fields.remove(&coder);
    }
    fields.extend(encoded.coder);
    let InputObject::Array { length, elements, rest, .. } = inputs.heap.get_mut(array)? else { return None };
    *length = encoded.elements.len().into();
    *elements = encoded.elements;
    *rest = None;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters are replaced as far as that is possible, equal ones by equal ones.
    #[test]
    fn characters() {
        let text = "class A { static method m(a: u16, b: u16, c: u16) { b0: return } }";
        let program = aback_ir::text::parse(text).unwrap();
        let (entry, _) = program.methods().next().unwrap();
        let inputs = |codes: [u16; 3]| Inputs {
            args: codes.map(|code| InputValue::Int(code.into())).to_vec(),
            ..Inputs::default()
        };
        let check = |codes: [u16; 3], is_kept: &dyn Fn(&[u16]) -> bool, expected: [u16; 3]| {
            let found = printable(&program, entry, inputs(codes), |changed| {
                let codes: Vec<u16> = changed.args.iter().filter_map(unit).collect();
                is_kept(&codes)
            });
            assert_eq!(found.args, inputs(expected).args, "{codes:?}");
        };
        let [a, b, zero, dot, space] = ['a', 'b', '0', '.', ' '].map(|c| c as u16);
        check([0, 256, 0], &|_| true, [a, b, a]);
        check([0, a, space], &|_| true, [b, a, space]);
        // No letters.
        check([1, 2, a], &|codes| codes[..2].iter().all(|code| (48..58).contains(code)), [zero, zero + 1, a]);
        // One is punctuation, and the other one must stay.
        check([1, 2, a], &|codes| codes[0] == dot && codes[1] == 2, [dot, 2, a]);
        check([1, 2, 3], &|_| false, [1, 2, 3]);
    }
}
