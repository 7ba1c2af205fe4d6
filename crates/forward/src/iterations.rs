//! Bounds the iterations of loops ([`crate::Config::unwind`]).

use crate::engine::Engine;
use crate::state::State;
use aback_heap::Heap;
use aback_ir::BlockId;
use aback_symbolic::Gap;

/// How many iterations a loop has had since control has come to it from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Iterations {
    /// The head of the loop.
    head: BlockId,
    /// The number of those in which an input has decided something.
    count: u32,
    /// How often the path condition had been narrowed at the last one.
    narrowed: u64,
}

impl Iterations {
    /// Those of two activations that become one. No path may count more iterations than it has had.
    pub(crate) fn joined(one: &[Self], other: &[Self]) -> Vec<Self> {
        let both = one.iter().filter_map(|one| Some((one, other.iter().find(|other| other.head == one.head)?)));
        let least = both.map(|(one, other)| Iterations {
            head: one.head,
            count: one.count.min(other.count),
            narrowed: one.narrowed.max(other.narrowed),
        });
        least.collect()
    }
}

impl<H: Heap> Engine<'_, H> {
    /// Counts an iteration if a state has just come to the head of a loop. Whether there are more than the bound allows, so that the path
    /// ends here.
    pub(crate) fn exceeds_unwinding(&mut self, state: &mut State<H>) -> bool {
        let (Some(most), Some(from)) = (self.config.unwind, state.frame.came_from.take()) else { return false };
        let Some(structure) = self.structure(state.frame.method) else { return false };
        let (head, narrowed) = (state.frame.at.block, state.path.narrowed());
        let around = structure.loops(head);
        let is_again = structure.loops(from).contains(&head);
        // Control has left other loops, and begins this one anew if it comes from outside.
        let counts = &mut state.frame.iterations;
        counts.retain(|known| around.contains(&known.head) && (known.head != head || is_again));
        if !around.contains(&head) {
            return false;
        }
        let Some(known) = counts.iter_mut().find(|known| known.head == head) else {
            counts.push(Iterations { head, count: 0, narrowed });
            return false;
        };
        // Where nothing was decided, the number of iterations is that of the program, whatever the inputs are.
        if narrowed > known.narrowed {
            known.count += 1;
        }
        known.narrowed = narrowed;
        let exceeds = known.count > most;
        if exceeds {
            self.gap(Gap::Unwinding(most));
        }
        exceeds
    }
}
