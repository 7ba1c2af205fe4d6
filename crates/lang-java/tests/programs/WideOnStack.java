/** Values of two words among those of one on the operand stack. */
class WideOnStack {
    long l; double d; static long calls;
    static long next() { return ++calls; }
    static long many(int a, long b, float c, double e, long f) { return (long) (a + b * 10 + c * 100 + e * 1000 + f * 10000); }
    long[] array(long[] a) { l++; return a; }
    public static void main(String[] args) {
        boolean t = args == null;
        assert many(1, t ? 2L : 3L, t ? 3f : 4f, t ? 4.0 : 5.0, t ? next() + 4 : 0) == 54321;
        WideOnStack w = new WideOnStack();
        long x = w.l = w.array(new long[] {5})[0] += t ? 2 : 3;
        assert x == 7 && w.l == 7;
        double y = w.d++ + (w.d *= 3) - -w.d;
        assert y == 6.0 && w.d == 3.0;
        long[][] m = {{1, 2}, {3, 4}};
        assert m[t ? 1 : 0][(int) (x - 6)]++ + ++m[1][1] == 10 && m[1][1] == 6;
        assert (x > 3 ? x < 10 ? 1L : 2L : 3L) + (y > 7 ? 10.0 : 20.0) == 21.0;
        long a = 1, b = 2;
        a = b + (b = a);
        assert a == 3 && b == 1;
        calls = 0;
        long[] c = new long[4];
        c[(int) next()] = c[(int) next()] = next() * 10;
        assert c[1] == 30 && c[2] == 30;
        Long boxed = 5L;
        long old = boxed++;
        assert old == 5 && boxed == 6;
        assert Long.compare(x, -x) == 1 && (x == 7 ? -1L : 1L) < 0 == t;
    }
}
