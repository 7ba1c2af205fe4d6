class Records {
    record Point(int x, int y) { static int made; Point { if (x < 0) throw new IllegalArgumentException(); made++; } Point() { this(1, 2); } int sum() { return x + y; } }
    record All(boolean z, byte b, short s, char c, int i, long l, float f, double d, String t, int[] a) { }
    record Empty() { } record Gen<T>(T v, Gen<T> next) { public String toString() { return "gen"; } }
    public static void main(String[] args) {
        Point p = new Point(3, 4), q = new Point(3, 4);
        assert p.equals(q) && p != q && p.hashCode() == q.hashCode() && p.hashCode() == 97 && !p.equals(new Point(3, 5)) && !p.equals(null) && !p.equals("x") && p.sum() == 7 && new Point().x() == 1 && Point.made == 4;
        assert p.toString().equals("Point[x=3, y=4]") && new Empty().toString().equals("Empty[]") && new Empty().hashCode() == 0 && new Empty().equals(new Empty());
        int[] a = {};
        All m = new All(true, (byte) 1, (short) 2, 'c', 3, 1L << 33, 0f, 2.5, "t", a), n = new All(true, (byte) 1, (short) 2, 'c', 3, 1L << 33, -0f, 2.5, "t", a);
        assert !m.equals(n) && m.equals(m);
        All o = new All(false, (byte) 1, (short) 2, 'c', 3, 4, Float.NaN, Double.NaN, null, null), r = new All(false, (byte) 1, (short) 2, 'c', 3, 4, Float.NaN, Double.NaN, null, null);
        assert o.equals(r) && o.hashCode() == r.hashCode();
        int h = 0;
        for (int c : new int[] {Boolean.hashCode(false), 1, 2, 'c', 3, 4, Float.hashCode(Float.NaN), Double.hashCode(Double.NaN), 0, 0}) h = 31 * h + c;
        assert o.hashCode() == h;
        assert o.toString().equals("All[z=false, b=1, s=2, c=c, i=3, l=4, f=NaN, d=NaN, t=null, a=null]");
        record Local(String s, Object o) { }
        assert new Local("a", p).toString().equals("Local[s=a, o=Point[x=3, y=4]]");
        assert new Gen<>("a", null).equals(new Gen<>("a", null)) && !new Gen<>("a", null).equals(new Gen<>(null, null)) && new Gen<>(1, new Gen<>(2, null)).hashCode() == 31 * 1 + new Gen<>(2, null).hashCode() && new Gen<>(1, null).toString().equals("gen");
        try { new Point(-1, 0); assert false; } catch (IllegalArgumentException e) { }
    }
}
