//! Splits the text of a file of invariants into tokens.

use aback_ir::{FileId, Span};

/// A token and its place.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A name or a word of the language; the parser knows which by its position.
    Name(String),
    /// A name in quotation marks.
    Quoted(String),
    /// A quotation mark without another one on its line.
    Unclosed,
    /// Any other character.
    Sign(char),
    End,
}

impl Kind {
    /// The token as messages show it.
    pub(crate) fn show(&self) -> String {
        match self {
            Kind::Name(name) => format!("`{name}`"),
            Kind::Quoted(name) => format!("`\"{name}\"`"),
            Kind::Unclosed => "a quotation mark that is not closed".into(),
            Kind::Sign(sign) => format!("`{}`", sign.escape_debug()),
            Kind::End => "the end of the file".into(),
        }
    }
}

pub(crate) fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

pub(crate) fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// All tokens of `text`. The last one is [`Kind::End`].
pub(crate) fn lex(file: FileId, text: &str) -> Vec<Token> {
    let (mut line, mut column) = (1u32, 1u32);
    let mut tokens = Vec::new();
    // Some editors write a mark of the encoding.
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    while let Some(c) = rest.chars().next() {
        if c == '\n' {
            (line, column) = (line.saturating_add(1), 1);
            rest = &rest[1..];
            continue;
        }
        let of_line = rest.split('\n').next().unwrap_or(rest);
        let (kind, length) = if c.is_whitespace() {
            (None, c.len_utf8())
        } else if of_line.starts_with("//") {
            (None, of_line.len())
        } else {
            let (kind, length) = token(c, of_line);
            (Some(kind), length)
        };
        let characters = rest[..length].chars().count() as u32;
        if let Some(kind) = kind {
            tokens.push(Token { kind, span: Span { file, line, column, length: characters } });
        }
        column = column.saturating_add(characters);
        rest = &rest[length..];
    }
    tokens.push(Token { kind: Kind::End, span: Span { file, line, column, length: 1 } });
    tokens
}

/// The token at the start of a line's rest, whose first character is `first`, and its length in bytes.
fn token(first: char, of_line: &str) -> (Kind, usize) {
    if is_name_start(first) {
        let length = of_line.find(|c| !is_name_part(c)).unwrap_or(of_line.len());
        return (Kind::Name(of_line[..length].to_string()), length);
    }
    if let Some(quoted) = of_line.strip_prefix('"') {
        return match quoted.find('"') {
            Some(length) => (Kind::Quoted(quoted[..length].to_string()), length + 2),
            None => (Kind::Unclosed, of_line.len()),
        };
    }
    (Kind::Sign(first), first.len_utf8())
}

/// The place from the start of one place to the end of another one, if they are in the same line.
pub(crate) fn join(from: Span, to: Span) -> Span {
    match to.line == from.line && to.column >= from.column {
        true => Span { length: to.column.saturating_sub(from.column).saturating_add(to.length), ..from },
        false => from,
    }
}
