//! The C# listings of papers 1 and 2.

use crate::csharp::check;

/// Null dereferences are not violations there; the objects of an input are never objects that the program makes.
#[test]
fn paper_1_listing_1_1() {
    check(
        "
    public class Node { public Node next; }
    public static void ScalarExample(int a) {
        int b = 1;
        int c = 2;
        Assert(a != b); // FAILS
    }
    public static void HeapExample1(Node a) {
        a.next = new Node();
        Node b = a.next;
        Assert(a != b); // HOLDS
    }
    public static void HeapExample2(Node a) {
        Node b = a.next;
        Node c = new Node();
        Assert(b != c); // HOLDS
    }",
    );
}

/// The method of figure 6.
#[test]
fn paper_1_figure_6() {
    check(
        "
    public class Node {
        int val;
        Node next;
        public Node AddSmaller(int v) {
            Node n = new Node();
            n.val = v;
            Node r;
            if (v < this.val) {
                n.next = this;
                r = n;
            } else {
                n.next = this.next;
                this.next = n;
                r = this;
            }
            Assert(r.val <= r.next.val); // HOLDS
            Assert(r.val < r.next.val); // FAILS
            return r;
        }
    }",
    );
}

/// The reverse sign function, with the mistake and without.
#[test]
fn paper_2_listing_2_1() {
    check(
        "
    public static int Wrong(int x, int y) {
        x = -x;
        if (x > 0) {
            return 1;
        } else if (y < 0) {
            return -1;
        } else {
            Assert(x == 0); // FAILS
            return 0;
        }
    }
    public static int Right(int x) {
        x = -x;
        if (x > 0) {
            return 1;
        } else if (x < 0) {
            return -1;
        } else {
            Assert(x == 0); // HOLDS
            return 0;
        }
    }",
    );
}

#[test]
fn paper_2_listing_3_1() {
    check(
        "
    public class Node {
        public int val;
        public Node next;
        public Node SwapNode() {
            Node result = this;
            if (this.next != null) {
                if (this.val > this.next.val) {
                    Node t = this.next;
                    this.next = t.next;
                    t.next = this;
                    result = t;
                }
                Assert(result != null); // HOLDS
                Assert(result.next != null); // HOLDS
                Assert(result.val <= result.next.val); // HOLDS
                Assert(result == this); // FAILS
            }
            return result;
        }
    }",
    );
}

/// An input is never an object that the program makes.
#[test]
fn paper_2_listing_6_1() {
    check(
        "
    public class Node {
        public int val;
        public Node next;
        public Node(int val, Node next) { this.val = val; this.next = next; }
        public static void Foo(Node a) {
            Node b = new Node(10, null);
            if (a == b) {
                a = null; // UNREACHABLE
            }
            Node c = b;
            c.next = a;
            c.val = -1;
            c.val = 7;
            int v = c.val;
            if (v > 0) {
                Assert(true); // HOLDS
                Assert(b.next == null); // FAILS
            } else {
                v = 0; // UNREACHABLE
            }
        }
    }",
    );
}

#[test]
fn paper_2_listing_9_1() {
    check(
        "
    public class Node {
        public int value;
        public Node next;
        public Node(int value, Node next) { this.value = value; this.next = next; }
    }
    public static void SimpleComparison(Node a, Node b) {
        if (a == b) {
            Assert(a.next == b.next); // HOLDS
            Assert(a.next != b); // FAILS
        } else {
            a.value = 5;
            b.value = 10;
            Assert(a.value != b.value); // HOLDS
            Assert(a.next != b.next); // FAILS
        }
    }
    public static void DelayedComparison(Node a, Node b) {
        bool wereEqual = a == b;
        a = new Node(0, b);
        if (wereEqual) {
            Assert(a != b); // HOLDS
            Assert(a.next == null); // FAILS
        }
    }",
    );
}
