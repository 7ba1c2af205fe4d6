//! What the tool of paper 2 could not analyze (appendix A.3), one test for each limit.

use crate::csharp::check;

#[test]
fn virtual_calls() {
    check(
        "
    public abstract class Shape { public abstract int Sides(); }
    public class Square : Shape { public override int Sides() => 4; }
    public class Polygon : Shape { public int N; public override int Sides() => N; }
    public static void Sides(Shape s, Polygon p) {
        if (s == null || p == null) return;
        Assert(p.Sides() == p.N); // HOLDS
        Assert(s is Polygon || s.Sides() == 4); // HOLDS
        Assert(s.Sides() > 2); // FAILS
    }",
    );
}

#[test]
fn runtime_types() {
    check(
        "
    public class Base { public int N; }
    public class Derived : Base { public int M; }
    public static void Casts(Base b) {
        Derived d = b as Derived;
        Assert(d == null == !(b is Derived)); // HOLDS
        Assert(d != null || b == null); // FAILS
        Derived cast = (Derived)b;
        Assert(cast == d); // HOLDS
        cast.M = 1; // REACHABLE
    }",
    );
}

#[test]
fn parameters_by_reference() {
    check(
        "
    static void Swap(ref int a, ref int b) { int t = a; a = b; b = t; }
    static void TrickySwap(ref int a, ref int b) { a ^= b; b ^= a; a ^= b; }
    public static void Swaps(ref int a, ref int b) {
        int x = a, y = b;
        Swap(ref a, ref b);
        Assert(a == y && b == x); // HOLDS
        TrickySwap(ref a, ref b);
        Assert(a == x && b == y); // FAILS
    }",
    );
}

/// Violations in and behind loops without an end are found, and loops with a bound are proved.
#[test]
fn loops_without_end() {
    check(
        "
    public static void Endless(int n) {
        int i = 0;
        while (true) {
            if (n == 7) break;
            i = 1 - i;
            Assert(i != 0); // FAILS
        }
        i = 5; // REACHABLE
        Assert(n != 7); // FAILS
    }
    public static void Bounded(int n) {
        int i = 0;
        while (i < n && i < 5) i++;
        Assert(i <= 5); // HOLDS
    }",
    );
}

/// Recursion without a bound.
#[test]
fn recursion() {
    check(
        "
    public class Node { public Node Next; }
    static int Length(Node n) => n == null ? 0 : 1 + Length(n.Next);
    static int Sum(int n) => n <= 0 ? 0 : n + Sum(n - 1);
    public static void Lengths(Node n) {
        Assert(Length(n) != 3); // FAILS
    }
    public static void Sums(int n) {
        if (n < 5) Assert(Sum(n) <= 10); // HOLDS
    }",
    );
}

/// Machine integers instead of unbounded ones, and division by zero.
#[test]
fn numbers_as_they_are() {
    check(
        "
    public static void Numbers(int a, int b) {
        Assert(a + 1 > a); // FAILS
        int quotient = a / b;
        Assert(b != 0); // HOLDS
        Assert(quotient <= a || a < 0); // HOLDS
    }",
    );
}

/// All statements of the language, and static fields.
#[test]
fn statements() {
    check(
        "
    public static void Statements(int n, int[] a) {
        int sum = 0;
        do { sum++; } while (sum < 3);
        for (int i = 0; i < 3; i++) { if (i == 1) continue; sum += i; }
        if (a != null && a.Length == 2) foreach (int k in a) sum += k;
        switch (n) { case 1: sum = 5; goto case 2; case 2: sum++; break; default: goto end; }
        Assert(n == 1 ? sum == 6 : n == 2); // HOLDS
        Assert(sum != 9); // FAILS
        end: n = 0; // REACHABLE
    }",
    );
}
