//! Defines messages of front ends about the user's program.

use crate::span::Span;

/// The severity of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The program is invalid and cannot be analysed.
    Error,
    /// The program can be analysed, but the user should know about something.
    Warning,
}

/// A message about a place in the user's sources.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// The place.
    pub span: Span,
    /// Advice.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Makes an error.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Error, message: message.into(), span, help: None }
    }

    /// Makes a warning.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, message: message.into(), span, help: None }
    }

    /// Adds advice.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
