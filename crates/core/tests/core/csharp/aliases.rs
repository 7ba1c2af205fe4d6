//! References that callers pass to entry points, and that lead to places with other names.

use crate::csharp::check;

/// Classes whose fields and elements callers can refer to.
const TYPES: &str = "
    public class Holder {
        public int Value; public readonly int Fixed; public string Name; public Point At; int hidden;
        public static int Count; public static readonly int First = 1;
        public void Write(ref int x) { x = 1; hidden = 2; Assert(x == 1); } // HOLDS
    }
    public struct Point { public int X, Y; }
    public class Leaky {
        int value;
        public ref int Value() => ref value;
        public void Write(ref int x) { x = 1; value = 2; Assert(x == 1); } // HOLDS within references that are arguments
    }
";

#[track_caller]
fn check_aliases(members: &str) {
    check(&format!("{TYPES}{members}"));
}

#[test]
fn fields() {
    check_aliases(
        "
    public static void Whole(ref int x, Holder h) { x = 1; h.Value = 2; Assert(x == 1); } // FAILS
    public static void Part(ref int x, Holder h) { x = 1; h.At.Y = 2; Assert(x == 1); } // FAILS
    public static void Struct(ref Point p, Holder h) { p.X = 1; h.At.X = 2; Assert(p.X == 1); } // FAILS
    public static void Text(ref string s, Holder h) { s = \"a\"; h.Name = \"b\"; Assert(s == \"a\"); } // FAILS
    public static void Out(out int x, Holder h) { x = 1; h.Value = 2; Assert(x == 1); } // FAILS
    public static void In(in int x, Holder h) { int old = x; h.Value = old + 1; Assert(x == old); } // FAILS
    public static void Unwritten(in int x, Holder h) { int old = x + h.Value; Assert(x + h.Value == old); } // HOLDS
    public static void Fixed(ref int x, Holder h) { int old = h.Fixed; x = old + 1; Assert(h.Fixed == old); } // HOLDS
    public static void OtherType(ref long x, Holder h) { x = 1; h.Value = 2; Assert(x == 1); } // HOLDS
    public static void New(ref int x) { var h = new Holder(); x = 1; h.Value = 2; Assert(x == 1); } // HOLDS
    public static void Through(ref int x, Holder h) { x = 1; Increase(ref h.Value); Assert(x == 1); } // FAILS
    static void Increase(ref int x) { x++; }",
    );
}

#[test]
fn static_fields() {
    check_aliases(
        "
    static int hidden;
    public static void Open(ref int x) { x = 1; Holder.Count = 2; Assert(x == 1); } // FAILS
    public static void Closed(ref int x) { x = 1; hidden = 2; Assert(x == 1); } // HOLDS
    public static void Fixed(ref int x) { x = 5; Assert(Holder.First == 1); } // HOLDS",
    );
}

#[test]
fn elements() {
    check_aliases(
        "
    public static void Number(ref int x, int[] a) { x = 1; a[2] = 5; Assert(x == 1); } // FAILS
    public static void Letter(ref char x, char[] a) { x = 'a'; a[0] = 'b'; Assert(x == 'a'); } // FAILS
    public static void Struct(ref Point p, Point[] a) { p.X = 1; a[0].X = 2; Assert(p.X == 1); } // FAILS
    public static void Text(ref string s, string[] a) { s = \"a\"; a[0] = \"b\"; Assert(s == \"a\"); } // FAILS
    public static void Behind(ref int x, object o) { x = 1; if (o is int[] a) { a[0] = 2; Assert(x == 1); } } // FAILS
    public static void Library(ref int x, int[] a) { int old = x; Array.Fill(a, old + 1); Assert(x == old); } // FAILS
    public static void Slice(Span<int> s, ref int x) { x = 1; s[1] = 2; Assert(x == 1); } // FAILS
    public static void Own(ref int x) { var a = new int[3]; x = 1; a[2] = 5; Assert(x == 1); } // HOLDS
    public static void Both(ref int x, int[] a, int[] b) { x = 1; a[0] = 2; b[0] = 3; Assert(x != 3 || a[0] == 3); } // FAILS",
    );
}

#[test]
fn receivers() {
    check_aliases(
        "
    public class Owner { public Counter One; }
    public struct Counter {
        public int N;
        public void InField(Owner o) { N = 1; o.One.N = 2; Assert(N == 1); } // FAILS
        public void InArray(Counter[] a) { N = 1; a[0].N = 2; Assert(N == 1); } // FAILS
        public void Alone(int x) { N = x; Assert(N == x); } // HOLDS
        public Counter(Owner o) { N = 1; o.One.N = 2; Assert(N == 1); } // HOLDS
    }",
    );
}

/// Arrays of references are also arrays of other types.
#[test]
fn covariant_arrays() {
    check_aliases(
        "
    public class Base { } public class Derived : Base { }
    public static void Wide(ref string s, object[] a) { if (a?.Length > 0) { s = \"x\"; a[0] = null; Assert(s != null); } } // FAILS
    public static void Behind(ref string s, object[][] a) { if (a?.Length > 0 && a[0]?.Length > 0) { s = \"x\"; a[0][0] = null; Assert(s != null); } } // FAILS
    public static void Narrow(in Base b, Derived[] a) { if (a?.Length > 0) { Base old = b; a[0] = new Derived(); Assert(b == old); } } // HOLDS within references that are arguments
    public static void Open(ref Derived b, Base[] a) { if (a?.Length > 0) { b = null; a[0] = new Derived(); Assert(b == null); } } // HOLDS within references that are arguments
    public static void Exact(ref string s, Span<object> a) { if (a.Length > 0) { s = \"x\"; a[0] = null; Assert(s != null); } } // HOLDS within inputs of type
    public static void Text(Span<string> a) { if (a.Length > 0) { a[0] = \"x\"; Assert(a[0] == \"x\"); } } // HOLDS
    public static void Stored(Span<object> a) { if (a.Length > 0) { a[0] = new object(); Assert(a[0] == null); } } // FAILS",
    );
}

/// Two references lead to one variable only if the variable has both types.
#[test]
fn types_of_variables() {
    check_aliases(
        "
    public class Base { } public class Derived : Base { }
    public static void Same(ref Base a, ref Base b) { a = null; b = new Base(); Assert(a == null); } // FAILS
    public static void Different(ref Base a, ref Derived b) { a = null; b = new Derived(); Assert(a == null); } // HOLDS
    public static void Root(ref object a, ref string b) { a = null; b = \"x\"; Assert(a == null); } // HOLDS
    public static void Reading(in Base a, ref Derived b) { Base old = a; b = new Derived(); Assert(a == old); } // FAILS
    public static void ReadingNarrow(ref Base a, in Derived b) { Derived old = b; a = new Base(); Assert(b == old); } // HOLDS
    public static void Letters(ref char a, ref short b) { a = 'a'; b = 1; Assert(a == 'a'); } // HOLDS
    public static void Signs(ref int a, ref uint b) { a = 1; b = 2; Assert(a == 1); } // FAILS",
    );
}

/// References into the objects of static fields.
#[test]
fn objects_of_static_fields() {
    check_aliases(
        "
    public class Cell { public int V; }
    public static readonly int[] Table = { 1, 2 };
    static readonly Cell root = new Cell(); public static Cell Get() => root;
    public static void Element(ref int x) { Table[1] = 1; x = 2; Assert(Table[1] == 1); } // FAILS
    public static void Part(Span<int> x) { Table[1] = 1; if (x.Length > 1) x[1] = 2; Assert(Table[1] == 1); } // FAILS
    public static void Field(ref int x) { root.V = 3; x = 4; Assert(root.V == 3); } // FAILS",
    );
}

/// Who may call an entry point decides what a reference leads to.
#[test]
fn callers() {
    check_aliases(
        "
    class Inner { internal static int N; }
    static int hidden;
    public static void Open(ref int x) { Inner.N = 1; x = 2; Assert(Inner.N == 1); } // HOLDS
    static void Own(ref int x) { hidden = 1; x = 2; Assert(hidden == 1); } // FAILS
    public ref struct View { public int N; public Span<int> Part; public void Set() { N = 1; Assert(N == 1); } } // HOLDS within references in arguments",
    );
}

/// Places that are not offered as arguments.
#[test]
fn bounds() {
    check_aliases(
        "
    public interface ICounter { void Add(ICounter other); void Reset(); }
    public struct Counter : ICounter {
        public int N;
        public void Reset() { N = 0; }
        public void Add(ICounter other) { N = 1; other.Reset(); Assert(N == 1); } // HOLDS within references that are arguments
    }
    public ref struct View { public ref int X; }
    public static void Part(ref Point p, ref int x) { x = 1; p.X = 2; Assert(x == 1); } // HOLDS within references that are arguments
    public static void Elements(ref int x, Point[] a) { x = 1; a[0].X = 2; Assert(x == 1); } // HOLDS within references that are arguments
    public static void Grid(ref int x, int[,] a) { x = 1; a[0, 0] = 2; Assert(x == 1); } // HOLDS within references that are arguments
    public static void Objects(ref object x, object[] a) { x = null; a[0] = 2; Assert(x == null); } // HOLDS within references that are arguments
    public static void Single(Span<int> s, Holder h) { s[0] = 1; h.Value = 2; Assert(s[0] == 1); } // HOLDS within references that are arguments
    public static void Held(View v) { v.X = 1; Assert(v.X == 2); } // HOLDS within references in arguments
    public static void Deep(ref View v) { v.X = 1; Assert(v.X == 2); } // HOLDS within references in arguments",
    );
}

/// A pointer exists only where code makes it.
#[test]
fn pointers_that_other_methods_make() {
    check(
        "
    static int counter;
    static void Increase(ref int x) { x++; }
    public static void Other() { Increase(ref counter); }
    public static void Local(int x) { if (x < 9) { int old = x; Increase(ref x); Assert(x == old + 1); } } // HOLDS
    public static void Static() { Increase(ref counter); Assert(counter == 1); } // HOLDS within static fields hold",
    );
}
