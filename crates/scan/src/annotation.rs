//! Finds the annotations of Java and the attributes of C# by which programmers suppress findings in a whole declaration.
//!
//! Both are in the sources only: `@SuppressWarnings` is not in class files, and `[SuppressMessage]` is left out of assemblies unless
//! `CODE_ANALYSIS` is defined. No parser is needed: an annotation is about the declaration that follows, which ends where its
//! braces do, or by a semicolon.

use crate::tokens::{Language, Token, tokens};
use std::ops::{Range, RangeInclusive};

/// What a tool may write where the reason belongs, until a programmer gives one.
const NO_REASON: &str = "<Pending>";

/// An annotation for aback.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Annotation {
    /// The lines of the annotation and of the declaration that has it.
    pub(crate) lines: RangeInclusive<u32>,
    /// The rule that is suppressed, by its name in SARIF; `None` for all.
    pub(crate) rule: Option<String>,
    pub(crate) reason: Option<String>,
}

type Line<'a> = (Token<'a>, u32);

/// The annotations for aback in a source file, in the order of their declarations: `@SuppressWarnings("aback: REASON")` and
/// `[SuppressMessage("aback", "RULE", Justification = "REASON")]`.
pub(crate) fn annotations(file: &str, text: &str) -> Vec<Annotation> {
    let Some(language) = Language::of(file) else { return Vec::new() };
    if !text.contains("aback") {
        return Vec::new();
    }
    let tokens = tokens(language, text);
    let find = match language {
        Language::Java => of_java,
        Language::CSharp => of_csharp,
    };
    (0..tokens.len()).filter_map(|at| find(&tokens, at)).collect()
}

/// The annotation of Java whose name is at an index.
fn of_java(tokens: &[Line], name: usize) -> Option<Annotation> {
    if !tokens[name].0.is_word("SuppressWarnings") {
        return None;
    }
    let mut start = name.checked_sub(1)?;
    // `java.lang.`
    while tokens[start].0.is('.') {
        start = start.checked_sub(2)?;
    }
    let inside = content(tokens, name + 1)?;
    let mark = tokens[inside.clone()].iter().find_map(|(token, _)| match token {
        Token::Text(text) => text.strip_prefix("aback").filter(|rest| rest.is_empty() || rest.starts_with(':')),
        _ => None,
    })?;
    let reason = reason_in(mark.trim_start_matches(':'));
    let end = end_of_declaration(tokens, inside.end + 1)?;
    tokens[start].0.is('@').then(|| Annotation { lines: tokens[start].1..=tokens[end].1, rule: None, reason })
}

/// The attribute of C# whose name is at an index.
fn of_csharp(tokens: &[Line], name: usize) -> Option<Annotation> {
    if !["SuppressMessage", "SuppressMessageAttribute"].iter().any(|known| tokens[name].0.is_word(known)) {
        return None;
    }
    let inside = content(tokens, name + 1)?;
    let (mut positional, mut justification) = (Vec::new(), None);
    for at in inside.clone() {
        let Token::Text(text) = &tokens[at].0 else { continue };
        match &tokens[at - 1].0 {
            Token::Sign('=') if tokens[at - 2].0.is_word("Justification") => justification = reason_in(text),
            Token::Sign('=') => {}
            _ => positional.push(text.as_str()),
        }
    }
    let rule = match positional[..] {
        ["aback"] => None,
        // `ID:Name`
        ["aback", rule, ..] => rule.split(':').next().map(str::trim).filter(|rule| !matches!(*rule, "" | "*")),
        _ => return None,
    };
    let start = square_bracket_around(tokens, name)?;
    let section = content(tokens, start)?;
    let is_global = ["assembly", "module"].iter().any(|target| tokens[section.start].0.is_word(target));
    if is_global && tokens[section.start + 1].0.is(':') {
        return None;
    }
    let end = end_of_declaration(tokens, section.end + 1)?;
    Some(Annotation { lines: tokens[start].1..=tokens[end].1, rule: rule.map(str::to_owned), reason: justification })
}

/// A reason in one line, if it is one.
pub(crate) fn reason_in(text: &str) -> Option<String> {
    let reason = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!reason.is_empty() && reason != NO_REASON).then_some(reason)
}

/// The tokens between the bracket at an index and the one that ends it; `None` if there is no bracket, or no end.
fn content(tokens: &[Line], open: usize) -> Option<Range<usize>> {
    let mut depth = 0_u32;
    for (at, (token, _)) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (at > open).then(|| open + 1..at);
        }
    }
    None
}

/// The index of the bracket around a token, if it is a square one.
fn square_bracket_around(tokens: &[Line], inside: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for at in (0..inside).rev() {
        match tokens[at].0 {
            Token::Sign(')' | ']' | '}') => depth += 1,
            Token::Sign(open @ ('(' | '[' | '{')) if depth == 0 => return (open == '[').then_some(at),
            Token::Sign('(' | '[' | '{') => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The index of the last token of the declaration that starts at an index, further annotations included. If the braces do not
/// match, nothing is known about it.
fn end_of_declaration(tokens: &[Line], start: usize) -> Option<usize> {
    let (mut has_value, mut has_list) = (false, false);
    let mut at = start;
    loop {
        match &tokens.get(at)?.0 {
            Token::Sign('{') if !has_value => {
                let end = content(tokens, at)?.end;
                // A property of C# may have its first value behind its accessors.
                match tokens.get(end + 1) {
                    Some((Token::Sign('='), _)) => at = end,
                    _ => return Some(end),
                }
            }
            Token::Sign('(' | '[' | '{') => at = content(tokens, at)?.end,
            // The declaration of a parameter ends with the parameters.
            Token::Sign(')' | ']' | '}') => return at.checked_sub(1),
            Token::Sign(';') => return Some(at),
            // Constants of enums, parameters and variables are separated by commas, which are also between types.
            Token::Sign(',') if !has_value && !has_list => return at.checked_sub(1),
            Token::Sign('=') if !is_of_operator(tokens, at) => has_value = true,
            Token::Sign('<' | ':') | Token::Word("extends" | "implements" | "permits" | "throws" | "where") => {
                has_list = true;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Whether an equals sign is part of the name of an operator of C#, such as `==` and `<=`.
fn is_of_operator(tokens: &[Line], at: usize) -> bool {
    tokens[at.saturating_sub(2)..at].iter().any(|(token, _)| token.is_word("operator"))
}

#[cfg(test)]
mod tests {
    use super::annotations;

    /// The lines, the rule and the reason of the only annotation for aback.
    #[track_caller]
    fn check(file: &str, text: &str, expected: &str) {
        let found = annotations(file, text).into_iter().map(|found| {
            let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".into());
            format!("{}-{} {} {}", found.lines.start(), found.lines.end(), or_none(found.rule), or_none(found.reason))
        });
        assert_eq!(found.collect::<Vec<_>>().join("\n"), expected);
    }

    #[test]
    fn java() {
        let check = |text: &str, expected: &str| check("A.java", text, expected);
        let method =
            "int f(int a, int b) throws A, B {\nif (a > 0) { return \"}\".length(); }\nreturn 0;\n}\nint g() { }";
        check(&format!("@SuppressWarnings(\"aback: callers check it\")\n{method}"), "1-5 - callers check it");
        check(&format!("@Deprecated @SuppressWarnings(\n\"aback\")\n{method}"), "1-6 - -");
        check(
            &format!("@SuppressWarnings({{\"unchecked\", \"aback: a\" +\n\" b\"}}) @X({{1}})\n{method}"),
            "1-6 - a b",
        );
        check(&format!("@java.lang.SuppressWarnings(value = \"aback:x\")\n{method}"), "1-5 - x");
        check(&format!("@SuppressWarnings(\"abacus: x\")\n{method}"), "");
        check(&format!("@SuppressFBWarnings(\"aback: x\")\n{method}"), "");
        check(&format!("// @SuppressWarnings(\"aback: x\")\n{method}"), "");
        check(
            "@SuppressWarnings(\"aback: x\")\nclass A<T, U> implements B, C {\nvoid f() { }\n}\nclass D { }",
            "1-4 - x",
        );
        check("enum E { @SuppressWarnings(\"aback: x\")\nA(1),\nB { } }", "1-2 - x");
        check("@SuppressWarnings(\"aback: x\")\nint[] a = { 1,\n f(() -> { }) },\nb;\nint c;", "1-4 - x");
        check("void f(@SuppressWarnings(\"aback: x\") int a,\nint b) {\n}", "1-1 - x");
        check("void f(@SuppressWarnings(\"aback: x\") int a) {\n}", "1-1 - x");
        // Text that is no program.
        for text in
            ["@SuppressWarnings(\"aback: x\"", "@SuppressWarnings(\"aback: x\") {", "SuppressWarnings(\"aback\")"]
        {
            check(text, "");
        }
    }

    #[test]
    fn csharp() {
        let check = |text: &str, expected: &str| check("A.cs", text, expected);
        let attribute = "SuppressMessage(\"aback\", \"exception\", Justification = \"callers check it\")";
        let known = "exception callers check it";
        let method = "int F<T>(T a, int b) where T : A, B {\nreturn $\"}{a}\".Length;\n}\nint G() { }";
        check(&format!("[{attribute}]\n{method}"), &format!("1-4 {known}"));
        check(&format!("[method: {attribute}, B]\n[C({{1}})]\n{method}"), &format!("1-5 {known}"));
        check(&format!("[System.{attribute}]\n{method}"), &format!("1-4 {known}"));
        check(&format!("[assembly: {attribute}]\n{method}"), "");
        check(
            &format!("[SuppressMessageAttribute(\"aback\", \"*\", Justification = \"<Pending>\")]\n{method}"),
            "1-4 - -",
        );
        check(&format!("[SuppressMessage(\"aback\", \"assertion:False\")]\n{method}"), "1-4 assertion -");
        check(&format!("[SuppressMessage(\"Usage\", \"aback\", Justification = \"x\")]\n{method}"), "");
        let value =
            |text: &str, last: u32| check(&format!("[{attribute}]\n{text}\nint g;"), &format!("1-{last} {known}"));
        value("int F() => a switch {\n1 => 2,\n_ => 3 };", 4);
        value("int P {\nget; set; } = 1 /\nzero;", 4);
        value("static bool operator <=(A a, A b) {\n}", 3);
        value("static bool operator ==(A a, A b) =>\nfalse;", 3);
        value("A, // {\nB", 2);
        value("class A : B, C {\n#if X\nvoid F() {\n#else\nvoid G() {\n#endif\n} }", 8);
        check(&format!("x[f({attribute})];"), "");
        check(&format!("[{attribute}"), "");
    }

    #[test]
    fn other_languages() {
        check("A.oox", "@SuppressWarnings(\"aback: x\") class A { }", "");
    }
}
