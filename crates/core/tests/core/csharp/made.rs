//! Inputs that callers can make: by constructors, static methods and calls on the objects.

use crate::calls::without_numbers;
use crate::csharp::open;
use aback_core::{CheckConfig, ConfirmConfig, Confirmation, LoadConfig, Sandboxing, Violations};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const CLASSES: &str = r#"using System; using System.Collections.Generic; using System.Diagnostics; using System.Linq;
    public class Account {
        readonly int least; int balance; readonly List<int> log = new();
        public Account(int least) { if (least < 0) throw new ArgumentException(); this.least = least; balance = least; }
        public void Deposit(int amount) { if (amount <= 0) throw new ArgumentException(); balance += amount; log.Add(amount); }
        public void Logged() { Debug.Assert(log.Count < 2); }
        public void Rich() { Debug.Assert(balance >= least); }
        public void Positive() { Debug.Assert(least >= 0); }
        public void Present() { Debug.Assert(log != null); }
    }
    public class Range {
        readonly int low, high;
        Range(int low, int high) { this.low = low; this.high = high; }
        public static Range Of(int low, int high) => low > high ? null : new Range(low, high);
        public void Narrow() { Debug.Assert(high - low < 5); }
    }
    public class Stock {
        readonly Dictionary<string, int> counts = new();
        public void Add(string name, int count) { if (count <= 0) throw new ArgumentException(); counts[name] = count; }
        public int Total() { int sum = counts.Values.Sum(); Debug.Assert(sum != 7); return sum; }
        public void Some() { foreach (int count in counts.Values) Debug.Assert(count > 0); }
    }
    public static class Sets {
        public static void Map(Dictionary<string, int> m) { if (m != null && m.Count == 1) foreach (int v in m.Values) Debug.Assert(v != 5); }
        public static void Interface(IDictionary<int, int> m) { if (m != null) Debug.Assert(!m.ContainsKey(3)); }
        public static void Set(HashSet<int> s) { if (s != null) Debug.Assert(!s.Contains(4)); }
        public static void Sorted(SortedDictionary<int, int> m) { if (m != null) Debug.Assert(m.Count < 2); }
        public static void Chain(LinkedList<int> l) { if (l != null && l.Count == 2) Debug.Assert(l.First.Value <= l.Last.Value); }
        public static void Few(HashSet<int> s) { if (s != null) Debug.Assert(s.Count <= 3); }
    }
    public sealed class Item { public int Code; public string Name { get; set; } public Item Next; }
    public class Counted { public int Code; public static int Made; public Counted() { Made++; } }
    public class Fixed { public int Code; public readonly int Size = 3; }
    public static class Maps {
        public static void Code(Dictionary<int, Item> m) { if (m != null && m.TryGetValue(5, out Item i)) Debug.Assert(i.Code != 7 || i.Next != i); }
        public static void Next(Dictionary<int, Item> m) { if (m != null && m.TryGetValue(5, out Item i)) Debug.Assert(i.Next == null || i.Next.Code != 3); }
        public static void Counts(Dictionary<int, Counted> m) { if (m != null && m.TryGetValue(5, out Counted c)) Debug.Assert(c.Code != 7); }
        public static void Sizes(Dictionary<int, Fixed> m) { if (m != null && m.TryGetValue(5, out Fixed f)) Debug.Assert(f.Size == 3); }
    }
    public struct Percent {
        int value;
        public Percent(int value) { if (value < 0 || value > 100) throw new ArgumentException(); this.value = value; }
        public int Value => value;
    }
    public record struct Point(int X, int Y);
    public class Sale { readonly Percent off; public Sale(Percent off) { this.off = off; } public void Paid() { Debug.Assert(off.Value <= 100); } }
    public static class Structs {
        public static void Hidden(Percent p) { Debug.Assert(p.Value <= 100); }
        public static void Open(Point p) { Debug.Assert(p.X != 7 || p.Y != 8); }
    }
"#;

/// Checks the answers about entry points: with a violation, the calls that make its input, without numbers, whose
/// reproducer shows the violation on the runtime; otherwise the verdict.
#[test]
fn calls_make_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Test.cs");
    std::fs::write(&file, CLASSES).unwrap();
    let Some(session) = open(&[file], &LoadConfig::default()) else { return };
    let add = |collection: &str, call: &str| format!("{collection} = new {collection}(); {collection}.{call}");
    let cases = [
        ("Account.Logged", "Account = new Account(*); Account.Deposit(*); Account.Deposit(*)".to_owned()),
        ("Account.Rich", "Account = new Account(*); Account.Deposit(*)".into()),
        ("Range.Narrow", "Range = Range.Of(*, *)".into()),
        ("Stock.Total", "Stock = new Stock(); Stock.Add(\"\", *)".into()),
        ("Sets.Map", add("Dictionary<string, int>", "TryAdd(\"\", *)")),
        ("Sets.Interface", add("Dictionary<int, int>", "TryAdd(*, *)")),
        ("Sets.Set", add("HashSet<int>", "Add(*)")),
        ("Sets.Sorted", add("SortedDictionary<int, int>", "Add(*, *); SortedDictionary<int, int>.Add(*, *)")),
        ("Sets.Chain", add("LinkedList<int>", "AddLast(*); LinkedList<int>.AddLast(*)")),
        // The constructor does nothing and callers can assign all fields, so that no call makes the object of the class.
        ("Maps.Next", add("Dictionary<int, Item>", "TryAdd(*, Item)")),
        ("Maps.Code", "holds within bounds".into()),
        ("Maps.Counts", "holds within bounds".into()),
        ("Maps.Sizes", "holds within bounds".into()),
        ("Account.Positive", "no constructor".into()),
        ("Account.Present", "no constructor".into()),
        ("Stock.Some", "holds within bounds".into()),
        ("Sets.Few", "holds within bounds".into()),
        // The values of structs, too, are what constructors make of them.
        ("Structs.Hidden", "no constructor".into()),
        ("Sale.Paid", "no constructor".into()),
    ];
    let interrupt = AtomicBool::new(false);
    for (entry, expected) in cases {
        let violations = Violations::in_language(session.program(), false);
        let config = CheckConfig { entry: Some(entry.into()), violations, ..CheckConfig::default() };
        let mut answer = session.check(&config).unwrap();
        session.note_unmade(&mut answer, &interrupt);
        let found = match &answer.violation {
            None => answer.verdict.to_string(),
            Some(violation) if violation.unmade.is_some() => "no constructor".into(),
            Some(violation) => {
                violation.made_by.iter().map(|call| without_numbers(call)).collect::<Vec<_>>().join("; ")
            }
        };
        assert_eq!(found, expected, "{entry}: {}", answer.reason(&answer.program));
        if answer.violation.as_ref().is_some_and(|violation| !violation.made_by.is_empty()) {
            let config = ConfirmConfig {
                time: Duration::from_secs(60),
                memory: 512,
                sandbox: Sandboxing::Auto,
                interrupt: &interrupt,
            };
            session.confirm(&mut answer, &config);
            let confirmation = answer.violation.and_then(|violation| violation.confirmation);
            assert!(matches!(confirmation, Some(Confirmation::Confirmed { .. })), "{entry}: {confirmation:?}");
        }
    }
}

/// Constructors establish what other inputs need not satisfy.
#[test]
fn constructible_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Test.cs");
    std::fs::write(&file, CLASSES).unwrap();
    let Some(session) = open(&[file], &LoadConfig::default()) else { return };
    let cases = [
        ("Account.Present", "holds"),
        ("Account.Positive", "holds within bounds"),
        ("Account.Rich", "violated"),
        ("Structs.Hidden", "unknown"),
        ("Structs.Open", "violated"),
        ("Sale.Paid", "unknown"),
    ];
    for (entry, expected) in cases {
        let violations = Violations::in_language(session.program(), false);
        let config =
            CheckConfig { entry: Some(entry.into()), violations, constructible: true, ..CheckConfig::default() };
        assert_eq!(session.check(&config).unwrap().verdict.to_string(), expected, "{entry}");
    }
}
