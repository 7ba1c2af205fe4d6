class MultiArrays {
    static int[][] table(int n, int m) { int[][] t = new int[n][m]; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) t[i][j] = i * j; return t; }
    public static void main(String[] args) {
        int[][] t = table(3, 4); assert t.length == 3 && t[2].length == 4 && t[2][3] == 6;
        long[][][] l = new long[2][3][]; assert l[1].length == 3 && l[1][2] == null; l[0][0] = new long[] {7};
        l[0][0][0] += 3; assert l[0][0][0] == 10;
        int[][] jagged = {{1}, {}, {2, 3}}; int s = 0; for (int[] r : jagged) for (int v : r) s += v; assert s == 6;
        jagged[0] = jagged[2]; jagged[0][1]++; assert jagged[2][1] == 4;
        boolean[][] b = new boolean[2][2]; b[1][1] = !b[0][0]; assert b[1][1];
        Object o = t; assert o instanceof int[][] && !(o instanceof long[][]) && o instanceof Object[];
        int[] c = t[2].clone(); c[0] = 9; assert t[2][0] == 0 && c[3] == 6; int[][] d = t.clone();
        assert d[1] == t[1] && d != t;
        try { int[][] bad = new int[2][-1]; assert false; } catch (NegativeArraySizeException e) { }
        try { t[3][0] = 1; assert false; } catch (ArrayIndexOutOfBoundsException e) { }
        try { l[1][2][0] = 1; assert false; } catch (NullPointerException e) { }
    }
}
