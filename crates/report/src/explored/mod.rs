//! Lists the behaviours of an entry point, for users and for tools.

mod html;
mod tests;

pub use html::render_explored_html;
pub use tests::{LeftOutDocument, TestDocument, TestsDocument, render_tests};

use crate::answer::{Detail, painted};
use crate::json::{NamedInput, PlaceDocument};
use aback_core::{Behaviour, End, Explored, Tests};
use aback_ir::Program;
use serde::Serialize;
use std::fmt::Write;

/// Version of the format of [`ExploredDocument`]. It increases when a field changes its meaning or is removed.
pub const EXPLORED_VERSION: u32 = 1;

/// The behaviours as text. `detail.verbose` adds the conditions of the paths.
pub fn render_explored(explored: &Explored, detail: Detail) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_explored(&mut out, explored, detail);
    out
}

fn write_explored(out: &mut String, explored: &Explored, detail: Detail) -> std::fmt::Result {
    let program = &explored.program;
    for (number, behaviour) in (1..).zip(&explored.behaviours) {
        let text = headline(program, behaviour);
        let code = if matches!(behaviour.end, End::Returned(_)) { "1" } else { "1;31" };
        writeln!(out, "{}", painted(&format!("{number}. {text}"), code, detail.color))?;
        for (name, value) in &behaviour.inputs {
            writeln!(out, "     {name} = {value}")?;
        }
        if !behaviour.made_by.is_empty() {
            writeln!(out, "     made by {}", behaviour.made_by.join("; "))?;
        }
        if !behaviour.models.is_empty() {
            writeln!(out, "     depends on models: {}", behaviour.models.join(", "))?;
        }
        for (name, value) in &behaviour.after {
            writeln!(out, "     afterwards {name} = {value}")?;
        }
        for condition in behaviour.condition.iter().filter(|_| detail.verbose) {
            writeln!(out, "     if {condition}")?;
        }
    }
    write_summary(out, explored)
}

/// How many behaviours there are, and whether these are all.
fn write_summary(out: &mut String, explored: &Explored) -> std::fmt::Result {
    let count = |is_it: fn(&End) -> bool| explored.behaviours.iter().filter(|found| is_it(&found.end)).count();
    let total = explored.behaviours.len();
    write!(
        out,
        "{} of {}: {} returned, {} threw an exception, {} broke an assertion",
        counted(total, "behaviour"),
        explored.program.distinct_name(explored.entry),
        count(|end| matches!(end, End::Returned(_))),
        count(|end| matches!(end, End::Uncaught { .. })),
        count(|end| matches!(end, End::AssertionFailed(_))),
    )?;
    writeln!(out, " ({} s)", format_args!("{:.1}", explored.time.as_secs_f64()))?;
    if let Some(counts) = &explored.counts {
        let (traces, alarms) = (counted(counts.traces as usize, "trace"), counted(counts.alarms as usize, "alarm"));
        writeln!(
            out,
            "  {traces}, {} with an invalid input; {alarms}, {} with an invalid input",
            counts.invalid, counts.false_alarms
        )?;
    }
    if explored.without_inputs > 0 {
        let paths = counted(explored.without_inputs as usize, "path");
        writeln!(out, "  {paths} for which no input was found that satisfies the invariants")?;
    }
    match explored.reason() {
        reason if reason.is_empty() => writeln!(out, "  these are all"),
        reason => writeln!(out, "  there may be others: {reason}"),
    }
}

/// A number of things, in the singular for one: `1 path`, `2 paths`.
pub fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// The end of a behaviour, and how many paths have it.
fn headline(program: &Program, behaviour: &Behaviour) -> String {
    let end = describe(program, &behaviour.end);
    match behaviour.paths {
        1 => end,
        paths => format!("{end} ({paths} paths, which differ within libraries)"),
    }
}

fn describe(program: &Program, end: &End) -> String {
    match end {
        End::Returned(None) => "returns".into(),
        End::Returned(Some(value)) => format!("returns {value}"),
        End::AssertionFailed(place) => format!("the assertion at {} is false", program.show_span(place.span)),
        End::Uncaught { class, message, origin } => {
            let message = message.as_ref().map_or_else(String::new, |message| format!(" ({message})"));
            format!("throws {class}{message} at {}", program.show_span(origin.span))
        }
    }
}

/// The object that `aback explore --json` prints.
#[derive(Serialize, Debug)]
pub struct ExploredDocument {
    /// [`EXPLORED_VERSION`].
    pub version: u32,
    /// The entry point: `Class.method`.
    pub entry: String,
    /// The behaviours.
    pub behaviours: Vec<BehaviourDocument>,
    /// How many paths start with valid inputs; missing if nothing says which inputs are valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<CountsDocument>,
    /// Number of paths for which no input was found that satisfies the invariants.
    pub without_inputs: u64,
    /// Why there may be other behaviours; empty if these are all.
    pub reason: String,
    /// What all inputs satisfy.
    pub assumptions: Vec<String>,
    /// Number of paths that were followed.
    pub paths: u64,
    /// The time in seconds.
    pub time: f64,
    /// The unit tests, if they were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestsDocument>,
}

/// Paths by the validity of their inputs.
#[derive(Serialize, Debug)]
pub struct CountsDocument {
    /// The paths that have come to their end.
    pub traces: u64,
    /// Those whose input is not valid.
    pub invalid: u64,
    /// Those on which an assertion is false, or which an exception leaves.
    pub alarms: u64,
    /// Those of the alarms whose input is not valid.
    pub false_alarms: u64,
}

/// The end of a path.
#[derive(Serialize, Debug)]
pub struct BehaviourDocument {
    /// `returned`, `assertion` or `exception`.
    pub end: &'static str,
    /// The result, if the entry point returned one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The class of the exception.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// The message of the exception.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Where the assertion is false, or the exception is thrown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceDocument>,
    /// Inputs that lead to the end.
    pub inputs: Vec<NamedInput>,
    /// The calls that make the inputs, in order; missing if they are not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub made_by: Vec<String>,
    /// The methods of libraries on the path that have models of the user; missing if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// The arguments that have changed, as they are at the end.
    pub after: Vec<NamedInput>,
    /// What must hold of the inputs on the path, as the solver sees it.
    pub condition: Vec<String>,
    /// Number of operations on the path.
    pub depth: u64,
    /// Number of paths with this end; they differ within libraries.
    pub paths: u64,
}

impl ExploredDocument {
    /// The document for these behaviours.
    pub fn new(explored: &Explored, tests: Option<&Tests>) -> Self {
        let program = &explored.program;
        ExploredDocument {
            version: EXPLORED_VERSION,
            entry: program.distinct_name(explored.entry),
            behaviours: explored.behaviours.iter().map(|found| BehaviourDocument::new(program, found)).collect(),
            counts: explored.counts.map(|counts| CountsDocument {
                traces: counts.traces,
                invalid: counts.invalid,
                alarms: counts.alarms,
                false_alarms: counts.false_alarms,
            }),
            without_inputs: explored.without_inputs,
            reason: explored.reason(),
            assumptions: explored.assumptions.clone(),
            paths: explored.work.paths,
            time: explored.time.as_secs_f64(),
            tests: tests.map(TestsDocument::new),
        }
    }

    /// The document on one line.
    pub fn to_text(&self) -> String {
        // Maps have strings as keys, and numbers are finite.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl BehaviourDocument {
    fn new(program: &Program, behaviour: &Behaviour) -> Self {
        let named = |all: &[(String, String)]| {
            all.iter().map(|(name, value)| NamedInput { name: name.clone(), value: value.clone() }).collect()
        };
        let at = |found: &aback_witness::Place| Some(PlaceDocument::of(program, found.span));
        let (end, result, exception, message, place) = match &behaviour.end {
            End::Returned(result) => ("returned", result.clone(), None, None, None),
            End::AssertionFailed(place) => ("assertion", None, None, None, at(place)),
            End::Uncaught { class, message, origin } => {
                ("exception", None, Some(class.clone()), message.clone(), at(origin))
            }
        };
        BehaviourDocument {
            end,
            result,
            exception,
            message,
            place,
            inputs: named(&behaviour.inputs),
            made_by: behaviour.made_by.clone(),
            models: behaviour.models.clone(),
            after: named(&behaviour.after),
            condition: behaviour.condition.clone(),
            depth: behaviour.depth,
            paths: behaviour.paths,
        }
    }
}
