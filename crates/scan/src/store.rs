//! Keeps the answers of a scan in a file, so that a scan that was stopped goes on where it was, and the next one asks only about what
//! has changed.
//!
//! The file has a line of JSON for the scan, and then one for each answer, the last of which counts. A line that was cut off by
//! a crash is no answer.

use crate::protocol::{EntryPoint, Reply};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Version of the format of the file.
const VERSION: u32 = 4;
/// The name of the file in the folder of a scan.
const FILE: &str = "answers.jsonl";

/// What all answers depend on. Answers of a scan with other settings are not used.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Settings {
    /// The version of aback.
    pub aback: String,
    /// The options that the workers get.
    pub options: Vec<String>,
    /// A hash of the files beside the code of the program: libraries, models, and files that options name.
    pub files: String,
}

/// The first line of the file.
#[derive(Serialize, Deserialize)]
struct Header {
    version: u32,
    settings: Settings,
}

/// An answer as the file has it.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Stored {
    /// The name of the entry point.
    pub entry: String,
    /// The time limit of the question, in seconds.
    pub seconds: f64,
    /// The number of violations that were looked for.
    pub violations: usize,
    /// The time that the answer took, in seconds.
    pub took: f64,
    /// The answer.
    pub answer: Answered,
    /// The hashes of [`EntryPoint`] when the question was asked.
    pub code: String,
    /// See above.
    pub places: String,
}

impl Stored {
    fn is_of_same_code(&self, other: &Stored) -> bool {
        self.code == other.code && self.places == other.places
    }

    /// What is not known about the entry point, if the answer is no proof about everything beside the violations.
    pub fn unproved(&self) -> Option<Unproved<'_>> {
        let (rest, reason) = match &self.answer {
            Answered::Reply(reply) if reply.reason.is_empty() => return None,
            Answered::Reply(reply) => (reply.rest.as_str(), &reply.reason),
            Answered::Lost(reason) => ("unknown", reason),
        };
        Some(Unproved { entry: &self.entry, rest, reason })
    }

    /// Whether the answer is still one about this entry point. A proof has no places.
    fn is_about(&self, entry: &EntryPoint) -> bool {
        let shows_places = matches!(&self.answer, Answered::Reply(reply) if !reply.violations.is_empty());
        self.entry == entry.name && self.code == entry.code && (!shows_places || self.places == entry.places)
    }
}

/// An entry point that may fail otherwise than it is known to.
#[derive(Clone, Copy, Serialize, Debug)]
pub struct Unproved<'a> {
    /// The name of the entry point.
    pub entry: &'a str,
    /// What is known about the executions without a known violation, as in [`Reply::rest`].
    pub rest: &'a str,
    /// Why this is no proof.
    pub reason: &'a str,
}

/// An answer, or the reason why there is none.
#[derive(Clone, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Answered {
    /// The answer.
    Reply(Reply),
    /// The worker was lost, for this reason.
    Lost(String),
}

/// The answers of a scan, in a folder.
#[derive(Debug)]
pub struct Store {
    file: File,
    answers: BTreeMap<String, Stored>,
}

impl Store {
    /// Opens the answers in a folder, which is made if it does not exist. Answers of other settings are removed.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn open(folder: &Path, settings: &Settings) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let path = folder.join(FILE);
        let earlier = read(&path, settings)?;
        let goes_on = earlier.is_some();
        let mut file = OpenOptions::new().read(true).create(true).append(true).open(&path)?;
        if goes_on {
            end_line(&mut file)?;
        } else {
            file.set_len(0)?;
            write_line(&mut file, &Header { version: VERSION, settings: settings.clone() })?;
        }
        Ok(Store { file, answers: earlier.unwrap_or_default() })
    }

    /// All answers, old ones included, by the names of entry points.
    pub fn answers(&self) -> &BTreeMap<String, Stored> {
        &self.answers
    }

    /// The answer about an entry point, unless something has changed on which it relied.
    pub fn answer(&self, entry: &EntryPoint) -> Option<&Stored> {
        self.answers.get(&entry.name).filter(|stored| stored.is_about(entry))
    }

    /// The answers in the folder of a scan, by the names of entry points; `None` if it had other settings.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn stored(folder: &Path, settings: &Settings) -> io::Result<Option<BTreeMap<String, Stored>>> {
        read(&folder.join(FILE), settings)
    }

    /// Takes over answers of another scan of the same program, where they are better than those here.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn collect(&mut self, others: impl IntoIterator<Item = Stored>) -> io::Result<()> {
        for other in others {
            let effort = |stored: &Stored| (stored.seconds, stored.violations);
            let is_better = |known: &Stored| known.is_of_same_code(&other) && effort(known) >= effort(&other);
            if !self.answers.get(&other.entry).is_some_and(is_better) {
                self.add(other)?;
            }
        }
        Ok(())
    }

    /// Adds an answer.
    ///
    /// # Errors
    /// The file cannot be written. The answer is known nevertheless.
    pub fn add(&mut self, stored: Stored) -> io::Result<()> {
        let written = write_line(&mut self.file, &stored);
        self.answers.insert(stored.entry.clone(), stored);
        written
    }
}

/// The answers in a file; `None` if there is no file, or if it belongs to other settings.
fn read(path: &Path, settings: &Settings) -> io::Result<Option<BTreeMap<String, Stored>>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    // A crash can cut a line off within a character.
    let mut lines = BufReader::new(file).split(b'\n');
    let header = lines.next().transpose()?.and_then(|line| serde_json::from_slice::<Header>(&line).ok());
    if header.is_none_or(|header| header.version != VERSION || header.settings != *settings) {
        return Ok(None);
    }
    let mut answers = BTreeMap::new();
    for line in lines {
        match serde_json::from_slice::<Stored>(&line?) {
            // What happened to a worker need not happen again.
            Ok(Stored { answer: Answered::Lost(_), .. }) | Err(_) => {}
            Ok(stored) => _ = answers.insert(stored.entry.clone(), stored),
        }
    }
    Ok(Some(answers))
}

/// Ends the last line of a file that is not empty, if a crash has cut it off.
fn end_line(file: &mut File) -> io::Result<()> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    if last == *b"\n" { Ok(()) } else { file.write_all(b"\n") }
}

/// Writes a line at once, so that the lines of several processes do not mix.
fn write_line(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    file.write_all(&line)
}
