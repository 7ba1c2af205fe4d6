//! Defines unit tests of behaviours, and what trying them shows; with what all languages do alike.

use crate::run::Ended;
use crate::{Limits, Prediction, Unreproducible};
use aback_ir::{MethodId, Program};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

/// The first line of each file.
pub(crate) const HEAD: &str = "Written by aback explore --tests: regenerate it instead of changing it.";
/// Most statements of a test.
pub(crate) const STATEMENTS: usize = 400;
/// Most assertions of a test.
pub(crate) const ASSERTIONS: usize = 100;
/// Longest array that is compared as a whole, in elements.
pub(crate) const WHOLE: usize = 100;

/// A unit test of one behaviour of an entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnitTest {
    /// The name of its method.
    pub name: String,
    /// Whether it shows a false assertion, so that it fails until the defect is fixed. Other tests pass.
    pub shows_violation: bool,
    /// The method.
    pub(crate) text: String,
    /// The methods that it calls.
    pub(crate) helpers: Vec<&'static str>,
    pub(crate) prediction: Prediction,
}

/// The sources of tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suite {
    /// The files, with their paths in a folder of tests.
    pub files: Vec<(String, String)>,
    /// The framework that they are for: `JUnit 5`.
    pub framework: String,
}

/// What a run of tests shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trial {
    /// For each test, the way in which it behaves otherwise than predicted, if it does.
    pub differences: Vec<Option<String>>,
    /// The runtime: `openjdk 17.0.15`.
    pub runtime: String,
    /// What users should know about the run.
    pub notes: Vec<String>,
}

/// A language in which behaviours can be written as unit tests.
pub trait TestPlatform {
    /// Writes a test of a behaviour. `number` is that of the behaviour, from 1.
    ///
    /// # Errors
    /// No test can show the behaviour.
    fn test(&self, of: (&Program, MethodId), prediction: Prediction, number: usize)
    -> Result<UnitTest, Unreproducible>;

    /// Writes the sources of tests, for this folder. Those that show violations are in a file of their own.
    fn suite(&self, of: (&Program, MethodId), tests: &[UnitTest], folder: &Path) -> Suite;

    /// Compiles tests and runs each twice, in this order and in the opposite order.
    ///
    /// # Errors
    /// The reason why they cannot be compiled or run.
    fn try_tests(&self, of: (&Program, MethodId), tests: &[UnitTest], limits: &Limits) -> Result<Trial, String>;
}

/// Checks that a test can show what a run does.
///
/// # Errors
/// The outcome does not depend on the inputs alone.
pub(crate) fn is_controlled(prediction: &Prediction) -> Result<(), Unreproducible> {
    match prediction.uncontrolled.is_empty() {
        true => Ok(()),
        false => {
            let others = prediction.uncontrolled.join(", ");
            Err(Unreproducible::Entry(format!("the outcome may depend on {others}")))
        }
    }
}

/// Checks that a test is not too long.
///
/// # Errors
/// It is.
pub(crate) fn is_short(statements: usize) -> Result<(), Unreproducible> {
    match statements <= STATEMENTS {
        true => Ok(()),
        false => Err(Unreproducible::Entry(format!("the input takes more than {STATEMENTS} statements"))),
    }
}

/// A file of tests.
pub(crate) struct File {
    /// Its path in a folder of tests.
    pub(crate) path: String,
    /// The full name of its class.
    pub(crate) class: String,
    pub(crate) text: String,
    /// The lines of each test, from 1, with its index.
    pub(crate) lines: Vec<(usize, Range<u32>)>,
}

impl File {
    /// Writes tests behind what there is, each with this line before it, and the methods that they call.
    pub(crate) fn add(&mut self, tests: &[(usize, &UnitTest)], before: &str) {
        for (position, (index, test)) in tests.iter().enumerate() {
            let separator = if position == 0 { "" } else { "\n" };
            let first = line_count(&self.text) + 1;
            let _ = write!(self.text, "{separator}{before}\n{}", test.text);
            self.lines.push((*index, first..line_count(&self.text) + 1));
        }
        let helpers: BTreeSet<&str> = tests.iter().flat_map(|(_, test)| &test.helpers).copied().collect();
        for helper in helpers {
            let _ = write!(self.text, "\n{helper}");
        }
    }

    /// The test with a line.
    pub(crate) fn test_at(&self, line: u32) -> Option<usize> {
        self.lines.iter().find(|(_, lines)| lines.contains(&line)).map(|(test, _)| *test)
    }
}

fn line_count(text: &str) -> u32 {
    u32::try_from(text.lines().count()).unwrap_or(u32::MAX)
}

/// The tests that pass and those that show violations, each kind with its file, if there are any.
pub(crate) fn files(tests: &[UnitTest], file: impl Fn(Kind, &[(usize, &UnitTest)]) -> File) -> Vec<File> {
    let part = |kind: Kind| -> Vec<(usize, &UnitTest)> {
        let is_one = |test: &UnitTest| test.shows_violation == (kind == Kind::Violation);
        tests.iter().enumerate().filter(|(_, test)| is_one(test)).collect()
    };
    let parts = [Kind::Passing, Kind::Violation].map(|kind| (kind, part(kind)));
    parts.iter().filter(|(_, tests)| !tests.is_empty()).map(|(kind, tests)| file(*kind, tests)).collect()
}

/// What the tests of a file show.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Passing,
    Violation,
}

impl Kind {
    /// The end of the name of the class.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Kind::Passing => "Test",
            Kind::Violation => "ViolationTest",
        }
    }

    /// What the tests of an entry point are, in words.
    pub(crate) fn describe(self, entry: &str) -> String {
        match self {
            Kind::Passing => format!("What {entry} does: each test passes as long as it does the same"),
            Kind::Violation => format!("Assertions that {entry} breaks: each test fails until the defect is fixed"),
        }
    }
}

/// The name with its first letter in upper case, and without underscores at its ends.
pub(crate) fn capitalized(text: &str) -> String {
    let mut chars = text.trim_matches('_').chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Tries tests until all that are left behave as predicted. Each attempt finds what at least one of them does otherwise, by
/// their indices, and the next one goes on without it. Returns the differences.
///
/// # Errors
/// The tests cannot be compiled or run.
pub(crate) fn attempts(
    tests: &[UnitTest],
    mut attempt: impl FnMut(usize, &[UnitTest]) -> Result<Vec<(usize, String)>, String>,
) -> Result<Vec<Option<String>>, String> {
    let mut differences: Vec<Option<String>> = vec![None; tests.len()];
    for number in 0..=tests.len() {
        let left: Vec<usize> = (0..tests.len()).filter(|&test| differences[test].is_none()).collect();
        if left.is_empty() {
            break;
        }
        let chosen: Vec<UnitTest> = left.iter().map(|&test| tests[test].clone()).collect();
        let found = attempt(number, &chosen)?;
        if found.is_empty() {
            break;
        }
        for (test, difference) in found {
            differences[left[test]].get_or_insert(difference);
        }
    }
    Ok(differences)
}

/// The errors of a compiler by the tests in which they are. `errors` are places in the files, if they are known, and messages.
///
/// # Errors
/// An error is in no test.
pub(crate) fn uncompiled(
    files: &[File],
    errors: impl Iterator<Item = (Option<(usize, u32)>, String)>,
) -> Result<Vec<(usize, String)>, String> {
    let found = errors.map(|(place, message)| {
        let test = place.and_then(|(file, line)| files.get(file)?.test_at(line));
        let test = test.ok_or_else(|| format!("the tests do not compile: {message}"))?;
        Ok((test, format!("the test does not compile: {message}")))
    });
    found.collect()
}

/// The report of a driver that has run each test twice, in their order and in the opposite one. Each run begins with `test` and
/// its position, and `done` ends it.
pub(crate) struct RunReport<'a> {
    pub(crate) text: &'a str,
    /// The tests in the order of the first runs, by their indices.
    pub(crate) order: &'a [usize],
    /// `None` if the process had to be stopped.
    pub(crate) ended: Option<Ended>,
    /// How users call the process: `JVM`.
    pub(crate) process: &'static str,
}

impl RunReport<'_> {
    /// The tests that behave otherwise than predicted, by their indices. `difference` says how a run that has ended differs.
    ///
    /// # Errors
    /// Not all tests have been run.
    pub(crate) fn differences(
        &self,
        limits: &Limits,
        difference: impl Fn(usize, &str) -> Option<String>,
    ) -> Result<Vec<(usize, String)>, String> {
        let RunReport { text, order, ended, process } = self;
        let mut found: Vec<(usize, String)> = Vec::new();
        for (position, run) in text.split("test\t").skip(1).enumerate() {
            let Some((number, lines)) = run.split_once('\n') else { continue };
            let number: Option<usize> = number.trim().parse().ok();
            let Some(&test) = number.and_then(|number| order.get(number)) else { continue };
            let difference = match lines.lines().next_back() {
                Some("done") => difference(test, lines),
                _ if ended.is_none() => Some(format!("the test did not end: {}", limits.stopped())),
                _ => Some(format!("the test ends the {process}")),
            };
            let is_again = position >= order.len() && !found.iter().any(|(known, _)| *known == test);
            let after = if is_again { format!("after other tests of the same {process}, ") } else { String::new() };
            found.extend(difference.map(|difference| (test, format!("{after}{difference}"))));
        }
        let is_incomplete = found.is_empty() && text.matches("done\n").count() < 2 * order.len();
        match ended {
            Some(ended) if is_incomplete => Err(ended.describe()),
            None if is_incomplete => Err(limits.stopped().into()),
            _ => Ok(found),
        }
    }
}
