//! Writes the answers of a scan in the form of JUnit's reports, which build servers show: each entry point is a test.

use crate::finding::Finding;
use crate::store::{Answered, Stored};
use std::fmt::Write;

/// The report. Tests fail by the findings of their entry points, and are skipped if they have none and may fail nevertheless.
pub fn junit<'a>(answers: impl IntoIterator<Item = &'a Stored>, findings: &[Finding]) -> String {
    let mut cases = String::new();
    let (mut tests, mut failures, mut skipped) = (0, 0, 0);
    for stored in answers {
        tests += 1;
        let name = stored.entry.split_once('(').map_or(stored.entry.as_str(), |(name, _)| name);
        let class = name.rsplit_once('.').map_or("", |(class, _)| class);
        let method = stored.entry.strip_prefix(class).unwrap_or(&stored.entry).trim_start_matches('.');
        let (class, method) = (escaped(class), escaped(method));
        let places = findings.iter().flat_map(Finding::places);
        let own: Vec<&Finding> = places.filter(|finding| finding.entries.contains(&stored.entry)).collect();
        let inside = match (&own[..], unknown(stored)) {
            ([], None) => String::new(),
            ([], Some(reason)) => {
                skipped += 1;
                format!("<skipped message=\"{}\"/>", escaped(&reason))
            }
            (found, rest) => {
                failures += 1;
                let failures: String = found.iter().map(|finding| failure(finding)).collect();
                let rest = rest.map(|rest| format!("<system-out>{}</system-out>", escaped(&rest)));
                failures + &rest.unwrap_or_default()
            }
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            cases,
            "  <testcase classname=\"{class}\" name=\"{method}\" time=\"{:.3}\">{inside}</testcase>",
            stored.took
        );
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"aback\" tests=\"{tests}\" failures=\"{failures}\" \
         skipped=\"{skipped}\">\n{cases}</testsuite>\n"
    )
}

/// Why an entry point may fail otherwise than it is known to.
fn unknown(stored: &Stored) -> Option<String> {
    match &stored.answer {
        Answered::Lost(reason) => Some(reason.clone()),
        Answered::Reply(reply) if reply.rest.starts_with("holds") => None,
        Answered::Reply(reply) if reply.violations.is_empty() => Some(reply.reason.clone()),
        Answered::Reply(reply) => Some(format!("perhaps it fails otherwise, too: {}", reply.reason)),
    }
}

fn failure(finding: &Finding) -> String {
    let violation = &finding.violation;
    let inputs: Vec<String> =
        violation.shown_inputs.iter().map(|input| format!("{} = {}", input.name, input.value)).collect();
    let text = format!(
        "{}:{}\nfrom {}\nwith {}",
        violation.place.file,
        violation.place.line,
        finding.entries.first().unwrap_or(&violation.entry),
        inputs.join("; ")
    );
    format!("<failure message=\"{}\">{}</failure>", escaped(&violation.description), escaped(&text))
}

/// A text as XML has it: in attributes, too, and without the characters that XML does not allow.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push('\t'),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}
