//! Writes behaviours as unit tests, and keeps those that behave as predicted.

use crate::confirm::{ConfirmConfig, Subject};
use crate::coverage::{Coverage, Reached};
use crate::explore::{Behaviour, Explored};
use crate::referee::max_steps;
use aback_reproducer::{TestPlatform, UnitTest, platform};
use aback_witness::{Limits, run};
use std::path::Path;

/// The unit tests of an entry point.
#[derive(Clone, Debug)]
pub struct Tests {
    /// The sources: paths within a folder of tests, and texts.
    pub files: Vec<(String, String)>,
    /// The framework that they are for: `JUnit 5`.
    pub framework: String,
    /// The runtime on which they were tried; empty if there are none.
    pub runtime: String,
    /// The tests. Each has been run.
    pub kept: Vec<KeptTest>,
    /// The behaviours without a test, by their index in [`Explored::behaviours`], with the reasons.
    pub left_out: Vec<(usize, String)>,
    /// What users should know about the runs.
    pub notes: Vec<String>,
    /// The code that the tests reach.
    pub coverage: Coverage,
}

/// A test that behaves as predicted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeptTest {
    /// The index of its behaviour.
    pub behaviour: usize,
    /// The name of its method.
    pub name: String,
    /// Whether it shows a false assertion, so that it fails until the defect is fixed. Other tests pass.
    pub shows_violation: bool,
}

/// Writes the behaviours as tests and tries them. `subject` gives the subject of a behaviour, and
/// `folder` is that of the tests.
///
/// # Errors
/// The language has no tests, or they cannot be compiled or run.
pub(crate) fn unit_tests<'a>(
    explored: &'a Explored,
    subject: impl Fn(&'a Behaviour) -> Subject<'a>,
    folder: &Path,
    config: &ConfirmConfig,
) -> Result<Tests, String> {
    let of = (&explored.program, explored.entry);
    let mut reached = Reached::new(of.0, of.1);
    let mut found = Tests {
        files: Vec::new(),
        framework: String::new(),
        runtime: String::new(),
        kept: Vec::new(),
        left_out: Vec::new(),
        notes: Vec::new(),
        coverage: reached.coverage(),
    };
    let Some(first) = explored.behaviours.first() else { return Ok(found) };
    let Subject { language, origin, .. } = subject(first);
    let platform = platform(origin);
    let writer: Option<&dyn TestPlatform> = platform.as_deref().and_then(|platform| platform.tests());
    let writer = writer.ok_or_else(|| format!("there are no tests for {}", language.name()))?;
    let mut written: Vec<(usize, UnitTest)> = Vec::new();
    for (index, behaviour) in explored.behaviours.iter().enumerate() {
        let test =
            subject(behaviour).predict(config.interrupt).and_then(|prediction| writer.test(of, prediction, index + 1));
        match test {
            Ok(test) => written.push((index, test)),
            Err(reason) => found.left_out.push((index, reason.to_string())),
        }
    }
    let (indices, tests): (Vec<usize>, Vec<UnitTest>) = written.into_iter().unzip();
    if tests.is_empty() {
        return Ok(found);
    }
    let trial = writer.try_tests(of, &tests, &config.limits())?;
    (found.runtime, found.notes) = (trial.runtime, trial.notes);
    let mut kept = Vec::new();
    for ((behaviour, test), difference) in indices.into_iter().zip(tests).zip(trial.differences) {
        match difference {
            Some(difference) => found.left_out.push((behaviour, difference)),
            None => {
                let name = test.name.clone();
                found.kept.push(KeptTest { behaviour, name, shows_violation: test.shows_violation });
                kept.push(test);
            }
        }
    }
    found.left_out.sort();
    let suite = writer.suite(of, &kept, folder);
    (found.files, found.framework) = (suite.files, suite.framework);
    for test in &found.kept {
        let behaviour = &explored.behaviours[test.behaviour];
        let limits = Limits { max_steps: max_steps(behaviour.depth), ..Limits::default() };
        // This run has been made before.
        let _ = run(of.0, of.0.start(of.1), &behaviour.values, limits, &mut reached);
    }
    found.coverage = reached.coverage();
    Ok(found)
}
