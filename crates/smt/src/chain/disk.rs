//! Keeps the solver's answers in a folder, for later runs.
//!
//! Each answer is a file of its own. Its name is a hash of the question, and it has the whole question, so that questions with the same
//! hash are told apart. Files are written elsewhere and then renamed: another process, or one that ends in the middle, leaves no half of a
//! file under a name that counts. What cannot be read or written is as if it were not there.

use super::cache::Known;
use crate::smtlib::{NormalScript, read_value, value_text};
use aback_logic::{Model, Pool, Sort, Term};
use sha2::{Digest, Sha256};
use std::fs::{self, DirEntry};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

/// The first line of each file. Its number grows with every change of the format.
const FORMAT: &str = "aback answer 1";
/// Most bytes of a question that is kept.
const LONGEST: usize = 1 << 18;
/// Number of folders in the folder: one for each beginning of a hash.
const SHARDS: u64 = 256;
/// Answers after which the size of one of these folders is looked at.
const LOOK: u32 = 16;

/// A folder with answers.
pub(super) struct Disk {
    folder: PathBuf,
    /// What the answers depend on besides the question.
    versions: String,
    /// Most bytes in the folder.
    limit: u64,
    /// Answers written.
    written: u32,
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
        Ok(Disk { folder: folder.to_path_buf(), versions, limit, written: 0 })
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
    pub(super) fn insert(&mut self, pool: &Pool, question: &Question, known: &Known) {
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
        let _ = write(&question.path, &format!("{FORMAT}\n{}\n{rest}", hash(&rest)));
        if self.written.is_multiple_of(LOOK) {
            let _ = question.path.parent().map(|folder| shrink(folder, self.limit / SHARDS));
        }
        self.written += 1;
    }
}

/// Writes a file as a whole or not at all.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

/// Removes the files of a folder that were used longest ago if it is larger than a limit, until it is half as large.
fn shrink(folder: &Path, limit: u64) -> io::Result<()> {
    let entry = |entry: DirEntry| {
        let data = entry.metadata().ok()?;
        Some((data.modified().ok()?, data.len(), entry.path()))
    };
    let mut files: Vec<(SystemTime, u64, PathBuf)> =
        fs::read_dir(folder)?.filter_map(Result::ok).filter_map(entry).collect();
    let mut size: u64 = files.iter().map(|(_, size, _)| size).sum();
    if size <= limit {
        return Ok(());
    }
    files.sort_unstable();
    for (_, length, path) in files {
        if size <= limit / 2 {
            break;
        }
        // Another process may have removed it.
        let _ = fs::remove_file(path);
        size -= length;
    }
    Ok(())
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
