//! Finds out whether a question about assertions is about any.

use crate::before::{bound, shortened};
use crate::check::{CheckConfig, Question};
use crate::violations::Exceptions;
use aback_ir::{Body, FileId, MethodId, OpKind, Point, Program};
use aback_symbolic::Gap;
use rustc_hash::FxHashSet;

/// The reason why a question is about nothing: only assertions count, and there is none at the places in question, or
/// in the whole program.
pub(crate) fn asks_nothing(
    program: &Program,
    at: Option<&FxHashSet<(MethodId, Point)>>,
    config: &CheckConfig,
) -> Option<Gap> {
    let violations = &config.violations;
    if config.question != Question::Violation || !violations.assertions || violations.exceptions != Exceptions::None {
        return None;
    }
    let what = match (at, &config.at) {
        (Some(points), Some(line)) => {
            if points.iter().any(|&(method, point)| is_assertion(program, method, point)) {
                return None;
            }
            let place = format!("there is no assertion at {}:{}", line.file, line.line);
            let lost = program.profile().lost_assertions.filter(|_| !has_assertions(program));
            match (wrapper(program, points), lost) {
                (Some(name), _) => format!("{place}; `--assert-method {name}` makes each call of {name} an assertion"),
                (None, Some(lost)) => format!("{place}, nor anywhere else in the program: {lost}"),
                (None, None) => place,
            }
        }
        _ => {
            let lost = program.profile().lost_assertions?;
            if has_assertions(program) {
                return None;
            }
            format!("there is no assertion in the program: {lost}; `--traps` asks about exceptions")
        }
    };
    Some(Gap::NoAssertion { what })
}

/// The places among these that a question is about: the assertions, if only they count and there are any.
pub(crate) fn places(
    program: &Program,
    mut points: FxHashSet<(MethodId, Point)>,
    config: &CheckConfig,
) -> FxHashSet<(MethodId, Point)> {
    let is_asked = |&(method, point): &(MethodId, Point)| is_assertion(program, method, point);
    if config.violations.exceptions == Exceptions::None && points.iter().any(is_asked) {
        points.retain(is_asked);
    }
    points
}

/// The bound that results from the methods of the program from number `known` on, if a question about these places is
/// about them, too: they were made while it was answered, as instances of generic methods that only libraries call.
/// Without places, it is about all assertions.
pub(crate) fn made_later(
    program: &Program,
    known: usize,
    at: Option<&FxHashSet<(MethodId, Point)>>,
    start: MethodId,
) -> Option<Gap> {
    let lines: Option<FxHashSet<(FileId, u32)>> = at.map(|at| {
        let spans = at.iter().filter_map(|&(method, point)| {
            let block = program.body(method)?.block(point.block);
            Some(block.ops.get(point.op as usize).map_or(block.terminator.span, |op| op.span))
        });
        spans.map(|span| (span.file, span.line)).collect()
    });
    let is_asked = |&method: &MethodId| {
        let mut ops = program.body(method).into_iter().flat_map(Body::ops);
        ops.any(|(_, op)| match &lines {
            Some(lines) => lines.contains(&(op.span.file, op.span.line)),
            None => matches!(op.kind, OpKind::Assert { .. }),
        })
    };
    let later = program.own_methods().skip(known).filter(is_asked);
    let names: Vec<String> = later.map(|method| program.source_name(method)).collect();
    let what =
        || format!("the question is not about methods that were made while it was answered: {}", shortened(&names));
    (!names.is_empty()).then(|| bound(what(), start))
}

fn is_assertion(program: &Program, method: MethodId, point: Point) -> bool {
    let op = program.body(method).and_then(|body| body.block(point.block).ops.get(point.op as usize));
    op.is_some_and(|op| matches!(op.kind, OpKind::Assert { .. }))
}

fn asserts(body: &Body) -> bool {
    body.ops().any(|(_, op)| matches!(op.kind, OpKind::Assert { .. }))
}

fn has_assertions(program: &Program) -> bool {
    program.own_methods().filter_map(|method| program.body(method)).any(asserts)
}

/// A method of the program that is called at one of these points with a truth value, and that has an assertion or does
/// nothing.
fn wrapper(program: &Program, points: &FxHashSet<(MethodId, Point)>) -> Option<String> {
    let mut names: Vec<String> = points
        .iter()
        .filter_map(|&(method, point)| {
            let op = program.body(method)?.block(point.block).ops.get(point.op as usize)?;
            let OpKind::Call { method: called, .. } = op.kind else { return None };
            let declared = program.method(called);
            let can_be_one = !program.class(declared.class).is_library
                && declared.result.is_none()
                && program.profile().runtime.condition(program, called).is_some()
                && program.body(called).is_some_and(|body| asserts(body) || body.ops().next().is_none());
            can_be_one.then(|| program.method_name(called))
        })
        .collect();
    names.sort_unstable();
    names.into_iter().next()
}
