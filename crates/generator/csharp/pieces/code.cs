//# closures
static Func<int> Counter(int start) { int count = start; return () => count++; }
static event Action<int> Changed;
static int Apply(Func<int, int> f, int times, int x) { for (int i = 0; i < times; i++) x = f(x); return x; }
delegate bool Test(ref int x, out string text);
public static void Run() {
    Func<int> a = Counter(@{in 0 9}), b = Counter(5); Log.Write(a() + a() * 10 + b());
    var actions = new List<Action>(); for (int i = 0; i < 3; i++) { int j = i * @{in 1 4}; actions.Add(() => { Log.Write(i * 100 + j); j++; }); }
    foreach (Action action in actions) { action(); action(); }
    int seen = 0; Action<int> add = x => seen = unchecked(seen + x), times = x => seen = unchecked(seen * x);
    Changed = null; Changed += add; Changed += times; @{maybe Changed += add;} Changed -= @{one add ;; times}; Changed?.Invoke(@{int}); Log.Write(seen);
    Log.Write(Changed.GetInvocationList().Length); Action<int> both = add + times; Log.Write(both == times + add); Log.Write(both == add + times); Log.Write((both - add) == times);
    int k = @{in 1 5}; Log.Write(Apply(x => unchecked(x * k++ + 1), 3, @{int})); Log.Write(k);
    Test test = (ref int x, out string text) => { text = "t" + x; return ++x > 3; }; int y = @{in 1 4}; Log.Write(test(ref y, out string t)); Log.Write(t + y);
    Func<int, Func<int, int>> curried = x => z => unchecked(x - z); Log.Write(curried(@{int})(3)); Func<string> bound = "abc".ToUpperInvariant; Log.Write(bound());
    static int Fib(int n) => n < 2 ? n : Fib(n - 1) + Fib(n - 2); Log.Write(Fib(@{in 3 9}));
    try { Changed = null; Changed(1); } catch (NullReferenceException e) { Log.Report(e); }
}
//# iterators
static IEnumerable<int> Count(int to) { try { for (int i = 0; i < to; i++) { if (i == @{in 2 6}) yield break; Log.Write("yield " + i); yield return unchecked(i * @{int}); } Log.Write("end"); } finally { Log.Write("finally"); } }
static IEnumerable<T> Twice<T>(IEnumerable<T> items) { foreach (T item in items) { yield return item; yield return item; } }
class Tree : IEnumerable<int> { public Tree Left, Right; public int Value; public IEnumerator<int> GetEnumerator() { if (Left != null) foreach (int x in Left) yield return x; yield return Value; if (Right != null) foreach (int x in Right) yield return x; } IEnumerator IEnumerable.GetEnumerator() => GetEnumerator(); }
public static void Run() {
    foreach (int x in Count(@{in 0 5})) { Log.Write(x); if (x > @{int}) break; }
    foreach (int x in Twice(Count(@{in 1 3}))) Log.Write(x);
    var e = Count(2).GetEnumerator(); Log.Write(e.MoveNext()); Log.Write(e.Current); e.Dispose(); Log.Write(e.MoveNext());
    var tree = new Tree { Value = 5, Left = new Tree { Value = @{in 0 9} }, Right = new Tree { Value = 8, Left = new Tree { Value = 6 } } }; foreach (int x in tree) Log.Write(x); Log.Write(tree.Max());
    IEnumerable<int> lazy = Count(3); Log.Write("lazy"); Log.Write(lazy.Count()); 
}
//# async
static async Task<int> Later(int x) { Log.Write("in " + x); await Task.CompletedTask; if (x == @{in 0 4}) throw new InvalidOperationException("async"); return unchecked(x * 2); }
static async ValueTask<string> Text(int x) { string text = ""; for (int i = 0; i < 2; i++) text += await Later(x + i); return text; }
static async Task Run2() { try { Log.Write(await Text(@{in 0 4})); int[] both = await Task.WhenAll(Later(7), Later(8)); Log.Write(both); } catch (InvalidOperationException e) { Log.Write(e.Message); } finally { Log.Write("done"); } }
public static void Run() { Task task = Run2(); Log.Write(task.IsCompleted); Func<int, Task<int>> f = async x => await Later(x) + 1; Log.Write(f(@{in 5 9}).Result); var faulted = Later(@{in 0 4}); Log.Write(faulted.IsFaulted); try { Log.Write(faulted.GetAwaiter().GetResult()); } catch (InvalidOperationException e) { Log.Report(e); } }
//# exceptions
class Own : Exception { public int Code; public Own(int code, Exception inner = null) : base("own", inner) { Code = code; } }
class Res : IDisposable { readonly string name; public Res(string name) { this.name = name; Log.Write("open " + name); } public void Dispose() { Log.Write("close " + name); @{maybe if (name == "b") throw new Own(9);} } }
static int Deep(int n) { try { if (n == 0) throw new Own(@{in 0 3}); return Deep(n - 1) + 1; } catch (Own e) @{maybe @{maybe when (e.Code == n)}} { Log.Write("caught at " + n); if (e.Code != n) throw; return n * 10; } finally { Log.Write("finally " + n); } }
static int Returns() { int x = 1; try { return x; } finally { x = @{in 2 5}; Log.Write(x); } }
static bool Say(string text, bool result) { Log.Write(text); return result; }
public static void Run() {
    try { Log.Write(Deep(@{in 0 3})); } catch (Own e) { Log.Write(e.Code); }
    Log.Write(Returns());
    try { using var a = new Res("a"); using (new Res("b")) { @{maybe throw new Own(1);} } Log.Write("after"); } catch (Own e) { Log.Write(e.Message + e.Code); }
    try { try { object o = "s"; Log.Write((int) o); } catch (InvalidCastException e) { throw new Own(5, e); } } catch (Own e) when (Say("filter", @{bool})) { Log.Report(e.InnerException); } catch (Exception e) { Log.Report(e); }
    for (int i = 0; i < 3; i++) { try { if (i == @{in 0 2}) continue; if (i == 2) break; Log.Write(i); } finally { Log.Write("f" + i); } }
    try { int[] none = @{one null ;; new int[1]}; none[@{in 0 1}]++; Log.Write(none[0]); } catch (NullReferenceException) { Log.Write("null"); } catch (IndexOutOfRangeException) { Log.Write("index"); }
    try { checked { int big = int.MaxValue - @{in 0 2}; big += @{in 0 3}; Log.Write(big); } } catch (OverflowException e) { Log.Report(e); }
    try { throw @{one null ;; new Own(2) ;; new ArgumentNullException("p")}; } catch (Exception e) { Log.Report(e); } finally { Log.Write("last"); }
}
//# jumps
public static void Run() {
    int n = @{in 0 9}, steps = 0;
again: steps++;
    switch (n) { case 0: Log.Write("zero"); break; case 1: Log.Write("one"); goto case 0; case > 6: n -= 3; goto again; case 4: case 5: n--; goto again; default: n >>= 1; if (steps < 9) goto again; goto case 0; }
    Log.Write(steps);
    for (int i = 0; i < 4; i++) { for (int j = 0; ; j++) { if (j == @{in 1 4}) goto next; if (i * j > @{in 1 6}) goto done; Log.Write(i * 10 + j); } next: ; }
done: string text = @{string}; 
    switch (text) { case "a": case "abc": Log.Write("letters"); break; case { Length: > 5 } when text[0] != 'x': Log.Write("long"); break; case null: Log.Write("null"); break; default: Log.Write("other"); break; }
    int z = 0; z = z++ + ++z * (z = @{in 1 4}) - z--; Log.Write(z); int[] a = { 1, 2, 3 }; int k = 0; a[k++] = a[k] + k++; Log.Write(a); Log.Write(k); do { k--; } while (k > 0 && a[k] != 2); Log.Write(k);
}
//# patterns
static string Kind(object o) => o switch { null => "null", int n when n < 0 => "negative", int and (1 or 2 or 3) => "small", int => "int", string { Length: 0 } => "empty", string s => "string " + s.Length, int[] and [] => "no numbers", int[] and [var one] => "one " + one, int[] and [1, .., var last] => "from 1 to " + last, int[] and [_, _, ..] => "many", (int a, int b) => "pair " + unchecked(a + b), char c and >= 'a' and <= 'z' => "lower " + c, IList list => "list " + list.Count, _ => "other" };
static int Weekday(int d) => d switch { 0 or 6 => 1, > 0 and < 6 => 2, < 0 => -1, _ => 0 };
public static void Run() {
    object[] all = { null, @{int}, @{in 0 4}, "", @{string}, new int[0], new[] { @{int} }, new[] { 1, 2, @{int} }, new[] { 2, 1 }, (1, @{int}), 'q', 'Q', new List<int> { 1 }, 2.5, @{long} };
    foreach (object one in all) Log.Write(Kind(one));
    for (int d = -1; d < 8; d += 2) Log.Write(Weekday(d));
    Log.Write(@{int} is not (> 5 or < -5)); if (all[1] is int n && all[4] is string { Length: var length }) Log.Write(unchecked(n + length));
}
