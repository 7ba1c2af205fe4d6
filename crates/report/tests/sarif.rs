//! Validates the SARIF output against the schema of the standard.

use aback_core::{CheckConfig, LoadConfig, Session, check};
use aback_report::{Document, Reported, Run, sarif as sarif_log};
use serde_json::Value;
use std::path::PathBuf;

const SCHEMA: &str = include_str!("sarif/sarif-schema-2.1.0.json");

/// The log for a program's main method, and the folder of the program.
fn sarif(text: &str, depth: Option<u64>) -> Value {
    let folder = tempfile::tempdir().unwrap();
    // This name must be escaped in a URI.
    let path: PathBuf = folder.path().join("Main %1.oox");
    std::fs::write(&path, text).unwrap();
    let session = Session::open(&[path], &LoadConfig::default()).unwrap();
    let program = session.program().clone();
    let answer = check(&program, &CheckConfig { depth, ..CheckConfig::default() }).unwrap();
    validated(&aback_report::sarif_of(&program, &answer))
}

/// The log, which must be what the schema says.
fn validated(text: &str) -> Value {
    let log: Value = serde_json::from_str(text).unwrap();
    // The schema's pattern for languages, which the output does not contain, has a bracket too many.
    let schema = SCHEMA.replace("-[a-zA-Z]{2}]?$", "-[a-zA-Z]{2}$");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{}\n{log:#}", errors.join("\n"));
    log
}

const VIOLATED: &str = "\
class Main {
    static void main(int x) {
        int y := half(x);
        assert y != 21;
    }
    static int half(int x) {
        if (x < 0) { return 0; }
        return x / 2;
    }
}
";

#[test]
fn a_violation_is_a_result_with_the_way_to_it() {
    let log = sarif(VIOLATED, None);
    let result = &log["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"assertion".into(), &"error".into()));
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], 4);
    assert_eq!(place["region"]["snippet"]["text"], "assert y != 21;");
    let uri = place["artifactLocation"]["uri"].as_str().unwrap();
    assert!(uri.starts_with("file:///") && uri.ends_with("/Main%20%251.oox"), "{uri}");
    let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    let lines: Vec<(u64, u64)> = flow
        .iter()
        .map(|step| {
            let line = step["location"]["physicalLocation"]["region"]["startLine"].as_u64().unwrap();
            (line, step["nestingLevel"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(lines.first(), Some(&(3, 0)));
    assert!(lines.contains(&(8, 1)), "{lines:?}");
    assert_eq!(lines.last(), Some(&(4, 0)));
}

#[test]
fn a_fingerprint_outlives_other_lines() {
    let fingerprint = |text: &str| sarif(text, None)["runs"][0]["results"][0]["partialFingerprints"].clone();
    let other = format!("// a comment\n\n{VIOLATED}");
    assert_eq!(fingerprint(VIOLATED), fingerprint(&other));
    assert_ne!(fingerprint(VIOLATED), fingerprint(&VIOLATED.replace("!= 21", "!= 22")));
}

/// Other places with the same cause are related locations, with paths of their own.
#[test]
fn places_with_the_same_cause() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Main.oox");
    std::fs::write(&path, VIOLATED).unwrap();
    let session = Session::open(&[path], &LoadConfig::default()).unwrap();
    let answer = check(session.program(), &CheckConfig::default()).unwrap();
    let document = Document::of_answer(session.program(), &[], &answer, None);
    let mut violation = document.violations().next().unwrap().clone();
    violation.cause = Some("the field Main.next is null".into());
    let mut other = violation.clone();
    other.place.line = 7;
    let (fingerprint, suppressed) = ("a:1".to_string(), Some("for a reason"));
    let reported = Reported { violation: &violation, fingerprint, suppressed, also: vec![(&other, "b:1")] };
    let log = validated(&sarif_log([reported], Run::default(), |_| Some(VIOLATED.into())));
    let result = &log["runs"][0]["results"][0];
    let message = result["message"]["text"].as_str().unwrap();
    assert!(message.ends_with("; the field Main.next is null, also at 1 other place"), "{message}");
    assert_eq!(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 7);
    assert_eq!(result["relatedLocations"][0]["properties"]["violatedLine/v2"], "b:1");
    assert_eq!(result["codeFlows"].as_array().unwrap().len(), 2);
}

#[test]
fn other_verdicts_have_no_results() {
    let holds = sarif("class Main { static void main(int x) { assert x == x; } }", None);
    assert_eq!(holds["runs"][0]["results"], Value::Array(Vec::new()));
    assert_eq!(holds["runs"][0]["invocations"][0]["toolExecutionNotifications"], Value::Array(Vec::new()));
    let steps = "int y := x + 1; int z := y - 1; int w := z; assert w == x;";
    let unknown = sarif(&format!("class Main {{ static void main(int x) {{ {steps} }} }}"), Some(2));
    let message = &unknown["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert_eq!(message, "holds within bounds: paths of more than 2 operations");
}
