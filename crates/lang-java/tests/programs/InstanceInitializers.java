class InstanceInitializers {
    static int log; int a = next(1); { a += next(2); b = 9; } int b; int c = b;
    static int next(int d) { log = log * 10 + d; return d; }
    InstanceInitializers() { this(next(3)); a *= 2; } InstanceInitializers(int x) { a += x; }
    static class Base { int seen; Base() { seen = value(); } int value() { return 1; } }
    static class Derived extends Base { int v = 5; final int w = 6; Derived() { super(); seen += v; } int value() { return v * 10 + w; } }
    public static void main(String[] args) {
        InstanceInitializers o = new InstanceInitializers();
        assert log == 312 && o.a == 12 && o.b == 9 && o.c == 9 : log;
        assert new Derived().seen == 11;
    }
}
