//! Tests the command line as users see it: the built binary, its output and its exit status.

mod assume;
mod back;
mod boxes;
mod check;
mod dap;
mod doctor;
mod evidence;
mod explore;
mod input;
mod invariants;
mod java;
mod limits;
mod lists;
mod loops;
mod lsp;
mod models;
mod other;
mod reach;
mod replay;
mod scan;
mod shown;
mod solvers;
mod wire;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// What a run of the program printed and how it ended. `Display` writes the exit status, then standard output, then
/// standard error, and masks the folder of the test and all times.
struct Ran {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ran {
    /// Checks the exit status, that nothing panicked, and that no proof was refuted.
    #[track_caller]
    fn ends(self, status: i32) -> Ran {
        let is_refuted = ["refutes a proof", "refuted_proof"].iter().any(|said| self.stdout.contains(said));
        assert!(!is_refuted, "{self}");
        assert_eq!(self.status, Some(status), "{self}");
        self
    }

    /// Checks that a text is printed, to standard output or to standard error.
    #[track_caller]
    fn says(self, part: &str) -> Ran {
        assert!(self.stdout.contains(part) || self.stderr.contains(part), "no `{part}` in:\n{self}");
        self
    }

    /// The document on standard output.
    #[track_caller]
    fn json(&self) -> serde_json::Value {
        assert_eq!(self.stderr, "", "with --json all is in the document");
        serde_json::from_str(&self.stdout).unwrap()
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "exit status {}", self.status.map_or("none".into(), |status| status.to_string()))?;
        let parts = [("standard output", &self.stdout), ("standard error", &self.stderr)];
        for (name, text) in parts.into_iter().filter(|(_, text)| !text.is_empty()) {
            write!(f, "--- {name}\n{text}")?;
        }
        Ok(())
    }
}

/// A folder with files, in which the program runs.
struct Place {
    folder: TempDir,
}

/// Makes a folder with these files.
fn files<const N: usize>(files: [(&str, &str); N]) -> Place {
    let place = Place { folder: TempDir::new().unwrap() };
    for (name, text) in files {
        place.write(name, text.as_bytes());
    }
    place
}

/// Makes a folder with one program, `Main.oox`.
fn program(text: &str) -> Place {
    files([("Main.oox", text)])
}

/// Whether there is no .NET SDK, so that a test is skipped.
fn lacks_sdk(said: &Ran) -> bool {
    let lacks = said.stderr.contains("there is no .NET SDK");
    if lacks {
        eprintln!("skipped: {}", said.stderr);
    }
    lacks
}

/// Makes a program whose `main` has these parameters and statements.
fn main_of(parameters: &str, body: &str) -> Place {
    program(&format!("class Main {{\n  static void main({parameters}) {{\n    {body}\n  }}\n}}\n"))
}

/// Runs the program in a folder that has a copy of the examples.
fn on_examples(arguments: &str) -> Ran {
    let place = files([]);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    place.copy(&source, "examples");
    place.run(arguments)
}

/// The program, which keeps what it compiles beside the other files of the tests.
fn aback() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aback"));
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

impl Place {
    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    #[track_caller]
    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Copies a folder with its contents.
    fn copy(&self, source: &Path, name: &str) {
        for entry in std::fs::read_dir(source).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{name}/{}", path.file_name().unwrap().display());
            if path.is_dir() { self.copy(&path, &name) } else { self.write(&name, &std::fs::read(&path).unwrap()) }
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = aback();
        command.args(arguments.split_whitespace()).current_dir(self.folder.path());
        command.env_remove("NO_COLOR").env("COLUMNS", "100").stdin(Stdio::null());
        command
    }

    /// Starts the program without waiting for it.
    fn start(&self, arguments: &str) -> Child {
        self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs the program with these arguments, separated by spaces.
    #[track_caller]
    fn run(&self, arguments: &str) -> Ran {
        self.finish(self.start(arguments))
    }

    /// Waits for the process to end.
    #[track_caller]
    fn finish(&self, mut child: Child) -> Ran {
        let mut stderr = child.stderr.take().unwrap();
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stderr.read_to_end(&mut bytes).unwrap();
            bytes
        });
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| self.mask(std::str::from_utf8(bytes).unwrap());
        let ran =
            Ran { status: output.status.code(), stdout: text(&output.stdout), stderr: text(&reader.join().unwrap()) };
        assert!(!ran.stderr.contains("panicked"), "{ran}");
        ran
    }

    /// Masks the parts of a text that differ between runs: the folder, and numbers of seconds.
    fn mask(&self, text: &str) -> String {
        let text = text.replace(&self.folder.path().display().to_string(), "FOLDER");
        let mut masked = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(" s").filter(|&at| at > 0) {
            let number = rest[..at].rfind(|c: char| !c.is_ascii_digit() && c != '.').map_or(0, |before| before + 1);
            let ends = !rest[at + 2..].starts_with(char::is_alphanumeric);
            if ends && rest[number..at].contains('.') {
                masked.push_str(rest[..number].trim_end_matches(' '));
                masked.push_str(" TIME");
            } else {
                masked.push_str(&rest[..at]);
                masked.push_str(" s");
            }
            rest = &rest[at + 2..];
        }
        masked + rest
    }
}
