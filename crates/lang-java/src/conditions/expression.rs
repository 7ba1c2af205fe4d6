//! Checks that a condition is one expression, whatever stands around it.

use super::tokens::{Kind, Token, Unclosed, closed_by, tokens};

/// A mistake in a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mistake {
    /// The byte where it is.
    pub at: usize,
    pub message: String,
}

fn mistake<T>(at: usize, message: impl Into<String>) -> Result<T, Mistake> {
    Err(Mistake { at, message: message.into() })
}

/// A condition in one line, in which everything but comments and white space is at its place, in UTF-16 units.
///
/// # Errors
/// The text is no single expression: brackets do not match, it has a `;` outside of a block, or it does not end. It is
/// also an error if it declares a class, because inputs may have any class of the program.
pub(super) fn one_line(text: &str) -> Result<String, Mistake> {
    let (tokens, comments) =
        tokens(text).or_else(|Unclosed { at, what }| mistake(at, format!("this {what} does not end")))?;
    if tokens.is_empty() {
        return mistake(0, "there is no expression");
    }
    let mut open: Vec<&Token> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let at = token.bytes.start;
        let word = &text[token.bytes.clone()];
        match token.kind {
            Kind::Symbol('(' | '[' | '{') => open.push(token),
            Kind::Symbol(close @ (')' | ']' | '}')) => {
                let expected = open.pop().map(|open| match open.kind {
                    Kind::Symbol('(') => ')',
                    Kind::Symbol('[') => ']',
                    _ => '}',
                });
                match expected {
                    None => return mistake(at, format!("`{close}` closes nothing: a condition is one expression")),
                    Some(expected) if expected != close => return mistake(at, format!("expected `{expected}`")),
                    Some(_) => {}
                }
            }
            Kind::Symbol(';') if open.last().is_none_or(|open| open.kind != Kind::Symbol('{')) => {
                return mistake(at, "a condition is one expression, without `;`");
            }
            Kind::Symbol('\\') => return mistake(at, "write the character itself instead of an escape"),
            Kind::TextBlock => return mistake(at, "a text block has several lines: write a string with \\n"),
            Kind::Quoted => {
                if let Some(escape) = plain_escape(word) {
                    return mistake(at + escape, "write the character itself instead of an escape");
                }
            }
            Kind::Word if declares_class(text, &tokens, index) => {
                return mistake(at, "a condition declares no classes: call a method of the program instead");
            }
            _ => {}
        }
    }
    if let Some(open) = open.last() {
        return mistake(open.bytes.start, "this bracket is not closed");
    }
    let in_comment = |at: usize| comments.iter().any(|comment| comment.contains(&at));
    let blank = |(at, c): (usize, char)| match c.is_whitespace() || in_comment(at) {
        true => " ".repeat(c.len_utf16()),
        false => c.to_string(),
    };
    Ok(text.char_indices().map(blank).collect())
}

/// The first escape `\uXXXX` of a character that has a meaning of its own in a literal: an ASCII character.
fn plain_escape(literal: &str) -> Option<usize> {
    let mut chars = literal.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c != '\\' {
            continue;
        }
        let Some((next, 'u')) = chars.next() else { continue };
        let digits = literal[next..].trim_start_matches('u');
        let value = digits.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if value.is_none_or(|value| value < 0x80) {
            return Some(at);
        }
    }
    None
}

/// Whether a word begins the declaration of a class, or the creation of an object of an anonymous class.
fn declares_class(text: &str, tokens: &[Token], index: usize) -> bool {
    let word = |index: usize| tokens.get(index).map_or("", |token| &text[token.bytes.clone()]);
    let is_name = |index: usize| tokens.get(index).is_some_and(|token| token.kind == Kind::Word);
    match word(index) {
        "class" | "enum" | "interface" => index == 0 || word(index - 1) != ".",
        "record" => is_name(index + 1) && matches!(word(index + 2), "(" | "<"),
        "new" => {
            let bracket = (index + 1..tokens.len()).find(|&index| matches!(word(index), "(" | "[" | "{" | ")" | ";"));
            let end = bracket.filter(|&index| word(index) == "(").and_then(|open| closed_by(tokens, open));
            end.is_some_and(|end| word(end + 1) == "{")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn a_condition_is_one_expression() {
        let good = |text: &str, line: &str| assert_eq!(one_line(text).as_deref(), Ok(line), "{text}");
        good("x > 0 // why", "x > 0       ");
        good("x /* ) */ > 0", "x         > 0");
        good("a\n&& b", "a && b");
        good("a\u{a0}&& b /* 😀 */", "a && b         ");
        good("s.equals(\")\\\";\")", "s.equals(\")\\\";\")");
        good("c == ')' && d != '\\''", "c == ')' && d != '\\''");
        good("xs.stream().allMatch(x -> { return x > 0; })", "xs.stream().allMatch(x -> { return x > 0; })");
        good("new int[] {1}[0] == x && A.class != null", "new int[] {1}[0] == x && A.class != null");
        good("s.equals(\"\\u00e9\\\\u0029\")", "s.equals(\"\\u00e9\\\\u0029\")");
        let bad = |text: &str, at: usize, says: &str| {
            let error = one_line(text).unwrap_err();
            assert!(error.at == at && error.message.contains(says), "{text}: {error:?}");
        };
        bad("", 0, "no expression");
        bad("// x", 0, "no expression");
        bad("true) || (x > 0", 4, "closes nothing");
        bad("f(x", 1, "not closed");
        bad("f(x]", 3, "expected `)`");
        bad("x > 0; return true", 5, "without `;`");
        bad("x > 0 /* and", 6, "comment does not end");
        bad("s == \"a", 5, "does not end");
        bad("x > 0 \\u0029", 6, "character itself");
        bad("s == \"\\u0022\"", 6, "character itself");
        bad("\"\"\"\n a\"\"\" == s", 0, "text block");
        bad("new Object() { int f() { return 1; } }.f() == x", 0, "no classes");
        bad("f(() -> { class B { } return 1; })", 10, "no classes");
    }
}
