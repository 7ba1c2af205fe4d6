//# initialisation
static int order;
static int mark(String what) {
    System.out.println(what + order);
    return ++order;
}
static class Base {
    static int count = mark("Base.count ");
    int field = mark("Base.field ");
    static {
        mark("Base.static ");
    }
    {
        mark("Base.block ");
        field += 10;
    }
    Base() {
        this(@{in 1 9});
        mark("Base() ");
    }
    Base(int n) {
        mark("Base(int) ");
        field += n;
        hook();
    }
    void hook() {
        System.out.println("Base.hook " + field);
    }
}
static class Derived extends Base {
    static final int CONSTANT = @{lit int};
    static final Integer NOT_CONSTANT = mark("Derived.NOT_CONSTANT ");
    int own = 5;
    final int last;
    String name;
    Derived() {
        mark("Derived() ");
        last = own + field;
    }
    Derived(String name) {
        super(2);
        this.name = name;
        last = -1;
    }
    @Override
    void hook() {
        System.out.println("Derived.hook " + own + name + last);
        own = 7;
    }
}
static class Lazy {
    static {
        mark("Lazy ");
    }
    static int used = 3;
    static void touch() {}
}
interface WithField {
    int VALUE = mark("WithField.VALUE ");
    int CONSTANT = 5;
}
static class Implements implements WithField {
    static {
        mark("Implements ");
    }
}
static class Broken {
    static int value = 1 / (order - order);
}
static void run() {
    System.out.println(Derived.CONSTANT);
    @{each new Derived(); ;; new Derived("n").hook(); ;; System.out.println(Base.count); ;; Base[] none = new Base[2]; ;; System.out.println(Lazy.used);
    ;; System.out.println(WithField.CONSTANT); ;; new Implements(); ;; System.out.println(Implements.VALUE); ;; Lazy.touch(); ;; System.out.println(Derived.count);
    ;; Object o = Derived.NOT_CONSTANT;}
    try {
        System.out.println(Broken.value);
    } catch (ExceptionInInitializerError e) {
        System.out.println(e.getClass().getName() + " " + e.getCause().getMessage());
    }
    try {
        System.out.println(Broken.value);
    } catch (NoClassDefFoundError e) {
        System.out.println(e.getClass().getName());
    }
}
//# dispatch
static abstract class Shape implements Comparable<Shape> {
    protected final String name;
    Shape(String name) {
        this.name = name;
    }
    abstract long area();
    long scaled(int by) {
        return area() * by;
    }
    @Override
    public int compareTo(Shape other) {
        return Long.compare(area(), other.area());
    }
    @Override
    public String toString() {
        return name + ":" + area();
    }
    @Override
    public boolean equals(Object other) {
        return other instanceof Shape && ((Shape) other).area() == area() && getClass() == other.getClass();
    }
    @Override
    public int hashCode() {
        return (int) area() * 31 + name.hashCode();
    }
}
static class Square extends Shape {
    final int side;
    Square(int side) {
        super("square");
        this.side = side;
    }
    @Override
    long area() {
        return @{one (long) side * side ;; side * side ;; Math.abs(side) * side};
    }
}
static class Rectangle extends Square {
    private final int height;
    Rectangle(int width, int height) {
        super(width);
        this.height = height;
    }
    @Override
    long area() {
        return side * height;
    }
    @Override
    long scaled(int by) {
        return super.scaled(by) + super.area();
    }
}
static class Dot extends Shape {
    static final Dot ONLY = new Dot();
    private Dot() {
        super("dot");
    }
    @Override
    long area() {
        return 0;
    }
    @Override
    public String toString() {
        return "." + super.toString();
    }
}
static void run() {
    Shape[] shapes = {new Square(@{lit int}), new Rectangle(@{in 1 9}, @{in -9 9}), Dot.ONLY, new Square(@{in 1 5}), new Rectangle(2, 2), new Square(2)};
    java.util.Arrays.sort(shapes);
    for (Shape shape : shapes) {
        System.out.println(shape);
        System.out.println(shape.scaled(@{in -3 3}));
        System.out.println(shape.hashCode());
        System.out.println(shape instanceof Rectangle ? "r" : shape instanceof Square ? "s" : "?");
        System.out.println(shape.equals(new Square(2)) + " " + shape.equals(null) + " " + shape.equals(new Rectangle(1, 4)));
        try {
            System.out.println(((Square) shape).side);
        } catch (ClassCastException e) {
            Main.report(e);
        }
    }
    System.out.println(shapes[0].getClass() == shapes[1].getClass());
    System.out.println(Dot.ONLY.getClass().getSimpleName());
}
//# hiding
static class A {
    int x = 1;
    static String name() { return "A"; }
    String me() { return "A" + x + name(); }
    private String secret() { return "sA"; }
    String tell() { return secret(); }
    String over(Object o) { return "A.Object"; }
    String over(A a) { return "A.A"; }
    Object same() { return x; }
}
static class B extends A {
    long x = @{lit long};
    static String name() { return "B"; }
    @Override
    String me() { return super.me() + "B" + x + super.x + ((A) this).x + this.x; }
    String secret() { return "sB"; }
    String over(B b) { return "B.B"; }
    @Override
    String over(Object o) { return "B.Object"; }
    @Override
    Long same() { return x; }
}
static class C extends B {
    String x = "c";
    @Override
    String me() { return super.me() + x + super.x; }
    @Override
    String over(A a) { return "C.A" + super.over(a); }
}
static void run() {
    A a = new @{one B ;; C ;; A}();
    B b = new @{one B ;; C}();
    C c = new C();
    System.out.println(a.x + " " + b.x + " " + c.x + ((B) c).x + ((A) c).x);
    System.out.println(a.me() + b.me() + c.me());
    System.out.println(a.tell() + b.tell() + b.secret());
    System.out.println(a.over(a) + a.over(b) + b.over(b) + b.over((A) b) + c.over(c) + c.over((Object) c) + b.over("x"));
    System.out.println(A.name() + B.name() + C.name());
    System.out.println(a.same() + "" + b.same());
    a.x += 5;
    ((A) c).x--;
    b.x <<= 2;
    c.x += b.x++ + a.x;
    System.out.println(a.x + " " + b.x + " " + c.x);
    A nothing = null;
    System.out.println(nothing instanceof A);
    System.out.println((B) nothing == null);
    try {
        System.out.println(nothing.me());
    } catch (NullPointerException e) {
        Main.report(e);
    }
    try {
        nothing.x++;
    } catch (NullPointerException e) {
        Main.report(e);
    }
}
//# interfaces
interface Named {
    String name();
    default String greet() { return prefix() + name() + count(2); }
    private String prefix() { return "Hi "; }
    static String loud(Named named) { return named.name().toUpperCase(); }
    private static int twice(int n) { return 2 * n; }
    default int count(int n) { return twice(n); }
}
interface Polite extends Named {
    @Override
    default String greet() { return "Dear " + Named.super.greet(); }
}
interface Counted {
    int START = @{in 1 9};
    default int count(int n) { return n + START; }
}
static class Person implements Polite, Counted {
    private final String name;
    Person(String name) { this.name = name; }
    @Override
    public String name() { return name; }
    @Override
    public int count(int n) { return Polite.super.count(n) * Counted.super.count(n); }
}
static class Rude extends Person implements Named {
    Rude() { super("rude"); }
    @Override
    public String greet() { return "Oi " + super.greet(); }
}
static abstract class Partial implements Named {
    @Override
    public String toString() { return "<" + greet() + ">"; }
}
static void run() {
    Named[] all = {new Person("@{one Ann ;; Bob}"), new Rude(), () -> "lambda", new Named() {
        int calls;
        @Override
        public String name() { return "anonymous" + ++calls; }
    }, new Partial() {
        @Override
        public String name() { return "partial"; }
    }};
    for (Named named : all) {
        System.out.println(named.greet());
        System.out.println(Named.loud(named));
        System.out.println(named.count(@{in 0 9}));
        System.out.println(named instanceof Polite);
        System.out.println(named instanceof Counted);
    }
    System.out.println(all[4]);
    try {
        System.out.println(((Counted) all[@{in 1 4}]).count(1));
    } catch (ClassCastException e) {
        Main.report(e);
    }
    Object o = all;
    System.out.println(o instanceof Named[] && !(o instanceof Counted[]));
}
//# inner
int value = @{in 1 9};
static int made;
class Inner {
    int value = 10;
    class Deep {
        int value = 100;
        int sum() {
            return value + Inner.this.value * 2 + @PIECE.this.value * 3;
        }
    }
    void bump() {
        value++;
        @PIECE.this.value += 5;
        made++;
    }
}
static class Node {
    int head;
    Node tail;
    Node(int head, Node tail) {
        this.head = head;
        this.tail = tail;
    }
    int length() {
        return tail == null ? 1 : 1 + tail.length();
    }
}
interface Counter {
    int next();
}
Counter counter(int step) {
    final int[] state = {0};
    class Local implements Counter {
        private int calls;
        @Override
        public int next() {
            calls++;
            value += step;
            return state[0] += step * calls;
        }
    }
    Local local = new Local();
    local.next();
    return local;
}
static Counter captured(int a, long b, String s) {
    return new Counter() {
        int own = a;
        {
            own *= 2;
        }
        @Override
        public int next() {
            return own += (int) b + s.length();
        }
    };
}
static void run() {
    @PIECE outer = new @PIECE();
    @PIECE.Inner inner = outer.new Inner();
    @PIECE.Inner.Deep deep = inner.new Deep();
    System.out.println(deep.sum());
    inner.bump();
    System.out.println(deep.sum() + made);
    Counter counter = outer.counter(@{in 2 5});
    System.out.println(counter.next() + counter.next() * 100);
    System.out.println(outer.value);
    Counter other = captured(@{in 1 9}, @{lit long}, "abc");
    System.out.println(other.next());
    System.out.println(other.next());
    Node list = null;
    for (int i = 0; i < @{in 1 6}; i++) list = new Node(i * i, list);
    Node reversed = null;
    for (Node n = list; n != null; n = n.tail) reversed = new Node(n.head, reversed);
    System.out.println(list.length() + " " + reversed.head + " " + list.head);
    System.out.println(new Object() {
        int hidden = 5;
        int twice() { return 2 * hidden; }
    }.twice());
    try {
        @PIECE nothing = null;
        nothing.new Inner();
    } catch (NullPointerException e) {
        Main.report(e);
    }
}
//# objects
static class Point implements Cloneable {
    int x, y;
    int[] data = {1, 2};
    Point(int x, int y) {
        this.x = x;
        this.y = y;
    }
    Point move(int dx) {
        x += dx;
        return this;
    }
    @Override
    public boolean equals(Object o) {
        if (this == o) return true;
        if (o == null || getClass() != o.getClass()) return false;
        Point p = (Point) o;
        return x == p.x && y == p.y;
    }
    @Override
    public int hashCode() {
        return java.util.Objects.hash(x, y);
    }
    @Override
    public Point clone() {
        try {
            return (Point) super.clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }
    static void swap(Point a, Point b) {
        Point t = a;
        a = b;
        b = t;
        a.x = 77;
    }
}
static class Tree {
    Tree left, right;
    int key;
    Tree(int key) {
        this.key = key;
    }
    void insert(int k) {
        if (k < key) {
            if (left == null) left = new Tree(k); else left.insert(k);
        } else if (right == null) right = new Tree(k);
        else right.insert(k);
    }
    int depth() {
        return 1 + Math.max(left == null ? 0 : left.depth(), right == null ? 0 : right.depth());
    }
    void print() {
        if (left != null) left.print();
        System.out.println(key);
        if (right != null) right.print();
    }
}
static void run() {
    Point a = new Point(@{in 0 3}, 1), b = new Point(@{in 0 3}, 1), c = a;
    System.out.println(a.equals(b));
    System.out.println(a == c);
    System.out.println(a.hashCode());
    a.move(2).move(3).y++;
    System.out.println(c.x + c.y);
    Point d = a.clone();
    d.x = 5;
    d.data[0] = 9;
    System.out.println(a.x + a.data[0] + (d == a ? 100 : 0));
    Point.swap(a, b);
    System.out.println(a.x + " " + b.x);
    Point[] points = {a, a, b};
    points[0].x -= 3;
    System.out.println(points[1].x);
    Tree tree = new Tree(@{in -9 9});
    for (int key : new int[] {@{in -9 9}, @{in -9 9}, @{in -9 9}, @{lit int}}) tree.insert(key);
    tree.print();
    System.out.println(tree.depth());
    System.out.println(java.util.Objects.equals(null, null) + " " + java.util.Objects.requireNonNullElse(null, "else"));
    try {
        java.util.Objects.requireNonNull(null, "needed");
    } catch (NullPointerException e) {
        System.out.println(e.getMessage());
    }
    System.out.println(java.util.Objects.toString(null) + java.util.Objects.hashCode(null));
}
