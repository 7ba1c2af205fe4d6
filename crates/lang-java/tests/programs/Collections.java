class Collections {
    public static void main(String[] args) {
        java.util.List<Integer> l = new java.util.ArrayList<>(); for (int i = 5; i > 0; i--) l.add(i); l.sort(null);
        assert l.get(0) == 1 && l.size() == 5;
        l.sort(java.util.Comparator.comparing((Integer i) -> i % 2).thenComparing(java.util.Comparator.reverseOrder()));
        assert l.get(0) == 4 && l.get(4) == 1 : l; l.removeIf(i -> i > 3); assert l.size() == 3;
        java.util.Map<String, Integer> m = new java.util.HashMap<>();
        for (String s : new String[] {"a", "b", "a"}) m.merge(s, 1, Integer::sum);
        assert m.get("a") == 2 && m.computeIfAbsent("c", k -> 9) == 9 && m.size() == 3; int t = 0;
        for (var e : m.entrySet()) t += e.getValue(); assert t == 12;
        java.util.Deque<Integer> d = new java.util.ArrayDeque<>(); d.push(1); d.addLast(2);
        assert d.pop() == 1 && d.peek() == 2; java.util.TreeMap<Integer, String> tm = new java.util.TreeMap<>();
        tm.put(3, "c"); tm.put(1, "a"); assert tm.firstKey() == 1 && tm.ceilingKey(2) == 3;
        java.util.Set<String> hs = new java.util.LinkedHashSet<>(java.util.List.of("x", "y"));
        assert hs.contains("y") && !hs.contains("z"); java.util.Iterator<Integer> it = l.iterator(); it.next();
        l.add(7); try { it.next(); assert false; } catch (java.util.ConcurrentModificationException e) { }
        try { java.util.List.of(1).add(2); assert false; } catch (UnsupportedOperationException e) { }
        java.util.Optional<String> o = java.util.Optional.of("v");
        assert o.map(String::length).filter(n -> n == 1).isPresent();
        java.util.EnumMap<E, Integer> em = new java.util.EnumMap<>(E.class); em.put(E.Y, 2);
        assert em.get(E.Y) == 2 && em.get(E.X) == null;
        assert java.util.Arrays.asList(3, 1, 2).stream().map(x -> x * 2).reduce(0, Integer::sum) == 12;
    }
    enum E { X, Y }
}
