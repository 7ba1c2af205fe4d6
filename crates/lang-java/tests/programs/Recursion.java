class Recursion {
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static long fact(int n) { return n == 0 ? 1 : n * fact(n - 1); }
    static boolean even(int n) { return n == 0 || odd(n - 1); }
    static boolean odd(int n) { return n != 0 && even(n - 1); }
    static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
    static void hanoi(int n, int[] a) { if (n > 0) { hanoi(n - 1, a); a[0]++; hanoi(n - 1, a); } }
    public static void main(String[] args) { assert fib(12) == 144 && fact(20) == 2432902008176640000L && even(30) && !odd(30) && ack(2, 3) == 9; int[] a = {0}; hanoi(6, a); assert a[0] == 63; }
}
