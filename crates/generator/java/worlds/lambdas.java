//# interface
interface Op {
    int apply(int x);
}
static class One implements Op {
    public int apply(int x) {
        return 1;
    }
}
static Op makeTwo() {
    return x -> @{in 1 3};
}
static boolean ok(Op op) {
    return op == null || @{one op.apply(0) == 1 ;; op instanceof One ;; op.apply(0) != @{in 2 3}};
}
//# runnable
static int n;
static Runnable make(boolean twice) {
    return twice ? () -> n += 2 : @CLAIM::one;
}
static void one() {
    n++;
}
static boolean ok(Runnable r) {
    if (r == null) return true;
    n = 0;
    r.run();
    return n != @{in 1 3};
}
//# nothing
static Runnable make() {
    return () -> { };
}
static boolean ok(Runnable r) {
    return r == null;
}
//# capture
interface Op {
    int apply(int x);
}
static class Id implements Op {
    public int apply(int x) {
        return x;
    }
}
static Op make(int by) {
    return x -> x + by;
}
static boolean ok(Op f, Op g) {
    if (f == null || g == null) return true;
    return f.apply(g.apply(0)) @{one == ;; !=} @{in 0 4};
}
//# nameless
static class A {
    int get() {
        return 1;
    }
}
static A make() {
    return new A() {
        int get() {
            return 2;
        }
    };
}
static boolean ok(A a) {
    return @{one a == null || a.get() == 1 ;; a == null || a.getClass() == A.class};
}
//# local
static abstract class A {
    abstract int get();
}
static A make(int n) {
    class B extends A {
        int get() {
            return n;
        }
    }
    return new B();
}
static boolean ok(A a) {
    return a == null || a.get() != @{in 0 4};
}
//# field
static class Button {
    Runnable click;
    int clicks;
}
static Button make() {
    Button b = new Button();
    b.click = () -> b.clicks++;
    return b;
}
static boolean ok(Button b) {
    if (b == null || b.click == null) return true;
    int before = b.clicks;
    b.click.run();
    return b.clicks == before;
}
//# operator
static java.util.function.IntUnaryOperator make() {
    return x -> x * 2;
}
static boolean ok(java.util.function.IntUnaryOperator f) {
    return f == null || f.applyAsInt(2) != @{in 3 4};
}
//# supplier
static java.util.function.Supplier<Integer> make() {
    return () -> 3;
}
static boolean ok(java.util.function.Supplier<Integer> f) {
    Integer i = f == null ? null : f.get();
    return i == null || i != 3;
}
