/** A node of a chain. */
class Node {
    int value;
    Node next;
}

class Chain {
    /** Turns a chain around, so that its first node becomes the last one. Does it? */
    static Node reverse(Node first) {
        Node done = null;
        Node at = first;
        while (at != null) {
            Node next = at.next;
            at.next = done;
            done = at;
            at = next;
        }
        assert first == null || first.next == null;
        return done;
    }

    /** The largest value of a chain. */
    static int largest(Node first) {
        int largest = first.value;
        for (Node at = first.next; at != null; at = at.next) {
            if (at.value > largest) {
                largest = at.value;
            }
        }
        assert largest >= first.value;
        return largest;
    }

    /** The second value, or a default. */
    static int second(Node first, int otherwise) {
        if (first == null || first.next == null) {
            return otherwise;
        }
        return first.next.value;
    }
}
