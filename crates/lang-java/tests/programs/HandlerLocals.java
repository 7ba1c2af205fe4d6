class HandlerLocals {
    static int work(int n) {
        int state = 0; String name = "a"; Object o = name;
        try {
            state = 1;
            if (n == 1) throw new IllegalStateException();
            state = 2; o = null;
            int[] a = new int[n]; a[2] = 1;
            state = 3; name = null;
            state = name.length();
        } catch (IllegalStateException e) { return 10 + state + (o == name ? 100 : 0);
        } catch (ArrayIndexOutOfBoundsException e) { return 20 + state + (o == null ? 100 : 0);
        } catch (NullPointerException e) { return 30 + state; }
        return -1;
    }
    static int loop() {
        int done = 0, failed = 0;
        for (int i = 0; i < 6; i++) {
            int before = done;
            try { done++; if (i % 2 == 0) throw new RuntimeException(); done++; }
            catch (RuntimeException e) { failed += done - before; }
        }
        return done * 10 + failed;
    }
    static int scopes(boolean b) {
        try { int x = 5; if (b) throw new Error(); x++; } catch (Error e) { long x = 7; return (int) x; }
        { String x = "abc"; return x.length(); }
    }
    static int reassigned(int n) {
        try { n = n * 2; n = n / (n - 4); } catch (ArithmeticException e) { return n; }
        return -n;
    }
    public static void main(String[] args) {
        assert work(1) == 111 && work(2) == 122 && work(3) == 33;
        assert loop() == 93 : loop();
        assert scopes(true) == 7 && scopes(false) == 3;
        assert reassigned(2) == 4 && reassigned(3) == -3;
    }
}
