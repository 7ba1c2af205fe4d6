//! What Java programs do behind a false assert statement: its error can be caught. Needs a JDK.

use crate::numbered::{check_both, numbered};
use aback_core::{CheckConfig, Exceptions, Line, Violations};
use aback_ir::{OpKind, Program};

const MEMBERS: &str = "
    static int none;
    static void positive(int n) { assert n > 0; }
    static class Failing { static int x; static { assert none > 0; } }";

/// What a question is about.
#[derive(Clone, Copy)]
enum About {
    /// Instances of this class that leave the entry point.
    Exceptions(&'static str),
    /// The assertion in the last line.
    LastLine,
}

/// Checks the answers of both engines about these statements, in which `n` is any natural number.
#[track_caller]
fn check_all(about: About, statements: &[(&str, &str)]) {
    let statements: Vec<(&str, String)> = (statements.iter())
        .map(|&(expected, code)| (expected, format!("int n = input == null ? 0 : input.length; {code}")))
        .collect();
    let questions: Vec<(&str, &str)> = statements.iter().map(|(expected, code)| (*expected, &code[..])).collect();
    let program = numbered("int[] input", &questions, MEMBERS);
    check_both(&program, &questions, |name, config| match about {
        About::Exceptions(class) => CheckConfig {
            violations: Violations { assertions: false, exceptions: Exceptions::InstancesOf(class.into()) },
            ..config
        },
        About::LastLine => CheckConfig {
            violations: Violations { assertions: true, exceptions: Exceptions::None },
            at: Some(Line { file: "Main.java".into(), line: last_assertion(&program, name) }),
            ..config
        },
    });
}

/// The line of the last assertion of a method.
fn last_assertion(program: &Program, name: &str) -> u32 {
    let (method, _) = program.methods().find(|(_, method)| method.name == name).expect("a method");
    let ops = program.body(method).expect("code").ops();
    let lines = ops.filter(|(_, op)| matches!(op.kind, OpKind::Assert { .. })).map(|(_, op)| op.span.line);
    lines.max().expect("an assertion")
}

#[test]
fn exceptions_behind_false_assertions() {
    check_all(
        About::Exceptions("java.lang.RuntimeException"),
        &[
            ("violated", "try { assert n > 0; } catch (Throwable t) { throw new IllegalStateException(); }"),
            ("violated", "try { assert n > 0; } finally { if (n == 0) { n = 1 / n; } }"),
            ("violated", "try { assert n > 0; } catch (AssertionError e) { n = 1 / n; }"),
            ("violated", "try { positive(n); } catch (Error e) { throw new RuntimeException(e); }"),
            ("violated", "assert n > 0 : 1 / n;"),
            ("violated", "try { Failing.x++; } catch (AssertionError e) { throw new RuntimeException(); }"),
            ("holds within bounds", "try { Failing.x++; } catch (ExceptionInInitializerError e) { n = 1 / 0; }"),
            ("holds", "assert n > 0; n = 1 / n;"),
            ("holds", "try { positive(n); } catch (RuntimeException e) { throw new RuntimeException(e); } n = 1 / n;"),
            ("holds", "assert n > 0 : 1 / (n + 1);"),
            ("holds", "try { assert n > 0; } catch (AssertionError e) { n = 1; } n = 1 / n;"),
        ],
    );
}

#[test]
fn errors_of_false_assertions_leave_the_entry_point() {
    let statements = [
        ("violated", "assert n > 0;"),
        ("violated", "try { positive(n); } finally { n = 1; }"),
        ("holds", "assert n >= 0;"),
        ("holds", "try { assert n > 0; } catch (AssertionError e) { }"),
    ];
    check_all(About::Exceptions("java.lang.Error"), &statements);
}

#[test]
fn lines_behind_false_assertions() {
    check_all(
        About::LastLine,
        &[
            ("violated", "try { assert n > 0; } catch (AssertionError e) { }\n assert n > 0;"),
            ("violated", "try { assert n > 0; } finally {\n assert n > 0; }"),
            ("violated", "try { positive(n); } catch (Throwable t) { n = -1; }\n assert n > 0;"),
            ("holds", "assert n > 0;\n assert n > 0;"),
            ("holds", "try { assert n > 0; } catch (AssertionError e) { n = 1; }\n assert n > 0;"),
            ("holds", "try { positive(n); } catch (Exception e) { n = 0; }\n assert n > 0;"),
        ],
    );
}
