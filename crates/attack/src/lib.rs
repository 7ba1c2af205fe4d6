//! Attacks a proof with concrete runs: if a run violates what an engine claims to hold, the claim is wrong.
//!
//! [`attack`] runs the entry point on inputs that are likely to expose an engine's mistakes: the ends of number ranges,
//! constants of the program and their neighbours, small heaps with aliases and cycles, strings that the program itself
//! makes, inputs that the engine found ([`Attack::hints`]), and changes of inputs that led to code which no earlier run
//! had reached, or came near to it (the module `climb`). It shares no code with the engines: this crate makes the inputs, and [`aback_witness`] runs the
//! program.
//!
//! An alarm must never come from an impossible input. So the attack makes only objects of which a caller could hand
//! over every state (the module `objects` lists them); all other references are null. An attack need not find every
//! violation.
//!
//! [`shrink`] makes the inputs of a violation smaller and their texts printable, with concrete runs.

mod chance;
mod change;
mod climb;
mod distance;
mod objects;
mod parts;
mod shrink;
mod text;
mod values;

pub use shrink::shrink;

use crate::chance::Chance;
use crate::climb::{Climb, Conditions};
use crate::objects::{Kinds, Maker};
use crate::values::Values;
use aback_ir::{MethodId, Point, Program};
use aback_symbolic::{Candidate, Query};
use aback_witness::{InputObject, Inputs, Limits, Observer, Outcome, Place, State, Value, run_drawing};
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Cost of making and checking the inputs of a run, in operations.
const COST_OF_A_RUN: u64 = 100;
/// A single run may use one part in `SHARE` of the remaining operations and time.
const SHARE: u32 = 2;
/// Most activations of a run. This is fewer than the engines follow.
const MAX_FRAMES: usize = 100_000;
/// Most cells of a run's heap; they take about 64 MB.
const MAX_CELLS: u64 = 1 << 22;
/// Most inputs that are kept as a base for changes.
const KEPT: usize = 64;
/// Most operations of one of the first runs. Later ones may be longer.
const FIRST_STEPS: u64 = 100_000;
/// Number of runs after which most inputs are changes of those that came near to new code, and after which runs may be twice as
/// long.
const SOON: usize = 400;
/// Number of times that runs become twice as long.
const LONGER: usize = 6;

/// The limits of an attack, and its hints.
#[derive(Clone, Copy, Debug)]
pub struct Attack<'a> {
    /// Most operations of all runs together.
    pub operations: u64,
    /// Time at which the attack must end.
    pub deadline: Option<Instant>,
    /// Ends the attack when set.
    pub interrupt: &'a AtomicBool,
    /// Inputs to run first, after the simplest one.
    pub hints: &'a [Inputs],
}

/// Looks for inputs of `query.entry` on which a run violates the query. Without a deadline, the same attack always has
/// the same result.
pub fn attack(program: &Program, query: &Query, attack: &Attack) -> Option<Candidate> {
    let mut chance = Chance::new(0);
    let mut values = Values::of(program);
    let mut kinds = Kinds::default();
    let mut watch = Watch::default();
    let mut kept: Vec<Inputs> = Vec::new();
    let mut climb = Climb::default();
    let mut left = attack.operations;
    for number in 0usize.. {
        let now = Instant::now();
        if left == 0 || attack.interrupt.load(Ordering::Relaxed) || attack.deadline.is_some_and(|end| end <= now) {
            return None;
        }
        let mut maker = Maker::new(program, query.entry, &mut kinds, &mut values, &mut chance, number);
        let hint = attack.hints.get(number.wrapping_sub(1)).filter(|_| number > 0);
        let mut change = None;
        let made = match hint {
            Some(hint) => Some(hint.clone()),
            None => match (number % 4, number < SOON) {
                (3, true) | (1 | 3, false) => match climb.next() {
                    Some((near, missing)) => {
                        let (inputs, made) = maker.nudged((&near, missing), climb.momentum());
                        change = made;
                        Some(inputs)
                    }
                    None => maker.inputs(),
                },
                (1, true) | (2, false) if !kept.is_empty() => maker.changed(&kept),
                _ => maker.inputs(),
            },
        };
        left = left.saturating_sub(COST_OF_A_RUN + made.as_ref().map_or(0, size));
        let Some(mut inputs) = made else {
            // Perhaps no object exists that the entry point could be called on.
            if number > KEPT { return None } else { continue }
        };
        // The only run of a program without inputs is the first one.
        let longest = if number == 0 { FIRST_STEPS << LONGER } else { FIRST_STEPS << (number / SOON).min(LONGER) };
        let limits = Limits {
            max_steps: (left / u64::from(SHARE)).clamp(1, longest),
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
            return Some(Candidate { fault, place, inputs, depth: watch.steps, is_sliced: false });
        }
        let is_the_only_one = program.method(query.entry).params.is_empty() && inputs.nondet.is_empty();
        if is_the_only_one && !is_cut_off(&outcome) {
            return None;
        }
        watch.strings.drain(..).for_each(|units| values.add_string(units));
        climb.note(&watch.conditions, &inputs, change);
        if watch.is_new
            || watch.conditions.has_new()
            || hint.is_some()
            || inputs.nondet.len() > before && kept.is_empty()
        {
            if kept.len() == KEPT {
                kept.swap_remove(chance.below(KEPT));
            }
            kept.push(inputs);
        }
    }
    None
}

/// Number of values of inputs that may have many.
fn size(inputs: &Inputs) -> u64 {
    let elements = inputs.heap.iter().map(|object| match object {
        InputObject::Array { elements, .. } => elements.len(),
        InputObject::Object { .. } => 0,
    });
    (inputs.nondet.len() + elements.sum::<usize>()) as u64
}

/// Most characters of a string that is tried as an input, because the program has it.
const LONGEST: usize = 1_000;

/// Whether a limit ended a run.
fn is_cut_off(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::StepLimit | Outcome::FrameLimit | Outcome::MemoryLimit | Outcome::Interrupted)
}

/// Records which points runs reach: every operation in the user's own code, and the starts of blocks elsewhere.
/// Collects the strings in locals of the user's own code at these points, including literals.
#[derive(Default)]
struct Watch {
    seen: FxHashSet<(MethodId, Point)>,
    /// Whether the run reached a block that no earlier run had reached.
    is_new: bool,
    steps: u64,
    strings: Vec<Vec<u16>>,
    conditions: Conditions,
}

impl Watch {
    fn begin(&mut self) {
        (self.is_new, self.steps) = (false, 0);
        self.conditions.begin();
    }
}

impl Observer for Watch {
    fn step(&mut self, state: &State<'_>, place: Place) {
        let program = state.program();
        let starts_block = place.point.op == 0;
        let is_own = !program.is_library_method(place.method);
        // In the user's own code, all operations count, because a literal may be in a local within a block only.
        let is_first = (is_own || starts_block) && self.seen.insert((place.method, place.point));
        if is_own {
            if is_first {
                self.conditions.add(program, place);
            }
            self.conditions.measure(state, place);
        }
        if !is_first {
            return;
        }
        self.is_new |= starts_block;
        if !is_own {
            return;
        }
        for value in state.top().map_or(&[][..], |frame| frame.locals) {
            if let Value::Ref(address) = value {
                self.strings.extend(state.heap().short_units(*address, LONGEST));
            }
        }
    }

    fn end(&mut self, state: &State<'_>, _: &Outcome) {
        self.steps = state.steps();
    }
}
