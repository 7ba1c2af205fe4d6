//! Prints and parses the text form of programs. Printed text parses to the same program.
//!
//! `docs/ir.md` has the grammar. Tests use small programs in this form, library models are written in it, and `aback
//! show ir` prints it.
//!
//! ```
//! let program = aback_ir::text::parse(
//!     "class Math {
//!        static method max(a: i32, b: i32) -> i32 {
//!        b0: return a < b ? b : a
//!        }
//!      }",
//! )?;
//! assert!(aback_ir::text::print(&program).contains("return (a < b) ? b : a"));
//! # Ok::<(), aback_ir::text::ParseError>(())
//! ```
//!
//! The text omits two things: the contents of source files, and expressions that no operation uses.

mod lex;
mod parse;
mod piece;
mod print;

pub use parse::{ParseError, ParseErrorKind, parse};
pub use piece::{ClassHead, ClassText, MemberText, MethodText, Surroundings};
pub use print::{BodyPrinter, print, print_classes, print_method, print_type};

use crate::program::{Access, Trap};

/// Words that must be quoted to be names.
const RESERVED: &[&str] = &[
    "abs",
    "abstract",
    "alike",
    "any",
    "arrays",
    "as",
    "assert",
    "assume",
    "bits",
    "bool",
    "bound",
    "by",
    "call",
    "cast",
    "ceil",
    "class",
    "constructor",
    "div",
    "else",
    "ensure",
    "ensures",
    "exceptional",
    "exists",
    "extends",
    "f32",
    "f64",
    "false",
    "field",
    "file",
    "final",
    "floor",
    "forall",
    "from",
    "goto",
    "i16",
    "i32",
    "i64",
    "i8",
    "if",
    "implements",
    "in",
    "indices",
    "instanceof",
    "int",
    "interface",
    "let",
    "library",
    "local",
    "method",
    "new",
    "nondet",
    "notnull",
    "null",
    "on",
    "print",
    "reached",
    "rem",
    "requires",
    "return",
    "rint",
    "special",
    "sqrt",
    "static",
    "switch",
    "throw",
    "to",
    "trap",
    "true",
    "u16",
    "u32",
    "u64",
    "u8",
    "unreachable",
    "unsupported",
    "virtual",
];

/// Deepest nesting of expressions in the text, in levels. Deeper ones are split with `let`.
const MAX_DEPTH: u32 = 200;

/// Longest integer in decimal, in digits. Longer ones are written in hexadecimal, which takes linear time to read.
const MAX_DECIMAL_DIGITS: usize = 1000;

fn is_reserved(word: &str) -> bool {
    RESERVED.binary_search(&word).is_ok()
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn is_name_continue(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The word for the access of a method.
fn access_word(access: Access) -> &'static str {
    match access {
        Access::Private => "private",
        Access::Package => "package",
        Access::Protected => "protected",
        Access::Public => "public",
    }
}

/// The name of a trap in the text.
fn trap_name(trap: Trap) -> &'static str {
    match trap {
        Trap::NullDereference => "NullDereference",
        Trap::IndexOutOfBounds => "IndexOutOfBounds",
        Trap::NegativeArraySize => "NegativeArraySize",
        Trap::ArrayTooLong => "ArrayTooLong",
        Trap::DivisionByZero => "DivisionByZero",
        Trap::BadCast => "BadCast",
        Trap::BadArrayStore => "BadArrayStore",
    }
}
