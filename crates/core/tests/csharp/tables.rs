//! Hash tables and hash codes.

use crate::check_forward;

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
