//! Finds the modules of a Maven project, and their libraries in the local repository.

use crate::asked;
use crate::pom::{Dependency, Pom};
use crate::repository::Repository;
use crate::{Look, Module, Project, ProjectError, program_of};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Most modules of a project.
const MOST_MODULES: usize = 1_000;

/// The project that a file describes, with its modules.
pub(crate) fn project(file: &Path, look: Look) -> Result<Project, ProjectError> {
    project_with(file, &Repository::of_user(), look)
}

fn project_with(file: &Path, repository: &Repository, look: Look) -> Result<Project, ProjectError> {
    let Look { with_tests, asks } = look;
    let mut poms: Vec<(PathBuf, Pom)> = Vec::new();
    let mut pending = vec![file.to_path_buf()];
    while let Some(file) = pending.pop() {
        if poms.len() >= MOST_MODULES || poms.iter().any(|(known, _)| *known == file) {
            continue;
        }
        let pom = Pom::read(&file, repository)?;
        let folder = folder_of(&file);
        for module in pom.modules.iter().rev() {
            let part = folder.join(module);
            let described = if part.is_dir() { part.join("pom.xml") } else { part };
            if !described.exists() {
                return Err(ProjectError::Missing { path: file, part: described });
            }
            pending.push(described);
        }
        poms.push((file, pom));
    }
    let modules: Vec<Module> = poms.iter().map(|(file, pom)| module(folder_of(file), pom, with_tests)).collect();
    let mut project = program_of(file, modules, if with_tests { "mvn test-compile" } else { "mvn compile" })?;
    let is_own = |dependency: &Dependency| {
        poms.iter().any(|(_, pom)| pom.group == dependency.group && pom.name == dependency.name)
    };
    let (mut files, mut missing): (Vec<PathBuf>, Vec<String>) = (Vec::new(), Vec::new());
    for (_, pom) in &poms {
        let direct: Vec<Dependency> = pom.dependencies.iter().filter(|needed| !is_own(needed)).cloned().collect();
        let (found, lacking) = repository.resolve(&direct, &pom.managed, with_tests);
        files.extend(found);
        missing.extend(lacking);
    }
    if asks
        && !missing.is_empty()
        && let Some(told) = ask(file, with_tests)
    {
        (files, missing) = (told, Vec::new());
    }
    for file in files {
        if !project.libraries.contains(&file) {
            project.libraries.push(file);
        }
    }
    missing.sort();
    missing.dedup();
    if !missing.is_empty() {
        let note = "libraries are not in the local repository, so that code that needs them is not understood";
        project.notes.push(format!("{note}: {}; `mvn dependency:resolve` gets them", missing.join(", ")));
    }
    Ok(project)
}

fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

/// The folders of a module.
fn module(folder: &Path, pom: &Pom, with_tests: bool) -> Module {
    let mut module = Module::default();
    let mut add = |sources: Option<&String>, usual: &str, generated: &str, classes: &str| {
        module.sources.push(folder.join(sources.map_or(usual, String::as_str)));
        // Each tool that generates code has a folder of its own.
        let generated = std::fs::read_dir(folder.join(generated)).into_iter().flatten().flatten();
        let mut generated: Vec<PathBuf> = generated.map(|entry| entry.path()).collect();
        generated.sort();
        module.sources.extend(generated);
        module.classes.push(folder.join(classes));
    };
    add(pom.source_folder.as_ref(), "src/main/java", "target/generated-sources", "target/classes");
    if with_tests {
        add(pom.test_folder.as_ref(), "src/test/java", "target/generated-test-sources", "target/test-classes");
    }
    module
}

/// The class path that Maven itself tells, without access to a network; `None` if it cannot.
fn ask(file: &Path, with_tests: bool) -> Option<Vec<PathBuf>> {
    let scope = if with_tests { "test" } else { "compile" };
    let mut command = Command::new("mvn");
    command.args(["-o", "-B", "-f"]).arg(file).arg("dependency:build-classpath");
    command.arg(format!("-Dmdep.includeScope={scope}"));
    let folder = tempfile::Builder::new().prefix("aback-maven-").tempdir().ok()?;
    let said = asked::ask(command, folder.path(), asked::MOST_TIME).ok().filter(|said| said.is_success)?;
    let mut files = Vec::new();
    let mut lines = said.output.lines();
    while let Some(line) = lines.next() {
        if line.contains("Dependencies classpath:") {
            files.extend(std::env::split_paths(lines.next()?).filter(|path| path.is_file()));
        }
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::TempDir;

    fn write(folder: &Path, name: &str, text: &str) {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn pom(folder: &Path, name: &str, body: &str) {
        write(
            folder,
            name,
            &format!("<?xml version=\"1.0\"?><project xmlns=\"http://maven.apache.org/POM/4.0.0\">{body}</project>"),
        );
    }

    /// A library in a repository, which needs others.
    fn library(repository: &Path, name: &str, version: &str, dependencies: &str) {
        let folder = format!("org/x/{name}/{version}/{name}-{version}");
        write(repository, &format!("{folder}.jar"), "");
        pom(
            repository,
            &format!("{folder}.pom"),
            &format!(
                "<groupId>org.x</groupId><artifactId>{name}</artifactId><version>{version}</version>
                 <dependencies>{dependencies}</dependencies>"
            ),
        );
    }

    fn needs(name: &str, version: &str, more: &str) -> String {
        let version = if version.is_empty() { String::new() } else { format!("<version>{version}</version>") };
        format!("<dependency><groupId>org.x</groupId><artifactId>{name}</artifactId>{version}{more}</dependency>")
    }

    /// The names of the libraries and the notes of a project with a body of its file.
    fn libraries(repository: &Path, body: &str, with_tests: bool) -> (Vec<String>, Vec<String>) {
        let folder = TempDir::new().unwrap();
        let text = format!("<groupId>org.p</groupId><artifactId>p</artifactId><version>1</version>{body}");
        pom(folder.path(), "pom.xml", &text);
        write(folder.path(), "src/main/java/A.java", "class A { }");
        let repository = Repository::at(repository.to_path_buf());
        let found = project_with(&folder.path().join("pom.xml"), &repository, Look { with_tests, asks: true }).unwrap();
        let name = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
        let mut names: Vec<String> = found.libraries.iter().map(name).collect();
        names.sort();
        (names, found.notes)
    }

    #[test]
    fn libraries_and_what_they_need() {
        let repository = TempDir::new().unwrap();
        let at = repository.path();
        library(at, "deep", "1", "");
        library(at, "deep", "2", "");
        library(at, "plain", "1", &needs("deep", "1", ""));
        library(at, "tested", "1", &needs("plain", "1", "<scope>test</scope>"));
        library(at, "optional", "1", &needs("deep", "2", "<optional>true</optional>"));
        let check = |body: &str, with_tests: bool, expected: &[&str]| {
            assert_eq!(libraries(at, body, with_tests).0, expected, "{body}");
        };
        let all = |list: &[String]| format!("<dependencies>{}</dependencies>", list.concat());
        check(&all(&[needs("plain", "1", "")]), false, &["deep-1", "plain-1"]);
        // The nearest version counts, then the first.
        check(&all(&[needs("plain", "1", ""), needs("deep", "2", "")]), false, &["deep-2", "plain-1"]);
        check(&all(&[needs("tested", "1", ""), needs("optional", "1", "")]), false, &["optional-1", "tested-1"]);
        let test = all(&[needs("plain", "1", "<scope>test</scope>")]);
        check(&test, false, &[]);
        check(&test, true, &["deep-1", "plain-1"]);
        check(&all(&[needs("plain", "1", "<scope>provided</scope>")]), false, &["deep-1", "plain-1"]);
        let without =
            "<exclusions><exclusion><groupId>org.x</groupId><artifactId>deep</artifactId></exclusion></exclusions>";
        check(&all(&[needs("plain", "1", without)]), false, &["plain-1"]);
        let managed = |version: &str| {
            format!("<dependencyManagement>{}</dependencyManagement>", all(&[needs("deep", version, "")]))
        };
        check(&(managed("2") + &all(&[needs("plain", "1", "")])), false, &["deep-2", "plain-1"]);
        check(&(managed("1") + &all(&[needs("deep", "", "")])), false, &["deep-1"]);
        let property = "<properties><of.plain>1</of.plain><v>${of.plain}</v></properties>";
        check(&(property.to_string() + &all(&[needs("plain", "${v}", "")])), false, &["deep-1", "plain-1"]);
        let (_, notes) = libraries(at, &all(&[needs("plain", "9", "")]), false);
        assert!(notes.last().unwrap().contains("org.x:plain:9"), "{notes:?}");
    }

    #[test]
    fn versions_from_parents_and_lists() {
        let repository = TempDir::new().unwrap();
        let at = repository.path();
        library(at, "deep", "2", "");
        let managed = format!(
            "<dependencyManagement><dependencies>{}</dependencies></dependencyManagement>",
            needs("deep", "2", "")
        );
        pom(
            at,
            "org/x/bom/1/bom-1.pom",
            &format!("<groupId>org.x</groupId><artifactId>bom</artifactId><version>1</version>{managed}"),
        );
        let deep = format!("<dependencies>{}</dependencies>", needs("deep", "", ""));
        let parent = "<parent><groupId>org.x</groupId><artifactId>bom</artifactId><version>1</version></parent>";
        assert_eq!(libraries(at, &format!("{parent}{deep}"), false).0, ["deep-2"]);
        let import = needs("bom", "1", "<type>pom</type><scope>import</scope>");
        let import = format!("<dependencyManagement><dependencies>{import}</dependencies></dependencyManagement>");
        assert_eq!(libraries(at, &format!("{import}{deep}"), false).0, ["deep-2"]);
    }

    #[test]
    fn modules_and_what_is_compiled() {
        let folder = TempDir::new().unwrap();
        let at = folder.path();
        pom(
            at,
            "pom.xml",
            "<groupId>g</groupId><artifactId>all</artifactId><version>1</version>
            <modules><module>a</module><module>b</module></modules>",
        );
        let parent = "<parent><groupId>g</groupId><artifactId>all</artifactId><version>1</version></parent>";
        pom(at, "a/pom.xml", &format!("{parent}<artifactId>a</artifactId>"));
        let on_a = "<dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>1</version></dependency></dependencies>";
        pom(at, "b/pom.xml", &format!("{parent}<artifactId>b</artifactId>{on_a}"));
        write(at, "a/src/main/java/A.java", "class A { }");
        write(at, "b/src/main/java/B.java", "class B { }");
        write(at, "b/src/test/java/T.java", "class T { }");
        let find = |with_tests| crate::find(at, Look { with_tests, asks: true }).unwrap().unwrap();
        let sources = ["a/src/main/java", "b/src/main/java"].map(|folder| at.join(folder));
        let found = find(false);
        assert_eq!((found.program, found.libraries), (sources.to_vec(), vec![]));
        assert!(found.notes[0].contains("mvn compile"), "{:?}", found.notes);
        assert!(find(true).program.contains(&at.join("b/src/test/java")));
        write(at, "a/target/classes/A.class", "");
        write(at, "b/target/classes/B.class", "");
        let found = find(false);
        let classes = ["a/target/classes", "b/target/classes"].map(|folder| at.join(folder));
        assert_eq!((found.program, found.libraries, found.notes), (classes.to_vec(), sources.to_vec(), vec![]));
        // An edit makes the classes older than the sources.
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
        fs::File::options().append(true).open(at.join("a/src/main/java/A.java")).unwrap().set_modified(later).unwrap();
        assert_eq!(find(false).program, sources);
    }

    #[test]
    fn broken_files() {
        let check = |text: &str, expected: &str| {
            let folder = TempDir::new().unwrap();
            write(folder.path(), "pom.xml", text);
            let error = crate::find(folder.path(), Look { with_tests: false, asks: true }).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("<project><modules>", "is not a file of Maven");
        check("<settings></settings>", "its outermost element is not `project`");
        check("<project><artifactId>a</artifactId></project>", "describes no code");
        check("<project><modules><module>gone</module></modules></project>", "gone, which does not exist");
        // A parent that is the file itself, and properties that lead to themselves.
        check(
            "<project><parent><groupId>g</groupId><artifactId>a</artifactId><version>1</version>
             <relativePath>pom.xml</relativePath></parent><artifactId>a</artifactId>
             <properties><p>${p}${p}</p></properties><modules><module>${p}</module></modules></project>",
            "which does not exist",
        );
    }
}
