//! Recognizes the findings of an earlier scan by the fingerprints in its SARIF file.

use crate::finding::Finding;
use aback_report::{EARLIER_FINGERPRINT, FINGERPRINT};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The findings in a SARIF file of an earlier scan.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Known {
    /// Their fingerprints.
    fingerprints: BTreeSet<String>,
    /// The fingerprints in files of earlier versions of aback, which are the same for some findings, with the numbers of these.
    earlier: BTreeMap<String, usize>,
}

/// Whether the sources suppress a result of a log.
fn is_suppressed_in_source(result: &Value) -> bool {
    result["suppressions"].as_array().into_iter().flatten().any(|suppression| suppression["kind"] == "inSource")
}

impl Known {
    /// The findings in a SARIF log; `None` if it is none.
    pub fn of(log: &Value) -> Option<Known> {
        let mut known = Known::default();
        let results = log["runs"].as_array()?.iter().filter_map(|run| run["results"].as_array()).flatten();
        // What the sources suppress was never shown. If they do so no more, it is new.
        for result in results.filter(|result| !is_suppressed_in_source(result)) {
            let others = result["relatedLocations"].as_array().into_iter().flatten();
            let others = others.filter_map(|place| place["properties"][FINGERPRINT].as_str());
            known.fingerprints.extend(others.map(str::to_owned));
            let prints = &result["partialFingerprints"];
            if let Some(print) = prints[FINGERPRINT].as_str() {
                known.fingerprints.insert(print.into());
            } else if let Some(print) = prints[EARLIER_FINGERPRINT].as_str() {
                *known.earlier.entry(print.into()).or_default() += 1;
            }
        }
        Some(known)
    }

    /// Removes known findings, and returns their number. A fingerprint of an earlier version hides as many findings as it had, the first ones
    /// in the file.
    pub fn hide(&self, found: &mut Vec<Finding>) -> usize {
        let mut earlier = self.earlier.clone();
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|&index| found[index].place());
        let mut hidden = BTreeSet::new();
        for index in order {
            let finding = &found[index];
            let left = earlier.get_mut(&finding.earlier).filter(|left| **left > 0);
            if self.fingerprints.contains(&finding.fingerprint) {
                hidden.insert(index);
            } else if let Some(left) = left {
                *left -= 1;
                hidden.insert(index);
            }
        }
        let mut index = 0..;
        found.retain(|_| index.next().is_none_or(|index| !hidden.contains(&index)));
        hidden.len()
    }

    /// Whether a finding that was looked at alone may be known. Which of several equal lines it is at is seen among all findings only.
    pub fn may_have(&self, finding: &Finding) -> bool {
        let line = |print: &str| print.split_once(':').map(|(line, _)| line.to_owned());
        let own = line(&finding.fingerprint);
        self.earlier.contains_key(&finding.earlier) || self.fingerprints.iter().any(|known| line(known) == own)
    }
}
