//! Parses files of invariants and finds what their names stand for.

use crate::lex::{Kind, Token, join, lex};
use crate::names::{Names, Unknown};
use crate::paths::Declaring;
use crate::{Atom, AtomId, Invariants, Path, Requirement, Sentence};
use aback_ir::{Diagnostic, FileId, Program, Span, Type};

/// The most sentences or groups in each other, so that recursion over them is bounded.
pub(crate) const MAX_DEPTH: usize = 50;

pub(crate) type Parsed<T> = Result<T, Diagnostic>;

/// Parses the text of a file of invariants.
///
/// # Errors
/// Messages with places: at most one for each sentence.
pub(crate) fn parse(
    program: &Program,
    roots: &[(String, Type)],
    file: FileId,
    text: &str,
) -> Result<Invariants, Vec<Diagnostic>> {
    let tokens = lex(file, text);
    let names = Names { program, roots };
    load_classes(names, &tokens);
    let mut parser = Parser { names, tokens: &tokens, at: 0, depth: 0, atoms: vec![], labels: 0 };
    let (mut sentences, mut problems) = (Vec::new(), Vec::new());
    while *parser.peek() != Kind::End {
        match parser.sentence() {
            Ok(sentence) => sentences.push(sentence),
            Err(problem) => {
                problems.push(problem);
                parser.skip_sentence();
            }
        }
    }
    if problems.is_empty() { Ok(Invariants::new(parser.atoms, sentences, roots.to_vec())) } else { Err(problems) }
}

/// Loads the classes that the file names, because sentences that come before may name their fields.
fn load_classes(names: Names, tokens: &[Token]) {
    let mut name = String::new();
    for (index, token) in tokens.iter().enumerate() {
        let is_joined = index > 0 && tokens[index - 1].kind == Kind::Sign('.');
        match &token.kind {
            Kind::Name(part) if is_joined && !name.is_empty() => name = format!("{name}.{part}"),
            Kind::Name(part) | Kind::Quoted(part) => name = part.clone(),
            Kind::Sign('.') => continue,
            _ => name.clear(),
        }
        let classes = if name.is_empty() { Vec::new() } else { names.classes(&name) };
        // Paths go on with fields of the objects that fields hold.
        for field in classes.into_iter().flat_map(|class| names.program.instance_fields(class)) {
            if let Type::Class(held) = names.program.field(field).ty {
                names.program.class(held);
            }
        }
    }
}

pub(crate) struct Parser<'t> {
    pub names: Names<'t>,
    tokens: &'t [Token],
    at: usize,
    depth: usize,
    atoms: Vec<Atom>,
    /// The number of labels of the current path.
    pub labels: usize,
}

/// Reading tokens.
impl<'t> Parser<'t> {
    fn token(&self, ahead: usize) -> &'t Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + ahead).min(last)]
    }

    pub(crate) fn peek(&self) -> &'t Kind {
        &self.token(0).kind
    }

    pub(crate) fn span(&self) -> Span {
        self.token(0).span
    }

    /// The place from `start` to the token before the current one.
    pub(crate) fn span_from(&self, start: Span) -> Span {
        let last = self.tokens[self.at.saturating_sub(1)].span;
        join(start, last)
    }

    pub(crate) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Kind::Name(name) if name == word)
    }

    pub(crate) fn is_sign(&self, sign: char) -> bool {
        *self.peek() == Kind::Sign(sign)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn eat_sign(&mut self, sign: char) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn expected(&self, what: &str) -> Diagnostic {
        Diagnostic::error(self.span(), format!("expected {what}, found {}", self.peek().show()))
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    pub(crate) fn expect_sign(&mut self, sign: char) -> Parsed<()> {
        if self.eat_sign(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    /// Parses something that can contain itself.
    pub(crate) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Diagnostic::error(self.span(), "this is nested too deeply"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// The names `a.b.c` that start at the current token, with the place of each. A name in quotation marks is
    /// complete.
    pub(crate) fn dotted(&self, what: &str) -> Parsed<Vec<(&'t str, Span)>> {
        let mut names = Vec::new();
        let mut ahead = 0;
        loop {
            let token = self.token(ahead);
            match &token.kind {
                Kind::Name(name) => names.push((name.as_str(), token.span)),
                Kind::Quoted(name) if names.is_empty() => return Ok(vec![(name.as_str(), token.span)]),
                _ if names.is_empty() => return Err(self.expected(what)),
                // What follows the dot is not a name, so that the dot belongs to something else.
                _ => return Ok(names),
            }
            if self.token(ahead + 1).kind != Kind::Sign('.') {
                return Ok(names);
            }
            ahead += 2;
        }
    }

    /// Skips this many names and the dots between them.
    pub(crate) fn skip_dotted(&mut self, names: usize) {
        for _ in 0..(2 * names).saturating_sub(1) {
            self.advance();
        }
    }

    fn skip_sentence(&mut self) {
        while *self.peek() != Kind::End && !self.eat_sign(';') {
            self.advance();
        }
    }
}

pub(crate) fn unknown(span: Span, unknown: Unknown) -> Diagnostic {
    Diagnostic { help: unknown.help, ..Diagnostic::error(span, unknown.message) }
}

pub(crate) fn text_of(names: &[(&str, Span)]) -> String {
    names.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(".")
}

pub(crate) fn span_of(names: &[(&str, Span)]) -> Span {
    match names {
        [(_, first), .., (_, last)] => join(*first, *last),
        [(_, only)] => *only,
        [] => Span::NONE,
    }
}

/// Sentences.
impl Parser<'_> {
    fn sentence(&mut self) -> Parsed<Sentence> {
        self.depth = 0;
        let sentence = self.implication()?;
        if self.eat_sign(';') { Ok(sentence) } else { Err(self.expected("`and`, `or`, `implies` or `;`")) }
    }

    fn implication(&mut self) -> Parsed<Sentence> {
        self.nested(|parser| {
            let premise =
                parser.list("or", |parser| parser.list("and", Self::negation, Sentence::And), Sentence::Or)?;
            if !parser.eat_word("implies") {
                return Ok(premise);
            }
            Ok(Sentence::Implies(Box::new(premise), Box::new(parser.implication()?)))
        })
    }

    fn list(
        &mut self,
        word: &str,
        part: impl Fn(&mut Self) -> Parsed<Sentence>,
        whole: impl FnOnce(Vec<Sentence>) -> Sentence,
    ) -> Parsed<Sentence> {
        let first = part(self)?;
        if !self.is_word(word) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat_word(word) {
            parts.push(part(self)?);
        }
        Ok(whole(parts))
    }

    fn negation(&mut self) -> Parsed<Sentence> {
        if self.eat_word("not") {
            return Ok(Sentence::Not(Box::new(self.nested(Self::negation)?)));
        }
        if self.eat_sign('(') {
            let inner = self.implication()?;
            return if self.eat_sign(')') { Ok(inner) } else { Err(self.expected("`and`, `or`, `implies` or `)`")) };
        }
        self.atom()
    }

    fn atom(&mut self) -> Parsed<Sentence> {
        let start = self.span();
        let path = self.path("`root.NAME`, `any TYPE`, `not` or `(`")?;
        let requirement = if self.eat_word("not") {
            self.expect_word("null")?;
            Requirement::NotNull
        } else if self.eat_word("expands") {
            self.expect_word("to")?;
            match self.eat_word("nothing") {
                true => Requirement::ExpandsToNothing,
                false => Requirement::ExpandsTo(self.ty("`nothing` or a type")?),
            }
        } else if self.eat_word("aliases") {
            self.aliases(&path)?
        } else {
            return Err(self.expected("`not null`, `expands to`, `aliases`, or a reference: `.FIELD`, `[]` or `(`"));
        };
        let companion = if self.eat_word("triggers") {
            let names = self.dotted("the name of a method: `CLASS.METHOD`")?;
            Some(self.companion(names, &path)?)
        } else {
            None
        };
        self.atoms.push(Atom { path, requirement, companion, span: self.span_from(start) });
        Ok(Sentence::Atom(AtomId(self.atoms.len() as u32 - 1)))
    }

    fn aliases(&mut self, path: &Path) -> Parsed<Requirement> {
        if self.eat_word("nothing") {
            return Ok(Requirement::AliasesNothing);
        }
        if self.eat_word("some") {
            return Ok(Requirement::AliasesSome(self.ty("a type")?));
        }
        let is_max = self.eat_word("max");
        let start = self.span();
        let what = if is_max { "a path" } else { "`nothing`, `some`, `max` or a path: `root.NAME` or `any TYPE`" };
        let target = self.path(what)?;
        // The second path starts at the object where the first one does.
        if let crate::Origin::Any(ty) = &target.origin
            && target.origin != path.origin
        {
            let ty = ty.show(self.names.program);
            return Err(Diagnostic::error(
                self.span_from(start),
                format!("the first path does not start at `any {ty}`"),
            )
            .with_help("`any` in the second path is the object where the first path starts"));
        }
        Ok(if is_max { Requirement::AliasesMax(target) } else { Requirement::Aliases(target) })
    }

    fn companion(&mut self, names: Vec<(&str, Span)>, path: &Path) -> Parsed<aback_ir::MethodId> {
        let start = self.span();
        let (Declaring::Class(class), method, span) = self.member(names, "METHOD")? else {
            return Err(Diagnostic::error(start, "a method of all instances of a generic class cannot be called here"));
        };
        self.names.companion(class, &method, &path.origin).map_err(|reason| unknown(span, reason))
    }
}
