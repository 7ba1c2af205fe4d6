//! Collections of the class library, LINQ, and arrays.

use crate::check;

#[test]
fn lists() {
    check(
        "
    public static void Lists(int a, int b) {
        var list = new List<int> { a, b };
        list.Insert(1, 5);
        Assert(list.Count == 3 && list[2] == b); // HOLDS
        list.RemoveAt(0);
        Assert(list[0] == 5 && list.IndexOf(5) == 0); // HOLDS
        Assert(list.Contains(7)); // FAILS
        a = list[2];
        a = 1; // UNREACHABLE
    }
    public static void Changes() {
        var list = new List<int> { 1, 2 };
        foreach (int n in list) list.Add(n);
        list.Clear(); // UNREACHABLE
    }",
    );
}

/// Elements as objects: those of an array of integers may be values of an enum.
#[test]
fn elements_as_objects() {
    check(
        "
    public static void Types(int n) {
        object[] mixed = { 1, \"a\", n };
        Assert(mixed.OfType<string>().Count() == 1); // HOLDS
        Assert(mixed.OfType<int>().Sum() != 8); // FAILS
        try { foreach (string text in mixed.Skip(1).Cast<string>()) Assert(text == \"a\"); } // HOLDS
        catch (InvalidCastException) { n = 1; } // REACHABLE
    }
    public static void Untyped(int n) {
        Array array = new double?[] { 1.5, null };
        int count = 0;
        foreach (object element in array) if (element != null) count++;
        Assert(count == 1 && (double)array.GetValue(0) == 1.5); // HOLDS
        try { array.GetValue(n); Assert(n == 0); } // FAILS
        catch (IndexOutOfRangeException) { Assert(n < 0 || n > 1); } // HOLDS
    }
    public static void Integers() {
        Array array = new int[] { 1 };
        Assert(array.GetValue(0) != null); // UNKNOWN because which may be one of enum values
    }",
    );
}

#[test]
fn dictionaries() {
    check(
        "
    public static void Dictionaries(int k) {
        var ages = new Dictionary<string, int> { [\"ann\"] = 30 };
        ages[\"bob\"] = k;
        Assert(ages.Count == 2 && ages[\"bob\"] == k); // HOLDS
        Assert(ages.TryGetValue(\"ann\", out int age) && age == 30); // HOLDS
        Assert(!ages.ContainsValue(7)); // FAILS
        k = ages[\"eve\"]; // REACHABLE
        k = 1; // UNREACHABLE
    }
    public static void Numbers(int k) {
        var names = new Dictionary<int, int> { [3] = 1 };
        names[k] = 2;
        Assert(names.Count == 2); // FAILS
        Assert(names.Count <= 2); // HOLDS
    }",
    );
}

#[test]
fn sets_stacks_and_queues() {
    check(
        "
    public static void Sets(int a, int b) {
        var set = new HashSet<int> { a };
        set.Add(b);
        Assert(set.Count == 2); // FAILS
        Assert(set.Count <= 2); // HOLDS
    }
    public static void Orders(int a, int b) {
        var stack = new Stack<int>();
        var queue = new Queue<int>();
        foreach (int n in new[] { a, b }) { stack.Push(n); queue.Enqueue(n); }
        Assert(stack.Pop() == b && queue.Dequeue() == a); // HOLDS
        Assert(stack.Peek() == queue.Peek()); // FAILS
    }",
    );
}

#[test]
fn queries() {
    check(
        "
    public static void Larger(int a, int limit) {
        int[] all = { a, 3 };
        int[] larger = all.Where(n => n > limit).ToArray();
        Assert(larger.Length == 2); // FAILS
        Assert(larger.Length <= 2); // HOLDS
    }
    public static void Sums(int a, int b) {
        int[] all = { a, b };
        Assert(all.Select(n => n - a).First() == 0); // HOLDS
        Assert(all.Any(n => n != b)); // FAILS
    }
    public static void Lazy(int a, int limit) {
        int[] all = { a };
        var larger = all.Where(n => n > limit);
        all[0] = limit;
        Assert(!larger.Any()); // HOLDS
        Assert(all[0] == a); // FAILS
    }",
    );
}

#[test]
fn sorting() {
    check(
        "
    public static void Ordering(int a, int b, int m) {
        int first = new[] { a, b }.OrderBy(n => n & m).First();
        Assert((first & m) <= (a & m)); // HOLDS
        Assert(first == a); // FAILS
    }",
    );
}

#[test]
fn arrays_of_narrower_types() {
    check(
        "
    public class Animal { }
    public class Dog : Animal { }
    public static void Store(Animal[] all, Animal a) {
        if (all == null || all.Length == 0) return;
        try {
            all[0] = a;
            Assert(all[0] == a); // HOLDS
            Assert(a is Dog || all is not Dog[]); // FAILS
        } catch (ArrayTypeMismatchException) {
            Assert(all is Dog[] && a is not Dog && a != null); // HOLDS
            a = null; // REACHABLE
        }
    }",
    );
}

#[test]
fn jagged_arrays() {
    check(
        "
    public static void Jagged(int[][] rows, int i, int j) {
        rows[i][0] = 1;
        rows[j][0] = 2;
        Assert(rows[i][0] == 1); // FAILS
        Assert(rows[i][0] == 1 || rows[i] == rows[j]); // HOLDS
        var made = new int[2][];
        Assert(made[1] == null && made.Length == 2); // HOLDS
    }",
    );
}

#[test]
fn copies_of_arrays() {
    check(
        "
    public static void Copies(int[] a) {
        if (a == null || a.Length != 3) return;
        int[] copy = (int[])a.Clone();
        Array.Copy(a, 0, a, 1, 2);
        Assert(a[1] == copy[0] && a[2] == copy[1]); // HOLDS
        Assert(a[2] == copy[2]); // FAILS
        Array.Resize(ref copy, 5);
        Assert(copy.Length == 5 && copy[4] == 0); // HOLDS
        Assert(Array.IndexOf(a, a[1]) == 0); // HOLDS
    }",
    );
}

#[test]
fn rectangular_arrays() {
    check(
        "
    public static void Grid(int i, int j) {
        var g = new int[2, 3];
        g[i, j] = 5;
        Assert(i >= 0 && i < 2 && j < g.GetLength(1)); // HOLDS
        g[0, 0]++;
        Assert(g[i, j] == 5); // FAILS
        Assert(g[i, j] == 5 || i + j == 0); // HOLDS
        Assert(g.Length == 6 && g.Rank == 2); // HOLDS
    }
    public static void Given(int[,] g) {
        g[0, 0] = 1;
        Assert(g.GetLength(0) != 2); // FAILS
    }",
    );
}

/// What is thrown depends on whether some element could fit.
#[test]
fn copies_between_arrays_of_references() {
    let thrown = |copy: &str, thrown: &str| {
        check(&format!(
            "
    class Animal {{ }} class Cat : Animal {{ }} class Dog : Animal {{ }}
    static string Name(Action a) {{ try {{ a(); return \"\"; }} catch (Exception e) {{ return e is InvalidCastException ? \"cast\" : \"type\"; }} }}
    public static void M() {{ Assert(Name(() => Array.Copy({copy})) == \"{thrown}\"); }} // HOLDS"
        ));
    };
    thrown("new Animal[] { new Dog() }, new Cat[1], 1", "cast");
    thrown("new Animal[] { new Cat(), null }, new Cat[2], 2", "");
    thrown("new Dog[1], new Cat[1], 0", "type");
    thrown("new IComparable[] { 1 }, new string[1], 1", "cast");
    thrown("new IComparable[1], new IDisposable[1], 1", "");
    thrown("new Cat[] { new Cat() }, new Animal[1], 1", "");
    check(
        "
    class Animal { } class Cat : Animal { } class Dog : Animal { }
    public static void Part() {
        Animal[] from = { new Cat(), new Dog() };
        var to = new Cat[2];
        try { Array.Copy(from, to, 2); } catch (InvalidCastException) { }
        Assert(to[0] == from[0] && to[1] == null); // HOLDS
    }",
    );
}
