//! Describes inputs of a program, and runs the program on them concretely to confirm or reject a counterexample.
//!
//! [`run`] executes a method of an [`aback_ir::Program`] on [`Inputs`] (arguments, an input heap, statics,
//! nondeterministic values) and returns the [`Outcome`]. The interpreter shares no code with the symbolic engines,
//! because it referees their claims. Each rule here is therefore the shortest statement of the rule in [`aback_ir`].
//! [`run_drawing`] draws the nondeterministic values itself. [`Limits`] bound a run, and an [`Observer`] watches it. A
//! [`Recorder`] is an observer that records what a user wants to follow: an [`Execution`]. A [`Cursor`] moves through
//! an execution, and a [`Witness`] keeps one in a file. [`Inputs::describe`] and [`show_value`] print inputs and values
//! for users; [`InputsDocument`] is the form of inputs in files.
//!
//! ```
//! use aback_ir::*;
//! use aback_witness::{InputValue, Inputs, Limits, Outcome, run};
//!
//! // class Main { static void main(int x) { assert x != 7; } }
//! let mut program = Program::new();
//! let main = program.add_class(Class {
//!     name: "Main".into(),
//!     superclass: None,
//!     interfaces: vec![],
//!     fields: vec![],
//!     methods: vec![],
//!     is_abstract: false,
//!     is_final: false,
//!     is_interface: false, is_library: false,
//!     span: Span::NONE,
//! });
//! let mut body = Body::default();
//! let x = body.add_local("x", Type::Int);
//! let x = body.add_expr(Expr::Local(x));
//! let seven = body.add_expr(Expr::Const(Const::Int(7.into(), Type::Int)));
//! let condition = body.add_expr(Expr::Binary(BinaryOp::Ne, Type::Int, x, seven));
//! let entry = body.add_block(vec![]);
//! let assert = OpKind::Assert { condition, kind: AssertKind::Assert };
//! body.block_mut(entry).ops.push(Op { kind: assert, span: Span::NONE });
//! body.block_mut(entry).terminator.kind = TerminatorKind::Return(None);
//! let entry = program.add_method(Method {
//!     name: "main".into(),
//!     class: main,
//!     kind: MethodKind::Static,
//!     params: vec![Type::Int],
//!     result: None,
//!     access: Access::Public,
//!     is_abstract: false,
//!     span: Span::NONE,
//! });
//! program.set_body(entry, body);
//!
//! let outcome_for = |x: i64| {
//!     let inputs = Inputs { args: vec![InputValue::Int(x.into())], ..Inputs::default() };
//!     run(&program, entry, &inputs, Limits::default(), &mut ())
//! };
//! assert_eq!(outcome_for(6), Ok(Outcome::Returned(None)));
//! assert!(matches!(outcome_for(7), Ok(Outcome::AssertionFailed { kind: AssertKind::Assert, .. })));
//! ```

mod arithmetic;
mod collection;
mod document;
mod ends;
mod expression;
mod heap;
mod inputs;
mod int;
mod interpreter;
mod making;
mod model;
mod modelled;
mod observer;
mod operations;
mod outcome;
mod path;
mod show;
mod state;
mod types;
mod value;

pub use arithmetic::MAX_INT_BITS;
pub use document::{DocumentError, InputsDocument, ObjectDocument, ValueDocument};
pub use ends::Ends;
pub use heap::{Array, Heap, HeapObject, Object, Write};
pub use inputs::{InputError, InputObject, InputValue, Inputs, set_length};
pub use int::Int;
pub use interpreter::{Draw, run, run_drawing};
pub use making::{MakingCall, MakingCalls};
pub use model::*;
pub use modelled::ModelCalls;
pub use observer::Observer;
pub use outcome::{Limits, Outcome, Place};
pub use path::PathEntry;
pub use show::{show_typed, show_value};
pub use state::{Frame, MAX_OUTPUT, State};
pub use value::{Address, Value};
