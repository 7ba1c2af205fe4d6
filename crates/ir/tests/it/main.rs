//! Tests of the program model through its text form.

mod text;
mod validate;

use aback_ir::{MethodId, Program};

/// The program that a text describes.
fn program(text: &str) -> Program {
    aback_ir::text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The method of this name, the first if there are several.
fn method(program: &Program, name: &str) -> MethodId {
    program.methods().find(|(_, m)| m.name == name).unwrap_or_else(|| panic!("no method {name}")).0
}
