//! Represents the heaps of symbolic states.
//!
//! [`Heap`] is the interface of paper 2, chapter 3 (NEW, READREF, WRITEREF, …). All heaps of an exploration share the
//! program's [`Layout`], the [`InputHeap`] and [`Identities`]. An [`Observer`] receives the decisions that operations
//! make about references to the input heap.
//!
//! [`Combined`] is an implementation that combines three ideas: allocated objects have known identities and live in an
//! explicit store; objects of the input heap live in arrays that are never written, and logs record the writes to them;
//! a reference with an uncertain target is an `ite` term, a guarded value set. A read is expanded over the writes that
//! may affect it, so that solvers see equalities instead of chains of stores.
//!
//! Input references may be aliases, indices may be equal, and inputs may be instances of subclasses, unless the path
//! condition excludes it (paper 4, section 4.4.1, shows programs that are analyzed incorrectly otherwise).
//!
//! ```
//! use aback_heap::{Combined, Heap, Identities, InputHeap, Layout, Scope, Value};
//! use aback_ir::{Class, Field, Program, Span, Type};
//! use aback_logic::{Domain, Pool};
//!
//! let mut program = Program::new();
//! let node = program.add_class(Class {
//!     name: "Node".into(),
//!     superclass: None,
//!     interfaces: vec![],
//!     fields: vec![],
//!     methods: vec![],
//!     is_abstract: false,
//!     is_final: false,
//!     is_interface: false, is_library: false,
//!     span: Span::NONE,
//! });
//! let value = program.add_field(Field {
//!     name: "value".into(),
//!     class: node,
//!     ty: Type::Int,
//!     is_static: false,
//!     span: Span::NONE,
//! });
//!
//! let (mut pool, mut input, layout) = (Pool::new(), InputHeap::new(), Layout::new(&program));
//! let (a, _) = input.input_reference(&mut pool, &program, &layout, "a", Type::Class(node));
//! let (b, _) = input.input_reference(&mut pool, &program, &layout, "b", Type::Class(node));
//! let mut heap = Combined::at_entry();
//! let (domain, identities) = (Domain::new(), Identities::default());
//! let (mut axioms, mut decisions) = (Vec::new(), Vec::new());
//! let mut scope = Scope {
//!     pool: &mut pool,
//!     program: &program,
//!     layout: &layout,
//!     input: &mut input,
//!     identities: &identities,
//!     domain: &domain,
//!     satisfiable: &mut |_, _| true,
//!     axioms: &mut axioms,
//!     decisions: &mut decisions,
//!     is_observed: false,
//!     splits_choices: false,
//! };
//! heap.write_field(&mut scope, a, value, Value::Int(5)).unwrap();
//! let Ok(Value::Term(read)) = heap.read_field(&mut scope, b, value) else { panic!("a may be b") };
//! assert_eq!(pool.show(read), "(a == b) ? 5 : Node.value[b]");
//! ```

mod arrays;
mod cells;
mod combined;
mod heap;
mod input;
mod instance;
mod join;
mod layout;
mod lazy;
mod objects;
mod owned;
mod places;
mod readable;
mod statics;
mod strings;
mod symbolic;
mod targets;
mod value;
mod written;

pub use arrays::Arrays;
pub use cells::{Cells, progression};
pub use combined::Combined;
pub use heap::{Access, Blocked, Decision, Heap, Meaning, Observer, Outcome, Scope};
pub use input::{InputHeap, Source};
pub use instance::{Comparison, Fingerprint, Instance, Permanent};
pub use layout::{Group, Layout, Shape};
pub use lazy::Lazy;
pub use objects::{Identities, Object};
pub use places::{Content, Place};
pub use symbolic::Symbolic;
pub use targets::{Target, Targets};
pub use value::{ObjectId, Value, sort_of};
