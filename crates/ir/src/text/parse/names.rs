//! Resolves the names of classes, types, fields and methods.

use super::{ParseErrorKind, Parsed, Parser, error};
use crate::program::{ClassId, FieldId, MethodId, Program, Type};
use crate::text::is_reserved;
use crate::text::lex::{At, Token};
use std::borrow::{Borrow, Cow};

impl<'t, P: Borrow<Program>> Parser<'_, 't, P> {
    /// A name that may have a tag.
    pub(super) fn tagged_name(&mut self, what: &str) -> Parsed<(Cow<'t, str>, u32)> {
        match self.peek() {
            Token::Name { text, quoted, tag } if *quoted || !is_reserved(text) => {
                let name = (text.clone(), tag.unwrap_or(0));
                self.bump();
                Ok(name)
            }
            _ => self.expected(what),
        }
    }

    pub(in crate::text) fn name(&mut self, what: &str) -> Parsed<String> {
        match self.peek() {
            Token::Name { tag: Some(_), .. } => self.expected(what),
            _ => Ok(self.tagged_name(what)?.0.into_owned()),
        }
    }

    /// A class name: `a.b.C`, or one quoted name.
    pub(in crate::text) fn path(&mut self, what: &str) -> Parsed<String> {
        let is_quoted = matches!(self.peek(), Token::Name { quoted: true, .. });
        let mut path = self.name(what)?;
        while !is_quoted && self.is_punct(".") {
            self.bump();
            path.push('.');
            path.push_str(&self.name(what)?);
        }
        Ok(path)
    }

    pub(in crate::text) fn class(&mut self) -> Parsed<ClassId> {
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

    pub(in crate::text) fn ty(&mut self) -> Parsed<Type> {
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

    /// The rest of `Class::field`, starting at the class.
    pub(super) fn field(&mut self) -> Parsed<FieldId> {
        let at = self.at();
        let class = self.path("a class")?;
        self.expect("::")?;
        self.field_of(class, at)
    }

    pub(super) fn field_of(&mut self, class: String, at: At) -> Parsed<FieldId> {
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

    /// `Class::method`, with `[types -> type]` if the class has several methods of that name.
    pub(super) fn method(&mut self) -> Parsed<MethodId> {
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
}

/// The primitive type that a word denotes.
pub(super) fn primitive(word: &str) -> Option<Type> {
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
