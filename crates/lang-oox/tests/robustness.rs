//! Tests that no input makes the front end panic or hang: mutated programs, deep nesting, long programs.

mod common;

use aback_lang_oox::load;
use common::{has_errors, load_one, shown, verify};
use std::fmt::Write;

const EXAMPLES: [&str; 3] =
    [include_str!("programs/bank.oox"), include_str!("programs/shapes.oox"), include_str!("programs/numbers.oox")];

/// A small pseudorandom number generator (xorshift), so that failures are reproducible.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// Splits the text into words, numbers, spaces and single symbols.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let class = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            1
        } else if c.is_whitespace() {
            2
        } else {
            3
        }
    };
    for c in text.chars() {
        match pieces.last_mut() {
            Some(last) if class(c) < 3 && last.chars().last().map(class) == Some(class(c)) => last.push(c),
            _ => pieces.push(c.into()),
        }
    }
    pieces
}

fn mutate(text: &str, random: &mut Random) -> String {
    let mut parts = pieces(text);
    for _ in 0..=random.below(4) {
        let (at, other) = (random.below(parts.len()), random.below(parts.len()));
        match random.below(8) {
            0 => drop(parts.remove(at)),
            1 => parts.insert(at, parts[other].clone()),
            2 => parts.swap(at, other),
            3 => parts[at] = parts[other].clone(),
            4 => parts.truncate(at),
            5 => {
                let end = (at + random.below(40)).min(parts.len());
                let copied = parts[at..end].to_vec();
                parts.splice(other..other, copied);
            }
            6 => {
                let mut bytes = parts.concat().into_bytes();
                for _ in 0..=random.below(8) {
                    let at = random.below(bytes.len());
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte ^= 1 << random.below(8);
                    }
                }
                parts = pieces(&String::from_utf8_lossy(&bytes));
            }
            _ => {
                parts[at] = ["null", "0", "x", "{", "}", "(", ")", ";", "==>", "#", "int", "-"][random.below(12)].into()
            }
        }
        if parts.is_empty() {
            break;
        }
    }
    parts.concat()
}

/// `ABACK_FUZZ=1000000` runs more cases.
#[test]
fn mutated_programs() {
    let cases = std::env::var("ABACK_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut loaded = 0;
    for case in 0..cases {
        let source = mutate(EXAMPLES[case % EXAMPLES.len()], &mut random);
        let result = std::panic::catch_unwind(|| {
            let loaded = load_one(&source);
            let good = !has_errors(&loaded.diagnostics);
            if good {
                verify(&loaded.program);
            }
            good
        });
        match result {
            Ok(good) => loaded += usize::from(good),
            Err(_) => panic!("case {case} panics:\n{source}"),
        }
    }
    assert!(loaded > 0, "some mutations are harmless");
}

#[test]
fn truncated_programs() {
    for source in EXAMPLES {
        for end in (0..source.len()).step_by(7).filter(|&end| source.is_char_boundary(end)) {
            load_one(&source[..end]);
        }
    }
}

/// The diagnostics of a method with this body.
fn method(body: &str) -> String {
    let loaded =
        load_one(&format!("class M {{ M m; int i; static int f(int a, bool b, M m) {{\n{body}\nreturn a; }} }}"));
    if !has_errors(&loaded.diagnostics) {
        verify(&loaded.program);
    }
    shown(&loaded.diagnostics)
}

#[test]
fn deep_nesting_is_an_error() {
    const N: usize = 100_000;
    for (open, close) in [
        ("a := ", "("),
        ("a := ", "-"),
        ("a := ", "- (b ==> "),
        ("b := ", "!"),
        ("b := ", "b ==> "),
        ("a := ", "b ? a : "),
        ("a := ", "f("),
        ("a := ", "(M) ("),
        ("b := forall ", "#"),
        ("b := ", "forall x, i, v : "),
        ("a := m", ".m"),
        ("a := ", "m["),
        ("", "{"),
        ("", "if (b) "),
        ("", "while (b) {"),
        ("", "try "),
        ("int", "[]"),
    ] {
        let messages = method(&format!("{open}{}", close.repeat(N)));
        assert!(
            messages.contains("nested more than 256") || messages.contains("255 dimensions"),
            "{close}: {messages}"
        );
        assert!(messages.lines().count() <= 2, "{close}: {messages}");
    }
}

#[test]
fn nesting_up_to_the_limit_is_fine() {
    for (open, inner, close) in [("a := (", "a", ")"), ("{", "", "}"), ("if (b) {", "", "}"), ("while (b) {", "", "}")]
    {
        let n = 250;
        let (first, rest) = open.split_at(if open.starts_with("a") { 5 } else { 0 });
        let body = format!("{first}{}{inner}{};", rest.repeat(n), close.repeat(n));
        assert_eq!(method(&body), "", "{open}");
    }
    // The highest trees: each level uses the most forms.
    let mut expr = "b".to_owned();
    for _ in 0..35 {
        expr = format!("!(b || b && m.i == 0 + 1 * f(a, {expr}, m))");
    }
    assert_eq!(method(&format!("b := {expr};")), "");
    let mut expr = "m".to_owned();
    for _ in 0..25 {
        expr = format!("({expr}.m.m.m.m)");
    }
    assert_eq!(method(&format!("m := {expr};")), "");
}

#[test]
fn long_chains_load() {
    const N: usize = 100_000;
    for (start, part) in [
        ("a := a", " + a"),
        ("a := a", " / a"),
        ("b := b", " && b"),
        ("b := b", " || m.i > 0"),
        ("b := b", " == b"),
        ("assert b", " && m.i > 0 && b"),
    ] {
        assert_eq!(method(&format!("{start}{};", part.repeat(N))), "", "{part}");
    }
    assert_eq!(method(&format!("if (b) a := 1; {}", "else if (b) a := 2;".repeat(N))), "");
    assert_eq!(method(&format!("while (b{}) {{}}", " && m.i > 0 || b".repeat(N))), "");
}

#[test]
fn binary_input() {
    let mut random = Random(42);
    for _ in 0..50 {
        let bytes: Vec<u8> = (0..2000).map(|_| random.below(256) as u8).collect();
        let loaded = load_one(&String::from_utf8_lossy(&bytes));
        assert!(has_errors(&loaded.diagnostics));
        assert!(loaded.diagnostics.len() <= 51);
    }
}

#[test]
fn errors_are_capped() {
    let messages = method(&"a := c;".repeat(1000));
    assert_eq!(messages.lines().count(), 51, "{messages}");
    assert!(messages.ends_with("too many errors: the rest is not shown"));
    let messages = method(&"a := ;".repeat(1000));
    assert_eq!(messages.lines().count(), 51);
}

/// A generated program of 200,000 lines. The test has no time limit, but a quadratic step would be noticeable.
#[test]
fn two_hundred_thousand_lines() {
    let mut source = String::new();
    for class in 0..400 {
        let _ = writeln!(source, "class C{class} {{\n  - int x;\n  - C{class} next;");
        for method in 0..25 {
            let _ = writeln!(source, "  int m{method}(int n, C{class} o)\n  requires(o != null)\n  {{");
            for line in 0..15 {
                let _ = writeln!(source, "    int v{line} := n * {line} + this.x;");
            }
            let _ = writeln!(source, "    return o.m{method}(v1, o.next);\n  }}");
        }
        source.push_str("}\n");
    }
    assert!(source.lines().count() > 200_000);
    let loaded = load(vec![("Long.oox".into(), source)]);
    assert_eq!(shown(&loaded.diagnostics), "");
    // One class with all the fields and methods.
    let mut source = String::from("class C {\n");
    for i in 0..20_000 {
        let _ =
            writeln!(source, "int f{i};\nint m{i}() {{\nthis.f{i} := {i};\nint v := this.m{}();\nreturn v; }}", i / 2);
    }
    source.push('}');
    assert_eq!(shown(&load_one(&source).diagnostics), "");
}
