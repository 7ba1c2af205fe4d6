//! Writes an answer in SARIF 2.1.0 (OASIS), the format in which code hosts and editors accept the results of
//! analyses.
//!
//! This replaces `serde-sarif`, of whose more than a hundred generated types only a dozen would be used, at the price
//! of compiling two more derive macros. A test validates the output against the schema of the standard.

use crate::counted;
use crate::json::{Document, Kind, PlaceDocument, StepDocument, ViolationDocument};
use aback_core::Answer;
use aback_ir::{FileId, Program};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The key of fingerprints in logs. The number is that of the way in which they are computed.
pub const FINGERPRINT: &str = "violatedLine/v2";
/// The key in logs of earlier versions ([`earlier_fingerprint`]).
pub const EARLIER_FINGERPRINT: &str = "violatedLine/v1";

/// The kinds of violations: identifier, short description and full description.
const RULES: [(Kind, &str, &str, &str); 3] = [
    (
        Kind::Assertion,
        "assertion",
        "An assertion can be false.",
        "Some input leads to a false condition in an assert statement.",
    ),
    (
        Kind::Contract,
        "contract",
        "A contract can be broken.",
        "Some input leads to a false requires, ensures or exceptional condition.",
    ),
    (
        Kind::Exception,
        "exception",
        "An exception is not caught.",
        "Some input leads to an exception that leaves the entry point.",
    ),
];

/// The identifier of the rule that a kind of violation breaks.
pub fn rule(kind: Kind) -> &'static str {
    RULES.iter().find(|(known, ..)| *known == kind).map_or("", |(_, id, ..)| id)
}

/// What a log of one run says beside its results.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// What a reader of the results must know: questions without an answer, for example.
    pub notifications: Vec<String>,
    /// Further properties of the run, by name.
    pub properties: serde_json::Map<String, Value>,
}

impl Run {
    /// What is to be said about one answer.
    pub fn of(answer: &Document) -> Self {
        let notifications = match answer.reason.is_empty() {
            true => Vec::new(),
            false => vec![format!("{}: {}", answer.verdict, answer.reason)],
        };
        let properties = json!({
            "verdict": answer.verdict,
            "seconds": answer.statistics.as_ref().map(|statistics| statistics.seconds),
            "entries": answer.entries,
            "assumptions": answer.assumptions,
            "bounds": answer.bounds,
        });
        Run { notifications, properties: properties.as_object().cloned().unwrap_or_default() }
    }
}

/// The SARIF log of one answer.
pub fn sarif_of(program: &Program, answer: &Answer) -> String {
    let document = Document::of_answer(program, &[], answer, None);
    let text = |path: &str| {
        let files = (0..program.file_count()).filter_map(|number| program.file(FileId(number as u32)));
        files.filter(|file| file.path.display().to_string() == path).find_map(|file| file.text.clone())
    };
    let mut fingerprints = Fingerprints::default();
    let results = document.violations().map(|violation| {
        let text = text(&violation.place.file).unwrap_or_default();
        let line = (violation.place.line as usize).checked_sub(1).and_then(|before| text.lines().nth(before));
        let fingerprint = fingerprints.next(violation, line.unwrap_or_default());
        Reported { violation, fingerprint, suppressed: None, also: Vec::new() }
    });
    sarif(results, Run::of(&document), text)
}

/// A violation as a result of a log.
#[derive(Clone, Debug)]
pub struct Reported<'a> {
    /// The violation.
    pub violation: &'a ViolationDocument,
    /// What [`Fingerprints`] gave it.
    pub fingerprint: String,
    /// The reason for which the sources suppress it.
    pub suppressed: Option<&'a str>,
    /// Violations at other places with the same cause, with their fingerprints.
    pub also: Vec<(&'a ViolationDocument, &'a str)>,
}

/// A SARIF log of one run. Each violation is a result whose code flow is the path to it. `sources` gives the text of a source file, if
/// it is known.
pub fn sarif<'a>(
    results: impl IntoIterator<Item = Reported<'a>>,
    run: Run,
    sources: impl Fn(&str) -> Option<String>,
) -> String {
    let mut files = Files { sources, texts: BTreeMap::new(), uris: Some(BTreeMap::new()) };
    let results: Vec<Value> = results.into_iter().map(|reported| files.result(&reported)).collect();
    let notifications: Vec<Value> =
        run.notifications.iter().map(|text| json!({ "level": "warning", "message": { "text": text } })).collect();
    let rules: Vec<Value> = RULES
        .iter()
        .map(|(_, id, short, full)| {
            json!({
                "id": id,
                "shortDescription": { "text": short },
                "fullDescription": { "text": full },
                "defaultConfiguration": { "level": "error" },
            })
        })
        .collect();
    let mut artifacts: Vec<(&String, &usize)> = files.uris.iter().flatten().collect();
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
            "properties": run.properties,
        }],
    });
    // All keys are strings, so writing cannot fail.
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    text
}

/// The files that a log mentions.
struct Files<S> {
    sources: S,
    /// The lines of the files that were read, by their paths.
    texts: BTreeMap<String, Vec<String>>,
    /// The number of each file, in the order in which they were first mentioned; `None` if the log is another tool's, with numbers of
    /// its own.
    uris: Option<BTreeMap<String, usize>>,
}

/// The path of a violation as code flows for a result in the log of another tool; `None` if there is none.
pub fn code_flows(violation: &ViolationDocument, sources: impl Fn(&str) -> Option<String>) -> Option<Value> {
    let flow = Files { sources, texts: BTreeMap::new(), uris: None }.code_flow(violation)?;
    Some(json!([flow]))
}

impl<S: Fn(&str) -> Option<String>> Files<S> {
    /// A line of a file, from 1; empty if it is not known.
    fn line(&mut self, place: &PlaceDocument) -> &str {
        let sources = &self.sources;
        let read = || sources(&place.file).unwrap_or_default().lines().map(str::to_owned).collect();
        let lines: &Vec<String> = self.texts.entry(place.file.clone()).or_insert_with(read);
        (place.line as usize).checked_sub(1).and_then(|line| lines.get(line)).map_or("", String::as_str)
    }

    fn location(&mut self, place: &PlaceDocument, method: &str) -> Value {
        let mut location = json!({ "logicalLocations": [{ "fullyQualifiedName": method, "kind": "function" }] });
        if !place.file.is_empty() {
            let uri = uri(Path::new(&place.file));
            let mut physical = json!({ "artifactLocation": { "uri": uri } });
            if let Some(uris) = &mut self.uris {
                let next = uris.len();
                physical["artifactLocation"]["index"] = (*uris.entry(uri).or_insert(next)).into();
            }
            if place.line > 0 {
                physical["region"] = self.region(place);
            }
            location["physicalLocation"] = physical;
        }
        location
    }

    /// A place as a region, with the source text.
    fn region(&mut self, place: &PlaceDocument) -> Value {
        let mut region = json!({ "startLine": place.line });
        if place.column > 0 {
            region["startColumn"] = place.column.into();
            if place.length > 0 {
                region["endColumn"] = (place.column + place.length).into();
            }
        }
        let text = self.line(place);
        if !text.is_empty() && place.length > 0 {
            let start = place.column.saturating_sub(1) as usize;
            let snippet: String = text.chars().skip(start).take(place.length as usize).collect();
            // A place that continues beyond its line ends on another line.
            if snippet.chars().count() < place.length as usize {
                region.as_object_mut().map(|region| region.remove("endColumn"));
            }
            region["snippet"] = json!({ "text": snippet });
        } else if !text.is_empty() {
            region["snippet"] = json!({ "text": text.trim() });
        }
        region
    }

    fn result(&mut self, reported: &Reported) -> Value {
        let violation = reported.violation;
        let rule = RULES.iter().position(|(kind, ..)| *kind == violation.kind).unwrap_or_default();
        let method = violation.path.last().map_or(&violation.entry, |step| &step.method);
        let mut message = violation.description.clone();
        let inputs: Vec<String> =
            violation.shown_inputs.iter().map(|input| format!("{} = {}", input.name, input.value)).collect();
        if !inputs.is_empty() {
            message.push_str(&format!(", as with {}", inputs.join("; ")));
        }
        if let (Some(cause), [_, ..]) = (&violation.cause, &reported.also[..]) {
            message.push_str(&format!("; {cause}, also at {}", counted(reported.also.len(), "other place")));
        }
        // Each place has a path of its own.
        let paths = [violation].into_iter().chain(reported.also.iter().map(|(other, _)| *other));
        let flows: Vec<Value> = paths.filter_map(|violation| self.code_flow(violation)).collect();
        let mut result = json!({
            "ruleId": RULES[rule].1,
            "ruleIndex": rule,
            "kind": "fail",
            "level": "error",
            "message": { "text": message },
            "locations": [self.location(&violation.place, method)],
            "partialFingerprints": { FINGERPRINT: reported.fingerprint },
            "properties": { "entry": violation.entry, "inputs": violation.shown_inputs },
        });
        if let Some(reason) = reported.suppressed {
            result["suppressions"] = json!([{ "kind": "inSource", "justification": reason }]);
        }
        if !flows.is_empty() {
            result["codeFlows"] = flows.into();
        }
        if !reported.also.is_empty() {
            let places = (1..).zip(&reported.also).map(|(id, (violation, fingerprint))| {
                let method = violation.path.last().map_or(&violation.entry, |step| &step.method);
                let mut place = self.location(&violation.place, method);
                place["id"] = id.into();
                place["message"] = json!({ "text": violation.description });
                place["properties"] = json!({
                    "entry": violation.entry,
                    "inputs": violation.shown_inputs,
                    FINGERPRINT: fingerprint,
                });
                place
            });
            result["relatedLocations"] = places.collect::<Vec<Value>>().into();
        }
        if let Some(confirmation) = &violation.confirmation {
            result["properties"]["confirmation"] =
                crate::describe_confirmation(confirmation, crate::Detail::PLAIN).into();
        }
        result
    }

    fn code_flow(&mut self, violation: &ViolationDocument) -> Option<Value> {
        let steps: Vec<Value> =
            violation.path.iter().enumerate().map(|(index, entry)| self.step(index, entry)).collect();
        (!steps.is_empty()).then(|| json!({ "threadFlows": [{ "locations": steps }] }))
    }

    fn step(&mut self, index: usize, entry: &StepDocument) -> Value {
        let mut location = self.location(&entry.place, &entry.method);
        let text = self.line(&entry.place).trim();
        if !text.is_empty() {
            location["message"] = json!({ "text": text });
        }
        json!({ "location": location, "nestingLevel": entry.depth, "executionOrder": index + 1 })
    }
}

/// Gives fingerprints to the violations of one run. They stay the same in a later version of the program with other line numbers, and tell
/// violations apart.
#[derive(Clone, Debug, Default)]
pub struct Fingerprints {
    /// The places with each hash, in the order in which they came.
    places: BTreeMap<String, Vec<(String, u32)>>,
}

impl Fingerprints {
    /// The fingerprint of the next violation, in the order of files and lines: a hash of the kind, the class of the exception, the name of the
    /// file, the method and the code of the line, and the number of the place among those with the same hash.
    pub fn next(&mut self, violation: &ViolationDocument, line: &str) -> String {
        let exception = violation.exception.as_ref().map_or("", |exception| &exception.class);
        let hash = hash(violation, &[exception, &code(line)]);
        let places = self.places.entry(hash.clone()).or_default();
        let place = (violation.place.file.clone(), violation.place.line);
        let known = places.iter().position(|other| *other == place);
        let number = known.unwrap_or_else(|| {
            places.push(place);
            places.len() - 1
        });
        format!("{hash}:{}", number + 1)
    }
}

/// The fingerprint that versions of aback before [`FINGERPRINT`] gave a violation: the same for all exceptions at a line, and for
/// all equal lines of a method.
pub fn earlier_fingerprint(violation: &ViolationDocument, line: &str) -> String {
    hash(violation, &[line.trim()])
}

/// FNV-1a of where a violation is, without the number of its line, and of more.
fn hash(violation: &ViolationDocument, more: &[&str]) -> String {
    let file = Path::new(&violation.place.file).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let method = violation.path.last().map_or(&violation.entry, |step| &step.method);
    let parts = [&[rule(violation.kind), file, method], more].concat();
    let hash = parts
        .join("\0")
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

/// What a line says as code: without comments, and without spaces outside of texts. A comment that begins on an earlier line is not
/// recognized.
fn code(line: &str) -> String {
    let mut code = String::new();
    let mut quote = None;
    let mut rest = line;
    while let Some(character) = rest.chars().next() {
        let length = match (quote, character) {
            (None, '/') if rest.starts_with("//") => return code,
            (None, '/') if rest.starts_with("/*") => {
                let end = rest.get(2..).and_then(|comment| comment.find("*/"));
                let Some(end) = end else { return code };
                rest = &rest[end + "/**/".len()..];
                continue;
            }
            // What is escaped is no end of a text.
            (Some(_), '\\') => rest.chars().take(2).map(char::len_utf8).sum(),
            _ => character.len_utf8(),
        };
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            _ => {}
        }
        if quote.is_some() || !character.is_whitespace() {
            code.push_str(&rest[..length]);
        }
        rest = &rest[length..];
    }
    code
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

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn lines_as_code() {
        let check = |line, expected| assert_eq!(code(line), expected);
        check("  x = 1; // one", "x=1;");
        check("x /* the /* number */ = /**/ 1; /* one", "x=1;");
        check(r#"open("http:// a" ); // b"#, r#"open("http:// a");"#);
        check(r#"f("\" //", '"', '//', "/*");"#, r#"f("\" //",'"','//',"/*");"#);
        check("x = a / b;", "x=a/b;");
        check("x = 'a ", "x='a ");
        check("x = \"\\", "x=\"\\");
        check("x = é;/*é/", "x=é;");
    }
}
