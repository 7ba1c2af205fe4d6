//! Finds class files by the names of their classes.
//!
//! A [`ClassPath`] is opened once for the user's paths, and returns class files by internal name
//! (`java/util/HashMap`). This module knows only names and bytes; other modules parse class files.
//!
//! # The user's paths
//!
//! | path | classes |
//! | --- | --- |
//! | `X.java` | the classes to which it is compiled |
//! | `X.class` | the class that it defines, wherever it lies |
//! | `x.jar` | the classes in it; variants for newer releases of Java (multi-release jars) up to the release of the JDK, or 17 if that is not known |
//! | a folder | all `.java` and `.class` files in it and below; jars in it and below count as libraries |
//!
//! Links to folders and hidden folders below a folder are not followed. A file that is named twice is read once.
//! `module-info` and `package-info` are not classes, and all sources are compiled as one unnamed module. The annotations of
//! packages can be found like classes.
//!
//! All sources are compiled in one run of the JDK's `javac`, with debug information, into a temporary folder that is
//! removed afterwards, or taken from an earlier run ([`Options::compiled`]). The compiler sees the class files and jars that the user names and the libraries, but
//! no other sources.
//!
//! # Search order
//!
//! 1. Classes of packages below `java`: only in the JDK, because Java loads them from nowhere else.
//! 2. The user's classes: first the classes compiled from sources, so that class files of an older build are not
//!    used; then class files, then jars, each in the order in which they are named. Within a folder, the order is
//!    that of names. If two files define the same class, the first one counts and the other one gives a [`Warning`].
//! 3. The libraries ([`Options::extra`]) in order. A folder stands for the classes below it, at the locations that
//!    correspond to their packages, and then for the jars directly in it.
//! 4. Jars in folders that the user names.
//! 5. The JDK: `lib/modules` of the folder [`Options::java_home`]; if it is not set, of `JAVA_HOME`, of the `javac`
//!    on `PATH`, or of the `java` on `PATH`, in this order. A JDK with a compiler is preferred.
//!
//! A class file counts only as the class that it defines: if it defines a class other than the requested one, it is
//! skipped with a warning. In a folder of class files, the first one decides: if it is in a package and the folder's
//! path ends with the package, the others are assumed to be in the same package, and are not read before they are
//! used.
//!
//! ```
//! use aback_lang_java::classpath::{ClassPath, Options, Origin};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! let main = folder.path().join("Main.java");
//! std::fs::write(&main, "class Main { int twice(int n) { return n + n; } }").unwrap();
//! let classes = ClassPath::open(&[main.clone()], &Options::default()).unwrap();
//! assert_eq!(classes.user_classes().collect::<Vec<_>>(), ["Main"]);
//! assert_eq!(classes.find("Main").unwrap().origin, Origin::User { path: main });
//! assert_eq!(classes.find("java/util/HashMap").unwrap().origin, Origin::Library);
//! assert!(classes.find("Other").is_none());
//! ```

mod collect;
mod compiled;
mod error;
mod export;
pub(crate) mod header;
mod jar;
mod javac;
mod jdk;
mod shape;
mod sources;

pub use error::{CompileError, CompileErrors, NoLibrary, OpenError, Warning};
pub use jdk::Library;
pub(crate) use jdk::tools;

use crate::conditions::Addition;
use crate::supplied::VERIFIER;
use aback_frontend::{CompileCache, Platforms};
use aback_ir::SourceFile;
use collect::{Found, FoundClass, Kind, is_module, is_package};
use jar::Jar;
use jdk::Java;
use sources::Sources;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Greatest size of a class file or jar entry, in bytes. Handwritten or compiled classes are never larger.
const MAX_SIZE: u64 = 64 << 20;
/// The oldest supported release of Java. Its variants of classes are used if the release of the JDK is unknown.
const OLDEST: u32 = 17;

/// Options for opening a class path.
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    /// The folder of the only JDK to use. `None` to search as the environment specifies.
    pub java_home: Option<PathBuf>,
    /// The user's libraries: folders, `.jar` and `.class` files.
    pub extra: Vec<PathBuf>,
    /// What is shared with other programs.
    pub platforms: Option<&'a Platforms>,
    /// Files and folders with models of methods of libraries. They are compiled without the program.
    pub models: Vec<PathBuf>,
    /// A source that the compiler gets instead of one of the program, or besides them.
    pub addition: Option<&'a Addition>,
    /// Where compiled programs are kept for later runs.
    pub compiled: Option<&'a CompileCache>,
    /// The time at which the compiler is stopped.
    pub deadline: Option<Instant>,
    /// The compiler is stopped once this is set.
    pub interrupt: Option<&'a AtomicBool>,
}

/// The classes that an analysis can see. See the [module documentation](self).
#[derive(Debug)]
pub struct ClassPath {
    user: BTreeMap<String, Place>,
    jars: Vec<Jar>,
    libraries: Vec<Extra>,
    library: Result<Arc<Library>, NoLibrary>,
    /// The compiler, or the places where none was found.
    compiler: Result<PathBuf, jdk::Searched>,
    sources: Sources,
    warnings: Mutex<Vec<Warning>>,
    /// The classes of models, and what they need.
    models: Option<Box<ClassPath>>,
}

/// A class file with its origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassBytes {
    /// The whole class file. Only its name has been checked.
    pub bytes: Vec<u8>,
    /// The origin of the class file.
    pub origin: Origin,
}

/// The origin of a class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A class that the user asks about.
    User {
        /// The source, class file or jar that contains it, for messages.
        path: PathBuf,
    },
    /// A class of one of the user's libraries, or of models.
    Extra {
        /// The class file or jar that contains it, for messages.
        path: PathBuf,
    },
    /// A class of the JDK.
    Library,
}

/// The location of one of the user's classes.
#[derive(Debug)]
enum Place {
    /// The class file that the compiler made of a source.
    Compiled(Vec<u8>),
    File(PathBuf),
    /// Index of the jar.
    Jar(usize),
}

/// One of the user's libraries.
#[derive(Debug)]
enum Extra {
    Folder(PathBuf),
    Class(FoundClass),
    Jar(Jar),
}

/// A folder or a jar with packages of classes.
#[derive(Debug)]
pub(crate) enum Root<'a> {
    Folder(PathBuf),
    Jar(&'a Jar),
}

impl Root<'_> {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Root::Folder(folder) => folder,
            Root::Jar(jar) => &jar.path,
        }
    }

    /// The class file that describes it as a module, if there is one.
    pub(crate) fn module(&self) -> Option<Vec<u8>> {
        match self {
            Root::Folder(folder) => read_file(&folder.join("module-info.class")).ok(),
            Root::Jar(jar) => jar.class("module-info")?.ok(),
        }
    }
}

impl ClassPath {
    /// Opens the class path of `paths` and compiles the sources among them.
    ///
    /// A missing JDK is an error here only if there are sources to compile; see [`ClassPath::library`].
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(paths: &[PathBuf], options: &Options) -> Result<ClassPath, OpenError> {
        let mut found = Found::at(paths)?;
        let Java { javac, library } =
            Java::locate(options.java_home.as_deref(), options.platforms, |name| std::env::var_os(name));
        let release = library.as_ref().ok().and_then(|library| library.version()).unwrap_or(OLDEST);
        let mut warnings = std::mem::take(&mut found.warnings);
        let open_jar =
            |path: &Path| Jar::open(path, release).map_err(|reason| OpenError::BadJar { path: path.into(), reason });
        let jars = found.jars.iter().map(|path| open_jar(path)).collect::<Result<Vec<_>, _>>()?;
        let mut libraries = Vec::new();
        for path in &options.extra {
            libraries.extend(extra(path, release, &mut warnings)?);
        }
        libraries.extend(lenient_jars(found.libraries.clone(), release, &mut warnings));

        let mut user = BTreeMap::new();
        if !found.sources.is_empty() || options.addition.is_some() {
            let javac = javac.as_ref().map_err(|searched| OpenError::NoCompiler { searched: searched.clone() })?;
            let classes = compiled::compile(javac, &found, &jars, &libraries, options)?;
            user.extend(classes.into_iter().map(|(name, bytes)| (name, Place::Compiled(bytes))));
        }
        let mut sources = Sources::read(found.sources);
        add_files(found.classes, &mut user, &mut sources, &mut warnings);
        add_jars(&jars, &mut user, &mut warnings);
        for jar in &jars {
            sources.add_root(jar.path.parent().unwrap_or(Path::new("")));
        }
        for library in &libraries {
            if let Extra::Folder(folder) = library {
                sources.add_root(folder);
            }
        }
        if user.keys().all(|name| is_package(name)) {
            return Err(OpenError::NoClasses { paths: paths.to_vec(), ignored: warnings });
        }
        let models = open_models(&found.libraries, options)?.map(Box::new);
        let warnings = Mutex::new(warnings);
        Ok(ClassPath { user, jars, libraries, library, compiler: javac, sources, warnings, models })
    }

    /// The class with an internal name such as `java/util/HashMap` or `Outer$Inner`. Arrays and primitive types are
    /// not classes. If a class file exists but cannot be used, a warning says why.
    pub fn find(&self, internal_name: &str) -> Option<ClassBytes> {
        self.find_without_models(internal_name).or_else(|| {
            let ClassBytes { bytes, origin } = self.models.as_ref()?.find(internal_name)?;
            let (Origin::User { path } | Origin::Extra { path }) = origin else { return None };
            Some(ClassBytes { bytes, origin: Origin::Extra { path } })
        })
    }

    fn find_without_models(&self, internal_name: &str) -> Option<ClassBytes> {
        if !is_internal_name(internal_name) {
            return None;
        }
        let is_javas_own = internal_name.starts_with("java/");
        let first = if is_javas_own { self.in_library(internal_name) } else { None };
        first
            .or_else(|| self.in_user_classes(internal_name))
            .or_else(|| self.in_extra(internal_name))
            .or_else(|| if is_javas_own { None } else { self.in_library(internal_name) })
    }

    /// The folder or the jar from which a class comes, with the folders of its packages; `None` if aback has compiled it, and for classes
    /// of the JDK.
    pub(crate) fn root(&self, internal_name: &str, origin: &Origin) -> Option<Root<'_>> {
        let (Origin::User { path } | Origin::Extra { path }) = origin else { return None };
        match Kind::of(path)? {
            Kind::Source => None,
            Kind::Class => FoundClass { name: internal_name.into(), path: path.clone() }.root().map(Root::Folder),
            Kind::Jar => {
                let libraries = self.libraries.iter().filter_map(|library| match library {
                    Extra::Jar(jar) => Some(jar),
                    _ => None,
                });
                self.jars.iter().chain(libraries).find(|jar| jar.path == *path).map(Root::Jar)
            }
        }
    }

    /// The classes of models.
    pub(crate) fn models(&self) -> Option<&ClassPath> {
        self.models.as_deref()
    }

    /// Whether a class is one of the user's paths.
    pub(crate) fn has_own(&self, internal_name: &str) -> bool {
        self.user.contains_key(internal_name)
    }

    /// The file of a class that is no model's, in readable form.
    pub(crate) fn find_beside_models(&self, internal_name: &str) -> Option<String> {
        Some(match self.find_without_models(internal_name)?.origin {
            Origin::User { path } | Origin::Extra { path } => path.display().to_string(),
            Origin::Library => "the JDK".into(),
        })
    }

    /// The first of these classes that a class file of the user's names. Classes that were compiled here name none that
    /// the compiler did not see.
    pub(crate) fn names_in_given<'a>(
        &self,
        internal_name: &str,
        classes: impl Iterator<Item = &'a str>,
    ) -> Option<String> {
        if matches!(self.user.get(internal_name)?, Place::Compiled(_)) {
            return None;
        }
        let bytes = self.find(internal_name)?.bytes;
        let mut classes = classes.filter(|class| header::names_class(&bytes, class));
        classes.next().map(str::to_owned)
    }

    /// The internal names of the classes in the user's paths, sorted.
    pub fn user_classes(&self) -> impl Iterator<Item = &str> {
        self.user.keys().map(String::as_str).filter(|name| !is_package(name))
    }

    /// Whether one of the user's class files contains one of these constants, given in the encoding of class files.
    pub(crate) fn users_have(&self, constants: &[&[u8]]) -> bool {
        self.user_classes().any(|class| {
            self.find(class).is_some_and(|found| {
                let has = |constant: &&[u8]| found.bytes.windows(constant.len()).any(|window| window == *constant);
                constants.iter().any(has)
            })
        })
    }

    /// The sources that were compiled, in the order in which they were found.
    pub fn sources(&self) -> &[SourceFile] {
        &self.sources.compiled
    }

    /// The source to which the `SourceFile` attribute of a class of `package` (`java/util`; empty for none) refers.
    ///
    /// It is one of the compiled sources. For other classes, it lies beside the class file, below the folder of a jar
    /// or a library according to the package, or in a jar.
    pub fn source(&self, package: &str, file: &str) -> Option<SourceFile> {
        let name = if package.is_empty() { file.to_owned() } else { format!("{package}/{file}") };
        if file.contains('/') || !is_internal_name(&name) {
            return None;
        }
        let compiled = self.sources.compiled(package, file).cloned();
        let elsewhere = compiled.or_else(|| self.sources.elsewhere(package, file)).or_else(|| {
            let libraries = self.libraries.iter().filter_map(|library| match library {
                Extra::Jar(jar) => Some(jar),
                _ => None,
            });
            self.jars.iter().chain(libraries).find_map(|jar| {
                let text = jar.entry(&name)?.ok()?;
                let text = Some(String::from_utf8_lossy(&text).into_owned());
                Some(SourceFile { path: jar.path.join(&name), text })
            })
        });
        elsewhere.or_else(|| self.models.as_ref()?.source(package, file))
    }

    /// The JDK's classes, which are opened if no lookup has opened them.
    ///
    /// # Errors
    /// There are no JDK classes; see [`NoLibrary`].
    pub fn library(&self) -> Result<&Library, &NoLibrary> {
        let library = self.library.as_ref()?;
        library.image()?;
        Ok(library)
    }

    /// The warnings from opening the class path and from all lookups so far.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone();
        warnings.extend(self.models.iter().flat_map(|models| models.warnings()));
        warnings
    }

    pub(crate) fn warn(&self, warning: Warning) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    fn in_user_classes(&self, name: &str) -> Option<ClassBytes> {
        let (path, bytes) = match self.user.get(name)? {
            Place::Compiled(bytes) => (self.compiled_from(name, bytes), Ok(bytes.clone())),
            Place::File(path) => (path.clone(), read_file(path)),
            Place::Jar(jar) => (self.jars[*jar].path.clone(), self.jars[*jar].class(name)?),
        };
        let bytes = self.usable(name, &path, bytes)?;
        Some(ClassBytes { bytes, origin: Origin::User { path } })
    }

    fn compiled_from(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let (package, simple) = name.rsplit_once('/').unwrap_or(("", name));
        let file = header::source_file(bytes).unwrap_or_else(|| format!("{simple}.java"));
        self.sources.compiled(package, &file).map_or_else(|| file.into(), |source| source.path.clone())
    }

    fn in_extra(&self, name: &str) -> Option<ClassBytes> {
        self.libraries.iter().find_map(|library| {
            let (path, bytes) = match library {
                Extra::Folder(folder) => {
                    let path = folder.join(format!("{name}.class"));
                    let bytes = path.is_file().then(|| read_file(&path))?;
                    (path, bytes)
                }
                Extra::Class(class) if class.name == name => (class.path.clone(), read_file(&class.path)),
                Extra::Class(_) => return None,
                Extra::Jar(jar) => (jar.path.clone(), jar.class(name)?),
            };
            let bytes = self.usable(name, &path, bytes)?;
            Some(ClassBytes { bytes, origin: Origin::Extra { path } })
        })
    }

    fn in_library(&self, name: &str) -> Option<ClassBytes> {
        match self.library.as_ref().ok()?.class(name) {
            Ok(bytes) => Some(ClassBytes { bytes: bytes?, origin: Origin::Library }),
            Err(NoLibrary::BadImage { path, reason }) => {
                self.warn(Warning::Unusable { path, reason });
                None
            }
            Err(_) => None,
        }
    }

    /// The bytes, if they define the requested class. Otherwise records a warning.
    fn usable(&self, name: &str, path: &Path, bytes: Result<Vec<u8>, String>) -> Option<Vec<u8>> {
        let named = bytes.and_then(|bytes| Ok((header::this_class(&bytes)?, bytes)));
        let warning = match named {
            Ok((actual, bytes)) if actual == name => return Some(bytes),
            Ok((actual, _)) => Warning::Misplaced { path: path.into(), expected: name.into(), actual },
            Err(reason) => Warning::Unusable { path: path.into(), reason },
        };
        self.warn(warning);
        None
    }
}

impl Place {
    /// The file or the jar, unless a compiler made the class.
    fn path<'a>(&'a self, jars: &'a [Jar]) -> Option<&'a Path> {
        match self {
            Place::Compiled(_) => None,
            Place::File(path) => Some(path),
            Place::Jar(jar) => Some(&jars[*jar].path),
        }
    }
}

/// Whether a name is an internal name. Such names never lead out of a folder.
fn is_internal_name(name: &str) -> bool {
    let is_segment = |segment: &str| !matches!(segment, "" | "." | "..") && !segment.contains(['\0', ';', '[']);
    name.split('/').all(is_segment)
}

/// A library, with the jars in it if it is a folder.
fn extra(path: &Path, release: u32, warnings: &mut Vec<Warning>) -> Result<Vec<Extra>, OpenError> {
    let unreadable = |source| OpenError::Unreadable { path: path.into(), source };
    if path.metadata().map_err(unreadable)?.is_dir() {
        let entries = std::fs::read_dir(path).map_err(unreadable)?.filter_map(Result::ok).map(|entry| entry.path());
        let mut jars: Vec<PathBuf> = entries.filter(|path| Kind::of(path) == Some(Kind::Jar)).collect();
        jars.sort_unstable();
        let mut libraries = vec![Extra::Folder(path.into())];
        libraries.extend(lenient_jars(jars, release, warnings));
        return Ok(libraries);
    }
    let library = match Kind::of(path) {
        Some(Kind::Jar) => {
            Extra::Jar(Jar::open(path, release).map_err(|reason| OpenError::BadJar { path: path.into(), reason })?)
        }
        Some(Kind::Class) => {
            let name = read_file(path).and_then(|bytes| Ok(header::this_class(&bytes)?));
            let name = name.map_err(|reason| OpenError::BadClass { path: path.into(), reason })?;
            Extra::Class(FoundClass { name, path: path.into() })
        }
        Some(Kind::Source) => return Err(OpenError::SourceInClassPath(path.into())),
        None => return Err(OpenError::UnknownKind(path.into())),
    };
    Ok(vec![library])
}

/// Jars that the user did not name. Malformed ones are skipped.
fn lenient_jars(paths: Vec<PathBuf>, release: u32, warnings: &mut Vec<Warning>) -> Vec<Extra> {
    let mut jars = Vec::new();
    for path in paths {
        match Jar::open(&path, release) {
            Ok(jar) => jars.push(Extra::Jar(jar)),
            Err(reason) => warnings.push(Warning::Unusable { path, reason }),
        }
    }
    jars
}

/// Opens the class path of models, if there are any. `libraries` are further libraries of the program.
fn open_models(libraries: &[PathBuf], options: &Options) -> Result<Option<ClassPath>, OpenError> {
    if options.models.is_empty() {
        return Ok(None);
    }
    let paths = &options.models;
    let sources = Found::at(paths)?.sources;
    let (name, text) = VERIFIER;
    let has_own = sources.iter().any(|source| source.file_name().is_some_and(|file| file == name));
    let verifier = Addition { replaces: None, name: name.into(), text: text.into() };
    let own = Options {
        extra: options.extra.iter().chain(libraries).cloned().collect(),
        models: Vec::new(),
        addition: Some(&verifier).filter(|_| !sources.is_empty() && !has_own),
        ..options.clone()
    };
    ClassPath::open(paths, &own).map(Some)
}

fn add_files(
    classes: Vec<FoundClass>,
    user: &mut BTreeMap<String, Place>,
    sources: &mut Sources,
    warnings: &mut Vec<Warning>,
) {
    for class in classes {
        let package = class.name.rsplit_once('/').map_or("", |(package, _)| package);
        sources.add_beside(package, class.path.parent().unwrap_or(Path::new("")));
        add(class.name, Place::File(class.path), &[], user, warnings);
    }
}

fn add_jars(jars: &[Jar], user: &mut BTreeMap<String, Place>, warnings: &mut Vec<Warning>) {
    for (index, jar) in jars.iter().enumerate() {
        let mut names: Vec<String> = jar.classes().into_iter().filter(|name| is_internal_name(name)).collect();
        names.sort_unstable();
        for name in names {
            if !is_module(&name) {
                add(name, Place::Jar(index), jars, user, warnings);
            }
        }
    }
}

/// Adds a class. The first one of a name counts. A class file that a compiled class hides is from an older build and
/// needs no warning.
fn add(name: String, place: Place, jars: &[Jar], user: &mut BTreeMap<String, Place>, warnings: &mut Vec<Warning>) {
    match user.entry(name) {
        Entry::Vacant(entry) => {
            entry.insert(place);
        }
        Entry::Occupied(entry) if is_package(entry.key()) => {}
        Entry::Occupied(entry) => {
            if let (Some(kept), Some(ignored)) = (entry.get().path(jars), place.path(jars)) {
                let (kept, ignored) = (kept.into(), ignored.into());
                warnings.push(Warning::Duplicate { class: entry.key().clone(), kept, ignored });
            }
        }
    }
}

/// The contents of a file, or the reason why it cannot be read.
fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    File::open(path).map_err(|error| error.to_string()).and_then(read_at_most)
}

/// All bytes, unless there are too many.
fn read_at_most(reader: impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    reader.take(MAX_SIZE + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err(format!("it is larger than {} MB", MAX_SIZE >> 20));
    }
    Ok(bytes)
}
