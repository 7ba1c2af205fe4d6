//! Collects the diagnostics about the user's program.

use aback_ir::{Diagnostic, Severity, Span};

/// Most errors that are shown; users read the first ones.
const MAX_ERRORS: usize = 50;

/// Proof that the error has been reported already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

/// The result of a part of the front end, or the fact that the reason for its absence has been reported.
pub(crate) type Outcome<T> = Result<T, Reported>;

/// The diagnostics so far.
#[derive(Default)]
pub(crate) struct Sink {
    diagnostics: Vec<Diagnostic>,
    errors: usize,
}

impl Sink {
    /// Reports an error.
    pub fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.push_error(Diagnostic::error(span, message))
    }

    /// Reports an error with advice.
    pub fn error_with_help(&mut self, span: Span, message: impl Into<String>, help: Option<String>) -> Reported {
        self.push_error(Diagnostic { help, ..Diagnostic::error(span, message) })
    }

    /// Adds an error unless there are too many.
    fn push_error(&mut self, diagnostic: Diagnostic) -> Reported {
        // Every construct that a missing brace would have closed reports the same error.
        if self.diagnostics.last() == Some(&diagnostic) {
            return Reported;
        }
        self.errors += 1;
        if self.errors <= MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        } else if self.errors == MAX_ERRORS + 1 {
            self.diagnostics.push(Diagnostic::error(diagnostic.span, "too many errors: the rest is not shown"));
        }
        Reported
    }

    /// Reports a warning.
    pub fn warning(&mut self, span: Span, message: impl Into<String>, help: Option<String>) {
        self.diagnostics.push(Diagnostic { help, ..Diagnostic::warning(span, message) });
    }

    /// "did you mean …?" for a name that does not exist, if one of the `known` ones is close to it.
    pub fn did_you_mean<'n>(&self, name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
        // For errors that are not shown, comparing all names is too slow.
        if self.is_full() { None } else { did_you_mean(name, known) }
    }

    /// The number of errors.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Whether there was an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether further errors will not be shown.
    pub fn is_full(&self) -> bool {
        self.errors > MAX_ERRORS
    }

    /// The diagnostics in source order; diagnostics without a place come last.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|d| (d.span.file, d.span.line, d.span.column, d.severity == Severity::Warning));
        self.diagnostics
    }
}

fn did_you_mean<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    // Longest name that is compared, in characters: the distance takes quadratic time.
    const LONGEST: usize = 64;
    let wanted: Vec<char> = name.chars().collect();
    let close = (wanted.len() / 3).max(1);
    if wanted.len() > LONGEST {
        return None;
    }
    known
        .filter(|k| k.len() <= 2 * LONGEST && k.len().abs_diff(name.len()) <= 4 * close)
        .map(|k| (distance(&wanted, k), k))
        .filter(|&(d, k)| d <= close || k.eq_ignore_ascii_case(name))
        .min()
        .map(|(_, k)| format!("did you mean `{k}`?"))
}

/// The number of insertions, deletions, replacements and swaps of neighbours that turn one name into the other.
fn distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    // The last two rows of the dynamic program's table.
    let mut before = Vec::new();
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for j in 0..b.len() {
        let mut next = vec![j + 1];
        for i in 0..a.len() {
            let replaced = row[i] + usize::from(a[i] != b[j]);
            let mut best = replaced.min(row[i + 1] + 1).min(next[i] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                let swapped: usize = before[i - 1];
                best = best.min(swapped + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[a.len()]
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn suggests_close_names_only() {
        let known = ["value", "next", "Left"];
        assert_eq!(did_you_mean("vlaue", known.into_iter()).as_deref(), Some("did you mean `value`?"));
        assert_eq!(did_you_mean("walze", known.into_iter()), None);
        assert_eq!(did_you_mean("valu", known.into_iter()).as_deref(), Some("did you mean `value`?"));
        assert_eq!(did_you_mean("left", known.into_iter()).as_deref(), Some("did you mean `Left`?"));
        assert_eq!(did_you_mean("x", ["previous"].into_iter()), None);
    }
}
