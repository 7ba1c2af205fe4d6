//! Compiles the sources of a program, or takes what was compiled of them before.
//!
//! If only the texts of some sources have changed since, these are compiled against the classes of the others. The
//! result is what a compilation of all sources would make, as long as the changed sources declare the same as before
//! ([`same_shape`]): nothing else of them has a part in the compilation of the others. In any other case, and where a class
//! cannot be assigned to its source, all sources are compiled.

use super::collect::{Found, FoundClass, is_module};
use super::jar::Jar;
use super::shape::same_shape;
use super::{Extra, OpenError, Options, header, is_internal_name, javac, sources};
use crate::conditions::Addition;
use aback_frontend::{CompileCache, CompileKey, Compiled, Known, SourceState};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Class files by internal name.
type Classes = BTreeMap<String, Vec<u8>>;

/// Compiles the collected sources.
pub(super) fn compile(
    javac: &Path,
    found: &Found,
    jars: &[Jar],
    libraries: &[Extra],
    options: &Options,
) -> Result<Classes, OpenError> {
    let work = tempfile::Builder::new().prefix("aback-java-").tempdir().map_err(OpenError::Temporary)?;
    let (path, roots) = class_path(found, libraries, &work.path().join("loose")).map_err(OpenError::Temporary)?;
    let mut sources = found.sources.clone();
    if let Some(Addition { replaces, name, text }) = options.addition {
        let folder = work.path().join("added");
        let file = folder.join(name);
        std::fs::create_dir(&folder).and_then(|()| std::fs::write(&file, text)).map_err(OpenError::Temporary)?;
        sources.retain(|source| Some(source) != replaces.as_ref());
        sources.push(file);
        return javac::compile(javac, &sources, &path, work.path(), options);
    }

    let compiler = Compiler { javac, sources: &sources, path: &path, work: work.path(), options };
    let key = options.compiled.and_then(|cache| Some((cache, key(javac, found, jars, libraries, &roots).ok()?)));
    match key.and_then(|(cache, key)| Some((cache, key, SourceState::all(&sources)?))) {
        Some((cache, key, now)) => compiler.compile_with(cache, &key, &now),
        None => compiler.compile(&sources, &path, work.path()),
    }
}

/// The compiler with the sources and the class path of a program, and an empty folder.
struct Compiler<'a> {
    javac: &'a Path,
    sources: &'a [PathBuf],
    path: &'a [PathBuf],
    work: &'a Path,
    options: &'a Options<'a>,
}

impl Compiler<'_> {
    fn compile(&self, sources: &[PathBuf], path: &[PathBuf], work: &Path) -> Result<Classes, OpenError> {
        javac::compile(self.javac, sources, path, work, self.options)
    }

    /// Compiles what the cache does not have of the sources as they are now.
    fn compile_with(&self, cache: &CompileCache, key: &CompileKey, now: &[SourceState]) -> Result<Classes, OpenError> {
        let (known, _alone) = match cache.look_up(key, now, self.options.deadline, self.options.interrupt) {
            Known::Current(known) => return Ok(without_sources(known)),
            Known::Earlier(known, alone) => (known, alone),
        };
        let changed = match known.filter(|known| known.sources.len() == now.len()) {
            Some(known) => self.compile_changed(now, known)?,
            None => None,
        };
        let classes = match changed {
            Some(classes) => classes,
            None => self.compile(self.sources, self.path, self.work)?,
        };
        cache.keep(key, self.sources, now, with_sources(&classes, self.sources));
        Ok(classes)
    }

    /// Compiles the sources whose texts have changed. `None` if that is not enough.
    fn compile_changed(&self, now: &[SourceState], known: Compiled) -> Result<Option<Classes>, OpenError> {
        let is_changed: Vec<bool> = now.iter().zip(&known.sources).map(|(now, before)| now.hash != *before).collect();
        let changed = self.sources.iter().zip(&is_changed).filter(|(_, is_changed)| **is_changed);
        let changed: Vec<PathBuf> = changed.map(|(source, _)| source.clone()).collect();
        if changed.len() > self.sources.len() / 2 || changed.iter().any(|source| may_name_binary(source)) {
            return Ok(None);
        }
        let (mut before, mut classes) = (Classes::new(), Classes::new());
        for (name, bytes) in known.files {
            let numbered = name.split_once(OF).and_then(|(number, class)| Some((number.parse::<usize>().ok()?, class)));
            let is_changed = numbered.and_then(|(number, class)| Some((*is_changed.get(number)?, class)));
            let Some((is_changed, class)) = is_changed.filter(|(_, class)| !may_be_implicit(class, &bytes)) else {
                return Ok(None);
            };
            if is_changed { &mut before } else { &mut classes }.insert(class.to_owned(), bytes);
        }
        let (others, again) = (self.work.join("others"), self.work.join("again"));
        let written = write_all(&classes, &others).and_then(|()| std::fs::create_dir(&again));
        written.map_err(OpenError::Temporary)?;
        let path: Vec<PathBuf> = std::iter::once(others).chain(self.path.iter().cloned()).collect();
        let now = match self.compile(&changed, &path, &again) {
            Ok(now) => now,
            Err(OpenError::Stopped) => return Err(OpenError::Stopped),
            // The messages are those about all sources.
            Err(_) => return Ok(None),
        };
        let is_same = before.len() == now.len()
            && before.iter().zip(&now).all(|(before, now)| before.0 == now.0 && same_shape(before.1, now.1));
        classes.extend(now);
        Ok(is_same.then_some(classes))
    }
}

/// Between the number of its source and the name of a class, as the name of a file in the cache.
const OF: char = ':';

/// The classes for the cache, each with the number of its source; without these if they are not clear.
fn with_sources(classes: &Classes, sources: &[PathBuf]) -> Vec<(String, Vec<u8>)> {
    let numbers = sources_by_class(sources, classes);
    let name = |class: &String| match &numbers {
        Some(numbers) => format!("{}{OF}{class}", numbers[class]),
        None => format!("{OF}{class}"),
    };
    classes.iter().map(|(class, bytes)| (name(class), bytes.clone())).collect()
}

/// The classes from the cache.
fn without_sources(known: Compiled) -> Classes {
    let class = |name: String| name.split_once(OF).map_or_else(|| name.clone(), |(_, class)| class.to_owned());
    known.files.into_iter().map(|(name, bytes)| (class(name), bytes)).collect()
}

/// The class path of the compiler besides the sources, and the folders on it for class files that the user names. Class files
/// at other locations than those of their packages are copied into the folder `loose`.
fn class_path(found: &Found, libraries: &[Extra], loose: &Path) -> io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let mut roots = Vec::new();
    let mut known = FxHashSet::default();
    for class in found.classes.iter().chain(single(libraries)) {
        match class.root() {
            Some(root) if known.contains(&root) => {}
            Some(root) => {
                known.insert(root.clone());
                roots.push(root);
            }
            // The compiler finds classes only by their folders.
            None if is_internal_name(&class.name) => copy_loose(class, loose)?,
            None => {}
        }
    }
    let mut path = vec![loose.to_owned()];
    path.extend(roots.iter().cloned());
    path.extend(found.jars.iter().cloned());
    path.extend(libraries.iter().filter_map(|library| match library {
        Extra::Folder(folder) => Some(folder.clone()),
        Extra::Jar(jar) => Some(jar.path.clone()),
        Extra::Class(_) => None,
    }));
    Ok((path, roots))
}

fn single(libraries: &[Extra]) -> impl Iterator<Item = &FoundClass> {
    libraries.iter().filter_map(|library| match library {
        Extra::Class(class) => Some(class),
        _ => None,
    })
}

/// Copies a class file to the location below `folder` that its package requires. The first class of a name stays.
fn copy_loose(class: &FoundClass, folder: &Path) -> std::io::Result<()> {
    let target = folder.join(format!("{}.class", class.name));
    if target.exists() {
        return Ok(());
    }
    std::fs::create_dir_all(target.parent().unwrap_or(folder))?;
    std::fs::copy(&class.path, target)?;
    Ok(())
}

/// What the compiler depends on besides the texts of the sources.
///
/// # Errors
/// It depends on something that is not known here.
fn key(javac: &Path, found: &Found, jars: &[Jar], libraries: &[Extra], roots: &[PathBuf]) -> io::Result<CompileKey> {
    let javac = javac.canonicalize()?;
    let mut key = CompileKey::new(&javac, javac::OPTIONS)?;
    // A script that runs one of several compilers has no library beside it.
    let home = javac.ancestors().nth(2).ok_or(ErrorKind::NotFound)?;
    key.add_file(&home.join("lib").join("modules"))?;
    for source in &found.sources {
        key.add(std::path::absolute(source)?.as_os_str().as_encoded_bytes());
    }
    for class in found.classes.iter().chain(single(libraries)) {
        key.add_file(&class.path)?;
    }
    let used = libraries.iter().filter_map(|library| match library {
        Extra::Jar(jar) => Some(jar),
        _ => None,
    });
    for jar in jars.iter().chain(used) {
        if jar.names_others {
            return Err(ErrorKind::Unsupported.into());
        }
        key.add_file(&jar.path)?;
    }
    let folders = libraries.iter().filter_map(|library| match library {
        Extra::Folder(folder) => Some(folder),
        _ => None,
    });
    roots.iter().chain(folders).try_for_each(|folder| key.add_file(folder))?;
    Ok(key)
}

/// Whether a source may name a class as its file does (`Outer$Inner`), which the compiler finds among files only.
fn may_name_binary(source: &Path) -> bool {
    std::fs::read(source).map_or(true, |text| text.contains(&b'$') || text.windows(2).any(|pair| pair == b"\\u"))
}

/// Whether a class may be that of a source file with methods outside of classes (Java 25): files can name it, and sources
/// cannot.
fn may_be_implicit(class: &str, bytes: &[u8]) -> bool {
    const FIRST: u16 = 25;
    let is_one = |declared: header::Declaration| {
        declared.release >= FIRST && declared.is_final && declared.superclass.as_deref() == Some("java/lang/Object")
    };
    !class.contains('/') && header::declaration(bytes).is_none_or(is_one)
}

/// The index of the source of each class. `None` if one is not known.
fn sources_by_class(sources: &[PathBuf], classes: &Classes) -> Option<FxHashMap<String, usize>> {
    let mut by_name = FxHashMap::default();
    for (index, source) in sources.iter().enumerate() {
        let name = source.file_name()?.to_str()?.to_owned();
        if by_name.insert((sources::package_of(source)?, name), index).is_some() {
            return None;
        }
    }
    let source_of = |(name, bytes): (&String, &Vec<u8>)| {
        let package = name.rsplit_once('/').map_or("", |(package, _)| package);
        let source = by_name.get(&(package.to_owned(), header::source_file(bytes)?))?;
        Some((name.clone(), *source))
    };
    classes.iter().map(source_of).collect()
}

/// Writes class files to the locations that correspond to their packages.
fn write_all(classes: &Classes, folder: &Path) -> io::Result<()> {
    for (name, bytes) in classes {
        let path = folder.join(format!("{name}.class"));
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        std::fs::write(path, bytes)?;
    }
    Ok(())
}

/// Reads the class files that the compiler wrote, at the locations that correspond to their packages.
pub(super) fn read_all(folder: &Path) -> io::Result<Classes> {
    let mut classes = Classes::new();
    let mut folders = vec![(folder.to_owned(), String::new())];
    while let Some((folder, package)) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if entry.file_type()?.is_dir() {
                folders.push((entry.path(), format!("{package}{name}/")));
            } else if let Some(simple) = name.strip_suffix(".class").filter(|simple| !is_module(simple)) {
                classes.insert(format!("{package}{simple}"), std::fs::read(entry.path())?);
            }
        }
    }
    Ok(classes)
}
