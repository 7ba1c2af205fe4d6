//! Asks build tools, which read the build files of a project: these are code of the user.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Most time for an answer.
pub(crate) const MOST_TIME: Duration = Duration::from_secs(120);
/// Time between two checks of a running build tool.
const POLL: Duration = Duration::from_millis(5);
/// Most bytes of an answer.
const MOST_READ: u64 = 64 << 20;

/// What a build tool that has ended has written.
pub(crate) struct Said {
    pub(crate) is_success: bool,
    pub(crate) output: String,
    pub(crate) errors: String,
}

/// Runs a build tool until it ends or its time is over. Its output goes to files in a folder. It is in the process group of aback, so that
/// Ctrl-C in a terminal ends both.
///
/// # Errors
/// The reason why it has not ended by itself.
pub(crate) fn ask(mut command: Command, folder: &Path, time: Duration) -> Result<Said, String> {
    let failed = |error: std::io::Error| error.to_string();
    let (output, errors) = (folder.join("output"), folder.join("errors"));
    command.stdin(Stdio::null()).stdout(File::create(&output).map_err(failed)?);
    let mut child = command.stderr(File::create(&errors).map_err(failed)?).spawn().map_err(failed)?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if start.elapsed() >= time {
            // It is no error if it has ended since.
            let _ = child.kill();
            child.wait().map_err(failed)?;
            return Err(format!("it was stopped after {} seconds", time.as_secs()));
        }
        std::thread::sleep(POLL);
    };
    let read = |path: &Path| {
        let mut bytes = Vec::new();
        File::open(path).and_then(|file| file.take(MOST_READ).read_to_end(&mut bytes)).map_err(failed)?;
        Ok::<_, String>(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok(Said { is_success: status.success(), output: read(&output)?, errors: read(&errors)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() {
        let folder = tempfile::TempDir::new().unwrap();
        let run = |script: &str, time: Duration| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            ask(command, folder.path(), time)
        };
        let said = run("echo out; echo err >&2; exit 3", MOST_TIME).unwrap();
        assert_eq!((said.is_success, &*said.output, &*said.errors), (false, "out\n", "err\n"));
        assert_eq!(run("exec sleep 1000", Duration::from_secs(1)).err().unwrap(), "it was stopped after 1 seconds");
        let missing = ask(Command::new("/none/mvn"), folder.path(), MOST_TIME);
        assert!(missing.err().unwrap().contains("No such file"));
    }
}
