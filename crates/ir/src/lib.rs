//! Defines the program model: every language is translated into it, and every engine executes it.
//!
//! A [`Program`] has classes, fields and methods; a method's [`Body`] is a control-flow graph of blocks over typed
//! locals. Expressions over locals and constants are pure; whatever can trap, read or write the heap, or call, is an
//! operation ([`OpKind`]) with a place in the source ([`Span`]). This crate knows no language and no engine.
//!
//! [`validate`] checks whether a program is well formed, which all other code assumes. [`text`] prints and parses
//! programs, [`dot`] draws them, and [`analysis`] analyses their graphs: calls, loops, dominators, the distance to a
//! target, the code at a line.
//!
//! ```
//! use aback_ir::*;
//!
//! let mut program = Program::new();
//! let main = program.add_class(Class {
//!     name: "Main".into(),
//!     superclass: None,
//!     interfaces: vec![],
//!     fields: vec![],
//!     methods: vec![],
//!     is_abstract: false,
//!     is_final: false,
//!     is_interface: false,
//!     is_library: false,
//!     span: Span::NONE,
//! });
//! let mut body = Body::default();
//! let x = body.add_local("x", Type::Int);
//! let value = body.add_expr(Expr::Local(x));
//! let entry = body.add_block(vec![]);
//! body.block_mut(entry).terminator.kind = TerminatorKind::Return(Some(value));
//! let identity = program.add_method(Method {
//!     name: "identity".into(),
//!     class: main,
//!     kind: MethodKind::Static,
//!     params: vec![Type::Int],
//!     result: Some(Type::Int),
//!     access: Access::Public,
//!     is_abstract: false,
//!     span: Span::NONE,
//! });
//! program.set_body(identity, body);
//! assert_eq!(program.method_name(identity), "Main.identity");
//! ```

pub mod analysis;
mod arguments;
mod body;
pub mod builder;
mod diagnostic;
pub mod dot;
mod form;
mod loader;
mod lost;
mod profile;
mod program;
mod runtime;
mod span;
pub mod text;
mod validate;

pub use arguments::{ArgumentClasses, asserting_initializations};
pub use body::*;
pub use diagnostic::{Diagnostic, Severity};
pub use form::{Collection, Contents, Form, Look, Sequence, SequenceEnd, Walk, Width};
pub use loader::Loader;
pub use lost::LostCode;
pub use profile::{InputRules, InputStrings, MainMethod, Profile, StringLayout, TRUSTED_NULLNESS};
pub use program::{
    Access, ArrayTypeId, Class, ClassId, DeclaredTypes, Field, FieldId, InputLimits, Maker, MakingLimits, Method,
    MethodId, MethodKind, Precondition, Program, SourceCall, SourceType, Trap, Type, TypeWords, Unselected,
};
pub use runtime::{
    Extent, FieldUse, FixedChoice, LibraryState, Made, MadeFor, NullCheck, OwnedArrays, Passing, Runtime, Starts,
};
pub use span::{FileId, SourceFile, Span};
pub use validate::{Place, Problem, ProblemKind, validate, validate_body, validate_method};
