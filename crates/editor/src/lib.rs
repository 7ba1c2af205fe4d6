//! Serves editors: a language server and a debug adapter.
//!
//! The language server ([`serve`]) answers questions about the line at the cursor, and shows what a scan finds. It reads and writes messages
//! and never waits for anything else. Questions and scans run in worker processes ([`aback_scan::Worker`]), which threads wait for. What is out
//! of date is dropped, with its process. Nothing of the user's code runs here or in workers.
//!
//! The debug adapter ([`debug()`]) replays a counterexample from its file ([`aback_witness::Witness`]).

mod actions;
mod beginning;
mod connection;
mod convert;
mod debug;
mod program;
mod question;
mod server;
mod shown;
mod survey;
mod unit_test;
mod wire;

pub use connection::{Threads, stdio};
pub use debug::{DebugError, debug};
pub use program::Commands;
pub use server::{ServeError, serve};
pub use wire::ReadError;
