//! Asks several solver processes at once (paper 4, section 3.4.5).

use super::ProcessSolver;
use crate::solver::{Check, Interrupter, Reason, Solver};
use crate::statistics::{Stage, Stopwatch};
use aback_logic::{Model, Pool, Term};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time between two looks at the solvers.
const POLL: Duration = Duration::from_micros(200);
/// Time after which a solver is late that is busy with a question which another one has answered.
const LATE: Duration = Duration::from_millis(20);
/// Time after which a late one is ended at first. It is about as long as a solver takes to start, so that starts take no more time than the
/// work that they end.
const PATIENCE: Duration = Duration::from_millis(100);
/// Most time after which a late one is ended.
const MOST_PATIENCE: Duration = Duration::from_secs(10);

/// Solver processes that get the same questions. The first definite answer counts.
///
/// Starting a process for each question would cost more than most answers. So those that are slower go on with the question for a moment
/// while others get the next one. Then those that can be interrupted are, and keep what they know. Of the others, a spare process is started
/// then, and takes over when it has had time to start: questions do not wait for it. If those that are free do not know the answer, the
/// others are asked, too.
pub struct Portfolio {
    name: String,
    members: Vec<Member>,
    interrupter: Interrupter,
    limit: Option<Duration>,
    /// The member that gave the last answer.
    winner: Option<usize>,
}

struct Member {
    solver: ProcessSolver,
    /// When its question began, if it has not answered.
    busy: Option<Instant>,
    is_interrupted: bool,
    /// Whether it has given no definite answer since it was interrupted. The signal may come when it has just answered. Then it meets the
    /// next question, and that it does not know that one means nothing.
    is_doubtful: bool,
    /// How long it may be busy with a question that another one has answered. It doubles each time that this is too short, so that a slow
    /// machine does not start processes all the time, and gets shorter with each answer.
    patience: Duration,
    /// Its questions since the last look at the counts.
    count: Stage,
    /// Counts the time with its question.
    watch: Stopwatch,
}

impl Member {
    fn new(solver: ProcessSolver) -> Member {
        let (count, watch) = (Stage::default(), Stopwatch::start());
        Member { solver, busy: None, is_interrupted: false, is_doubtful: false, patience: PATIENCE, count, watch }
    }

    /// Whether it has been busy for a time.
    fn is_busy_for(&self, time: Duration) -> bool {
        self.busy.is_some_and(|begin| begin.elapsed() >= time)
    }

    /// Whether it is busy and has not answered by now.
    fn is_late(&mut self) -> bool {
        self.busy.is_some() && self.receive(Instant::now()) == Err(Reason::Timeout)
    }

    /// Its answer, if it comes before a time. It is free then, or if it has failed.
    fn receive(&mut self, until: Instant) -> Result<Check, Reason> {
        let answer = self.solver.receive(Some(until));
        match &answer {
            Err(Reason::Timeout) => {}
            Ok(_) => {
                self.patience = (self.patience / 2).max(PATIENCE);
                self.set_free();
            }
            Err(_) => self.stop(),
        }
        answer
    }

    /// Ends its process.
    fn stop(&mut self) {
        self.solver.stop();
        self.set_free();
    }

    /// Ends its process, which has been busy for too long.
    fn replace(&mut self) {
        self.patience = (self.patience * 2).min(MOST_PATIENCE);
        self.stop();
    }

    /// Notes that it can be asked.
    fn set_free(&mut self) {
        self.spend();
        self.busy = None;
        self.is_interrupted = false;
    }

    /// Counts the time that it has been busy since the last call.
    fn spend(&mut self) {
        if self.busy.is_some() {
            self.count.spend(&mut self.watch);
        }
    }

    /// Interrupts it if it is still busy and that is possible, and starts a spare process, so that it is not missing for long.
    fn hurry(&mut self) {
        if !self.is_interrupted && self.is_late() {
            self.is_interrupted = self.solver.interrupt();
            self.is_doubtful |= self.is_interrupted;
            self.solver.prepare();
        }
    }
}

impl Portfolio {
    /// A portfolio of solvers.
    pub fn new(solvers: Vec<ProcessSolver>, interrupter: Interrupter) -> Portfolio {
        let names: Vec<&str> = solvers.iter().map(|solver| solver.name()).collect();
        let name = names.join(",");
        let members = solvers.into_iter().map(Member::new).collect();
        Portfolio { name, members, interrupter, limit: None, winner: None }
    }

    /// Frees the members that have answered an earlier question by now, and does what it takes to have the late ones back.
    fn free(&mut self) {
        for member in &mut self.members {
            if !member.is_late() {
                continue;
            }
            if member.is_busy_for(member.patience) {
                member.replace();
            } else if member.is_busy_for(LATE) {
                member.hurry();
            }
        }
    }

    /// Frees members. They have a moment to answer or to give up, because nobody else knows the answer to the next question.
    fn force(&mut self, members: &[usize]) {
        let end = Instant::now() + LATE;
        members.iter().for_each(|&number| self.members[number].hurry());
        for &number in members {
            let member = &mut self.members[number];
            if member.busy.is_some() && member.receive(end) == Err(Reason::Timeout) {
                member.replace();
            }
        }
    }

    /// Asks members, and then those that are still busy with an earlier question if the others do not know the answer.
    fn answer(&mut self, pool: &Pool, assumptions: &[Term], until: Option<Instant>, is_stopped: &AtomicBool) -> Check {
        self.free();
        let (free, busy): (Vec<usize>, Vec<usize>) =
            (0..self.members.len()).partition(|&number| self.members[number].busy.is_none());
        match self.first(pool, assumptions, &free, until, is_stopped) {
            Check::Unknown(Reason::Incomplete(_) | Reason::Unsupported(_) | Reason::Failed(_)) if !busy.is_empty() => {
                self.force(&busy);
                self.first(pool, assumptions, &busy, until, is_stopped)
            }
            answer => answer,
        }
    }

    /// Asks members that are not busy. Returns those that were asked, or the reason why none was.
    fn ask(&mut self, pool: &Pool, assumptions: &[Term], members: &[usize]) -> Result<Vec<usize>, Reason> {
        let (mut asked, mut failure) = (Vec::new(), Reason::Failed("there are no solvers".into()));
        for &number in members {
            let member = &mut self.members[number];
            member.solver.forget();
            match member.solver.send(pool, assumptions) {
                Ok(()) => {
                    member.busy = Some(Instant::now());
                    member.count.asked += 1;
                    member.watch = Stopwatch::start();
                    asked.push(number);
                }
                Err(reason) => {
                    member.solver.stop();
                    failure = reason;
                }
            }
        }
        if asked.is_empty() { Err(failure) } else { Ok(asked) }
    }

    /// Asks members that are not busy. Returns the first definite answer before a time.
    fn first(
        &mut self,
        pool: &Pool,
        assumptions: &[Term],
        members: &[usize],
        until: Option<Instant>,
        is_stopped: &AtomicBool,
    ) -> Check {
        let mut asked = match self.ask(pool, assumptions, members) {
            Ok(asked) => asked,
            Err(reason) => return Check::Unknown(reason),
        };
        let mut reason = Reason::Timeout;
        while !asked.is_empty() {
            for number in asked.clone() {
                let member = &mut self.members[number];
                let answer = match member.receive(Instant::now()) {
                    Err(Reason::Timeout) => {
                        if member.is_busy_for(LATE) {
                            // Another one may soon answer, or the time may be over.
                            member.solver.prepare();
                        }
                        continue;
                    }
                    answer => answer,
                };
                asked.retain(|&other| other != number);
                match answer {
                    Ok(Check::Unknown(why)) | Err(why) => {
                        reason = why;
                        if std::mem::take(&mut member.is_doubtful) {
                            asked.extend(self.ask(pool, assumptions, &[number]).unwrap_or_default());
                        }
                    }
                    Ok(check) => {
                        member.is_doubtful = false;
                        member.count.answered += 1;
                        self.winner = Some(number);
                        return check;
                    }
                }
            }
            if is_stopped.load(Ordering::Relaxed) {
                return Check::Unknown(Reason::Interrupted);
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Check::Unknown(Reason::Timeout);
            }
            std::thread::sleep(POLL);
        }
        Check::Unknown(reason)
    }

    /// Hurries those that are still busy with a question that is done: the late ones, or all if it has no answer, because the next
    /// question may come at once.
    fn hurry(&mut self, has_answer: bool) {
        let time = if has_answer { LATE } else { Duration::ZERO };
        self.members.iter_mut().filter(|member| member.is_busy_for(time)).for_each(Member::hurry);
    }
}

impl Solver for Portfolio {
    fn name(&self) -> &str {
        &self.name
    }

    fn push(&mut self) {
        self.winner = None;
        self.members.iter_mut().for_each(|member| member.solver.push());
    }

    fn pop(&mut self, levels: usize) {
        self.winner = None;
        self.members.iter_mut().for_each(|member| member.solver.pop(levels));
    }

    fn assert(&mut self, pool: &Pool, formula: Term) {
        self.winner = None;
        self.members.iter_mut().for_each(|member| member.solver.assert(pool, formula));
    }

    fn check(&mut self, pool: &Pool, assumptions: &[Term]) -> Check {
        self.winner = None;
        if self.interrupter.is_interrupted() {
            return Check::Unknown(Reason::Interrupted);
        }
        let until = self.limit.map(|limit| Instant::now() + limit);
        let is_stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&is_stopped);
        let interrupter = self.interrupter.clone();
        let answer = interrupter
            .guard(move || stop.store(true, Ordering::Relaxed), || self.answer(pool, assumptions, until, &is_stopped));
        let answer = answer.unwrap_or(Check::Unknown(Reason::Interrupted));
        if !self.interrupter.is_interrupted() {
            self.hurry(!matches!(answer, Check::Unknown(_)));
        }
        answer
    }

    fn model(&mut self, pool: &Pool) -> Option<Model> {
        self.members[self.winner?].solver.model(pool)
    }

    fn unsat_core(&mut self) -> Vec<Term> {
        self.winner.map(|winner| self.members[winner].solver.unsat_core()).unwrap_or_default()
    }

    fn set_time_limit(&mut self, limit: Option<Duration>) {
        self.limit = limit;
        self.members.iter_mut().for_each(|member| member.solver.set_time_limit(limit));
    }

    fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    fn counts(&mut self) -> Vec<(String, Stage)> {
        let take = |member: &mut Member| {
            member.spend();
            (member.solver.name().to_string(), std::mem::take(&mut member.count))
        };
        self.members.iter_mut().map(take).collect()
    }
}
