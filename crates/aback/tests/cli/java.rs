//! Java programs: which files are read, where execution starts, what counts as a violation, and what the answer looks
//! like.

use crate::{Place, Ran, files, lacks_sdk, on_examples};
use insta::assert_snapshot;
use std::process::{Command, Stdio};

const MAIN: &str = "\
class Main {
    public static void main(String[] args) {
        assert args.length != 3;
    }

    static int divide(int a, int b) {
        int quotient = a / b;
        assert quotient != 7;
        return quotient;
    }

    static void twice(int a) {
        assert a != 1;
    }

    static void twice(String[] a, long b) {
    }
}
";

fn java(text: &str) -> Place {
    files([("Main.java", text)])
}

/// A folder with a class file and no source.
fn compiled(text: &str) -> Place {
    let place = java(text);
    let javac = Command::new("javac").args(["-g", "-d", "out", "Main.java"]).current_dir(place.path("")).status();
    assert!(javac.unwrap().success());
    std::fs::remove_file(place.path("Main.java")).unwrap();
    place
}

#[test]
fn a_violated_assertion() {
    // The solver may choose any numbers.
    let ran = on_examples("check examples/java/Account.java --entry Account.transfer").ends(1);
    let shown = ran.stdout.replace(|c: char| c.is_ascii_digit(), "0");
    assert!(shown.contains("violated: assert can be false\n  --> examples/java/Account.java:00:0\n"), "{shown}");
    assert!(shown.contains("with the input of Account.transfer:\n  from = Account#0 { balance = "), "{shown}");
    assert!(shown.contains("  to = Account#0"), "{shown}");
    assert!(shown.contains("assert (long) from.balance + to.balance == sum;\n"), "{shown}");
    on_examples("check examples/java/Account.java --entry Account.safeTransfer").ends(0).says("holds");
}

/// Runs the program with a folder for its caches in the place. Returns the exit status and what is kept there.
fn with_cache(place: &Place, arguments: &str) -> (Ran, Vec<Vec<u8>>) {
    let caches = place.path("caches");
    let mut command = place.command(arguments);
    command.env("XDG_CACHE_HOME", &caches).stdout(Stdio::piped()).stderr(Stdio::piped());
    let ran = place.finish(command.spawn().unwrap());
    let kept =
        std::fs::read_dir(caches.join("aback/compiled")).into_iter().flatten().map(|entry| entry.unwrap().path());
    let kept = kept.filter(|path| !path.file_name().unwrap().to_str().unwrap().starts_with('.'));
    (ran, kept.map(|path| std::fs::read(path).unwrap()).collect())
}

/// Checks an entry point that fails, holds after an edit of its source, and fails again.
#[track_caller]
fn check_edits(file: &str, text: &str, entry: &str) {
    let place = files([(file, text)]);
    let check = format!("check {file} --entry {entry}");
    let (first, kept) = with_cache(&place, &check);
    if lacks_sdk(&first) {
        return;
    }
    first.ends(1);
    assert_eq!(kept.len(), 1);
    let (again, same) = with_cache(&place, &check);
    again.ends(1);
    assert!(same == kept, "it is compiled again");
    place.write(file, text.replace("x != 1", "x == x").as_bytes());
    let (edited, other) = with_cache(&place, &check);
    edited.ends(0);
    assert!(other.len() == 1 && other != kept, "the edit is not compiled");
    place.write(file, text.as_bytes());
    let (back, kept) = with_cache(&place, &format!("{check} --recompile"));
    back.ends(1);
    assert!(kept == other, "--recompile keeps what it compiles");
    with_cache(&place, &check).0.ends(1);
}

#[test]
fn sources_are_compiled_again_after_an_edit() {
    check_edits("Main.java", "class Main { static void twice(int x) { assert x != 1; } }", "Main.twice");
    let text =
        "using static System.Diagnostics.Debug; static class P { public static void M(int x) { Assert(x != 1); } }";
    check_edits("P.cs", text, "P.M");
}

#[test]
fn sources_that_do_not_compile() {
    assert_snapshot!(
        java("class Main {\n    int x = y;\n    Foo f() { return 1 }\n}\n").run("check Main.java").ends(2)
    );
    let ran = java("class Main {\n    Foo foo;\n}\n").run("check Main.java --json").ends(2);
    assert_eq!(ran.json()["diagnostics"][0]["place"]["line"], 2);
    assert_snapshot!(java("class Main {\n    Foo foo;\n}\n").run("check Main.java").ends(2));
}

#[test]
fn files_that_are_no_classes() {
    let place = java(MAIN);
    place.write("broken.jar", b"PK no jar");
    place.write("Broken.class", b"\xca\xfe\xba\xbe no class");
    place.run("check broken.jar").ends(2).says("broken.jar cannot be read as a jar file");
    place.run("check Broken.class").ends(2).says("Broken.class cannot be read as a class file");
    place.run("check Main.java --classpath none.jar").ends(2).says("none.jar");
    place.run("check Main.java --java-home none").ends(2).says("none");
    place.run("check Main.java --java-home none --dotnet-root other").ends(2).says("none");
    place.write("Main.cs", b"class Main { }");
    place.run("check Main.cs --java-home none --dotnet-root other").ends(2).says("no .NET SDK in other");
}

#[test]
fn languages_are_not_mixed() {
    let place = files([("src/Main.java", MAIN), ("src/Main.oox", "class Main { static void main() {} }")]);
    place
        .run("check src")
        .ends(2)
        .says("has files of both Java (src/Main.java) and OOX (src/Main.oox): name the files");
    place.run("check src/Main.java src/Main.oox").ends(2).says("src/Main.java is Java and src/Main.oox is OOX");
    place.run("check src/Main.oox").ends(0);
    // What is compiled may belong to a program in another language.
    let place = files([("src/Main.java", MAIN), ("src/native.dll", "MZ")]);
    place.run("check src --entry Main.divide").ends(1);
}

#[test]
fn main_methods() {
    java(MAIN).run("check Main.java").ends(1).says("Main.java:3").says("args = String[3]");
    let two =
        java("class A { public static void main(String[] a) {} }\nclass B { public static void main(String[] a) {} }");
    assert_snapshot!(two.run("check Main.java").ends(2));
    two.run("check Main.java --entry B.main").ends(0);
    let none = java("class A { void m() {} }").run("check Main.java").ends(2);
    none.says("there is no method `main(String[])` to start with: name another with --entry (there are A.");
    let instance = java("class A { void main() {} }").run("check Main.java").ends(2);
    instance.says("main methods of other forms (Java 21 and later) are not supported").says("--entry 'A.main()'");
}

#[test]
fn entry_points() {
    let place = java(MAIN);
    let check = |entry: &str| place.command("check Main.java --entry").arg(entry).output().unwrap().status.code();
    assert_eq!(check("Main.twice(int)"), Some(1));
    assert_eq!(check("Main.twice(String[], long)"), Some(0));
    assert_eq!(check("Main.twice(java.lang.String[],long)"), Some(0));
    assert_snapshot!(place.run("check Main.java --entry Main.twice").ends(2));
    place
        .run("check Main.java --entry Main.twise")
        .ends(2)
        .says("there is no method `Main.twise` (there are Main.twice");
}

#[test]
fn properties() {
    let place = java(MAIN);
    place.write("assert.prp", b"CHECK( init(Main.divide()), LTL(G assert) )\n");
    place.write("none.prp", b"CHECK( init(Main.divide()), LTL(G ! uncaught(a.None)) )\n");
    place.write("main.prp", b"CHECK( init(Main.main()), LTL(G assert) )\n");
    place.run("check Main.java --property assert.prp").ends(1).says("Main.java:8:9");
    place.run("check Main.java --property main.prp").ends(1).says("Main.java:3:9");
    place.run("check Main.java --property main.prp --entry Main.divide").ends(1).says("Main.java:8:9");
    place.run("check Main.java --property none.prp").ends(2).says("there is no class `a.None`");
    place.run("check Main.java --property main.prp --traps").ends(2).says("cannot be used with");
}

#[test]
fn class_files_without_sources() {
    let place = compiled(MAIN);
    let ran = place.run("check out --entry Main.divide").ends(1);
    assert!(
        ran.stdout
            .starts_with("violated: assert can be false\n--> Main.java:8\nwith the input of Main.divide:\n  a = ")
    );
    assert!(ran.stdout.ends_with("by this path:\n  Main.java:7\n  Main.java:8\n"), "{}", ran.stdout);
    place.run("check out --entry Main.divide --at Main.java:8").ends(1);
    place.run("check out --entry Main.divide --at Main.java:13").ends(0);
    place.run("check out --at Main.java:9999").ends(2).says("there is no code at Main.java:9999");
}

#[test]
fn programs_are_shown() {
    let place = java(MAIN);
    let ran = place.run("show ir Main.java").ends(0).says("class Main");
    assert!(!ran.stdout.contains("class java."), "only the user's own classes");
    assert_snapshot!(place.run("show ir Main.java --entry Main.divide").ends(0));
    place.run("show ir Main.java --class java.util.Optional").ends(0).says("library final class java.util.Optional");
    place.run("show ir Main.java --method java.util.Objects.isNull").ends(0).says("method isNull");
    place.run("show cfg Main.java").ends(0).says("digraph \"Main.main\"");
    place.run("show callgraph Main.java").ends(0).says("Main.divide");
}

#[test]
fn strings_and_enums_are_inputs() {
    let place = java(
        "class Main {\n    enum Color { RED, GREEN }\n    static class Account {\n        String owner;\n        Color color;\n    }\n    \
         static void owner(Account a) {\n        if (a != null && a.owner != null) {\n            assert !a.owner.equals(\"Bob\");\n        }\n    }\n    \
         static void color(Color c, int n) {\n        assert c != Color.GREEN || n != 3;\n    }\n    \
         static void all(Color c) {\n        if (c != null) {\n            assert c.ordinal() < 2;\n        }\n    }\n    \
         static void field(Account a) {\n        if (a != null) {\n            assert a.color != Color.RED;\n        }\n    }\n    \
         static void first(String s) {\n        if (s != null && s.length() == 1 && s.charAt(0) == 'x') {\n            assert s.equals(\"x\");\n        }\n    }\n    \
         public static void main(String[] args) {\n        assert args.length == 0 || !args[0].equals(\"x\");\n    }\n}\n",
    );
    place.run("check Main.java --entry Main.owner").ends(1).says("owner = \"Bob\"");
    place.run("check Main.java --entry Main.color").ends(1).says("n = 3").says("c = Main$Color.GREEN");
    let json = place.run("check Main.java --entry Main.color --json").ends(1).json();
    let constant = serde_json::json!([{"parameter": 0, "name": "c", "constant": "GREEN"}]);
    assert_eq!(json["violation"]["constants"], constant);
    assert_eq!(json["violation"]["inputs"]["args"], serde_json::json!([{"int": "3"}]));
    place.run("check Main.java --entry Main.all").ends(0);
    place.run("check Main.java --entry Main.field").ends(3).says("references to Main$Color in input objects are null");
    let first = place.run("check Main.java --entry Main.first --string-length 3 --loops off").ends(3);
    first.says("holds within bounds").says("strings from inputs have at most 3 characters");
    place.run("check Main.java").ends(1).says("\"x\"");
}

/// Asks about an entry point of a program with both engines. `expected` is the exit status and a part of the answer.
#[track_caller]
fn asked(place: &Place, entry: &str, expected: (i32, &str)) {
    for engine in ["forward", "backward"] {
        let ran = place.run(&format!("check Main.java --entry {entry} --engine {engine}"));
        assert_eq!(ran.status, Some(expected.0), "{entry} {engine}: {}", ran.stdout);
        assert!(ran.stdout.contains(expected.1), "{entry} {engine}: {}", ran.stdout);
    }
}

#[test]
fn arguments_are_objects_that_static_fields_hold() {
    let place = java(
        "class Main {\n    static class Node {\n        Node next;\n        int value;\n    }\n    \
         static final Node END = new Node();\n    static final int[] TABLE = {1, 2};\n    static final Node[] NONE = {};\n    \
         static Object unread = new Object();\n    \
         static void same(Node n) {\n        assert n != END;\n    }\n    \
         static void through(Node n) {\n        if (n != null) {\n            int before = END.value;\n            n.value = before + 1;\n            assert END.value == before;\n        }\n    }\n    \
         static void other(Node n) {\n        if (n != null && n != END) {\n            n.value = END.value + 1;\n            assert n.value != END.value;\n        }\n    }\n    \
         static void table(int[] a) {\n        if (a != null && a.length == 2) {\n            a[0] = 5;\n            assert TABLE[0] == 1;\n        }\n    }\n    \
         static void copy(int[] a) {\n        if (a != null && a.length == 3) {\n            a[0] = 5;\n            assert TABLE[0] == 1;\n        }\n    }\n    \
         static void literal(String s) {\n        assert s != \"key\";\n    }\n    \
         static void empty(Node[] a) {\n        assert a != NONE;\n    }\n    \
         static void next(Node n) {\n        if (n != null) {\n            assert n.next != END;\n        }\n    }\n}\n",
    );
    asked(&place, "Main.same", (1, "n = Main.END"));
    asked(&place, "Main.through", (1, "n = Main.END"));
    asked(&place, "Main.table", (1, "a = Main.TABLE"));
    asked(
        &place,
        "Main.copy",
        (3, "objects that static fields refer to are as initialization leaves them: Main.TABLE"),
    );
    asked(&place, "Main.empty", (1, "a = Main.NONE"));
    let confirmed = |entry: &str| place.run(&format!("check Main.java --entry {entry} --confirm")).ends(1);
    confirmed("Main.table").says("confirmed by");
    asked(&place, "Main.literal", (1, "s = \"key\""));
    let shared = "inputs share no objects with static fields";
    asked(&place, "Main.next", (3, shared));
    asked(&place, "Main.other", (3, shared));
    let place = java(
        "import java.util.*;\n\nclass Main {\n    static class Item {\n        int stock;\n    }\n    \
         static final List<Item> ALL = new ArrayList<>(List.of(new Item()));\n    \
         static void listed(Item i) {\n        if (i != null) {\n            assert i != ALL.get(0);\n        }\n    }\n}\n",
    );
    asked(&place, "Main.listed", (3, shared));
    let place = java(
        "class Main {\n    static class N {\n        Object o;\n    }\n    \
         static void box(Number n) {\n        Integer five = 5;\n        assert n != five;\n    }\n    \
         static void held(N n) {\n        Integer five = 5;\n        assert n == null || n.o != five;\n    }\n    \
         static void thread(Thread t) {\n        assert t != Thread.currentThread();\n    }\n    \
         static void equal(Thread t) {\n        assert t == null || !t.equals(Thread.currentThread());\n    }\n    \
         static void state(Thread.State s) {\n        assert s == null;\n    }\n    \
         static void any(Enum<?> e) {\n        assert e == null;\n    }\n    \
         public boolean equals(Object o) {\n        return this == o;\n    }\n    \
         static void own(Main a, Main b) {\n        assert a == null || b == null || a.equals(b) == (a == b);\n    }\n}\n",
    );
    asked(&place, "Main.box", (1, "n = Integer#"));
    for entry in ["Main.held", "Main.thread", "Main.equal"] {
        asked(&place, entry, (3, "inputs are none of the objects that the library gives"));
    }
    asked(&place, "Main.any", (3, "arguments are none of the objects of some static fields"));
    asked(&place, "Main.state", (1, "s = java.lang.Thread$State."));
    asked(&place, "Main.own", (0, "holds"));
}

#[test]
fn arguments_are_objects_of_private_static_fields_only_if_callers_have_them() {
    let place = java(
        "import java.util.*;\n\nclass Main {\n    static class Box {\n        int v;\n    }\n    \
         private static final Box HIDDEN = new Box();\n    private static final Box GIVEN = new Box();\n    private static final Box LISTED = new Box();\n    \
         private static final List<Box> ALL = List.of(LISTED);\n    private static final int[] PRIMES = {2, 3};\n    \
         static Box given() {\n        return GIVEN;\n    }\n    static int value() {\n        return HIDDEN.v;\n    }\n    static Box first() {\n        return ALL.get(0);\n    }\n    \
         static int[] primes() {\n        return PRIMES.clone();\n    }\n    \
         static void hidden(Box b) {\n        assert b != HIDDEN;\n    }\n    \
         private static void within(Box b) {\n        assert b != HIDDEN;\n    }\n    \
         static void of(Box b) {\n        assert b != GIVEN;\n    }\n    \
         static void listed(Box b) {\n        assert b != LISTED;\n    }\n    \
         static void table(int[] a) {\n        assert a != PRIMES;\n    }\n}\n",
    );
    asked(&place, "Main.hidden", (0, "holds"));
    asked(&place, "Main.within", (1, "b = Main.HIDDEN"));
    asked(&place, "Main.of", (1, "b = Main.GIVEN"));
    asked(&place, "Main.listed", (3, "arguments are not the object of Main.LISTED, which callers may not have"));
    asked(&place, "Main.table", (0, "holds"));
    let place = java(
        "class Main {\n    static class Box {\n        int v;\n    }\n    private static final Box KEPT = new Box();\n    \
         static java.util.function.Supplier<Box> supplier() {\n        Box b = KEPT;\n        return () -> b;\n    }\n    \
         static void kept(Box b) {\n        assert b != KEPT;\n    }\n}\n",
    );
    asked(&place, "Main.kept", (3, "arguments are not the object of Main.KEPT, which callers may not have"));
}

#[test]
fn arguments_are_what_the_library_has() {
    let place = java(
        "class Main {\n    static class Name {\n        String text;\n    }\n    \
         static void flag(Boolean b) {\n        assert b != Boolean.TRUE;\n    }\n    \
         static void flags(Boolean b) {\n        assert b == null || b == Boolean.TRUE || b == Boolean.FALSE;\n    }\n    \
         static void small(Integer a) {\n        assert a != Integer.valueOf(5);\n    }\n    \
         static void literal(String s) {\n        assert s != \"lit\";\n    }\n    \
         static void type(Class<?> c) {\n        assert c != String.class;\n    }\n    \
         static void nothing(Void v) {\n        assert v == null;\n    }\n    \
         static void deep(Name n) {\n        if (n != null) {\n            assert n.text != \"lit\";\n        }\n    }\n    \
         static void message(RuntimeException e) {\n        if (e != null && e.getClass() == RuntimeException.class) {\n            assert e.getMessage() == e.getMessage();\n        }\n    }\n    \
         static void exact(int[] a) {\n        Object o = a;\n        if (o != null) {\n            assert o.getClass() == int[].class;\n        }\n    }\n}\n",
    );
    asked(&place, "Main.flag", (1, "b = java.lang.Boolean.TRUE"));
    asked(&place, "Main.flags", (1, "violated"));
    asked(&place, "Main.small", (1, "violated"));
    asked(&place, "Main.literal", (1, "s = \"lit\""));
    asked(&place, "Main.type", (1, "java.lang.String"));
    asked(&place, "Main.nothing", (0, "holds"));
    asked(&place, "Main.deep", (3, "inputs share no objects"));
    asked(&place, "Main.message", (3, "holds within bounds"));
    asked(&place, "Main.exact", (0, "holds"));
}

#[test]
fn inputs_are_constants_lambdas_and_inner_objects() {
    let place = java(
        "import java.util.function.IntUnaryOperator;\n\nclass Main {\n    interface Op {\n        int apply(int x);\n    }\n    \
         enum Color implements Op {\n        RED;\n\n        public int apply(int x) {\n            return 3;\n        }\n    }\n    \
         static class One implements Op {\n        public int apply(int x) {\n            return 1;\n        }\n    }\n    \
         static Op two(int y) {\n        return x -> 1 + (y == 7 ? 1 : 0);\n    }\n    class Inner {\n        int get() {\n            return size;\n        }\n    }\n    int size;\n    \
         static void constant(Op op) {\n        if (op != null) {\n            assert op.apply(0) != 3;\n        }\n    }\n    \
         static void lambda(Op op) {\n        if (op != null) {\n            assert op.apply(0) != 2;\n        }\n    }\n    \
         static void any(Enum<?> e) {\n        assert e == null;\n    }\n    \
         static void inner(Inner i) {\n        if (i != null) {\n            try {\n                i.get();\n            } catch (NullPointerException e) {\n                assert false;\n            }\n        }\n    }\n}\n",
    );
    asked(&place, "Main.constant", (1, "op = Main$Color.RED"));
    asked(&place, "Main.lambda", (1, "captured0 = 7"));
    asked(&place, "Main.any", (1, "e = Main$Color.RED"));
    asked(&place, "Main.inner", (0, "holds"));
}

#[test]
fn bridges_are_not_meant() {
    let place = java(
        r#"class Main {
    static class V implements Comparable<V> {
        int k;
        public int compareTo(V o) { int c = Integer.compare(k, o.k); assert c >= -1 && c <= 1; return c; }
    }
    static class W implements Cloneable {
        public W clone() { W w = new W(); assert w != this; return w; }
    }
}
"#,
    );
    for entry in ["Main.V.compareTo", "Main.W.clone", "Main.W.clone()"] {
        place.run(&format!("check Main.java --entry {entry}")).ends(0);
    }
}

#[test]
fn inputs_are_of_classes_that_the_program_names() {
    let place = java(
        r#"import java.util.*;

class Main {
    static void added(List<Integer> l) { if (l != null) { l.add(1); assert l.size() == 1; } }
    static void asked(Map<String, String> m) { if (m instanceof TreeMap) assert m.size() != 1; }
    static Object make() { return new ArrayList<>(List.of(2)); }
}
"#,
    );
    place.run("check Main.java --entry Main.added").ends(1);
    asked(&place, "Main.asked", (1, "TreeMap"));
}

#[test]
fn inputs_lead_to_constants() {
    let place = java(
        r#"import java.util.*;
import java.util.concurrent.TimeUnit;

class Main {
    interface Named { }
    enum Color implements Named { RED, GREEN }
    enum E1 { A } enum E2 { A } enum E3 { A } enum E4 { A } enum E5 { A, B }
    static class Holder { Object any; Named named; int x; }
    static boolean same(Object a, Object b) { return a == b; }

    static void many(Object o) { assert o != E5.B; }
    static void ofLibrary(Object o) { assert o != TimeUnit.SECONDS; }
    static void type(Object o) { assert o != String.class; }
    static void field(Holder h) { if (h != null) assert h.named != Color.GREEN; }
    static void typeInside(Holder h) { if (h != null) assert h.any != String.class; }
    static void unitInside(Holder h) { if (h != null) assert h.any != TimeUnit.SECONDS; }
    static void called(Holder h) { if (h != null) assert !same(h.any, Color.RED); }
    static void argument(Holder h, Color c) { if (h != null && h.any != null) assert h.any != c; }
    static void library(Holder h) { if (h != null) assert !Objects.equals(Color.RED, h.named); }
    static void array(Holder h) { if (h != null) assert !Arrays.asList(h.named).contains(Color.RED); }
    static void list(ArrayDeque<Named> l) { if (l != null) assert l.peekFirst() != Color.RED; }
    static void element(Named[] a) { if (a != null && a.length > 0) assert a[0] != Color.RED; }
    static void number(Holder h) { if (h != null) assert h.x != 1 || h.x != 2 || Color.RED.ordinal() == 0; }
    static void exact(Holder h, Object o) { if (h != null && o != null && h.getClass() == Holder.class) assert h.x == h.x; }
}
"#,
    );
    asked(&place, "Main.many", (1, "o = Main$E5.B"));
    asked(&place, "Main.ofLibrary", (1, "o = java.util.concurrent.TimeUnit.SECONDS"));
    asked(&place, "Main.type", (1, "java.lang.String"));
    let inside = ["field", "typeInside", "unitInside", "called", "argument", "library", "array", "list", "element"];
    for entry in inside {
        asked(&place, &format!("Main.{entry}"), (3, "inputs share no objects with static fields"));
    }
    asked(&place, "Main.number", (0, "holds"));
    asked(&place, "Main.exact", (0, "holds"));
}

#[test]
fn input_arrays_are_of_subclasses() {
    let place = java(
        "class Main {\n    interface I { }\n    static class A implements I { }\n    static class B implements I { }\n    static final class C { }\n    \
         static void numbers(Number[] a) {\n        store(a, 1);\n    }\n    \
         static void objects(Object[] a) {\n        store(a, new Object());\n    }\n    \
         static void own(I[] a) {\n        store(a, new A());\n    }\n    \
         static void rows(I[][] a) {\n        store(a, new I[0]);\n    }\n    \
         static void last(C[] a) {\n        store(a, new C());\n    }\n    \
         static void store(Object[] a, Object o) {\n        if (a != null && a.length > 0) {\n            try {\n                a[0] = o;\n            } catch (ArrayStoreException e) {\n                assert false;\n            }\n        }\n    }\n}\n",
    );
    for entry in ["Main.numbers", "Main.objects", "Main.own", "Main.rows"] {
        asked(&place, entry, (1, "violated"));
    }
    asked(&place, "Main.last", (0, "holds"));
}

#[test]
fn switches_over_strings() {
    let place = java(
        "class Main {\n    static int number(String word) {\n        switch (word) {\n            case \"Aa\": return 1;\n            \
         case \"BB\": return 2;\n            case \"three\": return 3;\n            default: return 0;\n        }\n    }\n    \
         static void reached(String word) {\n        assert word == null || number(word) != 2;\n    }\n    \
         static void told(String word) {\n        if (word != null) {\n            int number = number(word);\n            \
         assert number == 0 || word.length() == (number == 3 ? 5 : 2);\n        }\n    }\n}\n",
    );
    place.run("check Main.java --entry Main.reached").ends(1).says("word = \"BB\"");
    place.run("check Main.java --entry Main.told").ends(0).says("holds: ");
    place.run("check Main.java --entry Main.number --traps").ends(1).says("NullPointerException");
}

#[test]
fn integers_without_bounds() {
    let place = java(
        "class Main {\n    static void sum(int a, int b) {\n        assert a <= 0 || b <= 0 || a + b > 0;\n    }\n    \
         static void difference(long a, long b) {\n        assert a >= b || a - b < 0;\n    }\n    \
         static void product(int a, int b) {\n        assert a <= 1 || b <= 1 || a * b > a;\n    }\n    \
         static void triple(long a) {\n        assert a <= 1 || a * 3 > a;\n    }\n    \
         static void opposite(int a) {\n        assert a >= 0 || -a > 0;\n    }\n    \
         static void next(int a) {\n        int b = a;\n        b++;\n        assert b > a;\n    }\n    \
         static void quotient(int a, int b) {\n        assert a >= 0 || b >= 0 || a / b >= 0;\n    }\n    \
         static void half(long a) {\n        assert a >= 0 || a / -1 > 0;\n    }\n    \
         static void eight(int a) {\n        assert a + 1 != 8;\n    }\n}\n",
    );
    for entry in ["sum", "difference", "product", "triple", "opposite", "next", "quotient", "half"] {
        place.run(&format!("check Main.java --entry Main.{entry}")).ends(1);
        place.run(&format!("check Main.java --entry Main.{entry} --ints machine")).ends(1);
        let unbounded = place.run(&format!("check Main.java --entry Main.{entry} --ints unbounded")).ends(3);
        unbounded.says("holds within bounds").says("integers taken as unbounded");
    }
    place.run("check Main.java --entry Main.eight --ints unbounded").ends(1).says("a = 7");
}

#[test]
fn main_gets_strings() {
    let place = java(
        "class Main {\n    public static void main(String[] args) {\n        int length = 0;\n        \
         if (args.length == 2) {\n            Object first = args[0];\n            length = first.hashCode() + args[1].length();\n        }\n    }\n    \
         static void other(String[] args) {\n        if (args.length > 0) {\n            args[0].length();\n        }\n    }\n    \
         static void element(String[] args) {\n        if (args != null && args.length > 0) {\n            args[0].length();\n        }\n    }\n    \
         static void again() {\n        main(null);\n    }\n    \
         static class Other {\n        public static int main(String[] args) {\n            return args.length;\n        }\n    }\n}\n",
    );
    place.run("check Main.java --traps").ends(0).says("holds: ");
    let ran = place.run("check Main.java --traps --loops off").ends(3);
    ran.says("holds within bounds: ").says("strings from inputs have at most 10 characters");
    for entry in ["Main.other", "Main.element", "Main.again", "Other.main"] {
        place.run(&format!("check Main.java --entry {entry} --traps")).ends(1).says("NullPointerException");
    }
    java("class Main {\n    public static void main(String[] args) {\n        assert args.length >= 0;\n    }\n}\n")
        .run("check Main.java --traps")
        .ends(0);
    java(MAIN).run("check Main.java").ends(1).says("args = String[3]#1 = [\"\", \"\", \"\"]");
    let longer = "class Main {\n    public static void main(String[] args) {\n        \
                  assert args.length < 3 || !args[1].equals(\"b\");\n    }\n}\n";
    java(longer).run("check Main.java").ends(1).says(", \"b\", ");
}

#[test]
fn what_surrounds_a_program() {
    let place = java(
        "class Main {\n    static void processors() {\n        int all = Runtime.getRuntime().availableProcessors();\n        \
         assert all != 6;\n    }\n    \
         static void some() {\n        assert Runtime.getRuntime().availableProcessors() > 0;\n    }\n    \
         static void property() {\n        assert !\"Windows\".equals(System.getProperty(\"os.name\"));\n    }\n    \
         static void variable() {\n        java.util.function.Function<String, String> read = System::getenv;\n        \
         assert read.apply(\"HOME\") == null;\n    }\n    \
         static void number() {\n        assert Integer.getInteger(\"size\") == null;\n    }\n    \
         static void library(int n) {\n        var map = new java.util.concurrent.ConcurrentHashMap<String, Integer>();\n        \
         map.put(\"a\", 1);\n        System.out.printf(\"%s %d%n\", \"a\", n);\n        assert map.get(\"a\") == 1;\n    }\n}\n",
    );
    place.run("check Main.java --entry Main.processors").ends(1).says("6");
    place.run("check Main.java --entry Main.some").ends(0);
    for entry in ["property", "variable", "number"] {
        place
            .run(&format!("check Main.java --entry Main.{entry}"))
            .ends(3)
            .says("system properties, environment variables, line separators, and the default locale and charset are one fixed choice");
    }
    place.run("check Main.java --entry Main.library").ends(0);
}

#[test]
fn constructors_start_with_new_objects() {
    let place = java("class Main { int x; Main(int y) { assert x == 0; x = y; } void f() { assert x == 0; } }");
    place.run("check Main.java --entry Main.<init>").ends(0).says("holds");
    place.run("check Main.java --entry Main.f").ends(1).says("violated");
}

/// The code that a question is about may be called by a library only, or through calls whose targets are in library
/// classes.
#[test]
fn libraries_call_back() {
    let place = java(
        "\
import java.util.function.IntUnaryOperator;

public class Main {
    interface Own {
        int apply(int x);
    }

    static class Shown {
        int x;

        public String toString() {
            assert x != 1;
            return \"shown\";
        }
    }

    static int checked(int x) {
        assert x != 2;
        return x;
    }

    static void ofOwn(int x) {
        Own own = Main::checked;
        own.apply(x);
    }

    static void ofLibrary(int x) {
        IntUnaryOperator function = Main::checked;
        function.andThen(y -> y + 1).applyAsInt(x);
    }

    static void inText(int x) {
        Shown shown = new Shown();
        shown.x = x;
        String text = \"a \" + shown;
    }

    static void behind(int x) {
        int y = IntUnaryOperator.identity().applyAsInt(x);
        assert y != 3;
    }

    static int given;

    static class Initialized {
        static int y = 1;

        static {
            assert given != 4;
        }
    }

    static void initializes(int x) {
        given = x;
        Initialized.y++;
    }

    static void byName(int x) throws Exception {
        Main.class.getDeclaredMethod(\"checked\", int.class).invoke(null, x);
    }

    public static void main(String[] args) {
        ofLibrary(args.length);
    }
}
",
    );
    for engine in ["forward", "backward"] {
        for entry in ["ofOwn", "ofLibrary", "inText", "behind", "initializes"] {
            place.run(&format!("check Main.java --entry Main.{entry} --engine {engine}")).ends(1);
        }
        place.run(&format!("check Main.java --entry Main.byName --engine {engine}")).ends(3);
        place.run(&format!("reach Main.java --at Main.java:19 --engine {engine}")).ends(1).says("Main.main");
    }
}

#[test]
fn inputs_that_no_constructor_is_known_to_make() {
    let place = java(
        "class Main {\n    private int balance;\n    Main() {}\n    void pay() {\n        assert balance >= 0;\n    }\n}\n\
         class Open {\n    int balance;\n    void pay() {\n        assert balance >= 0;\n    }\n}\n",
    );
    let note = "no constructor is known to make this input, with its objects of Main";
    place.run("check Main.java --entry Main.pay").ends(1).says(&format!("note: {note}\n"));
    assert_eq!(place.run("check Main.java --entry Main.pay --json").ends(1).json()["violation"]["unmade"], note);
    let open = place.run("check Main.java --entry Open.pay").ends(1);
    assert!(!open.stdout.contains("constructor"), "{open}");
    let bound = "not covered: inputs are made in known ways";
    for engine in ["forward", "backward", "auto"] {
        let made = format!("--inputs constructible --engine {engine}");
        place.run(&format!("check Main.java --entry Main.pay {made}")).ends(3).says(bound);
        place.run(&format!("check Main.java --entry Open.pay {made}")).ends(1);
    }
}

/// Where no constructor is known at all, the option is refused.
#[test]
fn constructible_inputs_of_another_language() {
    let place = files([("Main.oox", "class Main { int x; static void main(Main m) { assert m == null; } }")]);
    let ran = place.run("check Main.oox --inputs constructible").ends(2);
    assert!(ran.stderr.contains("is for Java and C#, and this is OOX"), "{ran}");
}

#[test]
fn a_constructor_that_runs_before_with_other_arguments() {
    let place = java(
        "class Main {\n    static final Main HALF = new Main(1, 2);\n    Main(int top, int bottom) {\n        super();\n        assert bottom != 0;\n    }\n}\n",
    );
    let ran = place.run("check Main.java --entry Main.<init> --confirm --reproducer out --json").ends(1);
    let violation = &ran.json()["violation"];
    assert_eq!(violation["shown_inputs"][1]["name"], "bottom");
    assert_eq!(violation["shown_inputs"][1]["value"], "0");
    assert_eq!(violation["confirmation"]["result"], "confirmed", "{ran}");
    assert!(place.read("out/Reproducer.java").contains("int bottom = 0;"));
}

/// Characters are shown as such, and letters stand for those that cannot be printed, where these do not matter.
#[test]
fn characters_are_printable() {
    let place = files([(
        "Main.java",
        "class Main {
            static void end(char c) { assert c != '\\n'; }
            static void any(char c) { assert c < 200 && c >= 32; }
            static void text(String s) { assert s.length() != 3 || s.charAt(0) == s.charAt(1); }
            static void wide(String s) { assert s.isEmpty() || s.charAt(0) != '\\u0416'; }
            static void array(char[] a) { assert a == null || a.length < 2 || a[0] == a[1]; }
        }",
    )]);
    let input = |entry: &str| {
        let said = place.run(&format!("check Main.java --max-operations 1000000 --entry Main.{entry}")).ends(1).stdout;
        let line = said.lines().skip_while(|line| !line.starts_with("with the input")).nth(1).map(str::to_owned);
        line.expect("an input")
    };
    assert_eq!(input("end"), r"  c = '\n'");
    assert_eq!(input("wide"), "  s = \"Ж\"");
    for entry in ["text", "array"] {
        let shown = input(entry);
        assert!(shown.chars().all(|c| matches!(c, ' '..='~')) && !shown.contains(r"\u"), "{shown}");
    }
    assert!(input("any").contains('\''));
}
