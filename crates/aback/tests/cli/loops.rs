//! Tests of `--loops`.

use super::{files, on_examples};

const JAVA: &str = "class Steps {
    static void meet(int n) {
        int i = 0, j = 0;
        while (i < n) i += 4;
        while (i != j + 7) j += 2;
        assert false;
    }
    static void far(int[] a) {
        int ones = 0;
        for (int i = 0; i < a.length; i++) if (a[i] == 1) ones++;
        assert ones != 5;
    }
    static void missing(String text) {
        int at = 0;
        while (at < text.length() && text.charAt(at) != '!') at++;
        assert at <= text.length();
    }
    static void last(String text, int probe) {
        int last = -1;
        for (int i = 0; i < text.length(); i++) if (text.charAt(i) == '!') last = i;
        assert probe <= last || probe >= text.length() || text.charAt(probe) != '!';
    }
    static void mirrored(String text) {
        int i = 0, j = text.length() - 1;
        while (i < j) {
            if (text.charAt(i) != text.charAt(j)) return;
            i++;
            j--;
        }
        assert text.length() != 31 || text.charAt(3) != 'a';
    }
}
";

#[test]
fn any_number_of_iterations() {
    let place = files([("Steps.java", JAVA)]);
    place
        .run("check Steps.java --entry Steps.meet --loops light --timeout 100")
        .ends(0)
        .says("holds: no execution violates anything");
    place
        .run("check Steps.java --entry Steps.meet --loops light --timeout 100 --engine backward")
        .ends(0)
        .says("holds: ");
    place.run("check Steps.java --entry Steps.far --loops light --timeout 100 --confirm").ends(1).says("confirmed by");
    // Strings of any length, with the characters in one byte or in two.
    for proved in ["missing", "last"] {
        place.run(&format!("check Steps.java --entry Steps.{proved} --timeout 100")).ends(0).says("holds: ");
    }
    place
        .run("check Steps.java --entry Steps.mirrored --loops light --timeout 100 --confirm")
        .ends(1)
        .says("confirmed by");
    place
        .run("check Steps.java --entry Steps.mirrored --timeout 100 --loops off")
        .ends(3)
        .says("at most 10 characters");
    place.run("check Steps.java --entry Steps.far --loops light --timeout 100 --heap lazy").ends(1).says("violated");
}

/// Table 1 of paper 5.
#[test]
fn programs_of_the_paper() {
    for program in ["oneLoop", "twoLoops"] {
        for file in ["Table1.java", "table1.oox"] {
            on_examples(&format!(
                "check examples/loops/{file} --traps --entry Table1.{program} --loops light --timeout 100"
            ))
            .ends(0);
        }
    }
}

/// No unwinding gets there in reasonable time.
#[test]
fn far_lines_of_the_paper() {
    let rest = "--loops light --timeout 100";
    on_examples(&format!("reach examples/loops/Table1.java --at Table1.java:158 {rest}")).ends(1);
    on_examples(&format!("reach examples/loops/Table1.java --at Table1.java:65 {rest}")).ends(1);
    on_examples(&format!("check examples/loops/table1.oox --entry Table1.hwm {rest}")).ends(1);
}

const CONDITIONS: &str = "class Main {
    static void main(int[] a, int n) {
        if (a != null && n <= #a) {
            int k := 3; int i := 0; int last := 0;
            while (i < n) {
                if (a[i] == 1) { k := k + 1; } else { last := i; };
                i := i + 1;
            }
            if (k > 12 && last == 4) {
                n := 0;
            };
            if (n > 0 && k > n + 3) {
                n := 0;
            };
        };
    }
    static void nested(int n) {
        int cells := 0; int row := 0;
        while (row < n) {
            int column := 0;
            while (column < row) { column := column + 1; cells := cells + 2; }
            row := row + 1;
        }
        if (cells == 6) {
            n := 1;
        };
    }
}
";

#[test]
fn conditions() {
    let place = files([("Main.oox", CONDITIONS)]);
    let shown = |options: &str| {
        let shown = place.run(&format!("condition Main.oox --timeout 100 --at Main.oox:{options}")).ends(1);
        // Which input is found depends on the solver.
        shown.stdout.split("further ways").next().unwrap().to_string()
    };
    insta::assert_snapshot!(shown("10 --entry Main.main"));
    insta::assert_snapshot!(shown("25 --entry Main.nested"));
    // No unwinding ends here.
    place.run("condition Main.oox --at Main.oox:13 --entry Main.main --timeout 100").ends(0).says("unreachable");
    place
        .run("condition Main.oox --at Main.oox:10 --entry Main.main --timeout 100 --json")
        .ends(1)
        .says(r#""count":"κ1","before":"τ1","conditions":["#);
    place
        .run("condition Main.oox --at Main.oox:10 --entry Main.main --timeout 100 --smt")
        .ends(1)
        .says("(set-logic ALL)");
    place.run("condition Main.oox --entry Main.main").ends(2).says("--at");
    place.run("condition Main.oox --at Main.oox:1").ends(2).says("no code");
}
