//! Code that no class file has: what the virtual machine does by itself.
//!
//! All of it is ordinary code of the program model, so that every engine understands it: a class object is an object
//! of a class of its own, whose methods know the type; `getClass` is a virtual method that each class overrides.

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

/// Name of the class that has what is made up. No source can have it.
pub(crate) const RUNTIME: &str = "aback.runtime";
