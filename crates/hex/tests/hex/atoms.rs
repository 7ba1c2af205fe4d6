//! Each atom on a table of small heaps.

use crate::support::check;

/// The answers for the order of the text and for all orders.
fn table(text: &str, heaps: &[(&str, bool, bool)]) {
    for &(heap, on_this_backbone, on_all) in heaps {
        check(text, heap, on_this_backbone, on_all);
    }
}

#[test]
fn not_null() {
    table(
        "root.list.next not null;",
        &[
            ("", true, true),
            ("list->null", true, true),
            ("list->a; a.next->null", false, false),
            ("list->a; a.next->a; a.prev->null", true, true),
            ("list->a; a.next->b; b.next->null", true, true),
            // The path to `b.next` need not be on this backbone.
            ("other->a; a.next->null; list->a", true, false),
        ],
    );
    table("root.app.Config.first not null;", &[("app.Config.first->null", false, false), ("list->null", true, true)]);
    table("any Node.next not null;", &[("list->a; a.prev->b:Leaf; b.next->null", false, false)]);
    table(
        "any Leaf.next not null;",
        &[("list->a; a.next->null", true, true), ("list->a:Leaf; a.next->null", false, false)],
    );
}

#[test]
fn expands_to_nothing() {
    table(
        "root.list.next expands to nothing;",
        &[
            ("list->a; a.next->null", true, true),
            ("list->a; a.next->a", true, true),
            ("list->a; a.next->b", false, false),
            ("other->b; list->a; a.next->b", true, false),
        ],
    );
    // The empty word: no tree may exist.
    table("any Tree expands to nothing;", &[("list->a", true, true), ("tree->t:Tree", false, false)]);
}

#[test]
fn expands_to() {
    table(
        "root.list(.next)* expands to Leaf;",
        &[
            ("list->null", true, true),
            ("list->a", false, false),
            ("list->a:Leaf; a.next->b:Leaf; b.next->null", true, true),
            ("list->a:Leaf; a.next->b", false, false),
            ("other->b; list->a:Leaf; a.next->b", true, false),
        ],
    );
    table("root.tree.children expands to Tree[];", &[("tree->t:Tree; t.children->r:Tree[]; r[]->null", true, true)]);
    table(
        "root.tree.children[] expands to nothing;",
        &[
            ("tree->t:Tree; t.children->r:Tree[]; r[]->null; r[]->t", true, true),
            ("tree->t:Tree; t.children->r:Tree[]; r[]->null; r[]->s:Tree", false, false),
        ],
    );
}

#[test]
fn aliases_nothing() {
    table(
        "root.tree(.left|.right)+ aliases nothing;",
        &[
            ("tree->t:Tree; t.left->l:Tree; t.right->r:Tree; l.left->null", true, true),
            ("tree->t:Tree; t.left->l:Tree; l.right->t", false, false),
            ("tree->t:Tree; t.left->l:Tree; t.right->l", false, false),
            // In the order of the text, the left subtree is found through its parent link.
            ("tree->t:Tree; t.left->l:Tree; l.parent->t", true, true),
            ("tree->t:Tree; t.left->l:Tree; t.right->r:Tree; r.parent->l", true, false),
        ],
    );
    table("any Tree(.left|.right)+ aliases nothing;", &[("tree->t:Tree; t.parent->p:Tree; p.left->t", false, false)]);
}

#[test]
fn aliases_some() {
    table(
        "root.list.next aliases some Leaf;",
        &[
            ("list->a; a.next->b", true, true),
            ("list->a; a.next->a", false, false),
            ("list->a:Leaf; a.next->a", true, true),
            ("list->a; a.next->b; other->b", true, false),
        ],
    );
}

#[test]
fn aliases_path() {
    table(
        "any Node.next.prev aliases any Node;",
        &[
            ("list->a; a.next->b; b.prev->a", true, true),
            ("list->a; a.next->b; b.prev->b", false, false),
            // A new object is no alias.
            ("list->a; a.next->b; b.prev->c", true, true),
            // In other orders, `c` is found through `other` and `b.prev` is an alias of it.
            ("list->a; a.next->b; b.prev->c; other->c", true, false),
            ("list->a; a.next->b; b.next->c; c.prev->b; b.prev->a; a.prev->null", true, true),
            ("list->a; a.next->b; b.next->c; c.prev->a", false, false),
        ],
    );
    table(
        "root.list(.next)+ aliases root.other(.next)*;",
        &[("other->b; b.next->c; list->a; a.next->c", true, true), ("list->a; a.next->a", false, false)],
    );
    table(
        "any Tree.children[].parent aliases any Tree;",
        &[
            ("tree->t:Tree; t.children->r:Tree[]; r[]->c:Tree; c.parent->t; r[]->d:Tree; d.parent->t", true, true),
            ("tree->t:Tree; t.children->r:Tree[]; r[]->c:Tree; r[]->d:Tree; d.parent->c", false, false),
        ],
    );
}

#[test]
fn aliases_max() {
    table(
        "root.list.prev aliases max root.list(.next)+;",
        &[
            ("list->a; a.next->b; b.next->null; a.prev->b", true, true),
            ("list->a; a.next->b; b.next->a; a.prev->b", true, true),
            ("list->a; a.next->b; b.next->c; a.prev->b", false, false),
            ("list->a; a.next->b; a.prev->b; b.next->c", false, false),
            ("list->a; a.prev->a", false, false),
        ],
    );
    // The longer path shares a reference with the path to the alias.
    table(
        "root.list.next.next aliases max root.list(.next.prev)?;",
        &[
            ("list->a; a.next->b; b.next->a", true, true),
            ("list->a; a.next->b; b.next->a; b.prev->c", false, false),
            ("list->a; a.next->b; b.next->a; b.prev->null", true, true),
        ],
    );
    table(
        "any Node.prev aliases max any Node(.next)+;",
        &[
            ("list->a; a.next->b; b.next->c; a.prev->c", true, true),
            ("list->a; a.next->b; b.next->c; a.prev->b", false, false),
            ("list->a; a.next->b; a.prev->b; b.next->c", false, false),
        ],
    );
}

#[test]
fn connectives() {
    let heap = "list->a; other->null";
    check("root.list not null or root.other not null;", heap, true, true);
    check("root.list not null and root.other not null;", heap, false, false);
    check("root.list not null implies root.other not null;", heap, false, false);
    check("not root.other not null;", heap, true, true);
    check("root.other not null implies root.list not null implies root.other not null;", heap, true, true);
    // Every backbone satisfies one of the parts, but none of the parts holds for every backbone.
    check("root.list expands to nothing or root.other expands to nothing;", "list->a; other->a", true, true);
    check("root.list expands to nothing;", "list->a; other->a", false, false);
    check("root.other expands to nothing;", "list->a; other->a", true, false);
}
