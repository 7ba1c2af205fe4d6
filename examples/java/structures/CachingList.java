/** A list that keeps removed nodes for reuse. */
public class CachingList {
    static class Node {
        int value;
        Node next;
    }

    private Node first;
    private int size;
    private Node cache;
    private int cached;

    public boolean repOk() {
        return counts(first, size) && counts(cache, cached) && cached <= 3 && apart();
    }

    private static boolean counts(Node node, int count) {
        int found = 0;
        for (; node != null; node = node.next) {
            if (found++ == count) {
                return false;
            }
        }
        return found == count;
    }

    private boolean apart() {
        for (Node node = first; node != null; node = node.next) {
            for (Node free = cache; free != null; free = free.next) {
                if (free == node) {
                    return false;
                }
            }
        }
        return true;
    }

    /** What the size says about a node of the list, or its end: a companion method of cachinglist.hex. */
    static boolean listed(CachingList list, Node found) {
        return fits(list.first, found, list.size);
    }

    /** What the number of kept nodes says about one of them, or their end. */
    static boolean kept(CachingList list, Node found) {
        return list.cached <= 3 && fits(list.cache, found, list.cached);
    }

    private static boolean fits(Node node, Node found, int count) {
        int before = 0;
        for (; node != found; node = node.next) {
            before++;
        }
        return found == null ? before == count : before < count;
    }

    public void addFirst(int value) {
        Node node;
        if (cached > 0) {
            node = cache;
            cache = node.next;
            cached--;
        } else {
            node = new Node();
        }
        assert node != first || first == null;
        node.value = value;
        node.next = first;
        first = node;
        size++;
    }

    public int removeFirst() {
        if (size == 0) {
            throw new IllegalStateException();
        }
        Node node = first;
        first = node.next;
        size--;
        if (cached < 3) {
            node.next = cache;
            cache = node;
            cached++;
        }
        assert first != node;
        return node.value;
    }

    public int second() {
        if (size < 2) {
            throw new IllegalStateException();
        }
        return first.next.value;
    }
}
