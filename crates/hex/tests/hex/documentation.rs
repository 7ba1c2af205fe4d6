//! The examples of `docs/hex.md`.

use crate::support::check;

const PAGE: &str = include_str!("../../../../docs/hex.md");

/// The example with this number, from 0.
fn example(number: usize) -> &'static str {
    let after = PAGE.split("```hex\n").nth(number + 1).expect("an example");
    after.split("```").next().expect("the end of the example")
}

/// Checks heaps that the example accepts and excludes for every order of discovery.
fn accepts(number: usize, accepted: &[&str], excluded: &[&str]) {
    accepted.iter().for_each(|heap| check(example(number), heap, true, true));
    excluded.iter().for_each(|heap| check(example(number), heap, false, false));
}

#[test]
fn circular_list() {
    accepts(0, &["list->a; a.next->b; b.next->a"], &["list->a; a.next->b; b.next->null"]);
}

#[test]
fn list_that_ends() {
    accepts(1, &["list->a; a.next->b; b.next->null"], &["list->a; a.next->b; b.next->a"]);
}

#[test]
fn doubly_linked_list() {
    accepts(
        2,
        &["list->null", "list->a; a.prev->null; a.next->b; b.prev->a; b.next->null"],
        &[
            "list->a; a.next->b; b.prev->null",
            "list->a; a.next->b; b.prev->c",
            "list->a; a.next->b; b.prev->b",
            "list->a; a.next->b; b.prev->a; b.next->a; a.prev->b",
            "list->b; b.prev->a; a.next->b",
        ],
    );
}

#[test]
fn binary_tree() {
    accepts(
        3,
        &["tree->t:Tree; t.left->l:Tree; t.right->r:Tree; l.left->m:Tree; r.left->null"],
        &["tree->t:Tree; t.left->l:Tree; t.right->l", "tree->t:Tree; t.left->l:Tree; l.right->t"],
    );
}

#[test]
fn tree_with_parents() {
    accepts(
        4,
        &["tree->t:Tree; t.parent->null; t.children->r:Tree[]; r[]->c:Tree; c.parent->t; r[]->d:Tree; d.parent->t"],
        &[
            "tree->t:Tree; t.parent->p:Tree",
            "tree->t:Tree; t.children->null",
            "tree->t:Tree; t.children->r:Tree[]; r[]->c:Tree; c.parent->null",
            "tree->t:Tree; t.children->r:Tree[]; r[]->c:Tree; r[]->d:Tree; d.parent->c",
            "tree->t:Tree; t.children->r:Tree[]; r[]->c:Tree; c.children->r",
            "tree->t:Tree; t.children->r:Tree[]; r[]->c:Tree; r[]->c",
        ],
    );
}

#[test]
fn reference_to_the_last_node() {
    accepts(
        5,
        &["list->a; a.next->b; b.next->c; a.prev->c; c.next->null", "list->a; a.next->null; a.prev->a"],
        &["list->a; a.next->b; b.next->c; a.prev->b", "list->a; a.next->b; b.next->null; a.prev->c; c.next->null"],
    );
}

#[test]
fn companion() {
    accepts(6, &["list->a; a.next->b"], &[]);
}
