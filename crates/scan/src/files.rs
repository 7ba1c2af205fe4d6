//! Finds out whether the files of a program have changed.

use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};

/// A hash of the names and contents of files, and of all files in folders, by which a scan sees whether a program has
/// changed.
///
/// # Errors
/// A file cannot be read. The error names it.
pub fn hash_of_files(paths: &[PathBuf]) -> io::Result<String> {
    let mut hash = Sha256::new();
    for path in paths {
        add(&mut hash, path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
    }
    Ok(hex(&hash.finalize()))
}

/// A hash of a text.
pub fn hash_of_text(text: &str) -> String {
    hex(&Sha256::digest(text))
}

fn hex(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn add(hash: &mut Sha256, path: &Path) -> io::Result<()> {
    if path.is_dir() {
        let mut inside = std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        inside.sort_unstable();
        return inside.iter().try_for_each(|path| add(hash, path));
    }
    let content = std::fs::read(path)?;
    // Lengths separate the parts.
    for part in [path.to_string_lossy().as_bytes(), &content] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    Ok(())
}
