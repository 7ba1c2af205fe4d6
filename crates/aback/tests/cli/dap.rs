//! Debuggers of editors, played by a client that follows a script.

use crate::{Place, aback, files, lacks_sdk, wire};
use aback_witness::Witness;
use serde_json::{Value, json};
use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};

/// A debugger with an adapter.
struct Debugger {
    adapter: Child,
    input: ChildStdin,
    output: BufReader<std::process::ChildStdout>,
    requests: u64,
    /// The last event that the replay has stopped.
    stopped: Value,
}

impl Debugger {
    fn start(place: &Place) -> Self {
        let mut command = aback();
        command.arg("dap").current_dir(place.path("")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut adapter = command.spawn().expect("an adapter");
        let (input, output) = (adapter.stdin.take().unwrap(), BufReader::new(adapter.stdout.take().unwrap()));
        Debugger { adapter, input, output, requests: 0, stopped: Value::Null }
    }

    /// Starts a replay, which has not begun.
    fn launch(place: &Place, arguments: &Value) -> Self {
        let mut debugger = Debugger::start(place);
        assert_eq!(debugger.ask("initialize", json!({ "adapterID": "aback" }))["supportsStepBack"], true);
        debugger.ask("launch", arguments.clone());
        debugger.event("initialized");
        debugger
    }

    fn read(&mut self) -> Value {
        wire::read(&mut self.output).expect("the adapter is there")
    }

    fn response(&mut self, command: &str, arguments: Value) -> Value {
        self.requests += 1;
        let text =
            json!({ "seq": self.requests, "type": "request", "command": command, "arguments": arguments }).to_string();
        wire::write(&mut self.input, &text).unwrap();
        loop {
            let message = self.read();
            if message["type"] == "response" {
                assert_eq!(message["request_seq"], self.requests);
                return message;
            }
        }
    }

    /// The body of a response, which must be no error.
    #[track_caller]
    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let response = self.response(command, arguments);
        assert_eq!(response["success"], true, "{response}");
        response["body"].clone()
    }

    #[track_caller]
    fn event(&mut self, event: &str) -> Value {
        let message = self.read();
        assert_eq!(message["event"], event, "{message}");
        message["body"].clone()
    }

    /// Moves, and returns the line and the reason of the stop.
    #[track_caller]
    fn go(&mut self, command: &str) -> (u64, String) {
        self.ask(command, json!({ "threadId": 1 }));
        self.stopped = self.event("stopped");
        let stack = self.ask("stackTrace", json!({ "threadId": 1 }));
        (stack["stackFrames"][0]["line"].as_u64().unwrap(), self.stopped["reason"].as_str().unwrap().to_string())
    }

    /// The variables of a scope of the innermost call, as `name = value`.
    fn scope(&mut self, name: &str) -> Vec<String> {
        let number = self.scope_number(name);
        let found = self.ask("variables", json!({ "variablesReference": number }));
        let text = |row: &Value| format!("{} = {}", row["name"].as_str().unwrap(), row["value"].as_str().unwrap());
        found["variables"].as_array().unwrap().iter().map(text).collect()
    }

    fn scope_number(&mut self, name: &str) -> Value {
        let stack = self.ask("stackTrace", json!({ "threadId": 1 }));
        let scopes = self.ask("scopes", json!({ "frameId": stack["stackFrames"][0]["id"] }));
        let scopes = scopes["scopes"].as_array().unwrap();
        scopes.iter().find(|scope| scope["name"] == name).unwrap()["variablesReference"].clone()
    }

    fn evaluate(&mut self, expression: &str) -> String {
        self.ask("evaluate", json!({ "expression": expression }))["result"].as_str().unwrap().to_string()
    }

    fn end(mut self) {
        self.ask("disconnect", json!({}));
        assert!(self.adapter.wait().unwrap().success());
    }
}

impl Drop for Debugger {
    fn drop(&mut self) {
        let _ = self.adapter.kill();
        let _ = self.adapter.wait();
    }
}

const LIST: &str = "class Main {
    static void main(Node n, int x) {
        assume n != null && n.next == null;
        int y := x + 1;
        Main.push(n, y);
        y := 0;
        assert n.next.value != 12;
    }
    static void push(Node n, int v) {
        Node m := new Node();
        m.value := v;
        n.next := m;
    }
}
class Node { Node next; int value; }
";

fn counterexample() -> Place {
    let place = files([("Main.oox", LIST)]);
    place.run("check Main.oox --at Main.oox:7 --witness w.json").ends(1);
    place
}

#[test]
fn a_replay_goes_in_both_directions() {
    let place = counterexample();
    let mut debugger = Debugger::launch(&place, &json!({ "witness": "w.json" }));
    assert_eq!(debugger.go("configurationDone"), (3, "entry".into()));
    assert_eq!(debugger.scope("Inputs"), ["n = Node#1 (input)", "x = 11"]);
    assert_eq!(debugger.go("next"), (4, "step".into()));
    assert_eq!(debugger.go("next"), (5, "step".into()));
    assert_eq!(debugger.go("stepIn"), (10, "step".into()));
    assert_eq!(debugger.go("next"), (11, "step".into()));
    assert_eq!(debugger.scope("Locals"), ["n = Node#1 (input)", "v = 12", "m = Node#2 (changed)"]);
    assert_eq!(debugger.go("stepOut"), (6, "step".into()));
    assert_eq!(debugger.evaluate("n.next.value"), "12");
    assert_eq!(debugger.go("continue"), (7, "exception".into()));
    assert_eq!(debugger.stopped["text"], "assert can be false");
    let violation = debugger.ask("exceptionInfo", json!({ "threadId": 1 }));
    assert_eq!(violation["description"], "assert can be false", "{violation}");
    // Nothing runs that could be stopped.
    assert_eq!(debugger.go("pause"), (7, "exception".into()));
    assert_eq!(debugger.go("stepBack"), (6, "step".into()));
    assert_eq!(debugger.evaluate("y"), "12");
    assert_eq!(debugger.go("reverseContinue"), (3, "entry".into()));
    // What has been asked about before is out of date.
    let number = debugger.scope_number("Locals");
    debugger.go("next");
    assert_eq!(debugger.response("variables", json!({ "variablesReference": number }))["success"], false);
    debugger.end();
}

#[test]
fn a_replay_stops_at_breakpoints() {
    let place = counterexample();
    let mut debugger = Debugger::launch(&place, &json!({ "witness": "w.json", "stopOnEntry": false }));
    let source = json!({ "path": place.path("Main.oox") });
    let set =
        debugger.ask("setBreakpoints", json!({ "source": source, "breakpoints": [{ "line": 11 }, { "line": 1 }] }));
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    assert_eq!(set["breakpoints"][1]["verified"], false, "{set}");
    assert_eq!(debugger.go("configurationDone"), (11, "breakpoint".into()));
    assert_eq!(debugger.go("continue"), (7, "exception".into()));
    // Who has written this last?
    let locals = debugger.scope_number("Locals");
    let rows = debugger.ask("variables", json!({ "variablesReference": locals }));
    let node = rows["variables"].as_array().unwrap().iter().find(|row| row["name"] == "n").unwrap();
    let info = json!({ "variablesReference": node["variablesReference"], "name": "next" });
    let id = debugger.ask("dataBreakpointInfo", info)["dataId"].clone();
    assert!(id.is_string());
    debugger.ask("setBreakpoints", json!({ "source": source, "breakpoints": [] }));
    debugger.ask("setDataBreakpoints", json!({ "breakpoints": [{ "dataId": id }] }));
    // The line that is about to write it.
    assert_eq!(debugger.go("reverseContinue"), (12, "data breakpoint".into()));
    assert_eq!(debugger.go("reverseContinue"), (3, "entry".into()));
    debugger.end();
}

const NAMESAKES: &str = "class Main {
    static void run(int[] a) {
        int s = 0;
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < 1; k++) {
                int t = 5;
                s += t;
            }
            {
                String t = \"x\" + s;
                s += t.length();
            }
        }
        assert a[1] != 4;
    }
}
";

/// Of several variables with one name, only that is there which has been assigned last, also where it has its last value again.
#[test]
fn variables_with_one_name() {
    let place = files([("Main.java", NAMESAKES)]);
    place.run("check Main.java --entry Main.run --witness w.json").ends(1);
    let mut debugger = Debugger::launch(&place, &json!({ "witness": "w.json" }));
    let (mut line, mut seen) = (debugger.go("configurationDone").0, Vec::new());
    while line != 14 {
        if line == 7 || line == 11 {
            let names = debugger.scope("Locals");
            assert_eq!(names.iter().filter(|row| row.starts_with("t = ")).count(), 1, "{names:?}");
            seen.push(debugger.evaluate("t"));
        }
        line = debugger.go("next").0;
    }
    assert_eq!(seen, ["5", "\"x5\"", "5", "\"x12\""]);
    while line != 7 {
        line = debugger.go("stepBack").0;
    }
    assert_eq!(debugger.evaluate("t"), "5");
    debugger.end();
}

const HIDDEN: &str = "public class Main {
    static int count = 1;
    static class A {
        static int count = 2;
        int x = 10;
        int own() { return x; }
    }
    static class B extends A {
        static int count = 3;
        int x = 20;
        int sum() {
            return x + count;
        }
    }
    public static void run(int n) {
        B b = new B();
        A a = b;
        A[] all = {b};
        int s = b.own() + b.sum() + A.count;
        assert s + n != 40;
    }
}
";

/// Names mean what they mean in the source, where fields hide others. What is no such expression is refused.
#[test]
fn expressions_for_hidden_fields() {
    let place = files([("Main.java", HIDDEN)]);
    place.run("check Main.java --entry Main.run --witness w.json").ends(1);
    let mut debugger = Debugger::launch(&place, &json!({ "witness": "w.json" }));
    debugger.go("configurationDone");
    let lines =
        json!({ "source": { "path": place.path("Main.java") }, "breakpoints": [{ "line": 6 }, { "line": 12 }] });
    debugger.ask("setBreakpoints", lines);
    let check = |debugger: &mut Debugger, line: u64, expected: &[(&str, &str)]| {
        assert_eq!(debugger.go("continue").0, line);
        for (expression, value) in expected {
            assert_eq!(debugger.evaluate(expression), *value, "{expression} at line {line}");
        }
    };
    check(&mut debugger, 6, &[("x", "10"), ("this.x", "10"), ("count", "2")]);
    check(&mut debugger, 12, &[("x", "20"), ("this.x", "20"), ("count", "3")]);
    check(
        &mut debugger,
        20,
        &[("a.x", "10"), ("b.x", "20"), ("all[0].x", "10"), ("all [0] . x", "10"), ("count", "1")],
    );
    for expression in ["n + 1", "n garbage", "a == null", "a.x - 1", "a. x y"] {
        let response = debugger.response("evaluate", json!({ "expression": expression }));
        assert_eq!(response["success"], false, "{response}");
    }
    debugger.end();
}

/// Where the beginning of a long execution is left out, the first state that is known is not that of the inputs.
#[test]
fn inputs_of_long_executions() {
    let place = counterexample();
    let mut witness = Witness::from_text(&place.read("w.json")).unwrap();
    witness.execution.omitted = 7;
    place.write("w.json", witness.sealed().to_text().as_bytes());
    place.run("replay w.json").ends(0).says("7 steps before").says("at the first of the other steps:");
    let mut debugger = Debugger::launch(&place, &json!({ "witness": "w.json" }));
    debugger.go("configurationDone");
    assert_eq!(debugger.scope("Inputs"), ["n = an object of type Node", "x = 11"]);
    assert!(!debugger.scope("Locals").iter().any(|row| row.contains("(input")));
    debugger.end();
}

/// Parts have names with which they can be asked for.
#[test]
fn expressions_for_parts() {
    let place = files([("Main.java", NAMESAKES)]);
    place.run("check Main.java --entry Main.run --witness w.json").ends(1);
    let mut debugger = Debugger::launch(&place, &json!({ "witness": "w.json" }));
    debugger.go("configurationDone");
    let locals = debugger.scope_number("Locals");
    let rows = debugger.ask("variables", json!({ "variablesReference": locals }));
    let array = &rows["variables"][0];
    assert_eq!(array["evaluateName"], "a");
    let parts = debugger.ask("variables", json!({ "variablesReference": array["variablesReference"] }));
    let names: Vec<&str> =
        parts["variables"].as_array().unwrap().iter().map(|part| part["evaluateName"].as_str().unwrap()).collect();
    assert!(names.contains(&"a[1]"), "{parts}");
    assert_eq!(debugger.evaluate("a[1]"), "4");
    debugger.end();
}

const COUNTER: &str = "class Main {
    static int calls;
    int[] counts = new int[3];
    int last;
    void add(int i) {
        calls++;
        counts[i]++;
        last = i;
        assert i != 2;
    }
    static void run(int k) {
        Main main = new Main();
        main.add(k);
    }
}
";

/// Indexes, lengths, fields of `this` and static fields are named as in the source.
#[test]
fn expressions() {
    let place = files([("Main.java", COUNTER)]);
    place.run("check Main.java --entry Main.run --witness w.json").ends(1);
    let mut debugger = Debugger::launch(&place, &json!({ "witness": "w.json", "stopOnEntry": false }));
    assert_eq!(debugger.go("configurationDone"), (9, "exception".into()));
    let values = [
        ("i", "2"),
        ("counts[i]", "1"),
        ("this.counts[ last ]", "1"),
        ("counts[counts[i]]", "0"),
        ("counts.length", "3"),
        ("calls", "1"),
        ("Main.calls", "1"),
    ];
    for (expression, value) in values {
        assert_eq!(debugger.evaluate(expression), value, "{expression}");
    }
    for unknown in ["", "counts[", "counts]", "counts[[i]]", "counts[9]", "nothing", "i.length", "last + 1"] {
        let response = debugger.response("evaluate", json!({ "expression": unknown }));
        assert_eq!(response["success"], false, "{unknown}: {response}");
    }
    debugger.end();
}

/// A breakpoint in a call comes before its end, in both directions.
#[test]
fn breakpoints_in_calls_that_are_stepped_over() {
    let place = counterexample();
    let mut debugger = Debugger::launch(&place, &json!({ "witness": "w.json" }));
    let source = json!({ "path": place.path("Main.oox") });
    let set = |debugger: &mut Debugger, points: Value| {
        debugger.ask("setBreakpoints", json!({ "source": source, "breakpoints": points }))["breakpoints"].clone()
    };
    assert_eq!(set(&mut debugger, json!([{ "line": 5 }, { "line": 11 }]))[1]["verified"], true);
    assert_eq!(debugger.go("configurationDone"), (3, "entry".into()));
    assert_eq!(debugger.go("continue"), (5, "breakpoint".into()));
    assert_eq!(debugger.go("next"), (11, "breakpoint".into()));
    assert_eq!(debugger.go("stepOut"), (6, "step".into()));
    assert_eq!(debugger.go("stepBack"), (11, "breakpoint".into()));
    // Conditions are not evaluated, which is said.
    let conditional = set(&mut debugger, json!([{ "line": 11, "condition": "v > 3" }]));
    assert_eq!(conditional[0]["verified"], false, "{conditional}");
    assert!(conditional[0]["message"].as_str().unwrap().contains("`condition`"), "{conditional}");
    assert_eq!(debugger.go("continue"), (7, "exception".into()));
    debugger.end();
}

const CAPTURING: &str = r#"using System;
using System.Diagnostics;
public class Main {
    static int limit = 3;
    public static void run(int a) {
        int sum = 1;
        Action<int> add = b => {
            sum += b;
        };
        add(a);
        limit = a;
        Debug.Assert(sum != 42);
    }
}
"#;

/// Values that are inputs are marked as long as nothing writes them, and captured variables are variables.
#[test]
fn inputs_and_captured_variables_of_csharp() {
    let place = files([("Main.cs", CAPTURING)]);
    let found = place.run("check Main.cs --entry Main.run --witness w.json");
    if lacks_sdk(&found) {
        return;
    }
    found.ends(1);
    let mut debugger = Debugger::launch(&place, &json!({ "witness": "w.json" }));
    debugger.go("configurationDone");
    assert_eq!(debugger.scope("Inputs"), ["a = 41"]);
    let source = json!({ "path": place.path("Main.cs") });
    debugger.ask("setBreakpoints", json!({ "source": source, "breakpoints": [{ "line": 8 }, { "line": 11 }] }));
    assert_eq!(debugger.go("continue"), (8, "breakpoint".into()));
    assert_eq!(debugger.scope("Locals"), ["sum = 1 (changed)", "b = 41 (changed)"]);
    assert_eq!(debugger.go("continue"), (11, "breakpoint".into()));
    let locals = debugger.scope("Locals");
    assert!(locals.contains(&"a = 41 (input)".into()) && locals.contains(&"sum = 42".into()), "{locals:?}");
    assert_eq!(debugger.go("continue"), (12, "exception".into()));
    assert_eq!(debugger.scope("Static fields"), ["Main.limit = 41 (changed)"]);
    debugger.end();
}

/// The frame of an initializer has a name that users understand.
#[test]
fn static_initializers() {
    let text = "class Main {
    static void run(int a) {
        assert Table.sizes[1] != a;
    }
}
class Table {
    static int[] sizes = make(4);
    static int[] make(int n) { return new int[] { n, n + 1 }; }
}
";
    let place = files([("Main.java", text)]);
    place.run("check Main.java --entry Main.run --witness w.json").ends(1);
    let mut debugger = Debugger::launch(&place, &json!({ "witness": "w.json" }));
    assert_eq!(debugger.go("configurationDone"), (3, "entry".into()));
    assert_eq!(debugger.go("stepIn"), (7, "step".into()));
    let stack = debugger.ask("stackTrace", json!({ "threadId": 1 }));
    assert_eq!(stack["stackFrames"][0]["name"], "the static initializer of Table", "{stack}");
    debugger.end();
}

const SCOPES: &str = r#"using System;
using System.Diagnostics;
public class Main {
    public static void run(int a) {
        int sum = 1;
        Action last = null;
        for (int i = 0; i < 1; i++) {
            int k = i + a;
            last = () => {
                sum += k;
            };
            last();
        }
        Debug.Assert(sum != 42);
    }
}
"#;

/// Captured variables of several scopes are shown with the function, and their writes can be found.
#[test]
fn captured_variables_of_several_scopes() {
    let place = files([("Main.cs", SCOPES)]);
    let found = place.run("check Main.cs --entry Main.run --witness w.json");
    if lacks_sdk(&found) {
        return;
    }
    found.ends(1);
    let mut debugger = Debugger::launch(&place, &json!({ "witness": "w.json", "stopOnEntry": false }));
    assert_eq!(debugger.go("configurationDone"), (14, "exception".into()));
    assert_eq!(debugger.evaluate("last.target.sum"), "42");
    let target = debugger.ask("evaluate", json!({ "expression": "last.target" }))["variablesReference"].clone();
    let rows = debugger.ask("variables", json!({ "variablesReference": target }))["variables"].clone();
    let names: Vec<&str> = rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["k", "sum"]);
    let info = debugger.ask("dataBreakpointInfo", json!({ "variablesReference": target, "name": "sum" }));
    debugger.ask("setDataBreakpoints", json!({ "breakpoints": [{ "dataId": info["dataId"] }] }));
    assert_eq!(debugger.go("reverseContinue"), (10, "data breakpoint".into()));
    debugger.end();
}

#[test]
fn static_fields_that_are_inputs() {
    let text = "class Main {
    static int limit;
    static void run(int a) {
        if (limit != 7) return;
        int b = limit;
        limit = a;
        assert a != 4 + b;
    }
}
";
    let place = files([("Main.java", text)]);
    place.run("check Main.java --entry Main.run --statics any --witness w.json").ends(1);
    let mut debugger = Debugger::launch(&place, &json!({ "witness": "w.json" }));
    debugger.go("configurationDone");
    assert_eq!(debugger.scope("Inputs"), ["a = 11", "Main.limit = 7"]);
    assert_eq!(debugger.go("next"), (5, "step".into()));
    assert_eq!(debugger.scope("Static fields"), ["Main.limit = 7 (input)"]);
    assert_eq!(debugger.go("continue"), (7, "exception".into()));
    assert_eq!(debugger.scope("Static fields"), ["Main.limit = 11 (changed)"]);
    assert_eq!(debugger.scope("Locals"), ["a = 11 (input)", "b = 7"]);
    debugger.end();
}

#[test]
fn replays_that_cannot_begin() {
    let place = counterexample();
    place.write("broken.json", b"{}");
    let mut debugger = Debugger::start(&place);
    debugger.ask("initialize", json!({}));
    let mut refused = |arguments: Value| {
        let response = debugger.response("launch", arguments);
        assert_eq!(response["success"], false, "{response}");
        response["message"].as_str().unwrap().to_string()
    };
    assert!(refused(json!({})).contains("launch needs `witness`"));
    assert!(refused(json!({ "witness": "none.json" })).contains("none.json"));
    assert!(refused(json!({ "witness": "broken.json" })).contains("broken.json"));
    place.write("Main.oox", b"class Main { }");
    assert!(refused(json!({ "witness": "w.json" })).contains("asRecorded"));
    assert_eq!(debugger.response("next", json!({}))["success"], false);
    // The text of the file is that of the recording.
    debugger.ask("attach", json!({ "witness": "w.json", "asRecorded": true }));
    debugger.event("initialized");
    debugger.go("configurationDone");
    let stack = debugger.ask("stackTrace", json!({ "threadId": 1 }));
    let source = stack["stackFrames"][0]["source"].clone();
    let text = debugger.ask("source", json!({ "source": source, "sourceReference": source["sourceReference"] }));
    assert_eq!(text["content"], LIST);
    assert_eq!(debugger.response("dance", json!({}))["success"], false);
    debugger.end();
    // What is no message ends the adapter, without a panic.
    let mut debugger = Debugger::start(&place);
    debugger.input.write_all(b"nonsense\r\n\r\n").unwrap();
    assert_eq!(debugger.adapter.wait().unwrap().code(), Some(2));
}
