//! A session answers many questions, and no question changes the program for the next one.

use aback_core::{CheckConfig, Engine, Line, LoadConfig, Question, Session, Violations};
use aback_ir::text;

const SOURCE: &str = "\
class Main {
    static void main(int x) {
        int y := x;
        if (x > 3) {
            y := 3;
        }
        assert y <= 3;
        if (y > 3) {
            y := 4;
        }
    }
}
";

fn open() -> Session {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Main.oox");
    std::fs::write(&file, SOURCE).unwrap();
    Session::open(&[file], &LoadConfig::default()).unwrap()
}

fn said(session: &Session, question: Question, line: Option<u32>, engine: Engine) -> &'static str {
    let at = line.map(|line| Line { file: "Main.oox".into(), line });
    let violations = Violations::in_language(session.program(), false);
    session.check(&CheckConfig { question, at, engine, violations, ..CheckConfig::default() }).unwrap().said()
}

#[test]
fn questions_do_not_change_the_program() {
    let session = open();
    let before = text::print(session.program());
    for engine in [Engine::Forward, Engine::Backward] {
        for (line, reached) in [(5, "reachable"), (9, "unreachable"), (5, "reachable")] {
            assert_eq!(said(&session, Question::Reach, Some(line), engine), reached, "line {line}, {engine}");
            assert_eq!(said(&session, Question::Violation, None, engine), "holds", "{engine}");
        }
        assert_eq!(said(&session, Question::Violation, Some(7), engine), "holds", "{engine}");
    }
    assert_eq!(text::print(session.program()), before);
}

/// The places of an answer refer to the answer's program, which has markers at the line in question.
#[test]
fn answers_bring_the_program_that_their_places_are_in() {
    let session = open();
    let at = Some(Line { file: "Main.oox".into(), line: 5 });
    let answer = session.check(&CheckConfig { question: Question::Reach, at, ..CheckConfig::default() }).unwrap();
    let violation = answer.violation.as_ref().expect("the line can be reached");
    assert_eq!(answer.program.show_span(violation.span).rsplit(':').nth(1), Some("5"));
    let witness = session.witness(&answer, violation, None);
    let confirmed = session.confirm_witness(
        &witness,
        &aback_core::ConfirmConfig {
            time: std::time::Duration::from_secs(20),
            memory: 1 << 10,
            sandbox: aback_core::Sandboxing::Auto,
            interrupt: &std::sync::atomic::AtomicBool::new(false),
        },
    );
    assert!(matches!(confirmed, Ok(aback_core::Confirmation::Confirmed { .. })), "{confirmed:?}");
}

/// Several threads may ask questions at the same time.
#[test]
fn questions_may_be_asked_side_by_side() {
    let session = open();
    std::thread::scope(|scope| {
        let asked = [(Question::Reach, Some(5), "reachable"), (Question::Violation, None, "holds")];
        let asked = asked.map(|(question, line, expected)| {
            let session = &session;
            (scope.spawn(move || said(session, question, line, Engine::Forward)), expected)
        });
        for (answer, expected) in asked {
            assert_eq!(answer.join().unwrap(), expected);
        }
    });
}

/// Entry points with the same name have starts of their own, in one question about a line and in several questions.
#[track_caller]
fn check_overloads(file: &str, source: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(file);
    std::fs::write(&path, source).unwrap();
    let session = Session::open(&[path], &LoadConfig::default()).unwrap();
    let check = |entry: Option<&str>, at: Option<u32>| {
        let violations = Violations::in_language(session.program(), false);
        let at = at.map(|line| Line { file: file.into(), line });
        let config = CheckConfig { entry: entry.map(str::to_owned), at, violations, ..CheckConfig::default() };
        session.check(&config).unwrap().said()
    };
    assert_eq!(check(None, Some(5)), "violated");
    assert_eq!(check(Some("Main.m(E)"), None), "holds");
    assert_eq!(check(Some("Main.m(F, int)"), None), "violated");
}

#[test]
fn overloads_of_java_are_told_apart() {
    // The constants of the enums are no inputs, so that the starts have the same parameters.
    let source = "public class Main { enum E { A } enum F { B }
        public static void m(E e) { inner(1); }
        public static void m(F f, int k) { inner(k); }
        private static void inner(int n) {
            assert n != 5;
        } }";
    check_overloads("Main.java", source);
}

#[test]
fn overloads_of_csharp_are_told_apart() {
    let source = "public class Main { public class E { } public class F { }
        public static void m(E e) { inner(1); }
        public static void m(F f, int k) { inner(k); }
        private static void inner(int n) {
            System.Diagnostics.Debug.Assert(n != 5);
        } }";
    check_overloads("Main.cs", source);
}

/// Callers reach the public methods that public classes inherit from others.
#[test]
fn inherited_methods_are_entry_points() {
    let check = |members: &str, expected: &str| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("Main.java");
        let source = format!(
            "public class Main {{ public static void other(int k) {{ inner(k * 2); }} static void inner(int n) {{
                assert n != 5;
            }} {members} }}
            interface Face {{ default void m(int k) {{ Main.inner(k); }} static void s(int k) {{ Main.inner(k); }} }}
            class Base {{ public void m(int k) {{ Main.inner(k); }} public static void s(int k) {{ Main.inner(k); }} }}
            class Last {{ public final void m(int k) {{ Main.inner(k); }} }}"
        );
        std::fs::write(&file, source).unwrap();
        let session = Session::open(&[file], &LoadConfig::default()).unwrap();
        let at = Some(Line { file: "Main.java".into(), line: 2 });
        let violations = Violations::in_language(session.program(), false);
        let answer = session.check(&CheckConfig { at, violations, ..CheckConfig::default() }).unwrap();
        assert_eq!(answer.said(), expected, "{members}");
    };
    check("", "holds");
    check("public static class Heir implements Face { }", "violated");
    check("public static class Heir extends Base { }", "violated");
    check("public static class Heir extends Last { }", "violated");
    // A static method of an interface is not inherited, and nobody can call what all public classes override.
    check("static class Hidden extends Base { }", "holds");
    check("public static class Heir implements Face { public void m(int k) { } }", "holds");
}
