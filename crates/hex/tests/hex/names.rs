//! Names: what they stand for, and the messages for those without a meaning.

use crate::support::World;

fn check(text: &str, expected: &str) {
    assert_eq!(World::new().problem(text), expected, "{text}");
}

#[test]
fn unknown_names() {
    check("root.lst not null;", "1:6+3: no root is named `lst` (did you mean `list`?)");
    check(
        "root.unrelated not null;",
        "1:6+9: no root is named `unrelated` (known roots: `list`, `other`, `tree`, `app.Config.first`, `number`)",
    );
    check("root.number not null;", "1:6+6: `number` is not a reference");
    check("any Nod.next not null;", "1:5+3: no class is named `Nod` (did you mean `Node`?)");
    check("any app.Confg not null;", "1:5+9: no class is named `app.Confg` (did you mean `app.Config`?)");
    check("root.list.nxt not null;", "1:11+3: no class has a field `nxt` (did you mean `next`?)");
    check("root.list.value not null;", "1:11+5: no field named `value` is a reference");
    check("root.list.(Tree.nxt) not null;", "1:17+3: `Tree` has no field `nxt` (did you mean `next`?)");
    check("root.list.(Leaf.value) not null;", "1:17+5: the field `value` is not a reference");
    check("root.list expands to\n  Nodes;", "2:3+5: no class is named `Nodes` (did you mean `Node`?)");
    check("root.list expands to i32;", "1:22+3: `i32` is not a type of objects");
    check("any Node[] not null;", "1:5+4: `Node` has no elements (write `any (Node[])` for arrays of this type)");
}

#[test]
fn companions() {
    check("root.list not null triggers Check.on;", "1:35+2: `Check` has no method `on` (did you mean `one`?)");
    check("root.list not null triggers Chek.one;", "1:29+4: no class is named `Chek` (did you mean `Check`?)");
    check("root.list not null triggers Check.both;", "1:35+4: several methods `both` can be called here");
    let root = "it must return a truth value, and be static with one parameter, the reference that was reached, or have no parameters";
    for method in ["pair", "wrong", "instance"] {
        let message = format!("1:35+{}: `{method}` cannot be called here ({root})", method.len());
        check(&format!("root.list not null triggers Check.{method};"), &message);
    }
    check(
        "any Tree not null triggers Check.pair;",
        "1:34+4: `pair` cannot be called here (it must return a truth value, and be static with two parameters, the \
         `Tree` where the path starts and the reference that was reached, or have no parameters)",
    );
}

#[test]
fn second_paths_start_at_the_same_object() {
    check(
        "root.list aliases any Node.next;",
        "1:19+13: the first path does not start at `any Node` (`any` in the second path is the object where the first \
         path starts)",
    );
    World::new().parse("any Node.next aliases root.list;");
}

#[test]
fn names_that_are_found() {
    let world = World::new();
    let print = |text: &str| world.parse(text).print(&world.program);
    assert_eq!(print("any Config.next not null;"), "any app.Config.next not null;\n");
    assert_eq!(print("root.Config.first.next not null;"), "root.app.Config.first.next not null;\n");
    assert_eq!(print("root.list.(Leaf.next) not null;"), "root.list.(Node.next) not null;\n");
    assert_eq!(print("any (i32[][]) not null;"), "any (i32[][]) not null;\n");
    assert_eq!(print("any \"Node\".\"next\" aliases some Tree [ ];"), "any Node.next aliases some Tree[];\n");
}
