//! Parses the items of a program: first the names of classes, then the contents of classes.

use super::{CodeText, MethodHead, ParseErrorKind, Parsed, Parser, error};
use crate::program::{Access, Class, ClassId, Field, Method, MethodId, MethodKind, Program, Trap};
use crate::span::{FileId, SourceFile, Span};
use crate::text::lex::{At, Token};
use crate::text::trap_name;
use rustc_hash::FxHashMap;
use std::path::PathBuf;

/// A class whose contents have not been read yet.
pub(super) struct ClassItem {
    pub(super) id: ClassId,
    pub(super) at: At,
    /// The token after its name.
    pos: usize,
}

/// A method whose body has not been read yet.
pub(super) struct PendingBody<'t> {
    pub(super) method: MethodId,
    pub(super) code: CodeText<'t>,
}

impl<'t> Parser<'_, 't, Program> {
    pub(super) fn items(&mut self) -> Parsed<()> {
        loop {
            self.skip_line_ends();
            match self.word() {
                Some("file") => self.file()?,
                Some("indices") => {
                    self.bump();
                    let ty = self.ty()?;
                    self.program.profile_mut().index_type = ty;
                    if self.eat_word("most") {
                        let most = self.small_number("the most elements of an array")?;
                        self.program.profile_mut().max_array_length = Some(most.into());
                    }
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

    pub(super) fn declarations(&mut self) -> Parsed<Vec<PendingBody<'t>>> {
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
            self.program.profile_mut().set_root(class);
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
            let access = self.access();
            let is_static = self.eat_word("static");
            if access == Access::Public && self.eat_word("field") {
                self.field_declaration(id, is_static, file)?;
            } else if self.eat_word("method") {
                let kind = if is_static { MethodKind::Static } else { MethodKind::Instance };
                bodies.extend(self.method_declaration(id, access, kind, file)?);
            } else if !is_static && self.eat_word("constructor") {
                bodies.extend(self.method_declaration(id, access, MethodKind::Constructor, file)?);
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
        access: Access,
        kind: MethodKind,
        file: FileId,
    ) -> Parsed<Option<PendingBody<'t>>> {
        let MethodHead { name, params, result, span, code } = self.method_head(file)?;
        let declared = Method { name, class, kind, params, result, access, is_abstract: true, span };
        let method = self.program.add_method(declared);
        Ok(code.map(|code| PendingBody { method, code }))
    }
}
