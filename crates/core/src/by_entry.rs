//! Answers a question for one entry point after the other, or for several at once.

use crate::answer::Answer;
use crate::before::Before;
use crate::check::{CheckConfig, CheckError};
use crate::time_limit::gap;
use crate::watched::passing_on;
use aback_ir::MethodId;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Instant;

/// A question about several entry points.
pub(crate) struct ByEntry<'a, B, C> {
    pub entries: &'a [MethodId],
    pub config: &'a CheckConfig,
    pub deadline: Option<Instant>,
    /// Makes the facts about the program before its executions start. Each thread has its own.
    pub before: B,
    /// Answers the question for one entry point until a deadline.
    pub check: C,
}

impl<'p, B, C> ByEntry<'_, B, C>
where
    B: Fn() -> Before<'p> + Sync,
    C: Fn(&Before, MethodId, &CheckConfig, Option<Instant>) -> Result<Answer, CheckError> + Sync,
{
    /// The answer for all entry points; `None` if there are none. As many counterexamples as are wanted end the work.
    pub(crate) fn answer(&self) -> Result<Option<Answer>, CheckError> {
        let (config, wanted) = (self.config, self.config.counterexamples.max(1));
        // How many more are wanted is known when those before have been answered.
        let workers = if wanted == 1 && config.is_parallel() { config.jobs().min(self.entries.len()) } else { 1 };
        let answers = if workers > 1 { self.at_once(workers)? } else { self.in_turns(wanted)? };
        let is_partial = answers.len() < self.entries.len();
        let mut whole = answers.into_iter().reduce(Answer::and);
        if let Some(whole) = whole.as_mut().filter(|whole| is_partial && whole.violation.is_none()) {
            whole.gaps.push(gap(&config.interrupt));
        }
        Ok(whole)
    }

    /// The deadline of the entry point with this number, if so many are looked at at once: each gets an equal share of the remaining time.
    fn share(&self, number: usize, at_once: usize) -> Option<Instant> {
        let (now, left) = (Instant::now(), (self.entries.len() - number) as u32);
        let at_once = left.min(at_once as u32);
        self.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / left * at_once)
    }

    fn in_turns(&self, wanted: usize) -> Result<Vec<Answer>, CheckError> {
        let before = (self.before)();
        let (mut answers, mut found) = (Vec::new(), 0);
        for (number, &entry) in self.entries.iter().enumerate() {
            let config = CheckConfig { counterexamples: wanted - found, ..self.config.clone() };
            let answer = (self.check)(&before, entry, &config, self.share(number, 1))?;
            found += answer.found();
            answers.push(answer);
            if found >= wanted || config.interrupt.load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(answers)
    }

    fn at_once(&self, workers: usize) -> Result<Vec<Answer>, CheckError> {
        let config = self.config;
        let stop = Arc::new(AtomicBool::new(false));
        let next = AtomicUsize::new(0);
        // Two threads for each entry point let searches run side by side.
        let jobs = (config.jobs() / workers).max(2);
        let work = |worker: usize| {
            let progress = if worker == 0 { Arc::clone(&config.progress) } else { Arc::default() };
            let config = CheckConfig { interrupt: Arc::clone(&stop), progress, jobs, ..config.clone() };
            let before = (self.before)();
            let mut answers = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(&entry) = self.entries.get(number) else { break };
                let answer = (self.check)(&before, entry, &config, self.share(number, workers));
                let is_end = answer.as_ref().map_or(true, |answer| answer.found() > 0);
                stop.fetch_or(is_end, Ordering::Relaxed);
                answers.push((number, answer));
            }
            answers
        };
        let answers: BTreeMap<_, _> = passing_on(&config.interrupt, &[&stop], || {
            std::thread::scope(|scope| {
                let work = &work;
                let workers: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
                let join = |worker: ScopedJoinHandle<_>| worker.join().unwrap_or_else(|panic| resume_unwind(panic));
                workers.into_iter().flat_map(join).collect()
            })
        });
        let mut answers = answers.into_values().collect::<Result<Vec<Answer>, _>>()?;
        // Several may have been found at the same time.
        if let Some(first) = answers.iter().position(|answer| answer.found() > 0) {
            answers.truncate(first + 1);
        }
        Ok(answers)
    }
}
