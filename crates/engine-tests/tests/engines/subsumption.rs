//! Tests that only states are left out that go on like others.

use crate::common::{AMPLE, everything, exploration, ir, limited, oox, shown, subsuming};
use aback_forward::Choices;
use aback_ir::Program;
use aback_ir::analysis::points_at_line;
use aback_symbolic::Query;

/// Two iterations, at whose start states are compared.
const LOOP: &str = "int i := 0; while (i < 2) { i := i + 1; }";

/// Checks the verdict with states left out, of which there must be at least `subsumed`, and without that if `is_finite`.
#[track_caller]
fn check_program(program: &Program, expected: &str, subsumed: u64, is_finite: bool) {
    let query = everything(program);
    if is_finite {
        let found = exploration(program, &query, &limited(AMPLE), &aback_smt::Config::default());
        assert_eq!(shown(program, &found), expected, "all paths");
    }
    for choices in [Choices::Keep, Choices::Split] {
        let found = subsuming(program, &query, choices, AMPLE);
        assert_eq!(shown(program, &found), expected, "{choices:?}");
        assert!(found.work.subsumed >= subsumed, "{choices:?}: {} left out", found.work.subsumed);
    }
}

#[track_caller]
fn check(source: &str, expected: &str, subsumed: u64) {
    check_program(&oox(source), expected, subsumed, true);
}

/// Checks code with a loop between two parts, of which the second one finds the difference between two paths through the first one.
#[track_caller]
fn check_different(classes: &str, parameters: &str, before: &str, behind: &str) {
    check(&format!("{classes} main({parameters}) {{ {before} {LOOP} {behind} }}"), "violated: assert at 1", 0);
}

#[test]
fn paths_that_differ_in_nothing_are_one() {
    check(&format!("main(bool b) {{ int k := 0; if (b) {{ k := 1; }} k := 2; {LOOP} assert k == 2; }}"), "holds", 1);
    // What is dead does not count, and neither do conditions about it.
    check(&format!("main(int x) {{ int k := 0; if (x > 3) {{ k := x; }} {LOOP} assert i == 2; }}"), "holds", 1);
    let list = "class C { int v; C next; }";
    let two = "C a := new C(); C b := new C(); a.v := 1; b.v := 2;";
    // Other objects with the same contents.
    check(
        &format!(
            "{list} main(bool f) {{ {two} C c := a; c.next := b; if (f) {{ b := null; a := null; C d := new C(); d.v := 2; c := new C();
            c.v := 1; c.next := d; }} b := null; a := null; {LOOP} assert c.next.v == 2; }}"
        ),
        "holds",
        1,
    );
}

#[test]
fn loops_with_finitely_many_states_end() {
    let endless = |source: &str, expected: &str| check_program(&oox(source), expected, 1, false);
    endless("main() { int x := 0; while (true) { x := (x + 1) % 3; assert x < 3; } }", "holds");
    endless("main(int y) { int x := 0; while (true) { if (y > x) { x := (x + 1) % 3; } assert x < 3; } }", "holds");
    endless(
        "class C { int v; C next; } main() {
            C c := new C();
            while (true) { C d := new C(); d.v := 1 - c.v; c := d; assert c.v < 2; }
        }",
        "holds",
    );
}

#[test]
fn what_is_live_counts() {
    check_different("", "bool b", "int k := 0; if (b) { k := 1; }", "assert k == 1;");
    check_different("", "int x, int y, bool b", "int q := y; if (b) { q := x; }", "assert x == q;");
    check_different("", "int x, int y, bool b", "int q := x; if (b) { q := y; }", "assert x == q;");
    // Locals of callers and static fields.
    check(
        &format!(
            "main(bool b) {{ int k := 0; if (b) {{ k := 1; }} f(); assert k == 1; }} static void f() {{ {LOOP} }}"
        ),
        "violated: assert at 1",
        0,
    );
}

#[test]
fn static_fields_count() {
    let program = |on_one_way: &str, assertion: &str| {
        ir(&format!(
            "class E {{\n}}\ntrap NullDereference E\nclass C {{\n static field k: int\n static field c: C\n field v: int\n}}
            class Main {{ static method main(b: bool, x: int, y: int) {{
                local i: int; local k: int; local c: C
             b0: c := new C
                 static C::c := c
                 static C::k := x
                 if b goto b1 else b2
             b1: {on_one_way}
                 goto b2
             b2: c := null
                 i := i + 1
                 if i < 3 goto b2 else b3
             b3: k := static C::k
                 c := static C::c
                 i := c.C::v
                 assert {assertion}
                 return
             }} }}"
        ))
    };
    let different =
        |way: &str, assertion: &str| check_program(&program(way, assertion), "violated: assert at 0", 0, true);
    different("static C::k := 1", "k == x");
    different("static C::k := y", "k == y");
    different("c.C::v := 1", "i == 0");
    different("c := new C\n c.C::v := 1\n static C::c := c", "i == 0");
    check_program(&program("c := new C\n static C::c := c", "i == 0 & k == x"), "holds", 1, true);
}

#[test]
fn what_a_path_knows_counts() {
    check_different("", "int x", "if (x > 5) { x := x + 1 - 1; } else { x := x * 1; }", "assert x > 5;");
    check_different("", "int x, bool b", "if (b) { if (x <= 5) return; }", "assert x > 5;");
    // It knows something of a live variable through a dead one.
    // In two steps. The other path gets here later.
    check_different(
        "",
        "int x, int y, int z, bool b",
        "if (x <= y) return; if (b) { if (y <= 5) return; } else { if (z <= 5) { z := 0; } }",
        "assert x > 5;",
    );
    check_different("", "int x, int y, bool b", "if (b) { if (x <= y || y <= 5) return; }", "assert x > 5;");
    check(
        &format!("main(int x, bool b) {{ if (b) {{ if (x <= 5) return; }} {LOOP} assert b || x > 5 || x <= 5; }}"),
        "holds",
        0,
    );
}

#[test]
fn objects_count() {
    let class = "class C { int v; C next; }";
    // Two references to one object, and to two with the same contents.
    check_different(
        class,
        "bool b",
        "C c := new C(); C d := c; if (!b) { d := new C(); }",
        "c.v := 1; assert d.v == 1;",
    );
    check_different(
        class,
        "bool b",
        "C c := new C(); C d := new C(); if (!b) { d := c; }",
        "c.v := 1; assert d.v == 0;",
    );
    check_different(
        class,
        "bool b",
        "C c := new C(); C d := new C(); c.next := d; if (!b) { d.v := 1; } d := null;",
        "assert c.next.v == 0;",
    );
    check_different(
        "",
        "bool b, int j",
        "int[] a := new int[3]; if (!b) { a[1] := 1; } if (j < 0 || j > 2) return;",
        "assert a[j] == 0;",
    );
    check_different("", "bool b", "int[] a := new int[3]; if (!b) { a := new int[4]; }", "assert #a == 3;");
    // Objects of the input.
    check_different(class, "C c, bool b", "if (c == null) return; if (b) { c.v := 1; }", "assert c.v == 1;");
    check_different(
        class,
        "C c, C d, bool b",
        "if (c == null || d != c) return; if (b) { if (c.v <= 3) return; } c := null;",
        "assert d.v > 3;",
    );
}

/// The objects of two choices are different ones on one path, and the same on the other.
#[test]
fn objects_in_choices_count() {
    let before = |on_one_path: &str, on_the_other: &str| {
        format!(
            "if (j < 0 || j > 1) return;
            C p := new C(); C q := new C(); C[] a := new C[2]; C[] b := new C[2]; a[0] := p; a[1] := q;
            if (f) {{ {on_one_path} }} else {{ {on_the_other} }}
            p := null; q := null; C r := a[j]; C s := b[j]; a := null; b := null;"
        )
    };
    let (same, others) = ("b[0] := p; b[1] := q;", "b[0] := new C(); b[1] := new C();");
    for (behind, [one, other]) in [
        ("s.v := 1; assert r.v == 0;", [others, same]),
        ("s.v := 1; assert r.v == 0;", [same, others]),
        ("s.v := 1; assert r.v == 1;", [others, same]),
        ("s.v := 1; assert r.v == 1;", [same, others]),
    ] {
        let code = format!("class C {{ int v; }} main(bool f, int j) {{ {} {LOOP} {behind} }}", before(one, other));
        check(&code, "violated: assert at 4", 0);
    }
}

/// Which exceptions count depends on where they were thrown.
#[test]
fn origins_of_exceptions_count() {
    let program = oox(&format!(
        "class E extends Exception {{ }} main(bool b) {{
            try {{ if (b) {{ throw new E(); }} else {{
                throw new E(); }}
            }} catch (E e) {{ {LOOP} throw e; }}
        }}"
    ));
    for line in [2, 3] {
        let at = points_at_line(&program, "Main.oox", line).expect("code at the line");
        let query = Query { at: Some(at.into_iter().collect()), ..everything(&program) };
        let found = shown(&program, &subsuming(&program, &query, Choices::Keep, AMPLE));
        assert_eq!(found, format!("violated: E at {line}"));
    }
}

/// A read through a reference with two possible objects forks at the head of the loop, before anything is executed there.
#[test]
fn a_state_is_not_compared_with_what_is_forked_off_it() {
    let program = ir("class E {
        }
        trap NullDereference E
        trap IndexOutOfBounds E
        trap BadArrayStore E
        trap NegativeArraySize E
        class C {
            field v: int
        }
        class Main { static method main(j: int) {
            local a: C[]; local c: C; local d: C; local v: int
         b0: if 0 <= j & j < 2 goto b1 else b4
         b1: a := new C[2]
             c := new C
             c.C::v := 3
             a[0] := c
             d := new C
             a[1] := d
             c := a[j]
             goto b2
         b2: v := c.C::v
             c.C::v := v - 1
             if v > 0 goto b2 else b3
         b3: assert j == 0
             return
         b4: return
        } }");
    check_program(&program, "violated: assert at 0", 0, true);
}

/// Nondeterministic values that have changed places, or one of which is known.
#[test]
fn other_values_take_their_places() {
    let program = |before: &str, assertion: &str| {
        ir(&format!(
            "class Main {{ static method main(b: bool) {{
                local x: int; local y: int; local i: int
             b0: x := nondet int
                 y := nondet int
                 if b goto b1 else b2
             b1: x := nondet int
                 goto b3
             b2: {before}
                 goto b3
             b3: if x > 3 goto b4 else b7
             b4: i := i + 1
                 if i < 3 goto b4 else b5
             b5: assert {assertion}
                 return
             b7: return
             }} }}"
        ))
    };
    check_program(&program("y := nondet int", "x > 3 & (x == y | x != y)"), "holds", 1, true);
    check_program(&program("x := 5", "x > 3"), "holds", 0, true);
    // One value in two places.
    check_program(&program("y := x", "x != y + 1 - 1 | x <= 3"), "violated: assert at 0", 0, true);
    check_program(&program("y := x + 1", "!(y == x + 1 & b == false)"), "violated: assert at 0", 0, true);
}
