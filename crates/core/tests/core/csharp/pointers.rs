//! Pointers, and memory on the stack.

use crate::csharp::check;

#[test]
fn pointers_into_arrays() {
    check(
        r#"
    public static unsafe void Sum(int[] numbers) {
        if (numbers == null || numbers.Length != 3) return;
        int sum = 0;
        fixed (int* start = numbers) {
            for (int* p = start; p < start + 3; p++) sum += *p;
            Assert(start[2] == numbers[2] && *(start + 1) == numbers[1]); // HOLDS
            int* end = start + 3;
            Assert(end - start == 3 && end != start && !(end <= start)); // HOLDS
            start[0] = 7;
        }
        Assert(numbers[0] == 7); // HOLDS
        Assert(sum != 10); // FAILS
    }
    public static unsafe void Empty() {
        fixed (int* none = new int[0]) Assert(none == null); // HOLDS
    }"#,
    );
}

#[test]
fn pointers_into_strings_and_variables() {
    check(
        r#"
    public static unsafe void Text(string s) {
        if (s == null || s.Length != 2) return;
        fixed (char* p = s) {
            Assert(p[0] == s[0] && p[2] == 0); // HOLDS
            Assert(p[1] != 'x'); // FAILS
        }
    }
    public static unsafe void Variable(int n) {
        int* p = &n;
        *p += 1;
        Assert(n == *p); // HOLDS
        Assert(*p != 8); // FAILS
    }"#,
    );
}

#[test]
fn memory_on_the_stack() {
    check(
        r#"
    public static unsafe void Memory(int n) {
        int* p = stackalloc int[3];
        p[1] = n;
        Assert(p[0] == 0 && *(p + 1) == n); // HOLDS
        Span<byte> bytes = stackalloc byte[4];
        BitConverter.TryWriteBytes(bytes, n);
        Assert(BitConverter.ToInt32(bytes) == n && bytes[0] == (byte)n); // HOLDS
        Assert(bytes[3] != 1); // FAILS
    }"#,
    );
}

// What is there is no matter of the program.
#[test]
fn accesses_beyond_the_end_are_refused() {
    check(
        r#"
    public static unsafe void Beyond(int n) {
        int* p = stackalloc int[3];
        Assert(p[n] == 0); // UNKNOWN because a pointer beyond the end of an array
    }"#,
    );
}

// Their leaves would have no end.
#[test]
fn pointers_to_own_struct_are_refused() {
    check(
        r#"
    unsafe struct Node { public Node* Next; public int Value; }
    static unsafe int Last() {
        Node last = new Node { Value = 1 };
        return last.Value;
    }
    public static void Linked() {
        Assert(Last() == 1); // UNKNOWN because which points to itself
    }"#,
    );
}

#[test]
fn pointers_to_the_same_place() {
    check(
        r#"
    public class Pair { public int First, Second; }
    public static void Fields(Pair a, Pair b) {
        if (a == null || b == null) return;
        Assert(Same(ref a.First, ref b.First) == (a == b)); // HOLDS
    }
    public static void Different(Pair a) {
        if (a == null) return;
        Assert(Same(ref a.First, ref a.Second)); // UNKNOWN because pointers of different kinds
    }
    static bool Same(ref int a, ref int b) => System.Runtime.CompilerServices.Unsafe.AreSame(ref a, ref b);
    public static void Variables(int n) {
        ref int one = ref n;
        ref int other = ref n;
        int third = 0;
        Assert(Same(ref one, ref other) && !Same(ref one, ref third)); // HOLDS
    }"#,
    );
}
