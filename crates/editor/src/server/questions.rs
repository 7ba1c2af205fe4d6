//! Asks questions for an editor: from the command to the answer at the line.

use super::{Event, Pending, REQUEST_FAILED, Server, SoFar, Then};
use crate::actions::{BACK, CHECK, GRAPH, NULL, REACH, REPLAY, TEST};
use crate::convert::{Files, characters, diagnostics_of, name_of, one_line, path_of, title};
use crate::program::{Program, Unanswered};
use crate::question::{self, Answer, Asked, Spot, Stopped, TrailSpot};
use crate::shown::AnsweredLine;
use aback_report::counted;
use aback_scan::{Asks, Explored, TrailQuestion};
use lsp_server::{ErrorCode, Notification, RequestId};
use lsp_types::notification::Progress;
use lsp_types::request::WorkDoneProgressCreate;
use lsp_types::{
    ExecuteCommandParams, MessageType, NumberOrString, ProgressParams, ProgressParamsValue, Uri, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkDoneProgressReport,
};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

impl Server<'_> {
    /// Runs a command of the editor.
    pub(super) fn execute(&mut self, request: RequestId, params: ExecuteCommandParams) {
        let invalid = ErrorCode::InvalidParams as i32;
        let given = params.arguments.into_iter().next().unwrap_or_default();
        // What a survey has found has no witness yet: the question about its line finds one.
        let is_line = given.get("line").is_some();
        let then = match params.command.as_str() {
            REPLAY => Then::Replay,
            TEST => Then::WriteTest,
            _ => Then::Respond,
        };
        let asks: fn(&Spot) -> Asks = match params.command.as_str() {
            REACH | BACK => |_| Asks::Reach,
            CHECK => |_| Asks::Violation,
            NULL => |spot| Asks::Null { column: spot.column },
            REPLAY | TEST if is_line => |_| Asks::Violation,
            REPLAY => return self.replay(request, &given),
            TEST => return self.write_test(request, given),
            GRAPH => return self.draw_graph(request, given),
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
        let (file, program) = match self.saved(&spot) {
            Ok(found) => found,
            Err((code, reason)) => {
                if self.options.messages && is_shown && code == REQUEST_FAILED {
                    self.show(MessageType::WARNING, reason.clone());
                }
                return self.fail(request, code, reason);
            }
        };
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
            trail: trail.map(|TrailSpot { entry, trail, .. }| {
                let unwind = trail.unwind.or(Some(self.options.unwind));
                (entry, TrailQuestion { unwind, ..trail })
            }),
        };
        let options = program.options(&self.options.of_workers());
        let (worker, path) = (Arc::clone(&self.commands.worker), program.path.clone());
        let command = move || worker(&path, &options);
        let ready = self.ready.entry(program.clone()).or_default().clone();
        let sender = self.sender.clone();
        let tell = move |told| _ = sender.send(Event::Question { ticket, told });
        let running = question::start(asked, program, self.turns.clone(), command, ready, self.folder.path(), tell);
        let progress = params
            .work_done_progress_params
            .work_done_token
            .or_else(|| self.abilities.progress.then(|| self.new_progress()));
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
        self.pending.insert(
            ticket,
            Pending { request, asks, spot, running, progress, so_far: SoFar::default(), is_shown, then },
        );
    }

    /// Has the program loaded before the user asks about it.
    pub(super) fn load_ahead(&mut self, program: &Program) {
        let mut options = program.options(&self.options.of_workers());
        // A program that can be loaded without a build is the same with it.
        if !self.may_build(program) {
            options.push("--no-build");
        }
        let (worker, path) = (Arc::clone(&self.commands.worker), program.path.clone());
        let ready = self.ready.entry(program.clone()).or_default();
        ready.load_ahead(program.clone(), move || worker(&path, &options));
    }

    /// The file and the program of a line, if what the user sees is saved. An error has its code.
    pub(super) fn saved(&self, spot: &Spot) -> Result<(PathBuf, Program), (i32, String)> {
        let Some((file, program)) = self.program(&spot.uri) else {
            let reason = "aback answers questions about saved files in Java, C# and OOX";
            return Err((ErrorCode::InvalidParams as i32, reason.into()));
        };
        match self.not_saved(&spot.uri, &file) {
            Some(reason) => Err((REQUEST_FAILED, reason)),
            None => Ok((file, program)),
        }
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

    /// Asks the editor to show the progress of something.
    pub(super) fn new_progress(&mut self) -> NumberOrString {
        self.tickets += 1;
        let token = NumberOrString::String(format!("aback-{}", self.tickets));
        self.ask_editor::<WorkDoneProgressCreate>(WorkDoneProgressCreateParams { token: token.clone() });
        token
    }

    pub(super) fn progress(&self, token: &NumberOrString, value: WorkDoneProgress) {
        let value = ProgressParamsValue::WorkDone(value);
        self.notify::<Progress>(ProgressParams { token: token.clone(), value });
    }

    /// Tells how far the questions have come.
    pub(super) fn report_progress(&self) {
        self.pending.keys().for_each(|&ticket| self.tell_so_far(ticket));
    }

    /// Tells how far a question has come: how much of its time it has spent, and what it has found.
    pub(super) fn tell_so_far(&self, ticket: u64) {
        let Some(Pending { running, progress: Some(token), so_far, .. }) = self.pending.get(&ticket) else { return };
        let (spent, limit) = (running.started.elapsed(), running.limit);
        let percentage = (100 * spent.as_millis() / limit.as_millis().max(1)).min(100);
        let mut message = format!("{} s of {} s", spent.as_secs(), limit.as_secs());
        if !so_far.paths.is_empty() {
            message += &format!(", {} found", counted(so_far.paths.len(), "path"));
        } else if so_far.explored != Explored::default() {
            message += &format!(", {} explored", counted(so_far.explored.paths as usize, "path"));
        }
        let report = WorkDoneProgressReport {
            cancellable: Some(true),
            message: Some(message),
            percentage: u32::try_from(percentage).ok(),
        };
        self.progress(token, WorkDoneProgress::Report(report));
        if self.options.so_far {
            let SoFar { explored, paths } = so_far;
            let params = json!({ "token": token, "explored": explored, "paths": paths });
            self.send(Notification::new("aback/soFar".into(), params).into());
        }
    }

    /// Shows an answer, or what is known of it so far, at the line.
    pub(super) fn show_answer(&mut self, pending: &Pending, answer: &Answer) {
        if !pending.is_shown {
            return;
        }
        let Pending { asks, spot, running, .. } = pending;
        let diagnostics = diagnostics_of(*asks, spot.line, answer, &Files::of(&running.program.path));
        let shown = AnsweredLine { line: spot.line, diagnostics, paths: answer.paths.clone() };
        self.shown.answer(spot.uri.as_str(), shown);
        self.publish(spot.uri.as_str());
    }

    /// Answers a question.
    pub(super) fn answer(&mut self, pending: Pending, result: Result<Answer, Unanswered>) {
        self.note_question(&pending.running.program);
        let Pending { request, spot, running, progress, is_shown, then, .. } = &pending;
        let name = path_of(&spot.uri).as_deref().map(name_of).unwrap_or_default();
        let said = match (&running.stopped, &result) {
            (Some(Stopped::Cancelled), _) => Err((ErrorCode::RequestCanceled as i32, "cancelled".to_string())),
            (Some(Stopped::OutOfDate), _) | (None, Err(Unanswered::OutOfDate)) => {
                Err((ErrorCode::ContentModified as i32, Unanswered::OutOfDate.to_string()))
            }
            (None, Err(reason)) => Err((REQUEST_FAILED, reason.to_string())),
            (None, Ok(answer)) if answer.said == "error" => Err((REQUEST_FAILED, answer.reason.clone())),
            (None, Ok(answer)) => Ok(answer),
        };
        if let Some(token) = progress {
            let message = match &said {
                Ok(answer) => answer.said.clone(),
                Err((_, reason)) => reason.clone(),
            };
            self.progress(token, WorkDoneProgress::End(WorkDoneProgressEnd { message: Some(message) }));
        }
        let answer = match said {
            Ok(answer) => answer,
            Err((code, reason)) => {
                if code == ErrorCode::ContentModified as i32 {
                    // So is what it has found before.
                    self.shown.forget(spot.uri.as_str());
                    self.publish(spot.uri.as_str());
                }
                if self.options.messages && *is_shown && running.stopped.is_none() {
                    self.show(MessageType::ERROR, format!("{name}:{}: {reason}", spot.line));
                }
                return self.fail(request.clone(), code, reason);
            }
        };
        self.show_answer(&pending, answer);
        if *is_shown && self.options.messages {
            self.show(MessageType::INFO, format!("{name}:{}: {}", spot.line, one_line(answer)));
        }
        let first = answer.paths.first();
        let request = request.clone();
        match (then, first.and_then(|path| path.witness.as_ref()), first.and_then(|path| path.test.as_ref())) {
            (Then::Respond, ..) => self.respond(request, json!(answer)),
            (Then::Replay, Some(witness), _) => self.replay(request, &json!({ "witness": witness })),
            (Then::WriteTest, _, Some(test)) => self.write_test(request, json!({ "test": test, "uri": spot.uri })),
            _ => self.fail(request, REQUEST_FAILED, format!("there is nothing to show: {}", one_line(answer))),
        }
    }
}
