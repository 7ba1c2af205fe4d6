//! What each operation of the program model means, once for all who read programs symbolically.
//!
//! [`Code`] is the lowered form of a method: before each operation and terminator ([`Point`]) stand a few primitive steps ([`Step`]),
//! in which nothing is implicit. What can go wrong is a guard before the effect, with the condition under which it does; what is
//! called is a known method or a branch over the receiver's class; what is computed is a tree of a few operators ([`Pure`]). Blocks and
//! terminators are those of the body, so that loops stay loops: engines execute or unwind them, and other analyses read
//! them as they are. Where a trap or an exception leads is told by the handlers of the block, and what a handler takes by
//! [`takes`].
//!
//! The concrete interpreter that confirms counterexamples does not read this form: it is a second opinion.
//!
//! ```
//! use aback_ir::{Body, Point, text};
//! use aback_lower::{Code, Step};
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
//! let code = Code::new(&program, body);
//! let steps = code.steps(Point { block: Body::ENTRY, op: 0 });
//! assert!(matches!(steps, [Step::Guard { .. }, Step::Read { .. }]));
//! ```

mod code;
mod operations;
mod step;
mod text;

pub use code::Code;
pub use step::{Allocation, Cell, Pure, Quantified, Step, Target};
pub use text::print;

use aback_ir::{ClassId, Handler, Program, Type};

#[cfg(doc)]
use aback_ir::Point;

/// Whether a handler takes an exception of a class; of a class that is not known, only one that takes everything does.
pub fn takes(program: &Program, handler: &Handler, class: Option<ClassId>) -> bool {
    match (handler.class, class) {
        (None, _) => true,
        (Some(handler), Some(class)) => program.is_subclass(class, handler),
        (Some(_), None) => false,
    }
}

/// Whether objects of a class can be made; if not, why.
pub fn check_class(program: &Program, class: ClassId) -> Result<(), String> {
    let declared = program.class(class);
    match declared.is_abstract || declared.is_interface {
        true => Err(format!("an object of the abstract class {}", declared.name)),
        false => Ok(()),
    }
}

/// The type of new arrays with such elements, or why there are none. Programs that do not grow have the arrays that they name.
pub fn array_of(program: &Program, element: Type) -> Result<Type, String> {
    match program.array_type(element) {
        Some(array) => Ok(Type::Array(array)),
        None if program.grows() => Ok(program.array_of(element)),
        None => Err(format!("a new array of type {}[], which the program never names", program.type_name(element))),
    }
}
