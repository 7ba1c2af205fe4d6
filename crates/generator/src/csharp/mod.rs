//! Random C# programs whose behaviour is determined with .NET.
//!
//! [`program`](fn@program) generates programs that write what they compute: .NET ([`dotnet`]) and aback must write the
//! same. [`task`](fn@task) generates small programs with inputs, assertions and lines to reach. .NET finds the verdicts
//! by trying all inputs.
//!
//! ```no_run
//! use aback_generator::csharp::{dotnet, program};
//!
//! let sources: Vec<(String, String)> = (0..100).map(|seed| (format!("P{seed}"), program(seed, &format!("P{seed}")))).collect();
//! let names: Vec<String> = sources.iter().map(|(name, _)| name.clone()).collect();
//! let assembly = dotnet::Sdk::find()?.compile(&sources, false)?;
//! for output in assembly.run(&names)? {
//!     println!("{:?} {:?}", output.lines, output.exception);
//! }
//! # Ok::<(), dotnet::Error>(())
//! ```

mod code;
pub mod dotnet;
mod program;
mod task;

pub use program::program;
pub use task::{Mark, Task, Truth, task};
