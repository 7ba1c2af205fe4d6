//! Collects the files that the user's paths name.

use super::{OpenError, Warning, header, read_file};
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};

/// The files that the user's paths name, in the order of the paths, and within a folder in the order of names.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) sources: Vec<PathBuf>,
    pub(super) classes: Vec<FoundClass>,
    /// Jars that the user named.
    pub(super) jars: Vec<PathBuf>,
    /// Jars found in folders that the user named.
    pub(super) libraries: Vec<PathBuf>,
    pub(super) warnings: Vec<Warning>,
    /// Canonical paths of the visited folders, and of visited files outside them.
    seen: FxHashSet<PathBuf>,
}

/// A class file.
#[derive(Debug)]
pub(super) struct FoundClass {
    /// Internal name.
    pub(super) name: String,
    pub(super) path: PathBuf,
}

impl FoundClass {
    /// The folder below which the class lies according to its package, or `None` if the file is elsewhere.
    pub(super) fn root(&self) -> Option<PathBuf> {
        root(self.path.parent()?, &self.name, self.path.file_stem()?.to_str()?)
    }
}

/// The folder below which a class called `name` lies, if `stem.class` in `folder` matches its name and package.
fn root(folder: &Path, name: &str, stem: &str) -> Option<PathBuf> {
    let (package, simple) = name.rsplit_once('/').unwrap_or(("", name));
    if simple != stem {
        return None;
    }
    let depth = package.split('/').filter(|segment| !segment.is_empty()).count();
    let root = folder.ends_with(package).then(|| folder.ancestors().nth(depth))??;
    Some(if root.as_os_str().is_empty() { ".".into() } else { root.into() })
}

impl Found {
    /// Collects the files of all paths.
    pub(super) fn at(paths: &[PathBuf]) -> Result<Found, OpenError> {
        let mut found = Found::default();
        for path in paths {
            found.add(path)?;
        }
        Ok(found)
    }

    fn add(&mut self, path: &Path) -> Result<(), OpenError> {
        let unreadable = |source| OpenError::Unreadable { path: path.into(), source };
        let canonical = path.canonicalize().map_err(unreadable)?;
        if path.metadata().map_err(unreadable)?.is_dir() {
            // The named folder itself must be readable; unreadable folders below it may be skipped.
            std::fs::read_dir(path).map_err(unreadable)?;
            self.walk(path.into(), canonical);
            return Ok(());
        }
        let known_by_folder = canonical.parent().is_some_and(|folder| self.seen.contains(folder));
        if known_by_folder || !self.seen.insert(canonical) {
            return Ok(());
        }
        match Kind::of(path) {
            Some(Kind::Source) => self.sources.push(path.into()),
            Some(Kind::Jar) => self.jars.push(path.into()),
            Some(Kind::Class) => {
                let name = read_file(path).and_then(|bytes| Ok(header::this_class(&bytes)?));
                let name = name.map_err(|reason| OpenError::BadClass { path: path.into(), reason })?;
                self.classes.push(FoundClass { name, path: path.into() });
            }
            None => return Err(OpenError::UnknownKind(path.into())),
        }
        Ok(())
    }

    /// Visits a folder and everything below it, except links to folders and hidden folders.
    fn walk(&mut self, folder: PathBuf, canonical: PathBuf) {
        let mut folders = vec![(folder, canonical)];
        while let Some((folder, canonical)) = folders.pop() {
            if !self.seen.insert(canonical.clone()) {
                continue;
            }
            match entries(&folder) {
                Ok(entries) => self.walk_one(&folder, &canonical, entries, &mut folders),
                Err(error) => self.warnings.push(Warning::Unusable { path: folder, reason: error.to_string() }),
            }
        }
    }

    fn walk_one(
        &mut self,
        folder: &Path,
        canonical: &Path,
        entries: Vec<(std::ffi::OsString, bool)>,
        folders: &mut Vec<(PathBuf, PathBuf)>,
    ) {
        let mut classes = Vec::new();
        // The folder that is pushed last is visited first.
        for (name, is_folder) in entries.into_iter().rev() {
            if is_folder {
                folders.push((folder.join(&name), canonical.join(name)));
                continue;
            }
            let path = folder.join(&name);
            let Some(kind) = Kind::of(&path) else { continue };
            if self.seen.contains(&canonical.join(name)) {
                continue;
            }
            match kind {
                Kind::Source => self.sources.push(path),
                Kind::Jar => self.libraries.push(path),
                Kind::Class => classes.push(path),
            }
        }
        classes.reverse();
        self.add_classes(folder, classes);
    }

    /// Determines the names of the class files in one folder. If the first one is in a package and its path matches,
    /// the others are assumed to be in the same package, so that large folders need not be read. `find` reads a class
    /// file when it is used, and checks this.
    fn add_classes(&mut self, folder: &Path, paths: Vec<PathBuf>) {
        let mut package: Option<String> = None;
        for path in paths {
            let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else {
                self.warnings.push(Warning::Unusable { path, reason: "its name is not text in UTF-8".into() });
                continue;
            };
            if is_module(stem) {
                continue;
            }
            if let Some(package) = &package {
                self.classes.push(FoundClass { name: format!("{package}/{stem}"), path });
                continue;
            }
            match read_file(&path).and_then(|bytes| Ok(header::this_class(&bytes)?)) {
                Ok(name) => {
                    let laid_out = root(folder, &name, stem).is_some();
                    package = name.rsplit_once('/').filter(|_| laid_out).map(|(package, _)| package.to_owned());
                    self.classes.push(FoundClass { name, path });
                }
                Err(reason) => self.warnings.push(Warning::Unusable { path, reason }),
            }
        }
    }
}

/// The sorted names of a folder's entries, each with whether it is a folder to visit.
fn entries(folder: &Path) -> std::io::Result<Vec<(std::ffi::OsString, bool)>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        let is_file = || kind.is_file() || kind.is_symlink() && entry.path().is_file();
        if kind.is_dir() && !is_hidden || Kind::of(Path::new(&name)).is_some() && is_file() {
            entries.push((name, kind.is_dir()));
        }
    }
    entries.sort_unstable();
    Ok(entries)
}

/// The kinds of files that contain classes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Source,
    Class,
    Jar,
}

impl Kind {
    /// Determines the kind by the file extension. The descriptor of a module is not a source: all sources are
    /// compiled as one program.
    pub(super) fn of(path: &Path) -> Option<Kind> {
        match path.extension()?.to_str()? {
            "java" if path.file_name()? != "module-info.java" => Some(Kind::Source),
            "class" => Some(Kind::Class),
            "jar" => Some(Kind::Jar),
            _ => None,
        }
    }
}

/// Whether a class file of this name describes a module instead of a class.
pub(super) fn is_module(name: &str) -> bool {
    is_simple(name, "module-info")
}

/// Whether a class file of this name has the annotations of a package instead of a class.
pub(super) fn is_package(name: &str) -> bool {
    is_simple(name, "package-info")
}

fn is_simple(name: &str, simple: &str) -> bool {
    name.rsplit('/').next() == Some(simple)
}
