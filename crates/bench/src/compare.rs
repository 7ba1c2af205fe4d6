//! Compares runs.

use crate::BenchError;
use crate::results::{Results, TaskRecord};
use crate::table::median;
use crate::tasks::{last_components, naming_depth};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// An earlier run to compare with.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Baseline {
    /// The name of its folder or file, with as many folders before it as distinguish the baselines.
    pub(crate) name: String,
    pub(crate) results: Results,
}

impl Baseline {
    /// Reads all baselines: the results of a run, or the folder that contains its `results.json`.
    ///
    /// # Errors
    ///
    /// See [`Results::read`].
    pub(crate) fn read_all(paths: &[PathBuf]) -> Result<Vec<Baseline>, BenchError> {
        let files: Vec<PathBuf> =
            paths.iter().map(|path| if path.is_dir() { path.join("results.json") } else { path.clone() }).collect();
        let named: Vec<PathBuf> = files.iter().map(|file| what_names(file)).collect();
        let depth = naming_depth(&named.iter().map(PathBuf::as_path).collect::<Vec<_>>());
        let read = |(file, named): (&PathBuf, &PathBuf)| {
            Ok(Baseline { name: last_components(named, depth), results: Results::read(file)? })
        };
        files.iter().zip(&named).map(read).collect()
    }
}

/// The path whose end names the results in a file: their folder if the file has the usual name, else the file.
fn what_names(file: &Path) -> PathBuf {
    // A file that does not exist is reported when it is read.
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    match file.parent() {
        Some(folder) if file.ends_with("results.json") => folder.to_owned(),
        _ => file.with_extension(""),
    }
}

/// A task whose status has changed.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The record of the earlier run.
    pub before: TaskRecord,
    /// The record of the later run.
    pub after: TaskRecord,
}

impl Change {
    /// Whether the later run has more points for the task (it is won), less (lost), or as many.
    pub fn points(&self) -> Ordering {
        self.after.score.cmp(&self.before.score)
    }
}

/// One line that says what has changed.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Change { before, after } = self;
        let reason = if after.reason.is_empty() { String::new() } else { format!(" ({})", after.reason) };
        write!(f, "{}: {} -> {}{reason}", after.label(), before.status, after.status)
    }
}

/// The comparison of a run with an earlier one. Tasks are the same if their names and properties are the same.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The name of the earlier run.
    pub name: String,
    /// Tasks whose status differs, in the order of the later run.
    pub changes: Vec<Change>,
    /// Number of tasks that only the earlier run has.
    pub only_before: usize,
    /// Number of tasks that only the later run has.
    pub only_after: usize,
    /// Points of the tasks that both runs have, in the earlier and the later run.
    pub scores: (i64, i64),
    /// Number of tasks that both runs solved correctly. The times refer to these tasks.
    pub solved_by_both: usize,
    /// Sums of processor times in seconds, in the earlier and the later run.
    pub total_seconds: (f64, f64),
    /// Medians of processor times in seconds, in the earlier and the later run.
    pub median_seconds: (f64, f64),
}

impl Comparison {
    /// Compares two runs. The earlier one is called `name`.
    pub fn new(name: &str, before: &Results, after: &Results) -> Comparison {
        let key = |task: &TaskRecord| (task.name.clone(), task.property.clone());
        let mut earlier: HashMap<_, &TaskRecord> = before.tasks.iter().map(|task| (key(task), task)).collect();
        let mut changes = Vec::new();
        let mut only_after = 0;
        let mut scores = (0_i64, 0_i64);
        let mut times = (Vec::new(), Vec::new());
        for task in &after.tasks {
            let Some(old) = earlier.remove(&key(task)) else {
                only_after += 1;
                continue;
            };
            scores.0 = old.score.saturating_add(scores.0);
            scores.1 = task.score.saturating_add(scores.1);
            if old.status != task.status {
                changes.push(Change { before: old.clone(), after: task.clone() });
            }
            if old.status.is_correct() && task.status.is_correct() {
                times.0.push(old.cpu_seconds);
                times.1.push(task.cpu_seconds);
            }
        }
        Comparison {
            name: name.to_owned(),
            changes,
            only_before: earlier.len(),
            only_after,
            scores,
            solved_by_both: times.0.len(),
            total_seconds: (times.0.iter().sum(), times.1.iter().sum()),
            median_seconds: (median(&times.0), median(&times.1)),
        }
    }
}

/// The text below the table.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = self.scores;
        writeln!(f, "Against {}, over the tasks of both: score {before} -> {after}", self.name)?;
        for (title, order) in [("won", Ordering::Greater), ("lost", Ordering::Less), ("changed", Ordering::Equal)] {
            let changes: Vec<&Change> = self.changes.iter().filter(|change| change.points() == order).collect();
            if !changes.is_empty() {
                writeln!(f, "  {title} ({}):", changes.len())?;
            }
            changes.into_iter().try_for_each(|change| writeln!(f, "    {change}"))?;
        }
        if self.changes.is_empty() {
            writeln!(f, "  no task went differently")?;
        }
        let ratio = |(before, after): (f64, f64)| {
            let ratio = if before > 0.0 { format!("{:.2} x", after / before) } else { "-".to_owned() };
            format!("{before:.2} s -> {after:.2} s, {ratio}")
        };
        if self.solved_by_both > 0 {
            writeln!(f, "  processor time of what both solved ({}):", self.solved_by_both)?;
            writeln!(f, "    total   {}", ratio(self.total_seconds))?;
            writeln!(f, "    median  {}", ratio(self.median_seconds))?;
        }
        if self.only_before > 0 || self.only_after > 0 {
            writeln!(f, "  tasks only in the baseline: {}, only now: {}", self.only_before, self.only_after)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::{record, results};
    use std::fs;

    #[test]
    fn baselines_are_named_by_what_distinguishes_them() {
        let folder = tempfile::tempdir().unwrap();
        let json = serde_json::to_string(&results(vec![record(crate::Status::Unknown, 1.0)])).unwrap();
        for file in ["a/out/results.json", "b/out/results.json", "c/fast.json"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, &json).unwrap();
        }
        let check = |paths: &[&str], expected: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(|path| folder.path().join(path)).collect();
            let names: Vec<String> = Baseline::read_all(&paths).unwrap().into_iter().map(|read| read.name).collect();
            assert_eq!(names, expected);
        };
        check(&[], &[]);
        check(&["a/out", "c/fast.json"], &["out", "fast"]);
        check(&["a/out/results.json", "b/out/"], &["a/out", "b/out"]);
        assert!(matches!(Baseline::read_all(&[folder.path().join("c")]), Err(BenchError::Read { .. })));
    }
}
