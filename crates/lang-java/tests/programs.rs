//! Small Java programs whose assertions all hold: `programs/NAME.java` has `main` of the class `NAME`. Each runs on a JVM, so
//! that what it expects is right, and in the concrete interpreter. Those in `programs/newer` need Java 21, those in `programs/stripped` are
//! compiled without debug information. Needs a JDK.

use aback_ir::Program;
use aback_lang_java::classpath::{ClassPath, Options};
use aback_lang_java::load;
use aback_witness::{InputValue, Inputs, Limits, Outcome, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use tempfile::TempDir;

/// Runs `main` of classes on a JVM and prints the names of those that end as they should.
const RUNNER: &str = r#"
public class Runner {
    public static void main(String[] names) throws Exception {
        for (String name : names) {
            var main = Class.forName(name).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            try {
                main.invoke(null, (Object) null);
                System.out.println(name);
            } catch (java.lang.reflect.InvocationTargetException e) {
                e.getCause().printStackTrace();
            }
        }
    }
}
"#;

/// Names of the programs in a folder.
fn programs(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "java"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_string())
        .collect();
    names.sort();
    names
}

/// A tool of a JDK; of the one on the path if none is given.
fn tool(jdk: Option<&Path>, name: &str) -> Command {
    Command::new(jdk.map_or(name.into(), |jdk| jdk.join("bin").join(name)))
}

fn compile(jdk: Option<&Path>, folder: &Path, names: &[String], debug: &str) -> TempDir {
    let out = tempfile::tempdir().unwrap();
    let runner = out.path().join("Runner.java");
    fs::write(&runner, RUNNER).unwrap();
    let sources = names.iter().map(|name| folder.join(format!("{name}.java")));
    let mut javac = tool(jdk, "javac");
    javac.args([debug, "-nowarn", "-encoding", "UTF-8", "-d"]).arg(out.path()).arg(runner).args(sources);
    assert!(javac.status().expect("a JDK is needed: make setup").success());
    out
}

/// How `main` ends, if not as it should.
fn problem(program: &Program, name: &str) -> Option<String> {
    let Some(class) = program.class_named(name) else { return Some("there is no such class".into()) };
    let Some(&main) = program.methods_named(class, "main").first() else { return Some("there is no main".into()) };
    let inputs = Inputs { args: vec![InputValue::Null], ..Inputs::default() };
    match run(program, main, &inputs, Limits { max_steps: 50_000_000, ..Limits::default() }, &mut ()) {
        Ok(Outcome::Returned(None)) => None,
        Ok(Outcome::AssertionFailed { place, .. }) => {
            Some(format!("assertion at {} fails", program.show_span(place.span)))
        }
        Ok(Outcome::Uncaught { class, origin, .. }) => {
            let (class, method) = (program.class_name(class), program.method_name(origin.method));
            Some(format!("{class}, thrown by {method} at {}", program.show_span(origin.span)))
        }
        Ok(Outcome::Unsupported { reason, place }) => {
            Some(format!("{reason}, in {}", program.method_name(place.method)))
        }
        other => Some(format!("{other:?}")),
    }
}

/// The assertions of all programs in a folder hold; `debug` is javac's option for debug information.
fn hold(folder: &Path, jdk: Option<&Path>, debug: &str) {
    let names = programs(folder);
    assert!(!names.is_empty());
    let classes = compile(jdk, folder, &names, debug);
    let jvm = tool(jdk, "java").args(["-ea", "-cp"]).arg(classes.path()).arg("Runner").args(&names).output().unwrap();
    let printed = String::from_utf8_lossy(&jvm.stdout);
    let right: Vec<&str> = printed.lines().collect();
    assert_eq!(right, names, "on a JVM: {}", String::from_utf8_lossy(&jvm.stderr));

    // What one of them needs of the library is there for the others.
    let options = Options { java_home: jdk.map(Path::to_path_buf), ..Options::default() };
    let program = load(ClassPath::open(&[classes.path().to_path_buf()], &options).unwrap());
    let (pending, problems) = (Mutex::new(names), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some(name) = pending.lock().unwrap().pop() else { return };
                    if let Some(problem) = problem(&program, &name) {
                        problems.lock().unwrap().push(format!("{name}: {problem}"));
                    }
                }
            });
        }
    });
    let mut problems = problems.into_inner().unwrap();
    problems.sort();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

#[test]
fn assertions_of_programs_hold() {
    hold(&folder(), None, "-g");
}

#[test]
fn assertions_of_programs_without_debug_information_hold() {
    hold(&folder().join("stripped"), None, "-g:none");
}

/// A JDK of Java 21 or later, where Linux has them.
fn newer_jdk() -> Option<PathBuf> {
    let is_newer = |jdk: &Path| {
        let release = fs::read_to_string(jdk.join("release")).ok()?;
        let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
        let major: u32 = version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
        Some(major >= 21 && jdk.join("bin/javac").exists())
    };
    let installed = fs::read_dir("/usr/lib/jvm").ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut newer: Vec<PathBuf> = installed.filter(|jdk| is_newer(jdk) == Some(true)).collect();
    newer.sort();
    newer.pop()
}

#[test]
fn assertions_of_programs_of_java_21_hold() {
    match newer_jdk() {
        Some(jdk) => hold(&folder().join("newer"), Some(&jdk), "-g"),
        None => eprintln!("skipped: there is no JDK of Java 21 or later in /usr/lib/jvm"),
    }
}
