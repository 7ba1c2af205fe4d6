//! Decides invariants of heaps that are still being discovered: the language HEX of paper 3.
//!
//! Invariants say what a visit of a heap may find on which paths: null, an object that was found before, or a new
//! object. [`Invariants`] are parsed from text and refer to the classes and fields of a program. A [`Partial`] is a
//! heap of which some references are known, with the backbone by which they were discovered. It decides each new
//! reference in a time that does not depend on the size of the heap (except for atoms that [`Partial`] names), and
//! tells when no refinement of the heap can satisfy the invariants. [`holds_for_every_order`] decides a finished
//! [`Heap`] for all backbones, as definition 3.4 of the paper requires. [`definition`] is a direct reading of the
//! definitions, for comparison. For users, `docs/hex.md` describes the language.
//!
//! ```
//! use aback_hex::{Invariants, Meaning, Partial, Place, Truth, holds_for_every_order};
//! use aback_ir::{FileId, Type};
//!
//! let program = aback_ir::text::parse("class Node {\n field next: Node\n}").unwrap();
//! let node = Type::Class(program.class_named("Node").unwrap());
//! let (next, _) = program.fields().next().unwrap();
//!
//! // The list is circular.
//! let text = "root.list(.next)+ not null; root.list(.next)+ aliases root.list;";
//! let invariants = Invariants::parse(&program, &[("list".into(), node)], FileId(0), text).unwrap();
//! let list = invariants.root_named("list").unwrap();
//!
//! let mut heap = Partial::new(&invariants);
//! let first = heap.refer(&invariants, &program, Place::Root(list), Meaning::New(node)).unwrap().unwrap();
//! let second = heap.refer(&invariants, &program, Place::Field(first, next), Meaning::New(node)).unwrap().unwrap();
//! assert_eq!(heap.verdict(&invariants), Truth::Unknown);
//!
//! let mut rejected = heap.clone();
//! rejected.refer(&invariants, &program, Place::Field(second, next), Meaning::Null).unwrap();
//! assert_eq!(rejected.verdict(&invariants), Truth::False);
//!
//! heap.refer(&invariants, &program, Place::Field(second, next), Meaning::Alias(first)).unwrap();
//! assert!(heap.finished(&invariants));
//! assert_eq!(holds_for_every_order(&invariants, &program, &heap.heap(), 1000), Ok(true));
//! ```

mod automaton;
pub mod bounded;
mod complete;
pub mod conditional;
pub mod definition;
mod heap;
mod incremental;
mod invariants;
mod lex;
mod names;
mod parse;
mod paths;
mod print;
mod sentence;
mod truth;

pub use complete::{holds_for_every_order, triggered_in_some_order};
pub use heap::{Heap, ObjectNumber, Place, Reference, TooLarge, UnknownObject};
pub use incremental::{Meaning, Partial, Triggered};
pub use invariants::Invariants;
pub use sentence::{Atom, AtomId, Label, Origin, Path, Requirement, RootId, Sentence, Times, Types, Words};
pub use truth::Truth;
