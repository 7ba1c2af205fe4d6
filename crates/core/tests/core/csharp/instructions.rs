//! Questions about each instruction of CIL, of which the tests of `lang-csharp` have the assembly.

use crate::csharp::open;
use aback_core::{CheckConfig, Engine, LoadConfig};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

#[test]
fn each_instruction_means_the_same_to_the_engines() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lang-csharp/tests/instructions/Instructions.dll");
    let Some(session) = open(&[path], &LoadConfig::default()) else { return };
    let program = session.program();
    let questions = &program.class(program.class_named("Questions").unwrap()).methods;
    let (mut wrong, mut right) = (String::new(), 0);
    // A few seconds' worth; `INSTRUCTIONS=1` asks everything.
    let step = std::env::var("INSTRUCTIONS").ok().and_then(|step| step.parse().ok()).unwrap_or(17);
    for &method in questions.iter().step_by(step) {
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
                timeout: Some(Duration::from_secs(60)),
                ..CheckConfig::default()
            };
            let answer = session.check(&config).unwrap();
            let (said, reason) = (answer.said(), answer.reason(program));
            // Which cases are unsupported is a list of the tests of `lang-csharp`.
            let is_gap = said == "unknown" && reason.starts_with("unsupported: ")
                || expected == "holds" && said == "holds within bounds" && reason.starts_with("static fields hold");
            if said == expected {
                right += 1;
            } else if !is_gap {
                let _ = writeln!(wrong, "{name}, {engine}: {said} {reason}");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}{right} are right");
    assert!(right > 80, "{right}");
}
