//! Writes answers as SV-COMP witnesses: YAML in format 2.0, or GraphML in format 1.0.

mod graphml;
mod yaml;

use aback_ir::{MethodId, Program, SourceFile, Span};
use std::path::Path;
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
    /// The method where execution starts.
    pub entry: MethodId,
    /// The violation of the property; `None` for a proof.
    pub violation: Option<Violated>,
    /// The creation time of the witness.
    pub time: SystemTime,
}

/// An execution that violates the property.
#[derive(Clone, Debug)]
pub struct Violated {
    /// The values that the environment returned, in order.
    pub returned: Vec<Returned>,
    /// The place of the violation.
    pub target: Span,
    /// The method that contains the target.
    pub function: MethodId,
}

/// A value that the environment returned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Returned {
    /// The line of the call.
    pub place: Span,
    /// The calling method.
    pub function: MethodId,
    /// The method that returned the value.
    pub method: MethodId,
    /// A Java expression over `\result`.
    pub constraint: String,
    /// The value in the notation of the GraphML format.
    pub assumption: String,
}

/// The form of a witness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SvFormat {
    /// Format 2.0.
    Yaml,
    /// Format 1.0, which validators for Java read.
    GraphMl,
}

impl SvFormat {
    /// The form of a file: GraphML if its name ends in `.graphml`, in letters of any case, and otherwise YAML.
    pub fn of_file(path: &Path) -> Self {
        let is_graphml = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("graphml"));
        if is_graphml { SvFormat::GraphMl } else { SvFormat::Yaml }
    }
}

impl SvWitness<'_> {
    /// The text of the witness.
    pub fn to_text(&self, program: &Program, format: SvFormat) -> String {
        match format {
            SvFormat::Yaml => self.to_yaml(program),
            SvFormat::GraphMl => self.to_graphml(program),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
