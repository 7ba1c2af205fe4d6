//! Bounds, and questions about places.

use crate::common::{AMPLE, entry_of, exploration, limited, oox, shown};
use aback_forward::{Config, Pruning, Search};
use aback_ir::Program;
use aback_symbolic::{Gap, Query};
use rustc_hash::FxHashSet;

fn run(program: &Program, config: &Config, at: Option<u32>) -> aback_symbolic::Exploration {
    let at = at.map(|line| {
        let points = aback_ir::analysis::points_at_line(program, "Main.oox", line).expect("code at the line");
        points.into_iter().collect::<FxHashSet<_>>()
    });
    let query = Query { entry: entry_of(program), assertions: true, uncaught: aback_symbolic::Uncaught::Any, at };
    exploration(program, &query, config, &aback_smt::Config::default())
}

/// A bound on depth also counts the operations before a fork, so that it ends loops that fork in every iteration.
#[test]
fn depth_bounds_end_loops_and_are_reported() {
    let program = oox("main(int x) { int i := 0; while (i < x) { i := i + 1; } assert i >= x; }");
    for search in [Search::Breadth, Search::Depth, Search::Directed] {
        for pruning in [Pruning::Constant, Pruning::Never] {
            let found = run(&program, &Config { search, pruning, depth: Some(300), ..limited(AMPLE) }, None);
            assert_eq!(found.gaps, [Gap::Depth(300)], "{search:?} {pruning:?}");
            assert!(found.gaps.iter().all(Gap::is_bound) && found.violation.is_none());
            assert!(found.work.depth <= 300);
        }
    }
    let endless = oox("main(int x) { while (true) { x := x + 1; } }");
    let found = run(&endless, &Config { depth: Some(1000), ..limited(AMPLE) }, None);
    assert_eq!(shown(&endless, &found), "gaps: paths of more than 1000 operations");
    let short = oox("main(int x) { assert x == x; }");
    let found = run(&short, &Config { depth: Some(1000), ..limited(AMPLE) }, None);
    assert_eq!(shown(&short, &found), "holds");
}

#[test]
fn only_violations_at_the_place_of_the_question_count() {
    let program = oox("main(int x) {\n assert x != 1;\n assert x != 2;\n int y := 1 / x;\n assert x != 1; }");
    for (line, expected) in [
        (2, "violated: assert at 2"),
        (3, "violated: assert at 3"),
        (4, "violated: division by zero at 4"),
        (5, "holds"),
    ] {
        assert_eq!(shown(&program, &run(&program, &limited(AMPLE), Some(line))), expected, "line {line}");
    }
}

#[test]
fn a_place_inside_of_a_method_with_a_contract_can_be_asked_about() {
    let program = oox("class Tools { static int first(int[] a) exceptional(true) {\n int x := a[0];\n return x; } }
        main(int[] a) { int x := Tools.first(a); }");
    assert_eq!(shown(&program, &run(&program, &limited(AMPLE), Some(2))), "violated: null dereference at 2");
}
