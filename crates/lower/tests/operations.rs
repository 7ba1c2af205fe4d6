//! Tests the steps of each operation.

use aback_ir::{Program, text};

const WORLD: &str = "
    file 0 \"Main.ir\"
    trap NullDereference Problem
    trap IndexOutOfBounds Problem
    trap NegativeArraySize Problem
    trap DivisionByZero Problem
    trap BadCast Problem
    trap BadArrayStore Problem
    class Problem { }
    class Node {
      field v: int
      field next: Node
      static field first: Node
      static field ready: bool
      method get(this: Node) -> int {
      b0:
        return 0
      }
    }
    class Main {
      static method make() {
      b0:
        return
      }
      static method main(n: Node, a: int[], o: Node[], i: int, c: bool) {
        local x, e: int
        local m: Node
        local b: bool
      b0:
        OPERATION
        return
      }
    }";

fn program(operation: &str) -> Program {
    let source = WORLD.replace("OPERATION", operation);
    text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

/// Checks the steps of an operation, one per line.
#[track_caller]
fn check(operation: &str, expected: &[&str]) {
    let program = program(operation);
    let (main, _) = program.methods().find(|(_, method)| method.name == "main").expect("a method");
    let text = aback_lower::print(&program, main);
    let steps: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.starts_with("let ")).collect();
    assert_eq!(&steps[2..steps.len() - 1], expected, "{text}");
}

const NULL: &str = "trap null dereference if";

#[test]
fn what_cannot_go_wrong() {
    check("x := i + 1", &["x := i + 1"]);
    check("m := new Node", &["m := new Node"]);
    check("m := static Node::first", &["m := Node.first"]);
    check("static Node::first := n", &["Node.first := n"]);
    check("b := n instanceof Node", &["b := !(n == null) & n is Node"]);
    check("call static Main::make()", &["call Main.make()"]);
    check("ensure Node::ready by Main::make", &["call Main.make() unless Node.ready"]);
    check("assume c", &["assume c"]);
    check("assert c", &["assert c"]);
    check("x := nondet int", &["x := input int"]);
}

#[test]
fn what_may_be_null() {
    let null = format!("{NULL} n == null");
    check("x := n.Node::v", &[&null, "x := n.v"]);
    check("n.Node::v := i", &[&null, "n.v := i"]);
    check("x := call virtual Node::get(n)", &[&null, "x := call an overrider of Node.get(n)"]);
    check("x := call special Node::get(n)", &[&null, "x := call Node.get(n)"]);
    check("x := a.length", &[&format!("{NULL} a == null"), "x := #a"]);
}

#[test]
fn arrays() {
    let null = format!("{NULL} a == null");
    let outside = "trap index out of bounds with i, #a if i < 0 | !(i < #a)";
    check("x := a[i]", &[&null, outside, "x := a[i]"]);
    check("a[i] := x", &[&null, outside, "a[i] := x"]);
    let (null, outside) = (null.replace("a ==", "o =="), outside.replace("#a", "#o"));
    let store = "trap bad array store with n if !(n == null) & !(o can hold n)";
    check("o[i] := n", &[&null, &outside, store, "o[i] := n"]);
    check("a := new int[i]", &["trap negative array size with i if i < 0", "a := new int[i]"]);
}

#[test]
fn what_else_may_go_wrong() {
    check("x := i div e", &["trap division by zero if e == 0", "x := i / e"]);
    check("x := i rem e", &["trap division by zero if e == 0", "x := i % e"]);
    check("m := cast n to Node", &["trap bad cast if !(n == null) & !(n is Node)", "m := n"]);
}
