//! Why there is no program.

use aback_ir::{Diagnostic, Program, Severity};
use std::path::PathBuf;

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A path does not exist or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The path as given.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file is not text.
    #[error("{}:{line}: the file is not text in UTF-8", path.display())]
    NotText {
        /// The path as given.
        path: PathBuf,
        /// The line of the first bytes that are no text, from 1.
        line: usize,
    },
    /// A file is of a kind that no front end reads.
    #[error("{}: aback reads {kinds} files, and folders of them, but not this kind", path.display())]
    UnknownKind {
        /// The path as given.
        path: PathBuf,
        /// The kinds of files that there are.
        kinds: String,
    },
    /// A folder has no files of any language.
    #[error("{} has no {kinds} files", path.display())]
    NoSources {
        /// The folder as given.
        path: PathBuf,
        /// The kinds of files that there could be.
        kinds: String,
    },
    /// A folder has files of several languages.
    #[error(
        "{} has files of both {} ({}) and {} ({}): name the files, or folders, of one of them",
        folder.display(), .found[0].0, .found[0].1.display(), .found[1].0, .found[1].1.display()
    )]
    MixedFolder {
        /// The folder as given.
        folder: PathBuf,
        /// Two languages, each with a file in it.
        found: Box<[(&'static str, PathBuf); 2]>,
    },
    /// The paths are of several languages.
    #[error(
        "{} is {} and {} is {}: a program is in one language, so ask about them one by one",
        .paths[0].1.display(), .paths[0].0, .paths[1].1.display(), .paths[1].0
    )]
    MixedLanguages {
        /// Two languages, each with a path as given.
        paths: Box<[(&'static str, PathBuf); 2]>,
    },
    /// Several files are given where one is the whole program.
    #[error("{language} (.{extension}) stands alone: give one such file and no sources")]
    NotAlone {
        /// The language.
        language: &'static str,
        /// The ending of its files.
        extension: &'static str,
    },
    /// A file is not well formed.
    #[error("{}:{message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and what.
        message: String,
    },
    /// The language's platform or a library cannot be found or read.
    #[error("{0}")]
    Platform(String),
    /// The interrupt or the deadline came while sources were compiled.
    #[error("stopped while the sources were compiled")]
    Stopped,
    /// The sources are not a program; the messages say why.
    #[error("the program has {} error{}", errors(.diagnostics), if errors(.diagnostics) == 1 { "" } else { "s" })]
    Invalid {
        /// What was read, for the places in the messages.
        program: Box<Program>,
        /// Errors and warnings.
        diagnostics: Vec<Diagnostic>,
    },
}

/// The number of messages that are errors.
fn errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
}
