class Lambdas {
    interface F { int f(int x); }
    interface G<A, B> { B g(A a); default <C> G<A, C> then(G<? super B, ? extends C> n) { return a -> n.g(g(a)); } }
    interface V { void run(); } interface S<T> { T get(); }
    int field = 3; int m(int x) { return x + field; } F bound() { return x -> x * field + m(1); }
    F self() { return this::m; } static int twice(int x) { return 2 * x; }
    static int apply(F f, int x) { return f.f(x); }
    static F curry(int a, long b, boolean c, char d, double e, String s) { return x -> (int) (x + a + b + (c ? 1 : 0) + d + e + s.length()); }
    static F fact; static S<S<Integer>> nested(int n) { return () -> () -> n; }
    static class Base { int who() { return 1; } }
    static class Sub extends Base { int who() { return 2; } S<Integer> up() { return super::who; } }
    public static void main(String[] args) {
        assert apply(x -> x + 1, 4) == 5 && apply(Lambdas::twice, 4) == 8;
        Lambdas o = new Lambdas(); F b = o.bound(), s = o.self(); assert b.f(2) == 10 && s.f(1) == 4; o.field = 5;
        assert b.f(2) == 16 && s.f(1) == 6;
        assert curry(1, 2L, true, (char) 3, 4.5, "abc").f(100) == 114;
        fact = n -> n <= 1 ? 1 : n * fact.f(n - 1); assert fact.f(5) == 120;
        G<String, Integer> len = String::length;
        assert len.g("four") == 4 && len.then(x -> x * 2).then(Object::toString).g("abc").equals("6");
        int[] count = {0}; V v = () -> count[0]++; v.run(); v.run(); assert count[0] == 2; V drop = o::hash;
        drop.run(); assert o.field == 6;
        assert nested(7).get().get() == 7 && new Sub().up().get() == 1;
        S<Lambdas> make = Lambdas::new; assert make.get() != make.get() && make.get().field == 3;
        G<Integer, int[]> arr = int[]::new; assert arr.g(3).length == 3; G<Integer, Integer> id = Integer::valueOf;
        assert id.g(5) == 5;
        G<int[], int[]> copy = int[]::clone; int[] in = {1}; assert copy.g(in) != in && copy.g(in)[0] == 1;
        Lambdas none = null; try { F f = none::m; assert false; } catch (NullPointerException e) { }
        try { len.g(null); assert false; } catch (NullPointerException e) { }
        Runnable r = () -> { throw new IllegalStateException(); };
        try { r.run(); assert false; } catch (IllegalStateException e) { }
    }
    int hash() { return field++; }
}
