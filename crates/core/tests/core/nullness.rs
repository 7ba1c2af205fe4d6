//! References that declarations exclude from being null. Needs a JDK, or a .NET SDK.

use aback_core::{CheckConfig, Engine, LoadConfig, Session, Violations};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const WITH: &str = "holds";
const WITHOUT: &str = "violated";

/// Checks the answers, with and without trust, of both engines about uncaught exceptions of the methods in these files.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| folder.path().join(name)).collect();
    for (path, (_, text)) in paths.iter().zip(files) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    check_at(&paths, expected);
}

/// The same for files and folders.
#[track_caller]
fn check_at(paths: &[PathBuf], expected: &[(&str, &str)]) {
    for trusted_nullness in [true, false] {
        let config = LoadConfig { trusted_nullness, ..LoadConfig::default() };
        let session = match Session::open(paths, &config) {
            Ok(session) => session,
            Err(missing) => return eprintln!("skipped: {missing}"),
        };
        for &(entry, with) in expected {
            for engine in [Engine::Forward, Engine::Backward] {
                let config = CheckConfig {
                    entry: Some(entry.into()),
                    violations: Violations::in_language(session.program(), true),
                    engine,
                    timeout: Some(Duration::from_secs(120)),
                    ..CheckConfig::default()
                };
                let answer = session.check(&config).unwrap();
                let said = if trusted_nullness { with } else { WITHOUT };
                assert_eq!(
                    if answer.said() == WITHOUT { WITHOUT } else { WITH },
                    said,
                    "{entry} with {engine:?}: {}",
                    answer.reason(session.program())
                );
                let assumed = answer.assumptions.iter().any(|assumption| assumption.starts_with("no input is null"));
                assert_eq!(assumed, trusted_nullness, "{entry}");
            }
        }
    }
}

fn java(members: &str, expected: &[(&str, &str)]) {
    let annotation = |name: &str, targets: &str, retention: &str| {
        format!(
            "package marks; import java.lang.annotation.*; @Target({{{targets}}}) @Retention(RetentionPolicy.{retention})
            public @interface {name} {{ String value() default \"\"; }}"
        )
    };
    let of_types = annotation("NonNull", "ElementType.TYPE_USE", "RUNTIME");
    let of_members = annotation("NotNull", "ElementType.PARAMETER, ElementType.FIELD", "CLASS");
    let nullable = annotation("Nullable", "ElementType.TYPE_USE", "RUNTIME");
    let marked = annotation("NullMarked", "ElementType.PACKAGE, ElementType.TYPE, ElementType.METHOD", "RUNTIME")
        .replace("String value() default \"\";", "");
    let unmarked = marked.replace("NullMarked", "NullUnmarked");
    check(
        &[
            ("marks/NonNull.java", &of_types),
            ("marks/NotNull.java", &of_members),
            ("marks/Nullable.java", &nullable),
            ("marks/NullMarked.java", &marked),
            ("marks/NullUnmarked.java", &unmarked),
            (
                "open/A.java",
                &format!("package open; import marks.*; import java.util.*; public class A {{ {members} }}"),
            ),
            ("marked/package-info.java", "@marks.NullMarked package marked;"),
            (
                "marked/A.java",
                &format!("package marked; import marks.*; import java.util.*; public class A {{ {members} }}"),
            ),
        ],
        expected,
    );
}

#[test]
fn annotated_parameters() {
    java(
        "public static int ofType(@NonNull String s) { return s.length(); }
        public static int ofParameter(@NotNull(\"never\") String s) { return s.length(); }
        public static int second(String a, @NonNull String b) { return b.length(); }
        public static int first(@NonNull String a, String b) { return b.length(); }
        public static int elements(@NonNull String[] s) { return s.length; }
        public static int array(String @NonNull [] s) { return s.length; }
        public static int nested(Map.@NonNull Entry<String, String> e) { return e == null ? 1 / 0 : 0; }
        public static <T> int variable(@NonNull T t) { return t == null ? 1 / 0 : 0; }
        public class Inner { int n; public Inner(@NonNull String s) { n = s.length(); } }",
        &[
            ("open.A.ofType", WITH),
            ("open.A.ofParameter", WITH),
            ("open.A.second", WITH),
            ("open.A.first", WITHOUT),
            ("open.A.elements", WITHOUT),
            ("open.A.array", WITH),
            ("open.A.variable", WITH),
            ("open.A.Inner.<init>", WITH),
        ],
    );
}

#[test]
fn annotated_fields() {
    java(
        "@NotNull String a; @NonNull String b; String c;
        public int ofField() { return a.length(); }
        public int ofType() { return b.length(); }
        public int neither() { return c.length(); }",
        &[("open.A.ofField", WITH), ("open.A.ofType", WITH), ("open.A.neither", WITHOUT)],
    );
}

#[test]
fn marked_packages() {
    java(
        "String name; @Nullable String other;
        public static int plain(String s) { return s.length(); }
        public static int nullable(@Nullable String s) { return s.length(); }
        public static <T> int variable(T t) { return t == null ? 1 / 0 : 0; }
        public static <T> int generic(int n, T t, T[] a) { return a == null ? 1 / 0 : 0; }
        public int field() { return name.length(); }
        public int nullableField() { return other.length(); }
        @NullUnmarked public static int unmarked(String s) { return s.length(); }
        public static class Nested { public int plain(String s) { return s.length(); } }",
        &[
            ("marked.A.plain", WITH),
            ("marked.A.nullable", WITHOUT),
            ("marked.A.variable", WITHOUT),
            ("marked.A.generic", WITH),
            ("marked.A.field", WITH),
            ("marked.A.nullableField", WITHOUT),
            ("marked.A.unmarked", WITHOUT),
            ("marked.A.Nested.plain", WITH),
            ("open.A.plain", WITHOUT),
        ],
    );
}

/// A module is the folder or the jar with its descriptor: another one has packages of its own, even with the same names.
#[test]
fn marked_modules() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
        std::fs::write(at(name), text).unwrap();
    };
    let run = |tool: &str, arguments: &str| {
        let ran = Command::new(tool).args(arguments.split(' ')).current_dir(folder.path()).status();
        ran.is_ok_and(|status| status.success())
    };
    let mark = "package marks; public @interface NullMarked { }";
    let method = "{ public static int plain(String s) { return s.length(); } }";
    let marked = [
        ("module-info.java", "@marks.NullMarked module m { }"),
        ("marks/NullMarked.java", mark),
        ("marks/NullUnmarked.java", &mark.replace("NullMarked", "NullUnmarked")),
        ("p/A.java", &format!("package p; public class A {method}")),
        ("p/B.java", &format!("package p; @marks.NullUnmarked public class B {method}")),
        ("q/package-info.java", "@marks.NullUnmarked package q;"),
        ("q/C.java", &format!("package q; public class C {method}")),
    ];
    let sources = marked.map(|(name, text)| {
        write(&format!("m/{name}"), text);
        format!("m/{name}")
    });
    write("n/D.java", &format!("package p; public class D {method}"));
    let compiled = run("javac", &format!("-g -d classes {}", sources.join(" ")))
        && run("javac", "-g -d others n/D.java")
        && run("jar", "cf m.jar -C classes .");
    if !compiled {
        return eprintln!("skipped: there is no JDK");
    }
    let expected = [("p.A.plain", WITH), ("p.B.plain", WITHOUT), ("q.C.plain", WITHOUT), ("p.D.plain", WITHOUT)];
    for module in ["classes", "m.jar"] {
        check_at(&[at(module), at("others")], &expected);
        check_at(&[at("others"), at(module)], &expected);
    }
}

#[test]
fn nullable_reference_types() {
    let source = "
    #nullable enable
    using System.Collections.Generic; using System.Diagnostics.CodeAnalysis;
    public struct Pair { public string First; }
    public class Test {
        public string Name = \"\"; public string? Other; public string Auto { get; set; } = \"\";
        public int Field() => Name.Length;
        public int NullableField() => Other.Length;
        public int Property() => Auto.Length;
        public static int Plain(string s) => s.Length;
        public static int Nullable(string? s) => s.Length;
        public static int Second(string? a, string b) => b.Length;
        public static int Variable<T>(T t) => t == null ? throw new System.Exception() : 0;
        public static int References(ref string a, in string b) => a.Length + b.Length;
        public static int NullableReference(ref string? a) => a.Length;
        public static int Elements(string?[] a) => a.Length;
        public static int NullableArray(string[]? a) => a.Length;
        public static int Allowed([AllowNull] string s) => s.Length;
        public static int Disallowed([DisallowNull] string? s) => s.Length;
        public static int Struct(Pair p) => p.First.Length;
        // A constructor gets a new object.
        public Test() { }
        public Test(string s) { Name = s; Other = s.Substring(0, s.Length); }
        public Test(string? s, int k) { Name = s!; k = s!.Length; }
        protected class Kin : Test { public Kin(string s, long k) : base(s) { Auto += k; } }
    #nullable disable
        public static int Oblivious(string s) => s.Length;
    }";
    check(
        &[("Test.cs", source)],
        &[
            ("Test.Field", WITH),
            ("Test.NullableField", WITHOUT),
            ("Test.Property", WITH),
            ("Test.Plain", WITH),
            ("Test.Nullable", WITHOUT),
            ("Test.Second", WITH),
            ("Test.Variable", WITHOUT),
            ("Test.References", WITH),
            ("Test.NullableReference", WITHOUT),
            ("Test.Elements", WITH),
            ("Test.NullableArray", WITHOUT),
            ("Test.Allowed", WITHOUT),
            ("Test.Disallowed", WITH),
            ("Test.Struct", WITHOUT),
            ("Test.<init>(String)", WITH),
            ("Test.<init>(String, int)", WITHOUT),
            ("Test.Kin.<init>", WITH),
            ("Test.Oblivious", WITHOUT),
        ],
    );
}
