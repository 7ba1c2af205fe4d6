class Finally {
    static int log;
    static int simple(int n) { try { if (n == 0) throw new RuntimeException(); return n; } catch (RuntimeException e) { return -1; } finally { log = log * 10 + 1; } }
    @SuppressWarnings("finally") static int overrides(int n) { try { return 1 / n; } finally { return 7; } }
    static int saved() { int x = 1; try { return x; } finally { x = 2; log = x; } }
    @SuppressWarnings("finally") static int leaves() { int i = 0; while (true) { try { i++; if (i < 5) continue; throw new Error(); } finally { if (i == 5) break; log += i; } } return i; }
    static int nested(int n) {
        int r = 0;
        try {
            try { r += 1; if (n == 1) throw new IllegalArgumentException(); if (n == 2) throw new Error(); r += 2; }
            catch (IllegalArgumentException e) { r += 4; if (n == 1) throw new IllegalStateException(); }
            finally { r += 8; }
        } catch (IllegalStateException e) { r += 16; }
        catch (Throwable t) { r += 32; }
        finally { r += 64; }
        return r;
    }
    static class Resource implements AutoCloseable { final int id; Resource(int id) { this.id = id; log = log * 10 + id; } public void close() { log = log * 10 + id + 4; } }
    static int resources(boolean fail) { try (Resource a = new Resource(1); Resource b = new Resource(2)) { if (fail) throw new RuntimeException(); return a.id + b.id; } catch (RuntimeException e) { return -1; } }
    public static void main(String[] args) {
        assert simple(4) == 4 && simple(0) == -1 && log == 11;
        assert overrides(0) == 7 && overrides(1) == 7;
        assert saved() == 1 && log == 2;
        log = 0; assert leaves() == 5 && log == 10;
        assert nested(0) == 75 && nested(1) == 93 && nested(2) == 105;
        log = 0; assert resources(false) == 3 && log == 1265;
        log = 0; assert resources(true) == -1 && log == 1265;
    }
}
