//! Tests the language HEX: its syntax, and what its sentences mean for small heaps.

mod atoms;
mod bounded;
mod companions;
mod documentation;
mod generics;
mod names;
mod orders;
mod paper;
mod random;
mod support;
mod syntax;
