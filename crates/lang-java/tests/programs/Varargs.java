class Varargs {
    static int sum(int... xs) { int s = 0; for (int x : xs) s += x; return s; }
    static int count(Object... os) { return os == null ? -1 : os.length; }
    static String pick(Object o) { return "object"; } static String pick(Object... o) { return "many"; }
    static String pick(long l) { return "long"; }
    @SafeVarargs static <T> T last(T... ts) { return ts[ts.length - 1]; }
    public static void main(String[] args) {
        assert sum() == 0 && sum(1) == 1 && sum(1, 2, 3) == 6 && sum(new int[] {4, 5}) == 9;
        assert count() == 0 && count((Object[]) null) == -1 && count((Object) null) == 1 && count(1, "a", null) == 3 && count(new int[3]) == 1 && count((Object[]) new String[2]) == 2;
        assert pick(1) == "long" && pick("a") == "object" && pick() == "many" && pick(1, 2) == "many";
        assert last("a", "b") == "b" && last(1, 2, 3) == 3;
    }
}
