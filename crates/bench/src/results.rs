//! What came out of each task, as it is counted and stored.

use crate::BenchError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;
use std::path::Path;

/// What a verifier may answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Verdict {
    /// Proved for all executions.
    #[serde(rename = "holds")]
    Holds,
    /// Some execution violates the property.
    #[serde(rename = "violated")]
    Violated,
    /// No violation within bounds that were hit.
    #[serde(rename = "holds within bounds")]
    HoldsWithinBounds,
    /// No answer.
    #[serde(rename = "unknown")]
    Unknown,
}

impl Verdict {
    /// The exit status that goes with the verdict.
    pub fn exit_status(self) -> i32 {
        match self {
            Verdict::Holds => 0,
            Verdict::Violated => 1,
            Verdict::HoldsWithinBounds | Verdict::Unknown => 3,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::HoldsWithinBounds => "holds within bounds",
            Verdict::Unknown => "unknown",
        })
    }
}

/// How a task went.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Status {
    /// Proved, rightly.
    #[serde(rename = "correct true")]
    CorrectTrue,
    /// Found violated, rightly.
    #[serde(rename = "correct false")]
    CorrectFalse,
    /// Proved, but there is a violation.
    #[serde(rename = "wrong true")]
    WrongTrue,
    /// Found violated, but there is no violation.
    #[serde(rename = "wrong false")]
    WrongFalse,
    /// The verifier said that it does not know, or only within bounds.
    #[serde(rename = "unknown")]
    Unknown,
    /// Killed at the time limit.
    #[serde(rename = "timeout")]
    Timeout,
    /// Ended at the memory limit.
    #[serde(rename = "out of memory")]
    OutOfMemory,
    /// Crashed, gave no valid answer, or could not be run at all.
    #[serde(rename = "error")]
    Error,
}

impl Status {
    /// How a verdict compares to what the task definition expects.
    pub fn of(expected: bool, verdict: Verdict) -> Status {
        match (verdict, expected) {
            (Verdict::Holds, true) => Status::CorrectTrue,
            (Verdict::Holds, false) => Status::WrongTrue,
            (Verdict::Violated, false) => Status::CorrectFalse,
            (Verdict::Violated, true) => Status::WrongFalse,
            (Verdict::HoldsWithinBounds | Verdict::Unknown, _) => Status::Unknown,
        }
    }

    /// Points as in SV-COMP (paper 4, table 4.1): a proof is worth twice as much as a found violation, and a wrong
    /// proof costs twice as much as a false alarm.
    pub fn score(self) -> i64 {
        match self {
            Status::CorrectTrue => 2,
            Status::CorrectFalse => 1,
            Status::WrongFalse => -16,
            Status::WrongTrue => -32,
            Status::Unknown | Status::Timeout | Status::OutOfMemory | Status::Error => 0,
        }
    }

    /// Whether the verifier gave the right answer.
    pub fn is_correct(self) -> bool {
        matches!(self, Status::CorrectTrue | Status::CorrectFalse)
    }

    /// Whether the verifier gave the wrong answer.
    pub fn is_wrong(self) -> bool {
        matches!(self, Status::WrongTrue | Status::WrongFalse)
    }

    /// Whether there is no answer, without a fault of anyone.
    pub fn is_unknown(self) -> bool {
        matches!(self, Status::Unknown | Status::Timeout | Status::OutOfMemory)
    }
}

/// As in the stored results.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::CorrectTrue => "correct true",
            Status::CorrectFalse => "correct false",
            Status::WrongTrue => "wrong true",
            Status::WrongFalse => "wrong false",
            Status::Unknown => "unknown",
            Status::Timeout => "timeout",
            Status::OutOfMemory => "out of memory",
            Status::Error => "error",
        })
    }
}

/// What came out of one task: one property of one task definition.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TaskRecord {
    /// `category/stem of the task definition`; with `property`, what identifies a task.
    pub name: String,
    /// Folder of the task definition, as short as tells the folders of one run apart.
    pub category: String,
    /// Stem of the property file; empty if the definition could not be read.
    pub property: String,
    /// The verdict that the definition names; `null` if the definition could not be read.
    pub expected: Option<bool>,
    /// What the verifier answered; `null` if it gave no valid answer.
    pub verdict: Option<Verdict>,
    /// How the two compare.
    pub status: Status,
    /// Points for it, see [`Status::score`].
    pub score: i64,
    /// Time on the clock in seconds.
    pub wall_seconds: f64,
    /// Processor time in seconds, of the verifier and those of its children that it waited for.
    pub cpu_seconds: f64,
    /// Peak resident memory in bytes.
    pub memory_bytes: u64,
    /// Why there is no answer, or no better one; what the verifier says, in its words.
    pub reason: String,
    /// Whether the verifier found a counterexample that did not replay: a defect of it, even if the answer is right.
    #[serde(default)]
    pub not_replayed: bool,
    /// Whether a concrete run of the verifier's own refuted a proof of it: a defect of it, even if the answer is right.
    #[serde(default)]
    pub refuted_proof: bool,
    /// The command line that was run; empty if nothing was.
    pub command: Vec<String>,
}

impl TaskRecord {
    /// `category/task (property)`, as people are told.
    pub fn label(&self) -> String {
        if self.property.is_empty() { self.name.clone() } else { format!("{} ({})", self.name, self.property) }
    }

    /// The command line in a form that a shell takes.
    pub fn command_line(&self) -> String {
        let words: Vec<String> = self.command.iter().map(|word| quote(word)).collect();
        words.join(" ")
    }
}

/// A word as a POSIX shell reads it back.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+=./,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A whole run: the contents of `results.json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Results {
    /// Version of this format; [`Results::VERSION`].
    pub version: u32,
    /// Time limit for each task in seconds.
    pub timeout_seconds: f64,
    /// Memory limit for each task in bytes, if there was one.
    pub memory_limit_bytes: Option<u64>,
    /// Tasks that ran at the same time.
    pub jobs: usize,
    /// Tasks that were to be run; more than there are in `tasks` if the run was interrupted.
    pub planned: usize,
    /// The tasks that came to an end, in the order in which they were named.
    pub tasks: Vec<TaskRecord>,
}

impl Results {
    /// The version that this crate reads and writes.
    pub const VERSION: u32 = 1;

    /// Reads a `results.json`. Fails if the file cannot be read, is no such file, or is of another version.
    pub fn read(path: &Path) -> Result<Results, BenchError> {
        #[derive(Deserialize)]
        struct Header {
            version: u32,
        }
        let text = fs::read_to_string(path).map_err(|source| BenchError::Read { path: path.to_owned(), source })?;
        let invalid = |source| BenchError::Results { path: path.to_owned(), source };
        // The version first: another version may well have other fields.
        let Header { version } = serde_json::from_str(&text).map_err(invalid)?;
        if version != Results::VERSION {
            return Err(BenchError::ResultsVersion { path: path.to_owned(), version });
        }
        serde_json::from_str(&text).map_err(invalid)
    }

    /// Sum of the points of all tasks.
    pub fn score(&self) -> i64 {
        self.tasks.iter().map(|task| task.score).sum()
    }

    /// The quantile function of paper 4, section 4.1: for each time limit in seconds at which another task is
    /// solved, the points that are reached by it. Points of wrong answers are counted from the start, as SV-COMP
    /// does, since a longer time limit must not excuse them.
    pub fn quantiles(&self) -> Vec<(i64, f64)> {
        let mut solved: Vec<&TaskRecord> = self.tasks.iter().filter(|task| task.status.is_correct()).collect();
        solved.sort_by(|a, b| a.wall_seconds.total_cmp(&b.wall_seconds));
        let mut score: i64 = self.tasks.iter().filter(|task| task.status.is_wrong()).map(|task| task.score).sum();
        let mut points = Vec::new();
        for task in solved {
            score += task.score;
            points.push((score, task.wall_seconds));
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(status: Status, seconds: f64) -> TaskRecord {
        TaskRecord {
            name: "a/T".into(),
            category: "a".into(),
            property: "assert".into(),
            expected: Some(true),
            verdict: None,
            status,
            score: status.score(),
            wall_seconds: seconds,
            cpu_seconds: seconds,
            memory_bytes: 0,
            reason: String::new(),
            not_replayed: false,
            refuted_proof: false,
            command: vec![],
        }
    }

    fn results(tasks: Vec<TaskRecord>) -> Results {
        Results {
            version: Results::VERSION,
            timeout_seconds: 10.0,
            memory_limit_bytes: None,
            jobs: 1,
            planned: tasks.len(),
            tasks,
        }
    }

    #[test]
    fn paper_4_table_4_1_scores() {
        let table = [
            (Verdict::Holds, 2, -32),
            (Verdict::Violated, -16, 1),
            (Verdict::HoldsWithinBounds, 0, 0),
            (Verdict::Unknown, 0, 0),
        ];
        for (verdict, if_true, if_false) in table {
            assert_eq!(Status::of(true, verdict).score(), if_true, "{verdict}, expected true");
            assert_eq!(Status::of(false, verdict).score(), if_false, "{verdict}, expected false");
        }
        for status in [Status::Unknown, Status::Timeout, Status::OutOfMemory, Status::Error] {
            assert_eq!(status.score(), 0);
        }
    }

    #[test]
    fn paper_4_table_4_2_quantiles() {
        let tasks = [(Status::CorrectFalse, 5.0), (Status::CorrectTrue, 10.0), (Status::CorrectFalse, 20.0)];
        let mut tasks: Vec<_> = tasks.iter().map(|&(status, seconds)| record(status, seconds)).collect();
        tasks.insert(0, record(Status::CorrectTrue, 40.0));
        tasks.push(record(Status::Timeout, 1.0));
        assert_eq!(results(tasks.clone()).quantiles(), [(1, 5.0), (3, 10.0), (4, 20.0), (6, 40.0)]);

        tasks.push(record(Status::WrongFalse, 1.0));
        assert_eq!(results(tasks).quantiles(), [(-15, 5.0), (-13, 10.0), (-12, 20.0), (-10, 40.0)]);
    }

    #[test]
    fn stored_results_are_read_back_and_other_files_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        let written =
            results(vec![TaskRecord { verdict: Some(Verdict::HoldsWithinBounds), ..record(Status::Unknown, 1.5) }]);
        fs::write(&path, serde_json::to_string(&written).unwrap()).unwrap();
        assert_eq!(Results::read(&path).unwrap(), written);

        fs::write(&path, "{\"version\": 2}").unwrap();
        assert!(matches!(Results::read(&path), Err(BenchError::ResultsVersion { version: 2, .. })));
        fs::write(&path, "[]").unwrap();
        assert!(matches!(Results::read(&path), Err(BenchError::Results { .. })));
    }

    #[test]
    fn command_lines_are_quoted_where_needed() {
        let mut record = record(Status::Unknown, 0.0);
        record.command = ["a/b.oox", "it's here", "", "--x=1", "$HOME"].map(Into::into).to_vec();
        assert_eq!(record.command_line(), r"a/b.oox 'it'\''s here' '' --x=1 '$HOME'");
    }
}
