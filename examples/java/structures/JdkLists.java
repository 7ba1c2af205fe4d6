import java.util.Iterator;
import java.util.LinkedList;
import java.util.TreeMap;

/** Methods of the JDK's LinkedList and TreeMap on inputs that they could have made. */
public class JdkLists {
    /** A list that is valid as far as its public methods show: both ways through it meet the same elements. */
    static class List {
        LinkedList<Object> list;

        public boolean repOk() {
            if (list == null) {
                return false;
            }
            int size = list.size();
            Iterator<Object> forth = list.iterator();
            Object[] elements = new Object[5];
            for (int i = 0; i < size; i++) {
                if (i == 5) {
                    return false;
                }
                elements[i] = forth.next();
            }
            Iterator<Object> back = list.descendingIterator();
            for (int i = size - 1; i >= 0; i--) {
                if (elements[i] != back.next()) {
                    return false;
                }
            }
            return true;
        }
    }

    static Object peek(List input) {
        return input.list.peek();
    }

    static Object removeFirst(List input) {
        return input.list.removeFirst();
    }

    static Object removeLast(List input) {
        return input.list.removeLast();
    }

    static Object get(List input, int index) {
        return input.list.get(index);
    }

    static void add(List input, Object element) {
        input.list.add(element);
    }

    static boolean contains(List input, Object element) {
        return input.list.contains(element);
    }

    static Integer firstKey(TreeMap<Integer, Object> map) {
        return map.firstKey();
    }

    static Object lookup(TreeMap<Integer, Object> map, int key) {
        return map.get(key);
    }

    static Object put(TreeMap<Integer, Object> map, int key) {
        return map.put(key, null);
    }
}
