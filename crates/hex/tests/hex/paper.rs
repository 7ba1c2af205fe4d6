//! The examples of paper 3.

use crate::support::{World, check};
use aback_hex::Truth;

const CIRCULAR: &str = "root.list(.next)+ not null and root.list(.next)+ aliases root.list;";

/// Figure 2: a circular list rejects exactly 1.2.1, 1.2.3.1 and 1.2.3.2. In 1.1 the list itself is null, about which
/// the sentence says nothing.
#[test]
fn circular_list_of_figure_2() {
    let states = [
        ("1.1", "list->null", true),
        ("1.2", "list->a", true),
        ("1.2.1", "list->a; a.next->null", false),
        ("1.2.2", "list->a; a.next->a", true),
        ("1.2.3", "list->a; a.next->b", true),
        ("1.2.3.1", "list->a; a.next->b; b.next->null", false),
        ("1.2.3.2", "list->a; a.next->b; b.next->b", false),
        ("1.2.3.3", "list->a; a.next->b; b.next->a", true),
        ("1.2.3.4", "list->a; a.next->b; b.next->c", true),
    ];
    let world = World::new();
    let invariants = world.parse(CIRCULAR);
    for (state, heap, is_accepted) in states {
        check(CIRCULAR, heap, is_accepted, is_accepted);
        let verdict = world.discover(&invariants, heap).partial.verdict(&invariants);
        assert_eq!(verdict == Truth::False, !is_accepted, "{state}");
    }
}

/// The verdict for one order is not that for all orders: if another root leads into the list, an order of discovery
/// exists in which the first node is not found through `root.list`.
#[test]
fn orders_differ() {
    check(CIRCULAR, "list->a; other->b; a.next->b; b.next->a", false, false);
    check(CIRCULAR, "list->a; a.next->b; b.next->a; other->b", true, false);
    check(CIRCULAR, "list->a; a.next->b; b.next->a; other->c; c.next->c", true, true);
}

/// A target is maximal until the path is continued: the verdict changes with a later reference that the atom's first
/// path does not match.
#[test]
fn maximal_paths_grow() {
    let text = "root.list(.prev)+ aliases max root.list(.next)+;";
    let world = World::new();
    let invariants = world.parse(text);
    let verdict = |heap| world.discover(&invariants, heap).partial.verdict(&invariants);
    assert_eq!(verdict("list->a; a.next->b; a.prev->b"), Truth::Unknown);
    assert_eq!(verdict("list->a; a.next->b; a.prev->b; b.next->c"), Truth::False);
    assert_eq!(verdict("list->a; a.next->b; a.prev->b; b.next->null"), Truth::Unknown);
    check(text, "list->a; a.next->b; b.next->c; a.prev->b", false, false);
}

/// A negation is not false as long as a violation of its sentence may follow (definition 3.4 is about whole heaps).
#[test]
fn negation_waits() {
    let world = World::new();
    let invariants = world.parse("not root.list(.next)+ not null;");
    let verdict = |heap| world.discover(&invariants, heap).partial.verdict(&invariants);
    assert_eq!(verdict("list->a; a.next->b"), Truth::Unknown);
    assert_eq!(verdict("list->a; a.next->b; b.next->null"), Truth::True);
    // No place is left where a null reference could be.
    assert_eq!(verdict("list->a; a.next->b; b.next->b"), Truth::False);
    assert_eq!(verdict("list->null"), Truth::False);
}

/// The length of an array is not known, so that more elements may follow.
#[test]
fn elements_may_follow() {
    let world = World::new();
    let invariants = world.parse("root.tree.children[] not null;");
    let verdict = |heap| world.discover(&invariants, heap).partial.verdict(&invariants);
    assert_eq!(verdict("tree->t:Tree; t.children->r:Tree[]; r[]->t"), Truth::Unknown);
    assert_eq!(verdict("tree->t:Tree; t.children->r:Tree[]; r[]->t; r[]->null"), Truth::False);
    assert_eq!(verdict("tree->t:Tree; t.children->null"), Truth::True);
}

/// An implication is decided as soon as its parts are.
#[test]
fn implications_are_decided_early() {
    let world = World::new();
    let invariants = world.parse("root.list not null implies root.other not null;");
    let verdict = |heap| world.discover(&invariants, heap).partial.verdict(&invariants);
    assert_eq!(verdict("list->a"), Truth::Unknown);
    assert_eq!(verdict("list->null"), Truth::True);
    assert_eq!(verdict("list->a; other->null"), Truth::False);
    assert_eq!(verdict("list->a; other->a"), Truth::True);
}
