//! Defines the meaning of each operation of the program model, for all symbolic analyses.
//!
//! [`LoweredBody`] is the lowered form of a method: at each operation and terminator ([`Point`]) there are a few primitive
//! steps ([`Step`]), in which nothing is implicit. A possible failure is a guard before the effect, with its
//! condition. A call has a known method or branches over the receiver's class. A computation is a tree of a few
//! operators ([`Pure`]). Blocks and terminators are those of the body, so that loops stay loops: engines execute or
//! unwind them, and other analyses read them as they are. The handlers of a block determine where a trap or an
//! exception leads, and [`takes`] determines what a handler catches.
//!
//! The concrete interpreter that confirms counterexamples does not use this form, so that it is an independent check.
//!
//! ```
//! use aback_ir::{Body, Point, text};
//! use aback_lower::{LoweredBody, Step};
//!
//! let program = text::parse(
//!     "trap NullDereference Null
//!      class Null { }
//!      class Node { field next: Node }
//!      class Main {
//!        static method main(n: Node) {
//!          local m: Node
//!        b0:
//!          m := n.Node::next
//!          return
//!        }
//!      }",
//! )
//! .expect("a program");
//! let (main, _) = program.methods().find(|(_, method)| method.name == "main").expect("a method");
//! let body = program.body(main).expect("code");
//! let code = LoweredBody::new(&program, body);
//! let steps = code.steps(Point { block: Body::ENTRY, op: 0 });
//! assert!(matches!(steps, [Step::Guard { .. }, Step::Read { .. }]));
//! ```

mod body;
mod operations;
mod step;
mod text;

pub use body::LoweredBody;
pub use step::{Allocation, Cell, Pure, Quantified, Step, Target};
pub use text::{blocks, print};

use aback_ir::{ClassId, Handler, Program, Type};

#[cfg(doc)]
use aback_ir::Point;

/// Whether a handler catches an exception of this class. If the class is not known, only a handler for all exceptions
/// does.
pub fn takes(program: &Program, handler: &Handler, class: Option<ClassId>) -> bool {
    match (handler.class, class) {
        (None, _) => true,
        (Some(handler), Some(class)) => program.is_subclass(class, handler),
        (Some(_), None) => false,
    }
}

/// Checks whether objects of a class can exist; if not, returns the reason.
pub fn check_class(program: &Program, class: ClassId) -> Result<(), String> {
    let declared = program.class(class);
    match declared.is_abstract || declared.is_interface {
        true => Err(format!("an object of the abstract class {}", declared.name)),
        false => Ok(()),
    }
}

/// The type of new arrays with these elements, or the reason why there is none. Programs that do not grow have only
/// the array types that they name.
pub fn array_of(program: &Program, element: Type) -> Result<Type, String> {
    match program.array_type(element) {
        Some(array) => Ok(Type::Array(array)),
        None if program.grows() => Ok(program.array_of(element)),
        None => Err(format!("a new array of type {}[], which the program never names", program.type_name(element))),
    }
}
