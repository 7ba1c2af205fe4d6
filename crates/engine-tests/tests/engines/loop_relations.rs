//! Loops in any number of iterations: relations between variables that iterations keep, and sums.

use crate::common::{AMPLE, everything, ir, shown, summarised};
use crate::loops::{check, check_open};

#[test]
fn relations_that_iterations_keep() {
    // Sums over nested loops, of products, and of squares.
    let triangle = |claim: &str| {
        format!(
            "main(int n) {{
                 int cells := 0; int row := 0;
                 while (row < n) {{
                     row := row + 1;
                     int column := 0;
                     while (column < row) {{ cells := cells + 1; column := column + 1; }}
                 }}
                 assert {claim};
             }}"
        )
    };
    check(&triangle("2 * cells == row * (row + 1)"), "holds");
    check(&triangle("cells >= row"), "holds");
    check(&triangle("2 * cells != row * (row + 1) || row != 11"), "violated: assert at 8");
    check(
        "main(int n) {
             int i := 0; int s := 0; int p := 5;
             while (i < n) { s := s + i * i; p := p + 2 * i + 1; i := i + 1; }
             assert 6 * s == i * (i - 1) * (2 * i - 1);
             assert p == i * i + 5;
         }",
        "holds",
    );
    // What holds in many iterations only is no relation of all, and what relies on it is not known.
    let late = |claim: &str| {
        format!(
            "main(int n) {{
                 int i := 0; int s := 0; int t := 0;
                 while (i < n) {{
                     if (i < 5000) {{ s := s + i; }} else {{ s := s - 1; }}
                     t := t + s;
                     i := i + 1;
                 }}
                 assert {claim};
             }}"
        )
    };
    check_open(&late("2 * s == i * (i - 1)"));
    check_open(&late("s >= 0"));
    check_open(&late("t >= 0"));
}

/// Changes that are multiples of a number.
#[test]
fn multiples() {
    let product = |claim: &str| {
        format!("main(int n) {{ int i := 0; int p := 1; while (i < n) {{ p := p * 7; i := i + 1; }} assert {claim}; }}")
    };
    check(&product("p % 6 == 1"), "holds");
    check(&product("p != 8"), "holds");
}

#[test]
fn relations_of_machine_integers() {
    let main = |most: u32| {
        let text = format!(
            "class Main {{ static method main(n: i16) {{
                local row: i16
                local column: i16
                local cells: i16
              b0: row := 0i16\n cells := 0i16\n goto b1
              b1: if (row < n) & (n < {most}i16) goto b2 else b5
              b2: row := row + 1i16\n column := 0i16\n goto b3
              b3: if column < row goto b4 else b1
              b4: cells := cells + 1i16\n column := column + 1i16\n goto b3
              b5: assert cells >= row @ 7\n return
            }} }}"
        );
        let program = ir(&text);
        shown(&program, &summarised(&program, &everything(&program), AMPLE))
    };
    assert_eq!(main(200), "holds");
    // 300 rows have more cells than an `i16` can count.
    assert_ne!(main(300), "holds");
}

/// Relations with numbers that the loops do not change.
#[test]
fn relations_with_inputs() {
    let main = |start: &str, end: &str, claim: &str| {
        format!(
            "main(int n, int k) {{
                 assume n >= 0 && k >= 0;
                 int p := 0; int i := 0;
                 while (i != n) {{
                     int j := {start};
                     while (j != {end}) {{ p := p + 1; j := j + 1; }}
                     i := i + 1;
                 }}
                 assert {claim};
             }}"
        )
    };
    check(&main("0", "k", "p == n * k"), "holds");
    check(&main("i", "n", "2 * p == n * (n + 1)"), "holds");
    check(&main("i", "n", "i <= n"), "holds");
    check(&main("0", "k", "p != n * k || n != 3 || k != 4"), "violated: assert at 9");
}

/// A truth value says which way an iteration goes, so that the ways follow each other in one order only.
#[test]
fn ways_that_alternate() {
    let main = |start: &str, claim: &str| {
        format!(
            "main(int n) {{
                 bool left := {start}; int lefts := 0; int rights := 0;
                 while (lefts + rights < n) {{
                     if (left) {{ lefts := lefts + 1; }} else {{ rights := rights + 1; }}
                     left := !left;
                 }}
                 assert {claim};
             }}"
        )
    };
    check(&main("true", "lefts == rights || lefts == rights + 1"), "holds");
    check(&main("n > 7", "lefts - rights <= 1 && rights - lefts <= 1"), "holds");
    check(&main("true", "lefts == rights"), "violated: assert at 7");
    check(&main("true", "lefts == rights || n != 35"), "violated: assert at 7");
}

/// Two machine integers that have a limit together do not wrap around, and neither does their sum.
#[test]
fn sums_within_a_limit() {
    let main = |step: i16, claim: &str, time: u64| {
        let text = format!(
            "class Main {{ static method main(n: i16) {{
                local left: bool
                local a: i16
                local b: i16
              b0: left := true\n a := 0i16\n b := 0i16\n goto b1
              b1: if a + b < n goto b2 else b5
              b2: if left goto b3 else b4
              b3: left := false\n a := a + {step}i16\n goto b1
              b4: left := true\n b := b + 1i16\n goto b1
              b5: assert {claim} @ 7\n return
            }} }}"
        );
        let program = ir(&text);
        shown(&program, &summarised(&program, &everything(&program), time))
    };
    assert_eq!(main(1, "(a >= 0i16) & (b >= 0i16)", AMPLE), "holds");
    assert_eq!(main(1, "(a == b) | (a == b + 1i16)", AMPLE), "holds");
    // A step of three jumps over the limit, and may wrap around there.
    assert_ne!(main(3, "a >= 0i16", 2), "holds");
}

/// A sum of numbers that each iteration changes in the same way has a formula, though the numbers have none.
#[test]
fn sums_with_formulas() {
    let transfers = |claim: &str| {
        format!(
            "main(int[] amounts) {{
                 assume amounts != null;
                 int from := 1000; int to := 1000; int fees := 0; int i := 0;
                 while (i < #amounts) {{
                     int amount := amounts[i];
                     from := from - amount;
                     if (amount > 100) {{ to := to + amount - 2; fees := fees + 1; }} else {{ to := to + amount; }}
                     i := i + 1;
                 }}
                 assert {claim};
             }}"
        )
    };
    check(&transfers("from + to == 2000 - 2 * fees"), "holds");
    check(&transfers("from + to == 2000"), "violated: assert at 10");
    // The ways alternate, so that one is as frequent as the other, or once more.
    let switched = |claim: &str| {
        format!(
            "main(int[] temperatures) {{
                 assume temperatures != null;
                 bool on := false; int starts := 0; int i := 0;
                 while (i < #temperatures) {{
                     int now := temperatures[i];
                     if (!on && now < 18) {{ on := true; starts := starts + 1; }}
                     else {{ if (on && now > 22) {{ on := false; }} }}
                     i := i + 1;
                 }}
                 assert {claim};
             }}"
        )
    };
    check(&switched("on || starts != 45"), "violated: assert at 10");
    check(&switched("2 * starts <= i + 1"), "holds");
}

/// Congruences, orders and limits of numbers that go up and down.
#[test]
fn numbers_that_go_both_ways() {
    check(
        "main(bool[] puts) {
             assume puts != null;
             int head := 0; int tail := 0; int size := 0; int i := 0;
             while (i < #puts) {
                 if (puts[i]) { if (size < 8) { tail := (tail + 1) % 8; size := size + 1; } }
                 else { if (size > 0) { head := (head + 1) % 8; size := size - 1; } }
                 i := i + 1;
             }
             assert (head + size) % 8 == tail;
         }",
        "holds",
    );
    let clock = |claim: &str| {
        format!(
            "main(int ticks) {{
                 int minute := 0; int hour := 0; int tick := 0;
                 while (tick < ticks) {{
                     minute := minute + 1;
                     if (minute == 60) {{ minute := 0; hour := hour + 1; }}
                     tick := tick + 1;
                 }}
                 assert {claim};
             }}"
        )
    };
    check(&clock("60 * hour + minute == tick"), "holds");
    check(&clock("minute < 60"), "holds");
    check(&clock("minute < 59"), "violated: assert at 8");
    let deepest = |claim: &str| {
        format!(
            "main(int[] steps) {{
                 assume steps != null;
                 int depth := 0; int deepest := 0; int i := 0;
                 while (i < #steps) {{
                     if (steps[i] > 0) {{ depth := depth + 1; if (depth > deepest) {{ deepest := depth; }} }}
                     else {{ if (steps[i] < 0) {{ depth := depth - 1; }} }}
                     i := i + 1;
                 }}
                 assert {claim};
             }}"
        )
    };
    check(&deepest("depth <= deepest && deepest <= i"), "holds");
    check(&deepest("deepest < 40 || depth != 0"), "violated: assert at 9");
}

/// A sum that wraps around only after many iterations, each of which adds something else.
#[test]
fn sums_that_wrap_around_late() {
    let text = "class E {
        }
        trap IndexOutOfBounds E
        trap NullDereference E
        class Main { static method main(gifts: i16[]) {
            local total: i16
            local i: int
            local length: int
            local gift: i16
          b0: assume gifts != null
              length := gifts.length
              total := 0i16
              i := 0
              goto b1
          b1: if i < length goto b2 else b4
          b2: gift := gifts[i]
              i := i + 1
              if (0i16 <= gift) & (gift <= 500i16) goto b3 else b1
          b3: total := total + gift
              goto b1
          b4: assert total >= 0i16 @ 7
              return
        } }";
    let program = ir(text);
    assert_eq!(shown(&program, &summarised(&program, &everything(&program), AMPLE)), "violated: assert at 7");
}

/// A number without a formula has the value of the entry behind no iterations, and otherwise what the last one gives it.
#[test]
fn numbers_that_every_iteration_changes() {
    let sum = |claim: &str| {
        format!(
            "main(int[] a) {{
                if (a == null) return;
                int sum := 0; int i := 0;
                while (i < #a && sum < 10 && 0 <= a[i] && a[i] <= 7) {{ sum := sum + a[i]; i := i + 1; }}
                assert {claim};
            }}"
        )
    };
    check(&sum("sum <= 16"), "holds");
    check(&sum("i > 0 || sum == 0"), "holds");
    check(&sum("sum <= 15"), "violated: assert at 5");
    check(&sum("sum < 10"), "violated: assert at 5");
}
