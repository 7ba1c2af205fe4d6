//! Search toward what is asked.

use crate::config::Query;
use crate::state::State;
use aback_ir::analysis::{CallGraph, CallGraphConfig, Distance};
use aback_ir::{OpKind, Point, Program};

/// Distances to the points of a query, or to all assertions where it names none.
pub(crate) fn distance(program: &Program, query: &Query) -> Distance {
    let targets: Vec<_> = match &query.at {
        Some(at) => at.iter().copied().collect(),
        None => assertions(program).collect(),
    };
    let graph = CallGraph::new(program, &CallGraphConfig::new([query.entry]));
    Distance::new(program, &graph, targets)
}

fn assertions(program: &Program) -> impl Iterator<Item = (aback_ir::MethodId, Point)> + '_ {
    program.methods().flat_map(|(id, _)| {
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
    let mut frames: Vec<_> = state.stack().collect();
    frames.reverse();
    distance.of_stack(&frames).map_or(u64::MAX, |ahead| state.depth.saturating_add(ahead.into()))
}
