//! Splits a text into tokens.

use super::{is_name_continue, is_name_start};
use std::borrow::Cow;

/// A place in the text. Line and column count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct At {
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token<'t> {
    /// `name`, `"a name"`, `name~1`.
    Name {
        text: Cow<'t, str>,
        quoted: bool,
        tag: Option<u32>,
    },
    /// `12`, `0x1f`, `1.5e-7`, each with the letters and digits that follow immediately (`i32`).
    Number {
        digits: &'t str,
        suffix: &'t str,
    },
    /// `#3`: an expression that `let` names.
    Shared(u32),
    Punct(&'static str),
    /// The end of a line, or `;`.
    LineEnd,
    End,
}

pub(super) struct LexError {
    pub at: At,
    pub message: &'static str,
}

/// The longest punctuation that `text` starts with.
fn punctuation(text: &str) -> Option<&'static str> {
    let mut bytes = text.bytes();
    let (first, second, third) = (bytes.next()?, bytes.next(), bytes.next());
    Some(match (first, second, third) {
        (b'>', Some(b'>'), Some(b'>')) => ">>>",
        (b'>', Some(b'>'), _) => ">>",
        (b'>', Some(b'='), _) => ">=",
        (b'<', Some(b'<'), _) => "<<",
        (b'<', Some(b'='), _) => "<=",
        (b'=', Some(b'='), _) => "==",
        (b'!', Some(b'='), _) => "!=",
        (b':', Some(b'='), _) => ":=",
        (b':', Some(b':'), _) => "::",
        (b'-', Some(b'>'), _) => "->",
        (b':', ..) => ":",
        (b',', ..) => ",",
        (b'.', ..) => ".",
        (b'(', ..) => "(",
        (b')', ..) => ")",
        (b'[', ..) => "[",
        (b']', ..) => "]",
        (b'{', ..) => "{",
        (b'}', ..) => "}",
        (b'+', ..) => "+",
        (b'-', ..) => "-",
        (b'*', ..) => "*",
        (b'/', ..) => "/",
        (b'%', ..) => "%",
        (b'&', ..) => "&",
        (b'|', ..) => "|",
        (b'^', ..) => "^",
        (b'~', ..) => "~",
        (b'!', ..) => "!",
        (b'<', ..) => "<",
        (b'>', ..) => ">",
        (b'?', ..) => "?",
        (b'@', ..) => "@",
        _ => return None,
    })
}

/// All tokens of `text` with their places. The last one is [`Token::End`].
pub(super) fn lex(text: &str) -> Result<Vec<(At, Token<'_>)>, LexError> {
    let mut lexer = Lexer { rest: text, at: At { line: 1, column: 1 } };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    loop {
        lexer.skip_blanks();
        let at = lexer.at;
        let token = lexer.token()?;
        let done = token == Token::End;
        tokens.push((at, token));
        if done {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    rest: &'t str,
    at: At,
}

impl<'t> Lexer<'t> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        if c == '\n' {
            self.at = At { line: self.at.line.saturating_add(1), column: 1 };
        } else {
            self.at.column = self.at.column.saturating_add(1);
        }
        Some(c)
    }

    /// Skips a part of the current line.
    fn advance(&mut self, bytes: usize, characters: usize) {
        self.rest = &self.rest[bytes..];
        self.at.column = self.at.column.saturating_add(characters as u32);
    }

    /// Takes characters of the current line while `wanted` holds.
    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let (mut bytes, mut characters) = (0, 0);
        for c in self.rest.chars().take_while(|&c| wanted(c)) {
            bytes += c.len_utf8();
            characters += 1;
        }
        let taken = &self.rest[..bytes];
        self.advance(bytes, characters);
        taken
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take(|c| c != '\n' && c.is_whitespace());
            if !self.rest.starts_with("//") {
                return;
            }
            self.take(|c| c != '\n');
        }
    }

    fn error<T>(&self, message: &'static str) -> Result<T, LexError> {
        Err(LexError { at: self.at, message })
    }

    fn token(&mut self) -> Result<Token<'t>, LexError> {
        let Some(first) = self.peek() else {
            return Ok(Token::End);
        };
        match first {
            '\n' | ';' => {
                self.bump();
                Ok(Token::LineEnd)
            }
            '"' => {
                let text = self.quoted()?;
                let tag = self.tag()?;
                Ok(Token::Name { text, quoted: true, tag })
            }
            '0'..='9' => Ok(self.number()),
            '#' => {
                self.bump();
                let digits = self.take(|c| c.is_ascii_digit());
                match digits.parse() {
                    Ok(number) => Ok(Token::Shared(number)),
                    Err(_) => self.error("a number has to follow `#`"),
                }
            }
            _ => match self.plain_name() {
                Some(text) => {
                    let tag = self.tag()?;
                    Ok(Token::Name { text: Cow::Borrowed(text), quoted: false, tag })
                }
                None => {
                    let Some(punct) = punctuation(self.rest) else {
                        return self.error("no token starts with this character");
                    };
                    self.advance(punct.len(), punct.len());
                    Ok(Token::Punct(punct))
                }
            },
        }
    }

    /// `name`, `%name` or `<name>`.
    fn plain_name(&mut self) -> Option<&'t str> {
        let text = self.rest;
        let length = plain_name_length(text)?;
        self.advance(length, text[..length].chars().count());
        Some(&text[..length])
    }

    fn tag(&mut self) -> Result<Option<u32>, LexError> {
        let mut chars = self.rest.chars();
        if chars.next() != Some('~') || !chars.next().is_some_and(|c| c.is_ascii_digit()) {
            return Ok(None);
        }
        self.bump();
        match self.take(|c| c.is_ascii_digit()).parse() {
            Ok(tag) => Ok(Some(tag)),
            Err(_) => self.error("this number is too large"),
        }
    }

    fn number(&mut self) -> Token<'t> {
        let start = self.rest;
        if self.rest.starts_with("0x") {
            self.bump();
            self.bump();
            self.take(|c| c.is_ascii_hexdigit());
        } else {
            self.take(|c| c.is_ascii_digit());
            let mut ahead = self.rest.chars();
            if ahead.next() == Some('.') && ahead.next().is_some_and(|c| c.is_ascii_digit()) {
                self.bump();
                self.take(|c| c.is_ascii_digit());
            }
            let mut ahead = self.rest.chars();
            if matches!(ahead.next(), Some('e' | 'E')) {
                let sign = ahead.next();
                let signed = matches!(sign, Some('+' | '-'));
                let digit = if signed { ahead.next() } else { sign };
                if digit.is_some_and(|c| c.is_ascii_digit()) {
                    self.bump();
                    if signed {
                        self.bump();
                    }
                    self.take(|c| c.is_ascii_digit());
                }
            }
        }
        let digits = &start[..start.len() - self.rest.len()];
        Token::Number { digits, suffix: self.take(|c| c.is_ascii_alphanumeric()) }
    }

    fn quoted(&mut self) -> Result<Cow<'t, str>, LexError> {
        self.bump();
        let plain = self.take(|c| !matches!(c, '"' | '\\' | '\n'));
        if self.peek() == Some('"') {
            self.bump();
            return Ok(Cow::Borrowed(plain));
        }
        let mut name = plain.to_owned();
        loop {
            let at = self.at;
            match self.bump() {
                Some('"') => return Ok(Cow::Owned(name)),
                Some('\\') => match self.escape() {
                    Some(c) => name.push(c),
                    None => return Err(LexError { at, message: "unknown escape" }),
                },
                Some('\n') | None => return Err(LexError { at, message: "the closing quote is missing" }),
                Some(c) => name.push(c),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        match self.bump()? {
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            c @ ('"' | '\\') => Some(c),
            'u' if self.peek() == Some('{') => {
                self.bump();
                let code = u32::from_str_radix(self.take(|c| c.is_ascii_hexdigit()), 16).ok()?;
                let c = char::from_u32(code)?;
                (self.bump()? == '}').then_some(c)
            }
            _ => None,
        }
    }
}

/// Length in bytes of the unquoted name at the start of `text`.
pub(super) fn plain_name_length(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let prefix = match first {
        '%' | '<' => 1,
        c if is_name_start(c) => 0,
        _ => return None,
    };
    let name = &text[prefix..];
    let starts = if first == '%' { is_name_continue } else { is_name_start };
    if !name.chars().next().is_some_and(starts) {
        return None;
    }
    let end = prefix + name.find(|c| !is_name_continue(c)).unwrap_or(name.len());
    match first {
        '<' => text[end..].starts_with('>').then_some(end + 1),
        _ => Some(end),
    }
}
