//! Which method a call runs, and when classes and objects are initialized.

use crate::csharp::{check, open};
use aback_core::{CheckConfig, Line, LoadConfig, Session, Violations, Visibility};

#[test]
fn virtual_methods() {
    check(
        "
    public class Animal { public virtual int Legs() => 0; public int Twice() => 2 * Legs(); }
    public class Dog : Animal { public override int Legs() => 4; }
    public class Puppy : Dog { public override int Legs() => base.Legs() - 1; }
    public static void Legs(Animal a) {
        if (a == null) return;
        Assert(a.Twice() == 2 * a.Legs()); // HOLDS
        Assert(a.Legs() == 0 || a.Legs() == 4); // FAILS
        Assert(a.Legs() <= 4); // HOLDS
        if (a is Dog d) Assert(d.Legs() > 2); // HOLDS
    }",
    );
}

#[test]
fn explicit_implementations() {
    check(
        "
    public interface ILeft { int Get(); }
    public interface IRight { int Get(); }
    public class Both : ILeft, IRight { int ILeft.Get() => 1; int IRight.Get() => 2; public int Get() => 3; }
    public static void Explicit(Both b, ILeft l) {
        if (b == null || l == null) return;
        Assert(b.Get() == 3 && ((ILeft)b).Get() == 1 && ((IRight)b).Get() == 2); // HOLDS
        Assert(l.Get() == 1); // HOLDS
        Assert(l != b); // FAILS
        Assert(l is IRight r && r.Get() == 3); // FAILS
    }",
    );
}

#[test]
fn default_methods_of_interfaces() {
    check(
        "
    public interface IShape { int Sides(); int Twice() => 2 * Sides(); static int Count(IShape s) => s.Sides(); }
    public class Square : IShape { public int Sides() => 4; }
    public struct Line : IShape { public int Sides() => 1; int IShape.Twice() => 5; }
    public static void Defaults(IShape s) {
        if (s == null) return;
        Assert(s.Twice() == 8 || s.Twice() == 5); // HOLDS
        Assert(s.Twice() == 2 * IShape.Count(s)); // FAILS
        Assert(s is Line || s.Twice() == 8); // HOLDS
    }",
    );
}

#[test]
fn hidden_members() {
    check(
        "
    public class Base { public int F() => 1; public virtual int G() => 1; public int N = 1; }
    public class Derived : Base { public new int F() => 2; public new virtual int G() => 2; public new int N = 2; }
    public class Last : Derived { public override int G() => 3; }
    public static void Hidden(Derived d) {
        if (d == null) return;
        Base b = d;
        Assert(b.F() == 1 && d.F() == 2 && b.G() == 1); // HOLDS
        Assert(d.G() == 2); // FAILS
        b.N = 7;
        d.N = 8;
        Assert(b.N == 7); // HOLDS
    }",
    );
}

#[test]
fn static_constructors() {
    check(
        "
    static class Config {
        internal static readonly int Size = 3, Area = Size * Size;
        static Config() { Size = Area + 1; }
    }
    public static void Statics(int i) {
        Assert(Config.Size == 10 && Config.Area == 9); // HOLDS
        Assert(i + Config.Size > i); // FAILS
    }",
    );
}

#[test]
fn order_of_construction() {
    check(
        "
    public class Base { public int Seen; public Base() { Seen = Get(); } protected virtual int Get() => 1; }
    public class Derived : Base {
        int early = 5, late;
        public Derived(int n) { late = n; }
        protected override int Get() => early * 10 + late;
    }
    public static void Construction(int n) {
        var d = new Derived(n);
        Assert(d.Seen == 50); // HOLDS
        Assert(new Base().Seen == 1); // HOLDS
        Assert(d.Seen != n); // FAILS
    }",
    );
}

#[test]
fn properties_and_indexers() {
    check(
        "
    public class Table {
        readonly int[] cells = new int[4];
        public int Reads { get; private set; }
        public int this[int i] { get { Reads++; return cells[i & 3]; } set => cells[i & 3] = value; }
        public static Table operator +(Table t, int n) { t[0] += n; return t; }
    }
    public static void Properties(int i) {
        var t = new Table();
        t[i] = 5;
        t[i]++;
        Assert(t[i + 4] == 6 && t.Reads == 2); // HOLDS
        t += 1;
        Assert(t[0] == 1); // FAILS
        Assert(t[0] == 1 || t[0] == 7); // HOLDS
    }",
    );
}

#[test]
fn static_constructors_that_fail() {
    check(
        "
    static class Broken { internal static readonly int N = int.Parse(null); }
    public static void Statics(int i) {
        try {
            i = Broken.N;
            i++; // UNREACHABLE
        } catch (TypeInitializationException e) {
            Assert(e.InnerException is ArgumentNullException); // HOLDS
            Assert(i < 5); // FAILS
        }
    }",
    );
}

/// A line of a class is found in each of the class's files.
#[test]
fn partial_classes() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["A", "B"].map(|name| {
        let file = folder.path().join(format!("{name}.cs"));
        let method = format!("public static void {name}(int x) {{\nSystem.Diagnostics.Debug.Assert(x != 7);\n}}");
        std::fs::write(&file, format!("public static partial class Test {{ {method} }}")).unwrap();
        file
    });
    let session = match Session::open(&files, &LoadConfig::default()) {
        Ok(session) => session,
        Err(missing) => return eprintln!("skipped: {missing}"),
    };
    for name in ["A.cs", "B.cs"] {
        let at = Some(Line { file: name.into(), line: 2 });
        let violations = Violations::in_language(session.program(), false);
        let answer = session.check(&CheckConfig { at, violations, ..CheckConfig::default() }).unwrap();
        assert_eq!(answer.said(), "violated", "{name}");
    }
}

// A question about a line starts at public constructors, too.
#[test]
fn constructors_are_entry_points() {
    check(
        r#"
    public class Account {
        int limit = 3; int balance;
        public Account(int start) {
            Assert(limit == 3 && balance == 0); // HOLDS
            Assert(start != 9); // FAILS
            balance = start;
        }
    }
    public class Saver : Account {
        public Saver() : base(1) { }
        public void Visit(int x) { }
    }
    public abstract class Shape {
        public Shape(int sides) {
            Assert(sides == 4); // HOLDS
        }
    }
    public sealed class Square : Shape { public Square() : base(4) { } }"#,
    );
}

// The runtime keeps the exception of a failed initialization, so that an earlier use of the class changes nothing.
#[test]
fn failed_initialization() {
    check(
        r#"
    class Broken {
        public static readonly int Size;
        static Broken() { int[] none = []; Size = none[0]; }
    }
    public static void Uses(int n) {
        Exception first = null, second = null;
        try {
            n = Broken.Size;
            n = 1; // UNREACHABLE
        }
        catch (TypeInitializationException e) { first = e; }
        try { new Broken(); }
        catch (TypeInitializationException e) { second = e; }
        Assert(first.InnerException is IndexOutOfRangeException); // HOLDS
        Assert(first.InnerException == second.InnerException); // HOLDS
        Assert(first == null); // FAILS
    }"#,
    );
}

/// No constructor need have run before a method of a struct or of an interface.
#[test]
fn static_constructors_before_methods_of_structs_and_interfaces() {
    check(
        "
    struct S { public int X; static S() { throw new Exception(); } public int M() => X; public override string ToString() => null; }
    struct Lazy { public static int F = Fail(); public int M() => 1; static int Fail() => throw new Exception(); }
    interface I { static I() { throw new Exception(); } int M() => 1; int N(); }
    class C : I { public int N() => 2; }
    static int Constrained<T>(T t) where T : struct { t.ToString(); return 1; }
    public static void Call(int n) {
        S s = default;
        s.X = 1;
        Assert(s.X == 1); // HOLDS
        int r = 0;
        try { if (n > 0) s.M(); r = 1; } catch (TypeInitializationException) { r = 2; }
        Assert(r == 1); // FAILS
        Assert(n <= 0 || r == 2); // HOLDS
    }
    public static void Boxed() {
        object o = default(S);
        o.ToString();
        int n = 0; // UNREACHABLE
    }
    public static void Generic() {
        Constrained(default(S));
        int n = 0; // UNREACHABLE
    }
    public static void Interface() {
        I i = new C();
        Assert(i.N() == 2); // HOLDS
        i.M();
        int n = 0; // UNREACHABLE
    }
    public static void NotPrecise() { Assert(default(Lazy).M() == 1); } // HOLDS",
    );
}

/// The program model has the same types for these overloads.
#[test]
fn overloads_are_named_by_the_types_of_their_sources() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Main.cs");
    let text = r#"
        using System.Diagnostics;
        public enum Color { Red, Green }
        public enum Size { Small, Big }
        public struct Meter { public int Value; }
        public class Money {
            public int Cents;
            public static explicit operator int(Money m) => m.Cents;
            public static explicit operator long(Money m) { Debug.Assert(m.Cents != 2); return 0; }
        }
        public class Main {
            public static void F(Color c) { Debug.Assert(c != Color.Green); }
            public static void F(Size s) { }
            public static void F(Meter m) { Debug.Assert(m.Value != 7); }
            public static void F(int n) { }
            public static void F(int? n) { Debug.Assert(n != 9); }
            public static void G(Color c) { Debug.Assert(c != Color.Red); }
        }"#;
    std::fs::write(&file, text).unwrap();
    let Some(session) = open(&[file], &LoadConfig::default()) else { return };
    for (entry, expected) in [
        ("Main.F(Color)", "violated"),
        ("Main.F(Size)", "holds"),
        ("Main.F(Meter)", "violated"),
        ("Main.F(int)", "holds"),
        ("Main.F(int?)", "violated"),
        ("Main.F(Money)", "there is no method"),
        ("Main.F", "`Main.F` names several methods"),
        ("Money.op_Explicit(Money): int", "holds"),
        ("Money.op_Explicit(Money): long", "violated"),
        ("Money.op_Explicit(Money): short", "there is no method"),
        ("Money.op_Explicit(Money)", "`Money.op_Explicit(Money)` names several methods"),
        // The type of the program model.
        ("Main.G(int)", "violated"),
    ] {
        let violations = Violations::in_language(session.program(), false);
        let config = CheckConfig { entry: Some(entry.into()), violations, ..CheckConfig::default() };
        let said = session.check(&config).map_or_else(|error| error.to_string(), |answer| answer.said().to_string());
        assert!(said.starts_with(expected), "{entry}: {said}");
    }
    let names: Vec<String> =
        session.entry_points(Visibility::Public, None).into_iter().map(|entry| entry.name).collect();
    let different: std::collections::BTreeSet<&String> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "{names:?}");
}

/// Everyone can call an explicit implementation through its interface, if that is public.
#[test]
fn explicit_implementations_are_entry_points() {
    check(
        r#"
    public interface IShape { int Area(int k); }
    internal interface IHidden { int Area(int k); }
    public class Square : IShape, IHidden {
        int IShape.Area(int k) {
            Assert(k != 3); // FAILS
            return k;
        }
        int IHidden.Area(int k) {
            Assert(k != 3); // HOLDS within code outside of the program does not use objects that it gets to run: Test.Square.Test.IHidden.Area
            return k;
        }
        public static int Twice(int k) => 2 * (new Square() as IHidden).Area(k == 3 ? 4 : k);
    }"#,
    );
}

/// Calls on null fail at their callers, whatever else the arguments of an entry point need: variables, objects that are not null,
/// initializers.
#[test]
fn receivers_are_not_null() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Main.cs");
    let text = r#"
        #nullable enable
        public class Box {
            public int Take(ref int n) { return 1; }
            public virtual bool Try(int n, out int m) { m = n; return true; }
            public void Store(string text) { }
            public string Name { get; set; } = "";
        }
        public class Other : Box {
            public override bool Try(int n, out int m) { m = 1 / n; return true; }
        }
        public record Point(int X);"#;
    std::fs::write(&file, text).unwrap();
    let load = LoadConfig { trusted_nullness: true, ..LoadConfig::default() };
    let Some(session) = open(&[file], &load) else { return };
    for (entry, expected) in [
        ("Box.Take", "holds"),
        // An overrider is an entry point of its own.
        ("Box.Try", "holds"),
        ("Other.Try", "violated"),
        ("Box.Store", "holds"),
        ("Box.set_Name", "holds"),
        ("Point.Deconstruct", "holds"),
        ("Point.Equals(object)", "holds within bounds"),
    ] {
        let violations = Violations::in_language(session.program(), true);
        let config = CheckConfig { entry: Some(entry.into()), violations, ..CheckConfig::default() };
        let said = session.check(&config).map_or_else(|error| error.to_string(), |answer| answer.said().to_string());
        assert_eq!(said, expected, "{entry}");
    }
}

/// Scans ask about generic classes that the program itself does not use.
#[test]
fn generic_classes_have_entry_points() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Box.cs");
    std::fs::write(&file, "public class Box<T> { public int Share(int n) => 10 / n; }").unwrap();
    let Some(session) = open(&[file], &LoadConfig::default()) else { return };
    let names: Vec<String> =
        session.entry_points(Visibility::Public, None).into_iter().map(|entry| entry.name).collect();
    let share = names.iter().find(|name| name.contains("Share")).expect("an entry point");
    let violations = Violations::in_language(session.program(), true);
    let config = CheckConfig { entry: Some(share.clone()), violations, ..CheckConfig::default() };
    assert_eq!(session.check(&config).unwrap().said(), "violated", "{share}");
}
