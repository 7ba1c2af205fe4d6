//! No class file makes aback panic, hang or use all memory: mutants of compiled class files, and class files made by
//! hand. Needs a JDK.

use super::{Corpus, Places, Tally, exercise};
use aback_core::{CheckConfig, Line, LoadConfig, Session, check};
use aback_ir::Span;
use aback_lang_java::classpath::{ClassPath, Options};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn sources(names: &[&str]) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lang-java/tests/programs");
    names.iter().map(|name| folder.join(format!("{name}.java"))).collect()
}

#[test]
fn mutants_are_translated_or_refused() {
    let corpus = Corpus::compile(&sources(&["Exceptions", "Switches", "StackShapes", "Lambdas"]), &[]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Mutant.class");
    let mut tally = Tally::default();
    for seed in 0..30 {
        let (_, mutant, mut random) = corpus.mutant(seed);
        fs::write(&file, mutant).unwrap();
        exercise(&file, corpus.folder.path(), &mut random, &mut tally);
    }
    assert!(tally.methods > tally.refused && tally.refused > 0, "{tally:?}");
}

/// Compiles a source; returns the class files by name.
fn compile(source: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Main.java");
    fs::write(&path, source).unwrap();
    let classes = ClassPath::open(&[path], &Options::default()).unwrap();
    classes.user_classes().map(|name| (name.to_owned(), classes.find(name).unwrap().bytes)).collect()
}

/// The classes of a source; those in `names` are replaced by the classes of another source, or removed if it does not
/// have them.
fn replaced(source: &str, names: &[&str], other: &str) -> BTreeMap<String, Vec<u8>> {
    let (mut classes, others) = (compile(source), compile(other));
    for &name in names {
        classes.remove(name);
        classes.extend(others.get_key_value(name).map(|(name, bytes)| (name.clone(), bytes.clone())));
    }
    classes
}

/// The messages for a program when it is loaded and checked, one per line.
fn said(classes: &BTreeMap<String, Vec<u8>>) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in classes {
        fs::write(folder.path().join(format!("{name}.class")), bytes).unwrap();
    }
    let loaded = Session::open(&[folder.path().to_path_buf()], &LoadConfig::default()).unwrap();
    let mut said: Vec<String> = loaded.warnings().iter().map(|warning| warning.message.clone()).collect();
    let config = CheckConfig { timeout: Some(Duration::from_secs(300)), ..CheckConfig::default() };
    match check(loaded.program(), &config) {
        Ok(answer) => {
            said.push(format!("{:?}", answer.verdict));
            said.extend(answer.gaps.iter().map(|gap| {
                format!("{gap} at {}", loaded.program().show_span(gap.place().map_or(Span::NONE, |place| place.span)))
            }));
        }
        Err(error) => said.push(error.to_string()),
    }
    said.join("\n").replace(&format!("{}/", folder.path().display()), "")
}

#[track_caller]
fn says(classes: &BTreeMap<String, Vec<u8>>, expected: &[&str]) {
    let said = said(classes);
    for part in expected {
        assert!(said.contains(part), "`{part}` is not in:\n{said}");
    }
}

const MAIN: &str = "class Main { static void main(String[] args) { new A().run(); } }";

#[test]
fn a_class_above_itself() {
    let one = format!("{MAIN} class A extends B {{ void run() {{}} }} class B {{}}");
    let two = "class Main {} class A {} class B extends A {}";
    says(
        &replaced(&one, &["B"], two),
        &["the class A of A.class cannot be loaded: it is its own supertype", "Unknown", "Main.java:1"],
    );
    let one = format!("{MAIN} class A implements B {{ public void run() {{}} }} interface B {{}} interface C {{}}");
    let two = "class Main {} interface B extends C {} interface C extends D {} interface D {}";
    let three = "class Main {} interface D extends B {} interface B {}";
    let mut classes = replaced(&one, &["B", "C"], two);
    classes.extend(compile(three).remove_entry("D"));
    says(&classes, &["the class A of A.class cannot be loaded: it is its own supertype", "Unknown"]);
}

#[test]
fn a_class_that_extends_what_it_cannot() {
    let one = format!("{MAIN} class A extends B {{ void run() {{}} }} class B {{}}");
    says(
        &replaced(&one, &["B"], "class Main {} final class B {}"),
        &["cannot be loaded: it extends B, which is final"],
    );
    says(&replaced(&one, &["B"], "class Main {} interface B {}"), &["it extends B, which is an interface"]);
    let one = format!("{MAIN} class A implements B {{ void run() {{}} }} interface B {{}}");
    says(
        &replaced(&one, &["B"], "class Main {} class B {}"),
        &["it implements B, which is not an interface", "Unknown"],
    );
}

#[test]
fn a_missing_superclass() {
    let one = format!("{MAIN} class A extends B {{ void run() {{ go(); }} }} class B {{ void go() {{}} }}");
    says(&replaced(&one, &["B"], "class Main {}"), &["Unknown", "B", "Main.java:1"]);
}

#[test]
fn members_of_another_version() {
    let one = format!(
        "{MAIN} class A {{ void run() {{ B.go(B.n); }} }} class B {{ static int n; static void go(int n) {{}} }}"
    );
    says(
        &replaced(&one, &["B"], "class Main {} class B { static int n; }"),
        &["Unknown", "the method go(I)V, which B does not have"],
    );
    says(
        &replaced(&one, &["B"], "class Main {} class B { static void go(int n) {} }"),
        &["the field n, which B does not have"],
    );
    says(&replaced(&one, &["B"], "class Main {} class B { int n; static void go(int n) {} }"), &["Unknown"]);
    says(&replaced(&one, &["B"], "class Main {} class B { static int n; void go(int n) {} }"), &["Unknown", "static"]);
    says(
        &replaced(&one, &["B"], "class Main {} class B { static int n; static native void go(int n); }"),
        &["Unknown", "native method B.go"],
    );
    says(&replaced(MAIN_AND_A, &["A"], "class Main {} abstract class A { abstract void run(); }"), &["Unknown"]);
    says(&replaced(MAIN_AND_A, &["A"], "class Main {} interface A { void run(); }"), &["Unknown"]);
}

const MAIN_AND_A: &str = "class Main { static void main(String[] args) { new A().run(); } } class A { void run() {} }";

#[test]
fn an_object_that_is_taken_for_one_of_another_class() {
    let one = "class Main { static void main(String[] args) { B b = new A(); assert b.n == 0; } } \
        class A extends B {} class B { int n; }";
    let expected = ["Unknown", "an object that is used as an instance of another type at Main.java:1"];
    says(&replaced(one, &["A"], "class Main {} class A { Object n = \"\"; }"), &expected);
    says(&replaced(one, &["A"], "class Main {} class A {}"), &expected);
    says(
        &replaced(&one.replace("assert b.n == 0", "b.n = 1"), &["A"], "class Main {} class A { Object n; }"),
        &expected,
    );
}

#[test]
fn a_class_of_a_newer_java() {
    let mut classes = compile(MAIN_AND_A);
    classes.get_mut("A").unwrap()[7] = 0x90;
    says(&classes, &["the class A of A.class cannot be loaded: it is for Java 100, and the JDK is of Java", "Unknown"]);
}

/// Compiles a source and changes each class file; `change` gets the range of the code.
fn with_code(source: &str, change: impl Fn(&mut Vec<u8>, std::ops::Range<usize>)) -> BTreeMap<String, Vec<u8>> {
    let mut classes = compile(source);
    let bytes = classes.get_mut("A").unwrap();
    let places = Places::of(bytes).unwrap();
    change(bytes, places.code.last().unwrap().clone());
    classes
}

#[test]
fn code_that_ends_in_the_middle() {
    // The `return` becomes a `nop`, and then the first half of a `sipush`.
    let change = |opcode| with_code(MAIN_AND_A, move |bytes, code| bytes[code.end - 1] = opcode);
    says(&change(0), &["Unknown", "control falls off the end", "Main.java:1"]);
    says(
        &change(0x11),
        &["the class A of A.class cannot be loaded: it has a method whose code makes no sense at byte 0"],
    );
}

#[test]
fn a_switch_that_is_longer_than_its_code() {
    let source = format!(
        "{MAIN} class A {{ void run() {{ switch (hashCode()) {{ case 1: case 2: case 3: throw null; default: }} }} }}"
    );
    let huge = with_code(&source, |bytes, code| {
        let switch = code.clone().find(|&at| bytes[at] == 0xaa).unwrap();
        let table = code.start + ((switch - code.start) / 4 + 1) * 4;
        bytes[table + 8..table + 12].copy_from_slice(&i32::MAX.to_be_bytes());
    });
    says(&huge, &["it has a method whose code makes no sense at byte"]);
    let source = source.replace("case 2:", "case 1000000:");
    let huge = with_code(&source, |bytes, code| {
        let switch = code.clone().find(|&at| bytes[at] == 0xab).unwrap();
        let table = code.start + ((switch - code.start) / 4 + 1) * 4;
        bytes[table + 4..table + 8].copy_from_slice(&i32::MAX.to_be_bytes());
    });
    says(&huge, &["it has a method whose code makes no sense at byte"]);
}

#[test]
fn values_of_the_wrong_kind() {
    // The addition of two ints becomes an addition of two doubles, and an array access.
    let source = format!(
        "{MAIN} class A {{ void run() {{ B.add(1, 2); }} }} class B {{ static int add(int a, int b) {{ return a + b; }} }}"
    );
    for (from, to) in [(0x60, 0x63), (0x60, 0x2e)] {
        let mut classes = compile(&source);
        let bytes = classes.get_mut("B").unwrap();
        let code = Places::of(bytes).unwrap().code.last().unwrap().clone();
        let at = code.clone().find(|&at| bytes[at] == from).unwrap();
        bytes[at] = to;
        says(&classes, &["Unknown", "malformed code", "Main.java:1"]);
    }
}

#[test]
fn a_frame_of_all_locals_at_each_of_many_branches() {
    let branches = "if (n == 1) n = 3; ".repeat(6_000);
    let source = format!("{MAIN} class A {{ void run() {{ int n = hashCode(); {branches} }} }}");
    let huge = with_code(&source, |bytes, code| bytes[code.start - 6..code.start - 4].fill(0xff));
    says(&huge, &["Unknown", "a method that takes too long to translate"]);
    assert!(!said(&compile(&source)).contains("too long to translate"));
}

#[test]
fn deep_annotations_are_passed_over() {
    let mut bytes = compile(MAIN_AND_A)["A"].clone();
    // Give a class attribute the name of another attribute: an array of arrays of arrays...
    let places = Places::of(&bytes).unwrap();
    let name = (1..).find(|&index| places.utf8(&bytes, index) == Some(b"SourceFile")).unwrap();
    let at = places.constant(name).unwrap();
    let mut content = vec![0, 1, 0, name as u8, 0, 1, 0, name as u8];
    content.extend(b"[\x00\x01".repeat(300_000));
    bytes.splice(at..at + 13, b"\x01\x00\x19RuntimeVisibleAnnotations".iter().copied());
    let end = bytes.len() - 8;
    bytes.truncate(end);
    bytes.extend((name as u16).to_be_bytes());
    bytes.extend((content.len() as u32).to_be_bytes());
    bytes.extend(content);
    let mut classes = compile(MAIN_AND_A);
    classes.insert("A".into(), bytes);
    assert_eq!(said(&classes), "Holds");
}

/// The answer about line 3 of `Main.java`.
fn ask(classes: &BTreeMap<String, Vec<u8>>) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in classes {
        fs::write(folder.path().join(format!("{name}.class")), bytes).unwrap();
    }
    let session = Session::open(&[folder.path().to_path_buf()], &LoadConfig::default()).unwrap();
    let at = Some(Line { file: "Main.java".into(), line: 3 });
    let config = CheckConfig { at, timeout: Some(Duration::from_secs(300)), ..CheckConfig::default() };
    let answer = session.check(&config).unwrap();
    format!("{}: {}", answer.said(), answer.reason(session.program()))
}

/// What lost code does to static fields and their objects matters to other executions.
#[test]
fn changes_behind_what_is_unsupported() {
    let check = |change: &str, assertion: &str, bound: &str| {
        let source = format!(
            "public class Main {{
        public static void second() {{
            assert {assertion};
        }}
        static int n; private static final int[] a = {{1}}; static class Box {{ int v; }} private static final Box b = new Box();
        static void up(Box of) {{ of.v++; }} enum E {{ A; int v; }}
        public static void first() {{ Box of = b; B.go(); {change} }}
    }}
    class B {{ static void go() {{}} }}"
        );
        let said = ask(&replaced(&source, &["B"], "class Main {} class B {}"));
        assert!(said.starts_with("holds within bounds") && said.contains(bound), "{said}");
    };
    check("n = 5;", "n == 0", "static fields hold");
    check("a[0] = 5;", "a[0] == 1", "objects that static fields refer to");
    check("of.v = 5;", "b.v == 0", "objects that static fields refer to");
    check("up(b);", "b.v == 0", "objects that static fields refer to");
    check("E.A.v = 5;", "E.A.v == 0", "objects that static fields refer to");
}

/// An assertion that only code behind a call of unknown code, or lost code, gets to with the value that violates it.
#[test]
fn callers_behind_what_is_unsupported() {
    let source = "public class Main {
        static void checked(int n) {
            assert n != 7;
        }
        public static void first(int n) { B.go(); checked(n); }
        public static void second() { checked(3); }
    }
    class B { static void go() {} }";
    assert_eq!(ask(&compile(source)), "violated: ");
    let other = "class Main {} class B { static native void go(); }";
    let said = ask(&replaced(source, &["B"], other));
    assert!(said.starts_with("unknown: ") && said.contains("native method B.go"), "{said}");
    let said = ask(&replaced(source, &["B"], "class Main {} class B {}"));
    assert!(said.starts_with("unknown: ") && said.contains("which B does not have"), "{said}");
}
