//! The behaviours of entry points.

use aback_core::{
    CheckConfig, ConfirmConfig, Coverage, End, Explored, InvariantFile, LoadConfig, Loops, Sandboxing, Session,
};
use aback_forward::HeapKind;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn session(extension: &str, source: &str) -> Session {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("Main.{extension}"));
    std::fs::write(&file, source).unwrap();
    Session::open(&[file], &LoadConfig::default()).unwrap()
}

fn explore(session: &Session, invariants: Option<&str>, most: usize) -> Explored {
    let file = |text: &str| Arc::new(InvariantFile { path: "main.hex".into(), text: text.into() });
    let config = CheckConfig {
        entry: Some("Main.f".into()),
        heap: HeapKind::Lazy,
        operations: Some(1_000_000),
        invariants: invariants.map(file),
        ..CheckConfig::default()
    };
    session.explore(&config, most).unwrap()
}

/// The behaviours in a line each, sorted, and the reason why there may be others.
fn lines(explored: &Explored) -> Vec<String> {
    let list = |all: &[(String, String)]| {
        all.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
    };
    let mut lines: Vec<String> = explored
        .behaviours
        .iter()
        .map(|found| {
            let end = match &found.end {
                End::Returned(result) => result.clone().unwrap_or_else(|| "nothing".into()),
                End::AssertionFailed(place) => format!("assertion {}", place.span.line),
                End::Uncaught { class, origin, .. } => format!("{class} {}", origin.span.line),
            };
            let after = if found.after.is_empty() { String::new() } else { format!(" -> {}", list(&found.after)) };
            format!("{}{after}: {end}", list(&found.inputs))
        })
        .collect();
    lines.sort();
    lines
}

#[track_caller]
fn check(extension: &str, source: &str, invariants: Option<&str>, expected: &[&str]) {
    let explored = explore(&session(extension, source), invariants, 100);
    assert_eq!(lines(&explored), expected, "{}", explored.reason());
    assert_eq!(explored.reason(), "");
}

const NODE: &str = "class Node { int v; Node next; }";

#[test]
fn shapes_and_ends() {
    let program = format!(
        "{NODE} class Main {{ static int f(Node n, int k) {{
            if (k == 7) {{ assert n != null; }}
            if (n.next == n) {{ n.v := k; }}
            return k; }} }}"
    );
    check(
        "oox",
        &program,
        None,
        &[
            "n = Node#1 { v = 0, next = Node#1 }, k = 0: 0",
            "n = Node#1 { v = 0, next = Node#1 }, k = 7 -> n = Node#1 { v = 7, next = Node#1 }: 7",
            "n = Node#1 { v = 0, next = Node#2 { v = 0, next = null } }, k = 0: 0",
            "n = Node#1 { v = 0, next = Node#2 { v = 0, next = null } }, k = 7: 7",
            "n = Node#1 { v = 0, next = null }, k = 0: 0",
            "n = Node#1 { v = 0, next = null }, k = 7: 7",
            "n = null, k = 0: NullPointerException 3",
            "n = null, k = 7: assertion 2",
        ],
    );
}

/// Paper 3, figures 1 and 2: the list is null, has one node, or more.
#[test]
fn invariants_exclude_shapes() {
    let program = format!(
        "{NODE} class Main {{ static int f(Node list) {{
            Node second := list.next;
            if (second == list) {{ return 1; }}
            if (second.next == list) {{ return 2; }}
            return 3; }} }}"
    );
    let circular = "root.list not null; root.list(.next)+ not null; root.list(.next)+ aliases root.list;";
    check(
        "oox",
        &program,
        Some(circular),
        &[
            "list = Node#1 { v = 0, next = Node#1 }: 1",
            "list = Node#1 { v = 0, next = Node#2 { v = 0, next = Node#1 } }: 2",
            "list = Node#1 { v = 0, next = Node#2 { v = 0, next = Node#3 { v = 0, next = Node#1 } } }: 3",
        ],
    );
    assert!(explore(&session("oox", &program), None, 100).behaviours.len() > 6);
}

/// Paths that differ only within the library are one behaviour.
#[test]
fn paths_of_libraries() {
    let source = "class Main { static int f(String s) { return s.length() > 2 ? s.substring(1).length() : 0; } }";
    let explored = explore(&session("java", source), None, 100);
    let ends: Vec<&End> = explored.behaviours.iter().map(|found| &found.end).collect();
    assert_eq!(ends.len(), 3, "{ends:?}");
    assert!(explored.behaviours.iter().any(|found| found.paths > 3));
    assert!(explored.reason().starts_with("strings from inputs have at most 10 characters"));
}

#[test]
fn conditions_are_about_values() {
    let source = "class Main { static class Box { int v; Box next; } static int f(int[] a, Box b, int k) {
        return a.length > 1 && a[1] == k && b.v > 3 ? 1 : 0; } }";
    let explored = explore(&session("java", source), None, 100);
    let one = explored.behaviours.iter().find(|found| found.end == End::Returned(Some("1".into()))).unwrap();
    assert_eq!(one.condition, ["!(int[]#1.length <= 1)", "k == int[]#1[1]", "!(Main$Box#2.v <= 3)"]);
}

#[test]
fn a_bound_is_said() {
    let source = "class Main { static int f(int k) { int n := 0; while (n < k) { n := n + 1; } return n; } }";
    let explored = explore(&session("oox", source), None, 5);
    assert_eq!(explored.behaviours.len(), 5);
    assert!(explored.reason().contains("more than 5 behaviours"), "{}", explored.reason());
}

/// A JVM has run each test that is kept. What they reach does not count for the others.
#[test]
fn tests_behave_as_predicted() {
    let source = "class Main {
        static int count;
        static int f(int k) {
            if (k > 3) {
                count++;
                return count;
            }
            assert k != 2;
            return 6 / k;
        }
    }";
    let session = session("java", source);
    let explored = explore(&session, None, 100);
    let interrupt = AtomicBool::new(false);
    let config =
        ConfirmConfig { time: Duration::from_secs(300), memory: 512, sandbox: Sandboxing::Auto, interrupt: &interrupt };
    let tests = session.tests(&explored, Path::new("tests"), &config).unwrap();
    let mut kept: Vec<&str> = tests.kept.iter().map(|test| test.name.trim_end_matches(char::is_numeric)).collect();
    kept.sort_unstable();
    assert_eq!(kept, ["breaksAssertion", "returns", "throwsArithmeticException"]);
    let [(_, reason)] = &tests.left_out[..] else { panic!("{:?}", tests.left_out) };
    assert!(reason.starts_with("after other tests of the same JVM, "), "{reason}");
    // Both values of the asserted condition count, and that of `k > 3` is always false.
    assert_eq!(tests.coverage, Coverage { lines: 3, all_lines: 5, branches: 3, all_branches: 4 });
}

/// A line behind more iterations than there are behaviours.
#[test]
fn lines_behind_loops() {
    let source = "class Main { static int f(int n, int[] a) {
            if (a == null) return 5;
            int sum := 0; int i := 0;
            while (i < n) { sum := sum + 3; i := i + 1; }
            if (sum == 600) {
                return 1;
            }
            if (sum == 601) {
                return 2;
            }
            return 0;
        } }";
    let session = session("oox", source);
    let ends = |loops: Loops| {
        let config = CheckConfig {
            entry: Some("Main.f".into()),
            timeout: Some(Duration::from_secs(60)),
            loops,
            ..CheckConfig::default()
        };
        let explored = session.explore(&config, 6).unwrap();
        assert_eq!(explored.reason(), "more than 6 behaviours");
        let ends = explored.behaviours.iter().map(|found| found.end.clone());
        ends.skip(6).collect::<Vec<_>>()
    };
    assert_eq!(ends(Loops::Off), []);
    assert_eq!(ends(Loops::Light), [End::Returned(Some("1".into()))]);
}
