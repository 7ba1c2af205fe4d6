//! Which program does a text describe?
//!
//! Three passes over the tokens, because names may be used before they are declared: names of classes; parents, fields
//! and signatures; bodies. Each takes linear time. Nothing recurses but expressions, to [`MAX_DEPTH`].

use super::lex::{At, LexError, Token, lex};
use super::piece::Surroundings;
use super::print::{CANONICAL_NAN_32, CANONICAL_NAN_64, usual_operand_type};
use super::{MAX_DECIMAL_DIGITS, MAX_DEPTH, is_reserved, trap_name};
use crate::body::*;
use crate::program::{Class, ClassId, Field, FieldId, Method, MethodId, MethodKind, Program, Trap, Type};
use crate::span::{FileId, SourceFile, Span};
use crate::validate::{Problem, validate};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use std::borrow::{Borrow, Cow};
use std::path::PathBuf;
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
    /// Characters that are no token.
    #[error("{0}")]
    Token(&'static str),
    /// Something else has to stand here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What may stand here.
        expected: String,
        /// What does.
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
    /// A number that its type cannot hold or that is not written as such numbers are.
    #[error("{0}")]
    Number(&'static str),
    /// Something that can trap, or reads the heap, inside an expression.
    #[error("only a name or something in parentheses can stand before this; it is an operation, not an expression")]
    Operation,
    /// Files have numbers from 0, in order.
    #[error("this is file {0}")]
    FileNumber(usize),
    /// The text reads well but the program is not well formed.
    #[error("{0}")]
    Problem(Box<Problem>),
}

/// The program that `text` describes; it is well formed ([`validate`]).
///
/// # Errors
///
/// The first thing that is wrong with the text, or with the program.
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

pub(super) fn error(at: At, kind: ParseErrorKind) -> ParseError {
    ParseError { line: at.line, column: at.column, kind }
}

pub(super) type Parsed<T> = Result<T, ParseError>;

/// A class whose inside has not been read yet.
struct ClassItem {
    id: ClassId,
    at: At,
    /// The token after its name.
    pos: usize,
}

/// A method whose body has not been read yet.
struct PendingBody<'t> {
    method: MethodId,
    code: CodeText<'t>,
}

/// Where the text of a body is.
pub(super) struct CodeText<'t> {
    params: Vec<(Cow<'t, str>, u32)>,
    /// The token after the opening brace.
    pos: usize,
    /// The file of its spans.
    file: FileId,
}

/// What the head of a method says.
pub(super) struct MethodHead<'t> {
    pub(super) name: String,
    pub(super) params: Vec<Type>,
    pub(super) result: Option<Type>,
    pub(super) span: Span,
    pub(super) code: Option<CodeText<'t>>,
}

pub(super) struct Parser<'p, 't, P> {
    tokens: &'p [(At, Token<'t>)],
    pub(super) pos: usize,
    program: P,
    /// Where names come from that the text does not declare.
    surroundings: Option<&'p dyn Surroundings>,
    class_items: Vec<ClassItem>,
    /// Fields of each class by name.
    fields: Vec<FxHashMap<String, FieldId>>,
    /// Where the `trap` and `arrays` items start.
    late: Vec<usize>,
}

impl<'p, 't, P: Borrow<Program>> Parser<'p, 't, P> {
    pub(super) fn new(tokens: &'p [(At, Token<'t>)], program: P, surroundings: Option<&'p dyn Surroundings>) -> Self {
        Parser { tokens, pos: 0, program, surroundings, class_items: vec![], fields: vec![], late: vec![] }
    }

    fn program(&self) -> &Program {
        self.program.borrow()
    }

    // ---- tokens ---------------------------------------------------------------------------------------------

    /// The token that is `ahead` of the current one; the last one is repeated.
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

    fn fail<T>(&self, kind: ParseErrorKind) -> Parsed<T> {
        Err(error(self.at(), kind))
    }

    pub(super) fn expected<T>(&self, expected: impl Into<String>) -> Parsed<T> {
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

    pub(super) fn eat(&mut self, wanted: &str) -> bool {
        let found = self.is_punct(wanted);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn expect(&mut self, wanted: &str) -> Parsed<()> {
        if self.eat(wanted) { Ok(()) } else { self.expected(format!("`{wanted}`")) }
    }

    /// The word at the cursor: a name that is neither quoted nor tagged.
    pub(super) fn word(&self) -> Option<&str> {
        match self.peek() {
            Token::Name { text, quoted: false, tag: None } => Some(text),
            _ => None,
        }
    }

    pub(super) fn eat_word(&mut self, wanted: &str) -> bool {
        let found = self.word() == Some(wanted);
        if found {
            self.bump();
        }
        found
    }

    fn expect_word(&mut self, wanted: &str) -> Parsed<()> {
        if self.eat_word(wanted) { Ok(()) } else { self.expected(format!("`{wanted}`")) }
    }

    pub(super) fn skip_line_ends(&mut self) {
        while *self.peek() == Token::LineEnd {
            self.bump();
        }
    }

    fn at_line_end(&self) -> bool {
        matches!(self.peek(), Token::LineEnd | Token::End | Token::Punct("}"))
    }

    pub(super) fn line_end(&self) -> Parsed<()> {
        if self.at_line_end() { Ok(()) } else { self.expected("the end of the line") }
    }

    // ---- names ----------------------------------------------------------------------------------------------

    /// A name that may have a tag.
    fn tagged_name(&mut self, what: &str) -> Parsed<(Cow<'t, str>, u32)> {
        match self.peek() {
            Token::Name { text, quoted, tag } if *quoted || !is_reserved(text) => {
                let name = (text.clone(), tag.unwrap_or(0));
                self.bump();
                Ok(name)
            }
            _ => self.expected(what),
        }
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<String> {
        match self.peek() {
            Token::Name { tag: Some(_), .. } => self.expected(what),
            _ => Ok(self.tagged_name(what)?.0.into_owned()),
        }
    }

    /// A class name: `a.b.C`, or one quoted name.
    pub(super) fn path(&mut self, what: &str) -> Parsed<String> {
        let is_quoted = matches!(self.peek(), Token::Name { quoted: true, .. });
        let mut path = self.name(what)?;
        while !is_quoted && self.is_punct(".") {
            self.bump();
            path.push('.');
            path.push_str(&self.name(what)?);
        }
        Ok(path)
    }

    pub(super) fn class(&mut self) -> Parsed<ClassId> {
        let at = self.at();
        let name = self.path("a class")?;
        self.class_named(name, at)
    }

    fn class_named(&self, name: String, at: At) -> Parsed<ClassId> {
        let found = match self.surroundings {
            Some(surroundings) => Some(surroundings.class(&name)),
            None => self.program().class_named(&name),
        };
        match found {
            Some(class) => Ok(class),
            None => Err(error(at, ParseErrorKind::Unknown { what: "class", name })),
        }
    }

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let mut ty = match self.word().and_then(primitive) {
            Some(ty) => {
                self.bump();
                ty
            }
            None if matches!(self.peek(), Token::Name { .. }) => Type::Class(self.class()?),
            None => return self.expected("a type"),
        };
        while self.is_punct("[") && *self.look(1) == Token::Punct("]") {
            self.bump();
            self.bump();
            ty = self.program().array_of(ty);
        }
        Ok(ty)
    }

    /// The rest of `Class::field`, from the class.
    fn field(&mut self) -> Parsed<FieldId> {
        let at = self.at();
        let class = self.path("a class")?;
        self.expect("::")?;
        self.field_of(class, at)
    }

    fn field_of(&mut self, class: String, at: At) -> Parsed<FieldId> {
        let class = self.class_named(class, at)?;
        let at = self.at();
        let name = self.name("a field")?;
        let found = match self.surroundings {
            Some(_) => self.program().find_field(class, &name),
            None => {
                let declared = |c: ClassId| self.fields[c.index()].get(&name).copied();
                self.program().superclass_chain(class).find_map(declared)
            }
        };
        match found {
            Some(field) => Ok(field),
            None => Err(error(at, ParseErrorKind::Unknown { what: "field", name })),
        }
    }

    /// `Class::method`, with `[types -> type]` where the class has several methods of that name.
    fn method(&mut self) -> Parsed<MethodId> {
        let class = self.class()?;
        self.expect("::")?;
        let at = self.at();
        let name = self.name("a method")?;
        let signature = if self.is_punct("[") { Some(self.signature()?) } else { None };
        let matches = |program: &Program, class: ClassId| {
            let fits = |m: &MethodId| {
                let method = program.method(*m);
                signature.as_ref().is_none_or(|(params, result)| method.params == *params && method.result == *result)
            };
            let mut found = program.methods_named(class, &name).iter().copied().filter(fits);
            (found.next(), found.next().is_some())
        };
        let mut found = matches(self.program(), class);
        if found.0.is_none() {
            let above = self.program().supertypes(class);
            let inherited = above.into_iter().map(|c| matches(self.program(), c)).find(|found| found.0.is_some());
            found = inherited.unwrap_or(found);
        }
        match found {
            (Some(method), false) => Ok(method),
            (Some(_), true) => Err(error(at, ParseErrorKind::Overloaded(name))),
            (None, _) => Err(error(at, ParseErrorKind::Unknown { what: "method", name })),
        }
    }

    fn signature(&mut self) -> Parsed<(Vec<Type>, Option<Type>)> {
        self.expect("[")?;
        let mut params = Vec::new();
        while !self.is_punct("]") && !self.is_punct("->") {
            params.push(self.ty()?);
            if !self.eat(",") {
                break;
            }
        }
        let result = if self.eat("->") { Some(self.ty()?) } else { None };
        self.expect("]")?;
        Ok((params, result))
    }

    // ---- numbers --------------------------------------------------------------------------------------------

    fn small_number(&mut self, what: &str) -> Parsed<u32> {
        match self.peek() {
            Token::Number { digits, suffix: "" } => match digits.parse() {
                Ok(number) => {
                    self.bump();
                    Ok(number)
                }
                Err(_) => self.fail(ParseErrorKind::Number("this has to be a decimal number below 2^32")),
            },
            _ => self.expected(what),
        }
    }

    fn big_integer(&self, digits: &str, negative: bool) -> Parsed<BigInt> {
        let (digits, radix) = match digits.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None => (digits, 10),
        };
        if radix == 10 && digits.len() > MAX_DECIMAL_DIGITS {
            return self.fail(ParseErrorKind::Number("integers as long as this are written in hexadecimal"));
        }
        match BigInt::parse_bytes(digits.as_bytes(), radix) {
            Some(value) => Ok(if negative { -value } else { value }),
            None => self.fail(ParseErrorKind::Number("this is not an integer")),
        }
    }

    /// An integer without a type.
    fn plain_integer(&mut self) -> Parsed<BigInt> {
        let negative = self.eat("-");
        match *self.peek() {
            Token::Number { digits, suffix: "" } => {
                let value = self.big_integer(digits, negative)?;
                self.bump();
                Ok(value)
            }
            _ => self.expected("an integer"),
        }
    }

    fn number(&mut self, negative: bool) -> Parsed<Const> {
        let Token::Number { digits, suffix } = *self.peek() else {
            return self.expected("a number");
        };
        let constant = match (suffix, primitive(suffix)) {
            ("", _) => Const::Int(self.big_integer(digits, negative)?, Type::Int),
            (_, Some(ty @ Type::Machine { .. })) => Const::Int(self.big_integer(digits, negative)?, ty),
            (_, Some(Type::F32)) => match digits.parse::<f32>() {
                Ok(value) if value.is_finite() => Const::F32(if negative { -value } else { value }.to_bits()),
                _ => return self.fail(ParseErrorKind::Number("this is not a number of type f32")),
            },
            (_, Some(Type::F64)) => match digits.parse::<f64>() {
                Ok(value) if value.is_finite() => Const::F64(if negative { -value } else { value }.to_bits()),
                _ => return self.fail(ParseErrorKind::Number("this is not a number of type f64")),
            },
            _ => return self.fail(ParseErrorKind::Number("there is no number type of this name")),
        };
        self.bump();
        Ok(constant)
    }

    /// The rest of `f32:inf`, `f64:-inf`, `f32:nan`, `f64:0x7ff8000000000001`, from the colon.
    fn float_bits(&mut self, ty: Type) -> Parsed<Const> {
        self.expect(":")?;
        let negative = self.eat("-");
        let (inf, nan) = match ty {
            Type::F32 => (u64::from(f32::INFINITY.to_bits()), u64::from(CANONICAL_NAN_32)),
            _ => (f64::INFINITY.to_bits(), CANONICAL_NAN_64),
        };
        let sign = if ty == Type::F32 { 1 << 31 } else { 1 << 63 };
        let bits = match (self.peek(), self.word()) {
            (_, Some("inf")) => inf | if negative { sign } else { 0 },
            (_, Some("nan")) if !negative => nan,
            (Token::Number { digits, suffix: "" }, _) if !negative && digits.starts_with("0x") => {
                match u64::from_str_radix(&digits[2..], 16) {
                    Ok(bits) => bits,
                    Err(_) => return self.fail(ParseErrorKind::Number("this has too many digits")),
                }
            }
            _ => return self.expected("`inf`, `-inf`, `nan` or hexadecimal bits"),
        };
        let constant = match ty {
            Type::F32 => match u32::try_from(bits) {
                Ok(bits) => Const::F32(bits),
                Err(_) => return self.fail(ParseErrorKind::Number("this has too many digits")),
            },
            _ => Const::F64(bits),
        };
        self.bump();
        Ok(constant)
    }

    /// `@ line:column+length in file`, or nothing.
    fn span(&mut self, file: FileId) -> Parsed<Span> {
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

    fn quoted(&mut self, what: &'static str) -> Parsed<String> {
        match self.peek() {
            Token::Name { text, quoted: true, tag: None } => {
                let text = text.to_string();
                self.bump();
                Ok(text)
            }
            _ => self.expected(what),
        }
    }

    /// Skips from an opening brace past the closing one.
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

    // ---- methods --------------------------------------------------------------------------------------------

    /// The head of a method, from its name; its code is skipped.
    pub(super) fn method_head(&mut self, file: FileId) -> Parsed<MethodHead<'t>> {
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

    /// Reads a body; also returns where each operation of each block stands.
    pub(super) fn body(&mut self, code: &CodeText<'t>, params: &[Type]) -> Parsed<(Body, Vec<Vec<At>>)> {
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

impl<'t> Parser<'_, 't, Program> {
    // ---- first pass: names of classes -----------------------------------------------------------------------

    fn items(&mut self) -> Parsed<()> {
        loop {
            self.skip_line_ends();
            match self.word() {
                Some("file") => self.file()?,
                Some("indices") => {
                    self.bump();
                    let ty = self.ty()?;
                    self.program.set_index_type(ty);
                    self.line_end()?;
                }
                Some("trap" | "arrays") => {
                    self.late.push(self.pos);
                    while !matches!(self.peek(), Token::LineEnd | Token::End) {
                        self.bump();
                    }
                    self.line_end()?;
                }
                Some("library" | "abstract" | "final" | "class" | "interface") => self.class_item()?,
                _ if *self.peek() == Token::End => return Ok(()),
                _ => return self.expected("`file`, `trap`, `arrays`, `class` or `interface`"),
            }
        }
    }

    fn file(&mut self) -> Parsed<()> {
        self.bump();
        let at = self.at();
        let number = self.small_number("the number of the file")?;
        let expected = self.program.file_count();
        if number as usize != expected {
            return Err(error(at, ParseErrorKind::FileNumber(expected)));
        }
        let path = PathBuf::from(self.quoted("a path in quotes")?);
        self.program.add_file(SourceFile { path, text: None });
        self.line_end()
    }

    fn class_item(&mut self) -> Parsed<()> {
        let is_library = self.eat_word("library");
        let is_abstract = self.eat_word("abstract");
        let is_final = self.eat_word("final");
        let is_interface = self.eat_word("interface");
        if !is_interface {
            self.expect_word("class")?;
        }
        let at = self.at();
        let name = self.path("the name of the class")?;
        if self.program.class_named(&name).is_some() {
            return Err(error(at, ParseErrorKind::Duplicate { what: "class", name }));
        }
        let class = Class {
            name,
            superclass: None,
            interfaces: vec![],
            fields: vec![],
            methods: vec![],
            is_abstract,
            is_final,
            is_interface,
            is_library,
            span: Span::NONE,
        };
        let id = self.program.add_class(class);
        self.fields.push(FxHashMap::default());
        self.class_items.push(ClassItem { id, at, pos: self.pos });
        while !matches!(self.peek(), Token::Punct("{") | Token::End) {
            self.bump();
        }
        self.skip_braces()
    }

    // ---- second pass: declarations --------------------------------------------------------------------------

    fn declarations(&mut self) -> Parsed<Vec<PendingBody<'t>>> {
        let mut bodies = Vec::new();
        for index in 0..self.class_items.len() {
            self.pos = self.class_items[index].pos;
            self.class_declaration(self.class_items[index].id, &mut bodies)?;
        }
        for start in std::mem::take(&mut self.late) {
            self.pos = start;
            self.late_item()?;
        }
        Ok(bodies)
    }

    fn late_item(&mut self) -> Parsed<()> {
        if self.eat_word("arrays") {
            let class = self.class()?;
            self.program.set_array_superclass(class);
        } else {
            self.bump();
            let at = self.at();
            let name = self.name("a trap")?;
            let Some(trap) = Trap::ALL.into_iter().find(|&trap| trap_name(trap) == name) else {
                return Err(error(at, ParseErrorKind::Unknown { what: "trap", name }));
            };
            let class = self.class()?;
            self.program.set_trap_class(trap, class);
            if self.eat_word("by") {
                let method = self.method()?;
                self.program.set_trap_thrower(trap, method);
            }
        }
        Ok(())
    }

    fn class_declaration(&mut self, id: ClassId, bodies: &mut Vec<PendingBody<'t>>) -> Parsed<()> {
        if self.eat_word("extends") {
            let superclass = self.class()?;
            self.program.set_superclass(id, superclass);
        }
        if self.eat_word("implements") {
            loop {
                let interface = self.class()?;
                self.program.add_interface(id, interface);
                if !self.eat(",") {
                    break;
                }
            }
        }
        let span = self.span(FileId(0))?;
        self.program.set_class_span(id, span);
        let file = if span == Span::NONE { FileId(0) } else { span.file };
        self.expect("{")?;
        loop {
            self.skip_line_ends();
            if self.eat("}") {
                return Ok(());
            }
            let is_static = self.eat_word("static");
            if self.eat_word("field") {
                self.field_declaration(id, is_static, file)?;
            } else if self.eat_word("method") {
                let kind = if is_static { MethodKind::Static } else { MethodKind::Instance };
                bodies.extend(self.method_declaration(id, kind, file)?);
            } else if !is_static && self.eat_word("constructor") {
                bodies.extend(self.method_declaration(id, MethodKind::Constructor, file)?);
            } else {
                return self.expected("`field`, `method`, `constructor` or `}`");
            }
        }
    }

    fn field_declaration(&mut self, class: ClassId, is_static: bool, file: FileId) -> Parsed<()> {
        let at = self.at();
        let name = self.name("the name of the field")?;
        self.expect(":")?;
        let ty = self.ty()?;
        let span = self.span(file)?;
        self.line_end()?;
        let id = self.program.add_field(Field { name: name.clone(), class, ty, is_static, span });
        match self.fields[class.index()].insert(name.clone(), id) {
            None => Ok(()),
            Some(_) => Err(error(at, ParseErrorKind::Duplicate { what: "field", name })),
        }
    }

    fn method_declaration(
        &mut self,
        class: ClassId,
        kind: MethodKind,
        file: FileId,
    ) -> Parsed<Option<PendingBody<'t>>> {
        let MethodHead { name, params, result, span, code } = self.method_head(file)?;
        let method = self.program.add_method(Method { name, class, kind, params, result, is_abstract: true, span });
        Ok(code.map(|code| PendingBody { method, code }))
    }
}

/// The operator that is written as a word.
fn function(word: &str) -> Option<UnaryOp> {
    [UnaryOp::Abs, UnaryOp::Sqrt, UnaryOp::Floor, UnaryOp::Ceil, UnaryOp::Rint]
        .into_iter()
        .find(|op| op.symbol() == word)
}

/// The type that a word names by itself.
fn primitive(word: &str) -> Option<Type> {
    let machine = |width, signed| Some(Type::Machine { width, signed });
    match word {
        "bool" => Some(Type::Bool),
        "int" => Some(Type::Int),
        "f32" => Some(Type::F32),
        "f64" => Some(Type::F64),
        "null" => Some(Type::Null),
        "i8" => machine(8, true),
        "i16" => machine(16, true),
        "i32" => machine(32, true),
        "i64" => machine(64, true),
        "u8" => machine(8, false),
        "u16" => machine(16, false),
        "u32" => machine(32, false),
        "u64" => machine(64, false),
        _ => None,
    }
}

/// Operators by symbol with their precedence, which is Java's.
fn binary_operator(symbol: &str) -> Option<(BinaryOp, u8)> {
    use BinaryOp::*;
    Some(match symbol {
        "|" => (Or, 1),
        "^" => (Xor, 2),
        "&" => (And, 3),
        "==" => (Eq, 4),
        "!=" => (Ne, 4),
        "<" => (Lt, 5),
        "<=" => (Le, 5),
        ">" => (Gt, 5),
        ">=" => (Ge, 5),
        "<<" => (Shl, 6),
        ">>" => (ShrSigned, 6),
        ">>>" => (ShrUnsigned, 6),
        "+" => (Add, 7),
        "-" => (Sub, 7),
        "*" => (Mul, 8),
        "/" => (FloatDiv, 8),
        "%" => (FloatRem, 8),
        _ => return None,
    })
}

/// An operand that waits for the one to the right of its operator.
struct Waiting {
    left: ExprId,
    op: BinaryOp,
    precedence: u8,
    /// The type that is written at the operator.
    ty: Option<Type>,
}

struct BodyParser<'b, 'p, 't, P> {
    parser: &'b mut Parser<'p, 't, P>,
    body: Body,
    /// Type of each expression.
    types: Vec<Type>,
    locals: FxHashMap<(Cow<'t, str>, u32), LocalId>,
    labels: FxHashMap<String, BlockId>,
    shared: Vec<ExprId>,
    /// Operations that stand before the current one without being written.
    before: Vec<OpKind>,
    file: FileId,
}

impl<'t, P: Borrow<Program>> BodyParser<'_, '_, 't, P> {
    fn read(&mut self) -> Parsed<Vec<Vec<At>>> {
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

    /// Numbers the blocks by the order of their labels, which may be used before they are met.
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

    fn declare(&mut self, name: (Cow<'t, str>, u32), ty: Type) -> Parsed<()> {
        let local = self.body.add_local(name.0.clone(), ty);
        match self.locals.insert(name.clone(), local) {
            None => Ok(()),
            Some(_) => {
                let name = name.0.into_owned();
                self.parser.fail(ParseErrorKind::Duplicate { what: "local", name })
            }
        }
    }

    fn local(&mut self) -> Parsed<LocalId> {
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

    // ---- blocks ---------------------------------------------------------------------------------------------

    fn block(&mut self) -> Parsed<Vec<At>> {
        // `find_labels` numbered the labels in the order in which they are met here.
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
                TerminatorKind::Unsupported(self.parser.quoted("what is not supported, in quotes")?)
            }
            Some("bound") => {
                self.parser.bump();
                TerminatorKind::Bound(self.parser.quoted("what the bound is, in quotes")?)
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    // ---- operations -----------------------------------------------------------------------------------------

    /// An operation; none for `initialize` of what has no initializer.
    fn op(&mut self) -> Parsed<Option<OpKind>> {
        if self.parser.surroundings.is_some()
            && self.parser.word() == Some("initialize")
            && matches!(self.parser.look(1), Token::Name { .. })
        {
            self.parser.bump();
            let class = self.parser.class()?;
            self.initialize(class);
            return Ok(None);
        }
        Ok(Some(self.plain_op()?))
    }

    /// Where the surroundings say how, initializes a class before the current operation.
    fn initialize(&mut self, class: ClassId) {
        if let Some((field, method)) = self.parser.surroundings.and_then(|known| known.initialization(class)) {
            self.before.push(OpKind::Ensure { field, method });
        }
    }

    /// The static field of the current operation.
    fn static_field(&mut self) -> Parsed<FieldId> {
        let field = self.parser.field()?;
        let class = self.parser.program().field(field).class;
        self.initialize(class);
        Ok(field)
    }

    /// `string "text"` or `class type` after `dst :=`, which the surroundings make.
    fn made_once(&mut self, dst: LocalId) -> Parsed<Option<OpKind>> {
        let Some(surroundings) = self.parser.surroundings else { return Ok(None) };
        let (field, method) = match (self.parser.word(), self.parser.look(1)) {
            (Some("string"), Token::Name { quoted: true, .. }) => {
                self.parser.bump();
                surroundings.string(&self.parser.quoted("a text in quotes")?)
            }
            (Some("class"), _) => {
                self.parser.bump();
                let ty = if self.parser.eat_word("void") { None } else { Some(self.parser.ty()?) };
                surroundings.class_object(ty)
            }
            _ => return Ok(None),
        };
        self.before.push(OpKind::Ensure { field, method });
        Ok(Some(OpKind::GetStatic { dst, field }))
    }

    fn plain_op(&mut self) -> Parsed<OpKind> {
        let demand = match self.parser.word() {
            Some("assert") => Some(AssertKind::Assert),
            Some("requires") => Some(AssertKind::Requires),
            Some("ensures") => Some(AssertKind::Ensures),
            Some("exceptional") => Some(AssertKind::Exceptional),
            _ => None,
        };
        if let Some(kind) = demand {
            self.parser.bump();
            return Ok(OpKind::Assert { condition: self.expr(0)?, kind });
        }
        if self.parser.eat_word("assume") {
            return Ok(OpKind::Assume { condition: self.expr(0)? });
        }
        if self.parser.eat_word("call") {
            return self.call(None);
        }
        if self.parser.eat_word("ensure") {
            let field = self.parser.field()?;
            self.parser.expect_word("by")?;
            return Ok(OpKind::Ensure { field, method: self.parser.method()? });
        }
        if self.parser.eat_word("print") {
            return Ok(OpKind::Intrinsic { dst: None, intrinsic: Intrinsic::Print, args: vec![self.expr(0)?] });
        }
        if self.parser.eat_word("static") {
            let field = self.static_field()?;
            self.parser.expect(":=")?;
            return Ok(OpKind::PutStatic { field, value: self.expr(0)? });
        }
        if matches!(self.parser.peek(), Token::Name { .. }) && *self.parser.look(1) == Token::Punct(":=") {
            let dst = self.local()?;
            self.parser.expect(":=")?;
            return self.assignment(dst);
        }
        if matches!(self.parser.peek(), Token::Punct("}") | Token::End)
            || (matches!(self.parser.peek(), Token::Name { .. }) && *self.parser.look(1) == Token::Punct(":"))
        {
            return self.parser.expected("an operation, or the end of the block: `goto`, `if`, `return`, …");
        }
        let owner = self.primary(0)?;
        match self.access()? {
            Some(Access::Field(field)) => {
                self.parser.expect(":=")?;
                Ok(OpKind::PutField { object: owner, field, value: self.expr(0)? })
            }
            Some(Access::Element(index)) => {
                self.parser.expect(":=")?;
                Ok(OpKind::ArrayPut { array: owner, index, value: self.expr(0)? })
            }
            Some(Access::Length) | None => self.parser.expected("`:=`, `.Class::field :=` or `[index] :=`"),
        }
    }

    /// What is read or written of an object, if anything: `.Class::field`, `.length`, `[index]`.
    fn access(&mut self) -> Parsed<Option<Access>> {
        if self.parser.eat(".") {
            let at = self.parser.at();
            let path = self.parser.path("`Class::field` or `length`")?;
            return if self.parser.eat("::") {
                Ok(Some(Access::Field(self.parser.field_of(path, at)?)))
            } else if path == "length" {
                Ok(Some(Access::Length))
            } else {
                self.parser.expected("`::`")
            };
        }
        if self.parser.eat("[") {
            let index = self.expr(0)?;
            self.parser.expect("]")?;
            return Ok(Some(Access::Element(index)));
        }
        Ok(None)
    }

    /// What follows `dst :=`.
    fn assignment(&mut self, dst: LocalId) -> Parsed<OpKind> {
        if let Some(op) = self.made_once(dst)? {
            return Ok(op);
        }
        match self.parser.word() {
            Some("new") => {
                self.parser.bump();
                let ty = self.parser.ty()?;
                if self.parser.eat("[") {
                    let length = self.expr(0)?;
                    self.parser.expect("]")?;
                    // The type of what is made may be written nowhere else.
                    self.parser.program().array_of(ty);
                    return Ok(OpKind::NewArray { dst, element: ty, length });
                }
                match ty {
                    Type::Class(class) => {
                        self.initialize(class);
                        Ok(OpKind::New { dst, class })
                    }
                    _ => self.parser.expected("`[` and a length"),
                }
            }
            Some("call") => {
                self.parser.bump();
                self.call(Some(dst))
            }
            Some("cast") => {
                self.parser.bump();
                let object = self.expr(0)?;
                self.parser.expect_word("to")?;
                Ok(OpKind::Cast { dst, object, ty: self.parser.ty()? })
            }
            Some("static") => {
                self.parser.bump();
                Ok(OpKind::GetStatic { dst, field: self.static_field()? })
            }
            Some("nondet") => {
                self.parser.bump();
                let ty = self.parser.ty()?;
                let (intrinsic, args) = if self.parser.eat("[") {
                    let length = self.expr(0)?;
                    self.parser.expect("]")?;
                    // As after `new`.
                    self.parser.program().array_of(ty);
                    (Intrinsic::NondetArray(ty), vec![length])
                } else {
                    (Intrinsic::Nondet(ty), vec![])
                };
                Ok(OpKind::Intrinsic { dst: Some(dst), intrinsic, args })
            }
            Some("alike") => {
                self.parser.bump();
                let left = self.expr(0)?;
                self.parser.expect(",")?;
                let right = self.expr(0)?;
                Ok(OpKind::Intrinsic { dst: Some(dst), intrinsic: Intrinsic::Alike, args: vec![left, right] })
            }
            Some("forall") => self.quantify(dst, Quantifier::ForAll),
            Some("exists") => self.quantify(dst, Quantifier::Exists),
            _ => self.value(dst),
        }
    }

    fn call(&mut self, dst: Option<LocalId>) -> Parsed<OpKind> {
        let dispatch = if self.parser.eat_word("static") {
            Dispatch::Static
        } else if self.parser.eat_word("special") {
            Dispatch::Special
        } else if self.parser.eat_word("virtual") {
            Dispatch::Virtual
        } else {
            return self.parser.expected("`static`, `special` or `virtual`");
        };
        let method = self.parser.method()?;
        self.parser.expect("(")?;
        let mut args = Vec::new();
        while !self.parser.is_punct(")") {
            args.push(self.expr(0)?);
            if !self.parser.eat(",") {
                break;
            }
        }
        self.parser.expect(")")?;
        Ok(OpKind::Call { dst, dispatch, method, args })
    }

    fn quantify(&mut self, dst: LocalId, quantifier: Quantifier) -> Parsed<OpKind> {
        self.parser.bump();
        let index = self.local()?;
        self.parser.expect(",")?;
        let element = self.local()?;
        self.parser.expect_word("in")?;
        let array = self.expr(0)?;
        self.parser.expect(":")?;
        Ok(OpKind::Quantify { dst, quantifier, array, index, element, body: self.expr(0)? })
    }

    /// An assignment, or an operation that starts with an expression.
    fn value(&mut self, dst: LocalId) -> Parsed<OpKind> {
        let start = self.parser.pos;
        let value = self.expr(0)?;
        if self.parser.is_punct(".") || self.parser.is_punct("[") {
            if !self.is_primary(start, self.parser.pos) {
                return self.parser.fail(ParseErrorKind::Operation);
            }
            return match self.access()? {
                Some(Access::Field(field)) => Ok(OpKind::GetField { dst, object: value, field }),
                Some(Access::Element(index)) => Ok(OpKind::ArrayGet { dst, array: value, index }),
                Some(Access::Length) => Ok(OpKind::ArrayLength { dst, array: value }),
                None => self.parser.expected("`.` or `[`"),
            };
        }
        if self.parser.eat_word("instanceof") {
            return Ok(OpKind::InstanceOf { dst, object: value, ty: self.parser.ty()? });
        }
        let op = if self.parser.eat_word("div") {
            DivideOp::Div
        } else if self.parser.eat_word("rem") {
            DivideOp::Rem
        } else {
            return Ok(OpKind::Assign { dst, value });
        };
        Ok(OpKind::Divide { dst, op, dividend: value, divisor: self.expr(0)? })
    }

    /// Whether the tokens from `start` to `end` are one name, or one pair of parentheses with what it holds.
    fn is_primary(&self, start: usize, end: usize) -> bool {
        let mut depth = 0u32;
        for (index, (_, token)) in self.parser.tokens[start..end].iter().enumerate() {
            match token {
                Token::Punct("(") => depth += 1,
                Token::Punct(")") => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return start + index + 1 == end;
            }
        }
        false
    }

    // ---- expressions ----------------------------------------------------------------------------------------

    fn add(&mut self, expr: Expr, ty: Type) -> ExprId {
        self.types.push(ty);
        self.body.add_expr(expr)
    }

    fn expr(&mut self, depth: u32) -> Parsed<ExprId> {
        if depth > MAX_DEPTH {
            return self.parser.fail(ParseErrorKind::TooDeep);
        }
        let condition = self.binary(depth)?;
        if !self.parser.eat("?") {
            return Ok(condition);
        }
        let then = self.expr(depth + 1)?;
        self.parser.expect(":")?;
        let other = self.expr(depth + 1)?;
        Ok(self.add(Expr::Select(condition, then, other), self.types[then.index()]))
    }

    /// Operands between operators, by precedence; operators of one precedence group to the left.
    fn binary(&mut self, depth: u32) -> Parsed<ExprId> {
        let mut waiting: Vec<Waiting> = Vec::new();
        let mut left = self.converted(depth)?;
        loop {
            let operator = match self.parser.peek() {
                Token::Punct(symbol) => binary_operator(symbol),
                _ => None,
            };
            let precedence = operator.map_or(0, |(_, precedence)| precedence);
            while let Some(last) = waiting.pop_if(|last| last.precedence >= precedence) {
                let types = (self.types[last.left.index()], self.types[left.index()]);
                let ty = last.ty.unwrap_or_else(|| usual_operand_type(types.0, types.1));
                let result = if last.op.is_comparison() { Type::Bool } else { ty };
                left = self.add(Expr::Binary(last.op, ty, last.left, left), result);
            }
            let Some((op, precedence)) = operator else {
                return Ok(left);
            };
            self.parser.bump();
            let ty = self.annotation()?;
            waiting.push(Waiting { left, op, precedence, ty });
            left = self.converted(depth)?;
        }
    }

    /// `:type` after an operator, or nothing.
    fn annotation(&mut self) -> Parsed<Option<Type>> {
        if self.parser.eat(":") { Ok(Some(self.parser.ty()?)) } else { Ok(None) }
    }

    /// An operand with the conversions that follow it.
    fn converted(&mut self, depth: u32) -> Parsed<ExprId> {
        let mut value = self.unary(depth)?;
        loop {
            let is_bits = self.parser.eat_word("bits");
            if !is_bits && !self.parser.eat_word("as") {
                return Ok(value);
            }
            let to = self.parser.ty()?;
            let from = if self.parser.eat_word("from") { self.parser.ty()? } else { self.types[value.index()] };
            let expr = if is_bits { Expr::Bits { from, to, value } } else { Expr::Convert { from, to, value } };
            value = self.add(expr, to);
        }
    }

    fn unary(&mut self, depth: u32) -> Parsed<ExprId> {
        if depth > MAX_DEPTH {
            return self.parser.fail(ParseErrorKind::TooDeep);
        }
        let op = match self.parser.peek() {
            Token::Punct("!") => UnaryOp::Not,
            Token::Punct("~") => UnaryOp::BitNot,
            Token::Punct("-") => UnaryOp::Neg,
            _ => match self.parser.word().and_then(function) {
                Some(op) => op,
                None => return self.primary(depth),
            },
        };
        self.parser.bump();
        if op == UnaryOp::Neg && matches!(self.parser.peek(), Token::Number { .. }) {
            let constant = self.parser.number(true)?;
            let ty = constant.ty();
            return Ok(self.add(Expr::Const(constant), ty));
        }
        let written = self.annotation()?;
        let operand = self.unary(depth + 1)?;
        let ty = written.unwrap_or(self.types[operand.index()]);
        let result = if op == UnaryOp::Not { Type::Bool } else { ty };
        Ok(self.add(Expr::Unary(op, ty, operand), result))
    }

    fn primary(&mut self, depth: u32) -> Parsed<ExprId> {
        if self.parser.eat("(") {
            let inner = self.expr(depth + 1)?;
            self.parser.expect(")")?;
            return Ok(inner);
        }
        let constant = match (self.parser.peek(), self.parser.word()) {
            (Token::Shared(number), _) => {
                let Some(&expr) = self.shared.get(*number as usize) else {
                    let name = format!("#{number}");
                    return self.parser.fail(ParseErrorKind::Unknown { what: "expression", name });
                };
                self.parser.bump();
                return Ok(expr);
            }
            (Token::Number { .. }, _) => self.parser.number(false)?,
            (_, Some("true")) => self.word_constant(Const::Bool(true)),
            (_, Some("false")) => self.word_constant(Const::Bool(false)),
            (_, Some("null")) => self.word_constant(Const::Null),
            (_, Some("f32")) => {
                self.parser.bump();
                self.parser.float_bits(Type::F32)?
            }
            (_, Some("f64")) => {
                self.parser.bump();
                self.parser.float_bits(Type::F64)?
            }
            (Token::Name { text, quoted, .. }, _) if *quoted || !is_reserved(text) => {
                let local = self.local()?;
                let ty = self.body.local(local).ty;
                return Ok(self.add(Expr::Local(local), ty));
            }
            _ => return self.parser.expected("an expression"),
        };
        let ty = constant.ty();
        Ok(self.add(Expr::Const(constant), ty))
    }

    fn word_constant(&mut self, constant: Const) -> Const {
        self.parser.bump();
        constant
    }
}

/// What of an object an operation is about.
enum Access {
    Field(FieldId),
    Element(ExprId),
    Length,
}
