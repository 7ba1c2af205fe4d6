class Labels {
    static int find(int[][] m, int x) { int steps = 0; outer: for (int[] row : m) { for (int v : row) { steps++; if (v < 0) continue outer; if (v == x) break outer; } steps += 100; } return steps; }
    static int block(int n) { int r = 0; done: { r++; if (n > 1) break done; r += 10; if (n > 0) break done; r += 100; } return r; }
    static int doWhile(int n) { int i = 0; do { i += 2; if (i == 4) continue; if (i > 10) break; } while (i < n); return i; }
    static int nested() { int c = 0; a: for (int i = 0; ; i++) { b: for (int j = 0; j < 5; j++) { if (j == i) continue a; if (i == 4) break a; if (j > 2) break b; c++; } } return c; }
    public static void main(String[] args) {
        assert find(new int[][] {{1, 2}, {-1, 9}, {3, 9}}, 9) == 105;
        assert block(0) == 111 && block(1) == 11 && block(2) == 1;
        assert doWhile(0) == 2 && doWhile(6) == 6 && doWhile(100) == 12;
        assert nested() == 6 : nested();
    }
}
