class Enums {
    enum Op { ADD("+") { int apply(int a, int b) { return a + b; } }, SUB("-") { int apply(int a, int b) { return a - b; } boolean commutes() { return false; } };
        final String sign; static int made; static { made = values().length; }
        Op(String sign) { this.sign = sign; }
        abstract int apply(int a, int b); boolean commutes() { return true; } }
    enum Planet { A(1), B(2); final int m; static final Planet BIG = B; Planet(int m) { this.m = m; } Planet next() { return values()[(ordinal() + 1) % values().length]; } }
    public static void main(String[] args) {
        assert Op.ADD.apply(2, 3) == 5 && Op.SUB.apply(2, 3) == -1 && Op.made == 2;
        assert Op.ADD.commutes() && !Op.SUB.commutes() && Op.SUB.sign.equals("-");
        assert Op.valueOf("ADD") == Op.ADD && Op.SUB.ordinal() == 1 && Op.SUB.name().equals("SUB") && Op.ADD.compareTo(Op.SUB) < 0;
        assert Op.values() != Op.values() && Op.values()[1] == Op.SUB;
        assert Planet.BIG.m == 2 && Planet.B.next() == Planet.A && Planet.A.toString().equals("A");
        assert Op.ADD.getDeclaringClass() == Op.class && Op.ADD.getClass() != Op.class;
        try { Planet.valueOf("C"); assert false; } catch (IllegalArgumentException e) { }
    }
}
