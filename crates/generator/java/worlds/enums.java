//# interface
interface Op {
    int apply(int x);
}
enum E implements Op {
    INC {
        public int apply(int x) {
            return x + 1;
        }
    },
    SAME;
    public int apply(int x) {
        return x;
    }
}
static class Zero implements Op {
    public int apply(int x) {
        return 0;
    }
}
static boolean ok(Op op) {
    if (op == null) return true;
    return @{one op.apply(1) == 0 ;; op.apply(1) != 2 ;; op.apply(1) < 2 ;; op != E.INC ;; !(op instanceof E) ;; op.getClass() == Zero.class};
}
//# object
enum C { R, G }
static boolean ok(@{one Object ;; Enum<?> ;; Comparable<C> ;; java.io.Serializable} o) {
    return @{one o != C.R ;; !(o instanceof C)};
}
//# field
interface Named {
}
enum C implements Named { R, G }
static class Plain implements Named {
}
static class Holder {
    Named n;
}
static boolean ok(Holder h) {
    if (h == null || h.n == null) return true;
    return @{one h.n instanceof Plain ;; h.n != C.G};
}
//# element
interface Named {
}
enum C implements Named { R, G }
static class Plain implements Named {
}
static boolean ok(Named[] a) {
    if (a == null || a.length == 0) return true;
    return @{one a[0] != C.R ;; !(a[0] instanceof C) ;; a.getClass() == Named[].class};
}
//# init
static int made;
enum C {
    R, G;
    C() {
        @CLAIM.count();
    }
}
static void count() {
    made++;
}
static boolean ok(C c) {
    return @{one c != null || made == 0 ;; c == null || made == 2 ;; c == null || made == 0 ;; made == 0 || made == 2};
}
//# switch
enum C { R, G, B }
static boolean ok(C c) {
    if (c == null) return true;
    switch (c) {
        case R:
            return true;
        case G:
            return @{one true ;; false};
        default:
            return c.ordinal() == @{in 1 2};
    }
}
