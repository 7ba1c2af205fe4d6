//! Looks for counterexamples whose inputs callers can make: objects that constructors and other calls make, and
//! collections with elements.

use crate::check::CheckConfig;
use crate::engines::{Look, Restricted, look};
use crate::referee::{Referee, Unmade};
use aback_ir::{MethodId, Program};
use aback_smt::SmtError;
use aback_symbolic::{Candidate, Gap, Query};
use aback_witness::Recording;
use std::time::{Duration, Instant};

/// The least time for inputs that callers can make. Otherwise, it is as long as what has been done before.
const TIME: Duration = Duration::from_secs(2);

/// What was found among the inputs that callers can make.
pub(crate) struct Made {
    /// The program whose executions start with making their inputs.
    pub(crate) program: Program,
    /// The counterexample, with the recording of its run.
    pub(crate) found: Option<(Candidate, Recording)>,
    /// What was left out.
    pub(crate) gaps: Vec<Gap>,
}

/// Looks for a counterexample of an entry point with inputs that callers can make. `spent` is the time that was spent
/// before. `None` if nothing makes any of the inputs.
pub(crate) fn look_for_made(
    program: &Program,
    entry: MethodId,
    query: &Query,
    config: &CheckConfig,
    unmade: Option<&Unmade>,
    (spent, deadline): (Duration, Option<Instant>),
) -> Result<Option<Made>, SmtError> {
    let made = program.with_made_inputs(config.making);
    let start = made.start(entry);
    if start == program.start(entry) {
        return Ok(None);
    }
    let end = match config.operations {
        Some(_) => deadline,
        None => Instant::now().checked_add(spent.max(TIME)).into_iter().chain(deadline).min(),
    };
    let query = Query { entry: start, ..query.clone() };
    let mut referee = Referee::new(&made, start, entry, &config.interrupt);
    if let Some(unmade) = unmade {
        referee.leave_out(unmade);
    }
    let Look { findings, .. } = look(&made, &query, config, Restricted::default(), end, &mut referee)?;
    let found = referee.into_recordings().0.into_iter().next();
    Ok(Some(Made { found, gaps: findings.exploration.gaps, program: made }))
}
