class InstanceOfPatterns {
    static int area(Object o) { if (o instanceof Integer i && i > 3) return i; if (!(o instanceof String s)) return -1; return s.length(); }
    sealed interface Shape permits Sq, Ci { } record Sq(int s) implements Shape { }
    record Ci(int r) implements Shape { }
    static int size(Shape s) { return s instanceof Sq q ? q.s() * q.s : s instanceof Ci c ? 3 * c.r * c.r : 0; }
    public static void main(String[] args) {
        assert area(5) == 5 && area(2) == -1 && area("abc") == 3 && area(null) == -1;
        assert size(new Sq(3)) == 9 && size(new Ci(2)) == 12;
    }
}
