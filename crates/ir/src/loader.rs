//! Defines the interface through which classes and code are loaded on demand.

use crate::body::Body;
use crate::program::{Class, ClassId, MethodId, Program};

/// Supplies the classes and the code of a [`Program`] when they are first requested, so that a small program does not
/// pay for a large library. Each request is made once, but several threads may make it at the same time. Then the
/// results must be equal, and the members of a class must be added to the program only once.
pub trait Loader: Send + Sync {
    /// Whether a class with this name exists.
    fn has_class(&self, name: &str) -> bool;

    /// Loads the class `id`, whose name the program knows, with its fields and methods ([`Program::new_field`],
    /// [`Program::new_method`]). It refers to other classes by [`Program::declare_class`] and does not load them,
    /// because erroneous hierarchies may be cyclic. Returns [`Class::missing`] if the class does not exist.
    fn class(&self, program: &Program, id: ClassId) -> Class;

    /// Loads the code of a method that is not abstract.
    fn body(&self, program: &Program, method: MethodId) -> Option<Body>;
}
