//! Asks again about all choices that the platform has, where an answer holds for one of them.

use crate::engines::{Look, Restricted, Task, end_of_another, look};
use crate::referee::Referee;
use aback_ir::{FixedChoice, Program};
use aback_smt::SmtError;
use aback_symbolic::Gap;
use std::time::{Duration, Instant};

/// Least time for the second look. Where the first one took longer, the second one may take as long.
const TIME: Duration = Duration::from_secs(1);

/// Looks for violations, and if there are none with one choice of the platform ([`FixedChoice`]), with any.
///
/// A proof counts. A violation does not, because it depends on what no run can be made to choose: then the answer is about
/// the one choice. Beside the look: whether the deadline ended the second one.
pub(crate) fn look_with_any_choice(
    task: Task,
    inputs: Restricted,
    referee: &mut Referee,
) -> Result<(Look, bool), SmtError> {
    let Task { program, query, config, deadline } = task;
    let begin = Instant::now();
    let fixed = look(task, inputs, referee)?;
    let Some(choice) = program.fixed_choice().filter(|choice| holds_for_one(choice, &fixed)) else {
        return Ok((fixed, false));
    };
    let Some(any) = with_any(program, &choice) else { return Ok((fixed, false)) };
    let end = end_of_another(config, begin.elapsed().max(TIME), deadline);
    let mut judge = Referee::new(&any, query.entry, query.entry, &config.interrupt);
    let open = look(Task { program: &any, deadline: end, ..task }, inputs, &mut judge)?;
    let exploration = &open.findings.exploration;
    if exploration.is_proof() && exploration.gaps.is_empty() {
        return Ok((open, false));
    }
    let is_time = end.is_some() && end == deadline && exploration.gaps.contains(&Gap::Time);
    Ok((fixed, is_time))
}

/// Whether a look has found a proof whose only bound is that the platform chooses in one way.
fn holds_for_one(choice: &FixedChoice, look: &Look) -> bool {
    let exploration = &look.findings.exploration;
    let is_it = |gap: &Gap| matches!(gap, Gap::Bound { place, .. } if place.method == choice.fixed);
    exploration.is_proof() && !exploration.gaps.is_empty() && exploration.gaps.iter().all(is_it)
}

/// The program in which the platform may choose in any way.
fn with_any(program: &Program, choice: &FixedChoice) -> Option<Program> {
    let body = program.body(choice.any)?.clone();
    Some(program.with_bodies([(choice.fixed, body)]))
}
