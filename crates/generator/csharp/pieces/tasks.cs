//# dispatch
abstract class Op { public abstract int Do(int v); public virtual int Twice(int v) => Do(Do(v)); }
class Add : Op { public int By; public override int Do(int v) => unchecked(v + By); }
sealed class Neg : Op { public override int Do(int v) => @{int with int v}; public override int Twice(int v) => v; }
//---
Op op = b ? new Add { By = y } : @{one new Neg() ;; new Add { By = @{in 0 3} } ;; null};
r = op == null ? -9 : op.@{one Do ;; Twice}(x);
//# interfaces
interface ISize { int Size => @{in 1 4}; int Of(int v) => unchecked(v + Size); }
struct Small : ISize { public int N; public int Size => N; }
class Big : ISize { public int Of(int v) => @{int with int v}; }
static int Ask<T>(T size, int v) where T : ISize => size.Of(v);
//---
ISize size = b ? new Small { N = y } : new Big();
r = @{one size.Of(x) ;; Ask(size, x) ;; Ask(new Small { N = x }, y)};
//# structs
struct Two { public int A, B; public void Swap() { (A, B) = (B, A); } public readonly int Sum => unchecked(A + B); }
static void Change(Two two) { two.A++; }
static void Change(ref Two two) { two.B += @{in 1 3}; }
//---
Two two = new Two { A = x, B = y }, other = two;
@{some other.Swap(); ;; Change(two); ;; Change(ref two); ;; other = two; ;; two.A = other.B; ;; object box = two; ((Two) box).Swap(); two = (Two) box;}
r = unchecked(two.A * 10 + other.B);
//# closures
static Func<int> Later(int start) => () => start++;
//---
int count = x; Action more = () => count += y; Func<int, int> f = z => z + count;
@{some more(); ;; count++; ;; more += more; more(); ;; f = z => @{int with int z};}
var later = Later(y); r = unchecked(f(y) + later() * later());
//# loops
//---
int sum = 0; for (int i = 0; i < (x & 3); i++) { if (i == y) @{one continue ;; break}; sum += @{one i ;; y ;; 1}; }
int left = x; while (left > 0 && sum < @{in 3 9}) { left -= @{in 1 2}; sum++; } r = unchecked(sum - left);
//# exceptions
class Own : Exception { public int Code; }
static int Fail(int v) { try { if (v > @{in 0 2}) throw new Own { Code = v }; return v; } finally { trace = unchecked(trace * 3 + 1); } }
static int trace;
//---
trace = 0;
try { r = Fail(x); if (b) throw new InvalidOperationException(); r += 10 / y; } catch (Own e) when (e.Code != @{in 0 3}) { r = unchecked(-e.Code); } catch (@{one DivideByZeroException ;; ArithmeticException ;; InvalidOperationException}) { r = 7; } @{maybe catch (Exception) { r = @{in 8 9}; }} finally { r += trace; }
//# lists
//---
var list = new List<int> { x, y }; @{some list.Add(r); ;; list.Insert(1, 5); ;; list.Reverse(); ;; list.RemoveAt(0); ;; list.Sort();} if (b) list.Remove(y); r = list.Count > 0 ? list[^1] : -1; r = list.Contains(@{in 0 3}) ? r : -r;
//# maps
//---
var map = new Dictionary<int, int> { [x] = 1 }; map[y] = @{in 2 4}; if (map.TryGetValue(@{in 0 2}, out int found)) r = found; else r = map.Count * 10; map[x]++; r += map[y];
//# sets
//---
var set = new HashSet<int> { x, y, @{in 0 2} }; r = set.Count; if (set.Add(3)) r += 10; if (set.Contains(@{in 0 2})) r += 100;
//# iterators
static IEnumerable<int> Down(int from) { try { while (from > 0) yield return from--; } finally { seen++; } }
static int seen;
//---
seen = 0; foreach (int v in Down(x & 3)) { if (v == y) break; r = unchecked(r * 2 + v); } r += seen;
//# queries
//---
int[] all = { x, y, @{in 0 3}, 2 }; r = @{one all.Where(v => v > y).Sum() ;; all.Count(v => v == x) ;; all.OrderBy(v => v).First() ;; all.Select(v => v * 2).Max() ;; all.Distinct().Count() ;; all.Any(v => v < 0) ? 1 : all.Last()};
//# patterns
//---
object o = @{one x ;; (long) x ;; b ? "text" : (object) y ;; b ? null : (object) x};
r = o switch { null => 1, int and > 1 => 2, int n when n == y => 3, int n => n, string { Length: > 3 } s => s.Length, long l => (int) l, _ => 9 };
(int, int) pair = (x, y); r += pair switch { (0, _) => 10, (> 0, < 0) => 20, var (p, q) when p == q => 30, _ => 40 };
//# records
record Point(int X, int Y); record struct Slot(int V, bool On);
//---
var point = new Point(x, y); var moved = point with { X = @{in 0 2} }; r = point == moved ? 1 : 2; if (new Slot(x, b).Equals(new Slot(y, true))) r += 10; var (px, py) = moved; r = unchecked(r + px * py);
//# nullable
//---
int? maybe = b ? x : null, other = y > @{in 0 2} ? y : null; r = (maybe + other) ?? (maybe > other ? 5 : 6); if (maybe == other) r += 10; if (maybe is int known) r += known; bool? three = b ? null : x > 0; r += (three & (y > 0)) == null ? 100 : 0;
//# numbers
//---
byte narrow = unchecked((byte) (x * @{in 60 130})); sbyte signed = unchecked((sbyte) narrow); uint wide = unchecked((uint) y); r = signed >> (y & 7); r ^= (int) (wide >> 30); try { r += checked((byte) (y * @{in 50 90})); } catch (OverflowException) { r = -5; } long big = unchecked((long) x << 33 | wide); if (big < 0) r++; if ((ulong) unchecked((ulong) big) > 5) r += 2; r = unchecked(r + (int) (big % 7));
//# arrays
static int Last(params int[] all) => all.Length == 0 ? -1 : all[^1];
//---
int[,] grid = new int[2, 2]; int[] line = { x, y, 3 }; try { grid[x & 1, b ? 1 : 0] = y; line[y] += 2; r = line[x]; } catch (IndexOutOfRangeException) { r = 50; } foreach (int cell in grid) r = unchecked(r + cell); r += Last(line[1..]); ref int place = ref line[0]; place = 9; r += line[0];
//# spans
//---
int[] data = { x, y, 5, 7 }; Span<int> part = data.AsSpan(1, @{in 1 3}); try { part[x & 3] = 4; } catch (IndexOutOfRangeException) { r = 1; } part.Reverse(); r += data[1] + part.Length; ReadOnlySpan<char> chars = b ? "ab" : "b"; r += chars[^1] == 'b' ? chars.IndexOf('a') : 5;
//# statics
static class State { public static int Count = Start(); static State() { Count++; } static int Start() => @{in 1 5}; public static int Next(int v) => Count * v; }
class Holder<T> { public static int Uses; public T Value; public Holder(T value) { Value = value; } }
//---
r = b ? State.Next(x) : y; Holder<int>.Uses = x; Holder<string>.Uses = y; new Holder<int>(1); r = unchecked(r + Holder<int>.Uses - Holder<string>.Uses); 
//# async
static async Task<int> Slow(int v) { await Task.CompletedTask; if (v == @{in 1 3}) throw new InvalidOperationException(); return v + 1; }
static async Task<int> Both(int v, int w) { try { return await Slow(v) * await Slow(w); } catch (InvalidOperationException) { return -1; } finally { ends++; } }
static int ends;
//---
ends = 0; r = Both(x, y).Result + ends;
//# events
class Button { public event Action<int> Click; public void Press(int v) => Click?.Invoke(v); }
//---
var button = new Button(); int hits = 0; Action<int> one = v => hits += v, two = v => hits *= 2; if (b) button.Click += one; button.Click += two; if (x > y) button.Click -= one; button.Press(x); button.Press(y); r = hits;
//# texts
//---
string text = b ? "ab" : "cd" + x; r = text.Length; if (text == "ab") r += 10; if (text.Contains('c')) r = text.IndexOf('d') + y; string t = text + y; r += t.Length > @{in 2 4} ? t[2] : t[0]; if (string.CompareOrdinal(text, b ? "" : "x") > 0) r++; if (text.EndsWith("b", StringComparison.Ordinal)) r *= 2;
//# generics
class Pair<T> where T : IComparable<T> { public T A, B; public T Max() => A.CompareTo(B) > 0 ? A : B; public bool Same() => EqualityComparer<T>.Default.Equals(A, B); public void Swap() { T t = A; A = B; B = t; } }
static T Pick<T>(bool first, T a, T c) => first ? a : c;
interface INum<T> where T : INum<T> { static abstract int Of(T t); static virtual int Base => 2; }
struct Num : INum<Num> { public int V; public static int Of(Num n) => n.V; }
class Odd : INum<Odd> { public static int Of(Odd n) => 7; public static int Base => @{in 3 5}; }
static int Value<T>(T t) where T : INum<T> => T.Of(t) * T.Base;
//---
var pair = new Pair<int> { A = x, B = y }; if (b) pair.Swap(); r = pair.Max() - pair.A; if (new Pair<string> { A = b ? "q" : null, B = "q" }.Same()) r += 10; r += Pick(b, Value(new Num { V = y }), Value(new Odd()));
