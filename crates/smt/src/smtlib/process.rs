//! Runs a solver process: text in, s-expressions out, with a time limit.

use super::sexp::Splitter;
use crate::solver::Reason;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// A process and the threads that write to it and read from it. Thanks to these threads, a process that does not read
/// or does not answer cannot block the caller. Dropping this value ends the process and thereby the threads.
pub(super) struct Process {
    child: Arc<Mutex<Child>>,
    input: Sender<String>,
    output: Receiver<Result<String, ()>>,
}

impl Process {
    pub(super) fn start(program: &str, arguments: &[String]) -> Result<Process, Reason> {
        let failed = |error: std::io::Error| Reason::Failed(format!("cannot start {program}: {error}"));
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (input, lines) = channel::<String>();
        let (answers, output) = channel();
        let process = Process { child: Arc::new(Mutex::new(child)), input, output };
        let (Some(mut stdin), Some(mut stdout)) = (stdin, stdout) else {
            return Err(Reason::Failed(format!("cannot talk to {program}")));
        };
        thread::spawn(move || {
            for text in lines {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        thread::spawn(move || {
            let mut splitter = Splitter::default();
            let mut buffer = [0; 8192];
            while let Ok(length @ 1..) = stdout.read(&mut buffer) {
                for expression in buffer[..length].iter().filter_map(|&byte| splitter.push(byte)) {
                    let broken = expression.is_err();
                    if answers.send(expression).is_err() || broken {
                        return;
                    }
                }
            }
        });
        Ok(process)
    }

    /// Sends text. Whether it arrived shows in the answers.
    pub(super) fn send(&self, text: String) {
        // A process that has ended does not answer either; [`Self::receive`] notices that.
        let _ = self.input.send(text);
    }

    /// The next expression of the process. Waits at most until `until`.
    pub(super) fn receive(&self, until: Option<Instant>) -> Result<String, Reason> {
        let received = match until {
            Some(until) => self.output.recv_timeout(until.saturating_duration_since(Instant::now())),
            None => self.output.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match received {
            Ok(Ok(text)) => Ok(text),
            Ok(Err(())) => Err(Reason::Failed("its output makes no sense".into())),
            Err(RecvTimeoutError::Timeout) => Err(Reason::Timeout),
            Err(RecvTimeoutError::Disconnected) => Err(Reason::Failed("the process ended".into())),
        }
    }

    /// Sends SIGINT to the process. Returns whether it was still there.
    pub(super) fn interrupt(&self) -> bool {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        // A process that has ended keeps its number until it is waited for, which only this does and what drops it.
        let is_there = child.try_wait().is_ok_and(|status| status.is_none());
        is_there && kill_process(Pid::from_child(&child), Signal::INT).is_ok()
    }

    /// A function that ends the process from another thread.
    pub(super) fn stopper(&self) -> impl Fn() + Send + 'static {
        let child = self.child.clone();
        move || kill(&child)
    }
}

fn kill(child: &Mutex<Child>) {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    // The process may have ended by itself.
    let _ = child.kill();
}

impl Drop for Process {
    fn drop(&mut self) {
        kill(&self.child);
        let _ = self.child.lock().unwrap_or_else(PoisonError::into_inner).wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::time::Duration;

    /// Z3 gives up a question that takes it long, and goes on with the next one.
    #[test]
    fn z3_can_be_interrupted() {
        let z3 = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.z3/bin/z3");
        if !z3.is_file() {
            return;
        }
        let process = Process::start(&z3.display().to_string(), &["-in".into()]).expect("Z3 starts");
        let late = || Some(Instant::now() + Duration::from_secs(20));
        // Z3 ends if the signal comes before it has started.
        process.send("(check-sat)\n".into());
        assert_eq!(process.receive(late()), Ok("sat".into()));
        // The factors of a product of two large primes.
        process.send(
            "(declare-const x (_ BitVec 80)) (declare-const y (_ BitVec 80)) (push)
             (assert (= (bvmul x y) (_ bv340282366920938460843936948965011886881 80)))
             (assert (and (bvult (_ bv1 80) x) (bvult x y) (bvult y (_ bv1099511627776 80)))) (check-sat)\n"
                .into(),
        );
        let soon = || Some(Instant::now() + Duration::from_secs(1));
        assert_eq!(process.receive(soon()), Err(Reason::Timeout));
        assert!(process.interrupt());
        assert_eq!(process.receive(late()), Ok("unknown".into()));
        process.send("(pop) (assert (bvult x y)) (check-sat)\n".into());
        assert_eq!(process.receive(late()), Ok("sat".into()));
    }
}
