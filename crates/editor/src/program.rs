//! Knows which program a document belongs to, and keeps a worker that has loaded it.

use aback_scan::{Lost, Opening, Worker};
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time between two looks at the interrupt.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// Makes the command of a worker for a program, with further options.
type WorkerCommand = dyn Fn(&Path, &[&str]) -> Result<Command, String> + Send + Sync;
/// Makes the command that writes the page with the replay of a witness: the witness, and the page.
type PageCommand = dyn Fn(&Path, &Path) -> Command + Send + Sync;
/// Makes the command that writes the page with the graphs of the methods at a line: the program, options for it, `FILE:LINE`, and the page.
type GraphCommand = dyn Fn(&Path, &[&str], &str, &Path) -> Result<Command, String> + Send + Sync;

/// The commands of aback that the server runs in processes of their own.
#[derive(Clone)]
pub struct Commands {
    /// Starts a worker. An error says why the program cannot be read.
    pub worker: Arc<WorkerCommand>,
    /// Writes the page with the replay of a witness.
    pub page: Arc<PageCommand>,
    /// Writes the page with the control-flow graphs of the methods at a line. An error says why the program cannot be read.
    pub graph: Arc<GraphCommand>,
}

/// The languages in which questions can be asked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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

    /// The name that `--language` takes.
    fn key(self) -> &'static str {
        match self {
            Language::Java => "java",
            Language::CSharp => "csharp",
            Language::Oox => "oox",
        }
    }

    /// The files whose changes change a program, by their extensions.
    fn extensions(self) -> &'static [&'static str] {
        match self {
            Language::Java => &["java", "class", "jar", "xml", "gradle", "kts"],
            Language::CSharp => &["cs", "dll", "csproj", "sln", "slnx", "props"],
            Language::Oox => &["oox"],
        }
    }
}

/// A program in the workspace.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Program {
    /// A folder, or a file.
    pub(crate) path: PathBuf,
    pub(crate) language: Language,
}

impl Program {
    /// The program to which a document belongs: the innermost folder of the workspace around it, with the files in its language. A program in
    /// OOX is one file, and so is a document outside of the workspace.
    pub(crate) fn of(file: &Path, folders: &[PathBuf]) -> Option<Program> {
        let language = Language::of(file)?;
        let around = folders.iter().filter(|folder| language != Language::Oox && file.starts_with(folder));
        let innermost = around.max_by_key(|folder| folder.components().count());
        Some(Program { path: innermost.map_or_else(|| file.to_path_buf(), Clone::clone), language })
    }

    /// The options of its workers.
    pub(crate) fn options(&self, others: &[&'static str]) -> Vec<&'static str> {
        [&["--language", self.language.key()], others].concat()
    }

    /// Whether a change of a file changes the program.
    pub(crate) fn depends_on(&self, file: &Path) -> bool {
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        file.starts_with(&self.path) && self.language.extensions().contains(&extension)
    }

    /// A hash of the names, times and sizes of its files, which changes if one of them does. `None` if they are too many.
    fn stamp(&self) -> Option<u64> {
        let (mut pending, mut hash, mut count) = (vec![self.path.clone()], 0_u64, 0);
        while let Some(path) = pending.pop() {
            let Ok(found) = std::fs::metadata(&path) else { continue };
            if found.is_dir() {
                let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
                let is_hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".") || name == "node_modules";
                pending.extend(entries.filter(|entry| !is_hidden(&entry.file_name())).map(|entry| entry.path()));
            } else if self.depends_on(&path) {
                let mut own = DefaultHasher::new();
                (&path, found.len(), found.modified().ok()).hash(&mut own);
                // The order of the files does not matter.
                hash = hash.wrapping_add(own.finish());
                count += 1;
            }
            if count > MOST_FILES {
                return None;
            }
        }
        Some(hash)
    }
}

/// Most files of a program whose changes are looked for.
const MOST_FILES: usize = 20_000;

/// A worker that has loaded the program as it was saved last, if there is one.
#[derive(Clone, Default)]
pub(crate) struct Ready(Arc<(Mutex<Slot>, Condvar)>);

#[derive(Default)]
struct Slot {
    worker: Option<Worker>,
    /// How often the program has been saved.
    version: u64,
    /// The files that the worker has loaded ([`Program::stamp`]).
    stamp: Option<u64>,
    /// While a worker loads the program ahead of a question: what stops it, and its thread.
    loading: Option<(Arc<AtomicBool>, JoinHandle<()>)>,
}

/// A worker that answers a question.
pub(crate) struct Taken {
    pub(crate) worker: Worker,
    version: u64,
    stamp: Option<u64>,
}

impl Ready {
    /// Drops the worker, because the program is another one now.
    pub(crate) fn outdate(&self) {
        self.forget();
    }

    /// Drops the worker, and waits until one that is loading the program has ended.
    pub(crate) fn end(&self) {
        if let Some(thread) = self.forget() {
            // A thread that has panicked has ended, too.
            let _ = thread.join();
        }
    }

    /// Drops the worker, and returns the thread of one that is loading the program, which will end.
    fn forget(&self) -> Option<JoinHandle<()>> {
        let mut slot = self.slot();
        slot.version += 1;
        slot.worker = None;
        let (interrupt, thread) = slot.loading.take()?;
        interrupt.store(true, Ordering::Relaxed);
        self.0.1.notify_all();
        Some(thread)
    }

    /// Starts a thread in which a worker loads the program, so that the next question does not have to wait for all of it. A program that
    /// cannot be loaded is the question's to tell.
    pub(crate) fn load_ahead(
        &self,
        program: Program,
        command: impl FnOnce() -> Result<Command, String> + Send + 'static,
    ) {
        let mut slot = self.slot();
        if slot.worker.is_some() || slot.loading.is_some() {
            return;
        }
        let interrupt = Arc::new(AtomicBool::new(false));
        let (version, ready, flag) = (slot.version, self.clone(), Arc::clone(&interrupt));
        let thread = std::thread::spawn(move || {
            // Files that change while they are loaded change the stamp that the question compares.
            let stamp = program.stamp();
            let loaded = command().ok().and_then(|command| Worker::start(command, &flag).ok());
            let mut slot = ready.slot();
            // In another version, what is loading is another worker.
            if slot.version == version {
                slot.loading = None;
                if let (Some((worker, Opening::Loaded(_))), None) = (loaded, &slot.worker) {
                    (slot.worker, slot.stamp) = (Some(worker), stamp);
                }
            }
            ready.0.1.notify_all();
        });
        slot.loading = Some((interrupt, thread));
    }

    /// The worker, or a new one if there is none or files have changed, also by other tools than the editor. It waits for a worker that is
    /// loading the program. The worker has to be given back.
    ///
    /// # Errors
    /// The program cannot be loaded, or the process ends, or the question is stopped.
    pub(crate) fn take(
        &self,
        program: &Program,
        command: &dyn Fn() -> Result<Command, String>,
        interrupt: &AtomicBool,
    ) -> Result<Taken, Unanswered> {
        let mut slot = self.slot();
        while slot.loading.is_some() {
            if interrupt.load(Ordering::Relaxed) {
                return Err(Unanswered::Lost(Lost::Interrupted));
            }
            slot = self.0.1.wait_timeout(slot, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(slot);
        let stamp = program.stamp();
        let (known, version) = {
            let mut slot = self.slot();
            let is_current = stamp.is_some() && slot.stamp == stamp;
            (slot.worker.take().filter(|_| is_current), slot.version)
        };
        match known {
            Some(worker) => Ok(Taken { worker, version, stamp }),
            None => match Worker::start(command().map_err(Unanswered::Program)?, interrupt)? {
                (worker, Opening::Loaded(_)) => Ok(Taken { worker, version, stamp }),
                (_, Opening::Failed(reason)) => Err(Unanswered::Program(reason)),
            },
        }
    }

    /// Keeps a worker for the next question, unless the program has changed.
    ///
    /// # Errors
    /// Files have changed since it was taken, so that what it says is not about the program as it is now.
    pub(crate) fn give_back(
        &self,
        program: &Program,
        Taken { worker, version, stamp }: Taken,
    ) -> Result<(), Unanswered> {
        if program.stamp() != stamp {
            return Err(Unanswered::OutOfDate);
        }
        let mut slot = self.slot();
        if slot.version == version && slot.worker.is_none() {
            (slot.worker, slot.stamp) = (Some(worker), stamp);
        }
        Ok(())
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        // What the lock protects is consistent after every single statement.
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reason why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unanswered {
    /// The program cannot be loaded.
    #[error("{0}")]
    Program(String),
    /// The program is another one now.
    #[error("the program has changed, so that the answer is out of date")]
    OutOfDate,
    /// No worker has given one.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// A file cannot be written.
    #[error("cannot write a file: {0}")]
    File(#[from] std::io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// The next question takes the worker that has loaded the program, unless the program has changed since.
    #[test]
    fn programs_are_loaded_ahead() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("Main.oox");
        std::fs::write(&file, "class Main { }").unwrap();
        let program = Program::of(&file, &[]).unwrap();
        let started = Arc::new(AtomicUsize::new(0));
        let command = {
            let started = Arc::clone(&started);
            move || -> Result<Command, String> {
                started.fetch_add(1, Ordering::Relaxed);
                let mut command = Command::new("sh");
                command.args(["-c", "echo '{\"loaded\":[]}'; exec cat"]);
                Ok(command)
            }
        };
        let ready = Ready::default();
        let never = AtomicBool::new(false);
        let question = || ready.take(&program, &command, &never).map(|taken| ready.give_back(&program, taken));
        ready.load_ahead(program.clone(), command.clone());
        assert!(matches!(question(), Ok(Ok(()))));
        assert!(matches!(question(), Ok(Ok(()))));
        assert_eq!(started.load(Ordering::Relaxed), 1);
        ready.outdate();
        ready.load_ahead(program.clone(), command.clone());
        std::fs::write(&file, "class Main { int x; }").unwrap();
        assert!(matches!(question(), Ok(Ok(()))));
        // The file may have changed before the worker was started, or since.
        assert!((2..=3).contains(&started.load(Ordering::Relaxed)));
        // A question that is stopped does not wait.
        ready.outdate();
        ready.load_ahead(program.clone(), || Ok(Command::new("cat")));
        let stopped = ready.take(&program, &command, &AtomicBool::new(true)).map(|_| ());
        assert!(matches!(stopped, Err(Unanswered::Lost(Lost::Interrupted))));
        ready.end();
    }
}
