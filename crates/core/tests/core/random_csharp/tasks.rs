//! Compares verdicts about tasks with all their runs on .NET.

use aback_core::{CheckConfig, Engine, Line, LoadConfig, Question, Session, Violations};
use aback_forward::{Choices, Subsumption};
use aback_generator::csharp::dotnet::{Assembly, Error, Sdk};
use aback_generator::csharp::{Mark, Task, Truth, task};
use std::ops::Range;
use std::time::Duration;

/// Tasks with their true answers.
pub struct Tasks {
    tasks: Vec<(String, Task, Truth)>,
    loaded: Session,
    /// The assembly, which the program reads while it is in use.
    _assembly: Assembly,
}

/// An answer about a mark.
pub struct Judged {
    text: String,
    pub is_wrong: bool,
    pub is_unknown: bool,
}

impl Judged {
    pub fn print(&self) {
        if self.is_wrong || self.is_unknown {
            println!("{self}");
        }
    }
}

impl std::fmt::Display for Judged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.is_wrong { "WRONG " } else { "" }, self.text)
    }
}

impl Tasks {
    /// Compiles the tasks of these seeds and runs them on .NET with all their inputs.
    pub fn compile(sdk: &Sdk, seeds: Range<u64>, optimize: bool) -> Result<Self, Error> {
        let named = |seed: u64| (format!("T{seed}"), task(seed, &format!("T{seed}")));
        let tasks: Vec<(String, Task)> = seeds.map(named).collect();
        let driver = |name: &str| format!("{name}_Inputs");
        let sources: Vec<(String, String)> = tasks
            .iter()
            .flat_map(|(name, task)| [(name.clone(), task.source.clone()), (driver(name), task.driver.clone())])
            .collect();
        let assembly = sdk.compile(&sources, optimize)?;
        let outputs = assembly.run(&tasks.iter().map(|(name, _)| driver(name)).collect::<Vec<_>>())?;
        let truths = outputs.iter().map(|output| output.lines.last().and_then(|line| Truth::parse(line)));
        let tasks = tasks.into_iter().zip(truths);
        let tasks =
            tasks.map(|((name, task), truth)| (name, task, truth.expect("a driver ends with its results"))).collect();
        let loaded = Session::open(&[assembly.path()], &LoadConfig::default()).expect("the compiler has made it");
        Ok(Tasks { tasks, loaded, _assembly: assembly })
    }

    /// Asks about each mark; `watch` is called for each answer.
    pub fn judge(&self, engine: Engine, timeout: Duration, watch: impl Fn(&Judged)) -> Vec<Judged> {
        let marks = self.tasks.iter().flat_map(|task| task.1.marks.iter().map(move |&mark| (task, mark)));
        let judge = |((name, task, truth), mark): (&(String, Task, Truth), Mark)| {
            let judged = self.ask(name, mark, truth.happens(mark), (engine, timeout));
            let text = task.source.lines().nth(mark.line as usize - 1).unwrap_or_default().trim();
            let judged = Judged { text: format!("{} {engine:?}\n    {text}", judged.text), ..judged };
            watch(&judged);
            judged
        };
        marks.map(judge).collect()
    }

    fn ask(&self, name: &str, mark: Mark, happens: bool, (engine, timeout): (Engine, Duration)) -> Judged {
        let config = CheckConfig {
            question: if mark.is_assertion { Question::Violation } else { Question::Reach },
            at: Some(Line { file: format!("{name}.cs"), line: mark.line }),
            entry: Some(format!("{name}.Check")),
            engine,
            violations: Violations::in_language(self.loaded.program(), false),
            timeout: Some(timeout),
            choices: Choices::Split,
            subsumption: Subsumption::Always,
            ..CheckConfig::default()
        };
        let answer = match self.loaded.check(&config) {
            Ok(answer) => answer,
            Err(error) => {
                let text = format!("{name} mark {}: {error}", mark.number);
                return Judged { text, is_wrong: false, is_unknown: true };
            }
        };
        let said = answer.said();
        let is_wrong = answer.refuted_proof
            || match said {
                "violated" | "reachable" => !happens,
                "unknown" => false,
                // No input of a task is outside of bounds.
                _ => happens,
            };
        let reason = answer.reason(self.loaded.program());
        let refuted = if answer.refuted_proof { " after a proof that it refuted itself" } else { "" };
        let text = format!("{name} mark {}: on .NET {happens}, aback says {said}{refuted} ({reason})", mark.number);
        Judged { text, is_wrong, is_unknown: said == "unknown" }
    }
}
