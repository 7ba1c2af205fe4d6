//! Prints the summary of a run.

use crate::Failure;
use crate::results::{TaskRecord, points};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// Greatest number of reasons of unknown answers that are listed.
const LISTED_REASONS: usize = 20;

/// Number of lines of each output that are shown for an error.
const TAIL_LINES: usize = 20;

/// The median; the mean of the two middle values if their number is even; 0 if there are no values.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}

/// One line of totals for each category, then for each property if there are several, and for all tasks.
pub(crate) fn totals(records: &[&TaskRecord]) -> String {
    let mut categories: BTreeMap<&str, Vec<&TaskRecord>> = BTreeMap::new();
    let mut properties: BTreeMap<&str, Vec<&TaskRecord>> = BTreeMap::new();
    for record in records {
        categories.entry(&record.category).or_default().push(record);
        properties.entry(&record.property).or_default().push(record);
    }
    let header = [
        "category",
        "tasks",
        "true",
        "false",
        "wrong",
        "unknown",
        "error",
        "score",
        "of",
        "cpu total",
        "median",
        "memory",
        "slowest",
    ];
    let mut rows: Vec<Vec<String>> = vec![header.map(str::to_owned).to_vec()];
    for (category, records) in &categories {
        rows.push(row(category, records));
    }
    if properties.len() > 1 {
        for (property, records) in &properties {
            let name = if property.is_empty() { "(unreadable)".into() } else { format!("({property})") };
            rows.push(row(&name, records));
        }
    }
    if categories.len() > 1 || properties.len() > 1 {
        rows.push(row("all", records));
    }
    align(&rows)
}

fn row(name: &str, records: &[&TaskRecord]) -> Vec<String> {
    use crate::Status::*;
    let count = |holds: &dyn Fn(&TaskRecord) -> bool| records.iter().filter(|record| holds(record)).count().to_string();
    let times: Vec<f64> = records.iter().map(|record| record.cpu_seconds).collect();
    let slowest = records.iter().max_by(|a, b| a.cpu_seconds.total_cmp(&b.cpu_seconds));
    let best: i64 =
        records.iter().filter_map(|record| record.expected).map(|expected| if expected { 2 } else { 1 }).sum();
    vec![
        name.to_owned(),
        records.len().to_string(),
        count(&|record| record.status == CorrectTrue),
        count(&|record| record.status == CorrectFalse),
        count(&|record| record.status.is_wrong()),
        count(&|record| record.status.is_unknown()),
        count(&|record| record.status == Error),
        points(records.iter().copied()).to_string(),
        best.to_string(),
        seconds(times.iter().sum()),
        seconds(median(&times)),
        megabytes(records.iter().map(|record| record.memory_bytes).max().unwrap_or(0)),
        slowest.map_or_else(String::new, |record| format!("{} {}", seconds(record.cpu_seconds), record.label())),
    ]
}

pub(crate) fn seconds(seconds: f64) -> String {
    format!("{seconds:.2} s")
}

/// The peak of the memory, in units of a million bytes.
pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes / 1_000_000)
}

/// Aligns columns: the first and the last column to the left, the others to the right.
pub(crate) fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, &width))| {
                if column == 0 || column + 1 == columns { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            })
            .collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}

/// The reasons of unknown answers with their counts, the most frequent first.
pub(crate) fn reasons(records: &[&TaskRecord]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for record in records.iter().filter(|record| record.status.is_unknown()) {
        let what = record.verdict.map_or_else(|| record.status.to_string(), |verdict| verdict.to_string());
        let reason = record.reason.lines().next().unwrap_or("");
        let reason = if reason.is_empty() { what } else { format!("{what}: {reason}") };
        *counts.entry(reason).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let mut out = String::new();
    for (reason, count) in counts.iter().take(LISTED_REASONS) {
        let _ = writeln!(out, "{count:>5}  {reason}");
    }
    if counts.len() > LISTED_REASONS {
        let others: usize = counts.iter().skip(LISTED_REASONS).map(|&(_, count)| count).sum();
        let _ = writeln!(out, "{others:>5}  for {} other reasons", counts.len() - LISTED_REASONS);
    }
    out
}

/// A line for each task whose runs had different answers, with the number of each.
pub(crate) fn unstable(records: &[&TaskRecord]) -> String {
    let mut out = String::new();
    for record in records.iter().filter(|record| record.is_unstable()) {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for run in &record.runs {
            let verdict = run.verdict.filter(|_| run.status.is_unknown());
            let answer = verdict.map_or_else(|| run.status.to_string(), |verdict| verdict.to_string());
            *counts.entry(answer).or_default() += 1;
        }
        let answers: Vec<String> = counts.iter().map(|(answer, count)| format!("{count} x {answer}")).collect();
        let _ = writeln!(out, "UNSTABLE {}: {}", record.label(), answers.join(", "));
    }
    out
}

/// Prints a wrong verdict with everything that is needed to reproduce it.
pub(crate) fn wrong(out: &mut impl fmt::Write, run: &Failure) -> fmt::Result {
    let record = &run.record;
    let expected = if record.expected == Some(true) { "holds" } else { "violated" };
    let verdict = record.verdict.map_or_else(String::new, |verdict| verdict.to_string());
    writeln!(out, "WRONG {}: expected `{expected}`, got `{verdict}`, {} points", record.label(), record.score)?;
    if !record.reason.is_empty() {
        indented(out, "reason", &record.reason)?;
    }
    indented(out, "command", &record.command_line())?;
    indented(out, "standard output", &run.stdout)?;
    indented(out, "standard error", &run.stderr)
}

/// Prints an error and the last lines of the verifier's output.
pub(crate) fn error(out: &mut impl fmt::Write, run: &Failure) -> fmt::Result {
    let record = &run.record;
    writeln!(out, "ERROR {}: {}", record.label(), record.reason)?;
    indented(out, "command", &record.command_line())?;
    indented(out, "standard output", &tail(&run.stdout))?;
    indented(out, "standard error", &tail(&run.stderr))
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}

/// Prints a text with a title, if there is any text, on one line if it fits.
fn indented(out: &mut impl fmt::Write, title: &str, text: &str) -> fmt::Result {
    let text = text.trim_end();
    match text.lines().count() {
        0 => Ok(()),
        1 => writeln!(out, "  {title}: {text}"),
        _ => {
            writeln!(out, "  {title}:")?;
            text.lines().try_for_each(|line| writeln!(out, "    {line}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[]), 0.0);
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
    }
}
