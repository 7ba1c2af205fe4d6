//! Hash tables and hash codes.

use crate::csharp::check_forward;

/// A table with any three keys of a type, which are told to be different.
fn check_keys(declarations: &str, ty: &str, keys: &str) {
    check_forward(&format!(
        r#"
    {declarations}
    static bool Works({ty} a, {ty} b, {ty} c) {{
        var table = new Dictionary<{ty}, int>();
        table[a] = 1; table[b] = 2; table[c] = 3;
        if (table.Count != 3 || table[a] != 1 || table[b] != 2 || !table.ContainsKey(c)) return false;
        if (!table.Remove(b) || table.ContainsKey(b) || !table.TryAdd(b, 7) || table.TryAdd(a, 5)) return false;
        var set = new HashSet<{ty}> {{ a, b, a }};
        return set.Count == 2 && set.Contains(b) && !set.Contains(c) && new[] {{ a, b, a }}.Distinct().Count() == 2
            && new[] {{ a, b, a }}.GroupBy(k => k).First().Count() == 2;
    }}
    public static void Keys() {{
        Assert(Works({keys})); // HOLDS
    }}"#
    ));
}

#[test]
fn keys_of_many_types() {
    check_keys("", "int", "1, 2, 8");
    check_keys("", "string", r#""a", "b", "ab""#);
    check_keys("", "(int, string)", r#"(1, "a"), (2, "a"), (1, "b")"#);
    check_keys("", "double", "0.5, double.NaN, -1");
    check_keys("", "int?", "1, 2, 3");
    check_keys("", "DateTime", "DateTime.MinValue, new DateTime(2020, 1, 1), new DateTime(2021, 1, 1)");
}

#[test]
fn keys_of_own_types() {
    check_keys("record struct Point(int X, int Y);", "Point", "new(1, 2), new(2, 1), new(0, 0)");
    let own = "struct Own { public int A; public override int GetHashCode() => A * 31;
        public override bool Equals(object o) => o is Own other && other.A == A; }";
    check_keys(own, "Own", "new Own { A = 1 }, new Own { A = 2 }, new Own { A = 3 }");
    let parts = "struct Parts { public int A; public string B; }";
    check_keys(parts, "Parts", r#"new Parts { A = 1, B = "x" }, new Parts { A = 1, B = "y" }, default"#);
    let combined = "class Key { public int A; public override int GetHashCode() => HashCode.Combine(A, 5);
        public override bool Equals(object o) => o is Key other && other.A == A; }";
    check_keys(combined, "Key", "new Key { A = 1 }, new Key { A = 2 }, new Key { A = 3 }");
}

#[test]
fn keys_that_are_inputs() {
    check_forward(
        r#"
    public static void Pairs(int n) {
        var table = new Dictionary<(int, int), string> { [(1, 2)] = "a", [(n, 3)] = "b" };
        Assert(table.Count == 2 && table[(1, 2)] == "a"); // HOLDS
        Assert(!table.ContainsKey((7, 3))); // FAILS
    }
    public static void Removed(int n) {
        var table = new Dictionary<int, int> { [1] = 1, [n] = 2 };
        table.Remove(1);
        Assert(!table.ContainsKey(1)); // HOLDS
        Assert(table.Count == 1); // FAILS
    }"#,
    );
}

#[test]
fn comparers_decide_which_keys_are_equal() {
    check_forward(
        r#"
    class Modulo : IEqualityComparer<int> {
        public bool Equals(int a, int b) => a % 3 == b % 3;
        public int GetHashCode(int a) => a % 3;
    }
    class Lying : IEqualityComparer<int> {
        public bool Equals(int a, int b) => true;
        public int GetHashCode(int a) => a;
    }
    public static void Comparers() {
        var modulo = new Dictionary<int, int>(new Modulo()) { [1] = 1, [4] = 2, [2] = 3 };
        Assert(modulo.Count == 2 && modulo[7] == 2); // HOLDS
        var lying = new HashSet<int>(new Lying()) { 1, 2 };
        Assert(lying.Count == 2 && !lying.Contains(3)); // HOLDS
        var text = new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase) { ["Ab"] = 1 };
        Assert(text["aB"] == 1 && text.Count == 1); // HOLDS
    }"#,
    );
}

// The codes of strings, objects and combinations differ from run to run.
#[test]
fn hash_codes_are_equal_for_equal_values_only() {
    check_forward(
        r#"
    public static void Codes(int n) {
        object one = new object(), other = new object();
        Assert(one.GetHashCode() == one.GetHashCode() && one.GetHashCode() != 0); // HOLDS
        Assert(one.GetHashCode() != other.GetHashCode()); // FAILS
        Assert("ab".GetHashCode() == ("a" + 'b').GetHashCode()); // HOLDS
        Assert("ab".GetHashCode() == "ba".GetHashCode()); // FAILS
        Assert("ab".GetHashCode() != 42); // FAILS
        Assert(HashCode.Combine(n, 1) == HashCode.Combine(n, 1)); // HOLDS
        Assert(HashCode.Combine(n, 1) != HashCode.Combine(1, n)); // FAILS
    }"#,
    );
}

/// Keys that are equal although their hash codes may be different.
const ODD: &str = "public sealed class Odd { public int H; public Odd(int h) { H = h; }
        public override bool Equals(object o) => o is Odd; public override int GetHashCode() => H; }
    ";

// Structs without hash codes of their own have that of their first field that is not null.
#[test]
fn structs_have_the_hash_code_of_their_first_field() {
    check_forward(&format!(
        "{ODD}{}",
        r#"
    public struct Key { public Odd O; }
    public struct Late { public int N; public Odd O; }
    public struct Two { public Odd A, B; }
    public struct Outer { public Two T; public int N; }
    public struct Pair { public KeyValuePair<Odd, int> P; public int N; }
    public struct Known { public (Odd, int) T; public int N; }
    public struct Maybe { public int? X; public int N; }
    public struct Measure { public double D; public int N; }
    static int Hash<T>(T value) where T : struct => value.GetHashCode();
    public static void Sets(int a, int b) {
        var set = new HashSet<Key> { new Key { O = new Odd(a) }, new Key { O = new Odd(b) } };
        Assert(set.Count == 1); // FAILS
        Assert(set.Count == (a == b ? 1 : 2)); // HOLDS
    }
    public static void Pairs() {
        var odd = new Odd(1);
        var set = new HashSet<KeyValuePair<Odd, int>> { new(odd, 5) };
        odd.H = 2;
        Assert(set.Contains(new(odd, 5))); // FAILS
        Assert(!set.Contains(new(odd, 5))); // HOLDS
    }
    public static void Firsts(int a, int b, Odd odd) {
        Assert(Hash(new Key { O = new Odd(a) }) == Hash(new Key { O = new Odd(b) })); // FAILS
        Assert(Hash(new Key { O = new Odd(a) }) != Hash(new Key { O = new Odd(b) }) || a == b); // HOLDS
        Assert(Hash(new Late { N = a, O = odd }) == Hash(new Late { N = a })); // HOLDS
        Assert(Hash(new Two { A = new Odd(a), B = odd }) == Hash(new Two { B = new Odd(a) })); // HOLDS
        Assert(Hash(new Outer { N = a }) == Hash(new Outer { N = b })); // HOLDS
        Assert(Hash(new Outer { T = new Two { B = new Odd(a) } }) == Hash(new Outer { T = new Two { B = odd } })); // FAILS
        Assert(Hash(new Pair { P = new(new Odd(a), a) }) == Hash(new Pair { P = new(new Odd(a), b) })); // HOLDS
        Assert(Hash(new Known { T = (new Odd(a), 1) }) != Hash(new Known { T = (new Odd(b), 1) }) || a == b); // HOLDS
        Assert(Hash(new Maybe { X = a, N = a }) == Hash(new Maybe { X = a, N = b })); // HOLDS
        Assert(Hash(new Maybe { N = a }) == Hash(new Maybe { X = 0, N = b })); // HOLDS
        Assert(Hash(new Measure { D = 0.0, N = a }) == Hash(new Measure { D = -0.0, N = b })); // HOLDS
    }"#
    ));
}

// Structs with nothing but numbers are hashed by all their bits, but not if there are gaps between them.
#[test]
fn structs_of_numbers_have_the_hash_code_of_their_bits() {
    check_forward(
        r#"
    public struct Point { public int X, Y; }
    public struct Gap { public byte A; public int B; }
    public struct Small { public short A; public sbyte B; public bool C; public byte D, E; }
    public struct Large { public long A; public nint B; }
    public struct Inner { public Point P; public object O; }
    [System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Sequential, Size = 16)]
    public struct Sized { public int A, B; }
    interface ISet { void Set(int x); }
    struct Changed : ISet { int x; public void Set(int to) { x = to; } }
    static int Hash<T>(T value) where T : struct => value.GetHashCode();
    public static void Bits(int a, int b, object o) {
        Assert(Hash(new Point { X = 1, Y = a }) == Hash(new Point { X = 1, Y = b })); // FAILS
        Assert(Hash(new Point { X = 1, Y = a }) != Hash(new Point { X = 1, Y = b }) || a == b); // HOLDS
        Assert(Hash(new Point { X = a, Y = b }) != Hash(new Point { X = b, Y = a }) || a == b); // FAILS
        Assert(Hash(new Gap { A = 1, B = a }) == Hash(new Gap { A = 1, B = b })); // HOLDS
        Assert(Hash(new Sized { A = 1, B = a }) == Hash(new Sized { A = 1, B = b })); // HOLDS
        Assert(Hash(new Inner { P = new Point { X = a }, O = o }) == Hash(new Inner { P = new Point { X = a } })); // HOLDS
        Assert(Hash(new Inner { P = new Point { Y = a } }) == Hash(new Inner { P = new Point { Y = b } })); // FAILS
    }
    public static void Parts(short a, sbyte b, bool c, byte d, long e, int f) {
        int hash = Hash(new Small { A = a, B = b, C = c, D = d });
        Assert(hash == Hash(new Small { A = a, B = b, C = c, D = d })); // HOLDS
        Assert(hash != Hash(new Small { A = a, B = b, C = !c, D = d })); // HOLDS
        Assert(hash != Hash(new Small { A = (short)(a ^ 0x100), B = b, C = c, D = (byte)(d ^ 1) })); // FAILS
        Assert(Hash(new Large { A = e, B = f }) != Hash(new Large { A = e ^ (1L << 40), B = f })); // HOLDS
    }
    public static void Boxes(int a) {
        object box = new Changed();
        int before = box.GetHashCode();
        ((ISet)box).Set(a);
        Assert(box.GetHashCode() == before || a != 0); // HOLDS
        Assert(box.GetHashCode() == before); // FAILS
    }"#,
    );
}

// Each part of a combination is mixed by a bijection, so that two that differ in one part have different hash codes.
#[test]
fn combinations_of_hash_codes_differ_where_one_part_does() {
    check_forward(&format!(
        "{ODD}{}",
        r#"
    public static void Tuples(int a, int b) {
        var set = new HashSet<(int, Odd)> { (1, new Odd(1)), (1, new Odd(2)) };
        Assert(set.Count == 2); // HOLDS
        Assert((a, 1).GetHashCode() != (b, 1).GetHashCode() || a == b); // HOLDS
        Assert((a, b).GetHashCode() != (b, a).GetHashCode() || a == b); // FAILS
    }
    public static void Combined(int a, int b) {
        Assert(HashCode.Combine(1, a, 2, 3, 4) != HashCode.Combine(1, b, 2, 3, 4) || a == b); // HOLDS
        Assert(HashCode.Combine(a, 1) != HashCode.Combine(b, 2)); // FAILS
    }"#
    ));
}
