//! The invariants that ship with aback: those of the JDK's classes hold of the objects of a real JVM, in every state that random
//! operations reach, and exclude corrupted ones; those of other structures can be read.

use aback_core::{InvariantFile, LoadConfig, SHIPPED, Session};
use aback_hex::{Heap, Invariants, ObjectNumber, Place, RootId, holds_for_every_order};
use aback_ir::{FileId, Program, Type};
use std::collections::HashMap;
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

fn parse(program: &Program, name: &str, roots: &[(String, Type)]) -> Invariants {
    let file = InvariantFile::shipped(&format!("shipped:{name}")).unwrap().unwrap();
    Invariants::parse(program, roots, FileId(0), &file.text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}

/// A heap in lines `ID CLASS NAME=TARGET…`, where a target is an id or `null` and fields are called `CLASS.FIELD`. The first
/// object is the root's.
fn heap(program: &Program, lines: &[&str]) -> Heap {
    let mut heap = Heap::default();
    let mut numbers: HashMap<&str, ObjectNumber> = HashMap::new();
    for line in lines {
        let mut words = line.split(' ');
        let (id, class) = (words.next().unwrap(), words.next().unwrap());
        let element = class.strip_suffix("[]");
        let class = Type::Class(program.class_named(element.unwrap_or(class)).unwrap());
        let exact = if element.is_some() { program.array_of(class) } else { class };
        numbers.insert(id, heap.add_object(exact));
    }
    heap.add_reference(Place::Root(RootId(0)), Some(ObjectNumber(0))).unwrap();
    for line in lines {
        let mut words = line.split(' ');
        let id = numbers[words.next().unwrap()];
        for reference in words.skip(1) {
            let (name, target) = reference.split_once('=').unwrap();
            let target = (target != "null").then(|| numbers[target]);
            let place = match name.rsplit_once('.') {
                Some((class, field)) => {
                    let class = program.class_named(class).unwrap();
                    Place::Field(id, program.find_field(class, field).unwrap())
                }
                None => Place::Element(id),
            };
            heap.add_reference(place, target).unwrap();
        }
    }
    heap
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
    let mut seen: HashMap<(&str, bool), usize> = HashMap::new();
    for block in text.split("heap ").skip(1) {
        let mut lines = block.lines();
        let (name, is_good) = match lines.next().unwrap().split_once(' ').unwrap() {
            (name, "good") => (name, true),
            (name, _) => (name, false),
        };
        let lines: Vec<&str> = lines.collect();
        let heap = heap(program, &lines);
        let root = Type::Class(program.class_named(name).unwrap());
        let invariants = parse(program, name, &[("it".into(), root)]);
        let holds = holds_for_every_order(&invariants, program, &heap, 1_000_000);
        assert_eq!(holds, Ok(is_good), "{block}");
        *seen.entry((name, is_good)).or_default() += 1;
    }
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

/// Each template fits the classes that its explanation names.
#[test]
fn templates() {
    for (name, text) in SHIPPED.iter().filter(|(name, _)| !name.starts_with("java.")) {
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
