//! What the tests share: programs from snippets, verdicts as text.

use aback_forward::{Config, explore};
use aback_ir::{MethodId, Program, Severity};
use aback_smt::Chain;
use aback_symbolic::{Budget, Exploration, Fault, Query, Replay, Uncaught};
use aback_witness::Limits;
use std::time::{Duration, Instant};

/// A program in OOX. `main(…) { … }` outside of a class, as the last thing, is the method of a class `Main`.
pub fn oox(source: &str) -> Program {
    let source = match source.split_once("main(") {
        Some((classes, main)) if !classes.contains("class Main") => {
            format!("{classes} class Main {{ static void main({main} }}")
        }
        _ => source.to_string(),
    };
    try_oox(&source).unwrap_or_else(|errors| panic!("{errors}\n{source}"))
}

/// A program in OOX, or its errors.
pub fn try_oox(source: &str) -> Result<Program, String> {
    let loaded = aback_lang_oox::load(vec![("Main.oox".into(), source.into())]);
    let errors: Vec<String> = loaded
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(|diagnostic| format!("{}: {}", diagnostic.span, diagnostic.message))
        .collect();
    if errors.is_empty() { Ok(loaded.program) } else { Err(errors.join("\n")) }
}

/// A program in IR text.
pub fn ir(text: &str) -> Program {
    let text = format!("file 0 \"Main.ir\"\n{text}");
    aback_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The method `Main.main`.
pub fn entry_of(program: &Program) -> MethodId {
    program.methods().map(|(id, _)| id).find(|id| program.method_name(*id) == "Main.main").expect("Main.main")
}

/// Explores a program from `entry`; candidates are confirmed by concrete runs.
pub fn exploration(program: &Program, query: &Query, config: &Config, solver: &aback_smt::Config) -> Exploration {
    let mut chain = Chain::new(solver).expect("Z3");
    chain.set_deadline(config.budget.deadline);
    explore(program, query, config, &mut chain, &mut |candidate| match aback_witness::run(
        program,
        query.entry,
        &candidate.inputs,
        Limits::default(),
        &mut (),
    ) {
        Ok(outcome) if candidate.is_shown_by(&outcome) => Replay::Confirmed,
        outcome => Replay::Rejected(format!("{outcome:?} on {:?}", candidate.inputs)),
    })
}

/// Settings that end after a while, come what may.
pub fn limited(seconds: u64) -> Config {
    let deadline = Some(Instant::now() + Duration::from_secs(seconds));
    Config { budget: Budget { deadline, ..Budget::default() }, ..Config::default() }
}

/// `holds`, `violated: <fault> at <line>`, or `gaps: …`.
pub fn shown(program: &Program, exploration: &Exploration) -> String {
    match &exploration.violation {
        Some(candidate) => {
            let fault = match candidate.fault {
                Fault::Assertion(kind) => kind.keyword().to_string(),
                Fault::Trap(trap) => trap.describe().to_string(),
                Fault::Thrown(class) => program.class(class).name.clone(),
            };
            format!("violated: {fault} at {}", candidate.place.span.line)
        }
        None if exploration.gaps.is_empty() => "holds".into(),
        None => {
            let gaps: Vec<String> = exploration.gaps.iter().map(ToString::to_string).collect();
            format!("gaps: {}", gaps.join(", "))
        }
    }
}

/// The verdict on `Main.main` with these settings.
pub fn verdict_with(program: &Program, config: &Config, solver: &aback_smt::Config) -> String {
    let query = Query { entry: entry_of(program), assertions: true, uncaught: Uncaught::Any, at: None };
    shown(program, &exploration(program, &query, config, solver))
}

/// The verdict on `Main.main`.
pub fn verdict(program: &Program) -> String {
    verdict_with(program, &limited(20), &aback_smt::Config::default())
}

/// Checks the verdict on an OOX program.
#[track_caller]
pub fn check(source: &str, expected: &str) {
    assert_eq!(verdict(&oox(source)), expected, "{source}");
}

/// Checks the verdict on a program in IR text.
#[track_caller]
pub fn check_ir(text: &str, expected: &str) {
    assert_eq!(verdict(&ir(text)), expected, "{text}");
}
