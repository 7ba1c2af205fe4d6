//! Format 2.0: YAML with one entry, a `violation_sequence` or an `invariant_set`.
//!
//! The schema of the format is written for C. Here, the values that a Java program requests from `Verifier` become
//! waypoints of type `function_return`, in order, and the violation is the target. Constraints are Java expressions.
//! The values determine all branches, so there are no `branching` waypoints and no `assumption`s. A proof has no
//! invariants to state, so its set is empty.

use super::{SvWitness, hex};
use aback_ir::{MethodId, Program, Span};
use sha2::{Digest, Sha256};
use std::fmt::Write;

impl SvWitness<'_> {
    /// The witness as YAML.
    pub(super) fn to_yaml(&self, program: &Program) -> String {
        let mut content = String::new();
        for returned in self.violation.iter().flat_map(|violation| &violation.returned) {
            waypoint(&mut content, program, "function_return", returned.place, returned.function);
            let _ = writeln!(content, "        constraint:");
            let _ = writeln!(content, "          value: {}", quoted(&returned.constraint));
            let _ = writeln!(content, "          format: \"{}_expression\"", self.language.to_lowercase());
        }
        let kind = match &self.violation {
            Some(violation) => {
                waypoint(&mut content, program, "target", violation.target, violation.function);
                "violation_sequence"
            }
            None => "invariant_set",
        };
        let content = if content.is_empty() { " []\n".into() } else { format!("\n{content}") };
        let (mut files, mut hashes, mut all) = (String::new(), String::new(), Sha256::new());
        for file in self.sources {
            let hash = Sha256::digest(file.text.as_deref().unwrap_or_default());
            let path = quoted(&file.path.to_string_lossy());
            let _ = writeln!(files, "      - {path}");
            let _ = writeln!(hashes, "        {path}: \"{}\"", hex(&hash));
            all.update(hash);
        }
        all.update(self.specification);
        all.update(&content);
        format!(
            "- entry_type: \"{kind}\"\n  metadata:\n    format_version: \"2.0\"\n    uuid: \"{uuid}\"\n    creation_time: \
             \"{time}\"\n    producer:\n      name: \"aback\"\n      version: \"{version}\"\n    task:\n      input_files:\n{files}      \
             input_files_hashes:\n{hashes}      specification: {specification}\n      data_model: \"LP64\"\n      language: \
             \"{language}\"\n  content:{content}",
            language = self.language,
            uuid = uuid(&all.finalize()),
            time = humantime::format_rfc3339_seconds(self.time),
            version = env!("CARGO_PKG_VERSION"),
            specification = quoted(self.specification),
        )
    }
}

/// Writes a segment with one waypoint that must be followed.
fn waypoint(out: &mut String, program: &Program, kind: &str, place: Span, function: MethodId) {
    let file = program.file(place.file).map_or_else(String::new, |file| file.path.to_string_lossy().into_owned());
    let _ = writeln!(out, "  - segment:\n    - waypoint:\n        type: \"{kind}\"\n        action: \"follow\"");
    let _ = writeln!(out, "        location:\n          file_name: {}\n          line: {}", quoted(&file), place.line);
    if kind == "target" && place.column > 0 {
        let _ = writeln!(out, "          column: {}", place.column);
    }
    let _ = writeln!(out, "          function: {}", quoted(&program.method_name(function)));
}

/// A scalar in double quotes, which YAML reads like JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A UUID that is derived from a hash (RFC 9562, version 8), so that equal witnesses have equal UUIDs.
fn uuid(hash: &[u8]) -> String {
    let mut bytes = [0u8; 16];
    bytes.copy_from_slice(&hash[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let text = hex(&bytes);
    format!("{}-{}-{}-{}-{}", &text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..])
}
