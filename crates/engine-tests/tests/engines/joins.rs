//! Tests that joining states does not change verdicts, inputs and exceptions.

use crate::common::{AMPLE, everything, exploration, ir, joined, limited, oox, shown};
use aback_forward::{Config, Merging};

/// Checks the verdict with joined states, of which there must be at least `joins`, and without joins.
#[track_caller]
fn check_joined(source: &str, expected: &str, joins: u64) {
    let program = oox(source);
    let query = everything(&program);
    let solver = aback_smt::Config::default();
    assert_eq!(shown(&program, &exploration(&program, &query, &limited(AMPLE), &solver)), expected, "not joined");
    let joined = joined(&program, &query, AMPLE);
    assert_eq!(shown(&program, &joined), expected, "joined");
    assert!(joined.work.joins >= joins, "{} joins", joined.work.joins);
    let config = Config { merging: Merging::Regions, ..limited(AMPLE) };
    assert_eq!(shown(&program, &exploration(&program, &query, &config, &solver)), expected, "joined behind branches");
}

#[test]
fn locals_and_fields_are_those_of_either_path() {
    check_joined("main(int x) { int y := 0; if (x > 3) { y := 1; } assert y == 0 || x > 3; }", "holds", 1);
    check_joined("main(int x) { int y := 0; if (x > 3) { y := 1; } assert y == 0; }", "violated: assert at 1", 1);
    check_joined(
        "class C { int v; } main(C c, C d, bool b) {
            if (c == null || d == null) return;
            c.v := 1; d.v := 2;
            if (b) { c.v := 3; } else { d.v := 4; }
            assert c.v == (c == d ? (b ? 3 : 4) : (b ? 3 : 1));
        }",
        "holds",
        1,
    );
    check_joined(
        "main(int[] a, int i, bool b) {
            if (a == null || i < 0 || i >= #a) return;
            if (b) { a[i] := 1; } else { a[i] := 2; }
            int s := a[i];
            assert s == 1 == b;
        }",
        "holds",
        1,
    );
}

#[test]
fn objects_that_either_path_has_made_stay_apart() {
    check_joined(
        "class C { int v; C next; } main(bool b, int x) {
            C kept := new C();
            C c := null;
            if (b) { c := new C(); c.v := x; } else { c := new C(); c.next := kept; }
            kept.v := 7;
            if (b) { assert c.v == x; assert c.next == null; } else { assert c.next == kept; assert c.next.v == 7; }
            C d := new C();
            assert d != c;
        }",
        "holds",
        1,
    );
    check_joined(
        "main(bool b, int i) {
            int[] a := new int[3];
            if (b) { a[0] := 5; a[2] := 1; } else { a[1] := 6; }
            if (i < 0 || i > 2) return;
            int e := a[i];
            assert e == 0 || b == (i != 1);
        }",
        "holds",
        1,
    );
}

#[test]
fn what_only_one_path_has_is_not_on_the_other() {
    check_joined(
        "class C { int v; } main(bool b, bool c) {
            C o := null;
            if (b) { o := new C(); }
            if (c) { o.v := 1; }
        }",
        "violated: null dereference at 4",
        1,
    );
    check_joined(
        "class C { int v; } main(bool b) { C o := null; if (b) { o := new C(); } if (b) { o.v := 1; } }",
        "holds",
        1,
    );
}

#[test]
fn callees_and_loops_are_joined_where_they_are_left() {
    check_joined(
        "class T { static int sign(int x) { if (x > 0) return 1; if (x < 0) return 0 - 1; return 0; } }
        main(int x, int y) { int s := T.sign(x); int t := T.sign(y); assert s * t <= 1; assert s + t < 2; }",
        "violated: assert at 2",
        2,
    );
    check_joined(
        "main(int n) {
            if (n < 0 || n > 5) return;
            int i := 0; int s := 0;
            while (i < n) { if (i % 2 == 0) { s := s + 1; } i := i + 1; }
            assert s <= 3;
        }",
        "holds",
        1,
    );
    check_joined(
        "class P extends Exception { } main(int x, bool b) {
            int s := 0;
            try { if (x > 0) { throw new P(); } s := 1; } catch (P p) { s := 2; }
            if (b) { s := s + 1; }
            assert s < 4;
            assert s == (x > 0 ? 2 : 1) + (b ? 1 : 0);
        }",
        "holds",
        1,
    );
}

/// Nondeterministic values are read off the model in the order of the path that the model selects.
#[test]
fn nondeterministic_values_are_those_of_the_path_that_was_taken() {
    let check = |condition: &str, expected: &str| {
        let program = ir(&format!(
            "class Main {{ static method main(b: bool) {{
                local x: int; local y: int; local z: int
             b0: if b goto b1 else b2
             b1: x := nondet int
                 y := nondet int
                 goto b3
             b2: y := nondet int
                 goto b3
             b3: z := nondet int
                 assert {condition}
                 return
             }} }}"
        ));
        let found = joined(&program, &everything(&program), AMPLE);
        assert_eq!((shown(&program, &found).as_str(), found.work.joins), (expected, 1), "{condition}");
    };
    check("!(b & x == 40 & y == 41 & z == 17)", "violated: assert at 0");
    check("!(!b & y == 42 & z == 18)", "violated: assert at 0");
    check("b | x == 0", "holds");
}
