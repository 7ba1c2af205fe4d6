//! Are verdicts about tasks those that all runs on a JVM give?

use aback_core::{CheckConfig, LoadConfig, Loaded, Verdict, Violations, check, load};
use aback_java_generator::jvm::{self, Classes, Outcome};
use aback_java_generator::{Task, Topics, task_named};
use std::fmt;
use std::time::Duration;

/// Tasks with their verdicts.
pub struct Tasks {
    names: Vec<String>,
    /// Whether an assertion fails for some input.
    violated: Vec<bool>,
    loaded: Loaded,
    /// The class files, which are read while the program is used.
    _classes: Classes,
}

/// What came of a task.
pub struct Judged {
    name: String,
    violated: bool,
    pub verdict: Verdict,
    reason: String,
    pub time: Duration,
}

impl Judged {
    /// Whether the verdict contradicts the JVM.
    pub fn is_wrong(&self) -> bool {
        match self.verdict {
            Verdict::Holds | Verdict::HoldsWithinBounds => self.violated,
            Verdict::Violated => !self.violated,
            Verdict::Unknown => false,
        }
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = if self.violated { "violated" } else { "holds" };
        write!(f, "{}: on a JVM it {expected}, aback says {}", self.name, self.verdict)?;
        if self.reason.is_empty() { Ok(()) } else { write!(f, " ({})", self.reason) }
    }
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
        let loaded = load(&[classes.folder()], &LoadConfig::default())?;
        Ok(Tasks { names: tasks.into_iter().map(|(name, _)| name).collect(), violated, loaded, _classes: classes })
    }

    /// Asks about each task, one after the other; `watch` is told of each.
    pub fn judge(&self, timeout: Duration, watch: impl Fn(&Judged)) -> Vec<Judged> {
        let judge = |(name, &violated): (&String, &bool)| {
            let config = CheckConfig {
                entry: Some(format!("{name}.main")),
                violations: Violations::in_language(self.loaded.language, false),
                timeout: Some(timeout),
                ..CheckConfig::default()
            };
            let answer = check(&self.loaded.program, &config).expect("the question has a meaning");
            let (verdict, reason, time) = (answer.verdict, answer.reason(&self.loaded.program), answer.time);
            let judged = Judged { name: name.clone(), violated, verdict, reason, time };
            watch(&judged);
            judged
        };
        self.names.iter().zip(&self.violated).map(judge).collect()
    }
}
