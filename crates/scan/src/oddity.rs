//! Measures how odd the input of a counterexample is. Programmers believe a finding with the input that they could have written
//! themselves.

use aback_report::{ConfirmationDocument, ConfirmationResult, ViolationDocument};
use aback_witness::{InputsDocument, ObjectDocument, ValueDocument};

/// No constructor is known to make the input.
const UNMADE: u32 = 1000;
/// No run confirms the violation, mostly because it needs too much memory.
const UNCONFIRMED: u32 = 500;
/// No known calls make an object in the input.
const NOT_KNOWN_TO_BE_MADE: u32 = 300;
/// A null argument. Many methods do not say that they take none, and nobody calls them with one.
const NULL_ARGUMENT: u32 = 100;
/// An array of millions of elements.
const VAST: u32 = 400;
/// The memory is not enough for what callers ask for.
const TOO_MUCH: u32 = 400;
/// A null reference inside of an argument.
const NULL_INSIDE: u32 = 20;
/// The program itself throws the exception, so that its authors know that this may happen.
const INTENDED: u32 = 10;
/// An integer near the ends of its type.
const HUGE: u32 = 15;
/// A negative integer.
const NEGATIVE: u32 = 2;
/// A number with a fraction, or one that is none.
const FRACTION: u32 = 3;
/// An object or an array.
const OBJECT: u32 = 1;

/// The ends of the names of exceptions that operations of languages throw.
const OF_OPERATIONS: [&str; 12] = [
    ".NullPointerException",
    ".NullReferenceException",
    ".ArithmeticException",
    ".DivideByZeroException",
    ".OverflowException",
    ".IndexOutOfBoundsException",
    ".ArrayIndexOutOfBoundsException",
    ".IndexOutOfRangeException",
    ".ClassCastException",
    ".InvalidCastException",
    ".NegativeArraySizeException",
    ".ArrayStoreException",
];

/// How odd an input is: 0 for one without values. Objects that no constructor makes count most, then null arguments, then numbers far from zero.
pub fn oddity(violation: &ViolationDocument) -> u32 {
    let InputsDocument { args, heap, nondet, statics } = &violation.inputs;
    let intended = if is_intended(violation) { INTENDED } else { 0 };
    let nulls_in_calls = violation.made_by.iter().map(|call| nulls_in(call)).sum::<u32>() * NULL_INSIDE;
    let unmade = match (&violation.unmade, &violation.made_by[..]) {
        (Some(_), _) => UNMADE,
        (None, []) if heap.iter().any(is_object) => NOT_KNOWN_TO_BE_MADE,
        (None, _) => 0,
    };
    let nulls = args.iter().filter(|arg| matches!(arg, ValueDocument::Null)).count() as u32 * NULL_ARGUMENT;
    let inside = heap.iter().flat_map(parts).chain(statics.values());
    let inside_nulls = inside.filter(|value| matches!(value, ValueDocument::Null)).count() as u32 * NULL_INSIDE;
    let numbers = args.iter().chain(nondet).chain(statics.values()).chain(heap.iter().flat_map(parts)).map(of_value);
    let total = numbers.chain(heap.iter().map(of_length)).fold(0u32, u32::saturating_add);
    let is_unconfirmed = |run: &ConfirmationDocument| run.result != ConfirmationResult::Confirmed;
    let unconfirmed = if violation.confirmation.as_ref().is_some_and(is_unconfirmed) { UNCONFIRMED } else { 0 };
    let too_much = if is_about_memory(violation) { TOO_MUCH } else { 0 };
    [intended, unconfirmed, too_much, unmade, nulls, inside_nulls, nulls_in_calls, heap.len() as u32 * OBJECT]
        .into_iter()
        .fold(total, u32::saturating_add)
}

/// Whether the program throws an exception on purpose: one that stands for none of its operations.
fn is_intended(violation: &ViolationDocument) -> bool {
    let exception = violation.exception.as_ref().filter(|exception| exception.thrown_in.is_none());
    exception.is_some_and(|exception| !OF_OPERATIONS.iter().any(|end| exception.class.ends_with(end)))
}

/// Whether the memory is not enough.
fn is_about_memory(violation: &ViolationDocument) -> bool {
    let class = violation.exception.as_ref().map_or("", |exception| &exception.class);
    class.ends_with(".OutOfMemoryError") || class.ends_with(".OutOfMemoryException")
}

/// The number of arguments of a call that are null.
fn nulls_in(call: &str) -> u32 {
    let arguments = call.split(['(', ',', ')']).skip(1);
    arguments.filter(|argument| argument.trim() == "null").count() as u32
}

/// Whether an object is none that programs write down, such as an array, a string or a number.
fn is_object(object: &ObjectDocument) -> bool {
    match object {
        ObjectDocument::Object { class, .. } => {
            !["java.lang.", "System."].iter().any(|package| class.starts_with(package))
        }
        ObjectDocument::Array { .. } => false,
    }
}

/// The values in an object.
fn parts(object: &ObjectDocument) -> Box<dyn Iterator<Item = &ValueDocument> + '_> {
    match object {
        ObjectDocument::Object { fields, .. } => Box::new(fields.values()),
        ObjectDocument::Array { elements, rest, .. } => Box::new(elements.values().chain(rest)),
    }
}

fn of_length(object: &ObjectDocument) -> u32 {
    match object {
        ObjectDocument::Array { length, .. } if length.len() > 6 => VAST,
        ObjectDocument::Array { .. } | ObjectDocument::Object { .. } => 0,
    }
}

fn of_value(value: &ValueDocument) -> u32 {
    match value {
        ValueDocument::Null | ValueDocument::Bool(_) | ValueDocument::Ref(_) => 0,
        ValueDocument::Int(digits) => of_integer(digits),
        ValueDocument::F32(text) | ValueDocument::F64(text) => match text.parse::<f64>() {
            Ok(number) if number.fract() == 0.0 => of_integer(&format!("{number:.0}")),
            _ => FRACTION,
        },
        ValueDocument::Elements(values) => values.iter().map(of_value).fold(0, u32::saturating_add),
    }
}

/// An integer counts by its digits, so that 7 comes before 700.
fn of_integer(text: &str) -> u32 {
    let digits = text.trim_start_matches('-');
    let negative = if digits.len() < text.len() { NEGATIVE } else { 0 };
    let huge = if digits.len() > 6 { HUGE } else { 0 };
    let size = if digits == "0" { 0 } else { digits.len() as u32 };
    negative + huge + size
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// How odd a violation is that has these properties, besides those that do not matter.
    fn of(heap: Value, more: Value) -> u32 {
        let mut violation = json!({
            "kind": "exception", "description": "", "place": { "file": "A.java", "line": 1, "column": 1 }, "entry": "A.a",
            "shown_inputs": [], "inputs": { "args": [{ "ref": 0 }], "heap": heap }, "path": [], "omitted": [0, 0],
        });
        violation.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        oddity(&serde_json::from_value(violation).unwrap())
    }

    #[test]
    fn much_memory_and_what_no_run_confirms_is_odd() {
        let array = |length: &str| json!([{ "element": "i32", "length": length }]);
        let thrown = |class: &str| json!({ "exception": { "class": class } });
        let plain = of(array("3"), thrown("java.lang.NegativeArraySizeException"));
        assert!(plain < of(array("2147483645"), thrown("java.lang.NegativeArraySizeException")));
        assert!(plain < of(array("3"), thrown("java.lang.OutOfMemoryError")));
        let run = |result: &str| json!({ "confirmation": { "result": result, "runtime": "", "sandbox": true } });
        assert_eq!(of(array("3"), run("confirmed")), of(array("3"), json!({})));
        assert!(of(array("3"), run("confirmed")) < of(array("3"), run("not run")));
    }
}
