//! Exceptions and their handlers.

use crate::check;

#[test]
fn order_of_finally_blocks() {
    check(
        "
    public static void Order(int n) {
        int trace = 0;
        try {
            try {
                trace = 1;
                if (n > 0) throw new InvalidOperationException();
                trace = trace * 10 + 2;
            } finally { trace = trace * 10 + 3; }
            trace = trace * 10 + 4;
        } catch (InvalidOperationException) { trace = trace * 10 + 5; }
        Assert(trace == 1234); // FAILS
        Assert(trace == (n > 0 ? 135 : 1234)); // HOLDS
    }
    static int Result(ref int n) { try { return n; } finally { n++; } }
    public static void Return(int n) {
        int old = n;
        Assert(Result(ref n) == old && n == old + 1); // HOLDS
    }",
    );
}

#[test]
fn exceptions_that_are_thrown_again() {
    check(
        "
    public static void Rethrow(string s) {
        Exception first = null;
        try {
            try {
                Assert(s.Length >= 0); // HOLDS
            } catch (NullReferenceException e) { first = e; throw; }
        } catch (Exception e) {
            Assert(e == first); // HOLDS
            Assert(s != null); // FAILS
            return;
        }
        Assert(s != null); // HOLDS
    }",
    );
}

#[test]
fn filters() {
    check(
        "
    public static void Filters(int n) {
        try {
            throw new ArgumentException();
        } catch (ArgumentException) when (n > 5) {
            Assert(n > 6); // FAILS
        } catch (Exception e) when (e is ArgumentException && 100 / n > 20) {
            Assert(n > 0 && n <= 4); // HOLDS
        } catch (ArgumentException) {
            Assert(n <= 0 || n == 5); // HOLDS
            Assert(n != 0); // FAILS
        }
    }",
    );
}

#[test]
fn resources() {
    check(
        "
    public class Resource : IDisposable { public int Open; public void Dispose() => Open--; }
    public static void Using(Resource r, bool fails) {
        if (r == null) return;
        int before = r.Open;
        try {
            using (r) {
                r.Open++;
                Assert(r.Open != 1); // FAILS
                if (fails) throw new Exception();
            }
            Assert(!fails); // HOLDS
        } catch (Exception) { }
        Assert(r.Open == before); // HOLDS
    }",
    );
}

#[test]
fn exceptions_of_the_runtime() {
    check(
        "
    public static int Which(object o, int[] a, int i) {
        try {
            string s = (string)o;
            return s.Length / a[i];
        } catch (InvalidCastException) {
            Assert(o is not string && o != null); // HOLDS within loaded classes
        } catch (NullReferenceException) {
            Assert(o == null || a == null); // HOLDS within loaded classes
            Assert(a == null); // FAILS
        } catch (IndexOutOfRangeException) {
            Assert(i < 0 || i >= a.Length); // HOLDS within loaded classes
        } catch (DivideByZeroException) {
            Assert(a[i] == 0); // HOLDS within loaded classes
        } catch (Exception) {
            i = 0; // UNREACHABLE within loaded classes
        }
        return 0;
    }",
    );
}

#[test]
fn exceptions_of_the_user() {
    check(
        "
    public class Refused : Exception { public readonly int Code; public Refused(int code) : base(\"no\") { Code = code; } }
    static void Refuse(int n) { if (n > 3) throw new Refused(n); }
    public static void Throws(int n) {
        try {
            Refuse(n);
            Assert(n <= 3); // HOLDS
        } catch (Refused e) when (e.Code < 10) {
            Assert(e.Code == n && e.Message == \"no\"); // HOLDS
            Assert(n != 7); // FAILS
        }
        n = 0; // REACHABLE
        Refuse(n);
        Refuse(5);
        n = 1; // UNREACHABLE
    }",
    );
}
