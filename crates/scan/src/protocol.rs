//! Defines what a scan and its workers say to each other: a line of JSON for each message.
//!
//! A worker is a process that has loaded the program. It writes an [`Opening`]. For each [`Question`] that it reads, it writes
//! what it knows [so far](Said), and the answer at last. Whatever happens to it, only the question at hand is lost.

use aback_report::{PlaceDocument, ViolationDocument};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

/// The first message of a worker.
#[derive(Clone, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Opening {
    /// The program was loaded, and has these entry points, if the worker was asked for them.
    Loaded(Vec<EntryPoint>),
    /// The program cannot be loaded, for this reason.
    Failed(String),
}

/// A method that code outside of the program can call.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct EntryPoint {
    /// `Class.method(type, …)`, as `--entry` takes it.
    pub name: String,
    /// The place of its declaration, or of its first statement.
    pub place: PlaceDocument,
    /// The simple names of the annotations or attributes of the method and its class.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub annotations: BTreeSet<String>,
    /// A hash of everything that an answer relies on.
    #[serde(default)]
    pub code: String,
    /// The same with the places of the code in the sources.
    #[serde(default)]
    pub places: String,
    /// Whether its executions may run code that has changed since the revision that the worker was given.
    #[serde(default)]
    pub is_touched: bool,
    /// The line that the question is about, from whatever entry point; the name is that of the question then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<LineQuestion>,
    /// What is asked.
    #[serde(default)]
    pub asks: Asks,
}

/// A line at which something may fail.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
pub struct LineQuestion {
    /// The file, or the end of its path.
    pub file: String,
    /// The line.
    pub line: u32,
}

impl fmt::Display for LineQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// What a question is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug, Default)]
#[serde(rename_all = "lowercase")]
pub enum Asks {
    /// Whether something can be violated.
    #[default]
    Violation,
    /// Whether the line can be reached.
    Reach,
    /// Whether a reference can be null whose object is used at the line.
    Null {
        /// The column of the use, from 1.
        column: Option<u32>,
    },
}

/// A question about one entry point.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Question {
    /// The name of the entry point.
    pub entry: String,
    /// The line that the question is about, instead of an entry point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<LineQuestion>,
    /// The time limit, in seconds.
    pub seconds: f64,
    /// Most violations to look for.
    pub violations: usize,
    /// What is asked.
    #[serde(default)]
    pub asks: Asks,
    /// If set, the violations may be at one line and differ in their paths, and for each of them there is a witness in this folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witnesses: Option<PathBuf>,
    /// If set, the user goes back from the line by hand. Without an entry point, the question is only which ones there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trail: Option<TrailQuestion>,
}

/// Lines that a user has chosen on the way back from a line.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
pub struct TrailQuestion {
    /// The numbers of the lines ([`StopDocument::node`]), the last one before the line in question first.
    pub stops: Vec<u32>,
    /// Whether an execution is looked for that goes along them. Otherwise, only the lines before them are.
    pub asks: bool,
    /// Most iterations of a loop, and nested calls of a method, that are unwound, if not as many as by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unwind: Option<u32>,
}

/// Where control comes from on the way back from a line.
#[derive(Clone, Serialize, Deserialize, Debug, Default)]
pub struct Before {
    /// The entry points from which control can come to the line, if none was chosen.
    pub entries: Vec<String>,
    /// The lines before the chosen ones.
    pub stops: Vec<StopDocument>,
}

/// A line from which control comes to the chosen ones.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct StopDocument {
    /// Its number.
    pub node: u32,
    /// Its place.
    pub place: PlaceDocument,
    /// The text of the line.
    pub text: String,
    /// Whether it is the start of the entry point.
    pub is_start: bool,
    /// The places from which control comes there. Each has a number, from 1, among the activations and iterations with this place. They tell
    /// apart stops at the same line.
    pub before: Vec<(PlaceDocument, u32)>,
    /// What must hold before the line so that an execution goes along the chosen ones.
    pub condition: String,
}

/// What a worker says about a question.
#[derive(Clone, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Said {
    /// How far the search has come.
    Explored(Explored),
    /// An answer with the paths that were found, while others are looked for.
    Found(Box<Reply>),
    /// The answer. Then the worker waits for the next question.
    Answer(Box<Reply>),
}

/// How far a search has come.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
pub struct Explored {
    /// The number of paths that ended.
    pub paths: u64,
    /// The number of operations on all paths.
    pub operations: u64,
}

/// The answer to a question.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Reply {
    /// The violations, each at another line or with another exception.
    pub violations: Vec<ViolationDocument>,
    /// What is known about all other executions: `holds`, `holds within bounds`, `unknown`, or `error` if the question
    /// has no meaning. Of a question whether a line can be reached: `unreachable`, `unreachable within bounds`.
    pub rest: String,
    /// Why this is no proof; empty if it is one.
    pub reason: String,
    /// The bounds that leave executions out.
    pub bounds: Vec<String>,
    /// The assumptions.
    pub assumptions: Vec<String>,
    /// Whether more time may lead to a better answer.
    pub is_out_of_time: bool,
    /// Whether the search ended because it had found as many violations as were asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// The witnesses of the violations, as far as they could be written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub witnesses: Vec<PathBuf>,
    /// For each of the violations with a witness, a unit test that fails as long as the program has it, if there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<Option<PathBuf>>,
    /// Where control comes from, if the user goes back by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Before>,
}
