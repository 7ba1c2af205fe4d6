//! Finds the modules of a Gradle project, and the libraries that its build files name, in the local caches.
//!
//! Build files are programs. What they write plainly is understood: `include 'a', ':b:c'` in the settings, and libraries as in
//! `implementation 'group:name:version'`. If this is not all, Gradle is asked, which runs them.

use crate::asked::{self, Said};
use crate::pom::Dependency;
use crate::repository::{Artifact, Repository, gradle_home};
use crate::{Look, Module, Project, ProjectError, program_of, read};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The words that begin a library in a build file.
const USED: [&str; 5] = ["api", "implementation", "compileOnly", "runtimeOnly", "compile"];
/// The same for tests.
const OF_TESTS: [&str; 4] = ["testImplementation", "testCompileOnly", "testRuntimeOnly", "testCompile"];
/// The names of the file with the modules of a build.
const SETTINGS: [&str; 2] = ["settings.gradle", "settings.gradle.kts"];
/// The script that adds a task with this name to each project.
const SCRIPT: &str = include_str!("classpath.gradle");
const TASK: &str = "abackClassPath";
/// Options of the question: nothing is downloaded, no process stays behind, and nothing is written to the project. Properties that a
/// version of Gradle does not know have no effect.
const OPTIONS: [&str; 7] = [
    "--offline",
    "--quiet",
    "--no-daemon",
    "-Dorg.gradle.configuration-cache=false",
    "-Dorg.gradle.unsafe.configuration-cache=false",
    "-Dorg.gradle.problems.report=false",
    "-Dorg.gradle.vfs.watch=false",
];

/// The project with a settings file or a build file.
pub(crate) fn project(file: &Path, look: Look) -> Result<Project, ProjectError> {
    project_with(file, &Repository::of_user(), gradle_home().as_deref(), look)
}

/// `home` is the folder of Gradle in the home of the user.
fn project_with(
    file: &Path,
    repository: &Repository,
    home: Option<&Path>,
    look: Look,
) -> Result<Project, ProjectError> {
    let Look { with_tests, asks } = look;
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
    let build = if with_tests { "gradle testClasses" } else { "gradle classes" };
    let project = program_of(file, modules, build);
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
    let (files, missing) = repository.resolve(&direct, &[], with_tests);
    let is_known = missing.is_empty() && others == 0 && project.is_ok();
    let top = top_of(root);
    let told = program(&top, home).filter(|_| asks && !is_known).map(|program| match has_builds(&top) {
        true => {
            Err("Gradle is not asked for the class path, because it would compile builds within this one".to_string())
        }
        false => ask(&program, root, with_tests)
            .map_err(|reason| format!("Gradle was asked for the class path and failed: {reason}")),
    });
    let (mut project, files, missing, others) = match told {
        Some(Ok(told)) => (program_of(file, told.modules, build)?, told.libraries, told.missing, 0),
        other => {
            let mut project = project?;
            project.notes.extend(other.and_then(Result::err));
            // The settings may say elsewhere where their folders are.
            project.notes.extend(gone.iter().map(|folder| {
                let folder = folder.display();
                format!("{folder} is included and does not exist, so that its code is left out; name its folder, too")
            }));
            (project, files, missing, others)
        }
    };
    project.libraries.extend(files);
    note_missing(&mut project, missing, others);
    Ok(project)
}

/// Says which libraries are missing, and how many are not understood.
fn note_missing(project: &mut Project, mut missing: Vec<String>, others: usize) {
    missing.sort();
    missing.dedup();
    if !missing.is_empty() {
        project.notes.push(format!("libraries are not in the local caches: {}", missing.join(", ")));
    }
    if others > 0 {
        project.notes.push(format!(
            "{others} libraries are not given as 'group:name:version', so that they are not found; name them with --classpath"
        ));
    }
}

/// The folder of the build to which a folder belongs: the nearest one with settings.
fn top_of(folder: &Path) -> PathBuf {
    let folder = std::path::absolute(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let folder = folder.unwrap_or_default();
    let has_settings = |folder: &&Path| SETTINGS.iter().any(|name| folder.join(name).is_file());
    folder.ancestors().find(has_settings).unwrap_or(&folder).to_path_buf()
}

/// Whether Gradle would compile other builds before it reads the build files of this one.
fn has_builds(top: &Path) -> bool {
    let includes = |text: &String| statements(text).iter().any(|statement| statement.contains("includeBuild"));
    top.join("buildSrc").is_dir() || SETTINGS.iter().any(|name| read(&top.join(name)).as_ref().is_ok_and(includes))
}

/// The program of Gradle: the version that the build names, if it is installed, or the one on PATH. The wrapper itself is not run,
/// because it would download its version.
fn program(top: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let wrapper = read(&top.join("gradle/wrapper/gradle-wrapper.properties")).ok();
    let name = wrapper.as_deref().and_then(|text| {
        let address = text.lines().find_map(|line| line.trim().strip_prefix("distributionUrl="))?;
        address.trim().rsplit('/').next()?.strip_suffix(".zip").map(str::to_owned)
    });
    let installed = home.zip(name).and_then(|(home, name)| {
        let folder = glob::Pattern::escape(&home.join("wrapper/dists").join(name).to_string_lossy());
        glob::glob(&format!("{folder}/*/*/bin/gradle")).ok()?.flatten().find(|path| path.is_file())
    });
    let paths = std::env::var_os("PATH").unwrap_or_default();
    installed.or_else(|| std::env::split_paths(&paths).map(|folder| folder.join("gradle")).find(|path| path.is_file()))
}

/// What Gradle tells about a build.
#[derive(Default)]
struct Told {
    modules: Vec<Module>,
    libraries: Vec<PathBuf>,
    missing: Vec<String>,
}

/// Asks Gradle. Its files are in a temporary folder.
///
/// # Errors
/// The first line of its error.
fn ask(program: &Path, root: &Path, with_tests: bool) -> Result<Told, String> {
    let cannot = |error: std::io::Error| error.to_string();
    let folder = tempfile::Builder::new().prefix("aback-gradle-").tempdir().map_err(cannot)?;
    let (script, cache) = (folder.path().join("classpath.gradle"), folder.path().join("cache"));
    std::fs::write(&script, SCRIPT).map_err(cannot)?;
    let mut command = Command::new(program);
    command.args(OPTIONS).arg("--project-cache-dir").arg(&cache).arg("--init-script").arg(&script);
    command.arg(format!("-Pkotlin.project.persistent.dir={}", cache.display()));
    command.arg("--project-dir").arg(if root.as_os_str().is_empty() { Path::new(".") } else { root }).arg(TASK);
    let said = asked::ask(command, folder.path(), asked::MOST_TIME)?;
    if !said.is_success {
        return Err(first_error(&said));
    }
    let told = told(&said.output, with_tests);
    if told.modules.is_empty() { Err("it names no sources of Java".into()) } else { Ok(told) }
}

/// What went wrong, in a line.
fn first_error(said: &Said) -> String {
    let all = said.errors.lines().chain(said.output.lines()).map(str::trim).filter(|line| !line.is_empty());
    let mut lines = all.clone().skip_while(|line| *line != "* What went wrong:").skip(1);
    let Some(first) = lines.next() else { return all.clone().next().unwrap_or("it says nothing").to_string() };
    match lines.next().and_then(|line| line.strip_prefix("> ")) {
        Some(cause) => format!("{}: {cause}", first.trim_end_matches('.')),
        None => first.to_string(),
    }
}

/// Reads what the script has printed.
fn told(text: &str, with_tests: bool) -> Told {
    let mut told = Told::default();
    let mut modules: BTreeMap<(&str, &str), Module> = BTreeMap::new();
    for line in text.lines() {
        let ["aback", project, set, what, value] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
        if set == "test" && !with_tests {
            continue;
        }
        let (module, path) = (modules.entry((project, set)).or_default(), PathBuf::from(value));
        match what {
            "source" => module.sources.push(path),
            "class" => module.classes.push(path),
            "library" if !told.libraries.contains(&path) && path.exists() => told.libraries.push(path),
            "missing" => told.missing.push(value.to_string()),
            _ => {}
        }
    }
    told.modules = modules.into_values().collect();
    told
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

/// The statements of a build file, those in blocks included, without comments; a line that ends with a comma goes on in the next one.
fn statements(text: &str) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let mut parts = line.split(['{', '}', ';']).map(str::trim);
        if let Some(last) = statements.last_mut().filter(|_| goes_on) {
            last.push_str(parts.next().unwrap_or_default());
        }
        statements.extend(parts.filter(|part| !part.is_empty()).map(str::to_owned));
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
    fn blocks_in_a_line() {
        let text = "dependencies { api 'org.x:one:1'; implementation('org.x:two:2') { transitive = false } }
            dependencies { compile \"org.x:three:${version}\" }
            dependencies { api libs.guava }";
        let (found, others) = named(text, false);
        assert_eq!(found.iter().map(|one| &*one.name).collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(others, 2);
    }

    #[test]
    fn folders() {
        let folder = tempfile::TempDir::new().unwrap();
        let at = folder.path();
        std::fs::create_dir_all(at.join("app/src/main/java")).unwrap();
        std::fs::write(at.join("app/src/main/java/A.java"), "class A { }").unwrap();
        std::fs::write(at.join("settings.gradle"), "include 'app', 'gone'").unwrap();
        let found = crate::find(at, Look { with_tests: false, asks: true }).unwrap().unwrap();
        assert_eq!(found.program, [at.join("app/src/main/java")]);
        assert!(found.notes[0].contains("gradle classes"), "{:?}", found.notes);
        assert!(found.notes[1].contains("gone is included and does not exist"), "{:?}", found.notes);
    }

    /// A build with these files, and a Gradle that is this script.
    struct Build {
        folder: tempfile::TempDir,
    }

    impl Build {
        fn new(files: &[(&str, &str)], script: &str) -> Self {
            let build = Build { folder: tempfile::TempDir::new().unwrap() };
            let wrapper = "distributionBase=GRADLE_USER_HOME\ndistributionUrl=https\\://x.org/gradle-9.1-bin.zip\n";
            build.write("build/gradle/wrapper/gradle-wrapper.properties", wrapper);
            files.iter().for_each(|(name, text)| build.write(&format!("build/{name}"), text));
            let program = "home/wrapper/dists/gradle-9.1-bin/1a2b/gradle-9.1/bin/gradle";
            build.write(program, &format!("#!/bin/sh\ncd {}\n{script}\n", build.path("").display()));
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(build.path(program), mode).unwrap();
            build
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }

        fn find(&self, with_tests: bool) -> Result<Project, ProjectError> {
            let file = ["settings.gradle", "build.gradle.kts"].map(|name| self.path("build").join(name));
            let file = file.iter().find(|file| file.is_file()).unwrap();
            let look = Look { with_tests, asks: true };
            project_with(file, &Repository::default(), Some(&self.path("home")), look)
        }
    }

    const KNOWN: (&str, &str) = ("build.gradle.kts", "dependencies {\n}");
    const UNKNOWN: (&str, &str) = ("build.gradle.kts", "dependencies {\nimplementation(libs.guava)\n}");
    const SOURCE: (&str, &str) = ("src/main/java/A.java", "class A { }");

    #[test]
    fn gradle_is_asked_only_if_it_may_be() {
        let build = Build::new(&[UNKNOWN, SOURCE], "touch asked");
        let file = build.path("build/build.gradle.kts");
        for asks in [false, true] {
            let look = Look { with_tests: false, asks };
            let found = project_with(&file, &Repository::default(), Some(&build.path("home")), look);
            assert!(found.is_ok() && build.path("asked").exists() == asks);
        }
    }

    #[test]
    fn gradle_is_asked_for_what_is_not_understood() {
        let script = r#"echo "$@" >> asked
            say() { printf 'aback\t%s\t%s\t%s\t%s\n' "$@"; }
            echo 'a line of the build'
            say :app main source "$PWD/build/java"
            say :app main class "$PWD/build/out"
            say :app main library "$PWD/build/guava.jar"
            say :app main library "$PWD/build/none.jar"
            say :app main missing org.x:none:1
            say :app test source "$PWD/build/tests"
            say :app test library "$PWD/build/junit.jar""#;
        let files = [("java/B.java", ""), ("tests/T.java", ""), ("guava.jar", ""), ("junit.jar", "")];
        let build = Build::new(&[&files[..], &[SOURCE, UNKNOWN]].concat(), script);
        let at = |name: &str| build.path("build").join(name);
        let found = build.find(false).unwrap();
        assert_eq!((found.program, found.libraries), (vec![at("java")], vec![at("guava.jar")]));
        assert_eq!(found.notes.len(), 2, "{:?}", found.notes);
        assert_eq!(found.notes[1], "libraries are not in the local caches: org.x:none:1");
        let found = build.find(true).unwrap();
        assert_eq!(found.program, [at("java"), at("tests")]);
        assert_eq!(found.libraries, [at("guava.jar"), at("junit.jar")]);
        let asked = std::fs::read_to_string(build.path("asked")).unwrap();
        let line = asked.lines().next().unwrap();
        assert!(line.starts_with("--offline --quiet --no-daemon "), "{line}");
        assert!(
            line.ends_with(&format!(" --project-dir {} abackClassPath", at("").display()).replace("/ ", " ")),
            "{line}"
        );
        for option in ["--project-cache-dir ", "--init-script "] {
            let path = line.split(option).nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
            assert!(!path.starts_with(&*at("").to_string_lossy()), "{line}");
        }
        // Gradle knows modules that the settings do not name plainly.
        let build = Build::new(&[&files[..], &[("settings.gradle", "modules.each { include it }")]].concat(), script);
        assert_eq!(build.find(false).unwrap().libraries, [build.path("build/guava.jar")]);
    }

    #[test]
    fn gradle_is_asked_only_if_it_must() {
        let build = Build::new(&[SOURCE, KNOWN], "echo asked >> asked");
        build.find(false).unwrap();
        assert!(!build.path("asked").exists());
        // It would compile these in the folder of the project.
        let others = [("buildSrc/build.gradle", ""), ("settings.gradle", "pluginManagement { includeBuild('logic') }")];
        for other in others {
            let build = Build::new(&[SOURCE, UNKNOWN, other], "echo asked >> asked");
            let notes = build.find(false).unwrap().notes;
            assert!(
                notes.iter().any(|note| note.starts_with("Gradle is not asked for the class path, because")),
                "{notes:?}"
            );
            assert!(!build.path("asked").exists());
            // It would also do so for a module.
            let module = build.path("build/module/build.gradle");
            build.write("build/module/src/main/java/A.java", "class A { }");
            build.write("build/module/build.gradle", "dependencies {\nimplementation libs.guava\n}");
            build.write("build/settings.gradle.kts", "");
            project_with(
                &module,
                &Repository::default(),
                Some(&build.path("home")),
                Look { with_tests: false, asks: true },
            )
            .unwrap();
            assert!(!build.path("asked").exists());
        }
    }

    #[test]
    fn gradle_fails() {
        let check = |script: &str, expected: &str| {
            let build = Build::new(&[SOURCE, UNKNOWN], script);
            let found = build.find(false).unwrap();
            assert_eq!(found.program, [build.path("build/src/main/java")]);
            assert_eq!(found.notes[1], format!("Gradle was asked for the class path and failed: {expected}"));
            assert!(found.notes[2].starts_with("1 libraries are not given as"), "{:?}", found.notes);
        };
        let failure = "FAILURE: Build failed with an exception.\n\n* Where:\nBuild file\n\n* What went wrong:\n\
            A problem occurred evaluating root project 'x'.\n> No signature of method: x()\n\n* Try:\n> Run with --stacktrace";
        let script = format!("cat >&2 <<'END'\n{failure}\nEND\nexit 1");
        check(&script, "A problem occurred evaluating root project 'x': No signature of method: x()");
        check("echo 'ERROR: JAVA_HOME is invalid' >&2; exit 1", "ERROR: JAVA_HOME is invalid");
        check("exit 1", "it says nothing");
        check("exit 0", "it names no sources of Java");
    }
}
