//! Splits Java text into tokens, as far as brackets and names matter.

use std::ops::Range;

/// A token with its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub bytes: Range<usize>,
}

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    Number,
    /// A string or a character, with its quotes.
    Quoted,
    /// A text block, with its quotes.
    TextBlock,
    /// A single character of an operator or a bracket.
    Symbol(char),
}

/// A token or comment that does not end, by its first byte.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Unclosed {
    pub at: usize,
    pub what: &'static str,
}

/// The tokens of a text, and the comments between them.
pub(super) fn tokens(text: &str) -> Result<(Vec<Token>, Vec<Range<usize>>), Unclosed> {
    let (mut tokens, mut comments) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let unclosed = |what| Unclosed { at, what };
        let run = |wanted: fn(char) -> bool| rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        let (kind, length) = if first.is_whitespace() || first == '\u{feff}' {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("//") || rest.starts_with("/*") {
            let end = match rest.starts_with("//") {
                true => rest.find(['\n', '\r']).unwrap_or(rest.len()),
                false => 4 + rest[2..].find("*/").ok_or(unclosed("comment"))?,
            };
            comments.push(at..at + end);
            at += end;
            continue;
        } else if is_word_part(first) && !first.is_numeric() {
            (Kind::Word, run(is_word_part))
        } else if first.is_ascii_digit() {
            (Kind::Number, run(|c| is_word_part(c) || c == '.'))
        } else if let Some(block) = rest.strip_prefix("\"\"\"") {
            (Kind::TextBlock, 6 + closing(block, "\"\"\"", false).ok_or(unclosed("text block"))?)
        } else if first == '"' || first == '\'' {
            let quote = if first == '"' { "\"" } else { "'" };
            (Kind::Quoted, 2 + closing(&rest[1..], quote, true).ok_or(unclosed("string or character"))?)
        } else {
            (Kind::Symbol(first), first.len_utf8())
        };
        tokens.push(Token { kind, bytes: at..at + length });
        at += length;
    }
    Ok((tokens, comments))
}

/// The number of bytes before the closing quotes. A backslash takes its meaning from the next character.
fn closing(text: &str, quotes: &str, is_line: bool) -> Option<usize> {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '\n' | '\r' if is_line => return None,
            _ if text[at..].starts_with(quotes) => return Some(at),
            _ => {}
        }
    }
    None
}

fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The index of the bracket that closes the one at an index.
pub(super) fn closed_by(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            Kind::Symbol('(' | '[' | '{') => depth += 1,
            Kind::Symbol(')' | ']' | '}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
    }
    None
}

/// The index of the bracket that closes the `<` at an index.
pub(super) fn angle_closed_by(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            Kind::Symbol('<') => depth += 1,
            Kind::Symbol('>') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(index);
                }
            }
            Kind::Symbol(';' | '{' | '}') => return None,
            _ => {}
        }
    }
    None
}
