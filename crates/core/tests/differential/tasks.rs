//! Are verdicts about tasks those that all runs on a JVM give?

use crate::verdicts::Judged;
use aback_core::Exceptions;
use aback_ir::Program;
use aback_java_generator::jvm::{self, Classes, Outcome};
use aback_java_generator::{Task, Topics, task_named};
use aback_lang_java::classpath::{ClassPath, Options};
use std::time::Duration;

/// Tasks with their verdicts.
pub struct Tasks {
    names: Vec<String>,
    /// Whether an assertion fails for some input.
    violated: Vec<bool>,
    program: Program,
    /// The class files, which are read while the program is used.
    _classes: Classes,
}

impl Tasks {
    /// Compiles the tasks of some seeds and runs them on a JVM with all their inputs.
    pub fn compile(first: u64, count: u64, topics: Topics) -> Result<Self, Box<dyn std::error::Error>> {
        let tasks: Vec<(String, Task)> = (first..first + count)
            .map(|seed| (format!("T{seed}"), seed))
            .map(|(name, seed)| (name.clone(), task_named(seed, topics, &name)))
            .collect();
        let sources: Vec<_> = tasks.iter().map(|(name, task)| (name.clone(), task.source.clone())).collect();
        let classes = jvm::compile(&sources)?;
        let all: Vec<_> = tasks.iter().map(|(name, task)| (name.as_str(), task)).collect();
        let runs = classes.enumerate_all(&all)?;
        let violated = runs.iter().map(|runs| runs.iter().any(|(_, outcome)| *outcome == Outcome::Violated)).collect();
        let program = aback_lang_java::load(ClassPath::open(&[classes.folder()], &Options::default())?);
        Ok(Tasks { names: tasks.into_iter().map(|(name, _)| name).collect(), violated, program, _classes: classes })
    }

    /// Asks about each task, one after the other; `watch` is told of each.
    pub fn judge(&self, timeout: Duration, watch: impl Fn(&Judged)) -> Vec<Judged> {
        let judge = |(name, &is_violated): (&String, &bool)| {
            let judged = Judged::new(&self.program, name, Exceptions::None, timeout, is_violated);
            watch(&judged);
            judged
        };
        self.names.iter().zip(&self.violated).map(judge).collect()
    }
}
