class Casts {
    static int i(double d) { return (int) d; } static long l(double d) { return (long) d; }
    static int fi(float f) { return (int) f; } static byte b(double d) { return (byte) d; }
    static char c(double d) { return (char) d; }
    static float f(long l) { return l; } static double d(long l) { return l; }
    static float narrow(double d) { return (float) d; }
    public static void main(String[] args) {
        assert i(1e20) == Integer.MAX_VALUE && i(-1e20) == Integer.MIN_VALUE && i(Double.NaN) == 0 && i(-2.9) == -2 && i(2.9) == 2;
        assert l(1e30) == Long.MAX_VALUE && l(Double.NEGATIVE_INFINITY) == Long.MIN_VALUE && fi(Float.NaN) == 0 && fi(1e10f) == Integer.MAX_VALUE;
        assert b(300.7) == 44 && b(1e20) == -1 && c(-1) == 65535 && c(65.9) == 'A';
        assert (byte) 200 == -56 && (short) 70000 == 4464 && (char) -1 == 65535 && (int) (char) (byte) -1 == 65535;
        assert f(Long.MAX_VALUE) == 9.223372E18f && d(Long.MAX_VALUE) == 9.223372036854775807E18 && f(16777217) == 16777216f && narrow(1e40) == Float.POSITIVE_INFINITY && narrow(0.1) != 0.1;
    }
}
