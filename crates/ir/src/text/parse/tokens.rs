//! Reads tokens.

use super::{ParseErrorKind, Parsed, Parser, error};
use crate::program::Program;
use crate::span::{FileId, Span};
use crate::text::lex::{At, Token};
use std::borrow::Borrow;

impl<'t, P: Borrow<Program>> Parser<'_, 't, P> {
    /// The token `ahead` places after the current one. After the end, the last token repeats.
    pub(super) fn look(&self, ahead: usize) -> &Token<'t> {
        &self.tokens[(self.pos + ahead).min(self.tokens.len() - 1)].1
    }

    pub(super) fn peek(&self) -> &Token<'t> {
        self.look(0)
    }

    pub(super) fn at(&self) -> At {
        self.tokens[self.pos.min(self.tokens.len() - 1)].0
    }

    pub(super) fn bump(&mut self) {
        self.pos = (self.pos + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn fail<T>(&self, kind: ParseErrorKind) -> Parsed<T> {
        Err(error(self.at(), kind))
    }

    pub(in crate::text) fn expected<T>(&self, expected: impl Into<String>) -> Parsed<T> {
        let found = match self.peek() {
            Token::Name { text, .. } => format!("`{text}`"),
            Token::Number { digits, suffix } => format!("`{digits}{suffix}`"),
            Token::Shared(number) => format!("`#{number}`"),
            Token::Punct(punct) => format!("`{punct}`"),
            Token::LineEnd => "the end of the line".into(),
            Token::End => "the end of the text".into(),
        };
        self.fail(ParseErrorKind::Expected { expected: expected.into(), found })
    }

    pub(super) fn is_punct(&self, wanted: &str) -> bool {
        matches!(self.peek(), Token::Punct(punct) if *punct == wanted)
    }

    pub(in crate::text) fn eat(&mut self, wanted: &str) -> bool {
        let found = self.is_punct(wanted);
        if found {
            self.bump();
        }
        found
    }

    pub(in crate::text) fn expect(&mut self, wanted: &str) -> Parsed<()> {
        if self.eat(wanted) { Ok(()) } else { self.expected(format!("`{wanted}`")) }
    }

    /// The word at the cursor: a name that is neither quoted nor tagged.
    pub(super) fn word(&self) -> Option<&str> {
        match self.peek() {
            Token::Name { text, quoted: false, tag: None } => Some(text),
            _ => None,
        }
    }

    pub(in crate::text) fn eat_word(&mut self, wanted: &str) -> bool {
        let found = self.word() == Some(wanted);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn expect_word(&mut self, wanted: &str) -> Parsed<()> {
        if self.eat_word(wanted) { Ok(()) } else { self.expected(format!("`{wanted}`")) }
    }

    pub(in crate::text) fn skip_line_ends(&mut self) {
        while *self.peek() == Token::LineEnd {
            self.bump();
        }
    }

    pub(super) fn at_line_end(&self) -> bool {
        matches!(self.peek(), Token::LineEnd | Token::End | Token::Punct("}"))
    }

    pub(in crate::text) fn line_end(&self) -> Parsed<()> {
        if self.at_line_end() { Ok(()) } else { self.expected("the end of the line") }
    }

    pub(super) fn span(&mut self, file: FileId) -> Parsed<Span> {
        if !self.eat("@") {
            return Ok(Span::NONE);
        }
        let line = self.small_number("a line")?;
        let mut span = Span { file, line, column: 0, length: 0 };
        if self.eat(":") {
            span.column = self.small_number("a column")?;
            if self.eat("+") {
                span.length = self.small_number("a length")?;
            }
        }
        if self.eat_word("in") {
            span.file = FileId(self.small_number("the number of a file")?);
        }
        Ok(span)
    }

    pub(super) fn quoted(&mut self, what: &'static str) -> Parsed<String> {
        match self.peek() {
            Token::Name { text, quoted: true, tag: None } => {
                let text = text.to_string();
                self.bump();
                Ok(text)
            }
            _ => self.expected(what),
        }
    }

    /// Skips from an opening brace to just after its closing brace.
    pub(super) fn skip_braces(&mut self) -> Parsed<()> {
        self.expect("{")?;
        let mut depth = 1u32;
        while depth > 0 {
            match self.peek() {
                Token::Punct("{") => depth += 1,
                Token::Punct("}") => depth -= 1,
                Token::End => return self.expected("`}`"),
                _ => {}
            }
            self.bump();
        }
        Ok(())
    }
}
