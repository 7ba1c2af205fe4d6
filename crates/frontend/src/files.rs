//! Reads source files.

use crate::LoadError;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Reads the text of a file.
///
/// # Errors
/// The file cannot be read, or is not text in UTF-8.
pub fn read_text(path: &Path) -> Result<String, LoadError> {
    let bytes = std::fs::read(path).map_err(|source| LoadError::Unreadable { path: path.to_path_buf(), source })?;
    String::from_utf8(bytes).map_err(|error| {
        let text = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + text.iter().filter(|&&byte| byte == b'\n').count();
        LoadError::NotText { path: path.to_path_buf(), line }
    })
}

/// Finds the files with one of these extensions at `paths`, and reads their texts. The files of each folder are in
/// the order of their names. A file that is named twice is read once.
///
/// # Errors
/// A file cannot be read, or is not text in UTF-8.
pub fn sources(paths: &[PathBuf], extensions: &[&str]) -> Result<Vec<(PathBuf, String)>, LoadError> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut within = files_within(path)?;
            within.retain(|file| has_extension(file, extensions));
            within.sort();
            files.extend(within);
        } else {
            files.push(path.clone());
        }
    }
    let mut seen = HashSet::new();
    files.retain(|file| file.canonicalize().map_or(true, |file| seen.insert(file)));
    files.into_iter().map(|file| read_text(&file).map(|text| (file, text))).collect()
}

/// Whether a file has one of these extensions.
pub fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    file.extension().and_then(|extension| extension.to_str()).is_some_and(|extension| extensions.contains(&extension))
}

/// All files in a folder and its subfolders. Links to folders are not followed, because they may be circular.
///
/// # Errors
/// A folder cannot be read.
pub fn files_within(folder: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let unreadable = |source| LoadError::Unreadable { path: folder.clone(), source };
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            match entry.file_type().map_err(unreadable)?.is_dir() {
                true => folders.push(entry.path()),
                false => files.push(entry.path()),
            }
        }
    }
    Ok(files)
}
