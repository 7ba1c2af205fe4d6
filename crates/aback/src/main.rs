//! The command line of aback: parsing of arguments and printing, nothing else.

mod args;
mod commands;
mod confirm;
mod evidence;
mod progress;
mod replay;

use args::Cli;
use clap::Parser;
use std::io::Write;

/// Explorations end with millions of small parts to give back, which the allocator of the C library takes seconds for: time
/// beyond the limit that the user set.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Solvers and evaluation of nested expressions recurse; the main thread's stack is not in our hand.
const STACK: usize = 256 << 20;

fn main() {
    let cli = Cli::parse();
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || commands::run(cli));
    let status = match worker.map(|worker| worker.join()) {
        Ok(Ok(Ok(status))) => status,
        Ok(Ok(Err(error))) => {
            let _ = writeln!(std::io::stderr(), "error: {}", commands::chain(&error));
            2
        }
        // A panic has printed its message; a thread that cannot be made says so.
        Ok(Err(_)) => 3,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: cannot start: {error}");
            2
        }
    };
    let _ = std::io::stdout().flush();
    aback_smt::exit(status)
}
