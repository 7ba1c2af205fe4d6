//! Random Java programs whose behaviour a JVM knows.
//!
//! [`program`] makes programs that print what they compute: run by a JVM ([`jvm`]) and by aback, they must print the same.
//! [`task`](fn@task) makes small programs with inputs and an assertion, whose verdict a JVM finds by trying all inputs.
//!
//! [`world`](fn@world) makes programs over several packages with entry points that take objects, of families that are hard to analyse
//! rightly; a JVM tries many inputs.
//!
//! ```no_run
//! use aback_java_generator::{Topics, jvm, program_named};
//!
//! let names: Vec<String> = (0..100).map(|seed| format!("P{seed}")).collect();
//! let sources = names.iter().zip(0..).map(|(name, seed)| (name.clone(), program_named(seed, Topics::default(), name)));
//! let classes = jvm::compile(&sources.collect::<Vec<_>>())?;
//! for output in classes.run_mains(&names)? {
//!     println!("{} {:?}", output.stdout, output.exception);
//! }
//! # Ok::<(), jvm::Error>(())
//! ```

mod code;
mod format;
pub mod jvm;
mod library;
mod program;
mod rng;
mod task;
mod template;
mod topics;
mod world;

pub use program::{program, program_named};
pub use task::{Input, Task, Value, task, task_named};
pub use topics::Topics;
pub use world::{Family, Start, World, world};
