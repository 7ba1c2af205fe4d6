//! Unit tests of behaviours: which are kept, and what they compare.

use crate::csharp::{HEAD, open_source};
use aback_core::{CheckConfig, ConfirmConfig, Sandboxing, Tests};
use aback_forward::HeapKind;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The tests for `Test.F`, whose class has these members; `None` without a .NET SDK.
#[track_caller]
fn tests(members: &str, entry: &str) -> Option<Tests> {
    let session = open_source(&format!("{HEAD}{members}\n}}\n"))?;
    let config = CheckConfig {
        entry: Some(entry.into()),
        heap: HeapKind::Lazy,
        operations: Some(1_000_000),
        ..CheckConfig::default()
    };
    let explored = session.explore(&config, 30).unwrap();
    let interrupt = AtomicBool::new(false);
    let config =
        ConfirmConfig { time: Duration::from_secs(300), memory: 512, sandbox: Sandboxing::Auto, interrupt: &interrupt };
    let tests = session.tests(&explored, Path::new("tests"), &config).unwrap();
    assert_eq!(tests.kept.len() + tests.left_out.len(), explored.behaviours.len());
    Some(tests)
}

/// Checks how many tests of `entry` are kept, that none is left out, and that their text has these parts.
#[track_caller]
fn check_entry(members: &str, entry: &str, kept: usize, parts: &[&str]) {
    let Some(tests) = tests(members, entry) else { return };
    let text: String = tests.files.iter().map(|(_, text)| &text[..]).collect();
    assert_eq!((tests.kept.len(), &tests.left_out[..]), (kept, &[][..]), "{text}");
    for part in parts {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

#[track_caller]
fn check(members: &str, kept: usize, parts: &[&str]) {
    check_entry(members, "Test.F", kept, parts);
}

/// Checks that the only behaviour has no test for a reason with this text.
#[track_caller]
fn check_left_out(members: &str, reason: &str) {
    let Some(tests) = tests(members, "Test.F") else { return };
    let [(0, found)] = &tests.left_out[..] else { panic!("{:?} {:?}", tests.kept, tests.left_out) };
    assert!(found.contains(reason), "{found}");
    assert!(tests.kept.is_empty() && tests.files.is_empty());
}

#[test]
fn objects_that_change() {
    check(
        "public class Node { int v; public Node Next; public Node(int v) { this.v = v; } public void Add() { v++; } }
        public static Node F(Node list) {
            Node first = new Node(3) { Next = list };
            if (list != null) list.Add();
            return first;
        }",
        2,
        &[
            "Assert.IsType<Test.Node>(result);",
            "Assert.Equal(3, (int)Get(typeof(Test.Node), result, \"v\"));",
            "Assert.Equal(1, (int)Get(typeof(Test.Node), list, \"v\"));",
            "Assert.Same(list, result.Next);",
        ],
    );
}

#[test]
fn values_of_all_kinds() {
    check(
        "public enum Color { Red, Green = 4 }
        public struct Point { public int X; public double Y; }
        public static object F(int i) {
            switch (i) {
                case 0: return Color.Green;
                case 1: return new Point { X = 1, Y = -0.0 };
                case 2: return new int?[] { 1, null };
                case 3: return new int[,] { { 1, 2 } };
                case 4: return new List<byte> { 7 };
                case 5: return new List<string>();
                case 6: return 2.5m;
                case 7: return (1L, 'c');
                case 8: return \"a\\\"b\";
                case 9: return new[] { 1.5f };
                default: return new Dictionary<int, int>();
            }
        }",
        11,
        &[
            "Assert.Equal((Test.Color)4, result);",
            "Assert.Equal(1, ((Test.Point)result).X);",
            "Assert.True(double.IsNegative((double)((Test.Point)result).Y));",
            "Assert.Equal(1, ((int?[])result)[0].Value);",
            "Assert.Equal(2, ((int[,])(object)result)[0, 1]);",
            "Assert.Equal(new byte[] { 7 }, (System.Collections.Generic.List<byte>)result);",
            "Assert.Empty((System.Collections.Generic.List<string>)result);",
            "Assert.Equal(new decimal(25, 0, 0, false, 1), (decimal)result);",
            "Assert.Equal(\"a\\\"b\", result);",
            "Assert.Equal(new float[] { 1.5f }, (float[])result);",
            "is not compared: its class is one of a library.",
        ],
    );
}

#[test]
fn variables_of_the_caller() {
    check(
        "public struct Pair { public int A, B; }
        public static bool F(int k, out int x, ref Pair p) {
            x = 5;
            if (k == 3) throw new ArgumentException();
            if (k > 3) { p.B = k; return true; }
            return false;
        }",
        3,
        &[
            "Assert.Equal(5, x);",
            "Assert.Equal(4, p.B);",
            "Assert.Throws<System.ArgumentException>(() =>",
            "Assert.False(result);",
        ],
    );
}

#[test]
fn structs_are_receivers_and_results() {
    let members =
        "public struct P { public int X, Y; public P Step(int d) { X += d; return new P { X = d, Y = X }; } }";
    check_entry(members, "P.Step", 1, &["Test.P result = p.Step(d);", "Assert.Equal(0, result.X);"]);
    let members = "public struct P { public int X; public P(int x) { X = x > 0 ? x : 7; } }";
    check_entry(members, "P.<init>", 2, &["Test.P result = new Test.P(x);", "Assert.Equal(7, result.X);"]);
}

/// Reflection calls methods that are not public. Variables get their values back, even if the method throws.
#[test]
fn methods_that_are_not_public() {
    check(
        "class Odd : Exception { }
        static bool F(int x, ref int y) { y = 2; if (x > 3) throw new Odd(); return x == 3; }",
        2,
        &["(bool)Call(method, ", "Assert.Equal(2, (int)arguments[1]);", "\"Test+Odd\", thrown.GetType().ToString()"],
    );
}

#[test]
fn spans_and_arrays() {
    check(
        "public static int F(Span<int> s) { if (s.Length == 1) { s[0] = 4; } return s.Length > 0 ? s[0] : throw new Exception(); }",
        4,
        &["Assert.Throws<System.Exception>(() =>\n        {"],
    );
    check(
        "public static void F(int[] a) { if (a != null && a.Length == 2) a[1] = 6; }",
        3,
        &["Assert.Equal(new int[] { 0, 6 }, a);"],
    );
}

#[test]
fn type_arguments() {
    check_entry(
        "public class Box<T> { public T Content; public T Swap(T other) { T old = Content; Content = other; return old; } }",
        "Box<int>.Swap",
        1,
        &["Test.Box<int> box = ", "public class TestBoxSystemInt32SwapTest"],
    );
}

/// A test fails at a false assertion also where the program catches all exceptions, and in handlers.
#[test]
fn false_assertions() {
    let members = "public static int F(int x) {
            try { Assert(x != 3); if (x == 5) throw new Exception(); }
            catch (Exception) { Assert(x != 5); return 0; }
            return x > 3 ? 1 : 2;
        }";
    let Some(tests) = tests(members, "Test.F") else { return };
    let failing = tests.kept.iter().filter(|test| test.shows_violation).count();
    assert_eq!((tests.kept.len(), failing), (4, 2), "{:?}", tests.left_out);
}

#[test]
fn what_is_left_out() {
    check_left_out(
        "static int count; public static int F() => ++count;",
        "after other tests of the same process, its test fails",
    );
    check_left_out("public static bool F() { return new object().GetHashCode() == 5; }", "the outcome may depend on");
}

/// Nothing that the program calls its classes or variables hides what tests need.
#[test]
fn names_of_the_program() {
    check(
        "public static int F(Runtime Xunit, int result, int arguments) {
            return Xunit == null ? result : Xunit.System + arguments;
        } } public class Assert { } public class Fact { } public class Runtime { public int System;",
        2,
        &["[Xunit.Fact]", "Xunit.Assert.Equal(0, result);"],
    );
}
