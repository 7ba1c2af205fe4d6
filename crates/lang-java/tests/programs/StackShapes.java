class StackShapes {
    int f = 3; long g = 4; static int s = 5; static long t = 6;
    StackShapes self() { f += 10; return this; }
    static int calls; static int next() { return calls++; }
    public static void main(String[] args) {
        int[] a = {1, 2, 3}; long[] l = {10, 20, 30}; double[] d = {1.5, 2.5};
        int i = 0;
        int x = a[i++] += 5; assert x == 6 && i == 1 && a[0] == 6;
        int y = a[i] = 9; assert y == 9 && a[1] == 9;
        int z = a[i++]++; assert z == 9 && a[1] == 10 && i == 2;
        long m = l[i - 1]++; assert m == 20 && l[1] == 21;
        long n = ++l[i]; assert n == 31 && l[2] == 31;
        long o = l[0] = l[1] = 7; assert o == 7 && l[0] == 7 && l[1] == 7;
        double e = d[0]++ + --d[1]; assert e == 3.0 && d[0] == 2.5 && d[1] == 1.5;
        StackShapes c = new StackShapes();
        int p = c.self().f++; assert p == 13 && c.f == 14;
        long q = c.g++; assert q == 4 && c.g == 5;
        long r = c.g = c.self().g * 2; assert r == 10 && c.g == 10 && c.f == 24;
        int u = s++ + ++s; assert u == 12 && s == 7;
        long v = t-- - --t; assert v == 2 && t == 4;
        a[next()] = next() + next() * 10; assert a[0] == 21;
        int w = i; w = w++ + ++w; assert w == 6 : w;
        int k = 1; k += k++ * 2 + (k = 10) + k; assert k == 23 : k;
        int[] b = new int[4]; int j = 0; b[j] = j = 2; assert b[0] == 2 && b[2] == 0;
        int[] h = {0, 0}; int hi = 0; h[hi++] = h[hi] = hi = 5; assert h[0] == 5 && h[1] == 5 && hi == 5;
    }
}
