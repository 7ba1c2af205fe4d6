//! Shows the progress of long work on a terminal.

use aback_symbolic::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time before the progress line appears.
const PATIENCE: Duration = Duration::from_millis(700);
/// Time between two readings of the counters.
const TICK: Duration = Duration::from_millis(100);

/// Does the work. If standard error is a terminal, a line there shows the progress meanwhile.
pub fn with_progress<R>(progress: &Progress, work: impl FnOnce() -> R) -> R {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    aback_core::watched(|done| watch(progress, done), work)
}

fn watch(progress: &Progress, done: &AtomicBool) {
    let start = Instant::now();
    let mut bar = None;
    while !done.load(Ordering::Acquire) {
        if start.elapsed() >= PATIENCE {
            let bar = bar.get_or_insert_with(|| spinner().with_elapsed(start.elapsed()));
            let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
            bar.set_message(format!(
                "{} paths done, {} waiting, {} operations, the longest path has {}",
                count(&progress.paths),
                count(&progress.waiting),
                count(&progress.operations),
                count(&progress.depth),
            ));
            bar.tick();
        }
        std::thread::park_timeout(TICK);
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    match ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
