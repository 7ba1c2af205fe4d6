//! Exceptions and their handlers.

use crate::csharp::check;

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

/// Filters run before the finally blocks of the same method.
#[test]
fn two_passes() {
    check(
        r#"
    class AError : Exception { public int Code; public AError(int code) { Code = code; } }
    class BError : Exception { }
    static bool Log(ref int log, int step, bool result) { log = log * 10 + step; return result; }
    static bool Fail(ref int log, int step) { log = log * 10 + step; throw new BError(); }
    public static void Nested(int x) {
        int log = 0;
        try {
            try {
                try { if (x == 0) throw new BError(); throw new AError(x); }
                finally { log = log * 10 + 1; }
            }
            catch (AError e) when (Log(ref log, 3, e.Code == 1)) { log = log * 10 + 4; }
            finally { log = log * 10 + 2; }
        }
        catch (AError e) when (Log(ref log, 5, e.Code == 2)) { log = log * 10 + 6; }
        catch (BError) when (Log(ref log, 7, true)) { log = log * 10 + 8; }
        catch (Exception) when (Log(ref log, 9, x != 4)) { log = log * 10 + 0; }
        Assert(x != 0 || log == 7128); // HOLDS
        Assert(x != 1 || log == 3142); // HOLDS
        Assert(x != 2 || log == 35126); // HOLDS
        Assert(x < 3 || log == 359120); // HOLDS
        Assert(x != 4); // HOLDS
        Assert(x != 5); // FAILS
    }
    public static void Replaced(bool b) {
        int log = 0;
        try {
            try { throw new AError(0); }
            finally { log = log * 10 + 1; if (b) throw new BError(); }
        }
        catch (AError) when (Log(ref log, 3, true)) { log = log * 10 + 4; }
        catch (BError) when (Log(ref log, 5, true)) { log = log * 10 + 6; }
        Assert(log == (b ? 3156 : 314)); // HOLDS
    }
    public static void Repeated() {
        int log = 0;
        for (int i = 0; i < 3; i++) {
            try {
                try { if (i == 1) throw new AError(i); if (i == 2) throw new BError(); }
                finally { log = log * 10 + 1; }
            }
            catch (AError e) when (Log(ref log, 3, e.Code == 1)) { log = log * 10 + 4; }
            catch (BError) when (Fail(ref log, 2)) { log = -1; }
            catch (BError) when (Log(ref log, 5, true)) { log = log * 10 + 6; }
        }
        Assert(log == 13142516); // HOLDS
    }
    public static void TwoFinallyBlocks(int x) {
        int log = 0;
        try {
            try {
                try {
                    try { throw new AError(x); }
                    finally { log = log * 10 + 1; }
                }
                finally { log = log * 10 + 2; if (x == 3) throw new BError(); }
            }
            catch (AError) when (Log(ref log, 5, x == 1)) { log = log * 10 + 6; throw; }
            catch (BError) { log = log * 10 + 7; try { throw new AError(4); } finally { log = log * 10 + 9; } }
        }
        catch (AError e) when (Log(ref log, e.Code, true)) { log = log * 10 + 8; }
        Assert(x != 1 || log == 512618); // HOLDS
        Assert(x != 2 || log == 52128); // HOLDS
        Assert(x != 3 || log == 53127948); // FAILS
        Assert(x != 3 || log == 53127498); // HOLDS
    }"#,
    );
}

/// Finally blocks of called methods run before filters here, and after them in .NET. Where one would see the other,
/// nothing is known.
#[test]
fn filters_around_called_finally_blocks() {
    check(
        r#"
    class Error : Exception { public int Code; public int Own() => Code; public virtual int Virtual() => Code; }
    class Worse : Error { public override int Virtual() => counter; }
    static int counter, other;
    static bool Note() { counter = 1; return true; }
    static void Observes() {
        try { throw new Error(); }
        finally { Assert(counter == 0); } // UNKNOWN because filter
    }
    public static void Writes() {
        counter = 0;
        try { Observes(); } catch (Error) when (Note()) { }
    }
    static void Changes(ref int x, int[] a, List<int> list, Action action) {
        try { throw new Worse(); }
        finally { x = 1; a[0] = 1; list.Add(1); counter = 1; action(); }
    }
    public static void Variable() {
        int x = 0;
        try { Changes(ref x, new int[1], new List<int>(), () => { }); }
        catch (Error) when (x == 0) { x = 5; }
        Assert(x == 5); // UNKNOWN because filter
    }
    static void ChangesByReference(ref int x) { try { throw new Error(); } finally { x = 1; } }
    public static void VariableByReference() {
        int x = 0;
        try { ChangesByReference(ref x); } catch (Error) when (x == 0) { x = 5; }
        Assert(x == 5); // UNKNOWN because filter
    }
    static void ChangesElement(int[] a) { try { throw new Error(); } finally { a[0] = 1; } }
    public static void Element(int[] a) {
        if (a == null || a.Length == 0) return;
        a[0] = 0;
        try { ChangesElement(a); } catch (Error) when (a[0] == 0) { a[0] = 5; }
        Assert(a[0] == 5); // UNKNOWN because filter
    }
    static void ChangesList(List<int> list) { try { throw new Error(); } finally { list.Add(1); } }
    public static void Library() {
        var list = new List<int>();
        int n = 0;
        try { ChangesList(list); } catch (Error) when (list.Count == 0) { n = 5; }
        Assert(n == 5); // UNKNOWN because filter
    }
    static void ChangesField() { try { throw new Worse(); } finally { counter = 1; } }
    public static void Field() {
        counter = 0;
        try { ChangesField(); } catch (Error e) when (e.Virtual() == 0) { other = 5; }
        Assert(other == 5); // UNKNOWN because filter
    }
    class Resource : IDisposable { public void Dispose() { counter = 1; } }
    static void Disposes(IDisposable d) { using (d) throw new Error(); }
    public static void Dispose() {
        counter = 0;
        try { Disposes(new Resource()); } catch (Error) when (counter == 0) { counter = 5; }
        Assert(counter == 5); // UNKNOWN because filter
    }"#,
    );
    check(
        r#"
    class Error : Exception { public int Code; public int Own() => Code; public Error(int code) { Code = code; } }
    static int counter;
    static bool Note() { counter = 1; return true; }
    static void Counts(int x) { try { throw new Error(x); } finally { counter++; } }
    public static void Independent(int x) {
        try { Counts(x); }
        catch (Error e) when (e.Own() == 7) { Assert(x == 7); } // HOLDS
        catch (Error e) when (e.Code == 8) { Assert(x != 8); } // FAILS
        catch (Error) { Assert(x != 7 && x != 8); } // HOLDS
    }
    static void Throws(int x) { throw new Error(x); }
    public static void NoFinally(int x) {
        counter = 0;
        try { Throws(x); }
        catch (Error) when (Note()) { Assert(counter == 1); } // HOLDS
    }
    static void Loops(List<int> list) { foreach (int i in list) throw new Error(i); }
    public static void Loop(int x) {
        try { Loops(new List<int> { x }); }
        catch (Error e) when (e.Code == 7) { Assert(x == 7); } // HOLDS
        catch (Error) { Assert(x != 7); } // HOLDS
    }"#,
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
            Assert(o is not string && o != null); // HOLDS
        } catch (NullReferenceException) {
            Assert(o == null || a == null); // HOLDS
            Assert(a == null); // FAILS
        } catch (IndexOutOfRangeException) {
            Assert(i < 0 || i >= a.Length); // HOLDS
        } catch (DivideByZeroException) {
            Assert(a[i] == 0); // HOLDS
        } catch (Exception) {
            i = 0; // UNREACHABLE
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
