//! Editors, played by a client that follows a script.

use crate::{Place, aback, files, lacks_sdk, wire};
use serde_json::{Value, json};
use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Most time for what has to happen at some time.
const PATIENCE: Duration = Duration::from_secs(120);

/// An editor with a server.
struct Editor {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// What has been read and not been waited for.
    unread: Vec<Value>,
    requests: u64,
}

impl Editor {
    /// Starts a server for a workspace.
    fn start(workspace: &Place, options: Value) -> Self {
        let mut command = aback();
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = command.spawn().expect("a server");
        let (input, mut output) = (server.stdin.take(), BufReader::new(server.stdout.take().unwrap()));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = wire::read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut editor = Editor { server, input, messages, unread: Vec::new(), requests: 0 };
        let capabilities = json!({
            "window": { "workDoneProgress": true, "showDocument": { "support": true } },
            "workspace": { "workspaceEdit": { "documentChanges": true, "resourceOperations": ["create"] } },
        });
        let folders = json!([{ "uri": uri(workspace, ""), "name": "workspace" }]);
        let params = json!({
            "processId": null, "rootUri": null, "capabilities": capabilities,
            "workspaceFolders": folders, "initializationOptions": options,
        });
        let answer = editor.ask("initialize", params);
        assert_eq!(answer["result"]["serverInfo"]["name"], "aback", "{answer}");
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    fn send_text(&mut self, text: &str) {
        let input = self.input.as_mut().expect("an open connection");
        let _ = wire::write(input, text);
    }

    /// Sends a request, and returns its number.
    fn request(&mut self, method: &str, params: Value) -> u64 {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a notification.
    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The first message with a property that has not been waited for.
    #[track_caller]
    fn wait(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(index) = self.unread.iter().position(&is_it) {
            return self.unread.remove(index);
        }
        loop {
            match self.messages.recv_timeout(PATIENCE) {
                Ok(message) if is_it(&message) => return message,
                Ok(message) => self.unread.push(message),
                Err(error) => panic!("no {what} ({error}): {:#?}", self.unread),
            }
        }
    }

    #[track_caller]
    fn answer(&mut self, id: u64) -> Value {
        self.wait("answer", |message| message["id"] == id && message.get("method").is_none())
    }

    /// Sends a request, and waits for its answer.
    #[track_caller]
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    fn open(&mut self, place: &Place, file: &str) {
        let document = json!({ "uri": uri(place, file), "languageId": "x", "version": 1, "text": place.read(file) });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn change(&mut self, place: &Place, file: &str, text: &str) {
        let document = json!({ "uri": uri(place, file), "version": 2 });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        self.tell("textDocument/didChange", params);
    }

    /// Changes a file and saves it.
    fn save(&mut self, place: &Place, file: &str, text: &str) {
        self.change(place, file, text);
        place.write(file, text.as_bytes());
        self.tell("textDocument/didSave", json!({ "textDocument": { "uri": uri(place, file) } }));
    }

    /// Tells that another tool has written a file.
    fn notice(&mut self, place: &Place, file: &str) {
        let changes = json!({ "changes": [{ "uri": uri(place, file), "type": 2 }] });
        self.tell("workspace/didChangeWatchedFiles", changes);
    }

    /// A question whose progress the editor wants to know.
    fn watched_question(&mut self, command: &str, place: &Place, (file, line): (&str, u32), token: &str) -> u64 {
        let spot = json!({ "uri": uri(place, file), "line": line });
        let params = json!({ "command": command, "arguments": [spot], "workDoneToken": token });
        self.request("workspace/executeCommand", params)
    }

    fn question(&mut self, command: &str, place: &Place, file: &str, line: u32) -> u64 {
        let spot = json!({ "uri": uri(place, file), "line": line });
        self.request("workspace/executeCommand", json!({ "command": command, "arguments": [spot] }))
    }

    /// The verdict on a question about `Main.oox`, or the reason why there is none.
    fn said(&mut self, place: &Place, command: &str, line: u32) -> String {
        let id = self.question(command, place, "Main.oox", line);
        let answer = self.answer(id);
        answer["result"]["said"].as_str().map_or_else(|| answer["error"]["message"].to_string(), str::to_owned)
    }

    /// The diagnostics of a file as soon as they have a property.
    #[track_caller]
    fn diagnostics(&mut self, place: &Place, file: &str, are_they: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let uri = uri(place, file);
        let is_it = |message: &Value| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == *uri
                && params["diagnostics"].as_array().is_some_and(|found| are_they(found))
        };
        self.wait("diagnostics", is_it)["params"]["diagnostics"].as_array().cloned().unwrap()
    }

    /// Ends the server, which must not have failed.
    fn end(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.input = None;
        let status = self.server.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn uri(place: &Place, file: &str) -> String {
    let path = std::fs::canonicalize(place.path("")).unwrap();
    if file.is_empty() { format!("file://{}", path.display()) } else { format!("file://{}/{file}", path.display()) }
}

const SUM: &str = "class Main {
    static void main(int x, Cell c) {
        if (x > 10) {
            assert x != 12;
        }
        x := c.v;
    }
    static void never(int x) {
        if (x > 5 && x < 3) {
            x := 1;
        }
    }
}
class Cell { int v; }
";

/// Questions without findings.
fn quiet() -> Value {
    json!({ "findings": false, "timeout": 60 })
}

#[test]
fn from_the_first_message_to_the_last() {
    let place = files([("Main.oox", SUM)]);
    let mut editor = Editor::start(&place, quiet());
    editor.open(&place, "Main.oox");
    let document = json!({ "uri": uri(&place, "Main.oox") });
    let lenses = editor.ask("textDocument/codeLens", json!({ "textDocument": document }));
    let lines: Vec<&Value> =
        lenses["result"].as_array().unwrap().iter().map(|lens| &lens["range"]["start"]["line"]).collect();
    assert_eq!(lines, [3], "{lenses}");
    let position = json!({ "line": 5, "character": 13 });
    let range = json!({ "start": position, "end": position });
    let params = json!({ "textDocument": document, "range": range, "context": { "diagnostics": [] } });
    let actions = editor.ask("textDocument/codeAction", params);
    let titles: Vec<&Value> = actions["result"].as_array().unwrap().iter().map(|action| &action["title"]).collect();
    assert_eq!(
        titles,
        [
            "aback: can this line be reached?",
            "aback: can anything fail at this line?",
            "aback: can this be null?",
            "aback: graph of this method"
        ]
    );
    // What a lens offers is a command as it is sent.
    let command = &lenses["result"][0]["command"];
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    let answer = editor.ask("workspace/executeCommand", params);
    assert_eq!(answer["result"]["said"], "violated", "{answer}");
    let path = &answer["result"]["paths"][0];
    assert_eq!(path["violation"]["shown_inputs"][0]["value"], "12", "{answer}");
    let shown = editor.diagnostics(&place, "Main.oox", |found| !found.is_empty());
    assert_eq!(shown[0]["range"]["start"]["line"], 3);
    assert!(shown[0]["message"].as_str().unwrap().contains("x = 12"), "{shown:?}");
    editor.wait("progress", |message| message["params"]["value"]["kind"] == "end");
    let params = json!({ "command": "aback.replay", "arguments": [{ "witness": path["witness"] }] });
    let replayed = editor.ask("workspace/executeCommand", params);
    let page = replayed["result"]["page"].as_str().unwrap().strip_prefix("file://").unwrap().to_owned();
    assert!(std::fs::read_to_string(page).unwrap().contains("<html"), "{replayed}");
    editor.wait("page", |message| message["method"] == "window/showDocument");
    editor.end();
}

#[test]
fn graphs_of_methods() {
    let place = files([("Main.oox", SUM)]);
    let mut editor = Editor::start(&place, quiet());
    editor.open(&place, "Main.oox");
    let draw = |editor: &mut Editor, line: u32| {
        let spot = json!({ "uri": uri(&place, "Main.oox"), "line": line });
        editor.ask("workspace/executeCommand", json!({ "command": "aback.graph", "arguments": [spot] }))
    };
    let drawn = draw(&mut editor, 4);
    let page = drawn["result"]["page"].as_str().unwrap().strip_prefix("file://").unwrap().to_owned();
    assert!(std::fs::read_to_string(page).unwrap().contains("function graphOf"), "{drawn}");
    let is_refused = |editor: &mut Editor, line: u32, reason: &str| {
        let refused = draw(editor, line);
        assert_eq!(refused["error"]["code"], -32803);
        assert!(refused["error"]["message"].as_str().unwrap().contains(reason), "{refused}");
    };
    is_refused(&mut editor, 99, "there is no code at");
    editor.change(&place, "Main.oox", "class Main {}");
    is_refused(&mut editor, 4, "changes that are not saved");
    editor.end();
}

#[test]
fn questions_about_lines() {
    let place = files([("Main.oox", SUM)]);
    let mut editor = Editor::start(&place, quiet());
    editor.open(&place, "Main.oox");
    assert_eq!(editor.said(&place, "aback.reach", 4), "reachable");
    assert_eq!(editor.said(&place, "aback.reach", 10), "unreachable");
    assert_eq!(editor.said(&place, "aback.null", 6), "can be null");
    assert_eq!(editor.said(&place, "aback.check", 6), "violated");
    assert!(editor.said(&place, "aback.null", 4).contains("nothing at"));
    // Where the cursor is, nothing is used.
    let spot = json!({ "uri": uri(&place, "Main.oox"), "line": 6, "column": 1 });
    let params = json!({ "command": "aback.null", "arguments": [spot] });
    assert_eq!(editor.ask("workspace/executeCommand", params)["result"]["said"], "can be null");
    assert!(editor.said(&place, "aback.reach", 99).contains("there is no code"));
    editor.end();
}

/// Findings appear by themselves, and go with their cause.
#[test]
fn findings_follow_the_saved_program() {
    let text = "public class Main {
    public static int rate(int total) {
        return 100 / total;
    }
}
";
    let place = files([("Main.java", text)]);
    let mut editor = Editor::start(&place, json!({}));
    editor.open(&place, "Main.java");
    let found = editor.diagnostics(&place, "Main.java", |found| !found.is_empty());
    assert_eq!(found[0]["range"]["start"]["line"], 2);
    assert!(found[0]["message"].as_str().unwrap().contains("total = 0"), "{found:?}");
    // A suppression is offered.
    let params = json!({
        "textDocument": { "uri": uri(&place, "Main.java") }, "range": found[0]["range"],
        "context": { "diagnostics": found },
    });
    let actions = editor.ask("textDocument/codeAction", params);
    let edits = &actions["result"][0]["edit"]["changes"][uri(&place, "Main.java")];
    assert_eq!(edits[0]["newText"], "        // aback-ignore: \n", "{actions}");
    editor.save(&place, "Main.java", &text.replace("100 / total", "total == 0 ? 0 : 100 / total"));
    editor.diagnostics(&place, "Main.java", <[Value]>::is_empty);
    // A program that does not compile is no reason to fail.
    editor.save(&place, "Main.java", &text.replace("100 / total", "100 /"));
    editor.wait("message", |message| {
        message["method"] == "window/logMessage" && message.to_string().contains("the program has 1 error")
    });
    editor.save(&place, "Main.java", text);
    editor.diagnostics(&place, "Main.java", |found| !found.is_empty());
    editor.end();
}

/// What is found in an open file is out of date as soon as another tool writes the file, whether editors tell first that the file has changed or that
/// they have read it.
#[test]
fn findings_follow_open_files_that_others_write() {
    let wrong = "public class Main {\n    public static int rate(int total) {\n        return 100 / total;\n    }\n}\n";
    let right = wrong.replace("100 / total", "total == 0 ? 0 : 100 / total");
    let place = files([("Main.java", wrong)]);
    let mut editor = Editor::start(&place, json!({}));
    editor.open(&place, "Main.java");
    for is_told_first in [true, false] {
        editor.diagnostics(&place, "Main.java", |found| !found.is_empty());
        for text in [&right, wrong] {
            place.write("Main.java", text.as_bytes());
            if is_told_first {
                editor.notice(&place, "Main.java");
            }
            editor.change(&place, "Main.java", text);
            if !is_told_first {
                editor.notice(&place, "Main.java");
            }
            if text == right {
                editor.diagnostics(&place, "Main.java", <[Value]>::is_empty);
            }
        }
    }
    editor.diagnostics(&place, "Main.java", |found| !found.is_empty());
    // What does not compile is another program, of which nothing is known.
    place.write("Main.java", b"public class Main {");
    editor.notice(&place, "Main.java");
    editor.diagnostics(&place, "Main.java", <[Value]>::is_empty);
    editor.end();
}

#[test]
fn an_exit_without_shutdown() {
    let place = files([("Main.oox", ENDLESS)]);
    let mut editor = Editor::start(&place, json!({ "timeout": 600 }));
    editor.open(&place, "Main.oox");
    editor.question("aback.check", &place, "Main.oox", 4);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.server.wait().unwrap().code(), Some(1));
}

/// What a survey has found can be replayed, and only findings can be suppressed.
#[test]
fn findings_are_replayed() {
    let text = "public class Main {
    public static int rate(int total) {
        return 100 / total;
    }
}
";
    let place = files([("Main.java", text)]);
    let mut editor = Editor::start(&place, json!({ "timeout": 60 }));
    editor.open(&place, "Main.java");
    let found = editor.diagnostics(&place, "Main.java", |found| !found.is_empty());
    let is_progress = |kind: &str, message: &Value| {
        let value = &message["params"]["value"];
        value["kind"] == *kind && (kind == "end" || value["message"] == "0 of 2 entry points")
    };
    editor.wait("the progress of the survey", |message| is_progress("begin", message));
    editor.wait("the end of the survey", |message| is_progress("end", message));
    let titles = |editor: &mut Editor, diagnostics: &[Value]| -> Vec<(String, Value)> {
        let range = json!({ "start": { "line": 2, "character": 0 }, "end": { "line": 2, "character": 0 } });
        let document = json!({ "uri": uri(&place, "Main.java") });
        let params = json!({ "textDocument": document, "range": range, "context": { "diagnostics": diagnostics } });
        let actions = editor.ask("textDocument/codeAction", params)["result"].clone();
        let shown = |action: &Value| (action["title"].as_str().unwrap().to_owned(), action.clone());
        actions.as_array().unwrap().iter().map(shown).collect()
    };
    let actions = titles(&mut editor, &found);
    let of = |title: &str| actions.iter().find(|(known, _)| known.starts_with(title)).map(|(_, action)| action.clone());
    assert!(of("aback: suppress").is_some(), "{actions:?}");
    for (title, result) in [("aback: replay", "page"), ("aback: write as a test", "files")] {
        let command = of(title).unwrap();
        let params = json!({ "command": command["command"], "arguments": command["arguments"] });
        let answer = editor.ask("workspace/executeCommand", params);
        assert!(!answer["result"][result].is_null(), "{title}: {answer}");
    }
    // A way to a line is no finding.
    let id = editor.question("aback.reach", &place, "Main.java", 3);
    assert_eq!(editor.answer(id)["result"]["said"], "reachable");
    let ways = editor.diagnostics(&place, "Main.java", |found| found.iter().any(|one| one["severity"] == 3));
    let ways: Vec<Value> = ways.into_iter().filter(|one| one["severity"] == 3).collect();
    let actions = titles(&mut editor, &ways);
    assert!(!actions.iter().any(|(title, _)| title.contains("suppress")), "{actions:?}");
    editor.end();
}

/// A build runs what the files of a project say: no program is built before the user has asked about it.
#[test]
fn nothing_is_built_unasked() {
    let project = r#"<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup>
  <Target Name="Trace" BeforeTargets="CoreCompile"><WriteLinesToFile File="$(MSBuildProjectDirectory)/ran.txt" Lines="ran" /></Target>
</Project>
"#;
    let text = "public class Shop {
    public static int Rate(int total) {
        return 100 / total;
    }
}
";
    let place = files([("Shop.csproj", project), ("Shop.cs", text)]);
    let refused = place.run("check Shop.csproj --at Shop.cs:3 --no-build");
    if lacks_sdk(&refused) {
        return;
    }
    refused.ends(2).says("must be built, which runs what its files say");
    let mut editor = Editor::start(&place, json!({ "timeout": 60 }));
    editor.open(&place, "Shop.cs");
    let says = |text: &'static str| {
        move |message: &Value| message["method"] == "window/logMessage" && message.to_string().contains(text)
    };
    editor.wait("a reason", says("findings come after the first question"));
    assert!(!place.path("ran.txt").exists());
    let id = editor.question("aback.check", &place, "Shop.cs", 3);
    assert_eq!(editor.answer(id)["result"]["said"], "violated");
    assert!(place.path("ran.txt").exists());
    editor.wait("all findings", says("all entry points were asked"));
    editor.end();
    // Those who trust their projects may say so.
    std::fs::remove_file(place.path("ran.txt")).unwrap();
    let mut editor = Editor::start(&place, json!({ "builds": true }));
    editor.open(&place, "Shop.cs");
    editor.diagnostics(&place, "Shop.cs", |found| !found.is_empty());
    assert!(place.path("ran.txt").exists());
    editor.end();
}

const ENDLESS: &str = "class Main { static void main(int x) {
    int i := 0;
    while (i * i * i + x * i != 1234567891) { i := i + 1; x := x + i * x; }
    assert false;
} }
";

#[test]
fn questions_that_nobody_needs_any_more() {
    let place = files([("Main.oox", ENDLESS)]);
    let mut editor = Editor::start(&place, json!({ "findings": false, "timeout": 600 }));
    editor.open(&place, "Main.oox");
    let id = editor.question("aback.check", &place, "Main.oox", 4);
    editor.tell("$/cancelRequest", json!({ "id": id }));
    assert_eq!(editor.answer(id)["error"]["code"], -32800);
    let id = editor.question("aback.check", &place, "Main.oox", 4);
    let begin = |message: &Value| message["params"]["value"]["kind"] == "begin";
    // The first begin is that of the question before.
    editor.wait("progress", begin);
    let token = editor.wait("progress", begin)["params"]["token"].clone();
    editor.tell("window/workDoneProgress/cancel", json!({ "token": token }));
    assert_eq!(editor.answer(id)["error"]["code"], -32800);
    // An edit makes the answer worthless.
    let id = editor.question("aback.check", &place, "Main.oox", 4);
    editor.change(&place, "Main.oox", SUM);
    assert_eq!(editor.answer(id)["error"]["code"], -32801);
    editor.end();
}

#[test]
fn a_storm_of_edits() {
    let place = files([("Main.oox", SUM)]);
    let mut editor = Editor::start(&place, json!({}));
    editor.open(&place, "Main.oox");
    let mut asked = Vec::new();
    for number in 0..100 {
        editor.save(&place, "Main.oox", &SUM.replace("12", &number.to_string()));
        if number % 10 == 0 {
            asked.push(editor.question("aback.reach", &place, "Main.oox", 4));
        }
        // What needs no engine is answered at once.
        let document = json!({ "uri": uri(&place, "Main.oox") });
        assert!(editor.ask("textDocument/codeLens", json!({ "textDocument": document }))["result"].is_array());
    }
    // Each question is answered, or dropped because the text has changed.
    for id in asked {
        let answer = editor.answer(id);
        assert!(answer["result"]["said"] == "reachable" || answer["error"]["code"] == -32801, "{answer}");
    }
    editor.save(&place, "Main.oox", &SUM.replace("x != 12", "x != 77"));
    editor.diagnostics(&place, "Main.oox", |found| found.iter().any(|one| one.to_string().contains("x = 77")));
    let id = editor.question("aback.check", &place, "Main.oox", 4);
    let answer = editor.answer(id);
    assert_eq!(answer["result"]["paths"][0]["violation"]["shown_inputs"][0]["value"], "77", "{answer}");
    editor.end();
}

#[test]
fn messages_that_make_no_sense() {
    let place = files([("Main.oox", SUM)]);
    let mut editor = Editor::start(&place, quiet());
    assert_eq!(editor.ask("textDocument/rename", json!({}))["error"]["code"], -32601);
    assert_eq!(editor.ask("textDocument/codeLens", json!({ "textDocument": 5 }))["error"]["code"], -32602);
    editor.tell("textDocument/didSave", json!([1, 2]));
    editor.tell("workspace/nonsense", Value::Null);
    for arguments in [json!([]), json!([{ "uri": "x" }]), json!([{ "uri": "untitled:1", "line": 1 }])] {
        let params = json!({ "command": "aback.check", "arguments": arguments });
        assert_eq!(editor.ask("workspace/executeCommand", params)["error"]["code"], -32602);
    }
    let params = json!({ "command": "aback.dance", "arguments": [] });
    assert_eq!(editor.ask("workspace/executeCommand", params)["error"]["code"], -32602);
    let params = json!({ "command": "aback.replay", "arguments": [{ "witness": "/none.json" }] });
    assert_eq!(editor.ask("workspace/executeCommand", params)["error"]["code"], -32803);
    // Where a message has no length, nothing after it can be read. This ends the server, without a panic.
    editor.ask("textDocument/codeLens", json!({ "textDocument": { "uri": uri(&place, "Main.oox") } }));
    for text in ["Content-Length: 9223372036854775807\r\n\r\n", "nonsense\r\n\r\n"] {
        editor.input.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
        let status = editor.server.wait().unwrap();
        let mut said = String::new();
        editor.server.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(status.code().is_some_and(|code| code != 101) && !said.contains("panicked"), "{status} {said}");
        editor = Editor::start(&place, quiet());
    }
}

#[test]
fn two_editors_of_one_program() {
    let place = files([("Main.oox", SUM)]);
    let mut editors = [0, 1].map(|_| Editor::start(&place, json!({})));
    for editor in &mut editors {
        editor.open(&place, "Main.oox");
    }
    for editor in &mut editors {
        editor.diagnostics(&place, "Main.oox", |found| !found.is_empty());
    }
    // What one saves, the other one reads again.
    let text = SUM.replace("x != 12", "x != 4");
    let [first, second] = &mut editors;
    first.save(&place, "Main.oox", &text);
    assert!(second.said(&place, "aback.check", 4).contains("not saved"));
    second.change(&place, "Main.oox", &text);
    let asked = [first, second].map(|editor| editor.question("aback.check", &place, "Main.oox", 4));
    for (mut editor, id) in editors.into_iter().zip(asked) {
        let answer = editor.answer(id);
        assert_eq!(answer["result"]["said"], "holds", "{answer}");
        editor.end();
    }
}

/// An editor that is gone takes its server along.
#[test]
fn an_editor_that_is_gone() {
    let place = files([("Main.oox", ENDLESS)]);
    let mut editor = Editor::start(&place, json!({ "timeout": 600 }));
    editor.open(&place, "Main.oox");
    editor.question("aback.check", &place, "Main.oox", 4);
    editor.input = None;
    editor.server.wait().unwrap();
}

/// A unit test of a path goes into the project, by an edit that the editor makes.
#[test]
fn a_path_becomes_a_unit_test() {
    let text =
        "package p;\npublic class Sum {\n    public static void add(int x) {\n        assert x != 12;\n    }\n}\n";
    let place = files([
        ("src/main/java/p/Sum.java", text),
        ("pom.xml", "<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version></project>"),
    ]);
    let mut editor = Editor::start(&place, quiet());
    let file = "src/main/java/p/Sum.java";
    editor.open(&place, file);
    let id = editor.question("aback.check", &place, file, 4);
    let answer = editor.answer(id);
    let test = &answer["result"]["paths"][0]["test"];
    assert!(test.as_str().is_some_and(|test| test.ends_with("SumAddLine4Test.java")), "{answer}");
    let position = json!({ "line": 3, "character": 0 });
    let params = json!({
        "textDocument": { "uri": uri(&place, file) }, "range": { "start": position, "end": position },
        "context": { "diagnostics": [] },
    });
    let actions = editor.ask("textDocument/codeAction", params);
    let titles: Vec<&Value> = actions["result"].as_array().unwrap().iter().map(|action| &action["title"]).collect();
    assert!(
        titles.contains(&&json!("aback: replay")) && titles.contains(&&json!("aback: write as a test")),
        "{titles:?}"
    );
    let argument = json!({ "test": test, "uri": uri(&place, file) });
    let id = editor.request("workspace/executeCommand", json!({ "command": "aback.test", "arguments": [argument] }));
    let edit = editor.wait("edit", |message| message["method"] == "workspace/applyEdit");
    let changes = &edit["params"]["edit"]["documentChanges"];
    let wanted = "src/test/java/p/SumAddLine4Test.java";
    assert_eq!((&changes[0]["kind"], &changes[0]["uri"]), (&json!("create"), &json!(uri(&place, wanted))));
    assert!(changes[1]["edits"][0]["newText"].as_str().unwrap().contains("Sum.add(x);"), "{edit}");
    editor.send(&json!({ "jsonrpc": "2.0", "id": edit["id"], "result": { "applied": true } }));
    assert_eq!(editor.answer(id)["result"]["files"], json!([place.path(wanted)]));
    // The server reads no other files.
    let argument = json!({ "test": place.path(file), "uri": uri(&place, file) });
    let params = json!({ "command": "aback.test", "arguments": [argument] });
    assert_eq!(editor.ask("workspace/executeCommand", params)["error"]["code"], -32602);
    editor.end();
}

#[test]
fn back_from_a_line_by_hand() {
    let place = files([("Main.oox", SUM)]);
    let mut editor = Editor::start(&place, quiet());
    editor.open(&place, "Main.oox");
    let mut ask = |given: Value| {
        let mut argument =
            json!({ "uri": uri(&place, "Main.oox"), "line": 4, "fails": true, "stops": [], "asks": false });
        argument.as_object_mut().unwrap().extend(given.as_object().unwrap().clone());
        editor.ask("workspace/executeCommand", json!({ "command": "aback.back", "arguments": [argument] }))["result"]
            .clone()
    };
    let entries = ask(json!({}));
    assert_eq!(entries["before"]["entries"], json!(["Main.main(int, Cell)"]), "{entries}");
    let entry = entries["before"]["entries"][0].clone();
    let mut stops: Vec<Value> = Vec::new();
    for condition in ["x == 12", "x >= 11 && x == 12"] {
        let answer = ask(json!({ "entry": entry, "stops": stops }));
        let stop = &answer["before"]["stops"][0];
        assert_eq!(stop["condition"], condition, "{answer}");
        stops.push(stop["node"].clone());
    }
    let answer = ask(json!({ "entry": entry, "stops": stops, "asks": true }));
    assert_eq!(answer["said"], "violated", "{answer}");
    assert_eq!(answer["paths"][0]["violation"]["shown_inputs"][0]["value"], "12", "{answer}");
    editor.end();
}

#[test]
fn files_that_change_without_being_saved() {
    let text =
        "public class Main {\n    public static void main(String[] a) {\n        assert Other.k() == 1;\n    }\n}\n";
    let other = |k: u32| format!("class Other {{ static int k() {{ return {k}; }} }}\n");
    let place = files([("Main.java", text), ("Other.java", &other(1)), ("Beside.cs", "public class Beside { }\n")]);
    let mut editor = Editor::start(&place, quiet());
    editor.open(&place, "Main.java");
    let said = |editor: &mut Editor| {
        let id = editor.question("aback.check", &place, "Main.java", 3);
        let answer = editor.answer(id);
        answer["result"]["said"].as_str().map_or_else(|| answer["error"]["message"].to_string(), str::to_owned)
    };
    assert_eq!(said(&mut editor), "holds");
    // Another tool writes a file that is not open.
    place.write("Other.java", other(2).as_bytes());
    assert_eq!(said(&mut editor), "violated");
    // What is not saved is not what the user sees.
    editor.change(&place, "Main.java", &text.replace("== 1", "== 2"));
    assert!(said(&mut editor).contains("not saved"));
    editor.end();
}

/// What is found about files that another tool has written meanwhile is out of date.
#[test]
fn files_that_change_during_a_question() {
    let place = files([("Main.oox", ENDLESS)]);
    let mut editor = Editor::start(&place, json!({ "findings": false, "timeout": 3, "soFar": true }));
    editor.open(&place, "Main.oox");
    let id = editor.watched_question("aback.check", &place, ("Main.oox", 4), "endless");
    editor.wait("what is explored", |message| message["method"] == "aback/soFar");
    place.write("Main.oox", SUM.as_bytes());
    assert_eq!(editor.answer(id)["error"]["code"], -32801);
    editor.end();
}

#[test]
fn columns_are_units_of_utf_16() {
    let text = "class N { int v; }\nclass Main {\n    static void main(N a) {\n        N b := new N();\n        string s := \"😀😀😀😀\"; int k := b.v + a.v;\n    }\n}\n";
    let place = files([("Main.oox", text)]);
    let mut editor = Editor::start(&place, quiet());
    editor.open(&place, "Main.oox");
    let line: Vec<u16> = text.lines().nth(4).unwrap().encode_utf16().collect();
    let column = |c: char| line.windows(2).position(|two| two == [c as u16, '.' as u16]).unwrap() + 1;
    for (reference, expected) in [('b', "never null"), ('a', "can be null")] {
        let spot = json!({ "uri": uri(&place, "Main.oox"), "line": 5, "column": column(reference) });
        let params = json!({ "command": "aback.null", "arguments": [spot] });
        let answer = editor.ask("workspace/executeCommand", params);
        assert_eq!(answer["result"]["said"], expected, "{answer}");
    }
    let shown = editor.diagnostics(&place, "Main.oox", |found| found.len() == 1 && found[0]["severity"] == 2);
    assert_eq!(shown[0]["range"]["start"]["character"], column('a') - 1, "{shown:?}");
    editor.end();
}

/// What is no message is answered, and answers of the editor may come after the end was asked for.
#[test]
fn messages_that_are_none() {
    let place = files([("Main.oox", SUM)]);
    let mut editor = Editor::start(&place, quiet());
    editor.send_text("{ no json");
    assert_eq!(editor.wait("error", |message| message.get("error").is_some())["error"]["code"], -32700);
    editor.send_text("[1]");
    assert_eq!(editor.wait("error", |message| message.get("error").is_some())["error"]["code"], -32600);
    editor.ask("shutdown", Value::Null);
    editor.send(&json!({ "jsonrpc": "2.0", "id": "aback-1", "result": null }));
    assert_eq!(editor.ask("textDocument/codeLens", json!({}))["error"]["code"], -32600);
    editor.tell("exit", Value::Null);
    editor.input = None;
    assert!(editor.server.wait().unwrap().success());
}

const TWO_WAYS: &str = "public class Main {
    public static int way(int x) {
        int y = 0;
        if (x > 5)
            y = 1;
        return y;
    }
}
";

/// The first path is the one of a single question, and the others differ from it.
#[test]
fn several_paths_to_a_line() {
    let place = files([("Main.java", TWO_WAYS)]);
    let mut editor = Editor::start(&place, quiet());
    editor.open(&place, "Main.java");
    let id = editor.question("aback.reach", &place, "Main.java", 6);
    let answer = editor.answer(id);
    let paths = answer["result"]["paths"].as_array().unwrap();
    let lines = |path: &Value| -> Vec<Value> {
        path["violation"]["path"].as_array().unwrap().iter().map(|step| step["line"].clone()).collect()
    };
    let mut found: Vec<Vec<Value>> = paths.iter().map(lines).collect();
    found.sort_by_key(Vec::len);
    assert_eq!(json!(found), json!([[3, 4, 6], [3, 4, 5, 6]]), "{answer}");
    assert!(paths.iter().all(|path| path["witness"].is_string()), "{answer}");
    editor.end();
}

/// One line can have several assertions, each with a path of its own.
#[test]
fn several_assertions_at_a_line() {
    let text =
        "public class Main {\n    public static void two(int x) {\n        assert x != 3; assert x != 5;\n    }\n}\n";
    let place = files([("Main.java", text)]);
    let mut editor = Editor::start(&place, quiet());
    editor.open(&place, "Main.java");
    let id = editor.question("aback.check", &place, "Main.java", 3);
    let answer = editor.answer(id);
    let paths = answer["result"]["paths"].as_array().unwrap();
    let input = |path: &Value| path["violation"]["shown_inputs"][0]["value"].as_str().unwrap().to_owned();
    let mut inputs: Vec<String> = paths.iter().map(input).collect();
    inputs.sort();
    assert_eq!(inputs, ["3", "5"], "{answer}");
    editor.end();
}

/// The first path is told before others are looked for, and how far a question has come as long as it runs.
#[test]
fn what_questions_have_found_so_far() {
    let place = files([("Main.java", TWO_WAYS), ("Main.oox", ENDLESS)]);
    let mut editor = Editor::start(&place, json!({ "findings": false, "timeout": 60, "soFar": true }));
    let so_far = |message: &Value| message["method"] == "aback/soFar";
    editor.open(&place, "Main.java");
    let id = editor.watched_question("aback.reach", &place, ("Main.java", 6), "two");
    let first = editor.wait("paths", |message| so_far(message) && !message["params"]["paths"][0].is_null());
    assert_eq!(first["params"]["token"], "two");
    assert!(first["params"]["paths"][0]["witness"].is_string(), "{first}");
    let is_told =
        |message: &Value| message["params"]["value"]["message"].as_str().is_some_and(|m| m.ends_with("1 path found"));
    editor.wait("a report", is_told);
    // The lines are shown before the answer comes, and the answer has more paths.
    editor.diagnostics(&place, "Main.java", |found| found.len() == 1);
    assert!(!editor.unread.iter().any(|message| message["id"] == id && message.get("method").is_none()));
    assert_eq!(editor.answer(id)["result"]["paths"].as_array().map(Vec::len), Some(2));
    editor.open(&place, "Main.oox");
    let id = editor.watched_question("aback.check", &place, ("Main.oox", 4), "endless");
    let explored =
        |message: &Value| message["params"]["explored"]["operations"].as_u64().is_some_and(|count| count > 0);
    editor.wait("what is explored", |message| message["params"]["token"] == "endless" && explored(message));
    editor.tell("$/cancelRequest", json!({ "id": id }));
    assert_eq!(editor.answer(id)["error"]["code"], -32800);
    editor.end();
}
