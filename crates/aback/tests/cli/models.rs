//! `--models`: answers, and errors in models.

use crate::files;
use insta::assert_snapshot;

const MAIN: &str = "\
class Main {
    static void f(double x) {
        assert Math.sin(x) < 1;
    }
    static int g(double x) {
        double y = Math.sin(x);
        return y < 1 ? 1 : 2;
    }
}
";

const SINE: &str = "\
package models.java.lang;

class Math {
    static double sin(double x) {
        return org.sosy_lab.sv_benchmarks.Verifier.nondetDouble();
    }
}
";

#[test]
fn an_answer_names_the_models_that_it_depends_on() {
    let place = files([("Main.java", MAIN), ("models/Math.java", SINE)]);
    let found = place.run("check Main.java --models models --entry Main.f --witness found.json -v").ends(1);
    assert_snapshot!(found);
    let found = place.run("check Main.java --models models --entry Main.f --json").ends(1).json();
    assert_eq!(found["violation"]["models"], serde_json::json!(["java.lang.Math.sin(double)"]));
    place.run("confirm found.json").says("models, which may be wrong: java.lang.Math.sin(double)").ends(1);
    place.run("reach Main.java --models models --entry Main.g --at Main.java:7").ends(1).says("depends on models");
    let explored = place.run("explore Main.java --models models --entry Main.g");
    explored.ends(0).says("depends on models: java.lang.Math.sin(double)");
}

#[test]
fn tests_of_behaviours_run_the_real_methods() {
    let wrong = SINE.replace("org.sosy_lab.sv_benchmarks.Verifier.nondetDouble()", "5");
    let place = files([("Main.java", MAIN), ("models/Math.java", &wrong)]);
    place.run("explore Main.java --models models --entry Main.g --tests tests").says("0 tests of 1 behaviour");
}

#[test]
fn models_stand_for_methods_that_exist() {
    let models = "\
package models.java.lang;

class Math {
    static double sine(double x) { return x; }
    static double sin(float x) { return x; }
    static float cos(double x) {
        return 0;
    }
    double tan(double x) { return x; }
    private static double help(double x) { return x; }
}
class Nothing {
    static void f() { }
}
class Object {
    static int hashCode(java.lang.Object self) { return 1; }
}
class Integer {
    static int intValue() { return 1; }
    static short shortValue(java.lang.Integer self, int more) { return 1; }
    static void wait(java.lang.Integer self) { }
}
class Number {
    static int intValue(java.lang.Number self) { return 1; }
}
class String {
    static boolean equals(java.lang.String self, java.lang.Object other) { return true; }
}
";
    let place = files([("Main.java", MAIN), ("models/Math.java", models)]);
    assert_snapshot!(place.run("check Main.java --models models --entry Main.f").ends(2));
}

#[test]
fn models_know_libraries_only() {
    let of_main = "package models; class Main { static int g(double x) { return 1; } }";
    let place = files([
        ("Main.java", MAIN),
        ("broken/Math.java", "package models.java.lang;\nclass Math { static double sin(double x) { return y; } }\n"),
        (
            "uses/Math.java",
            "package models.java.lang;\nclass Math { static double sin(double x) { return Main.g(x); } }\n",
        ),
        ("own/Main.java", of_main),
        ("same/Main.java", "class Main { }"),
        ("other/Math.java", "package other; class Math { }"),
        ("Main.oox", "class Main { static void main() { assert true; } }"),
    ]);
    std::fs::create_dir(place.path("empty")).unwrap();
    let asked = |models: &str| place.run(&format!("check Main.java --entry Main.f --models {models}")).ends(2);
    asked("broken").says("broken/Math.java:2:").says("cannot find symbol");
    asked("uses").says("uses/Math.java:2:").says("cannot find symbol");
    asked("own").says("Main is a class of the program");
    asked("same").says("there is another class Main in Main.java");
    asked("other").says("there are no classes in packages that begin with `models`");
    asked("empty").says("no .java sources");
    asked("missing").says("cannot read missing");
    place.run("check Main.oox --models broken").ends(2).says("--models is for Java and C#, and this is OOX");
}

#[test]
fn models_in_csharp_stand_for_methods_that_exist() {
    let main = "using System;\nusing System.Diagnostics;\nclass Main { static void F() { Debug.Assert(Math.Abs(1) == 1); } }\n";
    let models = "\
using System;
namespace Models.System
{
    static class Math
    {
        internal static int Absolute(int x) => x;
        internal static int Abs(string x) => 1;
        internal static long Abs(int x) => x;
    }
    class Version
    {
        internal int CompareTo(global::System.Version other) => 1;
    }
    static class Nothing
    {
        internal static int F() => 1;
    }
    static class Object
    {
        internal static int GetHashCode(object self) => 1;
    }
}
";
    let of_program = "namespace Models { static class Main { internal static void F() { } } }\n";
    let place = files([
        ("Main.cs", main),
        ("models/Models.cs", models),
        ("other/A.cs", "class A { }"),
        ("own/Main.cs", of_program),
    ]);
    let found = place.run("check Main.cs --entry Main.F --models models").ends(2);
    if found.stderr.contains("DOTNET_ROOT") {
        return;
    }
    assert_snapshot!(found);
    place
        .run("check Main.cs --entry Main.F --models other")
        .ends(2)
        .says("there are no classes in the namespace `Models`");
    place.run("check Main.cs --entry Main.F --models own").ends(2).says("Main is a class of the program");
}
