//! What Java programs print, in the concrete interpreter and in the real virtual machine.

mod library;
mod machine;

use aback_lang_java::classpath::{ClassPath, Options};
use aback_lang_java::load;
use aback_witness::{InputValue, Inputs, Limits, Observer, Outcome, State, run};
use std::process::Command;

#[derive(Default)]
struct Printed(String);

impl Observer for Printed {
    fn end(&mut self, state: &State, _: &Outcome) {
        self.0 = state.output();
    }
}

/// Runs statements, in a class that may have members, here and there.
fn check_with(members: &str, statements: &str) {
    let source = format!(
        "import java.util.*;\nimport java.util.function.*;\nimport java.util.concurrent.*;\n\
         import java.util.concurrent.atomic.*;\nimport java.util.stream.*;\n\
         public class Main {{\n{members}\npublic static void main(String[] args) throws Throwable {{\n{statements}\n}}\n}}\n"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("Main.java");
    std::fs::write(&file, &source).expect("a file");
    let compiled = Command::new("javac").arg("-g").arg("-d").arg(folder.path()).arg(&file).output().expect("javac");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let real = Command::new("java").arg("-ea").arg("-cp").arg(folder.path()).arg("Main").output().expect("java");
    std::fs::remove_file(&file).expect("the file");

    let program = load(ClassPath::open(&[folder.path().to_path_buf()], &Options::default()).expect("a class path"));
    let main = program.methods_named(program.class_named("Main").expect("Main"), "main")[0];
    let inputs = Inputs { args: vec![InputValue::Null], ..Inputs::default() };
    let mut printed = Printed::default();
    let limits = Limits { max_steps: u64::MAX, ..Limits::default() };
    let outcome = run(&program, main, &inputs, limits, &mut printed).expect("inputs that fit");
    // `System.exit` ends a run as a false assumption does.
    let is_quiet = matches!(outcome, Outcome::Returned(_) | Outcome::AssumptionFailed(_));
    let is_thrown = is_quiet != real.status.success();
    let expected = String::from_utf8_lossy(&real.stdout);
    let place = match &outcome {
        Outcome::Unsupported { place, .. } => program.method_name(place.method),
        _ => String::new(),
    };
    assert!(printed.0 == expected && !is_thrown, "{outcome:?} in {place}\nprinted:\n{}java:\n{expected}", printed.0);
}

fn check(statements: &str) {
    check_with("", statements);
}
