//! Looks for counterexamples whose inputs callers can make: objects that constructors and other calls make, and
//! collections with elements.

use crate::check::CheckConfig;
use crate::engines::{Look, Restricted, look};
use crate::referee::{Referee, Unmade};
use aback_ir::{MethodId, Program};
use aback_smt::SmtError;
use aback_symbolic::{Candidate, Query};
use aback_witness::Recording;
use std::time::{Duration, Instant};

/// The least time for inputs that callers can make. Otherwise, it is as long as what has been done before.
const TIME: Duration = Duration::from_secs(2);

/// A counterexample, and the program whose executions start with making its inputs.
pub(crate) type FoundMade = (Program, Candidate, Recording);

/// The search for counterexamples of one entry point with inputs that callers can make.
pub(crate) struct MadeInputs<'a> {
    /// The program whose executions start with making their inputs.
    program: Program,
    query: Query,
    entry: MethodId,
    config: &'a CheckConfig,
    /// Tells which objects no known constructor makes.
    unmade: &'a Unmade<'a>,
    is_done: bool,
}

impl<'a> MadeInputs<'a> {
    /// The search for an entry point. `None` if nothing makes any of its inputs.
    pub(crate) fn new(
        program: &Program,
        entry: MethodId,
        query: &Query,
        config: &'a CheckConfig,
        unmade: &'a Unmade<'a>,
    ) -> Option<Self> {
        let made = program.with_made_inputs(config.making);
        let start = made.start(entry);
        let query = Query { entry: start, ..query.clone() };
        let is_some_made = start != program.start(entry);
        is_some_made.then(|| MadeInputs { program: made, query, entry, config, unmade, is_done: false })
    }

    /// Whether inputs that callers can make come before any inputs: if collections have elements only if they are made.
    pub(crate) fn is_first(&self) -> bool {
        self.program.takes_collections(self.entry)
    }

    /// Whether a counterexample has inputs that no known constructor makes.
    pub(crate) fn is_better_than(&self, candidate: &Candidate, program: &Program) -> bool {
        (self.unmade)(program, self.entry, &candidate.inputs).is_none_or(|unmade| !unmade.is_empty())
    }

    /// Looks for a counterexample, once. `spent` is the time that was spent before. `is_strict`: all its objects are made.
    ///
    /// # Errors
    /// The solver cannot be used.
    pub(crate) fn look(
        &mut self,
        is_strict: bool,
        (spent, deadline): (Duration, Option<Instant>),
    ) -> Result<Option<FoundMade>, SmtError> {
        if std::mem::replace(&mut self.is_done, true) {
            return Ok(None);
        }
        let end = match self.config.operations {
            Some(_) => deadline,
            None => Instant::now().checked_add(spent.max(TIME)).into_iter().chain(deadline).min(),
        };
        let (query, interrupt) = (&self.query, &self.config.interrupt);
        let mut referee = Referee::new(&self.program, query.entry, self.entry, interrupt);
        referee.doubt_collections();
        if is_strict {
            referee.leave_out(self.unmade);
        }
        let Look { .. } = look(&self.program, query, self.config, Restricted::default(), end, &mut referee)?;
        let found = referee.into_recordings().0.into_iter().next();
        Ok(found.map(|(candidate, recording)| (self.program.clone(), candidate, recording)))
    }
}
