//! Compares two runs.

use crate::results::{Results, TaskRecord};
use crate::table::median;
use std::collections::HashMap;
use std::fmt;

/// A task whose status has changed.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The record of the earlier run.
    pub before: TaskRecord,
    /// The record of the later run.
    pub after: TaskRecord,
}

/// The comparison of a run with an earlier one. Tasks are the same if their names and properties are the same.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
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
    /// Compares two runs.
    pub fn new(before: &Results, after: &Results) -> Comparison {
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
        writeln!(f, "Against the baseline, over the tasks of both: score {} -> {}", self.scores.0, self.scores.1)?;
        for Change { before, after } in &self.changes {
            let reason = if after.reason.is_empty() { String::new() } else { format!(" ({})", after.reason) };
            writeln!(f, "  {}: {} -> {}{reason}", after.label(), before.status, after.status)?;
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
