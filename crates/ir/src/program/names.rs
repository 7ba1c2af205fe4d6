//! Formats names and places for users.

use super::{MethodId, MethodKind, Program, Type};
use crate::span::Span;

/// A language's names for types that are neither classes nor arrays; `None` for types that it does not have.
pub type TypeWords = fn(Type) -> Option<&'static str>;

/// How the sources declare the types of a method.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeclaredTypes {
    /// Those of the parameters, without the receiver.
    pub parameters: Vec<String>,
    /// That of the result, if methods of a class may differ in nothing else.
    pub result: Option<String>,
}

impl Program {
    /// The name `Class.method`.
    pub fn method_name(&self, id: MethodId) -> String {
        let method = self.method(id);
        format!("{}.{}", self.class_name(method.class), method.name)
    }

    /// The name by which users tell a method from others: `Class.method`, with the types of the parameters if its class has
    /// several methods of the name.
    pub fn distinct_name(&self, id: MethodId) -> String {
        let method = self.method(id);
        let is_written = |&&other: &&MethodId| !self.is_bridge(other) && !self.is_synthetic(other);
        match self.methods_named(method.class, &method.name).iter().filter(is_written).count() {
            0 | 1 => self.method_name(id),
            _ => self.signature(id),
        }
    }

    /// `Class.method(type, …)`, without the receiver. No two methods that sources declare have the same.
    pub fn signature(&self, id: MethodId) -> String {
        let DeclaredTypes { parameters, result } = self.declared_types(id);
        let result = result.map_or(String::new(), |result| format!(": {result}"));
        format!("{}({}){result}", self.method_name(id), parameters.join(", "))
    }

    /// The types of a method, as the sources declare them.
    pub fn declared_types(&self, id: MethodId) -> DeclaredTypes {
        let Some(DeclaredTypes { parameters, result }) = self.tables.profile.runtime.declared_types(self, id) else {
            return DeclaredTypes { parameters: self.parameter_types(id), result: None };
        };
        let parameters = parameters.into_iter().map(|name| self.without_implied_package(name)).collect();
        DeclaredTypes { parameters, result: result.map(|name| self.without_implied_package(name)) }
    }

    /// The types of a method's parameters in the program model, without the receiver.
    pub fn parameter_types(&self, id: MethodId) -> Vec<String> {
        let method = self.method(id);
        let receiver = usize::from(method.kind != MethodKind::Static);
        let show = |&ty: &Type| self.without_implied_package(self.show_type(ty));
        method.params.iter().skip(receiver).map(show).collect()
    }

    /// A name without the package that every program imports, as the sources write it.
    fn without_implied_package(&self, name: String) -> String {
        let rest = name.strip_prefix(self.tables.profile.implied_package).filter(|rest| !rest.contains('.'));
        rest.map(str::to_owned).unwrap_or(name)
    }

    /// A type as the program's language writes it: `int[]` where [`Program::type_name`] gives `i32[]`.
    pub fn show_type(&self, ty: Type) -> String {
        match ty {
            Type::Array(array) => format!("{}[]", self.show_type(self.element_type(array))),
            ty => self
                .tables
                .profile
                .type_words
                .and_then(|words| words(ty))
                .map_or_else(|| self.type_name(ty), str::to_owned),
        }
    }

    /// A type as the program model writes it, like IR text but without quotes around class names.
    pub fn type_name(&self, ty: Type) -> String {
        let mut element = ty;
        let mut dimensions = 0;
        while let Type::Array(array) = element {
            element = self.element_type(array);
            dimensions += 1;
        }
        let mut name = match element {
            Type::Bool => "bool".into(),
            Type::Int => "int".into(),
            Type::Machine { width, signed } => format!("{}{width}", if signed { 'i' } else { 'u' }),
            Type::F32 => "f32".into(),
            Type::F64 => "f64".into(),
            Type::Class(class) => self.class_name(class).to_string(),
            Type::Array(_) | Type::Null => "null".into(),
        };
        name.extend(std::iter::repeat_n("[]", dimensions));
        name
    }

    /// The line of a method that the user did not write: Java's compiler adds it to the initializer of a class with assertions.
    pub fn added_line(&self, method: MethodId) -> Option<u32> {
        let declared = self.method(method);
        let has_assertions = || self.find_field(declared.class, "$assertionsDisabled").is_some();
        (declared.name == "<clinit>" && has_assertions()).then_some(declared.span.line)
    }

    /// The text of the line of a place, without the space around it, if it is known.
    pub fn line_text(&self, span: Span) -> Option<&str> {
        let text = self.file(span.file)?.text.as_deref()?;
        text.lines().nth((span.line as usize).checked_sub(1)?).map(str::trim)
    }

    /// A place as `path:line:column`, which editors understand.
    pub fn show_span(&self, span: Span) -> String {
        match self.file(span.file) {
            Some(file) if span.is_known() => format!("{}:{span}", file.path.display()),
            Some(file) => file.path.display().to_string(),
            None => "<no source>".into(),
        }
    }
}
