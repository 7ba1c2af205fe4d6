//! Collections of the class library, LINQ, and arrays.

use crate::csharp::{check, check_forward};

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

/// Buckets of hash tables are merged. Elements are still compared only with those of equal hash codes, the newest first,
/// and have the same order.
#[test]
fn hash_tables_with_hash_codes_of_the_program() {
    check(
        r#"
    class Key {
        public int Hash; public string Name; public static string Asked = "";
        public override int GetHashCode() => Hash;
        public override bool Equals(object o) { Asked += ((Key)o).Name + Name + " "; return ((Key)o).Name == Name; }
    }
    static Key New(int hash, string name) => new Key { Hash = hash, Name = name };
    static string AskedSince() { var asked = Key.Asked; Key.Asked = ""; return asked; }
    public static void Different() {
        var d = new Dictionary<Key, int>();
        for (int i = 0; i < 5; i++) d[New(i * 3, "n")] = i;
        Assert(d.Count == 5 && Key.Asked == ""); // HOLDS within static fields
    }
    public static void Equal() {
        var s = new HashSet<Key>();
        foreach (var n in new[] { "a", "b", "c" }) s.Add(New(7, n));
        Assert(AskedSince() == "ba cb ca "); // HOLDS within static fields
        s.Contains(New(7, "a"));
        Assert(AskedSince() == "ac ab aa "); // HOLDS within static fields
        s.Remove(New(7, "b"));
        s.Add(New(7, "d"));
        AskedSince();
        s.Contains(New(7, "z"));
        Assert(AskedSince() == "zd zc za "); // HOLDS within static fields
        s.Add(New(1, "e"));
        s.Add(New(7, "f"));
        AskedSince();
        s.Contains(New(7, "z"));
        Assert(AskedSince() == "zf zc zd za "); // HOLDS within static fields
        Assert(string.Join(",", s.Select(x => x.Name)) == "a,d,c,e,f"); // HOLDS within static fields
    }
    public static void Groups() {
        var keys = new[] { "a", "b", "a", "c" }.Select(n => New(n == "c" ? 1 : 2, n));
        var groups = string.Join(",", keys.GroupBy(x => x).Select(x => x.Key.Name + x.Count()));
        Assert(groups == "a2,b1,c1" && AskedSince() == "ba ab aa "); // HOLDS within static fields
    }"#,
    );
}

/// Hash codes of types, objects and strings differ from run to run, and so do those of records.
#[test]
fn hash_tables_with_any_hash_codes() {
    check(
        r#"
    record Point(int X, int Y);
    class Node { }
    public static void Records(int x, int y) {
        var d = new Dictionary<Point, int> { [new(1, 2)] = 1, [new(2, 1)] = 2, [new(3, 3)] = 3 };
        Assert(d.Count == 3 && d[new(2, 1)] == 2 && !d.ContainsKey(new(0, 0))); // HOLDS
        Assert(d.ContainsKey(new(x, y)) == (x + y == 3 && x * y == 2 || x == 3 && y == 3)); // HOLDS
        Assert(!d.ContainsKey(new(x, y))); // FAILS
    }
    public static void Objects() {
        Node a = new(), b = new();
        var d = new Dictionary<Node, int> { [a] = 1, [b] = 2, [new Node()] = 3 };
        Assert(d[b] == 2 && d.Count == 3 && !d.ContainsKey(new Node())); // HOLDS
    }"#,
    );
    check_forward(
        r#"
    record Point(int X, int Y);
    public static void Groups() {
        var words = "the cat and the dog and the bird".Split(' ');
        var most = words.GroupBy(w => w).OrderByDescending(g => g.Count()).First();
        Assert(most.Key == "the" && most.Count() == 3); // HOLDS
        var points = new[] { new Point(1, 1), new Point(1, 2), new Point(1, 1) };
        Assert(points.Distinct().Count() == 2 && points.GroupBy(p => p).Max(g => g.Count()) == 2); // HOLDS
    }"#,
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

/// Lists, stacks and queues of the library are inputs in every valid state, with any number of elements.
#[test]
fn collections_as_inputs() {
    check(
        "
    public class Item { public int Price; public Item Next; }
    public class Cart { public readonly List<Item> Items = new(); public Stack<int> Undo; }
    public static void Lists(List<int> l) {
        int n = l.Count;
        Assert(n >= 0); // HOLDS
        l.Add(7);
        Assert(l[n] == 7 && l.Count == n + 1); // HOLDS
        Assert(l[0] == 7); // FAILS
    }
    public static void Stacks(Stack<int> s) {
        int x = s.Pop();
        s.Push(x);
        Assert(s.Peek() == x); // HOLDS
        Assert(x != 5); // FAILS
    }
    public static void Queues(Queue<int> q) {
        int n = q.Count;
        q.Enqueue(3);
        int first = q.Dequeue();
        Assert(q.Count == n); // HOLDS
        Assert(n > 0 || first == 3); // HOLDS
        Assert(n == 0 || first == 3); // FAILS
    }
    public static void Aliases(List<int> a, List<int> b, int[] c) {
        int n = a.Count;
        b.Add(1);
        Assert(a.Count == n || a == b); // HOLDS
        Assert(a.Count == n); // FAILS
        int x = a[0];
        c[0] = x + 1;
        Assert(a[0] == x); // HOLDS
    }
    public static void Structs(List<(int, string)> l) {
        Assert(l[0].Item2 != null || l.Count < 2); // FAILS
    }
    public static void Inside(Cart c) {
        c.Items[0].Price = 3;
        Assert(c.Items[0].Price == 3); // HOLDS
        Assert(c.Items.Count < 2 || c.Items[0].Next != c.Items[1]); // FAILS
        Assert(c.Undo.Count != 2); // FAILS
    }
    public static void Objects(object o) {
        Assert(o is not List<int> { Count: 2 }); // FAILS
    }",
    );
    // Copies of parts of arrays are hard backward.
    check_forward(
        "
    public static void Objects(object o) {
        if (o is List<int>) Assert(o is not List<string>); // HOLDS
    }
    public static void Removed(List<int> l) {
        int n = l.Count;
        l.Add(1);
        l.RemoveAt(n);
        Assert(l.Count != 3); // FAILS
    }
    public static void Changes(List<int> l) {
        try {
            foreach (var x in l) l.Add(x);
            Assert(l.Count == 0); // HOLDS
        } catch (InvalidOperationException) {
            l = null; // REACHABLE
        }
    }",
    );
}

/// Programs that can see how much room collections have get collections with any room.
#[test]
fn room_in_collections() {
    check(
        "
    public static void Room(List<int> l, Queue<int> q) {
        Assert(l.Capacity >= l.Count); // HOLDS
        Assert(l.Capacity < 1000); // FAILS
        Assert(l.Capacity > 4); // FAILS
    }",
    );
    // Elements that are not in use can be seen.
    check(
        "
    public static void M(List<int> l) {
        if (l == null) return;
        System.Runtime.InteropServices.CollectionsMarshal.SetCount(l, 3);
        Assert(l[2] == 0); // FAILS
        Assert(l.Count == 3); // HOLDS within inputs are made in known ways
    }",
    );
}

/// Classes of the program that are lists have fields of their own.
#[test]
fn lists_of_the_program() {
    check(
        "
    public class Stock : List<int> { public int Limit; public void Put(int x) { if (Count < Limit) Add(x); } }
    public static void M(Stock s) {
        int n = s.Count;
        s.Put(5);
        Assert(s.Count <= s.Limit || s.Count == n); // HOLDS
        Assert(s.Count == n); // FAILS
    }
    public static void Any(List<int> l) {
        Assert(l is not Stock { Limit: 7 }); // FAILS
    }",
    );
}
