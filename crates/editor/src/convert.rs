//! Converts between what aback says and what the protocol says.

use aback_report::{PlaceDocument, ViolationDocument};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position, Range, Uri,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

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

/// The range of a place. Where the column or the length are unknown, it goes to the end of the line.
pub(crate) fn range(place: &PlaceDocument) -> Range {
    let line = place.line.saturating_sub(1);
    let start = place.column.saturating_sub(1);
    let end = match place.length {
        0 => u32::MAX >> 1,
        length => start.saturating_add(length),
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

/// A violation as a diagnostic. `file` finds the file of a place.
pub(crate) fn diagnostic(
    violation: &ViolationDocument,
    severity: DiagnosticSeverity,
    file: &dyn Fn(&PlaceDocument) -> Option<PathBuf>,
) -> Diagnostic {
    let location = |place: &PlaceDocument| Some(Location { uri: uri_of(&file(place)?)?, range: range(place) });
    let steps = violation.path.iter().rev().take(MOST_PLACES).rev();
    let related = steps.filter_map(|step| {
        Some(DiagnosticRelatedInformation { location: location(&step.place)?, message: format!("in {}", step.method) })
    });
    Diagnostic {
        range: range(&violation.place),
        severity: Some(severity),
        code: Some(NumberOrString::String(aback_report::rule(violation.kind).into())),
        source: Some(SOURCE.into()),
        message: message(violation),
        related_information: Some(related.collect()),
        ..Diagnostic::default()
    }
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
            let Range { start, end } = range(&PlaceDocument { file: String::new(), line, column, length });
            (start.line, start.character, end.line, end.character)
        };
        assert_eq!(of(3, 5, 4), (2, 4, 2, 8));
        let (line, start, end_line, end) = of(3, 0, 0);
        assert!((line, start, end_line) == (2, 0, 2) && end > 1000);
        assert_eq!(of(0, 0, 1), (0, 0, 0, 1));
    }
}
