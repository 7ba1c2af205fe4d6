//! Questions about inputs with preconditions: `--assume`.

use aback_core::{
    CheckConfig, CheckError, ConfirmConfig, Confirmation, Effort, Engine, Line, LoadConfig, LoadError, Preconditions,
    Sandboxing, Session, Violations,
};
use aback_forward::HeapKind;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn load_config(entry: &str, conditions: &[&str]) -> LoadConfig {
    let conditions = conditions.iter().map(|condition| condition.to_string()).collect();
    LoadConfig { preconditions: Preconditions { entry: Some(entry.into()), conditions }, ..LoadConfig::default() }
}

/// A program with preconditions; `None` without a .NET SDK for C#.
fn open(path: &Path, entry: &str, conditions: &[&str]) -> Option<Result<Session, LoadError>> {
    match Session::open(&[path.to_path_buf()], &load_config(entry, conditions)) {
        Err(LoadError::Platform(missing)) if path.extension().is_none_or(|extension| extension == "cs") => {
            eprintln!("skipped: {missing}");
            None
        }
        session => Some(session),
    }
}

/// A folder with a source.
fn source(name: &str, text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    folder
}

/// Checks the beginning of the answers of all engines and heaps, and what else follows each `…`, and that the answers state
/// the conditions.
#[track_caller]
fn check_at(path: &Path, entry: &str, conditions: &[&str], expected: &str) {
    let Some(session) = open(path, entry, conditions) else { return };
    let session = match session {
        Err(LoadError::Invalid { diagnostics, .. }) => panic!("{diagnostics:#?}"),
        session => session.unwrap(),
    };
    let config = CheckConfig {
        entry: Some(entry.into()),
        violations: Violations::in_language(session.program(), false),
        operations: Some(20_000),
        attack: Effort::None,
        ..CheckConfig::default()
    };
    let heaps = [HeapKind::Combined, HeapKind::Lazy, HeapKind::Symbolic, HeapKind::Arrays];
    let forward = heaps.map(|heap| CheckConfig { heap, ..config.clone() });
    let backward = CheckConfig { engine: Engine::Backward, ..config.clone() };
    let attacked = CheckConfig { engine: Engine::Auto, attack: Effort::default(), ..config };
    // Each condition in one of the other settings, too: which one makes no difference to most of them.
    let others: Vec<&CheckConfig> = forward[1..].iter().chain([&backward, &attacked]).collect();
    let other = others[conditions.iter().map(|condition| condition.len()).sum::<usize>() % others.len()];
    for config in [&forward[0], other] {
        let answer = session.check(config).unwrap();
        let found = match &answer.violation {
            Some(found) => format!("violated at {}", found.span.line),
            None => format!("{}: {}", answer.said(), answer.reason(session.program())),
        };
        let mut parts = expected.split('…');
        let is_said =
            parts.next().is_some_and(|start| found.starts_with(start)) && parts.all(|part| found.contains(part));
        assert!(is_said, "{:?} {:?}: {found}", config.engine, config.heap);
        assert!(!answer.refuted_proof, "{:?} {:?}", config.engine, config.heap);
        for condition in conditions {
            let wanted = format!("the input satisfies: {condition}");
            assert!(answer.assumptions.contains(&wanted), "{:?}", answer.assumptions);
        }
    }
}

/// The message of the error about a condition, with its line and column.
fn error(path: &Path, entry: &str, condition: &str) -> Option<String> {
    Some(match open(path, entry, &[condition])?.err() {
        Some(LoadError::Invalid { program, diagnostics }) => {
            let first = &diagnostics[0];
            let file = program.file(first.span.file).map(|file| file.path.display().to_string());
            format!("{}:{}:{}: {}", file.unwrap_or_default(), first.span.line, first.span.column, first.message)
        }
        Some(error) => error.to_string(),
        None => "accepted".into(),
    })
}

const OOX: &str = "
class Node { int value; Node next;
    int get() { return this.value; }
    static bool touch(Node n) { n.value := 7; return true; }
    static bool fails(Node n) { assert n.value > 5; return true; }
}
class Main {
    Main(int a) { assert a != 2; }
    static void f(int x, Node list, int[] a) {
        assert x != 3;
    }
    void g(int x) requires(x > 0) { assert x != 1; }
}
";

#[test]
fn oox() {
    let folder = source("Main.oox", OOX);
    let file = folder.path().join("Main.oox");
    let check = |entry: &str, conditions: &[&str], expected: &str| check_at(&file, entry, conditions, expected);
    check("Main.f", &[], "violated at 10");
    check("Main.f", &["x > 3"], "holds: ");
    check("Main.f", &["x >= 3"], "violated at 10");
    check("Main.f", &["x >= 3", "x != list.next.value && list.next.get() == 3"], "holds: ");
    check("Main.f", &["4 / (x - 3) < 100"], "holds: ");
    check("Main.f", &["Node.fails(list) && list.value < 5"], "holds: ");
    check(
        "Main.f",
        &["x != 3 && Node.touch(list)"],
        "holds within bounds…preconditions leave inputs as they are: Node.touch",
    );
    check("Main.f", &["(forall a, i, e : e > x) && #a == 1 && a[0] < 4"], "holds: ");
    check("Main.Main", &["a > 2"], "holds: ");
    check("Main.Main", &["a > 1"], "violated at 8");
    check("Main.g", &["x != 1 && this != null"], "holds: ");
    let says = |condition: &str, expected: &str| {
        assert_eq!(error(&file, "Main.f", condition).as_deref(), Some(expected), "{condition}");
    };
    says("x", "--assume:1:1: the result is declared bool, but this is int");
    says("true && y > 0", "--assume:1:9: there is no variable `y`");
    says("x > 0) || (x < 0", "--assume:1:6: expected the end of the expression, found `)`");
    says("x > 0; assert false", "--assume:1:6: expected the end of the expression, found `;`");
    says("x := 5", "--assume:1:3: expected the end of the expression, found `:=`");
    says("", "--assume:1:1: expected an expression, found the end of the file");
}

const JAVA: &str = r#"package p;
import java.util.function.*;
public class Main<T extends Comparable<T>> {
    enum Color { RED, GREEN }
    private int balance;
    Main(int balance, T some) { assert balance != 5; this.balance = balance; }
    private boolean ok() { return balance >= 0; }
    void pay(final int amount, T what) {
        assert amount != 3;
    }
    static boolean change(Main<?> a) { a.balance = 1; return true; }
    static <U> int f(int x, U some, String... words) {
        if (words[0].equals("a\"b\\")) assert x != 4;
        return x;
    }
    static void color(Color c) { assert c == Color.GREEN; }
    class Inner { int v; Inner(int w) { assert w != 9; } void g(int y) { assert y != v; } }
    record P(int a, int b) { P { assert a < b; } }
    interface I { default int d(int z) { assert z != 2; return z; } }
    static class C implements I { }
    static void test(IntPredicate p) { assert p == null || p.test(3); }
    static Runnable local() { return new Runnable() { public void run() { assert false; } }; } }
"#;

#[test]
fn java_sources() {
    let folder = source("Main.java", JAVA);
    let file = folder.path().join("Main.java");
    let check = |entry: &str, conditions: &[&str], expected: &str| check_at(&file, entry, conditions, expected);
    check("Main.pay", &["amount > 2 && ok()"], "violated at 9");
    check("Main.pay", &["amount > 3 && this.ok() // why"], "holds");
    check(
        "Main.pay",
        &["amount > 3 && change(this)"],
        "holds within bounds…preconditions leave inputs as they are: p.Main.change",
    );
    check(
        "Main.pay",
        &["(balance = 4) == 4 && amount != 3"],
        "holds within bounds…preconditions leave inputs as they are: (balance",
    );
    check("Main.pay", &["1 / (amount - 3) < 5"], "holds");
    check(
        "Main.f",
        &["x == 4 && some == null && words.length == 1", "words[0].equals(\"a\\\"b\\\\\")"],
        "violated at 13",
    );
    check("Main.f", &["((IntPredicate) (y -> { int z = y; return z != 4; })).test(x)"], "holds");
    check("Main.f", &["\"é😀\".length() == 3\n&& 4 != x"], "holds");
    check("Main.color", &["c == Color.GREEN"], "holds");
    check("Main.color", &["c != Color.GREEN"], "violated at 16");
    check("Main.Main", &["balance != 5 && some == null"], "holds");
    check("Inner.Inner", &["w != 9"], "holds");
    check("Inner.g", &["y > v && Main.this.balance >= y"], "holds");
    check("P.P", &["a < b"], "holds");
    check("I.d", &["z > 2"], "holds");
    check("Main.test", &["p == null || p.test(3)"], "holds");
    let says = |entry: &str, condition: &str, expected: &str| {
        let found = error(&file, entry, condition).unwrap();
        assert!(found.contains(expected), "{condition}: {found}");
    };
    says("Main.pay", "amount > 3 &&", "--assume:1:14: illegal start of expression");
    says("Main.pay", "amount + 3", "--assume:1:8: incompatible types: int cannot be converted to boolean");
    says("Main.pay", "amount = 3", "--assume:1:8: incompatible types");
    says("Main.f", "\"é😀\".isEmpty() || y > 3", "--assume:1:19: cannot find symbol");
    says("Main.f", "(x = 4) == 4", "--assume:1:2: final parameter x may not be assigned");
    says("Main.f", "true) || (x > 0", "--assume:1:5: `)` closes nothing");
    says("Main.f", "true); } boolean z() { return (true", "--assume:1:5: `)` closes nothing");
    says("Main.f", "x > 0; //", "--assume:1:6: a condition is one expression, without `;`");
    says("Main.f", "x > 0 /*", "--assume:1:7: this comment does not end");
    says("Main.f", "", "--assume:1:1: there is no expression");
    says("Main.f", "new Object() { }.hashCode() == 1", "--assume:1:1: a condition declares no classes");
    says("Main.Main", "this.balance == 1", "--assume:1:1: non-static variable this cannot be referenced");
    says("Main$1.run", "true", "--assume is for methods of named classes");
    says("Main.none", "true", "there is no method `Main.none`");
}

/// The lines of a program with conditions are those of its source.
#[test]
fn conditions_add_no_lines() {
    let folder = source("Main.java", JAVA);
    let file = folder.path().join("Main.java");
    let session = open(&file, "Main.f", &["x > 3"]).unwrap().unwrap();
    let at = |line| CheckConfig { entry: Some("Main.f".into()), at: Some(line), ..CheckConfig::default() };
    let line = |line| Line { file: "Main.java".into(), line };
    assert!(session.check(&at(line(13))).unwrap().violation.is_some());
    assert!(session.check(&at(line(23))).is_err());
    let several = CheckConfig { entry: None, ..at(line(13)) };
    assert!(matches!(session.check(&several), Err(CheckError::PreconditionOfSeveral)));
}

/// Class files give names of parameters; the object is called `this`, and private members have no access.
#[test]
fn java_class_files() {
    let folder = source("Main.java", JAVA);
    let classes = folder.path().join("classes");
    let javac = Command::new("javac").arg("-g").arg("-d").arg(&classes).arg(folder.path().join("Main.java")).status();
    assert!(javac.unwrap().success());
    let check = |entry: &str, conditions: &[&str], expected: &str| check_at(&classes, entry, conditions, expected);
    check("Main.pay", &["amount > 2 && this != null"], "violated at 9");
    check("Main.pay", &["amount > 3"], "holds");
    check(
        "Main.f",
        &["x == 4 && some == null && words.length == 1 && words[0].equals(\"a\\\"b\\\\\")"],
        "violated at 13",
    );
    check("Main.color", &["c == Main.Color.GREEN"], "holds");
    check("Main.Main", &["balance != 5"], "holds");
    let found = error(&classes, "Main.pay", "true && this.ok()").unwrap();
    assert_eq!(found, "--assume:1:13: ok() has private access in Main");
}

const CSHARP: &str = r#"using System;
using System.Diagnostics;
using L = System.Collections.Generic.List<int>;
namespace Bank.Core {
    enum Color { Red, Green }
    class Base { protected int floor; protected static int Top = 9; }
    class Account : Base {
        private int balance;
        private bool Ok() => balance >= 0;
        internal int Money { get; set; }
        public Account(int balance) { Debug.Assert(balance != 5); this.balance = balance; }
        public void Pay(int amount, Color? color) {
            Debug.Assert(amount != 3);
        }
        public static bool Change(Account a) { a.balance = 1; return true; }
        static int F(int x, L list, params string[] words) {
            if (words[0] == "a\"b\\") Debug.Assert(x != 4);
            return x;
        }
        static void Paint(Color c) { Debug.Assert(c != Color.Red); }
        static void R(ref int n, in int k, out int m) { Debug.Assert(n != k); m = 1; }
        static void D(Func<int, bool> p) { Debug.Assert(p == null || p(3)); }
        class Box<T> { T item; int n; void Put(T t, int k) { Debug.Assert(k != n); } }
    }
    struct Point { int x, y;
        public Point(int a) { Debug.Assert(a > 0); x = a; y = a; }
        int Sum() { int s = x + y; Debug.Assert(s != 3); return s; }
        void Inc(int d) { x += d; Debug.Assert(x != 8); }
    }
}
"#;

#[test]
fn csharp() {
    let folder = source("Account.cs", CSHARP);
    let file = folder.path().join("Account.cs");
    let check = |entry: &str, conditions: &[&str], expected: &str| check_at(&file, entry, conditions, expected);
    check("Account.Pay", &["amount > 2 && Ok() && Money == 2 && floor < Top"], "violated at 13");
    check("Account.Pay", &["amount > 3 && this.balance > 2 // why"], "holds");
    check(
        "Account.Pay",
        &["amount > 3 && Change(this)"],
        "holds within bounds…preconditions leave inputs as they are: ",
    );
    check(
        "Account.Pay",
        &["(balance = 3) == 3 && amount > 3"],
        "holds within bounds…preconditions leave inputs as they are: (bal",
    );
    check("Account.F", &["x == 4", "words[0] == \"a\\\"b\\\\\""], "violated at 17");
    check("Account.F", &["new Func<int, bool>(y => { int z = y; return z != 4; })(x)"], "holds");
    check("Account.Paint", &["c != Color.Red"], "holds");
    check("Account.Account", &["balance != 5"], "holds");
    check("Account.R", &["n > k"], "holds");
    check("Account.R", &["n >= k"], "violated at 21");
    check("Box<int>.Put", &["k > n && t == 0"], "holds");
    check("Point.Sum", &["x == 5 && y > 0"], "");
    check("Point.Inc", &["x == 5 && d > 3 && d < 9"], "holds");
    check("Point.Point", &["a > 0"], "holds");
    let says = |entry: &str, condition: &str, expected: &str| {
        if let Some(found) = error(&file, entry, condition) {
            assert!(found.contains(expected), "{condition}: {found}");
        }
    };
    says("Account.Pay", "amount > 3 &&", "--assume:1:14: ");
    says("Account.Pay", "balance > 2 && (amount + 3)", "--assume:1:1: Operator '&&' cannot be applied");
    says("Account.Pay", "Ok() && balanc > 2", "--assume:1:9: The name 'balanc' does not exist");
    says("Account.Pay", "amount = 3", "--assume:1:1: Cannot implicitly convert type 'int' to 'bool'");
    says("Account.F", "true) || (x > 0", "--assume:1:");
    says("Account.F", "true); } static bool z() { return (true", "--assume:1:");
    says("Account.F", "x > 0; //", "--assume:1:6: ");
    says("Account.F", "x > 0 /*", "--assume:1:7: ");
    says("Account.F", "#if X", "--assume:1:1: a condition has no directives");
    says("Account.F", "", "--assume:1:1: there is no expression");
    says("Account.Account", "this.balance == 1", "--assume:1:1: ");
}

/// The file of a counterexample has the conditions, and the runtime shows what the answer says.
#[test]
fn counterexamples_with_conditions() {
    let programs = [
        ("Main.oox", OOX, "Main.f", "x >= 3 && list != null"),
        ("Main.java", JAVA, "Main.pay", "amount >= 3 && ok()"),
        ("Account.cs", CSHARP, "Account.Pay", "amount >= 3 && Ok()"),
    ];
    for (name, text, entry, condition) in programs {
        let folder = source(name, text);
        let Some(session) = open(&folder.path().join(name), entry, &[condition]) else { continue };
        let session = session.unwrap();
        let config = CheckConfig { entry: Some(entry.into()), ..CheckConfig::default() };
        let answer = session.check(&config).unwrap();
        let witness = session.witness(&answer, answer.violation.as_ref().unwrap(), None);
        assert_eq!(witness.program.assumed, [condition]);
        let again = Session::reopen(&witness, &LoadConfig::default()).unwrap();
        let interrupt = AtomicBool::new(false);
        let limits = ConfirmConfig {
            time: Duration::from_secs(120),
            memory: 1024,
            sandbox: Sandboxing::Auto,
            interrupt: &interrupt,
        };
        let said = again.confirm_witness(&witness, &limits).unwrap();
        assert!(matches!(said, Confirmation::Confirmed { .. }), "{name}: {said:?}");
    }
}
