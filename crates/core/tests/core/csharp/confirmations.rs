//! Counterexamples on the .NET runtime: as compiled programs, and by reflection.

use crate::csharp::{HEAD, open_source};
use aback_core::{CheckConfig, Confirmation, Line, Session, Violations};
use aback_lang_csharp::CsOrigin;
use aback_reproducer::{CsPlatform, Isolation, Limits, Platform, Reproducer, Sandboxing};
use std::any::Any;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const LIMITS: Duration = Duration::from_secs(60);
/// The ways to run a violation.
const WAYS: [&str; 2] = ["compiled", "by reflection"];

/// Finds a violation at each line that ends with `// FAILS`, and runs it in both ways. `members` are those of a public
/// static class, and `types` are declared before it.
#[track_caller]
fn check(types: &str, members: &str) {
    check_ways(types, members, &WAYS);
}

/// Finds violations in the same way, and runs compiled programs only.
#[track_caller]
fn check_compiled(types: &str, members: &str) {
    check_ways(types, members, &WAYS[..1]);
}

#[track_caller]
fn check_ways(types: &str, members: &str, ways: &[&str]) {
    let (head, class) = HEAD.split_at(HEAD.find("public static class").unwrap());
    let source = format!("{head}{types}\n{class}{members}\n}}\n");
    let Some(session) = open_source(&source) else { return };
    let mut wrong = String::new();
    for (text, line) in source.lines().zip(1..).filter(|(text, _)| text.ends_with("// FAILS")) {
        let results = confirm(&session, &at(&session, line)).into_iter();
        for (way, result) in results.filter(|(way, _)| ways.contains(way) || !WAYS.contains(way)) {
            if !result.starts_with("confirmed by .NET") {
                wrong += &format!("{way}: {result}\n    {}\n", text.trim());
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// A question about the assertion at a line.
fn at(session: &Session, line: u32) -> CheckConfig {
    CheckConfig {
        at: Some(Line { file: "Test.cs".into(), line }),
        violations: Violations::in_language(session.program(), false),
        timeout: Some(LIMITS),
        ..CheckConfig::default()
    }
}

/// The results of running the violation that a question finds: from a compiled program, and by reflection.
fn confirm(session: &Session, config: &CheckConfig) -> Vec<(&'static str, String)> {
    let answer = session.check(config).unwrap();
    let Some(violation) = &answer.violation else {
        return vec![("check", format!("{}, {}", answer.said(), answer.reason(session.program())))];
    };
    let origin: &dyn Any = session.origin();
    let origin = origin.downcast_ref::<CsOrigin>().unwrap();
    let interrupt = AtomicBool::new(false);
    let reproduced = session.reproduce(&answer.program, violation.entry, &violation.inputs, &interrupt);
    let (reproducer, prediction) = match reproduced {
        Ok(reproduced) => reproduced,
        Err(reason) => return vec![("reproduce", reason.to_string())],
    };
    let limits = Limits { time: LIMITS, memory: 512, sandbox: Sandboxing::Auto, interrupt: &interrupt };
    let ways = [(WAYS[0], CsPlatform::new(origin)), (WAYS[1], CsPlatform::new(origin).without_compiler())];
    let of = (&answer.program, violation.entry);
    let run = |platform: &CsPlatform| show(&platform.confirm(of, &reproducer, &prediction, &limits), &reproducer);
    ways.iter().map(|(way, platform)| (*way, run(platform))).collect()
}

/// The result of a run alone.
fn result(confirmation: Confirmation) -> String {
    match confirmation {
        Confirmation::Confirmed { .. } => "confirmed".into(),
        Confirmation::Differs { found, .. } => format!("differs: {found}"),
        Confirmation::NotRun { reason } => format!("not run: {reason}"),
    }
}

fn show(confirmation: &Confirmation, reproducer: &Reproducer) -> String {
    let program = &reproducer.program[0].1;
    match confirmation {
        Confirmation::Confirmed { runtime } => format!("confirmed by {}", runtime.name),
        Confirmation::Differs { found, .. } => format!("differs: {found}\n{program}"),
        Confirmation::NotRun { reason } => format!("not run: {reason}\n{program}"),
    }
}

#[test]
fn numbers_of_all_types() {
    check(
        "",
        "
    public static void Small(sbyte a, byte b, short c, ushort d, char e, bool f) {
        if (a == -128 && b == 200 && c == -300 && d == 60000 && e == '\\u00e9' && f)
            Assert(false); // FAILS
    }
    public static void Large(uint a, long b, ulong c, nint d, nuint e) {
        if (a == 4000000000u && b == long.MinValue && c == ulong.MaxValue && d == -5 && e == 7)
            Assert(false); // FAILS
    }
    public static void NaN(double a, float b) {
        if (double.IsNaN(a) && float.IsNaN(b))
            Assert(false); // FAILS
    }
    public static void Zero(double a, float b) {
        if (a == 0 && 1 / a < 0 && b == 0 && 1 / b < 0)
            Assert(false); // FAILS
    }
    public static void Infinite(double a, float b) {
        if (double.IsNegativeInfinity(a) && float.IsPositiveInfinity(b))
            Assert(false); // FAILS
    }
    public static void Decimal(decimal d) {
        Assert(d != 2m); // FAILS
    }",
    );
}

#[test]
fn strings_of_any_units() {
    check(
        "",
        "
    public static void Unpaired(string s) {
        if (s != null && s.Length == 4 && s[0] == '\\ud800' && s[1] == '\\0' && s[2] == '\\n' && s[3] == '\"')
            Assert(false); // FAILS
    }
    public static void Empty(string s, string t) {
        if (s != null && s.Length == 0 && t == null)
            Assert(false); // FAILS
    }
    public static void Twice(string[] s) {
        if (s != null && s.Length == 2 && s[0] != null && s[0].Length == 1 && ReferenceEquals(s[0], s[1]))
            Assert(false); // FAILS
    }",
    );
}

#[test]
fn enums() {
    check(
        "public enum Color { Red, Green } public enum Tiny : sbyte { None } enum Hidden : byte { One = 1 }
         public class Paint { public Color Color; internal Hidden Hidden; public Color[] All; }",
        "
    public static void Unnamed(Color color, Tiny tiny) {
        if ((int)color == -7 && (sbyte)tiny == -3)
            Assert(false); // FAILS
    }
    public static void Fields(Paint p) {
        if (p != null && p.Color == Color.Green && (byte)p.Hidden == 9 && p.All != null && p.All.Length == 2 && p.All[1] == Color.Green)
            Assert(false); // FAILS
    }
    public static void Boxed(object o) {
        if (o is Color c && (int)c == 5)
            Assert(false); // FAILS
    }
    static void Private(Hidden hidden, Hidden[] more) {
        if ((byte)hidden == 5 && more != null && more.Length == 2 && (byte)more[1] == 3)
            Assert(false); // FAILS
    }",
    );
}

#[test]
fn objects_with_aliases_and_cycles() {
    check(
        "public class Node { public int Value; public Node Next; }
         public class Closed { private readonly int hidden; int other; protected Closed next; public int Auto { get; private set; }
             public bool Is(int a, int b, int c) => hidden == a && other == b && Auto == c && next == this; }
         public class Derived : Closed { private int hidden; public bool Has(int a) => hidden == a; }
         public record Pair(int First, string Second);
         public class Needed { public required int X { get; init; } public int Y { get; set; } }
         public sealed class Picky { public readonly int X; public Picky(int x) { if (x > 3) throw new Exception(); X = x; } }
         class Hidden { public Hidden Other; public int X; }",
        "
    public static void Cycle(Node a, Node b) {
        if (a != null && b != null && a != b && a.Next == b && b.Next == a && a.Value == b.Value + 1)
            Assert(false); // FAILS
    }
    public static void Same(Node a, Node b) {
        Assert(a == null || a != b); // FAILS
    }
    public static void Private(Closed c) {
        if (c != null && c.Is(1, 2, 3))
            Assert(false); // FAILS
    }
    public static void Inherited(Derived d) {
        if (d != null && d.Is(1, 2, 3) && d.Has(4))
            Assert(false); // FAILS
    }
    public static void Record(Pair p) {
        if (p != null && p.First == 3 && p.Second == \"x\")
            Assert(false); // FAILS
    }
    public static void Required(Needed n) {
        if (n != null && n.X == 3 && n.Y == 4)
            Assert(false); // FAILS
    }
    public static void Checked(Picky p) {
        if (p != null && p.X == 5)
            Assert(false); // FAILS
    }
    static void Internal(Hidden a, Hidden b) {
        if (a != null && b != null && a.Other == b && b.Other == a && a.X == 3)
            Assert(a == b); // FAILS
    }",
    );
}

#[test]
fn arrays() {
    check(
        "public abstract class Shape { public int X; } public class Square : Shape { }
         class Hidden { public int X; } struct Dot { public int X; public Hidden H; }",
        "
    public static void Narrower(Shape[] shapes) {
        try { if (shapes != null && shapes.Length == 2) shapes[0] = null; shapes[0] = new Circle(); }
        catch (ArrayTypeMismatchException) { Assert(false); } // FAILS
    }
    class Circle : Shape { }
    public static void Jagged(int[][] a) {
        if (a != null && a.Length == 2 && a[0] != null && a[0] == a[1] && a[0].Length == 3 && a[0][2] == 5)
            Assert(false); // FAILS
    }
    public static void Shared(int[][] a, int[,] other) {
        if (a == null || a.Length < 2 || a[0] == null || a[1] == null || a[0].Length == 0 || a[1].Length == 0) return;
        a[0][0] = 1; a[1][0] = 2;
        Assert(a[0][0] == 1); // FAILS
    }
    public static void Grid(int[,] a) {
        if (a != null && a.GetLength(0) == 2 && a.GetLength(1) == 3 && a[1, 2] == 7 && a[0, 1] == -1)
            Assert(false); // FAILS
    }
    public static void Texts(string[,,] a) {
        if (a != null && a.GetLength(0) == 1 && a.GetLength(1) == 1 && a.GetLength(2) == 2 && a[0, 0, 1] == \"x\")
            Assert(false); // FAILS
    }
    public static void JaggedGrid(byte[][,] a) {
        if (a != null && a.Length == 2 && a[1] != null && a[1].GetLength(1) == 2 && a[1].Length == 2 && a[1][0, 1] == 7)
            Assert(false); // FAILS
    }
    public static void Long(int[] a) {
        if (a != null && a.Length == 1000 && a[999] == 1 && a[0] == 0)
            Assert(false); // FAILS
    }
    public static void Chars(char[] a, ushort[] b, nint[] c, long[] d) {
        if (a != null && a.Length == 1 && a[0] == 'x' && b != null && b.Length == 1 && c != null && c.Length == 1 && d != null && d.Length == 1 && c[0] + d[0] == 4)
            Assert(false); // FAILS
    }
    public static void Objects(object[] a) {
        if (a != null && a.Length == 3 && a[0] == (object)a && a[1] is int i && i == 4 && a[2] is string s && s.Length == 1)
            Assert(false); // FAILS
    }
    static void Internal(Hidden[] a, Dot[] b, Dot[,] c) {
        if (a != null && a.Length == 2 && a[1] != null && a[1].X == 5 && b != null && b.Length == 2 && b[1].H == a[1] && b[0].X == 3 && c != null && c.Length == 4 && c.GetLength(0) == 2 && c[1, 0].X == 8)
            Assert(false); // FAILS
    }",
    );
}

#[test]
fn lists_with_room() {
    check(
        "",
        "
    public static void Room(List<int> l) {
        if (l != null && l.Capacity == 9)
            Assert(l.Count != 5); // FAILS
    }
    public static void Queued(Queue<int> q) {
        if (q != null && q.EnsureCapacity(4) == 6 && q.Count == 2)
            Assert(q.Dequeue() != 3); // FAILS
    }",
    );
}

#[test]
fn structs() {
    check(
        "public struct Point { public int X, Y; public Point(int x, int y) { X = x; Y = y; } public int Sum() => X + Y;
             public void Move(int x) { X += x; Assert(X != 10 || Y != 3); } // FAILS
             public int Read { get { Assert(X != 5); return X; } } // FAILS
         }
         public readonly struct Fixed { private readonly int a; public Fixed(int a) { this.a = a; } public bool Is(int x) => a == x; }
         public struct Outer { public Point P; public Node N; public Fixed F; }
         public class Node { public Outer Inside; public Point[] Points; public int? Maybe; public (int, string) Two; }
         public struct Started { public int X; public Started() { X = 7; } }
         struct Hidden { public int X; public int? Y; }",
        "
    public static void Nested(Outer o) {
        if (o.P.X == 3 && o.N != null && o.N.Inside.N == o.N && o.N.Inside.P.Y == 4 && o.F.Is(6))
            Assert(false); // FAILS
    }
    public static void Elements(Node n) {
        if (n != null && n.Points != null && n.Points.Length == 3 && n.Points[1].Y == 5 && n.Points[2].X == 6)
            Assert(false); // FAILS
    }
    public static void Nullable(int? a, Point? b, DayOfWeek? c, bool? d) {
        if (a == 3 && b is Point p && p.X == 4 && c == DayOfWeek.Friday && d == null)
            Assert(false); // FAILS
    }
    public static void Fields(Node n) {
        if (n != null && n.Maybe == 5 && n.Two.Item1 == 6 && n.Two.Item2 == \"x\")
            Assert(false); // FAILS
    }
    public static void Tuples((int A, (long, char) B) t, ValueTuple<int> u) {
        if (t.A == 1 && t.B.Item1 == 2 && t.B.Item2 == 'c' && u.Item1 == 3)
            Assert(false); // FAILS
    }
    public static void Boxed(object a, object b, object c) {
        if (a is Point p && p.Y == 3 && ReferenceEquals(a, b) && c is long l && l == 4)
            Assert(false); // FAILS
    }
    public static void Default(Started s) {
        if (s.X == 0)
            Assert(false); // FAILS
    }
    public static void Initialized(Started s) {
        if (s.X == 3)
            Assert(false); // FAILS
    }
    static void Internal(Hidden h, Hidden? i, Hidden[] j) {
        if (h.X == 3 && h.Y == 4 && i is Hidden k && k.X == 5 && k.Y == null && j != null && j.Length == 1 && j[0].Y == 6)
            Assert(false); // FAILS
    }
    public static void Date(DateTime d, TimeSpan t) {
        if (d.Ticks == 1000 && t.Ticks == -5)
            Assert(false); // FAILS
    }",
    );
}

#[test]
fn structs_of_the_library() {
    check(
        "",
        "
    public static void Times(DateOnly day, TimeOnly time, DateTimeOffset at, DateTimeOffset? other) {
        if (day.DayNumber == 3652058 && time.Ticks == 7 && at.Offset == TimeSpan.FromMinutes(-90) && other == null)
            Assert(at.Ticks != 5); // FAILS
    }
    public static void Indices(Index i, Range r, System.Text.Rune c) {
        if (i.IsFromEnd && i.Value == 3 && r.Equals(1..^1) && c.Value == 0x1f600)
            Assert(false); // FAILS
    }
    public static void Halves(Half h, Half nan) {
        Assert(h != (Half)(-1.5f) || !Half.IsNaN(nan)); // FAILS
    }
    public static void Others(System.Threading.CancellationToken token, System.Drawing.Point p, System.Numerics.Complex c) {
        Assert(token.CanBeCanceled || p.X != 3 || p.Y != 4 || c.Real != 1 || c.Imaginary != 2); // FAILS
    }",
    );
}

#[test]
fn references_to_variables() {
    check(
        "public struct Point { public int X, Y; } struct Hidden { public int X; }",
        "
    public static void Same(ref int a, ref int b) {
        a = 1; b = 2;
        Assert(a == 1); // FAILS
    }
    public static void Different(ref int a, ref int b) {
        if (a == 4) { a = 1; b = 2; Assert(a != 1); } // FAILS
    }
    public static void Kinds(in int a, out int b, ref readonly long c) {
        b = 3;
        if (a == 5 && c == 6) Assert(false); // FAILS
    }
    public static void Structs(ref Point p, ref Point q, ref string s, ref uint u) {
        p.X = 1; q.X = 2;
        if (p.X == 2 && p.Y == 7 && s == \"x\" && u == 3000000000u) Assert(false); // FAILS
    }
    public static void Spans(Span<int> a, ReadOnlySpan<char> b) {
        if (a.Length == 2 && a[1] == 4 && b.Length == 3 && b[2] == 'x') Assert(false); // FAILS
    }
    public static void Overlap(Span<int> a, Span<int> b) {
        if (a.Length == 2 && b.Length == 2) { a[1] = 3; b[0] = 4; Assert(a[1] == 3); } // FAILS
    }
    static void Private(ref Hidden a, ref Hidden b, Span<int> s) {
        if (s.Length == 1 && s[0] == 3) { a.X = 1; b.X = 2; Assert(a.X == 1); } // FAILS
    }",
    );
}

/// Reflection cannot pass references to them.
#[test]
fn references_to_other_places() {
    check_compiled(
        "public struct Point { public int X, Y; }
         public class Owner { public int Value; public Point At; public Point[] All; public static long Count; }",
        "
    public static void Field(ref int x, Owner o) { x = 1; o.Value = 2; Assert(x == 1); } // FAILS
    public static void PartOfField(ref int x, Owner o) { x = 1; o.At.Y = 2; Assert(x == 1); } // FAILS
    public static void StaticField(out long x) { x = 1; Owner.Count = 2; Assert(x == 1); } // FAILS
    public static void Element(ref Point p, Owner o) { p.X = 1; o.All[0].X = 2; Assert(p.X == 1); } // FAILS
    public static void ReadOnly(in int x, int[] a) { int old = x; a[1] = old + 1; Assert(x == old); } // FAILS",
    );
}

#[test]
fn members() {
    check(
        "public class Account {
            int balance;
            public static int Count;
            public int Balance { get { Assert(balance != 5); return balance; } // FAILS
                set { Assert(value != balance + 7); balance = value; } } // FAILS
            public int this[int i] { get { Assert(i + 1 != balance); return i; } // FAILS
                set { Assert(i != value + 3); } } // FAILS
            public Account(int start) { balance = start; }
            public static Account operator +(Account a, int b) { Assert(a == null || a.balance != b + 5); return a; } // FAILS
            public static explicit operator int(Account a) { Assert(a == null); return 3; } // FAILS
            public virtual void Virtual(int x) { Assert(x != 4); } // FAILS
            void Secret(int x) { Assert(x != balance); } // FAILS
            internal void Secret(string x) { Assert(x == null); } // FAILS
            public static void Over(object x) { Assert(x == null); } // FAILS
            public static void Over(string x) { Assert(x == null); } // FAILS
            public event Action Changed { add { Assert(balance != 3); } remove { } } // FAILS
        }
        public class Saver : Account { public Saver() : base(1) { } public new void Virtual(int x) { } }
        public interface IShape { int Area(int x) { Assert(x != 6); return 3; } } // FAILS
        public class Box : IShape { }
        public class Holder<T> { public T Item; public void Use(Holder<int> h) {
            Assert(h == null || h.Item != 3); } } // FAILS
        public static class @class { public static void @new(int @int) { Assert(@int != 3); } } // FAILS
        namespace Outer.Inner { public class Deep { public class Deeper { public static void Run(Deeper d) { Assert(d == null); } } } } // FAILS
        ",
        "
    public static void Generic(Holder<string> h, Holder<(int, Holder<long>)> i) {
        if (h != null && h.Item == \"x\" && i != null && i.Item.Item2 != null && i.Item.Item2.Item == 4)
            Assert(false); // FAILS
    }
    public static void Instance(Holder<string> h, Holder<int> i) { if (h != null) h.Use(i); }
    public class Singleton { public static readonly Singleton Instance = new Singleton(); public int X; }
    static readonly int[] table = { 1, 2 };
    public static int[] Table() => table;
    public static void Held(Singleton s) {
        Assert(s != Singleton.Instance); // FAILS
    }
    public static void HeldArray(int[] a) {
        Assert(a != table); // FAILS
    }",
    );
}

#[test]
fn constructors() {
    check(
        "public class Account { int balance; public Account(int start) { balance = start;
            Assert(balance != 9); } } // FAILS
         class Hidden { Hidden(string x, ref int y) {
            Assert(x != \"a\" || y != 4); } } // FAILS
         public struct Point { int x; public Point(int x, in long y) { this.x = x;
            Assert(x != y); } } // FAILS",
        "",
    );
}

#[test]
fn assertions_in_handlers_and_elsewhere() {
    check(
        "",
        "
    public static void Catch(int[] a) {
        try { a[5] = 3; }
        catch (IndexOutOfRangeException) { Assert(a == null); } // FAILS
        catch (NullReferenceException) {
            Assert(a != null); // FAILS
        }
        finally {
            Assert(a == null || a.Length != 3); // FAILS
        }
    }
    public static void Loop(int n) {
        for (int i = 0; i < 5; i++) {
            Assert(i < 3); // FAILS
            Assert(i < 4); // FAILS
        }
    }
    public static void Lambda(int n) {
        Func<int, bool> f = x => {
            Assert(x != 7); // FAILS
            return true;
        };
        f(n);
    }
    public static void Forever(int n) {
        Assert(n != 7); // FAILS
        while (n == 7) { }
    }
    public static void Exits(int n) {
        Assert(n != 7); // FAILS
        if (n == 7) throw new Exception();
    }
    public static async Task Async(int n) {
        await Task.CompletedTask;
        Assert(n != 7); // FAILS
    }
    static IEnumerable<int> Numbers(int n) {
        yield return n;
        Assert(n != 7); // FAILS
    }
    public static int Sum(int n) => Numbers(n).Sum();
    public static void Contracts(int n) {
        System.Diagnostics.Contracts.Contract.Assert(n != 7); // FAILS
        System.Diagnostics.Trace.Assert(n != 8); // FAILS
    }",
    );
}

/// The name and the parameters of a conversion do not say which one it is.
#[test]
fn conversions_with_other_results() {
    let source = "public struct Num {
    public static explicit operator byte(Num n) => 1;
    public static explicit operator char(Num n) {
        System.Diagnostics.Debug.Assert(false);
        return 'a'; }
}";
    let Some(session) = open_source(source) else { return };
    let answer = session.check(&at(&session, 4)).unwrap();
    let violation = answer.violation.as_ref().expect("a violation");
    let reproduced = session.reproduce(&answer.program, violation.entry, &violation.inputs, &AtomicBool::new(false));
    let Err(reason) = reproduced else { panic!("a reproducer") };
    let reason = reason.to_string();
    assert!(reason.contains("another conversion differs in the type of its result only"), "{reason}");
}

/// The results of running changed versions of a reproducer of a failed assertion, and of its description.
#[test]
fn differences_are_told() {
    let members = "
    public static void F(int x) {
        Assert(x != 1); // FAILS
    }
    public static void G() { while (true) { } }
    public static void H() { throw new InvalidOperationException(); }
    public static void Deep(int x) { Deep(x + 1); H(); }";
    let source = format!("{HEAD}{members}\n}}\n");
    let Some(session) = open_source(&source) else { return };
    let answer = session.check(&at(&session, 3)).unwrap();
    let violation = answer.violation.as_ref().unwrap();
    let interrupt = AtomicBool::new(false);
    let reproduced = session.reproduce(&answer.program, violation.entry, &violation.inputs, &interrupt);
    let (reproducer, prediction) = reproduced.unwrap();
    let origin: &dyn Any = session.origin();
    let platform = CsPlatform::new(origin.downcast_ref().unwrap());
    let limits = Limits { time: LIMITS, memory: 64, sandbox: Sandboxing::Auto, interrupt: &interrupt };
    let run = |change: &str, limits: &Limits| {
        let mut reproducer = reproducer.clone();
        let text = &mut reproducer.program[0].1;
        assert!(text.contains("Test.F(x);"), "{text}");
        *text = text.replace("Test.F(x);", change);
        result(platform.confirm((&answer.program, violation.entry), &reproducer, &prediction, limits))
    };
    let ran = [
        run("Test.F(x);", &limits),
        run("Test.F(x); Test.H();", &limits),
        run("Test.F(x); System.Environment.Exit(3);", &limits),
        run("x = 2; Test.F(x);", &limits),
        run("Test.H();", &limits),
        run("throw new System.Exception();", &limits),
        run("System.Diagnostics.Debug.Assert(false);", &limits),
        run("Test.Z(x);", &limits),
        run("Test.G();", &Limits { time: Duration::from_secs(5), ..limits }),
        run("long[] a = new long[1 << 28];", &limits),
        run("Test.Deep(x);", &limits),
    ];
    let expected = [
        "confirmed",
        "confirmed",
        "confirmed",
        "differs: the program ends without an exception",
        "differs: System.InvalidOperationException is thrown at Test.cs:6",
        "differs: System.Exception is thrown outside of the program's own code",
        "differs: the program ends without an exception",
        "not run: the reproducer does not compile: 'Test' does not contain a definition for 'Z' (CS0117)",
        "not run: time limit",
        "not run: 64 MB of memory are too little for .NET",
        "not run: the recursion is too deep for the stack of .NET",
    ];
    assert_eq!(ran, expected);
    interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(run("Test.F(x);", &limits), "not run: interrupted");
}

/// Confirms uncaught exceptions of an entry point in both ways.
#[track_caller]
fn check_thrown(members: &str) {
    let source = format!("{HEAD}{members}\n}}\n");
    let Some(session) = open_source(&source) else { return };
    let mut wrong = String::new();
    let names = members.lines().filter_map(|line| line.trim().strip_prefix("public static void ")?.split('(').next());
    for name in names {
        let config = CheckConfig {
            entry: Some(format!("Test.{name}")),
            violations: Violations::in_language(session.program(), true),
            timeout: Some(LIMITS),
            ..CheckConfig::default()
        };
        for (way, result) in confirm(&session, &config) {
            if !result.starts_with("confirmed by .NET") {
                wrong += &format!("{way}: {result}\n    {name}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn exceptions() {
    check_thrown(
        "
    public static void Null(string s) { if (s == null || s.Length == 0)
            Console.Write(s.Length); }
    public static void Index(int[] a, int i) { if (a != null)
            a[i] = 3; }
    public static void Divide(int a, int b) { if (b == 0)
            a = a / b; }
    public static void Cast(object o) {
        string s = (string)o; }
    public static void Library(int[] a) {
        a.AsSpan(3); }
    class Own<T> : Exception { public Own(string message) : base(message) { } }
    static Exception Make() => new Own<int>(\"x\");
    public static void Thrown(int n) {
        Exception e = Make();
        if (n == 3)
            throw e;
    }
    public static void Again(int n) {
        try { n = 1 / n; }
        catch (DivideByZeroException e) {
            throw e; }
    }
    public static void Rethrown(int n) {
        try { n = 1 / n; }
        catch (DivideByZeroException) {
            throw; }
    }
    public static void Wrapped(int n) {
        try { n = 1 / n; }
        catch (DivideByZeroException e) {
            throw new InvalidOperationException(\"x\", e); }
        finally { n = 3; }
    }
    class Broken { public static int N = int.Parse(null); }
    public static void Initializer(int n) { if (n == 3)
            n = Broken.N; }
    public static void Linq(int[] a) { if (a != null && a.Length == 0)
            a.First(); }
    public static int Switch(int n) =>
        n switch { 1 => 2, 2 => 3 };",
    );
}

#[test]
fn objects_of_static_fields() {
    check(
        "public class Base { } public class Derived : Base { }",
        "
    public static readonly Base One = new Derived();
    public static readonly object[] Texts = new string[] { \"a\" };
    static readonly Base hidden = new Base();
    public static Base Hidden => hidden;
    public static void Narrow(Derived d) { Assert(d != One); } // FAILS
    public static void Array(string[] a) { Assert((object)a != Texts); } // FAILS
    public static void Wide(object o) { Assert(o != One); } // FAILS
    public static void Given(Base b) { Assert(b != hidden); } // FAILS",
    );
}

/// One array may be an argument for several parameters, whose types only the runtime casts to each other.
#[test]
fn arrays_with_two_types() {
    check(
        "public enum Small : byte { A, B } public enum Plain { A, B }
public class Both { public int[] I; public uint[] U; }",
        "
    public static void Signs(int[] a, uint[] b) { if (a != null && a.Length == 2 && (object)a == b) { b[0] = 7; Assert(a[0] != 7); } } // FAILS
    public static void Overloaded(uint[] a, int[] b) { if (a != null && a.Length == 2) Assert((object)a != b); } // FAILS
    public static void Overloaded(uint[] a, object b) { }
    public static void Bytes(sbyte[] a, byte[] b) { if (a != null && a.Length == 2) Assert((object)a != b); } // FAILS
    public static void Words(short[] a, ushort[] b) { if (a != null && a.Length == 2) Assert((object)a != b); } // FAILS
    public static void Enums(Plain[] a, int[] b) { if (a != null && a.Length == 2) Assert((object)a != b); } // FAILS
    public static void Names(byte[] a, Small[] b) { if (a != null && a.Length == 2) Assert((object)a != b); } // FAILS
    public static void Grids(int[,] a, uint[,] b) { if (a != null && a.Length == 2) Assert((object)a != b); } // FAILS
    public static void Nested(int[][] a, uint[][] b) { if (a != null && a.Length == 2) Assert((object)a != b); } // FAILS
    public static void Fields(Both b) { if (b != null && b.I != null && b.I.Length == 2) Assert((object)b.I != b.U); } // FAILS
    public static void Parts((int[], uint[]) b) { if (b.Item1 != null) Assert((object)b.Item1 != b.Item2); } // FAILS
    public static void Inner(int[][] a, uint[] b) { if (b != null && a != null && a.Length == 1) Assert((object)a[0] != b); } // FAILS
    public static void Listed(int[] a, IList<uint> b) { if (a != null && a.Length == 2) Assert((object)a != b); } // FAILS",
    );
    check_compiled(
        "",
        "
    public static void Element(ref uint x, int[] a) { if (a != null && a.Length == 2) { a[0] = 1; x = 2; Assert(a[0] == 1); } } // FAILS",
    );
}

/// Objects that only reflection makes are told.
#[test]
fn objects_that_no_constructor_makes() {
    let Some(session) = open_source(&format!(
        "{HEAD} public sealed class Suit {{ public readonly int N; Suit(int n) {{ N = n; }} public static readonly Suit One = new(1); }}
        public class Node {{ public int V; public Node Next; }}
        public static void Odd(Suit s) {{ if (s != null) Assert(s.N == 1); }}
        public static void Plain(Node n) {{ if (n != null) Assert(n.V == 1); }} }}"
    )) else {
        return;
    };
    let unmade = |entry: &str| {
        let config = CheckConfig {
            entry: Some(entry.into()),
            violations: Violations::in_language(session.program(), false),
            ..CheckConfig::default()
        };
        let mut answer = session.check(&config).unwrap();
        session.note_unmade(&mut answer, &AtomicBool::new(false));
        answer.violation.expect("a violation").unmade
    };
    let told = unmade("Test.Odd").expect("a note");
    assert!(told.ends_with("with its objects of Test.Suit"), "{told}");
    assert_eq!(unmade("Test.Plain"), None);
}

/// The runtime describes the machine of the models: no environment variables, and one processor.
#[test]
fn the_machine() {
    check(
        "",
        "
    public static void Processors(int n) {
        Assert(Environment.ProcessorCount > 1 || n != 3); // FAILS
    }
    public static void Variables(string text) {
        Assert(Environment.GetEnvironmentVariable(\"HOME\") != null); // FAILS
        Assert(Environment.GetEnvironmentVariable(\"PATH\") != text); // FAILS
    }",
    );
}

/// In a sandbox, programs cannot reach the network and the files of users, compiled and by reflection.
#[test]
fn sandboxes_of_dotnet() {
    let folder = tempfile::TempDir::new().unwrap();
    let written = folder.path().join("written");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let members = "
    public static void F(int x) {
        Assert(x != 1); // FAILS
    }";
    let Some(session) = open_source(&format!("{HEAD}{members}\n}}\n")) else { return };
    let answer = session.check(&at(&session, 3)).unwrap();
    let violation = answer.violation.as_ref().unwrap();
    let interrupt = AtomicBool::new(false);
    let reproduced = session.reproduce(&answer.program, violation.entry, &violation.inputs, &interrupt);
    let (reproducer, prediction) = reproduced.unwrap();
    let origin: &dyn Any = session.origin();
    let platform = CsPlatform::new(origin.downcast_ref().unwrap());
    let run = |statement: &str, sandbox: Sandboxing| {
        let limits = Limits { time: LIMITS, memory: 512, sandbox, interrupt: &interrupt };
        let mut reproducer = reproducer.clone();
        let text = &mut reproducer.program[0].1;
        *text = text.replace("Test.F(x);", &format!("{statement} Test.F(x);"));
        let confirmation = platform.confirm((&answer.program, violation.entry), &reproducer, &prediction, &limits);
        if let Confirmation::Confirmed { runtime } = &confirmation {
            assert_eq!(runtime.isolation == Isolation::Sandbox, sandbox == Sandboxing::Required);
        }
        result(confirmation)
    };
    let plain = run("", Sandboxing::Required);
    if plain.starts_with("not run: there is no sandbox") {
        return eprintln!("skipped: {plain}");
    }
    assert_eq!(plain, "confirmed");
    let platform = CsPlatform::new(origin.downcast_ref().unwrap()).without_compiler();
    let limits = Limits { time: LIMITS, memory: 512, sandbox: Sandboxing::Required, interrupt: &interrupt };
    let reflected = platform.confirm((&answer.program, violation.entry), &reproducer, &prediction, &limits);
    assert!(matches!(reflected, Confirmation::Confirmed { .. }), "{reflected:?}");
    let temporary = "System.IO.File.WriteAllText(System.IO.Path.GetTempFileName(), string.Empty);";
    assert_eq!(run(temporary, Sandboxing::Required), "confirmed");
    let statements = [
        format!("new System.Net.Sockets.TcpClient(\"127.0.0.1\", {port});"),
        format!("System.IO.File.WriteAllText(\"{}\", string.Empty);", written.display()),
    ];
    for statement in statements {
        let found = run(&statement, Sandboxing::Required);
        assert!(found.contains("is thrown outside of the program's own code"), "{statement}: {found}");
        assert_eq!(run(&statement, Sandboxing::Off), "confirmed");
    }
}
