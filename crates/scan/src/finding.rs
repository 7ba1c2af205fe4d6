//! Gathers the violations of many answers, and sorts them by how odd an input they need.

use crate::oddity::oddity;
use crate::store::{Answered, Stored};
use crate::suppression::suppression;
use aback_report::{Kind, ViolationDocument, fingerprint};
use serde::Serialize;
use std::collections::BTreeMap;

/// What can go wrong at a place, with the plainest of its counterexamples.
#[derive(Clone, Serialize, Debug)]
pub struct Finding {
    /// The counterexample.
    pub violation: ViolationDocument,
    /// The entry points from which it was found, the one of the counterexample first.
    pub entries: Vec<String>,
    /// How odd the input is ([`oddity`](crate::oddity)).
    pub oddity: u32,
    /// What stays the same in later versions of the program.
    pub fingerprint: String,
    /// The reason in a comment of the sources that suppresses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<String>,
}

/// The findings in answers, those with the plainest inputs first, of the violations that count. `line` gives the text of a line of a source file, if it
/// is known.
pub fn findings<'a>(
    answers: impl IntoIterator<Item = &'a Stored>,
    counts: impl Fn(&ViolationDocument) -> bool,
    line: impl Fn(&str, u32) -> Option<String>,
) -> Vec<Finding> {
    let mut by_cause: BTreeMap<(String, u32, Kind, Option<String>), Finding> = BTreeMap::new();
    for stored in answers {
        let Answered::Reply(reply) = &stored.answer else { continue };
        for violation in reply.violations.iter().filter(|violation| counts(violation)) {
            let exception = violation.exception.as_ref().map(|exception| exception.class.clone());
            let cause = (violation.place.file.clone(), violation.place.line, violation.kind, exception);
            let oddity = oddity(violation);
            let text = || line(&violation.place.file, violation.place.line).unwrap_or_default();
            let new = || Finding {
                violation: violation.clone(),
                entries: Vec::new(),
                oddity,
                fingerprint: fingerprint(violation, &text()),
                suppressed: suppression(|number| line(&violation.place.file, number), violation.place.line),
            };
            let finding = by_cause.entry(cause).or_insert_with(new);
            if oddity < finding.oddity {
                (finding.violation, finding.oddity) = (violation.clone(), oddity);
                finding.entries.insert(0, stored.entry.clone());
            } else if !finding.entries.contains(&stored.entry) {
                finding.entries.push(stored.entry.clone());
            }
        }
    }
    let mut found: Vec<Finding> = by_cause.into_values().collect();
    // The sort is stable: equally odd ones stay in the order of files and lines.
    found.sort_by_key(|finding| finding.oddity);
    found
}
