//! `explore`: lists of behaviours.

use crate::{Place, files, lacks_sdk};
use insta::assert_snapshot;
use std::path::Path;
use std::process::Command;

const LIST: &str = "\
class Node { int v; Node next; }
class Main {
    static int last(Node list) {
        assert list == null || list.next != list;
        while (list.next != null) { list := list.next; }
        return list.v;
    }
}
";

#[test]
fn behaviours_are_listed() {
    let place = files([
        ("Main.oox", LIST),
        ("acyclic.hex", "root.list(.next)* aliases nothing;\n"),
        ("empty.hex", "// nothing\n"),
    ]);
    let explore = "explore Main.oox --entry Main.last --behaviours 4";
    let without_time = |text: String| text.replace("(0.1 s)", "(0.0 s)");
    assert_snapshot!(without_time(place.run(explore).ends(3).stdout));
    assert_snapshot!(without_time(place.run(&format!("{explore} -v --invariants acyclic.hex")).ends(3).stdout));
    place.run("explore Main.oox --entry Main.last --behaviours 2 --json").ends(3).says("\"end\":\"exception\"");
    place.run("explore Main.oox --entry Main.last --invariants empty.hex").ends(2).says("the file has no sentence");
    place.run("explore Main.oox --entry Main.lost").ends(2).says("Main.last");
    place.run("explore None.oox").ends(2).says("None.oox");
}

/// The page has a drawing of each input heap, and another one where the run changes it.
#[test]
fn behaviours_are_drawn() {
    let cut = "\
class Node { int v; Node next; }
class Main {
    static Node cut(Node list) {
        Node rest := list.next;
        list.next := null;
        return rest;
    }
}
";
    let place = files([("Main.oox", cut)]);
    place.run("explore Main.oox --entry Main.cut --behaviours 3 --html out.html").ends(3);
    let page = place.read("out.html");
    let from = page.find("<section").unwrap();
    assert_snapshot!(page[from..]);
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("http"));
    for (part, count) in [("<section", 3), ("objects of the inputs", 2), ("objects afterwards", 1), ("<script", 0)] {
        assert_eq!(page.matches(part).count(), count, "{part}");
    }
    place
        .run("explore Main.oox --entry Main.cut --html missing/out.html")
        .ends(2)
        .says("cannot write missing/out.html");
}

/// The JUnit of Debian's packages, which `make setup` installs.
const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest.jar";

/// Compiles all Java sources of folders against JUnit, and runs a class of tests. Returns what JUnit says.
#[track_caller]
fn junit(place: &Place, sources: &[&str], class: &str) -> String {
    let ran = |command: &mut Command| {
        let ran = command.current_dir(place.path("")).output().unwrap();
        String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned()
    };
    assert!(Path::new("/usr/share/java/junit4.jar").exists(), "`make setup` installs JUnit");
    let said = ran(Command::new("javac").args(["-g", "-cp", JUNIT, "-d", "classes"]).args(sources));
    assert_eq!(said, "");
    ran(Command::new("java").args(["-cp", &format!("classes:{JUNIT}"), "org.junit.runner.JUnitCore", class]))
}

/// The output without what differs from machine to machine.
fn without_machine(text: &str) -> String {
    let kept = text.lines().filter(|line| !line.contains("without a sandbox"));
    let kept = kept.map(|line| line.split(", run on ").next().unwrap_or(line).trim_end());
    kept.map(|line| format!("{line}\n")).collect()
}

#[test]
fn behaviours_of_examples_become_tests() {
    let place = files([("Account.java", include_str!("../../../../examples/java/Account.java"))]);
    let explore = |entry: &str| {
        let ran = place.run(&format!("explore Account.java --entry Account.{entry} --classpath {JUNIT} --tests tests"));
        without_machine(&ran.ends(3).stdout[..]).split_once("in a collection\n").unwrap().1.to_string()
    };
    assert_snapshot!(explore("transfer") + &explore("safeTransfer"));
    let sources = ["AccountTransferTest", "AccountTransferViolationTest", "AccountSafeTransferTest"];
    let sources = sources.map(|class| format!("tests/{class}.java"));
    let sources: Vec<&str> = sources.iter().map(String::as_str).chain(["Account.java"]).collect();
    assert!(junit(&place, &sources, "AccountTransferTest").contains("OK (9 tests)"));
    assert!(junit(&place, &sources, "AccountSafeTransferTest").contains("OK (8 tests)"));
    let said = junit(&place, &sources, "AccountTransferViolationTest");
    assert!(said.contains("Tests run: 2,  Failures: 2"), "{said}");
    // A file of someone else stays.
    place.write("tests/AccountTransferTest.java", b"class AccountTransferTest {}\n");
    let again = format!("explore Account.java --entry Account.transfer --classpath {JUNIT} --tests tests");
    place.run(&again).ends(2).says("aback has not written tests/AccountTransferTest.java");
}

#[test]
fn tests_compare_what_they_can_read() {
    let source = "\
package shop;
class Cart {
    static class Item { private int price; Item next; Item(int price) { this.price = price; } }
    enum Kind { A, B }
    private static int count;
    static Item push(Item list, int price) { Item item = new Item(price); item.next = list; if (list != null) list.price++; return item; }
    static Object any(int i) {
        switch (i) {
            case 0: return 7;
            case 1: return Kind.B;
            case 2: return new java.util.ArrayList<String>();
            case 3: return new double[] {1.5, -0.0};
            case 4: return new Object[] {1, null, new Item(2), \"s\\\"x\"};
            default: throw new IllegalStateException();
        }
    }
    private static boolean hidden(int x) { if (x > 3) throw new IllegalStateException(); return x == 3; }
    static int next() { return ++count; }
    static long time(boolean b) { return b ? System.nanoTime() : 0; }
    static boolean caught(int x) { try { assert x != 3; } catch (AssertionError e) { return true; } return false; }
}
";
    let place = files([("Cart.java", source)]);
    let mut said = String::new();
    for entry in ["push", "any", "hidden", "next", "time", "caught"] {
        let ran =
            place.run(&format!("explore Cart.java --entry shop.Cart.{entry} --classpath {JUNIT} --tests tests --json"));
        let document = ran.json();
        let tests = &document["tests"];
        said += &format!("{entry}: {} {} {}\n", tests["kept"], tests["left_out"], tests["branches"]);
    }
    for class in ["CartPushTest", "CartAnyTest", "CartHiddenTest"] {
        said += &place.read(&format!("tests/shop/{class}.java"));
    }
    assert_snapshot!(said);
}

/// Skips the test where there is no .NET SDK. Without xUnit, the tests run with what stands in for it.
#[test]
fn behaviours_of_csharp_become_tests() {
    let account = include_str!("../../../../examples/csharp/Account.cs");
    let place = files([("Account.cs", account), ("tests/Other.cs", "")]);
    let ran = place.run("explore Account.cs --entry Account.Transfer --tests tests --inputs any");
    if ran.stderr.contains("there is no .NET SDK") {
        return eprintln!("skipped: {}", ran.stderr);
    }
    let said = without_machine(ran.ends(0).stdout.split_once("these are all\n").unwrap().1);
    let said = said.lines().filter(|line| !line.contains("the tests ran without it"));
    let mut said: String = said.map(|line| format!("{line}\n")).collect();
    for file in ["AccountTransferTest.cs", "AccountTransferViolationTest.cs", "Tests.csproj"] {
        let text = place.read(&format!("tests/{file}"));
        // The framework is that of the .NET which was found.
        let lines = text.lines().filter(|line| !line.contains("<TargetFramework>"));
        said.extend(lines.map(|line| format!("{line}\n")));
    }
    assert_snapshot!(said);
    place.write("tests/Tests.csproj", b"<Project />\n");
    let again = place.run("explore Account.cs --entry Account.SafeTransfer --tests tests");
    again.ends(2).says("aback has not written tests/Tests.csproj");
}

/// Tests must be compiled. A runtime alone can read assemblies, but has no compiler.
#[test]
fn tests_of_assemblies_need_an_sdk() {
    let place = files([]);
    let assembly = include_bytes!("../../../../examples/csharp/Account.dll");
    place.write("Account.dll", assembly);
    let ran = place.run("explore Account.dll --entry Account.SafeTransfer --tests tests");
    if ran.stderr.contains("need the class library of .NET") {
        return eprintln!("skipped: {}", ran.stderr);
    }
    match ran.status {
        Some(3) => ran.says(" for xUnit, run on .NET"),
        _ => ran.ends(2).says("no tests are written: tests must be compiled, and the .NET at ").says(" has no SDK"),
    };
}

/// There are no tests for languages without a framework.
#[test]
fn languages_without_tests() {
    let place = files([("Main.oox", LIST)]);
    place.run("explore Main.oox --entry Main.last --behaviours 2 --tests out").ends(2).says("no tests are written");
}

/// All parts of a struct are shown that a method returns.
#[test]
fn results_that_are_structs() {
    let text = "public struct Vec { public int X; public long Y; }
public class A {
    public static Vec Make(int n) => n > 3 ? new Vec { X = 7, Y = -1 } : default;
    public static int? Next(int? n) => n == null ? 4 : n == 4 ? null : 9;
}
";
    let place = files([("A.cs", text)]);
    let made = place.run("explore A.cs --entry A.Make");
    if lacks_sdk(&made) {
        return;
    }
    made.ends(0).says("returns { X = 7, Y = -1 }").says("returns { X = 0, Y = 0 }");
    let next = place.run("explore A.cs --entry A.Next").ends(0);
    next.says("returns { hasValue = true, value = 4 }").says("returns { hasValue = false, value = 0 }");
}
