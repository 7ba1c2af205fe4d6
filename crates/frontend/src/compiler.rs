//! Runs a compiler until it ends or must be stopped.

use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Interval at which a running compiler is checked.
const POLL: Duration = Duration::from_millis(2);
/// Length of the output that is kept, in bytes.
const MAX_OUTPUT: u64 = 4 << 20;

/// How a compiler ended.
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// What it wrote to standard output and to standard error.
    pub said: String,
}

/// The reason why a compiler did not end by itself.
#[derive(Debug, thiserror::Error)]
pub enum NotRun {
    /// It cannot be started.
    #[error(transparent)]
    NotStarted(std::io::Error),
    /// Its output cannot be kept.
    #[error(transparent)]
    Temporary(std::io::Error),
    /// The deadline or the interrupt came first.
    #[error("stopped")]
    Stopped,
}

/// Runs a compiler and keeps its output in the folder `work`. No process that it starts outlives the deadline or the
/// interrupt.
///
/// # Errors
/// It cannot be started, its output cannot be kept, or it was stopped.
pub fn run_compiler(
    mut command: Command,
    work: &Path,
    deadline: Option<Instant>,
    interrupt: Option<&AtomicBool>,
) -> Result<Ended, NotRun> {
    let output = work.join("output");
    let said = File::create(&output).map_err(NotRun::Temporary)?;
    command
        .stdin(Stdio::null())
        .stdout(said.try_clone().map_err(NotRun::Temporary)?)
        .stderr(said)
        // The programs that it starts are stopped with it.
        .process_group(0);
    let child = command.spawn().map_err(NotRun::NotStarted)?;
    let status = wait(child, deadline, interrupt).map_err(NotRun::NotStarted)?.ok_or(NotRun::Stopped)?;
    let mut said = Vec::new();
    File::open(&output).and_then(|file| file.take(MAX_OUTPUT).read_to_end(&mut said)).map_err(NotRun::Temporary)?;
    Ok(Ended { status, said: String::from_utf8_lossy(&said).into_owned() })
}

/// Whether the deadline or the interrupt has come.
pub(crate) fn is_stopped(deadline: Option<Instant>, interrupt: Option<&AtomicBool>) -> bool {
    let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
    is_late || interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
}

/// Waits for a process. Returns `None` if it had to be stopped.
fn wait(
    mut child: Child,
    deadline: Option<Instant>,
    interrupt: Option<&AtomicBool>,
) -> std::io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if is_stopped(deadline, interrupt) {
            // The child has not been waited for, so that its number is not the number of another group.
            let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}
