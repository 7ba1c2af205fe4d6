//# lists
static void attempt(int which, java.util.List<Integer> list) {
    try {
        switch (which) {
            case 0: list.add(@{in 0 9}); break;
            case 1: list.add(1, @{in 0 9}); break;
            case 2: System.out.println(list.remove(0)); break;
            case 3: System.out.println(list.remove((Object) @{in 0 9})); break;
            case 4: System.out.println(list.get(@{in 0 8})); break;
            case 5: System.out.println(list.set(0, @{in 0 9})); break;
            case 6: System.out.println(list.indexOf(@{in 0 9}) + list.lastIndexOf(3)); break;
            case 7: list.addAll(java.util.List.of(3, @{in 0 9}, 5)); break;
            case 8: for (Integer i : list) if (i == @{in 0 9}) list.remove(i); break;
            case 9: list.removeIf(i -> i % 3 == 0); break;
            case 10: java.util.Collections.sort(list); break;
            case 11: java.util.Collections.reverse(list); break;
            case 12: java.util.Iterator<Integer> it = list.iterator(); while (it.hasNext()) if (it.next() % 2 == 0) it.remove(); break;
            case 13: list.subList(0, 1).clear(); break;
            case 14: list.sort((a, b) -> b - a); break;
            case 15: System.out.println(list.contains(4) + " " + list.isEmpty() + " " + list.size()); break;
            case 16: System.out.println(list.equals(new java.util.ArrayList<>(list)) + " " + list.hashCode()); break;
            case 17: java.util.ListIterator<Integer> lit = list.listIterator(); while (lit.hasNext()) { int v = lit.next(); if (v == 3) lit.add(33); else lit.set(v + 1); } break;
            case 18: list.replaceAll(i -> i * 2); break;
            case 19: java.util.Collections.swap(list, 0, list.size() - 1); break;
            case 20: System.out.println(java.util.Collections.max(list) - java.util.Collections.min(list)); break;
            case 21: list.iterator().remove(); break;
            case 22: java.util.Collections.addAll(list, 1, 2); break;
            case 23: list.retainAll(java.util.Set.of(1, 2, 3, 5, 8)); break;
            case 24: System.out.println(java.util.Arrays.toString(list.toArray(new Integer[0]))); break;
            case 25: java.util.Collections.rotate(list, @{in -3 3}); break;
            case 26: java.util.Collections.shuffle(list, new java.util.Random(@{in 0 9})); break;
            case 27: System.out.println(java.util.Collections.frequency(list, 3)); break;
            default: System.out.println(list);
        }
    } catch (RuntimeException e) {
        Main.report(e);
    }
}
static void run() {
    java.util.List<Integer> a = new java.util.ArrayList<>(), b = new java.util.LinkedList<>();
    int which = @{in 0 30};
    for (int i = 0; i < 25; i++) {
        which = (which * 5 + 7 + i) % 30;
        if (a.size() > 30) a.clear();
        if (b.size() > 30) b.clear();
        attempt(i % 3 == 0 ? 0 : which, a);
        attempt(i % 4 == 0 ? 7 : which, b);
    }
    System.out.println(a);
    System.out.println(b);
    System.out.println(a.equals(b));
    for (int i = 0; i < 5; i++) attempt(i * 6, @{one java.util.List.of(1, 2, 3) ;; java.util.Collections.unmodifiableList(a) ;; java.util.Arrays.asList(4, 5, 6) ;; java.util.Collections.emptyList()});
}
//# maps
static java.util.Map<String, Integer> count(java.util.Map<String, Integer> map, String text) {
    for (String word : text.split(" ")) {
        @{one map.merge(word, 1, Integer::sum); ;; map.put(word, map.getOrDefault(word, 0) + 1); ;; map.compute(word, (k, v) -> v == null ? 1 : v + 1); ;; map.computeIfAbsent(word, k -> 0); map.computeIfPresent(word, (k, v) -> v + 1); ;; Integer old = map.putIfAbsent(word, 1); if (old != null) map.replace(word, old + 1);}
    }
    return map;
}
static void run() {
    String text = "the cat and the dog and @{one the ;; a ;; no} bird Aa BB";
    @{some System.out.println(count(new java.util.HashMap<>(), text)); ;; System.out.println(count(new java.util.TreeMap<>(), text)); ;; System.out.println(count(new java.util.LinkedHashMap<>(), text));
    ;; System.out.println(count(new java.util.TreeMap<>(java.util.Comparator.reverseOrder()), text));}
    java.util.Map<Integer, String> map = new java.util.HashMap<>();
    for (int i = 0; i < @{in 5 20}; i++) map.put(i * @{in 1 40} % 101, "v" + i);
    map.put(null, "null");
    System.out.println(map.put(@{in 0 9}, "new"));
    System.out.println(map.get(null) + map.get(1000) + map.size());
    for (java.util.Map.Entry<Integer, String> entry : map.entrySet()) {
        if (entry.getKey() != null && entry.getKey() % 2 == 0) entry.setValue("even");
    }
    System.out.println(map);
    map.keySet().remove(null);
    map.values().removeIf(v -> v.equals("even"));
    System.out.println(map.remove(@{in 0 9}));
    System.out.println(map.keySet());
    System.out.println(map.hashCode());
    System.out.println(map.equals(new java.util.TreeMap<>(map)));
    try {
        for (Integer key : map.keySet()) map.put(key + 1000, "more");
        System.out.println(map.size());
    } catch (java.util.ConcurrentModificationException e) {
        Main.report(e);
    }
    java.util.TreeMap<Integer, Character> tree = new java.util.TreeMap<>();
    for (char c = 'a'; c < 'h'; c++) tree.put(c * @{in 1 99} % 37, c);
    @{some System.out.println(tree.firstKey() + tree.lastEntry().getValue()); ;; System.out.println(tree.floorKey(@{in 0 36})); ;; System.out.println(tree.ceilingEntry(@{in 0 36}));
    ;; System.out.println(tree.headMap(@{in 1 36})); ;; System.out.println(tree.tailMap(@{in 0 36}, false)); ;; System.out.println(tree.descendingMap()); ;; System.out.println(tree.pollFirstEntry()); ;; System.out.println(tree);
    ;; System.out.println(tree.higherKey(5) == null); ;; System.out.println(tree.containsValue('c'));}
    java.util.Map<String, Integer> fixed = java.util.Map.of("a", 1, "b", 2);
    System.out.println(fixed.get("b") + fixed.size());
    System.out.println(new java.util.TreeMap<>(fixed));
    try {
        fixed.put("c", 3);
    } catch (UnsupportedOperationException e) {
        Main.report(e);
    }
    try {
        new java.util.TreeMap<String, String>().put(null, "x");
    } catch (NullPointerException e) {
        Main.report(e);
    }
    try {
        java.util.Map.of("a", 1, @{one "a" ;; "c"}, 2);
    } catch (IllegalArgumentException e) {
        Main.report(e);
    }
    java.util.LinkedHashMap<Integer, Integer> cache = new java.util.LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(java.util.Map.Entry<Integer, Integer> eldest) {
            return size() > 3;
        }
    };
    for (int i = 0; i < 6; i++) {
        cache.put(i, i * i);
        cache.get(i / 2);
    }
    System.out.println(cache);
}
//# sets
record Key(int n) {
    @Override
    public int hashCode() {
        return n % @{in 1 3};
    }
}
static void run() {
    java.util.Set<String> hash = new java.util.HashSet<>(), linked = new java.util.LinkedHashSet<>(), tree = new java.util.TreeSet<>();
    for (String s : "one two three @{one one ;; four} Two five AaAa BBBB AaBB".split(" ")) {
        if (!hash.add(s)) System.out.println("again " + s);
        linked.add(s);
        tree.add(s);
    }
    System.out.println(hash);
    System.out.println(linked);
    System.out.println(tree);
    System.out.println(hash.equals(tree) && hash.hashCode() == linked.hashCode());
    System.out.println(hash.remove("two") + " " + hash.contains("BBBB") + " " + hash.size());
    linked.retainAll(java.util.Set.of("one", "five", "x"));
    System.out.println(linked);
    java.util.TreeSet<Integer> numbers = new java.util.TreeSet<>(java.util.List.of(@{in 0 9}, 20, 30, @{in 40 49}));
    @{some System.out.println(numbers.floor(25)); ;; System.out.println(numbers.higher(30)); ;; System.out.println(numbers.subSet(5, 35)); ;; System.out.println(numbers.descendingSet()); ;; System.out.println(numbers.pollLast()); ;; System.out.println(numbers.lower(0));
    ;; System.out.println(numbers.first() + numbers.last());}
    java.util.Set<Key> keys = new java.util.HashSet<>();
    for (int i = 0; i < 30; i++) keys.add(new Key(i % @{in 5 30}));
    System.out.println(keys.size());
    System.out.println(keys.contains(new Key(@{in 0 30})));
    java.util.Set<Character> letters = new java.util.HashSet<>();
    for (char c : "mississippi".toCharArray()) letters.add(c);
    System.out.println(letters);
    java.util.Set<Long> longs = new java.util.HashSet<>(java.util.Arrays.asList(@{lit long}, 1L, -1L, 1L << 40));
    System.out.println(longs);
    java.util.BitSet bits = new java.util.BitSet();
    bits.set(@{in 0 99});
    bits.set(3, 6);
    System.out.println(bits + " " + bits.cardinality());
}
//# queues
static class Task implements Comparable<Task> {
    final int priority;
    final String name;
    Task(int priority, String name) {
        this.priority = priority;
        this.name = name;
    }
    @Override
    public int compareTo(Task o) {
        return priority != o.priority ? Integer.compare(priority, o.priority) : name.compareTo(o.name);
    }
    @Override
    public String toString() {
        return name + priority;
    }
}
static void run() {
    java.util.Deque<Integer> deque = new @{one java.util.ArrayDeque ;; java.util.LinkedList}<>();
    @{each deque.push(1); ;; deque.addLast(2); ;; deque.offerFirst(3); ;; System.out.println(deque.peek()); ;; System.out.println(deque.pollLast()); ;; deque.add(4); deque.add(5); ;; System.out.println(deque);
    ;; System.out.println(deque.size()); ;; deque.removeFirstOccurrence(4);}
    System.out.println(deque);
    deque.clear();
    System.out.println(deque.poll());
    try {
        @{one deque.pop(); ;; deque.removeLast(); ;; deque.getFirst(); ;; deque.element();}
    } catch (java.util.NoSuchElementException e) {
        System.out.println(e.getClass().getName());
    }
    java.util.PriorityQueue<Task> queue = new java.util.PriorityQueue<>(@{maybe java.util.Comparator.reverseOrder()});
    for (int i = 0; i < @{in 3 9}; i++) queue.add(new Task(i * 7 % @{in 3 5}, "t" + i));
    while (!queue.isEmpty()) System.out.println(queue.poll());
    java.util.List<Task> tasks = new java.util.ArrayList<>();
    for (String s : "fig apple pear kiwi plum".split(" ")) tasks.add(new Task(s.length(), s));
    @{some tasks.sort(null); ;; tasks.sort(java.util.Comparator.comparing((Task t) -> t.name)); ;; tasks.sort(java.util.Comparator.comparingInt((Task t) -> t.priority).thenComparing(t -> t.name, java.util.Comparator.reverseOrder()));
    ;; tasks.sort(java.util.Comparator.comparing((Task t) -> t.name).reversed()); ;; java.util.Collections.sort(tasks, java.util.Collections.reverseOrder());}
    System.out.println(tasks);
    java.util.Comparator<String> nulls = java.util.Comparator.nullsFirst(java.util.Comparator.naturalOrder());
    System.out.println(nulls.compare(null, "a") + nulls.compare("b", "a"));
    java.util.Queue<int[]> work = new java.util.ArrayDeque<>();
    boolean[][] seen = new boolean[5][5];
    work.add(new int[] {0, 0, 0});
    while (!work.isEmpty()) {
        int[] at = work.remove();
        int x = at[0], y = at[1];
        if (x < 0 || y < 0 || x > 4 || y > 4 || seen[x][y] || (x * 3 + y * @{in 1 5}) % 7 == 3) continue;
        seen[x][y] = true;
        if (x == 4 && y == 4) System.out.println(at[2]);
        work.add(new int[] {x + 1, y, at[2] + 1});
        work.add(new int[] {x, y + 1, at[2] + 1});
        work.add(new int[] {x - 1, y, at[2] + 1});
    }
}
