//! Attacks proofs: before a proof is reported, concrete runs look for a violation for a short time.

use crate::check::CheckConfig;
use aback_attack::{Attack, attack};
use aback_ir::{ClassId, Program};
use aback_symbolic::{Candidate, Gap, Query};
use aback_witness::{InputObject, InputValue, Inputs};
use num_bigint::BigInt;
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};

/// An attack on a proof takes this fraction (one in `SHARE`) of the time that the proof took.
const SHARE: u32 = 4;
/// The least and the most time of an attack.
const TIME: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(200));
/// Default number of operations of an attack that is not limited by time.
const OPERATIONS: u64 = 100_000;

/// How much work concrete runs do to find a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// No concrete runs.
    None,
    /// A quarter of the time that was spent already, at least 20 ms and at most 0.2 s.
    Time,
    /// This number of operations, so that the answer is always the same.
    Operations(u64),
}

impl Default for Effort {
    fn default() -> Self {
        Effort::Operations(OPERATIONS)
    }
}

/// Looks for a violation by concrete runs. `spent` is the time that was spent already. The attack ends at the
/// deadline in any case.
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
        .filter(|found| !has_impossible_null(program, &found.inputs))
}

/// Looks for a violation by concrete runs until the deadline, or until the interrupt. Without a deadline, not at all, as
/// nothing else would end it.
pub(crate) fn searched(
    program: &Program,
    query: &Query,
    config: &CheckConfig,
    deadline: Option<Instant>,
) -> Option<Candidate> {
    if config.attack == Effort::None || deadline.is_none() {
        return None;
    }
    let limits = Attack { operations: u64::MAX, deadline, interrupt: &config.interrupt, hints: &[] };
    attack(program, query, &limits).filter(|found| !has_impossible_null(program, &found.inputs))
}

/// Whether a field is null that is not null in any object that exists when the program starts.
fn has_impossible_null(program: &Program, inputs: &Inputs) -> bool {
    inputs.heap.iter().any(|object| match object {
        InputObject::Object { class, fields } => program.instance_fields(*class).into_iter().any(|field| {
            let is_null = fields.get(&field).is_none_or(|value| *value == InputValue::Null);
            is_null && program.field(field).ty.is_reference() && program.is_never_null(field)
        }),
        InputObject::Array { .. } => false,
    })
}

/// Whether a violation that a concrete run has found contradicts a proof with these gaps, because the run stays
/// within the bounds that the proof names. Inputs of an attack respect the bounds of inputs. A run that reaches a
/// bound of a model ends there, and a run nests fewer calls than the engines follow. Iterations of loops are not
/// counted. Only concrete runs initialize the classes of objects that are reachable from arguments, so that such a
/// run is beyond a bound. So is one with objects of other classes than those that were loaded (`known`) when the proof was looked for.
pub(crate) fn contradicts(program: &Program, gaps: &[Gap], found: &Candidate, known: &FxHashSet<ClassId>) -> bool {
    let is_known = |object: &InputObject| match object {
        InputObject::Object { class, .. } => known.contains(class),
        InputObject::Array { .. } => true,
    };
    let is_beyond_bound =
        || !found.inputs.heap.iter().all(is_known) || found.inputs.initialize_noticed_classes(program);
    let is_beyond = !gaps.is_empty() && is_beyond_bound() || exceeds_limits(program, &found.inputs);
    !is_beyond && are_kept(gaps, found.depth)
}

/// Whether inputs are larger than the ones that engines look at.
fn exceeds_limits(program: &Program, inputs: &Inputs) -> bool {
    let limits = program.input_limits();
    let is_long = |object: &InputObject, most: u32| match object {
        InputObject::Array { length, .. } => *length > BigInt::from(most),
        InputObject::Object { .. } => false,
    };
    limits.objects.is_some_and(|most| inputs.heap.len() > most as usize)
        || limits.elements.is_some_and(|most| inputs.heap.iter().any(|object| is_long(object, most)))
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
    use aback_ir::{InputLimits, MethodId, Point, Span};
    use aback_witness::Place;

    #[test]
    fn a_run_with_inputs_beyond_the_limits_contradicts_no_proof() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("Main.oox");
        let text = "class Main { static void main(int[] a) { if (a != null) { assert #a != 3; } } }";
        std::fs::write(&file, text).unwrap();
        let session = crate::Session::open(&[file], &crate::LoadConfig::default()).unwrap();
        for elements in [2, 3] {
            let input_limits = InputLimits { elements: Some(elements), objects: None };
            let answer = session.check(&CheckConfig { input_limits, ..CheckConfig::default() }).unwrap();
            assert_eq!((answer.verdict, answer.refuted_proof), (crate::Verdict::Violated, false));
        }
        let answer = session.check(&CheckConfig {
            input_limits: InputLimits { elements: Some(2), objects: Some(1) },
            attack: Effort::None,
            ..CheckConfig::default()
        });
        assert_eq!(answer.unwrap().verdict, crate::Verdict::HoldsWithinBounds);
    }

    fn place() -> Place {
        let point = Point { block: aback_ir::Body::ENTRY, op: 0 };
        Place { method: MethodId(0), point, span: Span::NONE }
    }

    #[test]
    fn a_run_with_classes_that_were_loaded_later_contradicts_no_proof_within_bounds() {
        let text = "class Main { static void main(Main a) { assert a == null; } }";
        let program = aback_lang_oox::load(vec![("Main.oox".into(), text.into())]).program;
        let class = program.class_named("Main").unwrap();
        let object = InputObject::Object { class, fields: Default::default() };
        let inputs = Inputs { args: vec![InputValue::Ref(0)], heap: vec![object], ..Inputs::default() };
        let fault = aback_symbolic::Fault::Assertion(aback_ir::AssertKind::Assert);
        let found = Candidate { fault, place: place(), inputs, depth: 1, is_sliced: false };
        let bound = Gap::Bound { what: "inputs of type Main are instances of loaded classes".into(), place: place() };
        let (all, none) = (FxHashSet::from_iter([class]), FxHashSet::default());
        assert!(contradicts(&program, std::slice::from_ref(&bound), &found, &all));
        assert!(!contradicts(&program, &[bound], &found, &none));
        assert!(contradicts(&program, &[], &found, &none));
    }

    #[test]
    fn runs_within_the_bounds_of_a_proof_contradict_it() {
        let place = place();
        let within = Gap::Bound { what: "strings from inputs have at most 10 characters".into(), place };
        assert!(are_kept(&[], 1000));
        assert!(are_kept(&[within.clone(), Gap::Depth(1000)], 1000));
        assert!(!are_kept(&[within, Gap::Depth(999)], 1000));
        assert!(!are_kept(&[Gap::Unwinding(3)], 1));
    }
}
