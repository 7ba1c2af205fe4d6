//! Decides which findings the sources suppress: by a comment at the line, or by an annotation of a declaration around it.
//!
//! This only decides what a scan shows, and the summary tells how many findings there are. The SARIF file has them as
//! suppressed results.

use crate::annotation::{annotations, reason_in};

/// The word before the reason.
const MARK: &str = "aback-ignore:";

/// What the sources say about a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Suppression {
    /// It is suppressed, for this reason.
    For(String),
    /// It would be suppressed if there were a reason.
    WithoutReason,
}

impl Suppression {
    pub(crate) fn reason(self) -> Option<String> {
        match self {
            Suppression::For(reason) => Some(reason),
            Suppression::WithoutReason => None,
        }
    }
}

/// What a source file says about a finding of a rule at a line, counted from 1: in a comment `// aback-ignore: REASON` at the end of the line
/// or on a line of its own above, or in an annotation of a declaration around it, the innermost one first.
pub(crate) fn suppression(file: &str, text: &str, line: u32, rule: &str) -> Option<Suppression> {
    let annotations = annotations(file, text);
    let around = annotations.into_iter().rev().filter(|annotation| {
        annotation.lines.contains(&line) && annotation.rule.as_deref().is_none_or(|only| only == rule)
    });
    let reasons: Vec<Option<String>> = comments(text, line).chain(around.map(|annotation| annotation.reason)).collect();
    let lacks_reason = !reasons.is_empty();
    let reason = reasons.into_iter().flatten().next().map(Suppression::For);
    reason.or_else(|| lacks_reason.then_some(Suppression::WithoutReason))
}

/// The reasons in the comments at a line.
fn comments(text: &str, number: u32) -> impl Iterator<Item = Option<String>> {
    let line = |number: u32| text.lines().nth(number.checked_sub(1)? as usize);
    let above = line(number.saturating_sub(1)).filter(|text| is_comment_alone(text));
    line(number).into_iter().chain(above).filter_map(|text| {
        let (before, reason) = text.split_once(MARK)?;
        is_comment(before).then(|| reason_in(reason.trim().trim_end_matches("*/")))
    })
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
    use super::{Suppression, suppression};

    /// The reason; empty if there must be one.
    #[track_caller]
    fn check(text: &str, number: u32, expected: Option<&str>) {
        let found = suppression("A.java", text, number, "assertion").map(|found| found.reason().unwrap_or_default());
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn comments() {
        check("assert x; // aback-ignore: callers check it", 1, Some("callers check it"));
        check("assert x; /* aback-ignore: callers check it */", 1, Some("callers check it"));
        check("  // aback-ignore: callers check it\n  assert x;", 2, Some("callers check it"));
        check("assert x; // aback-ignore: this line\nassert y;", 2, None);
        check("assert x; // aback-ignore:", 1, Some(""));
        check("assert x; /* aback-ignore: <Pending> */", 1, Some(""));
        check("// aback-ignore: above\nassert x; // aback-ignore:", 2, Some("above"));
        check("print(\"aback-ignore: no comment\");", 1, None);
        check("// aback-ignore: too far\n\nassert x;", 3, None);
        check("assert x;", 1, None);
        check("// aback-ignore: no line\nassert x;", 0, None);
    }

    #[test]
    fn annotations() {
        let text = "@SuppressWarnings(\"aback: of the class\") class A {
            @SuppressWarnings(\"aback: of the method\")
            void f() { assert x; }
            @SuppressWarnings(\"aback\")
            void g() { assert x; }
        }
        @SuppressWarnings(\"aback:\") class B { }";
        check(text, 1, Some("of the class"));
        check(text, 3, Some("of the method"));
        check(text, 5, Some("of the class"));
        check(text, 7, Some(""));
        check(&text.replace("void f() {", "// aback-ignore: of the line\nvoid f() {"), 4, Some("of the line"));
    }

    #[test]
    fn rules() {
        let text = "[SuppressMessage(\"aback\", \"assertion\", Justification = \"x\")]\nvoid F() { }";
        assert_eq!(suppression("A.cs", text, 2, "assertion"), Some(Suppression::For("x".into())));
        assert_eq!(suppression("A.cs", text, 2, "exception"), None);
    }
}
