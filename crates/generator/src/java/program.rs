//! Generates programs that print what they compute.

use crate::format::indent;
use crate::java::code::{Code, Java};
use crate::java::{library, topics::Topics};
use crate::{rng::Rng, template};
use std::fmt::Write;

/// The members of every program's main class.
const HELPERS: &str = include_str!("../../java/Helpers.java");

/// A terminating program that prints what it computes, as one compilation unit whose main class is `Main`.
///
/// The same seed gives the same program. The program compiles with Java 17, reads no input, and always prints the
/// same on a JVM with English as its language. It catches and prints its exceptions, except for one at the very end
/// of some programs.
pub fn program(seed: u64, topics: Topics) -> String {
    program_named(seed, topics, "Main")
}

/// [`program`] with another name for the main class. The names of all other classes start with this name, so that
/// programs with different names can be compiled together.
pub fn program_named(seed: u64, topics: Topics, class: &str) -> String {
    let mut code = Code::new(Rng::new(seed), Java { topics, helpers: Some(class.into()) });
    let library = library::pieces(topics);
    let (mut inner, mut outer, mut calls) = (String::new(), String::new(), String::new());
    for index in 0..code.rng.within(2, 5) {
        let nested = code.rng.chance(60);
        let (name, modifiers) = match nested {
            true => (format!("Piece{index}"), "static "),
            false => (format!("{class}_Piece{index}"), ""),
        };
        let by_hand = !library.is_empty() && code.rng.chance(60);
        let (title, body) = if by_hand {
            let (title, template) = code.rng.pick(&library).clone();
            let body = template::fill(template, &mut code);
            (title, body.replace("Main.", &format!("{class}.")).replace("@PIECE", &name))
        } else {
            ("random".into(), code.piece())
        };
        let text = if nested { &mut inner } else { &mut outer };
        writeln!(text, "// {title}\n{modifiers}class {name} {{\n{body}\n}}").expect("strings take all text");
        writeln!(
            calls,
            "System.out.println(\"piece {index}\");\nfuel = 500;\n\
             try {{\n{name}.run();\n}} catch (RuntimeException | OutOfFuel | ExceptionInInitializerError e) {{\nreport(e);\n}}"
        )
        .expect("strings take all text");
    }
    if topics.exceptions && code.rng.chance(4) {
        calls += "throw new IllegalStateException(\"the end\");\n";
    }
    indent(&format!(
        "public class {class} {{\n{HELPERS}\n{inner}\npublic static void main(String[] args) {{\n{calls}}}\n}}\n{outer}"
    ))
}
