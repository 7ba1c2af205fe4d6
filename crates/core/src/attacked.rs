//! A last line of defence: before a proof is told, concrete runs look for a violation for a moment.

use crate::check::CheckConfig;
use aback_attack::{Attack, attack};
use aback_ir::Program;
use aback_symbolic::{Candidate, Gap, Query};
use aback_witness::Inputs;
use std::time::{Duration, Instant};

/// Part of the time that a proof took that it is attacked for.
const SHARE: u32 = 4;
/// The least time, and the most.
const TIME: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(200));
/// Operations of an attack whose effort is not told by time.
const OPERATIONS: u64 = 100_000;

/// How long concrete runs look for a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Not at all.
    None,
    /// A quarter of the time that was spent already, but 20 ms at least and 0.2 s at most.
    Time,
    /// For so many operations, so that the answer is always the same.
    Operations(u64),
}

impl Default for Effort {
    fn default() -> Self {
        Effort::Operations(OPERATIONS)
    }
}

/// Looks for a violation by concrete runs. `spent` is the time that was spent already; the attack ends at the deadline in any case.
pub(crate) fn attacked(
    program: &Program,
    query: &Query,
    config: &CheckConfig,
    spent: Duration,
    deadline: Option<Instant>,
    hints: &[Inputs],
) -> Option<Candidate> {
    let effort = match (config.attack, config.operations) {
        (Effort::Time, Some(_)) => Effort::default(),
        (effort, _) => effort,
    };
    let (operations, end) = match effort {
        Effort::None => return None,
        Effort::Operations(operations) => (operations, None),
        Effort::Time => (u64::MAX, Instant::now().checked_add((spent / SHARE).clamp(TIME.0, TIME.1))),
    };
    let deadline = end.into_iter().chain(deadline).min();
    attack(program, query, &Attack { operations, deadline, interrupt: &config.interrupt, hints })
}

/// Whether a violation that a run of so many operations showed contradicts a proof with these gaps: whether the run stays within
/// the bounds that the proof names. Inputs of an attack keep to the bounds of inputs, a run that gets to a bound of a model ends there,
/// and it nests calls less deeply than the engines follow. How often loops go round is not counted. Classes of objects that arguments lead to
/// are initialized by concrete runs alone, which is beyond a bound.
pub(crate) fn contradicts(program: &Program, gaps: &[Gap], found: &Candidate) -> bool {
    let is_beyond = !gaps.is_empty() && found.inputs.initialize_noticed_classes(program);
    !is_beyond && are_kept(gaps, found.depth)
}

fn are_kept(gaps: &[Gap], steps: u64) -> bool {
    gaps.iter().all(|gap| match gap {
        Gap::Bound { .. } | Gap::Recursion(_) => true,
        Gap::Depth(most) => steps <= *most,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aback_ir::{MethodId, Point, Span};
    use aback_witness::Place;

    #[test]
    fn runs_within_the_bounds_of_a_proof_contradict_it() {
        let point = Point { block: aback_ir::Body::ENTRY, op: 0 };
        let place = Place { method: MethodId(0), point, span: Span::NONE };
        let within = Gap::Bound { what: "strings from inputs have at most 10 characters".into(), place };
        assert!(are_kept(&[], 1000));
        assert!(are_kept(&[within.clone(), Gap::Depth(1000)], 1000));
        assert!(!are_kept(&[within, Gap::Depth(999)], 1000));
        assert!(!are_kept(&[Gap::Unwinding(3)], 1));
    }
}
