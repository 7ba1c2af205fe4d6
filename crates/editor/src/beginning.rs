//! Reads the first message of an editor: what it can do, which folders it has open, and what the user has set.

use crate::actions::COMMANDS;
use crate::convert::path_of;
use lsp_types::{
    CodeActionProviderCapability, CodeLensOptions, ExecuteCommandOptions, InitializeParams, OneOf,
    ResourceOperationKind, SaveOptions, ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

/// What users set in their editor (`initializationOptions`).
#[derive(Clone, Serialize, Deserialize, Debug)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Options {
    /// Time limit for a question, in seconds.
    pub(crate) timeout: f64,
    /// Most paths to look for.
    pub(crate) paths: usize,
    /// Whether to look for everything that can fail when a program is opened or saved.
    pub(crate) findings: bool,
    /// Whether programs are built of which nothing has been asked yet. A build runs what the files of a project say.
    pub(crate) builds: bool,
    /// Whether uncaught exceptions count.
    pub(crate) traps: bool,
    /// Whether null annotations and refusals of arguments count.
    pub(crate) trust: bool,
    /// Time limit for looking at a program, in seconds.
    pub(crate) budget: f64,
    /// Whether answers are shown as messages, too.
    pub(crate) messages: bool,
    /// Whether pages open in a browser.
    pub(crate) opens_pages: bool,
    /// Most iterations of loops on the way back from a line by hand.
    pub(crate) unwind: u32,
    /// Whether the editor wants to know what running questions have found so far.
    pub(crate) so_far: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            timeout: 10.0,
            paths: 5,
            findings: true,
            builds: false,
            traps: true,
            trust: true,
            budget: 60.0,
            messages: true,
            opens_pages: true,
            unwind: 2,
            so_far: false,
        }
    }
}

impl Options {
    /// The settings that the editor sends, and what is wrong with some of them, which have their defaults.
    pub(crate) fn of(params: &InitializeParams) -> (Self, Vec<String>) {
        let (mut options, mut wrong) = (Options::default(), Vec::new());
        let given = params.initialization_options.as_ref().and_then(Value::as_object);
        for (name, value) in given.into_iter().flatten() {
            let Ok(Value::Object(mut all)) = serde_json::to_value(&options) else { break };
            if all.insert(name.clone(), value.clone()).is_none() {
                wrong.push(format!("there is no setting {name}"));
                continue;
            }
            match serde_json::from_value(Value::Object(all)) {
                Ok(changed) => options = changed,
                Err(error) => wrong.push(format!("the setting {name} cannot be {value}: {error}")),
            }
        }
        (options, wrong)
    }

    /// The options of workers.
    pub(crate) fn of_workers(&self) -> Vec<&'static str> {
        let mut options = vec!["--jobs", "1"];
        options.extend(self.traps.then_some("--traps"));
        options.extend(self.trust.then_some("--trust"));
        options
    }
}

/// What the editor can do.
#[derive(Clone, Copy)]
pub(crate) struct Abilities {
    pub(crate) progress: bool,
    pub(crate) shows_documents: bool,
    /// Whether an edit of the workspace may make a file.
    pub(crate) makes_files: bool,
    /// Whether it tells which files change, if it is asked to.
    pub(crate) watches_files: bool,
}

/// What the server can do.
pub(crate) fn capabilities() -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::FULL),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
        ..TextDocumentSyncOptions::default()
    };
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        code_action_provider: Some(CodeActionProviderCapability::Simple(true)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: COMMANDS.map(str::to_owned).to_vec(),
            work_done_progress_options: WorkDoneProgressOptions { work_done_progress: Some(true) },
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    }
}

impl Abilities {
    pub(crate) fn of(params: &InitializeParams) -> Self {
        let window = params.capabilities.window.as_ref();
        let workspace = params.capabilities.workspace.as_ref();
        let watched = workspace.and_then(|workspace| workspace.did_change_watched_files.as_ref());
        let edits = workspace.and_then(|workspace| workspace.workspace_edit.as_ref());
        let operations = edits.and_then(|edits| edits.resource_operations.as_ref());
        Abilities {
            progress: window.and_then(|window| window.work_done_progress).unwrap_or(false),
            shows_documents: window.and_then(|window| window.show_document.as_ref()).is_some_and(|shows| shows.support),
            watches_files: watched.and_then(|watched| watched.dynamic_registration).unwrap_or(false),
            makes_files: operations.is_some_and(|known| known.contains(&ResourceOperationKind::Create)),
        }
    }
}

/// The folders of the workspace.
pub(crate) fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    let named = params.workspace_folders.iter().flatten().filter_map(|folder| path_of(&folder.uri));
    let mut folders: Vec<PathBuf> = named.collect();
    // Older editors have only one.
    #[allow(deprecated)]
    let root = params.root_uri.as_ref().and_then(path_of);
    if folders.is_empty() {
        folders.extend(root);
    }
    folders
}
