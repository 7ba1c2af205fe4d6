//! Paper 2: listings 2.1, 3.1, 6.1 and 9.1.

use crate::common::{assertions, check_query, everything_from, oox};

/// The reverse sign function, with `y` instead of `x`.
#[test]
fn listing_2_1() {
    let sign = |name: &str| {
        format!(
            "class Listing {{ static int sign(int x, int y) {{
                x := -x;
                if (x > 0) return 1;
                else if ({name} < 0) return -1;
                else {{ assert x == 0;
                    return 0; }}
            }} }}"
        )
    };
    let wrong = oox(&sign("y"));
    check_query(&wrong, &assertions(&wrong, "Listing.sign", None), "violated: assert at 5");
    let right = oox(&sign("x"));
    check_query(&right, &assertions(&right, "Listing.sign", None), "holds");
}

/// Each of the three assertions is a separate question; a further assertion shows that they are reachable.
#[test]
fn listing_3_1() {
    let program = oox("class Node {
    int val;
    Node next;
    Node swapNode() {
        Node result := this;
        if (this.next != null) {
            if (this.val > this.next.val) {
                Node t := this.next;
                this.next := t.next;
                t.next := this;
                result := t;
            }
            assert result != null;
            assert result.next != null;
            assert result.val <= result.next.val;
            assert result == this;
        }
        return result;
    }
}");
    for line in 13..=15 {
        check_query(&program, &assertions(&program, "Node.swapNode", Some(line)), "holds");
    }
    check_query(&program, &assertions(&program, "Node.swapNode", Some(16)), "violated: assert at 16");
    check_query(&program, &everything_from(&program, "Node.swapNode"), "violated: assert at 16");
}

/// An input is never an object that the program allocates, and a write through one alias is visible through the
/// other.
#[test]
fn listing_6_1() {
    let program = oox("class Node {
    int val;
    Node next;
    Node(int val, Node next) { this.val := val; this.next := next; }
    static void foo(Node a) {
        Node b := new Node(10, null);
        if (a == b) {
            assert false;
        }

        Node c := b;
        c.next := a;
        c.val := -1;
        c.val := 7;
        int v := c.val;
        if (v > 0) {
            assert false;
        } else {
            assert false;
        }
    }
}");
    check_query(&program, &assertions(&program, "Node.foo", Some(8)), "holds");
    check_query(&program, &assertions(&program, "Node.foo", Some(17)), "violated: assert at 17");
    check_query(&program, &assertions(&program, "Node.foo", Some(19)), "holds");
}

/// Assertions that hold; next to each, another assertion shows that it is reachable.
#[test]
fn listing_9_1() {
    let program = oox("class Node {
    int value;
    Node next;
    Node(int value, Node next) { this.value := value; this.next := next; }
    static void simpleComparison(Node a, Node b) {
        if (a == b) {
            assert a.next == b.next;
            assert a.next != b;
        } else {
            a.value := 5;
            b.value := 10;
            assert a.value != b.value;
            assert a.next != b.next;
        }
    }
    static void delayedComparison(Node a, Node b) {
        Node old := a;
        bool wereEqual := a == b;
        a := new Node(0, b);
        if (wereEqual) {
            assert a != b;
            assert a.next == old;
        }
        assert a.next == old;
    }
}");
    for (line, expected) in [(7, "holds"), (8, "violated"), (12, "holds"), (13, "violated")] {
        let expected = if expected == "holds" { "holds".into() } else { format!("violated: assert at {line}") };
        check_query(&program, &assertions(&program, "Node.simpleComparison", Some(line)), &expected);
    }
    for (line, expected) in [(21, "holds"), (22, "holds"), (24, "violated: assert at 24")] {
        check_query(&program, &assertions(&program, "Node.delayedComparison", Some(line)), expected);
    }
}
