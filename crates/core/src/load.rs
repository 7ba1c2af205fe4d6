//! From paths to a program.

use aback_ir::{Diagnostic, Program, Severity};
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};

/// The languages that aback reads, by the endings of their files.
const OOX: &str = "oox";
/// The text form of the program model itself.
const IR: &str = "ir";

/// A program with what its front end had to say about it.
#[derive(Debug)]
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// Warnings: errors are a [`LoadError`].
    pub warnings: Vec<Diagnostic>,
}

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A path that does not exist or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The path as given.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file that is not text.
    #[error("{}:{line}: the file is not text in UTF-8", path.display())]
    NotText {
        /// The path as given.
        path: PathBuf,
        /// The line of the first bytes that are no text, from 1.
        line: usize,
    },
    /// A file of a kind that no front end reads.
    #[error("{}: aback reads .oox sources, folders of them, and .ir program models, not this kind of file", .0.display())]
    UnknownKind(PathBuf),
    /// A folder without sources.
    #[error("{} has no .oox sources", .0.display())]
    NoSources(PathBuf),
    /// Files that cannot be one program.
    #[error("a program model (.ir) stands alone: give one such file and no sources")]
    MixedKinds,
    /// A program model that is not well formed.
    #[error("{}:{message}", path.display())]
    Model {
        /// The file.
        path: PathBuf,
        /// Where and what.
        message: String,
    },
    /// The sources are not a program; the messages say why.
    #[error("the program has {} error{}", errors(.diagnostics), if errors(.diagnostics) == 1 { "" } else { "s" })]
    Invalid {
        /// What was read, for the places in the messages.
        program: Box<Program>,
        /// Errors and warnings.
        diagnostics: Vec<Diagnostic>,
    },
}

fn errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
}

/// Reads the sources at `paths`, files or folders, as one program. A file that is named twice is read once.
///
/// # Errors
/// See [`LoadError`].
pub fn load(paths: &[PathBuf]) -> Result<Loaded, LoadError> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files)?;
    }
    let mut seen = FxHashSet::default();
    files.retain(|file| file.canonicalize().map_or(true, |file| seen.insert(file)));
    if files.iter().any(|file| has_ending(file, IR)) {
        return match &files[..] {
            [file] => load_model(file),
            _ => Err(LoadError::MixedKinds),
        };
    }
    let mut sources = Vec::new();
    for file in files {
        let text = read(&file)?;
        sources.push((file, text));
    }
    let aback_lang_oox::Loaded { program, diagnostics } = aback_lang_oox::load(sources);
    if errors(&diagnostics) > 0 {
        return Err(LoadError::Invalid { program: Box::new(program), diagnostics });
    }
    Ok(Loaded { program, warnings: diagnostics })
}

fn load_model(path: &Path) -> Result<Loaded, LoadError> {
    let text = read(path)?;
    let program = aback_ir::text::parse(&text)
        .map_err(|error| LoadError::Model { path: path.to_path_buf(), message: error.to_string() })?;
    Ok(Loaded { program, warnings: Vec::new() })
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|extension| extension == ending)
}

fn read(path: &Path) -> Result<String, LoadError> {
    let bytes = std::fs::read(path).map_err(|source| LoadError::Unreadable { path: path.to_path_buf(), source })?;
    String::from_utf8(bytes).map_err(|error| {
        let text = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + text.iter().filter(|&&byte| byte == b'\n').count();
        LoadError::NotText { path: path.to_path_buf(), line }
    })
}

/// Adds the source files at a path, in order of their names.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), LoadError> {
    let unreadable = |source| LoadError::Unreadable { path: path.to_path_buf(), source };
    if std::fs::metadata(path).map_err(unreadable)?.is_file() {
        if !has_ending(path, OOX) && !has_ending(path, IR) {
            return Err(LoadError::UnknownKind(path.to_path_buf()));
        }
        files.push(path.to_path_buf());
        return Ok(());
    }
    let before = files.len();
    let mut folders = vec![path.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let unreadable = |source| LoadError::Unreadable { path: folder.clone(), source };
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let kind = entry.file_type().map_err(unreadable)?;
            // Links are not followed into folders: they may be circular.
            if kind.is_dir() {
                folders.push(entry.path());
            } else if has_ending(&entry.path(), OOX) {
                files.push(entry.path());
            }
        }
    }
    files[before..].sort();
    if files.len() == before {
        return Err(LoadError::NoSources(path.to_path_buf()));
    }
    Ok(())
}
