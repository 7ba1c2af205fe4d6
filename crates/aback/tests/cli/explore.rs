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
