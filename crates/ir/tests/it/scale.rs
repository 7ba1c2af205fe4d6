//! Large inputs. These tests do not measure: they would not end, or overflow the stack, if something took quadratic
//! time or recursed.

use crate::program;
use aback_ir::analysis::*;
use aback_ir::*;
use std::fmt::Write;

fn analyse(program: &Program, entry: MethodId) {
    assert_eq!(validate(program), []);
    let graph = CallGraph::new(program, &CallGraphConfig::new([entry]));
    let last = *graph.reachable().last().expect("an entry");
    let target = (last, Point { block: BlockId(0), op: 0 });
    let distance = Distance::new(program, &graph, [target]);
    assert_eq!(distance.to_target(last, target.1), Some(0));
    for (id, _) in program.methods() {
        if let Some(body) = program.body(id) {
            let cfg = Cfg::new(body);
            Loops::new(&cfg, &Dominators::new(&cfg));
            PostDominators::new(&cfg);
        }
    }
    let text = text::print(program);
    assert_eq!(text::print(&text::parse(&text).expect("a program")), text);
}

/// One method of these blocks.
fn one_method(blocks: &str) {
    let text = format!(
        "class E {{}} trap DivisionByZero E
         class A {{ static method f(c: bool, n: i32, e: E) {{ {blocks} }} }}"
    );
    analyse(&program(&text), MethodId(0));
}

#[test]
fn a_long_block() {
    let mut text = String::from("b0:\n");
    for _ in 0..200_000 {
        text += "n := n div (n + 1i32)\n";
    }
    one_method(&(text + "return"));
}

#[test]
fn a_long_try() {
    let mut text = String::new();
    for block in 0..100_000 {
        let _ = writeln!(text, "b{block}: on E(e) goto h0, on any(e) goto h1\nn := n div n\ngoto b{}", block + 1);
    }
    one_method(&(text + "b100000: return\nh0: return\nh1: return"));
}

#[test]
fn many_handlers_one_in_another() {
    let mut text = String::new();
    for block in 0..50_000 {
        let _ = writeln!(text, "b{block}: on any(e) goto h{block}\nn := n div n\ngoto b{}", block + 1);
        let _ = writeln!(text, "h{block}: on any(e) goto h{}\nn := n div n\ngoto b{}", block / 2, block + 1);
    }
    one_method(&(text + "b50000: return"));
}

#[test]
fn a_deep_nest_of_loops() {
    let depth = 30_000;
    let mut text = String::new();
    for level in 0..depth {
        let _ = writeln!(text, "b{level}: if c goto b{} else x{level}", level + 1);
    }
    let _ = writeln!(text, "b{depth}: goto x{}", depth - 1);
    for level in (1..depth).rev() {
        let _ = writeln!(text, "x{level}: if c goto b{level} else x{}", level - 1);
    }
    one_method(&(text + "x0: return"));
}

#[test]
fn many_methods_in_a_chain() {
    let mut text = String::from("class A {\n");
    for method in 0..20_000 {
        let _ = writeln!(
            text,
            "static method m{method}(n: int) {{ b0: n := n + 1; call static A::m{}(n); return }}",
            method + 1
        );
    }
    text += "static method m20000(n: int) { b0: return } }";
    analyse(&program(&text), MethodId(0));
}

#[test]
fn many_methods_that_override_one() {
    let mut text = String::from("class E {} trap NullDereference E\nclass A { method m(this: A) { b0: return }\n");
    for caller in 0..10_000 {
        let next = (caller + 1) % 10_000;
        let _ = writeln!(
            text,
            "static method c{caller}(a: A) {{ b0: call virtual A::m(a); call static A::c{next}(a); return }}"
        );
    }
    text += "}\n";
    for class in 0..10_000 {
        let above = if class % 100 == 0 { "A".to_owned() } else { format!("B{}", class - 1) };
        let _ = writeln!(text, "class B{class} extends {above} {{ method m(this: B{class}) {{ b0: return }} }}");
    }
    analyse(&program(&text), MethodId(1));
}
