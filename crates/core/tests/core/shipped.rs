//! The invariants that ship with aback: those of the JDK's classes hold of the objects of a real JVM, in every state that random
//! operations reach, and exclude corrupted ones; those of other structures can be read.

pub mod heaps;

use aback_core::{InvariantFile, LoadConfig, SHIPPED, Session};
use aback_ir::Type;
use heaps::parse;
use std::process::Command;

/// Prints heaps of each class: after random operations (`good`), and after one reference was changed (`bad`).
const DUMP: &str = include_str!("shipped/Dump.java");
/// A program that uses the classes.
const SHAPES: &str = include_str!("shipped/Shapes.java");
/// Classes for each template, below a comment with its name.
const TEMPLATES: &str = include_str!("shipped/templates.txt");

fn session(name: &str, source: &str) -> Session {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, source).unwrap();
    Session::open(&[file], &LoadConfig::default()).unwrap()
}

#[test]
fn objects_of_the_jdk() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Dump.java");
    std::fs::write(&file, DUMP).unwrap();
    let ran =
        Command::new("java").args(["--add-opens", "java.base/java.util=ALL-UNNAMED"]).arg(&file).output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let session = session("Shapes.java", SHAPES);
    let program = session.program();
    let class = |name: &str| Type::Class(program.class_named(name).unwrap_or_else(|| panic!("no class {name}")));
    let seen = heaps::check(&text, program, |name| match name.strip_suffix("[]") {
        Some(element) => program.array_of(class(element)),
        None => class(name),
    });
    let of_jdk = SHIPPED.iter().filter(|(name, _)| name.starts_with("java.")).map(|(name, _)| *name);
    for name in of_jdk {
        assert!(seen.get(&(name, true)).is_some_and(|&count| count >= 50), "{name}: {seen:?}");
        assert!(seen.contains_key(&(name, false)), "{name}: {seen:?}");
    }
}

/// Each can be read for a program that does no more than mention the class: the classes of its parts are not loaded then.
#[test]
fn programs_that_mention_a_class() {
    for (name, _) in SHIPPED.iter().filter(|(name, _)| name.starts_with("java.")) {
        let session = session("Main.java", &format!("public class Main {{ static void main({name} it) {{ }} }}"));
        let class = Type::Class(session.program().class_named(name).unwrap());
        parse(session.program(), name, &[("it".into(), class)]);
    }
}

/// A class of the program may have a field with the name of one of its superclass.
#[test]
fn fields_of_subclasses() {
    let source = "class Own extends java.util.TreeMap<String, String> { Own root; }
        class Other extends java.util.LinkedList<String> { Other first; }";
    let session = session("Own.java", source);
    let heaps = "heap java.util.TreeMap good\nroot\t0\n0\tOwn\tOwn.root=0\n\
                 heap java.util.LinkedList good\nroot\t0\n0\tOther\tOther.first=0\n";
    let program = session.program();
    let seen = heaps::check(heaps, program, |name| Type::Class(program.class_named(name).unwrap()));
    assert_eq!(seen.len(), 2);
}

/// Each template fits the classes that its explanation names.
#[test]
fn templates() {
    for (name, text) in SHIPPED.iter().filter(|(name, _)| !name.contains('.')) {
        let source = TEMPLATES.split("// ").find_map(|part| part.strip_prefix(&format!("{name}\n")));
        let session = session("Main.java", source.unwrap_or_else(|| panic!("no classes for {name}")));
        parse(session.program(), name, &[]);
        assert!(text.starts_with("// "), "{name} has no explanation");
    }
}

#[test]
fn unknown_names() {
    assert!(InvariantFile::shipped("list.hex").is_none());
    let error = InvariantFile::shipped("shipped:java.util.Lst").unwrap().unwrap_err();
    assert!(error.contains("java.util.LinkedList"), "{error}");
}
