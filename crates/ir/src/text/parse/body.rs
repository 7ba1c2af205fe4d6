//! Parses bodies: locals, labels, blocks and their terminators.

use super::{ParseErrorKind, Parsed, Parser, error};
use crate::body::*;
use crate::program::{Program, Type};
use crate::span::FileId;
use crate::text::lex::{At, Token};
use rustc_hash::FxHashMap;
use std::borrow::{Borrow, Cow};

pub(super) struct BodyParser<'b, 'p, 't, P> {
    pub(super) parser: &'b mut Parser<'p, 't, P>,
    pub(super) body: Body,
    /// Type of each expression.
    pub(super) types: Vec<Type>,
    pub(super) locals: FxHashMap<(Cow<'t, str>, u32), LocalId>,
    pub(super) labels: FxHashMap<String, BlockId>,
    pub(super) shared: Vec<ExprId>,
    /// Implicit operations before the current one.
    pub(super) before: Vec<OpKind>,
    pub(super) file: FileId,
}

impl<'t, P: Borrow<Program>> BodyParser<'_, '_, 't, P> {
    pub(super) fn read(&mut self) -> Parsed<Vec<Vec<At>>> {
        self.find_labels()?;
        self.declarations()?;
        let mut places = Vec::new();
        loop {
            self.parser.skip_line_ends();
            if self.parser.eat("}") {
                return Ok(places);
            }
            places.push(self.block()?);
        }
    }

    /// Numbers the blocks in the order of their labels, because labels may be used before they are defined.
    fn find_labels(&mut self) -> Parsed<()> {
        let start = self.parser.pos;
        let mut line_start = true;
        while !matches!(self.parser.peek(), Token::Punct("}") | Token::End) {
            if line_start
                && matches!(self.parser.peek(), Token::Name { .. })
                && *self.parser.look(1) == Token::Punct(":")
            {
                let at = self.parser.at();
                let name = self.parser.name("a label")?;
                let id = BlockId(self.labels.len() as u32);
                if self.labels.insert(name.clone(), id).is_some() {
                    return Err(error(at, ParseErrorKind::Duplicate { what: "label", name }));
                }
            }
            line_start = *self.parser.peek() == Token::LineEnd;
            self.parser.bump();
        }
        self.parser.pos = start;
        Ok(())
    }

    fn declarations(&mut self) -> Parsed<()> {
        loop {
            self.parser.skip_line_ends();
            if self.parser.eat_word("local") {
                let mut names = Vec::new();
                loop {
                    names.push((self.parser.at(), self.parser.tagged_name("the name of a local")?));
                    if !self.parser.eat(",") {
                        break;
                    }
                }
                self.parser.expect(":")?;
                let ty = self.parser.ty()?;
                for (_, name) in names {
                    self.declare(name, ty)?;
                }
            } else if self.parser.eat_word("let") {
                let number = self.shared.len() as u32;
                if *self.parser.peek() != Token::Shared(number) {
                    return self.parser.expected(format!("`#{number}`"));
                }
                self.parser.bump();
                self.parser.expect(":=")?;
                let expr = self.expr(0)?;
                self.shared.push(expr);
            } else {
                return Ok(());
            }
            self.parser.line_end()?;
        }
    }

    pub(super) fn declare(&mut self, name: (Cow<'t, str>, u32), ty: Type) -> Parsed<()> {
        let local = self.body.add_local(name.0.clone(), ty);
        match self.locals.insert(name.clone(), local) {
            None => Ok(()),
            Some(_) => {
                let name = name.0.into_owned();
                self.parser.fail(ParseErrorKind::Duplicate { what: "local", name })
            }
        }
    }

    pub(super) fn local(&mut self) -> Parsed<LocalId> {
        let at = self.parser.at();
        let name = self.parser.tagged_name("a local")?;
        match self.locals.get(&name) {
            Some(&local) => Ok(local),
            None => Err(error(at, ParseErrorKind::Unknown { what: "local", name: name.0.into_owned() })),
        }
    }

    fn label(&mut self) -> Parsed<BlockId> {
        let at = self.parser.at();
        let name = self.parser.name("a label")?;
        match self.labels.get(&name) {
            Some(&block) => Ok(block),
            None => Err(error(at, ParseErrorKind::Unknown { what: "label", name })),
        }
    }

    fn block(&mut self) -> Parsed<Vec<At>> {
        // `find_labels` numbered the labels in the same order.
        self.parser.name("a label")?;
        self.parser.expect(":")?;
        let mut handlers = Vec::new();
        while self.parser.eat_word("on") {
            let class = if self.parser.eat_word("any") { None } else { Some(self.parser.class()?) };
            self.parser.expect("(")?;
            let exception = self.local()?;
            self.parser.expect(")")?;
            self.parser.expect_word("goto")?;
            handlers.push(Handler { class, target: self.label()?, exception });
            if !self.parser.eat(",") {
                self.parser.line_end()?;
                break;
            }
        }
        let block = self.body.add_block(handlers);
        let mut places = Vec::new();
        loop {
            self.parser.skip_line_ends();
            places.push(self.parser.at());
            let terminator = self.terminator()?;
            let op = if terminator.is_none() { self.op()? } else { None };
            let span = self.parser.span(self.file)?;
            self.parser.line_end()?;
            let block = self.body.block_mut(block);
            block.ops.extend(self.before.drain(..).chain(op).map(|kind| Op { kind, span }));
            if let Some(kind) = terminator {
                block.terminator = Terminator { kind, span };
                return Ok(places);
            }
        }
    }

    fn terminator(&mut self) -> Parsed<Option<TerminatorKind>> {
        let kind = match self.parser.word() {
            Some("goto") => {
                self.parser.bump();
                TerminatorKind::Goto(self.label()?)
            }
            Some("if") => {
                self.parser.bump();
                let condition = self.expr(0)?;
                self.parser.expect_word("goto")?;
                let then_block = self.label()?;
                self.parser.expect_word("else")?;
                TerminatorKind::Branch { condition, then_block, else_block: self.label()? }
            }
            Some("switch") => {
                self.parser.bump();
                let value = self.expr(0)?;
                self.parser.expect("[")?;
                let mut cases = Vec::new();
                while !self.parser.is_punct("]") {
                    let case = self.parser.plain_integer()?;
                    self.parser.expect("->")?;
                    cases.push((case, self.label()?));
                    if !self.parser.eat(",") {
                        break;
                    }
                }
                self.parser.expect("]")?;
                self.parser.expect_word("else")?;
                TerminatorKind::Switch { value, cases, default: self.label()? }
            }
            Some("return") => {
                self.parser.bump();
                let nothing = self.parser.at_line_end() || self.parser.is_punct("@");
                TerminatorKind::Return(if nothing { None } else { Some(self.expr(0)?) })
            }
            Some("throw") => {
                self.parser.bump();
                TerminatorKind::Throw(self.expr(0)?)
            }
            Some("unreachable") => {
                self.parser.bump();
                TerminatorKind::Unreachable
            }
            Some("unsupported") => {
                self.parser.bump();
                let construct = self.parser.quoted("what is not supported, in quotes")?;
                let lost = if self.parser.eat_word("before") { Some(self.label()?) } else { None };
                TerminatorKind::Unsupported { construct, lost }
            }
            Some("bound") => {
                self.parser.bump();
                TerminatorKind::Bound(self.parser.quoted("what the bound is, in quotes")?)
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }
}
