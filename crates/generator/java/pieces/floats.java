//# casts
static void show(double d) {
    System.out.println((byte) d);
    System.out.println((short) d);
    System.out.println((int) (char) d);
    System.out.println((int) d);
    System.out.println((long) d);
    System.out.println(Float.floatToIntBits((float) d));
    float f = (float) d;
    System.out.println((byte) f);
    System.out.println((int) f);
    System.out.println((long) f);
    System.out.println(Double.doubleToLongBits(f));
}
static void run() {
    double[] values = {@{lit double}, @{lit double}, @{lit float}, Double.NaN, @{long}, 1e19, -1e19, 255.99};
    for (double value : values) {
        show(value);
    }
    long big = @{lit long};
    System.out.println((long) (double) big);
    System.out.println((long) (float) big);
    System.out.println((int) (float) (int) big);
    System.out.println((float) big == (double) big);
}
//# comparisons
static int order(double a, double b) {
    return (a < b ? 1 : 0) + (a <= b ? 2 : 0) + (a > b ? 4 : 0) + (a >= b ? 8 : 0) + (a == b ? 16 : 0) + (a != b ? 32 : 0)
        + (!(a < b) ? 64 : 0) + (!(a >= b) ? 128 : 0);
}
static int order(float a, float b) {
    int order = 0;
    if (a < b) order |= 1;
    if (a <= b) order |= 2;
    if (a > b) order |= 4;
    if (a >= b) order |= 8;
    if (a == b) order |= 16;
    if (a != b) order |= 32;
    if (!(a < b)) order |= 64;
    if (!(a >= b)) order |= 128;
    while (a > b) {
        a = b;
        order += 1000;
    }
    return order;
}
static void run() {
    double[] values = {0.0, -0.0, Double.NaN, @{lit double}, @{lit float}, Double.NEGATIVE_INFINITY, Double.MIN_VALUE};
    for (double a : values) {
        for (double b : values) {
            System.out.println(order(a, b) + order((float) a, (float) b) * 1000);
            System.out.println(Double.compare(a, b) * 2 + Float.compare((float) a, (float) b) * 10 + (Double.valueOf(a).equals(b) ? 100 : 0));
        }
    }
    System.out.println(Double.doubleToLongBits(Math.min(0.0, values[1])));
    System.out.println(Double.doubleToLongBits(Math.max(values[1], 0.0)));
    System.out.println(Math.min(@{lit double}, Double.NaN) != Math.max(Double.NaN, @{lit double}));
    System.out.println(1 / values[0] == 1 / values[1]);
}
//# arithmetic
static double[] values = {@{lit double}, @{double}, @{lit float}, -0.0, 5.5, -5.5, 3, Double.NaN, Double.POSITIVE_INFINITY};
static void run() {
    long hash = 0;
    for (double a : values) {
        for (double b : values) {
            hash = hash * 31 + Double.doubleToLongBits(a + b);
            hash = hash * 31 + Double.doubleToLongBits(a - b);
            hash = hash * 31 + Double.doubleToLongBits(a * b);
            hash = hash * 31 + Double.doubleToLongBits(a / b);
            hash = hash * 31 + Double.doubleToLongBits(a % b);
            float f = (float) a, g = (float) b;
            hash = hash * 31 + Float.floatToIntBits(f + g) + Float.floatToIntBits(f - g);
            hash = hash * 31 + Float.floatToIntBits(f * g) + Float.floatToIntBits(f / g);
            hash = hash * 31 + Float.floatToIntBits(f % g) + Float.floatToIntBits(-f);
        }
        System.out.println(hash);
        @{some System.out.println(Math.round(a)); ;; System.out.println(Math.round((float) a)); ;; System.out.println((long) Math.floor(a));
        ;; System.out.println((long) Math.ceil(a)); ;; System.out.println((long) Math.rint(a)); ;; System.out.println((long) Math.sqrt(a));
        ;; System.out.println(Double.isNaN(Math.sqrt(-a))); ;; System.out.println(Double.doubleToLongBits(Math.abs(a)));
        ;; System.out.println(Double.hashCode(a)); ;; System.out.println(Double.isFinite(a)); ;; System.out.println(Math.getExponent(a));}
    }
    double third = 0.1 + 0.2;
    System.out.println(third == 0.3);
    System.out.println(0.1f + 0.2f == 0.3f);
    System.out.println((float) 0.1 == 0.1);
    System.out.println(0.5f == 0.5);
    System.out.println((int) (third * 10));
    int i = @{lit int};
    i += 3.7;
    System.out.println(i);
    i *= 0.5f;
    System.out.println(i);
    byte b = @{lit byte};
    b += 3.7;
    b -= 1e10;
    System.out.println(b);
    char c = 'x';
    c *= 1.5;
    System.out.println((int) c);
    long l = @{lit long};
    l += 0.5f;
    System.out.println(l);
    l /= 1e3;
    System.out.println(l);
    double d = i++;
    d++;
    --d;
    float f = 16777216f;
    f++;
    System.out.println((long) d + (long) f);
}
//# text
static void run() {
    @{some System.out.println(1.0); ;; System.out.println(-0.0); ;; System.out.println(0.5f); ;; System.out.println(100.0f / 8);
    ;; System.out.println(1e7); ;; System.out.println(9999999.0); ;; System.out.println(1e-3); ;; System.out.println(0.25e-3);
    ;; System.out.println(1e10f); ;; System.out.println(Float.MAX_VALUE); ;; System.out.println(Double.MAX_VALUE);
    ;; System.out.println(0.0 / 0.0); ;; System.out.println(-1 / 0.0); ;; System.out.println(1.0f / 0); ;; System.out.println((double) 0.1f);
    ;; System.out.println(0.1 + 0.2); ;; System.out.println(1.0 / 3); ;; System.out.println(1.0f / 3); ;; System.out.println(123456789.0f);
    ;; System.out.println((double) Long.MAX_VALUE); ;; System.out.println((float) Integer.MAX_VALUE); ;; System.out.println(3.0e5 + "" + 2.5f);}
    String[] texts = {"1.5", "-0", "1e3", "NaN", "  7 ", "0x1p3", "Infinity", "x", "", "1,5", "3f", "1e400", "4.9e-325"};
    for (String text : texts) {
        try {
            double d = Double.parseDouble(text);
            System.out.println(d);
            System.out.println(Float.parseFloat(text));
        } catch (NumberFormatException e) {
            Main.report(e);
        }
    }
    System.out.println(Double.toString(@{in 1 99} / 4.0).length());
    System.out.println(Double.valueOf("2.50").equals(2.5));
}
