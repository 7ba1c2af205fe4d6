//! The encodings of the heap in the backward engine agree about objects that the program makes, whatever is promised of objects
//! in inputs. Needs a JDK.

use crate::numbered::numbered;
use aback_backward::{Config, Encoding, Variant};
use aback_core::{CheckConfig, Effort, Engine, check};
use std::time::Duration;

const VARIANTS: [Variant; 7] = [
    Variant::DisjSet,
    Variant::DisjTerm,
    Variant::DisjCombined,
    Variant::ConjNever,
    Variant::ConjLoops,
    Variant::Mixed,
    Variant::Paths,
];

/// Checks that no variant with no encoding says anything else about the statements, with a truth value `c` and a string `s`.
/// `constructible` is about inputs that constructors make. Nothing else looks for violations.
#[track_caller]
fn check_all(members: &str, constructible: bool, questions: &[(&str, &str)]) {
    let program = numbered("boolean c, String s", questions, members);
    let mut wrong = Vec::new();
    for (index, (expected, code)) in questions.iter().enumerate() {
        for variant in VARIANTS {
            for encoding in [Encoding::Reads, Encoding::Arrays] {
                let config = CheckConfig {
                    entry: Some(format!("Main.q{index}")),
                    timeout: Some(Duration::from_secs(300)),
                    engine: Engine::Backward,
                    attack: Effort::None,
                    constructible,
                    backward: Config { variant, encoding, ..Config::default() },
                    ..CheckConfig::default()
                };
                let answer = check(&program, &config).expect("an answer");
                let said = answer.verdict.to_string();
                if said != *expected && said != "unknown" {
                    wrong.push(format!("{variant:?}, {encoding:?}: {code}: {said}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The array of a string in an input is never null, and no other object has it. A new string has none for a moment.
#[test]
fn strings_that_meet() {
    check_all(
        "static String pick(boolean c) { return c ? \"ab\" : \"\"; }",
        false,
        &[
            ("violated", "String u = \"\"; if (c) u = \"ab\"; assert u.length() != 2;"),
            ("holds within bounds", "String u = \"\"; if (c) u = \"ab\"; assert u.length() != 1;"),
            ("violated", "String u = \"x\"; if (c) u = \"ab\"; assert u.charAt(0) != 'a';"),
            ("violated", "assert pick(c).isEmpty();"),
            ("violated", "String u = \"\"; if (c) u = s; assert u == null || u.length() != 2;"),
        ],
    );
}

/// The arrays of other objects, which constructors set.
#[test]
fn fields_that_are_never_null() {
    check_all(
        "static class Cell { final int[] a; Cell next = null; Cell(int n) { a = new int[n]; } }",
        true,
        &[
            ("violated", "Cell u = new Cell(1); if (c) u = new Cell(2); assert u.a.length != 2;"),
            ("holds", "Cell u = new Cell(1); if (c) u = new Cell(2); assert u.a.length != 3;"),
        ],
    );
}

/// Arrays that the program makes may be longer than those in inputs, and have lengths that no array in an input has.
#[test]
fn arrays_that_meet() {
    check_all(
        "",
        false,
        &[
            ("violated", "int[] u = new int[1]; if (c) u = new int[2]; assert u.length != 2;"),
            ("violated", "Object[] u = new String[1]; if (c) u = new Integer[2]; assert u[0] != null;"),
        ],
    );
}
