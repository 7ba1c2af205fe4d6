//! Finds the source file to which the `SourceFile` attribute of a class file refers.

use aback_ir::SourceFile;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

/// The compiled sources, and the other places of sources.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub(super) compiled: Vec<SourceFile>,
    /// Index in `compiled` by package and file name.
    by_name: FxHashMap<(String, String), usize>,
    /// Folders below which sources may lie according to their packages.
    roots: Vec<PathBuf>,
    /// By package, folders in which sources of the package may lie: the folders of single class files.
    beside: FxHashMap<String, Vec<PathBuf>>,
}

impl Sources {
    /// Reads the sources. The first one of a name counts.
    pub(super) fn read(paths: Vec<PathBuf>) -> Self {
        let mut sources = Sources::default();
        for path in paths {
            let text = read(&path);
            let package = text.as_deref().map(package).unwrap_or_default();
            if let Some(name) = path.file_name().and_then(|name| name.to_str()) {
                sources.by_name.entry((package, name.into())).or_insert(sources.compiled.len());
            }
            sources.compiled.push(SourceFile { path, text });
        }
        sources
    }

    pub(super) fn add_root(&mut self, root: &Path) {
        if !self.roots.iter().any(|known| known == root) {
            self.roots.push(root.into());
        }
    }

    pub(super) fn add_beside(&mut self, package: &str, folder: &Path) {
        let folders = self.beside.entry(package.into()).or_default();
        if !folders.iter().any(|known| known == folder) {
            folders.push(folder.into());
        }
    }

    /// A compiled source, by package and file name.
    pub(super) fn compiled(&self, package: &str, file: &str) -> Option<&SourceFile> {
        self.by_name.get(&(package.into(), file.into())).map(|&index| &self.compiled[index])
    }

    /// A source that was not compiled here, at the usual places.
    pub(super) fn elsewhere(&self, package: &str, file: &str) -> Option<SourceFile> {
        let beside = self.beside.get(package).into_iter().flatten().map(|folder| folder.join(file));
        let below = self.roots.iter().map(|root| root.join(package).join(file));
        beside.chain(below).find(|path| path.is_file()).map(|path| SourceFile { text: read(&path), path })
    }
}

/// The package of a source in internal form; `None` if the file cannot be read.
pub(super) fn package_of(source: &Path) -> Option<String> {
    read(source).as_deref().map(package)
}

/// Reads a text. Invalid UTF-8 is replaced.
fn read(path: &Path) -> Option<String> {
    super::read_file(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The package of a source in internal form (`java/util`), empty if it declares none.
fn package(text: &str) -> String {
    let Some(mut rest) = after_blank(text.trim_start_matches('\u{feff}')).strip_prefix("package") else {
        return String::new();
    };
    let mut package = String::new();
    loop {
        rest = after_blank(rest);
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
        package.push_str(&rest[..end]);
        rest = after_blank(&rest[end..]);
        match rest.strip_prefix('.') {
            Some(after) => rest = after,
            None if rest.starts_with(';') => return package,
            None => return String::new(),
        }
        package.push('/');
    }
}

/// The text after white space and comments.
fn after_blank(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        text = if let Some(comment) = text.strip_prefix("//") {
            comment.find(['\n', '\r']).map_or("", |end| &comment[end..])
        } else if let Some(comment) = text.strip_prefix("/*") {
            comment.find("*/").map_or("", |end| &comment[end + 2..])
        } else {
            return text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_tells_its_package() {
        let check = |text: &str, expected: &str| assert_eq!(package(text), expected, "{text}");
        check("package a.b . c;\nclass X {}", "a/b/c");
        check("// one\n/* package no; */ package\n a_1./**/é;", "a_1/é");
        check("\u{feff}package a;", "a");
        check("import java.util.*;\nclass Package {}", "");
        check("packages.x = 1;", "");
        check("package a", "");
        check("/* open", "");
    }
}
