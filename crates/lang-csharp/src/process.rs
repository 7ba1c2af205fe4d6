//! Runs programs of the SDK.

use crate::platform::Sdk;
use aback_frontend::{Ended, LoadConfig, LoadError, NotRun, run_compiler};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What ends a program before its end.
#[derive(Clone, Copy)]
pub(crate) struct Stops<'a> {
    pub(crate) deadline: Option<Instant>,
    pub(crate) interrupt: &'a AtomicBool,
}

impl<'a> From<&'a LoadConfig> for Stops<'a> {
    fn from(config: &'a LoadConfig) -> Self {
        Stops { deadline: config.deadline, interrupt: &config.interrupt }
    }
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
pub(crate) fn run(command: Command, work: &Path, stops: Stops) -> Result<Ended, LoadError> {
    let program = command.get_program().to_os_string();
    run_compiler(command, work, stops.deadline, Some(stops.interrupt)).map_err(|error| match error {
        NotRun::NotStarted(error) => LoadError::Platform(format!("{} does not start: {error}", program.display())),
        NotRun::Temporary(error) => temporary(error),
        NotRun::Stopped => LoadError::Stopped,
    })
}

/// The error of a file that cannot be written in the temporary folder.
pub(crate) fn temporary(error: std::io::Error) -> LoadError {
    LoadError::Platform(format!(
        "cannot write compiled code to a temporary folder: {error}; set TMPDIR to a folder with space"
    ))
}
