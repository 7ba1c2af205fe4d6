//! Keeps the output of tasks.

use crate::BenchError;
use crate::tasks::{Job, Task};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Length of standard output that is searched for an answer, in bytes.
const LONGEST_ANSWER: u64 = 64 << 20;

/// Bytes of each of standard output and standard error that are kept of a failure.
const KEPT_OUTPUT: usize = 64 << 10;

/// A run of a task.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) task: &'a Task,
    pub(crate) job: &'a Job,
    /// The number of the run, from 1, if the task runs several times.
    pub(crate) number: Option<usize>,
    /// The processor core on which it runs; any core if `None`.
    pub(crate) core: Option<usize>,
}

/// The folder of the output of tasks, which is kept if the configuration requests it.
pub(crate) struct Logs {
    folder: PathBuf,
    /// Removes the folder at the end if it is not to be kept.
    _temporary: Option<tempfile::TempDir>,
}

impl Logs {
    pub(crate) fn new(out: Option<&Path>) -> Result<Logs, BenchError> {
        match out {
            Some(out) => {
                let folder = out.join("logs");
                match fs::create_dir_all(&folder) {
                    Ok(()) => Ok(Logs { folder, _temporary: None }),
                    Err(source) => Err(BenchError::Write { path: folder, source }),
                }
            }
            None => {
                let temporary = tempfile::tempdir().map_err(BenchError::System)?;
                Ok(Logs { folder: temporary.path().to_owned(), _temporary: Some(temporary) })
            }
        }
    }

    /// The file for one output of a run of a task.
    fn path(&self, run: Run<'_>, stream: &str) -> PathBuf {
        let number = run.number.map_or_else(String::new, |number| format!(".{number}"));
        self.folder.join(format!("{}.{}{number}.{stream}", run.task.name, run.task.property))
    }

    /// Creates the file for one output of a run of a task.
    pub(crate) fn create(&self, run: Run<'_>, stream: &str) -> io::Result<File> {
        let path = self.path(run, stream);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        File::create(path)
    }

    /// The beginning of the standard output of a run, and the end of its standard error.
    pub(crate) fn read(&self, run: Run<'_>) -> io::Result<(Vec<u8>, String)> {
        let mut stdout = Vec::new();
        File::open(self.path(run, "stdout"))?.take(LONGEST_ANSWER).read_to_end(&mut stdout)?;
        Ok((stdout, end_of(&self.path(run, "stderr"))?))
    }
}

/// The end of a text file.
fn end_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let start = length.saturating_sub(KEPT_OUTPUT as u64);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(KEPT_OUTPUT as u64).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(if start > 0 { format!("[{start} bytes cut]\n{text}") } else { text.into_owned() })
}

/// The first [`KEPT_OUTPUT`] bytes of an output.
pub(crate) fn beginning(bytes: &[u8]) -> String {
    match bytes.get(..KEPT_OUTPUT) {
        Some(kept) if kept.len() < bytes.len() => {
            format!("{}\n[{} bytes cut]", String::from_utf8_lossy(kept), bytes.len() - kept.len())
        }
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}
