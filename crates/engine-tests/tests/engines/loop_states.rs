//! Limits of numbers in each state of a loop: programs with known answers.

use crate::common::{AMPLE, everything, oox, shown, summarised};

/// Time for an answer that does not come, in seconds.
const SHORT: u64 = 3;

/// Checks what summaries of loops say about an OOX program.
#[track_caller]
fn check(source: &str, expected: &str) {
    let program = oox(source);
    assert_eq!(shown(&program, &summarised(&program, &everything(&program), AMPLE)), expected, "{source}");
}

/// Checks that summaries of loops do not prove what an execution with many iterations violates. They may find it or not.
#[track_caller]
fn check_violated(source: &str) {
    let program = oox(source);
    let found = shown(&program, &summarised(&program, &everything(&program), SHORT));
    assert_ne!(found, "holds", "{source}");
}

/// A tank whose pump needs one turn to start, in locals. From 72, it takes one more turn without the pump: 75. From 31, the pump goes
/// on for one more turn: 25.
fn tank(claim: &str) -> String {
    format!(
        "main(int[] inflows, int start) {{
            if (inflows == null || start < 40 || start > 60) return;
            bool draining := false; int pump := 0; int level := start; int i := 0;
            while (i < #inflows) {{
                int inflow := inflows[i];
                if (inflow < 0 || inflow > 3) {{ return; }}
                if (level >= 70) {{ draining := true; }} else {{ if (level <= 30) {{ draining := false; }} }}
                if (!draining) {{ pump := 0; }} else {{ if (pump == 0) {{ pump := 1; }} else {{ pump := 2; }} }}
                if (pump == 2) {{ level := level + inflow - 6; }} else {{ level := level + inflow; }}
                i := i + 1;
            }}
            assert {claim};
        }}"
    )
}

#[test]
fn limits_in_each_state() {
    check(&tank("level <= 75"), "holds");
    check(&tank("level >= 25"), "holds");
    check(&tank("draining || pump == 0"), "holds");
    check(&tank("pump != 1 || level >= 70"), "holds");
}

#[test]
fn limits_that_are_one_too_narrow() {
    check_violated(&tank("level <= 74"));
    check_violated(&tank("level >= 26"));
    check_violated(&tank("pump != 2 || level < 72"));
}

/// The state is a reference to one of three objects, and all is in fields.
fn machine(claim: &str) -> String {
    format!(
        "class Mode {{ int flow; }}
        class Tank {{ int level; Mode mode; bool draining; }}
        main(int[] inflows) {{
            if (inflows == null) return;
            Mode off := new Mode(); Mode starting := new Mode(); Mode running := new Mode(); running.flow := 6;
            Tank tank := new Tank(); tank.level := 40; tank.mode := off; int i := 0;
            while (i < #inflows) {{
                int inflow := inflows[i];
                if (inflow < 0 || inflow > 3) {{ return; }}
                if (tank.level >= 70) {{ tank.draining := true; }}
                else {{ if (tank.level <= 30) {{ tank.draining := false; }} }}
                if (!tank.draining) {{ tank.mode := off; }}
                else {{ if (tank.mode == off) {{ tank.mode := starting; }} else {{ tank.mode := running; }} }}
                Mode mode := tank.mode;
                tank.level := tank.level + inflow - mode.flow;
                assert {claim};
                i := i + 1;
            }}
        }}"
    )
}

#[test]
fn states_in_fields_of_objects() {
    check(&machine("tank.level >= 25 && tank.level <= 75"), "holds");
    check(&machine("tank.draining || tank.mode == off"), "holds");
    check_violated(&machine("tank.level <= 74"));
}

/// A limit that is far away is one of the constants of the loop, or near one: it is not counted up to.
#[test]
fn limits_that_are_far_away() {
    let source = |claim: &str| {
        format!(
            "main(bool[] pauses) {{
                if (pauses == null) return;
                bool up := true; int x := 0; int i := 0;
                while (i < #pauses) {{
                    if (!pauses[i]) {{
                        if (up) {{ x := x + 3; if (x >= 1000) {{ up := false; }} }}
                        else {{ x := x - 7; if (x <= 100) {{ up := true; }} }}
                    }}
                    i := i + 1;
                }}
                assert {claim};
            }}"
        )
    };
    check(&source("x >= 0 && x <= 1002"), "holds");
    check(&source("up || x > 100"), "holds");
    check_violated(&source("up || x < 1002"));
}

/// Without limits, or with one in one direction.
#[test]
fn numbers_without_limits() {
    let source = |claim: &str| {
        format!(
            "main(int[] steps) {{
                if (steps == null) return;
                bool up := true; int x := 10; int i := 0;
                while (i < #steps) {{
                    int step := steps[i];
                    if (step < 0 || step > 2) {{ return; }}
                    if (up) {{ x := x + 5; up := false; }} else {{ x := x - step; up := true; }}
                    i := i + 1;
                }}
                assert {claim};
            }}"
        )
    };
    check(&source("x >= 10"), "holds");
    check(&source("up || x >= 15"), "holds");
    check_violated(&source("x <= 40"));
    check_violated(&source("up || x >= 16"));
}
