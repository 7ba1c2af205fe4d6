//! Replaces the paths of projects by those of their code and of their libraries.

use crate::args::{Command, ProgramArgs};
use aback_project::Look;
use std::io::Write;
use std::path::PathBuf;

/// Replaces projects among the paths of a command. Notes about them go to standard error.
pub fn resolve(command: &mut Command) -> anyhow::Result<()> {
    let Some(program) = program(command) else { return Ok(()) };
    let mut paths: Vec<PathBuf> = Vec::new();
    for path in std::mem::take(&mut program.paths) {
        match aback_project::find(&path, Look { with_tests: program.test_code, asks: !program.no_build })? {
            Some(project) => {
                paths.extend(project.program);
                program.classpath.extend(project.libraries);
                for note in project.notes {
                    let _ = writeln!(std::io::stderr(), "note: {}: {note}", path.display());
                }
            }
            None => paths.push(path),
        }
    }
    program.paths = paths;
    Ok(())
}

/// The program of a command that may be a project. Workers get the paths that a scan has found.
fn program(command: &mut Command) -> Option<&mut ProgramArgs> {
    match command {
        Command::Check(args) | Command::Reach(args) => Some(&mut args.program),
        Command::Condition(args) => Some(&mut args.check.program),
        Command::Back(args) => Some(&mut args.check.program),
        Command::Explore(args) => Some(&mut args.program),
        Command::Show(args) => Some(&mut args.program),
        Command::Scan(args) => Some(&mut args.program),
        Command::Worker(_)
        | Command::Replay(_)
        | Command::Confirm(_)
        | Command::Bench(_)
        | Command::Doctor(_)
        | Command::Lsp
        | Command::Dap
        | Command::Completions { .. }
        | Command::Man { .. } => None,
    }
}
