//! Builds terms; each theory has its own file. Constructors simplify locally: they examine only the outermost levels
//! of their operands, so that building a term takes bounded time and stack.

mod array;
mod bool;
mod bv;
mod float;
mod halves;
pub(crate) mod int;
