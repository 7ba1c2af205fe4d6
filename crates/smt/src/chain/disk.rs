//! Keeps the solver's answers in a folder, for later runs.
//!
//! Each answer is a file of its own. Its name is a hash of the question, and it has the whole question, so that questions with the same
//! hash are told apart. Files are written elsewhere and then renamed: another process, or one that ends in the middle, leaves no half of a
//! file under a name that counts. What cannot be read or written is as if it were not there.
//!
//! The number of bytes in the folder is known at any time without a look at all files, to all processes that write there (see [`Ledger`]).

use super::cache::Known;
use crate::smtlib::{NormalScript, read_value, value_text};
use aback_logic::{Model, Pool, Sort, Term};
use sha2::{Digest, Sha256};
use std::fs::{self, DirEntry, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, SystemTime};

/// The first line of each file. Its number grows with every change of the format.
const FORMAT: &str = "aback answer 1";
/// Most bytes of a question that is kept.
const LONGEST: usize = 1 << 18;
/// The beginning of the names of files that are not complete.
const INCOMPLETE: &str = ".new-";
/// The name of the file with the number of bytes in the folder.
const SIZE: &str = "aback-size";
/// Number of digits of this number.
const DIGITS: usize = 20;
/// File systems give files space in blocks of so many bytes.
const BLOCK: u64 = 4096;
/// How often the file with the size is tried to be locked, and the time between two tries. A question must not wait for other processes.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(1);

/// A folder with answers.
pub(super) struct Disk {
    folder: PathBuf,
    /// What the answers depend on besides the question.
    versions: String,
    /// Most bytes in the folder.
    limit: u64,
}

/// A question up to renaming of variables.
pub(super) struct Question {
    /// The versions and the script.
    text: String,
    script: NormalScript,
    path: PathBuf,
}

impl Disk {
    pub(super) fn new(folder: &Path, limit: u64, versions: String) -> io::Result<Disk> {
        fs::create_dir_all(folder)?;
        // A folder that is too large becomes smaller even if nothing is written. That may fail where it can be read only.
        let _ = Ledger::lock(folder).and_then(|mut ledger| ledger.make_room(0, limit));
        Ok(Disk { folder: folder.to_path_buf(), versions, limit })
    }

    /// The question whether formulas have a common model. `None` if it is too long, or has no SMT-LIB form.
    pub(super) fn question(&self, pool: &Pool, formulas: &[Term]) -> Option<Question> {
        let script = NormalScript::of(pool, formulas).ok().filter(|script| script.text.len() <= LONGEST)?;
        let text = format!("{}\n{}", self.versions, script.text);
        let hash = hash(&text);
        let path = self.folder.join(&hash[..2]).join(&hash[2..]);
        Some(Question { text, script, path })
    }

    /// The answer to a question, if it is here. A model still has to be tested.
    pub(super) fn get(&self, pool: &Pool, question: &Question) -> Option<Known> {
        let file = fs::read_to_string(&question.path).ok()?;
        let rest = file.strip_prefix(FORMAT)?.strip_prefix('\n')?;
        let (checksum, rest) = rest.split_once('\n')?;
        let answer = (checksum == hash(rest)).then_some(rest)?.strip_prefix(&question.text)?;
        let (answer, values) = answer.split_once('\n')?;
        // What was used last is removed last.
        let _ = fs::File::open(&question.path).and_then(|file| file.set_modified(SystemTime::now()));
        match answer {
            "unsat" => Some(Known::Unsat),
            "sat" => {
                let mut model = Model::new();
                for (&variable, value) in question.script.variables.iter().zip(values.lines()) {
                    if value != "-" {
                        model.set(variable, read_value(pool, value, pool.variable(variable).sort)?);
                    }
                }
                Some(Known::Sat(Rc::new(model)))
            }
            _ => None,
        }
    }

    /// Keeps an answer.
    pub(super) fn insert(&self, pool: &Pool, question: &Question, known: &Known) {
        let answer = match known {
            Known::Unsat => "unsat\n".to_string(),
            Known::Sat(model) => {
                let sort = |variable| -> Sort { pool.variable(variable).sort };
                let values = question.script.variables.iter().map(|&variable| match model.get(variable) {
                    Some(value) => value_text(pool, value, sort(variable)),
                    None => "-".into(),
                });
                format!("sat\n{}\n", values.collect::<Vec<String>>().join("\n"))
            }
        };
        let rest = format!("{}{answer}", question.text);
        // A full disk, or one that cannot be written, must not change the answers.
        let _ = self.keep(&question.path, &format!("{FORMAT}\n{}\n{rest}", hash(&rest)));
    }

    /// Writes a file after making room for it. The lock is held until it is written, so that nobody who counts the files misses it.
    fn keep(&self, path: &Path, text: &str) -> io::Result<()> {
        let mut ledger = Ledger::lock(&self.folder)?;
        ledger.make_room(occupied(text.len() as u64), self.limit)?;
        write(path, text)
    }
}

/// The number of bytes in the folder, in a file that one process at a time has locked.
///
/// A file is counted before it is written. So the number is never too small, wherever a process ends, as long as each one that writes
/// does so; it is too large where a file has replaced another one, or was not written after all. Where it says that the folder is full,
/// or where it is missing, all files are counted.
struct Ledger<'a> {
    folder: &'a Path,
    file: File,
}

impl Ledger<'_> {
    /// Opens and locks the file.
    ///
    /// # Errors
    ///
    /// It cannot be written, the file system has no locks, or other processes have it locked for too long.
    fn lock(folder: &Path) -> io::Result<Ledger<'_>> {
        let file = File::options().read(true).write(true).create(true).truncate(false).open(folder.join(SIZE))?;
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(Ledger { folder, file }),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Err(io::ErrorKind::WouldBlock.into())
    }

    /// Counts so many bytes, after removing the answers that were used longest ago if the folder had more than `limit` bytes with them.
    ///
    /// # Errors
    ///
    /// There is no room, or the number cannot be written.
    fn make_room(&mut self, bytes: u64, limit: u64) -> io::Result<()> {
        if bytes > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let is_enough = |size: u64| size.checked_add(bytes).is_some_and(|size| size <= limit);
        let mut size = self.read();
        if !size.is_some_and(is_enough) {
            // Some more room, so that the files are not counted each time.
            size = Some(shrink(self.folder, limit - bytes.max(limit / 4), limit - bytes)?);
        }
        match size.filter(|&size| is_enough(size)) {
            Some(size) => self.write(size + bytes),
            None => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    /// The number in the file, if it is one.
    fn read(&mut self) -> Option<u64> {
        let mut text = String::new();
        self.file.rewind().ok()?;
        self.file.read_to_string(&mut text).ok()?;
        text.strip_suffix('\n').filter(|digits| digits.len() == DIGITS)?.parse().ok()
    }

    fn write(&mut self, size: u64) -> io::Result<()> {
        self.file.rewind()?;
        // The text has always the same length, so that what is written in part is no number or has all digits.
        self.file.write_all(format!("{size:0DIGITS$}\n").as_bytes())?;
        self.file.set_len(DIGITS as u64 + 1)
    }
}

/// The space that a file of this length takes.
fn occupied(length: u64) -> u64 {
    length.next_multiple_of(BLOCK)
}

/// Writes a file as a whole or not at all.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(INCOMPLETE).tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

/// The number of bytes that answers take. If it is more than `most`, the answers that were used longest ago are removed first, until it
/// is at most `aim`. The caller has locked the folder, so that files that are not complete are those of processes that have ended. They
/// are the first to go.
fn shrink(folder: &Path, aim: u64, most: u64) -> io::Result<u64> {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for shard in fs::read_dir(folder)?.filter_map(Result::ok).filter(is_shard) {
        for file in fs::read_dir(shard.path()).into_iter().flatten().filter_map(Result::ok) {
            let name = file.file_name();
            let Some(name) = name.to_str() else { continue };
            let is_complete = !name.starts_with(INCOMPLETE);
            if is_complete && !is_hexadecimal(name) {
                continue;
            }
            let Ok(data) = file.metadata() else { continue };
            let used = data.modified().ok().filter(|_| is_complete).unwrap_or(SystemTime::UNIX_EPOCH);
            files.push((used, occupied(data.len()), file.path()));
        }
    }
    let mut size: u64 = files.iter().map(|(_, size, _)| size).sum();
    if size > most {
        files.sort_unstable();
        for (_, length, path) in files {
            if size <= aim {
                break;
            }
            // One that cannot be removed still counts. The user may have removed one.
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {}
                _ => size -= length,
            }
        }
    }
    Ok(size)
}

/// Whether an entry is a folder for answers. Whatever else is in the folder is not ours, and stays.
fn is_shard(entry: &DirEntry) -> bool {
    entry.file_name().to_str().is_some_and(|name| name.len() == 2 && is_hexadecimal(name))
        && entry.file_type().is_ok_and(|kind| kind.is_dir())
}

fn is_hexadecimal(name: &str) -> bool {
    name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
