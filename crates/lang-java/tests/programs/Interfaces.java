class Interfaces {
    interface A { default String who() { return "A"; } static int twice(int x) { return x * 2; } int K = twice(21); }
    interface B extends A { default String who() { return "B" + A.super.who(); } private int hidden() { return 5; } default int seen() { return hidden(); } }
    interface C extends A { }
    static class D implements C, B { }
    static class E extends D { public String who() { return "E" + super.who(); } }
    static abstract class F implements A { public abstract String who(); }
    static class G extends F { public String who() { return "G"; } }
    static class H { public String who() { return "H"; } }
    static class I extends H implements A { }
    static class J implements B, C { public String who() { return B.super.who() + "J"; } }
    public static void main(String[] args) {
        A d = new D(); assert d.who().equals("BA");
        assert new E().who().equals("EBA") && new G().who().equals("G") && new I().who().equals("H") && new J().who().equals("BAJ");
        assert A.K == 42 && D.K == 42 && A.twice(4) == 8 && new D().seen() == 5;
        A i = new I(); assert i.who().equals("H");
        assert d instanceof B && d instanceof C && !(i instanceof B);
    }
}
