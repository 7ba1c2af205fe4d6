//! Compares verdicts about tasks with all runs on a JVM, and runs the counterexamples on a JVM.

use super::verdicts::Judged;
use aback_core::{
    CheckConfig, ConfirmConfig, Confirmation, Engine, Exceptions, LoadConfig, Sandboxing, Session, Violations, check,
};
use aback_generator::java::jvm::{self, Classes, Outcome};
use aback_generator::java::{Task, Topics, task_named};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Tasks with their true verdicts.
pub struct Tasks {
    names: Vec<String>,
    /// Whether an assertion fails for some input.
    violated: Vec<bool>,
    loaded: Session,
    /// The class files, which the program reads while it is in use.
    _classes: Classes,
}

impl Tasks {
    /// Compiles the tasks of these seeds and runs them on a JVM with all their inputs.
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
        let loaded = Session::open(&[classes.folder()], &LoadConfig::default())?;
        Ok(Tasks { names: tasks.into_iter().map(|(name, _)| name).collect(), violated, loaded, _classes: classes })
    }

    /// Asks about each task, one after the other; `watch` is called for each.
    pub fn judge(&self, engine: Engine, timeout: Duration, watch: impl Fn(&Judged)) -> Vec<Judged> {
        let judge = |(name, &is_violated): (&String, &bool)| {
            let judged = Judged::new(self.loaded.program(), name, Exceptions::None, (engine, timeout), is_violated);
            watch(&judged);
            judged
        };
        self.names.iter().zip(&self.violated).map(judge).collect()
    }

    /// Runs the counterexample of each violated task as a separate program on a JVM; `watch` is called for each.
    /// Returns the names of these tasks with the results.
    pub fn confirm(
        &self,
        exceptions: Exceptions,
        timeout: Duration,
        watch: impl Fn(&str, &Confirmation),
    ) -> Vec<(String, Confirmation)> {
        let mut confirmed = Vec::new();
        for name in &self.names {
            let config = CheckConfig {
                entry: Some(format!("{name}.main")),
                violations: Violations { assertions: true, exceptions: exceptions.clone() },
                timeout: Some(timeout),
                ..CheckConfig::default()
            };
            let mut answer = check(self.loaded.program(), &config).expect("the question has a meaning");
            let interrupt = AtomicBool::new(false);
            let config = ConfirmConfig {
                time: Duration::from_secs(60),
                memory: 512,
                sandbox: Sandboxing::Auto,
                interrupt: &interrupt,
            };
            self.loaded.confirm(&mut answer, &config);
            let Some(confirmation) = answer.violation.and_then(|violation| violation.confirmation) else { continue };
            watch(name, &confirmation);
            confirmed.push((name.clone(), confirmation));
        }
        confirmed
    }
}
