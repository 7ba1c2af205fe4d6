//! Where tests find programs of solvers.

use aback_smt::{Interrupter, ProcessSolver};
use std::path::Path;

/// The program of a known solver: its name if it is on PATH, or else the path of what `make solvers` has put beside the sources.
pub fn program(name: &str) -> Option<String> {
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.solvers/bin").join(name);
    let programs = [name.to_string(), fetched.display().to_string()];
    programs.into_iter().find(|program| ProcessSolver::find(program, Interrupter::new()).is_some())
}
