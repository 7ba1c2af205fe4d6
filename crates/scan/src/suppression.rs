//! Finds the comments by which programmers suppress findings.
//!
//! This only decides what a scan shows, and the summary tells how many findings there are. The SARIF file has them as
//! suppressed results.

/// The word before the reason.
const MARK: &str = "aback-ignore:";

/// The reason in a comment `// aback-ignore: REASON` at the end of a line, counted from 1, or on a line of its own above. `line` gives
/// the text of a line. A comment without a reason suppresses nothing.
pub(crate) fn suppression(line: impl Fn(u32) -> Option<String>, number: u32) -> Option<String> {
    let of = |text: &str| {
        let (before, reason) = text.split_once(MARK)?;
        let reason = reason.trim().trim_end_matches("*/").trim_end();
        (is_comment(before) && !reason.is_empty()).then(|| reason.to_string())
    };
    let above = number.checked_sub(1).filter(|&above| above > 0).and_then(&line).filter(|text| is_comment_alone(text));
    line(number).as_deref().and_then(of).or_else(|| of(&above?))
}

/// Whether a comment begins in front of a place, with nothing but space between.
fn is_comment(before: &str) -> bool {
    ["//", "/*"].iter().any(|start| before.trim_end().ends_with(start))
}

fn is_comment_alone(text: &str) -> bool {
    ["//", "/*"].iter().any(|start| text.trim_start().starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::suppression;

    #[track_caller]
    fn check(text: &str, number: u32, expected: Option<&str>) {
        let line = |number: u32| text.lines().nth(number as usize - 1).map(str::to_owned);
        assert_eq!(suppression(line, number).as_deref(), expected);
    }

    #[test]
    fn comments() {
        check("assert x; // aback-ignore: callers check it", 1, Some("callers check it"));
        check("assert x; /* aback-ignore: callers check it */", 1, Some("callers check it"));
        check("  // aback-ignore: callers check it\n  assert x;", 2, Some("callers check it"));
        check("assert x; // aback-ignore: this line\nassert y;", 2, None);
        check("assert x; // aback-ignore:", 1, None);
        check("print(\"aback-ignore: no comment\");", 1, None);
        check("// aback-ignore: too far\n\nassert x;", 3, None);
        check("assert x;", 1, None);
    }
}
