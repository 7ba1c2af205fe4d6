//! Loops that are unwound on the inputs that the conditions of all iterations leave open.

use crate::common::{AMPLE, everything, oox, shown, summarised};

/// Checks what summaries of loops, and unwinding within their conditions, say about an OOX program.
#[track_caller]
fn check(source: &str, expected: &str) {
    let program = oox(source);
    let time = if expected.starts_with("gaps") { 3 } else { AMPLE };
    assert_eq!(shown(&program, &summarised(&program, &everything(&program), time)), expected, "{source}");
}

/// The conditions have no formula for `j`, but allow few iterations only, so that unwinding is a proof.
#[test]
fn what_remains_is_covered() {
    let halves = |claim: &str| {
        format!(
            "main(int n) {{ int i := 0; int j := 7;
                while (i < n) {{ if (j % 2 == 0) {{ j := j / 2; }} else {{ j := 3 * j + 1; }} i := i + 1; }}
                assert {claim}; }}"
        )
    };
    check(&halves("n > 6 || j != 6"), "holds");
    check(&halves("n > 6 || j != 26"), "violated: assert at 3");
}

/// Executions through a loop without a summary are among those that remain.
#[test]
fn loops_without_a_summary_remain() {
    let source = |claim: &str| {
        format!(
            "class Node {{ Node next; int value; Node(Node next, int value) {{ this.next := next; this.value := value; }} }}
             class Main {{ static void main(int n, int m) {{
                if (m < 0) {{
                    Node list := null; int i := 0;
                    while (i < n) {{ list := new Node(list, i); i := i + 1; }}
                    assert {claim};
                }} else {{
                    int i := 0; int j := 7;
                    while (i < n) {{ if (j % 2 == 0) {{ j := j / 2; }} else {{ j := 3 * j + 1; }} i := i + 1; }}
                    assert n > 4 || j != 6;
                }}
             }} }}"
        )
    };
    check(&source("n != 3"), "violated: assert at 6");
    check(&source("n > 3 || n < 1 || list.value == n - 1"), "gaps: any number of iterations of loops");
}
