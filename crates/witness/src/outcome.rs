//! How a run ends, and what bounds it.

use crate::value::Value;
use aback_ir::{AssertKind, ClassId, MethodId, Point, Span, Trap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A place in a program: an operation or terminator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The method.
    pub method: MethodId,
    /// Where in its body.
    pub point: Point,
    /// Where in the sources.
    pub span: Span,
}

/// How a run ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The entry point returned, with its result if it has one.
    Returned(Option<Value>),
    /// An `assume` was false, or a precondition of the entry point was: the input is not one to consider.
    AssumptionFailed(Place),
    /// A demanded condition was false.
    AssertionFailed {
        /// Who demanded it. [`AssertKind::Requires`] is that of a method that the program itself called.
        kind: AssertKind,
        /// Where.
        place: Place,
    },
    /// An exception left the entry point.
    Uncaught {
        /// Its exact class.
        class: ClassId,
        /// The trap that made it; `None` if the program allocated it.
        trap: Option<Trap>,
        /// Where it was first thrown. A handler that throws it on, as a `finally` does, is not its origin.
        origin: Place,
        /// What its [message](aback_ir::Program::message_field) says: a string's characters, another value as
        /// [`show_value`](crate::show_value) shows it; `None` if it is null, or if exceptions have no message.
        message: Option<String>,
    },
    /// [`Limits::max_steps`] operations were executed.
    StepLimit,
    /// [`Limits::max_frames`] activations were open.
    FrameLimit,
    /// [`Limits::max_cells`] were in use, or an integer outgrew [`MAX_INT_BITS`](crate::MAX_INT_BITS).
    MemoryLimit,
    /// [`Limits::interrupt`] was set, or [`Limits::deadline`] passed.
    Interrupted,
    /// The program does something that the interpreter has no meaning for: it calls a method without code, allocates
    /// an abstract class, is malformed. Says what, for a person.
    Unsupported {
        /// What it is.
        reason: String,
        /// Where.
        place: Place,
    },
}

/// What bounds a run. A run that meets a bound says so.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Most operations and terminators to execute, elements of quantifiers included.
    pub max_steps: u64,
    /// Most activations open at a time.
    pub max_frames: usize,
    /// Most cells (fields, elements, locals of open activations, and four for each object) to hold, of about 16 bytes
    /// each. Nothing is collected: every object that was allocated counts.
    pub max_cells: u64,
    /// Ends the run soon after it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Ends the run soon after this time. What a program does in a run of given steps is always the same, what it does
    /// until a deadline is not: verdicts should not hang on one.
    pub deadline: Option<Instant>,
}

impl Limits<'_> {
    /// Whether the run must end whatever it has come to.
    pub(crate) fn is_over(&self) -> bool {
        self.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// 200 million steps, a million activations, 2^26 cells (about 1 GiB), no deadline. Activations take no native stack, so
/// that deep recursion of a program is as deep as it would be elsewhere, and more.
impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { max_steps: 200_000_000, max_frames: 1_000_000, max_cells: 1 << 26, interrupt: None, deadline: None }
    }
}
