class LambdaIdentity {
    interface R extends java.io.Serializable { int r(); } interface Mark { }
    interface Cmp<T> { int c(T a, T b); default boolean is() { return true; } }
    interface StrCmp extends Cmp<String> { int c(String a, String b); }
    static Runnable plain() { return () -> { }; } static R capturing(int x) { return () -> x; }
    static boolean started; interface Init { int X = start(); void m(); default void d() { } }
    static int start() { started = true; return 1; }
    public static void main(String[] args) {
        assert plain() == plain(); assert capturing(1) != capturing(1) && capturing(4).r() == 4;
        Runnable a = () -> { }, b = () -> { }; assert a != b;
        assert a.equals(a) && !a.equals(b) && a.getClass() != b.getClass() && a.getClass() == plainClass(a);
        Runnable m = (Runnable & Mark & java.io.Serializable) () -> { };
        assert m instanceof Mark && m instanceof java.io.Serializable && !(a instanceof Mark);
        Object o = capturing(2); assert o instanceof R && o instanceof java.io.Serializable;
        StrCmp s = (x, y) -> x.length() - y.length();
        @SuppressWarnings({"unchecked", "rawtypes"}) Cmp<Object> raw = (Cmp) s;
        assert s.c("ab", "a") == 1 && raw.c("a", "abc") == -2 && s.is();
        try { raw.c("a", 1); assert false; } catch (ClassCastException e) { }
        assert !started; Init i = () -> { }; assert started;
        assert i.getClass() != Init.class && Init.class.isInstance(i);
        try { Object t = a; Mark k = (Mark) t; assert false; } catch (ClassCastException e) { }
    }
    static Class<?> plainClass(Runnable r) { return r.getClass(); }
}
