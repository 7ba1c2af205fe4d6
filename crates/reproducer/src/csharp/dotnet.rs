//! Runs programs on the .NET whose class library was read, and reads what drivers report of them.

use crate::Limits;
use crate::run::{Ended, cannot};
use crate::sandbox::{Sandbox, View, clear_environment};
use aback_ir::{MethodId, Program, Span};
use aback_lang_csharp::CsOrigin;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The class with methods of the compiler, such as one that throws for a switch expression without a fitting arm.
const HELPERS: &str = "<PrivateImplementationDetails>";

/// The runtime for programs that only their arguments influence.
pub(super) struct Dotnet<'a> {
    pub(super) origin: &'a CsOrigin,
    /// The temporary folder with the driver and what it runs.
    pub(super) folder: &'a Path,
    /// The folder within it in which the runtime runs.
    pub(super) work: &'a Path,
    pub(super) deadline: Option<Instant>,
    pub(super) limits: &'a Limits<'a>,
    pub(super) sandbox: &'a Sandbox,
}

impl Dotnet<'_> {
    /// Runs an assembly with arguments. It gets the places of the program's assemblies behind them. `named` are further assemblies
    /// that the arguments name, and `settings` is a folder for the settings of the runtime. Returns `None` if the process had to be
    /// stopped.
    ///
    /// # Errors
    /// There is no runtime, or its settings cannot be written.
    pub(super) fn run(
        &self,
        assembly: &Path,
        arguments: &[&OsStr],
        named: &[PathBuf],
        settings: &Path,
    ) -> Result<Option<Ended>, String> {
        let origin = self.origin;
        let host = origin.host().ok_or_else(|| {
            format!("the class library is that of {}, which has no program `dotnet`", origin.root().display())
        })?;
        let version = origin.runtime_version().ok_or("the version of .NET is unknown")?;
        let config = format!(
            "{{\"runtimeOptions\": {{\"framework\": {{\"name\": \"Microsoft.NETCore.App\", \"version\": \"{version}\"}}, \
             \"configProperties\": {{\"System.GC.Concurrent\": false, \"System.Globalization.Invariant\": true}}}}}}"
        );
        let settings = settings.join("runtimeconfig.json");
        std::fs::write(&settings, config).map_err(cannot("write the settings of .NET"))?;
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let assemblies: Vec<PathBuf> = origin.assemblies().iter().map(absolute).collect();
        let folders: Vec<PathBuf> = origin.folders().iter().map(absolute).collect();
        let mut command = Command::new(absolute(&host));
        command
            .args(["exec".as_ref(), "--runtimeconfig".as_ref(), settings.as_os_str(), assembly.as_os_str()])
            .args(arguments)
            .args(&assemblies)
            .args(&folders);
        // The lines of an assembly are in the file beside it.
        let files = named.iter().chain(&assemblies).flat_map(|file| [file.clone(), file.with_extension("pdb")]);
        let root = absolute(&origin.root().to_path_buf());
        // Some installations are links to the parts of others.
        let parts = std::fs::read_dir(&root).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        let readable = files.chain(folders.iter().cloned()).chain([root.clone()]).chain(parts).collect();
        let mut command = self.sandbox.wrap(command, View { folder: self.folder, work: self.work, readable })?;
        clear_environment(&mut command);
        let memory = format!("{:x}", self.limits.memory.saturating_mul(1 << 20));
        // The second prefix is for versions before .NET 6.
        for prefix in ["DOTNET", "COMPlus"] {
            command
                // Optimized code leaves out frames of stack traces.
                .env(format!("{prefix}_JITMinOpts"), "1")
                .env(format!("{prefix}_TieredPGO"), "0")
                // Sockets for debuggers would stay behind when the program is stopped.
                .env(format!("{prefix}_EnableDiagnostics"), "0")
                // The machine that the models of the class library describe.
                .env(format!("{prefix}_PROCESSOR_COUNT"), "1")
                .env(format!("{prefix}_GCHeapHardLimit"), &memory);
        }
        command
            .current_dir(self.work)
            .env("DOTNET_ROOT", root)
            .env("TMPDIR", self.work)
            // Otherwise libicu must be installed.
            .env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1");
        self.sandbox.run(command, self.deadline, self.limits)
    }
}

/// A line of the user's own code in a stack trace.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    class: String,
    method: String,
    /// 0 if it is unknown.
    line: u32,
    file: String,
    /// The line of the code before the place, if that is where the call returns to.
    before: Option<u32>,
}

impl Frame {
    /// Parses a line that a driver reports for a frame; `None` if it is not of the user's own code.
    pub(super) fn parse(origin: &CsOrigin, text: &str) -> Option<Frame> {
        let parts: Vec<&str> = text.split('\t').collect();
        let &["at", assembly, class, method, line, file, token, offset] = &parts[..] else { return None };
        if !origin.own_assemblies().contains(&assembly) || class.starts_with(HELPERS) {
            return None;
        }
        let place = token.parse().ok().zip(offset.parse().ok());
        Some(Frame {
            before: place.and_then(|(token, offset)| origin.line_before(assembly, token, offset)),
            class: class.into(),
            method: method.into(),
            line: line.parse().unwrap_or(0),
            file: file.into(),
        })
    }

    pub(super) fn show(&self) -> String {
        match self.line {
            0 => format!("{}.{}", self.class, self.method),
            line => format!("{}:{line}", self.file),
        }
    }

    /// Whether it is at a line of a method. Where the runtime knows no lines, the methods must be the same. `is_call` says that
    /// the code at the line calls the runtime.
    pub(super) fn is_at(
        &self,
        program: &Program,
        place: Option<Span>,
        method: Option<MethodId>,
        is_call: bool,
    ) -> bool {
        match place {
            Some(place) if self.line > 0 => {
                let is_return = is_call && self.before == Some(place.line);
                (self.line == place.line || is_return) && self.file == file_name(program, place)
            }
            _ => {
                let method = method.map(|method| program.method(method).name.clone());
                method.is_none_or(|method| method == self.method || method == "<init>" || method == "<clinit>")
            }
        }
    }
}

/// The name of the file of a place, without folders.
pub(super) fn file_name(program: &Program, place: Span) -> String {
    let file = program.file(place.file);
    let name = file.map(|file| file.path.to_string_lossy().replace('\\', "/")).unwrap_or_default();
    name.rsplit('/').next().unwrap_or_default().to_string()
}
