//! Random Java programs whose behaviour is determined with a JVM.
//!
//! [`program`] generates programs that print what they compute: a JVM ([`jvm`]) and aback must print the same.
//! [`task`](fn@task) generates small programs with inputs and an assertion. A JVM finds the verdict by trying all
//! inputs.
//!
//! [`world`](fn@world) generates programs in several packages, with entry points that take objects, from families
//! that are hard to analyse correctly. A JVM tries many inputs.
//!
//! ```no_run
//! use aback_generator::java::{Topics, jvm, program_named};
//!
//! let names: Vec<String> = (0..100).map(|seed| format!("P{seed}")).collect();
//! let sources = names.iter().zip(0..).map(|(name, seed)| (name.clone(), program_named(seed, Topics::default(), name)));
//! let classes = jvm::compile(&sources.collect::<Vec<_>>())?;
//! for output in classes.run_mains(&names)? {
//!     println!("{} {:?}", output.stdout, output.exception);
//! }
//! # Ok::<(), jvm::Error>(())
//! ```

pub(crate) mod code;
pub mod jvm;
mod library;
mod program;
mod task;
pub(crate) mod topics;
mod world;

pub use program::{program, program_named};
pub use task::{Input, Task, Value, task, task_named};
pub use topics::Topics;
pub use world::{Family, Start, World, world};
