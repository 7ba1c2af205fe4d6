/** Small methods that look right. */
class Sums {
    /** The middle of two indices, as binary searches computed it for decades. */
    static int middle(int low, int high) {
        if (low < 0 || low > high) {
            return -1;
        }
        int middle = (low + high) / 2;
        assert low <= middle && middle <= high;
        return middle;
    }

    /** The same, with the shift that does not care for the sign. */
    static int unsignedMiddle(int low, int high) {
        if (low < 0 || low > high) {
            return -1;
        }
        int middle = (low + high) >>> 1;
        assert low <= middle && middle <= high;
        return middle;
    }

    /** The last of a list that need not have one, nor be a list. */
    static int last(Node list) {
        while (list.next != null) {
            list = list.next;
        }
        return list.value;
    }

    static class Node {
        int value;
        Node next;
    }
}
