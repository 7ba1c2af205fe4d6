//! Defines the errors of parsing.

use crate::text::lex::At;
use crate::validate::Problem;
use thiserror::Error;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{line}:{column}: {kind}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What is wrong.
    pub kind: ParseErrorKind,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// Characters that are not a token.
    #[error("{0}")]
    Token(&'static str),
    /// A token that is not allowed here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What is allowed here.
        expected: String,
        /// What the text contains instead.
        found: String,
    },
    /// A name that nothing declares.
    #[error("there is no {what} `{name}`")]
    Unknown {
        /// Kind of the entity.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name that is declared twice.
    #[error("there is a {what} `{name}` already")]
    Duplicate {
        /// Kind of the entity.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name that several methods share, without a signature.
    #[error("there are several methods `{0}`; write the signature: `{0}[int -> bool](…)`")]
    Overloaded(String),
    /// Too many parentheses.
    #[error("this is nested too deeply; name a part of it with `let`")]
    TooDeep,
    /// A number that does not fit its type or has the wrong form for it.
    #[error("{0}")]
    Number(&'static str),
    /// Something that can trap, or reads the heap, inside an expression.
    #[error("only a name or something in parentheses can stand before this; it is an operation, not an expression")]
    Operation,
    /// A file whose number is out of order. Files have the numbers 0, 1, 2, ….
    #[error("this is file {0}")]
    FileNumber(usize),
    /// The text parses, but the program is not well-formed.
    #[error("{0}")]
    Problem(Box<Problem>),
}

pub(super) fn error(at: At, kind: ParseErrorKind) -> ParseError {
    ParseError { line: at.line, column: at.column, kind }
}

pub(in crate::text) type Parsed<T> = Result<T, ParseError>;
