//! Asks several solver processes at once (paper 4, section 3.4.5).

use super::ProcessSolver;
use crate::solver::{Check, Interrupter, Reason, Solver};
use aback_logic::{Model, Pool, Term};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time between two looks at the solvers.
const POLL: Duration = Duration::from_micros(200);
/// Longest time for which a solver is left alone that is busy with a question which another one has answered, if there is no time limit.
const PATIENCE: Duration = Duration::from_secs(10);

/// Solver processes that get the same questions. The first definite answer counts.
///
/// Processes cannot be interrupted, and starting one for each question costs more than most answers. So those that are slower go on with
/// the question while others get the next one, and are ended only when they have reached the time limit, or when all are busy.
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
}

impl Portfolio {
    /// A portfolio of solvers.
    pub fn new(solvers: Vec<ProcessSolver>, interrupter: Interrupter) -> Portfolio {
        let names: Vec<&str> = solvers.iter().map(|solver| solver.name()).collect();
        let name = names.join(",");
        let members = solvers.into_iter().map(|solver| Member { solver, busy: None }).collect();
        Portfolio { name, members, interrupter, limit: None, winner: None }
    }

    /// Ends or frees the members whose earlier question is answered or has had its time, and all if all are busy.
    fn free(&mut self) {
        let patience = self.limit.unwrap_or(PATIENCE);
        for member in &mut self.members {
            let Some(begin) = member.busy else { continue };
            match member.solver.receive(Some(Instant::now())) {
                Err(Reason::Timeout) if begin.elapsed() < patience => continue,
                Ok(_) => {}
                Err(_) => member.solver.stop(),
            }
            member.busy = None;
        }
        if self.members.iter().all(|member| member.busy.is_some()) {
            for member in &mut self.members {
                member.solver.stop();
                member.busy = None;
            }
        }
    }

    /// Asks the members that are not busy with an earlier question. Returns those that were asked, or the reason why none was.
    fn ask(&mut self, pool: &Pool, assumptions: &[Term]) -> Result<Vec<usize>, Reason> {
        self.free();
        let (mut asked, mut failure) = (Vec::new(), Reason::Failed("there are no solvers".into()));
        for (number, member) in self.members.iter_mut().enumerate() {
            if member.busy.is_some() {
                continue;
            }
            member.solver.forget();
            match member.solver.send(pool, assumptions) {
                Ok(()) => {
                    member.busy = Some(Instant::now());
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

    /// The first definite answer of these members, before a time.
    fn first(&mut self, mut asked: Vec<usize>, until: Option<Instant>, is_stopped: &AtomicBool) -> Check {
        let mut reason = Reason::Timeout;
        while !asked.is_empty() {
            for number in asked.clone() {
                let member = &mut self.members[number];
                let answer = match member.solver.receive(Some(Instant::now())) {
                    Err(Reason::Timeout) => continue,
                    answer => answer,
                };
                member.busy = None;
                asked.retain(|&other| other != number);
                match answer {
                    Ok(Check::Unknown(why)) => reason = why,
                    Ok(check) => {
                        self.winner = Some(number);
                        return check;
                    }
                    Err(why) => {
                        member.solver.stop();
                        reason = why;
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
        let asked = match self.ask(pool, assumptions) {
            Ok(asked) => asked,
            Err(reason) => return Check::Unknown(reason),
        };
        let until = self.limit.map(|limit| Instant::now() + limit);
        let is_stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&is_stopped);
        let interrupter = self.interrupter.clone();
        let answer =
            interrupter.guard(move || stop.store(true, Ordering::Relaxed), || self.first(asked, until, &is_stopped));
        answer.unwrap_or(Check::Unknown(Reason::Interrupted))
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
}
