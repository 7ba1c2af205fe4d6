//! Paper 1: listing 1.1, and figure 6 with tables 1 and 2.

use crate::common::{assertions, backward, check_query, everything_from, oox, shown};
use crate::{conditions, table};
use aback_backward::{Config, Variant};
use insta::assert_snapshot;
use std::fmt::Write;

const LISTING: &str = "class Node { Node next; }
class Listing {
    static void scalarExample(int a) {
        int b := 1;
        int c := 2;
        assert a != b;
    }
    static void heapExample1(Node a) {
        a.next := new Node();
        Node b := a.next;
        assert a != b;
    }
    static void heapExample2(Node a) {
        Node b := a.next;
        Node c := new Node();
        assert b != c;
    }
}";

const ADD_SMALLER: &str = "class Node {
    int val;
    Node next;
    Node addSmaller(int v) {
        Node n := new Node();
        n.val := v;
        Node r;
        if (v < this.val) {
            n.next := this;
            r := n;
        } else {
            n.next := this.next;
            this.next := n;
            r := this;
        }
        assert r.val <= r.next.val;
        return r;
    }
}";

/// Null dereferences are not violations in the paper; the input heap contains no allocated objects.
#[test]
fn listing_1_1() {
    let program = oox(LISTING);
    check_query(&program, &assertions(&program, "Listing.scalarExample", None), "violated: assert at 6");
    for entry in ["Listing.heapExample1", "Listing.heapExample2"] {
        check_query(&program, &assertions(&program, entry, None), "holds");
        let expected = if entry.ends_with('1') { "null dereference at 9" } else { "null dereference at 14" };
        check_query(&program, &everything_from(&program, entry), &format!("violated: {expected}"));
    }
}

/// The conditions in section 2: the assignment to `c` is skipped, and `a = 1` remains.
#[test]
fn listing_1_1_conditions_of_the_scalar_example() {
    let program = oox(LISTING);
    let query = assertions(&program, "Listing.scalarExample", None);
    let names = ["assertion", "line 3", "line 2", "defaults", "start"];
    assert_snapshot!("scalar_example_disjuncts", table(&program, &query, Variant::DisjSet, &names));
    assert_snapshot!("scalar_example_conjuncts", table(&program, &query, Variant::ConjNever, &names));
}

/// The subject of section 4.1: in the first example, `Node.next` says nothing about written values; in the second,
/// the value read belongs to the input heap, so that it is not object 1.
#[test]
fn listing_1_1_conditions_of_the_heap_examples() {
    let program = oox(LISTING);
    let mut text = String::new();
    for entry in ["Listing.heapExample1", "Listing.heapExample2"] {
        let _ = writeln!(text, "{entry}");
        for (operation, condition) in conditions(&program, &assertions(&program, entry, None), Variant::DisjSet) {
            let _ = writeln!(text, "  {operation:40}  {condition}");
        }
    }
    assert_snapshot!(text);
}

/// Its dereferences cannot fail either.
#[test]
fn figure_6_add_smaller() {
    let program = oox(ADD_SMALLER);
    check_query(&program, &assertions(&program, "Node.addSmaller", None), "holds");
    check_query(&program, &everything_from(&program, "Node.addSmaller"), "holds");
    let wrong = oox(&ADD_SMALLER.replace("v < this.val", "v > this.val"));
    check_query(&wrong, &assertions(&wrong, "Node.addSmaller", None), "violated: assert at 16");
}

/// The nodes of figure 6, from the target on. Operations of the OOX program that are not nodes there have no name: `r
/// := null` of the declaration (variables without a value do not exist in the paper), the constructor's `this`, and
/// the initial values of local variables.
const NODES: [&str; 19] =
    ["n13", "n12", "n11", "n10", "", "n9", "n8", "n7", "n6", "n5", "n4", "n3", "", "n2", "", "", "n1", "", "n0"];

/// Table 1, row by row; `%5` is the paper's `tv`, `%6` `tn`, `%7` `rv`, `%8` `rn`, `%9` `rnv`; `a[o]` is *read(a,
/// o)*, `next` and `val` are the fields at the node, and `Node.next` is *next*ⁱⁿ. `target` is the selector of the
/// assertion. `a < b` is normalized to `a + 1 <= b`.
///
/// - n12: the condition of the edge to n13, with *rn* ≠ 0 on the edge from n11, so that it appears one row later.
/// - n11, n10 and n9: as in the paper.
/// - n8, n7 and n6: *read(write(next, this, n), this)* is simplified to *n*, and the following operations change
///   nothing except for the null checks of n8 and n7, which appear one row later each.
/// - n5 and n4: like n9 and n8.
/// - n3: the two disjuncts.
/// - n2: the paper keeps *v* ≥ *w* ∧ *w* > *v*, *w* = *read(write(val, n, v), this)*. This is a contradiction, so
///   that our first disjunct disappears.
/// - n1: the paper lacks *val*(1) = 0 (erratum 5). `this != 0` has been checked before.
#[test]
fn figure_6_by_disjunct_propagation_as_in_table_1() {
    let program = oox(ADD_SMALLER);
    let query = assertions(&program, "Node.addSmaller", None);
    assert_snapshot!(table(&program, &query, Variant::DisjSet, &NODES));
}

/// Table 2, row by row; names as for table 1, with numbers as suffixes instead of versions. Nodes in a row share one
/// propositional variable, because each implies the next; each branch introduces a new one.
#[test]
fn figure_6_by_conjunct_combination_as_in_table_2() {
    let program = oox(ADD_SMALLER);
    let query = assertions(&program, "Node.addSmaller", None);
    assert_snapshot!(table(&program, &query, Variant::ConjNever, &NODES));
}

/// The combination that sections 3.2 and 7 suggest: small conditions stay as they are, and large ones get names, so that
/// the question at the entry point grows with the program and not with its paths.
#[test]
fn large_conditions_get_names() {
    let forks = |count: usize| -> String {
        let forks = (0..count).map(|at| format!("if (a[{at}] < x) {{ x := x + a[{}] * x; }} ", (at + 1) % count));
        format!(
            "main(int[] a, int x) {{ assume a != null && #a == {count}; {} assert x != 77; }}",
            forks.collect::<String>()
        )
    };
    let work = |count: usize, variant: Variant| {
        let program = oox(&forks(count));
        let query = assertions(&program, "Main.main", None);
        let found = backward(&program, &query, &Config { variant, ..Config::default() });
        assert!(shown(&program, &found.exploration).starts_with("violated"), "{count} by {variant:?}");
        (found.exploration.work.backward.named, found.size)
    };
    let [(few, small), (many, large)] = [4, 8].map(|count| work(count, Variant::Mixed));
    assert!(0 < few && few < many && many < 30, "{few} and {many} names");
    assert!(large < 3 * small, "{small} and {large} subterms");
    assert_eq!(work(4, Variant::DisjTerm).0, 0);
}
