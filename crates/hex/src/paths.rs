//! Parses paths, types and the names of members.

use crate::automaton::MAX_LABELS;
use crate::lex::Kind;
use crate::parse::{Parsed, Parser, span_of, text_of, unknown};
use crate::{Label, Origin, Path, Times, Types, Words};
use aback_ir::{ClassId, Diagnostic, Span, Type};
use std::sync::Arc;

/// The class before the name of a member.
pub(crate) enum Declaring {
    Class(ClassId),
    /// All instances of a generic class, with its full name.
    Instances(Arc<str>),
}

impl Parser<'_> {
    /// Parses a path; `what` can stand at its start.
    pub(crate) fn path(&mut self, what: &str) -> Parsed<Path> {
        self.labels = 0;
        let origin = if self.is_word("root") {
            self.root_origin()?
        } else if self.is_word("any") {
            self.any_origin()?
        } else {
            return Err(self.expected(what));
        };
        if matches!(self.peek(), Kind::Sign('*' | '+' | '?')) {
            return Err(Diagnostic::error(self.span(), format!("nothing to repeat before {}", self.peek().show()))
                .with_help("only references after the start of a path can be repeated: `root.list(.next)*`"));
        }
        Ok(Path { origin, words: self.words()? })
    }

    fn root_origin(&mut self) -> Parsed<Origin> {
        self.advance();
        self.expect_sign('.')?;
        let names = self.dotted("the name of a root")?;
        // Names of static fields contain dots, so that the longest name of a root is taken.
        let found =
            (1..=names.len()).rev().find_map(|count| Some((count, self.names.root(&text_of(&names[..count]))?)));
        let Some((count, root)) = found else {
            return Err(unknown(names[0].1, self.names.unknown_root(names[0].0)));
        };
        let span = span_of(&names[..count]);
        self.skip_dotted(count);
        match self.names.roots.get(root.index()) {
            Some((name, ty)) if !ty.is_reference() => {
                Err(Diagnostic::error(span, format!("`{name}` is not a reference")))
            }
            _ => Ok(Origin::Root(root)),
        }
    }

    fn any_origin(&mut self) -> Parsed<Origin> {
        self.advance();
        if self.eat_sign('(') {
            let ty = self.ty("a type")?;
            self.expect_sign(')')?;
            return Ok(Origin::Any(ty));
        }
        let names = self.dotted("a type")?;
        for count in (1..=names.len()).rev() {
            let class = self.names.class(&text_of(&names[..count]));
            let span = span_of(&names[..count]);
            if let Some(class) = class.map_err(|reason| unknown(span, reason))? {
                self.skip_dotted(count);
                return self.origin_of_class(class, span);
            }
            let generic = self.names.instances(&text_of(&names[..count]));
            if let Some(generic) = generic.map_err(|reason| unknown(span, reason))? {
                self.skip_dotted(count);
                return Ok(Origin::Any(Types::Instances(generic)));
            }
        }
        // Fields may follow the class, so that the whole is not the name, but some part of it should be.
        let nearest = (1..=names.len()).rev().find_map(|count| {
            let reason = self.names.unknown_class(&text_of(&names[..count]));
            reason.help.is_some().then(|| unknown(span_of(&names[..count]), reason))
        });
        Err(nearest.unwrap_or_else(|| unknown(names[0].1, self.names.unknown_class(names[0].0))))
    }

    /// `any C[]` means elements of objects of class `C`, which for most classes is a mistake.
    fn origin_of_class(&self, class: ClassId, span: Span) -> Parsed<Origin> {
        let (program, ty) = (self.names.program, Type::Class(class));
        if self.is_sign('[') && !program.is_assignable(program.array_of(ty), ty) {
            let name = program.show_type(ty);
            return Err(Diagnostic::error(span, format!("`{name}` has no elements"))
                .with_help(format!("write `any ({name}[])` for arrays of this type")));
        }
        Ok(Origin::Any(Types::One(ty)))
    }

    fn words(&mut self) -> Parsed<Words> {
        let mut parts = Vec::new();
        loop {
            let single = match self.peek() {
                Kind::Sign('(') => self.group()?,
                Kind::Sign('[') => {
                    self.advance();
                    self.expect_sign(']')?;
                    self.label(Label::Element, self.span())?
                }
                Kind::Sign('.') => {
                    self.advance();
                    self.field()?
                }
                _ => break,
            };
            match self.repeated(single)? {
                Words::Sequence(more) => parts.extend(more),
                part => parts.push(part),
            }
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Words::Sequence(parts) })
    }

    fn group(&mut self) -> Parsed<Words> {
        self.nested(|parser| {
            parser.advance();
            let mut choices = Vec::new();
            loop {
                match parser.words()? {
                    Words::Sequence(parts) if parts.is_empty() => {
                        return Err(parser.expected("a reference: `.FIELD`, `[]` or `(`"));
                    }
                    Words::Choice(more) => choices.extend(more),
                    choice => choices.push(choice),
                }
                if parser.eat_sign(')') {
                    break;
                }
                if !parser.eat_sign('|') {
                    return Err(parser.expected("`|`, `)` or a reference: `.FIELD`, `[]` or `(`"));
                }
            }
            Ok(if choices.len() == 1 { choices.remove(0) } else { Words::Choice(choices) })
        })
    }

    fn repeated(&mut self, mut words: Words) -> Parsed<Words> {
        let mut signs = 0;
        loop {
            let times = match self.peek() {
                Kind::Sign('*') => Times::ZeroOrMore,
                Kind::Sign('+') => Times::OneOrMore,
                Kind::Sign('?') => Times::AtMostOne,
                _ => return Ok(words),
            };
            if signs == 2 {
                return Err(Diagnostic::error(self.span(), "too many signs of repetition"));
            }
            signs += 1;
            self.advance();
            words = Words::Repeat(Box::new(words), times);
        }
    }

    fn label(&mut self, label: Label, span: Span) -> Parsed<Words> {
        self.labels += 1;
        if self.labels > MAX_LABELS {
            let message = format!("a path can have at most {MAX_LABELS} references");
            return Err(Diagnostic::error(span, message));
        }
        Ok(Words::Label(label))
    }

    /// Parses what follows the dot before a field.
    fn field(&mut self) -> Parsed<Words> {
        let span = self.span();
        match self.peek() {
            Kind::Name(name) | Kind::Quoted(name) => {
                self.names.check_field(name).map_err(|reason| unknown(span, reason))?;
                self.advance();
                self.label(Label::Field(name.clone()), span)
            }
            Kind::Sign('(') => {
                self.advance();
                let names = self.dotted("the name of a field with its class: `CLASS.FIELD`")?;
                let (declaring, name, span) = self.member(names, "FIELD")?;
                let label = match declaring {
                    Declaring::Class(class) => self.names.field_of(class, &name).map(Label::Declared),
                    Declaring::Instances(generic) => self.names.field_of_instances(&generic, &name),
                };
                let label = label.map_err(|reason| unknown(span, reason))?;
                self.expect_sign(')')?;
                self.label(label, span)
            }
            _ => Err(self.expected("the name of a field")),
        }
    }

    /// Parses `CLASS.MEMBER`, whose names up to the first quoted one are `names`.
    pub(crate) fn member(&mut self, mut names: Vec<(&str, Span)>, kind: &str) -> Parsed<(Declaring, String, Span)> {
        self.skip_dotted(names.len());
        let (member, span) = if self.eat_sign('.') {
            let span = self.span();
            let (Kind::Name(name) | Kind::Quoted(name)) = self.peek() else {
                return Err(self.expected(&format!("`{kind}`")));
            };
            self.advance();
            (name.clone(), span)
        } else {
            match names.pop() {
                Some((name, span)) if !names.is_empty() => (name.to_string(), span),
                _ => return Err(self.expected(&format!("`.{kind}`"))),
            }
        };
        let (class, class_span) = (text_of(&names), span_of(&names));
        let found = self.names.class(&class).map_err(|reason| unknown(class_span, reason))?;
        if let Some(class) = found {
            return Ok((Declaring::Class(class), member, span));
        }
        let generic = self.names.instances(&class).map_err(|reason| unknown(class_span, reason))?;
        let generic = generic.ok_or_else(|| unknown(class_span, self.names.unknown_class(&class)))?;
        Ok((Declaring::Instances(generic), member, span))
    }

    /// Parses a type; `what` can stand here.
    pub(crate) fn ty(&mut self, what: &str) -> Parsed<Types> {
        let names = self.dotted(what)?;
        self.skip_dotted(names.len());
        let mut dimensions = 0;
        while self.eat_sign('[') {
            self.expect_sign(']')?;
            dimensions += 1;
            if dimensions > crate::parse::MAX_DEPTH {
                return Err(Diagnostic::error(self.span(), "this is nested too deeply"));
            }
        }
        self.names.ty(&text_of(&names), dimensions).map_err(|reason| unknown(span_of(&names), reason))
    }
}
