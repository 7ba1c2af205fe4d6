//! Going back from a line by hand: the trails on which an execution is found are the paths that engines find.

use aback_backward::{Stop, Trail};
use aback_core::{CheckConfig, Line, LoadConfig, Question, Session, Verdict};
use std::collections::BTreeSet;

/// Most paths, and most trails.
const MOST: usize = 200;

struct Opened {
    _folder: tempfile::TempDir,
    session: Session,
}

fn open(name: &str, text: &str) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, text).unwrap();
    let session = Session::open(&[file], &LoadConfig::default()).unwrap();
    Opened { _folder: folder, session }
}

fn question(name: &str, line: u32, question: Question) -> CheckConfig {
    CheckConfig { question, at: Some(Line { file: name.into(), line }), ..CheckConfig::default() }
}

/// Lines without repetitions: a line that calls a method goes on after the call.
fn lines(all: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut lines: Vec<u32> = all.collect();
    lines.dedup();
    lines
}

/// The lines of all trails back to the start on which an execution is found. Every other trail must be refuted.
fn followed(opened: &Opened, config: &CheckConfig, entry: &str) -> BTreeSet<Vec<u32>> {
    let ask = |stops: &[Stop], asks: bool| {
        let trail = Trail { stops: stops.iter().map(|stop| stop.node).collect(), asks };
        opened.session.go_back(config, entry, trail).unwrap()
    };
    let (mut found, mut asked) = (BTreeSet::new(), 0);
    let mut pending: Vec<Vec<Stop>> = vec![Vec::new()];
    while let Some(trail) = pending.pop() {
        let answer = ask(&trail, true);
        asked += 1;
        assert!(asked < MOST, "too many trails");
        let stops = ask(&trail, false).stops;
        let program = &answer.program;
        match answer.verdict {
            // Nothing goes along a longer trail either.
            Verdict::Holds => {
                for stop in stops {
                    let longer = [&trail[..], &[stop]].concat();
                    assert_eq!(ask(&longer, true).verdict, Verdict::Holds);
                }
                continue;
            }
            Verdict::Violated => {}
            other => panic!("{other}: {}", answer.reason(program)),
        }
        let violation = answer.violation.as_ref().unwrap();
        let path = lines(violation.path.iter().map(|step| step.span.line));
        let own = lines(trail.iter().rev().filter(|stop| !stop.is_start).map(|stop| stop.place.span.line));
        assert!(
            path.ends_with(&own) || path.ends_with(&[&own[..], &[path[path.len() - 1]]].concat()),
            "{own:?} in {path:?}"
        );
        match trail.last() {
            Some(stop) if stop.is_start => _ = found.insert(path),
            _ => pending.extend(stops.into_iter().map(|stop| [&trail[..], &[stop]].concat())),
        }
    }
    found
}

/// Checks that trails are the paths that engines find, and that there are this many.
#[track_caller]
fn check(name: &str, text: &str, entry: &str, line: u32, count: usize) {
    let opened = open(name, text);
    let kind = if text.lines().nth(line as usize - 1).unwrap().contains("assert") {
        Question::Violation
    } else {
        Question::Reach
    };
    let config = question(name, line, kind);
    let found = followed(&opened, &config, entry);
    let every = CheckConfig { entry: Some(entry.into()), counterexamples: MOST, ..config };
    let answer = opened.session.check(&every).unwrap();
    let paths =
        answer.violation.iter().chain(&answer.more).map(|one| lines(one.path.iter().map(|step| step.span.line)));
    assert_eq!(found, paths.collect::<BTreeSet<_>>());
    assert_eq!(found.len(), count, "{found:?}");
}

const BRANCHES: &str = "class Cell { int v; Cell next; }
class Main {
    static void main(Cell a, Cell b, int x) {
        int y := 0;
        if (a == null) {
            y := 1;
        } else {
            if (a == b) {
                y := 2;
            } else {
                y := x;
            }
            a.v := y;
        }
        if (y == 1) {
            y := 5;
        }
        assert y != 5;
    }
}
";

#[test]
fn branches_and_aliases() {
    check("Main.oox", BRANCHES, "Main.main", 18, 3);
}

const CALLS: &str = "class Main {
    static int twice(int x) {
        if (x < 0) {
            return 0;
        }
        return x + x;
    }
    static void main(int a, int b) {
        int c = twice(a) + 1;
        int d = twice(b) + 1;
        if (c + d == 2) {
            a = 7;
        }
    }
}
";

/// A method is passed twice, in two activations, and the ways through them differ.
#[test]
fn calls_of_one_method() {
    check("Main.java", CALLS, "Main.main", 12, 4);
}

const BEHIND: &str = "class Main {
    static int main(int[] a, int i) {
        int n = 0;
        if (a[i] > 3)
            n = 1;
        if (n == 0)
            n = 2;
        if (n == 1)
            n = 3;
        if (n == 3 && a[0] != 7)
            return n;
        return 0;
    }
}
";

/// From within a line, control goes to the next one with and without another line between.
#[test]
fn lines_that_are_passed_by() {
    check("Main.java", BEHIND, "Main.main", 11, 1);
}

const LOOP: &str = "class Main {
    static int main(int[] a) {
        int n = 0;
        for (int i = 0; i < 2; i++) {
            if (a[i] > 3) {
                n += Math.max(a[i], 4);
            }
        }
        if (n == 9)
            return 1;
        return 0;
    }
}
";

/// Iterations are different stops at the same line, and library code lies between stops.
#[test]
fn iterations_and_libraries() {
    check("Main.java", LOOP, "Main.main", 10, 3);
}

#[test]
fn what_must_hold() {
    let opened = open("Main.oox", BRANCHES);
    let config = question("Main.oox", 18, Question::Violation);
    let mut trail = Trail::default();
    let mut shown = Vec::new();
    // Braces are lines, too.
    for line in [18, 17, 16, 15, 7, 6] {
        let answer = opened.session.go_back(&config, "Main.main", trail.clone()).unwrap();
        assert_ne!(answer.verdict, Verdict::Holds, "nothing was asked");
        let stop = answer.stops.iter().find(|stop| stop.place.span.line == line).expect("a stop");
        trail.stops.push(stop.node);
        shown.push(format!("{line}: {}", stop.condition));
    }
    assert_eq!(shown, ["18: y == 5", "17: true", "16: true", "15: y == 1", "7: true", "6: true"]);
    assert_eq!(opened.session.starts(&config).unwrap(), ["Main.main(Cell, Cell, int)"]);
}

/// A loop of a library between two chosen lines may take more iterations than are unwound. Executions in which it does go along the trail, too:
/// here all that fail.
#[test]
fn a_library_that_loops_longer() {
    let text = "class Main {
    static void main(int k) {
        String s = Integer.toString(k);
        int n = s.length();
        assert n != 5;
    }
}
";
    let opened = open("Main.java", text);
    let config = question("Main.java", 5, Question::Violation);
    let mut trail = Trail::default();
    let mut conditions = Vec::new();
    for _ in 0..20 {
        let asked = Trail { asks: true, ..trail.clone() };
        let answer = opened.session.go_back(&config, "Main.main", asked).unwrap();
        assert_ne!(answer.verdict, Verdict::Holds, "{conditions:?}");
        let stops = opened.session.go_back(&config, "Main.main", trail.clone()).unwrap().stops;
        let Some(stop) = stops.first() else { break };
        conditions.push(format!("{}: {}", stop.place.span.line, stop.condition));
        trail.stops.push(stop.node);
        if stop.is_start {
            break;
        }
    }
    assert!(conditions.iter().any(|condition| condition.ends_with("beyond the unwinding")), "{conditions:?}");
    assert!(conditions.first().is_some_and(|first| first == "5: n == 5"), "{conditions:?}");
}

/// Conditions are written as programs write them.
#[test]
fn readable_conditions() {
    let text = "class Main {
    static class Node { int v; Node next; int[] a; }
    static void main(Node n, int i) {
        if (n != null) {
            if (n.next == null) {
                int k = n.a[i];
                assert k <= 7;
            }
        }
    }
}
";
    let opened = open("Main.java", text);
    let config = question("Main.java", 7, Question::Violation);
    let mut trail = Trail::default();
    let mut shown = Vec::new();
    for _ in [7, 6, 5] {
        let answer = opened.session.go_back(&config, "Main.main", trail.clone()).unwrap();
        let stop = answer.stops.first().expect("a stop");
        trail.stops.push(stop.node);
        shown.push(format!("{}: {}", stop.place.span.line, stop.condition));
    }
    let rest = "!((i < 0) || i >= n.a.length) && n.a[i] > 7 && n.a != null";
    assert_eq!(shown, ["7: k > 7".into(), format!("6: {rest}"), format!("5: {rest} && n.next == null")]);
}

/// Lines with contradictory conditions are not offered.
#[test]
fn lines_that_nothing_comes_from() {
    let text = "class Main {
    static void main(int x, int y) {
        int z := 0;
        if (x > 10) {
            z := 1;
        }
        if (x + y < 5) {
            if (y > 0) {
                assert z == 7;
            }
        }
    }
}
";
    let opened = open("Main.oox", text);
    let config = question("Main.oox", 9, Question::Violation);
    let mut trail = Trail::default();
    let mut lines = Vec::new();
    for _ in 0..20 {
        let stops = opened.session.go_back(&config, "Main.main", trail.clone()).unwrap().stops;
        let within = stops.iter().find(|stop| stop.place.span.line == 5);
        let Some(stop) = within.or(stops.first()) else { break };
        lines.push(stop.place.span.line);
        trail.stops.push(stop.node);
    }
    assert_eq!(lines.last(), Some(&5), "{lines:?}");
}

/// Fields of objects of libraries are none of the user's.
#[test]
fn conditions_about_libraries() {
    let text = "class Main {
    static void main(String s, int k) {
        int n = s.length();
        if (k > 3) {
            assert n != 5;
        }
    }
}
";
    let opened = open("Main.java", text);
    let config = question("Main.java", 5, Question::Violation);
    let mut trail = Trail::default();
    let mut last = String::new();
    for _ in 0..20 {
        let stops = opened.session.go_back(&config, "Main.main", trail.clone()).unwrap().stops;
        let Some(stop) = stops.first() else { break };
        trail.stops.push(stop.node);
        last = stop.condition.clone();
        assert!(!last.contains('%') && !last.contains("coder"), "{last}");
        if stop.is_start {
            break;
        }
    }
    assert!(last.contains("k > 3") && last.ends_with("(conditions without names in the source)"), "{last}");
}

/// Numbers that are no stops have no answer.
#[test]
fn a_trail_of_another_program() {
    let opened = open("Main.oox", BRANCHES);
    let config = question("Main.oox", 18, Question::Violation);
    for stops in [vec![9999], vec![0, 1, 2, 3]] {
        let answer = opened.session.go_back(&config, "Main.main", Trail { stops, asks: true }).unwrap();
        assert_eq!(answer.verdict, Verdict::Unknown);
    }
}
