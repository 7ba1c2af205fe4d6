//! Values of structs, which assignments copy.

use crate::csharp::{check, check_forward};

#[test]
fn copies() {
    check(
        "
    public struct Point { public int X, Y; public void Move() { X++; } }
    public static void Copies(Point p) {
        Point q = p;
        q.X = p.X + 1;
        Assert(q.X != p.X); // HOLDS
        p.Move();
        Assert(p.X == q.X); // HOLDS
        Assert(p.Equals(q)); // HOLDS
        q.Y = 5;
        Assert(p.Equals(q)); // FAILS
    }",
    );
}

#[test]
fn structs_in_structs() {
    check(
        "
    public struct Inner { public int A; public int[] Items; }
    public struct Outer { public Inner Left, Right; }
    public static void Nested(Outer o) {
        Outer copy = o;
        copy.Left.A = 1;
        copy.Right = copy.Left;
        copy.Left.A = 2;
        Assert(copy.Right.A == 1); // HOLDS
        Assert(o.Left.A == 2); // FAILS
        if (o.Left.Items == null || o.Left.Items.Length == 0) return;
        copy.Right.Items[0] = 7;
        Assert(o.Left.Items[0] == 7); // HOLDS
        Assert(o.Right.Items == null); // FAILS
    }",
    );
}

#[test]
fn arrays_of_structs() {
    check(
        "
    public struct Point { public int X, Y; }
    public static void Elements(Point[] all, int i, int j) {
        if (all == null || i < 0 || j < 0 || i >= all.Length || j >= all.Length) return;
        Point before = all[j];
        all[i].X = before.X + 1;
        Assert(all[j].X == before.X); // FAILS
        Assert(i == j || all[j].X == before.X); // HOLDS
        Assert(all[j].Y == before.Y); // HOLDS
    }",
    );
}

#[test]
fn boxes() {
    check(
        "
    public struct Point { public int X, Y; }
    public static void Boxes(Point p) {
        object box = p, same = box;
        p.X++;
        Assert(((Point)box).X == p.X - 1); // HOLDS
        Assert(ReferenceEquals(box, same)); // HOLDS
        Assert(ReferenceEquals(box, (object)p)); // FAILS
    }
    public static void Given(object o) {
        if (o is Point q && q.X == 3) Assert(o.Equals(q)); // HOLDS within loaded classes
        if (o is int n) Assert(n < 1000); // FAILS
        Assert(o is not long); // FAILS
    }
    public static void Unboxing(object o) {
        int n = (int)o;
        Assert(o is int && o != null); // HOLDS within loaded classes
        long l = (long)o; // REACHABLE
        n++; // UNREACHABLE within loaded classes
    }",
    );
}

#[test]
fn interfaces_of_boxes() {
    check(
        "
    public interface ICounter { void Count(); int Value { get; } }
    public struct Counter : ICounter { int n; public void Count() { n++; } public int Value => n; }
    static void Count<T>(T counter) where T : ICounter { counter.Count(); }
    public static void Interfaces(Counter c) {
        int before = c.Value;
        ICounter box = c;
        box.Count();
        Assert(box.Value == before + 1 && c.Value == before); // HOLDS
        Count(box);
        Assert(box.Value == before + 2); // HOLDS
        Count(c);
        Assert(c.Value == before + 1); // FAILS
    }",
    );
}

#[test]
fn defaults() {
    check(
        "
    public struct Point { public int X, Y; public string Name; public Point(int x) { X = x; Y = 1; Name = \"\"; } }
    public static void Defaults(int n) {
        Point p = default;
        Assert(p.X == 0 && p.Y == 0 && p.Name == null); // HOLDS
        var all = new Point[3];
        Assert(all[2].Name == null && all[1].X == 0); // HOLDS
        Assert(new Point(n).X == default(Point).X); // FAILS
        Assert(new Point(n).Y == new Point().Y + 1); // HOLDS
    }",
    );
}

#[test]
fn readonly_places_are_copied() {
    check(
        "
    public struct Counter { public int N; public int Next() => ++N; }
    public class Holder {
        readonly Counter fixedOne;
        Counter free;
        public void Run() {
            int before = fixedOne.N, other = free.N;
            fixedOne.Next();
            free.Next();
            Assert(fixedOne.N == before); // HOLDS
            Assert(free.N == other); // FAILS
        }
    }",
    );
}

#[test]
fn methods_with_models_get_a_pointer() {
    check(
        r#"
    public static void Filled(int n) {
        int[] numbers = new int[3];
        Span<int> part = numbers.AsSpan(1, 2);
        part.Fill(n);
        Assert(numbers[0] == 0 && numbers[1] == n && numbers[2] == n); // HOLDS
        part.Clear();
        Assert(numbers[1] == 0); // HOLDS
    }"#,
    );
}

#[test]
fn arrays_in_structs() {
    check_forward(
        r#"
    [System.Runtime.CompilerServices.InlineArray(3)] struct Three { int first; }
    struct Outer { public Three Numbers; public int Sum; }
    unsafe struct Fixed { public fixed byte Bytes[4]; public int Count; }
    class Holder { public Outer Inner; public Fixed Bytes; }
    public static void Copies(int n) {
        var one = new Outer();
        Assert(one.Numbers[2] == 0); // HOLDS
        one.Numbers[0] = n;
        var other = one;
        other.Numbers[0]++;
        Assert(one.Numbers[0] == n && other.Numbers[0] == unchecked(n + 1)); // HOLDS
        var holder = new Holder { Inner = one };
        holder.Inner.Numbers[1] = 7;
        Assert(one.Numbers[1] == 0 && holder.Inner.Numbers[1] == 7); // HOLDS
        Assert(holder.Inner.Numbers[0] != 42); // FAILS
    }
    public static unsafe void Fixeds(byte b) {
        var holder = new Holder();
        Fixed one = holder.Bytes;
        one.Bytes[3] = b;
        Fixed other = one;
        other.Bytes[3] = 1;
        Assert(one.Bytes[3] == b && other.Bytes[3] == 1 && one.Bytes[0] == 0); // HOLDS
        Assert(one.Bytes[3] != 200); // FAILS
    }
    public static void Arrays() {
        var all = new Outer[2];
        Assert(all[0].Numbers[0] == 0); // UNKNOWN because which has an inline array
    }"#,
    );
}

/// The box of an inline array has all its elements. Such boxes are made by the program, never inputs.
#[test]
fn boxes_of_inline_arrays() {
    check(
        "
    [System.Runtime.CompilerServices.InlineArray(4)] public struct Four { int e; }
    public struct Own { public Four B; public int N; }
    public static void Made(int n) {
        Four b = default;
        b[1] = n;
        object box = b;
        var other = (Four)box;
        other[0] = 100;
        Assert(((Four)box)[0] == 0 && ((Four)box)[1] == n); // HOLDS
        Assert(other[1] != 7); // FAILS
    }
    public static void Input(object o) {
        if (o is Four b) Assert(b[0] == 0); // HOLDS within loaded classes
        if (o is Own w) Assert(w.B[1] != 5); // HOLDS within loaded classes
    }",
    );
}

/// The box of an enum is none of a nullable value of its underlying type.
#[test]
fn nullable_values_of_boxes() {
    check(
        "
    public enum Color { Red, Green }
    static bool Fails(Action a) { try { a(); return false; } catch (InvalidCastException) { return true; } }
    public static void Casts() {
        Assert((int)(object)Color.Green == 1 && (Color)(object)1 == Color.Green); // HOLDS
        Assert(Fails(() => { var n = (int?)(object)Color.Green; })); // HOLDS
        Assert(Fails(() => { var n = (Color?)(object)1; })); // HOLDS
        Assert(Fails(() => { var n = (uint?)(object)1; })); // HOLDS
        Assert(!Fails(() => { var n = (Color?)(object)Color.Green; })); // HOLDS
    }
    public static void Input(object o) {
        if (o is not Color) return;
        var n = (int?)o;
        n = 1; // UNREACHABLE
    }",
    );
}

/// `ValueType.Equals` compares boxes of the fields: null, or that of the value.
#[test]
fn equality_of_nullable_fields() {
    check(
        "
    public struct N { public int? V; public int K; }
    public struct Outer { public N? V; }
    public static void Equal(N a, N b) {
        Assert(a.Equals(b) == (a.V == b.V && a.K == b.K)); // HOLDS
        Assert(!a.Equals(b)); // FAILS
    }
    public static void Null(int k) {
        Assert(!new N { V = 0 }.Equals(new N())); // HOLDS
        Assert(new N().Equals(new N())); // HOLDS
        Assert(new Outer { V = new N { K = k } }.Equals(new Outer { V = new N { K = k } })); // HOLDS
        Assert(!new Outer { V = new N { K = k } }.Equals(new Outer())); // HOLDS
        Assert(new N { V = k }.GetHashCode() == new N { V = k }.GetHashCode()); // HOLDS
    }",
    );
}
