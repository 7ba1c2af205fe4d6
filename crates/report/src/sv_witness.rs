//! Writes a violation as an SV-COMP witness, format 2.0: YAML with one entry, a `violation_sequence`.
//!
//! The schema of the format is written for C. Here, the values that a Java program requests from `Verifier` become
//! waypoints of type `function_return`, in order, and the violation is the target. Constraints are Java expressions.
//! The values determine all branches, so there are no `branching` waypoints and no `assumption`s.

use aback_ir::{Program, SourceFile, Span};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::time::SystemTime;

/// The contents of a witness.
#[derive(Clone, Debug)]
pub struct SvWitness<'a> {
    /// What SV-COMP calls the language of the program.
    pub language: &'a str,
    /// The sources.
    pub sources: &'a [SourceFile],
    /// The property in SV-COMP's notation.
    pub specification: &'a str,
    /// The values that the environment returned, in order.
    pub returned: Vec<Returned>,
    /// The place of the violation.
    pub target: Span,
    /// The method that contains the target, `Class.method`.
    pub function: String,
    /// The creation time of the witness.
    pub time: SystemTime,
}

/// A value that the environment returned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Returned {
    /// The line of the call.
    pub place: Span,
    /// The calling method.
    pub function: String,
    /// A Java expression over `\result`.
    pub constraint: String,
}

impl SvWitness<'_> {
    /// The witness as YAML.
    pub fn to_yaml(&self, program: &Program) -> String {
        let mut content = String::new();
        for returned in &self.returned {
            waypoint(&mut content, program, "function_return", returned.place, &returned.function);
            let _ = writeln!(content, "        constraint:");
            let _ = writeln!(content, "          value: {}", quoted(&returned.constraint));
            let _ = writeln!(content, "          format: \"{}_expression\"", self.language.to_lowercase());
        }
        waypoint(&mut content, program, "target", self.target, &self.function);
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
            "- entry_type: \"violation_sequence\"\n  metadata:\n    format_version: \"2.0\"\n    uuid: \"{uuid}\"\n    creation_time: \
             \"{time}\"\n    producer:\n      name: \"aback\"\n      version: \"{version}\"\n    task:\n      input_files:\n{files}      \
             input_files_hashes:\n{hashes}      specification: {specification}\n      data_model: \"LP64\"\n      language: \
             \"{language}\"\n  content:\n{content}",
            language = self.language,
            uuid = uuid(&all.finalize()),
            time = humantime::format_rfc3339_seconds(self.time),
            version = env!("CARGO_PKG_VERSION"),
            specification = quoted(self.specification),
        )
    }
}

/// Writes a segment with one waypoint that must be followed.
fn waypoint(out: &mut String, program: &Program, kind: &str, place: Span, function: &str) {
    let file = program.file(place.file).map_or_else(String::new, |file| file.path.to_string_lossy().into_owned());
    let _ = writeln!(out, "  - segment:\n    - waypoint:\n        type: \"{kind}\"\n        action: \"follow\"");
    let _ = writeln!(out, "        location:\n          file_name: {}\n          line: {}", quoted(&file), place.line);
    if kind == "target" && place.column > 0 {
        let _ = writeln!(out, "          column: {}", place.column);
    }
    let _ = writeln!(out, "          function: {}", quoted(function));
}

/// A scalar in double quotes, which YAML reads like JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
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
