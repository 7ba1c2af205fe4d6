class Bridges {
    static abstract class Shape { abstract Shape copy(); Object id() { return 1; } }
    static class Round extends Shape { int r; Round copy() { Round c = new Round(); c.r = r; return c; } Integer id() { return r; } }
    interface Compare<T> { int compare(T a, T b); default Compare<T> reversed() { return (a, b) -> compare(b, a); } }
    static class Ints implements Compare<Integer> { public int compare(Integer a, Integer b) { return a < b ? -1 : a > b ? 1 : 0; } }
    static class Box<T extends Comparable<T>> { T v; Box(T v) { this.v = v; } boolean above(Box<? extends T> o) { return v.compareTo(o.v) > 0; } <U> U or(U u) { return u; } }
    static class Node<T> { T v; Node<T> next; Node(T v, Node<T> next) { this.v = v; this.next = next; } }
    static <T> int size(Node<T> n) { return n == null ? 0 : 1 + size(n.next); }
    static <T extends Comparable<? super T>> T max(T a, T b) { return a.compareTo(b) >= 0 ? a : b; }
    static class Money implements Comparable<Money> { final int m; Money(int m) { this.m = m; } public int compareTo(Money o) { return m - o.m; } }
    public static void main(String[] args) {
        Round r = new Round(); r.r = 7; Shape s = r;
        assert ((Round) s.copy()).r == 7 && (Integer) s.id() == 7;
        Compare<Integer> c = new Ints(); assert c.compare(1, 2) == -1 && c.reversed().compare(1, 2) == 1;
        assert new Box<>(5).above(new Box<>(4)) && new Box<>("b").above(new Box<>("a")) && new Box<>(1).or("x") == "x";
        assert size(new Node<>("a", new Node<>("b", null))) == 2;
        assert max(new Money(3), new Money(4)).m == 4 && max("p", "o").equals("p");
        Object raw = new Ints();
        try { @SuppressWarnings("unchecked") Compare<Object> bad = (Compare<Object>) raw; bad.compare("a", "b"); assert false; } catch (ClassCastException e) { }
    }
}
