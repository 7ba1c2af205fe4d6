//! Generates code that is not in class files: the actions of the virtual machine itself.
//!
//! All of it is ordinary code of the program model, so that every engine understands it. A class object is an object
//! of its own class, whose methods know the type. `getClass` is a virtual method that each class overrides.

pub(crate) mod arrays;
pub(crate) mod before;
pub(crate) mod classes;
pub(crate) mod constants;
pub(crate) mod dynamic;
pub(crate) mod entry;
pub(crate) mod initializer;
pub(crate) mod linkage;
pub(crate) mod monitors;
pub(crate) mod shared;
pub(crate) mod traps;

/// The name of the class of generated members. No source can declare it.
pub(crate) const RUNTIME: &str = "aback.runtime";
