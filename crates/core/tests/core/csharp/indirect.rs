//! Code that runs through objects: lambda expressions, iterators, async methods, and methods that implement others.

use crate::csharp::{check, check_forward, open_source};
use aback_core::{CheckConfig, Line, Violations};

/// The bound of questions about code that other programs may run.
const USED: &str = "code outside of the program does not use objects that it gets to run";

/// Checks a marked program in which `USED` stands for the beginning of this bound.
#[track_caller]
fn check_used(members: &str) {
    check(&members.replace("USED", USED));
}

#[test]
fn objects_that_callers_get() {
    check_used(
        "
    public static Func<int, int> Adder(int k) => x => {
        Assert(k + x != 7); // HOLDS within USED: a lambda expression in Test.Adder
        return k + x; };
    public static IEnumerable<int> Count(int n) { for (int i = 0; i < 3; i++) {
        Assert(n != 7); // HOLDS within USED: Test.Count
        yield return i; } }
    public static int Uses() => Adder(1)(2) + Count(1).Sum();
    class Order : IComparer<int> { public int Compare(int a, int b) {
        Assert(a != b); // HOLDS within USED: Test.Order.Compare
        return a - b; } }
    public static IComparer<int> Orders() => new Order();
    public interface IShape { int Area(); }
    class Square : IShape { int IShape.Area() {
        Assert(false); // HOLDS within USED: Test.Square.Test.IShape.Area
        return 1; } }
    public static object Shape() => new Square();
    public class Door : IShape { int IShape.Area() {
        Assert(false); // FAILS
        return 1; } }",
    );
}

/// Ways for objects out of the program, besides results.
#[test]
fn ways_out() {
    let check_way = |members: &str| {
        check_used(&format!(
            "{members}
    static Action Made(int n) => () => {{
        Assert(n != 7); // HOLDS within USED: a lambda expression in Test.Made
    }};"
        ));
    };
    check_way("public static void Fill(List<Action> to, int n) { to.Add(Made(n)); }");
    check_way("public static void Fill(Action[] to, int n) { to[0] = Made(n); }");
    check_way("public static void Out(out Action to, int n) { to = Made(n); }");
    check_way("public static Action Kept; public static void Keep(int n) { Kept = Made(n); }");
    check_way("public class Box { public Action Kept; } public static void Keep(Box to, int n) { to.Kept = Made(n); }");
    check_way("public static (int, Action) Pair(int n) => (n, Made(n));");
    check_way("public static Lazy<Action> Later(int n) => new Lazy<Action>(Made(n));");
    check_way("public static IEnumerable<Action> All(int n) { var l = new List<Action>(); l.Add(Made(n)); return l; }");
    check_way("public static Func<Action> Twice(int n) => () => Made(n);");
    check_way(
        "class Full : Exception { public Action Do; } public static void Throws(int n) => throw new Full { Do = Made(n) };",
    );
}

#[test]
fn objects_that_stay_inside() {
    check(
        "
    static IEnumerable<int> Count(int n) { for (int i = 0; i < 3; i++) {
        Assert(i < 3); // HOLDS
        Assert(n != 7); // FAILS
        yield return i; } }
    public static int Total(int n) { int sum = 0; foreach (int i in Count(n)) sum += i; return sum; }
    public static int Sums(IEnumerable<int> of) { int sum = 0; foreach (int i in of) sum += i; return sum; }
    public static object Same(object o) => o;
    public static int Big(int n) => new[] { n, 1 }.Count(x => {
        Assert(x * 0 == 0); // HOLDS
        return x > 3; });",
    );
    check(
        "
    class Order : IComparer<int> { public int Compare(int a, int b) {
        Assert(a + 0 == a); // HOLDS
        return a - b; } }
    static bool Less(IComparer<int> by, int a, int b) => by.Compare(a, b) < 0;
    public static bool Compares(int n) => Less(new Order(), n, 1);",
    );
    check_forward(
        "
    static async Task<int> Half(int n) { await Task.CompletedTask;
        Assert(n != 7); // FAILS
        Assert(n * 0 == 0); // HOLDS
        return n / 2; }
    public static int Waits(int n) => Half(n).Result;
    public static async Task<int> Calls(int n) => await Half(n + 1) + await Half(n);
    public static int Sums(IEnumerable<int> of) { int sum = 0; foreach (int i in of) sum += i; return sum; }",
    );
}

/// Other entry points are left out only if they cannot have the object.
#[test]
fn objects_from_fields() {
    check(
        "
    static IEnumerator<int> running;
    static IEnumerable<int> Count(int n) {
        yield return 1;
        Assert(n != 7); // HOLDS within static fields hold the values
    }
    public static void Start(int n) { running = Count(n).GetEnumerator(); running.MoveNext(); }
    public static void Next() { running.MoveNext(); }",
    );
    check(
        "
    public class Walk {
        private Func<int> step;
        public void Set(int n) { step = () => {
            Assert(n != 7); // FAILS
            return n; }; }
        public int Run() => step();
    }",
    );
}

/// An async method goes on later if what it waits for is not complete.
#[test]
fn code_that_waits() {
    check(
        "
    static async Task<int> Wait(Task<int> of) { int n = await of;
        Assert(n < 100); // HOLDS within async methods have ended when the entry point returns: Test.Wait
        return n; }
    public static TaskCompletionSource<int> Starts() {
        var source = new TaskCompletionSource<int>(); _ = Wait(source.Task); return source; }",
    );
    check(
        "
    class Gate : System.Runtime.CompilerServices.INotifyCompletion {
        Action next; public bool IsCompleted => false; public void GetResult() { }
        public void OnCompleted(Action next) { this.next = next; } public Gate GetAwaiter() => this;
    }
    static async Task Wait(Gate of) { await of;
        Assert(false); // HOLDS within async methods have ended when the entry point returns: Test.Wait
    }
    public static void Starts() { _ = Wait(new Gate()); }",
    );
}

/// The objects that the compiler makes for code are no inputs, whose fields could have any values.
#[test]
fn states_are_no_inputs() {
    check(
        "
    static IEnumerator<int> Count() { for (int i = 0; i < 3; i++) yield return i; }
    public static int Uses() { var e = Count(); e.MoveNext(); return e.Current; }
    public static void Takes(IEnumerator<int> e) {
        if (e != null && e.MoveNext())
            Assert(e.Current < 3); // HOLDS within inputs of type System.Collections.Generic.IEnumerator<int>
    }",
    );
}

/// A question names an entry point: nothing is said about other executions.
#[test]
fn questions_about_one_method() {
    let source = "using System; using System.Diagnostics; public static class Test { public static Func<int> Get(int n) => () => {
        Debug.Assert(n != 7); return n; }; }";
    let Some(session) = open_source(source) else { return };
    let config = CheckConfig {
        at: Some(Line { file: "Test.cs".into(), line: 2 }),
        entry: Some("Test.Get".into()),
        violations: Violations::in_language(session.program(), false),
        ..CheckConfig::default()
    };
    assert_eq!(session.check(&config).unwrap().said(), "holds");
}

/// Containers of the library that a method makes, and the library itself.
#[test]
fn ways_through_the_library() {
    let check_way = |members: &str| {
        check_used(&format!(
            r#"{members}
    class Shown {{ public override string ToString() {{
        Assert(false); // HOLDS within USED: Test.Shown.ToString
        return ""; }} }}"#
        ));
    };
    check_way("public static List<object> Fill() { var l = new List<object>(); l.Add(new Shown()); return l; }");
    check_way("public static List<object> Fill() => new() { new Shown() };");
    check_way("public static object Fill() { var s = new Stack<object>(); s.Push(new Shown()); return s; }");
    check_way(
        "public static Dictionary<int, object> Fill() { var d = new Dictionary<int, object>(); d[1] = new Shown(); return d; }",
    );
    check_way(
        "public static (int, List<object>) Fill() { var l = new List<object>(); l.Add(new Shown()); return (1, l); }",
    );
    check_way("public static object[] Fill() { var a = new object[1]; Array.Fill(a, new Shown()); return a; }");
    check_way("public static object[] Fill() { var a = new object[1]; a.AsSpan()[0] = new Shown(); return a; }");
    check_way(
        "class Bag : List<object> { } public static object Fill() { var b = new Bag(); b.Add(new Shown()); return b; }",
    );
    check_used(
        "
    class Writer : System.IO.StringWriter { public override void Write(char c) {
        Assert(c != 'a'); // HOLDS within USED: Test.Writer.Write
    } }
    public static void Install() { Console.SetOut(new Writer()); }",
    );
}

/// Values of structs are in arrays and containers, where there is no object.
#[test]
fn values_of_structs() {
    check_used(
        r#"
    struct Shown { public override string ToString() {
        Assert(false); // HOLDS within USED: Test.Shown.ToString
        return ""; } }
    public static object All() => new Shown[1];"#,
    );
}
