//! Questions about inputs that the program's own methods accept: `boolean repOk()`.

use aback_core::{
    CheckConfig, CheckError, Checked, Counts, Engine, InvariantFile, LoadConfig, LoadError, Session, ValidInputs,
    Violations,
};
use aback_forward::HeapKind;
use std::sync::Arc;

fn try_session(extension: &str, source: &str) -> Result<Session, LoadError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("Main.{extension}"));
    std::fs::write(&file, source).unwrap();
    Session::open(&[file], &LoadConfig::default())
}

fn session(extension: &str, source: &str) -> Session {
    try_session(extension, source).unwrap()
}

fn config(session: &Session, entry: &str, checked: Checked) -> CheckConfig {
    CheckConfig {
        entry: Some(entry.into()),
        violations: Violations::in_language(session.program(), false),
        operations: Some(20_000),
        valid: ValidInputs { checked, ..ValidInputs::default() },
        ..CheckConfig::default()
    }
}

/// The answer, with the line of a violation or the reason why there is no proof.
fn said(session: &Session, config: &CheckConfig) -> String {
    let answer = session.check(config).unwrap();
    match &answer.violation {
        Some(found) => format!("violated at {}", found.span.line),
        None if answer.said() == "holds" => "holds".into(),
        None => format!("{}: {}", answer.said(), answer.reason(session.program())),
    }
}

/// Checks the beginning of the answer of each engine and each heap about valid inputs, checked before the entry point.
#[track_caller]
fn check(session: &Session, entry: &str, expected: &str) {
    let config = config(session, entry, Checked::Before);
    for heap in [HeapKind::Combined, HeapKind::Lazy, HeapKind::Symbolic, HeapKind::Arrays] {
        let found = said(session, &CheckConfig { heap, ..config.clone() });
        assert!(found.starts_with(expected), "{heap:?}: {found}");
    }
    let found = said(session, &CheckConfig { engine: Engine::Backward, ..config });
    assert!(found.starts_with(expected), "backward: {found}");
}

/// Checks the answer about valid inputs that are checked along the way.
#[track_caller]
fn check_along(session: &Session, entry: &str, expected: &str) {
    let found = said(session, &config(session, entry, Checked::Along));
    assert!(found.starts_with(expected), "{found}");
}

const LIST: &str = include_str!("sized_list.java");

#[test]
fn valid_lists() {
    let session = session("java", LIST);
    assert_eq!(said(&session, &config(&session, "Main.removeFirst", Checked::Never)), "violated at 15");
    // The list can have any length, so that checks of the whole list never come to an end.
    let few = CheckConfig { operations: Some(2_000), ..config(&session, "Main.removeFirst", Checked::Before) };
    assert_eq!(said(&session, &few), "unknown: limit of 2000 operations");
    check_along(&session, "Main.removeFirst", "holds");
    check(&session, "Main.second", "violated at 19");
    check_along(&session, "Main.second", "violated at 19");
    // What holds for all inputs holds for valid ones.
    check(&session, "Main.any", "holds");
    check_along(&session, "Main.any", "holds");
}

/// The object with which the entry point is called satisfies `repOk` in a counterexample, too, where the path reads only a
/// part of it.
#[test]
fn counterexamples_are_valid() {
    let session = session("java", LIST);
    for checked in [Checked::Before, Checked::Along] {
        let answer = session.check(&config(&session, "Main.second", checked)).unwrap();
        let shown = &answer.violation.unwrap().shown_inputs[0].1;
        let size: usize =
            shown.split("size = ").nth(1).unwrap().split(&[' ', ',', '}'][..]).next().unwrap().parse().unwrap();
        let nodes = shown.matches("value = ").count();
        assert_eq!(size, nodes, "{shown}");
        assert!(answer.assumptions.iter().any(|line| line.contains("Main.repOk() returns true")));
    }
}

const KINDS: &str = "
public class Main {
    int x;
    boolean repOk() { return x > 5; }
    static class Sub extends Main { @Override boolean repOk() { return x == 7; } }
    static class Throwing { int x; private boolean repOk() { if (x < 3) throw new RuntimeException(); return true; } }
    static class Asserting { int x; boolean repOk() { assert x > 2; return true; } }
    static class Static { int x; static boolean repOk(Static s) { return false; } boolean repOk(int y) { return false; } }
    static void exact(Main m) { assert m == null || m.x > 5; }
    static void sub(Sub m) { assert m == null || m.x == 7; }
    static void overridden(Main m) { assert !(m instanceof Sub) || m.x == 7; }
    static void object(Object m) { assert !(m instanceof Main) || ((Main) m).x > 5; }
    static void missing(Main m) { assert m != null; }
    static void throwing(Throwing t) { assert t == null || t.x >= 3; }
    static void asserting(Asserting t) { assert t == null || t.x > 2; }
    static void unrelated(Main m, Static s) { assert s == null || s.x > 5; }
    static void both(Main m, Asserting t) { assert m == null || t == null || m.x + t.x != 9; }
    static void small(Main m) { assert m == null || m.x != 6; }
}";

#[test]
fn which_methods_check_an_argument() {
    let session = session("java", KINDS);
    for entry in ["exact", "sub", "overridden", "object", "throwing", "asserting"] {
        let entry = format!("Main.{entry}");
        assert!(said(&session, &config(&session, &entry, Checked::Never)).starts_with("violated"), "{entry}");
        check(&session, &entry, "holds");
        check_along(&session, &entry, "holds");
    }
    for (entry, line) in [("missing", 13), ("unrelated", 16), ("both", 17), ("small", 18)] {
        check(&session, &format!("Main.{entry}"), &format!("violated at {line}"));
        check_along(&session, &format!("Main.{entry}"), &format!("violated at {line}"));
    }
}

#[test]
fn other_names() {
    let session = session(
        "java",
        "public class Main { int x; boolean isSane() { return x > 0; }
        void f() { assert x > 0; } }",
    );
    let named = |method: &str| ValidInputs { method: method.into(), checked: Checked::Before };
    let config = config(&session, "Main.f", Checked::Before);
    assert_eq!(said(&session, &CheckConfig { valid: named("isSane"), ..config.clone() }), "holds");
    let error = session.check(&config);
    assert!(matches!(error, Err(CheckError::NoValidity { method }) if method == "repOk"));
}

/// Before `repOk` has run, the field could have another value.
#[test]
fn checks_that_change_their_input() {
    let source = "public class Main { int x; int[] seen = new int[1];
        boolean repOk() { x = 5; return true; }
        void f() { assert x == 5; }
        static class Local { int[] a; boolean repOk() { int[] b = new int[2]; b[1] = 3; return a != null && b[1] == 3; }
            void f() { assert a != null; } } }";
    let session = session("java", source);
    check(&session, "Main.f", "holds within bounds: checks of inputs leave them as they are: Main.repOk");
    check(&session, "Main.Local.f", "holds");
}

/// A constructor is called on an object that is not valid yet.
#[test]
fn objects_under_construction() {
    let source =
        "public class Main { int x; Main(int x, Main other) { assert this.x == 0; assert other == null || other.x == 8;
            this.x = 8; }
        boolean repOk() { return x == 8; } }";
    check(&session("java", source), "Main.<init>", "holds");
}

/// Preconditions are promises of the callers of the entry point, as without checks.
#[test]
fn preconditions() {
    let source = "class Box { int v; bool repOk() { return this.v > 3; }
            void f(int k) requires(k > 1) { assert this.v + k > 4; this.g(k); }
            void g(int k) requires(k > 5) { } }
        class Main { static void main() { } }";
    let session = session("oox", source);
    check(&session, "Box.f", "violated at 3");
    let fine = source.replace("this.g(k);", "");
    check(&self::session("oox", &fine), "Box.f", "holds");
    check_along(&self::session("oox", &fine), "Box.f", "holds");
}

#[test]
fn csharp() {
    let source = "using System.Diagnostics;
public class Main { public int X; public bool RepOk() { return X > 5; }
    public void F() { Debug.Assert(X > 5); }
    public static void G(Main m) { Debug.Assert(m == null || m.X != 9); } }";
    let session = match try_session("cs", source) {
        Ok(session) => session,
        Err(LoadError::Platform(missing)) => return eprintln!("skipped: {missing}"),
        Err(error) => panic!("{error}"),
    };
    let valid = ValidInputs { method: "RepOk".into(), checked: Checked::Before };
    let said =
        |entry: &str| said(&session, &CheckConfig { valid: valid.clone(), ..config(&session, entry, Checked::Before) });
    assert_eq!(said("Main.F"), "holds");
    assert!(said("Main.G").starts_with("violated at 4"));
}

fn counts(session: &Session, entry: &str, checked: Checked, invariants: Option<&str>) -> Option<Counts> {
    let file = |text: &str| Arc::new(InvariantFile { path: "main.hex".into(), text: text.into() });
    let config = CheckConfig {
        heap: HeapKind::Lazy,
        operations: Some(100_000),
        invariants: invariants.map(file),
        ..config(session, entry, checked)
    };
    session.explore(&config, 20).unwrap().counts
}

/// Of the shapes that the program tells apart, some are invalid: `head` is null although `size` is not 0, or `next` leads
/// back.
#[test]
fn counts_of_traces() {
    let session = session("java", LIST);
    let count = |checked, invariants| counts(&session, "Main.third", checked, invariants).unwrap();
    let none = count(Checked::Never, None);
    let ends = "root.this.head(.next)+ aliases nothing;";
    let hex = count(Checked::Never, Some(ends));
    let along = count(Checked::Along, None);
    // size < 3; or head, its successor and the next one are null (an exception), an alias, or new.
    assert_eq!((none.traces, none.invalid, none.alarms, none.false_alarms), (8, 6, 3, 3));
    // The shape is right, but the size is not.
    assert_eq!((hex.traces, hex.invalid, hex.alarms, hex.false_alarms), (5, 3, 3, 3));
    assert_eq!((along.invalid, along.alarms, along.false_alarms), (along.traces - 2, 0, 0));
    let nothing = self::session("java", "public class Main { static void f(int x) { assert x != 3; } }");
    assert_eq!(counts(&nothing, "Main.f", Checked::Never, None), None);
}

#[test]
fn counts_of_traces_from_valid_inputs() {
    let before = counts(&session("java", LIST), "Main.third", Checked::Before, None).unwrap();
    assert_eq!((before.invalid, before.alarms), (0, 0));
    assert!(before.traces > 2);
}
