//! Delegates, lambda expressions and events.

use crate::csharp::check;

#[test]
fn captured_variables() {
    check(
        "
    public static void Capture(int n) {
        int count = 0;
        Action add = () => count += n;
        add();
        add();
        Assert(count == 2 * n); // HOLDS
        Assert(count > n); // FAILS
    }
    public static void Loops() {
        var all = new Func<int>[3];
        for (int i = 0; i < 3; i++) {
            int j = i;
            all[i] = () => i * 10 + j;
        }
        Assert(all[0]() == 30 && all[2]() == 32); // HOLDS
        Assert(all[1]() == 11); // FAILS
    }",
    );
}

#[test]
fn several_targets() {
    check(
        "
    public static void Multicast(bool twice) {
        int trace = 0;
        Action a = () => trace = trace * 10 + 1, b = () => trace = trace * 10 + 2;
        Action both = a + b;
        both();
        Assert(trace == 12); // HOLDS
        if (twice) both();
        Assert(trace == 12); // FAILS
    }
    public static void Remove(int n) {
        Action a = () => n++, b = () => n--;
        Action both = a + b;
        Assert(both - b == a); // HOLDS
        Assert(both - a == a); // FAILS
    }",
    );
}

#[test]
fn methods_as_delegates() {
    check(
        "
    public class Account { public int Balance; public void Pay(int n) { Balance -= n; } public virtual int Id() => 1; }
    public class Special : Account { public override int Id() => 2; }
    public delegate void Change(int n);
    public static void Groups(Account a, Account b) {
        if (a == null || b == null) return;
        Change pay = a.Pay, same = a.Pay;
        int before = a.Balance;
        pay(3);
        Assert(a.Balance == before - 3); // HOLDS
        Assert(pay == same && pay.Target == a); // HOLDS
        Assert(pay != new Change(b.Pay)); // FAILS
        Func<int> id = a.Id;
        Assert(id() == (a is Special ? 2 : 1)); // HOLDS
        Assert(id() == 1); // FAILS
    }",
    );
}

#[test]
fn events() {
    check(
        "
    public class Button { public event Action<int> Clicked; public void Click(int n) => Clicked?.Invoke(n); }
    public static void Events(int n) {
        var button = new Button();
        int sum = 0;
        Action<int> add = k => sum += k;
        button.Click(n);
        Assert(sum == 0); // HOLDS
        button.Clicked += add;
        button.Clicked += add;
        button.Click(n);
        button.Clicked -= add;
        button.Click(n);
        Assert(sum == 3 * n); // HOLDS
        Assert(sum >= n); // FAILS
    }",
    );
}

#[test]
fn local_functions() {
    check(
        "
    public static void Local(int n) {
        int calls = 0;
        int Sum(int k) { calls++; return k == 0 ? 0 : k + Sum(k - 1); }
        if (n < 0 || n > 4) return;
        int sum = Sum(n);
        Assert(sum * 2 == n * (n + 1)); // HOLDS
        Assert(calls == n + 1); // HOLDS
        Assert(sum != 6); // FAILS
    }",
    );
}

/// Other methods, which could run any lambda expression as far as the types go, do not matter to a line with one.
#[test]
fn lambdas_at_the_line() {
    check(
        r#"
    public static int Sums(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += new[] { i, n }.Count(x => x > sum);
        return sum;
    }
    public static void Counts(int x) {
        int[] a = { 1, 2, x };
        Assert(a.Count(i => i > 1) >= 1); // HOLDS
        Assert(a.Count(i => i > 1) >= 2); // FAILS
        int n = a.Where(i => i == 7).Count(); // REACHABLE
        if (n > 1)
            n = a.Count(i => i > n); // UNREACHABLE
        Array.ForEach(a, i => Assert(i != 7)); // FAILS
        Array.ForEach(a, i => Assert(i == 1 || i == 2 || i == x)); // HOLDS
    }
    static bool IsBig(int i) => i > 5;
    public static void Groups(int x) {
        if (new[] { x }.Any(IsBig)) Assert(x > 5); // HOLDS
    }"#,
    );
}

/// Delegates get to methods that do not make them through static fields, parameters and results.
#[test]
fn lambdas_from_elsewhere() {
    check(
        r#"
    static Action<int> kept = i => { };
    public static void Keep() {
        kept = i => {
            Assert(i != 7); // HOLDS within static fields
        };
    }
    public static void Use(int x) { new List<int> { x }.ForEach(kept); }"#,
    );
    check(
        r#"
    class Holder { public Action<int> Act; }
    static void Fill(Holder h) {
        h.Act = i => {
            Assert(i != 7); // FAILS
        };
    }
    public static void Both(int x) {
        var h = new Holder();
        Fill(h);
        new List<int> { x }.ForEach(h.Act);
    }"#,
    );
}

#[test]
fn delegates_to_methods_of_the_base_class() {
    check(
        r#"
    public class Parent { public virtual int Get() => 1; }
    public class Child : Parent {
        public override int Get() => 2;
        public Func<int> OfBase() => base.Get;
        public Func<int> Own() => Get;
    }
    class Grandchild : Child { public override int Get() => 3; }
    public static void Base(bool deep) {
        Child child = deep ? new Grandchild() : new Child();
        Assert(child.OfBase()() == 1); // HOLDS
        Assert(child.Own()() == 2); // FAILS
        Assert(child.Own()() == (deep ? 3 : 2)); // HOLDS
        Assert(child.OfBase() == child.OfBase() && child.OfBase() != child.Own()); // HOLDS
    }"#,
    );
}
