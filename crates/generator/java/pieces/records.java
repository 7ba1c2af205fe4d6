//# records
record Point(int x, int y) {
    static final Point ORIGIN = new Point(0, 0);
    Point {
        if (x < -100) throw new IllegalArgumentException("x: " + x);
        y = Math.abs(y);
    }
    Point(int both) {
        this(both, both);
    }
    int sum() {
        return x + y;
    }
    static Point of(String s) {
        return new Point(s.length());
    }
}
record Mixed(byte b, char c, long l, float f, double d, boolean z, String s, int... rest) {
    @Override
    public String s() {
        return s == null ? "none" : s;
    }
}
record Pair<A, B>(A left, B right) implements Comparable<Pair<A, B>> {
    <C> Pair<A, C> with(C other) {
        return new Pair<>(left, other);
    }
    @Override
    public int compareTo(Pair<A, B> o) {
        return toString().compareTo(o.toString());
    }
}
record Empty() {}
static void run() {
    Point p = new Point(@{in -5 5}, @{in -5 5});
    System.out.println(p);
    System.out.println(p.equals(new Point(p.x(), -p.y())));
    System.out.println(p.hashCode() == new Point(p.x(), p.y()).hashCode());
    System.out.println(p.sum() + Point.of("four").sum() + Point.ORIGIN.x());
    try {
        System.out.println(new Point(@{in -102 -99}, 0));
    } catch (IllegalArgumentException e) {
        Main.report(e);
    }
    Mixed m = new Mixed((byte) 1, 'c', @{lit long}, 0.5f, -0.0, true, null, 1, 2);
    System.out.println(m.s() + m.rest().length + m.l() + m.d());
    System.out.println(m.equals(new Mixed((byte) 1, 'c', m.l(), 0.5f, -0.0, true, null, m.rest())));
    System.out.println(m.equals(new Mixed((byte) 1, 'c', m.l(), 0.5f, 0.0, true, null, m.rest())));
    Pair<String, Integer> pair = new Pair<>("a", @{lit int});
    System.out.println(pair + " " + pair.with(null) + " " + pair.with(p));
    System.out.println(pair.compareTo(new Pair<>("b", 0)) < 0);
    System.out.println(new Pair<>(1, "x").equals(new Pair<>(1, "x")) + " " + pair.equals("a"));
    System.out.println(new Empty().equals(new Empty()) + "" + new Empty());
    record Local(int n) {
        int twice() { return 2 * n; }
    }
    System.out.println(new Local(@{int}).twice());
}
//# patterns
sealed interface Expr permits Num, Add, Mul, Neg {}
record Num(int value) implements Expr {}
record Add(Expr left, Expr right) implements Expr {}
record Mul(Expr left, Expr right) implements Expr {}
static final class Neg implements Expr {
    final Expr operand;
    Neg(Expr operand) { this.operand = operand; }
}
static int eval(Expr e) {
    if (e instanceof Num n) return n.value();
    if (e instanceof Add a) return eval(a.left()) + eval(a.right());
    if (e instanceof Mul m && m.left() instanceof Num n && n.value() == 0) return 0;
    if (e instanceof Mul m) return eval(m.left()) * eval(m.right());
    if (!(e instanceof Neg n)) throw new IllegalStateException();
    return -eval(n.operand);
}
static String describe(Object o) {
    if (o instanceof Integer i && i > 10) return "big " + (i + 1);
    if (o instanceof String s && !s.isEmpty()) return "text " + s.charAt(0);
    if (o instanceof int[] a) return "ints " + a.length;
    if (!(o instanceof Number number)) return "other";
    return "number " + number.intValue();
}
static void run() {
    Expr e = new Add(new Num(@{lit int}), new Mul(new Neg(new Num(@{in 1 9})), new Num(@{in 0 9})));
    System.out.println(eval(e));
    System.out.println(eval(new Mul(new Num(@{in 0 1}), e)));
    if (e instanceof Add a) System.out.println(a.left());
    for (Object o : new Object[] {5, @{in 5 15}, "", "xyz", 'c', null, new int[3], 7L, e}) System.out.println(describe(o));
    String block = """
        Hello,
          "world" \
        joined
        tab\there   \s
        """;
    System.out.println(block.length());
    System.out.println(block.strip());
    var inferred = new java.util.ArrayList<Integer>();
    for (var i = 0; i < 3; i++) inferred.add(i);
    System.out.println(inferred);
}
