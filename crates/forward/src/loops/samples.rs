//! Records numbers at the heads of loops in concrete runs.

use super::Structure;
use crate::state::State;
use aback_heap::Heap;
use aback_ir::{BlockId, Const, Expr, MethodId, Program, Type};
use aback_logic::Integer;
use aback_witness::{
    self as witness, Draw, InputObject, InputValue, Inputs, Limits, Observer, Place, Value, run_drawing,
};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Most operations of a run.
const MOST_STEPS: u64 = 20_000;
/// Iterations of a loop of which each is a sample. Of later ones, fewer and fewer are.
const FIRST_SAMPLES: u32 = 16;
/// Elements of arrays in inputs.
const LONG: usize = 60;
/// Most activations whose bodies mention numbers.
const MOST_BODIES: usize = 4;
/// Greater numbers are left out: relations of numbers that grow without end, as factorials do, are accidents, and to compute
/// with them takes longer than a question may.
const MOST_BITS: u64 = 256;
/// Most elements of an array that are drawn.
const MOST_ELEMENTS: usize = 24;

/// The numbers in the variables of a method, by their positions.
type Locals = Vec<Option<Integer>>;

/// The variables of a method at the head of a loop, in one iteration.
pub(crate) struct Sample {
    /// Their values when the run arrived at the loop.
    pub(super) entry: Locals,
    /// Their values at the start of the iteration.
    pub(super) start: Locals,
}

/// The samples at the heads of loops.
pub(crate) type Samples = FxHashMap<(MethodId, BlockId), Vec<Sample>>;

/// Watches a run.
pub(super) struct Recorder<'e> {
    structure: &'e mut dyn FnMut(MethodId) -> Option<Rc<Structure>>,
    samples: &'e mut Samples,
    /// How often this run has arrived at each head.
    counts: FxHashMap<(MethodId, BlockId), u32>,
    /// For each activation: the block that it executes, and its values when it arrived at its loops.
    activations: Vec<(Option<BlockId>, FxHashMap<BlockId, Locals>)>,
}

impl<'e> Recorder<'e> {
    pub(super) fn new(
        structure: &'e mut dyn FnMut(MethodId) -> Option<Rc<Structure>>,
        samples: &'e mut Samples,
    ) -> Self {
        Recorder { structure, samples, counts: FxHashMap::default(), activations: Vec::new() }
    }

    /// Runs the program on inputs. Values that these do not give are drawn.
    pub(super) fn run(&mut self, program: &Program, entry: MethodId, mut inputs: Inputs, numbers: &mut Numbers) {
        let limits = Limits { max_steps: MOST_STEPS, ..Limits::default() };
        // How the run ends does not matter: what it recorded is only a guess.
        _ = run_drawing(program, entry, &mut inputs, limits, numbers, self);
    }
}

impl Observer for Recorder<'_> {
    fn step(&mut self, state: &witness::State<'_>, place: Place) {
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
            Value::Int(number) => Some(number.to_big()).filter(|number| number.bits() <= MOST_BITS).map(Integer::from),
            Value::Bool(value) => Some(if *value { Integer::ONE } else { Integer::ZERO }),
            _ => None,
        };
        let start: Locals = frame.locals.iter().map(number).collect();
        if !before.is_some_and(|before| structure.nesting.loops(before).contains(&head)) {
            entries.insert(head, start.clone());
        }
        let key = (place.method, head);
        let count = self.counts.entry(key).or_default();
        *count += 1;
        // Four in each power of two.
        let is_sample = *count <= FIRST_SAMPLES || count.is_multiple_of(1 << (count.ilog2() - 2));
        if let (Some(entry), true) = (entries.get(&head), is_sample) {
            self.samples.entry(key).or_default().push(Sample { entry: entry.clone(), start });
        }
    }
}

/// Draws small numbers, numbers that the program mentions, and truth values.
pub(super) struct Numbers {
    seed: u64,
    mentioned: Vec<BigInt>,
}

impl Numbers {
    /// Draws numbers for a state that has arrived at a loop. Inputs mention numbers, too.
    pub(super) fn of<H: Heap>(program: &Program, state: &State<H>, inputs: &Inputs, seed: u64) -> Self {
        let bodies = state.frames().filter_map(|frame| program.body(frame.method)).take(MOST_BODIES);
        let constants = bodies.flat_map(|body| &body.exprs).filter_map(|expr| match expr {
            Expr::Const(Const::Int(number, _)) => Some(number.clone()),
            _ => None,
        });
        let arguments = inputs.args.iter().filter_map(|value| match value {
            InputValue::Int(number) => Some(number.clone()),
            _ => None,
        });
        let mentioned: BTreeSet<BigInt> = constants.chain(arguments).collect();
        Numbers { seed, mentioned: mentioned.into_iter().collect() }
    }

    /// Gives arrays of numbers in an input heap other elements, and many of them.
    pub(super) fn fill(&mut self, heap: &mut [InputObject]) {
        for object in heap {
            if let InputObject::Array {
                element: element @ (Type::Bool | Type::Int | Type::Machine { .. }),
                length,
                elements,
                ..
            } = object
            {
                *length = length.clone().max(BigInt::from(LONG));
                *elements = (0..LONG).map(|at| (BigInt::from(at), self.value(*element))).collect();
            }
        }
    }

    fn next(&mut self) -> u64 {
        // Knuth's linear congruential generator; its upper bits are the good ones.
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.seed >> 40
    }
}

impl Draw for Numbers {
    fn value(&mut self, ty: Type) -> InputValue {
        let (is_mentioned, drawn) = (self.next().is_multiple_of(2), self.next());
        let number = match self.mentioned.get(drawn as usize % self.mentioned.len().max(1)) {
            Some(number) if is_mentioned => number.clone(),
            _ => BigInt::from(drawn % 50),
        };
        match ty {
            Type::Bool => InputValue::Bool(drawn % 2 == 1),
            Type::Int => InputValue::Int(number),
            Type::Machine { width, signed } => {
                let bits = Integer::from(number).to_bits(width.into());
                let number = if signed {
                    Integer::from_signed_bits(bits, width.into())
                } else {
                    Integer::from_unsigned_bits(bits)
                };
                InputValue::Int(number.to_big())
            }
            _ => InputValue::default_of(ty),
        }
    }

    fn elements(&mut self, element: Type, length: &BigInt) -> Vec<InputValue> {
        let count = usize::try_from(length).map_or(MOST_ELEMENTS, |length| length.min(MOST_ELEMENTS));
        (0..count).map(|_| self.value(element)).collect()
    }
}
