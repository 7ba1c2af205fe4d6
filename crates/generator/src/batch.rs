//! Files and processes of a batch of programs, which are compiled together and run in one process.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use wait_timeout::ChildExt;

/// An error that stops a batch.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no .NET SDK.
    #[error("there is no .NET SDK")]
    Missing,
    /// A tool could not be started, or a file could not be written or read.
    #[error("cannot {action}")]
    Io {
        /// The attempted action.
        action: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The sources do not compile.
    #[error("the compiler says:\n{0}")]
    Compiler(String),
    /// The runtime ended before the last run, or was killed because it took longer than [`TIME`].
    #[error("the runtime stopped in the run of {class} (number {run}): {message}")]
    Runtime {
        /// The index of the unfinished run.
        run: usize,
        /// The class of the run.
        class: String,
        /// What the runtime said.
        message: String,
    },
}

/// Time limit of a runtime for all runs of a batch.
pub const TIME: Duration = Duration::from_secs(300);

/// What turns an error of the operating system into an [`Error`].
pub(crate) fn io(action: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
    let action = action.into();
    |source| Error::Io { action, source }
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(io(format!("write {}", path.display())))
}

/// Runs a process, for at most [`TIME`], whose messages go to a file. Returns them, or another reason, if the process does
/// not succeed.
pub(crate) fn run(command: &mut Command, messages: &Path) -> Result<Option<String>, Error> {
    let tool = command.get_program().to_string_lossy().into_owned();
    let stderr = fs::File::create(messages).map_err(io(format!("write {}", messages.display())))?;
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
    let mut child = command.spawn().map_err(io(format!("start {tool}")))?;
    let status = child.wait_timeout(TIME).map_err(io(format!("wait for {tool}")))?;
    Ok(match status {
        None => {
            child.kill().and_then(|()| child.wait()).map_err(io(format!("stop {tool}")))?;
            Some(format!("no end after {} s", TIME.as_secs()))
        }
        Some(status) if status.success() => None,
        Some(_) => Some(fs::read_to_string(messages).unwrap_or_default()),
    })
}

/// The results of all runs. If there are fewer, the one after the last result is unfinished. `message` comes from
/// [`run`], and `classes` are those of the runs.
pub(crate) fn complete<'a, T>(
    results: Vec<T>,
    message: Option<String>,
    mut classes: impl ExactSizeIterator<Item = &'a String>,
) -> Result<Vec<T>, Error> {
    if message.is_none() && results.len() == classes.len() {
        return Ok(results);
    }
    let run = results.len().min(classes.len().saturating_sub(1));
    let class = classes.nth(run).cloned().unwrap_or_default();
    Err(Error::Runtime { run, class, message: message.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_result_is_named() {
        let classes = ["A", "B"].map(String::from);
        assert_eq!(complete(vec![1, 2], None, classes.iter()).ok(), Some(vec![1, 2]));
        let unfinished = |results: Vec<i32>, message: Option<&str>| {
            complete(results, message.map(String::from), classes.iter()).unwrap_err().to_string()
        };
        assert_eq!(unfinished(vec![1], None), "the runtime stopped in the run of B (number 1): ");
        assert_eq!(unfinished(vec![], Some("no")), "the runtime stopped in the run of A (number 0): no");
        assert_eq!(unfinished(vec![1, 2], Some("no")), "the runtime stopped in the run of B (number 1): no");
    }
}
