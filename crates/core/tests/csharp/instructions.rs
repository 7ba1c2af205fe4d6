//! Questions about each instruction of CIL, of which the tests of `lang-csharp` have the assembly.

use crate::open;
use aback_core::{CheckConfig, Engine, LoadConfig};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Why an answer may be unknown.
const REASONS: &[&str] = &[];

#[test]
fn each_instruction_means_the_same_to_the_engines() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lang-csharp/tests/instructions/Instructions.dll");
    let Some(session) = open(&[path], &LoadConfig::default()) else { return };
    let program = session.program();
    let questions = &program.class(program.class_named("Questions").unwrap()).methods;
    let (mut wrong, mut right) = (String::new(), 0);
    for &method in questions {
        let name = &program.method(method).name;
        let Some((kind @ ("holds" | "fails"), what)) = name.split_once('_') else { continue };
        let expected = if kind == "holds" { "holds" } else { "violated" };
        // The backward engine does not evaluate products and quotients where they are known: it asks the solver.
        let is_hard = ["mul_", "div_", "rem_"].iter().any(|start| what.starts_with(start)) && !what.ends_with("i4_i4");
        for engine in [Engine::Forward, Engine::Backward] {
            if is_hard && kind == "holds" && engine == Engine::Backward {
                continue;
            }
            let config = CheckConfig {
                entry: Some(format!("Questions.{name}")),
                engine,
                timeout: Some(Duration::from_secs(20)),
                ..CheckConfig::default()
            };
            let start = std::time::Instant::now();
            let answer = session.check(&config).unwrap();
            let reason = answer.reason(program);
            eprintln!("TIME {} {name} {engine}", start.elapsed().as_millis());
            if answer.said() == expected {
                right += 1;
            } else if answer.said() != "unknown" || !REASONS.iter().any(|known| reason.contains(known)) {
                let _ = writeln!(wrong, "{name}, {engine}: {} {reason}", answer.said());
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}{right} are right");
    assert!(right > 1000, "{right}");
}
