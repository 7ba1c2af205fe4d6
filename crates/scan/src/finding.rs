//! Gathers the violations of many answers, and sorts them by how odd an input they need.

use crate::oddity::oddity;
use crate::store::{Answered, Stored};
use crate::suppression::{Suppression, suppression};
use aback_report::{Fingerprints, Kind, ViolationDocument, earlier_fingerprint, rule};
use serde::Serialize;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What can go wrong at a place, with the plainest of its counterexamples.
#[derive(Clone, Serialize, Debug)]
pub struct Finding {
    /// The counterexample.
    pub violation: ViolationDocument,
    /// The entry points from which it was found, the one of the counterexample first.
    pub entries: Vec<String>,
    /// How odd the input is ([`oddity`](crate::oddity)).
    pub oddity: u32,
    /// What stays the same in later versions of the program ([`Fingerprints`]).
    pub fingerprint: String,
    /// What was the fingerprint in earlier versions of aback.
    #[serde(skip)]
    pub(crate) earlier: String,
    /// The line of the source; empty if it is not known.
    #[serde(skip)]
    line: String,
    /// The reason in a comment or an annotation of the sources that suppresses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<String>,
    /// Whether the sources would suppress it if they gave a reason.
    #[serde(skip)]
    pub lacks_reason: bool,
    /// Findings at other places with the same cause, if they were [joined](joined).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Finding>,
}

impl Finding {
    /// The finding of a violation, from no entry points yet. `source` gives the text of a source file, if it is known.
    pub fn new(violation: &ViolationDocument, source: impl Fn(&str) -> Option<Rc<str>>) -> Finding {
        let (file, line) = (&violation.place.file, violation.place.line);
        let text = source(file);
        let text = text.as_deref().unwrap_or_default();
        let failing = line.checked_sub(1).and_then(|before| text.lines().nth(before as usize)).unwrap_or_default();
        let suppression = suppression(file, text, line, rule(violation.kind));
        Finding {
            violation: violation.clone(),
            entries: Vec::new(),
            oddity: oddity(violation),
            fingerprint: Fingerprints::default().next(violation, failing),
            earlier: earlier_fingerprint(violation, failing),
            line: failing.to_owned(),
            lacks_reason: suppression == Some(Suppression::WithoutReason),
            suppressed: suppression.and_then(Suppression::reason),
            also: Vec::new(),
        }
    }

    /// The finding itself, and those at other places.
    pub fn places(&self) -> impl Iterator<Item = &Finding> {
        [self].into_iter().chain(&self.also)
    }

    /// The file and the line.
    pub(crate) fn place(&self) -> (&str, u32) {
        (&self.violation.place.file, self.violation.place.line)
    }
}

/// What tells a violation from others: where it is, and what happens there.
pub fn identity(violation: &ViolationDocument) -> (&str, u32, Kind, Option<&str>) {
    let exception = violation.exception.as_ref().map(|exception| exception.class.as_str());
    (&violation.place.file, violation.place.line, violation.kind, exception)
}

/// The findings in answers, those with the plainest inputs first, of the violations that count. `source` gives the text of a source file, if
/// it is known.
pub fn findings<'a>(
    answers: impl IntoIterator<Item = &'a Stored>,
    counts: impl Fn(&ViolationDocument) -> bool,
    source: impl Fn(&str) -> Option<Rc<str>>,
) -> Vec<Finding> {
    let mut by_cause: BTreeMap<(String, u32, Kind, Option<String>), Finding> = BTreeMap::new();
    for stored in answers {
        let Answered::Reply(reply) = &stored.answer else { continue };
        for violation in reply.violations.iter().filter(|violation| counts(violation)) {
            let (file, line, kind, exception) = identity(violation);
            let cause = (file.to_owned(), line, kind, exception.map(str::to_owned));
            let oddity = oddity(violation);
            let finding = by_cause.entry(cause).or_insert_with(|| Finding::new(violation, &source));
            if oddity < finding.oddity {
                (finding.violation, finding.oddity) = (violation.clone(), oddity);
                finding.entries.insert(0, stored.entry.clone());
            } else if !finding.entries.contains(&stored.entry) {
                finding.entries.push(stored.entry.clone());
            }
        }
    }
    let mut found: Vec<Finding> = by_cause.into_values().collect();
    let mut fingerprints = Fingerprints::default();
    for finding in &mut found {
        finding.fingerprint = fingerprints.next(&finding.violation, &finding.line);
    }
    // The sort is stable: equally odd ones stay in the order of files and lines.
    found.sort_by_key(|finding| finding.oddity);
    found
}

/// Makes one finding of those with the same cause and the same exception: the first, with the others as further places of it.
pub fn joined(found: Vec<Finding>) -> Vec<Finding> {
    let mut joined: Vec<Finding> = Vec::new();
    let mut first: BTreeMap<(String, Option<String>), usize> = BTreeMap::new();
    for finding in found {
        let exception = finding.violation.exception.as_ref().map(|exception| exception.class.clone());
        let next = joined.len();
        let cause = finding.violation.cause.clone();
        let index = cause.map_or(next, |cause| *first.entry((cause, exception)).or_insert(next));
        match joined.get_mut(index) {
            Some(first) => first.also.push(finding),
            None => joined.push(finding),
        }
    }
    joined
}
