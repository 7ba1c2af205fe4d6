//! Questions about programs with models of methods of libraries: `--models`.

use aback_core::{
    CheckConfig, ConfirmConfig, Confirmation, Effort, Engine, LoadConfig, LoadError, Preconditions, Sandboxing,
    Session, Verdict, Violations,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tempfile::TempDir;

/// A program and its models, each in a folder of its own.
struct Given {
    folder: TempDir,
    has_models: bool,
}

impl Given {
    /// A source with this name and text, and models as sources.
    fn new(name: &str, program: &str, models: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: PathBuf, text: &str| {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(folder.path().join("program").join(name), program);
        for (name, text) in models {
            write(folder.path().join("models").join(name), text);
        }
        Given { folder, has_models: !models.is_empty() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn load_config(&self) -> LoadConfig {
        let models = self.has_models.then(|| self.path("models"));
        LoadConfig { models: models.into_iter().collect(), ..LoadConfig::default() }
    }

    /// The session; `None` without a .NET SDK.
    fn open_with(&self, config: &LoadConfig) -> Option<Result<Session, LoadError>> {
        match Session::open(&[self.path("program")], config) {
            Err(LoadError::Platform(missing)) if missing.contains(".NET") || missing.contains("DOTNET") => {
                eprintln!("skipped: {missing}");
                None
            }
            session => Some(session),
        }
    }

    fn open(&self) -> Option<Session> {
        match self.open_with(&self.load_config())? {
            Err(LoadError::Invalid { diagnostics, .. }) => panic!("{diagnostics:#?}"),
            session => Some(session.unwrap()),
        }
    }
}

fn asked(entry: &str, traps: bool, session: &Session) -> CheckConfig {
    CheckConfig {
        entry: Some(entry.into()),
        violations: Violations::in_language(session.program(), traps),
        operations: Some(50_000),
        attack: Effort::None,
        ..CheckConfig::default()
    }
}

/// What both engines answer: the beginning of the answer, and what else follows each `…`. `models` are those that the
/// answer trusts.
#[track_caller]
fn check_asked(given: &Given, entry: &str, traps: bool, expected: &str, models: &[&str]) {
    for engine in [Engine::Forward, Engine::Backward, Engine::Auto] {
        // A session remembers which models were used.
        let Some(session) = given.open() else { return };
        let attack = if engine == Engine::Auto { Effort::default() } else { Effort::None };
        let answer = session.check(&CheckConfig { engine, attack, ..asked(entry, traps, &session) }).unwrap();
        let found = match &answer.violation {
            Some(found) => format!("violated at {}: {}", found.span.line, found.describe(&answer.program)),
            None => format!("{}: {}", answer.said(), answer.reason(session.program())),
        };
        let mut parts = expected.split('…');
        let is_said =
            parts.next().is_some_and(|start| found.starts_with(start)) && parts.all(|part| found.contains(part));
        assert!(is_said, "{engine:?}: {found}");
        assert!(!answer.refuted_proof, "{engine:?}");
        let wanted: Vec<String> = models.iter().map(|model| format!("the model of {model} describes it")).collect();
        let trusted: Vec<String> =
            answer.assumptions.iter().filter(|text| text.starts_with("the model of ")).cloned().collect();
        assert_eq!(trusted, wanted, "{engine:?}");
        if let Some(violation) = &answer.violation {
            assert_eq!(violation.models, models, "{engine:?}");
        }
    }
}

const JAVA: &str = "
import java.util.*;
import java.util.function.*;

class Main {
    static void sine(double x) { assert Math.sin(x) <= 1; }
    static void positiveSine(double x) { assert Math.sin(x) > 0; }
    static void processors() { assert Runtime.getRuntime().availableProcessors() == 4; }
    static void time() { assert System.nanoTime() == 5; }
    static void nothing(int x) { assert x == x; }
    static void checked(Object o) { Objects.requireNonNull(o); }
    static void filled(int n) {
        int[] a = new int[2];
        Arrays.fill(a, n);
        assert a[0] == n && a[1] == n;
    }
    static void largest(int n) {
        List<Integer> list = new ArrayList<>();
        list.add(n);
        Integer m = Collections.max(list);
        assert m == n;
    }
    static void absolute(int n) { assert Math.abs(n) >= 0; }
    static void overridden(int n) {
        Random seven = new Seven();
        assert seven.nextInt() == 7;
        assert new Plain().nextInt() == 4;
        assert new Next().nextInt() == 5;
        IntSupplier given = new Plain()::nextInt;
        assert given.getAsInt() == 4;
        Random any = n > 0 ? new Seven() : new Random();
        assert any.nextInt() == (n > 0 ? 7 : 4);
    }
    static void composed() {
        IntUnaryOperator more = x -> x + 1;
        assert more.andThen(more).applyAsInt(1) == 9;
    }
    static void first() { assert Runtime.getRuntime().availableProcessors() == 1; }
    static void second() {
        List<Integer> list = new ArrayList<>();
        list.add(1);
        list.add(2);
        assert list.get(1) == 2;
    }
    public static void main(String[] arguments) { first(); }
}
class Plain extends Random { }
class Seven extends Random { public int nextInt() { return 7; } }
class Next extends Random { public int nextInt() { return super.nextInt() + 1; } }
";

/// Checks answers about the Java program with models.
#[track_caller]
fn check_java(models: &[(&str, &str)], entry: &str, expected: &str, used: &[&str]) {
    check_asked(&Given::new("Main.java", JAVA, models), entry, false, expected, used);
}

const SINE: (&str, &str) = (
    "models/java/lang/Math.java",
    "package models.java.lang;
     import org.sosy_lab.sv_benchmarks.Verifier;
     class Math {
         static double sin(double x) {
             double y = Verifier.nondetDouble();
             Verifier.assume(y >= -1 && y <= 1);
             return y;
         }
     }",
);

#[test]
fn a_model_makes_a_method_known() {
    let sine = ["java.lang.Math.sin(double)"];
    check_java(&[], "Main.sine", "unknown: …", &[]);
    check_java(&[SINE], "Main.sine", "holds: ", &sine);
    // Only models that the entry point can reach are trusted.
    check_java(&[SINE], "Main.nothing", "holds: ", &[]);
    check_java(&[SINE], "Main.positiveSine", "violated at 7", &sine);
}

fn runtime(body: &str) -> [(&'static str, String); 1] {
    let text = format!("package models.java.lang; class Runtime {{ {body} }}");
    [("Runtime.java", text)]
}

#[track_caller]
fn check_runtime(body: &str, entry: &str, expected: &str) {
    let models = runtime(body);
    let models: Vec<(&str, &str)> = models.iter().map(|(name, text)| (*name, &**text)).collect();
    check_java(&models, entry, expected, &["java.lang.Runtime.availableProcessors()"]);
}

#[test]
fn models_of_users_replace_those_of_aback() {
    check_java(&[], "Main.processors", "violated at 8", &[]);
    check_runtime("static int availableProcessors(java.lang.Runtime self) { return 4; }", "Main.processors", "holds: ");
    let time = [("System.java", "package models.java.lang; class System { static long nanoTime() { return 5; } }")];
    check_java(&time, "Main.time", "holds: ", &["java.lang.System.nanoTime()"]);
}

#[test]
fn a_model_throws_and_gets_arrays_and_type_parameters() {
    let objects = [(
        "Objects.java",
        "package models.java.util; class Objects {
             static <T> T requireNonNull(T t) { if (t == null) throw new IllegalStateException(); return t; }
         }",
    )];
    let given = Given::new("Main.java", JAVA, &objects);
    let used = ["java.util.Objects.requireNonNull(java.lang.Object)"];
    check_asked(&given, "Main.checked", true, "violated at 11: java.lang.IllegalStateException", &used);
    let fill = |body: &str| {
        format!("package models.java.util; class Arrays {{ static void fill(int[] a, int v) {{ {body} }} }}")
    };
    let used = ["java.util.Arrays.fill(int[], int)"];
    check_java(
        &[("Arrays.java", &fill("for (int i = 0; i < a.length; i++) a[i] = v;"))],
        "Main.filled",
        "holds: ",
        &used,
    );
    check_java(&[("Arrays.java", &fill("a[0] = v;"))], "Main.filled", "violated at 15", &used);
    let max = [(
        "Collections.java",
        "package models.java.util; import java.util.Collection; class Collections {
             static <T extends Object & Comparable<? super T>> T max(Collection<? extends T> all) {
                 return Help.first(all);
             }
             static class Help { static <T> T first(Collection<? extends T> all) { return all.iterator().next(); } }
         }",
    )];
    check_java(&max, "Main.largest", "holds: ", &["java.util.Collections.max(java.util.Collection)"]);
}

#[test]
fn a_call_in_its_own_model_runs_the_method_of_the_library() {
    let abs = [(
        "Math.java",
        "package models.java.lang; class Math {
             static int abs(int n) { return n == Integer.MIN_VALUE ? 0 : java.lang.Math.abs(n); }
         }",
    )];
    check_java(&[], "Main.absolute", "violated at 23", &[]);
    check_java(&abs, "Main.absolute", "holds: ", &["java.lang.Math.abs(int)"]);
}

#[test]
fn a_model_stands_for_calls_that_select_its_method() {
    let random = [(
        "Random.java",
        "package models.java.util; class Random {
             static int nextInt(java.util.Random self) { return 4; }
             static void init(java.util.Random self) { }
         }",
    )];
    check_java(&random, "Main.overridden", "holds: ", &["java.util.Random.<init>()", "java.util.Random.nextInt()"]);
    let operator = "package models.java.util.function; class IntUnaryOperator {
             static java.util.function.IntUnaryOperator andThen(
                 java.util.function.IntUnaryOperator self, java.util.function.IntUnaryOperator after) {
                 return x -> after.applyAsInt(self.applyAsInt(x)) + 6;
             }
         }";
    check_java(
        &[("IntUnaryOperator.java", operator)],
        "Main.composed",
        "holds: ",
        &["java.util.function.IntUnaryOperator.andThen(java.util.function.IntUnaryOperator)"],
    );
}

#[test]
fn static_fields_of_models_may_have_changed_before() {
    let counts = "static int calls; static int availableProcessors(java.lang.Runtime self) { return ++calls; }";
    let bound = "static fields hold the values that initialization gives them: models.java.lang.Runtime.calls";
    check_runtime(counts, "Main.first", &format!("holds within bounds: …{bound}"));
    check_runtime(counts, "Main.main", "holds: ");
    // Code of the JDK calls this model.
    let index = [(
        "Objects.java",
        "package models.java.util; class Objects {
             static int calls;
             static int checkIndex(int index, int length) { return calls++ == 0 ? index : 0; }
         }",
    )];
    let bound = "static fields hold the values that initialization gives them: models.java.util.Objects.calls";
    check_java(
        &index,
        "Main.second",
        &format!("holds within bounds: …{bound}"),
        &["java.util.Objects.checkIndex(int, int)"],
    );
}

#[test]
fn no_input_is_an_object_of_a_model() {
    let body = "static int availableProcessors(java.lang.Runtime self) { return new Three().getAsInt(); }
        static class Three implements java.util.function.IntSupplier { public int getAsInt() { return 3; } }";
    // No class of the program itself is an `IntSupplier`.
    let program = "import java.util.function.IntSupplier; class Main { static void supplied(IntSupplier s) {
        Runtime.getRuntime().availableProcessors();
        assert s == null || s.getAsInt() != 3;
    } }";
    let models = runtime(body);
    let models: Vec<(&str, &str)> = models.iter().map(|(name, text)| (*name, &**text)).collect();
    let given = Given::new("Main.java", program, &models);
    let session = given.open_with(&given.load_config()).unwrap().unwrap();
    let answer = session.check(&asked("Main.supplied", false, &session)).unwrap();
    assert_ne!(answer.verdict, Verdict::Violated);
}

#[test]
fn models_go_with_preconditions_and_class_files() {
    let given = Given::new("Main.java", JAVA, &[SINE]);
    let preconditions = Preconditions { entry: Some("Main.positiveSine".into()), conditions: vec!["x > 2".into()] };
    let config = LoadConfig { preconditions, ..given.load_config() };
    let session = given.open_with(&config).unwrap().unwrap();
    let answer = session.check(&asked("Main.positiveSine", false, &session)).unwrap();
    assert_eq!(answer.verdict, Verdict::Violated);
    assert!(answer.assumptions.contains(&"the model of java.lang.Math.sin(double) describes it".to_string()));

    let compile = |from: &Path, class_path: &Path, to: &str| {
        let to = given.path(to);
        let status = Command::new("javac").arg("-cp").arg(class_path).arg("-d").arg(&to).arg(from).status().unwrap();
        assert!(status.success());
        to
    };
    let stub = "package org.sosy_lab.sv_benchmarks; public class Verifier {
        public static native double nondetDouble(); public static native void assume(boolean b); }";
    std::fs::write(given.path("Verifier.java"), stub).unwrap();
    let verifier = compile(&given.path("Verifier.java"), &given.path("."), "verifier");
    let program = compile(&given.path("program/Main.java"), &given.path("."), "classes");
    let models = compile(&given.path("models/models/java/lang/Math.java"), &verifier, "compiled");
    let config = LoadConfig { models: vec![models], ..LoadConfig::default() };
    let session = Session::open(&[program], &config).unwrap();
    let answer = session.check(&asked("Main.sine", false, &session)).unwrap();
    assert_eq!(answer.verdict, Verdict::Holds);
}

#[test]
fn a_wrong_model_is_not_confirmed() {
    let wrong = runtime("static int availableProcessors(java.lang.Runtime self) { return -3; }");
    let models: Vec<(&str, &str)> = wrong.iter().map(|(name, text)| (*name, &**text)).collect();
    let program =
        "class Main { static void f(int x) { assert x > 0 || Runtime.getRuntime().availableProcessors() > 0; } }";
    let found = not_confirmed(&Given::new("Main.java", program, &models));
    assert!(found.ends_with("models, which may be wrong: java.lang.Runtime.availableProcessors()"), "{found}");
}

/// What the runtime does instead of the violation in `Main.f`.
#[track_caller]
fn not_confirmed(given: &Given) -> String {
    let session = given.open().unwrap();
    let mut answer = session.check(&asked("Main.f", false, &session)).unwrap();
    let interrupt = AtomicBool::new(false);
    let config =
        ConfirmConfig { time: Duration::from_secs(60), memory: 512, sandbox: Sandboxing::Auto, interrupt: &interrupt };
    session.confirm(&mut answer, &config);
    match answer.violation.unwrap().confirmation.unwrap() {
        Confirmation::Differs { found, .. } => found,
        other => panic!("{other:?}"),
    }
}

const CSHARP: &str = "
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;

public class Main {
    public static void Ticks() { Debug.Assert(Environment.TickCount64 == 5); }
    public static void Processors() { Debug.Assert(Environment.ProcessorCount == 4); }
    public static void Nothing(int x) { Debug.Assert(x == x); }
    public static void Chosen(int n) {
        Random any = new Random();
        if (n > 0) Debug.Assert(any.Next(n) == n - 1);
        Random seven = new Seven();
        Debug.Assert(seven.Next(9) == 7);
        Debug.Assert(new More().Next(9) == 9);
        Func<int, int> given = any.Next;
        Debug.Assert(given(3) == 2);
    }
    public static void Day(DateTime day) { Debug.Assert(day.AddDays(1) == day); }
    public static void Counted(int[] all) { Debug.Assert(all == null || all.Count() == 3); }
    public static void Turned(int n) {
        var list = new List<int> { n, n + 1 };
        list.Reverse();
        Debug.Assert(list[0] == n);
    }
    public static void Absolute(int n) { Debug.Assert(Math.Abs(n) >= 0); }
    public static void Checked(double x) { Math.Sin(x); }
}
public class Seven : Random { public override int Next(int most) => 7; }
public class More : Random { public override int Next(int most) => base.Next(most) + 1; }
";

/// Checks answers about the C# program with models in the namespace `Models.System`.
#[track_caller]
fn check_csharp(models: &str, entry: &str, traps: bool, expected: &str, used: &[&str]) {
    let text = format!("using System;\nusing System.Collections.Generic;\nnamespace Models.System {{\n{models}\n}}\n");
    let models = [("Models.cs", &*text)];
    let models = if models[0].1.lines().count() > 5 { &models[..] } else { &[] };
    check_asked(&Given::new("Main.cs", CSHARP, models), entry, traps, expected, used);
}

#[test]
fn models_in_csharp() {
    let environment = "static class Environment {
        static long Five() => 5;
        internal static long get_TickCount64() => Five();
        internal static int get_ProcessorCount() => 4;
    }";
    check_csharp("", "Main.Ticks", false, "unknown: …", &[]);
    check_csharp(environment, "Main.Ticks", false, "holds: ", &["System.Environment.get_TickCount64()"]);
    check_csharp(environment, "Main.Processors", false, "holds: ", &["System.Environment.get_ProcessorCount()"]);
    check_csharp(environment, "Main.Nothing", false, "holds: ", &[]);
    let fails = "static class Math {
        internal static double Sin(double x) {
            throw new InvalidOperationException();
        }
    }";
    let used = ["System.Math.Sin(double)"];
    check_csharp(fails, "Main.Checked", true, "violated at 28: System.InvalidOperationException", &used);
}

#[test]
fn models_of_methods_of_objects_in_csharp() {
    let random = "static class Random {
        internal static void Ctor(global::System.Random self) { }
        internal static int Next(global::System.Random self, int most) {
            return most - 1;
        }
    }";
    check_csharp(random, "Main.Chosen", false, "holds: ", &["System.Random..ctor()", "System.Random.Next(int)"]);
    let day = "static class DateTime {
        internal static global::System.DateTime AddDays(ref global::System.DateTime self, double days) {
            return self;
        }
    }";
    check_csharp(day, "Main.Day", false, "holds: ", &["System.DateTime.AddDays(double)"]);
}

#[test]
fn models_with_type_parameters_in_csharp() {
    let count = "namespace Linq {
        static class Enumerable {
            internal static int Count<T>(IEnumerable<T> all) => 3;
        }
    }";
    let used = ["System.Linq.Enumerable.Count<int>(System.Collections.Generic.IEnumerable<int>)"];
    check_csharp(count, "Main.Counted", false, "holds: ", &used);
    let list = "namespace Collections.Generic {
        static class List<T> {
            internal static void Reverse(global::System.Collections.Generic.List<T> self) { }
        }
    }";
    check_csharp(list, "Main.Turned", false, "holds: ", &["System.Collections.Generic.List<int>.Reverse()"]);
}

#[test]
fn a_call_in_its_own_model_runs_the_method_of_the_library_in_csharp() {
    let abs = "static class Math {
        internal static int Abs(int n) {
            return n == int.MinValue ? 0 : global::System.Math.Abs(n);
        }
    }";
    check_csharp(abs, "Main.Absolute", true, "holds: ", &["System.Math.Abs(int)"]);
}

#[test]
fn private_methods_of_models_in_csharp_are_no_models() {
    let private = "static class Math {
        private static int Abs(int x) => -5;
        internal static double Sin(double x) => Abs(3);
    }";
    check_csharp(private, "Main.Absolute", false, "holds: ", &[]);
}
