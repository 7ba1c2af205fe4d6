//! Finds the modules of a Gradle project, and the libraries that its build files name, in the local caches.
//!
//! Build files are programs. They are not run; what they write plainly is understood: `include 'a', ':b:c'` in the settings, and
//! libraries as in `implementation 'group:name:version'`.

use crate::pom::Dependency;
use crate::repository::{Artifact, Repository};
use crate::{Module, Project, ProjectError, program_of, read};
use std::path::{Path, PathBuf};

/// The words that begin a library in a build file.
const USED: [&str; 5] = ["api", "implementation", "compileOnly", "runtimeOnly", "compile"];
/// The same for tests.
const OF_TESTS: [&str; 4] = ["testImplementation", "testCompileOnly", "testRuntimeOnly", "testCompile"];

/// The project with a settings file or a build file.
pub(crate) fn project(file: &Path, with_tests: bool) -> Result<Project, ProjectError> {
    project_with(file, &Repository::of_user(), with_tests)
}

fn project_with(file: &Path, repository: &Repository, with_tests: bool) -> Result<Project, ProjectError> {
    let root = file.parent().unwrap_or(Path::new(""));
    let mut folders = vec![root.to_path_buf()];
    let mut gone = Vec::new();
    if file.file_stem().is_some_and(|name| name.to_string_lossy().starts_with("settings")) {
        let included = included(&read(file)?).into_iter().map(|name| root.join(name));
        let (there, others): (Vec<PathBuf>, Vec<PathBuf>) = included.partition(|folder| folder.is_dir());
        folders.extend(there);
        gone = others;
    }
    let modules: Vec<Module> = folders.iter().map(|folder| module(folder, with_tests)).collect();
    let mut project = program_of(file, modules, if with_tests { "gradle testClasses" } else { "gradle classes" })?;
    // The settings may say elsewhere where their folders are.
    project.notes.extend(gone.iter().map(|folder| {
        format!(
            "{} is included and does not exist, so that its code is left out; name its folder, too",
            folder.display()
        )
    }));
    let mut direct = Vec::new();
    let mut others = 0;
    for folder in &folders {
        for name in ["build.gradle", "build.gradle.kts"] {
            if let Ok(text) = read(&folder.join(name)) {
                let (found, unknown) = named(&text, with_tests);
                direct.extend(found);
                others += unknown;
            }
        }
    }
    let (files, mut missing) = repository.resolve(&direct, &[], with_tests);
    project.libraries.extend(files);
    missing.dedup();
    if !missing.is_empty() {
        project.notes.push(format!("libraries are not in the local caches: {}", missing.join(", ")));
    }
    if others > 0 {
        project.notes.push(format!(
            "{others} libraries are not given as 'group:name:version', so that they are not found; name them with --classpath"
        ));
    }
    Ok(project)
}

fn module(folder: &Path, with_tests: bool) -> Module {
    let mut module = Module::default();
    let mut add = |name: &str| {
        module.sources.push(folder.join(format!("src/{name}/java")));
        module.sources.push(folder.join(format!("build/generated/sources/annotationProcessor/java/{name}")));
        module.classes.push(folder.join(format!("build/classes/java/{name}")));
    };
    add("main");
    if with_tests {
        add("test");
    }
    module
}

/// The folders of the modules that a settings file includes.
fn included(text: &str) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for statement in statements(text) {
        let Some(names) = statement.strip_prefix("include").filter(|names| !names.starts_with(char::is_alphanumeric))
        else {
            continue;
        };
        folders.extend(quoted(names).into_iter().map(|name| name.trim_start_matches(':').split(':').collect()));
    }
    folders
}

/// The libraries that a build file names, and the number of those that it gives in another way.
fn named(text: &str, with_tests: bool) -> (Vec<Dependency>, usize) {
    let (mut found, mut others) = (Vec::new(), 0);
    for statement in statements(text) {
        let word: String = statement.chars().take_while(|c| c.is_alphanumeric()).collect();
        let rest = &statement[word.len()..];
        let is_one = USED.contains(&&*word) || with_tests && OF_TESTS.contains(&&*word);
        if !is_one || !rest.starts_with([' ', '(']) {
            continue;
        }
        if rest.contains("project(") || rest.contains("project (") {
            continue;
        }
        let texts = quoted(rest);
        let parts: Vec<&str> = texts.first().map_or(Vec::new(), |text| text.split(':').collect());
        match parts[..] {
            [group, name, version] if !version.contains('$') => found.push(Dependency::used(Artifact {
                group: group.into(),
                name: name.into(),
                version: version.into(),
            })),
            _ => others += 1,
        }
    }
    (found, others)
}

/// The lines of a build file without comments; a line that ends with a comma goes on in the next one.
fn statements(text: &str) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        match statements.last_mut().filter(|_| goes_on) {
            Some(last) => last.push_str(line),
            None => statements.push(line.into()),
        }
        goes_on = line.ends_with(',') || line.ends_with('(');
    }
    statements
}

/// The texts in quotes.
fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['\'', '"']) {
        let quote = if rest[start..].starts_with('"') { '"' } else { '\'' };
        rest = &rest[start + 1..];
        let Some((inside, after)) = rest.split_once(quote) else { break };
        found.push(inside);
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_and_libraries() {
        let text = "rootProject.name = 'x' // include 'no'\ninclude 'app', ':lib:core'\ninclude(\n\":kts\")\nincludeBuild 'other'";
        assert_eq!(included(text), [PathBuf::from("app"), PathBuf::from("lib/core"), PathBuf::from("kts")]);
        let text = "dependencies {
            implementation 'org.x:plain:1'
            api(\"org.x:deep:2\")
            implementation project(':app')
            implementation libs.guava
            testImplementation 'org.x:tested:1'
            implementationNote = 'a:b:c'
        }";
        let names = |with_tests| {
            let (found, others) = named(text, with_tests);
            (found.into_iter().map(|one| one.name).collect::<Vec<_>>(), others)
        };
        assert_eq!(names(false), (vec!["plain".into(), "deep".into()], 1));
        assert_eq!(names(true), (vec!["plain".into(), "deep".into(), "tested".into()], 1));
    }

    #[test]
    fn folders() {
        let folder = tempfile::TempDir::new().unwrap();
        let at = folder.path();
        std::fs::create_dir_all(at.join("app/src/main/java")).unwrap();
        std::fs::write(at.join("app/src/main/java/A.java"), "class A { }").unwrap();
        std::fs::write(at.join("settings.gradle"), "include 'app', 'gone'").unwrap();
        let found = crate::find(at, false).unwrap().unwrap();
        assert_eq!(found.program, [at.join("app/src/main/java")]);
        assert!(found.notes[0].contains("gradle classes"), "{:?}", found.notes);
        assert!(found.notes[1].contains("gone is included and does not exist"), "{:?}", found.notes);
    }
}
