//! Printing and parsing.

use crate::program;
use aback_ir::text::{parse, print, print_method};
use aback_ir::*;

const EVERYTHING: &str = include_str!("every_operation.ir");

/// What the last method of a text is printed as, without the indentation and without its first and last line.
fn body(text: &str) -> String {
    let program = program(text);
    let (id, _) = program.methods().last().expect("a method");
    let lines: Vec<String> = print_method(&program, id).lines().map(|line| line.trim().to_owned()).collect();
    lines[1..lines.len() - 1].join("\n")
}

/// `return expr` in a method over `i: i32, j: i32, c: bool, x: f64` is printed as `return printed`.
fn prints(expr: &str, printed: &str) {
    let ty = if printed.contains("as i8") { "i8" } else { "i32" };
    let text =
        format!("class A {{ static method f(i: i32, j: i32, c: bool, x: f64) -> {ty} {{ b0: return {expr} }} }}");
    assert_eq!(body(&text), format!("b0:\nreturn {printed}"));
}

/// The condition is printed as it is written.
fn same(condition: &str) {
    let text =
        format!("class A {{ static method f(i: i32, c: bool, x: f64, y: f32) {{ b0: assume {condition}; return }} }}");
    assert_eq!(body(&text), format!("b0:\nassume {condition}\nreturn"));
}

fn fails(text: &str, message: &str) {
    let error = parse(text).map(|p| print(&p)).expect_err("an error");
    assert_eq!(error.to_string(), message);
}

/// Operations of a method over `i: i32, a: A` on line 2 give this error there.
fn fails_in_body(ops: &str, message: &str) {
    let text = format!(
        "class A {{ field f: i32; static method over(i32); static method over(i64); static method f(i: i32, a: A) {{ b0:\n{ops}\nreturn }} }}"
    );
    fails(&text, message);
}

#[test]
fn every_operation_prints_and_parses_to_the_same() {
    let first = program(EVERYTHING);
    let printed = print(&first);
    let second = program(&printed);
    assert_eq!(print(&second), printed);
    for ((id, a), (other, b)) in first.methods().zip(second.methods()) {
        assert_eq!(first.body(id), second.body(other), "{}", a.name);
        assert_eq!((&a.name, a.kind, &a.params, a.result, a.span), (&b.name, b.kind, &b.params, b.result, b.span));
    }
    for ((_, a), (_, b)) in first.classes().zip(second.classes()) {
        assert_eq!((&a.name, a.superclass, &a.interfaces, a.span), (&b.name, b.superclass, &b.interfaces, b.span));
        assert_eq!((a.is_abstract, a.is_interface), (b.is_abstract, b.is_interface));
    }
    for ((_, a), (_, b)) in first.fields().zip(second.fields()) {
        assert_eq!((&a.name, a.ty, a.is_static, a.span), (&b.name, b.ty, b.is_static, b.span));
    }
    for ((_, a), (_, b)) in first.files().zip(second.files()) {
        assert_eq!(a.path, b.path);
    }
    for trap in Trap::ALL {
        assert_eq!(first.trap_class(trap), second.trap_class(trap));
    }
    assert_eq!(first.array_superclass(), second.array_superclass());
}

#[test]
fn the_text_of_every_operation_has_every_operation() {
    let program = program(EVERYTHING);
    let ops = program.methods().filter_map(|(id, _)| program.body(id)).flat_map(|body| &body.blocks);
    let kinds: std::collections::BTreeSet<String> = ops
        .flat_map(|block| &block.ops)
        .map(|op| format!("{:?}", op.kind).split([' ', '{']).next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(kinds.len(), 18, "{kinds:?}");
}

#[test]
fn operators_bind_as_in_java() {
    prints("i + j * i", "i + (j * i)");
    prints("i - j - i", "(i - j) - i");
    prints("i | j ^ i & j", "i | (j ^ (i & j))");
    prints("i << j + 1i32 >>> 2", "(i << (j + 1i32)) >>> 2");
    prints("~i * -j", "(~i) * (-j)");
    prints("-i as i8", "(-i) as i8");
    prints("-1i32 as i8", "-1i32 as i8");
    prints("c ? i : i < j & c ? i : j", "c ? i : (((i < j) & c) ? i : j)");
    prints("x as i64 as i32", "(x as i64) as i32");
    prints("(i)", "i");
}

#[test]
fn constants_are_exact() {
    for constant in [
        "0.1f64",
        "-0.0f64",
        "5e-324f64",
        "1.7976931348623157e308f64",
        "f64:inf",
        "f64:-inf",
        "f64:nan",
        "f64:0x7ff0000000000001",
        "f64:0xfff8000000000000",
    ] {
        same(&format!("x == {constant}"));
    }
    for constant in ["0.1f32", "-0.0f32", "1e-45f32", "3.4028235e38f32", "f32:-inf", "f32:0xffc00000"] {
        same(&format!("y == {constant}"));
    }
    same("i == -2147483648i32");
    same("(-(1i32)) == (-(-1i32))");
    same("170141183460469231731687303715884105728 == -1");
}

#[test]
fn large_integers_are_hexadecimal() {
    let digits = "f".repeat(5000);
    same(&format!("0x{digits} == -0x{digits}"));
    let long = "9".repeat(1001);
    fails_in_body(&format!("assume {long} == 1"), "2:8: integers as long as this are written in hexadecimal");
}

#[test]
fn names_that_clash_get_numbers_and_keep_their_meaning() {
    let mut program = program("class A { static method f(i: int) -> int { local i~1: int; b0: return i~1 } }");
    let body = program.body(MethodId(0)).cloned().expect("a body");
    assert_eq!((body.locals[0].name.as_str(), body.locals[1].name.as_str()), ("i", "i"));
    let mut renamed = body.clone();
    renamed.locals[1].name = "i~1".into();
    program.set_body(MethodId(0), renamed);
    assert!(print(&program).contains("return \"i~1\""));
}

#[test]
fn spans_name_the_file_only_where_it_differs() {
    let text = "file 0 \"a\"\nfile 1 \"b\"\n\nclass A @ 1 {\n  static method f() @ 2:3 in 1 {\n  b0:\n    assume true @ 3:4+5\n    assume true @ 0:0+7 in 0\n    return\n  }\n}\n";
    let program = program(text);
    assert_eq!(print(&program), text);
    let body = program.body(MethodId(0)).expect("a body");
    assert_eq!(body.blocks[0].ops[0].span, Span { file: FileId(1), line: 3, column: 4, length: 5 });
}

#[test]
fn shared_expressions_do_not_grow() {
    let mut body = Body::default();
    let x = body.add_local("x", Type::Int);
    let mut expr = body.add_expr(Expr::Local(x));
    for _ in 0..100_000 {
        expr = body.add_expr(Expr::Binary(BinaryOp::Add, Type::Int, expr, expr));
    }
    let entry = body.add_block(vec![]);
    body.block_mut(entry).terminator.kind = TerminatorKind::Return(Some(expr));
    let mut program = program("class A { static method f(int) -> int }");
    program.set_body(MethodId(0), body);
    let printed = print(&program);
    assert!(printed.len() < 5_000_000);
    assert_eq!(print(&parse(&printed).expect("a program")), printed);
}

#[test]
fn deep_expressions_print_and_parse() {
    let mut body = Body::default();
    let x = body.add_local("x", Type::Bool);
    let mut expr = body.add_expr(Expr::Local(x));
    for depth in 0..100_000 {
        expr = match depth % 3 {
            0 => body.add_expr(Expr::Unary(UnaryOp::Not, Type::Bool, expr)),
            1 => {
                let other = body.add_expr(Expr::Local(x));
                body.add_expr(Expr::Select(other, other, expr))
            }
            _ => {
                let other = body.add_expr(Expr::Local(x));
                body.add_expr(Expr::Binary(BinaryOp::And, Type::Bool, other, expr))
            }
        };
    }
    let entry = body.add_block(vec![]);
    body.block_mut(entry).terminator.kind = TerminatorKind::Return(Some(expr));
    let mut program = program("class A { static method f(bool) -> bool }");
    program.set_body(MethodId(0), body);
    let printed = print(&program);
    assert_eq!(print(&parse(&printed).expect("a program")), printed);
}

#[test]
fn deep_nesting_is_an_error() {
    let n = 1_000_000;
    for (open, close) in [("(", ")"), ("!", ""), ("-", ""), ("true ? (", ")"), ("i ? i : ", "")] {
        let text = format!("{}i{}", open.repeat(n), close.repeat(n));
        let text = format!("class A {{ static method f(i: bool) {{ b0: assume {text} }} }}");
        let error = parse(&text).expect_err("an error");
        assert_eq!(error.kind, text::ParseErrorKind::TooDeep, "{open}");
    }
    // A chain of one operator, dimensions of an array and braces need no stack.
    let chain = vec!["i"; n].join(" + ");
    parse(&format!("class A {{ static method f(i: int) -> int {{ b0: return {chain} }} }}")).expect("a program");
    parse(&format!("class A {{ field f: A{} }}", "[]".repeat(10_000))).expect("a program");
    parse(&format!("class A {{ {}", "{".repeat(n))).expect_err("an error");
}

#[test]
fn an_inherited_member_can_be_named_through_a_subclass() {
    let text = "class A { static field x: int; static method m() } class B extends A {
                static method f() { local y: int; b0: y := static B::x; call static B::m(); return } }";
    assert_eq!(body(text), "local y: int\nb0:\ny := static A::x\ncall static A::m()\nreturn");
}

#[test]
fn errors_tell_the_place() {
    fails("klass A {}", "1:1: expected `file`, `trap`, `arrays`, `class` or `interface`, found `klass`");
    fails("class A extends B {}", "1:17: there is no class `B`");
    fails("class A {}\n  class A {}", "2:9: there is a class `A` already");
    fails("class A { field f: int; field f: int }", "1:31: there is a field `f` already");
    fails("class A {", "1:10: expected `}`, found the end of the text");
    fails("file 1 \"a\"", "1:6: this is file 0");
    fails(
        "class A { method f(this: A, int) { b0: return } }",
        "1:19: expected a name for each parameter of a method with code, found `(`",
    );
    fails("class \"A", "1:9: the closing quote is missing");
    fails("class A { static method f() { } }", "1:7: A.f: the body has no entry block");
    fails_in_body("x := 1", "2:1: there is no local `x`");
    fails_in_body("i := 1", "2:1: A.f, b0, operation 0: the result is of type int, not i32");
    fails_in_body("i := a.A::g", "2:11: there is no field `g`");
    fails_in_body("i := a.A::f + 1", "2:13: expected the end of the line, found `+`");
    fails_in_body(
        "i := i + a.A::f",
        "2:11: only a name or something in parentheses can stand before this; it is an operation, not an expression",
    );
    fails_in_body(
        "call static A::over(i)",
        "2:16: there are several methods `over`; write the signature: `over[int -> bool](…)`",
    );
    fails_in_body("goto b7", "2:6: there is no label `b7`");
    fails_in_body("i := 1i33", "2:6: there is no number type with this name");
    fails_in_body("i := 1i32 @", "2:12: expected a line, found the end of the line");
    fails_in_body("i := §", "2:6: no token starts with this character");
    fails_in_body("i + 1", "2:3: expected `:=`, `.Class::field :=` or `[index] :=`, found `+`");
}

#[test]
fn the_example_of_the_manual_parses() {
    let manual = include_str!("../../../../docs/ir.md");
    let example = manual.split("```").nth(1).expect("an example");
    program(example);
}

#[test]
fn reserved_words_are_sorted() {
    // Words are looked up by binary search: one out of order would print as a name that does not parse.
    for word in ["abstract", "any", "i16", "i8", "u16", "u64", "u8", "unreachable", "virtual", "true", "local", "let"] {
        let mut program = program("class A { static method f(x: int) -> int { b0: return x } }");
        let mut body = program.body(MethodId(0)).cloned().expect("a body");
        body.locals[0].name = word.into();
        program.set_body(MethodId(0), body);
        assert!(print(&program).contains(&format!("return \"{word}\"")), "{word}");
    }
}
