//! Divides a search among threads: the forward engine shares its waiting states, and both engines run side by side.

use crate::check::{CheckConfig, Merge};
use crate::engines::{Engine, Look, Restricted, Task, is_answer, look_in_part, look_with};
use crate::referee::Referee;
use crate::watched::{passing_on, watched};
use aback_forward::{Share, Sharing};
use aback_smt::SmtError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Time that a thread explores by itself before it shares what it has to do.
const PATIENCE: Duration = Duration::from_millis(300);
/// Fewest waiting states that are worth sharing.
const MANY_WAITING: usize = 16;
/// Time between two looks at what threads do.
const MOMENT: Duration = Duration::from_millis(2);

/// Runs the forward engine until the deadline, in several threads if many states wait. The first violation ends all.
pub(crate) fn look_forward(task: Task, referee: &mut Referee) -> Result<Look, SmtError> {
    let config = task.config;
    let is_shared =
        config.is_parallel() && config.counterexamples <= 1 && matches!(config.merging, Merge::Never | Merge::Auto);
    if !is_shared {
        return look_with(Engine::Forward, task, Restricted::default(), referee);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let sharing = Sharing::new(config.jobs(), Arc::clone(&config.beside), PATIENCE, MANY_WAITING);
    let judge = Mutex::new(referee.for_thread(&stop));
    let others: Mutex<Vec<(Result<Look, SmtError>, Referee)>> = Mutex::default();
    let own = CheckConfig { interrupt: Arc::clone(&stop), ..config.clone() };
    let explore = |share: &Share, config: &CheckConfig, referee: &mut Referee| {
        let found = look_in_part(Engine::Forward, Task { config, ..task }, Restricted::default(), Some(share), referee);
        let is_answer = found.as_ref().is_ok_and(|found| found.findings.exploration.has(config.counterexamples));
        stop.fetch_or(is_answer, Ordering::Relaxed);
        found
    };
    let take_part = |share: Share| {
        if config.beside.load(Ordering::Relaxed) > 0 {
            // There are more threads than jobs.
            yield_to_others();
        }
        let mut judge = judge.lock().unwrap_or_else(PoisonError::into_inner).for_thread(&stop);
        let config = CheckConfig { progress: Arc::default(), ..own.clone() };
        let found = explore(&share, &config, &mut judge);
        if share.counts() || found.is_err() {
            others.lock().unwrap_or_else(PoisonError::into_inner).push((found, judge));
        }
    };
    let hand_out = |is_done: &AtomicBool| {
        std::thread::scope(|scope| {
            while !(is_done.load(Ordering::Relaxed) && sharing.is_over()) {
                stop.fetch_or(config.interrupt.load(Ordering::Relaxed), Ordering::Relaxed);
                if let Some(share) = sharing.next() {
                    scope.spawn(|| take_part(share));
                }
                std::thread::park_timeout(MOMENT);
            }
        });
    };
    let first = sharing.first();
    let found = watched(hand_out, || {
        let _stop = StopAtPanic(&stop);
        let found = explore(&first, &own, referee);
        drop(first);
        found
    });
    let mut found = found?;
    for (other, judge) in others.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let other = other?;
        found.findings.exploration.add_part(other.findings.exploration);
        found.solving += &other.solving;
        referee.add(judge);
    }
    Ok(found)
}

/// Runs both engines side by side until the deadline. The first answer ends both.
pub(crate) fn look_both_ways(task: Task, referee: &mut Referee) -> Result<Look, SmtError> {
    let config = task.config;
    let [forward_stop, backward_stop] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    let for_forward = CheckConfig { interrupt: Arc::clone(&forward_stop), ..config.clone() };
    let for_backward =
        CheckConfig { interrupt: Arc::clone(&backward_stop), progress: Arc::default(), ..config.clone() };
    let mut judge = referee.for_thread(&backward_stop);
    let look_back = || {
        let _counted = Counted::yielding(&for_forward.beside);
        let task = Task { config: &for_backward, ..task };
        let found = look_with(Engine::Backward, task, Restricted::default(), &mut judge)?;
        forward_stop.fetch_or(is_answer(&found, config), Ordering::Relaxed);
        Ok(found)
    };
    let (forward, backward) = passing_on(&config.interrupt, &[&forward_stop, &backward_stop], || {
        std::thread::scope(|scope| {
            let backward = scope.spawn(look_back);
            let _stop = StopAtPanic(&backward_stop);
            let forward = look_forward(Task { config: &for_forward, ..task }, referee);
            let is_end = forward.as_ref().map_or(true, |found| is_answer(found, config));
            backward_stop.fetch_or(is_end, Ordering::Relaxed);
            (forward, backward.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    });
    let (mut forward, mut backward): (Look, Look) = (forward?, backward?);
    let takes_backward = is_answer(&backward, config) && !is_answer(&forward, config);
    let (found, other) = if takes_backward { (&mut backward, &forward) } else { (&mut forward, &backward) };
    found.findings.exploration.work += other.findings.exploration.work;
    found.solving += &other.solving;
    if takes_backward {
        referee.adopt(judge);
        return Ok(backward);
    }
    Ok(forward)
}

/// Lets other threads run first from now on. On Linux, threads have priorities of their own; elsewhere, everything is only slower.
fn yield_to_others() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(NICENESS);
}

/// How much nicer a search beside others is. With this, it gets a third of what the others get where there are not enough cores.
const NICENESS: i32 = 5;

/// Counts a search beside others, until it is dropped.
pub(crate) struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    /// Adds one to the number of searches.
    pub(crate) fn new(number: &'a AtomicUsize) -> Self {
        number.fetch_add(1, Ordering::Relaxed);
        Counted(number)
    }

    /// Adds one to the number of searches. The search runs in this thread, which yields to the configured engine from now on, as do the
    /// threads that it starts.
    pub(crate) fn yielding(number: &'a AtomicUsize) -> Self {
        yield_to_others();
        Counted::new(number)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Sets a flag during a panic, so that threads end which mind it.
struct StopAtPanic<'a>(&'a AtomicBool);

impl Drop for StopAtPanic<'_> {
    fn drop(&mut self) {
        self.0.fetch_or(std::thread::panicking(), Ordering::Relaxed);
    }
}
