class Remainders {
    static int r(int a, int b) { return a % b; } static int q(int a, int b) { return a / b; }
    static long lr(long a, long b) { return a % b; } static double d(double a, double b) { return a % b; }
    static float f(float a, float b) { return a % b; }
    public static void main(String[] args) {
        assert r(7, 3) == 1 && r(-7, 3) == -1 && r(7, -3) == 1 && r(-7, -3) == -1 && q(-7, 3) == -2 && q(7, -3) == -2;
        assert q(Integer.MIN_VALUE, -1) == Integer.MIN_VALUE && r(Integer.MIN_VALUE, -1) == 0;
        assert lr(-7, 2) == -1 && lr(Long.MIN_VALUE, -1) == 0;
        assert d(5.5, 2) == 1.5 && d(-5.5, 2) == -1.5 && d(5.5, -2) == 1.5 && f(1e10f, 3) == 1f : f(1e10f, 3);
        assert d(1, 0) != d(1, 0) && d(3, Double.POSITIVE_INFINITY) == 3 && 1 / d(-4, 2) == Double.NEGATIVE_INFINITY;
        try { r(1, 0); assert false; } catch (ArithmeticException e) { }
        try { lr(1, 0); assert false; } catch (ArithmeticException e) { }
    }
}
