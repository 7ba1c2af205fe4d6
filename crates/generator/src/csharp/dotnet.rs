//! Compiles programs and runs them on .NET.
//!
//! All programs of a batch become one assembly and run in one process. The SDK is that of `DOTNET_ROOT`, or else that
//! of the `dotnet` in the `PATH`.

use crate::batch::{self, complete, io, write};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

pub use crate::batch::{Error, TIME};

/// An SDK.
#[derive(Clone, Debug)]
pub struct Sdk {
    host: PathBuf,
    compiler: PathBuf,
    references: Vec<PathBuf>,
    /// The version of the framework to compile for, as in `10.0`.
    version: String,
}

impl Sdk {
    /// The SDK that is installed, or [`Error::Missing`].
    pub fn find() -> Result<Sdk, Error> {
        let root = match std::env::var_os("DOTNET_ROOT").filter(|root| !root.is_empty()) {
            Some(root) => PathBuf::from(root),
            None => {
                let path = std::env::var_os("PATH").unwrap_or_default();
                let hosts = std::env::split_paths(&path).map(|folder| folder.join("dotnet"));
                let host = hosts.filter_map(|host| host.canonicalize().ok()).find(|host| host.is_file());
                host.and_then(|host| host.parent().map(PathBuf::from)).ok_or(Error::Missing)?
            }
        };
        let compiler = newest(&root.join("sdk")).map(|sdk| sdk.join("Roslyn/bincore/csc.dll"));
        let pack = newest(&root.join("packs/Microsoft.NETCore.App.Ref")).and_then(|pack| newest(&pack.join("ref")));
        let (Some(compiler), Some(pack)) = (compiler.filter(|compiler| compiler.is_file()), pack) else {
            return Err(Error::Missing);
        };
        let is_assembly = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "dll");
        let version = pack.file_name().unwrap_or_default().to_string_lossy().replace("net", "");
        let references = entries(&pack).into_iter().filter(is_assembly).collect();
        Ok(Sdk { host: root.join("dotnet"), compiler, references, version })
    }

    /// Compiles sources, which have names without an extension, to one assembly.
    pub fn compile(&self, sources: &[(String, String)], optimize: bool) -> Result<Assembly, Error> {
        let folder = TempDir::with_prefix("aback-csharp-").map_err(io("make a folder"))?;
        let path = folder.path();
        let own = [("Log", include_str!("../../csharp/Log.cs")), ("Runner", include_str!("../../csharp/Runner.cs"))];
        let given = sources.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let mut options = String::from(
            "-nologo\n-nostdlib+\n-deterministic\n-debug:portable\n-define:DEBUG;TRACE\n-langversion:latest\n-warn:0\n\
             -unsafe+\n-target:exe\n-main:Runner\n-out:Programs.dll\n",
        );
        options += if optimize { "-optimize+\n" } else { "-optimize-\n" };
        for reference in &self.references {
            writeln!(options, "-r:\"{}\"", reference.display()).expect("strings take all text");
        }
        for (name, text) in own.into_iter().chain(given) {
            write(&path.join(format!("{name}.cs")), text)?;
            writeln!(options, "{name}.cs").expect("strings take all text");
        }
        write(&path.join("options.rsp"), &options)?;
        write(
            &path.join("Programs.runtimeconfig.json"),
            &format!(
                r#"{{"runtimeOptions":{{"framework":{{"name":"Microsoft.NETCore.App","version":"{}.0"}},
                "configProperties":{{"System.Globalization.Invariant":true,"System.Runtime.TieredPGO":false}}}}}}"#,
                self.version
            ),
        )?;
        let mut command = self.command(path);
        let output = command.arg(&self.compiler).args(["-noconfig", "@options.rsp"]).output();
        let output = output.map_err(io("start the compiler"))?;
        if !output.status.success() {
            return Err(Error::Compiler(String::from_utf8_lossy(&output.stdout).into_owned()));
        }
        Ok(Assembly { sdk: self.clone(), folder })
    }

    fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.host);
        command.current_dir(folder).arg("exec");
        command.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1").env("DOTNET_TieredCompilation", "1");
        command
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    entries
}

/// The folder inside with the highest version as its name.
fn newest(folder: &Path) -> Option<PathBuf> {
    let version = |path: &PathBuf| -> Vec<u32> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
    };
    entries(folder).into_iter().filter(|path| path.is_dir()).max_by_key(version)
}

/// A compiled batch, in a folder that is removed when this is dropped.
#[derive(Debug)]
pub struct Assembly {
    sdk: Sdk,
    folder: TempDir,
}

/// What a run did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The lines that it wrote.
    pub lines: Vec<String>,
    /// The class of the exception that ended it.
    pub exception: Option<String>,
}

impl Assembly {
    /// The assembly, with its debug information beside it.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("Programs.dll")
    }

    /// Runs the method `Main` of classes, one after the other in one process.
    pub fn run(&self, classes: &[String]) -> Result<Vec<Output>, Error> {
        let folder = self.folder.path();
        write(&folder.join("classes"), &classes.join("\n"))?;
        let mut command = self.sdk.command(folder);
        command.args(["Programs.dll", "classes", "results"]);
        let message = batch::run(&mut command, &folder.join("errors"))?;
        let outputs = parse(&fs::read_to_string(folder.join("results")).unwrap_or_default());
        complete(outputs, message, classes.iter())
    }
}

/// The finished runs in what the runner writes.
fn parse(text: &str) -> Vec<Output> {
    let (mut outputs, mut lines) = (Vec::new(), Vec::new());
    for line in text.lines() {
        match line.as_bytes().first() {
            Some(b'=') => lines.clear(),
            Some(b' ') => lines.push(line[1..].to_owned()),
            _ => {
                let exception = (line != ".").then(|| line.to_owned());
                outputs.push(Output { lines: std::mem::take(&mut lines), exception });
            }
        }
    }
    outputs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_run_has_no_result() {
        let outputs = parse("=A\n 1\n .\n.\n=B\nSystem.Exception\n=C\n 2\n");
        let output = |lines: &[&str], exception: Option<&str>| Output {
            lines: lines.iter().map(|line| (*line).into()).collect(),
            exception: exception.map(String::from),
        };
        assert_eq!(outputs, [output(&["1", "."], None), output(&[], Some("System.Exception"))]);
    }
}
