//! The command line of aback: parses arguments and prints results.

mod args;
mod back;
mod commands;
mod confirm;
mod doctor;
mod editor;
mod evidence;
mod explore;
mod progress;
mod project;
mod replay;
mod replays;
mod scan;
mod worker;

use args::Cli;
use clap::Parser;
use std::io::Write;
use std::sync::Arc;

/// Explorations free millions of small allocations at their end. The allocator of the C library takes seconds for
/// this, which would exceed the user's time limit.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Stack size of the worker thread, in bytes. Solvers and the evaluation of nested expressions recurse, and the
/// program cannot set the stack size of the main thread.
const STACK: usize = 256 << 20;

fn main() {
    let cli = Cli::parse();
    // Where the size of files is limited (`ulimit -f`), writing a longer one is an error like that of a full disk, and not the end.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || commands::run(cli));
    let status = match worker.map(|worker| worker.join()) {
        Ok(Ok(Ok(status))) => status,
        Ok(Ok(Err(error))) => {
            let _ = writeln!(std::io::stderr(), "error: {}", commands::chain(&error));
            2
        }
        // A panic has already printed its message. If the thread cannot be created, the error is printed.
        Ok(Err(_)) => 3,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: cannot start: {error}");
            2
        }
    };
    let _ = std::io::stdout().flush();
    aback_smt::exit(status)
}
