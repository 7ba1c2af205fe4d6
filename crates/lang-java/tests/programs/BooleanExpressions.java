class BooleanExpressions {
    static int count; static boolean t(boolean b) { count++; return b; }
    static boolean many(int a, int b) { return a > 0 && b > 0 || a < 0 && !(b < 0 ^ a == -1) || a == b; }
    static boolean stored(int a) { boolean p = a > 3, q = !p; q = p ? a < 10 : q; return p == q; }
    static boolean asBits(boolean a, boolean b) { return a & b | !a & !b; }
    public static void main(String[] args) {
        boolean x = t(true) || t(true); assert x && count == 1;
        x = t(false) && t(true); assert !x && count == 2;
        x = t(true) | t(false) & t(true) ^ t(true); assert x && count == 6;
        assert many(1, 1) && many(-1, -1) && !many(-1, 1) && many(-2, 1) && !many(-2, -1) && many(0, 0) && !many(1, 0);
        assert stored(5) && !stored(1) && !stored(11) : "stored";
        assert asBits(true, true) && asBits(false, false) && !asBits(true, false);
        boolean[] f = {true, false}; f[1] = !f[0] == f[1]; assert f[1];
        int i = (x ? 1 : 0) + (x == true ? 2 : 0) + (!x ? 4 : 0); assert i == 3;
        assert (args == null || args.length == 0) != false;
        boolean w; int n = 0; while (w = n < 3) n++; assert !w && n == 3;
    }
}
