//! Work with another thread beside it that looks on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;

/// Does `work`; meanwhile `watch` runs in a thread of its own, until the flag that it is given is set. Setting it also
/// ends a `park_timeout` of that thread. A panic of `work` ends the watching, too.
pub fn watched<R>(watch: impl FnOnce(&AtomicBool) + Send, work: impl FnOnce() -> R) -> R {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(&done));
        let _end = EndOfWork { done: &done, watcher: watcher.thread().clone() };
        work()
    })
}

/// Ends the watching thread when it is dropped, also by a panic: the scope would wait for it for ever.
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
