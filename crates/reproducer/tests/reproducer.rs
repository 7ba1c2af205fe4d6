//! What reproducers look like, and that a JVM does with them what they were written for. Needs a JDK.

use aback_ir::{MethodId, Program};
use aback_lang_java::classpath::{ClassPath, Options};
use aback_lang_java::{JavaLoader, JavaProgram, Settings};
use aback_reproducer::{Confirmation, Isolation, Limits, Sandboxing, Unreproducible, platform};
use aback_witness::{InputsDocument, ObjectDocument, ValueDocument};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tempfile::TempDir;

/// A Java program.
struct Java {
    program: Program,
    loader: Arc<JavaLoader>,
    _folder: TempDir,
}

fn java(text: &str) -> Java {
    let folder = TempDir::new().unwrap();
    let source = folder.path().join("Main.java");
    std::fs::write(&source, text).unwrap();
    let classes = ClassPath::open(&[source], &Options::default()).unwrap();
    let JavaProgram { program, loader, .. } = aback_lang_java::load_with(classes, &Settings::default());
    Java { program, loader, _folder: folder }
}

impl Java {
    fn method(&self, name: &str) -> MethodId {
        let (class, method) = name.rsplit_once('.').unwrap();
        self.program.methods_named(self.program.class_named(class).unwrap(), method)[0]
    }

    fn limits(interrupt: &AtomicBool) -> Limits<'_> {
        Limits { time: Duration::from_secs(120), memory: 512, sandbox: Sandboxing::Auto, interrupt }
    }

    /// The sources of a reproducer, which a JVM has confirmed; or why there is none.
    #[track_caller]
    fn reproduce(&self, entry: &str, inputs: &InputsDocument) -> Result<Vec<(String, String)>, Unreproducible> {
        let inputs = inputs.resolve(&self.program).unwrap();
        let entry = self.method(entry);
        let platform = platform(&*self.loader).expect("Java has reproducers");
        let prediction = platform.predict(&self.program, entry, &inputs, aback_witness::Limits::default())?;
        let reproducer = platform.write((&self.program, entry), &prediction, "ReproducerTest")?;
        let interrupt = AtomicBool::new(false);
        let confirmation =
            platform.confirm((&self.program, entry), &reproducer, &prediction, &Self::limits(&interrupt));
        let is_confirmed = matches!(confirmation, Confirmation::Confirmed { .. });
        assert!(is_confirmed, "{confirmation:?}\n{}", reproducer.program[0].1);
        let mut files = reproducer.program;
        files.insert(1, reproducer.test);
        Ok(files)
    }
}

/// The class of a reproducer, without its comment.
#[track_caller]
fn reproducer(text: &str, entry: &str, inputs: InputsDocument) -> String {
    let files = java(text).reproduce(entry, &inputs).unwrap();
    without_comment(&files[0].1)
}

fn without_comment(text: &str) -> String {
    let (before, rest) = text.split_once("/**").unwrap();
    format!("{before}{}", rest.split_once("*/\n").unwrap().1)
}

// ---- inputs ------------------------------------------------------------------------------------------------------------

fn int(value: i64) -> ValueDocument {
    ValueDocument::Int(value.to_string())
}

fn to(object: usize) -> ValueDocument {
    ValueDocument::Ref(object)
}

const NULL: ValueDocument = ValueDocument::Null;

fn object(class: &str, fields: &[(&str, ValueDocument)]) -> ObjectDocument {
    let fields = fields.iter().map(|(name, value)| ((*name).to_string(), value.clone())).collect();
    ObjectDocument::Object { class: class.into(), fields }
}

fn array(element: &str, length: usize, elements: &[(usize, ValueDocument)]) -> ObjectDocument {
    let elements = elements.iter().map(|(index, value)| (index.to_string(), value.clone())).collect();
    ObjectDocument::Array { element: element.into(), length: length.to_string(), elements, rest: None }
}

/// A string, whose array is the object number `value`, and that array.
fn string(text: &[u16], value: usize) -> [ObjectDocument; 2] {
    let bytes: Vec<u8> = text.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let bytes: Vec<_> = bytes.iter().enumerate().map(|(index, byte)| (index, int(i64::from(*byte as i8)))).collect();
    let fields = [("java.lang.String.value", to(value)), ("java.lang.String.coder", int(1))];
    [object("java.lang.String", &fields), array("i8", bytes.len(), &bytes)]
}

fn inputs(args: Vec<ValueDocument>, heap: Vec<ObjectDocument>) -> InputsDocument {
    InputsDocument { args, heap, nondet: Vec::new(), statics: BTreeMap::new() }
}

// ---- tests -------------------------------------------------------------------------------------------------------------

#[test]
fn scalars() {
    let text = "
        class Main {
            static void all(boolean z, byte b, short s, char c, int i, long l, float f, double d) {
                assert !(z && b == -128 && s == 7 && c == '\\'' && i == Integer.MIN_VALUE && l == 1L << 40
                    && Float.floatToIntBits(f) == 0x7fc00000 && d == -0.0);
            }
        }";
    let args = vec![
        ValueDocument::Bool(true),
        int(-128),
        int(7),
        int(39),
        int(i32::MIN.into()),
        int(1 << 40),
        ValueDocument::F32("0x7fc00000".into()),
        ValueDocument::F64("-0.0".into()),
    ];
    insta::assert_snapshot!(reproducer(text, "Main.all", inputs(args, vec![])));
}

const LIST: &str = "
    class Main {
        static class Node {
            int value;
            Node next;
            Node(int value, Node next) {
                this.value = value;
                this.next = next;
            }
        }
        static void cycle(Node first, Node other) {
            assert !(first.next.next == first && other == first.next && first.value + other.value == 5);
        }
        static void chain(Node list) {
            assert list.next.next.value != 3;
        }
    }";

fn node(value: i64, next: ValueDocument) -> ObjectDocument {
    object("Main$Node", &[("Main$Node.value", int(value)), ("Main$Node.next", next)])
}

#[test]
fn aliases_and_cycles() {
    let heap = vec![node(2, to(1)), node(3, to(0))];
    insta::assert_snapshot!(reproducer(LIST, "Main.cycle", inputs(vec![to(0), to(1)], heap)));
}

#[test]
fn constructors_that_store_their_own_object() {
    let text = "
        class Main {
            Main parent = this;
            int rank = 3;
            static void f(Main root, Main lost) {
                assert root.parent != root || root.rank != 3 || lost.parent != null || lost.rank != 0;
            }
        }";
    let heap = vec![object("Main", &[("Main.parent", to(0)), ("Main.rank", int(3))]), object("Main", &[])];
    insta::assert_snapshot!(reproducer(text, "Main.f", inputs(vec![to(0), to(1)], heap)));
}

#[test]
fn chains_are_made_by_constructors() {
    let heap = vec![node(1, to(1)), node(2, to(2)), node(3, NULL)];
    insta::assert_snapshot!(reproducer(LIST, "Main.chain", inputs(vec![to(0)], heap)));
}

#[test]
fn arrays() {
    let text = "
        class Main {
            static void f(int[] few, int[] many, byte[][] table, Object[] objects, String[] none) {
                assert !(few[1] == 2 && many[999] == 1 && table[0][1] == -1 && table[1] == null && table[2] == table[0]
                    && objects[0] == objects && objects[1] == many && none.length == 0);
            }
        }";
    let heap = vec![
        array("i32", 3, &[(0, int(1)), (1, int(2))]),
        array("i32", 1000, &[(999, int(1))]),
        array("i8[]", 3, &[(0, to(3)), (2, to(3))]),
        array("i8", 2, &[(1, int(-1))]),
        array("java.lang.Object", 2, &[(0, to(4)), (1, to(1))]),
        array("java.lang.String", 0, &[]),
    ];
    insta::assert_snapshot!(reproducer(text, "Main.f", inputs(vec![to(0), to(1), to(2), to(4), to(5)], heap)));
}

#[test]
fn arrays_of_one_value() {
    let text = "
        class Main {
            static void f(byte[] same) {
                assert !(same.length == 500 && same[0] == 7 && same[1] == 0 && same[2] == 8 && same[499] == 7);
            }
        }";
    let mut elements: Vec<(usize, ValueDocument)> = (2..500).map(|index| (index, int(7))).collect();
    elements[0].1 = int(8);
    elements.push((0, int(7)));
    insta::assert_snapshot!(reproducer(text, "Main.f", inputs(vec![to(0)], vec![array("i8", 500, &elements)])));
}

#[test]
fn strings_enums_and_boxes() {
    let text = "
        package a.b;
        class Main {
            enum Color { RED, GREEN }
            static void f(String text, Color color, Color none, Integer box, Object same) {
                assert !(text.length() == 3 && color == Color.GREEN && none == null && box == 5 && same == text);
            }
        }";
    let mut heap = string(&['"' as u16, 0x20ac, 0xd800], 1).to_vec();
    heap.push(object("java.lang.Integer", &[("java.lang.Integer.value", int(5))]));
    let mut inputs = inputs(vec![to(0), to(2), to(0)], heap);
    // Nothing is shared with the program but the first enum, which is its second constant; the other one is null.
    let no = || ValueDocument::Bool(false);
    inputs.nondet = vec![no(), no(), ValueDocument::Bool(true), int(1), no(), no(), no()];
    insta::assert_snapshot!(reproducer(text, "a.b.Main.f", inputs));
}

/// A field of a generic class can hold what its type arguments forbid.
#[test]
fn objects_in_fields_of_type_variables() {
    let text = "
        class Main {
            static class Cell<T> { T v; }
            static class IntCell extends Cell<Integer> { }
            static class Node { }
            static void f(IntCell c) { Object o = c.v; assert !(o instanceof Node); }
        }";
    let cell = object("Main$IntCell", &[("Main$Cell.v", to(1))]);
    let found = reproducer(text, "Main.f", inputs(vec![to(0)], vec![cell, object("Main$Node", &[])]));
    assert!(found.contains("((Main.Cell) "), "{found}");
}

#[test]
fn private_fields_and_methods() {
    let text = "
        class Main {
            private final int secret;
            private Object shadowed;
            private static int made;
            Main() {
                made++;
                secret = 1;
            }
            static class Sub extends Main {
                Object shadowed;
            }
            private void check(Sub sub, Object[] list) {
                assert !(secret == 7 && sub.shadowed == null && ((Main) sub).shadowed == sub && made == 0 && list == null);
            }
        }";
    let heap = vec![object("Main", &[("Main.secret", int(7))]), object("Main$Sub", &[("Main.shadowed", to(1))])];
    insta::assert_snapshot!(reproducer(text, "Main.check", inputs(vec![to(0), to(1), NULL], heap)));
}

#[test]
fn records_and_classes_of_the_library() {
    let text = "
        class Main {
            record Point(int x, int y) {}
            record Positive(int value, Object any) {
                Positive {
                    if (value < 0) throw new IllegalArgumentException();
                }
            }
            static void f(Point point, Positive odd, java.util.ArrayList<Object> list) {
                assert !(point.x == 3 && odd.value == -1 && odd.any == odd && list.size() == 2 && list.get(1) == point);
            }
        }";
    let heap = vec![
        object("Main$Point", &[("Main$Point.x", int(3))]),
        object("Main$Positive", &[("Main$Positive.value", int(-1)), ("Main$Positive.any", to(1))]),
        object(
            "java.util.ArrayList",
            &[("java.util.ArrayList.size", int(2)), ("java.util.ArrayList.elementData", to(3))],
        ),
        array("java.lang.Object", 2, &[(1, to(0))]),
    ];
    insta::assert_snapshot!(reproducer(text, "Main.f", inputs(vec![to(0), to(1), to(2)], heap)));
}

#[test]
fn objects_of_classes_without_names() {
    let text = "
        class Main {
            interface Shape {
                int area();
            }
            static Shape make() {
                class Square implements Shape {
                    int side;
                    public int area() {
                        return side * side;
                    }
                }
                return new Square();
            }
            static void f(Shape shape, Shape[] shapes) {
                assert shape.area() != 9 || shapes[0] != shape;
            }
        }";
    let java = java(text);
    let square = object("Main$1Square", &[("Main$1Square.side", int(3))]);
    let heap = vec![square, array("Main$Shape", 2, &[(0, to(0))])];
    let files = java.reproduce("Main.f", &inputs(vec![to(0), to(1)], heap)).unwrap();
    insta::assert_snapshot!(without_comment(&files[0].1));
}

#[test]
fn constructors() {
    let text = "
        class Main {
            int twice;
            private Main(Integer value) {
                twice = 2 * value;
                assert twice != 10;
            }
        }";
    let heap = vec![object("java.lang.Integer", &[("java.lang.Integer.value", int(5))])];
    insta::assert_snapshot!(reproducer(text, "Main.<init>", inputs(vec![to(0)], heap)));
}

const ASKS: &str = "
    import org.sosy_lab.sv_benchmarks.Verifier;
    class Main {
        public static void main(String[] args) {
            int number = Verifier.nondetInt();
            Verifier.assume(number > 3);
            String text = Verifier.nondetString();
            char letter = Verifier.nondetChar();
            try {
                assert number != 5 || text.length() != 2 || letter != 'x';
            } catch (AssertionError caught) {
                System.out.println(caught);
            }
        }
    }";

const VERIFIER: &str = "
    package org.sosy_lab.sv_benchmarks;
    public class Verifier {
        public static void assume(boolean condition) {}
        public static int nondetInt() { return 0; }
        public static char nondetChar() { return 0; }
        public static String nondetString() { return null; }
    }";

/// The value of the string is two bytes long.
fn answers() -> InputsDocument {
    let bytes = ValueDocument::Elements(vec![int(104), int(105)]);
    let nondet = vec![int(5), int(2), ValueDocument::Bool(false), bytes, int(120)];
    InputsDocument { args: vec![NULL], nondet, ..InputsDocument::default() }
}

/// Its assertion is caught: a JVM shows it in its log alone.
#[test]
fn nondeterministic_values() {
    let folder = TempDir::new().unwrap();
    let package = folder.path().join("org/sosy_lab/sv_benchmarks");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::write(package.join("Verifier.java"), VERIFIER).unwrap();
    std::fs::write(folder.path().join("Main.java"), ASKS).unwrap();
    let classes = ClassPath::open(&[folder.path().to_owned()], &Options::default()).unwrap();
    let JavaProgram { program, loader, .. } = aback_lang_java::load_with(classes, &Settings::default());
    let java = Java { program, loader, _folder: folder };
    let files = java.reproduce("Main.main", &answers()).unwrap();
    let texts: Vec<String> = files.iter().map(|(name, text)| format!("--- {name}\n{text}")).collect();
    let shown = texts.concat();
    insta::assert_snapshot!(shown.split("    public static byte").next().unwrap());
}

#[test]
fn many_objects_are_made_in_several_methods() {
    let heap: Vec<ObjectDocument> =
        (0..4500).map(|index| node(3, if index < 4499 { to(index + 1) } else { to(0) })).collect();
    let shown = reproducer(LIST, "Main.chain", inputs(vec![to(0)], heap));
    assert!(shown.contains("build1();\n        build2();\n"), "{shown}");
}

#[test]
fn what_no_program_can_make() {
    let text = "
        class Main {
            static int zero;
            static { zero = 1 / zero; }
            static void f(Runnable runnable) {
                assert runnable == null;
            }
            interface Quiet {
                static void g() {}
            }
        }";
    let java = java(text);
    let failed = java.reproduce("Main.<clinit>", &inputs(vec![], vec![])).unwrap_err();
    assert_eq!(failed.to_string(), "only the JVM calls class initializers");
    let passes = java.reproduce("Main.f", &inputs(vec![NULL], vec![]));
    assert!(matches!(passes, Err(Unreproducible::NoViolation(_))) || passes.is_ok());
}

/// What a JVM does otherwise than predicted is told, and what cannot be run is no answer.
#[test]
fn differences_are_told() {
    let java = java(
        "class Main { static void f(int x) { assert x != 1; System.exit(4); } static void g() { while (true); } }",
    );
    let entry = java.method("Main.f");
    let inputs = inputs(vec![int(1)], vec![]).resolve(&java.program).unwrap();
    let platform = platform(&*java.loader).unwrap();
    let prediction = platform.predict(&java.program, entry, &inputs, aback_witness::Limits::default()).unwrap();
    let reproducer = platform.write((&java.program, entry), &prediction, "ReproducerTest").unwrap();
    let interrupt = AtomicBool::new(false);
    let run = |changed: &dyn Fn(&str) -> String, limits: Limits| {
        let mut reproducer = reproducer.clone();
        reproducer.program[0].1 = changed(&reproducer.program[0].1);
        match platform.confirm((&java.program, entry), &reproducer, &prediction, &limits) {
            Confirmation::Confirmed { .. } => "confirmed".into(),
            Confirmation::Differs { found, .. } => format!("differs: {found}"),
            Confirmation::NotRun { reason } => format!("not run: {reason}"),
        }
    };
    let limits = || Java::limits(&interrupt);
    let changes = [
        run(&|text| text.into(), limits()),
        run(&|text| text.replace("int x = 1", "int x = 2"), limits()),
        run(&|text| text.replace("Main.f(x);", ""), limits()),
        run(&|text| text.replace("Main.f(x);", "throw new Exception();"), limits()),
        run(&|text| text.replace("Main.f(x);", "Main.h(x);"), limits()),
        run(&|text| text.replace("Main.f(x);", "Main.g();"), Limits { time: Duration::from_secs(4), ..limits() }),
        run(&|text| text.replace("Main.f(x);", "long[] a = new long[1 << 28];"), limits()),
    ];
    insta::assert_snapshot!(changes.join("\n"));
    interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(run(&|text| text.into(), limits()), "not run: interrupted");
}

#[test]
fn constructors_that_initializers_call_before() {
    let text = "class Main {
        static final Main HALF = new Main(1, 2);
        static final Main FOURTH = of(1, 4);
        final int top, bottom;
        Main(int number) { this(number, 1); }
        Main(int top, int bottom) {
            super();
            if (bottom == 0) throw new ArithmeticException(\"zero\");
            this.top = top;
            this.bottom = bottom;
        }
        static Main of(int top, int bottom) { return new Main(top, bottom); }
        public static void main(String[] args) { }
    }";
    let java = java(text);
    let constructor = |params: usize| {
        let class = java.program.class_named("Main").unwrap();
        let all = java.program.methods_named(class, "<init>");
        all.iter().copied().find(|&id| java.program.method(id).params.len() == params + 1).unwrap()
    };
    let inputs = inputs(vec![int(0), int(0)], vec![]).resolve(&java.program).unwrap();
    let entry = constructor(2);
    let platform = platform(&*java.loader).unwrap();
    let prediction = platform.predict(&java.program, entry, &inputs, aback_witness::Limits::default()).unwrap();
    let reproducer = platform.write((&java.program, entry), &prediction, "ReproducerTest").unwrap();
    let text = &reproducer.program[0].1;
    assert!(
        text.contains("int top = 0;") && text.contains("int bottom = 0;") && text.contains("new Main(top, bottom);"),
        "{text}"
    );
    let interrupt = AtomicBool::new(false);
    let confirmation = platform.confirm((&java.program, entry), &reproducer, &prediction, &Java::limits(&interrupt));
    assert!(matches!(confirmation, Confirmation::Confirmed { .. }), "{confirmation:?}\n{text}");
}

#[test]
fn objects_of_classes_that_the_jdk_keeps_to_itself() {
    let text = "class Main { static void main(Object o) { assert o == null; } }";
    let java = java(text);
    let hidden = java.program.class_named("sun.reflect.annotation.AnnotationType").unwrap();
    assert!(!java.program.class(hidden).is_abstract);
    let inputs = inputs(vec![to(0)], vec![object("sun.reflect.annotation.AnnotationType", &[])]);
    let files = java.reproduce("Main.main", &inputs).unwrap();
    assert!(files[0].1.contains("Class.forName(\"sun.reflect.annotation.AnnotationType\")"), "{}", files[0].1);
}

#[test]
fn objects_that_no_constructor_makes_are_named() {
    let text = "class Main {
        static class Account { private int balance; Account() { } }
        static class Point { final int x; int y; Point(int x) { this.x = x; } }
        static void account(Account a) { assert a.balance == 0; }
        static void point(Point p) { assert p.x == p.y; }
    }";
    let java = java(text);
    let unmade = |entry: &str, object: ObjectDocument| {
        let inputs = inputs(vec![to(0)], vec![object]).resolve(&java.program).unwrap();
        let entry = java.method(entry);
        let platform = platform(&*java.loader).unwrap();
        let prediction = platform.predict(&java.program, entry, &inputs, aback_witness::Limits::default()).unwrap();
        platform.write((&java.program, entry), &prediction, "ReproducerTest").unwrap().unmade
    };
    let account = object("Main$Account", &[("Main$Account.balance", int(-1))]);
    assert_eq!(unmade("Main.account", account), ["Main$Account"]);
    let point = object("Main$Point", &[("Main$Point.x", int(1)), ("Main$Point.y", int(2))]);
    assert_eq!(unmade("Main.point", point), [""; 0]);
}

/// Runs a reproducer with a statement before the call of the entry point, and says how that ends. Without the sandbox that it must
/// have, it is `None`.
fn with_statement(statement: &str, sandbox: Sandboxing, (time, memory): (u64, u64)) -> Option<String> {
    let java = java("class Main { static void f(int n) { assert n != 7; } }");
    let inputs = inputs(vec![int(7)], vec![]).resolve(&java.program).unwrap();
    let entry = java.method("Main.f");
    let platform = platform(&*java.loader).unwrap();
    let prediction = platform.predict(&java.program, entry, &inputs, aback_witness::Limits::default()).unwrap();
    let mut reproducer = platform.write((&java.program, entry), &prediction, "ReproducerTest").unwrap();
    let text = &mut reproducer.program[0].1;
    assert!(text.contains("Main.f(n);"), "{text}");
    *text = text.replace("Main.f(n);", &format!("{statement} Main.f(n);"));
    let interrupt = AtomicBool::new(false);
    let limits = Limits { time: Duration::from_secs(time), memory, sandbox, interrupt: &interrupt };
    match platform.confirm((&java.program, entry), &reproducer, &prediction, &limits) {
        Confirmation::Confirmed { runtime } => {
            assert_eq!(runtime.isolation == Isolation::Sandbox, sandbox == Sandboxing::Required, "{runtime:?}");
            Some("confirmed".into())
        }
        Confirmation::Differs { found, .. } => Some(found),
        Confirmation::NotRun { reason } if reason.starts_with("there is no sandbox: ") => {
            eprintln!("skipped: {reason}");
            None
        }
        Confirmation::NotRun { reason } => Some(format!("not run: {reason}")),
    }
}

/// Time and memory of these runs.
const ENOUGH: (u64, u64) = (120, 512);

/// Checks that a statement throws an exception in the sandbox, and none outside of it.
#[track_caller]
fn is_kept_from(statement: &str, exception: &str) {
    let Some(found) = with_statement(statement, Sandboxing::Required, ENOUGH) else { return };
    assert!(found.starts_with(exception) && found.contains(" is thrown outside of the program's own code"), "{found}");
    assert_eq!(with_statement(statement, Sandboxing::Off, ENOUGH).as_deref(), Some("confirmed"));
}

#[test]
fn a_sandbox_keeps_programs_from_the_files_of_users() {
    let folder = TempDir::new().unwrap();
    let (read, written) = (folder.path().join("read"), folder.path().join("written"));
    std::fs::write(&read, "secret").unwrap();
    let path = |path: &std::path::Path| format!("java.nio.file.Paths.get(\"{}\")", path.display());
    is_kept_from(
        &format!("java.nio.file.Files.write({}, new byte[1]);", path(&written)),
        "java.nio.file.NoSuchFileException",
    );
    is_kept_from(&format!("java.nio.file.Files.readAllBytes({});", path(&read)), "java.nio.file.NoSuchFileException");
    // What is not hidden cannot be changed, either.
    let here = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("written");
    is_kept_from(&format!("java.nio.file.Files.write({}, new byte[1]);", path(&here)), "java.nio.file.");
}

#[test]
fn a_sandbox_hides_the_home_of_the_user() {
    let entries = std::env::home_dir().and_then(|home| home.read_dir().ok()).into_iter().flatten().flatten();
    let Some(file) = entries.map(|entry| entry.path()).find(|path| path.is_file()) else {
        return eprintln!("skipped: there is no file in the home of the user");
    };
    is_kept_from(&format!("new java.io.FileReader(\"{}\");", file.display()), "java.io.FileNotFoundException");
}

#[test]
fn a_sandbox_has_no_network() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    is_kept_from(&format!("new java.net.Socket(\"127.0.0.1\", {port});"), "java.net.ConnectException");
}

#[test]
fn a_sandbox_has_a_folder_for_temporary_files() {
    let statement =
        "java.io.File file = java.io.File.createTempFile(\"aback\", null); new java.io.FileWriter(\"here\").close();
        if (new java.io.File(\".\").list().length != 1) throw new RuntimeException();
        if (System.getenv(\"PATH\") != null) throw new RuntimeException();";
    if let Some(found) = with_statement(statement, Sandboxing::Required, ENOUGH) {
        assert_eq!(found, "confirmed");
    }
}

/// Nothing of a run is left when its time is over.
#[test]
fn what_runs_in_a_sandbox_is_ended() {
    // No other test gives a JVM as much memory.
    let Some(found) = with_statement("while (n == 7) { }", Sandboxing::Required, (15, 509)) else { return };
    assert_eq!(found, "not run: time limit");
    let is_running = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let mut lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
        lines.any(|line| String::from_utf8_lossy(&line).contains("-Xmx509m"))
    };
    while is_running() {
        std::thread::sleep(Duration::from_millis(20));
    }
}
