//! Tests the code that methods are lowered to.

mod common;

use aback_ir::*;
use common::{code, load_one, shown, verify};

/// Checks the code of a program's methods; `expected` lists methods and blocks.
#[track_caller]
fn check(source: &str, expected: &str) {
    let loaded = load_one(source);
    assert_eq!(shown(&loaded.diagnostics), "");
    verify(&loaded.program);
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(code(&loaded.program).trim_end(), expected.join("\n"));
}

/// Checks the code of a static method with this body.
#[track_caller]
fn check_body(body: &str, expected: &str) {
    let source = format!(
        "class C {{ int n; C next; bool ok; C() {{ }} static void f(int i, bool p, C o, int[] a) {{ {body} }} }}"
    );
    check(&source, &format!("C.<init>:\n0: return\nC.f:\n{expected}"));
}

#[test]
fn results_go_straight_to_variables() {
    check_body(
        "int x := a[i]; x := o.n; x := #a; x := i / 2 % x; o.next.n := x; a[o.n] := 0 - x; ",
        "0: x = a[i]; x = o.n; x = #a; %5 = i / 2; x = %5 % x; %6 = o.next; %6.n = x; %7 = o.n; a[%7] = (0 - x); return",
    );
    check_body(
        "o := new C(); int y; o.next := o; y := -5 - -i; bool[][] z := new bool[i][];",
        "0: %4 = new C; special C.<init>(%4); o = %4; y = 0; o.next = o; y = (-5 - -i); z = new bool[][i]; return",
    );
}

#[test]
fn pure_conditions_are_one_branch() {
    check_body(
        "while (i > 0 && (p || i < 9)) i := i - 1;",
        "
        0: -> 1
        1: ((i > 0) & (p | (i < 9))) -> 2 else 3
        2: i = (i - 1); -> 1
        3: return",
    );
    check_body(
        "p := p ==> i > 0 ==> !p; i := p ? 1 : 'c';",
        "
        0: p = (!p | (!(i > 0) | !p)); i = (p ? 1 : (int) 99c); return",
    );
}

#[test]
fn other_conditions_branch_where_they_must() {
    check_body(
        "if (p && o != null && o.n > i) i := 1; else i := 2;",
        "
        0: (p & (o != null)) -> 3 else 2
        1: i = 1; -> 4
        2: i = 2; -> 4
        3: %4 = o.n; (%4 > i) -> 1 else 2
        4: return",
    );
    check_body(
        "if (!(o == null || o.ok) ==> o.next.ok) i := 1;",
        "
        0: (o == null) -> 1 else 4
        1: i = 1; -> 2
        2: return
        3: %5 = o.next; %6 = %5.ok; %6 -> 1 else 2
        4: %4 = o.ok; %4 -> 1 else 3",
    );
    check_body(
        "p := o == null || o.ok && p; assert o != null ==> o.ok;",
        "
        0: %4 = (o == null); (o == null) -> 1 else 2
        1: p = %4; %6 = !(o != null); (o != null) -> 3 else 4
        2: %5 = o.ok; %4 = (%5 & p); -> 1
        3: %7 = o.ok; %6 = %7; -> 4
        4: assert %6; return",
    );
    check_body(
        "i := p ? o.n : a[0];",
        "
        0: p -> 1 else 2
        1: %4 = o.n; %6 = %4; -> 3
        2: %5 = a[0]; %6 = %5; -> 3
        3: i = %6; return",
    );
}

#[test]
fn the_optional_semicolon_of_if() {
    let plain = "
        0: p -> 1 else 2
        1: i = 1; -> 2
        2: i = 2; return";
    for body in
        ["if (p) i := 1; i := 2;", "if (p) i := 1;; i := 2;", "if (p) { i := 1; } i := 2;", "if (p) {i := 1;}; i := 2;"]
    {
        check_body(body, plain);
    }
    check_body(
        "if (p) if (i > 0) i := 1;; else i := 2;",
        "
        0: p -> 1 else 2
        1: (i > 0) -> 3 else 4
        2: i = 2; -> 5
        3: i = 1; -> 4
        4: -> 5
        5: return",
    );
}

#[test]
fn loops_jump() {
    check_body(
        "while (true) { if (p) break;; if (i > 0) { continue; }; i := 1; } i := 3;",
        "
        0: -> 1
        1: p -> 2 else 3
        2: -> 4
        3: (i > 0) -> 5 else 6
        4: i = 3; return
        5: -> 1
        6: i = 1; -> 1",
    );
    check_body(
        "int break := 0; break := break + 1; while (p) { break; }",
        "
        0: break = 0; break = (break + 1); -> 1
        1: p -> 2 else 3
        2: -> 3
        3: return",
    );
}

#[test]
fn quantifiers_are_formulas_where_they_can_be() {
    check_body(
        "assert forall a, k, v : k < #a && k < #a - 1 ==> v > i;",
        "0: %4 = #a; %7 = forall a, k, v: (!((k < %4) & (k < (%4 - 1))) | (v > i)); assert %7; return",
    );
    check_body(
        "p := exists a, k, v : v / i == 2;",
        "
        0: %7 = #a; k = 0; %6 = false; -> 1
        1: (k < %7) -> 2 else 5
        2: v = a[k]; %8 = v / i; (%8 == 2) -> 4 else 3
        3: k = (k + 1); -> 1
        4: %6 = true; -> 5
        5: p = %6; return",
    );
    // The length of `b` is read only if `p` holds, so it must not be read before.
    check_body(
        "int[] b; p := forall a, k, v : p ==> v < #b;",
        "
        0: b = null; %8 = #a; k = 0; %7 = true; -> 1
        1: (k < %8) -> 2 else 5
        2: v = a[k]; p -> 6 else 3
        3: k = (k + 1); -> 1
        4: %7 = false; -> 5
        5: p = %7; return
        6: %9 = #b; (v < %9) -> 3 else 4",
    );
}

#[test]
fn contracts() {
    check(
        "class A { static int f(int x) requires(x > 0) requires(x < 9) ensures(retval > x) { if (x == 1) return 2;; return x; } }",
        "
        A.f:
        0: requires (x > 0); requires (x < 9); (x == 1) -> 1 else 2
        1: %result = 2; -> 3
        2: %result = x; -> 3
        3: ensures (%result > x); return %result
        A.<init>:
        0: return",
    );
    check("class A { int n; void f() exceptional(this.n == 0) ensures(this.n > 0) { throw \"\"; } }", "
        A.f:
        0: -> 2
        1: -> 8
        2: [* %1 -> 1] %2 = new String; %3 = new u16[0]; %2.chars = %3; %4 = new Exception; special Exception.<init>(%4, %2); throw %4
        3: -> 5
        4: %5 = false; -> 6
        5: [* %6 -> 4] %7 = this.n; %5 = (%7 > 0); -> 6
        6: ensures %5; return
        7: %8 = false; -> 9
        8: [* %9 -> 7] %10 = this.n; %8 = (%10 == 0); -> 9
        9: exceptional %8; throw %1
        A.<init>:
        0: return");
}

#[test]
fn conditions_without_a_value_are_false() {
    check_body(
        "assume a[i] > 0;",
        "
        0: -> 2
        1: %4 = false; -> 3
        2: [* %5 -> 1] %6 = a[i]; %4 = (%6 > 0); -> 3
        3: assume %4; return",
    );
}

#[test]
fn exceptions() {
    check_body(
        "try { i := a[0]; } catch (ArithmeticException e) { i := 1; } catch (Exception e) { throw e; } i := 5;",
        "
        0: -> 3
        1: e = %4; i = 1; -> 4
        2: e = %5; throw e
        3: [ArithmeticException %4 -> 1] [* %5 -> 2] i = a[0]; -> 4
        4: i = 5; return",
    );
    check_body(
        "try { try i := 1; catch { i := o.n; } } catch (e) { }",
        "
        0: -> 2
        1: e = %4; -> 6
        2: [* %4 -> 1] -> 4
        3: [* %4 -> 1] i = o.n; -> 5
        4: [* %5 -> 3] [* %4 -> 1] i = 1; -> 5
        5: [* %4 -> 1] -> 6
        6: return",
    );
}

#[test]
fn classes_and_calls() {
    check(
        "class B extends A { B() { ; } B(int n) { super(n); } int g(A a) { return super.g(a) + g(a) + A.s(1) + a.g(this); } }
         class A { A() { } A(int n) { } int g(A a) { return 0; } static int s(int n) { return n; } }
         class D extends A { }",
        "A.<init>:
        0: return
        A.<init>:
        0: return
        A.g:
        0: return 0
        A.s:
        0: return n
        B.<init>:
        0: special A.<init>(this); return
        B.<init>:
        0: special A.<init>(this, n); return
        B.g:
        0: %2 = special A.g(this, a); %3 = virtual B.g(this, a); %4 = static A.s(1); %5 = virtual A.g(a, this); return (((%2 + %3) + %4) + %5)
        D.<init>:
        0: special A.<init>(this); return",
    );
    check(
        "class A { static void f(string s, A a) { a := (A) new B(); B b := (B) a; bool t := a instanceof B && s[0] == '\\u0041' && #s > 0; } } class B extends A { }",
        "
        A.f:
        0: %2 = new B; special B.<init>(%2); a = (A) %2; b = (B) a; %4 = a is B; %5 = %4; %4 -> 2 else 1
        1: t = %5; return
        2: %6 = s.chars; assume (%6 != null); %7 = %6[0]; %5 = (%7 == 65c); (%7 == 65c) -> 3 else 1
        3: %8 = s.chars; assume (%8 != null); %9 = #%8; %5 = (%9 > 0); -> 1
        A.<init>:
        0: return
        B.<init>:
        0: special A.<init>(this); return",
    );
}

#[test]
fn code_that_is_never_reached_keeps_its_lines() {
    check_body(
        "return; i := 1; while (p) { }",
        "
        0: return
        1: i = 1; -> 2
        2: p -> 3 else 4
        3: -> 2
        4: return",
    );
}

#[test]
fn everything_has_a_place() {
    let source = "class C {\n  int n;\n  static int f(C o)\n    requires(o != null)\n  {\n    int x := o.n + 10;\n    assert x > 0 &&\n      true;\n    if (x == 1) { x := 2; }\n    return x;\n  }\n}";
    let program = load_one(source).program;
    let class = program.class(program.class_named("C").unwrap());
    assert_eq!(program.show_span(class.span), "T.oox:1:7");
    let body = program.body(class.methods[0]).unwrap();
    let place = |s: Span| format!("{s}+{}", s.length);
    let mut places: Vec<String> = Vec::new();
    for block in &body.blocks {
        places.extend(block.ops.iter().map(|op| place(op.span)));
        places.push(format!("[{}]", place(block.terminator.span)));
    }
    // The places are: requires, o.n, x := …, assert over two lines, the condition, x := 2 and the brace behind it, the
    // return.
    let expected = ["4:5+19", "6:14+3", "6:5+18", "7:5+27", "[9:9+6]", "9:19+7", "[9:27+1]", "[10:5+9]"];
    assert_eq!(places, expected);
}

#[test]
fn long_expressions_are_cut() {
    let sum = " + i".repeat(500);
    let source = format!("class C {{ static int f(int i) {{ return i{sum}; }} }}");
    let loaded = load_one(&source);
    verify(&loaded.program);
    let shown = code(&loaded.program);
    assert!(shown.contains("return (((") && shown.matches("%1").count() >= 2, "{shown}");
}

#[test]
fn builtin_classes() {
    let program = load_one("").program;
    verify(&program);
    let exception = program.class_named("Exception").unwrap();
    for trap in Trap::ALL.into_iter().filter(|&trap| trap != Trap::ArrayTooLong) {
        assert!(program.is_subclass(program.trap_class(trap).unwrap(), exception));
    }
}
