//! Writes findings as one HTML page: by file, with filters, and with the path of each counterexample through the sources.

use crate::finding::Finding;
use crate::summary::Counts;
use aback_report::{Detail, StepDocument, counted, describe_confirmation, embedded};
use serde::Serialize;
use std::collections::BTreeMap;

/// The page without its data.
const TEMPLATE: &str = include_str!("page.html");

#[derive(Serialize)]
struct Page<'a> {
    title: String,
    counts: String,
    findings: Vec<Shown<'a>>,
    /// The lines of the sources that are shown.
    files: BTreeMap<&'a str, Vec<String>>,
}

#[derive(Serialize)]
struct Shown<'a> {
    file: &'a str,
    line: u32,
    description: &'a str,
    kind: aback_report::Kind,
    exception: Option<&'a str>,
    entries: &'a [String],
    inputs: Vec<[&'a str; 2]>,
    made_by: &'a [String],
    unmade: Option<&'a str>,
    confirmation: Option<String>,
    suppressed: Option<&'a str>,
    /// The lines on the path, with the number of those that are left out and the index behind them.
    path: Vec<Step<'a>>,
    left_out: u64,
    left_out_before: usize,
    fingerprint: &'a str,
    /// The page that replays an execution, relative to this page.
    replay: Option<&'a str>,
    cause: Option<&'a str>,
    /// Other places with the same cause.
    also: Vec<Shown<'a>>,
}

#[derive(Serialize)]
struct Step<'a> {
    file: &'a str,
    line: u32,
    method: &'a str,
}

impl<'a> From<&'a StepDocument> for Step<'a> {
    fn from(step: &'a StepDocument) -> Self {
        Step { file: &step.place.file, line: step.place.line, method: &step.method }
    }
}

/// The findings as an HTML document that needs no network and no other file but the pages in `replays`, by fingerprint. `source` gives the
/// text of a source file.
pub fn html<'a>(
    findings: impl IntoIterator<Item = &'a Finding>,
    counts: &Counts,
    replays: &BTreeMap<String, String>,
    source: impl Fn(&str) -> Option<String>,
) -> String {
    let findings: Vec<Shown> = findings.into_iter().map(|finding| shown(finding, replays)).collect();
    let mut files = BTreeMap::new();
    for finding in findings.iter().flat_map(|finding| [finding].into_iter().chain(&finding.also)) {
        for file in finding.path.iter().map(|step| step.file).chain([finding.file]) {
            if !files.contains_key(file)
                && let Some(text) = source(file)
            {
                files.insert(file, text.lines().map(str::to_owned).collect());
            }
        }
    }
    let open = findings.iter().filter(|finding| finding.suppressed.is_none()).count();
    let page = Page { title: counted(open, "finding"), counts: counts.to_string(), findings, files };
    TEMPLATE.replacen("DATA", &embedded(&page), 1)
}

fn shown<'a>(finding: &'a Finding, replays: &'a BTreeMap<String, String>) -> Shown<'a> {
    let violation = &finding.violation;
    Shown {
        file: &violation.place.file,
        line: violation.place.line,
        description: &violation.description,
        kind: violation.kind,
        exception: violation.exception.as_ref().map(|exception| exception.class.as_str()),
        entries: &finding.entries,
        inputs: violation.shown_inputs.iter().map(|input| [input.name.as_str(), input.value.as_str()]).collect(),
        made_by: &violation.made_by,
        unmade: violation.unmade.as_deref(),
        confirmation: violation.confirmation.as_ref().map(|found| describe_confirmation(found, Detail::PLAIN)),
        suppressed: finding.suppressed.as_deref(),
        path: violation.path.iter().map(Step::from).collect(),
        left_out: violation.omitted.0,
        left_out_before: violation.omitted.1,
        fingerprint: &finding.fingerprint,
        replay: replays.get(&finding.fingerprint).map(String::as_str),
        cause: violation.cause.as_deref(),
        also: finding.also.iter().map(|other| shown(other, replays)).collect(),
    }
}
