class Monitors {
    static int n; synchronized int add() { return ++n; } static synchronized int sub() { return --n; }
    static int block(Object o) { synchronized (o) { if (n > 5) throw new IllegalStateException(); synchronized (o) { n += 10; return n; } } }
    public static void main(String[] args) {
        Monitors m = new Monitors(); assert m.add() == 1 && sub() == 0 && block(m) == 10;
        try { block(m); assert false; } catch (IllegalStateException e) { }
        try { block(null); assert false; } catch (NullPointerException e) { }
    }
}
