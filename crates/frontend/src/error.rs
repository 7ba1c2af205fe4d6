//! Defines the errors of loading a program.

use aback_ir::{Diagnostic, FileId, Program, Severity};
use std::collections::HashMap;
use std::path::PathBuf;

/// The reason why a program cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A path does not exist or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The path as the user gave it.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A file is not text.
    #[error("{}:{line}: the file is not text in UTF-8", path.display())]
    NotText {
        /// The path as the user gave it.
        path: PathBuf,
        /// The line of the first bytes that are not valid UTF-8, from 1.
        line: usize,
    },
    /// A file has a kind that no front end reads.
    #[error("{}: aback reads {kinds} files, and folders of them, but not this kind", path.display())]
    UnknownKind {
        /// The path as the user gave it.
        path: PathBuf,
        /// The supported kinds of files.
        kinds: String,
    },
    /// A folder has no files of any language.
    #[error("{} has no {kinds} files", path.display())]
    NoSources {
        /// The folder as the user gave it.
        path: PathBuf,
        /// The supported kinds of files.
        kinds: String,
    },
    /// A folder has files of several languages.
    #[error(
        "{} has files of both {} ({}) and {} ({}): name the files, or folders, of one of them, or choose it by --language",
        folder.display(), .found[0].0, .found[0].1.display(), .found[1].0, .found[1].1.display()
    )]
    MixedFolder {
        /// The folder as the user gave it.
        folder: PathBuf,
        /// Two languages, each with one of its files in the folder.
        found: Box<[(&'static str, PathBuf); 2]>,
    },
    /// A folder has several projects, and each is a program.
    #[error("{} has several projects: {}; name one of them", folder.display(), listed(.projects))]
    SeveralProjects {
        /// The folder as the user gave it.
        folder: PathBuf,
        /// The files of the projects.
        projects: Vec<PathBuf>,
    },
    /// The paths belong to several languages.
    #[error(
        "{} is {} and {} is {}: a program is in one language, so ask about them one by one",
        .paths[0].1.display(), .paths[0].0, .paths[1].1.display(), .paths[1].0
    )]
    MixedLanguages {
        /// Two languages, each with a path as the user gave it.
        paths: Box<[(&'static str, PathBuf); 2]>,
    },
    /// Several files are given for a language in which one file is the whole program.
    #[error("{language} (.{extension}) stands alone: give one such file and no sources")]
    NotAlone {
        /// The language.
        language: &'static str,
        /// The file name extension of the language.
        extension: &'static str,
    },
    /// A file is not well formed.
    #[error("{}:{message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The place and the problem.
        message: String,
    },
    /// The language's platform or a library cannot be found or read.
    #[error("{0}")]
    Platform(String),
    /// A method that was named as an assertion is none.
    #[error("{0}")]
    AssertMethod(String),
    /// The inputs of the entry point cannot have this precondition.
    #[error("{0}")]
    Precondition(String),
    /// Models cannot be read, or stand for nothing.
    #[error("{0}")]
    Models(String),
    /// The interrupt or the deadline came while sources were compiled.
    #[error("stopped while the sources were compiled")]
    Stopped,
    /// The sources are not a valid program; the diagnostics give the reasons.
    #[error("the program has {} error{}", errors(.diagnostics), if errors(.diagnostics) == 1 { "" } else { "s" })]
    Invalid {
        /// The part that was read, for the places in the diagnostics.
        program: Box<Program>,
        /// Errors and warnings.
        diagnostics: Vec<Diagnostic>,
    },
}

impl LoadError {
    /// Diagnostics of a program that cannot be used, in the order of their places, with the files that they name.
    pub fn at_places(program: &Program, mut diagnostics: Vec<Diagnostic>) -> LoadError {
        diagnostics.sort_by_key(|found| (found.span.file, found.span.line));
        let files = Program::new();
        let mut ids: HashMap<FileId, FileId> = HashMap::new();
        for diagnostic in &mut diagnostics {
            if let Some(file) = program.file(diagnostic.span.file) {
                diagnostic.span.file = *ids.entry(diagnostic.span.file).or_insert_with(|| files.add_file(file.clone()));
            }
        }
        LoadError::Invalid { program: Box::new(files), diagnostics }
    }
}

fn listed(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Number of diagnostics that are errors.
fn errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
}
