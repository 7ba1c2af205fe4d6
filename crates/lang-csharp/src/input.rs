//! Finds the files of which a program consists.

use aback_frontend::{FrontEnd, LoadError, files_within, has_extension};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The files of a program. Each is there once.
#[derive(Default)]
pub(crate) struct Input {
    /// Sources that are compiled together.
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) projects: Vec<PathBuf>,
    /// Assemblies, and whether the user names the assembly and not only its folder.
    pub(crate) assemblies: Vec<(PathBuf, bool)>,
}

impl Input {
    /// The files at `paths`. In a folder, a project counts before sources, and sources before assemblies: the others
    /// are what projects consist of and what builds make.
    ///
    /// # Errors
    /// A folder cannot be read, has several projects, or has no files of a program.
    pub(crate) fn at(paths: &[PathBuf]) -> Result<Input, LoadError> {
        let mut input = Input::default();
        for path in paths {
            if path.is_dir() {
                input.add_folder(path)?;
            } else if has_extension(path, &["csproj"]) {
                input.projects.push(path.clone());
            } else if has_extension(path, &["cs"]) {
                input.sources.push(path.clone());
            } else {
                input.assemblies.push((path.clone(), true));
            }
        }
        let mut seen = HashSet::new();
        let mut is_new = |path: &PathBuf| path.canonicalize().map_or(true, |path| seen.insert(path));
        input.sources.retain(&mut is_new);
        input.projects.retain(&mut is_new);
        input.assemblies.retain(|(path, _)| is_new(path));
        Ok(input)
    }

    /// All of its files.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let assemblies = self.assemblies.iter().map(|(path, _)| path);
        self.projects.iter().chain(&self.sources).chain(assemblies).cloned().collect()
    }

    fn add_folder(&mut self, folder: &Path) -> Result<(), LoadError> {
        let mut files = files_within(folder)?;
        files.sort();
        let written =
            |extension| files.iter().filter(move |&file| has_extension(file, &[extension]) && !is_made(file, folder));
        let projects: Vec<&PathBuf> = written("csproj").collect();
        let at_top: Vec<&PathBuf> = projects.iter().copied().filter(|file| file.parent() == Some(folder)).collect();
        match (&at_top[..], &projects[..]) {
            ([project], _) | ([], [project]) => self.projects.push((*project).clone()),
            ([], []) => {
                let before = self.sources.len();
                self.sources.extend(written("cs").cloned());
                if self.sources.len() == before {
                    let assemblies = files.iter().filter(|file| has_extension(file, &["dll", "exe"]));
                    let before = self.assemblies.len();
                    self.assemblies.extend(assemblies.map(|file| (file.clone(), false)));
                    if self.assemblies.len() == before {
                        let kinds = crate::CsFrontEnd.extensions().join(", .");
                        return Err(LoadError::NoSources { path: folder.to_path_buf(), kinds: format!(".{kinds}") });
                    }
                }
            }
            _ => {
                let projects = projects.into_iter().cloned().collect();
                return Err(LoadError::SeveralProjects { folder: folder.to_path_buf(), projects });
            }
        }
        Ok(())
    }
}

/// Whether a file in a folder belongs to a build or to a tool, and not to the program's author.
fn is_made(file: &Path, folder: &Path) -> bool {
    let below = file.strip_prefix(folder).ok().and_then(Path::parent).unwrap_or(Path::new(""));
    below.components().any(|part| {
        let name = part.as_os_str().to_string_lossy();
        name == "bin" || name == "obj" || name.starts_with('.')
    })
}
