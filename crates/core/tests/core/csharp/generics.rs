//! Generic types and methods.

use crate::csharp::{check, open};
use aback_core::{CheckConfig, LoadConfig, Violations};

#[test]
fn static_fields_of_instantiations() {
    check(
        "
    public class Counter<T> { public static int Made; public Counter() { Made++; } }
    public static void Instantiations(int n) {
        Counter<int>.Made = Counter<string>.Made = Counter<object>.Made = n;
        new Counter<int>();
        new Counter<int>();
        new Counter<string>();
        Assert(Counter<int>.Made == n + 2 && Counter<string>.Made == n + 1); // HOLDS
        Assert(Counter<object>.Made == n); // HOLDS
        Assert(Counter<int>.Made > Counter<string>.Made); // FAILS
    }",
    );
}

#[test]
fn constraints() {
    check(
        "
    public struct Point { public int X; }
    public class Box { public int Value = 3; }
    static T Max<T>(T a, T b) where T : IComparable<T> => a.CompareTo(b) >= 0 ? a : b;
    static T Make<T>() where T : new() => new T();
    public static void Constraints(int x, int y, byte b) {
        int max = Max(x, y);
        Assert(max >= x && max >= y && (max == x || max == y)); // HOLDS
        Assert(max > x); // FAILS
        Assert(Max(b, (byte)7) >= 7); // HOLDS
        Assert(Make<Point>().X == 0 && Make<Box>().Value == 3); // HOLDS
    }",
    );
}

#[test]
fn generic_virtual_methods() {
    check(
        "
    public abstract class Shape { public abstract int Visit<T>(T value); }
    public class Square : Shape { public override int Visit<T>(T value) => value is int ? 1 : 2; }
    public class Circle : Shape { public override int Visit<T>(T value) => typeof(T) == typeof(string) ? 3 : 4; }
    public static void Visits(Shape s) {
        if (s == null) return;
        Assert(s.Visit(5) != 2); // HOLDS
        Assert(s.Visit(\"x\") == 2); // FAILS
        Assert(s.Visit(5) + s.Visit(\"x\") == (s is Square ? 3 : 7)); // HOLDS
    }",
    );
}

#[test]
fn static_abstract_members() {
    check(
        "
    public interface IUnit<T> where T : IUnit<T> {
        static abstract int Factor { get; }
        static virtual int Double => 2 * T.Factor;
        static abstract T operator +(T a, T b);
    }
    public record struct Meter(int N) : IUnit<Meter> {
        public static int Factor => 100;
        public static Meter operator +(Meter a, Meter b) => new Meter(a.N + b.N);
    }
    static T Twice<T>(T n) where T : IUnit<T> => n + n;
    static int Double<T>() where T : IUnit<T> => T.Double;
    public static void Units(Meter m) {
        Assert(Twice(m).N == 2 * m.N); // HOLDS
        Assert(Twice(m).N > m.N); // FAILS
        Assert(Double<Meter>() == 200); // HOLDS
    }",
    );
}

#[test]
fn arithmetic_on_type_parameters() {
    check(
        "
    static T Sum<T>(T a, T b) where T : System.Numerics.INumber<T> => a + b;
    public static void Sums(byte b, int i) {
        Assert(Sum(i, 1) == i + 1); // HOLDS
        Assert(Sum(b, (byte)1) == b + 1); // FAILS
        Assert(Sum(b, (byte)1) == (byte)(b + 1)); // HOLDS
        Assert(Sum(i, i) >= i); // FAILS
    }",
    );
}

#[test]
fn variance() {
    check(
        "
    public static void Variance(bool which) {
        object o = which ? new List<string>() : new List<object>();
        Assert(o is IEnumerable<object>); // HOLDS
        Assert(o is IList<object>); // FAILS
        Assert(o is IEnumerable<int>); // FAILS
    }",
    );
}

#[test]
fn generic_methods_are_entry_points() {
    check(
        r#"
        public static void Any<T>(T value) {
            Assert(value != null); // FAILS
        }
        public static void Number<T>(T value) where T : struct {
            Assert(!value.Equals(null)); // HOLDS within type parameter T is int
        }
        public static T Larger<T>(T left, T right) where T : IComparable<T> {
            T found = left.CompareTo(right) > 0 ? left : right;
            Assert(found.CompareTo(left) >= 0); // HOLDS within type parameter T is int
            return found;
        }
        static void Hidden<T>(T value) {
            Assert(value != null); // HOLDS
        }
        public static void Calls() { Any(5); Hidden(5); }
        public interface IShape { int Area(); }
        public class Square : IShape { public int Side; public int Area() => Side * Side; }
        public static void Measures<T>(T shape) where T : IShape {
            Assert(shape.Area() != 16); // FAILS
        }
        public class Stack<T> {
            T[] items = new T[4]; int count;
            public void Push(T item) {
                if (items == null || count < 0 || count >= items.Length) return;
                int before = count;
                items[count++] = item;
                Assert(count == before + 1); // HOLDS within type parameter T is System.Object
                Assert(items[before] == null); // FAILS
            }
        }"#,
    );
}

#[test]
fn entry_points_name_their_instances() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Box.cs");
    let text = r#"
        using System.Diagnostics;
        public class Point { public int X; }
        public class Box<T> {
            T value;
            public Box(T value) { Debug.Assert(value != null); this.value = value; }
            public void Get() { Debug.Assert(value != null); }
            public void Pair<U>(U other) where U : struct { Debug.Assert(value != null); }
            public class Inner<V> { public void Take(V taken) { Debug.Assert(taken != null); } }
        }"#;
    std::fs::write(&file, text).unwrap();
    let Some(session) = open(&[file], &LoadConfig::default()) else { return };
    for (entry, expected) in [
        ("Box.Get", "violated"),
        ("Box<int>.Get", "holds"),
        ("Box<Point>.Get", "violated"),
        ("Box<int?>.Get", "violated"),
        ("Box<int[,]>.Get", "violated"),
        ("Box<System.Collections.Generic.List<int>>.Get", "violated"),
        ("Box<int>.Pair<long>", "holds"),
        ("Box<int>.Pair", "holds within bounds: type parameter U is int"),
        ("Box.Pair<int>", "violated"),
        ("Box<int>.Pair<string>", "there is no method"),
        ("Box<int>.Box", "holds"),
        ("Box<Nothing>.Get", "there is no method"),
        ("Box<int, int>.Get", "there is no method"),
        ("Box<int>.Inner<long>.Take", "holds"),
        ("Box.Inner.Take", "violated"),
    ] {
        let config = CheckConfig {
            entry: Some(entry.into()),
            violations: Violations::in_language(session.program(), false),
            ..CheckConfig::default()
        };
        let said = match session.check(&config) {
            Ok(answer) => {
                let reason = answer.reason(session.program());
                [answer.said(), &reason].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ")
            }
            Err(error) => error.to_string(),
        };
        assert!(said.starts_with(expected), "{entry}: {said}");
        assert_eq!(said.contains("within bounds"), expected.contains("within bounds"), "{entry}: {said}");
    }
}

/// A call through a variant interface runs the method for the arguments that the class has.
#[test]
fn variant_interfaces() {
    check(
        r#"
    class Animal { public virtual int Legs => 2; }
    class Dog : Animal { public override int Legs => 4; }
    interface ISource<out T> { T Get(int n); }
    interface ISink<in T> { int Put(T item); }
    class Dogs : ISource<Dog> {
        public Dog Get(int n) {
            Assert(n < 10); // HOLDS
            Assert(n != 7); // FAILS
            return new Dog();
        }
    }
    struct Counts : ISink<Animal>, ISource<string> {
        public int Put(Animal a) => a.Legs;
        string ISource<string>.Get(int n) => "s" + n;
    }
    static Animal Take(ISource<Animal> source, int n) => source.Get(n);
    public static void Sources(int n) {
        if (n < 10) Assert(Take(new Dogs(), n).Legs == 4); // HOLDS
        ISource<object> texts = new Counts();
        Assert(texts.Get(1) is string s && s == "s1"); // HOLDS
    }
    public static void Sinks() {
        ISink<Dog> sink = new Counts();
        Assert(sink.Put(new Dog()) == 2); // FAILS
        Assert(sink.Put(new Dog()) == 4); // HOLDS
    }
    static IEnumerable<Dog> Several(int n) {
        for (int i = 0; i < 2; i++) {
            Assert(n > 3); // HOLDS
            yield return new Dog();
        }
    }
    public static void Library(int n) {
        IEnumerable<object> texts = new List<string> { "a", "b" };
        int count = 0;
        foreach (object text in texts) count++;
        Assert(count == 2); // HOLDS
        if (n > 3) {
            IEnumerable<Animal> animals = Several(n);
            foreach (Animal animal in animals) count += animal.Legs;
            Assert(count == 10); // HOLDS
        }
        Func<Dog> make = () => new Dog();
        Func<Animal> general = make;
        Assert(general().Legs == 4); // HOLDS
    }
"#,
    );
    check(
        r#"
    class Dog { }
    interface ISource<out T> { T Get(int n); }
    class Two : ISource<Dog>, ISource<string> {
        Dog ISource<Dog>.Get(int n) => new Dog();
        string ISource<string>.Get(int n) => "s";
    }
    public static void Ambiguous() {
        ISource<object> source = new Two();
        Assert(source.Get(1) is Dog); // UNKNOWN because a call of Test.ISource<System.Object>.Get
    }"#,
    );
}

/// Iterators and async methods of generic methods and types: their code is that of a generic class, which nothing names.
#[test]
fn code_that_runs_through_objects() {
    check(
        r#"
    static IEnumerable<T> Once<T>(T x, int k) {
        Assert(unchecked(k * 0x5851F42D + 77) != 99); // FAILS
        Assert(k == k); // HOLDS
        yield return x; }
    public static int Iterates(int k) { int n = 0; foreach (string s in Once("", k)) n++; return n; }
    static async Task<int> Later<T>(T x) where T : class { await Task.CompletedTask;
        Assert(x != null); // FAILS
        return 1; }
    public static void Waits(string s) { Later(s); }
    class Bag<T> { public IEnumerable<T> All(T x) {
        Assert(x != null); // FAILS
        yield return x; } }
    public static int Counts(string s) { int n = 0; foreach (var x in new Bag<string>().All(s)) n++; return n; }
    interface IVisitor { int Visit<T>(T x); }
    class Visitor : IVisitor { public int Visit<T>(T x) {
        Assert(x != null); // FAILS
        return 1; } }
    public static int Visits(string s) { IVisitor visitor = new Visitor(); return visitor.Visit(s); }"#,
    );
}

/// Instances within instances without end.
#[test]
fn endless_instances() {
    check(
        "
    static int Nested<T>(T x, int depth) { if (depth > 3) {
        Assert(x == null); // FAILS
        return 1; } return Nested(new List<T> { x }, depth + 1); }
    public static int Nests(string s) => Nested(s, 0);",
    );
}

/// Callers choose type arguments.
#[test]
fn changes_by_other_instances() {
    let within_fields = "HOLDS within static fields hold the values that initialization gives them";
    let within_objects = "HOLDS within objects that static fields refer to";
    check(&format!(
        "
    static class Counter<T> {{ public static int Made; }}
    public static void Make<T>() {{ Counter<T>.Made++; }}
    public static void A() {{ Assert(Counter<DateTime>.Made == 0); }} // {within_fields}
    static class Lists<T> {{ public static int Made; }}
    public class Maker<T> {{ public Maker() {{ Lists<List<T>>.Made++; }} }}
    public static void B() {{ Assert(Lists<List<long>>.Made == 0); }} // {within_fields}
    static class Other<T> {{ public static int Made; }}
    public static void C() {{ Assert(Other<int>.Made == 0); }} // HOLDS
    public class Box<T> {{ internal T Value; }}
    static readonly Box<int> box = new();
    public static Box<int> Get() => box;
    public static void Set<T>(Box<T> of, T value) {{ of.Value = value; }}
    public static void D() {{ Assert(box.Value == 0); }} // {within_objects}"
    ));
}

/// An interface that leaves static methods to its implementers is no type argument.
#[test]
fn static_abstract_methods_of_the_argument() {
    check(
        "
    public interface IShape { static virtual int Id => 3; static abstract int Count(); }
    public class Square : IShape { public static int Count() => 4; }
    public static int Id<T>() where T : IShape {
        Assert(T.Id == 3 && T.Count() == 4); // HOLDS within type parameter T is Test.Square
        return T.Id;
    }",
    );
}
