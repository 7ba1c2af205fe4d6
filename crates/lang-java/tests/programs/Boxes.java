class Boxes {
    static Object o(Object x) { return x; } static long wide(Long l) { return l + 1; }
    public static void main(String[] args) {
        Integer a = 127, b = 127, c = 128, d = 128; assert a == b && c != d && c.equals(d) && a < c; Long l = 5L;
        assert l.equals(5L) && !l.equals(5) && wide(l) == 6; Character ch = 'x'; assert ch == 'x' && ch + 1 == 121;
        Boolean t = true; assert t && Boolean.TRUE == t; Double n = Double.NaN;
        assert n.equals(Double.NaN) && n != (double) n;
        assert o(1) instanceof Integer && o('c') instanceof Character && o(1L).hashCode() == 1 && o(1 > 0) == Boolean.TRUE;
        Integer z = null; try { int x = z; assert false; } catch (NullPointerException e) { }
        Object x = true ? 1 : "s"; assert x.equals(1); int sum = 0;
        for (Integer i : new Integer[] {1, 2, 3}) sum += i; assert sum == 6; Byte by = (byte) 3; short s = by;
        assert s == 3;
        assert Integer.compare(3, 2) > 0 && Integer.bitCount(255) == 8 && Long.numberOfTrailingZeros(8) == 3 && Integer.toHexString(-1).equals("ffffffff") && Math.max(-0.0, 0.0) == 0 && Math.floorMod(-1, 3) == 2;
    }
}
