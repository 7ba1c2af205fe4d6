//! Answers about C# programs, by topic, with both engines. Where no .NET SDK is found, the tests say that they are
//! skipped.

mod aliases;
mod assertions;
mod callbacks;
mod classes;
mod collections;
mod confirmations;
mod decimals;
mod delegates;
mod exceptions;
mod generics;
mod indirect;
mod inputs;
mod instructions;
mod invariants;
mod iterators;
mod limits;
mod listings;
mod lost;
mod made;
mod numbers;
mod pointers;
mod references;
mod shipped;
mod state;
mod statics;
mod strings;
mod structs;
mod tables;
mod texts;
mod types;
mod unit_tests;

use aback_core::{CheckConfig, Engine, Line, LoadConfig, LoadError, Question, Session, Violations};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// The line before the members of a program.
const HEAD: &str = "using System; using System.Collections.Generic; using System.Linq; using System.Threading.Tasks; \
                    using static System.Diagnostics.Debug; public static class Test {";

/// Checks the marked lines of a program, with both engines. `members` are those of a public static class. Its public
/// methods are the entry points, and `Assert` is that of `System.Diagnostics.Debug`. A mark ends its line:
///
/// - `// HOLDS` and `// FAILS` at an assertion: it holds in all executions, or some execution violates it.
/// - `// REACHABLE` and `// UNREACHABLE` at another statement: some execution gets there, or none does.
/// - `// HOLDS within TEXT` and `// UNREACHABLE within TEXT`: it holds within bounds whose text contains this one.
/// - `// UNKNOWN because TEXT`: the answer is unknown, and its reason contains the text.
#[track_caller]
fn check(members: &str) {
    check_with(members, &LoadConfig::default(), &[Engine::Forward, Engine::Backward]);
}

/// Checks the marked lines of a program that runs much code of the library, on whose branches the backward engine would
/// spend minutes.
#[track_caller]
fn check_forward(members: &str) {
    check_with(members, &LoadConfig::default(), &[Engine::Forward]);
}

/// Reads a program; `None` without a .NET SDK.
#[track_caller]
fn open(paths: &[PathBuf], config: &LoadConfig) -> Option<Session> {
    match Session::open(paths, config) {
        Ok(session) => Some(session),
        Err(LoadError::Platform(missing)) => {
            eprintln!("skipped: {missing}");
            None
        }
        Err(LoadError::Invalid { diagnostics, .. }) => panic!("{diagnostics:#?}"),
        Err(error) => panic!("{error}"),
    }
}

/// Checks the marked lines of a program that is read in this way.
#[track_caller]
fn check_with(members: &str, config: &LoadConfig, engines: &[Engine]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Test.cs");
    let source = format!("{HEAD}{members}\n}}\n");
    std::fs::write(&file, &source).unwrap();
    let Some(session) = open(&[file], config) else { return };
    let marked = source.lines().zip(1..).filter_map(|(text, line)| Some((line, text.rsplit_once(" // ")?.1)));
    let mut wrong = String::new();
    for (line, mark) in marked {
        for &engine in engines {
            let said = said(&session, line, mark, engine);
            if said.as_deref() != Ok(mark) {
                let text = source.lines().nth(line as usize - 1).unwrap_or_default().trim();
                let (Ok(said) | Err(said)) = said;
                let _ = writeln!(wrong, "{engine}: {said}\n    {text}");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Reads the program with a source; `None` without a .NET SDK.
#[track_caller]
fn open_source(source: &str) -> Option<Session> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Test.cs");
    std::fs::write(&file, source).unwrap();
    open(&[file], &LoadConfig::default())
}

/// The mark that an engine's answer deserves; if there is none, the answer itself.
fn said(session: &Session, line: u32, mark: &str, engine: Engine) -> Result<String, String> {
    let question = if mark.contains("REACHABLE") { Question::Reach } else { Question::Violation };
    let config = CheckConfig {
        question,
        at: Some(Line { file: "Test.cs".into(), line }),
        engine,
        violations: Violations::in_language(session.program(), false),
        timeout: Some(Duration::from_secs(120)),
        ..CheckConfig::default()
    };
    let answer = session.check(&config).map_err(|error| error.to_string())?;
    let said = match answer.said() {
        "violated" => "FAILS".into(),
        other => other.to_uppercase().replace(" WITHIN BOUNDS", " within").replace("UNKNOWN", "UNKNOWN because"),
    };
    let reason = answer.reason(session.program());
    let expected = mark.strip_prefix(&said).and_then(|text| text.strip_prefix(' '));
    let is_expected = said.contains(' ') && expected.is_some_and(|text| reason.contains(text));
    Ok(if is_expected {
        mark.into()
    } else if said.contains(' ') {
        format!("{said} {reason}")
    } else {
        said
    })
}
