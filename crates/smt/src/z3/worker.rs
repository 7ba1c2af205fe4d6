//! Runs work in a thread that can be abandoned if the work does not end.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Time for which work may continue after it should have ended, before it is abandoned.
const PATIENCE: Duration = Duration::from_millis(300);
/// Interval at which the caller checks whether the work should have ended.
const POLL: Duration = Duration::from_millis(20);

/// Stack size of the thread in bytes. Unused stack costs nothing. Z3 recurses even for shallow terms.
const STACK: usize = 256 << 20;

type Job<R> = Box<dyn FnOnce() -> R + Send>;

/// A thread that runs jobs one after the other. It ends after the last job once the worker is dropped.
pub(super) struct Worker<R> {
    jobs: Sender<Job<R>>,
    results: Receiver<R>,
}

impl<R: Send + 'static> Worker<R> {
    /// Starts the thread. Returns `None` if the system cannot create one.
    pub(super) fn start() -> Option<Self> {
        let (jobs, todo) = channel::<Job<R>>();
        let (done, results) = channel();
        let work = move || todo.into_iter().map(|job| job()).try_for_each(|result| done.send(result)).unwrap_or(());
        thread::Builder::new().stack_size(STACK).spawn(work).ok()?;
        Some(Worker { jobs, results })
    }

    /// The result of a job. If the job continues long after `is_over` returns true, returns `None`: the thread is
    /// abandoned, and this worker cannot be used any more.
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
