//! Evidence of violations: runs on the JVM, reproducers, and files for other tools.

use crate::{files, lacks_sdk, program};
use insta::assert_snapshot;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

const MAIN: &str = "\
package shop;

class Main {
    static class Item {
        private int price = 1;
        Item next;
    }

    static void total(Item first) {
        assert first == null || first.next != first || first.price != 3;
    }

    static long now(long since) {
        return 100 / (System.nanoTime() - since);
    }
}
";

#[test]
fn a_counterexample_is_confirmed_and_reproduced() {
    let place = files([("Main.java", MAIN)]);
    let ran = place.run("check Main.java --entry Main.total --confirm --reproducer out --witness w.json").ends(1);
    assert!(ran.stdout.contains("\nconfirmed by openjdk "), "{ran}");
    assert_snapshot!(place.read("out/Reproducer.java"));
    assert_snapshot!(place.read("out/ReproducerTest.java").split("\n    /**").next().unwrap());
    let ran = place.run("check Main.java --entry Main.total --confirm --json").ends(1);
    assert_eq!(ran.json()["violation"]["confirmation"]["result"], "confirmed");
    place.run("confirm w.json").ends(0).says("Main.java, line 10: assert can be false\nconfirmed by openjdk ");
    let ran = place.run("confirm w.json --json").ends(0);
    assert!(ran.json()["runtime"].as_str().unwrap().starts_with("openjdk "), "{ran}");
}

#[test]
fn a_jvm_that_does_otherwise_is_no_confirmation() {
    let place = files([("Main.java", MAIN)]);
    let ran = place.run("check Main.java --entry Main.now --traps --confirm --witness w.json").ends(1);
    ran.says("not confirmed: with openjdk ")
        .says("the program ends without an exception; that may depend on java.lang.System.nanoTime");
    place.run("confirm w.json").ends(1);
}

#[test]
fn what_is_no_witness() {
    let place = files([("Main.java", MAIN)]);
    place.run("check Main.java --entry Main.total --witness w.json").ends(1);
    let text = place.read("w.json");
    place.write("cut.json", &text.as_bytes()[..text.len() / 2]);
    place.run("confirm cut.json").ends(2).says("cut.json: the file ends too early");
    place.run("confirm none.json").ends(2).says("none.json: it cannot be read");
    place.write("Main.java", MAIN.replace("= 1;", "= 2;").as_bytes());
    place.run("confirm w.json").ends(2).says("Main.java has changed since the witness was written");
}

/// Programs in place of bubblewrap.
#[test]
fn answers_say_whether_there_is_a_sandbox() {
    let place = files([("Main.java", MAIN)]);
    place.run("check Main.java --entry Main.total --witness w.json").ends(1);
    let run = |bubblewrap: &str, arguments: &str| {
        place.write("bin/bwrap", format!("#!/bin/sh\n{bubblewrap}\n").as_bytes());
        std::fs::set_permissions(place.path("bin/bwrap"), PermissionsExt::from_mode(0o755)).unwrap();
        let paths = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
        let mut command = place.command(arguments);
        place.finish(command.env("PATH", paths).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    };
    let broken = "echo 'bwrap: no permission' >&2; exit 1";
    let reason = "bwrap does not work here: no permission";
    let ran = run(broken, "confirm w.json").ends(0);
    assert!(!ran.stdout.contains("sandbox"), "{ran}");
    let document = run(broken, "confirm w.json --json").ends(0).json();
    assert_eq!((&document["sandbox"], &document["no_sandbox"]), (&false.into(), &reason.into()));
    run(broken, "check Main.java --entry Main.total --confirm -v")
        .ends(1)
        .says(&format!(" without a sandbox ({reason})"));
    let ran = run(broken, "confirm w.json --sandbox required").ends(3);
    ran.says(&format!("could not be run: there is no sandbox: {reason}"));
    let document = run(broken, "confirm w.json --json --sandbox off").ends(0).json();
    assert_eq!(document["no_sandbox"], "none was asked for");
    let fails_later = format!("case \"$*\" in *true) exit 0;; esac; {broken}");
    run(&fails_later, "confirm w.json")
        .ends(3)
        .says("could not be run: the sandbox does not start (bwrap: no permission); --sandbox off runs it without one");
    let works = "while [ \"$1\" != --chdir ]; do shift; done; cd \"$2\"; shift 2; exec \"$@\"";
    let ran = run(works, "confirm w.json").ends(0);
    assert!(ran.stdout.contains("\nconfirmed by openjdk ") && ran.stdout.ends_with(" in a sandbox\n"), "{ran}");
    assert_eq!(run(works, "confirm w.json --json --sandbox required").ends(0).json()["sandbox"], true);
    let ran = run(works, "explore Main.java --entry Main.total --tests tests --sandbox off");
    assert!(!ran.stdout.contains("sandbox"), "{ran}");
    run(broken, "explore Main.java --entry Main.total --tests tests --sandbox required")
        .ends(2)
        .says(&format!("no tests are written: there is no sandbox: {reason}"));
}

/// A literal is the interned string, and a copy of the literal is another object.
#[test]
fn literals_as_inputs_are_confirmed() {
    let main = "class Main { static void f(String s) { if (s == \"lit\") assert s.length() != 3; } }";
    let place = files([("Main.java", main)]);
    let ran = place.run("check Main.java --entry Main.f --confirm --reproducer out").ends(1);
    assert!(ran.stdout.contains("\nconfirmed by openjdk "), "{ran}");
    assert!(place.read("out/Reproducer.java").contains(".intern()"));
}

#[test]
fn lambda_expressions_as_inputs_are_found_again() {
    let main = "class Main { static int n; static final Runnable R = () -> n = 7; static void f(Runnable r) { n = 0; r.run(); assert n == 0; } }";
    let place = files([("Main.java", main)]);
    place.run("check Main.java --entry Main.f --witness w.json").ends(1);
    place.run("confirm w.json").ends(3).says("only the JVM creates objects of");
}

#[test]
fn other_languages_have_no_runtime() {
    let place = program("class Main { static void main(int x) { assert x != 7; } }");
    let ran = place.run("check Main.oox --confirm --reproducer out --witness w.json").ends(1);
    ran.says("confirmed by aback's concrete interpreter")
        .says("warning: no reproducer is written: OOX has no reproducers");
    assert!(!place.path("out").exists());
    place.run("confirm w.json").ends(0).says("confirmed by aback's concrete interpreter");
}

const ASKS: &str = "\
import org.sosy_lab.sv_benchmarks.Verifier;

class Main {
    public static void main(String[] args) {
        int number = Verifier.nondetInt();
        String text = Verifier.nondetString();
        assert number != 4 || !text.equals(\"a\\\"\");
    }
}
";

const VERIFIER: &str = "\
package org.sosy_lab.sv_benchmarks;

public class Verifier {
    public static int nondetInt() { return 0; }
    public static String nondetString() { return \"\"; }
}
";

#[test]
fn files_for_other_tools() {
    let place = files([("Main.java", ASKS), ("Verifier.java", VERIFIER)]);
    place
        .run("check Main.java Verifier.java --sarif a.sarif --sv-witness w.yml --confirm")
        .ends(1)
        .says("confirmed by");
    let log: serde_json::Value = serde_json::from_str(&place.read("a.sarif")).unwrap();
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "assertion");
    assert!(log["runs"][0]["results"][0]["properties"]["confirmation"].as_str().unwrap().starts_with("confirmed by"));
    let witness = place.read("w.yml");
    let varies =
        |line: &&str| ["uuid:", "creation_time:", "version:"].iter().any(|key| line.trim_start().starts_with(key));
    assert_snapshot!(witness.lines().filter(|line| !varies(line)).collect::<Vec<_>>().join("\n"));
    place.run("check Main.java Verifier.java --at Main.java:5 --sv-witness w.yml").ends(3);
    assert!(!place.path("w.yml").exists(), "an old witness stays");
}

/// What validators of witnesses do: reads GraphML strictly, checks that all is declared, and prints the assumptions.
const READ: &str = r#"
import java.io.File;
import java.util.*;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.*;

class Read {
    static List<Element> parts(Element of, String name) {
        List<Element> parts = new ArrayList<>();
        for (Node node = of.getFirstChild(); node != null; node = node.getNextSibling())
            if (node instanceof Element part && part.getTagName().equals(name)) parts.add(part);
        return parts;
    }

    static Map<String, String> data(Element of, Map<String, String> declared) {
        Map<String, String> data = new LinkedHashMap<>();
        for (Element part : parts(of, "data")) {
            String key = part.getAttribute("key");
            if (!of.getTagName().equals(declared.get(key))) throw new IllegalStateException(key + " is not declared");
            if (data.put(key, part.getTextContent()) != null) throw new IllegalStateException(key + " twice");
        }
        return data;
    }

    public static void main(String[] args) throws Exception {
        Element root = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new File(args[0])).getDocumentElement();
        Map<String, String> declared = new HashMap<>();
        for (Element key : parts(root, "key")) declared.put(key.getAttribute("id"), key.getAttribute("for"));
        Element graph = parts(root, "graph").get(0);
        System.out.println(String.join(" ", data(graph, declared).keySet()));
        List<String> nodes = new ArrayList<>();
        for (Element node : parts(graph, "node")) nodes.add(node.getAttribute("id") + data(node, declared));
        System.out.println(String.join(" ", nodes));
        for (Element edge : parts(graph, "edge")) {
            Map<String, String> data = data(edge, declared);
            System.out.println(edge.getAttribute("source") + "-" + edge.getAttribute("target") + " " + data);
        }
    }
}
"#;

impl crate::Place {
    /// The lines that [`READ`] prints for a witness.
    fn read_graphml(&self, name: &str) -> Vec<String> {
        self.write("Read.java", READ.as_bytes());
        let read = std::process::Command::new("java").args(["Read.java", name]).current_dir(self.path("")).output();
        let read = read.unwrap();
        assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
        String::from_utf8(read.stdout).unwrap().lines().map(String::from).collect()
    }
}

/// Values of all types, in variables and elsewhere, and characters that XML, Java and validators treat specially.
const ASKS_MUCH: &str = "\
package shop;

import org.sosy_lab.sv_benchmarks.Verifier;

class Main {
    static int field;

    public static void main(String[] args) {
        boolean flag = Verifier.nondetBoolean();
        byte small = Verifier.nondetByte();
        char letter = Verifier.nondetChar();
        long large = Verifier.nondetLong();
        float single = Verifier.nondetFloat();
        double twice = Verifier.nondetDouble();
        String text = Verifier.nondetString();
        field = Verifier.nondetInt();
        int asked = ask(Verifier.nondetInt());
        if (flag && small == -2 && letter == 'x' && large == 1L << 40 && single == 1.1f && twice == 1e22) {
            assert !text.equals(\"a\\\"=;<&>\") || field != 3 || asked != 11;
        }
    }

    static int ask(int more) {
        return Verifier.nondetInt() == 7 && more == 4 ? 7 + more : 0;
    }
}
";

const ASKED: &str = "\
package org.sosy_lab.sv_benchmarks;

public class Verifier {
    public static boolean nondetBoolean() { return false; }
    public static byte nondetByte() { return 0; }
    public static char nondetChar() { return 0; }
    public static int nondetInt() { return 0; }
    public static long nondetLong() { return 0; }
    public static float nondetFloat() { return 0; }
    public static double nondetDouble() { return 0; }
    public static String nondetString() { return \"\"; }
}
";

#[test]
fn a_witness_for_validators_of_java() {
    let place = files([("Main.java", ASKS_MUCH), ("Verifier.java", ASKED)]);
    let ran = place.run("check Main.java Verifier.java --sv-witness w.graphml --json").ends(1);
    let document = ran.json();
    let given = document["violation"]["given"].as_array().unwrap();
    let lines = place.read_graphml("w.graphml");
    let witness = place.read("w.graphml");
    let varies = |line: &&str| ["creationtime\">", "producer\">"].iter().any(|key| line.contains(key));
    assert_snapshot!(witness.lines().filter(|line| !varies(line)).collect::<Vec<_>>().join("\n"));
    assert_eq!(
        lines[0],
        "witness-type sourcecodelang producer specification programfile programhash architecture creationtime"
    );
    // The witness has all values of the counterexample, in order and at their lines, and then the violation.
    let values = ["true", "-2", "120", "1099511627776L", "1.100000023841858", "10000000000000000000000.0"];
    let shown = ["true", "-2", "'x'", "1099511627776", "1.1", "1e22"];
    assert_eq!(given.len(), 10);
    assert_eq!(lines.len(), 2 + given.len() + 1);
    for (number, given) in given.iter().enumerate() {
        let edge = &lines[2 + number];
        assert!(edge.starts_with(&format!("n{number}-n{} ", number + 1)), "{edge}");
        assert!(edge.contains(&format!("startline={},", given["place"]["line"])), "{edge}");
        let value = given["value"].as_str().unwrap();
        match number {
            6 => assert!(edge.contains(r#"assumption=text.equals("a\"\u003d\u003b<&>");"#), "{edge}"),
            0..6 => {
                assert_eq!(value, shown[number]);
                assert!(edge.contains(&format!(" = {};", values[number])), "{edge}");
            }
            _ => assert!(edge.contains(&format!("assumption=\\result = {value};")), "{edge}"),
        }
    }
    assert!(lines[1].starts_with("n0{entry=true} n1{}") && lines[1].ends_with(" n11{violation=true}"), "{}", lines[1]);
    assert!(lines.last().unwrap().starts_with("n10-n11 {originfile=shop/Main.java, startline=19,"), "{lines:?}");
}

/// A witness says which property is violated, or that the program has it.
#[test]
fn witnesses_state_their_properties() {
    let main = "class Main { public static void main(String[] args) { assert args.length != 3; Object o = args[0]; } \
                static void other() { assert true; } }";
    let place = files([("Main.java", main)]);
    let exceptions = "CHECK(init(Main.main()), LTL(G ! uncaught(java.lang.RuntimeException)))";
    place.write("assert.prp", b"CHECK( init(Main.main()), LTL(G assert) )\n");
    place.write("exceptions.prp", format!("{exceptions}\n").as_bytes());
    place.write("none.prp", b"CHECK( init(Main.main()), LTL(G ! uncaught(java.lang.ClassCastException)) )\n");
    let says = |part: &str| {
        let text = place.read("w.graphml");
        assert!(text.contains(&format!(">{part}</data>")), "no {part} in {text}");
        place.read_graphml("w.graphml").len()
    };
    place.run("check Main.java --property exceptions.prp --sv-witness w.graphml").ends(1);
    says(exceptions);
    says("violation_witness");
    place.run("check Main.java --property none.prp --sv-witness w.graphml").ends(0);
    says("CHECK( init(Main.main()), LTL(G ! uncaught(java.lang.ClassCastException)) )");
    assert_eq!(says("correctness_witness"), 2, "one line with data and one with nodes");
    place.run("check Main.java --property none.prp --sv-witness w.yml").ends(0);
    assert!(place.read("w.yml").starts_with("- entry_type: \"invariant_set\"\n"));
    assert!(place.read("w.yml").ends_with("  content: []\n"));
    // A proof about a part of the executions is not one of the property.
    for part in ["--at Main.java:1", "--assume args.length==1", "--entry Main.other"] {
        place.run(&format!("check Main.java --property none.prp {part} --sv-witness w.graphml")).ends(0);
        assert!(!place.path("w.graphml").exists(), "{part}");
    }
    place.run("check Main.java --entry Main.other --sv-witness w.graphml").ends(0);
    assert!(!place.path("w.graphml").exists(), "without a property");
    let ran = place.run("check Main.java --traps --sv-witness w.graphml --assume args.length==0").ends(1);
    ran.says("ArrayIndexOutOfBoundsException");
    says("CHECK( init(Main.main()), LTL(G ! uncaught(java.lang.RuntimeException)) )");
    // The form is for Java.
    place.write("Main.oox", b"class Main { static void main(int x) { assert x != 7; } }");
    place.run("check Main.oox --sv-witness w.graphml").ends(1).says("no SV-COMP witness is written");
    assert!(!place.path("w.graphml").exists());
}

const SHOP: &str = "\
using System.Diagnostics;

public class Item
{
    private int price;
    public Item Next { get; set; }
    public int Count;

    public static void Total(Item first, ref int sum, ref int tax, string[] names)
    {
        sum = 1;
        tax = 2;
        if (first == null || first.Next != first || first.Count != -5 || names == null || names.Length != 2)
        {
            return;
        }
        Debug.Assert(first.price != 3 || sum != 2 || names[1] != \"a\\\"\");
    }

    public static int Rate(int total)
    {
        return 100 / total;
    }
}
";

/// Skips the test where there is no .NET SDK.
#[test]
fn a_counterexample_of_a_csharp_program_is_confirmed_and_reproduced() {
    let place = files([("Item.cs", SHOP)]);
    let found = place.run("check Item.cs --at Item.cs:17 --loops off --confirm --reproducer out --witness w.json");
    if lacks_sdk(&found) {
        return;
    }
    found.ends(1).says("\nconfirmed by .NET ");
    assert_snapshot!(place.read("out/Reproducer.cs"));
    assert_snapshot!(place.read("out/ReproducerTest.cs"));
    place.run("confirm w.json").ends(0).says("Item.cs, line 17: assertion can be false\nconfirmed by .NET ");
    let ran = place.run("check Item.cs --entry Item.Rate --traps --confirm --json").ends(1);
    assert_eq!(ran.json()["violation"]["confirmation"]["result"], "confirmed", "{ran}");
    place.run("confirm w.json --dotnet-root none").ends(2).says("there is no .NET SDK in none");
    let ran = place.run("reach Item.cs --at Item.cs:15 --confirm --witness r.json").ends(1);
    ran.says("could not be run: a line that is reached leaves no trace on the .NET runtime");
    place.run("confirm r.json").ends(3);
}
