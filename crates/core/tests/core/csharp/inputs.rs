//! How inputs are shown.

use crate::csharp::open;
use aback_core::{CheckConfig, LoadConfig, Violations};

const TYPES: &str = "using System; using System.Collections.Generic; using System.Diagnostics;
    public enum Color { Red, Green = 5 }
    public struct Point { public int X; public int Y { get; set; } public Color C; public void Move() { X++; Debug.Assert(X != 5); } }
    public class Node { public char Letter; public Node Next; public string Name { get; set; } public Point P; public object Boxed; }
    public class Box<T> { T value; public void Get() { Debug.Assert(value != null); } }
    public static class Test {";

/// Checks the input of the counterexample at an entry point, one line for each parameter.
#[track_caller]
fn check(member: &str, entry: &str, expected: &str) {
    let Some(shown) = shown_inputs(member, entry) else { return };
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(shown, expected);
}

/// The input of the counterexample at an entry point. `None` without .NET.
#[track_caller]
fn shown_inputs(member: &str, entry: &str) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Test.cs");
    std::fs::write(&file, format!("{TYPES} {member} }}")).unwrap();
    let session = open(&[file], &LoadConfig::default())?;
    let config = CheckConfig {
        entry: Some(entry.into()),
        violations: Violations::in_language(session.program(), false),
        ..CheckConfig::default()
    };
    let answer = session.check(&config).unwrap();
    let violation = answer.violation.clone().unwrap();
    // What is shown to users does not change what is written for tools.
    let witness = session.witness(&answer, &violation, None);
    let inputs = witness.inputs.resolve(session.program()).unwrap();
    assert_eq!(inputs, violation.inputs);
    Some(violation.shown_inputs.iter().map(|(name, text)| format!("{name} = {text}")).collect())
}

#[test]
fn values() {
    check(
        r#"public static void Values(char c, char quote, string s, float f, double d, Color k, Color other, bool b, int? n, int? no) {
            Debug.Assert(c != 'a' || quote != '\'' || s != "q\n\"" || f != 1.5f || d == d || k != Color.Green
                || other != (Color)7 || !b || n != 5 || no != null);
        }"#,
        "Test.Values",
        r#"
        c = 'a'
        quote = '\''
        s = "q\n\""
        f = 1.5f
        d = double.NaN
        k = Color.Green
        other = (Color)7
        b = true
        n = 5
        no = null"#,
    );
}

#[test]
fn structs() {
    check(
        "public static void Structs(Point p, Point? q, (int, string) t) {
            Debug.Assert(p.X != 1 || p.Y != 2 || p.C != Color.Green || q == null || q.Value.X != 5 || q.Value.Y != 6 || q.Value.C != 0
                || t.Item1 != 7 || t.Item2 != null);
        }",
        "Test.Structs",
        "p = Point { X = 1, Y = 2, C = Color.Green }
        q = Point { X = 5, Y = 6, C = Color.Red }
        t = (7, null)",
    );
    check("", "Point.Move", "this = Point { X = 4, Y = 0, C = Color.Red }");
}

#[test]
fn structs_of_the_library() {
    check(
        "public static void Library(decimal price, DateTime day, TimeSpan? time, Guid id) {
            Debug.Assert(day != new DateTime(2024, 2, 29) || time != TimeSpan.FromTicks(7));
        }",
        "Test.Library",
        r#"
        price = 0m
        day = new DateTime(2024, 2, 29)
        time = TimeSpan.FromTicks(7)
        id = new Guid("00000000-0000-0000-0000-000000000000")"#,
    );
}

#[test]
fn times_indices_and_halves() {
    check(
        "public static void M(DateOnly day, TimeOnly time, DateTimeOffset at, Index i, Range r, Half h, System.Text.Rune c) {
            if (day.Month == 2 && day.Day == 29 && day.Year == 2024 && time == new TimeOnly(23, 0) && at.Offset == TimeSpan.FromMinutes(-90))
                Debug.Assert(i.Value != 3 || !i.IsFromEnd || r.Start.Value != 1 || !r.End.Equals(^1) || h != (Half)1.5f || c.Value != 0x1f600);
        }",
        "Test.M",
        "day = new DateOnly(2024, 2, 29)
        time = new TimeOnly(23, 0, 0)
        at = new DateTimeOffset(1, 1, 1, 0, 0, 0, TimeSpan.FromMinutes(-90))
        i = ^3
        r = 1..^1
        h = (Half)(1.5f)
        c = new System.Text.Rune(0x1f600)",
    );
}

/// Large numbers and long arrays become smaller as long as the execution takes the same path. How small they become
/// depends on the model from which this starts.
#[test]
fn small_values() {
    let shown = shown_inputs(
        "public static void Large(int[] a, long n, int[,] grid) {
            if (a.Length > 300 && n < 0 && grid.GetLength(1) > 2000 && grid.GetLength(0) == 1) Debug.Assert(n >= 0);
        }",
        "Test.Large",
    );
    let Some([a, n, grid]) = shown.as_deref() else { return };
    let length = |text: &str, prefix: &str| -> u32 {
        let rest = text.strip_prefix(prefix).and_then(|rest| rest.split(']').next());
        rest.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{text}"))
    };
    assert!((301..=10_000).contains(&length(a, "a = int[")), "{a}");
    assert_eq!(n, "n = -1");
    assert!((2001..=10_000).contains(&length(grid, "grid = int[1, ")), "{grid}");
}

#[test]
fn variables_of_the_caller() {
    check(
        "public static void Places(ref int x, ref Point p, in char c) {
            Debug.Assert(x != 5 || p.X != 3 || p.Y != 0 || p.C != 0 || c != 'z');
        }",
        "Test.Places",
        "ref x = 5
        ref p = Point { X = 3, Y = 0, C = Color.Red }
        ref c = 'z'",
    );
    check(
        "public static void Same(ref int x, ref int y) { if (x == 6) { y = 7; Debug.Assert(x != 7); } }",
        "Test.Same",
        "ref x = 6
        ref y = ref x",
    );
}

#[test]
fn places_of_the_caller() {
    let holder = "public class Holder { public int V; public Point P; public static int Count; }";
    let check_place = |member: &str, expected: &str| check(&format!("{holder} {member}"), "Test.M", expected);
    check_place(
        "public static void M(ref int x, Holder h) { x = 1; h.V = 2; Debug.Assert(x == 1); }",
        "ref x = ref h.V
        h = Holder#1 { V = 0, P = Point { X = 0, Y = 0, C = Color.Red } }",
    );
    check_place(
        "public static void M(ref int x, Holder h) { x = 1; h.P.X = 2; Debug.Assert(x == 1); }",
        "ref x = ref h.P.X
        h = Holder#1 { V = 0, P = Point { X = 0, Y = 0, C = Color.Red } }",
    );
    check_place(
        "public static void M(ref int x) { x = 1; Holder.Count = 2; Debug.Assert(x == 1); }",
        "ref x = ref Holder.Count",
    );
    check_place(
        "public static void M(ref int x, int[] a) { x = 1; if (a.Length == 1) { a[0] = 2; Debug.Assert(x == 1); } }",
        "ref x = ref a[0]
        a = int[1]#1 = [0]",
    );
}

#[test]
fn arrays() {
    check(
        "public static void Arrays(Point[] ps, int[,] grid, char[] cs) {
            if (ps == null || ps.Length != 1 || grid == null || grid.GetLength(0) != 2 || grid.GetLength(1) != 1) return;
            if (cs == null || cs.Length != 1) return;
            Debug.Assert(ps[0].X != 4 || ps[0].Y != 1 || ps[0].C != 0 || grid[0, 0] != 1 || grid[1, 0] != 2 || cs[0] != 'x');
        }",
        "Test.Arrays",
        "ps = Point[1]#1 = [Point { X = 4, Y = 1, C = Color.Red }]
        grid = int[2, 1]#2 = [[1], [2]]
        cs = char[1]#3 = ['x']",
    );
}

#[test]
fn objects() {
    check(
        r#"public static void Objects(Node n, object o) {
            if (n == null || n.Next != n || n.Letter != 'q' || n.P.X != 1 || n.P.Y != 2 || n.P.C != 0 || n.Name != "n") return;
            Debug.Assert(n.Boxed is not char c || c != 'b' || o is not Color k || k != Color.Green);
        }"#,
        "Test.Objects",
        r#"n = Node#1 { Letter = 'q', Next = Node#1, Name = "n", P = Point { X = 1, Y = 2, C = Color.Red }, Boxed = 'b' }
        o = Color.Green"#,
    );
    check("", "Box<List<string>>.Get", "this = Box<List<string>>#1 { value = null }");
}

/// A false assertion ends no static constructor, so that there are objects of its class.
#[test]
fn objects_of_classes_with_false_assertions() {
    let class = "public class Q { static Q() { Debug.Assert(false); } public void M(int x) { Debug.Assert(x != 3); } }";
    check(class, "Test.Q.M", "this = Q#1 {}\nx = 3");
}

/// Inputs that calls make are shown in the form of the sources, too.
#[test]
fn inputs_that_calls_make() {
    let types = "public class Counter { int n; public void Add() { n++; } public int Count => n; }
        public struct Pair { public Counter First; public int Number; }
        public static void Same(ref Counter a, ref Counter b) {
            if (a != null && b != null && a.Count == 1) { b.Add(); Debug.Assert(a.Count == 1); } }
        public static void Struct(Pair p, Color c) {
            Debug.Assert(p.First == null || p.First.Count != 1 || p.Number != 3 || c != Color.Green); }";
    check(types, "Test.Same", "ref a = Counter#1 { n = 1 }\nref b = Counter#1 { n = 1 }");
    check(types, "Test.Struct", "p = Pair { First = Counter#1 { n = 1 }, Number = 3 }\nc = Color.Green");
}

#[test]
fn objects_of_static_fields_in_structs() {
    let types = "public class C { public int V; } public struct S { public int N; public C F; } public static readonly C Shared = new C();
        public static void Change(S w) { w.F.V = 3; Debug.Assert(w.N != 1 || Shared.V == 0); }
        public static void Pair((C, int) w) { w.Item1.V = 3; Debug.Assert(w.Item2 != 1 || Shared.V == 0); }
        public static void Maybe(S? w) { if (w is { F: { } f, N: 1 }) Debug.Assert(f != Shared); }";
    check(types, "Test.Change", "w = S { N = 1, F = Test.Shared }");
    check(types, "Test.Pair", "w = (Test.Shared, 1)");
    check(types, "Test.Maybe", "w = S { N = 1, F = Test.Shared }");
}

/// Structs of the library whose parts depend on each other, and inline arrays, have their default value in inputs.
#[test]
fn restricted_structs() {
    crate::csharp::check(
        "
    [System.Runtime.CompilerServices.InlineArray(4)] public struct Four { int first; }
    public class Holder {
        public ArraySegment<int> Part; public int Number; public Four Numbers;
        public void Other() { Assert(Number != 7); } // FAILS
        public void Default() { Assert(Part.Count == 0); } // HOLDS within inputs of type System.ArraySegment<int> are its default value
        public void Filled() { Assert(Part.Count != 0); } // FAILS
        public void Element() {
            Numbers[1] = 3;
            Assert(Numbers[1] == 3 && Numbers[0] == 0); // HOLDS within inputs of type Test.Four are its default value
        }
    }
    public static void Argument(ArraySegment<int> part, int number) {
        Assert(number != 3 || part.Count != 0); // FAILS
    }
    public static void Reference(ref ArraySegment<int> part) {
        part = new ArraySegment<int>(new[] { 1, 2 });
        Assert(part.Count == 2); // HOLDS within inputs of type System.ArraySegment<int> are its default value
    }
    public static void InCollections(List<ArraySegment<int>> list, ArraySegment<int>[] parts) {
        Assert(parts == null); // HOLDS within references to System.ArraySegment<int>[] in input objects are null
        Assert(list == null); // HOLDS within references to System.Collections.Generic.List<System.ArraySegment<int>>
    }
    public static void InTuples((Memory<byte>, int) pair) {
        Assert(pair.Item2 != 3); // FAILS
        Assert(pair.Item1.Length == 0); // HOLDS within inputs of type System.Memory<byte> are its default value
    }
    public static void Written(Holder one, Holder other) {
        if (one == null || other == null) return;
        one.Part = new ArraySegment<int>(new[] { 1 });
        Assert(other.Part.Count == 0); // FAILS
        Assert(other.Part.Count == 0 || one == other); // HOLDS within inputs of type
    }",
    );
}

#[test]
fn properties() {
    let source = "namespace Xunit { public class TheoryAttribute : System.Attribute { } }
        public class Test { [Xunit.Theory] public void Law(int x) { } public void Plain(int x) { } }";
    let Some(session) = crate::csharp::open_source(source) else { return };
    assert!(session.is_property("Test.Law") && !session.is_property("Test.Plain"));
}
