//! What tests of the engines share: programs from snippets, verdicts as text.
//!
//! [`check`] wants the same verdict of the forward engine and of the backward one in all its variants.

use aback_attack::Attack;
use aback_backward::{HeapModel, Variant};
use aback_forward::{Config, explore};
use aback_ir::{Body, MethodId, OpKind, Point, Program, Severity};
use aback_smt::Chain;
use aback_symbolic::{Budget, Candidate, Exploration, Fault, Query, Replay, Uncaught};
use aback_witness::Limits;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Operations of concrete runs that attack a proof.
const ATTACK: u64 = 20_000;

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
    method_of(program, "Main.main")
}

/// The method `Class.method`.
pub fn method_of(program: &Program, name: &str) -> MethodId {
    program.methods().map(|(id, _)| id).find(|id| program.method_name(*id) == name).expect("the method")
}

/// Whether anything is violated from `Main.main` on.
pub fn everything(program: &Program) -> Query {
    everything_from(program, "Main.main")
}

/// Whether anything is violated from a method on.
pub fn everything_from(program: &Program, entry: &str) -> Query {
    Query { entry: method_of(program, entry), assertions: true, uncaught: Uncaught::Any, at: None }
}

/// Whether an assertion can be false from a method on; one at a line, or else any. Exceptions that leave the method are none.
pub fn assertions(program: &Program, entry: &str, line: Option<u32>) -> Query {
    let at = line.map(|line| {
        let points = aback_ir::analysis::points_at_line(program, "Main.oox", line).expect("code at the line");
        points.into_iter().collect()
    });
    Query { entry: method_of(program, entry), assertions: true, uncaught: Uncaught::Never, at }
}

/// Explores a program from `entry`; candidates are confirmed by concrete runs.
pub fn exploration(program: &Program, query: &Query, config: &Config, solver: &aback_smt::Config) -> Exploration {
    let mut chain = Chain::new(solver).expect("Z3");
    chain.set_deadline(config.budget.deadline);
    explore(program, query, config, &mut chain, &mut |candidate| confirm(program, query, candidate))
}

/// Runs a candidate concretely.
fn confirm(program: &Program, query: &Query, candidate: &Candidate) -> Replay {
    match aback_witness::run(program, query.entry, &candidate.inputs, Limits::default(), &mut ()) {
        Ok(outcome) if candidate.is_shown_by(&outcome) => Replay::Confirmed,
        outcome => Replay::Rejected(format!("{outcome:?} on {:?}", candidate.inputs)),
    }
}

/// Asserts that concrete runs do not refute what engines have proved.
#[track_caller]
fn assert_unrefuted(program: &Program, query: &Query, verdict: &str) {
    if verdict != "holds" {
        return;
    }
    let interrupt = AtomicBool::new(false);
    let attack = Attack { operations: ATTACK, deadline: None, interrupt: &interrupt, hints: &[] };
    let found = aback_attack::attack(program, query, &attack);
    assert!(found.is_none(), "a proof is refuted: {found:?}");
}

/// Explores a program backward.
pub fn backward(program: &Program, query: &Query, config: &aback_backward::Config) -> aback_backward::Findings {
    let mut chain = Chain::new(&aback_smt::Config::default()).expect("Z3");
    chain.set_deadline(config.budget.deadline);
    aback_backward::explore(program, query, config, &mut chain, &mut |candidate| confirm(program, query, candidate))
}

/// Every way of the backward engine, the default first.
pub fn backward_ways() -> Vec<(Variant, HeapModel, bool)> {
    use Variant::{ConjAlways, ConjLoops, ConjNever, DisjCombined, DisjSet, DisjTerm, Paths};
    let variants = [ConjNever, ConjLoops, ConjAlways, DisjTerm, DisjCombined, DisjSet, Paths];
    let mut ways: Vec<_> = variants.map(|variant| (variant, HeapModel::Reads, true)).to_vec();
    for variant in [ConjNever, DisjTerm] {
        for (heap, facts) in [(HeapModel::Arrays, true), (HeapModel::Reads, false), (HeapModel::Arrays, false)] {
            ways.push((variant, heap, facts));
        }
    }
    ways
}

/// The verdict of the backward engine in one of its ways, with loops unwound a dozen times.
pub fn backward_verdict(program: &Program, query: &Query, way: (Variant, HeapModel, bool), seconds: u64) -> String {
    let budget = Budget { deadline: Some(Instant::now() + Duration::from_secs(seconds)), ..Budget::default() };
    let (variant, heap, facts) = way;
    let default = aback_backward::Config::default();
    let config = aback_backward::Config { variant, heap, facts, unwind: Some(12), budget, ..default };
    shown(program, &backward(program, query, &config).exploration)
}

/// How the backward engine comes to another verdict, if it does. It proves nothing about loops that only end by their bound;
/// in ways other than the default it may also give up for other reasons.
fn disagreement(program: &Program, expected: &str) -> Option<String> {
    let query = everything(program);
    for (number, way) in backward_ways().into_iter().enumerate() {
        let found = backward_verdict(program, &query, way, if number == 0 { 20 } else { 2 });
        let kind = |text: &str| text.split(':').next().unwrap_or_default().to_string();
        let gave_up = found.starts_with("gaps: loops") || number > 0 && found.starts_with("gaps");
        if kind(&found) != kind(expected) && !gave_up {
            return Some(format!("{way:?}: {found}, but forward: {expected}"));
        }
    }
    None
}

/// How the engines come to different verdicts about a part of what can go wrong, if they do: all assertions, the first one, or
/// the last trap. There the backward engine leaves out what does not matter.
pub fn disagreement_on_parts(program: &Program, seconds: u64) -> Option<String> {
    let all = assertions(program, "Main.main", None);
    let at = |found: Option<(MethodId, Point)>, uncaught: Uncaught| {
        found.map(|point| Query { at: Some([point].into_iter().collect()), uncaught, ..all.clone() })
    };
    let is_assertion = |op: &OpKind| matches!(op, OpKind::Assert { .. });
    let assertion = at(points_of(program, &is_assertion).next(), Uncaught::Never);
    let trap = at(points_of(program, &|op| !op.traps().is_empty()).last(), Uncaught::Any);
    [Some(all.clone()), assertion, trap].into_iter().flatten().find_map(|query| {
        let forward = shown(program, &exploration(program, &query, &limited(seconds), &aback_smt::Config::default()));
        let backward = backward_verdict(program, &query, backward_ways()[0], seconds);
        let is_other = |a: &str, b: &str| a == "holds" && b.starts_with("violated");
        let is_wrong = is_other(&forward, &backward) || is_other(&backward, &forward);
        let is_wrong = is_wrong || backward.contains("did not replay");
        is_wrong.then(|| format!("backward: {backward}, but forward: {forward}, of {:?}", query.at))
    })
}

/// The points of operations of a kind.
fn points_of<'p>(
    program: &'p Program,
    is_one: &'p dyn Fn(&OpKind) -> bool,
) -> impl Iterator<Item = (MethodId, Point)> + 'p {
    program.methods().flat_map(move |(id, _)| {
        let ops = program.body(id).into_iter().flat_map(Body::ops);
        ops.filter(|(_, op)| is_one(&op.kind)).map(move |(point, _)| (id, point))
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
    shown(program, &exploration(program, &everything(program), config, solver))
}

/// The verdict on `Main.main`.
pub fn verdict(program: &Program) -> String {
    verdict_with(program, &limited(20), &aback_smt::Config::default())
}

/// Checks the verdict on an OOX program.
#[track_caller]
pub fn check(source: &str, expected: &str) {
    check_program(&oox(source), expected, source);
}

/// Checks what the forward engine and all ways of the backward one say to a question, each of which has to know.
#[track_caller]
pub fn check_query(program: &Program, query: &Query, expected: &str) {
    let found = exploration(program, query, &limited(20), &aback_smt::Config::default());
    assert_eq!(shown(program, &found), expected, "forward");
    assert_unrefuted(program, query, expected);
    for way in backward_ways() {
        assert_eq!(backward_verdict(program, query, way, 20), expected, "{way:?}");
    }
}

#[track_caller]
fn check_program(program: &Program, expected: &str, text: &str) {
    assert_unrefuted(program, &everything(program), expected);
    assert_eq!(verdict(program), expected, "{text}");
    assert_eq!(disagreement(program, expected), None, "{text}");
    assert_eq!(disagreement_on_parts(program, 5), None, "{text}");
}

/// Checks the verdict on a program in IR text.
#[track_caller]
pub fn check_ir(text: &str, expected: &str) {
    check_program(&ir(text), expected, text);
}
