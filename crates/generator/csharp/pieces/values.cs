//# structs
struct Inner { public int A; public short B; public override string ToString() => A + "," + B; }
struct Outer { public Inner In; public string Name; public Inner[] More; public void Grow() { In.A++; More[0].A--; } public readonly int Sum() => unchecked(In.A + In.B); }
static void ByValue(Outer o) { o.Grow(); o.Name = "changed"; }
static void ByRef(ref Outer o) { o.Grow(); o.Name += "!"; }
static int ByIn(in Outer o) { o.Grow(); return o.Sum(); }
static void ByOut(out Outer o, int a) { o = default; o.More = new Inner[1]; o.In.A = a; }
static ref int Pick(ref Outer a, ref Outer b, bool first) => ref first ? ref a.In.A : ref b.In.A;
public static void Run() {
    Outer x = new Outer { Name = "x", In = { A = @{int}, B = @{short} }, More = new Inner[2] }, y = x;
    y.In.A = @{int}; y.More[0].A = @{in 1 9};
    @{each ByValue(x); ;; ByRef(ref y); ;; Log.Write(ByIn(x)); ;; Pick(ref x, ref y, @{bool}) = @{int}; ;; ByRef(ref x);}
    Log.Write(x.In.ToString() + x.Name + x.More[0]);
    Log.Write(y.In.ToString() + y.Name + y.More[0]);
    ByOut(out Outer z, @{int});
    object box = z; Outer copy = (Outer) box; copy.Grow(); ((Outer) box).Grow();
    Log.Write(copy.In.A); Log.Write(((Outer) box).In.A); Log.Write(copy.More[0].A);
    Outer[] array = { x, z }; array[0].Grow(); foreach (Outer o in array) o.Grow();
    Log.Write(array[0].In.A); Log.Write(x.In.A); Log.Write(x.More[0].A);
    Log.Write(new Inner { A = 1 }.Equals(new Inner { A = 1, B = @{in 0 1} }));
}
//# tuples
static (int low, int high) Range(int a, int b) => a < b ? (a, b) : (b, a);
static (string, (int, byte)) Nested(int x) => ("n" + x, (x, unchecked((byte) x)));
public static void Run() {
    var range = Range(@{int}, @{int});
    (int a, int b) = range; (a, b) = (b, a);
    Log.Write(a); Log.Write(b); Log.Write(range.low <= range.high);
    var (name, (number, small)) = Nested(@{int});
    Log.Write(name + number + small);
    Log.Write((a, name) == (b, "x")); Log.Write(range != (1, 2));
    Log.Write((a, b).Equals((b, a))); Log.Write((1, "t", 'c').ToString());
    (int, int)[] pairs = { range, (3, @{in 0 9}) }; pairs[1].Item1 += 2;
    Log.Write(pairs[1].CompareTo(pairs[0]) > 0);
    switch (range) { case (0, _): Log.Write("zero"); break; case ( < 0, > 0): Log.Write("both signs"); break; case var (l, h) when l == h: Log.Write("same"); break; default: Log.Write("other"); break; }
}
//# records
record Point(int X, int Y) { public int Sum => unchecked(X + Y); }
record Named(int X, int Y, string Name) : Point(X, Y) { public override string ToString() => Name + base.ToString().Length; }
record struct Pair<T>(T First, T Second) where T : struct { public T Third { get; set; } = default; }
readonly record struct Money(decimal Amount, string Unit);
public static void Run() {
    Point p = new Point(@{int}, @{int}), q = p with { X = @{int} }, n = new Named(1, 2, "n");
    Log.Write(p.ToString()); Log.Write(p == q); Log.Write(p.Equals(p with { })); Log.Write(n.Equals(new Point(1, 2)));
    Log.Write(n == new Named(1, @{in 1 2}, "n")); Log.Write((n with { Y = 5 }).ToString()); Log.Write(q.Sum);
    var (x, y) = q; Log.Write(unchecked(x - y));
    var pair = new Pair<byte>(@{byte}, 7); var other = pair; other.Third++; Log.Write(pair == other); Log.Write(other.ToString());
    Log.Write(new Money(1.5m, "E").ToString()); Log.Write(new Money(2m, "E") == new Money(2.0m, "E"));
    Log.Write(n switch { Named { Name: "n", X: > 0 } named => named.Name, Point(_, 2) => "two", _ => "none" });
    Log.Write(p is { X: var a, Sum: > 0 } ? a : -1);
}
//# enums
enum Color : byte { Red, Green = @{in 1 5}, Blue, Last = 255 }
[Flags] enum Way { None = 0, North = 1, East = 2, South = 4, West = 8, All = 15 }
enum Long : long { Low = long.MinValue, Minus = -1, High = long.MaxValue }
enum Big : ulong { One = 1, High = ulong.MaxValue }
enum Small : sbyte { Minus = -3, Plus = 3 }
public static void Run() {
    Color c = unchecked((Color) @{int});
    Log.Write(c == Color.Red); Log.Write(unchecked((int) (c + 1))); Log.Write(unchecked((byte) c--)); Log.Write(c > Color.Green);
    Log.Write(Color.Blue.ToString()); Log.Write(((Color) 200).ToString()); Log.Write($"{Color.Last}");
    Way w = (Way) (@{int} & 15); w |= Way.East; w &= ~Way.South; w ^= Way.West;
    Log.Write((int) w); Log.Write(w.HasFlag(Way.North)); Log.Write((w & Way.All) != 0); Log.Write((Way.North | Way.West).ToString());
    Log.Write((long) Long.Low < 0); Log.Write(Enum.IsDefined(Color.Last)); Log.Write(((Enum) Way.East).Equals(Way.East));
    Log.Write(c switch { Color.Red => "r", Color.Green or Color.Blue => "gb", _ => "?" });
    object box = c; Log.Write(box is Color); Log.Write(box is byte); Log.Write((byte) box);
    Log.Write(((Enum) Big.High).CompareTo((Big) @{ulong})); Log.Write(Comparer<Big>.Default.Compare(Big.High, Big.One)); Big[] all = { Big.High, (Big) @{ulong}, Big.One }; Array.Sort(all); Log.Write((ulong) all[0]);
    Log.Write(((Long) @{long}).GetHashCode()); Log.Write(Small.Minus.GetHashCode()); Log.Write(c.GetHashCode()); Log.Write(Small.Minus < Small.Plus); Log.Write($"{w}"); Log.Write(Small.Minus.CompareTo(Small.Plus));
    Color? none = @{one null ;; c}; Log.Write(none?.CompareTo(Color.Red) ?? -9); Log.Write(none == c);
}
//# nullable
static int? Parse(string text) => int.TryParse(text, out int value) ? value : null;
public static void Run() {
    int? a = Parse(@{one "12" ;; "x" ;; "-3" ;; "2147483648" ;; ""}), b = @{int?};
    bool? t = a < b, f = a >= b, n = @{bool?};
    Log.Write(a + b); Log.Write(a * 2 ?? -1); Log.Write(t); Log.Write(f); Log.Write(t & n); Log.Write(f | n); Log.Write(!n);
    Log.Write(a == b); Log.Write(a != null); Log.Write(a.GetValueOrDefault(7)); Log.Write(Nullable.Compare(a, b));
    try { Log.Write(b.Value); Log.Write((int) a); } catch (InvalidOperationException e) { Log.Report(e); }
    a ??= @{in 1 9}; a++; Log.Write(a); Log.Write((object) a is int); Log.Write(a.Equals(b)); Log.Write(a.ToString() + b + "|");
    long? wide = a; short? small = unchecked((short?) b); Log.Write(wide - small); Log.Write(((byte?) null)?.ToString() ?? "null");
    object box = b; Log.Write(box == null); int? back = (int?) box; Log.Write(back.HasValue);
    Log.Write(a is > 3 and var v ? v : 0);
}
//# arrays
public static void Run() {
    int[,] grid = { { 1, 2, 3 }, { @{int}, 5, 6 } }; int[][] jagged = { new[] { 1 }, new int[@{in 0 3}], null };
    grid[1, @{in 0 2}] += 10; Log.Write(grid.Length + grid.Rank + grid.GetUpperBound(1));
    int sum = 0; foreach (int cell in grid) sum = unchecked(sum * 3 + cell); Log.Write(sum);
    try { Log.Write(jagged[@{in 0 3}].Length); Log.Write(jagged[1][@{in 0 3}]); } catch (Exception e) { Log.Report(e); }
    try { Log.Write(grid[@{in 0 2}, @{one 0 ;; 2 ;; 3}]); } catch (IndexOutOfRangeException e) { Log.Report(e); }
    var numbers = new[] { @{int}, 3, @{in 0 9}, -4, 8 };
    int[] copy = (int[]) numbers.Clone(); Array.Reverse(copy, 1, 3); Log.Write(copy); Array.Sort(copy); Log.Write(copy);
    Log.Write(Array.IndexOf(numbers, 8)); Log.Write(Array.BinarySearch(copy, 3) >= 0); Log.Write(numbers[1..^1]); Log.Write(numbers[^2]);
    Array.Copy(numbers, 0, numbers, @{in 0 2}, 3); Log.Write(numbers); Array.Resize(ref numbers, @{in 0 7}); Log.Write(numbers.Length);
    Log.Write(Array.Find(copy, x => x > @{in 0 5})); Log.Write(Array.ConvertAll(copy, x => unchecked((byte) x)));
    try { int[] bad = new int[Log.K(@{one -1 ;; 2})]; Log.Write(bad.Length); } catch (OverflowException e) { Log.Report(e); }
    long[,,] cube = new long[2, 1, 2]; cube[1, 0, 1] = @{long}; Log.Write(cube[1, 0, 1]); ref long place = ref cube[0, 0, 1]; place = 5; Log.Write(cube[0, 0, 1]);
}
//# spans
static int Sum(ReadOnlySpan<int> numbers) { int sum = 0; foreach (int number in numbers) sum = unchecked(sum + number); return sum; }
static void Double(Span<int> numbers) { for (int i = 0; i < numbers.Length; i++) numbers[i] = unchecked(numbers[i] * 2); }
public static void Run() {
    int[] array = { 1, 2, @{int}, 4, 5 };
    Span<int> middle = array.AsSpan(1, 3); Double(middle[..@{in 0 3}]); Log.Write(array); Log.Write(Sum(array)); Log.Write(Sum(middle.Slice(1)));
    try { Log.Write(middle[@{in 0 4}]); Log.Write(middle.Slice(@{in 0 4}).Length); } catch (Exception e) { Log.Report(e); }
    Span<byte> stack = stackalloc byte[4]; stack.Fill(@{byte}); stack[2]++; Log.Write(stack[2]); Log.Write(stack.IndexOf((byte) 7));
    ReadOnlySpan<char> text = "hello world"; Log.Write(text[6..].ToString()); Log.Write(text.IndexOf('o')); Log.Write(text.StartsWith("hell"));
    middle.Reverse(); middle.CopyTo(array); Log.Write(array); Log.Write(middle.SequenceEqual(array.AsSpan(0, 3))); middle.Clear(); Log.Write(array);
    ref int last = ref middle[^1]; last = 9; Log.Write(array[3]); Log.Write(text.Slice(0, 5).SequenceEqual("hello"));
}
