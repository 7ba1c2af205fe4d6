//! Figures that a publication states about verifiers on the same tasks, which are shown beside a run. They are not runs:
//! nothing of them is measured here.

use crate::results::{Results, Status, TaskRecord, points};
use crate::{BenchError, table};
use serde::Deserialize;
use std::fs;
use std::path::Path;

/// A table of a publication. The format of its file is JSON with these fields; what the publication does not state is left
/// out.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The publication, and the number of the table in it.
    pub source: String,
    /// Under which limits the verifiers ran, in words.
    #[serde(default)]
    pub setting: Option<String>,
    /// What readers of the figures should know, in words.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The rows of the table.
    pub figures: Vec<Figures>,
}

/// The figures of a verifier, as they are printed in the publication.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// The verifier.
    pub tool: String,
    /// The category of tasks; `None` for all tasks.
    #[serde(default)]
    pub category: Option<String>,
    /// The number of tasks.
    #[serde(default)]
    pub tasks: Option<u32>,
    /// How often the verifier proved a property that holds.
    #[serde(default)]
    pub correct_true: Option<u32>,
    /// How often it found a violation that there is.
    #[serde(default)]
    pub correct_false: Option<u32>,
    /// How often it claimed that a property holds that is violated.
    #[serde(default)]
    pub wrong_true: Option<u32>,
    /// How often it claimed a violation that there is not.
    #[serde(default)]
    pub wrong_false: Option<u32>,
    /// How often it had no answer, for any reason.
    #[serde(default)]
    pub unknown: Option<u32>,
    /// The points, in the scoring scheme of SV-COMP.
    #[serde(default)]
    pub score: Option<i64>,
    /// The total time in seconds, of the tasks of which the publication totals it.
    #[serde(default)]
    pub seconds: Option<f64>,
}

impl Published {
    /// Reads a file of published figures.
    ///
    /// # Errors
    /// The file cannot be read, or is not one, or its figures cannot be right: a verifier has more answers than there are
    /// tasks, or a negative time.
    pub fn read(path: &Path) -> Result<Published, BenchError> {
        let text = fs::read_to_string(path).map_err(|source| BenchError::Read { path: path.to_owned(), source })?;
        let bad = |message: String| BenchError::Published { path: path.to_owned(), message };
        let published: Published = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
        if published.source.trim().is_empty() {
            return Err(bad("`source` is empty; it names the publication and its table".into()));
        }
        if published.figures.is_empty() {
            return Err(bad("`figures` is empty; it has an object for each verifier".into()));
        }
        for figures in &published.figures {
            if figures.tool.trim().is_empty() {
                return Err(bad("a `tool` has no name".into()));
            }
            if figures.tasks.is_some_and(|tasks| figures.answers() > u64::from(tasks)) {
                return Err(bad(format!("{} has more answers than `tasks`", figures.tool)));
            }
            if figures.seconds.is_some_and(|seconds| seconds < 0.0) {
                return Err(bad(format!("the `seconds` of {} are negative", figures.tool)));
            }
        }
        Ok(published)
    }

    /// The table of the figures, with a row of this run above those of each category.
    pub(crate) fn table(&self, run: &Results) -> Side {
        let mut categories: Vec<Option<&str>> = Vec::new();
        for figures in &self.figures {
            if !categories.contains(&figures.category.as_deref()) {
                categories.push(figures.category.as_deref());
            }
        }
        let header = ["verifier", "category", "tasks", "true", "false", "wrong", "unknown", "score", "time"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        let mut notes = self.notes.clone();
        for category in categories {
            let own: Vec<&TaskRecord> =
                run.tasks.iter().filter(|task| category.is_none_or(|name| task.category == name)).collect();
            if !own.is_empty() {
                rows.push(own_row(run.tool.as_deref().unwrap_or("this run"), category, &own));
            }
            for figures in self.figures.iter().filter(|figures| figures.category.as_deref() == category) {
                rows.push(figures.row());
                if let (Some(stated), Some(counted)) = (figures.score, figures.points())
                    && stated != counted
                {
                    notes.push(format!("{}: the counts as printed have {counted} points", figures.tool));
                }
            }
            let other = self.figures.iter().find(|figures| {
                let is_here = figures.category.as_deref() == category && !own.is_empty();
                is_here && figures.tasks.is_some_and(|tasks| usize::try_from(tasks) != Ok(own.len()))
            });
            if let Some(other) = other {
                let of = category.map_or_else(String::new, |category| format!(" of {category}"));
                notes.push(format!(
                    "{} had {} tasks{of}, and this run has {}, so that the figures do not compare",
                    other.tool,
                    count(other.tasks),
                    own.len()
                ));
            }
        }
        if self.figures.iter().all(|figures| figures.category.is_none()) {
            for row in &mut rows {
                row.remove(1);
            }
        }
        let setting = self.setting.as_ref().map_or_else(String::new, |setting| format!(" ({setting})"));
        Side { caption: format!("Published figures, which are not runs: {}{setting}", self.source), rows, notes }
    }
}

/// Published figures beside a run, to be shown.
pub(crate) struct Side {
    pub(crate) caption: String,
    /// The header, then a row for each verifier.
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) notes: Vec<String>,
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:\n{}", self.caption, table::align(&self.rows))?;
        self.notes.iter().try_for_each(|note| writeln!(f, "  {note}"))
    }
}

impl Figures {
    fn answers(&self) -> u64 {
        let counts = [self.correct_true, self.correct_false, self.wrong_true, self.wrong_false, self.unknown];
        counts.into_iter().flatten().map(u64::from).sum()
    }

    /// The points by the counts, if all that matter are stated.
    fn points(&self) -> Option<i64> {
        let counts = [
            (self.correct_true?, Status::CorrectTrue),
            (self.correct_false?, Status::CorrectFalse),
            (self.wrong_true?, Status::WrongTrue),
            (self.wrong_false?, Status::WrongFalse),
        ];
        Some(counts.into_iter().map(|(count, status)| i64::from(count) * status.score()).sum())
    }

    fn row(&self) -> Vec<String> {
        let wrong = self.wrong_true.zip(self.wrong_false).map(|(proofs, alarms)| u64::from(proofs) + u64::from(alarms));
        vec![
            format!("{} (published)", self.tool),
            self.category.clone().unwrap_or_else(|| "all".into()),
            count(self.tasks),
            count(self.correct_true),
            count(self.correct_false),
            count(wrong),
            count(self.unknown),
            count(self.score),
            self.seconds.map_or_else(|| count::<u8>(None), |seconds| format!("{seconds} s")),
        ]
    }
}

/// A number, or a dash where the publication has none.
fn count<T: ToString>(number: Option<T>) -> String {
    number.map_or_else(|| "-".into(), |number| number.to_string())
}

fn own_row(name: &str, category: Option<&str>, records: &[&TaskRecord]) -> Vec<String> {
    let count = |holds: &dyn Fn(Status) -> bool| records.iter().filter(|task| holds(task.status)).count().to_string();
    vec![
        name.to_owned(),
        category.unwrap_or("all").to_owned(),
        records.len().to_string(),
        count(&|status| status == Status::CorrectTrue),
        count(&|status| status == Status::CorrectFalse),
        count(&Status::is_wrong),
        count(&|status| status.is_unknown() || status == Status::Error),
        points(records.iter().copied()).to_string(),
        table::seconds(records.iter().map(|task| task.cpu_seconds).sum()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::{record, results};

    fn read(text: &str) -> Result<Published, BenchError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("figures.json");
        fs::write(&path, text).unwrap();
        Published::read(&path)
    }

    #[track_caller]
    fn refused(text: &str, why: &str) {
        let error = read(text).unwrap_err();
        assert_eq!(error.exit_status(), 2);
        assert!(error.to_string().contains(why), "{error}");
    }

    #[test]
    fn files_that_state_no_figures() {
        refused("{", "EOF");
        refused(r#"{"source": "s", "figures": []}"#, "`figures` is empty");
        refused(r#"{"source": " ", "figures": [{"tool": "A"}]}"#, "`source` is empty");
        refused(r#"{"figures": [{"tool": "A"}]}"#, "missing field `source`");
        refused(r#"{"source": "s", "figures": [{"tool": ""}]}"#, "no name");
        refused(r#"{"source": "s", "figures": [{"tool": "A", "correct": 1}]}"#, "unknown field `correct`");
        refused(r#"{"source": "s", "figures": [{"tool": "A", "correct_true": -1}]}"#, "-1");
        refused(
            r#"{"source": "s", "figures": [{"tool": "A", "tasks": 2, "unknown": 1, "wrong_true": 2}]}"#,
            "more answers",
        );
        refused(r#"{"source": "s", "figures": [{"tool": "A", "seconds": -1}]}"#, "negative");
    }

    #[test]
    fn what_is_not_stated_is_a_dash() {
        let published = read(r#"{"source": "s", "figures": [{"tool": "A", "score": 3}]}"#).unwrap();
        let shown = published.table(&results(vec![])).to_string();
        assert!(shown.ends_with("\nA (published)      -     -      -      -        -      3  -\n"), "{shown}");
    }

    /// The sum of the points of printed counts is told where it is another one, and so are other numbers of tasks.
    #[test]
    fn figures_that_do_not_fit() {
        let published = read(
            r#"{"source": "s", "setting": "9 s", "notes": ["a note"], "figures": [
                {"tool": "A", "category": "a", "tasks": 2, "correct_true": 1, "correct_false": 0, "wrong_true": 0,
                 "wrong_false": 1, "score": -14, "seconds": 80.3},
                {"tool": "B", "category": "a", "tasks": 2, "correct_true": 1, "correct_false": 1, "wrong_true": 0,
                 "wrong_false": 0, "score": 4, "seconds": 1140},
                {"tool": "A", "category": "other", "unknown": 1}]}"#,
        );
        insta::assert_snapshot!(published.unwrap().table(&results(vec![record(Status::CorrectTrue, 2.0)])).to_string());
    }
}
