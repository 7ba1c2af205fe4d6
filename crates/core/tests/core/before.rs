//! Code that ran before the entry point, and classes outside of the program, with both engines. Needs a JDK.

use aback_core::{Answer, CheckConfig, Engine, LoadConfig, Session, Violations, World, check};
use std::time::Duration;

/// The answers of both engines about an entry point of the class `Main` with these members, which is compiled once.
fn answers(members: &str, entry: &str, any_statics: bool, world: World) -> (Session, [Answer; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Main.java");
    std::fs::write(&file, format!("import java.util.*; public class Main {{\n{members}\n}}\n")).unwrap();
    let loaded = Session::open(&[file], &LoadConfig { any_statics, ..LoadConfig::default() }).unwrap();
    let ask = |engine| {
        let config = CheckConfig {
            entry: Some(entry.into()),
            violations: Violations::in_language(loaded.program(), false),
            engine,
            world,
            timeout: Some(Duration::from_secs(300)),
            ..CheckConfig::default()
        };
        check(loaded.program(), &config).unwrap()
    };
    let answers = [Engine::Forward, Engine::Backward].map(ask);
    (loaded, answers)
}

/// Checks the verdict and its reason.
#[track_caller]
fn checks(members: &str, entry: &str, any_statics: bool, world: World, said: &str, reason: &str) {
    let (loaded, answers) = answers(members, entry, any_statics, world);
    for answer in answers {
        assert_eq!((answer.said(), answer.reason(loaded.program()).as_str()), (said, reason), "{entry}");
    }
}

/// Checks that the answer assumes the initial values of the static fields `names`; if `names` is empty, that it is a
/// proof.
#[track_caller]
fn fields(members: &str, names: &str) {
    let bound = format!("static fields hold the values that initialization gives them: {names}");
    within(members, names, &bound);
}

/// Checks the same for the objects that static fields refer to.
#[track_caller]
fn objects(members: &str, names: &str) {
    let bound = format!("objects that static fields refer to are as initialization leaves them: {names}");
    within(members, names, &bound);
}

#[track_caller]
fn within(members: &str, names: &str, bound: &str) {
    let (said, reason) = if names.is_empty() { ("holds", "") } else { ("holds within bounds", bound) };
    checks(members, "Main.f", false, World::Closed, said, reason);
}

#[track_caller]
fn check_any(members: &str, said: &str, reason: &str) {
    checks(members, "Main.f", true, World::Closed, said, reason);
}

#[track_caller]
fn check_open(members: &str, said: &str, reason: &str) {
    checks(members, "Main.f", false, World::Open, said, reason);
}

/// Checks the answer about an entry point in a closed world.
#[track_caller]
fn check_entry(members: &str, entry: &str, said: &str, reason: &str) {
    checks(members, entry, false, World::Closed, said, reason);
}

/// Callers assign public fields of public classes, and change the objects that they get.
#[test]
fn what_callers_change() {
    fields("public static int a = 5; static void f() { assert a == 5; }", "Main.a");
    fields("public static final int A = Integer.parseInt(\"5\"); static void f() { assert A == 5; }", "");
    fields("static class C { public static int a = 5; } static void f() { assert C.a == 5; }", "");
    objects("public static final int[] A = {1}; static void f() { assert A[0] == 1; }", "Main.A");
    let array = "private static final int[] A = {1}; static void f() { assert A[0] == 1; }";
    objects(&format!("{array} public static Object get() {{ return A; }}"), "Main.A");
    objects(&format!("{array} static int[] get() {{ return A; }}"), "");
    let list = "public static Object get() { List<Object> l = new ArrayList<>(); l.add(A); return l; }";
    objects(&format!("{array} {list}"), "Main.A");
}

#[test]
fn static_fields_that_other_methods_write() {
    fields("static int a; static void set(int x) { a = x; } static void f() { assert a == 0; }", "Main.a");
    fields("static int a; static void f() { assert a == 0; a++; }", "Main.a");
    fields("static int a; private static void f() { assert a == 0; a++; }", "Main.a");
    fields("static int a; static class B { static { a = 1; } } static void f() { assert a == 0; }", "Main.a");
    fields("static int a; static class B { B() { a++; } } static void f() { assert a == 0; }", "Main.a");
    fields("static int a; static void g() { Runnable r = () -> a = 2; } static void f() { assert a == 0; }", "Main.a");
}

#[test]
fn static_fields_that_are_exact() {
    fields("static int a = 3; static void f() { assert a == 3; }", "");
    fields(
        "static int a; static { init(); } private static void init() { a = 3; } static void f() { assert a == 3; }",
        "",
    );
    // What is written does not matter, or it is written again before it is read.
    fields("static int calls; static void f(int x) { calls++; assert (x | 1) != 0; }", "");
    fields("static int n; static void f() { n = 0; n++; assert n == 1; }", "");
    fields("static int n; static void f(int x) { int y = Math.abs(x); n = 0; assert n == 0; }", "");
    objects(
        "static StringBuilder b; static void f(int x) { b = new StringBuilder(); put(\"a\"); if (x > 0) put(\"b\"); assert b.length() > 0; }
         static void put(String s) { b.append(s); }",
        "",
    );
    fields(
        "static StringBuilder b; static void f(boolean x) { if (x) { b = new StringBuilder(); } put(\"a\"); assert b.length() == 1; }
         static void put(String s) { if (b == null) b = new StringBuilder(); b.append(s); }",
        "Main.b",
    );
    // No code outside of the class can call `set`.
    fields("static int a; private static void set() { a = 1; set(); } static void f() { assert a == 0; }", "");
    checks(
        "static int a; static void set() { a = 1; } public static void main(String[] args) { assert a == 0; }",
        "Main.main",
        false,
        World::Closed,
        "holds",
        "",
    );
    // Failed initialization of a class calls no code of the program.
    fields(
        "static class R implements AutoCloseable { static int open; R() { open++; } public void close() { open--; } }
         static void make() { new R(); } static void f(int x) { assert x == x; }",
        "",
    );
}

#[test]
fn classes_that_may_have_been_initialized() {
    let bound = "classes are initialized when they are first used: Main$A";
    let uses = "static int c; static class A { static { Main.c = 5; } static void touch() { } }";
    let f = "static void f() { c = 0; A.touch(); assert c == 5; }";
    within(&format!("{uses} {f}"), "A", bound);
    within(
        "static class A { static { if (true) throw new IllegalStateException(); } static void touch() { } }
         static void f() {
            try { A.touch(); } catch (ExceptionInInitializerError e) { } catch (NoClassDefFoundError e) { assert false; }
         }",
        "A",
        bound,
    );
    // The static field that an initializer reads may have another value at another time.
    let config = "static int c; static void set(int x) { c = x; }";
    within(
        &format!("{config} static class A {{ static int v = c; }} static void f() {{ c = 5; assert A.v == 5; }}"),
        "A",
        bound,
    );
    within(
        &format!(
            "{config} static class A {{ static {{ if (c == 5) throw new RuntimeException(); }} static void touch() {{ }} }}
             static void f() {{ c = 5; try {{ A.touch(); }} catch (Throwable t) {{ return; }} assert false; }}"
        ),
        "A",
        bound,
    );
    within(
        "static class B { static final int[] T = {1, 2}; } static class A { static int v = B.T[1]; }
         static void f() { assert A.v == 2; }",
        "",
        "",
    );
    // An initializer that changes only its own data is not observable.
    within(
        "static class A {
            static final java.util.Map<String, Integer> M = new java.util.HashMap<>(); static { M.put(\"a\", 1); }
            static int size() { return M.size(); }
         }
         static void f() { assert A.size() == 1; }",
        "",
        "",
    );
}

/// Initializers that read objects of another class and change some objects: it matters whether they change what they
/// have read.
#[test]
fn initializers_that_change_what_they_read() {
    let table = "static class T { static final int[] OF = {1, 2}; static final Integer[] BOXES = {1}; static int[] of() { return OF; } }";
    let check = |does: &str, first: i32, is_noticed: bool| {
        let a = format!(
            "static class A {{ static int[] own = new int[3]; static {{ {does} }} static void touch() {{ }} }}"
        );
        let f = format!("static void f() {{ A.touch(); assert T.of()[0] == {first}; }}");
        let (loaded, answers) = answers(&format!("{table} {a} {f}"), "Main.f", false, World::Closed);
        for answer in answers {
            assert!(answer.said().starts_with("holds"), "{does}: {}", answer.said());
            let reason = answer.reason(loaded.program());
            assert_eq!(reason.contains("initialized when they are first used: Main$A"), is_noticed, "{does}: {reason}");
        }
    };
    check("T.of()[0] = 5;", 5, true);
    check("int[] of = T.OF; own = of; own[0] = 5;", 5, true);
    check("int[] a = T.of().clone(); a = T.of(); a[0] = 5;", 5, true);
    check("java.util.Arrays.fill(T.of(), 5);", 5, true);
    check("java.nio.IntBuffer.wrap(T.of()).put(0, 5);", 5, true);
    check("java.util.List<Integer> list = Arrays.asList(T.BOXES); list.set(0, 5);", 1, true);
    check("int[] a = T.of().clone(); a[0] = 5;", 1, false);
    check("boolean[] a = new boolean[T.of().length]; a[T.of()[0]] = true;", 1, false);
    // Compilers translate a switch over an enum to such a class.
    let e =
        "enum E { A, B } static int g(E e) { switch (e) { case A: return 1; case B: return 2; default: return 3; } }";
    within(&format!("{e} static void f(E e) {{ assert e == null || g(e) == e.ordinal() + 1; }}"), "", "");
}

#[test]
fn arguments_are_no_objects_of_classes_that_fail_to_initialize() {
    let c =
        |does: &str| format!("static int w; static class C {{ static int k = 3; static {{ {does} assert k == 4; }} }}");
    let bound = "no input is an object of Main$C, whose initialization contains assertions";
    within(&format!("{} static void f(C o) {{ }}", c("w = 1;")), "C", bound);
    within(&format!("{} static void f(C o) {{ }}", c("")), "", "");
    let held = "static class H { static final H I = new H(); H() { assert false; } }";
    fields(&format!("{held} static Object use() {{ return H.I; }} static void f(int x) {{ assert x == x; }}"), "");
}

#[test]
fn objects_inside_of_arguments_have_initialized_their_classes() {
    let touches = "static int c; static class A { static { c = 5; } static void touch() { } } A a;";
    let unknown = |members: &str| {
        let (loaded, answers) = answers(members, "Main.f", false, World::Closed);
        for answer in answers {
            assert_eq!(answer.said(), "unknown");
            assert!(answer.reason(loaded.program()).contains("did not replay"), "{}", answer.reason(loaded.program()));
        }
    };
    unknown(&format!(
        "{touches} static void f(Main m) {{ if (m == null || m.a == null) return; c = 0; A.touch(); assert c == 0; }}"
    ));
    unknown(&format!(
        "{touches} static void f(A[] m) {{ if (m == null || m.length < 1 || m[0] == null) return; c = 0; A.touch(); assert c == 0; }}"
    ));
    unknown(
        "static class A { static { if (true) throw new IllegalStateException(); } } A a;
         static void f(Main m) { assert m == null || m.a == null; }",
    );
    // If aback cannot run an initializer to its end, facts about objects of the class must still be found.
    let logs = "static class A { static final java.util.logging.Logger LOG = java.util.logging.Logger.getLogger(\"a\"); int x; } A a;";
    for (f, said) in [
        ("static void f(A a) { if (a != null) assert a.x != 3; }", "violated"),
        ("static void f(A a) { if (a != null) assert a.x == a.x; }", "holds"),
        ("static void f(Main m) { if (m != null && m.a != null) assert m.a.x != 3; }", "violated"),
    ] {
        check_entry(&format!("{logs} {f}"), "Main.f", said, "");
    }
}

#[test]
fn objects_of_static_fields() {
    objects(
        "static final int[] T = {1}; static void g(int[] a) { a[0] = 2; } static void f() { assert T[0] == 1; }",
        "Main.T",
    );
    objects(
        "private static final int[] T = {1}; static void g() { T[0]++; } static void f() { assert T[0] == 1; }",
        "Main.T",
    );
    objects(
        "private static final int[] T = {1}; static int[] t() { return T; } static void g(int[] a) { a[0] = 2; }
         static void f() { assert T[0] == 1; }",
        "Main.T",
    );
    objects(
        "static class C { int n; void inc() { n++; } } static final C C0 = new C(); static void f() { assert C0.n == 0; }",
        "Main.C0",
    );
    objects(
        "private static final java.util.List<Integer> L = new java.util.ArrayList<>(); static void g() { L.add(1); }
         static void f() { assert L.isEmpty(); }",
        "Main.L",
    );
    // Callers cannot reach the object, or nothing changes it.
    objects(
        "private static final int[] T = {1}; static void g(int[] a) { a[0] = 2; } static void f() { assert T[0] == 1; }",
        "",
    );
    objects(
        "static final int[] T = {1}; static int get(int i) { return T[i]; } static void f() { assert get(0) == 1; }",
        "",
    );
    objects(
        "static final java.util.Map<String, Integer> M = new java.util.HashMap<>(); static { M.put(\"a\", 1); }
         static void f() { assert M.get(\"a\") == 1; }",
        "",
    );
    // Reading changes a map that is in order of accesses.
    let map = |made: &str| {
        format!(
            "static final java.util.Map<String, Integer> M = new java.util.{made}; static void use(String s) {{ M.get(s); }}
             static void f() {{ assert M.size() == 0; }}"
        )
    };
    objects(&map("LinkedHashMap<>(8, 0.75f, true)"), "Main.M");
    objects(&map("HashMap<>()"), "");
    objects("enum C { A, B } static void f(C c) { if (c != null) assert c == C.A || c == C.B; }", "");
}

#[test]
fn objects_of_static_fields_change_through_others() {
    let list = "private static final List<Integer> A = new ArrayList<>(List.of(1, 2));";
    let size = "static void f() { assert A.size() == 2; }";
    let list_changes = |code: &str| changes(list, code, size, "Main.A");
    list_changes("var i = A.iterator(); i.next(); i.remove();");
    list_changes("A.subList(0, 1).clear();");
    list_changes("Optional.of(A).get().clear();");
    list_changes("A.stream().collect(java.util.stream.Collectors.toCollection(() -> A));");
    list_changes("List<List<Integer>> l = new ArrayList<>(); l.add(A); l.get(0).clear();");
    let map = "private static final Map<String, Integer> A = new HashMap<>(Map.of(\"a\", 1));";
    let get = "static void f() { assert A.get(\"a\") == 1; }";
    for code in ["A.entrySet().iterator().next().setValue(2);", "A.values().clear();", "A.keySet().remove(\"a\");"] {
        changes(map, code, get, "Main.A");
    }
    let array = "private static final Integer[] A = {2, 1};";
    let element = "static void f() { assert A[0] == 2; }";
    for code in
        ["Arrays.asList(A).set(0, 5);", "Arrays.asList(A).sort(null);", "Collections.reverse(Arrays.asList(A));"]
    {
        objects(&format!("{array} public static void w() {{ {code} }} {element}"), "Main.A");
    }
    changes(
        "private static final StringBuilder A = new StringBuilder();",
        "new Formatter(A).format(\"x\");",
        "static void f() { assert A.length() == 0; }",
        "Main.A",
    );
    // Another field refers to the object that changes.
    changes(
        &format!("{} static final List<Integer> A = Collections.unmodifiableList(B);", list.replace(" A ", " B ")),
        "B.clear();",
        size,
        "Main.A",
    );
    changes(
        "private static final List<Integer> B; static final List<Integer> A; static { List<Integer> l = new ArrayList<>(); l.add(1); l.add(2); A = l; B = l; }",
        "B.clear();",
        size,
        "Main.A",
    );
    // A caller passes a view that it received or made.
    changes(
        list,
        "} static Iterator<Integer> g() { return A.iterator(); } static void s(Iterator<Integer> p) { p.next(); p.remove();",
        size,
        "Main.A",
    );
    changes(
        "static final Map<String, Integer> A = new HashMap<>(Map.of(\"a\", 1));",
        "} static void s(Set<String> p) { p.clear();",
        "static void f() { assert A.get(\"a\") == 1; }",
        "Main.A",
    );
    // An array is returned as `Object`.
    changes(
        "private static final int[] A = {2, 1}; private static Object g() { return A; }",
        "Object o = g(); System.arraycopy(o, 1, o, 0, 1);",
        "static void f() { assert A[0] == 2; }",
        "Main.A",
    );
    // Initializers of other classes, and constructors that publish the object they make.
    for other in ["static { A.clear(); }", "static List<Integer> b = a(); static { b.clear(); }"] {
        changes(
            "static final List<Integer> A = new ArrayList<>(List.of(1, 2)); static List<Integer> a() { return A; }",
            &format!("new C(); }} static class C {{ {other}"),
            size,
            "Main.A",
        );
    }
    changes(
        "static class N { static N last; int v; N() { last = this; } static void bump() { last.v++; } } private static final N A = new N();",
        "",
        "static void f() { assert A.v == 0; }",
        "Main.A",
    );
    // Library methods return the constants of an enum.
    for code in [
        "E.valueOf(\"A\").n++;",
        "for (E e : EnumSet.allOf(E.class)) e.n++;",
        "Arrays.asList(E.values()).forEach(e -> e.n = 2);",
    ] {
        changes("enum E { A, B; int n; }", code, "static void f() { assert E.A.n == 0; }", "Main$E.A");
    }
    // Copies, iteration and streams do not change the list.
    for code in [
        "int s = 0; for (int x : A) s += x;",
        "StringBuilder b = new StringBuilder(); for (int x : A) b.append(x).append(',');",
        "List<Integer> c = new ArrayList<>(A); c.add(1);",
        "int s = A.stream().mapToInt(x -> x).filter(x -> x > 1).sum();",
        "List<String> l = new ArrayList<>(); l.add(A.toString()); l.clear();",
    ] {
        changes(list, code, size, "");
    }
    changes(
        "private static final int[] A = {1};",
        "int[] b = A.clone(); b[0] = 2;",
        "static void f() { assert A[0] == 1; }",
        "",
    );
}

/// Checks the same where another method runs the code `changes`.
#[track_caller]
fn changes(field: &str, changes: &str, f: &str, names: &str) {
    objects(&format!("{field} public static void w() throws Exception {{ {changes} }} {f}"), names);
}

/// Constants of enums that nothing changes stay as they are, whatever keeps them.
#[test]
fn constants_of_enums_that_never_change() {
    let kept = "private static final Map<E, Integer> KEPT = new HashMap<>();";
    let keep = "KEPT.put(E.A, 1); KEPT.put(E.values()[1], 2);";
    let numbered = format!("{kept} enum E {{ A(1), B(2); final int n; E(int n) {{ this.n = n; }} }}");
    changes(&numbered, keep, "static void f() { assert E.A.n == 1; }", "");
    changes(&numbered, keep, "static void f() { assert E.values()[1].n == 2 && E.values().length == 2; }", "");
    let list = "static void f() { List<Integer> l = new ArrayList<>(List.of(1)); l.add(2); assert l.size() == 2; }";
    changes(&numbered, keep, list, "");
    let own = format!("{numbered} private static final E[] OWN = {{ E.B, E.A }};");
    changes(&own, keep, "static void f() { assert OWN.clone()[0].n == 2; }", "");
    // The same with something that changes a constant.
    let changing = |members: &str| format!("{kept} public enum E {{ A, B; {members} }}");
    let both = "Main$E.A, the constants of Main$E";
    for (members, code, read, names) in [
        ("int n; void set() { n = 2; }", "E.B.set();", "E.A.n == 0", "Main$E.A"),
        ("int n;", "new Object() { { E.A.n = 5; } };", "E.A.n == 0", "Main$E.A"),
        ("public int n;", "", "E.A.n == 0", "Main$E.A"),
        ("final int[] n = { 1 };", "E.A.n[0] = 2;", "E.A.n[0] == 1", "Main$E.A"),
        ("final List<Integer> n = new ArrayList<>();", "E.A.n.add(2);", "E.A.n.isEmpty()", both),
    ] {
        let f = format!("static void f() {{ assert {read}; }}");
        changes(&changing(members), &format!("{keep} {code}"), &f, names);
    }
    let with_body = format!("{kept} enum E {{ A {{ int m; int g() {{ return m++; }} }}, B; int g() {{ return 0; }} }}");
    changes(&with_body, &format!("{keep} E.A.g();"), "static void f() { assert E.A.g() == 0; }", "Main$E.A");
    // Or an array of constants.
    for (array, code) in [
        ("public static final E[] OWN = { E.A };", ""),
        ("private static final E[] OWN = { E.A };", "OWN[0] = E.B;"),
        ("private static final E[] OWN = { E.A };", "Arrays.fill(OWN, E.B);"),
        (
            "private static E[] shown; private static final E[] OWN = make(); static E[] make() { E[] e = { E.A }; shown = e; return e; }",
            "shown[0] = E.B;",
        ),
        (
            "private static final E[] OWN; private static final E[] SHOWN; static { E[] e = { E.A }; OWN = e; SHOWN = e; }",
            "SHOWN[0] = E.B;",
        ),
        (
            "private static final E[] OWN; private static final E[] SHOWN; static { SHOWN = OWN = new E[] { E.A }; }",
            "SHOWN[0] = E.B;",
        ),
    ] {
        let members = format!("{numbered} {array}");
        changes(&members, &format!("{keep} {code}"), "static void f() { assert OWN.clone()[0] == E.A; }", "Main.OWN");
    }
}

/// Libraries that get a function object later run what it does.
#[test]
fn objects_of_static_fields_change_through_functions_of_initializers() {
    let table = "private static final int[] T = {1}; static void f() { assert T[0] == 1; }";
    let function = "private static final java.util.function.IntUnaryOperator F = x -> T[0]++;";
    objects(
        &format!(
            "{table} {function} public static int g(int x) {{ return java.util.stream.IntStream.of(x).map(F).sum(); }}"
        ),
        "Main.T",
    );
    objects(
        &format!(
            "{table} private static final Comparator<String> C = Comparator.comparing(s -> T[0]++);
             public static void g(List<String> l) {{ l.sort(C); }}"
        ),
        "Main.T",
    );
}

#[test]
fn any_static_fields() {
    let set = "static int a = 1; static boolean b; static void set(int x) { a = x; b = true; }";
    check_any(&format!("{set} static void f() {{ assert a != 7 || !b; }}"), "violated", "");
    check_any(&format!("{set} static void f() {{ assert a * 2 != 7; }}"), "holds", "");
    check_any(
        "enum C { A, B } static C c; static void set(C x) { c = x; } static void f() { assert c != C.B; }",
        "violated",
        "",
    );
    check_any(
        "static class N { int v; } static N n; static void set(N x) { n = x; } static void f() { assert n == null || n.v == n.v; }",
        "holds within bounds",
        "static fields refer to no objects that initializers make: Main.n",
    );
    let f = format!("{set} static void f() {{ assert a != 7; }}");
    for answer in answers(&f, "Main.f", true, World::Closed).1 {
        assert!(answer.violation.unwrap().shown_inputs.contains(&("Main.a".into(), "7".into())));
    }
}

#[test]
fn the_open_world() {
    let animal = "public static class A { public int legs() { return 4; } public final int eyes() { return 2; } }";
    let bound = "no unknown class overrides Main$A.legs";
    check_open(
        &format!("{animal} static void f(A a) {{ if (a != null) assert a.legs() == 4; }}"),
        "holds within bounds",
        bound,
    );
    check_open(&format!("{animal} static void f(A a) {{ if (a != null) assert a.eyes() == 2; }}"), "holds", "");
    check_open(&format!("{animal} static void f(int x) {{ A a = new A(); assert a.legs() == 4; }}"), "holds", "");
    check_open(
        "static class A { int legs() { return 4; } } static void f(A a) { if (a != null) assert a.legs() == 4; }",
        "holds",
        "",
    );
    check_open(&format!("{animal} static void f(A a) {{ if (a != null) assert a.legs() == 3; }}"), "violated", "");
    // A copy has the class of the original.
    check_open(
        "public static class A implements Cloneable { public int legs() { return 4; } public A clone() throws CloneNotSupportedException { return (A) super.clone(); } }
         static void f(A a) throws Exception { if (a != null) { A b = a.clone(); assert b.legs() == 4; } }",
        "holds within bounds",
        "no unknown class overrides Main$A.clone, Main$A.legs; no unknown class extends or implements Main$A",
    );
}

#[test]
fn classes_that_are_not_there_matter_to_tests_and_to_the_library() {
    let shape = "public interface S { } public static class Q implements S { } public static class R implements S { }
        public static class P { public String toString() { return \"P\"; } } public static final class F { }";
    let extends = |f: &str, names: &str| {
        let bound = format!("no unknown class extends or implements {names}");
        check_open(&format!("{shape} static void f{f}"), "holds within bounds", &bound);
    };
    extends(
        "(S s) { if (s instanceof Q) return; if (s instanceof R) return; assert s == null; }",
        "Main$Q, Main$R, Main$S",
    );
    extends("(P p) { if (p != null) assert p.getClass() == P.class; }", "Main$P");
    extends("(P p) { assert !(\"\" + p).equals(\"Q\"); }", "Main$P");
    check_open(
        &format!("{shape} static void f(F x) {{ if (x != null) assert x.getClass() == F.class; }}"),
        "holds",
        "",
    );
}

#[test]
fn state_of_the_library() {
    let state = |members: &str, names: &str| {
        let bound = format!("the library is in the state in which a program starts: {names}");
        within(members, names, &bound);
    };
    state("static void f() { assert Thread.currentThread().getName().equals(\"main\"); }", "threads");
    state(
        "static void f() { assert !Thread.currentThread().isInterrupted(); Thread.currentThread().interrupt(); }",
        "threads",
    );
    state(
        "static void set() { System.setOut(null); } static void f() { assert System.out != null; }",
        "standard streams",
    );
    state("static void f() { assert System.out != null; }", "");
    state("static void f(String s) { String t = s; assert t == s; }", "");
    state(
        "static void f() { String t = new String(new char[]{'x', 'q'}); assert t.intern() == t; }",
        "interned strings",
    );
    state("static void f(int x) { System.out.println(x); assert x == x; }", "");
}

/// A static field that the entry point writes before any read does not keep an earlier value, also if a branch comes
/// first.
#[test]
fn static_fields_that_are_written_first() {
    let other = "static boolean flag; static void other() { flag = true; } static boolean get() { return flag; }";
    fields(&format!("{other} static void f(int k) {{ flag = k > 3; assert flag == (k > 3); }}"), "");
    fields(
        &format!(
            "{other} static void f(int k) {{ int n = 0; for (int i = 0; i < k && i < 3; i++) n++; flag = n > 5; assert !flag; }}"
        ),
        "",
    );
    let known = |body: &str| fields(&format!("{other} static void f(int k) {{ {body} }}"), "Main.flag");
    known("if (k > 3) flag = false; assert !flag;");
    known("boolean b = k > 3 && flag; flag = false; assert !b;");
    known("boolean b = k > 3 && get(); flag = false; assert !b;");
    known("try { if (k / (k - 3) < 0) k = 1; flag = false; } catch (ArithmeticException e) { } assert !flag;");
}

#[test]
fn static_fields_that_depend_on_which_class_is_first() {
    let bound = |names: &str| format!("classes are initialized when they are first used: {names}");
    within(
        "static class A { static final int x = B.y + 1; } static class B { static final int y = A.x + 1; }
         static void f() { assert A.x == 2; }",
        "A",
        &bound("Main$A, Main$B"),
    );
    within(
        "static class P { static final Object O = new Q(); static final int V = Q.W; }
         static class Q extends P { static final int W = Integer.parseInt(\"7\"); static int w() { return W; } }
         static void f() { assert Q.w() == 7 && P.V == 0; }",
        "P",
        &bound("Main$P"),
    );
    // The class of the entry point has been initialized, but perhaps not as the first class.
    within(
        "static final int x = B.y + 1; static class B { static final int y = x + 1; } static void f() { assert x == 2; }",
        "B",
        &bound("Main, Main$B"),
    );
    within(
        "static class A { static final int x = B.y + 1; } static class B { static final int y = Integer.parseInt(\"1\"); }
         static void f() { assert A.x == 2; }",
        "",
        "",
    );
}

#[test]
fn proofs_about_nothing() {
    let vacuous = |entry: &str| format!("vacuous: there is no object that {entry} can be called on");
    check_entry("interface I { default void f() { assert true; } }", "Main.I.f", "unknown", &vacuous("Main$I.f"));
    check_entry("static abstract class A { void f() { assert true; } }", "Main.A.f", "unknown", &vacuous("Main$A.f"));
    check_entry(
        "static class P { private P() { } void f() { assert false; } }",
        "Main.P.f",
        "unknown",
        &vacuous("Main$P.f"),
    );
    check_entry(
        "static class X { static int v = 1 / Integer.parseInt(\"0\"); void f() { assert false; } }",
        "Main.X.f",
        "unknown",
        &vacuous("Main$X.f"),
    );
    check_entry(
        "interface J { int a(); default void f() { assert true; } } static J make() { return () -> 1; }",
        "Main.J.f",
        "holds",
        "",
    );
    check_entry(
        "static class Q { private Q() { } static Q make() { return new Q(); } void f() { assert true; } }",
        "Main.Q.f",
        "holds",
        "",
    );
}

#[test]
fn classes_of_arguments_are_initialized() {
    let log = "static class Log { static int w; } static class Y { static { Log.w = 5; } } static class Z extends Y { }
        enum E { ONE; static { Log.w = 7; } }";
    let bound = "static fields hold the values that initialization gives them: Main$Log.w";
    let known = |code: &str| check_entry(&format!("{log} {code}"), "Main.f", "holds within bounds", bound);
    known("static void f(Y y) { if (y != null) assert Log.w == 5; }");
    known("static void f(Y z) { if (z instanceof Z) assert Log.w == 5; }");
    known("static void f(E e) { if (e == null) assert Log.w == 0; }");
    let fails = "static class X { static { if (true) throw new IllegalStateException(); } }";
    check_entry(&format!("{fails} static void f(X x) {{ assert x == null; }}"), "Main.f", "holds", "");
}

#[test]
fn constants_of_enums_are_arguments() {
    check_entry("enum C { A, B } static void f(C c) { assert c != C.B; }", "Main.f", "violated", "");
    check_entry(
        "enum C { A, B } static void f(C c) { g(c); } static void g(C c) { assert c != C.B; }",
        "Main.f",
        "violated",
        "",
    );
}

#[test]
fn assumptions() {
    for (world, count) in [(World::Closed, 4), (World::Open, 3)] {
        for answer in answers("static void f() { assert true; }", "Main.f", false, world).1 {
            assert_eq!(answer.assumptions.len(), count);
            assert_eq!(answer.said(), "holds");
        }
    }
}

/// What nothing relevant reads may keep executions from an assertion, so that its values matter after all.
#[test]
fn values_that_end_executions() {
    let set = "static int log; static int[] logs = new int[1]; public static void set(int n) { log = n; logs[0] = n; }";
    fields(&format!("{set} public static void f() {{ int x = 1 / log; assert false; }}"), "Main.log");
    objects(&format!("{set} public static void f() {{ int x = 1 / logs[0]; assert false; }}"), "Main.logs");
    fields(&format!("{set} public static void f() {{ if (log == 0) throw new Error(); assert false; }}"), "Main.log");
    // They do not if the proof does without them.
    fields(&format!("{set} public static void f(int x) {{ int y = 1 / log; assert x == x; }}"), "");
    fields(&format!("{set} public static void f(int x) {{ int y = 0; if (log == 7) y = x; assert x == x; }}"), "");
}

/// Classes of objects to which arguments lead have been initialized, too, which is not executed.
#[test]
fn classes_of_objects_inside_inputs() {
    let members = "
        static class N { static int n; }
        static abstract class Animal { }
        static class Dog extends Animal { static { N.n = 1; } Dog friend; }
        static class Puppy extends Dog { }
        static class Pet { Animal animal; }
        static class Helped { static { new Helper(); } }
        static class Helper { static { N.n = 3; } }
        static class Helps { Helped helped; }
        static class Outer { static { N.n = 2; } int f; class Inner { int get() { return f; } } }
        interface Fun { int call(); }
        static Fun fun(Animal a) { return () -> a.hashCode(); }
        static abstract class Base { Base() { assert N.n != 5; } }
        static class Derived extends Base { static { N.n = 4; } }";
    let all = "Main$Derived, Main$Dog, Main$Helper, Main$Outer";
    let rows = [
        ("Pet p", "Main$Dog"),
        ("Pet[] p", "Main$Dog"),
        ("Animal[][] a", "Main$Dog"),
        ("Helps h", "Main$Helper"),
        ("Dog d, Pet p", "Main$Dog"),
        ("Fun f", "Main$Dog"),
        ("Outer.Inner[] i", "Main$Outer"),
        ("Object o", all),
        ("List<Integer> l", all),
        // These are initialized before the entry point is called.
        ("Dog d", ""),
        ("Puppy p", ""),
        ("Animal a", "Main$Dog"),
        ("Outer.Inner i", ""),
        ("int k, String s, Integer i", ""),
    ];
    let methods: Vec<String> = (rows.iter().enumerate())
        .map(|(index, (parameters, _))| {
            format!(
                "static void q{index}({parameters}) {{ assert N.n != 5; }} static void r{index}({parameters}) {{ }}"
            )
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Main.java");
    let source = format!("import java.util.*; public class Main {{ {members}\n{} }}", methods.join("\n"));
    std::fs::write(&file, source).unwrap();
    let loaded = Session::open(&[file], &LoadConfig::default()).unwrap();
    let named = |entry: &str| {
        let config = CheckConfig { entry: Some(entry.into()), ..CheckConfig::default() };
        let answer = check(loaded.program(), &config).unwrap();
        assert!(answer.said().starts_with("holds"), "{entry}: {}", answer.said());
        let reason = answer.reason(loaded.program());
        let named = reason.split("classes are initialized when they are first used: ").nth(1).map(str::to_owned);
        named.map_or(String::new(), |named| named.split(';').next().unwrap().to_owned())
    };
    for (index, (parameters, names)) in rows.iter().enumerate() {
        assert_eq!(named(&format!("Main.q{index}")), *names, "{parameters}");
        assert_eq!(named(&format!("Main.r{index}")), "", "{parameters}, without a use");
    }
}

/// The constructor of an abstract class runs on an object whose class has been initialized.
#[test]
fn constructors_of_abstract_classes() {
    let members = "static class N { static int n; }
        static abstract class Base { Base() { assert N.n != 4; } }
        static class Derived extends Base { static { N.n = 4; } }";
    for answer in answers(members, "Main.Base.<init>", false, World::Closed).1 {
        assert_eq!(answer.said(), "violated");
    }
}

/// Arguments may be the very strings and boxes that static fields hold.
#[test]
fn strings_and_boxes_of_static_fields() {
    let members = "static final Integer BIG = 5000; static final String TEXT = new String(\"zz\");
        static class Hidden { private static final Integer NONE = new Integer(-1); static Integer none() { return NONE; } }
        static final Object ANY = \"any\";
        static void box(Integer i) { assert i != BIG; }
        static void hidden(Integer i) { assert i != Hidden.none(); }
        static void text(String s) { assert s != TEXT; }
        static void any(Object o) { assert o != ANY; }
        static void object(Object o) { assert o != BIG; }
        static void literal(Object o) { assert o != (Object) \"lit\"; }
        static void library(Object o) { assert o != Boolean.TRUE; }";
    for entry in ["box", "hidden", "text", "any", "object"] {
        for answer in answers(members, &format!("Main.{entry}"), false, World::Closed).1 {
            assert_eq!(answer.said(), "violated", "{entry}");
        }
    }
    for entry in ["literal", "library"] {
        let (loaded, answers) = answers(members, &format!("Main.{entry}"), false, World::Closed);
        for answer in answers {
            assert_eq!(answer.said(), "holds within bounds", "{entry}");
            let reason = answer.reason(loaded.program());
            assert!(reason.contains("inputs are none of the objects that the library gives"), "{entry}: {reason}");
        }
    }
}

/// A run that finds a violation beyond such a bound refutes no proof.
#[test]
fn runs_with_initialized_classes() {
    let members = "static class N { static int n; static int set() { return n = 1; } }
        interface I { int X = N.set(); default void d() { } }
        static class C implements I { }
        static void f(C[] c) { if (c != null && c.length > 0 && c[0] != null) assert N.n == 0; }";
    for answer in answers(members, "Main.f", false, World::Closed).1 {
        assert_eq!((answer.said(), answer.refuted_proof), ("violated", false));
    }
}
