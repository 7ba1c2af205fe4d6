/** A circular doubly linked list with a header, which keeps removed nodes for reuse. */
public class CachingRing {
    static class Node {
        int value;
        Node next;
        Node prev;
    }

    private static final int MOST_KEPT = 2;

    private Node header;
    private int size;
    private Node cache;
    private int cached;

    public boolean repOk() {
        return header != null && ring() && kept() && apart();
    }

    private boolean ring() {
        int count = 0;
        for (Node node = header; ; node = node.next) {
            if (node.next == null || node.next.prev != node) {
                return false;
            }
            if (node.next == header) {
                return count == size;
            }
            if (count++ == size) {
                return false;
            }
        }
    }

    private boolean kept() {
        int count = 0;
        for (Node node = cache; node != null; node = node.next) {
            if (node.prev != null || count++ == MOST_KEPT) {
                return false;
            }
        }
        return count == cached;
    }

    private boolean apart() {
        for (Node free = cache; free != null; free = free.next) {
            if (free == header) {
                return false;
            }
            for (Node node = header.next; node != header; node = node.next) {
                if (free == node) {
                    return false;
                }
            }
        }
        return true;
    }

    /** What follows for a node that is found, or the header again: a companion method of cachingring.hex. */
    static boolean forth(CachingRing list, Node found) {
        int before = 0;
        Node end = list.header;
        for (Node node = end.next; node != found; node = node.next) {
            end = node;
            before++;
        }
        return found == list.header ? before == list.size && found.prev == end : before < list.size;
    }

    /** The same in the other direction. */
    static boolean back(CachingRing list, Node found) {
        int behind = 0;
        Node end = list.header;
        for (Node node = end.prev; node != found; node = node.prev) {
            end = node;
            behind++;
        }
        return found == list.header ? behind == list.size && found.next == end : behind < list.size;
    }

    /** What the number of kept nodes says about one of them, or their end. */
    static boolean spare(CachingRing list, Node found) {
        int before = 0;
        for (Node node = list.cache; node != found; node = node.next) {
            before++;
        }
        return list.cached <= MOST_KEPT && (found == null ? before == list.cached : before < list.cached);
    }

    /** Whether there are at most four nodes: a companion method of cachingring-bound.hex. */
    static boolean small(CachingRing list, Node found) {
        return list.size <= 4;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public int getFirst() {
        return get(0);
    }

    public int getLast() {
        return get(size - 1);
    }

    public int get(int index) {
        return node(index).value;
    }

    public void addFirst(int value) {
        insert(value, header.next);
    }

    public void addLast(int value) {
        insert(value, header);
    }

    public void add(int index, int value) {
        insert(value, index == size ? header : node(index));
    }

    public int removeFirst() {
        return removeAt(0);
    }

    public int removeLast() {
        return removeAt(size - 1);
    }

    public int removeAt(int index) {
        Node node = node(index);
        int value = node.value;
        remove(node);
        return value;
    }

    public boolean removeValue(int value) {
        for (Node node = header.next; node != header; node = node.next) {
            if (node.value == value) {
                remove(node);
                return true;
            }
        }
        return false;
    }

    public int indexOf(int value) {
        int index = 0;
        for (Node node = header.next; node != header; node = node.next) {
            if (node.value == value) {
                return index;
            }
            index++;
        }
        return -1;
    }

    public void clear() {
        header.next = header;
        header.prev = header;
        size = 0;
    }

    private Node node(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException();
        }
        Node node;
        if (index < size / 2) {
            node = header.next;
            for (int i = 0; i < index; i++) {
                node = node.next;
            }
        } else {
            node = header;
            for (int i = size; i > index; i--) {
                node = node.prev;
            }
        }
        assert node != header;
        return node;
    }

    private void insert(int value, Node before) {
        Node node = cache;
        if (cached == 0) {
            node = new Node();
        } else {
            cache = node.next;
            cached--;
        }
        assert node != before;
        node.value = value;
        node.prev = before.prev;
        node.next = before;
        node.prev.next = node;
        before.prev = node;
        size++;
    }

    private void remove(Node node) {
        node.prev.next = node.next;
        node.next.prev = node.prev;
        size--;
        if (cached < MOST_KEPT) {
            node.next = cache;
            node.prev = null;
            cache = node;
            cached++;
        }
    }
}
