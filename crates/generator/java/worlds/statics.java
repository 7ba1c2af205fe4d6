//# mode
static int mode@{one  ;;  = 1};
static void mutate(int m) {
    mode = m;
}
static boolean ok() {
    return @{one mode == 0 ;; mode < 2 ;; mode != @{in 2 5}};
}
//# list
static class Node {
    int v;
    Node next;
}
static Node first;
static void mutateFirst(int v) {
    Node n = new Node();
    n.v = v;
    n.next = first;
    first = n;
}
static boolean ok() {
    return @{one first == null ;; first == null || first.v != 1 ;; first == null || first.next == null};
}
//# input
static class Node {
    int v;
}
static Node last;
static void mutate(Node n) {
    last = n;
}
static boolean ok(Node n) {
    return n == null || n != last;
}
//# order main
static final StringBuilder LOG = new StringBuilder();
static class A {
    static {
        LOG.append("a");
    }
    static int x = 1;
    static final int CONSTANT = 2;
    static void f() {
    }
}
static class B extends A {
    static {
        LOG.append("b");
    }
    static int y = A.x + 1;
}
static boolean ok() {
    @{each @{maybe A.f();} ;; @{maybe int q = B.y;} ;; @{maybe int c = B.CONSTANT;} ;; @{maybe int p = B.x;} ;; @{maybe new B();} ;; @{maybe B[] none = new B[1];}}
    return @{one !LOG.toString().equals("ab") ;; !LOG.toString().equals("a") ;; LOG.length() > 0 ;; LOG.length() == 0 ;; LOG.toString().equals("ab")};
}
//# effect main
static int n;
static class A {
    static {
        n = 5;
    }
    static int x;
}
static boolean ok() {
    @{one int q = A.x; ;; new A(); ;; A a = null; ;; Class<?> c = A.class;}
    return n @{one != ;; ==} 5;
}
//# lazy main
static int made;
static class Holder {
    static final Holder IT = new Holder();
    int v = ++made;
}
static Holder it() {
    return Holder.IT;
}
static boolean ok() {
    int before = made;
    int v = it().v + it().v;
    return @{one before == made ;; before + 1 == made ;; v == 2 ;; v == 3};
}
//# interface main
static int n;
static int tick(int by) {
    n += by;
    return n;
}
interface I {
    int X = tick(@{in 1 2});
    @{maybe default void f() {
    }}
}
static class C implements I {
    static int y = tick(4);
}
static boolean ok() {
    @{one new C(); ;; int q = C.X; ;; int q = C.y; ;; I[] none = {};}
    return n != @{one 1 ;; 2 ;; 4 ;; 5 ;; 6 ;; 0};
}
//# cycle main
static class A {
    static int x = B.y + 1;
}
static class B {
    static int y = A.x + 1;
}
static boolean ok() {
    int s = @{one A.x - B.y ;; B.y - A.x ;; A.x * 2 + B.y};
    return s != @{one 1 ;; -1 ;; 5 ;; 4};
}
//# throws main
static int tries;
static class Bad {
    static int x = fail();
    static int fail() {
        tries++;
        if (tries @{one < ;; >} 2) throw new IllegalStateException("bad");
        return 1;
    }
}
static boolean ok() {
    int r = 0;
    for (int i = 0; i < 2; i++) {
        try {
            r += Bad.x;
        } catch (ExceptionInInitializerError e) {
            r += 10;
        } catch (NoClassDefFoundError e) {
            r += 100;
        }
    }
    return r != @{one 110 ;; 2 ;; 20 ;; 11};
}
//# parameter entry
static int n;
static class A {
    static {
        n++;
    }
    int v;
}
static class B extends A {
    static {
        n++;
    }
}
static boolean ok(A a) {
    return @{one a == null || n > 0 ;; a == null || n == 1 ;; a == null || n != 2 ;; !(a instanceof B) || n == 2};
}
//# counter
static int n;
static int next() {
    return ++n;
}
static boolean ok() {
    int a = next(), b = next();
    return @{one b == a + 1 ;; b > a ;; a == 1 ;; b == 2 ;; a != 1};
}
static void mutate() {
    n += 3;
}
//# final
static final int[] TABLE = {1, 2, 3};
static void mutate(int i) {
    if (i >= 0 && i < 3) TABLE[i] = 0;
}
static boolean ok(int i) {
    return i < 0 || i > 2 || TABLE[i] == i + 1;
}
//# constant
static final int[] TABLE = {1, 2, @{in 3 4}};
private static final int LIMIT = Integer.parseInt("@{in 2 3}");
static boolean ok(int i) {
    return i < 0 || i >= LIMIT || TABLE[i] == i + 1;
}
