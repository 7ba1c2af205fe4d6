//! Formats names and places for users.

use super::{MethodId, Program, Type};
use crate::span::Span;

/// A language's names for types that are neither classes nor arrays; `None` for types that it does not have.
pub type TypeWords = fn(Type) -> Option<&'static str>;

impl Program {
    /// The name `Class.method`.
    pub fn method_name(&self, id: MethodId) -> String {
        let method = self.method(id);
        format!("{}.{}", self.class_name(method.class), method.name)
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

    /// A place as `path:line:column`, which editors understand.
    pub fn show_span(&self, span: Span) -> String {
        match self.file(span.file) {
            Some(file) if span.is_known() => format!("{}:{span}", file.path.display()),
            Some(file) => file.path.display().to_string(),
            None => "<no source>".into(),
        }
    }
}
