//! Tests that limits of the size of inputs hold for inputs only, on every engine and heap, and that proofs name them.

use crate::common::{
    AMPLE, OTHER_HEAPS, backward_verdict, backward_ways, everything, limited, oox, shown, summarised, verdict_with,
    with_heap,
};
use aback_ir::InputLimits;

#[track_caller]
fn check(source: &str, elements: Option<u32>, objects: Option<u32>, expected: &str) {
    let program = oox(source).with_input_limits(InputLimits { elements, objects });
    let query = everything(&program);
    let solver = aback_smt::Config::default();
    assert_eq!(verdict_with(&program, &limited(AMPLE), &solver), expected, "{source}");
    for heap in OTHER_HEAPS {
        assert_eq!(shown(&program, &with_heap(&program, &query, heap, AMPLE)), expected, "{heap:?}: {source}");
    }
    assert_eq!(shown(&program, &summarised(&program, &query, AMPLE)), expected, "summarised: {source}");
    for way in backward_ways() {
        assert_eq!(backward_verdict(&program, &query, way, AMPLE), expected, "{way:?}: {source}");
    }
}

const ELEMENTS: &str = "gaps: arrays of inputs have at most 3 elements";
const OBJECTS: &str = "gaps: inputs have at most 2 objects";

#[test]
fn arrays_of_inputs() {
    let long = "main(int[] a) { if (a != null) { assert #a < 4; } }";
    check(long, None, None, "violated: assert at 1");
    check(long, Some(3), None, ELEMENTS);
    check(long, Some(4), None, "violated: assert at 1");
    let inner = "main(int[][] a) { if (a != null && #a == 1 && a[0] != null) { assert #a[0] < 4; } }";
    check(inner, Some(4), None, "violated: assert at 1");
    check(inner, Some(3), None, ELEMENTS);
    // An array that no execution looks at.
    check("main(int[] a, int x) { assert x == x; }", Some(3), None, "holds");
}

#[test]
fn arrays_that_the_program_makes() {
    check(
        "main(int n) { if (n == 10) { int[] a := new int[n]; assert #a != 10; } }",
        Some(3),
        None,
        "violated: assert at 1",
    );
    // One or the other.
    check(
        "main(int[] a, bool b) { int[] c := a; if (b) { c := new int[5]; } if (c != null) { assert #c < 5; } }",
        Some(3),
        None,
        "violated: assert at 1",
    );
}

#[test]
fn objects_of_inputs() {
    let three = "class N { N next; } main(N a) {
        if (a == null || a.next == null || a.next == a) return;
        N b := a.next; N c := b.next;
        assert c == null || c == a || c == b; }";
    check(three, None, Some(3), "violated: assert at 4");
    check(three, None, Some(2), OBJECTS);
    check("class N { N next; } main(N a) { assert a == null; }", None, Some(0), "gaps: inputs have at most 0 objects");
    // The program makes as many as it likes.
    let made = "class N { N next; } main(N a) {
        N b := new N(); N c := new N(); N d := new N(); b.next := c; c.next := d; d.next := a;
        assert b.next.next != d || a == null; }";
    check(made, None, Some(2), "violated: assert at 3");
}
