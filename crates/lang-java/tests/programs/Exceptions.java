class Exceptions {
    static class Mine extends Exception { final int code; Mine(int code, Throwable cause) { super(cause); this.code = code; } }
    static int kind(int n) {
        try {
            switch (n) { case 0: Object o = null; o.hashCode(); case 1: int[] z = new int[1]; return z[n]; case 2: Object s = "x"; return ((Integer) s).intValue(); case 3: return 1 / (n - 3); case 4: throw new Mine(9, null); case 5: throw null; case 6: return new int[2 - n].length; }
        } catch (NullPointerException | ClassCastException e) { return e instanceof NullPointerException ? 100 : 200; }
        catch (ArithmeticException e) { return 300; }
        catch (Mine e) { return e.code; }
        catch (RuntimeException e) { return e instanceof NegativeArraySizeException ? 400 : 500; }
        return 600;
    }
    static void rethrow(int n) throws Mine { try { if (n > 0) throw new IllegalStateException("inner"); } catch (IllegalStateException e) { throw new Mine(n, e); } }
    static int depth(int n) { if (n == 0) throw new RuntimeException(); try { return depth(n - 1); } finally { count++; } }
    static int count;
    public static void main(String[] args) {
        assert kind(0) == 100 && kind(2) == 200 && kind(3) == 300 && kind(4) == 9 && kind(5) == 100 && kind(6) == 400 && kind(7) == 600;
        assert kind(1) == 500;
        try { rethrow(3); assert false; } catch (Mine e) { assert e.code == 3 && e.getCause() instanceof IllegalStateException && e.getCause().getMessage().equals("inner"); }
        try { depth(5); assert false; } catch (RuntimeException e) { assert count == 5; }
    }
}
