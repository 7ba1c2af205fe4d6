//! Evidence of violations: runs on the JVM, reproducers, and files for other tools.

use crate::{files, program};
use insta::assert_snapshot;

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
    if found.stderr.contains("there is no .NET SDK") {
        return eprintln!("skipped: {}", found.stderr);
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
