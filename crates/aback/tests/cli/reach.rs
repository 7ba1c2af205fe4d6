//! Tests of `aback reach`, and of questions about a line without `--entry`.

use super::{Place, files, program};

const LOOPS: &str = "class Loop {
  static int count(int[] a, int x) {
    int i := 0;
    while (i < x) {
      i := i + 1;
      if (i == 5 && a[i] == 9)
        return 1;
    }
    if (i < 0 && x > 0)
      return 2;
    return 3;
  }
  static int constant(int x) {
    int i := 0;
    while (i < 20)
      i := i + 1;
    if (i != 20 || x * x < 0)
      return 1;
    return i;
  }
}
class Main { static void main(int z) { int y := Loop.constant(z); } }
";

/// Runs `reach` with both engines.
#[track_caller]
fn check(place: &Place, arguments: &str, status: i32, said: &str) {
    for engine in ["forward", "backward", "auto"] {
        place.run(&format!("reach {arguments} --engine {engine} --timeout 300")).ends(status).says(said);
    }
}

#[test]
fn lines_are_reached_or_not() {
    let place = program(LOOPS);
    check(&place, "Main.oox --at Main.oox:7", 1, "reachable: control can get to this line");
    check(&place, "Main.oox --at Main.oox:11", 1, "with the input of Loop.count");
    check(&place, "Main.oox --at Main.oox:18", 0, "unreachable: no execution gets to the line");
    check(&place, "Main.oox --at Main.oox:19", 1, "return i;");
}

#[test]
fn the_entry_points_are_told() {
    let place = program(LOOPS);
    place.run("reach Main.oox --at Main.oox:18").ends(0).says("from: Loop.constant, Main.main");
    place.run("reach Main.oox --at Main.oox:7 --entry Main.main").ends(0).says("from: Main.main");
    place
        .run("reach Main.oox --at Main.oox:10 --engine backward --unwind 3")
        .ends(3)
        .says("not covered: loops and recursions of more than 3 iterations");
}

#[test]
fn lines_that_are_none() {
    let place = program(LOOPS);
    place.run("reach Main.oox").ends(2).says("--at <FILE:LINE>");
    place.run("reach Main.oox --at Main.oox:999").ends(2).says("there is no code at Main.oox:999");
    place.run("reach Main.oox --at Other.oox:1").ends(2).says("Other.oox");
    place.run("reach Main.oox --at 7").ends(2).says("write FILE:LINE");
}

#[test]
fn java_starts_at_public_methods_of_public_types() {
    let place = files([(
        "Shop.java",
        "public class Shop {
    private int stock;

    private int take(int count) {
        if (count > 100)
            return -1;
        stock -= count;
        return stock;
    }

    public int sell(int count) {
        return count < 50 ? take(count) : 0;
    }

    int inside(int count) {
        return take(count);
    }
}
",
    )]);
    check(&place, "Shop.java --at Shop.java:6", 0, "from: Shop.sell");
    check(&place, "Shop.java --at Shop.java:8", 1, "with the input of Shop.sell");
    check(&place, "Shop.java --at Shop.java:6 --entry Shop.inside", 1, "with the input of Shop.inside");
}

/// What follows a choice is not at the line of its last way, where class files have it, unless its text is there.
#[test]
fn ways_of_expressions_over_several_lines() {
    let place = files([(
        "Ways.java",
        "public class Ways {
    private int field;

    public int local(int k) {
        if (k < 0) return 0;
        int r = k >= 0
            ? k + 1
            : -k;
        return r;
    }

    public static int returned(int k) {
        if (k == 3) return 0;
        return 2 * switch (k) {
            case 1 -> 10;
            default -> 5;
            case 3 -> 30;
        };
    }

    public void stored(int k) {
        if (k < 0) return;
        field += k >= 0
            ? 1
            : 2;
    }

    public int behind(int k) {
        if (k < 0) return 0;
        return (k >= 0
            ? 1
            : 2) + local(k);
    }

    public int next(int k) {
        if (k < 0) return 0;
        int r = k >= 0
            ? 1
            : 2; r += local(k);
        return r;
    }

    public int either(int k) {
        int r = k >= 0
            ? 1
            : 2;
        return r;
    }

    public int silent(int k) {
        if (k < 0) return 0;
        int r = k >= 0 ? 1
            : 2; r = k +
            local(k);
        return r;
    }

    public String joined(int k) {
        if (k < 0) return null;
        return \"a\" + (k >= 0 ? \"b\"
            : \"c\");
    }

    public int argument(int k) {
        if (k < 0) return 0;
        StringBuilder b = new StringBuilder(k >= 0
            ? \"b\"
            : \"c\");
        int[] a = new int[] {k, k >= 0
            ? 1
            : 2};
        if (a[1] < (k >= 0
            ? 5
            : 6)) return b.length();
        return 0;
    }
}
",
    )]);
    // Where control is does not depend on the engine.
    let ask = |line: u32| place.run(&format!("reach Ways.java --at Ways.java:{line} --engine forward --timeout 300"));
    for line in [8, 17, 25, 61, 68, 71] {
        ask(line).ends(0).says("unreachable: no execution gets to the line");
    }
    for line in [7, 9, 16, 32, 39, 46, 53, 54, 55, 60, 72, 74] {
        ask(line).ends(1).says("reachable: control can get to this line");
    }
    check(&place, "Ways.java --at Ways.java:46", 1, "k = -");
}

/// Where a condition is a value, the class file gives it after the last operand, on whose line control may not have been.
#[test]
fn operands_of_conditions_that_are_values() {
    let place = files([(
        "Conditions.java",
        "public class Conditions {
    public static boolean both(int k) {
        if (k > 3) return true;
        return k > 5
            && less(k, 9);
    }

    public boolean either(int k) {
        if (k < 0) return true;
        boolean r = k >= 0
            || less(k, -7);
        return r;
    }

    public boolean negated(int k) {
        if (k > 3) return true;
        return and(k, !(k > 5
            && less(k, 9)));
    }

    private static boolean less(int a, int b) {
        return a < b;
    }

    private boolean and(int k, boolean b) {
        return b;
    }

    public boolean literal(int k) {
        if (k > 3) return true;
        return k > 5
            ? less(k, 9) : false;
    }

    public boolean later(int k) {
        return k > 5
            && less(k, 9);
    }

    public static boolean mixed(boolean q, int k, boolean r) {
        if (q) return false;
        return (q
            && less(k, 9))
            || r;
    }

    public static boolean compared(boolean q, int k, boolean r) {
        if (q) return false;
        return (q &&
            less(k, 9)) ==
            r;
    }

    public static int tested(boolean q, int k, int r) {
        if (q) return 0;
        if ((!q
            || less(k, 9))
            && k < r) {
            k++;
        }
        return k;
    }

    public static String told(boolean q, int k, boolean r) {
        if (q) return null;
        return \"x\" + (!q
            || less(k, 9))
            + r;
    }

    public static boolean before(boolean q, int k, boolean r) {
        if (q) return false;
        return (q || less(k, 1))
            && less(k, 9)
            || r;
    }

    public static boolean both(boolean q, int k, boolean r) {
        if (q) return false;
        return (q
            && less(k, 9)) || less(k, 7);
    }
}
",
    )]);
    for line in [5, 11, 18, 43, 50, 57, 67] {
        check(
            &place,
            &format!("Conditions.java --at Conditions.java:{line}"),
            0,
            "unreachable: no execution gets to the line",
        );
    }
    for line in [4, 10, 12, 17, 22, 26, 32, 37, 42, 49, 56, 73, 74, 81] {
        check(
            &place,
            &format!("Conditions.java --at Conditions.java:{line}"),
            1,
            "reachable: control can get to this line",
        );
    }
}

#[test]
fn conditions_are_shown() {
    let place = program("class Main {\n  static void main(int x) {\n    int y := x + 1;\n    assert y != 3;\n  }\n}\n");
    let shown = place.run("check Main.oox --engine backward --backward disj-set --no-facts --show-conditions").ends(1);
    shown.says("Main.oox:3:5: y := x + 1").says("Main.oox:4:5");
}

#[test]
fn several_counterexamples_on_paths_of_their_own() {
    let place = program(
        "class Main {\n  static void main(int x) {\n    int y := 0;\n    if (x > 10) { y := 1; } else { y := 2; }\n    assert y == 3;\n  }\n}\n",
    );
    for engine in ENGINES {
        let found = place.run(&format!("check Main.oox {engine} --counterexamples 5")).ends(1);
        assert_eq!(found.stdout.matches("with the input").count(), 2, "{engine}: {found}");
    }
}

/// Options for every engine and strategy that looks for counterexamples.
const ENGINES: [&str; 9] = [
    "--engine forward",
    "--engine forward --merge always",
    "--engine auto",
    "--engine backward",
    "--engine backward --backward conj-always",
    "--engine backward --backward disj-term",
    "--engine backward --backward disj-set",
    "--engine backward --backward paths",
    "--engine backward --no-facts --encoding arrays",
];

/// Returns for each counterexample of a document whether `x` is greater than 10, and checks this against the path of
/// the same counterexample: exactly then it goes through line 4.
fn counterexamples(document: &serde_json::Value) -> Vec<bool> {
    let more = document["more"].as_array().cloned().unwrap_or_default();
    let mut found: Vec<bool> = [document["violation"].clone()]
        .iter()
        .chain(&more)
        .map(|violation| {
            let is_large = violation["shown_inputs"][0]["value"].as_str().unwrap().parse::<i64>().unwrap() > 10;
            let path = violation["path"].as_array().unwrap();
            assert_eq!(path.iter().any(|step| step["line"] == 4), is_large, "{violation}");
            is_large
        })
        .collect();
    found.sort_unstable();
    found
}

#[test]
fn each_counterexample_has_its_own_inputs_path_and_file() {
    let place = program(
        "class Main {\n  static void main(int x) {\n    int y := 0; if (x > 10) {\n      y := 1;\n    }\n    else {\n      y := 2;\n    }\n    assert y == 3;\n  }\n}\n",
    );
    for command in ["check Main.oox", "reach Main.oox --at Main.oox:9"] {
        for engine in ENGINES {
            let found = place.run(&format!("{command} {engine} --counterexamples 3 --json --witness w.json")).ends(1);
            assert_eq!(counterexamples(&found.json()), [false, true], "{command} {engine}: {found}");
            place.run("replay w.json --text").ends(0);
            place.run("replay w-2.json --text").ends(0);
            assert!(!place.path("w-3.json").exists());
        }
    }
    place.run("check Main.oox --counterexamples 2 --at Main.oox:4 --witness w.json").ends(0);
    assert!(!place.path("w.json").exists() && !place.path("w-2.json").exists());
}

#[test]
fn counterexamples_behind_more_iterations() {
    let place = program(
        "class Main {\n  static void main(int n) {\n    int i := 0;\n    while (i < n) { i := i + 1; }\n    assert i != 1 && i != 4;\n  }\n}\n",
    );
    for engine in ENGINES {
        let found = place.run(&format!("check Main.oox {engine} --counterexamples 2")).ends(1);
        assert!(found.stdout.contains("n = 1\n") && found.stdout.contains("n = 4\n"), "{engine}: {found}");
    }
}

/// Whether a reference can be null where its object is used, even if the exception is caught.
#[test]
fn references_that_can_be_null() {
    let text = "public class Main {
            public static int caught(String s) {
                try {
                    return s.length();
                } catch (NullPointerException e) {
                    return 0;
                }
            }
            public static int tested(String s) {
                return s == null ? 0
                    : s.length();
            }
            public static int part(int[][] rows, int n) {
                return rows == null || rows.length <= n || n < 0 ? 0
                    : rows[n].length;
            }
        }";
    let place = files([("Main.java", text)]);
    place.run("check Main.java --at Main.java:4 --traps").ends(0);
    let said = place.run("check Main.java --null Main.java:4 --witness w.json").ends(1);
    said.says("can be null: a reference can be null here").says("s = null");
    place.run("replay w.json --text").ends(0);
    place.run("confirm w.json").ends(3);
    place.run("check Main.java --null Main.java:11").ends(0).says("never null: no execution gets there with null");
    place.run("check Main.java --null Main.java:15").ends(1).says("rows = int[1][]#1 = [null]");
    place.run("check Main.java --null Main.java:6").ends(2).says("nothing at Main.java:6 uses an object");
    place.run("check Main.java --null Main.java:4 --traps").ends(2);
    place.run("reach Main.java --at Main.java:4 --null Main.java:4").ends(2).says("cannot be used with");
}

/// A column picks one use of several at a line.
#[test]
fn columns_of_references() {
    let text = "class Main { static void main(Cell a, Cell b) {\n    if (a != null) { int n := a.v + b.v; }\n} }\nclass Cell { int v; }";
    let place = files([("Main.oox", text)]);
    let line = text.lines().nth(1).unwrap();
    let (a, b) = (line.find("a.v").unwrap() + 1, line.find("b.v").unwrap() + 1);
    place.run(&format!("check Main.oox --null Main.oox:2:{a}")).ends(0);
    place.run(&format!("check Main.oox --null Main.oox:2:{b}")).ends(1).says("b = null");
    place.run("check Main.oox --null Main.oox:2").ends(1);
    place.run("check Main.oox --null Main.oox:2:1").ends(2).says("nothing at Main.oox:2:1 uses an object");
    place.run("check Main.oox --null Main.oox").ends(2);
}
