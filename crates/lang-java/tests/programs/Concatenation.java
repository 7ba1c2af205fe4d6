class Concatenation {
    record P(int x) { } static class N { public String toString() { return null; } }
    static String all(boolean z, byte b, short s, char c, int i, long l, float f, double d, String t, Object o) { return "[" + z + b + ',' + s + c + i + ' ' + l + " " + f + "/" + d + t + o + "]"; }
    public static void main(String[] args) {
        assert all(true, (byte) -1, (short) 300, 'x', -5, 1L << 40, 1.5f, -0.25, null, 7).equals("[true-1,300x-5 1099511627776 1.5/-0.25null7]");
        String n = null; Object o = null;
        assert (n + n).equals("nullnull") && (n + o + 'c').equals("nullnullc") && ("" + new N()).equals("null");
        char c = 'a';
        assert (c + 1 + "b").equals("98b") && ("b" + c + 1).equals("ba1") && ("b" + (c + 1)).equals("b98") && ("" + (char) (c + 1)).equals("b");
        String s = "a"; s += 1; s += 'c'; s += 2L; s += true; s += null; assert s.equals("a1c2truenull");
        String u = "\u20ac";
        assert (u + 1 + "x").length() == 3 && (u + "ä").charAt(1) == 'ä' && ("ä" + u).charAt(0) == 'ä' && ("a" + u).substring(0, 1).equals("a");
        String e = ""; assert (e + e) .isEmpty() && (e + "x") != "x" && (e + "x").equals("x");
        String[] a = {"x"}; int i = 0; a[i++] += i; assert a[0].equals("x1");
        String one = "\1\2" + i + "\2"; assert one.length() == 4 && one.charAt(0) == 1 && one.charAt(3) == 2;
        assert ("" + Integer.MIN_VALUE + Long.MIN_VALUE).equals("-2147483648-9223372036854775808");
        final String k = "k" + 1; assert k == "k1";
    }
}
