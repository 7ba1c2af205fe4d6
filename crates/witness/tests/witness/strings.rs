//! Tests how strings are printed.

use crate::world::*;
use aback_ir::*;
use aback_witness::{InputObject, InputValue, Inputs, Limits, Outcome, run};

const TEXT: &str = "
trap NullDereference Error
class Text {
  field units: u16[]
  field bytes: i8[]
  field coder: i8
}
class Error {
  field message: Text
  field code: i32
}
class Main {
  static method main(t: Text) -> Text {
  b0:
    return t
  }
  static method fail(t: Text) {
    local e: Error
  b0:
    e := new Error
    e.Error::message := t
    e.Error::code := 5i32
    throw e
  }
}
";

const U16: Type = Type::Machine { width: 16, signed: false };

/// The program with strings of units (`u16`) or bytes (`i8`), and an input whose argument is a string of these
/// elements.
fn text_of(element: Type, elements: &[i64], coder: i64) -> (Program, Inputs) {
    let mut program = text::parse(TEXT).unwrap();
    let class = program.class_named("Text").unwrap();
    let field = |name| program.find_field(class, name).unwrap();
    let value = field(if element == U16 { "units" } else { "bytes" });
    let coder_field = field("coder");
    let error = program.class_named("Error").unwrap();
    let message = program.find_field(error, "message").unwrap();
    program.profile_mut().strings =
        Some(StringLayout { class, value, coder: (element == I8).then_some(coder_field), most: None });
    program.profile_mut().message_field = Some(message);
    let fields = [(value, InputValue::Ref(1)), (coder_field, int(coder))];
    let elements = elements.iter().enumerate().map(|(index, &element)| (index.into(), int(element)));
    let array = InputObject::Array { element, length: elements.len().into(), elements: elements.collect(), rest: None };
    let heap = vec![InputObject::Object { class, fields: fields.into() }, array];
    (program, Inputs { args: vec![InputValue::Ref(0)], heap, ..Inputs::default() })
}

fn shown(element: Type, elements: &[i64], coder: i64) -> String {
    let (program, inputs) = text_of(element, elements, coder);
    let mut shown = Shown::default();
    run(&program, main_of(&program), &inputs, Limits::default(), &mut shown).unwrap();
    let rows = inputs.describe(&program, main_of(&program)).unwrap();
    assert_eq!(rows, [("t".into(), shown.0.clone())]);
    shown.0
}

#[test]
fn strings_are_shown_as_such() {
    assert_eq!(shown(U16, &[72, 105], 0), r#""Hi""#);
    assert_eq!(shown(U16, &[], 0), r#""""#);
    assert_eq!(shown(I8, &[72, -28], 0), r#""Hä""#);
    assert_eq!(shown(I8, &[72, 0, -84, 32], 1), r#""H€""#);
    assert_eq!(shown(U16, &[55357, 56832], 0), r#""😀""#);
}

#[test]
fn strings_are_escaped_and_cut() {
    assert_eq!(shown(U16, &[34, 92, 10, 7, 55357, 97], 0), r#""\"\\\n\u0007\ud83da""#);
    let long = shown(U16, &[97; 1000], 0);
    assert_eq!(long, format!("\"{}\"… (1000 characters)", "a".repeat(200)));
}

#[test]
fn what_holds_no_characters_is_an_object() {
    let (program, inputs) = text_of(U16, &[97], 0);
    let heap = vec![InputObject::Object { class: program.class_named("Text").unwrap(), fields: [].into() }];
    let rows = Inputs { heap, ..inputs }.describe(&program, main_of(&program)).unwrap();
    assert_eq!(rows[0].1, "Text#1 { units = null, bytes = null, coder = 0 }");
    // An unknown coder.
    assert!(shown(I8, &[97], 2).starts_with("Text#1 {"));
}

#[test]
fn an_uncaught_exception_says_its_message() {
    let message = |elements: Option<&[i64]>| {
        let (program, mut inputs) = text_of(U16, elements.unwrap_or(&[]), 0);
        if elements.is_none() {
            inputs.args = vec![InputValue::Null];
        }
        let fail = program.methods_named(program.class_named("Main").unwrap(), "fail")[0];
        match run(&program, fail, &inputs, Limits::default(), &mut ()).unwrap() {
            Outcome::Uncaught { message, .. } => message,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(message(Some(&[34, 97])), Some("\"a".into()));
    assert_eq!(message(None), None);
}

#[test]
fn a_message_of_another_type_is_shown() {
    let (mut program, inputs) = text_of(U16, &[], 0);
    let error = program.class_named("Error").unwrap();
    program.profile_mut().message_field = Some(program.find_field(error, "code").unwrap());
    let fail = program.methods_named(program.class_named("Main").unwrap(), "fail")[0];
    let outcome = run(&program, fail, &inputs, Limits::default(), &mut ()).unwrap();
    assert!(matches!(&outcome, Outcome::Uncaught { message: Some(message), .. } if message == "5"), "{outcome:?}");
}
