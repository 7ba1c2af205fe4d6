//! Search toward what is asked.

use crate::state::State;
use aback_heap::Heap;
use aback_ir::analysis::Distance;

/// Operations behind a state and blocks ahead of it, to the nearest target: the length of a whole path, as in A*. By the
/// distance ahead alone, a loop before the target would be unwound for ever.
pub(crate) fn rank<H: Heap>(distance: Option<&Distance>, state: &State<H>) -> u64 {
    let Some(distance) = distance else {
        return u64::MAX;
    };
    // Frames of code that was not looked at are taken to return at once.
    let mut frames: Vec<_> = state.stack().filter(|&(method, _)| distance.knows(method)).collect();
    frames.reverse();
    distance.of_stack(&frames).map_or(u64::MAX, |ahead| state.depth.saturating_add(ahead.into()))
}
