//! Runs commands where they can do no harm, with bubblewrap if it is there.

use aback_frontend::{FoundTool, Tool};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program of bubblewrap.
const PROGRAM: &str = "bwrap";

/// Whether commands run in a sandbox.
pub(crate) enum Sandbox {
    /// Without network and other processes, and with write access to one folder only.
    Bubblewrap(PathBuf),
    /// As any other process, for this reason.
    None(&'static str),
}

impl Sandbox {
    /// The sandbox of this machine.
    pub(crate) fn find() -> Sandbox {
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&paths).map(|folder| folder.join(PROGRAM)).find(|path| path.is_file());
        let Some(path) = found else { return Sandbox::None("there is no bwrap on PATH") };
        let mut probe = Command::new(&path);
        probe.args(options(Path::new("/"))).arg("true");
        // Containers may forbid new namespaces.
        let status = probe.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        match status.is_ok_and(|status| status.success()) {
            true => Sandbox::Bubblewrap(path),
            false => Sandbox::None("bwrap does not work here"),
        }
    }

    /// What users should know if there is none.
    pub(crate) fn note(&self) -> Option<String> {
        let Sandbox::None(reason) = self else { return None };
        Some(format!("the tests ran without a sandbox: {}", advised(reason)))
    }

    /// A command that may write to `folder` only.
    pub(crate) fn wrap(&self, command: Command, folder: &Path) -> Command {
        let Sandbox::Bubblewrap(path) = self else { return command };
        let mut wrapped = Command::new(path);
        wrapped.args(options(folder)).args([OsStr::new("--bind"), folder.as_os_str(), folder.as_os_str()]);
        wrapped.arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => wrapped.env(name, value),
                None => wrapped.env_remove(name),
            };
        }
        wrapped
    }
}

/// The reason why there is none, and what to do about it.
fn advised(reason: &str) -> String {
    format!("{reason} (Debian: apt install bubblewrap)")
}

/// The sandbox of this machine, as a tool.
pub(crate) fn tool() -> Tool {
    let found = match Sandbox::find() {
        Sandbox::Bubblewrap(path) => Ok(FoundTool { version: None, path }),
        Sandbox::None(reason) => Err(advised(reason)),
    };
    Tool { name: "bubblewrap", purpose: "a sandbox for unit tests", found }
}

/// All files can be read, and none can be written. A process in the sandbox does not outlive this one.
fn options(folder: &Path) -> Vec<&OsStr> {
    let options = "--unshare-all --die-with-parent --new-session --ro-bind / / --dev /dev --proc /proc --chdir";
    options.split(' ').map(OsStr::new).chain([folder.as_os_str()]).collect()
}
