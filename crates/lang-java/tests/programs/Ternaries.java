class Ternaries {
    static int pick(boolean b, int x) { return x * 2 + (b ? x : -x) + (x > 3 ? b ? 1 : 2 : 3); }
    static long wide(boolean b, long x) { return x + (b ? 1L : x > 0 ? 2L : 3L) * x; }
    static String text(Object o) { return o == null ? "none" : o instanceof String s ? s : "other"; }
    static int sum(int a, int b, int c) { return a + b * 10 + c * 100; }
    static boolean both(boolean a, boolean b) { return a ? b : !b; }
    static Object box(boolean b) { return b ? 1 : 2.0; }
    static char letter(boolean b) { return b ? 'x' : 'y'; }
    public static void main(String[] args) {
        assert pick(true, 1) == 6 && pick(false, 1) == 4 && pick(true, 5) == 16 && pick(false, 5) == 7;
        assert wide(true, 3) == 6 && wide(false, 3) == 9 && wide(false, -3) == -12;
        assert text(null) == "none" && text("a") == "a" && text(new int[0]) == "other";
        int n = 4;
        assert sum(n > 3 ? 1 : 2, n > 5 ? 1 : 2, n == 4 ? n++ : n--) == 421 && n == 5;
        assert both(true, true) && !both(true, false) && both(false, false) && !both(false, true);
        assert letter(true) == 'x' && letter(false) == 'y';
        int[] a = {1, 2};
        a[n > 0 ? 0 : 1] = n < 0 ? 7 : 8; assert a[0] == 8;
        assert box(true) instanceof Double d && d == 1.0;
        int deep = n > 100 ? 1 : n > 50 ? 2 : n > 25 ? 3 : n > 12 ? 4 : n > 6 ? 5 : 6; assert deep == 6;
    }
}
