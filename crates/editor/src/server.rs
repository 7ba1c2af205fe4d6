//! Reads messages of the editor, and answers them as soon as the threads that work for it tell something.

use crate::actions::{CHECK, NULL, REACH, REPLAY, code_actions, code_lenses};
use crate::beginning::{Abilities, Options, capabilities, folders};
use crate::convert::{SOURCE, diagnostic, message, path_of, range, uri_of};
use crate::program::{Commands, Language, Ready, Unanswered, program_of};
use crate::question::{self, Answer, Asked, Running, Spot, Stopped};
use crate::survey::{Plan, Survey, Told};
use aback_report::{PlaceDocument, ViolationDocument};
use aback_scan::{Asks, Effort, Settings};
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidChangeWorkspaceFolders, DidCloseTextDocument, DidOpenTextDocument,
    DidSaveTextDocument, LogMessage, Notification as _, Progress, PublishDiagnostics, ShowMessage,
    WorkDoneProgressCancel,
};
use lsp_types::request::{
    CodeActionRequest, CodeLensRequest, ExecuteCommand, Request as _, ShowDocument, WorkDoneProgressCreate,
};
use lsp_types::{
    CodeActionParams, CodeLensParams, Diagnostic, DiagnosticSeverity, DidChangeTextDocumentParams,
    DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
    ExecuteCommandParams, InitializeParams, LogMessageParams, MessageType, NumberOrString, ProgressParams,
    ProgressParamsValue, PublishDiagnosticsParams, ShowDocumentParams, ShowMessageParams, Uri, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressCancelParams, WorkDoneProgressCreateParams, WorkDoneProgressEnd,
    WorkDoneProgressReport,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Time between two reports of the progress of a question.
const TICK: Duration = Duration::from_secs(1);
/// The code for a request that failed, which the protocol has and the library has not.
const REQUEST_FAILED: i32 = -32803;

/// The reason why the server ends before the editor asks it to.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The editor does not keep to the protocol.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// What the editor says about itself cannot be understood.
    #[error("the editor's first message cannot be understood: {0}")]
    Initialize(#[from] serde_json::Error),
    /// There is no folder for answers.
    #[error("cannot make a temporary folder: {0}")]
    Folder(#[from] std::io::Error),
}

/// Something that a thread tells.
enum Event {
    Answered { ticket: u64, result: Result<Answer, Unanswered> },
    Survey(Told),
    Page { request: RequestId, result: Result<PathBuf, String> },
}

/// A document that is open.
struct Document {
    text: String,
    language: Option<Language>,
}

/// A question that an editor waits for.
struct Pending {
    request: RequestId,
    asks: Asks,
    spot: Spot,
    running: Running,
    progress: Option<NumberOrString>,
}

/// Serves an editor until it asks for the end, or is gone.
///
/// # Errors
/// The editor does not keep to the protocol.
pub fn serve(connection: &Connection, commands: Commands) -> Result<(), ServeError> {
    let (id, params) = connection.initialize_start()?;
    let params: InitializeParams = serde_json::from_value(params)?;
    let info = json!({ "name": "aback", "version": env!("CARGO_PKG_VERSION") });
    connection.initialize_finish(id, json!({ "capabilities": capabilities(), "serverInfo": info }))?;
    let (sender, events) = unbounded();
    let mut server = Server {
        connection,
        commands,
        options: Options::of(&params),
        abilities: Abilities::of(&params),
        folders: folders(&params),
        documents: HashMap::new(),
        pending: BTreeMap::new(),
        tickets: 0,
        ready: HashMap::new(),
        surveys: HashMap::new(),
        answers: HashMap::new(),
        found: HashMap::new(),
        answered: HashMap::new(),
        sender,
        folder: TempDir::with_prefix("aback-editor-")?,
    };
    server.run(&events)
}

struct Server<'c> {
    connection: &'c Connection,
    commands: Commands,
    options: Options,
    abilities: Abilities,
    folders: Vec<PathBuf>,
    /// The open documents, by their URIs.
    documents: HashMap<String, Document>,
    /// The questions without answers yet, by their tickets.
    pending: BTreeMap<u64, Pending>,
    tickets: u64,
    /// The workers for questions, by program.
    ready: HashMap<PathBuf, Ready>,
    surveys: HashMap<PathBuf, Survey>,
    /// The folders with the answers of surveys, by program.
    answers: HashMap<PathBuf, PathBuf>,
    /// What surveys have found: by program, then by URI.
    found: HashMap<PathBuf, HashMap<String, Vec<Diagnostic>>>,
    /// The answers to questions, by URI.
    answered: HashMap<String, Vec<Diagnostic>>,
    sender: Sender<Event>,
    /// The folder for witnesses, pages and the answers of surveys.
    folder: TempDir,
}

impl Server<'_> {
    fn run(&mut self, events: &Receiver<Event>) -> Result<(), ServeError> {
        loop {
            select! {
                recv(self.connection.receiver) -> message => match message {
                    Ok(Message::Request(request)) => {
                        if request.method == "shutdown" {
                            self.stop();
                        }
                        if self.connection.handle_shutdown(&request)? {
                            return Ok(());
                        }
                        self.request(request);
                    }
                    Ok(Message::Notification(notification)) => self.notification(notification),
                    Ok(Message::Response(_)) => {}
                    // The editor is gone.
                    Err(_) => {
                        self.stop();
                        return Ok(());
                    }
                },
                recv(events) -> event => if let Ok(event) = event {
                    self.event(event);
                },
                default(TICK) => self.report_progress(),
            }
        }
    }

    /// Ends all work.
    fn stop(&mut self) {
        for pending in self.pending.values_mut() {
            pending.running.stop(Stopped::Cancelled);
        }
        self.surveys.clear();
        self.ready.values().for_each(Ready::outdate);
    }

    fn send(&self, message: Message) {
        // An error means that the editor is gone, which the next read tells.
        let _ = self.connection.sender.send(message);
    }

    fn notify<N: lsp_types::notification::Notification>(&self, params: N::Params) {
        self.send(Notification::new(N::METHOD.into(), params).into());
    }

    /// Asks the editor for something whose result does not matter.
    fn ask_editor<R: lsp_types::request::Request>(&mut self, params: R::Params) {
        self.tickets += 1;
        let id = RequestId::from(format!("aback-{}", self.tickets));
        self.send(Request::new(id, R::METHOD.into(), params).into());
    }

    fn respond(&self, request: RequestId, result: Value) {
        self.send(Response::new_ok(request, result).into());
    }

    fn fail(&self, request: RequestId, code: i32, reason: impl Into<String>) {
        self.send(Response::new_err(request, code, reason.into()).into());
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        match request.method.as_str() {
            CodeActionRequest::METHOD => self.with(request, |server, id, params: CodeActionParams| {
                let uri = params.text_document.uri;
                let document = server.documents.get(uri.as_str());
                let text = document.map(|document| document.text.as_str());
                let is_known = path_of(&uri).is_some_and(|path| Language::of(&path).is_some());
                let actions = match is_known {
                    true => code_actions(&uri, params.range.start, &params.context.diagnostics, text),
                    false => Vec::new(),
                };
                server.respond(id, json!(actions));
            }),
            CodeLensRequest::METHOD => self.with(request, |server, id, params: CodeLensParams| {
                let uri = params.text_document.uri;
                let lenses = server
                    .documents
                    .get(uri.as_str())
                    .and_then(|document| Some(code_lenses(&uri, document.language?, &document.text)));
                server.respond(id, json!(lenses.unwrap_or_default()));
            }),
            ExecuteCommand::METHOD => self.with(request, Server::execute),
            method => {
                let code = ErrorCode::MethodNotFound as i32;
                self.fail(id, code, format!("aback does not know the request {method}"));
            }
        }
    }

    /// Runs an action with the parameters of a request, or says what is wrong with them.
    fn with<P: DeserializeOwned>(&mut self, request: Request, act: impl FnOnce(&mut Self, RequestId, P)) {
        match serde_json::from_value(request.params) {
            Ok(params) => act(self, request.id, params),
            Err(error) => self.fail(request.id, ErrorCode::InvalidParams as i32, error.to_string()),
        }
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            DidOpenTextDocument::METHOD => self.note(params, |server, params: DidOpenTextDocumentParams| {
                let document = params.text_document;
                let language = path_of(&document.uri).as_deref().and_then(Language::of);
                server.documents.insert(document.uri.as_str().into(), Document { text: document.text, language });
                server.opened(&document.uri);
            }),
            DidChangeTextDocument::METHOD => self.note(params, |server, params: DidChangeTextDocumentParams| {
                let uri = params.text_document.uri;
                if let (Some(document), Some(change)) =
                    (server.documents.get_mut(uri.as_str()), params.content_changes.into_iter().next_back())
                {
                    document.text = change.text;
                }
                server.changed(&uri);
            }),
            DidSaveTextDocument::METHOD => self.note(params, |server, params: DidSaveTextDocumentParams| {
                server.saved(&params.text_document.uri);
            }),
            DidCloseTextDocument::METHOD => self.note(params, |server, params: DidCloseTextDocumentParams| {
                server.documents.remove(params.text_document.uri.as_str());
                server.answered.remove(params.text_document.uri.as_str());
                server.publish(params.text_document.uri.as_str());
            }),
            DidChangeWorkspaceFolders::METHOD => {
                self.note(params, |server, params: DidChangeWorkspaceFoldersParams| {
                    let gone: Vec<PathBuf> =
                        params.event.removed.iter().filter_map(|folder| path_of(&folder.uri)).collect();
                    server.folders.retain(|folder| !gone.contains(folder));
                    server.folders.extend(params.event.added.iter().filter_map(|folder| path_of(&folder.uri)));
                    for program in gone {
                        server.surveys.remove(&program);
                        server.ready.remove(&program);
                        server.show_findings(&program, HashMap::new());
                    }
                })
            }
            Cancel::METHOD => self.note(params, |server, params: lsp_types::CancelParams| {
                let id = match params.id {
                    NumberOrString::Number(number) => RequestId::from(number),
                    NumberOrString::String(text) => RequestId::from(text),
                };
                server.cancel(|pending| pending.request == id);
            }),
            WorkDoneProgressCancel::METHOD => self.note(params, |server, params: WorkDoneProgressCancelParams| {
                server.cancel(|pending| pending.progress.as_ref() == Some(&params.token));
            }),
            _ => {}
        }
    }

    /// Runs an action with the parameters of a notification. Those that cannot be understood have no effect.
    fn note<P: DeserializeOwned>(&mut self, params: Value, act: impl FnOnce(&mut Self, P)) {
        match serde_json::from_value(params) {
            Ok(params) => act(self, params),
            Err(error) => self.log(&format!("a message of the editor cannot be understood: {error}")),
        }
    }

    fn log(&self, text: &str) {
        self.notify::<LogMessage>(LogMessageParams { typ: MessageType::LOG, message: text.into() });
    }

    fn cancel(&mut self, is_meant: impl Fn(&Pending) -> bool) {
        for pending in self.pending.values_mut().filter(|pending| is_meant(pending)) {
            pending.running.stop(Stopped::Cancelled);
        }
    }

    /// The program of a document.
    fn program(&self, uri: &Uri) -> Option<(PathBuf, PathBuf)> {
        let file = path_of(uri)?;
        let program = program_of(&file, &self.folders)?;
        Some((file, program))
    }

    fn opened(&mut self, uri: &Uri) {
        let Some((_, program)) = self.program(uri) else { return };
        if self.options.findings && !self.surveys.contains_key(&program) {
            self.survey(&program);
        }
    }

    fn changed(&mut self, uri: &Uri) {
        let Some((_, program)) = self.program(uri) else { return };
        self.outdate(&program);
        if self.answered.remove(uri.as_str()).is_some() {
            self.publish(uri.as_str());
        }
    }

    fn saved(&mut self, uri: &Uri) {
        let Some((_, program)) = self.program(uri) else { return };
        self.outdate(&program);
        if let Some(ready) = self.ready.get(&program) {
            ready.outdate();
        }
        if self.options.findings {
            self.survey(&program);
        }
    }

    fn outdate(&mut self, program: &Path) {
        for pending in self.pending.values_mut().filter(|pending| pending.running.program == program) {
            pending.running.stop(Stopped::OutOfDate);
        }
    }

    /// Looks for everything that can fail in a program.
    fn survey(&mut self, program: &Path) {
        let options: Vec<String> = self.options.of_workers().iter().map(ToString::to_string).collect();
        let (worker, own, path) = (Arc::clone(&self.commands.worker), self.options.of_workers(), program.to_path_buf());
        let next = self.folder.path().join(format!("survey-{}", self.answers.len()));
        let answers = self.answers.entry(program.to_path_buf()).or_insert(next).clone();
        let limit = Duration::try_from_secs_f64(self.options.timeout).unwrap_or(Duration::MAX);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let plan = Plan {
            program: program.to_path_buf(),
            folder: answers,
            settings: Settings { aback: env!("CARGO_PKG_VERSION").into(), options, files: String::new() },
            effort: Effort {
                timeout: limit,
                budget: Duration::try_from_secs_f64(self.options.budget).ok(),
                violations: self.options.paths.max(1),
                confirmation: None,
                // The editor and its other servers need the rest.
                jobs: (cores / 2).max(1),
            },
            command: Box::new(move || worker(&path, &own)),
            first: self.documents.keys().filter_map(|uri| path_of(&uri.parse().ok()?)).collect(),
            trusts: self.options.trust,
        };
        let earlier = self.surveys.remove(program);
        let sender = self.sender.clone();
        let survey = Survey::start(plan, earlier, move |told| _ = sender.send(Event::Survey(told)));
        self.surveys.insert(program.to_path_buf(), survey);
    }

    fn execute(&mut self, request: RequestId, params: ExecuteCommandParams) {
        let asks: fn(&Spot) -> Asks = match params.command.as_str() {
            REACH => |_| Asks::Reach,
            CHECK => |_| Asks::Violation,
            NULL => |spot| Asks::Null { column: spot.column },
            REPLAY => return self.replay(request, params.arguments),
            other => {
                let code = ErrorCode::InvalidParams as i32;
                return self.fail(request, code, format!("aback has no command {other}"));
            }
        };
        let spot: Result<Spot, _> = serde_json::from_value(params.arguments.into_iter().next().unwrap_or_default());
        let spot = match spot {
            Ok(spot) => spot,
            Err(error) => return self.fail(request, ErrorCode::InvalidParams as i32, error.to_string()),
        };
        let asks = asks(&spot);
        let Some((file, program)) = self.program(&spot.uri) else {
            let reason = "aback answers questions about saved files in Java, C# and OOX";
            return self.fail(request, ErrorCode::InvalidParams as i32, reason);
        };
        self.tickets += 1;
        let ticket = self.tickets;
        let asked = Asked {
            asks,
            file,
            line: spot.line,
            limit: Duration::try_from_secs_f64(self.options.timeout).unwrap_or(Duration::MAX),
            paths: self.options.paths.max(1),
        };
        let (worker, options, path) = (Arc::clone(&self.commands.worker), self.options.of_workers(), program.clone());
        let command = move || worker(&path, &options);
        let ready = self.ready.entry(program.clone()).or_default().clone();
        let sender = self.sender.clone();
        let tell = move |result| _ = sender.send(Event::Answered { ticket, result });
        let running = question::start(asked, program, command, ready, self.folder.path(), tell);
        let progress = params.work_done_progress_params.work_done_token.or_else(|| {
            self.abilities.progress.then(|| {
                let token = NumberOrString::String(format!("aback-{ticket}"));
                self.ask_editor::<WorkDoneProgressCreate>(WorkDoneProgressCreateParams { token: token.clone() });
                token
            })
        });
        if let Some(token) = &progress {
            let name = Path::new(spot.uri.as_str()).file_name().unwrap_or_default().to_string_lossy().into_owned();
            let begin = WorkDoneProgressBegin {
                title: format!("aback: {} {name}:{}", title(asks), spot.line),
                cancellable: Some(true),
                message: None,
                percentage: Some(0),
            };
            self.progress(token, WorkDoneProgress::Begin(begin));
        }
        self.pending.insert(ticket, Pending { request, asks, spot, running, progress });
    }

    fn progress(&self, token: &NumberOrString, value: WorkDoneProgress) {
        let value = ProgressParamsValue::WorkDone(value);
        self.notify::<Progress>(ProgressParams { token: token.clone(), value });
    }

    fn report_progress(&self) {
        for pending in self.pending.values() {
            let Some(token) = &pending.progress else { continue };
            let (spent, limit) = (pending.running.started.elapsed(), pending.running.limit);
            let percentage = (100 * spent.as_millis() / limit.as_millis().max(1)).min(100);
            let report = WorkDoneProgressReport {
                cancellable: Some(true),
                message: Some(format!("{} s of {} s", spent.as_secs(), limit.as_secs())),
                percentage: u32::try_from(percentage).ok(),
            };
            self.progress(token, WorkDoneProgress::Report(report));
        }
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Answered { ticket, result } => {
                if let Some(pending) = self.pending.remove(&ticket) {
                    self.answer(pending, result);
                }
            }
            Event::Survey(Told::Found { program, violations, is_complete }) => {
                let file = |place: &PlaceDocument| file_of(&program, place);
                let mut diagnostics: HashMap<String, Vec<Diagnostic>> = HashMap::new();
                for finding in &violations {
                    let Some(uri) = file(&finding.violation.place).and_then(|path| uri_of(&path)) else { continue };
                    let shown = diagnostic(&finding.violation, DiagnosticSeverity::WARNING, &file);
                    diagnostics.entry(uri.as_str().into()).or_default().push(shown);
                }
                self.show_findings(&program, diagnostics);
                if is_complete {
                    let count = violations.len();
                    self.log(&format!("{}: all entry points were asked, {count} findings", program.display()));
                }
            }
            Event::Survey(Told::Failed { program, reason }) => {
                self.log(&format!("{}: {reason}", program.display()));
            }
            Event::Page { request, result } => match result.map(|page| uri_of(&page)) {
                Ok(Some(uri)) => {
                    self.respond(request, json!({ "page": uri }));
                    if self.abilities.shows_documents {
                        self.ask_editor::<ShowDocument>(ShowDocumentParams {
                            uri,
                            external: Some(true),
                            take_focus: Some(true),
                            selection: None,
                        });
                    }
                }
                Ok(None) => self.fail(request, REQUEST_FAILED, "the page has no URI"),
                Err(reason) => self.fail(request, REQUEST_FAILED, reason),
            },
        }
    }

    fn answer(&mut self, pending: Pending, result: Result<Answer, Unanswered>) {
        let Pending { request, asks, spot, running, progress } = pending;
        let name = path_of(&spot.uri).as_deref().map(name_of).unwrap_or_default();
        let said = match (&running.stopped, &result) {
            (Some(Stopped::Cancelled), _) => Err((ErrorCode::RequestCanceled as i32, "cancelled".to_string())),
            (Some(Stopped::OutOfDate), _) => Err((
                ErrorCode::ContentModified as i32,
                "the program has changed, so that the answer is out of date".into(),
            )),
            (None, Err(reason)) => Err((REQUEST_FAILED, reason.to_string())),
            (None, Ok(answer)) if answer.said == "error" => Err((REQUEST_FAILED, answer.reason.clone())),
            (None, Ok(answer)) => Ok(answer),
        };
        if let Some(token) = &progress {
            let message = match &said {
                Ok(answer) => answer.said.clone(),
                Err((_, reason)) => reason.clone(),
            };
            self.progress(token, WorkDoneProgress::End(WorkDoneProgressEnd { message: Some(message) }));
        }
        let answer = match said {
            Ok(answer) => answer,
            Err((code, reason)) => {
                if self.options.messages && running.stopped.is_none() {
                    self.show(MessageType::ERROR, format!("{name}:{}: {reason}", spot.line));
                }
                return self.fail(request, code, reason);
            }
        };
        let file = |place: &PlaceDocument| file_of(&running.program, place);
        let diagnostics = diagnostics_of(asks, &spot, answer, &file);
        self.answered
            .entry(spot.uri.as_str().into())
            .or_default()
            .retain(|known| known.range.start.line + 1 != spot.line);
        self.answered.entry(spot.uri.as_str().into()).or_default().extend(diagnostics);
        self.publish(spot.uri.as_str());
        if self.options.messages {
            self.show(MessageType::INFO, format!("{name}:{}: {}", spot.line, one_line(answer)));
        }
        self.respond(request, json!(answer));
    }

    fn show(&self, typ: MessageType, message: String) {
        self.notify::<ShowMessage>(ShowMessageParams { typ, message });
    }

    /// Writes the page with the replay of a witness.
    fn replay(&mut self, request: RequestId, arguments: Vec<Value>) {
        let witness = match arguments.first() {
            Some(Value::String(path)) => Some(PathBuf::from(path)),
            Some(given) => given["witness"].as_str().map(PathBuf::from),
            None => None,
        };
        let Some(witness) = witness else {
            return self.fail(request, ErrorCode::InvalidParams as i32, "the command takes the path of a witness");
        };
        let page = witness.with_extension("html");
        let mut command = (self.commands.page)(&witness, &page);
        let sender = self.sender.clone();
        std::thread::spawn(move || {
            let result = match command.stdin(std::process::Stdio::null()).output() {
                Ok(output) if output.status.success() => Ok(page),
                Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_string()),
                Err(error) => Err(error.to_string()),
            };
            let _ = sender.send(Event::Page { request, result });
        });
    }

    /// Shows these findings of a program in place of those that were shown before.
    fn show_findings(&mut self, program: &Path, diagnostics: HashMap<String, Vec<Diagnostic>>) {
        let mut changed: Vec<String> = diagnostics.keys().cloned().collect();
        if let Some(before) = self.found.insert(program.to_path_buf(), diagnostics) {
            changed.extend(before.into_keys());
        }
        changed.sort();
        changed.dedup();
        for uri in changed {
            self.publish(&uri);
        }
    }

    /// Shows all that is known about a document.
    fn publish(&self, uri: &str) {
        let Ok(parsed) = uri.parse() else { return };
        let found = self.found.values().filter_map(|by_uri| by_uri.get(uri)).flatten();
        let answered = self.answered.get(uri).into_iter().flatten();
        let diagnostics = found.chain(answered).cloned().collect();
        self.notify::<PublishDiagnostics>(PublishDiagnosticsParams { uri: parsed, diagnostics, version: None });
    }
}

fn title(asks: Asks) -> &'static str {
    match asks {
        Asks::Violation => "what can fail at",
        Asks::Reach => "what reaches",
        Asks::Null { .. } => "what can be null at",
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The answer in one line.
fn one_line(answer: &Answer) -> String {
    let detail = match answer.paths.first() {
        Some(path) => message(&path.violation).split_whitespace().collect::<Vec<_>>().join(" "),
        None => answer.reason.clone(),
    };
    if detail.is_empty() { answer.said.clone() } else { format!("{}: {detail}", answer.said) }
}

/// The answer as diagnostics: one for each path, or one that says why there is none.
fn diagnostics_of(
    asks: Asks,
    spot: &Spot,
    answer: &Answer,
    file: &dyn Fn(&PlaceDocument) -> Option<PathBuf>,
) -> Vec<Diagnostic> {
    let severity = match asks {
        Asks::Reach => DiagnosticSeverity::INFORMATION,
        Asks::Violation | Asks::Null { .. } => DiagnosticSeverity::WARNING,
    };
    if let [_, ..] = answer.paths[..] {
        let shown = |violation: &ViolationDocument| diagnostic(violation, severity, file);
        return answer.paths.iter().map(|path| shown(&path.violation)).collect();
    }
    let place = PlaceDocument { file: String::new(), line: spot.line, column: 0, length: 0 };
    vec![Diagnostic {
        range: range(&place),
        severity: Some(DiagnosticSeverity::HINT),
        source: Some(SOURCE.into()),
        message: one_line(answer),
        ..Diagnostic::default()
    }]
}

/// The file of a place in a program. Class files name their sources without the folders above the packages.
fn file_of(program: &Path, place: &PlaceDocument) -> Option<PathBuf> {
    let named = Path::new(&place.file);
    let candidates = [named.to_path_buf(), program.join(named)];
    candidates.into_iter().find(|path| path.is_absolute() && path.is_file())
}
