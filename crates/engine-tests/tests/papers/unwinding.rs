//! Loops and recursion: when an answer covers all executions, and when it does not.

use crate::common::{assertions, backward, everything_from, oox, shown};
use aback_backward::{Config, Variant};

const VARIANTS: [Variant; 7] = [
    Variant::ConjNever,
    Variant::ConjLoops,
    Variant::ConjAlways,
    Variant::DisjTerm,
    Variant::DisjCombined,
    Variant::DisjSet,
    Variant::Paths,
];

/// Checks what all variants say to `Main.main`, with loops unwound so often.
#[track_caller]
fn check(source: &str, unwind: Option<u32>, expected: &str) {
    let program = oox(source);
    let query = assertions(&program, "Main.main", None);
    for variant in VARIANTS {
        for facts in [true, false] {
            let config = Config { variant, facts, unwind, ..Config::default() };
            let found = backward(&program, &query, &config).exploration;
            assert_eq!(shown(&program, &found), expected, "{variant:?}, facts: {facts}");
        }
    }
}

fn counting(bound: &str) -> String {
    format!(
        "main(int n) {{ {bound} int i := 0; while (i < n) {{ i := i + 1; }}
        assert i <= 3; }}"
    )
}

/// The cut-off is part of the question: where no input reaches it, the loop has no more iterations.
#[test]
fn a_loop_whose_bound_follows_is_proved() {
    for unwind in [None, Some(3), Some(9)] {
        check(&counting("assume n <= 3;"), unwind, "holds");
    }
    check(&counting("assume n <= 3;"), Some(2), "gaps: loops and recursions of more than 2 iterations");
}

#[test]
fn a_loop_without_a_bound_is_not() {
    let endless = "main(int n) { int i := 0; while (i < n) { i := i + 1; } assert i >= 0; }";
    for unwind in 1..=4 {
        check(endless, Some(unwind), &format!("gaps: loops and recursions of more than {unwind} iterations"));
    }
}

#[test]
fn a_violation_is_found_as_deep_as_it_is() {
    check(&counting(""), None, "violated: assert at 2");
    check(&counting(""), Some(4), "violated: assert at 2");
    check(&counting(""), Some(3), "gaps: loops and recursions of more than 3 iterations");
}

fn recursion(bound: &str) -> String {
    format!(
        "class Recursion {{ static int depth(int n) {{ if (n <= 0) return 0; int below := depth(n - 1); return below + 1; }} }}
        class Main {{ static void main(int n) {{ {bound} int d := Recursion.depth(n);
        assert d <= 3; }} }}"
    )
}

#[test]
fn recursion_is_unwound_like_a_loop() {
    check(&recursion("assume n <= 3;"), None, "holds");
    check(&recursion(""), None, "violated: assert at 3");
    check(&recursion("assume n <= 9;"), Some(2), "gaps: loops and recursions of more than 2 iterations");
}

/// Iterations that constants decide do not count, or little where the loop may also end earlier.
#[test]
fn loops_over_constants_are_unwound_whole() {
    for condition in ["i < 30", "n != 0 && i < 30", "!(i >= 30 || n == 0)"] {
        let program = oox(&format!(
            "main(int n) {{ int i := 0; while ({condition}) {{ n := n + 2; i := i + 1; }} assert i != 30 || n != 67; }}"
        ));
        let query = assertions(&program, "Main.main", None);
        let found = backward(&program, &query, &Config { unwind: Some(1), ..Config::default() });
        assert_eq!(shown(&program, &found.exploration), "violated: assert at 1", "{condition}");
    }
}

/// Paper 1, figure 1, line 6: what a solver finds to be unreachable on the way is not carried further. Where that is everything,
/// nothing is left to ask at the entry point.
#[test]
fn asking_on_the_way_prunes() {
    let program = oox("main(int x, int y) { if (x > y) { y := y * 2; if (x * x < 0) { assert false; } } }");
    let query = everything_from(&program, "Main.main");
    for (variant, is_asked) in [(Variant::ConjNever, true), (Variant::ConjLoops, true), (Variant::ConjAlways, false)] {
        let found = backward(&program, &query, &Config { variant, ..Config::default() });
        assert_eq!(shown(&program, &found.exploration), "holds", "{variant:?}");
        assert_eq!(found.size > 0, is_asked, "{variant:?}");
    }
}
