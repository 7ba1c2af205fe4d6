//! Questions that are answered while the caller goes on.

use crate::config::Config;
use crate::integers::{Integers, Translation};
use crate::smtlib::script;
use crate::solver::{Check, Interrupter, Reason};
use crate::z3::check_script;
use aback_logic::{Pool, Term};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A question that Z3 answers in a thread of its own. It is given up when it is dropped.
pub struct Aside {
    answer: Receiver<Check>,
    interrupter: Interrupter,
    thread: Option<JoinHandle<()>>,
}

impl Aside {
    /// Asks whether formulas have a common model: over integers if they have an exact form over these, and
    /// `config.integers` says so.
    ///
    /// # Errors
    ///
    /// A formula cannot be written for the other thread, or the system has none.
    pub fn ask(pool: &mut Pool, formulas: &[Term], config: &Config) -> Result<Aside, Reason> {
        let over_integers = match config.integers {
            true => Integers::new(config.products).translate(pool, formulas),
            false => Translation::Unchanged,
        };
        let text = match over_integers {
            Translation::Integers(question) => {
                script(pool, &[&question.asserted[..], &[question.formula]].concat(), None)?
            }
            Translation::Unchanged | Translation::Refused => script(pool, formulas, None)?,
        };
        let interrupter = Interrupter::new();
        let (send, answer) = channel();
        let (watched, limits) = (interrupter.clone(), (config.check_timeout, config.memory));
        let work = move || _ = send.send(check_script(&text, &watched, limits));
        let started = thread::Builder::new().spawn(work);
        let thread = started.map_err(|error| Reason::Failed(error.to_string()))?;
        Ok(Aside { answer, interrupter, thread: Some(thread) })
    }

    /// The answer, if it comes within this time. It is given only once.
    pub fn answer_within(&self, time: Duration) -> Option<Check> {
        match self.answer.recv_timeout(time) {
            Ok(answer) => Some(answer),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Check::Unknown(Reason::Interrupted)),
        }
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        self.interrupter.interrupt();
        // Z3 must not be in use any more when this process ends.
        _ = self.thread.take().map(JoinHandle::join);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aback_logic::{BvOrder, Conversion, Sort};

    /// All elements of `a` from the first to before `n` are less than the one at `n`, as machine integers.
    fn ascending(pool: &mut Pool, least: i64) -> Vec<Term> {
        let array = pool.array_sort(Sort::Int, Sort::BitVec(32));
        let (a, n) = (pool.fresh_var("a", array), pool.fresh_var("n", Sort::Int));
        let p = pool.fresh_var("p", Sort::Int);
        let [here, last] = [p, n].map(|at| pool.select(a, at));
        let less = pool.bv_compare(BvOrder::SLt, here, last);
        let all = pool.quantified(true, p, Pool::ZERO, n, less);
        let five = pool.int(5);
        let fifth = pool.select(a, five);
        let [fifth, last] = [fifth, last].map(|term| pool.convert(Conversion::BvToInt { signed: true }, term));
        let least = pool.int(least);
        let long = pool.lt(five, n);
        let (above, below) = (pool.le(least, fifth), pool.le(last, least));
        vec![all, long, above, below]
    }

    fn answer(least: i64, change: impl Fn(Config) -> Config) -> Check {
        let mut pool = Pool::new();
        let formulas = ascending(&mut pool, least);
        let config = change(Config::default());
        let aside = Aside::ask(&mut pool, &formulas, &config).expect("a question");
        aside.answer_within(Duration::from_secs(60)).expect("an answer")
    }

    #[test]
    fn questions_are_answered() {
        assert_eq!(answer(7, |config| config), Check::Unsat);
        assert_eq!(answer(7, |config| Config { integers: false, ..config }), Check::Unsat);
    }

    #[test]
    fn questions_are_given_up() {
        let mut pool = Pool::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| pool.fresh_var(name, Sort::Int));
        let cube = |pool: &mut Pool, x: Term| {
            let square = pool.mul(x, x);
            pool.mul(square, x)
        };
        let (one, other, third) = (cube(&mut pool, x), cube(&mut pool, y), cube(&mut pool, z));
        let sum = pool.add(one, other);
        let sum = pool.add(sum, third);
        let number = pool.int(114);
        let hard = pool.eq(sum, number);
        let aside = Aside::ask(&mut pool, &[hard], &Config::default()).expect("a question");
        assert_eq!(aside.answer_within(Duration::from_millis(50)), None);
        drop(aside);
    }
}
