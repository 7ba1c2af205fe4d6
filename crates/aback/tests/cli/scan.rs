//! Scans of small projects.

use crate::{Place, files, lacks_sdk};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) const SHOP: &str = r#"package acme;

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
pub(crate) fn project(text: &str) -> Place {
    let place = files([("acme/Shop.java", text)]);
    compile(&place);
    place
}

pub(crate) fn compile(place: &Place) {
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

/// So do types with their arguments, in declarations of methods and of fields.
#[test]
fn a_scan_after_an_edit_of_a_type_argument() {
    let scanned = |text: &str| {
        let place = files([("Main.java", text)]);
        place.run("scan .").ends(0);
        place.write("Main.java", text.replace("<Integer>", "<String>").as_bytes());
        place.run("scan .").ends(1).says("assert can be false");
    };
    scanned(
        "import java.util.*; public class Main {
            public static void f(List<Integer> l) { for (Object o : l) assert o == null || o instanceof Integer; }
        }",
    );
    scanned(
        "public class Main {
            static class Box<T> { T v; }
            Box<Integer> b;
            public void f() { if (b != null) { Object o = b.v; assert o == null || o instanceof Integer; } }
        }",
    );
}

/// So does what other code can do.
#[test]
fn a_scan_after_an_edit_of_an_access() {
    let shared = "public class Main {
        private static final int[] A = { 1 };
        public static void f(int[] b) { if (b != null && b.length > 0) b[0] = 2; assert A[0] == 1; }
    }";
    let place = files([("Main.java", shared)]);
    place.run("scan .").ends(0);
    place.write("Main.java", shared.replace("private ", "").as_bytes());
    place.run("scan .").ends(1).says("b = Main.A");
    let text = "public class Main {
        public static class Box { int n; }
        private static final Box B = new Box();
        public static Box box() { return B; }
        public static void f() { assert B.n == 0; }
    }";
    let place = files([("Main.java", text)]);
    place.run("scan .").ends(0).says("0 can fail, 4 cannot, 0 cannot within bounds");
    place.write("Main.java", text.replace("{ int n;", "{ public int n;").as_bytes());
    place.run("scan .").ends(0).says("0 can fail, 3 cannot, 1 cannot within bounds");
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

/// Inputs are of the classes that the program declares if that is enough.
#[test]
fn inputs_are_of_plain_classes() {
    let text = "public class Main {
        public static String text(Object o) { if (o instanceof Integer) return \"\"; return (String) o; }
        public static int third(Object[] a) { int[] x = new int[2]; return x[a.length]; }
        public static int same(Object[] a) { Object x = a[0]; Object y = a[1]; return x == y ? 1 / (a.length - 3) : 0; }
        public static int twice(Object[] a, Object b) { return a[0] != b ? 1 / (a.length - 3) : 0; }
    }";
    let place = files([("Main.java", text)]);
    let said = place.run("scan Main.java --traps --jobs 1 --no-trust --inputs any --violations 4").ends(1);
    assert!(!said.stdout.contains("Stream"), "{}", said.stdout);
    let said = said.says("  with o = Object#1 {}\n").says("  with a = Object[2]#1 = [");
    said.says("  with a = Object[3]#1 = [Object#2 {}, Object#2, Object#2]\n");
}

#[test]
fn entry_points_are_chosen_by_patterns() {
    let shop = project(SHOP);
    shop.run("scan classes --entry acme.*.digit").ends(0).says("1 entry point: 0 can fail, 1 cannot");
    shop.run("scan classes --entry *clamp(int*").ends(1).says("acme/Shop.java:22");
    shop.run("scan classes --entry other.*").ends(2).says("no entry point fits");
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

/// Only methods that the front end adds are left out, and not those of the user with names like theirs.
#[test]
fn entry_points_with_dollars() {
    let text = "public class Main { public static int $(int n) { return 10 / n; } public int $copy(int n) { assert n != 7; return n; } }";
    let place = files([("Main.java", text)]);
    let scan = place.run("scan Main.java --traps").ends(1);
    scan.says("from Main.$(int)").says("from Main.$copy(int)").says("3 entry points");
    let line = place.run("check Main.java --at Main.java:1 --traps --counterexamples 9").ends(1);
    assert!(!line.stdout.contains("$class"), "{}", line.stdout);
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
    for option in ["--sarif", "--html", "--junit", "--json-lines"] {
        place.run(&format!("scan Main.oox {option} nowhere/found")).ends(2).says("cannot write nowhere/found");
        place.run(&format!("scan Main.oox {option} .")).ends(2).says("cannot write .");
    }
    assert!(!place.path(".aback-scan").exists(), "nothing was asked");
}

/// The project of the README.
#[test]
fn the_example() {
    let said = crate::on_examples("scan examples/shop --traps").ends(1);
    let inputs = said.stdout.lines().filter(|line| !line.starts_with("  with "));
    insta::assert_snapshot!(inputs.collect::<Vec<_>>().join("\n"));
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
    // With a limit of operations, the input that is shown does not depend on which search is faster.
    let said = run("scan letters --traps --jobs 1 -- --max-operations 1000000");
    if lacks_sdk(&said) {
        return;
    }
    let library = said.ends(1);
    assert_eq!(library.stderr, "");
    insta::assert_snapshot!(library.stdout);
    let said = run("scan letters --traps --jobs 1 --test-code -- --max-operations 1000000").ends(1);
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
    let said = run("scan letters --traps --jobs 1 --test-code -- --max-operations 1000000").ends(1);
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

    // A crash in the middle of a character, of which the next answer is no part.
    let mut text = place.read("killed/answers.jsonl").into_bytes();
    text.extend(&"{\"größe".as_bytes()[..5]);
    place.write("killed/answers.jsonl", &text);
    assert_eq!(place.run(&format!("{scan} killed {rest}")).ends(1).stdout, whole);
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
        // It was never shown.
        shop.write("acme/Shop.java", SHOP.as_bytes());
        compile(&shop);
        shop.run("scan classes --known all.sarif").ends(1).says("acme/Shop.java:22");
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
    // What cannot be collected changes nothing about the answers that are there.
    shop.run("scan classes --out whole --collect part1").ends(2);
    let again = shop.run("scan classes --traps --jobs 1 --out whole --budget 0").ends(1).stdout;
    assert!(again.starts_with(&whole), "{again}");
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
    shop.run("scan classes --traps --jobs 1 --html found.html --replays").ends(1);
    let page = shop.read("found.html");
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&data["findings"]).unwrap());
    let file = data["findings"][0]["file"].as_str().unwrap();
    assert_eq!(data["files"][file].as_array().unwrap().len(), SHOP.lines().count());
    for finding in data["findings"].as_array().unwrap() {
        let replay = shop.read(finding["replay"].as_str().unwrap());
        assert!(replay.contains(finding["description"].as_str().unwrap()), "{finding}");
    }
    shop.run("scan classes --replays").ends(2);
}

/// Other exceptions at the same line, such as that null is the array, are not those that the finding is about.
#[test]
fn replays_of_findings_at_one_line() {
    let text = "public class Main {
    public static int quotient(int[] a, int i) {
        return 100 / a[i];
    }
}
";
    let place = files([("Main.java", text)]);
    place.run("scan Main.java --traps --jobs 1 --html found.html --replays").ends(1).says("2 findings");
    assert_eq!(std::fs::read_dir(place.path("found.replays")).unwrap().count(), 2);
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

/// A proof that a line is unreachable confirms such a warning, and an input refutes it. Sizes of arrays are about exceptions.
#[test]
fn warnings_about_unreachable_code_and_sizes() {
    let text = "public class Main {
    public static int f(int n) {
        if (n > 3 && n < 2) {
            return 1;
        }
        if (n > 5) {
            return 2;
        }
        if (n > 4) { return 3; }
        return 0;
    }
    public static int[] make(int n) {
        return new int[n];
    }
    public static int[] few(int n) {
        return new int[n & 7];
    }
}
";
    let place = files([("Main.java", text)]);
    let ask = |warnings: &[(&str, u32, u32)], options: &str| {
        let results = warnings.iter().map(|(rule, line, column)| {
            let region = serde_json::json!({ "startLine": line, "startColumn": column });
            serde_json::json!({ "ruleId": rule, "message": { "text": "perhaps" }, "locations": [{
                "physicalLocation": { "artifactLocation": { "uri": "Main.java" }, "region": region } }] })
        });
        let log = serde_json::json!({ "version": "2.1.0", "runs": [{ "results": results.collect::<Vec<_>>() }] });
        place.write("found.sarif", log.to_string().as_bytes());
        place.run(&format!("scan Main.java --questions found.sarif --sarif judged.sarif --jobs 1 {options}"))
    };
    let (unreachable, size, constant) = ("UNREACHABLE_CODE", "java/negative-array-size", "java/constant-comparison");
    let all = [
        (unreachable, 4, 13),
        (unreachable, 7, 13),
        (unreachable, 8, 9),
        (unreachable, 9, 22),
        (constant, 3, 13),
        (size, 13, 16),
        (size, 16, 16),
    ];
    ask(&all, "").ends(1).says("refuted: Main.java:7: UNREACHABLE_CODE").says("with n = 6");
    let judged: Value = serde_json::from_str(&place.read("judged.sarif")).unwrap();
    let results = judged["runs"][0]["results"].as_array().unwrap();
    let kinds: Vec<&str> = results.iter().map(|result| result["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["fail", "pass", "review", "review", "review", "fail", "pass"]);
    assert_eq!(results[0]["properties"]["aback"]["verdict"], "confirmed");
    assert_eq!(results[1]["properties"]["aback"]["inputs"][0]["value"], "6");
    // What is open is no success for a strict scan.
    ask(&[(unreachable, 7, 13), (size, 16, 16)], "--strict").ends(0);
    ask(&[(unreachable, 7, 13), (constant, 3, 13)], "--strict").ends(3);
    ask(&[(unreachable, 7, 13), (constant, 3, 13)], "").ends(0);
    ask(&[], "--shard 1/2").ends(2).says("cannot be used with");
    ask(&[], "--entry Main.*").ends(2).says("cannot be used with");
}

/// Tests with parameters are entry points, whoever can call them, and fail by exceptions.
#[test]
fn properties() {
    check_properties("@ParameterizedTest", "");
    check_properties("@Property", "@ForAll ");
}

/// The first of two tests with parameters fails. `test` marks a test, and `parameter` each of its parameters.
#[track_caller]
fn check_properties(test: &str, parameter: &str) {
    let text = format!(
        "import java.lang.annotation.*;
@Retention(RetentionPolicy.RUNTIME) @interface ParameterizedTest {{}}
@Retention(RetentionPolicy.RUNTIME) @interface Property {{}}
@Retention(RetentionPolicy.RUNTIME) @interface ForAll {{}}
class MathTest {{
    {test}
    void absolute({parameter}int x) {{
        if (Math.abs(x) < 0) {{
            throw new AssertionError(x);
        }}
    }}
    {test}
    void sum({parameter}int x, {parameter}int y) {{
        if (x + y != y + x) {{
            throw new AssertionError(x);
        }}
    }}
    void helper(int x) {{
        throw new AssertionError(x);
    }}
}}
"
    );
    let place = files([("MathTest.java", text.as_str())]);
    let said = place.run("scan MathTest.java --jobs 1").ends(1);
    said.says("MathTest.java:9: java.lang.AssertionError").says("x = -2147483648").says("2 entry points: 1 can fail");
}

#[test]
fn what_makes_inputs_valid_is_minded() {
    let text = "public class H { int v; boolean repOk() { return v > 0; } public void f() { assert v >= 0; } }";
    let place = files([("H.java", text)]);
    place.run("scan H.java -- --valid-inputs before").ends(0).says("1 cannot");
    place.write("H.java", text.replace("v > 0", "v != 3").as_bytes());
    place.run("scan H.java -- --valid-inputs before").ends(1).says("1 finding");
    place.write("H.java", text.as_bytes());
    place.run("scan H.java -- --valid-inputs before").ends(0);
    place.run("scan H.java -- --assume v>0").ends(2).says("--assume is about the inputs of one entry point");
}
