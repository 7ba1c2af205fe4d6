//! Finds the methods that may run and whose code is analysed: code of the program, but not platform code.

use super::callbacks::{is_made_up, selected_by_libraries};
use crate::body::{Body, Dispatch, Expr, ExprId, OpKind, TerminatorKind};
use crate::program::{ClassId, MethodId, MethodKind, Program, Type};
use crate::runtime::Made;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The methods that an execution of `entry` may run, its preconditions included, without those of platform code.
pub fn reached(program: &Program, entry: MethodId) -> Vec<MethodId> {
    let conditions = program.preconditions(entry).iter().map(|condition| condition.method);
    closure(program, conditions.chain([entry]), Follow::Everything)
}

/// The methods that any execution of the program's code may run, without those of platform code.
pub fn all_reached(program: &Program) -> Vec<MethodId> {
    closure(program, program.own_methods(), Follow::Everything)
}

/// Reads all code of the program, which may make more of it: instances of generic methods.
pub(super) fn read_own_code(program: &Program) {
    loop {
        let known = program.method_count();
        program.own_methods().for_each(|method| _ = program.body(method));
        if program.method_count() == known {
            return;
        }
    }
}

/// The classes of which these methods allocate objects.
pub fn allocated(program: &Program, methods: &[MethodId]) -> FxHashSet<ClassId> {
    let ops = methods.iter().filter_map(|&method| code(program, method)).flat_map(Body::ops);
    let made = ops.filter_map(|(_, op)| match op.kind {
        OpKind::New { class, .. } => Some(class),
        _ => None,
    });
    made.collect()
}

/// The operations that lead from one method to others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Follow {
    /// Calls and class initialization.
    Everything,
    CallsOnly,
}

/// Something that leads to methods when it runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Step {
    Method(MethodId),
    Call(Dispatch, MethodId),
    /// Platform code that calls nothing of the program.
    Platform,
    /// Platform code that gets objects of the program and may call their methods.
    CallsBack,
}

/// What a step leads to. The code of a method is looked at only if it is analysed.
pub(super) fn next(program: &Program, step: Step, follow: Follow) -> Vec<Step> {
    let methods = |found: Vec<MethodId>| found.into_iter().map(Step::Method).collect();
    match step {
        Step::Method(method) => {
            let mut found = Vec::new();
            for (_, op) in code(program, method).into_iter().flat_map(Body::ops) {
                match op.kind {
                    OpKind::Call { dispatch, method: named, .. } => found.push(Step::Call(dispatch, named)),
                    OpKind::Ensure { method, .. } if follow == Follow::Everything => found.push(Step::Method(method)),
                    // A function object: whatever gets it may call it. A class object initializes its class only for
                    // code that calls methods by name.
                    OpKind::New { class, .. } if is_made_up(program, class) => {
                        let methods = program.class(class).methods.iter().copied();
                        let called = methods.filter(|&method| !program.is_initializer(method));
                        found.extend(called.map(Step::Method));
                    }
                    _ => {}
                }
            }
            found
        }
        Step::Call(dispatch, named) => {
            let mut callees = targets(program, dispatch, named);
            // Objects of such classes are those that the found methods make.
            callees.retain(|&callee| {
                let class = program.method(callee).class;
                dispatch != Dispatch::Virtual || !is_made_up(program, class) || !program.is_own_pointer(class)
            });
            let mut found: Vec<Step> = methods(callees);
            if runs_platform_code(program, dispatch, named) {
                found.push(if takes_objects(program, named) { Step::CallsBack } else { Step::Platform });
            }
            found
        }
        // What a model does to arguments is what the method does that it describes, but it may have static fields.
        Step::Platform => methods(program.models()),
        Step::CallsBack => {
            let mut found: Vec<Step> = methods(selected_by_libraries(program).into_iter().collect());
            found.push(Step::Platform);
            found
        }
    }
}

/// The given methods and all that they lead to, as far as their code is analysed.
pub(super) fn closure(program: &Program, start: impl IntoIterator<Item = MethodId>, follow: Follow) -> Vec<MethodId> {
    closure_without(program, start, follow, &FxHashSet::default())
}

/// The methods that are found from the first ones if nothing runs the methods in `without`.
pub(super) fn closure_without(
    program: &Program,
    start: impl IntoIterator<Item = MethodId>,
    follow: Follow,
    without: &FxHashSet<MethodId>,
) -> Vec<MethodId> {
    let mut seen: FxHashSet<Step> = without.iter().copied().map(Step::Method).collect();
    let mut found = Vec::new();
    let mut pending: Vec<Step> = start.into_iter().map(Step::Method).collect();
    while let Some(step) = pending.pop() {
        if !seen.insert(step) {
            continue;
        }
        if let Step::Method(method) = step
            && code(program, method).is_some()
        {
            found.push(method);
        }
        pending.extend(next(program, step, follow));
    }
    found
}

/// Those of some methods that may run a method with a property. They may have the property themselves. Platform code
/// does not count.
pub fn leading_to(program: &Program, starts: &[MethodId], is_goal: impl Fn(MethodId) -> bool) -> FxHashSet<MethodId> {
    let mut before: FxHashMap<Step, Vec<Step>> = FxHashMap::default();
    let mut seen: FxHashSet<Step> = starts.iter().copied().map(Step::Method).collect();
    let mut pending: Vec<Step> = seen.iter().copied().collect();
    let mut goals = Vec::new();
    while let Some(step) = pending.pop() {
        if matches!(step, Step::Method(method) if code(program, method).is_some() && is_goal(method)) {
            goals.push(step);
            continue;
        }
        for after in next(program, step, Follow::Everything) {
            before.entry(after).or_default().push(step);
            if seen.insert(after) {
                pending.push(after);
            }
        }
    }
    let mut leading = FxHashSet::default();
    while let Some(step) = goals.pop() {
        if leading.insert(step) {
            goals.extend(before.remove(&step).into_iter().flatten());
        }
    }
    starts.iter().copied().filter(|&start| leading.contains(&Step::Method(start))).collect()
}

/// Whether a call may run platform code.
pub fn runs_platform_code(program: &Program, dispatch: Dispatch, named: MethodId) -> bool {
    let class = program.method(named).class;
    match dispatch {
        Dispatch::Static | Dispatch::Special => !is_looked_at(program, class),
        // A class of the program may inherit platform code.
        Dispatch::Virtual => {
            !is_looked_at(program, class)
                || targets_of(program, named).iter().any(|&target| !is_looked_at(program, program.method(target).class))
        }
    }
}

/// The methods that a call may run, as far as their code is analysed.
pub(super) fn targets(program: &Program, dispatch: Dispatch, named: MethodId) -> Vec<MethodId> {
    let mut found = match dispatch {
        Dispatch::Static | Dispatch::Special => vec![named],
        Dispatch::Virtual => targets_of(program, named).to_vec(),
    };
    found.retain(|&target| is_looked_at(program, program.method(target).class));
    found
}

fn targets_of(program: &Program, named: MethodId) -> Arc<[MethodId]> {
    program.known_targets(Some(named), || find_targets(program, named))
}

fn find_targets(program: &Program, named: MethodId) -> Vec<MethodId> {
    let below = program.subclasses(program.method(named).class).into_iter();
    let concrete = below.filter(|&class| {
        let declared = program.class(class);
        is_looked_at(program, class) && !declared.is_abstract && !declared.is_interface
    });
    let mut found: Vec<MethodId> = concrete.map(|class| program.dispatch(class, named)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether a call may pass objects of the program to platform code, which may call their methods.
pub(super) fn takes_objects(program: &Program, named: MethodId) -> bool {
    if !program.may_call_back(named) {
        return false;
    }
    let declared = program.method(named);
    let own = if declared.kind == MethodKind::Constructor { 1 } else { 0 };
    declared.params.iter().skip(own).any(|&ty| match ty {
        Type::Array(array) => is_mutable(program, program.element_type(array)),
        ty => is_mutable(program, ty),
    })
}

pub(super) fn is_looked_at(program: &Program, class: ClassId) -> bool {
    !program.is_platform(class) || is_made_up(program, class)
}

pub(super) fn code(program: &Program, method: MethodId) -> Option<&Body> {
    if is_looked_at(program, program.method(method).class) { program.body(method) } else { None }
}

/// Whether objects of a type may change.
pub(super) fn is_mutable(program: &Program, ty: Type) -> bool {
    match ty {
        Type::Array(_) => true,
        Type::Class(class) => !program.is_immutable(class),
        _ => false,
    }
}

/// Deepest nesting of calls that is followed to find what a call returns.
pub(super) const CALLS: u32 = 3;

/// Whether an expression of a method refers to an object that the method itself allocates, so that its class is known.
pub fn is_made_here(program: &Program, method: MethodId, object: ExprId) -> bool {
    makes(program, method, object, 0)
}

/// Whether an expression refers to an object that the method or its callees allocate. This may be a copy of an object
/// of any class.
pub(super) fn is_new(program: &Program, method: MethodId, object: ExprId) -> bool {
    makes(program, method, object, CALLS)
}

/// Like [`is_new`], but follows at most `calls` nested calls.
fn makes(program: &Program, method: MethodId, object: ExprId, calls: u32) -> bool {
    let Some(body) = program.body(method) else { return false };
    let mut value = object;
    // A new object is often copied to a named variable.
    for _ in 0..4 {
        let local = match *body.expr(value) {
            Expr::Local(local) => local,
            Expr::Convert { value: converted, .. } => {
                value = converted;
                continue;
            }
            _ => return false,
        };
        if local.index() < program.method(method).params.len() {
            return false;
        }
        let mut sources = body.ops().filter(|(_, op)| op.kind.dst() == Some(local));
        value = match (sources.next().map(|(_, op)| &op.kind), sources.next()) {
            (Some(OpKind::New { .. } | OpKind::NewArray { .. }), None) => return true,
            (Some(&OpKind::Call { dispatch, method: named, .. }), None) => {
                let looked_at = targets(program, dispatch, named);
                let is_new =
                    !runs_platform_code(program, dispatch, named) || program.passing(named).made == Made::Holds;
                return is_new
                    && calls > 0
                    && looked_at.into_iter().all(|callee| makes_result(program, callee, calls - 1));
            }
            (Some(&OpKind::Assign { value, .. } | &OpKind::Cast { object: value, .. }), None) => value,
            _ => return false,
        };
    }
    false
}

/// Whether a method always returns an object that it allocates.
fn makes_result(program: &Program, method: MethodId, calls: u32) -> bool {
    program.body(method).is_some_and(|body| {
        body.blocks.iter().all(|block| match block.terminator.kind {
            TerminatorKind::Return(Some(value)) => makes(program, method, value, calls),
            _ => true,
        })
    })
}
