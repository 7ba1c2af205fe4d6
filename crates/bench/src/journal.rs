//! Keeps what a run has finished, so that it can go on after an interruption.
//!
//! The journal is a text file. Its first line has the settings of the run, and each other line a finished task. A line
//! that was cut by an interruption is skipped, and the task runs again.

use crate::BenchError;
use crate::results::TaskRecord;
use crate::settings::{Settings, differences};
use crate::tasks::{Job, Task};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The first line.
#[derive(Serialize, Deserialize)]
struct Header {
    version: u32,
    settings: Settings,
}

/// The version of the format that is read and written.
const VERSION: u32 = 1;

/// A finished task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The [`fingerprint`] of the task; `null` if there is none, so that the task runs again.
    pub(crate) fingerprint: Option<String>,
    pub(crate) record: TaskRecord,
}

/// The finished tasks of an interrupted run, by their names and properties.
#[derive(Debug, Default)]
pub(crate) struct Earlier(HashMap<(String, String), Entry>);

impl Earlier {
    /// The record of a task that has finished, if the task is the same now. `now` has the names, the expected verdict
    /// and the command line. What could not be started runs again.
    pub(crate) fn find(&self, now: &TaskRecord, fingerprint: Option<&str>) -> Option<&TaskRecord> {
        let Entry { fingerprint: old, record } = self.0.get(&(now.name.clone(), now.property.clone()))?;
        let is_same = old.as_deref() == Some(fingerprint?)
            && (&record.expected, &record.command) == (&now.expected, &now.command)
            && record.wall_seconds > 0.0;
        is_same.then_some(record)
    }
}

/// A journal that is being written.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Begins the journal in a folder. If `resume` is set, it continues the one that is there, if any.
    ///
    /// # Errors
    ///
    /// The earlier journal cannot be read, or its settings differ; or the new one cannot be written.
    pub(crate) fn begin(folder: &Path, settings: Settings, resume: bool) -> Result<(Journal, Earlier), BenchError> {
        let path = folder.join("journal.jsonl");
        let entries = if resume && path.exists() { read(&path, &settings)? } else { Vec::new() };
        let mut text = line(&Header { version: VERSION, settings })?;
        for entry in &entries {
            text += &line(entry)?;
        }
        let file = replace(&path, &text).map_err(|source| BenchError::Write { path: path.clone(), source })?;
        // Of several entries for one task, the last one counts.
        let key = |entry: &Entry| (entry.record.name.clone(), entry.record.property.clone());
        let earlier = entries.into_iter().map(|entry| (key(&entry), entry)).collect();
        Ok((Journal { path, file }, Earlier(earlier)))
    }

    /// Adds a finished task.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn add(&mut self, entry: &Entry) -> Result<(), BenchError> {
        let text = line(entry)?;
        self.file.write_all(text.as_bytes()).map_err(|source| BenchError::Write { path: self.path.clone(), source })
    }
}

/// Reads the finished tasks of a run with the same settings.
fn read(path: &Path, settings: &Settings) -> Result<Vec<Entry>, BenchError> {
    let bytes = fs::read(path).map_err(|source| BenchError::Read { path: path.to_owned(), source })?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines();
    let header = serde_json::from_str::<Header>(lines.next().unwrap_or_default());
    let Header { version, settings: earlier } =
        header.map_err(|source| BenchError::Journal { path: path.to_owned(), source })?;
    let mut differences = differences(&earlier, settings);
    if version != VERSION {
        differences.insert(0, format!("version of the journal: was {version}, now {VERSION}"));
    }
    if !differences.is_empty() {
        return Err(BenchError::OtherSettings { path: path.to_owned(), differences });
    }
    Ok(lines.filter_map(|line| serde_json::from_str(line).ok()).collect())
}

fn line(value: &impl Serialize) -> Result<String, BenchError> {
    Ok(serde_json::to_string(value).map_err(BenchError::Store)? + "\n")
}

/// Writes a file so that it has either its old or its new contents, whatever happens. Returns it open for more.
fn replace(path: &Path, text: &str) -> io::Result<File> {
    let folder = path.parent().unwrap_or(Path::new("."));
    // The same permissions as other new files have.
    let mut builder = tempfile::Builder::new();
    let mut file = builder.permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file.persist(path)?)
}

/// A hash of all that a task is read from: its definition, its property file and its inputs, with the names and the
/// contents of files in folders.
///
/// # Errors
///
/// A file cannot be read.
pub(crate) fn fingerprint(task: &Task, job: &Job) -> io::Result<String> {
    let mut hash = Sha256::new();
    for path in [&task.definition, &job.property_file].into_iter().chain(&job.inputs) {
        hash_path(&mut hash, path)?;
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Adds a file, or all files below a folder in the order of their names, without following links to folders.
fn hash_path(hash: &mut Sha256, path: &Path) -> io::Result<()> {
    let mut pending = vec![path.to_owned()];
    while let Some(path) = pending.pop() {
        hash.update(path.as_os_str().as_encoded_bytes());
        if path.is_dir() {
            let entries = fs::read_dir(&path)?.collect::<io::Result<Vec<_>>>()?;
            let mut below = Vec::new();
            for entry in entries {
                if entry.file_type()?.is_dir() || entry.path().is_file() {
                    below.push(entry.path());
                }
            }
            below.sort();
            pending.extend(below);
        } else {
            let bytes = fs::read(&path)?;
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;
    use crate::results::tests::record;

    fn settings(timeout: &str) -> Settings {
        [("--timeout".to_owned(), timeout.to_owned())].into()
    }

    fn entry(status: Status) -> Entry {
        Entry { fingerprint: Some("f".to_owned()), record: record(status, 1.0) }
    }

    #[test]
    fn a_journal_is_continued_and_cut_lines_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let begin = |resume| Journal::begin(folder.path(), settings("10 s"), resume).unwrap();
        let (mut journal, earlier) = begin(true);
        assert!(earlier.0.is_empty());
        journal.add(&entry(Status::Unknown)).unwrap();
        journal.add(&entry(Status::CorrectTrue)).unwrap();
        journal.file.write_all(b"{\"fingerprint\": \"f\", \"rec\xff").unwrap();

        let (mut journal, earlier) = begin(true);
        let found = earlier.find(&record(Status::Error, 0.0), Some("f")).unwrap();
        assert_eq!(found.status, Status::CorrectTrue);
        journal.add(&entry(Status::Timeout)).unwrap();
        assert_eq!(begin(true).1.find(found, Some("f")).unwrap().status, Status::Timeout);
        assert!(begin(false).1.0.is_empty());
        assert!(begin(true).1.0.is_empty());
    }

    #[test]
    fn tasks_that_have_changed_are_not_found() {
        let find = |change: &dyn Fn(&mut Entry), fingerprint| {
            let mut entry = entry(Status::CorrectTrue);
            change(&mut entry);
            let earlier = Earlier([(("a/T".to_owned(), "assert".to_owned()), entry)].into());
            earlier.find(&record(Status::Error, 0.0), fingerprint).is_some()
        };
        assert!(find(&|_| {}, Some("f")));
        assert!(!find(&|_| {}, Some("g")) && !find(&|_| {}, None));
        assert!(!find(&|entry| entry.fingerprint = None, Some("f")));
        assert!(!find(&|entry| entry.record.expected = None, Some("f")));
        assert!(!find(&|entry| entry.record.command.push("--depth=1".into()), Some("f")));
        assert!(!find(&|entry| entry.record.wall_seconds = 0.0, Some("f")));
    }

    #[test]
    fn other_settings_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let begin = |settings| Journal::begin(folder.path(), settings, true);
        begin(settings("10 s")).unwrap();
        let mut other = settings("20 s");
        other.insert("--memory".into(), "1 MB".into());
        let Err(BenchError::OtherSettings { differences, .. }) = begin(other) else { panic!("not refused") };
        assert_eq!(differences, ["--memory: was not set, now 1 MB", "--timeout: was 10 s, now 20 s"]);

        for text in ["", "\n", "[]", "\u{0}"] {
            fs::write(folder.path().join("journal.jsonl"), text).unwrap();
            assert!(matches!(begin(settings("10 s")), Err(BenchError::Journal { .. })), "{text:?}");
        }
    }

    #[test]
    fn fingerprints_depend_on_names_and_contents() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("source/below")).unwrap();
        for name in ["T.yml", "T.prp", "source/A.java", "source/below/B.java"] {
            fs::write(path(name), "").unwrap();
        }
        // Neither of them may make this endless.
        std::os::unix::fs::symlink(folder.path(), path("source/loop")).unwrap();
        std::os::unix::fs::symlink("nowhere", path("source/broken")).unwrap();
        let job = Job { inputs: vec![path("source")], property_file: path("T.prp") };
        let task = Task {
            definition: path("T.yml"),
            category: String::new(),
            name: "T".into(),
            property: "T".into(),
            expected: Some(true),
            job: Ok(job.clone()),
        };
        let now = || fingerprint(&task, &job).unwrap();
        let mut seen = vec![now()];
        assert_eq!(now(), seen[0]);
        for name in ["T.yml", "T.prp", "source/A.java", "source/below/B.java", "source/C.java"] {
            fs::write(path(name), "new").unwrap();
            assert!(!seen.contains(&now()), "{name}");
            seen.push(now());
        }
        fs::remove_file(path("T.prp")).unwrap();
        assert!(fingerprint(&task, &job).is_err());
    }
}
