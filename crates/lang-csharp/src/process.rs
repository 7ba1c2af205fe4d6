//! Runs a program of the SDK until it ends or must be stopped.

use crate::platform::Sdk;
use aback_frontend::{LoadConfig, LoadError};
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Interval at which a running program is checked.
const POLL: Duration = Duration::from_millis(2);
/// Length of the output that is kept, in bytes.
const MAX_OUTPUT: u64 = 4 << 20;

/// How a program ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// What it wrote to standard output and to standard error.
    pub(crate) said: String,
}

/// The host of the SDK. No process that it starts outlives it, no file of it stays outside of `work`, and its messages
/// are English in UTF-8.
pub(crate) fn host(sdk: &Sdk, work: &Path) -> Command {
    let mut command = Command::new(&sdk.host);
    command
        .env("DOTNET_ROOT", sdk.root())
        .env("TMPDIR", work)
        .env("LC_ALL", "C.UTF-8")
        // Otherwise libicu must be installed, and the messages are in the user's language.
        .env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1")
        .env("DOTNET_SYSTEM_GLOBALIZATION_PREDEFINED_CULTURES_ONLY", "0")
        // Sockets for debuggers would stay behind when the program is stopped.
        .env("DOTNET_EnableDiagnostics", "0")
        // Counting calls for better code does not pay off for a run of about a second.
        .env("DOTNET_TieredPGO", "0")
        .env("DOTNET_NOLOGO", "1")
        .env("DOTNET_CLI_TELEMETRY_OPTOUT", "1")
        .env("DOTNET_SKIP_FIRST_TIME_EXPERIENCE", "1")
        .env("DOTNET_GENERATE_ASPNET_CERTIFICATE", "false")
        .env("DOTNET_ADD_GLOBAL_TOOLS_TO_PATH", "false")
        .env("DOTNET_CLI_WORKLOAD_UPDATE_NOTIFY_DISABLE", "1")
        .env("DOTNET_CLI_USE_MSBUILD_SERVER", "0")
        .env("MSBUILDDISABLENODEREUSE", "1")
        .env("MSBUILDTERMINALLOGGER", "off");
    if std::env::var_os("HOME").is_none_or(|home| home.is_empty()) {
        command.env("DOTNET_CLI_HOME", work);
    }
    command
}

/// Runs a command of [`host`], and keeps its output in `work`.
///
/// # Errors
/// The program cannot be started, or it was stopped.
pub(crate) fn run(mut command: Command, work: &Path, config: &LoadConfig) -> Result<Ended, LoadError> {
    let output = work.join("output");
    let said = File::create(&output).map_err(temporary)?;
    let program = command.get_program().to_os_string();
    let failed = |error| LoadError::Platform(format!("{} does not start: {error}", program.display()));
    command
        .stdin(Stdio::null())
        .stdout(said.try_clone().map_err(temporary)?)
        .stderr(said)
        // The programs that it starts are stopped with it.
        .process_group(0);
    let status = wait(command.spawn().map_err(failed)?, config).map_err(failed)?.ok_or(LoadError::Stopped)?;
    let mut said = Vec::new();
    File::open(&output).and_then(|file| file.take(MAX_OUTPUT).read_to_end(&mut said)).map_err(temporary)?;
    Ok(Ended { status, said: String::from_utf8_lossy(&said).into_owned() })
}

/// Waits for a program. Returns `None` if it had to be stopped.
fn wait(mut child: Child, config: &LoadConfig) -> std::io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let is_late = config.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_late || config.interrupt.load(Ordering::Relaxed) {
            // The child has not been waited for, so that its number is not the number of another group.
            let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}

/// The error of a file that cannot be written in the temporary folder.
pub(crate) fn temporary(error: std::io::Error) -> LoadError {
    LoadError::Platform(format!(
        "cannot write compiled code to a temporary folder: {error}; set TMPDIR to a folder with space"
    ))
}
