//! Search toward what is asked.

use crate::state::State;
use aback_ir::analysis::{CallGraph, CallGraphConfig, Distance};
use aback_ir::{OpKind, Point, Program};
use aback_symbolic::Query;

/// Distances to the points of a query, or to all assertions where it names none.
pub(crate) fn distance(program: &Program, query: &Query) -> Distance {
    let targets: Vec<_> = match &query.at {
        Some(at) => at.iter().copied().collect(),
        None => assertions(program).collect(),
    };
    // Code of libraries is not looked at, and may call what the targets are in.
    let methods = targets.iter().map(|&(method, _)| method).filter(|_| program.has_loader());
    let graph = CallGraph::new(program, &CallGraphConfig::new([query.entry].into_iter().chain(methods)));
    Distance::new(program, &graph, targets)
}

/// The assertions of a program, but for those of libraries that are loaded on demand.
fn assertions(program: &Program) -> impl Iterator<Item = (aback_ir::MethodId, Point)> + '_ {
    let count = program.method_count();
    let is_endless =
        |id: aback_ir::MethodId| program.has_loader() && program.class(program.method(id).class).is_library;
    program.methods().take(count).filter(move |&(id, _)| !is_endless(id)).flat_map(|(id, _)| {
        program.body(id).into_iter().flat_map(move |body| {
            body.block_ids().flat_map(move |block| {
                let ops = body.block(block).ops.iter().enumerate();
                ops.filter(|(_, op)| matches!(op.kind, OpKind::Assert { .. }))
                    .map(move |(op, _)| (id, Point { block, op: op as u32 }))
            })
        })
    })
}

/// Operations behind a state and blocks ahead of it, to the nearest target: the length of a whole path, as in A*. By the
/// distance ahead alone, a loop before the target would be unwound for ever.
pub(crate) fn rank(distance: Option<&Distance>, state: &State) -> u64 {
    let Some(distance) = distance else {
        return u64::MAX;
    };
    // Frames of code that was not looked at are taken to return at once.
    let mut frames: Vec<_> = state.stack().filter(|&(method, _)| distance.knows(method)).collect();
    frames.reverse();
    distance.of_stack(&frames).map_or(u64::MAX, |ahead| state.depth.saturating_add(ahead.into()))
}
