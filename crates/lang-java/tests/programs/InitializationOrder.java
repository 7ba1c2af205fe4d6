class InitializationOrder {
    static String log = "";
    static int log(String s) { log = log.concat(s); return 1; }
    interface I { int X = log("I"); default void m() { } }
    interface J { int X = log("J"); }
    static class A { static int x = log("A"); static final int CONST = 5; static int f() { return 1; } }
    static class B extends A implements I, J { static int y = log("B"); static void touch() { } }
    static class C { static C self = new C(); static int n = 7; int seen = n; }
    static class D { static int a = E.b + 1; } static class E { static int b = D.a + 1; }
    static class F { static { log("F"); } static final Object o = null; static final int late; static { late = 3; } }
    static class G extends B { static { log("G"); } }
    public static void main(String[] args) {
        int c = A.CONST; assert log.equals("");
        A[] none = new A[2]; assert log.equals("");
        B.f(); assert log.equals("A") : log;
        B.touch(); assert log.equals("AIB") : log;
        int x = J.X; assert log.equals("AIBJ");
        assert C.self.seen == 0 && new C().seen == 7;
        assert D.a == 2 && E.b == 1;
        assert F.o == null && F.late == 3; log = "";
        new G(); new G(); assert log.equals("G");
    }
}
