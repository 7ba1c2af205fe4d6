//! The results of tasks, as they are counted and stored.

use crate::BenchError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

/// The verdict of a verifier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Verdict {
    /// The property was proved for all executions.
    #[serde(rename = "holds")]
    Holds,
    /// Some execution violates the property.
    #[serde(rename = "violated")]
    Violated,
    /// There is no violation within bounds, and the bounds were reached.
    #[serde(rename = "holds within bounds")]
    HoldsWithinBounds,
    /// The verifier does not know.
    #[serde(rename = "unknown")]
    Unknown,
}

impl Verdict {
    /// The exit status of a verifier with this verdict.
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

/// The result of a task.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Status {
    /// The verifier proved the property, and it holds.
    #[serde(rename = "correct true")]
    CorrectTrue,
    /// The verifier found a violation, and there is one.
    #[serde(rename = "correct false")]
    CorrectFalse,
    /// The verifier proved the property, but there is a violation.
    #[serde(rename = "wrong true")]
    WrongTrue,
    /// The verifier found a violation, but the property holds.
    #[serde(rename = "wrong false")]
    WrongFalse,
    /// The verifier does not know, or only within bounds.
    #[serde(rename = "unknown")]
    Unknown,
    /// The verifier was killed at the time limit.
    #[serde(rename = "timeout")]
    Timeout,
    /// The verifier ended at the memory limit.
    #[serde(rename = "out of memory")]
    OutOfMemory,
    /// The verifier crashed, gave no valid answer, or could not be run.
    #[serde(rename = "error")]
    Error,
}

impl Status {
    /// Compares a verdict with what the task definition expects.
    pub fn of(expected: bool, verdict: Verdict) -> Status {
        match (verdict, expected) {
            (Verdict::Holds, true) => Status::CorrectTrue,
            (Verdict::Holds, false) => Status::WrongTrue,
            (Verdict::Violated, false) => Status::CorrectFalse,
            (Verdict::Violated, true) => Status::WrongFalse,
            (Verdict::HoldsWithinBounds | Verdict::Unknown, _) => Status::Unknown,
        }
    }

    /// Points as in SV-COMP (paper 4, table 4.1). A proof is worth twice as much as a found violation, and a wrong
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

    /// Whether there is no answer, and this is nobody's mistake.
    pub fn is_unknown(self) -> bool {
        matches!(self, Status::Unknown | Status::Timeout | Status::OutOfMemory)
    }

    /// How bad the result is, from 0 for correct ones to wrong proofs, in the order in which a user wants to hear of
    /// them.
    fn badness(self) -> u8 {
        match self {
            Status::CorrectTrue | Status::CorrectFalse => 0,
            Status::Unknown | Status::Timeout | Status::OutOfMemory => 1,
            Status::Error => 2,
            Status::WrongFalse => 3,
            Status::WrongTrue => 4,
        }
    }

    /// The index of the worst result: wrong, then error, then unknown, then correct. Of equally bad ones, the first.
    pub(crate) fn worst(statuses: impl IntoIterator<Item = Status>) -> Option<usize> {
        let ranked = statuses.into_iter().map(Status::badness).enumerate();
        ranked.min_by_key(|&(_, badness)| std::cmp::Reverse(badness)).map(|(index, _)| index)
    }
}

/// The same text as in the stored results.
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

/// One of several runs of the same task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measurement {
    /// The verdict of the verifier; `null` if it gave no valid answer.
    pub verdict: Option<Verdict>,
    /// The comparison with the expected verdict.
    pub status: Status,
    /// The reason for an answer that is missing or not definite.
    pub reason: String,
    /// Wall time in seconds.
    pub wall_seconds: f64,
    /// Processor time in seconds.
    pub cpu_seconds: f64,
    /// Peak resident memory in bytes.
    pub memory_bytes: u64,
}

/// The result of one task: one property of one task definition. If it ran several times, the answer is the worst one
/// (wrong, then error, then unknown, then correct).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TaskRecord {
    /// `category/stem of the task definition`; together with `property`, this identifies a task.
    pub name: String,
    /// Folder of the task definition, with as few components as distinguish the folders of a run.
    pub category: String,
    /// Stem of the property file; empty if the definition could not be read.
    pub property: String,
    /// The verdict that the definition expects; `null` if the definition could not be read.
    pub expected: Option<bool>,
    /// The verdict of the verifier; `null` if it gave no valid answer.
    pub verdict: Option<Verdict>,
    /// The comparison of the two verdicts.
    pub status: Status,
    /// Points for the status, see [`Status::score`].
    pub score: i64,
    /// Wall time in seconds, the median of all runs.
    pub wall_seconds: f64,
    /// Processor time in seconds, of the verifier and those of its children for which it waited; the median of all
    /// runs.
    pub cpu_seconds: f64,
    /// Peak resident memory in bytes, the greatest of all runs.
    pub memory_bytes: u64,
    /// The reason for an answer that is missing or not definite, in the verifier's words if it gave one.
    pub reason: String,
    /// Whether the verifier found a counterexample that did not replay. This is a defect of the verifier, even if the
    /// answer is right.
    #[serde(default)]
    pub not_replayed: bool,
    /// Whether the verifier's own concrete run refuted its proof. This is a defect of the verifier, even if the
    /// answer is right.
    #[serde(default)]
    pub refuted_proof: bool,
    /// The command line; empty if nothing was run.
    pub command: Vec<String>,
    /// The single runs in their order, if there were several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<Measurement>,
}

impl TaskRecord {
    /// Whether runs of this task had different answers.
    pub fn is_unstable(&self) -> bool {
        self.runs.windows(2).any(|runs| (runs[0].verdict, runs[0].status) != (runs[1].verdict, runs[1].status))
    }

    /// `category/task (property)`, for messages.
    pub fn label(&self) -> String {
        if self.property.is_empty() { self.name.clone() } else { format!("{} ({})", self.name, self.property) }
    }

    /// The command line, quoted for a shell.
    pub fn command_line(&self) -> String {
        command_line(&self.command)
    }
}

/// Words, quoted for a shell.
pub(crate) fn command_line(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quote(word)).collect();
    words.join(" ")
}

/// A word, quoted for a POSIX shell.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+=./,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The results of a whole run: the contents of `results.json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Results {
    /// The version of this format, [`Results::VERSION`].
    pub version: u32,
    /// The name of the external verifier, if it was one ([`crate::Tool`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Time limit for each task in seconds.
    pub timeout_seconds: f64,
    /// Memory limit for each task in bytes, if there was one.
    pub memory_limit_bytes: Option<u64>,
    /// The number of tasks that ran at the same time.
    pub jobs: usize,
    /// The number of runs of each task.
    #[serde(default = "once")]
    pub repeat: NonZeroUsize,
    /// The number of tasks to run, which exceeds the number of `tasks` if the run was interrupted.
    pub planned: usize,
    /// The finished tasks, in the order in which they were named.
    pub tasks: Vec<TaskRecord>,
}

/// The number of runs in results of versions that ran each task once.
fn once() -> NonZeroUsize {
    NonZeroUsize::MIN
}

/// The sum of the points of tasks. Saturates, because the points in a file can be any numbers.
pub(crate) fn points<'a>(tasks: impl IntoIterator<Item = &'a TaskRecord>) -> i64 {
    tasks.into_iter().fold(0, |sum: i64, task| sum.saturating_add(task.score))
}

impl Results {
    /// The version of the format that this crate reads and writes.
    pub const VERSION: u32 = 1;

    /// Reads a `results.json`.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not a `results.json`, or has another version.
    pub fn read(path: &Path) -> Result<Results, BenchError> {
        #[derive(Deserialize)]
        struct Header {
            version: u32,
        }
        let text = fs::read_to_string(path).map_err(|source| BenchError::Read { path: path.to_owned(), source })?;
        let invalid = |source| BenchError::Results { path: path.to_owned(), source };
        // Read the version first, because other versions may have other fields.
        let Header { version } = serde_json::from_str(&text).map_err(invalid)?;
        if version != Results::VERSION {
            return Err(BenchError::ResultsVersion { path: path.to_owned(), version });
        }
        serde_json::from_str(&text).map_err(invalid)
    }

    /// The sum of the points of all tasks.
    pub fn score(&self) -> i64 {
        points(&self.tasks)
    }

    /// The sum of the points of all wrong answers, which is 0 or negative.
    pub fn penalty(&self) -> i64 {
        points(self.tasks.iter().filter(|task| task.status.is_wrong()))
    }

    /// The quantile function of paper 4, section 4.1: for each time limit in seconds at which another task is solved,
    /// the points that are reached by then. The points of wrong answers are counted from the start, as in SV-COMP,
    /// since a longer time limit must not excuse them.
    pub fn quantiles(&self) -> Vec<(i64, f64)> {
        let mut solved: Vec<&TaskRecord> = self.tasks.iter().filter(|task| task.status.is_correct()).collect();
        solved.sort_by(|a, b| a.wall_seconds.total_cmp(&b.wall_seconds));
        let mut score = self.penalty();
        let mut points = Vec::new();
        for task in solved {
            score = score.saturating_add(task.score);
            points.push((score, task.wall_seconds));
        }
        points
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn record(status: Status, seconds: f64) -> TaskRecord {
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
            runs: vec![],
        }
    }

    pub(crate) fn results(tasks: Vec<TaskRecord>) -> Results {
        Results {
            version: Results::VERSION,
            tool: None,
            timeout_seconds: 10.0,
            memory_limit_bytes: None,
            jobs: 1,
            repeat: once(),
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
    fn results_of_earlier_versions_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        let written = results(vec![record(Status::CorrectTrue, 1.5)]);
        let mut json = serde_json::to_value(&written).unwrap();
        json.as_object_mut().unwrap().remove("repeat");
        assert_eq!(json["tasks"][0].get("runs"), None);
        fs::write(&path, json.to_string()).unwrap();
        assert_eq!(Results::read(&path).unwrap(), written);
    }

    #[test]
    fn points_in_a_file_may_be_any_numbers() {
        let extreme = TaskRecord { score: i64::MAX, ..record(Status::CorrectTrue, 1.0) };
        assert_eq!(results(vec![extreme.clone(), extreme.clone()]).score(), i64::MAX);
        assert_eq!(results(vec![extreme.clone(), extreme]).quantiles()[1], (i64::MAX, 1.0));
    }

    #[test]
    fn the_worst_of_several_answers() {
        use Status::*;
        assert_eq!(Status::worst([CorrectTrue, Timeout, Unknown]), Some(1));
        assert_eq!(Status::worst([OutOfMemory, Error, CorrectTrue]), Some(1));
        assert_eq!(Status::worst([Error, CorrectFalse, WrongTrue]), Some(2));
        assert_eq!(Status::worst([WrongFalse, WrongTrue]), Some(1));
        assert_eq!(Status::worst([]), None);
    }

    #[test]
    fn command_lines_are_quoted_where_needed() {
        let mut record = record(Status::Unknown, 0.0);
        record.command = ["a/b.oox", "it's here", "", "--x=1", "$HOME"].map(Into::into).to_vec();
        assert_eq!(record.command_line(), r"a/b.oox 'it'\''s here' '' --x=1 '$HOME'");
    }
}
