//! Compiles C# sources to one assembly.

use crate::messages::{self, Message};
use crate::platform::Sdk;
use crate::process::{self, Stops, temporary};
use aback_frontend::{CompileCache, CompileKey, Compiled, Known, LoadError, SourceState};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// How sources are compiled.
const OPTIONS: &str = "-nologo\n-noconfig\n-nostdlib+\n-fullpaths\n-utf8output\n-errorendlocation\n-warn:0\n\
                       -debug:portable\n-optimize-\n-define:DEBUG;TRACE\n-langversion:latest\n-unsafe+\n\
                       -deterministic+\n-parallel-\n";
/// What a project of the SDK imports in all its files, if it enables implicit usings.
const IMPLICIT_USINGS: &str = "\
global using global::System;
global using global::System.Collections.Generic;
global using global::System.IO;
global using global::System.Linq;
global using global::System.Net.Http;
global using global::System.Threading;
global using global::System.Threading.Tasks;
";
/// The first version of the SDK whose projects have implicit usings.
const HAS_IMPLICIT_USINGS: u32 = 6;
/// Errors that occur where a namespace is not imported.
const UNKNOWN_NAMES: [&str; 3] = ["CS0103", "CS0246", "CS1061"];
/// There is no entry point, or there are several.
const NOT_A_PROGRAM: [&str; 2] = ["CS5001", "CS0017"];
/// A library has statements outside of types.
const NOT_A_LIBRARY: [&str; 1] = ["CS8805"];

/// The sources of a program, and how they are compiled.
pub(crate) struct Compilation<'a> {
    pub(crate) sdk: &'a Sdk<'a>,
    /// The sources as the user names them.
    pub(crate) sources: &'a [PathBuf],
    /// Assemblies besides those of the class library.
    pub(crate) references: Vec<PathBuf>,
    /// The name of the assembly.
    pub(crate) name: &'a str,
    /// An empty folder created by aback.
    pub(crate) work: &'a Path,
    /// Where compiled programs are kept.
    pub(crate) cache: Option<&'a CompileCache>,
    pub(crate) stops: Stops<'a>,
}

/// A source as the user names it, with the path for the compiler.
struct Source<'a> {
    given: &'a Path,
    absolute: PathBuf,
}

impl Compilation<'_> {
    /// Compiles the sources. Returns the path of the assembly, which is in the temporary folder with its debug
    /// information. There, the sources have the names that the user gave them.
    ///
    /// # Errors
    /// The sources have errors, the compiler fails, or it was stopped.
    pub(crate) fn compile(&self) -> Result<PathBuf, LoadError> {
        let sources: Result<Vec<Source>, LoadError> = self.sources.iter().map(|given| Source::new(given)).collect();
        let sources = sources?;
        let key = self.cache.and_then(|cache| Some((cache, self.key(&sources).ok()?, SourceState::all(self.sources)?)));
        let known = key
            .as_ref()
            .map(|(cache, key, now)| cache.look_up(key, now, self.stops.deadline, Some(self.stops.interrupt)));
        if let Some(Known::Current(compiled)) = &known
            && let Some(assembly) = self.written(compiled)
        {
            return Ok(assembly);
        }
        // A wrong guess costs a second compilation.
        let is_program = self.sources.iter().any(|source| {
            let text = std::fs::read(source).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            text.is_ok_and(|text| has_main(&text) || begins_with_statement(&text))
        });
        let mut outcome = self.as_either(&sources, is_program, false)?;
        if let Err(errors) = &outcome
            && has_any(errors, &UNKNOWN_NAMES)
            && self.sdk.major() >= HAS_IMPLICIT_USINGS
        {
            // The files may belong to a project that imports the usual namespaces.
            let again = self.as_either(&sources, is_program, true)?;
            if again.as_ref().map_or_else(Vec::len, |_| 0) < errors.len() {
                outcome = again;
            }
        }
        let shown = |path: &Path| {
            let source = sources.iter().find(|source| source.absolute == path);
            source.map_or_else(|| path.to_path_buf(), |source| source.given.to_path_buf())
        };
        let assembly = outcome.map_err(|errors| messages::invalid(errors, shown))?;
        if let Some((cache, key, now)) = key {
            let read = |file: &PathBuf| Some((file.file_name()?.display().to_string(), std::fs::read(file).ok()?));
            if let Some(files) = self.files().iter().map(read).collect() {
                cache.keep(&key, self.sources, &now, files);
            }
        }
        Ok(assembly)
    }

    /// What the compiler depends on besides the texts of the sources.
    fn key(&self, sources: &[Source]) -> std::io::Result<CompileKey> {
        let mut key = CompileKey::new(&self.sdk.csc(), OPTIONS)?;
        key.add(self.name.as_bytes());
        for source in sources {
            // The assembly has the paths as they are given.
            key.add(source.given.as_os_str().as_encoded_bytes());
            key.add(source.absolute.as_os_str().as_encoded_bytes());
        }
        for reference in self.sdk.platform.references().iter().chain(&self.references) {
            key.add_file(reference)?;
        }
        Ok(key)
    }

    /// The assembly that was compiled before, written to the temporary folder.
    fn written(&self, compiled: &Compiled) -> Option<PathBuf> {
        for (file, (_, bytes)) in self.files().iter().zip(&compiled.files) {
            std::fs::write(file, bytes).ok()?;
        }
        Some(self.assembly())
    }

    /// The assembly and its debug information.
    fn files(&self) -> [PathBuf; 2] {
        [self.assembly(), self.work.join(format!("{}.pdb", self.name))]
    }

    fn assembly(&self) -> PathBuf {
        self.work.join(format!("{}.dll", self.name))
    }

    /// Compiles the sources to a library. Returns the assembly, or the errors in the sources.
    pub(crate) fn compile_library(&self) -> Result<Result<PathBuf, Vec<Message>>, LoadError> {
        let sources: Result<Vec<Source>, LoadError> = self.sources.iter().map(|given| Source::new(given)).collect();
        self.run(&sources?, false, false)
    }

    /// Compiles the sources to a program or to a library, and to the other one if they cannot be that.
    fn as_either(
        &self,
        sources: &[Source],
        is_program: bool,
        implicit_usings: bool,
    ) -> Result<Result<PathBuf, Vec<Message>>, LoadError> {
        let outcome = self.run(sources, is_program, implicit_usings)?;
        let unsuited = if is_program { &NOT_A_PROGRAM[..] } else { &NOT_A_LIBRARY[..] };
        match outcome {
            Err(errors) if has_any(&errors, unsuited) => self.run(sources, !is_program, implicit_usings),
            outcome => Ok(outcome),
        }
    }

    /// Runs the compiler. Returns the assembly, or the errors in the sources.
    fn run(
        &self,
        sources: &[Source],
        is_program: bool,
        implicit_usings: bool,
    ) -> Result<Result<PathBuf, Vec<Message>>, LoadError> {
        let assembly = self.assembly();
        let mut arguments = OPTIONS.to_string();
        arguments += if is_program { "-target:exe\n" } else { "-target:library\n" };
        let mut option = |option: &str, value: &str| {
            // Writing to a string does not fail.
            let _ = writeln!(arguments, "{option}\"{value}\"");
        };
        option("-out:", &assembly.to_string_lossy());
        let path_map = path_map(sources);
        if !path_map.is_empty() {
            option("-pathmap:", &path_map);
        }
        for reference in self.sdk.platform.references().iter().chain(&self.references) {
            option("-r:", &reference.to_string_lossy());
        }
        for source in sources {
            option("", &source.absolute.to_string_lossy());
        }
        if implicit_usings {
            let usings = self.work.join("ImplicitUsings.cs");
            std::fs::write(&usings, IMPLICIT_USINGS).map_err(temporary)?;
            option("", &usings.to_string_lossy());
        }
        let file = self.work.join("arguments");
        std::fs::write(&file, arguments).map_err(temporary)?;
        let mut command = process::host(self.sdk, self.work);
        command.arg("exec").arg(self.sdk.csc()).arg(format!("@{}", file.display()));
        let ended = process::run(command, self.work, self.stops)?;
        if ended.status.success() {
            return Ok(Ok(assembly));
        }
        let errors = messages::parse(&ended.said);
        if errors.is_empty() {
            return Err(LoadError::Platform(format!(
                "{} failed ({}), which is not about the sources: {}",
                self.sdk.csc().display(),
                ended.status,
                ended.said.trim()
            )));
        }
        Ok(Err(errors))
    }
}

impl<'a> Source<'a> {
    fn new(given: &'a Path) -> Result<Self, LoadError> {
        let unreadable = |source| LoadError::Unreadable { path: given.to_path_buf(), source };
        let folder = folder_of(given).canonicalize().map_err(unreadable)?;
        Ok(Source { given, absolute: folder.join(given.file_name().unwrap_or_default()) })
    }
}

/// The folder of a file; `.` if the path has no folder.
pub(crate) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Maps the folders of the sources to the names that the user gave them.
fn path_map(sources: &[Source]) -> String {
    let mut folders = BTreeMap::new();
    for source in sources.iter().filter(|source| source.given.is_relative()) {
        folders.entry(folder_of(&source.absolute)).or_insert(folder_of(source.given));
    }
    let escaped = |folder: &Path| folder.to_string_lossy().replace(',', ",,").replace('=', "==");
    let entries = folders.into_iter().map(|(absolute, given)| format!("{}={}", escaped(absolute), escaped(given)));
    entries.collect::<Vec<_>>().join(",")
}

fn has_any(errors: &[Message], codes: &[&str]) -> bool {
    errors.iter().any(|error| codes.contains(&error.code.as_str()))
}

/// Whether a method may be named `Main`.
fn has_main(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices("Main").any(|(start, name)| {
        !text[..start].ends_with(is_part) && text[start + name.len()..].trim_start().starts_with('(')
    })
}

/// Whether something other than a declaration follows the `using` directives: such statements are the program.
fn begins_with_statement(text: &str) -> bool {
    const DECLARATIONS: [&str; 18] = [
        "abstract",
        "class",
        "delegate",
        "enum",
        "extern",
        "file",
        "interface",
        "internal",
        "namespace",
        "partial",
        "public",
        "readonly",
        "record",
        "ref",
        "sealed",
        "static",
        "struct",
        "unsafe",
    ];
    let mut rest = text.trim_start_matches('\u{feff}');
    loop {
        rest = after_blank(rest);
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        match &rest[..end] {
            "using" | "global" if !after_blank(&rest[end..]).starts_with('(') => {
                let Some((_, after)) = rest.split_once(';') else { return false };
                rest = after;
            }
            // Attributes belong to declarations, and an empty rest has no statements.
            "" => return !rest.is_empty() && !rest.starts_with('['),
            word => return !DECLARATIONS.contains(&word),
        }
    }
}

/// The text after white space, comments and lines for the preprocessor.
fn after_blank(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        text = if text.starts_with("//") || text.starts_with('#') {
            text.find('\n').map_or("", |end| &text[end..])
        } else if let Some(comment) = text.strip_prefix("/*") {
            comment.find("*/").map_or("", |end| &comment[end + 2..])
        } else {
            return text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_tell_whether_they_are_programs() {
        let check = |text: &str, expected: [bool; 2]| {
            assert_eq!([has_main(text), begins_with_statement(text)], expected, "{text}");
        };
        check("// Main\nclass A { static void Main () { } }", [true, false]);
        check("class A { void DoMain() { } int Main; }", [false, false]);
        check("\u{feff}#nullable enable\nusing System;\n/* x */ Console.WriteLine();", [false, true]);
        check("using (var x = f()) { }", [false, true]);
        check("global using System; namespace N;", [false, false]);
        check("[assembly: A] class B { }", [false, false]);
        check("/* open", [false, false]);
        check("{ }", [false, true]);
    }
}
