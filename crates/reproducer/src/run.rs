//! Runs a program on a runtime until it ends or must be stopped.

use crate::Limits;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Time between two checks of a running process.
const POLL: Duration = Duration::from_millis(2);
/// Most bytes of a file of the runtime that are read.
const MOST_READ: u64 = 64 << 20;
/// Most bytes of its standard error that are read.
const MOST_SAID: u64 = 64 << 10;

/// How a process ended that was not stopped.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// The beginning of its standard error.
    pub(crate) said: String,
}

impl Ended {
    /// The status, and the first line of what was said.
    pub(crate) fn describe(&self) -> String {
        let said = self.said.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing was said");
        format!("{}: {said}", self.status)
    }
}

/// Runs a command in a process group of its own, which is ended with it. Returns `None` if the process had to be
/// stopped.
///
/// # Errors
/// The command cannot be started.
pub(crate) fn run(mut command: Command, deadline: Option<Instant>, limits: &Limits) -> std::io::Result<Option<Ended>> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0).spawn()?;
    let said = child.stderr.take().map(|stderr| std::thread::spawn(move || beginning(stderr)));
    let Some(status) = wait(child, deadline, limits)? else { return Ok(None) };
    let said = said.and_then(|said| said.join().ok()).unwrap_or_default();
    Ok(Some(Ended { status, said }))
}

/// Waits for the end of a process, and ends the processes that it started. Returns `None` if the process had to
/// be stopped.
fn wait(mut child: Child, deadline: Option<Instant>, limits: &Limits) -> std::io::Result<Option<ExitStatus>> {
    let group = Pid::from_child(&child);
    let ended = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        let is_over = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_over || limits.interrupt.load(Ordering::Relaxed) {
            break None;
        }
        std::thread::sleep(POLL);
    };
    // It is not an error if no process is left.
    let _ = kill_process_group(group, Signal::KILL);
    if ended.is_none() {
        child.wait()?;
    }
    Ok(ended)
}

/// The beginning of a process's output. The rest is read and dropped, so that the process does not block.
fn beginning(mut said: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = said.by_ref().take(MOST_SAID).read_to_end(&mut bytes);
    let _ = std::io::copy(&mut said, &mut std::io::sink());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads a file that a run has written. It must be a plain file: a link may lead to any file of the user, and a pipe has no end.
pub(crate) fn read(path: &Path) -> std::io::Result<String> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is no plain file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_READ).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Makes a folder within another one.
///
/// # Errors
/// The folder cannot be made.
pub(crate) fn within(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let path = folder.join(name);
    std::fs::create_dir(&path).map_err(cannot("make a folder"))?;
    Ok(path)
}

/// The error of an action on files, in words.
pub(crate) fn cannot(action: &'static str) -> impl Fn(std::io::Error) -> String {
    move |error| format!("cannot {action}: {error}")
}
