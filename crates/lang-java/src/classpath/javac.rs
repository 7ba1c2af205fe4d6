//! Compiles sources to class files with the JDK's compiler.

use super::compiled::read_all;
use super::{CompileError, CompileErrors, OpenError, Options};
use aback_frontend::{Ended, NotRun, run_compiler};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How sources are compiled.
pub(super) const OPTIONS: &str = "-g -nowarn -proc:none -implicit:none -encoding UTF-8";

/// Compiles `sources` in one run. `work` is an empty folder created by aback. Returns the class files by internal name.
pub(super) fn compile(
    javac: &Path,
    sources: &[PathBuf],
    class_path: &[PathBuf],
    work: &Path,
    options: &Options,
) -> Result<BTreeMap<String, Vec<u8>>, OpenError> {
    let classes = compile_to_folder(javac, sources, class_path, work, options)?;
    read_all(&classes).map_err(OpenError::Temporary)
}

/// As [`compile`], but returns the folder of the class files, which is in `work`.
pub(super) fn compile_to_folder(
    javac: &Path,
    sources: &[PathBuf],
    class_path: &[PathBuf],
    work: &Path,
    options: &Options,
) -> Result<PathBuf, OpenError> {
    let (classes, nothing, arguments) = (work.join("classes"), work.join("nothing"), work.join("arguments"));
    std::fs::create_dir(&classes).and_then(|()| std::fs::create_dir(&nothing)).map_err(OpenError::Temporary)?;
    let passed: Vec<PathBuf> = sources.iter().map(|source| passed(source)).collect();
    let content = argument_file(&passed, class_path, &classes, &nothing);
    std::fs::write(&arguments, content).map_err(OpenError::Temporary)?;
    let mut at = std::ffi::OsString::from("@");
    at.push(&arguments);

    let mut command = Command::new(javac);
    command
        // Compiling the compiler itself does not pay off for a run of about a second.
        .args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-J-Duser.language=en"])
        .arg(at)
        // File names are UTF-8 in every locale, and only the arguments determine what the compiler does.
        .env("LC_ALL", "C.UTF-8")
        .env_remove("JDK_JAVAC_OPTIONS")
        .env_remove("JAVA_TOOL_OPTIONS")
        .env_remove("_JAVA_OPTIONS");
    let ended = run_compiler(command, work, options.deadline, options.interrupt).map_err(|error| match error {
        NotRun::NotStarted(error) => {
            OpenError::Compiler { javac: javac.into(), status: "it does not start".into(), output: error.to_string() }
        }
        NotRun::Temporary(error) => OpenError::Temporary(error),
        NotRun::Stopped => OpenError::Stopped,
    });
    let Ended { status, said } = ended?;
    if status.success() {
        return Ok(classes);
    }
    let given = passed.iter().zip(sources).map(|(passed, source)| (passed.to_string_lossy().into_owned(), source));
    let errors = parse(&said, &given.collect());
    // javac exits with 1 for errors in the sources, and with 2 to 4 for all other errors.
    if status.code() == Some(1) && !errors.messages.is_empty() {
        return Err(OpenError::Compile(errors));
    }
    Err(OpenError::Compiler { javac: javac.into(), status: status.to_string(), output: said.trim().into() })
}

/// A path that the compiler cannot mistake for an option, and that means the same in any folder.
fn passed(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| Path::new(".").join(path))
}

/// The compiler must not find further sources in the sources' folders: it compiles exactly the named sources.
fn argument_file(sources: &[PathBuf], class_path: &[PathBuf], classes: &Path, nothing: &Path) -> Vec<u8> {
    let mut content = format!("{OPTIONS}\n").into_bytes();
    let mut option = |name: &str, value: &OsStr| {
        content.extend_from_slice(name.as_bytes());
        content.push(b' ');
        quote(value.as_bytes(), &mut content);
    };
    let class_path: Vec<PathBuf> = class_path.iter().map(|path| passed(path)).collect();
    let joined = class_path.iter().map(|path| path.as_os_str().as_bytes()).collect::<Vec<_>>().join(&b':');
    let joined = if joined.is_empty() { nothing.as_os_str() } else { OsStr::from_bytes(&joined) };
    option("-cp", joined);
    option("-sourcepath", nothing.as_os_str());
    option("-d", classes.as_os_str());
    for source in sources {
        quote(source.as_os_str().as_bytes(), &mut content);
    }
    content
}

fn quote(text: &[u8], content: &mut Vec<u8>) {
    content.push(b'"');
    for &byte in text {
        match byte {
            b'"' | b'\\' => content.extend_from_slice(&[b'\\', byte]),
            b'\n' => content.extend_from_slice(b"\\n"),
            b'\r' => content.extend_from_slice(b"\\r"),
            byte => content.push(byte),
        }
    }
    content.extend_from_slice(b"\"\n");
}

/// Parses javac's output: `path:line: error: text`, the source line, a caret below the place, and explanations.
fn parse(said: &str, sources: &FxHashMap<String, &PathBuf>) -> CompileErrors {
    let mut errors = CompileErrors { messages: Vec::new(), rest: String::new() };
    // Whether the following lines belong to the last message.
    let mut open = false;
    let mut lines = said.lines().peekable();
    while let Some(line) = lines.next() {
        match heading(line, sources) {
            Some((error, true)) => {
                errors.messages.push(error);
                open = true;
                continue;
            }
            Some((_, false)) => open = false,
            None if is_note_or_count(line) => open = false,
            None => {}
        }
        let Some(last) = errors.messages.last_mut().filter(|_| open) else {
            errors.rest.push_str(line);
            errors.rest.push('\n');
            continue;
        };
        let caret = lines.peek().filter(|next| next.trim() == "^" && last.line > 0 && last.column == 0);
        match caret.and_then(|next| u32::try_from(next.chars().count()).ok()) {
            Some(column) => {
                last.column = column;
                lines.next();
            }
            None => last.details.push(line.trim_end().into()),
        }
    }
    errors
}

/// Parses the first line of a message. Also returns whether the message is an error.
fn heading(line: &str, sources: &FxHashMap<String, &PathBuf>) -> Option<(CompileError, bool)> {
    let message = |path: Option<PathBuf>, line, text: &str| {
        let (text, is_error) = match (text.strip_prefix("error: "), text.strip_prefix("warning: ")) {
            (Some(text), _) => (text, true),
            (_, Some(text)) => (text, false),
            _ => return None,
        };
        Some((CompileError { path, line, column: 0, text: text.into(), details: Vec::new() }, is_error))
    };
    let placed = line.match_indices(':').find_map(|(colon, _)| {
        let path = sources.get(&line[..colon])?;
        let (number, text) = line[colon + 1..].split_once(": ")?;
        message(Some(path.to_path_buf()), number.parse().ok()?, text)
    });
    placed.or_else(|| message(None, 0, line))
}

fn is_note_or_count(line: &str) -> bool {
    let is_count = line.split_once(' ').is_some_and(|(count, what)| {
        count.parse::<u32>().is_ok() && matches!(what, "error" | "errors" | "warning" | "warnings")
    });
    is_count || line.starts_with("Note: ") || line.starts_with("only showing the first ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_places_and_explanations() {
        let given = PathBuf::from("a:1/B.java");
        let sources = [("a:1/B.java".to_string(), &given)].into_iter().collect();
        let said = "\
            a:1/B.java:2: error: cannot find symbol\n\
            public class B { void f() { foo(); } }\n\
            \u{20}                           ^\n\
            \u{20} symbol:   method foo()\n\
            \u{20} location: class B\n\
            a:1/B.java:3: warning: something\n\
            int x;\n\
            ^\n\
            error: cannot access C\n\
            Note: B.java uses unchecked operations.\n\
            2 errors\n";
        let errors = parse(said, &sources);
        let [first, second] = &errors.messages[..] else { panic!("{errors:?}") };
        assert_eq!((first.path.as_ref(), first.line, first.column), (Some(&given), 2, 29));
        assert_eq!(first.text, "cannot find symbol");
        assert_eq!(first.details, ["  symbol:   method foo()", "  location: class B"]);
        assert_eq!((&second.path, second.text.as_str()), (&None, "cannot access C"));
        assert_eq!(errors.rest.lines().count(), 5, "{}", errors.rest);
    }
}
