//! What comes behind the line of a question does not matter, unless control can get back to the line.

use crate::csharp::check;

/// Loops without an end behind the line.
#[test]
fn code_behind_the_line() {
    check(
        r#"
    static int n;
    static void Inner(int x) { Assert(x < 10); } // HOLDS
    public static int Outer(int x, int[] a) {
        if (x >= 5) return 0;
        Inner(x);
        n = 1; // REACHABLE
        Math.Pow(x, 0.5);
        for (int i = 0; i < a.Length; i++) n += a[i] * n;
        for (int i = 0; i < x; i++) for (int k = 0; k < n; k++) x++;
        return n;
    }"#,
    );
}

/// Libraries call back: overriders and implementations, delegates, constructors and operators behind type parameters.
#[test]
fn control_comes_back_from_libraries() {
    check(
        r#"
    static int n;
    static void ByComparer(int x) { Assert(x != 7); } // FAILS
    class Comparer : IComparer<int> { public int Compare(int a, int b) { ByComparer(n); return 0; } }
    public static void Sorts(int x) {
        ByComparer(1);
        n = x;
        Array.Sort(new[] { 1, 2 }, new Comparer());
    }
    static void ByToString(int x) { Assert(x != 7); } // FAILS
    struct Shown { public override string ToString() { ByToString(n); return ""; } }
    public static void Shows(int x) {
        ByToString(1);
        n = x;
        string s = string.Concat("a", (object)new Shown());
    }
    static void ByDelegate(int x) { Assert(x != 7); } // FAILS
    static bool Tested(int x) { ByDelegate(x); return true; }
    public static void Delegates(int x) {
        ByDelegate(1);
        Array.Exists(new[] { x }, Tested);
    }
    static void ByConstructor(int x) { Assert(x != 7); } // FAILS
    class Box<T> { public Box() { ByConstructor(n); } }
    static T Create<T>() where T : new() => new T();
    public static void Creates(int x) {
        ByConstructor(1);
        n = x;
        Create<Box<int>>();
    }
    static void ByInitializer(int x) { Assert(x != 7); } // FAILS
    static class Once<T> { public static int Value; static Once() { ByInitializer(n); } }
    static void Touch<T>() { Once<T>.Value++; }
    public static void Initializes(int x) {
        ByInitializer(1);
        n = x;
        Touch<string>();
    }
    static void ByIterator(int x) { Assert(x != 7); } // FAILS
    static IEnumerable<int> Numbers() { yield return 1; ByIterator(n); }
    public static void Iterates(int x) {
        ByIterator(1);
        n = x;
        Numbers().ToArray();
    }
    static void ByDispose(int x) { Assert(x != 7); } // FAILS
    class Resource : IDisposable { public void Dispose() { ByDispose(n); } }
    class Derived : Resource { }
    static void Use<T>(T t) where T : IDisposable { using (t) { } }
    public static void Disposes(int x) {
        ByDispose(1);
        n = x;
        Use(new Derived());
    }"#,
    );
}

/// Control comes back through methods that only the program's own code can call.
#[test]
fn control_comes_back_in_the_program() {
    check(
        r#"
    static int n;
    static void ByVirtual(int x) { Assert(x != 7); } // FAILS
    abstract class Shape { public abstract void Visit(); }
    class Square : Shape { public override void Visit() { ByVirtual(n); } }
    interface IOwn { void Own(); }
    class Owned { public void Own() { ByInterface(n); } }
    class Owner : Owned, IOwn { }
    static void ByInterface(int x) { Assert(x != 7); } // FAILS
    public static void Virtual(int x) {
        ByVirtual(1);
        ByInterface(1);
        n = x;
        Shape s = new Square();
        s.Visit();
        IOwn o = new Owner();
        o.Own();
    }
    static void ByBox(int x) { Assert(x != 7); } // FAILS
    struct Boxed : IOwn { public void Own() { ByBox(n); } }
    public static void Boxes(int x) {
        ByBox(1);
        n = x;
        IOwn o = new Boxed();
        o.Own();
    }
    static void ByVariant(int x) { Assert(x != 7); } // FAILS
    interface ISource<out T> { T Get(); }
    class Source : ISource<string> { public string Get() { ByVariant(n); return ""; } }
    public static void Variants(int x) {
        ByVariant(1);
        n = x;
        ISource<object> o = new Source();
        o.Get();
    }
    static void ByHandler(int x) { Assert(x != 7); } // FAILS
    public static void Handler(int x, int[] a) {
        ByHandler(1);
        try { a[0] = 1; }
        catch (NullReferenceException) { ByHandler(x); }
        finally { n = 1; }
    }
    static void ByThrow(int x) { Assert(x != 7); } // FAILS
    public static void Throws(int x, bool b) {
        ByThrow(1);
        try { string.IsInterned(null); }
        catch (ArgumentNullException) { ByThrow(x); }
    }
    static void ByReturn(int x) { Assert(x != 7); } // FAILS
    public static void Returns(int x) {
        ByReturn(1);
        new List<int>().Add(1);
        ByReturn(x);
    }
    static void ByLoop(int x) { Assert(x != 3); } // FAILS
    public static void Loops(int x) {
        for (int i = 0; i < x; i++) ByLoop(i);
    }"#,
    );
}

/// Libraries run methods whose declarations the program does not name: they may read static fields, too.
#[test]
fn libraries_run_overriders() {
    check(
        r#"
    static int count = 0;
    public static void Change() { count++; }
    class Order : IComparer<string> {
        public int Compare(string a, string b) => count == 0 ? string.CompareOrdinal(a, b) : string.CompareOrdinal(b, a); }
    public static void Sorts() {
        var list = new List<string> { "b", "a" }; list.Sort(new Order());
        Assert(list[0] == "a"); // HOLDS within static fields hold the values
    }
    struct Point : IEquatable<Point>, IComparable<Point> { public int X;
        public bool Equals(Point other) => count == 0 && X == other.X; public int CompareTo(Point other) => count; }
    public static void Finds() {
        var list = new List<Point> { new Point { X = 3 } };
        Assert(list.Contains(new Point { X = 3 })); // HOLDS within static fields hold the values
    }
    public static void Compares(int n) {
        Assert(Nullable.Compare<Point>(new Point(), new Point()) == 0); // HOLDS within static fields hold the values
        Assert((new Point(), n).CompareTo((new Point(), n)) == 0); // HOLDS within static fields hold the values
    }
    static async Task<int> Half(int n) { await Task.CompletedTask; return count == 0 ? n / 2 : n; }
    public static void Halves() {
        Assert(Half(2).Result == 1); // HOLDS within static fields hold the values
    }
    static IEnumerable<int> Numbers() { if (count == 0) yield return 1; }
    public static void Counts() {
        Assert(Numbers().Count() == 1); // HOLDS within static fields hold the values
    }
    class Made { public int K = count; }
    static T Make<T>() where T : new() => new T();
    public static void Makes() {
        Assert(Make<Made>().K == 0); // HOLDS within static fields hold the values
    }
    record Named(int X) { protected virtual bool PrintMembers(System.Text.StringBuilder b) { b.Append(count); return true; } }
    public static void Prints() {
        Assert(new Named(1).ToString() == "Named { 0 }"); // HOLDS within static fields hold the values
    }"#,
    );
}
