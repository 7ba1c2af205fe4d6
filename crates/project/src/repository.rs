//! Looks up libraries in the local repositories of Maven and Gradle.

use crate::pom::{Dependency, Pom, Scope};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Most libraries of a project.
const MOST: usize = 10_000;

/// The name of a library.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Artifact {
    pub(crate) group: String,
    pub(crate) name: String,
    pub(crate) version: String,
}

/// The folder of Gradle in the home of the user.
pub(crate) fn gradle_home() -> Option<PathBuf> {
    let named = std::env::var_os("GRADLE_USER_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    named.or_else(|| Some(std::env::home_dir()?.join(".gradle")))
}

/// The folders in which build tools keep what they have downloaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repository {
    pub(crate) maven: Option<PathBuf>,
    pub(crate) gradle: Option<PathBuf>,
}

impl Repository {
    /// The repositories of the user.
    pub(crate) fn of_user() -> Self {
        let home = std::env::home_dir();
        let within = |folder: &str| home.as_ref().map(|home| home.join(folder)).filter(|folder| folder.is_dir());
        let gradle = gradle_home().map(|home| home.join("caches/modules-2/files-2.1"));
        Repository {
            maven: within(".m2/repository"),
            gradle: gradle.filter(|folder| folder.is_dir()).or_else(|| within(".gradle/caches/modules-2/files-2.1")),
        }
    }

    /// Repositories at other places.
    #[cfg(test)]
    pub(crate) fn at(maven: PathBuf) -> Self {
        Repository { maven: Some(maven), gradle: None }
    }

    /// A file of a library: `ending` is what follows its name and version.
    pub(crate) fn file(&self, artifact: &Artifact, ending: &str) -> Option<PathBuf> {
        let Artifact { group, name, version } = artifact;
        let file = format!("{name}-{version}{ending}");
        let in_maven = self.maven.iter().map(|root| {
            let folder = group.split('.').fold(root.clone(), |folder, part| folder.join(part));
            folder.join(name).join(version).join(&file)
        });
        // Between the version and the file is a folder with the hash of the file.
        let in_gradle = self.gradle.iter().flat_map(|root| {
            let folders = std::fs::read_dir(root.join(group).join(name).join(version)).into_iter().flatten().flatten();
            folders.map(|folder| folder.path().join(&file)).collect::<Vec<_>>()
        });
        in_maven.chain(in_gradle).find(|path| path.is_file())
    }

    /// The files of libraries with everything that they need: of several versions, the nearest one counts. The
    /// second list has the libraries that are not there. `managed` gives versions for all of them.
    pub(crate) fn resolve(
        &self,
        direct: &[Dependency],
        managed: &[Dependency],
        with_tests: bool,
    ) -> (Vec<PathBuf>, Vec<String>) {
        let (mut files, mut missing) = (Vec::new(), Vec::new());
        let mut chosen: BTreeSet<(String, String, Option<String>)> = BTreeSet::new();
        let mut level: Vec<(Dependency, Vec<(String, String)>)> = direct
            .iter()
            .filter(|dependency| with_tests || dependency.scope != Scope::Test)
            .map(|dependency| (dependency.clone(), Vec::new()))
            .collect();
        let mut is_direct = true;
        while !level.is_empty() {
            let mut next = Vec::new();
            for (dependency, excluded) in std::mem::take(&mut level) {
                let key = (dependency.group.clone(), dependency.name.clone(), dependency.classifier.clone());
                if chosen.len() >= MOST || !chosen.insert(key) {
                    continue;
                }
                let of_project = managed.iter().find(|other| other.is_version_of(&dependency));
                let version = match (is_direct, &dependency.version, of_project) {
                    (true, Some(version), _) => Some(version),
                    (_, version, of_project) => {
                        of_project.and_then(|found| found.version.as_ref()).or(version.as_ref())
                    }
                };
                let Some(version) = version else {
                    missing.push(format!("{}:{}", dependency.group, dependency.name));
                    continue;
                };
                let artifact = Artifact {
                    group: dependency.group.clone(),
                    name: dependency.name.clone(),
                    version: version.clone(),
                };
                let ending =
                    dependency.classifier.as_ref().map_or(String::new(), |classifier| format!("-{classifier}"));
                match self.file(&artifact, &format!("{ending}.jar")) {
                    Some(file) => files.push(file),
                    None => missing.push(format!("{}:{}:{version}", artifact.group, artifact.name)),
                }
                let Some(pom) = self.file(&artifact, ".pom").and_then(|file| Pom::read(&file, self).ok()) else {
                    continue;
                };
                let mut excluded = excluded;
                excluded.extend(dependency.exclusions.iter().cloned());
                let needed = pom.dependencies.into_iter().filter(|needed| {
                    let is_excluded = excluded.iter().any(|(group, name)| {
                        (group == "*" || *group == needed.group) && (name == "*" || *name == needed.name)
                    });
                    needed.scope == Scope::Used && !needed.is_optional && !is_excluded
                });
                next.extend(needed.map(|needed| (needed, excluded.clone())));
            }
            level = next;
            is_direct = false;
        }
        (files, missing)
    }
}
