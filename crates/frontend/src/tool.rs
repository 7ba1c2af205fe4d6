//! Describes what aback uses besides its own code, such as class libraries and compilers.

use std::path::PathBuf;

/// Something on the machine that aback uses for a purpose.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name for users: `javac`.
    pub name: &'static str,
    /// What cannot be done without it, as a noun phrase: `Java sources`.
    pub purpose: &'static str,
    /// The place; or what is missing, and what the user can do about it.
    pub found: Result<FoundTool, String>,
}

/// The place of a tool.
#[derive(Clone, Debug)]
pub struct FoundTool {
    /// Its version, if it is known.
    pub version: Option<String>,
    /// Its file or its folder.
    pub path: PathBuf,
}
