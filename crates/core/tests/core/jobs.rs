//! The same verdict with any number of threads, and the same counterexample each time with one.

use aback_core::{CheckConfig, Effort, Engine, Line, LoadConfig, Session, Violations};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A line that several methods lead to.
const SHARED: &str = "class Main {
    static int check(int x) {
        assert CLAIM;
        return x;
    }
    static void small(int x) { if (x < 10) { int y := Main.check(x); } }
    static void even(int x) { int y := Main.check(2 * x); }
    static void loop(int x) { int i := 0; while (i < x) { i := i + 2; int y := Main.check(i); } }
    static void none(int x) { int y := Main.check(7); }
}";

fn session(text: &str) -> Session {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Main.oox");
    std::fs::write(&file, text).unwrap();
    Session::open(&[file], &LoadConfig::default()).unwrap()
}

/// A question about line 3, or about the main method if `at` is false.
fn config(session: &Session, at: bool, engine: Engine, jobs: usize) -> CheckConfig {
    CheckConfig {
        at: at.then(|| Line { file: "Main.oox".into(), line: 3 }),
        violations: Violations::in_language(session.program(), false),
        timeout: Some(Duration::from_secs(60)),
        engine,
        jobs,
        ..CheckConfig::default()
    }
}

#[track_caller]
fn check(text: &str, at: bool, expected: &str) {
    let session = session(text);
    for engine in [Engine::Forward, Engine::Auto] {
        for jobs in [1, 2, 5] {
            let config = config(&session, at, engine, jobs);
            for attack in [Effort::None, Effort::Time] {
                let answer = session.check(&CheckConfig { attack, ..config.clone() }).unwrap();
                let reason = answer.reason(session.program());
                assert_eq!(answer.said(), expected, "{engine}, {jobs} jobs: {reason}");
                assert!(answer.more.is_empty());
            }
        }
    }
}

#[test]
fn several_entry_points() {
    // Most entry points have a counterexample, few have one, and none has one.
    for (claim, expected) in [("x != 7", "violated"), ("x != 12345678", "violated"), ("x % 4 < 4", "holds")] {
        check(&SHARED.replace("CLAIM", claim).replace("while (i < x)", "if (i < x)"), true, expected);
    }
}

#[test]
fn engines_side_by_side() {
    let main = |body: &str| format!("class Main {{ static void main(int x, int y) {{ {body} }} }}");
    check(&main("assert x * x != 49;"), false, "violated");
    check(&main("int z := x; if (x < y) { z := y; } assert z >= x && z >= y;"), false, "holds");
}

#[test]
fn one_job_has_one_counterexample() {
    let session = session(&SHARED.replace("CLAIM", "x != 14"));
    let shown = |engine| {
        let answer = session.check(&config(&session, true, engine, 1)).unwrap();
        let violation = answer.violation.unwrap();
        (violation.shown_inputs, violation.entry, answer.work)
    };
    assert_eq!(shown(Engine::Forward), shown(Engine::Forward));
    assert_eq!(shown(Engine::Backward), shown(Engine::Backward));
}

/// With a bound of operations, nothing depends on how fast the machine is, also where many paths and inputs violate the same assertion,
/// loops are looked at, and inputs are made smaller.
#[test]
fn a_bound_of_operations_has_one_counterexample() {
    let session = session(
        "class Main { static void main(int[] a, int x) {
            assume a != null && #a <= 6;
            int s := 0;
            int i := 0;
            while (i < #a) {
                if (a[i] > x) { s := s + a[i]; } else { s := s - 1; }
                i := i + 1;
            }
            assert s != 40 && s != -5;
        } }",
    );
    for engine in [Engine::Forward, Engine::Auto] {
        let config = CheckConfig { operations: Some(200_000), timeout: None, ..config(&session, false, engine, 4) };
        let shown = || {
            let answer = session.check(&config).unwrap();
            let violation =
                answer.violation.as_ref().unwrap_or_else(|| panic!("{engine}: {}", answer.reason(&answer.program)));
            (violation.shown_inputs.clone(), answer.work.paths, answer.work.operations)
        };
        let first = shown();
        for _ in 0..3 {
            assert_eq!(shown(), first, "{engine}");
        }
    }
}

#[test]
fn entry_points_that_were_not_looked_at_are_open() {
    let session = session(&SHARED.replace("CLAIM", "x % 4 < 4"));
    for jobs in [1, 2, 5] {
        let interrupt = Arc::new(AtomicBool::new(true));
        let config = CheckConfig { interrupt, ..config(&session, true, Engine::Forward, jobs) };
        let answer = session.check(&config).unwrap();
        assert_eq!((answer.said(), answer.reason(session.program()).as_str()), ("unknown", "interrupted"), "{jobs}");
    }
}
