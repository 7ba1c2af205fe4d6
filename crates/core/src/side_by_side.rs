//! Searches in threads of their own beside the configured engines. The first answer ends all.

use crate::attacked::searched;
use crate::check::{CheckConfig, Loops};
use crate::engines::{Look, Task, is_answer, look_at_loops, look_in_turns, share};
use crate::joins::{self, look_with_joins};
use crate::referee::Referee;
use crate::watched::passing_on;
use crate::workers::Counted;
use aback_ir::{InputStrings, Program};
use aback_smt::SmtError;
use aback_symbolic::{Exploration, Gap, Replay};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Time that the engines have alone, so that easy questions cost no more.
const LATER: Duration = Duration::from_millis(300);
/// Number of paths after which a question is not easy any more.
const MANY_PATHS: u64 = 20;
/// Number of operations after which it is not.
const MANY_OPERATIONS: u64 = 20_000;
/// Time that a look at loops has for more than an answer within bounds.
const MORE: Duration = Duration::from_secs(2);
/// Time between two looks at a thread or a clock.
const MOMENT: Duration = Duration::from_millis(1);

/// Looks at loops in another thread while the configured engines run (unless that is off), and joins states in a third one if many wait.
pub(crate) fn look_side_by_side(task: Task, referee: &mut Referee) -> Result<Look, SmtError> {
    let Task { program, config, deadline, .. } = task;
    let [engines_stop, loops_stop, runs_stop, joins_stop] = [(); 4].map(|()| Arc::new(AtomicBool::new(false)));
    let others = Arc::new(AtomicUsize::new(0));
    let for_engines =
        CheckConfig { interrupt: Arc::clone(&engines_stop), beside: Arc::clone(&others), ..config.clone() };
    let mut loops_judge = referee.for_thread(&loops_stop);
    let mut joins_judge = referee.for_thread(&joins_stop);
    for count in [&config.progress.paths, &config.progress.operations, &config.progress.waiting] {
        count.store(0, Ordering::Relaxed);
    }
    let beside = Beside { task, engines_stop: &engines_stop, others: &others };
    let (found, loops, is_joined) = std::thread::scope(|scope| {
        let loops = scope.spawn(|| beside.loops(&loops_stop, &runs_stop, &mut loops_judge));
        let joins = scope.spawn(|| beside.joins(&joins_stop, &mut joins_judge));
        let _end = [&loops_stop, &runs_stop, &joins_stop].map(|stop| StopAtEnd(stop));
        let look = || look_in_turns(Task { config: &for_engines, ..task }, referee);
        let found = passing_on(&config.interrupt, &[&engines_stop], look)?;
        joins_stop.store(true, Ordering::Relaxed);
        let joined = joins.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let joined = joined.filter(|_| !is_answer(&found, config));
        let is_joined = joined.is_some();
        let found = joined.unwrap_or(found);
        let is_last_word = !may_answer_more(program, config, &found);
        runs_stop.store(is_last_word || is_answer(&found, config), Ordering::Relaxed);
        let patience = if is_answer(&found, config) { MORE.min(share(deadline)) } else { share(deadline) };
        let end = Instant::now().checked_add(patience);
        let is_over =
            || is_last_word || config.interrupt.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end);
        let runs_end = Instant::now() + MORE.min(share(deadline));
        while !loops.is_finished() && !is_over() {
            runs_stop.fetch_or(Instant::now() >= runs_end, Ordering::Relaxed);
            std::thread::sleep(MOMENT);
        }
        [&loops_stop, &runs_stop].into_iter().for_each(|stop| stop.store(true, Ordering::Relaxed));
        let loops = loops.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((found, loops.filter(|_| !is_last_word), is_joined))
    })?;
    match loops {
        Some(answer) => {
            referee.adopt(loops_judge);
            Ok(answer)
        }
        None => {
            if is_joined {
                referee.adopt(joins_judge);
            }
            Ok(found)
        }
    }
}

/// What the searches beside the configured engines are about.
struct Beside<'a> {
    /// The task of the engines, whose progress they report.
    task: Task<'a>,
    /// Ends the engines.
    engines_stop: &'a AtomicBool,
    /// The number of these searches, so that the engines do not use more threads than there are jobs.
    others: &'a AtomicUsize,
}

impl Beside<'_> {
    /// The configuration of a search that ends by itself.
    fn config(&self, stop: &Arc<AtomicBool>) -> CheckConfig {
        CheckConfig { interrupt: Arc::clone(stop), progress: Arc::default(), ..self.task.config.clone() }
    }

    /// Waits for the moment to begin. False if the search has to stop before.
    fn waits(&self, stop: &AtomicBool, is_due: impl Fn() -> bool) -> bool {
        while !is_due() {
            if stop.load(Ordering::Relaxed) {
                return false;
            }
            std::thread::sleep(MOMENT);
        }
        true
    }

    /// What was found if it is an answer, which ends the engines.
    fn answer(&self, found: Look) -> Option<Look> {
        let is_answer = is_answer(&found, self.task.config);
        self.engines_stop.fetch_or(is_answer, Ordering::Relaxed);
        is_answer.then_some(found)
    }

    /// Looks at loops in all numbers of iterations, and lets concrete runs look for violations if that is no answer.
    fn loops(&self, stop: &Arc<AtomicBool>, runs_stop: &Arc<AtomicBool>, judge: &mut Referee) -> Option<Look> {
        let Task { program, query, config, deadline } = self.task;
        if config.loops == Loops::Off {
            return None;
        }
        // It does not yield to the engines: it has limits of time for many small attempts.
        let _counted = Counted::new(self.others);
        let begin = Instant::now()
            + match config.loops {
                Loops::Later => LATER.min(share(deadline)),
                Loops::Off | Loops::Light | Loops::Heavy => Duration::ZERO,
            };
        let progress = &config.progress;
        let is_due = || {
            Instant::now() >= begin
                || progress.paths.load(Ordering::Relaxed) >= MANY_PATHS
                || progress.operations.load(Ordering::Relaxed) >= MANY_OPERATIONS
        };
        if !self.waits(stop, is_due) {
            return None;
        }
        let mut found = look_at_loops(Task { config: &self.config(stop), ..self.task }, judge).ok()?;
        if !is_answer(&found, config) && config.counterexamples <= 1 {
            let for_runs = CheckConfig { interrupt: Arc::clone(runs_stop), ..config.clone() };
            let violation = searched(program, query, &for_runs, deadline);
            if violation.as_ref().is_some_and(|found| matches!(judge.judge(found), Replay::Confirmed)) {
                found.findings.exploration = Exploration { violation, ..Exploration::default() };
            }
        }
        self.answer(found)
    }

    /// Joins the states behind branches as soon as many paths wait in the configured search.
    fn joins(&self, stop: &Arc<AtomicBool>, judge: &mut Referee) -> Option<Look> {
        let beginning = joins::Beginning::of(self.task)?;
        if !self.waits(stop, || beginning.is_due(self.task.config.progress.waiting.load(Ordering::Relaxed))) {
            return None;
        }
        let _counted = Counted::yielding(self.others);
        self.answer(look_with_joins(self.task, self.config(stop), judge).ok()?)
    }
}

/// Sets a flag when it is dropped, so that a thread which minds it ends after an error, too.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Whether a look at loops may answer more than another look. It has the same bounds of inputs, except for that of strings,
/// and supports no more.
pub(crate) fn may_answer_more(program: &Program, config: &CheckConfig, look: &Look) -> bool {
    let exploration = &look.findings.exploration;
    let strings = program.input_strings().and_then(InputStrings::bound);
    let is_open = |gap: &Gap| match gap {
        Gap::Bound { what, .. } => Some(what) == strings.as_ref(),
        Gap::Unsupported { .. } | Gap::Vacuous { .. } | Gap::NoAssertion { .. } => false,
        _ => true,
    };
    let mut gaps = exploration.gaps.iter();
    match exploration.is_proof() {
        true => !exploration.gaps.is_empty() && gaps.all(is_open),
        false => !exploration.has(config.counterexamples) && gaps.any(is_open),
    }
}
