//! Where classes and code come from that are not there yet.

use crate::body::Body;
use crate::program::{Class, ClassId, MethodId, Program};

/// Supplies the classes and the code of a [`Program`] when they are first asked for, so that a small program does
/// not pay for a large library. Each question is asked once, but perhaps by several threads at the same time: answers
/// must be equal, and the members of a class must be added to the program once only.
pub trait Loader: Send + Sync {
    /// Whether there is a class of this name.
    fn has_class(&self, name: &str) -> bool;

    /// The class `id`, which the program knows by name, with its fields and methods
    /// ([`Program::new_field`], [`Program::new_method`]). Names other classes ([`Program::declare_class`]) without
    /// asking for them: hierarchies may be cyclic by mistake. [`Class::missing`] if there is none.
    fn class(&self, program: &Program, id: ClassId) -> Class;

    /// The code of a method that is not abstract.
    fn body(&self, program: &Program, method: MethodId) -> Option<Body>;
}
