//! Finds the declarations of models in their sources. Class files have the lines of code only.

use aback_ir::{ClassId, MethodId, Program, Span};

/// The place of a class, for messages: the line that declares it, if its source is there.
pub(super) fn of_class(program: &Program, class: ClassId) -> Span {
    let span = program.class(class).span;
    let simple = program.class_name(class).rsplit(['.', '$']).next().unwrap_or_default();
    let words = ["class", "interface", "enum", "record"].map(|word| format!("{word} {simple}"));
    let is_it = |line: &str| words.iter().any(|word| has_word(line, word));
    at(program, span, |lines| lines.iter().position(|line| is_it(line)))
}

/// The place of a method, for messages: the line that declares it, which is the last one before its code with its name.
pub(super) fn of_method(program: &Program, method: MethodId) -> Span {
    let declared = program.method(method);
    let code = declared.span.line as usize;
    let is_it = |line: &&str| {
        line.match_indices(&declared.name).any(|(at, name)| line[at + name.len()..].trim_start().starts_with('('))
    };
    at(program, declared.span, |lines| {
        let first = lines.get(..code).unwrap_or(lines);
        first.iter().rposition(is_it).or(code.checked_sub(1))
    })
}

fn at(program: &Program, span: Span, find: impl FnOnce(&[&str]) -> Option<usize>) -> Span {
    let text = program.file(span.file).and_then(|file| file.text.as_deref());
    let lines: Vec<&str> = text.unwrap_or_default().lines().collect();
    let found = find(&lines).and_then(|index| Some((index, lines.get(index)?)));
    match found {
        Some((index, line)) => {
            let column = 1 + line.chars().take_while(|c| c.is_whitespace()).count() as u32;
            Span { line: index as u32 + 1, column, length: line.trim().chars().count() as u32, ..span }
        }
        None => span,
    }
}

/// Whether a line has a text between other words.
fn has_word(line: &str, text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    line.match_indices(text)
        .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + text.len()..].starts_with(is_part))
}
