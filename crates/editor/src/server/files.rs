//! Gives an editor files: the pages of replays and of graphs, and unit tests.

use super::{Event, Making, REQUEST_FAILED, Server};
use crate::convert::uri_of;
use crate::question::Spot;
use crate::unit_test;
use lsp_server::{ErrorCode, RequestId, Response};
use lsp_types::request::{ApplyWorkspaceEdit, ShowDocument};
use lsp_types::{ApplyWorkspaceEditParams, ShowDocumentParams, Uri};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A unit test for a path, as clients name it.
#[derive(Deserialize)]
struct TestSpot {
    /// The file with the test.
    test: PathBuf,
    /// The document that it is about.
    uri: Uri,
}

impl Server<'_> {
    /// Writes the page with the replay of a witness.
    pub(super) fn replay(&mut self, request: RequestId, given: &Value) {
        let Some(witness) = given.as_str().or(given["witness"].as_str()).map(PathBuf::from) else {
            return self.fail(request, ErrorCode::InvalidParams as i32, "the command takes the path of a witness");
        };
        let page = witness.with_extension("html");
        let command = (self.commands.page)(&witness, &page);
        self.write_page(request, page, move || Ok(command));
    }

    /// Writes the page with the graphs of the methods at a line.
    pub(super) fn draw_graph(&mut self, request: RequestId, given: Value) {
        let spot: Spot = match serde_json::from_value(given) {
            Ok(spot) => spot,
            Err(error) => return self.fail(request, ErrorCode::InvalidParams as i32, error.to_string()),
        };
        let (file, program) = match self.saved(&spot) {
            Ok(found) => found,
            Err((code, reason)) => return self.fail(request, code, reason),
        };
        self.tickets += 1;
        let page = self.folder.path().join(format!("graph-{}.html", self.tickets));
        let (graph, options) = (Arc::clone(&self.commands.graph), program.options(&[]));
        let (at, to) = (format!("{}:{}", file.display(), spot.line), page.clone());
        self.write_page(request, page, move || graph(&program.path, &options, &at, &to));
    }

    /// Has a process write a page, which is the result of the request.
    fn write_page(
        &self,
        request: RequestId,
        page: PathBuf,
        command: impl FnOnce() -> Result<Command, String> + Send + 'static,
    ) {
        let (sender, turns) = (self.sender.clone(), self.turns.clone());
        std::thread::spawn(move || {
            // Many at once would be as many compilers.
            let _turn = turns.wait(&AtomicBool::new(false));
            let ran = command().map(|mut command| command.stdin(std::process::Stdio::null()).output());
            let result = match ran {
                Ok(Ok(output)) if output.status.success() => Ok(page),
                Ok(Ok(output)) => Err(String::from_utf8_lossy(&output.stderr).trim().to_string()),
                Ok(Err(error)) => Err(error.to_string()),
                Err(reason) => Err(reason),
            };
            let _ = sender.send(Event::Page { request, result });
        });
    }

    /// Asks the editor to make a file with a unit test in the user's project. Where there is no place for it, the editor shows it where it is.
    pub(super) fn write_test(&mut self, request: RequestId, given: Value) {
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
    pub(super) fn made(&mut self, response: Response) {
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
    pub(super) fn open(&mut self, uri: Uri, is_external: bool) {
        if self.abilities.shows_documents {
            let (external, take_focus) = (Some(is_external), Some(true));
            self.ask_editor::<ShowDocument>(ShowDocumentParams { uri, external, take_focus, selection: None });
        }
    }
}
