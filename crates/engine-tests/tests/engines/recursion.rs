//! Recursive methods at all depths of calls at once: programs with known answers, and random ones compared with other engines.

use crate::common::{assertions, everything, oox, shown, summarised, verdict};
use crate::random_loops::Random;

/// Checks what the forward engine says of an OOX program whose calls it executes at all depths at once.
#[track_caller]
fn check(source: &str, expected: &str) {
    let program = oox(source);
    assert_eq!(shown(&program, &summarised(&program, &everything(&program), 20)), expected, "{source}");
}

/// Checks that a program with a violation that no contract excludes is not proved.
#[track_caller]
fn check_not_proved(source: &str) {
    let program = oox(source);
    let found = shown(&program, &summarised(&program, &assertions(&program, "Main.main", None), 2));
    assert!(!found.starts_with("holds"), "{source}");
}

const ADDITION: &str = "class Main {
    static int add(int m, int n) {
        if (n == 0) return m;
        if (n > 0) { int r := Main.add(m + 1, n - 1); return r; }
        int r := Main.add(m - 1, n + 1); return r;
    }";

#[test]
fn results_are_sums_of_arguments() {
    check(
        &format!("{ADDITION} static void main(int m, int n) {{ int r := Main.add(m, n); assert r == m + n; }} }}"),
        "holds",
    );
    check(
        &format!("{ADDITION} static void main(int m, int n) {{ int r := Main.add(m, n); assert r != 1; }} }}"),
        "violated: assert at 6",
    );
}

/// What the result is depends on conditions of the arguments.
#[test]
fn cases_of_arguments() {
    let mccarthy = |question: &str| {
        format!(
            "class Main {{
                static int f(int n) {{
                    if (n > 100) return n - 10;
                    int once := Main.f(n + 11); int twice := Main.f(once); return twice;
                }}
                static void main(int n) {{ int r := Main.f(n); assert {question}; }}
            }}"
        )
    };
    check(&mccarthy("n > 101 || r == 91"), "holds");
    check(&mccarthy("n > 102 || r == 91"), "violated: assert at 6");
    let fibonacci = |question: &str| {
        format!(
            "class Main {{
                static int f(int n) {{
                    if (n < 1) return 0;
                    if (n == 1) return 1;
                    int one := Main.f(n - 1); int two := Main.f(n - 2); return one + two;
                }}
                static void main(int n) {{ int r := Main.f(n); assert {question}; }}
            }}"
        )
    };
    check(&fibonacci("r >= n - 1"), "holds");
    check_not_proved(&fibonacci("r <= n + 20"));
}

/// The parity of a number, by two methods that call each other.
#[test]
fn methods_that_call_each_other() {
    let parity = |question: &str| {
        format!(
            "class Main {{
                static int odd(int n) {{ if (n == 0) return 0; int r := Main.even(n - 1); return r; }}
                static int even(int n) {{ if (n == 0) return 1; int r := Main.odd(n - 1); return r; }}
                static void main(int n) {{ if (n < 0) return; int r := Main.odd(n); assert {question}; }}
            }}"
        )
    };
    check(&parity("r == n % 2"), "holds");
    check(&parity("r == n % 2 && n != 7"), "violated: assert at 4");
}

/// What calls require of their arguments is guessed, too.
#[test]
fn arguments_of_nested_calls() {
    let gcd = |least: i32| {
        format!(
            "class Main {{
                static int gcd(int a, int b) {{
                    if (a <= 0 || b <= 0) return 0;
                    if (a == b) return a;
                    if (a > b) {{ int r := Main.gcd(a - b, b); return r; }}
                    int r := Main.gcd(a, b - a); return r;
                }}
                static void main(int a, int b) {{ if (a <= 0 || b <= 0) return; int r := Main.gcd(a, b); assert r >= {least}; }}
            }}"
        )
    };
    check(&gcd(1), "holds");
    check(&gcd(2), "violated: assert at 8");
}

/// Numbers in the heap that calls change.
#[test]
fn fields_that_calls_change() {
    let counted = |question: &str| {
        format!(
            "class Counter {{ int count; }}
            class Main {{
                static void tick(int n, Counter c) {{
                    c.count := c.count + 2;
                    if (n <= 0) return;
                    Main.tick(n - 1, c);
                }}
                static void main(int n) {{
                    if (n < 0) return;
                    Counter c := new Counter(); c.count := 5;
                    Main.tick(n, c);
                    int count := c.count;
                    assert {question};
                }}
            }}"
        )
    };
    check(&counted("count == 2 * n + 7"), "holds");
    check(&counted("count == 2 * n + 7 && n < 40"), "violated: assert at 13");
}

/// A violation within a call, at any depth, is one.
#[test]
fn violations_within_calls() {
    let deep = |question: &str| {
        format!(
            "class Main {{
                static int f(int n) {{ assert {question}; if (n <= 0) return 0; int r := Main.f(n - 3); return r + 1; }}
                static void main(int n) {{ if (n < 0) return; int r := Main.f(n); }}
            }}"
        )
    };
    check(&deep("n >= -2"), "holds");
    check(&deep("n >= -1"), "violated: assert at 2");
    check(&deep("n != 4"), "violated: assert at 2");
}

/// The target is behind one of two calls in the method. That a call returns from which no target is ahead matters for it.
#[test]
fn targets_behind_one_of_two_calls() {
    check_not_proved(
        "class Main {
            static void f(int n) {
                if (n <= 0) return;
                if (n % 2 == 1) { Main.f(n - 3); assert n < 20; return; }
                Main.f(n - 1);
            }
            static void main(int n) { assume n % 2 == 0; Main.f(n); }
        }",
    );
}

/// An exception leaves all calls, and what follows where it is caught counts.
#[test]
fn exceptions_that_leave_calls() {
    let caught = |question: &str| {
        format!(
            "class Main {{
                static int f(int n) {{ if (n == 0) throw \"zero\"; if (n < 0) return 0; int r := Main.f(n - 2); return r; }}
                static void main(int n) {{
                    int r := 0;
                    try {{ r := Main.f(n); }} catch {{ r := 5; }}
                    assert {question};
                }}
            }}"
        )
    };
    check(&caught("r == 0 || r == 5"), "holds");
    check_not_proved(&caught("r == 0"));
    // Here the method itself catches what a nested call throws, but not what the first one throws.
    check_not_proved(
        "class Main {
            static int f(int n) {
                if (n == 0) throw \"zero\";
                if (n < 0) return 0;
                int r := 0;
                if (n % 2 == 1) { r := Main.f(n - 1); return r; }
                try { r := Main.f(n - 2); } catch { r := 7; }
                return r;
            }
            static void main(int n) { assume n > 2 && n % 2 == 1; int r := Main.f(n); assert r == 0 || n < 51; }
        }",
    );
}

/// What calls do before they call others counts where an exception leaves all of them.
#[test]
fn changes_of_calls_that_never_return() {
    let counted = |end: &str, question: &str| {
        format!(
            "class C {{ int v; C next; int[] all; }}
             class Main {{
                static void count(int n, C c) {{ if (n <= 0) {end} c.v := c.v + 1; Main.count(n - 1, c); }}
                static void store(int n, C c) {{ if (n <= 0) {end} c.all[0] := c.all[0] + 1; Main.store(n - 1, c); }}
                static void link(int n, C c) {{ if (n <= 0) {end} if (n == 70) {{ c.next := c; }} Main.link(n - 1, c); }}
                static void main(int n) {{
                    assume 0 <= n && n <= 20000;
                    C c := new C();
                    c.all := new int[1];
                    {question}
                }}
            }}"
        )
    };
    for end in ["throw \"end\";", "{ if (n < 0) return; throw \"end\"; }", "{ int q := 1 / n; return; }"] {
        check_not_proved(&counted(end, "try { Main.count(n, c); } catch { } assert c.v != 777;"));
        check_not_proved(&counted(end, "try { Main.store(n, c); } catch { } assert c.all[0] != 777;"));
        check_not_proved(&counted(end, "try { Main.link(n, c); } catch { } assert c.next == null;"));
    }
    check(&counted("throw \"end\";", "try { Main.count(n, c); assert false; } catch { }"), "holds");
}

/// Each call is within an iteration of a loop of the call before.
#[test]
fn calls_within_loops_within_calls() {
    check_not_proved(
        "class Main {
            static int f(int n, Main a, Main b) {
                if (n <= 0) throw \"end\";
                int r := 0; int i := 0;
                while (i < 1) { r := Main.g(n - 1, a, b); i := i + 1; }
                return r;
            }
            static int g(int n, Main a, Main b) { if (n <= 0) throw \"end\"; int r := Main.h(n - 2, b, a); return r; }
            static int h(int n, Main a, Main b) {
                if (n <= 0) throw \"end\";
                int r := 0; int i := 0;
                while (i < 1) { r := Main.f(n - 2, a, b); i := i + 1; }
                return 0;
            }
            static void main(int n) {
                Main a := new Main(); Main b := new Main();
                try { int r := Main.f(n, a, b); } catch { assert n < 300; }
            }
        }",
    );
}

/// Random methods that call themselves, and assertions about what they return.
#[test]
fn random_methods() {
    let mut proved = 0;
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let constant = |random: &mut Random, most: u64| random.below(most) as i64 - (most / 2) as i64;
        let operand = |random: &mut Random| match random.below(4) {
            0 => constant(random, 9).to_string(),
            _ => random.pick(&["a", "b", "c.total"]).to_string(),
        };
        let mut text = String::new();
        for (name, other) in [("f", "g"), ("g", "f")] {
            let end = match random.below(4) {
                0 => "throw \"end\"".to_string(),
                _ => format!("return {}", operand(&mut random)),
            };
            text += &format!("static int {name}(int a, int b, C c) {{ if (a <= {}) {end};\n", random.below(2));
            if random.below(2) == 0 {
                text += &format!("c.total := c.total + {};\n", random.pick(&["1", "b", "a - 1", "2"]));
            }
            if random.below(3) == 0 {
                text += &format!("if (b > {}) return {};\n", constant(&mut random, 5), operand(&mut random));
            }
            let callee = if random.below(3) == 0 { other } else { name };
            let step = 1 + random.below(2);
            let b = random.pick(&["b", "b + 1", "b - 2", "a", "0 - b"]);
            text += &format!("int r := Main.{callee}(a - {step}, {b}, c);\n");
            if random.below(3) == 0 {
                text += &format!("int s := Main.{name}(a - 2, r, c);\n r := r + s;\n");
            }
            if random.below(3) == 0 {
                text += &format!("assert {} != {};\n", random.pick(&["r", "b", "a"]), constant(&mut random, 40));
            }
            if random.below(6) == 0 {
                text += &format!("if (r > {}) throw \"late\";\n", constant(&mut random, 9));
            }
            text += &format!("return r + {};\n}}\n", operand(&mut random));
        }
        let (x, y) = (random.below(4) as i64 - 1, constant(&mut random, 20));
        let order = random.pick(&["==", "<=", ">=", "!="]);
        let text = format!(
            "class C {{ int total; }} class Main {{ {text}
            static void main(int a, int b) {{
                assume a <= 5 && b >= -3 && b <= 3; C c := new C();
                int r := 40;
                try {{ r := Main.f(a, b, c); }} catch {{ }}
                int t := c.total;
                assert {} {order} {x} * a + {y};
            }} }}",
            random.pick(&["r", "t", "r + t"]),
        );
        let program = oox(&text);
        let query = everything(&program);
        let expected = verdict(&program);
        let found = shown(&program, &summarised(&program, &query, 3));
        proved += u32::from(found == "holds");
        let kinds = [&expected, &found].map(|text| text.split(':').next().unwrap_or_default().to_string());
        assert!(
            kinds[0] == kinds[1] || kinds.contains(&"gaps".to_string()),
            "summarised: {found}, unwound: {expected}\n{text}"
        );
    }
    assert!(proved >= 20, "{proved}");
}
