class FloatComparisons {
    static int order(double a, double b) { int r = 0; if (a < b) r |= 1; if (a <= b) r |= 2; if (a > b) r |= 4; if (a >= b) r |= 8; if (a == b) r |= 16; if (a != b) r |= 32; return r; }
    static int not(float a, float b) { int r = 0; if (!(a < b)) r |= 1; if (!(a <= b)) r |= 2; if (!(a > b)) r |= 4; if (!(a >= b)) r |= 8; return r; }
    static boolean stored(float a, float b) { boolean x = a < b, y = a >= b; return x || y; }
    public static void main(String[] args) {
        assert order(1, 2) == 35 && order(2, 1) == 44 && order(1, 1) == 26 && order(0.0, -0.0) == 26 && order(Double.NaN, 1) == 32 && order(Double.NaN, Double.NaN) == 32;
        assert not(1, 2) == 12 && not(2, 1) == 3 && not(1, 1) == 5 && not(Float.NaN, 1) == 15;
        assert stored(1, 2) && !stored(Float.NaN, 1);
        assert 0.1 + 0.2 != 0.3 && 0.1f + 0.2f == 0.3f && 1.0 / 0 == Double.POSITIVE_INFINITY && 1 / -0.0 < 0;
        double s = 0; for (int i = 0; i < 10; i++) s += 0.1; assert s < 1 && s > 0.99;
        assert (float) 0.1 + 0.2 > 0.3 && Double.MIN_VALUE / 2 == 0 && -(0.0) == 0.0;
    }
}
