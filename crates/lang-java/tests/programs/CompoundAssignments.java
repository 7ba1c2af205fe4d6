class CompoundAssignments {
    byte b = 100; short s; char c = 'a'; boolean t; static long l = 1; float f = 1; double d = 2; String x = "x";
    public static void main(String[] args) {
        CompoundAssignments o = new CompoundAssignments();
        o.b += 100; assert o.b == -56;
        o.b >>>= 1; assert o.b == -28;
        o.b++; assert o.b == -27;
        o.s -= 40000; assert o.s == 25536;
        o.c += 1; o.c++; assert o.c == 'c';
        o.t |= true; o.t ^= false; assert o.t; o.t &= false; assert !o.t;
        l <<= 40; l |= 1; assert l == 1099511627777L; l >>= 39; assert l == 2; l %= 2; assert l == 0;
        o.f /= 3; assert o.f == 1f / 3; o.d *= 2.5; assert o.d == 5.0;
        int i = 7; i += 0.9; assert i == 7; i *= 1.5; assert i == 10; i -= 'a'; assert i == -87;
        byte[] a = {1, 127}; a[1]++; assert a[1] == -128; a[0] -= 2; assert a[0] == -1; a[0] >>>= 4; assert a[0] == -1;
        char[] cs = {0}; cs[0]--; assert cs[0] == 65535; boolean[] bs = {false}; bs[0] |= i < 0; assert bs[0];
        short[] ss = {Short.MAX_VALUE}; ss[0] += ss[0]; assert ss[0] == -2;
        long[] ls = {5}; ls[0] *= ls[0] -= 2; assert ls[0] == 15;
        Integer boxed = 5; boxed++; boxed += 10; assert boxed == 16;
        int j = 5; j = -j - -j + ~j; assert j == -6;
    }
}
