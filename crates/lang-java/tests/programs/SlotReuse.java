/** JVM locals that hold values of several types one after the other, also where handlers see them. */
class SlotReuse {
    static int mixed(int n) {
        int result = 0;
        { long a = n; result += (int) (a * 2); }
        { String a = "abc"; result += a.length(); }
        { int a = 5; int b = 6; result += a * b; }
        { double a = 1.5; result += (int) (a * n); }
        { Object a = n > 1 ? "x" : null; result += a == null ? 100 : 200; }
        return result;
    }
    static int handlers(int n) {
        int result = 0;
        for (int i = 0; i < 3; i++) {
            try {
                if (i == 0) { long a = n; result += 10 / (int) (a - 1); }
                else if (i == 1) { String a = n > 2 ? null : "a"; result += a.length(); }
                else { int[] a = new int[n]; a[2]++; result += a[2]; }
            } catch (ArithmeticException e) {
                int a = 7;
                result += a;
            } catch (NullPointerException | ArrayIndexOutOfBoundsException e) {
                double a = 0.5;
                result += (int) (a * 200);
            } finally {
                byte a = (byte) result;
                result += a & 1;
            }
        }
        return result;
    }
    static long parameters(int a, long b, double c, boolean d) {
        a = d ? (int) b : a;
        b += a;
        c = c * b;
        d = !d;
        return d ? (long) c : b;
    }
    static Object join(int n) {
        Object o;
        if (n == 0) o = "s"; else if (n == 1) o = new int[] {n}; else o = n;
        Comparable<?> c = n == 0 ? "s" : n;
        return n > 5 ? c : o;
    }
    static int nullArrays(boolean b) {
        int[] ints = null;
        byte[] bytes = null;
        if (b) { ints = new int[2]; bytes = new byte[2]; }
        try { ints[1] = 3; bytes[1] = 4; return ints[1] + bytes[1] + bytes.length; } catch (NullPointerException e) { return -1; }
    }
    public static void main(String[] args) {
        assert mixed(1) == 136 && mixed(4) == 247 : mixed(4);
        assert handlers(1) == 110 : handlers(1);
        assert handlers(3) == 108 : handlers(3);
        assert parameters(1, 2, 3.0, true) == 4 && parameters(1, 2, 3.0, false) == 9;
        assert join(0) == "s" && ((int[]) join(1))[0] == 1 && join(3).equals(3) && join(9).equals(9);
        assert nullArrays(true) == 9 && nullArrays(false) == -1;
    }
}
