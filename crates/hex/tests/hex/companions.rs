//! Companion methods: which are triggered, and with which objects.

use crate::support::World;

/// What the last reference of a heap triggers, as `method(origin, reached)`.
fn check(text: &str, heap: &str, expected: &[&str]) {
    let world = World::new();
    let invariants = world.parse(text);
    let found = world.discover(&invariants, heap);
    let triggered = found.partial.triggered(&invariants, &world.program);
    let show = |number: Option<aback_hex::ObjectNumber>| number.map_or("null".into(), |number| number.0.to_string());
    let calls = triggered.iter().map(|call| {
        let name = &world.program.method(call.method).name;
        match call.origin {
            Some(origin) => format!("{name}({}, {})", origin.0, show(call.reached)),
            None => format!("{name}({})", show(call.reached)),
        }
    });
    assert_eq!(calls.collect::<Vec<_>>(), expected, "{text} on {heap}");
}

#[test]
fn paths_from_roots() {
    let text = "root.list(.next)* aliases root.list triggers Check.one;";
    check(text, "list->a", &["one(0)"]);
    check(text, "list->null", &["one(null)"]);
    check(text, "list->a; a.next->b", &["one(1)"]);
    check(text, "list->a; a.next->b; b.next->a", &["one(0)"]);
    check(text, "list->a; a.next->b; b.prev->a", &[]);
}

#[test]
fn paths_from_any_object() {
    let text = "any Node(.next)* not null triggers Check.pair;";
    check(text, "list->a", &["pair(0, 0)"]);
    check(text, "list->a; a.next->b", &["pair(1, 1)", "pair(0, 1)"]);
    check(text, "list->a; a.next->b; b.next->null", &["pair(1, null)", "pair(0, null)"]);
    check(text, "list->a; a.next->b; b.next->a", &["pair(1, 0)", "pair(0, 0)"]);
}

/// The method is not called for an object that its parameter cannot hold.
#[test]
fn objects_of_other_types() {
    let text = "root.tree.next not null triggers Check.one or root.tree not null triggers Check.tree;";
    check(text, "tree->t:Tree", &["tree(0)"]);
    check(text, "tree->t:Tree; t.next->n", &["one(1)"]);
    check("root.tree not null triggers Check.one;", "tree->t:Tree", &[]);
}

/// Elements of one array are at equal places.
#[test]
fn elements() {
    let text = "root.tree.children[] not null triggers Check.tree;";
    check(text, "tree->t:Tree; t.children->r:Tree[]; r[]->s:Tree; r[]->s", &["tree(2)"]);
    check(text, "tree->t:Tree; t.children->r:Tree[]; r[]->s:Tree; r[]->u:Tree", &["tree(3)"]);
}
