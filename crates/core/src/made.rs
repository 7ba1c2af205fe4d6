//! Looks for counterexamples whose inputs callers can make: objects that constructors and other calls make, and
//! collections with elements.

use crate::before::bound;
use crate::check::CheckConfig;
use crate::engines::{Restricted, Task, end_of_another, look};
use crate::referee::{Referee, Unmade};
use aback_ir::{MakingLimits, MethodId, Program, Type};
use aback_smt::SmtError;
use aback_symbolic::inputs::null_bound;
use aback_symbolic::{Candidate, Gap, Query};
use aback_witness::Recording;
use std::time::{Duration, Instant};

/// The least time for inputs that callers can make. Otherwise, it is as long as what has been done before.
const TIME: Duration = Duration::from_secs(2);

/// What the search has found.
pub(crate) enum Made {
    /// A counterexample, and the program whose executions start with making its inputs.
    Found(Program, Box<(Candidate, Recording)>),
    /// There is none within these bounds.
    None(Vec<Gap>),
    /// The search did not end, maybe because of time.
    Unknown { is_time: bool },
}

impl Made {
    /// Whether there is a counterexample.
    pub(crate) fn is_found(&self) -> bool {
        matches!(self, Made::Found(..))
    }
}

/// Looks for a counterexample of an entry point with inputs that callers can make. `unmade` tells which objects no known
/// constructor makes; `is_strict`: there are none of these. `spent` is the time that was spent before.
///
/// # Errors
/// The solver cannot be used.
pub(crate) fn look_for_made(
    program: &Program,
    entry: MethodId,
    query: &Query,
    config: &CheckConfig,
    (unmade, is_strict): (&Unmade, bool),
    (spent, deadline): (Duration, Option<Instant>),
) -> Result<Made, SmtError> {
    let making = program.with_made_inputs(config.making);
    let query = Query { entry: making.start(entry), ..query.clone() };
    if query.entry == program.start(entry) {
        // Nothing makes any of the inputs.
        return Ok(Made::Unknown { is_time: false });
    }
    let end = end_of_another(config, spent.max(TIME), deadline);
    let mut referee = Referee::new(&making, query.entry, entry, &config.interrupt).knowing(&config.known);
    referee.doubt_collections();
    if is_strict {
        referee.leave_out(unmade);
    }
    let task = Task { program: &making, query: &query, config, deadline: end };
    let found = look(task, Restricted::default(), &mut referee)?;
    let mut gaps = found.findings.exploration.gaps;
    let first = referee.into_recordings().0.into_iter().next();
    Ok(match first {
        Some(first) => Made::Found(making, Box::new(first)),
        None if gaps.iter().all(Gap::is_bound) => {
            gaps.push(bound(inputs_bound(config.making), query.entry));
            Made::None(gaps)
        }
        None => Made::Unknown { is_time: gaps.contains(&Gap::Time) },
    })
}

/// The bound of inputs that are made within limits.
pub(crate) fn inputs_bound(limits: MakingLimits) -> String {
    let MakingLimits { calls, elements, .. } = limits;
    format!(
        "inputs are made in known ways, with at most {calls} calls on each object and at most {elements} elements in a \
         collection"
    )
}

/// Adds to the gaps of a search among all inputs what another search has found: that there is no counterexample within
/// `bounds` with inputs that callers can make.
pub(crate) fn restrict(gaps: &mut Vec<Gap>, bounds: Vec<Gap>, program: &Program) {
    if !gaps.iter().all(Gap::is_bound) {
        // Nothing is known about all inputs.
        *gaps = bounds;
        return;
    }
    let is_left_out = left_out(program);
    if gaps.iter().any(&is_left_out) {
        gaps.retain(|gap| !is_left_out(gap));
        gaps.extend(bounds.into_iter().filter(|bound| !is_left_out(bound)));
    }
}

/// Whether a search among all inputs leaves out objects that calls make.
pub(crate) fn leaves_out_made(gaps: &[Gap], program: &Program) -> bool {
    gaps.iter().any(left_out(program))
}

/// Whether a gap is that of inputs without objects of a class that calls make.
fn left_out(program: &Program) -> impl Fn(&Gap) -> bool + use<> {
    let made = program.classes().map(|(class, _)| class).filter(|&class| program.is_made_by_calls(class));
    let bounds: Vec<String> = made.map(|class| null_bound(program, Type::Class(class))).collect();
    move |gap| matches!(gap, Gap::Bound { what, .. } if bounds.contains(what))
}
