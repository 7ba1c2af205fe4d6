//# functions
interface Op {
    int apply(int a, int b);
    default Op flip() { return (a, b) -> apply(b, a); }
    static Op constant(int n) { return (a, b) -> n; }
}
interface Tri<A, B, C, R> {
    R apply(A a, B b, C c);
}
static class Person {
    final String name;
    Person(String name) { this.name = name; }
    Person() { this("nobody"); }
    String greet(String other) { return name + " greets " + other; }
    static int twice(int n) { return 2 * n; }
    java.util.function.Supplier<String> me() { return () -> this.name; }
}
static class Loud extends Person {
    Loud() { super("loud"); }
    @Override
    String greet(String other) {
        java.util.function.Function<String, String> parent = super::greet;
        return parent.apply(other).toUpperCase();
    }
}
static int global = 1;
static int calls;
static Person make() {
    calls++;
    return new Person("made" + calls);
}
static java.util.function.IntUnaryOperator compose(java.util.function.IntUnaryOperator... fs) {
    return x -> {
        for (java.util.function.IntUnaryOperator f : fs) x = f.applyAsInt(x);
        return x;
    };
}
static java.util.function.Function<Integer, java.util.function.Function<Integer, Integer>> curried = a -> b -> a * 10 + b;
static java.util.function.IntUnaryOperator factorial;
static void run() {
    int n = @{in 1 9};
    long l = @{lit long};
    Op sub = (a, b) -> a - b;
    Op mixed = (int a, int b) -> { int c = a; while (c > 0) c -= n; return c * b + (int) l; };
    System.out.println(sub.apply(7, n) + sub.flip().apply(7, n) + Op.constant(n).apply(1, 2));
    System.out.println(mixed.apply(@{in 0 50}, @{in 0 9}));
    Op method = Math::floorMod;
    System.out.println(method.flip().apply(5, -17));
    java.util.function.Function<String, Person> constructor = Person::new;
    java.util.function.Supplier<Person> empty = Person::new;
    java.util.function.IntFunction<int[]> array = int[]::new;
    java.util.function.BiFunction<Person, String, String> unbound = Person::greet;
    java.util.function.UnaryOperator<String> bound = make()::greet;
    System.out.println(constructor.apply("new").name + empty.get().name + array.apply(3).length);
    System.out.println(unbound.apply(new Loud(), "you") + bound.apply("x") + bound.apply("y") + calls);
    System.out.println(compose(Person::twice, x -> x + n, x -> x * x, Math::abs).applyAsInt(@{int}));
    System.out.println(curried.apply(1).apply(n));
    factorial = k -> k <= 1 ? 1 : k * factorial.applyAsInt(k - 1);
    System.out.println(factorial.applyAsInt(@{in 5 14}));
    Runnable runnable = () -> global += n;
    runnable.run();
    runnable.run();
    System.out.println(global);
    java.util.function.Predicate<String> isEmpty = String::isEmpty;
    System.out.println(isEmpty.negate().and(s -> s.length() > 2).or(s -> s.equals("a")).test("@{one a ;; bb ;; ccc}"));
    Tri<Integer, Long, String, String> tri = (a, b, c) -> a + b + c;
    System.out.println(tri.apply(1, l, "s"));
    java.util.function.Function<Integer, Integer> inc = x -> x + 1;
    System.out.println(inc.andThen(x -> x * 2).compose((Integer x) -> x - 3).apply(n));
    System.out.println(java.util.function.Function.<String>identity().apply("same"));
    java.util.function.BinaryOperator<Integer> max = java.util.function.BinaryOperator.maxBy(java.util.Comparator.naturalOrder());
    System.out.println(max.apply(3, n));
    java.util.function.ToIntFunction<String> length = String::length;
    java.util.function.LongSupplier supplier = () -> length.applyAsInt("four");
    System.out.println(supplier.getAsLong());
    System.out.println(new Loud().me().get());
    try {
        Person nothing = null;
        java.util.function.UnaryOperator<String> broken = nothing::greet;
        System.out.println(broken.apply("x"));
    } catch (NullPointerException e) {
        Main.report(e);
    }
    Object o = (Runnable & java.io.Serializable) () -> {};
    System.out.println(o instanceof Runnable && o instanceof java.io.Serializable);
    Runnable[] all = new Runnable[3];
    for (int i = 0; i < all.length; i++) {
        int copy = i;
        all[i] = () -> System.out.println(copy * n);
    }
    for (Runnable each : all) each.run();
    java.util.concurrent.Callable<Integer> callable = () -> { if (n > 4) throw new Exception("checked"); return n; };
    try {
        System.out.println(callable.call());
    } catch (Exception e) {
        Main.report(e);
    }
    java.util.function.IntBinaryOperator boxing = Integer::compare;
    java.util.Comparator<Integer> comparator = Integer::compare;
    System.out.println(boxing.applyAsInt(3, n) + comparator.compare(n, 3));
    java.util.function.Supplier<java.util.function.Supplier<String>> nested = () -> () -> "deep" + n;
    System.out.println(nested.get().get());
}
