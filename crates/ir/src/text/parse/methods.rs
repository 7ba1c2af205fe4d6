//! Parses the heads of methods, and their code on demand.

use super::body::BodyParser;
use super::{Parsed, Parser};
use crate::body::Body;
use crate::program::{Access, Program, Type};
use crate::span::{FileId, Span};
use crate::text::access_word;
use crate::text::lex::{At, Token};
use rustc_hash::FxHashMap;
use std::borrow::{Borrow, Cow};

/// The place of a body in the text.
pub(in crate::text) struct CodeText<'t> {
    params: Vec<(Cow<'t, str>, u32)>,
    /// The token after the opening brace.
    pos: usize,
    /// The default file of its spans.
    file: FileId,
}

/// The contents of a method's head.
pub(in crate::text) struct MethodHead<'t> {
    pub(in crate::text) name: String,
    pub(in crate::text) params: Vec<Type>,
    pub(in crate::text) result: Option<Type>,
    pub(in crate::text) span: Span,
    pub(in crate::text) code: Option<CodeText<'t>>,
}

impl<'t, P: Borrow<Program>> Parser<'_, 't, P> {
    /// The access of a method; public if none is written.
    pub(in crate::text) fn access(&mut self) -> Access {
        let words = [Access::Private, Access::Package, Access::Protected].map(|access| (access, access_word(access)));
        words.into_iter().find(|(_, word)| self.eat_word(word)).map_or(Access::Public, |(access, _)| access)
    }

    /// Parses the head of a method, from its name on, and skips its code.
    pub(in crate::text) fn method_head(&mut self, file: FileId) -> Parsed<MethodHead<'t>> {
        let name = self.name("the name of the method")?;
        let parameters_at = self.pos;
        self.expect("(")?;
        let (mut names, mut params) = (Vec::new(), Vec::new());
        while !self.is_punct(")") {
            if matches!(self.peek(), Token::Name { .. }) && *self.look(1) == Token::Punct(":") {
                names.push(self.tagged_name("the name of a parameter")?);
                self.expect(":")?;
            }
            params.push(self.ty()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        let result = if self.eat("->") { Some(self.ty()?) } else { None };
        let span = self.span(file)?;
        if !self.is_punct("{") {
            self.line_end()?;
            return Ok(MethodHead { name, params, result, span, code: None });
        }
        if names.len() != params.len() {
            self.pos = parameters_at;
            return self.expected("a name for each parameter of a method with code");
        }
        let file = if span == Span::NONE { file } else { span.file };
        let code = CodeText { params: names, pos: self.pos + 1, file };
        self.skip_braces()?;
        Ok(MethodHead { name, params, result, span, code: Some(code) })
    }

    /// Parses a body. Also returns the place of each operation of each block.
    pub(in crate::text) fn body(&mut self, code: &CodeText<'t>, params: &[Type]) -> Parsed<(Body, Vec<Vec<At>>)> {
        self.pos = code.pos;
        let mut reader = BodyParser {
            body: Body::default(),
            types: Vec::new(),
            locals: FxHashMap::default(),
            labels: FxHashMap::default(),
            shared: Vec::new(),
            before: Vec::new(),
            file: code.file,
            parser: self,
        };
        for (name, &ty) in code.params.iter().zip(params) {
            reader.declare(name.clone(), ty)?;
        }
        let places = reader.read()?;
        Ok((reader.body, places))
    }
}
