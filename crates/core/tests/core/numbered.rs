//! Java programs with one method for each question. Needs a JDK.

use aback_core::{LoadConfig, Session};
use aback_ir::Program;

/// A program whose class `Main` has these members, and methods `q0`, `q1`, … with these parameters, whose code is the second part
/// of each question.
pub fn numbered(parameters: &str, questions: &[(&str, &str)], members: &str) -> Program {
    let folder = tempfile::tempdir().expect("a folder");
    let methods: String = (questions.iter().enumerate())
        .map(|(index, (_, code))| format!("static void q{index}({parameters}) throws Throwable {{ {code} }}\n"))
        .collect();
    let source = format!(
        "import java.io.*; import java.lang.ref.*; import java.lang.reflect.*; import java.util.*;\n\
         class Main {{\n{members}\n{methods}}}\n"
    );
    let file = folder.path().join("Main.java");
    std::fs::write(&file, source).expect("a file");
    Session::open(&[file], &LoadConfig::default()).expect("a program").program().clone()
}
