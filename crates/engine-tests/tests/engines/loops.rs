//! Loops in all numbers of iterations at once: programs with known answers.

use crate::common::{
    AMPLE, assertions, backward, everything, exploration, ir, limited, oox, shown, summarised, summarised_with,
};
use aback_forward::{Config, LoopConditions, Loops};
use aback_symbolic::Budget;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Checks what summaries of loops say about an OOX program.
#[track_caller]
pub fn check(source: &str, expected: &str) {
    let program = oox(source);
    assert_eq!(shown(&program, &summarised(&program, &everything(&program), AMPLE)), expected, "{source}");
}

/// Checks that summaries of loops leave open what they cannot decide.
#[track_caller]
pub fn check_open(source: &str) {
    check_form(LoopConditions::Both, source, false);
}

/// Checks whether a program is proved with this form of the conditions of loops. That it is not is asked for a short time.
#[track_caller]
fn check_form(form: LoopConditions, source: &str, is_proved: bool) {
    let program = oox(source);
    let time = if is_proved { 40 } else { 1 };
    let found = summarised_with(&program, &everything(&program), Loops::Light, form, time);
    let expected = if is_proved { "holds" } else { "gaps: " };
    let found = shown(&program, &found);
    assert!(found.starts_with(expected), "{found}\n{source}");
}

/// Paper 5, appendix A: no number of iterations leads to the target.
#[test]
fn one_loop_and_two_loops() {
    check("main(int n) { int i := 0; while (i < n) { i := i + 4; } assert i != 15; }", "holds");
    check(
        "main(int n) {
            int i := 0; int j := 0;
            while (i < n) { i := i + 4; }
            while (i != j + 7) { j := j + 2; }
            assert false;
        }",
        "holds",
    );
}

/// Paper 5, section 1: the target needs at least ten iterations along one backbone.
#[test]
fn the_running_example() {
    let source = |most: u32| {
        format!(
            "main(int[] a, int n) {{
                if (a == null || n > #a) return;
                int k := 3; int i := 0;
                while (i < n) {{ if (a[i] == 1) {{ k := k + 1; }} i := i + 1; }}
                assert k <= {most} || n > {};
            }}",
            most - 3
        )
    };
    check(&source(12), "holds");
    check(
        "main(int[] a, int n) {
            if (a == null || n > #a) return;
            int k := 3; int i := 0;
            while (i < n) { if (a[i] == 1) { k := k + 1; } i := i + 1; }
            assert k <= 8; }",
        "violated: assert at 5",
    );
}

/// Paper 5, theorem 2: the condition is satisfiable although nothing reaches the target. In the paper's own program, it is
/// enough that all iterations keep `i <= 2`; here they jump over the 3. In the first of these programs, no last iteration
/// gives the 3; in the second, one does whose start no other iteration gives.
#[test]
fn what_the_conditions_do_not_exclude_stays_open() {
    check("main() { int i := 1; while (i < 3) { if (i == 2) { i := 1; } else { i := 2; } } assert false; }", "holds");
    let theorem_2 = "main() { int i := 1; while (i != 3) { if (i == 2) { i := 5; } else { i := 2; } } assert false; }";
    check_form(LoopConditions::Unfolded, theorem_2, true);
    check_form(LoopConditions::Quantified, theorem_2, true);
    check_open(
        // Of values that are not constants, no states are looked for.
        "main(int x) { int i := x;
            while (i != x + 2) { if (i == x + 1) { i := x + 4; } else { if (i == x + 3) { i := x + 2; } else { i := x + 1; } } }
            assert false; }",
    );
    let powers = "main(int n) { int i := 0; int j := 1; while (i < n) { j := j * 2; i := i + 1; } assert j != 3; }";
    check_form(LoopConditions::Unfolded, powers, true);
    check_form(LoopConditions::Quantified, powers, true);
    check_open(
        "main(int n) { int i := 0; int j := 7;
            while (i < n) { if (j % 2 == 0) { j := j / 2; } else { j := 3 * j + 1; } i := i + 1; }
            assert j != 6; }",
    );
}

#[test]
fn congruences_of_several_steps() {
    let source = |claim: &str| {
        format!(
            "main(int[] turns, int limit) {{
                if (turns == null) return;
                int place := 3; int i := 0;
                while (place < limit && i < #turns) {{
                    int turn := turns[i];
                    if (turn > 0) {{ place := place + 10; }} else {{ place := place + 6; }}
                    i := i + 1;
                }}
                assert {claim};
            }}"
        )
    };
    check(&source("place != 17"), "holds");
    check(&source("place >= 3"), "holds");
    check(&source("place != 9"), "violated: assert at 9");
}

/// The rules for values that are set (paper 5, section 3.1).
#[test]
fn values_that_iterations_set() {
    // The same value in all iterations, or none.
    check(
        "main(int n, int x) { int i := 0; int y := 5; while (i < n) { y := x; i := i + 1; }
            assert y == (n > 0 ? x : 5); }",
        "holds",
    );
    // One that depends on the number of iterations.
    check(
        "main(int n) { int i := 0; int last := 0 - 1; while (i < n) { last := i; i := i + 1; } assert last == i - 1; }",
        "holds",
    );
    check(
        "main(int n) { int i := 0; int last := 0 - 1; while (i < n) { last := i; i := i + 1; } assert last < 3; }",
        "violated: assert at 1",
    );
}

#[test]
fn loops_in_loops_and_several_exits() {
    check(
        "main(int n, int m) {
            int c := 0; int i := 0;
            while (i < n) { int j := 0; while (j < m) { c := c + 2; j := j + 1; } i := i + 1; }
            assert i >= 0;
        }",
        "holds",
    );
    check(
        "main(int n, int x) {
            int i := 0; int found := 0;
            while (i < n) { if (i == x) { found := 1; break; } i := i + 2; }
            assert found == 0 || x % 2 == 0;
        }",
        "holds",
    );
    check(
        "main(int n, int x) {
            int i := 0;
            while (true) { if (i >= n) { break; } i := i + 3; if (i == x) { return; } }
            assert i != x || i == 0;
        }",
        "holds",
    );
}

#[test]
fn fields_and_elements_of_objects() {
    check(
        "class C { int v; int w; } main(int n) {
            C c := new C(); c.w := 7; int i := 0;
            while (i < n) { c.v := c.v + 2; i := i + 1; }
            assert c.v % 2 == 0 && c.w == 7;
        }",
        "holds",
    );
    // References that are set where others are known: none becomes a number that is counted.
    for (claim, expected) in [("r.v >= 1 && r.v <= 3", "holds"), ("r.v != 3", "violated: assert at 5")] {
        let step = "if (r == a) { r := b; } else { if (r == b) { r := c; } else { r := a; } }";
        let source = format!(
            "class C {{ int v; }} main(int n) {{
                C a := new C(); C b := new C(); C c := new C(); a.v := 1; b.v := 2; c.v := 3;
                C r := a; int i := 0;
                while (i < n) {{ {step} i := i + 1; }}
                assert {claim}; }}"
        );
        check(&source, expected);
    }
    // What a loop makes cannot be in the heap before it.
    check_open(
        "class C { C next; } main(int n) { C c := null; int i := 0;
            while (i < n) { C d := new C(); d.next := c; c := d; i := i + 1; } assert c == null || c.next != c; }",
    );
    // Nothing is forgotten that is not changed.
    check(
        "class C { int v; C next; } main(C c, int n) {
            if (c == null) return;
            c.v := 3; int i := 0;
            while (i < n) { i := i + 1; }
            assert c.v == 3;
        }",
        "holds",
    );
}

/// Machine integers wrap around: that is part of the values, unless no iteration comes near the end of the range.
#[test]
fn machine_integers() {
    let main = |condition: &str, claim: &str| {
        let text = format!(
            "class Main {{ static method main(n: i8) {{
                local i: i8
              b0: i := 0i8\n goto b1
              b1: if {condition} goto b2 else b3
              b2: i := i + 4i8\n goto b1
              b3: assert {claim} @ 7\n return
            }} }}"
        );
        let program = ir(&text);
        shown(&program, &summarised(&program, &everything(&program), AMPLE))
    };
    assert_eq!(main("i < n", "i != 15i8"), "holds");
    assert_eq!(main("i != n", "i != 15i8"), "holds");
    assert_eq!(main("i < n", "i >= n"), "holds");
    // 124 + 4 is -128.
    assert_eq!(main("i >= 0i8", "i >= 0i8"), "violated: assert at 7");
    assert_eq!(main("(i < n) & (n < 100i8)", "i >= 0i8"), "holds");
}

/// Which iteration was the last that set a variable, and what is said about all elements that iterations look at.
#[test]
fn positions_of_iterations() {
    let last = |claim: &str| {
        format!(
            "main(int[] a, int probe) {{
                if (a == null) return;
                int last := 0 - 1; int i := 0;
                while (i < #a) {{ if (a[i] == 47) {{ last := i; }} i := i + 1; }}
                assert {claim};
            }}"
        )
    };
    check(&last("last < #a"), "holds");
    check(&last("last < 0 || a[last] == 47"), "holds");
    check(&last("probe <= last || probe >= #a || a[probe] != 47"), "holds");
    check(&last("probe < last || probe < 0 || probe >= #a || a[probe] != 47"), "violated: assert at 5");
    check(&last("last < 2 || a[last - 1] == 47"), "violated: assert at 5");
    let peak = |update: &str, claim: &str| {
        format!(
            "main(int[] a, int probe) {{
                if (a == null || #a == 0) return;
                int high := a[0]; int low := a[0]; int i := 1;
                while (i < #a) {{ {update} i := i + 1; }}
                assert probe < 0 || probe >= #a || {claim};
            }}"
        )
    };
    let both = "if (a[i] > high) { high := a[i]; } else { if (a[i] < low) { low := a[i]; } }";
    check(&peak(both, "a[probe] <= high && low <= a[probe]"), "holds");
    check(&peak(both, "a[probe] < high || low < high"), "violated: assert at 5");
    let down = "if (a[i] > high) { high := a[i]; } if (i == 3) { high := 0; }";
    check(&peak(down, "a[probe] <= high"), "violated: assert at 5");
    // That two loops compute the same of the same elements is not known.
    let sum =
        |name: &str| format!("int {name} := 0; i := 0; while (i < #a) {{ {name} := {name} + a[i]; i := i + 1; }}");
    let [one, other] = ["one", "other"].map(sum);
    check_open(&format!("main(int[] a) {{ if (a == null) return; int i := 0; {one} {other} assert one == other; }}"));
}

/// Elements that iterations write: each is written once, at a position that its index tells.
#[test]
fn elements_that_iterations_write() {
    let fill = |declared: &str, body: &str, claim: &str| {
        format!(
            "main(int[] a, int[] b, int k) {{
                if (a == null || b == null || #b == 0 || k < 0 || k >= #a) return;
                {declared}
                {body}
                assert {claim};
            }}"
        )
    };
    let up = |write: &str| format!("int i := 0; while (i < #a) {{ {write} i := i + 1; }}");
    for own in ["", "a := new int[10 + k];"] {
        check(&fill(own, &up("a[i] := 2 * i + 1;"), "a[k] == 2 * k + 1"), "holds");
        check(&fill(own, &up("a[i] := 2 * i;"), "a[k] == k"), "violated: assert at 5");
        // Iterations that leave the element as it was.
        check(&fill(own, &up("if (a[i] < 0) { a[i] := 0; }"), "a[k] >= 0"), "holds");
        check(&fill(own, &up("if (a[i] < 0) { a[i] := 0; }"), "a[k] > 0"), "violated: assert at 5");
        check(&fill(own, &up("if (i != 3) { a[i] := 5; }"), "a[k] == 5"), "violated: assert at 5");
        check(&fill(own, &up("if (i != 3) { a[i] := 5; }"), "k == 3 || a[k] == 5"), "holds");
        // Downwards, and from the middle.
        let down = "int i := #a - 1; while (i >= 0) { a[i] := 0 - i; i := i - 1; }";
        check(&fill(own, down, "a[k] == 0 - k"), "holds");
        let behind = "a[k] := 1; int i := 0; while (i < k) { a[i] := 0; i := i + 1; }";
        check(&fill(own, behind, "a[k] == 1"), "holds");
        let up_to = "a[k] := 1; int i := 0; while (i <= k) { a[i] := 0; i := i + 1; }";
        check(&fill(own, up_to, "a[k] == 1"), "violated: assert at 5");
        // The second loop reads what the first one has written.
        check(
            &fill(
                own,
                &format!("{} i := 0; while (i < #a) {{ assert a[i] == 4; i := i + 1; }}", up("a[i] := 4;")),
                "true",
            ),
            "holds",
        );
    }
    check(&fill("int old := a[k];", &up("a[i] := a[i] + 1;"), "a[k] == old + 1"), "holds");
    check(&fill("int old := a[k];", &up("a[i] := a[i] + i;"), "a[k] == old"), "violated: assert at 5");
    let copy = "int[] c := new int[#a + 1]; int i := 0; while (i < #a) { c[i + 1] := a[i]; i := i + 1; }";
    check(&fill("", copy, "c[k + 1] == a[k]"), "holds");
    check(&fill("", copy, "c[0] == 0"), "holds");
    check(&fill("", copy, "c[k] == a[k]"), "violated: assert at 5");
    // Two arrays that may be one.
    check(&fill("b[0] := 3;", &up("a[i] := 7;"), "b[0] == 3"), "violated: assert at 5");
    check(&fill("if (a == b) return; b[0] := 3;", &up("a[i] := 7;"), "b[0] == 3"), "holds");
    check(&fill("if (#a != #b) return;", &up("a[i] := 1; b[i] := 2;"), "a[k] == 1"), "violated: assert at 5");
    // An element that several iterations write.
    check_open(&fill("int j := 0;", "while (j < #b) { a[k] := j * j; j := j + 1; }", "a[k] == (#b - 1) * (#b - 1)"));
}

/// What iterations write behind (or before) everything that earlier ones have written.
#[test]
fn arrays_that_iterations_write_in_one_direction() {
    let program = |body: &str, claim: &str| {
        format!(
            "main(int[] a, int k) {{
                if (a == null || k < 1 || k >= #a) return;
                int[] b := new int[2 * #a]; int j := 0; int i := 0;
                {body}
                assert {claim};
            }}"
        )
    };
    let each = |write: &str| format!("while (i < #a) {{ {write} i := i + 1; }}");
    // Only those for which a condition holds.
    let filter = each("if (a[i] > 0) { b[j] := a[i]; j := j + 1; }");
    check(&program(&filter, "k >= j || b[k] > 0"), "holds");
    check(&program(&filter, "k > j || b[k] > 0"), "violated: assert at 5");
    check(&program(&filter, "k < j || b[k] == 0"), "holds");
    // Several in each iteration, and those in between.
    let pairs = each("b[2 * i] := 3; b[2 * i + 1] := 4;");
    check(&program(&pairs, "b[k] == 3 || b[k] == 4"), "holds");
    check(&program(&pairs, "b[2 * k] == 3 && b[2 * k - 1] == 4"), "holds");
    check(&program(&pairs, "b[k] == 3"), "violated: assert at 5");
    let even = each("b[2 * i] := 3;");
    check(&program(&even, "b[2 * k] == 3 && b[2 * k - 1] == 0"), "holds");
    check(&program(&even, "b[k] == 3"), "violated: assert at 5");
    // From the end.
    let reversed = each("b[#a - 1 - i] := a[i];");
    check(&program(&reversed, "b[k] == a[#a - 1 - k]"), "holds");
    check(&program(&reversed, "b[k] == a[#a - k]"), "violated: assert at 5");
    // What an iteration reads depends on what earlier ones have written, or later ones will write.
    let chain = "i := 1; while (i < #a) { a[i] := a[i - 1] + 1; i := i + 1; }";
    check(&program(chain, "a[k] == a[k - 1] + 1"), "holds");
    check(&program(chain, "a[k] != 40"), "violated: assert at 5");
    let shifted = "int old := a[k]; while (i + 1 < #a) { a[i] := a[i + 1]; i := i + 1; }";
    check(&program(shifted, "a[k - 1] == old"), "holds");
    check(&program(shifted, "a[k] == old"), "violated: assert at 5");
    // The iterations that have written two elements have an order.
    let prefix = "bool all := true; bool[] c := new bool[#a];
        while (i < #a) { if (a[i] <= 0) { all := false; } c[i] := all; i := i + 1; }";
    check(&program(prefix, "!c[k] || c[k - 1]"), "holds");
    check(&program(prefix, "c[k] || !c[k - 1]"), "violated: assert at 6");
    // Overlapping writes have no such order.
    let overlapping = each("b[i] := 1; b[i + 1] := 2;");
    check(&program(&overlapping, "b[k] != 1"), "violated: assert at 5");
    check(&program(&overlapping, "b[k + 1] != 2"), "violated: assert at 5");
}

/// Elements at fixed indices are variables.
#[test]
fn elements_at_fixed_indices() {
    let program = |declared: &str, body: &str, claim: &str| {
        format!(
            "main(int[] a, int[] b, int n) {{
                if (a == null || b == null || #a < 3 || #b < 3 || n < 0) return;
                {declared} int i := 0;
                while (i < n) {{ {body} i := i + 1; }}
                assert {claim};
            }}"
        )
    };
    for declared in ["", "a := new int[4];"] {
        let declared = format!("{declared} a[0] := 0; a[1] := 0;");
        check(&program(&declared, "a[0] := a[0] + 2;", "a[0] == 2 * n && a[1] == 0"), "holds");
        check(&program(&declared, "a[0] := a[0] + 2;", "a[0] != 700"), "violated: assert at 5");
        let two = "if (i < 5) { a[0] := a[0] + 1; } else { a[1] := a[1] + 1; }";
        check(&program(&declared, two, "a[0] + a[1] == n"), "holds");
        check(&program(&declared, two, "a[1] != 60"), "violated: assert at 5");
        // An element that is always the same one, if there is an iteration.
        check(&program("", "a[#a - 3] := 7;", "n == 0 || a[#a - 3] == 7"), "holds");
        check(&program("", "a[#a - 3] := 7;", "a[#a - 3] == 7"), "violated: assert at 5");
        // The same element of two arrays that may be one.
        let aliased = if declared.contains("new") { "holds" } else { "violated: assert at 5" };
        check(&program(&declared, "a[0] := a[0] + 1; b[0] := 3;", "a[0] == n"), aliased);
        // A fixed one and others.
        check(&program(&declared, "a[0] := 1; a[i % 3] := 2;", "a[0] == 1"), "violated: assert at 5");
    }
}

/// Elements that inner loops write, and those of rows.
#[test]
fn elements_that_inner_loops_write() {
    let flat = |write: &str, claim: &str| {
        format!(
            "main(int n, int m, int k) {{
                if (n < 1 || m < 1 || m > 9 || k < 0 || k >= n * 4) return;
                int[] a := new int[n * 4]; int i := 0;
                while (i < n) {{ int j := 0; while (j < 4) {{ a[4 * i + j] := {write}; j := j + 1; }} i := i + 1; }}
                assert {claim};
            }}"
        )
    };
    check(&flat("m", "a[k] == m"), "holds");
    check(&flat("i", "a[k] * 4 <= k"), "holds");
    check(&flat("i", "a[k] == k"), "violated: assert at 5");
    let rows = |write: &str, claim: &str| {
        format!(
            "main(int[][] a, int k) {{
                if (a == null || k < 0 || k >= #a) return;
                int i := 0;
                while (i < #a) {{ if (a[i] == null || #a[i] == 0) return; {write} i := i + 1; }}
                assert {claim};
            }}"
        )
    };
    check(&rows("a[i][0] := 7;", "a[k][0] == 7"), "holds");
    check(&rows("if (i != 2) { a[i][0] := 7; }", "a[k][0] == 7"), "violated: assert at 5");
    // Two rows may be one.
    check(&rows("a[i][0] := i;", "a[k][0] == k"), "violated: assert at 5");
}

#[test]
fn rows_that_inner_loops_write() {
    let filled = |inner: &str, claim: &str| {
        format!(
            "main(int[][] a, int m, int n, int p, int q) {{
                if (a == null || m > #a || p < 0 || p >= m || q < 0 || q >= n) return;
                int i := 0;
                while (i < m) {{
                    if (a[i] == null || #a[i] < n) return;
                    {inner}
                    i := i + 1;
                }}
                assert {claim};
            }}"
        )
    };
    let upward = |write: &str| format!("int j := 0; while (j < n) {{ {write} j := j + 1; }}");
    let check = |inner: &str, claim: &str, expected: &str| check(&filled(inner, claim), expected);
    check(&upward("a[i][j] := 7;"), "a[p][q] == 7", "holds");
    check(&upward("a[i][j] := j;"), "a[p][q] == q", "holds");
    check("int j := n - 1; while (j >= 0) { a[i][j] := 7; j := j - 1; }", "a[p][q] == 7", "holds");
    let otherwise = "violated: assert at 9";
    check(&upward("if (j != 1) { a[i][j] := 7; }"), "a[p][q] == 7", otherwise);
    check("int j := 0; while (j < n - 1) { a[i][j] := 7; j := j + 1; }", "a[p][q] == 7", otherwise);
    check("int j := 1; while (j < n) { a[i][j] := 7; j := j + 1; }", "a[p][q] == 7", otherwise);
    // Only some rows, and another one.
    check(&format!("if (i != 1) {{ {} }}", upward("a[i][j] := 7;")), "a[p][q] == 7", otherwise);
    check(&upward("a[0][j] := 7;"), "a[p][q] == 7", otherwise);
    check(&upward("a[0][j] := 7;"), "a[0][q] == 7", "holds");
    // Two rows may be one.
    check(&upward("a[i][j] := i;"), "a[p][q] == p", otherwise);
    check(&upward("a[i][j] := i;"), "a[p][q] >= 0", "holds");
    // The last iteration writes it, if there is one.
    let again = |condition: &str| {
        format!(
            "main(int[] a, int m, int n, int q) {{
                if (a == null || #a < n || q < 0 || q >= n || {condition}) return;
                int i := 0;
                while (i < m) {{ int j := 0; while (j < n) {{ a[j] := 7; j := j + 1; }} i := i + 1; }}
                assert a[q] == 7;
            }}"
        )
    };
    self::check(&again("m < 1"), "holds");
    self::check(&again("m < 0"), "violated: assert at 5");
}

/// An array without a formula has the elements of the entry before the first iteration that writes it.
#[test]
fn elements_before_the_first_write() {
    let program = |condition: &str, claim: &str| {
        format!(
            "main(int[] a, int[] at, int n, int k) {{
                if (a == null || at == null || a == at || #a < 9 || #at < n || k < 0 || k > 8) return;
                int old := a[k]; int first := old; int i := 0;
                while (i < n) {{
                    if (at[i] < 0 || at[i] > 8) return;
                    if ({condition}) {{ first := a[k]; }}
                    a[at[i]] := 7;
                    i := i + 1;
                }}
                assert {claim};
            }}"
        )
    };
    check(&program("i == 0", "first == old"), "holds");
    check(&program("i == 1", "first == old"), "violated: assert at 10");
    check(&program("i == 0", "n < 2 || a[k] == old"), "violated: assert at 10");
}

/// Paper 5, section 3.3: values behind a loop that depend on how often inner loops run.
#[test]
fn inner_loops_are_counted() {
    let check = |source: &str, loops: Loops, is_proved: bool| {
        let program = oox(source);
        let time = if is_proved { 40 } else { 1 };
        let found = summarised_with(&program, &everything(&program), loops, LoopConditions::Unfolded, time);
        let found = shown(&program, &found);
        assert_eq!(found == "holds", is_proved, "{loops:?}: {found}\n{source}");
    };
    let max = |claim: &str| {
        format!(
            "main(int m, int n) {{
                int i := 0; int j := 0; int seen := 0;
                while (i < m) {{ seen := j; j := i; while (j < n) {{ j := j + 1; }} i := i + 1; }}
                assert {claim};
            }}"
        )
    };
    // Behind the last iteration, and behind the one before.
    for loops in [Loops::Light, Loops::Heavy] {
        check(&max("m <= 0 || j == (n < m - 1 ? m - 1 : n)"), loops, true);
        check(&max("m <= 1 || seen == (n < m - 2 ? m - 2 : n)"), loops, loops == Loops::Heavy);
        check(&max("m <= 0 || j == n"), loops, false);
    }
    // Steps of more than one are rounded up.
    let steps = "main(int m, int n) {
            if (n < 0) return;
            int i := 0; int j := 0;
            while (i < m) { j := 0; while (j < n) { j := j + 3; } i := i + 1; }
            assert m <= 0 || j - n < 3 && j % 3 == 0;
        }";
    check(steps, Loops::Heavy, true);
}

/// Fields of objects of the input, which may be one object.
#[test]
fn fields_of_inputs() {
    let count = |before: &str, write: &str, claim: &str| {
        format!(
            "class C {{ int v; int w; C next; }} main(C c, C d, int n) {{
                if (c == null || d == null || n < 0) return;
                {before}
                int i := 0;
                while (i < n) {{ {write} i := i + 1; }}
                assert {claim};
            }}"
        )
    };
    check(&count("c.v := 1;", "c.v := c.v + 2;", "c.v == 2 * n + 1"), "holds");
    check(&count("c.v := 1;", "c.v := c.v + 2;", "c.v != 1201"), "violated: assert at 6");
    check(&count("c.v := 1; d.w := 4;", "c.v := c.v + d.w;", "c.v == 4 * n + 1"), "holds");
    // The other object may be the same.
    check(&count("c.v := 0; d.v := 0;", "c.v := c.v + 1; d.v := d.v + 1;", "c.v == n"), "violated: assert at 6");
    check(&count("d.v := 0;", "c.v := c.v + 1;", "d.v == 0"), "violated: assert at 6");
    check(&count("if (c == d) return; d.v := 0;", "c.v := c.v + 1;", "d.v == 0"), "holds");
    // Which object it is differs from iteration to iteration.
    let walk = "if (c.next != null) { c := c.next; } c.v := 5;";
    check(&count("d.w := 8; C e := c;", walk, "d.w == 8"), "holds");
    check(&count("C e := c; e.v := 3;", walk, "e.v == 3 || n > 0"), "holds");
    check(&count("C e := c; e.v := 3;", walk, "e.v == 3"), "violated: assert at 6");
}

/// Walks along lists of the input: two from the same start come to the same objects.
#[test]
fn lists() {
    let walks = |first: &str, second: &str| {
        format!(
            "class C {{ int v; C next; }} main(C head, C other, int n) {{
                C p := head; int i := 0; int j := 0;
                {first}
                C q := head;
                {second} }}"
        )
    };
    let search = "while (p != null) { if (p.v == 7) return; p := p.next; }";
    let each = |claim: &str| format!("while (q != null) {{ assert {claim}; q := q.next; }}");
    check(&walks(search, &each("q.v != 7")), "holds");
    check(&walks(search, &each("q.v != 8")), "violated: assert at 5");
    // From another start, it is another list, or a part of it.
    check(
        &walks(&search.replace("C p := head", ""), &format!("q := other; {}", each("q.v != 7"))),
        "violated: assert at 5",
    );
    let sorted = "while (p != null && p.next != null) { if (p.v > p.next.v) return; p := p.next; }";
    let pairs = |claim: &str| format!("while (q != null && q.next != null) {{ assert {claim}; q := q.next; }}");
    check(&walks(sorted, &pairs("q.v <= q.next.v")), "holds");
    check(&walks(sorted, &pairs("q.v < q.next.v")), "violated: assert at 5");
    // Both count the same objects.
    let count = "while (p != null) { i := i + 1; p := p.next; }";
    let again = |claim: &str| format!("while (q != null) {{ j := j + 1; q := q.next; }} assert {claim};");
    check(&walks(count, &again("i == j")), "holds");
    check(&walks(count, &again("i != 11")), "violated: assert at 5");
    // The second one skips some, or links change in between.
    let skipping = "while (q != null) { j := j + 1; if (q.v > 0) { q := q.next; } if (j > 50) return; } assert i == j;";
    check_open(&walks(count, skipping));
    let cut = "if (head != null) { head.next := null; }";
    check(&walks(&format!("{count} {cut}"), &again("i == j")), "violated: assert at 5");
    // What a walk writes is what the next one finds, unless it is written again.
    let write = "while (p != null) { p.v := 3; p := p.next; }";
    check(&walks(write, &each("q.v == 3")), "holds");
    check(
        &walks(&format!("{write} if (other != null) {{ other.v := 4; }}"), &each("q.v == 3")),
        "violated: assert at 5",
    );
    check(&walks(&write.replace("p.v := 3", "p.v := i; i := i + 1"), &each("q.v >= 0")), "holds");
}

/// Executions that need many iterations, of which the condition says how many.
#[test]
fn long_executions() {
    check(
        "main(int[] turns, int limit) {
            if (turns == null) return;
            int distance := 0; int strides := 0; int i := 0;
            while (distance < limit && i < #turns) {
                if (turns[i] > 0) { distance := distance + 7; strides := strides + 1; } else { distance := distance + 5; }
                i := i + 1;
            }
            assert strides != 60 || distance != 625;
        }",
        "violated: assert at 8",
    );
    // The order matters: nothing is taken from an empty stock.
    check(
        "main(bool[] makes) {
            if (makes == null) return;
            int stock := 0; int made := 0; int i := 0;
            while (i < #makes) {
                if (makes[i]) { stock := stock + 4; made := made + 4; } else { if (stock >= 7) { stock := stock - 7; } }
                i := i + 1;
            }
            assert stock != 0 || made != 280;
        }",
        "violated: assert at 8",
    );
}

/// The last iteration of a loop is left out only if it gets nowhere but to the head: not if it gets to a target before, or
/// leaves the activation on the way to one.
#[test]
fn last_iterations_that_do_not_come_back() {
    let check = |source: &str, expected: &str| {
        let program = oox(source);
        let found = summarised(&program, &assertions(&program, "Main.main", None), AMPLE);
        assert_eq!(shown(&program, &found), expected, "{source}");
    };
    let divides = |then: &str| {
        format!(
            "class T {{
                static void run(int n, bool fails) {{
                    int i := 0;
                    while (i < n) {{ int q := 10 / (i - 60); i := i + 1; }}
                    assert !fails;
                }}
            }}
            main(int n) {{ try {{ T.run(n, false); }} catch (e) {{ {then} }} }}"
        )
    };
    check(&divides("T.run(0, true);"), "violated: assert at 5");
    check(&divides("T.run(0, n < 61);"), "holds");
    check(&divides("assert n > 61;"), "violated: assert at 8");
    let over = |within: &str, behind: &str| {
        format!(
            "main(int n) {{
                bool over := false; int i := 0;
                while (!over) {{ assert {within}; if (i >= n) {{ over := true; }} else {{ i := i + 1; }} }}
                assert {behind};
            }}"
        )
    };
    check(&over("i != 61", "i >= n"), "violated: assert at 3");
    check(&over("i >= 0", "i >= n && (n <= 0 || i == n)"), "holds");
    check(&over("true", "i != 61"), "violated: assert at 4");
}

/// Before the first iteration that changes a variable, it is as at the entry, however many others there are.
#[test]
fn iterations_that_happen_once() {
    let once = |claim: &str| {
        format!(
            "main(int n) {{
                int l := 3; int i := 0;
                while (i < n) {{ if (i == 50) {{ l := l * 2 + 1; }} i := i + 1; }}
                assert {claim};
            }}"
        )
    };
    check(&once("l == 3 || l == 7"), "holds");
    check(&once("l == 3"), "violated: assert at 4");
    let several = "main(int n, int m) {
            int l := 3; int i := 0;
            while (i < n) { if (i == 50 || i == m) { l := l * 2 + 1; } i := i + 1; }
            assert l == 3 || l == 7;
        }";
    check(several, "violated: assert at 4");
}

/// The engines that unwind loops learn how many iterations the conditions allow.
#[test]
fn iterations_are_proposed() {
    let program = oox("main(int[] a, int n) {
            if (a == null || n > #a) return;
            int k := 0; int i := 0;
            while (i < n) { if (a[i] == 1) { k := k + 1; } i := i + 1; }
            assert k != 35;
        }");
    let query = everything(&program);
    let config = Config { loops: Loops::Light, ..limited(AMPLE) };
    let found = exploration(&program, &query, &config, &Default::default());
    assert_eq!(shown(&program, &found), "violated: assert at 5");
    let iterations = &config.budget.iterations;
    let proposed = iterations.load(Ordering::Relaxed);
    assert!((35..100).contains(&proposed), "{proposed}");

    let budget = Budget { iterations: Arc::clone(iterations), ..limited(AMPLE).budget };
    let unwound = |iterations: u32| {
        budget.iterations.store(iterations, Ordering::Relaxed);
        let config = aback_backward::Config { budget: budget.clone(), ..Default::default() };
        let found = backward(&program, &query, &config);
        assert_eq!(shown(&program, &found.exploration), "violated: assert at 5");
        found.unwinding
    };
    assert_eq!(unwound(36), 37);
    // This would be too many nodes.
    assert!((36..60).contains(&unwound(1_000_000_000)));
}

/// Each iteration of an inner loop has values of its own, also in unfolded iterations of the outer one. There are too many
/// iterations to follow a model, but unwinding within the conditions has only one way to go.
#[test]
fn inner_loops_with_several_ways() {
    check(
        "main(int n, int m) {
            int i := 0; int x := 0; int y := 0;
            while (i < n) {
                int j := 0;
                while (j < m) { if (j < 2) { x := x + 1; } else { y := y + 1; } j := j + 1; }
                i := i + 1;
            }
            assert n != 30000 || m != 4;
        }",
        "violated: assert at 8",
    );
}
