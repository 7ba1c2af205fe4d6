//! Names that stand for all instances of a generic class.

use crate::support::{World, check_in};
use aback_ir::Type;

const PROGRAM: &str = r#"
class Node {
  field next: Node
}
class "lib.List<i32>" {
  field head: "lib.List.Link<i32>"
  field next: Node
}
class "lib.List.Link<i32>" {
  field next: "lib.List.Link<i32>"
}
class "lib.List<Node>" {
  field head: "lib.List.Link<Node>"
  field next: Node
}
class "lib.List.Link<Node>" {
  field next: "lib.List.Link<Node>"
}
class Own extends "lib.List<i32>" {
  field head: Node
}
class "lib.Map<i32, lib.Map<i32, Node[]>>" {
  field value: "lib.Map<i32, Node[]>"
}
class "lib.Map<i32, Node[]>" {
  field value: Node[]
}
class "other.Map<i32, i32>" {
  field count: i32
}
class "lib.List" {
}
class "lib.<Made>d__1" {
  field next: Node
}
class Check {
  static method pair(start: "lib.List<i32>", n: Node) -> bool
}
"#;

fn world() -> World {
    let program = aback_ir::text::parse(PROGRAM).unwrap();
    let class = |name: &str| Type::Class(program.class_named(name).unwrap());
    let roots = [
        ("node", class("Node")),
        ("numbers", class("lib.List<i32>")),
        ("nodes", class("lib.List<Node>")),
        ("map", class("lib.Map<i32, lib.Map<i32, Node[]>>")),
    ];
    let roots = roots.map(|(name, ty)| (name.to_string(), ty)).to_vec();
    World { program, roots }
}

/// Whether a heap satisfies a sentence, in the order of its text and in all orders.
fn check(text: &str, heap: &str, holds: bool) {
    check_in(&world(), text, heap, holds, holds);
}

#[test]
fn any_instance() {
    let text = "any \"List<>\".head not null;";
    check(text, "numbers->n:lib.List<i32>; n.head->h:lib.List.Link<i32>", true);
    check(text, "numbers->n:lib.List<i32>; n.head->null", false);
    check(text, "nodes->n:lib.List<Node>; n.head->null", false);
    check(text, "numbers->n:Own; n.head->null", false);
    // Nothing is said about the other classes.
    check(text, "node->n; n.next->null", true);
}

#[test]
fn the_number_of_arguments_counts() {
    let inner = "map->m:lib.Map<i32, lib.Map<i32, Node[]>>; m.value->";
    let map = format!("{inner}null");
    check("any \"lib.Map<,>\".value not null;", &map, false);
    let problem = world().problem("any \"lib.Map<>\".value not null;");
    assert!(problem.starts_with("1:5+11: no class is named `lib.Map<>`"), "{problem}");
    let inner = format!("{inner}i:lib.Map<i32, Node[]>; i.value->");
    check("any \"lib.Map<,>\".value not null;", &format!("{inner}null"), false);
    check("any \"lib.Map<,>\".value not null;", &format!("{inner}a:Node[]"), true);
}

#[test]
fn types_of_targets() {
    let heap = "nodes->n:lib.List<Node>; n.head->h:lib.List.Link<Node>; h.next->h";
    check("any \"List<>\".head expands to \"List.Link<>\";", heap, true);
    check("any \"List<>\".head expands to \"List<>\";", heap, false);
    check("any \"List<>\".head.next aliases some \"List.Link<>\";", heap, true);
    check("any \"List<>\".head.next aliases some \"List<>\";", heap, false);
    check("any \"List.Link<>\".next aliases any \"List.Link<>\";", heap, true);
}

/// A subclass can have a field of the same name.
#[test]
fn fields_of_instances() {
    let any = "any \"List<>\".head not null;";
    let declared = "any \"List<>\".(\"List<>\".head) not null;";
    // `Own` hides the field of its superclass.
    let own = "numbers->n:Own; n.head->null";
    check(any, own, false);
    check(declared, own, true);
    check(declared, "nodes->n:lib.List<Node>; n.head->null", false);
    check("any \"List<>\".head(.(\"List.Link<>\".next))+ not null;", "nodes->n:lib.List<Node>; n.next->null", true);
    check(
        "any \"List<>\".head(.(\"List.Link<>\".next))+ not null;",
        "nodes->n:lib.List<Node>; n.head->h:lib.List.Link<Node>; h.next->null",
        false,
    );
}

#[test]
fn printed() {
    let world = world();
    for text in [
        "any \"lib.List<>\".head expands to \"lib.List.Link<>\" and any \"lib.Map<,>\".value aliases some \"lib.Map<,>\";\n",
        "any \"lib.List<>\"(.(\"lib.List<>\".head)|.next)* aliases any \"lib.List<>\".(\"lib.List.Link<>\".next);\n",
        "any \"lib.List\" aliases nothing;\n",
    ] {
        let printed = world.parse(text).print(&world.program);
        assert_eq!(printed, text.replace("\"lib.List\" ", "lib.List "));
        assert_eq!(world.parse(&printed).print(&world.program), printed);
    }
}

#[test]
fn messages() {
    let check = |text: &str, expected: &str| assert_eq!(world().problem(text), expected, "{text}");
    check(
        "any Map.value not null;",
        "1:5+3: no class is named `Map` (`\"lib.Map<,>\"` stands for all instances of the generic class)",
    );
    check(
        "any \"Map<,>\".value not null;",
        "1:5+8: several generic classes are named `Map<,>` (write the full name: `\"lib.Map<,>\"` or `\"other.Map<,>\"`)",
    );
    check("any \"lib.Mop<,>\".value not null;", "1:5+12: no class is named `lib.Mop<,>` (did you mean `lib.Map<,>`?)");
    check("root.node expands to \"List<>\"[];", "1:22+8: arrays of all instances of `List<>` have no name");
    check(
        "any \"List<>\".(\"List<>\".hed) not null;",
        "1:24+3: `lib.List<>` has no field `hed` (did you mean `head`?)",
    );
    check("any \"other.Map<,>\".(\"other.Map<,>\".count) not null;", "1:36+5: the field `count` is not a reference");
    check(
        "root.node not null triggers \"List<>\".all;",
        "1:29+8: a method of all instances of a generic class cannot be called here",
    );
    check(
        "any \"List<>\".head not null triggers Check.pair;",
        "1:43+4: `pair` cannot be called here (it must return a truth value, and be static with two parameters, the \
         `lib.List<>` where the path starts and the reference that was reached, or have no parameters)",
    );
    // What compilers put into angle brackets is no list of type arguments.
    world().parse("any \"<Made>d__1\".next not null;");
}
