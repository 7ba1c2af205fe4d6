//! Fills the holes of templates.
//!
//! A file of templates has sections: a line `//# name` starts one. A template is code with holes `@{…}` between balanced braces. Holes may be nested:
//!
//! | hole | replacement |
//! | --- | --- |
//! | `@{int}` | an expression without variables, of this or any other type of random code |
//! | `@{int with int a, long b}` | an expression that may read `a` and `b` |
//! | `@{lit int}` | a constant of the type |
//! | `@{in 2 9}` | a decimal number from 2 to 9 |
//! | `@{one A ;; B ;; C}` | one of the texts |
//! | `@{some A ;; B ;; C}` | some of the texts in any order |
//! | `@{each A ;; B ;; C}` | all of the texts in any order |
//! | `@{maybe A}` | the text or nothing |

use crate::rng::Rng;

/// What makes the random code in holes.
pub(crate) trait Fill {
    fn rng(&mut self) -> &mut Rng;

    /// A constant of the type with this name.
    fn constant(&mut self, ty: &str) -> String;

    /// An expression of a type that may read only these variables, which are pairs of a type and a name.
    fn expression_with(&mut self, ty: &str, variables: &[(&str, &str)]) -> String;
}

/// The sections of a file, with their names.
pub(crate) fn sections(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.split("//# ").skip(1).map(|section| {
        let (name, body) = section.split_once('\n').unwrap_or((section, ""));
        (name.trim(), body)
    })
}

/// Fills all holes of a template. Panics on a malformed template, since the templates are part of this crate.
pub(crate) fn fill(template: &str, code: &mut impl Fill) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(start) = rest.find("@{") {
        text += &rest[..start];
        let inside = &rest[start + 2..];
        let end = closing(inside).unwrap_or_else(|| panic!("a hole that does not end: {inside}"));
        text += &hole(inside[..end].trim(), code);
        rest = &inside[end + 1..];
    }
    text + rest
}

/// The index of the brace that closes the one before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0;
    text.bytes().position(|byte| {
        match byte {
            b'{' => open += 1,
            b'}' => open -= 1,
            _ => {}
        }
        open < 0
    })
}

/// The parts between `;;` outside of nested braces.
fn alternatives(text: &str) -> Vec<&str> {
    let (mut parts, mut open, mut start) = (Vec::new(), 0, 0);
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' => open -= 1,
            b';' if open == 0 && at >= start && bytes.get(at + 1) == Some(&b';') => {
                parts.push(text[start..at].trim());
                start = at + 2;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

fn hole(text: &str, code: &mut impl Fill) -> String {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    match word {
        "one" => {
            let parts = alternatives(rest);
            let part = *code.rng().pick::<&str>(&parts);
            fill(part, code)
        }
        "some" | "each" => {
            let mut parts = alternatives(rest);
            code.rng().shuffle(&mut parts);
            if word == "some" {
                let count = 1 + parts.len() / 4 + code.rng().below(parts.len().div_ceil(2));
                parts.truncate(count);
            }
            parts.iter().map(|part| fill(part, code)).collect::<Vec<_>>().join("\n")
        }
        "maybe" => {
            if code.rng().chance(50) {
                fill(rest, code)
            } else {
                String::new()
            }
        }
        "in" => {
            let (low, high) = rest.split_once(' ').expect("two bounds");
            let bound = |text: &str| text.trim().parse().expect("a bound is a number");
            code.rng().within(bound(low), bound(high)).to_string()
        }
        "lit" => code.constant(rest.trim()),
        _ => {
            let variables = rest.trim().strip_prefix("with").unwrap_or_default();
            let variables = variables.split(',').map(str::trim).filter(|variable| !variable.is_empty());
            let variables: Vec<_> =
                variables.map(|variable| variable.split_once(' ').expect("a type and a name")).collect();
            code.expression_with(word, &variables)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::java::code::{Code, Java};
    use crate::java::topics::Topics;

    #[track_caller]
    fn check(template: &str, expected: &[&str]) {
        for seed in 0..20 {
            let language = Java { topics: Topics::ALL, helpers: None };
            let text = fill(template, &mut Code::new(Rng::new(seed), language));
            assert!(expected.contains(&text.as_str()), "{template} became {text}");
        }
    }

    #[test]
    fn holes_are_filled() {
        check("a @{one b ;; c} d", &["a b d", "a c d"]);
        check("@{one {;;} ;; @{in 3 4}}", &["{;;}", "3", "4"]);
        check("@{each a; ;; b;}", &["a;\nb;", "b;\na;"]);
        check("@{maybe x}", &["", "x"]);
        check("@{lit boolean}", &["true", "false"]);
    }
}
