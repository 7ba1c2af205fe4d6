// A list with its size, for tests of valid inputs. Tests name its lines.
public class Main {
    static class Node { int value; Node next; }
    private Node head;
    private int size;
    boolean repOk() {
        int count = 0;
        for (Node n = head; n != null; n = n.next) if (count++ == size) return false;
        return count == size;
    }
    void removeFirst() {
        if (size == 0) return;
        head = head.next;
        size--;
        assert (size == 0) == (head == null);
    }
    void second() {
        if (size < 2) return;
        assert head.value != head.next.value;
    }
    int third() {
        if (size < 3) return 0;
        return head.next.next.value;
    }
    void any() {
        head = new Node();
        assert head.next == null;
    }
}
