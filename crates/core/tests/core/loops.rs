//! Loops of Java programs in all numbers of iterations at once. Needs a JDK.

use crate::numbered::numbered;
use aback_core::{CheckConfig, Loops, Merge, check};
use std::time::Duration;

/// Checks the answers about methods with a parameter `int n`, given by their code.
#[track_caller]
fn check_all(members: &str, methods: &[(&str, &str)]) {
    let program = numbered("int n", methods, members);
    for (index, (expected, code)) in methods.iter().enumerate() {
        let entry = Some(format!("Main.q{index}"));
        let timeout = Some(Duration::from_secs(60));
        let config = CheckConfig { entry, timeout, loops: Loops::Light, ..CheckConfig::default() };
        let answer = check(&program, &config).expect("a question with a meaning");
        let reason = answer.reason(&program);
        assert_eq!(answer.verdict.to_string(), *expected, "{code}: {reason}");
    }
}

/// The iteration that throws is the first one that initializes the exception's class, and is not the first iteration.
#[test]
fn exceptions_that_iterations_throw_and_catch() {
    let divides = |claim: &str| {
        format!(
            "int hits = 0;
             for (int i = 0; i < n; i++) {{ try {{ int q = 10 / (i - 2); }} catch (ArithmeticException e) {{ hits++; }} }}
             assert {claim};"
        )
    };
    let throws = |claim: &str| {
        format!(
            "int hits = 0;
             for (int i = 0; i < n; i++) {{ try {{ if (i == 2) throw new Own(); }} catch (Own e) {{ hits++; }} }}
             assert {claim};"
        )
    };
    check_all(
        "static class Own extends RuntimeException { }",
        &[
            ("holds", &divides("hits <= 1")),
            ("holds", &divides("n < 3 || hits == 1")),
            ("violated", &divides("n < 40 || hits == 0")),
            ("holds", &throws("hits <= 1")),
            ("violated", &throws("n < 40 || hits == 0")),
        ],
    );
}

/// What the program can notice of an initialization happens where the program initializes the class.
#[test]
fn classes_of_the_program_are_initialized_in_place() {
    let touches = |claim: &str| {
        format!("for (int i = n; i < 1_000_000_000; i++) {{ if (i == 5) Late.touch(); }} assert {claim};")
    };
    check_all(
        "static int initialized;
         static class Late { static { initialized++; } static void touch() { } }",
        &[("holds within bounds", &touches("n <= 5 || initialized == 0"))],
    );
}

/// There are more paths than anybody can follow, and two ways to each place.
#[test]
fn states_are_joined_when_many_wait() {
    let choices: String = (0..26)
        .map(|bit| format!("last = (n >> {bit} & 1) == 1 ? {bit} : {}; if (last > 50) sum++;\n", bit + 1))
        .collect();
    let code = |claim: &str| format!("int last = 0, sum = 0;\n{choices} assert {claim};");
    let methods = [("holds", code("sum == 0")), ("holds", code("last == 25 || last == 26"))];
    let methods: Vec<(&str, &str)> = methods.iter().map(|(expected, code)| (*expected, code.as_str())).collect();
    let program = numbered("int n", &methods, "");
    for entry in ["Main.q0", "Main.q1"] {
        let timeout = Some(Duration::from_secs(60));
        let config = CheckConfig {
            entry: Some(entry.into()),
            timeout,
            loops: Loops::Later,
            merging: Merge::Auto,
            ..CheckConfig::default()
        };
        let answer = check(&program, &config).expect("a question with a meaning");
        assert_eq!(answer.verdict.to_string(), "holds", "{entry}: {}", answer.reason(&program));
    }
}
