//! The example structures (`examples/java/structures`): their sentences allow no heap that the classes' own `repOk` rejects.

use aback_core::{CheckConfig, End, Explored, InvariantFile, LoadConfig, Session};
use aback_forward::HeapKind;
use std::path::PathBuf;
use std::sync::Arc;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/java/structures")
}

/// The sentences in a file of the folder; `None` if there is no such file.
fn sentences(name: &str) -> Option<String> {
    std::fs::read_to_string(folder().join(name)).ok()
}

/// The behaviours of an entry point on inputs that satisfy the sentences of the class, within their bounds if it has some.
fn explore(class: &str, method: &str) -> Explored {
    let session = Session::open(&[folder().join(format!("{class}.java"))], &LoadConfig::default()).unwrap();
    let lower = class.to_lowercase();
    let text = sentences(&format!("{lower}.hex")).unwrap();
    let bound = sentences(&format!("{lower}-bound.hex"));
    // Without a bound, there is no end: these operations are enough for structures of some ten objects.
    let operations = if bound.is_some() { 400_000 } else { 20_000 };
    let config = CheckConfig {
        entry: Some(format!("{class}.{method}")),
        heap: HeapKind::Lazy,
        operations: Some(operations),
        invariants: Some(Arc::new(InvariantFile { path: "class.hex".into(), text: text + &bound.unwrap_or_default() })),
        ..CheckConfig::default()
    };
    session.explore(&config, 10_000).unwrap()
}

/// `repOk` returns true for each heap that the sentences allow, and there are as many of these as expected if they are bounded.
#[track_caller]
fn check(class: &str, heaps: Option<usize>) {
    let explored = explore(class, "repOk()");
    for found in &explored.behaviours {
        assert_eq!(found.end, End::Returned(Some("true".into())), "{:?}", found.inputs);
    }
    match heaps {
        Some(heaps) => assert_eq!((explored.behaviours.len(), explored.reason().as_str()), (heaps, "")),
        None => assert!(!explored.behaviours.is_empty()),
    }
}

/// The methods of the program see only inputs that `repOk` of their arguments accepts.
#[track_caller]
fn check_program(class: &str, method: &str) {
    let explored = explore(class, method);
    let counts = explored.counts.unwrap();
    assert!(counts.traces > 0);
    assert_eq!(counts.invalid, 0);
}

#[test]
fn lists() {
    check("CircularList", None);
    check("LinkedSequence", Some(6));
    check("CachingRing", Some(15));
    check("FlightPlan", Some(4));
}

#[test]
fn trees() {
    check("RedBlackMap", Some(31));
    check("AvlSet", Some(20));
    check_program("ScopeVisitor", "names");
    check_program("LabelRenamer", "rename");
}
