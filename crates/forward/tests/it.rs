//! Small programs with known answers.

use aback_forward::{Config, Exploration, Fault, Query, Replay, explore};
use aback_ir::Program;
use aback_smt::Chain;
use aback_witness::{Inputs, Limits, Outcome};

/// Explores `Main.main` of a program in IR text; candidates are confirmed concretely.
fn run(program: &Program, config: &Config) -> Exploration {
    let (entry, _) = program.methods().find(|(id, _)| program.method_name(*id) == "Main.main").expect("Main.main");
    let mut chain = Chain::new(&aback_smt::Config::default()).expect("Z3");
    let query = Query { entry, uncaught: true, at: None };
    explore(program, &query, config, &mut chain, &mut |candidate| {
        let outcome = aback_witness::run(program, entry, &candidate.inputs, Limits::default(), &mut ());
        match (&outcome, candidate.fault) {
            (Ok(Outcome::AssertionFailed { place, .. }), Fault::Assertion(_)) if *place == candidate.place => {
                Replay::Confirmed
            }
            (Ok(Outcome::Uncaught { trap: Some(trap), .. }), Fault::Trap(claimed)) if *trap == claimed => {
                Replay::Confirmed
            }
            (Ok(Outcome::Uncaught { class, .. }), Fault::Thrown(claimed)) if *class == claimed => Replay::Confirmed,
            _ => Replay::Rejected(format!("{outcome:?}")),
        }
    })
}

/// What a program's exploration ends in: `holds`, `violated: …`, or `gaps: …`.
fn verdict(text: &str) -> String {
    verdict_with(text, &Config::default()).0
}

fn verdict_with(text: &str, config: &Config) -> (String, Option<Inputs>) {
    let program = aback_ir::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let exploration = run(&program, config);
    match exploration.violation {
        Some(candidate) => {
            let fault = match candidate.fault {
                Fault::Assertion(kind) => kind.keyword().to_string(),
                Fault::Trap(trap) => trap.describe().to_string(),
                Fault::Thrown(class) => program.class(class).name.clone(),
            };
            (format!("violated: {fault}"), Some(candidate.inputs))
        }
        None if exploration.gaps.is_empty() => ("holds".into(), None),
        None => {
            let gaps: Vec<String> = exploration.gaps.iter().map(ToString::to_string).collect();
            (format!("gaps: {}", gaps.join(", ")), None)
        }
    }
}

#[test]
fn counts() {
    let text = "class Main { static method main(n: i64) { local i, s: i64
        b0: i := 0i64
            s := 0i64
            goto b1
        b1: if i < 100000000i64 goto b2 else b3
        b2: s := s + i
            i := i + 1i64
            goto b1
        b3: assert s > 0i64
            return
        } }";
    let start = std::time::Instant::now();
    println!("{}", verdict(text));
    println!("{:?}", start.elapsed());
}
