class PatternSwitches {
    sealed interface S permits A, B { } record A(int x) implements S { } record B(S in, String t) implements S { }
    enum C { R, G }
    static int kind(Object o) { return switch (o) { case null -> 0; case Integer i when i > 10 -> 1; case Integer i -> 2; case String s when s.isEmpty() -> 3; case String s -> s.length() + 10; case int[] a -> a.length; case C c when c == C.G -> 40; case C c -> 41; default -> 9; }; }
    static int deep(S s) { return switch (s) { case A(int x) when x < 0 -> -1; case A(var x) -> x; case B(A(int x), String t) -> x * 100 + t.length(); case B(B b, var t) -> 5000; case B(var n, var t) -> 77; }; }
    static int number(Integer i) { return switch (i) { case 1 -> 10; case Integer j when j > 50 -> 50; case 2 -> 20; case Integer j -> 0; }; }
    static int text(String s) { return switch (s) { case "a" -> 1; case String t when t.length() > 3 -> 2; case "b" -> 3; case String t -> 4; }; }
    static int color(C c) { return switch (c) { case null -> -1; case R -> 1; case C x when x == C.G -> 2; case C x -> 3; }; }
    public static void main(String[] args) {
        assert kind(null) == 0 && kind(11) == 1 && kind(3) == 2 && kind("") == 3 && kind("ab") == 12 && kind(new int[4]) == 4 && kind(C.G) == 40 && kind(C.R) == 41 && kind('c') == 9;
        assert deep(new A(-4)) == -1 && deep(new A(4)) == 4 && deep(new B(new A(3), "xy")) == 302 && deep(new B(new B(null, ""), null)) == 5000 && deep(new B(null, "")) == 77;
        assert number(1) == 10 && number(2) == 20 && number(60) == 50 && number(7) == 0 && text("a") == 1 && text("b") == 3 && text("long") == 2 && text("c") == 4;
        assert color(null) == -1 && color(C.R) == 1 && color(C.G) == 2;
        try { number(null); assert false; } catch (NullPointerException e) { }
    }
}
