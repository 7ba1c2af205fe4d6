//! Questions that leave out violations which are known already, one after the other. Needs a JDK.

use crate::numbered::numbered;
use aback_core::{CheckConfig, Engine, Exceptions, KnownViolation, Violations, check};
use aback_ir::Program;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Asks about a method until no violation is found that is not known. Returns the lines and exceptions of all, and the last verdict.
fn all_violations(program: &Program, entry: &str, engine: Engine) -> (BTreeSet<(u32, String)>, String) {
    /// More violations than any of the methods has.
    const MOST: usize = 9;
    let mut known: Vec<KnownViolation> = Vec::new();
    loop {
        let config = CheckConfig {
            entry: Some(format!("Main.{entry}")),
            violations: Violations { assertions: true, exceptions: Exceptions::All },
            engine,
            known: Arc::new(known.clone()),
            timeout: Some(Duration::from_secs(20)),
            ..CheckConfig::default()
        };
        let answer = check(program, &config).expect("an answer");
        let Some(violation) = &answer.violation else {
            let found = known.into_iter().map(|known| {
                let name = known.exception.map_or("assertion".into(), |name| name.replace("java.lang.", ""));
                (known.line, name)
            });
            return (found.collect(), answer.said().to_string());
        };
        let program = &answer.program;
        known.push(KnownViolation {
            null_elements: false,
            nulls: Vec::new(),
            file: program.file(violation.span.file).expect("a file").path.display().to_string(),
            line: violation.span.line,
            exception: violation.class.map(|class| program.class_name(class).to_string()),
        });
        let is_new = !known[..known.len() - 1].contains(&known[known.len() - 1]);
        assert!(is_new && known.len() <= MOST, "{entry}: {known:?}");
    }
}

/// Lines, each with an exception or `assertion`.
type Expected<'a> = &'a [(u32, &'a str)];

/// Checks that the code, whose lines count from 0, has these violations, and what is said about the rest.
#[track_caller]
fn check_all(engines: &[Engine], questions: &[(&str, Expected, &str)]) {
    let code: Vec<(&str, &str)> = questions.iter().map(|(code, ..)| ("", *code)).collect();
    let program = numbered("int[] input, String text", &code, "");
    for (number, (code, expected, rest)) in questions.iter().enumerate() {
        let entry = format!("q{number}");
        let (method, _) = program.methods().find(|(_, method)| method.name == entry).expect("a method");
        let first = program.method(method).span.line;
        let expected: BTreeSet<(u32, String)> =
            expected.iter().map(|(line, name)| (first + line, name.to_string())).collect();
        for &engine in engines {
            let (found, said) = all_violations(&program, &entry, engine);
            assert_eq!((&found, &said[..]), (&expected, *rest), "{engine} about {code}");
        }
    }
}

#[test]
fn each_violation_is_found_once() {
    check_all(
        &[Engine::Forward, Engine::Backward, Engine::Auto],
        &[
            // The execution ends at a false assertion.
            ("assert input != null;\nassert input.length != 2;", &[(0, "assertion"), (1, "assertion")], "holds"),
            ("int n = input.length;\nn = 1 / n;", &[(0, "NullPointerException"), (1, "ArithmeticException")], "holds"),
            (
                "int n = input[0];\nint m = input[n]; assert m != 7;",
                &[
                    (0, "NullPointerException"),
                    (0, "ArrayIndexOutOfBoundsException"),
                    (1, "ArrayIndexOutOfBoundsException"),
                    (1, "assertion"),
                ],
                "holds",
            ),
            // Behind a loop.
            (
                "int s = 0;\nfor (int i = 0; i < 3; i++) { if (input != null && input.length > i && input[i] == 5) { s++; } }\nassert s != 2;\nassert s != 3;",
                &[(2, "assertion"), (3, "assertion")],
                "holds",
            ),
        ],
    );
}

/// The backward engine asks about an operation once.
#[test]
fn other_violations_of_the_same_operation_are_not_excluded() {
    check_all(
        &[Engine::Forward, Engine::Auto],
        &[
            // One operation throws exceptions of two classes.
            (
                "RuntimeException e = input == null ? new IllegalStateException() : new IllegalArgumentException();\nthrow e;",
                &[(1, "IllegalStateException"), (1, "IllegalArgumentException")],
                "unknown",
            ),
            // The same operation of the library fails for two lines.
            (
                "Objects.requireNonNull(input);\nObjects.requireNonNull(text);",
                &[(0, "NullPointerException"), (1, "NullPointerException")],
                "unknown",
            ),
        ],
    );
}
