//! Search toward what is asked.

use crate::config::Query;
use crate::state::State;
use aback_ir::{OpKind, Point, Program};

/// Distances to the points of a query, or to all assertions where it names none.
pub(crate) fn distance(program: &Program, query: &Query) -> Distance {
    let targets: Vec<_> = match &query.at {
        Some(at) => at.iter().copied().collect(),
        None => assertions(program).collect(),
    };
    Distance::new(program, &targets)
}

fn assertions(program: &Program) -> impl Iterator<Item = (aback_ir::MethodId, Point)> + '_ {
    program.methods().flat_map(|(id, method)| {
        method.body.iter().flat_map(move |body| {
            body.block_ids().flat_map(move |block| {
                let ops = body.block(block).ops.iter().enumerate();
                ops.filter(|(_, op)| matches!(op.kind, OpKind::Assert { .. }))
                    .map(move |(op, _)| (id, Point { block, op: op as u32 }))
            })
        })
    })
}

/// How far a state is from the nearest target, by its frames.
pub(crate) fn rank(distance: Option<&Distance>, state: &State) -> u64 {
    distance.and_then(|distance| distance.of_stack(state.stack())).unwrap_or(u64::MAX)
}

pub(crate) struct Distance;
impl Distance { fn new(_: &Program, _: &[(aback_ir::MethodId, Point)]) -> Self { Distance } fn of_stack(&self, _: impl Iterator<Item=(aback_ir::MethodId, Point)>) -> Option<u64> { None } }
