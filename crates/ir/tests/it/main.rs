//! Tests of the program model through its text form.

mod analysis;
mod dot;
mod generate;
mod growing;
mod hierarchy;
mod piece;
mod scale;
mod text;
mod validate;

use aback_ir::{BlockId, Body, MethodId, Program};

/// The program that a text describes.
fn program(text: &str) -> Program {
    aback_ir::text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The method that is called `Class.method`, the first if there are several.
fn method(program: &Program, name: &str) -> MethodId {
    let found = program.methods().map(|(id, _)| id).find(|&id| program.method_name(id) == name);
    found.unwrap_or_else(|| panic!("no method {name}"))
}

/// Blocks by number.
fn blocks(numbers: &[u32]) -> Vec<BlockId> {
    numbers.iter().map(|&number| BlockId(number)).collect()
}

/// A static method over `c: bool` and `n: i32` with these blocks. Division can throw an `Error`.
fn body(blocks: &str) -> Body {
    let text = format!(
        "trap DivisionByZero Error
         trap NullDereference Error
         class Error {{}}
         class A {{
           static method f(c: bool, n: i32, e: Error) {{
             {blocks}
           }}
         }}"
    );
    let program = program(&text);
    let id = method(&program, "A.f");
    program.body(id).cloned().expect("a body")
}
