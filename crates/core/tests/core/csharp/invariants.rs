//! Questions about inputs that satisfy invariants in the language HEX.

use crate::csharp::open_source;
use aback_core::{CheckConfig, CheckError, InvariantFile, Session, Violations};
use std::sync::Arc;
use std::time::Duration;

const PROGRAM: &str = "
using System.Collections.Generic; using System.Diagnostics;
public class Node {
    public int Value; public Node Next { get; set; } public Node Previous; public List<Node> Children;
    public bool IsShort() => Next == null || Next.Next == null;
}
public class Sorted { public static bool Ordered(Node node, Node next) => next == null || node.Value <= next.Value; }
public static class Test {
    public static void Chain(Node list) {
        Node node = list;
        for (int i = 0; node != null && i < 3; i++) {
            node = node.Next;
            Debug.Assert(node == null || node != list);
        }
    }
    public static void Separate(Node one, Node other) {
        if (one == null || other == null) return;
        one.Value = 1; other.Value = 2;
        Debug.Assert(one.Value == 1);
    }
    public static void Linked(Node list) { Debug.Assert(list?.Next == null || list.Next.Previous == list); }
    public static void Alone(Node list) { Debug.Assert(list?.Next == null || list.Next.Previous != list); }
    public static void Elements(Node[] nodes) {
        if (nodes != null && nodes.Length > 1) Debug.Assert(nodes[0] != nodes[1] || nodes[0] == null);
    }
    public static void Companion(Node list) { Debug.Assert(list?.Next == null || list.Value <= list.Next.Value); }
    public static void Short(Node list) { Debug.Assert(list?.Next?.Next == null); }
    public static void Held(ref Node place, Node list) {
        place = list;
        Debug.Assert(place == null || place.Next != place);
    }
}";

fn said(session: &Session, entry: &str, invariants: &str) -> String {
    let file = InvariantFile { path: "test.hex".into(), text: invariants.into() };
    let config = CheckConfig {
        entry: Some(format!("Test.{entry}")),
        violations: Violations::in_language(session.program(), false),
        invariants: Some(Arc::new(file)),
        timeout: Some(Duration::from_secs(60)),
        ..CheckConfig::default()
    };
    match session.check(&config) {
        Ok(answer) => answer.said().into(),
        Err(CheckError::Invariants { diagnostics, .. }) => diagnostics[0].message.clone(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn sentences() {
    let Some(session) = open_source(PROGRAM) else { return };
    let no_cycles = "any Node.Next aliases nothing;";
    let doubly = "any Node.Next aliases nothing; root.list.Previous expands to nothing and root.list.Previous aliases nothing;
        any Node.Next.Previous not null and any Node.Next.Previous expands to nothing and any Node.Next.Previous aliases any Node;";
    for (entry, invariants, expected) in [
        ("Chain", no_cycles, "holds"),
        ("Chain", "root.list not null;", "violated"),
        ("Separate", "root.other aliases nothing;", "holds"),
        ("Separate", "root.other aliases root.one;", "violated"),
        ("Linked", doubly, "holds"),
        ("Alone", doubly, "violated"),
        ("Elements", "root.nodes[] aliases nothing;", "holds"),
        ("Elements", "root.nodes[] not null;", "violated"),
        ("Companion", "any Node.Next expands to Node triggers Sorted.Ordered;", "holds"),
        ("Companion", no_cycles, "violated"),
        ("Short", "root.list expands to Node triggers Node.IsShort;", "holds"),
        ("Held", no_cycles, "holds"),
        ("Chain", "any Node.next aliases nothing;", "no class has a field `next`"),
    ] {
        assert_eq!(said(&session, entry, invariants), expected, "{entry} with {invariants}");
    }
}
