import java.lang.reflect.*;
import java.util.*;

/** Prints heaps: a line for each object with its references to other objects of java.util, in breadth-first order. Tabs separate words. */
public class Dump {
    static final Random random = new Random(1);

    public static void main(String[] arguments) throws Exception {
        for (int round = 0; round < 60; round++) {
            int size = random.nextInt(7);
            good(lists(new ArrayList<>(), size));
            good(lists(new LinkedList<>(), size));
            good(lists(new ArrayDeque<>(), size));
            good(lists(new PriorityQueue<>(), size));
            good(lists(new HashSet<>(), size));
            good(lists(new LinkedHashSet<>(), size));
            good(lists(new TreeSet<>(), size));
            good(map(new HashMap<>(), size));
            good(map(new LinkedHashMap<>(16, 0.75f, random.nextBoolean()), size));
            good(map(new TreeMap<>(), size));
        }
        // Buckets that are trees.
        Map<Object, Object> trees = new HashMap<>(64);
        for (int key = 0; key < 12; key++) {
            trees.put(new Same(key), key);
        }
        good(trees);
        // Two lists without elements share an array.
        good(new ArrayList<>(List.of(new ArrayList<>(), new ArrayList<>())));
        bad(lists(new ArrayList<>(), 3), it -> set(it, "elementData", null));
        bad(lists(new ArrayDeque<>(), 3), it -> set(it, "elements", null));
        bad(lists(new PriorityQueue<>(), 3), it -> set(it, "queue", null));
        bad(lists(new HashSet<>(), 3), it -> set(it, "map", null));
        bad(lists(new LinkedHashSet<>(), 3), it -> set(it, "map", null));
        bad(lists(new TreeSet<>(), 3), it -> set(it, "m", null));
        bad(three(new LinkedList<>()), it -> set(get(get(it, "first"), "next"), "prev", null));
        bad(three(new LinkedList<>()), it -> set(get(it, "first"), "prev", get(it, "last")));
        bad(three(new LinkedList<>()), it -> set(get(it, "last"), "next", get(it, "first")));
        bad(three(new LinkedList<>()), it -> set(get(it, "first"), "next", get(it, "first")));
        bad(filled(new TreeMap<>()), it -> set(get(get(it, "root"), "left"), "parent", null));
        bad(filled(new TreeMap<>()), it -> set(get(it, "root"), "left", get(get(it, "root"), "right")));
        bad(filled(new TreeMap<>()), it -> set(get(it, "root"), "parent", get(it, "root")));
        bad(filled(new HashMap<>()), it -> set(node(it), "next", node(it)));
        bad(filled(new LinkedHashMap<>()), it -> set(get(get(it, "head"), "after"), "before", null));
        bad(filled(new LinkedHashMap<>()), it -> set(get(it, "tail"), "after", get(it, "head")));
    }

    record Same(int value) {
        @Override public int hashCode() { return 5; }
    }

    interface Change { void apply(Object it) throws Exception; }

    static <C extends Collection<Object>> C lists(C made, int size) {
        for (int step = 0; step < 3 * size; step++) {
            if (random.nextInt(3) == 0) made.remove(random.nextInt(size));
            else made.add(random.nextInt(size));
            if (random.nextInt(40) == 0) made.clear();
        }
        return made;
    }

    static Object three(LinkedList<Object> made) {
        for (int value = 0; value < 3; value++) made.add(value);
        return made;
    }

    static Map<Object, Object> map(Map<Object, Object> made, int size) {
        for (int step = 0; step < 3 * size; step++) {
            // Some share a bucket.
            int key = random.nextInt(size) * 16;
            switch (random.nextInt(4)) {
                case 0 -> made.remove(key);
                case 1 -> made.get(key);
                default -> made.put(key, step);
            }
        }
        if (random.nextInt(3) == 0) made.keySet();
        return made;
    }

    static Map<Object, Object> filled(Map<Object, Object> made) {
        for (int key = 0; key < 4; key++) made.put(key, key);
        return made;
    }

    static Object node(Object map) throws Exception {
        Object table = get(map, "table");
        return Array.get(table, 1);
    }

    static Field field(Object of, String name) throws Exception {
        for (Class<?> type = of.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field;
                }
            }
        }
        throw new NoSuchFieldException(name);
    }

    static Object get(Object of, String name) throws Exception { return field(of, name).get(of); }

    static void set(Object of, String name, Object value) throws Exception {
        Field field = field(of, name);
        field.set(of, value);
    }

    static void good(Object root) throws Exception { print(root, "good"); }

    static void bad(Object root, Change change) throws Exception {
        change.apply(root);
        print(root, "bad");
    }

    static boolean isPart(Object value) {
        return value != null && (value.getClass().getName().startsWith("java.util.") || value instanceof Object[]);
    }

    static void print(Object root, String kind) throws Exception {
        System.out.println("heap " + root.getClass().getName() + " " + kind);
        System.out.println("root\t0");
        Map<Object, Integer> known = new IdentityHashMap<>();
        List<Object> order = new ArrayList<>();
        known.put(root, 0);
        order.add(root);
        for (int at = 0; at < order.size(); at++) {
            Object object = order.get(at);
            StringBuilder line = new StringBuilder();
            line.append(at).append('\t').append(object.getClass().isArray()
                ? object.getClass().getComponentType().getName() + "[]" : object.getClass().getName());
            if (object instanceof Object[] elements) {
                for (Object element : elements) {
                    if (isPart(element) || element == null) append(line, "element", element, known, order);
                }
            } else {
                for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
                    if (!type.getName().startsWith("java.util.")) continue;
                    for (Field field : type.getDeclaredFields()) {
                        if (Modifier.isStatic(field.getModifiers()) || field.getType().isPrimitive()) continue;
                        field.setAccessible(true);
                        Object value = field.get(object);
                        if (isPart(value) || value == null) {
                            append(line, type.getName() + "." + field.getName(), value, known, order);
                        }
                    }
                }
            }
            System.out.println(line);
        }
    }

    static void append(StringBuilder line, String name, Object value, Map<Object, Integer> known, List<Object> order) {
        String target = "null";
        if (value != null) {
            Integer number = known.get(value);
            if (number == null) {
                number = order.size();
                known.put(value, number);
                order.add(value);
            }
            target = number.toString();
        }
        line.append('\t').append(name).append('=').append(target);
    }
}
