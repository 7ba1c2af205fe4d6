//! Reads messages of the editor, and answers them as soon as the threads that work for it tell something.

mod files;
mod questions;
mod surveys;

use crate::actions::{code_actions, code_lenses};
use crate::beginning::{Abilities, Options, capabilities, folders};
use crate::convert::{path_of, uri_of};
use crate::program::{Commands, Language, Program, Ready};
use crate::question::{self, FoundPath, Running, Spot, Stopped, Turns};
use crate::shown::Shown;
use crate::survey::{Survey, Told};
use aback_scan::{Asks, Explored};
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidChangeWatchedFiles, DidChangeWorkspaceFolders, DidCloseTextDocument,
    DidOpenTextDocument, DidSaveTextDocument, Exit, LogMessage, Notification as _, PublishDiagnostics, ShowMessage,
    WorkDoneProgressCancel,
};
use lsp_types::request::{
    CodeActionRequest, CodeLensRequest, ExecuteCommand, RegisterCapability, Request as _, Shutdown,
};
use lsp_types::{
    CodeActionParams, CodeLensParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
    InitializeParams, LogMessageParams, MessageType, NumberOrString, PublishDiagnosticsParams, Registration,
    RegistrationParams, ShowMessageParams, Uri, WorkDoneProgressCancelParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
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
    /// The editor says `exit` without `shutdown` before it, for which the protocol has the exit status 1.
    #[error("the editor has ended the server without `shutdown`")]
    NoShutdown,
}

/// Something that a thread tells.
enum Event {
    Question { ticket: u64, told: question::Told },
    Survey(Told),
    Page { request: RequestId, result: Result<PathBuf, String> },
}

/// A document that is open.
struct Document {
    text: String,
    language: Option<Language>,
    /// Whether there was no change since it was opened or saved.
    is_saved: bool,
    /// The file that it is of, as the programs that workers have read have it; `None` if there is none.
    on_disk: Option<Vec<u8>>,
}

impl Document {
    /// Notes what is in the file now. Returns whether this is new.
    fn read_file(&mut self, uri: &Uri) -> bool {
        let now = path_of(uri).and_then(|path| std::fs::read(path).ok());
        let is_new = self.on_disk != now;
        self.on_disk = now;
        is_new
    }

    /// Whether its text is that of the file. The mark of the byte order is no text.
    fn is_as_on_disk(&self) -> bool {
        let text = |file: &Vec<u8>| file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file) == self.text.as_bytes();
        self.on_disk.as_ref().is_some_and(text)
    }
}

/// What is known before the answer to a question.
#[derive(Default)]
struct SoFar {
    explored: Explored,
    paths: Vec<FoundPath>,
}

/// A question that an editor waits for.
struct Pending {
    request: RequestId,
    asks: Asks,
    spot: Spot,
    running: Running,
    progress: Option<NumberOrString>,
    so_far: SoFar,
    /// Whether the answer is shown at the line.
    is_shown: bool,
    then: Then,
}

/// What happens with the answer to a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Then {
    /// It is the response.
    Respond,
    /// The first path is replayed.
    Replay,
    /// A unit test is written for the first path.
    WriteTest,
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
        bars: HashMap::new(),
        asked: HashSet::new(),
        failed: HashSet::new(),
        without_build: HashSet::new(),
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
    /// The progress of surveys that the editor shows.
    bars: HashMap<Program, NumberOrString>,
    /// The programs about which the user has asked something.
    asked: HashSet<Program>,
    /// The programs that no survey could look at.
    failed: HashSet<Program>,
    /// The programs whose last survey was not allowed to build them.
    without_build: HashSet<Program>,
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
                    Ok(Message::Notification(told)) if told.method == Exit::METHOD => {
                        self.stop();
                        return Err(ServeError::NoShutdown);
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
        let files = "**/{*.java,*.cs,*.oox,pom.xml,*.gradle,*.gradle.kts,*.csproj,*.sln,*.slnx}";
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
        self.ready.values().for_each(Ready::end);
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
                let mut opened = Document { text: document.text, language, is_saved: true, on_disk: None };
                opened.read_file(&document.uri);
                server.documents.insert(document.uri.as_str().into(), opened);
                server.opened(&document.uri);
            }),
            DidChangeTextDocument::METHOD => self.note(params, |server, params: DidChangeTextDocumentParams| {
                let uri = params.text_document.uri;
                if let (Some(document), Some(change)) =
                    (server.documents.get_mut(uri.as_str()), params.content_changes.into_iter().next_back())
                {
                    document.text = change.text;
                    document.is_saved = document.is_as_on_disk();
                }
                server.changed(&uri);
            }),
            DidSaveTextDocument::METHOD => self.note(params, |server, params: DidSaveTextDocumentParams| {
                let uri = params.text_document.uri;
                if let Some(document) = server.documents.get_mut(uri.as_str()) {
                    document.is_saved = true;
                    document.read_file(&uri);
                }
                if let Some((_, program)) = server.program(&uri) {
                    server.touched(&program, &[uri.as_str().into()]);
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
                    let ended: HashMap<Program, Survey> =
                        server.surveys.extract_if(|program, _| is_gone(program)).collect();
                    server.ready.retain(|program, _| !is_gone(program));
                    for program in ended.keys() {
                        server.show_findings(program, HashMap::new());
                    }
                    // The end of a survey takes a moment.
                    std::thread::spawn(move || drop(ended));
                })
            }
            DidChangeWatchedFiles::METHOD => self.note(params, |server, params: DidChangeWatchedFilesParams| {
                let mut touched: HashMap<Program, Vec<String>> = HashMap::new();
                for uri in params.changes.into_iter().map(|change| change.uri) {
                    let Some(file) = path_of(&uri) else { continue };
                    let document = server.documents.get_mut(uri.as_str());
                    // What the editor itself saves, it has told already.
                    let is_new = document.is_none_or(|document| {
                        let is_new = document.read_file(&uri);
                        document.is_saved = document.is_as_on_disk();
                        is_new
                    });
                    let known = server.surveys.keys().chain(server.ready.keys());
                    for program in known.filter(|program| is_new && program.depends_on(&file)) {
                        touched.entry(program.clone()).or_default().push(uri.as_str().into());
                    }
                }
                for (program, uris) in touched {
                    server.touched(&program, &uris);
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
                let of_survey = server.bars.iter().find(|(_, token)| **token == params.token);
                if let Some(survey) = of_survey.and_then(|(program, _)| server.surveys.get(program)) {
                    survey.stop();
                }
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
        self.load_ahead(&program);
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

    /// What is known about a program is out of date, because these files have changed.
    fn touched(&mut self, program: &Program, uris: &[String]) {
        self.outdate(program);
        if let Some(ready) = self.ready.get(program) {
            ready.outdate();
        }
        self.load_ahead(program);
        for concerned in self.shown.outdate(program, uris) {
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

    fn event(&mut self, event: Event) {
        match event {
            Event::Question { ticket, told: question::Told::Answer(result) } => {
                if let Some(pending) = self.pending.remove(&ticket) {
                    self.answer(pending, result);
                }
            }
            Event::Question { ticket, told: question::Told::Explored(explored) } => {
                if let Some(pending) = self.pending.get_mut(&ticket) {
                    pending.so_far.explored = explored;
                    self.tell_so_far(ticket);
                }
            }
            Event::Question { ticket, told: question::Told::Found(answer) } => {
                let Some(mut pending) = self.pending.remove(&ticket) else { return };
                if pending.running.stopped.is_none() {
                    self.show_answer(&pending, &answer);
                    pending.so_far.paths = answer.paths;
                }
                self.pending.insert(ticket, pending);
                self.tell_so_far(ticket);
            }
            Event::Survey(told) => self.survey_tells(told),
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

    fn show(&self, typ: MessageType, message: String) {
        self.notify::<ShowMessage>(ShowMessageParams { typ, message });
    }

    /// Shows what is new about a document.
    fn publish(&mut self, uri: &str) {
        if let (Some(diagnostics), Ok(uri)) = (self.shown.news(uri), uri.parse()) {
            self.notify::<PublishDiagnostics>(PublishDiagnosticsParams { uri, diagnostics, version: None });
        }
    }
}
