class ConditionalArguments {
    final int a; final ConditionalArguments next;
    ConditionalArguments(int a, ConditionalArguments next) { this.a = a; this.next = next; }
    static ConditionalArguments make(int n, boolean b) {
        return new ConditionalArguments(b ? n : -n, n > 0 ? new ConditionalArguments(n - 1 > 0 ? 1 : 2, null) : null);
    }
    static class Sub extends ConditionalArguments {
        Sub(boolean b) { super(b ? 1 : 2, b ? null : make(1, b && !b)); }
    }
    public static void main(String[] args) {
        ConditionalArguments c = make(1, true); assert c.a == 1 && c.next.a == 2 && c.next.next == null;
        c = make(2, false); assert c.a == -2 && c.next.a == 1;
        c = make(0, false); assert c.a == 0 && c.next == null;
        assert new Sub(true).a == 1 && new Sub(false).next.a == -1;
    }
}
