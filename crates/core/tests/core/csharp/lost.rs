//! Code that is not translated, because something that is not supported comes before it: questions about it, and about
//! the code that it calls, are unknown.

use crate::csharp::check;

/// The rest of a block, and the blocks to which only it leads.
#[test]
fn code_behind_what_is_unsupported() {
    check(
        r#"
    static int F() => 3;
    public static unsafe void A(int x) {
        Assert(x == x); // UNKNOWN because a pointer to a method
        delegate*<int> p = &F;
        int y = p();
        Assert(y != y); // UNKNOWN because a pointer to a method
        if (x > 3)
            Console.WriteLine("a"); // UNKNOWN because no assertion
        else
            y = 5;
        Assert(x > 3); // UNKNOWN because a pointer to a method

    }"#,
    );
}

/// No code behind these lines leads back to them, not even where the runtime throws exceptions.
#[test]
fn code_after_the_line() {
    check(
        r#"
    public static void A(int x, object o) {
        Assert(x == x); // HOLDS
        string.Intern("a");
        x = (int)o;
    }
    public static void B(int x) {
        for (int i = 0; i < 2; i++) {
            Assert(x == i + x || i > 0); // UNKNOWN because String.Intern
            string.Intern("a");
        }
    }"#,
    );
}

/// The whole method.
#[test]
fn a_variable_of_an_unsupported_type() {
    check(
        r#"
    public static void A(int x) {
        x = 5;
        TypedReference r = __makeref(x);
        Assert(x > 0); // UNKNOWN because a variable argument list
    }"#,
    );
}

/// A line behind a call of unknown code, or one that only lost code calls, can be reached from there.
#[test]
fn callers_behind_what_is_unsupported() {
    check(
        r#"
    [System.Runtime.InteropServices.DllImport("other")] static extern int Unknown();
    static void First(int x) {
        Assert(x != 7); // UNKNOWN because the native method
    }
    public static void A(int x) { Unknown(); First(x); }
    public static void B() { First(3); }

    static int F() => 3;
    static void Second(int x) {
        Assert(x != 7); // UNKNOWN because a pointer to a method
    }
    public static unsafe void C(int x) { delegate*<int> p = &F; Second(x); }
    public static void D() { Second(3); }

    class Node { public int N; public virtual void Third() { } }
    class Leaf : Node {
        public override void Third() {
            Assert(N != 7); // UNKNOWN because a pointer to a method
        }
    }
    public static unsafe void E(int x) { delegate*<int> p = &F; var leaf = new Leaf(); leaf.N = x; ((Node)leaf).Third(); }
    public static void G() { new Leaf().Third(); }

    static void Fourth(int x) {
        Assert(x != 7); // HOLDS
    }
    public static void H() { Fourth(3); }"#,
    );
}

/// What code behind something unsupported does to static fields and objects matters to other executions.
#[test]
fn changes_behind_what_is_unsupported() {
    check(
        r#"
    class Box { public int Value; }
    static int written, passed; static readonly int[] array = { 1 }; static readonly List<int> list = new();
    static readonly Box box = new(), other = new();
    static int F() => 3;
    static void Up(Box of) { of.Value++; }
    static void Set(ref int of) { of = 1; }
    public static unsafe void Changes() {
        Box before = box;
        delegate*<int> p = &F;
        int y = p();
        written = 5; array[0] = 7; list.Add(1); before.Value = 3; Up(other); Set(ref passed);
    }
    public static void A() { Assert(written == 0); } // HOLDS within static fields
    public static void B() { Assert(passed == 0); } // HOLDS within static fields
    public static void C() { Assert(array[0] == 1); } // HOLDS within objects that static fields refer to
    public static void D() { Assert(list.Count == 0); } // HOLDS within objects that static fields refer to
    public static void E() { Assert(box.Value == 0); } // HOLDS within objects that static fields refer to
    public static void G() { Assert(other.Value == 0); } // HOLDS within objects that static fields refer to
    static int untouched;
    public static void H() { Assert(untouched == 0); } // HOLDS"#,
    );
}

/// A pointer to a method is refused where it is used, and what uses it may call the method.
#[test]
fn methods_behind_pointers() {
    check(
        r#"
    static int n, m;
    static void Up() { n++; }
    public static unsafe void A(bool b) { n = 0; delegate*<void> f = &Up; if (b) f();
        Assert(n == 0); } // UNKNOWN because a pointer to a method
    static void Checked(int k) {
        Assert(k < 5); // UNKNOWN because a pointer to a method
    }
    public static unsafe void B(int k) { delegate*<int, void> f = &Checked; if (k < 5) f(k); }
    static void Other() { m++; }
    public static unsafe IntPtr C() { delegate*<void> f = &Other; return (IntPtr)f; }
    public static void D() { Assert(m == 0); } // HOLDS within static fields"#,
    );
}
