//! Starts worker processes, asks them, and ends those that do not answer in time.

use crate::protocol::{Opening, Question, Reply, Said};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpgid, getpid, kill_process, kill_process_group, waitid};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Time that a worker gets beyond its limits before it is ended.
pub const GRACE: Duration = Duration::from_secs(5);
/// Time that a busy worker has to end programs that it runs in groups of their own, such as compilers.
const FAREWELL: Duration = Duration::from_millis(300);
/// Time between two looks at the interrupt.
const TICK: Duration = Duration::from_millis(50);
/// Time between two looks at a worker that ends.
const MOMENT: Duration = Duration::from_millis(2);

/// The reason why a worker gave no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Lost {
    /// The worker ended by itself: it had no more memory, or this is a defect of aback.
    #[error("the process that looked for the answer has ended ({0})")]
    Ended(String),
    /// The worker did not stop at its time limit.
    #[error("the process that looked for the answer did not stop at its time limit")]
    Overdue,
    /// The scan stops.
    #[error("interrupted")]
    Interrupted,
}

/// Stops what this process, a worker, is doing once nobody reads its answers any more: the scan may be killed while a question takes its
/// time. If the interrupt does not end it soon, it is ended with the processes that it has started.
pub fn stop_when_unread(interrupt: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        let output = io::stdout();
        loop {
            // An error is reported whether or not one asks for it. A pipe has it when its other end is closed.
            let mut polled = [PollFd::new(&output, PollFlags::empty())];
            match poll(&mut polled, None) {
                Ok(_) if polled[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) => break,
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
        interrupt.store(true, Ordering::Relaxed);
        std::thread::sleep(GRACE);
        // A scan starts its workers as leaders of groups. Others have been started by hand, maybe beside other processes.
        if getpgid(None).is_ok_and(|group| group == getpid()) {
            let _ = rustix::process::kill_current_process_group(Signal::KILL);
        }
        std::process::exit(2);
    });
}

/// A process that answers questions about the program.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// Whether an answer is open.
    is_busy: bool,
    /// The folder for temporary files of the process, which has no chance to remove them when it is ended.
    _folder: Option<TempDir>,
}

impl Worker {
    /// Starts a process and waits until it has loaded the program.
    ///
    /// # Errors
    /// The process cannot be started, or ends before it has said anything.
    pub fn start(mut command: Command, interrupt: &AtomicBool) -> Result<(Self, Opening), Lost> {
        let folder = TempDir::with_prefix("aback-worker-").ok();
        if let Some(folder) = &folder {
            command.env("TMPDIR", folder.path());
        }
        // Ctrl-C goes to a whole group of processes. The scan itself decides what becomes of its workers.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| Lost::Ended(error.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Lost::Ended("it has no input or output".into()));
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(io::Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut worker = Worker { child, input, lines, is_busy: true, _folder: folder };
        let line = worker.line(None, interrupt)?;
        worker.is_busy = false;
        let opening = serde_json::from_str(&line).map_err(|error| Lost::Ended(error.to_string()))?;
        Ok((worker, opening))
    }

    /// Asks a question. The worker gets so much time beyond its limit. What it says before the answer goes to `so_far`.
    ///
    /// # Errors
    /// There is no answer. The worker is of no further use then.
    pub fn ask(
        &mut self,
        question: &Question,
        patience: Duration,
        interrupt: &AtomicBool,
        so_far: impl Fn(Said),
    ) -> Result<Reply, Lost> {
        self.is_busy = true;
        let mut line = serde_json::to_string(question).map_err(|error| Lost::Ended(error.to_string()))?;
        line.push('\n');
        if self.input.write_all(line.as_bytes()).and_then(|()| self.input.flush()).is_err() {
            return Err(self.ended());
        }
        let limit = Duration::try_from_secs_f64(question.seconds).ok().and_then(|limit| limit.checked_add(patience));
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        loop {
            let said = self.line(deadline, interrupt)?;
            match serde_json::from_str(&said).map_err(|error| Lost::Ended(error.to_string()))? {
                Said::Answer(reply) => {
                    self.is_busy = false;
                    return Ok(*reply);
                }
                said => so_far(said),
            }
        }
    }

    /// The next line that the worker writes.
    fn line(&mut self, deadline: Option<Instant>, interrupt: &AtomicBool) -> Result<String, Lost> {
        loop {
            match self.lines.recv_timeout(TICK) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) if interrupt.load(Ordering::Relaxed) => return Err(Lost::Interrupted),
                Err(RecvTimeoutError::Timeout) => {
                    if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                        return Err(Lost::Overdue);
                    }
                }
            }
        }
    }

    /// How the process ended.
    fn ended(&mut self) -> Lost {
        self.is_busy = false;
        Lost::Ended(match self.child.wait() {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        })
    }
}

impl Drop for Worker {
    /// Ends the process and those that it has started. An error means that they have ended already.
    fn drop(&mut self) {
        let process = Pid::from_child(&self.child);
        if self.is_busy && kill_process(process, Signal::TERM).is_ok() {
            let end = Instant::now() + FAREWELL;
            // Until somebody waits for it, its number is not that of another process.
            let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            while matches!(waitid(WaitId::Pid(process), how), Ok(None)) && Instant::now() < end {
                std::thread::sleep(MOMENT);
            }
        }
        let _ = kill_process_group(process, Signal::KILL);
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_worker_runs_in_groups_of_its_own_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("number");
        // Like a worker that compiles: told to end, it ends the compiler.
        let script = "trap 'kill -9 $started; exit' TERM; setsid sleep 1000 & started=$!; echo $started > number; wait";
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(folder.path());
        let interrupt = AtomicBool::new(false);
        let lost = std::thread::scope(|scope| {
            let started = scope.spawn(|| Worker::start(command, &interrupt).map(|_| ()));
            while std::fs::read_to_string(&file).map_or(0, |number| number.len()) == 0 {
                std::thread::sleep(MOMENT);
            }
            interrupt.store(true, Ordering::Relaxed);
            started.join().unwrap()
        });
        assert_eq!(lost, Err(Lost::Interrupted));
        let number = std::fs::read_to_string(&file).unwrap();
        let state = std::fs::read_to_string(format!("/proc/{}/stat", number.trim()));
        // Nobody may have waited for it yet.
        let is_running = state.is_ok_and(|state| !state.contains(") Z "));
        assert!(!is_running);
    }
}
