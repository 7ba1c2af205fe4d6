//! Nullable values, records, tuples, enums, patterns, and types at run time.

use crate::csharp::{check, check_forward};

#[test]
fn nullable_values() {
    check(
        "
    public static void Nullable(int? a, int? b) {
        Assert(a.HasValue == (a != null)); // HOLDS
        Assert((a ?? 5) == a.GetValueOrDefault(5)); // HOLDS
        Assert(a < b || a >= b); // FAILS
        Assert(a + b == null || a.Value + b.Value == a + b); // HOLDS
        Assert(a != b || a + 0 == b); // HOLDS
        object box = a;
        Assert(a == null ? box == null : box is int); // HOLDS
        int n = a.Value;
        Assert(a != null && n == a); // HOLDS
    }
    public static void Logic(bool? p) {
        Assert((p | true) == true && (p & false) == false); // HOLDS
        Assert((p | false) != null); // FAILS
    }",
    );
}

#[test]
fn null_operators() {
    check(
        "
    public class Node { public int Value; public Node Next; }
    public static void Operators(Node n) {
        int? value = n?.Next?.Value;
        Assert(value == null || n.Next.Value == value); // HOLDS
        Assert(value != null || n == null || n.Next == null); // HOLDS
        Node next = n?.Next ?? n;
        Assert(n == null == (next == null)); // HOLDS
        Assert(next != n); // FAILS
        if (n == null) return;
        n.Next ??= n;
        Assert(n.Next != null); // HOLDS
    }",
    );
}

#[test]
fn records() {
    check(
        "
    public record Person(int Id, int Age) { public int Twice => 2 * Age; }
    public record Pupil(int Id, int Age, int Class) : Person(Id, Age);
    public static void Changes(int n, bool pupil) {
        Person p = pupil ? new Pupil(1, n, 2) : new Person(1, n);
        Person older = p with { Age = p.Age + 1 };
        Assert(older != p && older.Id == 1); // HOLDS
        Assert(older.GetType() == typeof(Person)); // FAILS
    }
    public static void Equality(int n) {
        Assert(new Person(1, n) == new Person(1, 3)); // FAILS
        Assert(new Person(1, n) != new Pupil(1, n, 1)); // HOLDS
        var (id, age) = new Person(1, n);
        Assert(age == n && id == 1); // HOLDS
    }",
    );
}

#[test]
fn record_structs() {
    check(
        "
    public readonly record struct Money(int Euros, int Cents = 0) { public int Total => Euros * 100 + Cents; }
    public static void Structs(Money m) {
        Money more = m with { Cents = m.Cents + 1 };
        Assert(more != m && more.Total == m.Total + 1); // HOLDS
        Assert(new Money(2).Total == 200); // HOLDS
        Assert(m == new Money(m.Euros, m.Cents)); // HOLDS
        Assert(m.Total == 250); // FAILS
        Assert(m.Total != 250 || m == new Money(2, 50)); // FAILS
    }",
    );
}

#[test]
fn tuples() {
    check(
        "
    static (int Low, int High) Sorted(int a, int b) => a < b ? (a, b) : (b, a);
    public static void Tuples(int a, int b) {
        var (low, high) = Sorted(a, b);
        Assert(low <= high); // HOLDS
        Assert((low, high) == (a, b)); // FAILS
        Assert(Sorted(b, a) == (low, high)); // HOLDS
        (a, b) = (b, a);
        Assert((a, b) == (low, high) || (b, a) == (low, high)); // HOLDS
        (int, string) pair = (a, null);
        Assert(pair.Item2 == null && pair.Item1 == a && pair.Equals((a, (string)null))); // HOLDS
    }",
    );
}

#[test]
fn enums() {
    check(
        "
    public enum Color { Red, Green = 5, Blue }
    [Flags] public enum Access : byte { None, Read = 1, Write = 2, All = 3 }
    static int Code(Color c) { switch (c) { case Color.Red: return 1; case Color.Blue: return 2; default: return 3; } }
    public static void Enums(Color c, Access a) {
        Assert((int)Color.Blue == 6 && default(Color) == Color.Red); // HOLDS
        Assert(Code(c) < 3 || c == Color.Green); // FAILS
        Assert(Code(c) != 2 || c == Color.Blue); // HOLDS
        Assert((a & Access.Read) == 0 || a.HasFlag(Access.Read)); // HOLDS
        Assert((a & ~Access.All) == 0); // FAILS
        Assert((a | Access.All) >= Access.All); // HOLDS
        Assert(Enum.IsDefined(c)); // FAILS
    }",
    );
}

#[test]
fn names_of_enums() {
    check_forward(
        r#"
    public enum Color { Red, Green = 5, Blue }
    [Flags] public enum Access : byte { None, Read = 1, Write = 2, Both = 3, Top = 128 }
    enum Large : ulong { Low = 1, High = 1UL << 63 }
    public static void Read(string text) {
        Assert(Enum.Parse<Color>("Green") == Color.Green && Enum.Parse<Access>("Top, Read") == (Access)129); // HOLDS
        Assert(Enum.TryParse("blue", true, out Color c) && c == Color.Blue && !Enum.TryParse("blue", out c)); // HOLDS
        Assert(Enum.TryParse("77", out c) && (int)c == 77 && !Enum.TryParse("300", out Access _)); // HOLDS
        try { Enum.Parse<Color>("Violet"); Assert(false); } // HOLDS
        catch (ArgumentException e) { Assert(e.Message == "Requested value 'Violet' was not found."); } // HOLDS
    }
    public static void Written(Color c) {
        Assert($"{c}|{Color.Red,5}" != "Green|  Red"); // FAILS
        Assert((Access.Both | Access.Top).ToString() == "Both, Top" && ((Access)64).ToString() == "64"); // HOLDS
        Assert($"{Color.Blue:D}{Access.Top:X}" == "680" && Enum.GetNames<Color>().Length == 3); // HOLDS
        Assert(Enum.GetValues<Color>()[1] == Color.Green && Enum.GetName(Color.Blue) == "Blue"); // HOLDS
        Assert(Large.High.CompareTo(Large.Low) > 0); // HOLDS
    }"#,
    );
}

/// `Name`, `FullName` and `ToString` of a type give three strings, each always the same one.
#[test]
fn names_of_types() {
    check(
        r#"
    public class Outer<T> { public class Inner { } public class Other<U> { } }
    public static void Names() {
        Assert(new List<int>().ToString() == "System.Collections.Generic.List`1[System.Int32]"); // HOLDS
        Assert($"{new Dictionary<string, int[]>()}" == typeof(Dictionary<string, int[]>).ToString()); // HOLDS
        Assert(typeof(int[,][]).ToString() == "System.Int32[][,]" && typeof(int[,]).Name == "Int32[,]"); // HOLDS
        Assert(typeof(Outer<int>.Inner).Name == "Inner" && typeof(Outer<int>).Name == "Outer`1"); // HOLDS
        var other = typeof(Outer<int>.Other<(int, string)>).ToString();
        Assert(other == "Test+Outer`1+Other`1[System.Int32,System.ValueTuple`2[System.Int32,System.String]]"); // HOLDS
        Assert(typeof(Outer<int>).FullName != ""); // UNKNOWN because full name of a type with type arguments
    }
    public static void Identities() {
        Assert(typeof(Test).FullName == typeof(Test).ToString()); // HOLDS
        Assert(ReferenceEquals(typeof(Test).FullName, typeof(Test).ToString())); // FAILS
        Assert(ReferenceEquals(typeof(Test).FullName, typeof(Test).Name)); // FAILS
        Assert(ReferenceEquals(typeof(Test).FullName, typeof(Test).FullName)); // HOLDS
    }"#,
    );
}

#[test]
fn patterns() {
    check(
        "
    static int Kind(object o) => o switch {
        null => 0,
        int n and > 5 => 1,
        int => 2,
        string { Length: > 2 } s when s[0] == 'x' => 3,
        _ => -1,
    };
    public static void Patterns(object o) {
        Assert(Kind(6) == 1 && Kind(5) == 2 && Kind(null) == 0); // HOLDS
        Assert(o is not string || Kind(o) == -1); // FAILS
    }
    public static void Lists(int[] list, int n) {
        if (list is [1, .., var last]) Assert(last == list[^1]); // HOLDS
        Assert(list is not [1, _, 7]); // FAILS
        if ((n, n + 1) is (3, var next)) Assert(next == 4); // HOLDS
    }",
    );
}

#[test]
fn patterns_that_miss() {
    check(
        "
    public static void Misses(int n) {
        try {
            int m = n switch { < 0 => -1, 0 => 0, > 0 and < 10 => 1 };
            Assert(n < 10 && m <= 1); // HOLDS
            Assert(m == 1 || n <= 0); // HOLDS
        } catch (InvalidOperationException e) {
            Assert(n >= 10); // HOLDS
            Assert(n == 10); // FAILS
        }
    }",
    );
}

#[test]
fn types_at_run_time() {
    check(
        "
    public class Animal { }
    public sealed class Dog : Animal { public int Barks; }
    public static void Types(Animal a) {
        Assert(a == null || a.GetType() != typeof(Animal) || a is not Dog); // HOLDS
        Assert(a is Dog || a == null); // FAILS
    }
    public static void Casts(object o) {
        Dog dog = (Dog)o;
        Assert(dog == o && (o == null || o.GetType() == typeof(Dog))); // HOLDS within loaded classes
        Assert(dog == null); // FAILS
    }
    public static void Handles() {
        Assert(typeof(int) != typeof(uint) && typeof(List<int>) != typeof(List<long>)); // HOLDS
    }",
    );
}

// The runtime takes arrays of signed and of unsigned integers for each other.
#[test]
fn grids_of_the_other_sign() {
    check(
        r#"
    enum Color { Red, Green }
    public static void Signs(int[,] grid) {
        object o = grid;
        Assert(!(o is uint[,])); // FAILS
        Assert(o is uint[,] || o == null); // HOLDS
    }
    public static void Grids(int[,] grid) {
        if (grid == null) return;
        Assert(grid.GetLength(0) >= 0); // HOLDS
        object colors = new Color[2, 2];
        Assert(colors is int[,] && !(colors is long[,])); // HOLDS
    }
    public static void Rows() {
        object rows = new int[2][];
        Assert(rows is uint[][] && !(rows is long[][])); // HOLDS
    }"#,
    );
}

// The runtime takes arrays of signed integers, of unsigned ones and of enums for each other. Characters, truth values and
// native integers are no such integers.
#[test]
fn arrays_that_share_their_bits() {
    check(
        r#"
    enum Color : byte { Red, Green }
    static object Make() => new ushort[1];
    public static void Words(nint[] natives, bool[] flags) {
        object o = Make();
        Assert(o is short[] && !(o is char[]) && !(o is int[])); // HOLDS
        Assert(!((object)natives is long[]) && ((object)natives is nuint[]) == (natives != null)); // HOLDS
        Assert(!((object)flags is byte[])); // HOLDS
    }
    public static void Letters() {
        object o = new char[1];
        Assert(o is char[] && !(o is ushort[])); // HOLDS
    }
    public static void Colors(int[] numbers) {
        if (numbers == null) return;
        Assert(numbers.GetType() == typeof(int[])); // UNKNOWN because the exact type of an array of integers
    }
    public static void Values(sbyte n, ushort m) {
        object o = new sbyte[] { n };
        var bytes = (byte[])o;
        Assert(bytes[0] == (byte)n); // HOLDS
        bytes[0] = 200;
        Assert(((sbyte[])o)[0] == -56 && (int)((Color[])o)[0] == 200); // HOLDS
        object words = new ushort[] { m, m };
        var signed = (short[])words;
        Assert(signed[1] == (short)m && ((ushort[])words)[0] == m); // HOLDS
        Assert(signed[1] >= 0); // FAILS
        ref short first = ref signed[0];
        first = -1;
        Assert(((ushort[])words)[0] == 65535); // HOLDS
    }
    public static void Lists(int[] numbers) {
        object o = numbers;
        if (o is not IList<uint> list || list.Count == 0) return;
        Assert(list[0] == (uint)numbers[0]); // HOLDS
        Assert(list[0] < 1u << 31); // FAILS
    }"#,
    );
}

// Nullable values are boxed as their value, and structs that are like references have no boxes.
#[test]
fn inputs_are_no_impossible_boxes() {
    check_forward(
        r#"
    public ref struct Reader { public int At; }
    public static int Use(int? n) {
        Reader reader = default;
        return reader.At + (n ?? 0);
    }
    public static void Boxes(object a) {
        if (a is null) return;
        Assert(!(a is int?) || a is int); // HOLDS
        Assert(!(a is int n) || a.Equals(n)); // HOLDS
    }"#,
    );
}

#[test]
fn enums_of_all_widths() {
    check(
        r#"
    enum Big : ulong { Low = 1, High = ulong.MaxValue }
    enum Signed : long { Minus = -1, Plus = 3000000000 }
    enum Small : sbyte { Minus = -3 }
    enum Word : uint { High = 4000000000 }
    public static void Order(bool first) {
        Big big = first ? Big.High : Big.Low;
        Assert(((Enum) big).CompareTo(Big.Low) >= 0); // HOLDS
        Assert(Comparer<Big>.Default.Compare(big, Big.Low) == 0); // FAILS
        Assert(Signed.Minus.CompareTo(Signed.Plus) < 0); // HOLDS
        Assert(Word.High.CompareTo((Word) 1) > 0 && Small.Minus.CompareTo((Small) 1) < 0); // HOLDS
    }
    public static void Hashes() {
        Assert(Signed.Minus.GetHashCode() == 0 && Small.Minus.GetHashCode() == -3); // HOLDS
        Assert(Word.High.GetHashCode() == unchecked((int) 4000000000)); // HOLDS
    }"#,
    );
    check_forward(
        r#"
    enum Small : sbyte { Minus = -3 }
    public static void Interpolated(bool first) {
        Assert($"{(first ? Small.Minus : (Small) 7)}!" != "7!"); // FAILS
        Assert($"{Small.Minus}!" == "Minus!"); // HOLDS
    }
    public static void Built(bool first) {
        var text = new System.Text.StringBuilder().Append(first ? 1234567890123 : 5L).Append(6UL);
        Assert(text.Length != 14); // FAILS
    }"#,
    );
}

#[test]
fn initial_values_of_arrays_with_several_dimensions() {
    check(
        "
    public static void Grid(bool row) {
        int[,] grid = { { 1, 2, 3 }, { 4, 5, 6 } };
        Assert(grid[row ? 1 : 0, 1] >= 2); // HOLDS
        Assert(grid[row ? 1 : 0, 2] == 3); // FAILS
    }",
    );
}

/// Objects of types that are not considered pass the same tests as some object that is considered, if all types that pass a
/// test are known.
#[test]
fn tests_for_types() {
    check(
        "
    public interface IShape { } public class Square : IShape { } public sealed class Circle : IShape { public int R; }
    public static void Own(object o) {
        Assert(o is not IShape || o is Square || o is Circle); // HOLDS
        if (o is Circle c && c.R > 3) Assert(((Circle)o).R > 2); // HOLDS
        Assert(o is not string || o is string); // HOLDS
        Assert(o is not IShape[] shapes || shapes.Length >= 0); // HOLDS
        Assert(o is IShape or string or null); // FAILS
    }
    public static void Library(object o) {
        Assert(o is not Exception || o is Exception); // HOLDS within loaded classes
    }
    public static void Interface(object o) {
        Assert(o is not IComparable || o is IComparable); // HOLDS within loaded classes
    }
    public static void Called(object o) {
        if (o is Square || o == null) return;
        Assert(o.Equals(o)); // HOLDS within loaded classes
    }",
    );
    check_forward(
        "
    public sealed class Circle { public int R; }
    public static string Name(object o) => o switch { int n when n < 0 => \"negative\", int => \"int\", Circle => \"circle\", null => \"null\", _ => \"other\" };
    public static void Known(object o) {
        string name = Name(o);
        Assert(name != \"int\" || (int)o >= 0); // HOLDS
        Assert(name != \"circle\" || o.Equals(o)); // HOLDS
        Assert(o is not int n || o.Equals(n)); // HOLDS
        Assert((name == \"null\") == (o == null)); // HOLDS
    }",
    );
}
