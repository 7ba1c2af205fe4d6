/** A doubly linked list that ends with null in both directions. */
public class LinkedSequence {
    static class Node {
        int value;
        Node next;
        Node prev;
    }

    private Node first;
    private Node last;
    private int size;

    public boolean repOk() {
        int count = 0;
        Node before = null;
        for (Node node = first; node != null; node = node.next) {
            if (node.prev != before || count++ == size) {
                return false;
            }
            before = node;
        }
        return before == last && count == size;
    }

    /** What follows for a node that is found from the front, or the end: a companion method of linkedsequence.hex. */
    static boolean forth(LinkedSequence list, Node found) {
        int before = 0;
        Node end = null;
        for (Node node = list.first; node != found; node = node.next) {
            end = node;
            before++;
        }
        return found == null ? before == list.size && list.last == end : before < list.size;
    }

    /** What follows for a node that is found from the back, or the end. */
    static boolean back(LinkedSequence list, Node found) {
        int behind = 0;
        Node end = null;
        for (Node node = list.last; node != found; node = node.prev) {
            end = node;
            behind++;
        }
        return found == null ? behind == list.size && list.first == end : behind < list.size;
    }

    /** Whether there are at most five nodes: a companion method of linkedsequence-bound.hex. */
    static boolean small(LinkedSequence list, Node found) {
        return list.size <= 5;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public int getFirst() {
        if (first == null) {
            throw new IllegalStateException();
        }
        return first.value;
    }

    public int getLast() {
        if (last == null) {
            throw new IllegalStateException();
        }
        return last.value;
    }

    public void addFirst(int value) {
        Node node = new Node();
        node.value = value;
        node.next = first;
        if (first == null) {
            last = node;
        } else {
            first.prev = node;
        }
        first = node;
        size++;
    }

    public void addLast(int value) {
        Node node = new Node();
        node.value = value;
        node.prev = last;
        if (last == null) {
            first = node;
        } else {
            last.next = node;
        }
        last = node;
        size++;
    }

    public int removeFirst() {
        if (first == null) {
            throw new IllegalStateException();
        }
        return unlink(first);
    }

    public int removeLast() {
        if (last == null) {
            throw new IllegalStateException();
        }
        return unlink(last);
    }

    public int get(int index) {
        return node(index).value;
    }

    public int set(int index, int value) {
        Node node = node(index);
        int old = node.value;
        node.value = value;
        return old;
    }

    public void add(int index, int value) {
        if (index == size) {
            addLast(value);
            return;
        }
        Node after = node(index);
        if (after.prev == null) {
            addFirst(value);
            return;
        }
        Node node = new Node();
        node.value = value;
        node.next = after;
        node.prev = after.prev;
        node.prev.next = node;
        after.prev = node;
        size++;
    }

    public int removeAt(int index) {
        return unlink(node(index));
    }

    public boolean removeValue(int value) {
        for (Node node = first; node != null; node = node.next) {
            if (node.value == value) {
                unlink(node);
                return true;
            }
        }
        return false;
    }

    public int indexOf(int value) {
        int index = 0;
        for (Node node = first; node != null; node = node.next) {
            if (node.value == value) {
                return index;
            }
            index++;
        }
        return -1;
    }

    public int lastIndexOf(int value) {
        int index = size;
        for (Node node = last; node != null; node = node.prev) {
            index--;
            assert index >= 0;
            if (node.value == value) {
                return index;
            }
        }
        return -1;
    }

    public void clear() {
        for (Node node = first; node != null; ) {
            Node next = node.next;
            node.next = null;
            node.prev = null;
            node = next;
        }
        first = null;
        last = null;
        size = 0;
    }

    public void reverse() {
        for (Node node = first; node != null; node = node.prev) {
            Node next = node.next;
            node.next = node.prev;
            node.prev = next;
        }
        Node old = first;
        first = last;
        last = old;
    }

    /** Takes the shorter way. */
    private Node node(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException();
        }
        if (index < size / 2) {
            Node node = first;
            for (int i = 0; i < index; i++) {
                node = node.next;
            }
            return node;
        }
        Node node = last;
        for (int i = size - 1; i > index; i--) {
            node = node.prev;
        }
        return node;
    }

    private int unlink(Node node) {
        if (node.prev == null) {
            first = node.next;
        } else {
            node.prev.next = node.next;
        }
        if (node.next == null) {
            last = node.prev;
        } else {
            node.next.prev = node.prev;
        }
        size--;
        assert size >= 0;
        return node.value;
    }
}
