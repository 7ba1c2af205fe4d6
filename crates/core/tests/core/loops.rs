//! Loops of Java programs in all numbers of iterations at once. Needs a JDK.

use crate::numbered::numbered;
use aback_core::{CheckConfig, Effort, Exceptions, Line, Loops, Merge, Violations, check};
use aback_forward::{Choices, Subsumption};
use std::time::Duration;

/// Checks the answers about methods with a parameter `int n`, given by their code.
#[track_caller]
fn check_all(members: &str, methods: &[(&str, &str)]) {
    let program = numbered("int n", methods, members);
    for (index, (expected, code)) in methods.iter().enumerate() {
        let entry = Some(format!("Main.q{index}"));
        let timeout = Some(Duration::from_secs(60));
        let config = CheckConfig { entry, timeout, loops: Loops::Light, ..CheckConfig::default() };
        let answer = check(&program, &config).expect("a question with a meaning");
        let reason = answer.reason(&program);
        assert_eq!(answer.verdict.to_string(), *expected, "{code}: {reason}");
    }
}

/// The iteration that throws is the first one that initializes the exception's class, and is not the first iteration.
#[test]
fn exceptions_that_iterations_throw_and_catch() {
    let divides = |claim: &str| {
        format!(
            "int hits = 0;
             for (int i = 0; i < n; i++) {{ try {{ int q = 10 / (i - 2); }} catch (ArithmeticException e) {{ hits++; }} }}
             assert {claim};"
        )
    };
    let throws = |claim: &str| {
        format!(
            "int hits = 0;
             for (int i = 0; i < n; i++) {{ try {{ if (i == 2) throw new Own(); }} catch (Own e) {{ hits++; }} }}
             assert {claim};"
        )
    };
    check_all(
        "static class Own extends RuntimeException { }",
        &[
            ("holds", &divides("hits <= 1")),
            ("holds", &divides("n < 3 || hits == 1")),
            ("violated", &divides("n < 40 || hits == 0")),
            ("holds", &throws("hits <= 1")),
            ("violated", &throws("n < 40 || hits == 0")),
        ],
    );
}

/// What the program can notice of an initialization happens where the program initializes the class.
#[test]
fn classes_of_the_program_are_initialized_in_place() {
    let touches = |claim: &str| {
        format!("for (int i = n; i < 1_000_000_000; i++) {{ if (i == 5) Late.touch(); }} assert {claim};")
    };
    check_all(
        "static int initialized;
         static class Late { static { initialized++; } static void touch() { } }",
        &[("holds within bounds", &touches("n <= 5 || initialized == 0"))],
    );
}

/// The limits of the level depend on the constant of an enum and on a flag.
#[test]
fn limits_in_each_state_of_a_machine() {
    let code = |claim: &str| {
        format!(
            "Pump pump = Pump.OFF;
             boolean draining = false;
             int level = 40;
             for (int i = 0; i < n; i++) {{
                 if (level >= 70) draining = true; else if (level <= 30) draining = false;
                 pump = !draining ? Pump.OFF : pump == Pump.OFF ? Pump.STARTING : Pump.RUNNING;
                 level += (i & 3) - (pump == Pump.RUNNING ? 6 : 0);
             }}
             assert {claim};"
        )
    };
    check_all(
        "enum Pump { OFF, STARTING, RUNNING }",
        &[("holds", &code("level >= 25 && level <= 75")), ("violated", &code("level != 46"))],
    );
}

/// There are more paths than anybody can follow, and two ways to each place.
#[test]
fn states_are_joined_when_many_wait() {
    let choices: String = (0..26)
        .map(|bit| format!("last = (n >> {bit} & 1) == 1 ? {bit} : {}; if (last > 50) sum++;\n", bit + 1))
        .collect();
    let code = |claim: &str| format!("int last = 0, sum = 0;\n{choices} assert {claim};");
    let methods = [("holds", code("sum == 0")), ("holds", code("last == 25 || last == 26"))];
    let methods: Vec<(&str, &str)> = methods.iter().map(|(expected, code)| (*expected, code.as_str())).collect();
    let program = numbered("int n", &methods, "");
    let ask = |entry: &str, config: CheckConfig| {
        let config = CheckConfig { entry: Some(entry.into()), ..config };
        let answer = check(&program, &config).expect("a question with a meaning");
        format!("{}: {}", answer.verdict, answer.reason(&program))
    };
    let timeout = Some(Duration::from_secs(60));
    let auto = CheckConfig { timeout, merging: Merge::Auto, ..CheckConfig::default() };
    for entry in ["Main.q0", "Main.q1"] {
        for loops in [Loops::Later, Loops::Off] {
            assert_eq!(ask(entry, CheckConfig { loops, jobs: 2, ..auto.clone() }), "holds: ", "{entry}, {loops:?}");
        }
        // A limit of operations implies a single job, and the same happens each time.
        let limited =
            |merging| CheckConfig { operations: Some(4_000), merging, attack: Effort::None, ..CheckConfig::default() };
        assert_eq!(ask(entry, limited(Merge::Auto)), "holds: ", "{entry}");
        assert_eq!(ask(entry, limited(Merge::Never)), "unknown: limit of 4000 operations", "{entry}");
    }
}

/// Which goods came first does not matter when all have come; which came at all does.
#[test]
fn paths_that_go_on_like_others_are_dropped() {
    let code = |claim: &str| {
        format!(
            "if (n < 0) return;
             java.util.Map<Integer, Integer> stock = new java.util.HashMap<>();
             for (int i = 0; i < 4; i++) {{
                 int item = n & 3; n >>= 2;
                 if (item == 3) stock.remove(0); else stock.merge(item, 1, Integer::sum);
             }}
             int total = 0;
             for (int count : stock.values()) total += count;
             assert {claim};"
        )
    };
    let methods = [("holds", code("total <= 4")), ("violated", code("total > 0"))];
    let methods: Vec<(&str, &str)> = methods.iter().map(|(expected, code)| (*expected, code.as_str())).collect();
    let program = numbered("int n", &methods, "");
    for ((expected, _), entry) in methods.iter().zip(["Main.q0", "Main.q1"]) {
        let ask = |subsumption: Subsumption| {
            let config = CheckConfig {
                entry: Some(entry.into()),
                timeout: Some(Duration::from_secs(60)),
                choices: Choices::Split,
                subsumption,
                ..CheckConfig::default()
            };
            let answer = check(&program, &config).expect("a question with a meaning");
            assert_eq!(answer.verdict.to_string(), *expected, "{entry}: {}", answer.reason(&program));
            answer.work
        };
        let (never, auto) = (ask(Subsumption::Never), ask(Subsumption::Auto));
        assert!(never.subsumed == 0);
        if *expected == "holds" {
            assert!(auto.subsumed > 0 && auto.operations < never.operations, "{auto:?}, {never:?}");
        }
    }
}

/// Two objects to which static fields lead have the same contents, but are not the same object.
#[test]
fn objects_that_are_there_from_the_start_keep_their_identity() {
    let code = |claim: &str| {
        format!(
            "int kept = Cell.ALL.length - 2;
             for (int bit = 0; bit < 4; bit++) if ((n >> bit & 1) == 1) kept |= 1 << bit;
             Cell cell = (n >> 8 & 1) == 1 ? Cell.ALL[0] : Cell.ALL[1];
             for (int i = 0; i < 2; i++) kept += i;
             assert {claim};"
        )
    };
    let methods = [
        ("violated", code("kept < 0 || cell == Cell.ALL[0]")),
        ("violated", code("kept < 0 || cell == Cell.ALL[1]")),
        ("holds", code("kept < 0 || cell.value == 0")),
    ];
    let methods: Vec<(&str, &str)> = methods.iter().map(|(expected, code)| (*expected, code.as_str())).collect();
    let program = numbered(
        "int n",
        &methods,
        "static class Cell { int value; static final Cell[] ALL = { new Cell(), new Cell() }; }",
    );
    for ((expected, _), entry) in methods.iter().zip(["Main.q0", "Main.q1", "Main.q2"]) {
        let config = CheckConfig {
            entry: Some(entry.into()),
            timeout: Some(Duration::from_secs(60)),
            attack: Effort::None,
            subsumption: Subsumption::Auto,
            ..CheckConfig::default()
        };
        let answer = check(&program, &config).expect("a question with a meaning");
        let said = answer.said().trim_end_matches(" within bounds");
        assert_eq!(said, *expected, "{entry}: {}", answer.reason(&program));
    }
}

/// An exception that was there from the start counts where it was first thrown, which is not the same place on all paths.
#[test]
fn exceptions_that_are_there_from_the_start_keep_their_origins() {
    let code = "int kept = Late.E == null ? 1 : 0; for (int bit = 0; bit < 4; bit++) if ((n >> bit & 1) == 1) kept |= 1 << bit;
        try { if ((n >> 8 & 1) == 1) {
            throw Late.E; } else {
            throw Late.E; } } catch (RuntimeException e) { }
        for (int i = 0; i < 2; i++) kept += i;
        throw Late.E;";
    let members = "static class Late { static final RuntimeException E = new RuntimeException(); }";
    let program = numbered("int n", &[("violated", code)], members);
    for line in [6, 7] {
        let config = CheckConfig {
            entry: Some("Main.q0".into()),
            at: Some(Line { file: "Main.java".into(), line }),
            violations: Violations { assertions: true, exceptions: Exceptions::All },
            timeout: Some(Duration::from_secs(60)),
            attack: Effort::None,
            subsumption: Subsumption::Auto,
            ..CheckConfig::default()
        };
        let answer = check(&program, &config).expect("a question with a meaning");
        assert_eq!(answer.said(), "violated", "line {line}: {}", answer.reason(&program));
    }
}

/// Bits that iterations only set, or only clear, and numbers that keep their sign.
#[test]
fn bits_that_go_in_one_direction() {
    let cleared = |claim: &str| format!("int r = n; for (int i = 0; i < n; i++) {{ r &= 5 + i; }} assert {claim};");
    let set = |claim: &str| {
        format!(
            "int all = 0, some = 0;
             for (int i = 0; i < n; i++) {{ all |= 1 << (i & 7); if (i == 2) some = all; }}
             assert {claim};"
        )
    };
    let small = |claim: &str| format!("int r = 7; for (int i = 0; i < n; i++) {{ r &= n - i; }} assert {claim};");
    check_all(
        "",
        &[
            ("holds", &cleared("(r & ~n) == 0")),
            ("violated", &cleared("(n & ~r) == 0")),
            ("holds", &set("(some & ~all) == 0")),
            ("violated", &set("(all & ~some) == 0")),
            ("holds", &small("r >= 0 && r <= 7")),
            ("violated", &small("r > 0")),
        ],
    );
}
