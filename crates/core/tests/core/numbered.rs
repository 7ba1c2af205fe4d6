//! Java programs with one method for each question. Needs a JDK.

use aback_core::{CheckConfig, Engine, LoadConfig, Session, check};
use aback_ir::Program;
use std::time::Duration;

/// A program whose class `Main` has these members, and methods `q0`, `q1`, … with these parameters, whose code is the second part
/// of each question.
pub fn numbered(parameters: &str, questions: &[(&str, &str)], members: &str) -> Program {
    let folder = tempfile::tempdir().expect("a folder");
    let methods: String = (questions.iter().enumerate())
        .map(|(index, (_, code))| format!("static void q{index}({parameters}) throws Throwable {{ {code} }}\n"))
        .collect();
    let source = format!(
        "import java.io.*; import java.lang.ref.*; import java.lang.reflect.*; import java.util.*;\n\
         class Main {{\n{members}\n{methods}}}\n"
    );
    let file = folder.path().join("Main.java");
    std::fs::write(&file, source).expect("a file");
    Session::open(&[file], &LoadConfig::default()).expect("a program").program().clone()
}

/// Checks the answers of both engines about the methods of such a program. `about` completes the question about one of them, by its name.
#[track_caller]
pub fn check_both(program: &Program, questions: &[(&str, &str)], about: impl Fn(&str, CheckConfig) -> CheckConfig) {
    let mut wrong = Vec::new();
    for engine in [Engine::Forward, Engine::Backward] {
        for (index, (expected, code)) in questions.iter().enumerate() {
            let name = format!("q{index}");
            let config = CheckConfig {
                entry: Some(format!("Main.{name}")),
                timeout: Some(Duration::from_secs(300)),
                engine,
                ..CheckConfig::default()
            };
            let answer = check(program, &about(&name, config)).expect("a question with a meaning");
            if answer.verdict.to_string() != *expected {
                let reason = answer.reason(program);
                wrong.push(format!("{engine:?}: {code}\n  {}, not {expected} ({reason})", answer.verdict));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
