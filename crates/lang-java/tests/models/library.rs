//! The library on top of the models.

use super::{check, check_with};

#[test]
fn numbers() {
    check(
        r#"System.out.println(Math.sqrt(2) + " " + Math.abs(-1.5) + Math.floor(-1.5) + Math.ceil(1.2) + Math.rint(2.5) + Math.abs(-0.0f));
        System.out.println(Float.floatToIntBits(1.5f) + " " + Double.doubleToLongBits(-2.5) + Float.intBitsToFloat(7) + Double.longBitsToDouble(9L));
        System.out.println(Math.max(1, 2) + Math.min(-0.0, 0.0) + Math.round(2.5) + Math.floorMod(-7, 3) + Math.pow(2, 10) + Math.cbrt(27));
        System.out.println(Integer.toString(255, 16) + Integer.toHexString(-1) + Long.parseLong("-99") + Integer.parseInt("12"));
        System.out.println(Integer.bitCount(255) + " " + Long.numberOfTrailingZeros(8) + Integer.reverse(1) + Integer.MAX_VALUE);
        System.out.println(0.1 + 0.2); System.out.println(1e21 + " " + 1.0f / 3 + " " + Double.MIN_VALUE + " " + 100.0);
        System.out.println(Double.parseDouble("3.25e2") + Float.parseFloat("1.5"));
        try { Math.addExact(Integer.MAX_VALUE, 1); } catch (ArithmeticException e) { System.out.println(e.getMessage()); }
        try { Integer.parseInt("x1"); } catch (NumberFormatException e) { System.out.println(e.getMessage()); }
        System.out.println(Integer.valueOf(127) == Integer.valueOf(127)); System.out.println(Character.isLetter('x') + " " + Character.toUpperCase('q'));
        System.out.println(new java.math.BigInteger("123456789012345678901234567890").multiply(java.math.BigInteger.TEN));
        System.out.println(new java.math.BigDecimal("1.10").add(new java.math.BigDecimal("2.205")));"#,
    );
}

#[test]
fn strings() {
    check(
        r#"String s = "Hello"; StringBuilder b = new StringBuilder();
        for (char c : s.toCharArray()) b.insert(0, c); System.out.println(b + " " + b.length() + b.indexOf("l"));
        System.out.println(s.substring(1, 3) + s.indexOf('l') + s.replace('l', 'L') + s.toUpperCase() + s.contains("ell") + s.hashCode());
        System.out.println(String.join("-", "a", "b") + "a,b,,c".split(",").length + " x ".trim() + "ab".repeat(3) + "x".compareTo("yy"));
        System.out.println(String.format("%d %s %5.2f %x|%-4s|%04d", 1, "two", 3.14159, 255, "l", 7));
        System.out.printf("%s %b %c%n", "p", true, 'q');
        System.out.println(new String(new char[] {'a', 'b'}).intern() == "ab"); System.out.println("c".concat("d").intern() == "cd");
        String built = new StringBuilder("ef").append("g").toString(); System.out.println(built.intern() == built); System.out.println(built == "efg");
        System.out.println("\u4e2d\u6587".length() + "a\u4e2d".codePointAt(1)); System.out.println("straße".equalsIgnoreCase("STRAßE"));
        System.out.println("b".equals(null) + " " + "a b c".chars().filter(c -> c == ' ').count() + "x\ny".lines().count() + "  ".isBlank());
        System.out.println("aXbX".replaceAll("X", "-") + "abc".matches("[a-c]+") + Arrays.toString("1:2".split(":")));
        StringBuffer f = new StringBuffer("q"); f.append(1).reverse(); System.out.println(f);
        switch (s) { case "Hello": System.out.println("case"); break; default: System.out.println("?"); }
        System.out.println(new StringJoiner(",", "[", "]").add("x").add("y")); System.out.println(s.getBytes().length);"#,
    );
}

#[test]
fn collections() {
    check(
        r#"List<Integer> l = new ArrayList<>(List.of(3, 1, 2)); Collections.sort(l); l.add(1, 9); l.remove(Integer.valueOf(3)); System.out.println(l);
        Map<String, Integer> m = new HashMap<>(); m.put("a", 1); m.merge("a", 5, Integer::sum); m.computeIfAbsent("b", k -> 7); System.out.println(m);
        Set<Integer> s = new HashSet<>(l); System.out.println(s.contains(9) + " " + s.size()); System.out.println(new TreeMap<>(m).firstKey());
        Deque<Integer> d = new ArrayDeque<>(); d.push(1); d.addLast(2); System.out.println(d.pop() + d.peekLast());
        PriorityQueue<Integer> q = new PriorityQueue<>(Comparator.reverseOrder()); q.addAll(l); System.out.println(q.poll());
        LinkedList<String> k = new LinkedList<>(List.of("x", "y")); k.addFirst("w"); System.out.println(k); Iterator<String> i = k.iterator(); i.next(); i.remove(); System.out.println(k);
        try { for (Integer x : l) l.add(x); } catch (ConcurrentModificationException e) { System.out.println("modified"); }
        try { List.of(1).add(2); } catch (UnsupportedOperationException e) { System.out.println("immutable"); }
        System.out.println(Map.of("k", 1) + " " + Optional.of(5).map(x -> x + 1) + Objects.hash(1, 2) + Arrays.asList(1, 2));
        LinkedHashMap<Integer, String> o = new LinkedHashMap<>(); for (int n = 20; n > 0; n--) o.put(n * 31, "v" + n); System.out.println(o.keySet());
        Integer[] a = {5, 3, 4}; Arrays.sort(a, (x, y) -> y - x); System.out.println(Arrays.toString(a)); int[] p = {5, 3, 4}; Arrays.sort(p); System.out.println(Arrays.binarySearch(p, 4));
        BitSet bits = new BitSet(); bits.set(5); System.out.println(bits); Stack<Integer> t = new Stack<>(); t.push(1); System.out.println(t.pop());
        System.out.println(Collections.unmodifiableList(l) + "" + Collections.max(l) + Collections.frequency(l, 9));"#,
    );
}

#[test]
fn concurrent_collections_and_atomics() {
    check(
        r#"AtomicInteger a = new AtomicInteger(5); System.out.println(a.incrementAndGet() + a.getAndAdd(3) + " " + a.compareAndSet(9, 1) + a + a.updateAndGet(x -> x * 2));
        AtomicLong l = new AtomicLong(); System.out.println(l.decrementAndGet() + " " + l.accumulateAndGet(5, Long::sum)); AtomicBoolean b = new AtomicBoolean(); System.out.println(b.getAndSet(true) + " " + b);
        AtomicReference<String> r = new AtomicReference<>("x"); System.out.println(r.getAndUpdate(x -> x + "y") + r.get());
        ConcurrentHashMap<String, Integer> m = new ConcurrentHashMap<>(); for (int i = 0; i < 30; i++) m.merge("k" + i % 20, i, Integer::sum); System.out.println(m.size() + " " + m.get("k3") + m);
        Queue<Integer> q = new ConcurrentLinkedQueue<>(); q.add(1); q.add(2); System.out.println(q.poll() + " " + q);
        List<Integer> c = new CopyOnWriteArrayList<>(List.of(1)); c.add(2); System.out.println(c);
        Random random = new Random(42); System.out.println(random.nextInt(100) + " " + random.nextInt() + random.nextBoolean() + random.nextDouble());
        ThreadLocal<Integer> local = ThreadLocal.withInitial(() -> 4); local.set(local.get() + 1); System.out.println(local.get());
        System.out.println(Thread.currentThread().getName()); synchronized (q) { q.notifyAll(); }
        java.util.concurrent.locks.ReentrantLock lock = new java.util.concurrent.locks.ReentrantLock(); lock.lock(); System.out.println(lock.isLocked()); lock.unlock();
        AtomicIntegerArray array = new AtomicIntegerArray(3); array.incrementAndGet(1); System.out.println(array);"#,
    );
}

#[test]
fn lambdas_and_streams() {
    check_with(
        "static int twice(int x) { return 2 * x; }",
        r#"Function<Integer, Integer> f = Main::twice; Supplier<List<String>> s = ArrayList::new; System.out.println(f.andThen(x -> x + 1).apply(4) + " " + s.get());
        System.out.println(IntStream.range(0, 5).map(x -> x * x).sum()); System.out.println(Stream.of("a", "bb", "ccc").filter(x -> x.length() > 1).collect(Collectors.toList()));
        System.out.println(Stream.of(3, 1, 2).sorted().map(String::valueOf).collect(Collectors.joining(","))); System.out.println(Arrays.stream(new int[] {1, 2, 3}).max().getAsInt());
        System.out.println(Stream.of("x", "y", "xx").collect(Collectors.groupingBy(String::length))); System.out.println(Stream.iterate(1, x -> x * 2).limit(5).reduce(0, Integer::sum));
        BiFunction<Integer, Integer, Integer> g = Math::max; System.out.println(g.apply(3, 4)); List.of(1, 2).forEach(System.out::println);"#,
    );
}
