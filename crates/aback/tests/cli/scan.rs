//! Scans of small projects.

use crate::{Place, files};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const SHOP: &str = r#"package acme;

import java.util.ArrayList;
import java.util.List;

public class Shop {
    private final List<Integer> prices = new ArrayList<>();

    public void add(int price) {
        prices.add(price);
    }

    public int average() {
        int sum = 0;
        for (int price : prices) {
            sum += price;
        }
        return sum / prices.size();
    }

    public static int clamp(int x, int low, int high) {
        assert low <= high;
        return x < low ? low : x > high ? high : x;
    }

    public static int digit(int x) {
        int result = clamp(x, 0, 9);
        assert 0 <= result && result <= 9;
        return result;
    }
}
"#;

/// A project with class files in `classes` and sources beside them.
fn project(text: &str) -> Place {
    let place = files([("acme/Shop.java", text)]);
    compile(&place);
    place
}

fn compile(place: &Place) {
    let mut javac = Command::new("javac");
    javac.args(["-g", "-d", "classes", "acme/Shop.java"]).current_dir(place.path(""));
    assert!(javac.status().expect("javac").success());
}

#[test]
fn findings_come_with_the_plainest_inputs_first() {
    let shop = project(SHOP);
    let said = shop.run("scan classes --traps --jobs 1").ends(1);
    insta::assert_snapshot!(said.stdout);
    // All answers are known now.
    assert_eq!(shop.run("scan classes --traps --jobs 1").ends(1).stdout, said.stdout);
}

#[test]
fn known_findings_are_hidden() {
    let shop = project(SHOP);
    shop.run("scan classes --sarif all.sarif").ends(1).says("1 finding\n");
    let log: Value = serde_json::from_str(&shop.read("all.sarif")).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 22);
    // The same finding in a later version, on another line.
    shop.write("acme/Shop.java", format!("// A comment.\n{SHOP}").as_bytes());
    compile(&shop);
    shop.run("scan classes --known all.sarif").ends(0).says("not shown: 1 known");
    shop.run("scan classes --known acme/Shop.java").ends(2).says("is not a SARIF file");
}

/// A copy of a known failing line is new, and so is another exception at the line. The comment at a line does not matter.
#[test]
fn copies_of_known_findings() {
    let code = |lines: &str| {
        format!("public class Main {{ public static int f(int n, int m) {{ int s = 0;\n{lines}return s; }} }}\n")
    };
    let place = files([("Main.java", code("int[] a = {1}; m = 0;\ns += a[m] / n; // one\n").as_str())]);
    place.run("scan Main.java --traps --sarif known.sarif").ends(1).says("1 finding\n");
    let scan = |lines: &str| {
        place.write("Main.java", code(lines).as_bytes());
        place.run("scan Main.java --traps --known known.sarif")
    };
    scan("int[] a = {1}; m = 0;\n\ns += a[m] / n; // two\n").ends(0).says("1 known");
    let copy = scan("int[] a = {1}; m = 0;\ns += a[m] / n;\nn -= 7;\ns += a[m] / n;\n").ends(1);
    copy.says("1 finding\n").says("Main.java:5: java.lang.ArithmeticException").says("1 known");
    let other = scan("int[] a = {1};\ns += a[m] / n;\n").ends(1);
    other.says("1 finding\n").says("Main.java:3: java.lang.ArrayIndexOutOfBoundsException").says("1 known");
}

/// A fingerprint of an earlier version hides one finding.
#[test]
fn fingerprints_of_earlier_versions() {
    let assertion = "assert low <= high; // </script>";
    let shop = project(&SHOP.replace("assert low <= high;", assertion));
    let result = r#"{"partialFingerprints":{"violatedLine/v1":"110d3cf9fb776694"}}"#;
    shop.write("known.sarif", format!(r#"{{"runs":[{{"results":[{result}]}}]}}"#).as_bytes());
    shop.run("scan classes --known known.sarif").ends(0).says("1 known");
    let copy = format!("{assertion}\n        low += 1;\n        {assertion}");
    shop.write("acme/Shop.java", SHOP.replace("assert low <= high;", &copy).as_bytes());
    compile(&shop);
    shop.run("scan classes --entry *clamp --known known.sarif").ends(1).says("acme/Shop.java:24").says("1 known");
}

/// A field or a parameter that is null at several places is one finding, and nothing about the others is lost.
#[test]
fn places_with_the_same_cause() {
    let text = |more: &str| {
        format!(
            "public class Main {{
    private String name;
    private String title = null;
    public int length() {{ return name.length(); }}
    public int hash(int n) {{
        String own = name;
        return n > 3 ? own.hashCode() : 0;
    }}
    public int other() {{ return title.length(); }}
    public static int call(int n) {{ return size(null, n); }}
    private static int size(String s, int n) {{
        if (n > 3) {{ return s.length(); }}
        return s.indexOf('x');
    }}
{more}}}
"
        )
    };
    let place = files([("Main.java", text("").as_str())]);
    let reports = "--sarif all.sarif --json-lines all.json --html all.html --junit all.xml";
    let said = place.run(&format!("scan Main.java --traps --jobs 1 {reports}")).ends(1).says("3 findings\n");
    said.says("  the field Main.name is null, also at Main.java:7\n")
        .says("  the parameter s of Main.size is null, also at Main.java:12\n")
        .says("Main.java:9: ");
    let log: Value = serde_json::from_str(&place.read("all.sarif")).unwrap();
    let related = log["runs"][0]["results"].as_array().unwrap().iter().filter_map(|result| {
        let flows = result["codeFlows"].as_array()?.len();
        Some((result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"].as_u64()?, flows))
    });
    let mut related: Vec<(u64, usize)> = related.collect();
    related.sort();
    assert_eq!(related, [(7, 2), (12, 2)]);
    let others = place
        .read("all.json")
        .lines()
        .filter_map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["also"][0]["violation"]["place"]["line"].as_u64()
        })
        .count();
    assert_eq!(others, 2);
    assert!(place.read("all.html").contains("the field Main.name is null"));
    assert_eq!(place.read("all.xml").matches("<failure").count(), 5);
    // Each place has a fingerprint of its own, so that another one is new.
    let known = "scan Main.java --traps --jobs 1 --known all.sarif";
    place.run(known).ends(0).says("not shown: 5 known");
    place.write("Main.java", text("    public int more() { return name.trim().length(); }\n").as_bytes());
    place.run(known).ends(1).says("1 finding\n").says("Main.java:15: ").says("not shown: 5 known");
}

/// The same in C#.
#[test]
fn places_with_the_same_cause_in_csharp() {
    let text = "public class Main {
    private string name = null;
    public int Length() { return name.Length; }
    public char First(int n) {
        var own = name;
        return n > 3 ? own[0] : 'x';
    }
    public static int Call(int n) { return Size(null, n); }
    private static int Size(string s, int n) {
        if (n > 3) { return s.Length; }
        return s.Length + n;
    }
}
";
    let place = files([("Main.cs", text)]);
    let said = place.run("scan Main.cs --traps --jobs 1");
    if lacks_sdk(&said) {
        return;
    }
    said.ends(1).says("2 findings\n").says("the field Main.name is null, also at ").says("is null, also at Main.cs:1");
}

/// An entry point that fails at more places than were looked for is no proof, and known findings do not hide others.
#[test]
fn more_violations_than_are_looked_for() {
    let text = "public class Main {
            public static int all(int n) {
                int s = 1 / n;
                s += 2 / (n - 1);
                s += 3 / (n - 2);
                return s + 4 / (n - 3);
            }
        }";
    let place = files([("Main.java", text)]);
    let scan = "scan Main.java --traps --jobs 1 --entry Main.all";
    let reports = "--sarif known.sarif --junit found.xml --json-lines found.json --html found.html";
    let open = "1 can fail (1 perhaps at other places, too)";
    let limit = "the limit of 3 violations (--violations)";
    place
        .run(&format!("{scan} --violations 3 {reports}"))
        .ends(1)
        .says("3 findings")
        .says(open)
        .says(&format!("perhaps at other places: 1 because of {limit}"));
    for report in ["known.sarif", "found.xml", "found.json"] {
        assert!(place.read(report).contains(limit), "{report}");
    }
    assert!(place.read("found.html").contains(open));
    // The three that are known take no place.
    place.run(&format!("{scan} --violations 3 --known known.sarif")).ends(1).says("1 finding\n").says("3 known");
    let whole = place.run(&format!("{scan} --violations 20 --strict --out other")).ends(1).says("4 findings");
    assert!(!whole.stdout.contains("other places"), "{}", whole.stdout);
    assert_eq!(place.run(&format!("{scan} --violations 20")).ends(1).stdout, whole.stdout);
}

/// The next scan asks only about what an edit can have changed.
#[test]
fn a_scan_after_an_edit() {
    let shop = project(SHOP);
    let scan = "scan classes --traps --jobs 1 --timeout 1";
    // The entry points that a scan has asked about.
    let asked = || {
        let before = shop.path(".aback-scan/answers.jsonl").exists().then(|| shop.read(".aback-scan/answers.jsonl"));
        shop.run(scan).ends(1);
        let after = shop.read(".aback-scan/answers.jsonl");
        let new = after[before.map_or(0, |before| before.len())..].lines();
        let answers =
            new.filter_map(|line| serde_json::from_str::<Value>(line).ok()?["entry"].as_str().map(str::to_owned));
        let mut names: Vec<String> = answers.collect();
        // A question that needs more time is asked twice.
        names.sort();
        names.dedup();
        names
    };
    let edit = |old: &str, new: &str| {
        assert!(SHOP.contains(old), "{old}");
        shop.write("acme/Shop.java", SHOP.replace(old, new).as_bytes());
        compile(&shop);
    };
    let clamp = "acme.Shop.clamp(int, int, int)";
    let digit = "acme.Shop.digit(int)";
    let of_objects = ["acme.Shop.add(int)", "acme.Shop.average()"];
    let new = "acme.Shop.<init>()";
    assert_eq!(asked(), [new, of_objects[0], of_objects[1], clamp, digit]);
    assert!(asked().is_empty());
    edit("clamp(x, 0, 9)", "clamp(x, 0, 8)");
    // It makes no objects, so that the inputs of the other methods are the same.
    assert_eq!(asked(), [digit]);
    edit("clamp(x, 0, 9)", "clamp(x, 0, 9)");
    assert_eq!(asked(), [digit]);
    // The method itself, and those whose objects it might have made or changed.
    edit("sum += price", "sum -= price");
    assert_eq!(asked(), of_objects);
    edit("prices.add(price)", "prices.add(price + 1)");
    assert_eq!(asked(), of_objects);
    edit("sum += price", "sum += price");
    assert_eq!(asked(), of_objects);
    // Proofs do not change if lines move, but counterexamples show them.
    edit("public static int digit", "\n    public static int digit");
    assert!(!asked().contains(&clamp.to_string()));
    edit("public static int clamp", "\n    public static int clamp");
    assert!(asked().contains(&clamp.to_string()));
    // Objects of another class may be among the inputs.
    edit("public class Shop {", "class Mall extends Shop { }\n\npublic class Shop {");
    assert_eq!(asked().len(), 5);
}

/// What is declared about null counts as code.
#[test]
fn a_scan_after_an_edit_of_an_annotation() {
    let place = files([
        ("marks/NonNull.java", "package marks; public @interface NonNull { }"),
        (
            "Main.java",
            "public class Main { public static int f(@marks.NonNull String s) { return (s == null ? 1 : 0) + s.length(); } }",
        ),
    ]);
    place.run("scan . --traps").ends(0);
    place.write(
        "Main.java",
        b"public class Main { public static int f(String s) { return (s == null ? 1 : 0) + s.length(); } }",
    );
    place.run("scan . --traps").ends(1).says("s = null");
}

#[test]
fn entry_points_are_chosen_by_patterns() {
    let shop = project(SHOP);
    shop.run("scan classes --entry acme.*.digit").ends(0).says("1 entry point: 0 can fail, 1 cannot");
    shop.run("scan classes --entry *clamp(int*").ends(1).says("acme/Shop.java:22");
    shop.run("scan classes --entry other.*").ends(2).says("no entry point fits");
}

/// A method may refuse its arguments, but others must not call it with such arguments.
#[test]
fn exceptions_by_which_methods_refuse_arguments() {
    let text = "import java.util.Objects;
        public class Main {
            public static int root(int n) { if (n < 0) throw new IllegalArgumentException(); return n; }
            public static int length(String s) { return Objects.requireNonNull(s).length() > 0 ? 1 : 0; }
            public static int state(int n) { if (n < 0) throw new IllegalStateException(); return n; }
            public static int calls(int n) { return root(n - 1); }
            private String name;
            public int size(int n) { return Objects.requireNonNull(name).length() + n; }
            public int cut(String s) { return Objects.requireNonNull(known(s)).length(); }
            private static String known(String s) { return s.isEmpty() ? null : s; }
        }";
    let place = files([("Main.java", text)]);
    let said = place.run("scan Main.java --traps").ends(1).says("3 findings").says("not shown: 3 exceptions");
    said.says("Main.java:5: java.lang.IllegalStateException")
        .says("from Main.calls(int)\n  with n = 0")
        .says("Main.java:8: java.lang.NullPointerException");
    place.run("scan Main.java --traps --no-trust").ends(1).says("6 findings");
}

/// Exceptions of the program's own classes and of others in the library refuse arguments, too, if the code itself throws them.
#[test]
fn refusals_by_kinds_of_exceptions() {
    let text = "public class Main {
            static class BadAmount extends IllegalArgumentException { }
            static class WorseAmount extends BadAmount { }
            static class BadState extends IllegalStateException { }
            public static int own(int n) { if (n < 0) throw new WorseAmount(); return n; }
            public static int format(int n) { if (n == 3) throw new NumberFormatException(); return n; }
            public static int state(int n) { if (n < 0) throw new BadState(); return n; }
            public static int calls(int n) { return own(n - 1); }
            public static int parse(String s) { int n = 0; try { n = Integer.parseInt(s); } finally { n++; } return n; }
        }";
    let place = files([("Main.java", text)]);
    let said =
        place.run("scan Main.java --traps --entry Main.*").ends(1).says("3 findings").says("not shown: 2 exceptions");
    said.says("Main.java:7: Main$BadState")
        .says("from Main.calls(int)")
        .says("Main.java:9: java.lang.NumberFormatException");
}

/// The same in C#.
#[test]
fn refusals_by_kinds_of_exceptions_in_csharp() {
    let text = "using System;
public class BadAmount : ArgumentException { }
public class BadState : InvalidOperationException { }
public static class Main {
    public static int Own(int n) { if (n < 0) throw new BadAmount(); return n; }
    public static int Range(int n) { if (n == 3) throw new ArgumentOutOfRangeException(); return n; }
    public static int State(int n) { if (n < 0) throw new BadState(); return n; }
    public static int Calls(int n) { return Own(n - 1); }
}
";
    let place = files([("Main.cs", text)]);
    let said = place.run("scan Main.cs --traps --entry Main.*");
    if lacks_sdk(&said) {
        return;
    }
    let said = said.ends(1).says("2 findings").says("not shown: 2 exceptions");
    said.says("Main.cs:7: BadState").says("from Main.Calls(int)");
}

/// Private methods, other constructors and overloads refuse arguments on behalf of an entry point.
#[test]
fn refusals_by_parts_of_an_entry_point() {
    let text = "public class Main {
            private final int n;
            public Main(int n) { this(n, 1); }
            public Main(int n, int step) { this.n = checked(n) + step; }
            private static int checked(int n) { if (n < 0) throw new IllegalArgumentException(); return n; }
            public static int root(long n) { return root((int) n); }
            public static int root(int n) { return checked(n); }
            public static Main next(int n) { return new Main(n + 1); }
        }";
    let place = files([("Main.java", text)]);
    let said = place.run("scan Main.java --traps").ends(1).says("1 finding\n").says("not shown: 4 exceptions");
    said.says("from Main.next(int)");
}

/// Null for a parameter may have nothing to do with a violation.
#[test]
fn null_that_does_not_matter() {
    let text = "class Main {
            static void main(int x, Cell c) {
                if (x > 10) { assert x != 12; }
                x := c.v;
            }
        }
        class Cell { int v; }";
    let place = files([("Main.oox", text)]);
    place
        .run("scan Main.oox")
        .ends(1)
        .says("Main.oox:3: assert can be false")
        .says("with x = 12; c = Cell#1")
        .says("1 finding\n");
}

/// So it is with all types of which a plain object can take the place of null.
#[test]
fn nulls_that_do_not_matter() {
    let text = "public class Main {
            public static int text(String s, int n) { return 10 / n; }
            public static int array(int[] a, int n) { int[] own = new int[3]; return own[n]; }
            public static int box(Integer i, int n) { return 10 / (n - 4); }
            public static void list(java.util.List<String> l, int n) { assert n != 3; }
            public static int of_null(String s) { return s.length(); }
        }";
    let place = files([("Main.java", text)]);
    let mut said = place.run("scan Main.java --traps").ends(1).says("4 findings");
    for line in [2, 3, 4, 5] {
        said = said.says(&format!("Main.java:{line}: "));
    }
}

/// Null for a parameter is the fault of the caller, unless the code does something of its own about null.
#[test]
fn null_that_nothing_provides_for() {
    let text = "import java.util.Objects;
        public class Main {
            public static int plain(String s) { return s.length(); }
            public static int refuses(String s) { if (s == null) throw new NullPointerException(); return other(s, null); }
            private static int other(String s, String t) { return t.length(); }
            public static int tests(String s) { return (s == null ? 0 : 1) + s.length(); }
            public static int passes(String s) { return size(s) + s.length(); }
            private static int size(String s) { return s != null ? 1 : 2; }
            public static int library(String s) { return Objects.toString(s, null).length(); }
            public static int deep(String s) { return new java.util.HashMap<String, String>().get(s) == null ? s.length() : 0; }
        }";
    let place = files([("Main.java", text)]);
    let mut said = place.run("scan Main.java --traps").ends(1).says("4 findings");
    for line in [5, 6, 7, 9] {
        said = said.says(&format!("Main.java:{line}: "));
    }
    said.says(
        "not shown: 3 violations with null for a parameter, or in an array, that the code does not test (--no-trust)",
    );
    place.run("scan Main.java --traps --no-trust").ends(1).says("7 findings");
}

/// Null in an array is one of these, and hides nothing else at the same line.
#[test]
fn nulls_in_arrays() {
    let text = "public class Main {
            private String name;
            private final String[] words;
            public Main(String... words) { this.words = words; }
            public static int total(String[] words) { int n = 0; for (String word : words) n += word.length(); return n; }
            public int all() { int n = 0; if (words != null) for (String word : words) n += word.length(); return n; }
            public int both(String[] words) { return words.length == 0 ? 0 : words[0].length() + name.length(); }
            public static int none(String[] words) { return words[0] == null ? 0 : words[0].length(); }
        }";
    let place = files([("Main.java", text)]);
    let said = place
        .run("scan Main.java --traps --timeout 4")
        .ends(1)
        .says("2 findings")
        .says("Main.java:7: ")
        .says("Main.java:8: ");
    said.says("ArrayIndexOutOfBoundsException")
        .says("not shown: 6 violations with null for a parameter, or in an array, that the code does not test");
    place.run("scan Main.java --traps --no-trust --timeout 4").ends(1).says("Main.java:5: ").says("Main.java:6: ");
}

#[test]
fn findings_are_confirmed() {
    let text = "public class Main {
            public static int divide(int n) { return 8 / n; }
            public static int refuse(int n) { if (n < 0) throw new IllegalArgumentException(); return n; }
        }";
    let place = files([("Main.java", text)]);
    let said = place.run("scan Main.java --traps --confirm --json-lines found.json").ends(1);
    said.says("1 finding\n").says("  confirmed by openjdk ");
    assert!(place.read("found.json").contains(r#""result":"confirmed""#));
}

/// What the program throws on purpose comes after what it does not expect.
#[test]
fn intended_exceptions_come_later() {
    let text = "public class Main {
            public static int intended(int n) { if (n == 0) throw new IllegalStateException(); return n; }
            public static int unexpected(int n) { return 8 / (n - 12345); }
        }";
    let place = files([("Main.java", text)]);
    let said = place.run("scan Main.java --traps").ends(1).stdout;
    let at = |line: u32| said.find(&format!("Main.java:{line}: ")).expect("a finding");
    assert!(at(3) < at(2), "{said}");
}

/// An exception for which the caller is to blame does not hide another one at the same line.
#[test]
fn exceptions_behind_unexpected_nulls() {
    let text = "public class Main {
            private final Main next;
            public Main(Main next) { this.next = next; }
            public static Main second(Main main) { return main.next.next; }
            public static int constant() { return checked(-1); }
            private static int checked(int n) { if (n < 0) throw new IllegalArgumentException(); return n; }
        }";
    let place = files([("Main.java", text)]);
    let said = place.run("scan Main.java --traps").ends(1).says("2 findings").says("not shown: 1 violation with null");
    said.says("from Main.second(Main)\n  with main = Main#1").says("from Main.constant()");
}

/// Nobody has written `values` and `valueOf`.
#[test]
fn methods_that_the_language_adds() {
    let text = "public enum Main { A, B; public static int valueOf(int n) { return 8 / n; } }";
    let place = files([("Main.java", text)]);
    place.run("scan Main.java --traps").ends(1).says("1 entry point: 1 can fail");
}

#[test]
fn entry_points_of_other_visibility() {
    let text = "class Main { static int twice(int n) { return n * 2; } private static int half(int n) { assert n > 0; return n / 2; } }";
    let place = files([("Main.java", text)]);
    place.run("scan Main.java").ends(2).says("--entry-visibility package");
    place.run("scan Main.java --entry-visibility package").ends(0).says("2 entry points");
    place.run("scan Main.java --entry-visibility private").ends(1).says("3 entry points").says("from Main.half(int)");
}

#[test]
fn what_is_unknown_is_no_success_for_a_strict_scan() {
    let place = files([(
        "Main.oox",
        "class Main { static int f(int n) { int s := 0; while (s * s * s < n) { s := s + 1; } assert s * s * s != 7 * n + 3; return s; } }",
    )]);
    place.run("scan Main.oox --timeout 0.2 -- --loops off").ends(0).says("because of time limit");
    place.run("scan Main.oox --timeout 0.2 --strict -- --loops off").ends(3);
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let place =
        files([("Broken.oox", "class Main { static int f( }"), ("Main.oox", "class Main { static void f() { } }")]);
    place.run("scan nothing").ends(2).says("nothing");
    place.run("scan Broken.oox").ends(2);
    place.run("scan Main.oox -- --no-such-option").ends(2);
    place.run("scan Main.oox --out Main.oox").ends(2).says("cannot use Main.oox");
    place.run("scan Main.oox --sarif nowhere/found.sarif").ends(2).says("cannot write nowhere/found.sarif");
}

/// The project of the README.
#[test]
fn the_example() {
    let said = crate::on_examples("scan examples/shop --traps").ends(1);
    let inputs = said.stdout.lines().filter(|line| !line.starts_with("  with "));
    insta::assert_snapshot!(inputs.collect::<Vec<_>>().join("\n"));
}

/// Whether there is no .NET SDK, so that a test is skipped.
fn lacks_sdk(said: &crate::Ran) -> bool {
    let lacks = said.stderr.contains("there is no .NET SDK");
    if lacks {
        eprintln!("skipped: {}", said.stderr);
    }
    lacks
}

/// The example in C#, whose tests refer to packages of xUnit. They are not got here: the project of the tests is left out, or refers to
/// a project that stands in for the packages.
#[test]
fn the_example_in_csharp() {
    let place = files([("NuGet.config", "<configuration><packageSources><clear /></packageSources></configuration>")]);
    place.copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/letters"), "letters");
    let run = |arguments: &str| {
        let mut command = place.command(arguments);
        command.env("NUGET_PACKAGES", place.path("packages")).stdout(Stdio::piped()).stderr(Stdio::piped());
        place.finish(command.spawn().expect("aback"))
    };
    let said = run("scan letters --traps --jobs 1");
    if lacks_sdk(&said) {
        return;
    }
    let library = said.ends(1);
    assert_eq!(library.stderr, "");
    insta::assert_snapshot!(library.stdout);
    let said = run("scan letters --traps --jobs 1 --test-code").ends(1);
    assert_eq!(said.stdout, library.stdout);
    let left_out =
        "a project is left out: letters/Letters.Tests/Letters.Tests.csproj needs packages that the SDK cannot get: ";
    assert_eq!(said.stderr.matches("a project is left out").count(), 1);
    said.says(left_out).says("`dotnet restore letters/Letters.Tests/Letters.Tests.csproj`");
    // Alone, it is no program.
    run("scan letters/Letters.Tests/Letters.Tests.csproj").ends(2).says("needs packages that the SDK cannot get");

    let project = place.read("letters/Letters.Tests/Letters.Tests.csproj");
    let (start, rest) = project.split_once("    <PackageReference").unwrap();
    let (_, end) = rest.split_once("  </ItemGroup>").unwrap();
    let stand_in = "    <ProjectReference Include=\"../../xunit/xunit.core.csproj\" />\n  </ItemGroup>";
    place.write("letters/Letters.Tests/Letters.Tests.csproj", format!("{start}{stand_in}{end}").as_bytes());
    place.write("xunit/xunit.core.csproj", place.read("letters/Letters/Letters.csproj").as_bytes());
    place.write(
        "xunit/Xunit.cs",
        b"using System;
        namespace Xunit {
            public class TheoryAttribute : Attribute { }
            [AttributeUsage(AttributeTargets.Method, AllowMultiple = true)]
            public class InlineDataAttribute : Attribute { public InlineDataAttribute(params object[] data) { } }
            public static class Assert { public static void True(bool it) { if (!it) throw new Sdk.TrueException(); } }
        }
        namespace Xunit.Sdk {
            public class XunitException : Exception { }
            public class TrueException : XunitException { }
        }",
    );
    let said = run("scan letters --traps --jobs 1 --test-code").ends(1);
    said.says("from TariffTest.ADiscountNeverMakesALetterDearer(int, int)")
        .says("5 entry points: 2 can fail, 3 cannot");
}

/// Files that cannot be read are errors or notes that name them, whatever names them.
#[test]
fn broken_projects() {
    let place = files([
        ("malformed/pom.xml", "<project><modules>"),
        ("parts/pom.xml", "<project><artifactId>a</artifactId><modules><module>gone</module></modules></project>"),
        ("gradle/settings.gradle", "include 'app', 'gone'"),
        ("gradle/app/src/main/java/A.java", "public class A { public static int f(int x) { return x; } }"),
        ("solution/All.sln", "Project(\"{1}\") = \"Gone\", \"Gone\\Gone.csproj\", \"{2}\"\nEndProject\n"),
        ("text/Text.csproj", "no XML"),
        ("sources/B.java", "public class B { int f() { return x; } }"),
        ("jars/a.jar", "no zip file"),
        ("tests/Tests.csproj", "<Project><!-- <IsTestProject>true --></Project>"),
    ]);
    std::fs::create_dir(place.path("empty")).unwrap();
    let fails = |path: &str, parts: &[&str]| {
        let said = place.run(&format!("scan {path}")).ends(2);
        parts.iter().fold(said, |said, part| said.says(part))
    };
    fails("malformed", &["malformed/pom.xml is not a file of Maven: "]);
    fails("parts", &["parts/pom.xml names parts/gone, which does not exist; take it out of the file"]);
    fails("solution", &["solution/All.sln names solution/Gone/Gone.csproj, which does not exist"]);
    fails("sources", &["cannot find symbol", "sources/B.java:1:35"]);
    fails("empty", &["empty has no .java, "]);
    fails("tests", &["tests describes no code (--test-code adds that of tests)"]);
    fails("jars/a.jar", &["jars/a.jar cannot be read as a jar file: ", "; build it again"]);
    fails("jars", &["with classes in jars; jars/a.jar is ignored: "]);
    let said = place.run("scan text").ends(2);
    if !lacks_sdk(&said) {
        said.says("text/Text.csproj:1:1").says("The project file could not be loaded");
    }
    let note = "note: gradle: gradle/gone is included and does not exist, so that its code is left out";
    place.run("scan gradle").ends(0).says(note).says("2 entry points: 0 can fail");
}

/// Class files that end too early are left out if they are not named, and the scan says so.
#[test]
fn truncated_class_files() {
    let place = files([
        ("Whole.java", "public class Whole { public static int f(int x) { return x; } }"),
        ("Cut.java", "public class Cut { public static int f(int x) { return x; } }"),
    ]);
    let mut javac = Command::new("javac");
    javac.args(["-g", "-d", "classes", "Whole.java", "Cut.java"]).current_dir(place.path(""));
    assert!(javac.status().expect("javac").success());
    let whole = std::fs::read(place.path("classes/Cut.class")).unwrap();
    for length in [0, 5, whole.len() / 2, whole.len() - 1] {
        place.write("classes/Cut.class", &whole[..length]);
        place.run("scan classes/Cut.class").ends(2).says("Cut.class");
        place.run("scan classes").ends(0).says("classes/Cut.class").says("2 entry points: 0 can fail, 2 cannot");
    }
}

/// The processes that a process has started.
fn children(process: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|&id| status(id).is_some_and(|(_, parent)| parent == process)).collect()
}

/// The state of a process, and the process that has started it.
fn status(process: u32) -> Option<(char, u32)> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program may have spaces and parentheses.
    let (_, fields) = text.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

/// Waits for something that happens if the program works.
#[track_caller]
fn wait_until(what: &str, mut happens: impl FnMut() -> bool) {
    for _ in 0..6_000 {
        if happens() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("{what} did not happen");
}

fn is_running(process: u32) -> bool {
    // Whoever inherits an orphan may never look at how it ended.
    status(process).is_some_and(|(state, _)| !matches!(state, 'Z' | 'X'))
}

/// Methods with answers at once, and one in their midst that gets all the time there is.
const MIDST: &str = "public class Main {
    public static int half(int n) { assert n != 7; return n / 2; }
    public static int twice(int n) { return 2 * n; }
    public static int midst(int n) { int s = 0; while (s != n) s += 3; assert s != 5; return s; }
    public static int share(int n, int m) { return n / m; }
    public static int same(int n) { return n; }
}
";

/// A scan that is killed goes on with what was not answered, and has the findings of one that was not.
#[cfg(target_os = "linux")]
#[test]
fn a_scan_that_was_killed() {
    let place = files([("Main.java", MIDST)]);
    let scan = "scan Main.java --traps --jobs 1 --timeout 3 --out";
    // The entry points with answers that more time does not change.
    let answered = |from: usize| {
        let text = place.read("killed/answers.jsonl");
        let answers = text[from..].lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let known = answers.filter(|answer| answer["answer"]["reply"]["is_out_of_time"] == false);
        known.map(|answer| answer["entry"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let rest = "-- --loops off";
    let whole = place.run(&format!("{scan} whole {rest}")).ends(1).stdout;

    let mut child = place.start(&format!("{scan} killed {rest}"));
    wait_until("an answer", || place.path("killed/answers.jsonl").exists() && !answered(0).is_empty());
    let workers = children(child.id());
    assert!(!workers.is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the end of the workers", || !workers.iter().any(|&worker| is_running(worker)));
    let first = answered(0);
    assert!(first.len() < 5, "{first:?}");
    let length = place.read("killed/answers.jsonl").len();
    assert_eq!(place.run(&format!("{scan} killed {rest}")).ends(1).stdout, whole);
    let second = answered(length);
    assert!(second.iter().all(|entry| !first.contains(entry)), "{first:?} {second:?}");
    assert_eq!(first.len() + second.len(), 5, "{first:?} {second:?}");

    // A crash in the middle of a line.
    let text = place.read("killed/answers.jsonl");
    let last = answered(0).pop().unwrap();
    let (before, line) = text.trim_end().rsplit_once('\n').unwrap();
    assert!(line.contains("midst"), "the last answer is that of the hardest question");
    let (before, line) = before.rsplit_once('\n').unwrap();
    place.write("killed/answers.jsonl", format!("{before}\n{}", &line[..line.len() / 2]).as_bytes());
    let length = place.read("killed/answers.jsonl").len();
    assert_eq!(place.run(&format!("{scan} killed {rest}")).ends(1).stdout, whole);
    assert_eq!(answered(length), [last]);
}

/// A worker whose scan has been killed does not go on with its question.
#[cfg(target_os = "linux")]
#[test]
fn a_worker_without_a_scan() {
    let place = files([("Main.java", MIDST)]);
    let mut command = place.command("worker Main.java --jobs 1 --loops off");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut worker = command.spawn().unwrap();
    let (mut input, output) = (worker.stdin.take().unwrap(), worker.stdout.take().unwrap());
    let mut output = BufReader::new(output);
    output.read_line(&mut String::new()).unwrap();
    writeln!(input, r#"{{"entry":"Main.midst(int)","seconds":100000,"violations":1}}"#).unwrap();
    drop((input, output));
    wait_until("the end of the worker", || worker.try_wait().unwrap().is_some());
}

#[test]
fn reports_for_other_tools() {
    let text = "public class Main {
            public static void calls(String s) { assert !\"<&\\u0001\".equals(s); }
            public static int twice(int n) { return 2 * n; }
            public static void hard(int n) { int s = 0; while (s != n) s += 3; assert s != 5; }
        }";
    let place = files([("Main.java", text)]);
    place.run("scan Main.java --timeout 0.5 --junit report.xml --json-lines all.jsonl -- --loops off").ends(1);
    let report = place.read("report.xml");
    let masked: Vec<String> =
        report.lines().map(|line| line.split(" time=").next().unwrap_or(line).to_owned()).collect();
    assert!(
        report.contains("<failure message=\"assert can be false\">Main.java:2&#10;from Main.calls(String)&#10;"),
        "{report}"
    );
    assert!(report.contains("&lt;&amp;"), "{report}");
    assert!(masked.contains(&"  <testcase classname=\"Main\" name=\"twice(int)\"".to_string()), "{report}");
    assert!(report.contains("tests=\"4\" failures=\"1\" skipped=\"1\""), "{report}");
    let lines = place.read("all.jsonl");
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let finding = &lines[0];
    let is_of_hard = |line: &&Value| line["entry"] == "Main.hard(int)" && line["rest"] == "unknown";
    assert_eq!(lines.iter().filter(is_of_hard).count(), 1, "{lines:?}");
    assert_eq!(finding["violation"]["place"]["line"], 2);
    assert_eq!(finding["entries"][0], "Main.calls(String)");
}

/// A Maven project with two modules, a library in the local repository, and tests.
fn maven() -> Place {
    let project = |body: &str| format!("<project xmlns=\"http://maven.apache.org/POM/4.0.0\">{body}</project>");
    let parent = "<parent><groupId>acme</groupId><artifactId>all</artifactId><version>1</version></parent>";
    let needs = |group: &str, name: &str| {
        format!(
            "<dependencies><dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>1</version>
             </dependency></dependencies>"
        )
    };
    let place = files([
        (
            "library/text/Text.java",
            "package text; public class Text { public static int half(int n) { return n / 2; } }",
        ),
        (
            "shop/core/src/main/java/acme/Cart.java",
            "package acme;\n\npublic class Cart {\n    public static int share(int total, int people) {\n        \
             return text.Text.half(total) / people;\n    }\n}\n",
        ),
        (
            "shop/core/src/test/java/acme/CartTest.java",
            "package acme;\n\npublic class CartTest {\n    public void fails() {\n        assert false;\n    }\n}\n",
        ),
        (
            "shop/app/src/main/java/acme/App.java",
            "package acme;\n\npublic class App {\n    public static int pay(int total) {\n        \
             return Cart.share(total, 2);\n    }\n}\n",
        ),
        ("repository/org/text/text/1/text-1.pom", &project("<groupId>org.text</groupId><artifactId>text</artifactId>")),
        (
            "shop/pom.xml",
            &project(
                "<groupId>acme</groupId><artifactId>all</artifactId><version>1</version>
                 <modules><module>core</module><module>app</module></modules>",
            ),
        ),
        ("shop/core/pom.xml", &project(&format!("{parent}<artifactId>core</artifactId>{}", needs("org.text", "text")))),
        ("shop/app/pom.xml", &project(&format!("{parent}<artifactId>app</artifactId>{}", needs("acme", "core")))),
    ]);
    let run = |tool: &str, arguments: &str| {
        let status = Command::new(tool).args(arguments.split(' ')).current_dir(place.path("")).status();
        assert!(status.expect("a JDK").success());
    };
    run("javac", "-g -d compiled library/text/Text.java");
    run("jar", "cf repository/org/text/text/1/text-1.jar -C compiled text");
    std::fs::create_dir_all(place.path("home/.m2")).expect("a folder");
    std::fs::rename(place.path("repository"), place.path("home/.m2/repository")).expect("a folder");
    place
}

#[test]
fn projects_of_maven() {
    let place = maven();
    let run = |arguments: &str| {
        let mut command = place.command(arguments);
        command.env("HOME", place.path("home")).stdout(Stdio::piped()).stderr(Stdio::piped());
        place.finish(command.spawn().expect("aback"))
    };
    let cart = "shop/core/src/main/java/acme/Cart.java:5";
    let said = run("scan shop --traps").ends(1).says(cart).says("1 finding\n").says("4 entry points");
    assert!(said.stderr.contains("the project is not compiled"), "{}", said.stderr);
    run("scan shop --traps --test-code --out all").ends(1).says("shop/core/src/test/java/acme/CartTest.java:5");
    // The same with what Maven has compiled.
    let classes = "home/.m2/repository/org/text/text/1/text-1.jar:shop/core/target/classes";
    for (module, class) in [("core", "Cart"), ("app", "App")] {
        let mut javac = Command::new("javac");
        javac.args(["-g", "-cp", classes, "-d", &format!("shop/{module}/target/classes")]);
        javac.arg(format!("shop/{module}/src/main/java/acme/{class}.java")).current_dir(place.path(""));
        assert!(javac.status().expect("javac").success());
    }
    let said = run("scan shop --traps").ends(1).says(cart);
    assert_eq!(said.stderr, "");
    run("check shop --entry acme.Cart.share --traps")
        .ends(1)
        .says("people = 0")
        .says("return text.Text.half(total) / people;");
    let said = run("check shop/app --entry acme.App.pay --traps").ends(3);
    assert!(said.stderr.contains("libraries are not in the local repository") && said.stderr.contains("acme:core:1"));
}

/// A comment or an annotation in the sources suppresses a finding, with a reason.
#[test]
fn suppressed_findings() {
    let comment = |comment: &str| SHOP.replace("assert low <= high;", &format!("assert low <= high; {comment}"));
    let clamp = "public static int clamp";
    let method = |annotation: &str| SHOP.replace(clamp, &format!("{annotation}\n    {clamp}"));
    let class = |annotation: &str| SHOP.replace("public class", &format!("{annotation}\npublic class"));
    let suppressed = [
        comment("// aback-ignore: callers check it"),
        method("@SuppressWarnings(\"aback: callers check it\")"),
        class("@SuppressWarnings({\"unused\", \"aback: callers \" + \"check it\"})"),
    ];
    for text in suppressed {
        let shop = project(&text);
        let said = shop.run("scan classes --sarif all.sarif").ends(0);
        said.says("0 findings\n  not shown: 1 that the sources suppress\n");
        let log: Value = serde_json::from_str(&shop.read("all.sarif")).unwrap();
        let suppressions = &log["runs"][0]["results"][0]["suppressions"];
        assert_eq!(suppressions[0]["justification"], "callers check it");
    }
    let without_reason = "1 finding\n  shown: 1 that the sources suppress without a reason, which has no effect\n";
    for text in [comment("// aback-ignore:"), method("@SuppressWarnings(\"aback\")")] {
        project(&text).run("scan classes").ends(1).says(without_reason);
    }
}

/// An attribute with the name of a rule suppresses findings of this rule in a method.
#[test]
fn findings_that_attributes_suppress() {
    let text = "using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
public static class Shop {
    [SuppressMessage(\"aback\", \"assertion\", Justification = \"callers check it\")]
    public static int Clamp(int x, int low, int high) {
        Debug.Assert(low <= high);
        return x < low ? low : x > high ? high : x;
    }
    [SuppressMessage(\"aback\", \"assertion\", Justification = \"no division\")]
    public static int Share(int total, int people) => total / people;
    [SuppressMessage(\"aback\", \"*\", Justification = \"<Pending>\")]
    public static int Double(int n) {
        Debug.Assert(n < 1000);
        return 2 * n;
    }
}
";
    let place = files([("Shop.cs", text)]);
    let said = place.run("scan Shop.cs --traps --jobs 1 --sarif all.sarif");
    if lacks_sdk(&said) {
        return;
    }
    insta::assert_snapshot!(said.ends(1).stdout);
    let log: Value = serde_json::from_str(&place.read("all.sarif")).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let reasons = results.iter().filter_map(|result| result["suppressions"][0]["justification"].as_str());
    assert_eq!(reasons.collect::<Vec<_>>(), ["callers check it"]);
}

/// Scans of parts of the questions, on as many machines, are collected by another one.
#[test]
fn a_scan_in_parts() {
    let shop = project(SHOP);
    let whole = shop.run("scan classes --traps --jobs 1 --out whole").ends(1).stdout;
    for part in 1..=3 {
        shop.run(&format!("scan classes --traps --jobs 1 --shard {part}/3 --out part{part}"));
    }
    let parts = "--collect part1 --collect part2 --collect part3";
    let collected = shop.run(&format!("scan classes --traps --jobs 1 --out all {parts}")).ends(1);
    assert_eq!(collected.stdout, whole);
    shop.run("scan classes --traps --out some --collect part1").says("entry points have no answer in these folders");
    shop.run("scan classes --out others --collect part1").ends(2).says("part1 has no answers of a scan");
    shop.run("scan classes --shard 4/3").ends(2).says("as in 3/16");
}

/// A scan of what a change touches, and of what leads to it.
#[test]
fn a_scan_of_changes() {
    let shop = project(SHOP);
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(arguments).current_dir(shop.path(""));
        assert!(git.status().expect("git").success());
    };
    git(&["init", "-q"]);
    git(&["add", "acme"]);
    git(&["commit", "-qm", "first"]);
    let scan = "scan classes --classpath . --changed-since HEAD";
    shop.run(scan).ends(0).says("0 entry points").says("not asked: 5 entry points that what has changed since HEAD");
    std::fs::write(shop.path("acme/Shop.java"), SHOP.replace("? low :", "? low + 0 :")).unwrap();
    compile(&shop);
    // The method and its caller.
    shop.run(scan).ends(1).says("2 entry points").says("not asked: 3 entry points");
    shop.run("scan classes --changed-since nothing").ends(2).says("since nothing: bad revision");
}

/// The page has the findings, and the sources that it shows.
#[test]
fn a_page() {
    let shop = project(&SHOP.replace("assert low <= high;", "assert low <= high; // </script>"));
    shop.run("scan classes --traps --jobs 1 --html found.html").ends(1);
    let page = shop.read("found.html");
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&data["findings"]).unwrap());
    let file = data["findings"][0]["file"].as_str().unwrap();
    assert_eq!(data["files"][file].as_array().unwrap().len(), SHOP.lines().count());
}

/// Warnings of other tools are confirmed with an input, refuted by a proof, or left open.
#[test]
fn warnings_of_another_tool() {
    let text = "public class Main {
    public static int length(String s) {
        return s.length();
    }
    public static int first(int[] a) {
        if (a == null || a.length == 0) {
            return 0;
        }
        return a[0] + length(\"x\");
    }
    static int ratio(int n, int m) {
        return n / m;
    }
    public static int half(int n) {
        return ratio(n, 2);
    }
}
";
    let place = files([("Main.java", text)]);
    let warning = |rule: &str, uri: &str, line: u32| {
        serde_json::json!({ "ruleId": rule, "level": "warning", "message": { "text": "perhaps" }, "locations": [{
            "physicalLocation": { "artifactLocation": { "uri": uri }, "region": { "startLine": line } } }] })
    };
    let warnings = [
        warning("NP_NULL_ON_SOME_PATH", "Main.java", 3),
        warning("NP_NULL_ON_SOME_PATH", "Main.java", 9),
        warning("RANGE_ARRAY_INDEX", "Main.java", 9),
        warning("java/division-by-zero", "src/Main.java", 12),
        warning("NP_NULL_PARAM_DEREF", "Main.java", 9),
        warning("NP_NULL_ON_SOME_PATH", "Other.java", 3),
    ];
    let log = serde_json::json!({ "version": "2.1.0", "runs": [{ "results": warnings }] });
    std::fs::write(place.path("found.sarif"), log.to_string()).unwrap();
    let said = place.run("scan Main.java --questions found.sarif --sarif judged.sarif --jobs 1").ends(1);
    insta::assert_snapshot!(said.stdout);
    let judged: Value = serde_json::from_str(&place.read("judged.sarif")).unwrap();
    let results = judged["runs"][0]["results"].as_array().unwrap();
    let kinds: Vec<&str> = results.iter().map(|result| result["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["fail", "pass", "pass", "pass", "review", "review"]);
    let path = &results[0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(path[0]["location"]["physicalLocation"]["region"]["startLine"], 3);
    // The other tool numbers its files itself.
    let artifact = &path[0]["location"]["physicalLocation"]["artifactLocation"];
    assert_eq!((&artifact["uri"], &artifact["index"]), (&"Main.java".into(), &Value::Null));
    place.run("scan Main.java --questions Main.java").ends(2).says("is not a SARIF file");
}

/// Tests with parameters are entry points, whoever can call them, and fail by exceptions.
#[test]
fn properties() {
    let test = "import java.lang.annotation.*;
@Retention(RetentionPolicy.RUNTIME) @interface ParameterizedTest {}
class MathTest {
    @ParameterizedTest
    void absolute(int x) {
        if (Math.abs(x) < 0) {
            throw new AssertionError(x);
        }
    }
    @ParameterizedTest
    void sum(int x, int y) {
        if (x + y != y + x) {
            throw new AssertionError(x);
        }
    }
    void helper(int x) {
        throw new AssertionError(x);
    }
}
";
    let place = files([("MathTest.java", test)]);
    let said = place.run("scan MathTest.java --jobs 1").ends(1);
    said.says("MathTest.java:7: java.lang.AssertionError").says("x = -2147483648").says("2 entry points: 1 can fail");
}
