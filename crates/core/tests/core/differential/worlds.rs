//! Compares verdicts about worlds with their behaviour on a JVM.

use aback_core::{CheckConfig, Engine, Exceptions, LoadConfig, Session, Verdict, Violations, check};
use aback_generator::java::jvm::{self, Classes, Truth};
use aback_generator::java::{Family, World, world};
use std::time::Duration;

/// Worlds with their behaviour on a JVM.
pub struct Worlds {
    worlds: Vec<(World, Truth)>,
    classes: Classes,
}

impl Worlds {
    /// Compiles worlds and runs each `calls` times on a JVM.
    pub fn compile(
        seeds: impl IntoIterator<Item = (Family, u64)>,
        calls: usize,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let worlds: Vec<World> = seeds.into_iter().map(|(family, seed)| world(seed, &[family])).collect();
        let (classes, refused) = jvm::compile_worlds(&worlds)?;
        assert!(refused.is_empty(), "javac refuses {refused:?}");
        let truths = classes.truths(&worlds.iter().collect::<Vec<_>>(), calls)?;
        Ok(Worlds { worlds: worlds.into_iter().zip(truths).collect(), classes })
    }

    /// Asks the engines about each world and returns the wrong verdicts. Each world is a program of its own, because
    /// other code could hide an omission of an engine.
    pub fn contradictions(&self, engines: &[Engine], timeout: Duration) -> Vec<String> {
        let mut wrong = Vec::new();
        for (world, truth) in &self.worlds {
            let folder = self.classes.folder().join(&world.root);
            let loaded = Session::open(&[folder], &LoadConfig::default()).expect("javac has made the classes");
            let exceptions = if world.traps { Exceptions::All } else { Exceptions::None };
            for &engine in engines {
                let config = CheckConfig {
                    entry: Some(world.question_entry()),
                    violations: Violations { assertions: true, exceptions: exceptions.clone() },
                    timeout: Some(timeout),
                    engine,
                    ..CheckConfig::default()
                };
                let verdict = check(loaded.program(), &config).expect("the question has a meaning").verdict;
                if let Some(how) = contradiction(verdict, truth) {
                    wrong.push(format!("{} {engine:?}: {verdict}, but {how}", world.root));
                }
            }
        }
        wrong
    }
}

/// How a verdict contradicts the known behaviour. A proof within bounds contradicts nothing, because a failure may
/// lie beyond the bounds.
fn contradiction(verdict: Verdict, truth: &Truth) -> Option<String> {
    match (verdict, truth) {
        (_, Truth::Contradicts(how)) => Some(format!("the generator is wrong, since this fails: {how}")),
        (Verdict::Holds, Truth::Fails(how)) => Some(format!("it fails: {how}")),
        (Verdict::Violated, Truth::Passes) => Some("nothing fails".into()),
        _ => None,
    }
}
