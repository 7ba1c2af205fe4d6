/** In-degrees: how many of the first nodes of a list refer to each of them? */
class DegreeCounting {
    /** A node of a list, which may be cyclic, with a reference that goes anywhere. */
    static class Node {
        Node next;
        Node other;
        int degree;
    }

    /**
     * Counts for each of the first {@code count} nodes of a list how many others of them refer to it. The assertion says
     * that no in-degree is greater than both the node's index and {@code limit}. That is wrong where
     * {@code limit + 2 <= count}: then so many nodes can refer to the first one.
     */
    static void check(Node list, int limit, int count) {
        Node node = list;
        for (int i = 0; i < count && node != null; i++) {
            node.degree = 0;
            node = node.next;
        }
        node = list;
        for (int i = 0; i < count && node != null; i++) {
            if (node.other != null && node.other != node) {
                node.other.degree++;
            }
            node = node.next;
        }
        node = list;
        for (int i = 0; i < count && node != null; i++) {
            assert node.degree <= i || node.degree <= limit;
            node = node.next;
        }
    }

    /** Three others can refer to the first of four nodes. */
    static void refutable(Node list) {
        check(list, 2, 4);
    }

    /** Four cannot. */
    static void proved(Node list) {
        check(list, 3, 4);
    }
}
