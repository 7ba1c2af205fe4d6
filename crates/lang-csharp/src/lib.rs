//! Translates .NET assemblies and C# sources into programs.
//!
//! [`CsFrontEnd`] makes a program from assemblies that grows while it is used: classes and code are translated when
//! they are first requested, one class for each generic type with its arguments.

mod assemblies;
mod callbacks;
mod collections;
mod compile;
mod compiler_made;
mod conditions;
mod declarations;
mod dispatch;
mod execution;
mod filters;
mod forms;
mod front_end;
mod generics;
mod input;
mod inputs;
mod layout;
mod loader;
mod makers;
mod members;
mod messages;
mod models;
mod nullness;
mod platform;
mod process;
mod profile;
mod project;
mod receivers;
mod runtime;
mod sharing;
mod state;
mod supplied;
mod synthetic;
mod translate;
mod types;
mod written;

pub use declarations::{
    Declarations, DeclaredField, DeclaredMethod, DeclaredParameter, ObjectShape, Receiver, Shape, Use, escaped,
};
pub use front_end::{CsFrontEnd, CsOrigin};
pub use loader::CsLoader;
pub use types::TyId as CsType;
