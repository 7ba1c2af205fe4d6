//! Calls, exceptions and contracts.

use crate::common::{check, check_ir, check_query, oox};
use aback_symbolic::{Query, Uncaught};

#[test]
fn recursion() {
    let sum = "class Tools { static int sum(int n) { if (n <= 0) return 0; int rest := Tools.sum(n - 1); return n + rest; } }";
    check(
        &format!("{sum} main(int n) {{ assume n <= 5; int s := Tools.sum(n); assert n < 0 || s == n * (n + 1) / 2; }}"),
        "holds",
    );
    check(
        &format!("{sum} main(int n) {{ assume n <= 5; int s := Tools.sum(n); assert s != 10; }}"),
        "violated: assert at 1",
    );
}

#[test]
fn calls_go_to_the_class_of_the_object() {
    let shapes = "class Shape { int area() { return 0; } } class Unit extends Shape { int area() { return 1; } }
        class Big extends Unit { int area() { return 5; } }";
    let checks = |body: &str, expected: &str| {
        check(&format!("{shapes} main(Shape s, bool b) {{ assume s != null; {body} }}"), expected)
    };
    checks("assert s.area() == 0 || s.area() == 1 || s.area() == 5;", "holds");
    for area in [0, 1, 5] {
        checks(&format!("assert s.area() != {area};"), "violated: assert at 2");
    }
    checks("assume s instanceof Unit; assert s.area() > 0;", "holds");
    checks("Shape t := b ? new Big() : s; assert t.area() == 5 || !b;", "holds");
}

#[test]
fn a_result_of_a_subclass_overrides() {
    let world = "class A { A make() { return new A(); } A[] makeAll() { return new A[1]; } }
        class B extends A { B make() { return new B(); } B[] makeAll() { return new B[2]; } }
        class C extends B { C make() { return new C(); } }";
    let checks =
        |body: &str, expected: &str| check(&format!("{world} main(A a) {{ assume a != null; {body} }}"), expected);
    checks("A b := new B(); A made := b.make(); assert made instanceof B && !(made instanceof C);", "holds");
    checks("A b := new B(); A[] made := b.makeAll(); assert #made == 2;", "holds");
    checks("A c := new C(); A made := c.make(); assert made instanceof C;", "holds");
    checks("B c := new C(); B made := c.make(); assert made instanceof C;", "holds");
    checks("A made := a.make(); assert !(made instanceof B);", "violated: assert at 3");
    checks("assume a instanceof B; A made := a.make(); assert made instanceof B;", "holds");
    checks("assume a instanceof B; A made := a.make(); assert !(made instanceof C);", "violated: assert at 3");
}

#[test]
fn an_entry_point_runs_on_receivers_that_do_not_override_it() {
    check_ir(
        "class A {\n}\nclass B extends A {\n method main(this: B) { b0: return\n }\n}\nclass C extends A {\n}
         class Main extends A {\n method main(this: Main) { local b: bool\n b0: b := this instanceof Sub\n assert !b\n return\n }\n}
         class Sub extends Main {\n method main(this: Sub) { b0: return\n }\n}",
        "holds",
    );
}

#[test]
fn exceptions_go_to_the_innermost_handler_that_fits() {
    let world = "class P extends Exception { int code; P(int code) { this.code := code; } } class Q extends P { Q() { super(9); } }
        class T { static void a(int x) { if (x == 1) throw new P(4);; if (x == 2) throw new Q();; if (x == 3) throw new Exception();; }
                  static int b(int x) { try { T.a(x); } catch (Q e) { return 9; } return 0; } }";
    let checks = |body: &str, expected: &str| check(&format!("{world} main(int x) {{ {body} }}"), expected);
    checks("int r := T.b(x);", "violated: P at 2");
    checks(
        "int r := 7; try { r := T.b(x); } catch (P e) { r := e.code; } catch (e) { r := 3; }
        assert x == 1 ? r == 4 : x == 2 ? r == 9 : x == 3 ? r == 3 : r == 0;",
        "holds",
    );
    checks(
        "try { int r := T.b(x); } catch (Q e) { assert false; } catch (P e) { assert e.code == 4 && x == 1; } catch (e) { }",
        "holds",
    );
    checks("try { T.a(x); } catch (Q e) { assert false; } catch (e) { }", "violated: assert at 3");
    checks("throw null;", "violated: null dereference at 3");
}

#[test]
fn a_call_can_do_nothing_but_throw() {
    let body = "class T { static void raise(Exception e, int x) { if (x == 4) throw e;; } }
        main(int x) { Exception e := new Exception(); try { T.raise(e, x); } catch (Exception f) { assert x != 4; } }";
    check(body, "violated: assert at 2");
    check(&body.replace("assert x != 4", "assert x == 4"), "holds");
    check(
        &body.replace("} catch (Exception f) { assert x != 4; }", "assert x != 4; } catch (Exception f) { }"),
        "holds",
    );
}

#[test]
fn preconditions_bind_callers_and_not_the_user() {
    let root = "class Tools { static int root(int x) requires(x >= 0) ensures(retval >= 0) { return x; } }";
    check("class Main { static void main(int x) requires(x > 3) { assert x > 2; } }", "holds");
    check(&format!("{root} main(int x) {{ int r := Tools.root(x); }}"), "violated: requires at 1");
    check(&format!("{root} main(int x) {{ int r := Tools.root(x * x); assert r >= 0; }}"), "holds");
    let again = "class Main { static void main(int x) requires(x > 3) { if (x > 5) Main.main(x - 4);; } }";
    check(again, "violated: requires at 1");
}

#[test]
fn postconditions() {
    check("class Main { static int main(int x) ensures(retval > x) { return x + 1; } }", "holds");
    check("class Main { static int main(int x) ensures(retval > 0) { return x + 1; } }", "violated: ensures at 1");
    let thrown = |body: &str| format!("class Main {{ static int main(int x)\n exceptional(x == 0) {{\n {body} }} }}");
    check(&thrown("if (x == 0) throw \"zero\";\n return x;"), "violated: Exception at 3");
    check(&thrown("if (x == 1) throw \"one\";\n return x;"), "violated: exceptional at 2");
}

#[test]
fn an_exception_that_passes_a_contract_is_reported_where_it_arises() {
    let source = "class Tools { static int first(int[] a)\n exceptional(true) {\n int x := a[0];\n return x; } }
        main(int[] a) { int x := Tools.first(a); }";
    check(source, "violated: null dereference at 3");
    check(
        &source.replace("main(int[] a) {", "main(int[] a) { assume a != null;"),
        "violated: index out of bounds at 3",
    );
}

#[test]
fn a_false_assumption_ends_an_execution() {
    check("main(int x) { assume x > 3; assert x > 2; assume false; assert false; }", "holds");
    check("main(int x) { assume x > 3 && x < 4; assert false; }", "holds");
    check("main(int x) { if (x > 3) { assume x < 2; } assert x <= 3; }", "holds");
}

/// The receiver of a constructor that is the entry point is a new object.
#[test]
fn constructors_start_with_a_new_object() {
    let checks = |constructor: &str, expected: &str| {
        // A subclass needs a constructor without parameters.
        let other = if constructor.starts_with("N()") { "" } else { "N() { }" };
        let program = oox(&format!(
            "class Node {{ N of; }} class S extends N {{ int more; }}
             class N {{ int x; N other; {constructor} {other} }} class Main {{ static void main() {{ }} }}"
        ));
        let constructor = program.methods_named(program.class_named("N").unwrap(), "<init>")[0];
        let query = Query { entry: constructor, assertions: true, uncaught: Uncaught::Any, at: None };
        check_query(&program, &query, expected);
    };
    checks("N() { assert this.x == 0; assert this.other == null; }", "holds");
    checks("N() { assert !(this instanceof S); }", "holds");
    checks("N(N a) { assert a != this; }", "holds");
    checks("N(Node a) { if (a != null) { N b := a.of; assert b != this; } }", "holds");
    checks("N(N[] a) { if (a != null && #a > 0) { N b := a[0]; assert b != this; } }", "holds");
    checks("N(N a) { if (a != null) { a.x := 1; assert this.x == 0; } }", "holds");
    checks("N(N a) { if (a != null) { int y := a.x; assert y == 0; } }", "violated: assert at 2");
    checks("N(int y) { this.x := y; assert this.x != 3; }", "violated: assert at 2");
    checks("N(N a) { this.other := a; assert this.other == null; }", "violated: assert at 2");
}
