//! Runs work while another thread watches it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::Duration;

/// Time between two checks for an interrupt.
const POLL: Duration = Duration::from_millis(20);

/// Does `work` while `watch` runs in a thread of its own, until the flag that `watch` gets is set. Setting the flag
/// also wakes that thread from a `park_timeout`. A panic of `work` ends the watching, too.
pub fn watched<R>(watch: impl FnOnce(&AtomicBool) + Send, work: impl FnOnce() -> R) -> R {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(&done));
        let _end = EndOfWork { done: &done, watcher: watcher.thread().clone() };
        work()
    })
}

/// Does `work` while another thread calls `check` again and again.
pub(crate) fn checked<R>(check: impl Fn() + Send, work: impl FnOnce() -> R) -> R {
    let watch = move |done: &AtomicBool| {
        while !done.load(Ordering::Acquire) {
            check();
            std::thread::park_timeout(POLL);
        }
    };
    watched(watch, work)
}

/// Does `work` while another thread sets these flags as soon as `interrupt` is set.
pub(crate) fn passing_on<R>(interrupt: &AtomicBool, flags: &[&AtomicBool], work: impl FnOnce() -> R) -> R {
    let pass_on = || {
        let is_set = interrupt.load(Ordering::Relaxed);
        flags.iter().for_each(|flag| _ = flag.fetch_or(is_set, Ordering::Relaxed));
    };
    checked(pass_on, work)
}

/// Ends the watching thread when it is dropped, also during a panic. Otherwise the scope would wait for the thread
/// forever.
struct EndOfWork<'a> {
    done: &'a AtomicBool,
    watcher: Thread,
}

impl Drop for EndOfWork<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        self.watcher.unpark();
    }
}
