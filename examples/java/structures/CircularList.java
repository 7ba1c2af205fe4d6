/** A circular doubly linked list with a header. */
public class CircularList {
    static class Entry {
        int value;
        Entry next;
        Entry previous;
    }

    private Entry header;
    private int size;

    public boolean repOk() {
        if (header == null) {
            return false;
        }
        int count = 0;
        for (Entry entry = header; ; entry = entry.next) {
            if (entry.next == null || entry.next.previous != entry) {
                return false;
            }
            if (entry.next == header) {
                return count == size;
            }
            if (count++ == size) {
                return false;
            }
        }
    }

    /** What follows for an entry that is found, or the header again: the companion method of circularlist.hex. */
    static boolean counted(CircularList list, Entry found) {
        int before = 0;
        Entry end = list.header;
        for (Entry entry = end.next; entry != found; entry = entry.next) {
            end = entry;
            before++;
        }
        return found == list.header ? before == list.size && found.previous == end : before < list.size;
    }

    public int getFirst() {
        if (size == 0) {
            throw new IllegalStateException();
        }
        return header.next.value;
    }

    public void addLast(int value) {
        Entry entry = new Entry();
        entry.value = value;
        entry.next = header;
        entry.previous = header.previous;
        entry.previous.next = entry;
        header.previous = entry;
        size++;
    }

    public int removeFirst() {
        if (size == 0) {
            throw new IllegalStateException();
        }
        Entry first = header.next;
        header.next = first.next;
        first.next.previous = header;
        size--;
        assert header.next != first;
        return first.value;
    }

    public int second() {
        if (size < 2) {
            throw new IllegalStateException();
        }
        Entry entry = header.next.next;
        assert entry != header;
        return entry.value;
    }
}
