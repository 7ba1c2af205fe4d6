//! The search that joins the states behind branches when many paths wait ([`Merge::Auto`]): in a thread beside the configured
//! engine, or, with a single job, in the middle of its search.

use crate::check::{CheckConfig, Merge};
use crate::engines::{Engine, Look, Restricted, Task, is_answer, look_with, share};
use crate::referee::Referee;
use aback_forward::{Choices, HeapKind};
use aback_smt::SmtError;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Number of waiting paths from which on this search pays.
const MANY_WAITING: u64 = 200;
/// Time that the configured engine has alone, so that easy questions cost no more.
const LATER: Duration = Duration::from_millis(700);
/// With a single job, this search gets one in so many parts of what is left of the time, or of the operations.
const PART: u32 = 3;

/// Whether the search may be of use: states can be joined, and not every path is wanted.
pub(crate) fn is_possible(config: &CheckConfig) -> bool {
    config.merging == Merge::Auto
        && config.engine != Engine::Backward
        && config.heap == HeapKind::Combined
        && config.counterexamples <= 1
        && !config.ways
}

/// When the search begins.
pub(crate) struct Beginning {
    /// The earliest time.
    at: Option<Instant>,
}

impl Beginning {
    /// When it begins if the configured engine begins now. `None` if it never does.
    pub(crate) fn of(task: Task) -> Option<Beginning> {
        let Task { config, deadline, .. } = task;
        // What a limit of operations leaves open must not depend on the speed of the machine.
        let at = config.operations.is_none().then(|| Instant::now() + LATER.min(share(deadline)));
        is_possible(config).then_some(Beginning { at })
    }

    /// Whether it begins now, while so many paths wait.
    pub(crate) fn is_due(&self, waiting: u64) -> bool {
        waiting >= MANY_WAITING && self.at.is_none_or(|at| Instant::now() >= at)
    }
}

/// Runs the search. `config` is that of the task, for the thread in which it runs.
pub(crate) fn look_with_joins(task: Task, config: CheckConfig, judge: &mut Referee) -> Result<Look, SmtError> {
    // To fork at references is the opposite.
    let config = CheckConfig { merging: Merge::Regions, choices: Choices::Keep, ..config };
    look_with(Engine::Forward, Task { config: &config, ..task }, Restricted::default(), judge)
}

/// The search in the middle of another one, which asks for it again and again.
pub(crate) struct InTheMiddle<'a> {
    task: Task<'a>,
    beginning: Option<Beginning>,
    judge: Referee<'a>,
    /// The answer, or why there is none.
    found: Option<Result<Look, SmtError>>,
}

impl<'a> InTheMiddle<'a> {
    /// The search in the middle of the one for this task.
    pub(crate) fn new(task: Task<'a>, judge: Referee<'a>) -> Option<Self> {
        let beginning = Some(Beginning::of(task)?);
        Some(InTheMiddle { task, beginning, judge, found: None })
    }

    /// Runs the search if it is due while so many paths wait. Returns whether it has ended the other one.
    pub(crate) fn ends(&mut self, waiting: u64) -> bool {
        if self.beginning.take_if(|beginning| beginning.is_due(waiting)).is_some() {
            let Task { config, deadline, .. } = self.task;
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let end = left.and_then(|left| Instant::now().checked_add(left / PART));
            let deadline = if config.operations.is_some() { deadline } else { end };
            let own = CheckConfig {
                operations: config.operations.map(|most| most / u64::from(PART)),
                progress: Arc::default(),
                ..config.clone()
            };
            let found = look_with_joins(Task { deadline, ..self.task }, own, &mut self.judge);
            self.found = Some(found).filter(|found| found.as_ref().map_or(true, |found| is_answer(found, config)));
        }
        self.found.is_some()
    }

    /// What was found, if it has ended the other search, and what judged it.
    pub(crate) fn into_found(self) -> Option<(Result<Look, SmtError>, Referee<'a>)> {
        Some((self.found?, self.judge))
    }
}
