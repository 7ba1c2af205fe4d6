//! Defines the lines of a path through the sources.

use aback_ir::{MethodId, Span};

/// One line that a run executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathEntry {
    /// The method.
    pub method: MethodId,
    /// The first place on the line that was executed.
    pub span: Span,
    /// Number of activations of the user's own code below this one.
    pub depth: usize,
}
