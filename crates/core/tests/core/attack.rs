//! Attacks on proofs: concrete runs find violations in small programs, as they would behind a wrong proof, and they
//! never find one on an impossible input. Needs a JDK.

use aback_attack::{Attack, attack};
use aback_core::{LoadConfig, Session, entry_point};
use aback_symbolic::{Query, Uncaught};
use aback_witness::{Limits, run};
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

/// Number of operations of each attack.
const OPERATIONS: u64 = 400_000;

/// A program, and the folder of its sources.
type Place = (Session, TempDir);

fn loaded(file: &str, text: &str) -> Place {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(file);
    std::fs::write(&path, text).unwrap();
    let loaded = Session::open(&[path], &LoadConfig::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    (loaded, folder)
}

/// Attacks a claim that nothing is violated from `entry` on. An input that the attack finds must violate it again in
/// another run.
#[track_caller]
fn check((loaded, _): &Place, entry: &str, uncaught: Uncaught, is_found: bool) {
    let program = loaded.program();
    let named = entry_point(program, Some(entry)).unwrap();
    let query = Query { entry: program.start(named), assertions: true, uncaught, at: None };
    let interrupt = AtomicBool::new(false);
    let all = Attack { operations: OPERATIONS, deadline: None, interrupt: &interrupt, hints: &[] };
    let found = attack(program, &query, &all);
    assert_eq!(found.is_some(), is_found, "{entry}: {found:?}");
    if let Some(found) = found {
        let outcome = run(program, query.entry, &found.inputs, Limits::default(), &mut ()).unwrap();
        assert!(found.is_shown_by(&outcome), "{entry}: {outcome:?}");
    }
}

/// Checks whether an attack on OOX code finds a violation.
#[track_caller]
fn oox(classes: &str, main: &str, is_found: bool) {
    let text = format!("{classes}\nclass Main {{ static void main({main} }}");
    check(&loaded("Main.oox", &text), "Main.main", Uncaught::Any, is_found);
}

/// The characters of a long string are not collected: that would take minutes.
#[test]
fn a_string_of_a_billion_characters() {
    oox("", "string s) requires(s != null) { if (#s > 1000000000) { assert #s > 1000000000; } }", false);
}

/// Inputs that come nearer and nearer to what no run has done before.
#[test]
fn nearer_inputs() {
    oox("", "int x) { assume x == 123457 * 2; assert false; }", true);
    oox("", "int x, int y) { if (x > 5000 && !(y + 3 * x != 77777)) { assert false; } }", true);
    // Both outcomes of a condition, one after the other.
    oox(
        "",
        "int x) { int i := 0; int j := 0; while (i < x) { i := i + 1; j := j + 3; }
        if (i == 333) { assert j != 999; } }",
        true,
    );
    // Many elements have to change in the same way.
    oox(
        "",
        "int[] a) { if (a == null) return; int i := 0; int ones := 0;
        while (i < #a) { if (a[i] == 1) { ones := ones + 1; } i := i + 1; }
        if (#a == 40) { assert ones != 30; } }",
        true,
    );
    // A list that the program makes.
    oox(
        "class Node { int value; Node next; }",
        "int x, int y) { assume x < 1000; assume y < 1000; Node list := null; int i := 0;
            while (i < x) { Node n := new Node(); n.value := i < y ? 5 : 2; n.next := list; list := n; i := i + 1; }
            int count := 0; int sum := 0;
            while (list != null) { count := count + 1; sum := sum + list.value; list := list.next; }
            if (count == 77) { assert sum != 241; } }",
        true,
    );
    oox("", "int x) { assume x > 3; if (x == 2) { assert false; } }", false);
}

const NODE: &str = "class Node { int value; Node next; }";

#[test]
fn numbers() {
    oox("", "int x) { assert x != 7; }", true);
    oox("", "int x) { assert x * x != 49; }", true);
    oox("", "int x, int y) { assume x > 1000; assert x != y; }", true);
    oox("", "int x) { assert x < 9223372036854775807; }", true);
    oox("", "int x) { assert x == x; }", false);
    oox("", "int x) { int i := 0; while (i < x) { i := i + 1; } assert i != 5; }", true);
}

#[test]
fn heaps() {
    oox(NODE, "Node a) { int x := a.value; }", true);
    oox(
        NODE,
        "Node a, Node b) { assume a != null && b != null; a.value := 1; b.value := 2; int x := a.value; assert x == 1; }",
        true,
    );
    oox(NODE, "Node a) { assume a != null; Node b := a.next; assert a != b; }", true);
    oox(
        NODE,
        "Node a) { assume a != null; Node b := a.next; assume b != null; Node c := b.next; assert c != a || b == a; }",
        true,
    );
    oox("class A { } class B extends A { }", "A a) { assume a != null; assert !(a instanceof B); }", true);
    oox("", "int[] a) { assume a != null && #a > 1; int x := a[1]; assert x == 0; }", true);
    oox(
        "",
        "int[] a, int[] b) { assume a != null && #a == 1 && b != null && #b == 1; a[0] := 1; b[0] := 2; int x := a[0]; assert x == 1; }",
        true,
    );
    oox("class A { } class B extends A { }", "A[] a) { assume a != null && #a > 0; a[0] := new A(); }", true);
    oox("", "Exception e) { if (e != null) throw e; }", true);
    oox(NODE, "Node a) { Node b := new Node(); assert a != b; }", false);
    oox("", "int[] a) { assume a != null; int n := #a; assert n >= 0; }", false);
}

#[test]
fn contracts_of_the_entry_point_hold() {
    oox("", "int x) requires(x > 3) { assert x > 3; }", false);
    oox("", "int x) requires(x > 3) { assert x > 4; }", true);
}

#[test]
fn constructors_get_a_new_object() {
    let text = "class N { int x; N other; N(N a) { assert this.x == 0 && this.other == null && a != this; } }
        class M { int x; M(int y) { assert y != 3; } }";
    let loaded = loaded("Main.oox", text);
    check(&loaded, "N.N", Uncaught::Any, false);
    check(&loaded, "M.<init>", Uncaught::Any, true);
}

#[test]
fn java_violations() {
    let text = r#"
        import java.util.*;
        interface Shape { int area(); }
        class Square implements Shape { int side; public int area() { return side * side; } }
        class Node { int value; Node next; }
        enum Color { RED, GREEN }
        public class Main {
            static void abs(int x) { assert Math.abs(x) >= 0; }
            static void sum(int x, int y) { if (x > 0 && y > 0) assert x + y > 0; }
            static void literal(String s) { assert !"secret".equals(s); }
            static void length(String s) { assert s == null || s.length() != 2; }
            static void wide(String s) { if (s != null) for (char c : s.toCharArray()) assert c < 256; }
            static void virtual(Shape s) { assert s == null || s.area() != 1; }
            static void cycle(Node n) { assert n == null || n.next != n; }
            static void constant(Color c) { assert c != Color.GREEN; }
            static void nan(double d) { assert d == d; }
            static void cast(long l) { assert (int) l == l; }
            static void boxed(int x) { List<Integer> l = new ArrayList<>(); l.add(x); assert l.get(0) != -1; }
            static void catches(int[] a) { try { a[1] = 3; } catch (ArrayIndexOutOfBoundsException e) { assert false; } catch (NullPointerException e) { } }
            int field;
            void receiver() { assert field != 1; }
            public static void main(String[] args) { assert args.length != 1 || !args[0].equals("x"); }
        }"#;
    let loaded = loaded("Main.java", text);
    let names = [
        "abs", "sum", "literal", "length", "wide", "virtual", "cycle", "constant", "nan", "cast", "boxed", "catches",
        "receiver",
    ];
    for name in names {
        check(&loaded, &format!("Main.{name}"), Uncaught::Never, true);
    }
    check(&loaded, "Main.main", Uncaught::Never, true);
}

#[test]
fn java_programs_that_rely_on_what_inputs_are() {
    let text = r#"
        import java.util.*;
        interface Unimplemented { int get(); }
        abstract class Base { int x; Base other; Base() { assert x == 0 && other == null; } }
        class Derived extends Base { Derived() { super(); } }
        class Failure extends RuntimeException { int code; }
        enum Color { RED, GREEN { @Override boolean isGreen() { return true; } }; boolean isGreen() { return false; } }
        class Box { Color color; Object content; String text; }
        public class Main {
            class Inner { int y; void outer() { assert Main.this != null; } }
            static void strings(String s, String t) {
                if (s == null || t == null) return;
                assert s.length() <= 10 && s.length() >= 0;
                assert s.equals(new String(s)) && s.hashCode() == new String(s).hashCode();
                assert s.concat(t).startsWith(s) && s.concat(t).endsWith(t);
                for (int i = 0; i < s.length(); i++) assert s.indexOf(s.charAt(i)) <= i;
                assert new String(s.toCharArray()).equals(s);
                assert (s + t).length() == s.length() + t.length();
            }
            static void shared(String s, byte[] b) {
                if (s == null || b == null || b.length == 0 || s.isEmpty()) return;
                char c = s.charAt(0);
                b[0] = (byte) (c + 1);
                assert s.charAt(0) == c;
            }
            static void constants(Color c) {
                if (c == null) return;
                switch (c) { case RED: assert !c.isGreen(); break; case GREEN: assert c.isGreen(); break; default: assert false; }
                assert Color.valueOf(c.name()) == c && Color.values()[c.ordinal()] == c;
            }
            static void fields(Box b) {
                if (b == null) return;
                assert b.color == null || b.color == Color.RED || b.color == Color.GREEN;
                assert b.text == null || b.text.equals("" + b.text);
            }
            static void lists(ArrayList<String> l, HashMap<String, Integer> m) {
                assert l == null || l.size() >= 0;
                assert m == null || m.isEmpty() == (m.size() == 0);
            }
            static void throwables(Failure f) { assert f == null || f.getSuppressed().length == 0; }
            static void nobody(Unimplemented u) { assert u == null || u.get() == u.get(); }
            static void types(Object o) { assert o == null || o.getClass() == o.getClass() && o.equals(o); }
            static void arrays(int[][] a) { if (a != null) for (int[] row : a) assert row == null || row.length >= 0; }
            public static void main(String[] args) {
                for (String arg : args) assert arg != null && arg.equals(arg);
            }
        }"#;
    let loaded = loaded("Main.java", text);
    let names =
        ["strings", "shared", "constants", "fields", "lists", "throwables", "nobody", "types", "arrays", "main"];
    for name in names {
        check(&loaded, &format!("Main.{name}"), Uncaught::Never, false);
    }
    check(&loaded, "Main.Inner.outer", Uncaught::Never, false);
    check(&loaded, "Base.<init>", Uncaught::Never, false);
    check(&loaded, "Derived.<init>", Uncaught::Never, false);
}
