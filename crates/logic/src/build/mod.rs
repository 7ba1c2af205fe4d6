//! Constructors of terms, a file for each theory. Each one simplifies locally: it looks at its operands' outermost
//! levels only, so that building a term takes bounded time and stack.

mod array;
mod bool;
mod bv;
mod float;
pub(crate) mod int;
