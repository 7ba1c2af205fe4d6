//! Records numbers at the heads of loops in concrete runs.

use super::Structure;
use aback_ir::{BlockId, MethodId, Program, Type};
use aback_logic::Integer;
use aback_witness::{Draw, InputValue, Inputs, Limits, Observer, Place, State, Value, run_drawing};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Most operations of a run.
const MOST_STEPS: u64 = 20_000;
/// Most samples of a run at the head of a loop.
const MOST_SAMPLES: usize = 24;

/// The numbers in the variables of a method, by their positions.
type Numbers = Vec<Option<Integer>>;

/// The variables of a method at the head of a loop, in one iteration.
pub(crate) struct Sample {
    /// Their values when the run arrived at the loop.
    pub(super) entry: Numbers,
    /// Their values at the start of the iteration.
    pub(super) start: Numbers,
}

/// The samples at the heads of loops.
pub(crate) type Samples = FxHashMap<(MethodId, BlockId), Vec<Sample>>;

/// Watches a run.
pub(super) struct Recorder<'e> {
    structure: &'e mut dyn FnMut(MethodId) -> Option<Rc<Structure>>,
    samples: &'e mut Samples,
    /// The number of samples of this run at each head.
    counts: FxHashMap<(MethodId, BlockId), usize>,
    /// For each activation: the block that it executes, and its values when it arrived at its loops.
    activations: Vec<(Option<BlockId>, FxHashMap<BlockId, Numbers>)>,
}

impl<'e> Recorder<'e> {
    pub(super) fn new(
        structure: &'e mut dyn FnMut(MethodId) -> Option<Rc<Structure>>,
        samples: &'e mut Samples,
    ) -> Self {
        Recorder { structure, samples, counts: FxHashMap::default(), activations: Vec::new() }
    }

    /// Runs the program on inputs. Values that these do not give are drawn.
    pub(super) fn run(&mut self, program: &Program, entry: MethodId, mut inputs: Inputs, seed: u64) {
        let limits = Limits { max_steps: MOST_STEPS, ..Limits::default() };
        // How the run ends does not matter: what it recorded is only a guess.
        _ = run_drawing(program, entry, &mut inputs, limits, &mut SmallNumbers(seed), self);
    }
}

impl Observer for Recorder<'_> {
    fn step(&mut self, state: &State<'_>, place: Place) {
        self.activations.truncate(state.depth());
        self.activations.resize_with(state.depth(), Default::default);
        let (Some((block, entries)), 0) = (self.activations.last_mut(), place.point.op) else { return };
        let head = place.point.block;
        let before = block.replace(head);
        let Some(structure) = (self.structure)(place.method).filter(|structure| structure.is_head(head)) else {
            return;
        };
        let Some(frame) = state.top() else { return };
        let number = |value: &Value| match value {
            Value::Int(number) => Some(Integer::from(number.to_big())),
            Value::Bool(value) => Some(if *value { Integer::ONE } else { Integer::ZERO }),
            _ => None,
        };
        let start: Numbers = frame.locals.iter().map(number).collect();
        if !before.is_some_and(|before| structure.nesting.loops(before).contains(&head)) {
            entries.insert(head, start.clone());
        }
        let key = (place.method, head);
        let count = self.counts.entry(key).or_default();
        *count += 1;
        if let (Some(entry), true) = (entries.get(&head), *count <= MOST_SAMPLES) {
            self.samples.entry(key).or_default().push(Sample { entry: entry.clone(), start });
        }
    }
}

/// Draws small numbers and truth values.
struct SmallNumbers(u64);

impl Draw for SmallNumbers {
    fn value(&mut self, ty: Type) -> InputValue {
        // Knuth's linear congruential generator; its upper bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = self.0 >> 40;
        match ty {
            Type::Bool => InputValue::Bool(drawn % 2 == 1),
            Type::Int | Type::Machine { .. } => InputValue::Int(BigInt::from(drawn % 50)),
            _ => InputValue::default_of(ty),
        }
    }

    fn elements(&mut self, element: Type, length: &BigInt) -> Vec<InputValue> {
        let count = usize::try_from(length).map_or(MOST_SAMPLES, |length| length.min(MOST_SAMPLES));
        (0..count).map(|_| self.value(element)).collect()
    }
}
