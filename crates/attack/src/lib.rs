//! Concrete runs that attack a proof: if one of them violates what an engine claims to hold, the claim is wrong.
//!
//! [`attack`] runs the entry point on inputs that an engine's mistakes are likely to be about: the ends of number ranges,
//! constants of the program and their neighbours, small heaps with aliases and cycles, strings that the program itself makes, inputs
//! that the engine found on its way ([`Attack::hints`]), and changes of inputs that led to code which no other had led to. It shares
//! no code with the engines: inputs are made here, runs are those of [`aback_witness`].
//!
//! An alarm must never come from an input that cannot be. So only objects are made of which every state is one that a caller could
//! hand over (the module `objects` says which these are); of all others there is null. An attack need not find everything.

mod chance;
mod change;
mod objects;
mod values;

use crate::chance::Chance;
use crate::objects::{Kinds, Maker};
use crate::values::Values;
use aback_ir::{MethodId, Point, Program};
use aback_symbolic::{Candidate, Query};
use aback_witness::{Inputs, Limits, Observer, Outcome, Place, State, Value, run_drawing};
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A run costs as much as so many operations beyond its own: its inputs are made and checked.
const COST_OF_A_RUN: u64 = 100;
/// Part of what is left that a single run may take.
const SHARE: u32 = 2;
/// Most activations of a run. It is less than the engines follow.
const MAX_FRAMES: usize = 100_000;
/// Most cells of a run's heap, about 64 MB.
const MAX_CELLS: u64 = 1 << 22;
/// Inputs that are kept to be changed.
const KEPT: usize = 64;

/// What an attack may use, and what is known.
#[derive(Clone, Copy, Debug)]
pub struct Attack<'a> {
    /// Most operations of all runs together.
    pub operations: u64,
    /// When it must end.
    pub deadline: Option<Instant>,
    /// Ends it when set.
    pub interrupt: &'a AtomicBool,
    /// Inputs to begin with.
    pub hints: &'a [Inputs],
}

/// Looks for inputs of `query.entry` on which a run violates what the query asks about. The same attack without a deadline comes to
/// the same end each time.
pub fn attack(program: &Program, query: &Query, attack: &Attack) -> Option<Candidate> {
    let mut chance = Chance::new(0);
    let mut values = Values::of(program);
    let mut kinds = Kinds::default();
    let mut watch = Watch::default();
    let mut kept: Vec<Inputs> = Vec::new();
    let mut left = attack.operations;
    for number in 0usize.. {
        let now = Instant::now();
        if left == 0 || attack.interrupt.load(Ordering::Relaxed) || attack.deadline.is_some_and(|end| end <= now) {
            return None;
        }
        let mut maker = Maker::new(program, query.entry, &mut kinds, &mut values, &mut chance, number);
        let hint = attack.hints.get(number.wrapping_sub(1)).filter(|_| number > 0);
        let made = match hint {
            Some(hint) => Some(hint.clone()),
            None if number % 2 == 1 && !kept.is_empty() => maker.changed(&kept),
            None => maker.inputs(),
        };
        left = left.saturating_sub(COST_OF_A_RUN);
        let Some(mut inputs) = made else {
            // There may be no object that the entry point could be called on.
            if number > KEPT { return None } else { continue }
        };
        let limits = Limits {
            max_steps: (left / u64::from(SHARE)).max(1),
            max_frames: MAX_FRAMES,
            max_cells: MAX_CELLS,
            interrupt: Some(attack.interrupt),
            deadline: attack.deadline.map(|end| now + (end - now) / SHARE),
        };
        let before = inputs.nondet.len();
        watch.begin();
        let outcome = run_drawing(program, query.entry, &mut inputs, limits, &mut maker, &mut watch);
        left = left.saturating_sub(watch.steps);
        let Ok(outcome) = outcome else { continue };
        if let Some((fault, place)) = query.violated_by(program, &outcome) {
            return Some(Candidate { fault, place, inputs, depth: watch.steps });
        }
        let is_the_only_one = program.method(query.entry).params.is_empty() && inputs.nondet.is_empty();
        if is_the_only_one && !is_cut_off(&outcome) {
            return None;
        }
        watch.strings.drain(..).for_each(|units| values.add_string(units));
        if watch.is_new || hint.is_some() || inputs.nondet.len() > before && kept.is_empty() {
            if kept.len() == KEPT {
                kept.swap_remove(chance.below(KEPT));
            }
            kept.push(inputs);
        }
    }
    None
}

/// Whether a run was ended by its limits.
fn is_cut_off(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::StepLimit | Outcome::FrameLimit | Outcome::MemoryLimit | Outcome::Interrupted)
}

/// Sees where runs get to, operation by operation in the user's own code and block by block elsewhere, and the strings that the user's own code has in its hands there, literals among them.
#[derive(Default)]
struct Watch {
    seen: FxHashSet<(MethodId, Point)>,
    /// Whether the run came to a block that none has come to before.
    is_new: bool,
    steps: u64,
    strings: Vec<Vec<u16>>,
}

impl Watch {
    fn begin(&mut self) {
        (self.is_new, self.steps) = (false, 0);
    }
}

impl Observer for Watch {
    fn step(&mut self, state: &State<'_>, place: Place) {
        let program = state.program();
        let starts_block = place.point.op == 0;
        let is_own = !program.is_library_method(place.method);
        // A literal may be in a variable within a block only.
        if !(is_own || starts_block) || !self.seen.insert((place.method, place.point)) {
            return;
        }
        self.is_new |= starts_block;
        if !is_own {
            return;
        }
        for value in state.top().map_or(&[][..], |frame| frame.locals) {
            if let Value::Ref(address) = value {
                self.strings.extend(state.heap().units(*address));
            }
        }
    }

    fn end(&mut self, state: &State<'_>, _: &Outcome) {
        self.steps = state.steps();
    }
}
