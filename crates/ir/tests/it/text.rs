//! Printing and parsing.

use crate::program;
use aback_ir::text::{parse, print, print_method};
use aback_ir::*;
use proptest::prelude::*;

const EVERYTHING: &str = include_str!("every_operation.ir");

/// What the one method of a text is printed as, spans included, without the indentation.
fn body(text: &str) -> String {
    let program = program(text);
    let (id, _) = program.methods().last().expect("a method");
    let lines: Vec<String> = print_method(&program, id).lines().map(|line| line.trim().to_owned()).collect();
    lines[1..lines.len() - 1].join("\n")
}

/// The operations of `f(i: i32, j: i32, c: bool)` print as they are written.
fn same(ops: &str) {
    let text = body(&format!("class A {{ static method f(i: i32, j: i32, c: bool) {{ b0:\n{ops}\nreturn }} }}"));
    assert_eq!(text, format!("b0:\n{ops}\nreturn"));
}

/// The one expression prints as another.
fn prints(expr: &str, printed: &str) {
    let text = body(&format!("class A {{ static method f(i: i32, j: i32, c: bool) -> i32 {{ b0: return {expr} }} }}"));
    assert_eq!(text, format!("b0:\nreturn {printed}"));
}

fn fails(text: &str, message: &str) {
    let error = parse(text).map(|p| print(&p)).expect_err("an error");
    assert_eq!(error.to_string(), message);
}

fn fails_in_body(ops: &str, message: &str) {
    fails(&format!("class A {{\nstatic method f(i: i32, a: A) {{\nb0:\n{ops}\nreturn\n}}\n}}"), message);
}

#[test]
fn every_operation_prints_and_parses_to_the_same() {
    let first = program(EVERYTHING);
    let printed = print(&first);
    let second = program(&printed);
    assert_eq!(print(&second), printed);
    for ((_, a), (_, b)) in first.methods().zip(second.methods()) {
        assert_eq!(a.body, b.body, "{}", a.name);
        assert_eq!((&a.name, a.kind, &a.params, a.result, a.span), (&b.name, b.kind, &b.params, b.result, b.span));
    }
    for ((_, a), (_, b)) in first.classes().zip(second.classes()) {
        assert_eq!((&a.name, a.superclass, &a.interfaces, a.span), (&b.name, b.superclass, &b.interfaces, b.span));
    }
}
