//! Code that is not translated, because something that is not supported comes before it: questions about it, and about
//! the code that it calls, are unknown.

use crate::check;

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
