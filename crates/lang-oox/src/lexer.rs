//! Splits text into tokens.

use crate::report::Sink;
use aback_ir::{FileId, Span};

/// A place in one file, in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Loc {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// Number of characters before it in the file.
    pub start: u32,
    /// Its length.
    pub length: u32,
}

impl Loc {
    /// The place from the start of this one to the end of `last`, which is later in the same file.
    pub fn to(self, last: Loc) -> Loc {
        Loc { length: (last.start + last.length).saturating_sub(self.start), ..self }
    }

    /// The character just after it.
    pub fn behind(self) -> Loc {
        Loc { column: self.column + self.length, start: self.start + self.length, length: 1, ..self }
    }

    /// The same place in the program model.
    pub fn span(self, file: FileId) -> Span {
        Span { file, line: self.line, column: self.column, length: self.length }
    }
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    /// Its kind.
    pub kind: Tok<'a>,
    /// Its place.
    pub loc: Loc,
}

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tok<'a> {
    /// A name. `break` and `continue` are names: programs use them as variables too.
    Name(&'a str),
    /// Digits.
    Int(&'a str),
    /// The raw text between single quotes.
    Char(&'a str),
    /// The raw text between double quotes.
    Str(&'a str),
    /// A keyword, operator or bracket.
    Fixed(&'static str),
    /// The end of the file.
    End,
}

const KEYWORDS: [&str; 28] = [
    "assert",
    "assume",
    "bool",
    "catch",
    "char",
    "class",
    "else",
    "exists",
    "extends",
    "false",
    "forall",
    "if",
    "instanceof",
    "int",
    "new",
    "null",
    "return",
    "static",
    "string",
    "super",
    "this",
    "throw",
    "true",
    "try",
    "void",
    "while",
    "abstract",
    "interface",
];

/// Symbols stand before their own prefixes.
const SYMBOLS: [&str; 30] = [
    "==>", ":=", "==", "!=", "<=", ">=", "&&", "||", "(", ")", "{", "}", "[", "]", ";", ",", ".", ":", "?", "=", "<",
    ">", "+", "-", "*", "/", "%", "!", "#", "@",
];

/// Splits `text` into tokens, the last of which is [`Tok::End`]. Other text is reported and skipped.
pub(crate) fn lex<'a>(file: FileId, text: &'a str, sink: &mut Sink) -> Vec<Token<'a>> {
    let mut lexer = Lexer { text, at: 0, chars: 0, line: 1, column: 1, file, sink, tokens: Vec::new() };
    if u32::try_from(text.len()).is_err() {
        lexer.sink.error(lexer.here(0).span(file), "the file is larger than 4 GB");
    } else {
        while lexer.next_token() {}
    }
    let end = lexer.here(0);
    lexer.tokens.push(Token { kind: Tok::End, loc: end });
    lexer.tokens
}

struct Lexer<'a, 's> {
    text: &'a str,
    /// Number of bytes read.
    at: usize,
    /// Number of characters read.
    chars: u32,
    line: u32,
    column: u32,
    file: FileId,
    sink: &'s mut Sink,
    tokens: Vec<Token<'a>>,
}

impl<'a> Lexer<'a, '_> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn here(&self, length: u32) -> Loc {
        Loc { line: self.line, column: self.column, start: self.chars, length }
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        self.chars += 1;
        if c == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some(c)
    }

    /// Reads while `wanted` holds and returns the text since byte `from`.
    fn run(&mut self, from: usize, wanted: impl Fn(char) -> bool) -> &'a str {
        while self.peek().is_some_and(&wanted) {
            self.bump();
        }
        &self.text[from..self.at]
    }

    fn push(&mut self, kind: Tok<'a>, start: Loc) {
        let loc = Loc { length: self.chars - start.start, ..start };
        self.tokens.push(Token { kind, loc });
    }

    fn error(&mut self, start: Loc, message: &str) {
        let loc = Loc { length: self.chars - start.start, ..start };
        self.sink.error(loc.span(self.file), message);
    }

    /// Reads one token or a stretch of other text. Returns false at the end.
    fn next_token(&mut self) -> bool {
        let (start, from) = (self.here(0), self.at);
        let Some(c) = self.peek() else { return false };
        if is_space(c) {
            self.run(from, is_space);
        } else if self.rest().starts_with("//") {
            self.run(from, |c| c != '\n');
        } else if self.rest().starts_with("/*") {
            self.comment(start);
        } else if is_name_start(c) {
            let name = self.run(from, is_name_part);
            let kind = KEYWORDS.iter().find(|&&k| k == name).map_or(Tok::Name(name), |k| Tok::Fixed(k));
            self.push(kind, start);
        } else if c.is_ascii_digit() {
            let digits = self.run(from, is_name_part);
            if !digits.bytes().all(|b| b.is_ascii_digit()) {
                self.error(start, "a number may contain only decimal digits");
            }
            self.push(Tok::Int(digits), start);
        } else if c == '"' || c == '\'' {
            self.quoted(c, start);
        } else if let Some(&symbol) = SYMBOLS.iter().find(|s| self.rest().starts_with(**s)) {
            for _ in 0..symbol.len() {
                self.bump();
            }
            self.push(Tok::Fixed(symbol), start);
        } else {
            self.unknown(c, start);
        }
        true
    }

    fn comment(&mut self, start: Loc) {
        match self.rest().find("*/") {
            Some(length) => {
                let end = self.at + length + 2;
                while self.at < end {
                    self.bump();
                }
            }
            None => {
                let open = Loc { length: 2, ..start };
                self.sink.error(open.span(self.file), "this comment is never closed");
                while self.bump().is_some() {}
            }
        }
    }

    fn quoted(&mut self, quote: char, start: Loc) {
        self.bump();
        let from = self.at;
        loop {
            match self.peek() {
                None | Some('\n') => {
                    let text = &self.text[from..self.at];
                    self.error(start, "this literal is not closed on its line");
                    // It counts as a literal, so that one mistake causes one error.
                    self.push(if quote == '"' { Tok::Str(text) } else { Tok::Char("?") }, start);
                    return;
                }
                Some('\\') => {
                    self.bump();
                    if self.peek().is_some_and(|c| c != '\n') {
                        self.bump();
                    }
                }
                Some(c) => {
                    let text = &self.text[from..self.at];
                    self.bump();
                    if c == quote {
                        self.push(if quote == '"' { Tok::Str(text) } else { Tok::Char(text) }, start);
                        return;
                    }
                }
            }
        }
    }

    /// Reports one error for a whole stretch of characters that start no token, so that reports on binary input stay
    /// readable.
    fn unknown(&mut self, first: char, start: Loc) {
        let from = self.at;
        let stretch = self.run(from, |c| {
            !is_space(c) && !is_name_part(c) && c != '"' && c != '\'' && !SYMBOLS.iter().any(|s| s.starts_with(c))
        });
        if stretch.is_empty() {
            self.bump();
        }
        let message = match first {
            '&' => "`&` is not an operator: `&&` is the conjunction".to_owned(),
            '|' => "`|` is not an operator: `||` is the disjunction".to_owned(),
            _ => format!("unexpected character {:?}", first),
        };
        self.error(start, &message);
    }
}

fn is_space(c: char) -> bool {
    // A byte order mark counts as white space: some editors write one.
    c.is_whitespace() || c == '\u{feff}'
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The UTF-16 code units that the raw text of a character or string literal denotes.
///
/// # Errors
/// An escape sequence is not one of `\n \t \r \0 \\ \' \"` and `\uXXXX`; the error is a message.
pub(crate) fn unescape(raw: &str) -> Result<Vec<u16>, String> {
    let mut units = Vec::with_capacity(raw.len());
    let mut chars = raw.chars();
    let mut buffer = [0; 2];
    while let Some(c) = chars.next() {
        if c != '\\' {
            units.extend_from_slice(c.encode_utf16(&mut buffer));
            continue;
        }
        units.push(match chars.next() {
            Some('n') => 0x0a,
            Some('t') => 0x09,
            Some('r') => 0x0d,
            Some('0') => 0,
            Some('\\') => 0x5c,
            Some('\'') => 0x27,
            Some('"') => 0x22,
            Some('u') => {
                let digits: Option<Vec<u32>> = (0..4).map(|_| chars.next().and_then(|c| c.to_digit(16))).collect();
                let digits = digits.ok_or("`\\u` takes four hexadecimal digits")?;
                digits.iter().fold(0, |unit, &digit| unit << 4 | digit as u16)
            }
            _ => return Err("unknown escape sequence; there are \\n \\t \\r \\0 \\\\ \\' \\\" and \\uXXXX".into()),
        });
    }
    Ok(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexed(text: &str) -> String {
        let mut sink = Sink::default();
        let tokens = lex(FileId(0), text, &mut sink);
        let mut shown: Vec<String> =
            tokens.iter().map(|t| format!("{}:{}+{} {:?}", t.loc.line, t.loc.column, t.loc.length, t.kind)).collect();
        shown.extend(sink.finish().iter().map(|d| format!("{} {}", d.span, d.message)));
        shown.join("\n")
    }

    #[test]
    fn places_count_characters() {
        assert_eq!(
            lexed("é := \"ä\\\"b\";\n// x\n\t/* y\n */ 12==>'\\n'"),
            "1:1+1 Name(\"é\")\n1:3+2 Fixed(\":=\")\n1:6+6 Str(\"ä\\\\\\\"b\")\n1:12+1 Fixed(\";\")\n\
             4:5+2 Int(\"12\")\n4:7+3 Fixed(\"==>\")\n4:10+4 Char(\"\\\\n\")\n4:14+0 End"
        );
    }

    #[test]
    fn what_is_no_token_is_reported_and_skipped() {
        assert_eq!(
            lexed("a \u{1}\u{2}& 1x \"b\nc /*"),
            "1:1+1 Name(\"a\")\n1:7+2 Int(\"1x\")\n1:10+2 Str(\"b\")\n2:1+1 Name(\"c\")\n2:5+0 End\n\
             1:3 unexpected character '\\u{1}'\n1:5 `&` is not an operator: `&&` is the conjunction\n\
             1:7 a number may contain only decimal digits\n\
             1:10 this literal is not closed on its line\n2:3 this comment is never closed"
        );
    }

    #[test]
    fn escapes() {
        assert_eq!(unescape("a\\n\\u0041😀"), Ok(vec![97, 10, 65, 0xd83d, 0xde00]));
        assert!(unescape("\\q").is_err() && unescape("\\u12").is_err() && unescape("\\").is_err());
    }
}
