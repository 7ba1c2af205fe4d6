/** Handlers and loops in each other, and exceptions out of handlers. */
class TryShapes {
    static String log = "";
    static void log(String s) { log = log.concat(s); }
    static int loops() {
        int n = 0;
        outer:
        for (int i = 0; ; i++) {
            try {
                while (true) {
                    try {
                        n++;
                        if (n % 3 == 0) continue outer;
                        if (n > 10) break outer;
                        if (n % 5 == 0) throw new IllegalStateException();
                    } finally {
                        n += 1;
                    }
                }
            } catch (IllegalStateException e) {
                n += 100;
            }
        }
        return n;
    }
    static void chained(int n) throws Exception {
        try {
            try { log("a"); if (n == 0) throw new Exception("0"); log("b"); }
            finally { log("f"); if (n == 1) throw new RuntimeException("1"); }
        } catch (RuntimeException e) { log("r"); throw new Exception(e); }
        finally { log("g"); }
    }
    static int inHandler(int[] a) {
        try { return a[3]; }
        catch (RuntimeException e) {
            try { return a.length; }
            catch (NullPointerException inner) { return e == inner ? -1 : -2; }
        }
    }
    static class Closing implements AutoCloseable {
        public void close() throws Exception { log("c"); throw new Exception("close"); }
    }
    static String suppressed(boolean fail) {
        try (Closing c = new Closing()) {
            if (fail) throw new IllegalArgumentException("body");
            return "none";
        } catch (Exception e) {
            return e.getMessage().concat(String.valueOf(e.getSuppressed().length));
        }
    }
    static <T extends Exception> void sneaky(Exception e) throws T { @SuppressWarnings("unchecked") T t = (T) e; throw t; }
    public static void main(String[] args) throws Exception {
        assert loops() > 100 : loops();
        chained(2);
        assert log.equals("abfg");
        log = "";
        try { chained(0); assert false; } catch (Exception e) { assert e.getMessage().equals("0") && log.equals("afg"); }
        log = "";
        try { chained(1); assert false; } catch (Exception e) { assert e.getCause().getMessage().equals("1") && log.equals("abfrg"); }
        assert inHandler(new int[5]) == 0 && inHandler(new int[2]) == 2 && inHandler(null) == -2;
        assert suppressed(true).equals("body1") && suppressed(false).equals("close0");
        try { TryShapes.<RuntimeException>sneaky(new Exception("s")); assert false; } catch (Exception e) { assert e.getMessage().equals("s"); }
    }
}
