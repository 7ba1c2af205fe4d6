//! Inputs that callers can make: by constructors, static methods and calls on the objects. Needs a JDK.

use crate::calls::without_numbers;
use aback_core::{Answer, CheckConfig, Confirmation, Engine, LoadConfig, Session, Violations};
use aback_ir::MakingLimits;

const CLASSES: &str = r"import java.util.*;
class Account {
    private final int least;
    private int balance;
    private final List<Integer> log = new ArrayList<>();
    Account(int least) { if (least < 0) throw new IllegalArgumentException(); this.least = least; balance = least; }
    void deposit(int amount) { if (amount <= 0) throw new IllegalArgumentException(); balance += amount; log.add(amount); }
    void poor() { assert balance < 100; }
    void logged() { assert log.size() < 2; }
    void rich() { assert balance >= least; }
    void positive() { assert least >= 0; }
    void present() { assert log != null; }
}
class Range {
    private final int low, high;
    private Range(int low, int high) { this.low = low; this.high = high; }
    static Range of(int low, int high) { if (low > high) return null; return new Range(low, high); }
    void ordered() { assert low <= high; }
    void narrow() { assert high - low < 5; }
}
class Box<T> {
    private final T value;
    Box(T value) { this.value = value; }
    static void text(Box<String> box) { if (box != null && box.value != null) assert box.value.length() != 2; }
    static void same(Box<String> a, Box<String> b) { assert a == null || a != b; }
}
class Node {
    final int value; final Node next;
    Node(int value, Node next) { this.value = value; this.next = next; if (next != null) assert next.value != value; }
    static void length(Node n) { assert n == null || n.next == null || n.next.next == null; }
    static void different(Node n) { if (n != null && n.next != null) assert n.value != n.next.value; }
}
enum Color { RED, GREEN }
class Shape {
    private final Color color;
    Shape(Color color) { this.color = color; }
    void notGreen() { assert color != Color.GREEN; }
}
class Sets {
    static void map(Map<String, Integer> m) { if (m != null && m.size() == 1) for (int v : m.values()) assert v != 5; }
    static void set(Set<Integer> s) { if (s != null) assert !s.contains(4); }
    static void sorted(TreeMap<Integer, Integer> m) { if (m != null && m.size() == 2) assert m.firstKey() > 0; }
    static void queue(Queue<Integer> q) { if (q != null && q.size() == 2) assert q.poll() <= q.poll(); }
    static void consistent(HashMap<Integer, Integer> m) { if (m != null && m.containsKey(3)) assert m.size() > 0; }
    static void few(Set<Integer> s) { if (s != null) assert s.size() <= 3; }
    private final Map<Integer, Integer> counts = new HashMap<>();
    void add(int key) { counts.merge(key, 1, Integer::sum); }
    void once() { for (int count : counts.values()) assert count < 2; }
    void positive() { for (int count : counts.values()) assert count > 0; }
    static void nothing(Map<String, Integer> m) { assert m != null || m == null; }
}
class Bank {
    static { Opened.count = 1; }
    int fee;
    class Desk { private final int number; Desk(int number) { this.number = number; } int get() { return fee; } }
    abstract class Counter { int number; Counter(int n) { number = n == 5 ? fee : n; } }
    static void desk(Desk d) { if (d != null && d.get() == 0) assert d.number != 5; }
}
class Opened {
    static int count;
    static void first(Bank.Desk d) { assert d == null || count == 1; }
}
";

fn session() -> Session {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Account.java");
    std::fs::write(&file, CLASSES).unwrap();
    Session::open(&[file], &LoadConfig::default()).unwrap()
}

fn ask(session: &Session, entry: &str, config: CheckConfig) -> Answer {
    let entry = Some(entry.to_owned());
    let violations = Violations::in_language(session.program(), false);
    let mut answer = session.check(&CheckConfig { entry, violations, ..config }).unwrap();
    session.note_unmade(&mut answer, &std::sync::atomic::AtomicBool::new(false));
    answer
}

/// Checks the calls that make the input of a violation. `*` in them stands for any number.
#[track_caller]
fn check(session: &Session, entry: &str, expected: &[&str]) {
    check_with(session, Engine::Forward, entry, expected);
}

#[track_caller]
fn check_with(session: &Session, engine: Engine, entry: &str, expected: &[&str]) {
    let answer = ask(session, entry, CheckConfig { engine, ..CheckConfig::default() });
    let violation = answer.violation.as_ref().unwrap_or_else(|| panic!("{entry}: {}", answer.verdict));
    assert_eq!(violation.unmade, None, "{entry}");
    let found: Vec<String> = violation.made_by.iter().map(|call| without_numbers(call)).collect();
    assert_eq!(found, expected, "{entry}");
}

#[test]
fn constructors_and_calls() {
    let session = session();
    check(&session, "Account.poor", &["Account = new Account(*)"]);
    check(&session, "Account.logged", &["Account = new Account(*)", "Account.deposit(*)", "Account.deposit(*)"]);
    // The balance wraps around.
    check(&session, "Account.rich", &["Account = new Account(*)", "Account.deposit(*)"]);
}

#[test]
fn static_methods() {
    let session = session();
    for engine in [Engine::Forward, Engine::Backward] {
        check_with(&session, engine, "Range.narrow", &["Range = Range.of(*, *)"]);
    }
}

#[test]
fn constants_and_other_objects() {
    let session = session();
    check(&session, "Shape.notGreen", &["Shape = new Shape(Color)"]);
    check(
        &session,
        "Node.length",
        &["Node = new Node(*, null)", "Node = new Node(*, Node)", "Node = new Node(*, Node)"],
    );
    check(&session, "Box.same", &["Box = new Box(null)"]);
}

#[test]
fn collections() {
    let session = session();
    check(&session, "Sets.map", &["HashMap = new HashMap()", "HashMap.put(\"\", Integer.valueOf(*))"]);
    check(&session, "Sets.set", &["HashSet = new HashSet()", "HashSet.add(Integer.valueOf(*))"]);
    let add = "LinkedList.add(Integer.valueOf(*))";
    check(&session, "Sets.queue", &["LinkedList = new LinkedList()", add, add]);
    check(&session, "Sets.once", &["Sets = new Sets()", "Sets.add(*)", "Sets.add(*)"]);
}

/// The object that encloses another one is never null.
#[test]
fn enclosing_objects() {
    let session = session();
    let enclosed = ["Bank = new Bank()", "Bank$Desk = new Bank$Desk(Bank, *)"];
    check_with(&session, Engine::Forward, "Bank.desk", &enclosed);
    for engine in [Engine::Forward, Engine::Backward] {
        for entry in ["Bank.Desk.<init>", "Bank.Counter.<init>"] {
            let config = CheckConfig {
                entry: Some(entry.to_owned()),
                engine,
                violations: Violations::in_language(session.program(), true),
                ..CheckConfig::default()
            };
            assert_eq!(session.check(&config).unwrap().said(), "holds", "{entry}");
        }
        // Objects of the class exist only if its enclosing class has been initialized.
        let answer = ask(&session, "Opened.first", CheckConfig { engine, ..CheckConfig::default() });
        assert!(answer.said().starts_with("holds"), "{}", answer.said());
    }
}

/// A counterexample with objects that no constructor makes is one, but it is called that.
#[test]
fn what_no_constructor_makes() {
    let session = session();
    for entry in ["Account.positive", "Account.present", "Range.ordered", "Node.different"] {
        let answer = ask(&session, entry, CheckConfig::default());
        let violation = answer.violation.as_ref().unwrap_or_else(|| panic!("{entry}: {}", answer.verdict));
        assert!(violation.made_by.is_empty(), "{entry}: {:?}", violation.made_by);
        let note = violation.unmade.as_deref().unwrap_or_default();
        assert!(note.starts_with("no constructor is known to make this input"), "{entry}: {note}");
    }
}

/// Nothing is known of a field that an object may have without it: others get the object before its constructor has set the
/// field, or set the field otherwise.
#[test]
fn what_constructors_do_not_establish() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Odd.java");
    let source = r"import java.util.*; import java.lang.invoke.*;
    class Odd {
        static class Leaks { static final List<Leaks> all = new ArrayList<>(); private Object f;
            Leaks(int x) { all.add(this); if (x < 0) throw new IllegalArgumentException(); f = new Object(); }
            void check() { assert f != null; } }
        static class Base { Base() { init(); } void init() { } }
        static class Derived extends Base { private Object f = new Object(); void init() { assert f != null; } }
        static class Inner { private Object f; Inner() { new In().run(); f = new Object(); }
            class In { void run() { check(); } } void check() { assert f != null; } }
        static class Saved implements java.io.Serializable { private transient Object f = new Object(); void check() { assert f != null; } }
        static class Final { private Object f; Final(int x) { if (x < 0) throw new IllegalArgumentException(); f = new Object(); }
            protected void finalize() { check(); } void check() { assert f != null; } }
        static class Open { Object f = new Object(); void check() { assert f != null; } }
        static class Closed { private Object f = new Object(); void close() { f = null; } void check() { assert f != null; } }
        static class Early { private Object f; Early(int x) { if (x == 3) return; f = new Object(); } void check() { assert f != null; } }
        static class Safe { private final Object f; private int n; Safe(int x) { this(new Object(), x); n = 1; }
            private Safe(Object o, int x) { f = new ArrayList<Object>(); n = x; } void check() { assert f != null; } }
    }";
    std::fs::write(&file, source).unwrap();
    let session = Session::open(&[file], &LoadConfig::default()).unwrap();
    let said = |entry: &str| {
        let config = CheckConfig { constructible: true, ..CheckConfig::default() };
        ask(&session, &format!("Odd.{entry}"), config).verdict.to_string()
    };
    for class in ["Leaks", "Inner", "Saved", "Final", "Open", "Closed", "Early"] {
        assert_ne!(said(&format!("{class}.check")), "holds", "{class}");
    }
    assert_ne!(said("Derived.init"), "holds");
    assert_eq!(said("Safe.check"), "holds");
}

/// An exception of a call that makes an input is none of the entry point.
#[test]
fn exceptions_while_inputs_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Name.java");
    let source = r#"import java.util.*;
    class Name { private String s = "a";
        void own(String n) { s = Objects.requireNonNull(n); }
        int length() { return s.length(); }
        static int of(Name n) { return n == null ? 0 : n.s.length(); } }"#;
    std::fs::write(&file, source).unwrap();
    let session = Session::open(&[file], &LoadConfig::default()).unwrap();
    for entry in ["Name.length", "Name.of"] {
        let violations = Violations::in_language(session.program(), true);
        let config =
            CheckConfig { entry: Some(entry.into()), violations, constructible: true, ..CheckConfig::default() };
        let answer = session.check(&config).unwrap();
        assert_eq!(answer.verdict.to_string(), "holds within bounds", "{entry}: {}", answer.reason(&answer.program));
    }
}

/// Without other inputs, what constructors establish is proved.
#[test]
fn constructible_inputs() {
    let session = session();
    let said = |entry: &str| {
        let answer = ask(&session, entry, CheckConfig { constructible: true, ..CheckConfig::default() });
        (answer.verdict.to_string(), answer.assumptions.join("; "))
    };
    let (verdict, assumptions) = said("Account.present");
    assert_eq!(verdict, "holds");
    assert!(assumptions.contains("objects in inputs are made by known constructors"), "{assumptions}");
    assert_eq!(said("Account.positive").0, "holds within bounds");
    assert_eq!(said("Range.ordered").0, "holds within bounds");
    assert_eq!(said("Account.rich").0, "violated");
}

/// Collections are in states that calls make, with few elements.
#[test]
fn bounds_of_collections() {
    let session = session();
    let made = |elements: u32| {
        format!(
            "inputs are made in known ways, with at most 2 calls on each object and at most {elements} elements in a \
             collection"
        )
    };
    let answer = |entry: &str, elements: u32| {
        let making = MakingLimits { elements, ..MakingLimits::default() };
        let answer = ask(&session, entry, CheckConfig { making, ..CheckConfig::default() });
        (answer.verdict.to_string(), answer.reason(&answer.program))
    };
    for entry in ["Sets.consistent", "Sets.few", "Sets.positive"] {
        let (verdict, reason) = answer(entry, 3);
        assert_eq!(verdict, "holds within bounds", "{entry}: {reason}");
        assert!(reason.contains(&made(3)), "{entry}: {reason}");
    }
    assert_eq!(answer("Sets.few", 4).0, "violated");
    // What holds for all states of collections has no bound.
    assert_eq!(answer("Sets.nothing", 3).0, "holds");
}

/// Elements of lists have the types of the sources, where the program model has none.
#[test]
fn type_arguments() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Lists.java");
    let source = r"import java.util.*;
    class Lists {
        static int sum(List<Integer> of) { int sum = 0; if (of != null) for (Integer i : of) if (i != null) sum += i; return sum; }
        static int rows(List<List<String>> of) {
            if (of == null || of.isEmpty() || of.get(0) == null || of.get(0).isEmpty()) return 0;
            String first = of.get(0).get(0);
            return first == null ? 1 : first.length();
        }
        static int any(List<?> of) { return of == null || of.isEmpty() ? 0 : ((String) of.get(0)).length(); }
        static class Row<T> { List<T> of; }
        static int row(Row<String> row) {
            if (row == null || row.of == null || row.of.isEmpty()) return 0;
            String first = row.of.get(0);
            return first == null ? 1 : 0;
        }
    }";
    std::fs::write(&file, source).unwrap();
    let session = Session::open(&[file], &LoadConfig::default()).unwrap();
    for (entry, expected) in [("sum", false), ("rows", false), ("row", false), ("any", true)] {
        let config = CheckConfig {
            entry: Some(format!("Lists.{entry}")),
            violations: Violations::in_language(session.program(), true),
            timeout: Some(std::time::Duration::from_secs(10)),
            ..CheckConfig::default()
        };
        let answer = session.check(&config).unwrap();
        assert_eq!(answer.violation.is_some(), expected, "{entry}: {}", answer.verdict);
        assert!(expected || !answer.gaps.is_empty(), "{entry}");
    }
}

/// A file with such a counterexample can be confirmed, on the runtime, too.
#[test]
fn files_and_confirmations() {
    let session = session();
    for entry in ["Account.rich", "Sets.map", "Shape.notGreen", "Node.length", "Range.narrow", "Sets.once"] {
        let answer = ask(&session, entry, CheckConfig::default());
        let violation = answer.violation.as_ref().unwrap();
        let witness = session.witness(&answer, violation, None);
        let interrupt = std::sync::atomic::AtomicBool::new(false);
        let config = aback_core::ConfirmConfig {
            time: std::time::Duration::from_secs(60),
            memory: 512,
            sandbox: aback_core::Sandboxing::Auto,
            interrupt: &interrupt,
        };
        let confirmed = session.confirm_witness(&witness, &config).unwrap();
        assert!(matches!(confirmed, Confirmation::Confirmed { .. }), "{entry}: {confirmed:?}");
        assert_eq!(witness.made.map(|made| made.by), Some(violation.made_by.clone()));
    }
}
