//! `explore`: lists of behaviours.

use crate::files;
use insta::assert_snapshot;

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
    place.run("explore Main.oox --entry Main.last --invariants acyclic.hex --heap arrays").ends(2).says("--heap lazy");
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
