//! Checks what a person sees of collections in counterexamples: in the text, on the screen, in drawings and in the page.

mod common;

use aback_report::{
    Collections, Command, Graph, Screen, draw_screen, render_dot, render_html, render_state, render_svg,
};
use aback_witness::{Change, Content, Cursor, ValueDocument, Witness};
use common::{found, steps};
use insta::assert_snapshot;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn java(body: &str) -> Witness {
    let text = format!(
        "import java.util.*;\nclass Main {{\n    static class Item {{ int price; Item(int price) {{ this.price = price; }} }}\n    static void run(int a) {{\n{body}\n        assert a != 1;\n    }}\n}}\n"
    );
    found("Main.java", &text).expect("a JDK")
}

fn csharp(body: &str) -> Option<Witness> {
    let text = format!(
        "using System.Collections.Generic;\npublic class Item {{ public int Price; }}\npublic static class Main {{\n    public static void run(int a) {{\n{body}\n        System.Diagnostics.Debug.Assert(a != 1);\n    }}\n}}\n"
    );
    found("Main.cs", &text)
}

fn at_violation(witness: &Witness) -> Cursor<'_> {
    let mut cursor = Cursor::new(&witness.execution).unwrap();
    cursor.go_to(witness.violation.step.unwrap() as usize);
    cursor
}

/// The names of the objects of the drawing at the violation, each with its rows.
fn drawn(witness: &Witness, collections: Collections) -> Vec<String> {
    let graph = Graph::new(&at_violation(witness), collections);
    let nodes = graph.nodes.iter();
    nodes
        .map(|node| {
            let rows: Vec<String> = node.rows.iter().map(|row| row.line(40)).collect();
            format!("{}: {}", node.name, rows.join("; "))
        })
        .collect()
}

const EACH_OF_JAVA: &str = r#"        Map<String, Integer> hashed = new HashMap<>();
        hashed.put("a", a);
        hashed.put("b", 2);
        List<Integer> list = new ArrayList<>();
        list.add(7);
        list.add(0, a);
        Map<Integer, String> tree = new TreeMap<>();
        tree.put(2, "two");
        tree.put(1, null);
        Set<String> set = new HashSet<>();
        set.add("x");
        Deque<Integer> deque = new ArrayDeque<>();
        deque.addFirst(3);
        deque.addLast(4);
        deque.addFirst(2);
        List<Item> linked = new LinkedList<>();
        linked.add(new Item(5));
        linked.remove(0);"#;

#[test]
fn each_of_java() {
    let witness = java(EACH_OF_JAVA);
    assert_snapshot!(steps(&witness, Collections::Elements));
    assert_snapshot!(drawn(&witness, Collections::Elements).join("\n"));
}

const EACH_OF_DOTNET: &str = r#"        var list = new List<int> { 7 };
        list.Insert(0, a);
        var map = new Dictionary<string, int> { ["a"] = a };
        map["b"] = 2;
        map.Remove("a");
        var set = new HashSet<int>();
        set.Add(a);
        var queue = new Queue<Item>();
        queue.Enqueue(new Item());
        queue.Peek().Price = 3;
        var stack = new Stack<char>();
        stack.Push('x');
        stack.Push('y');
        var linked = new LinkedList<int>();
        var node = linked.AddLast(a);
        linked.AddFirst(0);
        var sorted = new SortedDictionary<int, string>();
        sorted.Add(2, "two");
        sorted.Add(1, "one");
        var pairs = new List<(int, int)> { (a, 2) };"#;

#[test]
fn each_of_dotnet() {
    let Some(witness) = csharp(EACH_OF_DOTNET) else { return };
    assert_snapshot!(steps(&witness, Collections::Elements));
    assert_snapshot!(drawn(&witness, Collections::Elements).join("\n"));
}

/// What is shown in the order of insertion, and changes behind the elements that are shown.
#[test]
fn orders_and_late_changes() {
    let witness = java(
        "        Map<String, Integer> map = new LinkedHashMap<>(16, 0.75f, true);
        map.put(\"z\", a);
        map.put(\"b\", 2);
        map.get(\"z\");
        Set<String> set = new LinkedHashSet<>(List.of(\"z\", \"a\"));
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < 20; i++) list.add(i);
        list.set(15, 77);
        int b = a;",
    );
    let shown = steps(&witness, Collections::Elements);
    let shown = shown.split("for (int i").collect::<Vec<_>>();
    assert_snapshot!(format!("{}…{}", shown[0], shown[shown.len() - 1]));
    assert_snapshot!(drawn(&witness, Collections::Elements).join("\n"));
}

/// Arrays of integers do not say whether these are signed.
#[test]
fn unsigned_and_signed() {
    let Some(witness) = csharp(
        "        var unsigned = new List<ulong> { ulong.MaxValue, 1 };
        var signed = new List<sbyte> { -1, 1 };
        var map = new Dictionary<sbyte, ulong> { [-1] = ulong.MaxValue };",
    ) else {
        return;
    };
    let drawn = drawn(&witness, Collections::Elements).join("\n");
    assert!(drawn.contains("0 = 18446744073709551615; 1 = 1") && drawn.contains("0 = -1; 1 = 1"), "{drawn}");
    assert!(drawn.contains("-1 = 18446744073709551615"), "{drawn}");
}

const NESTED: &str = r#"        Item item = new Item(5);
        Map<String, List<Set<Integer>>> map = new HashMap<>();
        map.put("k", new ArrayList<>());
        map.get("k").add(new HashSet<>());
        map.get("k").get(0).add(a);
        Map<Item, Item> items = new HashMap<>();
        items.put(item, new Item(6));
        item.price = 7;
        List<Integer> many = new ArrayList<>();
        for (int i = 0; i < 14; i++) many.add(i);"#;

#[test]
fn nested() {
    let witness = java(NESTED);
    assert_snapshot!(steps(&witness, Collections::Elements));
    let mut state = String::new();
    render_state(&at_violation(&witness), Collections::Elements, &mut state).unwrap();
    assert_snapshot!(state);
}

/// There is an end, although the map is an element of itself.
#[test]
fn a_map_in_itself() {
    let witness = java(
        "        Map<String, Object> map = new TreeMap<>();\n        map.put(\"self\", map);\n        List<Object> list = new ArrayList<>(List.of(map));\n        list.add(list);",
    );
    let shown = steps(&witness, Collections::Elements);
    assert!(shown.contains("= {\"self\"=TreeMap#"), "{shown}");
    let drawn = drawn(&witness, Collections::Elements);
    assert_eq!(drawn.len(), 2, "{drawn:?}");
    for render in [render_svg, render_dot] {
        assert!(render(&at_violation(&witness), Collections::Elements).contains("TreeMap#"));
    }
    render_html(&witness, Collections::Elements);
}

/// The value with which a step changes a field of a map, instead of what the library did.
fn with_field(witness: &Witness, step: usize, field: &str, value: ValueDocument) -> Witness {
    let mut witness = witness.clone();
    let is_map = |change: &Change| match change {
        Change::Object(id, Content::Instance { class, .. }) => {
            let shape = &witness.execution.classes[*class as usize];
            let at = shape.fields.iter().position(|declared| declared.name == field)?;
            (shape.name.ends_with("HashMap") && shape.collection.is_some()).then_some((*id, at as u32))
        }
        _ => None,
    };
    let (map, at) = witness.execution.steps.iter().flat_map(|step| &step.changes).find_map(is_map).unwrap();
    witness.execution.steps[step].changes.push(Change::Field(map, at, value));
    Witness::from_text(&witness.sealed().to_text()).unwrap()
}

/// What the library never makes is shown as it is.
#[test]
fn impossible_states() {
    let witness =
        java("        Map<String, Integer> map = new HashMap<>();\n        map.put(\"a\", 1);\n        int b = a;");
    let last = witness.violation.step.unwrap() as usize;
    assert!(drawn(&witness, Collections::Elements)[0].ends_with(": \"a\" = 1"));
    for (field, value) in [
        ("size", ValueDocument::Int("7".into())),
        ("size", ValueDocument::Int("-1".into())),
        ("size", ValueDocument::Int("99999999999999999999".into())),
        ("table", ValueDocument::Null),
    ] {
        let changed = with_field(&witness, last, field, value.clone());
        let drawn = drawn(&changed, Collections::Elements);
        assert!(drawn[0].contains("size = ") && drawn[0].contains("table = "), "{drawn:?}");
        assert_eq!(drawn, self::drawn(&changed, Collections::Fields));
    }
    let changed = with_field(&witness, last, "size", ValueDocument::Int("7".into()));
    assert_snapshot!(steps(&changed, Collections::Elements));
}

/// The fields of collections are one key or option away.
#[test]
fn the_fields_of_collections() {
    let witness = java("        Map<String, Integer> map = new HashMap<>();\n        map.put(\"a\", a);");
    let [elements, fields] = [Collections::Elements, Collections::Fields];
    assert_eq!(drawn(&witness, elements).len(), 1);
    let raw = drawn(&witness, fields);
    assert!(raw[0].contains("table = HashMap$Node["), "{raw:?}");
    assert!(raw.iter().any(|node| node.starts_with("HashMap$Node#")), "{raw:?}");
    assert!(steps(&witness, fields).contains("HashMap$Node#"));
    assert!(!steps(&witness, elements).contains("HashMap$Node"));
    let screen = |first, commands: &[Command]| {
        let mut screen = Screen::new(&witness, first).unwrap();
        for &command in commands {
            assert!(screen.apply(command));
        }
        let mut terminal = Terminal::new(TestBackend::new(150, 30)).unwrap();
        terminal.draw(|frame| draw_screen(frame, &screen)).unwrap();
        terminal.backend().to_string()
    };
    let shown = screen(elements, &[Command::Failure]);
    assert_snapshot!(shown);
    let raw = screen(elements, &[Command::Failure, Command::Raw]);
    assert!(raw.contains("table = HashMap$Node["), "{raw}");
    assert_eq!(raw, screen(fields, &[Command::Failure]));
    assert_eq!(shown, screen(elements, &[Command::Failure, Command::Raw, Command::Raw]));
    let page = render_html(&witness, elements);
    assert!(page.contains(r#"[["\"a\"","1",null,true]]"#) && page.contains("\"fields\":false"), "{page}");
    assert!(render_html(&witness, fields).contains("\"fields\":true"));
}

/// A file of version 2 has no collections, and is shown as before.
#[test]
fn files_of_version_2() {
    let witness = java("        Map<String, Integer> map = new HashMap<>();\n        map.put(\"a\", a);");
    let mut old = witness.clone();
    old.version = 2;
    old.execution.classes.iter_mut().for_each(|class| class.collection = None);
    let old = Witness::from_text(&old.sealed().to_text()).unwrap();
    assert_eq!(steps(&old, Collections::Elements), steps(&witness, Collections::Fields));
    assert_eq!(drawn(&old, Collections::Elements), drawn(&witness, Collections::Fields));
    assert!(render_html(&old, Collections::Elements).contains("\"listed\":[]"));
}
