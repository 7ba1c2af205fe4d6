class LambdaConversions {
    interface ToLong { long f(int x); } interface Boxed { Integer f(Integer x); }
    interface ToObject { Object f(char c); } interface Wide { double f(byte b); } interface Gen<T, R> { R f(T t); }
    interface Pred<T> { boolean test(T t); } interface Void { void f(int x); }
    interface Two<A, B, C> { C f(A a, B b); } interface Chars { int f(char c); }
    static int id(int x) { return x; } static long lid(long x) { return x; }
    static Integer ib(Integer x) { return x + 1; } static boolean pos(int x) { return x > 0; }
    static char up(char c) { return (char) (c - 32); } static String str(Object o) { return (String) o; }
    static byte nb(int x) { return (byte) x; } static int cnt; static int inc(long by) { return cnt += by; }
    public static void main(String[] args) {
        ToLong a = LambdaConversions::id; assert a.f(-3) == -3L; ToLong b = LambdaConversions::lid;
        assert b.f(7) == 7; ToLong c = LambdaConversions::ib; assert c.f(1) == 2;
        Boxed d = LambdaConversions::id; assert d.f(5) == 5; ToObject e = LambdaConversions::up;
        assert (Character) e.f('q') == 'Q'; Wide w = LambdaConversions::id; assert w.f((byte) -2) == -2.0;
        Wide w2 = LambdaConversions::lid; assert w2.f((byte) 9) == 9.0;
        Gen<Integer, Integer> g = LambdaConversions::id; assert g.f(3) == 3;
        Gen<Integer, Long> h = LambdaConversions::lid; assert h.f(4) == 4L;
        Gen<Character, Integer> k = LambdaConversions::id; assert k.f('a') == 97;
        Gen<Short, Object> n = LambdaConversions::lid; assert (Long) n.f((short) 5) == 5;
        Pred<Integer> p = LambdaConversions::pos; assert p.test(1) && !p.test(-1);
        Gen<Integer, Boolean> pb = LambdaConversions::pos; assert pb.f(2);
        Gen<Integer, Byte> nb = LambdaConversions::nb; assert nb.f(200) == -56;
        Void v = LambdaConversions::inc; v.f(5); assert cnt == 5; Two<Integer, Integer, Integer> sum = Integer::sum;
        assert sum.f(2, 3) == 5; Two<String, String, Boolean> eq = String::equals; assert eq.f("a", "a");
        Chars ch = x -> x + 1; assert ch.f('a') == 98;
        Gen<Integer, Integer> nul = LambdaConversions::id;
        try { nul.f(null); assert false; } catch (NullPointerException x) { }
        Gen<Object, String> s = LambdaConversions::str; try { s.f(1); assert false; } catch (ClassCastException x) { }
        @SuppressWarnings({"unchecked", "rawtypes"}) Gen<Object, Object> raw = (Gen) (Gen<String, Integer>) String::length;
        try { raw.f(5); assert false; } catch (ClassCastException x) { } assert (Integer) raw.f("ab") == 2;
        Two<Gen<Integer, Integer>, Integer, Integer> call = Gen::f; assert call.f(x -> x * x, 4) == 16;
    }
}
