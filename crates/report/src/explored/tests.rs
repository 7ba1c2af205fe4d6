//! Presents the unit tests that were written for behaviours.

use super::counted;
use crate::answer::{Detail, painted};
use aback_core::Tests;
use serde::Serialize;
use std::fmt::Write;

/// The tests as text: how many there are, what they reach, and which behaviours have none.
pub fn render_tests(tests: &Tests, detail: Detail) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_tests(&mut out, tests, detail);
    out
}

fn write_tests(out: &mut String, tests: &Tests, detail: Detail) -> std::fmt::Result {
    let failing = tests.kept.iter().filter(|test| test.shows_violation).count();
    let head =
        format!("{} of {} behaviours", counted(tests.kept.len(), "test"), tests.kept.len() + tests.left_out.len());
    write!(out, "{}", painted(&head, "1", detail.color))?;
    if !tests.kept.is_empty() {
        write!(out, " for {}, run on {}", tests.framework, tests.runtime)?;
    }
    writeln!(out)?;
    if failing > 0 {
        let (fail, show) = if failing == 1 { ("fails", "shows") } else { ("fail", "show") };
        writeln!(out, "  {failing} of them {fail} until a defect is fixed, and {show} it")?;
    }
    for (path, _) in &tests.files {
        writeln!(out, "  wrote {path}")?;
    }
    let covered = &tests.coverage;
    writeln!(
        out,
        "  of the lines with code, they reach {} of {}, and of the branches {} of {}",
        covered.lines, covered.all_lines, covered.branches, covered.all_branches,
    )?;
    for (behaviour, reason) in &tests.left_out {
        writeln!(out, "  no test of behaviour {}: {reason}", behaviour + 1)?;
    }
    for note in &tests.notes {
        writeln!(out, "  {note}")?;
    }
    Ok(())
}

/// The tests that were written, in the object that `aback explore --json` prints.
#[derive(Serialize, Debug)]
pub struct TestsDocument {
    /// The framework: `JUnit 5`.
    pub framework: String,
    /// The runtime on which they were tried.
    pub runtime: String,
    /// The files, within the folder of tests.
    pub files: Vec<String>,
    /// The tests.
    pub kept: Vec<TestDocument>,
    /// The behaviours without a test.
    pub left_out: Vec<LeftOutDocument>,
    /// What users should know about the runs.
    pub notes: Vec<String>,
    /// The lines that the tests reach, and all lines with code that the entry point can reach.
    pub lines: (usize, usize),
    /// The same for branches.
    pub branches: (usize, usize),
}

/// A test.
#[derive(Serialize, Debug)]
pub struct TestDocument {
    /// The number of its behaviour, from 1.
    pub behaviour: usize,
    /// The name of its method.
    pub name: String,
    /// Whether it fails until a defect is fixed.
    pub shows_violation: bool,
}

/// A behaviour without a test.
#[derive(Serialize, Debug)]
pub struct LeftOutDocument {
    /// Its number, from 1.
    pub behaviour: usize,
    /// Why there is no test.
    pub reason: String,
}

impl TestsDocument {
    /// The document for these tests.
    pub fn new(tests: &Tests) -> Self {
        let kept = tests.kept.iter().map(|test| TestDocument {
            behaviour: test.behaviour + 1,
            name: test.name.clone(),
            shows_violation: test.shows_violation,
        });
        let left_out = tests.left_out.iter();
        let left_out =
            left_out.map(|(behaviour, reason)| LeftOutDocument { behaviour: behaviour + 1, reason: reason.clone() });
        TestsDocument {
            framework: tests.framework.clone(),
            runtime: tests.runtime.clone(),
            files: tests.files.iter().map(|(path, _)| path.clone()).collect(),
            kept: kept.collect(),
            left_out: left_out.collect(),
            notes: tests.notes.clone(),
            lines: (tests.coverage.lines, tests.coverage.all_lines),
            branches: (tests.coverage.branches, tests.coverage.all_branches),
        }
    }
}
