//! Makes counterexamples easier to read: printable characters, numbers closer to zero, and shorter arrays (delta debugging; Zeller and
//! Hildebrandt, "Simplifying and isolating failure-inducing input", 2002).

use crate::parts::{Slot, hidden, slots};
use crate::text::{decode, printable, write};
use aback_ir::{ClassId, Extent, FieldId, MethodId, OwnedArrays, Program};
use aback_witness::{InputObject, InputValue, Inputs, set_length};
use num_bigint::{BigInt, Sign};
use rustc_hash::FxHashSet;
use std::cell::Cell;

/// Numbers up to this one, and arrays up to a tenth of it, stay as they are.
const LARGE: u32 = 100;

/// Changes inputs of `entry` step by step, so that characters can be printed, and large numbers and long arrays become smaller. Each step is a change that
/// `is_kept` accepts: of all large parts by the same distance, or of one part. It is asked at most `attempts` times, and the
/// inputs that it accepts last are best.
pub fn shrink(
    program: &Program,
    entry: MethodId,
    inputs: Inputs,
    attempts: usize,
    mut is_kept: impl FnMut(&Inputs) -> bool,
) {
    let mut best = inputs;
    let left = Cell::new(attempts);
    let mut is_better = |candidate: &Inputs| {
        let may_ask = left.get() > 0;
        left.set(left.get().saturating_sub(1));
        may_ask && is_kept(candidate)
    };
    best = printable(program, entry, best, &mut is_better);
    let parts = parts(program, entry, &best);
    let lengths = |part: &&Part| matches!(part, Part::Length(_) | Part::Text(_) | Part::Dimension(..));
    for together in [parts.iter().filter(lengths).collect(), parts.iter().collect::<Vec<_>>()] {
        if let Some(better) = shifted(program, &best, &together).into_iter().find(|candidate| is_better(candidate)) {
            best = better;
            break;
        }
    }
    for part in &parts {
        if left.get() == 0 {
            return;
        }
        let Some(number) = part.of(program, &best) else { continue };
        let mut closer = smaller(&number, part.large()).filter_map(|number| part.with(program, &best, number));
        if let Some(better) = closer.find(|candidate| is_better(candidate)) {
            best = better;
        }
    }
}

/// A part of inputs that may become smaller.
enum Part {
    /// The length of an array.
    Length(usize),
    /// The number of characters of a string.
    Text(usize),
    /// A number in an object that owns arrays, or without one the length of these arrays.
    Dimension(usize, OwnedArrays, Option<FieldId>),
    /// A number that stands for itself.
    Number(Slot),
    /// A number that the run asks for, by its place among the values that it asks for.
    Given(usize),
}

impl Part {
    fn of(&self, program: &Program, inputs: &Inputs) -> Option<BigInt> {
        match self {
            Part::Length(array) => match inputs.heap.get(*array)? {
                InputObject::Array { length, .. } => Some(length.clone()),
                InputObject::Object { .. } => None,
            },
            Part::Text(string) => decode(program, inputs, *string).map(|units| units.len().into()),
            Part::Dimension(object, owned, dimension) => length(inputs, *object, owned, *dimension),
            Part::Number(slot) => match slot.get(inputs)? {
                InputValue::Int(number) => Some(number.clone()),
                _ => None,
            },
            Part::Given(index) => match inputs.nondet.get(*index)? {
                InputValue::Int(number) => Some(number.clone()),
                _ => None,
            },
        }
    }

    fn with(&self, program: &Program, inputs: &Inputs, new: BigInt) -> Option<Inputs> {
        let mut changed = inputs.clone();
        self.set(program, &mut changed, new)?;
        Some(changed)
    }

    fn set(&self, program: &Program, inputs: &mut Inputs, new: BigInt) -> Option<()> {
        match self {
            Part::Length(array) => set_length(program, &mut inputs.heap, *array, &new),
            Part::Text(string) => {
                let units = decode(program, inputs, *string)?;
                write(program, inputs, *string, units.get(..usize::try_from(&new).ok()?)?)?;
            }
            Part::Dimension(object, owned, dimension) => {
                set_dimension(program, inputs, *object, owned, *dimension, new)?;
            }
            Part::Number(slot) => *slot.of(inputs)? = InputValue::Int(new),
            // Whatever its type is, a number closer to zero is one of its values.
            Part::Given(index) => *inputs.nondet.get_mut(*index)? = InputValue::Int(new),
        }
        Some(())
    }

    /// Values up to this one stay as they are.
    fn large(&self) -> u32 {
        match self {
            Part::Number(_) | Part::Given(_) => LARGE,
            Part::Length(_) | Part::Text(_) | Part::Dimension(..) => LARGE / 10,
        }
    }
}

fn parts(program: &Program, entry: MethodId, inputs: &Inputs) -> Vec<Part> {
    let fixed = fixed_arrays(program, entry, inputs);
    let is_string = |class: ClassId| program.string_layout().is_some_and(|strings| strings.class == class);
    let mut parts = Vec::new();
    for (number, object) in inputs.heap.iter().enumerate().filter(|(number, _)| !fixed.contains(number)) {
        match object {
            InputObject::Array { .. } => parts.push(Part::Length(number)),
            InputObject::Object { class, .. } if is_string(*class) => parts.push(Part::Text(number)),
            InputObject::Object { class, .. } => {
                let Some(owned) = program.owned_arrays(*class) else { continue };
                let dimensions = match &owned.extent {
                    Extent::Any => vec![None],
                    Extent::Product(dimensions) => dimensions.iter().copied().map(Some).collect(),
                    Extent::Used { count, .. } => vec![Some(*count)],
                };
                parts.extend(dimensions.into_iter().map(|of| Part::Dimension(number, owned.clone(), of)));
            }
        }
    }
    parts.extend(slots(program, entry, inputs).into_iter().map(|(slot, _)| Part::Number(slot)));
    parts.extend((0..inputs.nondet.len()).map(Part::Given));
    parts
}

/// The inputs with all large positive parts smaller by the same number, so that the least of them becomes small: what
/// matters may be how far they are from each other. None if there are no two of them.
fn shifted(program: &Program, inputs: &Inputs, parts: &[&Part]) -> Vec<Inputs> {
    let valued = parts.iter().filter_map(|part| Some((*part, part.of(program, inputs)?)));
    let large: Vec<(&Part, BigInt)> = valued.filter(|(part, value)| *value > part.large().into()).collect();
    let Some(least) = large.iter().map(|(_, value)| value.clone()).min().filter(|_| large.len() > 1) else {
        return Vec::new();
    };
    let targets = smaller(&least, 0).take(3);
    let shift = |target: BigInt| {
        let distance = &least - target;
        let mut changed = inputs.clone();
        large.iter().try_for_each(|(part, value)| part.set(program, &mut changed, value - &distance))?;
        Some(changed)
    };
    targets.filter_map(shift).collect()
}

/// Numbers with the same sign that are closer to zero, the closest first; none if the number is not large.
fn smaller(number: &BigInt, large: u32) -> impl Iterator<Item = BigInt> + use<> {
    let limit = number.magnitude().clone();
    let is_large = limit > large.into();
    let is_negative = number.sign() == Sign::Minus;
    let powers = std::iter::successors(Some(BigInt::from(1)), |power| Some(power * 10));
    std::iter::once(BigInt::ZERO)
        .chain(powers)
        .take_while(move |number| is_large && *number.magnitude() < limit)
        .map(move |number| if is_negative { -number } else { number })
}

/// A number in an object that owns arrays, or without one the length of these arrays.
fn length(inputs: &Inputs, object: usize, owned: &OwnedArrays, dimension: Option<FieldId>) -> Option<BigInt> {
    let field = |field: FieldId| match inputs.heap.get(object)? {
        InputObject::Object { fields, .. } => fields.get(&field),
        InputObject::Array { .. } => None,
    };
    if let Some(dimension) = dimension {
        let InputValue::Int(length) = field(dimension)? else { return None };
        return Some(length.clone());
    }
    let InputValue::Ref(array) = field(*owned.arrays.first()?)? else { return None };
    match inputs.heap.get(*array)? {
        InputObject::Array { length, .. } => Some(length.clone()),
        InputObject::Object { .. } => None,
    }
}

/// Sets another length of a dimension, or number of elements in use. The arrays that belong to the object have as many
/// elements as its dimensions say.
fn set_dimension(
    program: &Program,
    inputs: &mut Inputs,
    object: usize,
    owned: &OwnedArrays,
    dimension: Option<FieldId>,
    new: BigInt,
) -> Option<()> {
    if let (Some(dimension), InputObject::Object { fields, .. }) = (dimension, &mut inputs.heap[object]) {
        fields.insert(dimension, InputValue::Int(new.clone()));
    }
    let count = match &owned.extent {
        Extent::Product(dimensions) => {
            let lengths = dimensions.iter().map(|&dimension| length(inputs, object, owned, Some(dimension)));
            lengths.product::<Option<BigInt>>()?
        }
        Extent::Any => new,
        // Fewer elements are in use.
        Extent::Used { end, .. } => {
            if let (Some(end), InputObject::Object { fields, .. }) = (end, &mut inputs.heap[object]) {
                fields.insert(*end, InputValue::Int(new));
            }
            return Some(());
        }
    };
    for &field in &owned.arrays {
        let InputObject::Object { fields, .. } = &inputs.heap[object] else { return None };
        let Some(&InputValue::Ref(array)) = fields.get(&field) else { continue };
        set_length(program, &mut inputs.heap, array, &count);
    }
    Some(())
}

/// Arrays whose length something else depends on: those that belong to an object, and those in objects of libraries.
fn fixed_arrays(program: &Program, entry: MethodId, inputs: &Inputs) -> FxHashSet<usize> {
    let mut fixed = hidden(program, entry, inputs);
    for object in &inputs.heap {
        let InputObject::Object { fields, .. } = object else { continue };
        let of_libraries = fields.iter().filter(|(field, _)| program.class(program.field(**field).class).is_library);
        fixed.extend(of_libraries.filter_map(|(_, value)| match value {
            InputValue::Ref(object) => Some(*object),
            _ => None,
        }));
    }
    fixed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts become smaller one after the other.
    #[test]
    fn parts() {
        let program = aback_ir::text::parse("class A { static method m(a: i32[], n: i32) { b0: return } }").unwrap();
        let (entry, _) = program.methods().next().unwrap();
        let array = |length: i64| InputObject::Array {
            element: program.index_type(),
            length: length.into(),
            elements: [(5.into(), InputValue::Int(7.into())), (2000.into(), InputValue::Int(7.into()))].into(),
            rest: None,
        };
        let number = |number: i64| InputValue::Int(number.into());
        let inputs =
            Inputs { args: vec![InputValue::Ref(0), number(-2_000_000)], heap: vec![array(3000)], ..Inputs::default() };
        let mut best = inputs.clone();
        shrink(&program, entry, inputs, 100, |inputs| {
            let InputObject::Array { length, .. } = &inputs.heap[0] else { panic!("{inputs:?}") };
            let is_kept = *length >= 6.into() && matches!(&inputs.args[1], InputValue::Int(n) if *n < (-99).into());
            if is_kept {
                best = inputs.clone();
            }
            is_kept
        });
        assert_eq!(best.args, [InputValue::Ref(0), number(-100)]);
        let InputObject::Array { length, elements, .. } = &best.heap[0] else { panic!("{best:?}") };
        assert_eq!((length, elements.len()), (&10.into(), 1));
    }

    /// What depends on a difference becomes smaller together.
    #[test]
    fn differences() {
        let program = aback_ir::text::parse("class A { static method m(a: i32, b: i32) { b0: return } }").unwrap();
        let (entry, _) = program.methods().next().unwrap();
        let number = |number: i64| InputValue::Int(number.into());
        let inputs = Inputs { args: vec![number(700_004), number(700_000)], ..Inputs::default() };
        let mut best = inputs.clone();
        shrink(&program, entry, inputs, 100, |inputs| {
            let [InputValue::Int(a), InputValue::Int(b)] = &inputs.args[..] else { panic!("{inputs:?}") };
            let is_kept = a - b == 4.into() && *b > 0.into();
            if is_kept {
                best = inputs.clone();
            }
            is_kept
        });
        assert_eq!(best.args, [number(5), number(1)]);
    }

    /// Many large numbers are changed together without a copy of all inputs for each: that would take minutes.
    #[test]
    fn many_numbers() {
        let program = aback_ir::text::parse("class A { static method m(a: i32[]) { b0: return } }").unwrap();
        let (entry, _) = program.methods().next().unwrap();
        let number = |number: i64| InputValue::Int(number.into());
        let array = InputObject::Array {
            element: program.index_type(),
            length: 30_000.into(),
            elements: (0..30_000).map(|at| (at.into(), number(2_000 + at))).collect(),
            rest: None,
        };
        let inputs = Inputs { args: vec![InputValue::Ref(0)], heap: vec![array], ..Inputs::default() };
        let mut asked = 0;
        shrink(&program, entry, inputs, 3, |_| {
            asked += 1;
            false
        });
        assert_eq!(asked, 3);
    }

    #[test]
    fn smaller_numbers() {
        let check = |number: i64, expected: &[i64]| {
            let found: Vec<BigInt> = smaller(&number.into(), LARGE).collect();
            assert_eq!(found, expected.iter().map(|&number| number.into()).collect::<Vec<BigInt>>(), "{number}");
        };
        check(100, &[]);
        check(-7, &[]);
        check(101, &[0, 1, 10, 100]);
        check(-2000, &[0, -1, -10, -100, -1000]);
    }
}
