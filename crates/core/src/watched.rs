//! Runs work while another thread watches it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;

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
