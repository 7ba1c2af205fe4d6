//! Defines how a run ends, and the limits of a run.

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
    /// An `assume` or a precondition of the entry point was false, so that the input does not count.
    AssumptionFailed(Place),
    /// A condition that the program asserts was false.
    AssertionFailed {
        /// The kind of condition. [`AssertKind::Requires`] is the precondition of a method that the program itself
        /// called.
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
        /// The place of the first throw. A handler that rethrows the exception, as a `finally` does, is not its origin.
        origin: Place,
        /// The operation of the program's own code that was executed then: `origin`, or what called the library that it is in.
        own: Place,
        /// The content of its [message](aback_ir::Program::message_field): the characters of a string, or another value
        /// as [`show_value`](crate::show_value) prints it. `None` if it is null, or if exceptions have no message.
        message: Option<String>,
    },
    /// [`Limits::max_steps`] operations and terminators were executed.
    StepLimit,
    /// [`Limits::max_frames`] activations were open.
    FrameLimit,
    /// More than [`Limits::max_cells`] cells were needed, or an integer outgrew [`MAX_INT_BITS`](crate::MAX_INT_BITS).
    MemoryLimit,
    /// [`Limits::interrupt`] was set, or [`Limits::deadline`] passed.
    Interrupted,
    /// The program does something that has no meaning for the interpreter: it calls a method without code, allocates an
    /// abstract class, or is malformed.
    Unsupported {
        /// What the program does, in words for users.
        reason: String,
        /// Where.
        place: Place,
    },
}

impl Outcome {
    /// The class of the exception that left the entry point.
    pub fn thrown(&self) -> Option<ClassId> {
        match self {
            Outcome::Uncaught { class, .. } => Some(*class),
            _ => None,
        }
    }

    /// Where the exception that left the entry point was thrown first.
    pub fn thrown_at(&self) -> Option<Place> {
        match self {
            Outcome::Uncaught { origin, .. } => Some(*origin),
            _ => None,
        }
    }
}

/// The limits of a run. If a run meets a limit, its [`Outcome`] says so.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Most operations and terminators to execute, including one step for each element of a quantifier.
    pub max_steps: u64,
    /// Most activations open at the same time.
    pub max_frames: usize,
    /// Most cells, of about 16 bytes each. Fields, elements and locals of open activations take one cell each, and each
    /// object takes four more. There is no garbage collection: every allocated object counts.
    pub max_cells: u64,
    /// Ends the run soon after it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Ends the run soon after this time. A limit on steps always gives the same result, but a deadline does not.
    /// Verdicts should not depend on a deadline.
    pub deadline: Option<Instant>,
}

impl Limits<'_> {
    /// Whether an interrupt or the deadline ends the run now.
    pub(crate) fn is_over(&self) -> bool {
        self.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// 200 million steps, a million activations, 2^26 cells (about 1 GiB), no deadline. Activations take no native stack,
/// so that a program can recurse at least as deep as elsewhere.
impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { max_steps: 200_000_000, max_frames: 1_000_000, max_cells: 1 << 26, interrupt: None, deadline: None }
    }
}
