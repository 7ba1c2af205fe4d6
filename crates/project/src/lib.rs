//! Finds out what the files of a project are: those of the program, and its libraries.
//!
//! A [`Project`] is found in a folder by the file of its build tool. Nothing is built, and nothing is downloaded: what the
//! build tool has compiled is used if it is as new as the sources; otherwise, the sources are the program. Libraries are looked
//! up where the build tool keeps them. Only if something is missing or not understood, the build tool is asked.

mod asked;
mod changes;
mod dotnet;
mod gradle;
mod maven;
mod pom;
mod repository;

pub use changes::{Changes, ChangesError};

use repository::Repository;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The files of a project.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Project {
    /// The program: folders of sources, folders of compiled classes, or C# projects.
    pub program: Vec<PathBuf>,
    /// Libraries, and folders of sources if the program is compiled.
    pub libraries: Vec<PathBuf>,
    /// What a user should know about them.
    pub notes: Vec<String>,
}

/// A file of a build tool that cannot be used.
#[derive(thiserror::Error, Debug)]
pub enum ProjectError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// It is not well-formed.
    #[error("{} is not a file of {tool}: {reason}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The build tool.
        tool: &'static str,
        /// The reason.
        reason: String,
    },
    /// It names a part of the project that does not exist.
    #[error("{} names {}, which does not exist; take it out of the file, or get the rest of the project", path.display(), part.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The folder or the file of the part.
        part: PathBuf,
    },
    /// The project has no code.
    #[error("{} describes no code (--test-code adds that of tests); name a folder with sources or classes, or the file of another project", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

/// How a project is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// Whether the code of tests belongs to the program.
    pub with_tests: bool,
    /// Whether a build tool may be asked, which runs what its files say.
    pub asks: bool,
}

/// The project in a folder, or that a file of a build tool describes; `None` if there is no such file.
///
/// # Errors
/// A file of the build tool cannot be used.
pub fn find(path: &Path, look: Look) -> Result<Option<Project>, ProjectError> {
    let has_name = |names: &[&str]| path.file_name().is_some_and(|name| names.iter().any(|known| name == *known));
    let file_in = |names: &[&str]| match path.is_dir() {
        true => names.iter().map(|name| path.join(name)).find(|file| file.is_file()),
        false => has_name(names).then(|| path.to_path_buf()),
    };
    if let Some(file) = file_in(&["pom.xml"]) {
        return maven::project(&file, look).map(Some);
    }
    if let Some(file) = file_in(&["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"]) {
        return gradle::project(&file, look).map(Some);
    }
    dotnet::project(path, look.with_tests)
}

/// The folders in which libraries are looked up, with the name of the build tool that keeps them there; `None` if there is no such
/// folder.
pub fn repositories() -> [(&'static str, Option<PathBuf>); 2] {
    let Repository { maven, gradle } = Repository::of_user();
    [("Maven", maven), ("Gradle", gradle)]
}

/// The code of a module of a Java project.
#[derive(Default)]
struct Module {
    /// Folders of sources, those of generated ones included.
    sources: Vec<PathBuf>,
    /// The folders of compiled classes.
    classes: Vec<PathBuf>,
}

/// The program of these modules: what is compiled, if it is as new as the sources; otherwise the sources. `file` describes the
/// project, and `build` compiles it.
fn program_of(file: &Path, mut modules: Vec<Module>, build: &str) -> Result<Project, ProjectError> {
    modules.iter_mut().for_each(|module| module.sources.retain(|folder| has_sources(folder)));
    modules.retain(|module| !module.sources.is_empty());
    if modules.is_empty() {
        return Err(ProjectError::Empty { path: file.to_path_buf() });
    }
    let is_built = |module: &Module| match newest(&module.sources, "java") {
        Some(source) => newest(&module.classes, "class").is_some_and(|class| class >= source),
        None => true,
    };
    let sources = || modules.iter().flat_map(|module| module.sources.iter().cloned()).collect();
    if modules.iter().all(is_built) {
        let classes = modules.iter().flat_map(|module| module.classes.iter().filter(|folder| folder.is_dir()).cloned());
        return Ok(Project { program: classes.collect(), libraries: sources(), notes: Vec::new() });
    }
    let note = format!(
        "the project is not compiled, or older than its sources, which aback compiles itself; `{build}` compiles it"
    );
    Ok(Project { program: sources(), libraries: Vec::new(), notes: vec![note] })
}

/// Whether a folder has sources of Java in it or below.
pub fn has_sources(folder: &Path) -> bool {
    !files(folder, "java").is_empty()
}

/// The time of the newest file with an extension in some folders.
fn newest(folders: &[PathBuf], extension: &str) -> Option<SystemTime> {
    folders
        .iter()
        .flat_map(|folder| files(folder, extension))
        .filter_map(|file| file.metadata().ok()?.modified().ok())
        .max()
}

/// The files with an extension in a folder and below, without hidden folders.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let pattern = format!("{}/**/*.{extension}", glob::Pattern::escape(&folder.to_string_lossy()));
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::default() };
    glob::glob_with(&pattern, options).into_iter().flatten().flatten().collect()
}

/// The text of a file.
fn read(path: &Path) -> Result<String, ProjectError> {
    let bytes = std::fs::read(path).map_err(|source| ProjectError::Unreadable { path: path.into(), source })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
