//! Parses tokens into the syntax tree: classes and their members.
//!
//! After an error, the parser goes on behind the next `;` or `}`.

mod expr;
mod stmt;

use crate::ast::{BaseType, Class, Expr, Method, Name, Spec, TypeRef};
use crate::lexer::{Loc, Tok, Token};
use crate::report::{Outcome, Reported, Sink};
use aback_ir::{AssertKind, FileId, MethodKind};

/// Deepest nesting of statements and expressions, in levels. Programs of people and generators need less, and recursion
/// over the tree is safe.
pub(crate) const MAX_NESTING: u32 = 256;

/// Parses the classes of a file.
pub(crate) fn parse<'a>(file: FileId, tokens: Vec<Token<'a>>, sink: &mut Sink) -> Vec<Class<'a>> {
    let mut parser = Parser { tokens, at: 0, file, sink, depth: 0, aborted: false };
    let mut classes = Vec::new();
    while !parser.at_end() && !parser.sink.is_full() {
        if let Ok(class) = parser.class() {
            classes.push(class);
        } else {
            while !parser.at_end() && !parser.at("class") {
                parser.advance();
            }
        }
    }
    classes
}

/// Parses a text that is one expression.
pub(crate) fn parse_expression<'a>(file: FileId, tokens: Vec<Token<'a>>, sink: &mut Sink) -> Outcome<Expr<'a>> {
    let mut parser = Parser { tokens, at: 0, file, sink, depth: 0, aborted: false };
    let expression = parser.expression()?;
    if parser.at_end() { Ok(expression) } else { Err(parser.expected("the end of the expression")) }
}

struct Parser<'a, 's> {
    /// Ends with [`Tok::End`].
    tokens: Vec<Token<'a>>,
    at: usize,
    file: FileId,
    sink: &'s mut Sink,
    depth: u32,
    /// Whether the parser has given up the rest of the file. It then reports nothing more.
    aborted: bool,
}

enum Member<'a> {
    Field(TypeRef<'a>, Name<'a>),
    Method(Method<'a>),
}

impl<'a> Parser<'a, '_> {
    // ---- tokens ---------------------------------------------------------------------------------------------

    fn token(&self) -> Token<'a> {
        self.token_after(0)
    }

    fn token_after(&self, n: usize) -> Token<'a> {
        self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    fn previous(&self) -> Loc {
        self.tokens[self.at.saturating_sub(1)].loc
    }

    fn advance(&mut self) -> Loc {
        let loc = self.token().loc;
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        loc
    }

    fn at_end(&self) -> bool {
        self.token().kind == Tok::End
    }

    fn at(&self, text: &'static str) -> bool {
        self.token().kind == Tok::Fixed(text)
    }

    fn eat(&mut self, text: &'static str) -> bool {
        let there = self.at(text);
        if there {
            self.advance();
        }
        there
    }

    fn expect(&mut self, text: &'static str) -> Outcome<Loc> {
        if self.at(text) { Ok(self.advance()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    fn name(&mut self, what: &str) -> Outcome<Name<'a>> {
        match self.token().kind {
            Tok::Name(text) => Ok(Name { text, loc: self.advance() }),
            Tok::Fixed(word) if word.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                Err(self.error(self.token().loc, format!("expected {what}, found the reserved word `{word}`")))
            }
            _ => Err(self.expected(what)),
        }
    }

    // ---- errors ---------------------------------------------------------------------------------------------

    fn error(&mut self, loc: Loc, message: impl Into<String>) -> Reported {
        self.error_with_help(loc, message, None)
    }

    fn error_with_help(&mut self, loc: Loc, message: impl Into<String>, help: Option<&str>) -> Reported {
        if !self.aborted {
            self.sink.error_with_help(loc.span(self.file), message, help.map(str::to_owned));
        }
        Reported
    }

    /// The current token, in words for users.
    fn found(&self) -> String {
        match self.token().kind {
            Tok::Name(text) => format!("`{text}`"),
            Tok::Int(_) => "a number".into(),
            Tok::Char(_) => "a character".into(),
            Tok::Str(_) => "a string".into(),
            Tok::Fixed(text) => format!("`{text}`"),
            Tok::End => "the end of the file".into(),
        }
    }

    fn expected(&mut self, what: &str) -> Reported {
        let (found, shown) = (self.token(), self.found());
        // Something missing at the end of a line is reported there, not at the start of the next line.
        let previous = self.previous();
        let loc = if self.at > 0 && previous.line < found.loc.line { previous.behind() } else { found.loc };
        self.error(loc, format!("expected {what}, found {shown}"))
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        if self.depth >= MAX_NESTING {
            return Err(self.too_deep(self.token().loc));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Reports too deep nesting and gives up the rest of the file, which would repeat the error at each level.
    fn too_deep(&mut self, loc: Loc) -> Reported {
        self.error(loc, format!("nested more than {MAX_NESTING} levels deep"));
        self.aborted = true;
        self.at = self.tokens.len() - 1;
        Reported
    }

    /// Skips behind the next `;` or block, or up to a `}` or `class` of an enclosing construct.
    fn recover(&mut self) {
        let mut open = 0_u32;
        loop {
            match self.token().kind {
                Tok::End | Tok::Fixed("class") => return,
                Tok::Fixed("}") if open == 0 => return,
                Tok::Fixed("}") => open -= 1,
                Tok::Fixed("{") => open += 1,
                Tok::Fixed(";") if open == 0 => {
                    self.advance();
                    return;
                }
                _ => {
                    self.advance();
                    continue;
                }
            }
            let closed = self.at("}");
            self.advance();
            if closed && open == 0 {
                return;
            }
        }
    }

    // ---- declarations ---------------------------------------------------------------------------------------

    fn class(&mut self) -> Outcome<Class<'a>> {
        if matches!(self.token().kind, Tok::Fixed("interface" | "abstract")) {
            let loc = self.advance();
            return Err(self.error(loc, "OOX has neither interfaces nor abstract classes"));
        }
        if !self.at("class") {
            let message = format!("expected a class, found {}", self.found());
            let loc = self.advance();
            return Err(self.error(loc, message));
        }
        self.advance();
        let name = self.name("the name of the class")?;
        let superclass = if self.eat("extends") { Some(self.name("the name of the superclass")?) } else { None };
        self.expect("{")?;
        let mut class = Class { file: self.file, name, superclass, fields: Vec::new(), methods: Vec::new() };
        while !self.at("}") {
            if self.at_end() || self.at("class") {
                return Err(self.expected("`}`"));
            }
            if self.eat(";") {
                continue;
            }
            let start = self.at;
            match self.member(&class) {
                Ok(Member::Field(ty, name)) => class.fields.push((ty, name)),
                Ok(Member::Method(method)) => class.methods.push(method),
                Err(Reported) if self.sink.is_full() => return Err(Reported),
                Err(Reported) => {
                    self.recover();
                    if self.at == start {
                        self.advance();
                    }
                }
            }
        }
        self.advance();
        Ok(class)
    }

    fn member(&mut self, class: &Class<'a>) -> Outcome<Member<'a>> {
        let dash = self.at("-").then(|| self.advance());
        let is_static = self.eat("static");
        if let (Tok::Name(text), Tok::Fixed("(")) = (self.token().kind, self.token_after(1).kind) {
            let name = self.name("a name")?;
            if text != class.name.text || is_static {
                let help = format!("write the type of the result before `{text}`, or `void`");
                return Err(self.error_with_help(
                    name.loc,
                    format!("`{text}` has no result type and is not a constructor of `{}`", class.name.text),
                    Some(&help),
                ));
            }
            return self.method(MethodKind::Constructor, None, name, dash);
        }
        let ty = self.type_ref("a field, a method or a constructor")?;
        let name = self.name("a name")?;
        if self.at("(") {
            let kind = if is_static { MethodKind::Static } else { MethodKind::Instance };
            return self.method(kind, Some(ty), name, dash);
        }
        if is_static {
            let help = "use a static method that returns the value, or a field of an object that is passed around";
            return Err(self.error_with_help(name.loc, "OOX has no static fields", Some(help)));
        }
        if self.at(":=") || self.at("=") {
            let help = "assign it in a constructor: fields start as 0, false or null";
            return Err(self.error_with_help(self.token().loc, "a field has no initial value", Some(help)));
        }
        self.expect(";")?;
        Ok(Member::Field(ty, name))
    }

    fn method(
        &mut self,
        kind: MethodKind,
        result: Option<TypeRef<'a>>,
        name: Name<'a>,
        dash: Option<Loc>,
    ) -> Outcome<Member<'a>> {
        if let Some(dash) = dash {
            self.error(dash, "a `-` may precede a field, but not a method");
        }
        self.expect("(")?;
        let mut params = Vec::new();
        while !self.at(")") {
            if !params.is_empty() {
                self.expect(",")?;
            }
            params.push((self.type_ref("the type of a parameter")?, self.name("the name of a parameter")?));
        }
        self.advance();
        let mut specs = Vec::new();
        while !self.at("{") {
            specs.push(self.spec()?);
        }
        let (body, end) = self.braces()?;
        Ok(Member::Method(Method { kind, result, name, params, specs, body, end }))
    }

    fn spec(&mut self) -> Outcome<Spec<'a>> {
        let start = self.token();
        let kind = match start.kind {
            Tok::Name("requires") => AssertKind::Requires,
            Tok::Name("ensures") => AssertKind::Ensures,
            Tok::Name("exceptional") => AssertKind::Exceptional,
            _ => return Err(self.expected("the body of the method or a specification")),
        };
        self.advance();
        let condition = self.parenthesized()?;
        Ok(Spec { kind, condition, loc: start.loc.to(self.previous()) })
    }

    // ---- types ----------------------------------------------------------------------------------------------

    fn base_type(&self) -> Option<BaseType<'a>> {
        Some(match self.token().kind {
            Tok::Fixed("int") => BaseType::Int,
            Tok::Fixed("bool") => BaseType::Bool,
            Tok::Fixed("char") => BaseType::Char,
            Tok::Fixed("string") => BaseType::String,
            Tok::Fixed("void") => BaseType::Void,
            Tok::Name(name) => BaseType::Class(name),
            _ => return None,
        })
    }

    /// Parses a type; `what` names it in an error message.
    fn type_ref(&mut self, what: &str) -> Outcome<TypeRef<'a>> {
        let Some(base) = self.base_type() else { return Err(self.expected(what)) };
        let loc = self.advance();
        self.dimensions(TypeRef { base, dimensions: 0, loc })
    }

    /// Parses any number of `[]`.
    fn dimensions(&mut self, mut ty: TypeRef<'a>) -> Outcome<TypeRef<'a>> {
        while self.at("[") && self.token_after(1).kind == Tok::Fixed("]") {
            self.advance();
            let end = self.advance();
            if ty.dimensions == u8::MAX {
                return Err(self.error(end, "an array has at most 255 dimensions"));
            }
            ty = TypeRef { dimensions: ty.dimensions + 1, loc: ty.loc.to(end), ..ty };
        }
        Ok(ty)
    }
}
