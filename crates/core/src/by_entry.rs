//! Answers a question for one entry point after the other, or for several at once.

use crate::answer::Answer;
use crate::before::Before;
use crate::check::{CheckConfig, CheckError};
use crate::time_limit::gap;
use crate::watched::passing_on;
use aback_ir::MethodId;
use aback_symbolic::Gap;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// A share of the time that decides many questions.
const USEFUL: Duration = Duration::from_secs(1);

/// How often entry points are looked at again for which the time was too short, as long as there is more.
const MOST_REPEATED: usize = 2;

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
        let config = self.config;
        let all_wanted = config.counterexamples.max(1);
        let mut begin = Instant::now();
        let mut answers = self.answers(self.entries, all_wanted)?;
        // Entry points that needed little of their shares leave time for others.
        for _ in 0..MOST_REPEATED {
            let found: usize = answers.iter().map(Answer::found).sum();
            let wanted = all_wanted.saturating_sub(found);
            let open: Vec<usize> = (0..answers.len()).filter(|&number| self.is_cut_off(&answers[number])).collect();
            let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let is_worth_it = left.is_some_and(|left| left > begin.elapsed());
            let is_over = wanted == 0 || open.is_empty() || config.interrupt.load(Ordering::Relaxed);
            if is_over || !is_worth_it || answers.len() < self.entries.len() {
                break;
            }
            begin = Instant::now();
            let entries: Vec<MethodId> = open.iter().map(|&number| self.entries[number]).collect();
            for (number, answer) in open.into_iter().zip(self.answers(&entries, wanted)?) {
                answers[number] = answer;
            }
        }
        let is_partial = answers.len() < self.entries.len();
        let mut whole = answers.into_iter().reduce(Answer::and);
        if let Some(whole) = whole.as_mut().filter(|whole| is_partial && whole.violation.is_none()) {
            whole.gaps.push(gap(&config.interrupt));
        }
        Ok(whole)
    }

    /// Whether time was what an answer without a counterexample wanted.
    fn is_cut_off(&self, answer: &Answer) -> bool {
        answer.found() == 0 && answer.gaps.contains(&Gap::Time)
    }

    /// Looks at entry points once. Those behind the last counterexample that is wanted have no answer.
    fn answers(&self, entries: &[MethodId], wanted: usize) -> Result<Vec<Answer>, CheckError> {
        let config = self.config;
        // How many more are wanted is known when those before have been answered.
        let is_one = config.counterexamples <= 1;
        let workers = if is_one && config.is_parallel() { config.jobs().min(entries.len()) } else { 1 };
        let shares = Shares::new(self.deadline, entries.len(), workers);
        if workers > 1 { self.at_once(entries, workers, shares) } else { self.in_turns(entries, wanted, shares) }
    }

    fn in_turns(&self, entries: &[MethodId], wanted: usize, shares: Shares) -> Result<Vec<Answer>, CheckError> {
        let before = (self.before)();
        let (mut answers, mut found) = (Vec::new(), 0);
        for (number, &entry) in entries.iter().enumerate() {
            if number > 0 && shares.are_spent() {
                break;
            }
            let config = CheckConfig { counterexamples: wanted - found, ..self.config.clone() };
            let answer = (self.check)(&before, entry, &config, shares.end(number))?;
            found += answer.found();
            answers.push(answer);
            if found >= wanted || config.interrupt.load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(answers)
    }

    fn at_once(&self, entries: &[MethodId], workers: usize, shares: Shares) -> Result<Vec<Answer>, CheckError> {
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
                let Some(&entry) = entries.get(number).filter(|_| number == 0 || !shares.are_spent()) else {
                    break;
                };
                let answer = (self.check)(&before, entry, &config, shares.end(number));
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

/// The time of each entry point.
#[derive(Clone, Copy)]
struct Shares {
    deadline: Option<Instant>,
    /// When half of the time is over.
    half: Option<Instant>,
    entries: usize,
    /// The number of entry points that are looked at at once.
    at_once: usize,
}

impl Shares {
    fn new(deadline: Option<Instant>, entries: usize, at_once: usize) -> Self {
        let now = Instant::now();
        let half = deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 2);
        Shares { deadline, half, entries, at_once }
    }

    /// The deadline of the entry point with this number: each gets an equal share of the remaining time. Where there are very many, so that a share is
    /// of no use, the first ones get more, as long as half of the time is not over: control gets from them to the line in question by few calls.
    fn end(&self, number: usize) -> Option<Instant> {
        let (now, left) = (Instant::now(), (self.entries - number) as u32);
        let at_once = left.min(self.at_once as u32);
        let equal = self.deadline?.saturating_duration_since(now) / left * at_once;
        let more = (self.half?.saturating_duration_since(now) / 2).min(USEFUL);
        Some(now + equal.max(more))
    }

    fn are_spent(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_limit::TimeLimit;
    use crate::world::World;
    use aback_ir::Program;

    /// The times that entry points got if the first one always wants more, and others take no time.
    fn looks(jobs: usize, entries: u32) -> Vec<u32> {
        let program = Program::new();
        let config = CheckConfig { jobs, ..CheckConfig::default() };
        let limit = TimeLimit::new(&config, Instant::now());
        let starts = || Ok(Vec::new());
        let methods: Vec<MethodId> = (0..entries).map(MethodId).collect();
        let looked = std::sync::Mutex::new(Vec::new());
        let question = ByEntry {
            entries: &methods,
            config: &config,
            deadline: Instant::now().checked_add(Duration::from_secs(1_000)),
            before: || Before::new(&program, World::Closed, &starts, &limit),
            check: |_: &Before, entry: MethodId, config: &CheckConfig, _| {
                looked.lock().unwrap().push(entry.0);
                let answer = Answer::without_work(Gap::Time, config, Duration::ZERO);
                Ok(if entry.0 == 0 { answer } else { Answer { gaps: Vec::new(), ..answer } })
            },
        };
        let answer = question.answer().unwrap().unwrap();
        assert_eq!(answer.gaps, [Gap::Time]);
        let mut looked = looked.into_inner().unwrap();
        looked.sort_unstable();
        looked
    }

    #[test]
    fn time_that_is_left_goes_to_entry_points_that_want_it() {
        for jobs in [1, 4] {
            assert_eq!(looks(jobs, 3), [0, 0, 0, 1, 2]);
        }
    }

    #[test]
    fn the_first_of_many_entry_points_get_a_useful_share() {
        let now = Instant::now();
        let share = |seconds: u64, entries: usize, at_once: usize, number: usize| {
            let shares = Shares::new(now.checked_add(Duration::from_secs(seconds)), entries, at_once);
            shares.end(number).unwrap().saturating_duration_since(now).as_millis()
        };
        // The clock goes on in between.
        let is_about = |found: u128, expected: u128| assert!(found.abs_diff(expected) < 500, "{found} {expected}");
        is_about(share(100, 4, 1, 0), 25_000);
        is_about(share(100, 4, 1, 3), 100_000);
        is_about(share(100, 4, 2, 0), 50_000);
        is_about(share(10_000, 1_000, 1, 0), 10_000);
        is_about(share(100, 10_000, 1, 0), 1_000);
        is_about(share(100, 10_000, 1, 9_999), 100_000);
        let over = Shares { half: Some(now), ..Shares::new(now.checked_add(Duration::from_secs(100)), 10_000, 1) };
        is_about(over.end(0).unwrap().saturating_duration_since(now).as_millis(), 10);
        assert!(!over.are_spent() && Shares { deadline: Some(now), ..over }.are_spent());
        assert!(Shares::new(None, 10, 1).end(0).is_none());
    }
}
