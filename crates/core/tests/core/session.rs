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
