//! What does a JVM make of the programs?
//!
//! All programs of a batch are compiled by one `javac` and run in one JVM, each run with classes of its own, so that
//! static fields start afresh. Both tools come from `JAVA_HOME`, or else from the `PATH`.

use crate::task::{Input, Task, Value};
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use wait_timeout::ChildExt;

/// What stops a batch.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A tool could not be started, or a file could not be written or read.
    #[error("cannot {action}")]
    Io {
        /// What was tried.
        action: String,
        /// What the system says.
        source: io::Error,
    },
    /// The sources do not compile.
    #[error("javac says:\n{0}")]
    Compiler(String),
    /// The JVM ended before the last run, or was ended since it took longer than [`TIME`].
    #[error("the JVM stopped in the run of {class} (number {run}): {message}")]
    Jvm {
        /// The index of the run that did not end.
        run: usize,
        /// Its class.
        class: String,
        /// What the JVM said.
        message: String,
    },
}

/// How long a JVM may take for all runs of a batch.
pub const TIME: Duration = Duration::from_secs(300);

/// Classes of a batch, in a folder that is removed when this is dropped.
#[derive(Debug)]
pub struct Classes {
    folder: TempDir,
}

/// One run of a main method.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The class that has the method.
    pub class: String,
    /// What the methods of `Verifier` give, in the order of the calls.
    pub inputs: Vec<Value>,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// What was printed.
    pub stdout: String,
    /// The class of an exception that was not caught, and after ": " its message, if it has one.
    pub exception: Option<String>,
}

/// How a run of a task ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All was well.
    Holds,
    /// An assertion failed.
    Violated,
    /// An assumption failed.
    Excluded,
    /// Another exception was not caught: its class, and after ": " its message, if it has one.
    Threw(String),
}

/// The runs of a task with all its inputs: what was given, and how it ended.
pub type Enumeration = Vec<(Vec<Value>, Outcome)>;

impl Output {
    /// How this run of a task ended.
    pub fn outcome(&self) -> Outcome {
        let Some(exception) = &self.exception else { return Outcome::Holds };
        match exception.split(':').next() {
            Some("java.lang.AssertionError") => Outcome::Violated,
            Some("org.sosy_lab.sv_benchmarks.Verifier$AssumptionFailed") => Outcome::Excluded,
            _ => Outcome::Threw(exception.clone()),
        }
    }
}

fn io(action: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
    let action = action.into();
    |source| Error::Io { action, source }
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(io(format!("write {}", path.display())))
}

fn tool(name: &str) -> OsString {
    match std::env::var_os("JAVA_HOME") {
        Some(home) if !home.is_empty() => PathBuf::from(home).join("bin").join(name).into(),
        _ => name.into(),
    }
}

/// Compiles programs, given by the names of their public classes and their texts.
pub fn compile(sources: &[(String, String)]) -> Result<Classes, Error> {
    compile_with(sources, &[])
}

/// [`compile`] with further options for `javac`, such as `-XDstringConcat=inline`.
pub fn compile_with(sources: &[(String, String)], options: &[&str]) -> Result<Classes, Error> {
    let folder = TempDir::with_prefix("aback-java-").map_err(io("make a folder"))?;
    let path = folder.path();
    for name in ["sources", "classes", "driver"] {
        fs::create_dir(path.join(name)).map_err(io(format!("make the folder {name}")))?;
    }
    // The driver is compiled with the programs, since starting javac takes longer than compiling it; it is moved away
    // then, so that the folder of the classes has those of the programs only.
    let mut list = String::new();
    let own = [("Driver", include_str!("../java/Driver.java")), ("Verifier", include_str!("../java/Verifier.java"))];
    for (name, text) in own.into_iter().chain(sources.iter().map(|(name, text)| (name.as_str(), text.as_str()))) {
        write(&path.join("sources").join(format!("{name}.java")), text)?;
        writeln!(list, "sources/{name}.java").expect("strings take all text");
    }
    write(&path.join("list"), &list)?;
    let output = Command::new(tool("javac"))
        .current_dir(path)
        .args([
            "-J-Xss16m",
            "-J-XX:+UseSerialGC",
            "-J-XX:TieredStopAtLevel=1",
            "-nowarn",
            "-Xlint:none",
            "-proc:none",
            "-encoding",
            "UTF-8",
            "-Xmaxerrs",
            "20",
        ])
        .args(options)
        .args(["-d", "classes", "@list"])
        .output()
        .map_err(io("start javac"))?;
    if !output.status.success() {
        return Err(Error::Compiler(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    for package in ["aback", "org"] {
        let (from, to) = (path.join("classes").join(package), path.join("driver").join(package));
        fs::rename(from, to).map_err(io("move the driver"))?;
    }
    Ok(Classes { folder })
}

impl Classes {
    /// The folder with the class files of the programs, and no others.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().join("classes")
    }

    /// The folder with the sources of the programs (and of what runs them).
    pub fn sources(&self) -> PathBuf {
        self.folder.path().join("sources")
    }

    /// Runs the main methods of classes.
    pub fn run_mains(&self, classes: &[String]) -> Result<Vec<Output>, Error> {
        let runs: Vec<Run> = classes.iter().map(|class| Run { class: class.clone(), inputs: Vec::new() }).collect();
        self.run(&runs)
    }

    /// Does the runs, one after the other in one JVM. Assertions are enabled.
    pub fn run(&self, runs: &[Run]) -> Result<Vec<Output>, Error> {
        let scratch = TempDir::new_in(self.folder.path()).map_err(io("make a folder"))?;
        let (list, results, messages) =
            (scratch.path().join("runs"), scratch.path().join("results"), scratch.path().join("messages"));
        let mut text = String::new();
        for run in runs {
            text += &run.class;
            for input in &run.inputs {
                write!(text, "\t{input}").expect("strings take all text");
            }
            text.push('\n');
        }
        write(&list, &text)?;
        let stderr = fs::File::create(&messages).map_err(io("write the messages"))?;
        let mut jvm = Command::new(tool("java"))
            .args(["-XX:TieredStopAtLevel=1", "-XX:-OmitStackTraceInFastThrow", "-XX:+UseSerialGC", "-Xss16m"])
            .args(["-Duser.language=en", "-Duser.country=US", "-cp"])
            .arg(self.folder.path().join("driver"))
            .arg("aback.generator.Driver")
            .args([self.folder(), list, results.clone()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(stderr)
            .spawn()
            .map_err(io("start java"))?;
        let status = jvm.wait_timeout(TIME).map_err(io("wait for java"))?;
        if status.is_none() {
            jvm.kill().and_then(|()| jvm.wait()).map_err(io("stop java"))?;
        }
        let bytes = fs::read(&results).map_err(io("read the results"))?;
        let outputs = parse(&bytes);
        if outputs.len() == runs.len() && status.is_some_and(|status| status.success()) {
            return Ok(outputs);
        }
        let run = outputs.len().min(runs.len().saturating_sub(1));
        let message = match status {
            None => format!("no end after {} s", TIME.as_secs()),
            Some(_) => fs::read_to_string(&messages).unwrap_or_default(),
        };
        Err(Error::Jvm { run, class: runs.get(run).map(|run| run.class.clone()).unwrap_or_default(), message })
    }

    /// Runs a task, whose class is called `class`, with all its inputs, and gives each run's inputs and outcome.
    pub fn enumerate(&self, class: &str, task: &Task) -> Result<Enumeration, Error> {
        Ok(self.enumerate_all(&[(class, task)])?.remove(0))
    }

    /// [`enumerate`](Self::enumerate) for many tasks, in one JVM.
    pub fn enumerate_all(&self, tasks: &[(&str, &Task)]) -> Result<Vec<Enumeration>, Error> {
        let runs = |(class, task): &(&str, &Task)| -> Vec<Run> {
            let tuples = tuples(&task.inputs).into_iter();
            tuples.map(|inputs| Run { class: (*class).into(), inputs }).collect()
        };
        let runs: Vec<Vec<Run>> = tasks.iter().map(runs).collect();
        let mut outputs = self.run(&runs.concat())?.into_iter();
        let outcomes = runs.into_iter().map(|runs| {
            let ended = runs.into_iter().zip(&mut outputs);
            ended.map(|(run, output)| (run.inputs, output.outcome())).collect()
        });
        Ok(outcomes.collect())
    }
}

/// All ways to give each input one of its values.
pub fn tuples(inputs: &[Input]) -> Vec<Vec<Value>> {
    inputs.iter().fold(vec![Vec::new()], |tuples, input| {
        let extended = |tuple: &Vec<Value>, value: &Value| [tuple.as_slice(), std::slice::from_ref(value)].concat();
        tuples.iter().flat_map(|tuple| input.values.iter().map(move |value| extended(tuple, value))).collect()
    })
}

fn parse(mut bytes: &[u8]) -> Vec<Output> {
    fn text(bytes: &mut &[u8]) -> Option<String> {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (text, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        *bytes = rest;
        Some(String::from_utf8_lossy(text).into_owned())
    }
    let mut outputs = Vec::new();
    while let (Some(stdout), Some(exception)) = (text(&mut bytes), text(&mut bytes)) {
        outputs.push(Output { stdout, exception: Some(exception).filter(|exception| !exception.is_empty()) });
    }
    outputs
}
