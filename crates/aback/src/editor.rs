//! Implements `aback lsp` and `aback dap`, which serve an editor on standard input and output.

use aback_editor::{Commands, ServeError, debug, serve, stdio};
use aback_project::Look;
use anyhow::Context;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Serves an editor until it is done; the exit status is 0 if it has said so.
pub fn run_lsp() -> anyhow::Result<u8> {
    let program = std::env::current_exe().context("cannot find aback itself")?;
    let (page, graph) = (program.clone(), program.clone());
    let commands = Commands {
        worker: Arc::new(move |path: &Path, options: &[&str]| about(&program, &["worker"], path, options)),
        page: Arc::new(move |witness: &Path, html: &Path| {
            let mut command = Command::new(&page);
            command.arg("replay").arg(witness).arg("--html").arg(html);
            command
        }),
        graph: Arc::new(move |path: &Path, options: &[&str], at: &str, html: &Path| {
            let mut command = about(&graph, &["show", "cfg"], path, options)?;
            command.arg("--at").arg(at).arg("--html").arg(html);
            Ok(command)
        }),
    };
    let (connection, threads) = stdio();
    let served = serve(&connection, commands);
    // The thread that writes ends when nothing can send to it any more.
    drop(connection);
    if let Err(ServeError::NoShutdown) = served {
        return Ok(1);
    }
    served?;
    threads.join().context("the connection to the editor failed")?;
    Ok(0)
}

/// A command of aback about a program, which may be a project. An error says why it cannot be read.
fn about(aback: &Path, words: &[&str], path: &Path, options: &[&str]) -> Result<Command, String> {
    let (mut paths, mut libraries) = (vec![path.to_path_buf()], Vec::new());
    // Build tools are not asked: what their files say would run.
    let look = Look { with_tests: false, asks: false };
    if let Some(found) = aback_project::find(path, look).map_err(|error| error.to_string())? {
        (paths, libraries) = (found.program, found.libraries);
    }
    let mut command = Command::new(aback);
    command.args(words).args(paths).args(options);
    if !libraries.is_empty() {
        let libraries = std::env::join_paths(libraries).map_err(|error| error.to_string())?;
        command.arg("--classpath").arg(libraries);
    }
    Ok(command)
}

/// Serves the debugger of an editor until it disconnects; the exit status is 0 then.
pub fn run_dap() -> anyhow::Result<u8> {
    debug(&mut std::io::stdin().lock(), &mut std::io::stdout().lock())?;
    Ok(0)
}
