//! Defines what is predicted for a counterexample.

use crate::received::{Left, Received};
use aback_ir::{ClassId, MethodId, Span, Type};
use aback_witness::Value;

/// The predicted outcome of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prediction {
    /// Full name of the class of the exception that leaves the entry point, or that a false assertion throws; `None` if
    /// the entry point returns.
    pub exception: Option<String>,
    /// This class in the program model, if the exception leaves the entry point.
    pub(crate) thrown: Option<ClassId>,
    /// The first line of the user's own code in the exception's stack trace.
    pub place: Option<Span>,
    /// The method of this line.
    pub method: Option<MethodId>,
    /// Another line that the stack trace may begin with: an exception that is thrown again may get a new one.
    pub(crate) again: Option<Span>,
    /// Whether an assertion is false. Where that throws an exception, it may be caught.
    pub is_assertion: bool,
    /// The values that the program requests, in order.
    pub(crate) given: Vec<Given>,
    /// Whether the program calls a method that requests values.
    pub(crate) uses_verifier: bool,
    /// Library methods that are called and whose results do not depend on the inputs alone, for example
    /// `System.nanoTime`.
    pub uncontrolled: Vec<String>,
    /// The arguments of the entry point.
    pub(crate) received: Received,
    /// What the run leaves, if the language can write tests.
    pub(crate) left: Left,
}

/// A value that the program requested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Given {
    /// The method of `Verifier`.
    pub(crate) method: MethodId,
    /// The place of the call in the user's code.
    pub(crate) place: Span,
    /// The method of the user's code that makes the call.
    pub(crate) caller: MethodId,
    pub(crate) ty: Type,
    pub(crate) value: Exact,
    /// The variable of the caller that gets the value at once.
    pub(crate) variable: Option<String>,
}

/// A value that a Java program requested from `Verifier`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Requested {
    /// The method of `Verifier`.
    pub method: MethodId,
    /// The line of the call.
    pub place: Span,
    /// The method of this line.
    pub caller: MethodId,
    /// A Java expression over `\result` that holds.
    pub constraint: String,
    /// The value as SV-COMP's GraphML witnesses for Java have it: `n = 5;` for the variable that gets it, or
    /// `\result = 5;`.
    pub assumption: String,
}

/// A value that needs no heap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Exact {
    Plain(Value),
    /// The code units of a string.
    Text(Vec<u16>),
}
