//! Replays a counterexample in the debugger of an editor, forward and backward, by the debug adapter protocol.

use crate::wire;
use aback_report::{Collections, Variable, View};
use aback_witness::{
    ArgumentDocument, Change, ClassShape, Content, Cursor, Execution, FieldShape, MethodShape, Witness,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

/// The only thread.
const THREAD: u32 = 1;

/// How the fields begin by which an object with captured variables refers to that of the scope around its own.
const SCOPE: &str = "CS$<>8__locals";

/// The reason why the adapter ends before the editor asks it to.
#[derive(Debug, thiserror::Error)]
pub enum DebugError {
    /// The connection fails.
    #[error("the connection to the editor failed: {0}")]
    Connection(#[from] io::Error),
    /// What comes is no message.
    #[error("the connection to the editor failed: {0}")]
    Read(#[from] wire::ReadError),
}

/// Serves the debugger of an editor until it disconnects. `launch` names the file of the counterexample as `witness`.
///
/// # Errors
/// The editor does not keep to the protocol.
pub fn debug(input: &mut impl BufRead, output: &mut impl Write) -> Result<(), DebugError> {
    let mut wire = Wire { input, output, sent: 0 };
    while let Some(request) = wire.next()? {
        match request.command.as_str() {
            "initialize" => wire.accept(&request, capabilities())?,
            "launch" | "attach" => match open(&request.arguments) {
                Ok(witness) => {
                    wire.accept(&request, Value::Null)?;
                    wire.tell("initialized", Value::Null)?;
                    return replay(&mut wire, &witness, request.arguments["stopOnEntry"] != false);
                }
                Err(reason) => wire.refuse(&request, &reason, true)?,
            },
            "disconnect" | "terminate" => return Ok(wire.accept(&request, Value::Null)?),
            _ => wire.refuse(&request, "there is no counterexample yet: launch with the path of a witness", true)?,
        }
    }
    Ok(())
}

fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsStepBack": true,
        "supportsDataBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsExceptionInfoRequest": true,
        "supportsTerminateRequest": true,
    })
}

fn open(arguments: &Value) -> Result<Witness, String> {
    let path = arguments["witness"].as_str().ok_or("launch needs `witness`, the path of a counterexample's file")?;
    let witness = Witness::read(Path::new(path)).map_err(|error| format!("{path}: {error}"))?;
    if arguments["asRecorded"] != true {
        witness.check_sources().map_err(|error| format!("{path}: {error}; `asRecorded` shows it nevertheless"))?;
    }
    Ok(witness)
}

/// The connection to the editor.
struct Wire<'a, I, O> {
    input: &'a mut I,
    output: &'a mut O,
    sent: u64,
}

/// A request of the editor.
struct Request {
    number: Value,
    command: String,
    arguments: Value,
}

impl<I: BufRead, O: Write> Wire<'_, I, O> {
    /// The next request. Messages of other kinds have no meaning here.
    fn next(&mut self) -> Result<Option<Request>, wire::ReadError> {
        while let Some(mut message) = wire::read(self.input)? {
            if message["type"] == "request" {
                let command = message["command"].as_str().unwrap_or_default().to_string();
                let (number, arguments) = (message["seq"].take(), message["arguments"].take());
                return Ok(Some(Request { number, command, arguments }));
            }
        }
        Ok(None)
    }

    fn send(&mut self, mut message: Value) -> io::Result<()> {
        self.sent += 1;
        message["seq"] = self.sent.into();
        wire::write(self.output, &message)
    }

    fn accept(&mut self, request: &Request, body: Value) -> io::Result<()> {
        let (number, command) = (&request.number, &request.command);
        self.send(json!({
            "type": "response", "request_seq": number, "command": command, "success": true, "body": body,
        }))
    }

    fn refuse(&mut self, request: &Request, reason: &str, is_shown: bool) -> io::Result<()> {
        let (number, command) = (&request.number, &request.command);
        let body = json!({ "error": { "id": 1, "format": reason, "showUser": is_shown } });
        self.send(json!({
            "type": "response", "request_seq": number, "command": command, "success": false, "message": reason,
            "body": body,
        }))
    }

    fn tell(&mut self, event: &str, body: Value) -> io::Result<()> {
        self.send(json!({ "type": "event", "event": event, "body": body }))
    }
}

fn replay<I: BufRead, O: Write>(
    wire: &mut Wire<I, O>,
    witness: &Witness,
    stops_at_entry: bool,
) -> Result<(), DebugError> {
    let (Some(cursor), Some(entry)) = (Cursor::new(&witness.execution), Cursor::new(&witness.execution)) else {
        wire.tell("output", json!({ "category": "console", "output": "the run did not begin: there are no steps\n" }))?;
        return Ok(wire.tell("terminated", Value::Null)?);
    };
    let violation = witness.violation.step.map_or_else(|| cursor.last(), |step| step as usize);
    let mut replay =
        Replay { witness, cursor, entry, violation, lines: BTreeSet::new(), watched: Vec::new(), places: Vec::new() };
    while let Some(request) = wire.next()? {
        let ends = matches!(request.command.as_str(), "disconnect" | "terminate");
        match replay.answer(&request, stops_at_entry) {
            Ok(Answer { body, stopped }) => {
                wire.accept(&request, body)?;
                if let Some(stopped) = stopped {
                    wire.tell("stopped", stopped)?;
                }
            }
            // The editor may ask about what it has just left, which is none of the user's.
            Err(reason) => wire.refuse(&request, &reason, false)?,
        }
        if ends {
            wire.tell("terminated", Value::Null)?;
            break;
        }
    }
    Ok(())
}

/// What answers a request.
struct Answer {
    body: Value,
    /// The event that the replay has stopped, if it has moved.
    stopped: Option<Value>,
}

/// What the editor may ask about by a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Locals(u32),
    Statics,
    /// The arguments as they were at the beginning.
    Inputs,
    Object(u32),
    /// An object as it was at the beginning.
    InputObject(u32),
}

/// A value, with the type that the source gives to what names it, if that is known.
struct Typed {
    row: Variable,
    ty: Option<String>,
}

/// A place whose writes are looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Watched {
    Local(u32, String),
    Static(String),
    /// A field or an element of an object.
    Part(u32, String),
}

struct Replay<'w> {
    witness: &'w Witness,
    cursor: Cursor<'w>,
    /// Stays at the first step.
    entry: Cursor<'w>,
    /// The step of the violation.
    violation: usize,
    /// The breakpoints: files of the execution, and lines.
    lines: BTreeSet<(u32, u32)>,
    watched: Vec<Watched>,
    /// What the numbers of the current stop stand for, from 1, with expressions for objects.
    places: Vec<(Place, Option<String>)>,
}

impl Replay<'_> {
    fn answer(&mut self, request: &Request, stops_at_entry: bool) -> Result<Answer, String> {
        let arguments = &request.arguments;
        let body = match request.command.as_str() {
            "configurationDone" => {
                let stopped = match stops_at_entry {
                    true => self.stopped("entry"),
                    false => self.go_on(),
                };
                return Ok(Answer { body: Value::Null, stopped: Some(stopped) });
            }
            "threads" => json!({ "threads": [{ "id": THREAD, "name": self.witness.entry }] }),
            "stackTrace" => self.stack(arguments),
            "scopes" => self.scopes(arguments)?,
            "variables" => self.variables(arguments)?,
            "evaluate" => self.evaluate(arguments)?,
            "setBreakpoints" => self.set_breakpoints(arguments),
            "dataBreakpointInfo" => self.watchable(arguments),
            "setDataBreakpoints" => self.set_watched(arguments),
            "exceptionInfo" => json!({
                "exceptionId": self.witness.violation.exception.as_ref().map_or("false condition", |found| &found.class),
                "description": self.witness.violation.description, "breakMode": "always",
            }),
            "source" => self.source(arguments)?,
            "setExceptionBreakpoints" | "disconnect" | "terminate" => Value::Null,
            command => {
                let stopped = self.step(command).ok_or_else(|| format!("a replay does not know `{command}`"))?;
                return Ok(Answer { body: json!({ "allThreadsContinued": true }), stopped: Some(stopped) });
            }
        };
        Ok(Answer { body, stopped: None })
    }

    /// Moves as a command says. `None` if it is no command to move.
    fn step(&mut self, command: &str) -> Option<Value> {
        let start = self.cursor.position();
        let reason = match command {
            "stepIn" => {
                self.cursor.step_into();
                "step"
            }
            "next" | "stepOut" | "stepBack" => {
                match command {
                    "next" => self.cursor.step_over(),
                    "stepOut" => self.cursor.step_out(),
                    _ => self.cursor.back_over(),
                }
                // A breakpoint in a call that is stepped over comes first.
                let end = self.cursor.position();
                self.cursor.go_to(start);
                if end < start { self.go_back_to(end) } else { self.go_on_to(end) }.unwrap_or("step")
            }
            "continue" => return Some(self.go_on()),
            "reverseContinue" => self.go_back_to(0).unwrap_or("entry"),
            "pause" => "step",
            _ => return None,
        };
        Some(self.stopped(reason))
    }

    /// Goes on to the next breakpoint, or else to the violation or the end.
    fn go_on(&mut self) -> Value {
        let last = if self.cursor.position() < self.violation { self.violation } else { self.cursor.last() };
        let reason = self.go_on_to(last).unwrap_or("pause");
        self.stopped(reason)
    }

    /// Goes on to the next breakpoint, or else to a step. The result is the reason to stop at a breakpoint.
    fn go_on_to(&mut self, end: usize) -> Option<&'static str> {
        while self.cursor.position() < end {
            self.cursor.step_into();
            match (self.is_at_line(), self.is_written()) {
                (true, _) => return Some("breakpoint"),
                (false, true) => return Some("data breakpoint"),
                (false, false) => {}
            }
        }
        None
    }

    /// Goes back to the breakpoint before, to the line that is about to write what is watched, or else to a step.
    fn go_back_to(&mut self, end: usize) -> Option<&'static str> {
        while self.cursor.position() > end {
            // The changes of a step are those that the step before it has made.
            let is_written = self.is_written();
            self.cursor.back_into();
            if is_written {
                return Some("data breakpoint");
            }
            if self.is_at_line() {
                return Some("breakpoint");
            }
        }
        None
    }

    /// Whether control comes to a line with a breakpoint. It is there already when it comes back from a call that the line has made.
    fn is_at_line(&self) -> bool {
        let step = self.cursor.step();
        let before = || self.execution().steps[..self.cursor.position()].iter().rev();
        let comes_back = || {
            let is_call = before().next().is_some_and(|last| last.call != step.call);
            let own = before().find(|other| other.call == step.call).filter(|_| is_call);
            own.is_some_and(|own| (own.file, own.line) == (step.file, step.line))
        };
        self.lines.contains(&(step.file, step.line)) && !comes_back()
    }

    /// Whether the line before has written what is watched.
    fn is_written(&self) -> bool {
        let is_written = |change: &Change| self.watched.iter().any(|watched| self.writes(change, watched));
        self.cursor.changes().iter().any(is_written)
    }

    fn writes(&self, change: &Change, watched: &Watched) -> bool {
        let execution = self.execution();
        match (change, watched) {
            (Change::Local(call, variable, _), Watched::Local(of, name)) => {
                call == of && variable_name(execution, *call, *variable) == Some(name)
            }
            (Change::Static(number, _), Watched::Static(name)) => {
                execution.statics.get(*number as usize).is_some_and(|known| known.name == *name)
            }
            (Change::Element(object, index, _), Watched::Part(of, name)) => object == of && index == name,
            (Change::Field(object, field, _), Watched::Part(of, name)) => {
                object == of && self.field_name(*object, *field) == Some(name)
            }
            _ => false,
        }
    }

    fn field_name(&self, object: u32, field: u32) -> Option<&str> {
        self.class_of(object)?.fields.get(field as usize).map(|field| field.name.as_str())
    }

    /// Whether the first state that is known is that of the inputs.
    fn has_beginning(&self) -> bool {
        self.execution().omitted == 0
    }

    fn execution(&self) -> &Execution {
        &self.witness.execution
    }

    /// The event that tells where the replay is now. The violation is an exception for editors.
    fn stopped(&mut self, reason: &str) -> Value {
        self.places.clear();
        let is_violation = self.cursor.position() == self.violation;
        let description = match (is_violation, self.cursor.position() == self.cursor.last()) {
            (true, _) => Some(self.witness.violation.description.clone()),
            (false, true) => Some("the end of the counterexample".into()),
            (false, false) => None,
        };
        let reason = if is_violation { "exception" } else { reason };
        json!({
            "reason": reason, "threadId": THREAD, "allThreadsStopped": true, "description": description,
            "text": description,
            // Beyond the protocol: as the page of the replay counts.
            "step": self.cursor.position() as u64 + 1 + self.execution().omitted,
        })
    }

    fn stack(&self, arguments: &Value) -> Value {
        let view = View::new(&self.cursor, Collections::Elements);
        let open = self.cursor.stack();
        let number = |name: &str| arguments[name].as_u64().and_then(|number| usize::try_from(number).ok());
        let levels = number("levels").filter(|&levels| levels > 0).unwrap_or(usize::MAX);
        let shown = open.iter().skip(number("startFrame").unwrap_or(0)).take(levels);
        let frames: Vec<Value> = shown
            .map(|open| {
                let step = open.step.and_then(|step| self.execution().steps.get(step));
                json!({
                    "id": open.call + 1, "name": view.method(open.call), "line": step.map_or(0, |step| step.line),
                    "column": step.map_or(0, |step| step.column), "source": step.map(|step| self.source_of(step.file)),
                })
            })
            .collect();
        json!({ "stackFrames": frames, "totalFrames": open.len() })
    }

    /// A file for the editor: its path if it is there and has the same text, or else a number under which its text is to be had.
    fn source_of(&self, file: u32) -> Value {
        let found = self.execution().files.get(file as usize);
        let path = found.map_or("", |file| file.path.as_str());
        let name = path.rsplit('/').next();
        let text = found.and_then(|file| file.text.as_ref());
        let is_same = |path: &PathBuf| match text {
            Some(text) => std::fs::read(path).is_ok_and(|now| now == text.as_bytes()),
            None => path.is_file(),
        };
        match std::path::absolute(path).ok().filter(is_same) {
            Some(path) => json!({ "name": name, "path": path }),
            None => json!({ "name": name, "sourceReference": file + 1 }),
        }
    }

    fn source(&self, arguments: &Value) -> Result<Value, String> {
        let number = arguments["sourceReference"].as_u64().or_else(|| arguments["source"]["sourceReference"].as_u64());
        let file = number.and_then(|number| self.execution().files.get(usize::try_from(number).ok()?.checked_sub(1)?));
        let text = file.and_then(|file| file.text.as_deref()).ok_or("the text of the file is not known")?;
        Ok(json!({ "content": text }))
    }

    /// A number for a place, under which the editor asks for what is there. A place keeps its first expression.
    fn number(&mut self, place: Place, expression: Option<&str>) -> usize {
        let known = self.places.iter().position(|(known, _)| *known == place);
        known.unwrap_or_else(|| {
            self.places.push((place, expression.map(str::to_owned)));
            self.places.len() - 1
        }) + 1
    }

    fn place(&self, arguments: &Value) -> Result<&(Place, Option<String>), String> {
        let number = arguments["variablesReference"].as_u64().and_then(|number| usize::try_from(number).ok());
        let place = number.and_then(|number| self.places.get(number.checked_sub(1)?));
        place.ok_or_else(|| "the replay has moved on".into())
    }

    fn scopes(&mut self, arguments: &Value) -> Result<Value, String> {
        let frame = arguments["frameId"].as_u64().and_then(|frame| u32::try_from(frame).ok());
        let call = frame.and_then(|frame| frame.checked_sub(1)).ok_or("there is no such frame")?;
        let mut scopes = vec![("Locals", Place::Locals(call), "locals"), ("Inputs", Place::Inputs, "arguments")];
        if !View::new(&self.cursor, Collections::Elements).statics().is_empty() {
            scopes.push(("Static fields", Place::Statics, "registers"));
        }
        let scopes = scopes.into_iter().map(|(name, place, hint)| {
            let number = self.number(place, None);
            json!({ "name": name, "variablesReference": number, "presentationHint": hint, "expensive": false })
        });
        Ok(json!({ "scopes": scopes.collect::<Vec<_>>() }))
    }

    fn rows(&self, place: Place) -> Vec<Variable> {
        let (now, first) =
            (View::new(&self.cursor, Collections::Elements), View::new(&self.entry, Collections::Elements));
        match place {
            Place::Locals(call) => now.variables(call),
            Place::Statics => now.statics(),
            Place::Object(object) => rows_of(&now, object).into_iter().map(|(_, row)| row).collect(),
            // The state at the beginning is not known, but what was passed.
            Place::Inputs if !self.has_beginning() => {
                let argument = |argument: &ArgumentDocument| Variable {
                    name: argument.name.clone(),
                    text: match argument.value.reference() {
                        Some(_) => format!("an object of type {}", argument.ty),
                        None => first.value(&argument.value, &argument.ty),
                    },
                    target: None,
                    changed: false,
                };
                self.witness.arguments.iter().map(argument).collect()
            }
            Place::Inputs => {
                let mut inputs = first.variables(self.entry.step().call);
                inputs.extend(first.statics());
                inputs
            }
            Place::InputObject(object) => rows_of(&first, object).into_iter().map(|(_, row)| row).collect(),
        }
    }

    fn variables(&mut self, arguments: &Value) -> Result<Value, String> {
        let (place, around) = self.place(arguments)?.clone();
        // Expressions are about the current values.
        let is_of_entry = matches!(place, Place::Inputs | Place::InputObject(_));
        let rows = self.rows(place);
        let inputs = self.inputs_among(place);
        let variables = rows.into_iter().map(|row| {
            let value = self.shown(&row, inputs.contains(&row.name));
            let path = match &around {
                Some(around) if row.name.parse::<u64>().is_ok() => format!("{around}[{}]", row.name),
                Some(around) => format!("{around}.{}", row.name),
                None => row.name.clone(),
            };
            let number = row.target.map_or(0, |object| match is_of_entry {
                true => self.number(Place::InputObject(object), None),
                false => self.number(Place::Object(object), Some(&path)),
            });
            let mut shown = json!({ "name": row.name, "value": value, "variablesReference": number });
            if !is_of_entry {
                shown["evaluateName"] = path.into();
            }
            shown
        });
        Ok(json!({ "variables": variables.collect::<Vec<_>>() }))
    }

    /// The variables of a place that still have the values that they had at the beginning, as nothing has been written to them.
    fn inputs_among(&self, place: Place) -> BTreeSet<String> {
        if !self.has_beginning() {
            return BTreeSet::new();
        }
        let start = self.entry.step().call;
        let view = View::new(&self.entry, Collections::Elements);
        let given = match place {
            Place::Statics => view.statics(),
            Place::Locals(call) if call == start => view.variables(start),
            _ => return BTreeSet::new(),
        };
        let mut names: BTreeSet<String> = given.into_iter().map(|row| row.name).collect();
        let execution = self.execution();
        let since = &execution.steps[self.entry.position() + 1..=self.cursor.position()];
        for change in since.iter().flat_map(|step| &step.changes) {
            match change {
                Change::Local(call, variable, _) if *call == start && place != Place::Statics => {
                    variable_name(execution, *call, *variable).map(|name| names.remove(name));
                }
                Change::Static(number, _) if place == Place::Statics => {
                    let full = execution.statics.get(*number as usize).map_or("", |known| known.name.as_str());
                    names.retain(|name| !is_short_for(name, full));
                }
                _ => {}
            }
        }
        names
    }

    /// The text of a value. Inputs are marked, also objects of the input, and what the step before has changed.
    fn shown(&self, row: &Variable, is_input: bool) -> String {
        let is_earlier = |object: u32| self.has_beginning() && self.entry.state().object(object).is_some();
        let is_input = is_input || row.target.is_some_and(is_earlier);
        let marks = [(is_input, "input"), (row.changed, "changed")];
        let marks: Vec<&str> = marks.into_iter().filter_map(|(is_marked, mark)| is_marked.then_some(mark)).collect();
        if marks.is_empty() { row.text.clone() } else { format!("{} ({})", row.text, marks.join(", ")) }
    }

    /// The value of a variable, or of a part of its object: `list.head.next`.
    fn evaluate(&mut self, arguments: &Value) -> Result<Value, String> {
        let expression = arguments["expression"].as_str().unwrap_or_default();
        let frame = arguments["frameId"].as_u64().and_then(|frame| u32::try_from(frame).ok());
        let call = frame.and_then(|frame| frame.checked_sub(1)).unwrap_or(self.cursor.step().call);
        let found = self.found(call, expression).ok_or_else(|| {
            format!("there is no `{expression}` here: expressions are variables and their parts, as in `list.head` or `a[i]`")
        })?;
        let row = found.row;
        let number = row.target.map_or(0, |object| self.number(Place::Object(object), Some(expression)));
        Ok(json!({ "result": row.text, "variablesReference": number }))
    }

    /// What an expression stands for. Where no variable has its name, it is a field of `this`, or a static field of any class.
    fn found(&self, call: u32, expression: &str) -> Option<Typed> {
        let mut path = expression.trim().to_owned();
        // Indexes are parts, too, the innermost first. They may be expressions.
        while let Some(end) = path.find(']') {
            let start = path[..end].rfind('[')?;
            let inner = path[start + 1..end].trim();
            let index = inner.parse::<u64>().ok().or_else(|| self.found(call, inner)?.row.text.parse().ok())?;
            path.replace_range(start..=end, &format!(".{index}"));
        }
        let (locals, statics) = (self.rows(Place::Locals(call)), self.rows(Place::Statics));
        // A part of a struct has the name of the variable in its own, and a static field that of its class.
        let behind = |name: &str| {
            let rest = path.strip_prefix(name)?.trim_start();
            (rest.is_empty() || rest.starts_with('.')).then(|| rest.to_owned())
        };
        let local = |row: &Variable| Typed { row: row.clone(), ty: self.type_of(call, &row.name) };
        let named_local = locals.iter().find_map(|row| Some((local(row), behind(&row.name)?)));
        let static_field = |row: &Variable| Typed { row: row.clone(), ty: None };
        let named_static = || statics.iter().find_map(|row| Some((static_field(row), behind(&row.name)?)));
        let this = locals.iter().find(|row| row.name == "this").map(local);
        let of_this = || {
            let (first, rest) = path.split_once('.').map_or((&*path, String::new()), |(a, b)| (a, format!(".{b}")));
            Some((self.part(this.as_ref()?, first.trim())?, rest))
        };
        let of_class = || {
            let classes = self.classes_around(call, this.as_ref());
            // The classes around the code come first, the nearest before others.
            let rank = |row: &Variable| {
                let class = self.execution().statics.iter().find(|known| is_short_for(&row.name, &known.name))?;
                classes.iter().position(|around| class.class.as_ref() == Some(around))
            };
            let simple = |row: &Variable| row.name.rsplit('.').next().and_then(behind);
            let meant = statics.iter().filter_map(|row| Some((row, simple(row)?)));
            let (row, rest) = meant.min_by_key(|(row, _)| rank(row).unwrap_or(usize::MAX))?;
            Some((static_field(row), rest))
        };
        let (mut found, rest) = named_local.or_else(named_static).or_else(of_this).or_else(of_class)?;
        for name in rest.split('.').skip(1) {
            found = self.part(&found, name.trim())?;
        }
        Some(found)
    }

    /// The type that the source gives a variable of a call.
    fn type_of(&self, call: u32, name: &str) -> Option<String> {
        let variables = &method_of(self.execution(), call)?.variables;
        // Variables of different blocks can have one name.
        let mut types = variables.iter().filter(|variable| variable.name == name).map(|variable| &variable.ty);
        let ty = types.next()?;
        types.all(|other| other == ty).then(|| ty.clone())
    }

    /// The classes whose static fields have simple names in a call: its own, those that this inherits fields of, and those around it.
    fn classes_around(&self, call: u32, this: Option<&Typed>) -> Vec<String> {
        let method = method_of(self.execution(), call);
        let own = method.and_then(|method| method.name.rsplit_once('.')).map_or("", |(class, _)| class);
        let mut classes = vec![own.to_owned()];
        if let Some(this) = this {
            let shape = this.row.target.and_then(|object| self.class_of(object));
            let fields = shape.map_or(&[][..], |shape| self.visible_fields(shape, this.ty.as_deref()));
            classes.extend(fields.iter().rev().map(|field| field.class.clone()));
        }
        classes.extend(own.rmatch_indices(['$', '+', '.', '/']).map(|(end, _)| own[..end].to_owned()));
        classes
    }

    fn class_of(&self, object: u32) -> Option<&ClassShape> {
        let Content::Instance { class, .. } = self.cursor.state().object(object)?.content() else { return None };
        self.execution().classes.get(*class as usize)
    }

    /// The fields of a class that expressions of a declared type can name: none of classes that inherit from that type.
    fn visible_fields<'s>(&self, shape: &'s ClassShape, ty: Option<&str>) -> &'s [FieldShape] {
        let Some(ty) = ty else { return &shape.fields };
        let declared = self.execution().classes.iter().find(|class| class.name == ty);
        let last = shape.fields.iter().rposition(|field| field.class == ty).map(|last| last + 1);
        // Inherited fields come first.
        let count = last.or_else(|| declared.map(|declared| declared.fields.len()));
        count.and_then(|count| shape.fields.get(..count)).unwrap_or(&shape.fields)
    }

    /// A field or an element of the object to which a variable refers, or the length of an array.
    fn part(&self, of: &Typed, name: &str) -> Option<Typed> {
        let object = of.row.target?;
        let view = View::new(&self.cursor, Collections::Elements);
        let fields = view.fields(object);
        // The elements of a collection come before the fields that it consists of.
        let shown = rows_of(&view, object).into_iter().map(|(_, row)| row);
        let shown: Vec<Variable> = shown.filter(|row| row.name == name).collect();
        let field = || {
            let visible = self.visible_fields(self.class_of(object)?, of.ty.as_deref());
            let at = visible.iter().rposition(|field| field.name == name)?;
            Some(Typed { row: fields.get(at)?.clone(), ty: Some(visible[at].ty.clone()) })
        };
        let is_field = shown.iter().all(|row| fields.contains(row));
        let content = self.cursor.state().object(object)?.content();
        let ty = match content {
            Content::Array { element, .. } => Some(element.clone()),
            _ => None,
        };
        let found = if is_field { field() } else { None };
        let found = found.or_else(|| Some(Typed { row: shown.first()?.clone(), ty }));
        found.or_else(|| match content {
            Content::Array { length, .. } if matches!(name, "length" | "Length") => {
                let row = Variable { name: name.into(), text: length.clone(), target: None, changed: false };
                Some(Typed { row, ty: None })
            }
            _ => None,
        })
    }

    fn set_breakpoints(&mut self, arguments: &Value) -> Value {
        let path = arguments["source"]["path"].as_str().unwrap_or_default();
        let reference = arguments["source"]["sourceReference"].as_u64();
        let file = self.execution().files.iter().zip(0..).find_map(|(file, number): (_, u32)| {
            let is_it = match reference {
                Some(reference) if reference > 0 => reference == u64::from(number) + 1,
                _ => is_same_file(Path::new(&file.path), Path::new(path)),
            };
            is_it.then_some(number)
        });
        self.lines.retain(|&(known, _)| Some(known) != file);
        let wanted = arguments["breakpoints"].as_array().into_iter().flatten();
        let set: Vec<Value> = wanted
            .filter_map(|point| Some((point, u32::try_from(point["line"].as_u64()?).ok()?)))
            .map(|(point, line)| {
                let conditions = ["condition", "hitCondition", "logMessage"];
                if let Some(unknown) = conditions.iter().find(|name| point[**name].as_str().is_some_and(|it| !it.is_empty())) {
                    return json!({ "verified": false, "line": line, "message": format!("a replay does not know `{unknown}`") });
                }
                let steps = &self.witness.execution.steps;
                let is_passed =
                    file.is_some_and(|file| steps.iter().any(|step| (step.file, step.line) == (file, line)));
                if let (Some(file), true) = (file, is_passed) {
                    self.lines.insert((file, line));
                    return json!({ "verified": true, "line": line });
                }
                json!({ "verified": false, "line": line, "message": "the counterexample does not get to this line" })
            })
            .collect();
        json!({ "breakpoints": set })
    }

    /// Whether writes of a variable can be looked for, and by which name.
    fn watchable(&self, arguments: &Value) -> Value {
        let name = arguments["name"].as_str().unwrap_or_default();
        let holder = |object: u32| match self.cursor.state().object(object).map(|found| found.content()) {
            Some(Content::Array { .. }) => name.parse::<u64>().is_ok().then_some(object),
            // Elements of collections are parts of other objects.
            _ => {
                let rows = rows_of(&View::new(&self.cursor, Collections::Fields), object);
                rows.into_iter().find_map(|(holder, row)| (row.name == name).then_some(holder))
            }
        };
        let id = match self.place(arguments).map(|(place, _)| *place) {
            Ok(Place::Locals(call)) => self.has_variable(call, name).then(|| format!("local {call} {name}")),
            Ok(Place::Statics) => self.static_name(name).map(|name| format!("static {name}")),
            Ok(Place::Object(object)) => holder(object).map(|holder| format!("part {holder} {name}")),
            Ok(Place::Inputs | Place::InputObject(_)) | Err(_) => None,
        };
        let description =
            if id.is_some() { format!("writes of {name}") } else { format!("writes of {name} cannot be found") };
        json!({ "dataId": id, "description": description, "accessTypes": ["write"] })
    }

    fn has_variable(&self, call: u32, name: &str) -> bool {
        method_of(self.execution(), call)
            .is_some_and(|shape| shape.variables.iter().any(|variable| variable.name == name))
    }

    /// The full name of a static field that is shown under a short one.
    fn static_name(&self, shown: &str) -> Option<&str> {
        let mut names = self.execution().statics.iter().map(|known| known.name.as_str());
        names.find(|full| is_short_for(shown, full))
    }

    fn set_watched(&mut self, arguments: &Value) -> Value {
        let watched = |point: &Value| -> Option<Watched> {
            let (kind, rest) = point["dataId"].as_str()?.split_once(' ')?;
            if kind == "static" {
                return Some(Watched::Static(rest.into()));
            }
            let (number, name) = rest.split_once(' ')?;
            let number = number.parse().ok()?;
            match kind {
                "local" => Some(Watched::Local(number, name.into())),
                "part" => Some(Watched::Part(number, name.into())),
                _ => None,
            }
        };
        let found: Vec<Option<Watched>> =
            arguments["breakpoints"].as_array().map_or_else(Vec::new, |points| points.iter().map(watched).collect());
        let body = json!({
            "breakpoints": found.iter().map(|found| json!({ "verified": found.is_some() })).collect::<Vec<_>>(),
        });
        self.watched = found.into_iter().flatten().collect();
        body
    }
}

/// What is shown of an object, each with the object that has it. The variables that functions capture are in an object for each scope, which are
/// shown as one.
fn rows_of(view: &View<'_>, object: u32) -> Vec<(u32, Variable)> {
    let (mut rows, mut seen, mut next) = (Vec::new(), BTreeSet::new(), Some(object));
    while let Some(at) = next.take().filter(|&at| seen.insert(at)) {
        for row in view.rows(at) {
            match row.name.starts_with(SCOPE) {
                true => next = row.target,
                false => rows.push((at, row)),
            }
        }
    }
    rows
}

fn method_of(execution: &Execution, call: u32) -> Option<&MethodShape> {
    let call = execution.calls.get(call as usize)?;
    execution.methods.get(call.method as usize)
}

fn variable_name(execution: &Execution, call: u32, variable: u32) -> Option<&str> {
    let variables = &method_of(execution, call)?.variables;
    variables.get(variable as usize).map(|variable| variable.name.as_str())
}

/// Whether a name is the end of a full one.
fn is_short_for(name: &str, full: &str) -> bool {
    full.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Whether a path of the execution and one of the editor name the same file. Class files know only the end of a path.
fn is_same_file(own: &Path, asked: &Path) -> bool {
    let canonical = |path: &Path| path.canonicalize().ok();
    match (canonical(own), canonical(asked)) {
        (Some(own), Some(asked)) => own == asked,
        _ => asked.ends_with(own),
    }
}
