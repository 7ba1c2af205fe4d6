//! Finds counterexamples for tests of what a person sees of them.

use aback_core::{CheckConfig, LoadConfig, LoadError, Session, Violations};
use aback_report::{Collections, render_steps};
use aback_witness::Witness;

/// The witness of a violation in a method `Main.run`; `None` if the compiler of the language is not installed.
pub fn found(name: &str, text: &str) -> Option<Witness> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, text).unwrap();
    let session = match Session::open(std::slice::from_ref(&file), &LoadConfig::default()) {
        Err(LoadError::Platform(missing)) => {
            eprintln!("skipped: {missing}");
            return None;
        }
        opened => opened.unwrap(),
    };
    let violations = Violations::in_language(session.program(), false);
    let config = CheckConfig { entry: Some("Main.run".into()), violations, ..CheckConfig::default() };
    let answer = session.check(&config).unwrap();
    let violation = answer.violation.as_ref().unwrap_or_else(|| panic!("{}", answer.reason(&answer.program)));
    let mut witness = session.witness(&answer, violation, None);
    // The name of the folder changes from run to run.
    witness.execution.files.iter_mut().for_each(|file| file.path = name.into());
    witness.violation.place.file = name.into();
    // All tests look at witnesses that were written, fit the schema, and were read.
    let text = witness.sealed().to_text();
    let schema = serde_json::from_str(include_str!("../../../../docs/witness.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> =
        schema.iter_errors(&serde_json::from_str(&text).unwrap()).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    Some(Witness::from_text(&text).unwrap())
}

/// The lines of the text behind the head.
pub fn steps(witness: &Witness, collections: Collections) -> String {
    let mut text = String::new();
    render_steps(witness, collections, &mut text).unwrap();
    text.split_once("at the start:\n").unwrap().1.to_owned()
}
