//! Loops and recursion: tests whether an answer covers all executions.

use crate::common::{assertions, backward, everything_from, oox, shown};
use aback_backward::{Config, Variant};

const VARIANTS: [Variant; 8] = [
    Variant::ConjNever,
    Variant::ConjLoops,
    Variant::ConjAlways,
    Variant::DisjTerm,
    Variant::DisjCombined,
    Variant::DisjSet,
    Variant::Mixed,
    Variant::Paths,
];

/// Checks that all variants give this answer for `Main.main`, with loops unwound up to this bound.
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

/// The cut-off is part of the question: if no input reaches it, the loop has no more iterations.
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

/// Iterations that constants decide do not count, or count little if the loop may also end earlier.
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

/// Paper 1, figure 1, line 6: a condition that a solver refutes on the way is not carried further. If all of them are
/// refuted, no question remains at the entry point.
#[test]
fn asking_on_the_way_prunes() {
    let program = oox("main(int x, int y) { if (x > y) { y := y * 2; if (x * x < 0) { assert false; } } }");
    let query = everything_from(&program, "Main.main");
    for (variant, is_asked) in [(Variant::ConjNever, true), (Variant::ConjLoops, true), (Variant::ConjAlways, false)] {
        // Intervals would decide the branch before.
        let found = backward(&program, &query, &Config { variant, branch_facts: false, ..Config::default() });
        assert_eq!(shown(&program, &found.exploration), "holds", "{variant:?}");
        assert_eq!(found.size > 0, is_asked, "{variant:?}");
    }
}

/// Code that cannot lead to the target is not unwound: code after it, other ends, and loops on the way to them.
#[test]
fn only_what_leads_to_the_target_is_unwound() {
    let target = "assert x != 7;";
    let nodes = |around: &str| {
        let program = oox(&around
            .replace("TARGET", target)
            .replace("LOOP", "while (y > 0) { y := y - x; if (y == 3) { x := 1; } }"));
        let query = assertions(&program, "Main.main", None);
        let found = backward(&program, &query, &Config::default());
        assert_eq!(shown(&program, &found.exploration), "violated: assert at 1", "{around}");
        assert_eq!(found.unwinding, 1, "{around}");
        found.nodes
    };
    let alone = nodes("main(int x, int y) { TARGET }");
    assert_eq!(nodes("main(int x, int y) { TARGET LOOP }"), alone);
    assert_eq!(nodes("main(int x, int y) { TARGET after(x, y); } static void after(int x, int y) { LOOP }"), alone);
    let aside = nodes("main(int x, int y) { if (y == 1) { LOOP return; } TARGET }");
    assert_eq!(nodes("main(int x, int y) { if (y == 1) { return; } TARGET }"), aside);
    assert!(nodes("main(int x, int y) { if (y == 1) { LOOP } TARGET }") > aside);
}

/// Code that the target does not depend on is not unwound either: loops, calls and operations with unneeded results.
#[test]
fn only_what_matters_for_the_target_is_unwound() {
    let holds = |body: &str| {
        let program = oox(body);
        let query = assertions(&program, "Main.main", None);
        let found = backward(&program, &query, &Config::default());
        assert_eq!(shown(&program, &found.exploration), "holds", "{body}");
        found
    };
    let sum = "int s := 0; while (y > 0) { s := s + y; y := y - x; }";
    let found = holds(&format!("main(int x, int y) {{ {sum} assert x != x + 1; }}"));
    assert_eq!(found.unwinding, 1);
    let called = holds(&format!(
        "main(int x, int y) {{ sum(x, y); assert x != x + 1; }} static void sum(int x, int y) {{ {sum} }}"
    ));
    assert_eq!(called.nodes, found.nodes);
    // The engine does not assume that omitted operations never end the execution.
    holds("main(int x) { int y := 1 / x; if (x == 0) { assert false; } }");
    holds("main(int x) { int[] a := new int[3]; int y := a[x]; if (x > 2) { assert false; } }");
    holds("class A { int f; } main(A a) { int y := a.f; if (a == null) { assert false; } }");
    holds(
        "class Main { static void main(int x) { stop(x); if (x == 0) { assert false; } }
         static void stop(int x) { if (x == 0) { throw new Exception(); } } }",
    );
}

/// A program with 2ⁿ paths to a false assertion, of which none is possible for the same reason.
fn doubling(count: usize) -> String {
    let forks: String = (0..count).map(|at| format!("if (a[{at}] > 0) {{ s := s + 2; }} ")).collect();
    format!(
        "main(int[] a, int x) {{ assume a != null && #a == {count}; int s := 0; int y := x * 2; {forks} assert y % 2 == 0; }}"
    )
}

/// The first contradictory path to a join excludes all others with the same suffix, so that paths do not double with each
/// branch.
#[test]
fn contradictions_exclude_other_paths() {
    let program = oox(&doubling(12));
    let query = assertions(&program, "Main.main", None);
    for learns in [true, false] {
        let config = Config { variant: Variant::Paths, learns, slice: false, ..Config::default() };
        let found = backward(&program, &query, &config);
        assert_eq!(shown(&program, &found.exploration), "holds", "learns: {learns}");
        let work = found.exploration.work;
        assert_eq!(work.backward.excluded > 0, learns);
        assert_eq!(work.paths < 100, learns, "{}", work.paths);
    }
}

/// A node to which some path is possible excludes nothing, although other paths to it are contradictory: the search for
/// further counterexamples comes there again.
#[test]
fn possible_paths_teach_nothing() {
    let program = oox("main(int x, bool p, bool q) { int y := 0; if (p) { y := 1; } else { y := x; }
        if (q) { x := x + 1; } else { x := x + 2; } assert y != 5 || x > 100; }");
    let query = assertions(&program, "Main.main", None);
    for learns in [true, false] {
        let config = Config { variant: Variant::Paths, learns, slice: false, counterexamples: 2, ..Config::default() };
        let found = backward(&program, &query, &config).exploration;
        assert!(found.violation.is_some() && found.more.len() == 1, "learns: {learns}");
    }
}

/// The answer with facts from branches, and the number of branches that these decide.
#[track_caller]
fn with_branch_facts(source: &str, expected: &str) -> u64 {
    let program = oox(source);
    let query = everything_from(&program, "Main.main");
    let [with, without] = [true, false].map(|branch_facts| {
        let config = Config { branch_facts, unwind: Some(3), ..Config::default() };
        let found = backward(&program, &query, &config);
        assert_eq!(shown(&program, &found.exploration), expected, "with them: {branch_facts}");
        found.exploration.work.backward
    });
    assert_eq!(without.decided, 0);
    assert!(with.nodes <= without.nodes, "{} of {}", with.nodes, without.nodes);
    with.decided
}

/// What branches say decides later branches: intervals, conditions that were tested before, and lengths that were read.
#[test]
fn branches_decide_later_branches() {
    assert!(with_branch_facts("main(int x) { if (x > 5) { if (x + 1 < 3) { assert false; } } }", "holds") > 0);
    let again = "main(int x, int y) { if (x < y) { x := x; if (x >= y) { assert false; } } }";
    assert!(with_branch_facts(again, "holds") > 0);
    let lengths = "main(int[] a, int i) { if (a != null && i >= 0 && i < #a) { a[i] := 1; a[i] := 2; } }";
    assert!(with_branch_facts(lengths, "holds") > 0);
    let joined = "main(int x, bool p) { int y := 3; if (p) { assume x > 4; y := x; } if (y < 2) { assert false; } }";
    assert!(with_branch_facts(joined, "holds") > 0);
}

/// Facts about a variable end where it is set, and where ways join of which one does not have them.
#[test]
fn facts_from_branches_end() {
    let set = "main(int x) { if (x > 5) { x := x - 10; if (x < 3) { assert false; } } }";
    with_branch_facts(set, "violated: assert at 1");
    let other = "main(int[] a, int[] b) { if (a != null && b != null && #a == 3) { a := b; assert #a == 3; } }";
    with_branch_facts(other, "violated: assert at 1");
    let condition = "main(int x, int y) { if (x < y) { y := y - 1; assert x < y; } }";
    with_branch_facts(condition, "violated: assert at 1");
    let joined = "main(int x, bool p) { int y := 3; if (p) { y := x; } if (y < 2) { assert false; } }";
    with_branch_facts(joined, "violated: assert at 1");
    let either = "main(int x, bool p) { if (p) { assume x > 4; } else { assume x > 1; } assert x > 2; }";
    with_branch_facts(either, "violated: assert at 1");
}

/// Iterations that facts from branches continue count like others, because they may do so forever.
#[test]
fn facts_from_branches_end_no_bound() {
    let forever = "main(int x) { while (x > 0) { x := x + 1; } assert x <= 0; }";
    let decided = with_branch_facts(forever, "gaps: loops and recursions of more than 3 iterations");
    assert!(decided > 0);
}
