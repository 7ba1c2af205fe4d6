//! Keeps what compilers made of sources, for later runs.
//!
//! Each program has one file, with what was last compiled of it. The name of the file is a hash of all that the
//! compiler depends on besides the texts of the sources ([`CompileKey`]); the file has hashes of these texts. Files
//! are written elsewhere and then renamed, so that other processes never see half of one. What cannot be read or
//! written is as if it were not there.

use crate::compiler::is_stopped;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Cursor, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Grows with every change of the format, and of how sources are compiled.
const FORMAT: &str = "aback compiled 2";
/// Most bytes in the folder of a user.
const LIMIT: u64 = 512 << 20;
/// Most bytes of the files of one program.
const LARGEST: u64 = 64 << 20;
/// The entry with the hashes of the sources.
const HASHES: &str = "META-INF/sources";
/// The beginning of the names of files that are not complete, and the time after which their writer has ended.
const INCOMPLETE: &str = ".new-";
const ABANDONED: Duration = Duration::from_secs(3600);
/// The beginning of the names of files that are locked while a program is compiled, and the time between two tries.
const LOCK: &str = ".lock-";
/// Most time that a process waits for another one that compiles the same, and this part of the time that it has.
const LONGEST_WAIT: Duration = Duration::from_secs(20);
const WAIT_PART: u32 = 4;
const POLL: Duration = Duration::from_millis(5);
/// Most files of which the state is compared, such as those of a folder with libraries.
const MOST_FILES: usize = 20_000;
/// A file that was changed less than this before it was looked at may be changed again without a trace: the clock of the
/// file system has ticks.
const SETTLED: Duration = Duration::from_secs(2);

/// A SHA-256 hash.
pub type Hash = [u8; 32];

/// A folder with compiled programs.
#[derive(Clone, Debug)]
pub struct CompileCache {
    folder: PathBuf,
    /// Most bytes in the folder.
    limit: u64,
}

/// What a compiler made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compiled {
    /// The hashes of the texts of the sources, in the order of the compilation.
    pub sources: Vec<Hash>,
    /// The files by name.
    pub files: Vec<(String, Vec<u8>)>,
}

/// What a cache knows of a program.
pub enum Known {
    /// What was compiled of the sources as they are.
    Current(Compiled),
    /// What was compiled before, and the sign that nobody else compiles the program, as long as it is not dropped.
    Earlier(Option<Compiled>, Option<File>),
}

/// What a compiler depends on besides the texts of the sources: options, and the names and states of files.
pub struct CompileKey {
    hash: Sha256,
    /// Number of files whose states are in the hash, and of those that were found in folders.
    files: usize,
    /// The folders that are in the hash.
    folders: BTreeSet<PathBuf>,
    /// The last change of one of these files.
    changed: SystemTime,
}

impl CompileCache {
    /// The cache in a folder, which is created once there is something to keep.
    pub fn at(folder: PathBuf) -> CompileCache {
        CompileCache { folder, limit: LIMIT }
    }

    /// The cache with another limit for the bytes in its folder.
    pub fn with_limit(self, limit: u64) -> CompileCache {
        CompileCache { limit, ..self }
    }

    /// What is known of a program with these sources. If it is to be compiled, and another process does that, waits for it.
    pub fn look_up(
        &self,
        key: &CompileKey,
        sources: &[SourceState],
        deadline: Option<Instant>,
        interrupt: Option<&AtomicBool>,
    ) -> Known {
        let hashes = SourceState::hashes(sources);
        let is_current = |known: &Compiled| known.sources == hashes;
        if let Some(known) = self.get(key).filter(is_current) {
            return Known::Current(known);
        }
        let alone = self.alone(key, deadline, interrupt);
        match self.get(key) {
            Some(known) if is_current(&known) => Known::Current(known),
            known => Known::Earlier(known, alone),
        }
    }

    /// Keeps what was compiled of sources, unless one has been written since they were in this state, as while the compiler ran.
    pub fn keep(&self, key: &CompileKey, paths: &[PathBuf], sources: &[SourceState], files: Vec<(String, Vec<u8>)>) {
        if SourceState::all(paths).is_some_and(|now| now == sources) {
            self.insert(key, &Compiled { sources: SourceState::hashes(sources), files });
        }
    }

    /// What was last compiled of a program.
    pub fn get(&self, key: &CompileKey) -> Option<Compiled> {
        let path = self.path(key);
        let compiled = read(&fs::read(&path).ok()?)?;
        // What was used last is removed last.
        let _ = File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(compiled)
    }

    /// Waits until no other process compiles the program, so that one of several that start together compiles it for all.
    /// Others wait for this one until the returned file is closed, but not for long: it may be suspended. `None` if it is
    /// stopped, has waited for long, or cannot be known.
    fn alone(&self, key: &CompileKey, deadline: Option<Instant>, interrupt: Option<&AtomicBool>) -> Option<File> {
        self.create().ok()?;
        let name = format!("{LOCK}{}", self.path(key).file_name()?.to_str()?);
        let file = File::options().write(true).create(true).truncate(false).open(self.folder.join(name)).ok()?;
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()) / WAIT_PART);
        let end = Instant::now() + left.map_or(LONGEST_WAIT, |left| left.min(LONGEST_WAIT));
        while !is_stopped(Some(end), interrupt) {
            match file.try_lock() {
                Ok(()) => return Some(file),
                Err(TryLockError::WouldBlock) => std::thread::sleep(POLL),
                Err(TryLockError::Error(_)) => return None,
            }
        }
        None
    }

    /// Keeps what was compiled of a program, instead of what was compiled of it before.
    pub fn insert(&self, key: &CompileKey, compiled: &Compiled) {
        let size: usize = compiled.files.iter().map(|(name, bytes)| name.len() + bytes.len()).sum();
        if key.is_settled() && size as u64 <= LARGEST {
            // A full disk, or one that cannot be written, must not change what users get.
            let _ = self.write(&self.path(key), compiled);
        }
    }

    fn path(&self, key: &CompileKey) -> PathBuf {
        let hash: Hash = key.hash.clone().finalize().into();
        self.folder.join(hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }

    fn write(&self, path: &Path, compiled: &Compiled) -> io::Result<()> {
        let bytes = written(compiled)?;
        self.create()?;
        let mut file = tempfile::Builder::new().prefix(INCOMPLETE).tempfile_in(&self.folder)?;
        file.write_all(&bytes)?;
        file.persist(path)?;
        self.shrink()
    }

    fn create(&self) -> io::Result<()> {
        // Nobody else reads the user's programs here.
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)
    }

    /// Removes the programs that were used longest ago while there are too many bytes.
    fn shrink(&self) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)?.filter_map(Result::ok) {
            let Ok(data) = entry.metadata() else { continue };
            let Ok(used) = data.modified() else { continue };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // Locks of programs that are not compiled any more go, too. Who has one of them is not alone then.
            let is_beside = name.starts_with(INCOMPLETE) || name.starts_with(LOCK);
            if !is_beside {
                files.push((used, data.len(), entry.path()));
            } else if used.elapsed().is_ok_and(|time| time > ABANDONED) {
                fs::remove_file(entry.path())?;
            }
        }
        files.sort_unstable();
        let mut size: u64 = files.iter().map(|(_, size, _)| size).sum();
        for (_, length, path) in files {
            if size <= self.limit {
                break;
            }
            fs::remove_file(path)?;
            size -= length;
        }
        Ok(())
    }
}

impl CompileKey {
    /// The key of a compiler, given by its program, and options.
    ///
    /// # Errors
    /// The compiler cannot be read.
    pub fn new(compiler: &Path, options: &str) -> io::Result<CompileKey> {
        let mut key = CompileKey { hash: Sha256::new(), files: 0, folders: BTreeSet::new(), changed: UNIX_EPOCH };
        key.add(FORMAT.as_bytes());
        key.add(env!("CARGO_PKG_VERSION").as_bytes());
        key.add(options.as_bytes());
        key.add_file(compiler)?;
        Ok(key)
    }

    /// Something else that matters.
    pub fn add(&mut self, bytes: &[u8]) {
        // With the length, so that two parts differ from one of both.
        self.hash.update((bytes.len() as u64).to_le_bytes());
        self.hash.update(bytes);
    }

    /// The path and the state of a file or of all files in a folder and below.
    ///
    /// # Errors
    /// A file cannot be read, or there are too many.
    pub fn add_file(&mut self, path: &Path) -> io::Result<()> {
        let path = path.canonicalize()?;
        let data = path.metadata()?;
        self.add(path.as_os_str().as_encoded_bytes());
        self.count()?;
        if data.is_dir() {
            // Links may lead back.
            if !self.folders.insert(path.clone()) {
                return Ok(());
            }
            let mut entries = Vec::new();
            for entry in fs::read_dir(&path)? {
                entries.push(entry?.path());
                self.count()?;
            }
            entries.sort_unstable();
            self.add(&entries.len().to_le_bytes());
            return entries.iter().try_for_each(|entry| self.add_file(entry));
        }
        for number in state(&data) {
            self.add(&number.to_le_bytes());
        }
        let seconds = u64::try_from(data.ctime()).unwrap_or(0);
        self.changed = self.changed.max(UNIX_EPOCH + Duration::from_secs(seconds + 1));
        Ok(())
    }

    fn count(&mut self) -> io::Result<()> {
        self.files += 1;
        if self.files > MOST_FILES { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(()) }
    }

    /// Whether every change of a file from now on will change its state.
    fn is_settled(&self) -> bool {
        self.changed.elapsed().is_ok_and(|time| time > SETTLED)
    }
}

/// The hash of a text.
pub fn hash(text: &[u8]) -> Hash {
    Sha256::digest(text).into()
}

/// A source at a moment. Two are only equal if nobody has written it in between.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceState {
    /// The hash of its text.
    pub hash: Hash,
    state: [u64; 7],
}

impl SourceState {
    /// The sources as they are now; `None` if one cannot be read.
    pub fn all(files: &[PathBuf]) -> Option<Vec<SourceState>> {
        let source = |file: &PathBuf| {
            let state = state(&file.metadata().ok()?);
            Some(SourceState { hash: hash(&fs::read(file).ok()?), state })
        };
        files.iter().map(source).collect()
    }

    /// The hashes of sources.
    pub fn hashes(sources: &[SourceState]) -> Vec<Hash> {
        sources.iter().map(|source| source.hash).collect()
    }
}

/// What changes with the contents of a file: the place on the disk, the length, and the times at which these and the
/// contents were changed. Programs cannot set the former time (`ctime`).
fn state(data: &Metadata) -> [u64; 7] {
    let times = [data.mtime(), data.mtime_nsec(), data.ctime(), data.ctime_nsec()].map(i64::cast_unsigned);
    let [mtime, mtime_nsec, ctime, ctime_nsec] = times;
    [data.dev(), data.ino(), data.len(), mtime, mtime_nsec, ctime, ctime_nsec]
}

/// A file of the cache: an archive after its hash.
fn written(compiled: &Compiled) -> io::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let hashes = (HASHES, compiled.sources.as_flattened());
    let files = compiled.files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..]));
    for (name, bytes) in std::iter::once(hashes).chain(files) {
        archive.start_file(name, options).map_err(io::Error::other)?;
        archive.write_all(bytes)?;
    }
    let archive = archive.finish().map_err(io::Error::other)?.into_inner();
    Ok([&hash(&archive)[..], &archive].concat())
}

fn read(file: &[u8]) -> Option<Compiled> {
    let (checksum, archive) = file.split_first_chunk()?;
    if hash(archive) != *checksum {
        return None;
    }
    let mut archive = ZipArchive::new(Cursor::new(archive)).ok()?;
    let mut compiled = Compiled::default();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).ok()?;
        let name = entry.name().ok()?.into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).ok()?;
        match name == HASHES {
            true => compiled.sources = bytes.as_chunks().0.to_vec(),
            false => compiled.files.push((name, bytes)),
        }
    }
    Some(compiled)
}
