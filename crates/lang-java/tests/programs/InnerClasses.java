class InnerClasses {
    int v = 1; private int secret = 40;
    class Inner { int v = 2; class Deep { int v = 3; int all() { return this.v + Inner.this.v * 10 + InnerClasses.this.v * 100 + secret; } } }
    static class Nested { private static int n = 5; private int get() { return n++; } }
    interface Op { int apply(int x); }
    Op adder(int by) { return new Op() { int calls; public int apply(int x) { return x + by + v + calls++; } }; }
    static Op local(int a, long b) { int c = a * 2; class Local implements Op { final int e; Local(int e) { this.e = e; } public int apply(int x) { return (int) (x + a + b + c + e); } } return new Local(1000); }
    abstract static class Base { Base() { init(); } abstract void init(); }
    static int captured(int n) { int[] out = new int[1]; new Base() { void init() { out[0] = n; } }; return out[0]; }
    public static void main(String[] args) {
        InnerClasses o = new InnerClasses();
        assert o.new Inner().new Deep().all() == 163;
        assert new Nested().get() == 5 && new Nested().get() == 6 && Nested.n == 7;
        Op a = o.adder(10); assert a.apply(1) == 12; o.v = 2; assert a.apply(1) == 14;
        assert local(1, 2L).apply(100) == 1105;
        assert captured(9) == 9;
        o.secret++; assert o.secret == 41;
    }
}
