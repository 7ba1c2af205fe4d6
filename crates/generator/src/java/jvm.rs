//! Compiles programs and runs them on a JVM.
//!
//! All programs of a batch are compiled by one `javac` and run in one JVM. Each run has its own classes, so that
//! static fields start afresh. Both tools come from `JAVA_HOME`, or else from the `PATH`.
//!
//! All functions fail with an [`Error`] if a tool or a file cannot be used, if the sources do not compile, or if the
//! JVM ends before the last run.

use crate::batch::{self, complete, io, write};
use crate::java::task::{Input, Task, Value};
use crate::java::world::{Start, World};
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

pub use crate::batch::{Error, TIME};

/// The classes of a batch, in a folder that is removed when this is dropped.
#[derive(Debug)]
pub struct Classes {
    folder: TempDir,
}

/// One run of a main method.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The class with the main method.
    pub class: String,
    /// The values that the methods of `Verifier` return, in the order of the calls.
    pub inputs: Vec<Value>,
}

/// The output of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The printed text.
    pub stdout: String,
    /// The class of an uncaught exception, followed by ": " and its message, if it has one.
    pub exception: Option<String>,
}

/// The outcome of a run of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The run ended normally.
    Holds,
    /// An assertion failed.
    Violated,
    /// An assumption failed.
    Excluded,
    /// Another exception was not caught: its class, followed by ": " and its message, if it has one.
    Threw(String),
}

/// The true answer about a world, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    /// An assertion can be false, or an exception can leave the entry point if that counts. The text describes the
    /// failure.
    Fails(String),
    /// No run fails.
    Passes,
    /// Some runs did not fail; others might.
    Unseen,
    /// A run on the JVM failed although no run can fail according to the documentation. This is a defect of the
    /// generator.
    Contradicts(String),
}

/// The runs of a task with all its inputs: the inputs and the outcome of each run.
pub type Enumeration = Vec<(Vec<Value>, Outcome)>;

impl Output {
    /// Whether a false assertion ended the run, or any exception if `traps` is set. A program itself creates an
    /// `AssertionError` with the message "user".
    fn violates(&self, traps: bool) -> bool {
        match (&self.exception, self.outcome()) {
            (None, _) | (_, Outcome::Excluded) => false,
            (Some(exception), Outcome::Violated) => traps || exception != "java.lang.AssertionError: user",
            _ => traps,
        }
    }

    /// The outcome of this run of a task.
    pub fn outcome(&self) -> Outcome {
        let Some(exception) = &self.exception else { return Outcome::Holds };
        match exception.split(':').next() {
            Some("java.lang.AssertionError") => Outcome::Violated,
            Some("org.sosy_lab.sv_benchmarks.Verifier$AssumptionFailed") => Outcome::Excluded,
            _ => Outcome::Threw(exception.clone()),
        }
    }
}

fn tool(name: &str) -> OsString {
    match std::env::var_os("JAVA_HOME") {
        Some(home) if !home.is_empty() => PathBuf::from(home).join("bin").join(name).into(),
        _ => name.into(),
    }
}

/// Compiles programs, given by the names of their public classes and their sources.
pub fn compile(sources: &[(String, String)]) -> Result<Classes, Error> {
    compile_with(sources, &[])
}

/// [`compile`] with additional options for `javac`, such as `-XDstringConcat=inline`.
///
/// The name of a class in a package is `package/Class`.
pub fn compile_with(sources: &[(String, String)], options: &[&str]) -> Result<Classes, Error> {
    let folder = TempDir::with_prefix("aback-java-").map_err(io("make a folder"))?;
    let path = folder.path();
    for name in ["sources", "classes", "driver"] {
        fs::create_dir(path.join(name)).map_err(io(format!("make the folder {name}")))?;
    }
    // The driver is compiled together with the programs, since starting javac takes longer than compiling it. Then it
    // is moved away, so that the folder contains only the classes of the programs.
    let mut list = String::new();
    let own = [
        ("Driver", include_str!("../../java/Driver.java")),
        ("Entries", include_str!("../../java/Entries.java")),
        ("Verifier", include_str!("../../java/Verifier.java")),
    ];
    for (name, text) in own.into_iter().chain(sources.iter().map(|(name, text)| (name.as_str(), text.as_str()))) {
        let file = path.join("sources").join(format!("{name}.java"));
        let parent = file.parent().unwrap_or(path);
        fs::create_dir_all(parent).map_err(io(format!("make the folder {}", parent.display())))?;
        write(&file, text)?;
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
            "1000",
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

/// Compiles the worlds that compile, and returns the indices of the others.
///
/// The rules of overriding, access and defaults have more corner cases than the generator knows. A world that `javac`
/// rejects is not a Java program and is left out. The same worlds are rejected in every compilation.
pub fn compile_worlds(worlds: &[World]) -> Result<(Classes, Vec<usize>), Error> {
    let mut refused = Vec::new();
    loop {
        let kept = worlds.iter().enumerate().filter(|(index, _)| !refused.contains(index));
        let sources: Vec<_> = kept.flat_map(|(_, world)| world.files.iter().cloned()).collect();
        let message = match compile_with(&sources, &[]) {
            Ok(classes) => return Ok((classes, refused)),
            Err(Error::Compiler(message)) => message,
            Err(other) => return Err(other),
        };
        let errors = message.lines().filter(|line| line.contains(": error:"));
        let roots: Vec<&str> = errors.filter_map(|line| line.strip_prefix("sources/")?.split('/').next()).collect();
        let wrong = worlds.iter().enumerate().filter(|(_, world)| roots.contains(&world.root.as_str()));
        let wrong: Vec<usize> = wrong.map(|(index, _)| index).filter(|index| !refused.contains(index)).collect();
        if wrong.is_empty() {
            return Err(Error::Compiler(message));
        }
        refused.extend(wrong);
    }
}

impl Classes {
    /// The folder with the class files of the programs, and no other files.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().join("classes")
    }

    /// The folder with the sources of the programs (and of the drivers).
    pub fn sources(&self) -> PathBuf {
        self.folder.path().join("sources")
    }

    /// Runs the main methods of classes.
    pub fn run_mains(&self, classes: &[String]) -> Result<Vec<Output>, Error> {
        let runs: Vec<Run> = classes.iter().map(|class| Run { class: class.clone(), inputs: Vec::new() }).collect();
        self.run(&runs)
    }

    /// Executes the runs one after the other in one JVM. Assertions are enabled.
    pub fn run(&self, runs: &[Run]) -> Result<Vec<Output>, Error> {
        let mut text = String::new();
        for run in runs {
            text += &run.class;
            for input in &run.inputs {
                write!(text, "\t{input}").expect("strings take all text");
            }
            text.push('\n');
        }
        let (bytes, message) = self.drive("Driver", &text)?;
        complete(parse(&bytes), message, runs.iter().map(|run| &run.class))
    }

    /// Calls each world's entry point up to `calls` times with different inputs. Returns the first failing call of
    /// each, if any.
    ///
    /// `java/Entries.java` describes the inputs. They are the same in every execution.
    pub fn call_entries(&self, worlds: &[&World], calls: usize) -> Result<Vec<Option<String>>, Error> {
        let mut text = String::new();
        for World { root, entry, traps, .. } in worlds {
            let (class, method) = entry.rsplit_once('.').expect("an entry point has a class and a name");
            writeln!(text, "{root}\t{class}\t{method}\t{traps}\t{calls}").expect("strings take all text");
        }
        let (bytes, message) = self.drive("Entries", &text)?;
        let results = String::from_utf8_lossy(&bytes);
        let results = results.lines().map(|line| line.split_once('\t').map(|(_, call)| call.to_owned()));
        complete(results.collect(), message, worlds.iter().map(|world| &world.entry))
    }

    /// The true answers about worlds. Each entry point is called up to `calls` times.
    pub fn truths(&self, worlds: &[&World], calls: usize) -> Result<Vec<Truth>, Error> {
        let (mut runs, mut entries) = (Vec::new(), Vec::new());
        for &world in worlds {
            match &world.start {
                Start::Main { inputs, .. } => {
                    let mut tuples = tuples(inputs);
                    // Neighbouring tuples differ in the last input: a step over several tuples retains different
                    // values of all inputs.
                    let step = tuples.len().div_ceil(calls).max(1);
                    let mut index = 0;
                    if !world.is_exhaustive() {
                        tuples.retain(|_| {
                            index += 1;
                            (index - 1) % step == 0
                        });
                    }
                    let class = world.root.clone() + ".Main";
                    runs.push(
                        tuples.into_iter().map(|inputs| Run { class: class.clone(), inputs }).collect::<Vec<_>>(),
                    );
                }
                Start::Entry => entries.push(world),
            }
        }
        let mut outputs = self.run(&runs.concat())?.into_iter();
        let mut runs = runs.into_iter();
        let mut calls = self.call_entries(&entries, calls)?.into_iter();
        let truths = worlds.iter().map(|world| {
            let failure = match world.start {
                Start::Entry => calls.next().flatten(),
                Start::Main { .. } => {
                    let runs = runs.next().unwrap_or_default();
                    let ended = runs.into_iter().zip(&mut outputs).collect::<Vec<_>>().into_iter();
                    let mut failed = ended.filter(|(_, output)| output.violates(world.traps));
                    failed.next().map(|(run, output)| {
                        let inputs: Vec<String> = run.inputs.iter().map(ToString::to_string).collect();
                        format!("main({}): {}", inputs.join(", "), output.exception.unwrap_or_default())
                    })
                }
            };
            match (failure, world.documented) {
                (Some(how), Some(false)) => Truth::Contradicts(how),
                (Some(how), _) => Truth::Fails(how),
                (None, Some(true)) => Truth::Fails("where documentation allows it".into()),
                (None, Some(false)) => Truth::Passes,
                (None, None) if world.is_exhaustive() => Truth::Passes,
                (None, None) => Truth::Unseen,
            }
        });
        Ok(truths.collect())
    }

    /// Passes a list to one of this crate's Java programs. Returns what the program has written, and the reason if it
    /// did not end by itself.
    fn drive(&self, driver: &str, list_text: &str) -> Result<(Vec<u8>, Option<String>), Error> {
        let scratch = TempDir::new_in(self.folder.path()).map_err(io("make a folder"))?;
        let (list, results, messages) =
            (scratch.path().join("runs"), scratch.path().join("results"), scratch.path().join("messages"));
        write(&list, list_text)?;
        let mut java = Command::new(tool("java"));
        java.args(["-XX:TieredStopAtLevel=1", "-XX:-OmitStackTraceInFastThrow", "-XX:+UseSerialGC", "-Xss16m"])
            .args(["-Duser.language=en", "-Duser.country=US", "-cp"])
            .arg(self.folder.path().join("driver"))
            .arg(format!("aback.generator.{driver}"))
            .args([&self.folder(), &list, &results]);
        let message = batch::run(&mut java, &messages)?;
        let bytes = fs::read(&results).map_err(io("read the results"))?;
        Ok((bytes, message))
    }

    /// Runs a task, whose class is called `class`, with all its inputs. Returns the inputs and the outcome of each
    /// run.
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

/// All combinations of the values of the inputs.
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
