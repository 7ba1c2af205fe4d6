//! Questions about inputs that satisfy invariants in the language HEX.

use crate::random::Random;
use aback_core::{CheckConfig, CheckError, Engine, InvariantFile, LoadConfig, Session, Violations};
use aback_forward::HeapKind;
use std::sync::Arc;

fn session(extension: &str, source: &str) -> Session {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("Main.{extension}"));
    std::fs::write(&file, source).unwrap();
    Session::open(&[file], &LoadConfig::default()).unwrap()
}

fn file(text: &str) -> Arc<InvariantFile> {
    Arc::new(InvariantFile { path: "main.hex".into(), text: text.into() })
}

fn config(session: &Session, entry: &str, invariants: Option<&str>) -> CheckConfig {
    CheckConfig {
        entry: Some(entry.into()),
        violations: Violations::in_language(session.program(), false),
        operations: Some(200_000),
        invariants: invariants.map(file),
        ..CheckConfig::default()
    }
}

/// The answer, with the inputs of a violation or the reason of an unknown.
fn said(session: &Session, entry: &str, invariants: Option<&str>) -> String {
    said_with(session, &config(session, entry, invariants))
}

fn said_with(session: &Session, config: &CheckConfig) -> String {
    let answer = session.check(config).unwrap();
    let said = answer.said();
    match &answer.violation {
        Some(found) => {
            let inputs: Vec<String> =
                found.shown_inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            format!("{said} at {}: {}", found.span.line, inputs.join(", "))
        }
        None if said == "holds" => said.into(),
        None => {
            let reason = answer.reason(session.program());
            format!("{said}: {}", reason.split(" at /").next().unwrap_or_default())
        }
    }
}

/// Checks the answer about `Main.main` of an OOX program. Symbolic initialization gives the same, with other inputs.
#[track_caller]
fn check(source: &str, invariants: &str, expected: &str) {
    let session = session("oox", source);
    let config = config(&session, "Main.main", Some(invariants));
    assert_eq!(said_with(&session, &config), expected);
    let on_symbolic = said_with(&session, &CheckConfig { heap: HeapKind::Symbolic, ..config });
    let start = |said: &str| said.split(": ").next().unwrap_or_default().to_string();
    assert_eq!(start(&on_symbolic), start(expected), "{on_symbolic} with symbolic initialization");
}

const NODE: &str = "class Node { int v; Node next; } class Sub extends Node { }";
const CIRCULAR: &str = "root.list not null; root.list(.next)+ not null; root.list(.next)+ aliases root.list;";

fn main_with(members: &str) -> String {
    format!("{NODE}\nclass Main {{ {members} }}")
}

/// Paper 3, figures 1 and 2: of the nine assumptions, 1.2.1, 1.2.3.1 and 1.2.3.2 are no circular lists.
#[test]
fn a_circular_list() {
    let program = main_with(
        "static void main(Node list, int foo) {
            if (foo < 0) {
                Node second := list.next;
                Node third := second.next;
                assert third != null && (third != second || second == list);
            }
        }",
    );
    check(&program, CIRCULAR, "holds");
    let session = session("oox", &program);
    assert!(said(&session, "Main.main", None).starts_with("violated at 4"));
}

/// References that the path never reads get values with which the whole heap satisfies the invariants.
#[test]
fn inputs_are_completed() {
    let program = main_with("static void main(Node list) { assert list.v != 3; }");
    check(&program, CIRCULAR, "violated at 2: list = Node#1 { v = 3, next = Node#1 }");
    let two = format!("{CIRCULAR} root.list.next aliases nothing;");
    check(&program, &two, "violated at 2: list = Node#1 { v = 3, next = Node#2 { v = 0, next = Node#1 } }");
    let none = "root.list not null; any Node.next not null; any Node.next aliases nothing;";
    check(&program, none, "unknown: no inputs that satisfy the invariants were found for a path");
}

#[test]
fn parameters_without_sentences_are_any_heap() {
    let program = main_with("static void main(Node list, Node other) { assert list.next != null || other == null; }");
    let ends = "root.list not null; root.list(.next)+ aliases nothing;";
    let found = said(&session("oox", &program), "Main.main", Some(ends));
    assert!(found.starts_with("violated at 2: list = ") && !found.contains("other = null"), "{found}");
}

#[test]
fn subclasses_and_arrays() {
    let program = main_with("static void main(Node n) { assert n == null || n.next == null || n instanceof Sub; }");
    check(&program, "root.n expands to Sub;", "holds");
    let program = main_with(
        "static void main(Node[] a) {
            assume a != null && #a == 2 && a[0] != null && a[1] != null;
            a[0].v := 1; a[1].v := 2;
            assert a[0].v == 1;
        }",
    );
    check(&program, "root.a[] aliases nothing;", "holds");
    let found = said(&session("oox", &program), "Main.main", Some("root.a not null;"));
    assert!(found.starts_with("violated at 5: a = Node[2]#1 = ["), "{found}");
    // Elements that the path never reads are references, too.
    let program = main_with("static void main(Node[] a) { assert a == null || #a < 2; }");
    let found = said(&session("oox", &program), "Main.main", Some("root.a[] not null; root.a[] aliases nothing;"));
    assert!(found.starts_with("violated at 2: a = Node[") && !found.contains("[null"), "{found}");
}

/// Every engine and heap takes invariants: a counterexample that does not satisfy them does not count, and one that does is
/// found.
#[test]
fn all_engines_and_heaps() {
    let program = main_with(
        "static void main(Node list) {
            Node second := list.next;
            assert second != null;
            assert second.next != second || second == list;
            assert second == list;
        }",
    );
    let session = session("oox", &program);
    let engines = [Engine::Forward, Engine::Backward, Engine::Auto];
    let heaps = [HeapKind::Combined, HeapKind::Lazy, HeapKind::Symbolic, HeapKind::Arrays];
    for (engine, heap) in engines.into_iter().flat_map(|engine| heaps.map(|heap| (engine, heap))) {
        let config = CheckConfig { engine, heap, ..config(&session, "Main.main", Some(CIRCULAR)) };
        let answer = session.check(&config).unwrap();
        let line = answer.violation.as_ref().map(|found| found.span.line);
        assert_eq!(line, Some(6), "{engine} with {heap:?}: {}", answer.reason(session.program()));
        let short = format!("{CIRCULAR} root.list.next expands to nothing;");
        let config = CheckConfig { invariants: Some(file(&short)), ..config };
        assert_eq!(session.check(&config).unwrap().said(), "holds", "{engine} with {heap:?}");
    }
}

/// Two indices may be equal: then there is one reference, which is no alias of itself.
#[test]
fn elements_at_unknown_indices() {
    let program = main_with(
        "static void main(Node[] a, int i, int j) {
            assume a != null && 0 <= i && i < #a && 0 <= j && j < #a;
            Node x := a[i]; Node y := a[j];
            assert x == null || x != y || i == j;
            assert x == null || i != j;
        }",
    );
    let found = said(&session("oox", &program), "Main.main", Some("root.a[] aliases nothing;"));
    assert!(found.starts_with("violated at 6"), "{found}");
}

const SORTED: &str = "class Check { static bool ordered(Node a, Node b) { return b == null || a.v <= b.v; } }";

/// Companion methods see the heap at entry: what the program has written before it reads the next reference is no part of the
/// input. (Otherwise, the assertion would seem to hold.)
#[test]
fn companion_methods_see_the_heap_at_entry() {
    let program = format!(
        "{SORTED}\n{}",
        main_with("static void main(Node n) { n.v := 100; Node m := n.next; assert m == null || m.v >= 100; }")
    );
    let sorted =
        "root.n not null; any Node.next aliases nothing; any Node.next expands to Node triggers Check.ordered;";
    let found = said(&session("oox", &program), "Main.main", Some(sorted));
    assert!(found.starts_with("violated at 3: n = Node#1 { v = "), "{found}");
    let program = format!(
        "{SORTED}\n{}",
        main_with(
            "static void main(Node n) {
                int a := n.v; Node m := n.next; assume m != null; Node o := m.next; assume o != null;
                assert a <= o.v;
                assert a != o.v;
            }"
        )
    );
    let found = said(&session("oox", &program), "Main.main", Some(sorted));
    assert!(found.starts_with("violated at 6"), "{found}");
}

/// An object that two parameters lead to is found on the paths of both, in whatever order the program reads them.
#[test]
fn companion_methods_of_all_orders() {
    let program = main_with(
        "static bool positive(Node n) { return n == null || n.v > 0; }
        static bool apart(Node a, Node b) { return b == null || a.v != b.v; }
        static void main(Node a, Node b) {
            if (b != null && b.next != null && a == b) { assert b.next.v > 0; }
        }
        static void other(Node a, Node b) {
            if (b != null && b.next != null) { assert b.next.v > 0; }
        }
        static void late(Node a, Node b) {
            if (b != null && b.next != null && b.next.v == 0) { assert a != b; }
        }
        static void deep(Node a, Node b) {
            if (b != null && b.next != null && a != null && a.next == b) { assert b.next.v != b.v; }
        }",
    );
    let session = session("oox", &program);
    let positive = "root.a.next expands to Node triggers Main.positive;";
    let said = |entry: &str, invariants: &str| said(&session, entry, Some(invariants));
    assert_eq!(said("Main.main", positive), "holds");
    assert_eq!(said("Main.late", positive), "holds");
    assert!(said("Main.other", positive).starts_with("violated at 8"));
    assert_eq!(said("Main.deep", "any Node.next not null triggers Main.apart;"), "holds");
    assert!(said("Main.deep", "root.b.next not null triggers Main.positive;").starts_with("violated at 14"));
}

/// Numbers do not become smaller afterwards.
#[test]
fn inputs_satisfy_companion_methods() {
    let check = "class Check { static bool big(Node n) { return n == null || n.v >= 50; } }";
    let program = format!("{check}\n{}", main_with("static void main(Node n) { assert n == null || n.v == 60; }"));
    let big = "root.n expands to Node triggers Check.big;";
    let found = said(&session("oox", &program), "Main.main", Some(big));
    let value = found.split("v = ").nth(1).and_then(|rest| rest.split(',').next()).unwrap_or(&found);
    assert!(value.parse::<i64>().unwrap() >= 50, "{found}");
}

/// A `repOk` method of the program, without any sentence about its shape.
#[test]
fn methods_that_check_a_whole_structure() {
    let source = include_str!("sized_list.java");
    let session = session("java", source);
    let is_valid = Some("root.this expands to Main triggers Main.repOk;");
    assert!(said(&session, "Main.second", is_valid).starts_with("violated at 19"));
    assert!(said(&session, "Main.removeFirst", None).starts_with("violated at 15"));
    // The list can have any length, so that there is no proof.
    assert_eq!(said(&session, "Main.removeFirst", is_valid), "unknown: limit of 200000 operations");
}

/// `int` is the language's own.
#[test]
fn arrays_of_numbers() {
    let session = session("java", "public class Main { static void main(int[] a) { assert a == null; } }");
    let found = said(&session, "Main.main", Some("root.a expands to int[];"));
    assert!(found.starts_with("violated"), "{found}");
    assert_eq!(said(&session, "Main.main", Some("root.a expands to long[];")), "holds");
}

#[test]
fn errors_point_at_the_place() {
    let session = session("oox", &main_with("static void main(Node list) { assert list == null; }"));
    let error = session.check(&config(&session, "Main.main", Some("root.list not null;\nroot.lst.next not null;")));
    let Err(CheckError::Invariants { diagnostics, .. }) = error else { panic!("no error") };
    let [error] = &diagnostics[..] else { panic!("{diagnostics:?}") };
    assert_eq!((error.span.line, error.span.column), (2, 6));
    assert!(error.message.contains("lst"), "{}", error.message);
}

/// Bounded model finding excludes the same heaps as the incremental procedure, and those that only several sentences together
/// exclude. What needs more objects is a bound.
#[test]
fn bounded_model_finding() {
    let program = main_with(
        "static void main(Node list) {
            Node second := list.next;
            Node third := second.next;
            assert third != null && (third != second || second == list);
            assert third == list;
        }",
    );
    let session = session("oox", &program);
    let within = |scope: usize, invariants: &str| {
        let config = CheckConfig { scope: Some(scope), ..config(&session, "Main.main", Some(invariants)) };
        let answer = session.check(&config).unwrap();
        let line = answer.violation.as_ref().map(|found| format!(" at {}", found.span.line));
        format!("{}{}", answer.said(), line.unwrap_or_else(|| format!(": {}", answer.reason(session.program()))))
    };
    assert_eq!(within(4, CIRCULAR), "violated at 6");
    // The path needs three objects, and the list four.
    let four = format!(
        "{CIRCULAR} root.list.next(.next(.next)?)? expands to Node; root.list.next(.next(.next)?)? aliases nothing;"
    );
    assert_eq!(within(4, &four), "violated at 6");
    let bound = "inputs that satisfy the invariants have at most 3 objects";
    assert!(within(3, &four).starts_with(&format!("holds within bounds: {bound}")), "{}", within(3, &four));
}

/// Lazy and symbolic initialization agree about random programs and sentences.
#[test]
fn random_programs() {
    let (mut violated, mut held) = (0, 0);
    for seed in 0..6 {
        let mut random = Random(seed);
        let mut variables = vec!["list".to_string(), "other".to_string()];
        let mut body = String::new();
        for step in 0..2 + random.below(4) {
            let from = random.pick(&variables).unwrap().clone();
            let field = random.pick(&["next", "next", "prev"]).unwrap();
            body += &format!("assume {from} != null; Twin x{step} := {from}.{field};\n");
            if random.below(4) == 0 {
                let (to, what) = (random.pick(&variables).unwrap().clone(), random.pick(&variables).unwrap().clone());
                body += &format!("assume {to} != null; {to}.{field} := {what};\n");
            }
            variables.push(format!("x{step}"));
        }
        let (one, other) = (random.pick(&variables).unwrap().clone(), random.pick(&variables).unwrap().clone());
        let condition = match random.below(4) {
            0 => format!("{one} == {other}"),
            1 => format!("{one} != {other}"),
            2 => format!("{one} != null"),
            _ => format!("{one} == null || {other} == null || {one} != {other} || {one}.next != {other}"),
        };
        let source = format!(
            "class Twin {{ Twin next; Twin prev; }}
            class Main {{ static void main(Twin list, Twin other) {{ {body} assert {condition}; }} }}"
        );
        let sentences: Vec<String> = (0..1 + random.below(3)).map(|_| sentence(&mut random)).collect();
        let invariants = sentences.join(" ");
        let session = session("oox", &source);
        let answers = [HeapKind::Lazy, HeapKind::Symbolic].map(|heap| {
            let config = config(&session, "Main.main", Some(&invariants));
            let config = CheckConfig { heap, operations: Some(8_000), ..config };
            session.check(&config).unwrap().said().to_string()
        });
        match (answers[0].as_str(), answers[1].as_str()) {
            ("violated", "violated") => violated += 1,
            ("holds", "holds") => held += 1,
            (one, other) => assert!(
                one.starts_with("unknown") || other.starts_with("unknown"),
                "lazy: {one}, symbolic: {other}\n{source}\n{invariants}"
            ),
        }
    }
    println!("{violated} violated, {held} held");
    assert!(violated >= 2 && held >= 1, "{violated} violated, {held} held");
}

fn sentence(random: &mut Random) -> String {
    let origin = random.pick(&["root.list", "root.list", "root.other", "any Twin"]).unwrap();
    let words = random.pick(&[".next", "(.next)+", ".prev", "(.next|.prev)", ".next.prev", ".next.next"]).unwrap();
    let second = random.pick(&["", "(.next)*", ".next"]).unwrap();
    let requirement = match random.below(6) {
        0 => "not null".into(),
        1 => "expands to nothing".into(),
        2 => "aliases nothing".into(),
        3 => format!("aliases max {origin}{second}"),
        _ => format!("aliases {origin}{second}"),
    };
    let atom = format!("{origin}{words} {requirement}");
    match random.below(4) {
        0 => format!("{origin} not null implies {atom};"),
        1 => format!("{atom} or {origin}{words} not null;"),
        _ => format!("{atom};"),
    }
}
