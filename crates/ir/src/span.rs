//! Defines places in the user's sources.

use std::fmt;
use std::path::PathBuf;

/// One source file of a program, an index into [`crate::Program::files`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// A source file: its path as the user gave it, and its text if it is known. A class file may name sources that are
/// not available.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as it is shown to the user.
    pub path: PathBuf,
    /// The contents, if the source is available.
    pub text: Option<String>,
}

/// A place in a source file. Lines and columns count from 1; column 0 means that only the line is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Line, from 1; 0 for code without a source line (for example a default constructor).
    pub line: u32,
    /// Column in characters, from 1; 0 if unknown.
    pub column: u32,
    /// Length in characters; 0 if unknown.
    pub length: u32,
}

impl Span {
    /// The place of code without a source.
    pub const NONE: Span = Span { file: FileId(u32::MAX), line: 0, column: 0, length: 0 };

    /// Whether this place is known at all.
    pub fn is_known(self) -> bool {
        self.line != 0
    }
}

/// Prints `line:column`, or `line` if the column is unknown.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            0 => write!(f, "{}", self.line),
            column => write!(f, "{}:{column}", self.line),
        }
    }
}
