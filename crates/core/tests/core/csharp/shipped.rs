//! The shipped invariants of .NET's collections: they hold of the objects of a real runtime, in every state that random
//! operations reach, and exclude corrupted ones; and answers about inputs that satisfy them.

use crate::csharp::open_source;
use crate::shipped::heaps;
use aback_core::{CheckConfig, CheckError, InvariantFile, SHIPPED, Session, Violations};
use aback_generator::csharp::dotnet;
use aback_ir::Type;
use std::sync::Arc;
use std::time::Duration;

/// Writes heaps of each class: after random operations (`good`), and after one reference was changed (`bad`).
const DUMP: &str = include_str!("../shipped/Dump.cs");

/// A program that uses the classes.
const SHAPES: &str = "
using System.Collections.Generic;
public static class Shapes {
    public static void Use(List<int> a, LinkedList<int> b, Queue<int> c, Stack<int> d, Dictionary<int, int> e, HashSet<int> f,
        SortedDictionary<int, int> g) { }
    public static void Nested(List<List<int>> a, LinkedList<LinkedList<int>> b, Queue<Queue<int>> c, Stack<Stack<int>> d) { }
}";

fn names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(name, _)| *name).filter(|name| name.starts_with("System."))
}

#[test]
fn objects_of_dotnet() {
    let Some(session) = open_source(SHAPES) else { return };
    let sdk = dotnet::Sdk::find().unwrap();
    let assembly = sdk.compile(&[("Dump".into(), DUMP.into())], false).unwrap();
    let run = assembly.run(&["Dump".into()]).unwrap();
    assert_eq!(run[0].exception, None);
    let text = std::fs::read_to_string(assembly.path().with_file_name("heaps.txt")).unwrap();
    let program = session.program();
    let class = |name: &str| Type::Class(program.class_named(name).unwrap_or_else(|| panic!("no class {name}")));
    let seen = heaps::check(&text, program, |name| match name.strip_suffix("[]") {
        Some("int") => program.array_of(Type::Machine { width: 32, signed: true }),
        // Arrays of structs are objects.
        Some(element) if element.contains(".Entry<") => class(name),
        Some(element) => program.array_of(class(element)),
        None => class(name),
    });
    for name in names() {
        assert!(seen.get(&(name, true)).is_some_and(|&count| count >= 50), "{name}: {seen:?}");
        assert!(seen.contains_key(&(name, false)), "{name}: {seen:?}");
    }
}

/// Each can be read for a program that does no more than mention an instance of the class.
#[test]
fn programs_that_mention_a_class() {
    for name in names() {
        let arguments = if name.ends_with("Dictionary") { "<string, int>" } else { "<string>" };
        let source = format!("public static class Test {{ public static void Run({name}{arguments} it) {{ }} }}");
        let Some(session) = open_source(&source) else { return };
        heaps::parse(session.program(), name, &[]);
    }
}

const PROGRAM: &str = "
using System.Collections.Generic; using System.Diagnostics;
public class Stock {
    readonly SortedDictionary<int, int> counts = new();
    public void Same() { if (counts != null) Debug.Assert(counts.Keys.Count == counts.Count); }
    public void Few() { if (counts != null) Debug.Assert(counts.Count < 7); }
}
public class Own : LinkedList<int> { object head; public object Head => head; }
public static class Test {
    public static void Neighbours(LinkedList<int> list) {
        if (list?.First?.Next != null) Debug.Assert(list.First.Next.Previous == list.First);
    }
    public static void Owner(LinkedListNode<int> node) { if (node?.List != null) Debug.Assert(node.List.First != null); }
    public static void Different(LinkedList<int> list) {
        if (list?.First?.Next != null) Debug.Assert(list.First.Value != list.First.Next.Value);
    }
    public static void Separate(LinkedList<int> one, LinkedList<int> other) {
        if (one?.First == null || other?.First == null || one == other) return;
        one.First.Value = 1;
        other.First.Value = 2;
        Debug.Assert(one.First.Value == 1);
    }
    public static void Field(Own own) { if (own != null) Debug.Assert(own.Head == null); }
    public static void Keys(Dictionary<int, int> map) { if (map != null) Debug.Assert(map.Keys.Count == map.Count); }
    public static void Lookup(Dictionary<int, int> map) {
        if (map != null && map.TryGetValue(3, out int value)) Debug.Assert(value != 5);
    }
    public static void Contains(HashSet<int> set) { if (set != null) Debug.Assert(!set.Contains(4)); }
    public static void First(SortedDictionary<int, int> map) {
        if (map == null) return;
        foreach (var pair in map) { Debug.Assert(pair.Key != 5); break; }
    }
    public static void Put(SortedDictionary<int, int> map) { if (map != null) { map[3] = 4; Debug.Assert(map[3] != 4); } }
    public static void Ordered(Queue<int> queue) {
        if (queue?.Count == 2) Debug.Assert(queue.Dequeue() <= queue.Dequeue());
    }
    public static void Top(Stack<int> stack) { if (stack?.Count > 0) { int top = stack.Peek(); Debug.Assert(stack.Pop() == top); } }
    public static void Pair(List<int> list) { if (list?.Count == 2) Debug.Assert(list[0] != list[1]); }
}";

fn shipped(name: &str) -> InvariantFile {
    InvariantFile::shipped(&format!("shipped:System.Collections.Generic.{name}")).unwrap().unwrap()
}

fn said(session: &Session, entry: &str, file: InvariantFile) -> String {
    let config = CheckConfig {
        entry: Some(entry.into()),
        violations: Violations::in_language(session.program(), false),
        invariants: Some(Arc::new(file)),
        timeout: Some(Duration::from_secs(60)),
        ..CheckConfig::default()
    };
    match session.check(&config) {
        Ok(answer) => format!("{} {}", answer.said(), answer.reason(&answer.program)),
        Err(CheckError::Invariants { diagnostics, .. }) => diagnostics[0].message.clone(),
        Err(error) => error.to_string(),
    }
}

/// Inputs are in any states that the sentences allow: weak ones allow states that no calls make, and the shipped ones exclude
/// them.
#[test]
fn false_alarms() {
    let Some(session) = open_source(PROGRAM) else { return };
    let nodes = "any \"LinkedList<>\" aliases some \"LinkedList<>\"; any \"LinkedListNode<>\" aliases some \"LinkedListNode<>\";";
    let keys =
        "any \"Dictionary<,>\"._keys expands to \"Dictionary.KeyCollection<,>\"; any \"Dictionary<,>\"._keys not null;
        any \"Dictionary.KeyCollection<,>\"._dictionary not null;";
    let sorted = "any \"SortedDictionary<,>\"._keys expands to \"SortedDictionary.KeyCollection<,>\"; any \"SortedDictionary<,>\"._keys not null;
        any \"SortedDictionary<,>\"._set expands to \"TreeSet<>\"; any \"SortedDictionary<,>\"._set not null;
        any \"SortedDictionary.KeyCollection<,>\"._dictionary not null;";
    for (entry, name, weak) in [
        ("Test.Neighbours", "LinkedList", nodes),
        ("Test.Owner", "LinkedList", nodes),
        ("Test.Keys", "Dictionary", keys),
        ("Stock.Same", "SortedDictionary", sorted),
    ] {
        let weak = said(&session, entry, InvariantFile { path: "weak.hex".into(), text: weak.into() });
        assert!(weak.starts_with("violated"), "{entry}: {weak}");
        let strong = said(&session, entry, shipped(name));
        assert!(strong.starts_with("holds"), "{entry}: {strong}");
    }
}

#[test]
fn real_bugs() {
    let Some(session) = open_source(PROGRAM) else { return };
    for (entry, name) in [
        ("Stock.Few", "SortedDictionary"),
        ("Test.First", "SortedDictionary"),
        ("Test.Put", "SortedDictionary"),
        ("Test.Different", "LinkedList"),
        ("Test.Field", "LinkedList"),
        ("Test.Lookup", "Dictionary"),
        ("Test.Contains", "HashSet"),
        ("Test.Ordered", "Queue"),
        ("Test.Pair", "List"),
    ] {
        let said = said(&session, entry, shipped(name));
        assert!(said.starts_with("violated"), "{entry}: {said}");
    }
    assert_eq!(said(&session, "Test.Top", shipped("Stack")).trim(), "holds");
}

/// The sentences that the explanation of the file adds for lists to whose nodes nothing else leads.
#[test]
fn lists_of_their_own() {
    let Some(session) = open_source(PROGRAM) else { return };
    let mut file = shipped("LinkedList");
    let marked = file.text.lines().filter_map(|line| line.strip_prefix("//     "));
    let added: String =
        marked.map(|line| line.replace("root.list", "root.one") + &line.replace("root.list", "root.other")).collect();
    assert_eq!(added.matches(';').count(), 6);
    file.text += &added;
    let said = said(&session, "Test.Separate", file);
    assert!(said.starts_with("holds"), "{said}");
}
