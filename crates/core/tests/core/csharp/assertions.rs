//! Assertions of the class library and of test frameworks.

use crate::csharp::{check, check_with, open_source};
use aback_core::{CheckConfig, Engine, Line, LoadConfig};

/// The assertion methods of the frameworks, in short, and the end of the class with the tests.
const FRAMEWORKS: &str = "} namespace Xunit { public static class Assert {
    public static void True(bool condition) { throw new Sdk.TrueException(); }
    public static void True(bool? condition) { throw new Sdk.TrueException(); }
    public static void False(bool? condition, string message) { throw new Sdk.XunitException(); }
    public static void Null(object value) { throw new Sdk.XunitException(); }
    public static void NotNull(object value) { throw new Sdk.XunitException(); }
    public static void NotSame(object left, object right) { throw new Sdk.XunitException(); }
    public static void Equal<T>(T expected, T actual) { throw new Sdk.XunitException(); }
    public static void NotEqual<T>(T expected, T actual) { throw new Sdk.XunitException(); }
    public static void InRange<T>(T actual, T low, T high) { throw new Sdk.XunitException(); }
    public static T Throws<T>(Action code) where T : Exception { throw new Sdk.XunitException(); }
    public static void Odd(int number) { if (number % 2 == 0) throw new Sdk.XunitException(); } }
    namespace Sdk { public class XunitException : Exception { } public class TrueException : XunitException { } } }
namespace NUnit.Framework { public class AssertionException : Exception { }
    public static class Assert {
        public static void That(bool condition, string message = \"\") { throw new AssertionException(); }
        public static void That<T>(T actual, Constraints.IResolveConstraint wanted, string message = \"\") { wanted.Resolve(); }
        public static void Multiple(Action code) { code(); } }
    public static class Is {
        public static Constraints.Constraint EqualTo(int value) => new();
        public static Constraints.Constraint EqualTo(string value) => new();
        public static Constraints.Constraint LessThan(object value) => new();
        public static Constraints.Constraint Null => new();
        public static Constraints.ConstraintExpression Not => new(); }
    namespace Constraints { public interface IResolveConstraint { void Resolve() { throw new AssertionException(); } }
        public class Constraint : IResolveConstraint { }
        public class ConstraintExpression { public Constraint Null => new(); public Constraint EqualTo(int value) => new(); } }
    namespace Legacy { public static class ClassicAssert { public static void AreEqual(object expected, object actual) { } } } }
namespace Microsoft.VisualStudio.TestTools.UnitTesting { public class AssertFailedException : Exception { }
    public static class Assert {
        public static void IsTrue(bool condition, string message, params object[] args) { throw new AssertFailedException(); }
        public static void AreEqual<T>(T expected, T actual) { throw new AssertFailedException(); }
        public static void AreSame(object left, object right) { throw new AssertFailedException(); }
        public static void Fail() { throw new AssertFailedException(); } } }
public class Point { public int X; public override bool Equals(object o) => o is Point p && p.X == X; public override int GetHashCode() => X; }
public record Pair(int Left, string Right); public struct Size { public int Width; public int Height; }
public class End {";

#[track_caller]
fn check_frameworks(members: &str) {
    check(&format!("{members}\n{FRAMEWORKS}"));
}

#[test]
fn the_class_library() {
    check(
        r#"
        public static void Passes(int x) {
            System.Diagnostics.Trace.Assert(x != 5); // FAILS
            System.Diagnostics.Contracts.Contract.Assert(x != 6, "six"); // FAILS
            Assert(x != 5); // FAILS
            if (x == 7) Fail("seven"); // FAILS
            if (x == 8) System.Diagnostics.Trace.Fail("eight", "more"); // FAILS
            Assert(x != 9, $"text"); // FAILS
            WriteLine("text"); // REACHABLE
            System.Diagnostics.Contracts.Contract.Assume(x > 10);
            Assert(x > 10); // HOLDS
        }"#,
    );
}

#[test]
fn assertions_of_xunit_end_the_method() {
    check_frameworks(
        r#"
        public static void Numbers(int x, double d, int? n, bool? b) {
            Xunit.Assert.True(x != 5); // FAILS
            Xunit.Assert.NotEqual(5, x); // HOLDS
            Xunit.Assert.Equal(d, d); // HOLDS
            Xunit.Assert.True(d == d); // FAILS
            Xunit.Assert.Equal(0.0, -0.0); // HOLDS
            Xunit.Assert.Equal(3, n); // FAILS
            Xunit.Assert.True(n == 3); // HOLDS
            Xunit.Assert.False(b, "no"); // FAILS
            Xunit.Assert.True(b != true && b.HasValue); // HOLDS
            Xunit.Assert.InRange(x, 1, 3); // FAILS
            Xunit.Assert.True(x == 1 || x == 2 || x == 3); // HOLDS
        }
        public static void Objects(int x, string s, Point p) {
            Xunit.Assert.NotNull(p); // FAILS
            Xunit.Assert.NotSame(p, new Point()); // HOLDS
            Xunit.Assert.Equal(p, new Point { X = p.X }); // HOLDS
            Xunit.Assert.Equal("ab", s); // FAILS
            Xunit.Assert.Equal(new Pair(1, s), new Pair(1, "ab")); // HOLDS
            Xunit.Assert.Equal(new Size { Width = x }, new Size { Width = 2 }); // FAILS
            Xunit.Assert.True(x == 2); // HOLDS
            Xunit.Assert.Null(p); // FAILS
            Xunit.Assert.True(false); // HOLDS
        }
        public static void Exceptions(int x) {
            try { Xunit.Assert.True(x > 0); } // FAILS
            catch (Xunit.Sdk.TrueException) { Assert(x <= 0); } // HOLDS
            catch (Exception) { Assert(false); } // HOLDS
            Action thrown = () => { if (x > 5) throw new ArgumentException(); };
            Exception found = Xunit.Assert.Throws<ArgumentException>(thrown); // FAILS
            Assert(x > 5 && found is ArgumentException); // HOLDS
            Xunit.Assert.Throws<SystemException>(thrown); // FAILS
            Assert(false); // HOLDS
        }
        public static void Text(int x) {
            try { Xunit.Assert.True(x > 0); }
            catch (Exception e) { Assert(e.Message != "no"); } // UNKNOWN because the text of a failed assertion
        }
        public static void Others(int x) {
            Xunit.Assert.Odd(x); // FAILS
            Assert(x % 2 != 0); // HOLDS
        }"#,
    );
}

#[test]
fn assertions_of_nunit_have_constraints() {
    check_frameworks(
        r#"
        public static void Constraints(int x, long l, string s) {
            NUnit.Framework.Assert.That(x != 5, "five"); // FAILS
            NUnit.Framework.Assert.That(x, NUnit.Framework.Is.Not.EqualTo(5)); // HOLDS
            NUnit.Framework.Assert.That(l, NUnit.Framework.Is.EqualTo(7)); // FAILS
            Assert(l == 7); // HOLDS
            NUnit.Framework.Assert.That(l, NUnit.Framework.Is.LessThan(x)); // FAILS
            Assert(x > 7); // HOLDS
            NUnit.Framework.Assert.That(s, NUnit.Framework.Is.Not.Null); // FAILS
            NUnit.Framework.Assert.That(s, NUnit.Framework.Is.EqualTo("ab")); // FAILS
            Assert(s == "ab"); // HOLDS
            NUnit.Framework.Legacy.ClassicAssert.AreEqual(8, x); // FAILS
            NUnit.Framework.Legacy.ClassicAssert.AreEqual(8L, x); // HOLDS
        }
        public static void Objects(int x) {
            var constraint = NUnit.Framework.Is.Null;
            NUnit.Framework.Assert.That(x, constraint); // FAILS
        }"#,
    );
    check_frameworks(
        r#"
        public static void Several(int x) {
            NUnit.Framework.Assert.Multiple(() => {
                NUnit.Framework.Assert.That(x != 5); // FAILS
                NUnit.Framework.Assert.That(x != 6); // FAILS
            });
            Assert(x != 5); // UNKNOWN because what follows a failed assertion in Assert.Multiple
        }"#,
    );
}

#[test]
fn assertions_of_mstest() {
    check_frameworks(
        r#"
        public static void All(int x, string s, Point p) {
            Microsoft.VisualStudio.TestTools.UnitTesting.Assert.IsTrue(x != 5, "five {0}", 5); // FAILS
            Assert(x != 5); // HOLDS
            Microsoft.VisualStudio.TestTools.UnitTesting.Assert.AreEqual(3, x); // FAILS
            Microsoft.VisualStudio.TestTools.UnitTesting.Assert.AreEqual("a", s); // FAILS
            Microsoft.VisualStudio.TestTools.UnitTesting.Assert.AreSame(p, null); // FAILS
            Assert(x == 3 && s == "a" && p == null); // HOLDS
            Microsoft.VisualStudio.TestTools.UnitTesting.Assert.Fail(); // FAILS
        }"#,
    );
}

const WRAPPERS: &str = r#"
    public static void Valid(bool condition) { Assert(condition); }
    public static void Empty(string name, bool condition) => name = null;
    public static void Pair((bool, int) pair, bool condition) { }
    public class Base { public void Check(bool condition) { } }"#;

#[test]
fn methods_are_assertions_if_they_are_named() {
    let methods = ["Test.Valid", "Test.Empty", "Test.Pair", "Base.Check"].map(String::from);
    let config = LoadConfig { assert_methods: methods.to_vec(), ..LoadConfig::default() };
    let calls = r#"
        public static void Calls(int x, Base b) {
            Valid(x != 5); // FAILS
            Valid(x != 5); // FAILS
            Empty("six", x != 6); // FAILS
            Pair((false, 1), x == x); // HOLDS
            if (b != null) b.Check(x != 7); // FAILS
            b.Check(true); // HOLDS
            Assert(b != null); // HOLDS
        }"#;
    check_with(&format!("{calls}{WRAPPERS}"), &config, &[Engine::Forward, Engine::Backward]);
}

#[test]
fn lines_without_assertions_have_no_answer() {
    check(&format!(
        "public static void Calls(int x) {{
            Valid(x != 5); // UNKNOWN because `--assert-method Test.Valid` makes each call of Test.Valid an assertion
            x = 5; // UNKNOWN because there is no assertion at Test.cs
        }}{WRAPPERS}"
    ));
}

/// Parts of a statement have places of their own, and the assertion is at that of the statement.
#[test]
fn assertions_with_switch_expressions() {
    check(
        r#"
    static bool Calls(Func<int, bool> f, int n) => f(n);
    public static void OneLine(int n) {
        Assert(n switch { 1 => 5, _ => 7 } != 5); // FAILS
        Assert(n switch { 1 => 5, _ => 7 } != 6); // HOLDS
        Assert(n switch { 1 => 5, 2 => 3, _ => throw new Exception() } != 3); // FAILS
        Assert(n is > 5 and < 7 or 1 or (2 or 3) || n != 2); // HOLDS
    }
    public static void Nested(int n) {
        Assert(Calls(x => { Assert(x * 2 != 7); return true; }, n) && n switch { 1 => 5, _ => 7 } != 5); // FAILS
        Assert(Calls(x => { Assert(x * 2 != 7); return true; }, n) && n switch { 1 => 5, _ => 7 } != 9); // HOLDS
        Assert(n switch { 1 => 5, _ => 7 } != 5); Assert(n * 2 != 7); // FAILS
    }
    public static void Lines(int n) {
        int r = n switch {
            1 =>
                n > 1 ? 7 : 8,
            2 => n switch { 1 => 4, _ => 3 },
            _ => n };
        Assert(r != 3 || n == 2); // FAILS
        Assert(r != 8 || n == 1 || n == 8); // HOLDS
    }"#,
    );
}

/// A method may have lines of several files.
#[test]
fn lines_of_generated_code() {
    let source = "using System.Diagnostics; public static class Page { public static void Show(int x) {
        Debug.Assert(x != 3);
#line 100 \"Page.tt\"
        Debug.Assert(x != 4);
#line default
        Debug.Assert(x == x); } }";
    let Some(session) = open_source(source) else { return };
    for (file, line, expected) in [("Page.tt", 100, "violated"), ("Test.cs", 2, "violated"), ("Test.cs", 6, "holds")] {
        let at = Some(Line { file: file.into(), line });
        let answer = session.check(&CheckConfig { at, ..CheckConfig::default() }).unwrap();
        assert_eq!(answer.said(), expected, "{file}:{line}");
    }
}
