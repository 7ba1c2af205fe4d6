//! Parses programs.
//!
//! Names may be used before they are declared. So there are three passes over the tokens: names of classes; parents,
//! fields and signatures; bodies. Each takes linear time. Only expressions recurse, up to [`super::MAX_DEPTH`].

mod body;
mod declarations;
mod error;
mod expressions;
mod methods;
mod names;
mod numbers;
mod operations;
mod tokens;

pub(super) use error::Parsed;
pub use error::{ParseError, ParseErrorKind};
pub(super) use methods::{CodeText, MethodHead};

use super::lex::{At, LexError, Token, lex};
use super::piece::Surroundings;
use crate::program::{FieldId, Program};
use crate::validate::validate;
use declarations::ClassItem;
use error::error;
use rustc_hash::FxHashMap;
use std::borrow::Borrow;

/// The program that `text` describes. It is well-formed ([`validate`]).
///
/// # Errors
///
/// Reports the first problem of the text, or else of the program.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let tokens = tokens_of(text)?;
    let mut parser = Parser::new(&tokens, Program::new(), None);
    parser.items()?;
    let bodies = parser.declarations()?;
    let mut operations = FxHashMap::default();
    for pending in bodies {
        let method = pending.method;
        let params = parser.program.method(method).params.clone();
        let (body, places) = parser.body(&pending.code, &params)?;
        parser.program.set_body(method, body);
        operations.insert(method, places);
    }
    match validate(&parser.program).into_iter().next() {
        None => Ok(parser.program),
        Some(problem) => {
            let in_body = || {
                let (block, op) = (problem.place.block?, problem.place.op.unwrap_or(0));
                operations.get(&problem.place.method?)?.get(block.index())?.get(op as usize).copied()
            };
            let declared = || {
                let class = problem.place.class?;
                parser.class_items.iter().find(|item| item.id == class).map(|item| item.at)
            };
            let at = in_body().or_else(declared).unwrap_or(At { line: 1, column: 1 });
            Err(error(at, ParseErrorKind::Problem(Box::new(problem))))
        }
    }
}

pub(super) fn tokens_of(text: &str) -> Parsed<Vec<(At, Token<'_>)>> {
    lex(text).map_err(|LexError { at, message }| error(at, ParseErrorKind::Token(message)))
}

pub(super) struct Parser<'p, 't, P> {
    tokens: &'p [(At, Token<'t>)],
    pub(super) pos: usize,
    program: P,
    /// Provides the entities that the text does not declare.
    surroundings: Option<&'p dyn Surroundings>,
    class_items: Vec<ClassItem>,
    /// Fields of each class by name.
    fields: Vec<FxHashMap<String, FieldId>>,
    /// Positions of the `trap` and `arrays` items.
    late: Vec<usize>,
}

impl<'p, 't, P: Borrow<Program>> Parser<'p, 't, P> {
    pub(super) fn new(tokens: &'p [(At, Token<'t>)], program: P, surroundings: Option<&'p dyn Surroundings>) -> Self {
        Parser { tokens, pos: 0, program, surroundings, class_items: vec![], fields: vec![], late: vec![] }
    }

    fn program(&self) -> &Program {
        self.program.borrow()
    }
}
