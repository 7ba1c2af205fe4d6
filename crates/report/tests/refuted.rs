//! Checks how an answer reports that a concrete run refuted an engine's proof, which must never happen.

use aback_core::{CheckConfig, DoubleCheck, Engine, LoadConfig, SecondSaid, Session, check};
use aback_report::{Detail, Document, Provenance, render_answer};
use std::collections::BTreeMap;

#[test]
fn proofs_that_were_refuted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Main.oox");
    std::fs::write(&file, "class Main { static void main(int x) { assert x != 7; } }").unwrap();
    let loaded = Session::open(&[file], &LoadConfig::default()).unwrap();
    let mut answer = check(loaded.program(), &CheckConfig::default()).unwrap();
    let text = |answer: &_| render_answer(loaded.program(), answer, Detail::default());
    let provenance = || Provenance {
        aback: "0".into(),
        platform: BTreeMap::new(),
        solver: "z3".into(),
        options: Vec::new(),
        seed: 0,
    };
    let json = |answer: &_| Document::of_answer(loaded.program(), &[], answer, Some(provenance())).to_text();
    assert!(!text(&answer).contains("refutes") && !json(&answer).contains("refuted_proof"));

    answer.refuted_proof = true;
    answer.double_check = Some(DoubleCheck { engine: Engine::Backward, said: SecondSaid::Disagrees });
    let told = text(&answer);
    let last: Vec<&str> = told.lines().rev().take(2).collect();
    insta::assert_snapshot!(last.join("\n"), @r"
      double check: the backward engine disagrees with a proof, which is a defect of aback: please report it with the program
    note: this refutes a proof that aback found: please report it with the program
    ");
    let document: serde_json::Value = serde_json::from_str(&json(&answer)).unwrap();
    assert_eq!(document["refuted_proof"], true);
    assert_eq!(document["double_check"]["result"], "disagrees");
}
