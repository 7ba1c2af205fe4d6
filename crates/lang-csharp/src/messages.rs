//! Reads the error messages of the compiler and of builds.

use aback_frontend::LoadError;
use aback_ir::{Diagnostic, Program, SourceFile, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};

/// An error in a program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Message {
    /// The file as the compiler names it.
    path: Option<PathBuf>,
    /// The line, from 1; 0 if it is unknown.
    line: u32,
    /// The column, from 1; 0 if it is unknown.
    column: u32,
    /// Number of characters; 0 if it is unknown.
    length: u32,
    /// The kind of error: `CS0103`; empty if it has none.
    pub(crate) code: String,
    text: String,
}

impl Message {
    /// The number at the end of the name of its file, if the name begins like this, and its line and column from 1.
    pub(crate) fn place_in(&self, file: &str) -> Option<(usize, u32, u32)> {
        let name = self.path.as_ref()?.file_name()?.to_str()?;
        let number = name.strip_prefix(file)?.parse().ok()?;
        (self.line > 0 && self.column > 0).then_some((number, self.line, self.column))
    }

    /// The same message at another column.
    pub(crate) fn at_column(self, column: u32) -> Self {
        Message { column, ..self }
    }

    /// Whether it is one of NuGet.
    pub(crate) fn is_about_packages(&self) -> bool {
        self.code.starts_with("NU")
    }

    /// What it says to users.
    pub(crate) fn shown(&self) -> String {
        if self.code.is_empty() { self.text.clone() } else { format!("{} ({})", self.text, self.code) }
    }
}

/// The errors in an output, each once. Their lines are `path(line,column,end line,end column): error code: text`,
/// where the place may be shorter or missing; builds append the project in brackets.
pub(crate) fn parse(said: &str) -> Vec<Message> {
    let mut seen = FxHashSet::default();
    said.lines().filter_map(message).filter(|message| seen.insert(message.clone())).collect()
}

fn message(line: &str) -> Option<Message> {
    let line = line.trim();
    let (place, rest) = match line.strip_prefix("error ") {
        Some(rest) => ("", rest),
        None => line.split_once(": error ")?,
    };
    let (code, text) = rest.split_once(':')?;
    if !code.chars().all(|c| c.is_ascii_alphanumeric()) && code != " " {
        return None;
    }
    let text = match text.rsplit_once(" [") {
        Some((text, project)) if project.ends_with(']') && project.contains("proj") => text,
        _ => text,
    };
    let (path, [line, column, length]) = located(place.trim_end());
    // A build names the tool where there is no file.
    let path = Some(path).filter(|path| !["", "CSC", "MSBUILD"].contains(path)).map(PathBuf::from);
    Some(Message { path, line, column, length, code: code.trim().into(), text: text.trim().into() })
}

/// The path, and the line, the column and the length.
fn located(place: &str) -> (&str, [u32; 3]) {
    let parts = place.strip_suffix(')').and_then(|place| place.rsplit_once('('));
    let numbers = parts.and_then(|(path, numbers)| {
        let numbers: Result<Vec<u32>, _> = numbers.split(',').map(str::parse).collect();
        Some((path, numbers.ok()?))
    });
    match numbers.as_ref().map(|(path, numbers)| (*path, &numbers[..])) {
        Some((path, &[line, column, end_line, end_column])) if line == end_line => {
            (path, [line, column, end_column.saturating_sub(column)])
        }
        Some((path, &[line, column, ..])) => (path, [line, column, 0]),
        Some((path, &[line])) => (path, [line, 0, 0]),
        _ => (place, [0; 3]),
    }
}

/// The messages as diagnostics. `shown` gives the path for users of a path of the compiler.
pub(crate) fn invalid(messages: Vec<Message>, shown: impl Fn(&Path) -> PathBuf) -> LoadError {
    let program = Program::new();
    let mut files = FxHashMap::default();
    let diagnostics = messages.into_iter().map(|Message { path, line, column, length, code, text }| {
        let file = path.map(|path| {
            *files.entry(path.clone()).or_insert_with(|| {
                let text = std::fs::read(&path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                program.add_file(SourceFile { path: shown(&path), text })
            })
        });
        let span = file.map_or(Span::NONE, |file| Span { file, line, column, length });
        Diagnostic::error(span, if code.is_empty() { text } else { format!("{text} ({code})") })
    });
    let diagnostics = diagnostics.collect();
    LoadError::Invalid { program: Box::new(program), diagnostics }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_places() {
        let check = |line: &str, path: &str, place: [u32; 3], code: &str, text: &str| {
            let [message] = &parse(&format!("{line}\nBuild FAILED.\n{line}\n"))[..] else { panic!("{line}") };
            let Message { path: found, line, column, length, .. } = message;
            assert_eq!(found.as_deref(), Some(Path::new(path)).filter(|_| !path.is_empty()));
            assert_eq!(([*line, *column, *length], &*message.code, &*message.text), (place, code, text));
        };
        check("/ü (1)/A.cs(1,47,1,49): error CS0029: a: [b]", "/ü (1)/A.cs", [1, 47, 2], "CS0029", "a: [b]");
        check("A.cs(3,4): error CS1002: ; expected [/x/App.csproj]", "A.cs", [3, 4, 0], "CS1002", "; expected");
        check("/x/App.csproj : error NU1101: none [/x/App.csproj]", "/x/App.csproj", [0; 3], "NU1101", "none");
        check("CSC : error CS5001: no Main [/x/App.csproj::TargetFramework=net8.0]", "", [0; 3], "CS5001", "no Main");
        check("/x/App.csproj(5,9): error : said [/x/App.csproj]", "/x/App.csproj", [5, 9, 0], "", "said");
        check(
            "error CS2001: Source file 'a' could not be found.",
            "",
            [0; 3],
            "CS2001",
            "Source file 'a' could not be found.",
        );
        assert!(parse("A.cs(1,2): warning CS0168: unused\n0 Error(s)\n").is_empty());
    }
}
