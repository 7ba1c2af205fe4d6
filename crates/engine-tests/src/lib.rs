//! Shared code for tests of the engines: programs from snippets, verdicts as text.
//!
//! [`check`] requires the same verdict of the forward engine and of all variants of the backward engine.

use aback_attack::Attack;
use aback_backward::{Encoding, Variant};
use aback_forward::{
    Choices, Config, HeapKind, Listeners, LoopConditions, Loops, Merging, Share, Sharing, Subsumption, explore,
    explore_and_tell, explore_with,
};
use aback_heap::{Heap, Observer};
use aback_ir::{Body, MethodId, OpKind, Point, Program, Severity, TerminatorKind};
use aback_smt::Chain;
use aback_symbolic::{Budget, Candidate, Exploration, Fault, Query, Replay, Uncaught};
use aback_witness::{Limits, Outcome};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A limit in seconds that no test comes near, so that no outcome depends on the speed of the machine: it only ends what would never end.
pub const AMPLE: u64 = 300;
/// Number of operations of concrete runs that attack a proof.
const ATTACK: u64 = 20_000;

/// Parses an OOX program. A final `main(…) { … }` outside of a class becomes the method of a class `Main`.
pub fn oox(source: &str) -> Program {
    let source = match source.split_once("main(") {
        Some((classes, main)) if !classes.contains("class Main") => {
            format!("{classes} class Main {{ static void main({main} }}")
        }
        _ => source.to_string(),
    };
    try_oox(&source).unwrap_or_else(|errors| panic!("{errors}\n{source}"))
}

/// Parses an OOX program, or returns its errors.
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

/// Parses a program in IR text.
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

/// Asks whether anything is violated from `Main.main` on.
pub fn everything(program: &Program) -> Query {
    everything_from(program, "Main.main")
}

/// Asks whether anything is violated from a method on.
pub fn everything_from(program: &Program, entry: &str) -> Query {
    Query { entry: method_of(program, entry), assertions: true, uncaught: Uncaught::Any, at: None }
}

/// Asks whether an assertion at the line, or any assertion, can be false from a method on. Uncaught exceptions do not
/// count.
pub fn assertions(program: &Program, entry: &str, line: Option<u32>) -> Query {
    let at = line.map(|line| {
        let points = aback_ir::analysis::points_at_line(program, "Main.oox", line).expect("code at the line");
        points.into_iter().collect()
    });
    Query { entry: method_of(program, entry), assertions: true, uncaught: Uncaught::Never, at }
}

/// Explores a program from `entry`; concrete runs confirm the candidates.
pub fn exploration(program: &Program, query: &Query, config: &Config, solver: &aback_smt::Config) -> Exploration {
    let mut chain = Chain::new(solver).expect("Z3");
    chain.set_deadline(config.budget.deadline);
    explore(program, query, config, &mut chain, &mut |candidate| confirm(program, query, candidate))
}

/// The same with a heap of one's choice, and an observer of what it decides.
pub fn exploration_with<H: Heap>(
    program: &Program,
    query: &Query,
    config: &Config,
    observer: Option<Box<dyn Observer>>,
) -> Exploration {
    let mut chain = Chain::new(&aback_smt::Config::default()).expect("Z3");
    chain.set_deadline(config.budget.deadline);
    let mut confirm = |candidate: &Candidate| confirm(program, query, candidate);
    explore_with::<H>(program, query, config, &mut chain, &mut confirm, Listeners { observer, ..Listeners::default() })
}

/// Runs a candidate concretely and compares the outcome.
fn confirm(program: &Program, query: &Query, candidate: &Candidate) -> Replay {
    // Inputs that are tried may lead to runs without an end, along a list that is a circle.
    let limits = Limits { max_steps: 20_000_000, ..Limits::default() };
    match aback_witness::run(program, query.entry, &candidate.inputs, limits, &mut ()) {
        Ok(outcome) if candidate.is_shown_by(&outcome) => Replay::Confirmed,
        outcome => Replay::Rejected {
            thrown: outcome.as_ref().ok().and_then(Outcome::thrown_at),
            outcome: format!("{outcome:?} on {:?}", candidate.inputs),
        },
    }
}

/// Explores a program in threads that share what there is to do. They do so as soon as two states wait.
pub fn shared(program: &Program, query: &Query, config: &Config, jobs: usize) -> Exploration {
    let sharing = Sharing::new(jobs, Arc::default(), Duration::ZERO, 2);
    std::thread::scope(|scope| {
        let explore = |share: Share| {
            let found = share_of(program, query, config, &share, &mut |candidate| confirm(program, query, candidate));
            share.counts().then_some(found)
        };
        let first = sharing.first();
        let mut threads = vec![scope.spawn(move || explore(first))];
        while !sharing.is_over() {
            match sharing.next() {
                Some(share) => threads.push(scope.spawn(move || explore(share))),
                None => std::thread::yield_now(),
            }
        }
        let found = threads.into_iter().filter_map(|thread| thread.join().expect("no panic"));
        found.reduce(|mut found, part| {
            found.add_part(part);
            found
        })
    })
    .expect("the share of the first thread counts")
}

/// Explores one share of a program.
pub fn share_of(
    program: &Program,
    query: &Query,
    config: &Config,
    share: &Share,
    confirm: &mut dyn FnMut(&Candidate) -> Replay,
) -> Exploration {
    let mut chain = Chain::new(&aback_smt::Config::default()).expect("Z3");
    chain.set_deadline(config.budget.deadline);
    let listeners = Listeners { share: Some(share), ..Listeners::default() };
    explore_and_tell(program, query, config, &mut chain, confirm, listeners)
}

/// Asserts that concrete runs do not refute a proof of the engines.
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

/// All configurations of the backward engine that are tested, the default first.
pub fn backward_ways() -> Vec<(Variant, Encoding, bool)> {
    use Variant::{Both, ConjAlways, ConjLoops, ConjNever, DisjCombined, DisjSet, DisjTerm, Mixed, Paths};
    let variants = [ConjNever, ConjLoops, ConjAlways, DisjTerm, DisjCombined, DisjSet, Mixed, Both, Paths];
    let mut ways: Vec<_> = variants.map(|variant| (variant, Encoding::Reads, true)).to_vec();
    for variant in [ConjNever, DisjTerm, Mixed] {
        for (encoding, facts) in [(Encoding::Arrays, true), (Encoding::Reads, false), (Encoding::Arrays, false)] {
            ways.push((variant, encoding, facts));
        }
    }
    ways
}

/// The verdict of the backward engine in one configuration, with loops unwound a dozen times.
pub fn backward_verdict(program: &Program, query: &Query, way: (Variant, Encoding, bool), seconds: u64) -> String {
    let (variant, encoding, facts) = way;
    let config = aback_backward::Config { variant, encoding, facts, ..a_dozen_times(seconds) };
    shown(program, &backward(program, query, &config).exploration)
}

/// The verdict in the default configuration without slicing and hoisting.
pub fn whole_verdict(program: &Program, query: &Query, seconds: u64) -> String {
    let config = aback_backward::Config { slice: false, hoisting: false, ..a_dozen_times(seconds) };
    shown(program, &backward(program, query, &config).exploration)
}

fn a_dozen_times(seconds: u64) -> aback_backward::Config {
    let budget = Budget { deadline: Some(Instant::now() + Duration::from_secs(seconds)), ..Budget::default() };
    aback_backward::Config { unwind: Some(12), budget, ..aback_backward::Config::default() }
}

/// Reports if the backward engine comes to another verdict. It cannot prove loops that end only at their bound, and
/// in configurations other than the default it may also give up for other reasons.
fn disagreement(program: &Program, expected: &str) -> Option<String> {
    let query = everything(program);
    for (number, way) in backward_ways().into_iter().enumerate() {
        let found = backward_verdict(program, &query, way, if number == 0 { AMPLE } else { 2 });
        let kind = |text: &str| text.split(':').next().unwrap_or_default().to_string();
        let gave_up = found.starts_with("gaps: loops") || number > 0 && found.starts_with("gaps");
        if kind(&found) != kind(expected) && !gave_up {
            return Some(format!("{way:?}: {found}, but forward: {expected}"));
        }
    }
    None
}

/// Reports if the engines disagree about a part of what can be violated: all assertions, the first assertion, the
/// last trap, the last `throw`, or everything at the code line with number `seed`. For such questions the engines use
/// slices, so that they are also asked without, and the backward engine in one of its other configurations.
pub fn disagreement_on_parts(program: &Program, seconds: u64, seed: u64) -> Option<String> {
    let all = assertions(program, "Main.main", None);
    let at = |points: Vec<(MethodId, Point)>, uncaught: Uncaught| {
        (!points.is_empty()).then(|| Query { at: Some(points.into_iter().collect()), uncaught, ..all.clone() })
    };
    let is_assertion = |op: &OpKind| matches!(op, OpKind::Assert { .. });
    let assertion = at(points_of(program, &is_assertion).take(1).collect(), Uncaught::Never);
    let trap = at(points_of(program, &|op| !op.traps().is_empty()).last().into_iter().collect(), Uncaught::Any);
    let throw = at(throws(program).last().into_iter().collect(), Uncaught::Any);
    let line = at(line(program, seed), Uncaught::Any);
    let other = backward_ways()[seed as usize % backward_ways().len()];
    [Some(all.clone()), assertion, trap, throw, line].into_iter().flatten().find_map(|query| {
        let forward = |fast_path: bool, slice: bool| {
            let config = Config { fast_path, slice, ..limited(seconds) };
            shown(program, &exploration(program, &query, &config, &aback_smt::Config::default()))
        };
        let verdicts = [
            ("forward", forward(true, true)),
            ("forward, step by step", forward(false, true)),
            ("forward, all of it", forward(true, false)),
            ("forward, subsuming", shown(program, &subsuming(program, &query, Choices::Split, seconds))),
            ("forward, in two threads", shown(program, &shared(program, &query, &limited(seconds), 2))),
            ("forward, loops summarised", shown(program, &summarised(program, &query, seconds))),
            ("backward", backward_verdict(program, &query, backward_ways()[0], seconds)),
            ("backward, otherwise", backward_verdict(program, &query, other, seconds)),
            ("backward, all of it", whole_verdict(program, &query, seconds)),
        ];
        let are = |kind: &str| verdicts.iter().any(|(_, verdict)| verdict.starts_with(kind));
        let is_rejected = verdicts.iter().any(|(_, verdict)| verdict.contains("did not replay"));
        let is_wrong = are("holds") && are("violated") || is_rejected;
        is_wrong.then(|| format!("{verdicts:?} of {:?}", query.at))
    })
}

/// The heaps that are compared with the default one.
pub const OTHER_HEAPS: [HeapKind; 3] = [HeapKind::Lazy, HeapKind::Symbolic, HeapKind::Arrays];

/// What the forward engine says with a heap.
pub fn with_heap(program: &Program, query: &Query, heap: HeapKind, seconds: u64) -> Exploration {
    let config = Config { heap, ..limited(seconds) };
    exploration(program, query, &config, &aback_smt::Config::default())
}

/// Reports if the forward engine comes to another verdict with another heap. It may give up with that.
fn disagreement_of_heaps(program: &Program, expected: &str, seconds: u64) -> Option<String> {
    let kind = |text: &str| text.split(':').next().unwrap_or_default().to_string();
    OTHER_HEAPS.into_iter().find_map(|heap| {
        let found = shown(program, &with_heap(program, &everything(program), heap, seconds));
        let gave_up = found.starts_with("gaps") && !found.contains("did not replay");
        (kind(&found) != kind(expected) && !gave_up).then(|| format!("{heap:?}: {found}, but combined: {expected}"))
    })
}

/// What the forward engine says if it leaves out states that are instances of earlier ones, and forks at references with several
/// possible objects.
pub fn subsuming(program: &Program, query: &Query, choices: Choices, seconds: u64) -> Exploration {
    let config = Config { subsumption: Subsumption::Always, choices, ..limited(seconds) };
    exploration(program, query, &config, &aback_smt::Config::default())
}

/// What the forward engine says where states that meet become one.
pub fn joined(program: &Program, query: &Query, seconds: u64) -> Exploration {
    let config = Config { merging: Merging::Always, ..limited(seconds) };
    exploration(program, query, &config, &aback_smt::Config::default())
}

/// What the forward engine says if it executes loops in all numbers of iterations at once.
pub fn summarised(program: &Program, query: &Query, seconds: u64) -> Exploration {
    summarised_with(program, query, Loops::Light, LoopConditions::Both, seconds)
}

/// The same with another way of executing loops, and with another form of their conditions.
pub fn summarised_with(
    program: &Program,
    query: &Query,
    loops: Loops,
    loop_conditions: LoopConditions,
    seconds: u64,
) -> Exploration {
    let config = Config { loops, loop_conditions, ..limited(seconds) };
    exploration(program, query, &config, &aback_smt::Config::default())
}

/// Whether the conditions of loops exclude everything that is asked about: no execution counts, so that all conditions are
/// looked at that the time allows.
pub fn is_excluded(program: &Program, query: &Query, seconds: u64) -> bool {
    let config = Config { loops: Loops::Light, ..limited(seconds) };
    let mut chain = Chain::new(&aback_smt::Config::default()).expect("Z3");
    chain.set_deadline(config.budget.deadline);
    let found = explore(program, query, &config, &mut chain, &mut |_| Replay::rejected(String::new()));
    found.gaps.is_empty()
}

/// Reports if summaries of loops lead to another verdict. They may leave the question open.
fn disagreement_of_summaries(program: &Program, expected: &str, seconds: u64) -> Option<String> {
    let kind = |text: &str| text.split(':').next().unwrap_or_default().to_string();
    let found = shown(program, &summarised(program, &everything(program), seconds));
    let is_wrong = kind(&found) != kind(expected) && ![kind(&found), kind(expected)].contains(&"gaps".to_string());
    is_wrong.then(|| format!("summarised: {found}, but unwound: {expected}"))
}

/// The points at which exceptions are thrown.
fn throws(program: &Program) -> impl Iterator<Item = (MethodId, Point)> + '_ {
    let bodies = program.methods().filter_map(|(id, _)| Some((id, program.body(id)?)));
    bodies.flat_map(|(id, body)| {
        let blocks = body.block_ids().zip(&body.blocks);
        let throws = blocks.filter(|(_, block)| matches!(block.terminator.kind, TerminatorKind::Throw(_)));
        throws.map(move |(block, code)| (id, Point { block, op: code.ops.len() as u32 }))
    })
}

/// The points at the code line with this number; only lines with code are counted.
fn line(program: &Program, number: u64) -> Vec<(MethodId, Point)> {
    let mut lines: Vec<u32> = Vec::new();
    for body in program.methods().filter_map(|(id, _)| program.body(id)) {
        lines.extend(body.ops().map(|(_, op)| op.span.line).filter(|&line| line > 0));
    }
    lines.sort_unstable();
    lines.dedup();
    let Some(&line) = lines.get(number as usize % lines.len().max(1)) else { return Vec::new() };
    aback_ir::analysis::points_at_line(program, "Main.oox", line).into_iter().flatten().collect()
}

/// The points of operations that satisfy a predicate.
fn points_of<'p>(
    program: &'p Program,
    is_one: &'p dyn Fn(&OpKind) -> bool,
) -> impl Iterator<Item = (MethodId, Point)> + 'p {
    program.methods().flat_map(move |(id, _)| {
        let ops = program.body(id).into_iter().flat_map(Body::ops);
        ops.filter(|(_, op)| is_one(&op.kind)).map(move |(point, _)| (id, point))
    })
}

/// Settings with a time limit.
pub fn limited(seconds: u64) -> Config {
    let deadline = Some(Instant::now() + Duration::from_secs(seconds));
    Config { budget: Budget { deadline, ..Budget::default() }, ..Config::default() }
}

/// `holds`, `violated: <fault> at <line>`, or `gaps: …`.
pub fn shown(program: &Program, exploration: &Exploration) -> String {
    match &exploration.violation {
        Some(candidate) => {
            let fault = match candidate.fault {
                Fault::Assertion(kind) => kind.name().to_string(),
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
    verdict_with(program, &limited(AMPLE), &aback_smt::Config::default())
}

/// Checks the verdict on an OOX program.
#[track_caller]
pub fn check(source: &str, expected: &str) {
    check_program(&oox(source), expected, source);
}

/// Checks that the forward engine and all configurations of the backward engine give this answer to a question.
#[track_caller]
pub fn check_query(program: &Program, query: &Query, expected: &str) {
    let found = exploration(program, query, &limited(AMPLE), &aback_smt::Config::default());
    assert_eq!(shown(program, &found), expected, "forward");
    let whole = Config { slice: false, ..limited(AMPLE) };
    let found = exploration(program, query, &whole, &aback_smt::Config::default());
    assert_eq!(shown(program, &found), expected, "forward, all of it");
    assert_unrefuted(program, query, expected);
    for way in backward_ways() {
        assert_eq!(backward_verdict(program, query, way, AMPLE), expected, "{way:?}");
    }
    assert_eq!(whole_verdict(program, query, AMPLE), expected, "all of it");
}

#[track_caller]
fn check_program(program: &Program, expected: &str, text: &str) {
    assert_unrefuted(program, &everything(program), expected);
    assert_eq!(verdict(program), expected, "{text}");
    let step_by_step = Config { fast_path: false, ..limited(AMPLE) };
    assert_eq!(verdict_with(program, &step_by_step, &aback_smt::Config::default()), expected, "step by step: {text}");
    assert_eq!(disagreement_of_heaps(program, expected, 5), None, "{text}");
    assert_eq!(disagreement_of_summaries(program, expected, 5), None, "{text}");
    assert_eq!(disagreement(program, expected), None, "{text}");
    assert_eq!(disagreement_on_parts(program, 5, text.len() as u64), None, "{text}");
}

/// Checks the verdict on a program in IR text.
#[track_caller]
pub fn check_ir(text: &str, expected: &str) {
    check_program(&ir(text), expected, text);
}
