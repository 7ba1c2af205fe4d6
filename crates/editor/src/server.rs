//! Reads messages of the editor, and answers them as soon as the threads that work for it tell something.

use crate::actions::{BACK, CHECK, NULL, REACH, REPLAY, TEST, code_actions, code_lenses};
use crate::beginning::{Abilities, Options, capabilities, folders};
use crate::convert::{Files, characters, diagnostic, diagnostics_of, name_of, one_line, path_of, title, uri_of};
use crate::program::{Commands, Language, Program, Ready, Unanswered};
use crate::question::{self, Answer, Asked, Running, Spot, Stopped, TrailSpot, Turns};
use crate::shown::{AnsweredLine, Shown};
use crate::survey::{Plan, Survey, Told};
use crate::unit_test;
use aback_scan::{Asks, Effort, Settings};
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidChangeWatchedFiles, DidChangeWorkspaceFolders, DidCloseTextDocument,
    DidOpenTextDocument, DidSaveTextDocument, Exit, LogMessage, Notification as _, Progress, PublishDiagnostics,
    ShowMessage, WorkDoneProgressCancel,
};
use lsp_types::request::{
    ApplyWorkspaceEdit, CodeActionRequest, CodeLensRequest, ExecuteCommand, RegisterCapability, Request as _,
    ShowDocument, Shutdown, WorkDoneProgressCreate,
};
use lsp_types::{
    ApplyWorkspaceEditParams, CodeActionParams, CodeLensParams, Diagnostic, DiagnosticSeverity,
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams, ExecuteCommandParams,
    InitializeParams, LogMessageParams, MessageType, NumberOrString, ProgressParams, ProgressParamsValue,
    PublishDiagnosticsParams, Registration, RegistrationParams, ShowDocumentParams, ShowMessageParams, Uri,
    WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressCancelParams, WorkDoneProgressCreateParams,
    WorkDoneProgressEnd, WorkDoneProgressReport,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
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
    /// Whether there was no change since it was opened or saved.
    is_saved: bool,
}

/// A unit test for a path, as clients name it.
#[derive(Deserialize)]
struct TestSpot {
    /// The file with the test.
    test: PathBuf,
    /// The document that it is about.
    uri: Uri,
}

/// A question that an editor waits for.
struct Pending {
    request: RequestId,
    asks: Asks,
    spot: Spot,
    running: Running,
    progress: Option<NumberOrString>,
    /// Whether the answer is shown at the line.
    is_shown: bool,
}

/// A file that the editor makes.
struct Making {
    request: RequestId,
    file: PathBuf,
}

/// Serves an editor until it asks for the end, or is gone.
///
/// # Errors
/// The editor does not keep to the protocol.
pub fn serve(connection: &Connection, commands: Commands) -> Result<(), ServeError> {
    let (id, params) = connection.initialize_start()?;
    let params: InitializeParams = match serde_json::from_value(params) {
        Ok(params) => params,
        Err(error) => {
            let response = Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string());
            let _ = connection.sender.send(response.into());
            return Err(error.into());
        }
    };
    let info = json!({ "name": "aback", "version": env!("CARGO_PKG_VERSION") });
    connection.initialize_finish(id, json!({ "capabilities": capabilities(), "serverInfo": info }))?;
    let (sender, events) = unbounded();
    let (options, wrong) = Options::of(&params);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut server = Server {
        connection,
        commands,
        options,
        abilities: Abilities::of(&params),
        folders: folders(&params),
        documents: HashMap::new(),
        pending: BTreeMap::new(),
        tickets: 0,
        ready: HashMap::new(),
        surveys: HashMap::new(),
        answers: HashMap::new(),
        shown: Shown::default(),
        making: HashMap::new(),
        sender,
        turns: Turns::new(cores.max(2)),
        folder: TempDir::with_prefix("aback-editor-")?,
    };
    for text in wrong {
        server.log(&text);
    }
    server.watch_files();
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
    ready: HashMap<Program, Ready>,
    surveys: HashMap<Program, Survey>,
    /// The folders with the answers of surveys, by program.
    answers: HashMap<Program, PathBuf>,
    shown: Shown,
    /// The files that the editor was asked to make, by the requests for them.
    making: HashMap<RequestId, Making>,
    sender: Sender<Event>,
    turns: Turns,
    /// The folder for witnesses, pages and the answers of surveys.
    folder: TempDir,
}

impl Server<'_> {
    fn run(&mut self, events: &Receiver<Event>) -> Result<(), ServeError> {
        loop {
            select! {
                recv(self.connection.receiver) -> message => match message {
                    Ok(Message::Request(request)) => {
                        if request.method == Shutdown::METHOD {
                            self.stop();
                            self.respond(request.id, Value::Null);
                            self.wait_for_exit();
                            return Ok(());
                        }
                        self.request(request);
                    }
                    Ok(Message::Notification(notification)) => self.notification(notification),
                    Ok(Message::Response(response)) => self.made(response),
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

    /// Waits for the end. Answers of the editor may still be on their way.
    fn wait_for_exit(&self) {
        for message in &self.connection.receiver {
            match message {
                Message::Notification(told) if told.method == Exit::METHOD => return,
                Message::Request(request) => {
                    let code = ErrorCode::InvalidRequest as i32;
                    self.fail(request.id, code, "the server has been shut down");
                }
                Message::Notification(_) | Message::Response(_) => {}
            }
        }
    }

    /// Asks the editor to tell which files of programs change, whoever changes them.
    fn watch_files(&mut self) {
        if !self.abilities.watches_files {
            return;
        }
        let files = "**/{*.java,*.cs,*.oox,pom.xml,*.gradle,*.gradle.kts,*.csproj,*.sln}";
        let watchers = json!({ "watchers": [{ "globPattern": files }] });
        let registration = Registration {
            id: "aback-files".into(),
            method: DidChangeWatchedFiles::METHOD.into(),
            register_options: Some(watchers),
        };
        self.ask_editor::<RegisterCapability>(RegistrationParams { registrations: vec![registration] });
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

    /// Asks the editor for something.
    fn ask_editor<R: lsp_types::request::Request>(&mut self, params: R::Params) -> RequestId {
        self.tickets += 1;
        let id = RequestId::from(format!("aback-{}", self.tickets));
        self.send(Request::new(id.clone(), R::METHOD.into(), params).into());
        id
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
                let start = params.range.start;
                let paths = server.shown.paths(uri.as_str(), start.line.saturating_add(1));
                let actions = match is_known {
                    true => code_actions(&uri, start, &params.context.diagnostics, paths, text),
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
                let opened = Document { text: document.text, language, is_saved: true };
                server.documents.insert(document.uri.as_str().into(), opened);
                server.opened(&document.uri);
            }),
            DidChangeTextDocument::METHOD => self.note(params, |server, params: DidChangeTextDocumentParams| {
                let uri = params.text_document.uri;
                if let (Some(document), Some(change)) =
                    (server.documents.get_mut(uri.as_str()), params.content_changes.into_iter().next_back())
                {
                    document.text = change.text;
                    document.is_saved = false;
                }
                server.changed(&uri);
            }),
            DidSaveTextDocument::METHOD => self.note(params, |server, params: DidSaveTextDocumentParams| {
                let uri = params.text_document.uri;
                if let Some(document) = server.documents.get_mut(uri.as_str()) {
                    document.is_saved = true;
                }
                if let Some((_, program)) = server.program(&uri) {
                    server.touched(&program, Some(uri.as_str()));
                }
            }),
            DidCloseTextDocument::METHOD => self.note(params, |server, params: DidCloseTextDocumentParams| {
                server.documents.remove(params.text_document.uri.as_str());
                server.shown.forget(params.text_document.uri.as_str());
                server.publish(params.text_document.uri.as_str());
            }),
            DidChangeWorkspaceFolders::METHOD => {
                self.note(params, |server, params: DidChangeWorkspaceFoldersParams| {
                    let gone: Vec<PathBuf> =
                        params.event.removed.iter().filter_map(|folder| path_of(&folder.uri)).collect();
                    server.folders.retain(|folder| !gone.contains(folder));
                    server.folders.extend(params.event.added.iter().filter_map(|folder| path_of(&folder.uri)));
                    let is_gone = |program: &Program| gone.contains(&program.path);
                    let programs: Vec<Program> =
                        server.surveys.keys().filter(|program| is_gone(program)).cloned().collect();
                    server.surveys.retain(|program, _| !is_gone(program));
                    server.ready.retain(|program, _| !is_gone(program));
                    for program in programs {
                        server.show_findings(&program, HashMap::new());
                    }
                })
            }
            DidChangeWatchedFiles::METHOD => self.note(params, |server, params: DidChangeWatchedFilesParams| {
                // What the editor itself saves, it has told already.
                let is_open = |uri: &Uri| server.documents.contains_key(uri.as_str());
                let files: Vec<PathBuf> = params
                    .changes
                    .iter()
                    .filter(|change| !is_open(&change.uri))
                    .filter_map(|change| path_of(&change.uri))
                    .collect();
                let known: HashSet<Program> = server.surveys.keys().chain(server.ready.keys()).cloned().collect();
                for program in known.iter().filter(|program| files.iter().any(|file| program.depends_on(file))) {
                    server.touched(program, None);
                }
            }),
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
    fn program(&self, uri: &Uri) -> Option<(PathBuf, Program)> {
        let file = path_of(uri)?;
        let program = Program::of(&file, &self.folders)?;
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
        self.shown.forget(uri.as_str());
        self.publish(uri.as_str());
    }

    /// What is known about a program is out of date, because a file has changed: `uri`, or another one.
    fn touched(&mut self, program: &Program, uri: Option<&str>) {
        self.outdate(program);
        if let Some(ready) = self.ready.get(program) {
            ready.outdate();
        }
        for concerned in self.shown.outdate(program, uri) {
            self.publish(&concerned);
        }
        if self.options.findings {
            self.survey(program);
        }
    }

    fn outdate(&mut self, program: &Program) {
        for pending in self.pending.values_mut().filter(|pending| pending.running.program == *program) {
            pending.running.stop(Stopped::OutOfDate);
        }
    }

    /// Looks for everything that can fail in a program.
    fn survey(&mut self, program: &Program) {
        let own = program.options(&self.options.of_workers());
        let options: Vec<String> = own.iter().map(ToString::to_string).collect();
        let (worker, path) = (Arc::clone(&self.commands.worker), program.path.clone());
        let next = self.folder.path().join(format!("survey-{}", self.answers.len()));
        let answers = self.answers.entry(program.clone()).or_insert(next).clone();
        let limit = Duration::try_from_secs_f64(self.options.timeout).unwrap_or(Duration::MAX);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let plan = Plan {
            program: program.clone(),
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
        self.surveys.insert(program.clone(), survey);
    }

    fn execute(&mut self, request: RequestId, params: ExecuteCommandParams) {
        let invalid = ErrorCode::InvalidParams as i32;
        let given = params.arguments.into_iter().next().unwrap_or_default();
        let asks: fn(&Spot) -> Asks = match params.command.as_str() {
            REACH | BACK => |_| Asks::Reach,
            CHECK => |_| Asks::Violation,
            NULL => |spot| Asks::Null { column: spot.column },
            REPLAY => return self.replay(request, &given),
            TEST => return self.write_test(request, given),
            other => return self.fail(request, invalid, format!("aback has no command {other}")),
        };
        let trail: Result<Option<TrailSpot>, _> = match params.command.as_str() {
            BACK => serde_json::from_value(given.clone()).map(Some),
            _ => Ok(None),
        };
        let spot: Result<Spot, _> = serde_json::from_value(given);
        let (spot, trail) = match (spot, trail) {
            (Ok(spot), Ok(trail)) => (spot, trail),
            (Err(error), _) | (_, Err(error)) => return self.fail(request, invalid, error.to_string()),
        };
        let asks = match &trail {
            Some(TrailSpot { fails: true, .. }) => Asks::Violation,
            _ => asks(&spot),
        };
        let is_shown = trail.is_none();
        let Some((file, program)) = self.program(&spot.uri) else {
            let reason = "aback answers questions about saved files in Java, C# and OOX";
            return self.fail(request, ErrorCode::InvalidParams as i32, reason);
        };
        if let Some(reason) = self.not_saved(&spot.uri, &file) {
            if self.options.messages && is_shown {
                self.show(MessageType::WARNING, reason.clone());
            }
            return self.fail(request, REQUEST_FAILED, reason);
        }
        let asks = match asks {
            Asks::Null { column: Some(column) } => Asks::Null { column: Some(self.own_column(&spot, column)) },
            other => other,
        };
        self.tickets += 1;
        let ticket = self.tickets;
        let asked = Asked {
            asks,
            file,
            line: spot.line,
            limit: Duration::try_from_secs_f64(self.options.timeout).unwrap_or(Duration::MAX),
            paths: self.options.paths.max(1),
            trail: trail.map(|trail| (trail.entry, trail.trail)),
        };
        let options = program.options(&self.options.of_workers());
        let (worker, path) = (Arc::clone(&self.commands.worker), program.path.clone());
        let command = move || worker(&path, &options);
        let ready = self.ready.entry(program.clone()).or_default().clone();
        let sender = self.sender.clone();
        let tell = move |result| _ = sender.send(Event::Answered { ticket, result });
        let running = question::start(asked, program, self.turns.clone(), command, ready, self.folder.path(), tell);
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
        self.pending.insert(ticket, Pending { request, asks, spot, running, progress, is_shown });
    }

    /// Why a question about a document would be about another text than the one that the user sees; `None` if it is saved.
    fn not_saved(&self, uri: &Uri, file: &Path) -> Option<String> {
        // Editors may leave out the mark at the beginning, and have other line ends in memory.
        let plain = |text: &str| text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let name = name_of(file);
        match (std::fs::read_to_string(file), self.documents.get(uri.as_str())) {
            (Err(error), _) => Some(format!("{name} cannot be read: {error}")),
            (Ok(saved), Some(document)) if plain(&saved) != plain(&document.text) => {
                Some(format!("{name} has changes that are not saved: questions are about saved files"))
            }
            _ => None,
        }
    }

    /// A column of the protocol as aback counts it.
    fn own_column(&self, spot: &Spot, column: u32) -> u32 {
        let document = self.documents.get(spot.uri.as_str());
        let line = document.and_then(|document| document.text.lines().nth((spot.line as usize).checked_sub(1)?));
        line.map_or(column, |line| characters(line, column.saturating_sub(1)) + 1)
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
                let files = Files::of(&program.path);
                let mut diagnostics: HashMap<String, Vec<Diagnostic>> = HashMap::new();
                for finding in &violations {
                    let Some(path) = files.find(&finding.violation.place) else { continue };
                    let Some(uri) = uri_of(&path) else { continue };
                    let shown = diagnostic(&finding.violation, DiagnosticSeverity::WARNING, &files);
                    diagnostics.entry(uri.as_str().into()).or_default().push(shown);
                }
                self.show_findings(&program, diagnostics);
                if is_complete {
                    let count = violations.len();
                    self.log(&format!("{}: all entry points were asked, {count} findings", program.path.display()));
                }
            }
            Event::Survey(Told::Failed { program, reason }) => {
                self.log(&format!("{}: {reason}", program.path.display()));
            }
            Event::Page { request, result } => match result.map(|page| uri_of(&page)) {
                Ok(Some(uri)) => {
                    self.respond(request, json!({ "page": uri }));
                    if self.options.opens_pages {
                        self.open(uri, true);
                    }
                }
                Ok(None) => self.fail(request, REQUEST_FAILED, "the page has no URI"),
                Err(reason) => self.fail(request, REQUEST_FAILED, reason),
            },
        }
    }

    fn answer(&mut self, pending: Pending, result: Result<Answer, Unanswered>) {
        let Pending { request, asks, spot, running, progress, is_shown } = pending;
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
                if self.options.messages && is_shown && running.stopped.is_none() {
                    self.show(MessageType::ERROR, format!("{name}:{}: {reason}", spot.line));
                }
                return self.fail(request, code, reason);
            }
        };
        if is_shown {
            let diagnostics = diagnostics_of(asks, spot.line, answer, &Files::of(&running.program.path));
            let shown = AnsweredLine { line: spot.line, diagnostics, paths: answer.paths.clone() };
            self.shown.answer(spot.uri.as_str(), shown);
            self.publish(spot.uri.as_str());
            if self.options.messages {
                self.show(MessageType::INFO, format!("{name}:{}: {}", spot.line, one_line(answer)));
            }
        }
        self.respond(request, json!(answer));
    }

    fn show(&self, typ: MessageType, message: String) {
        self.notify::<ShowMessage>(ShowMessageParams { typ, message });
    }

    /// Writes the page with the replay of a witness.
    fn replay(&mut self, request: RequestId, given: &Value) {
        let Some(witness) = given.as_str().or(given["witness"].as_str()).map(PathBuf::from) else {
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

    /// Asks the editor to make a file with a unit test in the user's project. Where there is no place for it, the editor shows it where it is.
    fn write_test(&mut self, request: RequestId, given: Value) {
        let invalid = ErrorCode::InvalidParams as i32;
        let given: TestSpot = match serde_json::from_value(given) {
            Ok(given) => given,
            Err(error) => return self.fail(request, invalid, error.to_string()),
        };
        // Other files are none of the server's.
        let text = match std::fs::read_to_string(&given.test) {
            Ok(text) if given.test.starts_with(self.folder.path()) => text,
            _ => return self.fail(request, invalid, "the command takes the test of a path that was found"),
        };
        let place = self
            .program(&given.uri)
            .and_then(|(document, program)| unit_test::place(&given.test, &text, &document, &program.path));
        match place.filter(|_| self.abilities.makes_files) {
            Some(file) if file.exists() => {
                self.fail(request, REQUEST_FAILED, format!("{} is there already", file.display()));
            }
            Some(file) => match unit_test::edit(&file, text) {
                Some(edit) => {
                    let label = Some("aback: write as a test".into());
                    let id = self.ask_editor::<ApplyWorkspaceEdit>(ApplyWorkspaceEditParams { label, edit });
                    self.making.insert(id, Making { request, file });
                }
                None => self.fail(request, REQUEST_FAILED, "the file has no URI"),
            },
            None => self.give(request, &given.test),
        }
    }

    /// Goes on when the editor has made a file.
    fn made(&mut self, response: Response) {
        let Some(Making { request, file }) = self.making.remove(&response.id) else { return };
        match response.response_result.is_ok_and(|result| result["applied"] == true) {
            true => self.give(request, &file),
            false => self.fail(request, REQUEST_FAILED, format!("the editor did not make {}", file.display())),
        }
    }

    /// Responds with a file, which the editor shows.
    fn give(&mut self, request: RequestId, file: &Path) {
        self.respond(request, json!({ "files": [file] }));
        if let Some(uri) = uri_of(file) {
            self.open(uri, false);
        }
    }

    /// Asks the editor to show a document, or a browser to show a page.
    fn open(&mut self, uri: Uri, is_external: bool) {
        if self.abilities.shows_documents {
            let (external, take_focus) = (Some(is_external), Some(true));
            self.ask_editor::<ShowDocument>(ShowDocumentParams { uri, external, take_focus, selection: None });
        }
    }

    /// Shows these findings of a program in place of those that were shown before.
    fn show_findings(&mut self, program: &Program, diagnostics: HashMap<String, Vec<Diagnostic>>) {
        for uri in self.shown.find(program, diagnostics) {
            // They are about the saved text.
            if self.documents.get(&uri).is_none_or(|document| document.is_saved) {
                self.publish(&uri);
            }
        }
    }

    /// Shows what is new about a document.
    fn publish(&mut self, uri: &str) {
        if let (Some(diagnostics), Ok(uri)) = (self.shown.news(uri), uri.parse()) {
            self.notify::<PublishDiagnostics>(PublishDiagnosticsParams { uri, diagnostics, version: None });
        }
    }
}
