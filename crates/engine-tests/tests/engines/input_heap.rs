//! Objects and arrays that are inputs: aliases, cycles, overlaps, subclasses.

use crate::common::{check, check_query, everything, oox};

/// Checks a method body over two non-null nodes and one that may be null.
#[track_caller]
fn nodes(body: &str, expected: &str) {
    let world = "class Node { int v; Node next; int[] data; } class Sub extends Node { int w; }";
    check(&format!("{world} main(Node a, Node b, Node c) {{ assume a != null && b != null; {body} }}"), expected);
}

/// Checks a method body over non-null arrays.
#[track_caller]
fn arrays(body: &str, expected: &str) {
    check(&format!("main(int[] a, int[] b, int i, int j) {{ assume a != null && b != null; {body} }}"), expected);
}

const VIOLATED: &str = "violated: assert at 1";

#[test]
fn input_references_can_be_aliases() {
    nodes("a.v := 1; b.v := 2; assert a.v == 1;", VIOLATED);
    nodes("a.v := 1; b.v := 2; assert a.v == 1 || a == b;", "holds");
    nodes("assume a != b; a.v := 1; b.v := 2; assert a.v == 1;", "holds");
    nodes("a.v := 1; b.v := 2; a.v := 3; assert b.v == 2 || a == b && b.v == 3;", "holds");
}

/// The new value is computed from the old one, and other references to the same cell see it.
#[test]
fn cells_are_updated() {
    nodes("b.v := 5; a.v := a.v + 1; assert b.v == 5;", VIOLATED);
    nodes("b.v := 5; a.v := a.v + 1; assert a == b && b.v == 6 || a != b && b.v == 5;", "holds");
    nodes("b.v := 5; a.v := a.v + 1; b.v := b.v * 2; assert a == b && a.v == 12 || b.v == 10;", "holds");
    nodes("b.v := 1; int x := a.v; b.v := 2; a.v := x + 1; assert a != b || b.v == 2;", "holds");
    nodes("b.v := 1; int x := a.v; x := x + 7; a.v := x; assert a != b || b.v == 8;", "holds");
    nodes("b.v := 1; int x := a.v; x := 7; a.v := x; assert a != b || b.v == 7;", "holds");
    nodes(
        "b.v := 1; c := a; int x := c.v; c := b; c.v := x + 1; assert b.v == a.v + 1 || a == b && b.v == 2;",
        "holds",
    );
    nodes("b.v := 1; a.v := a.v + b.v; assert a == b && a.v == 2 || b.v == 1;", "holds");
    nodes("assume a.next != null; a.next := a.next.next; assert b.next != null || a == b || b.next == null;", "holds");
    arrays("assume #a > 1 && #b > 1; b[0] := 5; a[0] := a[0] + 1; assert b[0] == 5 || a == b && b[0] == 6;", "holds");
    arrays("assume 0 <= i && i < #a && #a > 1; a[1] := 5; a[i] := a[i] + i; assert a[1] == 5 || a[1] == 6;", "holds");
}

/// Paper 4, listing 4.5, where `ensures` should be a precondition.
#[test]
fn two_fields_are_swapped_unless_they_are_one() {
    let swap = "int t := a.v; a.v := b.v; b.v := t;";
    nodes(&format!("int x := a.v; int y := b.v; {swap} assert a.v == y && b.v == x;"), "holds");
    nodes("int y := b.v; a.v := a.v + b.v; b.v := a.v - b.v; assert b.v != 0 || a.v == y;", VIOLATED);
    nodes("int x := a.v; int y := b.v; a.v := x + y; b.v := a.v - y; a.v := a.v - b.v; assert a.v == y;", VIOLATED);
    let distinct = "assume a != b; int x := a.v; int y := b.v; a.v := x + y; b.v := a.v - y; a.v := a.v - b.v;";
    nodes(&format!("{distinct} assert a.v == y && b.v == x;"), "holds");
}

/// Paper 4, listing 4.4, where `ensures` should be a precondition.
#[test]
fn two_elements_are_swapped_unless_they_are_one() {
    let bounds = "assume 0 <= i && i < #a && 0 <= j && j < #a;";
    let swap = "int x := a[i]; int y := a[j]; a[i] := x + y; a[j] := a[i] - y; a[i] := a[i] - a[j];";
    arrays(&format!("{bounds} {swap} assert a[i] == y;"), VIOLATED);
    arrays(&format!("{bounds} assume i != j; {swap} assert a[i] == y && a[j] == x;"), "holds");
}

#[test]
fn inputs_can_be_cyclic() {
    nodes("assert a.next != a;", VIOLATED);
    nodes("assume a.next != null; assert a.next.next != a || a.next == a;", VIOLATED);
    nodes("assume a.next == a; a.next.next := b; assert a.next == b;", "holds");
    nodes("assume a.next == b && b.next == a; a.v := 1; assert a.next.next.v == 1;", "holds");
}

#[test]
fn inputs_can_share_what_they_refer_to() {
    nodes("assume a.next != null && b.next != null; a.next.v := 1; b.next.v := 2; assert a.next.v == 1;", VIOLATED);
    nodes("assume a.next == b.next && a.next != null; a.next.v := 1; assert b.next.v == 1;", "holds");
    nodes("assume a.data != null && #a.data > 0 && b.data == a.data; a.data[0] := 5; assert b.data[0] == 5;", "holds");
    nodes(
        "assume a.data != null && b.data != null && #a.data > 0 && #b.data > 0; a.data[0] := 5; b.data[0] := 6;
        assert a.data[0] == 5;",
        "violated: assert at 2",
    );
}

#[test]
fn links_are_read_back_through_aliases() {
    nodes("a.next := b; assume c == a; assert c.next == b;", "holds");
    nodes("Node old := b.next; a.next := c; assert b.next == old || b.next == c && a == b;", "holds");
    nodes("a.next := b; b.next := a; assert a.next.next == a;", "holds");
    nodes("a.next := b; b.next := c; assert a == b || a.next.next == c;", "holds");
    nodes("a.next := b; b.next := c; assert a.next == b;", VIOLATED);
}

#[test]
fn null_inputs() {
    nodes("c.v := 1;", "violated: null dereference at 1");
    nodes("if (c != null) { c.v := 1; }", "holds");
    nodes("int x := a.next.v;", "violated: null dereference at 1");
    nodes("try { int x := a.next.v; } catch (NullPointerException e) { assert a.next == null; }", "holds");
    nodes("assume a.v == 7; assume c == null || c == a; assert c == null || c.v == 7;", "holds");
}

#[test]
fn allocated_objects_in_input_objects() {
    nodes("a.next := new Node(); assert a.next != a && a.next != b && a.next != null;", "holds");
    nodes("Node n := new Node(); a.next := n; n.v := 3; assert a.next.v == 3;", "holds");
    nodes("Node n := new Node(); n.v := 4; a.next := n; assert b.next == null || b.next.v == 4;", VIOLATED);
    nodes("Node n := new Node(); n.v := 4; a.next := n; assume a == b; b.next.v := 5; assert n.v == 5;", "holds");
    nodes("Node n := new Node(); assert n != a.next && n != c && n.next == null && n.v == 0;", "holds");
    nodes("a.next := new Node(); b.next.v := 1; assert a != b || a.next.v == 1;", "violated: null dereference at 1");
}

#[test]
fn references_with_several_targets() {
    nodes(
        "Node n := new Node(); Node r := a.v > 0 ? a : n; int old := a.v; r.v := 9;
        assert old > 0 ? a.v == 9 && n.v == 0 : a.v == old && n.v == 9;",
        "holds",
    );
    nodes("Node n := new Node(); Node r := a.v > 0 ? n : null; r.v := 1;", "violated: null dereference at 1");
    nodes(
        "Node r := a.v > 0 ? a : b; Node s := a.v > 0 ? b : a; int x := r.v; int y := s.v; r.v := y; s.v := x;
        assert r.v == y || r.v == x;",
        "holds",
    );
    nodes(
        "Node m := new Node(); Node n := new Node(); Node r := a.v > 0 ? m : n; r.next := a; r := m.next;
        assert r == null || r == a; assert r == a;",
        "violated: assert at 2",
    );
    nodes(
        "int[] d := new int[2]; int[] e := new int[3]; int[] r := a.v > 0 ? d : e; assert #r == (a.v > 0 ? 2 : 3);",
        "holds",
    );
}

#[test]
fn inputs_of_a_subclass() {
    nodes("assert a instanceof Sub;", VIOLATED);
    nodes("assert !(a instanceof Sub);", VIOLATED);
    nodes("Sub s := (Sub) a;", "violated: bad cast at 1");
    nodes(
        "if (a instanceof Sub) { Sub s := (Sub) a; s.w := 3; assume a == b; s := (Sub) b; assert s.w == 3; }",
        "holds",
    );
    nodes("Sub s := (Sub) c; assert c == null || c instanceof Sub;", "violated: bad cast at 1");
    nodes(
        "assume !(c instanceof Sub); try { Sub s := (Sub) c; assert c == null; } catch (ClassCastException e) { assert c != null; }",
        "holds",
    );
    nodes("assume a == b && a instanceof Sub; assert b instanceof Sub;", "holds");
}

#[test]
fn arrays_of_symbolic_length() {
    arrays("int x := a[i];", "violated: index out of bounds at 1");
    arrays("if (0 <= i && i < #a) { int x := a[i]; }", "holds");
    arrays("if (i < #a) { int x := a[i]; }", "violated: index out of bounds at 1");
    arrays("assert #a >= 0;", "holds");
    arrays("assume a == b; assert #a == #b;", "holds");
    arrays("assert #a == #b;", VIOLATED);
    arrays("int[] d := new int[i]; assert i >= 0 && #d == i;", "violated: negative array size at 1");
    arrays("if (i > 2) { int[] d := new int[i]; d[i - 1] := 4; assert d[i - 1] == 4 && d[0] == 0; }", "holds");
}

#[test]
fn writes_at_symbolic_indices() {
    let bounds = "assume 0 <= i && i < #a && 0 <= j && j < #a;";
    arrays(&format!("{bounds} int old := a[j]; a[i] := 7; assert a[j] == old || i == j;"), "holds");
    arrays(&format!("{bounds} a[i] := 7; a[j] := 8; assert a[i] == 7;"), VIOLATED);
    arrays(&format!("{bounds} assume i < j; a[i] := 7; a[j] := 8; assert a[i] == 7;"), "holds");
    arrays(&format!("{bounds} assume #a == #b; a[i] := 7; b[i] := 8; assert a[i] == 7 || a == b;"), "holds");
    arrays(&format!("{bounds} assume #a == #b; a[i] := 7; b[i] := 8; assert a[i] == 7;"), VIOLATED);
    let allocated = "assume 0 <= i && i < 5 && 0 <= j && j < 5; int[] d := new int[5]; d[i] := 7; d[j] := 8;";
    arrays(&format!("{allocated} assert d[j] == 8 && (d[i] == 7 || i == j);"), "holds");
    arrays(&format!("{allocated} assert d[0] + d[1] + d[2] + d[3] + d[4] == (i == j ? 8 : 15);"), "holds");
    arrays(&format!("{allocated} assert d[2] == 0;"), VIOLATED);
    let large = "assume 0 <= i && i < 500 && 0 <= j && j < 500; int[] d := new int[500]; d[3] := 1; d[i] := 7; d[j] := 8; d[4] := 2;";
    arrays(&format!("{large} assert d[4] == 2 && (d[3] == 1 || i == 3 || j == 3);"), "holds");
    arrays(&format!("{large} assert d[3] == 1;"), VIOLATED);
}

#[test]
fn arrays_of_arrays() {
    let matrix = |body: &str, expected: &str| {
        let bounds = "assume m != null && #m == 2 && m[0] != null && m[1] != null && #m[0] > 0 && #m[1] > 0;";
        check(&format!("main(int[][] m, int i) {{ {bounds} {body} }}"), expected);
    };
    matrix("m[0][0] := 1; m[1][0] := 2; assert m[0][0] == 1;", VIOLATED);
    matrix("assume m[0] != m[1]; m[0][0] := 1; m[1][0] := 2; assert m[0][0] == 1;", "holds");
    matrix("int[] row := new int[3]; m[0] := row; row[1] := 5; assert m[0][1] == 5 && m[0] != m[1];", "holds");
}

#[test]
fn arrays_of_objects_and_of_objects_of_a_subclass() {
    let nodes = |body: &str, expected: &str| {
        let world = "class Node { int v; } class Sub extends Node { }";
        let bounds = "assume ns != null && #ns > 0 && ss != null && #ss > 0;";
        check(&format!("{world} main(Node[] ns, Sub[] ss, Node n, int i) {{ {bounds} {body} }}"), expected);
    };
    nodes("ns[0] := n; assert ns[0] == n;", "violated: bad array store at 1");
    nodes("Node[] all := ss; assume ns == all; assert ns[0] == null || ns[0] instanceof Sub;", "holds");
    nodes("assert ns[0] == null || ns[0] instanceof Sub;", VIOLATED);
    nodes("assume ns[0] != null && !(ns[0] instanceof Sub); Node[] all := ss; assert all != ns;", "holds");
    nodes("assume ns[0] != null && !(ns[0] instanceof Sub); ns[0] := n; assert ns[0] == n;", "holds");
    nodes(
        "Node[] own := new Node[2]; own[0] := n; own[1] := new Sub(); assert own[1] instanceof Sub && own[0] == n;",
        "holds",
    );
    nodes("Node[] own := new Sub[1]; own[0] := new Node();", "violated: bad array store at 1");
    nodes("assume ns[0] != null; ns[0].v := 3; assume n == ns[0]; assert n.v == 3;", "holds");
}

#[test]
fn quantifiers() {
    arrays("assume forall a, k, v : v > 0; assume 0 <= i && i < #a; assert a[i] > 0;", "holds");
    arrays("assume forall a, k, v : v > 0; assert exists a, k, v : v > 0;", VIOLATED);
    arrays("assume #a == 2 && a[0] < a[1]; assert exists a, k, v : k == 1 && v > a[0];", "holds");
    arrays("assume exists a, k, v : v == 7; assert #a > 0;", "holds");
    arrays("assume #a == 3; assume forall a, k, v : v == k; assert a[0] + a[1] + a[2] == 3;", "holds");
    arrays("assume #a == 3 && (forall a, k, v : v == k * k); assert exists a, k, v : v == 3;", VIOLATED);
    arrays("assume #a == 3 && (forall a, k, v : v == k * k); assert exists a, k, v : v == 4;", "holds");
    arrays("int[] d := new int[4]; d[2] := i; assert forall d, k, v : v == 0 || k == 2 && v == i;", "holds");
    arrays("int[] d := null; assert forall d, k, v : v == 0;", "violated: null dereference at 1");
    // Elements of input arrays never refer to allocated objects.
    let objects = |body: &str, expected: &str| {
        let source = format!("class Node {{ int v; }} main(Node[] ns, int i) {{ assume ns != null; {body} }}");
        check(&source, expected);
    };
    objects("Node n := new Node(); assert forall ns, k, e : e != n;", "holds");
    objects("assert forall ns, k, e : e == null;", VIOLATED);
    objects("assert forall ns, k, e : e != null; assert i > 0;", VIOLATED);
}

#[test]
fn strings_have_their_characters_for_themselves() {
    let strings = |body: &str, expected: &str| {
        let world = "class Node { char[] d; }";
        let bounds = "assume s != null && #s == 1 && a != null && #a == 1; char c := s[0];";
        check(
            &format!("{world} main(string s, string t, char[] a, Node n, Exception e) {{ {bounds} {body} }}"),
            expected,
        );
    };
    strings("a[0] := 'r'; assert s[0] == c;", "holds");
    strings("a[0] := 'r'; assert a[0] == c;", VIOLATED);
    strings("assume n != null && n.d != null && #n.d == 1; n.d[0] := 'r'; assert s[0] == c;", "holds");
    strings("assume n != null && n.d == a; n.d[0] := 'r'; assert a[0] == 'r' && s[0] == c;", "holds");
    strings("assume t != null && #t == 1 && t[0] != c; assert s != t;", "holds");
    strings("assume forall s, i, v : v == 'a'; a[0] := 'b'; assert forall s, i, v : v == 'a';", "holds");
}

#[test]
fn references_of_types_without_common_objects() {
    let compared = |body: &str, expected: &str| {
        let world = "class A { int x; } class B { int x; } class C extends A { }";
        check(&format!("{world} main(A a, B b, C c, A[] as, B[] bs, int[] ns, string s) {{ {body} }}"), expected);
    };
    compared("assert a != b || a == null;", "holds");
    compared("assert a != b;", VIOLATED);
    compared("if (a == b) { assert a == null && b == null; }", "holds");
    compared("assume a != null && b != null; a.x := 1; b.x := 2; assert a != b && a.x == 1;", "holds");
    compared("assert as != bs || as == null;", "holds");
    compared("assume a != null; assert a != s;", "holds");
    compared("assume as != null && b != null; assert forall as, i, e : e != b;", "holds");
    compared("assert a != c || a == null;", VIOLATED);
}

#[test]
fn quantifiers_over_arrays_of_any_length() {
    let knows = |body: &str, expected: &str| {
        let world = "class Node { int x; } class Sub extends Node { }";
        let inputs = "int[] a, int[] b, Node[] ns, int k, int j, bool c";
        let bounds = "assume a != null && b != null && ns != null && k >= 0 && k < #a && j >= 0 && j < #a && k < #ns;";
        let program = oox(&format!("{world} main({inputs}) {{ {bounds} {body} }}"));
        check_query(&program, &everything(&program), expected);
    };
    let all = |bound: &str| format!("assume forall a, i, v : {bound};");
    let holds = |body: &str| knows(body, "holds");
    let violated = |body: &str| knows(body, VIOLATED);
    holds(&(all("v > 3") + "assert forall a, i, v : v > 2;"));
    violated(&(all("v > 1") + "assert forall a, i, v : v > 2;"));
    // Elements of this array and of other arrays are written.
    holds(&(all("v > 3") + "a[k] := 10; assert forall a, i, v : v > 2;"));
    violated(&(all("v > 3") + "a[k] := 1; assert forall a, i, v : v > 2;"));
    holds(&(all("v >= 1") + "a[k] := a[k] + 1; a[j] := a[j] * 2; assert forall a, i, v : v >= 1;"));
    violated(&(all("v == 1") + "a[k] := a[k] + 1; a[j] := a[j] * 2; assert forall a, i, v : v < 4;"));
    violated(&(all("v > 3") + "assume k < #b; b[k] := 0; assert forall a, i, v : v > 2;"));
    holds(&(all("v > 3") + "assume k < #b && a != b; b[k] := 0; assert forall a, i, v : v > 2;"));
    let one_of_two = "int[] d := a; if (c) { d := new int[#a]; } d[k] := 5;";
    violated(&(all("v == 0") + one_of_two + "assert forall a, i, v : v == 0;"));
    holds(&(all("v == 0") + one_of_two + "assert (forall a, i, v : v == 0) || !c;"));
    // New arrays hold default values.
    let new = "int[] d := new int[k + 1]; assert #d > 0;";
    holds(&format!("{new} assert forall d, i, v : v == 0;"));
    holds(&format!("{new} d[0] := 1; assert exists d, i, v : v == 1;"));
    violated(&format!("{new} d[0] := 1; assert exists d, i, v : v == 0;"));
    holds(&format!("{new} d[k] := 7; assert forall d, i, v : v == 0 || v == 7 && i == k;"));
    let filled = "int i := 0; while (i < #d && i < 2) { d[i] := 7; i := i + 1; }";
    holds(&format!("{new} {filled} assert forall d, n, v : v == 7 || n > 1;"));
    violated(&format!("{new} {filled} assert forall d, n, v : v == 7 || n > 2;"));
    // Elements that certainly exist need not be examined one by one.
    holds("assume exists a, i, v : v == 5; assert #a > 0;");
    violated("assume exists a, i, v : v == 5; assert #a > 1;");
    holds(&(all("v >= i") + "assume #a > 20; assert a[7] >= 7;"));
    holds("assume (forall a, i, v : v > 0) && (forall b, i, v : v < 0); assert a != b;");
    // References that come from the input never refer to allocated objects.
    holds("Node n := new Node(); assert forall ns, i, v : v != n;");
    violated("ns[k] := new Sub(); assert forall ns, i, v : v == null;");
    holds("assume forall ns, i, v : v == null; ns[k] := null; assert forall ns, i, v : v == null;");
}

/// Counts the predecessors of the first node in a list of at most `size` nodes.
fn in_degree(size: usize, assertion: &str) -> String {
    let walk = "if (p != null) { if (p.next == first) { count := count + 1; } p := p.next; }\n".repeat(size);
    format!(
        "class Node {{ Node next; }} main(Node first) {{ int count := 0; Node p := first; {walk} assert {assertion}; }}"
    )
}

#[test]
fn in_degrees_along_a_list() {
    for size in 1..=4 {
        let line = size + 1;
        // In a cycle of length one, each step comes from the first node again.
        check(&in_degree(size, &format!("count <= {size}")), "holds");
        check(&in_degree(size, &format!("count < {size}")), &format!("violated: assert at {line}"));
        check(&in_degree(size, "count == 0"), &format!("violated: assert at {line}"));
        check(&in_degree(size, "count == 0 || first != null"), "holds");
    }
    check(&in_degree(3, "count != 2"), "holds");
}

/// A model may give any length, also a negative one, to an input array that the path never reads.
#[test]
fn lengths_that_nobody_reads_do_not_spoil_a_counterexample() {
    let world = "class Node { int v; Node next; int get() { return this.v; } } class Sub extends Node { int get() { return 1; } }";
    let body = "assume ss != null; Node o := n;
        try { assert forall ns, i, e : e != null; assert ((o.next.get() / -3) >= #a); } catch (e) { }";
    check(
        &format!("{world} main(int x, bool p, int[] a, Node n, Node m, Node[] ns, Sub[] ss) {{ {body} }}"),
        "violated: assert at 2",
    );
}

/// An input array may have a narrower element type than its static type, so that not every value of the static type
/// fits.
#[test]
fn arrays_can_be_of_subclasses() {
    let of = |body: &str, expected: &str| {
        let classes = "class A { } class B extends A { } class C { }";
        check(&format!("{classes} main(A[] a, B[] b, A x) {{ assume a != null && #a == 1; {body} }}"), expected);
    };
    of("a[0] := new A();", "violated: bad array store at 1");
    of("a[0] := x;", "violated: bad array store at 1");
    of("a[0] := new B(); assert a[0] != null;", "holds");
    of("a[0] := null; assert a[0] == null;", "holds");
    of("assume b != null && #b == 1; b[0] := new B(); assert b[0] != null;", "holds");
    of("A y := a[0]; a[0] := null; a[0] := y; assert a[0] == y;", "holds");
}
