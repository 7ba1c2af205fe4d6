//! Writes an answer in SARIF 2.1.0 (OASIS), the format in which code hosts and editors accept the results of
//! analyses.
//!
//! This replaces `serde-sarif`, of whose more than a hundred generated types only a dozen would be used, at the price
//! of compiling two more derive macros. A test validates the output against the schema of the standard.

use aback_core::{Answer, Verdict, Violation};
use aback_ir::{AssertKind, Program, Span};
use aback_symbolic::Fault;
use aback_witness::PathEntry;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The kinds of violations: identifier, short description and full description.
const RULES: [(&str, &str, &str); 3] = [
    ("assertion", "An assertion can be false.", "Some input leads to a false condition in an assert statement."),
    (
        "contract",
        "A contract can be broken.",
        "Some input leads to a false requires, ensures or exceptional condition.",
    ),
    ("exception", "An exception is not caught.", "Some input leads to an exception that leaves the entry point."),
];

/// A SARIF log of one run. A violation is a result whose code flow is the path to it. Any other verdict except a
/// proof is a notification that states the reason.
pub fn sarif(program: &Program, answer: &Answer) -> String {
    let mut files = Files { program, uris: BTreeMap::new() };
    let results: Vec<Value> = answer.violation.iter().map(|violation| result(&mut files, violation)).collect();
    let mut notifications = Vec::new();
    if matches!(answer.verdict, Verdict::Unknown | Verdict::HoldsWithinBounds) {
        let text = format!("{}: {}", answer.verdict, answer.reason(program));
        notifications.push(json!({ "level": "warning", "message": { "text": text } }));
    }
    let rules: Vec<Value> = RULES
        .iter()
        .map(|(id, short, full)| {
            json!({
                "id": id,
                "shortDescription": { "text": short },
                "fullDescription": { "text": full },
                "defaultConfiguration": { "level": "error" },
            })
        })
        .collect();
    let mut artifacts: Vec<(&String, &usize)> = files.uris.iter().collect();
    artifacts.sort_by_key(|(_, index)| **index);
    let artifacts: Vec<Value> = artifacts.iter().map(|(uri, _)| json!({ "location": { "uri": uri } })).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "aback",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "invocations": [{ "executionSuccessful": true, "toolExecutionNotifications": notifications }],
            "columnKind": "unicodeCodePoints",
            "artifacts": artifacts,
            "results": results,
            "properties": {
                "verdict": answer.verdict.to_string(),
                "seconds": answer.time.as_secs_f64(),
                "entries": answer.entries.iter().map(|&entry| program.method_name(entry)).collect::<Vec<_>>(),
                "assumptions": answer.assumptions,
                "bounds": answer.bounds(program),
            },
        }],
    });
    // All keys are strings, so writing cannot fail.
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    text
}

/// The mentioned files by URI, with the order in which they were first mentioned.
struct Files<'a> {
    program: &'a Program,
    uris: BTreeMap<String, usize>,
}

impl Files<'_> {
    fn artifact(&mut self, span: Span) -> Option<Value> {
        let uri = uri(&self.program.file(span.file)?.path);
        let next = self.uris.len();
        let index = *self.uris.entry(uri.clone()).or_insert(next);
        Some(json!({ "uri": uri, "index": index }))
    }

    fn location(&mut self, span: Span, method: &str) -> Value {
        let mut location = json!({ "logicalLocations": [{ "fullyQualifiedName": method, "kind": "function" }] });
        if let Some(artifact) = self.artifact(span) {
            let mut physical = json!({ "artifactLocation": artifact });
            if span.is_known() {
                physical["region"] = region(self.program, span);
            }
            location["physicalLocation"] = physical;
        }
        location
    }
}

/// A place as a region, with the source text.
fn region(program: &Program, span: Span) -> Value {
    let mut region = json!({ "startLine": span.line });
    if span.column > 0 {
        region["startColumn"] = span.column.into();
        if span.length > 0 {
            region["endColumn"] = (span.column + span.length).into();
        }
    }
    let text = line(program, span);
    if !text.is_empty() && span.length > 0 {
        let start = span.column.saturating_sub(1) as usize;
        let snippet: String = text.chars().skip(start).take(span.length as usize).collect();
        // A place that continues beyond its line ends on another line.
        if snippet.chars().count() < span.length as usize {
            region.as_object_mut().map(|region| region.remove("endColumn"));
        }
        region["snippet"] = json!({ "text": snippet });
    } else if !text.is_empty() {
        region["snippet"] = json!({ "text": text.trim() });
    }
    region
}

fn line(program: &Program, span: Span) -> &str {
    let text = program.file(span.file).and_then(|file| file.text.as_deref()).unwrap_or_default();
    (span.line as usize).checked_sub(1).and_then(|line| text.lines().nth(line)).unwrap_or_default()
}

fn rule(violation: &Violation) -> usize {
    match violation.fault {
        Fault::Assertion(AssertKind::Assert | AssertKind::Thrown) => 0,
        Fault::Assertion(_) => 1,
        Fault::Trap(_) | Fault::Thrown(_) => 2,
    }
}

fn result(files: &mut Files, violation: &Violation) -> Value {
    let program = files.program;
    let rule = rule(violation);
    let method = violation.path.last().map_or(violation.entry, |entry| entry.method);
    let method = program.method_name(method);
    let mut message = violation.describe(program);
    let inputs: Vec<String> = violation.shown_inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if !inputs.is_empty() {
        message.push_str(&format!(", as with {}", inputs.join("; ")));
    }
    let steps: Vec<Value> = violation.path.iter().enumerate().map(|(index, entry)| step(files, index, entry)).collect();
    let named: Vec<Value> =
        violation.shown_inputs.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
    let mut result = json!({
        "ruleId": RULES[rule].0,
        "ruleIndex": rule,
        "kind": "fail",
        "level": "error",
        "message": { "text": message },
        "locations": [files.location(violation.span, &method)],
        "partialFingerprints": { "violatedLine/v1": fingerprint(program, violation, &method) },
        "properties": { "entry": program.method_name(violation.entry), "inputs": named },
    });
    if !steps.is_empty() {
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
    }
    if let Some(confirmation) = &violation.confirmation {
        result["properties"]["confirmation"] = crate::describe_confirmation(confirmation, false).into();
    }
    result
}

fn step(files: &mut Files, index: usize, entry: &PathEntry) -> Value {
    let program = files.program;
    let mut location = files.location(entry.span, &program.method_name(entry.method));
    let text = line(program, entry.span).trim();
    if !text.is_empty() {
        location["message"] = json!({ "text": text });
    }
    json!({ "location": location, "nestingLevel": entry.depth, "executionOrder": index + 1 })
}

/// A hash that stays the same for the same violation in a later version of the program with different line numbers:
/// FNV-1a of the rule, the name of the file, the method and the text of the line.
fn fingerprint(program: &Program, violation: &Violation, method: &str) -> String {
    let file = program.file(violation.span.file).and_then(|file| file.path.file_name()?.to_str());
    let text = line(program, violation.span).trim();
    let parts = [RULES[rule(violation)].0, file.unwrap_or_default(), method, text];
    let hash = parts
        .join("\0")
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

/// A path as a URI reference (RFC 3986).
pub(crate) fn uri(path: &Path) -> String {
    let text = path.to_string_lossy();
    let mut uri = String::from(if path.is_absolute() { "file://" } else { "" });
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
