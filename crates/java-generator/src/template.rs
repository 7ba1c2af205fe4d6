//! Fills the holes of Java templates.
//!
//! A template is Java with holes `@{…}` between balanced braces. Holes may be nested:
//!
//! | hole | replacement |
//! | --- | --- |
//! | `@{int}` | an expression without variables, of this or any other primitive type, wrapper or `String` |
//! | `@{int with int a, long b}` | an expression that may read `a` and `b` |
//! | `@{lit int}` | a constant of the type |
//! | `@{in 2 9}` | a decimal number from 2 to 9 |
//! | `@{one A ;; B ;; C}` | one of the texts |
//! | `@{some A ;; B ;; C}` | some of the texts in any order |
//! | `@{each A ;; B ;; C}` | all of the texts in any order |
//! | `@{maybe A}` | the text or nothing |

use crate::code::{Code, Ty};

/// Fills all holes of a template. Panics on a malformed template, since the templates are part of this crate.
pub(crate) fn fill(template: &str, code: &mut Code) -> String {
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

fn hole(text: &str, code: &mut Code) -> String {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    match word {
        "one" => {
            let parts = alternatives(rest);
            let part = *code.rng.pick::<&str>(&parts);
            fill(part, code)
        }
        "some" | "each" => {
            let mut parts = alternatives(rest);
            code.rng.shuffle(&mut parts);
            if word == "some" {
                let count = 1 + parts.len() / 4 + code.rng.below(parts.len().div_ceil(2));
                parts.truncate(count);
            }
            parts.iter().map(|part| fill(part, code)).collect::<Vec<_>>().join("\n")
        }
        "maybe" => {
            if code.rng.chance(50) {
                fill(rest, code)
            } else {
                String::new()
            }
        }
        "in" => {
            let (low, high) = rest.split_once(' ').expect("two bounds");
            let bound = |text: &str| text.trim().parse().expect("a bound is a number");
            code.rng.within(bound(low), bound(high)).to_string()
        }
        "lit" => match ty(rest) {
            Ty::Prim(prim) => code.literal(prim),
            Ty::Text => code.text_literal(),
            other => code.expression(other, 0),
        },
        _ => {
            let variables = rest.trim().strip_prefix("with").unwrap_or_default();
            let outer = (std::mem::take(&mut code.vars), std::mem::take(&mut code.methods), code.effects);
            code.effects = false;
            for variable in variables.split(',').map(str::trim).filter(|variable| !variable.is_empty()) {
                let (ty_name, name) = variable.split_once(' ').expect("a type and a name");
                code.declare(name, ty(ty_name), false, false);
            }
            let text = code.expression(ty(word), 2);
            (code.vars, code.methods, code.effects) = outer;
            text
        }
    }
}

fn ty(name: &str) -> Ty {
    Ty::parse(name.trim()).unwrap_or_else(|| panic!("no type is called {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{rng::Rng, topics::Topics};

    #[track_caller]
    fn check(template: &str, expected: &[&str]) {
        for seed in 0..20 {
            let text = fill(template, &mut Code::new(Rng::new(seed), Topics::ALL));
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
