//# sentinel
static final class Node {
    Node next;
    int v;
}
static final Node NIL = new Node();
static boolean ok(Node n) {
    return @{one n != NIL ;; n == null || n.next != NIL ;; n != NIL || n.v == @{in 0 1} ;; n == null || n.next == null || n.next != n};
}
//# receiver entry at:S.f
static class S {
    @{one  ;; public ;; private} static final S ONE = new S();
    @{maybe static final S TWO = new S();}
    int x = @{in 0 2};
    void f() {
        @{one assert this != ONE; ;; if (this == ONE) assert false; ;; assert this != ONE || x == @{in 0 2};}
    }
}
//# boolean
static boolean ok(Boolean b) {
    return @{one b != Boolean.TRUE ;; b != Boolean.FALSE ;; b == null || b == Boolean.FALSE ;; b == null || b != Boolean.valueOf(true)};
}
//# object
static final Object LOCK = @{one new Object() ;; new int[0] ;; "lock"};
static boolean ok(Object o) {
    return @{one o != LOCK ;; o == null || !o.equals(LOCK) ;; o == LOCK || o == null || !o.equals(LOCK)};
}
//# registry
static class Item {
    int stock = 3;
}
static final java.util.Map<String, Item> ITEMS = new java.util.HashMap<>();
static {
    ITEMS.put("a", new Item());
}
static boolean ok(Item other) {
    if (other == null) return true;
    Item a = ITEMS.get("a");
    a.stock = 1;
    other.stock = @{in 0 1};
    return a.stock == 1;
}
//# array
static class P {
    int v;
}
static final P[] ALL = {new P(), new P()};
static boolean ok(@{one P p ;; Object p}) {
    return p != ALL[@{in 0 1}];
}
//# holder
static class T {
    int v = 1;
    static class Holder {
        static final T IT = new T();
    }
    static T it() {
        return Holder.IT;
    }
}
static boolean ok(T t) {
    if (t == null) return true;
    T.it().v = 1;
    t.v = @{in 1 3};
    return T.it().v == 1;
}
//# list
static final class L {
    final L tail;
    final int head;
    static final L END = new L(0, null);
    L(int head, L tail) {
        this.head = head;
        this.tail = tail;
    }
}
static boolean ok(L l) {
    if (l == null || l.tail == null) return true;
    return @{one l.tail != L.END ;; l.tail != L.END || l.head != 1 ;; l != L.END};
}
//# interned
static boolean ok(String s) {
    return @{one s != "lit" ;; s == null || s.intern() != s ;; s != "a" ;; s == null || !s.equals("a") || s != "a"};
}
//# class
static boolean ok(Class<?> c) {
    return c != @{one String.class ;; int.class ;; Object[].class ;; @CLAIM.class};
}
//# empty
static final int[] NONE = {};
static boolean ok(int[] a) {
    return @{one a != NONE ;; a == null || a.length > 0 || a != NONE};
}
//# interface
interface I {
    int get();
    I ZERO = new I() {
        public int get() {
            return 0;
        }
    };
}
static class One implements I {
    int v = 1;
    public int get() {
        return v;
    }
}
static boolean ok(I i) {
    return @{one i != I.ZERO ;; i == null || i instanceof One ;; i == null || i.getClass() == One.class};
}
//# two
static class C {
    static final C A = new C(), B = new C();
}
static boolean ok(C x, C y) {
    return @{one x != C.A || y != C.B ;; x != y || x == null ;; x == y || x != C.A};
}
