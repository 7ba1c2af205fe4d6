//! Witness files: they describe the execution, fit their schema, lead to the same run again, and are read back only
//! if they are unchanged.

use aback_core::{
    Answer, CheckConfig, ConfirmConfig, Confirmation, LoadConfig, Sandboxing, Session, Verdict, Violations, check,
    entry_point,
};
use aback_witness::{
    Change, Content, Cursor, InputObject, InputValue, Inputs, Limits, Outcome, Text, ValueDocument, Witness,
    WitnessError, run,
};
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let schema = serde_json::from_str(include_str!("../../../../docs/witness.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
});

struct Found {
    _folder: tempfile::TempDir,
    file: PathBuf,
    witness: Witness,
}

/// The witness of a violation in a program, written to a file, checked against the schema, and read back.
#[track_caller]
fn found(name: &str, text: &str, entry: &str) -> Found {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, text).unwrap();
    let paths = [file.clone()];
    let loaded = Session::open(&paths, &LoadConfig::default()).unwrap();
    let violations = Violations::in_language(loaded.program(), true);
    let config = CheckConfig { entry: Some(entry.into()), violations, ..CheckConfig::default() };
    let answer = check(loaded.program(), &config).unwrap();
    assert_eq!(answer.verdict, Verdict::Violated, "{}", answer.reason(loaded.program()));
    let written = loaded.witness(&answer, answer.violation.as_ref().unwrap(), None);
    let text = written.to_text();
    let json = serde_json::from_str(&text).unwrap();
    let errors: Vec<String> = SCHEMA.iter_errors(&json).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let witness = Witness::from_text(&text).unwrap();
    assert_eq!(witness, written);
    assert_ends_the_same(&loaded, &witness, entry);
    assert_graphs(&witness);
    Found { _folder: folder, file, witness }
}

/// Asserts that each call goes along the edges of the graph of its method, from the first block on, and that lines are those of their blocks.
#[track_caller]
fn assert_graphs(witness: &Witness) {
    let execution = &witness.execution;
    for (number, call) in execution.calls.iter().enumerate() {
        let blocks = &execution.methods[call.method as usize].blocks;
        let steps = || execution.steps.iter().filter(|step| step.call as usize == number);
        let way: Vec<u32> = steps().flat_map(|step| step.blocks.iter().copied()).collect();
        assert!(execution.omitted > 0 || way.first().is_none_or(|&first| first == 0), "{way:?}");
        for pair in way.windows(2).filter(|pair| pair[0] != pair[1]) {
            let next = &blocks[pair[0] as usize].next;
            assert!(next.iter().any(|edge| edge.to == pair[1]), "{pair:?} in {blocks:#?}");
        }
        for step in steps() {
            assert!(step.blocks.iter().any(|&block| blocks[block as usize].lines.contains(&step.line)), "{step:?}");
        }
    }
}

/// Asserts that a run on the inputs of the file, resolved by name, ends in a violation.
#[track_caller]
fn assert_ends_the_same(loaded: &Session, witness: &Witness, entry: &str) {
    let named = entry_point(loaded.program(), Some(&witness.entry)).unwrap();
    assert_eq!(named, entry_point(loaded.program(), Some(entry)).unwrap());
    let inputs: Inputs = witness.inputs.resolve(loaded.program()).unwrap();
    let first = loaded.program().start(named);
    let outcome = run(loaded.program(), first, &inputs, Limits::default(), &mut ()).unwrap();
    assert!(matches!(outcome, Outcome::AssertionFailed { .. } | Outcome::Uncaught { .. }), "{outcome:?}");
}

/// The state at the violation: the variables of the innermost activation, by name, and the contents of objects.
fn at_violation(witness: &Witness) -> (Vec<(String, ValueDocument)>, Cursor<'_>) {
    let execution = &witness.execution;
    let mut cursor = Cursor::new(execution).unwrap();
    cursor.go_to(witness.violation.step.unwrap() as usize);
    let call = cursor.step().call;
    let variables = &execution.methods[execution.calls[call as usize].method as usize].variables;
    let locals = cursor.state().locals(execution, call);
    let named = locals.into_iter().map(|(row, value)| (variables[row as usize].name.clone(), value.clone())).collect();
    (named, cursor)
}

fn int(value: i64) -> ValueDocument {
    ValueDocument::Int(value.to_string())
}

const LIST: &str = "\
class Node {
    int value;
    Node next;
    Node(int value, Node next) { this.value = value; this.next = next; }
}
class Main {
    static int calls;
    static void start(Node first, int[] a) {
        Node n = new Node(7, first);
        n.value++;
        int x = twice(n.value);
        if (first != null && first.next == first && a != null && a.length > 5000 && a[4999] == 5)
            assert x == 13;
    }
    static int twice(int v) {
        calls = calls + 1;
        int w = v + v;
        return w;
    }
}
";

#[test]
fn a_run_with_calls_a_cyclic_input_and_a_huge_array() {
    let found = found("Main.java", LIST, "Main.start");
    let witness = &found.witness;
    let lines: Vec<u32> = witness.execution.steps.iter().map(|step| step.line).collect();
    assert_eq!(lines, [9, 4, 9, 10, 11, 16, 17, 18, 12, 13]);
    assert_eq!(witness.execution.steps[8].returned, Some(int(16)));
    assert_eq!(witness.violation.place.text.as_deref(), Some("assert x == 13;"));
    let (locals, cursor) = at_violation(witness);
    let value = |name: &str| locals.iter().find(|(known, _)| known == name).unwrap().1.clone();
    assert_eq!(value("x"), int(16));
    let (first, n) = (value("first").reference().unwrap(), value("n").reference().unwrap());
    let object = |id: u32| cursor.state().object(id).unwrap();
    let Content::Instance { values, .. } = object(n).content() else { panic!("no instance") };
    assert_eq!(values[..], [int(8), value("first")]);
    assert_eq!(object(first).references().collect::<Vec<_>>(), [first]);
    let array = object(value("a").reference().unwrap());
    assert_eq!(array.elements().get(&4999.into()), Some(&int(5)));
    assert_eq!(cursor.state().statics().map(|(_, value)| value.clone()).collect::<Vec<_>>(), [int(1)]);
    // A variable has no value before its first assignment.
    assert_eq!(witness.execution.steps[0].changes.iter().filter(|c| matches!(c, Change::Local(..))).count(), 2);
}

#[test]
fn strings_floats_enums_and_collections() {
    const TEXT: &str = "\
import java.util.ArrayList;
class Main {
    enum Color { RED, GREEN }
    static void check(String s, double d, Color c) {
        ArrayList<String> all = new ArrayList<>();
        all.add(s);
        if (s != null && s.length() == 1 && s.charAt(0) == 0xd83d && d != d && c == Color.GREEN)
            throw new IllegalStateException(\"bad\");
    }
}
";
    let found = found("Main.java", TEXT, "Main.check");
    let witness = &found.witness;
    let (locals, cursor) = at_violation(witness);
    let value = |name: &str| locals.iter().find(|(known, _)| known == name).unwrap().1.clone();
    let content = |name: &str| cursor.state().object(value(name).reference().unwrap()).unwrap().content();
    assert!(matches!(content("s"), Content::String { text: Text::Units(units), .. } if units[..] == [0xd83d]));
    let constant = cursor.state().constant(&witness.execution, value("c").reference().unwrap());
    assert_eq!(constant, Some(&Text::Unicode("GREEN".into())));
    assert!(matches!(value("d"), ValueDocument::F64(bits) if bits.starts_with("0x")));
    assert!(matches!(content("all"), Content::Instance { .. }));
    assert_eq!(witness.arguments.iter().map(|arg| &arg.name[..]).collect::<Vec<_>>(), ["s", "d", "c"]);
    assert_eq!(witness.arguments[2].value, value("c"));
    let exception = witness.violation.exception.as_ref().unwrap();
    assert_eq!((&exception.class[..], exception.message.as_deref()), ("java.lang.IllegalStateException", Some("bad")));
}

#[test]
fn other_files_are_refused() {
    let text = found("Main.java", LIST, "Main.start").witness.to_text();
    let error = |text: &str| Witness::from_text(text).unwrap_err();
    assert!(matches!(error(&text.replacen("\"version\":5", "\"version\":6", 1)), WitnessError::Version { found: 6 }));
    assert!(matches!(error("{\"version\": 7, \"other\": []}"), WitnessError::Version { found: 7 }));
    assert!(matches!(
        error(&text.replace("{\"int\":\"13\"}", "{\"int\":\"14\"}").replace("\"14\"", "\"15\"")),
        WitnessError::Edited
    ));
    for length in [0, 1, 10, text.len() / 2, text.len() - 3] {
        assert!(matches!(error(&text[..length]), WitnessError::Truncated { .. }), "{length}");
    }
    for other in ["[]", "{}", "{\"version\": 2}", "no", "{\"version\": 2} more"] {
        assert!(matches!(error(other), WitnessError::Malformed(_)), "{other}");
    }
    // Different whitespace is accepted.
    assert!(Witness::from_text(&text.replace('\n', "\n\n   ")).is_ok());
}

#[test]
fn references_that_lead_nowhere_are_refused() {
    let witness = found("Main.java", LIST, "Main.start").witness;
    let check = |change: fn(&mut Witness), what: &str| {
        let mut edited = witness.clone();
        change(&mut edited);
        let error = Witness::from_text(&edited.sealed().to_text()).unwrap_err();
        assert!(matches!(error, WitnessError::Inconsistent(_)) && error.to_string().contains(what), "{error}");
    };
    check(|w| w.execution.steps[3].call = 9, "step 3 refers to call 9");
    check(|w| w.execution.steps[3].file = 1, "step 3 refers to file 1");
    check(|w| w.execution.steps[3].blocks.push(99), "step 3 refers to block 99");
    check(|w| w.execution.methods[0].blocks[0].next[0].to = 98, "method 0 refers to block 98");
    check(|w| w.execution.calls[1].parent = Some(1), "call 1 refers to call 1 before it");
    check(|w| w.execution.calls[0].method = 8, "call 0 refers to method 8");
    check(|w| w.violation.step = Some(99), "the violation refers to step 99");
    check(|w| w.execution.steps[1].changes.push(Change::Field(77, 0, ValueDocument::Null)), "a part of object 77");
    check(|w| w.execution.steps[1].changes.push(Change::Local(0, 77, ValueDocument::Null)), "variable 77 of call 0");
    check(|w| w.execution.steps[1].changes.push(Change::Local(0, 0, ValueDocument::Ref(78))), "object 78");
    check(|w| w.execution.steps[1].changes.push(Change::Static(5, ValueDocument::Null)), "static field 5");
    check(|w| w.execution.steps[1].returned = Some(ValueDocument::Ref(79)), "object 79");
    check(|w| w.execution.steps[1].changes.push(Change::Object(80, Content::Opaque { class: 70 })), "class 70");
    check(|w| w.arguments[0].value = ValueDocument::Ref(81), "object 81");
}

#[test]
fn changed_sources_are_noticed() {
    let found = found("Main.java", LIST, "Main.start");
    assert_eq!(found.witness.check_sources(), Ok(()));
    std::fs::write(&found.file, LIST.replace("v + v", "v * 2")).unwrap();
    assert!(found.witness.check_sources().unwrap_err().to_string().contains("has changed since"));
    // If the source file no longer exists, the witness still has its text.
    std::fs::remove_file(&found.file).unwrap();
    assert_eq!(found.witness.check_sources(), Ok(()));
    assert_eq!(found.witness.execution.files[0].text.as_deref(), Some(LIST));
}

/// The JVM chooses identity hash codes. A reproducer exists for inputs with identity hash codes only if they make no
/// difference.
#[test]
fn reproducers_leave_out_what_only_the_model_has() {
    let reproduced = |condition: &str| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("Main.java");
        let f = format!("static void f(Main a) {{ if (a != null && {condition}) assert false; }}");
        std::fs::write(&file, format!("public class Main {{ int k; {f} }}\n")).unwrap();
        let loaded = Session::open(&[file], &LoadConfig::default()).unwrap();
        let entry = entry_point(loaded.program(), Some("Main.f")).unwrap();
        let config = CheckConfig {
            entry: Some("Main.f".into()),
            violations: Violations::in_language(loaded.program(), false),
            ..CheckConfig::default()
        };
        let mut inputs = check(loaded.program(), &config).unwrap().violation.unwrap().inputs;
        let object = loaded.program().class_named("java.lang.Object").unwrap();
        let hash = loaded.program().find_field(object, "$hash").unwrap();
        for object in &mut inputs.heap {
            if let InputObject::Object { fields, .. } = object {
                fields.entry(hash).or_insert(InputValue::Int(7.into()));
            }
        }
        loaded.reproduce(loaded.program(), entry, &inputs, &AtomicBool::new(false)).map(|_| ())
    };
    assert_eq!(reproduced("a.k == 3").map_err(|error| error.to_string()), Ok(()));
    assert!(reproduced("a.hashCode() == 7").is_err());
}

/// Loads an OOX program from a file with this name.
fn oox(name: &str, source: &str) -> Session {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, source).unwrap();
    Session::open(&[file], &LoadConfig::default()).unwrap()
}

/// A violation of another kind or at another place confirms nothing.
#[test]
fn confirmations_compare_what_is_violated_and_where() {
    let source = "class Main { static void main(int x) {\n    assert x != 7;\n    assert x != 7 || x == 8;\n} }";
    let loaded = oox("Main.oox", source);
    let answer = check(loaded.program(), &CheckConfig::default()).unwrap();
    let violation = answer.violation.clone().unwrap();
    let interrupt = AtomicBool::new(false);
    let config = ConfirmConfig {
        time: Duration::from_secs(20),
        memory: 1 << 10,
        sandbox: Sandboxing::Auto,
        interrupt: &interrupt,
    };
    let said = |violation: &aback_core::Violation| {
        let mut answer = Answer { violation: Some(violation.clone()), ..answer.clone() };
        loaded.confirm(&mut answer, &config);
        answer.violation.and_then(|violation| violation.confirmation).unwrap()
    };
    assert!(matches!(said(&violation), Confirmation::Confirmed { .. }));
    let mut elsewhere = violation.clone();
    elsewhere.span.line += 1;
    let mut otherwise = violation.clone();
    otherwise.fault = aback_symbolic::Fault::Assertion(aback_ir::AssertKind::Ensures);
    for wrong in [elsewhere, otherwise] {
        let Confirmation::Differs { found, .. } = said(&wrong) else { panic!("{:?}", said(&wrong)) };
        assert!(found.starts_with("an assertion is false at ") && found.ends_with("Main.oox:2"), "{found}");
    }
}

/// For several entry points, the work for each is added up.
#[test]
fn work_for_several_entry_points_adds_up() {
    let source = "class A { static void f(int x) { assert x != x + 1; } static void g(int x) { if (x > 3) x := 3; assert x <= 3; } }";
    let loaded = oox("A.oox", source);
    let asked = |entry: Option<&str>| {
        let at = Some(aback_core::Line { file: "A.oox".into(), line: 1 });
        let config = CheckConfig { entry: entry.map(String::from), at, ..CheckConfig::default() };
        check(loaded.program(), &config).unwrap()
    };
    let [both, f, g] = [None, Some("A.f"), Some("A.g")].map(asked);
    assert_eq!(both.entries.len(), 2);
    assert_eq!(both.work.operations, f.work.operations + g.work.operations);
    assert_eq!(both.solving.queries, f.solving.queries + g.solving.queries);
    assert_eq!(both.work.depth, g.work.depth);
}
