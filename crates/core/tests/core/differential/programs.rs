//! Compares the behaviour of programs on a JVM and in the concrete interpreter.

use super::verdicts::Judged;
use aback_core::{Engine, Exceptions};
use aback_generator::java::jvm::{self, Classes, Output};
use aback_generator::java::{Topics, program_named};
use aback_ir::Program;
use aback_lang_java::classpath::{ClassPath, Options};
use aback_witness::{InputValue, Inputs, Limits, Observer, Outcome, State, run};
use std::fmt;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Programs with their behaviour on a JVM.
pub struct Programs {
    names: Vec<String>,
    expected: Vec<Output>,
    program: Program,
    /// The class files, which the program reads while it is in use.
    _classes: Classes,
}

/// A run in the interpreter.
pub struct Run {
    pub name: String,
    pub steps: u64,
    pub time: Duration,
    pub difference: Option<Difference>,
}

/// A difference between the behaviour of a program on a JVM and in the interpreter.
#[derive(Clone)]
pub struct Difference {
    name: String,
    /// Line number of the output, from 1.
    line: usize,
    expected: String,
    found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { name, line, expected, found } = self;
        write!(f, "{name}, line {line}:\n  JVM:   {expected}\n  aback: {found}")
    }
}

/// Collects the output.
#[derive(Default)]
struct Printed {
    text: String,
    steps: u64,
}

impl Observer for Printed {
    fn end(&mut self, state: &State<'_>, _: &Outcome) {
        self.text = state.output();
        self.steps = state.steps();
    }
}

impl Programs {
    /// Compiles the programs of these seeds and runs them on a JVM.
    pub fn compile(first: u64, count: u64, topics: Topics) -> Result<Self, Box<dyn std::error::Error>> {
        let seeds = first..first + count;
        let sources: Vec<(String, String)> = seeds
            .map(|seed| (format!("P{seed}"), seed))
            .map(|(name, seed)| (name.clone(), program_named(seed, topics, &name)))
            .collect();
        let classes = jvm::compile(&sources)?;
        let names: Vec<String> = sources.into_iter().map(|(name, _)| name).collect();
        let expected = classes.run_mains(&names)?;
        let program = aback_lang_java::load(ClassPath::open(&[classes.folder()], &Options::default())?);
        Ok(Programs { names, expected, program, _classes: classes })
    }

    /// Runs all programs and returns the differences; `watch` is called for each run.
    pub fn differences(&self, watch: impl Fn(&Run) + Sync) -> Vec<Difference> {
        let (pending, found) = (Mutex::new(0..self.names.len()), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    loop {
                        let Some(index) = pending.lock().unwrap().next() else { return };
                        let run = self.run(index);
                        watch(&run);
                        found.lock().unwrap().extend(run.difference);
                    }
                });
            }
        });
        found.into_inner().unwrap()
    }

    /// Asks for each program whether an exception can leave it, one after the other; `watch` is called for each.
    pub fn judge(&self, engine: Engine, timeout: Duration, watch: impl Fn(&Judged)) -> Vec<Judged> {
        let judge = |(name, expected): (&String, &Output)| {
            let judged =
                Judged::new(&self.program, name, Exceptions::All, (engine, timeout), expected.exception.is_some());
            watch(&judged);
            judged
        };
        self.names.iter().zip(&self.expected).map(judge).collect()
    }

    fn run(&self, index: usize) -> Run {
        let name = &self.names[index];
        let start = Instant::now();
        let class = self.program.class_named(name).expect("the class was compiled");
        let main = self.program.methods_named(class, "main")[0];
        let inputs = Inputs { args: vec![InputValue::Null], ..Inputs::default() };
        let mut printed = Printed::default();
        let outcome = run(&self.program, main, &inputs, Limits::default(), &mut printed).expect("main has no inputs");
        let lines = |text: &str, end: String| text.lines().map(str::to_owned).chain([end]).collect::<Vec<_>>();
        let expected = &self.expected[index];
        let end = expected.exception.as_ref().map_or("(returns)".into(), |exception| format!("(throws {exception})"));
        let (expected, found) = (lines(&expected.stdout, end), lines(&printed.text, self.end(&outcome)));
        let line = expected.iter().zip(&found).position(|(expected, found)| expected != found);
        let difference = line.map(|line| Difference {
            name: name.clone(),
            line: line + 1,
            expected: expected[line].clone(),
            found: found[line].clone(),
        });
        Run { name: name.clone(), steps: printed.steps, time: start.elapsed(), difference }
    }

    /// The end of a run, as one line.
    fn end(&self, outcome: &Outcome) -> String {
        match outcome {
            Outcome::Returned(_) => "(returns)".into(),
            Outcome::Uncaught { class, message, .. } => {
                let message = message.as_ref().map_or_else(String::new, |message| format!(": {message}"));
                format!("(throws {}{message})", self.program.class_name(*class))
            }
            Outcome::AssertionFailed { place, .. } => {
                format!("(a false assertion at {})", self.program.show_span(place.span))
            }
            Outcome::Unsupported { reason, place } => {
                format!("(unsupported in {}: {reason})", self.program.method_name(place.method))
            }
            other => format!("({other:?})"),
        }
    }
}
