//! Reads and writes witnesses, and reports what is wrong with a file.

use super::execution::{Change, Content, Execution};
use super::format::OuterLines;
use super::snapshot::Snapshot;
use super::witness::{READ_VERSIONS, WITNESS_VERSION, Witness};
use crate::document::ValueDocument;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::path::Path;

/// Why a file is not a witness.
#[derive(Debug, thiserror::Error)]
pub enum WitnessError {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It ends in the middle.
    #[error(
        "the file ends too early, at line {line}: it was not written or copied to its end; write it again with `aback check --witness`"
    )]
    Truncated {
        /// The last line.
        line: usize,
    },
    /// It is not JSON, or not a document of this kind.
    #[error("it is not a witness of aback: {0}")]
    Malformed(serde_json::Error),
    /// It has another version.
    #[error(
        "it has version {found} of the format and this aback reads versions {} to {WITNESS_VERSION}: write it again with \
         `aback check --witness`, or read it with the aback that wrote it",
        READ_VERSIONS.start()
    )]
    Version {
        /// Its version.
        found: u64,
    },
    /// Its checksum does not match.
    #[error(
        "it was edited after aback wrote it (its checksum does not match): write it again with `aback check --witness`"
    )]
    Edited,
    /// It contradicts itself.
    #[error("it contradicts itself: {0}")]
    Inconsistent(#[from] Inconsistency),
}

/// A part of a witness that refers to something that does not exist.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{at} refers to {what}, which does not exist")]
pub struct Inconsistency {
    /// Which part.
    pub at: String,
    /// What it refers to.
    pub what: String,
}

/// A source file that has changed since a witness was written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{path} has changed since the witness was written, so that the witness no longer fits it")]
pub struct SourcesChanged {
    /// The file.
    pub path: String,
}

/// The part of the format that all versions share.
#[derive(Deserialize)]
struct AnyVersion {
    version: u64,
}

impl Witness {
    /// The same witness with its checksum.
    pub fn sealed(mut self) -> Self {
        self.checksum = None;
        self.checksum = Some(self.digest());
        self
    }

    /// The witness as text. It can be read back if it is [sealed](Self::sealed).
    pub fn to_text(&self) -> String {
        let mut text = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut text, OuterLines::default());
        // Serializing strings, numbers and lists to memory cannot fail.
        let _ = self.serialize(&mut serializer);
        text.push(b'\n');
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Reads a witness and checks its checksum and that all of its references lead somewhere.
    ///
    /// # Errors
    /// See [`WitnessError`].
    pub fn from_text(text: &str) -> Result<Witness, WitnessError> {
        let mut witness: Witness = serde_json::from_str(text).map_err(|error| {
            if error.is_eof() {
                return WitnessError::Truncated { line: error.line() };
            }
            // The version is read only after a failure, because this parses the text a second time.
            match serde_json::from_str::<AnyVersion>(text) {
                Ok(AnyVersion { version })
                    if !u32::try_from(version).is_ok_and(|version| READ_VERSIONS.contains(&version)) =>
                {
                    WitnessError::Version { found: version }
                }
                _ => WitnessError::Malformed(error),
            }
        })?;
        if !READ_VERSIONS.contains(&witness.version) {
            return Err(WitnessError::Version { found: witness.version.into() });
        }
        let checksum = witness.checksum.take();
        if checksum.as_ref() != Some(&witness.digest()) {
            return Err(WitnessError::Edited);
        }
        witness.checksum = checksum;
        witness.check()?;
        Ok(witness)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// See [`WitnessError`].
    pub fn read(path: &Path) -> Result<Witness, WitnessError> {
        let bytes = std::fs::read(path)?;
        let text = String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        Witness::from_text(&text)
    }

    /// Compares the sources of the steps with the files that are at their paths now. Missing files are skipped: the
    /// witness may come from another machine, and it contains their text.
    ///
    /// # Errors
    /// Reports the first file that has other contents.
    pub fn check_sources(&self) -> Result<(), SourcesChanged> {
        for file in &self.execution.files {
            let (Some(sha256), Ok(found)) = (&file.sha256, std::fs::read(&file.path)) else { continue };
            if *sha256 != hex(Sha256::digest(&found)) {
                return Err(SourcesChanged { path: file.path.clone() });
            }
        }
        Ok(())
    }

    /// The checksum of the document; the document must have none.
    fn digest(&self) -> String {
        /// Hashes what is written to it.
        struct Hashing(Sha256);
        impl Write for Hashing {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.update(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut hashing = io::BufWriter::new(Hashing(Sha256::new()));
        let _ = serde_json::to_writer(&mut hashing, self);
        hashing.into_inner().map(|hashing| hex(hashing.0.finalize())).unwrap_or_default()
    }

    fn check(&self) -> Result<(), Inconsistency> {
        let state = self.execution.check()?;
        let values = self.arguments.iter().map(|arg| &arg.value).chain(self.given.iter().map(|given| &given.value));
        for object in values.filter_map(ValueDocument::reference) {
            if state.object(object).is_none() {
                return Err(missing("an input", format!("object {object}")));
            }
        }
        let steps = self.execution.steps.len() as u64;
        match self.violation.step {
            Some(step) if u64::from(step) >= steps => Err(missing("the violation", format!("step {step}"))),
            None if self.confirmed && steps > 0 => Err(missing("the violation", "no step")),
            _ => Ok(()),
        }
    }
}

/// SHA-256 of a text in hexadecimal digits.
pub(crate) fn sha256(text: &str) -> String {
    hex(Sha256::digest(text.as_bytes()))
}

fn hex(digest: impl AsRef<[u8]>) -> String {
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn missing(at: impl Into<String>, what: impl Into<String>) -> Inconsistency {
    Inconsistency { at: at.into(), what: what.into() }
}

impl Execution {
    /// Checks that each number refers to something. Returns the last state.
    fn check(&self) -> Result<Snapshot, Inconsistency> {
        for (number, method) in self.methods.iter().enumerate() {
            let next = method.blocks.iter().flat_map(|block| &block.next);
            if let Some(edge) = next.into_iter().find(|edge| edge.to as usize >= method.blocks.len()) {
                return Err(missing(format!("method {number}"), format!("block {}", edge.to)));
            }
        }
        for (number, call) in self.calls.iter().enumerate() {
            let at = || format!("call {number}");
            if self.methods.get(call.method as usize).is_none() {
                return Err(missing(at(), format!("method {}", call.method)));
            }
            if let Some(parent) = call.parent.filter(|&parent| parent as usize >= number) {
                return Err(missing(at(), format!("call {parent} before it")));
            }
        }
        let mut state = Snapshot::default();
        for (number, step) in self.steps.iter().enumerate() {
            let at = || format!("step {number}");
            if self.calls.get(step.call as usize).is_none() {
                return Err(missing(at(), format!("call {}", step.call)));
            }
            if let Some(block) = step.blocks.iter().find(|&&block| !self.has_block(step.call, block)) {
                return Err(missing(at(), format!("block {block}")));
            }
            if self.files.get(step.file as usize).is_none() {
                return Err(missing(at(), format!("file {}", step.file)));
            }
            for change in &step.changes {
                self.check_change(change).map_err(|what| missing(at(), what))?;
                if state.apply(change).is_none() {
                    return Err(missing(at(), format!("a part of {}", subject(change))));
                }
            }
            for change in &step.changes {
                for object in change.objects() {
                    if state.object(object).is_none() {
                        return Err(missing(at(), format!("object {object}")));
                    }
                }
            }
            if let Some(object) = step.returned.as_ref().and_then(ValueDocument::reference)
                && state.object(object).is_none()
            {
                return Err(missing(at(), format!("object {object}")));
            }
        }
        Ok(state)
    }

    /// Whether the method of a call has a block.
    fn has_block(&self, call: u32, block: u32) -> bool {
        let method = self.calls.get(call as usize).and_then(|call| self.methods.get(call.method as usize));
        method.is_some_and(|method| (block as usize) < method.blocks.len())
    }

    /// Checks that the tables contain the subject of a change. The error names the subject.
    fn check_change(&self, change: &Change) -> Result<(), String> {
        match change {
            Change::Object(_, Content::Instance { class, values, .. }) => match self.classes.get(*class as usize) {
                Some(shape) if shape.fields.len() == values.len() => Ok(()),
                _ => Err(format!("class {class} with {} fields", values.len())),
            },
            Change::Object(_, Content::String { class, .. } | Content::Opaque { class }) => {
                self.classes.get(*class as usize).map(drop).ok_or_else(|| format!("class {class}"))
            }
            Change::Local(call, variable, _) | Change::Gone(call, variable) => {
                let method = self.calls.get(*call as usize).and_then(|call| self.methods.get(call.method as usize));
                let known = method.is_some_and(|method| method.variables.get(*variable as usize).is_some());
                if known { Ok(()) } else { Err(format!("variable {variable} of call {call}")) }
            }
            Change::Static(field, _) => {
                self.statics.get(*field as usize).map(drop).ok_or_else(|| format!("static field {field}"))
            }
            Change::Object(_, Content::Array { .. }) | Change::Field(..) | Change::Element(..) => Ok(()),
        }
    }
}

/// The subject of a change.
fn subject(change: &Change) -> String {
    match change {
        Change::Object(id, _) | Change::Field(id, ..) | Change::Element(id, ..) => format!("object {id}"),
        Change::Local(call, ..) | Change::Gone(call, _) => format!("call {call}"),
        Change::Static(field, _) => format!("static field {field}"),
    }
}
