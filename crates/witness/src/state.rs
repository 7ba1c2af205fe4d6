//! Holds the state of a run between two operations: activations, heap and statics.

use crate::heap::Heap;
use crate::outcome::Place;
use crate::value::Value;
use aback_ir::{FieldId, LocalId, MethodId, Point, Program, Trap};
use rustc_hash::FxHashMap;

/// The state of a run between two operations, for observers.
pub struct State<'p> {
    pub(crate) program: &'p Program,
    pub(crate) frames: Vec<Activation>,
    /// Locals of all activations, in the order of the activations.
    pub(crate) locals: Vec<Value>,
    pub(crate) heap: Heap,
    /// Statics with a given or written value; others hold defaults.
    pub(crate) statics: FxHashMap<FieldId, Value>,
    pub(crate) steps: u64,
    pub(crate) nondet_used: usize,
    pub(crate) output: Output,
}

/// Most UTF-16 code units of a run's output that are kept: 2^23, which take 16 MiB.
pub const MAX_OUTPUT: usize = 1 << 23;

/// What a run printed.
#[derive(Default)]
pub(crate) struct Output {
    units: Vec<u16>,
    cut: bool,
}

impl Output {
    pub(crate) fn print(&mut self, unit: u16) {
        if self.units.len() < MAX_OUTPUT {
            self.units.push(unit);
        } else {
            self.cut = true;
        }
    }
}

/// An open activation in the interpreter's own form.
pub(crate) struct Activation {
    pub(crate) method: MethodId,
    /// The operation to execute next; in a caller, its open call.
    pub(crate) point: Point,
    /// Index of its first local.
    pub(crate) base: usize,
    /// For a method that throws a trap's exception: the trap of the caller's operation.
    pub(crate) thrower_of: Option<Trap>,
}

/// An activation of a method.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The method.
    pub method: MethodId,
    /// The operation to execute next; in a caller, its open call.
    pub point: Point,
    /// Its locals, parameters first.
    pub locals: &'a [Value],
}

impl Frame<'_> {
    /// The value of a local; `None` if the method has no such local.
    pub fn local(&self, local: LocalId) -> Option<&Value> {
        self.locals.get(local.index())
    }
}

impl<'p> State<'p> {
    /// The program of the run.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Number of open activations; at least 1 until the run ends.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The activation at `level`; level 0 is the entry point's.
    pub fn frame(&self, level: usize) -> Option<Frame<'_>> {
        let frame = self.frames.get(level)?;
        let end = self.frames.get(level + 1).map_or(self.locals.len(), |next| next.base);
        Some(Frame { method: frame.method, point: frame.point, locals: self.locals.get(frame.base..end)? })
    }

    /// The innermost activation; `None` after the run has left the entry point.
    pub fn top(&self) -> Option<Frame<'_>> {
        self.frame(self.frames.len().checked_sub(1)?)
    }

    /// Whether the innermost activation is the call of `entry` that the run is for: the first activation, or a call
    /// that the first activation made. Class initializers may have called the same method before, with other arguments.
    pub fn is_in_entry(&self, entry: MethodId) -> bool {
        match &self.frames[..] {
            [only] => only.method == entry,
            [start, called] => called.method == entry && start.method != entry,
            _ => false,
        }
    }

    /// All activations, the entry point's first.
    pub fn frames(&self) -> impl DoubleEndedIterator<Item = Frame<'_>> {
        (0..self.frames.len()).filter_map(|level| self.frame(level))
    }

    /// The heap.
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// The value of a static field.
    pub fn static_field(&self, field: FieldId) -> Value {
        match self.statics.get(&field) {
            Some(value) => value.clone(),
            None => Value::default_of(self.program.field(field).ty),
        }
    }

    /// Statics with a given or written value, in no particular order.
    pub fn statics(&self) -> impl Iterator<Item = (FieldId, &Value)> {
        self.statics.iter().map(|(&field, value)| (field, value))
    }

    /// Number of operations and terminators that were started, elements of quantifiers included.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Number of nondeterministic values that the run asked for. If it exceeds the number of given values, the rest
    /// were defaults.
    pub fn nondet_used(&self) -> usize {
        self.nondet_used
    }

    /// The output so far; unpaired surrogates are replaced. Only the first [`MAX_OUTPUT`] code units are kept, see
    /// [`State::output_is_cut`].
    pub fn output(&self) -> String {
        String::from_utf16_lossy(&self.output.units)
    }

    /// Whether the run has printed more than [`MAX_OUTPUT`] code units.
    pub fn output_is_cut(&self) -> bool {
        self.output.cut
    }

    /// The place of the operation `point` of `method`.
    pub(crate) fn place(&self, method: MethodId, point: Point) -> Place {
        Place { method, point, span: self.program.span_at(method, point) }
    }
}
