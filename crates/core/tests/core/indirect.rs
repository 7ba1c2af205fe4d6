//! Java code that runs through objects which code outside of the program gets. Needs a JDK.

use aback_core::{CheckConfig, Line, LoadConfig, Session, Violations};
use std::time::Duration;

/// Checks the answer about the assertion in the second line of the class `Main` with these members.
#[track_caller]
fn check(members: &str, said: &str, reason: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Main.java");
    let source = format!("import java.util.*; import java.util.function.*; public class Main {{ {members} }}\n");
    std::fs::write(&file, source).unwrap();
    let session = Session::open(&[file], &LoadConfig::default()).unwrap();
    let config = CheckConfig {
        at: Some(Line { file: "Main.java".into(), line: 2 }),
        violations: Violations::in_language(session.program(), false),
        timeout: Some(Duration::from_secs(60)),
        ..CheckConfig::default()
    };
    let answer = session.check(&config).unwrap();
    assert_eq!((answer.said(), answer.reason(session.program()).as_str()), (said, reason), "{members}");
}

#[track_caller]
fn check_used(members: &str, method: &str) {
    let bound = format!("code outside of the program does not use objects that it gets to run: {method}");
    check(members, "holds within bounds", &bound);
}

#[test]
fn objects_that_callers_get() {
    check_used(
        "public static IntUnaryOperator adder(int k) { return x -> {
            assert k + x != 7;
            return k + x; }; }",
        "a lambda expression in Main.adder",
    );
    check_used(
        "public static IntBinaryOperator order() { return new IntBinaryOperator() { public int applyAsInt(int a, int b) {
            assert a != b;
            return 0; } }; }",
        "Main$1.applyAsInt",
    );
    check_used(
        "public static IntUnaryOperator kept; public static void keep(int k) { kept = x -> {
            assert k + x != 7;
            return k + x; }; }",
        "a lambda expression in Main.keep",
    );
}

#[test]
fn objects_that_stay_inside() {
    check(
        "public static int inner(int n) { IntUnaryOperator f = x -> {
            assert x * 0 == 0;
            return x; }; return f.applyAsInt(n); }",
        "holds",
        "",
    );
    check(
        "interface Shape { int area(); } private static class Square implements Shape { public int area() {
            assert this != null;
            return 1; } } public static int area() { Shape shape = new Square(); return shape.area(); }",
        "holds",
        "",
    );
}
