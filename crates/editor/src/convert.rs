//! Converts between what aback says and what the protocol says.

use crate::question::Answer;
use aback_report::{PlaceDocument, ViolationDocument};
use aback_scan::Asks;
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position, Range, Uri,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What this server calls itself in diagnostics.
pub(crate) const SOURCE: &str = "aback";
/// What stays as it is in the path of a URI.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// Most places on the path of a counterexample that a diagnostic has.
const MOST_PLACES: usize = 20;

/// The path of a file, if the URI is that of a file on this machine.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let bytes: Vec<u8> = percent_decode_str(path).collect();
    path.starts_with('/').then(|| PathBuf::from(OsStr::from_bytes(&bytes)))
}

/// The URI of a file.
pub(crate) fn uri_of(path: &Path) -> Option<Uri> {
    format!("file://{}", percent_encode(path.as_os_str().as_bytes(), ENCODED)).parse().ok()
}

/// The files of a program, with their texts as far as they are needed.
pub(crate) struct Files<'p> {
    program: &'p Path,
    texts: RefCell<HashMap<PathBuf, Option<Rc<str>>>>,
}

impl<'p> Files<'p> {
    /// Those of the program at a path.
    pub(crate) fn of(program: &'p Path) -> Self {
        Files { program, texts: RefCell::default() }
    }

    /// The file of a place. Class files name their sources without the folders above the packages.
    pub(crate) fn find(&self, place: &PlaceDocument) -> Option<PathBuf> {
        let named = Path::new(&place.file);
        let candidates = [named.to_path_buf(), self.program.join(named)];
        candidates.into_iter().find(|path| path.is_absolute() && path.is_file())
    }

    fn text(&self, place: &PlaceDocument) -> Option<Rc<str>> {
        let file = self.find(place)?;
        let mut texts = self.texts.borrow_mut();
        texts.entry(file).or_insert_with_key(|file| std::fs::read_to_string(file).ok().map(Rc::from)).clone()
    }

    /// The range of a place. Where the column or the length are unknown, it goes to the end of the line.
    fn range(&self, place: &PlaceDocument) -> Range {
        let text = if place.column > 0 { self.text(place) } else { None };
        let line = text.as_deref().and_then(|text| text.lines().nth((place.line as usize).checked_sub(1)?));
        range(place, line.unwrap_or_default())
    }
}

/// The number of characters in the first `units` units of UTF-16 of a line.
pub(crate) fn characters(line: &str, units: u32) -> u32 {
    let mut left = units;
    let within = line.chars().take_while(|c| {
        let width = c.len_utf16() as u32;
        let is_within = left >= width;
        left = left.saturating_sub(width);
        is_within
    });
    let count = within.count() as u32;
    // A column may be behind the end of the line.
    count + left.min(units.saturating_sub(line.encode_utf16().count() as u32))
}

/// The range of a place in a line with this text. aback counts characters, and the protocol counts units of UTF-16.
fn range(place: &PlaceDocument, text: &str) -> Range {
    let units = |column: u32| {
        let wider = text.chars().take(column as usize).filter(|c| c.len_utf16() > 1).count();
        column.saturating_add(u32::try_from(wider).unwrap_or(0))
    };
    let line = place.line.saturating_sub(1);
    let first = place.column.saturating_sub(1);
    let start = units(first);
    let end = match place.length {
        0 => u32::MAX >> 1,
        length => units(first.saturating_add(length)),
    };
    Range { start: Position { line, character: start }, end: Position { line, character: end } }
}

/// What a violation says, in several lines: what happens, from where, and with which input.
pub(crate) fn message(violation: &ViolationDocument) -> String {
    let inputs: Vec<String> =
        violation.shown_inputs.iter().map(|input| format!("\n  {} = {}", input.name, input.value)).collect();
    let with = if inputs.is_empty() { "" } else { " with" };
    format!("{}\nfrom {}{with}{}", violation.description, violation.entry, inputs.concat())
}

/// A violation as a diagnostic.
pub(crate) fn diagnostic(violation: &ViolationDocument, severity: DiagnosticSeverity, files: &Files<'_>) -> Diagnostic {
    let location =
        |place: &PlaceDocument| Some(Location { uri: uri_of(&files.find(place)?)?, range: files.range(place) });
    let steps = violation.path.iter().rev().take(MOST_PLACES).rev();
    let related = steps.filter_map(|step| {
        Some(DiagnosticRelatedInformation { location: location(&step.place)?, message: format!("in {}", step.method) })
    });
    Diagnostic {
        range: files.range(&violation.place),
        severity: Some(severity),
        code: Some(NumberOrString::String(aback_report::rule(violation.kind).into())),
        source: Some(SOURCE.into()),
        message: message(violation),
        related_information: Some(related.collect()),
        ..Diagnostic::default()
    }
}

/// What is asked, in words.
pub(crate) fn title(asks: Asks) -> &'static str {
    match asks {
        Asks::Violation => "what can fail at",
        Asks::Reach => "what reaches",
        Asks::Null { .. } => "what can be null at",
    }
}

/// The name of a file.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The answer in one line.
pub(crate) fn one_line(answer: &Answer) -> String {
    let detail = match answer.paths.first() {
        Some(path) => message(&path.violation).split_whitespace().collect::<Vec<_>>().join(" "),
        None => answer.reason.clone(),
    };
    if detail.is_empty() { answer.said.clone() } else { format!("{}: {detail}", answer.said) }
}

/// The answer to a question about a line, from 1, as diagnostics: one for each path, or one that says why there is none.
pub(crate) fn diagnostics_of(asks: Asks, line: u32, answer: &Answer, files: &Files<'_>) -> Vec<Diagnostic> {
    let severity = match asks {
        Asks::Reach => DiagnosticSeverity::INFORMATION,
        Asks::Violation | Asks::Null { .. } => DiagnosticSeverity::WARNING,
    };
    if let [_, ..] = answer.paths[..] {
        return answer.paths.iter().map(|path| diagnostic(&path.violation, severity, files)).collect();
    }
    let place = PlaceDocument { file: String::new(), line, column: 0, length: 0 };
    vec![Diagnostic {
        range: range(&place, ""),
        severity: Some(DiagnosticSeverity::HINT),
        source: Some(SOURCE.into()),
        message: one_line(answer),
        ..Diagnostic::default()
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_uris() {
        for path in ["/a/b.java", "/with space/ü#?%.cs", "/"] {
            let uri = uri_of(Path::new(path)).unwrap();
            assert_eq!(path_of(&uri).as_deref(), Some(Path::new(path)), "{}", uri.as_str());
        }
        let of = |text: &str| path_of(&text.parse().unwrap());
        assert_eq!(of("file://localhost/a").as_deref(), Some(Path::new("/a")));
        assert_eq!(of("file:///C%3A/a%20b").as_deref(), Some(Path::new("/C:/a b")));
        assert_eq!(of("untitled:Untitled-1"), None);
        assert_eq!(of("file://host/a"), None);
    }

    #[test]
    fn ranges() {
        let of = |line, column, length| {
            let Range { start, end } = range(&PlaceDocument { file: String::new(), line, column, length }, "ab😀cd");
            (start.line, start.character, end.line, end.character)
        };
        assert_eq!(of(3, 2, 1), (2, 1, 2, 2));
        assert_eq!(of(3, 3, 1), (2, 2, 2, 4));
        assert_eq!(of(3, 5, 4), (2, 5, 2, 9));
        for (units, characters) in [(0, 0), (2, 2), (4, 3), (5, 4), (6, 5), (8, 7)] {
            assert_eq!(super::characters("ab😀cd", units), characters, "{units}");
        }
        let (line, start, end_line, end) = of(3, 0, 0);
        assert!((line, start, end_line) == (2, 0, 2) && end > 1000);
        assert_eq!(of(0, 0, 1), (0, 0, 0, 1));
    }
}
