//! Bounds, and questions about places.

use crate::common::{AMPLE, entry_of, exploration, limited, oox, shown};
use aback_forward::{Config, Merging, Pruning, Search, Subsumption};
use aback_ir::Program;
use aback_symbolic::{Exploration, Gap, Query, Uncaught};
use rustc_hash::FxHashSet;

fn run(program: &Program, config: &Config, at: Option<u32>) -> Exploration {
    ask(program, config, at, Uncaught::Any)
}

fn ask(program: &Program, config: &Config, at: Option<u32>, uncaught: Uncaught) -> Exploration {
    let at = at.map(|line| {
        let points = aback_ir::analysis::points_at_line(program, "Main.oox", line).expect("code at the line");
        points.into_iter().collect::<FxHashSet<_>>()
    });
    let query = Query { entry: entry_of(program), assertions: true, uncaught, at };
    exploration(program, &query, config, &aback_smt::Config::default())
}

/// A bound on depth also counts the operations before a fork, so that it ends loops that fork in every iteration.
#[test]
fn depth_bounds_end_loops_and_are_reported() {
    let program = oox("main(int x) { int i := 0; while (i < x) { i := i + 1; } assert i >= x; }");
    for search in [Search::Breadth, Search::Depth, Search::Directed, Search::Random, Search::Coverage] {
        for pruning in [Pruning::Constant, Pruning::Never, Pruning::ADAPTIVE] {
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

/// A bound of iterations leaves no execution out that has no more, however states are joined or compared, and does not count iterations in
/// which nothing depends on inputs.
#[test]
fn bounds_of_iterations() {
    let unwinding = |most: u32| format!("gaps: loops and recursions of more than {most} iterations");
    let check = |code: &str, most: u32, expected: &str| {
        let program = oox(&format!("main(int n, int m) {{ {code} }}"));
        for (merging, subsumption) in [
            (Merging::Never, Subsumption::Never),
            (Merging::Never, Subsumption::Always),
            (Merging::Regions, Subsumption::Never),
            (Merging::Always, Subsumption::Never),
        ] {
            let config = Config { unwind: Some(most), merging, subsumption, ..limited(AMPLE) };
            let said = shown(&program, &run(&program, &config, None));
            assert!(said.starts_with(expected), "{code} {most} {merging:?} {subsumption:?}: {said}");
        }
    };
    let counting = "int i := 0; while (i < n) { i := i + 1; } assert i != 3;";
    check(counting, 2, &unwinding(2));
    check(counting, 3, "violated");
    // The program itself says how often this loop runs.
    check("int i := 0; while (i < 50) { i := i + 1; } assert i == 50;", 2, "holds");
    // The inner loop begins anew in each iteration of the outer one.
    let nested = "int i := 0; int k := 0; while (i < n) { int j := 0; while (j < m) { j := j + 1; k := k + 1; } i := i + 1; } assert k != 4;";
    check(nested, 1, &unwinding(1));
    check(nested, 2, "violated");
    // Paths with different numbers of iterations meet behind the loop, which runs again.
    let again = "int r := 0; int s := 0; while (r < 2) { int i := 0; while (i < n) { i := i + 1; s := s + 1; } r := r + 1; } assert s != 4;";
    check(again, 1, &unwinding(1));
    check(again, 2, "violated");
}

/// The solver is asked about as many branches as the probability says, and a branch that it excludes raises it.
#[test]
fn pruning_adapts_to_its_success() {
    let impossible: String =
        (0..9).map(|bit| format!("assume q{bit} >= 0; if (x > y + q{bit}) {{ r := r + 1; }}\n")).collect();
    let possible: String = (0..8).map(|bit| format!("if (p{bit} > x + y) {{ r := r + 1; }}\n")).collect();
    let inputs: String = (0..9).map(|bit| format!(", int p{bit}, int q{bit}")).collect();
    let source = |branches: &str| {
        let code = format!("assume y >= x; int r := 0; {branches} assert r < 100;");
        oox(&format!("main(int x, int y{inputs}) {{ {code} }}"))
    };
    let probability = |branches: &str, pruning: Pruning| {
        let program = source(branches);
        let found = run(&program, &Config { pruning, ..limited(AMPLE) }, None);
        assert_eq!(shown(&program, &found), "holds");
        found.work.prune_probability().expect("branches")
    };
    for branches in [&impossible, &possible] {
        assert_eq!(probability(branches, Pruning::Constant), 1.0);
        assert_eq!(probability(branches, Pruning::Never), 0.0);
        assert_eq!(probability(branches, Pruning::PROBABILISTIC), 0.25);
    }
    assert!(probability(&impossible, Pruning::ADAPTIVE) > 0.5);
    assert!(probability(&possible, Pruning::ADAPTIVE) < 0.4);
    assert!(probability(&possible, Pruning::EAGER) > probability(&possible, Pruning::ADAPTIVE));
}

/// The search that goes where few paths went gets to the end of one way although another one never ends.
#[test]
fn searches_that_do_not_stay_in_a_loop() {
    let program = oox("main(int x, int y) { int i := 0;
            if (x == 7) { while (y > 0) { i := i + 1; if (i % 3 == x) { i := i + 1; } } }
            if (x > 100) { if (x > 200) { if (x < 210) { assert y < 5; } } } }");
    for search in [Search::Breadth, Search::Directed, Search::Random, Search::Coverage] {
        for seed in 0..3 {
            let found = run(&program, &Config { search, seed, ..limited(20_000) }, None);
            assert_eq!(shown(&program, &found), "violated: assert at 3", "{search:?} {seed}");
        }
    }
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

/// What comes behind the line does not matter if control cannot get back to it, not even loops without an end. It gets
/// back through loops, later calls and handlers of exceptions.
#[test]
fn paths_end_where_control_flow_leads_away_from_the_line() {
    let tools =
        "class P extends Exception { } class T { static void ask(int x) exceptional(true) {\n assert x != 7;\n }
        static void raise(int x) exceptional(true) { T.ask(0); if (x == 7) { throw new P(); } while (true) { x := x; } }
        static void handle(int x) exceptional(true) { try { T.raise(x); } catch (P e) { T.ask(x); } } }";
    for (main, expected) in [
        ("T.ask(0); while (true) { x := x + 1; }", "holds"),
        ("T.raise(x);", "holds"),
        ("int i := 0; while (i < x) { T.ask(i); i := i + 1; }", "violated: assert at 2"),
        ("T.ask(0); T.ask(x); while (true) { x := x + 1; }", "violated: assert at 2"),
        ("T.handle(x);", "violated: assert at 2"),
    ] {
        let program = oox(&format!("{tools}\nmain(int x) {{ {main} }}"));
        for search in [Search::Breadth, Search::Directed] {
            let config = Config { search, depth: Some(1000), ..limited(AMPLE) };
            let found = ask(&program, &config, Some(2), Uncaught::Never);
            assert_eq!(shown(&program, &found), expected, "{main} {search:?}");
        }
    }
}

/// Whether a trap is possible that nobody asks about and no handler takes makes no difference, so that it is not asked.
#[test]
fn traps_that_nobody_asks_about() {
    let source = |claim: &str| {
        format!("main(int[] a, int i) {{ int sum := a[0] + a[1] + a[i] + a[i + 1]; assert {claim} || sum == 7; }}")
    };
    let paths = |claim: &str, uncaught: Uncaught| {
        let program = oox(&source(claim));
        let found = ask(&program, &Config { counterexamples: 100, ..limited(AMPLE) }, None, uncaught);
        (shown(&program, &found), found.work.paths)
    };
    assert_eq!(paths("#a > 1", Uncaught::Never), ("holds".into(), 1));
    let (found, all) = paths("#a > 1", Uncaught::Any);
    assert!(found.starts_with("violated") && all > 4, "{found}, {all} paths");
    assert_eq!(paths("#a > 2 && i != 1", Uncaught::Never).0, "violated: assert at 1");
}
