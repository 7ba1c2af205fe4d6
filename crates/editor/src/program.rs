//! Knows which program a document belongs to, and keeps a worker that has loaded it.

use aback_scan::{Lost, Opening, Worker};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// Makes the command of a worker for a program, with further options.
type WorkerCommand = dyn Fn(&Path, &[&str]) -> Result<Command, String> + Send + Sync;
/// Makes the command that writes the page with the replay of a witness: the witness, and the page.
type PageCommand = dyn Fn(&Path, &Path) -> Command + Send + Sync;

/// The commands of aback that the server runs in processes of their own.
#[derive(Clone)]
pub struct Commands {
    /// Starts a worker. An error says why the program cannot be read.
    pub worker: Arc<WorkerCommand>,
    /// Writes the page with the replay of a witness.
    pub page: Arc<PageCommand>,
}

/// The languages in which questions can be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    Java,
    CSharp,
    Oox,
}

impl Language {
    pub(crate) fn of(file: &Path) -> Option<Language> {
        match file.extension()?.to_str()? {
            "java" => Some(Language::Java),
            "cs" => Some(Language::CSharp),
            "oox" => Some(Language::Oox),
            _ => None,
        }
    }
}

/// The path of the program to which a document belongs: the innermost folder of the workspace around it. A program in OOX is one file, and
/// so is a document outside of the workspace.
pub(crate) fn program_of(file: &Path, folders: &[PathBuf]) -> Option<PathBuf> {
    match Language::of(file)? {
        Language::Oox => Some(file.to_path_buf()),
        Language::Java | Language::CSharp => {
            let around = folders.iter().filter(|folder| file.starts_with(folder));
            let innermost = around.max_by_key(|folder| folder.components().count());
            Some(innermost.map_or_else(|| file.to_path_buf(), Clone::clone))
        }
    }
}

/// A worker that has loaded the program as it was saved last, if there is one.
#[derive(Clone, Default)]
pub(crate) struct Ready(Arc<Mutex<Slot>>);

#[derive(Default)]
struct Slot {
    worker: Option<Worker>,
    /// How often the program has been saved.
    version: u64,
}

impl Ready {
    /// Drops the worker, because the program is another one now.
    pub(crate) fn outdate(&self) {
        let mut slot = self.slot();
        slot.version += 1;
        slot.worker = None;
    }

    /// The worker, or a new one. It has to be given back with the version.
    ///
    /// # Errors
    /// The program cannot be loaded, or the process ends.
    pub(crate) fn take(
        &self,
        command: &dyn Fn() -> Result<Command, String>,
        interrupt: &AtomicBool,
    ) -> Result<(Worker, u64), Unanswered> {
        let (known, version) = {
            let mut slot = self.slot();
            (slot.worker.take(), slot.version)
        };
        match known {
            Some(worker) => Ok((worker, version)),
            None => match Worker::start(command().map_err(Unanswered::Program)?, interrupt)? {
                (worker, Opening::Loaded(_)) => Ok((worker, version)),
                (_, Opening::Failed(reason)) => Err(Unanswered::Program(reason)),
            },
        }
    }

    /// Keeps a worker for the next question, unless the program has changed.
    pub(crate) fn give_back(&self, worker: Worker, version: u64) {
        let mut slot = self.slot();
        if slot.version == version && slot.worker.is_none() {
            slot.worker = Some(worker);
        }
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Slot> {
        // What the lock protects is consistent after every single statement.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reason why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unanswered {
    /// The program cannot be loaded.
    #[error("{0}")]
    Program(String),
    /// No worker has given one.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// A file cannot be written.
    #[error("cannot write a file: {0}")]
    File(#[from] std::io::Error),
}
