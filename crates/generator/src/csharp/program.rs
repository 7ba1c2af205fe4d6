//! Generates programs that write what they compute.

use super::code::{CSharp, Code};
use crate::format::indent;
use crate::rng::Rng;
use crate::template::{self, sections};
use std::fmt::Write;

/// The namespaces that all programs import.
pub(super) const USINGS: &str = "using System;\nusing System.Collections;\nusing System.Collections.Generic;\n\
     using System.Diagnostics;\nusing System.Linq;\nusing System.Threading.Tasks;\n";

/// The handwritten pieces: the members of a class with a method `static void Run()`, and holes (see
/// [`crate::template`]).
const PIECES: [&str; 4] = [
    include_str!("../../csharp/pieces/classes.cs"),
    include_str!("../../csharp/pieces/values.cs"),
    include_str!("../../csharp/pieces/code.cs"),
    include_str!("../../csharp/pieces/library.cs"),
];

/// A terminating program whose method `Main` writes what it computes to `Log`, as one source. All its classes are in
/// the class with this name.
///
/// The same seed gives the same program. It compiles with C# 14, reads no input, and always writes the same.
pub fn program(seed: u64, class: &str) -> String {
    let mut code = Code::new(Rng::new(seed), CSharp::new());
    let library: Vec<(&str, &str)> = PIECES.iter().flat_map(|text| sections(text)).collect();
    let (mut classes, mut calls) = (String::new(), String::new());
    for index in 0..code.rng.within(2, 4) {
        let (title, body) = if code.rng.chance(60) {
            let (title, text) = *code.rng.pick(&library);
            (title, template::fill(text, &mut code))
        } else {
            ("random", code.piece())
        };
        writeln!(classes, "// {title}\nstatic class Piece{index} {{\n{body}\n}}").expect("strings take all text");
        writeln!(
            calls,
            "Log.Write(\"piece {index}: {title}\");\nLog.fuel = 300;\n\
             try {{\nPiece{index}.Run();\n}} catch (Exception e) {{\nLog.Report(e);\n}}"
        )
        .expect("strings take all text");
    }
    indent(&format!(
        "{USINGS}\npublic static class {class} {{\n{classes}\npublic static void Main() {{\n{calls}}}\n}}\n"
    ))
}
