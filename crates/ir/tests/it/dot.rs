//! Pictures.

use crate::{method, program};
use aback_ir::analysis::{CallGraph, CallGraphConfig};
use aback_ir::dot::{callgraph_dot, cfg_dot};

#[test]
fn a_control_flow_graph() {
    let program = program(
        "class E {} trap DivisionByZero E
         class A { static method f(\"a\\\"b\": int, e: E) {
         b0: on any(e) goto b1; \"a\\\"b\" := 1 div 0; return
         b1: return } }",
    );
    let expected = r#"digraph "A.f" {
  node [shape=box, fontname=monospace];
  b0 [label="b0:\l\"a\\\"b\" := 1 div 0\lreturn\l"];
  b1 [label="b1:\lreturn\l"];
  b0 -> b1 [style=dashed];
}
"#;
    assert_eq!(cfg_dot(&program, method(&program, "A.f")), expected);
}

#[test]
fn a_call_graph() {
    let program = program(
        "class E {} trap NullDereference E
         class A { method m(this: A) { b0: call static A::s(); return }
                   static method s()
                   static method main(a: A) { b0: call virtual A::m(a); return } }
         class B extends A { method m(this: B) { b0: return } }",
    );
    let graph = CallGraph::new(&program, &CallGraphConfig::new([method(&program, "A.main")]));
    let expected = r#"digraph calls {
  node [shape=box];
  m2 [label="A.main"];
  m0 [label="A.m"];
  m3 [label="B.m"];
  m1 [label="A.s", shape=plain];
  v0 [shape=diamond, label="A.m"];
  v0 -> m0 [style=dashed];
  v0 -> m3 [style=dashed];
  m2 -> v0 [style=dashed];
  m0 -> m1;
}
"#;
    assert_eq!(callgraph_dot(&program, &graph), expected);
}
