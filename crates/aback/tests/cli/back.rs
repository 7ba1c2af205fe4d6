//! `aback back`, to which users type commands.

use crate::{Place, Ran, files};
use insta::assert_snapshot;
use std::collections::BTreeSet;
use std::io::Write;
use std::process::Stdio;

const SUM: &str = "class Main {
    static int half(int x) {
        return x / 2;
    }
    static void main(int x) {
        int y := 1;
        if (x > 10) {
            y := Main.half(x);
        }
        assert y != 7;
    }
}
";

/// Runs the program, and types these lines.
#[track_caller]
fn typed(place: &Place, arguments: &str, lines: &str) -> Ran {
    let mut command = place.command(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    place.finish(child)
}

#[test]
fn from_a_line_to_the_start() {
    let place = files([("Main.oox", SUM)]);
    let ran = typed(&place, "back Main.oox --at Main.oox:10 --fails", "1\n1\n1\n1\n?\nu\nh\nnonsense\n77\nq\n1\n");
    assert_snapshot!(ran.ends(0));
}

#[test]
fn ways_that_nothing_goes() {
    let place = files([("Main.oox", &SUM.replace("x > 10", "x > 20"))]);
    typed(&place, "back Main.oox --at Main.oox:10 --fails", "1\n1\n?\n")
        .ends(0)
        .says("No execution goes this way, in these calls and iterations.");
}

#[test]
fn several_entry_points() {
    let text = "public class Main {
    public static void a(int x) { c(x); }
    public static void b(int x) { c(x + 1); }
    private static void c(int x) {
        if (x == 5)
            x++;
    }
}
";
    let place = files([("Main.java", text)]);
    let ran = typed(&place, "back Main.java --at Main.java:6 --witness found.json", "?\n9\n2\n1\n1\n?\nu\nu\nu\n");
    let ran = ran.ends(0).says("Main.a(int)").says("Choose an entry point first").says("x = 4");
    assert!(ran.stdout.matches("several entry points").count() == 2, "{ran}");
    place.run("replay found.json --text").ends(0).says("Main.java:6");
}

/// The compiler copies a `finally` to each way out of the block.
#[test]
fn copies_of_a_line_are_told_apart() {
    let text = "public class Main {
    public static int f(int[] a, int i, int r) {
        try {
            if (a[i] == 5) return 1;
        } finally {
            r = r + 1;
            assert r != 8;
        }
        return r;
    }
}
";
    let place = files([("Main.java", text)]);
    let ran = typed(&place, "back Main.java --at Main.java:7 --fails", "").ends(0);
    let offered: Vec<&str> = ran.stdout.lines().filter(|line| line.contains("assert r != 8")).collect();
    let places: BTreeSet<&str> = offered.iter().filter_map(|line| Some(line.split_once("(after ")?.1)).collect();
    assert!(offered.len() == 3 && places.len() == 3, "{ran}");
}

#[test]
fn mistakes() {
    let place = files([("Main.oox", SUM)]);
    place.run("back Main.oox --at Main.oox:99").ends(2).says("there is no code");
    place.run("back Missing.oox --at Main.oox:9").ends(2).says("Missing.oox");
}
