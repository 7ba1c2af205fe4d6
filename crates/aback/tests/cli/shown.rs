//! Which findings scans show, and as how many.

use crate::scan::{SHOP, compile, project};
use crate::{files, lacks_sdk};
use serde_json::Value;

/// Entry points are chosen by annotations of the method or its class, too.
#[test]
fn entry_points_with_annotations() {
    let java = "@interface Endpoint { }
@interface Service { String value(); }
public class Rates {
    @Endpoint public static int rate(int n) { return 100 / n; }
    public static int other(int n) { return 10 / n; }
    @Service(\"x\") public static class Inner { public int of(int n) { return 1 / n; } }
}
";
    let csharp = "using System;
class EndpointAttribute : Attribute { }
public static class Rates {
    [Endpoint] public static int Rate(int n) => 100 / n;
    public static int Other(int n) => 10 / n;
}
";
    let place = files([("java/Rates.java", java), ("cs/Rates.cs", csharp)]);
    let scan = |arguments: &str| place.run(&format!("scan {arguments} --traps --timeout 30"));
    scan("java --out a --entry @Endpoint").ends(1).says("Rates.java:4").says("1 entry point: 1 can fail");
    scan("java --out b --entry @Serv*").ends(1).says("Rates.java:6").says("2 entry points: 1 can fail");
    scan("java --out c --entry @Endpoints").ends(2).says("or --entry '@GetMapping' for annotations");
    let said = scan("cs --out d --entry @Endpoint");
    if !lacks_sdk(&said) {
        said.ends(1).says("Rates.cs:4").says("1 entry point: 1 can fail");
    }
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
