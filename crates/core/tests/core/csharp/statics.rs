//! Objects to which static fields refer, and code that may have changed them before.

use crate::csharp::{check, check_forward};

/// Checks an assertion about a static field that no method of the program changes.
#[track_caller]
fn check_fixed(fields: &str, assertion: &str) {
    check(&format!("{fields}\npublic static void M(int x, string s) {{ {assertion} // HOLDS\n}}"));
}

/// Checks the same where another method of the program may change the object.
#[track_caller]
fn check_changed(fields: &str, change: &str, assertion: &str) {
    check(&format!(
        "{fields}\npublic static void Change(int n) {{ {change} }}
        public static void M(int x, string s) {{ {assertion} // HOLDS within objects that static fields refer to\n}}"
    ));
}

#[test]
fn fixed_objects() {
    check_fixed("static readonly string S = \"n\";", "Assert(S.Length == 1);");
    check_fixed("static readonly int[] T = { 1, 2, 3 };", "Assert(T[1] == 2);");
    check_fixed("static readonly (int, string)[] T = { (1, \"a\") };", "Assert(T[0].Item2 == \"a\");");
    check_fixed("static readonly List<string> L = new() { \"a\", \"b\" };", "Assert(L.Contains(\"a\"));");
    check_fixed("static readonly IReadOnlyList<string> L = new List<string> { \"a\" };", "Assert(L[0] == \"a\");");
    check_fixed("static readonly Dictionary<string, int> D = new() { [\"a\"] = 1 };", "Assert(D.ContainsKey(\"a\"));");
    check_fixed("static readonly HashSet<int> H = new() { 1 };", "Assert(H.Contains(1) && !H.Contains(2));");
    check_fixed("static readonly object Gate = new object();", "int y; lock (Gate) { y = x; } Assert(y == x);");
    check_fixed("static readonly System.Threading.Lock Gate = new();", "int y; lock (Gate) { y = x; } Assert(y == x);");
    check_fixed("static readonly Func<int, int> F = x => x + 1;", "if (x < 9) Assert(F(x) == x + 1);");
    check_fixed("static readonly StringComparer C = StringComparer.Ordinal;", "Assert(C.Equals(s, s));");
    check_fixed(
        "record Money(int Amount, string Unit); static readonly Money Zero = new(0, \"EUR\");",
        "Assert(Zero.Amount == 0);",
    );
}

#[test]
fn objects_that_are_only_read() {
    let read = |fields: &str, reading: &str, assertion: &str| {
        check_fixed(&format!("{fields} public static int Read(string s, Span<int> to) {{ {reading} }}"), assertion);
    };
    let list = "static readonly List<int> L = new() { 1 };";
    read(list, "int n = 0; foreach (int i in L) n += i; return n;", "Assert(L.Count == 1);");
    read(list, "return L.Where(i => i > 0).Select(i => i + 1).ToList().Count;", "Assert(L.Count == 1);");
    read(list, "var copy = new List<int>(L); copy.Add(2); return copy.Count;", "Assert(L.Count == 1);");
    read(list, "Console.WriteLine($\"{L}\"); return string.Join(\",\", L).Length;", "Assert(L.Count == 1);");
    let table = "static readonly int[] T = { 1 };";
    read(table, "ReadOnlySpan<int> r = T; return r[0] + T.Length + Array.IndexOf(T, 1);", "Assert(T[0] == 1);");
    read(
        table,
        "var copy = (int[])T.Clone(); copy[0] = 2; Array.Copy(T, copy, 1); return copy[0];",
        "Assert(T[0] == 1);",
    );
    let map = "static readonly Dictionary<string, int> D = new() { [\"a\"] = 1 };";
    read(map, "return D.TryGetValue(s, out int n) ? n : D.Keys.Count;", "Assert(D[\"a\"] == 1);");
}

#[test]
fn arrays_that_change() {
    let check = |change: &str| check_changed("static readonly int[] T = { 1 };", change, "Assert(T[0] == 1);");
    check("T[0] = n;");
    check("int[] t = T; t[0]++;");
    check("Array.Clear(T);");
    check("Array.Fill(T, n);");
    check("Array.Sort(T);");
    check("new[] { n }.CopyTo(T, 0);");
    check("Array.Copy(new[] { n }, T, 1);");
    check("Span<int> s = T; s[0] = n;");
    check("T.AsSpan().Fill(n);");
    check("var m = T.AsMemory(); m.Span[0] = n;");
    check("var s = new ArraySegment<int>(T); s[0] = n;");
    check("IList<int> l = T; l[0] = n;");
    check("ref int r = ref T[0]; r = n;");
    check("System.Threading.Interlocked.Increment(ref T[0]);");
    check("int.TryParse(\"5\", out T[0]);");
    check("Action<int> a = i => T[0] = i; a(n);");
    check("new[] { n }.ToList().ForEach(i => T[0] = i);");
    check("IEnumerable<int> It() { T[0] = n; yield return 1; } It().Count();");
    check("object o = T; ((int[])o)[0] = n;");
    check("new List<int> { n }.CopyTo(T);");
}

#[test]
fn collections_that_change() {
    let check = |change: &str| {
        check_changed("static readonly List<int> L = new() { 1 };", change, "Assert(L.Count == 1);");
    };
    check("L.Add(n);");
    check("IList<int> l = L; l.Add(n);");
    check("((System.Collections.IList)L).Add(n);");
    check("Action<int> a = L.Add; a(n);");
    check("new[] { n }.ToList().ForEach(L.Add);");
    check("var all = new[] { L }; all[0].Clear();");
    check("var all = new List<List<int>> { L }; all[0].Clear();");
    check("new Dictionary<int, List<int>> { [1] = L }.Values.First().Clear();");
    check("(int, List<int>) pair = (1, L); pair.Item2.Add(n);");
    check("Func<List<int>> f = () => L; f().Add(n);");
    check("var lazy = new Lazy<List<int>>(() => L); lazy.Value.Add(n);");
    check("new[] { L }.First().Add(n);");
    check("System.Runtime.InteropServices.CollectionsMarshal.AsSpan(L)[0] = n; L.RemoveAt(0);");
}

#[test]
fn other_objects_that_change() {
    check_changed(
        "class Box { public int V; } static readonly Box B = new();",
        "ref int v = ref B.V; v = n;",
        "Assert(B.V == 0);",
    );
    check_changed(
        "class Box { public int V; } static readonly List<Box> All = new() { new Box() };",
        "foreach (Box b in All) b.V = n;",
        "Assert(All[0].V == 0);",
    );
    check_changed(
        "class Box { public int V; } static readonly Box[] All = { new Box() };",
        "foreach (Box b in All.Where(b => b.V == 0)) b.V = n;",
        "Assert(All[0].V == 0);",
    );
    check_changed(
        "static readonly System.Text.StringBuilder B = new(\"a\");",
        "B.Append(n);",
        "Assert(B.Length == 1);",
    );
    check_changed("static readonly (int A, int B)[] T = { (1, 2) };", "Array.Clear(T);", "Assert(T[0].A == 1);");
    check_changed(
        "static readonly int[] T = { 1 }; static readonly Func<int, int> F = i => T[0]++;",
        "new[] { n }.Select(F).Sum();",
        "Assert(T[0] == 1);",
    );
    check_changed(
        "static readonly IEnumerator<int> E = new List<int> { 1, 2 }.GetEnumerator();",
        "E.MoveNext();",
        "Assert(E.MoveNext());",
    );
}

/// Anyone may change the elements of an array that is public.
#[test]
fn private_fields() {
    check(
        "static readonly int[] Own = { 1 }; public static readonly int[] Open = { 1 };
        public static void Set(int[] a, int x) { if (a != null && a.Length > 0) a[0] = x; }
        public static void M() { Assert(Own[0] == 1); } // HOLDS
        public static void N() { Assert(Open[0] == 1); } // HOLDS within objects that static fields refer to
        ",
    );
}

/// A tuple is passed on part by part.
#[test]
fn objects_in_results() {
    let arrays = "static readonly int[] A = new int[1], B = new int[1]; static (int[] A, int[] B) Both() => (A, B);";
    check_changed(arrays, "Both().B[0] = n;", "Assert(B[0] == 0);");
    let list = "static readonly List<int> L = new(); static (int N, List<int> L) One() => (1, L);";
    check_changed(list, "One().L.Add(n);", "Assert(L.Count == 0);");
    let given = "private static readonly int[] A = new int[1]; public static (int, int[]) Both() => (1, A);";
    let set = "public static void Set(int[] of) { if (of != null && of.Length > 0) of[0] = 1; }";
    check_changed(&format!("{given} {set}"), "", "Assert(A[0] == 0);");
}

/// Callers assign public fields, and change the objects that they get.
#[test]
fn changes_by_callers() {
    let check_given = |fields: &str, assertion: &str| {
        let mark = "HOLDS within objects that static fields refer to are as initialization leaves them";
        check(&format!("{fields} public static void M() {{ {assertion} }} // {mark}"));
    };
    check(
        "public static int Open = 5; public static readonly int Fixed = 5; static int own = 5; internal static int Inner = 5;
        public static void A() { Assert(Open == 5); } // HOLDS within static fields hold the values
        public static void B() { Assert(Fixed == 5 && own == 5 && Inner == 5); } // HOLDS",
    );
    let array = "static readonly int[] A = { 1 };";
    check_given("public static readonly int[] A = { 1 };", "Assert(A[0] == 1);");
    check_given("public static readonly List<int> A = new() { 1 };", "Assert(A.Count == 1);");
    check_given(&format!("{array} public static object Get() => A;"), "Assert(A[0] == 1);");
    check_given(&format!("{array} public static (int, int[]) Get() => (1, A);"), "Assert(A[0] == 1);");
    check_given(&format!("{array} public static void Get(int[][] to) {{ to[0] = A; }}"), "Assert(A[0] == 1);");
    check_given(&format!("{array} public static void Get(out int[] to) {{ to = A; }}"), "Assert(A[0] == 1);");
    check_given(
        &format!("{array} public static List<int[]> Get() {{ var l = new List<int[]>(); l.Add(A); return l; }}"),
        "Assert(A[0] == 1);",
    );
    check_given(
        "public class Box { public int V = 1; } static readonly Box B = new(); public static object Get() => B;",
        "Assert(B.V == 1);",
    );
    check(
        "public class Box { internal int V = 1; } static readonly Box B = new(); public static object Get() => B;
        public static void M() { Assert(B.V == 1); } // HOLDS",
    );
}

/// Callers cannot have an object that only a private static field holds.
#[test]
fn objects_that_private_static_fields_hold() {
    check(
        "
    public class C { public int V; public C() { V = 1; } public int Twice() => V * 2; }
    public sealed class Node { public Node Next; }
    static readonly C hidden = new C();
    static readonly object gate = new object();
    static readonly int[] table = { 1, 2, 3 };
    static C Own { get; } = new C();
    static class Inner { internal static readonly Node Deep = new Node(); }
    static C Get() => hidden;
    static int Double(C c) => c.V + c.Twice();
    public static int Sum() { int sum = Double(Get()); foreach (int n in table) sum += n; lock (gate) return sum; }
    public static string Text() => hidden.ToString() + (hidden is C);
    public static void Kept(C c) { Assert(c == null || c != hidden); } // HOLDS
    public static void Gate(object o) { Assert(o != gate); } // HOLDS
    public static void Table(int[] a) { Assert(a == null || a != table); } // HOLDS
    public static void Automatic(C c) { Assert(c == null || c != Own); } // HOLDS
    public static void Deep(Node n) { Assert(n == null || n != Inner.Deep); } // HOLDS",
    );
}

/// Checks whether an argument can be the object of a private static field, with these members that use the field.
#[track_caller]
fn check_given(members: &[&str], mark: &str) {
    let mut classes = String::new();
    for (number, members) in members.iter().enumerate() {
        classes += &format!(
            "public static class K{number} {{
        public class C {{ public int V; public static C Self; public int Give() {{ Self = this; return 1; }} }}
        public class Error : Exception {{ public C P; }}
        public static C Last;
        static C shared = new C();
        {members}
        public static void Check(C c) {{ Assert(c == null || c != shared); }} // {mark}
    }}
    "
        );
    }
    check_forward(&classes);
}

/// Each of these gives callers the object of a private static field.
#[test]
fn objects_that_private_static_fields_give_away() {
    let given = [
        "public static C Get() => shared;",
        "static C Own() => shared; public static C Get() => Own();",
        "public static T Get<T>() where T : class => shared as T;",
        "public static int Get() => shared.Give();",
        "static readonly C other = shared; public static C Get() => other;",
        "public static C Get(bool b) { C c = b ? new C() : shared; return c; }",
        "public static void Set(C c) { shared = c; }",
        "public static void Set(C c) { C it = shared; if (it.V == 0) it = c; shared = it; }",
        "public class Base { protected static C Inherited => shared; }",
    ];
    check_given(&given, "FAILS");
}

/// Each of these may give callers the object of a private static field.
#[test]
fn objects_that_private_static_fields_may_give_away() {
    let given = [
        "static C Own() => shared; public static Func<C> Get() => Own;",
        "public static object[] Get() => new object[] { shared };",
        "public static (int, C) Get() => (1, shared);",
        "public static IEnumerable<C> Get() { yield return shared; }",
        "public static Func<C> Get() => () => shared;",
        "public static void Get(Action<C> a) => a(shared);",
        "public static void Get(out C c) { c = shared; }",
        "public static ref C Get() => ref shared;",
        "public static bool Get(object o) => o.Equals(shared);",
        "public interface IGive { static abstract C Get(); } public class Giver : IGive { static C IGive.Get() => shared; }",
        "public static void Get() { try { throw new Error { P = shared }; } catch (Error e) { Last = e.P; } }",
        "static readonly List<C> all = new List<C> { shared }; public static List<C> Get() => all;",
        "static List<C> all = new(); static void Keep() => all.Add(shared); public static C Get() { Keep(); return all[0]; }",
        "public static class Cache<T> { static object it = shared; public static object Get() => it; }",
    ];
    check_given(&given, "HOLDS within arguments are not the object of");
}

/// What callers cannot name gives them nothing, unless they can name the entry point as little.
#[test]
fn objects_that_callers_cannot_name() {
    check(
        "
    public class C { public int V; }
    internal static readonly C inside = new C();
    private class Nested { public static readonly C Deep = new C(); }
    public static void Outside(C c) { Assert(c == null || c != inside); } // HOLDS
    internal static void Inside(C c) { Assert(c == null || c != inside); } // FAILS
    internal static void Deep(C c) { Assert(c == null || c != Nested.Deep); } // HOLDS
    static void Within(C c) { Assert(c == null || c != Nested.Deep); } // FAILS",
    );
}

/// The object of a private static field stays within when it is copied, shown, searched or kept.
#[test]
fn objects_that_stay_within() {
    check_given(
        &[
            "static readonly C other = shared; public static int V() => other.V;",
            "public static string Text() => string.Concat(\"a\", shared) + $\"{shared}\";",
            "class Box { C it = shared; public int V => it.V; } public static int V() => new Box().V;",
        ],
        "HOLDS",
    );
    let made =
        "static C Make() => new C(); static void Reset() { shared = Make(); } public static void New() => Reset();";
    check_given(&[made], "HOLDS within static fields hold the values");
    check(
        "
    static readonly int[] primes = { 2, 3, 5 };
    public static int[] Copy() => (int[])primes.Clone();
    public static int Count() => new List<int>(primes).Count;
    public static int Sum() => primes.Sum() + primes.ToArray().Length + Array.IndexOf(primes, 3) + primes.Max();
    public static bool Has(int n) => primes.Contains(n) || primes.Where(p => p > n).Any();
    public static void Write(int[] a) {
        if (a != null && a.Length == 3) { a[0] = 9; Assert(primes[0] == 2); } // HOLDS
        Assert(a == null || a != primes); // HOLDS
    }",
    );
}

/// Objects to which static fields lead may be among the inputs, and lead to them.
#[test]
fn objects_that_inputs_share_with_static_fields() {
    let shared = "HOLDS within inputs share no objects with static fields";
    let nothing = "HOLDS";
    for (members, mark) in [
        (
            "static readonly C[] pool = { new C() }; public static C Get() => pool[0];
          public static void M(C c) { Assert(c == null || c != pool[0]);",
            shared,
        ),
        (
            "static readonly List<C> all = new() { new C() }; public static C Get() => all[0];
          public static void M(C c) { Assert(c == null || c != all[0]);",
            shared,
        ),
        (
            "static readonly Dictionary<int, C> all = new() { [1] = new C() }; public static C Get() => all[1];
          public static void M(C c) { if (c != null) c.V = 5; Assert(all[1].V == 0);",
            shared,
        ),
        (
            "public static readonly C One = new C();
          public static void M(C[] c) { Assert(c == null || c.Length < 1 || c[0] == null || c[0] != One);",
            shared,
        ),
        (
            "public class N { public N Next; } public static readonly N End = new N();
          public static void M(N n) { Assert(n == null || n == End || n.Next == null || n.Next != End);",
            shared,
        ),
        (
            "static readonly object[] pool = { new C() }; public static object Get() => pool[0];
          public static void M(C c) { Assert(c == null || c != pool[0]);",
            shared,
        ),
        // Nobody gets the objects, or could tell them apart.
        (
            "static readonly C[] pool = { new C() }; public static int Get() => pool[0].V;
          public static void M(C c) { Assert(c == null || c != pool[0]);",
            nothing,
        ),
        (
            "static readonly R[] pool = { new R(7) }; public static R Get() => pool[0];
          public static void M(R r) { Assert(pool[0].W == 7);",
            nothing,
        ),
        (
            "static readonly List<int> all = new() { 3 }; public static int Get() => all[0];
          public static void M(C c) { if (c != null) c.V = 5; Assert(all[0] == 3);",
            nothing,
        ),
    ] {
        check(&format!(
            "public class C {{ public int V; }} public sealed class R(int w) {{ public readonly int W = w; }}
            {members} // {mark}\n}}"
        ));
    }
}

/// The value of a variable to which an argument refers may be the object of a static field.
#[test]
fn objects_of_static_fields_behind_references() {
    check(
        "
    public class C { public int V; }
    public class H { public C F; }
    public struct S { public C F; public int N; public void Own() { N++; Assert(F != One); } } // FAILS
    public static readonly C One = new C();
    static readonly C hidden = new C();
    static readonly string text = new string('a', 2);
    public static void Class(ref C c) { Assert(c != One); } // FAILS
    public static void Object(ref object o) { Assert(o != (object)One); } // FAILS
    public static void Struct(ref S s) { Assert(s.F != One); } // FAILS
    public static void ReadOnly(in S s) { Assert(s.F != One); } // FAILS
    public static void Changed(ref C c) { if (c != null) { c.V = 5; Assert(One.V != 5); } } // FAILS
    public static void Hidden(ref C c) { Assert(c != hidden); } // HOLDS
    public static void Parts(ref H h) { if (h != null) Assert(h.F != One); } // HOLDS within inputs share no objects with static fields
    public static void Elements(Span<C> c) { if (c.Length > 0) Assert(c[0] != One); } // HOLDS within inputs share no objects with static fields
    public static void Texts(ref string s) { Assert(!ReferenceEquals(s, text)); } // HOLDS within strings in inputs are not the objects
        ",
    );
}

/// Callers find objects in exceptions, and in state of the library.
#[test]
fn objects_that_are_published() {
    let bound = "HOLDS within objects that static fields refer to";
    for (code, mark) in [
        ("var e = new Exception(); e.Data[\"k\"] = root; throw e;", bound),
        ("throw new ArgumentOutOfRangeException(\"n\", root, \"text\");", bound),
        ("AppDomain.CurrentDomain.SetData(\"k\", root);", bound),
        ("throw new ArgumentException(root.V.ToString());", "HOLDS"),
        ("var own = new Dictionary<string, C>(); own[\"k\"] = root;", "HOLDS"),
    ] {
        check(&format!(
            "public class C {{ public int V; }} static readonly C root = new C();
            public static void Give() {{ {code} }}
            public static void M() {{ Assert(root.V == 0); // {mark}\n}}"
        ));
    }
}

/// Callers may have the same objects of the library as the code.
#[test]
fn objects_of_the_library() {
    let given = "HOLDS within inputs are none of the objects that the library gives";
    for (members, mark) in [
        ("public static void M(params int[] a) { Assert(a != Array.Empty<int>());", given),
        ("public static void M(int[] a) { if (a != null && a.Length == 0) Assert(a != a.ToArray());", given),
        ("public static void M(EventArgs e) { Assert(!ReferenceEquals(e, EventArgs.Empty));", given),
        ("public static void M(C c) { if (c != null) Assert(c.O != Array.Empty<string>());", given),
        // Nothing of the library is compared.
        (
            "static readonly int[] L = Enumerable.Range(1, 3).ToArray(); public static void M(int[] a) { Assert(a != L);",
            given,
        ),
        ("public static void M(int[] a, int[] b) { if (a != null) Assert(a == b || a != b || a.Sum() > 0);", "HOLDS"),
        (
            "public static void M(C c, C d) { var l = new List<C> { c }; Assert(c == d || c != d || l.Count > 1);",
            "HOLDS",
        ),
        ("public static void M(int[] a) { Assert(a == null || a != new int[0]);", "HOLDS"),
        (
            "public static void M(int[] a) { if (a != null && a.Length == 1) Assert(a.ToArray().Contains(a[0]));",
            "HOLDS",
        ),
        ("public static void M(int[] a) { if (a != null) Assert(!new[] { new int[0].ToArray() }.Contains(a));", given),
    ] {
        check(&format!("public class C {{ public int V; public object O; }} {members} // {mark}\n}}"));
    }
}

/// Code that gets a delegate gets the object on which it is called, and formatters get what they format.
#[test]
fn targets_of_delegates() {
    let list = "static readonly List<int> L = new() { 1 };";
    let changed = "Assert(L[0] == 1);";
    let check = |giving: &str| {
        crate::csharp::check(&format!(
            "{list} {giving}
            public static void M(int x) {{ {changed} // HOLDS within objects that static fields refer to\n}}"
        ));
    };
    check("public static Predicate<int> Get() => L.Contains;");
    check("public static Func<int, int> Get() { Func<int, int> f = L.IndexOf; return f; }");
    let cell = "public class C { public int V; } static readonly C shared = new C { V = 1 };";
    crate::csharp::check_forward(&format!(
        "{cell} public static string Get(IFormatProvider p) => string.Format(p, \"{{0}}\", shared);
        public static void M(C c) {{ Assert(c == null || c != shared); // HOLDS within arguments are not the object of
        }}"
    ));
}

/// What the machine tells is one of several possibilities.
#[test]
fn the_machine() {
    let environment = "HOLDS within environment variables are not set, and there is one processor";
    let command_line = "HOLDS within the command line is one fixed choice";
    let hardware = "HOLDS within the processor has no vector instructions";
    for (condition, mark) in [
        ("Environment.ProcessorCount == 1", environment),
        ("Environment.GetEnvironmentVariable(\"HOME\") == null", environment),
        ("Environment.ExpandEnvironmentVariables(\"%HOME%\") == \"%HOME%\"", environment),
        ("Environment.ProcessorCount > 1", "FAILS"),
        ("Environment.GetEnvironmentVariable(\"HOME\") != null", "FAILS"),
        ("Environment.GetCommandLineArgs().Length < 5 || x > 1", command_line),
        ("Environment.GetCommandLineArgs().Length > 5", command_line),
        ("!System.Runtime.Intrinsics.X86.Sse2.IsSupported", hardware),
        ("System.Runtime.Intrinsics.X86.Sse2.IsSupported", hardware),
        ("!System.Numerics.Vector.IsHardwareAccelerated", hardware),
        ("System.Numerics.Vector<int>.IsSupported && !System.Numerics.Vector<string>.IsSupported", "HOLDS"),
        ("Environment.ProcessorCount < 1", "FAILS"),
        ("new[] { x }.Contains(x)", "HOLDS"),
    ] {
        check(&format!("public static void M(int x) {{ Assert({condition}); // {mark}\n}}"));
    }
}

/// A `HashCode` object gives what `HashCode.Combine` gives.
#[test]
fn two_ways_to_a_hash_code() {
    let doubt =
        "HOLDS within no System.HashCode object is asked for its hash code, which HashCode.Combine may give, too";
    for (condition, mark) in [
        ("h.ToHashCode() == HashCode.Combine(x)", doubt),
        ("HashCode.Combine(x) == HashCode.Combine(x)", "HOLDS"),
        ("HashCode.Combine(x) != HashCode.Combine(y)", "FAILS"),
    ] {
        crate::csharp::check_forward(&format!(
            "public static void M(int x, int y) {{ var h = new HashCode(); h.Add(x); Assert({condition}); // {mark}\n}}"
        ));
    }
}

/// The values of fields that only go into such fields do not matter, and neither do those that are read behind the target.
#[test]
fn values_that_decide_nothing() {
    let bound = "HOLDS within static fields hold the values that initialization gives them";
    let check_count = |code: &str, mark: &str| {
        check(&format!(
            "static int count, last; static int[] seen = new int[3];
            public static void Count(int n) {{ count = n; last = n; seen = new int[n]; }}
            static void Note(int n) {{ last = count + n; count++; }}
            public static void M(int x) {{ {code} // {mark}\n Console.WriteLine(count); }}"
        ));
    };
    check_count("Note(x); Note(1); Assert(x == x);", "HOLDS");
    check_count("int before = count; count = before * 2 + last; Assert(x == x);", "HOLDS");
    check_count("if (count > 5) x = 1; Assert(x == x);", bound);
    check_count("Note(x); if (last > 5) x = 1; Assert(x == x);", bound);
    // Whether control gets to the assertion may depend on the value.
    check_count("int y = 1 / count; Assert(y == y);", bound);
    check_count("while (count > 5) { } Assert(x == x);", bound);
    check_count("int n = seen.Length; Assert(x == x);", bound);
    check_count("for (int i = 0; i < 2; i++) { x = count; } Assert(x != 5 || x == 5);", bound);
    check(&format!(
        "static int count;
        public static void Count(int n) {{ count = n; }}
        public static void Again(int n) {{
            Assert(n == n); // {bound}\n
            if (n > 0 && count == 5) Again(n - 1);
        }}"
    ));
}

/// An initializer that writes a field of another class matters only if the value of the field does.
#[test]
fn initializers_that_write_other_classes() {
    let bound = "HOLDS within classes are initialized when they are first used";
    let check_log = |reads: &str, mark: &str| {
        check(&format!(
            "static int log;
            class Broken {{ internal static int Used; static Broken() {{ log = log + 1; throw new Exception(); }} }}
            public static void M(bool use) {{
                bool caught = false; {reads}
                try {{ if (use) Broken.Used = 1; }} catch (TypeInitializationException) {{ caught = true; }} {reads}
                Assert(caught == use); // {mark}\n
            }}"
        ));
    };
    check_log("", "HOLDS");
    check_log("log = log * 2;", "HOLDS");
    check_log("if (log == 7) return;", bound);
}

/// Static constructors of the classes of arguments have run, those of base classes included.
#[test]
fn static_constructors_of_the_classes_of_arguments() {
    let within = "HOLDS within static fields hold the values";
    check(&format!(
        "
    static int log;
    public class Base {{ static Base() {{ log |= 1; }} public void Own() {{ Assert(log % 2 == 1); }} }} // {within}
    public class Derived : Base {{ static Derived() {{ log |= 2; }} public int N; }}
    public class Plain : Base {{ }}
    public class Field {{ static readonly int start = log |= 4; public int N; }}
    public class Broken {{ static Broken() {{ throw new Exception(); }} }}
    public class OfBroken : Broken {{ }}
    public class Asserting {{ static Asserting() {{ Assert(log == 0); }} }}
    public static void Both(Derived d) {{ if (d != null) Assert(log == 3); }} // {within}
    public static void Above(Plain p) {{ if (p != null) Assert(log == 1); }} // {within}
    public static void Below(Base b) {{ if (b != null) Assert(log == 1); }} // FAILS
    public static void Certain(Base b) {{ if (b is Derived) Assert(log == 3); }} // {within}
    public static void Null(Derived d) {{ Assert(log == 3); }} // FAILS
    public static void Variable(ref Derived d) {{ if (d != null) Assert(log == 3); }} // {within}
    public static void AnyTime(Field f) {{ if (f != null) Assert(log == 4); }} // FAILS
    public static void Never(Broken b) {{ Assert(b == null); }} // HOLDS
    public static void NeverBelow(OfBroken b) {{ Assert(b == null); }} // HOLDS
    public static void Unknown(Asserting a) {{ Assert(a == null); }} // HOLDS within no input is an object of Test.Asserting
        "
    ));
}

/// Classes of arguments, and of objects to which these lead, have been initialized, which is not executed.
#[test]
fn initializers_of_objects_in_inputs() {
    let bound = "HOLDS within static fields hold the values that initialization gives them: Test.log; \
                 classes are initialized when they are first used: Test.Dog";
    let none = "HOLDS within static fields hold the values that initialization gives them: Test.log";
    let check_log = |parameter: &str, mark: &str| {
        check(&format!(
            "static int log;
            public class Animal {{ }}
            public class Dog : Animal {{ static Dog() {{ log = 1; }} }}
            public class Pet {{ internal Animal animal; }}
            public static void M({parameter}) {{
                Assert(log != 5); // {mark}\n
            }}"
        ));
    };
    check_log("Dog d", none);
    check_log("Animal a", none);
    check_log("Pet p", bound);
    check_log("Pet[] p", bound);
    check_log("int x", none);
    check_log("string s", none);
}

/// Whether an argument is the object that a static field holds matters only to code that reads the field.
#[test]
fn fields_that_other_code_reads() {
    let bound = "HOLDS within static fields hold the values that initialization gives them";
    check(&format!(
        "class A {{ internal int V; }}
        class Other {{
            static A held;
            internal static void Keep(A a) {{ held = a; if (held != null) held.V = 1; }}
            internal static A Held() {{ return held; }}
        }}
        public static void Keep(int n) {{ Other.Keep(new A {{ V = n }}); }}
        static void Alone(A a) {{ if (a == null) return; a.V = 3; Assert(a.V == 3); }} // HOLDS
        static void Compares(A a) {{ Assert(a == null || a != Other.Held()); }} // {bound}
        static void Writes(A a) {{ if (a == null) return; a.V = 3; Other.Keep(a); Assert(a.V == 1); }} // {bound}
"
    ));
}
