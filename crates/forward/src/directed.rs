//! Ranks states for the search toward the targets of a query.

use crate::state::State;
use aback_heap::Heap;
use aback_ir::analysis::Distance;

/// The rank of a state: the number of operations that it has executed plus its distance in blocks to the nearest
/// target, which estimates the length of the whole path, as in A*. With the distance alone, a loop before the target
/// would be unwound forever.
pub(crate) fn rank<H: Heap>(distance: Option<&Distance>, state: &State<H>) -> u64 {
    let Some(distance) = distance else {
        return u64::MAX;
    };
    // Frames of methods without known distances are assumed to return at once.
    let mut frames: Vec<_> = state.stack().filter(|&(method, _)| distance.knows(method)).collect();
    frames.reverse();
    distance.of_stack(&frames).map_or(u64::MAX, |ahead| state.depth.saturating_add(ahead.into()))
}
