//! Parameters, results and locals by reference, and spans.

use crate::csharp::check;

#[test]
fn ref_parameters() {
    check(
        "
    public class Box { public int Value; public Box Next; }
    static void Add(ref int to, int n) { to += n; }
    static void Clear(ref Box box) { box = null; }
    public static void Numbers(int x, int[] a) {
        int before = x;
        Add(ref x, 1);
        Assert(x != before); // HOLDS
        if (a == null || a.Length == 0) return;
        int first = a[0];
        Add(ref a[0], x);
        Assert(a[0] - first == x); // HOLDS
        Add(ref a[0], a[0]);
        Assert(a[0] >= 0); // FAILS
    }
    public static void Fields(Box b) {
        if (b == null) return;
        Box old = b;
        Clear(ref b.Next);
        Assert(b.Next == null); // HOLDS
        Clear(ref b);
        Assert(b == null && old != null); // HOLDS
        Assert(old.Value == 0); // FAILS
    }",
    );
}

#[test]
fn out_parameters() {
    check(
        "
    static bool Half(int n, out int half) { half = n / 2; return n % 2 == 0; }
    static void Split(int n, out int a, out int b) { a = n; b = a + 1; }
    public static void Out(int n) {
        if (Half(n, out int half)) Assert(half * 2 == n); // HOLDS
        else Assert(half * 2 == n); // FAILS
        Split(n, out int x, out x);
        Assert(x == n + 1); // HOLDS
    }",
    );
}

#[test]
fn in_parameters() {
    check(
        "
    public struct Point { public int X; }
    static int Change(in Point p, ref Point q) { int x = p.X; q.X = x + 1; return p.X - x; }
    public static void In(Point p, Point q) {
        Assert(Change(in p, ref q) == 0); // HOLDS
        Assert(q.X == p.X + 1); // HOLDS
        Assert(Change(in p, ref p) == 0); // FAILS
    }",
    );
}

#[test]
fn results_by_reference() {
    check(
        "
    static ref int Larger(ref int a, ref int b) { if (a > b) return ref a; return ref b; }
    static ref int At(int[] a, int i) => ref a[i];
    public static void Results(int x, int y) {
        Larger(ref x, ref y) = 0;
        Assert(x == 0 || y == 0); // HOLDS
        Assert(x <= 0 && y <= 0); // FAILS
    }
    public static void Elements(int[] a, int i, int j) {
        ref int first = ref At(a, i);
        ref int second = ref At(a, j);
        first = 1;
        second = 2;
        Assert(first == 1); // FAILS
        Assert(first == 1 || i == j); // HOLDS
        first = ref second;
        first++;
        Assert(a[j] == 3); // HOLDS
    }",
    );
}

#[test]
fn one_variable_for_two_parameters() {
    check(
        "
    public static void Same(ref int a, ref int b) {
        a = 1;
        b = 2;
        Assert(a == 1); // FAILS
        Assert(a == b || a == 1); // HOLDS
    }",
    );
}

#[test]
fn spans() {
    check(
        "
    public static void Spans(int[] a) {
        if (a == null || a.Length < 4) return;
        Span<int> middle = a.AsSpan(1, 2);
        middle[0] = 5;
        middle[1] = 6;
        Assert(a[1] == 5 && a[2] == 6 && middle.Length == 2); // HOLDS
        Assert(a[3] == 0); // FAILS
        foreach (ref int n in middle.Slice(1)) n++;
        Assert(a[1] == 5 && a[2] == 7); // HOLDS
        middle[2] = 7; // REACHABLE
        a[0] = 0; // UNREACHABLE
    }
    public static void Text(string s) {
        if (s == null || s.Length < 3) return;
        ReadOnlySpan<char> rest = s.AsSpan(1);
        Assert(rest.Length == s.Length - 1 && rest[1] == s[2]); // HOLDS
        Assert(rest[0] != 'x'); // FAILS
    }",
    );
}
