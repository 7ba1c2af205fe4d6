//! Finds out whether the callers of an entry point are to blame for a violation, rather than the program.
//!
//! This is about what programmers mean, and decides only how prominent a violation is.

use crate::answer::Violation;
use crate::plain_objects::without_null_elements;
use aback_ir::analysis::{passes_parameters, provides_for_null};
use aback_ir::{MethodId, MethodKind, Program};
use aback_symbolic::Candidate;
use aback_witness::{Limits, Outcome, run};
use std::sync::atomic::AtomicBool;

/// What speaks for it that callers are to blame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blame {
    /// Whether the violation may be about the arguments of the entry point, so that this would refuse them: it has parameters, and
    /// the violation is in the entry point itself, or in code that only runs as a part of it: in private methods, in other
    /// constructors of the same object, and in overloads of the same name. If it is in a library, the call passes a value that is
    /// computed from a parameter.
    pub may_refuse: bool,
    /// The class of the exception that leaves the entry point and its superclasses, nearest first, by name.
    pub classes: Vec<String>,
    /// The parameters that get null although nothing in the program provides for that, by index, with their names. The receiver
    /// is the first parameter.
    pub nulls: Vec<(usize, String)>,
    /// Whether the violation is there only because an array of the inputs has null in it.
    pub null_elements: bool,
}

impl Blame {
    /// What `violation`, which is one of `program`, says about the callers. A run may tell, which `interrupt` stops.
    pub fn of(program: &Program, violation: &Violation, interrupt: &AtomicBool) -> Blame {
        let method = program.method(violation.entry);
        let has_parameters = method.params.len() > usize::from(method.kind != MethodKind::Static);
        let are_parts = |activations: Vec<MethodId>| {
            activations.windows(2).all(|pair| matches!(*pair, [caller, callee] if is_part(program, caller, callee)))
        };
        let activations = activations(violation).unwrap_or_default();
        let is_about_state = violation.library_method(program).is_some()
            && activations.last().is_some_and(|&method| !passes_parameters(program, method, violation.span));
        let may_refuse = has_parameters && !activations.is_empty() && are_parts(activations) && !is_about_state;
        let names = program.body(violation.entry).map_or(&[][..], |body| &body.locals);
        let unexpected = |&&index: &&usize| !provides_for_null(program, violation.entry, index);
        let nulls = violation.null_arguments.iter().filter(unexpected);
        let nulls = nulls.filter_map(|&index| Some((index, names.get(index)?.name.clone()))).collect();
        let null_elements = needs_null_elements(program, violation, interrupt);
        let classes = violation.class.into_iter().flat_map(|class| program.superclass_chain(class));
        let classes = classes.map(|class| program.class_name(class).to_owned()).collect();
        Blame { may_refuse, classes, nulls, null_elements }
    }
}

/// Whether the violation is gone where plain objects take the place of null in arrays.
fn needs_null_elements(program: &Program, violation: &Violation, interrupt: &AtomicBool) -> bool {
    let Some(inputs) = without_null_elements(program, &violation.inputs) else { return false };
    let Violation { fault, place, .. } = *violation;
    let limits = Limits { max_steps: violation.max_steps, interrupt: Some(interrupt), ..Limits::default() };
    let outcome = run(program, program.start(violation.entry), &inputs, limits, &mut ());
    let without = Candidate { fault, place, inputs, depth: 0, is_sliced: false };
    match outcome {
        Ok(outcome @ (Outcome::Returned(_) | Outcome::Uncaught { .. } | Outcome::AssertionFailed { .. })) => {
            !without.is_shown_by(&outcome)
        }
        _ => false,
    }
}

/// The activations of the user's own code at the end of the path, the entry point first. `None` if a gap hides some.
fn activations(violation: &Violation) -> Option<Vec<MethodId>> {
    let (omitted, gap) = violation.omitted;
    let mut found = Vec::new();
    let mut above = usize::MAX;
    for (index, entry) in violation.path.iter().enumerate().rev() {
        if entry.depth < above {
            found.push(entry.method);
            above = entry.depth;
        }
        if above == 0 {
            found.reverse();
            return Some(found);
        }
        if omitted > 0 && index == gap {
            return None;
        }
    }
    None
}

/// Whether a callee runs as a part of its caller.
fn is_part(program: &Program, caller: MethodId, callee: MethodId) -> bool {
    let (from, to) = (program.method(caller), program.method(callee));
    let are_constructors = [from, to].iter().all(|method| method.kind == MethodKind::Constructor);
    let is_overload = from.class == to.class && from.name == to.name;
    program.is_private(callee) || is_overload || are_constructors && program.is_subclass(from.class, to.class)
}
