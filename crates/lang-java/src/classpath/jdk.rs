//! Finds the JDK and reads its classes.

use super::error::INSTALL;
use super::{NoLibrary, OLDEST};
use crate::classfile::ClassFile;
use aback_frontend::{FoundTool, Platforms, Tool};
use ristretto_jimage::Image;
use rustc_hash::FxHashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// The Java installation of this machine.
#[derive(Debug)]
pub(super) struct Java {
    pub(super) javac: Result<PathBuf, Searched>,
    pub(super) library: Result<Arc<Library>, NoLibrary>,
}

/// A description of the places that were searched.
pub(super) type Searched = String;

/// A folder that may be a JDK, with its compiler.
struct Candidate {
    home: PathBuf,
    javac: Option<PathBuf>,
}

impl Candidate {
    fn at(home: PathBuf) -> Self {
        let javac = Some(home.join("bin/javac")).filter(|javac| is_executable(javac));
        Candidate { home, javac }
    }

    fn image(&self) -> PathBuf {
        self.home.join("lib/modules")
    }
}

impl Java {
    /// The Java installation at `java_home`, or the one given by the environment variables `JAVA_HOME` and `PATH`.
    /// The library and the compiler are from the same place, so that compiled classes find the library against which
    /// they were compiled.
    pub(super) fn locate(
        java_home: Option<&Path>,
        platforms: Option<&Platforms>,
        environment: impl Fn(&str) -> Option<OsString>,
    ) -> Java {
        let candidates: Vec<Candidate> = match java_home {
            Some(home) => vec![Candidate::at(home.into())],
            None => {
                let path = environment("PATH").unwrap_or_default();
                let home = environment("JAVA_HOME").filter(|home| !home.is_empty());
                let home = home.map(|home| Candidate::at(home.into()));
                home.into_iter().chain(on_path("javac", &path)).chain(on_path("java", &path)).collect()
            }
        };
        let with_image = || candidates.iter().filter(|candidate| candidate.image().is_file());
        let library = match with_image().find(|candidate| candidate.javac.is_some()).or_else(|| with_image().next()) {
            Some(candidate) => Ok(match platforms {
                Some(platforms) => platforms.of(&candidate.image(), || Library::at(candidate)),
                None => Arc::new(Library::at(candidate)),
            }),
            None if candidates.is_empty() => Err(NoLibrary::NoJava),
            None => Err(NoLibrary::NoImage(candidates.iter().map(|candidate| candidate.home.clone()).collect())),
        };
        let javac = candidates.iter().find_map(|candidate| candidate.javac.clone());
        let javac = javac.ok_or_else(|| match java_home {
            Some(home) => format!("{}/bin", home.display()),
            None => "JAVA_HOME or PATH".into(),
        });
        Java { javac, library }
    }

    /// The tools of this installation.
    fn tools(&self) -> Vec<Tool> {
        let usable = match &self.library {
            Ok(library) => library.image().map(|_| library).map_err(NoLibrary::to_string),
            Err(missing) => Err(missing.to_string()),
        };
        let version = usable.as_ref().ok().and_then(|library| library.full_version.clone());
        let home = usable.as_ref().ok().and_then(|library| library.home.canonicalize().ok());
        let jdk = usable.as_ref().map_err(String::clone).and_then(|library| match library.version {
            Some(version @ ..OLDEST) => {
                Err(format!("the one at {} is too old ({version}): {INSTALL}", library.home.display()))
            }
            _ => Ok(library.home.clone()),
        });
        let javac = self.javac.clone().map_err(|searched| format!("there is none in {searched}: {INSTALL}"));
        let java = match usable.map(|library| library.java()) {
            Ok(java) if is_executable(&java) => Ok(java),
            Ok(java) => Err(format!("there is no {}: {INSTALL}", java.display())),
            Err(_) => Err("it belongs to the JDK".into()),
        };
        let tool = |name, purpose, found: Result<PathBuf, String>| {
            let path = found.as_ref().ok().and_then(|path| path.canonicalize().ok());
            // The compiler may belong to another JDK.
            let version =
                version.clone().filter(|_| path.zip(home.as_ref()).is_some_and(|(path, home)| path.starts_with(home)));
            Tool { name, purpose, found: found.map(|path| FoundTool { version, path }) }
        };
        vec![
            tool("JDK", "Java class files and jars", jdk),
            tool("javac", "Java sources, and --assume and --models for Java", javac),
            tool("java", "--confirm and unit tests for Java", java),
        ]
    }
}

/// The tools of the Java installation at `java_home`, or of that which the environment gives.
pub(crate) fn tools(java_home: Option<&Path>) -> Vec<Tool> {
    Java::locate(java_home, None, |name| std::env::var_os(name)).tools()
}

/// The home of the first `tool` on a search path. Links are followed to find the home. The tool itself is called by
/// the path that was found, because version managers use links that depend on their own names.
fn on_path(tool: &str, path: &OsStr) -> Option<Candidate> {
    let found = std::env::split_paths(path).map(|folder| folder.join(tool)).find(|tool| is_executable(tool))?;
    let real = found.canonicalize().ok()?;
    let home = real.parent()?.parent()?.to_owned();
    Some(Candidate { home, javac: (tool == "javac").then_some(found) })
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// The classes of a JDK. Programs may share one.
pub struct Library {
    home: PathBuf,
    version: Option<u32>,
    full_version: Option<String>,
    modules: Vec<String>,
    /// The image, opened at the first lookup: if the file is not cached by the system, reading its first page takes
    /// 20 ms.
    image: OnceLock<Result<Image, NoLibrary>>,
    /// The index in `modules` of each package's module, for the packages seen so far.
    packages: RwLock<FxHashMap<String, usize>>,
    /// Class files that were parsed, by internal name. Parsing is most of what it takes to translate code of the library.
    parsed: RwLock<FxHashMap<String, Arc<ClassFile>>>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Library({})", self.home.display())
    }
}

/// A class of the library, or the reason why a lookup is impossible.
pub(super) type Lookup = Result<Option<Vec<u8>>, NoLibrary>;

impl Library {
    fn at(candidate: &Candidate) -> Self {
        let release = std::fs::read_to_string(candidate.home.join("release")).unwrap_or_default();
        Library {
            home: candidate.home.clone(),
            version: property(&release, "JAVA_VERSION").and_then(feature_version),
            full_version: property(&release, "JAVA_VERSION").map(String::from),
            modules: modules(&release),
            image: OnceLock::new(),
            packages: RwLock::default(),
            parsed: RwLock::default(),
        }
    }

    /// The folder of the JDK.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The version, such as 17.0.15, if the JDK declares it.
    pub fn full_version(&self) -> Option<&str> {
        self.full_version.as_deref()
    }

    /// The release of Java, such as 17, if the JDK declares it.
    pub fn version(&self) -> Option<u32> {
        self.version
    }

    /// The class file of a class, whose bytes are those that it has, parsed once.
    ///
    /// # Errors
    /// What is wrong with it, for a person.
    pub(crate) fn parsed(&self, internal_name: &str, bytes: Vec<u8>) -> Result<Arc<ClassFile>, String> {
        if let Some(known) = self.parsed.read().unwrap_or_else(PoisonError::into_inner).get(internal_name) {
            return Ok(Arc::clone(known));
        }
        let file = Arc::new(ClassFile::parse(bytes)?);
        let mut parsed = self.parsed.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(parsed.entry(internal_name.to_owned()).or_insert(file)))
    }

    /// The module of a package (`java/util`). `None` if no class of the package has been looked up.
    pub fn module(&self, package: &str) -> Option<&str> {
        let packages = self.packages.read().unwrap_or_else(PoisonError::into_inner);
        packages.get(package).map(|&module| self.modules[module].as_str())
    }

    /// The `java` program.
    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }

    fn path(&self) -> PathBuf {
        self.home.join("lib/modules")
    }

    pub(super) fn image(&self) -> Result<&Image, &NoLibrary> {
        let open = || {
            let bad = |reason: String| NoLibrary::BadImage { path: self.path(), reason };
            let image = Image::from_file(&self.path()).map_err(|error| bad(error.to_string()))?;
            match resource(&image, "java.base", "java/lang/Object") {
                Ok(Some(_)) => Ok(image),
                Ok(None) => Err(bad("it has no java.lang.Object".into())),
                Err(reason) => Err(bad(reason)),
            }
        };
        self.image.get_or_init(open).as_ref()
    }

    pub(super) fn class(&self, name: &str) -> Lookup {
        let image = self.image().map_err(NoLibrary::clone)?;
        let get = |module: usize| {
            resource(image, &self.modules[module], name)
                .map_err(|reason| NoLibrary::BadImage { path: self.path(), reason: format!("{name}: {reason}") })
        };
        let package = name.rsplit_once('/').map_or("", |(package, _)| package);
        let known = self.packages.read().unwrap_or_else(PoisonError::into_inner).get(package).copied();
        if let Some(module) = known {
            return get(module);
        }
        // A package is in only one module. The `ristretto_jimage` crate does not provide the image's own index from
        // packages to modules, but a lookup in the hash table of all names takes well under a microsecond.
        for module in 0..self.modules.len() {
            if let Some(bytes) = get(module)? {
                let mut packages = self.packages.write().unwrap_or_else(PoisonError::into_inner);
                packages.insert(package.into(), module);
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }
}

/// Catches panics, because the `ristretto_jimage` crate panics on damaged images and on images that `jlink`
/// compressed.
fn resource(image: &Image, module: &str, class: &str) -> Result<Option<Vec<u8>>, String> {
    let name = format!("/{module}/{class}.class");
    let read = || image.get_resource(&name).ok().map(|resource| resource.data().to_vec());
    catch_unwind(AssertUnwindSafe(read)).map_err(|_| "it is compressed or damaged".into())
}

/// A value in a JDK's `release` file, without its quotes.
fn property<'a>(release: &'a str, key: &str) -> Option<&'a str> {
    let value = release.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))?;
    Some(value.trim().trim_matches('"'))
}

fn feature_version(version: &str) -> Option<u32> {
    let digits = |text: &str| text.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
    digits(version.strip_prefix("1.").unwrap_or(version))
}

/// The modules in search order.
fn modules(release: &str) -> Vec<String> {
    let listed = property(release, "MODULES").unwrap_or(STANDARD_MODULES);
    let others = listed.split_whitespace().filter(|module| *module != "java.base");
    std::iter::once("java.base").chain(others).map(str::to_owned).collect()
}

/// The modules of every complete JDK, for a JDK that does not list its modules.
const STANDARD_MODULES: &str = "java.base java.logging java.xml java.sql java.desktop java.net.http java.management \
    java.naming java.prefs java.compiler java.datatransfer java.instrument java.management.rmi java.rmi java.scripting \
    java.security.jgss java.security.sasl java.sql.rowset java.transaction.xa java.xml.crypto jdk.unsupported jdk.net \
    jdk.httpserver jdk.xml.dom";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_file_tells_version_and_modules() {
        let release = "IMPLEMENTOR=\"Debian\"\nJAVA_VERSION=\"17.0.15\"\nMODULES=\"java.xml java.base\"\n";
        assert_eq!(property(release, "JAVA_VERSION").and_then(feature_version), Some(17));
        assert_eq!(modules(release), ["java.base", "java.xml"]);
        assert_eq!(feature_version("1.8.0_402"), Some(8));
        assert_eq!(feature_version("25-ea"), Some(25));
        assert_eq!(feature_version("x"), None);
        assert!(modules("").len() > 10);
    }
}
