class Switches {
    enum Color { RED, GREEN, BLUE }
    static int string(String s) { switch (s) { case "a": return 1; case "Aa": return 2; case "BB": return 3; case "": return 4; default: return 5; } }
    static int dense(int n) { int r = 0; switch (n) { case 1: r += 1; case 2: r += 2; break; case 3: r += 4; default: r += 8; case 4: r += 16; } return r; }
    static int sparse(int n) { return switch (n) { case Integer.MIN_VALUE -> 1; case -7, 12 -> 2; case 1000000 -> 3; case Integer.MAX_VALUE -> 4; default -> 0; }; }
    static int color(Color c) { return switch (c) { case RED -> 1; case GREEN -> { int x = c.ordinal(); yield x + 10; } case BLUE -> 3; }; }
    static int letter(char c) { switch (c) { case 'a': case 'e': return 1; case 'z': return 2; } return 3; }
    static int onStack(int n) { return 100 * n + switch (n) { case 1 -> 10; case 2 -> { try { yield Integer.MAX_VALUE / (n - 2); } catch (ArithmeticException e) { yield 20; } } default -> 30; } + n; }
    public static void main(String[] args) {
        assert string("a") == 1 && string("Aa") == 2 && string("BB") == 3 && string("") == 4 && string("b") == 5;
        assert dense(1) == 3 && dense(2) == 2 && dense(3) == 28 && dense(4) == 16 && dense(5) == 24;
        assert sparse(Integer.MIN_VALUE) == 1 && sparse(-7) == 2 && sparse(12) == 2 && sparse(1000000) == 3 && sparse(Integer.MAX_VALUE) == 4 && sparse(0) == 0;
        assert color(Color.RED) == 1 && color(Color.GREEN) == 11 && color(Color.BLUE) == 3;
        assert letter('a') == 1 && letter('e') == 1 && letter('z') == 2 && letter('y') == 3;
        assert onStack(1) == 111 && onStack(2) == 222 && onStack(3) == 333;
        try { color(null); assert false; } catch (NullPointerException e) { }
        try { string(null); assert false; } catch (NullPointerException e) { }
    }
}
