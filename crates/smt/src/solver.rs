//! The interface of solvers.

use crate::statistics::Stage;
use aback_logic::{Evaluator, Model, Pool, Term};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The answer to a satisfiability question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Check {
    /// A model exists.
    Sat,
    /// No model exists.
    Unsat,
    /// The solver cannot decide. This answer must never be treated as one of the other two.
    Unknown(Reason),
}

/// The reason for an unknown answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The time limit was reached.
    Timeout,
    /// An [`Interrupter`] stopped the check.
    Interrupted,
    /// The solver gave up: its procedure does not decide such formulas, or its model failed the test.
    Incomplete(String),
    /// The formula has a construct that the solver does not support, or is too deep for it.
    Unsupported(String),
    /// The solver failed: it crashed, gave an unintelligible answer, or ran out of memory.
    Failed(String),
}

/// How a solver handles a question of which it keeps nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Approach {
    /// The solver searches at once, as it does for asserted formulas.
    Direct,
    /// The solver first simplifies the question as a whole, which pays off for hard questions.
    Prepared,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Timeout => f.write_str("the solver's time limit was reached"),
            Reason::Interrupted => f.write_str("interrupted"),
            Reason::Incomplete(why) => write!(f, "the solver gave up: {why}"),
            Reason::Unsupported(what) => write!(f, "the solver does not support {what}"),
            Reason::Failed(how) => write!(f, "the solver failed: {how}"),
        }
    }
}

/// A solver with a stack of assertions over the terms of one [`Pool`]. All calls must pass the same pool.
pub trait Solver {
    /// The solver's name in messages.
    fn name(&self) -> &str;

    /// Opens a level. Popping the level removes the formulas that were asserted since.
    fn push(&mut self);

    /// Pops the last `levels` levels, or all of them if there are fewer.
    fn pop(&mut self, levels: usize);

    /// Asserts a formula. An unsupported formula is not an error yet: checks return [`Reason::Unsupported`] until it
    /// is popped.
    fn assert(&mut self, pool: &Pool, formula: Term);

    /// Checks whether the asserted formulas and the assumptions have a common model. The assumptions hold for this
    /// check only.
    fn check(&mut self, pool: &Pool, assumptions: &[Term]) -> Check;

    /// Checks whether these formulas have a common model, regardless of the asserted formulas. Solvers that can only
    /// check asserted formulas return [`Check::Unknown`].
    fn check_afresh(&mut self, _pool: &Pool, _formulas: &[Term], _approach: Approach) -> Check {
        Check::Unknown(Reason::Incomplete("it cannot check formulas separately".into()))
    }

    /// After [`Check::Sat`], the values of the variables that occur in the asserted formulas and the assumptions. A
    /// variable without an entry may have any value, including its default. Returns `None` if there is no model or if
    /// it cannot be expressed. The solver may have chosen any value for a division by zero, so the model must be
    /// tested, as by [`verified`].
    fn model(&mut self, pool: &Pool) -> Option<Model>;

    /// After [`Check::Unsat`], assumptions that suffice for it. The set need not be minimal.
    fn unsat_core(&mut self) -> Vec<Term>;

    /// Limits the time of each later check. `None` means no limit.
    fn set_time_limit(&mut self, limit: Option<Duration>);

    /// A handle that stops checks from another thread.
    fn interrupter(&self) -> Interrupter;

    /// If this consists of several solvers, what each has done since the last call, by its name.
    fn counts(&mut self) -> Vec<(String, Stage)> {
        Vec::new()
    }
}

/// An evaluator of the model, under which all `formulas` are true.
///
/// # Errors
///
/// A formula is false under the model or has no value (because of a division by zero or a quantifier over a long
/// range). Then the model must not be trusted.
pub fn verified(pool: &Pool, model: Model, formulas: impl IntoIterator<Item = Term>) -> Result<Evaluator, Reason> {
    let mut evaluator = Evaluator::new(model);
    for formula in formulas {
        if evaluator.holds(pool, formula) != Some(true) {
            return Err(Reason::Incomplete("its model does not satisfy the formula".into()));
        }
    }
    Ok(evaluator)
}

type Stop = Box<dyn Fn() + Send>;

/// Stops checks from another thread. After an interruption, the running check and all later ones return
/// [`Reason::Interrupted`] until [`Interrupter::clear`] is called. Thus a request between two checks is not lost.
#[derive(Clone, Default)]
pub struct Interrupter {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    requested: AtomicBool,
    /// Stops the running check.
    running: Mutex<Option<Stop>>,
}

impl Interrupter {
    /// A handle without an interruption.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the running check and all later ones. Returns when the check has ended.
    pub fn interrupt(&self) {
        self.shared.requested.store(true, Ordering::SeqCst);
        // A solver may miss a request that arrives while it starts, so the request is repeated until the check has
        // ended.
        let mut pause = Duration::from_micros(100);
        loop {
            match &*self.shared.running.lock().unwrap_or_else(PoisonError::into_inner) {
                Some(stop) => stop(),
                None => return,
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// Lets later checks run again.
    pub fn clear(&self) {
        self.shared.requested.store(false, Ordering::SeqCst);
    }

    /// Whether an interruption was requested and not cleared.
    pub fn is_interrupted(&self) -> bool {
        self.shared.requested.load(Ordering::SeqCst)
    }

    /// Runs `work`, which `stop` ends early. Other threads call `stop` only while `work` runs. Returns `None` if an
    /// interruption came first.
    pub(crate) fn guard<R>(&self, stop: impl Fn() + Send + 'static, work: impl FnOnce() -> R) -> Option<R> {
        let running = || self.shared.running.lock().unwrap_or_else(PoisonError::into_inner);
        *running() = Some(Box::new(stop));
        let result = (!self.is_interrupted()).then(work);
        *running() = None;
        result
    }
}

impl fmt::Debug for Interrupter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupter").field("interrupted", &self.is_interrupted()).finish()
    }
}
