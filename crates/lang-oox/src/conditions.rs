//! Reads preconditions of an entry point: expressions that become methods of its class, with its parameters.

use crate::ast::{self, BaseType, Class, Expr, Stmt, StmtKind, TypeRef};
use crate::declare::{Env, Pending};
use crate::lexer;
use crate::parser;
use crate::report::Sink;
use aback_frontend::CONDITION_FILE;
use aback_ir::{FileId, MethodId, MethodKind, Precondition, Program, SourceFile, Span};

/// Preconditions of an entry point of a program that is read again.
pub(crate) struct Conditions {
    entry: MethodId,
    class: String,
    kind: MethodKind,
    /// The place of the entry point's name; unknown for the constructor of a class that declares none.
    span: Span,
    /// The texts, each with the name of its method, which no method of a program has.
    texts: Vec<(String, String)>,
}

/// Conditions as methods of the class of the entry point.
pub(crate) struct Parsed<'c> {
    of: &'c Conditions,
    methods: Vec<(FileId, ast::Method<'c>)>,
}

/// The declared methods, whose bodies are still to be lowered.
pub(crate) struct Declared<'t, 'c> {
    of: &'c Conditions,
    pub methods: Vec<Pending<'t, 'c>>,
}

impl Conditions {
    pub fn new(program: &Program, entry: MethodId, texts: Vec<String>) -> Self {
        let method = program.method(entry);
        let texts = texts.into_iter().enumerate().map(|(number, text)| (text, format!("precondition {number}")));
        Conditions {
            entry,
            class: program.class_name(method.class).to_owned(),
            kind: method.kind,
            span: method.span,
            texts: texts.collect(),
        }
    }

    /// Parses the conditions. Each is in a file of its own.
    pub fn parsed<'c>(&'c self, program: &mut Program, classes: &[Class<'c>], sink: &mut Sink) -> Parsed<'c> {
        let is_entry = |class: &&Class<'c>, method: &&ast::Method<'c>| method.name.loc.span(class.file) == self.span;
        let entry = classes.iter().find_map(|class| class.methods.iter().find(|method| is_entry(&class, method)));
        let mut methods = Vec::new();
        for (text, name) in &self.texts {
            let file = program.add_file(SourceFile { path: CONDITION_FILE.into(), text: Some(text.clone()) });
            let tokens = lexer::lex(file, text, sink);
            if let Ok(condition) = parser::parse_expression(file, tokens, sink) {
                methods.push((file, self.method(name, entry, condition)));
            }
        }
        Parsed { of: self, methods }
    }

    /// The method that returns a condition. A constructor's condition has no object, because the object is not made yet.
    fn method<'c>(&self, name: &'c str, entry: Option<&ast::Method<'c>>, condition: Expr<'c>) -> ast::Method<'c> {
        let loc = condition.loc;
        ast::Method {
            kind: if self.kind == MethodKind::Instance { MethodKind::Instance } else { MethodKind::Static },
            result: Some(TypeRef { base: BaseType::Bool, dimensions: 0, loc }),
            name: ast::Name { text: name, loc },
            params: entry.map_or_else(Vec::new, |entry| entry.params.clone()),
            specs: Vec::new(),
            body: vec![Stmt { kind: StmtKind::Return(Some(condition)), loc, end: loc }],
            end: loc,
        }
    }
}

impl<'c> Parsed<'c> {
    /// Declares the methods. All others are declared already, so that these do not change their ids.
    pub fn declared<'t>(&'t self, env: &mut Env<'c>) -> Declared<'t, 'c> {
        let mut methods = Vec::new();
        if let Some(class) = env.lookup_class(&self.of.class) {
            for (file, source) in &self.methods {
                if let Ok(method) = env.declare_method(class, *file, source) {
                    let span = source.name.loc.span(*file);
                    methods.push(Pending { file: *file, class, method, source: Some(source), span });
                }
            }
        }
        Declared { of: self.of, methods }
    }
}

impl Declared<'_, '_> {
    /// The program with the preconditions.
    pub fn preconditions_in(&self, program: &Program) -> Program {
        let count = program.method(self.of.entry).params.len();
        let built = usize::from(self.of.kind == MethodKind::Constructor);
        let conditions = self.methods.iter().zip(&self.of.texts).map(|(pending, (text, _))| Precondition {
            text: text.clone(),
            method: pending.method,
            arguments: (built..count).collect(),
        });
        program.with_preconditions(self.of.entry, conditions.collect())
    }
}
