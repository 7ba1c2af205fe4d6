//! What a solver is asked and what it answers.

use aback_logic::{Evaluator, Model, Pool, Term};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The answer to a question of satisfiability.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Check {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// The solver cannot tell. Never to be read as one of the other two.
    Unknown(Reason),
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The time limit was reached.
    Timeout,
    /// Somebody asked to stop, by an [`Interrupter`].
    Interrupted,
    /// The solver gave up: its procedure does not decide such formulas, or its model did not stand the test.
    Incomplete(String),
    /// The formula has a construct that the solver does not know, or is too deep for it.
    Unsupported(String),
    /// The solver broke: it crashed, said something unintelligible, or ran out of memory.
    Failed(String),
}

/// How a solver goes about a question that it need not keep anything of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Approach {
    /// It searches at once, as where it keeps what it is told.
    Direct,
    /// It simplifies the question as a whole first, which hard questions are worth.
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

/// A solver with a stack of assertions, over the terms of one [`Pool`]: all calls must pass the same pool.
pub trait Solver {
    /// What to call it in messages.
    fn name(&self) -> &str;

    /// Opens a level: what is asserted from now on goes when it is popped.
    fn push(&mut self);

    /// Takes back the last `levels` levels, or all of them if there are fewer.
    fn pop(&mut self, levels: usize);

    /// Adds a formula. A formula that the solver does not support is not an error yet: checks answer
    /// [`Reason::Unsupported`] until it is popped.
    fn assert(&mut self, pool: &Pool, formula: Term);

    /// Whether the asserted formulas and the assumptions have a common model. The assumptions hold for this check only.
    fn check(&mut self, pool: &Pool, assumptions: &[Term]) -> Check;

    /// Whether these formulas have a common model, whatever is asserted. Solvers that can only be asked about what is asserted
    /// do not know.
    fn check_afresh(&mut self, _pool: &Pool, _formulas: &[Term], _approach: Approach) -> Check {
        Check::Unknown(Reason::Incomplete("it has no other way to ask".into()))
    }

    /// After [`Check::Sat`]: values of the variables that occur in the asserted formulas and the assumptions. A variable
    /// that it does not name may have any value, so its default too. `None` if there is no model or it cannot be
    /// expressed. Division by zero may have been given any value: test the model, as [`verified`] does.
    fn model(&mut self, pool: &Pool) -> Option<Model>;

    /// After [`Check::Unsat`]: assumptions that suffice for it, not necessarily as few as possible.
    fn unsat_core(&mut self) -> Vec<Term>;

    /// Limits the time of each later check.
    fn set_time_limit(&mut self, limit: Option<Duration>);

    /// A handle that stops checks from another thread.
    fn interrupter(&self) -> Interrupter;
}

/// The model with an evaluator under which all `formulas` are true, or the reason to distrust it: a formula that is false
/// under the model, or without value (a division by zero, a quantifier over a long range).
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

/// Stops checks from another thread. Once interrupted, the running check and all later ones answer
/// [`Reason::Interrupted`], until [`Interrupter::clear`]: a request that falls between two checks is not lost.
#[derive(Clone, Default)]
pub struct Interrupter {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    requested: AtomicBool,
    /// How to stop the check that runs now.
    running: Mutex<Option<Stop>>,
}

impl Interrupter {
    /// A handle that nobody has interrupted.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the running check and all later ones. Returns when the check is over.
    pub fn interrupt(&self) {
        self.shared.requested.store(true, Ordering::SeqCst);
        // A solver may overlook a request that comes while it starts, so it is repeated until the check is over.
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

    /// Runs work that `stop` ends early, called from other threads while `work` runs and never after; `None` if an
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
