//! A thread that does what may not come to an end when it should.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long work may go on after it should be over, before it is left alone.
const PATIENCE: Duration = Duration::from_millis(300);
/// How often the caller looks whether the work should be over.
const POLL: Duration = Duration::from_millis(20);

/// Stack of the thread. What is not used of it costs nothing; Z3 recurses, also where the terms that it is told are not deep.
const STACK: usize = 256 << 20;

type Job<R> = Box<dyn FnOnce() -> R + Send>;

/// A thread that does one piece of work after the other. It ends after the last one when this is dropped.
pub(super) struct Worker<R> {
    jobs: Sender<Job<R>>,
    results: Receiver<R>,
}

impl<R: Send + 'static> Worker<R> {
    /// Starts the thread, if the system has one to give.
    pub(super) fn start() -> Option<Self> {
        let (jobs, todo) = channel::<Job<R>>();
        let (done, results) = channel();
        let work = move || todo.into_iter().map(|job| job()).try_for_each(|result| done.send(result)).unwrap_or(());
        thread::Builder::new().stack_size(STACK).spawn(work).ok()?;
        Some(Worker { jobs, results })
    }

    /// The result of a piece of work, or `None` if that goes on for long after `is_over` said that it should end: then the
    /// thread is left to it, and this worker is of no use any more.
    pub(super) fn result(&self, job: impl FnOnce() -> R + Send + 'static, is_over: impl Fn() -> bool) -> Option<R> {
        self.jobs.send(Box::new(job)).ok()?;
        let mut end = None;
        loop {
            match self.results.recv_timeout(POLL) {
                Ok(result) => return Some(result),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if !is_over() => {}
                Err(RecvTimeoutError::Timeout) => {
                    let now = Instant::now();
                    if now > *end.get_or_insert(now + PATIENCE) {
                        return None;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_does_not_end_is_left_alone() {
        let worker = Worker::start().expect("a thread");
        assert_eq!(worker.result(|| 1, || true), Some(1));
        let (release, held) = channel::<()>();
        let job = move || held.recv().map_or(2, |()| 3);
        assert_eq!(worker.result(job, || true), None);
        drop(release);
    }
}
