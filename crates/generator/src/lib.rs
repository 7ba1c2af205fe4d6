//! Generates random programs whose behaviour a runtime determines: [`java`] with a JVM, [`csharp`] with .NET.

mod batch;
mod code;
pub mod csharp;
mod format;
pub mod java;
mod rng;
mod template;
