//! Tests the reports of mistakes and doubtful places.

mod common;

use aback_lang_oox::load;
use common::{has_errors, load_one, shown, verify};

/// Checks the diagnostics of a file.
#[track_caller]
fn check(source: &str, expected: &str) {
    let loaded = load_one(source);
    if !has_errors(&loaded.diagnostics) {
        verify(&loaded.program);
    }
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(shown(&loaded.diagnostics), expected.join("\n"));
}

/// Checks the diagnostics of a method with this body, which starts at line 2.
#[track_caller]
fn check_body(body: &str, expected: &str) {
    const CONTEXT: &str =
        "class D { } class C extends D { int n; C next; int[] a; bool b; string s; char c; void v() { }
        static int max(int a, int b) { return a; } static void over(int a) { } static void over(C c) { }
        static void pair(C a, D b) { } static void pair(D a, C b) { } }";
    let source =
        format!("class M extends C {{ int f(int i, bool p, C o, int[] a) {{\n{body}\nreturn 0; }} }} {CONTEXT}");
    check(&source, expected);
}

/// The advice of the first diagnostic.
fn advice(source: &str) -> String {
    load_one(source).diagnostics.first().and_then(|d| d.help.clone()).unwrap_or_default()
}

#[test]
fn syntax_errors_are_reported_one_by_one() {
    check(
        "class A {\n  int f( { return 1; }\n  void g() { x := ; y = 2; if (true { } }\n  int h() { return 1 }\n}\nklass B { }",
        "2:10 error: expected the type of a parameter, found `{`
         3:19 error: expected an expression, found `;`
         3:23 error: an assignment is written `:=`
         3:37 error: expected `)`, found `{`
         4:22 error: expected `;`, found `}`
         6:1 error: expected a class, found `klass`",
    );
    check("class A { void f() {\n  int x := 1\n  x := 2; } }", "2:13 error: expected `;`, found `x`");
    check("class A { void f() { \nclass B { }", "1:21 error: expected `}`, found `class`");
    check("class A { void f() { if (true) ; ; else ; } }", "1:36 error: `else` without an `if`");
    check(
        "class A { int x := 1; static int y; foo() { } }",
        "
        1:17 error: a field has no initial value
        1:34 error: OOX has no static fields
        1:37 error: `foo` has no result type and is not a constructor of `A`",
    );
    check(
        "class A { void f() { int while := 1; try { } new int[2][3]; } }",
        "
        1:26 error: expected the name of a variable, found the reserved word `while`
        1:46 error: expected `catch`, found `new`",
    );
    check(
        "class A { void f() { x := new int[2][3]; y := 'ab'; z := \"\\q\"; } }",
        "
        1:37 error: only the outermost length of a new array can be given
        1:47 error: a character literal is one UTF-16 code unit
        1:58 error: unknown escape sequence; there are \\n \\t \\r \\0 \\\\ \\' \\\" and \\uXXXX",
    );
    check("interface I { }", "1:1 error: OOX has neither interfaces nor abstract classes");
}

#[test]
fn declarations() {
    check("class A { } class A { }", "1:19 error: there is a class `A` already");
    check("class Exception { }", "1:7 error: there is a class `Exception` already");
    check("class A extends B { } class B extends A { }", "1:7 error: class `A` extends itself");
    check("class A extends A { }", "1:7 error: class `A` extends itself");
    check("class A extends Lst { int f() { return this.x; } } class List { }", "1:17 error: there is no class `Lst`");
    check("class A { int x; bool x; }", "1:23 error: `A` has a field `x` already");
    check("class A { int x; } class B extends A { int x; }", "1:44 error: `A` has a field `x` already");
    check(
        "class A { void f(int a) { } int f(int b) { return b; } }",
        "1:33 error: `f` is declared with these parameters already",
    );
    check(
        "class A { void f(int a, int a) { } void g(void v) { } }",
        "
        1:29 error: there is a parameter `a` already
        1:43 error: there are no values of type void",
    );
    check(
        "class A { int f() { return 1; } } class B extends A { bool f() { return true; } }",
        "1:60 error: this overrides `A.f`, whose result is int",
    );
    check(
        "class A { int f() { return 1; } } class B extends A { static int f() { return 1; } }",
        "1:66 error: of `A.f` and this method, one is static and the other is not",
    );
    check(
        "class A { A(int n) { } } class B extends A { } class C extends A { C() { ; } }",
        "
        1:32 error: `A` takes 1 argument, but 0 are given
        1:68 error: `A` takes 1 argument, but 0 are given",
    );
    check(
        "class A { Foo f; void m(Fo x) { this.f := x; this.m(null); } }",
        "
        1:11 error: there is no class `Foo`
        1:25 error: there is no class `Fo`",
    );
    check(
        "class A { void f() { int x; super(); super(1); } A() { super(1); } }",
        "
        1:29 error: `super(…)` may only be the first statement of a constructor
        1:38 error: `super(…)` may only be the first statement of a constructor
        1:56 error: this class has no superclass",
    );
}

#[test]
fn names() {
    check_body(
        "x := y; this.m := 1; o.nxt := null; g(); o.g(); Q.g(); Main.g(); new Q();",
        "
        2:6 error: there is no variable `y`
        2:14 error: `M` has no field `m`
        2:24 error: `C` has no field `nxt`
        2:37 error: `M` has no method `g`
        2:44 error: `C` has no method `g`
        2:49 error: there is no variable or class `Q`
        2:56 error: there is no variable or class `Main`
        2:70 error: there is no class `Q`",
    );
    check_body(
        "i := n; C.v(); o.max(1, 2); D.n := 2; max(i, i.n);",
        "
        2:6 error: there is no variable `n`
        2:11 error: `v` is not static
        2:18 warning: `max` is static: the object does not matter
        2:29 error: `D` is a class, and OOX has no static fields
        2:48 error: int has no fields",
    );
    check(
        "class A { int x; static int f() { int y := this.x; g(); return x; } void g() { } }",
        "
        1:44 error: a static method has no `this`
        1:52 error: `g` is not static: it needs an object
        1:64 error: there is no variable `x`",
    );
    let main = |body: &str| advice(&format!("class Main {{ int count; void f(int value) {{ {body} }} }}"));
    assert_eq!(main("vlue := valeu;"), "did you mean `value`?");
    assert_eq!(main("x := count;"), "the field is `this.count`");
    assert_eq!(main("count := 1;"), "the field is `this.count`");
    assert_eq!(main("Mani.f(1);"), "did you mean `Main`?");
    assert_eq!(main("this.f(1, 2);"), "there are `f(int)`");
}

#[test]
fn types() {
    check_body(
        "i := p + 1; p := !i; i := -p; p := p < i; p := i && p; if (i) ; while (o) ; assert 1;",
        "
        2:6 error: `+` takes integers, but this is bool
        2:19 error: expected a truth value, but this is int
        2:28 error: the operand of `-` must be an int, but this is bool
        2:36 error: `<` takes integers, but this is bool
        2:48 error: expected a truth value, but this is int
        2:60 error: expected a truth value, but this is int
        2:72 error: expected a truth value, but this is C
        2:84 error: expected a truth value, but this is int",
    );
    check_body(
        "i := true; o := a; o.n := null; a[p] := 1; a[0] := o; i[0] := 1; this := o; #a := 1; 1 := 2; f() := 2;",
        "
        2:6 error: `i` is of type int, but this is bool
        2:17 error: `o` is of type C, but this is int[]
        2:27 error: `n` is of type int, but this is null
        2:35 error: an index must be an int, but this is bool
        2:52 error: an element is of type int, but this is C
        2:55 error: expected an array or a string, but this is int
        2:66 error: `this` cannot be assigned
        2:77 error: the length of an array does not change
        2:86 error: only a variable, a field or an element can be assigned
        2:94 error: only a variable, a field or an element can be assigned",
    );
    check_body(
        "max(1); max(1, p); over(p); pair(o, o); x := o.v(); i; i == 1; f(i, p, o, a).n := 1;",
        "
        2:1 error: `max` takes 2 arguments, but 1 is given
        2:16 error: argument 2 of `max` must be int, but this is bool
        2:20 error: no `over` takes (bool)
        2:29 error: several methods `pair` take (C, C)
        2:46 error: `v` has no result: it is declared void
        2:53 error: only a call has an effect as a statement
        2:56 error: only a call has an effect as a statement
        2:78 error: int has no fields",
    );
    check_body(
        "M m := o; m := o; m := (M) o; D d := m; x := (int) p; y := (M) a; i := o ? 1 : 2; z := p ? i : o;",
        "
        2:8 error: `m` is declared M, but its value is C
        2:16 error: `m` is of type M, but this is C
        2:47 error: bool cannot be cast to int
        2:61 error: int[] cannot be cast to M
        2:72 error: expected a truth value, but this is C
        2:92 error: the alternatives have different types: int and C",
    );
    check_body(
        "this.s.x := 1; this.s[0] := 'a'; x := new string(); y := this.s + \"b\"; i := a.length; x := this.s.f();",
        "
        2:8 error: strings have no fields
        2:16 error: strings do not change
        2:43 error: strings are not created by `new`
        2:58 error: `+` takes integers, but this is string
        2:79 error: int[] has no fields
        2:99 error: string has no methods",
    );
    check_body(
        "this.c := 'x'; i := this.c; i := this.c - 'a'; this.c := i; p := this.c < 'z' && this.c > i; char d := (char) (i + 1);",
        "2:58 error: `c` is of type char, but this is int",
    );
}

#[test]
fn statements() {
    check_body(
        "break; continue; while (p) { break; } try { break; } catch { }",
        "
        2:1 error: `break` outside of a loop
        2:8 error: `continue` outside of a loop
        2:45 error: `break` outside of a loop",
    );
    check_body(
        "return; return p; throw i; throw o; throw \"x\"; throw new Exception(); throw null;",
        "
        2:1 error: a value of type int must be returned
        2:16 error: the result is declared int, but this is bool
        2:25 error: int cannot be thrown
        2:34 error: C cannot be thrown",
    );
    check_body(
        "try { } catch (C e) { } catch (Exception e) { } catch (ArithmeticException e) { throw e; }",
        "2:16 error: C cannot be caught: only classes that extend `Exception` are thrown",
    );
    check(
        "class A { void f() { return 1; } A() { return 1; } }",
        "
        1:29 error: this method has no result: it is declared void or a constructor
        1:47 error: this method has no result: it is declared void or a constructor",
    );
    check_body(
        "p := forall i, k, v : true; p := forall a, k, k : true; p := exists a, k, v : v; p := k == 1;",
        "
        2:13 error: expected an array or a string, but this is int
        2:47 error: the index and the element need different names
        2:79 error: expected a truth value, but this is int
        2:87 error: there is no variable `k`",
    );
    check(
        "class A { int f(int x) requires(x) ensures(retval) exceptional(retval == 1) { return x; }
        void g() ensures(retval == 1) { } }",
        "
        1:33 error: expected a truth value, but this is int
        1:44 error: expected a truth value, but this is int
        1:64 error: there is no variable `retval`
        2:26 error: there is no variable `retval`",
    );
}

#[test]
fn slips_of_dynamic_typing_are_warnings() {
    check_body(
        "int x := o.next; x := o; p := x == null; int break := false; while (!break) break := true;",
        "
        2:5 warning: `x` is declared int, but its value is C
        2:46 warning: `break` is declared int, but its value is bool",
    );
    check_body(
        "p := o == i; p := i != null; p := o == a; p := o == this; p := a == null;",
        "
        2:6 warning: C and int are never equal
        2:19 warning: int and null are never equal
        2:35 warning: C and int[] are equal only if both are null",
    );
    check(
        "class A { bool f(int n) { if (n > 0) return true;; } int g() { while (true) { } } int h(int n) { if (n > 0) return 1; else throw \"no\"; } }",
        "1:16 warning: `f` can end without a return",
    );
    check_body(
        "p := o instanceof M; p := this.s instanceof C; n := 1;",
        "
        2:27 warning: string is never an instance of C
        2:48 warning: this declares a variable `n`",
    );
}

#[test]
fn variables_that_start_as_null() {
    check_body(
        "int x := null; while (x == null) { x := o; } x.n := 1;",
        "2:5 warning: `x` is declared int, but its values are C",
    );
    check_body("x := null; if (p) x := a; i := x[0];", "");
    check_body(
        "int x := null; x := 5; y := null; z := null; z.n := 1; z := o;",
        "
        2:5 error: `x` is initially null, which is not a value of type int
        2:24 error: `y` has no type: it is only ever null
        2:48 error: null has no fields",
    );
    check_body("int x := null;", "2:5 error: `x` is declared int, but is only ever null");
    check_body("x := null; C x := o; x.n := 1;", "");
}

#[test]
fn names_that_are_declared_again() {
    // The name denotes the same variable, or from there on a new one.
    check_body("int x := 1; int x := 2; bool x := true; p := x; C i := o; i.n := 1; int[] p; a := p;", "");
    check_body("if (p) { int x := 1; i := x; } else { bool x := true; p := x; } i := 1;", "");
    check_body(
        "if (p) { int x := 1; i := x; } else { bool x := true; p := x; } p := x; p := x;",
        "2:70 warning: `x` is the variable that was declared last, in a statement that may not run",
    );
}

#[test]
fn several_files_form_one_program() {
    let loaded = load(vec![
        ("A.oox".into(), "class A { B b; int f() { return this.b.g(); } }".into()),
        ("B.oox".into(), "class B extends A {\n int g() { return this.f() + x; } }".into()),
    ]);
    let places: Vec<String> = loaded.diagnostics.iter().map(|d| loaded.program.show_span(d.span)).collect();
    assert_eq!(places, ["B.oox:2:30"]);
}

#[test]
fn the_example_of_the_manual_loads() {
    let manual = include_str!("../../../docs/oox.md");
    let example = manual.split("```").nth(1).unwrap_or_default();
    assert!(example.contains("class Main"));
    check(example, "");
}
