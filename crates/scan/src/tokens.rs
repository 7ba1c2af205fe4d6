//! Splits sources of Java and C# into words, texts and signs, so that code is told from comments and from what texts contain.

use std::path::Path;

/// Most texts inside the holes of interpolated texts (`$"{$"{…}"}"`). Deeper ones count as part of the text around them.
const MAX_DEPTH: u32 = 16;

/// A language whose tokens are known here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Java, and what has its comments and texts.
    Java,
    /// C#.
    CSharp,
}

impl Language {
    /// The language of a source file, by the end of its name.
    pub fn of(file: &str) -> Option<Language> {
        match Path::new(file).extension()?.to_str()? {
            "java" => Some(Language::Java),
            "cs" => Some(Language::CSharp),
            _ => None,
        }
    }
}

/// A part of a source that is no comment and no white space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token<'a> {
    /// An identifier, a keyword or a number.
    Word(&'a str),
    /// The content of a string literal; of a concatenation of literals, all contents.
    Text(String),
    /// Any other character.
    Sign(char),
}

impl Token<'_> {
    /// Whether it is this sign.
    pub fn is(&self, sign: char) -> bool {
        *self == Token::Sign(sign)
    }

    /// Whether it is this word.
    pub fn is_word(&self, word: &str) -> bool {
        *self == Token::Word(word)
    }
}

/// The tokens of a source, each with its line, counted from 1.
pub fn tokens(language: Language, text: &str) -> Vec<(Token<'_>, u32)> {
    let mut lexer = Lexer { language, text, at: 0 };
    let mut found: Vec<(Token, u32)> = Vec::new();
    let (mut line, mut counted) = (1, 0);
    while let Some((start, token)) = lexer.next() {
        line += text[counted..start].matches('\n').count() as u32;
        counted = start;
        match (&token, &mut found[..]) {
            (Token::Text(more), [.., (Token::Text(text), _), (Token::Sign('+'), _)]) => {
                text.push_str(more);
                found.pop();
            }
            _ => found.push((token, line)),
        }
    }
    found
}

struct Lexer<'a> {
    language: Language,
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Goes behind a text, or to the end.
    fn skip_past(&mut self, end: &str) {
        self.at = self.rest().find(end).map_or(self.text.len(), |found| self.at + found + end.len());
    }

    fn is_start_of_line(&self) -> bool {
        let before = self.text[..self.at].trim_end_matches([' ', '\t', '\u{feff}']);
        before.is_empty() || before.ends_with('\n')
    }

    /// The next token and where it starts.
    fn next(&mut self) -> Option<(usize, Token<'a>)> {
        loop {
            let next = self.peek()?;
            if next.is_whitespace() {
                self.bump();
            } else if self.rest().starts_with("//") {
                self.skip_past("\n");
            } else if self.rest().starts_with("/*") {
                self.at += 2;
                self.skip_past("*/");
            } else if next == '#' && self.language == Language::CSharp && self.is_start_of_line() {
                self.skip_directive();
            } else {
                break;
            }
        }
        let start = self.at;
        if let Some(text) = self.string(0) {
            return Some((start, Token::Text(text)));
        }
        let next = self.bump()?;
        if next == '\'' {
            self.skip_character();
            return Some((start, Token::Text(String::new())));
        }
        if !is_of_word(next) {
            return Some((start, Token::Sign(next)));
        }
        let length = self.rest().find(|c| !is_of_word(c)).unwrap_or(self.rest().len());
        self.at += length;
        Some((start, Token::Word(&self.text[start..self.at])))
    }

    /// Skips the rest of a character literal.
    fn skip_character(&mut self) {
        while let Some(next) = self.bump() {
            match next {
                '\\' => _ = self.bump(),
                '\'' | '\n' => return,
                _ => {}
            }
        }
    }

    /// Skips a directive of the preprocessor, and all branches of an `#if` but the first: each branch has braces that match
    /// together with the code around it, but two of them together need not.
    fn skip_directive(&mut self) {
        let mut open = 0;
        loop {
            let line = self.rest().split('\n').next().unwrap_or_default();
            let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
            let is = |name: &str| directive.is_some_and(|directive| directive.starts_with(name));
            if is("if") && open > 0 {
                open += 1;
            } else if is("endif") && open > 0 {
                open -= 1;
            } else if is("el") && open == 0 {
                open = 1;
            }
            self.at += line.len();
            if self.bump().is_none() || open == 0 {
                return;
            }
        }
    }

    /// The content of a string literal, if one starts here.
    fn string(&mut self, depth: u32) -> Option<String> {
        let rest = self.rest();
        let prefix = match self.language {
            Language::Java => "",
            Language::CSharp => &rest[..rest.find(|c| c != '$' && c != '@').unwrap_or(rest.len())],
        };
        let quotes = rest[prefix.len()..].chars().take_while(|&c| c == '"').count();
        let is_verbatim = prefix.contains('@');
        if quotes == 0 {
            return None;
        }
        self.at += prefix.len();
        if quotes >= 3 && !is_verbatim {
            let is_java = self.language == Language::Java;
            return Some(self.block(if is_java { 3 } else { quotes }));
        }
        self.at += 1;
        let is_interpolated = prefix.contains('$') && depth < MAX_DEPTH;
        let mut content = String::new();
        while let Some(next) = self.bump() {
            match next {
                '"' if is_verbatim && self.peek() == Some('"') => _ = self.bump(),
                '"' => break,
                '\n' if !is_verbatim => break,
                '\\' if !is_verbatim => {
                    let escaped = self.bump();
                    content.extend(escaped.filter(|c| !matches!(c, '"' | '\\' | '\'')).map(|_| '\\'));
                    content.extend(escaped);
                    continue;
                }
                '{' if is_interpolated && self.peek() == Some('{') => _ = self.bump(),
                '{' if is_interpolated => self.skip_hole(depth),
                _ => {}
            }
            content.push(next);
        }
        Some(content)
    }

    /// The content of a text in at least three quotes, which has line breaks and, in Java, escapes.
    fn block(&mut self, quotes: usize) -> String {
        let end = "\"".repeat(quotes);
        self.at += quotes;
        let start = self.at;
        while !self.rest().is_empty() {
            if self.rest().starts_with(&end) {
                let content = self.text[start..self.at].to_string();
                self.at += quotes;
                return content;
            }
            if self.bump() == Some('\\') && self.language == Language::Java {
                self.bump();
            }
        }
        self.text[start..].to_string()
    }

    /// Skips the code in an interpolated text, up to the brace that ends it.
    fn skip_hole(&mut self, depth: u32) {
        let mut open = 1;
        while open > 0 {
            if self.string(depth + 1).is_some() {
                continue;
            }
            match self.bump() {
                Some('{') => open += 1,
                Some('}') => open -= 1,
                Some('\'') => self.skip_character(),
                Some(_) => {}
                None => return,
            }
        }
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::{Language, Token, tokens};

    /// Texts are in quotes, and a number in front of a token is that of a new line.
    #[track_caller]
    fn check(language: Language, text: &str, expected: &str) {
        let mut last = 1;
        let shown = tokens(language, text).into_iter().map(|(token, line)| {
            let number = if line == last { String::new() } else { format!("{line}: ") };
            last = line;
            match token {
                Token::Word(word) => format!("{number}{word}"),
                Token::Text(text) => format!("{number}{text:?}"),
                Token::Sign(sign) => format!("{number}{sign}"),
            }
        });
        assert_eq!(shown.collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn java() {
        let check = |text: &str, expected: &str| check(Language::Java, text, expected);
        check("int x; // {\n/* {\n */ y", "int x ; 3: y");
        check(r#"f("a\"{", '"', '\'', "b" + "c")"#, r#"f ( "a\"{" , "" , "" , "bc" )"#);
        check("s = \"\"\"\n  \"{\" \\\"\"\" \"\"\" + x;", r#"s = "\n  \"{\" \\\"\"\" " 2: + x ;"#);
        check("\"open\nx", r#""open" 2: x"#);
        check("/* open", "");
        check("é\u{1f600}\"", "é \u{1f600} \"\"");
    }

    #[test]
    fn csharp() {
        let check = |text: &str, expected: &str| check(Language::CSharp, text, expected);
        check(r#"f(@"a\", @"b""c", $"{x["}"]}{{", $@"{'"'}\") y"#, r#"f ( "a\\" , "b\"c" , "{{" , "{\\" ) y"#);
        check(r##"x = """a"{"b"""; $$"""{{"}"}}""" y"##, r#"x = "a\"{\"b" ; "{{\"}\"}}" y"#);
        check("#if A {\n{\n#if B\n#else\n{\n#endif\n#elif C\n{\n#if D\n#endif\n{\n#else\n{\n#endif\n}", "2: { 15: }");
        check("a # b", "a # b");
        check("#if", "");
    }
}
