//! The meaning of class files: which method a call runs, what is an assert statement, and what is a switch over
//! strings. Each program is checked by both engines and run on a JVM. Needs a JDK.

use aback_core::{
    CheckConfig, ConfirmConfig, Confirmation, Engine, LoadConfig, Sandboxing, Session, Verdict, check as ask,
};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Sources, by path.
type Sources<'s> = &'s [(&'s str, &'s str)];

/// Compiles sources, with the compiler that stays if there is one (`scripts/compilers`), which takes a file of arguments.
fn compile(sources: Sources, folder: &Path, out: &Path) {
    let mut arguments = format!("-encoding UTF-8 -cp \"{0}\" -d \"{0}\"\n", out.display());
    for (path, text) in sources {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        arguments += &format!("\"{}\"\n", path.display());
    }
    let list = folder.join("arguments");
    fs::write(&list, arguments).unwrap();
    let javac = std::env::var_os("JAVA_HOME").map_or("javac".into(), |home| Path::new(&home).join("bin/javac"));
    let quick = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-J-Xshare:auto"];
    let compiled = Command::new(javac).args(quick).arg(format!("@{}", list.display())).output();
    let compiled = compiled.expect("a JDK is needed: make setup");
    assert!(
        compiled.status.success(),
        "{}{}",
        String::from_utf8_lossy(&compiled.stdout),
        String::from_utf8_lossy(&compiled.stderr)
    );
}

/// Checks the verdict about a program in which the classes of `later`, compiled against the other sources, replace
/// classes.
#[track_caller]
fn check_changed(sources: Sources, later: Sources, expected: Verdict) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    compile(sources, &folder.path().join("sources"), &out);
    if !later.is_empty() {
        compile(later, &folder.path().join("later"), &out);
    }
    let jvm = Command::new("java").arg("-ea").arg("-cp").arg(&out).arg("Main").output().expect("java");
    let said = String::from_utf8_lossy(&jvm.stderr);
    match expected {
        Verdict::Holds => assert!(jvm.status.success(), "{said}"),
        Verdict::Violated => assert!(said.contains("java.lang.AssertionError"), "{said}"),
        _ => {}
    }
    for engine in [Engine::Forward, Engine::Backward] {
        let loaded = Session::open(std::slice::from_ref(&out), &LoadConfig::default()).unwrap();
        let timeout = Some(Duration::from_secs(60));
        let answer = ask(loaded.program(), &CheckConfig { engine, timeout, ..CheckConfig::default() }).unwrap();
        let reason = answer.reason(loaded.program());
        assert_eq!(answer.verdict, expected, "{engine:?}: {reason}");
    }
}

#[track_caller]
fn check(sources: Sources, expected: Verdict) {
    check_changed(sources, &[], expected);
}

/// Checks the verdict about the classes besides `Main` and the code of the main method.
#[track_caller]
fn check_main(classes: &str, code: &str, expected: Verdict) {
    let source = format!("{classes}\npublic class Main {{ public static void main(String[] args) {{ {code} }} }}");
    check(&[("Main.java", &source)], expected);
}

// ---- which method a call runs (Java Virtual Machine Specification, 5.4.3 to 5.4.6) ------------------------------

/// 5.4.5: only methods of the same package override a package-private method, and methods that override these.
#[test]
fn methods_of_packages() {
    let a =
        ("p/A.java", "package p; public class A { int f() { return 1; } public static int of(A a) { return a.f(); } }");
    let b = ("q/B.java", "package q; public class B extends p.A { public int f() { return 2; } }");
    let c = ("p/C.java", "package p; public class C extends q.B { public int f() { return 3; } }");
    let d = ("q/D.java", "package q; public class D extends p.C { public int f() { return 4; } }");
    let main = "import p.*; import q.*; public class Main { public static void main(String[] args) {
        A[] all = { new A(), new B(), new C(), new D() };
        int[] expected = { 1, 1, 3, 4 };
        for (int i = 0; i < 4; i++) assert A.of(all[i]) == expected[i];
        assert new B().f() == 2;
    } }";
    check(&[a, b, c, d, ("Main.java", main)], Verdict::Holds);
    let wrong = "public class Main { public static void main(String[] args) { assert p.A.of(new q.B()) == 2; } }";
    check(&[a, b, ("Main.java", wrong)], Verdict::Violated);
}

/// 5.4.6, 1: a private method is selected itself; 5.4.3.3: it is not among the methods of an interface.
#[test]
fn private_methods() {
    let classes = "interface I { private int f() { return 1; } default int g() { return f(); } }
        interface J { default int f() { return 2; } }
        class C implements I, J { } class D implements J, I { }
        class X { private int f() { return 1; } int g() { return f(); } static int of(X x) { return x.f(); } }
        class Y extends X { int f() { return 2; } }";
    let code = "J c = new C(), d = new D();
        assert c.f() == 2 && d.f() == 2 && new C().g() == 1 && new D().g() == 1;
        assert new Y().g() == 1 && X.of(new Y()) == 1 && new Y().f() == 2;";
    check_main(classes, code, Verdict::Holds);
}

/// 5.4.3.3, 2: superclasses come before interfaces, also for private methods, which nest mates may call (5.4.4).
#[test]
fn private_methods_are_found_before_those_of_interfaces() {
    let main = "public class Main {
        static class A { private int f() { return 1; } }
        interface I { default int f() { return 2; } }
        static class B extends A implements I { }
        public static void main(String[] args) { I i = new B(); assert i.f() == 2; assert new B().f() == 1; }
    }";
    check(&[("Main.java", main)], Verdict::Holds);
}

/// 5.4.4: outside of the nest, the same call throws an IllegalAccessError, which aback does not model.
#[test]
fn a_private_method_of_another_nest_is_refused() {
    let classes = "class A { private int f() { return 1; } } interface I { default int f() { return 2; } }
                   class B extends A implements I { }";
    check_main(classes, "assert new B().f() == 1;", Verdict::Unknown);
}

/// 5.4.6, 2: the nearest declaration counts, even if it is abstract; among interfaces, exactly one method must have
/// code.
#[test]
fn calls_that_select_no_method() {
    let main = "public class Main { public static void main(String[] args) {
        String thrown = \"\";
        try { A a = new C(); a.f(); } catch (Error e) { thrown = e.getClass().getName(); }
        assert thrown.equals(\"java.lang.AbstractMethodError\");
        try { I i = new L(); i.g(); } catch (Error e) { thrown = e.getClass().getName(); }
        assert thrown.equals(\"java.lang.IllegalAccessError\");
    } }";
    let before = "class A { void f() { } } class B extends A { } class C extends B { }
        interface I { default void g() { } } class M { } class L extends M implements I { }";
    let later =
        [("B.java", "abstract class B extends A { abstract void f(); }"), ("M.java", "class M { void g() { } }")];
    check_changed(&[("Main.java", main), ("All.java", before)], &later, Verdict::Holds);
}

/// 5.4.6, 2: if several interface methods have code, the JVM throws some error.
#[test]
fn interfaces_that_disagree() {
    let main = "public class Main { public static void main(String[] args) {
        try { I i = new K(); i.g(); } catch (Error e) { return; }
        assert false;
    } }";
    let before = "interface I { default void g() { } } interface J { } class K implements I, J { }";
    let later = [("J.java", "interface J { default void g() { } }")];
    check_changed(&[("Main.java", main), ("All.java", before)], &later, Verdict::Unknown);
    check(&[("Main.java", main), ("All.java", before)], Verdict::Violated);
}

/// 6.5, `invokespecial`: a call of `super` starts at the superclass that the class has at run time.
#[test]
fn calls_of_super() {
    let main = "class A { int f() { return 1; } } class B extends A { }
        class C extends B { int f() { return super.f() * 10; } }
        interface I { default int g() { return 3; } } interface J extends I { } class D implements J { public int g() { return J.super.g(); } }
        public class Main { public static void main(String[] args) { assert new C().f() == 20; assert new D().g() == 4; } }";
    let later = [
        ("B.java", "class B extends A { int f() { return 2; } }"),
        ("J.java", "interface J extends I { default int g() { return 4; } }"),
    ];
    check(&[("Main.java", main)], Verdict::Violated);
    check_changed(&[("Main.java", main)], &later, Verdict::Holds);
}

/// A library calls back a method that a class inherits from another class, which has no relation to the library.
#[test]
fn callbacks_that_are_inherited() {
    let classes = "import java.util.*; import java.util.function.*;
        class A { static int n; public Object get() { n = 1; return this; } } class B extends A implements Supplier<Object> { }
        interface F extends Supplier<Object> { int one(); default Object get() { A.n = one(); return this; } }";
    check_main(classes, "Optional.empty().orElseGet(new B()); assert A.n == 0;", Verdict::Violated);
    check_main(classes, "F f = () -> 1; Optional.empty().orElseGet(f); assert A.n == 0;", Verdict::Violated);
}

// ---- assert statements (Java Language Specification, 14.10) -----------------------------------------------------

#[test]
fn assert_statements() {
    // The jump behind the statement goes back to the head of the loop.
    check_main("", "int i = 0; while (i < 10) { i++; assert i < 5; }", Verdict::Violated);
    check_main("", "int i = 0; while (i < 10) { i++; assert i < 11; }", Verdict::Holds);
    check_main("", "for (int i = 0; ; ) { if (i == 3) assert i > 3; else i++; }", Verdict::Violated);
    check_main(
        "",
        "int n = args.length; assert n < 0 : n == 7 ? new AssertionError(n) : \"x\" + n;",
        Verdict::Violated,
    );
    let throwing =
        "switch (n) { case -1 -> false; default -> { if (n < -1) throw new AssertionError(); yield true; } }";
    check_main("", &format!("int n = args.length; assert {throwing};"), Verdict::Holds);
    check_main("", &format!("int n = args.length - 1; assert n != -1 || {throwing};"), Verdict::Violated);
    check_main("interface I { static void f(int x) { assert x > 0; } }", "I.f(args.length);", Verdict::Violated);
    check_main("", "Runnable r = () -> { assert args == null; }; r.run();", Verdict::Violated);
}

/// A false assertion is a violation even if its error is caught or the computation of its message fails, and a JVM shows it.
#[test]
fn false_assertions_that_a_run_survives() {
    let bodies = [
        "try { assert args == null; } catch (AssertionError e) { }",
        "try { assert args == null : f(); } catch (IllegalStateException e) { }",
        "try { assert args == null : new Bomb(); } catch (IllegalStateException e) { }",
        "try { assert args == null; } catch (AssertionError e) { System.exit(0); }",
    ];
    for body in bodies {
        let main = format!(
            "public class Main {{ static String f() {{ throw new IllegalStateException(); }}
            static class Bomb {{ public String toString() {{ throw new IllegalStateException(); }} }}
            public static void main(String[] args) {{ {body} }} }}"
        );
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("Main.java"), main).unwrap();
        for engine in [Engine::Forward, Engine::Backward] {
            let loaded = Session::open(&[folder.path().to_path_buf()], &LoadConfig::default()).unwrap();
            let answer = ask(loaded.program(), &CheckConfig { engine, ..CheckConfig::default() }).unwrap();
            assert_eq!(answer.verdict, Verdict::Violated, "{engine:?} {body}");
            let interrupt = AtomicBool::new(false);
            let config = ConfirmConfig {
                time: Duration::from_secs(60),
                memory: 512,
                sandbox: Sandboxing::Auto,
                interrupt: &interrupt,
            };
            let witness = loaded.witness(&answer, answer.violation.as_ref().unwrap(), None);
            let confirmed = loaded.confirm_witness(&witness, &config).unwrap();
            assert!(matches!(confirmed, Confirmation::Confirmed { .. }), "{body}: {confirmed:?}");
        }
    }
}

/// Errors that the user's code throws explicitly are exceptions, whatever code surrounds them.
#[test]
fn errors_that_are_thrown_by_hand() {
    let caught = |body: &str| format!("try {{ {body} }} catch (AssertionError e) {{ }}");
    check_main("", &caught("if (args != null) throw new AssertionError();"), Verdict::Holds);
    let ok = "class A { static boolean ok(Error e) { return e != null; } }";
    check_main(ok, "assert A.ok(new AssertionError(\"an object\"));", Verdict::Holds);
    check_main(ok, "assert A.ok(new AssertionError(1)) && args == null : new AssertionError(2);", Verdict::Violated);
    let field = "class A { static final boolean $assertionsDisabled = Integer.bitCount(3) > 2;
        static void f(int n) { if (!$assertionsDisabled && n == 0) throw new AssertionError(n); } }";
    check_main(field, &caught("A.f(0);"), Verdict::Holds);
    let off = "class A { static boolean $assertionsDisabled = Integer.bitCount(3) == 2; static int n;
        static void f() { if (!$assertionsDisabled) n = 1; } }";
    check_main(off, "A.f(); assert A.n == 0;", Verdict::Holds);
}

/// Assertions are enabled in classes that the bootstrap loader does not define.
#[test]
fn where_assertions_are_on() {
    let code = "assert Main.class.desiredAssertionStatus() && !String.class.desiredAssertionStatus();
        assert !String[].class.desiredAssertionStatus() && !int[].class.desiredAssertionStatus() && !void.class.desiredAssertionStatus();
        assert java.sql.Date.class.desiredAssertionStatus();
        Class<?> c = args == null ? Main.class : String.class; assert !c.desiredAssertionStatus();";
    check_main("", code, Verdict::Holds);
    check_main("", "assert !Main.class.desiredAssertionStatus();", Verdict::Violated);
}

// ---- switches over strings --------------------------------------------------------------------------------------

#[test]
fn switches_over_hash_codes_by_hand() {
    let either = "String s = args.length == 0 ? \"a\" : \"b\"; boolean hit = false;";
    // Labels that are the hash code of no tested string, or of another string.
    let labels = "switch (s.hashCode()) { case 5: if (s.equals(\"a\")) hit = true; break; case 600: if (s.equals(\"b\")) hit = true; break; default: }";
    check_main("", &format!("{either} {labels} assert !hit;"), Verdict::Holds);
    let swapped = "switch (s.hashCode()) { case 97: if (s.equals(\"b\")) hit = true; break; case 900: if (s.equals(\"a\")) hit = true; break; default: }";
    check_main("", &format!("{either} {swapped} assert !hit;"), Verdict::Holds);
    // Labels that are the hash codes of the tested strings.
    let right = "switch (s.hashCode()) { case 97: if (s.equals(\"a\")) hit = true; break; case 900: if (s.equals(\"\\u001d\\u0001\")) hit = true; break; default: }";
    check_main("", &format!("{either} {right} assert !hit;"), Verdict::Violated);
    // The hash code is that of another string than the tested one.
    let other = "int k = 3; String t = \"a\", s = \"b\"; boolean hit = false;
        switch ((k < 5 ? t : s).hashCode()) { case 97: if (s.equals(\"a\")) hit = true; break; case 900: if (s.equals(\"\\u001d\\u0001\")) hit = true; break; default: }";
    check_main("", &format!("{other} assert !hit;"), Verdict::Holds);
    // All labels lead to the end of the switch; only the null check remains.
    let none = "String s = args == null ? \"b\" : null; int n = 0;
        try { switch (s.hashCode()) { case 5: case 900: default: } n = 1; } catch (NullPointerException e) { n = 2; } assert n == 2;";
    check_main("", none, Verdict::Holds);
}

#[test]
fn switches_over_strings() {
    let classes = "class A { static int f(String s) { switch (s) { case \"Aa\": return 1; case \"BB\": return 2; case \"\": return 3; case \"\\0é\": return 4; default: return 0; } } }";
    let code =
        "assert A.f(\"Aa\") == 1 && A.f(\"BB\") == 2 && A.f(\"\") == 3 && A.f(\"\\0é\") == 4 && A.f(\"AaBB\") == 0;
        int n = 0; try { A.f(null); } catch (NullPointerException e) { n = 1; } assert n == 1;";
    check_main(classes, code, Verdict::Holds);
}

// ---- names that begin with `$` ----------------------------------------------------------------------------------

#[test]
fn names_like_those_that_are_hidden() {
    let fields = "class A { int $hash = 7, $trap = 8; int $kind() { return $hash + $trap; } }";
    check_main(fields, "A a = new A(); assert a.$kind() == 15 && a.getClass() == A.class;", Verdict::Holds);
    let method = "class A { Class<?> $class() { return String.class; } }";
    check_main(method, "assert new A().getClass() == A.class;", Verdict::Unknown);
}
