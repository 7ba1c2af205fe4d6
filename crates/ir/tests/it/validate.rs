//! What makes a program ill formed.

use crate::program;
use aback_ir::text::{ParseErrorKind, parse};
use aback_ir::*;

/// The first problem of a program.
fn check(text: &str, problem: &str) {
    match parse(text).map(|_| ()) {
        Ok(()) => assert_eq!("", problem),
        Err(error) => match error.kind {
            ParseErrorKind::Problem(found) => assert_eq!(found.to_string(), problem),
            other => panic!("{}:{}: {other}\n{text}", error.line, error.column),
        },
    }
}

/// The problem of an operation in `f`, or none.
fn op(op: &str, problem: &str) {
    let text = format!(
        "trap NullDereference A; trap IndexOutOfBounds A; trap NegativeArraySize A
         trap DivisionByZero A; trap BadCast A; trap BadArrayStore A
         abstract class Abstract {{}}
         class A {{
           field f: i32
           static field s: i32
           method m(this: A, n: i32) -> i32
           static method v(n: i32)
           constructor <init>(this: A)
         }}
         class B extends A {{}}
         class C {{
           static method f(i: i32, l: i64, c: bool, x: f32, big: int, a: A, b: B, is: i32[], as1: A[], bs: B[]) -> i32 {{
             local e: A
           b0: {op}
             return i
           }}
         }}"
    );
    let place = if problem.is_empty() { "" } else { "C.f, b0, operation 0: " };
    check(&text, &format!("{place}{problem}"));
}

/// The problem of an expression, which is known of the body as a whole.
fn expr(expr: &str, problem: &str) {
    let text = format!(
        "class C {{ static method f(i: i32, l: i64, big: int, c: bool, x: f32, n: C) {{ b0: {expr}; return }} }}"
    );
    let place = if problem.is_empty() { "" } else { "C.f: " };
    check(&text, &format!("{place}{problem}"));
}

/// The problems of a program that was changed after it was read.
fn changed(text: &str, change: impl FnOnce(&mut Body), problems: &[&str]) {
    let mut program = program(text);
    let (id, mut body) =
        program.methods().find_map(|(id, _)| Some((id, program.body(id)?.clone()))).expect("a method with code");
    change(&mut body);
    program.set_body(id, body);
    let found: Vec<String> = validate(&program).iter().map(Problem::to_string).collect();
    assert_eq!(found, problems);
}

#[test]
fn types_of_operands() {
    op("i := i", "");
    op("i := l", "the result is of type i64, not i32");
    op("a := b", "");
    op("b := a", "the result is of type A, not B");
    op("b := null", "");
    op("as1 := bs", "");
    op("bs := as1", "the result is of type A[], not B[]");
    op("i := i div l", "the divisor is of type i64, not i32");
    op("x := x div x", "the dividend is of type f32, not an integer");
    op("assume i", "the condition is of type i32, not bool");
    op("ensures a", "the condition is of type A, not bool");
    op("i := is[l]", "");
    op("i := is[x]", "the index is of type f32, not an integer");
    op("i := a[i]", "the array is of type A, not an array");
    op("is[i] := l", "the value is of type i64, not i32");
    op("as1[i] := b", "");
    op("i := is.length", "");
    op("c := is.length", "the local of a length is of type bool, not an integer");
    op("c := i instanceof A", "the object is of type i32, not a reference");
    op("c := a instanceof i32", "the type is of type i32, not a class or an array type");
    op("b := cast a to B", "");
    op("b := cast a to A", "the result is of type A, not B");
    op("i := nondet bool", "the result is of type bool, not i32");
    op("c := forall i, big in is: c", "the element is of type i32, not int");
    op("c := forall i, i in is: c", "the index and the element of a quantifier are the same local");
    op("c := forall x, i in is: c", "the index is of type f32, not an integer");
}

#[test]
fn objects_fields_and_calls() {
    op("a := new B", "");
    op("b := new A", "the result is of type A, not B");
    op("a := new Abstract", "`Abstract` has no objects of its own");
    op("is := new i32[i]", "");
    op("is := new i32[c]", "the length is of type bool, not an integer");
    op("i := b.A::f", "");
    op("i := is.A::f", "the object is of type i32[], not A");
    op("a.A::f := l", "the value is of type i64, not i32");
    op("i := a.A::s", "the field `s` is static");
    op("i := static A::f", "the field `f` is not static");
    op("i := call virtual A::m(b, i)", "");
    op("i := call virtual A::m(b)", "`A.m` takes 2 arguments, not 1");
    op("i := call virtual A::m(b, l)", "an argument is of type i64, not i32");
    op("i := call static A::v(i)", "`A.v` has no result");
    op("call special A::<init>(b)", "");
    op("call virtual A::<init>(b)", "`A.<init>`, which is a constructor, cannot be called with virtual dispatch");
    op("call special A::v(i)", "`A.v`, which is a static method, cannot be called with special dispatch");
}

#[test]
fn operators_and_constants() {
    expr("assume c & (i < 1i32)", "");
    expr("i := i + l", "an operand is of type i64, not i32");
    expr("i := i << l", "");
    expr("big := big << big", "`<<` is not for values of type int");
    expr("i := i / i", "`/` is not for values of type i32");
    expr("x := x & x", "`&` is not for values of type f32");
    expr("c := -c", "`-` is not for values of type bool");
    expr("c := !i", "`!` is not for values of type i32");
    expr("big := ~big", "`~` is not for values of type int");
    expr("c := n < null", "`<` is not for values of type C");
    expr("c := n == i", "an operand is of type i32, not a reference");
    expr("i := c ? i : l", "the second alternative is of type i64, not i32");
    expr("i := c as i32", "a conversion is of type bool, not a number type");
    expr("i := l as i32 from i32", "an operand is of type i64, not i32");
    expr("i := 2147483648i32", "2147483648 is not a value of type i32");
    expr("i := -2147483648i32", "");
    expr("c := 256u8 == 255u8", "256 is not a value of type u8");
    expr("c := 0u8 == -1u8", "-1 is not a value of type u8");
}

#[test]
fn ways_out_of_a_block() {
    let check = |text: &str, problem: &str| {
        check(&format!("class E {{}} trap NullDereference E; class C {{ static method {text} }}"), problem);
    };
    check("f() -> int { b0: return }", "C.f, b0, operation 0: the method has to return a value of type int");
    check("f() { b0: return 1 }", "C.f, b0, operation 0: `C.f` has no result");
    check("f() -> int { b0: return true }", "C.f, b0, operation 0: the result is of type bool, not int");
    check("f(e: E) { b0: throw e }", "");
    check("f() { b0: throw 1 }", "C.f, b0, operation 0: the exception is of type int, not an object");
    check("f() { b0: if 1 goto b0 else b0 }", "C.f, b0, operation 0: the condition is of type int, not bool");
    check(
        "f() { b0: switch true [] else b0 }",
        "C.f, b0, operation 0: the value of a switch is of type bool, not an integer",
    );
    check("f() { b0: switch 1 [1 -> b0, 1 -> b0] else b0 }", "C.f, b0, operation 0: two cases for 1");
    check("f(n: u8) { b0: switch n [-1 -> b0] else b0 }", "C.f, b0, operation 0: -1 is not a value of type u8");
    check("f(e: C) { b0: on E(e) goto b0; return }", "C.f, b0: the exception is of type E, not C");
    check(
        "f(n: int) { b0: on any(n) goto b0; return }",
        "C.f, b0: the local of the exception is of type int, not a class",
    );
}

#[test]
fn declarations() {
    check("class A { method f(int) }", "A.f: the receiver is of type A, not int");
    check("class A { method f() }", "A.f: the method has no receiver parameter");
    check("class A { static method f(int); static method f(int) }", "A: there are two methods `f`");
    check("class A { static method f(int); static method f(int) -> int }", "");
    check("interface I {} class A extends I {}", "A: `I` cannot be its superclass");
    check("class B {} class A implements B {}", "A: `B` cannot be its interface");
    check("class A { field f: int @ 3 }", "A: there is no file 0");
    check(
        "class A { static method f(n: i32) { b0: n := n div n; return } }",
        "A.f, b0, operation 0: no class is set for the trap `division by zero`",
    );
    check(
        "class T {} trap NullDereference T; trap IndexOutOfBounds T; class A { static method f(n: i32[]) { b0: n[0] := 1i32; return } }",
        "",
    );
}

#[test]
fn a_cyclic_hierarchy_is_reported_and_does_not_hang() {
    check("class A extends A {}", "A: the class is its own ancestor");
    check("class A extends B {} class B extends C {} class C extends B {}", "B: the class is its own ancestor");
    check("interface I implements J {} interface J implements I {}", "I: the class is its own ancestor");
    let mut program = program("class A {} class B extends A { static method f(A, B) }");
    let (a, b) = (ClassId(0), ClassId(1));
    program.set_superclass(a, b);
    assert!(program.is_subclass(a, b) && program.is_subclass(b, a));
    assert_eq!(program.find_field(a, "f"), None);
    assert_eq!(program.subclasses(a).len(), 2);
    assert_eq!(program.instance_fields(a), []);
    assert_eq!(program.dispatch(b, MethodId(0)), MethodId(0));
}

#[test]
fn ids_out_of_range_are_reported_and_do_not_panic() {
    let text = "class A { static method f(n: int) { b0: n := n + 1; return } }";
    changed(
        text,
        |body| body.blocks[0].terminator.kind = TerminatorKind::Goto(BlockId(9)),
        &["A.f, b0, operation 1: there is no block 9"],
    );
    changed(text, |body| body.exprs[0] = Expr::Local(LocalId(7)), &["A.f: there is no local 7"]);
    changed(
        text,
        |body| body.exprs[2] = Expr::Unary(UnaryOp::Neg, Type::Int, ExprId(2)),
        &["A.f: expression 2 uses expression 2, which does not come before it"],
    );
    changed(text, |body| body.locals[0].ty = Type::Class(ClassId(5)), &["A.f: there is no class 5"]);
    changed(
        text,
        |body| body.locals[0].ty = Type::Bool,
        &[
            "A.f: the local of a parameter is of type bool, not int",
            "A.f: an operand is of type bool, not int",
            "A.f, b0, operation 0: the result is of type int, not bool",
        ],
    );
    changed(
        text,
        |body| body.locals.clear(),
        &["A.f: there is no local 0", "A.f, b0, operation 0: there is no local 0"],
    );
    changed(text, |body| body.blocks.clear(), &["A.f: the body has no entry block"]);
    changed(
        text,
        |body| body.locals[0].ty = Type::Machine { width: 7, signed: true },
        &["A.f: machine integers have 8, 16, 32 or 64 bits, not 7"],
    );
    changed(
        text,
        |body| {
            body.blocks[0].ops[0].kind =
                OpKind::Call { dst: None, dispatch: Dispatch::Static, method: MethodId(3), args: vec![ExprId(9)] }
        },
        &["A.f, b0, operation 0: there is no expression 9", "A.f, b0, operation 0: there is no method 3"],
    );
}

#[test]
fn a_broken_program_prints() {
    let mut program = program("class A { static method f(n: int) { b0: n := n + 1; return } }");
    let mut body = program.body(MethodId(0)).cloned().expect("a body");
    body.exprs[0] = Expr::Local(LocalId(7));
    body.exprs[2] = Expr::Unary(UnaryOp::Neg, Type::Class(ClassId(8)), ExprId(2));
    body.locals.clear();
    program.set_body(MethodId(0), body);
    assert!(text::print(&program).contains("?0 := ?2"));
}
