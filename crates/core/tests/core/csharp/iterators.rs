//! Iterators and asynchronous methods, which the compiler turns into state machines.

use crate::csharp::check;

#[test]
fn iterators_run_on_demand() {
    check(
        "
    public static void Lazy(int n) {
        int started = 0, ended = 0;
        IEnumerable<int> Run() {
            try {
                started++;
                for (int i = 0; i < 3; i++) { if (i == n) yield break; yield return i; }
            } finally { ended++; }
        }
        var run = Run();
        Assert(started == 0); // HOLDS
        int sum = 0;
        foreach (int i in run) sum += i;
        Assert(started == 1 && ended == 1); // HOLDS
        Assert(sum == 3); // FAILS
        foreach (int i in run) break;
        Assert(started == 2 && ended == 2); // HOLDS
        Assert(sum == 3 || n >= 0 && n < 3); // HOLDS
    }",
    );
}

#[test]
fn enumerators() {
    check(
        "
    public class Pair : IEnumerable<int> {
        public int A, B;
        public IEnumerator<int> GetEnumerator() { yield return A; yield return B; }
        System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => GetEnumerator();
    }
    public static void Pairs(int a, int b) {
        var pair = new Pair { A = a, B = b };
        int product = 1;
        foreach (int n in pair) product = product * 3 + n;
        Assert(product == 9 + 3 * a + b); // HOLDS
        Assert(pair.Last() == b && pair.Count() == 2); // HOLDS
        Assert(pair.First() != 4); // FAILS
    }",
    );
}

#[test]
fn asynchronous_methods() {
    check(
        "
    static async Task<int> Twice(int n) { await Task.CompletedTask; return 2 * n; }
    public static void Async(int n) {
        int twice = Twice(n).GetAwaiter().GetResult();
        Assert(twice == 2 * n); // HOLDS
        Assert(twice > n); // FAILS
    }",
    );
}

#[test]
fn exceptions_of_asynchronous_methods() {
    check(
        "
    static async Task<int> Root(int n) {
        if (n < 0) throw new ArgumentException();
        await Task.FromResult(n);
        return 1;
    }
    public static void Throws(int n) {
        Task<int> task = Root(n);
        Assert(!task.IsFaulted); // FAILS
        try {
            task.GetAwaiter().GetResult();
            n = 1; // REACHABLE
        } catch (ArgumentException) {
            Assert(n < -1); // FAILS
        }
    }",
    );
}
