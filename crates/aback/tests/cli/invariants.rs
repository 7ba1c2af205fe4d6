//! `--invariants`: answers, and errors in files of invariants.

use crate::files;
use insta::assert_snapshot;

const LIST: &str = "\
class Node { int v; Node next; }
class Main {
    static void main(Node list) {
        Node second := list.next;
        assert second != list;
    }
}
";

#[test]
fn a_violation_has_inputs_that_satisfy_the_invariants() {
    let place = files([
        ("Main.oox", LIST),
        ("circular.hex", "root.list not null;\nroot.list(.next)+ not null;\nroot.list(.next)+ aliases root.list;\n"),
        ("acyclic.hex", "root.list not null;\nroot.list(.next)+ aliases nothing;\n"),
    ]);
    assert_snapshot!(place.run("check Main.oox --invariants circular.hex").ends(1));
    place.run("check Main.oox --invariants acyclic.hex -v").ends(0).says("the input heap satisfies acyclic.hex");
}

#[test]
fn errors_are_shown_in_the_file_of_invariants() {
    let place = files([("Main.oox", LIST), ("list.hex", "root.list not null;\nroot.list(.nxt)+ aliases nothing;\n")]);
    assert_snapshot!(place.run("check Main.oox --invariants list.hex").ends(2));
    place.run("check Main.oox --invariants none.hex").ends(2).says("none.hex");
    place.run("check Main.oox --invariants list.hex --double-check").ends(2).says("--double-check");
}
